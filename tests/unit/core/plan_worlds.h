/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_worlds.h - random requests of each kind that the planner has a way for
 *
 * To be included behind cmocka.h.
 */

#ifndef TESTS_UNIT_PLAN_WORLDS_H
#define TESTS_UNIT_PLAN_WORLDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/plan.h"
#include "fuzz.h"

#define PLAN_WORLD_NODES 48
#define PLAN_WORLD_MEMBERS 16
#define PLAN_WORLD_GROUPS 8

enum plan_world_kind {
	PLAN_ALIKE,
	PLAN_MIXED,
	PLAN_ANY_ORDER,
	PLAN_CUTS,
	PLAN_REQUIRED,
	PLAN_SPREAD,
	PLAN_SEGMENTS,
	PLAN_TREE,
	PLAN_GRID,
	PLAN_KINDS
};

struct plan_world {
	uint64_t random;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t n_nodes;
	uint32_t n_dims;
	uint32_t free[PLAN_WORLD_NODES * 2];
	uint32_t total[PLAN_WORLD_NODES * 2];
	uint32_t weight[PLAN_WORLD_NODES];
	struct sgang_plan_member member[PLAN_WORLD_MEMBERS];
	uint32_t need[PLAN_WORLD_MEMBERS][2];
	struct sgang_nodeset *set[PLAN_WORLD_MEMBERS];
	size_t n_members, n_sets;
	struct sgang_plan_group group[PLAN_WORLD_GROUPS];
	struct sgang_parallel parallel;
	struct sgang_budget budget;
	struct sgang_plan_request request;
};

static inline uint32_t plan_world_rnd(struct plan_world *world, uint32_t below)
{
	return fuzz_small(&world->random, below);
}

/* Leaves of four nodes under spines of four leaves; or blocks of four nodes, of
 * which two are one of eight. */
static inline void plan_world_fabric(struct plan_world *world, bool blocks)
{
	uint32_t leaves = (world->n_nodes + 3) / 4, i;
	char text[4096], *p = text;
	struct sgang_error err;

	for (i = 0; i < leaves; i++) {
		uint32_t last = 4 * i + 3;

		last = last < world->n_nodes ? last : world->n_nodes - 1;
		p += sprintf(p, "%s=l%u Nodes=n[%u-%u]\n",
			     blocks ? "BlockName" : "SwitchName", i, 4 * i,
			     last);
	}
	if (blocks)
		p += sprintf(p, "BlockSizes=4,8\n");
	for (i = 0; !blocks && i < leaves; i += 4)
		p += sprintf(p, "SwitchName=s%u Switches=l[%u-%u]\n", i, i,
			     i + 3 < leaves ? i + 3 : leaves - 1);
	if (!blocks && plan_world_rnd(world, 8)) {
		p += sprintf(p, "SwitchName=top Switches=");
		for (i = 0; i < leaves; i += 4)
			p += sprintf(p, "%ss%u", i ? "," : "", i);
		p += sprintf(p, "\n");
	}
	world->fabric = sgang_fabric_parse(text, "test", NULL, 0, &err);
	if (!world->fabric)
		fail_msg("%s", err.text);
	world->n_nodes = sgang_fabric_nodes(world->fabric);
}

/* Most nodes are free. */
static inline void plan_world_nodes(struct plan_world *world)
{
	uint32_t most = 1u << plan_world_rnd(world, 4), d, i;
	bool weights = !plan_world_rnd(world, 3);

	for (i = 0; i < world->n_nodes; i++) {
		for (d = 0; d < world->n_dims; d++) {
			size_t at = (size_t)i * world->n_dims + d;

			world->total[at] = d ? 16 : most;
			world->free[at] =
				plan_world_rnd(world, 4) ?
					world->total[at] :
					plan_world_rnd(world,
						       world->total[at] + 1);
		}
		world->weight[i] = plan_world_rnd(world, 3);
	}
	if (weights)
		world->request.weight = world->weight;
	world->request.weight_first = weights && plan_world_rnd(world, 2);
}

static inline struct sgang_nodeset *plan_world_set(struct plan_world *world,
						   uint32_t most)
{
	struct sgang_nodeset *set = sgang_nodeset_create(world->n_nodes);
	uint32_t i;

	assert_non_null(set);
	world->set[world->n_sets++] = set;
	for (i = 0; i < most; i++)
		sgang_nodeset_add(set, plan_world_rnd(world, world->n_nodes));
	return set;
}

/* 'like' the one before it, or another. */
static inline void plan_world_member(struct plan_world *world, uint32_t units,
				     bool like)
{
	size_t i = world->n_members++;
	struct sgang_plan_member *m = &world->member[i];

	if (like && i) {
		*m = world->member[i - 1];
		return;
	}
	m->units = 1 + plan_world_rnd(world, units);
	m->slots = 1 + plan_world_rnd(world, world->total[0]);
	if (!plan_world_rnd(world, 6))
		m->slots = 0;
	m->distinct = !m->slots || plan_world_rnd(world, 2);
	if (world->n_dims > 1 && m->slots && plan_world_rnd(world, 2)) {
		world->need[i][0] = m->slots;
		world->need[i][1] = plan_world_rnd(world, 8);
		m->need = world->need[i];
	}
	if (!plan_world_rnd(world, 4) && world->n_sets < 8)
		m->allowed = plan_world_set(world, 2 * world->n_nodes);
}

