/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twin.c - the clock: from one event to the next */

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "twin_private.h"

/* priority/multifactor counts anew (PriorityCalcPeriod). */
#define PRIORITY_SECONDS 300

/* A pass of the conductor in which nothing happens is not repeated every second:
 * what time alone changes it finds this much later. */
#define PASS_SECONDS 30

/* Slurm and the conductor react to each other at once, so often. */
#define ROUNDS_MAX 16

/* When nothing has happened for so long, and nothing will, it never does. */
#define STUCK_SECONDS (2 * 24 * 3600)

#define SAMPLES_MAX 2000
#define SAMPLE_SECONDS 3600

/* When each of them is next due. */
struct due {
	int64_t full, backfill, priority, pass, sample;
	uint64_t seen; /* changes that backfill has seen */
	int64_t progress;
	uint32_t sample_every;
};

/* ---- gangs of the trace ---- */

static int by_gang(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct sgang_trace_job *jobs = the.terms->trace->jobs;
	int order = strcmp(jobs[i].user, jobs[k].user);

	if (!order)
		order = strcmp(jobs[i].gang, jobs[k].gang);
	return order ? order : (i < k ? -1 : i > k);
}

static void add_member(struct sgang_outcome_gang *gang, uint32_t i)
{
	const struct sgang_trace_job *t = &the.terms->trace->jobs[i];

	if (!gang->n_members++)
		gang->first_job = i;
	if (t->min_member > gang->min_member)
		gang->min_member = t->min_member;
}

/* A gang has members of one user, or of several where their namespace is not
 * the user: those the trace names by the same word. */
static bool find_gangs(void)
{
	const struct sgang_trace *trace = the.terms->trace;
	uint32_t *index = calloc(trace->n_jobs + 1, sizeof(*index)), n = 0;
	struct sgang_outcome *o = the.outcome;

	o->gangs = calloc(trace->n_jobs + 1, sizeof(*o->gangs));
	if (!index || !o->gangs) {
		free(index);
		return false;
	}
	for (uint32_t i = 0; i < trace->n_jobs; i++) {
		the.jobs[i].gang = SGANG_OUTCOME_NONE;
		if (trace->jobs[i].gang[0])
			index[n++] = i;
	}
	qsort(index, n, sizeof(*index), by_gang);
	for (uint32_t k = 0; k < n; k++) {
		const struct sgang_trace_job *t = &trace->jobs[index[k]];
		const struct sgang_trace_job *before =
			k ? &trace->jobs[index[k - 1]] : NULL;

		if (!before || strcmp(before->user, t->user) ||
		    strcmp(before->gang, t->gang))
			o->n_gangs++;
		the.jobs[index[k]].gang = (uint32_t)o->n_gangs - 1;
		add_member(&o->gangs[o->n_gangs - 1], index[k]);
	}
	for (size_t g = 0; g < o->n_gangs; g++) {
		if (!o->gangs[g].min_member)
			o->gangs[g].min_member = o->gangs[g].n_members;
	}
	free(index);
	return true;
}

/* ---- setting up ---- */

static const struct sgang_site_partition *partition_of(const char *name)
{
	const struct sgang_site *site = the.site;
	const struct sgang_site_partition *found = NULL;

	for (size_t i = 0; i < site->n_partitions; i++) {
		if (!strcmp(site->partitions[i].name, name))
			return &site->partitions[i];
		if (site->partitions[i].by_default)
			found = &site->partitions[i];
	}
	/* queues that know no partitions, and one that holds all there is */
	if (!found)
		found = &site->partitions[0];
	return (!name[0] || site->n_partitions == 1) ? found : NULL;
}

static uint32_t limit_of(const struct sgang_job *j)
{
	uint32_t limit = j->asks->limit;

	if (!j->partition)
		return limit;
	if (limit == UINT32_MAX)
		limit = j->partition->default_time;
	return limit < j->partition->max_time ? limit : j->partition->max_time;
}

