/* SPDX-License-Identifier: GPL-2.0-or-later */
/* branches.c - gangs whose members form a tree of groups
 *
 * The tree is made with the tally. A gang that has started needs nothing; a
 * group of it without a member that runs follows, with all that this group needs
 * or not at all (branches_pick.c). Once a group has a member that runs or has
 * completed, others of it are ordinary jobs.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* ---- the tree ---- */

void sgang_branches_forget(struct gang *g)
{
	sgang_role_tree_clear(&g->tree);
}

static int make_tree(struct gang *g, struct sgang_role_member *list,
		     uint32_t *leaf)
{
	struct sgang_role_gang gang;

	for (size_t i = 0; i < g->n_entries; i++)
		sgang_gang_role_member(&g->entries[i]->m, &list[i]);
	sgang_gang_roles(&g->tally, &gang);
	if (sgang_role_gang_tree(&gang, list, g->n_entries, &g->tree, leaf,
				 NULL) < 0)
		return -1;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		e->leaf = leaf[i];
		e->role[0] = '\0';
		if (leaf[i] != SGANG_ROLE_NONE)
			sgang_role_text(&g->tree, leaf[i], e->role);
	}
	return 0;
}

int sgang_branches_derive(struct gang *g)
{
	struct sgang_role_member *list;
	uint32_t *leaf;
	int rc = -1;

	sgang_branches_forget(g);
	if (!g->tally.roles.any)
		return 0;
	list = calloc(g->n_entries + 1, sizeof(*list));
	leaf = calloc(g->n_entries + 1, sizeof(*leaf));
	if (list && leaf)
		rc = make_tree(g, list, leaf);
	free(list);
	free(leaf);
	return rc;
}

bool sgang_branches_any(const struct attempt *a)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		if (a->gangs[i]->tally.roles.any)
			return true;
	}
	return false;
}

/* ---- groups of a plan ---- */

/* The level of that name; SGANG_LEVEL_UNCONNECTED: "". -1: there is none. */
static int level_of(const struct attempt *a, const char *name, uint32_t *level)
{
	int found = name[0] ? sgang_costs_level(&a->c->conf.costs, name) :
			      (int)SGANG_LEVEL_UNCONNECTED;

	if (found < 0)
		return -1;
	*level = (uint32_t)found;
	return 0;
}

/* Set what one group of the plan needs; its name in 'nofit' where it names no
 * level. */
static int set_levels(const struct attempt *a,
		      const struct sgang_role_group *group,
		      struct sgang_plan_group *out, struct sgang_nofit *nofit)
{
	const char *unknown = NULL;

	out->weight = group->weight_set ? group->weight : 1;
	if (level_of(a, group->require, &out->require))
		unknown = group->require;
	else if (level_of(a, group->prefer, &out->prefer))
		unknown = group->prefer;
	if (!unknown)
		return 0;
	snprintf(nofit->text, sizeof(nofit->text),
		 "group %s: no level is called %s", group->name, unknown);
	return -1;
}

/* Does some part belong to it? They are in ring order, which is the tree's. */
static void count_parts(const struct attempt *a, uint32_t g, size_t *first,
			size_t *n)
{
	const struct sgang_role_tree *tree = &a->gangs[0]->tree;

	while (*first < a->n_parts && a->parts[*first].entry->leaf < g)
		++*first;
	for (*n = 0; *first + *n < a->n_parts; ++*n) {
		uint32_t leaf = a->parts[*first + *n].entry->leaf;

		if (!sgang_role_within(tree, g, leaf))
			break;
	}
}

int sgang_branches_groups(const struct attempt *a,
			  struct sgang_plan_request *rq,
			  struct sgang_nofit *nofit)
{
	const struct sgang_role_tree *tree = &a->gangs[0]->tree;
	struct sgang_plan_group *group;
	uint32_t *number, n = 0;
	size_t first = 0, count;
	int rc = 0;

	if (a->n_gangs > 1 || !tree->n)
		return 0;
	group = calloc(tree->n, sizeof(*group));
	number = calloc(tree->n, sizeof(*number));
	for (uint32_t g = 0; group && number && !rc && g < tree->n; g++) {
		count_parts(a, g, &first, &count);
		if (!count)
			continue;
		number[g] = n;
		group[n] = (struct sgang_plan_group){
			.name = g ? tree->node[g].group.name : SGANG_ROLE_GANG,
			.parent = g ? number[tree->node[g].parent] :
				      SGANG_PLAN_NO_GROUP,
			.first = first,
			.n_members = count,
		};
		rc = set_levels(a, &tree->node[g].group, &group[n++], nofit);
	}
	if (!group || !number) {
		snprintf(nofit->text, sizeof(nofit->text), "no memory");
		rc = -1;
	}
	free(number);
	rq->group = group;
	rq->n_groups = n;
	return rc;
}

