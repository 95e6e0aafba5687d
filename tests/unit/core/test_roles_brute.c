/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_roles_brute.c - trees of groups against trying everything
 *
 * 1,000 small seeded fabrics and gangs (behaviours 2.15, 2.20, 4.26): a gang of
 * one to three replicas, in a zone or not, with one or two roles each, that
 * require and prefer levels. Every way to put the units of a replica on nodes is
 * listed, then every way to take one of each list. What costs is counted from
 * rings over sets of nodes, not from what is cut. No gang that fits may be
 * missed and none that does not may be placed; what is called exact must keep
 * the most preferences, cost the least then, weigh the least and break the least
 * free space; and of all 99.5 % must cost the least. Each world is planned a second time
 * by a planner that does not search small trees through: some may be worse then.
 */

#include "../unit.h"
#include "core/plan/plan_private.h"
#include "oracle.h"

#ifndef WORLDS
#define WORLDS 1000
#endif
#define NODES_MAX 9
#define MASKS (1u << NODES_MAX)
#define REPLICAS_MAX 3
#define ROLES_MAX 2
#define MEMBERS_MAX 24
#define GROUPS_MAX (2 + REPLICAS_MAX * (1 + ROLES_MAX))

/* Placements of all that are tried at most. */
#define WAYS_MAX 3000000

/* Free slots of a node in a field of this many bits. */
#define FIELD 6
#define GUARD 0x20

struct role {
	uint32_t units;
	uint32_t slots;
	uint32_t ranks; /* of a unit */
	bool one;       /* one member has all units, */
	bool distinct;  /* on different nodes */
	uint32_t group;
};

struct replica {
	struct role role[ROLES_MAX];
	uint32_t n_roles;
	uint32_t group; /* its own; 0: there is none, its role is the group */
};

/* What a set of nodes means to a ring over it. */
struct set {
	uint64_t ring;                /* a rank on each node */
	uint32_t above[SGANG_LEVELS]; /* hops above a level */
	uint32_t span;
	uint32_t n;
	uint64_t weight;
	uint64_t broken;
};

enum { WHOLE, TIRED, PLANNERS };
static const char *const planner_name[PLANNERS] = { "whole", "tired" };

struct world {
	uint64_t seed;
	const char *planner;
	char text[2048];
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t n_nodes;
	uint32_t free[NODES_MAX];
	uint32_t total[NODES_MAX];
	uint32_t weight[NODES_MAX];
	struct replica replica[REPLICAS_MAX];
	uint32_t n_replicas;
	uint32_t zone; /* the group of all replicas below the gang; 0: none */
	struct sgang_plan_member member[MEMBERS_MAX];
	struct sgang_plan_group group[GROUPS_MAX];
	struct sgang_plan_request request;
	struct set set[MASKS];
};

/* The first numbers decide. */
struct worth {
	uint64_t above;
	uint64_t cost;
	uint64_t weight;
	uint64_t broken;
};

/* One way to place a replica. */
struct way {
	uint64_t slots; /* by node, in fields */
	uint64_t cost;
	uint32_t mask;
	uint32_t above;
};

struct ways {
	struct way *way;
	size_t n;
};

struct tally {
	uint32_t fit, best, exact, missed, unproved;
	double ratio, worst;
};

/* -- worlds -- */

/* Three or four leaves of two or three nodes, under two spines. */
static void make_fabric(struct world *world, uint64_t *random)
{
	uint32_t leaves = 3 + fuzz_small(random, 2), i;
	uint32_t per = leaves == 3 && fuzz_small(random, 3) == 2 ? 3 : 2;
	uint32_t first = 1 + fuzz_small(random, 2);
	char *p = world->text;

	world->n_nodes = leaves * per;
	for (i = 0; i < leaves; i++)
		p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", i, i * per,
			     (i + 1) * per - 1);
	p += sprintf(p, "SwitchName=s0 Switches=l[0-%u]\n", first - 1);
	p += sprintf(p, "SwitchName=s1 Switches=l[%u-%u]\n", first, leaves - 1);
	p += sprintf(p, "SwitchName=r Switches=s[0-1]\n");
	world->fabric = oracle_fabric(world->text, world->seed);
	p += sprintf(p, "free");
	for (i = 0; i < world->n_nodes; i++) {
		static const uint32_t slots[] = { 0, 1, 2, 2, 3, 4 };

		world->free[i] = slots[fuzz_small(random, 6)];
		world->total[i] = fuzz_small(random, 2) ? 4 : world->free[i];
		world->weight[i] = 1 + fuzz_small(random, 3);
		p += sprintf(p, " %u/%u:%u", world->free[i], world->total[i],
			     world->weight[i]);
	}
	sprintf(p, "\n");
}

