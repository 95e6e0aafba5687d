/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure.c - a member that ran is lost: what becomes of the others
 *
 * A member fails when it ran and does not run any more without having completed:
 * it failed, was killed, could not be launched, or lost its node. Its record says
 * with which start of the gang it ran, so that a gang of the same name that comes
 * later is not taken for it.
 */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "plugins/log.h"

/* A gang that fails every time is not started for ever: Slurm's own default for
 * batch jobs that cannot be launched (MaxBatchRequeue). */
#define RESTARTS_MAX 5

static enum sgang_on_failure policy(const struct gang *g)
{
	return sgang_spec_on_failure(&g->tally.spec);
}

/* One that Slurm has put back into the queue shows that it ran by its record. */
static uint32_t find_lost(const struct gang *g)
{
	if (g->lost_member && g->lost_started == g->tally.started)
		return g->lost_member;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING && e->has_record &&
		    e->record.started &&
		    e->record.started == g->tally.started)
			return e->job_id;
	}
	return 0;
}

/* The whole gang ends, those that never ran too (3.2). */
static void kill_gang(struct sgang_conductor *c, struct gang *g, uint32_t lost)
{
	struct sgang_job *job = c->host->find(lost);

	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: member %u is lost: the gang is ended", g->ns,
		  g->name, lost);
	if (job)
		sgang_show_phase(c, g, job, SGANG_PHASE_FAILED);
	for (size_t i = 0; i < g->n_entries; i++) {
		job = c->host->find(g->entries[i]->job_id);
		if (!job)
			continue;
		sgang_show_phase(c, g, job, SGANG_PHASE_FAILED);
		c->host->end(job);
	}
}

static void requeue_one(struct sgang_conductor *c, struct gang *g,
			struct sgang_job *job)
{
	struct sgang_job_info info;

	c->host->info(job, &info);
	if (info.state != SGANG_JOB_PENDING && !c->host->requeue(job)) {
		sgang_log(SGANG_LOG_INFO,
			  "%s/%s: job %u cannot be requeued and is ended",
			  g->ns, g->name, info.job_id);
		sgang_show_phase(c, g, job, SGANG_PHASE_FAILED);
		if (info.state != SGANG_JOB_ENDED)
			c->host->end(job);
		return;
	}
	/* It is a gang that has not started. */
	sgang_show_phase(c, g, job, SGANG_PHASE_WAITING);
}

static void requeue_gang(struct sgang_conductor *c, struct gang *g,
			 uint32_t lost)
{
	struct sgang_job *job = c->host->find(lost);

	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: member %u is lost: the gang is requeued", g->ns,
		  g->name, lost);
	if (job)
		requeue_one(c, g, job);
	for (size_t i = 0; i < g->n_entries; i++) {
		job = c->host->find(g->entries[i]->job_id);
		if (job && g->entries[i]->job_id != lost)
			requeue_one(c, g, job);
	}
}

static bool restarted_too_often(struct sgang_conductor *c, uint32_t lost)
{
	struct sgang_job *job = c->host->find(lost);
	struct sgang_job_info info = { .restarts = 0 };

	if (job)
		c->host->info(job, &info);
	return info.restarts >= RESTARTS_MAX;
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	uint32_t lost;

	if (g->stale || !g->tally.started ||
	    policy(g) == SGANG_ON_FAILURE_IGNORE)
		return;
	lost = find_lost(g);
	if (!lost)
		return;
	/* Members that hold for a second start are not concerned any more. */
	sgang_hold_give_back(c, g);
	if (policy(g) == SGANG_ON_FAILURE_KILL ||
	    (g->lost_member == lost && g->lost_cancelled) ||
	    restarted_too_often(c, lost))
		kill_gang(c, g, lost);
	else
		requeue_gang(c, g, lost);
	g->why[0] = '\0';
	g->failed = false;
	c->changed = true;
	/* The next pass sees what it has become. */
	g->stale = true;
	sgang_conductor_poke(c);
}

void sgang_failure_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next)
		check(c, g);
}
