/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_start.c - struct sgang_host: to probe, commit, undo, hold and release
 *
 * The sequence of calls is explained in doc/internals.md.
 */

#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host_private.h"

#include "at_work.h"
#include "core/gang/spec.h"
#include "dbd.h"
#include "plugins/log.h"
#include "rows.h"

#pragma weak cg_node_bitmap

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

/* Call 'try' for the job in each of its partitions that may have gangs, and in
 * each reservation, until it returns true. */
static bool each_partition(job_record_t *job_ptr,
			   bool (*try)(job_record_t *, void *), void *arg)
{
	list_itr_t *iter;
	part_record_t *part_ptr;
	bool done = false;

	if (!job_ptr->part_ptr_list)
		return !sgang_settings_barred(job_ptr) &&
		       sgang_host_each_reservation(job_ptr, try, arg);
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while (!done && (part_ptr = list_next(iter))) {
		job_ptr->part_ptr = part_ptr;
		if (!sgang_settings_barred(job_ptr) &&
		    job_limits_check(&job_ptr, false) == WAIT_NO_REASON)
			done = sgang_host_each_reservation(job_ptr, try, arg);
	}
	list_iterator_destroy(iter);
	return done;
}

static int has_count(void *feature, void *arg)
{
	(void)arg;
	return ((job_feature_t *)feature)->count != 0;
}

bool sgang_host_counts_features(const job_record_t *job_ptr)
{
	const job_details_t *d = job_ptr->details;

	return d->feature_list_use &&
	       list_find_first(d->feature_list_use, has_count, NULL);
}

/* A refusal of the first feature ends the probe. All nodes that are up may be
 * among the job's. */
static void probe_counted(job_record_t *job_ptr)
{
	bitstr_t *nodes;

	if (!sgang_job_test.asked || !sgang_host_counts_features(job_ptr))
		return;
	nodes = bit_copy(job_ptr->part_ptr->node_bitmap);
	bit_and(nodes, avail_node_bitmap);
	sgang_host_add_bitmap(sgang_job_test.usable, nodes);
	FREE_NULL_BITMAP(nodes);
	sgang_host_shape_of(handle(job_ptr), sgang_job_test.shape);
}

/* Those of --prefer are required as long as they are preferred. */
static void use_features(job_details_t *d)
{
	set_job_features_use(d);
	if (sgang_host_first == SGANG_FIRST_PREFER)
		return;
	d->features_use = d->features;
	d->feature_list_use = d->feature_list;
}

static bool probe_partition(job_record_t *job_ptr, void *arg)
{
	int *rc = arg;

	use_features(job_ptr->details);
	*rc = release_select_nodes(job_ptr);
	probe_counted(job_ptr);
	return false; /* the next partition adds to it */
}

/* Slurm's own word for a limit says which. */
static void explain(const job_record_t *job_ptr, int rc, char *why, size_t size)
{
	if (sgang_select_barred(job_ptr->partition, why, size))
		return;
	snprintf(why, size, "JobId=%u: %s", job_ptr->job_id,
		 (rc == ESLURM_ACCOUNTING_POLICY) ?
			 release_reason(job_ptr->state_reason) :
			 slurm_strerror(rc));
}

int sgang_host_probe(struct sgang_job *job, struct sgang_nodeset *usable,
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
	sgang_job_test = (struct sgang_job_test){ .mode = SGANG_JOB_TEST_PROBE,
						  .usable = usable,
						  .ever = ever,
						  .shape = shape };
	(void)each_partition(job_ptr, probe_partition, &rc);
	sgang_job_test.mode = SGANG_JOB_TEST_NONE;
	if (!sgang_job_test.asked)
		explain(job_ptr, rc, why, why_size);
	restore_reason(job_ptr, &saved);
	return sgang_job_test.asked ? 0 : -1;
}

/* ---- limits ---- */

/* Times that a requeue would change. The member was never launched, so nothing
 * on the nodes needs time, and it keeps its place in the queue. */
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

/* The TRES that select_nodes() would count for the job; for whole nodes a
 * maximum. */
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

