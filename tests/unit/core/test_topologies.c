/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_topologies.c - unit tests of topologies.c */

#include "../unit.h"
#include "core/fabric/topologies.h"
#include "fail_alloc.h"

#define ODD                                                         \
	"SwitchName=odd Nodes=n1,n3\nSwitchName=even Nodes=n2,n4\n" \
	"SwitchName=top Switches=odd,even\n"
#define HALVES "SwitchName=low Nodes=n1,n2\nSwitchName=high Nodes=n3,n4\n"

static const char *const nodes[] = { "n1", "n2", "n3", "n4" };

static struct sgang_fabric *fabric_of(const char *text)
{
	return sgang_fabric_parse(text, "test", nodes, 4, NULL);
}

/* 4.27, 7.3: each name has its own, any other that of the cluster. */
TEST(test_find)
{
	static const uint32_t islands[] = { 2, 1, 1, 2 };
	struct sgang_topologies *all = sgang_topologies_create(fabric_of(ODD),
							       NULL);
	const struct sgang_topology *found;

	assert_non_null(all);
	assert_int_equal(sgang_topologies_add(all, "halves", fabric_of(HALVES),
					      NULL),
			 0);
	assert_int_equal(all->n, 2);
	found = sgang_topologies_find(all, "halves");
	assert_ptr_equal(found, &all->topology[1]);
	assert_int_equal(sgang_fabric_meet(found->fabric, 0, 1),
			 SGANG_LEVEL_LEAF);
	assert_ptr_equal(sgang_topologies_find(all, ""), &all->topology[0]);
	assert_ptr_equal(sgang_topologies_find(all, "none"), &all->topology[0]);
	assert_int_equal(sgang_topologies_bar(all, "rings", "a ring", NULL), 0);
	assert_int_equal(sgang_topologies_bar(all, "cubes", "a cube", NULL), 0);
	assert_string_equal(sgang_topologies_barred(all, "cubes"), "a cube");
	assert_null(sgang_topologies_barred(all, "halves"));
	assert_null(sgang_topologies_barred(all, ""));
	assert_int_equal(all->n, 2);

	/* The same islands in both, and how they meet is each one's own. */
	assert_int_equal(sgang_topologies_look_inside(all, islands, NULL), 0);
	assert_int_equal(sgang_fabric_nodes(all->topology[0].devices->fabric),
			 6);
	assert_int_equal(sgang_fabric_meet(all->topology[0].devices->fabric, 0,
					   3),
			 SGANG_LEVEL_LEAF);
	assert_int_equal(sgang_fabric_meet(all->topology[1].devices->fabric, 0,
					   3),
			 SGANG_LEVEL_UNCONNECTED);
	assert_int_equal(sgang_topologies_look_inside(all, NULL, NULL), 0);
	assert_null(all->topology[0].devices);
	assert_null(all->topology[1].devices);
	sgang_topologies_destroy(all);
	sgang_topologies_destroy(NULL);
}

static struct sgang_topologies *make(void)
{
	static const uint32_t islands[] = { 2, 2, 2, 2 };
	struct sgang_fabric *odd = fabric_of(ODD);
	struct sgang_fabric *halves = fabric_of(HALVES);
	struct sgang_topologies *all;
	struct sgang_error err;

	if (!odd || !halves) {
		sgang_fabric_destroy(odd);
		sgang_fabric_destroy(halves);
		return NULL;
	}
	all = sgang_topologies_create(odd, &err);
	if (!all) {
		sgang_fabric_destroy(halves);
		return NULL;
	}
	if (!sgang_topologies_add(all, "halves", halves, &err) &&
	    !sgang_topologies_bar(all, "rings", "a ring", &err) &&
	    !sgang_topologies_look_inside(all, islands, &err))
		return all;
	assert_null(all->topology[0].devices);
	assert_non_null(strstr(err.text, "memory"));
	sgang_topologies_destroy(all);
	errno = ENOMEM;
	return NULL;
}

TEST(test_no_memory)
{
	struct sgang_topologies *all;
	unsigned long n = 0;
	long live = fail_live;

	do {
		fail_at(++n);
		all = make();
		fail_at(0);
		if (all)
			break;
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(fail_live, live);
	} while (n < 1000);
	assert_non_null(all);
	assert_true(n > 10);
	sgang_topologies_destroy(all);
	assert_int_equal(fail_live, live);
}

TEST_MAIN(NULL, NULL)
