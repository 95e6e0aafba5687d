/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_private.h - what the files of the planner share
 *
 * Every file calls those that stand below it here, and none above it.
 *
 *   plan.c         any order of the members, or the one that is given
 *   segments.c     ... nodes in segments, each within a block
 *   segments_tree.c ... by a tree of groups
 *   segments_rule.c ... which nodes will do (segments_private.h)
 *   reorder.c      ... a better order
 *   dispatch.c     the request is checked, and goes to its solver:
 *   grid.c         communication groups, a layer around the others
 *   grid_order.c   ... which rank goes to which place
 *   grid_blocks.c  ... how many units go where, so that rings stay whole
 *   grid_cut.c     ... what a set of ranks cuts at the least
 *   grid_deal.c    ... which member has which unit
 *   roles.c        trees of groups (roles_private.h)
 *   cuts.c         ... by cuts (cuts_private.h), and members of one node each,
 *                  in any order
 *   cuts_bound.c   ... no placement is cheaper
 *   cuts_search.c  ... units and groups taken out and put in again
 *   cuts_build.c   ... whole groups into the domains that are cheapest
 *   cuts_spot.c    ... the cheapest node for one unit
 *   cuts_order.c   ... pieces of a ring in a cheap order
 *   cuts_seats.c   ... where the order is given
 *   cuts_hops.c    ... what hops cost then
 *   cuts_state.c   ... where units are, and what that costs
 *   roles_exact.c  ... small ones: the best of all placements
 *   roles_lay.c    ... which units go to places that are chosen
 *   roles_cut.c    ... what a number of units cuts at the least
 *   roles_model.c  ... the tree, what places cost, a placement
 *   spread.c       members in different domains: alike ones exactly
 *   spread_mixed.c ... members of different shapes
 *   spread_nofit.c ... why there are too few domains
 *   one_ring.c     all members in one ring
 *   prove.c        ... small gangs: every placement that can be the best
 *   required.c     ... members some of whose nodes are given
 *   mixed.c        members of different kinds, construction by construction
 *   route.c        ... leaf by leaf: over which leaves
 *   walk.c         ... and how the ring is laid over them
 *   blocks.c       ... blocks of members that are alike, by cuts
 *   bound.c        what members of several kinds cost at the least
 *   share.c        ... on distinct nodes that they share
 *   fit.c          ... first fit, domain by domain
 *   pack.c         ... any layout that there is
 *   layout.c       ... the layout at hand and the best one
 *   improve.c      ... moves, swaps and turns
 *   nofit.c        why it does not fit
 *   arrange.c      the cheapest order on the nodes that members have
 *   tour.c         ... in which they follow, begin and end
 *   alike.c        members as units that are all alike
 *   tree.c         ... exact, bottom-up over the fabric
 *   choose.c       ... which children of one domain to use, and how far
 *   tidy.c         ... ties: best fit
 *   front.c        ... Pareto fronts of cost against capacity
 *   hull.c         ... their convex hulls, for bounds
 *   weight.c       weights of nodes
 *   job.c          the model of a request: members, kinds, needs
 *
 * With the set of used nodes fixed, depth-first order is the cheapest ring, and
 * its cost is (ranks * hop[island]) plus, for every used domain d strictly
 * below the common one, hop[level above d] - hop[level of d]. The cost does not
 * depend on how much of a used domain is used. A solver therefore needs to know
 * only the front of a domain: the least cost of having at least c units in it,
 * for each c.
 *
 * All that a plan holds is in its pool, which it leaves at once when there is no
 * memory (core/base/pool.h): nobody here has to look whether there is some.
 */

#ifndef SGANG_PLAN_PRIVATE_H
#define SGANG_PLAN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/pool.h"
#include "plan.h"

/* A price (see struct sgang_coin; a cost where nodes are alike) and, below it,
 * the wholly free space that is broken: price << shift | broken, so that adding
 * and comparing keys adds and compares in that order. */
typedef int64_t sgang_plan_key;

/* No sum of all keys of one call is above this. */
#define SGANG_PLAN_KEY_MAX (INT64_C(1) << 61)

/* -- parts -- */

/* Parts that could be taken away. doc/performance.md has the worth of each,
 * measured by tests/bench/bench-solvers. */
enum sgang_part {
	SGANG_PART_SHARES,
	SGANG_PART_WALKS,
	SGANG_PART_BLOCKS,
	SGANG_PART_SEATS,
	SGANG_PART_DOMAINS,
	SGANG_PART_IMPROVE,
	SGANG_PART_PROVE,
};

/* -- the budget -- */

/* The most that each part of a plan may take, in steps out of SGANG_PLAN_STEPS;
 * of a smaller budget the same share. All searches of a part share it, unless
 * its name says 'one'. */
