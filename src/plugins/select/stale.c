/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stale.c - gangs that run with fewer members than their minimum
 *
 * A gang is stale when fewer members run than its minimum and are not replaced
 * within a time. Completed members count as running, or every gang whose
 * members end one by one would be stale. Slurm purges completed members, so the
 * records of running members have their number, and the time since which too
 * few run. The options of its own user decide about a member (core/gang/own.h).
 * --gang-on-failure acts at once, and so before this.
 */

#include <stdio.h>

#include "conductor_private.h"
#include "plugins/log.h"

#define GRACE_SECONDS 60

/* True if the number of running members matters. */
static bool cares(const struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++)
		if (g->entries[i]->m.on_stale > SGANG_ON_FAILURE_IGNORE)
			return true;
	return false;
}

static bool is_below(const struct gang *g)
{
	uint32_t there = g->tally.running + g->tally.held;

	if (g->tally.roles.any)
		return g->tally.running && !g->tally.roles.whole &&
		       sgang_branches_below(g);
	return g->tally.min_member > 1 && g->tally.running &&
	       there < g->tally.min_member &&
	       g->below.done < g->tally.min_member - there;
}

static uint32_t grace_of(const struct entry *e)
{
	return e->m.stale_grace ? e->m.stale_grace : GRACE_SECONDS;
}

/* True if this member must go now. */
static bool is_due(const struct gang *g, const struct entry *e, int64_t now)
{
	uint32_t grace = grace_of(e);

	return e->m.on_stale > SGANG_ON_FAILURE_IGNORE &&
	       grace != SGANG_FOREVER && now - g->below.since >= grace;
}

/* The largest number of requeues of that user's jobs. */
static uint32_t restarts_of(const struct gang *g, uint32_t uid)
{
	uint32_t most = 0;

	for (size_t i = 0; i < g->n_entries; i++)
		if (g->entries[i]->m.uid == uid &&
		    g->entries[i]->restarts > most)
			most = g->entries[i]->restarts;
	return most;
}

static void begin_again(struct sgang_conductor *c, struct gang *g,
			const struct entry *e, uint32_t restarts)
{
	if (e->m.state != SGANG_MEMBER_PENDING)
		sgang_restart(c, e->job, restarts, 0);
	sgang_publish_phase(c, g, e->job, SGANG_PHASE_WAITING);
}

static void take(struct sgang_conductor *c, struct gang *g,
		 const struct entry *e, uint32_t restarts, const char *why)
{
	uint32_t most = e->m.max_restarts ? e->m.max_restarts :
					    SGANG_RESTARTS_MAX;

	if (e->m.on_stale == SGANG_ON_FAILURE_REQUEUE && restarts < most &&
	    (e->m.state == SGANG_MEMBER_PENDING ||
	     c->host->jobs.requeue(e->job)))
		begin_again(c, g, e, restarts);
	else
		sgang_publish_end(c, g, e->job, SGANG_PHASE_FAILED, why);
}

/* Members whose time is over go, with pending members of the same users. */
static bool take_due(struct sgang_conductor *c, struct gang *g, int64_t now)
{
	char why[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 128];
	uint32_t uid = 0, restarts = 0;
	bool known = false, any = false;

	snprintf(why, sizeof(why),
		 "Gang %s/%s is stale: running %u of %u for %lld s", g->ns,
		 g->name, g->tally.running, g->tally.min_member,
		 (long long)(now - g->below.since));
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (!is_due(g, e, now))
			continue;
		if (!known || e->m.uid != uid)
			restarts = restarts_of(g, e->m.uid);
		known = true;
		uid = e->m.uid;
		if (!any)
			sgang_log(SGANG_LOG_INFO, "%s", why);
		any = true;
		take(c, g, e, restarts, why);
	}
	return any;
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	int64_t now = c->host->now();

	if (g->stale || g->preempt.evicted || !g->tally.started)
		return;
	/* After a restart the running members are not known yet. */
	if (g->tally.held && !g->tally.running)
		return;
	sgang_below_look(g);
	if (g->below.cares)
		sgang_below_recover(g);
	if (!cares(g) || !is_below(g)) {
		c->changed |= g->below.since != 0;
		g->below.since = 0;
		return;
	}
	if (!g->below.since || g->below.since > now) {
		g->below.since = now;
		c->changed = true;
	}
	if (!take_due(c, g, now))
		return;
	g->below.since = 0;
	sgang_registry_renew(c, g);
}

void sgang_stale_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!sgang_hold_doubtful(g) && !sgang_cold_any_again(g))
			check(c, g);
	}
}
