/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ranks.c - how many ranks a job has on each of its nodes, their order */

#include "../unit.h"
#include "core/gang/ranks.h"
#include "fail_alloc.h"

#define NODES_MAX 8

TEST(test_read)
{
	static const struct {
		const char *text;
		size_t n;
		int rc;
		uint32_t ranks[NODES_MAX];
	} cases[] = {
		{ "1", 1, 0, { 1 } },
		{ "2(x4)", 4, 0, { 2, 2, 2, 2 } },
		{ "4,2,1(x2)", 4, 0, { 4, 2, 1, 1 } },
		{ "1(x1),3", 2, 0, { 1, 3 } },
		{ "4294967295", 1, 0, { 4294967295 } },
		{ "2(x4)", 3, -1, { 0 } },
		{ "2(x4)", 5, -1, { 0 } },
		{ "1,1", 3, -1, { 0 } },
		{ "1,1,", 2, -1, { 0 } },
		{ "1,", 1, -1, { 0 } },
		{ "0", 1, -1, { 0 } },
		{ "", 1, -1, { 0 } },
		{ "", 0, -1, { 0 } },
		{ "x", 1, -1, { 0 } },
		{ "1 ", 1, -1, { 0 } },
		{ "2(x", 1, -1, { 0 } },
		{ "2(x0)", 1, -1, { 0 } },
		{ "2(x1", 1, -1, { 0 } },
		{ "2(1)", 1, -1, { 0 } },
		{ "4294967296", 1, -1, { 0 } },
		{ "1(x4294967295)", 8, -1, { 0 } },
		{ "00000000000000000001", 1, -1, { 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t ranks[NODES_MAX] = { 0 };
		struct sgang_error err = { "" };
		int rc = sgang_ranks_read(cases[i].text, cases[i].n, ranks,
					  &err);

		if (rc != cases[i].rc)
			fail_msg("\"%s\": %d", cases[i].text, rc);
		if (rc) {
			assert_int_equal(errno, EINVAL);
			assert_non_null(strstr(err.text, "how many ranks"));
			continue;
		}
		assert_memory_equal(ranks, cases[i].ranks,
				    cases[i].n * sizeof(*ranks));
	}
}

/* The first three were seen on Slurm 22.05. */
TEST(test_spread)
{
	static const struct {
		size_t n;
		uint32_t cpus[NODES_MAX];
		uint32_t cpus_per_rank;
		uint64_t total;
		uint32_t ranks[NODES_MAX];
	} cases[] = {
		{ 4, { 4, 2, 1, 1 }, 1, 8, { 4, 2, 1, 1 } },
		{ 4, { 4, 4, 4, 4 }, 2, 8, { 2, 2, 2, 2 } },
		{ 4, { 4, 4, 4, 4 }, 1, 4, { 1, 1, 1, 1 } },
		{ 2, { 4, 4 }, 1, 5, { 3, 2 } },
		{ 2, { 1, 8 }, 1, 6, { 1, 5 } },
		{ 3, { 4, 2, 4 }, 1, 7, { 3, 2, 2 } },
		/* more than there is room for */
		{ 2, { 2, 1 }, 1, 7, { 4, 3 } },
		/* a node that is too small for one */
		{ 2, { 1, 4 }, 2, 3, { 1, 2 } },
		{ 2, { 2, 2 }, 0, 4, { 2, 2 } },
		{ 2, { 2, 2 }, 1, 0, { 0, 0 } },
		{ 0, { 0 }, 1, 4, { 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t ranks[NODES_MAX] = { 7, 7, 7, 7 };

		sgang_ranks_spread(cases[i].cpus, cases[i].n,
				   cases[i].cpus_per_rank, cases[i].total,
				   ranks);
		if (memcmp(ranks, cases[i].ranks, cases[i].n * sizeof(*ranks)))
			fail_msg("case %zu: %u %u %u %u", i, ranks[0], ranks[1],
				 ranks[2], ranks[3]);
	}
}

static int order(const char *const *listed, const char *const *ring, size_t n,
		 size_t *where)
{
	struct sgang_error err;

	return sgang_ranks_order((char *const *)listed, (char *const *)ring, n,
				 where, &err);
}

TEST(test_order)
{
	const char *const listed[] = { "n1", "n2", "n10", "n3" };
	const char *const ring[] = { "n10", "n3", "n2", "n1" };
	const char *const other[] = { "n10", "n3", "n2", "n4" };
	const char *const twice[] = { "n10", "n3", "n10", "n1" };
	size_t where[4];

	assert_int_equal(order(listed, ring, 4, where), 0);
	assert_int_equal(where[0], 2);
	assert_int_equal(where[1], 3);
	assert_int_equal(where[2], 1);
	assert_int_equal(where[3], 0);
	assert_int_equal(order(listed, other, 4, where), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(order(listed, twice, 4, where), -1);
	assert_int_equal(order(twice, listed, 4, where), -1);
	assert_int_equal(order(NULL, NULL, 0, where), 0);
}

TEST(test_no_memory)
{
	const char *const names[] = { "n1" };
	size_t where[1];

	for (int fail = 1; fail <= 2; fail++) {
		fail_at((unsigned long)fail);
		assert_int_equal(order(names, names, 1, where), -1);
		assert_int_equal(errno, ENOMEM);
		assert_true(fail_happened);
		assert_int_equal(fail_live, 0);
	}
	fail_at(0);
}

TEST_MAIN(NULL, NULL)