#define SGANG_STEPS_WALKS 3000000
#define SGANG_STEPS_ONE_WALK 600000
#define SGANG_STEPS_IMPROVE 30000
#define SGANG_STEPS_IMPROVE_ONE 8000
#define SGANG_STEPS_SEATS 150000
#define SGANG_STEPS_PACK 4000000
#define SGANG_STEPS_SHARE 1000000
#define SGANG_STEPS_SHARE_FEW 100000 /* members one by one */
#define SGANG_STEPS_SPREAD 200000    /* compartments that members try */
#define SGANG_STEPS_BEAM 300000      /* one of eight */
#define SGANG_STEPS_ARRANGE 100000

/* Limits that a budget may bring along. Those above `tree_steps_first` are in
 * steps out of SGANG_PLAN_STEPS, as SGANG_STEPS_* are; the others hold for any
 * budget. */
struct sgang_plan_limits {
	uint64_t prove_tries;      /* steps of one search of prove.c */
	uint64_t blocks_steps;     /* of one run of grid_blocks.c */
	uint64_t cut_steps;        /* of one table of grid_cut.c */
	uint64_t order_hops;       /* of grid_order.c */
	uint64_t cuts_steps;       /* of cuts.c, of all that it tries */
	uint64_t cuts_piece_steps; /* ... of members of several units */
	uint64_t cuts_tree_steps;  /* ... for a tree that has a placement */
	uint64_t roles_exact_steps;
	uint64_t roles_blocks_steps;
	uint64_t roles_cut_steps;
	uint64_t roles_lay_steps;
	uint64_t tree_steps_first; /* merging in one tree, before hulls, */
	uint64_t tree_steps_again; /* ... and before fronts are short */
	uint64_t choose_steps;     /* partial choices of one proof */
	size_t tired_points;       /* of a front, when it is short */
	uint32_t without;          /* bits of enum sgang_part: these parts
				      * are left out */
};

/* limits.c */
extern const struct sgang_plan_limits sgang_plan_limits_default;

static inline const struct sgang_plan_limits *
sgang_budget_limits(const struct sgang_budget *budget)
{
	return budget && budget->limits ? budget->limits :
					  &sgang_plan_limits_default;
}

/* False if this part is left out. */
static inline bool sgang_part(const struct sgang_budget *budget,
			      enum sgang_part part)
{
	return !(sgang_budget_limits(budget)->without >> part & 1);
}

/* Without a budget there is no end. */
static inline uint64_t sgang_budget_left(const struct sgang_budget *budget)
{
	return budget ? budget->left : UINT64_MAX;
}

/* The share of this budget for so many steps out of SGANG_PLAN_STEPS, at most
 * what is left.
 */
static inline uint64_t sgang_budget_share(const struct sgang_budget *budget,
					  uint64_t steps)
{
	if (!budget)
		return steps;
	if (budget->whole < SGANG_PLAN_STEPS)
		steps = (uint64_t)((double)steps * (double)budget->whole /
				   (double)SGANG_PLAN_STEPS);
	return steps < budget->left ? steps : budget->left;
}

/* Leave a share of it to the next part. Returns what is to be given back after
 * that. */
static inline uint64_t sgang_budget_narrow(struct sgang_budget *budget,
					   uint64_t steps)
{
	uint64_t aside =
		budget ? budget->left - sgang_budget_share(budget, steps) : 0;

	if (budget)
		budget->left -= aside;
	return aside;
}

static inline void sgang_budget_widen(struct sgang_budget *budget,
				      uint64_t aside)
{
	if (budget)
		budget->left += aside;
}

/* -- front.c -- */

/* At least 'cap' units cost 'key'. */
struct sgang_point {
	sgang_plan_key key;
	uint64_t cap;
};

/* Points with cap and key both strictly rising; (0, 0) is implied. */
struct sgang_front {
	struct sgang_point *point;
	uint32_t n;
};

/* A reason to keep a point: key - price * cap is at most so much. */
struct sgang_band {
	double price;
	double spare; /* above the best use of all children */
	double alone; /* for a point of the child at hand */
	double most;  /* for a sum of points of all children
		       * so far */
};

/* A band for each level that a common domain may have. */
#define SGANG_BANDS_MAX SGANG_LEVELS

/* Work space of the merging, and how hard it may work. */
struct sgang_front_work {
	struct sgang_point *list[4];
	size_t room[4];
	size_t n;             /* points in list[0], (0, 0) first */
	uint64_t need;        /* more units than this are no use */
	sgang_plan_key limit; /* nor are points above this key, */
	struct sgang_band band[SGANG_BANDS_MAX];
	uint32_t n_bands;        /* nor those in no band; 0: no bands */
	struct sgang_pool *pool; /* of the lists */
	uint64_t steps;
	uint64_t steps_max;          /* fronts are kept short from then on */
	struct sgang_budget *budget; /* ... and when this has ended */
	bool thinned;
};

/* Begin with nothing chosen, add children, take the result: a copy in 'pool'
 * with 'key' added to every point and without (0, 0). */
void sgang_front_begin(struct sgang_front_work *work);
void sgang_front_add(struct sgang_front_work *work,
		     const struct sgang_front *child);
