/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_brute.c - the planner against trying everything
 *
 * Hundreds of small seeded fabrics and gangs. Every function from the ring's
 * places to the nodes is tried, which includes every order of a member's own
 * nodes. What the planner calls exact must be the least cost and, among those,
 * the least wholly free space broken; everything else must lie between. In
 * worlds so small everything but mixed members in different domains is proved.
 * Each world is planned three times: by the planner as it is, by one that takes
 * its ways for large fabrics at once, and by one that in addition gives up at
 * once, which proves less.
 */

#include <limits.h>

#include "../unit.h"
#include "core/fabric/devices.h"
#include "core/plan/plan_private.h"
#include "oracle.h"

#define NODES_MAX 9
#define MEMBERS_MAX 4
#define UNITS_MAX 6

enum { WHOLE, HULLS, TIRED, PLANNERS };
static const char *const planner_name[PLANNERS] = { "whole", "hulls", "tired" };

/* What the members of a world are like, and what its places are; any sum. */
enum world_kind {
	ALIKE = 0,    /* members that are all alike */
	MIXED = 1,    /* each asks for something of its own */
	INSIDE = 2,   /* on islands of nodes */
	SPREAD = 4,   /* members in different domains */
	EQUAL = 8,    /* each on as many distinct nodes */
	TURNS = 16,   /* two or three shapes that take turns */
	WEIGHTS = 32, /* nodes weigh something, which in half
		       * of the worlds comes first */
	REQUIRED = 64 /* members require some nodes */
};

struct world {
	uint64_t seed;
	const char *planner;
	char text[4096];
	uint32_t n_nodes; /* or islands */
	struct sgang_fabric *fabric;
	struct sgang_fabric *nodes; /* of a device fabric, or NULL */
	struct sgang_devices *devices;
	struct sgang_costs costs;
	uint32_t free[NODES_MAX];
	uint32_t total[NODES_MAX];
	uint32_t weight[NODES_MAX];
	struct sgang_plan_member member[UNITS_MAX];
	struct sgang_nodeset *allowed[UNITS_MAX];
	struct sgang_nodeset *required[UNITS_MAX];
	size_t n_members;
	uint32_t units;
	struct sgang_plan_request request;
};

/* -- worlds -- */

/* Write switches that join 'n' things called prefix<from>.. into groups, until
 * one is left or chance leaves several roots. */
static void make_topology(struct world *world, uint64_t *random)
{
	char *p = world->text;
	uint32_t node = 0, from = 0, to = 0, levels = 1 + fuzz_small(random, 3);

	while (node < world->n_nodes) {
		uint32_t n = 1 + fuzz_small(random, 3);

		if (n > world->n_nodes - node)
			n = world->n_nodes - node;
		/* some nodes are in no switch */
		if (!to || fuzz_small(random, 12))
			p += sprintf(p, "SwitchName=s%u Nodes=n[%u-%u]\n", to++,
				     node, node + n - 1);
		node += n;
	}
	while (levels-- && to - from > 1) {
		uint32_t next = to;

		while (from < next) {
			uint32_t n = 1 + fuzz_small(random, 3);

			if (n > next - from)
				n = next - from;
			/* a single one may rise a level: irregular heights */
			p += sprintf(p, "SwitchName=s%u Switches=s[%u-%u]\n",
				     to++, from, from + n - 1);
			from += n;
		}
	}
}

static void make_nodes(struct world *world, uint64_t *random)
{
	uint32_t same = fuzz_small(random, 2) ? 1 + fuzz_small(random, 4) : 0;

	for (uint32_t i = 0; i < world->n_nodes; i++) {
		world->total[i] = same ? same : 1 + fuzz_small(random, 4);
		world->free[i] = fuzz_small(random, 3) ?
					 world->total[i] :
					 fuzz_small(random,
						    world->total[i] + 1);
	}
}

static void make_allowed(struct world *world, uint64_t *random, size_t i)
{
	world->allowed[i] = sgang_nodeset_create(world->n_nodes);
	assert_non_null(world->allowed[i]);
	for (uint32_t node = 0; node < world->n_nodes; node++) {
		if (fuzz_small(random, 4))
			sgang_nodeset_add(world->allowed[i], node);
	}
	world->member[i].allowed = world->allowed[i];
}

