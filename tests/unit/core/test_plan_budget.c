/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_budget.c - plans whose steps are counted (behaviour 5.5)
 *
 * Seeded gangs of every sort are planned with budgets from one step to that of a
 * plan. Whatever there is left, a placement is valid, what is called exact is the
 * optimum, no bound is above it, and no plan takes more than it may.
 */

#include "../unit.h"
#include "bed.h"

#define SEEDS 150
#define DIMS 2
#define NODES 96

static const uint64_t budgets[] = { 1,     100,    3000,
				    30000, 300000, SGANG_PLAN_STEPS };
#define BUDGETS (COUNT(budgets))

/* A bed whose nodes have CPUs and GPUs. */
struct world {
	struct bed bed;
	uint64_t random;
	uint32_t free[NODES * DIMS];
	uint32_t total[NODES * DIMS];
	uint32_t need[BED_MEMBERS][DIMS];
	uint32_t weight[NODES];
	double slack; /* the most that a plan took beyond its
		       * budget, of what it may */
};

static uint32_t rnd(struct world *world, uint32_t below)
{
	world->random = world->random * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	return (uint32_t)(world->random >> 33) % below;
}

static void make_nodes(struct world *world)
{
	struct sgang_plan_request *request = &world->bed.request;

	for (uint32_t node = 0; node < NODES; node++) {
		world->total[node * DIMS] = 16;
		world->total[node * DIMS + 1] = 8;
		world->free[node * DIMS] = rnd(world, 17);
		world->free[node * DIMS + 1] = rnd(world, 9);
		world->weight[node] = 1 + rnd(world, 3);
	}
	request->n_dims = DIMS;
	request->free = world->free;
	request->total = world->total;
	request->weight = rnd(world, 3) ? NULL : world->weight;
	request->weight_first = rnd(world, 2);
}

static void make_members(struct world *world)
{
	struct sgang_plan_request *request = &world->bed.request;
	uint32_t alike = rnd(world, 4), i, cpus = 1, gpus = 0, units = 1;

	request->n_members = 1 + rnd(world, BED_MEMBERS);
	for (i = 0; i < request->n_members; i++) {
		if (!i || alike) {
			cpus = 1 + rnd(world, 8);
			gpus = rnd(world, 5);
			units = 1 + rnd(world, 4);
		}
		world->need[i][0] = cpus;
		world->need[i][1] = gpus;
		world->bed.member[i] =
			(struct sgang_plan_member){ .units = units,
						    .slots = cpus,
						    .ranks = 1,
						    .distinct = rnd(world, 2),
						    .need = world->need[i] };
	}
	request->any_order = rnd(world, 2);
	request->spread = !rnd(world, 6);
	request->spread_level = SGANG_LEVEL_LEAF;
}

static void open_world(struct world *world, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	bed_open(&world->bed,
		 "SwitchName=a Nodes=n[1-12]\nSwitchName=b Nodes=n[13-24]\n"
		 "SwitchName=c Nodes=n[25-48]\nSwitchName=d Nodes=n[49-56]\n"
		 "SwitchName=e Nodes=n[57-96]\nSwitchName=p Switches=a,b\n"
		 "SwitchName=q Switches=c,d\nSwitchName=t Switches=p,q,e\n",
		 1);
	world->random = seed;
	make_nodes(world);
	make_members(world);
}

/* Each unit has what it needs, and nothing is taken twice. */
static void check_placement(struct world *world,
			    const struct sgang_placement *placement)
{
	const struct sgang_plan_request *request = &world->bed.request;
	uint32_t left[NODES * DIMS], units[BED_MEMBERS] = { 0 }, d;

	memcpy(left, world->free, sizeof(left));
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];

		for (d = 0; d < DIMS; d++) {
			uint32_t take = world->need[run->member][d] *
					run->ranks;

			assert_true(left[run->node * DIMS + d] >= take);
			left[run->node * DIMS + d] -= take;
		}
		units[run->member] += run->ranks;
	}
	for (size_t i = 0; i < request->n_members; i++)
		assert_int_equal(units[i], request->members[i].units);
}

