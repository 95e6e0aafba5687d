/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.c - struct sgang_host on the records of slurmctld
 *
 * The sequence of calls that starts, holds, undoes and releases a member is
 * explained in doc/internals.md.
 */

#include "config.h"

#include <string.h>
#include <time.h>

#include "freed.h"
#include "host_private.h"

#include "core/base/hash.h"

#include "account.h"
#include "inside.h"
#include "messenger.h"
#include "plugins/log.h"
#include "plugins/select/faults.h"
#include "rows.h"

/* ---- locks ---- */

/* The locks of sched/backfill. */
static const slurmctld_lock_t conductor_locks = { .conf = READ_LOCK,
						  .job = WRITE_LOCK,
						  .node = WRITE_LOCK,
						  .part = READ_LOCK,
						  .fed = READ_LOCK,
						  RELEASE_MORE_LOCKS };

/* A controller on standby has job records too, those of its last time in
 * control. They must not be changed, nor saved over those of the other
 * controller. A takeover ends a little after the records are read anew, and the
 * holds in them must be found before a prolog that runs again launches one. */
static bool in_control(void)
{
	return control_time || atomic_load(&sgang_host_fresh);
}

static bool host_lock(void)
{
	if (slurmctld_config.shutdown_time || !in_control())
		return false;
	lock_slurmctld(conductor_locks);
	/* The wait for the locks may have been long. */
	if (slurmctld_config.shutdown_time || !in_control() || !job_list ||
	    !sgang_select_at_work(list_peek(job_list)) ||
	    sgang_select_nodes_moved()) {
		unlock_slurmctld(conductor_locks);
		return false;
	}
	sgang_fault_locked();
	return true;
}

static void host_unlock(void)
{
	sgang_host_set_aside_forget();
	sgang_host_leave_out(NULL, 0);
	unlock_slurmctld(conductor_locks);
}

/* ---- looking at jobs ---- */

/* "Gang alice/train ...", "GangTimeout" */
static bool is_ours(const char *state_desc)
{
	return state_desc && !xstrncmp(state_desc, "Gang", 4);
}

static bool is_parked(const job_record_t *job_ptr)
{
	return IS_JOB_PENDING(job_ptr) &&
	       job_ptr->state_reason == WAIT_MAX_REQUEUE &&
	       is_ours(job_ptr->state_desc);
}

/* True if the transaction cannot undo a start (a burst buffer that was begun,
 * siblings in a federation), or if the job allocates nothing. */
static bool unsupported(const job_record_t *job_ptr)
{
	const job_details_t *d = job_ptr->details;

	return job_ptr->het_job_id || job_ptr->burst_buffer ||
	       job_ptr->fed_details || (!d->min_nodes && !d->max_nodes);
}

static bool left_overs(const job_record_t *job_ptr)
{
	return job_ptr->details->prolog_running || job_ptr->prep_prolog_cnt ||
	       job_ptr->epilog_running ||
	       (job_ptr->step_list && list_count(job_ptr->step_list));
}

/* The main scheduler's test before it queues a job. job_independent() and
 * job_limits_check() write the reason they find into the job. */
static bool is_eligible(job_record_t *job_ptr)
{
	bool parked = is_parked(job_ptr), yes;
	char *desc = NULL;

	if (!IS_JOB_PENDING(job_ptr) || IS_JOB_COMPLETING(job_ptr) ||
	    IS_JOB_REVOKED(job_ptr) || !job_ptr->details ||
	    unsupported(job_ptr) || left_overs(job_ptr) || !job_ptr->part_ptr ||
	    !job_ptr->priority)
		return false;
	if (parked) {
		job_ptr->state_reason = WAIT_NO_REASON;
		desc = job_ptr->state_desc;
		job_ptr->state_desc = NULL;
	}
	yes = job_independent(job_ptr) &&
	      job_limits_check(&job_ptr, false) == WAIT_NO_REASON;
	if (parked && yes) {
		job_ptr->state_reason = WAIT_MAX_REQUEUE;
		xfree(job_ptr->state_desc);
		job_ptr->state_desc = desc;
	} else {
		xfree(desc);
	}
	return yes;
}

/* select_nodes() asks no plugin about such a job. */
static bool is_barred(const job_record_t *job_ptr)
{
	bitstr_t *required = job_ptr->details ?
				     job_ptr->details->req_node_bitmap :
				     NULL;

	return required && !bit_super_set(required, avail_node_bitmap);
}

static enum sgang_job_state job_state(const job_record_t *job_ptr)
{
	if (IS_JOB_PENDING(job_ptr))
		return SGANG_JOB_PENDING;
	if (IS_JOB_RUNNING(job_ptr) && IS_JOB_CONFIGURING(job_ptr))
		return SGANG_JOB_CONFIGURING;
	if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
		return SGANG_JOB_RUNNING;
	return SGANG_JOB_ENDED;
}

