/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_progress.c - how far a gang is, as a bar of characters */

#include "../unit.h"
#include "cmd/progress.h"

TEST(bars_and_words)
{
	static const struct {
		uint32_t pending, held, running, ended, min;
		const char *bar;
		const char *words;
	} cases[] = {
		{ 0, 0, 0, 0, 4, "", "0/4 members, 0 with nodes" },
		{ 2, 0, 0, 0, 4, "+++++.....", "2/4 members, 0 with nodes" },
		{ 2, 1, 0, 0, 4, "##+++++...", "3/4 members, 1 with nodes" },
		{ 0, 2, 2, 0, 4, "##########", "4/4 members, 4 with nodes" },
		{ 6, 2, 0, 0, 4, "##++++++++", "8/4 members, 2 with nodes" },
		{ 1, 0, 0, 0, 100000, "+.........",
		  "1/100000 members, 0 with nodes" },
		{ 99999, 0, 0, 0, 100000, "+++++++++.",
		  "99999/100000 members, 0 with nodes" },
		{ 3, 0, 0, 0, 0, "",
		  "3 members, nobody has said how many it "
		  "needs" },
		{ 0, 0, 0, 4, 4, "", "4 members ended" },
		{ 0, 0, 0, 1, 1, "", "1 member ended" },
		{ UINT32_MAX - 1, 1, 0, 0, 2, "#+++++++++",
		  "4294967295/2 members, 1 with nodes" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_record record = { .min_member = cases[i].min };
		struct sgang_gang gang = {
			.record = &record,
			.pending = cases[i].pending,
			.held = cases[i].held,
			.running = cases[i].running,
			.ended = cases[i].ended,
		};
		char bar[SGANG_PROGRESS_MAX + 1];
		char words[SGANG_PROGRESS_WORDS];

		assert_string_equal(sgang_progress_bar(&gang, 10, bar),
				    cases[i].bar);
		assert_string_equal(sgang_progress_words(&gang, words),
				    cases[i].words);
	}
}

TEST_MAIN(NULL, NULL)
