/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unused.c - what is free although a job that waits could use it
 *
 * The jobs of no gang that wait are gone through in the order of the queue, as
 * many as backfill looks at. One that fits beside what runs and beside those
 * that were found before it, and is over before anything that is planned there
 * for a job before it, could run. What is planned is what the last cycle of
 * backfill has reserved, and what the conductor keeps. Backfill delays none
 * before a job, so it would start just these: the first one that does not fit,
 * or that nobody started, is of no account to those behind it but for its plan.
 *
 * Along the queue there is less room, and starts that are planned only come
 * earlier, so a job that asks for no less than one that was in vain is in vain.
 */

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "twin_private.h"

/* Jobs that were in vain, by a hash of what they ask of a node. */
#define VAIN 256

/* Most that a node has free, and how many have no job. */
struct most {
	uint32_t cpus, gpus, empty;
	uint64_t memory;
};

struct walk {
	struct sgang_job **jobs; /* in the order of the queue; NULL: one that
				  * could run */
	size_t n;
	struct twin_use *use; /* with those that could run */
	int64_t *planned;     /* the first start on each node */
	size_t passed; /* so many of `jobs` have their plans in `planned` */
	const struct sgang_job *vain[VAIN];
};

bool sgang_twin_unused_init(void)
{
	the.looked_at = calloc(the.rules->bf_max_job_test + (size_t)1,
			       sizeof(struct sgang_job *));
	the.filled = calloc(the.n_nodes + 1, sizeof(*the.filled));
	the.first_start = calloc(the.n_nodes + 1, sizeof(*the.first_start));
	the.room = sgang_nodeset_create(the.n_nodes);
	return the.looked_at && the.filled && the.first_start && the.room;
}

void sgang_twin_unused_end(void)
{
	for (size_t i = 0; i < the.max_plans; i++)
		sgang_nodeset_destroy(the.plans[i].nodes);
	free(the.plans);
	free(the.looked_at);
	free(the.filled);
	free(the.first_start);
	sgang_nodeset_destroy(the.room);
}

/* ---- what backfill has planned ---- */

void sgang_twin_plans_clear(void)
{
	the.n_plans = 0;
}

static bool more_plans(void)
{
	size_t max = the.max_plans ? 2 * the.max_plans : 64;
	struct twin_plan *more = realloc(the.plans, max * sizeof(*more));

	if (!more)
		return false;
	memset(more + the.max_plans, 0, (max - the.max_plans) * sizeof(*more));
	the.plans = more;
	the.max_plans = max;
	return true;
}

void sgang_twin_plans_add(struct sgang_job *j, int64_t start,
			  const struct sgang_nodeset *nodes)
{
	struct twin_plan *plan;

	if (the.n_plans == the.max_plans && !more_plans()) {
		the.no_memory = true;
		return;
	}
	plan = &the.plans[the.n_plans];
	if (!plan->nodes)
		plan->nodes = sgang_nodeset_create(the.n_nodes);
	if (!plan->nodes) {
		the.no_memory = true;
		return;
	}
	sgang_nodeset_clear(plan->nodes);
	sgang_nodeset_or(plan->nodes, nodes);
	plan->job = j;
	plan->start = start;
	j->plan = the.n_plans++;
}

/* NULL: it has none, or should have started. */
static const struct twin_plan *plan_of(const struct sgang_job *j)
{
	const struct twin_plan *plan;

	if (j->plan >= the.n_plans)
		return NULL;
	plan = &the.plans[j->plan];
	return plan->job == j && plan->start > the.now ? plan : NULL;
}

/* ---- who could run ---- */

static struct most find_most(void)
{
	struct most most = { 0 };

	for (uint32_t n = 0; n < the.n_nodes; n++) {
		const struct sgang_site_node *node = &the.site->nodes[n];
		uint32_t cpus = node->cpus - the.use[n].cpus;
		uint32_t gpus = node->gpus - the.use[n].gpus;
		uint64_t memory = UINT64_MAX;

		if (sgang_twin_counts_memory(node))
			memory = node->memory - the.use[n].memory;
		most.cpus = cpus > most.cpus ? cpus : most.cpus;
		most.gpus = gpus > most.gpus ? gpus : most.gpus;
		most.memory = memory > most.memory ? memory : most.memory;
		most.empty += !the.use[n].jobs;
	}
	return most;
}

/* Of no gang, and not too large at a glance. */
static bool may_fit(const struct sgang_job *j, const struct most *most)
{
	if (j->gang != SGANG_OUTCOME_NONE)
		return false;
	if (j->whole)
		return j->asks->nodes <= most->empty;
	return j->asks->cpus <= most->cpus && j->asks->gpus <= most->gpus &&
	       j->asks->memory <= most->memory;
}

