/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gangs.c - which gangs a list of job records amounts to */

#include "../unit.h"
#include "cmd/gangs.h"

#define GANGS_TEST(name) TEST_WITH(name, NULL, clear)

/* Short words for the rows of tables. */
#define P SGANG_ROW_PENDING
#define H SGANG_ROW_HELD
#define R SGANG_ROW_RUNNING
#define E SGANG_ROW_ENDED
#define GATHERING SGANG_PHASE_GATHERING
#define WAITING SGANG_PHASE_WAITING
#define HOLDING SGANG_PHASE_HOLDING
#define RUNNING SGANG_PHASE_RUNNING
#define FINISHED SGANG_PHASE_FINISHED
#define FAILED SGANG_PHASE_FAILED

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

/* The jobs of a table, and the gangs they amount to. */
static struct sgang_jobrow store[12];
static struct sgang_jobs jobs = { .row = store };
static struct sgang_gangs gangs;

static void fill_all(const struct row *rows, size_t n)
{
	assert_true(n <= COUNT(store));
	jobs.count = n;
	for (size_t i = 0; i < n; i++)
		fill(&store[i], &rows[i]);
}

static void build_again(void)
{
	struct sgang_error err;

	sgang_gangs_clear(&gangs);
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), 0);
}

static void build(const struct row *rows, size_t n)
{
	fill_all(rows, n);
	build_again();
}

static int clear(void **state)
{
	(void)state;
	sgang_gangs_clear(&gangs);
	return 0;
}

/* What JSON says of a gang under 'key'; NULL: null. */
static void assert_json(const struct sgang_gang *gang, const char *key,
			const char *expected)
{
	struct json_object *object = sgang_gangs_json(gang), *value;

	assert_true(json_object_object_get_ex(object, key, &value));
	if (!expected)
		assert_null(value);
	else
		assert_string_equal(json_object_get_string(value), expected);
	json_object_put(object);
}

GANGS_TEST(nothing_is_no_gang)
{
	build(NULL, 0);
	assert_int_equal(gangs.count, 0);
}

/* 0.36: members are counted by what they do; an array head counts its tasks. */
GANGS_TEST(members_are_counted)
{
	static const struct row rows[] = {
		{ 11, "alice/train", R, 1, 100, 0, "n[1-2]", "", 1, RUNNING,
		  false },
		{ 10, "alice/train", R, 1, 100, 0, "n[2-3]", "", 0, RUNNING,
		  false },
		{ 12, "alice/train", P, 3, 101, 0, "", "Priority", -1, RUNNING,
		  false },
		{ 9, "alice/train", E, 1, 99, 150, "n9", "", 2, RUNNING,
		  false },
		{ 8, "alice/train", H, 1, 99, 0, "n10", "", 3, RUNNING, false },
	};
	const struct sgang_gang *gang;

	build(rows, COUNT(rows));
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
}

/* 1.36, 1.64: who only keeps nodes neither runs nor waits for the others. */
GANGS_TEST(placeholders_are_apart)
{
	static const struct row rows[] = {
		{ 1, "alice/etl", R, 1, 100, 0, "n1", "", 0, RUNNING, false },
		{ 2, "alice/etl", R, 2, 100, 0, "n2", "", 1, RUNNING, false },
		{ 3, "alice/etl", H, 1, 100, 0, "n3", "", 2, RUNNING, false },
		{ 4, "alice/etl", P, 1, 100, 0, "", "", -1, RUNNING, false },
	};

	fill_all(rows, COUNT(rows));
	for (size_t i = 1; i < COUNT(rows); i++)
		store[i].record.placeholder = true;
	build_again();
	assert_int_equal(gangs.count, 1);
	assert_int_equal(gangs.gang->running, 1);
	assert_int_equal(gangs.gang->held, 0);
	assert_int_equal(gangs.gang->pending, 1);
	assert_int_equal(gangs.gang->placeholders, 3);
	assert_int_equal(sgang_gangs_members(gangs.gang), 5);
}