static bool make_jobs(void)
{
	const struct sgang_trace *trace = the.terms->trace;
	size_t room = trace->n_jobs + 1;

	the.jobs = calloc(room, sizeof(*the.jobs));
	the.outcome->jobs = calloc(room, sizeof(*the.outcome->jobs));
	if (the.terms->all_rings) {
		the.outcome->rings = calloc(room, sizeof(*the.outcome->rings));
		if (!the.outcome->rings)
			return false;
		the.outcome->n_rings = the.terms->trace->n_jobs;
	}
	the.queue.at = calloc(room, sizeof(*the.queue.at));
	the.running.at = calloc(room, sizeof(*the.running.at));
	the.members.at = calloc(room, sizeof(*the.members.at));
	the.begun.at = calloc(room, sizeof(*the.begun.at));
	the.submitted = calloc(room, sizeof(*the.submitted));
	if (!the.begun.at || !the.submitted || !the.jobs ||
	    !the.outcome->jobs || !the.queue.at || !the.running.at ||
	    !the.members.at || !find_gangs())
		return false;
	the.outcome->n_jobs = the.n_left = trace->n_jobs;
	for (size_t i = 0; i < trace->n_jobs; i++) {
		struct sgang_job *j = &the.jobs[i];

		j->asks = &trace->jobs[i];
		j->partition = partition_of(j->asks->partition);
		j->limit = limit_of(j);
		j->whole = j->asks->whole || the.rules->whole_nodes ||
			   (j->partition && j->partition->whole);
		the.outcome->jobs[i].gang = j->gang;
	}
	return true;
}

static bool make_conductor(void)
{
	the.conductor = sgang_conductor_create(&sgang_twin_host);
	if (!the.conductor)
		return false;
	the.topologies = sgang_topologies_create(NULL, NULL);
	if (!the.topologies)
		return false;
	the.topologies->topology[0].fabric = the.terms->fabric;
	sgang_conductor_configure(the.conductor, the.topologies, &the.conf);
	/* Before its first pass it expects to find gangs again. */
	sgang_conductor_pass(the.conductor);
	return true;
}

/* The conductor would destroy the fabric, which is the caller's. */
static void end_conductor(void)
{
	if (the.topologies)
		the.topologies->topology[0].fabric = NULL;
	sgang_conductor_destroy(the.conductor);
}

static bool set_up(const struct sgang_twin_terms *terms,
		   struct sgang_outcome *outcome)
{
	memset(&the, 0, sizeof(the));
	memset(outcome, 0, sizeof(*outcome));
	the.terms = terms;
	the.site = terms->site;
	the.rules = &terms->site->scheduling;
	the.fabric = terms->fabric;
	the.outcome = outcome;
	the.n_nodes = terms->site->n_nodes;
	if (terms->conf)
		sgang_conf_copy(&the.conf, terms->conf);
	else
		sgang_conf_default(&the.conf);
	if (!terms->conf && terms->costs)
		the.conf.costs = *terms->costs;
	if (terms->trace->n_jobs)
		the.now = terms->trace->jobs[0].submit;
	outcome->from = outcome->until = the.decayed = the.now;
	for (uint32_t n = 0; n < the.n_nodes; n++)
		outcome->cpus += the.site->nodes[n].cpus;
	the.use = calloc(the.n_nodes + 1, sizeof(*the.use));
	the.freed = calloc(the.n_nodes + 1, sizeof(*the.freed));
	the.none = calloc(the.n_nodes + 1, sizeof(*the.none));
	the.releases = 1;
	the.released_at = calloc(the.n_nodes + 1, sizeof(*the.released_at));
	outcome->samples = calloc(SAMPLES_MAX + 1, sizeof(*outcome->samples));
	return the.use && the.freed && the.none && the.released_at &&
	       outcome->samples && sgang_twin_choose_init() &&
	       sgang_twin_fits_init() && sgang_twin_unused_init() &&
	       make_jobs() && sgang_twin_priority_init() &&
	       (!terms->conf || make_conductor());
}

static void tear_down(void)
{
	end_conductor();
	for (size_t i = 0; the.jobs && i < the.terms->trace->n_jobs; i++)
		sgang_twin_forget(&the.jobs[i]);
	sgang_conf_free(&the.conf);
	sgang_twin_choose_end();
	sgang_twin_fits_end();
	sgang_twin_unused_end();
	sgang_twin_priority_end();
	sgang_twin_rings_end();
	free(the.use);
	free(the.freed);
	free(the.none);
	free(the.released_at);
	free(the.jobs);
	free(the.queue.at);
	free(the.running.at);
	free(the.members.at);
	free(the.events);
	free(the.begun.at);
	free(the.submitted);
	the.terms = NULL;
}

/* ---- samples ---- */

static uint32_t largest_leaf(void)
{
	uint32_t most = 0;

	for (uint32_t d = 0; d < sgang_fabric_domains(the.fabric); d++) {
		const struct sgang_domain *leaf =
			sgang_fabric_domain(the.fabric, d);
		const uint32_t *order = sgang_fabric_order(the.fabric);
		uint32_t idle = 0;

		for (uint32_t p = 0; !leaf->n_children && p < leaf->n_nodes;
		     p++)
			idle += !the.use[order[leaf->first_pos + p]].jobs;
		most = idle > most ? idle : most;
	}
	return most;
}

