/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold_spare.c - spares that have nodes and are not launched
 *
 *	        commit                     a member is lost
 *	(waits) ------------> RESERVED ---------------------> PROMOTED
 *	                       |  ^                            | ^
 *	   gives back, or ends |  | found again                | | not launched
 *	                       v  |                    release | |
 *	                                                       v |
 *	            the node runs it <---- LAUNCHED      DOUBTFUL
 *	                                                   found again
 *
 * If the node gives up the launch, AGAIN follows DOUBTFUL, and DOUBTFUL follows
 * it (cold_again.c).
 *
 * With --gang-spares=N:cold Slurm does not start a late member (late_member.c)
 * that would be a spare. Slurm is told that the nodes are busy. The next pass
 * commits the member on them and holds it there, as a gang is held
 * (host_holds.h). The record of a cold spare has spare=1 cold=1. When a member
 * is lost, spare.c writes the record of the seat, rank= cold=1, and the spare
 * is launched as soon as the record is saved. cold=1 is removed when the launch
 * message has been sent; until then slurmctld asks the node after a restart.
 *
 * To Slurm, and in the tally of its gang, a cold spare is a running job. It is
 * not a hold of the gang, which has started. A cold spare holds its nodes no
 * longer than its time limit, preempts no job, and yields as holds do.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "faults.h"
#include "plugins/log.h"

/* As of a gang's release: hold.c, publish.c. */
#define SHOWN_SECONDS 5
#define LAUNCH_SECONDS 10

/* ---- the list ---- */

bool sgang_cold_may_yield(struct sgang_conductor *c, const struct gang *g,
			  uint32_t job_id)
{
	const struct cold *cold = sgang_cold_find(g, job_id);
	struct sgang_job *job = cold ? c->host->jobs.find(job_id) : NULL;

	return job && cold->state == COLD_RESERVED && c->host->holds.held(job);
}

bool sgang_cold_usable(struct sgang_conductor *c, const struct entry *e)
{
	return !e->record.cold || sgang_cold_may_yield(c, e->gang, e->job_id);
}

/* ---- a member becomes a cold spare ---- */

/* True if late members that neither have nor inherit a seat are cold spares. */
static bool is_cold(const struct gang *g)
{
	const struct sgang_spec *spec = &g->tally.spec;

	return spec->pool || spec->spares_cold ||
	       (spec->spare_pool[0] && !spec->spares);
}

bool sgang_conductor_wants_cold(struct sgang_conductor *c,
				const struct sgang_spec *spec,
				struct sgang_job *job, uint32_t min_nodes)
{
	struct gang *g = sgang_registry_find(c, spec->ns, spec->name);
	struct sgang_job_info info;

	if (g && g->tally.spec.pool)
		return true;
	if (!g || g->stale || !is_cold(g) || !c->fabric || !g->topology ||
	    !sgang_gang_ordinary(&g->tally))
		return false;
	c->host->jobs.info(job, &info);
	return sgang_heir_is_spare(c, g, info.job_id,
				   info.ranks > min_nodes ? info.ranks :
							    min_nodes);
}

void sgang_conductor_cold(struct sgang_conductor *c, struct sgang_job *job,
			  uint32_t min_nodes, const struct sgang_nodeset *nodes)
{
	struct sgang_job_info info;
	struct entry *e;

	c->host->jobs.info(job, &info);
	e = sgang_lookup_entry(c, info.job_id);
	if (!e)
		return; /* the next pass adds it, the next cycle asks again */
	sgang_nodeset_destroy(e->offer.nodes);
	e->offer.nodes = sgang_nodeset_copy(nodes);
	e->offer.ranks = info.ranks > min_nodes ? info.ranks : min_nodes;
	c->offers |= e->offer.nodes != NULL;
	sgang_conductor_poke(c);
}

