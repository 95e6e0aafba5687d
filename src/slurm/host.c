/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.c - struct sgang_host on the records of slurmctld
 *
 * The sequence of calls that starts, holds, undoes and releases a member is
 * explained in doc/internals.md.
 */

#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "release.h"

#include "account.h"
#include "dbd.h"
#include "glue.h"
#include "inside.h"
#include "layout.h"
#include "plugins/log.h"

/* When this slurmctld took control; 0 on standby. No header declares it. */
extern time_t control_time;

/* The plugin is also loaded by commands, which have none of this data. */
#pragma weak accounting_enforce
#pragma weak avail_node_bitmap
#pragma weak control_time
#pragma weak idle_node_bitmap
#pragma weak job_list
#pragma weak last_job_update
#pragma weak last_node_update
#pragma weak last_part_update
#pragma weak last_resv_update
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak ping_nodes_now
#pragma weak slurm_conf
#pragma weak slurmctld_config
#pragma weak slurmctld_tres_cnt

__thread struct sgang_job_test sgang_job_test;
atomic_uint_fast64_t sgang_events;
atomic_bool sgang_host_fresh;
int (*sgang_host_refresh)(void);
const struct sgang_devices *sgang_host_devices;

static job_record_t *record(struct sgang_job *job)
{
	return (job_record_t *) job;
}

static struct sgang_job *handle(job_record_t *job_ptr)
{
	return (struct sgang_job *) job_ptr;
}

/* Other SPANK plugins have options too, of many jobs perhaps. */
bool sgang_host_concerns(const struct job_record *job_ptr)
{
	static const char prefix[] = "_SLURM_SPANK_OPTION_gang_";

	for (uint32_t i = 0; i < job_ptr->spank_job_env_size; i++) {
		if (!xstrncmp(job_ptr->spank_job_env[i], prefix,
			      sizeof(prefix) - 1))
			return true;
	}
	return false;
}

const char *sgang_host_user(struct job_record *job_ptr)
{
	if (!job_ptr->user_name)
		job_ptr->user_name =
			uid_to_string_or_null((uid_t) job_ptr->user_id);
	return job_ptr->user_name;
}

/* ---- locks ---- */

/* As sched/backfill takes them. */
static const slurmctld_lock_t conductor_locks = {
	.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK,
	.part = READ_LOCK, .fed = READ_LOCK, RELEASE_MORE_LOCKS
};

/* A controller on standby has job records too, those of its last time in
 * control. They must not be touched, nor saved over those of the other. It takes
 * control a little after it has read the records anew, and the holds in them
 * must be found before a prolog that runs again launches one. */
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
	    !sgang_host_admitted(list_peek(job_list))) {
		unlock_slurmctld(conductor_locks);
		return false;
	}
	return true;
}