/* True if the node that launches the job has registered with this slurmctld. */
static bool node_has_told(const job_record_t *job_ptr)
{
	const node_record_t *node_ptr;

	if (!job_ptr->batch_flag || !job_ptr->batch_host)
		return true;
	node_ptr = find_node_record(job_ptr->batch_host);
	return !node_ptr || node_ptr->boot_time;
}

/* True if the node of a batch job has reported the end of its script. A job that
 * was not launched may be cancelled, run out of time or lose its node, too. A
 * script that fails has FAIL_EXIT_CODE, or FAIL_LAUNCH after a signal (later
 * FAIL_SIGNAL); the other two are failures of slurmctld itself. salloc that is
 * interrupted while it waits for its nodes reports its job complete. */
static bool script_ended(const job_record_t *job_ptr)
{
	if (!job_ptr->batch_flag)
		return false;
	if (IS_JOB_FAILED(job_ptr))
		return job_ptr->state_reason != FAIL_SYSTEM &&
		       job_ptr->state_reason != FAIL_BAD_CONSTRAINTS;
	return IS_JOB_COMPLETE(job_ptr) || IS_JOB_OOM(job_ptr);
}

static enum sgang_launch launch_of(const job_record_t *job_ptr)
{
	if (script_ended(job_ptr))
		return SGANG_LAUNCH_YES;
	if (!IS_JOB_RUNNING(job_ptr) || !IS_JOB_CONFIGURING(job_ptr))
		return SGANG_LAUNCH_NO;
	/* The Prolog runs first, perhaps in a step of its own. */
	if (job_ptr->state_reason == WAIT_PROLOG)
		return SGANG_LAUNCH_NO;
	if (sgang_host_was_seen(job_ptr))
		return SGANG_LAUNCH_YES;
	return node_has_told(job_ptr) ? SGANG_LAUNCH_NO : SGANG_LAUNCH_UNKNOWN;
}

static void queue_record(job_record_t *job_ptr, part_record_t *part_ptr,
			 job_queue_rec_t *rec)
{
	*rec = (job_queue_rec_t){
		.array_task_id = job_ptr->array_task_id,
		.job_id = job_ptr->job_id,
		.job_ptr = job_ptr,
		.part_ptr = part_ptr,
		.priority = job_ptr->priority,
	};
	release_queue_record(rec);
}

static bool host_before(struct sgang_job *waiting, struct sgang_job *asking)
{
	job_queue_rec_t a, b, *first = &a, *second = &b;

	queue_record(record(waiting),
		     sgang_host_lowest_partition(record(waiting)), &a);
	a.resv_ptr = sgang_host_same_magnet(a.job_ptr, a.part_ptr,
					    record(asking));
	queue_record(record(asking), record(asking)->part_ptr, &b);
	return sort_job_queue2(&first, &second) < 0;
}

/* True if the job waits for nodes of that partition, as far as is known. */
static bool queues_for(const job_record_t *job_ptr, const part_record_t *part)
{
	return IS_JOB_PENDING(job_ptr) && !IS_JOB_COMPLETING(job_ptr) &&
	       job_ptr->priority && job_ptr->details && job_ptr->part_ptr &&
	       job_ptr->details->begin_time <= time(NULL) &&
	       job_ptr->state_reason != WAIT_DEPENDENCY &&
	       !is_parked(job_ptr) &&
	       (job_ptr->part_ptr == part ||
		bit_overlap_any(job_ptr->part_ptr->node_bitmap,
				part->node_bitmap));
}

static bool host_overtaken(struct sgang_job *job)
{
	const part_record_t *part = record(job)->part_ptr;
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;
	bool overtaken = false;

	while (part && !overtaken && (job_ptr = list_next(iter)))
		overtaken = queues_for(job_ptr, part) &&
			    host_before(handle(job_ptr), job);
	list_iterator_destroy(iter);
	return overtaken;
}

static bool host_requeues(struct sgang_job *job)
{
	return sgang_host_would_requeue(record(job));
}

/* The job's end, as far as is known. */
static int64_t ends_at(const job_record_t *job_ptr)
{
	if (job_ptr->time_limit >= NO_LIMIT || IS_JOB_SUSPENDED(job_ptr))
		return INT64_MAX;
	return job_ptr->end_time;
}

/* A hold on nodes of a partition lasts no longer than a job may run. */
static uint32_t hold_max(const job_record_t *job_ptr)
{
	const part_record_t *part_ptr = job_ptr->part_ptr;

	if (!part_ptr || part_ptr->max_time >= NO_LIMIT)
		return 0;
	return part_ptr->max_time * 60;
}

static uint32_t time_limit(const job_record_t *job_ptr)
{
	uint32_t minutes = job_ptr->time_limit;

	if (minutes == NO_VAL && job_ptr->part_ptr)
		minutes = (job_ptr->part_ptr->default_time != NO_VAL) ?
				  job_ptr->part_ptr->default_time :
				  job_ptr->part_ptr->max_time;
	return (minutes >= UINT32_MAX / 60) ? UINT32_MAX : minutes * 60;
}