void sgang_front_take(struct sgang_front_work *work, struct sgang_pool *pool,
		      sgang_plan_key key, struct sgang_front *front);

/* The first point with cap >= need, or NULL. */
const struct sgang_point *sgang_front_find(const struct sgang_front *front,
					   uint64_t need);

/* -- hull.c -- */

/* The linear relaxation of having some units in a domain: the cost of one unit
 * more, and the least cost of all. */
struct sgang_price {
	double value;
	double bound; /* below 0: not so many fit */
};

/* The hull of a front. */
void sgang_hull_of_front(const struct sgang_front *front,
			 struct sgang_pool *pool, struct sgang_front *hull);

/* The hull of a domain whose own cost is 'key' from its children's hulls, and
 * the price of 'need' units in it, without its own cost. */
void sgang_hull_of_children(const struct sgang_front *child,
			    uint32_t n_children, sgang_plan_key key,
			    uint64_t need, struct sgang_pool *pool,
			    struct sgang_front *hull,
			    struct sgang_price *price);

/* The price alone, in less time than the hull. */
void sgang_hull_price(const struct sgang_front *child, uint32_t n_children,
		      uint64_t need, struct sgang_pool *pool,
		      struct sgang_price *price);

/* The least that key - price * cap can be in a domain; 0 when not using it is
 * best. */
double sgang_hull_support(const struct sgang_front *hull, double price);

/* -- choose.c -- */

/* The values of keys: multiples of 'cost' in their upper part, of 'broken' in
 * the lower one (0: always 0). Proofs become shorter by rounding to it. */
struct sgang_grain {
	uint64_t cost;
	uint64_t broken;
	uint32_t shift;
};

/* The highest key that can be, below this one; less than 0: none. */
sgang_plan_key sgang_grain_below(const struct sgang_grain *grain,
				 sgang_plan_key key);

/* The children of one domain, and the point of each that is chosen. */
struct sgang_choice {
	const struct sgang_front *front; /* by child */
	const uint64_t *full;            /* by child: all units that fit */
	uint32_t n;
	uint64_t need;
	bool rough; /* not worth a long search */
	struct sgang_budget *budget;
	struct sgang_pool *pool;
	uint32_t *item;       /* by child: point + 1; 0: not used */
	sgang_plan_key key;   /* what the choice costs */
	sgang_plan_key bound; /* no choice is cheaper */
	bool exact;           /* key is proved to be least */
};

/* Fill 'item', 'key', 'bound' and 'exact'. False when the children do not hold
 * 'need' units or no choice is below 'limit'. */
bool sgang_choose(struct sgang_choice *choice, const struct sgang_grain *grain,
		  sgang_plan_key limit);

/* -- tidy.c -- */

/* Exchange chosen children for others of the same key that leave less unused
 * space behind, then for those that come first. */
void sgang_choose_tidy(struct sgang_choice *choice);

/* -- job.c -- */

/* Members that ask for the same: what a unit is, and where it may be. */
struct sgang_kind {
	uint32_t slots;       /* of a unit; 0 when whole. Where needs
			       * are given, no more than a word for
			       * the user */
	const uint32_t *need; /* as a member's, never NULL */
	uint32_t ranks;       /* of a unit; 0: the node's slots */
	bool whole;
	const struct sgang_nodeset *allowed; /* NULL: every node */
	uint64_t units;                      /* of all its members */
	uint64_t per_node; /* at most so many units on one node */
	uint32_t first;    /* its first member */
};

/* A request, looked through. */
struct sgang_job {
	const struct sgang_plan_request *request; /* n_dims 1 or more */
	uint32_t n_types;
	struct sgang_pool *pool;
	struct sgang_kind *kind;
	uint32_t n_kinds;
	uint32_t *kind_of; /* by member */
	uint64_t units;
	const struct sgang_coin *coin; /* NULL: weights do not matter */
};

/* A member never has two units on one node when it is distinct. */
static inline bool sgang_member_distinct(const struct sgang_plan_member *member)
{
	return (member->distinct || !member->slots) && member->units > 1;
}

/* Needs are for so many types of nodes. */
uint32_t sgang_request_types(const struct sgang_plan_request *request);
/* Sort members into kinds. */
void sgang_job_find_kinds(struct sgang_job *job);
/* The free resources of a node: n_dims numbers. */
const uint32_t *sgang_job_free(const struct sgang_job *job, uint32_t node);
/* The amount that one unit takes of a dimension of a node. */
uint32_t sgang_kind_need(const struct sgang_job *job,
			 const struct sgang_kind *kind, uint32_t node,
			 uint32_t dim);
/* Units of this kind that fit on a node with so much free. */
uint32_t sgang_kind_fits(const struct sgang_job *job,
			 const struct sgang_kind *kind, uint32_t node,
			 const uint32_t *free);
/* True if a unit of any kind fits into what is free on a node. */
bool sgang_job_any_fits(const struct sgang_job *job, uint32_t node);
/* Take units from what is free on a node, or give them back. */
void sgang_kind_take(const struct sgang_job *job, const struct sgang_kind *kind,
		     uint32_t node, uint32_t units, uint32_t *free);