static void make_members(struct world *world, uint64_t *random, bool mixed)
{
	uint32_t left = 1 + fuzz_small(random, UNITS_MAX);
	struct sgang_plan_member *member;

	while (left && world->n_members < MEMBERS_MAX) {
		size_t i = world->n_members++;

		member = &world->member[i];
		member->slots = fuzz_small(random, 4);
		member->ranks = fuzz_small(random, 3) ?
					0 :
					1 + fuzz_small(random, 3);
		if (i && !mixed)
			*member = world->member[0];
		else if (!fuzz_small(random, 3))
			make_allowed(world, random, i);
		member->distinct = fuzz_small(random, 2);
		member->units = 1 + fuzz_small(random, left);
		left -= member->units;
		world->units += member->units;
	}
}

/* Two or three shapes in turn, as often as there is room for them. */
static void make_turns(struct world *world, uint64_t *random)
{
	uint32_t period = 2 + fuzz_small(random, 2), i;

	for (i = 0; i < period || fuzz_small(random, 5); i++) {
		struct sgang_plan_member member = {
			.units = fuzz_small(random, 4) ? 1 : 2,
			.slots = 1 + fuzz_small(random, 3),
			.distinct = fuzz_small(random, 2)
		};

		if (i >= period)
			member = world->member[i - period];
		if (world->units + member.units > UNITS_MAX)
			break;
		world->member[world->n_members++] = member;
		world->units += member.units;
	}
}

/* Look inside the nodes, which become fewer: there are as many islands. */
static void look_inside(struct world *world, uint64_t *random)
{
	uint32_t islands[NODES_MAX], n = sgang_fabric_nodes(world->fabric), i;
	struct sgang_error err;

	for (i = 0, world->n_nodes = 0; i < n; i++) {
		islands[i] = 1 + fuzz_small(random, 3);
		world->n_nodes += islands[i];
	}
	world->nodes = world->fabric;
	world->devices = sgang_devices_create(world->nodes, islands, &err);
	if (!world->devices)
		fail_msg("seed %lu: %s", (unsigned long)world->seed, err.text);
	world->fabric = world->devices->fabric;
}

/* Members in different domains of a level; unless they are mixed, all of them
 * want the same. */
static void make_spread(struct world *world, uint64_t *random, bool mixed)
{
	world->request.spread = true;
	world->request.spread_level = fuzz_small(random, 5);
	if (mixed)
		return;
	world->n_members = 2 + fuzz_small(random, 2);
	world->member[0].units =
		1 + fuzz_small(random, UNITS_MAX / (uint32_t)world->n_members);
	for (size_t i = 1; i < world->n_members; i++)
		world->member[i] = world->member[0];
	world->units = (uint32_t)world->n_members * world->member[0].units;
}

/* Members that are all the same, each on several nodes, of which others may
 * have a part. */
static void make_equal(struct world *world, uint64_t *random)
{
	world->n_members = 2 + fuzz_small(random, 2);
	world->member[0].distinct = true;
	world->member[0].slots = 1 + !fuzz_small(random, 4);
	world->member[0].units = world->n_members == 3 ?
					 2 :
					 2 + fuzz_small(random, 2);
	for (size_t i = 1; i < world->n_members; i++)
		world->member[i] = world->member[0];
	world->units = (uint32_t)world->n_members * world->member[0].units;
}

/* Half of the members require one or two of the nodes, a unit on each;
 * sometimes more than they can have. */
static void make_required(struct world *world, uint64_t *random)
{
	uint32_t n;

	for (size_t i = 0; i < world->n_members; i++) {
		if (fuzz_small(random, 2))
			continue;
		world->required[i] = sgang_nodeset_create(world->n_nodes);
		assert_non_null(world->required[i]);
		for (n = 1 + fuzz_small(random, 2); n; n--)
			sgang_nodeset_add(world->required[i],
					  fuzz_small(random, world->n_nodes));
		world->member[i].required = world->required[i];
	}
}

