/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_node_order.c - the order of a list of nodes as text */

#include "../unit.h"
#include "core/gang/node_order.h"
#include "fuzz.h"

#define NODES_MAX 600

TEST(test_write)
{
	static const struct {
		const char *names[6];
		size_t n;
		const char *text;
	} cases[] = {
		{ { "n1" }, 1, "0" },
		{ { "n1", "n2", "n3" }, 3, "0-2" },
		{ { "n3", "n2", "n1" }, 3, "2-0" },
		{ { "n3", "n7", "n5", "n1" }, 4, "1,3-2,0" },
		{ { "n1", "n3", "n2", "n4" }, 4, "0,2-1,3" },
		/* by strcmp(), not by number */
		{ { "n9", "n10", "n11" }, 3, "2,0-1" },
		{ { "b", "a9", "c", "d", "a10", "e" }, 6, "2-1,3-4,0,5" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = sgang_node_order_write(cases[i].names, cases[i].n);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

TEST(test_refused)
{
	static const char *const cases[] = {
		"",
		"0",
		"0-1",
		"0-3",
		"0,1,1",
		"0,1,",
		",0,1,2",
		"0-",
		"2-0,",
		"0,1,3",
		"-2",
		"0,1,2,2",
		"x",
		"0 1 2",
		"99999999999999999999",
		"0-99999999999999999999",
	};
	char *names[] = { (char *)"n3", (char *)"n1", (char *)"n2" };
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (!sgang_node_order_apply(cases[i], names, 3, &err))
			fail_msg("\"%s\" is taken", cases[i]);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(names[0], "n3");
		assert_string_equal(names[2], "n2");
	}
	assert_int_equal(sgang_node_order_apply("0-2", names, 3, &err), 0);
	assert_string_equal(names[0], "n1");
	assert_string_equal(names[2], "n3");
}

/* 5.6: any order of any nodes is read back, from the same names in any other
 * order. */
TEST(test_round_trip)
{
	static char name[NODES_MAX][16];
	uint64_t seed = 4711;

	for (int round = 0; round < 300; round++) {
		size_t n = 1 + (size_t)fuzz_below(&seed, NODES_MAX);
		const char *ring[NODES_MAX];
		char *listed[NODES_MAX], *text;

		for (size_t i = 0; i < n; i++) {
			snprintf(name[i], sizeof(name[i]), "n%zu", i);
			ring[i] = listed[i] = name[i];
		}
		/* some stay where they are, or in pairs */
		for (size_t i = fuzz_below(&seed, n + 1); i > 1; i--) {
			size_t k = (size_t)fuzz_below(&seed, i);
			const char *swap = ring[i - 1];

			ring[i - 1] = ring[k];
			ring[k] = swap;
		}
		text = sgang_node_order_write(ring, n);
		assert_non_null(text);
		assert_int_equal(sgang_node_order_apply(text, listed, n, NULL),
				 0);
		for (size_t i = 0; i < n; i++)
			assert_ptr_equal(listed[i], ring[i]);
		free(text);
	}
}

TEST_MAIN(NULL, NULL)
