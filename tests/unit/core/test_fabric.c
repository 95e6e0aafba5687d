/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fabric.c - reading topology.conf, and the tree it becomes */

#include "../unit.h"
#include "core/fabric/fabric.h"
#include "fabric_text.h"
#include "fail_alloc.h"
#include "fuzz.h"
#include "node_bits.h"

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
		/* two spines over the same leaves, as fat trees are cabled, are
		 * one */
		{ "SwitchName=s1 Switches=a,b\nSwitchName=s2 Switches=a,b\n"
		  "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n",
		  "s[1-2]/3:n1,n2,n3,n4 a/2:n1,n2 b/2:n3,n4" },
		/* spines of pods, and cores over all of them */
		{ "SwitchName=c1 Switches=p[1-4]\nSwitchName=c2 Switches=p[2,4]\n"
		  "SwitchName=c3 Switches=p[1,3]\n"
		  "SwitchName=p1 Switches=a,b\nSwitchName=p2 Switches=b,a,b\n"
		  "SwitchName=p3 Switches=d,e\nSwitchName=p4 Switches=d,e\n"
		  "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=d Nodes=n3\nSwitchName=e Nodes=n4\n",
		  "c[1-3]/4:n1,n2,n3,n4 p[1-2]/3:n1,n2 p[3-4]/3:n3,n4 a/2:n1 "
		  "b/2:n2 d/2:n3 e/2:n4" },
		/* the same nodes at two depths: the higher one */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=d Nodes=n3\nSwitchName=m Switches=a,b\n"
		  "SwitchName=low Switches=a,b,d\nSwitchName=top Switches=m,d\n",
		  "low,top/4:n1,n2,n3 m/3:n1,n2 d/2:n3 a/2:n1 b/2:n2" },
		/* one above another with the same nodes is above it still */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=s1 Switches=a,b\nSwitchName=s2 Switches=a,b\n"
		  "SwitchName=top Switches=s2\n",
		  "top/4:n1,n2 s[1-2]/3:n1,n2 a/2:n1 b/2:n2" },
		/* nested: a leaf that is joined to its spine and to the core */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=p Switches=a\nSwitchName=q Switches=a,b\n",
		  "q/4:n1,n2 p/3:n1 b/2:n2 a/2:n1" },
		/* what is smaller is below, though it was not lower */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=m Switches=a\nSwitchName=n Switches=m\n"
		  "SwitchName=q Switches=a,b\n",
		  "q/5:n1,n2 n/4:n1 b/2:n2 m/3:n1 a/2:n1" },
		/* a node has an adapter on each of its leaves */
		{ "SwitchName=r1 Nodes=n[1-2]\nSwitchName=r2 Nodes=n[2,1]\n"
		  "SwitchName=r3 Nodes=n3\nSwitchName=r4 Nodes=n3,n3\n"
		  "SwitchName=t1 Switches=r1,r3\nSwitchName=t2 Switches=r2,r4\n",
		  "t[1-2]/3:n1,n2,n3 r[1-2]/2:n1,n2 r[3-4]/2:n3" },
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
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a,b\n",
		  "t.conf:2: ", "SwitchName=b" },
		/* no tree of nested ones */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=d Nodes=n3\nSwitchName=t Switches=a,b\n"
		  "\nSwitchName=u Switches=b,d\n",
		  "t.conf:6: ",
		  "switches u and t at t.conf:4 have some nodes in common, and "
		  "each has others, expected a tree: write one into a file of "
		  "its own and name it by TopologyFile= in gang.conf" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=t\n",
		  "t.conf:2: ", "tree" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a,u\n"
		  "SwitchName=u Switches=t\n",
		  "t.conf:2: ", "above switch u at t.conf:3 and below it" },
		/* above a cycle is not on it */
		{ "SwitchName=top Switches=t,a\nSwitchName=a Nodes=n1\n"
		  "SwitchName=v Switches=t,a\nSwitchName=t Switches=u,a\n"
		  "SwitchName=u Switches=a,v\n",
		  "t.conf:3: ", "above switch t at t.conf:4 and below it" },
		{ "SwitchName=a Nodes=n[1-\n", "t.conf:1: ", "n[1-" },
		{ "SwitchName=a Nodes=n[1-99999999]\n",
		  "t.conf:1: ", "too many" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a[\n",
		  "t.conf:2: ", "a[" },
		/* 4.27: blocks */
		{ "BlockName=a Nodes=n1\n\nBlockName=a Nodes=n2\n",
		  "t.conf:3: ", "block a is already defined at t.conf:1" },
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

/* A node on two leaves by mistake is on none; the rest counts, and one sentence
 * says so. */
TEST(test_two_leaves)
{
	static const struct {
		const char *text, *tree, *warning;
	} cases[] = {
		{ "SwitchName=s0 Nodes=n[1-3]\nSwitchName=s1 Nodes=n[4-5]\n"
		  "SwitchName=s2 Nodes=n4\nSwitchName=t Switches=s[0-2]\n",
		  "/13:n1,n2,n3,n5,n4 t/3:n1,n2,n3,n5 n4/2:n4 s0/2:n1,n2,n3 "
		  "s1/2:n5",
		  "t.conf:3: node n4 is on switch s2, and on switch s1 at "
		  "t.conf:2: it is left out of the fabric, expected each node "
		  "on one leaf switch" },
		{ "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[2-4]\n",
		  "/13:n1,n2,n3,n4 a/2:n1 n2/2:n2 n3/2:n3 b/2:n4",
		  "t.conf:2: node n2 is on switch b, and on switch a at "
		  "t.conf:1: it is left out of the fabric with 1 other node, "
		  "expected each node on one leaf switch" },
		/* the others of two that are one leaf stay */
		{ "SwitchName=r1 Nodes=n[1-4]\nSwitchName=r2 Nodes=n[1-4]\n"
		  "SwitchName=x Nodes=n[2-5]\n",
		  "/13:n1,n2,n3,n4,n5 r[1-2]/2:n1 n2/2:n2 n3/2:n3 n4/2:n4 "
		  "x/2:n5",
		  "t.conf:3: node n2 is on switch x, and on switch r1 at "
		  "t.conf:1: it is left out of the fabric with 2 other nodes, "
		  "expected each node on one leaf switch" },
		{ "SwitchName=x Nodes=n1,x\nSwitchName=y Nodes=n1,y\n"
		  "SwitchName=z Nodes=n1,z\n",
		  "/13:n1,x,y,z n1/2:n1 x/2:x y/2:y z/2:z",
		  "t.conf:2: node n1 is on switch y, and on switch x at "
		  "t.conf:1: it is left out of the fabric, expected each node "
		  "on one leaf switch" },
		/* 4.27: blocks are numbered, so none stands for another */
		{ "BlockName=a Nodes=n[1-3]\nBlockName=b Nodes=n[3-4]\n"
		  "BlockSizes=2,4\n",
		  "/13:n1,n2,n4,n3 a,b/3:n1,n2,n4 n3/2:n3 a/2:n1,n2 b/2:n4",
		  "t.conf:2: node n3 is in block b, and in block a at "
		  "t.conf:1: it is left out of the fabric, expected each node "
		  "in one block" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_fabric *fabric = parse(cases[i].text);
		char buf[1024];

		assert_string_equal(describe(fabric, buf), cases[i].tree);
		assert_non_null(sgang_fabric_warning(fabric));
		assert_string_equal(sgang_fabric_warning(fabric),
				    cases[i].warning);
		check_invariants(fabric);
		sgang_fabric_destroy(fabric);
	}
}

/* The levels and nodes of all domains, without their names. */
static void describe_shape(const struct sgang_fabric *fabric, char *text)
{
	const uint32_t *order = sgang_fabric_order(fabric);

	*text = '\0';
	for (uint32_t d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);

		text += sprintf(text, "/%u", domain->level);
		for (uint32_t i = 0; i < domain->n_nodes; i++)
			text += sprintf(text, " %u",
					order[domain->first_pos + i]);
	}
}

/* Random cables: the planes of a fat tree, each of which reaches all nodes, are
 * the tree of one plane. */
TEST(test_planes)
{
	enum { LEAVES = 12, PODS = 4, PLANES = 3 };
	static const char line[] = "SwitchName=%c%u_%u Switches=";
	char all[2][8192];

	for (uint64_t seed = 1; seed <= 500; seed++) {
		uint32_t pod_of[LEAVES], used[PODS] = { 0 }, i, p, k;
		struct sgang_fabric *fabric;
		uint64_t random = seed;
		char text[16384], *at = text;
		uint32_t planes = 1 + (uint32_t)fuzz_below(&random, PLANES);

		for (i = 0; i < LEAVES; i++) {
			pod_of[i] = (uint32_t)fuzz_below(&random, PODS);
			used[pod_of[i]]++;
		}
		/* one plane first, then all of them */
		for (int run = 0; run < 2; run++) {
			uint32_t n = run ? planes : 1;

			at = text;
			for (k = 0; k < n; k++) {
				at += sprintf(at, line, 'c', 0, k);
				/* of each pod one spine or all */
				for (p = 0; p < PODS; p++) {
					if (!used[p])
						continue;
					at += sprintf(at, "p%u_%u,", p, k);
					if (n > 1 && fuzz_below(&random, 2))
						at += sprintf(at, "p%u_0,", p);
				}
				at[-1] = '\n';
				for (p = 0; p < PODS; p++) {
					if (!used[p])
						continue;
					at += sprintf(at, line, 'p', p, k);
					for (i = 0; i < LEAVES; i++)
						if (pod_of[i] == p)
							at += sprintf(
								at, "l%u,", i);
					at[-1] = '\n';
				}
			}
			for (i = 0; i < LEAVES; i++)
				at += sprintf(at, "SwitchName=l%u Nodes=n%u\n",
					      i, i);
			fabric = parse(text);
			check_invariants(fabric);
			describe_shape(fabric, all[run]);
			sgang_fabric_destroy(fabric);
		}
		if (strcmp(all[0], all[1]))
			fail_msg("seed %lu: %s", (unsigned long)seed, text);
	}
}

/* Nodes that the caller does not know make no difference. */
TEST(test_spines_of_known_nodes)
{
	static const char *const nodes[] = { "n1", "n2", "n3" };
	static const char text[] =
		"SwitchName=a Nodes=n1,x\nSwitchName=b Nodes=n2\n"
		"SwitchName=x Nodes=x[1-9]\nSwitchName=y Nodes=x,y,n3\n"
		"SwitchName=t Switches=a,b\nSwitchName=u Switches=a,b,x\n";
	struct sgang_fabric *fabric = sgang_fabric_parse(text, "t.conf", nodes,
							 3, NULL);
	char buf[256];

	assert_non_null(fabric);
	assert_string_equal(describe(fabric, buf),
			    "/13:n1,n2,n3 t,u/3:n1,n2 y/2:n3 a/2:n1 b/2:n2");
	assert_null(sgang_fabric_warning(fabric));
	sgang_fabric_destroy(fabric);
}

/* A chain of 11 switches is read, one of 12 is too high. */
/* Sets of nodes, one domain after the other. */
TEST(test_split)
{
	static const char text[] = "SwitchName=a Nodes=n[0-1]\n"
				   "SwitchName=b Nodes=n[2-4]\n"
				   "SwitchName=t Switches=a,b\n";
	static const char *const names[] = { "n0", "n1", "n2", "n3",
					     "n4", "n5", "n6" };
	struct sgang_error err = { "" };
	struct sgang_fabric *fabric = sgang_fabric_parse(
		text, "t.conf", (const char **)names, COUNT(names), &err);
	struct sgang_nodeset *nodes = set_of(0x76, COUNT(names));
	struct sgang_nodeset *part = set_of(0x7f, COUNT(names));
	static const uint64_t leaf[] = { 0x02, 0x14, 0x20, 0x40 };

	assert_non_null(fabric);
	for (size_t i = 0; i < COUNT(leaf); i++) {
		assert_true(sgang_fabric_split(fabric, nodes, SGANG_LEVEL_LEAF,
					       part));
		assert_true(bits_of(part, COUNT(names)) == leaf[i]);
	}
	assert_false(sgang_fabric_split(fabric, nodes, SGANG_LEVEL_LEAF, part));
	assert_int_equal(sgang_nodeset_count(part), 0);
	sgang_nodeset_fill(nodes);
	assert_true(
		sgang_fabric_split(fabric, nodes, SGANG_LEVEL_LEAF + 1, part));
	assert_true(bits_of(part, COUNT(names)) == 0x1f);
	sgang_nodeset_destroy(nodes);
	sgang_nodeset_destroy(part);
	sgang_fabric_destroy(fabric);
}

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
		"SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[1-4]\n"
		"SwitchName=t Switches=a,b\nSwitchName=u Switches=a,t\n",
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
			strcpy(text, good[seed / 4 % COUNT(good)]);
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
	static const char *const texts[] = {
		"SwitchName=a Nodes=n[1-200]\nSwitchName=b Nodes=m[1-200]\n"
		"SwitchName=c Nodes=n1,z\nSwitchName=t Switches=a\n"
		"SwitchName=u Switches=a,b\n",
		"SwitchName=a Nodes=n[1-200]\nSwitchName=b Nodes=m[1-200]\n"
		"SwitchName=c Nodes=n[1-200]\nSwitchName=t Switches=a,b\n"
		"SwitchName=u Switches=a,b\n",
	};
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(texts); i++) {
		unsigned long n;

		for (n = 1;; n++) {
			struct sgang_fabric *fabric;
			long before = fail_live;
			bool happened;

			fail_at(n);
			fabric = sgang_fabric_parse(texts[i], "t.conf", NULL, 0,
						    &err);
			happened = fail_happened;
			fail_at(0);
			if (fabric)
				/* only giving memory back may fail without
				 * harm */
				check_invariants(fabric);
			else
				assert_int_equal(errno, ENOMEM);
			sgang_fabric_destroy(fabric);
			/* the names of those that are one come from a memory
			 * stream, whose memory is freed but was not counted */
			if (!i)
				assert_int_equal(fail_live, before);
			if (!happened) {
				assert_non_null(fabric);
				break;
			}
		}
		assert_true(n > 400);
	}
}

TEST_MAIN(NULL, NULL)
