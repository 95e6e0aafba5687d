/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stock.c - unit tests of stock.c
 *
 * 0442-stock.t compares it with a slurmctld.
 */

#include "../unit.h"
#include "bed.h"
#include "core/fabric/draft.h"
#include "core/plan/stock.h"
#include "fail_alloc.h"

static const char two_pods[] =
	"SwitchName=l1 Nodes=n[1-4]\nSwitchName=l2 Nodes=n[5-8]\n"
	"SwitchName=l3 Nodes=n[9-12]\nSwitchName=l4 Nodes=n[13-16]\n"
	"SwitchName=p1 Switches=l[1-2]\nSwitchName=p2 Switches=l[3-4]\n"
	"SwitchName=top Switches=p[1-2]\n";

static const char three_pods[] =
	"SwitchName=l1 Nodes=n[1-4]\nSwitchName=l2 Nodes=n[5-8]\n"
	"SwitchName=l3 Nodes=n[9-12]\nSwitchName=l4 Nodes=n[13-16]\n"
	"SwitchName=l5 Nodes=n[17-20]\nSwitchName=l6 Nodes=n[21-24]\n"
	"SwitchName=l7 Nodes=n[25-28]\nSwitchName=l8 Nodes=n[29-32]\n"
	"SwitchName=l9 Nodes=n[33-36]\n"
	"SwitchName=p1 Switches=l[1-3]\nSwitchName=p2 Switches=l[4-6]\n"
	"SwitchName=p3 Switches=l[7-9]\nSwitchName=top Switches=p[1-3]\n";

/* The releases that differ in what a test expects say so there. */
static enum sgang_stock_rule rule = SGANG_STOCK_22_05;

static void expect(const struct bed *bed, const char *nodes, uint64_t cost,
		   bool exact)
{
	struct sgang_stock *stock = NULL;
	char got[1024];

	assert_int_equal(sgang_stock_place(&bed->request, rule, &stock, NULL),
			 1);
	bed_names(bed, stock->runs, stock->n_runs, got);
	assert_string_equal(got, nodes);
	assert_int_equal(stock->ring.cost, cost);
	assert_int_equal(stock->exact, exact);
	sgang_stock_destroy(stock);
}

static void expect_none(const struct bed *bed)
{
	struct sgang_stock *stock = NULL;

	assert_int_equal(sgang_stock_place(&bed->request, rule, &stock, NULL),
			 0);
	assert_null(stock);
}

/* Two fragmentations for which the choice of 22.05 is three times as dear as
 * the best: 144 instead of 48, 136 instead of 40. */
static void expect_fragmented(const char *in_two_pods, uint64_t cost_two,
			      const char *in_three_pods, uint64_t cost_three)
{
	struct bed bed;

	bed_open(&bed, two_pods, 1);
	bed_only(&bed, "n[1-2,5,9-16]");
	bed_add(&bed, 6, 0, true);
	expect(&bed, in_two_pods, cost_two, true);
	bed_close(&bed);

	bed_open(&bed, three_pods, 1);
	bed_only(&bed, "n[1-2,6,8,10-12,16,20-22,24,27-28,32,36]");
	bed_add(&bed, 4, 1, true);
	expect(&bed, in_three_pods, cost_three, true);
	bed_close(&bed);
}

TEST(test_golden)
{
	expect_fragmented("n1 n2 n9 n10 n11 n12", 144, "n1 n2 n27 n28", 136);
}

/* Since 24.05 a nearer leaf is taken only if it, or what is above it and not
 * above both, reaches all that is missing: nodes that are left, and units. That
 * mends the first, not the other. */
TEST(test_later_rule)
{
	struct bed bed;

	rule = SGANG_STOCK_24_05;
	expect_fragmented("n9 n10 n11 n12 n13 n14", 48, "n1 n2 n27 n28", 136);
	/* the leaf with fewer free nodes has no room for six units */
	bed_open(&bed, two_pods, 4);
	bed_only(&bed, "n[1,9-10]");
	bed_add(&bed, 6, 1, false);
	expect(&bed, "n9 n10", 4 + 2 * 4, false);
	rule = SGANG_STOCK_22_05;
	expect(&bed, "n1 n9", 4 + 2 * 64, false);
	bed_close(&bed);
}

/* NVLink domains below the leaf switches are nothing that Slurm knows: it takes
 * the same nodes as without. */
