/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placeholder_swap.c - members take the nodes of placeholders
 *
 * The placeholder of the same role with an equal request comes first, else the
 * smallest that is large enough. One for one, and in one hold of the locks.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "faults.h"
#include "host_jobs.h"
#include "plugins/log.h"

/* A member that Slurm refused is tried again after this time. */
#define AGAIN_SECONDS 5

/* Swaps in one hold of the locks. */
#define SWAPS_MAX 64

/* Members that have nodes now, and the ranks of their placeholders. */
struct swaps {
	struct swapped {
		uint32_t job_id, rank; /* UINT32_MAX: not known */
	} done[SWAPS_MAX];
	size_t n;
};

/* A member, and the smallest placeholder for it. */
struct match {
	struct entry *e;
	uint32_t placeholder; /* its job; 0: none */
	struct sgang_shape shape;
	bool same_role; /* some placeholder has its role */
	bool busy;      /* ... and cannot be replaced now */
	char why[64];   /* why none of its role fits */
};

static const struct entry *entry_of(const struct sgang_conductor *c,
				    uint32_t job_id)
{
	return sgang_lookup_entry(c, job_id);
}

static void look_at(struct sgang_conductor *c, const struct placeholder *p,
		    const struct sgang_shape *wanted, bool equal,
		    struct match *m)
{
	const struct entry *e = entry_of(c, p->job_id);
	struct sgang_job *job = c->host->jobs.find(p->job_id);
	struct sgang_shape shape;

	if (!e || !job || !sgang_misfit_is_for(e, &m->e->spec, m->e->m.uid))
		return;
	m->same_role = true;
	if (!c->host->holds.ready(job) || !c->host->holds.undisturbed(job)) {
		m->busy = true;
		return;
	}
	c->host->jobs.shape(job, &shape);
	if (equal ? !sgang_placeholder_equal(wanted, &shape) :
		    !sgang_placeholder_fits(wanted, &shape, m->why,
					    sizeof(m->why)))
		return;
	if (m->placeholder &&
	    !sgang_placeholder_fits(&shape, &m->shape, m->why, sizeof(m->why)))
		return;
	m->placeholder = p->job_id;
	m->shape = shape;
}

static void find_match(struct sgang_conductor *c, const struct gang *g,
		       bool equal, struct match *m)
{
	struct sgang_shape wanted;

	c->host->jobs.shape(m->e->job, &wanted);
	for (size_t i = 0; i < g->placeholders.n; i++) {
		if (m->placeholder && equal)
			return;
		look_at(c, &g->placeholders.list[i], &wanted, equal, m);
	}
}

/* Its seat is that of the placeholder, if it has as many ranks. */
static void take_seat(struct sgang_conductor *c, struct gang *g,
		      struct sgang_job *job, uint32_t job_id, uint32_t rank)
{
	uint32_t ranks = sgang_ranks_of(c, job);

	if (sgang_ranks_look(c, g, job_id) == 0) {
		if (rank >= g->seats.n || g->seats.seat[rank].ranks != ranks)
			rank = sgang_ranks_find(c, g, job_id, ranks);
		if (sgang_heir_seat(c, g, job, job_id, rank, ranks) == 0)
			return;
	}
	sgang_log(SGANG_LOG_ERROR,
		  "%s/%s: no memory for SLURM_GANG_* of job %u", g->ns, g->name,
		  job_id);
}

/* The record of an array that was passed becomes the task that has nodes: the
 * rest is another. */
static void note_rest(struct sgang_conductor *c, const struct entry *e)
{
	struct sgang_job *rest = c->host->jobs.find(e->job_id);

	if (rest)
		sgang_registry_note(c, rest);
}

/* What the groups need may have been said by the placeholders alone: it is
 * known as long as a record of the gang has it. */
static void hand_on(struct sgang_conductor *c, const struct gang *g,
		    const struct entry *old, struct sgang_job *job)
{
	struct sgang_job_info info;
	struct sgang_record r;

	if (!old || !old->role[0])
		return;
	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &r) != 1) {
		memset(&r, 0, sizeof(r)); /* no pass has seen it before */
		sgang_publish_fill(g, &r);
		r.phase = SGANG_PHASE_RUNNING;
	}
	r.root_min = g->tally.roles.min;
	strcpy(r.role, old->role);
	(void)sgang_publish_write(c, job, &r);
}

/* The member is held on the nodes. */
static void begin(struct sgang_conductor *c, struct gang *g,
		  struct sgang_job *old, uint32_t old_id, struct sgang_job *job,
		  struct swaps *swaps)
{
	const struct entry *e = entry_of(c, old_id);
	struct swapped *done = &swaps->done[swaps->n++];
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	done->job_id = info.job_id;
	done->rank = e && e->has_record && e->record.placed ?
			     e->record.member_rank :
			     UINT32_MAX;
	hand_on(c, g, e, job);
	sgang_placeholder_take_out(g, old_id);
	sgang_placeholder_end(c, g, old, END_REPLACED);
	(void)sgang_cold_add(g, info.job_id, COLD_PROMOTED);
	sgang_registry_note(c, job);
	g->placeholders.came = true;
	sgang_log(SGANG_LOG_INFO, "%s/%s: job %u replaces placeholder %u",
		  g->ns, g->name, info.job_id, old_id);
}

