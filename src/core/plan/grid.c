/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid.c - communication groups: the weighted sum of all their rings
 *
 * A layer around the planner of one ring. What it found is one answer; for
 * members that are alike, what grid_blocks.c finds is another; and as long as
 * none is proved to be the best, what the ring's planner finds on nodes with
 * room for whole blocks of ranks. The ranks of all are laid out
 * (grid_order.c), and the best is taken.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* No weighted cost is above this, so that all sums fit. */
#define COST_MAX (UINT64_C(1) << 61)

struct solver {
	const struct sgang_job *job;
	const struct sgang_plan_request *request;
	const uint64_t *broken; /* by domain */
	uint64_t base;          /* all hops in an island */
	uint64_t bound;         /* no placement is cheaper */
	uint64_t hops;          /* that may be looked at yet in search
				 * of a better order of ranks */
	struct sgang_blocks blocks;
	struct sgang_tree tree;
	bool alike; /* 'tree' is the request itself, and no
		     * relaxation of it */
};

/* A placement, and how good it is. */
struct answer {
	struct sgang_placement *placement;
	uint64_t wrong; /* hops above a required level */
	uint64_t tie;   /* what it breaks; see sgang_coin */
};

/* -- what is asked -- */

/* How many ranks the members have, as far as that does not depend on where they
 * are; 0: it does. */
static uint64_t count_ranks(const struct sgang_plan_request *request)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < request->n_members; i++) {
		const struct sgang_plan_member *ask = &request->members[i];
		uint64_t ranks = ask->ranks ? ask->ranks : ask->slots;

		if (!ranks)
			return 0;
		sum += ask->units * ranks + ask->more;
	}
	return sum;
}

int sgang_parallel_check_request(const struct sgang_plan_request *request,
				 struct sgang_error *err)
{
	uint64_t ranks = count_ranks(request);

	return ranks ? sgang_parallel_check(request->parallel, ranks, err) : 0;
}

/* The cost when all hops are in an island. Returns false when it, or that of
 * the worst placement, is too large. */
static bool find_base(struct solver *solver)
{
	const struct sgang_parallel *parallel = solver->request->parallel;
	const uint32_t *hop = solver->request->costs->hop;
	uint64_t ranks = sgang_parallel_ranks(parallel), sum = 0, worst;
	uint32_t i;

	for (i = 0; i < parallel->n; i++) {
		if (parallel->group[i].size > 1)
			sum += parallel->group[i].weight * ranks;
	}
	if (__builtin_mul_overflow(sum, hop[SGANG_LEVEL_UNCONNECTED], &worst) ||
	    worst > COST_MAX)
		return false;
	solver->base = sum * hop[SGANG_LEVEL_ISLAND];
	return true;
}

/* -- members that are not alike -- */

/* Have some units one rank more than others? */
static bool any_more(const struct sgang_job *job)
{
	for (size_t i = 0; i < job->request->n_members; i++) {
		if (job->request->members[i].more)
			return true;
	}
	return false;
}

