/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_conf.c - gang.conf, the settings of slurm-gang */

#include <pthread.h>

#include "../unit.h"
#include "../texts.h"
#include "core/fabric/node_lines.h"
#include "core/gang/conf.h"
#include "fail_alloc.h"
#include "fuzz.h"

static int load(const char *text, struct sgang_conf *conf,
		struct sgang_error *err)
{
	write_text(scratch_path, text);
	return sgang_conf_load(scratch_path, conf, err);
}

/* It is read. */
static void take(const char *text, struct sgang_conf *conf)
{
	struct sgang_error err;

	if (load(text, conf, &err))
		fail_msg("%s", err.text);
}

/* What sgang_conf_print_sources() says, without the sources; the caller frees
 * it. */
static char *settings_of(const struct sgang_conf *conf)
{
	static const char source[] = "\t# default";
	char *text, *tab;

	sgang_conf_print_sources(conf, NULL, printing());
	text = printed();
	while ((tab = strstr(text, source)))
		memmove(tab, tab + strlen(source),
			strlen(tab + strlen(source)) + 1);
	return text;
}

#define TREE "GangName=a/b MinMember=1\n"

/* The lines that differ from the default's, which has the same keys in the same
 * order, and those behind; the caller frees it. */
static char *changed(const struct sgang_conf *conf)
{
	struct sgang_conf plain;
	char *line, *old, *all = settings_of(conf), *rest = all;
	char *defaults, *to_come;
	FILE *out;

	sgang_conf_default(&plain);
	to_come = defaults = settings_of(&plain);
	out = printing();
	while ((line = strsep(&rest, "\n")) && *line) {
		old = *to_come ? strsep(&to_come, "\n") : line;
		if (strncmp(old, line, strcspn(old, "=") + 1) != 0)
			fail_msg("%s in place of %s", line, old);
		if (strcmp(old, line) != 0 || old == line)
			fprintf(out, "%s\n", line);
	}
	assert_string_equal(to_come, "");
	free(defaults);
	free(all);
	return printed();
}

