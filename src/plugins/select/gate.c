/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate.c - the answer when Slurm asks for the nodes of a job */

#include "gate.h"

/* A job that must be in one domain is asked for in so many at most: of those
 * with room now; and by backfill, where each costs a look into the future. */
#define DOMAINS_NOW 64
#define DOMAINS_AHEAD 8

/* The nodes for a job, its latest start, and whether it may preempt. */
struct terms {
	const struct sgang_nodeset *nodes; /* NULL: all offered */
	int64_t latest;
	bool victims;
	struct sgang_bound bound;
};

static struct terms terms_on(const struct sgang_nodeset *nodes)
{
	return (struct terms){ nodes, INT64_MAX, true, SGANG_UNBOUND };
}

/* Terms for our choice of nodes, which is not worth a victim or a later start.
 */
static struct terms terms_now(const struct sgang_question *q,
			      const struct terms *t,
			      const struct sgang_nodeset *nodes)
{
	return (struct terms){ nodes, q->now, false, t->bound };
}

bool sgang_gate_stands(const struct sgang_conductor *c)
{
	return sgang_conductor_has_turns(c) || sgang_conductor_reserves(c);
}

/* First without victims of gangs, because the rest of such a gang loses its
 * work. */
static int ask_slurm(const struct sgang_question *q, const struct terms *t,
		     int64_t *start)
{
	int64_t soon = t->latest < q->now ? t->latest : q->now;

	if (!t->victims)
		return q->slurm->try_on(q, t->nodes, SGANG_VICTIMS_NONE,
					t->latest, start);
	if (q->slurm->try_on(q, t->nodes, SGANG_VICTIMS_APART, soon, start) ==
	    0)
		return 0;
	return q->slurm->try_on(q, t->nodes, SGANG_VICTIMS_ALL, t->latest,
				start);
}

int sgang_gate_pass(const struct sgang_question *q, int64_t *start)
{
	const struct terms t = terms_on(NULL);

	return ask_slurm(q, &t, start);
}

/* ---- domain by domain ---- */

/* The nodes of one domain after the other. */
struct walk {
	const struct terms *terms;
	struct sgang_nodeset *left, *part;
};

/* False: no memory. */
static bool walk_begin(struct walk *w, const struct terms *t)
{
	w->terms = t;
	w->left = sgang_nodeset_copy(t->nodes);
	w->part = sgang_nodeset_create(sgang_nodeset_size(t->nodes));
	return w->left && w->part;
}

static void walk_end(struct walk *w)
{
	sgang_nodeset_destroy(w->left);
	sgang_nodeset_destroy(w->part);
}

/* Go on to the next domain that has nodes enough. */
static bool walk_on(struct walk *w, const struct sgang_question *q)
{
	const struct sgang_bound *bound = &w->terms->bound;

	while (sgang_fabric_split(bound->fabric, w->left, bound->level,
				  w->part)) {
		if (sgang_nodeset_count(w->part) >= q->min_nodes)
			return true;
	}
	return false;
}

/* The first where the job starts now; without victims, of those with room. */
static int ask_each(const struct sgang_question *q, const struct terms *t,
		    int64_t *start)
{
	struct walk w;
	int rc = SGANG_GATE_CLOSED;

	if (walk_begin(&w, t)) {
		struct terms there = *t;

		there.nodes = w.part;
		if (!t->victims)
			q->slurm->with_room(q, w.left);
		for (int i = 0; rc != 0 && i < DOMAINS_NOW && walk_on(&w, q);
		     i++)
			rc = ask_slurm(q, &there, start);
	}
	walk_end(&w);
	return rc;
}

/* That where it starts first. */
static int ask_ahead(const struct sgang_question *q, const struct terms *t,
		     int64_t *start)
{
	struct sgang_nodeset *best = NULL;
	struct terms there = *t;
	bool stands = false; /* Slurm has the nodes of the best */
	int rc = SGANG_GATE_CLOSED;
	struct walk w;

	if (walk_begin(&w, t))
		best = sgang_nodeset_create(sgang_nodeset_size(t->nodes));
	there.nodes = w.part;
	for (int i = 0; best && i < DOMAINS_AHEAD && walk_on(&w, q); i++) {
		stands = ask_slurm(q, &there, start) == 0;
		if (!stands)
			continue;
		rc = 0;
		sgang_nodeset_clear(best);
		sgang_nodeset_or(best, w.part);
		if (*start <= q->now)
			break;
		there.latest = *start - 1;
	}
	walk_end(&w);
	/* a refusal since has taken back whom it would preempt */
	if (rc == 0 && !stands) {
		there = *t;
		there.nodes = best;
		rc = ask_slurm(q, &there, start);
	}
	sgang_nodeset_destroy(best);
	return rc;
}

/* Within the bound of the job, if it has one. */
static int ask_within(const struct sgang_question *q, const struct terms *t,
		      int64_t *start)
{
	struct terms free = terms_now(q, t, t->nodes);

	if (!t->bound.fabric)
		return ask_slurm(q, t, start);
	if (q->later)
		return ask_ahead(q, t, start);
	/* a domain without victims is better than one before it */
	return ask_each(q, &free, start) == 0 ? 0 :
	       t->victims                     ? ask_each(q, t, start) :
						SGANG_GATE_CLOSED;
}

