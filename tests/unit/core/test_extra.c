/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_extra.c - what a node's `extra` field tells of the gangs on it */

#include <time.h>

#include "../unit.h"
#include "core/gang/extra.h"
#include "fuzz.h"

static const struct sgang_extra two[] = {
	{ "alice", "train", 8 },
	{ "bob", "serve", 4 },
};
#define ONE "gang=alice/train ranks=8"
#define TWO ONE ";gang=bob/serve ranks=4"

TEST(test_format)
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
		/* an account with a ';', as earlier versions wrote it */
		{ "rack 7 gang=a;b/train ranks=8", 1, "rack 7 " ONE },
		{ "gang=a;b;c/x ranks=1;gang=d;/y ranks=2 end", 0, "end" },
		/* not ours */
		{ "gang=alice/train", 1, "gang=alice/train " ONE },
		{ "gang=train ranks=8", 0, "gang=train ranks=8" },
		{ "gang=a/b ranks=", 0, "gang=a/b ranks=" },
		{ "gang=a/b ranks=8x", 0, "gang=a/b ranks=8x" },
		{ "gang=a/b ranks=8;", 0, "gang=a/b ranks=8;" },
		{ "gang=a/b ranks=8;gang=c", 0, "gang=a/b ranks=8;gang=c" },
		{ "x" ONE, 0, "x" ONE },
	};

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

/* Whatever an account is called, its words are known again. */
TEST(test_account)
{
	static const struct {
		const char *ns;
		const char *shown;
	} cases[] = {
		{ "a;b", "gang=a%3Bb/t ranks=1" },
		{ "a b", "gang=a%20b/t ranks=1" },
		{ "a\tb\n", "gang=a%09b%0A/t ranks=1" },
		{ ";", "gang=%3B/t ranks=1" },
		{ "a%/b", "gang=a%25%2Fb/t ranks=1" },
		{ "caf\303\251", "gang=caf\303\251/t ranks=1" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct sgang_extra gang = { cases[i].ns, "t", 1 };
		char *text = sgang_extra_format("rack", &gang, 1), *again;

		assert_string_equal(text + strlen("rack "), cases[i].shown);
		again = sgang_extra_format(text, &gang, 1);
		assert_string_equal(again, text);
		free(again);
		again = sgang_extra_format(text, NULL, 0);
		assert_string_equal(again, "rack");
		free(again);
		free(text);
	}
}

/* A million letters of words like ours, taken out in a moment. */
TEST(test_many_words)
{
	size_t n = 32000, length = strlen(ONE " ");
	char *text = malloc(n * length + 1), *own;
	clock_t begun = clock();

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		memcpy(text + i * length, ONE " ", length + 1);
	own = sgang_extra_format(text, NULL, 0);
	assert_string_equal(own, "");
	assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 2);
	free(own);
	free(text);
}

#define SEED 91

/* Whatever is in the field: what is left has none of our words, to name gangs
 * and to take them out again leaves it alone, and nobody's word is lost. */
TEST(test_random)
{
	static const char *const pieces[] = {
		ONE,  TWO,    " ", "  ", ";",        "gang=",   "ranks=1",
		"\t", "rack", "/", "8",  "gang=a/b", " ranks=",
	};
	uint64_t seed = SEED;

	for (int round = 0; round < 20000; round++) {
		char before[256] = "", *bare, *named, *again;
		uint32_t n = (uint32_t)fuzz_below(&seed, 8);

		while (n--)
			strcat(before,
			       pieces[fuzz_below(&seed, COUNT(pieces))]);
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

TEST_MAIN(NULL, NULL)
