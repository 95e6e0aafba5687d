/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_preempt.c - struct sgang_host_preempt: the victims of a job
 *
 * A heterogeneous job is one candidate, its leader: Slurm preempts all of its
 * components or none.
 */

#include "config.h"

#include <string.h>

#include "host_private.h"

#include "core/gang/checkpoint.h"
#include "seats.h"

/* Called for the job, or for each component of a heterogeneous job. */
typedef void component_f(job_record_t *job_ptr, void *arg);

static void each_component(job_record_t *job_ptr, component_f *each, void *arg)
{
	list_itr_t *iter;
	job_record_t *component;

	if (!job_ptr->het_job_list) {
		each(job_ptr, arg);
		return;
	}
	iter = list_iterator_create(job_ptr->het_job_list);
	while ((component = list_next(iter)))
		each(component, arg);
	list_iterator_destroy(iter);
}

static bool has_nodes(const job_record_t *job_ptr)
{
	return IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr);
}

/* ---- candidates ---- */

bool sgang_host_may_preempt(void)
{
	return slurm_preemption_enabled();
}

bool sgang_host_ends_by(uint16_t mode)
{
	return mode == PREEMPT_MODE_REQUEUE || mode == PREEMPT_MODE_CANCEL;
}

/* The test of slurmctld's _job_requeue_op(). */
bool sgang_host_would_requeue(const job_record_t *job_ptr)
{
	return job_ptr->batch_flag && job_ptr->details &&
	       job_ptr->details->requeue && job_ptr->part_ptr;
}

uint32_t sgang_host_preempt_priority(const job_record_t *job_ptr)
{
	if (!xstrcmp(slurm_conf.preempt_type, "preempt/partition_prio"))
		return job_ptr->part_ptr ? job_ptr->part_ptr->priority_tier : 0;
	return job_ptr->qos_ptr ? job_ptr->qos_ptr->priority : 0;
}

/* The time since which the job's work would be lost. A job that was not
 * launched has done none. */
static time_t unsaved_since(const job_record_t *job_ptr, time_t now)
{
	time_t since = job_ptr->start_time + job_ptr->tot_sus_time;
	time_t told;

	if (IS_JOB_CONFIGURING(job_ptr))
		return now;
	told = sgang_checkpoint_told(job_ptr->comment, now);
	since = MAX(since, told);
	told = sgang_checkpoint_told(job_ptr->admin_comment, now);
	return MAX(since, told);
}

static void add_lost(job_record_t *job_ptr, void *arg)
{
	time_t now = time(NULL);
	time_t since = unsaved_since(job_ptr, now);
	uint64_t *lost = arg;

	if (has_nodes(job_ptr) && now > since)
		*lost += (uint64_t)(now - since) * job_ptr->node_cnt;
}

static void and_would_requeue(job_record_t *job_ptr, void *arg)
{
	*(bool *)arg &= sgang_host_would_requeue(job_ptr);
}

static void describe(job_record_t *job_ptr, struct sgang_candidate *candidate)
{
	*candidate = (struct sgang_candidate){
		.job = handle(job_ptr),
		.job_id = job_ptr->job_id,
		.going = job_ptr->preempt_time || IS_JOB_COMPLETING(job_ptr),
		.requeues = slurm_job_preempt_mode(job_ptr) ==
			    PREEMPT_MODE_REQUEUE,
		.priority = sgang_host_preempt_priority(job_ptr),
		.started = job_ptr->start_time,
	};
	each_component(job_ptr, and_would_requeue, &candidate->requeues);
	each_component(job_ptr, add_lost, &candidate->lost);
}

struct telling {
	void (*each)(const struct sgang_candidate *candidate, void *arg);
	void *arg;
};

static void tell(const struct telling *t, job_record_t *job_ptr)
{
	struct sgang_candidate candidate;

	describe(job_ptr, &candidate);
	t->each(&candidate, t->arg);
}

static void tell_running(const struct telling *t, job_record_t *by)
{
	list_t *list = slurm_find_preemptable_jobs(by);
	list_itr_t *iter;
	job_record_t *job_ptr;

	if (!list)
		return;
	iter = list_iterator_create(list);
	while ((job_ptr = list_next(iter))) {
		if (sgang_host_ends_by(slurm_job_preempt_mode(job_ptr)))
			tell(t, job_ptr);
	}
	list_iterator_destroy(iter);
	FREE_NULL_LIST(list);
}

