/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread.h - what the files of `spread:` share
 *
 *             core                   spread:leaf with four members: each has a
 *           /      \                 compartment (a, b, d, e) of its own. Those
 *       spine      spine             of a domain above them are one run of
 *      /  |  \     /   \             compartments, as they are numbered by
 *     a   b   c   d     e            position.
 *
 * A part is what one member in one compartment adds to a ring that goes on to
 * others: (ranks * hop[island]), and for every domain it uses, up to and with
 * the compartment, hop[level above] - hop[own level]. A domain above that is
 * used adds its step once. Visited depth-first, the ring costs the sum of both
 * below the common domain; in another order it costs more.
 */

#ifndef SGANG_PLAN_SPREAD_H
#define SGANG_PLAN_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "plan_private.h"

/* A domain that a member has to itself: one whose parent is above the level of
 * the spread, or a node when the lowest domains are above it. */
struct sgang_compartment {
	uint32_t domain; /* SGANG_DOMAIN_NONE: a node */
	uint32_t parent; /* SGANG_DOMAIN_NONE: it has none, or
			  * the gang may not span it */
	uint32_t first_pos;
	uint64_t free; /* slots */
};

/* Keys compared, in this order; sums compare as their terms do. */
struct sgang_worth {
	uint64_t cost;   /* a price, with a coin; UINT64_MAX:
			  * does not fit */
	uint64_t broken; /* wholly free space that is broken */
	uint64_t free;   /* free slots of the used domains, those
			  * inside compartments apart */
};

/* Inline, as large fabrics spend much of their time here. */
static inline bool sgang_worth_less(const struct sgang_worth *a,
				    const struct sgang_worth *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->broken != b->broken)
		return a->broken < b->broken;
	return a->free < b->free;
}

/* Members that ask for the same in the same number. */
struct sgang_shape {
	uint32_t first;                    /* its first member */
	struct sgang_plan_request request; /* for that one alone */
	struct sgang_kind kind;
	struct sgang_tree tree;
	struct sgang_inside *inside;
	struct sgang_worth *part; /* by compartment */
	uint64_t extra;           /* its parts cost at least so much more
				   * than the cheapest ones */
};

struct sgang_spread {
	const struct sgang_job *job;
	const struct sgang_coin *coin; /* of the job; NULL with several
					* shapes, which know no weights */
	const uint64_t *broken;        /* by domain, as in sgang_tree */
	const uint64_t *above;         /* by domain: broken, of it and of all
					* above it */
	const uint64_t *free;          /* by domain: free slots */
	struct sgang_compartment *at;  /* in the order of positions */
	uint32_t n;
	uint32_t n_members;
	struct sgang_shape *shape;
	uint32_t n_shapes;
	uint32_t *shape_of; /* by member */
};

/* The first compartment that begins at a position or after it. */
static inline uint32_t sgang_spread_from(const struct sgang_spread *spread,
					 uint32_t pos)
{
	uint32_t low = 0, high = spread->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (spread->at[middle].first_pos < pos)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The compartments below a domain of a higher level are first .. end - 1. */
static inline void sgang_spread_below(const struct sgang_spread *spread,
				      uint32_t domain, uint32_t *first,
				      uint32_t *end)
{
	const struct sgang_domain *at =
		sgang_fabric_domain(spread->job->request->fabric, domain);

	*first = sgang_spread_from(spread, at->first_pos);
	*end = sgang_spread_from(spread, at->first_pos + at->n_nodes);
}

/* -- spread_mixed.c -- */

/* Members of several shapes in the compartments below 'domain', in ring order.
 * 'wanted' marks compartments that are tried first. The search ends at a cost
 * of 'enough'; '*steps' is how many exchanges may be tried yet. Fills 'place'
 * (by member: compartment) and '*cost', that of the ring. False when they do not
 * fit, '*placed' being how many do. */
bool sgang_apart_solve(const struct sgang_spread *spread, uint32_t domain,
		       const bool *wanted, uint64_t enough, uint64_t *steps,
		       uint32_t *place, uint64_t *cost, uint32_t *placed);

/* -- spread_nofit.c -- */

/* Say why nothing was found. 'best' is the allowed domain with the most
 * compartments that have room for a member, SGANG_DOMAIN_NONE when none has
 * any; 'placed' of the members fit there. */
void sgang_near_explain(const struct sgang_spread *spread, uint32_t best,
			uint32_t placed, struct sgang_nofit *nofit);

#endif
