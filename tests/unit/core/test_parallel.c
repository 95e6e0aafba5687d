/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_parallel.c - communication groups (behaviours 4.17, 4.29 to 4.32,
 * 4.36) */

#include "../unit.h"
#include "core/fabric/devices.h"
#include "core/gang/policy.h"
#include "fail_plan.h"
#include "textbook.h"

/* What is read, and what it is in full. */
TEST(test_parse)
{
	static const struct {
		const char *text, *full;
		uint64_t ranks;
	} cases[] = {
		{ "tp=8,dp=4,pp=2", "tp=8,dp=4,pp=2:tp=100,dp=10,pp=1", 64 },
		{ "tp=4,dp=4", "tp=4,dp=4:tp=100,dp=10", 16 },
		{ "a=1,b=1,c=1,d=1", "a=1,b=1,c=1,d=1:a=100,b=10,c=1,d=1", 1 },
		/* any name, any order */
		{ "ep=2,cp=3:cp=7,ep=0", "ep=2,cp=3:ep=0,cp=7", 6 },
		{ "pp=2,tp=8:tp=100,pp=1", "pp=2,tp=8:pp=1,tp=100", 16 },
		{ "a_b-c0123456789=1000000:a_b-c0123456789=1000000",
		  "a_b-c0123456789=1000000:a_b-c0123456789=1000000", 1000000 },
		{ "x=002", "x=2:x=100", 2 },
	};
	char shown[SGANG_PARALLEL_SHOWN];
	struct sgang_parallel parallel;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (sgang_parallel_parse(cases[i].text, &parallel, &err))
			fail_msg("%s: %s", cases[i].text, err.text);
		sgang_parallel_format(shown, &parallel);
		assert_string_equal(shown, cases[i].full);
		assert_int_equal(sgang_parallel_ranks(&parallel),
				 cases[i].ranks);
		/* what is written can be read again */
		assert_int_equal(sgang_parallel_parse(shown, &parallel, NULL),
				 0);
		assert_string_equal(sgang_parallel_format(shown, &parallel),
				    cases[i].full);
	}
}

TEST(test_refuse)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "tp", "\"tp\": expected GROUP=NUMBER like tp=8" },
		{ "tp=8,", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "tp=8,,dp=2", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "=8", "\"\": the name of a group has 1 to 15 of the "
			"characters a-z, 0-9, '_' and '-'" },
		{ "TP=8", "\"TP\": the name of a group has 1 to 15 of the "
			  "characters a-z, 0-9, '_' and '-'" },
		{ "a123456789012345=8",
		  "\"a123456789012345\": the name of a "
		  "group has 1 to 15 of the characters a-z, 0-9, '_' and '-'" },
		{ "tp=0", "tp=0: expected a number from 1 to 1000000" },
		{ "tp=-1", "tp=-1: expected a number from 1 to 1000000" },
		{ "tp=1.5", "tp=1.5: expected a number from 1 to 1000000" },
		{ "tp=1000001", "tp=1000001: expected a number from 1 to "
				"1000000" },
		{ "tp=2,tp=3", "the group tp is named twice" },
		{ "tp=1000000,dp=1000000", "the groups make more than "
					   "2147483647 ranks" },
		{ "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1",
		  "there are at most 8 groups" },
		{ "tp=2:", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "tp=2:dp=1", "there is a weight for dp, but no group of that "
			       "name" },
		{ "tp=2:tp=1,tp=2", "the weight of tp is given twice" },
		{ "tp=2,dp=2:tp=1", "the weight of dp is missing; give all "
				    "weights or none" },
		{ "tp=2:tp=1000001", "tp=1000001: expected a number from 0 to "
				     "1000000" },
		{ "tp=2:tp=1:tp=1", "tp=1:tp=1: expected a number from 0 to "
				    "1000000" },
	};
	struct sgang_parallel parallel, before;
	struct sgang_error err;
	char text[4096];

	memset(&parallel, 0x5a, sizeof(parallel));
	before = parallel;
	for (size_t i = 0; i < COUNT(cases); i++) {
		errno = 0;
		assert_int_equal(sgang_parallel_parse(cases[i].text, &parallel,
						      &err),
				 -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(err.text, cases[i].says);
	}
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(sgang_parallel_parse(text, &parallel, &err), -1);
	assert_string_equal(err.text, "this is too long, expected at most 8 "
				      "groups like tp=8,dp=4,pp=2");
	assert_memory_equal(&parallel, &before, sizeof(before));
}

