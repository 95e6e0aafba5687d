/* SPDX-License-Identifier: GPL-2.0-or-later */
/* branches_pick.c - which members of a tree of groups start
 *
 * The rule is core/gang/role_choice.h. Where not all members fit, groups that
 * fit are looked for in the order of preference, plan by plan, and then what
 * fits with them: group by group, and member by member.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* The least and the most plans of a search for groups that fit; in between the
 * limit is this CPU time (microseconds), before that the longer one. */
#define PLANS_LEAST 8
#define PLANS_MOST 256
#define PLANS_TIME 20000
#define LEAST_TIME 80000

/* Steps of all of them (core/plan/plan.h), and of each: the cost does not matter
 * yet. */
#define ALL_STEPS SGANG_PLAN_STEPS
#define PLAN_STEPS (ALL_STEPS / 4)

/* ---- what could be taken ---- */

/* A choice of members of one gang of an attempt. */
struct picking {
	struct attempt *a;
	size_t index;
	struct gang *g;
	struct sgang_role_stock *stock;
	struct sgang_role_choice choice;
	uint32_t *take; /* by group */
	uint32_t *left; /* scratch, by group */
	struct part *part;
	size_t n_parts;   /* all that could be taken, leaf by leaf, and there in
			 * take order */
	size_t *first_of; /* by group: its first part; one more at the end */
	bool *in;         /* by part: it is taken */
	bool *closed;     /* scratch, by request */
	size_t n_asked;   /* number of requests */
	uint32_t *top;    /* groups that could start, in the order of trial */
	size_t n_tops;
	size_t most; /* members to take, at the most */
};

static bool may_start(const struct entry *e)
{
	return e->m.state == SGANG_MEMBER_PENDING && e->m.eligible &&
	       e->probed && e->probed->usable && e->leaf != SGANG_ROLE_NONE;
}

static void count_entry(struct picking *p, const struct entry *e)
{
	struct sgang_role_stock *s;

	if (e->leaf == SGANG_ROLE_NONE)
		return;
	s = &p->stock[e->leaf];
	if (e->m.state == SGANG_MEMBER_RUNNING)
		s->running += e->m.tasks;
	if (e->m.state == SGANG_MEMBER_HELD ||
	    (e->m.state == SGANG_MEMBER_RUNNING &&
	     (p->g->tally.satisfied ||
	      sgang_spec_match(&p->g->tally.spec) ==
		      SGANG_MATCH_WAITING_AND_RUNNING)))
		s->have += e->m.tasks;
	if (!may_start(e))
		return;
	if (e->spec.order_set && e->spec.order < s->order)
		s->order = e->spec.order;
	s->more += e->m.tasks;
	s->alike += e->request * e->m.tasks;
}

static void list_entry(struct picking *p, struct entry *e)
{
	for (uint32_t t = 0; t < e->m.tasks; t++)
		p->part[p->n_parts++] = (struct part){
			.g = p->g,
			.g_index = p->index,
			.entry = e,
			.probed = e->probed,
			.copy = t,
		};
}

static int by_leaf(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->entry->leaf != y->entry->leaf)
		return x->entry->leaf < y->entry->leaf ? -1 : 1;
	return sgang_fit_take_order(a, b);
}

/* All parts that could be taken. */
static void list_parts(struct picking *p)
{
	size_t at = 0;

	for (size_t i = 0; i < p->g->n_entries; i++) {
		count_entry(p, p->g->entries[i]);
		if (may_start(p->g->entries[i]))
			list_entry(p, p->g->entries[i]);
	}
	qsort(p->part, p->n_parts, sizeof(*p->part), by_leaf);
	for (uint32_t g = 0; g <= p->g->tree.n; g++) {
		while (at < p->n_parts && p->part[at].entry->leaf < g)
			at++;
		p->first_of[g] = at;
	}
}

/* True if groups follow a start, instead of one. */
static bool grows(const struct gang *g)
{
	return g->tally.roles.grows;
}

