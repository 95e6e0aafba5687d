/* SPDX-License-Identifier: GPL-2.0-or-later */
/* move.c - members leave nodes that drain
 *
 * With --gang-on-drain=replace a member with a draining node is requeued alone,
 * but only if a spare can take its seat or it could start elsewhere now,
 * because a member on a draining node is worth more than one that waits.
 * Members go one at a time; the next when the last one runs again or a spare
 * has its seat. The nodes for its next start are kept for it (keep.c). It
 * starts again as any late member does (heir.c). The record of a member that
 * stays says why. The options of its own user decide about a member
 * (core/gang/own.h).
 *
 * The decision is saved before the requeue. If slurmctld dies in between, it
 * finds the member ended or requeued, and does not take it for lost.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/gang/stays.h"
#include "faults.h"
#include "plugins/log.h"

/* A gang that cannot leave is checked again after so many seconds ... */
#define RETRY_SECONDS 2
/* ... and at most so many gangs in a pass; others later. */
#define GANGS_MAX 4

/* ---- room for it elsewhere ---- */

/* The request of a member, and the nodes that could serve it. */
struct wish {
	struct sgang_job *job;
	struct sgang_shape shape;
	struct sgang_nodeset *has;  /* its nodes that do not drain */
	struct sgang_nodeset *free; /* others with room */
	uint32_t *units;            /* room on each of them */
	uint8_t *cause;
	uint32_t needed; /* units to replace those on draining nodes; all, if
			  * the job can be split anew */
	/* All nodes are of one domain of this level; -1: they need not. */
	int level;
	const struct sgang_fabric *fabric;
};

static void free_wish(struct wish *w)
{
	sgang_nodeset_destroy(w->has);
	sgang_nodeset_destroy(w->free);
	free(w->units);
	free(w->cause);
}

/* The nodes that stay say which domain it is. False without memory. */
static bool keep_beside(struct wish *w)
{
	struct sgang_nodeset *domain;

	if (w->level < 0 || sgang_nodeset_next(w->has, 0) == SGANG_NODE_NONE)
		return true;
	domain = sgang_nodeset_create(sgang_nodeset_size(w->has));
	if (!domain)
		return false;
	sgang_fabric_widen(w->fabric, w->has, (uint32_t)w->level, domain);
	sgang_nodeset_and(w->free, domain);
	sgang_nodeset_destroy(domain);
	w->level = -1;
	return true;
}

/* False without memory. */
static bool make_wish(struct sgang_conductor *c, struct gang *g,
		      const struct entry *e, struct sgang_job *job,
		      struct wish *w)
{
	const struct sgang_host *h = c->host;
	uint32_t n = h->nodes.count(), had;

	*w = (struct wish){
		.job = job,
		.fabric = g->topology->fabric,
		.has = sgang_nodeset_create(n),
		.free = sgang_nodeset_create(n),
		.units = calloc(n ? n : 1, sizeof(*w->units)),
		.cause = calloc(n ? n : 1, sizeof(*w->cause)),
	};
	if (!w->has || !w->free || !w->units || !w->cause)
		return false;
	h->jobs.nodes(job, w->has);
	had = sgang_nodeset_count(w->has);
	h->jobs.shape(job, &w->shape);
	h->nodes.refresh();
	h->nodes.causes(job, &w->shape, w->cause, NULL);
	for (uint32_t i = 0; i < n; i++)
		if (w->cause[i] == SGANG_CAUSE_NONE)
			sgang_nodeset_add(w->free, i);
	sgang_nodeset_subtract(w->free, w->has);
	sgang_nodeset_subtract(w->free, c->drains.nodes);
	sgang_reservation_cut_others(c, g, w->free);
	w->level = sgang_late_member_cut(c, g, &e->spec, job, w->free);
	h->nodes.units(job, &w->shape, w->free, false, w->units);
	sgang_nodeset_subtract(w->has, c->drains.nodes);
	w->needed = sgang_shape_fixed(&w->shape) ?
			    had - sgang_nodeset_count(w->has) :
			    w->shape.total_cpus /
				    sgang_shape_task_cpus(&w->shape);
	return keep_beside(w);
}

