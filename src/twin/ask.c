/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask.c - the answer when a scheduler of the twin asks for a job
 *
 * What src/slurm/job_test.c is for slurmctld: the gate decides, and asks for
 * stock Slurm's choice.
 */

#include <stdlib.h>
#include <string.h>

#include "plugins/select/gate.h"
#include "plugins/select/placer.h"
#include "twin_private.h"

/* A question of a scheduler. */
struct call {
	struct sgang_job *job;
	const struct sgang_nodeset *offered;
	bool later;                   /* backfill plans */
	struct sgang_nodeset *chosen; /* the last answer */
	struct twin_list victims;     /* that it takes */
	/* who may be preempted, in Slurm's order; kinds by the conductor */
	struct twin_list candidates;
	struct sgang_listed *listed;
	bool any_needed;
};

/* ---- victims ---- */

static bool is_needed(const struct call *c, size_t i)
{
	return c->listed && c->listed[i].kind > SGANG_VICTIM_ANY;
}

static void judge(struct call *c)
{
	if (!the.conductor || !c->candidates.n)
		return;
	c->listed = calloc(c->candidates.n, sizeof(*c->listed));
	if (!c->listed) {
		the.no_memory = true;
		return;
	}
	for (size_t i = 0; i < c->candidates.n; i++) {
		struct sgang_job *j = c->candidates.at[i];
		struct sgang_listed *v = &c->listed[i];

		v->job_id = sgang_twin_id(j);
		v->kind = SGANG_VICTIM_ANY;
		v->ends = true;
		if (j->spec)
			v->gang = sgang_conductor_victim(the.conductor,
							 j->spec);
	}
	if (sgang_conductor_judge(the.conductor, c->listed, c->candidates.n)) {
		free(c->listed);
		c->listed = NULL;
		return;
	}
	for (size_t i = 0; i < c->candidates.n; i++)
		c->any_needed |= is_needed(c, i);
}

static bool may_go(const struct call *c, size_t i, enum sgang_victims which)
{
	if (c->listed && c->listed[i].kind == SGANG_VICTIM_NEVER)
		return false;
	return which == SGANG_VICTIMS_ALL || !is_needed(c, i);
}

/* One after the other is left out until the job fits; those on its nodes are
 * the victims. */
static bool fits_without(struct call *c, const struct sgang_nodeset *nodes,
			 enum sgang_victims which)
{
	size_t n = 0;
	bool fits = false;

	memcpy(the.freed, the.use, the.n_nodes * sizeof(*the.freed));
	for (size_t i = 0; i < c->candidates.n && !fits; i++) {
		if (!may_go(c, i, which))
			continue;
		sgang_twin_subtract_use(c->candidates.at[i], the.freed);
		c->victims.at[n++] = c->candidates.at[i];
		fits = sgang_twin_choose(c->job, nodes, the.freed, c->chosen);
	}
	c->victims.n = 0;
	for (size_t i = 0; fits && i < n; i++) {
		if (sgang_twin_has_any(c->victims.at[i], c->chosen))
			c->victims.at[c->victims.n++] = c->victims.at[i];
	}
	return fits;
}

/* Is it one of the first 'n' victims? */
static bool is_victim(const struct call *c, const struct sgang_job *j, size_t n)
{
	for (size_t v = 0; v < n; v++) {
		if (c->victims.at[v] == j)
			return true;
	}
	return false;
}

/* A gang that loses one it needs goes whole. */
static void add_gang(struct call *c, const struct gang *gang)
{
	for (size_t i = 0; i < c->candidates.n; i++) {
		struct sgang_job *j = c->candidates.at[i];

		if (c->listed[i].gang == gang && !is_victim(c, j, c->victims.n))
			c->victims.at[c->victims.n++] = j;
	}
}

