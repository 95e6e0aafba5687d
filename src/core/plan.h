/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - one joint placement for all members of a gang, by ring cost
 *
 * What is minimised is the cost of the closed ring (ring.h) that visits the
 * members in their order, each member's ranks staying together and its nodes
 * ordered freely. Among placements of equal cost the one is taken that breaks
 * the least wholly free space (sum of the slots of the wholly free domains it
 * starts to use, leaf switches and above), then the one that leaves the least
 * slack in the domains it uses (best fit), then the lowest node indices. The
 * first two criteria are exact where the result says `exact`; the last two are
 * reached by exchange and are deterministic.
 *
 * With `spread` members that are alike (in what they ask for and where it may
 * be, and in number) are laid in depth-first order over the domains whose sum
 * costs the least, then breaks the least; both are exact, and so is the least
 * number of free slots in all domains used from the spread level up, which
 * decides next. For other members the bound lets each domain have its cheapest
 * member, and what is found is exact only when it costs as much as the bound.
 * With communication groups, too, the domains are those that the ring wants;
 * only inside them units are moved.
 *
 * With communication groups (parallel.h) what is minimised is their weighted
 * cost instead, over the choice of nodes and of the rank at each position of
 * the ring, and then the same criteria follow. A member still has its
 * positions of the ring, so its ranks need not be in a row.
 */

#ifndef SGANG_PLAN_H
#define SGANG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "fabric.h"
#include "nodeset.h"
#include "parallel.h"
#include "ring.h"

struct sgang_devices;			/* devices.h */

/* 'units' pieces of 'slots' slots each. 4x8 is units 4, slots 8, distinct:
 * four nodes, eight slots on each. 0x6 is units 6, slots 1, not distinct: six
 * slots on any nodes. slots 0 means the whole node: it must have all its slots
 * free and is used up (distinct is implied). */
struct sgang_plan_member {
	uint32_t units;
	uint32_t slots;
	uint32_t ranks;			/* ranks per unit; 0: as many as slots,
					 * for whole nodes the node's slots */
	bool distinct;
	const struct sgang_nodeset *allowed;	/* borrowed; NULL: every node */
};

struct sgang_plan_request {
	const struct sgang_fabric *fabric;
	const struct sgang_costs *costs;
	const uint32_t *free;		/* free slots, by node index */
	const uint32_t *total;		/* all slots, by node index */
	const struct sgang_plan_member *members;	/* in ring order */
	size_t n_members;
	uint32_t max_level;		/* `require:`: highest level the gang
					 * may span; SGANG_LEVEL_UNCONNECTED:
					 * no limit (`prefer:`) */
	bool spread;			/* `spread:`: each member inside one
					 * domain of 'spread_level', no two in
					 * the same */
	uint32_t spread_level;		/* the domain of a node is the highest
					 * above it of at most this level, else
					 * the node (here an island) itself */
	const struct sgang_parallel *parallel;	/* borrowed; NULL: the gang is
						 * one ring */
	/* With 'parallel', by group: highest level that each of its rings may
	 * span; SGANG_LEVEL_UNCONNECTED: no limit. */
	uint32_t require[SGANG_PARALLEL_MAX];
};

struct sgang_placement {
	struct sgang_run *runs;		/* in ring order, grouped by member */
	size_t n_runs;
	struct sgang_ring ring;
	uint64_t bound;			/* no placement is cheaper than this */
	bool exact;			/* ring.cost == bound is proved optimal */
	/* with communication groups, of whose weighted cost `bound` and `exact`
	 * speak then: */
	uint64_t weighted_cost;
	uint32_t *layout;		/* by position of the ring: the rank;
					 * NULL: rank i at position i */
};

/* Why there is none: one row per domain that was looked at and came closest
 * (at the highest level that was allowed), best first, at most
 * SGANG_NOFIT_ROWS. With `spread` of two or more members: one per domain of
 * that level that has no room for a member, and the numbers above the rows
 * count members and domains that have room for one. */
#define SGANG_NOFIT_ROWS 16
struct sgang_nofit {
	char text[256];			/* one sentence */
	char who[48];			/* "member 2: " when only some lack
					 * something, else "" */
	uint64_t free;			/* units (or slots) that fit on all
					 * nodes together */
	uint64_t needed;		/* 0: a group cannot have the level it
					 * requires, only 'text' tells more */
	uint32_t slots;			/* of one unit; 0: a whole node */
	char best[64];			/* the place that comes closest, */
	uint64_t best_free;		/* and what fits there */
	size_t n_rows;
	struct {
		uint32_t domain;
		uint64_t free;		/* units (or slots) that fit there */
		uint64_t needed;
	} row[SGANG_NOFIT_ROWS];
};

/* Returns 1 and '*placement' (free with sgang_placement_destroy());
 * 0 when it does not fit, with 'nofit' filled (may be NULL);
 * -1 with errno EINVAL (no member, 0 units, groups that do not make as many
 * ranks as the members have) or ENOMEM and 'err' filled.
 * The time is bounded: the search for the proof stops after a fixed number of
 * steps and the result then says exact = false and carries the bound. */
int sgang_plan(const struct sgang_plan_request *request,
	       struct sgang_placement **placement, struct sgang_nofit *nofit,
	       struct sgang_error *err);

/* Make a placement that was planned by nodes, the answer to 'request', one by
 * islands: 'runs' (malloc'd, taken over in every case) are the same slots by
 * island of 'devices'. Costs are measured anew. What no plan of nodes is below no
 * plan of islands is either; with 'same_inside' the islands add the same to
 * every plan, and what was proved stays proved.
 * Returns 1; 0 when it does not keep to the levels of the request, of which a
 * node was one, and '*nofit' says so and nothing else; or -1 with ENOMEM and
 * 'err'. 'placement' is to be destroyed in every case. */
int sgang_plan_inside(const struct sgang_plan_request *request,
		      const struct sgang_devices *devices,
		      struct sgang_run *runs, size_t n_runs, bool same_inside,
		      struct sgang_placement *placement,
		      struct sgang_nofit *nofit, struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_placement_destroy(struct sgang_placement *placement);

#endif
