/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_parallel_brute.c - communication groups against trying everything
 *
 * Hundreds of small seeded fabrics, gangs and groups (behaviours 4.29, 4.30,
 * 4.31, 4.36). First every way to put the members' units on nodes is tried,
 * which gives all numbers of ranks that nodes can have; then every way to put
 * the logical ranks on nodes in such numbers. What the planner calls exact must
 * be the least weighted cost and, among those, the least wholly free space
 * broken; everything else must lie between. Of a planner that gives up at once,
 * by which each world is planned too, only that is asked.
 */

#include "../unit.h"
#include "core/plan/plan_private.h"
#include "oracle.h"

#define NODES_MAX 6
#define MEMBERS_MAX 4
#define RANKS_MAX 12

/* Ways to put ranks on nodes; more are not tried. */
#define WAYS_MAX 300000

enum { WHOLE, TIRED, PLANNERS };
static const char *const planner_name[PLANNERS] = { "whole", "tired" };

struct world {
	uint64_t seed;
	const char *planner;
	char text[2048];
	uint32_t n_nodes;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t free[NODES_MAX];
	uint32_t total[NODES_MAX];
	struct sgang_plan_member member[MEMBERS_MAX];
	struct sgang_nodeset *allowed; /* of all members, or NULL */
	size_t n_members;
	struct sgang_parallel parallel;
	uint32_t ranks;
	uint32_t meet[NODES_MAX][NODES_MAX];
	struct sgang_plan_request request;
};

/* -- worlds -- */

/* Leaves of 1 to 3 nodes, under one root, under a spine and a root, or under
 * nothing. */
static void make_topology(struct world *world, uint64_t *random)
{
	char *p = world->text;
	uint32_t node = 0, leaves = 0, first;

	while (node < world->n_nodes) {
		uint32_t n = 1 + fuzz_small(random, 3);

		if (n > world->n_nodes - node)
			n = world->n_nodes - node;
		p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", leaves++,
			     node, node + n - 1);
		node += n;
	}
	if (!fuzz_small(random, 8))
		return;
	first = 1 + fuzz_small(random, leaves);
	if (first == leaves || fuzz_small(random, 2)) {
		sprintf(p, "SwitchName=r Switches=l[0-%u]\n", leaves - 1);
		return;
	}
	/* the second spine may be one leaf: irregular heights */
	p += sprintf(p, "SwitchName=s Switches=l[0-%u]\n", first - 1);
	sprintf(p, "SwitchName=r Switches=s,l[%u-%u]\n", first, leaves - 1);
}

/* One node in five is not for members. */
static void make_allowed(struct world *world, uint64_t *random)
{
	world->allowed = sgang_nodeset_create(world->n_nodes);
	assert_non_null(world->allowed);
	for (uint32_t i = 0; i < world->n_nodes; i++)
		if (fuzz_small(random, 5))
			sgang_nodeset_add(world->allowed, i);
}

/* Members of one kind, or each of its own; together they have the ranks. */
static void make_members(struct world *world, uint64_t *random, bool mixed)
{
	uint32_t slots = 1 + fuzz_small(random, 4), left = world->ranks;
	uint32_t per = fuzz_small(random, 4) ? 0 : 1 + fuzz_small(random, 2);

	if (!fuzz_small(random, 6)) {
		slots = 0; /* whole nodes */
		per = 1 + fuzz_small(random, 4);
	}
	if (!fuzz_small(random, 4))
		make_allowed(world, random);
	while (left) {
		struct sgang_plan_member *member =
			&world->member[world->n_members++];
		uint32_t unit, most;

		if (mixed)
			slots = 1 + fuzz_small(random, 3);
		unit = per ? per : slots;
		if (left % unit || (mixed && unit > left)) {
			slots = 1;
			per = 0;
			unit = 1;
		}
		most = left / unit;
		member->allowed = world->allowed;
		member->slots = slots;
		member->ranks = per;
		member->units = world->n_members == MEMBERS_MAX ?
					most :
					1 + fuzz_small(random, most);
		member->distinct = !fuzz_small(random, 3);
		left -= member->units * unit;
	}
}

/* A product of one to four sizes, any weights. */
static void make_groups(struct world *world, uint64_t *random)
{
	static const uint32_t sizes[] = { 2, 3, 4, 6, 8, 9, 12 };
	static const uint32_t weights[] = { 0, 1, 1, 2, 10, 100 };
	uint32_t left, n = 0;

	left = sizes[fuzz_small(random, COUNT(sizes))];
	world->ranks = left;
	while (n < 4 && (left > 1 || !n || !fuzz_small(random, 4))) {
		struct sgang_parallel_group *group =
			&world->parallel.group[n++];
		uint32_t size = 1 + fuzz_small(random, left);

		while (left % size || (n == 4 && size != left))
			size++;
		sprintf(group->name, "g%u", n);
		group->size = size;
		group->weight = weights[fuzz_small(random, 6)];
		left /= size;
	}
	world->parallel.n = n;
}

