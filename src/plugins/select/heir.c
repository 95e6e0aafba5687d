/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heir.c - who a member is that starts after its gang
 *
 * Slurm starts the members that come later one by one: new ones, those that
 * were requeued, the next tasks of a throttled array. In the moment in which it
 * does, and before it launches the job, such a member takes a seat
 * (member_ranks.c): that which it had before, else the first vacant one that
 * has as many ranks, else a new one at the end of the ring. So the others keep
 * theirs, and no seat has two owners.
 */

#include <stdlib.h>

#include "conductor_private.h"
#include "plugins/log.h"

static int describe(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *job, uint32_t rank)
{
	struct seated *seated = sgang_ranks_list(c, g);
	int rc = -1;

	if (!seated)
		return -1;
	seated[rank].job = job;
	seated[rank].job_id = g->seats.seat[rank].job_id;
	seated[rank].record = NULL;
	rc = sgang_describe_late(c, g, seated, g->seats.n, rank,
				 &g->seats.ring);
	free(seated);
	return rc;
}

static int begin(struct sgang_conductor *c, struct gang *g, struct entry *e,
		 const struct sgang_job_info *info)
{
	uint32_t ranks = info->ranks, nodes, rank;
	struct sgang_nodeset *own =
		sgang_nodeset_create(c->host->nodes.count());

	if (!own)
		return -1;
	c->host->jobs.nodes(info->job, own);
	nodes = sgang_nodeset_count(own);
	sgang_nodeset_destroy(own);
	if (ranks < nodes)
		ranks = nodes;
	if (sgang_ranks_look(c, g, e->job_id) < 0)
		return -1;
	rank = sgang_ranks_find(g, e->job_id, ranks);
	if (sgang_ranks_take(g, rank, e->job_id, ranks) < 0)
		return -1;
	sgang_epoch_heir(c, g, rank, e->job_id);
	if (describe(c, g, info->job, rank) < 0)
		return -1;
	g->seats.changes++;
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: job %u starts with member rank %u of %u", g->ns,
		  g->name, e->job_id, rank, g->seats.n);
	return 0;
}

void sgang_conductor_begins(struct sgang_conductor *c, struct sgang_job *job)
{
	struct sgang_job_info info;
	bool fresh = false;
	struct entry *e;

	c->host->jobs.info(job, &info);
	e = sgang_lookup_entry(c, info.job_id);
	if (!e) { /* a task that has just been split off its array */
		sgang_registry_note(c, job);
		e = sgang_lookup_entry(c, info.job_id);
		fresh = true;
	}
	/* In an attempt the gang is not ordinary by its numbers, which must not
	 * be worked out anew before all of it has its nodes. */
	if (!e || !c->conf.gangs || !c->fabric || !e->gang->topology ||
	    e->hold || !sgang_gang_ordinary(&e->gang->tally))
		return;
	if (fresh) /* its record is to have the policies of its gang */
		sgang_registry_refresh(c, e->gang);
	if (begin(c, e->gang, e, &info) == 0)
		sgang_registry_note(c, job);
	else
		sgang_log(SGANG_LOG_ERROR,
			  "%s/%s: no memory for SLURM_GANG_* of job %u",
			  e->gang->ns, e->gang->name, e->job_id);
}
