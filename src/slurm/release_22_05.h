/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_22_05.h - Slurm 22.05's private headers; what the names mean: release.h */

#ifndef SGANG_RELEASE_H
#define SGANG_RELEASE_H

#include "slurm/slurm_errno.h"
#include "src/common/slurm_xlator.h"
#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/gres.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/prep.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/select.h"
#include "src/common/slurm_accounting_storage.h"
#include "src/common/slurm_priority.h"
#include "src/common/slurm_selecttype_info.h"
#include "src/common/switch.h"
#include "src/common/uid.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/agent.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/gres_ctld.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/preempt.h"
#include "src/slurmctld/proc_req.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/srun_comm.h"

/* Later releases call them so. */
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef struct job_details job_details_t;

#include "slurm/release_until_24_11.h"

/* ---- state of a job ---- */

static inline bool release_requeue_is_new(void)
{
	return false;
}

/* slurmd looks for expired credentials every two seconds at most
 * (cred_handle_reissue() in common/slurm_cred.c). In between it runs no Prolog
 * for the new run, or waits for one that never runs and drains the node.
 * Without a Prolog there is nothing to wait for. */
static inline bool release_renews_at_once(void)
{
	return !slurm_conf.prolog && !slurm_conf.prolog_flags;
}

static inline void release_set_state(job_record_t *job_ptr, uint32_t state)
{
	job_ptr->job_state = state;
}

static inline void release_set_flag(job_record_t *job_ptr, uint32_t flag)
{
	job_ptr->job_state |= flag;
}

static inline void release_clear_flag(job_record_t *job_ptr, uint32_t flag)
{
	job_ptr->job_state &= ~flag;
}

static inline const char *release_reason(enum job_state_reason reason)
{
	return job_reason_string(reason);
}

/* ---- start and end ---- */

static inline int release_select_nodes(job_record_t *job_ptr)
{
	return select_nodes(job_ptr, false, NULL, NULL, false,
			    SLURMDB_JOB_FLAG_SCHED);
}

static inline void release_count_begin(job_record_t *job_ptr)
{
	acct_policy_job_begin(job_ptr);
}

static inline void release_count_end(job_record_t *job_ptr)
{
	acct_policy_job_fini(job_ptr);
}

static inline void release_switch_complete(job_record_t *job_ptr)
{
	switch_g_job_complete(job_ptr->job_id);
}

static inline void release_forget(job_record_t *job_ptr)
{
	(void)job_ptr;
}

/* A victim that ends in its grace by itself has just ended. */
static inline void release_clear_grace(job_record_t *job_ptr)
{
	(void)job_ptr;
}

static inline void release_validate_gres(job_record_t *job_ptr)
{
	job_details_t *d = job_ptr->details;

	(void)gres_job_state_validate(
		job_ptr->cpus_per_tres, job_ptr->tres_freq,
		job_ptr->tres_per_job, job_ptr->tres_per_node,
		job_ptr->tres_per_socket, job_ptr->tres_per_task,
		job_ptr->mem_per_tres, &d->num_tasks, &d->min_nodes,
		&d->max_nodes, &d->ntasks_per_node,
		&d->mc_ptr->ntasks_per_socket, &d->mc_ptr->sockets_per_node,
		&d->orig_cpus_per_task, &d->ntasks_per_tres,
		&job_ptr->gres_list_req);
}

static inline bool release_gres_per_task(const job_record_t *job_ptr)
{
	return job_ptr->tres_per_task;
}

static inline void release_gres_tres(list_t *gres, uint32_t nodes,
				     uint64_t *tres)
{
	gres_ctld_set_job_tres_cnt(gres, nodes, tres, true);
}

#define RELEASE_SPREAD_SEGMENTS 0
#define RELEASE_CONSOLIDATE_SEGMENTS 0

static inline uint64_t release_segments(const job_record_t *job_ptr)
{
	(void)job_ptr;
	return 0;
}

static inline bool release_whole_node(const job_details_t *d)
{
	return d->whole_node == WHOLE_NODE_REQUIRED;
}

static inline bool release_user_node(const job_details_t *d)
{
	return d->whole_node == WHOLE_NODE_USER;
}

static inline bool release_mcs_node(const job_details_t *d)
{
	return d->whole_node == WHOLE_NODE_MCS;
}

static inline uint32_t release_nodes_bound(const job_details_t *d)
{
	return d->num_tasks;
}

/* ---- the queue ---- */

static inline void release_queue_record(job_queue_rec_t *rec)
{
	(void)rec;
}

/* ---- nodes ---- */

static inline int release_test_reservations(job_record_t *job_ptr,
					    bitstr_t **nodes)
{
	bitstr_t *except = NULL;
	time_t now = time(NULL);
	bool overlap = false;
	int rc;

	*nodes = NULL;
	rc = job_test_resv(job_ptr, &now, false, nodes, &except, &overlap,
			   true);
	FREE_NULL_BITMAP(except);
	return rc;
}

#define RELEASE_ORDERS_DOWN 0

#define RELEASE_OWN_CORE_SPEC CTL_CONF_ASRU

/* The word at which a bitmap begins, and the bits of a word. */
#define RELEASE_BITMAP_HEAD BITSTR_OVERHEAD

/* ---- the select plugin ---- */

typedef struct {
	bitstr_t *exc_cores;
} release_rest_t;

#define RELEASE_REST_PARAMETERS bitstr_t *exc_cores
#define RELEASE_REST                   \
	{                              \
		.exc_cores = exc_cores \
	}
#define RELEASE_REST_ARGUMENTS(rest) (rest)->exc_cores

static inline release_rest_t release_exclude(const release_rest_t *rest,
					     bitstr_t *cores)
{
	release_rest_t more = { .exc_cores = cores };

	if (rest->exc_cores)
		bit_or(cores, rest->exc_cores);
	return more;
}

static inline bool release_excludes_cores(const release_rest_t *rest)
{
	return rest->exc_cores;
}

static inline release_rest_t release_exclude_nothing(const release_rest_t *rest)
{
	(void)rest;
	return (release_rest_t){ .exc_cores = NULL };
}

static inline void release_free_excluded(release_rest_t *more)
{
	FREE_NULL_BITMAP(more->exc_cores);
}

#define RELEASE_PASSED(CALL)                                               \
	RELEASE_PASSED_UNTIL_24_11(CALL)                                   \
	CALL(int, job_signal, (job_record_t * job_ptr, int sig),           \
	     (job_ptr, sig))                                               \
	CALL(char *, select_jobinfo_sprint,                                \
	     (select_jobinfo_t * info, char *text, size_t size, int mode), \
	     (info, text, size, mode))                                     \
	CALL(char *, select_jobinfo_xstrdup,                               \
	     (select_jobinfo_t * info, int mode), (info, mode))            \
	CALL(int, update_node_config, (int index), (index))                \
	CALL(bitstr_t *, resv_test,                                        \
	     (resv_desc_msg_t * resv, uint32_t nodes, bitstr_t * avail,    \
	      bitstr_t * *cores),                                          \
	     (resv, nodes, avail, cores))

/* The nodes of a list of names, to be freed; NULL: it names one that is gone. */
static inline bitstr_t *release_named_nodes(char *names)
{
	bitstr_t *nodes = NULL;

	if (node_name2bitmap(names, false, &nodes))
		FREE_NULL_BITMAP(nodes);
	return nodes;
}

#endif
