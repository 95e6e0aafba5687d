/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring.h - what a closed ring of ranks costs
 *
 *   rank 0 -> rank 1 -> ... -> rank K-1 -> rank 0
 *
 * Every arrow is a hop; it costs costs->hop[l], l being the lowest level that
 * contains both ends (behaviours 4.14 to 4.16). A ring of one rank costs 0.
 */

#ifndef SGANG_RING_H
#define SGANG_RING_H

#include <stddef.h>
#include <stdint.h>

#include "fabric.h"

/* 'ranks' consecutive ranks of member 'member' on one node. A ring is an
 * array of these in rank order. */
struct sgang_run {
	uint32_t member;
	uint32_t node;  /* index in the fabric */
	uint32_t ranks; /* 1 or more */
	uint32_t slots; /* slots taken; sgang_ring_* ignores it */
};

struct sgang_ring {
	uint64_t cost; /* sum of hop costs */
	/* Hops above costs->leaf: they leave a leaf switch or block. A hop out
	 * of an NVLink domain but not out of its leaf switch is none. */
	uint64_t cross_links;
	uint64_t ranks;
	uint64_t hops[SGANG_LEVELS]; /* how many hops at each level */
	uint32_t tier;               /* lowest level that holds all ranks */
};

/* Measure the ring. O(n_runs). n_runs 0 gives all zero. Cannot fail; nodes
 * must be indices of 'fabric'. */
void sgang_ring_measure(const struct sgang_fabric *fabric,
			const struct sgang_costs *costs,
			const struct sgang_run *runs, size_t n_runs,
			struct sgang_ring *ring);

#endif
