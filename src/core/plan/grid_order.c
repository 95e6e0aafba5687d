/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid_order.c - communication groups: which rank goes to which place
 *
 * A placement is given. In the order of the tree, which may be another one than
 * that of the ring, ranks are laid out by digits (parallel.h): the groups that
 * must stay within a level first, then the heaviest. As long as the bound is
 * not reached, digits are split into primes and moved, so that blocks of
 * several groups are tried too. Then single ranks are exchanged, and units are
 * moved to other nodes with their ranks. Where that ends, some are exchanged
 * and moved at random, and it begins again. All of this ends after a fixed
 * number of steps.
 */

#include <string.h>

#include "plan_private.h"

/* How good an order is: hops above the level that their group requires, then
 * the weighted cost. */
struct score {
	int64_t wrong;
	int64_t cost;
};

struct solver {
	struct sgang_order *order;
	uint32_t stride[SGANG_PARALLEL_MAX];
	uint32_t *place;  /* by rank: its position */
	uint32_t *sorted; /* positions in the order of the tree */
	uint32_t *digits; /* ranks as digits lay them out */
	uint32_t *trial;  /* a layout that is tried */
	struct score best;
	uint64_t hops; /* that may still be looked at */
	uint64_t random;
};

static const struct sgang_plan_request *request_of(const struct solver *solver)
{
	return solver->order->job->request;
}

static bool better(const struct score *a, const struct score *b)
{
	if (a->wrong != b->wrong)
		return a->wrong < b->wrong;
	return a->cost < b->cost;
}

static bool good_enough(const struct solver *solver)
{
	return !solver->best.wrong &&
	       solver->best.cost <= (int64_t)solver->order->enough;
}

/* -- scores -- */

/* The next rank of the ring of group g, or the one before. */
static uint32_t neighbour(const struct solver *solver, uint32_t rank,
			  uint32_t g, bool next)
{
	uint32_t size = request_of(solver)->parallel->group[g].size;
	uint32_t stride = solver->stride[g], at = rank / stride % size;

	if (next)
		return at + 1 < size ? rank + stride : rank - at * stride;
	return at ? rank - stride : rank + (size - 1) * stride;
}

static void add_hop(struct solver *solver, uint32_t g, uint32_t a, uint32_t b,
		    struct score *score)
{
	const struct sgang_plan_request *request = request_of(solver);
	const uint32_t *node = solver->order->node;
	uint32_t level = sgang_fabric_meet(request->fabric,
					   node[solver->place[a]],
					   node[solver->place[b]]);

	score->wrong += level > request->require[g];
	score->cost += (int64_t)request->parallel->group[g].weight *
		       request->costs->hop[level];
	solver->hops -= solver->hops > 0;
}

static bool has_rings(const struct solver *solver, uint32_t g)
{
	return request_of(solver)->parallel->group[g].size > 1;
}

/* All hops from and to one rank. */
static struct score score_rank(struct solver *solver, uint32_t rank)
{
	uint32_t g, n = request_of(solver)->parallel->n;
	struct score score = { 0, 0 };

	for (g = 0; g < n; g++) {
		if (!has_rings(solver, g))
			continue;
		add_hop(solver, g, rank, neighbour(solver, rank, g, true),
			&score);
		add_hop(solver, g, rank, neighbour(solver, rank, g, false),
			&score);
	}
	return score;
}

/* The whole layout. Leaves 'place' filled by it. */
static struct score score_layout(struct solver *solver, const uint32_t *layout)
{
	uint32_t g, n = request_of(solver)->parallel->n, i;
	struct score score = { 0, 0 };

	for (i = 0; i < solver->order->ranks; i++)
		solver->place[layout[i]] = i;
	for (g = 0; g < n; g++) {
		if (!has_rings(solver, g))
			continue;
		for (i = 0; i < solver->order->ranks; i++)
			add_hop(solver, g, i, neighbour(solver, i, g, true),
				&score);
	}
	return score;
}

/* -- digits -- */

/* Groups that must stay lower come first. The sort is stable, so the heaviest
 * of these is the first. */
static void sort_required(const struct sgang_plan_request *request,
			  struct sgang_parallel_digit *digits, uint32_t n)
{
	uint32_t i, at;

