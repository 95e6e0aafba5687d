/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid_cut.c - communication groups: what a set of ranks cuts at the least
 *
 * Ranks lie in a grid with a dimension for each group, and every line of the
 * grid is a ring. A line with some of its ranks in a set and some outside is
 * cut: at least one hop of it leaves the set. A set therefore costs at least
 * the sum of the weights of the lines it cuts. This file finds how small that
 * sum can be for a set of x ranks.
 *
 * The first dimension has lines of s ranks. Let a set hold `a` of them whole
 * and cut q. The s slices across these lines are sets of the other dimensions;
 * each has at least a and at most a + q ranks, together x. So with w the weight
 * of the first dimension and L' the answer for the others
 *
 *     L(x) >= min over a, q of  w * q + min of L'(x1) + ... + L'(xs)
 *
 * where the inner minimum is replaced by s times the lower hull of L' between a
 * and a + q, taken at x / s. And what is outside a set cuts the same lines, so
 * L(x) is also at least the answer for all ranks less x.
 */

#include <string.h>

#include "plan_private.h"

/* Larger grids, and larger sums of weights, have no table: their products would
 * not fit into 64 bits. */
#define RANKS_MAX (UINT64_C(1) << 20)
#define COST_MAX (UINT64_C(1) << 40)

struct line {
	uint64_t size; /* 2 or more */
	uint64_t weight;
	bool whole; /* never cut */
};

/* The table of the dimensions from one on. */
struct table {
	uint64_t *least;
	uint64_t ranks;
	uint64_t *hull; /* scratch: numbers of ranks on it */
	uint64_t steps;
	uint64_t steps_max; /* then it is given up */
};

/* Groups that are never cut first, then the heaviest. Returns their number. */
static uint32_t sort_lines(const struct sgang_cut *cut, struct line *lines)
{
	const struct sgang_parallel *parallel = cut->parallel;
	struct sgang_parallel_digit digits[SGANG_PARALLEL_MAX];
	uint32_t n = sgang_parallel_heaviest_first(parallel, digits);
	uint32_t i, out = 0;
	int pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n; i++) {
			uint32_t g = digits[i].group;
			bool whole = cut->whole & 1u << g;

			if (digits[i].size < 2 || whole != !pass)
				continue;
			lines[out].size = digits[i].size;
			lines[out].weight = parallel->group[g].weight;
			lines[out].whole = whole;
			out++;
		}
	}
	return out;
}

/* Sets of whole lines only: their slices are all the same. */
static void add_whole_lines(const struct table *inner, uint64_t size,
			    uint64_t *least)
{
	uint64_t a;

	for (a = 0; a <= inner->ranks; a++) {
		if (inner->least[a] != SGANG_CUT_NEVER)
			least[a * size] = size * inner->least[a];
	}
}

/* Sets of some whole lines and one that is cut, as far as that is cheap: a
 * start, so that the search for better ones ends early. Returns the largest. */
static uint64_t add_one_line(const struct table *inner, const struct line *line,
			     uint64_t *least)
{
	uint64_t a, rest, most = 0;

	for (a = 0; a < inner->ranks; a++) {
		for (rest = 1; rest < line->size; rest++) {
			uint64_t cost = line->weight +
					(line->size - rest) * inner->least[a] +
					rest * inner->least[a + 1];

			least[a * line->size + rest] = cost;
			most = cost > most ? cost : most;
		}
	}
	return most;
}

/* Put the point at 'x' on the lower hull of 'n' points; their number then. */
static uint32_t hull_add(const uint64_t *value, uint64_t *hull, uint32_t n,
			 uint64_t x)
{
	while (n > 1) {
		uint64_t a = hull[n - 2], b = hull[n - 1];
		int64_t to_b = (int64_t)(value[b] - value[a]);
		int64_t to_x = (int64_t)(value[x] - value[a]);

		if (to_b * (int64_t)(x - a) < to_x * (int64_t)(b - a))
			break;
		n--;
	}
	hull[n] = x;
	return n + 1;
}

/* 'size' times the line from a to b at x / size, rounded up. */
static uint64_t chord(const uint64_t *value, uint64_t a, uint64_t b,
		      uint64_t size, uint64_t x)
{
	int64_t rise = (int64_t)(value[b] - value[a]);
	int64_t over = (int64_t)(x - size * a) * rise, wide = (int64_t)(b - a);

	over = over >= 0 ? (over + wide - 1) / wide : -(-over / wide);
	return size * value[a] + (uint64_t)over;
}