void sgang_kind_give_back(const struct sgang_job *job,
			  const struct sgang_kind *kind, uint32_t node,
			  uint32_t units, uint32_t *free);
/* The least that a unit of a kind takes of a dimension on any node. */
uint32_t sgang_kind_least(const struct sgang_job *job,
			  const struct sgang_kind *kind, uint32_t dim);

/* Ranks of one unit of this kind on a node. */
uint32_t sgang_kind_ranks(const struct sgang_job *job,
			  const struct sgang_kind *kind, uint32_t node);

/* The level of the lowest domains, where two nodes of one meet: LEAF, or NODE
 * in a device fabric (devices.h), whose "nodes" are islands. */
uint32_t sgang_plan_lowest(const struct sgang_plan_request *request);
/* True if no domain above this one is allowed. */
bool sgang_plan_highest(const struct sgang_plan_request *request,
			uint32_t domain);
/* Cost of using a domain below its parent, which it has. */
static inline uint32_t sgang_plan_step(const struct sgang_plan_request *request,
				       uint32_t domain)
{
	const struct sgang_domain *below = sgang_fabric_domain(request->fabric,
							       domain);
	const struct sgang_domain *above = sgang_fabric_domain(request->fabric,
							       below->parent);

	return request->costs->hop[above->level] -
	       request->costs->hop[below->level];
}

/* The slots of every domain that is wholly free, by domain; of the others 0. */
uint64_t *sgang_find_broken(const struct sgang_plan_request *request,
			    struct sgang_pool *pool);
/* The sum of these over the domains that a placement uses. */
uint64_t sgang_count_broken(const struct sgang_plan_request *request,
			    struct sgang_pool *pool, const uint64_t *broken,
			    const struct sgang_run *runs, size_t n_runs);

/* A placement of these runs, which are copied, without bound. */
struct sgang_placement *sgang_job_place(const struct sgang_job *job,
					const struct sgang_run *runs,
					size_t n_runs);
/* A placement that lives as long as this pool. */
struct sgang_placement *
sgang_placement_copy(const struct sgang_placement *placement,
		     struct sgang_pool *pool);
/* Give the units that have one rank more theirs, those of a member on its lowest
 * nodes, and measure the ring. O(n log n). */
void sgang_plan_deal_more(const struct sgang_plan_request *request,
			  struct sgang_pool *pool,
			  struct sgang_placement *placement);

/* -- weight.c -- */

/* As sgang_plan_weigh(). */
uint64_t sgang_plan_weight(const struct sgang_plan_request *request,
			   struct sgang_pool *pool,
			   const struct sgang_placement *placement);
/* Does weight come first, and do nodes differ in it? */
bool sgang_plan_by_weight(const struct sgang_plan_request *request);

/* Cost and weight in one number: a price. The price is (cost * 'cost' + weight
 * * 'weight'), one of the two being 1 and the other above all sums of what
 * comes second, so that prices are added and compared as both are in their
 * order. */
struct sgang_coin {
	uint64_t cost;
	uint64_t weight;
	/* Where cost is counted apart, what comes with it is a tie: (weight *
	 * 'tie' + what is broken). */
	uint64_t tie;
	/* How much heavier than the lightest: by position; or by domain, where
	 * the lowest domains are nodes and the places islands. The other is
	 * NULL. */
	const uint32_t *at;
	const uint32_t *in;
};

/* The coin of a request with its kinds, from its pool; NULL when all nodes that
 * matter weigh the same. 'broken' as in struct sgang_tree. */
struct sgang_coin *sgang_coin_find(const struct sgang_job *job,
				   const uint64_t *broken);
/* Take a price apart. Without a coin it is a cost. */
uint64_t sgang_coin_cost(const struct sgang_coin *coin, uint64_t price);
uint64_t sgang_coin_weight(const struct sgang_coin *coin, uint64_t price);
/* The amount that the first use of a node adds to the tie: at a position and,
 * if that is its first, in its lowest domain. */
static inline uint64_t sgang_coin_at(const struct sgang_coin *coin,
				     uint32_t pos)
{
	return coin && coin->at ? coin->at[pos] * coin->tie : 0;
}
static inline uint64_t sgang_coin_in(const struct sgang_coin *coin, uint32_t d)
{
	return coin && coin->in ? coin->in[d] * coin->tie : 0;
}
/* How much heavier a node is than the lightest. */
uint32_t sgang_coin_above(const struct sgang_job *job, uint32_t node);
/* True if the first placement is better, by cost and then tie. */
bool sgang_coin_better(const struct sgang_coin *coin, uint64_t cost_a,
		       uint64_t tie_a, uint64_t cost_b, uint64_t tie_b);
/* The tie of a placement by the job's coin. */
uint64_t sgang_coin_tie(const struct sgang_job *job, const uint64_t *broken,
			const struct sgang_run *runs, size_t n_runs);

struct sgang_tree;

/* -- alike.c -- */