	for (i = 1; i < n; i++) {
		struct sgang_parallel_digit digit = digits[i];

		for (at = i; at && request->require[digits[at - 1].group] >
					   request->require[digit.group];
		     at--)
			digits[at] = digits[at - 1];
		digits[at] = digit;
	}
}

/* Take digits apart into primes; those of size 1 say nothing. */
static uint32_t split_digits(const struct sgang_parallel_digit *digits,
			     uint32_t n, struct sgang_parallel_digit *primes)
{
	uint32_t i, out = 0, prime, left;

	for (i = 0; i < n; i++) {
		left = digits[i].size;
		for (prime = 2; left > 1; prime++) {
			if (prime * prime > left)
				prime = left;
			for (; left % prime == 0; left /= prime)
				primes[out++] = (struct sgang_parallel_digit){
					digits[i].group, prime
				};
		}
	}
	return out;
}

/* Move digit 'from' to 'to'. */
static void move_digit(struct sgang_parallel_digit *digits, uint32_t from,
		       uint32_t to)
{
	struct sgang_parallel_digit digit = digits[from];

	if (from < to)
		memmove(digits + from, digits + from + 1,
			(to - from) * sizeof(*digits));
	else
		memmove(digits + to + 1, digits + to,
			(from - to) * sizeof(*digits));
	digits[to] = digit;
}

/* Try these digits, and keep the layout when it is better. */
static bool try_digits(struct solver *solver,
		       const struct sgang_parallel_digit *digits, uint32_t n)
{
	struct sgang_order *order = solver->order;
	struct score score;
	uint32_t i;

	sgang_parallel_layout(order->job->request->parallel, digits, n,
			      solver->digits);
	for (i = 0; i < order->ranks; i++)
		solver->trial[solver->sorted[i]] = solver->digits[i];
	score = score_layout(solver, solver->trial);
	if (!better(&score, &solver->best))
		return false;
	solver->best = score;
	memcpy(order->layout, solver->trial,
	       order->ranks * sizeof(*order->layout));
	return true;
}

/* Move each digit to each place, as long as something becomes better. */
static void move_digits(struct solver *solver,
			struct sgang_parallel_digit *digits, uint32_t n)
{
	uint32_t from, to;
	bool again = true;

	while (again) {
		again = false;
		for (from = 0; from < n; from++) {
			for (to = 0; to < n; to++) {
				if (good_enough(solver) || !solver->hops)
					return;
				if (from == to)
					continue;
				move_digit(digits, from, to);
				if (try_digits(solver, digits, n))
					again = true;
				else
					move_digit(digits, to, from);
			}
		}
	}
}

/* -- exchanging ranks -- */

static void exchange(struct solver *solver, uint32_t a, uint32_t b)
{
	uint32_t *layout = solver->order->layout, rank = layout[a];

	layout[a] = layout[b];
	layout[b] = rank;
	solver->place[layout[a]] = a;
	solver->place[layout[b]] = b;
}

/* Exchange the ranks at two positions if that makes it better. A hop between
 * the two counts twice, before and after. */
static bool try_exchange(struct solver *solver, uint32_t a, uint32_t b)
{
	const uint32_t *layout = solver->order->layout;
	struct score before[2], after[2], score = solver->best;

	before[0] = score_rank(solver, layout[a]);
	before[1] = score_rank(solver, layout[b]);
	exchange(solver, a, b);
	after[0] = score_rank(solver, layout[a]);
	after[1] = score_rank(solver, layout[b]);
	score.wrong += after[0].wrong + after[1].wrong - before[0].wrong -
		       before[1].wrong;
	score.cost += after[0].cost + after[1].cost - before[0].cost -
		      before[1].cost;
	if (better(&score, &solver->best)) {
		solver->best = score;
		return true;
	}
	exchange(solver, a, b);
	return false;
}

static void exchange_ranks(struct solver *solver)
{
	const struct sgang_order *order = solver->order;
	bool again = true;
	uint32_t a, b;

	while (again) {
		again = false;
		for (a = 0; a < order->ranks; a++) {
			for (b = a + 1; b < order->ranks; b++) {
				if (good_enough(solver) || !solver->hops)
					return;
				if (order->node[a] != order->node[b] &&
				    try_exchange(solver, a, b))
					again = true;
			}
		}
	}
}

