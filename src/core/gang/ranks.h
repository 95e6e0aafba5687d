/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ranks.h - how many ranks a job has on each of its nodes, and their order
 *
 * Slurm lists a job's nodes in the order of its node table, and says what is on
 * them in the same order. The ring has an order of its own.
 */

#ifndef SGANG_RANKS_H
#define SGANG_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/* Read what Slurm writes into SLURM_TASKS_PER_NODE, "4,2,1(x2)", into one
 * number for each of the 'n' nodes. Returns 0, or -1 with errno EINVAL (no such
 * text, or not of that many nodes) and 'err' filled; 'ranks' is then undefined.
 */
int sgang_ranks_read(const char *text, size_t n, uint32_t *ranks,
		     struct sgang_error *err);

/* The same by Slurm's own rule for a step that asks for no distribution: the
 * nodes in turn get one rank each as long as they have 'cpus_per_rank' CPUs for
 * it, and when all are full in turn one more each. A node has room for one in
 * any case. 'cpus_per_rank' may be 0, which is 1. */
void sgang_ranks_spread(const uint32_t *cpus, size_t n, uint32_t cpus_per_rank,
			uint64_t total, uint32_t *ranks);

/* Where in 'listed' each name of 'ring' stands: listed[where[i]] is ring[i].
 * Both have 'n' names. Returns 0, or -1 with errno EINVAL when they are not the
 * same names, each once, or ENOMEM, and 'err' filled; 'where' is then
 * undefined. */
int sgang_ranks_order(char *const *listed, char *const *ring, size_t n,
		      size_t *where, struct sgang_error *err);

#endif
