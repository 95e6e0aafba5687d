/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_fuzz.c - the planner with requests that nobody would think of
 *
 * Seeded fabrics of up to some thousand nodes, hop costs up to 32 bits, members
 * of up to twelve kinds in any order, partitions, groups, levels that are
 * required or spread over. Whatever comes out must be a placement of what was
 * asked for, on slots that are free, that costs what it says and no less than
 * its bound; or a sentence that says why there is none (4.14, 4.29).
 *
 * SGANG_FUZZ_SEEDS=FROM-TO in the environment runs other seeds.
 */

#include "../unit.h"
#include "core/plan/plan.h"
#include "fuzz.h"

#define SEEDS 20000
#define NODES_MAX 3000
#define MEMBERS_MAX 600
#define KINDS_MAX 12
#define RANKS_MAX 200000 /* with more of them, no groups */

struct world {
	uint64_t seed, random;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t n_nodes;
	uint32_t free[NODES_MAX], total[NODES_MAX];
	uint32_t slots_most; /* of a node */
	struct sgang_nodeset *allowed[KINDS_MAX];
	struct sgang_plan_member kind[KINDS_MAX];
	struct sgang_plan_member member[MEMBERS_MAX];
	struct sgang_parallel parallel;
	struct sgang_plan_request request;
};

static uint32_t rnd(struct world *world, uint32_t below)
{
	return (uint32_t)fuzz_below(&world->random, below);
}

/* 1 to 'most', small numbers as often as large ones. */
static uint32_t rnd_size(struct world *world, uint32_t most)
{
	uint32_t size = 1;

	while (size < most && rnd(world, 4))
		size *= 2;
	return 1 + rnd(world, size < most ? size : most);
}

/* -- worlds -- */

static void make_fabric(struct world *world)
{
	uint32_t leaf = 1 + rnd_size(world, 64),
		 group = 2 + rnd_size(world, 32), levels = 1 + rnd(world, 5);
	uint32_t node, from = 0, to = 0;
	char *text = malloc((size_t)world->n_nodes * 160 + 4096), *p = text;
	struct sgang_error err;

	assert_non_null(text);
	for (node = 0; node < world->n_nodes; to++) {
		uint32_t n = rnd(world, 3) ? leaf : 1 + rnd(world, leaf);

		if (n > world->n_nodes - node)
			n = world->n_nodes - node;
		p += sprintf(p, "SwitchName=s%u Nodes=n[%u-%u]\n", to, node,
			     node + n - 1);
		node += n;
	}
	while (levels-- && to - from > 1) {
		uint32_t next = to;

		/* what is left at the end has no switch in common */
		for (; from < next; to++) {
			uint32_t n = !levels && rnd(world, 4) ? next - from :
								group;

			if (n > next - from)
				n = next - from;
			p += sprintf(p, "SwitchName=s%u Switches=s[%u-%u]\n",
				     to, from, from + n - 1);
			from += n;
		}
	}
	world->fabric = sgang_fabric_parse(text, "fuzz", NULL, 0, &err);
	free(text);
	assert_non_null(world->fabric);
}

static int ascending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return *a < *b ? -1 : *a > *b;
}

/* Costs of any size, or the usual ones. */
static void make_costs(struct world *world)
{
	sgang_costs_default(&world->costs);
	world->costs.allow_unconnected = rnd(world, 2);
	if (rnd(world, 2))
		return;
	for (uint32_t level = 0; level < SGANG_LEVELS; level++)
		world->costs.hop[level] =
			rnd(world, 2) ? rnd(world, 1000) :
					(uint32_t)(fuzz_next(&world->random) >>
						   (32 + rnd(world, 32)));
	qsort(world->costs.hop, SGANG_LEVELS, sizeof(world->costs.hop[0]),
	      ascending);
}