static void complete_victims(struct call *c)
{
	size_t chosen = c->victims.n;

	for (size_t i = 0; c->listed && i < c->candidates.n; i++) {
		if (c->listed[i].kind != SGANG_VICTIM_WHOLE ||
		    !is_victim(c, c->candidates.at[i], chosen))
			continue;
		add_gang(c, c->listed[i].gang);
		sgang_conductor_struck(the.conductor, c->listed[i].gang);
	}
}

/* ---- what the gate asks ---- */

static bool fits(struct call *c, const struct sgang_nodeset *nodes,
		 enum sgang_victims victims, int64_t latest, int64_t *start)
{
	bool preempts = victims != SGANG_VICTIMS_NONE && c->candidates.n;

	*start = the.now;
	if ((preempts || !c->later) &&
	    sgang_twin_choose(c->job, nodes, the.use, c->chosen))
		return true;
	if (preempts && fits_without(c, nodes, victims)) {
		*start = the.now + c->later;
		return true;
	}
	return c->later &&
	       sgang_twin_will_run(c->job, nodes, latest, c->chosen, start);
}

static int try_nodes(struct call *c, const struct sgang_nodeset *nodes,
		     enum sgang_victims victims, int64_t latest, int64_t *start)
{
	sgang_nodeset_clear(c->chosen);
	c->victims.n = 0;
	if (victims == SGANG_VICTIMS_APART && !c->any_needed)
		return SGANG_GATE_CLOSED;
	return fits(c, nodes, victims, latest, start) && *start <= latest ?
		       0 :
		       SGANG_GATE_CLOSED;
}

static int try_on(const struct sgang_question *q,
		  const struct sgang_nodeset *nodes, enum sgang_victims victims,
		  int64_t latest, int64_t *start)
{
	struct call *c = (struct call *)q->call;
	int64_t before = *start;
	int rc;

	if (nodes) {
		sgang_nodeset_clear(the.scratch);
		sgang_nodeset_or(the.scratch, nodes);
		sgang_nodeset_and(the.scratch, c->offered);
	}
	rc = try_nodes(c, nodes ? the.scratch : c->offered, victims, latest,
		       start);
	if (rc)
		*start = before;
	return rc;
}

static void with_room(const struct sgang_question *q,
		      struct sgang_nodeset *nodes)
{
	struct sgang_shape shape;

	sgang_twin_host.jobs.shape(q->job, &shape);
	sgang_placer_with_room(&sgang_twin_host, sgang_twin_host.nodes.count(),
			       q->job, &shape, nodes);
}

/* Which nodes backfill reserves makes little difference, see choose.c. */
static bool place(const struct sgang_question *q,
		  const struct sgang_nodeset *nodes,
		  const struct sgang_bound *bound, struct sgang_nodeset *chosen)
{
	const struct call *c = q->call;
	struct sgang_shape shape;

	if (c->later)
		return false;
	sgang_twin_host.jobs.shape(q->job, &shape);
	return sgang_placer_concerns(the.fabric, &shape) &&
	       sgang_placer_choose(&sgang_twin_host, the.fabric, &the.conf,
				   q->job, &shape, nodes, bound->level, chosen);
}

static const struct sgang_gate_slurm gate_twin = {
	.try_on = try_on,
	.with_room = with_room,
	.place = place,
};

static struct sgang_question question(const struct call *c)
{
	struct sgang_job *j = c->job;
	struct sgang_question q = {
		.slurm = &gate_twin,
		.call = c,
		.conductor = the.conductor,
		.job = j,
		.job_id = sgang_twin_id(j),
		.spec = the.conf.gangs ? j->spec : NULL,
		.later = c->later,
		.standing = { .job = j,
			      .record = sgang_twin_id(j),
			      .tier = j->partition->tier,
			      .priority = j->priority,
			      .job_id = sgang_twin_id(j) },
		.min_nodes = j->asks->nodes,
		.max_nodes = j->asks->nodes,
		.now = the.now,
		.end = j->limit == UINT32_MAX ? INT64_MAX : the.now + j->limit,
		.placed = the.conf.placement && (the.conf.place_all || j->spec),
	};

