/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_private.h - the planner of cuts: what its files share
 *
 *   cuts.c         beginnings, then the search: the best placement of all
 *   cuts_bound.c   what no placement of a gang in one ring is cheaper than
 *   cuts_search.c  units and groups taken out and put in again
 *   cuts_build.c   whole groups into the domains that are cheapest for them
 *   cuts_spot.c    the cheapest node for one unit
 *   cuts_order.c   pieces of a ring in a cheap order
 *   cuts_seats.c   the cheapest node for a unit of a ring that is given
 *   cuts_hops.c    ... what its hops cost
 *   cuts_state.c   where units are, and what that costs
 *
 * Rings are in the order of the fabric here. Such a ring has one hop, more than
 * it would have in an island, out of each place that has some of its ranks and
 * not all of them: the place *cuts* the group. The cost of a placement is a
 * constant and the sum of the prices of all cuts (roles_private.h has the tree
 * of groups, places and prices; a plain gang is a tree of one group). When a
 * unit comes to a node or goes, counts change in the places above that node
 * alone, so the difference of the cost is exact and takes few steps.
 *
 * Memory is from one pool. When there is none, sgang_cuts_fail() leaves the
 * whole planner at once for sgang_cuts_solve(), which returns -1.
 */

#ifndef SGANG_CUTS_PRIVATE_H
#define SGANG_CUTS_PRIVATE_H

#include "roles_private.h"

/* So many pieces of a ring are few. */
#define SGANG_CUTS_FEW 3

/* The position of a unit that has no node. */
#define SGANG_CUTS_NOWHERE UINT32_MAX

/* The best node of a domain for one more unit of a class. */
struct sgang_spot {
	uint32_t version; /* of the domain for which this holds */
	uint32_t rest;    /* ... about so many units are still to come */
	bool light;       /* ... and ties come first */
	uint32_t pos;     /* SGANG_CUTS_NOWHERE: there is no room */
	int64_t price;    /* what the unit adds in the domain */
	uint64_t tie;     /* the same of the tie */
	uint64_t slack;   /* how badly it fits there */
};

/* A unit or group, and how early its turn is. */
struct sgang_turn {
	uint64_t key; /* the greatest first */
	uint32_t what;
};

/* A place that may hold a group. */
struct sgang_option {
	int64_t price; /* that this adds, at the least, and what it would rather
			* not */
	uint64_t slack;
	uint32_t place;
};

/* A group that is being put somewhere. */
struct sgang_portion {
	uint32_t group;
	uint32_t *unit; /* its units that had no node, */
	uint32_t *at;   /* and positions for them */
	uint32_t n;
	uint32_t *list; /* groups that these are in */
	uint32_t n_list;
	struct sgang_option *choice;
	uint32_t n_choices;
	struct sgang_turn *kid; /* groups right in it */
};

struct sgang_cuts {
	const struct sgang_roles *model;
	struct sgang_pool *pool;

	/* -- what does not change -- */
	uint32_t n_dims;
	uint32_t *class_of;    /* by unit */
	uint32_t **chain;      /* by class: the groups it is in, from its leaf
				* up, and SGANG_PLAN_NO_GROUP */
	uint32_t *like;        /* by class: the first one to which places cost
				* the same that have none of its groups, but
				* the gang */
	uint64_t *share;       /* by class: of a node, in 65536ths */
	uint64_t *hard;        /* by group: the largest share in it */
	bool **may;            /* by kind and position: it fits there, if
				* nothing else is there */
	const uint32_t **need; /* by kind: what a unit takes on any node; NULL:
				* that depends on the node */
	uint32_t *most;        /* by kind: the most of these on a node */
	uint32_t *least;       /* by kind, of each resource: what a unit takes
				* at the least */
	uint32_t *sort;        /* by position: nodes of one number that are
				* beside each other are alike */
	uint64_t *weight; /* by place: what its first use adds to the tie */
	uint8_t *height;  /* by place: domains below it, one in another */
	uint32_t *bin;    /* nodes of a leaf that are looked at together:
				* the first position of each, and the end */
	uint32_t n_bins;
	uint32_t *bin_of; /* by position */
	uint32_t *first;  /* by group: its units are 'first' and as many
				* as it has */
	uint32_t *lowest; /* by group: the level that it requires, or one in
			   * it, if that is lower */
	uint64_t base;    /* the price of nothing being cut */

