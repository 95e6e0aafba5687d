/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placer.c - nodes for one ordinary job, by ring cost */

#include <stdlib.h>

#include "core/plan/plan.h"
#include "placer.h"

bool sgang_placer_concerns(const struct sgang_fabric *fabric,
			   const struct sgang_shape *shape)
{
	return fabric && shape->min_nodes > 1 &&
	       shape->min_nodes == shape->max_nodes &&
	       sgang_fabric_domains(fabric) > 1;
}

void sgang_placer_with_room(const struct sgang_host *host, uint32_t n_nodes,
			    struct sgang_job *job,
			    const struct sgang_shape *shape,
			    struct sgang_nodeset *nodes)
{
	uint32_t *units = calloc(n_nodes + 1, sizeof(*units));

	if (!units)
		return;
	host->nodes.units(job, shape, nodes, false, units);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (!units[n])
			sgang_nodeset_remove(nodes, n);
	}
	free(units);
}

int sgang_placer_choose(const struct sgang_host *host,
			const struct sgang_fabric *fabric,
			const struct sgang_conf *conf, struct sgang_job *job,
			const struct sgang_shape *shape,
			const struct sgang_nodeset *usable, uint32_t level,
			struct sgang_nodeset *chosen)
{
	uint32_t n_nodes = sgang_fabric_nodes(fabric);
	uint32_t *free_units = calloc(n_nodes + 1, sizeof(*free_units));
	uint32_t *all_units = calloc(n_nodes + 1, sizeof(*all_units));
	uint32_t *weight = calloc(n_nodes + 1, sizeof(*weight));
	struct sgang_placement *plan = NULL;
	struct sgang_plan_member member = {
		.units = shape->min_nodes,
		.slots = 1,
		.distinct = true,
		.allowed = usable,
	};
	struct sgang_plan_request rq = {
		.fabric = fabric,
		.costs = &conf->costs,
		.free = free_units,
		.total = all_units,
		.members = &member,
		.n_members = 1,
		.max_level = level,
		.weight_first = conf->weight_first,
	};
	int rc = 0;

	if (!free_units || !all_units || !weight)
		goto out;
	if (host->nodes.weights(job, weight))
		rq.weight = weight;
	host->nodes.units(job, shape, usable, false, free_units);
	host->nodes.units(job, shape, usable, true, all_units);
	if (sgang_plan(&rq, &plan, NULL, NULL) != 1)
		goto out;
	for (size_t r = 0; r < plan->n_runs; r++)
		sgang_nodeset_add(chosen, plan->runs[r].node);
	rc = 1;
out:
	sgang_placement_destroy(plan);
	free(free_units);
	free(all_units);
	free(weight);
	return rc;
}
