/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spare.c - members that run without a member rank until a member is lost
 *
 * A gang starts without its spares and does not wait for them. Spares start
 * later, as any late member does (heir.c), and each epoch tells them the
 * members. When a member is lost, a spare with as many ranks takes its seat in
 * the same pass: the spare with which the ring costs the least. A member that
 * has completed is not lost. Slurm purges its record after MinJobAge; then as
 * many seats without a known owner are left alone as members have completed.
 * When no member runs or waits, the spares end, and so do members that were
 * lost and whose seat a spare has had.
 */

#include <stdio.h>
#include <stdlib.h>

#include "conductor_private.h"
#include "core/base/hash.h"
#include "faults.h"
#include "plugins/log.h"

/* ---- a member is lost ---- */

/* The number of seats without a known owner that lost members may have had. */
static uint32_t forgotten_lost(struct sgang_conductor *c, const struct gang *g,
			       bool *any_owner)
{
	uint32_t completed = 0, forgotten = 0, done = g->below.done;

	*any_owner = false;
	for (uint32_t i = 0; i < g->seats.n; i++) {
		enum seat_fate fate = sgang_ranks_fate(c, &g->seats.seat[i]);

		*any_owner |= fate == SEAT_OWNED;
		completed += fate == SEAT_COMPLETED;
		forgotten += fate == SEAT_FORGOTTEN;
	}
	done = done > completed ? done - completed : 0;
	return forgotten > done ? forgotten - done : 0;
}

/* The spare of 'from', the gang or its pool, with which the ring costs the
 * least; ties: the first to start. A spare whose node drains comes after all
 * others. 'model': needed of a pool. */
static struct entry *nearest(struct sgang_conductor *c, struct gang *g,
			     const struct gang *from, struct sgang_job *model,
			     uint32_t rank)
{
	struct seated *seated = sgang_ranks_list(c, g);
	struct entry *best = NULL;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; seated && i < from->n_entries; i++) {
		struct entry *e = from->entries[i];
		struct sgang_job *job = sgang_ranks_spare(c, e);
		uint64_t cost;

		if (!job ||
		    sgang_ranks_of(c, job) != g->seats.seat[rank].ranks ||
		    (from == g && !sgang_ranks_suits(g, rank, e)))
			continue;
		if (from == g ? !sgang_cold_usable(c, e) :
				!sgang_pool_fits(c, g, e, model))
			continue;
		seated[rank].job = job;
		seated[rank].job_id = e->job_id;
		cost = sgang_drains_under(c, job) ?
			       UINT64_MAX :
			       sgang_describe_cost(c, g, seated, g->seats.n);
		if (best && (cost > least ||
			     (cost == least && e->job_id > best->job_id)))
			continue;
		best = e;
		least = cost;
	}
	free(seated);
	return best;
}

/* True if a member runs. If all are requeued or have ended, the gang begins
 * again, or has ended, and needs nobody of a pool. */
static bool any_runs(const struct gang *g)
{
	for (uint32_t i = 0; i < g->seats.n; i++) {
		if (g->seats.seat[i].owner)
			return true;
	}
	return false;
}

/* A spare of the pool, which is of the gang then. */
static struct entry *from_pool(struct sgang_conductor *c, struct gang *g,
			       uint32_t rank)
{
	const struct gang *pool = any_runs(g) ? sgang_pool_of(c, g) : NULL;
	struct sgang_job *model = pool ? sgang_pool_model(c, g, rank) : NULL;
	struct entry *e = model ? nearest(c, g, pool, model, rank) : NULL;

	return e && sgang_pool_move(c, g, e, model) == 0 ? e : NULL;
}

