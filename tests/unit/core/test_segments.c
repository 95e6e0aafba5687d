/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_segments.c - members in segments, against trying everything (7.3)
 *
 * The rules of --segment are written here once more, from what topology/block
 * does: a segment is in one block of the smallest size that holds it, and in
 * no more blocks of the size below than it fills. Blocks are numbers, not
 * domains, and every division of a member's nodes into segments is tried.
 *
 * SGANG_SEEDS=N	so many worlds [1500]
 */

#include "../unit.h"
#include "core/plan/plan.h"
#include "bed.h"
#include "fail_plan.h"
#include "oracle.h"

#define NODES_MAX 9
#define MEMBERS_MAX 3
#define UNITS_MAX 6

struct world {
	uint64_t seed;
	char text[2048];
	uint32_t n_nodes;
	uint32_t base;
	uint32_t joined;           /* bit k: 2^k blocks are a size */
	uint32_t block[NODES_MAX]; /* by node */
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t free[NODES_MAX];
	uint32_t total[NODES_MAX];
	uint32_t weight[NODES_MAX];
	struct sgang_plan_member member[MEMBERS_MAX];
	struct sgang_nodeset *given[MEMBERS_MAX];
	size_t n_members;
	uint32_t units;
	struct sgang_plan_group group[3];
	struct sgang_plan_request request;
};

/* -- worlds -- */

static void make_blocks(struct world *world, uint64_t *random)
{
	char *p = world->text;
	uint32_t node = 0, block = 0, power = 0;

	world->base = 1 + fuzz_small(random, 3);
	world->n_nodes = 4 + fuzz_small(random, NODES_MAX - 3);
	while (node < world->n_nodes) {
		/* some have a node less than they are made for */
		uint32_t n = world->base -
			     (world->base > 1 && !fuzz_small(random, 4));

		if (n > world->n_nodes - node)
			n = world->n_nodes - node;
		p += sprintf(p, "BlockName=b%u Nodes=n[%u-%u]\n", block, node,
			     node + n - 1);
		while (n--)
			world->block[node++] = block;
		block++;
	}
	p += sprintf(p, "BlockSizes=%u", world->base);
	world->joined = 1;
	while (++power < 4) {
		if (!fuzz_small(random, 2))
			continue;
		p += sprintf(p, ",%u", world->base << power);
		world->joined |= 1u << power;
	}
	sprintf(p, "\n");
}

static void make_members(struct world *world, uint64_t *random)
{
	uint32_t left = UNITS_MAX;
	bool alike = fuzz_small(random, 2);

	while (left && world->n_members < MEMBERS_MAX) {
		struct sgang_plan_member *m = &world->member[world->n_members];

		m->units = 1 + fuzz_small(random, left);
		m->slots = 1;
		m->ranks = 1;
		m->distinct = true;
		if (fuzz_small(random, 4))
			m->segment = 1 + fuzz_small(random, m->units);
		m->consolidate_segments = !fuzz_small(random, 4);
		m->spread_segments = !fuzz_small(random, 4);
		if (alike && world->n_members)
			*m = world->member[0];
		if (m->units > left)
			break;
		world->n_members++;
		left -= m->units;
		world->units += m->units;
	}
}

/* A member may ask for the nodes that it is to have. */
static void make_given(struct world *world, uint64_t *random)
{
	struct sgang_plan_member *m = &world->member[0];

	if (fuzz_small(random, 8))
		return;
	world->given[0] = sgang_nodeset_create(world->n_nodes);
	assert_non_null(world->given[0]);
	for (uint32_t node = 0; node < world->n_nodes &&
				m->units > sgang_nodeset_count(world->given[0]);
	     node++) {
		if (world->free[node] && (world->n_nodes - node <= m->units ||
					  fuzz_small(random, 2)))
			sgang_nodeset_add(world->given[0], node);
	}
	if (sgang_nodeset_count(world->given[0]) == m->units)
		m->required = world->given[0];
}

/* Two groups, the second of all members but the first. */
static void make_groups(struct world *world, uint64_t *random)
{
	if (world->n_members < 2 || fuzz_small(random, 4) || world->given[0])
		return;
	for (uint32_t g = 0; g < 3; g++)
		world->group[g] = (struct sgang_plan_group){
			.name = "group",
			.parent = g ? 0 : SGANG_PLAN_NO_GROUP,
			.weight = 1 + fuzz_small(random, 3),
			.require = SGANG_LEVEL_UNCONNECTED,
			.prefer = SGANG_LEVEL_UNCONNECTED,
			.first = g == 2,
			.n_members = g == 1 ? 1 : world->n_members - (g == 2),
		};
	world->request.group = world->group;
	world->request.n_groups = 3;
}

