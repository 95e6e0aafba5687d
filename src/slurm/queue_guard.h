/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue_guard.h - members of gangs wait while slurm-gang is not at work
 *
 * slurmctld may come up with gangs in its queue and without the select plugin at
 * work (at_work.h). Then Slurm would start their members one by one. A thread of
 * job_submit/gang parks those that are pending and keeps those that are held, so
 * that none starts; the reason of each says why. When the select plugin is at
 * work, here or in the next slurmctld, it finds them as after any restart.
 */

#ifndef SGANG_QUEUE_GUARD_H
#define SGANG_QUEUE_GUARD_H

/* Start the thread, and end it. A failure to start is logged. 'version' is that
 * of the running Slurm; of another release nothing is touched. */
void sgang_queue_guard_start(unsigned int version);
void sgang_queue_guard_stop(void);

#endif