/* Sets of 'a' whole lines and 'q' cut ones, for the slices' hull given. */
static void add_sets(struct table *inner, const struct line *line, uint64_t a,
		     uint64_t q, uint32_t n_hull, uint64_t *least)
{
	const uint64_t *hull = inner->hull;
	uint64_t first = a * line->size + q;
	uint64_t last = a * line->size + q * (line->size - 1), x;
	uint32_t i = 0;

	for (x = first; x <= last; x++) {
		uint64_t cost;

		while (i + 2 < n_hull && line->size * hull[i + 1] <= x)
			i++;
		cost = line->weight * q +
		       chord(inner->least, hull[i], hull[i + 1], line->size, x);
		if (cost < least[x])
			least[x] = cost;
	}
	inner->steps += last - first + 1;
}

/* Sets that cut any number of lines. False when that takes too long. */
static bool add_cut_lines(struct table *inner, const struct line *line,
			  uint64_t *least)
{
	uint64_t most = add_one_line(inner, line, least), a, q;

	for (a = 0; a < inner->ranks; a++) {
		uint32_t n = hull_add(inner->least, inner->hull, 0, a);

		for (q = 1; a + q <= inner->ranks && line->weight * q <= most;
		     q++) {
			n = hull_add(inner->least, inner->hull, n, a + q);
			add_sets(inner, line, a, q, n, least);
			if (inner->steps > inner->steps_max)
				return false;
		}
	}
	return true;
}

/* The complement of a set is a set too. */
static void mirror(uint64_t *least, uint64_t ranks)
{
	uint64_t x;

	for (x = 0; 2 * x <= ranks; x++) {
		uint64_t other = ranks - x;

		if (least[x] == SGANG_CUT_NEVER)
			continue;
		if (least[x] < least[other])
			least[x] = least[other];
		else
			least[other] = least[x];
	}
}

/* Put one more dimension in front. False when it takes too long. */
static bool add_line(struct table *table, const struct line *line,
		     struct sgang_pool *pool)
{
	uint64_t ranks = table->ranks * line->size, x;
	uint64_t *least = sgang_pool_alloc(pool, ranks + 1, sizeof(*least));
	bool done = true;

	for (x = 0; x <= ranks; x++)
		least[x] = SGANG_CUT_NEVER;
	add_whole_lines(table, line->size, least);
	if (!line->whole && !line->weight)
		memset(least, 0, (ranks + 1) * sizeof(*least));
	else if (!line->whole)
		done = add_cut_lines(table, line, least);
	mirror(least, ranks);
	table->least = least;
	table->ranks = ranks;
	return done;
}

/* The sum of all sizes and weights is small enough for the products above. */
static bool fits_in_table(const struct sgang_parallel *parallel)
{
	uint64_t ranks = sgang_parallel_ranks(parallel), sum = 0;
	uint32_t i;

	for (i = 0; i < parallel->n; i++)
		sum += parallel->group[i].weight;
	return ranks <= RANKS_MAX && ranks * sum <= COST_MAX;
}

/* Without a table: whatever a set cuts, it is one line at least. */
static void find_any(struct sgang_cut *cut, const struct line *lines,
		     uint32_t n)
{
	uint32_t i;

	cut->any = SGANG_CUT_NEVER;
	cut->block = 1;
	for (i = 0; i < n; i++) {
		if (lines[i].whole)
			cut->block *= lines[i].size;
		else if (lines[i].weight < cut->any)
			cut->any = lines[i].weight;
	}
}

void sgang_cut_find(struct sgang_cut *cut, struct sgang_pool *pool)
{
	struct line lines[SGANG_PARALLEL_MAX];
	uint32_t n = sort_lines(cut, lines), i;
	uint64_t nothing[2] = { 0, 0 };
	struct table table = { .least = nothing, .ranks = 1 };
	bool done = true;

	table.steps_max = sgang_budget_share(
		cut->budget, sgang_budget_limits(cut->budget)->cut_steps);
	cut->ranks = sgang_parallel_ranks(cut->parallel);
	cut->least = NULL;
	find_any(cut, lines, n);
	if (!n || !fits_in_table(cut->parallel))
		return;
	table.hull = sgang_pool_alloc(pool, cut->ranks + 1,
				      sizeof(*table.hull));
	for (i = n; i-- > 0 && done;)
		done = add_line(&table, &lines[i], pool);
	sgang_budget_take(cut->budget, table.steps);
	if (done)
		cut->least = table.least;
}

uint64_t sgang_cut_least(const struct sgang_cut *cut, uint64_t ranks)
{
	if (!ranks || ranks == cut->ranks)
		return 0;
	if (cut->least)
		return cut->least[ranks];
	return ranks % cut->block ? SGANG_CUT_NEVER : cut->any;
}
