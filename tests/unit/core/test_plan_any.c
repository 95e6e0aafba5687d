/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_any.c - members in any order, against all of their orders
 *
 * Small seeded fabrics and gangs of four to six members that differ in size and
 * in where they may be. Each order of the members is planned by itself; a ring
 * may be turned round and read backwards, so the first stays and half of the
 * rest is left out. A free order costs no more than the order of submission, is
 * the best one where it says so, and never below its bound.
 *
 * SEEDS=N: so many worlds. Of 1,480 all that fit are at the best order; the order
 * of submission is in 59 %, and costs 1.06 times it on average.
 */

#include "../unit.h"
#include "core/plan/explain.h"
#include "core/plan/plan.h"
#include "fuzz.h"

#define NODES_MAX 12
#define MEMBERS_MAX 6
#define SETS 3
#define WORLDS 250

struct world {
	uint64_t seed;
	uint64_t random;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t n_nodes;
	uint32_t free[NODES_MAX], total[NODES_MAX], weight[NODES_MAX];
	struct sgang_nodeset *set[SETS];
	struct sgang_plan_member member[MEMBERS_MAX];
	struct sgang_plan_request request;
};

static uint32_t rnd(struct world *world, uint32_t n)
{
	return (uint32_t)fuzz_small(&world->random, n);
}

/* Leaves of one to four nodes, up to three levels above, one root. */
static void make_fabric(struct world *world)
{
	uint32_t node = 0, from = 0, to = 0, levels = 1 + rnd(world, 3), n;
	char text[2048], *p = text;
	struct sgang_error err;

	for (; node < world->n_nodes; node += n) {
		n = 1 + rnd(world, 4);
		if (n > world->n_nodes - node)
			n = world->n_nodes - node;
		p += sprintf(p, "SwitchName=s%u Nodes=n[%u-%u]\n", to++, node,
			     node + n - 1);
	}
	for (; levels && to - from > 1; levels--) {
		uint32_t above = to;

		for (; from < above; from += n) {
			n = levels > 1 ? 1 + rnd(world, 3) : above - from;
			if (n > above - from)
				n = above - from;
			p += sprintf(p, "SwitchName=s%u Switches=s[%u-%u]\n",
				     to++, from, from + n - 1);
		}
	}
	world->fabric = sgang_fabric_parse(text, "test", NULL, 0, &err);
	if (!world->fabric)
		fail_msg("%s\n%s", err.text, text);
}

/* Two that hardly overlap, like partitions, and all nodes. */
static void make_sets(struct world *world)
{
	for (uint32_t k = 0; k < SETS; k++) {
		world->set[k] = sgang_nodeset_create(world->n_nodes);
		for (uint32_t i = 0; i < world->n_nodes; i++) {
			bool half = i < world->n_nodes / 2;

			if (k == 2 || half == !k || !rnd(world, 5))
				sgang_nodeset_add(world->set[k], i);
		}
	}
}

static void make_members(struct world *world)
{
	uint32_t n = 4 + rnd(world, MEMBERS_MAX - 3), i;

	for (i = 0; i < n; i++) {
		world->member[i] = (struct sgang_plan_member){
			.units = 1 + !rnd(world, 3) + !rnd(world, 6),
			.slots = 1 + rnd(world, 4),
			.distinct = true,
			.allowed = world->set[rnd(world, SETS)]
		};
		if (i > 1 && !rnd(world, 3))
			world->member[i] = world->member[rnd(world, i)];
	}
	world->request.members = world->member;
	world->request.n_members = n;
}

static void open_world(struct world *world, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	world->seed = seed;
	world->random = seed * 7919 + 3;
	world->n_nodes = 6 + rnd(world, NODES_MAX - 5);
	make_fabric(world);
	make_sets(world);
	make_members(world);
	sgang_costs_default(&world->costs);
	for (uint32_t i = 0; i < world->n_nodes; i++) {
		world->total[i] = 4;
		world->free[i] = rnd(world, 3) ? 4 : rnd(world, 5);
		world->weight[i] = 1 + 10 * rnd(world, 2);
	}
	world->request.fabric = world->fabric;
	world->request.costs = &world->costs;
	world->request.free = world->free;
	world->request.total = world->total;
	world->request.max_level = SGANG_LEVEL_UNCONNECTED;
}