/* True if the job gives its nodes back in time. If it is completing for too
 * long, this is unknown. */
static bool gives_back(struct sgang_job *job)
{
	return sgang_host_gone_by(job) >= time(NULL);
}

/* Completing jobs, none of which Slurm lists. Their nodes come back anyway. */
static void tell_completing(const struct telling *t, job_record_t *by)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		if (IS_JOB_COMPLETING(job_ptr) && job_ptr->node_bitmap_cg &&
		    bit_overlap_any(job_ptr->node_bitmap_cg,
				    by->part_ptr->node_bitmap) &&
		    gives_back(handle(job_ptr)))
			tell(t, job_ptr);
	}
	list_iterator_destroy(iter);
}

void sgang_host_candidates(struct sgang_job *job,
			   void (*each)(const struct sgang_candidate *candidate,
					void *arg),
			   void *arg)
{
	const struct telling t = { .each = each, .arg = arg };
	job_record_t *by = record(job);

	/* Slurm logs an error about any other. */
	if (!IS_JOB_PENDING(by) || !by->part_ptr || !by->part_ptr->node_bitmap)
		return;
	tell_running(&t, by);
	tell_completing(&t, by);
}

int64_t sgang_host_next_candidate(void)
{
	assoc_mgr_lock_t locks = { .qos = READ_LOCK };
	list_itr_t *iter = list_iterator_create(job_list);
	int64_t now = time(NULL), next = INT64_MAX;
	job_record_t *job_ptr;

	assoc_mgr_lock(&locks);
	while ((job_ptr = list_next(iter))) {
		int64_t when =
			has_nodes(job_ptr) ?
				acct_policy_get_preemptable_time(job_ptr) :
				0;

		if (when > now && when < next)
			next = when;
	}
	assoc_mgr_unlock(&locks);
	list_iterator_destroy(iter);
	return next;
}

/* ---- what victims cannot give ---- */

/* Multiply the licenses that the job asks for, or undo that. */
static void multiply_licenses(list_t *licenses, uint32_t n, bool back)
{
	list_itr_t *iter = list_iterator_create(licenses);
	licenses_t *license;

	while ((license = list_next(iter)))
		license->total = back ? license->total / n : license->total * n;
	list_iterator_destroy(iter);
}

bool sgang_host_licensed(struct sgang_job *job, size_t n)
{
	job_record_t *job_ptr = record(job);
	bool there;

	if (!job_ptr->license_list || n < 2)
		return true; /* one has been asked for */
	multiply_licenses(job_ptr->license_list, (uint32_t)n, false);
	there = license_job_test(job_ptr, time(NULL), true) == SLURM_SUCCESS;
	multiply_licenses(job_ptr->license_list, (uint32_t)n, true);
	return there;
}

/* A node counts once, however many jobs of the group are on it. */
static bool within(const uint64_t *limit, const uint64_t *used,
		   const bitstr_t *has, const bitstr_t *nodes)
{
	uint64_t more = (uint64_t)bit_set_count((bitstr_t *)nodes);

	if (!limit || !used || limit[TRES_ARRAY_NODE] == INFINITE64)
		return true;
	if (has)
		more -= (uint64_t)bit_overlap((bitstr_t *)has,
					      (bitstr_t *)nodes);
	return used[TRES_ARRAY_NODE] + more <= limit[TRES_ARRAY_NODE];
}

static bool within_qos(const slurmdb_qos_rec_t *qos, const bitstr_t *nodes)
{
	return !qos || !qos->usage ||
	       within(qos->grp_tres_ctld, qos->usage->grp_used_tres,
		      qos->usage->grp_node_bitmap, nodes);
}

/* Usage of the user or account under a QOS; NULL: none yet. */
static const slurmdb_used_limits_t *find_used(list_t *list, const char *acct,
					      uint32_t uid)
{
	slurmdb_used_limits_t *used;
	list_itr_t *iter;

	if (!list)
		return NULL;
	iter = list_iterator_create(list);
	while ((used = list_next(iter))) {
		if (acct ? !xstrcasecmp(used->acct, acct) : used->uid == uid)
			break;
	}
	list_iterator_destroy(iter);
	return used;
}

static bool within_each(const uint64_t *limit,
			const slurmdb_used_limits_t *used,
			const bitstr_t *nodes)
{
	static const uint64_t none[TRES_ARRAY_TOTAL_CNT];

	return within(limit, used && used->tres ? used->tres : none,
		      used ? used->node_bitmap : NULL, nodes);
}

