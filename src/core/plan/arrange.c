/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arrange.c - members of a placement in a cheaper order, where they are
 *
 * No ring over the same nodes costs less than the one that visits them in
 * depth-first order and asks nothing of members. If a placement costs more, its
 * members are sorted by where they are first in that order. Then parts of the
 * ring are turned round, and members moved to elsewhere in it, as long as that
 * helps. A member's runs stay together.
 *
 * The nodes of one member between fixed others are sorted, which no order beats:
 * levels are those of a tree, so a way through nodes must leave and enter each
 * domain that has some of them, and sorted it does so once.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

struct arrange {
	const struct sgang_fabric *fabric;
	const struct sgang_costs *costs;
	struct sgang_budget *budget;
	struct sgang_run *run;   /* in the order at hand, */
	struct sgang_run *moved; /* and room for a member's */
	size_t n;
};

/* A run, and where its member is first met. */
struct stop {
	struct sgang_run run;
	uint32_t first;
	uint32_t pos;
};

static int by_pos(const void *one, const void *two)
{
	const struct stop *a = one, *b = two;

	return (a->pos > b->pos) - (a->pos < b->pos);
}

static int by_first(const void *one, const void *two)
{
	const struct stop *a = one, *b = two;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->run.member != b->run.member)
		return a->run.member < b->run.member ? -1 : 1;
	return by_pos(one, two);
}

/* The runs of a member are together. */
static void list_stops(const struct arrange *a,
		       const struct sgang_placement *placement,
		       struct stop *stop)
{
	const uint32_t *pos = sgang_fabric_pos(a->fabric);
	size_t i, k, end;

	for (i = 0; i < a->n; i = end) {
		uint32_t member = placement->runs[i].member;
		uint32_t first = UINT32_MAX;

		for (end = i;
		     end < a->n && placement->runs[end].member == member;
		     end++) {
			stop[end].run = placement->runs[end];
			stop[end].pos = pos[placement->runs[end].node];
			first = stop[end].pos < first ? stop[end].pos : first;
		}
		for (k = i; k < end; k++)
			stop[k].first = first;
	}
}

static int64_t hop(const struct arrange *a, size_t i, size_t k)
{
	uint32_t level = sgang_fabric_meet(a->fabric, a->run[i].node,
					   a->run[k].node);

	return a->costs->hop[level];
}

static size_t after(const struct arrange *a, size_t i)
{
	return i + 1 < a->n ? i + 1 : 0;
}

static bool begins(const struct arrange *a, size_t i)
{
	return !i || a->run[i - 1].member != a->run[i].member;
}

static void turn(struct arrange *a, size_t i, size_t k)
{
	for (; i < k; i++, k--) {
		struct sgang_run run = a->run[i];

		a->run[i] = a->run[k];
		a->run[k] = run;
	}
}

/* Turn runs i to k round if that is cheaper; 'before' is the one before them. */
static int64_t turn_if_cheaper(struct arrange *a, size_t before, size_t i,
			       size_t k)
{
	size_t next = after(a, k);
	int64_t gain = hop(a, before, i) + hop(a, k, next) - hop(a, before, k) -
		       hop(a, i, next);

	if (gain <= 0)
		return 0;
	turn(a, i, k);
	return gain;
}

void sgang_arrange_begin(struct sgang_run *runs, size_t n_runs, uint32_t member,
			 struct sgang_run *scratch)
{
	size_t first = 0;

	while (runs[first].member != member)
		first++;
	memcpy(scratch, runs, first * sizeof(*runs));
	memmove(runs, runs + first, (n_runs - first) * sizeof(*runs));
	memcpy(runs + n_runs - first, scratch, first * sizeof(*runs));
}

/* The level at which the run meets another node; its own node is one level. */
static uint32_t meet(const struct sgang_fabric *fabric, uint32_t node,
		     const struct sgang_run *run)
{
	uint32_t level = sgang_fabric_meet(fabric, node, run->node);

	return level > SGANG_LEVEL_NODE ? level : SGANG_LEVEL_NODE;
}

/* The place of a run on a way whose ends meet at level 'top', by the levels at
 * which it meets these: first those below 'top' with the beginning, nearest
 * first; last those below it with the end, nearest last; the others between
 * them. Where several are alike, depth-first order is the cheapest. */
