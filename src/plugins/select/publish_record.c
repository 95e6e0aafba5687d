/* SPDX-License-Identifier: GPL-2.0-or-later */
/* publish_record.c - writing records, for those who see a member change between
 * two passes */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"

#define COPY(policy) r->policy = from->policy;

void sgang_publish_fill(const struct gang *g, struct sgang_record *r)
{
	const struct sgang_spec *from = &g->tally.spec;

	strcpy(r->ns, g->ns);
	strcpy(r->name, g->name);
	/* A default number must not be recorded as a given one. */
	r->min_member = g->tally.defined ? g->tally.min_member : 0;
	r->total = g->tally.defined ? g->tally.total : 0;
	r->pool = from->pool;
	r->attempts = g->attempt.nth;
	r->tried = g->attempt.tried;
	r->skipped = g->attempt.skipped;
	r->mode = from->mode;
	r->match = from->match;
	SGANG_OWN_POLICIES(COPY)
	r->waiting_time = from->waiting_time;
	strcpy(r->groups, from->groups);
	strcpy(r->asks, g->asks);
	r->created = g->tally.created;
	r->since = g->hold.since;
	r->hold_end = g->hold.end;
	r->evicted = g->preempt.evicted;
	r->epoch = g->epoch.number;
	r->epoch_who = g->epoch.who;
}

static void take_own(const struct sgang_member *from, struct sgang_record *r)
{
	SGANG_OWN_POLICIES(COPY)
	r->waiting_time = from->waiting_time;
	r->held_for = from->held_for;
}

static void keep_own(const struct sgang_record *from, struct sgang_record *r)
{
	SGANG_OWN_POLICIES(COPY)
	r->waiting_time = from->waiting_time;
	r->held_for = from->held_for;
}

#undef COPY

/* The record also says that a loss affects other users' jobs but not this one,
 * because the loss of this one affects those. */
void sgang_publish_own(const struct gang *g, const struct entry *e,
		       struct sgang_record *r)
{
	take_own(&e->m, r);
	r->placeholder = e->spec.placeholder;
	r->came = e->spec.placeholder && g->placeholders.came;
	if (g->tally.roles.any) {
		strcpy(r->role, e->role);
		r->root_min = g->tally.roles.min;
	}
	if (!r->on_failure && g->cares)
		r->on_failure = SGANG_ON_FAILURE_IGNORE;
}

int sgang_publish_write(struct sgang_conductor *c, struct sgang_job *job,
			const struct sgang_record *r)
{
	struct sgang_job_info info;
	char *text;

	c->host->jobs.info(job, &info);
	text = sgang_record_format(r, info.comment);
	if (!text)
		return -1;
	c->host->jobs.comment(job, text);
	free(text);
	return 0;
}

int sgang_publish_place(struct sgang_conductor *c, struct sgang_job *job,
			const struct sgang_record *r, const char *order)
{
	struct sgang_job_info info;
	char *text;

	c->host->jobs.info(job, &info);
	text = sgang_record_format_ordered(r, order, info.comment);
	if (!text)
		return -1;
	c->host->jobs.comment(job, text);
	free(text);
	return 0;
}

void sgang_publish_phase(struct sgang_conductor *c, const struct gang *g,
			 struct sgang_job *job, enum sgang_phase phase)
{
	struct sgang_record r, before = { .phase = SGANG_PHASE_UNDEFINED };
	struct sgang_job_info info;
	const struct entry *e;

	c->host->jobs.info(job, &info);
	(void)sgang_record_parse(info.comment, &before);
	e = sgang_registry_entry(c, info.job_id);
	memset(&r, 0, sizeof(r));
	if (phase == SGANG_PHASE_FAILED || phase == SGANG_PHASE_FINISHED)
		r = before;
	r.success = phase == SGANG_PHASE_FINISHED;
	sgang_publish_fill(g, &r);
	keep_own(&before, &r);
	r.restart = before.restart;
	if (!r.placed)
		r.was = sgang_record_was(&before);
	sgang_keep_copy(&before, &r);
	if (e)
		sgang_publish_own(g, e, &r);
	r.phase = phase;
	r.satisfied = phase == SGANG_PHASE_FAILED;
	(void)sgang_publish_write(c, job, &r);
}

void sgang_publish_passed(struct sgang_conductor *c, const struct gang *g,
			  struct sgang_job *job)
{
	struct sgang_job_info info;
	struct sgang_record r;

	sgang_publish_phase(c, g, job, SGANG_PHASE_FAILED);
	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &r) != 1)
		return;
	r.by_itself = true;
	(void)sgang_publish_write(c, job, &r);
}

void sgang_publish_end(struct sgang_conductor *c, const struct gang *g,
		       struct sgang_job *job, enum sgang_phase phase,
		       const char *why)
{
	struct sgang_job_info info;

	sgang_publish_phase(c, g, job, phase);
	c->host->jobs.info(job, &info);
	if (info.state != SGANG_JOB_ENDED)
		c->host->jobs.end(job);
	c->host->jobs.tell_end(job, why);
}