/* MaxTRESPerUser=node= and MaxTRESPerAccount=node=. A limit set by the QOS that
 * comes first is not checked in the other. */
static bool within_each_of_qos(job_record_t *job_ptr, const bitstr_t *nodes)
{
	const uint64_t unset[TRES_ARRAY_TOTAL_CNT] = {
		[TRES_ARRAY_NODE] = INFINITE64,
	};
	const uint64_t *user = unset, *acct = unset;
	const slurmdb_assoc_rec_t *assoc = job_ptr->assoc_ptr;
	slurmdb_qos_rec_t *qos[2];
	bool fits = true;

	acct_policy_set_qos_order(job_ptr, &qos[0], &qos[1]);
	for (int i = 0; i < 2 && fits && assoc; i++) {
		if (!qos[i] || !qos[i]->usage)
			continue;
		if (user[TRES_ARRAY_NODE] == INFINITE64 &&
		    qos[i]->max_tres_pu_ctld) {
			user = qos[i]->max_tres_pu_ctld;
			fits = within_each(
				user,
				find_used(qos[i]->usage->user_limit_list, NULL,
					  job_ptr->user_id),
				nodes);
		}
		if (fits && acct[TRES_ARRAY_NODE] == INFINITE64 &&
		    qos[i]->max_tres_pa_ctld) {
			acct = qos[i]->max_tres_pa_ctld;
			fits = within_each(
				acct,
				find_used(qos[i]->usage->acct_limit_list,
					  assoc->acct, 0),
				nodes);
		}
	}
	return fits;
}

static bool within_limits(job_record_t *job_ptr, const bitstr_t *nodes)
{
	const slurmdb_assoc_rec_t *assoc = job_ptr->assoc_ptr;

	if (!within_qos(job_ptr->qos_ptr, nodes) ||
	    (job_ptr->part_ptr &&
	     !within_qos(job_ptr->part_ptr->qos_ptr, nodes)) ||
	    !within_each_of_qos(job_ptr, nodes))
		return false;
	for (; assoc && assoc->usage; assoc = assoc->usage->parent_assoc_ptr) {
		if (!within(assoc->grp_tres_ctld, assoc->usage->grp_used_tres,
			    assoc->usage->grp_node_bitmap, nodes))
			return false;
	}
	return true;
}

bool sgang_host_may_have(struct sgang_job *job,
			 const struct sgang_nodeset *nodes)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK, .qos = READ_LOCK };
	bitstr_t *map;
	bool may;

	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS))
		return true;
	map = bit_alloc(node_record_count);
	for (uint32_t n = sgang_nodeset_next(nodes, 0);
	     n < (uint32_t)node_record_count;
	     n = sgang_nodeset_next(nodes, n + 1))
		bit_set(map, n);
	assoc_mgr_lock(&locks);
	may = within_limits(record(job), map);
	assoc_mgr_unlock(&locks);
	FREE_NULL_BITMAP(map);
	return may;
}

/* ---- what happens to victims ---- */

/* slurm_job_preempt() returns SLURM_ERROR during the grace time, which is no
 * failure. With a mode other than cancel and requeue it would kill the job. */
void sgang_host_preempt(struct sgang_job *victim, struct sgang_job *by)
{
	job_record_t *job_ptr = record(victim);
	uint16_t mode = slurm_job_preempt_mode(job_ptr);

	if (has_nodes(job_ptr) && sgang_host_ends_by(mode))
		(void)slurm_job_preempt(job_ptr, record(by), mode, true);
}

/* The end used for limits (end_time_exp) was never changed. */
static void spare_component(job_record_t *job_ptr, void *arg)
{
	time_t end_time_exp = job_ptr->end_time_exp;

	(void)arg;
	if (!has_nodes(job_ptr) || !job_ptr->preempt_time)
		return;
	job_ptr->preempt_time = 0;
	release_clear_grace(job_ptr);
	job_end_time_reset(job_ptr);
	job_ptr->end_time += job_ptr->tot_sus_time;
	job_ptr->end_time_exp = end_time_exp;
	sgang_host_jobs_changed();
}

void sgang_host_spare(struct sgang_job *victim)
{
	each_component(record(victim), spare_component, NULL);
}

