/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit.c - do the members of an attempt fit, and if not now, when? */

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

/* ---- do they fit? ---- */

/* Put the parts into the order of the plan's ring. Without memory they stay as
 * they are, and are what its runs name. */
static void follow_plan(struct attempt *a)
{
	struct part *parts = malloc(a->n_parts * sizeof(*parts));
	uint32_t member = UINT32_MAX;
	size_t n = 0;

	if (!parts)
		return;
	memcpy(parts, a->parts, a->n_parts * sizeof(*parts));
	for (size_t i = 0; i < a->plan->n_runs; i++) {
		struct sgang_run *run = &a->plan->runs[i];

		if (run->member != member) {
			member = run->member;
			a->parts[n++] = parts[member];
		}
		run->member = (uint32_t) n - 1;
	}
	free(parts);
}

int sgang_fit_parts(struct attempt *a)
{
	struct sgang_nofit nofit = { .text = "" };

	sgang_placement_destroy(a->plan);
	a->plan = NULL;
	if (sgang_where(a, SGANG_NOW, &a->plan, &nofit) == 1) {
		follow_plan(a);
		return 0;
	}
	snprintf(a->why, sizeof(a->why), "%s", nofit.text);
	return -1;
}

bool sgang_fit_any(struct attempt *a)
{
	if (sgang_fit_parts(a) == 0 || sgang_fewer_fit(a, 0)) {
		sgang_uneven_doubt(a);
		return true;
	}
	return sgang_uneven_fit(a, 0) == 1;
}

int sgang_fit(struct attempt *a)
{
	size_t all = a->n_parts;

	sgang_fit_ring_order(a);
	if (sgang_fit_any(a))
		return 0;
	if (sgang_fit_choose(a, SGANG_EXTENT_MINIMUM) < 0)
		return -1;
	sgang_fit_ring_order(a);
	/* The same members do not fit a second time. */
	if (a->n_parts < all && sgang_fit_any(a))
		return 0;
	a->unfit = true;
	return -1;
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
	a->trying = true;
	fits = sgang_fit_parts(a) == 0;
	a->trying = false;
	memcpy(a->parts, saved, all * sizeof(*saved));
	a->n_parts = all;
	free(saved);
	return fits;
}

/* What fits leaves out the last of it fits too, so halving finds it. */
size_t sgang_fit_how_many(struct attempt *a, size_t most)
{
	size_t low = 0, high = most;

	while (low < high) {
		size_t mid = low + (high - low + 1) / 2;

		if (first_fit_parts(a, mid))
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

uint64_t sgang_fit_best_cost(struct attempt *a, uint64_t *weighted)
{
	struct sgang_placement *best = NULL;
	struct sgang_nofit nofit;
	uint64_t cost = 0;

	if (weighted)
		*weighted = 0;
	if (sgang_where(a, SGANG_EMPTY, &best, &nofit) == 1) {
		cost = best->ring.cost;
		if (weighted)
			*weighted = best->weighted_cost;
	}
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
	if (sgang_apart_then(a) < 0)
		return -1;
	return sgang_where(a, SGANG_LATER, plan, &nofit);
}

bool sgang_fit_at(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;
	bool fits = plan_at(a, when, &plan) == 1;

	sgang_placement_destroy(plan);
	return fits;
}

bool sgang_fit_nodes_at(struct attempt *a, int64_t when,
			struct sgang_nodeset *nodes)
{
	struct sgang_placement *plan = NULL;
	bool fits = plan_at(a, when, &plan) == 1;

	sgang_nodeset_clear(nodes);
	for (size_t i = 0; fits && i < plan->n_runs; i++)
		sgang_nodeset_add(nodes, sgang_where_node(a->c,
							  &plan->runs[i]));
	sgang_placement_destroy(plan);
	return fits;
}

uint64_t sgang_fit_cost(const struct sgang_placement *plan)
{
	return plan->weighted_cost ? plan->weighted_cost : plan->ring.cost;
}

uint64_t sgang_fit_cost_at(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;
	uint64_t cost = 0;

	if (plan_at(a, when, &plan) == 1)
		cost = sgang_fit_cost(plan);
	sgang_placement_destroy(plan);
	return cost;
}

/* Keep in g->planned of each gang where that plan (NULL: there is none) has it.
 */
static void note_planned(struct attempt *a, const struct sgang_placement *plan)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		struct gang *g = a->gangs[i];

		sgang_nodeset_destroy(g->planned);
		g->planned = sgang_nodeset_create(a->c->host->node_count());
	}
	for (size_t i = 0; plan && i < plan->n_runs; i++) {
		const struct sgang_run *run = &plan->runs[i];
		struct gang *g = a->parts[run->member].g;

		if (g->planned)
			sgang_nodeset_add(g->planned,
					  sgang_where_node(a->c, run));
	}
}