static void host_unlock(void)
{
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

/* What the transaction cannot undo: a burst buffer that was begun, siblings in
 * a federation; and what allocates nothing. */
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

/* As the main scheduler asks before it queues a job. job_independent() and
 * job_limits_check() write the reason they find into the job. */
static bool is_eligible(job_record_t *job_ptr)
{
	bool parked = is_parked(job_ptr), yes;
	char *desc = NULL;

	if (!IS_JOB_PENDING(job_ptr) || IS_JOB_COMPLETING(job_ptr) ||
	    IS_JOB_REVOKED(job_ptr) || !job_ptr->details ||
	    unsupported(job_ptr) || left_overs(job_ptr) ||
	    !job_ptr->part_ptr || !job_ptr->priority)
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

/* A node that registers tells which jobs it runs, and slurmctld notes the time
 * with each batch job on its first node. So a time of ours, none, tells whether
 * a held member was launched before slurmctld died. For salloc and srun the
 * field has another use; to release one of them twice does no harm. */
static void not_seen_yet(job_record_t *job_ptr)
{
	if (job_ptr->batch_flag)
		job_ptr->time_last_active = 0;
}

static bool was_seen(const job_record_t *job_ptr)
{
	return job_ptr->batch_flag && job_ptr->time_last_active;
}

/* Has the node that launches it registered with this slurmctld? */
static bool node_has_told(const job_record_t *job_ptr)
{
	const node_record_t *node_ptr;

	if (!job_ptr->batch_flag || !job_ptr->batch_host)
		return true;
	node_ptr = find_node_record(job_ptr->batch_host);
	return !node_ptr || node_ptr->boot_time;
}

static enum sgang_launch launch_of(const job_record_t *job_ptr)
{
	/* A batch job cannot complete without; salloc that is interrupted while
	 * it waits for its nodes says that its job has. */
	if (IS_JOB_COMPLETE(job_ptr))
		return job_ptr->batch_flag ? SGANG_LAUNCH_YES :
					     SGANG_LAUNCH_NO;
	if (!IS_JOB_RUNNING(job_ptr) || !IS_JOB_CONFIGURING(job_ptr))
		return SGANG_LAUNCH_NO;
	if (was_seen(job_ptr))
		return SGANG_LAUNCH_YES;
	return node_has_told(job_ptr) ? SGANG_LAUNCH_NO : SGANG_LAUNCH_UNKNOWN;
}

static uint32_t task_count(const job_record_t *job_ptr)
{
	const job_details_t *d = job_ptr->details;
	uint32_t nodes = 1;

	if (!d)
		return 1;
	if (job_ptr->node_cnt)
		nodes = job_ptr->node_cnt;
	else if (d->min_nodes)
		nodes = d->min_nodes;
	if (d->ntasks_per_node && d->ntasks_per_node * nodes > d->num_tasks)
		return d->ntasks_per_node * nodes;
	return (d->num_tasks > nodes) ? d->num_tasks : nodes;
}

/* Where a job in several partitions stands depends on which of them the
 * scheduler is looking at. */
static uint16_t lowest_tier(const job_record_t *job_ptr)
{
	uint16_t tier = job_ptr->part_ptr ? job_ptr->part_ptr->priority_tier :
					    0;
	list_itr_t *iter;
	part_record_t *part_ptr;

	if (!job_ptr->part_ptr_list)
		return tier;
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while ((part_ptr = list_next(iter)))
		tier = MIN(tier, part_ptr->priority_tier);
	list_iterator_destroy(iter);
	return tier;
}

/* As far as is known. */
static int64_t ends_at(const job_record_t *job_ptr)
{
	if (job_ptr->time_limit == INFINITE || IS_JOB_SUSPENDED(job_ptr))
		return INT64_MAX;
	return job_ptr->end_time;
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

static void fill_info(job_record_t *job_ptr, struct sgang_job_info *info)
{
	bitoff_t task;

	memset(info, 0, sizeof(*info));
	info->job = handle(job_ptr);
	info->job_id = job_ptr->job_id;
	info->tasks = 1;
	info->ranks = task_count(job_ptr);
	info->state = job_state(job_ptr);
	info->labelled = is_ours(job_ptr->state_desc);
	info->stopped = info->state == SGANG_JOB_PENDING && !job_ptr->priority;
	info->failed = info->state == SGANG_JOB_ENDED &&
		       !IS_JOB_COMPLETE(job_ptr);
	info->cancelled = info->failed && IS_JOB_CANCELLED(job_ptr);
	info->launch = launch_of(job_ptr);
	info->restarts = job_ptr->restart_cnt;
	info->priority = job_ptr->priority;
	info->tier = lowest_tier(job_ptr);
	info->user = sgang_host_user(job_ptr);
	info->comment = job_ptr->system_comment;
	info->env = job_ptr->spank_job_env;
	info->n_env = job_ptr->spank_job_env_size;
	info->time_limit = time_limit(job_ptr);
	info->ends = ends_at(job_ptr);
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
					     (uint32_t) task;
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
	/* may change the reason, hence parked afterwards */
	info->eligible = is_eligible(job_ptr);
	info->parked = is_parked(job_ptr);
}

static void host_jobs(void (*each)(const struct sgang_job_info *, void *),
		      void *arg)
{
	list_itr_t *iter = list_iterator_create(job_list);
	struct sgang_job_info info;
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		if (!sgang_host_concerns(job_ptr))
			continue;
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

/* ---- nodes ---- */

/* Slurm's bitmaps have our words behind their head. On big-endian machines the
 * bits of a word are the other way round. */
static void add_bitmap(struct sgang_nodeset *nodes, const bitstr_t *bitmap)
{
	bitoff_t bits = bitmap ? bit_size((bitstr_t *) bitmap) : 0;

#ifdef SLURM_BIGENDIAN
	for (bitoff_t i = 0; i < bits; i++) {
		if (bit_test((bitstr_t *) bitmap, i))
			sgang_nodeset_add(nodes, (uint32_t) i);
	}
#else
	if (bits)
		sgang_nodeset_add_words(nodes, (const uint64_t *)
					&bitmap[RELEASE_BITMAP_HEAD],
					(size_t) (bits + 63) >> BITSTR_SHIFT);
#endif
}

static uint32_t host_node_count(void)
{
	return (uint32_t) node_record_count;
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

static void host_partition(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	job_record_t *job_ptr = record(job);
	list_itr_t *iter;
	part_record_t *part_ptr;

	if (!job_ptr->part_ptr_list) {
		if (job_ptr->part_ptr)
			add_bitmap(nodes, job_ptr->part_ptr->node_bitmap);
		return;
	}
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while ((part_ptr = list_next(iter)))
		add_bitmap(nodes, part_ptr->node_bitmap);
	list_iterator_destroy(iter);
}

static void host_nodes(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	add_bitmap(nodes, record(job)->node_bitmap);
}

static uint32_t host_allotted(struct sgang_job *job, uint32_t *cpus)
{
	const job_record_t *job_ptr = record(job);
	const job_resources_t *res = job_ptr->job_resrcs;
	uint16_t per_task = job_ptr->details ?
			    job_ptr->details->cpus_per_task : 1;

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

static void host_refresh(void)
{
	if (sgang_host_refresh)
		(void) sgang_host_refresh();
	sgang_inside_refresh();
}

/* ---- what a job needs of a node, and what a node has ---- */

/* The parts of a request that count per node. */
struct need {
	bool whole;
	uint64_t cpus;
	uint32_t per_core;		/* uses so many CPUs of a core at most */
	uint64_t memory;		/* MB; 0: does not matter */
	bool all_memory;		/* takes all there is */
	list_t *gres;			/* of gres_state_t; NULL: none */
	uint32_t tasks;			/* per node */
	uint32_t nodes;
};

static bool memory_counts(void)
{
	return slurm_conf.select_type_param & RELEASE_BY_MEMORY;
}

/* --threads-per-core, --hint=nomultithread, --ntasks-per-core: the other CPUs of
 * its cores are nobody's. As common_cpus_per_core() of the stock plugin. */
static uint32_t cpus_per_core(const job_details_t *d)
{
	const multi_core_data_t *mc = d->mc_ptr;
	uint32_t cpus = UINT32_MAX;

	if (mc && mc->ntasks_per_core && mc->ntasks_per_core != INFINITE16)
		cpus = mc->ntasks_per_core *
		       (d->cpus_per_task ? d->cpus_per_task : 1);
	if (mc && mc->threads_per_core != NO_VAL16)
		cpus = MIN(cpus, mc->threads_per_core);
	return cpus ? cpus : 1;
}

static void need_of(const job_record_t *job_ptr,
		    const struct sgang_shape *shape, struct need *need)
{
	const job_details_t *d = job_ptr->details;

	memset(need, 0, sizeof(*need));
	need->whole = shape->whole;
	need->cpus = shape->node_cpus;
	need->per_core = cpus_per_core(d);
	need->nodes = shape->min_nodes ? shape->min_nodes : 1;
	need->tasks = (shape->tasks + need->nodes - 1) / need->nodes;
	need->gres = job_ptr->gres_list_req;
	if (!memory_counts())
		return;
	if (!d->pn_min_memory)
		need->all_memory = true;
	else if (d->pn_min_memory & MEM_PER_CPU)
		need->memory = (d->pn_min_memory & ~MEM_PER_CPU) * need->cpus;
	else
		need->memory = d->pn_min_memory;
}

static uint32_t ceil_div(uint64_t a, uint32_t b)
{
	return b ? (uint32_t) ((a + b - 1) / b) : (uint32_t) a;
}

static uint64_t gres_free(const gres_node_state_t *node,
			  const gres_job_state_t *job, bool empty)
{
	uint64_t avail = node->gres_cnt_avail;
	uint64_t alloc = node->no_consume ? 0 : node->gres_cnt_alloc;

	for (int t = 0; job->type_name && t < node->type_cnt; t++) {
		if (node->type_id[t] != job->type_id)
			continue;
		avail = node->type_cnt_avail[t];
		alloc = node->no_consume ? 0 : node->type_cnt_alloc[t];
	}
	if (empty)
		alloc = 0;
	return (avail > alloc) ? avail - alloc : 0;
}

static uint64_t units_by_gres(const node_record_t *node_ptr,
			      const struct need *need, bool empty)
{
	uint64_t units = UINT32_MAX;
	gres_state_t *job_gres, *node_gres;
	list_itr_t *iter;

	if (!need->gres)
		return units;
	iter = list_iterator_create(need->gres);
	while ((job_gres = list_next(iter))) {
		const gres_job_state_t *js = sgang_layout_gres(
			job_gres->gres_data, sizeof(*js));
		const gres_node_state_t *ns = NULL;
		uint64_t want = js ? sgang_inside_gres_needed(js, need->tasks,
							      need->nodes) : 0;
		uint64_t have = 0;

		if (!want)
			continue;
		node_gres = node_ptr->gres_list ?
			list_find_first(node_ptr->gres_list, gres_find_id,
					&job_gres->plugin_id) : NULL;
		if (node_gres)
			ns = sgang_layout_gres(node_gres->gres_data,
					       sizeof(*ns));
		if (node_gres && !ns)
			continue;
		if (ns)
			have = gres_free(ns, js, empty);
		if (have / want < units)
			units = have / want;
	}
	list_iterator_destroy(iter);
	return units;
}

struct usage {
	uint64_t cpus;			/* free */
	uint64_t memory;		/* MB free */
	bool memory_untouched;
};

static void usage_of(const node_record_t *node_ptr, bool empty,
		     struct usage *usage)
{
	uint16_t cpus = 0;
	uint64_t memory = 0, total;

	if (!empty)
		release_node_used(node_ptr, &cpus, &memory);
	usage->cpus = (node_ptr->cpus_efctv > cpus) ?
		      node_ptr->cpus_efctv - cpus : 0;
	total = node_ptr->real_memory - node_ptr->mem_spec_limit;
	usage->memory = (total > memory) ? total - memory : 0;
	usage->memory_untouched = !memory;
}

static bool node_is_free(uint32_t node, bool empty)
{
	if (!node_record_table_ptr[node])
		return false;
	if (empty)
		return !IS_NODE_DOWN(node_record_table_ptr[node]) &&
		       !IS_NODE_DRAIN(node_record_table_ptr[node]);
	return bit_test(idle_node_bitmap, node) &&
	       bit_test(avail_node_bitmap, node);
}

static uint32_t host_idle(const struct sgang_nodeset *nodes)
{
	uint32_t idle = 0;

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		idle += node_is_free(n, false);
	return idle;
}

static void host_room(const struct sgang_nodeset *nodes,
		      struct sgang_room *room)
{
	memset(room, 0, sizeof(*room));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		struct usage usage;

		if (!node_record_table_ptr[n] || !bit_test(avail_node_bitmap, n))
			continue;
		usage_of(node_record_table_ptr[n], false, &usage);
		room->cpus += usage.cpus;
		room->memory += usage.memory;
		room->nodes += node_is_free(n, false);
	}
}

/* The cores of a node that the need takes. */
static uint64_t cores_on(const node_record_t *node_ptr,
			 const struct need *need)
{
	return ceil_div(need->cpus, MIN(need->per_core, node_ptr->tpc));
}

/* How many times the need fits on the node. Whole cores are given out where
 * cores are what is counted. */
static uint32_t units_on(uint32_t node, const struct need *need, bool empty)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	uint64_t cpus = need->cpus, units;
	struct usage usage;

	if (need->whole) {
		if (!node_is_free(node, empty) || cpus > node_ptr->cpus_efctv)
			return 0;
		return units_by_gres(node_ptr, need, empty) ? 1 : 0;
	}
	usage_of(node_ptr, empty, &usage);
	if (slurm_conf.select_type_param & RELEASE_BY_CORE)
		cpus = cores_on(node_ptr, need) * node_ptr->tpc;
	units = cpus ? usage.cpus / cpus : usage.cpus;
	if (need->all_memory && units > 0)
		units = usage.memory_untouched;
	if (need->memory && usage.memory / need->memory < units)
		units = usage.memory / need->memory;
	if (units) {
		uint64_t by_gres = units_by_gres(node_ptr, need, empty);

		if (by_gres < units)
			units = by_gres;
	}
	return (uint32_t) units;
}

static void host_units(struct sgang_job *job, const struct sgang_shape *shape,
		       const struct sgang_nodeset *nodes, bool empty,
		       uint32_t *units)
{
	struct need need;

	need_of(record(job), shape, &need);
	for (uint32_t n = 0; n < (uint32_t) node_record_count; n++)
		units[n] = (node_record_table_ptr[n] &&
			    sgang_nodeset_has(nodes, n)) ?
			   units_on(n, &need, empty) : 0;
}

static void host_cpus(struct sgang_job *job, const struct sgang_shape *shape,
		      const struct sgang_nodeset *nodes, bool empty,
		      uint32_t *cpus)
{
	struct need one;

	/* Where the number of nodes is open, a piece is a single CPU. */
	need_of(record(job), shape, &one);
	for (uint32_t n = 0; n < (uint32_t) node_record_count; n++) {
		struct usage usage;

		cpus[n] = 0;
		if (!node_record_table_ptr[n] || !sgang_nodeset_has(nodes, n))
			continue;
		if (!units_on(n, &one, empty))
			continue;
		usage_of(node_record_table_ptr[n], empty, &usage);
		cpus[n] = (uint32_t) usage.cpus;
	}
}

static void host_island_units(struct sgang_job *job,
			      const struct sgang_shape *shape,
			      const struct sgang_nodeset *nodes, bool empty,
			      uint32_t *units)
{
	struct sgang_inside_need inside = { .job = record(job) };
	const struct sgang_devices *devices = sgang_host_devices;
	struct need need;

	need_of(record(job), shape, &need);
	inside.tasks = need.tasks;
	inside.nodes = need.nodes;
	memset(units, 0, devices->first[devices->n_nodes] * sizeof(*units));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		const node_record_t *node_ptr = node_record_table_ptr[n];
		uint32_t most = node_ptr ? units_on(n, &need, empty) : 0;

		if (!most)
			continue;
		inside.cores = cores_on(node_ptr, &need);
		sgang_inside_units(&inside, n, empty, most,
				   units + devices->first[n]);
	}
}

/* Only what every node must have: of an alternative somebody else must tell. */
static bool lacks_feature(const job_record_t *job_ptr, uint32_t node)
{
	list_itr_t *iter;
	job_feature_t *feature;
	bool lacks = false;

	if (!job_ptr->details->feature_list)
		return false;
	iter = list_iterator_create(job_ptr->details->feature_list);
	while ((feature = list_next(iter))) {
		if (feature->op_code != FEATURE_OP_AND &&
		    feature->op_code != FEATURE_OP_END) {
			lacks = false;
			break;
		}
		if (feature->node_bitmap_avail && !feature->count &&
		    !bit_test(feature->node_bitmap_avail, node))
			lacks = true;
	}
	list_iterator_destroy(iter);
	return lacks;
}

static bool in_partition(const job_record_t *job_ptr, uint32_t node)
{
	list_itr_t *iter;
	part_record_t *part_ptr;
	bool found = false;

	if (!job_ptr->part_ptr_list)
		return job_ptr->part_ptr &&
		       bit_test(job_ptr->part_ptr->node_bitmap, node);
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while (!found && (part_ptr = list_next(iter)))
		found = bit_test(part_ptr->node_bitmap, node);
	list_iterator_destroy(iter);
	return found;
}

static enum sgang_cause host_cause(struct sgang_job *job,
				   const struct sgang_shape *shape,
				   uint32_t node)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	const job_record_t *job_ptr = record(job);
	struct need need;

	need_of(job_ptr, shape, &need);
	/* A partition may still name a dynamic node that is gone. */
	if (!node_ptr || !in_partition(job_ptr, node))
		return SGANG_CAUSE_PARTITION;
	if (IS_NODE_DRAIN(node_ptr) || IS_NODE_FAIL(node_ptr))
		return SGANG_CAUSE_DRAINED;
	if (!bit_test(avail_node_bitmap, node))
		return SGANG_CAUSE_DOWN;
	if (lacks_feature(job_ptr, node))
		return SGANG_CAUSE_FEATURE;
	if (!units_by_gres(node_ptr, &need, true))
		return SGANG_CAUSE_GPUS;
	if (node_ptr->cpus_efctv < need.cpus ||
	    node_ptr->real_memory - node_ptr->mem_spec_limit < need.memory)
		return SGANG_CAUSE_SIZE;
	if ((node_ptr->node_state & NODE_STATE_RES) && !job_ptr->resv_name)
		return SGANG_CAUSE_RESERVED;
	return SGANG_CAUSE_BUSY;
}

static bool host_islands(struct sgang_job *job, uint32_t node,
			 uint32_t part[SGANG_ISLANDS_MAX])
{
	return sgang_inside_of_job(record(job), node, part);
}

static bool same_gres(const job_record_t *a, const job_record_t *b)
{
	return !xstrcmp(a->tres_per_node, b->tres_per_node) &&
	       !xstrcmp(a->tres_per_job, b->tres_per_job) &&
	       !xstrcmp(a->tres_per_task, b->tres_per_task) &&
	       !xstrcmp(a->tres_per_socket, b->tres_per_socket) &&
	       !xstrcmp(a->mem_per_tres, b->mem_per_tres) &&
	       !xstrcmp(a->cpus_per_tres, b->cpus_per_tres) &&
	       a->details->ntasks_per_tres == b->details->ntasks_per_tres;
}

static bool host_same_units(struct sgang_job *a, struct sgang_job *b)
{
	struct sgang_shape sa, sb;
	struct need na, nb;

	if (a == b)
		return true;
	sgang_host_shape(record(a), record(a)->details->min_nodes,
			 record(a)->details->max_nodes, 0, &sa);
	sgang_host_shape(record(b), record(b)->details->min_nodes,
			 record(b)->details->max_nodes, 0, &sb);
	need_of(record(a), &sa, &na);
	need_of(record(b), &sb, &nb);
	return na.whole == nb.whole && na.cpus == nb.cpus &&
	       na.per_core == nb.per_core &&
	       na.memory == nb.memory && na.all_memory == nb.all_memory &&
	       same_gres(record(a), record(b));
}

static bool same_text_request(const job_record_t *a, const job_record_t *b)
{
	const job_details_t *da = a->details, *db = b->details;

	return !xstrcmp(a->partition, b->partition) &&
	       !xstrcmp(a->resv_name, b->resv_name) &&
	       !xstrcmp(a->licenses, b->licenses) &&
	       !xstrcmp(a->burst_buffer, b->burst_buffer) &&
	       !xstrcmp(a->mcs_label, b->mcs_label) &&
	       !xstrcmp(a->network, b->network) &&
	       !xstrcmp(da->features, db->features) &&
	       !xstrcmp(da->cluster_features, db->cluster_features) &&
	       !xstrcmp(da->prefer, db->prefer) &&
	       !xstrcmp(da->req_nodes, db->req_nodes) &&
	       !xstrcmp(da->exc_nodes, db->exc_nodes);
}

/* Sockets, cores and threads that were asked for. */
static bool same_layout(const multi_core_data_t *a, const multi_core_data_t *b)
{
	return a == b || (a && b && !memcmp(a, b, sizeof(*a)));
}

static bool host_same_request(struct sgang_job *x, struct sgang_job *y)
{
	const job_record_t *a = record(x), *b = record(y);
	const job_details_t *da = a->details, *db = b->details;

	if (a == b)
		return true;
	return a->user_id == b->user_id && a->assoc_ptr == b->assoc_ptr &&
	       a->qos_ptr == b->qos_ptr && a->reboot == b->reboot &&
	       a->time_limit == b->time_limit &&
	       a->time_min == b->time_min && a->deadline == b->deadline &&
	       a->req_switch == b->req_switch &&
	       da->min_nodes == db->min_nodes &&
	       da->max_nodes == db->max_nodes &&
	       da->min_cpus == db->min_cpus && da->max_cpus == db->max_cpus &&
	       da->pn_min_cpus == db->pn_min_cpus &&
	       da->pn_min_memory == db->pn_min_memory &&
	       da->pn_min_tmp_disk == db->pn_min_tmp_disk &&
	       da->num_tasks == db->num_tasks &&
	       da->ntasks_per_node == db->ntasks_per_node &&
	       da->cpus_per_task == db->cpus_per_task &&
	       da->whole_node == db->whole_node &&
	       da->share_res == db->share_res &&
	       da->contiguous == db->contiguous &&
	       da->core_spec == db->core_spec &&
	       da->overcommit == db->overcommit &&
	       same_layout(da->mc_ptr, db->mc_ptr) && same_gres(a, b) &&
	       same_text_request(a, b);
}

void sgang_host_shape(const struct job_record *job_ptr, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes,
		      struct sgang_shape *shape)
{
	const job_details_t *d = job_ptr->details;
	uint32_t per_task = d->cpus_per_task ? d->cpus_per_task : 1;
	uint32_t cpus;

	memset(shape, 0, sizeof(*shape));
	shape->min_nodes = min_nodes ? min_nodes : 1;
	if (req_nodes > shape->min_nodes && req_nodes <= max_nodes)
		shape->min_nodes = req_nodes;
	shape->max_nodes = max_nodes ? max_nodes : shape->min_nodes;
	shape->whole = release_whole_node(d) ||
		       (job_ptr->part_ptr && !job_ptr->part_ptr->max_share);
	shape->tasks = task_count(job_ptr);
	shape->total_cpus = d->min_cpus ? d->min_cpus : 1;
	cpus = ceil_div(shape->total_cpus, shape->min_nodes);
	if (d->ntasks_per_node * per_task > cpus)
		cpus = d->ntasks_per_node * per_task;
	if (d->pn_min_cpus > cpus)
		cpus = d->pn_min_cpus;
	shape->node_cpus = cpus;
	shape->node_gpus = (uint32_t) sgang_inside_gpus_needed(
		job_ptr, ceil_div(shape->tasks, shape->min_nodes),
		shape->min_nodes);
	if (shape->max_nodes == shape->min_nodes)
		return;
	/* The number of nodes is open. Whole nodes: as few as have the CPUs, as
	 * Slurm's own choice does. Else its CPUs may be anywhere, a task's
	 * together. */
	if (shape->whole && job_ptr->part_ptr &&
	    job_ptr->part_ptr->max_cpu_cnt) {
		cpus = ceil_div(shape->total_cpus,
				job_ptr->part_ptr->max_cpu_cnt);
		if (cpus > shape->min_nodes && cpus <= shape->max_nodes)
			shape->min_nodes = cpus;
		shape->node_cpus = ceil_div(shape->total_cpus,
					    shape->min_nodes);
		shape->max_nodes = shape->min_nodes;
	} else if (!shape->whole) {
		shape->node_cpus = per_task;
	}
}

static void host_shape(struct sgang_job *job, struct sgang_shape *shape)
{
	const job_details_t *d = record(job)->details;

	sgang_host_shape(record(job), d->min_nodes, d->max_nodes, 0, shape);
}

/* ---- probe ---- */

/* select_nodes() writes why it could not start the job; a probe leaves no such
 * trace. */
struct reason {
	uint32_t state_reason;
	char *state_desc;
	uint32_t node_cnt_wag;
	part_record_t *part_ptr;
};

static void save_reason(const job_record_t *job_ptr, struct reason *saved)
{
	saved->state_reason = job_ptr->state_reason;
	saved->state_desc = xstrdup(job_ptr->state_desc);
	saved->node_cnt_wag = job_ptr->node_cnt_wag;
	saved->part_ptr = job_ptr->part_ptr;
}

static void restore_reason(job_record_t *job_ptr, struct reason *saved)
{
	job_ptr->state_reason = saved->state_reason;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = saved->state_desc;
	job_ptr->node_cnt_wag = saved->node_cnt_wag;
	job_ptr->part_ptr = saved->part_ptr;
}

/* Call 'try' for the job in each of its partitions, until it returns true. */
static bool each_partition(job_record_t *job_ptr,
			   bool (*try)(job_record_t *, void *), void *arg)
{
	list_itr_t *iter;
	part_record_t *part_ptr;
	bool done = false;

	if (!job_ptr->part_ptr_list)
		return try(job_ptr, arg);
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while (!done && (part_ptr = list_next(iter))) {
		job_ptr->part_ptr = part_ptr;
		if (job_limits_check(&job_ptr, false) == WAIT_NO_REASON)
			done = try(job_ptr, arg);
	}
	list_iterator_destroy(iter);
	return done;
}

static int has_count(void *feature, void *arg)
{
	(void) arg;
	return ((job_feature_t *) feature)->count != 0;
}

/* With "[a*1&b*1]" select_nodes() asks feature by feature, and the refusal of
 * the first ends it. All nodes that are up may be among the job's. */
static void probe_counted(job_record_t *job_ptr)
{
	const job_details_t *d = job_ptr->details;
	bitstr_t *nodes;

	if (!sgang_job_test.asked || !d->feature_list_use ||
	    !list_find_first(d->feature_list_use, has_count, NULL))
		return;
	nodes = bit_copy(job_ptr->part_ptr->node_bitmap);
	bit_and(nodes, avail_node_bitmap);
	add_bitmap(sgang_job_test.usable, nodes);
	FREE_NULL_BITMAP(nodes);
	sgang_host_shape(job_ptr, d->min_nodes, d->max_nodes, 0,
			 sgang_job_test.shape);
}

static bool probe_partition(job_record_t *job_ptr, void *arg)
{
	int *rc = arg;

	set_job_features_use(job_ptr->details);
	*rc = release_select_nodes(job_ptr);
	probe_counted(job_ptr);
	return false;		/* the next partition adds to it */
}

/* Slurm's own word for a limit says which. */
static void explain(const job_record_t *job_ptr, int rc, char *why, size_t size)
{
	snprintf(why, size, "JobId=%u: %s", job_ptr->job_id,
		 (rc == ESLURM_ACCOUNTING_POLICY) ?
		 release_reason(job_ptr->state_reason) :
		 slurm_strerror(rc));
}

static int host_probe(struct sgang_job *job, struct sgang_nodeset *usable,
		      struct sgang_nodeset *ever, struct sgang_shape *shape,
		      char *why, size_t why_size)
{
	job_record_t *job_ptr = record(job);
	struct reason saved;
	int rc = ESLURM_NODES_BUSY;

	if (license_job_test(job_ptr, time(NULL), true) != SLURM_SUCCESS) {
		snprintf(why, why_size, "JobId=%u: licenses", job_ptr->job_id);
		return -1;
	}
	save_reason(job_ptr, &saved);
	sgang_job_test = (struct sgang_job_test) {
		.mode = SGANG_JOB_TEST_PROBE, .usable = usable, .ever = ever,
		.shape = shape
	};
	(void) each_partition(job_ptr, probe_partition, &rc);
	sgang_job_test.mode = SGANG_JOB_TEST_NONE;
	if (!sgang_job_test.asked)
		explain(job_ptr, rc, why, why_size);
	restore_reason(job_ptr, &saved);
	return sgang_job_test.asked ? 0 : -1;
}

/* ---- limits ---- */

/* What a requeue would spoil: the member was never launched, so nothing on the
 * nodes needs time, and it keeps its place in the queue. */
struct times {
	time_t begin, submit, accrue;
};

static void save_times(const job_record_t *job_ptr, struct times *t)
{
	t->begin = job_ptr->details->begin_time;
	t->submit = job_ptr->details->submit_time;
	t->accrue = job_ptr->details->accrue_time;
}

static void restore_times(job_record_t *job_ptr, const struct times *t)
{
	job_ptr->details->begin_time = t->begin;
	job_ptr->details->submit_time = t->submit;
	job_ptr->details->accrue_time = t->accrue;
}

/* What select_nodes() would count for the job; of whole nodes at most that. */
static void expected_tres(job_record_t *job_ptr, uint64_t *tres)
{
	const job_details_t *d = job_ptr->details;
	uint32_t nodes = d->min_nodes ? d->min_nodes : 1;

	memcpy(tres, job_ptr->tres_req_cnt, sizeof(*tres) * slurmctld_tres_cnt);
	tres[TRES_ARRAY_CPU] = d->min_cpus;
	if (release_whole_node(d) &&
	    job_ptr->part_ptr->max_cpu_cnt * nodes > d->min_cpus)
		tres[TRES_ARRAY_CPU] = job_ptr->part_ptr->max_cpu_cnt * nodes;
	tres[TRES_ARRAY_NODE] = nodes;
	tres[TRES_ARRAY_MEM] = job_get_tres_mem(
		NULL, d->pn_min_memory, tres[TRES_ARRAY_CPU], nodes,
		job_ptr->part_ptr, job_ptr->gres_list_req,
		job_ptr->bit_flags & JOB_MEM_SET,
		job_get_sockets_per_node(job_ptr), d->num_tasks);
	tres[TRES_ARRAY_BILLING] = assoc_mgr_tres_weighted(
		tres, job_ptr->part_ptr->billing_weights,
		slurm_conf.priority_flags, true);
}

/* Count the job as if it had begun. Slurm's backfill does so with the parts of
 * a heterogeneous job. */
static bool count_in(job_record_t *job_ptr)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK, .qos = READ_LOCK,
				   .tres = READ_LOCK };
	uint64_t tres[slurmctld_tres_cnt];
	list_t *parts = job_ptr->part_ptr_list;
	bool fits;

	assoc_mgr_lock(&locks);
	expected_tres(job_ptr, tres);
	fits = acct_policy_job_runnable_pre_select(job_ptr, true) &&
	       acct_policy_job_runnable_post_select(job_ptr, tres, true);
	assoc_mgr_unlock(&locks);
	if (!fits)
		return false;
	xfree(job_ptr->tres_alloc_cnt);
	job_ptr->tres_alloc_cnt = xcalloc(slurmctld_tres_cnt, sizeof(*tres));
	memcpy(job_ptr->tres_alloc_cnt, tres, sizeof(tres));
	/* It would be taken from the partitions it does not begin in. */
	job_ptr->part_ptr_list = NULL;
	release_count_begin(job_ptr);
	job_ptr->part_ptr_list = parts;
	return true;
}