static int describe(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *job, uint32_t job_id)
{
	struct seated *seated;
	int rc = -1;

	if (sgang_ranks_look(c, g, job_id) < 0)
		return -1;
	seated = sgang_ranks_list(c, g);
	if (!seated)
		return -1;
	if (!g->tally.spec.pool)
		sgang_epoch_heir(c, g, SGANG_RANK_SPARE, job_id);
	rc = sgang_describe_spare(c, g, seated, g->seats.n, job, job_id);
	free(seated);
	return rc;
}

/* True if this one would be. */
static bool would_be_cold(struct sgang_conductor *c, struct gang *g,
			  uint32_t job_id, uint32_t ranks)
{
	return g->tally.spec.pool || sgang_heir_is_spare(c, g, job_id, ranks);
}

/* The record, or the next pass, does the rest. */
static void begin(struct sgang_conductor *c, struct gang *g,
		  struct sgang_job *job)
{
	char text[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 64];
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	sgang_cold_add(g, info.job_id, COLD_RESERVED);
	sgang_registry_note(c, job);
	sgang_registry_refresh(c, g);
	c->changed = true;
	c->wake_scheduler = true; /* its busy answer kept others off */
	if (describe(c, g, job, info.job_id) < 0) {
		sgang_log(SGANG_LOG_ERROR,
			  "%s/%s: no memory for SLURM_GANG_* of job %u", g->ns,
			  g->name, info.job_id);
		c->host->holds.undo(job);
		sgang_cold_take_out(g, sgang_cold_find(g, info.job_id));
		sgang_registry_note(c, job);
		return;
	}
	snprintf(text, sizeof(text),
		 "Gang %s/%s: cold spare, starts when a %s is lost", g->ns,
		 g->name, g->tally.spec.pool ? "gang's member" : "member");
	c->host->jobs.tell(job, text, false);
	sgang_log(SGANG_LOG_INFO, "%s/%s: job %u is held as a cold spare",
		  g->ns, g->name, info.job_id);
	sgang_registry_note(c, job);
	sgang_registry_refresh(c, g);
	sgang_fault_die("reserved", 1);
}

static void take(struct sgang_conductor *c, struct gang *g, struct entry *e)
{
	struct sgang_bounds bounds = { .nodes = e->offer.nodes };
	struct sgang_refusal refusal;
	struct sgang_job *job;

	/* the offer is one domain where it must be */
	(void)sgang_late_member_cut(c, g, &e->spec, NULL, e->offer.nodes);
	if (e->m.state != SGANG_MEMBER_PENDING || !e->m.eligible || e->parked ||
	    !would_be_cold(c, g, e->job_id, e->offer.ranks) ||
	    sgang_cold_room(g) < 0)
		return;
	c->committing_cold = true;
	job = c->host->holds.commit(e->job, &bounds, &refusal);
	c->committing_cold = false;
	if (job)
		begin(c, g, job);
}

/* The lowest task of an array is split off, and the rest asks again. A task is
 * listed in the place of its array, or after the others. */
static void take_offers(struct sgang_conductor *c, struct gang *g)
{
	bool may = !g->stale && !g->hold.n && !g->preempt.evicted &&
		   !sgang_slices_gang(c) && c->conf.gangs && is_cold(g) &&
		   sgang_gang_ordinary(&g->tally);

	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->offer.nodes && may)
			take(c, g, e);
		sgang_cold_forget_offer(e);
	}
}

void sgang_cold_take_all(struct sgang_conductor *c)
{
	if (!c->offers)
		return;
	c->offers = false;
	for (struct gang *g = c->gangs; g; g = g->next)
		take_offers(c, g);
}

/* ---- a cold spare ends ---- */

/* The job is pending again. */
static void give_back(struct sgang_conductor *c, struct gang *g,
		      const struct cold *cold, struct sgang_job *job,
		      const char *why)
{
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: cold spare %u gives its nodes back: %s", g->ns,
		  g->name, cold->job_id, why);
	c->host->jobs.unlabel(job);
	c->host->holds.undo(job);
	sgang_cold_take_out(g, cold);
	sgang_publish_phase(c, g, job, SGANG_PHASE_RUNNING);
	sgang_registry_note(c, job);
}

