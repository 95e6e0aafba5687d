/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replace.c - a lost member is requeued alone, and the others run on
 *
 * The member starts again as any late member does (heir.c), with the member
 * rank that it had. If all members are lost, one by one or at once, they start
 * together again, as a gang that has never started. This does not apply if
 * other members have completed, because the gang would not be complete.
 *
 * The same is done whatever the policy is when all members were requeued, by
 * Slurm, their users or themselves. They would start one by one otherwise, and
 * none would know the others.
 */

#include "conductor_private.h"
#include "plugins/log.h"

bool sgang_replace_is_lost(const struct sgang_job_info *info)
{
	struct sgang_record r;

	if (info->state == SGANG_JOB_ENDED)
		return info->failed;
	return info->state == SGANG_JOB_PENDING &&
	       sgang_record_parse(info->comment, &r) == 1 && r.started;
}

/* Slurm counts a requeue immediately. */
uint32_t sgang_replace_restarts(const struct sgang_job_info *info)
{
	return info->restarts -
	       (info->restarts && info->state == SGANG_JOB_PENDING);
}

bool sgang_replace(struct sgang_conductor *c, const struct gang *g,
		   const struct sgang_job_info *info, uint32_t max_restarts)
{
	uint32_t restarts = sgang_replace_restarts(info);

	if (restarts >= max_restarts || (info->state == SGANG_JOB_ENDED &&
					 !c->host->jobs.requeue(info->job)))
		return false;
	if (info->labelled)
		c->host->jobs.unlabel(info->job);
	sgang_restart(c, info->job, restarts, sgang_restart_least(c, info));
	sgang_log(SGANG_LOG_INFO, "%s/%s: member %u is lost and requeued",
		  g->ns, g->name, info->job_id);
	return true;
}

/* ---- all are lost ---- */

/* True if as many wait again as the gang had members. */
static bool all_again(const struct gang *g)
{
	uint32_t had = 0, again = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];
		struct sgang_was was = sgang_record_was(&e->record);

		if (!e->has_record || !was.members)
			continue;
		again++;
		if (was.members > had)
			had = was.members;
	}
	return again && again >= had;
}

static bool all_lost(const struct gang *g)
{
	bool any = false;

	if (!g->tally.satisfied || g->tally.spec.pool)
		return false;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct sgang_member *m = &g->entries[i]->m;

		if (m->state != SGANG_MEMBER_PENDING)
			return false;
		any |= m->on_failure == SGANG_ON_FAILURE_REPLACE;
	}
	return (any && g->count.restarting && !g->below.done) || all_again(g);
}

static void begin_anew(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++)
		sgang_publish_phase(c, g, g->entries[i]->job,
				    SGANG_PHASE_WAITING);
	sgang_registry_renew(c, g);
	sgang_log(SGANG_LOG_INFO, "%s/%s: has lost all members, waits again",
		  g->ns, g->name);
}

void sgang_replace_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->stale && g->count.again && !g->preempt.evicted &&
		    !sgang_cold_any_again(g) && all_lost(g))
			begin_anew(c, g);
	}
}
