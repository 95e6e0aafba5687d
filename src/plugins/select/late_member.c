/* SPDX-License-Identifier: GPL-2.0-or-later */
/* late_member.c - members that start after their gang: new ones, requeued ones
 *
 * Late members are ordinary jobs, which Slurm starts one by one. But they join
 * a ring, so the gang's level requests apply to them, and of the remaining
 * nodes those nearest to their place in the ring come first. The other members
 * stay where they are, so the cost of a node between two others depends only on
 * the level at which it meets the nearer of these.
 */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "attempt_private.h"

/* The gang, if its members are ordinary jobs now. */
static struct gang *started(struct sgang_conductor *c,
			    const struct sgang_spec *spec)
{
	struct gang *g = sgang_registry_find(c, spec->ns, spec->name);

	return (g && c->fabric && sgang_branches_ordinary(g, spec)) ? g : NULL;
}

int sgang_late_member_cut(struct sgang_conductor *c, struct gang *g,
			  const struct sgang_spec *spec,
			  const struct sgang_job *job,
			  struct sgang_nodeset *nodes)
{
	return sgang_levels_lower(sgang_levels_cut_late(c, g, job, nodes),
				  sgang_branches_cut(c, g, spec, job, nodes));
}

bool sgang_conductor_late(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes,
			  struct sgang_bound *bound)
{
	struct gang *g = started(c, spec);
	int level;

	*bound = SGANG_UNBOUND;
	if (!g)
		return false;
	level = sgang_late_member_cut(c, g, spec, NULL, nodes);
	if (level >= 0)
		*bound = (struct sgang_bound){
			sgang_registry_topology(c, &g, 1)->fabric,
			(uint32_t)level
		};
	return true;
}

/* The job's neighbour nodes in the ring. */
static bool neighbours(struct sgang_conductor *c, struct gang *g,
		       struct sgang_job *job, uint32_t min_nodes,
		       struct sgang_nodeset *nodes)
{
	struct sgang_job_info info;
	uint32_t ranks;

	c->host->jobs.info(job, &info);
	ranks = info.ranks > min_nodes ? info.ranks : min_nodes;
	return sgang_ranks_look(c, g, info.job_id) == 0 &&
	       sgang_ranks_beside(
		       c, g, sgang_ranks_find(c, g, info.job_id, ranks), nodes);
}

bool sgang_conductor_near(struct sgang_conductor *c,
			  const struct sgang_spec *spec, struct sgang_job *job,
			  uint32_t min_nodes, uint32_t level,
			  struct sgang_nodeset *nodes)
{
	uint32_t n_nodes = c->host->nodes.count();
	struct sgang_nodeset *own = sgang_nodeset_create(n_nodes);
	struct sgang_nodeset *near = sgang_nodeset_create(n_nodes);
	struct gang *g = started(c, spec);
	bool any = own && near && g &&
		   (neighbours(c, g, job, min_nodes, own) ||
		    sgang_levels_nodes_of(c, g, own));

	if (any) {
		sgang_fabric_widen(g->topology->fabric, own, level, near);
		sgang_nodeset_and(nodes, near);
	}
	sgang_nodeset_destroy(own);
	sgang_nodeset_destroy(near);
	return any;
}

/* ---- why it waits ---- */

/* The number of domains of a level that have one of 'nodes', and the first. */
static uint32_t domains_of(const struct sgang_fabric *fabric,
			   const struct sgang_nodeset *nodes, uint32_t level,
			   const char **first)
{
	struct sgang_nodeset *seen =
		sgang_nodeset_create(sgang_fabric_domains(fabric));
	uint32_t n = 0;

	*first = "";
	for (uint32_t i = sgang_nodeset_next(nodes, 0);
	     seen && i != SGANG_NODE_NONE;
	     i = sgang_nodeset_next(nodes, i + 1)) {
		uint32_t d = sgang_fabric_within(fabric, i, level);

		if (d != SGANG_DOMAIN_NONE && sgang_nodeset_has(seen, d))
			continue;
		if (d != SGANG_DOMAIN_NONE)
			sgang_nodeset_add(seen, d);
		if (!n++)
			*first = (d == SGANG_DOMAIN_NONE) ?
					 sgang_fabric_node_name(fabric, i) :
					 sgang_fabric_domain(fabric, d)->name;
	}
	sgang_nodeset_destroy(seen);
	return n;
}

