/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_mixed.c - members of different kinds: bound, construction, search
 *
 * The members' order in the ring is given and each of them has its own wishes,
 * so the cheapest nodes for all of them are a hard problem. Several
 * constructions are tried, each is improved by moving, swapping and reversing
 * pieces as long as that helps, and the best is kept:
 *
 *  - members of one kind back and forth over nodes that they share;
 *  - the ring laid out leaf by leaf, many beginnings side by side (plan_walk.c),
 *    over leaves that are chosen before (plan_route.c, plan_split.c);
 *  - kind by kind, each by the exact solver, given what is used already;
 *  - on the nodes that would be best for so many slots, and on some more of
 *    them as long as the members do not fit in;
 *  - first fit in depth-first order within one domain, the small domains first,
 *    members in their order or the large ones first;
 *  - the large members first on the nodes with the least or the most room, when
 *    first fit fails (with the most room it never fails in vain when all units
 *    are alike);
 *  - a matching of kinds and nodes, which finds a placement if there is one
 *    where no two members can share a node;
 *  - trying everything, for a while, when nothing else fits.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_mixed.h"

/* With more units only one sort of construction has to work. */
#define UNITS_MAX 256

void sgang_mixed_clear(struct mixed *mixed, uint32_t from, uint32_t to)
{
	uint32_t pos;

	memset(mixed->left + mixed->from, 0,
	       (mixed->to - mixed->from) * sizeof(*mixed->left));
	mixed->from = from;
	mixed->to = to;
	for (pos = from; pos < to; pos++) {
		if (!mixed->pool || mixed->pool[pos])
			mixed->left[pos] =
				mixed->request->free[mixed->order[pos]];
	}
	for (pos = 0; pos < mixed->job->n_kinds; pos++)
		mixed->cursor[pos] = from;
	mixed->now.n = 0;
}

/* -- what a layout costs -- */

static uint64_t cost_of(const struct mixed *mixed, const struct layout *layout)
{
	uint64_t island = mixed->request->costs->hop[SGANG_LEVEL_ISLAND];
	uint64_t cost = 0;
	size_t i;

	for (i = 0; i < layout->n; i++) {
		const struct piece *piece = &layout->piece[i];
		const struct piece *next =
			&layout->piece[(i + 1) % layout->n];

		cost += (piece_ranks(mixed, piece) - 1) * island;
		cost += hop_at(mixed, piece->pos, next->pos);
	}
	return cost;
}
/* The wholly free space that a layout breaks. */
static uint64_t broken_by(const struct mixed *mixed,
			  const struct layout *layout)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;
	uint64_t sum = 0;
	uint32_t pass, d;
	size_t i;

	/* mark and add up, then clear the marks */
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < layout->n; i++) {
			uint32_t pos = layout->piece[i].pos;

			for (d = sgang_fabric_leaf(fabric, mixed->order[pos]);
			     d != SGANG_DOMAIN_NONE &&
			     mixed->seen[d] == (pass == 1);
			     d = sgang_fabric_domain(fabric, d)->parent) {
				mixed->seen[d] = !pass;
				sum += pass ? 0 : mixed->broken[d];
			}
		}
	}
	return sum;
}

static bool better(const struct layout *a, const struct layout *b)
{
	return a->cost < b->cost || (a->cost == b->cost &&
				     a->broken < b->broken);
}

void sgang_mixed_finish(struct mixed *mixed)
{
	struct layout swap;

	mixed->now.cost = cost_of(mixed, &mixed->now);
	if (mixed->now.cost > mixed->bound) {
		sgang_mixed_improve(mixed);
		mixed->now.cost = cost_of(mixed, &mixed->now);
	}
	mixed->now.broken = broken_by(mixed, &mixed->now);
	if (mixed->found && !better(&mixed->now, &mixed->best))
		return;
	swap = mixed->best;
	mixed->best = mixed->now;
	mixed->now = swap;
	mixed->found = true;
}

