/* SPDX-License-Identifier: GPL-2.0-or-later */
/* levels.c - level requests of gangs
 *
 * --gang-topology and --gang-group-topology, as limits of a plan and as nodes
 * that a gang must not use.
 */

#include <stdio.h>
#include <string.h>

#include "attempt_private.h"

/* ---- the highest level ---- */

/* The end of `prefer:LEVEL@TIME`, counted from 'since'; 0: none. */
static int64_t prefers_until(const struct sgang_policy *policy, int64_t since)
{
	if (!policy->prefer[0] || !policy->prefer_time)
		return 0;
	if (policy->prefer_time == SGANG_FOREVER)
		return INT64_MAX;
	return since + policy->prefer_time;
}

/* The time at which the last gang of the group was complete. */
static int64_t group_complete_since(const struct gang *g)
{
	int64_t since = g->tally.complete;

	for (size_t i = 0; i < g->group.n; i++) {
		if (g->group.gangs[i]->tally.complete > since)
			since = g->group.gangs[i]->tally.complete;
	}
	return since;
}

/* The policy for gangs planned together, and the start of its clock: of one
 * gang its own, of several, each with its own ring, that of the group. */
static int64_t policy_of(const struct attempt *a, struct sgang_policy *policy)
{
	const struct gang *g = a->gangs[0];

	if (a->n_gangs == 1) {
		sgang_spec_policy(&g->tally.spec, policy);
		return g->tally.complete;
	}
	sgang_levels_of_group(g, policy);
	return group_complete_since(g);
}

int sgang_levels_limit(const struct attempt *a, int64_t when,
		       struct sgang_nofit *nofit)
{
	const struct sgang_costs *costs = &a->c->conf.costs;
	int level = SGANG_LEVEL_UNCONNECTED, preferred;
	struct sgang_policy policy;
	const char *unknown;
	int64_t since;

	since = policy_of(a, &policy);
	unknown = sgang_policy_unknown(&policy, costs);
	if (unknown) {
		snprintf(nofit->text, sizeof(nofit->text),
			 "no level is called %s", unknown);
		return -1;
	}
	if (policy.require[0])
		level = sgang_costs_level(costs, policy.require);
	if (when < prefers_until(&policy, since)) {
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
	return policy.spread[0] ?
		       sgang_costs_level(&a->c->conf.costs, policy.spread) :
		       -1;
}

int64_t sgang_levels_relax(const struct attempt *a)
{
	struct sgang_policy policy;
	int64_t since = policy_of(a, &policy);
	int64_t until = prefers_until(&policy, since);

	return (until == INT64_MAX) ? 0 : until;
}

void sgang_levels_of_group(const struct gang *g, struct sgang_policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	for (size_t i = 0; i < g->group.n; i++) {
		const struct sgang_spec *spec = &g->group.gangs[i]->tally.spec;

		if (spec->group_topology[0]) {
			sgang_spec_group_policy(spec, policy);
			return;
		}
	}
}

/* ---- forbidden nodes ---- */

struct sgang_nodeset *sgang_levels_place(const struct attempt *a)
{
	uint32_t n_nodes = sgang_fabric_nodes(a->c->fabric);
	struct sgang_nodeset *one = sgang_nodeset_create(n_nodes);
	struct sgang_nodeset *place = sgang_nodeset_create(n_nodes);
	struct sgang_nofit nofit;
	int level = sgang_levels_limit(a, a->c->host->now(), &nofit);