static void make_requirements(struct world *world, uint64_t *random)
{
	world->request.max_level = fuzz_small(random, 4) ?
					   SGANG_LEVEL_UNCONNECTED :
					   1 + fuzz_small(random, 4);
	for (uint32_t g = 0; g < world->parallel.n; g++)
		world->request.require[g] = fuzz_small(random, 4) ?
						    SGANG_LEVEL_UNCONNECTED :
						    fuzz_small(random, 4);
}

static void make_nodes(struct world *world, uint64_t *random)
{
	uint32_t same = fuzz_small(random, 2) ? 1 + fuzz_small(random, 6) : 0;

	for (uint32_t i = 0; i < world->n_nodes; i++) {
		world->total[i] = same ? same : 1 + fuzz_small(random, 6);
		world->free[i] = fuzz_small(random, 3) ?
					 world->total[i] :
					 fuzz_small(random,
						    world->total[i] + 1);
	}
	world->fabric = oracle_fabric(world->text, world->seed);
	for (uint32_t i = 0; i < world->n_nodes; i++)
		for (uint32_t j = 0; j < world->n_nodes; j++)
			world->meet[i][j] = oracle_meet(world->fabric, i, j);
}

static void make_world(struct world *world, uint64_t seed, bool mixed)
{
	uint64_t random = seed * 7919 + 5;
	uint64_t ways = 1;
	uint32_t i;

	memset(world, 0, sizeof(*world));
	world->seed = seed;
	make_groups(world, &random);
	world->n_nodes = 2 + fuzz_small(&random, NODES_MAX - 1);
	for (i = 0; i < world->ranks; i++)
		ways *= world->n_nodes;
	for (; ways > WAYS_MAX; world->n_nodes--)
		for (ways = 1, i = 0; i < world->ranks; i++)
			ways *= world->n_nodes - 1;
	make_topology(world, &random);
	make_nodes(world, &random);
	oracle_costs(&world->costs, &random);
	make_members(world, &random, mixed);
	make_requirements(world, &random);
	ORACLE_REQUEST(world);
	world->request.n_members = world->n_members;
	world->request.parallel = &world->parallel;
}

/* -- trying everything -- */

/* Numbers of ranks on all nodes, read as one number. */
#define CODES 371293 /* (RANKS_MAX + 1) ^ 5 */

struct brute {
	const struct world *world;
	uint32_t unit_member[RANKS_MAX];
	uint32_t n_units;
	uint32_t at[RANKS_MAX]; /* node of each unit, then of each
				 * rank */
	uint32_t slots[NODES_MAX];
	uint32_t count[NODES_MAX];
	uint8_t *possible; /* by code: of the numbers of ranks on
			    * all nodes but the last */
	bool found;
	uint64_t cost;
	uint64_t broken;
};

static uint32_t code(const struct brute *brute)
{
	uint32_t i, number = 0;

	for (i = 0; i + 1 < brute->world->n_nodes; i++)
		number = number * (RANKS_MAX + 1) + brute->count[i];
	return number;
}

/* The slots a unit takes on a node. */
static uint32_t slots_at(const struct world *world,
			 const struct sgang_plan_member *ask, uint32_t node)
{
	return ask->slots ? ask->slots : world->total[node];
}

static bool unit_fits(const struct brute *brute, uint32_t unit, uint32_t node)
{
	const struct world *world = brute->world;
	const struct sgang_plan_member *ask =
		&world->member[brute->unit_member[unit]];

	if (brute->slots[node] + slots_at(world, ask, node) >
		    world->free[node] ||
	    (ask->allowed && !sgang_nodeset_has(ask->allowed, node)))
		return false;
	for (uint32_t i = 0; i < unit && ask->distinct; i++)
		if (brute->unit_member[i] == brute->unit_member[unit] &&
		    brute->at[i] == node)
			return false;
	return true;
}

static void try_units(struct brute *brute, uint32_t unit)
{
	const struct sgang_plan_member *ask;
	uint32_t ranks;

	if (unit == brute->n_units) {
		brute->possible[code(brute)] = 1;
		return;
	}
	ask = &brute->world->member[brute->unit_member[unit]];
	ranks = ask->ranks ? ask->ranks : ask->slots;
	for (uint32_t node = 0; node < brute->world->n_nodes; node++) {
		if (!unit_fits(brute, unit, node))
			continue;
		brute->at[unit] = node;
		brute->slots[node] += slots_at(brute->world, ask, node);
		brute->count[node] += ranks;
		try_units(brute, unit + 1);
		brute->slots[node] -= slots_at(brute->world, ask, node);
		brute->count[node] -= ranks;
	}
}

