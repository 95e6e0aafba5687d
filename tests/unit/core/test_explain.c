/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_explain.c - unit tests of explain.c */

#include "../unit.h"
#include "bed.h"
#include "core/plan/explain.h"
#include "fail_alloc.h"

static const char pods[] =
	"SwitchName=l1 Nodes=n[1-4]\nSwitchName=l2 Nodes=n[5-8]\n"
	"SwitchName=l3 Nodes=n[9-12]\nSwitchName=l4 Nodes=n[13-16]\n"
	"SwitchName=l5 Nodes=n[17-20]\nSwitchName=l6 Nodes=n[21-24]\n"
	"SwitchName=p1 Switches=l[1-3]\nSwitchName=p2 Switches=l[4-6]\n"
	"SwitchName=top Switches=p[1-2]\n";

static const struct sgang_explain_unit gpus = { "GPU", "GPUs", 1, NULL };
static const struct sgang_explain_unit four = { "GPU", "GPUs", 4, NULL };

/* Plan, and look at so many others. */
static void look(const struct bed *bed, size_t most,
		 struct sgang_others *others)
{
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit = { .text = "" };

	if (sgang_plan(&bed->request, &placement, &nofit, NULL) != 1)
		fail_msg("no placement: %s", nofit.text);
	assert_int_equal(sgang_explain_others(&bed->request, placement, most,
					      others, NULL),
			 0);
	sgang_placement_destroy(placement);
}

/* 4.34: what was not chosen, what it would cost, and why it lost */
TEST(test_others)
{
	static const struct {
		const char *free;
		uint32_t units;
		const char *common, *text, *why; /* of the first one */
	} cases[] = {
		/* cheaper is better */
		{ "n[1-2,5-6,9-10,13-15,17-19]", 6, "p2", "p1:60", "60 > 48" },
		/* no room */
		{ "n[1-2,5,13-16,17-18]", 6, "p2", "p1:3/6", "3 of 6 fit" },
		{ "n[1-2,5-7,9-12]", 4, "l3", "l2:3/4,l1:2/4", "3 of 4 fit" },
		/* the tie rules of plan.h */
		{ "n[1-3,5-8]", 2, "l1", "l2:8",
		  "same cost, but breaks the free leaf l2" },
		{ "n[1-3,5-6]", 2, "l2", "l1:8",
		  "same cost, but less tight: 1 slots stay free in l1, 0 in l2" },
		{ "n[1-2,5-6]", 2, "l1", "l2:8", "same cost, but comes later" },
		/* there is one top only, so what is below it is looked at */
		{ "n[1-4,13-16]", 8, "top", "p1:4/8,p2:4/8", "4 of 8 fit" },
	};
	struct sgang_others others;
	char text[SGANG_OTHERS_SIZE];
	struct bed bed;

	for (size_t i = 0; i < COUNT(cases); i++) {
		bed_open(&bed, pods, 1);
		bed_only(&bed, cases[i].free);
		bed_add(&bed, cases[i].units, 1, true);
		look(&bed, SGANG_OTHERS_MAX, &others);
		assert_string_equal(
			sgang_fabric_domain(bed.fabric, others.common)->name,
			cases[i].common);
		sgang_explain_write(bed.fabric, &others, text);
		assert_string_equal(text, cases[i].text);
		assert_string_equal(others.other[0].why, cases[i].why);
		assert_int_equal(others.left_out, 0);
		bed_close(&bed);
	}
}

/* Only so many are looked at. */
TEST(test_bounded)
{
	struct sgang_others others;
	struct bed bed;

	bed_open(&bed, pods, 1);
	bed_add(&bed, 2, 1, true);
	look(&bed, 2, &others);
	assert_int_equal(others.n, 2);
	assert_int_equal(others.left_out, 3);
	look(&bed, 0, &others);
	assert_int_equal(others.n, 0);
	assert_int_equal(others.left_out, 5);
	bed_close(&bed);
}

/* The text ends at a comma, however long the names are. */
TEST(test_cut)
{
	/* the name alone, with its cost, fits; not with another one */
	char name[SGANG_OTHERS_SIZE - 9], topology[1024];
	char text[SGANG_OTHERS_SIZE];
	struct sgang_others others;
	struct bed bed;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(topology, sizeof(topology),
		 "SwitchName=%s Nodes=n[1-2]\n"
		 "SwitchName=y Nodes=n[3-4]\nSwitchName=z Nodes=n[5-6]\n"
		 "SwitchName=top Switches=%s,y,z\n",
		 name, name);
	bed_open(&bed, topology, 1);
	bed_only(&bed, "n[1-4,6]");
	bed_add(&bed, 2, 1, true);
	look(&bed, SGANG_OTHERS_MAX, &others);
	assert_int_equal(others.n, 2);
	sgang_explain_write(bed.fabric, &others, text);
	assert_string_equal(text, "y:8,z:1/2");
	/* the second one has the long name, then both have */
	others.other[1].domain = sgang_fabric_leaf(bed.fabric, 0);
	sgang_explain_write(bed.fabric, &others, text);
	assert_int_equal(strlen(text), strlen("y:8,:1/2") + strlen(name));
	others.other[0].domain = sgang_fabric_leaf(bed.fabric, 0);
	sgang_explain_write(bed.fabric, &others, text);
	assert_int_equal(strlen(text), strlen(":8") + strlen(name));
	bed_close(&bed);
}

