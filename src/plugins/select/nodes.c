/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.c - nodes show the gangs on them
 *
 * A pass updates the nodes of gangs whose members got, changed or left nodes,
 * and nodes whose field another program has written.
 */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hash.h"
#include "core/gang/extra.h"
#include "plugins/log.h"

/* The most gangs that a node shows. */
#define NAMED_MAX 32

/* The ranks of a gang on a node. */
struct use {
	struct use *next; /* on that node */
	const struct gang *g;
	uint64_t ranks;
};

/* Grown with the node table; NULL array: not made yet. */
struct shown_node {
	struct use *uses;
	uint64_t text; /* hash of our text; 0: none */
};

static uint64_t hash_text(const char *text)
{
	uint64_t hash = sgang_hash_text(SGANG_HASH_SEED, text);

	return hash ? hash : 1;
}

/* ---- gangs by node ---- */

static bool has_nodes(const struct entry *e)
{
	return e->m.state != SGANG_MEMBER_PENDING;
}

/* A hash of the members with nodes, and of their runs; 0: none. */
static uint64_t who_has_nodes(const struct gang *g)
{
	bool any = g->tally.held || g->tally.running;
	uint64_t hash = SGANG_HASH_SEED;

	for (size_t i = 0; i < g->n_entries && any; i++) {
		const struct entry *e = g->entries[i];

		if (!has_nodes(e))
			continue;
		hash = sgang_hash(hash, e->job_id);
		hash = sgang_hash(hash, e->restarts);
		hash = sgang_hash(hash, (uint64_t)e->record.started);
	}
	return any ? hash : 0;
}

static void take_use(struct shown_node *node, const struct gang *g)
{
	struct use **at = &node->uses;

	while (*at) {
		struct use *use = *at;

		if (use->g == g) {
			*at = use->next;
			free(use);
		} else {
			at = &use->next;
		}
	}
}

static int add_use(struct shown_node *node, const struct gang *g,
		   uint64_t ranks)
{
	struct use *use = node->uses;

	while (use && use->g != g)
		use = use->next;
	if (!use) {
		use = calloc(1, sizeof(*use));
		if (!use)
			return -1;
		use->g = g;
		use->next = node->uses;
		node->uses = use;
	}
	use->ranks += ranks;
	return 0;
}

/* Remove the gang from all its nodes, and add these to 'dirty'. */
static void leave(struct sgang_conductor *c, struct gang *g,
		  struct sgang_nodeset *dirty)
{
	if (!g->shown.on)
		return;
	for (uint32_t n = sgang_nodeset_next(g->shown.on, 0);
	     n != SGANG_NODE_NONE; n = sgang_nodeset_next(g->shown.on, n + 1)) {
		take_use(&c->shown.nodes[n], g);
		if (dirty)
			sgang_nodeset_add(dirty, n);
	}
	sgang_nodeset_destroy(g->shown.on);
	g->shown.on = NULL;
	g->shown.of = 0;
}

/* Ranks are spread evenly, as describe.c counts them. */
static int add_member(struct sgang_conductor *c, struct gang *g,
		      const struct entry *e, struct sgang_nodeset *nodes)
{
	struct sgang_job_info info;
	uint32_t n_nodes, i = 0;

	c->host->jobs.info(e->job, &info);
	sgang_nodeset_clear(nodes);
	c->host->jobs.nodes(e->job, nodes);
	n_nodes = sgang_nodeset_count(nodes);
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1), i++) {
		uint32_t ranks = info.ranks / n_nodes +
				 (i < info.ranks % n_nodes);

		if (add_use(&c->shown.nodes[n], g, ranks ? ranks : 1) < 0)
			return -1;
		sgang_nodeset_add(g->shown.on, n);
	}
	return 0;
}

/* Find the gang's nodes again. Without memory the next pass does it. */
static void move(struct sgang_conductor *c, struct gang *g, uint64_t who,
		 struct sgang_nodeset *dirty)
{
	struct sgang_nodeset *nodes = NULL;
	bool failed = false;

