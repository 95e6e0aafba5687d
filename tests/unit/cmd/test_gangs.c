/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gangs.c - which gangs a list of job records amounts to */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/gangs.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* A job as a row of a test's table. */
struct row {
	uint32_t job_id;
	const char *gang;		/* "alice/train" */
	enum sgang_row_class class;
	uint32_t tasks;
	int64_t submit;
	int64_t end;
	const char *nodes;
	const char *reason;
	int rank;			/* -1: not placed */
	enum sgang_phase phase;
};

static void fill(struct sgang_jobrow *job, const struct row *row)
{
	const char *slash = strchr(row->gang, '/');

	memset(job, 0, sizeof(*job));
	memcpy(job->record.ns, row->gang, (size_t)(slash - row->gang));
	strcpy(job->record.name, slash + 1);
	job->record.phase = row->phase;
	job->record.min_member = 2;
	job->record.total = 4;
	if (row->rank >= 0) {
		job->record.placed = true;
		job->record.member_rank = (uint32_t)row->rank;
		job->record.ring_cost = 38;
		strcpy(job->record.tier, "spine");
	}
	job->class = row->class;
	job->job_id = row->job_id;
	job->tasks = row->tasks;
	job->submit_time = row->submit;
	job->end_time = row->end;
	job->user = "alice";
	job->partition = "batch";
	job->state = "STATE";
	job->nodes = (char *)row->nodes;
	job->reason = (char *)row->reason;
}

/* Build the gangs of a table; the jobs are kept in 'store'. */
static void build(const struct row *rows, size_t n, struct sgang_jobrow *store,
		  struct sgang_gangs *gangs)
{
	struct sgang_jobs jobs = { store, n };
	struct sgang_error err;
	size_t i;

	for (i = 0; i < n; i++)
		fill(&store[i], &rows[i]);
	assert_int_equal(sgang_gangs_build(&jobs, gangs, &err), 0);
}

static void nothing_is_no_gang(void **state)
{
	struct sgang_gangs gangs;

	(void)state;
	build(NULL, 0, NULL, &gangs);
	assert_int_equal(gangs.count, 0);
	sgang_gangs_clear(&gangs);
}

/* 0.36: members are counted by what they do; an array head counts its tasks. */
static void members_are_counted(void **state)
{
	static const struct row rows[] = {
		{ 11, "alice/train", SGANG_ROW_RUNNING, 1, 100, 0, "n[1-2]",
		  "", 1, SGANG_PHASE_RUNNING },
		{ 10, "alice/train", SGANG_ROW_RUNNING, 1, 100, 0, "n[2-3]",
		  "", 0, SGANG_PHASE_RUNNING },
		{ 12, "alice/train", SGANG_ROW_PENDING, 3, 101, 0, "",
		  "Priority", -1, SGANG_PHASE_RUNNING },
		{ 9, "alice/train", SGANG_ROW_ENDED, 1, 99, 150, "n9", "", 2,
		  SGANG_PHASE_RUNNING },
		{ 8, "alice/train", SGANG_ROW_HELD, 1, 99, 0, "n10", "", 3,
		  SGANG_PHASE_RUNNING },
	};
	struct sgang_jobrow store[N(rows)];
	struct sgang_gangs gangs;
	const struct sgang_gang *gang;

	(void)state;
	build(rows, N(rows), store, &gangs);
	assert_int_equal(gangs.count, 1);
	gang = &gangs.gang[0];
	assert_int_equal(gang->pending, 3);
	assert_int_equal(gang->held, 1);
	assert_int_equal(gang->running, 2);
	assert_int_equal(gang->ended, 1);
	assert_int_equal(sgang_gangs_members(gang), 6);
	assert_int_equal(gang->submit_time, 99);
	assert_string_equal(gang->reason, "Priority");

	/* ring order, those without a rank at the end */
	assert_int_equal(gang->jobs[0]->job_id, 10);
	assert_int_equal(gang->jobs[1]->job_id, 11);
	assert_int_equal(gang->jobs[2]->job_id, 9);
	assert_int_equal(gang->jobs[3]->job_id, 8);
	assert_int_equal(gang->jobs[4]->job_id, 12);

	/* a shared node once, not that of an ended member, n10 behind n3 */
	assert_int_equal(gang->n_nodes, 4);
	assert_string_equal(gang->nodes[0], "n1");
	assert_string_equal(gang->nodes[1], "n2");
	assert_string_equal(gang->nodes[2], "n3");
	assert_string_equal(gang->nodes[3], "n10");
	sgang_gangs_clear(&gangs);
}

