/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims.h - whom a gang preempts: the least harm that makes room for it
 *
 * A victim is a job, or what must go together: the members of a gang that
 * cannot do without any of them. A set of victims is good when the gang has a
 * place once they are gone. Only a plan tells whether a set is good, and plans
 * take long. Sets are therefore searched by counting: what is free and what the
 * victims hold must have room for all pieces within one domain of those that
 * the gang may be in. This condition is necessary, and cheap. Plans then check
 * the best sets.
 *
 * Victims that are going already are in every set.
 */

#ifndef SGANG_VICTIMS_H
#define SGANG_VICTIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

/* Least harm first. */
enum sgang_harm {
	SGANG_HARM_GOING,    /* it is being preempted already */
	SGANG_HARM_EXTRA,    /* member of a gang, above its minimum */
	SGANG_HARM_REQUEUED, /* job that starts again later */
	SGANG_HARM_KILLED,   /* job that does not */
	SGANG_HARM_GANG,     /* the minimum of a gang */
};

#define SGANG_VICTIM_NONE SIZE_MAX

struct sgang_victim {
	enum sgang_harm harm;
	uint32_t priority; /* to preempt a higher one is more harm */
	uint32_t jobs;     /* it is, or consists of, so many */
	uint32_t later;    /* an extra: how many extras of its gang came
			    * after it */
	size_t gang;       /* an extra: the victim that is the rest of
			    * its gang, and goes only together with it
			    * unless it is going already;
			    * SGANG_VICTIM_NONE: that is no victim.
			    * Nothing to others */
	uint64_t lost;     /* node-seconds of work */
	size_t first, n;   /* its holdings */
};

/* Plans and steps unless others are asked for. A step is a holding that is
 * taken into a set or out of it, 20 to 40 ns with all that goes with it, as
 * measured by tests/bench/bench_victims.c. */
#define SGANG_VICTIMS_PLANS 24
#define SGANG_VICTIMS_STEPS UINT64_C(400000)

struct sgang_victims_request {
	/* The request of the gang, with what is free now. The search reads
	 * fabric, costs, max_level, spread, spread_level, n_dims, free, total,
	 * type and the members; of these 'allowed' has the nodes of victims,
	 * too. The request must not be larger than that of 'fits': a set that
	 * is refused by counting is never asked about. */
	const struct sgang_plan_request *plan;
	const struct sgang_victim *victims;
	size_t n_victims;
	/* By holding: a node, and what the victim gives back there, n_dims
	 * numbers. A victim has a node once at most. */
	const uint32_t *node;
	const uint32_t *amounts;
	/* True if the gang has a place when these are gone (by victim); '*cost'
	 * is then the cost of its ring. A set that makes room is assumed to do
	 * so within a larger one. */
	bool (*fits)(void *arg, const bool *gone, uint64_t *cost);
	void *arg;
	uint32_t max_plans; /* calls of 'fits'; 0: SGANG_VICTIMS_PLANS */
	uint64_t max_steps; /* of searches; 0: SGANG_VICTIMS_STEPS. Every domain
			     * is looked at for a first set in any case, in
			     * O(levels * holdings) */
};

struct sgang_victims_report {
	uint32_t plans; /* calls of 'fits' */
	uint64_t steps; /* of searches */
	uint64_t cost;  /* of the ring, as told for the answer */
	uint64_t jobs;  /* that are preempted, those that are going
			  * left out */
};

/* Choose victims: as little harm as can be found, and no victim that counting
 * shows to be unnecessary. Two sets are compared by the first of these in which
 * they differ:
 *
 * 1. the number of victims of each kind: of the worst harm those of the highest
 *    priority, then those of the next priority, and so on, then those of the
 *    next harm. Any number of victims is better than one that is worse than all
 *    of them;
 * 2. the number of jobs;
 * 3. the sum of 'later': of a gang's extras the last that came go first;
 * 4. the cost of the ring;
 * 5. the work that is lost.
 *
 * Victims that are going already do not count.
 *
 * Returns 1 with the victims in 'gone' (n_victims flags), those that are going
 * already included, and 'report' (may be NULL) filled; 0 when the gang has no
 * place even if all are gone, which took one plan, or none where counting says
 * so; or when the plans were used up before a set was found that is good; -1
 * with EINVAL (no member) or ENOMEM. 'gone' is filled with 1 only. */
int sgang_victims_choose(const struct sgang_victims_request *request,
			 bool *gone, struct sgang_victims_report *report);

#endif
