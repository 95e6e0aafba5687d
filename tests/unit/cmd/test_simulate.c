/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_simulate.c - what sgang simulate tells: numbers, changes, the timeline
 *
 * Behaviour 8.2.
 */

#define _GNU_SOURCE /* open_memstream() */
#include <math.h>

#include "../unit.h"
#include "../texts.h"
#include "../core/fail_alloc.h"
#include "cmd/simulate.h"
#include "cmd/simulate_raster.h"
#include "cmd/simulate_rows.h"

#define COLUMNS SGANG_SIMULATE_COLUMNS

/* ---- a queue of two gangs and a job, in two configurations ---- */

/* Columns are one second wide. */
#define FROM 1000
#define UNTIL (FROM + COLUMNS)

static struct sgang_trace_job asked[] = {
	{ .id = 10, .submit = 1000, .nodes = 1, .user = "a", .gang = "x" },
	{ .id = 11, .submit = 1000, .nodes = 1, .user = "a", .gang = "x" },
	{ .id = 12, .submit = 1000, .nodes = 2, .user = "b", .gang = "" },
	{ .id = 13, .submit = 1000, .nodes = 1, .user = "a", .gang = "y" },
};
static struct sgang_trace trace = { .jobs = asked, .n_jobs = 4, .n_gangs = 2 };

/* Node 0 has member 0 of x, held for 100 s; node 1 has member 1. */
static struct sgang_outcome_job before[] = {
	{ 1100, 1200, 1300, SGANG_OUTCOME_COMPLETED, 0, 0, 1, 1, 0 },
	{ 1200, 1200, 1300, SGANG_OUTCOME_COMPLETED, 0, 1, 1, 1, 0 },
	{ 1000, 1000, 1960, SGANG_OUTCOME_COMPLETED, SGANG_OUTCOME_NONE, 2, 2,
	  1, 0 },
	{ 1400, 1400, 1500, SGANG_OUTCOME_COMPLETED, 1, 0, 1, 1, 0 },
};
static struct sgang_outcome_gang gangs_before[] = {
	{ .n_members = 2, .first_job = 0, .complete = 1000, .start = 1200 },
	{ .n_members = 1, .first_job = 3, .complete = 1000, .start = 1400 },
};
/* The gangs have other numbers, y never starts, and x is sooner. */
static struct sgang_outcome_job after[] = {
	{ 1010, 1010, 1110, SGANG_OUTCOME_COMPLETED, 1, 0, 1, 1, 0 },
	{ 1010, 1010, 1110, SGANG_OUTCOME_COMPLETED, 1, 1, 1, 1, 0 },
	{ 1005, 1005, 1505, SGANG_OUTCOME_COMPLETED, SGANG_OUTCOME_NONE, 2, 2,
	  1, 0 },
	{ 0, 0, 0, SGANG_OUTCOME_WAITS, 0, 0, 0, 0, 0 },
};
static struct sgang_outcome_gang gangs_after[] = {
	{ .n_members = 1, .first_job = 3, .complete = 1000, .start = 0 },
	{ .n_members = 2, .first_job = 0, .complete = 1000, .start = 1010 },
};
static uint32_t nodes[] = { 0, 1, 2, 3 };
static const char *const names[] = { "n1", "n2", "n3", "n4" };
static struct sgang_site site = { .names = names, .n_nodes = 4 };
static struct sgang_simulate_config config[] = {
	{ .name = "one",
	  .outcome = LIST(.jobs = before, .n_jobs = 4, .gangs = gangs_before,
			  .n_gangs = 2, .nodes = nodes, .n_nodes = 4,
			  .from = FROM, .until = UNTIL) },
	{ .name = "other",
	  .outcome = LIST(.jobs = after, .n_jobs = 4, .gangs = gangs_after,
			  .n_gangs = 2, .nodes = nodes, .n_nodes = 4,
			  .from = FROM, .until = 1505) },
};
static struct sgang_simulation simulation = { .jobs_path = "jobs",
					      .trace = &trace,
					      .site = &site,
					      .config = config,
					      .n = 2 };

/* The order of the fabric is another one than that of the names. */
static int make_fabrics(void **state)
{
	static const char text[] = "SwitchName=a Nodes=n1,n3\n"
				   "SwitchName=b Nodes=n2,n4\n"
				   "SwitchName=c Switches=a,b\n";

	(void)state;
	for (size_t i = 0; i < COUNT(config); i++) {
		config[i].fabric = sgang_fabric_parse(text, "test", names, 4,
						      NULL);
		if (!config[i].fabric)
			return -1;
	}
	return 0;
}

static int drop_fabrics(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(config); i++)
		sgang_fabric_destroy(config[i].fabric);
	return 0;
}

