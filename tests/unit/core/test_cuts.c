/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cuts.c - the planner of cuts against trying everything
 *
 * Small seeded fabrics and gangs of four to six members of one node each, in any
 * order: units of several sizes, whole nodes, two resources, sets of nodes that
 * overlap, levels that are required, weights. Every function from members to
 * nodes is tried; the ring goes over the nodes in depth-first order. What the
 * planner calls exact must be the least cost, then the least weight, then the
 * least wholly free space broken; all else lies between bound and answer, and no
 * gang that fits is refused for certain. Each world is planned by the planner as
 * it is, by one that does not look through all placements, and by one that has
 * next to no steps.
 *
 * SEEDS=N: so many worlds.
 */

#include "../unit.h"
#include "core/plan/cuts_private.h"
#include "fail_alloc.h"
#include "oracle.h"

#define NODES_MAX 7
#define MEMBERS_MAX 6
#define SETS 3
#define WORLDS 400
#define DIMS_MAX 2

enum { WHOLE, SEARCH, SPENT, PLANNERS };
static const char *const planner_name[PLANNERS] = { "whole", "search",
						    "spent" };

struct world {
	uint64_t seed, random;
	char text[1024];
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t n_nodes;
	uint32_t free[NODES_MAX * DIMS_MAX], total[NODES_MAX * DIMS_MAX];
	uint32_t weight[NODES_MAX];
	uint32_t need[MEMBERS_MAX][DIMS_MAX];
	uint32_t level[NODES_MAX][NODES_MAX]; /* where two nodes meet */
	struct sgang_nodeset *set[SETS];
	struct sgang_plan_member member[MEMBERS_MAX];
	struct sgang_plan_group group[5];
	struct sgang_plan_request request;
};

/* The worth of a placement: the first numbers decide. */
struct worth {
	uint64_t cost;
	uint64_t weight;
	uint64_t broken;
};

static uint32_t rnd(struct world *world, uint32_t n)
{
	return fuzz_small(&world->random, n);
}

/* -- worlds -- */

/* Leaves of one to three nodes under up to two more levels. */
static void make_fabric(struct world *world)
{
	uint32_t node = 0, leaves = 0, spines = 0, n;
	char *p = world->text;
	struct sgang_error err;

	for (; node < world->n_nodes; node += n) {
		n = 1 + rnd(world, 3);
		if (n > world->n_nodes - node)
			n = world->n_nodes - node;
		p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", leaves++,
			     node, node + n - 1);
	}
	for (node = 0; node < leaves && leaves > 1; node += n) {
		n = 1 + rnd(world, 3);
		if (n > leaves - node)
			n = leaves - node;
		p += sprintf(p, "SwitchName=s%u Switches=l[%u-%u]\n", spines++,
			     node, node + n - 1);
	}
	if (spines > 1)
		sprintf(p, "SwitchName=r Switches=s[0-%u]\n", spines - 1);
	world->fabric = sgang_fabric_parse(world->text, "text", NULL, 0, &err);
	if (!world->fabric)
		fail_msg("%s\n%s", err.text, world->text);
}

static void make_nodes(struct world *world)
{
	uint32_t dims = world->request.n_dims, i, d;

	for (i = 0; i < world->n_nodes; i++) {
		for (d = 0; d < dims; d++) {
			world->total[i * dims + d] = d ? 2 : 4;
			world->free[i * dims + d] =
				rnd(world, 2) ? world->total[i * dims + d] :
						rnd(world, d ? 3 : 5);
		}
		world->weight[i] = 1 + 10 * rnd(world, 3);
	}
	for (i = 0; i < SETS; i++) {
		world->set[i] = sgang_nodeset_create(world->n_nodes);
		for (d = 0; d < world->n_nodes; d++) {
			if (i == SETS - 1 || rnd(world, 3))
				sgang_nodeset_add(world->set[i], d);
		}
	}
}