/* 4.32: of so many ranks, with one size left open. */
TEST(test_open_size)
{
	static const struct {
		const char *text;
		uint64_t ranks;
		const char *full; /* or why not */
	} cases[] = {
		{ "tp=4,dp=2", 3, "tp=4,dp=2:tp=100,dp=10" },
		{ "tp=4,dp=?", 12, "tp=4,dp=3:tp=100,dp=10" },
		{ "tp=?,dp=2:tp=1,dp=7", 12, "tp=6,dp=2:tp=1,dp=7" },
		{ "tp=4,dp=?", 0, "tp=4,dp=1:tp=100,dp=10" },
		{ "tp=4,dp=?", 14,
		  "the groups tp=4,dp=? make a multiple of 4 ranks, but the gang has 14" },
		{ "tp=4,dp=?", 4000004, "4000004 ranks are too many for dp" },
		{ "tp=?,dp=?", 4, "dp=?: expected a number from 1 to 1000000" },
	};
	char shown[SGANG_PARALLEL_SHOWN];
	struct sgang_parallel parallel;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		int rc = sgang_parallel_of(cases[i].text, cases[i].ranks,
					   &parallel, &err);

		assert_string_equal(
			rc ? err.text : sgang_parallel_format(shown, &parallel),
			cases[i].full);
	}
}

/* Groups that are written right. */
static struct sgang_parallel groups_of(const char *text)
{
	struct sgang_parallel parallel;
	struct sgang_error err;

	if (sgang_parallel_parse(text, &parallel, &err))
		fail_msg("%s: %s", text, err.text);
	return parallel;
}