/* The weighted cost of ranks at these nodes. False: a level is too high. */
static bool cost_of(const struct world *world, const uint32_t *at,
		    uint64_t *cost)
{
	uint32_t g, rank, stride = 1, i;

	*cost = 0;
	for (g = 0; g < world->parallel.n; g++) {
		uint32_t size = world->parallel.group[g].size;

		for (rank = 0; rank < world->ranks && size > 1; rank++) {
			uint32_t k = rank / stride % size;
			uint32_t next = rank - k * stride +
					(k + 1) % size * stride;
			uint32_t level = world->meet[at[rank]][at[next]];

			if (level > world->request.require[g])
				return false;
			*cost += (uint64_t)world->parallel.group[g].weight *
				 world->costs.hop[level];
		}
		stride *= size;
	}
	for (rank = 0; rank < world->ranks; rank++)
		for (i = 0; i < rank; i++) {
			uint32_t level = world->meet[at[i]][at[rank]];

			if ((level != SGANG_LEVEL_ISLAND &&
			     level > world->request.max_level) ||
			    (level == SGANG_LEVEL_UNCONNECTED &&
			     !world->costs.allow_unconnected))
				return false;
		}
	return true;
}

/* The wholly free space that ranks at these nodes break. */
static uint64_t broken_by(const struct world *world, const uint32_t *at)
{
	bool used[NODES_MAX] = { false };

	for (uint32_t i = 0; i < world->ranks; i++)
		used[at[i]] = true;
	return oracle_broken(&world->request, used);
}

static void judge(struct brute *brute)
{
	uint64_t cost, broken;

	if (!brute->possible[code(brute)] ||
	    !cost_of(brute->world, brute->at, &cost) ||
	    (brute->found && cost > brute->cost))
		return;
	broken = broken_by(brute->world, brute->at);
	if (!brute->found || cost < brute->cost || broken < brute->broken) {
		brute->found = true;
		brute->cost = cost;
		brute->broken = broken;
	}
}

static void try_ranks(struct brute *brute, uint32_t rank)
{
	if (rank == brute->world->ranks) {
		judge(brute);
		return;
	}
	for (uint32_t node = 0; node < brute->world->n_nodes; node++) {
		brute->at[rank] = node;
		brute->count[node]++;
		try_ranks(brute, rank + 1);
		brute->count[node]--;
	}
}

static void brute_force(struct brute *brute, const struct world *world)
{
	memset(brute, 0, sizeof(*brute));
	brute->world = world;
	brute->possible = calloc(CODES, 1);
	assert_non_null(brute->possible);
	for (size_t m = 0; m < world->n_members; m++)
		for (uint32_t i = 0; i < world->member[m].units; i++)
			brute->unit_member[brute->n_units++] = (uint32_t)m;
	try_units(brute, 0);
	try_ranks(brute, 0);
	free(brute->possible);
}

/* -- what must hold of every placement -- */

static void check_runs(const struct world *world,
		       const struct sgang_placement *placement)
{
	uint32_t left[NODES_MAX], units[MEMBERS_MAX] = { 0 };

	memcpy(left, world->free, sizeof(left));
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_plan_member *ask =
			&world->member[run->member];
		uint32_t slots = slots_at(world, ask, run->node);
		uint32_t n = run->slots / slots;

		CHECK(!i || run->member == run[-1].member ||
		      run->member == run[-1].member + 1);
		CHECK(n > 0 && n * slots == run->slots);
		CHECK(!ask->allowed ||
		      sgang_nodeset_has(ask->allowed, run->node));
		CHECK(run->ranks == n * (ask->ranks ? ask->ranks : ask->slots));
		CHECK(run->slots <= left[run->node]);
		CHECK(!ask->distinct || n == 1);
		left[run->node] -= run->slots;
		units[run->member] += n;
	}
	for (size_t i = 0; i < world->n_members; i++)
		CHECK(units[i] == world->member[i].units);
}