static void close_world(struct world *world)
{
	for (uint32_t k = 0; k < SETS; k++)
		sgang_nodeset_destroy(world->set[k]);
	sgang_fabric_destroy(world->fabric);
}

static struct sgang_placement *plan(const struct sgang_plan_request *request)
{
	struct sgang_placement *placement = NULL;
	struct sgang_error err;

	if (sgang_plan(request, &placement, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return placement;
}

/* The next order behind the first member. False: that was the last. */
static bool next_order(uint32_t *order, uint32_t n)
{
	uint32_t i = n - 1, k = n - 1, swap;

	while (i > 1 && order[i - 1] > order[i])
		i--;
	if (i <= 1)
		return false;
	while (order[k] < order[i - 1])
		k--;
	swap = order[i - 1];
	order[i - 1] = order[k];
	order[k] = swap;
	for (k = n - 1; i < k; i++, k--) {
		swap = order[i];
		order[i] = order[k];
		order[k] = swap;
	}
	return true;
}

static uint64_t best_of_all(const struct world *world)
{
	struct sgang_plan_request request = world->request;
	uint32_t n = (uint32_t)request.n_members, order[MEMBERS_MAX], i;
	struct sgang_plan_member member[MEMBERS_MAX];
	struct sgang_placement *placement;
	uint64_t best = UINT64_MAX;

	for (i = 0; i < n; i++)
		order[i] = i;
	request.members = member;
	request.any_order = false;
	do {
		if (order[1] > order[n - 1])
			continue;
		for (i = 0; i < n; i++)
			member[i] = world->member[order[i]];
		placement = plan(&request);
		assert_non_null(placement);
		if (placement->ring.cost < best)
			best = placement->ring.cost;
		sgang_placement_destroy(placement);
	} while (next_order(order, n));
	return best;
}

/* Each member has what it asked for, its runs together, the first in front; and
 * the ring costs what it says. */
static void check_runs(const struct world *world,
		       const struct sgang_placement *placement)
{
	uint32_t left[NODES_MAX], units[MEMBERS_MAX] = { 0 };
	bool left_behind[MEMBERS_MAX] = { false };
	struct sgang_ring ring;

	memcpy(left, world->free, sizeof(left));
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_plan_member *member =
			&world->member[run->member];

		assert_true(sgang_nodeset_has(member->allowed, run->node));
		assert_true(left[run->node] >= run->slots);
		left[run->node] -= run->slots;
		units[run->member] += run->slots / member->slots;
		assert_false(left_behind[run->member]);
		if (i && placement->runs[i - 1].member != run->member)
			left_behind[placement->runs[i - 1].member] = true;
	}
	for (size_t i = 0; i < world->request.n_members; i++)
		assert_int_equal(units[i], world->member[i].units);
	assert_int_equal(placement->runs[0].member, 0);
	sgang_ring_measure(world->fabric, &world->costs, placement->runs,
			   placement->n_runs, &ring);
	assert_int_equal(ring.cost, placement->ring.cost);
}

struct sums {
	uint32_t worlds, best;
	double over;
};

static void add(struct sums *sums, uint64_t cost, uint64_t least)
{
	sums->worlds++;
	sums->best += cost <= least;
	sums->over += (double)cost / (double)least;
}

static void say(const struct sums *sums)
{
	print_message("%u worlds, %.1f %% at the best order, mean %.4f\n",
		      sums->worlds, 100.0 * sums->best / sums->worlds,
		      sums->over / sums->worlds);
}

static void check_world(struct world *world, struct sums *sums)
{
	struct sgang_placement *submit = plan(&world->request), *any;
	uint64_t best, ordered;

	if (!submit)
		return;
	world->request.any_order = true;
	any = plan(&world->request);
	assert_non_null(any);
	best = best_of_all(world);
	if (any->ring.cost > submit->ring.cost || any->bound > best ||
	    (any->exact && any->ring.cost > best))
		fail_msg("seed %llu: any %llu (bound %llu, exact %d), submit "
			 "%llu, best %llu",
			 (unsigned long long)world->seed,
			 (unsigned long long)any->ring.cost,
			 (unsigned long long)any->bound, any->exact,
			 (unsigned long long)submit->ring.cost,
			 (unsigned long long)best);
	check_runs(world, any);
	/* what is told of the order of submission can be had */
	assert_int_equal(sgang_explain_order(&world->request, submit, &ordered,
					     NULL),
			 0);
	assert_true(ordered <= submit->ring.cost);
	if (!world->request.spread)
		assert_true(any->ring.cost <= ordered);
	if (!world->request.spread)
		assert_true(ordered >= best);
	add(sums, any->ring.cost, best);
	sgang_placement_destroy(any);
	sgang_placement_destroy(submit);
}

static void check_worlds(bool spread, struct sums *sums)
{
	const char *seeds = getenv("SEEDS");
	uint64_t n = seeds ? strtoull(seeds, NULL, 10) : WORLDS, seed;
	struct world world;

	memset(sums, 0, sizeof(*sums));
	for (seed = 1; seed <= n; seed++) {
		open_world(&world, seed);
		world.request.spread = spread;
		world.request.spread_level = SGANG_LEVEL_LEAF;
		check_world(&world, sums);
		close_world(&world);
	}
	assert_int_not_equal(sums->worlds, 0);
	say(sums);
}

/* Behaviour 7.9 */
TEST(test_all_orders)
{
	struct sums sums;

	check_worlds(false, &sums);
	assert_true(sums.best * 100 >= sums.worlds * 99);
	assert_true(sums.over <= sums.worlds * 1.001);
}

/* Members in different domains are sorted where they are. */
TEST(test_spread)
{
	struct sums sums;

	check_worlds(true, &sums);
}

/* ---- members that stay in their order ---- */

#define RUNS_MAX (4 * 3)

/* Members with one to three nodes each, in the order of the nodes. */
static size_t make_runs(struct world *world, struct sgang_run *runs)
{
	uint32_t members = 2 + rnd(world, 3), m, i;
	size_t n = 0;

	for (m = 0; m < members; m++) {
		uint32_t nodes = 1 + rnd(world, 3), from = world->n_nodes;

		for (i = 0; i < world->n_nodes && nodes; i++, from--) {
			if (rnd(world, from) >= nodes)
				continue;
			nodes--;
			runs[n++] = (struct sgang_run){ .member = m,
							.node = i,
							.ranks = 1 };
		}
	}
	return n;
}

static uint64_t cost_of(const struct world *world, const struct sgang_run *runs,
			size_t n)
{
	struct sgang_ring ring;

	sgang_ring_measure(world->fabric, &world->costs, runs, n, &ring);
	return ring.cost;
}

static void swap_runs(struct sgang_run *a, struct sgang_run *b)
{
	struct sgang_run run = *a;

	*a = *b;
	*b = run;
}

/* The least of all orders of each member's nodes, from run 'at' on. */
static uint64_t least_of_nodes(const struct world *world,
			       struct sgang_run *runs, size_t n, size_t at)
{
	uint64_t least = UINT64_MAX, cost;

