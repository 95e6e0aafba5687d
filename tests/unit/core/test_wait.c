/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_wait.c - unit tests of wait.c */

#include "../unit.h"
#include "core/gang/wait.h"
#include "fuzz.h"

#define SEED 33053

/* 4.37, exercise 33.5.3: waiting 600 s, step 1 s, slowdown 5.7, everything
 * communicates: waiting pays from 128 steps on (600 / 4.7 = 127.7). */
TEST(test_golden)
{
	const struct sgang_wait_place place[] = { { 0, 57 }, { 600, 10 } };
	struct sgang_wait_question q = { .best = 10, .share = 1000 };

	q.run = 127;
	assert_int_equal(sgang_wait_choose(&q, place, 2), 0);
	q.run = 128;
	assert_int_equal(sgang_wait_choose(&q, place, 2), 1);
	assert_int_equal(sgang_wait_extra(&q, 57), 601);
	assert_int_equal(sgang_wait_extra(&q, 10), 0);
	/* with a share of 0.3 it takes ten thirds as long */
	q.share = 300;
	q.run = 425;
	assert_int_equal(sgang_wait_choose(&q, place, 2), 0);
	q.run = 427;
	assert_int_equal(sgang_wait_choose(&q, place, 2), 1);
}

/* What was waited counts: a place that keeps being put off is given up. */
TEST(test_waited)
{
	struct sgang_wait_place place[] = { { 0, 40 }, { 0, 20 } };
	struct sgang_wait_question q = {
		.best = 10,
		.run = 100,
		.share = 1000,
		.since = 1000,
	};
	int64_t now = 1000;

	/* it saves 200 s, and is always 90 s away */
	for (; now < 3000; now += 30) {
		q.now = now;
		place[1].when = now + 90;
		if (!sgang_wait_choose(&q, place, 2))
			break;
	}
	assert_int_equal(now, 1120);
}

/* The earliest end, among those that save more than is waited for them; checked
 * against the plain definition. */
TEST(test_random)
{
	uint64_t seed = SEED;

	for (int round = 0; round < 20000; round++) {
		struct sgang_wait_place place[6];
		size_t n = 1 + fuzz_below(&seed, 6), i, chosen;
		struct sgang_wait_question q = {
			.best = 1 + fuzz_below(&seed, 50),
			.run = (uint32_t)fuzz_below(&seed, 1000),
			.share = 1 + (uint32_t)fuzz_below(&seed, 1000),
			.now = 500,
			.since = (int64_t)fuzz_below(&seed, 600),
		};
		int64_t waited = q.since < 500 ? 500 - q.since : 0;
		int64_t saved, later;

		for (i = 0; i < n; i++) {
			place[i].when = 500 + (int64_t)fuzz_below(&seed, 900) *
						      (i > 0);
			place[i].cost = q.best + fuzz_below(&seed, 100);
		}
		chosen = sgang_wait_choose(&q, place, n);
		assert_true(chosen < n);
		saved = sgang_wait_extra(&q, place[0].cost) -
			sgang_wait_extra(&q, place[chosen].cost);
		later = place[chosen].when - 500;
		if (chosen)
			assert_true(waited + later < saved);
		for (i = 0; i < n; i++) {
			int64_t also = place[i].when - 500;
			int64_t extra = sgang_wait_extra(&q, place[i].cost);

			if (i &&
			    waited + also >=
				    sgang_wait_extra(&q, place[0].cost) - extra)
				continue;
			assert_true(also + extra >=
				    later + sgang_wait_extra(
						    &q, place[chosen].cost));
		}
	}
}

TEST_MAIN(NULL, NULL)
