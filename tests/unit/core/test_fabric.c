/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fabric.c - reading topology.conf, and the tree it becomes */

#include "../unit.h"
#include "core/fabric/fabric.h"
#include "fabric_text.h"
#include "fail_alloc.h"
#include "fuzz.h"

static struct sgang_fabric *parse(const char *text)
{
	struct sgang_error err;
	struct sgang_fabric *fabric;

	fabric = sgang_fabric_parse(text, "t.conf", NULL, 0, &err);
	if (!fabric)
		fail_msg("%s", err.text);
	return fabric;
}

TEST(test_trees)
{
	static const struct {
		const char *text;
		const char *tree;
	} cases[] = {
		{ "SwitchName=s1 Nodes=n[1-3]\n", "s1/2:n1,n2,n3" },
		{ "SwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n2\n"
		  "SwitchName=top Switches=s[1-2]\n",
		  "top/3:n1,n2 s1/2:n1 s2/2:n2" },
		/* parents before children, any case, no newline at the end */
		{ "switchname=top SWITCHES=s1,s2\nSwitchName=s2 nodes=n2\n"
		  "SwitchName=s1 Nodes=n1 linkspeed=100",
		  "top/3:n1,n2 s1/2:n1 s2/2:n2" },
		/* nodes and so their switches are in the order of slurmctld */
		{ "SwitchName=a Nodes=n10,n9\nSwitchName=b Nodes=x,n2\n"
		  "SwitchName=top Switches=a,b\n",
		  "top/3:n2,x,n9,n10 b/2:n2,x a/2:n9,n10" },
		/* several roots stand under an invisible one */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n",
		  "/13:n1,n2 a/2:n1 b/2:n2" },
		/* irregular: levels are heights */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=c Switches=a\nSwitchName=d Switches=b,c\n",
		  "d/4:n1,n2 c/3:n1 b/2:n2 a/2:n1" },
		/* comments, an escaped one, blanks, continuation, quotes */
		{ "# a # b\n\n  SwitchName = a \\\n\tNodes=n1#x \\\n\n"
		  "SwitchName=\"b\" Nodes=\"n2\"\t# c\n"
		  "SwitchName=c\\#1 Nodes=n3\r\n",
		  "/13:n1,n2,n3 a/2:n1 b/2:n2 c#1/2:n3" },
		{ "SwitchName=a Nodes=n1,\\\nn2, n3\\\n", NULL },
		/* the same node twice on one leaf is one node */
		{ "SwitchName=a Nodes=n1,n1,n2 LinkSpeed=UNLIMITED\n",
		  "a/2:n1,n2" },
		{ "SwitchName=a Nodes=n[08-10]\n", "a/2:n08,n09,n10" },
		/* 4.27: blocks, joined as Slurm joins them */
		{ "BlockName=b Nodes=n[1-2]\n", "b/2:n1,n2" },
		{ "BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\n"
		  "BlockSizes=1,2\n",
		  "b[1-2]/3:n1,n2 b1/2:n1 b2/2:n2" },
		/* without sizes: 1, 2, 4, 8 and 16 */
		{ "BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\n"
		  "blockname=b3 nodes=n3\n",
		  "b[1-3]/4:n1,n2,n3 b[1-2]/3:n1,n2 b3/2:n3 b1/2:n1 b2/2:n2" },
		/* above the last size all are joined once more */
		{ "BlockSizes=1\nBlockName=x Nodes=n1\nBlockName=y Nodes=n2\n"
		  "BlockName=z Nodes=n3\n",
		  "x,y,z/3:n1,n2,n3 x/2:n1 y/2:n2 z/2:n3" },
		/* what is left over is joined if it is more than one of the
		 * size before: here three blocks for the size of four */
		{ "BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\n"
		  "BlockName=b3 Nodes=n3\nBlockName=b4 Nodes=n4\n"
		  "BlockName=b5 Nodes=n5\nBlockName=b6 Nodes=n6\n"
		  "BlockName=b7 Nodes=n7\nBlockSizes=18,36,72\n",
		  "b[1-7]/5:n1,n2,n3,n4,n5,n6,n7 b[1-4]/4:n1,n2,n3,n4 "
		  "b[5-7]/4:n5,n6,n7 b[1-2]/3:n1,n2 b[3-4]/3:n3,n4 "
		  "b[5-6]/3:n5,n6 b7/2:n7 b1/2:n1 b2/2:n2 b3/2:n3 b4/2:n4 "
		  "b5/2:n5 b6/2:n6" },
		/* a size in between is not used, the order is free, twice is
		 * once */
		{ "BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\n"
		  "BlockName=b3 Nodes=n3\nBlockName=b4 Nodes=n4\n"
		  "BlockName=b5 Nodes=n5\nBlockSizes=30,240,120,120\n",
		  "b[1-5]/4:n1,n2,n3,n4,n5 b[1-4]/3:n1,n2,n3,n4 b5/2:n5 "
		  "b1/2:n1 b2/2:n2 b3/2:n3 b4/2:n4" },
		/* a block without nodes keeps its place among the others */
		{ "BlockName=b1 Nodes=n1\nBlockName=b2\nBlockName=b3 Nodes=n3\n"
		  "BlockName=b4 Nodes=n4\nBlockSizes=1,2\n",
		  "b[1-4]/4:n1,n3,n4 b[1-2]/3:n1 b[3-4]/3:n3,n4 b1/2:n1 "
		  "b3/2:n3 b4/2:n4" },
	};
	char buf[1024];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_fabric *fabric;

		fabric = sgang_fabric_parse(cases[i].text, "t.conf", NULL, 0,
					    NULL);
		if (!cases[i].tree) {
			assert_null(fabric);
			continue;
		}
		assert_non_null(fabric);
		assert_string_equal(describe(fabric, buf), cases[i].tree);
		check_invariants(fabric);
		sgang_fabric_destroy(fabric);
	}
}

