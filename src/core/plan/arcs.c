/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arcs.c - a lower bound for rings of two arcs
 *
 * Cut the ring in two arcs of members. A domain that both arcs use is entered
 * once for each of them, but for the two places where the arcs join: if d is
 * entered e times and contains b of the two hops between arcs,
 * e >= (arcs that use d) - b. The cost of a ring is (ranks * hop[island])
 * plus, for every domain and node below the common one, its entries times the
 * step to the level above (plan_private.h). So
 *
 *	what is used of d	entries at least
 *	one arc			1
 *	both, b hops inside	max(1, 2 - b), b <= 2 for all children together
 *
 * and what has to be packed is relaxed to one number: units of a kind have a
 * weight, and all weights together must find room. That is solved exactly from
 * the leaves up, by tables of the most weight for each cost. Any weights give a
 * bound. What units cost about gives a good one, since the bound is that of
 * Lagrange (split.c) or better then.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* The use of a domain: arc A alone, B alone, or both with 0, 1 or 2 hops
 * between the arcs inside. */
enum use { A, B, BOTH, BOTH_1, BOTH_2, USES };

/* Costs are counted in units, so that tables are no longer than this. */
#define COSTS_MAX 600
/* The limit for the size of all tables. */
#define SIZE_MAX_SUM 300000
/* The rounding error of a sum added up in different orders. */
#define ROUNDING 1e-9
/* How the weight of the first kind is varied. */
static const double factors[] = { 1, 1.03, 0.97 };
#define TURNS (sizeof(factors) / sizeof(factors[0]))

/* The most weight for each cost from 0 on; the last one holds for all above. */
struct table {
	double *most;
	uint32_t n;
};

struct arcs {
	const struct sgang_job *job;
	struct sgang_pool *pool;
	uint64_t unit;       /* of cost */
	uint32_t n_costs;    /* more are not looked at */
	double *weight;      /* by kind, of a unit */
	uint32_t first;      /* the kind of arc A */
	double *room[3];     /* by position: most weight on a node of
			      * A, of B, of both */
	struct table *table; /* USES for each domain */
	double *scratch;
	double *fill;  /* by slots of a node */
	double need;   /* weight of all units */
	uint32_t best; /* cost of the best common domain */
};

/* -- tables -- */

static double at(const struct table *table, uint32_t cost)
{
	return table->most[cost < table->n ? cost : table->n - 1];
}

/* Costs from n_costs on are never asked for, however high the hops above a leaf
 * are. */
static void make_table(struct arcs *arcs, struct table *table, uint32_t n)
{
	if (n > arcs->n_costs)
		n = arcs->n_costs;
	table->n = n;
	table->most = sgang_pool_zalloc(arcs->pool, n, sizeof(double));
}

/* to[c] = the most of to[c] and of from[c] + more. This is where the time
 * goes. */
static void raise_to(double *restrict to, const double *restrict from,
		     double more, uint32_t n)
{
	uint32_t c;

	for (c = 0; c < n; c++) {
		double with = from[c] + more;

		to[c] = with > to[c] ? with : to[c];
	}
}

/* into[c] = the most of into[c] and of one[i] + two[c - i]. 'into' has room for
 * all costs; nothing is lost beyond. */
static void add_tables(const struct arcs *arcs, struct table *into,
		       const struct table *one, const struct table *two)
{
	uint32_t i, c, n = one->n + two->n - 1;

	if (n > arcs->n_costs)
		n = arcs->n_costs;
	for (c = into->n; c < n; c++)
		into->most[c] = into->n ? into->most[into->n - 1] : 0;
	into->n = n > into->n ? n : into->n;
	for (i = 0; i < two->n && i < into->n; i++) {
		const double more = two->most[i];
		double *to = into->most + i, rest;
		uint32_t end = into->n - i;

		if (i && more <= two->most[i - 1])
			continue;
		c = end < one->n ? end : one->n;
		raise_to(to, one->most, more, c);
		/* the last one holds for all above; tables rise, so that
		 * nothing is less behind the first that is not */
		rest = one->most[one->n - 1] + more;
		for (; c < end && to[c] < rest; c++)
			to[c] = rest;
	}
}

/* -- nodes and leaves -- */

static int descending(const void *one, const void *two)
{
	const double *a = one, *b = two;

	return *a > *b ? -1 : *a < *b;
}

