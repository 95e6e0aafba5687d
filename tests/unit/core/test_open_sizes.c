/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_open_sizes.c - sizes of communication groups that are left open, 4.32 */

#include "../unit.h"
#include "core/fabric/open_sizes.h"

static struct sgang_open_sizes parsed(const char *text)
{
	struct sgang_open_sizes sizes;
	struct sgang_error err;

	assert_int_equal(sgang_open_sizes_parse(text, &sizes, &err), 0);
	return sizes;
}

static size_t ways_of(const char *text, uint64_t ranks,
		      struct sgang_parallel **ways)
{
	struct sgang_open_sizes sizes = parsed(text);
	struct sgang_error err;
	size_t n = 0;

	assert_int_equal(sgang_open_sizes_ways(&sizes, ranks, ways, &n, &err),
			 0);
	return n;
}

TEST(test_parse)
{
	struct sgang_open_sizes sizes =
		parsed("tp=?,dp=4,pp=?:tp=100,dp=10,pp=1");
	struct sgang_error err;

	assert_true(sgang_open_sizes_any("tp=8,dp=?"));
	assert_false(sgang_open_sizes_any("tp=8,dp=4"));
	assert_true(sizes.open[0]);
	assert_false(sizes.open[1]);
	assert_true(sizes.open[2]);
	assert_int_equal(sizes.parallel.group[1].size, 4);
	assert_int_equal(sizes.parallel.group[0].weight, 100);
	/* what is no size is refused as ever */
	assert_int_equal(sgang_open_sizes_parse("tp=?x", &sizes, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(sgang_open_sizes_parse("tp=4:tp=?", &sizes, &err), -1);
	assert_int_equal(sgang_open_sizes_parse("?", &sizes, &err), -1);
}

TEST(test_one_open)
{
	struct sgang_parallel *ways;

	assert_int_equal(ways_of("tp=?,dp=4,pp=2", 64, &ways), 1);
	assert_int_equal(ways[0].group[0].size, 8);
	assert_int_equal(ways[0].group[1].size, 4);
	free(ways);
}

TEST(test_order)
{
	static const uint32_t tp[] = { 12, 6, 4, 3, 2, 1 };
	struct sgang_parallel *ways;

	assert_int_equal(ways_of("tp=?,dp=?", 12, &ways), 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(ways[i].group[0].size, tp[i]);
		assert_int_equal(ways[i].group[1].size, 12 / tp[i]);
	}
	free(ways);
}

/* Against trying all sizes. */
TEST(test_brute_force)
{
	for (uint64_t ranks = 1; ranks <= 120; ranks++) {
		struct sgang_parallel *ways;
		size_t n = ways_of("a=?,b=?,c=?", ranks, &ways), expected = 0;

		for (uint64_t a = 1; a <= ranks; a++)
			for (uint64_t b = 1; a * b <= ranks; b++)
				expected += ranks % (a * b) == 0;
		assert_int_equal(n, expected);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(sgang_parallel_ranks(&ways[i]), ranks);
			if (i)
				assert_true(ways[i].group[0].size <=
					    ways[i - 1].group[0].size);
		}
		free(ways);
	}
}

TEST(test_refused)
{
	struct sgang_open_sizes sizes = parsed("tp=?,dp=5");
	struct sgang_parallel *ways;
	struct sgang_error err;
	size_t n;

	assert_int_equal(sgang_open_sizes_ways(&sizes, 64, &ways, &n, &err),
			 -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text,
			    "the sizes that are given make 5, by "
			    "which the gang's 64 ranks cannot be divided");
	sizes = parsed("a=?,b=?,c=?,d=?,e=?,f=?");
	assert_int_equal(
		sgang_open_sizes_ways(&sizes, 1 << 20, &ways, &n, &err), -1);
	assert_non_null(strstr(err.text, "give one more size"));
}

TEST_MAIN(NULL, NULL)
