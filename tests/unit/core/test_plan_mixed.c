/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_mixed.c - gangs of members that differ, against exhaustive search
 *
 * Seeded clusters of 10 to 28 nodes with unequal leaves, partly used CPUs,
 * memory and GPUs, and gangs of 2 to 6 kinds of members: CPUs, memory, any GPUs,
 * GPUs of a type, whole nodes, all memory of a node; some on several nodes, some
 * only on some nodes, in every fourth world of two sorts that keep off each
 * other's nodes. The search here shares nothing with the planner: it places
 * unit by unit in the order of the ring, in depth-first order, and leaves a branch
 * only when what is placed costs as much as the best that is known.
 *
 * A gang that fits is placed (behaviour 5.5), what is called exact is the least
 * cost, and no bound is above it. With less effort it is placed all the same.
 */

#include "../unit.h"
#include "core/plan/plan.h"
#include "oracle.h"

enum { CPUS, MEMORY, GPUS, A100, H100, ONE, OTHER, DIMS };

#define NODES_MAX 28
#define MEMBERS_MAX 10
#define UNITS_MAX 14
#define WORLDS 1000
/* Steps for one world; then nothing is known about it. */
#define STEPS_MAX 8000000

struct world {
	uint64_t seed;
	uint64_t random;
	char text[4096];
	uint32_t n_nodes;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t free[NODES_MAX][DIMS];
	uint32_t total[NODES_MAX][DIMS];
	uint32_t leaf[NODES_MAX];
	struct sgang_plan_member member[MEMBERS_MAX];
	uint32_t need[MEMBERS_MAX][DIMS];
	struct sgang_nodeset *allowed[MEMBERS_MAX];
	uint32_t n_members;
	uint32_t n_units;
	uint32_t meet[NODES_MAX][NODES_MAX]; /* levels */
	struct sgang_plan_request request;
};

static uint32_t rnd(struct world *world, uint32_t below)
{
	return fuzz_small(&world->random, below);
}

/* -- worlds -- */

/* Leaves of 1 to 7 nodes, two to four under a spine. */
static void make_fabric(struct world *world)
{
	uint32_t node = 0, leaf = 0, under = 0, spine = 0, a, b;
	char *p = world->text;

	world->n_nodes = 10 + rnd(world, NODES_MAX - 9);
	while (node < world->n_nodes) {
		uint32_t n = 1 + rnd(world, 7);

		if (n > world->n_nodes - node)
			n = world->n_nodes - node;
		p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", leaf++, node,
			     node + n - 1);
		node += n;
	}
	while (under < leaf) {
		uint32_t n = 2 + rnd(world, 3);

		if (n > leaf - under)
			n = leaf - under;
		p += sprintf(p, "SwitchName=s%u Switches=l[%u-%u]\n", spine++,
			     under, under + n - 1);
		under += n;
	}
	sprintf(p, "SwitchName=top Switches=s[0-%u]\n", spine - 1);
	world->fabric = oracle_fabric(world->text, world->seed);
	for (a = 0; a < world->n_nodes; a++) {
		for (b = 0; b < world->n_nodes; b++)
			world->meet[a][b] = oracle_meet(world->fabric, a, b);
	}
}

/* Nodes without GPUs, with 4 and with 8 of one type; some in use. */
static void make_nodes(struct world *world)
{
	for (uint32_t node = 0; node < world->n_nodes; node++) {
		uint32_t *total = world->total[node], *free = world->free[node];
		uint32_t type = rnd(world, 2) ? A100 : H100;

		total[CPUS] = rnd(world, 3) ? 16 : 8;
		total[MEMORY] = 1000 * (1 + rnd(world, 2));
		total[GPUS] = rnd(world, 4) ? 4 * (1 + rnd(world, 2)) : 0;
		total[type] = total[GPUS];
		total[ONE] = total[OTHER] = 100;
		memcpy(free, total, sizeof(world->free[node]));
		if (!rnd(world, 3))
			continue;
		free[CPUS] -= rnd(world, total[CPUS] + 1);
		free[MEMORY] -= 250 * rnd(world, total[MEMORY] / 250 + 1);
		free[GPUS] -= rnd(world, total[GPUS] + 1);
		for (uint32_t d = A100; d <= H100; d++)
			free[d] = total[d] ? free[GPUS] : 0;
	}
}

