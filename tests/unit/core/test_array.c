/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_array.c - job array expressions */

#include "../unit.h"
#include "core/base/array.h"
#include "fail_alloc.h"
#include "fuzz.h"

TEST(test_parse)
{
	static const struct {
		const char *expr;
		int rc;
		uint32_t tasks;
		uint32_t throttle;
	} cases[] = {
		{ "0", 0, 1, 0 },
		{ "0-15", 0, 16, 0 },
		{ "0-15:4", 0, 4, 0 },
		{ "0-16:4,20%3", 0, 6, 3 },
		{ "1,1,1", 0, 1, 0 },
		{ "0-7,4-11", 0, 12, 0 },
		{ "5%0", 0, 1, 0 },
		{ "4000000", 0, 1, 0 },
		{ "0-4000000%4000000", 0, 4000001, 4000000 },
		{ "", -1, 0, 0 },
		{ "x", -1, 0, 0 },
		{ "0-", -1, 0, 0 },
		{ "-3", -1, 0, 0 },
		{ "3-1", -1, 0, 0 },
		{ "0,", -1, 0, 0 },
		{ "0-7:0", -1, 0, 0 },
		{ "0:2", -1, 0, 0 },
		{ "0-7%", -1, 0, 0 },
		{ "0-7%2%3", -1, 0, 0 },
		{ "0-7%2,9", -1, 0, 0 },
		{ "%2", -1, 0, 0 },
		{ "4000001", -1, 0, 0 },
		{ "99999999999999999999", -1, 0, 0 },
		{ "0-3,7,...", -1, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t tasks = 4711, throttle = 4711;
		int rc = sgang_array_parse(cases[i].expr, &tasks, &throttle);

		if (rc != cases[i].rc)
			fail_msg("%s: %d", cases[i].expr, rc);
		if (rc)
			assert_int_equal(errno, EINVAL);
		assert_int_equal(tasks, rc ? 4711 : cases[i].tasks);
		assert_int_equal(throttle, rc ? 4711 : cases[i].throttle);
	}
	assert_int_equal(sgang_array_parse("0-3%2", NULL, NULL), 0);
}

TEST(test_no_memory)
{
	uint32_t tasks = 4711;

	fail_at(1);
	assert_int_equal(sgang_array_parse("0-3", &tasks, NULL), -1);
	assert_int_equal(errno, ENOMEM);
	assert_true(fail_happened);
	assert_int_equal(tasks, 4711);
}

#define SEED 8

TEST(test_random_bytes)
{
	uint64_t seed = SEED;
	int round, taken = 0;

	for (round = 0; round < 3000; round++) {
		char text[10];
		uint32_t tasks = 0, throttle = 0;

		fuzz_text(&seed, "0123,-:%", text, sizeof(text));
		if (sgang_array_parse(text, &tasks, &throttle)) {
			if (errno != EINVAL)
				fail_msg("seed %d round %d: %s", SEED, round,
					 text);
			continue;
		}
		taken++;
		assert_in_range(tasks, 1, SGANG_ARRAY_TASK_MAX + 1);
		assert_in_range(throttle, 0, SGANG_ARRAY_TASK_MAX);
	}
	assert_in_range(taken, 1, round - 1);
}

TEST_MAIN(NULL, NULL)
