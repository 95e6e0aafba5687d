/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h - what a task is told of its place in the gang
 *
 * slurmctld tells all tasks of a job the same; which node and which rank of the
 * gang a task is, is found on its node, from
 *
 *   SLURM_GANG_MEMBER_RANK, SLURM_GANG_NODES_PER_MEMBER,
 *   SLURM_GANG_MEMBER_NODELIST    the place of its node in SLURM_GANG_NODELIST
 *   SLURM_GANG_RANKS_PER_MEMBER, SLURM_GANG_RANK_OFFSET, SLURM_GANG_LAYOUT
 *                                 its rank, in a step of all ranks of its job
 *   SLURM_GANG_RUN_OFFSET, SLURM_GANG_RUN_RANKS
 *                                 its rank in a step of `sgang run`; 0 ranks: it
 *                                 is none
 *
 * Knows nothing of SPANK.
 */

#ifndef SGANG_TASK_H
#define SGANG_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct sgang_task {
	char *const *env; /* "NAME=value", ends with NULL */
	const char *node;
	uint32_t id;    /* of the task in its step, of so many */
	uint32_t tasks; /* 0: of no step, a batch script */
};

/* The number of the task's node among those of the gang. False: not known. */
bool sgang_task_node(const struct sgang_task *task, uint64_t *node_rank);

/* The rank of the task in the gang. False: it has none. */
bool sgang_task_rank(const struct sgang_task *task, uint64_t *rank);

/* In a step of `sgang run` all its ranks, and those of members before this one.
 * False: it is another step. */
bool sgang_task_run(const struct sgang_task *task, uint64_t *ranks,
		    uint64_t *offset);

#endif