/* The test of slurmctld's deadline_ok(). */
static bool misses_deadline(const job_record_t *job_ptr)
{
	uint32_t minutes = job_ptr->time_min;

	if (!job_ptr->deadline || job_ptr->deadline == NO_VAL)
		return false;
	if (!minutes || minutes == NO_VAL)
		minutes = job_ptr->time_limit;
	return minutes != NO_VAL && minutes != INFINITE &&
	       job_ptr->deadline < time(NULL) + (time_t)minutes * 60;
}

/* slurmctld's schedulers end a pending job that cannot end before its deadline,
 * but they skip parked jobs. */
static void end_at_deadline(job_record_t *job_ptr)
{
	if (is_parked(job_ptr) && misses_deadline(job_ptr))
		(void)deadline_ok(job_ptr, "gang");
}

/* job_submit/gang refuses the flag. But a plugin after it may have set it, and
 * a job may be older than slurm-gang. */
extern void sgang_host_no_expedite(job_record_t *job_ptr)
{
	if (!(job_ptr->bit_flags & RELEASE_EXPEDITED))
		return;
	job_ptr->bit_flags &= ~(uint64_t)RELEASE_EXPEDITED;
	sgang_log(SGANG_LOG_INFO,
		  "job %u is a member of a gang: --requeue=expedite is taken "
		  "as --requeue",
		  job_ptr->job_id);
}

static enum sgang_job_end job_end(const job_record_t *job_ptr)
{
	if (IS_JOB_COMPLETE(job_ptr))
		return SGANG_JOB_END_COMPLETED;
	if (IS_JOB_CANCELLED(job_ptr) ||
	    (job_ptr->job_state & JOB_STATE_BASE) == JOB_PREEMPTED)
		return SGANG_JOB_END_CANCELLED;
	return IS_JOB_TIMEOUT(job_ptr) ? SGANG_JOB_END_TIME_LIMIT :
					 SGANG_JOB_END_FAILED;
}

static void fill_info(job_record_t *job_ptr, struct sgang_job_info *info)
{
	bitoff_t task;

	memset(info, 0, sizeof(*info));
	info->job = handle(job_ptr);
	info->job_id = job_ptr->job_id;
	info->tasks = 1;
	info->ranks = sgang_host_task_count(job_ptr);
	info->state = job_state(job_ptr);
	info->labelled = is_ours(job_ptr->state_desc);
	info->stopped = info->state == SGANG_JOB_PENDING && !job_ptr->priority;
	info->withdrawn = info->state == SGANG_JOB_CONFIGURING &&
			  (!job_ptr->priority || misses_deadline(job_ptr));
	info->failed = info->state == SGANG_JOB_ENDED &&
		       !IS_JOB_COMPLETE(job_ptr);
	info->cancelled = info->failed && IS_JOB_CANCELLED(job_ptr);
	info->end = job_end(job_ptr);
	info->launch = launch_of(job_ptr);
	info->restarts = job_ptr->restart_cnt;
	info->priority = job_ptr->priority;
	info->tier = sgang_host_lowest_tier(job_ptr);
	info->uid = job_ptr->user_id;
	info->user = sgang_host_user(job_ptr);
	info->comment = job_ptr->system_comment;
	info->env = job_ptr->spank_job_env;
	info->n_env = job_ptr->spank_job_env_size;
	info->time_limit = time_limit(job_ptr);
	info->expected = info->state == SGANG_JOB_PENDING ?
				 job_ptr->start_time :
				 0;
	info->partitions = info->state == SGANG_JOB_PENDING ||
					   !job_ptr->part_ptr ?
				   job_ptr->partition :
				   job_ptr->part_ptr->name;
	info->hold_max = hold_max(job_ptr);
	info->ends = ends_at(job_ptr);
	if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
		info->began = job_ptr->start_time;
	if (job_ptr->details) {
		info->submit_time = job_ptr->details->submit_time;
		info->eligible_time = MAX(job_ptr->details->submit_time,
					  job_ptr->details->begin_time);
	}
	if (!job_ptr->array_job_id)
		return;
	info->array_id = job_ptr->array_job_id;
	if (job_ptr->array_recs && info->state == SGANG_JOB_PENDING &&
	    job_ptr->array_recs->task_id_bitmap) {
		info->tasks = job_ptr->array_recs->task_cnt;
		task = bit_ffs(job_ptr->array_recs->task_id_bitmap);
		/* the last task, after an undo, is in no bitmap */
		info->task_id = (task < 0) ? job_ptr->array_task_id :
					     (uint32_t)task;
		if (!info->tasks)
			info->tasks = 1;
	} else {
		info->task_id = job_ptr->array_task_id;
	}
}

