/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_26_05.h - Slurm 26.05's private headers; what the names mean: release.h */

#ifndef SGANG_RELEASE_H
#define SGANG_RELEASE_H

#include "slurm/slurm_errno.h"
#include "src/common/slurm_xlator.h"
#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/core_array.h"
#include "src/common/job_features.h"
#include "src/common/job_record.h"
#include "src/common/job_resources.h"
#include "src/common/job_state_reason.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/port_mgr.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/uid.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/interfaces/accounting_storage.h"
#include "src/interfaces/gres.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/prep.h"
#include "src/interfaces/priority.h"
#include "src/interfaces/select.h"
#include "src/interfaces/switch.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/agent.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/proc_req.h"
#include "src/slurmctld/read_config.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/stepmgr/gres_stepmgr.h"
#include "src/stepmgr/stepmgr.h"

#include "slurm/release_since_24_11.h"

/* ---- start and end ---- */

static inline void release_set_certificate(slurm_msg_t *msg,
					   const job_record_t *job_ptr)
{
	msg->tls_cert = xstrdup(job_ptr->alloc_tls_cert);
}

static inline void release_free_certificate(slurm_msg_t *msg)
{
	xfree(msg->tls_cert);
}

static inline bool release_nodes_ready(job_record_t *job_ptr)
{
	/* the node that runs the script is chosen late */
	return !pick_batch_host(job_ptr) && test_job_nodes_ready(job_ptr);
}

static inline void release_completed(job_record_t *job_ptr)
{
	cleanup_completing(job_ptr, false);
}

static inline void release_epilog_done(job_record_t *job_ptr, char *node)
{
	(void)job_epilog_complete(job_ptr, node, 0);
}

/* If any one of several licences is enough, the next start may take another. */
static inline void release_forget(job_record_t *job_ptr)
{
	release_forget_ports(job_ptr);
	xfree(job_ptr->licenses_allocated);
	restore_job_licenses(job_ptr, true);
}

static inline int release_requeue(job_record_t *job_ptr)
{
	return job_requeue_internal(0, job_ptr, false, 0);
}

#define RELEASE_EXPEDITED EXPEDITED_REQUEUE

/* ---- nodes ---- */

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

#define RELEASE_TOPOLOGY_YAML 1

static inline uint64_t release_segments(const job_record_t *job_ptr)
{
	uint64_t flags = job_ptr->bit_flags &
			 (SPREAD_SEGMENTS | CONSOLIDATE_SEGMENTS);

	return job_ptr->details->segment_size ?
		       job_ptr->details->segment_size | flags :
		       0;
}

static inline const char *release_partition_topology(const part_record_t *part)
{
	return part->topology_name;
}

#define RELEASE_BY_MEMORY SELECT_MEMORY
#define RELEASE_BY_CORE SELECT_CORE

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