/* While only EpilogSlurmctld runs all nodes have been given back. */
static void or_occupies(job_record_t *job_ptr, void *arg)
{
	if (has_nodes(job_ptr) || (IS_JOB_COMPLETING(job_ptr) &&
				   (!job_ptr->node_bitmap_cg ||
				    bit_ffs(job_ptr->node_bitmap_cg) >= 0)))
		*(bool *)arg = true;
}

bool sgang_host_occupies(struct sgang_job *victim)
{
	bool occupies = false;

	each_component(record(victim), or_occupies, &occupies);
	return occupies;
}

/* At the job's end slurmd signals it, waits for KillWait and kills it. A
 * suspended job ended when it was suspended. */
static void latest_end(job_record_t *job_ptr, void *arg)
{
	bool completing = IS_JOB_COMPLETING(job_ptr);
	int64_t *latest = arg, end = job_ptr->end_time;

	if (completing)
		end = MAX(end, job_ptr->time_last_active);
	else if (!has_nodes(job_ptr) || !job_ptr->preempt_time)
		return;
	*latest = MAX(*latest,
		      end + slurm_conf.kill_wait + slurm_conf.msg_timeout);
}

int64_t sgang_host_gone_by(struct sgang_job *victim)
{
	int64_t latest = 0;

	each_component(record(victim), latest_end, &latest);
	return latest;
}

/* ---- what they have ---- */

/* A component that is completing is reported by itself. */
static void leave_out_component(job_record_t *job_ptr, void *arg)
{
	(void)arg;
	if (has_nodes(job_ptr))
		sgang_seats_leave_out(job_ptr);
}

void sgang_host_leave_out(struct sgang_job *const *jobs, size_t n)
{
	sgang_seats_keep_all();
	for (size_t i = 0; i < n; i++) {
		if (IS_JOB_COMPLETING(record(jobs[i])))
			sgang_seats_leave_out(record(jobs[i]));
		else
			each_component(record(jobs[i]), leave_out_component,
				       NULL);
	}
	sgang_seats_left_out();
}

/* With preempt/qos the stock plugin needs the list of candidates, and a gang
 * has none. */
static bool suspends(void)
{
	return (slurm_conf.preempt_mode & PREEMPT_MODE_GANG) &&
	       !xstrcmp(slurm_conf.preempt_type, "preempt/partition_prio");
}

bool sgang_host_suspend(struct sgang_job *const *jobs, size_t n)
{
	uint16_t below = UINT16_MAX;

	if (!suspends())
		return false;
	for (size_t i = 0; i < n; i++)
		below = MIN(below, sgang_host_lowest_tier(record(jobs[i])));
	return n && below && sgang_seats_suspend(below);
}

struct holdings {
	const struct sgang_resources *resources;
	void (*each)(uint32_t node, const uint32_t *amounts, void *arg);
	void *arg;
};

static void tell_seats(const struct holdings *h, const job_record_t *job_ptr)
{
	uint32_t amounts[SGANG_PLAN_DIMS];
	const struct sgang_seat *seat;
	uint32_t n = sgang_seats_of_job(job_ptr, &seat);

	for (; n > 0; n--, seat++) {
		sgang_host_held_on(seat, h->resources, amounts);
		h->each(seat->node, amounts, h->arg);
	}
}

/* All that the job had on its nodes is free. */
static void tell_completing_nodes(const struct holdings *h,
				  const job_record_t *job_ptr)
{
	static const uint32_t nothing[SGANG_PLAN_DIMS];
	bitstr_t *nodes = job_ptr->node_bitmap_cg;
	bitoff_t last = nodes ? bit_fls(nodes) : -1;

	for (bitoff_t n = (last < 0) ? 0 : bit_ffs(nodes); n <= last; n++) {
		if (bit_test(nodes, n) && node_record_table_ptr[n])
			h->each((uint32_t)n, nothing, h->arg);
	}
}

static void tell_holdings(job_record_t *job_ptr, void *arg)
{
	if (IS_JOB_COMPLETING(job_ptr))
		tell_completing_nodes(arg, job_ptr);
	else if (has_nodes(job_ptr))
		tell_seats(arg, job_ptr);
}

void sgang_host_holdings(struct sgang_job *job,
			 const struct sgang_resources *resources,
			 void (*each)(uint32_t node, const uint32_t *amounts,
				      void *arg),
			 void *arg)
{
	struct holdings h = {
		.resources = resources,
		.each = each,
		.arg = arg,
	};

	each_component(record(job), tell_holdings, &h);
}