/* What one kind of members needs. */
static void make_need(struct world *world, uint32_t *need)
{
	memset(need, 0, DIMS * sizeof(*need));
	need[CPUS] = 1 + rnd(world, 4);
	switch (rnd(world, 6)) {
	case 0:
		need[CPUS] = 1 + rnd(world, 12);
		break;
	case 1:
		need[MEMORY] = 100 * (1 + rnd(world, 9));
		break;
	case 2:
		need[GPUS] = 1u << rnd(world, 4);
		break;
	case 3:
		need[A100 + rnd(world, 2)] = need[GPUS] = 1u << rnd(world, 3);
		break;
	case 4:
		need[CPUS] = need[MEMORY] = need[GPUS] = need[A100] =
			need[H100] = SGANG_PLAN_ALL;
		break;
	default:
		need[MEMORY] = SGANG_PLAN_ALL;
	}
}

/* No node has kinds of both sorts. */
static void keep_apart(uint32_t *need, bool one)
{
	need[ONE] = one ? 1 : SGANG_PLAN_UNTOUCHED;
	need[OTHER] = one ? SGANG_PLAN_UNTOUCHED : 1;
}

static void make_allowed(struct world *world, uint32_t i)
{
	world->allowed[i] = sgang_nodeset_create(world->n_nodes);
	assert_non_null(world->allowed[i]);
	for (uint32_t node = 0; node < world->n_nodes; node++) {
		if (rnd(world, 2))
			sgang_nodeset_add(world->allowed[i], node);
	}
	world->member[i].allowed = world->allowed[i];
}

static void make_members(struct world *world)
{
	uint32_t kinds = 2 + rnd(world, 5), i;
	uint32_t n = kinds + rnd(world, MEMBERS_MAX - kinds + 1);

	for (i = 0; i < n && world->n_units < UNITS_MAX - 1; i++) {
		struct sgang_plan_member *member = &world->member[i];

		if (i < kinds) {
			make_need(world, world->need[i]);
			if (world->seed % 4 == 0)
				keep_apart(world->need[i], i % 2);
			if (!rnd(world, 4))
				make_allowed(world, i);
			member->need = world->need[i];
			member->slots = *member->need == SGANG_PLAN_ALL ?
						0 :
						*member->need;
			member->ranks = 1 + rnd(world, 2);
			member->distinct = true;
		} else {
			*member = world->member[rnd(world, kinds)];
		}
		member->units = rnd(world, 3) ? 1 : 1 + rnd(world, 3);
		if (member->units > UNITS_MAX - world->n_units)
			member->units = UNITS_MAX - world->n_units;
		world->n_units += member->units;
		world->n_members++;
	}
}

static void make_world(struct world *world, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	world->seed = seed;
	world->random = seed * 7919 + 5;
	make_fabric(world);
	make_nodes(world);
	make_members(world);
	sgang_costs_default(&world->costs);
	world->request = (struct sgang_plan_request){
		.fabric = world->fabric,
		.costs = &world->costs,
		.n_dims = DIMS,
		.free = &world->free[0][0],
		.total = &world->total[0][0],
		.members = world->member,
		.n_members = world->n_members,
		.max_level = rnd(world, 4) ? SGANG_LEVEL_UNCONNECTED :
					     SGANG_LEVEL_LEAF + 1,
	};
}

static void free_world(struct world *world)
{
	for (uint32_t i = 0; i < MEMBERS_MAX; i++)
		sgang_nodeset_destroy(world->allowed[i]);
	sgang_fabric_destroy(world->fabric);
}

/* -- the search -- */

struct search {
	const struct world *world;
	uint32_t left[NODES_MAX][DIMS];
	uint32_t member[UNITS_MAX]; /* by unit */
	uint32_t at[UNITS_MAX];
	uint64_t rest[UNITS_MAX + 1]; /* ranks and hops from a unit on, at
				       * the least */
	uint64_t best;                /* a cheaper one is looked for */
	bool found;
	uint64_t steps;
};

