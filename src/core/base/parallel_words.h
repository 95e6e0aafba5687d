/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel_words.h - communication groups over the ranks of a gang, as words
 *
 * "tp=4,dp=2" lays eight ranks out in two dimensions; the first varies fastest:
 *
 *            tp=0  tp=1  tp=2  tp=3
 *     dp=0     0     1     2     3        one tp group is a row,
 *     dp=1     4     5     6     7        one dp group is a column
 *
 * A group is a name for all rows, or all columns. parallel.h measures their
 * cost in a fabric.
 */

#ifndef SGANG_PARALLEL_WORDS_H
#define SGANG_PARALLEL_WORDS_H

#include <stdint.h>

#include "err.h"

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

/* The same of so many ranks, where one size may be '?': as many as are left for
 * it. With 0 ranks that is 1. */
int sgang_parallel_of(const char *text, uint64_t ranks,
		      struct sgang_parallel *parallel, struct sgang_error *err);

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

#endif