static void count_out(job_record_t *job_ptr)
{
	time_t end_time_exp = job_ptr->end_time_exp;
	time_t end_time = job_ptr->end_time;
	time_t start_time = job_ptr->start_time;
	time_t accrue_time = job_ptr->details->accrue_time;
	uint32_t job_state = job_ptr->job_state;

	/* Its age goes on counting. */
	job_ptr->details->accrue_time = 0;
	job_ptr->start_time = time(NULL);
	job_ptr->end_time_exp = job_ptr->end_time = job_ptr->start_time;
	job_ptr->job_state = JOB_COMPLETE | JOB_COMPLETING;
	release_count_end(job_ptr);
	job_ptr->details->accrue_time = accrue_time;
	job_ptr->start_time = start_time;
	job_ptr->end_time_exp = end_time_exp;
	job_ptr->end_time = end_time;
	job_ptr->job_state = job_state;
}

static int host_limits(struct sgang_job *const *jobs, size_t n, char *why,
		       size_t why_size)
{
	struct reason saved;
	size_t counted = 0;
	bool fits = true;

	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS))
		return 0;
	for (; fits && counted < n; counted += fits) {
		job_record_t *job_ptr = record(jobs[counted]);
		struct times times;

		/* Beginning may split an array whose age does not count yet;
		 * then commit has to find out. */
		if (!job_ptr->details->accrue_time)
			break;
		save_reason(job_ptr, &saved);
		save_times(job_ptr, &times);
		fits = count_in(job_ptr);
		if (!fits)
			snprintf(why, why_size, "JobId=%u: %s",
				 job_ptr->job_id,
				 release_reason(job_ptr->state_reason));
		restore_reason(job_ptr, &saved);
		restore_times(job_ptr, &times);
	}
	/* One record may have been counted several times. */
	for (size_t i = counted; i-- > 0; )
		count_out(record(jobs[i]));
	for (size_t i = 0; i < counted; i++)
		xfree(record(jobs[i])->tres_alloc_cnt);
	return fits ? 0 : -1;
}

