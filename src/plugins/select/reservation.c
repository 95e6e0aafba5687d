/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reservation.c - the nodes that are kept for gangs, and from whom
 *
 * One table with a row for each reason: nodes freed for a gang (claim.c), those of
 * its requeued members (keep.c), of its joint start (reserve.c), of a commit that
 * goes on in the next pass (slices.c), and of a turn that the next pass serves. The
 * nodes stay with the gang; a row says where they are. Jobs, members and plans of
 * gangs lose them by the rows alone.
 *
 * Schedulers ask about each job they try, so only the gangs that may have a row are
 * gone through.
 */

#include <stdlib.h>

#include "conductor_private.h"

/* After a restart slurmctld may start jobs before the first pass has read the
 * claims. Jobs wait no longer than this for the first pass. */
#define FRESH_SECONDS 5

enum kept_from {
	FROM_ALL,    /* jobs */
	FROM_OTHERS, /* than its own gang and group */
	FROM_LATER, /* ... and behind it in the queue, however short they are */
	FROM_LONGER,     /* ... and running on when the gang starts */
	FROM_BEHIND_TURN /* jobs behind a turn of the gang or its group */
};

struct row {
	enum kept_from from;
	const struct sgang_nodeset *nodes;
	const struct share *share; /* of them; NULL: all of each */
	int64_t until;             /* its start, to a job that is kept off */
};

struct rows {
	struct row at[3]; /* the most that a gang has */
	size_t n;
};

/* Who asks. */
struct asking {
	const struct sgang_standing *standing;
	const struct sgang_spec *spec; /* of its gang; NULL: none */
	const struct gang *own;        /* NULL: not known yet */
	int64_t until;                 /* its end */
};

static void add(struct rows *rows, enum kept_from from,
		const struct sgang_nodeset *nodes, const struct share *share,
		int64_t until)
{
	if (nodes)
		rows->at[rows->n++] = (struct row){ from, nodes, share, until };
}

/* ---- the rows of a gang ---- */

/* Those for which a gang may still wait. */
static void list_lasting(struct sgang_conductor *c, const struct gang *g,
			 struct rows *rows)
{
	int64_t soon = c->host->now() + 1, until = g->kept.until;

	rows->n = 0;
	add(rows, g->kept.unseen ? FROM_OTHERS : FROM_LATER, g->kept.nodes,
	    NULL, until > soon && !g->kept.unseen ? until : soon);
	if (g->preempt.claim)
		add(rows, FROM_LATER, g->preempt.claim->nodes, NULL,
		    sgang_claim_until(c, g));
	if (g->joint.reserved)
		add(rows, FROM_LONGER, g->joint.nodes, &g->joint.share,
		    g->joint.start);
}

/* A job that the main scheduler tries behind a gang is tried again after the
 * pass, and would not have been tried behind a job that waits. A job that
 * backfill tries is not tried again in this cycle, so only a plan is kept from
 * it, unless backfill keeps nodes of that for others. */
static void list_passing(const struct gang *g, bool backfill, struct rows *rows)
{
	rows->n = 0;
	if (g->hold.planned)
		add(rows, FROM_ALL, g->hold.planned, NULL, 0);
	else if (!backfill)
		add(rows, FROM_BEHIND_TURN, g->partitions.nodes, NULL, 0);
	else if (g->plan.nodes &&
		 (!g->turn.limit ||
		  sgang_nodeset_contains(g->turn.limit, g->plan.nodes)))
		add(rows, FROM_BEHIND_TURN, g->plan.nodes, &g->plan.share, 0);
}

/* ---- the gangs that may have one ---- */

static bool any_turn(const struct gang *g)
{
	bool any = g->turn.due;

	for (size_t i = 0; i < g->group.n && !any; i++)
		any = g->group.gangs[i]->turn.due;
	return any;
}

static struct gang *first(struct sgang_conductor *c)
{
	struct gang **link = &c->reservations.first;

	if (c->reservations.known)
		return *link;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->kept.nodes && !g->preempt.claim && !g->joint.reserved &&
		    !g->hold.planned && !any_turn(g))
			continue;
		*link = g;
		link = &g->reserves;
	}
	*link = NULL;
	c->reservations.known = c->reservations.stand;
	return c->reservations.first;
}

/* ---- what is kept from whom ---- */

static bool same_group(const struct gang *a, const struct gang *b)
{
	return !sgang_group_turn_order(a, b);
}

/* A turn of its own keeps no job off. */
static bool turns_before(struct sgang_conductor *c, const struct gang *g,
			 const struct sgang_standing *s)
{
	return g->turn.due && !g->turn.own &&
	       sgang_reserve_before(c, &g->turn.first, s);
}

/* True if the gang, or one of its group, has a turn before the job. */
static bool has_turn(struct sgang_conductor *c, const struct gang *g,
		     const struct sgang_standing *s)
{
	if (!g->partitions.nodes || !g->never.judged_of)
		return false;
	if (g->turn.due)
		return turns_before(c, g, s);
	for (size_t i = 0; i < g->group.n; i++) {
		if (turns_before(c, g->group.gangs[i], s))
			return true;
	}
	return false;
}