/* Ranks that fit on a node, whatever the members are: at most. */
static uint32_t most_ranks(const struct sgang_job *job, uint32_t node)
{
	const uint32_t *free = sgang_job_free(job, node);
	uint64_t most = 0, ranks;
	uint32_t i, need;

	for (i = 0; i < job->n_kinds; i++) {
		const struct sgang_kind *kind = &job->kind[i];

		if (!sgang_kind_fits(job, kind, node, free))
			continue;
		ranks = sgang_kind_ranks(job, kind, node);
		need = sgang_kind_need(job, kind, node, 0);
		ranks += any_more(job);
		ranks = (ranks * *free + need - 1) / need;
		most = ranks > most ? ranks : most;
	}
	return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* Ask for ranks one by one, wherever one may be. */
static void relax(struct solver *solver)
{
	const struct sgang_plan_request *request = solver->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint64_t ranks = sgang_parallel_ranks(request->parallel);
	uint32_t n = sgang_fabric_nodes(request->fabric), pos;
	uint32_t *cap = sgang_pool_alloc(solver->job->pool, n, sizeof(*cap));

	memset(&solver->tree, 0, sizeof(solver->tree));
	for (pos = 0; pos < n; pos++) {
		cap[pos] = most_ranks(solver->job, order[pos]);
		if (cap[pos] > ranks)
			cap[pos] = (uint32_t)ranks;
	}
	solver->tree.request = request;
	solver->tree.broken = solver->broken;
	solver->tree.need = ranks;
	solver->tree.cap = cap;
	solver->tree.left = cap;
}

/* Ask for units if all are alike, else for ranks. Returns as
 * sgang_blocks_solve(). */
static bool solve_blocks(struct solver *solver)
{
	const struct sgang_job *job = solver->job;
	uint64_t ranks = sgang_parallel_ranks(solver->request->parallel);
	bool fits;

	solver->alike = false;
	if (job->n_kinds == 1 && !any_more(job)) {
		sgang_job_alike(job, solver->broken, &solver->tree);
		solver->alike = !solver->tree.more &&
				ranks % solver->tree.need == 0;
	}
	if (!solver->alike)
		relax(solver);
	solver->blocks.tree = &solver->tree;
	solver->blocks.ranks = (uint32_t)(ranks / solver->tree.need);
	fits = sgang_blocks_solve(&solver->blocks, job->pool);
	solver->bound = solver->base + solver->blocks.cost;
	return fits;
}

/* -- answers -- */

/* The units of a placement, and what is left on nodes. */
static void find_units(const struct solver *solver,
		       const struct sgang_placement *placement,
		       struct sgang_order *order)
{
	const struct sgang_job *job = solver->job;
	uint32_t n_dims = solver->request->n_dims, position = 0, k;
	size_t n_room = (size_t)sgang_fabric_nodes(solver->request->fabric) *
			n_dims,
	       i;

	order->ranks = (uint32_t)placement->ring.ranks;
	order->unit = sgang_pool_alloc(job->pool, job->units,
				       sizeof(*order->unit));
	order->node = sgang_pool_alloc(job->pool, order->ranks,
				       sizeof(*order->node));
	order->room = sgang_pool_alloc(job->pool, n_room, sizeof(*order->room));
	memcpy(order->room, solver->request->free,
	       n_room * sizeof(*order->room));
	for (i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_kind *kind =
			&job->kind[job->kind_of[run->member]];
		uint32_t ranks = sgang_kind_ranks(job, kind, run->node);
		uint32_t n = run->ranks / ranks;

		if (job->request->members[run->member].more) {
			ranks = run->ranks; /* of its only unit */
			n = 1;
		}

		sgang_kind_take(job, kind, run->node, n,
				order->room + (size_t)run->node * n_dims);
		for (k = 0; k < n; k++, position += ranks)
			order->unit[order->n_units++] =
				(struct sgang_unit){ .member = run->member,
						     .node = run->node,
						     .ranks = ranks,
						     .first = position };
		for (k = position - run->ranks; k < position; k++)
			order->node[k] = run->node;
	}
}

/* By member, then along the tree. */
static int compare_units(const void *one, const void *two)
{
	const struct sgang_unit *a = one, *b = two;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* The placement with its units where they were moved to. While they are sorted
 * 'node' is their place in the tree. */
static struct sgang_placement *rebuild(const struct solver *solver,
				       struct sgang_order *order)
{
	const struct sgang_job *job = solver->job;
	const struct sgang_fabric *fabric = solver->request->fabric;
	struct sgang_run *runs = sgang_pool_zalloc(job->pool, order->n_units,
						   sizeof(*runs));
	uint32_t *layout = sgang_pool_alloc(job->pool, order->ranks,
					    sizeof(*layout));
	uint32_t i, n = 0, position = 0;

	for (i = 0; i < order->n_units; i++)
		order->unit[i].node =
			sgang_fabric_pos(fabric)[order->unit[i].node];
	qsort(order->unit, order->n_units, sizeof(*order->unit), compare_units);
	for (i = 0; i < order->n_units; i++) {
		struct sgang_unit *unit = &order->unit[i];
		uint32_t node = sgang_fabric_order(fabric)[unit->node];

		if (!n || runs[n - 1].member != unit->member ||
		    runs[n - 1].node != node)
			n++;
		runs[n - 1].member = unit->member;
		runs[n - 1].node = node;
		runs[n - 1].ranks += unit->ranks;
		runs[n - 1].slots += sgang_kind_need(
			job, &job->kind[job->kind_of[unit->member]], node, 0);
		memcpy(layout + position, order->layout + unit->first,
		       unit->ranks * sizeof(*layout));
		position += unit->ranks;
	}
	order->layout = layout;
	return sgang_job_place(job, runs, n);
}

static bool is_identity(const struct sgang_order *order)
{
	uint32_t i;

	for (i = 0; i < order->ranks; i++)
		if (order->layout[i] != i)
			return false;
	return true;
}

/* Put what was found into the answer. */
static void take_order(struct solver *solver, struct sgang_order *order,
		       struct answer *answer)
{
	if (order->moved)
		answer->placement = rebuild(solver, order);
	answer->wrong = order->wrong;
	answer->placement->weighted_cost = order->cost;
	answer->placement->bound = solver->bound;
	if (!is_identity(order))
		answer->placement->layout = order->layout;
}

/* Lay out the ranks of a placement. */
static void lay_out(struct solver *solver, struct answer *answer)
{
	struct sgang_order order = { .job = solver->job,
				     .enough = solver->bound,
				     .hops = solver->hops / 2 };

	find_units(solver, answer->placement, &order);
	sgang_order_solve(&order);
	take_order(solver, &order, answer);
	sgang_budget_take(solver->request->budget,
			  solver->hops / 2 - order.hops);
	solver->hops -= solver->hops / 2 - order.hops;
	answer->tie = sgang_coin_tie(solver->job, solver->broken,
				     answer->placement->runs,
				     answer->placement->n_runs);
}

static bool better(const struct sgang_coin *coin, const struct answer *a,
		   const struct answer *b)
{
	if (a->wrong != b->wrong)
		return a->wrong < b->wrong;
	return sgang_coin_better(coin, a->placement->weighted_cost, a->tie,
				 b->placement->weighted_cost, b->tie);
}

/* The placement that grid_blocks.c has. NULL when members cannot be laid over its
 * nodes. */
static struct sgang_placement *take_blocks(struct solver *solver)
{
	struct sgang_placement *made;

	solver->tree.pick = solver->blocks.pick;
	solver->tree.n_picks = solver->blocks.n_picks;
	made = sgang_job_lay(solver->job, &solver->tree);
	return made ? made : sgang_job_deal(solver->job, &solver->tree);
}

static bool good_enough(const struct answer *answer)
{
	return !answer->wrong &&
	       answer->placement->weighted_cost == answer->placement->bound;
}

/* Is it proved that nothing is better? */
static bool is_exact(const struct solver *solver, const struct answer *answer)
{
	return good_enough(answer) && solver->alike && !solver->blocks.tired &&
	       answer->tie <= solver->blocks.broken;
}

/* -- why not -- */

/* The rings of a group that fit into the places of a level, and the ranks that
 * fit into the largest of these. */
struct room {
	uint64_t rings;
	uint64_t most;
	const char *where;
};

static void add_place(struct room *room, uint64_t ranks, uint64_t size,
		      const char *name)
{
	room->rings += ranks / size;
	if (!room->where || ranks > room->most) {
		room->most = ranks;
		room->where = name;
	}
}

static void find_room(const struct solver *solver, uint32_t g,
		      struct room *room)
{
	const struct sgang_fabric *fabric = solver->request->fabric;
	uint32_t size = solver->request->parallel->group[g].size;
	uint32_t level = solver->request->require[g];
	uint32_t n = sgang_fabric_domains(fabric), d, i;

	memset(room, 0, sizeof(*room));
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);
		uint64_t ranks = 0;

		if (domain->level <= level &&
		    (domain->parent == SGANG_DOMAIN_NONE ||
		     sgang_fabric_domain(fabric, domain->parent)->level >
			     level)) {
			for (i = 0; i < domain->n_nodes; i++)
				ranks +=
					solver->tree.cap[domain->first_pos + i];
			add_place(room, ranks * solver->blocks.ranks, size,
				  domain->name);
		}
		for (i = 0; !domain->n_children && domain->level > level &&
			    i < domain->n_nodes;
		     i++) {
			uint32_t pos = domain->first_pos + i;
			uint32_t node = sgang_fabric_order(fabric)[pos];

			ranks = (uint64_t)solver->tree.cap[pos] *
				solver->blocks.ranks;
			add_place(room, ranks, size,
				  sgang_fabric_node_name(fabric, node));
		}
	}
}

