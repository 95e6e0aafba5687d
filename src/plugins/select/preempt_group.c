/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preempt_group.c - room for a group whose gangs have level requests
 *
 * A joint plan does not know the level requests of each gang of a group. So the
 * gangs are planned one by one, as they are placed (attempt.c): each gets whole
 * nodes left by the gangs before it, and these nodes are its share of the
 * claim.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/plan/victims.h"

static void group_policy(const struct attempt *a, struct sgang_policy *policy)
{
	sgang_levels_of_group(a->gangs[0], policy);
}

bool sgang_several_needed(const struct attempt *a)
{
	struct sgang_policy policy;

	if (a->n_gangs == 1)
		return false;
	group_policy(a, &policy);
	return policy.spread[0] ||
	       sgang_attempt_any_level(a->gangs, a->n_gangs);
}

/* For each set of victims a plan of each gang, and one that finds the domain
 * of the group's level. */
static uint32_t plans_of_set(const struct attempt *a)
{
	struct sgang_policy policy;

	group_policy(a, &policy);
	return (uint32_t)a->n_gangs + (policy.require[0] || policy.prefer_time);
}

/* The plans of two sets are reserved for the last set, and for another order of
 * gangs. */
uint32_t sgang_several_sets(const struct attempt *a)
{
	uint32_t sets = SGANG_VICTIMS_PLANS / plans_of_set(a);

	return sets >= 4 ? sets - 2 : 0;
}

int sgang_several_open(struct several *s, struct attempt *a)
{
	uint32_t n_nodes = a->c->host->nodes.count();
	struct sgang_policy policy;

	group_policy(a, &policy);
	*s = (struct several){
		.a = a,
		.nodes = calloc(a->n_gangs, sizeof(struct sgang_nodeset *)),
		.order = calloc(a->n_gangs, sizeof(size_t)),
		.taken = sgang_nodeset_create(n_nodes),
		.spread = sgang_levels_find(a->c, policy.spread),
		.may_reorder = true,
	};
	if (!s->nodes || !s->order || !s->taken)
		return -1;
	for (size_t i = 0; i < a->n_gangs; i++) {
		s->order[i] = i;
		s->nodes[i] = sgang_nodeset_create(n_nodes);
		if (!s->nodes[i])
			return -1;
	}
	return 0;
}

void sgang_several_close(struct several *s)
{
	for (size_t i = 0; s->nodes && i < s->a->n_gangs; i++)
		sgang_nodeset_destroy(s->nodes[i]);
	free(s->nodes);
	free(s->order);
	sgang_nodeset_destroy(s->taken);
	sgang_nodeset_destroy(s->place);
}

/* ---- the domain of the group's level ---- */

static bool find_place(struct several *s)
{
	struct attempt *a = s->a;
	uint32_t n_nodes = a->c->host->nodes.count();
	struct sgang_placement *plan = NULL;
	struct sgang_nodeset *one;
	struct sgang_nofit nofit;
	int level = sgang_levels_limit(a, a->at, &nofit);

	sgang_nodeset_destroy(s->place);
	s->place = NULL;
	if (level < 0 || level >= SGANG_LEVEL_UNCONNECTED)
		return level >= 0;
	if (sgang_parts_place(a, SGANG_LATER, NULL, &plan, &nofit) != 1)
		return false;
	one = sgang_nodeset_create(n_nodes);
	s->place = sgang_nodeset_create(n_nodes);
	if (one && s->place) {
		sgang_nodeset_add(one, sgang_parts_node(a->c, &plan->runs[0]));
		sgang_fabric_widen(a->topology->fabric, one, (uint32_t)level,
				   s->place);
	}
	sgang_placement_destroy(plan);
	sgang_nodeset_destroy(one);
	return one && s->place;
}

/* ---- one gang ---- */

/* The parts of one gang, as an attempt of its own. */
static struct attempt view_of(const struct attempt *a, size_t index)
{
	struct attempt view = *a;
	size_t first = 0;