/* True if 'nodes' have all units needed; leaves the nodes it would take. */
static bool take_of(const struct wish *w, struct sgang_nodeset *nodes)
{
	bool fixed = sgang_shape_fixed(&w->shape);
	uint64_t found = 0;

	for (uint32_t i = sgang_nodeset_next(nodes, 0); i != SGANG_NODE_NONE;
	     i = sgang_nodeset_next(nodes, i + 1)) {
		if (found >= w->needed || !w->units[i])
			sgang_nodeset_remove(nodes, i);
		else
			found += fixed ? 1 : w->units[i];
	}
	return found >= w->needed;
}

/* The same from the nodes of one domain, where this must be. */
static bool take_within(const struct wish *w, struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *left;
	bool found = false;

	if (w->level < 0)
		return take_of(w, nodes);
	left = sgang_nodeset_copy(nodes);
	while (left && !found &&
	       sgang_fabric_split(w->fabric, left, (uint32_t)w->level, nodes))
		found = take_of(w, nodes);
	sgang_nodeset_destroy(left);
	return found;
}

/* The same from nodes within this level of its neighbours in the ring. */
static struct sgang_nodeset *take_near(struct sgang_conductor *c,
				       const struct entry *e,
				       const struct wish *w, uint32_t level)
{
	struct sgang_nodeset *nodes = sgang_nodeset_copy(w->free);

	if (nodes &&
	    sgang_conductor_near(c, &e->spec, w->job, w->shape.min_nodes, level,
				 nodes) &&
	    take_within(w, nodes))
		return nodes;
	sgang_nodeset_destroy(nodes);
	return NULL;
}

/* The nodes on which it could start now, freed by the caller; NULL: too few. */
static struct sgang_nodeset *find_room(struct sgang_conductor *c,
				       struct gang *g, const struct entry *e,
				       struct sgang_job *job)
{
	uint32_t top = sgang_fabric_top_level(g->topology->fabric);
	struct sgang_nodeset *nodes = NULL;
	struct wish w;

	if (make_wish(c, g, e, job, &w)) {
		nodes = sgang_nodeset_copy(w.free);
		if (nodes && !take_within(&w, nodes)) {
			sgang_nodeset_destroy(nodes);
			nodes = NULL;
		}
	}
	for (uint32_t level = SGANG_LEVEL_NODE; nodes && level <= top;
	     level++) {
		struct sgang_nodeset *near = take_near(c, e, &w, level);

		if (!near)
			continue;
		sgang_nodeset_destroy(nodes);
		nodes = near;
		break;
	}
	if (nodes)
		sgang_nodeset_or(nodes, w.has);
	free_wish(&w);
	return nodes;
}

/* ---- who goes, and who stays ---- */

static bool has_nodes(const struct sgang_job_info *info)
{
	return info->state == SGANG_JOB_RUNNING ||
	       info->state == SGANG_JOB_CONFIGURING;
}

/* True if a node of the job drains and the member should leave. */
static bool wants_away(struct sgang_conductor *c, const struct entry *e,
		       struct sgang_job *job)
{
	struct sgang_job_info info;

	if (e->m.on_drain != SGANG_ON_FAILURE_REPLACE || !e->has_record ||
	    !(e->record.placed || e->record.spare) || !job)
		return false;
	c->host->jobs.info(job, &info);
	return has_nodes(&info) && !c->host->preempt.gone_by(job) &&
	       sgang_drains_under(c, job);
}