/* The request of one kind on a node, or the least of all kinds. */
struct sgang_demand {
	uint64_t units;
	uint64_t ranks; /* of all units, at the least */
	const struct sgang_kind *kind;
	uint32_t n_kinds;
};

/* The demand as units that are all alike: fills the question of 'tree' from
 * the pool, and 'ranks'. */
void sgang_demand_tree(const struct sgang_job *job, struct sgang_demand *demand,
		       const uint64_t *broken, struct sgang_tree *tree);
/* The same for a job of one kind. */
void sgang_job_alike(const struct sgang_job *job, const uint64_t *broken,
		     struct sgang_tree *tree);
/* The request in one dimension: so many slots, say, of it anywhere, whatever
 * they are used for. Fills the question of 'tree' from the pool. Its bound is
 * what a placement costs at least beyond (ranks * hop[island]); with 'need' 0
 * nobody asks for any. */
void sgang_job_in_dim(const struct sgang_job *job, uint32_t dim,
		      const uint64_t *broken, struct sgang_tree *tree);

/* Lay the members, of one kind, over the picked nodes of a tree: a placement
 * without bound. NULL when a member would share a node with itself that must
 * not. */
struct sgang_placement *sgang_job_lay(const struct sgang_job *job,
				      const struct sgang_tree *tree);

/* -- bound.c -- */

/* A lower bound for every placement of several kinds: cost first, then what is
 * broken at that cost. */
struct sgang_bound {
	uint64_t cost;
	uint64_t broken;
	uint64_t ranks; /* what hops inside of nodes cost, if
			 * every rank had one, at the least */
};

/* True if costs from a tree hold for placements of any weight. */
bool sgang_cost_first(const struct sgang_job *job);

/* A relaxation says that ranks apart it costs 'extra' at least. */
void sgang_bound_raise(struct sgang_bound *bound, uint64_t extra,
		       uint64_t broken);

/* Bounds of each kind alone, and of all as if they were of the smallest one.
 * Other kinds only add to what one alone has to pay. 'solved' is the solved
 * tree of a job of one kind, or NULL. Returns 1, 0 when one of them already
 * does not fit, -1 with EOVERFLOW. */
int sgang_bound_find(const struct sgang_job *job, const uint64_t *broken,
		     const struct sgang_tree *solved,
		     struct sgang_bound *bound);

/* The request by value: each unit of a kind is worth so much (by kind), and a
 * node holds the value of the best mixture that fits. Otherwise as
 * sgang_job_in_dim(). */
void sgang_job_by_value(const struct sgang_job *job, const uint32_t *value,
			const uint64_t *broken, struct sgang_tree *tree);

/* -- required.c -- */

/* True if any member requires nodes. */
bool sgang_request_requires(const struct sgang_plan_request *request);
/* ... of which some are only some of those that it needs. */
bool sgang_request_requires_some(const struct sgang_plan_request *request);

/* A request whose members that require nodes are two: a unit on each of these,
 * and the others. */
struct sgang_halves {
	const struct sgang_plan_request *asked;
	struct sgang_plan_request request;
	struct sgang_job job;
	struct sgang_plan_member *member;
	uint32_t *of; /* by member: that of 'asked' */
};

/* The half on required nodes comes first in the ring, or 'last'. False when a
 * member requires more nodes than it has units. */
bool sgang_halves_make(const struct sgang_job *job, bool last,
		       struct sgang_halves *halves);
/* Make runs of halves runs of the members. */
void sgang_halves_join(const struct sgang_halves *halves,
		       struct sgang_run *runs, size_t *n_runs);

/* Let members have no nodes but those that they require, if these are all that
 * they want; with 'spread', only nodes in a domain that holds all they require,
 * with room. */
void sgang_confine(struct sgang_plan_request *request, struct sgang_pool *pool);
/* Let members of such a placement have what they require, instead of others. */
void sgang_have_required(const struct sgang_job *job,
			 struct sgang_placement *placement);
/* Let a set, which was made just now, end with the pool. Returns it. */
struct sgang_nodeset *sgang_plan_set(struct sgang_pool *pool,
				     struct sgang_nodeset *set);

/* If a required node has no room, report that alone. */
void sgang_required_nofit(const struct sgang_plan_request *request,
			  struct sgang_nofit *nofit);

/* -- one_ring.c -- */

/* The placement of one ring. Returns 1, 0 when none was found, -1 with
 * EOVERFLOW. */
int sgang_job_plan(const struct sgang_job *job, const uint64_t *broken,
		   struct sgang_placement **placement);

/* -- plan.c -- */

/* sgang_pool_run(). When it fails, the budget (may be NULL) is without what was
 * taken, and no more. */
int sgang_plan_run(struct sgang_budget *budget,
		   int (*run)(struct sgang_pool *pool, void *arg), void *arg);

/* sgang_plan() as a part of what runs; the placement is in 'pool'. */
int sgang_plan_in(struct sgang_pool *pool,
		  const struct sgang_plan_request *request,
		  struct sgang_placement **placement, struct sgang_nofit *nofit,
		  struct sgang_error *err);

