/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit.c - do the members of an attempt fit, where, and if not now, when? */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* ---- which members ---- */

int sgang_fit_take_order(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int rc;

	if (x->entry == y->entry)
		return (x->copy < y->copy) ? -1 : (x->copy > y->copy);
	rc = sgang_gang_take_order(&x->entry->m, &y->entry->m);
	return rc ? rc : ((x->entry->job_id < y->entry->job_id) ? -1 : 1);
}

static int ring_order(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->g_index != y->g_index)
		return (x->g_index < y->g_index) ? -1 : 1;
	if (x->entry == y->entry)
		return (x->copy < y->copy) ? -1 : (x->copy > y->copy);
	return sgang_gang_ring_order(&x->entry->m, &y->entry->m);
}

void sgang_fit_ring_order(struct attempt *a)
{
	qsort(a->parts, a->n_parts, sizeof(*a->parts), ring_order);
}

static size_t most_of(const struct gang *g, enum extent extent)
{
	uint32_t missing = sgang_gang_missing(&g->tally);
	uint32_t held = g->tally.held;

	if (extent == SGANG_EXTENT_MINIMUM || g->tally.total < held + missing)
		return missing;
	return g->tally.total - held;
}

/* A member that --gang-order puts into the minimum cannot be left out. */
static bool left_out(const struct gang *g, const struct entry *e)
{
	return e->m.state == SGANG_MEMBER_PENDING && e->spec.order_set &&
	       e->spec.order < g->tally.last_order &&
	       (!e->probed || !e->probed->usable);
}

void sgang_fit_add(struct attempt *a, size_t index, struct entry *e)
{
	for (uint32_t t = 0; t < e->m.tasks; t++)
		a->parts[a->n_parts++] = (struct part) {
			.g = a->gangs[index], .g_index = index, .entry = e,
			.probed = e->probed, .copy = t,
		};
}

static int choose_of(struct attempt *a, size_t index, enum extent extent)
{
	struct gang *g = a->gangs[index];
	size_t first = a->n_parts, n, most = most_of(g, extent);

	a->culprit = g;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (extent != SGANG_EXTENT_ANY && left_out(g, e))
			return -1;
		if (e->m.state != SGANG_MEMBER_PENDING || !e->m.eligible ||
		    !e->probed || !e->probed->usable)
			continue;
		sgang_fit_add(a, index, e);
	}
	n = a->n_parts - first;
	if (extent != SGANG_EXTENT_ANY && n < sgang_gang_missing(&g->tally))
		return -1;
	qsort(a->parts + first, n, sizeof(*a->parts), sgang_fit_take_order);
	a->n_parts = first + ((n < most) ? n : most);
	return 0;
}

int sgang_fit_choose(struct attempt *a, enum extent extent)
{
	a->n_parts = 0;
	for (size_t i = 0; i < a->n_gangs; i++) {
		/* the probe said why */
		if (choose_of(a, i, extent) < 0)
			return -1;
	}
	return 0;
}

/* ---- where ---- */

/* Members that need the same on each of a fixed number of nodes are counted in
 * pieces of that size, which covers memory and GRES as well. A mixture is
 * counted in CPUs; what that overlooks, commit finds out. */
static bool uniform(const struct attempt *a)
{
	const struct sgang_host *h = a->c->host;

	for (size_t i = 0; i < a->n_probed; i++) {
		if (!a->probed[i].usable)
			continue;
		if (!a->probed[i].fixed ||
		    !h->same_units(a->parts[0].probed->job, a->probed[i].job))
			return false;
	}
	return true;
}

static uint32_t ranks_per_unit(const struct sgang_shape *shape)
{
	uint32_t ranks = shape->tasks / shape->min_nodes;

	return ranks ? ranks : 1;
}

struct slots {
	uint32_t *free, *total, *amount, *scratch;
	struct sgang_plan_member *members;
	struct sgang_nodeset *everywhere;	/* what any member could have */
};

static void slots_free(struct slots *s)
{
	free(s->free);
	free(s->total);
	free(s->amount);
	free(s->scratch);
	free(s->members);
	sgang_nodeset_destroy(s->everywhere);
}

static int slots_alloc(struct slots *s, uint32_t n_nodes, size_t n_parts)
{
	memset(s, 0, sizeof(*s));
	s->free = calloc(n_nodes + 1, sizeof(*s->free));
	s->total = calloc(n_nodes + 1, sizeof(*s->total));
	s->amount = calloc(n_nodes + 1, sizeof(*s->amount));
	s->scratch = calloc(n_nodes + 1, sizeof(*s->scratch));
	s->members = calloc(n_parts, sizeof(*s->members));
	s->everywhere = sgang_nodeset_create(n_nodes);
	return (s->free && s->total && s->amount && s->scratch &&
		s->members && s->everywhere) ? 0 : -1;
}

static void raise_to(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (from[i] > into[i])
			into[i] = from[i];
	}
}

/* The moment that is planned for. */
enum moment {
	NOW,
	LATER,				/* a->at, by a->free_at */
	EMPTY				/* as if no job ran */
};