TEST(test_check)
{
	struct sgang_parallel parallel;
	struct sgang_error err;

	parallel = groups_of("tp=8,dp=4");
	assert_int_equal(sgang_parallel_check(&parallel, 32, &err), 0);
	assert_int_equal(sgang_parallel_check(&parallel, 16, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "the groups tp=8,dp=4 make 32 ranks, but "
				      "the gang has 16");
	assert_int_equal(sgang_parallel_find(&parallel, "dp"), 1);
	assert_int_equal(sgang_parallel_find(&parallel, "pp"), -1);
}

/* -- the golden numbers of behaviours section 4 -- */

#define GPUS TEXTBOOK_GPUS

/* Rank r is on GPU gpu(r), which is on node gpu(r) div 4. */
static void measure(const struct textbook *book, const char *groups,
		    uint32_t (*gpu)(uint32_t rank),
		    struct sgang_parallel_cost *cost)
{
	const struct sgang_parallel parallel = groups_of(groups);
	uint32_t ranks = (uint32_t)sgang_parallel_ranks(&parallel);
	struct sgang_run runs[GPUS];
	struct sgang_error err;

	for (uint32_t i = 0; i < ranks; i++)
		runs[i] = (struct sgang_run){ .node = gpu(i) / 4,
					      .ranks = 1,
					      .slots = 1 };
	if (sgang_parallel_measure(book->fabric, &book->costs, runs, ranks,
				   &parallel, NULL, cost, &err))
		fail_msg("%s: %s", groups, err.text);
}

static uint32_t packed(uint32_t rank)
{
	return rank;
}

/* The four ranks of a tp group are in four racks. */
static uint32_t scattered(uint32_t rank)
{
	return rank % 4 * 8 + rank / 4;
}

TEST(test_golden)
{
	static const struct {
		const char *groups;
		uint32_t (*gpu)(uint32_t rank);
		uint64_t weighted, cost[3];
		uint32_t tier[3];
	} cases[] = {
		/* 4.36: both readings of exercise 33.5.2 */
		{ "tp=4,dp=4:tp=100,dp=10", packed, 3200, LIST(16, 160),
		  LIST(SGANG_LEVEL_ISLAND, SGANG_LEVEL_LEAF + 1) },
		{ "tp=4,dp=4:tp=100,dp=10", scattered, 25760, LIST(256, 16),
		  LIST(SGANG_LEVEL_LEAF + 1, SGANG_LEVEL_ISLAND) },
		{ "tp=4,dp=2,pp=2", packed, 2496, LIST(16, 64, 256),
		  LIST(SGANG_LEVEL_ISLAND, SGANG_LEVEL_LEAF,
		       SGANG_LEVEL_LEAF + 1) },
		{ "tp=4,dp=2,pp=2", scattered, 25776, LIST(256, 16, 16),
		  LIST(SGANG_LEVEL_LEAF + 1, SGANG_LEVEL_ISLAND,
		       SGANG_LEVEL_ISLAND) },
		/* a weight of 0 counts nothing, groups of one cost nothing */
		{ "tp=4,dp=4:dp=0,tp=1", packed, 16, LIST(16, 160),
		  LIST(SGANG_LEVEL_ISLAND, SGANG_LEVEL_LEAF + 1) },
		{ "x=1,tp=4,y=1:x=9,tp=3,y=7", packed, 12, LIST(0, 4, 0),
		  LIST(SGANG_LEVEL_ISLAND, SGANG_LEVEL_ISLAND,
		       SGANG_LEVEL_ISLAND) },
		{ "tp=1", packed, 0, LIST(0), LIST(SGANG_LEVEL_ISLAND) },
		/* one group of all is the ring itself: 4.18 */
		{ "ep=8:ep=1", packed, 14, LIST(14), LIST(SGANG_LEVEL_LEAF) },
	};
	struct sgang_parallel_cost cost;

	for (size_t i = 0; i < COUNT(cases); i++) {
		measure(*state, cases[i].groups, cases[i].gpu, &cost);
		assert_int_equal(cost.weighted, cases[i].weighted);
		for (size_t g = 0; g < 3; g++) {
			assert_int_equal(cost.group[g].cost, cases[i].cost[g]);
			assert_int_equal(cost.group[g].tier, cases[i].tier[g]);
		}
	}
	measure(*state, "tp=4,dp=4", scattered, &cost);
	assert_int_equal(cost.group[0].cross_links, 16);
	assert_int_equal(cost.group[1].cross_links, 0);
}

/* Ranks may be numbered otherwise than positions. */
TEST(test_layout)
{
	static const struct sgang_run packed_runs[] = {
		{ .node = 0, .ranks = 4 },
		{ .node = 1, .ranks = 4 },
		{ .node = 2, .ranks = 4 },
		{ .node = 3, .ranks = 4 },
	};
	const struct textbook *book = *state;
	struct sgang_parallel_digit digits[SGANG_PARALLEL_MAX];
	struct sgang_parallel_cost cost;
	struct sgang_parallel parallel;
	uint32_t layout[16], n, i;

	/* dp varies fastest, tp is the heaviest: a tp group is 0 4 8 12 */
	assert_int_equal(sgang_parallel_parse("dp=4,tp=4:dp=10,tp=100",
					      &parallel, NULL),
			 0);
	n = sgang_parallel_heaviest_first(&parallel, digits);
	assert_int_equal(n, 2);
	assert_false(sgang_parallel_layout(&parallel, digits, n, layout));
	for (i = 0; i < 16; i++)
		assert_int_equal(layout[i], i % 4 * 4 + i / 4);
	assert_int_equal(sgang_parallel_measure(book->fabric, &book->costs,
						packed_runs, 4, &parallel,
						layout, &cost, NULL),
			 0);
	assert_int_equal(cost.weighted, 3200);
	/* the user's order is by weight already, equal weights stay */
	assert_int_equal(sgang_parallel_parse("a=2,b=2,c=4:a=7,b=7,c=7",
					      &parallel, NULL),
			 0);
	n = sgang_parallel_heaviest_first(&parallel, digits);
	assert_true(sgang_parallel_layout(&parallel, digits, n, layout));
	/* squares of 2 x 2: each group has two digits */
	parallel = groups_of("a=4,b=4:a=1,b=1");
	for (i = 0; i < 4; i++)
		digits[i] = (struct sgang_parallel_digit){ i % 2, 2 };
	assert_false(sgang_parallel_layout(&parallel, digits, 4, layout));
	assert_int_equal(layout[3], 5);
	assert_int_equal(layout[4], 2);
	assert_int_equal(layout[15], 15);
}

TEST(test_measure_refuses)
{
	static const struct sgang_run runs[] = { { .node = 0, .ranks = 3 },
						 { .node = 7, .ranks = 3 } };
	const struct textbook *book = *state;
	struct sgang_costs costs = book->costs;
	struct sgang_parallel_cost cost;
	struct sgang_parallel parallel;
	struct sgang_error err;

	parallel = groups_of("tp=4");
	assert_int_equal(sgang_parallel_measure(book->fabric, &costs, runs, 2,
						&parallel, NULL, &cost, &err),
			 -1);
	assert_string_equal(err.text, "the groups tp=4 make 4 ranks, but the "
				      "gang has 6");
	parallel = groups_of("tp=6:tp=1000000");
	costs.hop[SGANG_LEVEL_LEAF + 1] = UINT32_MAX;
	assert_int_equal(sgang_parallel_measure(book->fabric, &costs, runs, 2,
						&parallel, NULL, &cost, &err),
			 0);
	assert_int_equal(cost.weighted,
			 UINT64_C(1000000) * (2 * UINT64_C(0xffffffff) + 4));
	assert_int_equal(sgang_parallel_measure(book->fabric, &costs, runs, 0,
						&parallel, NULL, &cost, &err),
			 -1);
	assert_int_equal(errno, EINVAL);
}

/* -- levels that groups require -- */

TEST(test_require)
{
	const struct textbook *book = *state;
	uint32_t require[SGANG_PARALLEL_MAX], i;
	struct sgang_parallel parallel;
	struct sgang_policy policy;
	struct sgang_error err;

	parallel = groups_of("tp=8,dp=4");
	assert_int_equal(sgang_policy_parse("require:spine,require:dp:leaf",
					    &policy, NULL),
			 0);
	assert_int_equal(sgang_policy_require(&parallel, &policy, &book->costs,
					      require, NULL),
			 0);
	assert_int_equal(require[1], SGANG_LEVEL_LEAF);
	for (i = 0; i < SGANG_PARALLEL_MAX; i++)
		if (i != 1)
			assert_int_equal(require[i], SGANG_LEVEL_UNCONNECTED);
	assert_int_equal(sgang_policy_parse("require:ep:leaf", &policy, NULL),
			 0);
	assert_int_equal(sgang_policy_require(&parallel, &policy, &book->costs,
					      require, &err),
			 -1);
	assert_string_equal(err.text, "require:ep:leaf: there is no "
				      "communication group \"ep\"");
	assert_int_equal(require[1], SGANG_LEVEL_LEAF);
}

/* -- plans -- */

/* 'units' units of 'slots' slots on a fabric whose places have four, for these
 * groups, the first of which must stay within a level. */
struct plan {
	uint32_t slots[GPUS];
	struct sgang_plan_member member;
	struct sgang_parallel parallel;
	struct sgang_plan_request request;
};

static void make_plan(struct plan *plan, const struct textbook *book,
		      const struct sgang_fabric *fabric, uint32_t units,
		      const char *groups, uint32_t level)
{
	memset(plan, 0, sizeof(*plan));
	for (uint32_t i = 0; i < GPUS; i++)
		plan->slots[i] = 4;
	for (uint32_t i = 0; i < SGANG_PARALLEL_MAX; i++)
		plan->request.require[i] = SGANG_LEVEL_UNCONNECTED;
	plan->parallel = groups_of(groups);
	plan->member.units = units;
	plan->member.slots = 1;
	plan->request.fabric = fabric;
	plan->request.costs = &book->costs;
	plan->request.free = plan->request.total = plan->slots;
	plan->request.members = &plan->member;
	plan->request.n_members = 1;
	plan->request.max_level = SGANG_LEVEL_UNCONNECTED;
	plan->request.parallel = &plan->parallel;
	plan->request.require[0] = level;
}

/* 4.30: inside nodes of two islands a dp group stays in its node. */
TEST(test_islands)
{
	static const uint32_t islands[] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	const struct textbook *book = *state;
	struct sgang_devices *devices = sgang_devices_create(book->fabric,
							     islands, NULL);
	struct sgang_placement *placement = NULL;
	struct sgang_parallel_cost cost;
	struct plan plan;

	assert_non_null(devices);
	make_plan(&plan, book, devices->fabric, 16,
		  "tp=4,pp=2,dp=2:"
		  "tp=100,pp=1,dp=10",
		  SGANG_LEVEL_ISLAND);
	assert_int_equal(sgang_plan(&plan.request, &placement, NULL, NULL), 1);
	assert_int_equal(placement->weighted_cost,
			 16 * 1 * 100 + 16 * 4 * 1 + 16 * 2 * 10);
	assert_true(placement->exact);
	assert_int_equal(sgang_parallel_measure(
				 devices->fabric, &book->costs, placement->runs,
				 placement->n_runs, &plan.parallel,
				 placement->layout, &cost, NULL),
			 0);
	assert_int_equal(cost.weighted, placement->weighted_cost);
	assert_int_equal(cost.group[0].tier, SGANG_LEVEL_ISLAND);
	assert_int_equal(cost.group[1].tier, SGANG_LEVEL_LEAF);
	assert_int_equal(cost.group[2].tier, SGANG_LEVEL_NODE);
	sgang_placement_destroy(placement);
	sgang_devices_destroy(devices);
}

/* Whichever allocation fails, it is said and nothing leaks. */
TEST(test_no_memory)
{
	static const char *const groups[] = { "tp=4,dp=5", "tp=5,dp=4",
					      "tp=3,dp=6,pp=1:tp=1,dp=1,pp=1" };
	struct plan plan;

	for (size_t i = 0; i < COUNT(groups); i++) {
		make_plan(&plan, *state, ((struct textbook *)*state)->fabric,
			  i == 2 ? 18 : 20, groups[i],
			  i == 1 ? SGANG_LEVEL_ISLAND :
				   SGANG_LEVEL_UNCONNECTED);
		plan.slots[1] = 3;
		assert_int_equal(fail_plans(&plan.request, 4), i != 1);
	}
}

TEST_MAIN(open_textbook, close_textbook)