/* ---- the timeline ---- */

/* From column 'from' to before 'to' the row has that value, on its ends too. */
static void assert_cells(const struct sgang_simulate_raster *raster,
			 uint32_t row, uint32_t from, uint32_t to,
			 uint32_t value)
{
	const uint32_t *cells = raster->cell + row * COLUMNS;

	for (uint32_t at = from; at < to; at++)
		if (cells[at] != value)
			fail_msg("row %u column %u is %u, not %u", row, at,
				 cells[at], value);
}

static void draw(size_t which, struct sgang_simulate_raster *raster)
{
	assert_int_equal(sgang_simulate_raster(&simulation, &config[which],
					       raster, NULL),
			 0);
}

TEST(who_had_which_nodes)
{
	struct sgang_simulate_raster raster;

	draw(0, &raster);
	assert_int_equal(raster.rows, 4);
	assert_int_equal(raster.nodes, 1);
	assert_int_equal(raster.from, FROM);
	assert_int_equal(raster.until, UNTIL);
	/* n1, n3, n2, n4 */
	assert_cells(&raster, 0, 0, 100, SGANG_SIMULATE_IDLE);
	assert_cells(&raster, 0, 100, 200, SGANG_SIMULATE_HELD);
	assert_cells(&raster, 0, 200, 300, SGANG_SIMULATE_GANG);
	assert_cells(&raster, 0, 300, 400, SGANG_SIMULATE_IDLE);
	assert_cells(&raster, 0, 400, 500, SGANG_SIMULATE_GANG + 1);
	assert_cells(&raster, 0, 500, COLUMNS, SGANG_SIMULATE_IDLE);
	assert_cells(&raster, 1, 0, COLUMNS, SGANG_SIMULATE_JOBS);
	assert_cells(&raster, 2, 0, 200, SGANG_SIMULATE_IDLE);
	assert_cells(&raster, 2, 200, 300, SGANG_SIMULATE_GANG);
	assert_cells(&raster, 3, 0, COLUMNS, SGANG_SIMULATE_JOBS);
	free(raster.cell);
}

/* The time is that of the first picture, and so are the numbers of gangs. */
TEST(pictures_can_be_compared)
{
	struct sgang_simulate_raster raster;

	draw(1, &raster);
	assert_int_equal(raster.until, UNTIL);
	assert_cells(&raster, 0, 10, 110, SGANG_SIMULATE_GANG);
	assert_cells(&raster, 0, 110, COLUMNS, SGANG_SIMULATE_IDLE);
	assert_cells(&raster, 1, 5, 505, SGANG_SIMULATE_JOBS);
	assert_cells(&raster, 1, 505, COLUMNS, SGANG_SIMULATE_IDLE);
	free(raster.cell);
}

TEST(cells_as_json)
{
	struct sgang_simulate_raster raster;

	draw(0, &raster);
	sgang_simulate_raster_json(&raster, printing());
	assert_printed("[[0,100,2,100,3,100,0,100,4,100,0,460],\n"
		       "[1,960],\n[0,200,3,100,0,660],\n[1,960]]");
	free(raster.cell);
}

/* Three nodes a row: it shows what two of them do. */
TEST(rows_of_several_nodes)
{
	enum { MANY = 3 * SGANG_SIMULATE_ROWS - 4 };
	static struct sgang_trace_job job = { .id = 1, .gang = "" };
	static uint32_t has[] = { 0, 1, 3, MANY - 1, MANY - 2 };
	static struct sgang_outcome_job end = {
		.start = FROM,
		.work = FROM,
		.end = UNTIL,
		.gang = SGANG_OUTCOME_NONE,
		.n_nodes = COUNT(has),
	};
	static char name[MANY][8];
	static const char *list[MANY];
	const struct sgang_trace queue = { .jobs = &job, .n_jobs = 1 };
	const struct sgang_site large = { .names = list, .n_nodes = MANY };
	struct sgang_simulate_config alone = { .outcome = {
						       .jobs = &end,
						       .n_jobs = 1,
						       .nodes = has,
						       .n_nodes = COUNT(has),
						       .from = FROM,
						       .until = UNTIL } };
	const struct sgang_simulation all = {
		.trace = (struct sgang_trace *)&queue,
		.site = (struct sgang_site *)&large,
		.config = &alone,
		.n = 1
	};
	struct sgang_simulate_raster raster;

	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof(name[i]), "n%u", i + 1);
		list[i] = name[i];
	}
	alone.fabric = sgang_fabric_flat(list, MANY, NULL);
	assert_non_null(alone.fabric);
	assert_int_equal(sgang_simulate_raster(&all, &alone, &raster, NULL), 0);
	assert_int_equal(raster.nodes, 3);
	assert_int_equal(raster.rows, SGANG_SIMULATE_ROWS - 1);
	assert_cells(&raster, 0, 0, COLUMNS, SGANG_SIMULATE_JOBS);
	assert_cells(&raster, 1, 0, COLUMNS, SGANG_SIMULATE_IDLE);
	/* the last row has two */
	assert_cells(&raster, raster.rows - 1, 0, COLUMNS, SGANG_SIMULATE_JOBS);
	free(raster.cell);
	sgang_fabric_destroy(alone.fabric);
}

