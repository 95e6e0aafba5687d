/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold_again.c - a member with a seat whose launch was lost with slurmctld
 *
 * If slurmctld dies after the launch message of a promoted spare and before the
 * answer, slurmd gives up the launch, and slurmctld later requeues and holds the
 * job. The others were told of it, so it gets its nodes again when they are
 * clean, as a member of a gang that starts does (hold.c). Until then no job gets
 * them, and nobody its seat.
 */

#include <stdlib.h>

#include "conductor_private.h"
#include "plugins/log.h"

/* The time for which the nodes and the seat are kept. */
#define TAKE_UP_SECONDS 60

static void begin(struct sgang_conductor *c, struct gang *g, struct cold *cold,
		  struct sgang_job *job)
{
	const struct entry *e = sgang_lookup_entry(c, cold->job_id);

	if (!e || !e->has_record || !e->record.placed || !e->record.at[0])
		return;
	cold->told = malloc(sizeof(*cold->told));
	if (!cold->told)
		return; /* it is lost */
	*cold->told = e->record;
	cold->told->place = 0;
	cold->state = COLD_AGAIN;
	cold->since = c->host->now();
	c->host->holds.drop(job, false);
	sgang_log(
		SGANG_LOG_INFO,
		"%s/%s: the launch of member %u was lost with slurmctld, it is held again",
		g->ns, g->name, cold->job_id);
}

void sgang_cold_again_look_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		for (size_t i = 0; i < g->cold.n; i++) {
			struct cold *cold = &g->cold.spares[i];
			struct sgang_job *job =
				cold->state == COLD_DOUBTFUL ?
					c->host->jobs.find(cold->job_id) :
					NULL;

			if (job && c->host->holds.refused(job))
				begin(c, g, cold, job);
		}
	}
}

/* True if it has its nodes again. */
static bool commit(struct sgang_conductor *c, struct gang *g, struct cold *cold,
		   const struct sgang_bounds *bounds, struct sgang_job *job)
{
	struct sgang_refusal refusal;
	struct sgang_job *again;

	c->committing_cold = true;
	again = c->host->holds.commit(job, bounds, &refusal);
	c->committing_cold = false;
	if (!again)
		return false;
	(void)sgang_publish_write(c, again, cold->told);
	free(cold->told);
	cold->told = NULL;
	cold->state = COLD_DOUBTFUL; /* its node is asked as before */
	cold->since = c->host->now();
	cold->asked_again = cold->saved = false;
	c->changed = true;
	sgang_registry_note(c, again);
	sgang_registry_refresh(c, g);
	return true;
}

/* False: it is lost, and waits for others. */
static bool take_up(struct sgang_conductor *c, struct gang *g,
		    struct cold *cold, const struct sgang_nodeset *nodes)
{
	const struct sgang_bounds bounds = { .nodes = nodes };
	struct sgang_job *job = c->host->jobs.find(cold->job_id);
	struct sgang_job_info info;

	if (!job || !nodes || c->host->now() - cold->since > TAKE_UP_SECONDS)
		return false;
	c->host->holds.clear_launch_failure(job, true);
	c->host->jobs.look(job, &info);
	if (info.state != SGANG_JOB_PENDING)
		return false;
	if (info.eligible)
		return commit(c, g, cold, &bounds, job);
	sgang_keep_at_once(c, g, nodes);
	return true;
}

static void take_up_or_lose(struct sgang_conductor *c, struct gang *g,
			    struct cold *cold)
{
	struct sgang_nodeset *nodes =
		c->fabric ? sgang_node_list_read(c, cold->told->at) : NULL;

	if (!take_up(c, g, cold, nodes)) {
		sgang_log(SGANG_LOG_INFO, "%s/%s: member %u is lost", g->ns,
			  g->name, cold->job_id);
		sgang_cold_take_out(g, cold);
		sgang_registry_refresh(c, g);
		c->changed = true;
	}
	sgang_nodeset_destroy(nodes);
}

void sgang_cold_again_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		for (size_t i = g->cold.n; i-- > 0 && !g->stale;) {
			if (g->cold.spares[i].state == COLD_AGAIN)
				take_up_or_lose(c, g, &g->cold.spares[i]);
		}
	}
}
