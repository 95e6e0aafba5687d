/* SPDX-License-Identifier: GPL-2.0-or-later */
/* levels.c - what gangs ask of the levels of the fabric
 *
 * --gang-topology, --gang-group-topology and --gang-exclusive, as limits of a
 * plan and as nodes that a gang must keep off.
 */

#include <stdio.h>
#include <string.h>

#include "attempt_private.h"

/* ---- the highest level ---- */

/* Until when does `prefer:LEVEL@TIME` hold? 0: it does not. */
static int64_t prefers_until(const struct gang *g,
			     const struct sgang_policy *policy)
{
	if (!policy->prefer[0] || !policy->prefer_time)
		return 0;
	if (policy->prefer_time == SGANG_FOREVER)
		return INT64_MAX;
	return g->tally.complete + policy->prefer_time;
}

/* The policy that limits what is planned together: of one gang its own, of
 * several, which have a ring each, that of the group. */
static void policy_of(struct gang *const *gangs, size_t n,
		      struct sgang_policy *policy)
{
	if (n == 1)
		sgang_spec_policy(&gangs[0]->tally.spec, policy);
	else
		sgang_levels_of_group(gangs[0], policy);
}

int sgang_levels_limit(const struct attempt *a, int64_t when,
		       struct sgang_nofit *nofit)
{
	const struct sgang_costs *costs = &a->c->conf.costs;
	int level = SGANG_LEVEL_UNCONNECTED, preferred;
	struct sgang_policy policy;
	const char *unknown;

	policy_of(a->gangs, a->n_gangs, &policy);
	unknown = sgang_policy_unknown(&policy, costs);
	if (unknown) {
		snprintf(nofit->text, sizeof(nofit->text),
			 "no level is called %s", unknown);
		return -1;
	}
	if (policy.require[0])
		level = sgang_costs_level(costs, policy.require);
	if (when < prefers_until(a->gangs[0], &policy)) {
		preferred = sgang_costs_level(costs, policy.prefer);
		if (preferred < level)
			level = preferred;
	}
	return level;
}

int sgang_levels_spread(const struct attempt *a)
{
	struct sgang_policy policy;

	if (a->n_gangs > 1)
		return -1;
	sgang_spec_policy(&a->gangs[0]->tally.spec, &policy);
	return policy.spread[0] ? sgang_costs_level(&a->c->conf.costs,
						    policy.spread) : -1;
}

int64_t sgang_levels_relax(const struct attempt *a)
{
	struct sgang_policy policy;
	int64_t until;

	policy_of(a->gangs, a->n_gangs, &policy);
	until = prefers_until(a->gangs[0], &policy);
	return (until == INT64_MAX) ? 0 : until;
}

void sgang_levels_of_group(const struct gang *g, struct sgang_policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	for (size_t i = 0; i < g->n_group; i++) {
		const struct sgang_spec *spec = &g->group[i]->tally.spec;

		if (spec->group_topology[0]) {
			sgang_spec_group_policy(spec, policy);
			return;
		}
	}
}

/* ---- nodes to keep off ---- */

void sgang_levels_widen(const struct sgang_fabric *fabric,
			const struct sgang_nodeset *nodes, uint32_t level,
			struct sgang_nodeset *out)
{
	const uint32_t *order = sgang_fabric_order(fabric);

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		uint32_t d = sgang_fabric_within(fabric, n, level);
		const struct sgang_domain *domain;

		if (sgang_nodeset_has(out, n))
			continue;
		if (d == SGANG_DOMAIN_NONE) {
			sgang_nodeset_add(out, n);
			continue;
		}
		domain = sgang_fabric_domain(fabric, d);
		for (uint32_t i = 0; i < domain->n_nodes; i++)
			sgang_nodeset_add(out, order[domain->first_pos + i]);
	}
}

struct sgang_nodeset *sgang_levels_place(const struct attempt *a)
{
	uint32_t n_nodes = sgang_fabric_nodes(a->c->fabric);
	struct sgang_nodeset *one = sgang_nodeset_create(n_nodes);
	struct sgang_nodeset *place = sgang_nodeset_create(n_nodes);
	struct sgang_nofit nofit;
	int level = sgang_levels_limit(a, a->c->host->now(), &nofit);

	if (one && place && level < SGANG_LEVEL_UNCONNECTED) {
		sgang_nodeset_add(one, sgang_where_node(a->c,
							&a->plan->runs[0]));
		sgang_levels_widen(a->c->fabric, one, (uint32_t) level, place);
	} else if (place) {
		sgang_nodeset_fill(place);
	}
	if (!one) {
		sgang_nodeset_destroy(place);
		place = NULL;
	}
	sgang_nodeset_destroy(one);
	return place;
}

/* Add the nodes of a job, unless it has none any more. */
static void add_nodes(struct sgang_conductor *c, uint32_t job_id,
		      struct sgang_nodeset *nodes)
{
	struct sgang_job *job = c->host->find(job_id);
	struct sgang_job_info info;

	if (!job)
		return;
	c->host->info(job, &info);
	if (info.state == SGANG_JOB_RUNNING ||
	    info.state == SGANG_JOB_CONFIGURING)
		c->host->nodes(job, nodes);
}