static void make_world(struct world *world, uint64_t seed)
{
	uint64_t random = seed * 977 + 13;
	uint32_t most;

	memset(world, 0, sizeof(*world));
	world->seed = seed;
	make_blocks(world, &random);
	world->fabric = oracle_fabric(world->text, seed);
	oracle_costs(&world->costs, &random);
	most = 1 + !fuzz_small(&random, 3);
	for (uint32_t i = 0; i < world->n_nodes; i++) {
		world->total[i] = most;
		world->free[i] = fuzz_small(&random, 5) ? most : most - 1;
	}
	if (!fuzz_small(&random, 4)) {
		for (uint32_t i = 0; i < world->n_nodes; i++)
			world->weight[i] = 1 + fuzz_small(&random, 2);
		world->request.weight = world->weight;
		world->request.weight_first = fuzz_small(&random, 2);
	}
	make_members(world, &random);
	make_given(world, &random);
	make_groups(world, &random);
	ORACLE_REQUEST(world);
	world->request.n_members = world->n_members;
	world->request.max_level = SGANG_LEVEL_UNCONNECTED;
}

static void free_world(struct world *world)
{
	sgang_nodeset_destroy(world->given[0]);
	sgang_fabric_destroy(world->fabric);
}

/* -- the rules -- */

/* Blocks that are 2^k of these are made for so many nodes; 31: all there are.
 */
static uint32_t size_for(const struct world *world, uint32_t nodes)
{
	for (uint32_t k = 0; k < 4; k++) {
		if (world->joined >> k & 1 && world->base << k >= nodes)
			return k;
	}
	return 31;
}

static uint32_t size_below(const struct world *world, uint32_t nodes)
{
	uint32_t k, found = 0;

	for (k = 0; k < 4; k++) {
		if (world->joined >> k & 1 && world->base << k < nodes)
			found = k;
	}
	return found;
}

static bool has(const uint32_t *list, uint32_t n, uint32_t what)
{
	while (n) {
		if (list[--n] == what)
			return true;
	}
	return false;
}

/* Is this a segment? */
static bool is_segment(const struct world *world, const uint32_t *node,
		       uint32_t n)
{
	uint32_t size = size_for(world, n), below = size_below(world, n);
	uint32_t part = world->base << below, parts[UNITS_MAX], n_parts = 0, i;

	for (i = 0; i < n; i++) {
		uint32_t block = world->block[node[i]];

		if (block >> size != world->block[node[0]] >> size)
			return false;
		if (!has(parts, n_parts, block >> below))
			parts[n_parts++] = block >> below;
	}
	return n <= world->base || n_parts <= (n + part - 1) / part;
}

struct division {
	const struct world *world;
	const struct sgang_plan_member *member;
	const uint32_t *node;   /* of the member */
	uint32_t in[UNITS_MAX]; /* by node: number of its segment */
};

static bool divide(struct division *d, uint32_t i);

static bool is_apart(const struct division *d)
{
	for (uint32_t i = 0; i < d->member->units; i++) {
		for (uint32_t j = 0; j < i; j++) {
			if (d->in[i] != d->in[j] &&
			    d->world->block[d->node[i]] ==
				    d->world->block[d->node[j]])
				return false;
		}
	}
	return true;
}

static bool is_divided(const struct division *d)
{
	uint32_t s, i, n, k = d->member->segment;
	uint32_t node[UNITS_MAX];

	for (s = 0; s < d->member->units / k; s++) {
		for (i = n = 0; i < d->member->units; i++) {
			if (d->in[i] == s)
				node[n++] = d->node[i];
		}
		if (n != k || !is_segment(d->world, node, n))
			return false;
	}
	return !d->member->spread_segments || is_apart(d);
}

static bool divide(struct division *d, uint32_t i)
{
	if (i == d->member->units)
		return is_divided(d);
	for (uint32_t s = 0; s < d->member->units / d->member->segment; s++) {
		d->in[i] = s;
		if (divide(d, i + 1))
			return true;
	}
	return false;
}

static bool in_one(const struct world *world, const struct sgang_plan_member *m,
		   const uint32_t *node)
{
	uint32_t all = m->units, k = m->segment, size, i;

	if (m->spread_segments)
		all = (k + world->base - 1) / world->base * world->base *
		      (m->units / k);
	size = size_for(world, all);
	for (i = 1; i < m->units; i++) {
		if (world->block[node[i]] >> size !=
		    world->block[node[0]] >> size)
			return false;
	}
	return true;
}

static bool rules(const struct sgang_plan_member *m)
{
	return m->segment && m->units > 1 && !(m->units % m->segment);
}

