/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_tidy.c - which of the choices that cost the same is taken */

#include "../unit.h"
#include "core/plan/plan_private.h"

#define N 4 /* children, with one way to use each */

static const struct trial {
	const char *about;
	sgang_plan_key key[N];
	uint64_t cap[N];
	uint64_t full[N];
	uint64_t need;
	uint32_t before[N]; /* what is chosen */
	uint32_t after[N];
} trials[] = {
	{ "of children that are alike the first",
	  { 5, 5, 5, 5 },
	  { 4, 4, 4, 4 },
	  { 4, 4, 4, 4 },
	  8,
	  { 0, 0, 1, 1 },
	  { 1, 1, 0, 0 } },
	{ "the first too, when some are chosen already",
	  { 5, 5, 5, 5 },
	  { 4, 4, 4, 4 },
	  { 4, 4, 4, 4 },
	  8,
	  { 0, 1, 0, 1 },
	  { 1, 1, 0, 0 } },
	{ "another price is another choice",
	  { 7, 5, 5, 3 },
	  { 4, 4, 4, 4 },
	  { 4, 4, 4, 4 },
	  4,
	  { 0, 0, 1, 0 },
	  { 0, 1, 0, 0 } },
	{ "what leaves less room unused before what comes first",
	  { 5, 5, 5, 5 },
	  { 4, 4, 4, 4 },
	  { 9, 8, 6, 8 },
	  4,
	  { 1, 0, 0, 0 },
	  { 0, 0, 1, 0 } },
	{ "and then the first of these",
	  { 5, 5, 5, 5 },
	  { 4, 4, 4, 4 },
	  { 9, 6, 8, 6 },
	  4,
	  { 1, 0, 0, 0 },
	  { 0, 1, 0, 0 } },
	{ "not one with too few units",
	  { 5, 5, 5, 5 },
	  { 4, 3, 4, 4 },
	  { 9, 3, 9, 9 },
	  4,
	  { 0, 0, 0, 1 },
	  { 1, 0, 0, 0 } },
	{ "but one with fewer that are enough",
	  { 5, 5, 5, 5 },
	  { 4, 3, 4, 4 },
	  { 9, 3, 9, 9 },
	  3,
	  { 0, 0, 0, 1 },
	  { 0, 1, 0, 0 } },
};

TEST(choices_are_tidied)
{
	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++) {
		const struct trial *t = &trials[i];
		struct sgang_point point[N];
		struct sgang_front front[N];
		uint32_t item[N];
		struct sgang_pool pool = { NULL };
		struct sgang_choice choice = {
			.front = front,
			.full = t->full,
			.n = N,
			.need = t->need,
			.pool = &pool,
			.item = item,
		};

		for (uint32_t c = 0; c < N; c++) {
			point[c].key = t->key[c];
			point[c].cap = t->cap[c];
			front[c].point = &point[c];
			front[c].n = 1;
		}
		memcpy(item, t->before, sizeof(item));
		sgang_choose_tidy(&choice);
		if (memcmp(item, t->after, sizeof(item)))
			fail_msg("%s: %u %u %u %u", t->about, item[0], item[1],
				 item[2], item[3]);
	}
}

TEST_MAIN(NULL, NULL)