TEST(test_accepted)
{
	static const struct {
		const char *text, *changed;
	} cases[] = {
		{ "", "" },
		{ "# nothing\n\n   \t\r\n#", "" },
		{ "gangs=NO placement=No PLACEALL=yes # all on one line\n",
		  "Gangs=no\n"
		  "Placement=no\n"
		  "PlaceAll=yes\n" },
		{ "AllowUnconnected = yes\r\nGangs=no#comment",
		  "AllowUnconnected=yes\n"
		  "Gangs=no\n" },
		{ "weightfirst=yes", "WeightFirst=yes\n" },
		{ "TopologyFile=/etc/slurm/topology.conf Gangs=yes",
		  "TopologyFile=\"/etc/slurm/topology.conf\"\n" },
		{ "TopologyFile=\"/a b#c\"#d", "TopologyFile=\"/a b#c\"\n" },
		/* 0.28: the site's waiting time */
		{ "WaitingTime=30", "WaitingTime=00:30:00\n" },
		/* 7.9: the site's order of members */
		{ "rankorder=RING", "RankOrder=ring\n" },
		{ "waitingtime = Unlimited", "WaitingTime=UNLIMITED\n" },
		{ "MaxGangs=1 MaxGangMembersPerUser=unlimited",
		  "MaxGangs=1\n"
		  "MaxGangMembersPerUser=UNLIMITED\n" },
		/* bounds of partitions and accounts */
		{ "PartitionMaxWaitingTime=debug:00:10:00,gpu:UNLIMITED "
		  "PartitionMaxExclusive=debug:none,gpu:Spine\n"
		  "AccountMaxGangs=*:5 "
		  "AccountMaxGangMembers=Physics:2000,*:unlimited",
		  "PartitionMaxWaitingTime=\"debug:00:10:00,gpu:UNLIMITED\"\n"
		  "PartitionMaxExclusive=\"debug:none,gpu:Spine\"\n"
		  "AccountMaxGangs=\"*:5\"\n"
		  "AccountMaxGangMembers=\"physics:2000,*:unlimited\"\n" },
		{ "NodeExtra=NO LogLevel=Debug MetricsFile=\"/run/x y\"",
		  "NodeExtra=no\n"
		  "LogLevel=debug\n"
		  "MetricsFile=\"/run/x y\"\n" },
		{ "nodetopology=n[1-4,7] HWLOC=a.xml # these",
		  "NodeTopology=\"n[1-4,7]\" Hwloc=\"a.xml\"\n" },
		{ "NodeTopology=n[1-4] Hwloc=a.xml\nNodeTopology=m1,m2 "
		  "Hwloc=\"/b c.xml\"\nNodeTopologyDir=shapes\n",
		  "NodeTopologyDir=\"shapes\"\n"
		  "NodeTopology=\"n[1-4]\" Hwloc=\"a.xml\"\n"
		  "NodeTopology=\"m1,m2\" Hwloc=\"/b c.xml\"\n" },
		/* 0.15, 0.17: gangs that an admin defines */
		{ "GangName=alice/train MinMember=4",
		  "GangName=alice/train MinMember=4\n" },
		/* 2.15, 2.16: groups of a tree */
		{ "GangName=a/b MinMember=1\nganggroup=a/b/r1 minmember=2 "
		  "Topology=require:leaf,prefer:node\n"
		  "GangGroup=a/b/r1/decode Weight=0 MinMember=3\n",
		  "GangName=a/b MinMember=1 "
		  "Tree=r1:min=2:require=leaf:prefer=node,"
		  "r1/decode:min=3:weight=0\n" },
		{ "GangName=bob/b Topology=require:leaf ONFAILURE=Kill "
		  "Match=only-waiting WaitingTime=10 Groups=alice/a,c/d "
		  "mode=nonstrict MinTRES=mem=2G,cpu=5 TotalNumber=6 "
		  "MinMember=4 # all there is\n\ngangname = alice/a "
		  "totalnumber = 2\n",
		  "GangName=alice/a TotalNumber=2\n"
		  "GangName=bob/b MinMember=4 TotalNumber=6 "
		  "MinTRES=cpu=5,mem=2048M Mode=nonstrict Groups=alice/a,c/d "
		  "WaitingTime=00:10:00 Match=only-waiting OnFailure=kill "
		  "Topology=require:leaf\n" },
		{ "GangName=\"lab#1/a\" MinMember=1 Groups=\"x#/y\"",
		  "GangName=\"lab#1/a\" MinMember=1 Groups=\"x#/y\"\n" },
		{ "GangName=a/b MinMember=2 Groups=",
		  "GangName=a/b MinMember=2 Groups=\"\"\n" },
		{ "GangName=a/b MinMember=2 Topology=require:rack\n"
		  "LevelNames=island,node,rack,pod,hall",
		  "LevelNames=island,node,rack,pod,hall\n"
		  "GangName=a/b MinMember=2 Topology=require:rack\n" },
		{ "LevelNames=island,node,rack,Pod-1,hall_2",
		  "LevelNames=island,node,rack,Pod-1,hall_2\n" },
		/* names of levels that are left out give way */
		{ "LevelNames=chip,node,rack,core",
		  "LevelNames=chip,node,rack,core,level4\n" },
		{ "LevelNames=a,b,c,d,e,f,level6,g",
		  "LevelNames=a,b,c,d,e,f,level6,g\n" },
		/* 4.14: the costs are settings */
		{ "HopCosts=1", "HopCosts=1,4,16,64,256\n" },
		{ "HopCosts=1,1,1,1,1,1,9", "HopCosts=1,1,1,1,1,1,9\n" },
		/* 4.12, 4.13: what the links of each level do */
		{ "levelbandwidth=900,900.0,37.5,0.25 LevelLatency=1,2.5",
		  "LevelBandwidth=900,900,37.5,0.25\n"
		  "LevelLatency=1,2.5\n" },
		{ "LevelBandwidth=\"\" LevelLatency=0.000001,1000000",
		  "LevelLatency=0.000001,1000000\n" },
		/* 4.27: one of several topologies */
		{ "TopologyName=main TopologyFile=/t.yaml",
		  "TopologyFile=\"/t.yaml\"\n"
		  "TopologyName=\"main\"\n" },
		{ "PartitionTopology=gpu:nvl72,cpu:tree",
		  "PartitionTopology=\"gpu:nvl72,cpu:tree\"\n" },
		/* 4.14: NVLink domains are a level of their own, in which a
		 * hop costs 1; the others keep their names and costs */
		{ "NVLinkDomain=r1 Nodes=n[1-18]\nnvlinkdomain = r2 nodes = "
		  "\"n[19-36]\"",
		  "LevelNames=island,node,nvlink,leaf,spine\n"
		  "HopCosts=1,1,1,4,16\n"
		  "NVLinkDomain=r1 Nodes=n[1-18]\n"
		  "NVLinkDomain=r2 Nodes=n[19-36]\n" },
		{ "HopCosts=1,2,3\nNVLinkDomain=r1 Nodes=n1\n"
		  "LevelNames=gpu,tray",
		  "LevelNames=gpu,tray,nvlink,leaf,spine\n"
		  "HopCosts=1,2,3,12,48\n"
		  "NVLinkDomain=r1 Nodes=n1\n" },
		{ "GangName=a/b MinMember=2 Topology=require:nvlink\n"
		  "NVLinkDomain=r1 Nodes=n1",
		  "LevelNames=island,node,nvlink,leaf,spine\n"
		  "HopCosts=1,1,1,4,16\n"
		  "NVLinkDomain=r1 Nodes=n1\n"
		  "GangName=a/b MinMember=2 Topology=require:nvlink\n" },
		{ "HopCosts=1,1,1,1,1,1,1,1,1,1,1,1,1000000",
		  "HopCosts=1,1,1,1,1,1,1,1,1,1,1,1,1000000\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_conf conf;
		char *text;

		take(cases[i].text, &conf);
		text = changed(&conf);
		assert_string_equal(text, cases[i].changed);
		free(text);
		sgang_conf_free(&conf);
	}
}

/* 4.14: levels above those given cost four times the one below, without end. */
TEST(test_costs_go_on)
{
	struct sgang_conf conf;

	take("HopCosts=1,3", &conf);
	assert_int_equal(conf.costs.hop[SGANG_LEVEL_NODE], 3);
	assert_int_equal(conf.costs.hop[SGANG_LEVEL_LEAF], 12);
	for (uint32_t level = 2; level < SGANG_LEVELS; level++)
		assert_int_equal(conf.costs.hop[level],
				 4 * conf.costs.hop[level - 1]);

	take("HopCosts=1000000", &conf);
	for (uint32_t level = 1; level < SGANG_LEVELS; level++)
		assert_true(conf.costs.hop[level] >= conf.costs.hop[level - 1]);
	assert_true(conf.costs.hop[SGANG_LEVEL_UNCONNECTED] == UINT32_MAX);
}

TEST(test_levels_are_found)
{
	struct sgang_conf conf;

	take("LevelNames=island,node,rack,core", &conf);
	assert_int_equal(sgang_costs_level(&conf.costs, "RACK"), 2);
	assert_int_equal(sgang_costs_level(&conf.costs, "core"), 3);
	assert_int_equal(sgang_costs_level(&conf.costs, "leaf"), -1);
}

/* The message is of the file and that line, and says this. */
static void assert_line(const struct sgang_error *err, const char *why)
{
	char *behind, where[64];
	long line = strtol(why, &behind, 10);

	if (*behind == ':')
		why = behind + strlen(": ");
	snprintf(where, sizeof(where), "%s:%ld: ", scratch_path,
		 *behind == ':' ? line : 1);
	if (strncmp(err->text, where, strlen(where)) || !strstr(err->text, why))
		fail_msg("\"%s\" lacks \"%s\" or \"%s\"", err->text, where,
			 why);
}

#define X32 "x2345678901234567890123456789012"

TEST(test_refused)
{
	static const struct {
		const char *text;
		const char *why; /* "LINE: ..." where it is not line 1 */
	} cases[] = {
		{ "Gang=yes", "unknown key \"Gang\"" },
		{ "\n#\nGangs2=yes",
		  "3: unknown key \"Gangs2\", did you mean \"Gangs\"?" },
		{ "Frob=yes", "unknown key \"Frob\", see gang.conf(5)" },
		{ "GangNmae=a/b", "did you mean \"GangName\"?" },
		{ "GangName=a/b MinMembers=2",
		  "unknown key \"MinMembers\" behind GangName, did you mean "
		  "\"MinMember\"?" },
		{ "Gangs", "expected Key=Value at \"Gangs\"" },
		{ "Gangs yes", "expected Key=Value" },
		{ "=yes", "expected Key=Value" },
		{ "Gangs=yes junk", "expected Key=Value at \"junk\"" },
		{ "\033[2J=1", "unknown key \"?[2J\"" },
		{ "Gangs=", "expected yes or no" },
		{ "Gangs=yess", "\"yess\" is not understood" },
		{ "Gangs=1", "expected yes or no" },
		{ "Gangs=yes\n\nGANGS=yes", "3: given twice, first in line 1" },
		{ "Gangs=\"yes", "quote is not closed" },
		{ "Gangs=\"yes\"no", "after the closing quote" },
		{ "TopologyFile=/a\"b", "quote in the middle" },
		{ "TopologyFile=topology.conf", "does not begin with" },
		{ "HopCosts=", "is not a number from 1 to 1000000" },
		{ "HopCosts=0", "is not a number from 1 to 1000000" },
		{ "HopCosts=1,,4", "is not a number" },
		{ "HopCosts=1,2,", "is not a number" },
		{ "HopCosts=1,-2", "\"-2\" is not a number" },
		{ "HopCosts=1,1000001", "is not a number" },
		{ "HopCosts=1,2x", "is not a number" },
		{ "Gangs=no\nHopCosts=1,4,2", "2: 2 comes after 4" },
		{ "HopCosts=1,1,1,1,1,1,1,1,1,1,1,1,1,1", "at most 13 levels" },
		{ "LevelNames=a,b,c,d,e,f,g,h,i,j,k,l,m,n",
		  "at most 13 levels" },
		{ "LevelNames=", "not made of letters" },
		{ "LevelNames=a,,b", "not made of letters" },
		{ "LevelNames=a,b:c", "not made of letters" },
		{ "LevelNames=" X32, "more than 31 characters" },
		{ "LevelNames=a,b,A", "\"A\" is there twice" },
		{ "LevelNames=a,Unconnected", "is taken" },
		{ "LevelNames=a,b,level7", "would mislead" },
		{ "NodeExtra=maybe", "expected yes or no" },
		{ "MetricsFile=gang.prom", "does not begin with '/'" },
		{ "LogLevel=3", "expected error, info or debug" },
		{ "WaitingTime=", "expected a time above 0" },
		{ "MaxGangs=0", "a number from 1 to 10000000 or" },
		{ "MaxGangMembers=-1", "\"-1\" is not understood" },
		{ "\nMaxExclusive=rack", "2: there is no level \"rack\"" },
		{ "MaxExclusive=a/b", "the name of a level" },
		{ "MinExclusiveShare=1.5", "a number from 0 to 1" },
		{ "GangAccountRules=proj", "proj:alice,bob;lab:carol" },
		{ "GangAccountRules=:a", "is not understood" },
		{ "GangAccountRules=a:b:c", "is not understood" },
		{ "GangAccountRules=a:;b:c", "is not understood" },
		{ "MaxWaitingTime=0", "\"0\" is not understood" },
		{ "WaitingTime=0", "\"0\" is not understood" },
		{ "WaitingTime=10m", "or UNLIMITED" },
		{ "LevelBandwidth=0", "\"0\" is not a number above 0" },
		{ "LevelBandwidth=1,,2", "\"\" is not a number" },
		{ "LevelBandwidth=1,2GB", "\"2GB\" is not" },
		{ "LevelBandwidth=-1", "expected GB/s from the bottom" },
		{ "LevelBandwidth=1e3", "\"1e3\" is not" },
		{ "LevelLatency=1000000.1", "up to 1000000" },
		{ "LevelLatency=0.0000001", "at most six digits" },
		{ "LevelLatency=.5", "expected microseconds" },
		{ "LevelLatency=1,1,1,1,1,1,1,1,1,1,1,1,1,1",
		  "at most 13 levels" },
		{ "TopologyName=" X32 X32, "more than 63 characters" },
		{ "PartitionTopology=gpu", "expected partitions and" },
		{ "PartitionTopology=gpu:", "\"gpu:\" is not such" },
		{ "PartitionTopology=:a", "\":a\" is not such a" },
		{ "PartitionTopology=gpu:a,", "\"gpu:a,\" is not" },
		{ "PartitionTopology=gpu:a,,b:c", "\",b:c\" is" },
		{ "PartitionTopology=gpu:a:b", "\"a:b\" behind gpu is" },
		{ "PartitionTopology=gpu:" X32 X32, "like gpu:nvl72" },
		{ "PartitionTopology=a:b,c:d,a:e", "a is named twice" },
		{ "PartitionMaxWaitingTime=a:10m",
		  "\"10m\" behind a is not understood; expected partitions and "
		  "times, like debug:" },
		{ "PartitionMaxWaitingTime=a:0", "\"0\" behind a" },
		{ "PartitionMaxWaitingTime=10", "\"10\" is not such a" },
		{ "\nPartitionMaxExclusive=a:none,b:rack",
		  "2: PartitionMaxExclusive: there is no level \"rack\"; the" },
		{ "PartitionMaxExclusive=a:b:c", "like debug:none" },
		{ "AccountMaxGangs=a:0", "\"0\" behind a is not" },
		{ "AccountMaxGangs=a:1,A:2", "a is named twice" },
		{ "AccountMaxGangMembers=500", "like physics:2000" },
		{ "NVLinkDomain=", "NVLinkDomain: the name \"\"" },
		{ "NVLinkDomain=a[1-2] Nodes=n1", "not made of" },
		{ "NVLinkDomain=a", "NVLinkDomain=a: add Nodes=" },
		{ "\nNVLinkDomain=a Nodes= # n1", "2: add Nodes=" },
		{ "NVLinkDomain=a Nodes=n1 Nodes=n2", "given twice" },
		{ "NVLinkDomain=a Nodes=n1 Gangs=yes",
		  "unknown key \"Gangs\" behind NVLinkDomain" },
		{ "NVLinkDomain=a Nodes=n1\nGangs=no\nNVLinkDomain=a Nodes=n2",
		  "3: NVLinkDomain=a is given twice, first in line 1" },
		{ "MinMember=4", "unknown key \"MinMember\"" },
		{ "MinMember=4 GangName=a/b", "unknown key" },
		/* 2.15, 2.18: groups of a tree */
		{ "GangGroup=a/b/r MinMember=2",
		  "GangGroup: define a/b in a line before this one" },
		{ "GangGroup=a/b MinMember=2\nGangName=a/b MinMember=1",
		  "GangGroup: expected NAMESPACE/NAME/GROUP/..." },
		{ TREE "GangGroup=a/b/r:min=2",
		  "2: GangGroup: expected NAMESPACE/NAME/GROUP/..." },
		{ TREE "GangGroup=a/b/R MinMember=2", "2: GangGroup: " },
		{ TREE "GangGroup=a/b/1/2/3/4/5",
		  "2: at most 4 groups may be in each other" },
		{ TREE "GangGroup=a/b/r MinMember=0",
		  "2: MinMember: min=0: expected a number from 1" },
		{ TREE "GangGroup=a/b/r MinMember=2:weight=3",
		  "2: MinMember: expected a number" },
		{ TREE "GangGroup=a/b/r Weight=-1",
		  "2: Weight: weight=-1: expected a number from 0" },
		{ TREE "\nGangGroup=a/b/r Topology=spread:leaf",
		  "3: a group has require:LEVEL and prefer:LEVEL only" },
		{ TREE "GangGroup=a/b/r Topology=require:", "2: Topology: " },
		{ TREE "GangGroup=a/b/r Mode=strict",
		  "2: unknown key \"Mode\" behind GangGroup, see" },
		{ TREE "GangGroup=a/b/r Weight=1 weight=2",
		  "2: Weight is given twice" },
		{ TREE "GangGroup=a/b/r MinMember=2\n"
		       "GangGroup=a/b/r MinMember=3",
		  "3: group r: min=3 and min=2 are said of it" },
		{ TREE "GangGroup=a/b/r/s\nGangGroup=a/c/r",
		  "3: GangGroup: define a/c" },
		{ "GangName=", "GangName: --gang=: the name is" },
		{ "GangName=train MinMember=2",
		  "GangName: write NAMESPACE/train" },
		{ "GangName=a/Train MinMember=2", "upper-case" },
		{ "\nGangName=a/b",
		  "2: GangName=a/b: add MinMember=N, TotalNumber=N or Pool" },
		{ "GangName=a/b Pool=no", "or Pool=yes" },
		{ "GangName=a/b Pool=yes MinMember=1",
		  "--gang-min-member is given for a pool" },
		{ "GangName=a/b MinMember=1 SparePool=b",
		  "a gang is not its own pool" },
		{ "GangName=a/b MinMember=1 SparePool=c/d", "own namespace" },
		{ "GangName=a/b Mode=strict # MinMember=4", "add MinMember=N" },
		{ "GangName=a/b MinMember=0",
		  "MinMember: --gang-min-member=0: expected a number from 1 to "
		  "100000" },
		{ "GangName=a/b MinMember=2 minmember=2",
		  "MinMember is given twice" },
		{ "GangName=a/b MinMember=2 Rank=1",
		  "unknown key \"Rank\" behind GangName" },
		{ "GangName=a/b MinMember=2 Order=1", "unknown key" },
		{ "GangName=a/b MinMember=2 Gangs=yes",
		  "unknown key \"Gangs\" behind GangName" },
		{ "GangName=a/b MinMember=2 GangName=c/d", "one gang a line" },
		{ "GangName=a/b MinMember=4 TotalNumber=3",
		  "GangName=a/b: --gang-min-member=4 is above" },
		{ "GangName=a/b MinMember=1 Mode=loose",
		  "Mode: --gang-mode=loose: expected one of strict|" },
		{ "GangName=a/b MinMember=1 Groups=c", "write NAMESPACE/NAME" },
		{ "GangName=a/b MinMember=1 Topology=require:rack",
		  "there is no level \"rack\"; the levels are island, node, "
		  "leaf, spine, core" },
		{ "GangName=a/b MinMember=1\nGangName=a/c MinMember=1\n"
		  "GangName=a/b MinMember=2",
		  "3: GangName=a/b is given twice, first in line 1" },
		{ "NodeTopology=n1", "NodeTopology: add Hwloc=FILE" },
		{ "NodeTopology=n1 Hwloc=", "add Hwloc=FILE" },
		{ "NodeTopology=\"\" Hwloc=a", "no node is named" },
		{ "Hwloc=a NodeTopology=n1", "unknown key \"Hwloc\"" },
		{ "NodeTopology=n1 Hwloc=a Gangs=yes",
		  "unknown key \"Gangs\" behind NodeTopology" },
		{ "NodeTopology=n1 Hwloc=a Hwloc=b",
		  "Hwloc is given twice in the line" },
		{ "NodeTopology=n1 NodeTopology=n2 Hwloc=b",
		  "NodeTopology is given twice in the line" },
		{ "\nNodeTopology=n[1- Hwloc=a", "2: NodeTopology: " },
		{ "NodeTopology=n[1-9] Hwloc=a\n#\nNodeTopology=m1,n7 Hwloc=a",
		  "3: node \"n7\" is named twice, first in line 1" },
		{ "NodeTopology=n1,n1 Hwloc=a",
		  "node \"n1\" is named twice, first in line 1" },
		{ "GangName=a/b MinMember=1\nGang=yes",
		  "2: unknown key \"Gang\"" },
	};
	long live = fail_live;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_conf conf, before;
		struct sgang_error err = { "" };

		memset(&conf, 0x5a, sizeof(conf));
		before = conf;
		errno = 0;
		if (load(cases[i].text, &conf, &err) != -1)
			fail_msg("%s was taken", cases[i].text);
		assert_int_equal(errno, EINVAL);
		assert_line(&err, cases[i].why);
		assert_null(strpbrk(err.text, "\n\033"));
		assert_memory_equal(&conf, &before, sizeof(conf));
		assert_int_equal(fail_live, live);
	}
}

