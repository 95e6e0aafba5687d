/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_measure.c - the numbers of a replay, against numbers made by hand
 *
 * Behaviour 8.2.
 */

#include <math.h>

#include "../unit.h"
#include "../core/fail_alloc.h"
#include "twin/measure.h"

#define NO_GANG SGANG_OUTCOME_NONE

/* Of sgang_measure_class_name[]. */
enum { ALL, ONE, TWO, FOUR, EIGHT, SIXTEEN };

#define assert_near(a, b)                                                   \
	do {                                                                \
		double near_a = (a), near_b = (b);                          \
		if (!(near_a - near_b < 1e-9 && near_b - near_a < 1e-9))    \
			fail_msg("%s is %.12g, expected %.12g", #a, near_a, \
				 near_b);                                   \
	} while (0)
#define assert_unknown(a) assert_true(isnan(a))

/* ---- a queue in which everything happens ---- */

static struct sgang_trace_job asked[] = {
	{ .submit = 1000, .nodes = 1 },
	{ .submit = 1000, .nodes = 1 },
	{ .submit = 1000, .nodes = 3 },
	{ .submit = 1000, .nodes = 1 },
	{ .submit = 1000, .nodes = 16 },
	/* gang 0 */
	{ .submit = 1000, .nodes = 1 },
	{ .submit = 1050, .nodes = 1 },
	/* gang 1 */
	{ .submit = 1100, .nodes = 1 },
	{ .submit = 1100, .nodes = 1 },
	/* gang 2 */
	{ .submit = 1100, .nodes = 1 },
	/* gang 3 */
	{ .submit = 1200, .nodes = 1 },
	{ .submit = 1200, .nodes = 1 },
	/* gang 4 */
	{ .submit = 1300, .nodes = 1 },
	{ .submit = 1300, .nodes = 2 },
	/* gang 5 */
	{ .submit = 1300, .nodes = 99 },
};
static struct sgang_outcome_job got[] = {
	{ 1000, 1000, 1100, SGANG_OUTCOME_COMPLETED, NO_GANG, 0, 1, 1, 0 },
	{ 1300, 1300, 1305, SGANG_OUTCOME_COMPLETED, NO_GANG, 1, 1, 1, 0 },
	{ 1600, 1600, 1900, SGANG_OUTCOME_TIMEOUT, NO_GANG, 0, 3, 2, 7200 },
	{ 0, 0, 0, SGANG_OUTCOME_WAITS, NO_GANG, 0, 0, 0, 0 },
	{ 0, 0, 0, SGANG_OUTCOME_REFUSED, NO_GANG, 0, 0, 0, 0 },

	{ 1120, 1150, 2150, SGANG_OUTCOME_COMPLETED, 0, 0, 1, 1, 0 },
	{ 1150, 1150, 1650, SGANG_OUTCOME_COMPLETED, 0, 1, 1, 1, 0 },

	{ 1100, 1100, 1104, SGANG_OUTCOME_COMPLETED, 1, 2, 1, 1, 0 },
	{ 1100, 1100, 1102, SGANG_OUTCOME_COMPLETED, 1, 2, 1, 1, 0 },

	{ 0, 0, 0, SGANG_OUTCOME_WAITS, 2, 0, 0, 0, 0 },

	{ 1210, 0, 4600, SGANG_OUTCOME_TIMEOUT, 3, 3, 1, 1, 0 },
	{ 0, 0, 0, SGANG_OUTCOME_WAITS, 3, 0, 0, 0, 0 },

	{ 1700, 1700, 1800, SGANG_OUTCOME_COMPLETED, 4, 3, 1, 1, 0 },
	{ 1700, 1700, 1790, SGANG_OUTCOME_CANCELLED, 4, 1, 2, 1, 0 },