TEST(test_nvlink)
{
	struct sgang_place place = { "gang.conf", 1 };
	struct sgang_error err;
	struct sgang_draft *draft = sgang_draft_create(NULL, 0, &err);
	struct bed bed;

	assert_non_null(draft);
	assert_int_equal(sgang_fabric_read_conf(draft, two_pods, "test", &err),
			 0);
	assert_int_equal(sgang_draft_nvlink(draft, "a", "n[5,8]", place, &err),
			 0);
	assert_int_equal(sgang_draft_nvlink(draft, "b", "n[1,3]", place, &err),
			 0);
	bed_open(&bed, two_pods, 1);
	bed_only(&bed, "n[1-2,5-8]");
	bed_add(&bed, 4, 0, true);
	expect(&bed, "n5 n6 n7 n8", 16, true);
	sgang_fabric_destroy(bed.fabric);
	bed.fabric = sgang_draft_build(draft, &err);
	assert_non_null(bed.fabric);
	bed.request.fabric = bed.fabric;
	sgang_costs_default_nvlink(&bed.costs);
	expect(&bed, "n5 n6 n7 n8", 4 + 4 + 4 + 1, true);
	bed.member[0].units = 3;
	expect(&bed, "n5 n6 n7", 12, true);
	sgang_draft_destroy(draft);
	bed_close(&bed);
}

/* Where there are blocks its rule is another one. */
TEST(test_blocks)
{
	struct bed bed;

	bed_open(&bed,
		 "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\n"
		 "BlockSizes=4,8\n",
		 1);
	bed_only(&bed, "n[1,5-8]");
	bed_add(&bed, 4, 0, true);
	expect(&bed, "n5 n6 n7 n8", 16, false);
	bed_close(&bed);
}

/* One member takes what those before it have left. */
TEST(test_members)
{
	struct bed bed;

	bed_open(&bed, two_pods, 2);
	bed_add(&bed, 4, 2, true);
	bed_add(&bed, 2, 1, true);
	bed_add(&bed, 2, 1, true);
	bed_add(&bed, 2, 0, true);
	/* within nodes, n1 to n4, n4 to n5 and n8 to n1, n5 to n8 */
	expect(&bed, "n1 n2 n3 n4 | n5 n6 | n5 n6 | n7 n8",
	       6 * 1 + 3 * 4 + 2 * 16 + 5 * 4, true);
	bed_close(&bed);
}

/* What has room for as few nodes as possible is taken. */
TEST(test_best_fit)
{
	struct bed bed;

	bed_open(&bed, two_pods, 1);
	bed_only(&bed, "n[1-3,5-6,9-12]");
	bed_add(&bed, 2, 1, true);
	expect(&bed, "n5 n6", 8, true);
	bed_add(&bed, 4, 1, true);
	expect(&bed, "n5 n6 | n9 n10 n11 n12", 4 + 3 * 4 + 2 * 64, true);
	bed_close(&bed);
}

/* A node in no switch is never used, and of trees that nothing joins the last
 * with room is. */
TEST(test_forest)
{
	static const char text[] =
		"SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n"
		"SwitchName=c Nodes=n5\n";
	static const char *const names[] = {
		"n0", "n1", "n2", "n3", "n4", "n5"
	};
	struct sgang_error err;
	struct bed bed;

	bed_open(&bed, text, 1);
	sgang_fabric_destroy(bed.fabric);
	bed.fabric = sgang_fabric_parse(text, "test", names, 6, &err);
	assert_non_null(bed.fabric);
	bed.request.fabric = bed.fabric;
	bed.free[5] = bed.total[5] = 1;
	bed_add(&bed, 2, 1, true);
	expect(&bed, "n3 n4", 8, true);
	bed_add(&bed, 2, 1, true);
	expect(&bed, "n3 n4 | n1 n2",
	       2 * 4 + 2 * bed.costs.hop[SGANG_LEVEL_UNCONNECTED], true);
	bed_add(&bed, 1, 1, true);
	bed_add(&bed, 1, 1, true);
	expect_none(&bed);
	bed_close(&bed);
}

/* Slots on any nodes are an estimate. */
TEST(test_anywhere)
{
	struct bed bed;

	bed_open(&bed, two_pods, 4);
	bed_only(&bed, "n[1-2,9-12]");
	bed_set(&bed, "n1", 3);
	bed_add(&bed, 6, 1, false);
	expect(&bed, "n1 n2", 4 + 2 * 4, false);
	bed_add(&bed, 17, 1, false);
	expect(&bed, "n1 n2 | n2 n9 n10 n11 n12", 17 * 1 + 4 * 4 + 2 * 64,
	       false);
	bed_add(&bed, 2, 1, false);
	expect_none(&bed);
	bed_close(&bed);
}