/* The islands of a node weigh what it weighs. */
static void make_weights(struct world *world, uint64_t *random)
{
	uint32_t i, same = fuzz_small(random, 3), classes[NODES_MAX];

	for (i = 0; i < NODES_MAX; i++)
		classes[i] = same ? 1 + 9 * fuzz_small(random, 3) :
				    fuzz_small(random, 1000000);
	for (i = 0; i < world->n_nodes; i++)
		world->weight[i] =
			classes[world->devices ? world->devices->node[i] : i];
	world->request.weight = world->weight;
	world->request.weight_first = fuzz_small(random, 2);
}

static void make_world(struct world *world, uint64_t seed, enum world_kind kind)
{
	uint64_t random = seed * 977 + 13;
	struct sgang_error err;
	const char *names[NODES_MAX];
	char name[NODES_MAX][8];

	memset(world, 0, sizeof(*world));
	world->seed = seed;
	world->n_nodes = kind & INSIDE ? 1 + fuzz_small(&random, 3) :
					 3 + fuzz_small(&random, 4);
	for (uint32_t i = 0; i < world->n_nodes; i++) {
		sprintf(name[i], "n%u", i);
		names[i] = name[i];
	}
	make_topology(world, &random);
	world->fabric = sgang_fabric_parse(world->text, "test", names,
					   world->n_nodes, &err);
	if (!world->fabric)
		fail_msg("seed %lu: %s", (unsigned long)seed, err.text);
	if (kind & INSIDE)
		look_inside(world, &random);
	oracle_costs(&world->costs, &random);
	make_nodes(world, &random);
	if (kind & TURNS)
		make_turns(world, &random);
	else
		make_members(world, &random, kind & MIXED);
	if (kind & EQUAL)
		make_equal(world, &random);
	if (kind & SPREAD)
		make_spread(world, &random, kind & MIXED);
	if (kind & WEIGHTS)
		make_weights(world, &random);
	if (kind & REQUIRED)
		make_required(world, &random);
	ORACLE_REQUEST(world);
	world->request.n_members = world->n_members;
	world->request.max_level = fuzz_small(&random, 3) ?
					   SGANG_LEVEL_UNCONNECTED :
					   fuzz_small(&random, 5);
}

static void free_world(struct world *world)
{
	for (size_t i = 0; i < UNITS_MAX; i++) {
		sgang_nodeset_destroy(world->allowed[i]);
		sgang_nodeset_destroy(world->required[i]);
	}
	if (!world->devices)
		sgang_fabric_destroy(world->fabric);
	sgang_devices_destroy(world->devices);
	sgang_fabric_destroy(world->nodes);
}

/* -- trying everything -- */

struct brute {
	const struct world *world;
	uint32_t at[UNITS_MAX]; /* node of each unit, in ring order */
	uint32_t member[UNITS_MAX];
	uint32_t free[NODES_MAX];
	bool found;
	struct worth {           /* least in the order of what comes */
		uint64_t first;  /* cost, or weight where that is first */
		uint64_t second; /* the other one */
		uint64_t broken;
	} worth;
	uint64_t cost;       /* ... of that */
	uint64_t least_cost; /* of all placements */
};

static uint32_t ranks_at(const struct world *world, uint32_t member,
			 uint32_t node)
{
	const struct sgang_plan_member *ask = &world->member[member];

	if (ask->ranks)
		return ask->ranks;
	return ask->slots ? ask->slots : world->total[node];
}

/* What a member has to itself on this node: the highest domain of at most the
 * level of the spread that holds it, or the node. */
static uint32_t compartment_of(const struct world *world, uint32_t node)
{
	uint32_t d, n = sgang_fabric_domains(world->fabric), best = n + node;
	uint32_t highest = 0;

	for (d = 0; d < n; d++) {
		uint32_t level = sgang_fabric_domain(world->fabric, d)->level;

		if (oracle_holds(world->fabric, d, node) && level > highest &&
		    level <= world->request.spread_level) {
			highest = level;
			best = d;
		}
	}
	return best;
}

/* Are the units of a member together, those of different ones apart? */
static bool well_spread(const struct world *world, const uint32_t *at,
			const uint32_t *member, size_t n)
{
	for (size_t i = 0; world->request.spread && i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if ((compartment_of(world, at[i]) ==
			     compartment_of(world, at[k])) !=
			    (member[i] == member[k]))
				return false;
		}
	}
	return true;
}