/* 'group': whose nodes these are; SGANG_ROLE_NONE: all of the gang. */
static void text_of_require(const struct sgang_conductor *c,
			    const struct gang *g, uint32_t group,
			    const struct sgang_nodeset *own, const char *level,
			    char *text, size_t size)
{
	int at = sgang_levels_find(c, level);
	char who[SGANG_ROLE_SIZE + 16] = "", names[SGANG_ROLE_SIZE];
	const char *name;
	uint32_t n = domains_of(g->topology->fabric, own, (uint32_t)at, &name);

	if (group != SGANG_ROLE_NONE)
		snprintf(who, sizeof(who), ": group %s",
			 sgang_role_names(&g->tree, group, names));
	if (n == 1)
		snprintf(
			text, size,
			"Gang %s/%s%s runs in %s %.64s, where this member waits for room",
			g->ns, g->name, who, level, name);
	else
		snprintf(
			text, size,
			"Gang %s/%s%s runs in %u %s domains, where this member waits for room",
			g->ns, g->name, who, n, level);
}

/* One of its groups is what binds it, and not the level of the gang. */
static bool text_of_group(struct sgang_conductor *c, const struct gang *g,
			  uint32_t leaf, int gangs, char *text, size_t size)
{
	struct sgang_nodeset *own =
		sgang_nodeset_create(c->host->nodes.count());
	uint32_t group = SGANG_ROLE_NONE;

	if (own)
		group = sgang_branches_binds(c, g, leaf,
					     gangs < 0 ? INT_MAX : gangs, own);
	if (group != SGANG_ROLE_NONE)
		text_of_require(c, g, group, own,
				g->tree.node[group].group.require, text, size);
	sgang_nodeset_destroy(own);
	return group != SGANG_ROLE_NONE;
}

/* True if --gang-exclusive takes out any node. */
static bool kept_apart(struct sgang_conductor *c, const struct gang *g)
{
	uint32_t n_nodes = c->host->nodes.count();
	struct sgang_nodeset *nodes = sgang_nodeset_create(n_nodes);
	bool apart = false;

	if (nodes) {
		sgang_nodeset_fill(nodes);
		sgang_exclusive_cut(c, g, nodes);
		apart = sgang_nodeset_count(nodes) < n_nodes;
	}
	sgang_nodeset_destroy(nodes);
	return apart;
}

bool sgang_late_member_text(struct sgang_conductor *c, const struct gang *g,
			    uint32_t leaf, char *text, size_t size)
{
	struct sgang_nodeset *own;
	struct sgang_policy policy;
	int level;
	bool any;

	if (!c->fabric || !g->topology)
		return false;
	sgang_spec_policy(&g->tally.spec, &policy);
	level = sgang_levels_find(c, policy.require);
	if (leaf != SGANG_ROLE_NONE &&
	    text_of_group(c, g, leaf, level, text, size))
		return true;
	own = sgang_nodeset_create(c->host->nodes.count());
	any = own && sgang_levels_nodes_of(c, g, own);
	if (any && level >= 0)
		text_of_require(c, g, SGANG_ROLE_NONE, own, policy.require,
				text, size);
	else if (any && sgang_levels_find(c, policy.spread) >= 0)
		snprintf(
			text, size,
			"Gang %s/%s is spread: this member waits for room in a %s without another",
			g->ns, g->name, policy.spread);
	else if (any && kept_apart(c, g))
		snprintf(
			text, size,
			"Gang %s/%s runs: this member waits for room apart from other gangs (--gang-exclusive)",
			g->ns, g->name);
	else
		any = false;
	sgang_nodeset_destroy(own);
	return any;
}