void sgang_cold_yield(struct sgang_conductor *c, struct gang *g,
		      struct sgang_job *job, uint32_t job_id)
{
	give_back(c, g, sgang_cold_find(g, job_id), job,
		  "another job starts on them");
}

static void time_out(struct sgang_conductor *c, const struct gang *g,
		     struct sgang_job *job, uint32_t job_id)
{
	char why[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 80];

	snprintf(why, sizeof(why),
		 "Gang %s/%s: cold spare was not needed within its time limit",
		 g->ns, g->name);
	sgang_log(SGANG_LOG_INFO, "%s; job %u ends", why, job_id);
	sgang_publish_end(c, g, job, SGANG_PHASE_FINISHED, why);
}

/* A node that drains is released; the job gets another one later. */
static bool drains(struct sgang_conductor *c, struct sgang_job *job)
{
	return sgang_drains_hash(c, job, 0) != 0;
}

static const char *must_go(struct sgang_conductor *c, const struct gang *g,
			   struct sgang_job *job,
			   const struct sgang_job_info *info)
{
	if (info->withdrawn)
		return info->priority ? "it would not end before its deadline" :
					"it was held by scontrol";
	if (g->preempt.evicted)
		return "its gang is preempted";
	return drains(c, job) ? "a node of its drains" : NULL;
}

static void check_reserved(struct sgang_conductor *c, struct gang *g,
			   const struct cold *cold, struct sgang_job *job)
{
	struct sgang_job_info info;
	const char *why;

	c->host->jobs.info(job, &info);
	why = must_go(c, g, job, &info);
	if (why) {
		give_back(c, g, cold, job, why);
		c->changed = c->wake_scheduler = true;
	} else if (sgang_hold_is_over(c, &info)) {
		time_out(c, g, job, cold->job_id);
	} else {
		c->host->holds.still_held(job);
	}
}

/* Find out whether the spare was launched before slurmctld died. "No" counts
 * after the node has answered it twice. */
static void find_out(struct sgang_conductor *c, struct cold *cold,
		     struct sgang_job *job)
{
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	if (info.launch == SGANG_LAUNCH_UNKNOWN)
		return;
	if (info.launch == SGANG_LAUNCH_NO && !cold->asked_again) {
		if (c->host->now() - cold->since < SHOWN_SECONDS)
			return;
		cold->asked_again = true;
		c->host->holds.ask(job);
		return;
	}
	cold->state = COLD_PROMOTED;
	cold->again = true;
}

static void drop(struct sgang_conductor *c, const struct cold *cold,
		 struct sgang_job *job)
{
	bool refused = c->host->holds.refused(job);
	struct sgang_job_info info;

	c->host->holds.drop(job, cold->preempted);
	if (refused) /* the launch was lost with slurmctld */
		c->host->holds.clear_launch_failure(job, true);
	c->host->jobs.info(job, &info);
	if (info.state == SGANG_JOB_PENDING)
		c->host->jobs.unlabel(job);
}

/* True of a spare that was launched before slurmctld died, and has ended since. */
static bool has_run(struct sgang_conductor *c, const struct cold *cold,
		    struct sgang_job *job, struct sgang_job_info *info)
{
	if (!job || cold->state != COLD_DOUBTFUL)
		return false;
	c->host->jobs.info(job, info);
	return info->state == SGANG_JOB_ENDED &&
	       info->launch == SGANG_LAUNCH_YES;
}

/* It has run, or a user or Slurm has ended or requeued the spare. */
static void lose(struct sgang_conductor *c, struct gang *g,
		 const struct cold *cold, struct sgang_job *job)
{
	struct sgang_job_info info;

	if (has_run(c, cold, job, &info))
		sgang_publish_tell_ended(g, &info);
	else
		sgang_log(SGANG_LOG_INFO, "%s/%s: cold spare %u is lost", g->ns,
			  g->name, cold->job_id);
	if (job)
		drop(c, cold, job);
	sgang_cold_take_out(g, cold);
	c->changed = true;
}