	{ 0, 0, 0, SGANG_OUTCOME_REFUSED, 5, 0, 0, 0, 0 },
};
static struct sgang_outcome_gang gangs[] = {
	{ 2, 2, 5, 1050, 1150, 40, 32, true, 80, 2, 2, "spine" },
	{ 2, 2, 7, 1100, 1100, 3, 2, true, 9, 7, 7, "node" },
	{ 5, 5, 9, 0, 0, 0, 0, false, 0, 0, 0, "" },
	{ 2, 2, 10, 1200, 0, 0, 0, false, 0, 0, 0, "" },
	{ 3, 2, 12, 1300, 1700, 60, 20, false, 0, 4, 3, "core" },
	{ 1, 1, 14, 1300, 0, 0, 0, false, 0, 0, 0, "" },
};
static uint32_t nodes[] = { 0, 1, 2, 3 };
static struct sgang_outcome_sample samples[] = {
	{ 1000, 4, 0, 0, 0, 0, 3 },
	{ 2000, 1, 1, 8, 2, 1, 1 },
	{ 3000, 1, 0, 8, 2, 1, 2 },
};

static const struct sgang_trace trace = { .jobs = asked,
					  .n_jobs = COUNT(asked) };
static const struct sgang_site site = { .n_nodes = 4 };
static const struct sgang_outcome outcome = {
	.jobs = got,
	.n_jobs = COUNT(got),
	.gangs = gangs,
	.n_gangs = COUNT(gangs),
	.nodes = nodes,
	.n_nodes = COUNT(nodes),
	.samples = samples,
	.n_samples = COUNT(samples),
	.from = 1000,
	.until = 4600,
	.cpus = 16,
	.idle_work = 5400,
	.unused = 1800,
	.busy = 14400,
	.lost = 7200,
	.victims = 1,
};

TEST(the_cluster)
{
	struct sgang_measure m;

	assert_int_equal(sgang_measure(&trace, &site, &outcome, NULL, &m, NULL),
			 0);
	assert_near(m.makespan, 3600);
	assert_near(m.utilisation, 0.25);
	assert_near(m.idle_hours, 1.5);
	assert_near(m.idle_share, 0.375);
	assert_near(m.unused_hours, 0.5);
	assert_near(m.lost_hours, 2);
	assert_near(m.victims, 1);
	assert_near(m.timeouts, 2);
	assert_near(m.cancelled, 1);
	assert_near(m.refused, 2);
	assert_near(m.waiting, 3);
	assert_near(m.incomplete, 1);
	assert_near(m.leaf_mean, 2);
	assert_near(m.leaf_min, 1);
	assert_near(m.idle_nodes, 2);
	sgang_measure_clear(&m);
}

TEST(jobs_of_no_gang)
{
	const struct sgang_measure_class *all, *one, *two;
	struct sgang_measure m;

	assert_int_equal(sgang_measure(&trace, &site, &outcome, NULL, &m, NULL),
			 0);
	all = &m.jobs[ALL];
	assert_near(all->n, 5);
	assert_near(all->started, 3);
	assert_near(all->never, 1);
	assert_near(all->wait.mean, 300);
	assert_near(all->wait.median, 300);
	assert_near(all->wait.p90, 600);
	assert_near(all->wait.max, 600);
	/* 100 s at once; 5 s that count as 10 after 300; 300 s after 600 */
	assert_near(all->slowdown.mean, (1 + 30.5 + 3) / 3);
	assert_near(all->slowdown.median, 3);
	assert_near(all->slowdown.max, 30.5);
	assert_near(all->rings, 0);
	assert_unknown(all->over_best);
	one = &m.jobs[ONE];
	assert_near(one->n, 3);
	assert_near(one->started, 2);
	assert_near(one->wait.mean, 150);
	assert_near(one->wait.median, 0);
	two = &m.jobs[TWO];
	assert_near(two->n, 1);
	assert_near(two->wait.p99, 600);
	assert_near(m.jobs[FOUR].n, 0);
	assert_unknown(m.jobs[FOUR].wait.mean);
	assert_near(m.jobs[SIXTEEN].n, 1);
	assert_near(m.jobs[SIXTEEN].never, 0);
	assert_int_equal(m.n_job_waits, 3);
	assert_int_equal(m.job_wait[0], 0);
	assert_int_equal(m.job_wait[2], 600);
	sgang_measure_clear(&m);
	assert_null(m.job_wait);
}

/* The job that waited longest, and the gang that waited longest, did not start
 * in another replay: they count, and are in no mean. */