	if (one && place && level < SGANG_LEVEL_UNCONNECTED) {
		sgang_nodeset_add(one,
				  sgang_parts_node(a->c, &a->plan->runs[0]));
		sgang_fabric_widen(a->topology->fabric, one, (uint32_t)level,
				   place);
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

/* Without those of 'but'. */
static bool nodes_of(struct sgang_conductor *c, const struct gang *g,
		     const struct sgang_job *but, struct sgang_nodeset *nodes)
{
	for (size_t i = 0; i < sgang_exclusive_jobs(g); i++) {
		struct sgang_job *job = sgang_exclusive_job(c, g, i);

		if (job && job != but)
			c->host->jobs.nodes(job, nodes);
	}
	return sgang_nodeset_next(nodes, 0) != SGANG_NODE_NONE;
}

bool sgang_levels_nodes_of(struct sgang_conductor *c, const struct gang *g,
			   struct sgang_nodeset *nodes)
{
	return nodes_of(c, g, NULL, nodes);
}

int sgang_levels_find(const struct sgang_conductor *c, const char *name)
{
	return name[0] ? sgang_costs_level(&c->conf.costs, name) : -1;
}

int sgang_levels_lower(int a, int b)
{
	return (a < 0 || (b >= 0 && b < a)) ? b : a;
}

/* Keep only, or take out, the domains of this level with nodes of 'theirs'.
 * Without memory no node is left: rather none than a wrong one. */
static void cut_by(const struct sgang_fabric *fabric,
		   const struct sgang_nodeset *theirs, int level, bool off,
		   struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *domains =
		sgang_nodeset_create(sgang_fabric_nodes(fabric));

	if (!domains) {
		sgang_nodeset_clear(nodes);
		return;
	}
	sgang_fabric_widen(fabric, theirs, (uint32_t)level, domains);
	if (off)
		sgang_nodeset_subtract(nodes, domains);
	else
		sgang_nodeset_and(nodes, domains);
	sgang_nodeset_destroy(domains);
}

/* Keep the domains of 'level' that have one of 'theirs', and take out those of
 * level 'off'; -1: no effect. */
static void cut_both(const struct sgang_fabric *fabric,
		     const struct sgang_nodeset *theirs, int level, int off,
		     struct sgang_nodeset *nodes)
{
	if (level >= 0)
		cut_by(fabric, theirs, level, false, nodes);
	if (off >= 0)
		cut_by(fabric, theirs, off, true, nodes);
}

/* The level within which members placed later must share a domain with those
 * placed. */
static int binding_level(const struct sgang_conductor *c,
			 const struct sgang_policy *policy, int64_t since)
{
	int level = sgang_levels_find(c, policy->require), preferred;

	if (c->host->now() >= prefers_until(policy, since))
		return level;
	preferred = sgang_levels_find(c, policy->prefer);
	return sgang_levels_lower(level, preferred);
}

/* The same by the nodes of those gangs but one; no effect if these have none. */
static void keep_to(struct sgang_conductor *c, struct gang *const *gangs,
		    size_t n, const struct gang *but,
		    const struct sgang_job *but_job, int level, int off,
		    struct sgang_nodeset *nodes)
{
	const struct sgang_fabric *fabric =
		sgang_registry_topology(c, gangs, n)->fabric;
	struct sgang_nodeset *theirs;
	bool any = false;

	if (level < 0 && off < 0)
		return;
	theirs = sgang_nodeset_create(sgang_fabric_nodes(fabric));
	for (size_t i = 0; theirs && i < n; i++) {
		if (gangs[i] != but)
			any |= nodes_of(c, gangs[i], but_job, theirs);
	}
	if (!theirs)
		sgang_nodeset_clear(nodes);
	else if (any)
		cut_both(fabric, theirs, level, off, nodes);
	sgang_nodeset_destroy(theirs);
}

static void cut_search(const struct search *s, struct sgang_nodeset *nodes)
{
	if (s && s->place)
		sgang_nodeset_and(nodes, s->place);
	if (s && s->tried)
		sgang_nodeset_subtract(nodes, s->tried);
}

void sgang_levels_cut(const struct attempt *a, struct gang *g,
		      struct sgang_nodeset *nodes)
{
	struct sgang_conductor *c = a->c;
	struct sgang_policy own, group;
	struct gang *alone, **gangs;
	size_t n;

	if (!c->fabric)
		return;
	cut_search(a->search, nodes);
	/* the rest of a gang of which some hold already */
	sgang_spec_policy(&g->tally.spec, &own);
	keep_to(c, &g, 1, NULL, NULL, binding_level(c, &own, g->tally.complete),
		sgang_levels_find(c, own.spread), nodes);
	sgang_levels_of_group(g, &group);
	gangs = sgang_group_of(g, &alone, &n);
	keep_to(c, gangs, n, g, NULL,
		binding_level(c, &group, group_complete_since(g)),
		sgang_levels_find(c, group.spread), nodes);
}

void sgang_levels_cut_beside(struct sgang_conductor *c, struct gang *g,
			     const struct sgang_nodeset *theirs,
			     struct sgang_nodeset *nodes)
{
	const struct sgang_fabric *fabric =
		sgang_registry_topology(c, &g, 1)->fabric;
	struct sgang_policy policy;
	int level, off;

	sgang_spec_policy(&g->tally.spec, &policy);
	level = binding_level(c, &policy, g->tally.complete);
	off = sgang_levels_find(c, policy.spread);
	cut_both(fabric, theirs, level, off, nodes);
}

int sgang_levels_cut_late(struct sgang_conductor *c, struct gang *g,
			  const struct sgang_job *job,
			  struct sgang_nodeset *nodes)
{
	struct sgang_policy policy;
	int level, off;

	sgang_exclusive_cut(c, g, nodes);
	sgang_spec_policy(&g->tally.spec, &policy);
	level = sgang_levels_find(c, policy.require);
	off = sgang_levels_find(c, policy.spread);
	keep_to(c, &g, 1, NULL, job, level, off, nodes);
	return sgang_levels_lower(level, off);
}