/* ---- commit ---- */

static bool commit_partition(job_record_t *job_ptr, void *arg)
{
	int *rc = arg;

	set_job_features_use(job_ptr->details);
	*rc = release_select_nodes(job_ptr);
	return *rc == SLURM_SUCCESS;
}

/* What must be said to the federation and the array before a start. */
static int may_start(job_record_t *job_ptr, struct sgang_refusal *refusal)
{
	const char *what = NULL;

	if (!IS_JOB_PENDING(job_ptr))
		what = "it is not pending any more";
	else if (license_job_test(job_ptr, time(NULL), true) != SLURM_SUCCESS)
		what = "licenses";
	else if (job_ptr->array_recs && !job_array_start_test(job_ptr))
		what = "the array's limit of running tasks";
	else if (fed_mgr_job_lock(job_ptr))
		what = "another cluster has it";
	if (!what)
		return 0;
	snprintf(refusal->why, sizeof(refusal->why), "JobId=%u: %s",
		 job_ptr->job_id, what);
	return -1;
}

static void give_back_mail(job_record_t *job_ptr, uint16_t mail)
{
	job_record_t *rest = job_ptr->array_job_id ?
			     find_job_record(job_ptr->array_job_id) : NULL;

	job_ptr->mail_type = mail;
	if (rest && rest->array_recs && IS_JOB_PENDING(rest))
		rest->mail_type = mail;
}

