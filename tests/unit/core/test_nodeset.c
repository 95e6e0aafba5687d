/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_nodeset.c - sets of node indices */

#include "../unit.h"
#include "core/base/nodeset.h"

/* Sizes on both sides of a word's end. */
static const uint32_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, 1000 };
#define N_SIZES (COUNT(sizes))

TEST(test_fill_and_clear)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		struct sgang_nodeset *set = sgang_nodeset_create(sizes[i]);

		assert_non_null(set);
		assert_int_equal(sgang_nodeset_size(set), sizes[i]);
		assert_int_equal(sgang_nodeset_count(set), 0);
		assert_int_equal(sgang_nodeset_next(set, 0), SGANG_NODE_NONE);
		sgang_nodeset_fill(set);
		assert_int_equal(sgang_nodeset_count(set), sizes[i]);
		assert_false(sgang_nodeset_has(set, sizes[i]));
		sgang_nodeset_clear(set);
		assert_int_equal(sgang_nodeset_count(set), 0);
		sgang_nodeset_destroy(set);
	}
}

TEST(test_add_and_remove)
{
	struct sgang_nodeset *set = sgang_nodeset_create(130);
	static const uint32_t nodes[] = { 0, 63, 64, 65, 128, 129 };
	uint32_t node;
	size_t i = 0;

	assert_non_null(set);
	for (i = 0; i < 6; i++) {
		sgang_nodeset_add(set, nodes[i]);
		sgang_nodeset_add(set, nodes[i]);
		assert_true(sgang_nodeset_has(set, nodes[i]));
	}
	sgang_nodeset_add(set, 130);
	sgang_nodeset_add(set, SGANG_NODE_NONE);
	assert_int_equal(sgang_nodeset_count(set), 6);
	assert_false(sgang_nodeset_has(set, SGANG_NODE_NONE));
	i = 0;
	for (node = sgang_nodeset_next(set, 0); node != SGANG_NODE_NONE;
	     node = sgang_nodeset_next(set, node + 1))
		assert_int_equal(node, nodes[i++]);
	assert_int_equal(i, 6);
	assert_int_equal(sgang_nodeset_next(set, 130), SGANG_NODE_NONE);
	sgang_nodeset_remove(set, 64);
	sgang_nodeset_remove(set, 64);
	sgang_nodeset_remove(set, 4711);
	assert_false(sgang_nodeset_has(set, 64));
	assert_int_equal(sgang_nodeset_count(set), 5);
	sgang_nodeset_destroy(set);
}

TEST(test_algebra)
{
	struct sgang_nodeset *a = sgang_nodeset_create(200), *b, *c;

	assert_non_null(a);
	for (uint32_t node = 0; node < 200; node += 2)
		sgang_nodeset_add(a, node);
	b = sgang_nodeset_copy(a);
	assert_non_null(b);
	assert_true(sgang_nodeset_equal(a, b));
	sgang_nodeset_clear(b);
	for (uint32_t node = 0; node < 200; node += 3)
		sgang_nodeset_add(b, node);
	assert_false(sgang_nodeset_equal(a, b));
	assert_true(sgang_nodeset_intersects(a, b));

	c = sgang_nodeset_copy(a);
	assert_non_null(c);
	sgang_nodeset_and(c, b);
	assert_int_equal(sgang_nodeset_count(c), 34); /* 0 6 ... 198 */
	sgang_nodeset_subtract(b, c);
	assert_false(sgang_nodeset_intersects(a, b));
	assert_int_equal(sgang_nodeset_count(b), 33); /* 3 9 ... 195 */
	sgang_nodeset_or(b, a);
	assert_int_equal(sgang_nodeset_count(b), 133);
	assert_true(sgang_nodeset_has(b, 195));
	sgang_nodeset_destroy(a);
	sgang_nodeset_destroy(b);
	sgang_nodeset_destroy(c);
}

TEST(test_other_sizes)
{
	struct sgang_nodeset *a = sgang_nodeset_create(10);
	struct sgang_nodeset *b = sgang_nodeset_create(11);

	assert_non_null(a);
	assert_non_null(b);
	assert_false(sgang_nodeset_equal(a, b));
	errno = EDOM;
	sgang_nodeset_destroy(a);
	sgang_nodeset_destroy(b);
	sgang_nodeset_destroy(NULL);
	assert_int_equal(errno, EDOM);
}

/* A set of another time may be of a smaller cluster, or of a larger one:
 * nothing is read or written beyond either. */
TEST(test_algebra_of_sizes)
{
	struct sgang_nodeset *small = sgang_nodeset_create(10);
	struct sgang_nodeset *large = sgang_nodeset_create(200), *set;

	assert_non_null(small);
	assert_non_null(large);
	sgang_nodeset_fill(small);
	sgang_nodeset_fill(large);

	set = sgang_nodeset_copy(large);
	assert_non_null(set);
	sgang_nodeset_subtract(set, small);
	assert_int_equal(sgang_nodeset_count(set), 190);
	sgang_nodeset_or(set, small);
	assert_true(sgang_nodeset_equal(set, large));
	sgang_nodeset_and(set, small);
	assert_int_equal(sgang_nodeset_count(set), 10);
	sgang_nodeset_destroy(set);

	set = sgang_nodeset_create(10);
	assert_non_null(set);
	sgang_nodeset_or(set, large);
	assert_true(sgang_nodeset_equal(set, small));
	sgang_nodeset_and(set, large);
	assert_true(sgang_nodeset_equal(set, small));
	sgang_nodeset_subtract(set, large);
	assert_int_equal(sgang_nodeset_count(set), 0);
	sgang_nodeset_destroy(set);
	sgang_nodeset_destroy(small);
	sgang_nodeset_destroy(large);
}

/* Words from elsewhere: the same nodes as one by one, and none beyond the size,
 * whatever the words say there. */
TEST(test_add_words)
{
	static const uint64_t words[] = { 0x8000000000000005u, UINT64_MAX };

	for (uint32_t size = 0; size <= 140; size++) {
		struct sgang_nodeset *all = sgang_nodeset_create(size);
		struct sgang_nodeset *each = sgang_nodeset_create(size);

		assert_non_null(all);
		assert_non_null(each);
		sgang_nodeset_add_words(all, words, 2);
		for (uint32_t n = 0; n < 128; n++) {
			if (words[n / 64] >> n % 64 & 1)
				sgang_nodeset_add(each, n);
		}
		assert_true(sgang_nodeset_equal(all, each));
		assert_int_equal(sgang_nodeset_count(all),
				 sgang_nodeset_count(each));
		sgang_nodeset_destroy(all);
		sgang_nodeset_destroy(each);
	}
}

TEST_MAIN(NULL, NULL)
