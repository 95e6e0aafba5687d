/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_node_topo_hwloc.c - hwloc's description becomes islands; behaviours
 * 4.17, 4.27
 */

#include <unistd.h>

#include "../unit.h"
#include "../texts.h"
#include "files/node_topo_hwloc.h"
#include "../core/fail_alloc.h"

/* hwloc loses an object of a file that it refuses half-way. What we allocate is
 * counted by test_no_memory. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libhwloc";
}

static struct sgang_node_topo *load(const char *file)
{
	struct sgang_node_topo *topo;
	struct sgang_error err;
	char name[64];

	snprintf(name, sizeof(name), "topology/%s", file);
	topo = sgang_node_topo_load(source_path(name), &err);
	if (!topo)
		fail_msg("%s", err.text);
	return topo;
}

/* ---- the shapes that we ship ---- */

/* Islands of GPUs as digits, in the order of gres.conf. */
static const struct shape {
	const char *file;
	const char *name;
	const char *gpu_islands;
	uint32_t n_islands;
	uint32_t n_cores;
	const char *first_gpu;
	const char *nics; /* of the GPUs */
	uint32_t n_nics;
} shapes[] = {
	{ "dgx-h100.xml", "dgx-h100", "00000000", 1, 112, "nvml0",
	  "mlx5_0 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_9 mlx5_10 mlx5_11", 8 },
	{ "pcie-8gpu.xml", "pcie-8gpu", "00001111", 2, 64, "gpu0",
	  "mlx5_0 mlx5_0 mlx5_0 mlx5_0 mlx5_1 mlx5_1 mlx5_1 mlx5_1", 2 },
	{ "nvlink-4gpu-pairs.xml", "nvlink-4gpu-pairs", "0011", 2, 32, "nvml0",
	  "mlx5_0 mlx5_0 mlx5_1 mlx5_1", 2 },
	{ "gb200-tray.xml", "gb200-tray", "0000", 1, 144, "nvml0",
	  "mlx5_0 mlx5_1 mlx5_4 mlx5_5", 4 },
	{ "cpu-2socket.xml", "cpu-2socket", "", 2, 32, NULL, "", 1 },
};
#define N_SHAPES (COUNT(shapes))

static void check_gpus(const struct shape *shape,
		       const struct sgang_node_topo *topo)
{
	char islands[64] = "", nics[256] = "";

	for (uint32_t i = 0; i < topo->n_gpus; i++) {
		islands[i] = (char)('0' + topo->gpu[i].island);
		snprintf(nics + strlen(nics), sizeof(nics) - strlen(nics),
			 "%s%s", i ? " " : "", topo->gpu[i].nic);
		assert_int_equal(strlen(topo->gpu[i].bus), 12);
		if (i) /* NVML numbers them so */
			assert_true(strcmp(topo->gpu[i - 1].bus,
					   topo->gpu[i].bus) < 0);
	}
	assert_string_equal(islands, shape->gpu_islands);
	assert_string_equal(nics, shape->nics);
	if (topo->n_gpus)
		assert_string_equal(topo->gpu[0].name, shape->first_gpu);
}

/* All shapes have equal islands, their cores in a row. */
static void check_cores(const struct shape *shape,
			const struct sgang_node_topo *topo)
{
	uint32_t each = shape->n_cores / shape->n_islands, i;

	assert_int_equal(topo->n_cores, shape->n_cores);
	for (i = 0; i < topo->n_cores; i++)
		assert_int_equal(topo->core_island[i], i / each);
	for (i = 0; i < topo->n_islands; i++) {
		assert_int_equal(topo->island[i].n_cores, each);
		assert_int_equal(topo->island[i].n_gpus,
				 topo->n_gpus / shape->n_islands);
	}
}

TEST(test_shapes)
{
	for (size_t i = 0; i < N_SHAPES; i++) {
		struct sgang_node_topo *topo = load(shapes[i].file);

		assert_string_equal(topo->name, shapes[i].name);
		assert_int_equal(topo->n_islands, shapes[i].n_islands);
		assert_int_equal(topo->n_gpus, strlen(shapes[i].gpu_islands));
		assert_int_equal(topo->n_nics, shapes[i].n_nics);
		check_gpus(&shapes[i], topo);
		check_cores(&shapes[i], topo);
		sgang_node_topo_destroy(topo);
	}
}

