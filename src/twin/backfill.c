/* SPDX-License-Identifier: GPL-2.0-or-later */
/* backfill.c - sched/backfill: each job of the queue gets the earliest start
 * that delays none before it
 *
 * As in Slurm the future is a row of spans of time, each with the nodes that no
 * reservation has. A reservation is of whole nodes.
 */

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "twin_private.h"

struct span {
	int64_t begin, end;
	struct sgang_nodeset *open;
};

/* A job that asks for the same as one before it starts no sooner. */
struct alike {
	const struct sgang_job *job;
	int64_t from; /* where its search ended */
};
#define ALIKE 256

struct plan {
	struct span *spans; /* in order of time, without gaps */
	size_t n, max;
	struct alike alike[ALIKE]; /* by a hash of what they ask for */
	/* What the limits of SchedulerParameters count: by partition, */
	uint32_t *tried, *reserved;
	/* jobs of each user that were tried, */
	struct user {
		const char *name;
		uint32_t tried;
	} * users;
	size_t n_users;
	uint32_t started;
};

static void plan_end(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		sgang_nodeset_destroy(p->spans[i].open);
	free(p->spans);
	free(p->tried);
	free(p->reserved);
	free(p->users);
}

static bool plan_init(struct plan *p, size_t n_jobs)
{
	memset(p, 0, sizeof(*p));
	p->tried = calloc(the.site->n_partitions, sizeof(*p->tried));
	p->reserved = calloc(the.site->n_partitions, sizeof(*p->reserved));
	p->users = calloc(n_jobs + 1, sizeof(*p->users));
	if (!p->tried || !p->reserved || !p->users)
		return false;
	p->max = 2 * (size_t)the.rules->bf_max_job_test + 4;
	p->spans = calloc(p->max, sizeof(*p->spans));
	if (!p->spans)
		return false;
	p->spans[0].open = sgang_nodeset_create(the.n_nodes);
	if (!p->spans[0].open)
		return false;
	sgang_nodeset_fill(p->spans[0].open);
	p->spans[0].begin = the.now;
	p->spans[0].end = the.now + the.rules->bf_window;
	p->n = 1;
	return true;
}

/* Make a span begin at that time. */
static void cut(struct plan *p, int64_t time)
{
	size_t i = 0;

	while (i < p->n && p->spans[i].end <= time)
		i++;
	if (i == p->n || p->spans[i].begin >= time || p->n == p->max)
		return;
	memmove(&p->spans[i + 1], &p->spans[i], (p->n - i) * sizeof(*p->spans));
	p->spans[i + 1].open = sgang_nodeset_copy(p->spans[i].open);
	if (!p->spans[i + 1].open) {
		the.no_memory = true;
		memmove(&p->spans[i], &p->spans[i + 1],
			(p->n - i) * sizeof(*p->spans));
		return;
	}
	p->spans[i].end = time;
	p->spans[i + 1].begin = time;
	p->n++;
}

static void reserve(struct plan *p, const struct sgang_nodeset *nodes,
		    int64_t from, int64_t until)
{
	cut(p, from);
	cut(p, until);
	for (size_t i = 0; i < p->n; i++) {
		if (p->spans[i].begin < until && p->spans[i].end > from)
			sgang_nodeset_subtract(p->spans[i].open, nodes);
	}
}

static bool overlaps(const struct plan *p, const struct sgang_nodeset *nodes,
		     int64_t from, int64_t until)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->spans[i].begin < until && p->spans[i].end > from &&
		    !sgang_nodeset_contains(p->spans[i].open, nodes))
			return true;
	}
	return false;
}

static int64_t duration(const struct sgang_job *j)
{
	return j->limit == UINT32_MAX ? SGANG_NEVER_SECONDS : j->limit;
}

/* The nodes that it has. */
static void reserve_own(struct plan *p, struct sgang_job *j)
{
	struct sgang_nodeset *nodes = sgang_nodeset_create(the.n_nodes);

	if (!nodes) {
		the.no_memory = true;
		return;
	}
	sgang_twin_host.jobs.nodes(j, nodes);
	reserve(p, nodes, the.now, the.now + duration(j));
	sgang_nodeset_destroy(nodes);
}

/* Does the next span open any nodes of the job's partition that are not open in
 * this one and those before? */
static bool opens_more(const struct plan *p, size_t i,
		       const struct sgang_job *j,
		       const struct sgang_nodeset *nodes)
{
	sgang_nodeset_clear(the.scratch);
	sgang_nodeset_or(the.scratch, j->partition->nodes);
	sgang_nodeset_and(the.scratch, p->spans[i + 1].open);
	return !sgang_nodeset_contains(nodes, the.scratch);
}

/* Leave of 'nodes' those open from 'from' for as long as the job runs. Returns
 * when other ones may be; 0: never. */
static int64_t leave_open(const struct plan *p, const struct sgang_job *j,
			  int64_t from, struct sgang_nodeset *nodes)
{
	int64_t until = from + duration(j), later = 0;

	for (size_t i = 0; i < p->n && p->spans[i].begin <= until; i++) {
		if (p->spans[i].end <= from)
			continue;
		sgang_nodeset_and(nodes, p->spans[i].open);
		if (!later && i + 1 < p->n && opens_more(p, i, j, nodes))
			later = p->spans[i].end;
	}
	return later;
}

/* Slurm keeps the nodes of a job in whole minutes (bf_resolution). */
static int64_t whole(int64_t time)
{
	int64_t resolution = the.rules->bf_resolution ?
				     the.rules->bf_resolution :
				     1;

	return time / resolution * resolution;
}

