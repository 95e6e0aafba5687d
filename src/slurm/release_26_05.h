/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_26_05.h - Slurm 26.05's private headers; what the names mean: release.h */

#ifndef SGANG_RELEASE_H
#define SGANG_RELEASE_H

#include "slurm/release_since_25_11.h"
#include "src/slurmctld/read_config.h"

/* ---- start and end ---- */

static inline bool release_nodes_ready(job_record_t *job_ptr)
{
	/* the node that runs the script is chosen late */
	return !pick_batch_host(job_ptr) && test_job_nodes_ready(job_ptr);
}

/* If any one of several licences is enough, the next start may take another. */
static inline void release_forget(job_record_t *job_ptr)
{
	release_forget_ports(job_ptr);
	xfree(job_ptr->licenses_allocated);
	restore_job_licenses(job_ptr, true);
}

/* ---- nodes ---- */

#define RELEASE_IMPLICIT_MAX_NODES JOB_IMPLICIT_MAX_NODES

/* Commands have none. */
#pragma weak node_select_stats_array

/* The resources in use on nodes. */
#define RELEASE_MORE_LOCKS .select_node = WRITE_LOCK

/* In place of the order that the topology plugin has given the stock plugin. */
#define RELEASE_ORDERS_NODES 1

static inline void release_order_nodes(job_resources_t *res, uint32_t *place)
{
	xfree(res->node_ranks);
	res->node_ranks = place;
}

static inline void release_node_used(const node_record_t *node_ptr,
				     uint16_t *cpus, uint64_t *memory)
{
	*cpus = node_select_stats_array[node_ptr->index]->alloc_cpus;
	*memory = node_select_stats_array[node_ptr->index]->alloc_memory;
}

/* ---- the select plugin ---- */

#define RELEASE_PASSED(CALL)                                             \
	CALL(int, job_ready, (job_record_t * job_ptr), (job_ptr))        \
	CALL(void, job_mem_reduce, (job_record_t * job_ptr), (job_ptr))  \
	CALL(int, job_resume, (job_record_t * job_ptr, bool indefinite), \
	     (job_ptr, indefinite))                                      \
	CALL(int, select_nodeinfo_set_all, (void), ())                   \
	CALL(int, select_nodeinfo_set, (job_record_t * job_ptr), (job_ptr))

#endif