/* Say which group cannot have its level. */
static void explain(const struct solver *solver, struct sgang_nofit *nofit)
{
	const struct sgang_parallel *parallel = solver->request->parallel;
	uint64_t ranks = sgang_parallel_ranks(parallel);
	uint32_t g, last = 0;

	memset(nofit, 0, sizeof(*nofit));
	for (g = 0; g < parallel->n; g++) {
		const struct sgang_parallel_group *group = &parallel->group[g];
		uint32_t level = solver->request->require[g];
		uint64_t needed = ranks / group->size;
		struct room room;

		if (level >= SGANG_LEVEL_UNCONNECTED || group->size == 1)
			continue;
		last = g;
		find_room(solver, g, &room);
		if (room.rings >= needed)
			continue;
		snprintf(nofit->text, sizeof(nofit->text),
			 "group %s: %" PRIu64
			 " ring%s of %u ranks must be within one %s%s, %" PRIu64
			 " fit%s; the largest (%.64s) has room for %" PRIu64
			 " ranks",
			 group->name, needed, needed > 1 ? "s" : "",
			 group->size, solver->request->costs->name[level],
			 needed > 1 ? " each" : "", room.rings,
			 room.rings == 1 ? "s" : "", room.where, room.most);
		return;
	}
	snprintf(nofit->text, sizeof(nofit->text),
		 "group %s: each ring of %u "
		 "ranks must be within one %s; there is room, but no placement "
		 "was found in which all groups have what they require",
		 parallel->group[last].name, parallel->group[last].size,
		 solver->request->costs->name[solver->request->require[last]]);
}