static uint32_t add_group(struct world *world, uint32_t parent,
			  uint32_t require, uint64_t *random)
{
	static const uint32_t weights[] = { 1, 10, 100, 10 };
	uint32_t g = world->request.n_groups++;
	struct sgang_plan_group *group = &world->group[g];

	group->name = "g";
	group->parent = g ? parent : SGANG_PLAN_NO_GROUP;
	group->weight = weights[fuzz_small(random, 4)];
	group->require = require;
	group->prefer = SGANG_LEVEL_UNCONNECTED;
	if (!fuzz_small(random, 6))
		group->prefer = 1 + fuzz_small(random, 3);
	group->first = world->request.n_members;
	return g;
}

static void end_group(struct world *world, uint32_t g)
{
	struct sgang_plan_group *group = &world->group[g];
	size_t used = strlen(world->text);

	group->n_members = world->request.n_members - group->first;
	snprintf(world->text + used, sizeof(world->text) - used,
		 "group %u in %d: weight %u require %u prefer %u members "
		 "%zu-%zu\n",
		 g, (int)group->parent, group->weight, group->require,
		 group->prefer, group->first,
		 group->first + group->n_members - 1);
}

/* Its units as one member, or as members of a unit each. */
static void add_role(struct world *world, struct role *role, uint32_t parent,
		     uint32_t require, uint64_t *random)
{
	uint32_t i, n = role->one ? 1 : role->units;
	size_t used;

	role->group = add_group(world, parent, require, random);
	for (i = 0; i < n; i++)
		world->member[world->request.n_members++] =
			(struct sgang_plan_member){ .units = role->units / n,
						    .slots = role->slots,
						    .ranks = role->ranks,
						    .distinct =
							    role->distinct };
	end_group(world, role->group);
	used = strlen(world->text);
	snprintf(world->text + used, sizeof(world->text) - used,
		 "  %u units of %u slots, %u ranks%s\n", role->units,
		 role->slots, role->ranks,
		 role->one && role->distinct ? ", distinct" : "");
}

static uint32_t any_level(uint64_t *random, const uint32_t *levels, uint32_t n)
{
	return levels[fuzz_small(random, n)];
}

/* Replicas are often alike. */
static void make_gang(struct world *world, uint64_t *random)
{
	static const uint32_t of_gang[] = { 4, 4, SGANG_LEVEL_UNCONNECTED, 3 };
	static const uint32_t of_replica[] = { 4, 3, 2, 2 };
	static const uint32_t of_role[] = { 4, SGANG_LEVEL_UNCONNECTED, 1, 2 };
	static const uint32_t sizes[][2] = { { 1, 2 }, { 2, 2 }, { 1, 3 },
					     { 2, 1 }, { 3, 1 }, { 4, 0 } };
	uint32_t root = add_group(world, 0, any_level(random, of_gang, 4),
				  random);
	uint32_t replica_level = any_level(random, of_replica, 4), r, k;
	uint32_t size = fuzz_small(random, 6), above = root;
	uint32_t role_level[2];
	bool alike = fuzz_small(random, 3), mixed = !fuzz_small(random, 5);

	role_level[0] = any_level(random, of_role, 4);
	role_level[1] = fuzz_small(random, 2) ? role_level[0] : 4;
	world->n_replicas = 1 + (fuzz_small(random, 6) > 0);
	if (!fuzz_small(random, 8))
		world->n_replicas = 3;
	if (!fuzz_small(random, 5))
		above = world->zone = add_group(
			world, root, any_level(random, of_replica, 3), random);
	for (r = 0; r < world->n_replicas; r++) {
		struct replica *replica = &world->replica[r];

		if (!alike)
			size = fuzz_small(random, 6);
		if (world->n_replicas == 3)
			size = size % 2 ? 3 : 0;
		replica->group = add_group(world, above, replica_level, random);
		if (r && alike) {
			world->group[replica->group].weight =
				world->group[world->replica[0].group].weight;
			world->group[replica->group].prefer =
				world->group[world->replica[0].group].prefer;
		}
		for (k = 0; k < 2 && sizes[size][k]; k++) {
			struct role *role = &replica->role[replica->n_roles++];

			role->units = sizes[size][k];
			role->slots = mixed && k ? 2 : 1;
			role->ranks = fuzz_small(random, 5) ? role->slots : 7;
			role->one = !fuzz_small(random, 4);
			role->distinct = fuzz_small(random, 2);
			add_role(world, role, replica->group, role_level[k],
				 random);
		}
		end_group(world, replica->group);
	}
	if (world->zone)
		end_group(world, world->zone);
	end_group(world, root);
}

