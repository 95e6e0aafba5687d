/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring.c - what a closed ring of ranks costs */

#include <string.h>

#include "ring.h"

static void add_hops(struct sgang_ring *ring, uint32_t level, uint64_t hops)
{
	ring->hops[level] += hops;
	if (hops && level > ring->tier)
		ring->tier = level;
}

void sgang_ring_measure(const struct sgang_fabric *fabric,
			const struct sgang_costs *costs,
			const struct sgang_run *runs, size_t n_runs,
			struct sgang_ring *ring)
{
	uint32_t level;
	size_t i;

	memset(ring, 0, sizeof(*ring));
	for (i = 0; i < n_runs; i++)
		ring->ranks += runs[i].ranks;
	if (ring->ranks < 2)
		return;

	/* the hop that leaves the last run closes the ring */
	for (i = 0; i < n_runs; i++) {
		const struct sgang_run *next = &runs[(i + 1) % n_runs];

		add_hops(ring, SGANG_LEVEL_ISLAND, runs[i].ranks - 1);
		add_hops(ring,
			 sgang_fabric_meet(fabric, runs[i].node, next->node),
			 1);
	}
	for (level = 0; level < SGANG_LEVELS; level++) {
		ring->cost += ring->hops[level] * costs->hop[level];
		if (level > costs->leaf)
			ring->cross_links += ring->hops[level];
	}
}
