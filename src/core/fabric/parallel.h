/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel.h - communication groups over the ranks of a gang
 *
 * "tp=4,dp=2" lays eight ranks out in two dimensions; the first varies fastest:
 *
 *            tp=0  tp=1  tp=2  tp=3
 *     dp=0     0     1     2     3        one tp group is a row,
 *     dp=1     4     5     6     7        one dp group is a column
 *
 * Every such row or column is a closed ring of its own (ring.h). A group is a
 * name for all rings of one dimension; its weight says how much a hop of these
 * rings counts (behaviours 4.29 to 4.32).
 */

#ifndef SGANG_PARALLEL_H
#define SGANG_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "ring.h"

#define SGANG_PARALLEL_MAX 8            /* groups */
#define SGANG_PARALLEL_NAME_MAX 15      /* characters of a name */
#define SGANG_PARALLEL_SIZE_MAX 1000000 /* ranks of one ring */
#define SGANG_PARALLEL_WEIGHT_MAX 1000000

struct sgang_parallel_group {
	char name[SGANG_PARALLEL_NAME_MAX + 1];
	uint32_t size;   /* ranks of one of its rings; 1 or more.
			  * A ring of one rank costs nothing */
	uint32_t weight; /* 0: its rings may go anywhere */
};

struct sgang_parallel {
	uint32_t n; /* 0: none; the gang is one ring */
	struct sgang_parallel_group group[SGANG_PARALLEL_MAX];
};

/* Read "tp=8,dp=4,pp=2[:tp=100,dp=10,pp=1]": sizes, the first varying fastest,
 * and behind the colon all weights, in any order. A name has the characters
 * a-z, 0-9, '_' and '-'. Without weights the first group has 100, the second 10
 * and all others 1, as in exercise 33.5.2 of the textbook.
 *
 * Returns 0, or -1 with errno EINVAL and 'err' saying what is wrong with which
 * word and what was expected (the caller puts the option in front); '*parallel'
 * is then untouched. All sizes multiplied are at most INT32_MAX. */
int sgang_parallel_parse(const char *text, struct sgang_parallel *parallel,
			 struct sgang_error *err);

/* The same the other way, always with the weights. Returns 'shown'. */
#define SGANG_PARALLEL_SHOWN 512
const char *sgang_parallel_format(char shown[SGANG_PARALLEL_SHOWN],
				  const struct sgang_parallel *parallel);

/* The number of ranks that the groups lay out: all sizes multiplied. */
uint64_t sgang_parallel_ranks(const struct sgang_parallel *parallel);

/* 0 when the groups lay out 'ranks' ranks, else -1 with errno EINVAL and 'err'
 * naming both numbers. */
int sgang_parallel_check(const struct sgang_parallel *parallel, uint64_t ranks,
			 struct sgang_error *err);

/* The number of the group that is called 'name', or -1. */
int sgang_parallel_find(const struct sgang_parallel *parallel,
			const char *name);

struct sgang_policy;

/* The level that each group must stay within, by `require:GROUP:LEVEL` of
 * 'policy' (policy.h); SGANG_LEVEL_UNCONNECTED where nothing is required.
 * Returns 0, or -1 with errno EINVAL and 'err' when there is no such group or
 * no such level; 'require' is then untouched. */
int sgang_parallel_require(const struct sgang_parallel *parallel,
			   const struct sgang_policy *policy,
			   const struct sgang_costs *costs,
			   uint32_t require[SGANG_PARALLEL_MAX],
			   struct sgang_error *err);

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