TEST(only_what_started_in_all)
{
	bool job[COUNT(got)], gang[COUNT(gangs)];
	const struct sgang_measure_common common = { job, gang };
	const struct sgang_measure_class *all;
	struct sgang_measure m;

	memset(job, true, sizeof(job));
	memset(gang, true, sizeof(gang));
	for (size_t i = 0; i < COUNT(got); i++)
		job[i] = !got[i].start || got[i].start - asked[i].submit != 600;
	gang[4] = false;
	assert_int_equal(
		sgang_measure(&trace, &site, &outcome, &common, &m, NULL), 0);
	all = &m.jobs[ALL];
	assert_near(all->started, 3);
	assert_near(all->apart, 1);
	assert_near(all->wait.mean, 150);
	assert_near(all->slowdown.max, 30.5);
	assert_near(all->slowdown.mean, (1 + 30.5) / 2);
	assert_int_equal(m.n_job_waits, 2);
	all = &m.gangs[ALL];
	assert_near(all->started, 3);
	assert_near(all->apart, 1);
	assert_near(all->wait.max, 100);
	sgang_measure_clear(&m);
}

/* Rings of jobs of no gang, where they were measured: those on two nodes. */
TEST(rings_of_jobs)
{
	struct sgang_outcome_gang rings[COUNT(got)] = { 0 };
	struct sgang_outcome with = outcome;
	struct sgang_measure m;

	with.rings = rings;
	with.n_rings = COUNT(rings);
	for (size_t i = 0; i < COUNT(got); i++)
		if (got[i].gang == SGANG_OUTCOME_NONE && got[i].start)
			rings[i] = (struct sgang_outcome_gang){
				.start = got[i].start,
				.ring_cost = 8,
				.best_cost = 4,
				.proved = true,
				.cross_links = 2,
				.leaves = 2,
			};
	assert_int_equal(sgang_measure(&trace, &site, &with, NULL, &m, NULL),
			 0);
	assert_near(m.jobs[ALL].rings, 1);
	assert_near(m.jobs[ALL].proved, 1);
	assert_near(m.jobs[ALL].over_best, 2);
	assert_near(m.jobs[ALL].cross_links, 2);
	assert_unknown(m.jobs[ALL].over_stock);
	assert_near(m.jobs[ONE].rings, 0);
	assert_near(m.jobs[TWO].rings, 1);
	sgang_measure_clear(&m);
}

TEST(gangs_and_rings)
{
	const struct sgang_measure_class *all, *two;
	struct sgang_measure m;

	assert_int_equal(sgang_measure(&trace, &site, &outcome, NULL, &m, NULL),
			 0);
	all = &m.gangs[ALL];
	assert_near(all->n, 6);
	assert_near(all->started, 3);
	assert_near(all->never, 1);
	assert_near(all->wait.mean, (100 + 0 + 400) / 3.0);
	assert_near(all->wait.median, 100);
	/* the longest run of a member; 4 s count as 10 */
	assert_near(all->slowdown.mean, (1.1 + 1 + 5) / 3);
	assert_near(all->rings, 2);
	assert_near(all->proved, 1);
	assert_near(all->over_best, 100.0 / 52);
	assert_near(all->over_best_mean, (1.25 + 3) / 2);
	assert_near(all->over_stock, 0.5);
	assert_near(all->over_stock_mean, 0.5);
	assert_near(all->cross_links, 3);
	assert_near(all->leaves, 2.5);
	two = &m.gangs[TWO];
	assert_near(two->n, 4);
	assert_near(two->rings, 2);
	assert_near(m.gangs[ONE].n, 1);
	assert_near(m.gangs[ONE].never, 0);
	assert_near(m.gangs[FOUR].n, 1);
	assert_near(m.gangs[FOUR].never, 0);
	assert_int_equal(m.n_gang_waits, 3);
	assert_int_equal(m.gang_wait[1], 100);
	sgang_measure_clear(&m);
}

/* ---- others ---- */