/* ---- after the start ---- */

/* Does some member run in it? */
static bool runs(const struct gang *g, uint32_t group)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_RUNNING &&
		    e->leaf != SGANG_ROLE_NONE &&
		    sgang_role_within(&g->tree, group, e->leaf))
			return true;
	}
	return false;
}

/* True if each of its groups has a member that runs or has completed: so has its
 * leaf. */
static bool has_started(const struct gang *g, const struct sgang_spec *spec)
{
	uint32_t leaf = sgang_role_find(&g->tree, spec->role);

	return leaf != SGANG_ROLE_NONE &&
	       (runs(g, leaf) || sgang_branches_done_in(g, leaf));
}

bool sgang_branches_ordinary(const struct gang *g,
			     const struct sgang_spec *spec)
{
	/* Placeholders were there for all groups. */
	if (!g->tally.roles.any || g->tally.spec.placeholders)
		return sgang_gang_ordinary(&g->tally);
	return (sgang_gang_ordinary(&g->tally) || g->tally.roles.grows) &&
	       has_started(g, spec);
}

bool sgang_branches_grow(const struct gang *g)
{
	return g->tally.roles.any && g->tally.roles.grows && g->tally.running;
}

bool sgang_branches_join(const struct gang *g)
{
	return sgang_branches_grow(g) ||
	       (g->tally.running && sgang_spec_match(&g->tally.spec) ==
					    SGANG_MATCH_WAITING_AND_RUNNING);
}

/* Add the nodes of the members in it that have some. */
static bool nodes_in(struct sgang_conductor *c, const struct gang *g,
		     const struct sgang_job *but, uint32_t group,
		     struct sgang_nodeset *nodes)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];
		struct sgang_job *job;

		if (e->m.state == SGANG_MEMBER_PENDING ||
		    e->leaf == SGANG_ROLE_NONE ||
		    !sgang_role_within(&g->tree, group, e->leaf))
			continue;
		job = c->host->jobs.find(e->job_id);
		if (job && job != but)
			c->host->jobs.nodes(job, nodes);
	}
	return sgang_nodeset_next(nodes, 0) != SGANG_NODE_NONE;
}

uint32_t sgang_branches_binds(struct sgang_conductor *c, const struct gang *g,
			      uint32_t leaf, int most,
			      struct sgang_nodeset *own)
{
	uint32_t found = SGANG_ROLE_NONE;

	for (uint32_t group = leaf; group; group = g->tree.node[group].parent) {
		int level =
			sgang_levels_find(c, g->tree.node[group].group.require);

		/* all nodes of the groups in it are its own */
		if (level < 0 || level > most ||
		    !nodes_in(c, g, NULL, group, own))
			continue;
		found = group;
		most = level - 1;
	}
	return found;
}

/* Keep to the domain of one group. Without memory no node is left. Returns the
 * level that it requires; -1: none. */
static int keep_to(struct sgang_conductor *c, const struct gang *g,
		   const struct sgang_job *but, uint32_t group,
		   struct sgang_nodeset *nodes)
{
	uint32_t n = c->host->nodes.count();
	int level = sgang_levels_find(c, g->tree.node[group].group.require);
	struct sgang_nodeset *own, *wide;

	if (level < 0)
		return -1;
	own = sgang_nodeset_create(n);
	wide = sgang_nodeset_create(n);
	if (!own || !wide) {
		sgang_nodeset_clear(nodes);
	} else if (nodes_in(c, g, but, group, own)) {
		sgang_fabric_widen(g->topology->fabric, own, (uint32_t)level,
				   wide);
		sgang_nodeset_and(nodes, wide);
	}
	sgang_nodeset_destroy(own);
	sgang_nodeset_destroy(wide);
	return level;
}

int sgang_branches_cut(struct sgang_conductor *c, const struct gang *g,
		       const struct sgang_spec *spec,
		       const struct sgang_job *job, struct sgang_nodeset *nodes)
{
	uint32_t group;
	int lowest = -1;

	if (!g->tally.roles.any || !g->tally.running || !g->topology)
		return -1;
	group = sgang_role_find(&g->tree, spec->role);
	for (; group && group != SGANG_ROLE_NONE;
	     group = g->tree.node[group].parent)
		lowest = sgang_levels_lower(lowest,
					    keep_to(c, g, job, group, nodes));
	return lowest;
}
