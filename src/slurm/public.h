/* SPDX-License-Identifier: GPL-2.0-or-later */
/* public.h - libslurm's public header, and what its releases call differently
 *
 * A job's id is part of slurm_step_id_t, in messages since 25.11, as an argument
 * since 26.05.
 *
 * public_job_id(message)    the job's id in a message, to read and to set
 * public_id_of_job(job_id)  the argument of libslurm's functions for an id
 * public_free_conf(conf)    free what slurm_load_ctl_conf() gave
 * PUBLIC_TOPOLOGY_YAML      does slurmctld read a topology.yaml? 0 or 1
 * public_used_cpus(node)    the CPUs that jobs have of a node_info_t
 * PUBLIC_GRES               the prefix of a GRES in tres_per_node
 * PUBLIC_RANGE_BY_TASKS     -N2-4 --ntasks-per-node=1 gets no more nodes than
 *                           the lower end has tasks: 0 or 1
 */

#ifndef SGANG_PUBLIC_H
#define SGANG_PUBLIC_H

#include <slurm/slurm.h>
#include <slurm/slurmdb.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
#define public_job_id(message) ((message)->step_id.job_id)
#else
#define public_job_id(message) ((message)->job_id)
#endif

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define public_id_of_job(id) \
	((slurm_step_id_t){  \
		.job_id = (id), .step_het_comp = NO_VAL, .step_id = NO_VAL })
#define public_free_conf(conf) slurm_free_conf(conf)
#else
#define public_id_of_job(id) (id)
#define public_free_conf(conf) slurm_free_ctl_conf(conf)
#endif

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
#define PUBLIC_RANGE_BY_TASKS 0
#else
#define PUBLIC_RANGE_BY_TASKS 1
#endif

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define PUBLIC_GRES "gres/"
#else
#define PUBLIC_GRES "gres:"
#endif

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define PUBLIC_TOPOLOGY_YAML 1

static inline uint16_t public_used_cpus(const node_info_t *node)
{
	return node->alloc_cpus;
}

static inline const char *
public_partition_topology(const partition_info_t *partition)
{
	return partition->topology_name;
}
#else
#define PUBLIC_TOPOLOGY_YAML 0

static inline uint16_t public_used_cpus(const node_info_t *node)
{
	uint16_t used = 0;

	if (slurm_get_select_nodeinfo(node->select_nodeinfo,
				      SELECT_NODEDATA_SUBCNT,
				      NODE_STATE_ALLOCATED, &used))
		return 0;
	return used;
}

static inline const char *
public_partition_topology(const partition_info_t *partition)
{
	(void)partition;
	return NULL;
}
#endif

#endif