static void look(job_record_t *job_ptr, struct sgang_job_info *info)
{
	fill_info(job_ptr, info);
	if (info->state != SGANG_JOB_PENDING)
		return;
	/* may change the reason, hence the others afterwards */
	info->eligible = is_eligible(job_ptr);
	info->barred = is_barred(job_ptr);
	info->parked = is_parked(job_ptr);
	info->label = is_ours(job_ptr->state_desc) ?
			      sgang_hash_text(SGANG_HASH_SEED,
					      job_ptr->state_desc) :
			      0;
}

/* Thousands of records are in no cache, and a pass waits for memory most of its
 * time. Therefore the next record is prefetched while this one is read, and all
 * that this one points to at once. */
static void fetch(const void *data, size_t size)
{
	for (size_t i = 0; data && i < size; i += 64)
		__builtin_prefetch((const char *)data + i);
}

static void fetch_parts(const job_record_t *job_ptr)
{
	fetch(job_ptr->spank_job_env, 1);
	fetch(job_ptr->details, sizeof(*job_ptr->details));
	fetch(job_ptr->system_comment, 192);
	fetch(job_ptr->state_desc, 64);
}

static void host_jobs(void (*each)(const struct sgang_job_info *, void *),
		      void *arg)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr = list_next(iter), *next;
	struct sgang_job_info info;

	for (; job_ptr; job_ptr = next) {
		next = list_next(iter);
		fetch(next, sizeof(*next));
		fetch_parts(job_ptr);
		if (!sgang_host_concerns(job_ptr))
			continue;
		end_at_deadline(job_ptr);
		sgang_host_no_expedite(job_ptr);
		look(job_ptr, &info);
		each(&info, arg);
	}
	list_iterator_destroy(iter);
}

static struct sgang_job *host_find(uint32_t job_id)
{
	return handle(find_job_record(job_id));
}

static void host_info(struct sgang_job *job, struct sgang_job_info *info)
{
	fill_info(record(job), info);
}

static void host_look(struct sgang_job *job, struct sgang_job_info *info)
{
	look(record(job), info);
}

/* Seconds between two changes of a held job's end. */
#define STILL_HELD 10

/* Backfill plans with the job's end, which would otherwise come nearer and
 * pass. The end used for limits (end_time_exp) is settled at the release. */
static void host_still_held(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);
	time_t end_time_exp = job_ptr->end_time_exp;
	time_t start_time = job_ptr->start_time;
	time_t now = time(NULL), end_time = job_ptr->end_time;

	if (!IS_JOB_CONFIGURING(job_ptr))
		return;
	job_ptr->start_time = now;
	job_end_time_reset(job_ptr);
	job_ptr->start_time = start_time;
	job_ptr->end_time_exp = end_time_exp;
	if (job_ptr->end_time - end_time < STILL_HELD)
		job_ptr->end_time = end_time;
	else
		sgang_host_jobs_changed();
}

static bool host_operator(uint32_t uid)
{
	return validate_operator((uid_t)uid);
}

/* ---- nodes ---- */

static uint32_t host_node_count(void)
{
	return (uint32_t)node_record_count;
}

static const char *host_address(uint32_t node)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];

	return node_ptr && node_ptr->comm_name ? node_ptr->comm_name : "";
}

static const char *host_extra(uint32_t node)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];

	return node_ptr ? node_ptr->extra : NULL;
}

static void host_set_extra(uint32_t node, const char *text)
{
	node_record_t *node_ptr = node_record_table_ptr[node];

	if (!node_ptr)
		return;
	xfree(node_ptr->extra);
	if (*text)
		node_ptr->extra = xstrdup(text);
	last_node_update = time(NULL);
}

static void host_tell_nodes(const struct sgang_nodeset *nodes, const char *text)
{
	bitstr_t *bits = bit_alloc(node_record_count);
	char *names;

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		bit_set(bits, n);
	names = bitmap2node_name(bits);
	if (names && *names)
		sgang_messenger_send(names, text);
	xfree(names);
	FREE_NULL_BITMAP(bits);
}

static void host_required(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	const bitstr_t *required = record(job)->details->req_node_bitmap;

	if (required)
		sgang_host_add_bitmap(nodes, required);
}

static void host_partition(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	job_record_t *job_ptr = record(job);
	list_itr_t *iter;
	part_record_t *part_ptr;

	if (!job_ptr->part_ptr_list) {
		if (job_ptr->part_ptr)
			sgang_host_add_bitmap(nodes,
					      job_ptr->part_ptr->node_bitmap);
		return;
	}
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while ((part_ptr = list_next(iter)))
		sgang_host_add_bitmap(nodes, part_ptr->node_bitmap);
	list_iterator_destroy(iter);
}

static void host_nodes(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	sgang_host_add_bitmap(nodes, record(job)->node_bitmap);
}