static void cannot_load(const char *name, int errnum, const char *why)
{
	struct sgang_conf conf;
	struct sgang_error err;

	assert_int_equal(sgang_conf_load(name, &conf, &err), -1);
	assert_int_equal(errno, errnum);
	assert_non_null(strstr(err.text, why));
}

TEST(test_no_text)
{
	const size_t size = 2 * 1024 * 1024;
	char *large = malloc(size);

	cannot_load("no/such/gang.conf", ENOENT, "gang.conf: cannot be opened");
	cannot_load("/", EINVAL, "cannot be read");
	write_bytes(scratch_path, "Gangs=no\n\0\n", 11);
	cannot_load(scratch_path, EINVAL, "not a text file");
	assert_non_null(large);
	memset(large, '\n', size);
	write_bytes(scratch_path, large, size);
	free(large);
	cannot_load(scratch_path, EINVAL, "too large");
}

/* Each allocation fails once; more gangs than there is room for at first. */
TEST(test_no_memory)
{
	long live = fail_live;
	struct sgang_conf conf, before;
	struct sgang_error err;
	char text[4096] = "";
	unsigned long n;
	int rc;

	for (int i = 0; i < 40; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "GangName=a/g%d MinMember=1\n"
			 "NVLinkDomain=d%d Nodes=n%d\n",
			 i, i, i);
	write_text(scratch_path, text);
	memset(&conf, 0x5a, sizeof(conf));
	before = conf;
	for (n = 1;; n++) {
		fail_at(n);
		rc = sgang_conf_load(scratch_path, &conf, &err);
		if (!fail_happened)
			break;
		fail_at(0);
		assert_int_equal(rc, -1);
		assert_int_equal(errno, ENOMEM);
		assert_non_null(strstr(err.text, "out of memory"));
		assert_memory_equal(&conf, &before, sizeof(conf));
		assert_int_equal(fail_live, live);
	}
	fail_at(0);
	assert_int_equal(rc, 0);
	assert_true(n > 3);
	assert_non_null(sgang_conf_gang(&conf, "a", "g39"));
	sgang_conf_free(&conf);
	assert_int_equal(fail_live, live);
}

