/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle.h - what domains mean, for tests that try everything
 *
 * From the formula's point of view and node by node: not by sgang_fabric_meet()
 * nor by what the planner keeps of free space.
 */

#ifndef TESTS_UNIT_ORACLE_H
#define TESTS_UNIT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"
#include "fuzz.h"

/* Hop costs that rise by any steps, or the default ones. */
static inline void oracle_costs(struct sgang_costs *costs, uint64_t *random)
{
	uint32_t level, hop = 1;

	sgang_costs_default(costs);
	costs->allow_unconnected = fuzz_small(random, 2);
	if (fuzz_small(random, 2))
		return;
	for (level = 0; level < SGANG_LEVELS; level++) {
		hop += fuzz_small(random, 2) ? fuzz_small(random, 7) : 0;
		costs->hop[level] = hop;
	}
}

/* Is the node in domain d? */
static inline bool oracle_holds(const struct sgang_fabric *fabric, uint32_t d,
				uint32_t node)
{
	const struct sgang_domain *domain = sgang_fabric_domain(fabric, d);
	uint32_t pos = sgang_fabric_pos(fabric)[node];

	return pos >= domain->first_pos &&
	       pos < domain->first_pos + domain->n_nodes;
}

/* The level of the lowest domain that holds both. */
static inline uint32_t oracle_meet(const struct sgang_fabric *fabric,
				   uint32_t a, uint32_t b)
{
	uint32_t d, best = SGANG_LEVEL_UNCONNECTED;

	if (a == b)
		return SGANG_LEVEL_ISLAND;
	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		uint32_t level = sgang_fabric_domain(fabric, d)->level;

		if (oracle_holds(fabric, d, a) && oracle_holds(fabric, d, b) &&
		    level < best)
			best = level;
	}
	return best;
}

/* The slots of the wholly free domains that hold any node that is used. */
static inline uint64_t oracle_broken(const struct sgang_plan_request *request,
				     const bool *used)
{
	const struct sgang_fabric *fabric = request->fabric;
	uint32_t n = sgang_fabric_nodes(fabric), d, node;
	uint64_t sum = 0;

	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		uint64_t slots = 0;
		bool whole = true, touched = false;

		for (node = 0; node < n; node++) {
			if (!oracle_holds(fabric, d, node))
				continue;
			slots += request->total[node];
			whole &= request->free[node] == request->total[node];
			touched |= used[node];
		}
		if (whole && touched)
			sum += slots;
	}
	return sum;
}

#endif
