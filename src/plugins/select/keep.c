/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keep.c - nodes kept for requeued members until they start again
 *
 * A requeued gang is without its nodes for the seconds in which its members end
 * and start. Meanwhile no job of lower priority gets these nodes, and the
 * gang's own turn tries them first. The records of the members have the nodes
 * and the time limit; this file derives its state from them, also after a
 * restart. A member that starts much later, or may not start, keeps no nodes. A
 * lost node may return to service by then. It is kept, too, unless another one is
 * kept in its place, or the gang would be one short where it has no other, but it
 * is avoided if other nodes will do.
 *
 * The nodes of a lost member are free before a pass has seen the loss and
 * decided whether it starts again. No job gets them until the next pass.
 */

#include <string.h>

#include "conductor_private.h"

/* Nodes are not kept for a restart that is so many seconds away ... */
#define AWAY_SECONDS 60
/* ... nor longer than this after the latest time at which members have ended
 * and may start. */
#define LATE_SECONDS 30

void sgang_keep_write(struct sgang_conductor *c, struct sgang_job *job,
		      const struct sgang_nodeset *also, struct sgang_record *r)
{
	int64_t away = r->restart - c->host->now();
	struct sgang_nodeset *nodes, *gone;

	r->kept[0] = r->lost[0] = '\0';
	r->kept_until = 0;
	if (!c->fabric)
		return;
	nodes = sgang_node_list_of(c, job, r);
	gone = sgang_nodeset_create(c->host->nodes.count());
	if (nodes && gone) {
		sgang_out_of_service(c, gone);
		sgang_nodeset_and(gone, nodes);
		sgang_node_list_fit(c, gone, r->lost);
		if (also) {
			sgang_nodeset_subtract(nodes, gone);
			sgang_nodeset_or(nodes, also);
		}
		if (away <= AWAY_SECONDS)
			sgang_node_list_fit(c, nodes, r->kept);
	}
	if (r->kept[0])
		r->kept_until = r->restart + c->host->jobs.kill_wait() +
				LATE_SECONDS;
	sgang_nodeset_destroy(gone);
	sgang_nodeset_destroy(nodes);
}

void sgang_keep_copy(const struct sgang_record *from, struct sgang_record *to)
{
	to->kept_until = from->kept_until;
	to->place = from->restart || from->started ? from->place : 0;
	strcpy(to->kept, from->kept);
	strcpy(to->lost, from->lost);
}

/* The nodes kept from all jobs until the next pass; NULL without memory. */
static struct sgang_nodeset *unseen_nodes(struct sgang_conductor *c,
					  struct gang *g)
{
	if (!g->kept.nodes)
		g->kept.nodes = sgang_nodeset_create(c->host->nodes.count());
	if (!g->kept.nodes)
		return NULL;
	g->kept.unseen = true;
	c->claims = true;
	sgang_reservation_changed(c);
	sgang_conductor_poke(c);
	return g->kept.nodes;
}

void sgang_keep_at_once(struct sgang_conductor *c, struct gang *g,
			const struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *kept = unseen_nodes(c, g);

	if (kept)
		sgang_nodeset_or(kept, nodes);
}

/* A member whose launch was lost with slurmctld is to have its nodes again
 * (cold_again.c). */
static bool starts_again(const struct sgang_record *r)
{
	return r->on_failure >= SGANG_ON_FAILURE_REQUEUE ||
	       (r->cold && r->placed);
}

void sgang_keep_ended(struct sgang_conductor *c, struct sgang_job *job,
		      const struct sgang_job_info *info,
		      const struct sgang_record *r)
{
	struct sgang_nodeset *kept;
	struct gang *g;

	if (r->phase != SGANG_PHASE_RUNNING || !starts_again(r) ||
	    (info->state == SGANG_JOB_ENDED && !info->failed))
		return;
	g = sgang_registry_find(c, r->ns, r->name);
	kept = g ? unseen_nodes(c, g) : NULL;
	if (kept)
		c->host->jobs.nodes(job, kept);
}

