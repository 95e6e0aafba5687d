/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main_sched.c - Slurm's main scheduler: the queue in its order, until the first
 * job of a partition that does not fit */

#include <stdlib.h>

#include "twin_private.h"

bool sgang_twin_before(const struct sgang_job *a, const struct sgang_job *b)
{
	if (a->partition && b->partition &&
	    a->partition->tier != b->partition->tier)
		return a->partition->tier > b->partition->tier;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a < b;
}

bool sgang_twin_eligible(const struct sgang_job *j)
{
	return j->state == TWIN_PENDING && !j->parked && !j->held_by_us &&
	       j->begin <= the.now;
}

struct sgang_job **sgang_twin_eligible_jobs(size_t most, size_t *n)
{
	struct sgang_job **jobs = malloc((the.queue.n + 1) * sizeof(*jobs));

	*n = 0;
	the.no_memory |= !jobs;
	for (size_t i = 0; jobs && i < the.queue.n && *n < most; i++) {
		if (sgang_twin_eligible(the.queue.at[i]))
			jobs[(*n)++] = the.queue.at[i];
	}
	return jobs;
}

/* What of the partition is left; NULL: nothing, a job before this one waits
 * for some of it. */
static struct sgang_nodeset *left_of(const struct sgang_site_partition *part,
				     const struct sgang_nodeset *left)
{
	struct sgang_nodeset *nodes = sgang_nodeset_copy(part->nodes);

	if (nodes)
		sgang_nodeset_and(nodes, left);
	else
		the.no_memory = true;
	return nodes;
}

void sgang_twin_schedule(bool all)
{
	struct sgang_nodeset *left = sgang_nodeset_create(the.n_nodes);
	bool *failed = calloc(the.site->n_partitions, sizeof(*failed));
	uint32_t *tried = calloc(the.site->n_partitions, sizeof(*tried));
	struct sgang_job **jobs = NULL;
	size_t n, open = the.site->n_partitions;
	uint32_t started = 0;

	the.outcome->cycles++;
	if (!left || !failed || !tried) {
		the.no_memory = true;
		goto out;
	}
	sgang_nodeset_fill(left);
	jobs = sgang_twin_eligible_jobs(all ? SIZE_MAX : the.rules->queue_depth,
					&n);
	for (size_t i = 0; i < n && open; i++) {
		const struct sgang_site_partition *part = jobs[i]->partition;
		size_t which = (size_t)(part - the.site->partitions);
		struct sgang_nodeset *nodes;

		if (the.rules->max_start && started >= the.rules->max_start)
			break;
		if (failed[which] || !sgang_twin_eligible(jobs[i]) ||
		    (the.rules->part_depth &&
		     tried[which]++ >= the.rules->part_depth))
			continue;
		nodes = left_of(part, left);
		if (nodes && !sgang_twin_start(jobs[i], nodes, NULL)) {
			failed[which] = true;
			sgang_nodeset_subtract(left, part->nodes);
			open--;
		} else {
			started++;
		}
		sgang_nodeset_destroy(nodes);
	}
out:
	free(jobs);
	free(failed);
	free(tried);
	sgang_nodeset_destroy(left);
}
