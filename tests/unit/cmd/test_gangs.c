/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gangs.c - which gangs a list of job records amounts to */

#include "../unit.h"
#include "cmd/gangs.h"

/* A job as a row of a test's table. */
struct row {
	uint32_t job_id;
	const char *gang; /* "alice/train" */
	enum sgang_row_class class;
	uint32_t tasks;
	int64_t submit;
	int64_t end;
	const char *nodes;
	const char *reason;
	int rank; /* -1: not placed */
	enum sgang_phase phase;
	bool object; /* a definition */
};

static void fill(struct sgang_jobrow *job, const struct row *row)
{
	const char *slash = strchr(row->gang, '/');

	memset(job, 0, sizeof(*job));
	memcpy(job->record.ns, row->gang, (size_t)(slash - row->gang));
	strcpy(job->record.name, slash + 1);
	job->record.phase = row->phase;
	job->record.object = row->object;
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
	job->account = "";
	job->partition = "batch";
	job->state = "STATE";
	job->nodes = (char *)row->nodes;
	job->reason = (char *)row->reason;
}

/* Build the gangs of a table; the jobs are kept in 'store'. */
static void build(const struct row *rows, size_t n, struct sgang_jobrow *store,
		  struct sgang_gangs *gangs)
{
	struct sgang_jobs jobs = { .row = store, .count = n };
	struct sgang_error err;

	for (size_t i = 0; i < n; i++)
		fill(&store[i], &rows[i]);
	assert_int_equal(sgang_gangs_build(&jobs, gangs, &err), 0);
}

TEST(nothing_is_no_gang)
{
	struct sgang_gangs gangs;

	build(NULL, 0, NULL, &gangs);
	assert_int_equal(gangs.count, 0);
	sgang_gangs_clear(&gangs);
}

