/* SPDX-License-Identifier: GPL-2.0-or-later */
/* retry.c - when a gang that did not fit is tried again
 *
 * A failed attempt says what the gang lacks: idle nodes, or room for so many of
 * its equal members. That a job begins gives it nothing. When one has ended, a
 * count on the nodes of that job shows whether the rest may be there; if not the
 * result stands, and the gang takes no turn.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* Limits, licences and what backfill offers change without an event: a gang
 * that lacked more than room is tried again after so many seconds. */
#define RETRY_SECONDS 5

/* One that lacks room cannot start. An attempt after this time finds when it
 * could. */
#define SHORT_SECONDS 30

/* ... unless the number of idle nodes it shows is outdated: then after this. */
#define STALE_SECONDS 10

/* ---- what it lacks ---- */

/* True if too few nodes are idle for the gang. False if a count cannot tell,
 * because holders might yield. The count is kept until a change. */
static bool short_of_nodes(struct sgang_conductor *c, struct gang *g)
{
	uint64_t stamp = c->host->stamp();

	if (!g->joint.whole_nodes || !g->partitions.nodes || c->holders)
		return false;
	if (!g->idle.known || g->idle.stamp != stamp) {
		g->idle.nodes = c->host->nodes.idle(g->partitions.nodes);
		g->idle.stamp = stamp;
		g->idle.known = true;
	}
	return g->idle.nodes < g->joint.whole_nodes;
}

/* True if as many members as are missing may fit on the nodes where something
 * has become free: on the others no more fit than before. */
static bool room_for_rest(struct sgang_conductor *c, const struct gang *g)
{
	uint32_t n_nodes = c->host->nodes.count();
	struct sgang_nodeset *nodes = sgang_nodeset_create(n_nodes);
	uint32_t *units = calloc(n_nodes + 1UL, sizeof(*units));
	struct sgang_job *job = c->host->jobs.find(g->lack.job_id);
	bool room = !nodes || !units || !job || !g->partitions.nodes;
	uint64_t sum = 0;

	if (!room) {
		c->host->nodes.freed_since(g->failed_at.freed, nodes);
		sgang_nodeset_and(nodes, g->partitions.nodes);
		c->host->nodes.refresh();
		c->host->nodes.units(job, &g->lack.shape, nodes, false, units);
		for (uint32_t n = 0; n < n_nodes; n++)
			sum += units[n];
		room = sum >= g->lack.members;
	}
	sgang_nodeset_destroy(nodes);
	free(units);
	return room;
}

/* True if what the gang lacked may be there now. */
static bool may_fit(struct sgang_conductor *c, struct gang *g)
{
	uint64_t freed = c->host->freed();

	if (short_of_nodes(c, g))
		return false;
	/* the moment that the attempt found has come */
	if (g->joint.start && g->joint.start <= c->host->now() &&
	    g->failed_at.time < g->joint.start)
		return true;
	if (freed == g->failed_at.freed || freed == g->failed_at.asked)
		return false;
	if (!g->lack.members)
		return true;
	if (g->lack.judged != freed) {
		g->lack.room = room_for_rest(c, g);
		g->lack.judged = freed;
	}
	return g->lack.room;
}

/* An exclusive gang keeps others off nodes that it does not use itself. */
static bool any_exclusive(const struct sgang_conductor *c)
{
	const struct gang *g = c->gangs;

	while (g && !g->tally.spec.exclusive[0])
		g = g->next;
	return g != NULL;
}

/* A gang that may be placed otherwise after a while lacks more than room. */
static bool time_helps(const struct gang *g)
{
	struct sgang_policy policy;

	sgang_spec_policy(&g->tally.spec, &policy);
	return policy.prefer_time || policy.automatic;
}

/* True if all members that wait ask for the same. */
static bool alike(const struct gang *g, const struct probed *p)
{
	size_t i = 0;

	while (i < g->n_entries &&
	       (!g->entries[i]->probed || g->entries[i]->probed == p))
		i++;
	return i == g->n_entries;
}

/* True if it has equal pieces. With other shares or fewer nodes it may also fit
 * where these do not. */
static bool in_equal_pieces(const struct sgang_shape *shape)
{
	return !shape->task_cpus && !shape->job_gres && !shape->least_nodes;
}

void sgang_retry_lack(const struct attempt *a, size_t fit)
{
	struct gang *g = a->gangs[0];

	if (fit >= a->n_parts || g->attempt.wants_more || g->tally.roles.any ||
	    (a->lessons && (a->lessons->n || a->lessons->avoid)) ||
	    !alike(g, a->parts[0].probed) ||
	    !in_equal_pieces(&a->parts[0].probed->shape) || time_helps(g) ||
	    any_exclusive(a->c))
		return;
	g->lack.members = (uint32_t)(a->n_parts - fit);
	g->lack.job_id = a->parts[0].entry->job_id;
	g->lack.shape = a->parts[0].probed->shape;
	g->lack.judged = 0;
}

/* ---- when a scheduler asks ---- */

bool sgang_retry_stands(struct sgang_conductor *c, struct gang *g)
{
	return g->attempt.failed && !may_fit(c, g);
}

bool sgang_retry_in_vain(struct sgang_conductor *c, struct gang *g,
			 bool reserving)
{
	int64_t now = c->host->now(), age = now - g->failed_at.turn;

	if (!g->attempt.failed || (g->failed_at.limited && !reserving) ||
	    may_fit(c, g))
		return false;
	if (age < RETRY_SECONDS)
		return true;
	if (sgang_preempt_may(c, g) || age >= SHORT_SECONDS)
		return false;
	/* it cannot start, but the text it shows is outdated */
	if (short_of_nodes(c, g))
		return g->idle.nodes == g->failed_at.idle ||
		       age < STALE_SECONDS;
	return g->lack.members && !g->failed_at.limited && g->joint.start > now;
}

void sgang_retry_note(struct sgang_conductor *c, struct gang *g)
{
	g->failed_at.stamp = c->host->stamp();
	g->failed_at.freed = g->failed_at.asked = c->host->freed();
	g->failed_at.of = g->requests;
	g->failed_at.cycle = c->cycle;
	g->failed_at.time = g->failed_at.turn = c->host->now();
	if (g->attempt.failed && g->joint.whole_nodes && g->partitions.nodes)
		g->failed_at.idle = c->host->nodes.idle(g->partitions.nodes);
}

void sgang_retry_forget_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		g->failed_at.stamp = 0;
		g->failed_at.freed = g->failed_at.asked = 0;
		g->lack.members = 0;
	}
}

void sgang_retry_drop_plan(struct gang *g)
{
	sgang_beside_drop(&g->plan.nodes, &g->plan.share);
}