/* The hold: select_p_job_test() has set JOB_CONFIGURING, which select_nodes()
 * keeps, and this count keeps everybody from launching the job. It must not be
 * raised before select_nodes() returns: the split of an array copies it. */
static struct sgang_job *host_commit(struct sgang_job *job,
				     const struct sgang_nodeset *confine,
				     const struct sgang_nodeset *islands,
				     struct sgang_refusal *refusal)
{
	job_record_t *job_ptr = record(job);
	part_record_t *part_ptr = job_ptr->part_ptr;
	uint16_t mail = job_ptr->mail_type;
	uint32_t job_id = job_ptr->job_id;
	uint64_t row;
	int rc = ESLURM_NODES_BUSY;

	refusal->limit = false;
	if (may_start(job_ptr, refusal) < 0)
		return NULL;
	sgang_job_test = (struct sgang_job_test) {
		.mode = SGANG_JOB_TEST_COMMIT, .confine = confine,
		.islands = islands
	};
	/* It has not begun before it is released. The rest of an array has
	 * copied the type in the split. */
	job_ptr->mail_type &= ~MAIL_JOB_BEGIN;
	row = sgang_dbd_hush(job_ptr);
	(void) each_partition(job_ptr, commit_partition, &rc);
	sgang_dbd_unhush(job_ptr, job_id, row);
	give_back_mail(job_ptr, mail);
	sgang_job_test.mode = SGANG_JOB_TEST_NONE;
	if (rc != SLURM_SUCCESS) {
		fed_mgr_job_unlock(job_ptr);
		/* job_test may have succeeded before something else failed */
		if (IS_JOB_PENDING(job_ptr))
			release_clear_flag(job_ptr, JOB_CONFIGURING);
		job_ptr->part_ptr = part_ptr;
		refusal->limit = rc == ESLURM_ACCOUNTING_POLICY;
		explain(job_ptr, rc, refusal->why, sizeof(refusal->why));
		return NULL;
	}
	sgang_dbd_held(job_ptr);
	job_ptr->details->prolog_running++;
	not_seen_yet(job_ptr);
	last_job_update = time(NULL);
	return handle(job_ptr);
}

