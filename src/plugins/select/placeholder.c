/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placeholder.c - members that keep nodes for members to come
 *
 *	        commit         all are ready             a member comes
 *	(waits) -----> a hold ---------------> RESERVED ---------------> ends
 *	                                        |    ^
 *	       its time is over, lost, preempted|    | found again
 *	                                        v    |
 *	                                       ends -+
 *
 * A gang with --gang-placeholders starts with its placeholders, and with members
 * of roles that have none: one attempt commits all of them, and they are held
 * as any gang is (hold.c). At the release placeholders stay as they are. To
 * Slurm, and in the tally of their gang, they are then running jobs, with seats
 * in the ring.
 *
 * A member of the same role that comes later takes the nodes and the seat of a
 * placeholder in one hold of slurmctld's locks, so nobody else gets the nodes.
 * From then on it is what a promoted cold spare is (cold_spare.c): launched when
 * its record is saved. If Slurm refuses it, the placeholder has its nodes again.
 *
 * A placeholder is never launched. One that loses its nodes ends.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

/* A gang whose members have all ended is closed after this time (1.35). */
#define CLOSE_SECONDS 30

static void give_back_all(struct sgang_conductor *c, struct gang *g,
			  enum placeholder_end end)
{
	while (g->placeholders.n) {
		uint32_t id = g->placeholders.list[0].job_id;
		struct sgang_job *job = c->host->jobs.find(id);

		if (job)
			sgang_placeholder_give_back(c, g, job, id, end);
		else
			sgang_placeholder_take_out(g, id);
	}
	sgang_registry_refresh(c, g);
}

/* A user, Slurm or a failing node has taken its nodes. */
static void lose(struct sgang_conductor *c, struct gang *g,
		 const struct placeholder *p, struct sgang_job *job)
{
	enum placeholder_end end = p->preempted ? END_PREEMPTED : END_STOPPED;

	sgang_placeholder_take_out(g, p->job_id);
	if (!job)
		return;
	c->host->holds.drop(job, true);
	sgang_placeholder_end(c, g, job, end);
}

/* ---- placeholders of a gang that has started ---- */

void sgang_placeholder_keep(struct sgang_conductor *c, struct gang *g,
			    struct sgang_job *job)
{
	char text[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + SGANG_ROLE_SIZE + 64];
	char names[SGANG_ROLE_SIZE] = "";
	struct sgang_job_info info;
	const struct entry *e;

	c->host->jobs.info(job, &info);
	e = sgang_lookup_entry(c, info.job_id);
	if (e && e->spec.role[0])
		(void)sgang_role_path_names(e->spec.role, names);
	sgang_placeholder_add(g, info.job_id);
	snprintf(text, sizeof(text), "Gang %s/%s: placeholder%s%s", g->ns,
		 g->name, names[0] ? " of role " : "", names);
	c->host->jobs.tell(job, text, false);
}

/* Only the job records say which placeholders have their nodes. */
static void adopt(struct sgang_conductor *c, struct gang *g, struct entry *e)
{
	struct sgang_job_info info;

	if (!e->spec.placeholder || e->hold ||
	    e->m.state != SGANG_MEMBER_RUNNING ||
	    sgang_placeholder_has(g, e->job_id))
		return;
	c->host->jobs.info(e->job, &info);
	if (info.state != SGANG_JOB_CONFIGURING)
		return;
	if (sgang_placeholder_room(g, 1) < 0) {
		g->stale = true; /* the next pass tries again */
		return;
	}
	c->host->holds.adopt(e->job);
	sgang_placeholder_add(g, e->job_id);
	g->placeholders.came |= e->record.came;
	sgang_log(SGANG_LOG_INFO, "%s/%s: found placeholder %u again", g->ns,
		  g->name, e->job_id);
}

static void check_one(struct sgang_conductor *c, struct gang *g,
		      const struct placeholder *p)
{
	struct sgang_job *job = c->host->jobs.find(p->job_id);
	struct sgang_job_info info;

	if (!job || !c->host->holds.held(job)) {
		lose(c, g, p, job);
		return;
	}
	c->host->jobs.info(job, &info);
	if (info.began &&
	    (!g->placeholders.since || info.began < g->placeholders.since))
		g->placeholders.since = info.began;
	if (g->preempt.evicted)
		sgang_placeholder_give_back(c, g, job, p->job_id,
					    END_PREEMPTED);
	else if (sgang_hold_is_over(c, &info))
		sgang_placeholder_give_back(c, g, job, p->job_id, END_TIMEOUT);
	else if (sgang_drains_under(c, job)) /* no member could start there */
		sgang_placeholder_give_back(c, g, job, p->job_id, END_STOPPED);
	else
		c->host->holds.still_held(job);
}

/* One without nodes in a gang that has started has lost them, or came late. */
static void end_pending(struct sgang_conductor *c, struct gang *g)
{
	bool any = false;

	if (!sgang_gang_ordinary(&g->tally) || g->hold.n)
		return;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (!e->spec.placeholder || e->m.state != SGANG_MEMBER_PENDING)
			continue;
		sgang_placeholder_end(c, g, e->job, END_STOPPED);
		any = true;
	}
	if (any)
		sgang_registry_refresh(c, g);
}

/* A gang ends some time after its last member (1.35, 1.40). */
static bool is_closed(const struct sgang_conductor *c, struct gang *g)
{
	bool there = false;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->spec.placeholder)
			continue;
		there = true;
		g->placeholders.came |= e->m.state == SGANG_MEMBER_RUNNING;
	}
	if (there || !g->placeholders.came)
		g->placeholders.idle = 0;
	else if (!g->placeholders.idle)
		g->placeholders.idle = c->host->now();
	return g->placeholders.idle &&
	       c->host->now() - g->placeholders.idle >= CLOSE_SECONDS;
}

static bool is_unused(const struct sgang_conductor *c, const struct gang *g)
{
	uint32_t most = g->tally.spec.placeholder_unused;

	return most && most != SGANG_FOREVER && g->placeholders.since &&
	       c->host->now() - g->placeholders.since >= (int64_t)most;
}

static void check_started(struct sgang_conductor *c, struct gang *g)
{
	size_t before = g->placeholders.n;

	for (size_t i = before; i-- > 0;)
		check_one(c, g, &g->placeholders.list[i]);
	if (g->placeholders.n != before)
		sgang_registry_refresh(c, g);
	if (g->placeholders.n && (is_closed(c, g) || is_unused(c, g)))
		give_back_all(c, g, END_TIMEOUT);
	end_pending(c, g);
}

void sgang_placeholder_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->placeholders.any && !g->placeholders.n)
			continue;
		for (size_t i = 0; i < g->n_entries && !g->stale; i++)
			adopt(c, g, g->entries[i]);
		if (g->stale)
			continue;
		if (!g->hold.n || sgang_hold_committing(g))
			check_started(c, g);
	}
}