/* 1.52: a name may be used again; only the newest gang of it is shown. */
GANGS_TEST(newest_generation_wins)
{
	static const struct row rows[] = {
		{ 1, "alice/train", E, 1, 100, 200, "n1", "", 0, RUNNING,
		  false },
		{ 2, "alice/train", E, 1, 110, 190, "n2", "", 1, RUNNING,
		  false },
		{ 3, "alice/train", P, 1, 200, 0, "",
		  "Gang alice/train gathering 1/2 members", -1, GATHERING,
		  false },
	};

	build(rows, COUNT(rows));
	assert_int_equal(gangs.count, 1);
	assert_int_equal(gangs.gang[0].n_jobs, 1);
	assert_int_equal(gangs.gang[0].jobs[0]->job_id, 3);
	assert_int_equal(gangs.gang[0].phase, SGANG_PHASE_GATHERING);
	assert_int_equal(gangs.gang[0].ended, 0);
	assert_false(gangs.gang[0].record->placed);
	assert_string_equal(gangs.gang[0].reason,
			    "Gang alice/train gathering 1/2 members");
}

/* Beside the name of its gang a reason stands alone. */
GANGS_TEST(reason_alone)
{
	static const struct row rows[] = {
		{ 1, "alice/train", P, 1, 100, 0, "", "", -1, WAITING, false },
	};
	static const struct {
		const char *reason, *alone;
	} cases[] = {
		{ "Gang alice/train gathering 1/2 members",
		  "gathering 1/2 members" },
		{ "Gang alice/train waits: 2 nodes are needed",
		  "2 nodes are needed" },
		{ "Gang alice/train waits: Gang bob/b gathering 1/2 members",
		  "Gang bob/b gathering 1/2 members" },
		{ "Gang alice/train waits for its turn", "waits for its turn" },
		{ "Gang alice/train: placeholder", "placeholder" },
		{ "Gang alice/training waits for its turn",
		  "Gang alice/training waits for its turn" },
		{ "Gang bob/train waits for its turn",
		  "Gang bob/train waits for its turn" },
		{ "Gang alice/train", "Gang alice/train" },
		{ "Resources", "Resources" },
		{ "", "" },
	};

	build(rows, COUNT(rows));
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(sgang_gangs_reason(&gangs.gang[0],
						       cases[i].reason),
				    cases[i].alone);
}

/* A member that came while another still ran belongs to the same gang. */
GANGS_TEST(overlap_is_one_generation)
{
	static const struct row rows[] = {
		{ 1, "alice/train", E, 1, 100, 200, "n1", "", 0, RUNNING,
		  false },
		{ 2, "alice/train", E, 1, 150, 300, "n2", "", 1, RUNNING,
		  false },
		{ 3, "alice/train", E, 1, 250, 260, "n2", "", -1, RUNNING,
		  false },
	};

	build(rows, COUNT(rows));
	assert_int_equal(gangs.count, 1);
	assert_int_equal(gangs.gang[0].n_jobs, 3);
	assert_int_equal(gangs.gang[0].phase, SGANG_PHASE_FINISHED);
	assert_int_equal(sgang_gangs_members(&gangs.gang[0]), 3);
	assert_int_equal(gangs.gang[0].n_nodes, 2);
	assert_true(gangs.gang[0].record->placed);
}

/* 0.33, 0.34: by creation time of the gang, then by name; a namespace keeps
 * gangs apart. */
GANGS_TEST(gangs_are_ordered)
{
	static const struct row rows[] = {
		{ 1, "bob/train", P, 1, 100, 0, "", "", -1, GATHERING, false },
		{ 2, "alice/train", P, 1, 100, 0, "", "", -1, GATHERING,
		  false },
		{ 3, "alice/early", P, 1, 50, 0, "", "", -1, GATHERING, false },
		{ 4, "alice/early", P, 1, 500, 0, "", "", -1, GATHERING,
		  false },
	};
	static const char *const expected[][2] = { { "alice", "early" },
						   { "alice", "train" },
						   { "bob", "train" } };

	build(rows, COUNT(rows));
	assert_int_equal(gangs.count, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_string_equal(gangs.gang[i].record->ns, expected[i][0]);
		assert_string_equal(gangs.gang[i].record->name, expected[i][1]);
	}
}

