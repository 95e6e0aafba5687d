/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - why a gang goes where it goes, or nowhere
 *
 * The planner (plan.h) compares all placements at once and keeps none but the
 * best. Here the question is asked again for some other domains, each by
 * itself, so that it can be told what was not chosen and why.
 */

#ifndef SGANG_EXPLAIN_H
#define SGANG_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/gang/record.h"
#include "plan.h"

/* No more of them are looked at; each takes as long as a plan. */
#define SGANG_OTHERS_MAX 8

/* A domain in which the gang is not placed. */
struct sgang_other {
	uint32_t domain;
	bool fits;
	uint64_t cost;   /* fits: of the ring of the best
			  * placement there; with communication
			  * groups their weighted cost */
	uint64_t free;   /* else: units (plan.h) that fit ... */
	uint64_t needed; /* ... and those needed */
	bool heavier;    /* it costs no more, but weighs more */
	char why[192];   /* "48 > 40", "7 of 8 fit" */
};

struct sgang_others {
	uint32_t common; /* the lowest domain that holds the
			  * placement */
	struct sgang_other other[SGANG_OTHERS_MAX]; /* the most promising
						     * first */
	size_t n;
	uint32_t left_out; /* further ones, not looked at */
	uint64_t cost;     /* of the placement */
};

/* Look at 'most' (at most SGANG_OTHERS_MAX) of the domains of the level of the
 * common one; where it is the only one of its level, at its children.
 * Promising is a domain that has room in few leaf switches, then with little
 * else free; one with nothing free is left out without being counted.
 * 'placement' is the answer to 'request', or what became of it. Returns 0, or
 * -1 with ENOMEM and 'err' filled. */
int sgang_explain_others(const struct sgang_plan_request *request,
			 const struct sgang_placement *placement, size_t most,
			 struct sgang_others *others, struct sgang_error *err);

/* The cost of a placement's ring on the same nodes with the members in another
 * order: the cheapest that a short search finds, and never more than now. Only
 * fabric and costs of the request are read. Returns 0, or -1 with ENOMEM and
 * 'err' filled. */
int sgang_explain_order(const struct sgang_plan_request *request,
			const struct sgang_placement *placement, uint64_t *cost,
			struct sgang_error *err);

/* Where they were planned by nodes: what is inside of nodes adds so much to
 * each cost, that of the placement too. */
void sgang_explain_raise(struct sgang_others *others, uint64_t more);

/* The same for the record's others=: "s2:48,s3:7/8,s4:40w", the last being
 * heavier. A text that is too long ends at a comma. */
void sgang_explain_write(const struct sgang_fabric *fabric,
			 const struct sgang_others *others,
			 char text[SGANG_OTHERS_SIZE]);

/* Name of a slot: "GPU", "GPUs", and how many of them it stands for. */
struct sgang_explain_unit {
	const char *one;
	const char *many;
	uint32_t each;    /* 1 or more */
	const char *with; /* "1 CPU and 3000M": a slot is a place
			   * with that, and the rest does not
			   * count; else NULL */
};

#define SGANG_EXPLAIN_SIZE 320

/* The one reason that decides, with its numbers: "16 GPUs are free, but no leaf
 * has 8: leaf3 has 7", "8 GPUs are needed in one leaf, 7 are free: leaf3 has 4".
 * 'nofit' is the answer of sgang_plan() to 'request'. */
void sgang_explain_nofit(const struct sgang_plan_request *request,
			 const struct sgang_nofit *nofit,
			 const struct sgang_explain_unit *unit,
			 char text[SGANG_EXPLAIN_SIZE]);

#endif