static void make_members(struct world *world)
{
	size_t n = 4 + rnd(world, MEMBERS_MAX - 3), i;
	bool sets = rnd(world, 2), whole = !rnd(world, 3);

	for (i = 0; i < n; i++) {
		struct sgang_plan_member *member = &world->member[i];

		*member = (struct sgang_plan_member){ .units = 1,
						      .distinct = true };
		if (sets)
			member->allowed = world->set[rnd(world, SETS)];
		if (whole && !rnd(world, 3))
			continue;
		member->slots = 1 + rnd(world, i % 2 ? 2 : 4);
		if (world->request.n_dims > 1) {
			world->need[i][0] = member->slots;
			world->need[i][1] = rnd(world, 3);
			member->need = world->need[i];
		}
	}
	world->request.members = world->member;
	world->request.n_members = n;
}

static void open_world(struct world *world, uint64_t seed)
{
	struct sgang_plan_request *request = &world->request;
	uint32_t i, k;

	memset(world, 0, sizeof(*world));
	world->seed = seed;
	world->random = seed * 7919 + 5;
	world->n_nodes = 4 + rnd(world, NODES_MAX - 3);
	request->n_dims = 1 + rnd(world, DIMS_MAX);
	make_fabric(world);
	make_nodes(world);
	make_members(world);
	oracle_costs(&world->costs, &world->random);
	for (i = 0; i < world->n_nodes; i++) {
		for (k = 0; k < world->n_nodes; k++)
			world->level[i][k] = oracle_meet(world->fabric, i, k);
	}
	request->fabric = world->fabric;
	request->costs = &world->costs;
	request->free = world->free;
	request->total = world->total;
	request->any_order = true;
	request->max_level = rnd(world, 3) ? SGANG_LEVEL_UNCONNECTED :
					     SGANG_LEVEL_LEAF + rnd(world, 2);
	if (rnd(world, 2))
		request->weight = world->weight;
}

static void close_world(struct world *world)
{
	uint32_t i;

	for (i = 0; i < SETS; i++)
		sgang_nodeset_destroy(world->set[i]);
	sgang_fabric_destroy(world->fabric);
}

/* -- trying everything -- */

struct brute {
	const struct world *world;
	uint32_t left[NODES_MAX * DIMS_MAX];
	uint32_t at[MEMBERS_MAX];
	uint32_t lightest;
	bool found;
	struct worth best;
};

static bool is_less(const struct worth *a, const struct worth *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	return a->weight != b->weight ? a->weight < b->weight :
					a->broken < b->broken;
}

static uint32_t lightest_node(const struct world *world)
{
	const struct sgang_plan_request *request = &world->request;
	uint32_t i, least = UINT32_MAX;
	size_t m;

	for (i = 0; request->weight && i < world->n_nodes; i++) {
		for (m = 0; m < request->n_members; m++) {
			if (request->weight[i] < least &&
			    sgang_plan_fits(request, &request->members[m], i,
					    request->free +
						    i * request->n_dims))
				least = request->weight[i];
		}
	}
	return least;
}

/* The worth of members at these nodes. False: the gang may not span as much. */
static bool measure(const struct world *world, const uint32_t *at,
		    uint32_t lightest, struct worth *worth)
{
	const struct sgang_plan_request *request = &world->request;
	const uint32_t *order = sgang_fabric_order(world->fabric);
	const uint32_t *hop = world->costs.hop;
	uint64_t ranks = 0;
	bool used[NODES_MAX] = { false };
	uint32_t node[NODES_MAX], n = 0, i, level;
	size_t m;

	for (m = 0; m < request->n_members; m++) {
		used[at[m]] = true;
		ranks += request->members[m].slots ?
				 request->members[m].slots :
				 world->total[at[m] * request->n_dims];
	}
	*worth = (struct worth){ .cost = ranks * hop[SGANG_LEVEL_ISLAND] };
	for (i = 0; i < world->n_nodes; i++) {
		if (!used[order[i]])
			continue;
		node[n++] = order[i];
		if (request->weight)
			worth->weight += request->weight[order[i]] - lightest;
	}
	for (i = 0; i < n && n > 1; i++) {
		level = world->level[node[i]][node[(i + 1) % n]];
		if (level > request->max_level ||
		    (level == SGANG_LEVEL_UNCONNECTED &&
		     !world->costs.allow_unconnected))
			return false;
		worth->cost += hop[level] - hop[SGANG_LEVEL_ISLAND];
	}
	if (request->n_dims == 1)
		worth->broken = oracle_broken(request, used);
	return true;
}

