/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.c - what the conductor asks of slurmctld, answered by the twin
 *
 * Nothing fails and nobody interferes: state is saved, nodes stay, users do not
 * change their jobs. The cases that come of that are empty here.
 */

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "twin_private.h"

/* A gang whose waiting time is over is held. Its user sees that, and releases
 * it, so much later. */
#define RELEASE_SECONDS 3600

/* ---- the cluster ---- */

static bool host_yes(void)
{
	return true;
}

static void host_nothing(void)
{
}

static int host_save(void)
{
	return 0;
}

static void host_wake_scheduler(void)
{
	the.woken = true;
}

static uint64_t host_stamp(void)
{
	return the.stamp;
}

static uint64_t host_freed(void)
{
	return the.releases;
}

static void host_freed_since(uint64_t since, struct sgang_nodeset *nodes)
{
	for (uint32_t n = 0; n < the.n_nodes; n++) {
		if (the.released_at[n] > since)
			sgang_nodeset_add(nodes, n);
	}
}

static uint64_t host_job_stamp(void)
{
	return the.submissions;
}

static uint64_t host_fixed_stamp(void)
{
	return 1;
}

static int64_t host_now(void)
{
	return the.now;
}

/* The same trace must give the same answer, however fast the machine is. */
static uint64_t host_clock_us(void)
{
	return (uint64_t)the.now * 1000000;
}

/* ---- jobs ---- */

static void host_info(struct sgang_job *j, struct sgang_job_info *info)
{
	static const enum sgang_job_state states[] = {
		[TWIN_FUTURE] = SGANG_JOB_ENDED,
		[TWIN_PENDING] = SGANG_JOB_PENDING,
		[TWIN_HELD] = SGANG_JOB_CONFIGURING,
		[TWIN_RUNNING] = SGANG_JOB_RUNNING,
		[TWIN_ENDED] = SGANG_JOB_ENDED,
		[TWIN_FORGOTTEN] = SGANG_JOB_ENDED,
	};

	memset(info, 0, sizeof(*info));
	info->job = j;
	info->job_id = sgang_twin_id(j);
	info->tasks = 1;
	info->ranks = j->asks->ranks;
	info->state = states[j->state];
	info->labelled = j->label != 0;
	info->stopped = j->state == TWIN_PENDING && j->held_by_us;
	info->failed = j->state == TWIN_ENDED && j->timed_out;
	info->cancelled = j->state == TWIN_ENDED && j->cancelled;
	info->launch = j->work ? SGANG_LAUNCH_YES : SGANG_LAUNCH_NO;
	info->restarts = j->restarts;
	info->tier = j->partition->tier;
	info->priority = j->held_by_us ? 0 : j->priority;
	info->submit_time = j->asks->submit;
	info->eligible_time = j->begin;
	info->partitions = j->partition->name;
	info->hold_max = j->partition->max_time == UINT32_MAX ?
				 0 :
				 j->partition->max_time;
	info->time_limit = j->limit;
	info->expected = j->state == TWIN_PENDING ? j->expected : 0;
	info->began = sgang_twin_has_nodes(j) ? j->start : 0;
	info->ends = sgang_twin_has_nodes(j) ? j->ends : INT64_MAX;
	info->uid = 1000;
	info->user = j->asks->user;
	info->comment = j->comment;
	info->env = j->env;
	info->n_env = j->n_env;
}

static void host_look(struct sgang_job *j, struct sgang_job_info *info)
{
	host_info(j, info);
	info->eligible = j->state == TWIN_PENDING && !j->held_by_us &&
			 j->begin <= the.now;
	info->parked = j->parked;
	info->label = j->state == TWIN_PENDING ? j->label : 0;
}

static void host_each(void (*each)(const struct sgang_job_info *, void *),
		      void *arg)
{
	for (size_t i = 0; i < the.members.n; i++) {
		struct sgang_job_info info;

		host_look(the.members.at[i], &info);
		each(&info, arg);
	}
}

static struct sgang_job *host_find(uint32_t id)
{
	struct sgang_job *j;

	if (!id || id > the.terms->trace->n_jobs)
		return NULL;
	j = &the.jobs[id - 1];
	return j->state == TWIN_FUTURE || j->state == TWIN_FORGOTTEN ? NULL : j;
}

