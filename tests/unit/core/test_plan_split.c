/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_split.c - nodes for two arcs of a ring, against all there are
 *
 * Seeded worlds of up to seven nodes in some leaves under one or two spines.
 * Every way to give nodes to the arcs is tried, and every order of them: what is
 * chosen must hold what is needed, cost no less than the cheapest (4.15), and
 * seldom more. The prices that are found must make a bound that holds, and that
 * is near. So small a gang has its best placement from plan_prove.c; here it is
 * the hardest case, since nothing evens out.
 */

#include "../unit.h"
#include "bed.h"
#include "core/plan/plan_private.h"
#include "fail_alloc.h"
#include "fuzz.h"

#define WORLDS 1500
#define NODES 7
#define SETS (1 << NODES)
#define NEVER UINT32_MAX

/* Kind 0 is of arc A. The others ask for single slots; kind 2, if it is there,
 * for those of some nodes. */
struct world {
	struct bed bed;
	struct sgang_pool pool;
	struct sgang_kind kind[3];
	uint32_t need[3]; /* of each kind */
	uint32_t kind_of[3];
	struct sgang_job job;
	struct sgang_nodeset *some;
	/* by position */
	uint32_t n, units[NODES], slots[NODES];
	bool narrow[NODES];
	uint32_t path[SETS][NODES][NODES]; /* through a set, by its ends */
};

static uint32_t hop(const struct world *world, uint32_t a, uint32_t b)
{
	const struct sgang_fabric *fabric = world->bed.fabric;
	const uint32_t *order = sgang_fabric_order(fabric);

	return world->bed.costs
		       .hop[sgang_fabric_meet(fabric, order[a], order[b])] -
	       world->bed.costs.hop[SGANG_LEVEL_ISLAND];
}

/* The cheapest ways through all sets of nodes. */
static void find_paths(struct world *world)
{
	memset(world->path, 0xff, sizeof(world->path));
	for (uint32_t i = 0; i < world->n; i++)
		world->path[1 << i][i][i] = 0;
	for (uint32_t set = 1; set < 1u << world->n; set++) {
		for (uint32_t at = 0; at < NODES * NODES * world->n; at++) {
			uint32_t from = at % NODES, to = at / NODES % NODES;
			uint32_t next = at / NODES / NODES, more;
			uint32_t *there;

			if (world->path[set][from][to] == NEVER ||
			    set >> next & 1)
				continue;
			more = world->path[set][from][to] +
			       hop(world, to, next);
			there = &world->path[set | 1u << next][from][next];
			*there = more < *there ? more : *there;
		}
	}
}

/* A ring through the nodes of A and then through those of B. */
static uint32_t ring(const struct world *world, uint32_t a, uint32_t b)
{
	uint32_t best = NEVER;

	for (uint32_t i = 0; i < NODES * NODES * NODES * NODES; i++) {
		uint32_t end[4] = { i % 7, i / 7 % 7, i / 49 % 7, i / 343 };
		uint32_t cost;

		if (world->path[a][end[0]][end[1]] == NEVER ||
		    world->path[b][end[2]][end[3]] == NEVER)
			continue;
		cost = world->path[a][end[0]][end[1]] +
		       world->path[b][end[2]][end[3]] +
		       hop(world, end[1], end[2]) + hop(world, end[3], end[0]);
		best = cost < best ? cost : best;
	}
	return best;
}

static bool holds(const struct world *world, uint32_t a, uint32_t b)
{
	uint64_t units = 0, slots = 0, narrow = 0;

	for (uint32_t i = 0; i < world->n; i++) {
		units += a >> i & 1 ? world->units[i] : 0;
		slots += b >> i & 1 ? world->slots[i] : 0;
		narrow += b >> i & world->narrow[i] ? world->slots[i] : 0;
	}
	return units >= world->kind[0].units &&
	       slots >= world->kind[1].units + world->kind[2].units &&
	       narrow >= world->kind[2].units;
}

/* NEVER: there is none. */
static uint32_t cheapest(const struct world *world)
{
	uint32_t all = (1u << world->n) - 1, best = NEVER;

	for (uint32_t a = 1; a <= all; a++) {
		for (uint32_t b = all & ~a; b; b = (b - 1) & all & ~a) {
			uint32_t cost;

			if (!holds(world, a, b))
				continue;
			cost = ring(world, a, b);
			best = cost < best ? cost : best;
		}
	}
	return best;
}

/* -- worlds -- */

