/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - what became of a gang that has ended
 *
 * The only place that decides this; the phases of a gang that lives are in
 * gang.h. The rules, for members that decide; the first that applies counts:
 *
 * 1. A gang that was not ended by a policy has finished once it is done by
 *    --gang-on-success: its leader, or as many members as that says, completed.
 * 2. It has failed if a member failed: by its exit code, a signal, its node.
 * 3. Its time limit was reached if a member reached that.
 * 4. If a policy ended the gang for another cause, it was cancelled if a member
 *    was, and else has failed; it has failed if too few were left
 *    (--gang-on-stale).
 * 5. It was cancelled if a member was and fewer than its minimum completed: by
 *    a user, or by a preemption that does not requeue.
 * 6. Else it has finished.
 *
 * These members do not decide: spares, unless there is nobody else, as in a
 * pool; placeholders; those that slurm-gang ended because they were not needed
 * any more; those that were lost and whose place a spare has taken. A member
 * that was requeued counts by its last end.
 */

#ifndef SGANG_VERDICT_H
#define SGANG_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

struct sgang_record;

/* To add one: a word in verdict.c, a phase in record.c, a line in doc/formats. */
enum sgang_verdict {
	SGANG_VERDICT_NONE, /* it lives, or nobody has said */
	SGANG_VERDICT_FINISHED,
	SGANG_VERDICT_FAILED,
	SGANG_VERDICT_CANCELLED,
	SGANG_VERDICT_TIME_LIMIT,
	SGANG_VERDICTS
};

/* "timelimit", as in the record and in metrics; "none". */
const char *sgang_verdict_word(enum sgang_verdict verdict);
/* -1 when there is none of that name. */
int sgang_verdict_find(const char *word);
/* "reached its time limit", after the name of a gang. */
const char *sgang_verdict_text(enum sgang_verdict verdict);

/* How Slurm says that a job ended. */
enum sgang_job_end {
	SGANG_JOB_END_COMPLETED,
	SGANG_JOB_END_FAILED, /* also its node, its memory, its deadline */
	SGANG_JOB_END_TIME_LIMIT,
	SGANG_JOB_END_CANCELLED, /* also preempted and not requeued */
	SGANG_JOB_ENDS
};

/* How a member counts. */
enum sgang_member_end {
	SGANG_MEMBER_COMPLETED,
	SGANG_MEMBER_FAILED,
	SGANG_MEMBER_TIME_LIMIT,
	SGANG_MEMBER_CANCELLED,
	SGANG_MEMBER_TAKEN, /* a policy ended it with its gang */
	SGANG_MEMBER_STALE, /* ... as too few were left */
	SGANG_MEMBER_DONE,  /* not needed any more, or replaced */
	SGANG_MEMBER_PLACEHOLDER,
	SGANG_MEMBER_ENDS
};

struct sgang_verdict_member {
	enum sgang_member_end end;
	bool spare;
	bool leader;         /* member rank 0 */
	uint32_t on_success; /* members, SGANG_ON_SUCCESS_LEADER, 0 */
	uint32_t min_member; /* of its gang; 0: not known */
};

/* The members of a gang, added up. All zero at first. */
struct sgang_verdict_sum {
	uint32_t members[SGANG_MEMBER_ENDS];
	uint32_t spares[SGANG_MEMBER_ENDS];
	uint32_t on_success;
	uint32_t min_member;
	bool leader; /* it has completed */
};

/* What counts of a member; 'record' is that of the job that has ended. */
void sgang_verdict_read(const struct sgang_record *record,
			enum sgang_job_end end,
			struct sgang_verdict_member *member);
/* A job may stand for several members. */
void sgang_verdict_add(struct sgang_verdict_sum *sum,
		       const struct sgang_verdict_member *member,
		       uint32_t members);

/* Of a gang without members it is NONE. */
enum sgang_verdict sgang_verdict(const struct sgang_verdict_sum *sum);
/* The number of members that decide and have not completed. */
uint32_t sgang_verdict_incomplete(const struct sgang_verdict_sum *sum);

#endif
