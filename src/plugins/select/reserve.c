/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reserve.c - nodes kept for a gang until its joint start
 *
 * Backfill reserves nodes for each member by itself, for a limited number of
 * jobs of an array, a user or a partition. Other members of a gang would get
 * none, and jobs of lower priority would take their nodes, for ever. So the
 * nodes of the gang's plan for its joint start are kept here too, from every
 * job of lower priority that would still run at that time. Only the first gang
 * that waits for any of its nodes has this: that is enough for each to become
 * first. If this gang or a later one is exclusive, whole domains are kept, but
 * only from gangs.
 */

#include <stdlib.h>

#include "conductor_private.h"

/* A plan older than this, longer than a cycle of backfill, may be outdated. */
#define RESERVE_SECONDS 600

/* A planned start is dropped this long after it has passed. */
#define PAST_SECONDS 5

static bool may_reserve(struct sgang_conductor *c, const struct gang *g)
{
	return (g->attempt.failed || g->plan.nodes) && !g->never.starts &&
	       g->joint.nodes && !g->stale && g->partitions.nodes &&
	       g->joint.start > c->host->now() - PAST_SECONDS &&
	       g->joint.start < c->host->now() + SGANG_NEVER_SECONDS &&
	       c->host->now() - g->failed_at.time < RESERVE_SECONDS &&
	       g->tally.priority && !g->tally.held &&
	       !sgang_gang_ordinary(&g->tally) &&
	       sgang_group_complete(g, NULL, 0);
}

void sgang_reserve_review(struct sgang_conductor *c)
{
	bool ended = false;

	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->joint.reserved || may_reserve(c, g))
			continue;
		g->joint.reserved = false;
		ended = true;
	}
	if (!ended)
		return;
	/* The cancel of a waiting member changes none of the inputs of the
	 * back-off. */
	sgang_retry_forget_all(c);
	c->wake_scheduler = true;
}

/* Below 0 if a comes first in Slurm's queue, by numbers. An order that sorts a
 * list, unlike Slurm's own relation. */
static int standing_order(const struct sgang_standing *a,
			  const struct sgang_standing *b)
{
	if (a->tier != b->tier)
		return (a->tier > b->tier) ? -1 : 1;
	if (a->priority != b->priority)
		return (a->priority > b->priority) ? -1 : 1;
	return (a->job_id < b->job_id) ? -1 : (a->job_id > b->job_id);
}

struct sgang_job *sgang_reserve_job(struct sgang_conductor *c,
				    const struct sgang_standing *s)
{
	if (s->job || !s->record)
		return s->job;
	return c->host->jobs.find(s->record);
}

/* The order must be exactly Slurm's: otherwise the gang's nodes could be kept
 * from a job before it, while backfill keeps the job's from the gang, for ever.
 */
bool sgang_reserve_before(struct sgang_conductor *c,
			  const struct sgang_standing *first,
			  const struct sgang_standing *asking)
{
	struct sgang_job *asks = sgang_reserve_job(c, asking);
	struct sgang_job *waits = asks ? sgang_reserve_job(c, first) : NULL;

	return waits ? c->host->jobs.before(waits, asks) :
		       standing_order(first, asking) < 0;
}

/* Each cycle of backfill reserves nodes again. Nodes that it offers to a job
 * once more are free at a later time. */
void sgang_conductor_offered(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec,
			     const struct sgang_nodeset *nodes)
{
	int order = standing_order(&c->last, s);
	struct gang *g;

	c->last = *s;
	c->last.job = NULL;
	if (!order)
		return;
	if (order > 0)
		c->cycle++;
	g = spec ? sgang_registry_find(c, spec->ns, spec->name) : NULL;
	if (!g)
		return;
	if (g->turn.offer && g->turn.offer_cycle == c->cycle) {
		sgang_nodeset_or(g->turn.offer, nodes);
		return;
	}
	sgang_nodeset_destroy(g->turn.offer);
	g->turn.offer = sgang_nodeset_copy(nodes);
	g->turn.offer_cycle = c->cycle;
}

static void note_standing(struct gang *g)
{
	g->joint.standing = (struct sgang_standing){ .job_id = UINT32_MAX };
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];
		struct sgang_standing s = {
			.record = e->job_id,
			.tier = e->tier,
			.priority = e->m.priority,
			.job_id = e->m.job_id,
		};

		if (e->m.state == SGANG_MEMBER_PENDING &&
		    standing_order(&s, &g->joint.standing) < 0)
			g->joint.standing = s;
	}
}

static int queue_order(const void *a, const void *b)
{
	const struct gang *x = *(struct gang *const *)a;
	const struct gang *y = *(struct gang *const *)b;

	return standing_order(&x->joint.standing, &y->joint.standing);
}

static struct gang **list_waiting(struct sgang_conductor *c, size_t *n)
{
	struct gang **list;

	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		g->joint.reserved = may_reserve(c, g);
		*n += g->joint.reserved;
	}
	list = *n ? calloc(*n, sizeof(*list)) : NULL;
	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->joint.reserved && list)
			list[(*n)++] = g;
		g->joint.reserved = false;
	}
	return list;
}

static bool group_reserves(const struct gang *g)
{
	for (size_t i = 0; i < g->group.n; i++) {
		if (g->group.gangs[i]->joint.reserved)
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
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->preempt.claim || g->kept.nodes)
			note_standing(g);
	}
	list = list_waiting(c, &n);
	if (!list)
		return;
	for (size_t i = 0; i < n; i++)
		note_standing(list[i]);
	qsort(list, n, sizeof(*list), queue_order);
	taken = sgang_nodeset_create(c->host->nodes.count());
	for (size_t i = 0; taken && i < n; i++) {
		/* a gang and its group count as one */
		if (sgang_nodeset_intersects(taken,
					     list[i]->partitions.nodes) &&
		    !group_reserves(list[i]))
			continue;
		sgang_nodeset_or(taken, list[i]->partitions.nodes);
		list[i]->joint.reserved = true;
		c->reserving = true;
	}
	sgang_nodeset_destroy(taken);
	free(list);
}

bool sgang_conductor_kept(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes)
{
	const struct gang *g = sgang_registry_find(c, spec->ns, spec->name);

	if (!g || !g->joint.reserved || !g->joint.nodes ||
	    !sgang_nodeset_intersects(nodes, g->joint.nodes))
		return false;
	sgang_nodeset_and(nodes, g->joint.nodes);
	return true;
}