	while (first < a->n_parts && a->parts[first].g_index != index)
		first++;
	view.gangs = &a->gangs[index];
	view.n_gangs = 1;
	view.topology = sgang_registry_topology(a->c, view.gangs, 1);
	view.parts = a->parts + first;
	view.n_parts = 0;
	while (first + view.n_parts < a->n_parts &&
	       view.parts[view.n_parts].g_index == index)
		view.n_parts++;
	view.plan = NULL;
	return view;
}

/* Restrict the nodes of its requests until give_back(). -1 without memory. */
static int withhold(const struct several *s, const struct gang *g)
{
	for (size_t i = 0; i < s->a->n_probed; i++) {
		struct probed *p = &s->a->probed[i];
		struct sgang_nodeset *left;

		if (p->g != g || !p->usable)
			continue;
		left = sgang_nodeset_copy(p->then ? p->then : p->ever);
		p->then = left;
		if (!left)
			return -1;
		sgang_nodeset_subtract(left, s->taken);
		if (s->place)
			sgang_nodeset_and(left, s->place);
	}
	return 0;
}

static void give_back(const struct several *s, struct sgang_nodeset **saved)
{
	for (size_t i = 0; i < s->a->n_probed; i++) {
		struct probed *p = &s->a->probed[i];

		if (p->then == saved[i])
			continue;
		sgang_nodeset_destroy(p->then);
		p->then = saved[i];
	}
}

static void take(struct several *s, size_t index,
		 const struct sgang_placement *plan)
{
	const struct attempt *a = s->a;

	sgang_nodeset_clear(s->nodes[index]);
	for (size_t r = 0; r < plan->n_runs; r++)
		sgang_nodeset_add(s->nodes[index],
				  sgang_parts_node(a->c, &plan->runs[r]));
	if (s->spread >= 0)
		sgang_fabric_widen(a->topology->fabric, s->nodes[index],
				   (uint32_t)s->spread, s->taken);
	else
		sgang_nodeset_or(s->taken, s->nodes[index]);
}

static bool fit_one(struct several *s, size_t index, uint64_t *cost)
{
	struct attempt view = view_of(s->a, index);
	struct sgang_nodeset **saved = calloc(s->a->n_probed + 1,
					      sizeof(struct sgang_nodeset *));
	struct sgang_placement *plan = NULL;
	struct sgang_nofit nofit;
	bool fits;

	if (!saved)
		return false;
	for (size_t i = 0; i < s->a->n_probed; i++)
		saved[i] = s->a->probed[i].then;
	fits = withhold(s, s->a->gangs[index]) == 0 &&
	       sgang_parts_place(&view, SGANG_LATER, NULL, &plan, &nofit) == 1;
	give_back(s, saved);
	free(saved);
	if (fits) {
		take(s, index, plan);
		*cost += sgang_fit_cost(plan);
	}
	sgang_placement_destroy(plan);
	return fits;
}

/* ---- all gangs ---- */

/* The number of gangs that find room, in this order. */
static size_t fit_in_order(struct several *s, uint64_t *cost)
{
	size_t n = 0;

	*cost = 0;
	sgang_nodeset_clear(s->taken);
	while (n < s->a->n_gangs && fit_one(s, s->order[n], cost))
		n++;
	return n;
}

/* A gang that finds no room goes first, as in attempt.c; that is tried once. */
bool sgang_several_fit(struct several *s, uint64_t *cost)
{
	size_t n, stuck;

	if (!find_place(s))
		return false;
	n = fit_in_order(s, cost);
	if (n && n < s->a->n_gangs && s->may_reorder) {
		stuck = s->order[n];
		memmove(s->order + 1, s->order, n * sizeof(*s->order));
		s->order[0] = stuck;
		n = fit_in_order(s, cost);
	}
	s->may_reorder = false;
	return n == s->a->n_gangs;
}
