/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - one joint placement for all members of a gang, by ring cost
 *
 * What is minimised is the cost of the closed ring (ring.h) that visits the
 * members in their order, each member's ranks staying together and its nodes
 * ordered freely. Among placements of equal cost the one is taken that weighs
 * the least, then the one that breaks the least wholly free space (sum of the
 * slots of the wholly free domains it starts to use, leaf switches and above),
 * then the one that leaves the least slack in the domains it uses (best fit),
 * then the lowest node indices. The first three criteria are exact where the
 * result says `exact`; the last two are reached by exchange and are
 * deterministic.
 *
 * A node weighs what its Weight is above that of the lightest node on which a
 * unit of any member has room; a placement what its nodes weigh together, each
 * counted once, however much of it is used. With `weight_first` weight comes
 * before cost. Members that are not alike then have no nodes that are heavier
 * than the lightest class with which a placement was found; that is exact where
 * the result says so. Weights are rounded up to multiples of a power of two
 * where costs, weights and slots have more than 59 bits together, and left out
 * where costs alone have more than 51.
 *
 * With `spread` members that are alike (in what they ask for and where it may
 * be, and in number) are laid in depth-first order over the domains whose sum
 * costs the least, then weighs the least, then breaks the least; these are
 * exact, and so is the least number of free slots in all domains used from the
 * spread level up, which decides next. For other members weights are left out,
 * and the bound lets each domain have its cheapest member, so what is found is
 * exact only when it costs as much as the bound and all nodes weigh the same.
 * With communication groups, too, the domains are those that the ring wants;
 * only inside them units are moved.
 *
 * With communication groups (parallel.h) what is minimised is their weighted
 * cost instead, over the choice of nodes and of the rank at each position of
 * the ring, and then the same criteria follow (weight among the placements
 * that were looked at). A member still has its positions of the ring, so its
 * ranks need not be in a row.
 *
 * With a tree of groups (roles) each group is a ring of its own, over the ranks
 * of all members below it, and what is minimised is the sum of weight times
 * ring cost over all groups. The ranks of a group lie in the order of the
 * fabric in its ring, which is the cheapest there is: nobody but the group knows
 * that ring, so the order of members is nothing to it. Before cost comes how
 * many hops are above a level that a group prefers. Then the same criteria
 * follow; with `weight_first` too cost comes first.
 */

#ifndef SGANG_PLAN_H
#define SGANG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/nodeset.h"
#include "core/fabric/fabric.h"
#include "core/fabric/parallel.h"
#include "core/fabric/ring.h"

struct sgang_devices; /* devices.h */
struct sgang_plan_limits;

/* Resources that a request counts, at most. */
#define SGANG_PLAN_DIMS 16

/* As a need: all that the node has of it, none of which may be in use. */
#define SGANG_PLAN_ALL UINT32_MAX

/* As a need: none of it, but all that the node has of it must be free. Such
 * members keep off nodes where others take some of it. */
#define SGANG_PLAN_UNTOUCHED (UINT32_MAX - 1)

/* Work that plans may do. A step is a look at one node, domain, piece or state
 * of a search. When none is left searches end with what they have, and what is
 * not proved then is not called exact.
 *
 * A plan takes no more than is left and, at the most, SGANG_PLAN_SLACK steps
 * for each node and domain, as often as there are members and once more: the
 * request is looked through, and the members are fitted once, in any case. With
 * any_order that may be twice.
 *
 * A step takes 4 to 45 ns where searches are long, as measured by
 * tests/bench/bench_plan.c: SGANG_PLAN_STEPS are about 180 ms. Its longest plan
 * takes nine tenths of the steps and 84 ms, its row `hard` all of them and
 * 19 ms. */
struct sgang_budget {
	uint64_t whole; /* steps at the beginning: parts of a
			 * plan have shares of it */
	uint64_t left;
	uint64_t taken; /* by all plans so far */
	bool unproved;  /* that it does not fit, of a plan that
			 * found no placement. Never cleared */
	/* of the parts of a plan, for the planner's own tests and benchmark;
	 * NULL: those of limits.c */
	const struct sgang_plan_limits *limits;
};