static void try_member(struct brute *brute, size_t m)
{
	const struct sgang_plan_request *request = &brute->world->request;
	uint32_t n_dims = request->n_dims, i;
	struct worth worth;

	if (m == request->n_members) {
		if (measure(brute->world, brute->at, brute->lightest, &worth) &&
		    (!brute->found || is_less(&worth, &brute->best))) {
			brute->found = true;
			brute->best = worth;
		}
		return;
	}
	for (i = 0; i < brute->world->n_nodes; i++) {
		uint32_t *left = brute->left + i * n_dims;
		uint32_t before[DIMS_MAX];

		if (!sgang_plan_fits(request, &request->members[m], i, left))
			continue;
		memcpy(before, left, n_dims * sizeof(*left));
		sgang_plan_take(request, &request->members[m], i, 1, left);
		brute->at[m] = i;
		try_member(brute, m + 1);
		memcpy(left, before, n_dims * sizeof(*left));
	}
}

static void try_all(struct brute *brute, const struct world *world)
{
	*brute = (struct brute){ .world = world,
				 .lightest = lightest_node(world) };
	memcpy(brute->left, world->free, sizeof(brute->left));
	try_member(brute, 0);
}

/* -- the planner -- */

/* Plan with the budget of a planner. Returns as sgang_plan(). */
static int plan(struct world *world, int planner,
		struct sgang_placement **placement, bool *unproved)
{
	struct sgang_plan_limits limits = sgang_plan_limits_default;
	struct sgang_budget budget;
	struct sgang_error err;
	int rc;

	sgang_budget_init(&budget, planner == SPENT ? world->seed % 200 :
						      SGANG_PLAN_STEPS);
	if (planner == SEARCH)
		limits.roles_exact_steps = 0;
	budget.limits = &limits;
	world->request.budget = &budget;
	rc = sgang_plan(&world->request, placement, NULL, &err);
	world->request.budget = NULL;
	*unproved = budget.unproved;
	if (rc < 0)
		fail_msg("%s", err.text);
	return rc;
}

/* Each member has one run, on a node that it may have and that has room; the
 * first one comes first, and all cost what they should. */
static void check_runs(const struct world *world,
		       const struct sgang_placement *placement,
		       struct worth *worth)
{
	const struct sgang_plan_request *request = &world->request;
	uint32_t left[NODES_MAX * DIMS_MAX], at[MEMBERS_MAX];
	bool seen[MEMBERS_MAX] = { false };
	size_t i;

	memcpy(left, world->free, sizeof(left));
	assert_int_equal(placement->n_runs, request->n_members);
	assert_int_equal(placement->runs[0].member, 0);
	for (i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_plan_member *member =
			&request->members[run->member];
		uint32_t *here = left + run->node * request->n_dims;

		assert_false(seen[run->member]);
		seen[run->member] = true;
		at[run->member] = run->node;
		assert_int_equal(
			sgang_plan_fits(request, member, run->node, here), 1);
		sgang_plan_take(request, member, run->node, 1, here);
	}
	assert_true(measure(world, at, lightest_node(world), worth));
	assert_int_equal(placement->ring.cost, worth->cost);
}

struct tally {
	uint32_t fit, best, exact, missed;
};

static void check_world(struct world *world, int planner, struct tally *tally)
{
	struct sgang_placement *made = NULL;
	struct brute brute;
	struct worth worth;
	bool unproved;
	int rc;

	if (!sgang_cuts_can(&world->request))
		return;
	try_all(&brute, world);
	rc = plan(world, planner, &made, &unproved);
	tally->fit += brute.found;
	if (rc != brute.found && (rc || !unproved))
		fail_msg("seed %" PRIu64 ", %s: %d, not %d\n%s", world->seed,
			 planner_name[planner], rc, brute.found, world->text);
	tally->missed += rc != brute.found;
	if (!rc)
		return;
	check_runs(world, made, &worth);
	if (is_less(&worth, &brute.best) || made->bound > brute.best.cost ||
	    (made->exact && is_less(&brute.best, &worth)))
		fail_msg("seed %" PRIu64 ", %s: cost %" PRIu64
			 " weight %" PRIu64 " broken %" PRIu64
			 ", bound %" PRIu64 ", exact %d, best %" PRIu64
			 " %" PRIu64 " %" PRIu64 "\n%s",
			 world->seed, planner_name[planner], worth.cost,
			 worth.weight, worth.broken, made->bound, made->exact,
			 brute.best.cost, brute.best.weight, brute.best.broken,
			 world->text);
	tally->exact += made->exact;
	tally->best += worth.cost == brute.best.cost;
	sgang_placement_destroy(made);
}

