/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell_victims.h - in the tests' plugin only: preemption step by
 * step
 *
 * Lines of the file that SGANG_FAULT_FILE names (faults.h): "candidates-of
 * JOBID", the preempting job; then FILE.candidates lists the jobs it may
 * preempt. Each time when the locks are taken the job is let preempt those of
 * the lines "preempt JOBID", and those of "spare JOBID" are spared.
 */

#ifndef SGANG_TELL_VICTIMS_H
#define SGANG_TELL_VICTIMS_H

void sgang_tell_victims(void);

#endif
