/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_extra.c - what a node's `extra` field tells of the gangs on it */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/extra.h"
#include "fuzz.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct sgang_extra two[] = {
	{ "alice", "train", 8 }, { "bob", "serve", 4 },
};
#define ONE "gang=alice/train ranks=8"
#define TWO ONE ";gang=bob/serve ranks=4"

static void test_format(void **state)
{
	static const struct {
		const char *before;
		size_t n;
		const char *after;
	} cases[] = {
		{ NULL, 0, "" },
		{ "", 0, "" },
		{ NULL, 1, ONE },
		{ NULL, 2, TWO },
		{ TWO, 1, ONE },
		{ TWO, 0, "" },
		{ "rack 7", 2, "rack 7 " TWO },
		{ "rack 7 " TWO, 0, "rack 7" },
		{ "rack 7 " TWO " spare", 1, "rack 7 spare " ONE },
		{ ONE " a " TWO " b", 0, "a b" },
		{ "rack\n" ONE, 0, "rack" },
		/* not ours */
		{ "gang=alice/train", 1, "gang=alice/train " ONE },
		{ "gang=train ranks=8", 0, "gang=train ranks=8" },
		{ "gang=a/b ranks=", 0, "gang=a/b ranks=" },
		{ "gang=a/b ranks=8x", 0, "gang=a/b ranks=8x" },
		{ "gang=a/b ranks=8;", 0, "gang=a/b ranks=8;" },
		{ "gang=a/b ranks=8;gang=c", 0, "gang=a/b ranks=8;gang=c" },
		{ "x" ONE, 0, "x" ONE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = sgang_extra_format(cases[i].before, two,
						cases[i].n);

		assert_non_null(text);
		assert_string_equal(text, cases[i].after);
		assert_int_equal(sgang_extra_found(text), cases[i].n > 0);
		free(text);
	}
	assert_false(sgang_extra_found(NULL));
}

#define SEED 91

/* Whatever is in the field: what is left has none of our words, to name gangs
 * and to take them out again leaves it alone, and nobody's word is lost. */
static void test_random(void **state)
{
	static const char *const pieces[] = {
		ONE, TWO, " ", "  ", ";", "gang=", "ranks=1", "\t", "rack", "/",
		"8", "gang=a/b", " ranks=",
	};
	uint64_t seed = SEED;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char before[256] = "", *bare, *named, *again;
		uint32_t n = (uint32_t)fuzz_below(&seed, 8);

		while (n--)
			strcat(before, pieces[fuzz_below(&seed, COUNT(pieces))]);
		bare = sgang_extra_format(before, NULL, 0);
		assert_non_null(bare);
		if (sgang_extra_found(bare))
			fail_msg("seed %d: \"%s\" from \"%s\"", SEED, bare,
				 before);
		if (!sgang_extra_found(before))
			assert_memory_equal(before, bare, strlen(bare));
		named = sgang_extra_format(bare, two, 2);
		assert_non_null(named);
		again = sgang_extra_format(named, NULL, 0);
		assert_non_null(again);
		assert_string_equal(again, bare);
		free(bare);
		free(named);
		free(again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
