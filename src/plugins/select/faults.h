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
 *			commit (a member of an attempt), committed (all of
 *			them, not saved), saved, release (a member), released
 *			(not saved), known (saved), giveback, timeout (a
 *			member), claimed (nodes, for a gang that preempts),
 *			strike (a victim; 0: before the first), reserved (a
 *			cold spare, not saved), promoted (likewise), launch (of
 *			one that was), replace (a job of a gang that lost one,
 *			before it is looked at), requeue (a job, before it is
 *			requeued for its gang), requeued (all of them, not
 *			saved), begins (a requeued job may, its record says
 *			nothing of it), begun, fill (a seat, with a spare),
 *			filled, seat (a late member, before it has one), seated
 *			(not saved), epoch (of a gang, not saved), tell (it,
 *			saved), told, end (a job, since its gang is done), ended
 *			(all), leaves (a member whose node drains, before it is
 *			requeued), moved (it is)
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