/* True if the launch messages have been sent. */
static bool is_sent(const struct sgang_conductor *c, const struct cold *cold)
{
	int64_t age = c->host->now() - cold->since;

	return age > LAUNCH_SECONDS || (age > 0 && c->host->quiet());
}

static void check_one(struct sgang_conductor *c, struct gang *g,
		      struct cold *cold)
{
	struct sgang_job *job = c->host->jobs.find(cold->job_id);

	if (cold->state == COLD_AGAIN)
		return;
	if (job && cold->state == COLD_LAUNCHED) {
		if (is_sent(c, cold))
			sgang_cold_take_out(g, cold);
	} else if (!job || !c->host->holds.held(job)) {
		lose(c, g, cold, job);
	} else if (cold->state == COLD_RESERVED) {
		check_reserved(c, g, cold, job);
	} else {
		c->host->holds.still_held(job);
		if (cold->state == COLD_DOUBTFUL)
			find_out(c, cold, job);
	}
}

/* ---- after a restart ---- */

/* Only the job records say which spares are cold. A cold spare that Slurm has
 * launched by itself is an ordinary spare. */
static void adopt(struct sgang_conductor *c, struct gang *g, struct entry *e)
{
	bool promoted = e->has_record && e->record.cold && e->record.placed;
	struct sgang_job_info info;
	struct cold *cold;

	if (!e->has_record || !e->record.cold || sgang_cold_find(g, e->job_id))
		return;
	c->host->jobs.info(e->job, &info);
	if (info.state != SGANG_JOB_CONFIGURING &&
	    !(c->fresh_cold && promoted && info.state == SGANG_JOB_RUNNING))
		return;
	if (sgang_cold_room(g) < 0) {
		g->stale = true; /* the next pass tries again */
		return;
	}
	c->host->holds.adopt(e->job);
	cold = sgang_cold_add(g, e->job_id,
			      promoted ? COLD_DOUBTFUL : COLD_RESERVED);
	cold->since = c->host->now();
	cold->saved = true;
	sgang_log(SGANG_LOG_INFO, "%s/%s: found cold spare %u again", g->ns,
		  g->name, e->job_id);
}

void sgang_cold_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		size_t before;

		for (size_t i = 0; i < g->n_entries && !g->stale; i++)
			adopt(c, g, g->entries[i]);
		before = g->cold.n;
		for (size_t i = before; i-- > 0;)
			check_one(c, g, &g->cold.spares[i]);
		if (g->cold.n != before)
			sgang_registry_refresh(c, g);
	}
	c->fresh_cold = false;
}

/* ---- a member is lost ---- */

void sgang_cold_promote(struct sgang_conductor *c, struct gang *g,
			struct sgang_job *job, uint32_t job_id)
{
	struct cold *cold = sgang_cold_find(g, job_id);

	if (!cold)
		return;
	cold->state = COLD_PROMOTED;
	cold->saved = false;
	c->host->jobs.unlabel(job);
	sgang_fault_die("promoted", 1);
}

void sgang_cold_saved(struct gang *g)
{
	for (size_t i = 0; i < g->cold.n; i++)
		g->cold.spares[i].saved = true;
}

static void release(struct sgang_conductor *c, struct gang *g,
		    struct cold *cold)
{
	const struct entry *e = sgang_lookup_entry(c, cold->job_id);
	struct sgang_job *job = c->host->jobs.find(cold->job_id);

	if (!job || !e || !c->host->holds.ready(job))
		return;
	sgang_fault_die("launch", 1);
	c->host->holds.release(job, cold->again);
	sgang_account_started(c, job, &e->record);
	cold->state = COLD_LAUNCHED;
	cold->since = c->host->now();
	c->changed = true;
	sgang_log(SGANG_LOG_INFO, "%s/%s: job %u is launched", g->ns, g->name,
		  cold->job_id);
}

void sgang_cold_release_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		for (size_t i = 0; i < g->cold.n && !g->stale; i++) {
			struct cold *cold = &g->cold.spares[i];

			if (cold->state == COLD_PROMOTED && cold->saved)
				release(c, g, cold);
		}
	}
}
