/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_vector.c - members that need several resources (behaviour 5.5) */

#include "../unit.h"
#include "bed.h"

enum { CPUS, MEMORY, GPUS, DIMS };

#define MEMBERS 10

/* A bed whose nodes have CPUs, memory and GPUs. */
struct vectors {
	struct bed bed;
	uint32_t free[BED_NODES * DIMS];
	uint32_t total[BED_NODES * DIMS];
	uint32_t need[MEMBERS][2 * DIMS];
	uint8_t type[BED_NODES];
};

static void set_node(struct vectors *v, const char *name, uint32_t cpus,
		     uint32_t memory, uint32_t gpus)
{
	uint32_t node = sgang_fabric_find_node(v->bed.fabric, name);
	uint32_t *free = v->free + (size_t)node * DIMS;

	assert_int_not_equal(node, SGANG_NODE_NONE);
	free[CPUS] = cpus;
	free[MEMORY] = memory;
	free[GPUS] = gpus;
}

/* Every node has 16 CPUs, 1000 of memory and 8 GPUs, all free. */
static void open_vectors(struct vectors *v, const char *topology)
{
	memset(v, 0, sizeof(*v));
	bed_open(&v->bed, topology, 16);
	for (uint32_t node = 0; node < sgang_fabric_nodes(v->bed.fabric);
	     node++) {
		v->total[node * DIMS + CPUS] = 16;
		v->total[node * DIMS + MEMORY] = 1000;
		v->total[node * DIMS + GPUS] = 8;
	}
	memcpy(v->free, v->total, sizeof(v->free));
	v->bed.request.n_dims = DIMS;
	v->bed.request.free = v->free;
	v->bed.request.total = v->total;
}

static void add(struct vectors *v, uint32_t units, uint32_t cpus,
		uint32_t memory, uint32_t gpus)
{
	size_t i = v->bed.request.n_members;
	struct sgang_plan_member *member = &v->bed.member[i];

	bed_add(&v->bed, units, cpus, true);
	member->ranks = 1;
	member->need = v->need[i];
	v->need[i][CPUS] = cpus;
	v->need[i][MEMORY] = memory;
	v->need[i][GPUS] = gpus;
}

static void expect(const struct vectors *v, const char *nodes, uint64_t cost)
{
	struct sgang_placement *placement = NULL;
	struct sgang_error err;
	char names[1024];
	int rc = sgang_plan(&v->bed.request, &placement, NULL, &err);

	if (rc < 0)
		fail_msg("%s", err.text);
	assert_int_equal(rc, 1);
	bed_names(&v->bed, placement->runs, placement->n_runs, names);
	assert_string_equal(names, nodes);
	assert_int_equal(placement->ring.cost, cost);
	assert_true(placement->exact);
	sgang_placement_destroy(placement);
}

static void expect_nofit(const struct vectors *v, const char *text)
{
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit;
	struct sgang_error err;

	assert_int_equal(sgang_plan(&v->bed.request, &placement, &nofit, &err),
			 0);
	assert_string_equal(nofit.text, text);
}

/* The small member leaves the node with all GPUs to the large one, whichever
 * comes first. */
TEST(test_gpus)
{
	struct vectors v;

	open_vectors(&v, "SwitchName=s Nodes=n[1-2]\n");
	set_node(&v, "n2", 16, 1000, 4);
	add(&v, 1, 1, 10, 4);
	add(&v, 1, 1, 10, 8);
	expect(&v, "n2 | n1", 8);
	v.need[0][GPUS] = 8;
	v.need[1][GPUS] = 4;
	expect(&v, "n1 | n2", 8);
	v.need[1][GPUS] = 5;
	expect_nofit(&v, "every member has room alone, but not all of them "
			 "together");
	v.need[1][GPUS] = 9;
	expect_nofit(&v, "member 1: needs room for 1 unit, there is room for "
			 "0");
	bed_close(&v.bed);
}

/* A node without GPUs has room for many members that need none. There are too
 * many mixtures of these to look at. */
TEST(test_no_gpus_left)
{
	struct vectors v;

	open_vectors(&v, "SwitchName=s Nodes=n[1-2]\n");
	set_node(&v, "n1", 16, 1000, 0);
	set_node(&v, "n2", 1, 1000, 8);
	for (uint32_t i = 1; i < MEMBERS; i++)
		add(&v, 1, 1, i, 0);
	add(&v, 1, 1, 10, 4);
	expect(&v, "n1 | n1 | n1 | n1 | n1 | n1 | n1 | n1 | n1 | n2", 16);
	bed_close(&v.bed);
}

TEST(test_memory)
{
	struct vectors v;

	open_vectors(&v, "SwitchName=s Nodes=n[1-2]\n");
	set_node(&v, "n2", 16, 500, 8);
	add(&v, 1, 1, 400, 0);
	add(&v, 1, 1, 900, 0);
	expect(&v, "n2 | n1", 8);
	bed_close(&v.bed);
}