static void make_nodes(struct world *world)
{
	uint32_t most = rnd(world, 3) ? 8 : rnd_size(world, 300), node;
	uint32_t load = rnd(world, 4);
	bool same = rnd(world, 4);

	world->slots_most = most;
	for (node = 0; node < world->n_nodes; node++) {
		uint32_t total = same ? most : 1 + rnd(world, most);

		world->total[node] = total;
		world->free[node] = !load     ? total :
				    load == 1 ? rnd(world, 2) * total :
				    load == 2 || rnd(world, 10) ?
						rnd(world, total + 1) :
						0;
	}
}

static void make_kind(struct world *world, uint32_t number)
{
	struct sgang_plan_member *kind = &world->kind[number];
	uint32_t most = world->slots_most < 8 ? world->slots_most : 8, node;

	kind->units = rnd(world, 2) ? 1 : rnd_size(world, 64);
	if (!rnd(world, 8))
		kind->units = rnd_size(world, 4000);
	kind->slots = rnd(world, 5) ? 1 + rnd(world, most) : 0;
	kind->ranks = rnd(world, 6) ? 0 : rnd_size(world, 1000);
	kind->distinct = rnd(world, 2);
	if (rnd(world, 4))
		return;
	world->allowed[number] = sgang_nodeset_create(world->n_nodes);
	assert_non_null(world->allowed[number]);
	for (node = 0; node < world->n_nodes; node++) {
		if (rnd(world, 3))
			sgang_nodeset_add(world->allowed[number], node);
	}
	kind->allowed = world->allowed[number];
}

/* Members of some kinds: in turn, in blocks, or by chance. Returns how many
 * ranks they have, if nodes are all alike. */
static uint64_t make_members(struct world *world)
{
	uint32_t n = rnd_size(world, rnd(world, 5) ? 16 : MEMBERS_MAX), i;
	uint32_t kinds = 1 + rnd(world, rnd(world, 3) ? 4 : KINDS_MAX);
	uint32_t order = rnd(world, 3);
	uint64_t ranks = 0;

	for (i = 0; i < kinds; i++)
		make_kind(world, i);
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *kind =
			&world->kind[!order     ? i % kinds :
				     order == 1 ? i * kinds / n :
						  rnd(world, kinds)];

		world->member[i] = *kind;
		ranks += (uint64_t)kind->units *
			 (kind->ranks ? kind->ranks :
			  kind->slots ? kind->slots :
					world->slots_most);
	}
	world->request.members = world->member;
	world->request.n_members = n;
	return ranks;
}

/* Groups whose sizes make so many ranks. */
static void make_groups(struct world *world, uint64_t ranks)
{
	struct sgang_parallel *parallel = &world->parallel;

	while (parallel->n + 1 < SGANG_PARALLEL_MAX && ranks > 1) {
		struct sgang_parallel_group *group =
			&parallel->group[parallel->n];
		uint64_t size = rnd(world, 4) ? 2 + rnd(world, 15) : ranks;

		if (size > ranks)
			size = ranks;
		while (ranks % size)
			size++;
		snprintf(group->name, sizeof(group->name), "g%u",
			 (unsigned int)parallel->n++);
		group->size = size;
		group->weight = rnd(world, 2) ? rnd(world, 100) :
						rnd(world, 1000001);
		ranks /= size;
	}
	if (ranks > 1 || !parallel->n)
		return;
	world->request.parallel = parallel;
	for (uint32_t i = 0; i < SGANG_PARALLEL_MAX; i++)
		world->request.require[i] = rnd(world, 8) ?
						    SGANG_LEVEL_UNCONNECTED :
						    1 + rnd(world, 5);
}

static void make_world(struct world *world, uint64_t seed)
{
	uint64_t ranks;

	memset(world, 0, sizeof(*world));
	world->seed = world->random = seed;
	world->n_nodes = rnd_size(world, rnd(world, 10) ? 300 : NODES_MAX);
	make_fabric(world);
	/* their numbers are those of the text */
	assert_int_equal(sgang_fabric_nodes(world->fabric), world->n_nodes);
	make_costs(world);
	make_nodes(world);
	world->request = (struct sgang_plan_request){
		.fabric = world->fabric,
		.costs = &world->costs,
		.free = world->free,
		.total = world->total,
		.max_level = rnd(world, 3) ? SGANG_LEVEL_UNCONNECTED :
					     rnd(world, SGANG_LEVELS),
	};
	ranks = make_members(world);
	if (!rnd(world, 4) && ranks < RANKS_MAX)
		make_groups(world, ranks);
	if (!rnd(world, 6)) {
		world->request.spread = true;
		world->request.spread_level = rnd(world, 6);
	}
}