static void take_sample(int64_t time)
{
	struct sgang_outcome *o = the.outcome;
	struct sgang_outcome_sample *s = &o->samples[o->n_samples];

	if (o->n_samples == SAMPLES_MAX)
		return;
	o->n_samples++;
	s->time = time;
	for (uint32_t n = 0; n < the.n_nodes; n++)
		s->idle_nodes += !the.use[n].jobs;
	for (size_t i = 0; i < the.running.n; i++) {
		const struct sgang_job *j = the.running.at[i];

		if (!j->work)
			s->held_nodes += j->n_nodes;
		for (uint32_t k = 0; j->work && k < j->n_nodes; k++)
			s->busy_cpus += sgang_twin_cpus_on(j, j->nodes[k]);
	}
	s->waiting_jobs = (uint32_t)the.queue.n;
	s->waiting_gangs = the.waiting_gangs;
	s->largest_leaf = largest_leaf();
}

static uint32_t sample_every(void)
{
	const struct sgang_trace *trace = the.terms->trace;
	int64_t span = 0;

	if (trace->n_jobs)
		span = trace->jobs[trace->n_jobs - 1].submit -
		       trace->jobs[0].submit;
	span = span * 3 / 2 / SAMPLES_MAX;
	return span > SAMPLE_SECONDS ? (uint32_t)span : SAMPLE_SECONDS;
}

/* ---- events ---- */

static void end_of(struct sgang_job *j)
{
	bool done = j->work && j->done <= the.now;

	sgang_twin_end(j,
		       done ? SGANG_OUTCOME_COMPLETED : SGANG_OUTCOME_TIMEOUT);
	if (j->spec)
		sgang_conductor_ended(the.conductor, j, SGANG_HOLD_END_FAILED);
}

static void happens(struct sgang_job *j)
{
	switch (j->state) {
	case TWIN_RUNNING:
		end_of(j);
		break;
	case TWIN_PENDING:
		if (j->held_by_us)
			j->label = 0; /* its user releases it */
		j->held_by_us = false;
		the.stamp++; /* it may begin now */
		the.changed++;
		break;
	case TWIN_ENDED:
		sgang_twin_forget(j);
		break;
	default:
		break;
	}
}

static void count_gang(const struct sgang_job *j)
{
	struct sgang_outcome_gang *gang;

	if (j->gang == SGANG_OUTCOME_NONE)
		return;
	gang = &the.outcome->gangs[j->gang];
	if (++the.submitted[j->gang] != gang->min_member)
		return;
	gang->complete = the.now;
	the.waiting_gangs++;
}

/* All that happens at this second. True if any of it matters to schedulers. */
static bool let_happen(void)
{
	const struct sgang_trace *trace = the.terms->trace;
	uint64_t changed = the.changed;
	const struct twin_event *e;

	while ((e = sgang_twin_next()) && e->time <= the.now) {
		struct sgang_job *j = e->job;

		sgang_twin_pop();
		happens(j);
	}
	while (the.next_submit < trace->n_jobs &&
	       trace->jobs[the.next_submit].submit <= the.now) {
		struct sgang_job *j = &the.jobs[the.next_submit++];

		count_gang(j);
		sgang_twin_submit(j);
	}
	return changed != the.changed;
}

/* ---- the schedulers and the conductor ---- */

/* Gangs whose members began their work in the pass. */
static void measure_gangs(void)
{
	for (size_t i = 0; i < the.begun.n; i++)
		sgang_twin_gang_started(the.begun.at[i]);
	the.begun.n = 0;
}

static bool make_pass(void)
{
	uint64_t changed = the.changed;

	if (!the.members.n)
		return false;
	the.outcome->passes++;
	sgang_conductor_poke(the.conductor);
	sgang_conductor_pass(the.conductor);
	measure_gangs();
	return changed != the.changed;
}

/* Until nothing more happens at once. */
static void settle(bool full, bool backfill, struct due *due)
{
	bool again = true;

	for (int round = 0; again && round < ROUNDS_MAX; round++) {
		the.woken = false;
		if (round || !backfill)
			sgang_twin_schedule(full && !round);
		else
			sgang_twin_backfill();
		again = make_pass() || the.woken;
		due->pass = the.now + (again ? 1 : PASS_SECONDS);
	}
}

static bool is_due(int64_t *when, int64_t every)
{
	if (the.now < *when)
		return false;
	*when = the.now + every;
	return true;
}