/* Has each member all that it requires? */
static bool has_required(const struct world *world, const uint32_t *at,
			 const uint32_t *member, size_t n)
{
	for (size_t m = 0; m < world->n_members; m++) {
		for (uint32_t node = 0; node < world->n_nodes; node++) {
			bool has = !world->required[m] ||
				   !sgang_nodeset_has(world->required[m], node);

			for (size_t i = 0; i < n && !has; i++)
				has = member[i] == m && at[i] == node;
			if (!has)
				return false;
		}
	}
	return true;
}

/* What could any member have of a node, if it were the only one there? */
static bool could_use(const struct world *world, uint32_t node)
{
	for (size_t i = 0; i < world->n_members; i++) {
		const struct sgang_plan_member *ask = &world->member[i];
		uint32_t slots = ask->slots ? ask->slots : world->total[node];

		if ((!ask->allowed || sgang_nodeset_has(ask->allowed, node)) &&
		    slots && world->free[node] >= slots)
			return true;
	}
	return false;
}

/* What the used nodes weigh above the lightest that could be used; a node
 * counts once, however many of its islands are used. */
static uint64_t weigh(const struct world *world, const bool *used)
{
	bool seen[NODES_MAX] = { false };
	uint32_t i, lightest = UINT32_MAX;
	uint64_t sum = 0;

	for (i = 0; i < world->n_nodes; i++) {
		if (could_use(world, i) && world->weight[i] < lightest)
			lightest = world->weight[i];
	}
	for (i = 0; i < world->n_nodes; i++) {
		uint32_t node = world->devices ? world->devices->node[i] : i;

		if (used[i] && !seen[node]) {
			sum += world->weight[i] - lightest;
			seen[node] = true;
		}
	}
	return sum;
}

static struct worth worth_of(const struct world *world, uint64_t cost,
			     const bool *used)
{
	struct worth worth = { cost, weigh(world, used),
			       oracle_broken(&world->request, used) };

	if (world->request.weight_first) {
		worth.first = worth.second;
		worth.second = cost;
	}
	return worth;
}

static int compare(const struct worth *a, const struct worth *b)
{
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return a->broken < b->broken ? -1 : a->broken > b->broken;
}

static void judge(struct brute *brute)
{
	const struct world *world = brute->world;
	const uint32_t *hop = world->costs.hop;
	uint32_t i, top = 0, n = world->units;
	uint64_t cost = 0, ranks = 0;
	bool used[NODES_MAX] = { false };
	struct worth worth;

	for (i = 0; i < n; i++) {
		uint32_t node = brute->at[i];
		uint32_t level = oracle_meet(world->fabric, node,
					     brute->at[(i + 1) % n]);
		uint32_t here = ranks_at(world, brute->member[i], node);

		used[node] = true;
		ranks += here;
		cost += (uint64_t)(here - 1) * hop[0] + hop[level];
		top = level > top ? level : top;
	}
	if (ranks == 1)
		cost = 0;
	if (!well_spread(world, brute->at, brute->member, n) ||
	    !has_required(world, brute->at, brute->member, n))
		return;
	/* one node alone is within every level */
	if (top > world->request.max_level ||
	    (top == SGANG_LEVEL_UNCONNECTED && !world->costs.allow_unconnected))
		return;
	worth = worth_of(world, cost, used);
	if (!brute->found || cost < brute->least_cost)
		brute->least_cost = cost;
	if (!brute->found || compare(&worth, &brute->worth) < 0) {
		brute->found = true;
		brute->cost = cost;
		brute->worth = worth;
	}
}

/* Slots a unit takes on a node, 0 when it cannot be there. */
static uint32_t slots_at(const struct brute *brute, uint32_t unit,
			 uint32_t node)
{
	const struct world *world = brute->world;
	const struct sgang_plan_member *ask =
		&world->member[brute->member[unit]];
	uint32_t i, slots = ask->slots ? ask->slots : world->total[node];

	if (ask->allowed && !sgang_nodeset_has(ask->allowed, node))
		return 0;
	if (!ask->slots && brute->free[node] < world->total[node])
		return 0;
	if (brute->free[node] < slots)
		return 0;
	for (i = 0; i < unit && (ask->distinct || !ask->slots); i++) {
		if (brute->member[i] == brute->member[unit] &&
		    brute->at[i] == node)
			return 0;
	}
	return slots;
}

