/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel.h - what communication groups (parallel_words.h) cost in a fabric
 *
 * Every row or column of ranks is a closed ring of its own (ring.h). A group is
 * a name for all rings of one dimension; its weight says how much a hop of these
 * rings counts (behaviours 4.29 to 4.32).
 */

#ifndef SGANG_PARALLEL_H
#define SGANG_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/parallel_words.h"
#include "ring.h"

/* -- what the groups cost -- */

struct sgang_parallel_cost {
	uint64_t weighted; /* sum of weight * cost of the groups */
	struct {
		uint64_t cost;        /* of all its rings, not weighted */
		uint64_t cross_links; /* hops of them above costs->leaf */
		uint32_t tier;        /* lowest level so that each of its
				       * rings is in one place of it */
	} group[SGANG_PARALLEL_MAX];
};

/* Measure the rings of all groups (behaviours 4.29, 4.36). 'runs' says where
 * the ranks are: position i of the ring is the i-th place that the runs have.
 * layout[i] is the rank at position i; NULL: rank i. O(ranks x groups).
 *
 * Returns 0, or -1 with errno EINVAL (the groups do not make as many ranks as
 * the runs have, costs too large to be added up) or ENOMEM and 'err'; '*cost'
 * is then untouched. */
int sgang_parallel_measure(const struct sgang_fabric *fabric,
			   const struct sgang_costs *costs,
			   const struct sgang_run *runs, size_t n_runs,
			   const struct sgang_parallel *parallel,
			   const uint32_t *layout,
			   struct sgang_parallel_cost *cost,
			   struct sgang_error *err);

/* -- the order of ranks -- */

/* A digit of a position: 'size' ranks of a group, side by side. A group may
 * have several; they then count its ranks up from small to large. */
struct sgang_parallel_digit {
	uint32_t group;
	uint32_t size;
};

/* No number of ranks has more digits above 1, and each group may have a 1. */
#define SGANG_PARALLEL_DIGITS (31 + SGANG_PARALLEL_MAX)

/* Read positions as numbers of these digits, the first varying fastest:
 * layout[i] becomes the rank at position i. The sizes of a group's digits
 * multiplied are its size. Returns whether layout[i] == i for all i. */
bool sgang_parallel_layout(const struct sgang_parallel *parallel,
			   const struct sgang_parallel_digit *digits,
			   uint32_t n_digits, uint32_t *layout);

/* The groups as digits, the heaviest first, of equal ones the first: with these
 * the heaviest group stays lowest (behaviour 4.30). Returns their number. */
uint32_t sgang_parallel_heaviest_first(
	const struct sgang_parallel *parallel,
	struct sgang_parallel_digit digits[SGANG_PARALLEL_MAX]);

#endif