/* Backfill sleeps while nothing has changed. */
static bool backfill_due(struct due *due)
{
	if (!the.rules->backfill || the.rules->bf_interval == UINT32_MAX ||
	    due->seen == the.changed ||
	    !is_due(&due->backfill, the.rules->bf_interval))
		return false;
	due->seen = the.changed;
	return true;
}

static void schedule(bool changed, struct due *due)
{
	uint64_t started = the.started;
	bool full;

	if (the.rules->multifactor && is_due(&due->priority, PRIORITY_SECONDS))
		sgang_twin_prioritise_all();
	full = is_due(&due->full, the.rules->interval);
	if (changed || full || the.now >= due->pass)
		settle(full, false, due);
	if (the.queue.n && backfill_due(due))
		settle(false, true, due);
	if (changed || started != the.started)
		due->progress = the.now;
}

static void sooner(int64_t *time, int64_t when)
{
	if (when < *time)
		*time = when;
}

/* When does the next thing happen? INT64_MAX: nothing will. */
static int64_t next_time(const struct due *due)
{
	const struct sgang_trace *trace = the.terms->trace;
	const struct twin_event *e = sgang_twin_next();
	int64_t time = INT64_MAX;

	if (the.next_submit < trace->n_jobs)
		time = trace->jobs[the.next_submit].submit;
	if (e)
		sooner(&time, e->time);
	if (time == INT64_MAX &&
	    (!the.queue.n || the.now - due->progress > STUCK_SECONDS))
		return INT64_MAX;
	if (the.queue.n) {
		sooner(&time, due->full);
		if (the.rules->backfill && due->seen != the.changed)
			sooner(&time, due->backfill);
		if (the.members.n)
			sooner(&time, due->pass);
	}
	return time > the.now ? time : the.now + 1;
}

static void tell_progress(size_t *told)
{
	size_t n = the.terms->trace->n_jobs, ended = n - the.n_left;

	if (!the.terms->progress || (ended - *told) * 200 < n)
		return;
	*told = ended;
	the.terms->progress((double)ended / (double)n, the.terms->arg);
}

/* Nothing changes until then. */
static void go_to(int64_t time)
{
	the.outcome->unused += sgang_twin_unused() * (double)(time - the.now);
	the.now = time;
}

static void replay(void)
{
	int64_t next;
	struct due due = { .full = the.now,
			   .backfill = the.now,
			   .priority = the.now,
			   .pass = the.now,
			   .sample = the.now,
			   .progress = the.now,
			   .sample_every = sample_every() };
	size_t told = 0;

	while (the.n_left && !the.no_memory) {
		schedule(let_happen(), &due);
		tell_progress(&told);
		next = next_time(&due);
		if (next == INT64_MAX)
			break;
		go_to(next);
		while (due.sample <= the.now) {
			take_sample(due.sample);
			due.sample += due.sample_every;
		}
	}
}

static uint64_t cpus_of(const struct sgang_job *j,
			const struct sgang_outcome_job *out)
{
	uint64_t cpus = 0;

	for (uint32_t k = 0; k < out->n_nodes; k++)
		cpus += sgang_twin_cpus_on(j,
					   the.outcome->nodes[out->first + k]);
	return cpus;
}

/* Jobs that have not ended, and sums. */
static void finish(void)
{
	struct sgang_outcome *o = the.outcome;

	for (size_t i = 0; i < o->n_jobs; i++) {
		const struct sgang_job *j = &the.jobs[i];
		struct sgang_outcome_job *out = &o->jobs[i];

		if (sgang_twin_has_nodes(j)) {
			out->start = j->start;
			out->work = j->work;
		}
		if (!sgang_twin_ended(j))
			out->how = SGANG_OUTCOME_WAITS;
		if (out->end && out->work)
			o->busy += (uint64_t)(out->end - out->work) *
				   cpus_of(j, out);
		o->lost += out->lost;
	}
}

int sgang_twin_run(const struct sgang_twin_terms *terms,
		   struct sgang_outcome *outcome, struct sgang_error *err)
{
	struct timespec from, to;
	struct rusage usage;
	int rc = -1;

	clock_gettime(CLOCK_MONOTONIC, &from);
	if (set_up(terms, outcome)) {
		replay();
		finish();
		rc = the.no_memory ? -1 : 0;
	}
	tear_down();
	clock_gettime(CLOCK_MONOTONIC, &to);
	outcome->seconds = (double)(to.tv_sec - from.tv_sec) +
			   (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	getrusage(RUSAGE_SELF, &usage);
	outcome->memory = (uint64_t)usage.ru_maxrss * 1024;
	if (rc < 0) {
		sgang_outcome_clear(outcome);
		return sgang_err_memory(err);
	}
	return 0;
}