static void expect_nofit(const struct bed *bed,
			 const struct sgang_explain_unit *unit,
			 const char *expected)
{
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit;
	char text[SGANG_EXPLAIN_SIZE];

	assert_int_equal(sgang_plan(&bed->request, &placement, &nofit, NULL),
			 0);
	sgang_explain_nofit(&bed->request, &nofit, unit, text);
	assert_string_equal(text, expected);
}

static const char racks[] =
	"SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\n"
	"SwitchName=leaf3 Nodes=n[5-6]\nSwitchName=top Switches=leaf[1-3]\n";

/* 4.25: the one reason, with its numbers */
TEST(test_nofit)
{
	struct bed bed;

	bed_open(&bed, racks, 8);
	bed_only(&bed, "n1");
	bed_set(&bed, "n1", 5);
	bed_set(&bed, "n3", 4);
	bed_set(&bed, "n5", 3);
	bed_set(&bed, "n6", 4);
	bed_add(&bed, 8, 1, false);
	bed.request.max_level = SGANG_LEVEL_LEAF;
	expect_nofit(&bed, &gpus,
		     "16 GPUs are free, but no leaf has 8: leaf3 has 7");
	expect_nofit(&bed, &four,
		     "16 places with 4 GPUs are free, but no leaf has 8: "
		     "leaf3 has 7");
	bed.request.max_level = SGANG_LEVEL_NODE;
	expect_nofit(&bed, &gpus,
		     "16 GPUs are free, but no node has 8: n1 has 5");
	bed.member[0].units = 17;
	expect_nofit(&bed, &gpus,
		     "17 GPUs are needed in one node, 16 are free: n1 has 5");
	bed.request.max_level = SGANG_LEVEL_LEAF;
	expect_nofit(
		&bed, &gpus,
		"17 GPUs are needed in one leaf, 16 are free: leaf3 has 7");
	bed.request.max_level = SGANG_LEVEL_UNCONNECTED;
	expect_nofit(&bed, &gpus, "17 GPUs are needed, 16 are free");
	expect_nofit(&bed, &four,
		     "17 places with 4 GPUs are needed, 16 are "
		     "free");
	/* eight on each of two nodes */
	bed.member[0] = (struct sgang_plan_member){ .units = 2,
						    .slots = 4,
						    .distinct = true };
	bed.request.max_level = SGANG_LEVEL_LEAF;
	expect_nofit(&bed, &gpus,
		     "3 places with 4 GPUs are free, but no leaf "
		     "has 2: leaf1 has 1");
	bed.member[0].units = 5;
	bed.request.max_level = SGANG_LEVEL_UNCONNECTED;
	expect_nofit(&bed, &gpus,
		     "5 places with 4 GPUs are needed, 3 are "
		     "free");
	/* whole nodes */
	bed.member[0] = (struct sgang_plan_member){ .units = 2,
						    .slots = 0,
						    .distinct = true };
	expect_nofit(&bed, &gpus, "2 whole nodes are needed, 0 are free");
	bed_set(&bed, "n[1,3]", 8);
	bed.request.max_level = SGANG_LEVEL_LEAF;
	expect_nofit(&bed, &gpus,
		     "2 whole nodes are free, but no leaf has 2: "
		     "leaf1 has 1");
	bed_close(&bed);
}

TEST(test_nofit_members)
{
	struct bed bed;

	bed_open(&bed, racks, 5);
	bed_only(&bed, "n1");
	bed_add(&bed, 1, 3, true);
	bed_add(&bed, 2, 4, true);
	expect_nofit(&bed, &gpus,
		     "member 1: 2 places with 4 GPUs are needed, "
		     "1 is free");
	/* each fits alone, and both are as much as is free */
	bed_set(&bed, "n2", 3);
	bed.member[0] = (struct sgang_plan_member){ .units = 2,
						    .slots = 2,
						    .distinct = false };
	bed.member[1].units = 1;
	expect_nofit(&bed, &gpus,
		     "8 free slots are needed and there, but not "
		     "so that every member has what it asks for");
	bed_close(&bed);
}

TEST(test_no_memory)
{
	struct sgang_placement *placement = NULL;
	struct sgang_others others;
	struct sgang_error err;
	unsigned long n;
	struct bed bed;
	long live;
	int rc;

	bed_open(&bed, pods, 1);
	bed_add(&bed, 2, 1, true);
	assert_int_equal(sgang_plan(&bed.request, &placement, NULL, NULL), 1);
	live = fail_live;
	for (n = 1;; n++) {
		fail_at(n);
		rc = sgang_explain_others(&bed.request, placement, 2, &others,
					  &err);
		if (!fail_happened)
			break;
		assert_int_equal(rc, -1);
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(fail_live, live);
	}
	fail_at(0);
	assert_int_equal(rc, 0);
	assert_true(n > 5);
	assert_int_equal(fail_live, live);
	sgang_placement_destroy(placement);
	bed_close(&bed);
}

TEST_MAIN(NULL, NULL)
