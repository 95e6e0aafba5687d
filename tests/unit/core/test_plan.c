/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan.c - joint placements: golden numbers, choices, refusals, and a
 * dense dynamic program on a larger fabric */

#include "../unit.h"
#include "bed.h"
#include "core/plan/plan_private.h"
#include "fail_plan.h"
#include "fuzz.h"
#include "node_bits.h"
#include "textbook.h"

static struct sgang_placement *plan(const struct bed *bed)
{
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit = { .text = "" };
	struct sgang_ring ring;
	int rc = sgang_plan(&bed->request, &placement, &nofit, NULL);

	if (rc != 1)
		fail_msg("no placement: %s", nofit.text);
	sgang_ring_measure(bed->fabric, &bed->costs, placement->runs,
			   placement->n_runs, &ring);
	assert_memory_equal(&ring, &placement->ring, sizeof(ring));
	return placement;
}

/* It is the best, and on these nodes in the order of the runs; NULL: any. */
static void expect_nodes(const struct bed *bed,
			 const struct sgang_placement *placement,
			 const char *nodes)
{
	char got[4096];

	assert_true(placement->exact);
	bed_names(bed, placement->runs, placement->n_runs, got);
	if (nodes)
		assert_string_equal(got, nodes);
}

static void expect(struct bed *bed, uint64_t cost, const char *nodes)
{
	struct sgang_placement *placement = plan(bed);

	assert_int_equal(placement->ring.cost, cost);
	assert_int_equal(placement->bound, cost);
	expect_nodes(bed, placement, nodes);
	sgang_placement_destroy(placement);
}

/* It does not fit, and that is proved. */
static void refuse(const struct bed *bed, struct sgang_nofit *nofit)
{
	struct sgang_placement *placement = (void *)&bed;

	assert_int_equal(sgang_plan(&bed->request, &placement, nofit, NULL), 0);
	assert_ptr_equal(placement, &bed);
	assert_int_equal(sgang_plan(&bed->request, &placement, NULL, NULL), 0);
}

/* 4.18, 4.20, 4.22: eight ranks go to two islands of one rack */
TEST(test_textbook)
{
	static const struct {
		const char *free;
		uint32_t units, slots;
		unsigned int cost;
		const char *nodes;
	} cases[] = {
		{ "n[1-8]", 2, 4, 14, "n1 n2" },
		{ "n[1-8]", 8, 1, 14, "n1 n2" },
		{ "n[1-8]", 4, 1, 4, "n1" },
		{ "n[1-8]", 1, 1, 0, "n1" },
		{ "n[1,3,5-6]", 8, 1, 14, "n5 n6" },
		{ "n[1,3]", 8, 1, 38, "n1 n3" },
		{ "n[1,3,5,7]", 4, 4, 16 + 4 * 15, "n1 n3 n5 n7" },
		{ "n[1-8]", 32, 1, 32 + 8 * 3 + 4 * 12, NULL },
	};
	struct bed bed;

	for (size_t i = 0; i < COUNT(cases); i++) {
		bed_open(&bed, textbook, 4);
		bed_only(&bed, cases[i].free);
		bed_add(&bed, cases[i].units, cases[i].slots, false);
		expect(&bed, cases[i].cost, cases[i].nodes);
		bed_close(&bed);
	}
}

/* The two cases at the end of the design's section 6, where every release of
 * Slurm pays 144 and 136. */