bool sgang_levels_nodes_of(struct sgang_conductor *c, const struct gang *g,
			   struct sgang_nodeset *nodes)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		if (g->entries[i]->m.state != SGANG_MEMBER_PENDING)
			add_nodes(c, g->entries[i]->job_id, nodes);
	}
	for (size_t i = 0; i < g->n_holds; i++)
		add_nodes(c, g->holds[i].job_id, nodes);
	return sgang_nodeset_next(nodes, 0) != SGANG_NODE_NONE;
}

int sgang_levels_find(const struct sgang_conductor *c, const char *name)
{
	return name[0] ? sgang_costs_level(&c->conf.costs, name) : -1;
}

static int exclusive_level(const struct sgang_conductor *c,
			   const struct gang *g)
{
	return sgang_levels_find(c, g->tally.spec.exclusive);
}

static bool in_group(const struct gang *g, const struct gang *other)
{
	for (size_t i = 0; i < g->n_group; i++) {
		if (g->group[i] == other)
			return true;
	}
	return g == other;
}

/* --gang-exclusive, of this gang and of others. Gangs that start together do
 * not keep each other out. */
void sgang_levels_keep_apart(struct sgang_conductor *c, const struct gang *g,
			     struct sgang_nodeset *nodes)
{
	uint32_t n_nodes = sgang_fabric_nodes(c->fabric);
	int own = exclusive_level(c, g);

	for (const struct gang *o = c->gangs; o; o = o->next) {
		int level = exclusive_level(c, o);
		struct sgang_nodeset *theirs, *domains;

		if (level < own)
			level = own;
		if (level < 0 || in_group(g, o) ||
		    (!o->tally.running && !o->tally.held && !o->n_holds))
			continue;
		theirs = sgang_nodeset_create(n_nodes);
		domains = sgang_nodeset_create(n_nodes);
		if (theirs && domains && sgang_levels_nodes_of(c, o, theirs)) {
			sgang_levels_widen(c->fabric, theirs, (uint32_t) level,
					   domains);
			sgang_nodeset_subtract(nodes, domains);
		}
		sgang_nodeset_destroy(theirs);
		sgang_nodeset_destroy(domains);
	}
}

/* Keep to, or off, the domains of this level that those gangs use. */
static void cut(struct sgang_conductor *c, struct gang *const *gangs, size_t n,
		const struct gang *but, int level, bool off,
		struct sgang_nodeset *nodes)
{
	uint32_t n_nodes = sgang_fabric_nodes(c->fabric);
	struct sgang_nodeset *theirs = sgang_nodeset_create(n_nodes);
	struct sgang_nodeset *domains = sgang_nodeset_create(n_nodes);
	bool any = false;

	for (size_t i = 0; theirs && domains && i < n; i++) {
		if (gangs[i] != but)
			any |= sgang_levels_nodes_of(c, gangs[i], theirs);
	}
	if (any) {
		sgang_levels_widen(c->fabric, theirs, (uint32_t) level,
				   domains);
		if (off)
			sgang_nodeset_subtract(nodes, domains);
		else
			sgang_nodeset_and(nodes, domains);
	}
	sgang_nodeset_destroy(theirs);
	sgang_nodeset_destroy(domains);
}

/* The level that what is placed later must share with what is placed. */
static int binding_level(const struct sgang_conductor *c, const struct gang *g,
			 const struct sgang_policy *policy)
{
	int level = sgang_levels_find(c, policy->require), preferred;

	if (c->host->now() >= prefers_until(g, policy))
		return level;
	preferred = sgang_levels_find(c, policy->prefer);
	return (level < 0 || preferred < level) ? preferred : level;
}

/* Keep to the domains of 'level' that those gangs use, and off those of
 * 'spread'; -1: does not matter. */
static void keep_to(struct sgang_conductor *c, struct gang *const *gangs,
		    size_t n, const struct gang *but, int level,
		    const char *spread, struct sgang_nodeset *nodes)
{
	int off = sgang_levels_find(c, spread);

	if (level >= 0)
		cut(c, gangs, n, but, level, false, nodes);
	if (off >= 0)
		cut(c, gangs, n, but, off, true, nodes);
}

void sgang_levels_cut(struct sgang_conductor *c, struct gang *g,
		      struct sgang_nodeset *nodes)
{
	struct sgang_policy own, group;
	struct gang *alone, **gangs;
	size_t n;

	if (!c->fabric)
		return;
	sgang_levels_keep_apart(c, g, nodes);
	if (c->place)
		sgang_nodeset_and(nodes, c->place);
	if (c->avoid)
		sgang_nodeset_subtract(nodes, c->avoid);
	/* the rest of a gang of which some hold already */
	sgang_spec_policy(&g->tally.spec, &own);
	keep_to(c, &g, 1, NULL, binding_level(c, g, &own), own.spread, nodes);
	sgang_levels_of_group(g, &group);
	gangs = sgang_group_of(g, &alone, &n);
	keep_to(c, gangs, n, g, binding_level(c, g, &group), group.spread,
		nodes);
}

void sgang_levels_cut_late(struct sgang_conductor *c, struct gang *g,
			   struct sgang_nodeset *nodes)
{
	struct sgang_policy policy;

	sgang_levels_keep_apart(c, g, nodes);
	sgang_spec_policy(&g->tally.spec, &policy);
	keep_to(c, &g, 1, NULL, sgang_levels_find(c, policy.require),
		policy.spread, nodes);
}