static void try_all(struct brute *brute, uint32_t unit)
{
	if (unit == brute->world->units) {
		judge(brute);
		return;
	}
	for (uint32_t node = 0; node < brute->world->n_nodes; node++) {
		uint32_t slots = slots_at(brute, unit, node);

		if (!slots)
			continue;
		brute->at[unit] = node;
		brute->free[node] -= slots;
		try_all(brute, unit + 1);
		brute->free[node] += slots;
	}
}

static void brute_force(struct brute *brute, const struct world *world)
{
	uint32_t unit = 0, u;

	memset(brute, 0, sizeof(*brute));
	brute->world = world;
	memcpy(brute->free, world->free, sizeof(brute->free));
	for (size_t m = 0; m < world->n_members; m++) {
		for (u = 0; u < world->member[m].units; u++)
			brute->member[unit++] = (uint32_t)m;
	}
	try_all(brute, 0);
}

/* -- what must hold of every placement -- */

static void check_runs(const struct world *world,
		       const struct sgang_placement *placement)
{
	uint32_t left[NODES_MAX], units[UNITS_MAX] = { 0 };
	uint32_t runs_at[UNITS_MAX], member[UNITS_MAX];
	bool at[UNITS_MAX][NODES_MAX] = { { false } };

	memcpy(left, world->free, sizeof(left));
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_plan_member *ask =
			&world->member[run->member];
		uint32_t slots = ask->slots ? ask->slots :
					      world->total[run->node];
		uint32_t n = run->slots / slots;

		/* members in order, each in one piece */
		CHECK(!i || run->member == run[-1].member ||
		      run->member == run[-1].member + 1);
		CHECK(n > 0 && n * slots == run->slots);
		CHECK(run->ranks ==
		      n * ranks_at(world, run->member, run->node));
		CHECK(run->slots <= left[run->node]);
		CHECK(ask->slots ||
		      world->free[run->node] == world->total[run->node]);
		CHECK(!ask->allowed ||
		      sgang_nodeset_has(ask->allowed, run->node));
		if (ask->distinct || !ask->slots)
			CHECK(n == 1 && !at[run->member][run->node]);
		at[run->member][run->node] = true;
		left[run->node] -= run->slots;
		units[run->member] += n;
	}
	for (size_t i = 0; i < world->n_members; i++)
		CHECK(units[i] == world->member[i].units);
	for (size_t i = 0; i < placement->n_runs; i++) {
		runs_at[i] = placement->runs[i].node;
		member[i] = placement->runs[i].member;
	}
	CHECK(well_spread(world, runs_at, member, placement->n_runs));
	CHECK(has_required(world, runs_at, member, placement->n_runs));
}

static struct worth placed(const struct world *world,
			   const struct sgang_placement *placement)
{
	bool used[NODES_MAX] = { false };

	for (size_t i = 0; i < placement->n_runs; i++)
		used[placement->runs[i].node] = true;
	return worth_of(world, placement->ring.cost, used);
}

static void check_placement(const struct world *world,
			    const struct brute *brute,
			    const struct sgang_placement *placement)
{
	struct sgang_ring ring;

	CHECK(brute->found);
	check_runs(world, placement);
	sgang_ring_measure(world->fabric, &world->costs, placement->runs,
			   placement->n_runs, &ring);
	CHECK(!memcmp(&ring, &placement->ring, sizeof(ring)));
	CHECK(ring.tier <= world->request.max_level ||
	      ring.tier == SGANG_LEVEL_ISLAND);
	CHECK(placement->bound <= brute->cost);
	CHECK(brute->least_cost <= ring.cost);
	if (placement->exact) {
		CHECK(ring.cost == brute->cost);
		CHECK(placement->bound == ring.cost);
	}
}

struct tally {
	unsigned int fit, exact, missed;
	unsigned int untidy; /* something as cheap breaks less */
	double ratio, worst;
};