TEST(test_better_than_stock)
{
	struct bed bed;

	bed_open(&bed,
		 "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n"
		 "SwitchName=c Nodes=n[9-12]\nSwitchName=d Nodes=n[13-16]\n"
		 "SwitchName=p Switches=a,b\nSwitchName=q Switches=c,d\n"
		 "SwitchName=t Switches=p,q\n",
		 1);
	bed_only(&bed, "n[1-2,5,9-16]");
	bed_add(&bed, 6, 0, true);
	expect(&bed, 48, "n9 n10 n11 n12 n13 n14");
	bed_close(&bed);

	bed_open(&bed,
		 "SwitchName=l1 Nodes=n[1-4]\nSwitchName=l2 Nodes=n[5-8]\n"
		 "SwitchName=l3 Nodes=n[9-12]\nSwitchName=l4 Nodes=n[13-16]\n"
		 "SwitchName=l5 Nodes=n[17-20]\nSwitchName=l6 Nodes=n[21-24]\n"
		 "SwitchName=l7 Nodes=n[25-28]\nSwitchName=l8 Nodes=n[29-32]\n"
		 "SwitchName=l9 Nodes=n[33-36]\n"
		 "SwitchName=p1 Switches=l[1-3]\n"
		 "SwitchName=p2 Switches=l[4-6]\n"
		 "SwitchName=p3 Switches=l[7-9]\n"
		 "SwitchName=t Switches=p[1-3]\n",
		 1);
	bed_only(&bed, "n[1-2,6,8,10-12,16,20-22,24,27-28,32,36]");
	bed_add(&bed, 4, 0, true);
	/* of equal cost: the pod with the least room */
	expect(&bed, 40, "n16 n21 n22 n24");
	bed_close(&bed);
}

/* Ties: whole free leaves are spared, then best fit, then the lowest index. */
TEST(test_ties)
{
	static const char tree[] =
		"SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n"
		"SwitchName=c Nodes=n[9-12]\nSwitchName=t Switches=a,b,c\n";
	static const struct {
		const char *free;
		uint32_t units;
		const char *nodes;
	} cases[] = {
		{ "n[1-4,5-7,9-12]", 2, "n5 n6" },
		{ "n[1-3,5-6,9-12]", 2, "n5 n6" },
		{ "n[1-2,5-6]", 2, "n1 n2" },
		{ "n[1-12]", 3, "n1 n2 n3" },
		{ "n[1-12]", 8, "n1 n2 n3 n4 n5 n6 n7 n8" },
		{ "n[1-4,5,9-11]", 4, "n1 n2 n3 n4" },
		/* two leaves are needed: 3 + 1 without a hole */
		{ "n[1-2,5-7,9]", 4, "n5 n6 n7 n9" },
		{ "n[1-3]", 1, "n1" },
	};
	struct bed bed;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_placement *placement;

		bed_open(&bed, tree, 2);
		bed_only(&bed, cases[i].free);
		bed_add(&bed, cases[i].units, 0, true);
		placement = plan(&bed);
		expect_nodes(&bed, placement, cases[i].nodes);
		sgang_placement_destroy(placement);
		bed_close(&bed);
	}
	/* on one leaf: the node with the least free slots that will do */
	bed_open(&bed, tree, 8);
	memset(bed.free, 0, sizeof(bed.free));
	bed.free[0] = 8;
	bed.free[1] = 3;
	bed.free[2] = 5;
	bed_add(&bed, 1, 3, true);
	expect(&bed, 3, "n2");
	bed_close(&bed);
}

/* Members keep their order, each in one piece. */
TEST(test_members)
{
	static const struct sgang_run want[] = {
		{ 0, 0, 3, 3 },
		{ 1, 0, 1, 1 },
		{ 2, 1, 4, 4 },
		{ 2, 2, 2, 2 },
	};
	struct sgang_placement *placement;
	struct bed bed;

	bed_open(&bed, textbook, 4);
	bed_add(&bed, 3, 1, false);
	bed_add(&bed, 1, 1, true);
	bed_add(&bed, 6, 1, false);
	placement = plan(&bed);
	assert_true(placement->exact);
	assert_int_equal(placement->ring.ranks, 10);
	assert_int_equal(placement->n_runs, 4);
	assert_memory_equal(placement->runs, want, sizeof(want));
	sgang_placement_destroy(placement);
	bed_close(&bed);

	/* ranks need not be slots: 2 nodes of 2 ranks with 4 slots each */
	bed_open(&bed, textbook, 4);
	bed_add(&bed, 2, 4, true);
	bed.member[0].ranks = 2;
	placement = plan(&bed);
	assert_int_equal(placement->ring.ranks, 4);
	assert_int_equal(placement->ring.cost, 2 + 2 * 4);
	assert_int_equal(placement->runs[0].slots, 4);
	sgang_placement_destroy(placement);
	bed_close(&bed);
}

