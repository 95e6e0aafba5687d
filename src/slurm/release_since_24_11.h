/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_since_24_11.h - what 24.11 and later releases have in common
 *
 * Slurm's own headers come first; what the names mean: release.h.
 */

#ifndef SGANG_RELEASE_SINCE_24_11_H
#define SGANG_RELEASE_SINCE_24_11_H

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
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/stepmgr/gres_stepmgr.h"
#include "src/stepmgr/srun_comm.h"
#include "src/stepmgr/stepmgr.h"

/* ---- state of a job ---- */

static inline bool release_requeue_is_new(void)
{
	return true;
}

static inline bool release_renews_at_once(void)
{
	return true;
}

static inline void release_set_state(job_record_t *job_ptr, uint32_t state)
{
	job_state_set(job_ptr, state);
}

static inline void release_set_flag(job_record_t *job_ptr, uint32_t flag)
{
	job_state_set_flag(job_ptr, flag);
}

static inline void release_clear_flag(job_record_t *job_ptr, uint32_t flag)
{
	job_state_unset_flag(job_ptr, flag);
}

static inline const char *release_reason(enum job_state_reason reason)
{
	return job_state_reason_string(reason);
}

static inline bool release_whole_node(const job_details_t *d)
{
	return d->whole_node & WHOLE_NODE_REQUIRED;
}

static inline bool release_user_node(const job_details_t *d)
{
	return d->whole_node & WHOLE_NODE_USER;
}

static inline bool release_mcs_node(const job_details_t *d)
{
	return d->whole_node & WHOLE_NODE_MCS;
}

/* With tasks on each node there are as many as the nodes will have. */
static inline uint32_t release_nodes_bound(const job_details_t *d)
{
	return d->ntasks_per_node ? 0 : d->num_tasks;
}

/* ---- start and end ---- */

static inline int release_select_nodes(job_record_t *job_ptr)
{
	job_node_select_t selection = { .job_ptr = job_ptr };

	return select_nodes(&selection, false, false, SLURMDB_JOB_FLAG_SCHED);
}

static inline void release_count_begin(job_record_t *job_ptr)
{
	acct_policy_job_begin(job_ptr, false);
}

static inline void release_count_end(job_record_t *job_ptr)
{
	acct_policy_job_fini(job_ptr, false);
}

static inline void release_switch_complete(job_record_t *job_ptr)
{
	switch_g_job_complete(job_ptr);
}

static inline void release_forget_ports(job_record_t *job_ptr)
{
	if (job_ptr->resv_ports)
		resv_port_job_free(job_ptr);
	xfree(job_ptr->resv_ports);
	xfree(job_ptr->alias_list);
	xfree(job_ptr->node_addrs);
}

static inline void release_clear_grace(job_record_t *job_ptr)
{
	job_ptr->bit_flags &= ~GRACE_PREEMPT;
}

static inline void release_validate_gres(job_record_t *job_ptr)
{
	job_details_t *d = job_ptr->details;
	gres_job_state_validate_t request = {
		.cpus_per_tres = job_ptr->cpus_per_tres,
		.mem_per_tres = job_ptr->mem_per_tres,
		.tres_freq = job_ptr->tres_freq,
		.tres_per_job = job_ptr->tres_per_job,
		.tres_per_node = job_ptr->tres_per_node,
		.tres_per_socket = job_ptr->tres_per_socket,
		.tres_per_task = job_ptr->tres_per_task,
		.cpus_per_task = &d->orig_cpus_per_task,
		.max_nodes = &d->max_nodes,
		.min_cpus = &d->min_cpus,
		.min_nodes = &d->min_nodes,
		.ntasks_per_node = &d->ntasks_per_node,
		.ntasks_per_socket = &d->mc_ptr->ntasks_per_socket,
		.ntasks_per_tres = &d->ntasks_per_tres,
		.num_tasks = &d->num_tasks,
		.sockets_per_node = &d->mc_ptr->sockets_per_node,
		.gres_list = &job_ptr->gres_list_req,
	};

	(void)gres_job_state_validate(&request);
}

/* The CPUs of --cpus-per-task are there, too. */
static inline bool release_gres_per_task(const job_record_t *job_ptr)
{
	return xstrcasestr(job_ptr->tres_per_task, "gres");
}

static inline void release_gres_tres(list_t *gres, uint32_t nodes,
				     uint64_t *tres)
{
	gres_stepmgr_set_job_tres_cnt(gres, nodes, tres, true);
}

/* ---- the queue ---- */

/* A job may ask for several QOS; this is the one it is tried with. */
static inline void release_queue_record(job_queue_rec_t *rec)
{
	rec->qos_ptr = rec->job_ptr->qos_ptr;
}

/* ---- nodes ---- */

static inline int release_test_reservations(job_record_t *job_ptr,
					    bitstr_t **nodes)
{
	resv_exc_t except = { 0 };
	time_t now = time(NULL);
	bool overlap = false;
	int rc;

	*nodes = NULL;
	rc = job_test_resv(job_ptr, &now, false, nodes, &except, &overlap,
			   true);
	reservation_delete_resv_exc_parts(&except);
	return rc;
}

#define RELEASE_ORDERS_DOWN 1

#define RELEASE_OWN_CORE_SPEC CONF_FLAG_ASRU

/* Private to Slurm's bitstring.c; the layout test compares. */
#define RELEASE_BITMAP_HEAD 2
#define BITSTR_SHIFT 6

/* ---- the select plugin ---- */

typedef struct {
	resv_exc_t *exc;
	will_run_data_t *will_run;
	resv_exc_t own; /* what exc points to, with more */
} release_rest_t;

#define RELEASE_REST_PARAMETERS resv_exc_t *resv_exc, will_run_data_t *will_run
#define RELEASE_REST                                  \
	{                                             \
		.exc = resv_exc, .will_run = will_run \
	}
#define RELEASE_REST_ARGUMENTS(rest)                                        \
	((rest)->own.exc_cores ? (resv_exc_t *)&(rest)->own : (rest)->exc), \
		(rest)->will_run

static inline release_rest_t release_exclude(const release_rest_t *rest,
					     bitstr_t *cores)
{
	release_rest_t more = *rest;

	if (rest->exc)
		more.own = *rest->exc;
	more.own.exc_cores = core_bitmap_to_array(cores);
	if (rest->exc && rest->exc->exc_cores)
		core_array_or(more.own.exc_cores, rest->exc->exc_cores);
	FREE_NULL_BITMAP(cores);
	return more;
}

static inline bool release_excludes_cores(const release_rest_t *rest)
{
	return rest->exc && rest->exc->exc_cores;
}

/* The stock plugin reads it without a look whether it is there. */
static inline release_rest_t release_exclude_nothing(const release_rest_t *rest)
{
	static resv_exc_t nothing;

	return (release_rest_t){ .exc = &nothing, .will_run = rest->will_run };
}

/* The other members are borrowed. */
static inline void release_free_excluded(release_rest_t *more)
{
	free_core_array(&more->own.exc_cores);
}

/* The nodes of a list of names, to be freed; NULL: it names one that is gone. */
static inline bitstr_t *release_named_nodes(char *names)
{
	bitstr_t *nodes = NULL;

	if (node_name2bitmap(names, false, &nodes, NULL))
		FREE_NULL_BITMAP(nodes);
	return nodes;
}

#endif
