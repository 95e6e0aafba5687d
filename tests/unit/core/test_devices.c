/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_devices.c - unit tests of devices.c */

#include "../unit.h"
#include "core/fabric/devices.h"
#include "core/plan/plan.h"
#include "fail_alloc.h"
#include "fuzz.h"
#include "node_bits.h"

#define SEED 20261121

static struct sgang_fabric *parse(const char *text)
{
	struct sgang_error err = { "" };
	struct sgang_fabric *fabric = sgang_fabric_parse(text, "test", NULL, 0,
							 &err);

	if (!fabric)
		fail_msg("%s", err.text);
	return fabric;
}

/* Two leaves of two nodes, one node in no other switch's reach. */
#define SMALL                                                    \
	"SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n" \
	"SwitchName=top Switches=a,b\nSwitchName=alone Nodes=x\n"

/* So many islands on each of them; they do not need the other fabric. */
static struct sgang_devices *small_devices(const uint32_t *islands)
{
	struct sgang_fabric *fabric = parse(SMALL);
	struct sgang_devices *dev = sgang_devices_create(fabric, islands, NULL);

	assert_non_null(dev);
	sgang_fabric_destroy(fabric);
	return dev;
}

static const uint32_t some[] = { 2, 1, 4, 2, 2 };

static void assert_meet(const struct sgang_devices *dev, uint32_t a, uint32_t b,
			uint32_t level)
{
	assert_int_equal(sgang_fabric_meet(dev->fabric, a, b), level);
}

TEST(test_tree)
{
	struct sgang_devices *dev = small_devices(some);
	const struct sgang_domain *domain;
	uint32_t a0, a1, b0, c3, x0;

	assert_int_equal(sgang_fabric_nodes(dev->fabric), 11);
	assert_int_equal(sgang_devices_islands(dev, 2), 4);
	a0 = sgang_fabric_find_node(dev->fabric, "n1:0");
	a1 = sgang_fabric_find_node(dev->fabric, "n1:1");
	b0 = sgang_fabric_find_node(dev->fabric, "n2:0");
	c3 = sgang_fabric_find_node(dev->fabric, "n3:3");
	x0 = sgang_fabric_find_node(dev->fabric, "x:0");
	assert_int_equal(a0, 0);
	assert_int_equal(dev->node[c3], 2);
	assert_int_equal(sgang_fabric_find_node(dev->fabric, "n2:1"),
			 SGANG_NODE_NONE);
	assert_meet(dev, a0, a0, SGANG_LEVEL_ISLAND);
	assert_meet(dev, a0, a1, SGANG_LEVEL_NODE);
	assert_meet(dev, a1, b0, SGANG_LEVEL_LEAF);
	assert_meet(dev, a0, c3, SGANG_LEVEL_LEAF + 1);
	assert_meet(dev, a0, x0, SGANG_LEVEL_UNCONNECTED);
	domain = sgang_fabric_domain(dev->fabric,
				     sgang_fabric_leaf(dev->fabric, c3));
	assert_string_equal(domain->name, "n3");
	assert_int_equal(domain->level, SGANG_LEVEL_NODE);
	assert_int_equal(domain->n_nodes, 4);
	sgang_devices_destroy(dev);
}

/* Every domain holds the islands of the nodes it held, and what meets where is
 * what met there: on random trees. */
TEST(test_random)
{
	uint64_t seed = SEED;

	for (int round = 0; round < 200; round++) {
		struct sgang_fabric *fabric;
		struct sgang_devices *dev;
		uint32_t islands[64], a, b, n = 0, leaf, d;
		char text[4096] = "";
		size_t used = 0;

		for (leaf = 0; leaf < 1 + fuzz_below(&seed, 6); leaf++) {
			uint32_t nodes = 1 + (uint32_t)fuzz_below(&seed, 5);

			/* the index is not the position */
			used += (size_t)sprintf(text + used,
						"SwitchName=l%u "
						"Nodes=n[%u-%u]\n",
						leaf, n, n + nodes - 1);
			n += nodes;
		}
		used += (size_t)sprintf(text + used,
					"SwitchName=top "
					"Switches=l[0-%u]\n",
					leaf - 1);
		for (a = 0; a < n; a++)
			islands[a] = 1 + (uint32_t)fuzz_below(&seed, 4);
		fabric = parse(text);
		dev = sgang_devices_create(fabric, islands, NULL);
		assert_non_null(dev);
		for (a = 0; a < dev->first[n]; a++)
			for (b = 0; b < dev->first[n]; b++) {
				uint32_t level = sgang_fabric_meet(
					fabric, dev->node[a], dev->node[b]);

				if (dev->node[a] == dev->node[b] && a != b)
					level = SGANG_LEVEL_NODE;
				assert_int_equal(sgang_fabric_meet(dev->fabric,
								   a, b),
						 level);
			}
		for (d = 1; d < sgang_fabric_domains(dev->fabric); d++)
			assert_true(
				sgang_fabric_domain(dev->fabric, d)->parent <
				d);
		sgang_devices_destroy(dev);
		sgang_fabric_destroy(fabric);
	}
}