static void check_worlds(int planner, struct tally *tally)
{
	const char *seeds = getenv("SEEDS");
	uint64_t n = seeds ? strtoull(seeds, NULL, 10) : WORLDS, seed;
	struct world world;

	memset(tally, 0, sizeof(*tally));
	for (seed = 1; seed <= n; seed++) {
		open_world(&world, seed);
		check_world(&world, planner, tally);
		close_world(&world);
	}
	assert_true(tally->fit > n / 3);
	print_message("%s: %u fit, %u best, %u exact, %u missed\n",
		      planner_name[planner], tally->fit, tally->best,
		      tally->exact, tally->missed);
}

/* Behaviour 7.9: in worlds so small everything is found and proved. */
TEST(test_all_placements)
{
	struct tally tally;

	check_worlds(WHOLE, &tally);
	assert_int_equal(tally.missed, 0);
	assert_int_equal(tally.exact, tally.fit);
}

/* The search alone finds all that fits, and nearly always the best. */
TEST(test_search)
{
	struct tally tally;

	check_worlds(SEARCH, &tally);
	assert_int_equal(tally.missed, 0);
	assert_true(tally.best * 100 >= tally.fit * 99);
}

/* Without steps what is said is still true. */
TEST(test_no_steps)
{
	struct tally tally;

	check_worlds(SPENT, &tally);
	assert_true(tally.best * 100 >= tally.fit * 80);
}

/* -- effort -- */

/* Any placement will do, or one that is improved: both are valid, and the latter
 * costs no more. */
TEST(test_effort)
{
	struct sgang_placement *made[3] = { NULL };
	struct world world;
	struct worth worth[3];
	uint32_t n = 0, e;
	uint64_t seed;
	bool unproved;

	for (seed = 1; seed <= 100; seed++) {
		open_world(&world, seed);
		for (e = 0; e < 3 && sgang_cuts_can(&world.request); e++) {
			world.request.effort = (enum sgang_effort)e;
			if (!plan(&world, WHOLE, &made[e], &unproved))
				break;
			check_runs(&world, made[e], &worth[e]);
			assert_true(made[e]->bound <= worth[0].cost);
		}
		if (e == 3) {
			n++;
			assert_true(worth[0].cost <= worth[1].cost);
			assert_true(worth[1].cost <= worth[2].cost);
		}
		while (e-- > 0)
			sgang_placement_destroy(made[e]);
		close_world(&world);
	}
	assert_true(n > 30);
}

/* -- which gangs -- */

TEST(test_which)
{
	struct world world;
	struct sgang_plan_request *request = &world.request;
	struct sgang_nodeset *one;

	open_world(&world, 2);
	request->n_members = 4;
	request->weight = world.weight;
	world.member[0].slots = 1;
	world.member[1].slots = 2;
	assert_true(sgang_cuts_can(request));
	request->any_order = false;
	assert_false(sgang_cuts_can(request));
	request->any_order = true;
	request->weight_first = true;
	world.weight[0] = 1;
	world.weight[1] = 2;
	assert_false(sgang_cuts_can(request));
	request->weight_first = false;
	request->spread = true;
	assert_false(sgang_cuts_can(request));
	request->spread = false;
	world.member[3].units = 2;
	assert_true(sgang_cuts_can(request));
	world.member[3].units = 1;
	one = sgang_nodeset_create(world.n_nodes);
	sgang_nodeset_add(one, 0);
	world.member[3].required = one;
	assert_false(sgang_cuts_can(request));
	world.member[3].required = NULL;
	assert_true(sgang_cuts_can(request));
	sgang_nodeset_destroy(one);
	close_world(&world);
}

