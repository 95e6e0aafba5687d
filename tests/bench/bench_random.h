/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_random.h - the same random numbers on every machine */

#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdint.h>

/* The next number in 0..below-1. '*state' is the seed at first, and kept by
 * the caller. Knuth's MMIX generator, of which the high half is used. */
static inline uint32_t bench_random(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

#endif