	if (q.spec && the.conf.placement)
		q.fabric = the.fabric;
	return q;
}

/* ---- calls ---- */

static bool call_init(struct call *c, struct sgang_job *j,
		      const struct sgang_nodeset *nodes, bool later)
{
	memset(c, 0, sizeof(*c));
	c->job = j;
	c->offered = nodes;
	c->later = later;
	c->chosen = sgang_nodeset_create(the.n_nodes);
	if (the.rules->preempts) {
		c->candidates.at = calloc(the.running.n + 1,
					  sizeof(*c->candidates.at));
		c->victims.at = calloc(2 * the.running.n + 1,
				       sizeof(*c->victims.at));
	}
	if (!c->chosen ||
	    (the.rules->preempts && (!c->candidates.at || !c->victims.at))) {
		the.no_memory = true;
		return false;
	}
	if (the.rules->preempts) {
		sgang_twin_candidates(j, &c->candidates);
		judge(c);
	}
	return true;
}

static void call_end(struct call *c)
{
	sgang_nodeset_destroy(c->chosen);
	free(c->candidates.at);
	free(c->victims.at);
	free(c->listed);
}

/* As Slurm, it starts once its victims are gone, in another cycle. */
static bool take(struct call *c)
{
	if (!c->victims.n) {
		if (!sgang_twin_take(c->job, c->chosen))
			return false;
		if (the.conductor)
			sgang_conductor_began(the.conductor, c->job);
		if (c->job->spec)
			sgang_conductor_begins(the.conductor, c->job);
		sgang_twin_launch(c->job);
		return true;
	}
	complete_victims(c);
	for (size_t i = 0; i < c->victims.n; i++)
		sgang_twin_preempt(c->victims.at[i]);
	return false;
}

bool sgang_twin_start(struct sgang_job *j, const struct sgang_nodeset *nodes,
		      const struct sgang_nodeset *reserved)
{
	struct sgang_nodeset *open = NULL;
	struct sgang_question q;
	int64_t start = 0;
	bool started;
	struct call c;
	int rc;

	if (!call_init(&c, j, nodes, false)) {
		call_end(&c);
		return false;
	}
	q = question(&c);
	q.reserved = q.spec ? reserved : NULL;
	q.backfill = reserved != NULL;
	if (!the.conductor) {
		rc = try_nodes(&c, nodes, SGANG_VICTIMS_ALL, INT64_MAX, &start);
	} else {
		if (q.spec || q.placed || sgang_gate_stands(the.conductor))
			open = sgang_nodeset_copy(nodes);
		rc = sgang_gate_now(&q, open);
		sgang_nodeset_destroy(open);
	}
	started = rc == 0 && take(&c);
	call_end(&c);
	return started;
}

bool sgang_twin_plan(struct sgang_job *j, const struct sgang_nodeset *nodes,
		     struct sgang_nodeset *chosen, int64_t *start)
{
	struct sgang_nodeset *open = NULL;
	struct sgang_question q;
	struct call c;
	int rc;

	*start = j->expected;
	if (!call_init(&c, j, nodes, true)) {
		call_end(&c);
		return false;
	}
	q = question(&c);
	if (!the.conductor) {
		rc = try_nodes(&c, nodes, SGANG_VICTIMS_ALL, INT64_MAX, start);
	} else {
		if (q.spec || q.placed || sgang_gate_stands(the.conductor))
			open = sgang_nodeset_copy(nodes);
		sgang_conductor_offered(the.conductor, &q.standing, q.spec,
					nodes);
		rc = sgang_gate_later(&q, open, start);
		sgang_nodeset_destroy(open);
	}
	if (rc == 0) {
		sgang_nodeset_clear(chosen);
		sgang_nodeset_or(chosen, c.chosen);
	}
	call_end(&c);
	return rc == 0;
}
