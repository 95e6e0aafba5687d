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
#include "spec.h"

enum sgang_member_state {
	SGANG_MEMBER_PENDING,
	SGANG_MEMBER_HELD,		/* has its nodes, is not released */
	SGANG_MEMBER_RUNNING
};

/* One job record that has not ended. The head of a job array stands for all its
 * pending tasks. */
struct sgang_member {
	struct sgang_spec spec;
	enum sgang_member_state state;
	uint32_t tasks;			/* members it stands for, 1 or more */
	bool eligible;			/* could start now if nodes were there:
					 * not held, begun, independent */
	bool satisfied;			/* its record says the gang has started */
	uint32_t known_min;		/* what its record says the gang needs */
	uint32_t known_total;		/* ... and expects; 0: no record */
	uint32_t job_id;		/* array members: of the array's head */
	uint32_t task_id;		/* lowest task; 0 when no array */
	uint32_t priority;
	int64_t submit_time;		/* seconds since the epoch */
};

/* What the members add up to. Counts are members (array tasks count). */
struct sgang_tally {
	struct sgang_spec spec;		/* merged, oldest member first */
	uint32_t pending;
	uint32_t eligible;
	uint32_t held;
	uint32_t running;
	uint32_t min_member;
	uint32_t total;
	bool satisfied;
	uint32_t priority;		/* highest of the pending (0.32) */
	int64_t first_submit;		/* (0.33) */
};

/* Add up. O(n log n): the members are visited in the order of submission.
 * Where no member says a minimum or a total, what their records remember from
 * members that are gone holds: cancelling the one that said it must not let
 * the others start alone.
 * Returns 0, or -1 with ENOMEM. */
int sgang_gang_tally(const struct sgang_member *const *members, size_t n,
		     struct sgang_tally *tally);

/* The phase the counts amount to. A gang with a member running is Running, one
 * with a member held is Starting, and so on; without members Finished. */
enum sgang_phase sgang_gang_phase(const struct sgang_tally *tally);

/* May an attempt be made: not satisfied, nothing held, at least min-member
 * eligible? (0.43, 0.1) */
bool sgang_gang_may_start(const struct sgang_tally *tally);

/* Order of two gangs' turns: priority, then creation time, then name
 * (0.32 to 0.34). Below 0 when a goes first. */
int sgang_gang_turn_order(const struct sgang_tally *a,
			  const struct sgang_tally *b);

/* Order of two members in the ring: those with --gang-rank first, by rank, then
 * by submission (time, job id, task id). */
int sgang_gang_ring_order(const struct sgang_member *a,
			  const struct sgang_member *b);

/* What squeue shows for a gang that waits, "Gang alice/train gathering 3/4
 * members". 'why' (may be NULL) is what the last attempt failed for. Writes at
 * most 'size' bytes. */
void sgang_gang_text(const struct sgang_tally *tally, const char *why,
		     char *buf, size_t size);

#endif
