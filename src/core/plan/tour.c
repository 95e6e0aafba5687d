/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tour.c - the order of members in a ring, and where each begins and ends
 *
 * The nodes of each member are given. A closed tour over them in the order of
 * the fabric is the cheapest; laid from one of them to another it costs less by
 * the hop between these two. So a ring costs the tours of its members and, from
 * member to member, the hop to the next one's beginning, less the hop between
 * its own ends. Ends are moved, parts of the ring turned round, and members put
 * elsewhere in it, as long as that helps.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* Of more nodes than this of a member only some may be its ends: the first and
 * the last of each leaf. */
#define ENDS_ALL 16

static int64_t hop(const struct sgang_tour *tour, uint32_t a, uint32_t b)
{
	return sgang_plan_hop(tour->fabric, tour->costs, a, b);
}

static uint32_t before(const struct sgang_tour *tour, uint32_t i)
{
	return i ? i - 1 : tour->n - 1;
}

static uint32_t after(const struct sgang_tour *tour, uint32_t i)
{
	return i + 1 < tour->n ? i + 1 : 0;
}

static uint32_t from_of(const struct sgang_tour *tour, uint32_t i)
{
	return tour->from[tour->order[i]];
}

static uint32_t to_of(const struct sgang_tour *tour, uint32_t i)
{
	return tour->to[tour->order[i]];
}

/* The hop from one member of the order to another. */
static int64_t join(const struct sgang_tour *tour, uint32_t a, uint32_t b)
{
	return hop(tour, to_of(tour, a), from_of(tour, b));
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t c = *a;

	*a = *b;
	*b = c;
}

/* -- where a member begins and ends -- */

static bool may_be_end(const struct sgang_tour *tour, uint32_t m, uint32_t i)
{
	uint32_t n = tour->first[m + 1] - tour->first[m];
	const uint32_t *node = tour->node + tour->first[m];
	const struct sgang_fabric *fabric = tour->fabric;
	uint32_t leaf = sgang_fabric_leaf(fabric, node[i]);

	return n <= ENDS_ALL || !i || i + 1 == n ||
	       sgang_fabric_leaf(fabric, node[i - 1]) != leaf ||
	       sgang_fabric_leaf(fabric, node[i + 1]) != leaf;
}

/* What the hops from 'last' to a member, with these ends, and from it to 'next'
 * cost, less the one between the ends. */
static int64_t cost_between(const struct sgang_tour *tour, uint32_t last,
			    uint32_t from, uint32_t to, uint32_t next)
{
	return hop(tour, last, from) + hop(tour, to, next) -
	       hop(tour, from, to);
}

/* The ends of a member between two nodes with which that costs the least; in
 * '*from' and '*to' are some that cost 'least'. Returns what it costs. */
static int64_t find_ends(struct sgang_tour *tour, uint32_t m, uint32_t last,
			 uint32_t next, int64_t least, uint32_t *from,
			 uint32_t *to)
{
	uint32_t n = tour->first[m + 1] - tour->first[m], a, b;
	const uint32_t *node = tour->node + tour->first[m];

	for (a = 0; a < n && n > 1; a++) {
		if (!may_be_end(tour, m, a))
			continue;
		for (b = 0; b < n && sgang_budget_take(tour->budget, 1); b++) {
			int64_t cost;

			if (a == b || !may_be_end(tour, m, b))
				continue;
			cost = cost_between(tour, last, node[a], node[b], next);
			if (cost >= least)
				continue;
			least = cost;
			*from = node[a];
			*to = node[b];
		}
	}
	return least;
}

/* Move the ends of a member to where that costs the least. */
static int64_t move_ends(struct sgang_tour *tour, uint32_t i)
{
	uint32_t m = tour->order[i];
	uint32_t last = to_of(tour, before(tour, i));
	uint32_t next = from_of(tour, after(tour, i));
	int64_t now = cost_between(tour, last, tour->from[m], tour->to[m],
				   next);

	return now - find_ends(tour, m, last, next, now, &tour->from[m],
			       &tour->to[m]);
}