TEST(test_errors)
{
	static const struct {
		const char *text;
		const char *starts; /* of the message */
		const char *has;
	} cases[] = {
		{ "", "t.conf: ", "no switch" },
		{ "# nothing\n", "t.conf: ", "no switch" },
		{ "\nSwitchName=a Nodes=n1 Speed=1\n", "t.conf:2: ",
		  "only SwitchName, Switches, Nodes, LinkSpeed in the line, "
		  "found the key \"Speed\"" },
		{ "SwitchName=a Nodes=n1 rubbish\n", "t.conf:1: ", "rubbish" },
		{ "SwitchName=a Nodes=n1 =x\n", "t.conf:1: ", "=x" },
		{ "SwitchName=a \\\n\\\nNodes=\n", "t.conf:1: ", "Nodes" },
		{ "SwitchName=a Nodes=\"n1\n", "t.conf:1: ", "Nodes" },
		{ "SwitchName=a Nodes=\"n1\"x\n", "t.conf:1: ", "Nodes" },
		{ "SwitchName=a Nodes=\"\"\n", "t.conf:1: ", "Nodes" },
		{ "Nodes=n1 SwitchName=a\n", "t.conf:1: ", "SwitchName=" },
		{ "SwitchName=a\n", "t.conf:1: ", "neither" },
		{ "SwitchName=a Nodes=n1 Switches=b\n", "t.conf:1: ", "both" },
		{ "SwitchName=a Nodes=n1 Nodes=n2\n", "t.conf:1: ", "two" },
		{ "SwitchName=a[1-2] Nodes=n1\n", "t.conf:1: ", "a[1-2]" },
		{ "SwitchName=a Nodes=n1 LinkSpeed=fast\n",
		  "t.conf:1: ", "fast" },
		{ "SwitchName=a Nodes=n1\n\n\nSwitchName=a Nodes=n2\n",
		  "t.conf:4: ", "t.conf:1" },
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2,n1\n",
		  "t.conf:2: ", "t.conf:1" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a,b\n",
		  "t.conf:2: ", "SwitchName=b" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a\n"
		  "SwitchName=u Switches=a\n",
		  "t.conf:3: ", "t.conf:2" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=t\n",
		  "t.conf:2: ", "tree" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a,u\n"
		  "SwitchName=u Switches=t\n",
		  "t.conf:2: ", "above switch u at t.conf:3 and below it" },
		{ "SwitchName=a Nodes=n[1-\n", "t.conf:1: ", "n[1-" },
		{ "SwitchName=a Nodes=n[1-99999999]\n",
		  "t.conf:1: ", "too many" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a[\n",
		  "t.conf:2: ", "a[" },
		/* 4.27: blocks */
		{ "BlockName=a Nodes=n1\n\nBlockName=a Nodes=n2\n",
		  "t.conf:3: ", "block a is already defined at t.conf:1" },
		{ "BlockName=a Nodes=n[1-3]\nBlockName=b Nodes=n[3-4]\n",
		  "t.conf:2: ",
		  "node n3 is already in block a at t.conf:1, "
		  "expected each node in one block" },
		{ "BlockName=a[1-2] Nodes=n1\n", "t.conf:1: ", "one block" },
		{ "BlockName=a Nodes=n1 Switches=b\n",
		  "t.conf:1: ", "only BlockName, Nodes in the line" },
		{ "BlockName=a Nodes=n[1\n", "t.conf:1: ", "n[1" },
		{ "BlockName=a Nodes=n1\nSwitchName=s Nodes=n2\n",
		  "t.conf:2: ", "SwitchName= after BlockName= at t.conf:1" },
		{ "SwitchName=s Nodes=n2\nBlockSizes=4\n",
		  "t.conf:2: ", "BlockSizes= after SwitchName= at t.conf:1" },
		{ "BlockSizes=4\n", "t.conf: ", "no block" },
		{ "BlockName=a Nodes=n1\nBlockSizes=18,30\n", "t.conf:2: ",
		  "block size 30 is not the first one, 18, times a power" },
		{ "BlockName=a Nodes=n1\nBlockSizes=18,9\n",
		  "t.conf:2: ", "block size 9" },
		{ "BlockName=a Nodes=n1\nBlockSizes=1,65536\n",
		  "t.conf:2: ", "up to 32768" },
		{ "BlockName=a Nodes=n1\nBlockSizes=18,\n",
		  "t.conf:2: ", "the block size \"\" is not a number" },
		{ "BlockName=a Nodes=n1\nBlockSizes=0\n",
		  "t.conf:2: ", "\"0\"" },
		{ "BlockName=a Nodes=n1\nBlockSizes=18x\n",
		  "t.conf:2: ", "\"18x\"" },
		{ "BlockName=a Nodes=n1\nBlockSizes=1\nBlockSizes=1\n",
		  "t.conf:3: ", "second time" },
		{ "RingName=r Nodes=n1\n", "t.conf:1: ",
		  "SwitchName=, BlockName= or BlockSizes= at the start" },
		{ "Include nowhere.conf\n", "t.conf:1: ", "nowhere.conf" },
		{ "Include a b\n", "t.conf:1: ", "one file" },
		{ "Include=a\n", "t.conf:1: ", "Include" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_error err = { "" };

		errno = 0;
		assert_null(sgang_fabric_parse(cases[i].text, "t.conf", NULL, 0,
					       &err));
		assert_int_equal(errno, EINVAL);
		if (strncmp(err.text, cases[i].starts,
			    strlen(cases[i].starts)) ||
		    !strstr(err.text, cases[i].has))
			fail_msg("case %zu: %s", i, err.text);
	}
}

/* A chain of 11 switches is read, one of 12 is too high. */
TEST(test_level_max)
{
	char text[1024], *p = text;
	struct sgang_fabric *fabric;
	struct sgang_error err;
	int i;

	p += sprintf(p, "SwitchName=s2 Nodes=n1\n");
	for (i = 3; i <= SGANG_LEVEL_MAX; i++)
		p += sprintf(p, "SwitchName=s%d Switches=s%d\n", i, i - 1);
	fabric = parse(text);
	assert_int_equal(sgang_fabric_top_level(fabric), SGANG_LEVEL_MAX);
	sgang_fabric_destroy(fabric);
	sprintf(p, "SwitchName=s%d Switches=s%d\n", i, i - 1);
	assert_null(sgang_fabric_parse(text, "t.conf", NULL, 0, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "t.conf:12:"));
}

/* With the caller's nodes: his order, unknown ones dropped, lone ones roots. */
TEST(test_callers_nodes)
{
	static const char *const nodes[] = { "z", "n4", "n3", "n2", "n1" };
	static const char text[] =
		"SwitchName=a Nodes=n[1-2],x\nSwitchName=b Nodes=n[3-4]\n"
		"SwitchName=empty Nodes=y[1-9]\n"
		"SwitchName=t Switches=a,b,empty\n";
	struct sgang_fabric *fabric;
	struct sgang_error err;
	char buf[1024];

	fabric = sgang_fabric_parse(text, "t.conf", nodes, 5, NULL);
	assert_non_null(fabric);
	assert_string_equal(describe(fabric, buf),
			    "/13:z,n4,n3,n2,n1 z/2:z t/3:n4,n3,n2,n1 "
			    "b/2:n4,n3 a/2:n2,n1");
	check_invariants(fabric);
	assert_int_equal(sgang_fabric_nodes(fabric), 5);
	assert_int_equal(sgang_fabric_top_level(fabric), 3);
	assert_int_equal(sgang_fabric_find_node(fabric, "n3"), 2);
	assert_int_equal(sgang_fabric_find_node(fabric, "x"), SGANG_NODE_NONE);
	assert_int_equal(sgang_fabric_meet(fabric, 1, 1), SGANG_LEVEL_ISLAND);
	assert_int_equal(sgang_fabric_meet(fabric, 1, 2), SGANG_LEVEL_LEAF);
	assert_int_equal(sgang_fabric_meet(fabric, 4, 2), SGANG_LEVEL_LEAF + 1);
	assert_int_equal(sgang_fabric_meet(fabric, 0, 2),
			 SGANG_LEVEL_UNCONNECTED);
	assert_int_equal(sgang_fabric_domain(fabric, 1)->line, 0);
	assert_int_equal(sgang_fabric_domain(fabric, 2)->line, 4);
	sgang_fabric_destroy(fabric);

	{
		static const char *const twice[] = { "a", "b", "a" };

		assert_null(sgang_fabric_parse(text, "t.conf", twice, 3, &err));
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "twice"));
	}
	fabric = sgang_fabric_parse(text, "t.conf", nodes, 0, NULL);
	assert_non_null(fabric);
	assert_int_equal(sgang_fabric_nodes(fabric), 0);
	assert_int_equal(sgang_fabric_domains(fabric), 1);
	sgang_fabric_destroy(fabric);
}