/* Two members of two nodes each share nodes when there are no others: out on
 * one order, back on the other. */
TEST(test_shared_nodes)
{
	struct sgang_placement *placement;
	struct bed bed;

	bed_open(&bed, "SwitchName=a Nodes=n[1-2]\n", 2);
	bed_add(&bed, 2, 1, true);
	bed_add(&bed, 2, 1, true);
	placement = plan(&bed);
	assert_int_equal(placement->n_runs, 4);
	assert_int_equal(placement->ring.cost, 4 + 1 + 4 + 1);
	assert_true(placement->exact);
	sgang_placement_destroy(placement);
	bed_close(&bed);
}

/* Too many units to try everything: members that need more nodes than a leaf
 * has go to and fro between two, and none costs more than the cheapest path. */
TEST(test_to_and_fro)
{
	static const char *const two_leaves =
		"SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n"
		"SwitchName=r Switches=a,b\n";
	const uint32_t *hop;
	struct sgang_placement *placement;
	struct bed bed;

	bed_open(&bed, two_leaves, 4);
	hop = bed.costs.hop;
	for (uint32_t i = 0; i < 4; i++)
		bed_add(&bed, 8, 1, true);
	placement = plan(&bed);
	assert_int_equal(placement->ring.cost, 4 * (6 * hop[SGANG_LEVEL_LEAF] +
						    hop[SGANG_LEVEL_LEAF + 1] +
						    hop[SGANG_LEVEL_ISLAND]));
	assert_true(placement->exact);
	sgang_placement_destroy(placement);
	bed_close(&bed);

	/* each of three crosses once, and a ring crosses an even number of
	 * times */
	bed_open(&bed, two_leaves, 4);
	for (uint32_t i = 0; i < 3; i++)
		bed_add(&bed, 7, 1, true);
	placement = plan(&bed);
	assert_int_equal(placement->ring.hops[SGANG_LEVEL_LEAF + 1], 4);
	assert_in_range(placement->bound, 1, placement->ring.cost);
	sgang_placement_destroy(placement);
	bed_close(&bed);
}

/* Members in two partitions that have no node in common. */
TEST(test_partitions)
{
	struct sgang_nodeset *left = set_of(0x1f, 8), *right = set_of(0xe0, 8);
	struct sgang_placement *placement;
	struct bed bed;

	bed_open(&bed, textbook, 4);
	bed_add(&bed, 1, 4, true);
	bed_add(&bed, 1, 4, true);
	bed.member[0].allowed = left;
	bed.member[1].allowed = right;
	placement = plan(&bed);
	/* n5 and n6 are in one rack */
	assert_int_equal(placement->ring.cost, 14);
	assert_int_equal(placement->runs[0].node, 4);
	assert_int_equal(placement->runs[1].node, 5);
	assert_true(placement->exact);
	sgang_placement_destroy(placement);
	bed_close(&bed);
	sgang_nodeset_destroy(left);
	sgang_nodeset_destroy(right);
}