/* -- the layer -- */

/* Lay out the ranks of another placement and keep the better of the two. */
static void compare(struct solver *solver, struct answer *best,
		    struct sgang_placement *placement)
{
	struct answer other = { .placement = placement };

	lay_out(solver, &other);
	if (!best->placement || better(solver->job->coin, &other, best))
		*best = other;
}

/* The ring again, on nodes that offer whole blocks of ranks only: those of the
 * heaviest group, of it and the next one, and so on. */
static int try_blocks_of_ranks(struct solver *solver, struct answer *best)
{
	const struct sgang_plan_request *request = solver->request;
	struct sgang_parallel_digit digits[SGANG_PARALLEL_MAX];
	uint32_t n = sgang_parallel_heaviest_first(request->parallel, digits);
	size_t n_nodes = sgang_fabric_nodes(request->fabric), i, at;
	struct sgang_plan_request aligned = *request;
	struct sgang_job job = *solver->job;
	uint64_t block = 1;
	uint32_t *free;

	n_nodes *= request->n_dims;
	free = sgang_pool_alloc(job.pool, n_nodes, sizeof(*free));
	memcpy(free, request->free, n_nodes * sizeof(*free));
	aligned.free = free;
	job.request = &aligned;
	for (i = 0; i < n && !good_enough(best); i++) {
		struct sgang_placement *made;
		int rc;

		block *= digits[i].size;
		for (at = 0; at < n_nodes; at += request->n_dims)
			free[at] = request->free[at] -
				   (uint32_t)(request->free[at] % block);
		rc = sgang_job_plan(&job, solver->broken, &made);
		if (rc < 0)
			return -1;
		if (!rc)
			continue;
		sgang_plan_deal_more(job.request, job.pool, made);
		compare(solver, best, made);
	}
	return 0;
}

/* Try what there is; with `spread:` that is the ring, as others know nothing of
 * it. 0, or -1 with EOVERFLOW. */
static int choose(struct solver *solver, struct sgang_placement *ring,
		  struct answer *best)
{
	struct sgang_placement *blocks = NULL;

	if (solver->alike && !solver->blocks.tired && !solver->request->spread)
		blocks = take_blocks(solver);
	if (blocks)
		compare(solver, best, blocks);
	compare(solver, best, ring);
	if (good_enough(best) || solver->request->spread)
		return 0;
	return try_blocks_of_ranks(solver, best);
}

int sgang_parallel_plan(const struct sgang_job *job, const uint64_t *broken,
			struct sgang_placement **placement,
			struct sgang_nofit *nofit, struct sgang_error *err)
{
	struct solver solver = {
		.job = job,
		.request = job->request,
		.broken = broken,
		.hops = sgang_budget_share(
			job->request->budget,
			sgang_budget_limits(job->request->budget)->order_hops)
	};
	struct answer best = { .placement = NULL };
	bool fits;

	sgang_plan_deal_more(job->request, job->pool, *placement);
	if (sgang_parallel_check(job->request->parallel,
				 (*placement)->ring.ranks, err))
		return -1;
	if (!find_base(&solver)) {
		errno = EOVERFLOW;
		return -1;
	}
	fits = solve_blocks(&solver);
	if (fits || solver.blocks.tired) {
		if (choose(&solver, *placement, &best))
			return -1;
		*placement = best.placement;
		best.placement->exact = is_exact(&solver, &best);
		fits = !best.wrong;
	}
	if (!fits && nofit)
		explain(&solver, nofit);
	return fits;
}