static uint32_t place_of(uint32_t near_from, uint32_t near_to, uint32_t top)
{
	if (near_from >= top && near_to < top)
		return 2 * SGANG_LEVELS - near_to;
	return near_from;
}

/* Order the runs of one member for the way from one of its nodes to another. */
static void lay_member(const struct sgang_fabric *fabric, uint32_t from,
		       uint32_t to, struct stop *stop, size_t n)
{
	uint32_t top = sgang_fabric_meet(fabric, from, to);
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t node = stop[i].run.node;

		stop[i].first = place_of(sgang_fabric_meet(fabric, from, node),
					 sgang_fabric_meet(fabric, to, node),
					 top);
	}
	qsort(stop, n, sizeof(*stop), by_first);
}

/* The members of the stops, in their order. */
static void open_tour(const struct arrange *a, const struct stop *stop,
		      struct sgang_pool *pool, struct sgang_tour *tour)
{
	size_t i;

	*tour = (struct sgang_tour){
		.fabric = a->fabric,
		.costs = a->costs,
		.budget = a->budget,
		.first = sgang_pool_alloc(pool, a->n + 1, sizeof(uint32_t)),
		.node = sgang_pool_alloc(pool, a->n, sizeof(uint32_t)),
		.order = sgang_pool_alloc(pool, a->n, sizeof(uint32_t)),
		.from = sgang_pool_alloc(pool, a->n, sizeof(uint32_t)),
		.to = sgang_pool_alloc(pool, a->n, sizeof(uint32_t)),
	};
	for (i = 0; i < a->n; i++) {
		if (!i || stop[i].run.member != stop[i - 1].run.member) {
			tour->order[tour->n] = tour->n;
			tour->first[tour->n++] = (uint32_t)i;
		}
		tour->node[i] = stop[i].run.node;
	}
	tour->first[tour->n] = (uint32_t)a->n;
}

/* Take over the order that was found. */
static void take_tour(const struct arrange *a, const struct sgang_tour *tour,
		      struct stop *stop)
{
	size_t n = 0, k;
	uint32_t i;

	for (i = 0; i < tour->n; i++) {
		uint32_t m = tour->order[i], first = tour->first[m];
		size_t runs = tour->first[m + 1] - first;

		lay_member(a->fabric, tour->from[m], tour->to[m], stop + first,
			   runs);
		for (k = 0; k < runs; k++)
			a->run[n++] = stop[first + k].run;
	}
}

/* What the hops of this order of stops cost more than as many in an island. */
static int64_t cost_of(const struct arrange *a, const struct stop *stop)
{
	int64_t cost = 0;
	size_t i;

	for (i = 0; i < a->n; i++)
		cost += sgang_plan_hop(a->fabric, a->costs, stop[i].run.node,
				       stop[after(a, i)].run.node);
	return cost;
}

static void arrange(struct arrange *a, struct sgang_pool *pool,
		    struct sgang_placement *placement, struct stop *stop)
{
	int64_t now, floor;
	struct sgang_tour tour;

	list_stops(a, placement, stop);
	now = cost_of(a, stop);
	qsort(stop, a->n, sizeof(*stop), by_pos);
	floor = cost_of(a, stop);
	if (now <= floor)
		return;
	qsort(stop, a->n, sizeof(*stop), by_first);
	open_tour(a, stop, pool, &tour);
	if (sgang_tour_find(&tour, floor) >= now)
		return;
	take_tour(a, &tour, stop);
	sgang_arrange_begin(a->run, a->n, placement->runs[0].member, a->moved);
	memcpy(placement->runs, a->run, a->n * sizeof(*a->run));
	sgang_ring_measure(a->fabric, a->costs, a->run, a->n, &placement->ring);
}

/* ---- the nodes of each member ---- */

/* May the part of a member that is turned begin with run i? */
static bool begins_part(const struct arrange *a, size_t i)
{
	return begins(a, i) ||
	       sgang_fabric_meet(a->fabric, a->run[i - 1].node,
				 a->run[i].node) > SGANG_LEVEL_NODE;
}

