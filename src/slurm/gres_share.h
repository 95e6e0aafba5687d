/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gres_share.h - no more GRES of a node than a member's share there
 *
 * With GRES of a whole job (--gpus) Slurm takes as many as it can from one node
 * after the other. While a share is bound, the records of its nodes say that
 * those beyond it are in use. Only with slurmctld's write locks, and for no more
 * than one question to the stock plugin: nothing may start in the meantime.
 */

#ifndef SGANG_GRES_SHARE_H
#define SGANG_GRES_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct job_record;
struct sgang_gres_bound;

/* True if the answer in the job's record has more on one of its nodes. 'share':
 * by node; 0: any number. */
bool sgang_gres_share_exceeded(const struct job_record *job,
			       const uint32_t *share);

/* Bind the job to its share of each of 'nodes', a bitmap over the cluster. Those
 * that it was last answered are left first, since Slurm knows which are near to
 * its cores. NULL: it has no single kind of GRES, and nothing is bound. */
struct sgang_gres_bound *sgang_gres_share_bind(const struct job_record *job,
					       const int64_t *nodes,
					       const uint32_t *share);

/* The records are as before. NULL is ignored. */
void sgang_gres_share_unbind(struct sgang_gres_bound *bound);

#endif