TEST(no_memory_for_a_picture)
{
	struct sgang_simulate_raster raster;
	struct sgang_error err;
	long live = fail_live;
	unsigned long n;
	int rc = -1;

	for (n = 1; rc; n++) {
		fail_at(n);
		rc = sgang_simulate_raster(&simulation, &config[0], &raster,
					   &err);
		fail_at(0);
		if (rc)
			assert_int_equal(errno, ENOMEM);
		free(raster.cell);
		assert_int_equal(fail_live, live);
	}
	assert_true(n > 4);
}

/* ---- what has changed ---- */

static ssize_t changes_of(size_t from, size_t to,
			  struct sgang_simulate_change *change, size_t most)
{
	return sgang_simulate_changes(&simulation, &config[from], &config[to],
				      change, most);
}

TEST(changes)
{
	struct sgang_simulate_change change[8];

	assert_int_equal(changes_of(0, 1, change, 8), 3);
	/* y would start at the very end */
	assert_int_equal(change[0].job, 3);
	assert_true(change[0].is_gang);
	assert_int_equal(change[0].before, 1400);
	assert_int_equal(change[0].after, 0);
	assert_int_equal(change[0].later, UNTIL - 1400);
	assert_int_equal(change[1].job, 0);
	assert_int_equal(change[1].size, 2);
	assert_int_equal(change[1].later, -190);
	assert_false(change[2].is_gang);
	assert_int_equal(change[2].job, 2);
	assert_int_equal(change[2].size, 2);
	assert_int_equal(change[2].later, 5);
	assert_int_equal(changes_of(0, 1, change, 1), 1);
	assert_int_equal(change[0].job, 3);
	assert_int_equal(changes_of(1, 1, change, 8), 0);
	fail_at(1);
	assert_int_equal(changes_of(0, 1, change, 8), -1);
	fail_at(0);
	assert_int_equal(errno, ENOMEM);
}

/* ---- how numbers look ---- */

TEST(numbers)
{
	static const struct {
		enum sgang_simulate_kind kind;
		double from, to;
		const char *shown, *change;
	} cases[] = {
		{ SGANG_SIMULATE_COUNT, 7, 5, "7", "-2" },
		{ SGANG_SIMULATE_COUNT, 0, 0, "0", "+0" },
		{ SGANG_SIMULATE_SECONDS, 90061.4, 45030.7, "1-01:01:01",
		  "-50.0 %" },
		{ SGANG_SIMULATE_SECONDS, 0, 0, "00:00:00", "+0.0 %" },
		{ SGANG_SIMULATE_SECONDS, 0, 5, "00:00:00", "-" },
		{ SGANG_SIMULATE_RATIO, 1.236, 2.472, "1.24", "+100.0 %" },
		{ SGANG_SIMULATE_AMOUNT, 12.34, 12.34, "12.3", "+0.0 %" },
		{ SGANG_SIMULATE_SHARE, 0.863, 0.9, "86.3 %", "+3.7" },
		{ SGANG_SIMULATE_RATIO, NAN, 1, "-", "-" },
		{ SGANG_SIMULATE_RATIO, 1, NAN, "1.00", "-" },
	};
	char text[SGANG_SIMULATE_SHOWN];

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_string_equal(sgang_simulate_show(cases[i].kind,
							cases[i].from, text),
				    cases[i].shown);
		assert_string_equal(
			sgang_simulate_show_change(cases[i].kind, cases[i].from,
						   cases[i].to, text),
			cases[i].change);
	}
}

/* Each row is another double of its struct. */
TEST(rows_are_of_one_number_each)
{
	static const struct sgang_simulate_row *const lists[] = {
		sgang_simulate_class_rows, sgang_simulate_ring_rows,
		sgang_simulate_cluster_rows
	};
	const struct sgang_simulate_row *row, *other;

	for (size_t i = 0; i < COUNT(lists); i++) {
		assert_non_null(lists[i]->key);
		for (row = lists[i]; row->key; row++) {
			for (other = lists[i]; other != row; other++) {
				assert_int_not_equal(other->offset,
						     row->offset);
				assert_string_not_equal(other->key, row->key);
			}
		}
	}
}

TEST_MAIN(make_fabrics, drop_fabrics)