bool sgang_host_within_limits(job_record_t *job_ptr)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK,
				   .qos = READ_LOCK,
				   .tres = READ_LOCK };
	uint64_t tres[slurmctld_tres_cnt];
	struct reason saved;
	bool fits;

	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS))
		return true;
	save_reason(job_ptr, &saved);
	assoc_mgr_lock(&locks);
	expected_tres(job_ptr, tres);
	fits = acct_policy_job_runnable_post_select(job_ptr, tres, true);
	assoc_mgr_unlock(&locks);
	restore_reason(job_ptr, &saved);
	return fits;
}

/* Count the job as if it had begun. Slurm's backfill does so with the parts of
 * a heterogeneous job. */
static bool count_in(job_record_t *job_ptr)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK,
				   .qos = READ_LOCK,
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
	/* The call would take the job from the partitions it does not begin in.
	 */
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
	double billable_tres = job_ptr->billable_tres;
	uint32_t job_state = job_ptr->job_state;

	/* The job's age goes on counting. */
	job_ptr->details->accrue_time = 0;
	job_ptr->start_time = time(NULL);
	job_ptr->end_time_exp = job_ptr->end_time = job_ptr->start_time;
	job_ptr->job_state = JOB_COMPLETE | JOB_COMPLETING;
	release_count_end(job_ptr);
	/* Without CPUs the billing is 0, and would stay 0 when the job runs. */
	job_ptr->billable_tres = billable_tres;
	job_ptr->details->accrue_time = accrue_time;
	job_ptr->start_time = start_time;
	job_ptr->end_time_exp = end_time_exp;
	job_ptr->end_time = end_time;
	job_ptr->job_state = job_state;
}

int sgang_host_limits(struct sgang_job *const *jobs, size_t n, char *why,
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
			snprintf(why, why_size, "JobId=%u: %s", job_ptr->job_id,
				 release_reason(job_ptr->state_reason));
		restore_reason(job_ptr, &saved);
		restore_times(job_ptr, &times);
	}
	/* A record may have been counted several times. */
	for (size_t i = counted; i-- > 0;)
		count_out(record(jobs[i]));
	for (size_t i = 0; i < counted; i++)
		xfree(record(jobs[i])->tres_alloc_cnt);
	return fits ? 0 : -1;
}

/* ---- commit ---- */

static job_record_t *rest_of_array(const job_record_t *job_ptr)
{
	return job_ptr->array_job_id ? find_job_record(job_ptr->array_job_id) :
				       NULL;
}

/* Exclude all other nodes for select_nodes(). Otherwise it looks at each node
 * that the job could have, and the time of a commit grows with the members
 * times the nodes of the cluster. Returns the nodes that the job itself
 * excludes. */
static bitstr_t *narrow(job_record_t *job_ptr,
			const struct sgang_nodeset *nodes)
{
	bitstr_t *own = job_ptr->details->exc_node_bitmap;
	bitstr_t *others = bit_alloc(node_record_count);

	for (uint32_t n = sgang_nodeset_next(nodes, 0);
	     n < (uint32_t)node_record_count;
	     n = sgang_nodeset_next(nodes, n + 1))
		bit_set(others, n);
	bit_not(others);
	if (own)
		bit_or(others, own);
	job_ptr->details->exc_node_bitmap = others;
	return own;
}

/* A task that was split off has left a copy to the rest of its array. */
static void widen(job_record_t *job_ptr, bitstr_t *own)
{
	job_record_t *rest = rest_of_array(job_ptr);
	bitstr_t *others = job_ptr->details->exc_node_bitmap, *copy;

	job_ptr->details->exc_node_bitmap = own;
	copy = (rest && rest != job_ptr && rest->details) ?
		       rest->details->exc_node_bitmap :
		       NULL;
	if (copy && bit_equal(copy, others)) {
		FREE_NULL_BITMAP(rest->details->exc_node_bitmap);
		if (own)
			rest->details->exc_node_bitmap = bit_copy(own);
	}
	FREE_NULL_BITMAP(others);
}

/* A gang has no victims, so select_nodes() need not look at every job of the
 * cluster to list them for each member. Readers of the cluster's mode of
 * preemption wait for the locks that are held here. */
static int start_on(job_record_t *job_ptr, const struct sgang_nodeset *nodes)
{
	uint16_t mode = slurm_conf.preempt_mode;
	bitstr_t *own = NULL;
	int rc;

	use_features(job_ptr->details);
	if (!(mode & PREEMPT_MODE_GANG))
		slurm_conf.preempt_mode = PREEMPT_MODE_OFF;
	if (nodes)
		own = narrow(job_ptr, nodes);
	rc = release_select_nodes(job_ptr);
	if (nodes)
		widen(job_ptr, own);
	slurm_conf.preempt_mode = mode;
	return rc;
}

