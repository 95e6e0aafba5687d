/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_unused.c - what is free although a job that waits could use it
 *
 * Behaviour 8.5. The judge tries each node for each job, and each plan for each
 * node, and remembers nothing.
 */

#include <math.h>

#include "../unit.h"
#include "../core/fail_alloc.h"
#include "../core/fuzz.h"
#include "twin/twin_private.h"

#define UNUSED_TEST(name) TEST_WITH(name, setup, teardown)

#define NODES 6
#define JOBS 24
#define NOW 1000

static struct sgang_site_node nodes[NODES];
static struct sgang_site_partition partitions[2]; /* all, the first half */
static struct sgang_site site;
static struct sgang_trace_job asks[JOBS];

static int setup(void **state)
{
	(void)state;
	memset(&the, 0, sizeof(the));
	memset(&site, 0, sizeof(site));
	sgang_site_default(&site.scheduling);
	site.scheduling.counts_memory = true;
	site.nodes = nodes;
	site.n_nodes = NODES;
	for (uint32_t n = 0; n < NODES; n++)
		nodes[n] = (struct sgang_site_node){ "n", 8, 4, 100, 1 };
	for (int p = 0; p < 2; p++) {
		partitions[p].nodes = sgang_nodeset_create(NODES);
		for (uint32_t n = 0; n < (p ? NODES / 2 : NODES); n++)
			sgang_nodeset_add(partitions[p].nodes, n);
	}
	the.site = &site;
	the.rules = &site.scheduling;
	the.n_nodes = NODES;
	the.now = NOW;
	the.use = calloc(NODES, sizeof(*the.use));
	the.jobs = calloc(JOBS, sizeof(*the.jobs));
	the.queue.at = calloc(JOBS, sizeof(struct sgang_job *));
	assert_true(sgang_twin_unused_init());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sgang_twin_unused_end();
	for (int p = 0; p < 2; p++)
		sgang_nodeset_destroy(partitions[p].nodes);
	free(the.use);
	free(the.jobs);
	free(the.queue.at);
	return 0;
}

/* Behind those of the queue. */
static struct sgang_job *add(uint32_t n, uint32_t limit)
{
	size_t i = the.queue.n++;
	struct sgang_job *j = &the.jobs[i];

	asks[i] = (struct sgang_trace_job){ .nodes = n, .cpus = 8 };
	*j = (struct sgang_job){
		.asks = &asks[i],
		.partition = &partitions[0],
		.state = TWIN_PENDING,
		.limit = limit,
		.whole = true,
		.gang = SGANG_OUTCOME_NONE,
	};
	the.queue.at[i] = j;
	return j;
}

static struct sgang_job *add_part(uint32_t n, uint32_t limit, uint32_t cpus,
				  uint32_t gpus, uint64_t memory)
{
	struct sgang_job *j = add(n, limit);

	j->whole = false;
	asks[j - the.jobs].cpus = cpus;
	asks[j - the.jobs].gpus = gpus;
	asks[j - the.jobs].memory = memory;
	return j;
}

/* On the first 'n' nodes. */
static void plan(struct sgang_job *j, int64_t start, uint32_t n)
{
	struct sgang_nodeset *set = sgang_nodeset_create(NODES);

	while (n--)
		sgang_nodeset_add(set, n);
	sgang_twin_plans_add(j, start, set);
	sgang_nodeset_destroy(set);
}

static void assert_unused(double want)
{
	double got = sgang_twin_unused();

	if (fabs(got - want) > 1e-9)
		fail_msg("%g, expected %g", got, want);
}

UNUSED_TEST(nobody_waits)
{
	assert_unused(0);
}

/* The largest share of CPUs, GPUs and memory that a job has of a node. */
UNUSED_TEST(shares)
{
	add_part(1, 60, 2, 0, 0);
	assert_unused(0.25);
	add_part(1, 60, 2, 3, 0);
	assert_unused(1);
	add_part(2, 60, 2, 1, 60);
	assert_unused(1 + 2 * 0.6);
	site.scheduling.counts_memory = false;
	assert_unused(1 + 2 * 0.25);
	add(1, 60);
	assert_unused(1 + 2 * 0.25 + 1);
}

/* What one could use nobody else could. */
UNUSED_TEST(each_once)
{
	for (int i = 0; i < 3; i++)
		add(4, 60);
	assert_unused(4);
	add(2, 60);
	assert_unused(6);
	add_part(1, 60, 1, 0, 0);
	assert_unused(6);
	the.use[0] = (struct twin_use){ 7, 0, 1, 0 };
	/* the job of a CPU is there now, the one of two nodes nowhere */
	assert_unused(4 + 0.125);
}