/* -- the order -- */

/* Turn members i to k of the order round. */
static void turn(struct sgang_tour *tour, uint32_t i, uint32_t k)
{
	uint32_t j;

	for (j = i; j <= k; j++)
		swap(&tour->from[tour->order[j]], &tour->to[tour->order[j]]);
	for (; i < k; i++, k--)
		swap(&tour->order[i], &tour->order[k]);
}

static int64_t turn_parts(struct sgang_tour *tour)
{
	int64_t gain = 0, less;
	uint32_t i, k, a, b;

	for (i = 0; i < tour->n; i++) {
		for (k = i; k < tour->n && sgang_budget_take(tour->budget, 1);
		     k++) {
			if (!i && k + 1 == tour->n)
				continue;
			a = before(tour, i);
			b = after(tour, k);
			less = join(tour, a, i) + join(tour, k, b) -
			       hop(tour, to_of(tour, a), to_of(tour, k)) -
			       hop(tour, from_of(tour, i), from_of(tour, b));
			if (less <= 0)
				continue;
			turn(tour, i, k);
			gain += less;
		}
	}
	return gain;
}

/* Put the member at i between the one at k and the next. */
static void put_behind(struct sgang_tour *tour, uint32_t i, uint32_t k)
{
	uint32_t m = tour->order[i], size = sizeof(m);

	if (i < k) {
		memmove(tour->order + i, tour->order + i + 1, (k - i) * size);
		tour->order[k] = m;
	} else {
		memmove(tour->order + k + 2, tour->order + k + 1,
			(i - k - 1) * size);
		tour->order[k + 1] = m;
	}
}

/* Put the member at i elsewhere, with its ends where they are best, if that is
 * cheaper. */
static int64_t try_move(struct sgang_tour *tour, uint32_t i)
{
	uint32_t m = tour->order[i], a = before(tour, i), b = after(tour, i), k;
	uint32_t from = tour->from[m], to = tour->to[m];
	int64_t saved = cost_between(tour, to_of(tour, a), from, to,
				     from_of(tour, b)) -
			join(tour, a, b);

	for (k = 0; k < tour->n && sgang_budget_take(tour->budget, 1); k++) {
		uint32_t last, next;
		int64_t cost, open;

		if (k == i || k == a)
			continue;
		last = to_of(tour, k);
		next = from_of(tour, after(tour, k));
		open = hop(tour, last, next);
		cost = find_ends(tour, m, last, next, saved + open, &from, &to);
		if (cost_between(tour, last, to, from, next) < cost) {
			cost = cost_between(tour, last, to, from, next);
			swap(&from, &to);
		}
		cost -= open;
		if (cost >= saved)
			continue;
		tour->from[m] = from;
		tour->to[m] = to;
		put_behind(tour, i, k);
		return saved - cost;
	}
	return 0;
}

/* -- all -- */

/* In the order of the first nodes, each from its first node to its last. Returns
 * what that costs. */
static int64_t begin(struct sgang_tour *tour)
{
	int64_t cost = 0;
	uint32_t m, i, k;

	for (m = 0; m < tour->n; m++) {
		uint32_t n = tour->first[m + 1] - tour->first[m];
		const uint32_t *node = tour->node + tour->first[m];

		tour->from[m] = node[0];
		tour->to[m] = node[n - 1];
		for (k = 1; k < n; k++)
			cost += hop(tour, node[k - 1], node[k]);
	}
	for (i = 0; i < tour->n; i++)
		cost += join(tour, i, after(tour, i));
	return cost;
}

int64_t sgang_tour_find(struct sgang_tour *tour, int64_t floor)
{
	int64_t cost = begin(tour), gain = 1;
	uint32_t i;

	while (gain && cost > floor && sgang_budget_left(tour->budget)) {
		gain = 0;
		for (i = 0; i < tour->n; i++)
			gain += move_ends(tour, i);
		gain += turn_parts(tour);
		for (i = 0; i < tour->n && tour->n > 2; i++)
			gain += try_move(tour, i);
		cost -= gain;
	}
	return cost;
}