/* The nodes alone may be fewer than features are counted for, which is an error
 * of the request then. */
static bool commit_partition(job_record_t *job_ptr, void *arg)
{
	struct reason saved;
	int *rc = arg;

	save_reason(job_ptr, &saved);
	*rc = start_on(job_ptr, sgang_job_test.bounds->nodes);
	if (*rc == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE) {
		restore_reason(job_ptr, &saved);
		*rc = start_on(job_ptr, NULL);
	} else {
		xfree(saved.state_desc);
	}
	return *rc == SLURM_SUCCESS;
}

/* Prepare the federation and the array for a start. */
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
	job_record_t *rest = rest_of_array(job_ptr);

	job_ptr->mail_type = mail;
	if (rest && rest->array_recs && IS_JOB_PENDING(rest))
		rest->mail_type = mail;
}

/* If the stock plugin found no place within our bounds, Slurm's own reason
 * would be about nodes that it did not see. */
static void explain_refusal(job_record_t *job_ptr, int rc,
			    const struct sgang_bounds *bounds,
			    struct sgang_refusal *refusal)
{
	struct sgang_shape shape;

	refusal->nodes =
		sgang_job_test.asked ?
			sgang_job_test.refused :
			rc == ESLURM_NODES_BUSY ||
				rc == ESLURM_NODE_NOT_AVAIL ||
				rc == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
	if (refusal->limit || !refusal->nodes) {
		refusal->nodes = false;
		explain(job_ptr, rc, refusal->why, sizeof(refusal->why));
		return;
	}
	if (sgang_job_test.bound[0]) {
		snprintf(refusal->why, sizeof(refusal->why), "%s",
			 sgang_job_test.bound);
		return;
	}
	sgang_host_shape_of(handle(job_ptr), &shape);
	sgang_rows_refresh();
	(void)sgang_host_refresh();
	sgang_host_explain(handle(job_ptr), &shape, bounds->nodes, refusal->why,
			   sizeof(refusal->why));
}

/* The hold: select_p_job_test() has set JOB_CONFIGURING, which select_nodes()
 * keeps, and this count prevents any launch of the job. It must not be raised
 * before select_nodes() returns: the split of an array copies it. */
struct sgang_job *sgang_host_commit(struct sgang_job *job,
				    const struct sgang_bounds *bounds,
				    struct sgang_refusal *refusal)
{
	job_record_t *job_ptr = record(job);
	part_record_t *part_ptr = job_ptr->part_ptr;
	uint16_t mail = job_ptr->mail_type;
	uint32_t job_id = job_ptr->job_id;
	uint32_t tasks = job_ptr->details->num_tasks;
	uint64_t row;
	int rc = ESLURM_NODES_BUSY;

	refusal->limit = refusal->nodes = false;
	if (may_start(job_ptr, refusal) < 0)
		return NULL;
	sgang_job_test = (struct sgang_job_test){ .mode = SGANG_JOB_TEST_COMMIT,
						  .bounds = bounds };
	/* The job has not begun before its release. The rest of an array has
	 * copied the type in the split. */
	job_ptr->mail_type &= ~MAIL_JOB_BEGIN;
	row = sgang_dbd_hush(job_ptr);
	(void)each_partition(job_ptr, commit_partition, &rc);
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
		explain_refusal(job_ptr, rc, bounds, refusal);
		return NULL;
	}
	sgang_dbd_held(job_ptr);
	sgang_host_tasks_keep(job_ptr, tasks);
	/* of an earlier start */
	FREE_NULL_BITMAP(job_ptr->node_bitmap_pr);
	job_ptr->details->prolog_running++;
	sgang_host_not_seen_yet(job_ptr);
	sgang_host_jobs_changed();
	return handle(job_ptr);
}

/* ---- undo ---- */

