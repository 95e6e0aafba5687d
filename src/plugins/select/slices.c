/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.c - the commit of a large gang, in several holds of the locks
 *
 * Slurm takes up to milliseconds to give a member its nodes. To let others have
 * slurmctld's locks, a long commit pauses, and the next pass continues with the
 * same plan. Meanwhile the members with nodes are held, no other gang is
 * served, and no other job gets the planned nodes. If the gang has changed by
 * then, or a member is refused, all is given back.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slices.h"
#include "faults.h"
#include "plugins/log.h"

/* A pass pauses a commit this CPU time (microseconds) after it took the locks,
 * but not before the commit has had the second time. */
#define SLICE_US 80000
#define SLICE_LEAST_US 50000

bool sgang_slices_due(const struct attempt *a, size_t part)
{
	uint64_t now;

	if (!a->slices || a->order || part <= a->n_held)
		return false;
	now = a->c->host->cpu_us();
	return sgang_fault("pause", part) ||
	       (now - a->c->locked_at >= SLICE_US &&
		now - a->began >= SLICE_LEAST_US);
}

/* ---- between two slices ---- */

/* No pointer to a job is valid in the next pass. */
static void remember_parts(struct attempt *a)
{
	for (size_t i = a->n_done; i < a->n_parts; i++) {
		a->parts[i].job_id = a->parts[i].entry->job_id;
		a->parts[i].request = a->parts[i].entry->request;
	}
	a->n_held = a->n_done;
}

void sgang_slices_pause(struct slices *s)
{
	remember_parts(&s->a);
	s->g->hold.slices = s;
	s->g->hold.planned = s->void_plan ? NULL : s->planned;
	(void)sgang_hold_move(s->g, SGANG_HOLD_COMMITTING);
	sgang_conductor_poke(s->a.c);
}

void sgang_slices_destroy(struct slices *s)
{
	s->a.n_gangs = 0;
	sgang_probe_close(&s->a);
	sgang_nodeset_destroy(s->planned);
	free(s);
}

void sgang_slices_end(struct gang *g)
{
	if (g->hold.slices)
		sgang_slices_destroy(g->hold.slices);
	g->hold.slices = NULL;
	g->hold.planned = NULL;
}

void sgang_slices_sweep(struct sgang_conductor *c, bool all)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->hold.slices ||
		    (!all && (g->n_entries || g->hold.n || g->stale)))
			continue;
		sgang_slices_end(g);
		(void)sgang_hold_move(g, SGANG_HOLD_NONE);
	}
}

void sgang_slices_forget_nodes(struct gang *g)
{
	if (g->hold.slices)
		g->hold.slices->void_plan = true;
	g->hold.planned = NULL;
}

struct gang *sgang_slices_gang(const struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (sgang_hold_committing(g))
			return g;
	}
	return NULL;
}

/* ---- before the next slice ---- */

static bool waits_as_before(const struct gang *g, const struct part *part)
{
	const struct entry *e = part->entry;

	return e && e->gang == g && e->m.state == SGANG_MEMBER_PENDING &&
	       e->m.eligible && e->request == part->request;
}

bool sgang_slices_as_planned(const struct sgang_conductor *c,
			     const struct gang *g)
{
	struct attempt *a = &g->hold.slices->a;

	if (g->hold.slices->void_plan || g->hold.n != a->n_held ||
	    !sgang_gang_strict(&g->tally) || g->tally.timed_out ||
	    g->group.n != 1 || g->group.why[0] || !c->conf.gangs)
		return false;
	for (size_t i = a->n_held; i < a->n_parts; i++) {
		a->parts[i].entry = sgang_registry_entry(c, a->parts[i].job_id);
		if (!waits_as_before(g, &a->parts[i]))
			return false;
	}
	return true;
}
