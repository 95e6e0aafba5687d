/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloc.h - what a running job has on each of its nodes
 *
 * alloc_slurm.c asks slurmctld through libslurm; a build without Slurm has
 * alloc_none.c in its place.
 */

#ifndef SGANG_ALLOC_H
#define SGANG_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct sgang_indices {
	uint32_t *index; /* ascending */
	size_t n;
};

struct sgang_alloc_node {
	char *name;
	uint32_t cpus;
	struct sgang_indices gpus;  /* of the node's gres/gpu; none where
				     * Slurm does not number them */
	struct sgang_indices cores; /* socket by socket, from 0 */
	uint32_t cores_per_socket;  /* of the node */
	char *address;              /* where others reach it */
};

struct sgang_alloc {
	struct sgang_alloc_node *node; /* in Slurm's order */
	size_t n;
	uint32_t cpus_per_rank; /* 1 or more */
};

/* Fill in an allocation for each of the 'n' jobs. Returns 0 and allocations to
 * be emptied with sgang_alloc_clear(), or -1 with 'err', also when one of the
 * jobs has no nodes (any more). */
int sgang_alloc_load(const uint32_t *job_ids, size_t n,
		     struct sgang_alloc *allocs, struct sgang_error *err);
void sgang_alloc_clear(struct sgang_alloc *alloc);

/* Read a list of numbers, "0-3,8", up to 'end'. Returns 0, or -1 with errno
 * EINVAL (no such list) or ENOMEM. 'list' is to be freed. */
int sgang_indices_read(const char *text, const char *end,
		       struct sgang_indices *list);

/* The GPUs in Slurm's description of a job's gres on a node,
 * "gpu:h100:2(IDX:0-1),nic:1(IDX:0)". None if it names none, or only how many.
 * As above; NULL is fine. */
int sgang_indices_read_gpus(const char *gres, struct sgang_indices *list);

#endif