static void free_world(struct world *world)
{
	for (size_t i = 0; i < KINDS_MAX; i++)
		sgang_nodeset_destroy(world->allowed[i]);
	sgang_fabric_destroy(world->fabric);
}

/* -- what has to be true -- */

/* Is this run what its member asked for? It takes its slots from 'free'. */
static void check_run(const struct world *world, const struct sgang_run *run,
		      uint32_t *free_slots)
{
	const struct sgang_plan_member *ask = &world->member[run->member];
	uint32_t slots = ask->slots ? ask->slots : world->total[run->node];

	assert_true(!ask->allowed ||
		    sgang_nodeset_has(ask->allowed, run->node));
	assert_int_equal(run->slots % slots, 0);
	assert_int_equal(run->ranks, run->slots / slots *
					     (ask->ranks ? ask->ranks : slots));
	if (ask->distinct || !ask->slots)
		assert_true(run->slots == slots || ask->units == 1);
	assert_true(run->slots <= free_slots[run->node]);
	free_slots[run->node] -= run->slots;
}

/* Members in their order, each with all its units, no node twice. */
static void check_runs(const struct world *world,
		       const struct sgang_placement *placement)
{
	uint32_t free_slots[NODES_MAX], seen[NODES_MAX] = { 0 }, member = 0;
	uint64_t units = 0;

	memcpy(free_slots, world->free, sizeof(free_slots));
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		const struct sgang_plan_member *ask =
			&world->member[run->member];

		if (run->member != member) {
			assert_int_equal(units, world->member[member].units);
			assert_int_equal(run->member, member + 1);
			member = run->member;
			units = 0;
		}
		assert_true(seen[run->node] != member + 1);
		seen[run->node] = member + 1;
		units += run->slots /
			 (ask->slots ? ask->slots : world->total[run->node]);
		check_run(world, run, free_slots);
	}
	assert_int_equal(member + 1, world->request.n_members);
	assert_int_equal(units, world->member[member].units);
}

static void check_placement(const struct world *world,
			    const struct sgang_placement *placement)
{
	struct sgang_ring ring;

	check_runs(world, placement);
	sgang_ring_measure(world->fabric, &world->costs, placement->runs,
			   placement->n_runs, &ring);
	assert_true(ring.cost == placement->ring.cost);
	if (world->request.parallel)
		assert_true(placement->bound <= placement->weighted_cost);
	else
		assert_true(placement->bound <= ring.cost);
}

static void check_seed(uint64_t seed)
{
	static struct world world;
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit = { .text = "" };
	struct sgang_error err = { "" };
	int rc;

	make_world(&world, seed);
	rc = sgang_plan(&world.request, &placement, &nofit, &err);
	if (rc > 0)
		check_placement(&world, placement);
	else
		assert_true(rc ? err.text[0] : nofit.text[0]);
	sgang_placement_destroy(placement);
	free_world(&world);
}

/* The seed at hand; 0: all went well. */
static uint64_t unfinished;

static int tell_seed(void **state)
{
	(void)state;
	if (unfinished)
		print_message("# seed %" PRIu64 "\n", unfinished);
	return 0;
}

TEST_WITH(test_seeds, NULL, tell_seed)
{
	const char *asked = getenv("SGANG_FUZZ_SEEDS");
	uint64_t seed, first = 1, last = SEEDS;

	if (asked)
		assert_int_equal(sscanf(asked, "%" SCNu64 "-%" SCNu64, &first,
					&last),
				 2);
	for (seed = first; seed <= last; seed++) {
		unfinished = seed;
		check_seed(seed);
	}
	unfinished = 0;
}

TEST_MAIN(NULL, NULL)
