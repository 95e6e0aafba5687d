/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_tidy.c - which of the choices that cost the same is taken */

#include "../unit.h"
#include "core/plan/plan_private.h"

#define N 4 /* children, with one way to use each */

static const struct trial {
	const char *about;
	sgang_plan_key key[N];
	uint64_t cap[N], full[N], need;
	uint32_t before[N], after[N]; /* what is chosen */
} trials[] = {
	{ "of children that are alike the first", LIST(5, 5, 5, 5),
	  LIST(4, 4, 4, 4), LIST(4, 4, 4, 4), 8, LIST(0, 0, 1, 1),
	  LIST(1, 1, 0, 0) },
	{ "the first too, when some are chosen already", LIST(5, 5, 5, 5),
	  LIST(4, 4, 4, 4), LIST(4, 4, 4, 4), 8, LIST(0, 1, 0, 1),
	  LIST(1, 1, 0, 0) },
	{ "another price is another choice", LIST(7, 5, 5, 3), LIST(4, 4, 4, 4),
	  LIST(4, 4, 4, 4), 4, LIST(0, 0, 1, 0), LIST(0, 1, 0, 0) },
	{ "what leaves less room unused before what comes first",
	  LIST(5, 5, 5, 5), LIST(4, 4, 4, 4), LIST(9, 8, 6, 8), 4,
	  LIST(1, 0, 0, 0), LIST(0, 0, 1, 0) },
	{ "and then the first of these", LIST(5, 5, 5, 5), LIST(4, 4, 4, 4),
	  LIST(9, 6, 8, 6), 4, LIST(1, 0, 0, 0), LIST(0, 1, 0, 0) },
	{ "not one with too few units", LIST(5, 5, 5, 5), LIST(4, 3, 4, 4),
	  LIST(9, 3, 9, 9), 4, LIST(0, 0, 0, 1), LIST(1, 0, 0, 0) },
	{ "but one with fewer that are enough", LIST(5, 5, 5, 5),
	  LIST(4, 3, 4, 4), LIST(9, 3, 9, 9), 3, LIST(0, 0, 0, 1),
	  LIST(0, 1, 0, 0) },
};

TEST(choices_are_tidied)
{
	for (size_t i = 0; i < COUNT(trials); i++) {
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
