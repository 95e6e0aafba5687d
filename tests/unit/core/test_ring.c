/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ring.c - what a closed ring costs (behaviours 4.14 to 4.16, 4.17, 4.18) */

#include "../unit.h"
#include "core/fabric/ring.h"
#include "textbook.h"

#define RUNS_MAX TEXTBOOK_GPUS

/* Read GPU numbers and make a run of each; GPU g is on node g div 4. */
static size_t read_runs(const char *gpus, struct sgang_run *runs)
{
	size_t n = 0;
	unsigned int gpu;
	int used;

	while (sscanf(gpus, "%u%n", &gpu, &used) == 1) {
		runs[n++] = (struct sgang_run){ .node = gpu / 4,
						.ranks = 1,
						.slots = 1 };
		gpus += used;
	}
	return n;
}

TEST(test_golden)
{
	static const struct {
		const char *gpus;
		unsigned int cost, cross;
	} cases[] = {
		{ "0 1 2 3 4 5 6 7", 14, 0 },      /* 4.18, 4.22 */
		{ "0 4 8 12 16 20 24 28", 80, 4 }, /* 4.18, 4.38 */
		{ "0 8 16 24", 64, 4 },
		{ "0 1 2 3", 4, 0 },
		{ "0 4 1 5 2 6 3 7", 32, 0 }, /* 4.21 */
		{ "0 1 2 3 8 9 10 11", 38, 2 },
		{ "0 8 1 9", 64, 4 },
		{ "0 1 8 9", 34, 2 },
		{ "0", 0, 0 },
		{ "0 1", 2, 0 }, /* two hops */
		{ "0 4", 8, 0 },
		{ "", 0, 0 },
	};
	const struct textbook *book = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_run runs[RUNS_MAX];
		struct sgang_ring ring;
		size_t n = read_runs(cases[i].gpus, runs);

		sgang_ring_measure(book->fabric, &book->costs, runs, n, &ring);
		assert_int_equal(ring.cost, cases[i].cost);
		assert_int_equal(ring.cross_links, cases[i].cross);
		assert_int_equal(ring.ranks, n);
	}
}

/* Runs of several ranks are the same as many runs of one. */
TEST(test_runs)
{
	static const struct sgang_run runs[] = {
		{ .node = 0, .ranks = 2 },
		{ .node = 0, .ranks = 2 },
		{ .node = 2, .ranks = 4 },
	};
	const struct textbook *book = *state;
	struct sgang_ring ring;

	sgang_ring_measure(book->fabric, &book->costs, runs, 3, &ring);
	assert_int_equal(ring.cost, 38);
	assert_int_equal(ring.cross_links, 2);
	assert_int_equal(ring.ranks, 8);
	assert_int_equal(ring.hops[SGANG_LEVEL_ISLAND], 6);
	assert_int_equal(ring.hops[SGANG_LEVEL_LEAF], 0);
	assert_int_equal(ring.hops[SGANG_LEVEL_LEAF + 1], 2);
	assert_int_equal(ring.tier, SGANG_LEVEL_LEAF + 1);
}

/* The first and the last run may be on one node. */
TEST(test_closes_at_home)
{
	static const struct sgang_run runs[] = {
		{ .node = 0, .ranks = 1 },
		{ .node = 1, .ranks = 3 },
		{ .node = 0, .ranks = 1 },
	};
	const struct textbook *book = *state;
	struct sgang_ring ring;

	sgang_ring_measure(book->fabric, &book->costs, runs, 3, &ring);
	assert_int_equal(ring.cost, 4 + 2 + 4 + 1);
	assert_int_equal(ring.hops[SGANG_LEVEL_ISLAND], 3);
	assert_int_equal(ring.hops[SGANG_LEVEL_LEAF], 2);
	assert_int_equal(ring.tier, SGANG_LEVEL_LEAF);
}

/* 4.15: turning or reversing the ring changes nothing. */
TEST(test_turned_and_reversed)
{
	const struct textbook *book = *state;
	struct sgang_run runs[RUNS_MAX], other[RUNS_MAX];
	struct sgang_ring ring, again;
	size_t n = read_runs("0 9 4 31 2 17 5 12 28 3", runs), by, i;

	sgang_ring_measure(book->fabric, &book->costs, runs, n, &ring);
	for (by = 0; by < n; by++) {
		for (i = 0; i < n; i++)
			other[i] = runs[(i + by) % n];
		sgang_ring_measure(book->fabric, &book->costs, other, n,
				   &again);
		assert_memory_equal(&ring, &again, sizeof(ring));
		for (i = 0; i < n; i++)
			other[i] = runs[(n - 1 - i + by) % n];
		sgang_ring_measure(book->fabric, &book->costs, other, n,
				   &again);
		assert_memory_equal(&ring, &again, sizeof(ring));
	}
}

TEST_MAIN(open_textbook, close_textbook)