/* Where a request can be at that moment. */
static const struct sgang_nodeset *places(const struct probed *p,
					  const struct slots *s,
					  enum moment moment)
{
	switch (moment) {
	case NOW:
		return p->usable;
	case LATER:
		return p->ever;
	case EMPTY:
		break;
	}
	return s->everywhere;
}

/* host->units() or host->cpus() at that moment, by way of s->scratch. */
static void amount(struct attempt *a, const struct probed *p, struct slots *s,
		   const struct sgang_nodeset *nodes, enum moment moment,
		   void (*count)(struct sgang_job *, const struct sgang_shape *,
				 const struct sgang_nodeset *, bool,
				 uint32_t *), uint32_t *out)
{
	uint32_t n_nodes = a->c->host->node_count();

	count(p->job, &p->shape, nodes, moment == EMPTY, out);
	if (moment != LATER)
		return;
	count(p->job, &p->shape, nodes, true, s->scratch);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (a->free_at[n] <= a->at)
			out[n] = s->scratch[n];
	}
}

/* Slots are pieces of the members' common size. */
static void fill_units(struct attempt *a, struct slots *s, enum moment moment)
{
	const struct sgang_host *h = a->c->host;
	const struct probed *first = a->parts[0].probed;

	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		s->members[i] = (struct sgang_plan_member) {
			.units = p->shape.min_nodes,
			.slots = 1,
			.ranks = ranks_per_unit(&p->shape),
			.distinct = true,
			.allowed = places(p, s, moment),
		};
	}
	h->units(first->job, &first->shape, s->everywhere, true, s->total);
	amount(a, first, s, s->everywhere, moment, h->units, s->free);
}

/* A node counts for a request only if one piece of it fits there. */
static int fill_allowed(struct attempt *a, struct probed *p, struct slots *s,
			enum moment moment)
{
	const struct sgang_host *h = a->c->host;
	const struct sgang_nodeset *from = places(p, s, moment);
	uint32_t n_nodes = h->node_count();

	sgang_nodeset_destroy(p->allowed);
	p->allowed = sgang_nodeset_copy(from);
	if (!p->allowed)
		return -1;
	amount(a, p, s, from, moment, h->units, s->amount);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (!s->amount[n])
			sgang_nodeset_remove(p->allowed, n);
	}
	amount(a, p, s, from, moment, h->cpus, s->amount);
	raise_to(s->free, s->amount, n_nodes);
	h->cpus(p->job, &p->shape, from, true, s->amount);
	raise_to(s->total, s->amount, n_nodes);
	return 0;
}

/* A member whose number of nodes is open is counted in tasks on any nodes; in
 * single CPUs where these cannot be shared out evenly. */
static uint32_t task_cpus(const struct sgang_shape *shape)
{
	return (shape->total_cpus % shape->tasks) ? 1 :
	       shape->total_cpus / shape->tasks;
}

/* Slots are CPUs. */
static int fill_cpus(struct attempt *a, struct slots *s, enum moment moment)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].usable &&
		    fill_allowed(a, &a->probed[i], s, moment) < 0)
			return -1;
	}
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;
		const struct sgang_shape *shape = &p->shape;

		s->members[i] = (struct sgang_plan_member) {
			.units = p->fixed ? shape->min_nodes :
				 shape->total_cpus / task_cpus(shape),
			.slots = shape->whole ? 0 :
				 p->fixed ? shape->node_cpus :
					    task_cpus(shape),
			.ranks = p->fixed ? ranks_per_unit(shape) : 1,
			.distinct = p->fixed,
			.allowed = p->allowed,
		};
	}
	return 0;
}

/* `require:` as the planner takes it. -1 when gang.conf has no such level. Gangs
 * that are planned together have a ring each, so no level of one is that of
 * all. */
static int max_level(const struct attempt *a)
{
	struct sgang_policy policy;

	sgang_spec_policy(&a->gangs[0]->tally.spec, &policy);
	if (a->n_gangs > 1 || !policy.require[0])
		return SGANG_LEVEL_UNCONNECTED;
	return sgang_costs_level(&a->c->conf.costs, policy.require);
}

/* All nodes that any request could have at that moment. */
static void fill_everywhere(struct attempt *a, struct slots *s,
			    enum moment moment)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		const struct probed *p = &a->probed[i];

		if (!p->usable)
			continue;
		if (moment == EMPTY)
			a->c->host->partition(p->job, s->everywhere);
		else
			sgang_nodeset_or(s->everywhere, places(p, s, moment));
	}
}

/* Plan for the parts as they stand. Returns as sgang_plan(). */
static int plan_parts(struct attempt *a, enum moment moment,
		      struct sgang_placement **plan, struct sgang_nofit *nofit)
{
	struct sgang_conductor *c = a->c;
	struct sgang_plan_request rq = {
		.fabric = c->fabric,
		.costs = &c->conf.costs,
		.n_members = a->n_parts,
	};
	struct sgang_error err = { "" };
	struct slots s;
	int rc = -1, level = max_level(a);

