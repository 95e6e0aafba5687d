/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit.c - whether the members of an attempt fit, and if not now, when */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* ---- fit now ---- */

/* Put the parts into the order of the plan's ring. Without memory the parts
 * stay as they are, with the numbers of its runs. */
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
		run->member = (uint32_t)n - 1;
	}
	free(parts);
}

int sgang_fit_parts(struct attempt *a)
{
	struct account *account = a->trying ? NULL : a->account;
	struct sgang_nofit nofit = { .text = "" };

	sgang_placement_destroy(a->plan);
	a->plan = NULL;
	if (a->account)
		a->account->told = false;
	if (sgang_parts_place(a, SGANG_NOW, account, &a->plan, &nofit) == 1) {
		follow_plan(a);
		return 0;
	}
	snprintf(a->why, sizeof(a->why), "%s", nofit.text);
	return -1;
}

static bool first_fit_parts(struct attempt *a, size_t n)
{
	size_t all = a->n_parts;
	struct part *saved = malloc(all * sizeof(*saved));
	enum sgang_effort before = a->effort;
	bool fits;

	if (!saved)
		return false;
	memcpy(saved, a->parts, all * sizeof(*saved));
	a->n_parts = n;
	sgang_fit_ring_order(a);
	a->trying = true;
	a->effort = SGANG_EFFORT_ANY;
	fits = sgang_fit_parts(a) == 0;
	a->effort = before;
	a->trying = false;
	memcpy(a->parts, saved, all * sizeof(*saved));
	a->n_parts = all;
	free(saved);
	return fits;
}

/* If n parts fit, the first n - 1 fit too, so bisection finds the number. */
size_t sgang_fit_how_many(struct attempt *a, size_t most)
{
	bool kept = sgang_units_keep(a);
	size_t low = 0, high = most;

	while (low < high) {
		size_t mid = low + (high - low + 1) / 2;

		if (first_fit_parts(a, mid))
			low = mid;
		else
			high = mid - 1;
	}
	sgang_units_forget(a, kept);
	return low;
}

char sgang_fit_groups(struct attempt *a, char first)
{
	char *parallel = a->gangs[0]->tally.spec.parallel, before = *parallel;

	*parallel = first;
	return before;
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x < *y) ? -1 : (*x > *y);
}

static int plan_at(struct attempt *a, int64_t when, enum sgang_effort effort,
		   struct sgang_placement **plan)
{
	enum sgang_effort before = a->effort;
	struct sgang_nofit nofit;
	int rc;

	a->at = when;
	if (sgang_exclusive_then(a) < 0)
		return -1;
	a->effort = effort;
	rc = sgang_parts_place(a, SGANG_LATER, NULL, plan, &nofit);
	a->effort = before;
	return rc;
}

bool sgang_fit_at(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;
	bool fits = plan_at(a, when, SGANG_EFFORT_ANY, &plan) == 1;

	sgang_placement_destroy(plan);
	return fits;
}

bool sgang_fit_nodes_at(struct attempt *a, int64_t when,
			struct sgang_nodeset *nodes)
{
	struct sgang_placement *plan = NULL;
	bool fits = plan_at(a, when, SGANG_EFFORT_GOOD, &plan) == 1;

	sgang_nodeset_clear(nodes);
	for (size_t i = 0; fits && i < plan->n_runs; i++)
		sgang_nodeset_add(nodes,
				  sgang_parts_node(a->c, &plan->runs[i]));
	sgang_placement_destroy(plan);
	return fits;
}

uint64_t sgang_fit_cost_at(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;
	uint64_t cost = 0;

	if (plan_at(a, when, SGANG_EFFORT_PROOF, &plan) == 1)
		cost = sgang_fit_cost(plan);
	sgang_placement_destroy(plan);
	return cost;
}

struct sgang_nodeset *sgang_fit_planned(const struct attempt *a)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(a->c->host->nodes.count());

	for (size_t r = 0; nodes && r < a->plan->n_runs; r++)
		sgang_nodeset_add(nodes,
				  sgang_parts_node(a->c, &a->plan->runs[r]));
	for (size_t i = 0; nodes && i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		if (p->split) /* just the nodes found for it */
			sgang_nodeset_or(nodes, p->usable);
	}
	return nodes;
}

/* Set g->joint.nodes of each gang to its nodes of that plan (NULL: none). */
static void note_planned(struct attempt *a, const struct sgang_placement *plan)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		struct gang *g = a->gangs[i];

		sgang_nodeset_destroy(g->joint.nodes);
		g->joint.nodes =
			sgang_nodeset_create(a->c->host->nodes.count());
		sgang_beside_note(a, plan, &g->joint.share);
	}
	for (size_t i = 0; plan && i < plan->n_runs; i++) {
		const struct sgang_run *run = &plan->runs[i];
		struct gang *g = a->parts[run->member].g;

		if (g->joint.nodes)
			sgang_nodeset_add(g->joint.nodes,
					  sgang_parts_node(a->c, run));
	}
}

void sgang_fit_note_planned(struct attempt *a, int64_t when)
{
	struct sgang_placement *plan = NULL;

	(void)plan_at(a, when, SGANG_EFFORT_GOOD, &plan);
	note_planned(a, plan);
	sgang_placement_destroy(plan);
}

size_t sgang_fit_bisect(struct attempt *a, const int64_t *times, size_t n,
			sgang_fit_test *fits, void *arg)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (fits(a, times[mid], arg))
			high = mid;
		else
			low = mid + 1;
	}
	return high;
}

size_t sgang_fit_before(const int64_t *times, size_t n, int64_t first)
{
	size_t before = 0;

	while (before < n && times[before] < first)
		before++;
	return before;
}

static bool fits_evenly(struct attempt *a, int64_t when, void *arg)
{
	(void)arg;
	return sgang_fit_at(a, when);
}

int64_t sgang_fit_first(struct attempt *a, const int64_t *times, size_t n)
{
	size_t at = sgang_fit_bisect(a, times, n, fits_evenly, NULL);
	int64_t when = at < n ? times[at] : INT64_MAX;

	if (when != INT64_MAX)
		sgang_fit_note_planned(a, when);
	else
		note_planned(a, NULL);
	return when;
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

/* The times at which nodes become free, and at which exclusive gangs end. */
static int64_t *list_times(struct attempt *a, size_t *n)
{
	uint32_t n_nodes = a->c->host->nodes.count();
	int64_t relax = sgang_levels_relax(a);
	size_t lists = 2;
	int64_t *times;

	for (size_t i = 0; i < a->n_probed; i++)
		lists += a->probed[i].clear_at != NULL;
	times = calloc(lists * n_nodes + 2, sizeof(*times));
	if (!times)
		return NULL;
	/* Now, because there may be room that is kept for jobs before it. */
	times[0] = a->c->host->now();
	*n = 1;
	if (relax > times[0])
		times[(*n)++] = relax;
	*n = add_times(a->free_at, n_nodes, times, *n);
	if (a->aside)
		*n = add_times(a->aside, n_nodes, times, *n);
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
	a->free_at = calloc(a->c->host->nodes.count() + 1, sizeof(*a->free_at));
	if (a->free_at) {
		a->c->host->nodes.releases(a->free_at);
		if (sgang_before_look(a) == 0 &&
		    sgang_exclusive_prepare(a) == 0)
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
	free(a->aside);
	a->free_at = a->aside = NULL;
}