/* Those that are looked at, into 'w'. False: none of them may fit. */
static bool look_at_queue(struct walk *w, const struct most *most)
{
	bool any = false;

	w->jobs = the.looked_at;
	for (size_t i = 0; i < the.queue.n && w->n < the.rules->bf_max_job_test;
	     i++) {
		struct sgang_job *j = the.queue.at[i];

		if (!sgang_twin_eligible(j))
			continue;
		w->jobs[w->n++] = j;
		any |= may_fit(j, most);
	}
	return any;
}

static const struct sgang_job **vain_of(struct walk *w,
					const struct sgang_job *j)
{
	uint64_t hash = sgang_hash(SGANG_HASH_SEED, j->asks->memory);

	hash = sgang_hash(hash, (uint64_t)j->asks->cpus << 32 | j->asks->gpus);
	return &w->vain[sgang_hash(hash, j->whole) % VAIN];
}

/* Does it ask for no less than one that was in vain? */
static bool is_vain(struct walk *w, const struct sgang_job *j)
{
	const struct sgang_job *before = *vain_of(w, j);

	return before && sgang_twin_same_units(before, j) &&
	       before->partition == j->partition &&
	       before->asks->nodes <= j->asks->nodes &&
	       before->limit <= j->limit;
}

static void add_plan(struct walk *w, const struct twin_plan *plan)
{
	for (uint32_t n = sgang_nodeset_next(plan->nodes, 0);
	     n != SGANG_NODE_NONE; n = sgang_nodeset_next(plan->nodes, n + 1)) {
		if (plan->start < w->planned[n])
			w->planned[n] = plan->start;
	}
}

/* Add the plans of the jobs before that one. Those that could run have none. */
static void pass_to(struct walk *w, size_t i)
{
	for (; w->passed < i; w->passed++) {
		const struct sgang_job *j = w->jobs[w->passed];
		const struct twin_plan *plan = j ? plan_of(j) : NULL;

		if (plan)
			add_plan(w, plan);
	}
}

/* Its time limit, if it started now. */
static int64_t end_of(const struct sgang_job *j)
{
	return j->limit == UINT32_MAX ? INT64_MAX : the.now + j->limit;
}

static void find_room(const struct walk *w, struct sgang_job *j)
{
	int64_t end = end_of(j);
	const struct sgang_standing standing = {
		.job = j,
		.record = sgang_twin_id(j),
		.tier = j->partition->tier,
		.priority = j->priority,
		.job_id = sgang_twin_id(j),
	};

	sgang_nodeset_clear(the.room);
	for (uint32_t n = sgang_nodeset_next(j->partition->nodes, 0);
	     n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(j->partition->nodes, n + 1)) {
		if (end <= w->planned[n] && sgang_twin_fits(j, n, w->use))
			sgang_nodeset_add(the.room, n);
	}
	if (the.conductor && sgang_conductor_reserves(the.conductor))
		(void)sgang_conductor_keep(the.conductor, &standing, NULL, end,
					   the.room);
}

/* The largest share that it has of anything of the node. */
static double share_of(const struct sgang_job *j, uint32_t n)
{
	const struct sgang_site_node *node = &the.site->nodes[n];
	double most = (double)j->asks->cpus / node->cpus, share = 0;

	if (j->whole)
		return 1;
	if (j->asks->gpus)
		share = (double)j->asks->gpus / node->gpus;
	most = share > most ? share : most;
	share = 0;
	if (sgang_twin_counts_memory(node))
		share = (double)j->asks->memory / (double)node->memory;
	return share > most ? share : most;
}

/* It takes the first nodes of the room; returns how much of them. */
static double take_room(const struct walk *w, const struct sgang_job *j)
{
	double sum = 0;
	uint32_t left = j->asks->nodes;

	for (uint32_t n = sgang_nodeset_next(the.room, 0); left;
	     n = sgang_nodeset_next(the.room, n + 1), left--) {
		sgang_twin_add_use_on(j, n, w->use);
		sum += share_of(j, n);
	}
	return sum;
}

static double fill(struct walk *w, const struct most *most)
{
	double sum = 0;

	w->use = the.filled;
	w->planned = the.first_start;
	memcpy(w->use, the.use, the.n_nodes * sizeof(*w->use));
	for (uint32_t n = 0; n < the.n_nodes; n++)
		w->planned[n] = INT64_MAX;
	for (size_t i = 0; i < w->n; i++) {
		struct sgang_job *j = w->jobs[i];

		if (!may_fit(j, most) || is_vain(w, j))
			continue;
		pass_to(w, i);
		find_room(w, j);
		if (sgang_nodeset_count(the.room) < j->asks->nodes) {
			*vain_of(w, j) = j;
			continue;
		}
		sum += take_room(w, j);
		w->jobs[i] = NULL;
	}
	return sum;
}

double sgang_twin_unused(void)
{
	struct walk w = { 0 };
	struct most most;

	if (!the.queue.n)
		return 0;
	most = find_most();
	return look_at_queue(&w, &most) ? fill(&w, &most) : 0;
}