static bool host_before(struct sgang_job *waiting, struct sgang_job *asking)
{
	return sgang_twin_before(waiting, asking);
}

static bool host_operator(uint32_t uid)
{
	return uid == 0;
}

static uint64_t host_request(struct sgang_job *j)
{
	return sgang_twin_id(j);
}

static void host_shape(struct sgang_job *j, struct sgang_shape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->min_nodes = shape->max_nodes = j->asks->nodes;
	shape->whole = j->whole;
	shape->node_cpus = j->asks->cpus;
	shape->node_gpus = j->asks->gpus;
	shape->node_memory = the.rules->counts_memory ? j->asks->memory : 0;
	shape->total_cpus = j->asks->nodes * j->asks->cpus;
	shape->tasks = j->asks->ranks;
}

static bool host_least(struct sgang_job *j, struct sgang_shape *shape)
{
	host_shape(j, shape);
	return true;
}

static bool host_same_units(struct sgang_job *a, struct sgang_job *b)
{
	return sgang_twin_same_units(a, b);
}

static bool host_same_request(struct sgang_job *a, struct sgang_job *b)
{
	return sgang_twin_same(a, b) && a->asks->ranks == b->asks->ranks &&
	       !strcmp(a->asks->user, b->asks->user);
}

static bool host_replaces(struct sgang_job *spare, struct sgang_job *lost)
{
	return host_same_units(spare, lost) &&
	       spare->asks->nodes == lost->asks->nodes &&
	       spare->partition == lost->partition &&
	       !strcmp(spare->asks->user, lost->asks->user);
}

static bool host_excludes(struct sgang_job *a, struct sgang_job *b)
{
	(void)a;
	(void)b;
	return false;
}

static int host_limits(struct sgang_job *const *jobs, size_t n, char *why,
		       size_t why_size)
{
	(void)jobs;
	(void)n;
	(void)why;
	(void)why_size;
	return 0;
}

static void host_nodes(struct sgang_job *j, struct sgang_nodeset *nodes)
{
	for (uint32_t i = 0; i < j->n_nodes; i++)
		sgang_nodeset_add(nodes, j->nodes[i]);
}

static uint32_t host_allotted(struct sgang_job *j, uint32_t *cpus)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < j->n_nodes; i++) {
		cpus[i] = sgang_twin_cpus_on(j, j->nodes[i]);
		total += cpus[i];
	}
	return total > j->asks->ranks ? total / j->asks->ranks : 1;
}

static bool host_order(struct sgang_job *j, const uint32_t *nodes, size_t n)
{
	free(j->order);
	j->order = malloc((n + 1) * sizeof(*j->order));
	if (!j->order) {
		the.no_memory = true;
		return false;
	}
	memcpy(j->order, nodes, n * sizeof(*nodes));
	return true;
}

/* ---- what they show ---- */

static void show(struct sgang_job *j, const char *text)
{
	j->label = text[0] ? sgang_hash_text(SGANG_HASH_SEED, text) : 0;
}

static void host_park(struct sgang_job *j, const char *text)
{
	show(j, text);
	j->parked = true;
}

static void host_unpark(struct sgang_job *j)
{
	j->label = 0;
	j->parked = false;
}

static void host_stop(struct sgang_job *j, const char *text)
{
	if (j->held_by_us)
		return;
	j->held_by_us = true;
	j->parked = false;
	show(j, text);
	sgang_twin_at(j, the.now + RELEASE_SECONDS);
}

static void host_resume(struct sgang_job *j, const char *text)
{
	if (!j->held_by_us ||
	    j->label != sgang_hash_text(SGANG_HASH_SEED, text))
		return;
	j->held_by_us = false;
	j->label = 0;
}

static void host_tell(struct sgang_job *j, const char *text, bool behind_own)
{
	(void)behind_own;
	show(j, text);
}

static void host_expect(struct sgang_job *j, int64_t when)
{
	j->expected = when;
}

static void host_label(struct sgang_job *j, const char *text)
{
	if (j->state == TWIN_PENDING && j->held_by_us)
		show(j, text);
}

static void host_unlabel(struct sgang_job *j)
{
	j->label = 0;
}

static void host_tell_end(struct sgang_job *j, const char *text)
{
	if (j->state != TWIN_PENDING)
		show(j, text);
}

