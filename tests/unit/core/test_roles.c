/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_roles.c - trees of groups: what is asked, and what they may take
 *
 * Behaviours 2.15, 2.20, 4.26. All placements are tried by test_roles_brute.c.
 */

#include "../unit.h"
#include "bed.h"
#include "fail_plan.h"

#define REPLICAS 3
#define GROUPS (1 + 3 * REPLICAS)
#define NONE SGANG_LEVEL_UNCONNECTED

/* Replicas of an encoder and two decoders, on a fabric of 4 leaves. */
struct gang {
	struct bed bed;
	struct sgang_plan_member member[3 * REPLICAS];
	struct sgang_plan_group group[GROUPS];
};

static void open_gang(struct gang *gang, uint32_t require)
{
	static const char text[] = "SwitchName=l0 Nodes=n[0-3]\n"
				   "SwitchName=l1 Nodes=n[4-7]\n"
				   "SwitchName=l2 Nodes=n[8-11]\n"
				   "SwitchName=l3 Nodes=n[12-15]\n"
				   "SwitchName=s Switches=l[0-3]\n";

	bed_open(&gang->bed, text, 2);
	for (uint32_t m = 0; m < 3 * REPLICAS; m++)
		gang->member[m] = (struct sgang_plan_member){ .units = 1,
							      .slots = 2 };
	for (uint32_t g = 0; g < GROUPS; g++) {
		uint32_t replica = g ? (g - 1) / 3 : 0, part = (g + 2) % 3;

		gang->group[g] = (struct sgang_plan_group){
			.name = "g",
			.parent = !part ? 0 : 1 + 3 * replica,
			.weight = part == 2 ? 100 : 10,
			.require = part ? NONE : require,
			.prefer = NONE,
			.first = 3 * replica + (part == 2),
			.n_members = !part ? 3 : part
		};
	}
	gang->group[0] =
		(struct sgang_plan_group){ .name = "gang",
					   .parent = SGANG_PLAN_NO_GROUP,
					   .weight = 1,
					   .require = NONE,
					   .prefer = NONE,
					   .n_members = 3 * REPLICAS };
	gang->bed.request.members = gang->member;
	gang->bed.request.n_members = 3 * REPLICAS;
	gang->bed.request.group = gang->group;
	gang->bed.request.n_groups = GROUPS;
}

static int plan(const struct gang *gang, struct sgang_placement **placement)
{
	struct sgang_nofit nofit;
	struct sgang_error err;

	*placement = NULL;
	return sgang_plan(&gang->bed.request, placement, &nofit, &err);
}

/* Each replica in its leaf: two of its nodes with decoders, one with the
 * encoder. */
TEST(test_replicas)
{
	struct sgang_placement *placement;
	struct sgang_ring ring;
	struct gang gang;

	open_gang(&gang, SGANG_LEVEL_LEAF);
	assert_int_equal(plan(&gang, &placement), 1);
	assert_true(placement->exact);
	for (uint32_t g = 1; g < GROUPS; g += 3) {
		assert_int_equal(sgang_plan_group_ring(&gang.bed.request,
						       placement, g, &ring),
				 0);
		assert_int_equal(ring.tier, SGANG_LEVEL_LEAF);
		assert_int_equal(ring.ranks, 6);
		/* three hops inside of nodes, three between them */
		assert_int_equal(ring.cost, 3 * 1 + 3 * 4);
	}
	assert_int_equal(sgang_plan_group_ring(&gang.bed.request, placement, 0,
					       &ring),
			 0);
	/* gang: 18 ranks, 9 nodes in 3 leaves; encoders 2 ranks each; decoders
	 * two nodes each */
	assert_int_equal(ring.cost, 9 + 6 * 4 + 3 * 16);
	assert_int_equal(placement->weighted_cost,
			 ring.cost + 3 * 10 * 15 + 3 * 10 * 2 + 3 * 100 * 10);
	sgang_placement_destroy(placement);
	bed_close(&gang.bed);
}

/* A leaf has room for one replica only, and two leaves have room. */
TEST(test_no_fit)
{
	struct sgang_placement *placement;
	struct sgang_budget budget;
	struct sgang_nofit nofit;
	struct gang gang;

	open_gang(&gang, SGANG_LEVEL_LEAF);
	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	gang.bed.request.budget = &budget;
	bed_only(&gang.bed, "n[0-7,8-9,12]");
	assert_int_equal(
		sgang_plan(&gang.bed.request, &placement, &nofit, NULL), 0);
	assert_string_equal(nofit.text,
			    "group g: 3 groups of 3 units or more must be "
			    "within one leaf each, 2 fit; the largest (l0) has "
			    "room for 4 units");
	assert_false(budget.unproved);
	bed_only(&gang.bed, "n[0-7]");
	assert_int_equal(
		sgang_plan(&gang.bed.request, &placement, &nofit, NULL), 0);
	assert_false(budget.unproved);
	bed_close(&gang.bed);
}

/* A tree of one leaf is a ring. */
TEST(test_flat)
{
	struct sgang_placement *tree, *ring;
	struct gang gang;

	open_gang(&gang, NONE);
	bed_only(&gang.bed, "n[0,2,5-7,9-10,12-15]");
	gang.bed.request.n_groups = 1;
	assert_int_equal(plan(&gang, &tree), 1);
	gang.bed.request.n_groups = 0;
	assert_int_equal(plan(&gang, &ring), 1);
	assert_int_equal(tree->weighted_cost, ring->ring.cost);
	assert_int_equal(tree->bound, ring->bound);
	assert_true(tree->exact && ring->exact);
	sgang_placement_destroy(tree);
	sgang_placement_destroy(ring);
	bed_close(&gang.bed);
}

