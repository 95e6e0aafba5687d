/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mixed.c - members of different kinds, construction by construction
 *
 * The members' order in the ring is given and each of them has its own wishes,
 * so finding the cheapest nodes for all of them is a hard problem. Several
 * constructions are tried, each is improved by moving, swapping and reversing
 * pieces as long as that helps, and the best is kept:
 *
 *  - members of one kind back and forth over nodes that they share;
 *  - two or three blocks of alike members as one member each (blocks.c);
 *  - the ring laid out leaf by leaf, many beginnings side by side (walk.c),
 *    over leaves that are chosen before (route.c);
 *  - first fit in depth-first order within one domain, the small domains first,
 *    members in their order or the large ones first;
 *  - the large members first on the nodes with the least or the most room, when
 *    first fit fails (with the most room this finds a place, if there is one,
 *    when all units are alike);
 *  - trying everything, for a while, when nothing else fits.
 *
 * Last the planner of cuts moves units of the best to better nodes.
 */

#include <stdlib.h>

#include "mixed.h"

/* With more units the constructions for large gangs do, if they find one. */
#define UNITS_MAX 256

/* -- set-up and result -- */

/* The measures of how hard a member is to place. */
struct hardness {
	double share;   /* of a node that a unit takes, of the
			 * resource it takes most of */
	uint32_t apart; /* nodes that it needs at least */
	uint32_t member;
};

static int by_hardness(const void *one, const void *two)
{
	const struct hardness *a = one, *b = two;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (a->apart != b->apart)
		return a->apart > b->apart ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

/* The share of a node that a unit of this kind takes, of the resource it takes
 * most of. */
static double share_of(const struct mixed *mixed, const struct sgang_kind *kind)
{
	double most = 0;
	uint32_t d;

	for (d = 0; d < mixed->n_dims; d++) {
		double share = kind->need[d] == SGANG_PLAN_ALL ?
				       2 :
			       kind->need[d] == SGANG_PLAN_UNTOUCHED ?
				       0 :
				       kind->need[d] / mixed->average[d];

		most = share > most ? share : most;
	}
	return kind->whole ? 3 : most;
}

/* Members with large units first, whole nodes before all, then those that need
 * many nodes. */
static void rank_members(struct mixed *mixed)
{
	uint32_t i, n = (uint32_t)mixed->request->n_members;
	struct hardness *hard = sgang_pool_alloc(mixed->job->pool, n,
						 sizeof(*hard));

	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *ask = ask_of(mixed, i);

		hard[i].share = share_of(mixed, kind_of(mixed, i));
		hard[i].apart = sgang_member_distinct(ask) ? ask->units : 1;
		hard[i].member = i;
	}
	qsort(hard, n, sizeof(*hard), by_hardness);
	for (i = 0; i < n; i++)
		mixed->rank[i] = hard[i].member;
}

/* The amount of each dimension on a node. */
static void find_average(struct mixed *mixed)
{
	size_t n = (size_t)mixed->n_nodes * mixed->n_dims, i;
	uint32_t d;

	for (i = 0; i < n; i++)
		mixed->average[i % mixed->n_dims] += mixed->request->total[i];
	for (d = 0; d < mixed->n_dims; d++) {
		mixed->average[d] /= mixed->n_nodes;
		if (mixed->average[d] < 1)
			mixed->average[d] = 1;
	}
}

/* The value of units: the share that they take of what is free of the resource
 * of which that is most, in units of the one that the members together take
 * most of. */
static void find_values(struct mixed *mixed)
{
	const struct sgang_job *job = mixed->job;
	double free[SGANG_PLAN_DIMS] = { 0 }, scarce = 0, unit = 1, most, one;
	size_t n = (size_t)mixed->n_nodes * mixed->n_dims, i;
	uint32_t d, k;

	for (i = 0; i < n; i++)
		free[i % mixed->n_dims] += mixed->request->free[i];
	for (d = 0; d < mixed->n_dims; d++) {
		for (k = 0, most = 0; k < job->n_kinds; k++)
			most += (double)job->kind[k].units *
				sgang_kind_least(job, &job->kind[k], d);
		free[d] = free[d] < 1 ? 1 : free[d];
		if (most / free[d] > scarce) {
			scarce = most / free[d];
			unit = free[d];
		}
	}
	for (k = 0; k < job->n_kinds; k++) {
		for (d = 0, most = 0; d < mixed->n_dims; d++) {
			one = sgang_kind_least(job, &job->kind[k], d) / free[d];
			most = one > most ? one : most;
		}
		most *= unit;
		mixed->value[k] = most < 1 ? 1 :
				  most < UINT32_MAX / 2 ?
					     (uint32_t)(most + 0.5) :
					     UINT32_MAX / 2;
	}
}

/* The request by value: in slots, if nothing else is counted. */
static void find_worth(const struct mixed *mixed, struct sgang_tree *worth)
{
	if (mixed->n_dims == 1)
		sgang_job_in_dim(mixed->job, 0, mixed->broken, worth);
	else
		sgang_job_by_value(mixed->job, mixed->value, mixed->broken,
				   worth);
}

