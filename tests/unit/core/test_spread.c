/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spread.c - members in different domains
 *
 * Small cases with the numbers worked out by hand; test_plan_brute.c tries
 * everything. The fabric is
 *
 *                          core
 *                 s1                   s2
 *             r1      r2           r3       r4
 *           n[1-4]  n[5-8]      n[9-12]  n[13-16]
 *
 * with four slots a node and hop costs 1 (node), 4 (leaf), 16 (spine), 64.
 */

#include "../unit.h"
#include "bed.h"
#include "core/fabric/devices.h"
#include "core/plan/explain.h"
#include "fail_plan.h"

#define FABRIC                                                           \
	"SwitchName=r1 Nodes=n[1-4]\nSwitchName=r2 Nodes=n[5-8]\n"       \
	"SwitchName=r3 Nodes=n[9-12]\nSwitchName=r4 Nodes=n[13-16]\n"    \
	"SwitchName=s1 Switches=r[1-2]\nSwitchName=s2 Switches=r[3-4]\n" \
	"SwitchName=core Switches=s[1-2]\n"

#define TWO_ROOTS "SwitchName=r1 Nodes=n[1-4]\nSwitchName=r2 Nodes=n[5-8]\n"

#define SPINE 3
#define NO_LIMIT SGANG_LEVEL_UNCONNECTED

/* "4x8" as in sgang place: 8 slots on each of 4 nodes; "0x6": 6 slots anywhere;
 * "2x0": 2 whole nodes. Separated by blanks. */
static void add_members(struct bed *bed, const char *shapes)
{
	uint32_t units, slots;
	int length;

	while (sscanf(shapes, "%ux%u%n", &units, &slots, &length) == 2) {
		bed_add(bed, units ? units : slots, units ? slots : 1, units);
		shapes += length;
	}
}

static void ask(struct bed *bed, const char *topology, const char *free,
		const char *members, uint32_t spread, uint32_t max_level)
{
	bed_open(bed, topology, 4);
	if (free)
		bed_only(bed, free);
	add_members(bed, members);
	bed->request.spread = true;
	bed->request.spread_level = spread;
	bed->request.max_level = max_level;
}