/* The first of its members, in the future. */
GANGS_TEST(a_start_in_the_past_is_none)
{
	static const struct row rows[] = {
		{ 1, "alice/a", P, 1, 1, 0, "", "", -1, WAITING, false },
		{ 2, "alice/a", P, 1, 1, 0, "", "", -1, WAITING, false },
		{ 3, "alice/a", P, 1, 1, 0, "", "", -1, WAITING, false },
		{ 4, "alice/a", R, 1, 1, 0, "n1", "", -1, WAITING, false },
	};

	build(rows, COUNT(rows));
	store[0].start_time = 100;
	store[1].start_time = 300;
	store[2].start_time = 200;
	store[3].start_time = 150;
	assert_int_equal(sgang_gangs_start(&gangs.gang[0], 99), 100);
	assert_int_equal(sgang_gangs_start(&gangs.gang[0], 100), 200);
	assert_int_equal(sgang_gangs_start(&gangs.gang[0], 200), 300);
	assert_int_equal(sgang_gangs_start(&gangs.gang[0], 300), 0);
}

/* What is not known is null in JSON, never 0. */
GANGS_TEST(json_says_null)
{
	static const struct row rows[] = {
		{ 1, "alice/a", P, 1, 1, 0, "", "", -1, GATHERING, false },
		{ 2, "alice/b", R, 1, 2, 0, "n1", "", 0, RUNNING, false },
	};

	build(rows, COUNT(rows));
	assert_json(&gangs.gang[0], "ring_cost", NULL);
	assert_json(&gangs.gang[0], "tier", NULL);
	assert_json(&gangs.gang[1], "ring_cost", "38");
	assert_json(&gangs.gang[1], "phase", "Running");
	/* lists have what is known, each once */
	assert_json(&gangs.gang[1], "users", "[ \"alice\" ]");
	assert_json(&gangs.gang[1], "accounts", "[ ]");
}

/* What definitions amount to: a job's row and a definition's, and the gang. */
static const struct row object_rows[] = {
	/* 0.24: the newest that is there counts, one without members too */
	{ 1, "alice/alone", P, 1, 100, 0, "", "old", -1, GATHERING, true },
	{ 2, "alice/alone", P, 1, 100, 0, "", "new", -1, GATHERING, true },
	{ 3, "alice/alone", E, 1, 110, 111, "", "gone", -1, GATHERING, true },
	/* 0.15: it is no member */
	{ 4, "alice/both", P, 1, 100, 0, "", "object", -1, WAITING, true },
	{ 5, "alice/both", P, 2, 110, 0, "", "member", -1, WAITING, false },
	/* nothing is left of it */
	{ 6, "alice/deleted", E, 1, 100, 101, "", "", -1, GATHERING, true },
	/* it stays when its gang has ended */
	{ 7, "alice/ended", P, 1, 100, 0, "", "object", -1, GATHERING, true },
	{ 8, "alice/ended", E, 1, 110, 120, "n1", "", 0, RUNNING, false },
	/* one that came after all members is of the next gang */
	{ 9, "alice/next", E, 1, 100, 110, "n1", "", 0, RUNNING, false },
	{ 10, "alice/next", P, 1, 110, 0, "", "object", -1, GATHERING, true },
	/* its gang ended in the second in which it was made */
	{ 11, "alice/quick", P, 1, 100, 0, "", "object", -1, GATHERING, true },
	{ 12, "alice/quick", E, 1, 100, 100, "n1", "", 0, RUNNING, false },
};

static const struct {
	const char *name;
	enum sgang_phase phase;
	uint32_t definition;
	uint32_t members;
	const char *reason;
} object_gangs[] = {
	{ "alone", GATHERING, 2, 0, "new" },
	{ "both", WAITING, 4, 2, "member" },
	{ "ended", FINISHED, 7, 1, "" },
	{ "next", GATHERING, 10, 0, "object" },
	{ "quick", FINISHED, 11, 1, "" },
};