/* Steps of a plan without a budget of its own. */
#define SGANG_PLAN_STEPS UINT64_C(4000000)

#define SGANG_PLAN_SLACK 64

static inline void sgang_budget_init(struct sgang_budget *budget,
				     uint64_t steps)
{
	budget->whole = budget->left = steps;
	budget->taken = 0;
	budget->unproved = false;
	budget->limits = NULL;
}

/* Take steps, which may be more than are left. False when none is left then. */
static inline bool sgang_budget_take(struct sgang_budget *budget,
				     uint64_t steps)
{
	if (!budget)
		return true;
	budget->taken += steps;
	budget->left -= steps < budget->left ? steps : budget->left;
	return budget->left;
}

/* 'units' pieces of 'slots' slots each. 4x8 is units 4, slots 8, distinct:
 * four nodes, eight slots on each. 0x6 is units 6, slots 1, not distinct: six
 * slots on any nodes. slots 0 means the whole node: it must have all it has
 * free and is used up (distinct is implied).
 *
 * Where several resources are counted, 'need' is the share of a node that one
 * unit takes: n_dims numbers for each node type, type by type. Dimension 0 is
 * slots (CPUs) and never 0. Whole nodes still have slots 0. */
struct sgang_plan_member {
	uint32_t units;
	uint32_t slots;
	uint32_t ranks; /* ranks per unit; 0: as many as slots,
			 * for whole nodes the node's */
	uint32_t more;  /* units that have one rank more, because the
			 * ranks do not divide evenly: those on the
			 * nodes with the lowest numbers. Only with
			 * 'ranks' and 'distinct' */
	bool distinct;
	const struct sgang_nodeset *allowed; /* borrowed; NULL: every node */
	const uint32_t *need; /* borrowed; NULL: 'slots' of dimension
			       * 0 and nothing else, for slots 0
			       * SGANG_PLAN_ALL of each */
	const struct sgang_nodeset *required; /* borrowed; nodes that must
					       * be among its nodes, each with a
					       * unit at least; NULL: none. Not
					       * kept to with 'parallel' */
	/* Of units on distinct nodes: they come in segments of so many, each
	 * within one block of topology/block (--segment; without it all units
	 * are one); 0: they do not. A plan is looked for that keeps to this,
	 * but if none is found, and there may be one, it is one that does not.
	 * Nothing to 'parallel' and 'spread'. */
	uint32_t segment;
	bool spread_segments;      /* no two of them in one block by itself */
	bool consolidate_segments; /* all of them in one larger block */
};

/* A group of a gang that is a tree of groups: the gang itself is the first one,
 * and each follows the one it is in. */
struct sgang_plan_group {
	const char *name; /* borrowed; what messages call it */
	uint32_t parent;  /* which group; of the first SGANG_PLAN_NO_GROUP */
	uint32_t weight;  /* of its ring, SGANG_PLAN_WEIGHT_MAX at the most */
	uint32_t require; /* highest level that it may span, */
	uint32_t prefer;  /* and should; SGANG_LEVEL_UNCONNECTED: no limit */
	size_t first;     /* its members, those of the groups in it: */
	size_t n_members; /* 'first' and so many */
};

#define SGANG_PLAN_NO_GROUP UINT32_MAX
#define SGANG_PLAN_GROUP_DEPTH 5 /* the gang, and four groups in each other */
#define SGANG_PLAN_GROUPS_MAX 4096
#define SGANG_PLAN_WEIGHT_MAX 1000000

/* What is done for a placement of members that differ. */
enum sgang_effort {
	SGANG_EFFORT_PROOF, /* it is improved, and then proved, or not, that
			     * none is better */
	SGANG_EFFORT_GOOD,  /* it is improved */
	SGANG_EFFORT_ANY    /* the first that is found will do: whether members
			     * fit is asked */
};