/* Take a unit of a member from a node, if it fits. */
static bool take(struct search *search, uint32_t unit, uint32_t node,
		 uint32_t *taken)
{
	const struct world *world = search->world;
	uint32_t member = search->member[unit], d, k;
	const struct sgang_plan_member *ask = &world->member[member];

	if (ask->allowed && !sgang_nodeset_has(ask->allowed, node))
		return false;
	for (k = unit; k-- > 0 && search->member[k] == member;) {
		if (search->at[k] == node)
			return false;
	}
	for (d = 0; d < DIMS; d++) {
		uint32_t total = world->total[node][d];

		taken[d] = ask->need[d];
		if (taken[d] == SGANG_PLAN_ALL)
			taken[d] = total;
		if (taken[d] == SGANG_PLAN_UNTOUCHED) {
			taken[d] = 0;
			if (search->left[node][d] < total)
				return false;
		}
		if (search->left[node][d] < taken[d])
			return false;
	}
	if (*ask->need == SGANG_PLAN_ALL && !world->total[node][CPUS])
		return false;
	for (d = 0; d < DIMS; d++)
		search->left[node][d] -= taken[d];
	return true;
}

/* Is there a node before this one that is like it in everything? */
static bool has_twin(const struct search *search, uint32_t node)
{
	const struct world *world = search->world;
	uint32_t i;

	for (uint32_t k = 0; k < node; k++) {
		if (world->meet[k][node] != SGANG_LEVEL_LEAF ||
		    memcmp(world->total[k], world->total[node],
			   sizeof(world->total[k])) ||
		    memcmp(world->free[k], world->free[node],
			   sizeof(world->free[k])) ||
		    memcmp(search->left[k], world->free[k],
			   sizeof(world->free[k])) ||
		    memcmp(search->left[node], world->free[node],
			   sizeof(world->free[k])))
			continue;
		for (i = 0; i < world->n_members; i++) {
			const struct sgang_nodeset *allowed =
				world->member[i].allowed;

			if (allowed && sgang_nodeset_has(allowed, k) !=
					       sgang_nodeset_has(allowed, node))
				break;
		}
		if (i == world->n_members)
			return true;
	}
	return false;
}

/* Place a unit and those after it. Those before cost 'cost'. */
static void place(struct search *search, uint32_t unit, uint64_t cost)
{
	const struct world *world = search->world;
	const uint32_t *hop = world->costs.hop;
	uint32_t node, last = world->n_units, taken[DIMS], d, level, home;

	if (unit == last) {
		search->best =
			cost +
			hop[world->meet[search->at[0]][search->at[last - 1]]];
		search->found = true;
		return;
	}
	for (level = 0; level < SGANG_LEVELS; level++) {
		for (node = 0; node < world->n_nodes; node++) {
			uint64_t now = cost;

			/* near ones first */
			if ((unit ? world->meet[search->at[unit - 1]][node] :
				    0) != level)
				continue;
			if (++search->steps > STEPS_MAX)
				return;
			if (unit)
				now += hop[level];
			home = unit ? world->meet[search->at[0]][node] : 0;
			if (level > world->request.max_level ||
			    home > world->request.max_level ||
			    now + search->rest[unit] + hop[home] - hop[0] >=
				    search->best ||
			    has_twin(search, node) ||
			    !take(search, unit, node, taken))
				continue;
			search->at[unit] = node;
			place(search, unit + 1,
			      now + world->member[search->member[unit]].ranks -
				      1);
			for (d = 0; d < DIMS; d++)
				search->left[node][d] += taken[d];
		}
	}
}

/* Look for a placement below a cost. False: it took too long. */
static bool look_below(struct search *search, const struct world *world,
		       uint64_t cost)
{
	uint32_t i, u, n = 0;

	memset(search, 0, sizeof(*search));
	search->world = world;
	search->best = cost;
	memcpy(search->left, world->free, sizeof(search->left));
	for (i = 0; i < world->n_members; i++) {
		for (u = 0; u < world->member[i].units; u++)
			search->member[n++] = i;
	}
	/* hops between nodes of one member leave the node */
	while (n-- > 0) {
		uint32_t ranks = world->member[search->member[n]].ranks;
		bool inside = n + 1 < world->n_units &&
			      search->member[n] == search->member[n + 1];

		search->rest[n] = search->rest[n + 1] + (ranks - 1) +
				  world->costs.hop[inside ? SGANG_LEVEL_LEAF :
							    SGANG_LEVEL_ISLAND];
	}
	place(search, 0, 0);
	return search->steps <= STEPS_MAX;
}

/* -- does it fit at all? -- */