/* -- larger gangs -- */

#define LARGE_NODES 64
#define LARGE_MEMBERS 60

struct large {
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t free[LARGE_NODES], total[LARGE_NODES];
	struct sgang_plan_member member[LARGE_MEMBERS];
	struct sgang_plan_request request;
};

/* Eight leaves of eight nodes, partly in use, and units of four sizes. */
static void open_large(struct large *large)
{
	static const uint32_t slots[] = { 3, 5, 7, 2 };
	uint64_t random = 11;
	struct sgang_error err;
	uint32_t i;

	memset(large, 0, sizeof(*large));
	large->fabric = sgang_fabric_parse(
		"SwitchName=l0 Nodes=n[0-7]\nSwitchName=l1 Nodes=n[8-15]\n"
		"SwitchName=l2 Nodes=n[16-23]\nSwitchName=l3 Nodes=n[24-31]\n"
		"SwitchName=l4 Nodes=n[32-39]\nSwitchName=l5 Nodes=n[40-47]\n"
		"SwitchName=l6 Nodes=n[48-55]\nSwitchName=l7 Nodes=n[56-63]\n"
		"SwitchName=s0 Switches=l[0-3]\nSwitchName=s1 Switches=l[4-7]\n"
		"SwitchName=r Switches=s[0-1]\n",
		"text", NULL, 0, &err);
	assert_non_null(large->fabric);
	sgang_costs_default(&large->costs);
	for (i = 0; i < LARGE_NODES; i++) {
		large->total[i] = 8;
		large->free[i] = fuzz_small(&random, 9);
	}
	for (i = 0; i < LARGE_MEMBERS; i++)
		large->member[i] = (struct sgang_plan_member){
			.units = 1,
			.slots = slots[fuzz_small(&random, 4)],
			.distinct = true
		};
	large->request = (struct sgang_plan_request){
		.fabric = large->fabric,
		.costs = &large->costs,
		.free = large->free,
		.total = large->total,
		.members = large->member,
		.n_members = LARGE_MEMBERS / 2,
		.max_level = SGANG_LEVEL_UNCONNECTED,
		.any_order = true
	};
}

static void close_large(struct large *large)
{
	sgang_fabric_destroy(large->fabric);
}

/* The same request has the same answer. */
TEST(test_same_again)
{
	struct sgang_placement *one = NULL, *two = NULL;
	struct large large;
	struct sgang_error err;

	open_large(&large);
	assert_true(sgang_cuts_can(&large.request));
	assert_int_equal(sgang_plan(&large.request, &one, NULL, &err), 1);
	assert_int_equal(sgang_plan(&large.request, &two, NULL, &err), 1);
	assert_int_equal(one->n_runs, two->n_runs);
	assert_memory_equal(one->runs, two->runs,
			    one->n_runs * sizeof(*one->runs));
	assert_int_equal(one->bound, two->bound);
	sgang_placement_destroy(one);
	sgang_placement_destroy(two);
	close_large(&large);
}

/* More than there is room for is refused for certain, with a reason. */
TEST(test_too_much)
{
	struct sgang_placement *made = NULL;
	struct sgang_budget budget;
	struct sgang_nofit why;
	struct large large;
	struct sgang_error err;
	uint32_t i;

	open_large(&large);
	large.request.n_members = LARGE_MEMBERS;
	for (i = 0; i < LARGE_NODES; i++)
		large.free[i] = large.free[i] < 4 ? large.free[i] : 4;
	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	large.request.budget = &budget;
	assert_int_equal(sgang_plan(&large.request, &made, &why, &err), 0);
	assert_false(budget.unproved);
	assert_true(strlen(why.text) > 0);
	close_large(&large);
}

