/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_near.c - which of several words somebody may have meant */

#include "../unit.h"
#include "core/base/near.h"

TEST(words_have_a_distance)
{
	static const struct {
		const char *wanted;
		const char *word;
		int distance; /* -1: not near */
	} cases[] = {
		{ "list", "list", 0 },
		{ "LIST", "list", 0 },
		{ "lsit", "list", 1 },
		{ "lst", "list", 1 },
		{ "lisst", "list", 1 },
		{ "lint", "list", 1 },
		{ "show", "list", -1 },
		{ "li", "list", -1 },
		{ "a", "b", -1 },
		{ "ab", "b", 1 },
		{ "", "list", -1 },
		{ "list", "", -1 },
		{ "trian1", "train1", 1 },
		{ "tarin-1", "train-1", 1 },
		{ "train-one", "train-two", 3 },
		{ "explian", "explain", 1 },
		{ "expalain", "explain", 1 },
		{ "caancell", "cancel", 2 },
		{ "cnecal", "cancel", -1 },
		{ "abcdefghijkl", "abcdefghWXYZ", -1 },
		{ "abcdefghijkl", "abcdefghiXYZ", 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_near near = { .wanted = cases[i].wanted };

		sgang_near_offer(&near, cases[i].word);
		if (cases[i].distance < 0) {
			assert_null(near.found);
			continue;
		}
		assert_ptr_equal(near.found, cases[i].word);
		assert_int_equal(near.distance, cases[i].distance);
	}
}

TEST(the_nearest_is_kept)
{
	struct sgang_near near = { .wanted = "train-12" };

	sgang_near_offer(&near, "train-34");
	assert_string_equal(near.found, "train-34");
	sgang_near_offer(&near, "train-1");
	sgang_near_offer(&near, "train-2");
	sgang_near_offer(&near, "other");
	assert_string_equal(near.found, "train-1");
}

TEST(what_is_too_long_is_nobodys_typing)
{
	struct sgang_near near = { .wanted = "train" };
	char word[4096];

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	sgang_near_offer(&near, word);
	assert_null(near.found);
	near.wanted = word;
	sgang_near_offer(&near, word);
	assert_null(near.found);
	word[64] = '\0';
	sgang_near_offer(&near, word);
	assert_ptr_equal(near.found, word);
}

TEST(a_hint_is_made)
{
	struct sgang_near near = { .wanted = "lsit" };
	char hint[SGANG_NEAR_HINT];

	assert_string_equal(sgang_near_hint(&near, hint, "see sgang(1)"),
			    "see sgang(1)");
	sgang_near_offer(&near, "list");
	assert_string_equal(sgang_near_hint(&near, hint, "see sgang(1)"),
			    "did you mean \"list\"?");
}

TEST_MAIN(NULL, NULL)
