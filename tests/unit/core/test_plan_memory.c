/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_memory.c - plans of each kind, and no memory
 *
 * Whichever allocation of a plan fails: it says so, nothing is kept and nothing
 * that the caller has is changed, but for the steps that were taken (pool.h).
 *
 * SGANG_SEEDS=N	so many worlds of each kind [6]
 */

#include "../unit.h"
#include "core/plan/explain.h"
#include "core/plan/plan.h"
#include "bed.h"
#include "fail_alloc.h"
#include "plan_worlds.h"

/* All that a plan may change. */
struct kept {
	struct sgang_nofit nofit;
	struct sgang_budget budget;
	uint32_t free[PLAN_WORLD_NODES * 2];
};

static void keep(const struct plan_world *world,
		 const struct sgang_nofit *nofit, struct kept *kept)
{
	kept->nofit = *nofit;
	kept->budget = *world->request.budget;
	memcpy(kept->free, world->free, sizeof(kept->free));
}

static void check_kept(const struct plan_world *world,
		       const struct sgang_nofit *nofit, const struct kept *kept)
{
	const struct sgang_budget *budget = world->request.budget;
	uint64_t taken = budget->taken - kept->budget.taken;

	assert_memory_equal(&kept->nofit, nofit, sizeof(*nofit));
	assert_memory_equal(kept->free, world->free, sizeof(kept->free));
	assert_int_equal(budget->left, kept->budget.left > taken ?
					       kept->budget.left - taken :
					       0);
}

/* The n-th allocation fails. Returns as sgang_plan(). */
static int plan_failing(const struct plan_world *world, unsigned long n)
{
	struct sgang_placement *made = NULL;
	static struct sgang_nofit nofit;
	static struct kept kept;
	struct sgang_error err;
	long live = fail_live;
	bool failed;
	int rc;

	sgang_budget_init(world->request.budget, SGANG_PLAN_STEPS);
	keep(world, &nofit, &kept);
	fail_at(n);
	rc = sgang_plan(&world->request, &made, &nofit, &err);
	failed = fail_happened;
	fail_at(0);
	if (!failed) {
		assert_in_range(rc + 1, 1, 2);
		sgang_placement_destroy(made);
		assert_int_equal(fail_live, live);
		return rc;
	}
	assert_int_equal(rc, -1);
	assert_int_equal(errno, ENOMEM);
	assert_string_equal(err.text, "plan: out of memory");
	assert_null(made);
	assert_int_equal(fail_live, live);
	check_kept(world, &nofit, &kept);
	return -1;
}

/* Places that could have been, with the same. */
static int explain_failing(const struct plan_world *world,
			   const struct sgang_placement *made, unsigned long n)
{
	static struct sgang_others others, before;
	long live = fail_live;
	bool failed;
	int rc;

	before = others;
	fail_at(n);
	rc = sgang_explain_others(&world->request, made, 2, &others, NULL);
	failed = fail_happened;
	fail_at(0);
	assert_int_equal(rc, failed ? -1 : 0);
	assert_int_equal(fail_live, live);
	if (failed) {
		assert_int_equal(errno, ENOMEM);
		assert_memory_equal(&before, &others, sizeof(others));
	}
	return rc;
}

static void run_out_of_memory(enum plan_world_kind kind)
{
	const char *asked = getenv("SGANG_SEEDS");
	uint64_t n = asked ? strtoul(asked, NULL, 10) : 6, seed;
	unsigned long at, most = 0;

	for (seed = 1; seed <= n; seed++) {
		struct plan_world *world = plan_world_open(kind, seed);
		struct sgang_placement *made = NULL;

		/* of those that come late not every one */
		for (at = 1; plan_failing(world, at) < 0; at += 1 + at / 64)
			;
		most = at > most ? at : most;
		if (sgang_plan(&world->request, &made, NULL, NULL) > 0) {
			for (at = 1; explain_failing(world, made, at);)
				at += 7 + at / 16;
		}
		sgang_placement_destroy(made);
		plan_world_close(world);
	}
	assert_true(most > 5);
}

TEST(test_alike)
{
	run_out_of_memory(PLAN_ALIKE);
}

TEST(test_mixed)
{
	run_out_of_memory(PLAN_MIXED);
}

TEST(test_any_order)
{
	run_out_of_memory(PLAN_ANY_ORDER);
}

TEST(test_cuts)
{
	run_out_of_memory(PLAN_CUTS);
}

TEST(test_required)
{
	run_out_of_memory(PLAN_REQUIRED);
}

TEST(test_spread)
{
	run_out_of_memory(PLAN_SPREAD);
}

TEST(test_segments)
{
	run_out_of_memory(PLAN_SEGMENTS);
}

TEST(test_tree)
{
	run_out_of_memory(PLAN_TREE);
}

TEST(test_grid)
{
	run_out_of_memory(PLAN_GRID);
}

TEST_MAIN(NULL, NULL)
