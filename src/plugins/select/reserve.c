/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reserve.c - nodes that are kept for a gang until its joint start
 *
 * Backfill keeps nodes for each member by itself, and its settings limit for how
 * many jobs of an array, a user or a partition it does so: some members of a
 * gang would go without, and jobs behind it would take what they need, for ever.
 * So the nodes of the gang's plan for its joint start are kept here too, from
 * every job behind the gang that would still be there by then. Only the first
 * gang that waits for any of its nodes has this: that is enough for each to get
 * there. Where it or the one behind it wants to be alone in a domain, that is
 * kept as a whole, but from gangs only.
 */

#include <stdlib.h>

#include "conductor_private.h"

/* A plan that nobody has made anew for so long, longer than a cycle of
 * backfill, may have been overtaken. */
#define RESERVE_SECONDS 600

/* A start that should have been is believed in no longer than this. */
#define PAST_SECONDS 5

static bool may_reserve(struct sgang_conductor *c, const struct gang *g)
{
	return g->failed && !g->never && g->planned && !g->stale && g->parts &&
	       g->joint_start > c->host->now() - PAST_SECONDS &&
	       g->joint_start < c->host->now() + SGANG_NEVER_SECONDS &&
	       c->host->now() - g->failed_time < RESERVE_SECONDS &&
	       g->tally.priority && !g->tally.held &&
	       !sgang_gang_ordinary(&g->tally) &&
	       sgang_group_complete(g, NULL, 0);
}

void sgang_reserve_review(struct sgang_conductor *c)
{
	bool ended = false;

	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->reserves || may_reserve(c, g))
			continue;
		g->reserves = false;
		ended = true;
	}
	if (!ended)
		return;
	/* A member that waited and is cancelled changes nothing that the
	 * back-off looks at. */
	for (struct gang *g = c->gangs; g; g = g->next)
		g->failed_stamp = 0;
	c->wake_scheduler = true;
}

/* Below 0 when a comes first in Slurm's queue. It must be exactly that order: a
 * job before the gang that had to keep off its nodes, while backfill keeps the
 * gang off the job's, would block both for ever. */
static int standing_order(const struct sgang_standing *a,
			  const struct sgang_standing *b)
{
	if (a->tier != b->tier)
		return (a->tier > b->tier) ? -1 : 1;
	if (a->priority != b->priority)
		return (a->priority > b->priority) ? -1 : 1;
	return (a->job_id < b->job_id) ? -1 : (a->job_id > b->job_id);
}

/* Each time backfill goes through its queue it keeps nodes anew. What it offers
 * to a job once more is free at a later moment. */
void sgang_conductor_offered(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec,
			     const struct sgang_nodeset *nodes)
{
	int order = standing_order(&c->last, s);
	struct gang *g;

	c->last = *s;
	if (!order)
		return;
	if (order > 0)
		c->cycle++;
	g = spec ? sgang_registry_find(c, spec->ns, spec->name) : NULL;
	if (!g)
		return;
	if (g->offer && g->offer_cycle == c->cycle) {
		sgang_nodeset_or(g->offer, nodes);
		return;
	}
	sgang_nodeset_destroy(g->offer);
	g->offer = sgang_nodeset_copy(nodes);
	g->offer_cycle = c->cycle;
}

static void note_standing(struct gang *g)
{
	g->standing = (struct sgang_standing){ .job_id = UINT32_MAX };
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];
		struct sgang_standing s = {
			.tier = e->tier,
			.priority = e->m.priority,
			.job_id = e->m.job_id,
		};

		if (e->m.state == SGANG_MEMBER_PENDING &&
		    standing_order(&s, &g->standing) < 0)
			g->standing = s;
	}
}

static int queue_order(const void *a, const void *b)
{
	const struct gang *x = *(struct gang *const *)a;
	const struct gang *y = *(struct gang *const *)b;

	return standing_order(&x->standing, &y->standing);
}

static struct gang **list_waiting(struct sgang_conductor *c, size_t *n)
{
	struct gang **list;

	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		g->reserves = may_reserve(c, g);
		*n += g->reserves;
	}
	list = *n ? calloc(*n, sizeof(*list)) : NULL;
	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->reserves && list)
			list[(*n)++] = g;
		g->reserves = false;
	}
	return list;
}

static bool same_group(const struct gang *a, const struct gang *b)
{
	return !sgang_group_turn_order(a, b);
}

static bool group_reserves(const struct gang *g)
{
	for (size_t i = 0; i < g->n_group; i++) {
		if (g->group[i]->reserves)
			return true;
	}
	return false;
}

void sgang_reserve_all(struct sgang_conductor *c)
{
	struct sgang_nodeset *taken = NULL;
	struct gang **list;
	size_t n;

	c->reserving = false;
	list = list_waiting(c, &n);
	if (!list)
		return;
	for (size_t i = 0; i < n; i++)
		note_standing(list[i]);
	qsort(list, n, sizeof(*list), queue_order);
	taken = sgang_nodeset_create(c->host->node_count());
	for (size_t i = 0; taken && i < n; i++) {
		/* a gang and its group are one */
		if (sgang_nodeset_intersects(taken, list[i]->parts) &&
		    !group_reserves(list[i]))
			continue;
		sgang_nodeset_or(taken, list[i]->parts);
		list[i]->reserves = true;
		c->reserving = true;
	}
	sgang_nodeset_destroy(taken);
	free(list);
}

/* What is kept for 'g' from a job of that gang's options (NULL: it is of none):
 * from gangs all of a domain in which they cannot be both. Returns whether any
 * was taken. */
static bool keep_for(struct sgang_conductor *c, const struct gang *g,
		     const struct sgang_spec *spec, struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *around = NULL;
	const struct sgang_nodeset *kept = g->planned;
	bool any;

	if (spec)
		around = sgang_exclusive_around(c, g, spec, kept);
	if (around)
		kept = around;
	any = sgang_nodeset_intersects(nodes, kept);
	sgang_nodeset_subtract(nodes, kept);
	sgang_nodeset_destroy(around);
	return any;
}

int64_t sgang_conductor_keep(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec, int64_t until,
			     struct sgang_nodeset *nodes)
{
	struct gang *own = NULL;
	int64_t when = 0;

	if (!c->reserving)
		return 0;
	if (spec)
		own = sgang_registry_find(c, spec->ns, spec->name);
	if (own && own->n_entries)
		spec = &own->tally.spec; /* what holds for all of it */
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->reserves || !g->planned || until <= g->joint_start ||
		    standing_order(&g->standing, s) >= 0 ||
		    (own && same_group(own, g)) ||
		    !sgang_registry_any_left(c, g) ||
		    !keep_for(c, g, spec, nodes))
			continue;
		if (g->joint_start > when)
			when = g->joint_start;
	}
	return when;
}

bool sgang_conductor_reserves(const struct sgang_conductor *c)
{
	return c->reserving;
}

bool sgang_conductor_kept(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes)
{
	const struct gang *g = sgang_registry_find(c, spec->ns, spec->name);

	if (!g || !g->reserves || !g->planned ||
	    !sgang_nodeset_intersects(nodes, g->planned))
		return false;
	sgang_nodeset_and(nodes, g->planned);
	return true;
}