/* True if the gang could start again, were its members eligible. */
static bool may_begin(const struct gang *g)
{
	size_t members = 0;

	if (!g->tally.priority || g->never.starts || g->limited ||
	    g->preempt.evicted)
		return false;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct sgang_member *m = &g->entries[i]->m;

		members += m->state != SGANG_MEMBER_PENDING || m->priority;
	}
	return sgang_gang_ordinary(&g->tally) || members >= g->tally.min_member;
}

static void add_nodes(const struct sgang_conductor *c, const char *text,
		      struct sgang_nodeset **nodes)
{
	struct sgang_nodeset *more = text[0] ? sgang_node_list_read(c, text) :
					       NULL;

	if (!more)
		return;
	if (*nodes)
		sgang_nodeset_or(*nodes, more);
	else
		*nodes = sgang_nodeset_copy(more);
	sgang_nodeset_destroy(more);
}

static void read_records(const struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_PENDING || !e->has_record)
			continue;
		add_nodes(c, e->record.lost, &g->kept.lost);
		if (e->record.kept_until <= c->host->now())
			continue;
		add_nodes(c, e->record.kept, &g->kept.nodes);
		g->kept.members++;
		if (e->record.kept_until > g->kept.until)
			g->kept.until = e->record.kept_until;
	}
}

void sgang_keep_look_all(struct sgang_conductor *c)
{
	bool given_up = false;

	for (struct gang *g = c->gangs; g; g = g->next) {
		bool kept = g->kept.nodes, unseen = g->kept.unseen;

		if (g->stale || (!kept && !g->kept.lost && !g->count.keeping))
			continue;
		sgang_keep_forget(g);
		if (c->fabric && g->count.keeping && may_begin(g))
			read_records(c, g);
		/* a job may have waited for these */
		c->wake_scheduler |= kept && (!g->kept.nodes || unseen);
		given_up |= kept && !g->kept.nodes && !unseen;
	}
	if (given_up)
		sgang_retry_forget_all(c);
}

/* True if all members wait, each with nodes that are kept for it. */
static bool all_keep(const struct gang *g)
{
	return g->kept.nodes && g->kept.members == g->count.waiting;
}

bool sgang_keep_limit(const struct gang *g, struct sgang_nodeset *nodes)
{
	bool keep = all_keep(g);

	if (g->kept.lost)
		sgang_nodeset_subtract(nodes, g->kept.lost);
	else if (keep)
		sgang_nodeset_and(nodes, g->kept.nodes);
	return g->kept.lost || keep;
}

bool sgang_keep_waits(const struct sgang_conductor *c, const struct gang *g)
{
	return !g->kept.lost && all_keep(g) &&
	       sgang_registering_any(c, g->kept.nodes);
}

/* True if any of 'lost' (NULL: none) was in 'nodes'. */
static bool leave_out(struct sgang_nodeset *nodes,
		      const struct sgang_nodeset *lost)
{
	if (!lost || !sgang_nodeset_intersects(nodes, lost))
		return false;
	sgang_nodeset_subtract(nodes, lost);
	return true;
}

bool sgang_conductor_lost(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes)
{
	const struct gang *g = sgang_registry_find(c, spec->ns, spec->name);
	bool now = g && leave_out(nodes, g->kept.lost);
	bool before = g && leave_out(nodes, g->failed.nodes);

	return now || before;
}

bool sgang_conductor_had(struct sgang_conductor *c, uint32_t job_id,
			 struct sgang_nodeset *nodes)
{
	const struct entry *e = sgang_registry_entry(c, job_id);
	struct sgang_nodeset *had = NULL;
	bool any;

	if (e && e->has_record && e->record.kept_until && c->fabric)
		add_nodes(c, e->record.kept, &had);
	any = had && sgang_nodeset_intersects(nodes, had);
	if (any)
		sgang_nodeset_and(nodes, had);
	sgang_nodeset_destroy(had);
	return any;
}

void sgang_keep_forget(struct gang *g)
{
	sgang_nodeset_destroy(g->kept.nodes);
	sgang_nodeset_destroy(g->kept.lost);
	memset(&g->kept, 0, sizeof(g->kept));
}
