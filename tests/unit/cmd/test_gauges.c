/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gauges.c - the present state of all gangs as numbers */

#include "../unit.h"
#include "../texts.h"
#include "../core/fail_alloc.h"
#include "cmd/gauges.h"

#define NOW 1000

/* A gang of one job. */
struct bed {
	struct sgang_gang gang[4];
	struct sgang_jobrow job[4];
	const struct sgang_jobrow *jobs[4];
	struct sgang_gangs gangs;
};

static void add(struct bed *bed, const char *ns, const char *partition,
		enum sgang_phase phase, enum sgang_row_class class,
		const char *nodes, int64_t since)
{
	size_t i = bed->gangs.count++;

	strcpy(bed->job[i].record.ns, ns);
	bed->job[i].partition = (char *)partition;
	bed->job[i].nodes = (char *)nodes;
	bed->job[i].class = class;
	bed->jobs[i] = &bed->job[i];
	bed->gang[i].jobs = &bed->jobs[i];
	bed->gang[i].n_jobs = 1;
	bed->gang[i].record = &bed->job[i].record;
	bed->gang[i].phase = phase;
	bed->gang[i].pending = class == SGANG_ROW_PENDING;
	bed->gang[i].held = class == SGANG_ROW_HELD;
	bed->gang[i].running = class == SGANG_ROW_RUNNING;
	bed->gang[i].submit_time = since;
}

static void fill(struct bed *bed)
{
	memset(bed, 0, sizeof(*bed));
	bed->gangs.gang = bed->gang;
	add(bed, "bob", "gpu", SGANG_PHASE_HOLDING, SGANG_ROW_HELD, "n[1-3]",
	    NOW - 50);
	add(bed, "alice", "gpu", SGANG_PHASE_GATHERING, SGANG_ROW_PENDING, "",
	    NOW - 900);
	add(bed, "bob", "gpu", SGANG_PHASE_WAITING, SGANG_ROW_PENDING, "",
	    NOW - 70);
	add(bed, "bob", "cpu", SGANG_PHASE_STARTING, SGANG_ROW_HELD, "n[3-4]",
	    NOW + 5);
}

TEST(gangs_are_summed)
{
	struct sgang_gauges gauges;
	struct sgang_error err;
	struct bed bed;

	fill(&bed);
	assert_int_equal(sgang_gauges_count(&bed.gangs, NOW, &gauges, &err), 0);
	assert_int_equal(gauges.all.gangs[SGANG_PHASE_WAITING], 1);
	assert_int_equal(gauges.all.gangs[SGANG_PHASE_HOLDING], 1);
	assert_int_equal(gauges.all.members[SGANG_GAUGE_WAITING], 2);
	assert_int_equal(gauges.all.members[SGANG_GAUGE_HELD], 2);
	assert_int_equal(gauges.all.members[SGANG_GAUGE_RUNNING], 0);
	assert_int_equal(gauges.all.oldest_wait, 70); /* not the gathering */
	assert_int_equal(gauges.held_nodes, 4);       /* n3 once */
	assert_int_equal(gauges.n, 3);
	assert_string_equal(gauges.part[0].partition, "cpu");
	assert_int_equal(gauges.part[0].sum.oldest_wait, 0);
	assert_string_equal(gauges.part[1].ns, "alice");
	assert_string_equal(gauges.part[2].ns, "bob");
	assert_int_equal(gauges.part[2].sum.members[SGANG_GAUGE_WAITING], 1);
	assert_int_equal(gauges.part[2].sum.members[SGANG_GAUGE_HELD], 1);
	assert_int_equal(gauges.part[2].sum.oldest_wait, 70);
	sgang_gauges_clear(&gauges);
}

TEST(labels_are_quoted)
{
	struct sgang_gauges gauges;
	struct sgang_error err;
	struct bed bed;
	char *text;

	memset(&bed, 0, sizeof(bed));
	bed.gangs.gang = bed.gang;
	add(&bed, "a\"b\\c\nd", "gpu", SGANG_PHASE_RUNNING, SGANG_ROW_RUNNING,
	    "n1", 1);
	assert_int_equal(sgang_gauges_count(&bed.gangs, NOW, &gauges, &err), 0);
	sgang_gauges_print(&gauges, printing());
	text = printed();
	assert_non_null(strstr(text, "{partition=\"gpu\",namespace=\"a\\\"b\\\\"
				     "c\\nd\",state=\"running\"} 1\n"));
	free(text);
	sgang_gauges_clear(&gauges);
}

TEST(bad_nodes_are_an_error)
{
	struct sgang_gauges gauges;
	struct sgang_error err;
	struct bed bed;

	fill(&bed);
	bed.job[0].nodes = (char *)"n[1-";
	assert_int_equal(sgang_gauges_count(&bed.gangs, NOW, &gauges, &err),
			 -1);
	assert_null(gauges.part);
}

TEST(memory_may_run_out)
{
	struct sgang_gauges gauges;
	struct sgang_error err;
	struct bed bed;
	unsigned long n;

	fill(&bed);
	for (n = 1;; n++) {
		long live = fail_live;

		fail_at(n);
		if (!sgang_gauges_count(&bed.gangs, NOW, &gauges, &err))
			break;
		assert_true(fail_happened);
		assert_int_equal(fail_live, live);
	}
	fail_at(0);
	assert_true(n > 3);
	sgang_gauges_clear(&gauges);
}

TEST_MAIN(NULL, NULL)
