/* SPDX-License-Identifier: GPL-2.0-or-later */
/* allreduce.h - how long an all-reduce over a ring takes
 *
 * Each of K ranks cuts its M bytes into K pieces. In 2(K-1) steps every rank
 * sends one piece to the next, so the ring is as fast as its slowest hop
 * (behaviours 4.12, 4.13):
 *
 *   T = 2(K-1) * a + 2(K-1)/K * M/B
 *
 * B is the least bandwidth and a the greatest latency of the levels that the
 * ring has hops at: a step is over when its slowest hop is. The time is that of
 * the links alone, without other traffic on them and without computing.
 */

#ifndef SGANG_ALLREDUCE_H
#define SGANG_ALLREDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric.h"
#include "ring.h"

struct sgang_allreduce {
	double seconds;
	uint32_t slowest; /* the level that B is of; of equally
			   * slow ones the highest */
};

/* Predict it for a ring and 'bytes' on each rank. Returns true and fills
 * '*time'; false when a level that the ring uses has no bandwidth in 'costs',
 * or the ring has no hop. A latency that is not known counts as none. */
bool sgang_allreduce_time(const struct sgang_ring *ring,
			  const struct sgang_costs *costs, uint64_t bytes,
			  struct sgang_allreduce *time);

#endif
