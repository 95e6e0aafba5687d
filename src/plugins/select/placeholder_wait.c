/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placeholder_wait.c - placeholders that have nodes and are not all ready
 *
 * The gang starts when all are. After a time, from the first one placed, it
 * starts with those that are ready (soft), or fails (hard).
 */

#include <stdio.h>

#include "conductor_private.h"
#include "plugins/log.h"

static size_t count_ready(struct sgang_conductor *c, const struct gang *g)
{
	size_t ready = 0;

	for (size_t i = 0; i < g->hold.n; i++)
		ready += c->host->holds.ready(
			c->host->jobs.find(g->hold.members[i].job_id));
	return ready;
}

/* End the holds of placeholders that are not ready. */
static void end_late(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = g->hold.n; i-- > 0;) {
		uint32_t id = g->hold.members[i].job_id;
		struct sgang_job *job = c->host->jobs.find(id);

		if (c->host->holds.ready(job) || !sgang_placeholder_is(c, id))
			continue;
		sgang_hold_remove(c, g, id);
		if (job)
			sgang_placeholder_give_back(c, g, job, id, END_TIMEOUT);
	}
}

/* End all holds. */
static void end_holds(struct sgang_conductor *c, struct gang *g,
		      const char *why)
{
	for (size_t i = g->hold.n; i-- > 0;) {
		uint32_t id = g->hold.members[i].job_id;
		struct sgang_job *job = c->host->jobs.find(id);
		bool keeps = sgang_placeholder_is(c, id);

		sgang_hold_remove(c, g, id);
		if (!job)
			continue;
		if (keeps) {
			sgang_placeholder_give_back(c, g, job, id, END_TIMEOUT);
			continue;
		}
		c->host->holds.undo(job);
		sgang_publish_end(c, g, job, SGANG_PHASE_FAILED, why);
	}
}

/* First those that wait, then those with nodes (1.47, 1.48). */
static void fail(struct sgang_conductor *c, struct gang *g)
{
	char why[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 80];

	snprintf(why, sizeof(why),
		 "Gang %s/%s: its placeholders were not ready in time", g->ns,
		 g->name);
	sgang_log(SGANG_LOG_INFO, "%s, all members end", why);
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_PENDING)
			continue;
		if (e->spec.placeholder)
			sgang_placeholder_end(c, g, e->job, END_TIMEOUT);
		else
			sgang_publish_end(c, g, e->job, SGANG_PHASE_FAILED,
					  why);
	}
	end_holds(c, g, why);
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	uint32_t most = g->tally.spec.placeholder_timeout;
	size_t ready;

	if (!g->placeholders.since)
		g->placeholders.since = g->hold.since;
	if (!most)
		most = c->conf.placeholder_timeout;
	if (most == SGANG_FOREVER || sgang_hold_doubtful(g) ||
	    c->host->now() - g->placeholders.since < (int64_t)most)
		return;
	ready = count_ready(c, g);
	if (ready == g->hold.n)
		return;
	if (g->tally.spec.placeholders == SGANG_PLACEHOLDERS_HARD) {
		fail(c, g);
	} else {
		sgang_log(SGANG_LOG_INFO,
			  "%s/%s: %zu of %zu placeholders are ready in time",
			  g->ns, g->name, ready, g->hold.n);
		end_late(c, g);
		g->placeholders.partial = g->hold.n > 0;
	}
	sgang_registry_refresh(c, g);
}

void sgang_placeholder_wait_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->placeholders.any && !g->stale && g->hold.n &&
		    !sgang_hold_committing(g))
			check(c, g);
	}
}