/* Without memory the planner says so, wherever it is, and leaves nothing. */
TEST(test_memory)
{
	struct sgang_placement *made = NULL;
	struct sgang_budget budget;
	struct large large;
	struct sgang_error err;
	unsigned long n;
	int rc;

	open_large(&large);
	for (n = 1;; n++) {
		long before = fail_live;

		sgang_budget_init(&budget, 40000);
		large.request.budget = &budget;
		fail_at(n);
		rc = sgang_plan(&large.request, &made, NULL, &err);
		if (!fail_happened)
			break;
		fail_countdown = 0;
		assert_int_equal(rc, -1);
		assert_int_equal(errno, ENOMEM);
		assert_non_null(strstr(err.text, "memory"));
		assert_int_equal(fail_live, before);
	}
	fail_at(0);
	assert_int_equal(rc, 1);
	assert_true(n > 10);
	sgang_placement_destroy(made);
	close_large(&large);
}

/* -- trees -- */

#define LEAVES 64
#define LEAF_NODES 16
#define REPLICAS 48
#define PARTS 2
#define PART_MEMBERS 4
#define TREE_NODES (LEAVES * LEAF_NODES)
#define TREE_MEMBERS (REPLICAS * PARTS * PART_MEMBERS)
#define TREE_GROUPS (1 + REPLICAS * (1 + PARTS))

struct tree {
	char text[LEAVES * 40];
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t free[TREE_NODES];
	struct sgang_plan_member member[TREE_MEMBERS];
	struct sgang_plan_group group[TREE_GROUPS];
	struct sgang_plan_request request;
};

/* Replicas of two roles, units of 32 and of 16 slots, in an idle cluster. */
static void open_tree(struct tree *tree)
{
	struct sgang_plan_group *group = tree->group;
	uint32_t i, part, m = 0;
	struct sgang_error err;
	char *p = tree->text;

	memset(tree, 0, sizeof(*tree));
	for (i = 0; i < LEAVES; i++)
		p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", i,
			     i * LEAF_NODES, (i + 1) * LEAF_NODES - 1);
	sprintf(p, "SwitchName=r Switches=l[0-%u]\n", LEAVES - 1);
	tree->fabric = sgang_fabric_parse(tree->text, "text", NULL, 0, &err);
	assert_non_null(tree->fabric);
	sgang_costs_default(&tree->costs);
	for (i = 0; i < TREE_NODES; i++)
		tree->free[i] = 64;
	for (i = 0; i < TREE_MEMBERS; i++)
		tree->member[i] = (struct sgang_plan_member){
			.units = 1,
			.slots = i / PART_MEMBERS % PARTS ? 16 : 32,
			.distinct = true
		};
	for (i = 0; i < TREE_GROUPS; i++)
		group[i] = (struct sgang_plan_group){
			.name = "g",
			.parent = SGANG_PLAN_NO_GROUP,
			.weight = 1,
			.require = SGANG_LEVEL_UNCONNECTED,
			.prefer = SGANG_LEVEL_UNCONNECTED
		};
	group->n_members = TREE_MEMBERS;
	for (i = 1; i < TREE_GROUPS; i += 1 + PARTS) {
		group[i].parent = 0;
		group[i].weight = 10;
		group[i].first = m;
		group[i].n_members = PARTS * PART_MEMBERS;
		for (part = 0; part < PARTS; part++, m += PART_MEMBERS) {
			group[i + 1 + part].parent = i;
			group[i + 1 + part].weight = part ? 1 : 100;
			group[i + 1 + part].first = m;
			group[i + 1 + part].n_members = PART_MEMBERS;
		}
	}
	tree->request = (struct sgang_plan_request){
		.fabric = tree->fabric,
		.costs = &tree->costs,
		.free = tree->free,
		.total = tree->free,
		.members = tree->member,
		.n_members = TREE_MEMBERS,
		.max_level = SGANG_LEVEL_UNCONNECTED,
		.group = tree->group,
		.n_groups = TREE_GROUPS
	};
}

/* A seventh of an idle cluster is room enough: each replica takes three nodes of
 * one leaf. */