static void set_limits(struct sgang_plan_limits *limits, unsigned int planner)
{
	*limits = sgang_plan_limits_default;
	if (planner != WHOLE)
		limits->tree_steps_first = 1;
	if (planner == TIRED) {
		limits->tree_steps_again = 1;
		limits->choose_steps = 3;
		limits->prove_tries = 10;
		limits->tired_points = 2;
	}
}

static void try_planner(struct world *world, const struct brute *brute,
			unsigned int planner, struct tally *tally)
{
	struct sgang_placement *placement = NULL;
	struct sgang_plan_limits limits;
	struct sgang_budget budget;
	struct sgang_nofit nofit;
	struct worth worth;
	double ratio = 1;
	int rc;

	world->planner = planner_name[planner];
	set_limits(&limits, planner);
	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	budget.limits = &limits;
	world->request.budget = &budget;
	rc = sgang_plan(&world->request, &placement, &nofit, NULL);
	CHECK(rc >= 0);
	if (brute->found)
		tally->fit++;
	if (rc) {
		check_placement(world, brute, placement);
		tally->exact += placement->exact;
		if (brute->cost)
			ratio = (double)placement->ring.cost /
				(double)brute->cost;
		tally->ratio += ratio;
		tally->worst = ratio > tally->worst ? ratio : tally->worst;
		worth = placed(world, placement);
		CHECK(compare(&worth, &brute->worth) >= 0);
		if (placement->exact)
			CHECK(!compare(&worth, &brute->worth));
		tally->untidy += worth.first == brute->worth.first &&
				 compare(&worth, &brute->worth) > 0;
	} else {
		CHECK(nofit.text[0]);
		tally->missed += brute->found;
	}
	sgang_placement_destroy(placement);
}

static void try_world(uint64_t seed, enum world_kind kind, struct tally *tally)
{
	struct world made, *world = &made;
	struct brute brute;

	make_world(world, seed, kind);
	brute_force(&brute, world);
	for (unsigned int planner = 0; planner < PLANNERS; planner++)
		try_planner(world, &brute, planner, &tally[planner]);
	free_world(world);
}

/* Worlds of each of the kinds, with the seeds 1 to 'seeds'; a tally a planner.
 */
static void try_kinds(struct tally *tally, uint64_t seeds,
		      const unsigned int *kinds, size_t n)
{
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		for (size_t i = 0; i < n; i++)
			try_world(seed, (enum world_kind)kinds[i], tally);
	}
}

#define TRY(tally, seeds, ...)                                         \
	try_kinds(tally, seeds, (const unsigned int[]){ __VA_ARGS__ }, \
		  COUNT(((const unsigned int[]){ __VA_ARGS__ })))

/* What is asked of the planners, all of which place whatever fits. */
struct demand {
	const char *title;
	unsigned int fit;             /* more of the worlds than that */
	unsigned int exact[PLANNERS]; /* percent of these, at the least */
	unsigned int untidy;          /* percent, at the most */
	double mean, worst;           /* cost / optimum, at the most */
};

#define ANY 1e9

static const struct demand demands[] = {
	{ "alike", 500, { 100, 100, 90 }, 0, ANY, ANY },
	{ "weights", 2000, { 100, 100, 0 }, 2, ANY, ANY },
	{ "equal", 400, { 100, 100, 0 }, 100, 1.01, ANY },
	{ "mixed", 300, { 100, 100, 0 }, 1, 1.002, ANY },
	{ "required", 500, { 100, 100, 0 }, 100, 1.002, ANY },
	{ "required, mixed", 300, { 100, 100, 0 }, 100, 1.002, ANY },
	{ "required, spread", 300, { 0, 0, 0 }, 100, ANY, ANY },
	{ "turns", 300, { 0, 0, 0 }, 100, 1.002, ANY },
	{ "inside", 200, { 100, 100, 90 }, 100, ANY, ANY },
	{ "inside, mixed", 100, { 100, 100, 0 }, 100, 1.02, ANY },
	{ "spread alike", 500, { 100, 100, 100 }, 100, ANY, ANY },
	{ "spread mixed", 300, { 0, 0, 0 }, 100, ANY, 1.5 },
};