/* 0.15, 0.17: what a line says is found under the gang's name. */
TEST(test_definition)
{
	const struct sgang_spec *spec;
	struct sgang_conf conf;

	take("GangName=alice/t MinMember=4 TotalNumber=5 "
	     "MinTRES=cpu=5,mem=2048M Mode=nonstrict "
	     "Groups=a/b,c/d WaitingTime=10:00 "
	     "Match=once-satisfied OnFailure=requeue MaxRestarts=7 "
	     "Topology=require:leaf\n"
	     "GangName=alice/s MinMember=1\n"
	     "GangName=al/t MinMember=2\n",
	     &conf);
	spec = sgang_conf_gang(&conf, "alice", "t");
	assert_non_null(spec);
	assert_string_equal(spec->ns, "alice");
	assert_string_equal(spec->name, "t");
	assert_int_equal(spec->min_member, 4);
	assert_int_equal(spec->total, 5);
	assert_int_equal(spec->min_cpus, 5);
	assert_int_equal(spec->min_memory, 2048);
	assert_int_equal(spec->mode, SGANG_MODE_NONSTRICT);
	assert_string_equal(spec->groups, "a/b,c/d");
	assert_int_equal(spec->waiting_time, 600);
	assert_int_equal(spec->match, SGANG_MATCH_ONCE_SATISFIED);
	assert_int_equal(spec->on_failure, SGANG_ON_FAILURE_REQUEUE);
	assert_int_equal(spec->max_restarts, 7);
	assert_string_equal(spec->topology, "require:leaf");
	assert_false(spec->object);
	assert_int_equal(sgang_conf_gang(&conf, "al", "t")->min_member, 2);
	assert_int_equal(sgang_conf_gang(&conf, "alice", "s")->min_member, 1);
	assert_null(sgang_conf_gang(&conf, "alice", "u"));
	assert_null(sgang_conf_gang(&conf, "bob", "t"));
	assert_null(sgang_conf_gang(&conf, "", ""));
	sgang_conf_free(&conf);
	assert_null(sgang_conf_gang(&conf, "alice", "t"));
}

