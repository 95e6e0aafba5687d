/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fabric_file.c - topology.conf, topology.yaml, and what they become
 *
 * tests/data/fabric: each NAME.conf and NAME.yaml is a topology file and
 * NAME.expected the fabric it becomes, or the message about it. NAME.gang is a
 * gang.conf, NAME.nodes a host list of the nodes that exist; both may be
 * missing. To add a case add the files.
 */

#include <dirent.h>
#include <unistd.h>

#include "../unit.h"
#include "../texts.h"
#include "../core/fabric_text.h"
#include "../core/fail_alloc.h"
#include "../core/fuzz.h"
#include "core/base/hostlist.h"
#include "core/fabric/ring.h"
#include "files/fabric_file.h"
#include "files/fabric_records.h"

#define IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

/* The settings of 'path', or the defaults if there is no such file. */
static void read_conf(const char *path, struct sgang_conf *conf)
{
	struct sgang_error err;

	if (!sgang_conf_load(path, conf, &err))
		return;
	if (errno != ENOENT)
		fail_msg("%s", err.text);
	sgang_conf_default(conf);
}

/* The first line of a file without its end; NULL: there is no such file. */
static char *read_line(const char *path)
{
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "r");
	ssize_t length;

	if (!file)
		return NULL;
	length = getline(&line, &room, file);
	assert_true(length > 0);
	if (line[length - 1] == '\n')
		line[length - 1] = '\0';
	fclose(file);
	return line;
}

/* What must be in NAME.expected for the topology file NAME'ending'. */
static void load_case(const char *name, const char *ending, char *text)
{
	char path[320];
	struct sgang_fabric *fabric;
	struct sgang_error err;
	struct sgang_conf conf;
	char **nodes = NULL, *list;
	size_t count = 0;

	snprintf(path, sizeof(path), "%.250s.gang", name);
	read_conf(path, &conf);
	snprintf(path, sizeof(path), "%.250s.nodes", name);
	list = read_line(path);
	if (list)
		assert_int_equal(
			sgang_hostlist_expand(list, &nodes, &count, NULL), 0);
	free(list);
	snprintf(path, sizeof(path), "%.250s%.8s", name, ending);
	fabric = sgang_fabric_load_file(&conf, path, (const char *const *)nodes,
					(uint32_t)count, &err);
	if (fabric) {
		check_invariants(fabric);
		describe(fabric, text);
	} else {
		assert_int_equal(errno, strstr(err.text, "cannot place gangs") ?
						ENOTSUP :
						EINVAL);
		strcpy(text, err.text);
	}
	sgang_fabric_destroy(fabric);
	sgang_hostlist_free(nodes);
	sgang_conf_free(&conf);
}

/* Is it a topology file? '*ending' is then where ".conf" or ".yaml" begins. */
static bool is_topology(char *name, char **ending)
{
	*ending = strrchr(name, '.');
	return *ending &&
	       (!strcmp(*ending, ".conf") || !strcmp(*ending, ".yaml"));
}

static void check_case(char *name, char *ending)
{
	char path[320], text[4096], *expected;

	snprintf(path, sizeof(path), "%.*s.expected", (int)(ending - name),
		 name);
	expected = read_line(path);
	snprintf(path, sizeof(path), "%s", ending);
	*ending = '\0';
	load_case(name, path, text);
	if (!expected || strcmp(text, expected))
		fail_msg("%s%s: %s\nexpected: %s", name, path, text,
			 expected ? expected : "(no file)");
	free(expected);
}

/* 4.27, 4.14: the cases of tests/data/fabric. */
TEST(test_cases)
{
	char before[4096], *ending;
	struct dirent **entries;
	int n, i, done = 0;

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(source_path("tests/data/fabric")), 0);
	n = scandir(".", &entries, NULL, alphasort);
	assert_true(n > 0);
	for (i = 0; i < n; i++) {
		if (is_topology(entries[i]->d_name, &ending)) {
			check_case(entries[i]->d_name, ending);
			done++;
		}
		/* scandir()'s memory is not counted, so do not count it here */
		__real_free(entries[i]);
	}
	__real_free(entries);
	assert_int_equal(chdir(before), 0);
	assert_true(done >= 40);
}