static void host_comment(struct sgang_job *j, const char *text)
{
	char *copy = strdup(text);

	if (!copy) {
		the.no_memory = true;
		return;
	}
	free(j->comment);
	j->comment = copy;
}

static void host_setenv(struct sgang_job *j, const char *name,
			const char *value)
{
	(void)j;
	(void)name;
	(void)value;
}

static void host_options(struct sgang_job *j, char *const *env, size_t n)
{
	if (sgang_twin_set_env(j, env, n))
		sgang_twin_read_spec(j);
}

static void host_account(struct sgang_job *j, const char *brief)
{
	(void)j;
	(void)brief;
}

/* ---- the end of jobs ---- */

static void host_end(struct sgang_job *j)
{
	bool had = sgang_twin_has_nodes(j);

	sgang_twin_end(j, SGANG_OUTCOME_CANCELLED);
	if (had)
		sgang_conductor_ended(the.conductor, j, SGANG_HOLD_END_USER);
}

static bool host_requeue(struct sgang_job *j)
{
	bool had = sgang_twin_has_nodes(j);

	sgang_twin_requeue(j, the.now + (int64_t)the.rules->requeue_delay);
	if (had)
		sgang_conductor_ended(the.conductor, j, SGANG_HOLD_END_USER);
	return true;
}

static bool host_requeues(struct sgang_job *j)
{
	(void)j;
	return true;
}

static bool host_overtaken(struct sgang_job *j)
{
	for (size_t i = 0; i < the.queue.n; i++) {
		const struct sgang_job *other = the.queue.at[i];

		if (!sgang_twin_before(other, j))
			return false;
		if (sgang_twin_eligible(other) && !other->spec)
			return true;
	}
	return false;
}

static uint64_t host_keep_place(struct sgang_job *j)
{
	return j->priority;
}

static int64_t host_begin(struct sgang_job *j, int64_t when, uint64_t place)
{
	(void)place;
	j->begin = when;
	if (when > the.now)
		sgang_twin_at(j, when);
	return when;
}

static uint32_t host_kill_wait(void)
{
	return the.rules->kill_wait;
}

/* ---- nodes ---- */

static uint32_t host_count(void)
{
	return the.n_nodes;
}

static void host_no_nodes(struct sgang_nodeset *nodes)
{
	(void)nodes;
}

static bool host_weights(struct sgang_job *job, uint32_t *weight)
{
	(void)job;
	if (the.weights_differ)
		memcpy(weight, the.weight, the.n_nodes * sizeof(*weight));
	return the.weights_differ;
}

static const char *host_address(uint32_t node)
{
	return the.site->nodes[node].name;
}

static const char *host_extra(uint32_t node)
{
	(void)node;
	return "";
}

static void host_set_extra(uint32_t node, const char *text)
{
	(void)node;
	(void)text;
}

static void host_tell_nodes(const struct sgang_nodeset *nodes, const char *text)
{
	(void)nodes;
	(void)text;
}

static int host_probe(struct sgang_job *j, struct sgang_nodeset *usable,
		      struct sgang_nodeset *ever, struct sgang_shape *shape,
		      char *why, size_t why_size)
{
	(void)why;
	(void)why_size;
	sgang_nodeset_or(usable, j->partition->nodes);
	sgang_nodeset_or(ever, j->partition->nodes);
	host_shape(j, shape);
	return 0;
}

static void host_topology(struct sgang_job *j, char name[SGANG_TOPOLOGY_NAME])
{
	(void)j;
	name[0] = '\0';
}

static void host_required(struct sgang_job *j, struct sgang_nodeset *nodes)
{
	(void)j;
	(void)nodes;
}

static void host_partition(struct sgang_job *j, struct sgang_nodeset *nodes)
{
	sgang_nodeset_or(nodes, j->partition->nodes);
}

static void host_releases(int64_t *free_at)
{
	memset(free_at, 0, the.n_nodes * sizeof(*free_at));
	for (size_t i = 0; i < the.running.n; i++) {
		const struct sgang_job *j = the.running.at[i];

		for (uint32_t k = 0; k < j->n_nodes; k++) {
			if (free_at[j->nodes[k]] < j->ends)
				free_at[j->nodes[k]] = j->ends;
		}
	}
}

