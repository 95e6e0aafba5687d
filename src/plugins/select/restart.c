/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restart.c - requeued members start again soon
 *
 * Slurm delays a requeued job by two minutes (cred_expire), so that no node
 * takes it for the earlier run. Two seconds are enough for that. A member that
 * is requeued for its gang waits only these at first. Each later wait is twice
 * as long, but not longer than Slurm's. The begin time is in its record until
 * the job has ended on all nodes, when Slurm sets its own.
 *
 * A job that Slurm has requeued by itself has lost a node. Slurm does not wait
 * for its end there, but the node may return while it still ends the job.
 */

#include <string.h>

#include "conductor_private.h"
#include "faults.h"

/* Before the second restart of a job, in seconds; doubled with each. */
#define BACKOFF_FIRST 15
#define BACKOFF_DOUBLED 4

/* A node ends a job at most so long after KillWait. */
#define LATE_SECONDS 5

static int64_t backoff(uint32_t restarts)
{
	uint32_t doubled = restarts - 1;

	if (!restarts)
		return 0;
	return (int64_t)BACKOFF_FIRST
	       << (doubled < BACKOFF_DOUBLED ? doubled : BACKOFF_DOUBLED);
}

void sgang_restart_on(struct sgang_conductor *c, struct sgang_job *job,
		      uint32_t restarts, int64_t least,
		      const struct sgang_nodeset *nodes)
{
	int64_t wait = backoff(restarts);
	struct sgang_job_info info;
	struct sgang_record r;

	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &r) != 1)
		return;
	r.restart = c->host->now() + (wait > least ? wait : least);
	r.started = 0; /* a pending job is not lost again */
	r.leaves = 0;
	if (!r.place)
		r.place = c->host->jobs.keep_place(job);
	memset(r.stays, 0, sizeof(r.stays));
	sgang_keep_write(c, job, nodes, &r);
	(void)sgang_publish_write(c, job, &r);
	c->changed = true;
}

void sgang_restart(struct sgang_conductor *c, struct sgang_job *job,
		   uint32_t restarts, int64_t least)
{
	sgang_restart_on(c, job, restarts, least, NULL);
}

int64_t sgang_restart_least(const struct sgang_conductor *c,
			    const struct sgang_job_info *info)
{
	return info->state == SGANG_JOB_PENDING ?
		       (int64_t)c->host->jobs.kill_wait() + LATE_SECONDS :
		       0;
}

/* Set the begin time in the records for members that have ended everywhere. */
static void set_begin(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];
		struct sgang_record r = e->record;
		int64_t begin;

		if (e->m.state != SGANG_MEMBER_PENDING || !r.restart)
			continue;
		begin = c->host->jobs.begin(e->job, r.restart, r.place);
		if (!begin)
			continue;
		sgang_fault_die("begins", 1);
		if (begin > g->restart)
			g->restart = begin;
		r.restart = 0;
		r.place = 0;
		e->record.restart = 0;
		e->record.place = 0;
		(void)sgang_publish_write(c, e->job, &r);
		c->changed = true;
		sgang_fault_die("begun", 1);
	}
}

void sgang_restart_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->restart && g->restart <= c->host->now()) {
			g->restart = 0;
			c->wake_scheduler = true;
		}
		if (!g->stale && g->count.restarting)
			set_begin(c, g);
	}
}