/* -- sets of nodes -- */

/* Of the nodes on which a unit has room: the smallest has one slot. */
static uint32_t lightest(const struct world *world)
{
	uint32_t least = UINT32_MAX, i;

	for (i = 0; i < world->n_nodes; i++) {
		if (world->free[i] && world->weight[i] < least)
			least = world->weight[i];
	}
	return least;
}

static void make_set(struct world *world, uint32_t mask)
{
	struct set *set = &world->set[mask];
	uint32_t node[NODES_MAX], n = 0, i, level;
	bool used[NODES_MAX];

	memset(set, 0, sizeof(*set));
	for (i = 0; i < world->n_nodes; i++) {
		used[i] = mask >> i & 1;
		if (used[i])
			node[n++] = i;
	}
	set->n = n;
	for (i = 0; i < n; i++)
		set->weight += world->weight[node[i]] - lightest(world);
	for (i = 0; n > 1 && i < n; i++) {
		uint32_t meet = oracle_meet(world->fabric, node[i],
					    node[(i + 1) % n]);

		set->ring += world->costs.hop[meet];
		set->span = meet > set->span ? meet : set->span;
		for (level = 0; level < meet; level++)
			set->above[level]++;
	}
	set->broken = oracle_broken(&world->request, used);
}

/* Add the ring of a group over a set of nodes. False where it may not be. */
static bool add_ring(const struct world *world, uint32_t g, uint32_t mask,
		     uint32_t ranks, uint64_t *cost, uint32_t *above)
{
	const struct sgang_plan_group *group = &world->group[g];
	const struct set *set = &world->set[mask];
	uint64_t inside = ranks - (set->n > 1 ? set->n : 0);

	/* levels are at least those of nodes */
	if (set->span > (group->require ? group->require : 0))
		return false;
	if (ranks > 1)
		*cost += group->weight *
			 (inside * world->costs.hop[0] + set->ring);
	if (group->prefer < SGANG_LEVELS)
		*above += set->above[group->prefer];
	return true;
}

/* -- all placements -- */

static uint64_t field(uint32_t node, uint64_t value)
{
	return value << (node * FIELD);
}

static uint32_t ranks_of(const struct replica *replica)
{
	uint32_t i, sum = 0;

	for (i = 0; i < replica->n_roles; i++)
		sum += replica->role[i].units * replica->role[i].ranks;
	return sum;
}

static void list_ways(const struct world *world, const struct replica *replica,
		      uint32_t role, uint32_t left, uint32_t node,
		      uint32_t role_mask, struct way way, struct ways *ways)
{
	const struct role *r = &replica->role[role];
	uint32_t most;

	if (!left) {
		if (!add_ring(world, r->group, role_mask, r->units * r->ranks,
			      &way.cost, &way.above))
			return;
		if (role + 1 < replica->n_roles) {
			list_ways(world, replica, role + 1,
				  replica->role[role + 1].units, 0, 0, way,
				  ways);
			return;
		}
		if (!add_ring(world, replica->group, way.mask,
			      ranks_of(replica), &way.cost, &way.above))
			return;
		if (!(ways->n & (ways->n - 1))) {
			ways->way = realloc(ways->way,
					    (ways->n ? 2 * ways->n : 1) *
						    sizeof(*ways->way));
			assert_non_null(ways->way);
		}
		ways->way[ways->n++] = way;
		return;
	}
	if (node == world->n_nodes)
		return;
	most = (world->free[node] -
		(uint32_t)(way.slots >> (node * FIELD) & 0x1f)) /
	       r->slots;
	if (r->one && r->distinct && r->units > 1 && most > 1)
		most = 1;
	for (uint32_t x = 0; x <= most && x <= left; x++) {
		struct way next = way;

		next.slots += field(node, x * r->slots);
		next.mask |= x ? 1u << node : 0;
		list_ways(world, replica, role, left - x, node + 1,
			  x ? role_mask | 1u << node : role_mask, next, ways);
	}
}