static void
host_set_aside(bool (*wants)(struct sgang_job *job, uint32_t job_id, void *arg),
	       void (*f)(const struct sgang_set_aside *s, void *arg), void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < the.n_plans && n < SGANG_SET_ASIDE_MAX; i++) {
		const struct twin_plan *p = &the.plans[i];
		struct sgang_set_aside s = {
			.job = p->job,
			.job_id = sgang_twin_id(p->job),
			.from = p->start,
			.until = p->job->limit == UINT32_MAX ?
					 INT64_MAX :
					 p->start + p->job->limit,
			.nodes = p->nodes,
		};

		if (p->job->state != TWIN_PENDING ||
		    !wants(p->job, s.job_id, arg))
			continue;
		f(&s, arg);
		n++;
	}
}

static size_t host_endless(const struct sgang_nodeset *nodes, uint32_t *job_ids,
			   size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < the.running.n; i++) {
		const struct sgang_job *j = the.running.at[i];

		if (j->ends != INT64_MAX || !sgang_twin_has_any(j, nodes))
			continue;
		if (n < max)
			job_ids[n] = sgang_twin_id(j);
		n++;
	}
	return n;
}

static uint32_t host_idle(const struct sgang_nodeset *nodes)
{
	const struct twin_use *use = sgang_twin_use();
	uint32_t idle = 0;

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		idle += !use[n].jobs;
	return idle;
}

static void host_room(const struct sgang_nodeset *nodes,
		      struct sgang_room *room)
{
	const struct twin_use *use = sgang_twin_use();

	memset(room, 0, sizeof(*room));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		const struct sgang_site_node *node = &the.site->nodes[n];

		room->cpus += node->cpus - use[n].cpus;
		if (sgang_twin_counts_memory(node))
			room->memory += node->memory - use[n].memory;
		room->nodes += !use[n].jobs;
	}
}

static const struct twin_use *use_of(bool empty)
{
	return empty ? the.none : sgang_twin_use();
}

static void host_units(struct sgang_job *j, const struct sgang_shape *shape,
		       const struct sgang_nodeset *nodes, bool empty,
		       uint32_t *units)
{
	const struct twin_use *use = use_of(empty);

	(void)shape;
	memset(units, 0, the.n_nodes * sizeof(*units));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		units[n] = sgang_twin_pieces(j, n, use);
}

static enum sgang_cause cause_on(const struct sgang_job *j, uint32_t n)
{
	const struct sgang_site_node *node = &the.site->nodes[n];
	const struct twin_use *u = &sgang_twin_use()[n];

	if (!sgang_nodeset_has(j->partition->nodes, n))
		return SGANG_CAUSE_PARTITION;
	if (j->asks->gpus > node->gpus)
		return SGANG_CAUSE_GPUS;
	if (sgang_twin_counts_memory(node) && j->asks->memory > node->memory)
		return SGANG_CAUSE_MEMORY;
	if (j->asks->cpus > node->cpus)
		return SGANG_CAUSE_CPUS;
	if (sgang_twin_fits(j, n, sgang_twin_use()))
		return SGANG_CAUSE_NONE;
	if (j->whole || j->asks->cpus + u->cpus > node->cpus)
		return SGANG_CAUSE_BUSY;
	if (j->asks->gpus + u->gpus > node->gpus)
		return SGANG_CAUSE_BUSY_GPUS;
	return SGANG_CAUSE_BUSY_MEMORY;
}

static void host_causes(struct sgang_job *j, const struct sgang_shape *shape,
			uint8_t *cause, uint8_t *scarce)
{
	(void)shape;
	for (uint32_t n = 0; n < the.n_nodes; n++) {
		cause[n] = (uint8_t)cause_on(j, n);
		if (scarce)
			scarce[n] = j->asks->gpus ? SGANG_CAUSE_BUSY_GPUS :
						    SGANG_CAUSE_BUSY;
	}
}

/* CPUs, GPUs and memory if they are counted. */
static void host_resources(const struct sgang_asked *asked, size_t n,
			   struct sgang_resources *res, uint8_t *type)
{
	(void)asked;
	(void)n;
	memset(res, 0, sizeof(*res));
	res->n_types = 1;
	res->n_dims = 2 + the.rules->counts_memory;
	strcpy(res->dim[0].name, "CPUs");
	strcpy(res->dim[1].name, "GPUs");
	strcpy(res->dim[2].name, "MB of memory");
	memset(type, 0, the.n_nodes * sizeof(*type));
}