struct sgang_plan_request {
	const struct sgang_fabric *fabric;
	const struct sgang_costs *costs;
	uint32_t n_dims;       /* resources, up to SGANG_PLAN_DIMS; 0
				* or 1: slots alone */
	const uint32_t *free;  /* what is free, and */
	const uint32_t *total; /* what there is: n_dims numbers for
				* each node, by node index */
	const uint8_t *type;   /* by node: which of the members' needs
				* counts; NULL: all are of type 0 */
	const struct sgang_plan_member *members; /* in ring order */
	size_t n_members;
	bool any_order;        /* the order of members in the ring is
				* free: one that costs less is looked
				* for, and runs come in it, the first
				* member first; 'bound' holds for all.
				* With 'spread' they are sorted on the
				* nodes that suit the order given.
				* Nothing to 'parallel' */
	uint32_t max_level;    /* `require:`: highest level the gang
				* may span; SGANG_LEVEL_UNCONNECTED:
				* no limit (`prefer:`) */
	bool spread;           /* `spread:`: each member inside one
				* domain of 'spread_level', no two in
				* the same */
	uint32_t spread_level; /* the domain of a node is the highest
				* above it of at most this level, else
				* the node (here an island) itself */
	const struct sgang_parallel *parallel; /* borrowed; NULL: the gang is
						* one ring */
	/* With 'parallel', by group: highest level that each of its rings may
	 * span; SGANG_LEVEL_UNCONNECTED: no limit. */
	uint32_t require[SGANG_PARALLEL_MAX];
	const struct sgang_plan_group *group; /* borrowed; not with 'parallel',
					       * 'spread', or members that
					       * require some of their nodes
					       * and not all */
	uint32_t n_groups;                    /* 0: the gang is one ring */
	const uint32_t *weight;               /* by node (Slurm's Weight of it);
				      * NULL: all alike */
	bool weight_first; /* weight comes before ring cost */
	enum sgang_effort effort;
	struct sgang_budget *budget; /* borrowed; NULL: SGANG_PLAN_STEPS. Plans
				      * that share one budget: a later plan has
				      * what is left */
};

struct sgang_placement {
	struct sgang_run *runs; /* in ring order, grouped by member */
	size_t n_runs;
	struct sgang_ring ring;
	uint64_t bound; /* no placement is cheaper than this;
			 * with weight_first: none that weighs
			 * as little */
	bool exact;     /* ring.cost == bound is proved optimal */
	/* with communication groups or a tree of groups, of whose weighted cost
	 * `bound` and `exact` speak then: */
	uint64_t weighted_cost;
	uint64_t above;   /* hops above what groups of a tree prefer; `bound`
			   * is of placements with as few */
	uint32_t *layout; /* by position of the ring: the rank;
			   * NULL: rank i at position i */
};

/* Why there is none: one row per domain that was looked at and came closest
 * (at the highest level that was allowed), best first, at most
 * SGANG_NOFIT_ROWS. With `spread` of two or more members: one per domain of
 * that level that has no room for a member, and the numbers above the rows
 * count members and domains that have room for one. */
#define SGANG_NOFIT_ROWS 16
#define SGANG_NOFIT_ALL UINT32_MAX
struct sgang_nofit {
	bool unproved;      /* no place was found, though there may be one;
			     * else there is none, for certain */
	char text[256];     /* one sentence */
	char who[48];       /* "member 2: " when only some lack
			     * something, else "" */
	uint32_t member;    /* the first of those whose units are
			     * counted; SGANG_NOFIT_ALL: slots of
			     * all of them are */
	uint64_t free;      /* units (or slots) that fit on all
			     * nodes together */
	uint64_t needed;    /* 0: a group cannot have the level it
			     * requires, or 'best' is a node that
			     * 'member' requires; only 'text' tells
			     * more */
	uint32_t slots;     /* of one unit; 0: a whole node */
	char best[64];      /* the place that comes closest, */
	uint64_t best_free; /* and what fits there */
	size_t n_rows;
	struct {
		uint32_t domain;
		uint64_t free; /* units (or slots) that fit there */
		uint64_t needed;
	} row[SGANG_NOFIT_ROWS];
};

/* True if a domain has a row: it is one of the highest that the gang may span.
 */
bool sgang_nofit_has_row(const struct sgang_plan_request *request,
			 uint32_t domain);
/* Insert a domain into the rows, best first. */
void sgang_nofit_row(struct sgang_nofit *nofit, uint32_t domain, uint64_t free,
		     uint64_t needed);