static bool is_better(const struct worth *a, const struct worth *b)
{
	if (a->above != b->above)
		return a->above < b->above;
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->weight != b->weight)
		return a->weight < b->weight;
	return a->broken < b->broken;
}

struct brute {
	const struct world *world;
	struct ways ways[REPLICAS_MAX];
	uint64_t room; /* free slots with guards */
	uint64_t guard;
	uint32_t ranks;
	bool found;
	struct worth best;
};

/* All below the zone and the gang is added up. */
static void finish(struct brute *brute, const struct way *way)
{
	const struct world *world = brute->world;
	struct worth worth = { .cost = way->cost, .above = way->above };
	uint32_t above = way->above;

	if (brute->found && above > brute->best.above)
		return;
	if (!add_ring(world, 0, way->mask, brute->ranks, &worth.cost, &above))
		return;
	if (world->zone && !add_ring(world, world->zone, way->mask,
				     brute->ranks, &worth.cost, &above))
		return;
	worth.above = above;
	worth.weight = world->set[way->mask].weight;
	worth.broken = world->set[way->mask].broken;
	if (brute->found && !is_better(&worth, &brute->best))
		return;
	brute->best = worth;
	brute->found = true;
}

static void try_replicas(struct brute *brute, uint32_t r, struct way so_far)
{
	if (r == brute->world->n_replicas) {
		finish(brute, &so_far);
		return;
	}
	for (size_t i = 0; i < brute->ways[r].n; i++) {
		struct way way = brute->ways[r].way[i];

		way.slots += so_far.slots;
		if (((brute->room - way.slots) & brute->guard) != brute->guard)
			continue;
		way.cost += so_far.cost;
		way.above += so_far.above;
		way.mask |= so_far.mask;
		try_replicas(brute, r + 1, way);
	}
}

/* False when there are too many. */
static bool try_all(struct world *world, struct brute *brute)
{
	double ways = 1;

	memset(brute, 0, sizeof(*brute));
	brute->world = world;
	for (uint32_t i = 0; i < 1u << world->n_nodes; i++)
		make_set(world, i);
	for (uint32_t i = 0; i < world->n_nodes; i++) {
		brute->guard |= field(i, GUARD);
		brute->room |= field(i, GUARD + world->free[i]);
	}
	for (uint32_t r = 0; r < world->n_replicas; r++) {
		list_ways(world, &world->replica[r], 0,
			  world->replica[r].role[0].units, 0, 0,
			  (struct way){ .cost = 0 }, &brute->ways[r]);
		brute->ranks += ranks_of(&world->replica[r]);
		ways *= (double)brute->ways[r].n;
	}
	if (ways <= WAYS_MAX)
		try_replicas(brute, 0, (struct way){ .cost = 0 });
	for (uint32_t r = 0; r < world->n_replicas; r++)
		free(brute->ways[r].way);
	return ways <= WAYS_MAX;
}

/* -- what the planner found -- */

/* Check the placement by itself, and count what it is worth. */
static void judge(const struct world *world,
		  const struct sgang_placement *placement, struct worth *worth)
{
	uint32_t mask[GROUPS_MAX] = { 0 }, ranks[GROUPS_MAX] = { 0 };
	uint32_t taken[NODES_MAX] = { 0 }, units[MEMBERS_MAX] = { 0 }, above;
	uint32_t g;

	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_plan_member *m = &world->member[run->member];

		CHECK(run->slots % m->slots == 0);
		CHECK(run->ranks == run->slots / m->slots * m->ranks);
		CHECK(!m->distinct || m->units == 1 || run->slots == m->slots);
		taken[run->node] += run->slots;
		units[run->member] += run->slots / m->slots;
		for (g = 0; g < world->request.n_groups; g++) {
			const struct sgang_plan_group *group = &world->group[g];

			if (run->member < group->first ||
			    run->member >= group->first + group->n_members)
				continue;
			mask[g] |= 1u << run->node;
			ranks[g] += run->ranks;
		}
	}
	for (size_t i = 0; i < world->n_nodes; i++)
		CHECK(taken[i] <= world->free[i]);
	for (size_t i = 0; i < world->request.n_members; i++)
		CHECK(units[i] == world->member[i].units);
	memset(worth, 0, sizeof(*worth));
	for (above = 0, g = 0; g < world->request.n_groups; g++)
		CHECK(add_ring(world, g, mask[g], ranks[g], &worth->cost,
			       &above));
	worth->above = above;
	worth->weight = world->set[mask[0]].weight;
	worth->broken = world->set[mask[0]].broken;
	CHECK(placement->weighted_cost == worth->cost);
	CHECK(placement->above == worth->above);
}

