/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue.h - the position of gangs in Slurm's queue */

#ifndef SGANG_QUEUE_H
#define SGANG_QUEUE_H

#include "cmd/gangs.h"

/* Set the position of each gang that has its members and waits: 1 more than the
 * jobs and other such gangs that come before it in one of its partitions, each
 * gang and each array being one. Jobs that are held or wait for a time or
 * another job are not counted, nor is what the caller may not see. The order is
 * that of Slurm's schedulers: PriorityTier of the partition, priority, job id. */
void sgang_queue_count(const struct sgang_jobs *jobs,
		       const struct sgang_gangs *gangs);

/* PriorityTier of the partition, of several the highest; 1 if it is not known.
 */
struct sgang_tiers {
	char **name;
	uint16_t *tier;
	size_t n;
};
void sgang_tiers_load(struct sgang_tiers *tiers);
void sgang_tiers_clear(struct sgang_tiers *tiers);

#endif