/* A member waits for others, and a job for its time. */
UNUSED_TEST(who_counts)
{
	struct sgang_job *j = add(1, 60);

	assert_unused(1);
	j->gang = 0;
	assert_unused(0);
	j->gang = SGANG_OUTCOME_NONE;
	j->begin = NOW + 1;
	assert_unused(0);
	j->begin = NOW;
	assert_unused(1);
	site.scheduling.bf_max_job_test = 1;
	add(1, 60);
	assert_unused(1);
}

UNUSED_TEST(partitions_count)
{
	add(4, 60)->partition = &partitions[1];
	assert_unused(0);
	add(3, 60)->partition = &partitions[1];
	assert_unused(3);
	/* it asks for no less than one that was in vain, but elsewhere */
	the.jobs[1].partition = &partitions[0];
	the.jobs[1].asks = &asks[0];
	assert_unused(4);
}

/* A start is planned for the first job, which does not fit. */
UNUSED_TEST(what_is_planned)
{
	struct sgang_job *first = add(6, 60);

	the.use[5].jobs = 1;
	the.use[5].cpus = 1;
	plan(first, NOW + 100, 4);
	add(5, 100);
	assert_unused(5);
	the.jobs[1].limit = 101;
	assert_unused(0);
	the.jobs[1].limit = UINT32_MAX;
	assert_unused(0);
	add(1, 101);
	assert_unused(1); /* on the fifth */
	add(1, 101);
	assert_unused(1);
	add(1, 100);
	assert_unused(2);
	/* it should have started */
	the.now = NOW + 100;
	assert_unused(5);
	the.now = NOW;
	/* the next cycle of backfill plans nothing */
	sgang_twin_plans_clear();
	assert_unused(5);
}

/* What is planned for a member, for a job that could run now, and for one
 * behind. */
UNUSED_TEST(whose_plan)
{
	add(6, 60)->gang = 0;
	plan(&the.jobs[0], NOW + 50, 3);
	add(5, 60);
	assert_unused(0);
	add(3, 60);
	assert_unused(3);
	plan(&the.jobs[2], NOW + 50, 6);
	add(2, 50);
	assert_unused(5);
	add(2, 50);
	plan(&the.jobs[4], NOW + 10, 6);
	assert_unused(5);
	/* the first one has nodes meanwhile */
	the.queue.n--;
	memmove(&the.queue.at[0], &the.queue.at[1],
		the.queue.n * sizeof(struct sgang_job *));
	assert_unused(5);
	the.jobs[1].limit = 10;
	assert_unused(5);
	the.jobs[1].asks = &asks[0];
	assert_unused(6);
}

/* ---- the judge ---- */

/* On which nodes it found room for each of the queue. */
static bool has[JOBS][NODES], runs[JOBS];

static bool beside(size_t i, uint32_t n)
{
	uint64_t cpus = the.use[n].cpus, gpus = the.use[n].gpus;
	uint64_t memory = the.use[n].memory, others = the.use[n].jobs;
	const struct sgang_job *j = the.queue.at[i];
	bool alone = j->whole;

	for (size_t k = 0; k < i; k++) {
		const struct sgang_job *other = the.queue.at[k];

		if (!has[k][n])
			continue;
		others++;
		cpus += other->whole ? 8 : other->asks->cpus;
		gpus += other->whole ? 4 : other->asks->gpus;
		memory += other->whole ? 100 : other->asks->memory;
	}
	return !(alone && others) && cpus + j->asks->cpus <= 8 &&
	       gpus + j->asks->gpus <= 4 && memory + j->asks->memory <= 100;
}

/* Would it be in the way of one before it? */
static bool in_the_way(size_t i, uint32_t n)
{
	uint64_t end = (uint64_t)the.now + the.queue.at[i]->limit;

	if (the.queue.at[i]->limit == UINT32_MAX)
		end = UINT64_MAX;
	for (size_t k = 0; k < i; k++) {
		for (uint32_t p = 0; p < the.n_plans && !runs[k]; p++) {
			if (the.plans[p].job == the.queue.at[k] &&
			    the.queue.at[k]->begin <= the.now &&
			    the.plans[p].start > the.now &&
			    (uint64_t)the.plans[p].start < end &&
			    sgang_nodeset_has(the.plans[p].nodes, n))
				return true;
		}
	}
	return false;
}

