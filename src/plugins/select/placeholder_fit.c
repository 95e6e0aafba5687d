/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placeholder_fit.c - the sizes of a member and of the placeholder that it asks
 * for */

#include <stdio.h>

#include "conductor_private.h"
#include "host_jobs.h"

static bool is_larger(uint64_t small, uint64_t large, const char *what,
		      const char *unit, char *why, size_t size)
{
	if (small <= large)
		return false;
	snprintf(why, size, "%s%llu%s > %s%llu%s", what,
		 (unsigned long long)small, unit, what,
		 (unsigned long long)large, unit);
	return true;
}

static uint64_t least_nodes(const struct sgang_shape *shape)
{
	return shape->least_nodes ? shape->least_nodes : shape->min_nodes;
}

/* Whole nodes have all that is on them. */
bool sgang_placeholder_fits(const struct sgang_shape *small,
			    const struct sgang_shape *large, char *why,
			    size_t size)
{
	if (is_larger(least_nodes(small), large->min_nodes, "nodes:", "", why,
		      size))
		return false;
	if (small->whole && !large->whole) {
		snprintf(why, size, "whole nodes > parts of nodes");
		return false;
	}
	if (large->whole)
		return true;
	return !is_larger(small->node_gpus, large->node_gpus, "gpu:", "", why,
			  size) &&
	       !is_larger(small->job_gres, large->job_gres, "gres:", "", why,
			  size) &&
	       !is_larger(small->node_cpus, large->node_cpus, "cpus:", "", why,
			  size) &&
	       !is_larger(small->total_cpus, large->total_cpus, "cpus:", "",
			  why, size) &&
	       !is_larger(small->node_memory, large->node_memory, "mem:", "M",
			  why, size);
}

bool sgang_placeholder_equal(const struct sgang_shape *a,
			     const struct sgang_shape *b)
{
	char why[64];

	return sgang_placeholder_fits(a, b, why, sizeof(why)) &&
	       sgang_placeholder_fits(b, a, why, sizeof(why));
}
