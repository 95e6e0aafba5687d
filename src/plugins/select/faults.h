/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults.h - failures on demand, in the tests' build of the plugin only
 *
 * The file named by the environment variable SGANG_FAULT_FILE holds lines
 * "POINT N"; the N-th passage of POINT in an attempt (from 1) then fails. The
 * installed plugin is built without SGANG_FAULTS and has none of this.
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

#ifdef SGANG_FAULTS
bool sgang_fault(const char *point, size_t n);
/* Does not return if the file says "kill-POINT N". */
void sgang_fault_die(const char *point, size_t n);
#else
static inline bool sgang_fault(const char *point, size_t n)
{
	(void)point;
	(void)n;
	return false;
}
static inline void sgang_fault_die(const char *point, size_t n)
{
	(void)point;
	(void)n;
}
#endif

#endif