/* ---- nodes of our choice ---- */

/* True if it starts now on the nodes of our choice. */
static bool starts_placed(const struct sgang_question *q, const struct terms *t,
			  int64_t *start)
{
	struct sgang_nodeset *chosen = NULL;
	bool starts = false;

	if (q->placed && t->nodes)
		chosen = sgang_nodeset_create(sgang_nodeset_size(t->nodes));
	if (chosen && q->slurm->place(q, t->nodes, &t->bound, chosen)) {
		const struct terms ours = terms_now(q, t, chosen);

		starts = ask_slurm(q, &ours, start) == 0;
	}
	sgang_nodeset_destroy(chosen);
	return starts;
}

static int ask_placed(const struct sgang_question *q, const struct terms *t,
		      int64_t *start)
{
	return starts_placed(q, t, start) ? 0 : ask_within(q, t, start);
}

/* True if 'cut' applies and the job starts now on the nodes that it leaves. */
static bool starts_on_rest(const struct sgang_question *q,
			   const struct terms *t,
			   bool (*cut)(const struct sgang_question *q,
				       struct sgang_nodeset *nodes),
			   int (*ask)(const struct sgang_question *q,
				      const struct terms *t, int64_t *start),
			   int64_t *start)
{
	struct sgang_nodeset *rest = sgang_nodeset_copy(t->nodes);
	const struct terms there = terms_now(q, t, rest);
	bool starts = rest && cut(q, rest) &&
		      sgang_nodeset_count(rest) >= q->min_nodes &&
		      ask(q, &there, start) == 0;

	sgang_nodeset_destroy(rest);
	return starts;
}

static bool cut_to_had(const struct sgang_question *q,
		       struct sgang_nodeset *nodes)
{
	return sgang_conductor_had(q->conductor, q->job_id, nodes);
}

/* True if a member that starts again does so now on the nodes kept for it. */
static bool starts_again(const struct sgang_question *q, const struct terms *t,
			 int64_t *start)
{
	return starts_on_rest(q, t, cut_to_had, ask_within, start);
}

/* True if each domain asked costs a look into the future: once is enough. */
static bool looks_ahead(const struct sgang_question *q, const struct terms *t)
{
	return q->later && t->bound.fabric;
}

/* True if a member starts now on nodes within this level of its gang. '*n' is
 * their number, before the call that of the level below; SIZE_MAX: all. */
static bool starts_near(const struct sgang_question *q, const struct terms *t,
			uint32_t level, size_t *n, int64_t *start)
{
	struct sgang_nodeset *nodes = sgang_nodeset_copy(t->nodes);
	size_t before = *n;
	bool starts = false;

	*n = SIZE_MAX;
	if (nodes && sgang_conductor_near(q->conductor, q->spec, q->job,
					  q->min_nodes, level, nodes)) {
		size_t count = sgang_nodeset_count(nodes);
		const struct terms near = terms_now(q, t, nodes);

		if (count < sgang_nodeset_count(t->nodes))
			*n = count;
		if (*n != SIZE_MAX && count > before && count >= q->min_nodes)
			starts = starts_again(q, &near, start) ||
				 starts_placed(q, &near, start) ||
				 (!looks_ahead(q, t) &&
				  ask_within(q, &near, start) == 0);
	}
	sgang_nodeset_destroy(nodes);
	return starts;
}

/* For a member whose gang has started: level by level. */
static int ask_near(const struct sgang_question *q, const struct terms *t,
		    int64_t *start)
{
	size_t n = 0;

	if (q->fabric && sgang_fabric_domains(q->fabric) > 1) {
		for (uint32_t level = SGANG_LEVEL_NODE;
		     n != SIZE_MAX &&
		     level <= sgang_fabric_top_level(q->fabric);
		     level++) {
			if (starts_near(q, t, level, &n, start))
				return 0;
		}
	}
	return starts_again(q, t, start) ? 0 : ask_placed(q, t, start);
}

static bool cut_lost(const struct sgang_question *q,
		     struct sgang_nodeset *nodes)
{
	return sgang_conductor_lost(q->conductor, q->spec, nodes);
}

/* True if a member starts now on nodes where its gang has lost none. */
static bool starts_elsewhere(const struct sgang_question *q,
			     const struct terms *t, int64_t *start)
{
	return starts_on_rest(q, t, cut_lost, ask_near, start);
}

static int ask_for_job(const struct sgang_question *q, const struct terms *t,
		       bool late, int64_t *start)
{
	if (!late)
		return ask_placed(q, t, start);
	return starts_elsewhere(q, t, start) ? 0 : ask_near(q, t, start);
}

/* True for a member that starts after its gang; then with what binds it. One
 * node is in one domain. */
static bool is_late(const struct sgang_question *q, struct sgang_nodeset *nodes,
		    struct sgang_bound *bound)
{
	bool late = sgang_conductor_late(q->conductor, q->spec, nodes, bound);

