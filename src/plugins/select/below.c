/* SPDX-License-Identifier: GPL-2.0-or-later */
/* below.c - the number of completed members of a gang, and since when too few
 * run, for stale.c and success.c */

#include <string.h>

#include "conductor_private.h"

/* Members of other starts do not count. */
static void begin_count(struct gang *g, int64_t started)
{
	if (g->below.of >= started)
		return;
	g->below.of = started;
	g->below.since = 0;
	g->below.done = g->below.told = 0;
	g->below.leader = 0;
	g->below.over = false;
	g->below.known = false;
	sgang_branches_forget_ends(g);
}

void sgang_below_forget(struct gang *g)
{
	sgang_branches_forget_ends(g);
	memset(&g->below, 0, sizeof(g->below));
}

/* By what its own record says. */
static bool cares(const struct sgang_record *r)
{
	return r->on_stale > SGANG_ON_FAILURE_IGNORE ||
	       r->on_failure == SGANG_ON_FAILURE_REPLACE ||
	       sgang_on_success_counts(r->on_success);
}

void sgang_below_look(struct gang *g)
{
	g->below.cares = sgang_spares_any(g);
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct sgang_member *m = &g->entries[i]->m;

		g->below.cares |= m->on_stale > SGANG_ON_FAILURE_IGNORE ||
				  m->on_failure == SGANG_ON_FAILURE_REPLACE ||
				  sgang_on_success_counts(m->on_success);
	}
}

/* A gang without such a policy has no numbers in its records, unless it is a tree
 * of groups: others of a group that has completed are ordinary jobs. */
void sgang_below_note_end(struct sgang_conductor *c,
			  const struct sgang_job_info *info,
			  const struct sgang_record *r, bool told)
{
	struct gang *g;

	if (info->failed || !r->started || r->object || r->spare)
		return;
	g = cares(r) ? sgang_registry_get(c, r->ns, r->name) :
		       sgang_registry_find(c, r->ns, r->name);
	if (!g || (!g->below.cares && !cares(r) && !r->role[0]))
		return;
	begin_count(g, r->started);
	if (g->below.of != r->started)
		return;
	if (told)
		g->below.told++;
	else
		g->below.done++;
	sgang_branches_note_end(g, r);
	if (r->placed && !r->member_rank)
		g->below.leader = info->job_id;
}

/* The records keep the counts over a restart, also those of members whose nodes
 * have not answered yet. */
void sgang_below_recover(struct gang *g)
{
	uint32_t before;

	begin_count(g, g->tally.started);
	if (g->below.known)
		return;
	g->below.known = true;
	before = g->below.told;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (!e->has_record || e->m.state == SGANG_MEMBER_PENDING ||
		    e->record.started != g->below.of)
			continue;
		if (e->record.done > before)
			before = e->record.done;
		if (e->record.stale)
			g->below.since = e->record.stale;
	}
	g->below.done += before;
}

/* In the first look at the jobs it was not known yet whether others care for
 * those whose own records do not. */
static void find_end(const struct sgang_job_info *info, void *arg)
{
	struct sgang_conductor *c = arg;
	struct sgang_record r;
	const struct gang *g;

	if (info->state != SGANG_JOB_ENDED ||
	    sgang_record_parse(info->comment, &r) != 1 || cares(&r) ||
	    r.role[0])
		return;
	g = sgang_registry_find(c, r.ns, r.name);
	if (g && g->below.cares)
		sgang_below_note_end(c, info, &r, true);
}

void sgang_below_recover_all(struct sgang_conductor *c)
{
	bool any = false;

	for (struct gang *g = c->gangs; g; g = g->next) {
		sgang_below_look(g);
		any |= g->below.cares;
	}
	if (any)
		c->host->jobs.each(find_end, c);
}