/* Not all nodes are allowed, and whole nodes are wholly free. */
TEST(test_allowed)
{
	struct sgang_nodeset *set = sgang_nodeset_create(16);
	struct bed bed;

	assert_non_null(set);
	bed_open(&bed, two_pods, 4);
	bed_set(&bed, "n[13-15]", 3);
	sgang_nodeset_add(set, sgang_fabric_find_node(bed.fabric, "n4"));
	sgang_nodeset_add(set, sgang_fabric_find_node(bed.fabric, "n13"));
	sgang_nodeset_add(set, sgang_fabric_find_node(bed.fabric, "n16"));
	bed_add(&bed, 2, 0, true);
	bed.member[0].allowed = set;
	bed.member[0].ranks = 1;
	expect(&bed, "n4 n16", 2 * 64, true);
	bed.member[0].units = 3;
	expect_none(&bed);
	/* the next member is like it in all but that */
	bed.member[0].units = 2;
	bed_add(&bed, 2, 0, true);
	bed.member[1].ranks = 1;
	expect(&bed, "n4 n16 | n1 n2", 2 * 64 + 2 * 4, true);
	bed_close(&bed);
	sgang_nodeset_destroy(set);
}

/* The lightest nodes come first, wherever they are, then those in the same
 * leaves. */
TEST(test_weights)
{
	uint32_t weight[16], i;
	struct bed bed;

	bed_open(&bed, two_pods, 4);
	for (i = 0; i < 16; i++)
		weight[i] = 30;
	weight[sgang_fabric_find_node(bed.fabric, "n6")] = 10;
	weight[sgang_fabric_find_node(bed.fabric, "n15")] = 10;
	for (i = 13; i < 15; i++)
		weight[i - 1] = 20;
	bed.request.weight = weight;
	bed_add(&bed, 1, 0, true);
	bed.member[0].ranks = 1;
	expect(&bed, "n6", 0, false);
	bed.member[0].units = 2;
	expect(&bed, "n6 n15", 2 * 64, false);
	bed.member[0].units = 3;
	expect(&bed, "n6 n13 n15", 2 * 64 + 4, false);
	bed_close(&bed);
}

/* Since 26.05 one node is the first of the lightest, whatever leaf it is in, as
 * long as the member has no more. */
TEST(test_one_node)
{
	uint32_t weight[16], i;
	struct bed bed;

	bed_open(&bed, two_pods, 1);
	bed_only(&bed, "n[2-4,6]");
	bed_add(&bed, 1, 0, true);
	expect(&bed, "n6", 0, true);
	rule = SGANG_STOCK_26_05;
	expect(&bed, "n2", 0, true);
	bed_add(&bed, 1, 0, true);
	expect(&bed, "n2 | n3", 4 + 4, true);
	bed.request.n_members = 1;
	for (i = 0; i < 16; i++)
		weight[i] = 30;
	weight[sgang_fabric_find_node(bed.fabric, "n4")] = 10;
	weight[sgang_fabric_find_node(bed.fabric, "n6")] = 10;
	bed.request.weight = weight;
	expect(&bed, "n4", 0, false);
	bed_only(&bed, "n2");
	expect(&bed, "n2", 0, false);
	memset(bed.free, 0, sizeof(bed.free));
	expect_none(&bed);
	rule = SGANG_STOCK_22_05;
	bed_close(&bed);
}

/* Required nodes come first, then others in their leaves. */
TEST(test_required)
{
	struct sgang_nodeset *set = sgang_nodeset_create(16);
	struct bed bed;

	assert_non_null(set);
	bed_open(&bed, two_pods, 4);
	bed_add(&bed, 3, 0, true);
	bed.member[0].ranks = 1;
	bed.member[0].required = set;
	sgang_nodeset_add(set, sgang_fabric_find_node(bed.fabric, "n7"));
	sgang_nodeset_add(set, sgang_fabric_find_node(bed.fabric, "n14"));
	expect(&bed, "n5 n7 n14", 4 + 2 * 64, false);
	bed_set(&bed, "n14", 3);
	expect_none(&bed);
	bed_close(&bed);
	sgang_nodeset_destroy(set);
}

TEST(test_no_memory)
{
	struct sgang_stock *stock = NULL;
	struct sgang_error err;
	unsigned long n;
	struct bed bed;
	long live;
	int rc;

	bed_open(&bed, two_pods, 1);
	bed_add(&bed, 6, 1, true);
	live = fail_live;
	for (n = 1;; n++) {
		fail_at(n);
		rc = sgang_stock_place(&bed.request, SGANG_STOCK_22_05, &stock,
				       &err);
		if (!fail_happened)
			break;
		assert_int_equal(rc, -1);
		assert_int_equal(errno, ENOMEM);
		assert_null(stock);
		assert_int_equal(fail_live, live);
	}
	fail_at(0);
	assert_int_equal(rc, 1);
	assert_true(n > 4);
	sgang_stock_destroy(stock);
	assert_int_equal(fail_live, live);
	bed_close(&bed);
}

TEST_MAIN(NULL, NULL)