TEST(test_nics)
{
	struct sgang_node_topo *topo = load("pcie-8gpu.xml");

	assert_string_equal(topo->nic[1].name, "mlx5_1");
	assert_string_equal(topo->nic[1].bus, "0000:85:00.0");
	assert_int_equal(topo->nic[1].island, 1);
	sgang_node_topo_destroy(topo);
	/* one card, two names: ib0 is what the kernel calls mlx5_0 */
	topo = load("cpu-2socket.xml");
	assert_string_equal(topo->nic[0].name, "mlx5_0");
	assert_int_equal(topo->nic[0].island, 0);
	sgang_node_topo_destroy(topo);
}

/* ---- small machines, written by the test ---- */

struct xml {
	char text[65536];
	size_t length;
};

static void add(struct xml *xml, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct xml *xml, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	xml->length += (size_t)vsnprintf(xml->text + xml->length,
					 sizeof(xml->text) - xml->length, fmt,
					 args);
	va_end(args);
	assert_true(xml->length < sizeof(xml->text));
}

/* The tag of an object with CPUs, without its end. */
static void add_object(struct xml *xml, const char *type, unsigned int index,
		       unsigned int cpus, unsigned int nodes, unsigned int gp)
{
	add(xml,
	    "<object type=\"%s\" os_index=\"%u\" cpuset=\"0x%x\" "
	    "complete_cpuset=\"0x%x\" nodeset=\"0x%x\" "
	    "complete_nodeset=\"0x%x\" gp_index=\"%u\"",
	    type, index, cpus, cpus, nodes, nodes, gp);
}

/* A machine of 'packages' packages, with a NUMA node and two cores each; what
 * hangs on each package is added by begin() and end(). */
static void begin_machine(struct xml *xml, unsigned int packages)
{
	xml->length = 0;
	add(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
		 "<topology version=\"2.0\">\n");
	add_object(xml, "Machine", 0, (1 << 2 * packages) - 1,
		   (1 << packages) - 1, 1);
	add(xml, ">\n");
}

static void add_core(struct xml *xml, unsigned int core, unsigned int node)
{
	add_object(xml, "Core", core, 1 << core, 1 << node, 100 + core);
	add(xml, ">\n");
	add_object(xml, "PU", core, 1 << core, 1 << node, 200 + core);
	add(xml, "/>\n</object>\n");
}

static void begin_package(struct xml *xml, unsigned int i)
{
	add_object(xml, "Package", i, 3 << 2 * i, 1 << i, 300 + i);
	add(xml, ">\n");
	add_object(xml, "NUMANode", i, 3 << 2 * i, 1 << i, 400 + i);
	add(xml, " local_memory=\"1024\"/>\n");
	add_core(xml, 2 * i, i);
	add_core(xml, 2 * i + 1, i);
}

static void end_object(struct xml *xml)
{
	add(xml, "</object>\n");
}

/* GPU number 'i' at the address 'bus'; the matrix calls it 600 + i. */
static void add_gpu(struct xml *xml, unsigned int i, unsigned int bus,
		    const char *subtype, const char *name)
{
	add(xml,
	    "<object type=\"PCIDev\" gp_index=\"%u\" "
	    "pci_busid=\"0000:%02x:00.0\" pci_type=\"0302 [10de:2330] "
	    "[10de:0001] a1\" pci_link_speed=\"1.0\">\n",
	    500 + i, bus);
	add(xml,
	    "<object type=\"OSDev\" gp_index=\"%u\" subtype=\"%s\" "
	    "name=\"%s\" osdev_type=\"1\"/>\n</object>\n",
	    600 + i, subtype, name);
}

static void begin_bridge(struct xml *xml, unsigned int i)
{
	add(xml,
	    "<object type=\"Bridge\" gp_index=\"%u\" bridge_type=\"0-1\" "
	    "depth=\"0\" bridge_pci=\"0000:[%02x-%02x]\">\n",
	    700 + i, 16 * i, 16 * i + 15);
}

/* n x n bandwidths between GPUs. */
static void add_matrix(struct xml *xml, const char *name, unsigned int n,
		       const unsigned int *values)
{
	char line[256] = "";

	for (unsigned int i = 0; i < n; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line),
			 "%u ", 600 + i);
	add(xml,
	    "<distances2 type=\"OSDev\" nbobjs=\"%u\" kind=\"9\" "
	    "name=\"%s\" indexing=\"gp\">\n<indexes length=\"%zu\">%s"
	    "</indexes>\n",
	    n, name, strlen(line), line);
	for (unsigned int i = 0; i < n; i++) {
		line[0] = '\0';
		for (unsigned int j = 0; j < n; j++)
			snprintf(line + strlen(line),
				 sizeof(line) - strlen(line), "%u ",
				 values[i * n + j]);
		add(xml, "<u64values length=\"%zu\">%s</u64values>\n",
		    strlen(line), line);
	}
	add(xml, "</distances2>\n");
}

