/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failed_nodes.c - nodes that have failed a gang come last for later members
 *
 * A node has failed a gang if the gang has lost a member there while the node
 * was out of service. The node may return to service, and Slurm forgets the
 * lost member, but the gang runs on. Therefore the records of the running
 * members have these nodes, also for the next slurmctld. A gang that starts
 * again begins without any (keep.c has those of the members that wait).
 */

#include <string.h>

#include "conductor_private.h"

void sgang_failed_forget(struct gang *g)
{
	sgang_nodeset_destroy(g->failed.nodes);
	memset(&g->failed, 0, sizeof(g->failed));
}

/* Nodes that failed an earlier start do not count. */
static void begin(struct gang *g)
{
	if (g->failed.of == g->tally.started)
		return;
	sgang_failed_forget(g);
	g->failed.of = g->tally.started;
}

static void add(struct sgang_conductor *c, struct gang *g,
		const struct sgang_nodeset *nodes)
{
	if (!g->failed.nodes)
		g->failed.nodes = sgang_nodeset_create(c->host->nodes.count());
	if (!g->failed.nodes)
		return;
	sgang_nodeset_or(g->failed.nodes, nodes);
	sgang_node_list_fit(c, g->failed.nodes, g->failed.text);
}

static void look(struct sgang_conductor *c, struct gang *g)
{
	begin(g);
	for (size_t i = 0; g->count.failed && i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];
		struct sgang_nodeset *more;

		if (e->m.state != SGANG_MEMBER_RUNNING || !e->has_record ||
		    !e->record.lost[0] ||
		    !strcmp(e->record.lost, g->failed.text))
			continue;
		more = sgang_node_list_read(c, e->record.lost);
		if (more)
			add(c, g, more);
		sgang_nodeset_destroy(more);
	}
}

void sgang_failed_look_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g && c->fabric; g = g->next) {
		if (!g->stale)
			look(c, g);
	}
}

/* A member that leaves a draining node is not lost. */
static bool is_lost(const struct sgang_job_info *info,
		    const struct sgang_record *r)
{
	return r->phase == SGANG_PHASE_RUNNING && !r->success && !r->leaves &&
	       (info->state != SGANG_JOB_ENDED || info->failed);
}

void sgang_failed_note(struct sgang_conductor *c, struct sgang_job *job,
		       const struct sgang_job_info *info,
		       const struct sgang_record *r)
{
	struct gang *g = is_lost(info, r) && c->fabric ?
				 sgang_registry_find(c, r->ns, r->name) :
				 NULL;
	struct sgang_nodeset *nodes, *gone;

	if (!g || !g->tally.started ||
	    (r->started && r->started != g->tally.started))
		return;
	nodes = sgang_node_list_of(c, job, r);
	gone = sgang_nodeset_create(c->host->nodes.count());
	if (nodes && gone) {
		sgang_out_of_service(c, gone);
		sgang_nodeset_and(gone, nodes);
		begin(g);
		if (sgang_nodeset_count(gone))
			add(c, g, gone);
	}
	sgang_nodeset_destroy(gone);
	sgang_nodeset_destroy(nodes);
}