static const struct sgang_gang *find(const char *name)
{
	for (size_t i = 0; i < gangs.count; i++)
		if (!strcmp(gangs.gang[i].record->name, name))
			return &gangs.gang[i];
	fail_msg("no gang %s", name);
	return NULL;
}

/* 0.15, 0.24: definitions are no members, and make a gang all the same. */
GANGS_TEST(definitions_are_told_apart)
{
	build(object_rows, COUNT(object_rows));
	assert_int_equal(gangs.count, COUNT(object_gangs));
	for (size_t i = 0; i < COUNT(object_gangs); i++) {
		const struct sgang_gang *gang = find(object_gangs[i].name);

		assert_int_equal(gang->phase, object_gangs[i].phase);
		assert_int_equal(gang->object->job_id,
				 object_gangs[i].definition);
		assert_int_equal(sgang_gangs_members(gang),
				 object_gangs[i].members);
		assert_string_equal(gang->reason, object_gangs[i].reason);
	}
}

/* 0.24: a task that has started has a newer number than its array, which was
 * submitted before the definition. */
GANGS_TEST(tasks_are_as_old_as_their_array)
{
	static const struct row rows[] = {
		{ 22, "alice/a", E, 1, 100, 100, "n1", "", 0, RUNNING, false },
		{ 21, "alice/a", P, 1, 100, 0, "", "object", -1, GATHERING,
		  true },
	};

	fill_all(rows, COUNT(rows));
	store[0].array_id = 20;
	build_again();
	assert_int_equal(gangs.count, 1);
	assert_int_equal(sgang_gangs_members(&gangs.gang[0]), 0);
}

/* 3.19: a gang that ended because of a member that failed says so. */
GANGS_TEST(a_failed_gang_has_failed)
{
	static const struct row rows[] = {
		{ 1, "alice/a", E, 1, 1, 9, "n1", "", 0, RUNNING, false },
		{ 2, "alice/a", E, 1, 1, 9, "n2", "", 1, FAILED, false },
	};

	build(rows, COUNT(rows));
	assert_int_equal(gangs.gang[0].phase, SGANG_PHASE_FAILED);
}

/* 3.19, 6.11: what became of a gang is decided by the ends of its members; the
 * rules are in test_verdict.c. */