static uint32_t host_allotted(struct sgang_job *job, uint32_t *cpus)
{
	const job_record_t *job_ptr = record(job);
	const job_resources_t *res = job_ptr->job_resrcs;
	uint16_t per_task = job_ptr->details ? job_ptr->details->cpus_per_task :
					       1;

	for (uint32_t i = 0; res && res->cpus && i < res->nhosts; i++)
		cpus[i] = res->cpus[i];
	return (per_task && per_task != NO_VAL16) ? per_task : 1;
}

static void host_releases(int64_t *free_at)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	memset(free_at, 0, node_record_count * sizeof(*free_at));
	while ((job_ptr = list_next(iter))) {
		int64_t end = ends_at(job_ptr);
		bitoff_t last;

		if (!job_ptr->node_bitmap || IS_JOB_PENDING(job_ptr) ||
		    IS_JOB_FINISHED(job_ptr))
			continue;
		last = bit_fls(job_ptr->node_bitmap);
		for (bitoff_t n = bit_ffs(job_ptr->node_bitmap);
		     n >= 0 && n <= last; n++) {
			if (bit_test(job_ptr->node_bitmap, n) &&
			    free_at[n] < end)
				free_at[n] = end;
		}
	}
	list_iterator_destroy(iter);
}

static size_t host_endless(const struct sgang_nodeset *nodes, uint32_t *job_ids,
			   size_t max)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;
	size_t n = 0;

	while ((job_ptr = list_next(iter))) {
		bool on = false;

		if (!job_ptr->node_bitmap || IS_JOB_PENDING(job_ptr) ||
		    IS_JOB_FINISHED(job_ptr) || ends_at(job_ptr) < INT64_MAX)
			continue;
		for (uint32_t i = sgang_nodeset_next(nodes, 0);
		     !on && i != SGANG_NODE_NONE;
		     i = sgang_nodeset_next(nodes, i + 1))
			on = bit_test(job_ptr->node_bitmap, i);
		if (on && n < max)
			job_ids[n] = job_ptr->job_id;
		n += on;
	}
	list_iterator_destroy(iter);
	return n;
}

static void host_unavailable(struct sgang_nodeset *nodes)
{
	for (uint32_t n = 0; n < (uint32_t)node_record_count; n++) {
		if (node_record_table_ptr[n] && !bit_test(avail_node_bitmap, n))
			sgang_nodeset_add(nodes, n);
	}
}

/* Slurm changes the state of such a node already when a job ends there, and not
 * only when the node answers. */
static bool is_unregistered(const node_record_t *node_ptr, uint32_t n)
{
	if (IS_NODE_UNKNOWN(node_ptr))
		return true;
	return IS_NODE_COMPLETING(node_ptr) &&
	       !bit_test(avail_node_bitmap, n) && !IS_NODE_DOWN(node_ptr) &&
	       !IS_NODE_DRAIN(node_ptr) && !IS_NODE_FAIL(node_ptr) &&
	       !IS_NODE_NO_RESPOND(node_ptr) &&
	       !IS_NODE_POWERING_UP(node_ptr) &&
	       !IS_NODE_POWERING_DOWN(node_ptr) &&
	       !IS_NODE_POWERED_DOWN(node_ptr);
}

static void host_unregistered(struct sgang_nodeset *nodes)
{
	for (uint32_t n = 0; n < (uint32_t)node_record_count; n++) {
		if (node_record_table_ptr[n] &&
		    is_unregistered(node_record_table_ptr[n], n))
			sgang_nodeset_add(nodes, n);
	}
}

static void host_draining(struct sgang_nodeset *nodes)
{
	for (uint32_t n = 0; n < (uint32_t)node_record_count; n++) {
		const node_record_t *node_ptr = node_record_table_ptr[n];

		if (node_ptr &&
		    (IS_NODE_DRAIN(node_ptr) || IS_NODE_FAIL(node_ptr)))
			sgang_nodeset_add(nodes, n);
	}
}

static void host_refresh(void)
{
	if (sgang_host_refresh)
		(void)sgang_host_refresh();
	sgang_inside_refresh();
	sgang_rows_refresh();
}

static void host_topology(struct sgang_job *job, char name[SGANG_TOPOLOGY_NAME])
{
	sgang_settings_topology(record(job), name);
}

/* ---- what the job shows and is told ---- */

/* A reason the scheduler skips without touching its text. */
static void host_park(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (is_parked(job_ptr) && !xstrcmp(job_ptr->state_desc, text))
		return;
	job_ptr->state_reason = WAIT_MAX_REQUEUE;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	sgang_host_jobs_changed();
}

static void host_unpark(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	if (!is_parked(job_ptr))
		return;
	job_ptr->state_reason = WAIT_NO_REASON;
	xfree(job_ptr->state_desc);
	sgang_host_jobs_changed();
}

/* Same as scontrol uhold, so that the user may release the job. */
static void host_stop(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!IS_JOB_PENDING(job_ptr) || !job_ptr->priority)
		return;
	job_ptr->priority = 0;
	job_ptr->state_reason = WAIT_HELD_USER;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	sgang_host_jobs_changed();
}