	if (q->max_nodes == 1)
		*bound = SGANG_UNBOUND;
	return late;
}

int64_t sgang_gate_keep_off(const struct sgang_question *q,
			    struct sgang_nodeset *nodes)
{
	if (!q->end || !sgang_conductor_reserves(q->conductor))
		return 0;
	return sgang_conductor_keep(q->conductor, &q->standing, q->spec, q->end,
				    nodes);
}

/* A definition never runs, even if a user released it. */
static bool may_start(const struct sgang_question *q,
		      const struct sgang_nodeset *nodes)
{
	if (q->spec->object)
		return false;
	sgang_conductor_look(q->conductor, q->job);
	if (sgang_conductor_keeps_place(q->conductor, q->spec, q->job))
		return false;
	return sgang_conductor_turn(q->conductor, q->spec, &q->standing,
				    q->reserved ? q->reserved : nodes,
				    q->reserved) == SGANG_TURN_ORDINARY;
}

int sgang_gate_now(const struct sgang_question *q, struct sgang_nodeset *nodes)
{
	struct terms t = terms_on(nodes);
	int64_t start;
	bool late;

	if (q->spec && (!nodes || !may_start(q, nodes)))
		return SGANG_GATE_CLOSED;
	if (!nodes)
		return ask_slurm(q, &t, &start);
	if (sgang_conductor_has_turns(q->conductor))
		(void)sgang_conductor_fence(q->conductor, &q->standing,
					    q->backfill, nodes);
	(void)sgang_gate_keep_off(q, nodes);
	late = q->spec && is_late(q, nodes, &t.bound);
	return ask_for_job(q, &t, late, &start);
}

/* ---- backfill ---- */

/* Let backfill reserve for a member the nodes that are kept for its gang;
 * otherwise other jobs would be kept off both. False: not possible. */
static bool plan_on_kept(const struct sgang_question *q,
			 const struct sgang_nodeset *nodes, int64_t *start)
{
	struct sgang_nodeset *kept = NULL;
	struct terms t;
	bool starts = false;

	if (sgang_conductor_joint_start(q->conductor, q->spec))
		kept = sgang_nodeset_copy(nodes);
	if (kept && sgang_conductor_kept(q->conductor, q->spec, kept) &&
	    sgang_nodeset_count(kept) >= q->min_nodes) {
		t = (struct terms){ kept, INT64_MAX, false, SGANG_UNBOUND };
		starts = ask_slurm(q, &t, start) == 0;
	}
	sgang_nodeset_destroy(kept);
	return starts;
}

/* Backfill must not plan a start now that would be refused: it would keep the
 * nodes from jobs that end early enough. */
static int plan_beside(const struct sgang_question *q,
		       const struct terms *anyhow, bool late, int64_t *start)
{
	struct sgang_nodeset *beside = sgang_nodeset_copy(anyhow->nodes);
	struct terms t = *anyhow;
	int64_t when;
	int rc;

	if (!beside)
		return SGANG_GATE_CLOSED;
	t.nodes = beside;
	when = sgang_gate_keep_off(q, beside);
	if (when)
		t.latest = q->now;
	rc = ask_for_job(q, &t, late, start);
	sgang_nodeset_destroy(beside);
	if (!when || rc == 0)
		return rc;
	rc = ask_for_job(q, anyhow, late, start);
	if (rc == 0 && *start < when)
		*start = when;
	return rc;
}

/* A gang that does not fit starts when all of it can: backfill then reserves
 * nodes from that time on, and lets others use them before. */
static void wait_for_gang(const struct sgang_question *q, int64_t *start)
{
	int64_t when = sgang_conductor_joint_start(q->conductor, q->spec);

	if (when > q->now + SGANG_NEVER_SECONDS)
		when = q->now + SGANG_NEVER_SECONDS;
	if (*start < when)
		*start = when;
}

static int plan_member(const struct sgang_question *q,
		       struct sgang_nodeset *nodes, int64_t *start)
{
	struct terms t = terms_on(nodes);
	bool late;
	int rc;

	sgang_conductor_look(q->conductor, q->job);
	sgang_conductor_planned(q->conductor, q->job_id, *start);
	late = is_late(q, nodes, &t.bound);
	rc = plan_on_kept(q, nodes, start) ? 0 :
					     plan_beside(q, &t, late, start);
	if (rc == 0)
		wait_for_gang(q, start);
	/* All members must show one start, whatever backfill plans. */
	if (!late)
		sgang_conductor_poke(q->conductor);
	return rc;
}

int sgang_gate_later(const struct sgang_question *q,
		     struct sgang_nodeset *nodes, int64_t *start)
{
	const struct terms t = terms_on(nodes);

	if (q->spec && q->spec->object) {
		/* sgang create asks, so that we learn of it: a held job is not
		 * tested otherwise. */
		sgang_conductor_poke(q->conductor);
		return SGANG_GATE_CLOSED;
	}
	if (!nodes)
		return q->spec ? SGANG_GATE_CLOSED : sgang_gate_pass(q, start);
	return q->spec ? plan_member(q, nodes, start) :
			 plan_beside(q, &t, false, start);
}