/* Take the weights in scratch[0..n-1], each at the cost of a node, the heaviest
 * first, after a first cost of 'enter'. */
static void pack_leaf(struct arcs *arcs, struct table *table, uint32_t n,
		      uint32_t enter, uint32_t node)
{
	uint32_t used = 0, i, c;
	double sum = 0;

	qsort(arcs->scratch, n, sizeof(double), descending);
	while (used < n && arcs->scratch[used] > 0)
		used++;
	make_table(arcs, table, used ? enter + used * node + 1 : 1);
	for (i = 0; i < used; i++) {
		sum += arcs->scratch[i];
		for (c = enter + (i + 1) * node; c < table->n; c++)
			table->most[c] = sum;
	}
}

static uint32_t enter_cost(uint32_t step, int use)
{
	return use == BOTH ? 2 * step : step;
}

static uint32_t node_cost(const struct arcs *arcs,
			  const struct sgang_domain *leaf)
{
	const uint32_t *hop = arcs->job->request->costs->hop;

	return (uint32_t)((hop[leaf->level] - hop[SGANG_LEVEL_ISLAND]) /
			  arcs->unit);
}

/* The gain from a visit of the other arc on a node that is used best by one. */
static double second_gain(const struct arcs *arcs, uint32_t pos)
{
	double a = arcs->room[A][pos], b = arcs->room[B][pos];
	double first = a > b ? a : b, second = a > b ? b : a;
	double rest = arcs->room[BOTH][pos] - first;

	return rest < second ? rest : second;
}

/* The tables of a leaf from its nodes; 'step' 0: of what is inside. */
static void fill_leaf(struct arcs *arcs, uint32_t d, uint32_t step)
{
	const struct sgang_domain *leaf =
		sgang_fabric_domain(arcs->job->request->fabric, d);
	uint32_t node = node_cost(arcs, leaf);
	struct table *table = &arcs->table[(size_t)d * USES];
	uint32_t i, n;
	int use;

	for (use = A; use <= B; use++) {
		memcpy(arcs->scratch, arcs->room[use] + leaf->first_pos,
		       leaf->n_nodes * sizeof(double));
		pack_leaf(arcs, &table[use], leaf->n_nodes, step, node);
	}
	for (; use < USES; use++) {
		for (i = 0, n = 0; i < leaf->n_nodes; i++) {
			uint32_t pos = leaf->first_pos + i;
			double a = arcs->room[A][pos], b = arcs->room[B][pos];

			arcs->scratch[n++] = a > b ? a : b;
			arcs->scratch[n++] = second_gain(arcs, pos);
		}
		pack_leaf(arcs, &table[use], n, enter_cost(step, use), node);
	}
}

/* -- inner domains -- */

/* The better of a child's tables that may be used where both arcs may be. */
static void any_of(struct arcs *arcs, const struct table *child,
		   struct table *any)
{
	uint32_t n = 0, c;
	int use;

	for (use = A; use <= BOTH; use++)
		n = child[use].n > n ? child[use].n : n;
	make_table(arcs, any, n);
	for (c = 0; c < n; c++) {
		for (use = A; use <= BOTH; use++) {
			if (at(&child[use], c) > any->most[c])
				any->most[c] = at(&child[use], c);
		}
	}
}

/* How the sums of a domain grow by one child: a sum, with which it is added to
 * the child's table; ANY: the better of those that take part in no hop between
 * the arcs. Rows of one sum follow each other, and come before those of sums
 * that they need. */
#define ANY -1
static const struct {
	int sum, with, child;
} rows[] = {
	{ BOTH_2, BOTH_2, ANY },
	{ BOTH_2, BOTH_1, BOTH_1 },
	{ BOTH_2, BOTH, BOTH_2 },
	{ BOTH_1, BOTH_1, ANY },
	{ BOTH_1, BOTH, BOTH_1 },
	{ BOTH, BOTH, ANY },
	{ A, A, A },
	{ B, B, B },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))
/* The last two are only for what is above. */
#define ROWS_AT_TOP (ROWS - 2)

static const struct table *child_table(const struct table *child,
				       const struct table *any, size_t row)
{
	return rows[row].child == ANY ? any : &child[rows[row].child];
}