static int by_preference(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The groups that may start by themselves: the gang, or those that follow. */
static void list_tops(struct picking *p)
{
	uint32_t top;

	if (!grows(p->g)) {
		if (p->choice.need[0] != SGANG_ROLE_NEVER)
			p->top[p->n_tops++] = 0;
		return;
	}
	for (uint32_t g = 1; g < p->g->tree.n; g++) {
		if (!sgang_role_leaf(&p->g->tree, g) || !p->stock[g].more ||
		    !sgang_role_choice_begins(&p->choice, g, &top) ||
		    p->choice.need[top] == SGANG_ROLE_NEVER ||
		    !p->choice.need[top] ||
		    (p->n_tops && p->top[p->n_tops - 1] == top))
			continue;
		p->top[p->n_tops++] = top;
	}
	qsort(p->top, p->n_tops, sizeof(*p->top), by_preference);
}

static void end(struct picking *p)
{
	free(p->stock);
	free(p->take);
	free(p->left);
	free(p->part);
	free(p->first_of);
	free(p->in);
	free(p->closed);
	free(p->top);
	sgang_role_choice_close(&p->choice);
}

static int alloc(struct picking *p, uint32_t n, size_t parts)
{
	p->stock = calloc(n, sizeof(*p->stock));
	p->take = calloc(n, sizeof(*p->take));
	p->left = calloc(n, sizeof(*p->left));
	p->top = calloc(n, sizeof(*p->top));
	p->first_of = calloc(n + 1UL, sizeof(*p->first_of));
	p->part = calloc(parts + 1, sizeof(*p->part));
	p->in = calloc(parts + 1, sizeof(*p->in));
	p->closed = calloc(p->n_asked + 1, sizeof(*p->closed));
	return p->stock && p->take && p->left && p->top && p->first_of &&
			       p->part && p->in && p->closed ?
		       0 :
		       -1;
}

/* Members that could be taken, without as many as are spares. */
static size_t without_spares(const struct picking *p)
{
	size_t spares = p->g->tally.spec.spares;

	return p->n_parts > spares ? p->n_parts - spares : 0;
}

static int begin(struct picking *p, struct attempt *a, size_t index)
{
	struct gang *g = a->gangs[index];
	uint32_t n = g->tree.n;

	*p = (struct picking){
		.a = a, .index = index, .g = g, .n_asked = a->n_probed
	};
	if (!n || alloc(p, n, g->tally.eligible) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		p->stock[i].order = UINT32_MAX;
	list_parts(p);
	if (sgang_role_choice_open(&p->choice, &g->tree, p->stock) < 0)
		return -1;
	list_tops(p);
	p->most = g->tally.total > g->tally.held ?
			  g->tally.total - g->tally.held :
			  0;
	/* spares come later, one by one */
	if (g->tally.spec.spares && p->most > without_spares(p))
		p->most = without_spares(p);
	return 0;
}

/* ---- parts ---- */

/* Take the first members of each leaf. */
static void take_first(struct picking *p, const uint32_t *take)
{
	memset(p->in, 0, p->n_parts * sizeof(*p->in));
	for (uint32_t g = 0; g < p->g->tree.n; g++) {
		for (uint32_t k = 0; k < take[g]; k++)
			p->in[p->first_of[g] + k] = true;
	}
}

/* Make the parts of the attempt of those that are taken, behind those before
 * 'first'. */
static void use(struct picking *p, size_t first)
{
	struct attempt *a = p->a;

	a->n_parts = first;
	for (size_t i = 0; i < p->n_parts; i++) {
		if (p->in[i])
			a->parts[a->n_parts++] = p->part[i];
	}
}

static size_t sum_of(const struct picking *p, const uint32_t *take)
{
	size_t sum = 0;

	for (uint32_t g = 0; g < p->g->tree.n; g++)
		sum += take[g];
	return sum;
}

/* Add what a group that follows needs. */
static void add_group(struct picking *p, uint32_t g)
{
	sgang_role_choice_first(&p->choice, g);
	(void)sgang_role_choice_take(&p->choice, g, p->left);
	for (uint32_t i = g; i < p->g->tree.node[g].end; i++)
		p->take[i] += p->left[i];
}

static void remove_group(struct picking *p, uint32_t g)
{
	const struct sgang_role_node *node = &p->g->tree.node[g];

	memset(p->take + g, 0, (node->end - g) * sizeof(*p->take));
	memset(p->choice.taken + g, 0, node->end - g);
}

/* Add all that may follow, as far as the total lets it. */
static void add_rest(struct picking *p)
{
	const struct sgang_role_tree *tree = &p->g->tree;
	struct sgang_role_more more;
	size_t sum = sum_of(p, p->take);
	uint32_t cursor = 0;

	while (sgang_role_choice_more(&p->choice, p->take, &cursor, &more)) {
		if (sum + more.members > p->most) {
			cursor = more.group ? tree->node[more.g].end :
					      more.g + 1;
			continue;
		}
		sum += more.members;
		if (more.group)
			add_group(p, more.g);
		else
			p->take[more.g]++;
	}
}

int sgang_branches_choose(struct attempt *a, size_t index, enum extent extent)
{
	size_t first = a->n_parts;
	struct picking p;
	int rc = begin(&p, a, index);

	if (rc == 0 && !p.n_tops)
		rc = extent == SGANG_EXTENT_ANY ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < p.n_tops; i++) {
		/* those that follow one by one, where not all fit */
		if (i && extent == SGANG_EXTENT_MINIMUM)
			break;
		add_group(&p, p.top[i]);
	}
	if (rc == 0 && !grows(p.g) && p.n_tops &&
	    extent != SGANG_EXTENT_MINIMUM)
		add_rest(&p);
	if (rc == 0) {
		take_first(&p, p.take);
		use(&p, first);
	}
	end(&p);
	return rc;
}

/* ---- other members of a leaf ---- */

static size_t kind_of(const struct picking *p, size_t part)
{
	return (size_t)(p->part[part].probed - p->a->probed);
}

/* Close the requests of parts that are left out. */
static void close_left_out(struct picking *p, size_t from, size_t end)
{
	memset(p->closed, 0, p->n_asked * sizeof(*p->closed));
	for (size_t i = from; i < end; i++) {
		if (!p->in[i])
			p->closed[kind_of(p, i)] = true;
	}
}

/* Take 'left' parts from 'from' on. None is taken whose like was left out
 * before it. */
static bool refill(struct picking *p, size_t first, size_t from, size_t end,
		   size_t left)
{
	close_left_out(p, first, from);
	for (size_t i = from; left && i < end; i++) {
		if (p->closed[kind_of(p, i)])
			continue;
		p->in[i] = true;
		left--;
	}
	if (!left)
		return true;
	memset(p->in + from, 0, (end - from) * sizeof(*p->in));
	return false;
}

/* Other members of a leaf: leave out the last one that can be left out. Members
 * that --gang-order puts into the minimum cannot. False: there are none. */
static bool next_in_leaf(struct picking *p, uint32_t g)
{
	size_t first = p->first_of[g], end = p->first_of[g + 1], left = 0;
	size_t fixed;

	if (!p->take[g] || p->take[g] == end - first)
		return false;
	fixed = first +
		sgang_which_first(p->part + first, end - first, p->take[g]);
	for (size_t i = end; i-- > fixed;) {
		if (!p->in[i])
			continue;
		p->in[i] = false;
		left++;
		if (refill(p, first, i + 1, end, left))
			return true;
	}
	return false;
}

/* Other members of the same leaves; false: there are none. */
static bool next_members(struct picking *p)
{
	for (uint32_t g = p->g->tree.n; g--;) {
		size_t first = p->first_of[g];

		if (next_in_leaf(p, g))
			return true;
		memset(p->in + first, 0,
		       (p->first_of[g + 1] - first) * sizeof(*p->in));
		for (uint32_t k = 0; k < p->take[g]; k++)
			p->in[first + k] = true;
	}
	return false;
}

/* ---- the search ---- */

struct trial {
	struct picking p;
	int64_t when; /* 0: now */
	uint32_t plans;
	uint64_t steps, begun;
	bool unsure; /* a choice that was refused, or not tried, may fit */
};

static bool is_late(struct trial *t)
{
	bool late = t->plans >= PLANS_MOST || t->steps >= ALL_STEPS ||
		    t->p.a->c->host->cpu_us() - t->begun >
			    (t->plans < PLANS_LEAST ? LEAST_TIME : PLANS_TIME);

	t->unsure |= late;
	return late;
}

/* Drop the requests that a trial has added; no part uses them any more. */
static void drop_made(struct picking *p)
{
	while (p->a->n_probed > p->n_asked)
		sgang_probed_free(&p->a->probed[--p->a->n_probed]);
}

static void take_parts(struct picking *p)
{
	drop_made(p);
	p->a->uneven = false;
	use(p, 0);
	sgang_fit_ring_order(p->a);
}

/* Do those that are taken fit? */
static bool fits_now(struct trial *t)
{
	struct attempt *a = t->p.a;
	struct sgang_budget budget, *before = a->budget;
	bool trying = a->trying;
	int rc = 0;

	t->plans++;
	take_parts(&t->p);
	sgang_budget_init(&budget, PLAN_STEPS);
	a->budget = &budget;
	a->trying = true;
	if (a->n_parts)
		rc = sgang_fit_shaped(a, t->when);
	a->trying = trying;
	a->budget = before;
	t->steps += budget.taken;
	t->unsure |= rc < 0 || (!rc && (budget.unproved || !budget.left));
	return rc == 1;
}

static bool others_fit(struct trial *t)
{
	while (next_members(&t->p) && !is_late(t)) {
		if (fits_now(t))
			return true;
	}
	return false;
}

/* The first choice for 'g' that fits, with the first members of each leaf or
 * with 'others'; p.take and p.in have it. */
static bool find_choice(struct trial *t, uint32_t g, bool others)
{
	struct sgang_role_choice *c = &t->p.choice;
	bool any = true;

	sgang_role_choice_first(c, g);
	for (; any && !is_late(t); any = sgang_role_choice_next(c, g)) {
		(void)sgang_role_choice_take(c, g, t->p.take);
		take_first(&t->p, t->p.take);
		if (others ? others_fit(t) : fits_now(t))
			return true;
	}
	remove_group(&t->p, g);
	return false;
}

/* Group by group, and member by member, what fits too. */
static void find_rest(struct trial *t)
{
	const struct sgang_role_tree *tree = &t->p.g->tree;
	struct picking *p = &t->p;
	struct sgang_role_more more;
	size_t sum = sum_of(p, p->take);
	uint32_t cursor = 0;

	while (!is_late(t) &&
	       sgang_role_choice_more(&p->choice, p->take, &cursor, &more)) {
		bool fit = sum + more.members <= p->most;

		if (fit && more.group)
			add_group(p, more.g);
		else if (fit)
			p->take[more.g]++;
		take_first(p, p->take);
		if (fit && fits_now(t)) {
			sum += more.members;
			continue;
		}
		if (fit && more.group)
			remove_group(p, more.g);
		else if (fit)
			p->take[more.g]--;
		cursor = more.group ? tree->node[more.g].end : more.g + 1;
	}
	take_first(p, p->take);
}

static bool search(struct trial *t)
{
	for (int others = 0; others <= 1; others++) {
		for (size_t i = 0; i < t->p.n_tops; i++) {
			if (!find_choice(t, t->p.top[i], others))
				continue;
			if (!others && !grows(t->p.g) && !t->when)
				find_rest(t);
			return true;
		}
	}
	return false;
}

/* Take what was found. Now: with the plan that is reported. */
static int report(struct trial *t)
{
	struct attempt *a = t->p.a;

	take_parts(&t->p);
	if (t->when)
		return 1;
	if (sgang_fit_shaped(a, 0) != 1)
		return -1;
	if (!a->uneven)
		sgang_uneven_doubt(a);
	return 1;
}

int sgang_branches_fit(struct attempt *a, int64_t when)
{
	struct trial t = { .when = when, .begun = a->c->host->cpu_us() };
	struct sgang_told told;
	int rc = -1;

	sgang_told_keep(a, &told);
	if (begin(&t.p, a, 0) == 0) {
		rc = search(&t) ? 1 : t.unsure ? -1 : 0;
		sgang_told_again(a, &told);
		if (rc == 1)
			rc = report(&t);
		else
			drop_made(&t.p);
	}
	end(&t.p);
	if (rc == 1)
		return rc;
	a->n_parts = 0;
	(void)sgang_branches_choose(a, 0, SGANG_EXTENT_MINIMUM);
	sgang_fit_ring_order(a);
	if (!when) {
		sgang_placement_destroy(a->plan);
		a->plan = NULL;
	}
	return rc;
}

int64_t sgang_branches_when(struct attempt *a, const int64_t *times, size_t n,
			    int64_t when)
{
	if (when != INT64_MAX || a->n_gangs > 1 || !sgang_branches_any(a) ||
	    !n || sgang_branches_fit(a, times[n - 1]) != 1)
		return when;
	return sgang_fit_first(a, times, n);
}
