/* SPDX-License-Identifier: GPL-2.0-or-later */
/* freed.h - what has become free, for gangs that wait
 *
 * A gang that does not fit is tried again when what it lacks may be there. That
 * a job begins gives it nothing; that one ends does, on its nodes. All functions
 * are called with slurmctld's locks held.
 */

#ifndef SGANG_FREED_H
#define SGANG_FREED_H

#include <stdint.h>

#include "core/base/nodeset.h"

struct job_record;

/* A job has given back what it had of its nodes, or some of it. */
void sgang_freed_by(const struct job_record *job);
/* Something may have become free anywhere. */
void sgang_freed_all(void);

/* Rises whenever something has become free: by the calls above, when a node is
 * idle or no longer completing, when it has come back, and when a partition or a
 * reservation has changed. Never 0. */
uint64_t sgang_freed_count(void);
/* Add the nodes where that happened after the count was 'since'. */
void sgang_freed_since(uint64_t since, struct sgang_nodeset *nodes);

#endif