/* Where no two units share a node, a matching is found if there is one. */
TEST(test_matching)
{
	struct sgang_nodeset *set[4];
	struct sgang_placement *placement;
	struct bed bed;

	bed_open(&bed, textbook, 4);
	bed_only(&bed, "n[1,3,5,7]");
	/* each takes what the one before would rather have */
	for (uint32_t i = 0; i < 4; i++) {
		set[i] = set_of(i == 3 ? 1 : 1 | 1 << 2 * (i + 1), 8);
		bed_add(&bed, 1, 0, true);
		bed.member[i].allowed = set[i];
	}
	placement = plan(&bed);
	assert_int_equal(placement->n_runs, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(placement->runs[i].node, 2 * ((i + 1) % 4));
	sgang_placement_destroy(placement);
	bed_close(&bed);
	for (uint32_t i = 0; i < 4; i++)
		sgang_nodeset_destroy(set[i]);
}

/* 4.24, 4.25, 4.4: what does not fit, and why */
TEST(test_refusals)
{
	static const struct {
		const char *free;
		uint32_t units, slots;
		bool distinct;
		uint32_t max_level;
		const char *text;
		size_t n_rows;
		const char *best;
		uint64_t has, needed;
	} cases[] = {
		{ "n[1-5]", 8, 0, true, SGANG_LEVEL_UNCONNECTED,
		  "needs 8 whole free nodes, 5 are free", 1, "root", 5, 8 },
		{ "n[1-5]", 8, 4, true, SGANG_LEVEL_UNCONNECTED,
		  "needs 8 nodes with 4 free slots each, 5 are free", 1, "root",
		  5, 8 },
		{ "n1", 6, 1, false, SGANG_LEVEL_UNCONNECTED,
		  "needs 6 free slots, 4 are free", 1, "root", 4, 6 },
		{ "n[1,3-5]", 3, 0, true, SGANG_LEVEL_LEAF,
		  "no leaf has room for 3 whole free nodes, the best (r2) has "
		  "2",
		  4, "r2", 2, 3 },
		{ "n[1-8]", 3, 2, false, SGANG_LEVEL_NODE,
		  "no node has room for 3 pieces of 2 free slots, the best "
		  "(n1) has 2",
		  0, NULL, 0, 0 },
	};
	struct bed bed;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_nofit nofit;

		bed_open(&bed, textbook, 4);
		bed_only(&bed, cases[i].free);
		bed_add(&bed, cases[i].units, cases[i].slots,
			cases[i].distinct);
		bed.request.max_level = cases[i].max_level;
		refuse(&bed, &nofit);
		assert_false(nofit.unproved);
		assert_string_equal(nofit.text, cases[i].text);
		assert_int_equal(nofit.n_rows, cases[i].n_rows);
		if (nofit.n_rows) {
			assert_string_equal(
				sgang_fabric_domain(bed.fabric,
						    nofit.row[0].domain)
					->name,
				cases[i].best);
			assert_int_equal(nofit.row[0].free, cases[i].has);
			assert_int_equal(nofit.row[0].needed, cases[i].needed);
		}
		bed_close(&bed);
	}
}

/* Which of several members it is that does not fit. */
TEST(test_refusals_of_members)
{
	static const struct {
		const char *free;
		uint32_t units, slots; /* of the second member */
		const char *text;
	} cases[] = {
		{ "n[1-3]", 4, 0,
		  "member 1: needs 4 whole free nodes, 3 are free" },
		{ "n[1-2]", 1, 5,
		  "member 1: needs 1 node with 5 free slots, 0 are free" },
		{ "n1", 1, 4, "needs 6 free slots in all, 4 are free" },
	};
	struct sgang_nofit nofit;
	struct bed bed;

	for (size_t i = 0; i < COUNT(cases); i++) {
		bed_open(&bed, textbook, 4);
		bed_only(&bed, cases[i].free);
		bed_add(&bed, 2, 1, false);
		bed_add(&bed, cases[i].units, cases[i].slots, true);
		refuse(&bed, &nofit);
		assert_string_equal(nofit.text, cases[i].text);
		assert_int_equal(nofit.n_rows, 1);
		bed_close(&bed);
	}
	/* enough in all, but in pieces: 3 + 3 slots do not hold 3 times 2 */
	bed_open(&bed, "SwitchName=a Nodes=n[1-2]\n", 3);
	bed_add(&bed, 2, 2, false);
	bed_add(&bed, 1, 2, true);
	bed.member[1].ranks = 1;
	refuse(&bed, &nofit);
	assert_string_equal(nofit.text,
			    "6 free slots are needed and there, but "
			    "not so that every member has what it "
			    "asks for");
	bed_close(&bed);
}