static bool member_keeps(const struct world *world,
			 const struct sgang_plan_member *m,
			 const uint32_t *node)
{
	struct division d = { .world = world, .member = m, .node = node };

	if (!rules(m))
		return true;
	return (!m->consolidate_segments || in_one(world, m, node)) &&
	       divide(&d, 0);
}

/* Is there a rule that the planner keeps to in some of the ways only, or are
 * there nodes with room for two segments of a member? */
static bool is_hard(const struct world *world)
{
	for (size_t i = 0; i < world->n_members; i++) {
		const struct sgang_plan_member *m = &world->member[i];

		if (rules(m) && (m->spread_segments || world->total[0] > 1 ||
				 m->segment > world->base))
			return true;
	}
	return false;
}

/* -- trying everything -- */

struct brute {
	const struct world *world;
	int keeps[MEMBERS_MAX][1 << NODES_MAX]; /* 1: yes, -1: no */
	uint32_t at[UNITS_MAX];
	uint32_t left[NODES_MAX];
	uint64_t best;
	bool found;
};

static uint64_t ring_of(const struct world *world, const uint32_t *at,
			uint32_t n)
{
	uint64_t cost = 0;

	for (uint32_t i = 0; n > 1 && i < n; i++)
		cost += world->costs.hop[oracle_meet(world->fabric, at[i],
						     at[(i + 1) % n])];
	return cost ? cost : world->costs.hop[0] * n;
}

static int by_number(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return (*a > *b) - (*a < *b);
}

/* Groups are rings in the order of the fabric, which is that of the nodes. */
static uint64_t cost_of(const struct world *world, const uint32_t *at)
{
	uint32_t sorted[UNITS_MAX], from, n;
	uint64_t cost = 0;

	if (!world->request.n_groups)
		return ring_of(world, at, world->units);
	for (uint32_t g = 0; g < 3; g++) {
		from = g == 2 ? world->member[0].units : 0;
		n = g == 1 ? world->member[0].units : world->units - from;
		memcpy(sorted, at + from, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_number);
		cost += world->group[g].weight * ring_of(world, sorted, n);
	}
	return cost;
}

/* What was found for the same nodes counts again. */
static bool all_keep(struct brute *brute, const uint32_t *at)
{
	const struct world *world = brute->world;
	uint32_t set, u;

	for (size_t i = 0; i < world->n_members;
	     at += world->member[i++].units) {
		for (set = u = 0; u < world->member[i].units; u++)
			set |= 1u << at[u];
		if (!brute->keeps[i][set])
			brute->keeps[i][set] =
				member_keeps(world, &world->member[i], at) ? 1 :
									     -1;
		if (brute->keeps[i][set] < 0)
			return false;
	}
	return true;
}

static void judge(struct brute *brute)
{
	uint64_t cost = cost_of(brute->world, brute->at);

	if ((brute->found && cost >= brute->best) ||
	    !all_keep(brute, brute->at))
		return;
	brute->found = true;
	brute->best = cost;
}

static void try_all(struct brute *brute, size_t member, uint32_t from,
		    uint32_t unit)
{
	const struct world *world = brute->world;
	const struct sgang_plan_member *m = &world->member[member];

	if (unit - from == m->units) {
		if (member + 1 == world->n_members)
			judge(brute);
		else
			try_all(brute, member + 1, unit, unit);
		return;
	}
	for (uint32_t node = 0; node < world->n_nodes; node++) {
		if (!brute->left[node] ||
		    has(brute->at + from, unit - from, node) ||
		    (m->required && !sgang_nodeset_has(m->required, node)))
			continue;
		brute->left[node]--;
		brute->at[unit] = node;
		try_all(brute, member, from, unit + 1);
		brute->left[node]++;
	}
}

/* -- the plan -- */

struct tally {
	unsigned int worlds, kept, judged, best, proved, missed;
};

static void nodes_of(const struct world *world,
		     const struct sgang_placement *made, uint32_t *at)
{
	uint32_t left[NODES_MAX], n = 0, i;

	memcpy(left, world->free, sizeof(left));
	for (size_t r = 0; r < made->n_runs; r++) {
		const struct sgang_run *run = &made->runs[r];
		uint32_t from = 0;

		for (i = 0; i < run->member; i++)
			from += world->member[i].units;
		/* by member, in the order of the members, each node once */
		if (!left[run->node]-- || n < from ||
		    n >= from + world->member[run->member].units ||
		    has(at + from, n - from, run->node))
			fail_msg("seed %lu: run %zu",
				 (unsigned long)world->seed, r);
		at[n++] = run->node;
	}
	assert_int_equal(n, world->units);
}