/* A copy stays good when what it was made from is given up, in any order. */
TEST(test_copies)
{
	long live = fail_live;
	const struct sgang_nvlink *nvlink;
	struct sgang_conf conf[3], plain;
	const char *file;
	size_t count;

	for (int first = 0; first < 3; first++) {
		take("PlaceAll=yes\nWaitingTime=7\n"
		     "GangName=a/b MinMember=3\n"
		     "NVLinkDomain=d Nodes=n[1-2]\n"
		     "NodeTopology=n1 Hwloc=x\n",
		     &conf[0]);
		memset(&conf[1], 0x5a, 2 * sizeof(conf[0]));
		sgang_conf_copy(&conf[1], &conf[0]);
		sgang_conf_copy(&conf[2], &conf[1]);
		for (int i = 0; i < 3; i++) {
			struct sgang_conf *one = &conf[(first + i) % 3];

			assert_true(one->place_all);
			assert_int_equal(one->waiting_time, 420);
			assert_int_equal(
				sgang_node_lines_count(one->node_lines), 1);
			assert_int_equal(
				sgang_conf_gang(one, "a", "b")->min_member, 3);
			nvlink = sgang_conf_nvlinks(one, &count, &file);
			assert_int_equal(count, 1);
			assert_string_equal(file, scratch_path);
			assert_string_equal(nvlink->name, "d");
			assert_string_equal(nvlink->nodes, "n[1-2]");
			assert_int_equal(nvlink->line, 4);
			errno = 4711;
			sgang_conf_free(one);
			assert_int_equal(errno, 4711);
			assert_null(one->definitions);
			assert_null(sgang_conf_nvlinks(one, &count, &file));
			assert_int_equal(count, 0);
			assert_null(one->node_lines);
			assert_false(one->place_all);
		}
		assert_int_equal(fail_live, live);
	}
	sgang_conf_default(&plain);
	assert_null(plain.definitions);
	assert_null(sgang_conf_gang(&plain, "a", "b"));
	sgang_conf_copy(&conf[0], &plain);
	assert_null(conf[0].definitions);
	sgang_conf_free(&conf[0]);
	sgang_conf_free(&conf[0]);
	sgang_conf_free(NULL);
}

