/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle.h - what domains mean, for tests that try everything
 *
 * Included after unit.h. From the formula's point of view and node by node: not by sgang_fabric_meet()
 * nor by what the planner keeps of free space.
 */

#ifndef TESTS_UNIT_ORACLE_H
#define TESTS_UNIT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"
#include "fuzz.h"

/* For a 'world' with a seed, the name of a planner and its fabric as text. */
#define CHECK(what)                                                          \
	do {                                                                 \
		if (!(what))                                                 \
			fail_msg("seed %lu, %s: not %s\n%s",                 \
				 (unsigned long)world->seed, world->planner, \
				 #what, world->text);                        \
	} while (0)

/* What a plan is asked, of the parts of a world. */
#define ORACLE_REQUEST(world)                               \
	do {                                                \
		(world)->request.fabric = (world)->fabric;  \
		(world)->request.costs = &(world)->costs;   \
		(world)->request.free = (world)->free;      \
		(world)->request.total = (world)->total;    \
		(world)->request.members = (world)->member; \
	} while (0)

/* The fabric of a text, whose nodes are in the order of their names. */
static inline struct sgang_fabric *oracle_fabric(const char *text,
						 uint64_t seed)
{
	struct sgang_error err;
	struct sgang_fabric *fabric = sgang_fabric_parse(text, "test", NULL, 0,
							 &err);

	if (!fabric)
		fail_msg("seed %lu: %s", (unsigned long)seed, err.text);
	return fabric;
}

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
