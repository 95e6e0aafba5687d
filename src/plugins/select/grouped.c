/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grouped.c - how many members the communication groups of a gang need
 *
 * A gang starts with so many members as make the ranks of its groups, even if
 * its minimum is lower. A group with the size '?' follows the members.
 */

#include "attempt_private.h"
#include "core/fabric/parallel.h"

/* Members placed one by one, or beside those that run, are not all ranks. */
bool sgang_grouped(const struct gang *g)
{
	return g->tally.spec.parallel[0] && sgang_gang_strict(&g->tally) &&
	       !sgang_branches_join(g);
}

static uint64_t ranks_of(const struct probed *p)
{
	const struct sgang_shape *shape = &p->shape;

	if (!p->fixed)
		return shape->total_cpus / sgang_shape_task_cpus(shape);
	return shape->tasks > shape->min_nodes ? shape->tasks :
						 shape->min_nodes;
}

uint64_t sgang_grouped_ranks(const struct attempt *a)
{
	uint64_t ranks = 0;

	for (size_t i = 0; i < a->n_parts; i++)
		ranks += ranks_of(a->parts[i].probed);
	return ranks;
}

static bool make_groups(const struct gang *g, uint64_t ranks)
{
	struct sgang_parallel parallel;

	return sgang_parallel_of(g->tally.spec.parallel, ranks, &parallel,
				 NULL) == 0 &&
	       sgang_parallel_check(&parallel, ranks, NULL) == 0;
}

size_t sgang_grouped_members(const struct attempt *a, const struct gang *g,
			     size_t first, size_t least, size_t most,
			     bool fewest)
{
	size_t n = 0;
	uint64_t ranks = 0;

	if (!sgang_grouped(g))
		return fewest ? least : most;
	for (size_t i = 1; i <= most && !(fewest && n); i++) {
		ranks += ranks_of(a->parts[first + i - 1].probed);
		if (i >= least && make_groups(g, ranks))
			n = i;
	}
	return n ? n : fewest ? least : most;
}