/* Parse it and show the islands of GPUs and cores, "0011 0101". */
static const char *islands_of(const struct xml *xml)
{
	static char shown[128];
	struct sgang_node_topo *topo;
	struct sgang_error err;
	uint32_t i;

	topo = sgang_node_topo_parse(xml->text, "test", &err);
	if (!topo)
		fail_msg("%s\n%s", err.text, xml->text);
	for (i = 0; i < topo->n_gpus; i++)
		shown[i] = (char)('0' + topo->gpu[i].island);
	shown[i++] = ' ';
	for (; i - topo->n_gpus - 1 < topo->n_cores; i++)
		shown[i] =
			(char)('0' + topo->core_island[i - topo->n_gpus - 1]);
	shown[i] = '\0';
	sgang_node_topo_destroy(topo);
	return shown;
}

/* Four GPUs on one NUMA node of two, so that locality alone says one island. */
static const char *islands_with(const char *name, const unsigned int *values)
{
	static struct xml xml;
	char gpu[16];

	begin_machine(&xml, 2);
	begin_package(&xml, 0);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(gpu, sizeof(gpu), "nvml%u", i);
		add_gpu(&xml, i, 1 + i, "NVML", gpu);
	}
	end_object(&xml);
	begin_package(&xml, 1);
	end_object(&xml);
	end_object(&xml);
	if (values)
		add_matrix(&xml, name, 4, values);
	add(&xml, "</topology>\n");
	return islands_of(&xml);
}

/* What a link must have to join, and that a chain of links joins too. */
TEST(test_links)
{
	static const struct {
		const char *name;
		unsigned int values[16];
		const char *islands;
	} cases[] = {
		/* two pairs; PCIe between them does not join */
		{ "NVLinkBandwidth",
		  { 0, 300, 32, 32, 300, 0, 32, 32, 32, 32, 0, 300, 32, 32, 300,
		    0 },
		  "0011 0101" },
		/* a quarter joins, less does not */
		{ "NVLinkBandwidth",
		  { 0, 100, 25, 0, 100, 0, 0, 0, 25, 0, 0, 24, 0, 0, 24, 0 },
		  "0001 0101" },
		/* a chain is one island */
		{ "XGMIBandwidth",
		  { 0, 50, 0, 0, 50, 0, 50, 0, 0, 50, 0, 50, 0, 0, 50, 0 },
		  "0000 0000" },
		/* the lesser direction counts */
		{ "NVLinkBandwidth",
		  { 0, 100, 0, 0, 100, 0, 100, 0, 0, 10, 0, 0, 0, 0, 0, 0 },
		  "0011 0101" },
		/* no link at all: the NUMA node decides */
		{ "NVLinkBandwidth", { 0 }, "0000 0000" },
		/* hops are no bandwidth */
		{ "XGMIHops",
		  { 0, 1, 9, 9, 1, 0, 9, 9, 9, 9, 0, 1, 9, 9, 1, 0 },
		  "0000 0000" },
		/* 32 bits of bandwidth are not too many */
		{ "NVLinkBandwidth",
		  { 0, 4000000000, 0, 0, 4000000000, 0, 0, 0, 0, 0, 0,
		    4000000000, 0, 0, 4000000000, 0 },
		  "0011 0101" },
	};

	assert_string_equal(islands_with(NULL, NULL), "0000 0000");
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(islands_with(cases[i].name,
						 cases[i].values),
				    cases[i].islands);
}

/* Where the description does not say which NUMA node GPUs are on, the host
 * bridges tell them apart. */
TEST(test_host_bridges)
{
	static struct xml xml;
	char name[16];

	begin_machine(&xml, 2);
	for (unsigned int i = 0; i < 2; i++) {
		begin_package(&xml, i);
		end_object(&xml);
	}
	for (unsigned int i = 0; i < 4; i++) {
		if (i % 2 == 0)
			begin_bridge(&xml, i / 2);
		snprintf(name, sizeof(name), "nvml%u", i);
		add_gpu(&xml, i, 16 * (i / 2) + i % 2 + 1, "NVML", name);
		if (i % 2)
			end_object(&xml);
	}
	end_object(&xml);
	add(&xml, "</topology>\n");
	assert_string_equal(islands_of(&xml), "0011 0011");
}