/* What a plan may take beyond its budget. */
static uint64_t most_slack(const struct world *world)
{
	const struct sgang_plan_request *request = &world->bed.request;
	uint64_t slack = SGANG_PLAN_SLACK * (request->n_members + 1) *
			 (sgang_fabric_nodes(request->fabric) +
			  sgang_fabric_domains(request->fabric));

	return (request->any_order ? 2 : 1) * slack;
}

/* Plan with a budget. Returns what is found, NULL when it does not fit. */
static struct sgang_placement *plan_with(struct world *world, uint64_t steps)
{
	struct sgang_placement *placement = NULL;
	struct sgang_budget budget;
	struct sgang_nofit nofit;
	struct sgang_error err;
	double slack;
	int rc;

	sgang_budget_init(&budget, steps);
	world->bed.request.budget = &budget;
	rc = sgang_plan(&world->bed.request, &placement, &nofit, &err);
	if (rc < 0)
		fail_msg("%s", err.text);
	assert_in_range(budget.taken, 1, steps + most_slack(world));
	slack = ((double)budget.taken - (double)steps) /
		(double)most_slack(world);
	world->slack = slack > world->slack ? slack : world->slack;
	assert_true(budget.left <= steps);
	if (rc)
		check_placement(world, placement);
	return placement;
}

/* 'full' is the plan with all steps. */
static void check_short(struct world *world, uint64_t steps,
			const struct sgang_placement *full, unsigned int *found)
{
	bool first = world->bed.request.weight &&
		     world->bed.request.weight_first;
	struct sgang_placement *placement = plan_with(world, steps);

	if (placement && !first && full) {
		if (full->exact)
			assert_true(placement->ring.cost >= full->ring.cost);
		if (placement->exact)
			assert_true(placement->ring.cost <= full->ring.cost);
		assert_true(placement->bound <= full->ring.cost);
	}
	*found += placement != NULL;
	sgang_placement_destroy(placement);
}

TEST(test_budgets)
{
	unsigned int found[BUDGETS] = { 0 }, seed, fit = 0;
	struct sgang_placement *full;
	struct world world;
	double slack = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		open_world(&world, seed);
		full = plan_with(&world, SGANG_PLAN_STEPS);
		fit += full != NULL;
		for (size_t i = 0; i < BUDGETS; i++)
			check_short(&world, budgets[i], full, &found[i]);
		slack = world.slack > slack ? world.slack : slack;
		sgang_placement_destroy(full);
		bed_close(&world.bed);
	}
	for (size_t i = 0; i < BUDGETS; i++)
		printf("# %u of %u found with %llu steps\n", found[i], fit,
		       (unsigned long long)budgets[i]);
	printf("# at most %.0f %% of the slack was used\n", slack * 100);
	assert_int_equal(found[BUDGETS - 1], fit);
	assert_true(found[0] * 10 >= fit * 9);
}

/* Two plans share one budget: the second has what the first has left. */
TEST(test_shared)
{
	struct sgang_placement *placement = NULL;
	struct sgang_budget budget;
	struct sgang_error err;
	struct world world;
	uint64_t taken;

	open_world(&world, 2);
	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	world.bed.request.budget = &budget;
	assert_true(sgang_plan(&world.bed.request, &placement, NULL, &err) >=
		    0);
	sgang_placement_destroy(placement);
	placement = NULL;
	taken = budget.taken;
	assert_int_equal(budget.left + taken, SGANG_PLAN_STEPS);
	assert_true(sgang_plan(&world.bed.request, &placement, NULL, &err) >=
		    0);
	sgang_placement_destroy(placement);
	assert_int_equal(budget.taken, 2 * taken);
	bed_close(&world.bed);
}

TEST_MAIN(NULL, NULL)
