/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloc_none.c - what jobs have, in a build without Slurm: unknown */

#include <errno.h>

#include "cmd/alloc.h"

int sgang_alloc_load(const uint32_t *job_ids, size_t n,
		     struct sgang_alloc *allocs, struct sgang_error *err)
{
	(void)job_ids;
	(void)n;
	(void)allocs;
	return sgang_errf(err, ENOTSUP, "this sgang was built without Slurm");
}