	if (at == n)
		return cost_of(world, runs, n);
	for (size_t i = at; i < n && runs[i].member == runs[at].member; i++) {
		swap_runs(&runs[at], &runs[i]);
		cost = least_of_nodes(world, runs, n, at + 1);
		least = cost < least ? cost : least;
		swap_runs(&runs[at], &runs[i]);
	}
	return least;
}

/* The least of all orders of the runs from 'at' to 'end'. */
static uint64_t least_of_member(const struct world *world,
				struct sgang_run *runs, size_t n, size_t at,
				size_t end)
{
	uint64_t least = UINT64_MAX, cost;

	if (at == end)
		return cost_of(world, runs, n);
	for (size_t i = at; i < end; i++) {
		swap_runs(&runs[at], &runs[i]);
		cost = least_of_member(world, runs, n, at + 1, end);
		least = cost < least ? cost : least;
		swap_runs(&runs[at], &runs[i]);
	}
	return least;
}

static void arrange_world(struct world *world, struct sums *sums)
{
	struct sgang_run runs[RUNS_MAX];
	struct sgang_placement placement = { .runs = runs };
	uint64_t before, least, sum = 0, now = 0;

	placement.n_runs = make_runs(world, runs);
	before = cost_of(world, runs, placement.n_runs);
	least = least_of_nodes(world, runs, placement.n_runs, 0);
	for (size_t i = 0; i < placement.n_runs; i++)
		sum += UINT64_C(1)
		       << (runs[i].member * NODES_MAX + runs[i].node);
	sgang_plan_arrange_nodes(&world->request, &placement);
	for (size_t i = 0; i < placement.n_runs; i++) {
		now += UINT64_C(1)
		       << (runs[i].member * NODES_MAX + runs[i].node);
		assert_true(!i || runs[i - 1].member <= runs[i].member);
	}
	assert_int_equal(now, sum);
	assert_int_equal(placement.ring.cost,
			 cost_of(world, runs, placement.n_runs));
	assert_true(placement.ring.cost <= before);
	assert_true(placement.ring.cost >= least);
	add(sums, placement.ring.cost, least);
}

/* 6.4: the nodes of a member that comes later are in the cheapest order. */
TEST(test_nodes_of_member)
{
	struct sgang_run runs[RUNS_MAX];
	uint64_t least, cost;
	uint32_t better = 0;
	struct world world;
	size_t n, end;

	for (uint64_t seed = 1; seed <= 10 * WORLDS; seed++) {
		open_world(&world, seed);
		n = make_runs(&world, runs);
		for (size_t i = 0; i < n; i = end) {
			for (end = i + 1;
			     end < n && runs[end].member == runs[i].member;)
				end++;
			least = least_of_member(&world, runs, n, i, end);
			cost = cost_of(&world, runs, n);
			assert_int_equal(
				sgang_plan_arrange_member(world.fabric, runs, n,
							  runs[i].member),
				0);
			better += cost_of(&world, runs, n) < cost;
			assert_int_equal(cost_of(&world, runs, n), least);
		}
		close_world(&world);
	}
	assert_true(better > WORLDS);
}

/* 4.21: members that stay in their order have their nodes as they suit the
 * ring. */
TEST(test_nodes_of_members)
{
	struct sums sums = { .worlds = 0 };
	struct world world;

	for (uint64_t seed = 1; seed <= 10 * WORLDS; seed++) {
		open_world(&world, seed);
		arrange_world(&world, &sums);
		close_world(&world);
	}
	say(&sums);
	assert_true(sums.best * 100 >= sums.worlds * 80);
	assert_true(sums.over <= sums.worlds * 1.03);
}

/* The least of all orders of members, whose runs are in 'runs' one member after
 * the other, and of the nodes of each; members of 'used' are in 'ring' already. */
static uint64_t least_of_members(const struct world *world,
				 const struct sgang_run *runs, size_t n,
				 uint32_t used, struct sgang_run *ring,
				 size_t at)
{
	uint64_t least = UINT64_MAX, cost;
	size_t i, end;

	if (at == n)
		return least_of_nodes(world, ring, n, 0);
	for (i = 0; i < n; i = end) {
		for (end = i + 1;
		     end < n && runs[end].member == runs[i].member;)
			end++;
		if (used >> runs[i].member & 1)
			continue;
		memcpy(ring + at, runs + i, (end - i) * sizeof(*runs));
		cost = least_of_members(world, runs, n,
					used | 1u << runs[i].member, ring,
					at + end - i);
		least = cost < least ? cost : least;
	}
	return least;
}

/* The members are those they were, each in one piece and on the same nodes. */
static void check_same(const struct sgang_run *before,
		       const struct sgang_run *after, size_t n)
{
	uint64_t was = 0, is = 0;
	uint32_t seen = 0;

	for (size_t i = 0; i < n; i++) {
		was += UINT64_C(1)
		       << (before[i].member * NODES_MAX + before[i].node);
		is += UINT64_C(1)
		      << (after[i].member * NODES_MAX + after[i].node);
		if (i && after[i].member == after[i - 1].member)
			continue;
		assert_false(seen >> after[i].member & 1);
		seen |= 1u << after[i].member;
	}
	assert_int_equal(was, is);
	assert_int_equal(after[0].member, before[0].member);
}

/* 7.9: on given nodes members have the order, and each its ends, that cost the
 * least. */
TEST(test_members_on_nodes)
{
	struct sgang_run runs[RUNS_MAX], made[RUNS_MAX], ring[RUNS_MAX];
	struct sums sums = { .worlds = 0 };
	struct world world;
	uint64_t least;
	size_t n;

	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		struct sgang_placement placement = { .runs = made };

		open_world(&world, seed);
		n = make_runs(&world, runs);
		least = least_of_members(&world, runs, n, 0, ring, 0);
		memcpy(made, runs, n * sizeof(*runs));
		placement.n_runs = n;
		placement.ring.cost = cost_of(&world, made, n);
		assert_int_equal(sgang_plan_arrange(&world.request, &placement),
				 0);
		check_same(runs, made, n);
		assert_int_equal(placement.ring.cost, cost_of(&world, made, n));
		assert_true(placement.ring.cost >= least);
		add(&sums, placement.ring.cost, least);
		close_world(&world);
	}
	say(&sums);
	assert_true(sums.best * 100 >= sums.worlds * 90);
	assert_true(sums.over <= sums.worlds * 1.01);
}

