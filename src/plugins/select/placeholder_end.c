/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placeholder_end.c - why a placeholder ends, in its record, log and metrics */

#include <stdio.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

static const struct {
	const char *word, *text;
	enum sgang_counter counter;
} ends[] = {
	[END_REPLACED] = { "replaced", "its member has come",
			   SGANG_COUNT_REPLACED },
	[END_TIMEOUT] = { "timeout", "no member needs it any more",
			  SGANG_COUNT_PLACEHOLDER_TIMEOUTS },
	[END_STOPPED] = { "stopped", "it has no nodes",
			  SGANG_COUNT_PLACEHOLDERS_STOPPED },
	[END_PREEMPTED] = { "preempted", "it was preempted",
			    SGANG_COUNT_PLACEHOLDERS_PREEMPTED },
};

/* Its record is no longer that of a member that has run: it is no loss. */
static void write_end(struct sgang_conductor *c, struct sgang_job *job,
		      enum placeholder_end end)
{
	struct sgang_job_info info;
	struct sgang_record r;

	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &r) != 1)
		return;
	snprintf(r.ended, sizeof(r.ended), "%s", ends[end].word);
	r.phase = SGANG_PHASE_FINISHED;
	r.success = true;
	r.started = 0;
	(void)sgang_publish_write(c, job, &r);
}

void sgang_placeholder_end(struct sgang_conductor *c, struct gang *g,
			   struct sgang_job *job, enum placeholder_end end)
{
	char why[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 80];
	struct sgang_job_info info;

	sgang_fault_die("lapse", 1);
	c->host->jobs.info(job, &info);
	snprintf(why, sizeof(why), "Gang %s/%s: placeholder %s", g->ns, g->name,
		 ends[end].word);
	sgang_log(SGANG_LOG_INFO, "%s/%s: placeholder %u ends, %s: %s", g->ns,
		  g->name, info.job_id, ends[end].word, ends[end].text);
	sgang_metrics_add(&c->metrics, ends[end].counter);
	write_end(c, job, end);
	c->host->jobs.unlabel(job);
	if (info.state != SGANG_JOB_ENDED)
		c->host->jobs.end(job);
	c->host->jobs.tell_end(job, why);
	c->changed = true;
	sgang_fault_die("lapsed", 1);
}

void sgang_placeholder_give_back(struct sgang_conductor *c, struct gang *g,
				 struct sgang_job *job, uint32_t job_id,
				 enum placeholder_end end)
{
	sgang_placeholder_take_out(g, job_id);
	c->host->jobs.unlabel(job);
	c->host->holds.undo(job);
	c->wake_scheduler = true;
	sgang_placeholder_end(c, g, job, end);
}

void sgang_placeholder_yield(struct sgang_conductor *c, struct gang *g,
			     struct sgang_job *job)
{
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	sgang_placeholder_give_back(c, g, job, info.job_id, END_PREEMPTED);
}