/* ---- undo ---- */

/* Nodes that cannot answer are not waited for. Their epilog counts as done. */
static void give_back_nodes(job_record_t *job_ptr)
{
	node_record_t *node_ptr;

	for (int i = 0; i < node_record_count; i++) {
		if (!bit_test(job_ptr->node_bitmap_cg, i))
			continue;
		node_ptr = node_record_table_ptr[i];
		if (IS_NODE_DOWN(node_ptr) || IS_NODE_POWERED_DOWN(node_ptr) ||
		    IS_NODE_POWERING_UP(node_ptr)) {
			bit_clear(job_ptr->node_bitmap_cg, i);
			job_update_tres_cnt(job_ptr, i);
			job_ptr->node_cnt--;
		}
		make_node_comp(node_ptr, job_ptr, false);
	}
	if (!job_ptr->node_cnt) {
		release_completed(job_ptr);
		return;
	}
	/* The last of these calls finishes the job and frees the bitmap. */
	for (int i = 0; i < node_record_count && job_ptr->node_bitmap_cg; i++) {
		if (bit_test(job_ptr->node_bitmap_cg, i))
			release_epilog_done(job_ptr,
					    node_record_table_ptr[i]->name);
	}
}

/* batch_requeue_fini() does this for batch jobs only. */
static void forget_allocation(job_record_t *job_ptr)
{
	job_ptr->start_time = 0;
	job_ptr->end_time_exp = job_ptr->end_time = 0;
	job_ptr->total_cpus = 0;
	job_ptr->node_cnt = 0;
	xfree(job_ptr->batch_host);
	free_job_resources(&job_ptr->job_resrcs);
	xfree(job_ptr->nodes);
	xfree(job_ptr->nodes_completing);
	FREE_NULL_BITMAP(job_ptr->node_bitmap);
	FREE_NULL_BITMAP(job_ptr->node_bitmap_cg);
	FREE_NULL_LIST(job_ptr->gres_list_alloc);
	/* An exclusive job was given all GRES of its nodes. */
	if (release_whole_node(job_ptr->details) &&
	    job_ptr->gres_list_req) {
		FREE_NULL_LIST(job_ptr->gres_list_req);
		release_validate_gres(job_ptr);
	}
}