/* True if there is a spare for its seat that need not leave itself. */
static bool has_spare(struct sgang_conductor *c, struct gang *g,
		      const struct entry *e, struct sgang_job *job)
{
	uint32_t ranks = sgang_ranks_of(c, job);

	for (size_t i = 0; g->count.spares && i < g->n_entries; i++) {
		struct sgang_job *spare = sgang_ranks_spare(c, g->entries[i]);

		if (spare && g->entries[i] != e &&
		    sgang_ranks_of(c, spare) == ranks &&
		    !sgang_drains_under(c, spare))
			return true;
	}
	return false;
}

/* Why it stays, as in its record. NULL: it may go, to '*nodes' (freed by the
 * caller), or a spare takes its seat. */
static const char *stays(struct sgang_conductor *c, struct gang *g,
			 const struct entry *e, struct sgang_job *job,
			 struct sgang_nodeset **nodes)
{
	uint32_t most = e->m.max_restarts ? e->m.max_restarts :
					    SGANG_RESTARTS_MAX;

	*nodes = NULL;
	if (!c->host->jobs.requeues(job))
		return SGANG_STAYS_REQUEUE;
	if (e->restarts >= most)
		return SGANG_STAYS_RESTARTS;
	if (!e->record.spare && has_spare(c, g, e, job))
		return NULL;
	if (c->host->jobs.overtaken(job))
		return SGANG_STAYS_QUEUE;
	if (!g->count.restarting && !g->count.keeping)
		*nodes = find_room(c, g, e, job);
	return *nodes ? NULL : SGANG_STAYS_NODES;
}

/* Write since when it leaves, or why it stays; 0 and NULL: neither. */
static void note(struct sgang_conductor *c, const struct gang *g,
		 struct entry *e, int64_t leaves, const char *why)
{
	struct sgang_record r = e->record;

	if (r.leaves == leaves && !strcmp(r.stays, why ? why : ""))
		return;
	r.leaves = leaves;
	memset(r.stays, 0, sizeof(r.stays));
	if (why) {
		strncpy(r.stays, why, sizeof(r.stays) - 1);
		sgang_log(SGANG_LOG_INFO,
			  "%s/%s: a node of member %u drains: it stays, %s",
			  g->ns, g->name, e->job_id, sgang_stays_text(why));
	}
	(void)sgang_publish_write(c, e->job, &r);
	e->record = r;
	c->changed = true;
}

/* ---- leaving when slurmctld died ---- */

static void come_back(struct sgang_conductor *c, struct gang *g,
		      struct sgang_job *job, uint32_t job_id)
{
	sgang_restart_on(c, job, 0, 0, NULL);
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: member %u has left a node that drains", g->ns,
		  g->name, job_id);
	sgang_registry_renew(c, g);
}

/* Finish a requeue that the record does not have yet. */
static bool finish_requeued(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; g->count.left && i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_PENDING || !e->has_record ||
		    !e->record.leaves || !e->record.started)
			continue;
		come_back(c, g, e->job, e->job_id);
		return true;
	}
	return false;
}

/* Requeue a member that has ended and, as far as this slurmctld knows, was not
 * requeued. If that fails it is lost. */
static bool finish_ended(struct sgang_conductor *c, struct gang *g)
{
	struct sgang_job *job = g->move.ended ?
					c->host->jobs.find(g->move.ended) :
					NULL;
	struct sgang_job_info info;
	struct sgang_record r;

	if (!job)
		return false;
	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &r) != 1)
		return false;
	if (info.cancelled || !c->host->jobs.requeue(job)) {
		r.leaves = 0;
		(void)sgang_publish_write(c, job, &r);
		c->changed = true;
		return false;
	}
	if (info.labelled)
		c->host->jobs.unlabel(job);
	come_back(c, g, job, info.job_id);
	return true;
}

/* ---- the pass ---- */

static void stay_all(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_RUNNING || !e->has_record)
			continue;
		note(c, g, e, 0, NULL);
	}
}

/* The first member that wants to leave and can is chosen. The others get the
 * reason why they stay, unless it is only that they are not first. */