/* What is asked is refused when this has been changed. */
#define REFUSED(changed)                                       \
	do {                                                   \
		open_gang(&gang, NONE);                        \
		changed;                                       \
		assert_int_equal(plan(&gang, &placement), -1); \
		assert_int_equal(errno, EINVAL);               \
		assert_null(placement);                        \
		bed_close(&gang.bed);                          \
	} while (0)

TEST(test_bad_requests)
{
	struct sgang_placement *placement;
	struct gang gang;

	/* groups in themselves, in a later one, and none that holds all */
	REFUSED(gang.group[2].parent = 2);
	REFUSED(gang.group[2].parent = 5);
	REFUSED(gang.group[0].parent = 0);
	/* without members, too few, too many, and with a gap before them */
	REFUSED(gang.group[3].n_members = 0);
	REFUSED(gang.group[9].n_members--);
	REFUSED(gang.group[1].n_members += 3);
	REFUSED((gang.group[3].first++, gang.group[3].n_members--));
	/* not all of the groups, and more than there may be */
	REFUSED(gang.bed.request.n_groups = 7);
	REFUSED(gang.bed.request.n_groups = SGANG_PLAN_GROUPS_MAX + 1);
	REFUSED(gang.group[1].weight = SGANG_PLAN_WEIGHT_MAX + 1);
	REFUSED(gang.bed.request.spread = true);
}

/* Whatever a plan may take, it takes no more, what it finds fits, and it does
 * not call exact what costs more. */
TEST(test_budgets)
{
	static const uint64_t steps[] = {
		0, 1, 10, 100, 1000, 10000, 100000, SGANG_PLAN_STEPS
	};
	struct sgang_placement *placement;
	struct sgang_budget budget;
	uint64_t least = 0;
	struct gang gang;
	int rc;

	open_gang(&gang, SGANG_LEVEL_LEAF);
	bed_only(&gang.bed, "n[0-3,5-7,8-10,13-15]");
	for (size_t i = COUNT(steps); i-- > 0;) {
		sgang_budget_init(&budget, steps[i]);
		gang.bed.request.budget = &budget;
		rc = plan(&gang, &placement);
		assert_true(budget.taken <=
			    steps[i] + SGANG_PLAN_SLACK * (16 + 5) *
					       (3 * REPLICAS + 1));
		if (!rc) {
			assert_true(budget.unproved);
			continue;
		}
		assert_int_equal(rc, 1);
		if (!least)
			least = placement->weighted_cost;
		assert_true(placement->weighted_cost >= least);
		assert_true(placement->bound <= least);
		if (placement->exact)
			assert_int_equal(placement->weighted_cost, least);
		sgang_placement_destroy(placement);
	}
	bed_close(&gang.bed);
}

/* As many groups as there can be, each of a weight of its own, on a fabric
 * without switches. */
TEST(test_many)
{
	uint32_t n = SGANG_PLAN_GROUPS_MAX, i;
	struct sgang_plan_member *member = calloc(n, sizeof(*member));
	struct sgang_plan_group *group = calloc(n, sizeof(*group));
	struct sgang_placement *placement = NULL;
	struct sgang_budget budget;
	struct bed bed;

	assert_true(member && group);
	bed_open(&bed, "SwitchName=l Nodes=n[0-1023]\n", 8);
	for (i = 0; i < n; i++) {
		member[i] = (struct sgang_plan_member){ .units = 1,
							.slots = 1 + i % 3 };
		group[i] = (struct sgang_plan_group){ .name = "g",
						      .weight = i,
						      .require = NONE,
						      .prefer = NONE,
						      .first = i - 1,
						      .n_members = 1 };
	}
	group[0].parent = SGANG_PLAN_NO_GROUP;
	group[0].first = 0;
	group[0].n_members = n - 1;
	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	bed.request.budget = &budget;
	bed.request.members = member;
	bed.request.n_members = n - 1;
	bed.request.group = group;
	bed.request.n_groups = n;
	assert_in_range(sgang_plan(&bed.request, &placement, NULL, NULL), 0, 1);
	assert_true(placement || budget.unproved);
	assert_true(budget.taken <=
		    SGANG_PLAN_STEPS + SGANG_PLAN_SLACK * UINT64_C(1025) * n);
	sgang_placement_destroy(placement);
	bed_close(&bed);
	free(member);
	free(group);
}

/* One that fits, one that does not, one that is searched for. */
TEST(test_no_memory)
{
	static const char *const free_nodes[] = { "n[0-15]", "n[0-7,8-9]",
						  "n[0-2,4-6,7-9,12-13]" };
	static const uint32_t require[] = { NONE, SGANG_LEVEL_LEAF, NONE };
	struct gang gang;

	for (size_t i = 0; i < 3; i++) {
		open_gang(&gang, require[i]);
		bed_only(&gang.bed, free_nodes[i]);
		assert_int_equal(fail_plans(&gang.bed.request, 2), i != 1);
		bed_close(&gang.bed);
	}
}

TEST_MAIN(NULL, NULL)