/* Accounting would go on showing them of the pending job. */
static void forget_tres(job_record_t *job_ptr)
{
	job_ptr->total_nodes = 0;
	xfree(job_ptr->tres_alloc_cnt);
	xfree(job_ptr->tres_alloc_str);
	xfree(job_ptr->tres_fmt_alloc_str);
}

static void host_undo(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job), *base;
	uint64_t flags = job_ptr->bit_flags, row;
	struct times times;

	save_times(job_ptr, &times);
	row = sgang_dbd_undo_begin(job_ptr);
	job_ptr->end_time = time(NULL);
	release_set_state(job_ptr, JOB_PENDING | JOB_COMPLETING);
	build_cg_bitmap(job_ptr);
	job_ptr->bit_flags |= JOB_KILL_HURRY;
	job_ptr->bit_flags &= ~JOB_WAS_RUNNING;
	if (job_ptr->array_job_id &&
	    (base = find_job_record(job_ptr->array_job_id)) &&
	    base->array_recs && base->array_recs->tot_run_tasks)
		base->array_recs->tot_run_tasks--;

	/* As deallocate_nodes(), without messages to nodes that know nothing
	 * of the job and without EpilogSlurmctld. */
	release_count_end(job_ptr);
	if (select_g_job_fini(job_ptr) != SLURM_SUCCESS)
		sgang_log(SGANG_LOG_ERROR, "select_g_job_fini(%u) failed",
			  job_ptr->job_id);
	release_switch_complete(job_ptr);
	give_back_nodes(job_ptr);

	job_ptr->bit_flags = flags & ~JOB_WAS_RUNNING;
	if (job_ptr->node_bitmap)
		batch_requeue_fini(job_ptr);
	if (!job_ptr->batch_flag)
		forget_allocation(job_ptr);
	forget_tres(job_ptr);
	restore_times(job_ptr, &times);
	sgang_dbd_undo_end(job_ptr, row);
	if (job_ptr->details->prolog_running)
		job_ptr->details->prolog_running--;
	fed_mgr_job_unlock(job_ptr);
	last_job_update = time(NULL);
}

/* PrologSlurmctld runs to its end for a job that is undone meanwhile. */
static bool host_recommits(void)
{
	return !prep_g_required(PREP_PROLOG_SLURMCTLD);
}

/* ---- holds ---- */

static bool host_held(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);

	return IS_JOB_RUNNING(job_ptr) && IS_JOB_CONFIGURING(job_ptr) &&
	       job_ptr->details && job_ptr->details->prolog_running;
}

/* Ours is the last count: PrologSlurmctld and all PrEp plugins are done. */
static bool host_ready(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	return job_ptr && host_held(job) &&
	       job_ptr->details->prolog_running == 1 &&
	       !job_ptr->prep_prolog_cnt && release_nodes_ready(job_ptr);
}

/* Nodes whose boot time is not known are asked to register, now and not in a
 * few seconds. */
static void host_ask(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);
	node_record_t *node_ptr;

	if (!job_ptr->batch_flag || !job_ptr->batch_host || was_seen(job_ptr))
		return;
	node_ptr = find_node_record(job_ptr->batch_host);
	if (!node_ptr)
		return;
	node_ptr->boot_time = 0;
	ping_nodes_now = true;
}

/* slurmctld has set the count to zero when it recovered the job. What it counts
 * since then is PrologSlurmctld, which it runs again. */
static void host_adopt(struct sgang_job *job)
{
	release_set_flag(record(job), JOB_CONFIGURING);
	record(job)->details->prolog_running++;
	not_seen_yet(record(job));
	host_ask(job);
}

static void host_drop(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	sgang_dbd_drop(job_ptr);
	if (!job_ptr->details)
		return;
	if (job_ptr->details->prolog_running)
		job_ptr->details->prolog_running--;
	/* Requeued because its node failed: it never ran, so it need not wait
	 * for the old run to be cleaned up. But what fails every time, such as
	 * PrologSlurmctld, is not tried every second. */
	if (IS_JOB_PENDING(job_ptr) && job_ptr->batch_flag &&
	    job_ptr->restart_cnt <= 1 &&
	    job_ptr->details->begin_time > time(NULL))
		job_ptr->details->begin_time = time(NULL);
	last_job_update = time(NULL);
}

static bool host_refused(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);

	return IS_JOB_PENDING(job_ptr) && !job_ptr->priority &&
	       !xstrcmp(job_ptr->state_desc, "launch failed requeued held");
}

static void host_forgive(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	if (host_refused(job)) {
		job_ptr->direct_set_prio = 0;	/* as scontrol release */
		set_job_prio(job_ptr);
		job_ptr->state_reason = WAIT_NO_REASON;
		xfree(job_ptr->state_desc);
		if (job_ptr->restart_cnt)
			job_ptr->restart_cnt--;
	}
	if (job_ptr->details && job_ptr->details->begin_time > time(NULL))
		job_ptr->details->begin_time = time(NULL);
	last_job_update = time(NULL);
}

/* The job runs on its node: as prolog_running_decr(), without another launch. */
static void take_as_launched(job_record_t *job_ptr)
{
	job_ptr->details->prolog_running--;
	job_config_fini(job_ptr);
	(void) build_batch_step(job_ptr);
}

