/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mixed.h - what the files share that place members of different kinds
 *
 *   mixed.c    which construction is tried when
 *   layout.c   layouts and what they cost
 *   improve.c  a layout made better by small changes
 *   fit.c      first fit, domain by domain
 *   pack.c     does it fit at all? Trying everything
 *   blocks.c   blocks of members that are alike, by the planner of cuts
 *   share.c    members of one kind, on distinct nodes that they share
 *   route.c    leaves to lay the ring over
 *   walk.c     in the order of the ring over given leaves
 */

#ifndef SGANG_PLAN_MIXED_H
#define SGANG_PLAN_MIXED_H

#include "plan_private.h"

/* 'units' units of a member on one node. */
struct piece {
	uint32_t member;
	uint32_t pos;
	uint32_t units;
};

/* Pieces in ring order, those of a member together. */
struct layout {
	struct piece *piece;
	size_t n;
	uint64_t cost;
	uint64_t broken; /* wholly free space that it breaks;
			  * with weights, its tie */
};

/* A call of sgang_mixed_solve(). */
struct mixed {
	const struct sgang_job *job;
	const struct sgang_plan_request *request;
	const uint64_t *broken;
	const uint32_t *order;
	uint32_t n_nodes;
	uint32_t n_dims;
	uint32_t *left; /* by position: what is not taken, n_dims
			 * numbers */
	double average[SGANG_PLAN_DIMS]; /* what a node has, 1 or more */
	uint32_t *cursor;                /* by kind: it fits nowhere before */
	uint32_t *value;                /* by kind: what a unit takes of what is
					 * scarce */
	uint32_t *rank;                 /* members, the large ones first */
	struct piece *spot;             /* room for one a node */
	const struct sgang_tree *worth; /* the request by value */
	bool *seen;                     /* by domain; all false */
	bool *used;                     /* by position; all false */
	uint32_t from, to;              /* outside of these left[] is 0 */
	uint64_t improving;             /* steps of its share that are left, */
	uint64_t packing;               /* and of trying everything */
	size_t room;                    /* pieces that a layout can hold */
	struct layout now, best;
	bool found;
	uint64_t fixed; /* what ranks cost in any layout */
	uint64_t bound;
	uint64_t bound_broken; /* at that cost */
};

/* In which order nodes and members are taken. */
enum fit {
	NEXT_IN_ORDER,  /* both as they are, never back */
	FIRST_IN_ORDER, /* both as they are */
	FIRST_LARGE,    /* large members first */
	LEAST_ROOM,     /* ... on the nodes with least room */
	MOST_ROOM,      /* ... on those with most room */
	FITS
};

static inline const struct sgang_kind *kind_of(const struct mixed *mixed,
					       uint32_t member)
{
	return &mixed->job->kind[mixed->job->kind_of[member]];
}

static inline const struct sgang_plan_member *ask_of(const struct mixed *mixed,
						     uint32_t member)
{
	return &mixed->request->members[member];
}

/* Capacity left at a position. */
static inline uint32_t *left_at(const struct mixed *mixed, uint32_t pos)
{
	return mixed->left + (size_t)pos * mixed->n_dims;
}

/* Units of this member that still fit at a position. */
static inline uint32_t fits(const struct mixed *mixed, uint32_t member,
			    uint32_t pos)
{
	uint32_t units = sgang_kind_fits(mixed->job, kind_of(mixed, member),
					 mixed->order[pos],
					 left_at(mixed, pos));

	if (units > 1 && sgang_member_distinct(ask_of(mixed, member)))
		return 1;
	return units;
}

static inline uint32_t slots_of(const struct mixed *mixed,
				const struct piece *piece)
{
	return piece->units * sgang_kind_need(mixed->job,
					      kind_of(mixed, piece->member),
					      mixed->order[piece->pos], 0);
}

/* The value of a unit of a member on this node: slots, if nothing else is
 * counted. */
static inline uint32_t value_at(const struct mixed *mixed, uint32_t member,
				uint32_t node)
{
	if (mixed->n_dims == 1)
		return sgang_kind_need(mixed->job, kind_of(mixed, member), node,
				       0);
	return mixed->value[mixed->job->kind_of[member]];
}