/* Two threads copy and give up the same definitions. */
static void *copy_often(void *from)
{
	struct sgang_conf copy;
	long wrong = 0;

	for (int i = 0; i < 20000; i++) {
		sgang_conf_copy(&copy, from);
		wrong += !sgang_conf_gang(&copy, "a", "b");
		sgang_conf_free(&copy);
	}
	return (void *)wrong;
}

TEST(test_threads)
{
	long live = fail_live;
	struct sgang_conf conf;
	pthread_t thread[2];
	void *wrong;

	take("GangName=a/b MinMember=3\n", &conf);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, copy_often, &conf), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_null(wrong);
	}
	assert_non_null(sgang_conf_gang(&conf, "a", "b"));
	sgang_conf_free(&conf);
	assert_int_equal(fail_live, live);
}

/* Thousands of gangs, in no order: each is found, and no other. */
TEST(test_many)
{
	enum { GANGS = 5000 };
	char *text, name[32];
	struct sgang_conf conf;
	FILE *out = printing();

	for (uint32_t i = 0; i < GANGS; i++) {
		uint32_t k = i * 1231 % GANGS; /* each number once */

		fprintf(out, "GangName=u%u/g%u MinMember=%u\n", k % 7, k,
			k + 1);
	}
	text = printed();
	take(text, &conf);
	free(text);
	for (uint32_t i = 0; i < GANGS; i++) {
		char ns[16];

		snprintf(ns, sizeof(ns), "u%u", i % 7);
		snprintf(name, sizeof(name), "g%u", i);
		assert_int_equal(sgang_conf_gang(&conf, ns, name)->min_member,
				 i + 1);
		assert_null(sgang_conf_gang(&conf, "u7", name));
	}
	sgang_conf_free(&conf);
}

/* 32,000 NVLink domains are read in a moment, and the second of a name found.
 */
TEST(test_many_nvlinks)
{
	clock_t begun = clock();
	size_t n = 32000;
	char *text, expected[32];
	struct sgang_error err;
	struct sgang_conf conf;
	FILE *out = printing();

	for (size_t i = 0; i < n; i++)
		fprintf(out, "NVLinkDomain=d%zu Nodes=n%zu\n", i, i);
	fprintf(out, "NVLinkDomain=d7 Nodes=x\n");
	text = printed();
	assert_int_equal(load(text, &conf, &err), -1);
	snprintf(expected, sizeof(expected), ":%zu: ", n + 1);
	assert_non_null(strstr(err.text, expected));
	assert_non_null(strstr(err.text, "d7 is given twice, first in line 8"));
	assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 2);
	free(text);
}

/* etc/gang.conf shows every key, as a comment, with its default. */
TEST(test_sample)
{
	FILE *in = fopen(source_path("etc/gang.conf"), "r"), *out = printing();
	char line[512], *keys, *defaults;
	struct sgang_conf conf;

	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		if (line[0] == '#' && line[1] >= 'A' && line[1] <= 'Z' &&
		    strchr(line, '='))
			fputs(line + 1, out);
	fclose(in);
	keys = printed();
	sgang_conf_default(&conf);
	defaults = settings_of(&conf);
	assert_string_equal(keys, defaults);
	free(defaults);
	free(keys);
}