static void set_up(struct mixed *mixed)
{
	struct sgang_pool *pool = mixed->job->pool;
	size_t i;

	for (i = 0; i < mixed->request->n_members; i++) {
		uint32_t units = mixed->request->members[i].units;

		mixed->room += units < mixed->n_nodes ? units : mixed->n_nodes;
	}
	mixed->left = sgang_pool_zalloc(pool,
					(size_t)mixed->n_nodes * mixed->n_dims,
					sizeof(*mixed->left));
	mixed->cursor = sgang_pool_alloc(pool, mixed->job->n_kinds,
					 sizeof(*mixed->cursor));
	mixed->value = sgang_pool_alloc(pool, mixed->job->n_kinds,
					sizeof(*mixed->value));
	mixed->rank = sgang_pool_alloc(pool, mixed->request->n_members,
				       sizeof(*mixed->rank));
	mixed->spot = sgang_pool_alloc(pool, mixed->n_nodes,
				       sizeof(*mixed->spot));
	mixed->now.piece = sgang_pool_alloc(pool, mixed->room,
					    sizeof(*mixed->now.piece));
	mixed->best.piece = sgang_pool_alloc(pool, mixed->room,
					     sizeof(*mixed->best.piece));
	mixed->seen = sgang_pool_zalloc(
		pool, sgang_fabric_domains(mixed->request->fabric),
		sizeof(*mixed->seen));
	mixed->used = sgang_pool_zalloc(pool, mixed->n_nodes,
					sizeof(*mixed->used));
	mixed->improving = sgang_budget_share(mixed->request->budget,
					      SGANG_STEPS_IMPROVE);
	mixed->packing = sgang_budget_share(mixed->request->budget,
					    SGANG_STEPS_PACK);
	find_average(mixed);
	find_values(mixed);
	rank_members(mixed);
}

/* Write the best layout as runs. */
static void write_runs(const struct mixed *mixed, struct sgang_run **runs,
		       size_t *n_runs)
{
	const struct layout *best = &mixed->best;
	struct sgang_run *run;
	size_t i;

	run = sgang_pool_alloc(mixed->job->pool, best->n, sizeof(*run));
	for (i = 0; i < best->n; i++) {
		const struct piece *piece = &best->piece[i];

		run[i].member = piece->member;
		run[i].node = mixed->order[piece->pos];
		run[i].ranks = (uint32_t)piece_ranks(mixed, piece);
		run[i].slots = slots_of(mixed, piece);
	}
	*runs = run;
	*n_runs = best->n;
}

/* Move units of the best layout to better nodes, by the planner of cuts. */
static int try_seats(struct mixed *mixed)
{
	uint32_t *at = sgang_pool_alloc(mixed->job->pool, mixed->job->units,
					sizeof(*at));
	const struct layout *best = &mixed->best;
	uint32_t member, k, n = 0;
	size_t i;

	if (!mixed->found || done(mixed) ||
	    mixed->request->effort != SGANG_EFFORT_PROOF)
		return 0;
	for (i = 0; i < best->n; i++) {
		for (k = 0; k < best->piece[i].units; k++)
			at[n++] = best->piece[i].pos;
	}
	if (sgang_cuts_improve(mixed->job, mixed->broken, SGANG_STEPS_SEATS,
			       mixed->bound, at))
		return -1;
	sgang_mixed_clear(mixed, 0, mixed->n_nodes);
	for (n = 0, member = 0; member < mixed->request->n_members; member++) {
		for (k = 0; k < ask_of(mixed, member)->units; k++, n++)
			sgang_mixed_add(mixed, member, at[n]);
	}
	sgang_mixed_finish(mixed);
	return 0;
}

/* A way to lay out the members, tried in this order. To add one: a row. */
static const struct construction {
	int (*try)(struct mixed *mixed); /* 0, or -1 with EOVERFLOW */
	uint64_t steps;                  /* that it may take; 0: what is left */
	bool large;                      /* as good as any in large gangs */
	enum sgang_part part;
} constructions[] = {
	{ sgang_mixed_try_shares, 0, true, SGANG_PART_SHARES },
	{ sgang_mixed_try_blocks, 0, true, SGANG_PART_BLOCKS },
	{ sgang_mixed_try_walks, SGANG_STEPS_WALKS, true, SGANG_PART_WALKS },
	{ sgang_mixed_try_domains, 0, false, SGANG_PART_DOMAINS },
	{ try_seats, 0, false, SGANG_PART_SEATS },
};
#define CONSTRUCTIONS (sizeof(constructions) / sizeof(constructions[0]))

static int try_one(struct mixed *mixed, const struct construction *way)
{
	struct sgang_budget *budget = mixed->request->budget;
	uint64_t aside = way->steps ? sgang_budget_narrow(budget, way->steps) :
				      0;
	int rc = 0;

	if (sgang_part(budget, way->part) &&
	    (!way->large || (!done(mixed) && !ended(mixed))))
		rc = way->try(mixed);
	sgang_budget_widen(budget, aside);
	return rc;
}

static int try_all(struct mixed *mixed)
{
	bool enough = false;
	size_t i;

	for (i = 0; i < CONSTRUCTIONS; i++) {
		const struct construction *way = &constructions[i];

		if (enough && !way->large)
			break;
		if (try_one(mixed, way))
			return -1;
		if (way->large)
			enough = mixed->found &&
				 (mixed->request->effort == SGANG_EFFORT_ANY ||
				  ended(mixed) ||
				  mixed->job->units > UNITS_MAX);
	}
	return 0;
}

int sgang_mixed_solve(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t fixed, uint64_t *bound, uint64_t *bound_broken,
		      struct sgang_run **runs, size_t *n_runs)
{
	struct sgang_tree worth;
	struct mixed mixed = {
		.job = job,
		.request = job->request,
		.n_dims = job->request->n_dims,
		.broken = broken,
		.order = sgang_fabric_order(job->request->fabric),
		.n_nodes = sgang_fabric_nodes(job->request->fabric),
		.worth = &worth,
		.fixed = fixed,
		.bound = *bound,
		.bound_broken = *bound_broken
	};

	set_up(&mixed);
	find_worth(&mixed, &worth);
	if (try_all(&mixed))
		return -1;
	*bound = mixed.bound;
	*bound_broken = mixed.bound_broken;
	if (!mixed.found)
		return 0;
	write_runs(&mixed, runs, n_runs);
	return 1;
}