	/* -- the placement at hand -- */
	uint32_t *at;          /* by unit: its position */
	uint32_t *head;        /* by position: a unit that is there */
	uint32_t *next, *last; /* by unit: others on the same node */
	uint32_t **row;        /* by place: its units by group; of a node also,
				* after that, by class */
	uint32_t *zero;        /* the row of places that never were used */
	uint32_t *free;        /* by position: what is left, n_dims numbers */
	uint64_t *sum;         /* by domain: the same */
	uint32_t **room;       /* by kind and place: units of it that fit */
	uint32_t *split;       /* by place: the pieces that it cuts */
	int64_t price;
	uint64_t tie;
	uint32_t missing;         /* units without a node */
	uint32_t *version;        /* by bin, then by domain: grows when
				* something changes there */
	struct sgang_spot **spot; /* by class, then as 'version'; NULL: not
				   * looked at */
	struct sgang_spot **away; /* the same where none of its groups are,
				   * for all classes that are like this one */

	/* -- an order that is given (NULL: any will do) -- */
	const uint32_t *seat; /* by unit: its place in the ring */
	const uint32_t *unit; /* by place in the ring */

	/* -- scratch -- */
	struct sgang_turn *turn; /* for each unit one */
	uint32_t *list;          /* the same */
	struct sgang_tour tour;  /* of pieces */
	uint32_t *units;         /* by kind */
	uint32_t *come;          /* by group; all 0 */
	int64_t *above;          /* by place */
	struct sgang_portion part[SGANG_PLAN_GROUP_DEPTH]; /* by depth */

	/* -- the search -- */
	uint8_t *ban;    /* by position: takes no unit as long as it is not 0 */
	bool few;        /* not all of many domains without units are
				* looked at */
	bool light;      /* ties come before what fits well */
	bool snug;       /* groups go to the smallest places that they fit */
	bool blink;      /* now and then the best is not seen */
	uint64_t coming; /* shares of units that are still to come */
	uint64_t steps, steps_max;
	uint64_t random;
};

/* A unit's price where it may not be, above all others. */
#define SGANG_CUTS_DEAR INT64_MAX

/* -- cuts_state.c -- */

/* Look through the model; no unit has a node then. */
void sgang_cuts_open(struct sgang_cuts *cuts);

/* How often the ring of the gang leaves a place that has so many of its units and
 * cuts so many of its pieces, at the least. The ring is once more in the place
 * for each two of these, which follow each other there; where there are few
 * pieces, and so few places in which one can follow another, for each. */
static inline uint32_t sgang_cuts_leaves(const struct sgang_cuts *cuts,
					 uint32_t units, uint32_t split)
{
	uint32_t n = cuts->model->n_groups - 1;

	if (cuts->model->pieces && split > 1)
		return n > SGANG_CUTS_FEW ? (split + 1) / 2 : split;
	return units && units < cuts->model->n_units;
}

/* What one more unit of a class at a place adds to the price there. */
int64_t sgang_cuts_more(const struct sgang_cuts *cuts, uint32_t class,
			uint32_t place);
/* ... and by its ranks on the node at a position, which may have more of them
 * than others. */
int64_t sgang_cuts_own(const struct sgang_cuts *cuts, uint32_t class,
		       uint32_t pos);

void sgang_cuts_put(struct sgang_cuts *cuts, uint32_t unit, uint32_t pos);
void sgang_cuts_take(struct sgang_cuts *cuts, uint32_t unit);
/* Something has changed at a position: what is remembered of it is void. */
void sgang_cuts_touch(struct sgang_cuts *cuts, uint32_t pos);
/* Take all units from their nodes, or put each where 'at' says. */
void sgang_cuts_clear(struct sgang_cuts *cuts);
void sgang_cuts_load(struct sgang_cuts *cuts, const uint32_t *at);

/* The first position of a place. */
static inline uint32_t sgang_cuts_first(const struct sgang_cuts *cuts,
					uint32_t place)
{
	if (place < cuts->model->n_nodes)
		return place;
	return sgang_fabric_domain(cuts->model->job->request->fabric,
				   place - cuts->model->n_nodes)
		->first_pos;
}

/* How many positions a place has. */
static inline uint32_t sgang_cuts_size(const struct sgang_cuts *cuts,
				       uint32_t place)
{
	if (place < cuts->model->n_nodes)
		return 1;
	return sgang_fabric_domain(cuts->model->job->request->fabric,
				   place - cuts->model->n_nodes)
		->n_nodes;
}

/* Does a position lie in a place? */
static inline bool sgang_cuts_in(const struct sgang_cuts *cuts, uint32_t pos,
				 uint32_t place)
{
	return pos - sgang_cuts_first(cuts, place) <
	       sgang_cuts_size(cuts, place);
}