/* gang.conf.5 has an item for every key, also those behind GangName. */
TEST(test_manual)
{
	static char page[64 * 1024];
	char item[80], *text, *rest, *word;
	struct sgang_conf conf;

	read_source("man/gang.conf.5", page, sizeof(page));
	take("NodeTopology=n1 Hwloc=a.xml\n"
	     "GangName=a/b MinMember=1 TotalNumber=1 "
	     "MinTRES=cpu=1 Mode=strict Groups=a/c "
	     "WaitingTime=1 Match=only-waiting OnFailure=kill "
	     "Topology=prefer:leaf RankOrder=ring\n"
	     "NVLinkDomain=d Nodes=n1\n",
	     &conf);
	text = settings_of(&conf);
	rest = text;
	while ((word = strsep(&rest, " \n"))) {
		snprintf(item, sizeof(item),
			 "\n.It Cm %.*s Ns = ", (int)strcspn(word, "="), word);
		if (*word && !strstr(page, item))
			fail_msg("no%s", item);
	}
	free(text);
	sgang_conf_free(&conf);
}

#define SEED 414

/* GangName lines with each key in half of them. */
static void random_gangs(uint64_t *seed, FILE *out)
{
	static const char *const words[][3] = {
		{ "TotalNumber=9", "TotalNumber=10", "TotalNumber=100000" },
		{ "MinTRES=cpu=3", "MinTRES=mem=7T,node=2", "MinTRES=node=9" },
		{ "Mode=strict", "Mode=nonstrict", "Mode=NONSTRICT" },
		{ "Groups=\"\"", "Groups=a/b", "Groups=\"a#/b,c/d\"" },
		{ "WaitingTime=1", "WaitingTime=9-9", "WaitingTime=infinite" },
		{ "Match=once-satisfied", "Match=only-waiting",
		  "Match=waiting-and-running" },
		{ "OnFailure=ignore", "OnFailure=kill", "OnFailure=requeue" },
	};
	size_t gangs = fuzz_below(seed, 5), i, k;

	for (i = 0; i < gangs; i++) {
		fprintf(out, "GangName=u%d/g%zu", (int)fuzz_below(seed, 3), i);
		fprintf(out, " MinMember=%d", 1 + (int)fuzz_below(seed, 9));
		for (k = 0; k < COUNT(words); k++)
			if (fuzz_below(seed, 2))
				fprintf(out, " %s",
					words[k][fuzz_below(seed, 3)]);
		fputc('\n', out);
	}
}

static void random_settings(uint64_t *seed, int letter, FILE *out)
{
	uint64_t cost = 1;
	size_t n = 1 + fuzz_below(seed, 13), i;

	fprintf(out, "Gangs=%s", fuzz_below(seed, 2) ? "yes" : "no");
	fprintf(out,
		" PlaceAll=%s\nHopCosts=", fuzz_below(seed, 2) ? "yes" : "no");
	for (i = 0; i < n; i++) {
		cost += fuzz_below(seed, 3) * fuzz_below(seed, 90);
		fprintf(out, "%s%" PRIu64, i ? "," : "", cost);
	}
	fputs("\nLevelNames=", out);
	n = 1 + fuzz_below(seed, 13);
	for (i = 0; i < n; i++)
		fprintf(out, "%s%c%zu", i ? "," : "", letter, i);
	fprintf(out, "\nWaitingTime=0:%d\n", 1 + (int)fuzz_below(seed, 500000));
	fprintf(out, "LevelBandwidth=%d.%06d,%d\n",
		(int)fuzz_below(seed, 1000000),
		1 + (int)fuzz_below(seed, 999999),
		1 + (int)fuzz_below(seed, 1000000));
	if (fuzz_below(seed, 2))
		fputs("NVLinkDomain=d Nodes=n[1-9]\n", out);
	random_gangs(seed, out);
}

/* Random settings: printing and reading gives the same. */
TEST(test_round_trip)
{
	uint64_t seed = SEED;

	for (int round = 0; round < 300; round++) {
		struct sgang_conf conf, again;
		struct sgang_error err;
		char *text, *first, *second;

		random_settings(&seed, 'a' + round % 26, printing());
		text = printed();
		if (load(text, &conf, &err))
			fail_msg("seed %d round %d: %s", SEED, round, err.text);
		first = settings_of(&conf);
		if (load(first, &again, &err))
			fail_msg("seed %d round %d: %s", SEED, round, err.text);
		second = settings_of(&again);
		assert_string_equal(first, second);
		assert_memory_equal(conf.costs.hop, again.costs.hop,
				    sizeof(conf.costs.hop));
		assert_memory_equal(conf.costs.bandwidth, again.costs.bandwidth,
				    sizeof(conf.costs.bandwidth));
		assert_int_equal(conf.costs.leaf, again.costs.leaf);
		for (size_t i = 0; i < SGANG_LEVELS; i++)
			assert_string_equal(conf.costs.name[i],
					    again.costs.name[i]);
		free(text);
		free(first);
		free(second);
		sgang_conf_free(&conf);
		sgang_conf_free(&again);
	}
}

/* Spoilt files: settings or a sentence, never a crash. */
TEST(test_spoilt)
{
	static const char whole[] =
		"# settings\nLevelNames=island,node,rack,pod HopCosts=1,2,4\n"
		"Gangs=yes\nPlacement=\"no\"\nTopologyFile=\"/a b\"\n"
		"GangName=a/b MinMember=2 Mode=strict Groups=c/d,e/f\n"
		"GangName=a/c TotalNumber=3 MinTRES=cpu=5,mem=2G\n"
		"LevelBandwidth=900,37.5\nNVLinkDomain=d Nodes=n[1-18]\n";
	long live = fail_live;
	uint64_t seed = SEED;
	int round, taken = 0;

	for (round = 0; round < 3000; round++) {
		struct sgang_conf conf;
		struct sgang_error err = { "" };
		char text[sizeof(whole)];

		strcpy(text, whole);
		fuzz_spoil(&seed, text);
		if (load(text, &conf, &err)) {
			if (errno != EINVAL || !err.text[0])
				fail_msg("seed %d round %d: %s", SEED, round,
					 text);
			continue;
		}
		taken++;
		sgang_conf_free(&conf);
	}
	assert_int_equal(fail_live, live);
	assert_in_range(taken, 1, round - 1);
}