static void make_topology(struct world *world, uint64_t *seed, char *text)
{
	uint32_t leaves = 0, node = 0;

	world->n = 3 + (uint32_t)fuzz_below(seed, NODES - 2);
	while (node < world->n) {
		uint32_t more = 1 + (uint32_t)fuzz_below(seed, 3);

		if (more > world->n - node)
			more = world->n - node;
		text += sprintf(text, "SwitchName=l%u Nodes=n[%u-%u]\n",
				leaves++, node, node + more - 1);
		node += more;
	}
	if (leaves > 2 && fuzz_below(seed, 2))
		sprintf(text,
			"SwitchName=s0 Switches=l[0-1]\nSwitchName=s1 "
			"Switches=l[2-%u]\nSwitchName=top Switches=s[0-1]\n",
			leaves - 1);
	else
		sprintf(text, "SwitchName=top Switches=l[0-%u]\n", leaves - 1);
}

static void add_kind(struct world *world, uint32_t units, uint32_t slots,
		     const struct sgang_nodeset *allowed)
{
	uint32_t k = world->job.n_kinds++;

	bed_add(&world->bed, units, slots, false);
	world->bed.request.n_dims = 1;
	world->need[k] = slots;
	world->bed.member[k].allowed = allowed;
	world->kind[k] = (struct sgang_kind){
		.slots = slots,
		.need = world->need + k,
		.ranks = slots,
		.allowed = allowed,
		.units = units,
		.per_node = units,
		.first = k,
	};
	world->kind_of[k] = k;
}

/* What the nodes hold, as the header says it of arcs. */
static void fill_nodes(struct world *world, uint64_t *seed)
{
	const uint32_t *order = sgang_fabric_order(world->bed.fabric);

	for (uint32_t i = 0; i < world->n; i++) {
		uint32_t free = (uint32_t)fuzz_below(seed, 5);

		world->bed.free[order[i]] = free;
		world->units[i] = free / world->kind[0].slots;
		if (world->units[i] > world->kind[0].units)
			world->units[i] = (uint32_t)world->kind[0].units;
		world->slots[i] = free;
		world->narrow[i] = world->some && free &&
				   sgang_nodeset_has(world->some, order[i]);
	}
}

static void open_world(struct world *world, uint64_t *seed)
{
	char text[512];

	memset(world, 0, sizeof(*world));
	make_topology(world, seed, text);
	bed_open(&world->bed, text, 4);
	add_kind(world, 1 + (uint32_t)fuzz_below(seed, 4),
		 1 + (uint32_t)fuzz_below(seed, 3), NULL);
	add_kind(world, 1 + (uint32_t)fuzz_below(seed, 6), 1, NULL);
	if (fuzz_below(seed, 2)) {
		world->some = sgang_nodeset_create(world->n);
		assert_non_null(world->some);
		for (uint32_t i = 0; i < world->n; i++) {
			if (fuzz_below(seed, 2))
				sgang_nodeset_add(world->some, i);
		}
		add_kind(world, 1 + (uint32_t)fuzz_below(seed, 3), 1,
			 world->some);
	}
	fill_nodes(world, seed);
	world->job = (struct sgang_job){
		.request = &world->bed.request,
		.pool = &world->pool,
		.kind = world->kind,
		.n_kinds = world->job.n_kinds,
		.kind_of = world->kind_of,
		.units = world->kind[0].units + world->kind[1].units +
			 world->kind[2].units,
	};
	find_paths(world);
}

static void close_world(struct world *world)
{
	sgang_pool_clear(&world->pool);
	sgang_nodeset_destroy(world->some);
	bed_close(&world->bed);
}

/* -- tests -- */

/* The nodes of an arc, as bits. */
static uint32_t owned(const struct world *world, const uint8_t *owner,
		      uint8_t arc)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < world->n; i++)
		set |= (uint32_t)(owner[i] == arc) << i;
	return set;
}

/* By the prices, all that is needed is worth no more than it costs: returns
 * what. */
static uint64_t check_bound(const struct world *world,
			    const struct sgang_split *split, uint32_t best)
{
	double weight[3] = { 0 };
	uint64_t bound = 0;

	for (uint32_t k = 0; k < world->job.n_kinds; k++)
		weight[k] = sgang_split_weight(split, k);
	sgang_arcs_bound(&world->job, 0, weight, best, &bound);
	assert_true(bound <= best);
	return bound;
}

struct tally {
	uint32_t solved, refused, optimal, missed;
	uint64_t costs, bounds;
};