/* Roots are joined only when that is allowed. */
TEST(test_unconnected)
{
	struct sgang_placement *placement;
	struct sgang_nofit nofit;
	struct bed bed;

	bed_open(&bed, "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n3\n", 1);
	bed_add(&bed, 3, 0, true);
	refuse(&bed, &nofit);
	assert_int_equal(nofit.n_rows, 2);
	assert_string_equal(nofit.text, "no switch has room for 3 whole free "
					"nodes, the best (a) has 2");
	bed.costs.allow_unconnected = true;
	placement = plan(&bed);
	assert_int_equal(placement->ring.cost,
			 4 + 2 * bed.costs.hop[SGANG_LEVEL_UNCONNECTED]);
	assert_int_equal(placement->ring.tier, SGANG_LEVEL_UNCONNECTED);
	sgang_placement_destroy(placement);
	bed_close(&bed);
}

TEST(test_bad_requests)
{
	struct sgang_placement *placement = NULL;
	struct sgang_error err;
	struct bed bed;

	bed_open(&bed, textbook, 4);
	errno = 0;
	assert_int_equal(sgang_plan(&bed.request, &placement, NULL, &err), -1);
	assert_int_equal(errno, EINVAL);
	bed_add(&bed, 1, 1, false);
	bed_add(&bed, 0, 1, false);
	errno = 0;
	assert_int_equal(sgang_plan(&bed.request, &placement, NULL, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "member 1"));
	assert_null(placement);
	errno = EDOM;
	sgang_placement_destroy(NULL);
	assert_int_equal(errno, EDOM);
	bed_close(&bed);
}

/* The largest hop costs: nothing overflows. */
TEST(test_large_costs)
{
	struct sgang_placement *placement;
	struct bed bed;

	bed_open(&bed, textbook, 4);
	for (uint32_t level = SGANG_LEVEL_LEAF; level < SGANG_LEVELS; level++)
		bed.costs.hop[level] = UINT32_MAX;
	bed_only(&bed, "n[1,3-4]");
	bed_add(&bed, 3, 0, true);
	placement = plan(&bed);
	assert_true(placement->ring.cost == 9 + 3 * (uint64_t)UINT32_MAX);
	assert_true(placement->bound == placement->ring.cost);
	sgang_placement_destroy(placement);
	bed_close(&bed);
}

/* -- a dense dynamic program -- */

/* 8 pods of 8 leaves of 16 nodes: topology/tree1024.conf */
static void make_tree1024(char *p)
{
	int pod, leaf, node = 1, n = 1;

	for (pod = 1; pod <= 8; pod++) {
		for (leaf = 0; leaf < 8; leaf++, n++, node += 16)
			p += sprintf(p, "SwitchName=leaf%d Nodes=n[%d-%d]\n", n,
				     node, node + 15);
		p += sprintf(p, "SwitchName=pod%d Switches=leaf[%d-%d]\n", pod,
			     n - 8, n - 1);
	}
	sprintf(p, "SwitchName=core Switches=pod[1-8]\n");
}

#define DENSE_MAX 4100
#define NEVER (UINT64_C(1) << 60)
#define SCALE 20 /* cost << SCALE | broken */

/* By domain: the least key of at least c units in it, without what the domain
 * itself costs above. */
struct dense {
	const struct bed *bed;
	uint32_t slots; /* of a unit */
	uint64_t need;
	uint64_t *least[80];
	uint64_t broken[80];
};

static int descending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return *a > *b ? -1 : *a < *b;
}