/* Nodes on which a unit of a member fits now. */
static uint32_t count_nodes(struct search *search, uint32_t member)
{
	const struct world *world = search->world;
	const struct sgang_plan_member *ask = &world->member[member];
	uint32_t node, d, n = 0;

	for (node = 0; node < world->n_nodes; node++) {
		if (ask->allowed && !sgang_nodeset_has(ask->allowed, node))
			continue;
		for (d = 0; d < DIMS; d++) {
			uint32_t need = ask->need[d];

			if (need == SGANG_PLAN_ALL ||
			    need == SGANG_PLAN_UNTOUCHED)
				need = world->total[node][d];
			if (search->left[node][d] < need)
				break;
		}
		n += d == DIMS;
	}
	search->steps += world->n_nodes;
	return n;
}

/* Place the members that are left, 'done' having a bit for each of the others:
 * the one with the fewest nodes to choose from first. 'units' of 'member' are
 * placed already (UINT32_MAX: none of any), the last of them before node
 * 'from'. */
static bool place_any(struct search *search, uint32_t done, uint32_t member,
		      uint32_t units, uint32_t from)
{
	const struct world *world = search->world;
	uint32_t i, n, least = UINT32_MAX, node, taken[DIMS], d;

	if (units == UINT32_MAX || units == world->member[member].units) {
		done |= units == UINT32_MAX ? 0 : 1u << member;
		for (i = 0; i < world->n_members; i++) {
			if (done >> i & 1)
				continue;
			n = count_nodes(search, i);
			if (n < world->member[i].units)
				return false;
			if (n - world->member[i].units < least) {
				least = n - world->member[i].units;
				member = i;
			}
		}
		if (least == UINT32_MAX)
			return true;
		units = from = 0;
	}
	for (node = from; node < world->n_nodes && search->steps <= STEPS_MAX;
	     node++) {
		/* no unit of this member is before this one */
		search->member[0] = member;
		if (++search->steps > STEPS_MAX || has_twin(search, node) ||
		    !take(search, 0, node, taken))
			continue;
		if (place_any(search, done, member, units + 1, node + 1))
			return true;
		for (d = 0; d < DIMS; d++)
			search->left[node][d] += taken[d];
	}
	return false;
}

/* False: it took too long. */
static bool look_for_any(struct search *search, const struct world *world)
{
	uint32_t top = world->request.max_level, d, node;
	const struct sgang_fabric *fabric = world->fabric;

	memset(search, 0, sizeof(*search));
	search->world = world;
	/* inside each domain that the gang may span */
	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);

		if (domain->level > top ||
		    (domain->parent != SGANG_DOMAIN_NONE &&
		     sgang_fabric_domain(fabric, domain->parent)->level <= top))
			continue;
		memset(search->left, 0, sizeof(search->left));
		for (node = 0; node < world->n_nodes; node++) {
			if (sgang_fabric_pos(fabric)[node] - domain->first_pos <
			    domain->n_nodes)
				memcpy(search->left[node], world->free[node],
				       sizeof(world->free[node]));
		}
		if (place_any(search, 0, 0, UINT32_MAX, 0))
			search->found = true;
		if (search->found)
			return true;
	}
	return search->steps <= STEPS_MAX;
}

/* -- the comparison -- */

#define EFFORTS (SGANG_EFFORT_ANY + 1)

struct tally {
	uint64_t steps[EFFORTS];
	uint32_t fit, missed, optimal, exact, unknown, none;
	double ratio;
	double worst;
};

/* Do the runs keep to what is free? */
static void check_runs(const struct world *world,
		       const struct sgang_placement *placement)
{
	uint32_t left[NODES_MAX][DIMS], units[MEMBERS_MAX] = { 0 }, d;

	memcpy(left, world->free, sizeof(left));
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_plan_member *ask =
			&world->member[run->member];

		assert_true(!ask->allowed ||
			    sgang_nodeset_has(ask->allowed, run->node));
		assert_int_equal(run->ranks, ask->ranks);
		units[run->member]++;
		for (size_t k = 0; k < i; k++)
			assert_true(placement->runs[k].member != run->member ||
				    placement->runs[k].node != run->node);
		for (d = 0; d < DIMS; d++) {
			uint32_t need = ask->need[d];

			if (need == SGANG_PLAN_ALL)
				need = world->total[run->node][d];
			if (need == SGANG_PLAN_UNTOUCHED) {
				assert_int_equal(left[run->node][d],
						 world->total[run->node][d]);
				need = 0;
			}
			assert_true(left[run->node][d] >= need);
			left[run->node][d] -= need;
		}
		if (!d)
			assert_int_equal(run->slots, ask->need[0]);
	}
	for (size_t i = 0; i < world->n_members; i++)
		assert_int_equal(units[i], world->member[i].units);
	assert_true(placement->ring.tier <= world->request.max_level);
}