GANGS_TEST(an_ended_gang_has_a_verdict)
{
	static const struct row rows[] = {
		{ 1, "alice/a", E, 1, 1, 9, "n1", "", 0, FINISHED, false },
		{ 2, "alice/a", E, 1, 1, 9, "n2", "", 1, FINISHED, false },
		{ 3, "alice/a", E, 2, 1, 9, "n3", "", -1, FINISHED, false },
	};
	/* How each ends: c completed, f failed, t time limit, x cancelled. */
	static const char letters[] = "cftx";
	static const enum sgang_job_end how[] = {
		SGANG_JOB_END_COMPLETED,
		SGANG_JOB_END_FAILED,
		SGANG_JOB_END_TIME_LIMIT,
		SGANG_JOB_END_CANCELLED,
	};
	static const struct {
		const char *ends;
		bool spare, success; /* the third */
		enum sgang_verdict verdict;
		enum sgang_phase phase;
		uint32_t incomplete;
	} cases[] = {
		{ "ccc", false, false, SGANG_VERDICT_FINISHED, FINISHED, 0 },
		{ "cfc", false, false, SGANG_VERDICT_FAILED, FAILED, 1 },
		{ "fff", false, false, SGANG_VERDICT_FAILED, FAILED, 4 },
		{ "ttt", false, false, SGANG_VERDICT_TIME_LIMIT,
		  SGANG_PHASE_TIME_LIMIT, 4 },
		{ "xxx", false, false, SGANG_VERDICT_CANCELLED,
		  SGANG_PHASE_CANCELLED, 4 },
		/* two are needed, and have completed */
		{ "ccx", false, false, SGANG_VERDICT_FINISHED, FINISHED, 2 },
		/* spares that nobody needed, and what such a spare was before
		 * slurm-gang said that it ended it */
		{ "ccx", true, true, SGANG_VERDICT_FINISHED, FINISHED, 0 },
		{ "ccx", true, false, SGANG_VERDICT_FINISHED, FINISHED, 0 },
		/* servers that were not needed any more */
		{ "ccx", false, true, SGANG_VERDICT_FINISHED, FINISHED, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		fill_all(rows, COUNT(rows));
		for (size_t k = 0; k < COUNT(rows); k++)
			store[k].end = how[strchr(letters, cases[i].ends[k]) -
					   letters];
		store[2].record.spare = cases[i].spare;
		store[2].record.success = cases[i].success;
		build_again();
		assert_int_equal(gangs.gang[0].verdict, cases[i].verdict);
		assert_int_equal(gangs.gang[0].phase, cases[i].phase);
		assert_int_equal(gangs.gang[0].incomplete, cases[i].incomplete);
	}
}

/* slurmctld has seen members that are forgotten since; of several that it said,
 * as the gang went on by a requeue, the last counts. While a member lives
 * nothing became of the gang. */
GANGS_TEST(slurmctld_has_the_last_word)
{
	static const struct row rows[] = {
		{ 1, "alice/a", E, 1, 1, 9, "n1", "", 0, FINISHED, false },
		{ 2, "alice/a", E, 1, 1, 20, "n2", "", 1, FINISHED, false },
	};

	fill_all(rows, COUNT(rows));
	store[0].record.verdict = SGANG_VERDICT_CANCELLED;
	build_again();
	assert_int_equal(gangs.gang[0].phase, SGANG_PHASE_CANCELLED);
	assert_true(gangs.gang[0].told);
	store[1].record.verdict = SGANG_VERDICT_FAILED;
	build_again();
	assert_int_equal(gangs.gang[0].phase, FAILED);
	/* it went on, and ended again: nobody has said yet what became of it */
	store[1].record.verdict = SGANG_VERDICT_NONE;
	store[1].record.started = 15;
	build_again();
	assert_int_equal(gangs.gang[0].phase, FINISHED);
	assert_false(gangs.gang[0].told);
	store[1].class = R;
	store[1].record.phase = RUNNING;
	build_again();
	assert_int_equal(gangs.gang[0].phase, RUNNING);
	assert_int_equal(gangs.gang[0].verdict, SGANG_VERDICT_NONE);
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
GANGS_TEST(the_wait_has_an_end)
{
	static const struct row rows[] = {
		{ 1, "alice/a", H, 1, 1, 0, "n1", "", -1, HOLDING, false },
	};

	build(rows, COUNT(rows));
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
	assert_json(&gangs.gang[0], "waiting_time", "UNLIMITED");
	assert_json(&gangs.gang[0], "wait_ends", NULL);
}

/* 0.36: what the gang said, and what holds where it said nothing. */
GANGS_TEST(rules_are_told)
{
	static const struct row rows[] = {
		{ 1, "alice/a", P, 1, 1, 0, "", "", -1, GATHERING, false },
	};
	static const char *const defaults[][2] = {
		{ "mode", "strict" },       { "match", "once-satisfied" },
		{ "on_failure", "ignore" }, { "on_stale", "ignore" },
		{ "on_success", "all" },    { "on_drain", "ignore" },
		{ "groups", "[ ]" },
	};
	struct json_object *object, *value;

	build(rows, COUNT(rows));
	for (size_t i = 0; i < COUNT(defaults); i++)
		assert_json(&gangs.gang[0], defaults[i][0], defaults[i][1]);
	store[0].record.mode = SGANG_MODE_NONSTRICT;
	strcpy(store[0].record.groups, "a/b,c/d");
	assert_json(&gangs.gang[0], "mode", "nonstrict");
	object = sgang_gangs_json(&gangs.gang[0]);
	assert_true(json_object_object_get_ex(object, "groups", &value));
	assert_string_equal(json_object_to_json_string_ext(
				    value, JSON_C_TO_STRING_NOSLASHESCAPE),
			    "[\"a/b\",\"c/d\"]");
	json_object_put(object);
}

/* A member ends in the second in which the next one of its gang comes. */
GANGS_TEST(short_gangs_are_one)
{
	static const struct row rows[] = {
		{ 1, "alice/a", E, 1, 10, 11, "n1", "", 0, RUNNING, false },
		{ 2, "alice/a", E, 1, 11, 11, "n2", "", 1, RUNNING, false },
		{ 3, "alice/a", E, 1, 11, 12, "n3", "", 0, RUNNING, false },
	};

	fill_all(rows, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++)
		store[i].record.created = i < 2 ? 10 : 11;
	jobs.count = 2;
	build_again();
	assert_int_equal(gangs.gang[0].n_jobs, 2);
	jobs.count = 3;
	build_again();
	assert_int_equal(gangs.gang[0].n_jobs, 1);
	/* slurmdbd does not know when they came: by their ranks */
	for (size_t i = 0; i < COUNT(rows); i++)
		store[i].record.created = 0;
	build_again();
	assert_int_equal(gangs.gang[0].n_jobs, 1);
	jobs.count = 2;
	build_again();
	assert_int_equal(gangs.gang[0].n_jobs, 2);
	store[1].submit_time = 12;
	build_again();
	assert_int_equal(gangs.gang[0].n_jobs, 1);
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
	struct sgang_jobs of = { .row = &job, .count = 1 };
	struct sgang_gangs made = { NULL, 7 };
	struct sgang_error err = { "" };

	fill(&job, &row);
	assert_int_equal(sgang_gangs_build(&of, &made, &err), -1);
	assert_int_equal(made.count, 7);
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
		{ 1, "alice/train", R, 1, 1, 0, "", "", -1, RUNNING, false },
		{ 2, "bob/evaluate", E, 1, 1, 2, "", "", -1, FINISHED, false },
		{ 3, "bob/model-1", E, 1, 1, 2, "", "", -1, GATHERING, true },
	};
	static const char *const cases[][2] = {
		{ "bob/train", ", did you mean alice/train?" },
		{ "alice/trian", ", did you mean alice/train?" },
		{ "alice/evaluation", ", did you mean bob/evaluate?" },
		{ "alice/eval", ", see sgang list" },
		{ "bob/model-1", ", see sgang list" },
	};
	char hint[SGANG_JOBS_HINT];
	struct sgang_spec spec;

	fill_all(rows, COUNT(rows));
	for (size_t i = 0; i < COUNT(cases); i++) {
		sgang_spec_init(&spec);
		assert_int_equal(
			sgang_spec_set(&spec, "gang", cases[i][0], NULL), 0);
		assert_string_equal(sgang_jobs_hint(&jobs, &spec, hint),
				    cases[i][1]);
	}
}

GANGS_TEST(several_namespaces_are_named)
{
	static const struct row rows[] = {
		{ 1, "alice/a", P, 1, 1, 0, "", "", -1, GATHERING, false },
		{ 2, "bob/a", P, 1, 2, 0, "", "", -1, GATHERING, false },
	};
	const struct sgang_gang *found;
	struct sgang_error err;
	struct sgang_spec spec;

	build(rows, COUNT(rows));
	sgang_spec_init(&spec);
	strcpy(spec.name, "a");
	assert_int_equal(sgang_gangs_find(&gangs, &spec, "carol", &found, &err),
			 -1);
	assert_string_equal(err.text, "2 namespaces have a gang a, say alice/a "
				      "or bob/a");
	assert_int_equal(sgang_gangs_find(&gangs, &spec, "bob", &found, &err),
			 1);
	assert_string_equal(found->record->ns, "bob");
}

TEST_MAIN(NULL, NULL)