/* -- moving units -- */

static const struct sgang_kind *kind_of(const struct solver *solver,
					const struct sgang_unit *unit)
{
	const struct sgang_job *job = solver->order->job;

	return &job->kind[job->kind_of[unit->member]];
}

/* The room left on a node. */
static uint32_t *room_at(const struct solver *solver, uint32_t node)
{
	return solver->order->room + (size_t)node * request_of(solver)->n_dims;
}

/* Has its member another unit on this node, apart from one that leaves, though
 * it must not? */
static bool shares(const struct solver *solver, const struct sgang_unit *unit,
		   uint32_t node, const struct sgang_unit *leaves)
{
	const struct sgang_order *order = solver->order;
	const struct sgang_unit *other;

	if (!sgang_member_distinct(&request_of(solver)->members[unit->member]))
		return false;
	for (other = order->unit; other < order->unit + order->n_units;
	     other++) {
		if (other->member == unit->member && other != unit &&
		    other != leaves && other->node == node)
			return true;
	}
	return false;
}

/* May the gang, whose other units stay, be on this node too? Domains it may
 * span do not overlap, so one of the others tells. With `spread:` the unit
 * stays in the domain that its member has. */
static bool reaches(const struct solver *solver, const struct sgang_unit *unit,
		    uint32_t node)
{
	const struct sgang_plan_request *request = request_of(solver);
	const struct sgang_order *order = solver->order;
	uint32_t level;

	if (request->spread &&
	    sgang_fabric_meet(request->fabric, node, unit->node) >
		    request->spread_level)
		return false;
	if (order->n_units == 1)
		return true;
	level = sgang_fabric_meet(request->fabric, node,
				  order->unit[unit == order->unit].node);
	if (level == SGANG_LEVEL_UNCONNECTED &&
	    !request->costs->allow_unconnected)
		return false;
	return level == SGANG_LEVEL_ISLAND || level <= request->max_level;
}

/* Is there room for the unit, when another one, or NULL, leaves the node? */
static bool has_room(struct solver *solver, const struct sgang_unit *unit,
		     uint32_t node, const struct sgang_unit *leaves)
{
	const struct sgang_job *job = solver->order->job;
	uint32_t n_dims = job->request->n_dims;
	uint32_t room[SGANG_PLAN_DIMS];

	memcpy(room, room_at(solver, node), n_dims * sizeof(*room));
	if (leaves)
		sgang_kind_give_back(job, kind_of(solver, leaves), node, 1,
				     room);
	return sgang_kind_fits(job, kind_of(solver, unit), node, room);
}

/* Can the unit be there, when another one, or NULL, leaves that node? */
static bool fits(struct solver *solver, const struct sgang_unit *unit,
		 uint32_t node, const struct sgang_unit *leaves)
{
	const struct sgang_kind *kind = kind_of(solver, unit);
	const struct sgang_job *job = solver->order->job;

	if (sgang_kind_ranks(job, kind, node) != unit->ranks ||
	    !has_room(solver, unit, node, leaves))
		return false;
	return !shares(solver, unit, node, leaves) &&
	       reaches(solver, unit, node);
}

static void put(struct solver *solver, struct sgang_unit *unit, uint32_t node)
{
	struct sgang_order *order = solver->order;
	uint32_t i;

	sgang_kind_give_back(order->job, kind_of(solver, unit), unit->node, 1,
			     room_at(solver, unit->node));
	sgang_kind_take(order->job, kind_of(solver, unit), node, 1,
			room_at(solver, node));
	unit->node = node;
	for (i = 0; i < unit->ranks; i++)
		order->node[unit->first + i] = node;
}

/* Add the hops of all ranks of a unit. Hops within it, and with a unit it
 * changes places with, count twice before and after. */
static void add_unit(struct solver *solver, const struct sgang_unit *unit,
		     int64_t sign, struct score *score)
{
	uint32_t i;

	for (i = 0; i < unit->ranks; i++) {
		struct score one = score_rank(
			solver, solver->order->layout[unit->first + i]);

		score->wrong += sign * one.wrong;
		score->cost += sign * one.cost;
	}
}