/* Some tool fills the file later: one leaf, as without a file. */
TEST(test_nothing_yet)
{
	static const char *const nodes[] = { "b", "a", "c" };
	static const char *const texts[] = { "", "# later\n", "\n# a\n\n# b",
					     "BlockSizes=4\n" };
	char buf[256];

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct sgang_error err;
		struct sgang_fabric *fabric =
			sgang_fabric_parse(texts[i], "t.conf", nodes, 3, &err);

		if (!fabric)
			fail_msg("case %zu: %s", i, err.text);
		assert_string_equal(describe(fabric, buf), "flat/2:b,a,c");
		assert_false(sgang_fabric_of_switches(fabric));
		assert_int_equal(sgang_fabric_block_base(fabric), 0);
		check_invariants(fabric);
		sgang_fabric_destroy(fabric);
	}
}

TEST(test_flat)
{
	static const char *const nodes[] = { "b", "a", "c" };
	struct sgang_fabric *fabric = sgang_fabric_flat(nodes, 3, NULL);
	char buf[256];

	assert_non_null(fabric);
	assert_string_equal(describe(fabric, buf), "flat/2:b,a,c");
	check_invariants(fabric);
	sgang_fabric_destroy(fabric);
	errno = EDOM;
	sgang_fabric_destroy(NULL);
	assert_int_equal(errno, EDOM);
}