/* Nodes that cannot answer are not waited for. Their epilog counts as done. */
static void give_back_nodes(job_record_t *job_ptr)
{
	int first = (int)bit_ffs(job_ptr->node_bitmap_cg);
	int end = (int)bit_fls(job_ptr->node_bitmap_cg) + 1;
	node_record_t *node_ptr;

	for (int i = first; i >= 0 && i < end; i++) {
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
	for (int i = first; i < end && job_ptr->node_bitmap_cg; i++) {
		if (bit_test(job_ptr->node_bitmap_cg, i))
			release_epilog_done(job_ptr,
					    node_record_table_ptr[i]->name);
	}
}

/* Same as batch_requeue_fini(), but that makes another job of this one. */
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
	release_forget(job_ptr);
	job_resv_clear_magnetic_flag(job_ptr);
	/* An exclusive job was given all GRES of its nodes. */
	if (release_whole_node(job_ptr->details) && job_ptr->gres_list_req) {
		FREE_NULL_LIST(job_ptr->gres_list_req);
		release_validate_gres(job_ptr);
	}
}

/* Accounting would go on showing the TRES for the pending job. */
static void forget_tres(job_record_t *job_ptr)
{
	job_ptr->total_nodes = 0;
	xfree(job_ptr->tres_alloc_cnt);
	xfree(job_ptr->tres_alloc_str);
	xfree(job_ptr->tres_fmt_alloc_str);
}

/* Same as deallocate_nodes(), without messages to nodes that know nothing of
 * the job and without EpilogSlurmctld. A batch job would be requeued in the
 * end, with other times, another priority and another number in accounting;
 * nothing was launched, so all of that stays. During the undo batch_flag is 0,
 * so Slurm treats the job as interactive. */
static void deallocate(job_record_t *job_ptr)
{
	uint16_t batch = job_ptr->batch_flag;

	job_ptr->batch_flag = 0;
	build_cg_bitmap(job_ptr);
	release_count_end(job_ptr);
	if (select_g_job_fini(job_ptr) != SLURM_SUCCESS)
		sgang_log(SGANG_LOG_ERROR, "select_g_job_fini(%u) failed",
			  job_ptr->job_id);
	release_switch_complete(job_ptr);
	give_back_nodes(job_ptr);
	job_ptr->batch_flag = batch;
}

/* ---- prologs ---- */

/* slurmctld keeps the nodes of which the Prolog has not ended here. */
static bool has_prologs(const job_record_t *job_ptr)
{
	return job_ptr->node_bitmap_pr;
}

/* Same as job_config_fini() at the launch. */
void sgang_host_prepare(struct sgang_job *job)
{
	launch_prolog(record(job));
	sgang_host_jobs_changed();
}

enum sgang_prepared sgang_host_prepared(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);

	if (!(slurm_conf.prolog_flags & PROLOG_FLAG_ALLOC) ||
	    (slurm_conf.prolog_flags & PROLOG_FLAG_NOHOLD))
		return SGANG_PREPARED_NEEDLESS;
	if (!has_prologs(job_ptr))
		return SGANG_PREPARED_NOT;
	/* From 23.11 on prolog_complete() notes here that a Prolog has failed.
	 * The node reports it once more, and then the job is requeued or ended.
	 */
	if (job_ptr->exit_code)
		return SGANG_PREPARED_RUNS;
	return (job_ptr->state_reason == WAIT_PROLOG) ? SGANG_PREPARED_RUNS :
							SGANG_PREPARED_DONE;
}

/* deallocate_nodes() sends nothing to the nodes of a job whose count is up. */
void sgang_host_unhold_prepared(job_record_t *job_ptr)
{
	if (!has_prologs(job_ptr) || !job_ptr->details ||
	    !job_ptr->details->prolog_running)
		return;
	FREE_NULL_BITMAP(job_ptr->node_bitmap_pr);
	job_ptr->details->prolog_running--;
	if (job_ptr->state_reason == WAIT_PROLOG)
		job_ptr->state_reason = WAIT_NO_REASON;
}

/* The nodes know the job: they must run the Epilog, and be waited for. */
static void requeue_prepared(job_record_t *job_ptr)
{
	uint16_t requeue = job_ptr->details->requeue;

	job_ptr->details->requeue = 1;
	if (release_requeue(job_ptr) == SLURM_SUCCESS) {
		if (job_ptr->restart_cnt)
			job_ptr->restart_cnt--;
	} else {
		/* salloc and srun */
		(void)job_signal(job_ptr, SIGKILL, 0, 0, false);
	}
	job_ptr->details->requeue = requeue;
	sgang_host_tasks_restore(job_ptr);
	sgang_dbd_drop(job_ptr);
	sgang_host_jobs_changed();
}