	if (level < 0) {
		snprintf(nofit->text, sizeof(nofit->text),
			 "--gang-topology names a level that gang.conf does not have");
		return 0;
	}
	rq.max_level = (uint32_t) level;
	if (slots_alloc(&s, c->host->node_count(), a->n_parts) < 0)
		goto out;
	fill_everywhere(a, &s, moment);
	if (uniform(a))
		fill_units(a, &s, moment);
	else if (fill_cpus(a, &s, moment) < 0)
		goto out;
	rq.free = s.free;
	rq.total = s.total;
	rq.members = s.members;
	rc = sgang_plan(&rq, plan, nofit, &err);
out:
	slots_free(&s);
	if (rc < 0)
		snprintf(nofit->text, sizeof(nofit->text), "%.*s",
			 (int) sizeof(nofit->text) - 1,
			 err.text[0] ? err.text : "no memory");
	return rc;
}

int sgang_fit_parts(struct attempt *a)
{
	struct sgang_nofit nofit = { .text = "" };

	sgang_placement_destroy(a->plan);
	a->plan = NULL;
	if (plan_parts(a, NOW, &a->plan, &nofit) == 1)
		return 0;
	snprintf(a->why, sizeof(a->why), "%s", nofit.text);
	return -1;
}

int sgang_fit(struct attempt *a)
{
	size_t all = a->n_parts;

	sgang_fit_ring_order(a);
	if (sgang_fit_parts(a) == 0)
		return 0;
	if (sgang_fit_choose(a, SGANG_EXTENT_MINIMUM) < 0)
		return -1;
	sgang_fit_ring_order(a);
	/* The same members do not fit a second time. */
	return (a->n_parts < all) ? sgang_fit_parts(a) : -1;
}

static bool first_fit_parts(struct attempt *a, size_t n)
{
	size_t all = a->n_parts;
	struct part *saved = malloc(all * sizeof(*saved));
	bool fits;

	if (!saved)
		return false;
	memcpy(saved, a->parts, all * sizeof(*saved));
	a->n_parts = n;
	sgang_fit_ring_order(a);
	fits = sgang_fit_parts(a) == 0;
	memcpy(a->parts, saved, all * sizeof(*saved));
	a->n_parts = all;
	free(saved);
	return fits;
}

/* What fits leaves out the last of it fits too, so halving finds it. */
size_t sgang_fit_how_many(struct attempt *a)
{
	size_t low = 0, high = a->n_parts;

	while (low < high) {
		size_t mid = low + (high - low + 1) / 2;

		if (first_fit_parts(a, mid))
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

uint64_t sgang_fit_best_cost(struct attempt *a)
{
	struct sgang_placement *best = NULL;
	struct sgang_nofit nofit;
	uint64_t cost = 0;

	if (plan_parts(a, EMPTY, &best, &nofit) == 1)
		cost = best->ring.cost;
	sgang_placement_destroy(best);
	return cost;
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x < *y) ? -1 : (*x > *y);
}

static int plan_at(struct attempt *a, int64_t when,
		   struct sgang_placement **plan)
{
	struct sgang_nofit nofit;

	a->at = when;
	return plan_parts(a, LATER, plan, &nofit);
}

bool sgang_fit_at(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;
	bool fits = plan_at(a, when, &plan) == 1;

	sgang_placement_destroy(plan);
	return fits;
}

/* Where the gangs will be then is kept for them. */
static void note_planned(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;

	if (when == INT64_MAX || plan_at(a, when, &plan) != 1)
		return;
	for (size_t i = 0; i < plan->n_runs; i++) {
		const struct sgang_run *run = &plan->runs[i];
		struct gang *g = a->parts[run->member].g;

		if (g->planned)
			sgang_nodeset_add(g->planned, run->node);
	}
	sgang_placement_destroy(plan);
}

/* Halving the list of moments at which nodes become free: what fits at one fits
 * at all later ones. At most 17 plans for 100,000 nodes. */
static int64_t first_fit(struct attempt *a, const int64_t *times, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (sgang_fit_at(a, times[mid]))
			high = mid;
		else
			low = mid + 1;
	}
	return (low < n) ? times[low] : INT64_MAX;
}

int64_t sgang_fit_when(struct attempt *a)
{
	uint32_t n_nodes = a->c->host->node_count();
	int64_t *times = calloc(n_nodes + 2, sizeof(*times));
	int64_t when = 0;
	size_t n = 0;

	a->free_at = calloc(n_nodes + 1, sizeof(*a->free_at));
	if (!times || !a->free_at)
		goto out;
	a->c->host->releases(a->free_at);
	/* There may be room that is kept for jobs before it. */
	times[n++] = a->c->host->now();
	for (uint32_t i = 0; i < n_nodes; i++) {
		if (a->free_at[i] > 0 && a->free_at[i] < INT64_MAX)
			times[n++] = a->free_at[i];
	}
	qsort(times, n, sizeof(*times), by_time);
	when = first_fit(a, times, n);
	note_planned(a, when);
out:
	free(times);
	free(a->free_at);
	a->free_at = NULL;
	return when;
}
