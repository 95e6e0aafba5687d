/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choose.c - the nodes that stock Slurm gives a job, now and later */

#include <stdlib.h>
#include <string.h>

#include "core/plan/plan.h"
#include "core/plan/stock.h"
#include "twin_private.h"

bool sgang_twin_choose_init(void)
{
	the.free_units = calloc(the.n_nodes, sizeof(*the.free_units));
	the.all_units = calloc(the.n_nodes, sizeof(*the.all_units));
	the.weight = calloc(the.n_nodes, sizeof(*the.weight));
	the.free_at = calloc(the.n_nodes, sizeof(*the.free_at));
	the.by_free = calloc(the.n_nodes, sizeof(*the.by_free));
	the.scratch = sgang_nodeset_create(the.n_nodes);
	if (!the.free_units || !the.all_units || !the.weight || !the.free_at ||
	    !the.by_free || !the.scratch)
		return false;
	for (uint32_t n = 0; n < the.n_nodes; n++) {
		the.all_units[n] = 1;
		the.weight[n] = the.site->nodes[n].weight;
		the.weights_differ |= the.weight[n] != the.weight[0];
	}
	return true;
}

void sgang_twin_choose_end(void)
{
	free(the.free_units);
	free(the.all_units);
	free(the.weight);
	free(the.free_at);
	free(the.by_free);
	sgang_nodeset_destroy(the.scratch);
}

/* Marks nodes of 'nodes' on which it fits in free_units; returns how many. */
static uint32_t mark_fits(const struct sgang_job *j,
			  const struct sgang_nodeset *nodes,
			  const struct twin_use *use)
{
	uint32_t count = 0;

	memset(the.free_units, 0, the.n_nodes * sizeof(*the.free_units));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (!sgang_twin_fits(j, n, use))
			continue;
		the.free_units[n] = 1;
		count++;
	}
	return count;
}

/* Of the marked nodes. */
static bool choose_marked(const struct sgang_job *j,
			  struct sgang_nodeset *chosen)
{
	const struct sgang_plan_member member = {
		.units = j->asks->nodes,
		.slots = 1,
		.distinct = true,
	};
	const struct sgang_plan_request rq = {
		.fabric = the.fabric,
		.costs = &the.conf.costs,
		.free = the.free_units,
		.total = the.all_units,
		.members = &member,
		.n_members = 1,
		.max_level = SGANG_LEVEL_UNCONNECTED,
		.weight = the.weights_differ ? the.weight : NULL,
	};
	struct sgang_stock *stock = NULL;
	int rc = sgang_stock_place(&rq, SGANG_STOCK_RULE, &stock, NULL);

	for (size_t r = 0; rc == 1 && r < stock->n_runs; r++)
		sgang_nodeset_add(chosen, stock->runs[r].node);
	sgang_stock_destroy(stock);
	the.no_memory |= rc < 0;
	return rc == 1;
}

bool sgang_twin_choose(const struct sgang_job *j,
		       const struct sgang_nodeset *nodes,
		       const struct twin_use *use, struct sgang_nodeset *chosen)
{
	return mark_fits(j, nodes, use) >= j->asks->nodes &&
	       choose_marked(j, chosen);
}

/* ---- whole nodes ---- */

static int by_time(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (the.free_at[i] != the.free_at[k])
		return the.free_at[i] < the.free_at[k] ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* When each node is free of jobs by their limits, and the nodes in the order of
 * that. Until something changes this holds. */
static void find_free_times(void)
{
	if (the.free_times_of == the.stamp + 1)
		return;
	the.free_times_of = the.stamp + 1;
	memset(the.free_at, 0, the.n_nodes * sizeof(*the.free_at));
	/* in the order of their ends */
	for (size_t i = 0; i < the.running.n; i++) {
		const struct sgang_job *j = the.running.at[i];

		for (uint32_t k = 0; k < j->n_nodes; k++)
			the.free_at[j->nodes[k]] = j->ends;
	}
	for (uint32_t n = 0; n < the.n_nodes; n++)
		the.by_free[n] = n;
	qsort(the.by_free, the.n_nodes, sizeof(*the.by_free), by_time);
}

/* Those that are free first. */
static bool whole_will_run(const struct sgang_job *j,
			   const struct sgang_nodeset *nodes, int64_t last,
			   struct sgang_nodeset *chosen, int64_t *start)
{
	uint32_t left = j->asks->nodes;

	find_free_times();
	for (uint32_t k = 0; k < the.n_nodes && left; k++) {
		uint32_t n = the.by_free[k];

		if (the.free_at[n] > last)
			return false;
		if (!sgang_nodeset_has(nodes, n) || !sgang_twin_has_room(j, n))
			continue;
		if (chosen)
			sgang_nodeset_add(chosen, n);
		*start = the.free_at[n];
		left--;
	}
	return !left;
}

/* ---- parts of nodes ---- */

/* Which nodes a reservation has makes little difference to when others start,
 * and most are never used: the first in the table will do. */
static void choose_any(const struct sgang_job *j, const struct twin_fits *fits,
		       const struct sgang_nodeset *nodes, int64_t start,
		       struct sgang_nodeset *chosen)
{
	uint32_t left = j->asks->nodes;

	sgang_nodeset_clear(chosen);
	for (uint32_t n = sgang_nodeset_next(nodes, 0); left;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (fits->from[n] > start)
			continue;
		sgang_nodeset_add(chosen, n);
		left--;
	}
}

/* Those on which it fits first. What starts now is chosen by other rules. */
static bool part_will_run(const struct sgang_job *j,
			  const struct sgang_nodeset *nodes, int64_t last,
			  struct sgang_nodeset *chosen, int64_t *start)
{
	struct twin_fits *fits = sgang_twin_fits_of(j);
	uint32_t left = j->asks->nodes, k;

	*start = 0;
	for (k = 0; left; k++) {
		uint32_t n = sgang_twin_fits_node(fits, k, last);

		if (n == SGANG_NODE_NONE)
			return false;
		if (!sgang_nodeset_has(nodes, n))
			continue;
		*start = fits->from[n];
		if (chosen)
			sgang_nodeset_add(chosen, n);
		left--;
	}
	if (chosen && *start &&
	    sgang_twin_fits_node(fits, k, *start) != SGANG_NODE_NONE)
		choose_any(j, fits, nodes, *start, chosen);
	return true;
}

/* As select/cons_tres does, whose steps of time grow; these do not. */
bool sgang_twin_will_run(const struct sgang_job *j,
			 const struct sgang_nodeset *nodes, int64_t latest,
			 struct sgang_nodeset *chosen, int64_t *start)
{
	int64_t last = the.now + the.rules->bf_window;
	bool fits;

	last = latest < last ? latest : last;
	fits = j->whole ? whole_will_run(j, nodes, last, chosen, start) :
			  part_will_run(j, nodes, last, chosen, start);
	if (!fits)
		return false;
	if (*start) {
		/* a job that ends in this second has its nodes yet */
		if (*start <= the.now)
			*start = the.now + 1;
		return true;
	}
	*start = the.now;
	if (!chosen)
		return true;
	sgang_nodeset_clear(chosen);
	return sgang_twin_choose(j, nodes, the.use, chosen);
}