/* ---- the whole undo ---- */

void sgang_host_undo(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job), *base;
	uint64_t flags = job_ptr->bit_flags & ~JOB_WAS_RUNNING;

	if (has_prologs(job_ptr)) {
		requeue_prepared(job_ptr);
		return;
	}
	job_ptr->end_time = time(NULL);
	release_set_state(job_ptr, JOB_PENDING | JOB_COMPLETING);
	job_ptr->bit_flags = flags | JOB_KILL_HURRY;
	if (job_ptr->array_job_id &&
	    (base = find_job_record(job_ptr->array_job_id)) &&
	    base->array_recs && base->array_recs->tot_run_tasks)
		base->array_recs->tot_run_tasks--;
	deallocate(job_ptr);
	job_ptr->bit_flags = flags;
	forget_allocation(job_ptr);
	forget_tres(job_ptr);
	job_ptr->billable_tres = (double)NO_VAL;
	sgang_host_tasks_restore(job_ptr);
	sgang_dbd_undone(job_ptr);
	if (job_ptr->details->prolog_running)
		job_ptr->details->prolog_running--;
	fed_mgr_job_unlock(job_ptr);
	sgang_host_jobs_changed();
}

/* PrologSlurmctld runs to its end for a job that is undone meanwhile. */
bool sgang_host_recommits(void)
{
	return !prep_g_required(PREP_PROLOG_SLURMCTLD);
}

/* ---- holds ---- */

bool sgang_host_held(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);

	return IS_JOB_RUNNING(job_ptr) && IS_JOB_CONFIGURING(job_ptr) &&
	       job_ptr->details && job_ptr->details->prolog_running;
}

/* True if ours is the last count: PrologSlurmctld and all PrEp plugins are
 * done. */
bool sgang_host_ready(struct sgang_job *job)
{
	job_record_t *job_ptr = record(job);

	return job_ptr && sgang_host_held(job) &&
	       job_ptr->details->prolog_running == 1 &&
	       !job_ptr->prep_prolog_cnt && release_nodes_ready(job_ptr);
}

bool sgang_host_undisturbed(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);

	return job_ptr && job_ptr->node_bitmap &&
	       !bit_overlap_any(job_ptr->node_bitmap, cg_node_bitmap);
}

/* Nodes whose boot time is not known are asked to register, now and not in a
 * few seconds. */
void sgang_host_ask(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);
	node_record_t *node_ptr;

	if (!job_ptr->batch_flag || !job_ptr->batch_host ||
	    sgang_host_was_seen(job_ptr))
		return;
	node_ptr = find_node_record(job_ptr->batch_host);
	if (!node_ptr)
		return;
	node_ptr->boot_time = 0;
	ping_nodes_now = true;
}

/* slurmctld set the count to zero when it recovered the job. All it has counted
 * since is PrologSlurmctld, which it runs again. */
void sgang_host_adopt(struct sgang_job *job)
{
	release_set_flag(record(job), JOB_CONFIGURING);
	if (!sgang_host_recovered_take(record(job)))
		record(job)->details->prolog_running++;
	sgang_host_not_seen_yet(record(job));
	sgang_host_ask(job);
}

void sgang_host_drop(struct sgang_job *job, bool yield)
{
	job_record_t *job_ptr = record(job);

	sgang_dbd_drop(job_ptr);
	if (job_ptr->details && IS_JOB_PENDING(job_ptr))
		sgang_host_tasks_restore(job_ptr);
	else
		sgang_host_tasks_forget(job_ptr);
	/* Slurm tells salloc and srun of the end of what it takes for running,
	 * but they wait for an allocation still. */
	if (IS_JOB_FINISHED(job_ptr))
		srun_allocate_abort(job_ptr);
	if (!job_ptr->details)
		return;
	if (job_ptr->details->prolog_running)
		job_ptr->details->prolog_running--;
	/* A job that was requeued because its node failed never ran, so it need
	 * not wait for the old run to be cleaned up. But a failure that
	 * repeats, such as that of PrologSlurmctld, is not retried every
	 * second. */
	if (!yield && IS_JOB_PENDING(job_ptr) && job_ptr->batch_flag &&
	    job_ptr->restart_cnt <= 1 &&
	    job_ptr->details->begin_time > time(NULL))
		job_ptr->details->begin_time = time(NULL);
	sgang_host_jobs_changed();
}