static bool is_from(struct sgang_conductor *c, const struct gang *g,
		    const struct row *row, const struct asking *a)
{
	if (row->from == FROM_ALL)
		return true;
	if (row->from == FROM_BEHIND_TURN)
		return has_turn(c, g, a->standing);
	if (a->own && same_group(a->own, g))
		return false;
	if (row->from == FROM_OTHERS)
		return true;
	return (row->from == FROM_LATER || g->joint.outdated ||
		a->until > row->until) &&
	       sgang_registry_any_left(c, g) &&
	       sgang_reserve_before(c, &g->joint.standing, a->standing);
}

/* Take out the nodes on which the job does not fit beside the gang; from gangs,
 * before a joint start, all of a domain in which they cannot both be. */
static bool cut(struct sgang_conductor *c, const struct gang *g,
		const struct row *row, const struct asking *a,
		struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *around = NULL;
	bool any;

	if (a->spec && row->from == FROM_LONGER)
		around = sgang_exclusive_around(c, g, a->spec, row->nodes);
	any = around ? sgang_beside_cut(c, around, NULL, NULL, nodes) :
		       sgang_beside_cut(
			       c, row->nodes, row->share,
			       row->share ? sgang_reserve_job(c, a->standing) :
					    NULL,
			       nodes);
	sgang_nodeset_destroy(around);
	return any;
}

/* ---- events ---- */

void sgang_conductor_began(struct sgang_conductor *c, struct sgang_job *job)
{
	for (struct gang *g = c->reserving ? first(c) : NULL; g;
	     g = g->reserves) {
		struct sgang_job *waits;

		if (!g->joint.reserved || !g->joint.behind || g->joint.outdated)
			continue;
		waits = sgang_reserve_job(c, &g->joint.standing);
		g->joint.outdated = waits && waits != job &&
				    c->host->jobs.before(job, waits);
	}
}

/* ---- questions ---- */

static bool claims_unknown(const struct sgang_conductor *c)
{
	return c->fresh && c->conf.preemption && c->host->preempt.enabled() &&
	       c->host->now() - c->fresh_since < FRESH_SECONDS;
}

bool sgang_conductor_reserves(const struct sgang_conductor *c)
{
	return c->reserving || c->claims || claims_unknown(c);
}

int64_t sgang_conductor_keep(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec, int64_t until,
			     struct sgang_nodeset *nodes)
{
	struct asking a = { .standing = s, .spec = spec, .until = until };
	struct rows rows;
	int64_t when = 0;

	if (!sgang_conductor_reserves(c))
		return 0;
	if (claims_unknown(c)) {
		sgang_nodeset_clear(nodes);
		c->wake_scheduler = true;
		return c->host->now() + 1;
	}
	if (spec)
		a.own = sgang_registry_find(c, spec->ns, spec->name);
	if (a.own && a.own->n_entries)
		a.spec = &a.own->tally.spec; /* the options of the whole gang */
	for (struct gang *g = first(c); g; g = g->reserves) {
		list_lasting(c, g, &rows);
		for (size_t i = 0; i < rows.n; i++) {
			if (is_from(c, g, &rows.at[i], &a) &&
			    cut(c, g, &rows.at[i], &a, nodes) &&
			    rows.at[i].until > when)
				when = rows.at[i].until;
		}
	}
	return when;
}

bool sgang_conductor_has_turns(const struct sgang_conductor *c)
{
	return c->turns;
}

bool sgang_conductor_fence(struct sgang_conductor *c,
			   const struct sgang_standing *s, bool backfill,
			   struct sgang_nodeset *nodes)
{
	const struct asking a = { .standing = s };
	struct rows rows;
	bool taken = false;

	if (!c->turns)
		return false;
	for (struct gang *g = first(c); g; g = g->reserves) {
		list_passing(g, backfill, &rows);
		for (size_t i = 0; i < rows.n; i++)
			taken |= is_from(c, g, &rows.at[i], &a) &&
				 cut(c, g, &rows.at[i], &a, nodes);
	}
	if (taken)
		c->wake_scheduler = true;
	return taken;
}

void sgang_reservation_cut_before(struct sgang_conductor *c,
				  const struct gang *g,
				  struct sgang_nodeset *nodes)
{
	struct rows rows;

	if (!c->claims)
		return;
	for (struct gang *o = first(c); o; o = o->reserves) {
		if (sgang_group_turn_order(o, g) >= 0)
			continue;
		list_lasting(c, o, &rows);
		for (size_t i = 0; i < rows.n; i++) {
			if (rows.at[i].from != FROM_LONGER)
				sgang_nodeset_subtract(nodes, rows.at[i].nodes);
		}
	}
}

static void subtract(struct sgang_nodeset *nodes, const struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (rows->at[i].from != FROM_BEHIND_TURN)
			sgang_nodeset_subtract(nodes, rows->at[i].nodes);
	}
}

void sgang_reservation_cut_others(struct sgang_conductor *c,
				  const struct gang *g,
				  struct sgang_nodeset *nodes)
{
	struct rows rows;

	for (struct gang *o = first(c); o; o = o->reserves) {
		if (o == g)
			continue;
		list_lasting(c, o, &rows);
		subtract(nodes, &rows);
		list_passing(o, false, &rows);
		subtract(nodes, &rows);
	}
}