/* 4.14: inside an island 1, inside a node 2. Eight ranks on a node of two
 * islands: six hops and two. */
TEST(test_share_out)
{
	const struct sgang_run runs[] = {
		{ .member = 0, .node = 0, .ranks = 8, .slots = 8 },
		{ .member = 1, .node = 2, .ranks = 2, .slots = 8 },
	};
	struct sgang_devices *dev = small_devices(some);
	struct sgang_costs costs;
	struct sgang_ring ring;
	struct sgang_run *out;
	size_t n;

	sgang_costs_default(&costs);
	assert_int_equal(sgang_devices_share_out(dev, runs, 1, &out, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(out[1].ranks, 4);
	sgang_ring_measure(dev->fabric, &costs, out, n, &ring);
	assert_int_equal(ring.cost, 6 * 1 + 2 * 2);
	assert_int_equal(ring.tier, SGANG_LEVEL_NODE);
	free(out);

	/* fewer ranks than islands */
	assert_int_equal(sgang_devices_share_out(dev, runs, 2, &out, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(out[2].member, 1);
	assert_int_equal(out[3].ranks, 1);
	assert_int_equal(dev->node[out[3].node], 2);
	free(out);
	sgang_devices_destroy(dev);
}

TEST(test_expand)
{
	struct sgang_devices *dev = small_devices(some);
	struct sgang_nodeset *nodes = set_of(1 << 1 | 1 << 3, 5), *all;

	all = sgang_devices_expand(dev, nodes);
	assert_int_equal(bits_of(all, 11), 1 << 2 | 1 << 7 | 1 << 8);
	sgang_nodeset_destroy(all);
	sgang_nodeset_destroy(nodes);
	sgang_devices_destroy(dev);
}

TEST(test_alike)
{
	static const uint32_t alike[] = { 2, 2, 2, 2, 2 };
	static const uint32_t one_differs[] = { 2, 2, 2, 2, 1 };
	struct sgang_devices *dev = small_devices(alike);

	assert_true(sgang_devices_alike(dev));
	sgang_devices_destroy(dev);
	dev = small_devices(one_differs);
	assert_false(sgang_devices_alike(dev));
	sgang_devices_destroy(dev);
}

/* Two whole nodes of four slots under leaf a, then by their two islands each,
 * where the ring, or the first group of 'parallel' (or NULL), is to keep to
 * 'max_level', as sgang_plan_inside() does with the answer 'expected'. */
static struct sgang_placement *
plan_inside(uint32_t max_level, const struct sgang_parallel *parallel,
	    bool same_inside, int expected, struct sgang_nofit *nofit)
{
	static const uint32_t islands[] = { 2, 2, 2, 2, 2 };
	static const uint32_t slots[] = { 4, 4, 4, 4, 4 };
	const struct sgang_plan_member member = {
		.units = 2,
		.slots = 0,
		.ranks = 4,
		.distinct = true,
	};
	struct sgang_fabric *fabric = parse(SMALL);
	struct sgang_devices *dev = sgang_devices_create(fabric, islands, NULL);
	struct sgang_costs costs;
	struct sgang_plan_request request = {
		.fabric = fabric,
		.costs = &costs,
		.free = slots,
		.total = slots,
		.members = &member,
		.n_members = 1,
		.max_level = SGANG_LEVEL_UNCONNECTED,
		.parallel = parallel,
		.require = { SGANG_LEVEL_UNCONNECTED },
	};
	struct sgang_placement *placement = NULL;
	struct sgang_error err = { "" };
	struct sgang_run *runs;
	size_t n;

	sgang_costs_default(&costs);
	if (sgang_plan(&request, &placement, NULL, &err) != 1)
		fail_msg("%s", err.text);
	assert_true(placement->exact);
	assert_int_equal(sgang_devices_share_out(dev, placement->runs,
						 placement->n_runs, &runs, &n),
			 0);
	if (parallel)
		request.require[0] = max_level;
	else
		request.max_level = max_level;
	assert_int_equal(sgang_plan_inside(&request, dev, runs, n, same_inside,
					   placement, nofit, &err),
			 expected);
	sgang_devices_destroy(dev);
	sgang_fabric_destroy(fabric);
	return placement;
}

/* 4.14: eight ranks on two nodes are six hops of 1 and two of 4 by nodes; by
 * islands two of the six are hops of 2. */
TEST(test_plan_inside)
{
	struct sgang_placement *placement;
	struct sgang_nofit nofit;

	placement = plan_inside(SGANG_LEVEL_LEAF, NULL, true, 1, &nofit);
	assert_int_equal(placement->n_runs, 4);
	assert_int_equal(placement->ring.cost, 4 * 1 + 2 * 2 + 2 * 4);
	assert_int_equal(placement->bound, placement->ring.cost);
	assert_true(placement->exact);
	sgang_placement_destroy(placement);

	/* What other plans have inside is not known: the bound is by nodes. */
	placement = plan_inside(SGANG_LEVEL_LEAF, NULL, false, 1, &nofit);
	assert_int_equal(placement->bound, 6 * 1 + 2 * 4);
	assert_false(placement->exact);
	sgang_placement_destroy(placement);
}

/* 4.24, 4.31: a level that only nodes which count as islands keep to. */
TEST(test_plan_inside_levels)
{
	const struct sgang_parallel tp = {
		.n = 1,
		.group = { { .name = "tp", .size = 8, .weight = 1 } },
	};
	struct sgang_placement *placement;
	struct sgang_nofit nofit;

	placement = plan_inside(SGANG_LEVEL_NODE, NULL, true, 0, &nofit);
	assert_string_equal(nofit.text, "no node has room for it all");
	assert_int_equal(nofit.needed, 0);
	sgang_placement_destroy(placement);

	placement = plan_inside(SGANG_LEVEL_LEAF, &tp, false, 1, &nofit);
	assert_int_equal(placement->weighted_cost, 4 * 1 + 2 * 2 + 2 * 4);
	sgang_placement_destroy(placement);
	placement = plan_inside(SGANG_LEVEL_NODE, &tp, false, 0, &nofit);
	assert_string_equal(nofit.text,
			    "group tp: its rings must be within one "
			    "node each, in the best place they are within one "
			    "leaf");
	sgang_placement_destroy(placement);
}

/* What a node has room for goes where it leaves the least broken. */
TEST(test_hand_out)
{
	static const struct {
		uint32_t n, room[4], most, units[4];
	} cases[] = {
		{ 2, { 1, 2 }, 3, { 1, 2 } },
		{ 2, { 1, 2 }, 9, { 1, 2 } },
		{ 2, { 1, 2 }, 2, { 0, 2 } },
		{ 2, { 1, 2 }, 1, { 1, 0 } },
		{ 4, { 2, 4, 3, 4 }, 3, { 0, 0, 3, 0 } },
		{ 4, { 2, 4, 3, 4 }, 6, { 2, 4, 0, 0 } },
		{ 4, { 0, 5, 0, 2 }, 6, { 0, 5, 0, 1 } },
		{ 3, { 1, 1, 1 }, 0, { 0, 0, 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t units[4];

		memcpy(units, cases[i].room, sizeof(units));
		sgang_devices_hand_out(units, cases[i].n, cases[i].most, units);
		if (memcmp(units, cases[i].units, cases[i].n * sizeof(*units)))
			fail_msg("case %zu: %u %u %u %u", i, units[0], units[1],
				 units[2], units[3]);
	}
}

TEST(test_errors)
{
	uint32_t islands[] = { 2, 0, 4, 2, 2 };
	struct sgang_fabric *fabric = parse(SMALL);
	struct sgang_error err;
	struct sgang_devices *dev;
	unsigned long failed = 0;

	assert_null(sgang_devices_create(fabric, islands, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "expected 1 to 64"));
	islands[1] = SGANG_ISLANDS_MAX + 1;
	assert_null(sgang_devices_create(fabric, islands, NULL));
	islands[1] = 1;
	do {
		long live = fail_live;

		fail_at(++failed);
		dev = sgang_devices_create(fabric, islands, &err);
		fail_at(0);
		if (!dev) {
			assert_int_equal(errno, ENOMEM);
			assert_int_equal(fail_live, live);
		}
	} while (!dev && failed < 100);
	assert_true(failed > 5);
	sgang_devices_destroy(dev);
	sgang_fabric_destroy(fabric);
}

TEST_MAIN(NULL, NULL)