static void compare(const struct world *world, const struct brute *brute,
		    const struct sgang_placement *placement,
		    struct tally *tally)
{
	struct worth worth;
	double ratio = 1;

	judge(world, placement, &worth);
	CHECK(brute->found);
	CHECK(!is_better(&worth, &brute->best));
	if (worth.above == brute->best.above)
		CHECK(placement->bound <= brute->best.cost);
	if (placement->exact) {
		CHECK(placement->bound == worth.cost);
		CHECK(!is_better(&brute->best, &worth));
		tally->exact++;
	}
	if (worth.above == brute->best.above && brute->best.cost)
		ratio = (double)worth.cost / (double)brute->best.cost;
	tally->best += worth.above == brute->best.above &&
		       worth.cost == brute->best.cost;
	tally->ratio += ratio;
	tally->worst = ratio > tally->worst ? ratio : tally->worst;
}

static void try_planner(struct world *world, const struct brute *brute,
			unsigned int planner, struct tally *tally)
{
	struct sgang_plan_limits limits = sgang_plan_limits_default;
	struct sgang_placement *placement = NULL;
	struct sgang_budget budget;
	struct sgang_nofit nofit;
	struct sgang_error err;
	int rc;

	world->planner = planner_name[planner];
	if (planner == TIRED)
		limits.roles_exact_steps = 1;
	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	budget.limits = &limits;
	world->request.budget = &budget;
	rc = sgang_plan(&world->request, &placement, &nofit, &err);
	CHECK(rc >= 0);
	tally->fit += brute->found;
	tally->missed += brute->found && !rc;
	tally->unproved += budget.unproved;
	if (rc > 0)
		compare(world, brute, placement, tally);
	else
		CHECK(nofit.text[0] && (budget.unproved || !brute->found));
	sgang_placement_destroy(placement);
}

/* One tally a planner. False when the world is too large to try all. */
static bool try_world(uint64_t seed, struct tally *tally)
{
	uint64_t random = seed * UINT64_C(7919);
	struct world *world = calloc(1, sizeof(*world));
	struct brute brute;
	bool done;

	assert_non_null(world);
	world->seed = seed;
	oracle_costs(&world->costs, &random);
	make_fabric(world, &random);
	ORACLE_REQUEST(world);
	world->request.group = world->group;
	world->request.max_level = SGANG_LEVEL_UNCONNECTED;
	if (fuzz_small(&random, 2))
		world->request.weight = world->weight;
	else
		memset(world->weight, 0, sizeof(world->weight));
	make_gang(world, &random);
	done = try_all(world, &brute);
	for (unsigned int planner = 0; done && planner < PLANNERS; planner++)
		try_planner(world, &brute, planner, &tally[planner]);
	sgang_fabric_destroy(world->fabric);
	free(world);
	return done;
}

static void check_all(unsigned int planner, const struct tally *tally)
{
	print_message(
		"# %s: %u of %u fit, %u optimal, %u proved, %u missed, %u "
		"times not proved that it does not fit, cost/optimum mean "
		"%.4f worst %.3f\n",
		planner_name[planner], tally->fit, WORLDS, tally->best,
		tally->exact, tally->missed, tally->unproved,
		tally->ratio / (tally->fit - tally->missed), tally->worst);
	assert_true(tally->fit > WORLDS / 2);
	assert_true(WORLDS - tally->fit > WORLDS / 10);
	if (planner == TIRED) {
		assert_true(tally->missed * 100 <= tally->fit);
		assert_true(tally->best * 100 >= tally->fit * 95);
	} else {
		assert_int_equal(tally->missed, 0);
		assert_int_equal(tally->unproved, 0);
		assert_true(tally->best * 1000 >= tally->fit * 995);
	}
}

TEST(test_worlds)
{
	struct tally tally[PLANNERS] = { 0 };
	uint32_t done = 0;

	for (uint64_t seed = 1; done < WORLDS; seed++)
		done += try_world(seed, tally);
	for (unsigned int planner = 0; planner < PLANNERS; planner++)
		check_all(planner, &tally[planner]);
}

TEST_MAIN(NULL, NULL)