/* Returns 1 and '*placement' (free with sgang_placement_destroy()); 0 when it
 * does not fit, with 'nofit' filled (may be NULL); -1 with errno EINVAL (no
 * member, 0 units, a need of 0 slots, too many dimensions, groups that do not
 * make as many ranks as the members have) or ENOMEM and 'err' filled. The time
 * is bounded by the budget. A placement that was not proved before the budget
 * ended has exact = false and the bound. */
int sgang_plan(const struct sgang_plan_request *request,
	       struct sgang_placement **placement, struct sgang_nofit *nofit,
	       struct sgang_error *err);

/* Resources that are counted: 1 or more. */
static inline uint32_t sgang_plan_dims(const struct sgang_plan_request *request)
{
	return request->n_dims ? request->n_dims : 1;
}

/* Amount of a dimension of a node that one unit of a member takes. */
uint32_t sgang_plan_need(const struct sgang_plan_request *request,
			 const struct sgang_plan_member *member, uint32_t node,
			 uint32_t dim);

/* Units of a member that fit on a node with so much free (n_dims numbers), not
 * more than it has; 1 at the most if it is distinct. */
uint32_t sgang_plan_fits(const struct sgang_plan_request *request,
			 const struct sgang_plan_member *member, uint32_t node,
			 const uint32_t *free);

/* Take 'units' of a member, which fit there, from what is free on a node. */
void sgang_plan_take(const struct sgang_plan_request *request,
		     const struct sgang_plan_member *member, uint32_t node,
		     uint32_t units, uint32_t *free);

/* Does not every node weigh the same? */
bool sgang_plan_weights_differ(const struct sgang_plan_request *request);

/* The weight of a placement, as answers to 'request' are compared. 0, or -1
 * with ENOMEM. */
int sgang_plan_weigh(const struct sgang_plan_request *request,
		     const struct sgang_placement *placement, uint64_t *weight);

/* The ring of one group of the request: its members' ranks on the nodes of a
 * placement, in the order of the fabric. 0, or -1 with ENOMEM. */
int sgang_plan_group_ring(const struct sgang_plan_request *request,
			  const struct sgang_placement *placement,
			  uint32_t group, struct sgang_ring *ring);

/* Make a placement that was planned by nodes, the answer to 'request', one by
 * islands: 'runs' (malloc'd, taken over in every case) are the same slots by
 * island of 'devices'. Costs are measured anew. A bound on plans of nodes is a
 * bound on plans of islands; with 'same_inside' the islands add the same to
 * every plan, so a proof stays valid. Returns 1; 0 when it does not keep to the
 * levels of the request, of which a node was one, and '*nofit' says so and
 * nothing else; or -1 with ENOMEM and 'err'. 'placement' is to be destroyed in
 * every case. */
int sgang_plan_inside(const struct sgang_plan_request *request,
		      const struct sgang_devices *devices,
		      struct sgang_run *runs, size_t n_runs, bool same_inside,
		      struct sgang_placement *placement,
		      struct sgang_nofit *nofit, struct sgang_error *err);

/* Sort the members of a placement, on the nodes they have, so that the ring
 * costs less; the first stays the first. A short search; if it finds no cheaper
 * order, nothing changes. Only fabric, costs and budget of the request, and
 * runs and ring of the placement are used. 0, or -1 with ENOMEM and nothing
 * changed. */
int sgang_plan_arrange(const struct sgang_plan_request *request,
		       struct sgang_placement *placement);

/* The same for the nodes of each member, while the members stay in their order.
 * The islands of a node stay side by side. This cannot fail. */
void sgang_plan_arrange_nodes(const struct sgang_plan_request *request,
			      struct sgang_placement *placement);

/* The same for the nodes of one member, while all others stay as they are: no
 * order of its nodes costs less. 'runs' is the whole ring, in which the runs of
 * the member are together. 0, or -1 with ENOMEM and nothing changed. */
int sgang_plan_arrange_member(const struct sgang_fabric *fabric,
			      struct sgang_run *runs, size_t n_runs,
			      uint32_t member);

/* NULL is fine. Keeps errno. */
void sgang_placement_destroy(struct sgang_placement *placement);

#endif
