/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sharing.c - members that share CPUs, and members that do not, on one node
 *
 * Slurm lets a job that does not share CPUs start on free CPUs beside jobs of
 * its partition that do, but not the other way round. So members that share are
 * committed first, and leave CPUs to the others. Only Slurm knows whether both
 * then fit: a plan counts only their CPUs in all rows together. After a wrong
 * plan they avoid each other's nodes, as long as there is room for that.
 */

#include <stdlib.h>

#include "attempt_private.h"

static bool shares(const struct attempt *a, size_t i)
{
	return a->parts[i].probed->shape.shares;
}

bool sgang_sharing_differ(const struct attempt *a)
{
	for (size_t i = 1; i < a->n_parts; i++) {
		if (shares(a, i) != shares(a, 0))
			return true;
	}
	return false;
}

/* True if the plan has a part of the other sort on the node. */
static bool has_other_sort(const struct attempt *a, uint32_t node, bool sort)
{
	for (size_t r = 0; r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];

		if (shares(a, run->member) != sort &&
		    sgang_parts_node(a->c, run) == node)
			return true;
	}
	return false;
}

bool sgang_sharing_others(const struct attempt *a, size_t i)
{
	if (!sgang_sharing_differ(a))
		return false;
	for (size_t r = 0; r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];

		if (run->member == i &&
		    has_other_sort(a, sgang_parts_node(a->c, run),
				   shares(a, i)))
			return true;
	}
	return false;
}

int sgang_sharing_order(struct attempt *a)
{
	size_t *order, n = 0;

	if (!sgang_sharing_differ(a))
		return 0;
	order = malloc(a->n_parts * sizeof(*order));
	if (!order)
		return -1;
	for (int sort = 1; sort >= 0; sort--) {
		for (size_t i = 0; i < a->n_parts; i++) {
			size_t part = a->order ? a->order[i] : i;

			if (shares(a, part) == sort)
				order[n++] = part;
		}
	}
	free(a->order);
	a->order = order;
	return 0;
}

uint32_t *sgang_sharing_spare(const struct attempt *a, size_t i)
{
	uint32_t *cpus;

	if (!shares(a, i) || !sgang_sharing_others(a, i))
		return NULL;
	cpus = calloc(a->c->host->nodes.count() + 1, sizeof(*cpus));
	for (size_t r = 0; cpus && r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];
		const struct probed *p = a->parts[run->member].probed;

		if (!p->shape.shares)
			cpus[sgang_parts_node(a->c, run)] += sgang_part_cpus(a,
									     r);
	}
	return cpus;
}
