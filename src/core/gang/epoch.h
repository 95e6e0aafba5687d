/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoch.h - who is in a gang, as text: the file that SLURM_GANG_STATE names
 *
 *   SLURM_GANG_EPOCH='3'
 *   SLURM_GANG_JOB_IDS='812,0,814'
 *   ...
 *   # end
 *
 * Lines that a shell can read. Each change of who is in the gang, and of which
 * of its nodes drain, is an epoch and has a number, which grows. Values that do
 * not change with the members are not in the file, and neither are values that
 * differ between members: a member finds its rank by its job id. slurmctld
 * writes the text, slurmstepd keeps it, srun and sgang read it.
 */

#ifndef SGANG_EPOCH_H
#define SGANG_EPOCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SGANG_EPOCH_NUMBER "SLURM_GANG_EPOCH"
#define SGANG_EPOCH_NAMESPACE "SLURM_GANG_NAMESPACE"
#define SGANG_EPOCH_GANG "SLURM_GANG_NAME"
#define SGANG_EPOCH_STATE "SLURM_GANG_STATE"
#define SGANG_EPOCH_IDS "SLURM_GANG_JOB_IDS"
/* By member rank, "0" for one that is vacant. */
#define SGANG_EPOCH_NODES "SLURM_GANG_NODES_PER_MEMBER"
#define SGANG_EPOCH_RANKS "SLURM_GANG_RANKS_PER_MEMBER"
/* How many nodes that is, those of each member counted. */
#define SGANG_EPOCH_NNODES "SLURM_GANG_NNODES"
/* Where others reach the first of them. */
#define SGANG_EPOCH_HEAD_ADDR "SLURM_GANG_HEAD_ADDR"
/* With communication groups the ranks of all tasks along the ring: those of a
 * member stand from its rank offset on. Left out where they are 0, 1, 2 and so on,
 * or where not all are known. */
#define SGANG_EPOCH_LAYOUTS "SLURM_GANG_LAYOUTS"
/* Members that run and have no member rank; "": there are none. */
#define SGANG_EPOCH_SPARES "SLURM_GANG_SPARE_JOB_IDS"
/* Of a tree of groups: the first node of each group with members,
 * "replica1/decode=n2,replica1/encode=n1". */
#define SGANG_EPOCH_HEADS "SLURM_GANG_ROLE_HEADS"
/* The same with where others reach these nodes. */
#define SGANG_EPOCH_HEAD_ADDRS "SLURM_GANG_ROLE_HEAD_ADDRS"
/* The nodes of the gang that are draining; empty if none is. */
#define SGANG_EPOCH_DRAINING "SLURM_GANG_DRAINING"

/* A text is no longer than this. */
#define SGANG_EPOCH_MAX (1024UL * 1024)

/* The names in the order in which they are written; NULL after the last. */
const char *sgang_epoch_name(size_t i);

/* The text of what 'get' knows (NULL, and what holds a quote or a line's end, is
 * left out). Returns a string the caller frees; NULL without memory, or when the
 * number is not known. */
char *sgang_epoch_write(const char *(*get)(void *arg, const char *name),
			void *arg);

/* The number of a text that is whole; 0: it is not. */
uint64_t sgang_epoch_number(const char *text);

/* The value of one name. Returns a string the caller frees, or NULL. */
char *sgang_epoch_value(const char *text, const char *name);

/* The next number of a list like "812,0,814" at '*list', which moves on. False
 * at its end. */
bool sgang_epoch_next_id(const char **list, uint32_t *id);

#endif
