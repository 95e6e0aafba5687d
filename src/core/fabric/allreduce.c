/* SPDX-License-Identifier: GPL-2.0-or-later */
/* allreduce.c - how long an all-reduce over a ring takes */

#include "allreduce.h"

#define BYTES_PER_GB 1e9
#define US_PER_SECOND 1e6

bool sgang_allreduce_time(const struct sgang_ring *ring,
			  const struct sgang_costs *costs, uint64_t bytes,
			  struct sgang_allreduce *time)
{
	double ranks = (double)ring->ranks, latency = 0, bandwidth = 0;
	uint32_t level, slowest = 0;

	for (level = 0; level < SGANG_LEVELS; level++) {
		if (!ring->hops[level])
			continue;
		if (costs->bandwidth[level] <= 0)
			return false;
		if (bandwidth <= 0 || costs->bandwidth[level] <= bandwidth) {
			bandwidth = costs->bandwidth[level];
			slowest = level;
		}
		if (costs->latency[level] > latency)
			latency = costs->latency[level];
	}
	if (bandwidth <= 0)
		return false;
	time->seconds = 2 * (ranks - 1) *
			(latency / US_PER_SECOND +
			 (double)bytes / ranks / (bandwidth * BYTES_PER_GB));
	time->slowest = slowest;
	return true;
}