/* next = sum with a child, as far as the first rows say. */
static void add_child(struct arcs *arcs, const struct table sum[USES],
		      const struct table *child, size_t n_rows,
		      struct table next[USES])
{
	struct table any;
	size_t i;
	int use;

	any_of(arcs, child, &any);
	for (use = 0; use < USES; use++)
		next[use].n = 0;
	for (i = 0; i < n_rows; i++)
		add_tables(arcs, &next[rows[i].sum], &sum[rows[i].with],
			   child_table(child, &any, i));
}

/* Sums with room for all costs, of nothing. */
static void make_sums(struct arcs *arcs, struct table sum[USES])
{
	int use;

	for (use = 0; use < USES; use++) {
		make_table(arcs, &sum[use], arcs->n_costs);
		sum[use].n = 1;
	}
}

/* Write a sum as the table of a domain that costs 'enter' itself. */
static void take_sum(struct arcs *arcs, const struct table *sum, uint32_t enter,
		     struct table *table)
{
	uint32_t n = sum->n;

	/* the end is all the same */
	while (n > 1 && sum->most[n - 1] <= sum->most[n - 2])
		n--;
	if (n + enter > arcs->n_costs)
		n = arcs->n_costs > enter ? arcs->n_costs - enter : 0;
	make_table(arcs, table, n ? n + enter : 1);
	memcpy(table->most + enter, sum->most, n * sizeof(double));
}

/* -- all of it -- */

static const struct sgang_domain *domain_at(const struct arcs *arcs, uint32_t d)
{
	return sgang_fabric_domain(arcs->job->request->fabric, d);
}

static bool highest(const struct arcs *arcs, uint32_t d)
{
	return sgang_plan_highest(arcs->job->request, d);
}

/* The cost of entering a domain once. */
static uint32_t step_cost(const struct arcs *arcs, uint32_t d)
{
	if (highest(arcs, d))
		return 0;
	return (uint32_t)(sgang_plan_step(arcs->job->request, d) / arcs->unit);
}

/* The inside of a domain as the common one: the least cost at which it has
 * room for all. */
static void offer(struct arcs *arcs, const struct table *inside)
{
	uint32_t c;

	for (c = 0; c < inside->n && c < arcs->best; c++) {
		if (inside->most[c] >= arcs->need)
			arcs->best = c;
	}
}

static void sum_up(struct arcs *arcs, uint32_t d)
{
	const struct sgang_domain *domain = domain_at(arcs, d);
	struct table *table = &arcs->table[(size_t)d * USES];
	struct table sums[2][USES], *sum = sums[0], *next = sums[1], *swap;
	uint32_t step = step_cost(arcs, d), i;
	size_t n_rows = highest(arcs, d) ? ROWS_AT_TOP : ROWS;
	int use;

	if (!domain->n_children) {
		fill_leaf(arcs, d, 0);
		offer(arcs, &table[BOTH_2]);
		fill_leaf(arcs, d, step);
		return;
	}
	make_sums(arcs, sum);
	make_sums(arcs, next);
	for (i = 0; i < domain->n_children; i++) {
		add_child(
			arcs, sum,
			&arcs->table[(size_t)(domain->first_child + i) * USES],
			n_rows, next);
		swap = sum;
		sum = next;
		next = swap;
	}
	offer(arcs, &sum[BOTH_2]);
	for (use = 0; use < USES && !highest(arcs, d); use++)
		take_sum(arcs, &sum[use], enter_cost(step, use), &table[use]);
}

/* The most weight that so many free slots of a node can hold. */
static double weigh(const struct arcs *arcs, uint32_t node, int which)
{
	const struct sgang_job *job = arcs->job;
	const uint32_t *left = sgang_job_free(job, node);
	uint32_t free = *left, k, c;
	double *most = arcs->fill;

	memset(most, 0, (free + 1) * sizeof(*most));
	for (k = 0; k < job->n_kinds; k++) {
		const struct sgang_kind *kind = &job->kind[k];
		uint32_t need = sgang_kind_need(job, kind, node, 0);

		if (which < 2 && (k != arcs->first) != (which == B))
			continue;
		if (!sgang_kind_fits(job, kind, node, left))
			continue;
		for (c = need; c <= free; c++) {
			double with = most[c - need] + arcs->weight[k];

			if (with > most[c])
				most[c] = with;
		}
	}
	for (c = 1; c <= free; c++) {
		if (most[c - 1] > most[c])
			most[c] = most[c - 1];
	}
	return most[free];
}

