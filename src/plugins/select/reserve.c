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

static struct sgang_job *standing_job(struct sgang_conductor *c,
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
	struct sgang_job *asks = standing_job(c, asking);
	struct sgang_job *waits = asks ? standing_job(c, first) : NULL;

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

static bool same_group(const struct gang *a, const struct gang *b)
{
	return !sgang_group_turn_order(a, b);
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

/* Take out the nodes kept for 'g' on which the job does not fit beside it; from
 * gangs ('spec': its options), all of a domain in which they cannot both be.
 * True if any was taken. */
static bool keep_for(struct sgang_conductor *c, const struct gang *g,
		     const struct sgang_standing *s,
		     const struct sgang_spec *spec, struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *around = NULL;
	bool any;

	if (spec)
		around = sgang_exclusive_around(c, g, spec, g->joint.nodes);
	any = around ? sgang_beside_cut(c, around, NULL, NULL, nodes) :
		       sgang_beside_cut(c, g->joint.nodes, &g->joint.share,
					standing_job(c, s), nodes);
	sgang_nodeset_destroy(around);
	return any;
}

/* True if nodes freed for a gang are kept from the job: from every job of lower
 * priority, however short. */
static bool claim_keeps(struct sgang_conductor *c, const struct gang *g,
			const struct sgang_standing *s, const struct gang *own)
{
	return sgang_reserve_before(c, &g->joint.standing, s) &&
	       !(own && same_group(own, g)) && sgang_registry_any_left(c, g);
}

/* Take out nodes kept for its next start. Returns when they are free, if
 * 'nodes' has lost any; else 0. */
static int64_t cut_kept(struct sgang_conductor *c, const struct gang *g,
			const struct sgang_standing *s, const struct gang *own,
			struct sgang_nodeset *nodes)
{
	int64_t soon = c->host->now() + 1;

	if (!g->kept.nodes || !sgang_nodeset_intersects(nodes, g->kept.nodes) ||
	    (own && same_group(own, g)) ||
	    (!g->kept.unseen && !claim_keeps(c, g, s, own)))
		return 0;
	sgang_nodeset_subtract(nodes, g->kept.nodes);
	return g->kept.until > soon && !g->kept.unseen ? g->kept.until : soon;
}

void sgang_claim_cut(const struct sgang_conductor *c, const struct gang *g,
		     struct sgang_nodeset *nodes)
{
	if (!c->claims)
		return;
	for (const struct gang *other = c->gangs; other; other = other->next) {
		if (sgang_group_turn_order(other, g) >= 0)
			continue;
		if (other->preempt.claim)
			sgang_nodeset_subtract(nodes,
					       other->preempt.claim->nodes);
		if (other->kept.nodes)
			sgang_nodeset_subtract(nodes, other->kept.nodes);
	}
}

/* After a restart slurmctld may start jobs before the first pass has read the
 * claims. Jobs wait no longer than this for the first pass. */
#define FRESH_SECONDS 5

static bool claims_unknown(const struct sgang_conductor *c)
{
	return c->fresh && c->conf.preemption && c->host->preempt.enabled() &&
	       c->host->now() - c->fresh_since < FRESH_SECONDS;
}

int64_t sgang_conductor_keep(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec, int64_t until,
			     struct sgang_nodeset *nodes)
{
	struct gang *own = NULL;
	int64_t when = 0;

	if (!sgang_conductor_reserves(c))
		return 0;
	if (claims_unknown(c)) {
		sgang_nodeset_clear(nodes);
		c->wake_scheduler = true;
		return c->host->now() + 1;
	}
	if (spec)
		own = sgang_registry_find(c, spec->ns, spec->name);
	if (own && own->n_entries)
		spec = &own->tally.spec; /* the options of the whole gang */
	for (struct gang *g = c->gangs; g; g = g->next) {
		int64_t kept = cut_kept(c, g, s, own, nodes);

		if (kept > when)
			when = kept;
		if (g->preempt.claim && claim_keeps(c, g, s, own) &&
		    sgang_nodeset_intersects(nodes, g->preempt.claim->nodes)) {
			sgang_nodeset_subtract(nodes, g->preempt.claim->nodes);
			if (sgang_claim_until(c, g) > when)
				when = sgang_claim_until(c, g);
		}
		if (!g->joint.reserved || !g->joint.nodes ||
		    until <= g->joint.start || (own && same_group(own, g)) ||
		    !sgang_registry_any_left(c, g) ||
		    !sgang_reserve_before(c, &g->joint.standing, s) ||
		    !keep_for(c, g, s, spec, nodes))
			continue;
		if (g->joint.start > when)
			when = g->joint.start;
	}
	return when;
}

bool sgang_conductor_reserves(const struct sgang_conductor *c)
{
	return c->reserving || c->claims || claims_unknown(c);
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
