/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_nodes.c - what is looked up in the node records, and that all goes */

#include "../unit.h"
#include "../core/fail_alloc.h"
#include "cmd/nodes.h"

static void fill(struct sgang_nodes *nodes)
{
	static const struct {
		uint32_t job;
		const char *node;
	} shares[] = { { 7, "n2" }, { 12, "n1" }, { 7, "n10" }, { 7, "n1" } };

	memset(nodes, 0, sizeof(*nodes));
	nodes->count = 2;
	nodes->row = calloc(nodes->count, sizeof(*nodes->row));
	nodes->row[0].name = strdup("n1");
	nodes->row[1].name = strdup("n2");
	nodes->n_shares = sizeof(shares) / sizeof(shares[0]);
	nodes->share = calloc(nodes->n_shares, sizeof(*nodes->share));
	for (size_t i = 0; i < nodes->n_shares; i++) {
		nodes->share[i].job_id = shares[i].job;
		nodes->share[i].node = strdup(shares[i].node);
		nodes->share[i].slots = (uint32_t)i + 1;
	}
	nodes->n_partitions = 2;
	nodes->partition = calloc(nodes->n_partitions,
				  sizeof(*nodes->partition));
	nodes->partition[0].name = strdup("batch");
	nodes->partition[1].name = strdup("gpu");
	nodes->partition[1].topology = strdup("tree");
	sgang_nodes_sort(nodes);
}

TEST(jobs_have_shares)
{
	struct sgang_nodes nodes;

	fill(&nodes);
	assert_int_equal(sgang_nodes_share(&nodes, 7, "n2"), 1);
	assert_int_equal(sgang_nodes_share(&nodes, 12, "n1"), 2);
	assert_int_equal(sgang_nodes_share(&nodes, 7, "n10"), 3);
	assert_int_equal(sgang_nodes_share(&nodes, 7, "n1"), 4);
	assert_int_equal(sgang_nodes_share(&nodes, 7, "n3"), 0);
	assert_int_equal(sgang_nodes_share(&nodes, 8, "n1"), 0);
	sgang_nodes_clear(&nodes);
	sgang_nodes_sort(&nodes);
	assert_int_equal(sgang_nodes_share(&nodes, 7, "n2"), 0);
}

TEST(partitions_have_names)
{
	struct sgang_nodes nodes;

	fill(&nodes);
	assert_ptr_equal(sgang_nodes_partition(&nodes, "batch"),
			 &nodes.partition[0]);
	assert_ptr_equal(sgang_nodes_partition(&nodes, "gpu"),
			 &nodes.partition[1]);
	assert_null(sgang_nodes_partition(&nodes, "gp"));
	sgang_nodes_clear(&nodes);
}

/* sgang watch and sgang web read them again and again. */
TEST(nothing_is_left)
{
	struct sgang_nodes nodes;
	long live = fail_live;

	fill(&nodes);
	assert_true(fail_live > live);
	sgang_nodes_clear(&nodes);
	assert_int_equal(fail_live, live);
	assert_int_equal(nodes.count + nodes.n_shares + nodes.n_partitions, 0);
	sgang_nodes_clear(&nodes);
}

TEST(gpus_are_counted)
{
	assert_int_equal(sgang_nodes_gpus("gpu:8"), 8);
	assert_int_equal(sgang_nodes_gpus("gpu:a100:4(S:0-1),nic:2"), 4);
	assert_int_equal(sgang_nodes_gpus("gpu:65535"), UINT16_MAX);
	assert_int_equal(sgang_nodes_gpus("gpu:70000"), UINT16_MAX);
	assert_int_equal(sgang_nodes_gpus(NULL), 0);
}

TEST_MAIN(NULL, NULL)