static void host_resume(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!IS_JOB_PENDING(job_ptr) || job_ptr->priority ||
	    job_ptr->state_reason != WAIT_HELD_USER ||
	    xstrcmp(job_ptr->state_desc, text))
		return;
	job_ptr->direct_set_prio = 0; /* as scontrol release */
	set_job_prio(job_ptr);
	job_ptr->state_reason = WAIT_NO_REASON;
	xfree(job_ptr->state_desc);
	sgang_host_jobs_changed();
}

static void host_expect(struct sgang_job *job, int64_t when)
{
	job_record_t *job_ptr = record(job);

	if (!IS_JOB_PENDING(job_ptr) || job_ptr->start_time == when)
		return;
	job_ptr->start_time = when;
	sgang_host_jobs_changed();
}

static void host_label(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!IS_JOB_PENDING(job_ptr) || job_ptr->priority ||
	    !xstrcmp(job_ptr->state_desc, text))
		return;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	sgang_host_jobs_changed();
}

/* ---- ends ---- */

static void host_end(struct sgang_job *job)
{
	(void)job_signal(record(job), SIGKILL, 0, 0, false);
}

/* With priority/basic the order of submission is the priority, and a requeued
 * job has that of a new one. With other plugins it only loses its age, as any
 * job does. */
static bool loses_place(const job_record_t *job_ptr)
{
	return release_requeue_is_new() && job_ptr->priority > 1 &&
	       !job_ptr->direct_set_prio &&
	       !xstrcmp(slurm_conf.priority_type, "priority/basic");
}

/* Slurm does not change a priority that an admin has set. If a user or admin
 * sets it, holds the job or releases it meanwhile, that counts. */
static uint64_t host_keep_place(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	if (!loses_place(job_ptr))
		return 0;
	job_ptr->direct_set_prio = 1;
	return job_ptr->priority;
}

static void leave_place(job_record_t *job_ptr, uint64_t place)
{
	if (place && job_ptr->direct_set_prio && job_ptr->priority == place)
		job_ptr->direct_set_prio = 0;
}

/* A job that has ended on all nodes gets another place at once. */
static bool host_requeue(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);
	uint64_t place = host_keep_place(job);
	bool requeued;

	/* The state of 24.11 has the number of nodes of a job that has ended. A
	 * slurmctld that was started since would wait for these nodes. */
	if (IS_JOB_COMPLETED(job_ptr))
		job_ptr->node_cnt = 0;
	requeued = release_requeue(job_ptr) == SLURM_SUCCESS;
	leave_place(job_ptr, place);
	return requeued;
}

/* A credential that is made in the second in which the last one was revoked
 * counts as revoked. */
#define RENEW_SECONDS 2

static int64_t host_begin(struct sgang_job *job, int64_t when, uint64_t place)
{
	job_record_t *job_ptr = record(job);
	job_details_t *details = job_ptr->details;

	if (!IS_JOB_PENDING(job_ptr) || IS_JOB_COMPLETING(job_ptr) || !details)
		return 0;
	leave_place(job_ptr, place);
	when = MAX(when, details->submit_time + RENEW_SECONDS);
	if (details->begin_time > when && release_renews_at_once()) {
		details->begin_time = when;
		sgang_host_jobs_changed();
	}
	return MAX(details->begin_time, 1);
}

static uint32_t host_kill_wait(void)
{
	return slurm_conf.kill_wait;
}

/* ---- texts ---- */

/* "ReqNodeNotAvail, UnavailableNodes:n[1-4]": while Slurm's main scheduler
 * runs, all nodes of a partition in which a job waits count as out of service.
 */
static bool names_others(const job_record_t *job_ptr)
{
	bitstr_t *required = job_ptr->details->req_node_bitmap;
	char *names = xstrstr(job_ptr->state_desc, "UnavailableNodes:"), *now;
	bitstr_t *nodes;
	bool others;

	if (!names || !job_ptr->part_ptr || !job_ptr->part_ptr->node_bitmap)
		return false;
	nodes = bit_copy(job_ptr->part_ptr->node_bitmap);
	bit_and_not(nodes, avail_node_bitmap);
	if (required)
		bit_and(nodes, required);
	now = bitmap2node_name(nodes);
	others = xstrcmp(names + strlen("UnavailableNodes:"), now);
	xfree(now);
	FREE_NULL_BITMAP(nodes);
	return others;
}

/* If a member names a node that is in use, Slurm assumes that the node is
 * reserved. */
static bool is_guess(const job_record_t *job_ptr)
{
	return job_ptr->state_reason == WAIT_NODE_NOT_AVAIL &&
	       (is_ours(job_ptr->state_desc) ||
		xstrstr(job_ptr->state_desc, "May be reserved") ||
		names_others(job_ptr));
}

/* Slurm's own words stay where they say more: dependencies, limits, a job of
 * higher priority in front. */