static inline void plan_world_members(struct plan_world *world,
				      enum plan_world_kind kind)
{
	uint32_t n = kind == PLAN_ALIKE ? 1 + plan_world_rnd(world, 3) :
		     kind == PLAN_CUTS  ? 5 + plan_world_rnd(world, 8) :
					  2 + plan_world_rnd(world, 5);
	bool alike = kind == PLAN_ALIKE ||
		     (kind != PLAN_MIXED && kind != PLAN_CUTS &&
		      !plan_world_rnd(world, 3));

	while (world->n_members < n)
		plan_world_member(world, kind == PLAN_CUTS ? 1 : 6,
				  alike || !plan_world_rnd(world, 3));
}

static inline void plan_world_require(struct plan_world *world)
{
	struct sgang_plan_member *m = &world->member[0];
	uint32_t n = 1 + plan_world_rnd(world, m->units), i;

	m->required = plan_world_set(world, 0);
	for (i = 0; i < world->n_nodes && n; i++) {
		if (m->allowed && !sgang_nodeset_has(m->allowed, i))
			continue;
		sgang_nodeset_add(world->set[world->n_sets - 1], i);
		n--;
	}
}

static inline void plan_world_segments(struct plan_world *world)
{
	size_t i;

	for (i = 0; i < world->n_members; i++) {
		struct sgang_plan_member *m = &world->member[i];

		m->units = 2 * (1 + plan_world_rnd(world, 4));
		m->distinct = true;
		m->segment = m->units >> plan_world_rnd(world, 2);
		m->spread_segments = !plan_world_rnd(world, 4);
		m->consolidate_segments = !plan_world_rnd(world, 4);
	}
}

/* Two groups, each of two, of half the members. */
static inline void plan_world_tree(struct plan_world *world)
{
	size_t half = world->n_members / 2, end = world->n_members;
	uint32_t g;

	for (g = 0; g < 3; g++)
		world->group[g] = (struct sgang_plan_group){
			.name = "group",
			.parent = g ? 0 : SGANG_PLAN_NO_GROUP,
			.weight = 1 + plan_world_rnd(world, 4),
			.require = plan_world_rnd(world, 3) ?
					   SGANG_LEVEL_UNCONNECTED :
					   SGANG_LEVEL_LEAF + 1,
			.prefer = plan_world_rnd(world, 2) ?
					  SGANG_LEVEL_UNCONNECTED :
					  SGANG_LEVEL_LEAF,
			.first = g == 2 ? half : 0,
			.n_members = !g     ? end :
				     g == 1 ? half :
					      end - half,
		};
	world->request.group = world->group;
	world->request.n_groups = 3;
}

static inline void plan_world_grid(struct plan_world *world)
{
	uint64_t ranks = 0, dp = 1;
	struct sgang_error err;
	char text[64];
	size_t i;

	for (i = 0; i < world->n_members; i++) {
		struct sgang_plan_member *m = &world->member[i];

		m->slots = m->slots ? m->slots : 1;
		ranks += (uint64_t)m->units * m->slots;
	}
	while (ranks % 2 == 0 && dp < 4) {
		ranks /= 2;
		dp *= 2;
	}
	sprintf(text, "tp=%u,dp=%u:tp=%u,dp=1", (unsigned)ranks, (unsigned)dp,
		1 + plan_world_rnd(world, 9));
	if (sgang_parallel_parse(text, &world->parallel, &err))
		fail_msg("%s: %s", text, err.text);
	world->request.parallel = &world->parallel;
	for (i = 0; i < SGANG_PARALLEL_MAX; i++)
		world->request.require[i] = SGANG_LEVEL_UNCONNECTED;
	if (!plan_world_rnd(world, 4))
		world->request.require[0] = SGANG_LEVEL_LEAF;
}

static inline struct plan_world *plan_world_open(enum plan_world_kind kind,
						 uint64_t seed)
{
	struct plan_world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->random = seed * 1000 + kind;
	world->n_nodes = 8 + plan_world_rnd(world, PLAN_WORLD_NODES - 7);
	world->n_dims = 1 + !plan_world_rnd(world, 3);
	plan_world_fabric(world, kind == PLAN_SEGMENTS);
	sgang_costs_default(&world->costs);
	plan_world_nodes(world);
	plan_world_members(world, kind);
	if (kind == PLAN_SEGMENTS)
		plan_world_segments(world);
	if (kind == PLAN_REQUIRED)
		plan_world_require(world);
	if (kind == PLAN_TREE)
		plan_world_tree(world);
	if (kind == PLAN_GRID)
		plan_world_grid(world);
	sgang_budget_init(&world->budget, SGANG_PLAN_STEPS);
	world->request.fabric = world->fabric;
	world->request.costs = &world->costs;
	world->request.n_dims = world->n_dims;
	world->request.free = world->free;
	world->request.total = world->total;
	world->request.members = world->member;
	world->request.n_members = world->n_members;
	world->request.any_order = kind == PLAN_ANY_ORDER ||
				   kind == PLAN_CUTS ||
				   !plan_world_rnd(world, 6);
	world->request.max_level = SGANG_LEVEL_UNCONNECTED;
	if (!plan_world_rnd(world, 4))
		world->request.max_level = SGANG_LEVEL_LEAF +
					   plan_world_rnd(world, 2);
	world->request.spread = kind == PLAN_SPREAD ||
				(kind == PLAN_REQUIRED &&
				 !plan_world_rnd(world, 3));
	world->request.spread_level = SGANG_LEVEL_LEAF;
	world->request.budget = &world->budget;
	return world;
}

static inline void plan_world_close(struct plan_world *world)
{
	while (world->n_sets)
		sgang_nodeset_destroy(world->set[--world->n_sets]);
	sgang_fabric_destroy(world->fabric);
	free(world);
}

#endif
