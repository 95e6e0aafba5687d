/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_allreduce.c - unit tests of allreduce.c */

#include <math.h>

#include "../unit.h"
#include "core/fabric/allreduce.h"

#define GB UINT64_C(1000000000)

static void expect(const struct sgang_ring *ring,
		   const struct sgang_costs *costs, uint64_t bytes,
		   double seconds, uint32_t slowest)
{
	struct sgang_allreduce time;

	assert_true(sgang_allreduce_time(ring, costs, bytes, &time));
	if (fabs(time.seconds - seconds) > 1e-9)
		fail_msg("%.9f s instead of %.9f s", time.seconds, seconds);
	assert_int_equal(time.slowest, slowest);
}

/* 4.12, golden: 8 ranks, 1 GB, no latency: 5.83 ms at 300 GB/s, 350 ms at
 * 5 GB/s. */
TEST(test_golden)
{
	struct sgang_ring ring = { .ranks = 8, .hops = { 8 } };
	struct sgang_costs costs = { .bandwidth = { 300 } };

	expect(&ring, &costs, GB, 2 * 7.0 / 8 / 300, SGANG_LEVEL_ISLAND);
	expect(&ring, &costs, GB, 0.005833333, SGANG_LEVEL_ISLAND);
	costs.bandwidth[SGANG_LEVEL_ISLAND] = 5;
	expect(&ring, &costs, GB, 0.35, SGANG_LEVEL_ISLAND);
}

/* 4.13: one hop over the spine throttles all */
TEST(test_slowest)
{
	struct sgang_ring ring = { .ranks = 8, .hops = { 6, 0, 1, 1 } };
	struct sgang_costs costs = {
		.bandwidth = { 300, 300, 50, 5 },
		.latency = { 1, 1, 10, 4 },
	};

	/* the latency is that of the slowest hop, wherever that is */
	expect(&ring, &costs, GB, 14 * 10e-6 + 0.35, 3);
	expect(&ring, &costs, 0, 14 * 10e-6, 3);
	/* the hops at the spine are gone */
	ring.hops[2] = 2;
	ring.hops[3] = 0;
	expect(&ring, &costs, GB, 14 * 10e-6 + 0.035, 2);
	/* of equally slow ones the highest */
	costs.bandwidth[0] = 50;
	expect(&ring, &costs, GB, 14 * 10e-6 + 0.035, 2);
}

TEST(test_unknown)
{
	struct sgang_ring ring = { .ranks = 8, .hops = { 6, 0, 2 } };
	struct sgang_costs costs = { .bandwidth = { 300 } };
	struct sgang_allreduce time;

	/* a level that is used has no bandwidth */
	assert_false(sgang_allreduce_time(&ring, &costs, GB, &time));
	costs.bandwidth[2] = 50;
	assert_true(sgang_allreduce_time(&ring, &costs, GB, &time));
	/* one rank talks to nobody */
	ring = (struct sgang_ring){ .ranks = 1 };
	assert_false(sgang_allreduce_time(&ring, &costs, GB, &time));
}

TEST_MAIN(NULL, NULL)