static void dense_leaf(struct dense *dense, uint32_t d)
{
	const struct sgang_domain *leaf =
		sgang_fabric_domain(dense->bed->fabric, d);
	const uint32_t *order = sgang_fabric_order(dense->bed->fabric);
	const uint32_t *hop = dense->bed->costs.hop;
	uint32_t cap[BED_NODES], i;
	uint64_t c, sum = 0, k = 0;

	for (i = 0; i < leaf->n_nodes; i++)
		cap[i] = dense->bed->free[order[leaf->first_pos + i]] /
			 dense->slots;
	qsort(cap, leaf->n_nodes, sizeof(cap[0]), descending);
	for (c = 0; c <= dense->need; c++) {
		while (sum < c && k < leaf->n_nodes)
			sum += cap[k++];
		dense->least[d][c] =
			sum < c ? NEVER :
				  k * (hop[SGANG_LEVEL_LEAF] - hop[0]) << SCALE;
	}
}

static void dense_inner(struct dense *dense, uint32_t d)
{
	const struct sgang_domain *domain =
		sgang_fabric_domain(dense->bed->fabric, d);
	const uint32_t *hop = dense->bed->costs.hop;
	static uint64_t next[DENSE_MAX];
	uint64_t *least = dense->least[d];

	for (uint64_t c = 0; c <= dense->need; c++)
		least[c] = c ? NEVER : 0;
	for (uint32_t i = 0; i < domain->n_children; i++) {
		uint32_t child = domain->first_child + i;
		uint64_t step =
			hop[domain->level] -
			hop[sgang_fabric_domain(dense->bed->fabric, child)
				    ->level];

		step = (step << SCALE) + dense->broken[child];
		memcpy(next, least, sizeof(next));
		for (uint64_t k = 1;
		     k <= dense->need && dense->least[child][k] < NEVER; k++) {
			uint64_t key = dense->least[child][k] + step;

			for (uint64_t c = 1; c <= dense->need; c++) {
				uint64_t rest = c > k ? least[c - k] : 0;

				if (rest + key < next[c])
					next[c] = rest + key;
			}
		}
		memcpy(least, next, sizeof(next));
	}
}

/* The least key over all common domains. */
static uint64_t dense_solve(struct dense *dense)
{
	const struct sgang_fabric *fabric = dense->bed->fabric;
	uint32_t d = sgang_fabric_domains(fabric), i, at;
	uint64_t best = NEVER;

	while (d-- > 0) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);
		const uint32_t *order = sgang_fabric_order(fabric);
		bool whole = true;

		dense->broken[d] = 0;
		for (i = 0; i < domain->n_nodes; i++) {
			uint32_t node = order[domain->first_pos + i];

			dense->broken[d] += dense->bed->total[node];
			if (dense->bed->free[node] < dense->bed->total[node])
				whole = false;
		}
		if (!whole)
			dense->broken[d] = 0;
		if (domain->n_children)
			dense_inner(dense, d);
		else
			dense_leaf(dense, d);
	}
	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		uint64_t key = dense->least[d][dense->need];

		for (at = d; at != SGANG_DOMAIN_NONE;
		     at = sgang_fabric_domain(fabric, at)->parent)
			key += dense->broken[at];
		if (key < best)
			best = key;
	}
	return best;
}

static uint64_t broken_by(const struct dense *dense,
			  const struct sgang_placement *placement)
{
	const struct sgang_fabric *fabric = dense->bed->fabric;
	bool used[80] = { false };
	uint64_t sum = 0;
	uint32_t d;

	for (size_t i = 0; i < placement->n_runs; i++) {
		for (d = sgang_fabric_leaf(fabric, placement->runs[i].node);
		     d != SGANG_DOMAIN_NONE && !used[d];
		     d = sgang_fabric_domain(fabric, d)->parent) {
			used[d] = true;
			sum += dense->broken[d];
		}
	}
	return sum;
}

/* Fragment: some leaves stay wholly free, the others are loaded by chance. What
 * is free on a node is a multiple of 'grain'. */