static void check_world(struct world *world, struct tally *tally)
{
	uint32_t best = cheapest(world), cost;
	struct sgang_split *split = sgang_split_open(&world->job, 0, 40);
	uint8_t owner[NODES];

	if (!sgang_split_solve(split, 0, 1, owner)) {
		tally->refused += best == NEVER;
		tally->missed += best != NEVER;
		return;
	}
	assert_int_not_equal(best, NEVER);
	assert_true(holds(world, owned(world, owner, SGANG_SPLIT_FIRST),
			  owned(world, owner, SGANG_SPLIT_OTHERS)));
	cost = ring(world, owned(world, owner, SGANG_SPLIT_FIRST),
		    owned(world, owner, SGANG_SPLIT_OTHERS));
	assert_true(cost >= best);
	tally->solved++;
	tally->optimal += cost == best;
	tally->costs += best;
	tally->bounds += check_bound(world, split, best);
}

TEST(test_brute_force)
{
	struct world *world = malloc(sizeof(*world));
	struct tally tally = { 0 };
	uint64_t seed = 4;

	assert_non_null(world);
	for (int i = 0; i < WORLDS; i++) {
		open_world(world, &seed);
		check_world(world, &tally);
		close_world(world);
	}
	free(world);
	print_message("%u chosen, %u of them at the least cost; %u refused, "
		      "%u of them for nothing\n",
		      tally.solved, tally.optimal, tally.refused + tally.missed,
		      tally.missed);
	assert_true(tally.refused >= WORLDS / 4);
	assert_true(tally.optimal * 100 >= tally.solved * 95);
	assert_true(tally.missed * 100 <= tally.solved);
	assert_true(tally.bounds * 100 >= tally.costs * 63);
}

/* Two leaves of two nodes with four slots each. */
static void open_plain(struct world *world, uint32_t units, uint32_t slots)
{
	memset(world, 0, sizeof(*world));
	bed_open(&world->bed,
		 "SwitchName=a Nodes=n[0-1]\nSwitchName=b "
		 "Nodes=n[2-3]\nSwitchName=top Switches=a,b\n",
		 4);
	world->n = 4;
	add_kind(world, units, 4, NULL);
	add_kind(world, slots, 1, NULL);
	world->job.request = &world->bed.request;
	world->job.pool = &world->pool;
	world->job.kind = world->kind;
	world->job.kind_of = world->kind_of;
	world->job.units = units + slots;
}

static bool solve(struct world *world, uint64_t more, uint8_t owner[NODES])
{
	struct sgang_split *split = sgang_split_open(&world->job, 0, 40);

	assert_true(sgang_split_narrow(split) == UINT32_MAX);
	return sgang_split_solve(split, more, 1, owner);
}

/* A leaf for each arc; then there is not enough for one of them. */
TEST(test_room)
{
	struct world *world = malloc(sizeof(*world));
	uint8_t owner[NODES];
	uint32_t first;

	assert_non_null(world);
	open_plain(world, 2, 5);
	assert_int_equal(solve(world, 0, owner), 1);
	first = owned(world, owner, SGANG_SPLIT_FIRST);
	assert_true(first == 3 || first == 12);
	assert_int_equal(owned(world, owner, SGANG_SPLIT_OTHERS), 15 - first);
	assert_int_equal(solve(world, 3, owner), 1);
	assert_int_equal(solve(world, 4, owner), 0);
	/* one leaf is not two arcs' */
	world->bed.request.max_level = SGANG_LEVEL_LEAF;
	assert_int_equal(solve(world, 0, owner), 0);
	close_world(world);
	open_plain(world, 3, 5);
	assert_int_equal(solve(world, 0, owner), 0);
	close_world(world);
	free(world);
}

/* In a pool of its own. */
static int split(struct sgang_pool *pool, void *arg)
{
	struct world *world = arg;
	uint8_t owner[NODES];

	world->job.pool = pool;
	return solve(world, 0, owner);
}

/* Without memory it says so. */
TEST(test_no_memory)
{
	struct world *world = malloc(sizeof(*world));
	unsigned long n;

	assert_non_null(world);
	open_plain(world, 2, 5);
	for (n = 1;; n++) {
		long before = fail_live;
		int rc;

		fail_at(n);
		rc = sgang_pool_run(split, world);
		fail_countdown = 0;
		assert_int_equal(rc, fail_happened ? -1 : 1);
		assert_int_equal(fail_live, before);
		if (!fail_happened)
			break;
	}
	assert_in_range(n, 3, 1000);
	close_world(world);
	free(world);
}

TEST_MAIN(NULL, NULL)