static void host_tell(struct sgang_job *job, const char *text, bool behind_own)
{
	job_record_t *job_ptr = record(job);

	if (job_ptr->state_reason != WAIT_RESOURCES &&
	    job_ptr->state_reason != WAIT_NO_REASON &&
	    !(behind_own &&
	      (job_ptr->state_reason == WAIT_PRIORITY || is_guess(job_ptr))))
		return;
	if (!xstrcmp(job_ptr->state_desc, text))
		return;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	sgang_host_jobs_changed();
}

/* Slurm does not change the reason of a pending job that is cancelled. */
static void host_unlabel(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	if (!is_ours(job_ptr->state_desc))
		return;
	xfree(job_ptr->state_desc);
	if (job_ptr->state_reason == WAIT_MAX_REQUEUE)
		job_ptr->state_reason = WAIT_NO_REASON;
	sgang_host_jobs_changed();
}

static void host_tell_end(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (IS_JOB_PENDING(job_ptr) || !xstrcmp(job_ptr->state_desc, text))
		return;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	sgang_host_jobs_changed();
}

uint64_t sgang_host_comments;

static void host_comment(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!xstrcmp(job_ptr->system_comment, text))
		return;
	xfree(job_ptr->system_comment);
	job_ptr->system_comment = xstrdup(text);
	sgang_host_comments++;
	sgang_host_jobs_changed();
}

static void host_setenv(struct sgang_job *job, const char *name,
			const char *value)
{
	job_details_t *d = record(job)->details;
	size_t len = strlen(name), size = strlen(value) + 1;
	char *entry = xmalloc_nz(len + 1 + size);

	/* Some values are lists of all nodes. */
	memcpy(entry, name, len);
	entry[len] = '=';
	memcpy(entry + len + 1, value, size);
	for (uint16_t i = 0; i < d->env_cnt; i++) {
		if (xstrncmp(d->env_sup[i], name, len) ||
		    d->env_sup[i][len] != '=')
			continue;
		xfree(d->env_sup[i]);
		d->env_sup[i] = entry;
		return;
	}
	xrecalloc(d->env_sup, d->env_cnt + 1, sizeof(char *));
	d->env_sup[d->env_cnt++] = entry;
}

uint64_t sgang_host_moves;