static void fragment(struct bed *bed, uint64_t *random, uint64_t load,
		     uint32_t grain)
{
	for (uint32_t leaf = 0; leaf < 64; leaf++) {
		bool spare = !fuzz_small(random, 5);

		for (uint32_t node = 16 * leaf; node < 16 * leaf + 16; node++) {
			bed->free[node] = bed->total[node];
			if (!spare && fuzz_small(random, 100) < load)
				bed->free[node] = (uint32_t)fuzz_small(
					random, bed->total[node]);
			bed->free[node] -= bed->free[node] % grain;
		}
	}
}

/* Does the placement cost what the dense program says? */
static void check_dense(struct dense *dense, uint64_t seed)
{
	struct sgang_placement *placement = NULL;
	uint64_t key = dense_solve(dense), ranks = dense->need * dense->slots;
	int rc;

	rc = sgang_plan(&dense->bed->request, &placement, NULL, NULL);
	if (rc != (key < NEVER))
		fail_msg("seed %lu: %d", (unsigned long)seed, rc);
	if (!rc)
		return;
	key += ranks * dense->bed->costs.hop[0] << SCALE;
	assert_int_equal(placement->ring.ranks, ranks);
	if (!placement->exact || placement->ring.cost != key >> SCALE ||
	    broken_by(dense, placement) != (key & ((1 << SCALE) - 1)))
		fail_msg("seed %lu: exact %d cost %lu for %lu, broken %lu for "
			 "%lu",
			 (unsigned long)seed, placement->exact,
			 (unsigned long)placement->ring.cost,
			 (unsigned long)(key >> SCALE),
			 (unsigned long)broken_by(dense, placement),
			 (unsigned long)(key & ((1 << SCALE) - 1)));
	sgang_placement_destroy(placement);
}

TEST(test_dense)
{
	static char text[8192];
	static struct bed bed;
	struct dense dense = { .bed = &bed };

	make_tree1024(text);
	bed_open(&bed, text, 4);
	for (uint32_t d = 0; d < 80; d++) {
		dense.least[d] = calloc(DENSE_MAX, sizeof(uint64_t));
		assert_non_null(dense.least[d]);
	}
	bed.request.n_members = 1;
	for (uint64_t seed = 1; seed <= 90; seed++) {
		uint64_t random = seed;

		/* in two cases of three pieces can be placed in bundles */
		fragment(&bed, &random, 50 + 10 * fuzz_small(&random, 5),
			 1u << seed / 2 % 3);
		/* whole nodes, then pieces of nodes */
		dense.slots = seed % 2 ? 4 : 1;
		dense.need = 2 + fuzz_small(&random, seed % 2 ? 255 : 511);
		bed.member[0].units = (uint32_t)dense.need;
		bed.member[0].slots = dense.slots;
		bed.member[0].distinct = false;
		check_dense(&dense, seed);
	}
	for (uint32_t d = 0; d < 80; d++)
		free(dense.least[d]);
	bed_close(&bed);
}

/* The cost does not depend on how nodes are named or numbered. */
TEST(test_renamed)
{
	static char text[8192];
	static struct bed bed, other;
	static char name[BED_NODES][8];
	const char *names[BED_NODES];

	make_tree1024(text);
	bed_open(&bed, text, 4);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct sgang_placement *one, *two;
		uint64_t random = seed;

		fragment(&bed, &random, 70, 1);
		bed.request.n_members = 0;
		bed_add(&bed, 2 + (uint32_t)fuzz_small(&random, 150), 4, true);
		one = plan(&bed);
		/* the same nodes, numbered at random */
		other = bed;
		for (uint32_t i = 0; i < BED_NODES; i++) {
			uint32_t k = (uint32_t)fuzz_small(&random, i + 1);

			sprintf(name[i], "n%u", i + 1);
			names[i] = names[k];
			names[k] = name[i];
		}
		other.fabric = sgang_fabric_parse(text, "test", names,
						  BED_NODES, NULL);
		assert_non_null(other.fabric);
		other.request.fabric = other.fabric;
		other.request.costs = &other.costs;
		other.request.free = other.free;
		other.request.total = other.total;
		other.request.members = other.member;
		for (uint32_t i = 0; i < BED_NODES; i++)
			other.free[i] = bed.free[sgang_fabric_find_node(
				bed.fabric, names[i])];
		two = plan(&other);
		assert_true(one->exact && two->exact);
		assert_int_equal(one->ring.cost, two->ring.cost);
		sgang_placement_destroy(one);
		sgang_placement_destroy(two);
		bed_close(&other);
	}
	bed_close(&bed);
}