/* -- dispatch.c -- */

/* sgang_plan() of members in the order given, whatever any_order says; with
 * that the bound is one for any order. The placement is in 'pool'. */
int sgang_plan_ordered(const struct sgang_plan_request *request,
		       struct sgang_pool *pool,
		       struct sgang_placement **placement,
		       struct sgang_nofit *nofit, struct sgang_error *err);

/* -- segments.c -- */

/* Replace a placement that does not keep to segments by one that does, if one
 * is found. False when there is none, with 'nofit' (may be NULL) filled. */
bool sgang_segments_keep(const struct sgang_plan_request *request,
			 struct sgang_pool *pool,
			 struct sgang_placement **placement,
			 struct sgang_nofit *nofit);

/* -- reorder.c -- */

/* Keep the better of two placements, and what both have proved. '*best' may be
 * NULL. */
void sgang_plan_keep(const struct sgang_plan_request *request,
		     struct sgang_pool *pool, struct sgang_placement *made,
		     struct sgang_placement **best);

/* Are two members interchangeable? */
bool sgang_members_same(const struct sgang_plan_request *request,
			const struct sgang_plan_member *a,
			const struct sgang_plan_member *b);

/* True if any_order makes a difference to this request. */
bool sgang_any_matters(const struct sgang_plan_request *request);
/* The one member that differs from all others, which are alike: they can take
 * each other's places, so every order will do though members are to keep theirs.
 * UINT32_MAX: that is not so. */
uint32_t sgang_any_odd(const struct sgang_plan_request *asked);
/* Number the alike members as they come in the ring. */
void sgang_any_number(struct sgang_placement *made, struct sgang_pool *pool,
		      uint32_t odd, uint32_t n_members);

/* Replace a placement by one of members in a better order, if there is one,
 * and let it begin with the first of them. 0, or -1 with errno set as by
 * sgang_plan(). */
int sgang_any_order(const struct sgang_plan_request *request,
		    struct sgang_pool *pool,
		    struct sgang_placement **placement);

/* -- costs -- */

/* What a hop between two nodes costs more than one in an island. */
static inline int64_t sgang_plan_hop(const struct sgang_fabric *fabric,
				     const struct sgang_costs *costs,
				     uint32_t a, uint32_t b)
{
	return (int64_t)costs->hop[sgang_fabric_meet(fabric, a, b)] -
	       costs->hop[SGANG_LEVEL_ISLAND];
}

/* -- tour.c -- */

/* Members in a ring, on given nodes. */
struct sgang_tour {
	const struct sgang_fabric *fabric;
	const struct sgang_costs *costs;
	struct sgang_budget *budget;
	uint32_t n;      /* members */
	uint32_t *first; /* by member, and the end: where its nodes are in */
	uint32_t *node;  /* ... this list, each once, in the order of the
			  * fabric */
	uint32_t *order; /* members, in the order at hand */
	uint32_t *from, *to; /* by member: the nodes it begins and ends with */
};

/* Find a cheap order, as long as it costs more than 'floor'; 'order' is what to
 * begin with. Returns what the hops cost more than as many in an island. */
int64_t sgang_tour_find(struct sgang_tour *tour, int64_t floor);

/* As sgang_plan_arrange(). */
void sgang_arrange(const struct sgang_plan_request *request,
		   struct sgang_pool *pool, struct sgang_placement *placement);

/* Turn a ring so that it begins with this member, which is in it. 'scratch' has
 * room for as many runs. */
void sgang_arrange_begin(struct sgang_run *runs, size_t n_runs, uint32_t member,
			 struct sgang_run *scratch);

/* -- tree.c -- */

/* 'units' of the units on the node at this position. */
struct sgang_pick {
	uint32_t pos;
	uint32_t units;
};

/* K units that are all alike, at least cost. */
struct sgang_tree {
	/* the question */
	const struct sgang_plan_request *request;
	uint64_t need;                 /* K */
	uint64_t ranks;                /* of all units, at the least */
	bool unit;                     /* no cap is above 1 */
	const uint32_t *cap;           /* by position: units that fit */
	const uint32_t *more;          /* by position: ranks above 'ranks' of a
					* unit there; NULL: none */
	const uint32_t *left;          /* by position: free slots */
	const uint64_t *broken;        /* by domain: its slots when it is
					* wholly free, else 0 */
	const struct sgang_coin *coin; /* NULL: weights do not matter */
	bool free_nodes;               /* using a node costs nothing */
	bool rough;                    /* the first good answer will do */
	/* The units are part of a larger ring, which spans a domain of this
	 * level at the least: they pay for all they use below it. 0: they are
	 * the ring. */
	uint32_t reach;
	/* the answer */
	uint32_t domain;         /* holds it all */
	struct sgang_pick *pick; /* in the order of positions */
	size_t n_picks;
	/* No placement costs less (with weights first, none that weighs as
	 * little as the answer), and none that costs as much breaks less: with
	 * a coin, has a lower tie. */
	uint64_t bound;
	uint64_t bound_broken;
	bool exact; /* all criteria are proved */
};

