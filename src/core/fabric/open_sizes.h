/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open_sizes.h - sizes of communication groups that are left open (behaviour 4.32)
 *
 * In "tp=?,dp=4,pp=?" two sizes are open: the ranks of a gang decide together
 * with the rest what they can be.
 */

#ifndef SGANG_OPEN_SIZES_H
#define SGANG_OPEN_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "parallel.h"

struct sgang_open_sizes {
	struct sgang_parallel parallel; /* open sizes are 1 */
	bool open[SGANG_PARALLEL_MAX];
};

/* No more ways to fill in the open sizes are listed. */
#define SGANG_OPEN_SIZES_WAYS 1024

/* Does the text leave a size open? */
bool sgang_open_sizes_any(const char *text);

/* As sgang_parallel_parse(), where each size may be '?'. */
int sgang_open_sizes_parse(const char *text, struct sgang_open_sizes *sizes,
			   struct sgang_error *err);

/* All ways to fill in the open sizes so that the groups lay out 'ranks' ranks,
 * large sizes of the first groups first. Returns 0, and in '*ways', to be
 * freed,
 * '*n' of them, which is 1 or more; or -1 with 'err' and errno EINVAL (there is
 * none, or there are more than SGANG_OPEN_SIZES_WAYS) or ENOMEM. */
int sgang_open_sizes_ways(const struct sgang_open_sizes *sizes, uint64_t ranks,
			  struct sgang_parallel **ways, size_t *n,
			  struct sgang_error *err);

#endif