static uint32_t as_amount(uint64_t n)
{
	return n < SGANG_PLAN_UNTOUCHED ? (uint32_t)n :
					  SGANG_PLAN_UNTOUCHED - 1;
}

static void host_need(const struct sgang_asked *asked,
		      const struct sgang_resources *res, uint32_t *need)
{
	const struct sgang_job *j = asked->job;

	if (j->whole) {
		for (uint32_t d = 0; d < res->n_dims; d++)
			need[d] = SGANG_PLAN_ALL;
		return;
	}
	need[0] = j->asks->cpus;
	need[1] = j->asks->gpus;
	if (res->n_dims > 2)
		need[2] = as_amount(j->asks->memory);
}

static void host_takes(struct sgang_job *j, const struct sgang_resources *res,
		       uint64_t *takes)
{
	takes[0] = (uint64_t)j->asks->nodes * j->asks->cpus;
	takes[1] = (uint64_t)j->asks->nodes * j->asks->gpus;
	if (res->n_dims > 2)
		takes[2] = j->asks->nodes * j->asks->memory;
}

static void host_amounts(const struct sgang_resources *res, bool empty,
			 uint32_t *amounts)
{
	const struct twin_use *use = use_of(empty);

	for (uint32_t n = 0; n < the.n_nodes; n++) {
		const struct sgang_site_node *node = &the.site->nodes[n];

		*amounts++ = node->cpus - use[n].cpus;
		*amounts++ = node->gpus - use[n].gpus;
		if (res->n_dims > 2)
			*amounts++ = sgang_twin_counts_memory(node) ?
					     as_amount(node->memory -
						       use[n].memory) :
					     as_amount(UINT64_MAX);
	}
}

/* ---- holds ---- */

static struct sgang_job *host_commit(struct sgang_job *j,
				     const struct sgang_bounds *bounds,
				     struct sgang_refusal *refusal)
{
	struct sgang_nodeset *chosen = sgang_nodeset_create(the.n_nodes);
	bool fits = chosen &&
		    sgang_twin_choose(j, bounds->nodes, the.use, chosen) &&
		    sgang_twin_take(j, chosen);

	sgang_nodeset_destroy(chosen);
	if (fits)
		return j;
	memset(refusal, 0, sizeof(*refusal));
	snprintf(refusal->why, sizeof(refusal->why), "nodes are busy");
	refusal->nodes = true;
	return NULL;
}

static bool host_is_held(struct sgang_job *j)
{
	return j->state == TWIN_HELD;
}

static bool host_ready(struct sgang_job *j)
{
	return j && host_is_held(j);
}

static enum sgang_prepared host_prepared(struct sgang_job *j)
{
	(void)j;
	return SGANG_PREPARED_NEEDLESS;
}

static void host_no_job(struct sgang_job *j)
{
	(void)j;
}

static void host_still_held(struct sgang_job *j)
{
	sgang_twin_restart_limit(j);
}

static void host_release(struct sgang_job *j, bool again)
{
	(void)again;
	sgang_twin_launch(j);
	the.begun.at[the.begun.n++] = j;
}

static bool host_refused(struct sgang_job *j)
{
	(void)j;
	return false;
}

static void host_clear_launch_failure(struct sgang_job *j, bool at_once)
{
	(void)j;
	(void)at_once;
}

static void host_drop(struct sgang_job *j, bool yield)
{
	(void)j;
	(void)yield;
}

/* ---- preemption ---- */

static bool host_enabled(void)
{
	return the.rules->preempts;
}

static void
host_candidates(struct sgang_job *j,
		void (*each)(const struct sgang_candidate *, void *), void *arg)
{
	struct twin_list list = {
		.at = calloc(the.running.n + 1, sizeof(*list.at)),
	};

	if (!list.at) {
		the.no_memory = true;
		return;
	}
	sgang_twin_candidates(j, &list);
	for (size_t i = 0; i < list.n; i++) {
		struct sgang_job *v = list.at[i];
		const struct sgang_candidate k = {
			.job = v,
			.job_id = sgang_twin_id(v),
			.going = v->struck,
			.requeues = v->partition->requeues,
			.priority = v->partition->tier,
			.started = v->start,
			.lost = (uint64_t)(the.now - v->start) * v->n_nodes,
		};

		each(&k, arg);
	}
	free(list.at);
}