/* 0.36: members are counted by what they do; an array head counts its tasks. */
TEST(members_are_counted)
{
	static const struct row rows[] = {
		{ 11, "alice/train", SGANG_ROW_RUNNING, 1, 100, 0, "n[1-2]", "",
		  1, SGANG_PHASE_RUNNING, false },
		{ 10, "alice/train", SGANG_ROW_RUNNING, 1, 100, 0, "n[2-3]", "",
		  0, SGANG_PHASE_RUNNING, false },
		{ 12, "alice/train", SGANG_ROW_PENDING, 3, 101, 0, "",
		  "Priority", -1, SGANG_PHASE_RUNNING, false },
		{ 9, "alice/train", SGANG_ROW_ENDED, 1, 99, 150, "n9", "", 2,
		  SGANG_PHASE_RUNNING, false },
		{ 8, "alice/train", SGANG_ROW_HELD, 1, 99, 0, "n10", "", 3,
		  SGANG_PHASE_RUNNING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;
	const struct sgang_gang *gang;

	build(rows, COUNT(rows), store, &gangs);
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

/* 1.36, 1.64: who only keeps nodes neither runs nor waits for the others. */
TEST(placeholders_are_apart)
{
	static const struct row rows[] = {
		{ 1, "alice/etl", SGANG_ROW_RUNNING, 1, 100, 0, "n1", "", 0,
		  SGANG_PHASE_RUNNING, false },
		{ 2, "alice/etl", SGANG_ROW_RUNNING, 2, 100, 0, "n2", "", 1,
		  SGANG_PHASE_RUNNING, false },
		{ 3, "alice/etl", SGANG_ROW_HELD, 1, 100, 0, "n3", "", 2,
		  SGANG_PHASE_RUNNING, false },
		{ 4, "alice/etl", SGANG_ROW_PENDING, 1, 100, 0, "", "", -1,
		  SGANG_PHASE_RUNNING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_jobs jobs = { .row = store, .count = COUNT(rows) };
	struct sgang_gangs gangs;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(rows); i++) {
		fill(&store[i], &rows[i]);
		store[i].record.placeholder = i > 0;
	}
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), 0);
	assert_int_equal(gangs.count, 1);
	assert_int_equal(gangs.gang->running, 1);
	assert_int_equal(gangs.gang->held, 0);
	assert_int_equal(gangs.gang->pending, 1);
	assert_int_equal(gangs.gang->placeholders, 3);
	assert_int_equal(sgang_gangs_members(gangs.gang), 5);
	sgang_gangs_clear(&gangs);
}

/* 1.52: a name may be used again; only the newest gang of it is shown. */
TEST(newest_generation_wins)
{
	static const struct row rows[] = {
		{ 1, "alice/train", SGANG_ROW_ENDED, 1, 100, 200, "n1", "", 0,
		  SGANG_PHASE_RUNNING, false },
		{ 2, "alice/train", SGANG_ROW_ENDED, 1, 110, 190, "n2", "", 1,
		  SGANG_PHASE_RUNNING, false },
		{ 3, "alice/train", SGANG_ROW_PENDING, 1, 200, 0, "",
		  "Gang alice/train gathering 1/2 members", -1,
		  SGANG_PHASE_GATHERING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;

	build(rows, COUNT(rows), store, &gangs);
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
TEST(overlap_is_one_generation)
{
	static const struct row rows[] = {
		{ 1, "alice/train", SGANG_ROW_ENDED, 1, 100, 200, "n1", "", 0,
		  SGANG_PHASE_RUNNING, false },
		{ 2, "alice/train", SGANG_ROW_ENDED, 1, 150, 300, "n2", "", 1,
		  SGANG_PHASE_RUNNING, false },
		{ 3, "alice/train", SGANG_ROW_ENDED, 1, 250, 260, "n2", "", -1,
		  SGANG_PHASE_RUNNING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;

	build(rows, COUNT(rows), store, &gangs);
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
TEST(gangs_are_ordered)
{
	static const struct row rows[] = {
		{ 1, "bob/train", SGANG_ROW_PENDING, 1, 100, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
		{ 2, "alice/train", SGANG_ROW_PENDING, 1, 100, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
		{ 3, "alice/early", SGANG_ROW_PENDING, 1, 50, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
		{ 4, "alice/early", SGANG_ROW_PENDING, 1, 500, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
	};
	static const char *const expected[][2] = { { "alice", "early" },
						   { "alice", "train" },
						   { "bob", "train" } };
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;

	build(rows, COUNT(rows), store, &gangs);
	assert_int_equal(gangs.count, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_string_equal(gangs.gang[i].record->ns, expected[i][0]);
		assert_string_equal(gangs.gang[i].record->name, expected[i][1]);
	}
	sgang_gangs_clear(&gangs);
}

/* What is not known is null in JSON, never 0. */
TEST(json_says_null)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_PENDING, 1, 1, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
		{ 2, "alice/b", SGANG_ROW_RUNNING, 1, 2, 0, "n1", "", 0,
		  SGANG_PHASE_RUNNING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;
	struct json_object *object, *value;

	build(rows, COUNT(rows), store, &gangs);
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

/* What definitions amount to: a job's row and a definition's, and the gang. */
static const struct row object_rows[] = {
	/* 0.24: the newest that is there counts, one without members too */
	{ 1, "alice/alone", SGANG_ROW_PENDING, 1, 100, 0, "", "old", -1,
	  SGANG_PHASE_GATHERING, true },
	{ 2, "alice/alone", SGANG_ROW_PENDING, 1, 100, 0, "", "new", -1,
	  SGANG_PHASE_GATHERING, true },
	{ 3, "alice/alone", SGANG_ROW_ENDED, 1, 110, 111, "", "gone", -1,
	  SGANG_PHASE_GATHERING, true },
	/* 0.15: it is no member */
	{ 4, "alice/both", SGANG_ROW_PENDING, 1, 100, 0, "", "object", -1,
	  SGANG_PHASE_WAITING, true },
	{ 5, "alice/both", SGANG_ROW_PENDING, 2, 110, 0, "", "member", -1,
	  SGANG_PHASE_WAITING, false },
	/* nothing is left of it */
	{ 6, "alice/deleted", SGANG_ROW_ENDED, 1, 100, 101, "", "", -1,
	  SGANG_PHASE_GATHERING, true },
	/* it stays when its gang has ended */
	{ 7, "alice/ended", SGANG_ROW_PENDING, 1, 100, 0, "", "object", -1,
	  SGANG_PHASE_GATHERING, true },
	{ 8, "alice/ended", SGANG_ROW_ENDED, 1, 110, 120, "n1", "", 0,
	  SGANG_PHASE_RUNNING, false },
	/* one that came after all members is of the next gang */
	{ 9, "alice/next", SGANG_ROW_ENDED, 1, 100, 110, "n1", "", 0,
	  SGANG_PHASE_RUNNING, false },
	{ 10, "alice/next", SGANG_ROW_PENDING, 1, 110, 0, "", "object", -1,
	  SGANG_PHASE_GATHERING, true },
	/* its gang ended in the second in which it was made */
	{ 11, "alice/quick", SGANG_ROW_PENDING, 1, 100, 0, "", "object", -1,
	  SGANG_PHASE_GATHERING, true },
	{ 12, "alice/quick", SGANG_ROW_ENDED, 1, 100, 100, "n1", "", 0,
	  SGANG_PHASE_RUNNING, false },
};

static const struct {
	const char *name;
	enum sgang_phase phase;
	uint32_t definition;
	uint32_t members;
	const char *reason;
} object_gangs[] = {
	{ "alone", SGANG_PHASE_GATHERING, 2, 0, "new" },
	{ "both", SGANG_PHASE_WAITING, 4, 2, "member" },
	{ "ended", SGANG_PHASE_FINISHED, 7, 1, "" },
	{ "next", SGANG_PHASE_GATHERING, 10, 0, "object" },
	{ "quick", SGANG_PHASE_FINISHED, 11, 1, "" },
};

static const struct sgang_gang *find(const struct sgang_gangs *gangs,
				     const char *name)
{
	for (size_t i = 0; i < gangs->count; i++)
		if (!strcmp(gangs->gang[i].record->name, name))
			return &gangs->gang[i];
	fail_msg("no gang %s", name);
	return NULL;
}

/* 0.15, 0.24: definitions are no members, and make a gang all the same. */
TEST(definitions_are_told_apart)
{
	struct sgang_jobrow store[COUNT(object_rows)];
	struct sgang_gangs gangs;

	build(object_rows, COUNT(object_rows), store, &gangs);
	assert_int_equal(gangs.count, COUNT(object_gangs));
	for (size_t i = 0; i < COUNT(object_gangs); i++) {
		const struct sgang_gang *gang = find(&gangs,
						     object_gangs[i].name);

		assert_int_equal(gang->phase, object_gangs[i].phase);
		assert_int_equal(gang->object->job_id,
				 object_gangs[i].definition);
		assert_int_equal(sgang_gangs_members(gang),
				 object_gangs[i].members);
		assert_string_equal(gang->reason, object_gangs[i].reason);
	}
	sgang_gangs_clear(&gangs);
}

/* 0.24: a task that has started has a newer number than its array, which was
 * submitted before the definition. */
TEST(tasks_are_as_old_as_their_array)
{
	static const struct row rows[] = {
		{ 22, "alice/a", SGANG_ROW_ENDED, 1, 100, 100, "n1", "", 0,
		  SGANG_PHASE_RUNNING, false },
		{ 21, "alice/a", SGANG_ROW_PENDING, 1, 100, 0, "", "object", -1,
		  SGANG_PHASE_GATHERING, true },
	};
	struct sgang_jobs jobs = { .count = COUNT(rows) };
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(rows); i++)
		fill(&store[i], &rows[i]);
	store[0].array_id = 20;
	jobs.row = store;
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), 0);
	assert_int_equal(gangs.count, 1);
	assert_int_equal(sgang_gangs_members(&gangs.gang[0]), 0);
	sgang_gangs_clear(&gangs);
}

/* 3.19: a gang that ended because of a member that failed says so. */
TEST(a_failed_gang_has_failed)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_ENDED, 1, 1, 9, "n1", "", 0,
		  SGANG_PHASE_RUNNING, false },
		{ 2, "alice/a", SGANG_ROW_ENDED, 1, 1, 9, "n2", "", 1,
		  SGANG_PHASE_FAILED, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;

	build(rows, COUNT(rows), store, &gangs);
	assert_int_equal(gangs.gang[0].phase, SGANG_PHASE_FAILED);
	sgang_gangs_clear(&gangs);
}

/* 5.6: of a gang that may lose members all have to fail. */
TEST(a_gang_fails_when_all_do)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_ENDED, 1, 1, 9, "n1", "", 0,
		  SGANG_PHASE_FINISHED, false },
		{ 2, "alice/a", SGANG_ROW_ENDED, 1, 1, 9, "n2", "", 1,
		  SGANG_PHASE_FINISHED, false },
	};
	struct sgang_jobs jobs = { .count = COUNT(rows) };
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_gangs gangs;
	struct sgang_error err;

	for (size_t failed = 0; failed <= COUNT(rows); failed++) {
		build(rows, COUNT(rows), store, &gangs);
		sgang_gangs_clear(&gangs);
		store[0].failed = failed > 0;
		store[1].failed = failed > 1;
		jobs.row = store;
		assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), 0);
		assert_int_equal(gangs.gang[0].phase,
				 failed == COUNT(rows) ? SGANG_PHASE_FAILED :
							 SGANG_PHASE_FINISHED);
		sgang_gangs_clear(&gangs);
	}
}

/* 5.6: the node of a later member boots: nobody holds that one. */
TEST(booting_is_not_held)
{
	static const enum sgang_phase held[] = { SGANG_PHASE_HOLDING,
						 SGANG_PHASE_STARTING };
	struct sgang_record record = { .phase = SGANG_PHASE_RUNNING };

	assert_int_equal(sgang_jobs_running(&record, true), SGANG_ROW_RUNNING);
	for (size_t i = 0; i < COUNT(held); i++) {
		record.phase = held[i];
		assert_int_equal(sgang_jobs_running(&record, true),
				 SGANG_ROW_HELD);
		assert_int_equal(sgang_jobs_running(&record, false),
				 SGANG_ROW_RUNNING);
	}
}

/* 0.12, 0.28: the wait ends so long after the first member was placed. */
TEST(the_wait_has_an_end)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_HELD, 1, 1, 0, "n1", "", -1,
		  SGANG_PHASE_HOLDING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct json_object *object, *value;
	struct sgang_gangs gangs;

	build(rows, COUNT(rows), store, &gangs);
	assert_int_equal(sgang_gangs_wait_ends(&gangs.gang[0]), 0);
	store[0].record.since = 1000;
	assert_int_equal(sgang_gangs_wait_ends(&gangs.gang[0]), 0);
	store[0].record.waiting_time = 600;
	assert_int_equal(sgang_gangs_wait_ends(&gangs.gang[0]), 1600);
	store[0].record.waiting_time = 0;
	store[0].record.until = 1700; /* the site's */
	assert_int_equal(sgang_gangs_wait_ends(&gangs.gang[0]), 1700);
	store[0].record.until = 0;
	store[0].record.waiting_time = SGANG_FOREVER;
	assert_int_equal(sgang_gangs_wait_ends(&gangs.gang[0]), 0);

	object = sgang_gangs_json(&gangs.gang[0]);
	assert_true(json_object_object_get_ex(object, "waiting_time", &value));
	assert_string_equal(json_object_get_string(value), "UNLIMITED");
	assert_true(json_object_object_get_ex(object, "wait_ends", &value));
	assert_null(value);
	json_object_put(object);
	sgang_gangs_clear(&gangs);
}

/* 0.36: what the gang said, and what holds where it said nothing. */
TEST(rules_are_told)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_PENDING, 1, 1, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
	};
	static const char *const defaults[][2] = {
		{ "mode", "strict" },       { "match", "once-satisfied" },
		{ "on_failure", "ignore" }, { "on_stale", "ignore" },
		{ "on_success", "all" },    { "on_drain", "ignore" },
		{ "groups", "[ ]" },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct json_object *object, *value;
	struct sgang_gangs gangs;

	build(rows, COUNT(rows), store, &gangs);
	object = sgang_gangs_json(&gangs.gang[0]);
	for (size_t i = 0; i < COUNT(defaults); i++) {
		assert_true(json_object_object_get_ex(object, defaults[i][0],
						      &value));
		assert_string_equal(json_object_get_string(value),
				    defaults[i][1]);
	}
	json_object_put(object);

	store[0].record.mode = SGANG_MODE_NONSTRICT;
	strcpy(store[0].record.groups, "a/b,c/d");
	object = sgang_gangs_json(&gangs.gang[0]);
	assert_true(json_object_object_get_ex(object, "mode", &value));
	assert_string_equal(json_object_get_string(value), "nonstrict");
	assert_true(json_object_object_get_ex(object, "groups", &value));
	assert_string_equal(json_object_to_json_string_ext(
				    value, JSON_C_TO_STRING_NOSLASHESCAPE),
			    "[\"a/b\",\"c/d\"]");
	json_object_put(object);
	sgang_gangs_clear(&gangs);
}

/* A member ends in the second in which the next one of its gang comes. */
TEST(short_gangs_are_one)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_ENDED, 1, 10, 11, "n1", "", 0,
		  SGANG_PHASE_RUNNING, false },
		{ 2, "alice/a", SGANG_ROW_ENDED, 1, 11, 11, "n2", "", 1,
		  SGANG_PHASE_RUNNING, false },
		{ 3, "alice/a", SGANG_ROW_ENDED, 1, 11, 12, "n3", "", 0,
		  SGANG_PHASE_RUNNING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_jobs jobs = { .row = store, .count = COUNT(rows) };
	struct sgang_gangs gangs;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(rows); i++) {
		fill(&store[i], &rows[i]);
		store[i].record.created = i < 2 ? 10 : 11;
	}
	jobs.count = 2;
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), 0);
	assert_int_equal(gangs.gang[0].n_jobs, 2);
	sgang_gangs_clear(&gangs);
	jobs.count = 3;
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), 0);
	assert_int_equal(gangs.gang[0].n_jobs, 1);
	sgang_gangs_clear(&gangs);
}