/* May it keep nodes for later? */
static bool may_reserve(const struct plan *p, const struct sgang_job *j)
{
	const struct sgang_site_scheduling *rules = the.rules;
	int64_t since = j->begin > j->asks->submit ? j->begin : j->asks->submit;

	return j->priority >= rules->bf_min_prio_reserve &&
	       the.now - since >= (int64_t)rules->bf_min_age_reserve &&
	       (!rules->bf_job_part_count_reserve ||
		p->reserved[j->partition - the.site->partitions] <
			rules->bf_job_part_count_reserve);
}

/* Texts of the trace are each there once. */
static struct user *user_of(struct plan *p, const struct sgang_job *j)
{
	size_t i = 0;

	while (i < p->n_users && p->users[i].name != j->asks->user)
		i++;
	if (i == p->n_users)
		p->users[p->n_users++].name = j->asks->user;
	return &p->users[i];
}

/* Is it one of those that are looked at? Slurm counts no job that is above
 * another limit. */
static bool is_looked_at(struct plan *p, const struct sgang_job *j)
{
	uint32_t *tried = &p->tried[j->partition - the.site->partitions];
	struct user *user = NULL;

	if (the.rules->bf_max_job_part && *tried >= the.rules->bf_max_job_part)
		return false;
	if (the.rules->bf_max_job_user) {
		user = user_of(p, j);
		if (user->tried >= the.rules->bf_max_job_user)
			return false;
		user->tried++;
	}
	++*tried;
	return true;
}

/* True if it was started. */
static bool start_or_reserve(struct plan *p, struct sgang_job *j,
			     struct sgang_nodeset *nodes,
			     struct sgang_nodeset *chosen, int64_t from,
			     int64_t start, int64_t *later)
{
	bool refused = false;
	int64_t end;

	if (start < from)
		start = from;
	j->expected = start;
	if (start <= the.now) {
		*later = 0;
		if (sgang_twin_start(j, nodes, nodes)) {
			reserve_own(p, j);
			p->started++;
			return true;
		}
		/* something else has them, or the gang has its turn now */
		refused = true;
		start = the.now + 1;
	}
	if (*later && start > *later)
		return false;
	*later = 0;
	if (start > the.now + the.rules->bf_window || !may_reserve(p, j))
		return false;
	end = whole(start + duration(j));
	if (overlaps(p, chosen, whole(start), end))
		return false;
	reserve(p, chosen, whole(start), end);
	if (!refused)
		sgang_twin_plans_add(j, start, chosen);
	p->reserved[j->partition - the.site->partitions]++;
	return false;
}

static struct alike *like(struct plan *p, const struct sgang_job *j)
{
	uint64_t hash = sgang_hash(SGANG_HASH_SEED, j->asks->nodes);

	hash = sgang_hash(hash, (uint64_t)j->asks->cpus << 32 | j->asks->gpus);
	hash = sgang_hash(hash, (uint64_t)j->limit << 1 | j->whole);
	hash = sgang_hash(hash, j->asks->memory);
	return &p->alike[hash % ALIKE];
}

/* When it could start at the soonest if nothing were reserved; INT64_MAX: not
 * within the window. */
static int64_t soonest(const struct sgang_job *j)
{
	int64_t start;

	if (!sgang_twin_will_run(j, j->partition->nodes, INT64_MAX, NULL,
				 &start))
		return INT64_MAX;
	return start;
}

/* Slurm asks for a start from now on, then from the time on at which other nodes
 * are open, and so on while the answer is later than that. The times before
 * which no answer can be are passed over. */
static void try_job(struct plan *p, struct sgang_job *j,
		    struct sgang_nodeset *nodes, struct sgang_nodeset *chosen)
{
	struct alike *alike = j->spec ? NULL : like(p, j);
	int64_t from = the.now, later = the.now;
	int64_t least = the.rules->preempts ? the.now : soonest(j);

	if (alike && alike->job && sgang_twin_same(alike->job, j))
		later = alike->from;
	/* the conductor wants to know what its members are offered */
	if (least == INT64_MAX && !j->spec)
		return;
	while (later) {
		int64_t start;

		from = later;
		sgang_nodeset_clear(nodes);
		sgang_nodeset_or(nodes, j->partition->nodes);
		later = leave_open(p, j, from, nodes);
		if ((later && later < least && (!j->spec || from > the.now)) ||
		    sgang_nodeset_count(nodes) < j->asks->nodes ||
		    !sgang_twin_plan(j, nodes, chosen, &start))
			continue;
		if (start_or_reserve(p, j, nodes, chosen, from, start, &later))
			return;
	}
	if (alike)
		*alike = (struct alike){ j, from };
}

void sgang_twin_backfill(void)
{
	struct sgang_nodeset *nodes = sgang_nodeset_create(the.n_nodes);
	struct sgang_nodeset *chosen = sgang_nodeset_create(the.n_nodes);
	struct sgang_job **jobs;
	size_t n;
	struct plan p;

	the.outcome->backfills++;
	sgang_twin_plans_clear();
	jobs = sgang_twin_eligible_jobs(the.rules->bf_max_job_test, &n);
	if (!plan_init(&p, n) || !nodes || !chosen || !jobs) {
		the.no_memory = true;
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		if (the.rules->bf_max_job_start &&
		    p.started >= the.rules->bf_max_job_start)
			break;
		if (is_looked_at(&p, jobs[i]))
			try_job(&p, jobs[i], nodes, chosen);
	}
out:
	plan_end(&p);
	free(jobs);
	sgang_nodeset_destroy(nodes);
	sgang_nodeset_destroy(chosen);
}