/* ---- the textbook's numbers ---- */

#define RACK(n, nodes) "      - block: r" #n "\n        nodes: " nodes "\n"
#define SWITCH(n, nodes) "      - switch: r" #n "\n        nodes: " nodes "\n"

static const struct {
	const char *name;
	const char *text;
	const char *gang_conf;
} textbook[] = {
	{ "tree",
	  "SwitchName=r1 Nodes=n[1-2]\nSwitchName=r2 Nodes=n[3-4]\n"
	  "SwitchName=r3 Nodes=n[5-6]\nSwitchName=r4 Nodes=n[7-8]\n"
	  "SwitchName=root Switches=r[1-4]\n",
	  "" },
	{ "block",
	  "BlockName=r1 Nodes=n[1-2]\nBlockName=r2 Nodes=n[3-4]\n"
	  "BlockName=r3 Nodes=n[5-6]\nBlockName=r4 Nodes=n[7-8]\n"
	  "BlockSizes=2,8\n",
	  "" },
	{ "block without larger ones",
	  "BlockName=r1 Nodes=n[1-2]\n"
	  "BlockName=r2 Nodes=n[3-4]\nBlockName=r3 Nodes=n[5-6]\n"
	  "BlockName=r4 Nodes=n[7-8]\nBlockSizes=2\n",
	  "" },
	{ "yaml tree",
	  "- topology: other\n  flat: true\n- topology: main\n"
	  "  tree:\n    switches:\n" SWITCH(1, "n[1-2]") SWITCH(
		  2, "n[3-4]") SWITCH(3, "n[5-6]")
		  SWITCH(4,
			 "n[7-8]") "      - switch: root\n        children: r[1-4]\n",
	  "TopologyName=main\n" },
	{ "yaml block",
	  "- topology: other\n  flat: true\n- topology: main\n"
	  "  cluster_default: true\n  block:\n    block_sizes: [2, 8]\n"
	  "    blocks:\n" RACK(1, "n[1-2]") RACK(2, "n[3-4]") RACK(3, "n[5-6]")
		  RACK(4, "n[7-8]"),
	  "" },
};