/* Returns 1 and fills the answer ('pick' from 'pool'), 0 when it does not fit,
 * -1 with EOVERFLOW. With 'bound_only' nothing but 'bound' is filled. */
int sgang_tree_solve(struct sgang_tree *tree, struct sgang_pool *pool,
		     bool bound_only);

/* May the gang of this request span this domain? */
bool sgang_tree_allowed(const struct sgang_plan_request *request,
			uint32_t domain);

/* All units of a tree in one domain, or on one node, asked for each of them. */
struct sgang_inside;

/* Look at every domain of 'level' or below in a domain that is allowed. 'tree'
 * (its question, without `used` and `free_nodes`) and 'pool' must live on; the
 * rest ends with the pool. NULL with EOVERFLOW. */
struct sgang_inside *sgang_inside_open(struct sgang_tree *tree, uint32_t level,
				       struct sgang_pool *pool);

/* True if all its costs are the least. */
bool sgang_inside_least(const struct sgang_inside *inside);
/* ... and was what is broken then, and what was picked so far? */
bool sgang_inside_exact(const struct sgang_inside *inside);

/* The price of all units in this domain as a part of a ring that goes on to
 * other children of its parent: (ranks * hop[island]), the steps of all used
 * domains, itself included, and what nodes weigh; and what they break. False
 * when they do not fit. */
bool sgang_inside_domain(const struct sgang_inside *inside, uint32_t domain,
			 uint64_t *price, uint64_t *broken);

/* The same for the node at a position, as a child of its lowest domain. */
bool sgang_inside_node(const struct sgang_inside *inside, uint32_t pos,
		       uint64_t *price, uint64_t *broken);

/* Units that fit into a domain of any level. */
uint64_t sgang_inside_room(const struct sgang_inside *inside, uint32_t domain);

/* Fill the answer of the tree for a domain into which the units fit. */
void sgang_inside_pick(struct sgang_inside *inside, uint32_t domain);

/* -- nofit.c -- */

/* Say why nothing was found. */
void sgang_nofit_explain(const struct sgang_job *job,
			 struct sgang_nofit *nofit);

/* -- spread.c -- */

/* Each member in another domain of request->spread_level; there are two or
 * more. Returns 1 and the placement, 0 with 'nofit' (may be NULL), or -1 with
 * EOVERFLOW. 'broken' as in struct sgang_tree. */
int sgang_spread_plan(const struct sgang_job *job, const uint64_t *broken,
		      struct sgang_placement **placement,
		      struct sgang_nofit *nofit);

/* -- mixed.c -- */

/* A joint placement of members of different kinds, in 'runs' (from the pool).
 * Returns 1, 0 when none was found, -1 with EOVERFLOW. 'bound' is what no
 * placement can be cheaper than, and none that costs as much breaks less (with
 * weights: has a lower tie) than 'bound_broken'; both may be changed for a
 * higher bound, and the search ends when they are reached. 'fixed' of the bound
 * is for ranks: (ranks * hop[island]). 'broken' as in struct sgang_tree. */
int sgang_mixed_solve(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t fixed, uint64_t *bound, uint64_t *bound_broken,
		      struct sgang_run **runs, size_t *n_runs);

/* -- share.c -- */

/* The least cost of the members, of one kind, beyond (ranks * hop[island]),
 * each a path of its own; and the least that any placement of them breaks.
 * 'broken' as in struct sgang_tree. 0, or -1 with EOVERFLOW. */
int sgang_share_bound(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t *bound, uint64_t *bound_broken);

/* -- prove.c -- */

/* Look for a placement better than the known one, which breaks so much (with
 * weights: has this tie). A better one is put in 'runs' (from the pool), else
 * they are untouched. 'bound' is raised to the least cost of any placement.
 * True when the search ended, so that the placement is the best; false when the
 * gang is not a small one or the search took too long (a placement found until
 * then is still better). */
bool sgang_prove(const struct sgang_job *job, const uint64_t *broken,
		 const struct sgang_placement *known, uint64_t breaks,
		 uint64_t *bound, struct sgang_run **runs, size_t *n_runs);

/* -- segments_rule.c -- */

/* Must nodes of members be in segments? */
bool sgang_segments_any(const struct sgang_plan_request *request);

/* -- cuts.c -- */

/* True for a gang that the planner of cuts can place: members of one node each,
 * in one ring, whose order makes a difference and may be any. */
bool sgang_cuts_can(const struct sgang_plan_request *request);

/* The placement of such a gang. Returns 1; 0 when none was found; -1 with
 * EOVERFLOW. 'broken' as in struct sgang_tree. */
int sgang_cuts_plan(const struct sgang_job *job, const uint64_t *broken,
		    struct sgang_placement **placement);

/* Find better nodes for units of members that keep their order, of which 'at' has
 * the positions, unit by unit. 'bound' is of the cost. 0, or -1 with EOVERFLOW.
 */
