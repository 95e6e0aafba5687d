/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.c - the commit of a large gang, in several holds of the locks
 *
 * Slurm takes up to milliseconds to give a member its nodes. So that nobody
 * waits for slurmctld's locks meanwhile, a commit that has taken long enough
 * pauses, and the next pass goes on with the same plan. In between, the members
 * that have their nodes are held, no other gang is served, and nobody else gets
 * the planned nodes. If anything of the gang has changed by then, all is given
 * back, as it is when a member is refused.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "faults.h"
#include "plugins/log.h"

/* A pass pauses a commit so many microseconds of CPU after it took the locks,
 * and not before the commit has had so many of them. */
#define SLICE_US 80000
#define SLICE_LEAST_US 50000

struct slices {
	struct attempt a;
	struct gang *g;			/* a.gangs */
	struct account account;
	struct sgang_nodeset *planned;
	bool learns;			/* in one hold, from what is refused */
	bool void_plan;			/* nodes have other numbers now */
};

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

static struct sgang_nodeset *planned_nodes(const struct attempt *a)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(a->c->host->node_count());

	for (size_t r = 0; nodes && r < a->plan->n_runs; r++)
		sgang_nodeset_add(nodes, sgang_where_node(a->c,
							  &a->plan->runs[r]));
	return nodes;
}

/* No pointer to a job is valid in the next pass. */
static void remember_parts(struct attempt *a)
{
	for (size_t i = a->n_done; i < a->n_parts; i++) {
		a->parts[i].job_id = a->parts[i].entry->job_id;
		a->parts[i].request = a->parts[i].entry->request;
	}
	a->n_held = a->n_done;
}

static void pause(struct slices *s)
{
	remember_parts(&s->a);
	s->g->slices = s;
	sgang_conductor_poke(s->a.c);
}

/* The entries of the gang may be gone. */
static void destroy(struct slices *s)
{
	s->a.n_gangs = 0;
	sgang_probe_close(&s->a);
	sgang_nodeset_destroy(s->planned);
	free(s);
}

enum sgang_progress sgang_slices_keep(struct attempt *a,
				      const struct account *account)
{
	struct slices *s = calloc(1, sizeof(*s));
	struct gang *g = a->gangs[0];

	if (s)
		s->planned = planned_nodes(a);
	if (!s || !s->planned) {
		free(s);
		sgang_hold_give_back(a->c, g, SGANG_HOLD_END_NONE);
		snprintf(a->why, sizeof(a->why), "no memory");
		return SGANG_REFUSED;
	}
	s->a = *a;
	s->g = g;
	s->a.gangs = &s->g;
	s->a.lessons = NULL;
	s->account = *account;
	s->learns = a->lessons && !a->lessons->last;
	*a = (struct attempt) {
		.c = s->a.c, .gangs = a->gangs, .n_gangs = 1
	};
	pause(s);
	return SGANG_PAUSED;
}

void sgang_slices_end(struct gang *g)
{
	if (g->slices)
		destroy(g->slices);
	g->slices = NULL;
}

void sgang_slices_forget_nodes(struct gang *g)
{
	if (g->slices)
		g->slices->void_plan = true;
}

struct gang *sgang_slices_gang(const struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->slices)
			return g;
	}
	return NULL;
}

const struct sgang_nodeset *sgang_slices_nodes(const struct gang *g)
{
	return (g->slices && !g->slices->void_plan) ? g->slices->planned : NULL;
}

/* ---- the next slice ---- */

static bool waits_as_before(const struct gang *g, const struct part *part)
{
	const struct entry *e = part->entry;

	return e && e->gang == g && e->m.state == SGANG_MEMBER_PENDING &&
	       e->m.eligible && e->request == part->request;
}

bool sgang_slices_as_planned(const struct sgang_conductor *c,
			     const struct gang *g)
{
	struct attempt *a = &g->slices->a;

	if (g->slices->void_plan || g->n_holds != a->n_held ||
	    !sgang_gang_strict(&g->tally) || g->tally.timed_out ||
	    g->n_group != 1 || g->group_why[0] || !c->conf.gangs)
		return false;
	for (size_t i = a->n_held; i < a->n_parts; i++) {
		a->parts[i].entry = sgang_registry_entry(c,
							 a->parts[i].job_id);
		if (!waits_as_before(g, &a->parts[i]))
			return false;
	}
	return true;
}

/* What Slurm refuses now is learned from in one hold, where that is done. */
static void after_refusal(const struct slices *s)
{
	if (!s->learns || s->a.limited || s->g->only_min)
		return;
	s->g->one_hold = true;
	s->a.c->fenced = true;		/* wake the scheduler */
}

enum sgang_progress sgang_slices_go_on(struct sgang_conductor *c,
				       struct gang *g)
{
	struct slices *s = g->slices;
	enum sgang_progress progress;

	if (sgang_fault("pause", s->a.n_held))
		return SGANG_PAUSED;
	c->host->refresh();
	g->slices = NULL;
	progress = sgang_attempt_go_on(&s->a, &s->account);
	if (progress == SGANG_PAUSED) {
		pause(s);
		return progress;
	}
	if (progress == SGANG_REFUSED)
		after_refusal(s);
	destroy(s);
	return progress;
}