static bool fill(struct sgang_conductor *c, struct gang *g, uint32_t rank)
{
	struct entry *e = nearest(c, g, g, NULL, rank);

	if (!e)
		e = from_pool(c, g, rank);
	if (e)
		sgang_fault_die("fill", 1);
	if (!e || sgang_heir_seat(c, g, e->job, e->job_id, rank,
				  g->seats.seat[rank].ranks) < 0)
		return false;
	sgang_cold_promote(c, g, e->job, e->job_id);
	sgang_registry_note(c, e->job);
	g->seats.seat[rank].owner = e;
	c->changed = true;
	sgang_fault_die("filled", 1);
	return true;
}

static bool fill_seats(struct sgang_conductor *c, struct gang *g,
		       uint32_t forgotten)
{
	bool any = false;

	for (uint32_t i = 0; i < g->seats.n; i++) {
		enum seat_fate fate = sgang_ranks_fate(c, &g->seats.seat[i]);

		if (fate == SEAT_FORGOTTEN && forgotten)
			forgotten--;
		else if (fate != SEAT_LOST)
			continue;
		any |= fill(c, g, i);
	}
	return any;
}

/* ---- the end ---- */

static bool has_seat(const struct gang *g, uint32_t job_id)
{
	for (uint32_t i = 0; i < g->seats.n; i++) {
		if (g->seats.seat[i].job_id == job_id)
			return true;
	}
	return false;
}

/* True if it waits to start again, but another job had its seat, and all seats
 * are done with. */
static bool is_replaced(const struct gang *g, const struct entry *e)
{
	return e->m.state == SGANG_MEMBER_PENDING && e->restarts &&
	       g->seats.n && g->below.done >= g->seats.n &&
	       !has_seat(g, e->job_id);
}

static bool any_waits(const struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING && !is_replaced(g, e))
			return true;
	}
	return false;
}

static void end_spares(struct sgang_conductor *c, struct gang *g)
{
	char why[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 64];

	snprintf(why, sizeof(why), "Gang %s/%s ended: no spare is needed",
		 g->ns, g->name);
	sgang_log(SGANG_LOG_INFO, "%s", why);
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];
		struct sgang_job *job = is_replaced(g, e) ?
						c->host->jobs.find(e->job_id) :
						sgang_ranks_spare(c, e);

		if (!job)
			continue;
		sgang_publish_end(c, g, job, SGANG_PHASE_FINISHED, why);
	}
	sgang_registry_refresh(c, g);
	g->stale = true; /* the next pass adds it up */
}

static bool has_spares(const struct gang *g)
{
	return g->count.spares || (g->count.again && sgang_spares_any(g));
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	bool any_owner;
	uint32_t forgotten;

	if (!c->fabric || !g->topology || sgang_ranks_look(c, g, 0) < 0)
		return;
	forgotten = forgotten_lost(c, g, &any_owner);
	if (fill_seats(c, g, forgotten))
		sgang_registry_refresh(c, g);
	else if (has_spares(g) && !any_owner && !any_waits(g))
		end_spares(c, g);
}

/* Only the owner of a seat knows its ranks, so they are read before it ends. */
static void remember_seats(struct sgang_conductor *c, struct gang *g)
{
	if (g->tally.spec.parallel[0] && !g->seats.n && g->tally.started &&
	    !g->stale && !g->hold.n)
		(void)sgang_ranks_look(c, g, 0);
}

/* A hash of what decides about its spares; 0: not known. */
static uint64_t state_of(const struct gang *g, const struct gang *pool)
{
	return pool && g->tally_of ?
		       sgang_hash(g->tally_of, sgang_pool_state(pool)) :
		       g->tally_of;
}

void sgang_spare_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		const struct gang *pool = sgang_pool_of(c, g);
		uint64_t of;

		remember_seats(c, g);
		if ((!pool && !has_spares(g)) || g->tally.spec.pool ||
		    g->stale || g->hold.n || g->preempt.evicted ||
		    sgang_hold_doubtful(g) || sgang_cold_any_again(g))
			continue;
		of = state_of(g, pool);
		if (of && g->spares_of == of)
			continue;
		g->spares_of = of;
		check(c, g);
	}
}