static void check(const struct world *world, const struct sgang_placement *made,
		  struct brute *brute, struct tally *tally)
{
	uint32_t at[UNITS_MAX];
	uint64_t cost;
	bool keep;

	nodes_of(world, made, at);
	cost = cost_of(world, at);
	keep = all_keep(brute, at);
	if (!world->request.n_groups && made->ring.cost != cost)
		fail_msg("seed %lu: costs %lu, says %lu",
			 (unsigned long)world->seed, (unsigned long)cost,
			 (unsigned long)made->ring.cost);
	tally->kept += keep;
	if (brute->found && !keep && !is_hard(world))
		fail_msg("seed %lu: segments are not kept",
			 (unsigned long)world->seed);
	tally->missed += brute->found && !keep;
	if (world->request.weight_first)
		return; /* something lighter may cost more */
	tally->judged += keep;
	if (brute->found && made->bound > brute->best)
		fail_msg("seed %lu: bound %lu above the best, %lu",
			 (unsigned long)world->seed, (unsigned long)made->bound,
			 (unsigned long)brute->best);
	if (made->exact && (!keep || cost != brute->best))
		fail_msg("seed %lu: not the best (%lu) as is said, %lu",
			 (unsigned long)world->seed, (unsigned long)brute->best,
			 (unsigned long)cost);
	if (keep && cost < brute->best)
		fail_msg("seed %lu: the test is wrong",
			 (unsigned long)world->seed);
	tally->proved += keep && made->exact;
	tally->best += keep && cost == brute->best;
}

static void try_world(uint64_t seed, struct tally *tally)
{
	struct sgang_placement *made = NULL;
	struct sgang_nofit nofit;
	struct sgang_error err = { "" };
	struct brute brute = { .found = false };
	struct world world;
	int rc;

	make_world(&world, seed);
	brute.world = &world;
	memcpy(brute.left, world.free, sizeof(brute.left));
	try_all(&brute, 0, 0, 0);
	rc = sgang_plan(&world.request, &made, &nofit, &err);
	if (rc < 0)
		fail_msg("seed %lu: %s", (unsigned long)seed, err.text);
	if (!rc && brute.found)
		fail_msg("seed %lu: it fits, the planner says \"%s\"",
			 (unsigned long)seed, nofit.text);
	if (rc > 0)
		check(&world, made, &brute, tally);
	tally->worlds++;
	sgang_placement_destroy(made);
	free_world(&world);
}

TEST(test_brute)
{
	const char *asked = getenv("SGANG_SEEDS");
	uint64_t seed, n = asked ? strtoul(asked, NULL, 10) : 1500;
	struct tally t = { 0 };

	for (seed = 1; seed <= n; seed++)
		try_world(seed, &t);
	print_message("%u worlds: %u kept, of %u %u the best, %u proved, "
		      "%u missed\n",
		      t.worlds, t.kept, t.judged, t.best, t.proved, t.missed);
	assert_true(t.kept > t.worlds / 2);
	assert_true(t.proved > t.judged * 9 / 10);
	assert_true(t.missed < t.worlds / 50);
}

/* -- more -- */

TEST(test_no_memory)
{
	for (uint64_t seed = 1; seed <= 120; seed++) {
		struct world world;

		make_world(&world, seed);
		assert_in_range(fail_plans(&world.request, 1), 0, 1);
		free_world(&world);
	}
}

/* 56 racks of 18 nodes, of which a fifth is busy; eight members want 32 each, 16
 * to a rack. */
TEST(test_racks)
{
	static char text[4096];
	static struct bed bed;
	struct sgang_placement *made = NULL;
	uint32_t in[56] = { 0 }, i;
	uint64_t random = 5;
	struct sgang_error err;
	char *p = text;

	for (i = 0; i < 56; i++)
		p += sprintf(p, "BlockName=b%u Nodes=n[%u-%u]\n", i, 18 * i,
			     18 * i + 17);
	sprintf(p, "BlockSizes=18,36,72\n");
	bed_open(&bed, text, 4);
	for (i = 0; i < sgang_fabric_nodes(bed.fabric); i++)
		bed.free[i] = i / 18 % 5 && fuzz_small(&random, 15) ? 4 : 0;
	for (i = 0; i < 8; i++) {
		bed_add(&bed, 32, 0, true);
		bed.member[i].segment = 16;
	}
	assert_int_equal(sgang_plan(&bed.request, &made, NULL, &err), 1);
	for (size_t r = 0; r < made->n_runs; r++)
		in[made->runs[r].node / 18]++;
	for (i = 0; i < 56; i++)
		assert_true(!in[i] || in[i] == 16);
	assert_true(made->exact);
	sgang_placement_destroy(made);
	bed_close(&bed);
}

TEST_MAIN(NULL, NULL)