/* 1.52: a name may be used again; only the newest gang of it is shown. */
static void newest_generation_wins(void **state)
{
	static const struct row rows[] = {
		{ 1, "alice/train", SGANG_ROW_ENDED, 1, 100, 200, "n1", "", 0,
		  SGANG_PHASE_RUNNING },
		{ 2, "alice/train", SGANG_ROW_ENDED, 1, 110, 190, "n2", "", 1,
		  SGANG_PHASE_RUNNING },
		{ 3, "alice/train", SGANG_ROW_PENDING, 1, 200, 0, "",
		  "Gang alice/train gathering 1/2 members", -1,
		  SGANG_PHASE_GATHERING },
	};
	struct sgang_jobrow store[N(rows)];
	struct sgang_gangs gangs;

	(void)state;
	build(rows, N(rows), store, &gangs);
	assert_int_equal(gangs.count, 1);
	assert_int_equal(gangs.gang[0].n_jobs, 1);
	assert_int_equal(gangs.gang[0].jobs[0]->job_id, 3);
	assert_int_equal(gangs.gang[0].phase, SGANG_PHASE_GATHERING);
	assert_int_equal(gangs.gang[0].ended, 0);
	assert_false(gangs.gang[0].record->placed);
	assert_string_equal(gangs.gang[0].reason,
			    "Gang alice/train gathering 1/2 members");
	sgang_gangs_clear(&gangs);
}

/* A member that came while another still ran belongs to the same gang. */
static void overlap_is_one_generation(void **state)
{
	static const struct row rows[] = {
		{ 1, "alice/train", SGANG_ROW_ENDED, 1, 100, 200, "n1", "", 0,
		  SGANG_PHASE_RUNNING },
		{ 2, "alice/train", SGANG_ROW_ENDED, 1, 150, 300, "n2", "", 1,
		  SGANG_PHASE_RUNNING },
		{ 3, "alice/train", SGANG_ROW_ENDED, 1, 250, 260, "n2", "", -1,
		  SGANG_PHASE_RUNNING },
	};
	struct sgang_jobrow store[N(rows)];
	struct sgang_gangs gangs;

	(void)state;
	build(rows, N(rows), store, &gangs);
	assert_int_equal(gangs.count, 1);
	assert_int_equal(gangs.gang[0].n_jobs, 3);
	assert_int_equal(gangs.gang[0].phase, SGANG_PHASE_FINISHED);
	assert_int_equal(sgang_gangs_members(&gangs.gang[0]), 3);
	assert_int_equal(gangs.gang[0].n_nodes, 2);
	assert_true(gangs.gang[0].record->placed);
	sgang_gangs_clear(&gangs);
}

/* 0.33, 0.34: by creation time of the gang, then by name; a namespace keeps
 * gangs apart. */