bool sgang_host_refused(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);

	return IS_JOB_PENDING(job_ptr) && !job_ptr->priority &&
	       !xstrcmp(job_ptr->state_desc, "launch failed requeued held");
}

void sgang_host_clear_launch_failure(struct sgang_job *job, bool at_once)
{
	job_record_t *job_ptr = record(job);

	if (sgang_host_refused(job)) {
		job_ptr->direct_set_prio = 0; /* as scontrol release */
		set_job_prio(job_ptr);
		job_ptr->state_reason = WAIT_NO_REASON;
		xfree(job_ptr->state_desc);
		if (job_ptr->restart_cnt)
			job_ptr->restart_cnt--;
	}
	if (at_once && job_ptr->details &&
	    job_ptr->details->begin_time > time(NULL))
		job_ptr->details->begin_time = time(NULL);
	sgang_host_jobs_changed();
}

/* The job runs on its node: as prolog_running_decr(), without another launch.
 */
static void take_as_launched(job_record_t *job_ptr)
{
	job_ptr->details->prolog_running--;
	job_config_fini(job_ptr);
	(void)build_batch_step(job_ptr);
}

/* The Prolog has run: as prolog_running_decr() without it. Readers of the job's
 * flags wait for the locks that are held here. */
static void launch_prepared(job_record_t *job_ptr)
{
	__typeof__(slurm_conf.prolog_flags) flags = slurm_conf.prolog_flags;

	slurm_conf.prolog_flags &= ~PROLOG_FLAG_ALLOC;
	prolog_running_decr(job_ptr);
	slurm_conf.prolog_flags = flags;
}

/* The job's time starts now, however long it waited for the others. */
/* The resources that a job has held until now are charged, as those of a
 * resized job. Otherwise fairshare would know only the part that
 * priority/multifactor has already seen (PriorityCalcPeriod), because the start
 * is now; and limits on running minutes would get back more than was taken. */
static void charge_hold(job_record_t *job_ptr)
{
	time_t accrue_time = job_ptr->details->accrue_time;
	list_t *parts = job_ptr->part_ptr_list;
	uint32_t job_state = job_ptr->job_state;

	job_ptr->details->accrue_time = 0;
	job_ptr->part_ptr_list = NULL;
	job_ptr->job_state |= JOB_RESIZING;
	job_ptr->end_time = time(NULL);
	release_count_end(job_ptr);
	priority_g_job_end(job_ptr); /* where limits are not enforced */
	job_ptr->job_state = job_state;
	job_ptr->start_time = job_ptr->time_last_active = time(NULL);
	job_end_time_reset(job_ptr);
	release_count_begin(job_ptr);
	job_ptr->part_ptr_list = parts;
	job_ptr->details->accrue_time = accrue_time;
}

void sgang_host_release(struct sgang_job *job, bool again)
{
	job_record_t *job_ptr = record(job);
	bool prepared = has_prologs(job_ptr);
	/* the step of the Prolog is seen as well */
	bool launched = !prepared && sgang_host_was_seen(job_ptr);

	if (sgang_spec_is_placeholder(job_ptr->spank_job_env,
				      job_ptr->spank_job_env_size)) {
		sgang_log(SGANG_LOG_ERROR,
			  "placeholder %u is not launched: it never runs",
			  job_ptr->job_id);
		return;
	}
	charge_hold(job_ptr);
	sgang_host_tasks_forget(job_ptr);
	xfree(job_ptr->state_desc);
	sgang_dbd_start(job_ptr);
	if (launched)
		take_as_launched(job_ptr);
	else if (prepared)
		launch_prepared(job_ptr);
	else
		prolog_running_decr(job_ptr);
	if ((job_ptr->mail_type & MAIL_JOB_BEGIN) &&
	    (!job_ptr->array_job_id || (job_ptr->mail_type & MAIL_ARRAY_TASKS)))
		mail_job_info(job_ptr, MAIL_JOB_BEGIN);
	if (!job_ptr->batch_flag && again)
		sgang_host_answer_again(job_ptr);
	else if (!job_ptr->batch_flag)
		srun_allocate(job_ptr);
	sgang_host_jobs_changed();
}