static const struct {
	const char *free; /* NULL: all */
	const char *members;
	uint32_t spread;
	uint32_t max_level;
	const char *nodes;
	uint64_t cost;
} fits[] = {
	/* 8 nodes of 4 ranks: 24 hops of 1, 4 of 4, 2 of 16, 2 of 64 */
	{ NULL, "2x0 2x0 2x0 2x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "n1 n2 | n5 n6 | n9 n10 | n13 n14", 24 + 4 * 4 + 2 * 16 + 2 * 64 },
	/* two fit below one spine */
	{ "n[1-4,7-8,11-12,14-16]", "2x0 2x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "n11 n12 | n14 n15", 12 + 2 * 4 + 2 * 16 },
	/* a wholly free leaf is not broken for nothing */
	{ "n[1-8,9-10,13-15]", "2x0 2x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "n9 n10 | n13 n14", 12 + 2 * 4 + 2 * 16 },
	/* all in one leaf would cost less, but for the spread */
	{ "n[1-4,5]", "1x1 1x1", SGANG_LEVEL_LEAF, NO_LIMIT, "n1 | n5",
	  2 * 16 },
	{ NULL, "1x2 1x2 1x2", SGANG_LEVEL_NODE, NO_LIMIT, "n1 | n2 | n3",
	  3 + 3 * 4 },
	/* a node of which nothing is known is one island */
	{ NULL, "1x2 1x2 1x2", SGANG_LEVEL_ISLAND, NO_LIMIT, "n1 | n2 | n3",
	  3 + 3 * 4 },
	{ NULL, "0x6 0x6", SGANG_LEVEL_LEAF, SPINE, "n1 n2 | n5 n6",
	  8 + 2 * 4 + 2 * 16 },
	{ NULL, "6x1 6x1", SPINE, NO_LIMIT,
	  "n1 n2 n3 n4 n5 n6 | n9 n10 n11 n12 n13 n14",
	  8 * 4 + 2 * 16 + 2 * 64 },
	/* the large member has one leaf to go to, the small one is beside it */
	{ "n[1-2,5-6,9-12,16]", "1x0 4x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "n16 | n9 n10 n11 n12", 15 + 3 * 4 + 2 * 16 },
	/* three of different sizes keep their order */
	{ "n[1-3,5-6,9]", "3x0 1x0 2x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "n1 n2 n3 | n9 | n5 n6", 18 + 3 * 4 + 2 * 64 + 16 },
	/* a single member is inside one domain, with whoever */
	{ "n[1-2,5-7]", "3x0", SGANG_LEVEL_LEAF, NO_LIMIT, "n5 n6 n7",
	  9 + 3 * 4 },
};

/* 4.24 to 4.26 */
TEST(test_fits)
{
	for (size_t i = 0; i < COUNT(fits); i++) {
		struct sgang_placement *placement = NULL;
		struct bed bed;
		char names[256];

		ask(&bed, FABRIC, fits[i].free, fits[i].members, fits[i].spread,
		    fits[i].max_level);
		assert_int_equal(
			sgang_plan(&bed.request, &placement, NULL, NULL), 1);
		bed_names(&bed, placement->runs, placement->n_runs, names);
		assert_string_equal(names, fits[i].nodes);
		assert_int_equal(placement->ring.cost, fits[i].cost);
		assert_true(placement->exact);
		assert_int_equal(placement->bound, fits[i].cost);
		sgang_placement_destroy(placement);
		bed_close(&bed);
	}
}

static const struct {
	const char *topology;
	const char *free;
	const char *members;
	uint32_t spread;
	uint32_t max_level;
	const char *text;
	const char *best; /* domain of the first row; NULL: no
			   * row */
	uint64_t free_there;
} lacks[] = {
	{ FABRIC, "n[1-8,9-10,13]", "2x0 2x0 2x0 2x0", SGANG_LEVEL_LEAF,
	  NO_LIMIT,
	  "4 members are to be in different leaf domains, but only 3 "
	  "have room for one: r4 has 1 of 2",
	  "r4", 1 },
	{ FABRIC, NULL, "1x1 1x1 1x1 1x1 1x1", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "5 members are to be in different leaf domains, but only 4 have room "
	  "for one",
	  NULL, 0 },
	{ FABRIC, "n1", "0x3 0x3", SGANG_LEVEL_NODE, NO_LIMIT,
	  "2 members are "
	  "to be in different nodes, but only 1 has room for one: n2 has 0 of "
	  "3",
	  NULL, 0 },
	{ FABRIC, "n[1-2,5-6]", "3x0 3x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "2 members are to be in different leaf domains, but only 0 have room "
	  "for one: r1 has 2 of 3",
	  "r1", 2 },
	{ FABRIC, NULL, "1x1 1x1 1x1", SGANG_LEVEL_LEAF, SPINE,
	  "3 members are "
	  "to be in different leaf domains of one spine, but the best (s1) has "
	  "only 2 with room for one",
	  NULL, 0 },
	{ FABRIC, NULL, "1x1 1x1", SGANG_LEVEL_LEAF, SGANG_LEVEL_LEAF,
	  "2 members are to be in different leaf domains and all in one leaf, "
	  "which can never be",
	  NULL, 0 },
	{ FABRIC, NULL, "1x1 1x1", SPINE, SGANG_LEVEL_LEAF,
	  "2 members are to "
	  "be in different spine domains and all in one leaf, which can never "
	  "be",
	  NULL, 0 },
	{ TWO_ROOTS, NULL, "1x1 1x1", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "2 members "
	  "are to be in different leaf domains that are connected, but no two "
	  "of those with room for one are",
	  NULL, 0 },
	{ FABRIC, "n[1-8]", "1x0 5x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "member 1 "
	  "is to be in one leaf domain, but none has room for it: r1 has 4 of "
	  "5",
	  "r1", 4 },
	{ FABRIC, "n[1-4,5,9]", "2x0 1x0 3x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "3 members are to be in different leaf domains, but only 2 of them "
	  "find room there",
	  "r2", 1 },
	{ FABRIC, "n[1-2,5-6]", "3x0", SGANG_LEVEL_LEAF, NO_LIMIT,
	  "no leaf "
	  "has room for 3 whole free nodes, the best (r1) has 2",
	  "r1", 2 },
};

/* 4.1: why it does not fit, with numbers. */
TEST(test_lacks)
{
	static const struct sgang_explain_unit slot = { "slot", "slots", 1,
							NULL };
	char told[SGANG_EXPLAIN_SIZE];

	for (size_t i = 0; i < COUNT(lacks); i++) {
		struct sgang_placement *placement = NULL;
		struct sgang_nofit nofit;
		struct bed bed;

		ask(&bed, lacks[i].topology, lacks[i].free, lacks[i].members,
		    lacks[i].spread, lacks[i].max_level);
		assert_int_equal(
			sgang_plan(&bed.request, &placement, &nofit, NULL), 0);
		assert_null(placement);
		assert_string_equal(nofit.text, lacks[i].text);
		/* which is also what a waiting gang says */
		sgang_explain_nofit(&bed.request, &nofit, &slot, told);
		assert_string_equal(told, lacks[i].text);
		assert_int_equal(nofit.n_rows > 0, lacks[i].best != NULL);
		if (lacks[i].best) {
			assert_string_equal(
				sgang_fabric_domain(bed.fabric,
						    nofit.row[0].domain)
					->name,
				lacks[i].best);
			assert_int_equal(nofit.row[0].free,
					 lacks[i].free_there);
		}
		/* nobody must ask why */
		assert_int_equal(
			sgang_plan(&bed.request, &placement, NULL, NULL), 0);
		bed_close(&bed);
	}
}

/* Two islands in each node: in different islands, in different nodes. */
TEST(test_islands)
{
	static const uint32_t islands[] = { 2, 2 };
	static const char *const expected[] = { "n1:0 | n1:1", "n1:0 | n2:0" };
	struct sgang_placement *placement;
	struct sgang_devices *devices;
	char names[64];
	struct bed bed;

	ask(&bed, "SwitchName=r Nodes=n[1-2]", NULL, "1x2 1x2", 0, NO_LIMIT);
	devices = sgang_devices_create(bed.fabric, islands, NULL);
	assert_non_null(devices);
	sgang_fabric_destroy(bed.fabric);
	bed.fabric = devices->fabric;
	bed.request.fabric = devices->fabric;
	for (uint32_t level = 0; level < 4; level++)
		bed.free[level] = bed.total[level] = 4;
	for (uint32_t level = SGANG_LEVEL_ISLAND; level <= SGANG_LEVEL_NODE;
	     level++) {
		placement = NULL;
		bed.request.spread_level = level;
		assert_int_equal(
			sgang_plan(&bed.request, &placement, NULL, NULL), 1);
		bed_names(&bed, placement->runs, placement->n_runs, names);
		assert_string_equal(names, expected[level]);
		assert_true(placement->exact);
		sgang_placement_destroy(placement);
	}
	sgang_devices_destroy(devices);
}

/* Ranks of groups are laid out on the members' places. */
TEST(test_groups)
{
	struct sgang_placement *placement = NULL;
	struct sgang_parallel parallel;
	struct bed bed;
	char names[64];

	ask(&bed, FABRIC, NULL, "2x2 2x2", SGANG_LEVEL_LEAF, NO_LIMIT);
	assert_int_equal(sgang_parallel_parse("tp=2,dp=4", &parallel, NULL), 0);
	bed.request.parallel = &parallel;
	bed.request.require[0] = bed.request.require[1] = NO_LIMIT;
	assert_int_equal(sgang_plan(&bed.request, &placement, NULL, NULL), 1);
	bed_names(&bed, placement->runs, placement->n_runs, names);
	assert_string_equal(names, "n1 n2 | n5 n6");
	sgang_placement_destroy(placement);
	bed_close(&bed);
}

TEST(test_no_memory)
{
	struct bed bed;

	ask(&bed, FABRIC, NULL, "0x9 0x9", SPINE, NO_LIMIT);
	assert_int_equal(fail_plans(&bed.request, 3), 1);
	bed_close(&bed);
	ask(&bed, FABRIC, NULL, "2x1 3x1 1x0", SGANG_LEVEL_LEAF, NO_LIMIT);
	assert_int_equal(fail_plans(&bed.request, 3), 1);
	bed_close(&bed);
}

/* Costs that cannot be added up are an error, not a wrong answer. */
TEST(test_too_large)
{
	struct sgang_placement *placement = NULL;
	struct sgang_error err;
	struct bed bed;

	ask(&bed, FABRIC, NULL, "1x4 1x4 1x4 1x4", SGANG_LEVEL_LEAF, NO_LIMIT);
	for (uint32_t i = 0; i < 4; i++)
		bed.member[i].ranks = UINT32_MAX / 4;
	for (uint32_t i = 0; i < SGANG_LEVELS; i++)
		bed.costs.hop[i] = UINT32_MAX;
	assert_int_equal(sgang_plan(&bed.request, &placement, NULL, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "too large"));
	bed_close(&bed);
}

TEST_MAIN(NULL, NULL)