static inline void take(struct mixed *mixed, const struct piece *piece)
{
	sgang_kind_take(mixed->job, kind_of(mixed, piece->member),
			mixed->order[piece->pos], piece->units,
			left_at(mixed, piece->pos));
}

static inline void give_back(struct mixed *mixed, const struct piece *piece)
{
	sgang_kind_give_back(mixed->job, kind_of(mixed, piece->member),
			     mixed->order[piece->pos], piece->units,
			     left_at(mixed, piece->pos));
}

/* Append units of a member to the layout at hand. */
static inline void put(struct mixed *mixed, uint32_t member, uint32_t pos,
		       uint32_t units)
{
	struct piece *piece = &mixed->now.piece[mixed->now.n++];

	piece->member = member;
	piece->pos = pos;
	piece->units = units;
	take(mixed, piece);
}

/* Cost of a hop between two positions. */
static inline uint32_t hop_at(const struct mixed *mixed, uint32_t pos_a,
			      uint32_t pos_b)
{
	uint32_t level;

	if (pos_a == pos_b)
		return mixed->request->costs->hop[SGANG_LEVEL_ISLAND];
	level = sgang_fabric_meet(mixed->request->fabric, mixed->order[pos_a],
				  mixed->order[pos_b]);
	return mixed->request->costs->hop[level];
}

static inline uint64_t piece_ranks(const struct mixed *mixed,
				   const struct piece *piece)
{
	return (uint64_t)piece->units *
	       sgang_kind_ranks(mixed->job, kind_of(mixed, piece->member),
				mixed->order[piece->pos]);
}

/* Is there nothing left to search with? */
static inline bool ended(const struct mixed *mixed)
{
	return !sgang_budget_left(mixed->request->budget);
}

/* Is no better layout than the best wanted, or possible? */
static inline bool done(const struct mixed *mixed)
{
	return mixed->found && (mixed->request->effort == SGANG_EFFORT_ANY ||
				(mixed->best.cost <= mixed->bound &&
				 mixed->best.broken <= mixed->bound_broken));
}

/* -- layout.c -- */

/* Make all of positions from..to-1 free, those outside taken, and the layout at
 * hand empty. */
void sgang_mixed_clear(struct mixed *mixed, uint32_t from, uint32_t to);

/* Put one more unit of the last member of the layout at hand, or of the next
 * one, on a node. */
void sgang_mixed_add(struct mixed *mixed, uint32_t member, uint32_t pos);

/* Improve the layout at hand and keep it if it is the best so far. */
void sgang_mixed_finish(struct mixed *mixed);

/* For qsort(): pieces by member, those of one by position. */
int sgang_mixed_by_member(const void *one, const void *two);

/* -- improve.c -- */

/* Move, swap and turn pieces of the layout at hand as long as that helps. */
void sgang_mixed_improve(struct mixed *mixed);

/* -- fit.c -- */

/* Put all members into a domain. False when that does not work out. */
bool sgang_mixed_fit(struct mixed *mixed, const struct sgang_domain *domain,
		     enum fit fit);

/* First fit, then everything else, in domain after domain. 0, or -1 with
 * EOVERFLOW, as the next ones. */
int sgang_mixed_try_domains(struct mixed *mixed);

/* -- pack.c -- */

/* Make any layout in a domain. False when there is none or it takes too long to
 * find. */
bool sgang_mixed_pack(struct mixed *mixed, const struct sgang_domain *domain);

/* -- blocks.c -- */

int sgang_mixed_try_blocks(struct mixed *mixed);

/* -- share.c -- */

int sgang_mixed_try_shares(struct mixed *mixed);

/* -- route.c -- */

int sgang_mixed_try_walks(struct mixed *mixed);

/* -- walk.c -- */

/* A leaf that the ring comes to: some of its nodes, n of the positions from
 * 'first' on in a list. A leaf may come again, with other nodes. */
struct sgang_stop {
	uint32_t first;
	uint32_t n;
};

/* Lay the members out over the stops, both in their order. 'price' is what a
 * value of 1 costs about, hops of ranks apart. False when they do not fit. */
bool sgang_mixed_walk(struct mixed *mixed, const struct sgang_stop *stop,
		      uint32_t n_stops, const uint32_t *pos, double price);

#endif