static void host_options(struct sgang_job *job, char *const *env, size_t n)
{
	job_record_t *job_ptr = record(job);
	char **copy = xcalloc(n + 1, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = xstrdup(env[i]);
	for (uint32_t i = 0; i < job_ptr->spank_job_env_size; i++)
		xfree(job_ptr->spank_job_env[i]);
	xfree(job_ptr->spank_job_env);
	job_ptr->spank_job_env = copy;
	job_ptr->spank_job_env_size = (uint32_t)n;
	sgang_host_moves++;
	sgang_host_jobs_changed();
}

static void host_account(struct sgang_job *job, const char *brief)
{
	sgang_account_tell(record(job), brief);
}

/* Slurm's numbers are by the job's nodes in the order of the table. */
static bool host_order(struct sgang_job *job, const uint32_t *nodes, size_t n)
{
	job_resources_t *res = record(job)->job_resrcs;
	uint32_t *place;

	if (!RELEASE_ORDERS_NODES || !res || !res->node_bitmap || n < 2)
		return false;
	place = xcalloc(res->nhosts, sizeof(*place));
	for (size_t i = 0; i < n; i++) {
		uint32_t index = bit_set_count_range(res->node_bitmap, 0,
						     nodes[i]);

		if (index < res->nhosts)
			place[index] = (uint32_t)i;
	}
	release_order_nodes(res, place);
	return true;
}

/* ---- the rest ---- */

static bool host_quiet(void)
{
	return !retry_list_size() && !get_agent_count();
}

static void host_wake_scheduler(void)
{
	queue_job_scheduler();
}

/* The words of the bitmap behind its head. */
static uint64_t hash_bitmap(uint64_t hash, const bitstr_t *bitmap)
{
	bitoff_t words;

	if (!bitmap)
		return hash;
	words = (bit_size((bitstr_t *)bitmap) + 63) >> BITSTR_SHIFT;
	for (bitoff_t i = 0; i < words; i++)
		hash = sgang_hash(hash,
				  (uint64_t)bitmap[RELEASE_BITMAP_HEAD + i]);
	return hash;
}

/* Not last_node_update: backfill raises it in every cycle, when it marks nodes
 * as planned. */
static uint64_t host_stamp(void)
{
	uint64_t hash = SGANG_HASH_SEED;

	hash = hash_bitmap(hash, avail_node_bitmap);
	hash = hash_bitmap(hash, idle_node_bitmap);
	return hash + atomic_load(&sgang_events) * 1000003 +
	       (uint64_t)last_part_update + (uint64_t)last_resv_update;
}

static uint64_t host_supply(void)
{
	return hash_bitmap(SGANG_HASH_SEED, avail_node_bitmap) +
	       (uint64_t)last_part_update + (uint64_t)last_resv_update;
}

/* Slurm notes the second of the last change; more changes may follow within it.
 */
static uint64_t stamp_of(time_t last, uint64_t *counter)
{
	if (time(NULL) - last <= 1)
		(*counter)++;
	return (uint64_t)last + (*counter << 32);
}

static uint64_t host_job_stamp(void)
{
	static uint64_t counter;

	return stamp_of(__atomic_load_n(&last_job_update, __ATOMIC_RELAXED),
			&counter);
}

static uint64_t host_node_stamp(void)
{
	static uint64_t counter;

	return stamp_of(last_node_update, &counter);
}

static int64_t host_now(void)
{
	return time(NULL);
}

static uint64_t microseconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static uint64_t host_clock_us(void)
{
	return microseconds(CLOCK_MONOTONIC);
}

static uint64_t host_cpu_us(void)
{
	return microseconds(CLOCK_THREAD_CPUTIME_ID);
}

const struct sgang_host sgang_host_slurm = {
	.jobs = {
		.each = host_jobs,
		.find = host_find,
		.info = host_info,
		.look = host_look,
		.before = host_before,
		.operator = host_operator,
		.request = sgang_host_request,
		.shape = sgang_host_shape_of,
		.least = sgang_host_least,
		.fewer = sgang_host_fewer,
		.share = sgang_host_share,
		.same_units = sgang_host_same_units,
		.same_request = sgang_host_same_request,
		.replaces = sgang_host_replaces,
		.excludes = sgang_host_excludes,
		.limits = sgang_host_limits,
		.nodes = host_nodes,
		.allotted = host_allotted,
		.order = host_order,
		.park = host_park,
		.unpark = host_unpark,
		.stop = host_stop,
		.resume = host_resume,
		.end = host_end,
		.requeue = host_requeue,
		.requeues = host_requeues,
		.overtaken = host_overtaken,
		.keep_place = host_keep_place,
		.begin = host_begin,
		.kill_wait = host_kill_wait,
		.tell = host_tell,
		.expect = host_expect,
		.label = host_label,
		.unlabel = host_unlabel,
		.tell_end = host_tell_end,
		.comment = host_comment,
		.setenv = host_setenv,
		.options = host_options,
		.account = host_account,
	},
	.nodes = {
		.count = host_node_count,
		.refresh = host_refresh,
		.unavailable = host_unavailable,
		.unregistered = host_unregistered,
		.draining = host_draining,
		.weights = sgang_host_weights,
		.prefer = sgang_host_prefer,
		.address = host_address,
		.extra = host_extra,
		.set_extra = host_set_extra,
		.tell = host_tell_nodes,
		.probe = sgang_host_probe,
		.topology = host_topology,
		.required = host_required,
		.partition = host_partition,
		.releases = host_releases,
		.set_aside = sgang_host_set_aside,
		.endless = host_endless,
		.idle = sgang_host_idle,
		.freed_since = sgang_freed_since,
		.room = sgang_host_room,
		.units = sgang_host_units,
		.island_units = sgang_host_island_units,
		.islands = sgang_host_islands,
		.causes = sgang_host_causes,
		.resources = sgang_host_resources,
		.need = sgang_host_needs,
		.takes = sgang_host_takes,
		.amounts = sgang_host_amounts,
	},
	.holds = {
		.commit = sgang_host_commit,
		.undo = sgang_host_undo,
		.recommits = sgang_host_recommits,
		.ready = sgang_host_ready,
		.undisturbed = sgang_host_undisturbed,
		.prepare = sgang_host_prepare,
		.prepared = sgang_host_prepared,
		.held = sgang_host_held,
		.still_held = host_still_held,
		.release = sgang_host_release,
		.adopt = sgang_host_adopt,
		.ask = sgang_host_ask,
		.refused = sgang_host_refused,
		.clear_launch_failure = sgang_host_clear_launch_failure,
		.drop = sgang_host_drop,
	},
	.lock = host_lock,
	.unlock = host_unlock,
	.quiet = host_quiet,
	.save = sgang_host_save,
	.wake_scheduler = host_wake_scheduler,
	.stamp = host_stamp,
	.freed = sgang_freed_count,
	.node_stamp = host_node_stamp,
	.supply = host_supply,
	.job_stamp = host_job_stamp,
	.now = host_now,
	.clock_us = host_clock_us,
	.cpu_us = host_cpu_us,
	.preempt = {
		.enabled = sgang_host_may_preempt,
		.candidates = sgang_host_candidates,
		.next_candidate = sgang_host_next_candidate,
		.licensed = sgang_host_licensed,
		.may_have = sgang_host_may_have,
		.leave_out = sgang_host_leave_out,
		.suspend = sgang_host_suspend,
		.holdings = sgang_host_holdings,
		.preempt = sgang_host_preempt,
		.spare = sgang_host_spare,
		.occupies = sgang_host_occupies,
		.gone_by = sgang_host_gone_by,
	},
};
