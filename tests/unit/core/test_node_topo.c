/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_node_topo.c - what is inside a node; behaviour 4.14 */

#include "../unit.h"
#include "fail_alloc.h"
#include "node_shape.h"

static struct sgang_node_topo *make(uint32_t islands, uint32_t gpus,
				    uint32_t cores)
{
	struct sgang_node_topo *topo;

	topo = node_shape("shape", islands, gpus, cores);
	assert_non_null(topo);
	return topo;
}

/* There is room for all, and all of it is zero. */
TEST(test_alloc)
{
	struct sgang_node_topo *topo = sgang_node_topo_alloc(2, 8, 6, 3, NULL);

	assert_non_null(topo);
	assert_int_equal(topo->n_islands, 2);
	assert_int_equal(topo->n_gpus, 8);
	assert_int_equal(topo->n_cores, 6);
	assert_int_equal(topo->n_nics, 3);
	assert_int_equal(topo->island[1].n_gpus, 0);
	assert_int_equal(topo->gpu[7].island, 0);
	assert_int_equal(topo->core_island[5], 0);
	assert_string_equal(topo->nic[2].name, "");
	sgang_node_topo_destroy(topo);
	sgang_node_topo_destroy(NULL);
}

TEST(test_equal)
{
	struct sgang_node_topo *a = make(2, 2, 2), *b = make(2, 2, 2);
	struct sgang_node_topo *other = make(4, 1, 1);

	assert_true(sgang_node_topo_equal(a, b));
	strcpy(b->name, "another");
	assert_true(sgang_node_topo_equal(a, b));
	assert_false(sgang_node_topo_equal(a, other));
	b->gpu[3].bus[0] = 'f';
	assert_false(sgang_node_topo_equal(a, b));
	b->gpu[3].bus[0] = a->gpu[3].bus[0];
	b->core_island[3] = 0;
	assert_false(sgang_node_topo_equal(a, b));
	b->core_island[3] = 1;
	assert_true(sgang_node_topo_equal(a, b));
	b->island[0].n_cores = 9;
	assert_false(sgang_node_topo_equal(a, b));
	sgang_node_topo_destroy(a);
	sgang_node_topo_destroy(b);
	sgang_node_topo_destroy(other);
}

TEST(test_nics_count)
{
	struct sgang_node_topo *a, *b;

	a = sgang_node_topo_alloc(1, 0, 1, 1, NULL);
	b = sgang_node_topo_alloc(1, 0, 1, 1, NULL);
	assert_non_null(a);
	assert_non_null(b);
	assert_true(sgang_node_topo_equal(a, b));
	strcpy(b->nic[0].name, "ib0");
	assert_false(sgang_node_topo_equal(a, b));
	sgang_node_topo_destroy(a);
	sgang_node_topo_destroy(b);
}

TEST(test_limits)
{
	static const uint32_t wrong[][3] = {
		{ 0, 4, 4 },
		{ 2, 0, 0 },
		{ 1, SGANG_NODE_GPUS_MAX + 1, 1 },
		{ 1, 0, SGANG_NODE_CORES_MAX + 1 },
		{ 5, 4, 8 },
		{ 9, 0, 8 },
		{ UINT32_MAX, UINT32_MAX, UINT32_MAX },
	};
	struct sgang_node_topo *topo;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		err.text[0] = '\0';
		errno = 0;
		assert_null(sgang_node_topo_alloc(wrong[i][0], wrong[i][1],
						  wrong[i][2], 0, &err));
		assert_int_equal(errno, EINVAL);
		assert_true(err.text[0]);
	}
	assert_null(
		sgang_node_topo_alloc(1, 1, 1, SGANG_NODE_NICS_MAX + 1, NULL));
	topo = make(1, SGANG_NODE_GPUS_MAX, SGANG_NODE_CORES_MAX);
	sgang_node_topo_destroy(topo);
}

TEST(test_no_memory)
{
	unsigned long n;
	long before = fail_live;

	for (n = 1;; n++) {
		struct sgang_node_topo *topo;

		fail_at(n);
		topo = node_shape("x", 2, 2, 2);
		if (!fail_happened) {
			sgang_node_topo_destroy(topo);
			break;
		}
		assert_null(topo);
		assert_int_equal(errno, ENOMEM);
	}
	fail_at(0);
	assert_true(n > 4);
	assert_int_equal(fail_live, before);
}

/* 4.14: a description of another machine is not used. */
TEST(test_fits)
{
	static const struct {
		uint32_t islands, cores;
		uint64_t gpus;
		const char *what; /* NULL: it fits */
	} cases[] = {
		{ 2, 16, 8, NULL },
		{ 2, 16, 0, NULL },
		{ 2, 8, 8, "has 16 cores, for Slurm the node has 8" },
		{ 2, 16, 4, "has 8 GPUs, for Slurm the node has 4" },
		{ 65, 520, 260, "has 65 islands, more than the 64" },
		{ 64, 512, 256, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_node_topo *topo =
			node_shape("box", cases[i].islands, 4, 8);
		struct sgang_error err = { "" };
		int rc = sgang_node_topo_fits(topo, cases[i].cores,
					      cases[i].gpus, &err);

		assert_int_equal(rc, cases[i].what ? -1 : 0);
		if (cases[i].what && !strstr(err.text, cases[i].what))
			fail_msg("case %zu: %s", i, err.text);
		if (cases[i].what && !strstr(err.text, "gang.conf"))
			fail_msg("case %zu: no remedy: %s", i, err.text);
		sgang_node_topo_destroy(topo);
	}
}

TEST(test_gres)
{
	static const struct {
		const char *gres;
		uint64_t gpus;
	} cases[] = {
		{ NULL, 0 },
		{ "", 0 },
		{ "nic:2", 0 },
		{ "gpux:2", 0 },
		{ "gpu", 1 },
		{ "gpu:8", 8 },
		{ "gpu:a100", 1 },
		{ "gpu:a100:4(S:0,1),nic:1,gpu:v100:2(S:1)", 6 },
		{ "gpu:no_consume:3,gpu(", 4 },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(sgang_node_topo_gres(cases[i].gres),
				 cases[i].gpus);
}

TEST_MAIN(NULL, NULL)