/* 7.9: a launcher and workers that are alike cost the same in their order as in
 * any, and are in it. */
TEST(test_launcher)
{
	struct sgang_placement *submit, *any;
	uint32_t placed = 0, odd, i, last;
	struct world world;

	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		open_world(&world, seed);
		odd = rnd(&world, (uint32_t)world.request.n_members);
		for (i = 0; i < world.request.n_members; i++)
			world.member[i] = (struct sgang_plan_member){
				.units = i == odd ? 1 : 1 + seed % 3,
				.slots = i == odd ? 3 : 2,
				.distinct = true,
				.allowed = world.set[2]
			};
		submit = plan(&world.request);
		world.request.any_order = true;
		any = plan(&world.request);
		assert_int_equal(!submit, !any);
		if (submit) {
			placed++;
			assert_int_equal(submit->ring.cost, any->ring.cost);
			check_runs(&world, submit);
			for (last = 0, i = 0; i < submit->n_runs; i++) {
				assert_in_range(submit->runs[i].member, last,
						last + 1);
				last = submit->runs[i].member;
			}
		}
		sgang_placement_destroy(submit);
		sgang_placement_destroy(any);
		close_world(&world);
	}
	assert_true(placed > WORLDS / 4);
}

/* What weighs less comes first, whatever it costs. */
TEST(test_weight_first)
{
	struct sgang_placement *submit, *any;
	uint64_t heavy, light;
	struct world world;

	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		open_world(&world, seed);
		world.request.weight = world.weight;
		world.request.weight_first = true;
		submit = plan(&world.request);
		world.request.any_order = true;
		any = plan(&world.request);
		if (submit) {
			assert_int_equal(sgang_plan_weigh(&world.request, any,
							  &light),
					 0);
			assert_int_equal(sgang_plan_weigh(&world.request,
							  submit, &heavy),
					 0);
			assert_true(light <= heavy);
			check_runs(&world, any);
		}
		sgang_placement_destroy(any);
		sgang_placement_destroy(submit);
		close_world(&world);
	}
}

/* Members that are alike have one order: what is proved of it stays proved. */
TEST(test_alike)
{
	struct sgang_placement *submit, *any;
	uint32_t proved = 0, i;
	struct world world;

	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		open_world(&world, seed);
		for (i = 1; i < world.request.n_members; i++)
			world.member[i] = world.member[0];
		submit = plan(&world.request);
		world.request.any_order = true;
		any = plan(&world.request);
		assert_int_equal(!any, !submit);
		if (any) {
			assert_int_equal(any->exact, submit->exact);
			assert_int_equal(any->bound, submit->bound);
			assert_int_equal(any->ring.cost, submit->ring.cost);
			proved += any->exact;
		}
		sgang_placement_destroy(any);
		sgang_placement_destroy(submit);
		close_world(&world);
	}
	assert_int_not_equal(proved, 0);
}

TEST_MAIN(NULL, NULL)