void sgang_fit_note_planned(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;

	(void) plan_at(a, when, &plan);
	note_planned(a, plan);
	sgang_placement_destroy(plan);
}

/* Halving the list of moments at which nodes become free: what fits at one fits
 * at all later ones. At most 18 plans for 100,000 nodes; the one for the moment
 * that is returned is in '*found'. */
static int64_t first_fit(struct attempt *a, const int64_t *times, size_t n,
			 struct sgang_placement **found)
{
	size_t low = 0, high = n;

	*found = NULL;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct sgang_placement *plan = NULL;

		if (plan_at(a, times[mid], &plan) == 1) {
			sgang_placement_destroy(*found);
			*found = plan;
			high = mid;
		} else {
			low = mid + 1;
		}
	}
	return (low < n) ? times[low] : INT64_MAX;
}

static size_t drop_doubles(int64_t *times, size_t n)
{
	size_t kept = 1;

	for (size_t i = 1; i < n; i++) {
		if (times[i] != times[kept - 1])
			times[kept++] = times[i];
	}
	return kept;
}

static size_t add_times(const int64_t *from, uint32_t n_nodes, int64_t *times,
			size_t n)
{
	for (uint32_t i = 0; i < n_nodes; i++) {
		if (from[i] > 0 && from[i] < INT64_MAX)
			times[n++] = from[i];
	}
	return n;
}

/* When nodes become free, and when gangs are gone that kept others off. */
static int64_t *list_times(struct attempt *a, size_t *n)
{
	uint32_t n_nodes = a->c->host->node_count();
	int64_t relax = sgang_levels_relax(a);
	size_t lists = 1;
	int64_t *times;

	for (size_t i = 0; i < a->n_probed; i++)
		lists += a->probed[i].clear_at != NULL;
	times = calloc(lists * n_nodes + 2, sizeof(*times));
	if (!times)
		return NULL;
	/* There may be room that is kept for jobs before it. */
	times[0] = a->c->host->now();
	*n = 1;
	if (relax > times[0])
		times[(*n)++] = relax;
	*n = add_times(a->free_at, n_nodes, times, *n);
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].clear_at)
			*n = add_times(a->probed[i].clear_at, n_nodes, times,
				       *n);
	}
	qsort(times, *n, sizeof(*times), by_time);
	*n = drop_doubles(times, *n);
	return times;
}

int64_t *sgang_fit_begin(struct attempt *a, size_t *n)
{
	int64_t *times = NULL;

	*n = 0;
	a->free_at = calloc(a->c->host->node_count() + 1, sizeof(*a->free_at));
	if (a->free_at) {
		a->c->host->releases(a->free_at);
		if (sgang_apart_prepare(a) == 0)
			times = list_times(a, n);
	}
	if (!times)
		sgang_fit_end(a, NULL);
	return times;
}

void sgang_fit_end(struct attempt *a, int64_t *times)
{
	free(times);
	free(a->free_at);
	a->free_at = NULL;
}

int64_t sgang_fit_when(struct attempt *a)
{
	struct sgang_placement *plan;
	int64_t *times, when;
	size_t n;

	times = sgang_fit_begin(a, &n);
	if (!times)
		return 0;
	when = first_fit(a, times, n, &plan);
	note_planned(a, plan);
	sgang_placement_destroy(plan);
	if (when == INT64_MAX)
		when = sgang_uneven_when(a, times, n);
	sgang_helps_find(a, when);
	sgang_fit_end(a, times);
	return when;
}