/* -- ranks that do not divide evenly -- */

/* The runs of a member on nodes below that of this one. */
static uint32_t runs_below(const struct sgang_placement *placement, size_t run)
{
	const struct sgang_run *runs = placement->runs;
	uint32_t n = 0;

	for (size_t i = 0; i < placement->n_runs; i++)
		n += runs[i].member == runs[run].member &&
		     runs[i].node < runs[run].node;
	return n;
}

/* 1 to 'n' runs of the members, in any order. */
static void draw_runs(const struct bed *bed, uint64_t *random, size_t n,
		      struct sgang_placement *placement)
{
	placement->n_runs = 1 + fuzz_below(random, n);
	for (size_t i = 0; i < placement->n_runs; i++)
		placement->runs[i] = (struct sgang_run){
			.member = (uint32_t)fuzz_below(random,
						       bed->request.n_members),
			.node = (uint32_t)fuzz_below(
				random, sgang_fabric_nodes(bed->fabric)),
			.ranks = 2,
			.slots = 1,
		};
}

/* Those of its runs on its lowest nodes have one more. */
TEST(test_deal_more)
{
	static struct sgang_run runs[64], before[64];
	static char text[8192];
	static struct bed bed;
	struct sgang_placement placement = { .runs = runs };
	struct sgang_pool pool = { NULL };
	uint64_t random = 11, dealt = 0;
	struct sgang_ring ring;

	make_tree1024(text);
	bed_open(&bed, text, 4);
	for (uint32_t m = 0; m < 4; m++) {
		bed_add(&bed, 8, 1, false);
		bed.member[m].more = 2 * m;
	}
	for (int n = 0; n < 500; n++) {
		draw_runs(&bed, &random, n % 2 ? 64 : 8, &placement);
		memcpy(before, runs, sizeof(runs));
		sgang_ring_measure(bed.fabric, &bed.costs, runs,
				   placement.n_runs, &placement.ring);
		sgang_plan_deal_more(&bed.request, &pool, &placement);
		for (size_t i = 0; i < placement.n_runs; i++) {
			bool more = runs_below(&placement, i) <
				    bed.member[runs[i].member].more;

			before[i].ranks += more;
			dealt += more;
		}
		assert_memory_equal(runs, before, sizeof(runs));
		sgang_ring_measure(bed.fabric, &bed.costs, runs,
				   placement.n_runs, &ring);
		assert_memory_equal(&ring, &placement.ring, sizeof(ring));
	}
	assert_in_range(dealt, 1000, 20000);
	sgang_pool_clear(&pool);
	bed_close(&bed);
}

/* -- lack of memory -- */

TEST(test_no_memory)
{
	static char text[8192];
	static struct bed bed;
	uint64_t random = 7;

	make_tree1024(text);
	bed_open(&bed, text, 4);
	fragment(&bed, &random, 70, 1);
	bed_add(&bed, 200, 1, false);
	assert_int_equal(fail_plans(&bed.request, 5), 1);
	bed_add(&bed, 10, 0, true);
	bed_add(&bed, 5, 3, true);
	bed.member[2].more = 2;
	assert_int_equal(fail_plans(&bed.request, 5), 1);
	bed_close(&bed);
	bed_open(&bed, text, 2);
	bed_add(&bed, 600, 1, true);
	bed_add(&bed, 900, 1, true);
	assert_int_equal(fail_plans(&bed.request, 5), 1);
	bed_close(&bed);
}

TEST_MAIN(NULL, NULL)