/* Turn runs i to k, of one member, round if that is cheaper. */
static int64_t try_turn_nodes(struct arrange *a, size_t i, size_t k)
{
	size_t before = i ? i - 1 : a->n - 1;

	if (before == k || (k + 1 < a->n && !begins_part(a, k + 1)))
		return 0;
	return turn_if_cheaper(a, before, i, k);
}

static int64_t turn_nodes(struct arrange *a)
{
	int64_t gain = 0;
	size_t i, k;

	for (i = 0; i < a->n; i++) {
		if (!begins_part(a, i))
			continue;
		for (k = i; k < a->n && a->run[k].member == a->run[i].member &&
			    sgang_budget_take(a->budget, 1);
		     k++)
			gain += try_turn_nodes(a, i, k);
	}
	return gain;
}

void sgang_plan_arrange_nodes(const struct sgang_plan_request *request,
			      struct sgang_placement *placement)
{
	struct sgang_budget own;
	struct arrange a = {
		.fabric = request->fabric,
		.costs = request->costs,
		.budget = request->budget ? request->budget : &own,
		.run = placement->runs,
		.n = placement->n_runs,
	};
	uint64_t aside;

	sgang_budget_init(&own, SGANG_PLAN_STEPS);
	aside = sgang_budget_narrow(a.budget, SGANG_STEPS_ARRANGE);
	while (turn_nodes(&a))
		;
	sgang_budget_widen(a.budget, aside);
	sgang_ring_measure(a.fabric, a.costs, a.run, a.n, &placement->ring);
}

/* ---- the nodes of one member ---- */

int sgang_plan_arrange_member(const struct sgang_fabric *fabric,
			      struct sgang_run *runs, size_t n_runs,
			      uint32_t member)
{
	const uint32_t *pos = sgang_fabric_pos(fabric);
	size_t first = 0, n = 0, i;
	uint32_t from, to, top;
	struct stop *stop;

	while (first < n_runs && runs[first].member != member)
		first++;
	while (first + n < n_runs && runs[first + n].member == member)
		n++;
	if (n < 2 || n == n_runs)
		return 0;
	stop = malloc(n * sizeof(*stop));
	if (!stop)
		return -1;
	from = runs[first ? first - 1 : n_runs - 1].node;
	to = runs[first + n < n_runs ? first + n : 0].node;
	top = sgang_fabric_meet(fabric, from, to);
	for (i = 0; i < n; i++) {
		stop[i].run = runs[first + i];
		stop[i].pos = pos[stop[i].run.node];
		stop[i].first = place_of(meet(fabric, from, &stop[i].run),
					 meet(fabric, to, &stop[i].run), top);
	}
	qsort(stop, n, sizeof(*stop), by_first);
	for (i = 0; i < n; i++)
		runs[first + i] = stop[i].run;
	free(stop);
	return 0;
}

/* ---- */

void sgang_arrange(const struct sgang_plan_request *request,
		   struct sgang_pool *pool, struct sgang_placement *placement)
{
	size_t n = placement->n_runs;
	struct sgang_budget own;
	struct sgang_budget *budget = request->budget ? request->budget : &own;
	struct stop *stop = sgang_pool_zalloc(pool, n, sizeof(*stop));
	struct arrange a = {
		.fabric = request->fabric,
		.costs = request->costs,
		.budget = budget,
		.run = sgang_pool_zalloc(pool, n, sizeof(*a.run)),
		.moved = sgang_pool_zalloc(pool, n, sizeof(*a.moved)),
		.n = n,
	};
	uint64_t aside;

	sgang_budget_init(&own, SGANG_PLAN_STEPS);
	aside = sgang_budget_narrow(budget, SGANG_STEPS_ARRANGE);
	arrange(&a, pool, placement, stop);
	sgang_budget_widen(budget, aside);
}

/* What sgang_plan_arrange() was asked. */
struct question {
	const struct sgang_plan_request *request;
	struct sgang_placement *placement;
};

static int run(struct sgang_pool *pool, void *arg)
{
	struct question *q = arg;

	sgang_arrange(q->request, pool, q->placement);
	return 0;
}

int sgang_plan_arrange(const struct sgang_plan_request *request,
		       struct sgang_placement *placement)
{
	struct question q = { request, placement };

	return sgang_pool_run(run, &q);
}
