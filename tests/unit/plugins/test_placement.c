/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_placement.c - islands and policies of levels on a toy cluster */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/core/fuzz.h"
#include "unit/plugins/toy_cluster.h"

/* ---- islands: each node has two of two CPUs ---- */

static int setup_islands(void **state)
{
	setup(state);
	sgang_conductor_destroy(c);
	toy_islands = 2;
	start_conductor();
	return 0;
}

static struct fake_request piece_of(const char *gang, uint32_t min,
				    uint32_t cpus)
{
	struct fake_request rq = member_of(gang, min);

	rq.cpus = cpus;
	rq.ranks = cpus;
	return rq;
}

/* The islands of its first node that a job has something of, as bits. */
static unsigned int islands_of(uint32_t id)
{
	const struct fake_job *j = fake_job(id);
	unsigned int found = 0, n = 0;

	while (!(j->nodes >> n & 1))
		n++;
	for (unsigned int i = 0; i < FAKE_ISLANDS; i++)
		found |= (j->cpus_in[n][i] != 0) << i;
	return found;
}

/* A job on one CPU of every node: the first island of each is half used. */
static void break_first_islands(uint32_t nodes)
{
	for (uint32_t n = 0; n < nodes; n++) {
		struct fake_request rq = plain(1, 1000);

		rq.cpus = 1;
		assert_true(fake_start(submit(rq), (uint64_t) 1 << n));
	}
}

/* 4.20, 4.22, 4.30: two CPUs in one island whenever one is free. */
static void test_one_island(void **state)
{
	uint32_t ids[4];

	(void) state;
	break_first_islands(NODES);
	submit_many(piece_of("train", 4, 2), 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(islands_of(ids[i]), 2);
	/* 4 ranks pairs in 4 islands of 4 nodes of a leaf: 4 hops inside, 4 out
	 */
	assert_int_equal(record_of(ids[0]).ring_cost, 4 * 1 + 4 * 4);
	assert_string_equal(record_of(ids[0]).hops, "island:4,leaf:4");
	assert_string_equal(record_of(ids[0]).tier, "leaf");
	assert_true(record_of(ids[0]).exact);
	assert_false(record_of(ids[0]).any_device);
	/* on an empty cluster two nodes would do */
	assert_int_equal(record_of(ids[0]).ring_best, 4 * 1 + 2 * 2 + 2 * 4);
}

/* Two members of half a node fill it as two islands. */
static void test_two_fill_a_node(void **state)
{
	uint32_t ids[2];

	(void) state;
	submit_many(piece_of("train", 2, 2), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_true(fake_job(ids[0])->nodes == fake_job(ids[1])->nodes);
	assert_int_equal(islands_of(ids[0]) | islands_of(ids[1]), 3);
	assert_int_equal(islands_of(ids[0]) & islands_of(ids[1]), 0);
	assert_string_equal(record_of(ids[0]).tier, "node");
	assert_int_equal(record_of(ids[0]).ring_cost, 2 * 1 + 2 * 2);
	assert_string_equal(fake_getenv(ids[1], "SLURM_GANG_NODELIST"),
			    "n0,n0");
}

/* Where no island has room, the pieces of several will do. */
static void test_across_islands(void **state)
{
	uint32_t ids[2];

	(void) state;
	submit_many(piece_of("train", 2, 3), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_int_equal(islands_of(ids[0]), 3);
	/* 2 + 1 on each of two nodes */
	assert_string_equal(record_of(ids[0]).hops, "island:2,node:2,leaf:2");
	assert_int_equal(record_of(ids[0]).ring_cost, 2 * 1 + 2 * 2 + 2 * 4);
}

/* Whole nodes have both: what is inside counts, and is the same everywhere. */
static void test_whole_nodes(void **state)
{
	struct fake_request rq = member_of("train", 2);
	uint32_t ids[2];

	(void) state;
	rq.ranks = 4;
	submit_many(rq, 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_int_equal(record_of(ids[0]).ring_cost, 4 * 1 + 2 * 2 + 2 * 4);
	assert_int_equal(record_of(ids[0]).ring_best,
			 record_of(ids[0]).ring_cost);
	assert_true(record_of(ids[0]).exact);
}

/* A member of two nodes: one island of each. */
static void test_two_nodes_each(void **state)
{
	struct fake_request rq = piece_of("train", 2, 2);
	uint32_t ids[2];

	(void) state;
	rq.nodes = 2;
	rq.ranks = 4;
	submit_many(rq, 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	for (uint32_t i = 0; i < 2; i++) {
		unsigned int both = islands_of(ids[i]);

		assert_true(both == 1 || both == 2);
	}
	assert_string_equal(record_of(ids[0]).tier, "leaf");
}

/* Where Slurm cannot be kept to islands, the placement says so. */
static void test_any_device(void **state)
{
	uint32_t ids[2];

	(void) state;
	fake_hide_islands(true);
	submit_many(piece_of("train", 2, 2), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_true(record_of(ids[0]).any_device);
	assert_non_null(strstr(fake_job(ids[0])->comment, " device=any"));
}

/* Random pieces and ends: nothing is ever overbooked (the toy cluster watches),
 * and what fits into an island is in one if the plan could have it so. */
static void test_random_islands(void **state)
{
	uint64_t seed = 4;

	(void) state;
	for (int round = 0; round < 300; round++) {
		struct fake_request rq = piece_of("g", 1, 1);
		uint32_t n = 1 + (uint32_t) fuzz_below(&seed, 4), ids[4];
		char name[16];

		snprintf(name, sizeof(name), "g%d", round);
		rq.gang = name;
		rq.min = n;
		rq.cpus = 1 + (uint32_t) fuzz_below(&seed, 4);
		rq.ranks = rq.cpus;
		rq.nodes = 1 + (uint32_t) fuzz_below(&seed, 2);
		rq.ranks *= rq.nodes;
		submit_many(rq, n, ids);
		schedule_and_pass();
		for (size_t i = 0; i < FAKE_JOBS; i++) {
			const struct fake_job *j = fake_record(i);

			if (j && j->live && j->state == FAKE_RUNNING &&
			    !fuzz_below(&seed, 3))
				fake_end(j->id);
		}
		if (fake_state(ids[0]) == FAKE_PENDING) {
			for (uint32_t i = 0; i < n; i++)
				fake_end(ids[i]);
		}
		pass();
		fake_purge();
	}
}

int main(void)
{
#define INSIDE(test) cmocka_unit_test_setup_teardown(test, setup_islands, \
						     teardown)
	const struct CMUnitTest tests[] = {
		INSIDE(test_one_island),
		INSIDE(test_two_fill_a_node),
		INSIDE(test_across_islands),
		INSIDE(test_whole_nodes),
		INSIDE(test_two_nodes_each),
		INSIDE(test_any_device),
		INSIDE(test_random_islands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
