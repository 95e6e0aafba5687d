/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_never.c - gangs that cannot start even on the empty cluster */

#include "../unit.h"
#include "core/plan/never.h"

#define TREE_TEST(name) TEST_WITH(name, setup, teardown)

#define NODES 8

/* Two leaves of 4 below a spine. */
static const char tree[] = "SwitchName=l1 Nodes=n[0-3]\n"
			   "SwitchName=l2 Nodes=n[4-7]\n"
			   "SwitchName=top Switches=l[1-2]\n";

static struct sgang_fabric *fabric;
static struct sgang_costs costs;
static char why[200];

static int setup(void **state)
{
	(void)state;
	fabric = sgang_fabric_parse(tree, "tree", NULL, 0, NULL);
	sgang_costs_default(&costs);
	why[0] = '\0';
	return fabric ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	sgang_fabric_destroy(fabric);
	return 0;
}

static bool never(const struct sgang_never_kind *kinds, size_t n, int require,
		  int spread)
{
	return sgang_never(fabric, &costs, kinds, n, require, spread, why,
			   sizeof(why));
}

static const uint32_t one_each[NODES] = { 1, 1, 1, 1, 1, 1, 1, 1 };
static const uint32_t in_l2[NODES] = { 0, 0, 0, 0, 2, 2, 1, 0 };

/* 5.4: five whole nodes in one leaf of four. */
TREE_TEST(test_require)
{
	struct sgang_never_kind kind = { 4, 1, true, one_each };

	assert_false(never(&kind, 1, SGANG_LEVEL_LEAF, -1));
	kind.members = 5;
	assert_false(never(&kind, 1, -1, -1));
	assert_true(never(&kind, 1, SGANG_LEVEL_LEAF, -1));
	assert_string_equal(why, "5 nodes in one leaf are needed, the largest "
				 "(l1) has 4 that fit");
	kind = (struct sgang_never_kind){ 1, 9, true, one_each };
	assert_true(never(&kind, 1, -1, -1));
	assert_string_equal(why, "9 nodes are needed, and 8 have what its "
				 "members ask for");
}

/* 5.4: three members of which each wants a leaf to itself, on two leaves. */
TREE_TEST(test_spread)
{
	struct sgang_never_kind kind = { 2, 1, true, one_each };

	assert_false(never(&kind, 1, -1, SGANG_LEVEL_LEAF));
	kind.members = 3;
	assert_true(never(&kind, 1, -1, SGANG_LEVEL_LEAF));
	assert_string_equal(why, "3 members are to be in different leaf "
				 "domains, but only 2 have room for one");
	assert_false(never(&kind, 1, -1, SGANG_LEVEL_NODE));
	kind = (struct sgang_never_kind){ 2, 1, false, in_l2 };
	assert_true(never(&kind, 1, -1, SGANG_LEVEL_LEAF));
	assert_string_equal(why, "2 members are to be in different leaf "
				 "domains, but only 1 has room for one");
}

/* 5.4: several on a node, but those of one member on different ones. */
TREE_TEST(test_shared)
{
	struct sgang_never_kind kind = { 5, 1, false, in_l2 };

	assert_false(never(&kind, 1, SGANG_LEVEL_LEAF, -1));
	kind.members = 6;
	assert_true(never(&kind, 1, -1, -1));
	assert_string_equal(why, "6 places are needed, all nodes together "
				 "have 5");
	kind = (struct sgang_never_kind){ 1, 4, false, in_l2 };
	assert_true(never(&kind, 1, -1, -1));
	assert_string_equal(why, "4 nodes are needed, and 3 have what its "
				 "members ask for");
	kind = (struct sgang_never_kind){ 2, 3, false, in_l2 };
	assert_true(never(&kind, 1, -1, -1));
}

/* Each kind finds room, all of them do not. */
TREE_TEST(test_together)
{
	struct sgang_never_kind kinds[] = {
		{ 3, 2, true, one_each },
		{ 3, 1, true, one_each },
	};

	assert_true(never(kinds, 2, -1, -1));
	assert_string_equal(why, "9 nodes are needed, and 8 have what its "
				 "members ask for");
	kinds[1].members = 2;
	assert_false(never(kinds, 2, -1, -1));
	kinds[0].members = 1;
	kinds[1].fit = in_l2;
	assert_false(never(kinds, 2, SGANG_LEVEL_LEAF, -1));
	assert_true(never(kinds, 2, SGANG_LEVEL_NODE, -1));
	assert_false(never(kinds, 0, -1, -1));
}

TEST_MAIN(NULL, NULL)
