/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gang.h - the rules of gangs: who counts, whose turn it is, what phase it is
 *
 * Pure functions over what the caller saw of the members at one moment. The
 * registry in slurmctld is nothing but the result of applying them to the job
 * records, so that it cannot disagree with them.
 */

#ifndef SGANG_GANG_H
#define SGANG_GANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "role_sum.h"
#include "spec.h"

#define SGANG_USER_SHOWN 40 /* bytes of a user's name in a reason */

enum sgang_member_state {
	SGANG_MEMBER_PENDING,
	SGANG_MEMBER_HELD, /* has its nodes, is not released */
	SGANG_MEMBER_RUNNING
};

/* The most restarts of a gang that fails every time, if it says nothing:
 * Slurm's default for batch jobs that cannot be launched (MaxBatchRequeue). */
#define SGANG_RESTARTS_MAX 5

/* A job record that has not ended. The head of a job array stands for all its
 * pending tasks. */
struct sgang_member {
	const struct sgang_spec *spec;     /* what it says */
	const struct sgang_record *record; /* what is remembered in it, or
					    * NULL */
	uint32_t uid;                      /* whose job it is */
	/* The user's own options, see own.h. A member that has started keeps
	 * those that it started with, except the waiting time. */
	enum sgang_on_failure on_failure;
	uint32_t max_restarts; /* by that; 0: nothing was said */
	enum sgang_on_failure on_stale;
	uint32_t stale_grace; /* 0: nothing was said */
	uint32_t on_success;  /* 0: nothing was said */
	enum sgang_on_failure on_drain;
	uint32_t waiting_time; /* 0: nothing was said */
	uint32_t held_for;     /* seconds, by holds that have ended */
	uint32_t hold_max;     /* seconds that its partition allows; 0:
				* no limit */
	uint32_t wait_max;     /* seconds that the site lets it hold in
				* all, or SGANG_FOREVER; 0: no matter */
	enum sgang_member_state state;
	uint32_t tasks;   /* members it stands for, 1 or more */
	bool eligible;    /* could start now if nodes were there:
			   * not held, begun, independent */
	bool stopped;     /* has no priority: held by somebody */
	uint32_t job_id;  /* array members: of the array's head */
	uint32_t task_id; /* lowest task; 0 when no array */
	uint32_t priority;
	int64_t submit_time;   /* seconds since the epoch */
	int64_t eligible_time; /* could start from then on, as far as
				* is known; 0: not known */
};

/* Sums over the members. Counts are members (array tasks count). */
struct sgang_tally {
	struct sgang_spec spec; /* what holds for the gang */
	bool defined;           /* somebody said how many it needs */
	uint32_t pending;
	uint32_t eligible;
	uint32_t held;
	uint32_t running;
	uint32_t placeholders; /* of the running, who only keep nodes */
	uint32_t min_member;
	uint32_t total;
	bool satisfied;         /* it has started once */
	bool timed_out;         /* its waiting time is over ... */
	bool rearmed;           /* ... and somebody let it go on */
	uint32_t priority;      /* highest of the pending (0.32) */
	int64_t created;        /* (0.33) */
	int64_t complete;       /* it could first have started, with as
				 * many members as it takes; 0: not yet
				 */
	int64_t since;          /* first member placed, 0: none */
	int64_t started;        /* released, 0: not */
	uint32_t waiting_time;  /* the longest that a user's members
				 * which wait may ask for; 0: nobody has
				 * said one */
	bool waiting_unsaid;    /* one of these users has said none */
	uint32_t held_for;      /* the longest of its members */
	uint32_t hold_max;      /* the lowest of those that hold; 0: no
				 * limit */
	uint32_t wait_max;      /* the lowest of those that do not run;
				 * 0: none is known */
	bool spent;             /* it has held as long as it may: it
				 * waits as a strict gang does */
	uint32_t last_order;    /* members with a --gang-order below it
				 * belong to the minimum */
	uint32_t first_pending; /* such members without nodes */
	uint32_t first_job;     /* the first of these; 0: none */
	uint32_t min_job;       /* the oldest that says how many members
				 * the gang needs; 0: none */
	/* The users of these two jobs if the gang has members of several users,
	 * else "". For the caller to fill. */
	char first_user[SGANG_USER_SHOWN], min_user[SGANG_USER_SHOWN];
	uint32_t waits_for;           /* job of one that cannot start now;
			     * 0: none */
	struct sgang_role_sums roles; /* of a tree of groups: the minimum is its
				       * minimum, min_member the members of it
				       */
};

/* Add up. O(n log n): the members are visited in the order of submission.
 *
 * A value holds that the oldest member says who says one; else what the
 * 'definitions' say, the first of them first; else what the records of the
 * members remember from members and definitions that are gone: cancelling the
 * one that said it must not let the others start alone (0.29).
 * Returns 0, or -1 with ENOMEM. */