/* A number below 'n', which is above 0, by chance. */
uint32_t sgang_cuts_any(struct sgang_cuts *cuts, uint32_t n);

/* -- cuts_spot.c -- */

/* The cheapest node in a domain for a unit; SGANG_CUTS_NOWHERE when there is
 * none. */
uint32_t sgang_cuts_spot(struct sgang_cuts *cuts, uint32_t unit,
			 uint32_t domain);
/* Let positions of a place take no units, or again. */
void sgang_cuts_ban(struct sgang_cuts *cuts, uint32_t place, bool ban);

/* -- cuts_hops.c -- */

/* The position of the next unit in the ring, by 1 or -1, that has one;
 * SGANG_CUTS_NOWHERE: none has. */
uint32_t sgang_cuts_neighbour(const struct sgang_cuts *cuts, uint32_t unit,
			      int32_t step);
/* What a unit at a position between two others adds to the hops, each counted by
 * what it costs more than one in an island. */
int64_t sgang_cuts_hops_between(const struct sgang_cuts *cuts, uint32_t last,
				uint32_t pos, uint32_t next);
/* ... between those that it is between. */
int64_t sgang_cuts_hops(const struct sgang_cuts *cuts, uint32_t unit,
			uint32_t pos);

/* -- cuts_seats.c -- */

/* The node for a unit where it adds the least; SGANG_CUTS_NOWHERE when there is
 * none. */
uint32_t sgang_cuts_seat(struct sgang_cuts *cuts, uint32_t unit,
			 uint32_t domain);

/* -- cuts_order.c -- */

/* What the placement at hand costs in a cheap order of its pieces. */
int64_t sgang_cuts_order(struct sgang_cuts *cuts);

/* -- cuts_build.c -- */

/* In which order units get their nodes. */
enum sgang_cuts_order {
	SGANG_CUTS_LARGE, /* the large ones first, */
	SGANG_CUTS_ABOUT, /* ... more or less, */
	SGANG_CUTS_CLASS, /* class by class, in any order, */
	SGANG_CUTS_CHANCE /* any */
};

/* Put units, where there is room for them in a domain. 'unit' is sorted.
 * Returns how many had none. */
uint32_t sgang_cuts_insert(struct sgang_cuts *cuts, uint32_t *unit, uint32_t n,
			   uint32_t domain, enum sgang_cuts_order order);
/* Put all units of a group that have no node: into the cheapest domain inside
 * of 'domain' that holds them all; of those 'width' are tried. Units for which
 * there is no room stay without a node. */
void sgang_cuts_build(struct sgang_cuts *cuts, uint32_t group, uint32_t domain,
		      uint32_t width, enum sgang_cuts_order order);

/* Is this one of the highest domains that the gang may have, and may there be
 * room for all units that have no node? */
bool sgang_cuts_holds(struct sgang_cuts *cuts, uint32_t domain);

/* -- cuts_search.c -- */

/* The best placement so far. */
struct sgang_cuts_best {
	uint32_t *at; /* by unit; of the pool. NULL: it is none yet */
	int64_t price;
	int64_t low; /* of pieces: the least price of any, in no order */
	uint64_t tie;
	uint32_t missing; /* units without a node */
	/* none is better than this */
	int64_t bound;
	uint64_t bound_tie;
	bool none; /* ... and there is none, for certain */
};

/* Keep the placement at hand if it is better. */
void sgang_cuts_keep(struct sgang_cuts *cuts, struct sgang_cuts_best *best);
bool sgang_cuts_proved(const struct sgang_cuts_best *best);
/* Improve the best placement until it is proved to be that, or so many steps
 * are used up; among nodes of one price, 'light' ones come first. */
void sgang_cuts_search(struct sgang_cuts *cuts, struct sgang_cuts_best *best,
		       uint64_t end, bool light);

/* -- cuts_bound.c -- */

/* Bounds for a gang in one ring, whose members may be in any order, and in
 * 'guide' the nodes that the best of these takes (none: 'n_picks' is 0). Returns
 * 1, 0 when the gang does not fit, -1 with EOVERFLOW. */
int sgang_cuts_bound(const struct sgang_job *job, const uint64_t *broken,
		     struct sgang_bound *bound, struct sgang_tree *guide);

/* -- cuts.c -- */

/* The best placement that is found in so many steps out of SGANG_PLAN_STEPS;
 * fills 'best', of which the bounds are given. One beginning is on the nodes of
 * 'guide' (may be NULL). */
void sgang_cuts_solve(const struct sgang_roles *model,
		      const struct sgang_tree *guide, uint64_t steps,
		      struct sgang_cuts_best *best);

#endif