TEST(test_many_replicas)
{
	struct sgang_placement *made = NULL;
	struct tree *tree = malloc(sizeof(*tree));
	uint32_t used[TREE_NODES] = { 0 }, g;
	struct sgang_error err;
	struct sgang_ring ring;
	size_t i;

	assert_non_null(tree);
	open_tree(tree);
	assert_int_equal(sgang_plan(&tree->request, &made, NULL, &err), 1);
	assert_int_equal(made->n_runs, TREE_MEMBERS);
	for (i = 0; i < made->n_runs; i++)
		used[made->runs[i].node] += made->runs[i].slots;
	for (i = 0; i < TREE_NODES; i++)
		assert_true(used[i] <= 64);
	for (g = 1; g < TREE_GROUPS; g += 1 + PARTS) {
		assert_int_equal(sgang_plan_group_ring(&tree->request, made, g,
						       &ring),
				 0);
		assert_int_equal(ring.tier, SGANG_LEVEL_LEAF);
	}
	assert_true(made->bound <= made->weighted_cost);
	sgang_placement_destroy(made);
	sgang_fabric_destroy(tree->fabric);
	free(tree);
}

/* -- differences -- */

/* A gang of two groups of two groups each, some of which prefer a level. */
static void make_groups(struct world *world)
{
	static const uint32_t parent[] = { SGANG_PLAN_NO_GROUP, 0, 1, 1, 0 };
	static const size_t first[] = { 0, 0, 0, 1, 3 };
	size_t n = world->request.n_members;
	const size_t end[] = { n, 3, 1, 3, n };
	uint32_t g;

	for (g = 0; g < COUNT(parent); g++)
		world->group[g] = (struct sgang_plan_group){
			.name = "g",
			.parent = parent[g],
			.weight = 1 + rnd(world, 10),
			.require = rnd(world, 3) ? SGANG_LEVEL_UNCONNECTED :
						   SGANG_LEVEL_LEAF,
			.prefer = rnd(world, 2) ? SGANG_LEVEL_UNCONNECTED :
						  SGANG_LEVEL_LEAF,
			.first = first[g],
			.n_members = end[g] - first[g]
		};
	world->request.group = world->group;
	world->request.n_groups = COUNT(parent);
}

/* Put units at random and take them out again: what is counted on the way is
 * what the whole placement costs. */
static void check_differences(struct world *world, const struct sgang_job *job,
			      const uint64_t *broken)
{
	struct sgang_cuts cuts = { .pool = job->pool };
	struct sgang_roles model;
	struct sgang_worth worth;
	uint32_t round, i, pos;

	assert_int_equal(sgang_roles_open(&model, job, broken), 0);
	cuts.model = &model;
	sgang_cuts_open(&cuts);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < model.n_units; i++) {
			if (cuts.at[i] != SGANG_CUTS_NOWHERE && rnd(world, 2))
				sgang_cuts_take(&cuts, i);
		}
		for (i = 0; i < model.n_units; i++) {
			uint32_t k = model.class[cuts.class_of[i]].kind;

			for (pos = rnd(world, world->n_nodes);
			     cuts.at[i] == SGANG_CUTS_NOWHERE && cuts.missing &&
			     pos < world->n_nodes;
			     pos++) {
				if (cuts.room[k][pos])
					sgang_cuts_put(&cuts, i, pos);
			}
		}
		if (cuts.missing)
			continue;
		worth = sgang_roles_measure(&model, cuts.at);
		/* what is above a required level is not counted alike */
		if (worth.price < model.never)
			assert_int_equal(cuts.price, worth.price);
		else
			assert_true(cuts.price >= (int64_t)model.never);
		assert_int_equal(cuts.tie, worth.tie);
		assert_true(sgang_roles_valid(&model, cuts.at));
	}
	sgang_cuts_clear(&cuts);
	assert_int_equal(cuts.price, cuts.base);
	assert_int_equal(cuts.tie, 0);
}

TEST(test_differences)
{
	struct world world;
	uint64_t seed;

	for (seed = 1; seed <= 200; seed++) {
		struct sgang_pool pool = { NULL };
		struct sgang_job job = { .request = &world.request,
					 .pool = &pool };
		uint64_t *broken;

		open_world(&world, seed);
		make_groups(&world);
		sgang_job_find_kinds(&job);
		broken = sgang_find_broken(&world.request, &pool);
		job.coin = sgang_coin_find(&job, broken);
		check_differences(&world, &job, broken);
		sgang_pool_clear(&pool);
		close_world(&world);
	}
}

TEST_MAIN(NULL, NULL)