/* ---- order ---- */

/* The first package has the addresses 9 and 3, the second 7 and 1; 'names' are
 * given to them in this order. */
static struct sgang_node_topo *order_of(const char *subtype,
					const char *const *names)
{
	static const unsigned int bus[] = { 9, 3, 7, 1 };
	static struct xml xml;
	struct sgang_node_topo *topo;

	begin_machine(&xml, 2);
	for (unsigned int i = 0; i < 4; i++) {
		if (i % 2 == 0)
			begin_package(&xml, i / 2);
		add_gpu(&xml, i, bus[i], subtype, names[i]);
		if (i % 2)
			end_object(&xml);
	}
	end_object(&xml);
	add(&xml, "</topology>\n");
	topo = sgang_node_topo_parse(xml.text, "a/b/order.xml", NULL);
	assert_non_null(topo);
	return topo;
}

static void check_order(const char *subtype, const char *const *names,
			const char *order)
{
	struct sgang_node_topo *topo = order_of(subtype, names);

	assert_string_equal(topo->name, "order");
	assert_int_equal(topo->n_gpus, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(topo->gpu[i].bus[6], order[i]);
	sgang_node_topo_destroy(topo);
}

TEST(test_order)
{
	static const char *const nvml[] = { "nvml2", "nvml10", "nvml9",
					    "nvml0" };
	static const char *const cuda[] = { "cuda0", "cuda1", "cuda2",
					    "cuda3" };
	static const char *const odd[] = { "nvml0", "nvml1", "nvml", "nvml3" };
	static const char *const rsmi[] = { "rsmi0", "rsmi1", "rsmi2",
					    "rsmi3" };

	/* NVML's numbers go before addresses, and 9 before 10 */
	check_order("NVML", nvml, "1973");
	check_order("RSMI", rsmi, "9371");
	/* CUDA numbers by speed and by what a job may see: not asked */
	check_order("CUDA", cuda, "1379");
	check_order("NVML", odd, "1379");
	/* no library: by class */
	check_order("Misc", cuda, "1379");
}

/* ---- what is wrong ---- */

static char *read_shape(const char *file)
{
	char name[64], *text = malloc(200000);

	assert_non_null(text);
	snprintf(name, sizeof(name), "topology/%s", file);
	read_source(name, text, 200000);
	assert_true(strlen(text) >= 1000);
	return text;
}

static void check_wrong(const char *xml, int errnum, const char *begin)
{
	struct sgang_error err = { "" };

	errno = 0;
	assert_null(sgang_node_topo_parse(xml, "shape.xml", &err));
	assert_int_equal(errno, errnum);
	if (strncmp(err.text, begin, strlen(begin)))
		fail_msg("%s", err.text);
}

#define HEAD "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n"
#define SETS                                                      \
	"cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" " \
	"complete_nodeset=\"0x1\""
#define NUMA "<object type=\"NUMANode\" " SETS "/>\n"
#define OLD "<topology>\n"
#define CPUS "cpuset=\"0x1\" complete_cpuset=\"0x1\""

TEST(test_wrong_text)
{
	static const struct {
		const char *xml;
		const char *message;
	} cases[] = {
		{ "", "shape.xml: is no description" },
		{ "\n", "shape.xml: is no description" },
		{ "<", "shape.xml:1: a tag is not closed" },
		{ "\n<!-->", "shape.xml:2: a comment is not closed" },
		{ "<!-- only a comment -->", "shape.xml: is no description" },
		{ "SwitchName=leaf Nodes=n[1-4]\n",
		  "shape.xml: is no description" },
		{ "<html><body/></html>\n", "shape.xml: is no description" },
		{ HEAD "<object type=\"PU\" " SETS "/>\n</topology>\n",
		  "shape.xml: is no description" },
		{ HEAD "<object type=\"PU\" " SETS "/>\n" NUMA "</topology>\n",
		  "shape.xml: hwloc cannot read it; lstopo -i FILE" },
		{ HEAD "<object type=\"PU\" " SETS "/>\n" NUMA,
		  "shape.xml: hwloc cannot read it" },
		{ "<topology version=\"99.0\">\n<object type=\"Machine\" " SETS
		  "><object type=\"PU\" " SETS "/>" NUMA "</object>\n"
		  "</topology>\n",
		  "shape.xml: hwloc cannot read it" },
		{ HEAD "<object type=\"PU\" os_index=dex=\"0\" " SETS "/>",
		  "shape.xml:3: expected name=\"value\" in the tag" },
		{ HEAD "<object os_index=\"0\" " SETS "/>",
		  "shape.xml:3: an object without a type" },
		{ HEAD "<object type=\"Machine\"/>",
		  "shape.xml:3: the object of type \"Machine\" has no "
		  "cpuset=\"0x...\"" },
		{ HEAD "<object type=\"PU\" cpuset=\"0x1\" nodeset=\"0x1\"/>",
		  "shape.xml:3: the object of type \"PU\" has no "
		  "complete_cpuset" },
		{ HEAD "<object type=\"PU\" cpuset=\"all\"/>",
		  "shape.xml:3: the object of type \"PU\" has no cpuset" },
		{ HEAD "<object type=\"PU\" cpuset=\",0x00000001\"/>",
		  "shape.xml:3: the object of type \"PU\" has no cpuset" },
		{ HEAD "<object type=\"PU\" cpuset=\"0x123456789\"/>",
		  "shape.xml:3: the object of type \"PU\" has no cpuset" },
		{ HEAD "<object type=\"PU\" os_index=\"4294967295\" " SETS "/>",
		  "shape.xml:3: os_index is not a number from 0 to 1000000" },
		{ HEAD "<object type=\"NUMANode\" os_index=\"1000001\" " SETS
		       "/>",
		  "shape.xml:3: os_index is not a number from 0 to 1000000" },
		{ HEAD "<object type=\"PCIDev\" os_index=\"4294967296\"/>",
		  "shape.xml:3: os_index is not a number from 0 to 4294967295" },
		{ OLD "<object type=\"PU\" " CPUS "/>\n" NUMA,
		  "shape.xml:2: the object has no nodeset" },
		{ OLD "<object type=\"PU\" " CPUS "/>\n"
		      "<object type=\"Core\" " SETS "/>",
		  "shape.xml:2: the object has no nodeset" },
		{ HEAD "<distances2 nbobjs=\"65536\">",
		  "shape.xml:3: expected a matrix" },
		{ HEAD "<distances2hetero nbobjs=\"99999999999999999999\">",
		  "shape.xml:3: expected a matrix" },
		{ HEAD "<distances2hetero>", "shape.xml:3: expected a matrix" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_wrong(cases[i].xml, EINVAL, cases[i].message);
}

#define CPU_SET(set) "cpuset=\"" set "\" complete_cpuset=\"" set "\""
#define NODE_SET(set) " nodeset=\"" set "\" complete_nodeset=\"" set "\""
#define GPU_AT(bus, index)                                                \
	"<object type=\"PCIDev\" os_index=\"" index "\" pci_busid=\"" bus \
	"\" pci_type=\"0302 [10de:1db1] [10de:1212] a1\" "                \
	"pci_link_speed=\"0.0\"/>"

/* POWER9 has PCI domains, which are in the numbers of PCI devices; packages may
 * have any number that the firmware likes. */
TEST(test_hwloc_1)
{
	static const char xml[] = OLD "<object type=\"Machine\" " CPU_SET("0x3") NODE_SET(
		"0x3") ">"
		       "<object type=\"NUMANode\" os_index=\"0\" " CPU_SET("0x1") NODE_SET(
			       "0x1") " local_memory=\"1000000000\">"
				      "<object type=\"Socket\" os_index=\"4294967294\" " CPU_SET(
					      "0x1") NODE_SET("0x1") "><object type=\"Core\" os_index=\"2096\" " CPU_SET("0x1")
					      NODE_SET("0x1") "><object type=\"PU\" os_index=\"0\" " CPU_SET("0x1") NODE_SET(
						      "0x1") "/></object></object>"
							     "<object type=\"Bridge\" os_index=\"0\" bridge_type=\"0-1\" "
							     "depth=\"0\" bridge_pci=\"0002:[00-02]\">" GPU_AT(
								     "0002:01:00.0",
								     "2101248") "</object></object>"
										"<object type=\"NUMANode\" os_index=\"1\" " CPU_SET("0x2") NODE_SET(
											"0x2") " local_memory=\"1000000000\">"
											       "<object type=\"Core\" os_index=\"2104\" " CPU_SET(
												       "0x2")
												       NODE_SET("0x2") "><object type=\"PU\" os_index=\"1\" " CPU_SET(
													       "0x2")
													       NODE_SET(
														       "0x2") "/></object>"
															      "<object type=\"Bridge\" os_index=\"1\" bridge_type=\"0-1\" "
															      "depth=\"0\" bridge_pci=\"0033:[00-02]\">" GPU_AT(
																      "0033:01:00.0",
																      "53481472") "</object></object>"
																		  "</object></topology>";
	struct sgang_error err = { "" };
	struct sgang_node_topo *topo = sgang_node_topo_parse(xml, "x", &err);

	if (!topo)
		fail_msg("%s", err.text);
	assert_int_equal(topo->n_islands, 2);
	assert_int_equal(topo->n_cores, 2);
	assert_int_equal(topo->n_gpus, 2);
	sgang_node_topo_destroy(topo);
}

/* hwloc 1 on a machine with one memory says nothing of it. */
TEST(test_hwloc_1_one_memory)
{
	static const char xml[] = OLD "<object type=\"Machine\" os_index=\"0\" " CPU_SET(
		"0x3") ">"
		       "<object type=\"Core\" os_index=\"0\" " CPU_SET("0x1") "><object type=\"PU\" os_index=\"0\" " CPU_SET("0x1") "/></object><object type=\"Core\" os_index=\"1\" " CPU_SET(
			       "0x2") "><object type=\"PU\" os_index=\"1\" " CPU_SET("0x2") "/></object></object></topology>";
	struct sgang_error err = { "" };
	struct sgang_node_topo *topo = sgang_node_topo_parse(xml, "x", &err);

	if (!topo)
		fail_msg("%s", err.text);
	assert_int_equal(topo->n_islands, 1);
	assert_int_equal(topo->n_cores, 2);
	sgang_node_topo_destroy(topo);
}

/* Whatever is cut off or overwritten, there is an answer and no crash. */
TEST(test_damage)
{
	char *whole = read_shape("dgx-h100.xml");
	size_t length = strlen(whole), cut, taken = 0;

	for (cut = 0; cut < length; cut += 997) {
		struct sgang_node_topo *topo;
		char saved = whole[cut];

		whole[cut] = '\0';
		check_wrong(whole, EINVAL, "shape.xml:");
		whole[cut] = "\"<9 "[cut % 4];
		topo = sgang_node_topo_parse(whole, "x", NULL);
		taken += topo != NULL;
		sgang_node_topo_destroy(topo);
		whole[cut] = saved;
	}
	assert_true(taken > 0); /* in comments and names */
	free(whole);
}

/* The file of these bytes; NULL: as it is. */
static void cannot_load(const char *bytes, size_t size, int errnum,
			const char *why)
{
	struct sgang_error err;

	if (bytes)
		write_bytes(scratch_path, bytes, size);
	assert_null(sgang_node_topo_load(scratch_path, &err));
	assert_int_equal(errno, errnum);
	assert_non_null(strstr(err.text, why));
}

TEST_WITH(test_wrong_file, make_scratch, NULL)
{
	struct sgang_error err;

	cannot_load("", 0, EINVAL, scratch_path);
	cannot_load("<xml\0>", 6, EINVAL, "not a text file");
	assert_int_equal(truncate(scratch_path, SGANG_HWLOC_FILE_MAX + 1L), 0);
	cannot_load(NULL, 0, EINVAL, "too large");
	unlink(scratch_path);
	cannot_load(NULL, 0, ENOENT, ": cannot be opened: ");
	assert_null(sgang_node_topo_load("/", &err));
	assert_true(err.text[0]);
}

static void try_without_memory(const char *xml)
{
	long before = fail_live;
	unsigned long n;

	for (n = 1;; n++) {
		struct sgang_node_topo *topo;

		fail_at(n);
		topo = sgang_node_topo_parse(xml, "x", NULL);
		if (!fail_happened) {
			assert_non_null(topo);
			sgang_node_topo_destroy(topo);
			break;
		}
		assert_null(topo);
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(fail_live, before);
	}
	fail_at(0);
	assert_true(n > 10);
	assert_int_equal(fail_live, before);
}

TEST(test_no_memory)
{
	char *xml = read_shape("nvlink-4gpu-pairs.xml");

	try_without_memory(xml);
	free(xml);
	xml = read_shape("cpu-2socket.xml");
	try_without_memory(xml);
	free(xml);
}

TEST_MAIN(NULL, NULL)
