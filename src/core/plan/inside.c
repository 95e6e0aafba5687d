/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inside.c - a placement that was planned by nodes becomes one by islands */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/devices.h"
#include "core/fabric/parallel.h"
#include "plan.h"

/* Does it keep to the levels of the request, now that a node is no longer an
 * island? 'groups' is what its groups cost, if it has any. If it does not,
 * '*nofit' says so and nothing else. */
static bool within(const struct sgang_plan_request *request,
		   const struct sgang_placement *placement,
		   const struct sgang_parallel_cost *groups,
		   struct sgang_nofit *nofit)
{
	const struct sgang_parallel *parallel = request->parallel;
	const struct sgang_costs *costs = request->costs;
	uint32_t g = 0;

	if (placement->ring.tier > request->max_level) {
		memset(nofit, 0, sizeof(*nofit));
		snprintf(nofit->text, sizeof(nofit->text),
			 "no %s has room for it all",
			 costs->name[request->max_level]);
		return false;
	}
	while (parallel && g < parallel->n &&
	       groups->group[g].tier <= request->require[g])
		g++;
	if (!parallel || g == parallel->n)
		return true;
	memset(nofit, 0, sizeof(*nofit));
	snprintf(nofit->text, sizeof(nofit->text),
		 "group %s: its rings must be within one %s each, in the best "
		 "place they are within one %s",
		 parallel->group[g].name, costs->name[request->require[g]],
		 costs->name[groups->group[g].tier]);
	return false;
}

int sgang_plan_inside(const struct sgang_plan_request *request,
		      const struct sgang_devices *devices,
		      struct sgang_run *runs, size_t n_runs, bool same_inside,
		      struct sgang_placement *placement,
		      struct sgang_nofit *nofit, struct sgang_error *err)
{
	uint64_t outside = placement->ring.cost, cost;
	struct sgang_parallel_cost groups;

	free(placement->runs);
	placement->runs = runs;
	placement->n_runs = n_runs;
	sgang_ring_measure(devices->fabric, request->costs, runs, n_runs,
			   &placement->ring);
	cost = placement->ring.cost;
	if (request->parallel) {
		if (sgang_parallel_measure(devices->fabric, request->costs,
					   runs, n_runs, request->parallel,
					   placement->layout, &groups, err))
			return -1;
		cost = placement->weighted_cost = groups.weighted;
	}
	if (placement->exact && same_inside)
		placement->bound += placement->ring.cost - outside;
	placement->exact = placement->exact && placement->bound == cost;
	return within(request, placement, &groups, nofit);
}