static double judge(void)
{
	double sum = 0;

	memset(has, 0, sizeof(has));
	memset(runs, 0, sizeof(runs));
	for (size_t i = 0; i < the.queue.n; i++) {
		const struct sgang_job *j = the.queue.at[i];
		uint32_t found[NODES], n_found = 0, last = NODES;

		if (j->gang != SGANG_OUTCOME_NONE || j->begin > the.now)
			continue;
		if (j->partition == &partitions[1])
			last = NODES / 2;
		for (uint32_t n = 0; n < last; n++)
			if (beside(i, n) && !in_the_way(i, n))
				found[n_found++] = n;
		if (n_found < j->asks->nodes)
			continue;
		runs[i] = true;
		for (uint32_t k = 0; k < j->asks->nodes; k++) {
			has[i][found[k]] = true;
			sum += j->whole ? 1 :
					  fmax(fmax(j->asks->cpus / 8.0,
						    j->asks->gpus / 4.0),
					       (double)j->asks->memory / 100);
		}
	}
	return sum;
}

/* ---- random states ---- */

static void random_use(uint64_t *seed)
{
	for (uint32_t n = 0; n < NODES; n++) {
		struct twin_use *u = &the.use[n];

		*u = (struct twin_use){ 0 };
		if (!fuzz_below(seed, 3))
			continue;
		u->jobs = 1;
		u->cpus = 1 + (uint32_t)fuzz_below(seed, 8);
		u->gpus = (uint32_t)fuzz_below(seed, 5);
		u->memory = fuzz_below(seed, 101);
	}
}

static void random_job(uint64_t *seed)
{
	static const uint32_t limits[] = { 5, 20, 60, UINT32_MAX };
	struct sgang_job *j = add_part(1 + (uint32_t)fuzz_below(seed, 3),
				       limits[fuzz_below(seed, COUNT(limits))],
				       1 + (uint32_t)fuzz_below(seed, 3),
				       (uint32_t)fuzz_below(seed, 3),
				       fuzz_below(seed, 3) * 20);

	j->whole = !fuzz_below(seed, 4);
	j->partition = &partitions[!fuzz_below(seed, 4)];
	if (!fuzz_below(seed, 5))
		j->gang = 0;
	if (!fuzz_below(seed, 9))
		j->begin = NOW + 1;
}

static void random_plan(uint64_t *seed, struct sgang_job *j)
{
	struct sgang_nodeset *set = sgang_nodeset_create(NODES);

	for (uint32_t n = 0; n < NODES; n++)
		if (!fuzz_below(seed, 3))
			sgang_nodeset_add(set, n);
	sgang_twin_plans_add(j, NOW + (int64_t)fuzz_below(seed, 50), set);
	sgang_nodeset_destroy(set);
}

/* SGANG_TWIN_STATES of them; more find more. */
UNUSED_TEST(random_states)
{
	const char *states = getenv("SGANG_TWIN_STATES");
	uint32_t n = states ? (uint32_t)atoi(states) : 20000, some = 0, in = 0;

	for (uint32_t s = 1; s <= n; s++) {
		uint64_t seed = s;
		size_t jobs = 1 + fuzz_below(&seed, JOBS);
		double want;

		the.queue.n = 0;
		sgang_twin_plans_clear();
		random_use(&seed);
		for (size_t i = 0; i < jobs; i++) {
			random_job(&seed);
			if (!fuzz_below(&seed, 2))
				random_plan(&seed, &the.jobs[i]);
		}
		want = judge();
		some += want > 0;
		for (size_t i = 0; i < jobs; i++)
			in += runs[i];
		if (fabs(sgang_twin_unused() - want) > 1e-9)
			fail_msg("state %u: %g, expected %g", s,
				 sgang_twin_unused(), want);
	}
	/* else there was little to find */
	assert_true(some > n / 2 && in > n);
}

UNUSED_TEST(without_memory)
{
	struct sgang_job *j = add(6, 60);
	unsigned long n;

	add(6, 60);
	for (n = 1;; n++) {
		the.no_memory = false;
		fail_at(n);
		sgang_twin_plans_add(j, NOW + 9, partitions[0].nodes);
		if (!fail_happened)
			break;
		fail_at(0);
		assert_true(the.no_memory);
		assert_int_equal(the.n_plans, 0);
	}
	fail_at(0);
	assert_true(n > 2);
	assert_int_equal(the.n_plans, 1);
}

TEST_MAIN(NULL, NULL)