int sgang_cuts_improve(const struct sgang_job *asked, const uint64_t *broken,
		       uint64_t steps, uint64_t bound, uint32_t *at);

/* -- grid_cut.c -- */

/* No set of so many ranks is allowed. */
#define SGANG_CUT_NEVER UINT64_MAX

/* The least weight of the rings that a set of so many ranks cuts: of which it
 * has some ranks, and not all. */
struct sgang_cut {
	const struct sgang_parallel *parallel;
	uint32_t whole; /* a bit for each group whose rings are
			 * never cut */
	struct sgang_budget *budget;
	uint64_t ranks;  /* of all */
	uint64_t *least; /* by number of ranks; NULL: too large a
			  * table */
	uint64_t any;    /* least weight of one ring */
	uint64_t block;  /* only multiples of this are sets */
};

/* Fill it in for 'parallel' and 'whole'. */
void sgang_cut_find(struct sgang_cut *cut, struct sgang_pool *pool);

/* No set of so many ranks cuts less. 0 for none and for all of them. */
uint64_t sgang_cut_least(const struct sgang_cut *cut, uint64_t ranks);

/* -- grid_blocks.c -- */

/* How many units go where, for the request's groups. */
struct sgang_blocks {
	/* the question: need, cap, left and broken of 'tree' */
	const struct sgang_tree *tree;
	uint32_t ranks; /* of a unit */
	/* What so many units cost at the least in a place of level 'low' right
	 * under one of level 'high', or SGANG_CUT_NEVER; NULL: the request's
	 * groups say so */
	uint64_t (*part)(const void *arg, uint32_t low, uint32_t high,
			 uint64_t units);
	const void *arg; /* of 'part' */
	/* the answer */
	struct sgang_pick *pick; /* in the order of positions */
	size_t n_picks;
	uint64_t cost;   /* no placement costs less beyond what
			  * all hops cost in an island, */
	uint64_t broken; /* and none that costs as much breaks
			  * less */
	bool tired;      /* it took too long: no answer but
			  * 'cost' */
};

/* Fills the answer ('pick' from 'pool'). False when it does not fit or, 'tired',
 * took too long. */
bool sgang_blocks_solve(struct sgang_blocks *blocks, struct sgang_pool *pool);

/* -- roles.c -- */

/* Is it a tree of groups? 0, or -1 with EINVAL and 'err'. */
int sgang_roles_check_request(const struct sgang_plan_request *request,
			      struct sgang_error *err);

/* The placement of a tree of groups. Returns 1; 0 when none was found, with
 * 'nofit' (may be NULL); -1 with EOVERFLOW. 'broken' as in struct sgang_tree.
 */
int sgang_roles_plan(const struct sgang_job *job, const uint64_t *broken,
		     struct sgang_placement **placement,
		     struct sgang_nofit *nofit);

/* -- grid_order.c -- */

/* A unit of a member, where it is, and the positions of the ring it has:
 * 'first' and as many as it has ranks. */
struct sgang_unit {
	uint32_t member;
	uint32_t node;
	uint32_t ranks;
	uint32_t first;
};

/* Which rank goes to which place, for the request's groups. */
struct sgang_order {
	/* the question */
	const struct sgang_job *job;
	struct sgang_unit *unit; /* by member, in ring order; may be
				  * moved to other nodes */
	uint32_t n_units;
	uint32_t *room; /* by node: what is left, n_dims
			 * numbers */
	uint32_t *node; /* by position of the ring */
	uint32_t ranks;
	uint64_t enough; /* the search ends at this cost, */
	uint64_t hops;   /* or when so many were looked at;
			  * what is left, in the end */
	/* the answer, besides where units are */
	uint32_t *layout; /* by position: the rank; from the
			   * pool */
	bool moved;       /* some unit is at another node */
	uint64_t cost;    /* weighted */
	uint64_t wrong;   /* hops above what their group
			   * requires */
};

void sgang_order_solve(struct sgang_order *order);

/* -- grid_deal.c -- */

/* As sgang_job_lay(), but units are dealt out so that nobody shares. NULL when
 * that cannot be. */
struct sgang_placement *sgang_job_deal(const struct sgang_job *job,
				       const struct sgang_tree *tree);

/* -- grid.c -- */

/* Do the groups make as many ranks as the members have, if that is known
 * before? 0, or -1 with EINVAL and 'err'. */
int sgang_parallel_check_request(const struct sgang_plan_request *request,
				 struct sgang_error *err);

/* Replace the placement of one ring by one for the request's groups, and fill
 * its weighted cost, layout, bound and exact. Returns 1; 0 when groups cannot
 * have the levels they require, with 'nofit' (may be NULL) saying so; -1 with
 * EINVAL (not as many ranks; 'err' says so) or EOVERFLOW. */
int sgang_parallel_plan(const struct sgang_job *job, const uint64_t *broken,
			struct sgang_placement **placement,
			struct sgang_nofit *nofit, struct sgang_error *err);

#endif
