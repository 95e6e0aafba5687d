/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - one cluster and its gangs, while they are asked for
 *
 *   state.c	what is in use before a gang comes
 *   facts.c	what tests/judge/judge is told
 *   started.c	is all that is shown of one that has started so
 *   waits.c	may one wait, and does it say why
 *   reason.c	is what it says so
 *   auto.c	may it wait for a better place
 *   islands.c	inside of nodes
 */

#ifndef LR_RUN_H
#define LR_RUN_H

#include "client.h"
#include "model.h"

/* Deadlines are for a machine that has much else to do: what comes in time is
 * not waited for any longer. */
#define START_MS 60000.0 /* a gang that fits has started by then */
#define REST_MS 4000.0   /* ... and all of its members that can */
#define LATE_MS \
	4500.0 /* ... and has not asked for it in vain: then \
		* it is tried again after five seconds */

struct lr_run {
	struct lr_cluster c;
	struct lr_gang g;
	uint32_t order[LR_MEMBERS]; /* of members, by position in the ring */
	uint32_t ids[LR_MEMBERS];
	struct lr_job jobs[LR_MEMBERS];
	uint32_t blocker[LR_NODES * 2], n_blockers;
	uint32_t blocks[LR_NODES * 2]; /* which node */
	uint32_t block_use[LR_NODES * 2][LR_DIMS];
	/* sums */
	uint32_t gangs, started, waited, refused, optimal, unproved, exact;
	uint32_t laid_out;                 /* with --gang-parallel */
	uint32_t divided;                  /* on a cluster with islands */
	uint32_t chosen, chances, patient; /* with auto: started, some of
					    * them beside a better place that
					    * comes, and waited */
	uint32_t fewer; /* with less nodes than it could have */
	uint32_t checked, violations, undecided, starts, shown;
	double over; /* sum of cost / least */
	double ms;   /* sum of those until a start */
	double fill_ms, wait_ms, cancel_ms;
	bool told;                  /* this gang has been printed */
	bool second;                /* of the two gangs of a group */
	FILE *facts;                /* see facts.c */
	uint32_t found[LR_MEMBERS]; /* nodes of members in a search */
};

/* -- live_random.c -- */

/* A line "violation: ..." behind one with the gang. */
void lr_violation(struct lr_run *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What gang the next lines are about, once. */
void lr_tell(struct lr_run *r);
/* Where found[] has put it, and what is free there. */
void lr_tell_found(struct lr_run *r, const char *what);
/* The value of a word of the record, static; NULL: it is not there. */
const char *lr_word(const char *record, const char *word);
/* The same as a number, or LR_NONE. */
uint32_t lr_number(const char *record, const char *word);
/* How many members have nodes. */
uint32_t lr_with_nodes(const struct lr_run *r);
/* Do all members ask for the same? */
bool lr_same(const struct lr_gang *g);
/* ... with a number of nodes? */
bool lr_alike(const struct lr_gang *g);

/* -- facts.c -- */

/* There is a new gang, with so many members that have nodes. */
void lr_tell_states(const struct lr_run *r);
/* One that has, what it knows of its own nodes and of all; NULL: nothing. */
void lr_tell_member(const struct lr_run *r, const struct lr_job *job,
		    const char *own, const char *all);
/* All members of which something was told are all that have nodes. */
void lr_tell_settled(const struct lr_run *r);
void lr_tell_end(const struct lr_run *r);

/* -- state.c -- */

/* Nodes that are powered down weigh more than all others: have none. */
int lr_wake(const struct lr_cluster *c);
/* End some of what is there and begin something else. Returns -1 where Slurm
 * does not answer. */
int lr_fill(struct lr_run *r, uint64_t *random);
/* Wait until all of it has begun. */
int lr_settle(struct lr_run *r);

/* -- started.c -- */

void lr_check_start(struct lr_run *r);
/* The members in 'set' alone have started, together. */
void lr_check_some(struct lr_run *r, uint32_t set);

/* -- waits.c -- */

/* Have all members told why they wait? */
bool lr_says_why(const struct lr_run *r);
/* They have, at most some time after 'since': is it so? */
int lr_check_wait(struct lr_run *r, double since);
/* Not all of them have in all the time. */
void lr_check_silent(struct lr_run *r);
void lr_check_refused(struct lr_run *r);

/* -- auto.c -- */

/* It has started at that cost, with --gang-topology=auto. */
void lr_check_chosen(struct lr_run *r, uint32_t cost);
/* Does it wait for a better place? */
bool lr_says_better(const struct lr_run *r);
/* It does: is that right? */
int lr_check_better(struct lr_run *r);

/* -- islands.c -- */

/* A gang that has started where nodes have islands: is it there as is said, and
 * at the least cost? What its ring costs. -1: that is not known. */
int lr_check_islands(struct lr_run *r, const struct lr_gang *in_order,
		     const struct lr_place *place, uint32_t *cost,
		     uint32_t *cross, uint32_t *tier);

/* -- reason.c -- */

/* What is wrong with the reason of a gang that does not fit; NULL: nothing that
 * can be told. Static. */
const char *lr_wrong_reason(const struct lr_run *r, const char *reason);

#endif
