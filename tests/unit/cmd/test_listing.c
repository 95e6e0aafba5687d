/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_listing.c - which gangs are shown, in which order; the page's timeline */

#include <json-c/json.h>

#include "../unit.h"
#include "../texts.h"
#include "cmd/listing.h"
#include "cmd/scene_queue.h"

#define LISTING_TEST(name) TEST_WITH(name, build, clear)

/* Short words for the rows of tables. */
#define P SGANG_ROW_PENDING
#define R SGANG_ROW_RUNNING
#define E SGANG_ROW_ENDED

/* A gang of one. */
static const struct {
	const char *name;
	int64_t submit, end;
	enum sgang_row_class class;
	enum sgang_phase phase;
	enum sgang_job_end how;
} all[] = {
	{ "a-name-that-is-longer", 1, 50, E, SGANG_PHASE_FINISHED,
	  SGANG_JOB_END_COMPLETED },
	{ "last", 2, 90, E, SGANG_PHASE_FINISHED, SGANG_JOB_END_COMPLETED },
	{ "runs", 3, 500, R, SGANG_PHASE_RUNNING, SGANG_JOB_END_COMPLETED },
	{ "fails", 4, 60, E, SGANG_PHASE_FINISHED, SGANG_JOB_END_FAILED },
	{ "never", 5, 60, E, SGANG_PHASE_WAITING, SGANG_JOB_END_CANCELLED },
	{ "waits", 6, 0, P, SGANG_PHASE_WAITING, SGANG_JOB_END_COMPLETED },
};

static struct sgang_jobrow store[COUNT(all)];
static struct sgang_gangs gangs;

static int build(void **state)
{
	struct sgang_jobs jobs = { .row = store, .count = COUNT(all) };
	struct sgang_error err;

	(void)state;
	memset(store, 0, sizeof(store));
	for (size_t i = 0; i < COUNT(all); i++) {
		struct sgang_jobrow *job = &store[i];

		strcpy(job->record.ns, "al");
		strcpy(job->record.name, all[i].name);
		job->record.phase = all[i].phase;
		job->record.min_member = 1;
		job->class = all[i].class;
		job->job_id = (uint32_t)i + 1;
		job->tasks = 1;
		job->submit_time = all[i].submit;
		job->end_time = all[i].end;
		job->end = all[i].how;
		job->user = job->account = job->partition = job->nodes =
			job->reason = (char *)"";
		job->state = (char *)"STATE";
	}
	return sgang_gangs_build(&jobs, &gangs, &err);
}

static int clear(void **state)
{
	(void)state;
	sgang_gangs_clear(&gangs);
	return 0;
}

/* Those that live come first, and only names that are shown need room. */
LISTING_TEST(test_table)
{
	static const struct {
		const char *phases, *sort;
		size_t ended;
		const char *table;
	} cases[] = {
		{ NULL, NULL, 0,
		  "al/runs                  Running\n"
		  "al/waits                 Waiting\n"
		  "al/a-name-that-is-longer Finished\n"
		  "al/last                  Finished\n"
		  "al/fails                 Failed\n"
		  "al/never                 Cancelled\n" },
		{ NULL, NULL, 3,
		  "al/runs  Running\n"
		  "al/waits Waiting\n"
		  "al/last  Finished\n"
		  "al/fails Failed\n"
		  "al/never Cancelled\n" },
		{ NULL, NULL, 2,
		  "al/runs  Running\n"
		  "al/waits Waiting\n"
		  "al/last  Finished\n"
		  "al/never Cancelled\n" },
		{ NULL, NULL, 9,
		  "al/runs                  Running\n"
		  "al/waits                 Waiting\n"
		  "al/a-name-that-is-longer Finished\n"
		  "al/last                  Finished\n"
		  "al/fails                 Failed\n"
		  "al/never                 Cancelled\n" },
		/* who asks for an order or for phases gets them */
		{ NULL, "-j", 1,
		  "al/waits Waiting\n"
		  "al/runs  Running\n"
		  "al/last  Finished\n" },
		{ "finished,Waiting", NULL, 1,
		  "al/waits                 Waiting\n"
		  "al/a-name-that-is-longer Finished\n"
		  "al/last                  Finished\n" },
		{ "cancelled", NULL, 1, "al/never Cancelled\n" },
		{ "timelimit", NULL, 1, "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_listing listing = {
			.noheader = true,
			.format = "%j %T",
			.sort = cases[i].sort,
			.ended = cases[i].ended,
		};
		struct sgang_error err;

		if (cases[i].phases)
			assert_int_equal(sgang_listing_set(&listing,
							   SGANG_LISTING_PHASE,
							   cases[i].phases),
					 0);
		assert_int_equal(sgang_listing_print(&listing, &gangs, 0,
						     printing(), &err),
				 0);
		assert_printed(cases[i].table);
	}
}

/* Programs get all gangs. */
LISTING_TEST(test_json)
{
	const struct sgang_listing listing = { .ended = 1 };
	struct sgang_error err;
	struct json_object *object, *list;

	object = sgang_listing_json(&listing, &gangs, &err);
	assert_true(json_object_object_get_ex(object, "gangs", &list));
	assert_int_equal(json_object_array_length(list), COUNT(all));
	json_object_put(object);
}

/* In the page's timeline a gang is over at its end, also if it never ran. */
LISTING_TEST(test_queue)
{
	struct json_object *list;

	list = sgang_scene_queue(&gangs);
	assert_int_equal(json_object_array_length(list), COUNT(all));
	for (size_t i = 0; i < COUNT(all); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);
		bool over = all[i].class == E;
		struct json_object *value;

		assert_true(json_object_object_get_ex(row, "over", &value));
		assert_int_equal(json_object_get_boolean(value), over);
		assert_true(json_object_object_get_ex(row, "ends", &value));
		assert_int_equal(json_object_get_int64(value), all[i].end);
		assert_true(json_object_object_get_ex(row, "started", &value));
		assert_null(value);
	}
	json_object_put(list);
}

TEST_MAIN(NULL, NULL)