/* As Slurm's commands name a job, one row or its whole array. */
TEST(jobs_are_named)
{
	static const struct {
		uint32_t job_id;
		uint32_t array_id;
		const char *tasks;
		const char *row;
		const char *whole;
	} cases[] = {
		{ 12, 0, NULL, "12", "12" },
		{ 13, 12, "3", "12_3", "12" },
		{ 12, 12, "4-6,9", "12_[4-6,9]", "12" },
		{ 12, 12, "0-3,7%2", "12_[0-3,7]", "12" },
		{ 12, 12, NULL, "12", "12" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_jobrow row = { .job_id = cases[i].job_id,
					    .array_id = cases[i].array_id,
					    .array_tasks =
						    (char *)cases[i].tasks };
		char *id = sgang_jobs_id(&row, false);

		assert_string_equal(id, cases[i].row);
		free(id);
		id = sgang_jobs_id(&row, true);
		assert_string_equal(id, cases[i].whole);
		free(id);
	}
}

TEST(bad_node_list_is_an_error)
{
	static const struct row row = {
		1,  "alice/a", SGANG_ROW_RUNNING,   1,    1, 0, "n[1-",
		"", 0,         SGANG_PHASE_RUNNING, false
	};
	struct sgang_jobrow job;
	struct sgang_jobs jobs = { .row = &job, .count = 1 };
	struct sgang_gangs gangs = { NULL, 7 };
	struct sgang_error err = { "" };

	fill(&job, &row);
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), -1);
	assert_int_equal(gangs.count, 7);
	assert_string_not_equal(err.text, "");
}

