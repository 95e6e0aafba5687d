/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_placer.c - nodes for one ordinary job, by ring cost */

#include "../unit.h"
#include "../../fake/fake_host.h"
#include "plugins/select/placer.h"
#include "../core/node_bits.h"

#define PLACER_TEST(name) TEST_WITH(name, setup, teardown)

/* Two spines of two leaves of four nodes. */
static const char tree[] = "SwitchName=l0 Nodes=n[0-3]\n"
			   "SwitchName=l1 Nodes=n[4-7]\n"
			   "SwitchName=l2 Nodes=n[8-11]\n"
			   "SwitchName=l3 Nodes=n[12-15]\n"
			   "SwitchName=s0 Switches=l[0-1]\n"
			   "SwitchName=s1 Switches=l[2-3]\n"
			   "SwitchName=top Switches=s[0-1]\n";
#define NODES 16
#define CPUS 4

static struct sgang_fabric *fabric;
static struct sgang_conf conf;

static int setup(void **state)
{
	struct sgang_error err = { "" };

	fake_cluster(NODES, CPUS, 1000, 0);
	fabric = sgang_fabric_parse(tree, "tree", fake_node_names(), NODES,
				    &err);
	if (!fabric)
		fail_msg("%s", err.text);
	sgang_conf_default(&conf);
	return 0;
}

static int teardown(void **state)
{
	sgang_fabric_destroy(fabric);
	return 0;
}

/* Where the nodes must be in one domain of it; and the usable ones with room. */
static uint32_t level = SGANG_LEVEL_UNCONNECTED;
static uint64_t room;

/* The nodes chosen for the request out of 'usable'; 0: none. */
static uint64_t place(const struct fake_request *rq, uint64_t usable)
{
	struct sgang_nodeset *from = set_of(usable, NODES),
			     *chosen = set_of(0, NODES);
	struct sgang_nodeset *probed = set_of(0, NODES),
			     *ever = set_of(0, NODES);
	uint64_t nodes;
	struct sgang_shape shape;
	struct sgang_job *job;
	char why[80];
	int rc;

	fake_scheduler(true);
	job = fake_host.jobs.find(fake_submit(rq));
	assert_int_equal(fake_host.nodes.probe(job, probed, ever, &shape, why,
					       sizeof(why)),
			 0);
	assert_true(sgang_placer_concerns(fabric, &shape));
	rc = sgang_placer_choose(&fake_host, fabric, &conf, job, &shape, from,
				 level, chosen);
	sgang_placer_with_room(&fake_host, NODES, job, &shape, from);
	room = bits_of(from, NODES);
	fake_scheduler(false);
	nodes = bits_of(chosen, NODES);
	assert_int_equal(rc, nodes != 0);
	assert_null(fake_fault());
	sgang_nodeset_destroy(from);
	sgang_nodeset_destroy(chosen);
	sgang_nodeset_destroy(probed);
	sgang_nodeset_destroy(ever);
	return nodes;
}

/* 4.20: the smallest unit that fits, and of these the fullest; the second case
 * is where stock Slurm 22.05 crosses the top for nothing (design 6). */
PLACER_TEST(test_choose)
{
	static const struct {
		const char *what;
		uint32_t nodes, cpus;
		uint64_t taken; /* by whole-node jobs */
		uint64_t usable;
		uint64_t chosen;
	} cases[] = {
		{ "a leaf of four", 4, 0, 0x0011, 0xffff, 0x0f00 },
		{ "six of 2,1 | 4,4", 6, 0, 0x007c, 0xffff, 0x3f00 },
		{ "best fit: the leaf with two free", 2, 0, 0x0030, 0xffff,
		  0x00c0 },
		{ "what may not be used", 4, 0, 0, 0x7fef, 0x000f },
		{ "only what may be used", 3, 0, 0, 0x7070, 0x0070 },
		{ "too many nodes", 5, 0, 0xff00, 0x00f0, 0 },
		{ "nothing is free", 2, 0, 0xffff, 0xffff, 0 },
		{ "parts of nodes", 2, 3, 0x000f, 0x00ff, 0x0030 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake_request rq = {
			.nodes = cases[i].nodes,
			.cpus = cases[i].cpus,
			.priority = 1,
		};
		uint64_t chosen;

		teardown(state);
		setup(state);
		for (uint32_t n = 0; n < NODES; n++) {
			struct fake_request one = { .nodes = 1, .priority = 1 };

			if (cases[i].taken >> n & 1)
				assert_true(fake_start(fake_submit(&one),
						       (uint64_t)1 << n));
		}
		chosen = place(&rq, cases[i].usable);
		assert_true(room == (cases[i].usable & ~cases[i].taken));
		if (chosen != cases[i].chosen)
			fail_msg("%s: %#llx, not %#llx", cases[i].what,
				 (unsigned long long)chosen,
				 (unsigned long long)cases[i].chosen);
	}
}

/* 4.24: where all of a job must be. */
PLACER_TEST(test_within)
{
	static const struct fake_request one = { .nodes = 1, .priority = 1 };
	const struct fake_request rq = { .nodes = 2, .priority = 1 };

	for (uint32_t n = 0; n < NODES; n++)
		if (n % 4)
			assert_true(fake_start(fake_submit(&one),
					       (uint64_t)1 << n));
	level = SGANG_LEVEL_LEAF;
	assert_true(place(&rq, 0xffff) == 0);
	assert_true(room == 0x1111);
	level = SGANG_LEVEL_LEAF + 1;
	assert_true(place(&rq, 0xfffe) == 0x1100);
	level = SGANG_LEVEL_UNCONNECTED;
}

/* Where there is nothing to choose Slurm is left alone. */
PLACER_TEST(test_concerns)
{
	static const struct {
		uint32_t min, max;
		bool yes;
	} cases[] = {
		{ 1, 1, false }, { 2, 2, true },  { 16, 16, true },
		{ 1, 4, false }, { 2, 4, false },
	};
	struct sgang_fabric *flat;

	flat = sgang_fabric_flat(fake_node_names(), NODES, NULL);
	assert_non_null(flat);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_shape shape = {
			.min_nodes = cases[i].min,
			.max_nodes = cases[i].max,
		};

		assert_int_equal(sgang_placer_concerns(fabric, &shape),
				 cases[i].yes);
		assert_false(sgang_placer_concerns(flat, &shape));
		assert_false(sgang_placer_concerns(NULL, &shape));
	}
	sgang_fabric_destroy(flat);
}

/* Two roots: never both, unless gang.conf allows it. */
PLACER_TEST(test_unconnected)
{
	struct fake_request rq = { .nodes = 9, .priority = 1 };
	struct sgang_error err;

	sgang_fabric_destroy(fabric);
	fabric = sgang_fabric_parse("SwitchName=a Nodes=n[0-7]\n"
				    "SwitchName=b Nodes=n[8-15]\n",
				    "two", fake_node_names(), NODES, &err);
	assert_non_null(fabric);
	assert_true(place(&rq, 0xffff) == 0);
	conf.costs.allow_unconnected = true;
	assert_int_equal(__builtin_popcountll(place(&rq, 0xffff)), 9);
}

TEST_MAIN(NULL, NULL)