static void check(struct sgang_conductor *c, struct gang *g)
{
	struct sgang_nodeset *nodes;
	bool room = true;

	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];
		const char *why;

		if (e->m.state != SGANG_MEMBER_RUNNING)
			continue;
		if (!wants_away(c, e, e->job)) {
			note(c, g, e, 0, NULL);
			continue;
		}
		g->move.any = true;
		if (g->move.leaver || !room)
			continue;
		why = stays(c, g, e, e->job, &nodes);
		sgang_nodeset_destroy(nodes);
		note(c, g, e, why ? 0 : c->host->now(), why);
		room = !why || strcmp(why, SGANG_STAYS_NODES) != 0;
		if (!why)
			g->move.leaver = e->job_id;
	}
}

static bool may_look(const struct sgang_conductor *c, const struct gang *g)
{
	return c->conf.gangs && c->drains.nodes && !g->preempt.evicted &&
	       !g->hold.n && g->tally.started && c->fabric && g->topology &&
	       !sgang_hold_recovered(g);
}

/* True if it is too early for another check, or nothing has changed. */
static bool is_known(const struct sgang_conductor *c, const struct gang *g)
{
	if (g->move.drains_of != c->drains.version)
		return false;
	if (g->move.any)
		return c->host->now() < g->move.after;
	return g->tally_of && g->move.of == g->tally_of;
}

static uint32_t count_gangs(const struct sgang_conductor *c)
{
	uint32_t n = 0;

	for (const struct gang *g = c->gangs; g; g = g->next)
		n += g->move.any;
	return n;
}

static void look(struct sgang_conductor *c, struct gang *g, uint32_t others)
{
	g->move.any = false;
	if (c->drains.any)
		check(c, g);
	else
		stay_all(c, g);
	g->move.after = c->host->now() +
			RETRY_SECONDS * (1 + others / GANGS_MAX);
	g->move.of = g->tally_of;
	g->move.drains_of = c->drains.version;
}

void sgang_move_check_all(struct sgang_conductor *c)
{
	uint32_t looked = 0, gangs = count_gangs(c);

	for (struct gang *g = c->gangs; g; g = g->next) {
		g->move.leaver = 0;
		if (g->stale || sgang_hold_doubtful(g) ||
		    finish_requeued(c, g) || finish_ended(c, g))
			continue;
		if (!g->moves || !may_look(c, g) || is_known(c, g) ||
		    looked == GANGS_MAX)
			continue;
		look(c, g, gangs);
		looked += g->move.any;
	}
}

/* ---- the decision is saved ---- */

static struct entry *find_leaver(struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++)
		if (g->entries[i]->job_id == g->move.leaver)
			return g->entries[i];
	return NULL;
}

/* Checks again, because jobs may have started or ended meanwhile. */
static void go(struct sgang_conductor *c, struct gang *g)
{
	struct entry *e = find_leaver(g);
	struct sgang_nodeset *nodes = NULL;
	bool elsewhere;

	sgang_fault_die("leaves", 1);
	if (!e || !wants_away(c, e, e->job) || stays(c, g, e, e->job, &nodes) ||
	    !c->host->jobs.requeue(e->job)) {
		g->move.drains_of = 0; /* the next pass decides again */
		sgang_nodeset_destroy(nodes);
		return;
	}
	sgang_fault_die("moved", 1);
	sgang_restart_on(c, e->job, 0, 0, nodes);
	elsewhere = nodes != NULL;
	if (nodes)
		sgang_keep_at_once(c, g, nodes);
	sgang_nodeset_destroy(nodes);
	sgang_log(SGANG_LOG_INFO, "%s/%s: a node of member %u drains: %s",
		  g->ns, g->name, e->job_id,
		  elsewhere ? "it is requeued" :
			      "a spare has its seat, and it is requeued");
	sgang_registry_renew(c, g);
}

void sgang_move_go_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->move.leaver)
			continue;
		sgang_registry_refresh(c, g);
		go(c, g);
		g->move.leaver = 0;
	}
}