/* 4.14: a hop within an NVL72 rack costs 1, a leaf costs what it always does.
 */
TEST(test_nvlink_costs)
{
	struct sgang_costs plain, costs;

	sgang_costs_default(&plain);
	sgang_costs_default_nvlink(&costs);
	assert_int_equal(plain.leaf, SGANG_LEVEL_LEAF);
	assert_int_equal(costs.leaf, SGANG_LEVEL_LEAF + 1);
	assert_int_equal(sgang_costs_level(&costs, "nvlink"), SGANG_LEVEL_LEAF);
	for (uint32_t level = 0; level <= SGANG_LEVEL_LEAF; level++)
		assert_int_equal(costs.hop[level], 1);
	for (uint32_t level = SGANG_LEVEL_LEAF; level < SGANG_LEVEL_LEAF + 3;
	     level++) {
		assert_int_equal(costs.hop[level + 1], plain.hop[level]);
		assert_string_equal(costs.name[level + 1], plain.name[level]);
	}
	assert_string_equal(costs.name[SGANG_LEVEL_UNCONNECTED], "unconnected");
}

/* 4.14: 1, 4, 16 */
TEST(test_costs)
{
	char names[SGANG_LEVEL_NAMES_SIZE];
	struct sgang_costs costs;

	sgang_costs_default(&costs);
	assert_int_equal(costs.hop[SGANG_LEVEL_ISLAND], 1);
	assert_int_equal(costs.hop[SGANG_LEVEL_NODE], 2);
	assert_int_equal(costs.hop[SGANG_LEVEL_LEAF], 4);
	assert_int_equal(costs.hop[SGANG_LEVEL_LEAF + 1], 16);
	assert_int_equal(costs.hop[SGANG_LEVEL_UNCONNECTED],
			 4 * costs.hop[SGANG_LEVEL_MAX]);
	assert_false(costs.allow_unconnected);
	assert_int_equal(sgang_costs_level(&costs, "island"), 0);
	assert_int_equal(sgang_costs_level(&costs, "LEAF"), SGANG_LEVEL_LEAF);
	assert_int_equal(sgang_costs_level(&costs, "core"), 4);
	assert_int_equal(sgang_costs_level(&costs, "level5"), 5);
	assert_int_equal(sgang_costs_level(&costs, "level12"), 12);
	assert_int_equal(sgang_costs_level(&costs, "rack"), -1);
	assert_int_equal(sgang_costs_level(&costs, ""), -1);
	assert_string_equal(sgang_costs_names(&costs, names),
			    "island, node, leaf, spine, core");
	strcpy(costs.name[6], "hall");
	assert_string_equal(sgang_costs_names(&costs, names),
			    "island, node, leaf, spine, core, level5, hall");
	for (uint32_t level = 0; level < SGANG_LEVELS; level++) {
		memset(costs.name[level], 'x', sizeof(costs.name[level]) - 1);
		costs.name[level][sizeof(costs.name[level]) - 1] = '\0';
	}
	assert_int_equal(strlen(sgang_costs_names(&costs, names)),
			 SGANG_LEVEL_UNCONNECTED * (31 + 2) - 2);
}