static int plan(const struct world *world, enum sgang_effort effort,
		struct sgang_placement **placement, struct tally *tally)
{
	struct sgang_plan_request request = world->request;
	struct sgang_budget budget;
	struct sgang_error err;
	int rc;

	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	request.budget = &budget;
	request.effort = effort;
	rc = sgang_plan(&request, placement, NULL, &err);
	if (rc < 0)
		fail_msg("seed %lu: %s", (unsigned long)world->seed, err.text);
	tally->steps[effort] += budget.taken;
	return rc;
}

/* With less effort a place is found where one is, too. */
static void ask_again(const struct world *world, enum sgang_effort effort,
		      int rc, struct tally *tally)
{
	struct sgang_placement *placement = NULL;

	assert_int_equal(plan(world, effort, &placement, tally), rc);
	if (rc > 0)
		check_runs(world, placement);
	sgang_placement_destroy(placement);
}

static void compare(const struct world *world, struct tally *tally)
{
	struct sgang_placement *placement = NULL;
	static struct search search;
	int rc = plan(world, SGANG_EFFORT_PROOF, &placement, tally);
	uint64_t cost = rc > 0 ? placement->ring.cost : UINT64_MAX / 2;
	bool known = rc > 0 ? look_below(&search, world, cost) :
			      look_for_any(&search, world);
	double ratio;

	ask_again(world, SGANG_EFFORT_GOOD, rc, tally);
	ask_again(world, SGANG_EFFORT_ANY, rc, tally);
	if (!rc) {
		tally->missed += search.found;
		tally->none += known && !search.found;
		tally->unknown += !known && !search.found;
		if (search.found)
			print_message("seed %lu: fits\n",
				      (unsigned long)world->seed);
		return;
	}
	check_runs(world, placement);
	if (placement->bound > search.best)
		fail_msg("seed %lu: the bound is %lu, the optimum %lu",
			 (unsigned long)world->seed,
			 (unsigned long)placement->bound,
			 (unsigned long)search.best);
	if (placement->exact && search.best < cost)
		fail_msg("seed %lu: not exact", (unsigned long)world->seed);
	tally->exact += placement->exact;
	if (search.best < cost && getenv("V"))
		print_message("seed %lu: %lu, optimum %lu\n",
			      (unsigned long)world->seed, (unsigned long)cost,
			      (unsigned long)search.best);
	sgang_placement_destroy(placement);
	if (!known && !search.found) {
		tally->unknown++;
		return;
	}
	tally->fit++;
	tally->optimal += search.best == cost;
	ratio = search.best ? (double)cost / (double)search.best : 1;
	tally->ratio += ratio;
	tally->worst = ratio > tally->worst ? ratio : tally->worst;
}

TEST(test_exhaustive)
{
	struct tally tally = { .fit = 0 };
	struct world world;

	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		make_world(&world, seed);
		compare(&world, &tally);
		free_world(&world);
	}
	print_message("%u fit, %u missed, %u optimal, %u exact, mean %.4f, "
		      "worst %.3f, %u fit nowhere, %u unknown\n",
		      tally.fit, tally.missed, tally.optimal, tally.exact,
		      tally.ratio / tally.fit, tally.worst, tally.none,
		      tally.unknown);
	assert_int_equal(tally.missed, 0);
	assert_true(tally.optimal * 100 >= tally.fit * 97);
	assert_true(tally.ratio <= tally.fit * 1.02);
	print_message("steps: %llu, %llu without proofs, %llu for any\n",
		      (unsigned long long)tally.steps[SGANG_EFFORT_PROOF],
		      (unsigned long long)tally.steps[SGANG_EFFORT_GOOD],
		      (unsigned long long)tally.steps[SGANG_EFFORT_ANY]);
	assert_true(tally.steps[SGANG_EFFORT_GOOD] <
		    tally.steps[SGANG_EFFORT_PROOF] / 4);
	assert_true(tally.steps[SGANG_EFFORT_ANY] <
		    tally.steps[SGANG_EFFORT_GOOD] * 3 / 4);
	/* most of them are known */
	assert_true(tally.fit >= WORLDS / 2);
	assert_true(tally.unknown <= WORLDS / 30);
}

TEST_MAIN(NULL, NULL)