int sgang_mixed_by_member(const void *one, const void *two)
{
	const struct piece *a = one, *b = two;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* -- set-up and result -- */

/* What makes a member hard to place. */
struct hardness {
	uint32_t slots;			/* of a unit */
	uint32_t apart;			/* nodes that it needs at least */
	uint32_t member;
};

static int by_hardness(const void *one, const void *two)
{
	const struct hardness *a = one, *b = two;

	if (a->slots != b->slots)
		return a->slots > b->slots ? -1 : 1;
	if (a->apart != b->apart)
		return a->apart > b->apart ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

/* Members with large units first, whole nodes before all, then those that need
 * many nodes. */
static int rank_members(struct mixed *mixed)
{
	uint32_t i, n = (uint32_t)mixed->request->n_members;
	struct hardness *hard = sgang_pool_alloc(mixed->job->pool, n,
						 sizeof(*hard));

	if (!hard)
		return -1;
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *ask = ask_of(mixed, i);

		hard[i].slots = ask->slots ? ask->slots : UINT32_MAX;
		hard[i].apart = sgang_member_distinct(ask) ? ask->units : 1;
		hard[i].member = i;
	}
	qsort(hard, n, sizeof(*hard), by_hardness);
	for (i = 0; i < n; i++)
		mixed->rank[i] = hard[i].member;
	return 0;
}

static int set_up(struct mixed *mixed)
{
	struct sgang_pool *pool = mixed->job->pool;
	size_t i;

	for (i = 0; i < mixed->request->n_members; i++) {
		uint32_t units = mixed->request->members[i].units;

		mixed->room += units < mixed->n_nodes ? units : mixed->n_nodes;
	}
	mixed->left = sgang_pool_zalloc(pool, mixed->n_nodes,
					sizeof(*mixed->left));
	mixed->cursor = sgang_pool_alloc(pool, mixed->job->n_kinds,
					 sizeof(*mixed->cursor));
	mixed->rank = sgang_pool_alloc(pool, mixed->request->n_members,
				       sizeof(*mixed->rank));
	mixed->spot = sgang_pool_alloc(pool, mixed->n_nodes,
				       sizeof(*mixed->spot));
	mixed->now.piece = sgang_pool_alloc(pool, mixed->room,
					    sizeof(*mixed->now.piece));
	mixed->best.piece = sgang_pool_alloc(pool, mixed->room,
					     sizeof(*mixed->best.piece));
	mixed->seen = sgang_pool_zalloc(pool,
		sgang_fabric_domains(mixed->request->fabric),
		sizeof(*mixed->seen));
	if (!mixed->left || !mixed->seen || !mixed->cursor || !mixed->rank ||
	    !mixed->spot || !mixed->now.piece || !mixed->best.piece)
		return -1;
	return rank_members(mixed);
}

/* Write the best layout as runs. */
static int write_runs(const struct mixed *mixed, struct sgang_run **runs,
		      size_t *n_runs)
{
	const struct layout *best = &mixed->best;
	struct sgang_run *run;
	size_t i;

	run = sgang_pool_alloc(mixed->job->pool, best->n, sizeof(*run));
	if (!run)
		return -1;
	for (i = 0; i < best->n; i++) {
		const struct piece *piece = &best->piece[i];

		run[i].member = piece->member;
		run[i].node = mixed->order[piece->pos];
		run[i].ranks = (uint32_t)piece_ranks(mixed, piece);
		run[i].slots = slots_of(mixed, piece);
	}
	*runs = run;
	*n_runs = best->n;
	return 0;
}

int sgang_mixed_solve(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t fixed, uint64_t *bound, uint64_t *bound_broken,
		      struct sgang_run **runs, size_t *n_runs)
{
	struct mixed mixed = {
		.job = job,
		.request = job->request,
		.broken = broken,
		.order = sgang_fabric_order(job->request->fabric),
		.n_nodes = sgang_fabric_nodes(job->request->fabric),
		.fixed = fixed,
		.bound = *bound,
		.bound_broken = *bound_broken
	};

	struct sgang_tree slots;

	if (set_up(&mixed) || sgang_job_in_slots(job, broken, &slots) ||
	    sgang_mixed_try_shares(&mixed) ||
	    (!done(&mixed) && sgang_mixed_try_walks(&mixed, &slots)))
		return -1;
	/* in large gangs nothing else is as good as a walk */
	if ((!mixed.found || job->units <= UNITS_MAX) &&
	    (sgang_mixed_try_kinds(&mixed) ||
	     sgang_mixed_try_pools(&mixed, &slots) ||
	     sgang_mixed_try_domains(&mixed)))
		return -1;
	*bound = mixed.bound;
	*bound_broken = mixed.bound_broken;
	if (!mixed.found)
		return 0;
	return write_runs(&mixed, runs, n_runs) ? -1 : 1;
}