/* Whatever stands in it, a text is read or refused with a reason. */
TEST(test_fuzz)
{
	static const char *const good[] = {
		"SwitchName=a Nodes=n[1-3],x\n# comment\n"
		"SwitchName=b Nodes=\"m[1-3]\" LinkSpeed=7\n"
		"SwitchName=t \\\n Switches=a,b\n",
		"BlockName=a Nodes=n[1-3],x\n# comment\n"
		"BlockName=b Nodes=\"m[1-3]\"\n"
		"BlockName=c\nBlockSizes=3,6,12\n",
	};
	static const char spice[] = "SwitchName=a Nodes=n[1-2]\n\\\"#,tb ";

	for (uint64_t seed = 1; seed <= 40000; seed++) {
		struct sgang_fabric *fabric;
		struct sgang_error err = { "" };
		uint64_t random = seed;
		char text[256];

		if (seed % 4) {
			strcpy(text, good[seed % 2]);
			fuzz_spoil(&random, text);
		} else {
			fuzz_text(&random, spice, text, sizeof(text));
		}
		fabric = sgang_fabric_parse(text, "t.conf", NULL, 0, &err);
		if (!fabric &&
		    (errno != EINVAL || strncmp(err.text, "t.conf:", 7)))
			fail_msg("seed %lu: %s", (unsigned long)seed, err.text);
		if (fabric)
			check_invariants(fabric);
		sgang_fabric_destroy(fabric);
	}
}

/* -- lack of memory -- */

/* Whichever allocation fails, ENOMEM is said and nothing is kept. */
TEST(test_no_memory)
{
	static const char text[] =
		"SwitchName=a Nodes=n[1-200]\nSwitchName=b Nodes=m[1-200]\n"
		"SwitchName=t Switches=a,b\n";
	struct sgang_error err;
	unsigned long n;

	for (n = 1;; n++) {
		struct sgang_fabric *fabric;
		long before = fail_live;

		fail_at(n);
		fabric = sgang_fabric_parse(text, "t.conf", NULL, 0, &err);
		if (!fail_happened) {
			fail_at(0);
			assert_non_null(fabric);
			sgang_fabric_destroy(fabric);
			break;
		}
		fail_at(0);
		if (fabric) {
			/* only giving memory back may fail without harm */
			check_invariants(fabric);
			sgang_fabric_destroy(fabric);
		} else {
			assert_int_equal(errno, ENOMEM);
		}
		assert_int_equal(fail_live, before);
	}
	assert_true(n > 400);
}

TEST_MAIN(NULL, NULL)