/* 'n' jobs with waits of 'n' to 1 seconds, and sizes of 1 to 'n' nodes. */
static void count_down(size_t n, struct sgang_measure *m)
{
	struct sgang_trace_job *job = calloc(n, sizeof(*job));
	struct sgang_outcome_job *end = calloc(n, sizeof(*end));
	const struct sgang_trace queue = { .jobs = job, .n_jobs = n };
	const struct sgang_outcome after = { .jobs = end, .n_jobs = n };

	for (size_t i = 0; i < n; i++) {
		job[i].submit = 50;
		job[i].nodes = (uint32_t)i + 1;
		end[i].start = end[i].work = 50 + (int64_t)(n - i);
		end[i].end = end[i].work + 1000;
		end[i].how = SGANG_OUTCOME_COMPLETED;
		end[i].gang = NO_GANG;
	}
	assert_int_equal(sgang_measure(&queue, &site, &after, NULL, m, NULL),
			 0);
	free(job);
	free(end);
}

TEST(nearest_rank)
{
	static const struct {
		size_t n;
		double mean, median, p90, p99;
	} cases[] = {
		{ 1, 1, 1, 1, 1 },         { 2, 1.5, 1, 2, 2 },
		{ 10, 5.5, 5, 9, 10 },     { 11, 6, 6, 10, 11 },
		{ 100, 50.5, 50, 90, 99 }, { 1000, 500.5, 500, 900, 990 },
	};
	struct sgang_measure m;

	for (size_t i = 0; i < COUNT(cases); i++) {
		count_down(cases[i].n, &m);
		assert_near(m.jobs[ALL].wait.mean, cases[i].mean);
		assert_near(m.jobs[ALL].wait.median, cases[i].median);
		assert_near(m.jobs[ALL].wait.p90, cases[i].p90);
		assert_near(m.jobs[ALL].wait.p99, cases[i].p99);
		assert_near(m.jobs[ALL].wait.max, (double)cases[i].n);
		assert_near(m.gangs[ALL].n, 0);
		assert_unknown(m.gangs[ALL].wait.max);
		sgang_measure_clear(&m);
	}
}

TEST(each_size_is_in_one_class)
{
	static const double of_class[] = { 20, 1, 2, 4, 8, 5 };
	struct sgang_measure m;

	assert_int_equal(COUNT(of_class), SGANG_MEASURE_CLASSES);
	count_down(20, &m);
	for (size_t i = 0; i < COUNT(of_class); i++)
		assert_near(m.jobs[i].n, of_class[i]);
	assert_string_equal(sgang_measure_class_name[EIGHT], "8-15");
	assert_near(m.jobs[EIGHT].wait.max, 13);
	sgang_measure_clear(&m);
}

/* No job, no time, no sample. */
TEST(nothing)
{
	const struct sgang_outcome none = { .cpus = 16 };
	const struct sgang_trace empty = { .n_jobs = 0 };
	struct sgang_measure m;

	assert_int_equal(sgang_measure(&empty, &site, &none, NULL, &m, NULL),
			 0);
	assert_near(m.makespan, 0);
	assert_unknown(m.utilisation);
	assert_unknown(m.idle_share);
	assert_unknown(m.leaf_mean);
	assert_unknown(m.leaf_min);
	assert_near(m.jobs[ALL].n, 0);
	sgang_measure_clear(&m);
}

TEST(of_another_queue)
{
	const struct sgang_trace shorter = { .jobs = asked, .n_jobs = 1 };
	struct sgang_measure m;
	struct sgang_error err;

	assert_int_equal(
		sgang_measure(&shorter, &site, &outcome, NULL, &m, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "what became of the queue is of 15 jobs, "
				      "expected 1");
}

TEST(without_memory)
{
	struct sgang_measure m;
	struct sgang_error err;
	long live = fail_live;
	unsigned long n;
	int rc = -1;

	for (n = 1; rc; n++) {
		fail_at(n);
		rc = sgang_measure(&trace, &site, &outcome, NULL, &m, &err);
		fail_at(0);
		if (rc) {
			assert_int_equal(errno, ENOMEM);
			assert_string_equal(err.text, "out of memory");
			assert_int_equal(fail_live, live);
		}
	}
	assert_true(n > 5);
	sgang_measure_clear(&m);
	assert_int_equal(fail_live, live);
}

TEST_MAIN(NULL, NULL)