static int64_t host_next_candidate(void)
{
	return INT64_MAX;
}

static bool host_licensed(struct sgang_job *j, size_t n)
{
	(void)j;
	(void)n;
	return true;
}

static bool host_may_have(struct sgang_job *j,
			  const struct sgang_nodeset *nodes)
{
	(void)j;
	(void)nodes;
	return true;
}

static void host_leave_out(struct sgang_job *const *jobs, size_t n)
{
	memcpy(the.freed, the.use, the.n_nodes * sizeof(*the.freed));
	for (size_t i = 0; i < n; i++)
		sgang_twin_subtract_use(jobs[i], the.freed);
	the.left_out = n > 0;
}

static void
host_holdings(struct sgang_job *j, const struct sgang_resources *res,
	      void (*each)(uint32_t node, const uint32_t *amounts, void *arg),
	      void *arg)
{
	(void)res;
	for (uint32_t i = 0; i < j->n_nodes; i++) {
		const struct sgang_site_node *node =
			&the.site->nodes[j->nodes[i]];
		const uint32_t has[3] = {
			sgang_twin_cpus_on(j, j->nodes[i]),
			j->whole ? node->gpus : j->asks->gpus,
			as_amount(j->whole ? node->memory : j->asks->memory),
		};

		each(j->nodes[i], has, arg);
	}
}

static void host_preempt(struct sgang_job *victim, struct sgang_job *by)
{
	(void)by;
	sgang_twin_preempt(victim);
}

static bool host_occupies(struct sgang_job *victim)
{
	return sgang_twin_has_nodes(victim);
}

static int64_t host_gone_by(struct sgang_job *victim)
{
	(void)victim;
	return 0;
}

const struct sgang_host sgang_twin_host = {
	.jobs = {
		.each = host_each,
		.find = host_find,
		.info = host_info,
		.look = host_look,
		.before = host_before,
		.operator = host_operator,
		.request = host_request,
		.shape = host_shape,
		.least = host_least,
		.same_units = host_same_units,
		.same_request = host_same_request,
		.replaces = host_replaces,
		.excludes = host_excludes,
		.limits = host_limits,
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
		.count = host_count,
		.refresh = host_nothing,
		.unavailable = host_no_nodes,
		.unregistered = host_no_nodes,
		.draining = host_no_nodes,
		.weights = host_weights,
		.address = host_address,
		.extra = host_extra,
		.set_extra = host_set_extra,
		.tell = host_tell_nodes,
		.probe = host_probe,
		.topology = host_topology,
		.required = host_required,
		.partition = host_partition,
		.releases = host_releases,
		.set_aside = host_set_aside,
		.endless = host_endless,
		.idle = host_idle,
		.freed_since = host_freed_since,
		.room = host_room,
		.units = host_units,
		.causes = host_causes,
		.resources = host_resources,
		.need = host_need,
		.takes = host_takes,
		.amounts = host_amounts,
	},
	.holds = {
		.commit = host_commit,
		.undo = sgang_twin_put_back,
		.recommits = host_yes,
		.ready = host_ready,
		.undisturbed = host_ready,
		.prepare = host_no_job,
		.prepared = host_prepared,
		.held = host_is_held,
		.still_held = host_still_held,
		.release = host_release,
		.adopt = host_no_job,
		.ask = host_no_job,
		.refused = host_refused,
		.clear_launch_failure = host_clear_launch_failure,
		.drop = host_drop,
	},
	.preempt = {
		.enabled = host_enabled,
		.candidates = host_candidates,
		.next_candidate = host_next_candidate,
		.licensed = host_licensed,
		.may_have = host_may_have,
		.leave_out = host_leave_out,
		.holdings = host_holdings,
		.preempt = host_preempt,
		.spare = host_no_job,
		.occupies = host_occupies,
		.gone_by = host_gone_by,
	},
	.lock = host_yes,
	.unlock = host_nothing,
	.quiet = host_yes,
	.save = host_save,
	.wake_scheduler = host_wake_scheduler,
	.stamp = host_stamp,
	.freed = host_freed,
	.node_stamp = host_fixed_stamp,
	.supply = host_fixed_stamp,
	.job_stamp = host_job_stamp,
	.now = host_now,
	.clock_us = host_clock_us,
	.cpu_us = host_clock_us,
};
