/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.h - sizes of communication groups that are left open (behaviour 4.32)
 *
 * In "tp=?,dp=4,pp=?" two sizes are open: the ranks of a gang decide together
 * with the rest what they can be.
 */

#ifndef SGANG_SPLIT_H
#define SGANG_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "parallel.h"

struct sgang_split {
	struct sgang_parallel parallel;	/* open sizes are 1 */
	bool open[SGANG_PARALLEL_MAX];
};

/* No more ways to fill in the open sizes are listed. */
#define SGANG_SPLITS_MAX 1024

/* Does the text leave a size open? */
bool sgang_split_is_open(const char *text);

/* As sgang_parallel_parse(), where each size may be '?'. */
int sgang_split_parse(const char *text, struct sgang_split *split,
		      struct sgang_error *err);

/* All ways to fill in the open sizes so that the groups lay out 'ranks' ranks,
 * large sizes of the first groups first. Returns 0, and in '*ways', to be freed,
 * '*n' of them, which is 1 or more; or -1 with 'err' and errno EINVAL (there is
 * none, or there are more than SGANG_SPLITS_MAX) or ENOMEM. */
int sgang_split_ways(const struct sgang_split *split, uint64_t ranks,
		     struct sgang_parallel **ways, size_t *n,
		     struct sgang_error *err);

#endif