/* Fill the tables with the weights at hand. */
static void fill_tables(struct arcs *arcs)
{
	const struct sgang_plan_request *request = arcs->job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_nodes(request->fabric), pos, k;
	uint32_t d = sgang_fabric_domains(request->fabric);
	int which;

	arcs->need = 0;
	for (k = 0; k < arcs->job->n_kinds; k++)
		arcs->need += arcs->weight[k] *
			      (double)arcs->job->kind[k].units;
	arcs->need -= arcs->need * ROUNDING;
	for (which = 0; which < 3; which++) {
		for (pos = 0; pos < n; pos++)
			arcs->room[which][pos] = weigh(arcs, order[pos], which);
	}
	arcs->best = arcs->n_costs;
	while (d-- > 0) {
		if (sgang_tree_allowed(request, d))
			sum_up(arcs, d);
	}
}

/* -- the search for weights -- */

static void set_up(struct arcs *arcs, uint64_t most, uint64_t unit)
{
	const struct sgang_fabric *fabric = arcs->job->request->fabric;
	uint32_t n = sgang_fabric_nodes(fabric), pos, free = 0;
	int which;

	for (pos = 0; pos < n; pos++) {
		if (*sgang_job_free(arcs->job, pos) > free)
			free = *sgang_job_free(arcs->job, pos);
	}
	arcs->unit = unit;
	arcs->n_costs = (uint32_t)(most / unit) + 2;
	arcs->table = sgang_pool_zalloc(
		arcs->pool, (size_t)sgang_fabric_domains(fabric) * USES,
		sizeof(*arcs->table));
	arcs->scratch = sgang_pool_alloc(arcs->pool, 2 * (size_t)n,
					 sizeof(double));
	arcs->fill = sgang_pool_alloc(arcs->pool, (size_t)free + 1,
				      sizeof(double));
	for (which = 0; which < 3; which++)
		arcs->room[which] = sgang_pool_alloc(arcs->pool, n,
						     sizeof(double));
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A unit of cost that all steps are multiples of, if tables are not too long
 * then. */
static uint64_t choose_unit(const struct sgang_plan_request *request,
			    uint64_t most)
{
	const uint32_t *hop = request->costs->hop;
	uint32_t d = sgang_fabric_domains(request->fabric);
	uint64_t unit = 0;

	while (d-- > 0)
		unit = gcd(hop[sgang_fabric_domain(request->fabric, d)->level] -
				   hop[SGANG_LEVEL_ISLAND],
			   unit);
	if (!unit || most / unit > COSTS_MAX)
		unit = most / COSTS_MAX + 1;
	return unit;
}

void sgang_arcs_bound(const struct sgang_job *job, uint32_t first,
		      const double *weight, uint64_t most, uint64_t *bound)
{
	const struct sgang_plan_request *request = job->request;
	const uint32_t *hop = request->costs->hop;
	/* where arcs go over into each other inside of a node, it is visited
	 * once for both */
	uint64_t joins = 2 * (hop[sgang_plan_lowest(request)] -
			      hop[SGANG_LEVEL_ISLAND]),
		 cost, size;
	struct arcs arcs = { .job = job, .pool = job->pool, .first = first };
	uint32_t turn, k;

	arcs.weight = sgang_pool_alloc(job->pool, job->n_kinds,
				       sizeof(*arcs.weight));
	set_up(&arcs, most + joins, choose_unit(request, most + joins));
	size = (uint64_t)sgang_fabric_domains(request->fabric) * arcs.n_costs;
	for (turn = 0; turn < TURNS; turn++) {
		if ((turn + 1) * size > SIZE_MAX_SUM || *bound >= most ||
		    !sgang_budget_take(request->budget, size))
			break;
		for (k = 0; k < job->n_kinds; k++)
			arcs.weight[k] = weight[k] *
					 (k == first ? factors[turn] : 1);
		fill_tables(&arcs);
		cost = arcs.best * arcs.unit;
		cost = cost > joins ? cost - joins : 0;
		cost = cost < most ? cost : most;
		*bound = cost > *bound ? cost : *bound;
	}
}