	leave(c, g, dirty);
	if (!who)
		return;
	g->shown.on = sgang_nodeset_create(c->shown.n);
	nodes = sgang_nodeset_create(c->shown.n);
	failed = !g->shown.on || !nodes;
	for (size_t i = 0; i < g->n_entries && !failed; i++)
		failed = has_nodes(g->entries[i]) &&
			 add_member(c, g, g->entries[i], nodes) < 0;
	sgang_nodeset_destroy(nodes);
	if (failed) {
		leave(c, g, dirty);
		return;
	}
	sgang_nodeset_or(dirty, g->shown.on);
	g->shown.of = who;
}

/* ---- the field ---- */

/* The gangs of the node in the order of their names, so that the text of a node
 * does not depend on the order of arrival. */
static int by_name(const void *a, const void *b)
{
	const struct sgang_extra *x = a, *y = b;
	int rc = strcmp(x->ns, y->ns);

	return rc ? rc : strcmp(x->name, y->name);
}

static void write_node(struct sgang_conductor *c, uint32_t node)
{
	struct sgang_extra gangs[NAMED_MAX];
	struct shown_node *shown = &c->shown.nodes[node];
	const char *before = c->host->nodes.extra(node);
	size_t n = 0;
	char *text;

	for (const struct use *use = shown->uses; use && n < NAMED_MAX;
	     use = use->next)
		gangs[n++] = (struct sgang_extra){ use->g->ns, use->g->name,
						   use->ranks };
	if (!n && !sgang_extra_found(before)) {
		shown->text = 0;
		return;
	}
	qsort(gangs, n, sizeof(gangs[0]), by_name);
	text = sgang_extra_format(before, gangs, n);
	if (!text)
		return; /* the hash does not match, so it is tried again */
	if (strcmp(text, before ? before : ""))
		c->host->nodes.set_extra(node, text);
	shown->text = n ? hash_text(text) : 0;
	free(text);
}

/* True if another program has written the field of a node that shows gangs. */
static bool was_changed(struct sgang_conductor *c, uint32_t node)
{
	const struct shown_node *shown = &c->shown.nodes[node];
	const char *now;

	if (!shown->uses)
		return false;
	now = c->host->nodes.extra(node);
	return hash_text(now ? now : "") != shown->text;
}

static bool make_table(struct sgang_conductor *c)
{
	if (c->shown.nodes)
		return true;
	c->shown.n = c->host->nodes.count();
	c->shown.nodes = calloc(c->shown.n + 1, sizeof(*c->shown.nodes));
	c->shown.stamp = 0;
	return c->shown.nodes;
}

/* At first nodes may have the text of an earlier slurmctld. */
static void find_changed(struct sgang_conductor *c, bool first,
			 struct sgang_nodeset *dirty)
{
	uint64_t stamp = c->host->node_stamp();

	if (stamp == c->shown.stamp)
		return;
	c->shown.stamp = stamp;
	for (uint32_t n = 0; n < c->shown.n; n++) {
		if (was_changed(c, n) ||
		    (first && sgang_extra_found(c->host->nodes.extra(n))))
			sgang_nodeset_add(dirty, n);
	}
}

void sgang_nodes_show(struct sgang_conductor *c)
{
	struct sgang_nodeset *dirty;
	bool first;

	if (c->shown.nodes && c->shown.n != c->host->nodes.count())
		sgang_nodes_forget(c); /* nodes came or went */
	first = !c->shown.nodes;
	if (!make_table(c))
		return;
	dirty = sgang_nodeset_create(c->shown.n);
	if (!dirty)
		return;
	for (struct gang *g = c->gangs; g; g = g->next) {
		uint64_t who = c->conf.node_extra ? who_has_nodes(g) : 0;

		if (!g->stale && !sgang_hold_committing(g) &&
		    who != g->shown.of)
			move(c, g, who, dirty);
	}
	find_changed(c, first, dirty);
	for (uint32_t n = sgang_nodeset_next(dirty, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(dirty, n + 1))
		write_node(c, n);
	sgang_nodeset_destroy(dirty);
}

void sgang_nodes_forget(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next)
		leave(c, g, NULL);
	free(c->shown.nodes);
	c->shown.nodes = NULL;
	c->shown.n = 0;
}