static void gangs_are_ordered(void **state)
{
	static const struct row rows[] = {
		{ 1, "bob/train", SGANG_ROW_PENDING, 1, 100, 0, "", "", -1,
		  SGANG_PHASE_GATHERING },
		{ 2, "alice/train", SGANG_ROW_PENDING, 1, 100, 0, "", "", -1,
		  SGANG_PHASE_GATHERING },
		{ 3, "alice/early", SGANG_ROW_PENDING, 1, 50, 0, "", "", -1,
		  SGANG_PHASE_GATHERING },
		{ 4, "alice/early", SGANG_ROW_PENDING, 1, 500, 0, "", "", -1,
		  SGANG_PHASE_GATHERING },
	};
	static const char *const expected[][2] = {
		{ "alice", "early" }, { "alice", "train" }, { "bob", "train" }
	};
	struct sgang_jobrow store[N(rows)];
	struct sgang_gangs gangs;
	size_t i;

	(void)state;
	build(rows, N(rows), store, &gangs);
	assert_int_equal(gangs.count, N(expected));
	for (i = 0; i < N(expected); i++) {
		assert_string_equal(gangs.gang[i].record->ns, expected[i][0]);
		assert_string_equal(gangs.gang[i].record->name,
				    expected[i][1]);
	}
	sgang_gangs_clear(&gangs);
}

/* What is not known is null in JSON, never 0. */
static void json_says_null(void **state)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_PENDING, 1, 1, 0, "", "", -1,
		  SGANG_PHASE_GATHERING },
		{ 2, "alice/b", SGANG_ROW_RUNNING, 1, 2, 0, "n1", "", 0,
		  SGANG_PHASE_RUNNING },
	};
	struct sgang_jobrow store[N(rows)];
	struct sgang_gangs gangs;
	struct json_object *object, *value;

	(void)state;
	build(rows, N(rows), store, &gangs);
	object = sgang_gangs_json(&gangs.gang[0]);
	assert_true(json_object_object_get_ex(object, "ring_cost", &value));
	assert_null(value);
	assert_true(json_object_object_get_ex(object, "tier", &value));
	assert_null(value);
	json_object_put(object);

	object = sgang_gangs_json(&gangs.gang[1]);
	assert_true(json_object_object_get_ex(object, "ring_cost", &value));
	assert_int_equal(json_object_get_int(value), 38);
	assert_true(json_object_object_get_ex(object, "phase", &value));
	assert_string_equal(json_object_get_string(value), "Running");
	json_object_put(object);
	sgang_gangs_clear(&gangs);
}

static void bad_node_list_is_an_error(void **state)
{
	static const struct row row = {
		1, "alice/a", SGANG_ROW_RUNNING, 1, 1, 0, "n[1-", "", 0,
		SGANG_PHASE_RUNNING
	};
	struct sgang_jobrow job;
	struct sgang_jobs jobs = { &job, 1 };
	struct sgang_gangs gangs = { NULL, 7 };
	struct sgang_error err = { "" };

	(void)state;
	fill(&job, &row);
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), -1);
	assert_int_equal(gangs.count, 7);
	assert_string_not_equal(err.text, "");
}

static void tasks_are_counted(void **state)
{
	static const struct {
		const char *text;
		uint32_t tasks;
	} cases[] = {
		{ NULL, 1 }, { "", 1 }, { "3", 1 }, { "0-3", 4 },
		{ "0-3,7", 5 }, { "0-3,7%2", 5 }, { "0-10:2", 6 },
		{ "1-10:4%1", 3 }, { "5,9,13", 3 }, { "0-3,7...", 5 },
		{ "3-0", 1 }, { "1-5:0", 1 }, { "junk", 1 }, { "1-", 1 },
		{ "0-99999999999999999999999", UINT32_MAX },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++)
		assert_int_equal(sgang_jobs_count_tasks(cases[i].text),
				 cases[i].tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_no_gang),
		cmocka_unit_test(members_are_counted),
		cmocka_unit_test(newest_generation_wins),
		cmocka_unit_test(overlap_is_one_generation),
		cmocka_unit_test(gangs_are_ordered),
		cmocka_unit_test(json_says_null),
		cmocka_unit_test(bad_node_list_is_an_error),
		cmocka_unit_test(tasks_are_counted),
	};

	return cmocka_run_group_tests_name("gangs", tests, NULL, NULL);
}