/* at[r] becomes the node of rank r. */
static void find_ranks(const struct world *world,
		       const struct sgang_placement *placement, uint32_t *at)
{
	uint32_t position = 0, k;

	for (size_t i = 0; i < world->ranks; i++)
		at[i] = SGANG_NODE_NONE;
	for (size_t i = 0; i < placement->n_runs; i++)
		for (k = 0; k < placement->runs[i].ranks; k++, position++) {
			uint32_t rank = placement->layout ?
						placement->layout[position] :
						position;

			CHECK(rank < world->ranks);
			CHECK(at[rank] == SGANG_NODE_NONE);
			at[rank] = placement->runs[i].node;
		}
	CHECK(position == world->ranks);
}

static void check_placement(const struct world *world,
			    const struct brute *brute,
			    const struct sgang_placement *placement)
{
	struct sgang_parallel_cost cost;
	uint32_t at[RANKS_MAX];
	uint64_t sum;

	CHECK(brute->found);
	check_runs(world, placement);
	find_ranks(world, placement, at);
	CHECK(cost_of(world, at, &sum));
	CHECK(sum == placement->weighted_cost);
	CHECK(!sgang_parallel_measure(world->fabric, &world->costs,
				      placement->runs, placement->n_runs,
				      &world->parallel, placement->layout,
				      &cost, NULL));
	CHECK(cost.weighted == sum);
	CHECK(placement->bound <= brute->cost);
	CHECK(brute->cost <= sum);
	if (placement->exact) {
		CHECK(sum == brute->cost);
		CHECK(placement->bound == sum);
		CHECK(broken_by(world, at) == brute->broken);
	}
}

struct tally {
	unsigned int fit, exact, best, missed;
	double ratio, worst;
};

static void set_limits(struct sgang_plan_limits *limits, unsigned int planner)
{
	*limits = sgang_plan_limits_default;
	if (planner == TIRED) {
		limits->blocks_steps = 40;
		limits->cut_steps = 20;
		limits->order_hops = 100;
	}
}

static void try_planner(struct world *world, const struct brute *brute,
			unsigned int planner, struct tally *tally)
{
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit = { .text = "" };
	struct sgang_plan_limits limits;
	struct sgang_budget budget;
	double ratio = 1;
	int rc;

	world->planner = planner_name[planner];
	set_limits(&limits, planner);
	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	budget.limits = &limits;
	world->request.budget = &budget;
	rc = sgang_plan(&world->request, &placement, &nofit, NULL);
	CHECK(rc >= 0);
	tally->fit += brute->found;
	if (rc) {
		check_placement(world, brute, placement);
		tally->exact += placement->exact;
		tally->best += placement->weighted_cost == brute->cost;
		if (brute->cost)
			ratio = (double)placement->weighted_cost /
				(double)brute->cost;
		tally->ratio += ratio;
		if (ratio > tally->worst)
			tally->worst = ratio;
	} else {
		CHECK(nofit.text[0]);
		tally->missed += brute->found;
	}
	sgang_placement_destroy(placement);
}

static void try_world(uint64_t seed, bool mixed, struct tally *tally)
{
	struct world made, *world = &made;
	struct brute brute;

	make_world(world, seed, mixed);
	brute_force(&brute, world);
	for (unsigned int planner = 0; planner < PLANNERS; planner++)
		try_planner(world, &brute, planner, &tally[planner]);
	sgang_nodeset_destroy(world->allowed);
	sgang_fabric_destroy(world->fabric);
}

/* One tally a planner. */
static void try_worlds(const char *title, bool mixed, struct tally *tally)
{
	memset(tally, 0, PLANNERS * sizeof(*tally));
	for (uint64_t seed = 1; seed <= 600; seed++)
		try_world(seed, mixed, tally);
	for (unsigned int planner = 0; planner < PLANNERS; planner++, tally++) {
		tally->ratio /= tally->fit - tally->missed;
		print_message(
			"# %s, %s: %u fit, %u optimal, %u proved, %u missed, "
			"cost/optimum mean %.4f worst %.3f\n",
			title, planner_name[planner], tally->fit, tally->best,
			tally->exact, tally->missed, tally->ratio,
			tally->worst);
		assert_true(tally->fit > 250);
	}
}

/* Members that are alike. */
TEST(test_alike)
{
	struct tally tally[PLANNERS];

	try_worlds("alike", false, tally);
	assert_int_equal(tally[WHOLE].missed, 0);
	assert_true(tally[WHOLE].exact * 10 >= tally[WHOLE].fit * 9);
	assert_true(tally[WHOLE].ratio <= 1.01);
}

/* Members of different shapes. */
TEST(test_mixed)
{
	struct tally tally[PLANNERS];

	try_worlds("mixed", true, tally);
	assert_true(tally[WHOLE].missed * 100 <= tally[WHOLE].fit);
	assert_true(tally[WHOLE].ratio <= 1.02);
}

TEST_MAIN(NULL, NULL)