/* Move a unit to a node, and the other one, if there is one, to where it was,
 * if that makes it better. */
static bool try_move(struct solver *solver, struct sgang_unit *unit,
		     uint32_t node, struct sgang_unit *other)
{
	struct score score = solver->best;
	uint32_t from = unit->node;

	add_unit(solver, unit, -1, &score);
	if (other)
		add_unit(solver, other, -1, &score);
	put(solver, unit, node);
	if (other)
		put(solver, other, from);
	add_unit(solver, unit, 1, &score);
	if (other)
		add_unit(solver, other, 1, &score);
	if (better(&score, &solver->best)) {
		solver->best = score;
		solver->order->moved = true;
		return true;
	}
	put(solver, unit, from);
	if (other)
		put(solver, other, node);
	return false;
}

/* Try all nodes with room, then to change places with each unit behind it. */
static bool move_unit(struct solver *solver, struct sgang_unit *unit)
{
	const struct sgang_order *order = solver->order;
	uint32_t n = sgang_fabric_nodes(request_of(solver)->fabric), i;
	struct sgang_unit *end = order->unit + order->n_units, *other;
	bool moved = false;

	for (i = 0; i < n && solver->hops && !good_enough(solver); i++) {
		solver->hops--;
		if (*room_at(solver, i) && i != unit->node &&
		    fits(solver, unit, i, NULL))
			moved |= try_move(solver, unit, i, NULL);
	}
	for (other = unit + 1;
	     other < end && solver->hops && !good_enough(solver); other++) {
		solver->hops--;
		if (other->node != unit->node &&
		    fits(solver, unit, other->node, other) &&
		    fits(solver, other, unit->node, unit))
			moved |= try_move(solver, unit, other->node, other);
	}
	return moved;
}

static bool move_units(struct solver *solver)
{
	bool moved = false;
	uint32_t i;

	for (i = 0; i < solver->order->n_units; i++)
		moved |= move_unit(solver, &solver->order->unit[i]);
	return moved;
}

static void improve(struct solver *solver)
{
	do
		exchange_ranks(solver);
	while (move_units(solver));
}

/* -- searching again from somewhere near -- */

/* Times that is done at most. */
#define SHAKES_MAX 200

/* The best so far, while something else is tried. */
struct kept {
	uint32_t *layout;
	uint32_t *node; /* by unit */
	struct score score;
	bool moved;
};

static void keep(const struct solver *solver, struct kept *kept)
{
	const struct sgang_order *order = solver->order;
	uint32_t i;

	memcpy(kept->layout, order->layout,
	       order->ranks * sizeof(*kept->layout));
	for (i = 0; i < order->n_units; i++)
		kept->node[i] = order->unit[i].node;
	kept->score = solver->best;
	kept->moved = order->moved;
}

/* Units may have changed places, so that a node has too many for a while. */
static void go_back(struct solver *solver, const struct kept *kept)
{
	struct sgang_order *order = solver->order;
	uint32_t i;

	for (i = 0; i < order->n_units; i++)
		put(solver, &order->unit[i], kept->node[i]);
	memcpy(order->layout, kept->layout,
	       order->ranks * sizeof(*kept->layout));
	for (i = 0; i < order->ranks; i++)
		solver->place[order->layout[i]] = i;
	solver->best = kept->score;
	order->moved = kept->moved;
}

/* The same numbers for the same request. */
static uint32_t pick(struct solver *solver, uint32_t below)
{
	solver->random = solver->random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
	return (uint32_t)((solver->random >> 33) % below);
}

/* Exchange some ranks, and move a unit or let two change places, whatever that
 * costs. */