/* The job's time starts now, whatever it waited for the others. */
static void host_release(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);
	bool launched = was_seen(job_ptr);

	job_ptr->start_time = job_ptr->time_last_active = time(NULL);
	job_end_time_reset(job_ptr);
	xfree(job_ptr->state_desc);
	sgang_dbd_start(job_ptr);
	if (launched)
		take_as_launched(job_ptr);
	else
		prolog_running_decr(job_ptr);
	if ((job_ptr->mail_type & MAIL_JOB_BEGIN) &&
	    (!job_ptr->array_job_id || (job_ptr->mail_type & MAIL_ARRAY_TASKS)))
		mail_job_info(job_ptr, MAIL_JOB_BEGIN);
	if (!job_ptr->batch_flag)
		srun_allocate(job_ptr);
	last_job_update = time(NULL);
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
	last_job_update = time(NULL);
}

static void host_unpark(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	if (!is_parked(job_ptr))
		return;
	job_ptr->state_reason = WAIT_NO_REASON;
	xfree(job_ptr->state_desc);
	last_job_update = time(NULL);
}

/* As scontrol uhold does it, so that the user may release it. */
static void host_stop(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!IS_JOB_PENDING(job_ptr) || !job_ptr->priority)
		return;
	job_ptr->priority = 0;
	job_ptr->state_reason = WAIT_HELD_USER;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	last_job_update = time(NULL);
}

static void host_resume(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!IS_JOB_PENDING(job_ptr) || job_ptr->priority ||
	    job_ptr->state_reason != WAIT_HELD_USER ||
	    xstrcmp(job_ptr->state_desc, text))
		return;
	job_ptr->direct_set_prio = 0;	/* as scontrol release */
	set_job_prio(job_ptr);
	job_ptr->state_reason = WAIT_NO_REASON;
	xfree(job_ptr->state_desc);
	last_job_update = time(NULL);
}

static void host_label(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!IS_JOB_PENDING(job_ptr) || job_ptr->priority ||
	    !xstrcmp(job_ptr->state_desc, text))
		return;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	last_job_update = time(NULL);
}

/* ---- ends ---- */

static void host_end(struct sgang_job *job)
{
	(void) job_signal(record(job), SIGKILL, 0, 0, false);
}

static bool host_requeue(struct sgang_job *job)
{
	return release_requeue(record(job)) == SLURM_SUCCESS;
}

/* ---- texts ---- */

/* Slurm's own words stay where they say more: dependencies, limits, a job of
 * higher priority in front. */
static void host_tell(struct sgang_job *job, const char *text, bool behind_own)
{
	job_record_t *job_ptr = record(job);

	if (job_ptr->state_reason != WAIT_RESOURCES &&
	    job_ptr->state_reason != WAIT_NO_REASON &&
	    !(behind_own && job_ptr->state_reason == WAIT_PRIORITY))
		return;
	if (!xstrcmp(job_ptr->state_desc, text))
		return;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = xstrdup(text);
	last_job_update = time(NULL);
}

/* Slurm leaves the reason of a pending job that is cancelled as it was. */
static void host_unlabel(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	if (!is_ours(job_ptr->state_desc))
		return;
	xfree(job_ptr->state_desc);
	if (job_ptr->state_reason == WAIT_MAX_REQUEUE)
		job_ptr->state_reason = WAIT_NO_REASON;
	last_job_update = time(NULL);
}

static void host_comment(struct sgang_job *job, const char *text)
{
	job_record_t *job_ptr = record(job);

	if (!xstrcmp(job_ptr->system_comment, text))
		return;
	xfree(job_ptr->system_comment);
	job_ptr->system_comment = xstrdup(text);
	last_job_update = time(NULL);
}

static void host_setenv(struct sgang_job *job, const char *name,
			const char *value)
{
	job_details_t *d = record(job)->details;
	size_t len = strlen(name);
	char *entry = xstrdup_printf("%s=%s", name, value);

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
			place[index] = (uint32_t) i;
	}
	release_order_nodes(res, place);
	return true;
}

/* ---- the rest ---- */

static bool host_quiet(void)
{
	return !retry_list_size() && !get_agent_count();
}

static void host_save(void)
{
	(void) dump_all_job_state();
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
	words = (bit_size((bitstr_t *) bitmap) + 63) >> BITSTR_SHIFT;
	for (bitoff_t i = 0; i < words; i++)
		hash = (hash ^ (uint64_t) bitmap[RELEASE_BITMAP_HEAD + i]) *
		       1099511628211u;
	return hash;
}

/* Not last_node_update: backfill raises it in every cycle, when it marks nodes
 * as planned. */
static uint64_t host_stamp(void)
{
	uint64_t hash = 14695981039346656037u;

	hash = hash_bitmap(hash, avail_node_bitmap);
	hash = hash_bitmap(hash, idle_node_bitmap);
	return hash + atomic_load(&sgang_events) * 1000003 +
	       (uint64_t) last_part_update + (uint64_t) last_resv_update;
}

/* Slurm notes the second of the last change; there may be more in it. */
static uint64_t stamp_of(time_t last, uint64_t *counter)
{
	if (time(NULL) - last <= 1)
		(*counter)++;
	return (uint64_t) last + (*counter << 32);
}

static uint64_t host_job_stamp(void)
{
	static uint64_t counter;

	return stamp_of(last_job_update, &counter);
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

static uint64_t host_clock_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t) ts.tv_sec * 1000000 + (uint64_t) ts.tv_nsec / 1000;
}

const struct sgang_host sgang_host_slurm = {
	.lock = host_lock,
	.unlock = host_unlock,
	.jobs = host_jobs,
	.find = host_find,
	.info = host_info,
	.look = host_look,
	.node_count = host_node_count,
	.refresh = host_refresh,
	.probe = host_probe,
	.shape = host_shape,
	.releases = host_releases,
	.partition = host_partition,
	.idle = host_idle,
	.room = host_room,
	.units = host_units,
	.cpus = host_cpus,
	.island_units = host_island_units,
	.islands = host_islands,
	.cause = host_cause,
	.same_units = host_same_units,
	.same_request = host_same_request,
	.commit = host_commit,
	.limits = host_limits,
	.undo = host_undo,
	.recommits = host_recommits,
	.nodes = host_nodes,
	.allotted = host_allotted,
	.ready = host_ready,
	.held = host_held,
	.adopt = host_adopt,
	.ask = host_ask,
	.refused = host_refused,
	.forgive = host_forgive,
	.release = host_release,
	.drop = host_drop,
	.park = host_park,
	.unpark = host_unpark,
	.stop = host_stop,
	.resume = host_resume,
	.label = host_label,
	.end = host_end,
	.requeue = host_requeue,
	.tell = host_tell,
	.unlabel = host_unlabel,
	.comment = host_comment,
	.setenv = host_setenv,
	.account = host_account,
	.order = host_order,
	.extra = host_extra,
	.set_extra = host_set_extra,
	.quiet = host_quiet,
	.save = host_save,
	.wake_scheduler = host_wake_scheduler,
	.stamp = host_stamp,
	.node_stamp = host_node_stamp,
	.job_stamp = host_job_stamp,
	.now = host_now,
	.clock_us = host_clock_us,
};
