/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults.h - failures on demand, in the tests' plugin only
 *
 * The installed plugin has a pointer, which is NULL, and points where it looks
 * at it: no failure, no file, no environment. The tests' plugin is the same
 * objects and faults.c, which sets the pointer when the plugin is loaded. There
 * the file named by the environment variable SGANG_FAULT_FILE holds lines
 * "POINT N"; the N-th passage of POINT in an attempt (from 1) then fails.
 *
 *	commit N	member N of an attempt cannot start
 *	delay 1		the conductor waits before its pass while the line stands
 *	pause N		a commit in slices pauses after member N while it stands
 *	kill-X N	slurmctld is killed (SIGKILL) at the N-th passage of X:
 *			commit (a member of an attempt), committed (all members,
 *			not saved), saved, release (a member), released (not
 *			saved), known (saved), giveback, timeout (a member),
 *			claimed (nodes, for a gang that preempts), strike (a
 *			victim; 0: before the first), reserved (a cold spare,
 *			not saved), promoted (likewise), launch (of a promoted
 *			spare), swap (of a placeholder, before it), swapped (not
 *			saved), lapse (of a placeholder, before it ends), lapsed
 *			(not saved), replace (a lost job, before its requeue),
 *			requeue (a job, before it is requeued for its gang),
 *			requeued (all jobs, not saved), begins (a requeued job
 *			may start, its record does not say so), begun, fill (a
 *			seat, with a spare), filled, seat (a late member, before
 *			it has one), seated (not saved), epoch (of a gang, not
 *			saved), tell (an epoch, saved), told, end (a job,
 *			because its gang is done), ended (all jobs), leaves (a
 *			member on a draining node, before its requeue), moved
 *			(after it)
 */

#ifndef SGANG_FAULTS_H
#define SGANG_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

struct sgang_faults {
	bool (*fails)(const char *point, size_t n);
	/* Does not return if the file says "kill-POINT N". */
	void (*die)(const char *point, size_t n);
	void (*locked)(void); /* Slurm's locks were taken */
};

extern const struct sgang_faults *sgang_faults; /* no_faults.c */

static inline bool sgang_fault(const char *point, size_t n)
{
	return sgang_faults && sgang_faults->fails(point, n);
}

static inline void sgang_fault_die(const char *point, size_t n)
{
	if (sgang_faults)
		sgang_faults->die(point, n);
}

static inline void sgang_fault_locked(void)
{
	if (sgang_faults)
		sgang_faults->locked();
}

#endif