/* Give those that have nodes their seats: all at once, because each look at the
 * gang is a look at all of its jobs. */
static void settle(struct sgang_conductor *c, struct gang *g,
		   const struct swaps *swaps)
{
	if (!swaps->n)
		return;
	sgang_registry_refresh(c, g);
	for (size_t i = 0; i < swaps->n; i++) {
		uint32_t id = swaps->done[i].job_id;
		struct sgang_job *job = c->host->jobs.find(id);

		if (!job)
			continue;
		take_seat(c, g, job, id, swaps->done[i].rank);
		c->host->jobs.unlabel(job);
		sgang_registry_note(c, job);
		sgang_fault_die("swapped", i + 1);
	}
	sgang_registry_refresh(c, g);
}

/* Slurm refuses the member there: the placeholder has its nodes again. */
static void keep_on(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *old, uint32_t old_id, struct entry *e,
		    const struct sgang_bounds *bounds, const char *why)
{
	struct sgang_refusal again;

	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: job %u cannot replace placeholder %u: %s", g->ns,
		  g->name, e->job_id, old_id, why);
	sgang_misfit_set(c, e, AGAIN_SECONDS, "");
	if (c->host->holds.commit(old, bounds, &again)) {
		sgang_registry_note(c, old);
		return;
	}
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: nor has placeholder %u them again: %s", g->ns,
		  g->name, old_id, again.why);
	sgang_placeholder_take_out(g, old_id);
	sgang_placeholder_end(c, g, old, END_STOPPED);
	sgang_registry_refresh(c, g);
}

/* In one hold of the locks: nobody sees the nodes free. */
static bool swap(struct sgang_conductor *c, struct gang *g, struct entry *e,
		 uint32_t old_id, struct swaps *swaps)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(c->host->nodes.count());
	const struct sgang_bounds bounds = { .nodes = nodes };
	struct sgang_job *old = c->host->jobs.find(old_id), *job;
	struct sgang_refusal refusal;

	if (!nodes || sgang_cold_room(g) < 0) {
		sgang_nodeset_destroy(nodes);
		return false; /* the next pass tries again */
	}
	sgang_fault_die("swap", swaps->n + 1);
	c->host->jobs.nodes(old, nodes);
	c->host->holds.undo(old);
	c->committing_cold = true;
	job = c->host->holds.commit(e->job, &bounds, &refusal);
	if (!job)
		keep_on(c, g, old, old_id, e, &bounds, refusal.why);
	c->committing_cold = false;
	if (job) {
		begin(c, g, old, old_id, job, swaps);
		note_rest(c, e);
	}
	sgang_nodeset_destroy(nodes);
	return job != NULL;
}

static bool may_come(const struct sgang_conductor *c, const struct entry *e)
{
	return !e->spec.placeholder && e->m.state == SGANG_MEMBER_PENDING &&
	       e->m.eligible && !e->parked &&
	       !sgang_misfit_is(c, e, e->request);
}

/* True: Slurm has not refused any. The tasks of an array come one by one. */
static bool swap_each(struct sgang_conductor *c, struct gang *g, bool equal,
		      struct swaps *swaps)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		struct match m = { .e = NULL };

		while (may_come(c, g->entries[i]) && g->placeholders.n &&
		       swaps->n < SWAPS_MAX) {
			m = (struct match){ .e = g->entries[i] };
			find_match(c, g, equal, &m);
			if (!m.placeholder)
				break;
			if (!swap(c, g, m.e, m.placeholder, swaps))
				return false;
		}
		if (m.e && !m.placeholder && !equal && m.same_role && !m.busy)
			sgang_misfit_note(c, g, m.e, m.why);
	}
	return true;
}

/* Equal requests come first. */
static void swap_members(struct sgang_conductor *c, struct gang *g)
{
	struct swaps swaps = { .n = 0 };
	bool all = swap_each(c, g, true, &swaps) &&
		   swap_each(c, g, false, &swaps);

	settle(c, g, &swaps);
	if (!all || swaps.n == SWAPS_MAX)
		sgang_conductor_poke(c);
}

void sgang_placeholder_swap_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->placeholders.n || g->stale || g->hold.n ||
		    sgang_cold_any_again(g) || g->preempt.evicted ||
		    !c->conf.gangs || c->save.error || !c->fabric ||
		    !g->topology)
			continue;
		swap_members(c, g);
	}
}

/* ---- the scheduler asks ---- */

bool sgang_conductor_keeps_place(struct sgang_conductor *c,
				 const struct sgang_spec *spec,
				 struct sgang_job *job)
{
	struct gang *g = sgang_registry_find(c, spec->ns, spec->name);
	struct sgang_job_info info;
	const struct entry *e;

	if (g && sgang_cold_any_again(g)) /* who has which seat is not known */
		return true;
	if (!g || !sgang_gang_ordinary(&g->tally))
		return false;
	if (spec->placeholder)
		return true;
	c->host->jobs.info(job, &info);
	if (!sgang_misfit_any_for(c, g, spec, info.uid))
		return false;
	e = sgang_lookup_entry(c, info.job_id);
	if (e && g->tally.spec.placeholders == SGANG_PLACEHOLDERS_SOFT &&
	    sgang_misfit_is(c, e, c->host->jobs.request(job)))
		return false;
	sgang_conductor_poke(c);
	return true;
}