/* Each line with its source, and still a gang.conf. */
TEST(sources_are_told)
{
	static const char wanted[] =
		"LevelNames=island,node,nvlink,leaf,spine\t# default\n"
		"HopCosts=1,3,9,36,144\t# here/gang.conf:2\n";
	static const char tail[] =
		"NVLinkDomain=a Nodes=n[1-2]\t# here/gang.conf:3\n"
		"NodeTopology=\"n1\" Hwloc=\"x.xml\"\t# here/gang.conf:5\n"
		"GangName=a/b MinMember=3\t# here/gang.conf:4\n";
	struct sgang_conf conf, again;
	struct sgang_error err;
	char *text, *plain, *plain_again;

	take("# mine\nHopCosts=1,3,9\n"
	     "NVLinkDomain=a Nodes=n[1-2]\n"
	     "GangName=a/b MinMember=3\n"
	     "NodeTopology=n1 Hwloc=x.xml\n",
	     &conf);
	sgang_conf_print_sources(&conf, "here/gang.conf", printing());
	text = printed();
	assert_ptr_equal(strstr(text, wanted), text);
	assert_string_equal(strstr(text, "NVLinkDomain"), tail);
	assert_int_equal(load(text, &again, &err), 0);
	plain = settings_of(&conf);
	plain_again = settings_of(&again);
	assert_string_equal(plain, plain_again);
	free(plain_again);
	free(plain);
	free(text);
	sgang_conf_free(&again);
	sgang_conf_free(&conf);
}

/* 4.27: who says which topology a partition has. */
TEST(test_topology_of)
{
	static const struct {
		const char *text, *partition, *own, *topology;
		bool ours;
	} cases[] = {
		{ "", "gpu", NULL, "", false },
		{ "", "gpu", "nvl72", "nvl72", false },
		{ "PartitionTopology=gpu:a,cpu:b", "gpu", "c", "a", true },
		{ "PartitionTopology=gpu:a,cpu:b", "cpu", NULL, "b", true },
		{ "PartitionTopology=gpu:a,cpu:b", "gp", "c", "c", false },
		{ "PartitionTopology=gpu:a,cpu:b", "all", NULL, "", false },
		/* slurm.conf speaks of another file then */
		{ "TopologyFile=/t.yaml", "gpu", "nvl72", "", false },
		{ "TopologyFile=/t.yaml PartitionTopology=gpu:a", "gpu", "b",
		  "a", true },
	};
	char topology[SGANG_TOPOLOGY_NAME];
	struct sgang_conf conf;

	for (size_t i = 0; i < COUNT(cases); i++) {
		take(cases[i].text, &conf);
		assert_int_equal(sgang_conf_topology_of(&conf,
							cases[i].partition,
							cases[i].own, topology),
				 cases[i].ours);
		assert_string_equal(topology, cases[i].topology);
		sgang_conf_free(&conf);
	}
}

/* Of several partitions the strictest counts; one that is not named has what
 * the cluster has. */
TEST(test_bounds_of_partitions)
{
	static const struct {
		const char *partitions;
		uint32_t time;
		int level;
		const char *said;
	} cases[] = {
		{ NULL, 3600, 3, "MaxExclusive=spine" },
		{ "cpu", 3600, 3, "MaxExclusive=spine" },
		{ "gpu", UINT32_MAX, 4, "PartitionMaxExclusive=gpu:core" },
		{ "debug", 600, -1, "PartitionMaxExclusive=debug:none" },
		{ "gpu,cpu", 3600, 3, "MaxExclusive=spine" },
		{ "gpu,debug,cpu", 600, -1,
		  "PartitionMaxExclusive=debug:none" },
		{ "gp,debugs", 3600, 3, "MaxExclusive=spine" },
	};
	char said[SGANG_CONF_SAID];
	struct sgang_conf conf;

	take("MaxWaitingTime=60 MaxExclusive=spine "
	     "PartitionMaxWaitingTime=gpu:UNLIMITED,debug:10:00\n"
	     "PartitionMaxExclusive=debug:none,gpu:core",
	     &conf);
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(
			sgang_conf_max_waiting_time(&conf, cases[i].partitions),
			cases[i].time);
		assert_int_equal(sgang_conf_max_exclusive(
					 &conf, cases[i].partitions, said),
				 cases[i].level);
		assert_string_equal(said, cases[i].said);
	}
	assert_int_equal(sgang_conf_any_exclusive(&conf, said), 4);
	assert_string_equal(said, "PartitionMaxExclusive=gpu:core");
	sgang_conf_free(&conf);
	take("MaxExclusive=none", &conf);
	assert_int_equal(sgang_conf_max_exclusive(&conf, "a", said), -1);
	assert_string_equal(said, "MaxExclusive=none");
	sgang_conf_free(&conf);
}

TEST(test_limits_of_accounts)
{
	static const char words[] = "physics:2000,*:500,free:UNLIMITED";

	assert_int_equal(sgang_conf_account_limit(words, "physics"), 2000);
	assert_int_equal(sgang_conf_account_limit(words, "free"), UINT32_MAX);
	assert_int_equal(sgang_conf_account_limit(words, "lab"), 500);
	assert_int_equal(sgang_conf_account_limit("a:1", "b"), UINT32_MAX);
	assert_int_equal(sgang_conf_account_limit(words, NULL), UINT32_MAX);
	assert_int_equal(sgang_conf_account_limit("", "a"), UINT32_MAX);
}

TEST_MAIN(make_scratch, remove_scratch)