int sgang_gang_tally(const struct sgang_member *const *members, size_t n,
		     const struct sgang_spec *const *definitions,
		     size_t n_definitions, struct sgang_tally *tally);

/* What holds for a gang that is a tree of groups, and what its rule sees of a
 * member; both point into 'tally' and 'm'. */
void sgang_gang_roles(const struct sgang_tally *tally,
		      struct sgang_role_gang *gang);
void sgang_gang_role_member(const struct sgang_member *m,
			    struct sgang_role_member *member);

/* Let 'told' be what a tally reads of a record, and nothing that members have
 * each for itself: so it is the same for most members of a gang. */
void sgang_gang_told(const struct sgang_record *r, struct sgang_record *told);

/* The phase the counts amount to. A gang with a member running is Running, one
 * with a member held is Starting or Holding, and so on; without members
 * Finished. */
enum sgang_phase sgang_gang_phase(const struct sgang_tally *tally);

/* Does it hold nothing while it waits (0.2)? */
bool sgang_gang_strict(const struct sgang_tally *tally);

/* Are its members ordinary jobs now: it has started, and its --gang-match asks
 * for no more than that (0.11)? The members of a pool always are. */
bool sgang_gang_ordinary(const struct sgang_tally *tally);

/* How many members have to be placed yet before it may be released. */
uint32_t sgang_gang_missing(const struct sgang_tally *tally);

/* May an attempt be made: defined, not timed out, and the eligible and those
 * that count already are enough (0.43 to 0.45)? A strict gang that holds is
 * done with attempts. */
bool sgang_gang_may_try(const struct sgang_tally *tally);

/* A gang with these numbers is, or soon will be, what another gang of its group
 * waits for: it has its minimum of eligible members, or has started. */
bool sgang_gang_complete(const struct sgang_tally *tally);

/* Has everything it needs been placed? Then only its group and what the nodes
 * still do (prologs, booting) keep it from its release. */
bool sgang_gang_placed(const struct sgang_tally *tally);

/* For how long a gang may hold. */
struct sgang_gang_wait {
	uint32_t otherwise; /* the site's, where nobody says one */
	uint32_t most;      /* in all, where no member says it
			     * (wait_max); SGANG_FOREVER: no limit */
};

/* True if the waiting time is over at 'now' (0.12, 0.13). The time begins when
 * the first member is placed, and runs while a member is held. If users gave
 * different times the longest counts, so that no user stops another's jobs. */
bool sgang_gang_wait_over(const struct sgang_tally *tally,
			  const struct sgang_gang_wait *wait, int64_t now);
/* Seconds, SGANG_FOREVER without end; what was held before counts against
 * `most`, and the time limit of a partition bounds a hold as it does a job. */
uint32_t sgang_gang_waiting_time(const struct sgang_tally *tally,
				 const struct sgang_gang_wait *wait);

/* Order of two gangs' turns: priority, then creation time, then name
 * (0.32 to 0.34). Below 0 when a goes first. */
int sgang_gang_turn_order(const struct sgang_tally *a,
			  const struct sgang_tally *b);

/* Order in which members are taken when not all can be: --gang-order, then
 * priority, then submission (3.8). */
int sgang_gang_take_order(const struct sgang_member *a,
			  const struct sgang_member *b);

/* Order of submission: time, job id, task id. */
int sgang_gang_submit_order(const struct sgang_member *a,
			    const struct sgang_member *b);

/* Order of two members in the ring: those with --gang-rank first, by rank, then
 * by submission (time, job id, task id). */
int sgang_gang_ring_order(const struct sgang_member *a,
			  const struct sgang_member *b);

/* Reason of a member that waits: "Gang alice/train gathering 3/4 members",
 * "... waits: 4 nodes are needed, 2 are free", "... holding 2/4 members since
 * 12:03" (local time, with the day when that is long before 'now'). 'why' (may
 * be NULL) is what the last attempt failed for, or what its group waits for.
 * Writes at most 'size' bytes. */
void sgang_gang_text(const struct sgang_tally *tally, const char *why,
		     int64_t now, char *buf, size_t size);

/* The same words for the phase of the gang, whatever it is, without its name:
 * "gathering 3/4 members", "running 4/4 members", "finished". */
void sgang_gang_words(const struct sgang_tally *tally, const char *why,
		      int64_t now, char *buf, size_t size);

/* The only reason of a member after the waiting time (0.14). */
#define SGANG_TIMEOUT_TEXT "GangTimeout"

/* Reason of the gang's definition, "Gang alice/train waiting 4/4 members". */
void sgang_gang_object_text(const struct sgang_tally *tally, char *buf,
			    size_t size);

#endif