TEST(tasks_are_counted)
{
	static const struct {
		const char *text;
		uint32_t tasks;
	} cases[] = {
		{ NULL, 1 },
		{ "", 1 },
		{ "3", 1 },
		{ "0-3", 4 },
		{ "0-3,7", 5 },
		{ "0-3,7%2", 5 },
		{ "0-10:2", 6 },
		{ "1-10:4%1", 3 },
		{ "5,9,13", 3 },
		{ "0-3,7...", 5 },
		{ "3-0", 1 },
		{ "1-5:0", 1 },
		{ "junk", 1 },
		{ "1-", 1 },
		{ "0-99999999999999999999999", UINT32_MAX },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(sgang_jobs_count_tasks(cases[i].text),
				 cases[i].tasks);
}

/* The nearest name, whatever its namespace, and no definition that is gone. */
TEST(a_name_that_is_not_there_is_met)
{
	static const struct row rows[] = {
		{ 1, "alice/train", SGANG_ROW_RUNNING, 1, 1, 0, "", "", -1,
		  SGANG_PHASE_RUNNING, false },
		{ 2, "bob/evaluate", SGANG_ROW_ENDED, 1, 1, 2, "", "", -1,
		  SGANG_PHASE_FINISHED, false },
		{ 3, "bob/model-1", SGANG_ROW_ENDED, 1, 1, 2, "", "", -1,
		  SGANG_PHASE_GATHERING, true },
	};
	static const char *const cases[][2] = {
		{ "bob/train", ", did you mean alice/train?" },
		{ "alice/trian", ", did you mean alice/train?" },
		{ "alice/evaluation", ", did you mean bob/evaluate?" },
		{ "alice/eval", ", see sgang list" },
		{ "bob/model-1", ", see sgang list" },
	};
	struct sgang_jobrow store[COUNT(rows)];
	struct sgang_jobs jobs = { .row = store, .count = COUNT(rows) };
	char hint[SGANG_JOBS_HINT];
	struct sgang_spec spec;

	for (size_t i = 0; i < COUNT(rows); i++)
		fill(&store[i], &rows[i]);
	for (size_t i = 0; i < COUNT(cases); i++) {
		sgang_spec_init(&spec);
		assert_int_equal(
			sgang_spec_set(&spec, "gang", cases[i][0], NULL), 0);
		assert_string_equal(sgang_jobs_hint(&jobs, &spec, hint),
				    cases[i][1]);
	}
}

TEST(several_namespaces_are_named)
{
	static const struct row rows[] = {
		{ 1, "alice/a", SGANG_ROW_PENDING, 1, 1, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
		{ 2, "bob/a", SGANG_ROW_PENDING, 1, 2, 0, "", "", -1,
		  SGANG_PHASE_GATHERING, false },
	};
	struct sgang_jobrow store[COUNT(rows)];
	const struct sgang_gang *found;
	struct sgang_gangs gangs;
	struct sgang_error err;
	struct sgang_spec spec;

	build(rows, COUNT(rows), store, &gangs);
	sgang_spec_init(&spec);
	strcpy(spec.name, "a");
	assert_int_equal(sgang_gangs_find(&gangs, &spec, "carol", &found, &err),
			 -1);
	assert_string_equal(err.text, "2 namespaces have a gang a, say alice/a "
				      "or bob/a");
	assert_int_equal(sgang_gangs_find(&gangs, &spec, "bob", &found, &err),
			 1);
	assert_string_equal(found->record->ns, "bob");
	sgang_gangs_clear(&gangs);
}

TEST_MAIN(NULL, NULL)