/* All memory of a node is not there where some of it is in use. */
TEST(test_all)
{
	struct vectors v;

	open_vectors(&v, "SwitchName=s Nodes=n[1-3]\n");
	set_node(&v, "n1", 16, 999, 8);
	set_node(&v, "n2", 15, 1000, 8);
	add(&v, 1, 1, SGANG_PLAN_ALL, 0);
	add(&v, 1, 1, 999, 0);
	add(&v, 1, 0, 0, 0);
	v.bed.member[2].need = NULL;
	expect(&v, "n2 | n1 | n3", 12);
	bed_close(&v.bed);
}

/* A unit needs two CPUs on some nodes and one on others. */
TEST(test_types)
{
	struct vectors v;

	open_vectors(&v, "SwitchName=s Nodes=n[1-2]\n");
	set_node(&v, "n1", 1, 1000, 8);
	set_node(&v, "n2", 1, 1000, 8);
	v.type[0] = 1;
	v.bed.request.type = v.type;
	add(&v, 1, 1, 1, 1);
	v.need[0][DIMS + CPUS] = 2;
	v.need[0][DIMS + MEMORY] = 1;
	expect(&v, "n2", 0);
	v.need[0][DIMS + CPUS] = 0;
	assert_int_equal(sgang_plan(&v.bed.request, NULL, NULL, NULL), -1);
	bed_close(&v.bed);
}

/* Units that are alike: as many as the scarcest resource has room for. */
TEST(test_alike)
{
	struct vectors v;

	open_vectors(&v, "SwitchName=s Nodes=n[1-2]\nSwitchName=t "
			 "Nodes=n[3-4]\nSwitchName=top Switches=s,t\n");
	set_node(&v, "n1", 16, 1000, 3);
	add(&v, 4, 2, 100, 2);
	v.bed.member[0].distinct = false;
	expect(&v, "n2", 4);
	v.bed.member[0].units = 5;
	expect(&v, "n1 n2", 11);
	bed_close(&v.bed);
}

/* -- members confined to two pods -- */

#define PODS_NODES 32

/* Two pods of two leaves of eight nodes; 8 members in each. */
static void open_pods(struct bed *bed, struct sgang_nodeset *in[2],
		      struct sgang_plan_member *member, bool in_turn)
{
	char text[1024], *p = text;

	for (uint32_t leaf = 0; leaf < 4; leaf++)
		p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", leaf,
			     8 * leaf, 8 * leaf + 7);
	strcpy(p, "SwitchName=a Switches=l[0-1]\nSwitchName=b "
		  "Switches=l[2-3]\nSwitchName=top Switches=a,b\n");
	bed_open(bed, text, 8);
	for (uint32_t i = 0; i < 2; i++)
		in[i] = sgang_nodeset_create(PODS_NODES);
	for (uint32_t i = 0; i < PODS_NODES; i++) {
		sprintf(text, "n%u", i);
		sgang_nodeset_add(in[i / 16],
				  sgang_fabric_find_node(bed->fabric, text));
	}
	for (uint32_t i = 0; i < 16; i++)
		member[i] = (struct sgang_plan_member){
			.units = 1,
			.slots = 8,
			.ranks = 1,
			.allowed = in[in_turn ? i % 2 : i / 8]
		};
	bed->request.members = member;
	bed->request.n_members = 16;
}

static void check_pods(bool in_turn, bool any_order, uint64_t cost)
{
	struct sgang_placement *placement = NULL;
	struct sgang_plan_member member[16];
	struct sgang_nodeset *in[2];
	struct sgang_error err;
	struct bed bed;
	bool seen[16] = { false };

	open_pods(&bed, in, member, in_turn);
	bed.request.any_order = any_order;
	assert_int_equal(sgang_plan(&bed.request, &placement, NULL, &err), 1);
	assert_int_equal(placement->ring.cost, cost);
	assert_int_equal(placement->bound, cost);
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];

		assert_false(seen[run->member]);
		seen[run->member] = true;
		assert_true(sgang_nodeset_has(member[run->member].allowed,
					      run->node));
	}
	assert_int_equal(placement->n_runs, 16);
	sgang_placement_destroy(placement);
	sgang_nodeset_destroy(in[0]);
	sgang_nodeset_destroy(in[1]);
	bed_close(&bed);
}

/* Each half pays for its own domains. */
TEST(test_disjoint)
{
	check_pods(false, false, 184);
}

/* Behaviour 7.9: members of two partitions submitted in turn. */
TEST(test_any_order)
{
	check_pods(true, true, 184);
	check_pods(true, false, 1024);
}

TEST_MAIN(NULL, NULL)