/* Each test has a folder of its own with these files. */
static char folder[32], topology[64], gang_conf[64], part[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/test_fabric_XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(topology, sizeof(topology), "%s/topology", folder);
	snprintf(gang_conf, sizeof(gang_conf), "%s/gang.conf", folder);
	snprintf(part, sizeof(part), "%s/part.conf", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(topology);
	unlink(gang_conf);
	unlink(part);
	return rmdir(folder);
}

/* The ring of 'ranks' ranks on each of the nodes n<first>.. n<last>. */
static void measure(const struct sgang_fabric *fabric,
		    const struct sgang_costs *costs, uint32_t first,
		    uint32_t last, uint32_t ranks, struct sgang_ring *ring)
{
	struct sgang_run runs[36];
	uint32_t i;
	char name[16];

	assert_true(last - first < COUNT(runs));
	for (i = 0; i <= last - first; i++) {
		snprintf(name, sizeof(name), "n%u", first + i);
		runs[i] = (struct sgang_run){ .node = sgang_fabric_find_node(
						      fabric, name),
					      .ranks = ranks };
		assert_true(runs[i].node != SGANG_NODE_NONE);
	}
	sgang_ring_measure(fabric, costs, runs, i, ring);
}

static struct sgang_fabric *load(const char *text, const char *settings,
				 struct sgang_conf *conf)
{
	struct sgang_fabric *fabric;
	struct sgang_error err;

	write_text(topology, text);
	write_text(gang_conf, settings);
	read_conf(gang_conf, conf);
	fabric = sgang_fabric_load_file(conf, topology, NULL, 0, &err);
	if (!fabric)
		fail_msg("%s", err.text);
	return fabric;
}

/* 4.14 to 4.18, 4.27: 14 and 80 whatever the format. */
IN_FOLDER(test_golden)
{
	for (size_t i = 0; i < COUNT(textbook); i++) {
		struct sgang_fabric *fabric;
		struct sgang_conf conf;
		struct sgang_ring ring;

		fabric = load(textbook[i].text, textbook[i].gang_conf, &conf);
		measure(fabric, &conf.costs, 1, 2, 4, &ring);
		assert_int_equal(ring.cost, 14);
		assert_int_equal(ring.cross_links, 0);
		measure(fabric, &conf.costs, 1, 8, 1, &ring);
		assert_int_equal(ring.cost, 80);
		assert_int_equal(ring.cross_links, 4);
		sgang_fabric_destroy(fabric);
		sgang_conf_free(&conf);
	}
}

/* 4.14, 4.16: an NVL72 rack has a ring of 72 hops that cost 1 each, and the
 * links that count as crossed are those out of a leaf switch, not those out of
 * a rack. */
IN_FOLDER(test_nvl72)
{
	static const struct {
		const char *text, *settings;
		uint32_t two_racks; /* ring cost of 36 nodes, 4 GPUs each */
		uint32_t cross;
	} cases[] = {
		/* two racks on one leaf: two hops of 4 */
		{ "SwitchName=leaf Nodes=n[1-36]\n",
		  "NVLinkDomain=r1 Nodes=n[1-18]\n"
		  "NVLinkDomain=r2 Nodes=n[19-36]\n",
		  142 + 2 * 4, 0 },
		/* each on its own: two hops of 16 */
		{ "SwitchName=l1 Nodes=n[1-18]\nSwitchName=l2 Nodes=n[19-36]\n"
		  "SwitchName=spine Switches=l[1-2]\n",
		  "NVLinkDomain=r1 Nodes=n[1-18]\n"
		  "NVLinkDomain=r2 Nodes=n[19-36]\n",
		  142 + 2 * 16, 2 },
		/* the rack is a block */
		{ "BlockName=r1 Nodes=n[1-18]\nBlockName=r2 Nodes=n[19-36]\n"
		  "BlockSizes=18,36\n",
		  "LevelNames=island,tray,nvlink,row HopCosts=1,1,1,16\n",
		  142 + 2 * 16, 2 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_fabric *fabric;
		struct sgang_conf conf;
		struct sgang_ring ring;

		fabric = load(cases[i].text, cases[i].settings, &conf);
		measure(fabric, &conf.costs, 1, 18, 4, &ring);
		assert_int_equal(ring.cost, 72);
		assert_int_equal(ring.cross_links, 0);
		assert_string_equal(conf.costs.name[ring.tier], "nvlink");
		measure(fabric, &conf.costs, 1, 36, 4, &ring);
		assert_int_equal(ring.cost, cases[i].two_racks);
		assert_int_equal(ring.cross_links, cases[i].cross);
		sgang_fabric_destroy(fabric);
		sgang_conf_free(&conf);
	}
}

/* Without a file all nodes are on one leaf, and NVLink domains are below. */
IN_FOLDER(test_no_file)
{
	static const char *const nodes[] = { "n1", "n2", "n3" };
	struct sgang_fabric *fabric;
	struct sgang_conf conf;
	char text[256];

	sgang_conf_default(&conf);
	fabric = sgang_fabric_load_file(&conf, NULL, nodes, 3, NULL);
	assert_non_null(fabric);
	assert_string_equal(describe(fabric, text), "flat/2:n1,n2,n3");
	sgang_fabric_destroy(fabric);

	write_text(gang_conf, "NVLinkDomain=nv Nodes=n[1-2]\n");
	read_conf(gang_conf, &conf);
	fabric = sgang_fabric_load_file(&conf, NULL, nodes, 3, NULL);
	assert_non_null(fabric);
	assert_string_equal(describe(fabric, text),
			    "flat/3:n1,n2,n3 nv/2:n1,n2 n3/2:n3");
	check_invariants(fabric);
	sgang_fabric_destroy(fabric);
	sgang_conf_free(&conf);
}

/* ---- files ---- */

static struct sgang_fabric *load_file(const char *path, struct sgang_error *err)
{
	struct sgang_conf conf;

	sgang_conf_default(&conf);
	return sgang_fabric_load_file(&conf, path, NULL, 0, err);
}

static void cannot_load(const char *path, int errnum, const char *why)
{
	struct sgang_error err;

	assert_null(load_file(path, &err));
	assert_int_equal(errno, errnum);
	assert_non_null(strstr(err.text, why));
}

IN_FOLDER(test_files)
{
	struct sgang_fabric *fabric;
	struct sgang_error err;
	char text[256];

	cannot_load(topology, ENOENT, topology);
	cannot_load(folder, EISDIR, folder);

	write_text(topology, "# 1\nInclude part.conf\n"
			     "SwitchName=t Switches=a,b\n");
	write_text(part, "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n");
	fabric = load_file(topology, &err);
	assert_non_null(fabric);
	assert_string_equal(describe(fabric, text), "t/3:n1,n2 a/2:n1 b/2:n2");
	sgang_fabric_destroy(fabric);

	/* a message names the file that is at fault */
	write_text(part, "SwitchName=a Nodes=n1\n\nSwitchName=b\n");
	cannot_load(topology, EINVAL, "part.conf:3:");
	write_text(part, "BlockName=a Nodes=n1\n");
	cannot_load(topology, EINVAL, "topology:3: ");
	cannot_load(topology, EINVAL, "part.conf:1");
	write_text(part, "Include part.conf\n");
	cannot_load(topology, EINVAL, "deep");
	write_bytes(part, "SwitchName=a\0Nodes=n1\n", 22);
	cannot_load(topology, EINVAL, "not a text file");
}

/* 4.27: the shapes that are shipped. */
TEST(test_shipped)
{
	static const struct {
		const char *name;
		uint32_t nodes, domains, top_level;
		bool of_switches;
	} cases[] = {
		{ "textbook.conf", 8, 5, 3, true },
		{ "demo.conf", 16, 7, 4, true },
		{ "dgx.conf", 128, 5, 3, true },
		{ "nvl72.conf", 144, 15, 5, false },
		{ "nvl72.yaml", 144, 15, 5, false },
		{ "nvl72-tree.conf", 144, 9, 3, true },
		{ "tree1024.conf", 1024, 73, 4, true },
		{ "two.yaml", 16, 7, 4, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_fabric *fabric;
		struct sgang_error err;
		char name[64];

		snprintf(name, sizeof(name), "topology/%s", cases[i].name);
		fabric = load_file(source_path(name), &err);
		if (!fabric)
			fail_msg("%s", err.text);
		check_invariants(fabric);
		assert_int_equal(sgang_fabric_nodes(fabric), cases[i].nodes);
		assert_int_equal(sgang_fabric_domains(fabric),
				 cases[i].domains);
		assert_int_equal(sgang_fabric_top_level(fabric),
				 cases[i].top_level);
		assert_int_equal(sgang_fabric_of_switches(fabric),
				 cases[i].of_switches);
		sgang_fabric_destroy(fabric);
	}
}

/* ---- spoilt files and lack of memory ---- */

static const char good_yaml[] =
	"---\n# two\n- topology: a\n  cluster_default: true\n  tree:\n"
	"    switches:\n      - switch: s1\n        nodes: n[1-3]\n"
	"      - switch: s2\n        nodes: \"n4\"\n"
	"      - {switch: t, children: 's[1-2]'}\n"
	"- topology: b\n  block:\n    block_sizes: [2, 4]\n    blocks:\n"
	"      - block: b1\n        nodes: n[1-2]\n"
	"      - block: b2\n        nodes: n[3-4]\n";

/* Whatever stands in it, a text is read or refused with a reason that begins
 * with the file. */
static void try_text(const struct sgang_conf *conf, const char *text,
		     unsigned long seed)
{
	static const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5" };
	struct sgang_error err = { "" };
	struct sgang_fabric *fabric;
	size_t length = strlen(topology);

	write_text(topology, text);
	fabric = sgang_fabric_load_file(conf, topology, seed % 2 ? nodes : NULL,
					seed % 2 ? 5 : 0, &err);
	if (fabric)
		check_invariants(fabric);
	else if (errno != EINVAL || strncmp(err.text, topology, length) ||
		 err.text[length] != ':' || strpbrk(err.text, "\n\033"))
		fail_msg("seed %lu: %s", seed, err.text);
	sgang_fabric_destroy(fabric);
}

IN_FOLDER(test_fuzz)
{
	static const char spice[] = "-: \n[]{}#'\"&*!|>%@tsn1,?~";
	struct sgang_conf conf;
	char text[sizeof(good_yaml)];
	uint64_t random;

	sgang_conf_default(&conf);
	/* cut anywhere */
	for (uint64_t seed = 0; seed < sizeof(good_yaml); seed++) {
		strcpy(text, good_yaml);
		text[seed] = '\0';
		try_text(&conf, text, (unsigned long)seed);
	}
	for (uint64_t seed = 1; seed <= 6000; seed++) {
		random = seed;
		strcpy(conf.topology_name, seed % 3 ? "" : "b");
		if (seed % 8) {
			strcpy(text, good_yaml);
			fuzz_spoil(&random, text);
		} else {
			strcpy(text, "- ");
			fuzz_text(&random, spice, text + 2, sizeof(text) - 2);
		}
		try_text(&conf, text, (unsigned long)seed);
	}
}

/* Whichever allocation of ours fails, ENOMEM is said and nothing is kept. (What
 * libyaml allocates is not ours to fail.) */
IN_FOLDER(test_no_memory)
{
	struct sgang_error err;
	struct sgang_conf conf;

	for (int kind = 0; kind < 2; kind++) {
		unsigned long n;

		write_text(topology, good_yaml);
		write_text(gang_conf, kind ? "TopologyName=b\n" :
					     "NVLinkDomain=nv Nodes=n[1-2]\n");
		read_conf(gang_conf, &conf);
		for (n = 1;; n++) {
			struct sgang_fabric *fabric;
			long before = fail_live;
			bool happened;

			fail_at(n);
			fabric = sgang_fabric_load_file(&conf, topology, NULL,
							0, &err);
			happened = fail_happened;
			fail_at(0);
			if (!fabric)
				assert_int_equal(errno, ENOMEM);
			sgang_fabric_destroy(fabric);
			/* the names of joined blocks come from a memory stream,
			 * whose memory is freed but was not counted */
			if (!kind)
				assert_int_equal(fail_live, before);
			if (!happened)
				break;
		}
		assert_true(n > 50);
		sgang_conf_free(&conf);
	}
}

/* 7.1: what scontrol show topology of Slurm 26.05 prints, and what it becomes. */
static const struct {
	const char *records, *expected;
} records_cases[] = {
	{ "SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1,3]\n"
	  "SwitchName=b Level=0 LinkSpeed=1 Nodes=n[4-6]\n"
	  "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-6] Switches=a,b,c\n"
	  "SwitchName=c Level=0 LinkSpeed=0 Nodes=n2\n",
	  "top/3:n1,n3,n2,n4,n5,n6 a/2:n1,n3 c/2:n2 b/2:n4,n5,n6" },
	/* a switch whose nodes have all gone */
	{ "SwitchName=a Level=0 LinkSpeed=1 Nodes=\n"
	  "SwitchName=b Level=0 LinkSpeed=1 Nodes=n1\n"
	  "SwitchName=top Level=1 LinkSpeed=1 Nodes=n1 Switches=a,b\n",
	  "top/3:n1 b/2:n1" },
	{ "BlockName=b1 BlockIndex=0 Nodes=n1 BlockSize=2\n"
	  "BlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n"
	  "BlockName=b3 BlockIndex=2 Nodes=n[2,5-6] BlockSize=2\n"
	  "AggregatedBlock=b[1-2] BlockIndex=3 Nodes=n[1,3-4] BlockSize=4\n"
	  "AggregatedBlock=b[1-3] BlockIndex=4 Nodes=n[1-6] BlockSize=8\n",
	  "b[1-3]/4:n1,n3,n4,n2,n5,n6 b[1-2]/3:n1,n3,n4 b3/2:n2,n5,n6 "
	  "b1/2:n1 b2/2:n3,n4" },
	{ "BlockName=b1 BlockIndex=0 BlockSize=18\n"
	  "BlockName=b2 BlockIndex=1 Nodes=n1 BlockSize=18",
	  "b[1-2]/3:n1 b2/2:n1" },
};

static struct sgang_fabric *load_text(const char *yaml, const char *const *only,
				      const char *const *nodes,
				      uint32_t n_nodes)
{
	const struct sgang_topology_choice choice = { "", "nobody" };
	const struct sgang_fabric_text text = { yaml, "text", only };
	struct sgang_fabric *fabric;
	struct sgang_conf conf;

	sgang_conf_default(&conf);
	fabric = sgang_fabric_load_text(&conf, &text, &choice, nodes, n_nodes,
					NULL);
	sgang_conf_free(&conf);
	return fabric;
}

TEST(test_records)
{
	char text[4096];

	for (size_t i = 0; i < COUNT(records_cases); i++) {
		char *yaml =
			sgang_fabric_records_yaml(records_cases[i].records);
		struct sgang_fabric *fabric;

		assert_non_null(yaml);
		assert_false(sgang_fabric_yaml_is_bare(yaml));
		fabric = load_text(yaml, NULL, NULL, 0);
		assert_non_null(fabric);
		check_invariants(fabric);
		describe(fabric, text);
		assert_string_equal(text, records_cases[i].expected);
		sgang_fabric_destroy(fabric);
		free(yaml);
	}
	assert_null(sgang_fabric_records_yaml(""));
	assert_int_equal(errno, EINVAL);
	assert_null(sgang_fabric_records_yaml("RingName=r Nodes=n1\n"));
	assert_int_equal(errno, EINVAL);
	setenv("SLURM_TOPO_LEN", "20", 1);
	assert_null(sgang_fabric_records_yaml(records_cases[0].records));
	assert_int_equal(errno, EINVAL);
	unsetenv("SLURM_TOPO_LEN");
	assert_true(sgang_fabric_yaml_is_bare(
		"- topology: default\n  block: {}\n  tree: {}\n"));
	assert_true(sgang_fabric_yaml_is_bare(
		"- topology: default\n  block: {}\n  flat: false\n  tree: {}\n"));
	assert_false(sgang_fabric_yaml_is_bare("topology: x\nflat: true\n"));
}

/* 7.1: what is nowhere has a leaf of its own, and what says where it is is there
 * alone, whatever the text says. */
TEST(test_only)
{
	static const char text[] = "- topology: t\n  tree:\n    switches:\n"
				   "      - switch: a\n        nodes: n[1-4]\n"
				   "      - switch: b\n        nodes: n[4-5]\n";
	static const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5" };
	static const char *const only[] = { NULL, "", "a", "b", "a" };
	struct sgang_fabric *fabric;

	fabric = load_text(text, NULL, nodes, 5);
	assert_non_null(sgang_fabric_warning(fabric));
	sgang_fabric_destroy(fabric);
	fabric = load_text(text, only, nodes, 5);
	assert_non_null(fabric);
	assert_null(sgang_fabric_warning(fabric));
	check_invariants(fabric);
	assert_int_equal(sgang_fabric_meet(fabric, 0, 2), SGANG_LEVEL_LEAF);
	for (uint32_t i = 1; i < 5; i++) {
		if (i != 2)
			assert_int_equal(sgang_fabric_meet(fabric, 0, i),
					 SGANG_LEVEL_UNCONNECTED);
	}
	assert_string_equal(
		sgang_fabric_domain(fabric, sgang_fabric_leaf(fabric, 3))->name,
		"b");
	sgang_fabric_destroy(fabric);
}

/* A line for each of many: 4.27, more than any cluster has. */
IN_FOLDER(test_large)
{
	enum { LEAVES = 6250, NODES = 16 };
	const size_t room = LEAVES * 80;
	char *text = malloc(room);
	struct sgang_fabric *fabric;
	struct sgang_conf conf;
	size_t used;

	assert_non_null(text);
	used = (size_t)snprintf(text, room,
				"- topology: t\n  tree:\n"
				"    switches:\n      - switch: top\n"
				"        children: s[1-%d]\n",
				LEAVES);
	for (int i = 0; i < LEAVES; i++)
		used += (size_t)snprintf(text + used, room - used,
					 "      - switch: s%d\n"
					 "        nodes: n[%d-%d]\n",
					 i + 1, i * NODES + 1, (i + 1) * NODES);
	fabric = load(text, "", &conf);
	free(text);
	assert_int_equal(sgang_fabric_nodes(fabric), LEAVES * NODES);
	assert_int_equal(sgang_fabric_domains(fabric), LEAVES + 1);
	sgang_fabric_destroy(fabric);
}

TEST_MAIN(NULL, NULL)
