/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - the ranks of a gang's job in ring order (behaviours 4.21, 4.28)
 *
 * Slurm numbers the ranks of a step along its node table. A hostfile, one line
 * for each rank with the name of its node, is how srun is told another order:
 * SLURM_HOSTFILE, or --distribution=arbitrary. The environment of the job has
 * what is needed:
 *
 *   SLURM_GANG_MEMBER_NODELIST  its nodes in ring order, from the select plugin
 *   SLURM_JOB_NODELIST          the same nodes in Slurm's order
 *   SLURM_TASKS_PER_NODE        how many ranks there is room for on each
 *   SLURM_NTASKS                how many there are; not set: one a node
 *   SLURM_GANG_NATIVE_ORDER     the select plugin has told Slurm the order of the
 *                               nodes: blocks of ranks are dealt along it
 *
 * Knows nothing of SPANK.
 */

#ifndef SGANG_ORDER_H
#define SGANG_ORDER_H

#include <stdbool.h>

#include "core/base/err.h"

/* The hostfile for all ranks of the job whose environment ("NAME=value", ends
 * with NULL) this is. Returns a text the caller frees, or NULL with 'err' and
 * errno: ENOENT it is no gang's job, EINVAL its variables do not agree (a job
 * that was resized, a step of a part of it), ENOMEM. */
char *sgang_order_hostfile(char *const *env, struct sgang_error *err);

enum sgang_order {
	SGANG_ORDER_SLURM, /* leave it to Slurm, or it is the ring's
			    * anyway */
	SGANG_ORDER_BLOCK, /* ask Slurm for --distribution=block */
	SGANG_ORDER_HOSTFILE
};

/* Decide how the ranks of a step get in ring order, from the command line
 * (argv[0] is srun, ends with NULL) and environment of its srun. The ranks are
 * ordered only if the step has all nodes and all ranks of the job, no
 * distribution was asked for, and each option is known not to change their
 * places. All other steps are left to Slurm, and so is a step with --nodes that
 * would need a hostfile, unless 'nodes_too': newer releases refuse the two
 * together. Returns what to do, and for SGANG_ORDER_HOSTFILE its text, which
 * the caller frees; -1 with errno ENOMEM and 'err' filled. */
int sgang_order_step(char *const *argv, char *const *env, bool nodes_too,
		     char **hostfile, struct sgang_error *err);

#endif