static void shake(struct solver *solver)
{
	struct sgang_order *order = solver->order;
	struct sgang_unit *unit = &order->unit[pick(solver, order->n_units)];
	struct sgang_unit *other = &order->unit[pick(solver, order->n_units)];
	uint32_t nodes = sgang_fabric_nodes(request_of(solver)->fabric);
	uint32_t from = unit->node, to = pick(solver, nodes), i;

	for (i = 0; i < 3; i++)
		exchange(solver, pick(solver, order->ranks),
			 pick(solver, order->ranks));
	if (pick(solver, 2) && to != from && fits(solver, unit, to, NULL)) {
		put(solver, unit, to);
		order->moved = true;
	} else if (other->node != from &&
		   fits(solver, unit, other->node, other) &&
		   fits(solver, other, from, unit)) {
		put(solver, unit, other->node);
		put(solver, other, from);
		order->moved = true;
	}
	solver->best = score_layout(solver, order->layout);
}

static void search_again(struct solver *solver)
{
	struct sgang_pool *pool = solver->order->job->pool;
	struct kept kept = { NULL };
	uint32_t i;

	kept.layout = sgang_pool_alloc(pool, solver->order->ranks,
				       sizeof(*kept.layout));
	kept.node = sgang_pool_alloc(pool, solver->order->n_units,
				     sizeof(*kept.node));
	keep(solver, &kept);
	for (i = 0; i < SHAKES_MAX && solver->hops && !good_enough(solver);
	     i++) {
		shake(solver);
		improve(solver);
		if (better(&solver->best, &kept.score))
			keep(solver, &kept);
		else
			go_back(solver, &kept);
	}
}

/* -- set-up -- */

/* Put the positions into the order of the tree, those of a node as they are:
 * count the ranks on each place of the tree, then deal out. */
static void sort_positions(struct solver *solver)
{
	struct sgang_pool *pool = solver->order->job->pool;
	const struct sgang_order *order = solver->order;
	const struct sgang_fabric *fabric = order->job->request->fabric;
	const uint32_t *pos = sgang_fabric_pos(fabric);
	uint32_t n = sgang_fabric_nodes(fabric), i, sum = 0;
	uint32_t *first = sgang_pool_zalloc(pool, n, sizeof(*first));

	for (i = 0; i < order->ranks; i++)
		first[pos[order->node[i]]]++;
	for (i = 0; i < n; i++) {
		uint32_t here = first[i];

		first[i] = sum;
		sum += here;
	}
	for (i = 0; i < order->ranks; i++)
		solver->sorted[first[pos[order->node[i]]]++] = i;
}

static void set_up(struct solver *solver)
{
	struct sgang_pool *pool = solver->order->job->pool;
	const struct sgang_parallel *parallel = request_of(solver)->parallel;
	uint32_t n = solver->order->ranks, g, stride = 1;

	solver->place = sgang_pool_alloc(pool, n, sizeof(*solver->place));
	solver->sorted = sgang_pool_alloc(pool, n, sizeof(*solver->sorted));
	solver->digits = sgang_pool_alloc(pool, n, sizeof(*solver->digits));
	solver->trial = sgang_pool_alloc(pool, n, sizeof(*solver->trial));
	solver->order->layout = sgang_pool_alloc(pool, n,
						 sizeof(*solver->trial));
	for (g = 0; g < parallel->n; g++) {
		solver->stride[g] = stride;
		stride *= parallel->group[g].size;
	}
	sort_positions(solver);
}

void sgang_order_solve(struct sgang_order *order)
{
	const struct sgang_parallel *parallel = order->job->request->parallel;
	struct sgang_parallel_digit groups[SGANG_PARALLEL_MAX];
	struct sgang_parallel_digit primes[SGANG_PARALLEL_DIGITS];
	struct solver solver = { .order = order,
				 .best = { INT64_MAX, INT64_MAX } };
	uint32_t n;

	set_up(&solver);
	n = sgang_parallel_heaviest_first(parallel, groups);
	sort_required(order->job->request, groups, n);
	try_digits(&solver, groups, n);
	n = split_digits(groups, n, primes);
	solver.hops = order->hops / 2;
	move_digits(&solver, primes, n);
	solver.hops += order->hops - order->hops / 2;
	score_layout(&solver, order->layout);
	improve(&solver);
	if (!good_enough(&solver))
		search_again(&solver);
	order->hops = solver.hops;
	order->cost = (uint64_t)solver.best.cost;
	order->wrong = (uint64_t)solver.best.wrong;
}