static void check_tally(const char *title, const struct tally *tally)
{
	const struct demand *demand = demands;

	while (strcmp(demand->title, title))
		demand++;
	for (unsigned int p = 0; p < PLANNERS; p++, tally++) {
		print_message("# %s, %s: %u fit, %u exact, %u missed, %u weigh "
			      "or break more than they have to, cost/optimum "
			      "%.4f, worst %.4f\n",
			      demand->title, planner_name[p], tally->fit,
			      tally->exact, tally->missed, tally->untidy,
			      tally->ratio / (tally->fit - tally->missed),
			      tally->worst);
		assert_int_equal(tally->missed, 0);
		assert_true(tally->fit > demand->fit);
		assert_true(tally->exact * 100 >=
			    tally->fit * demand->exact[p]);
		assert_true(tally->untidy * 100 <= tally->fit * demand->untidy);
		assert_true(tally->ratio <= demand->mean * tally->fit);
		assert_true(tally->worst <= demand->worst);
	}
}

/* Design section 4: members that are alike. */
TEST(test_alike)
{
	struct tally tally[PLANNERS] = { 0 };

	TRY(tally, 1500, ALIKE);
	check_tally("alike", tally);
}

/* 5.5: weights of nodes after ring cost, or before it. */
TEST(test_weights)
{
	struct tally tally[PLANNERS] = { 0 };

	TRY(tally, 2000, ALIKE | WEIGHTS, INSIDE | WEIGHTS, SPREAD | WEIGHTS,
	    SPREAD | INSIDE | WEIGHTS);
	TRY(tally, 1000, EQUAL | WEIGHTS, MIXED | WEIGHTS,
	    MIXED | INSIDE | WEIGHTS, TURNS | WEIGHTS);
	check_tally("weights", tally);
}

/* Issue 4: members of the same shape on any fabric, where they share nodes. */
TEST(test_equal)
{
	struct tally tally[PLANNERS] = { 0 };

	TRY(tally, 600, EQUAL, EQUAL | INSIDE);
	check_tally("equal", tally);
}

/* Design section 4: members of different shapes, slots and nodes. */
TEST(test_mixed)
{
	struct tally tally[PLANNERS] = { 0 };

	TRY(tally, 1500, MIXED);
	check_tally("mixed", tally);
}

/* Issue 12: members some of whose nodes are given. */
TEST(test_required)
{
	struct tally tally[3][PLANNERS] = { 0 };

	TRY(tally[0], 2000, REQUIRED, REQUIRED | EQUAL, REQUIRED | WEIGHTS);
	TRY(tally[1], 2000, REQUIRED | MIXED, REQUIRED | MIXED | WEIGHTS);
	TRY(tally[2], 2000, REQUIRED | SPREAD, REQUIRED | SPREAD | MIXED);
	check_tally("required", tally[0]);
	check_tally("required, mixed", tally[1]);
	check_tally("required, spread", tally[2]);
}

/* Design section 4: members whose shapes take turns. */
TEST(test_turns)
{
	struct tally tally[PLANNERS] = { 0 };

	TRY(tally, 1000, TURNS);
	check_tally("turns", tally);
}

/* Design section 4: the same where the places are islands inside nodes, which
 * meet at the level of the node. */
TEST(test_inside)
{
	struct tally tally[2][PLANNERS] = { 0 };

	TRY(tally[0], 600, INSIDE);
	TRY(tally[1], 600, MIXED | INSIDE);
	check_tally("inside", tally[0]);
	check_tally("inside, mixed", tally[1]);
}

/* 4.26, and issue 4: alike members in different domains. */
TEST(test_spread_alike)
{
	struct tally tally[PLANNERS] = { 0 };

	TRY(tally, 4000, SPREAD, SPREAD | INSIDE);
	check_tally("spread alike", tally);
}

/* 4.26: members of different shapes in different domains. */
TEST(test_spread_mixed)
{
	struct tally tally[PLANNERS] = { 0 };

	TRY(tally, 4000, SPREAD | MIXED, SPREAD | MIXED | INSIDE);
	check_tally("spread mixed", tally);
}

TEST_MAIN(NULL, NULL)
