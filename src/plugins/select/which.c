/* SPDX-License-Identifier: GPL-2.0-or-later */
/* which.c - the choice of members if neither all fit nor the first of them
 *
 * A gang that needs five of its six members starts with any five that fit.
 * Choices are tried in take order: a choice is better than another if it has
 * the first member in which they differ. A refused choice is narrowed down, by
 * bisection, to a few members that do not fit together, and no later choice has
 * them all. Members with the same request are interchangeable, so a choice is a
 * number of each request. If all have the same request, there is no choice.
 *
 * The search ends with a choice, when none is left, or after a number of plans,
 * because it runs under slurmctld's locks.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* The least and the most plans; in between the limit is this CPU time
 * (microseconds), before that the longer one. */
#define PLANS_LEAST 8
#define PLANS_MOST 256
#define PLANS_TIME 10000
#define LEAST_TIME 40000

/* Steps of each (core/plan/plan.h), with those of shares: its cost does not
 * matter yet. And of all. */
#define PLAN_STEPS 200000
#define ALL_STEPS (5 * PLAN_STEPS)

/* The most clashes, and the most steps to find a choice without them. */
#define CLASHES_MAX 64
#define STEPS_MAX 20000

struct which {
	struct attempt *a;
	int64_t when;       /* 0: now */
	size_t n_asked;     /* number of original requests */
	struct part *parts; /* candidates: first those that cannot be left out,
			     * then the others in take order */
	size_t n, n_first, need;
	size_t *list; /* of parts: the choice */
	size_t *found;
	uint32_t *most;  /* by request: number of the others with it */
	uint32_t *count; /* ... and of these in the choice */
	size_t *closed;  /* ... none of these from that part on */
	uint32_t *clash; /* ... that do not fit together, CLASHES_MAX times */
	size_t n_clashes;
	bool unsure; /* a refused choice may fit */
	uint32_t plans;
	uint64_t steps, begun;
};

static size_t kind_of(const struct which *w, size_t part)
{
	return (size_t)(w->parts[part].probed - w->a->probed);
}

/* ---- candidates ---- */

/* Members that --gang-order puts into the minimum: those of an order such that
 * no more members than needed have this or a lower order. */
size_t sgang_which_first(const struct part *parts, size_t n, size_t need)
{
	size_t first = 0;

	for (size_t i = 0; i < n && i < need; i++) {
		const struct sgang_spec *spec = &parts[i].entry->spec;

		if (!spec->order_set)
			return i;
		if (i + 1 == n || !parts[i + 1].entry->spec.order_set ||
		    parts[i + 1].entry->spec.order != spec->order)
			first = i + 1;
	}
	return first;
}

static bool may_be_taken(const struct entry *e)
{
	return e->m.state != SGANG_MEMBER_RUNNING && e->probed &&
	       e->probed->usable;
}

/* Add the members of a gang that hold, or that wait, in take order. Returns
 * their number. */
static size_t add_parts(struct attempt *a, size_t index, bool held)
{
	const struct gang *g = a->gangs[index];
	size_t before = a->n_parts;

	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (may_be_taken(e) &&
		    (e->m.state == SGANG_MEMBER_HELD) == held)
			sgang_fit_add(a, index, e);
	}
	qsort(a->parts + before, a->n_parts - before, sizeof(*a->parts),
	      sgang_fit_take_order);
	return a->n_parts - before;
}

/* List all members of a gang that could be taken, as the parts of 'a'. Held
 * members have their nodes. */
static void list_parts(struct which *w, size_t index)
{
	struct attempt *a = w->a;
	size_t missing = sgang_gang_missing(&a->gangs[index]->tally), held, n;

	a->n_parts = 0;
	held = add_parts(a, index, true);
	n = add_parts(a, index, false);
	missing = sgang_grouped_members(a, a->gangs[index], held,
					missing < n ? missing : n, n, true);
	w->n = held + n;
	w->need = held + missing;
	w->n_first = held + sgang_which_first(a->parts + held, n, missing);
}

/* True if there is more than one choice. */
static bool may_choose(const struct which *w)
{
	const struct part *parts = w->a->parts;

	if (w->need >= w->n || w->need <= w->n_first)
		return false;
	for (size_t i = w->n_first + 1; i < w->n; i++) {
		if (parts[i].probed != parts[w->n_first].probed)
			return true;
	}
	return false;
}

/* ---- begin and end ---- */

static bool alloc(struct which *w)
{
	size_t kinds = w->n_asked + 1;

	w->parts = calloc(w->n + 1, sizeof(*w->parts));
	w->list = calloc(w->n + 1, sizeof(*w->list));
	w->found = calloc(w->n + 1, sizeof(*w->found));
	w->most = calloc(kinds, sizeof(*w->most));
	w->count = calloc(kinds, sizeof(*w->count));
	w->closed = calloc(kinds, sizeof(*w->closed));
	w->clash = calloc(kinds * CLASHES_MAX, sizeof(*w->clash));
	return w->parts && w->list && w->found && w->most && w->count &&
	       w->closed && w->clash;
}

static void end(struct which *w)
{
	free(w->parts);
	free(w->list);
	free(w->found);
	free(w->most);
	free(w->count);
	free(w->closed);
	free(w->clash);
}

/* 1: there is a choice; 0: none; -1: not known, as for a group. Changes the
 * parts of 'a'. */
static int begin(struct which *w, struct attempt *a)
{
	bool any = false;

	*w = (struct which){ .a = a, .n_asked = a->n_probed };
	if (sgang_branches_any(a))
		return -1; /* branches.c */
	for (size_t i = 0; i < a->n_gangs && !any; i++) {
		list_parts(w, i);
		any = may_choose(w);
	}
	if (!any)
		return 0;
	if (a->n_gangs > 1 || !alloc(w))
		return -1;
	memcpy(w->parts, a->parts, w->n * sizeof(*w->parts));
	for (size_t i = w->n_first; i < w->n; i++)
		w->most[kind_of(w, i)]++;
	w->begun = a->c->host->cpu_us();
	return 1;
}

/* ---- a trial ---- */

static bool is_late(const struct which *w)
{
	return w->plans >= PLANS_MOST || w->steps >= ALL_STEPS ||
	       w->a->c->host->cpu_us() - w->begun >
		       (w->plans < PLANS_LEAST ? LEAST_TIME : PLANS_TIME);
}

/* Drop the requests that a trial has added; its parts no longer use them. */
static void drop_made(struct which *w)
{
	struct attempt *a = w->a;

	while (a->n_probed > w->n_asked)
		sgang_probed_free(&a->probed[--a->n_probed]);
}

static void take(struct which *w, const size_t *list, size_t n)
{
	struct attempt *a = w->a;

	drop_made(w);
	a->uneven = false;
	for (size_t i = 0; i < n; i++)
		a->parts[i] = w->parts[list[i]];
	a->n_parts = n;
	sgang_fit_ring_order(a);
}

/* The same for the first n of the list. */
static int fits(struct which *w, size_t n)
{
	struct sgang_budget budget, *before = w->a->budget;
	int rc;

	if (is_late(w))
		return -1;
	w->plans++;
	take(w, w->list, n);
	sgang_budget_init(&budget, PLAN_STEPS);
	w->a->budget = &budget;
	rc = sgang_fit_shaped(w->a, w->when);
	w->a->budget = before;
	w->steps += budget.taken;
	w->unsure |= rc < 0 || (!rc && (budget.unproved || !budget.left));
	return rc;
}

/* The same without communication groups. */
static int some_fit(struct which *w, size_t n)
{
	char groups = sgang_fit_groups(w->a, '\0');
	int rc = n ? fits(w, n) : 1;

	sgang_fit_groups(w->a, groups);
	return rc;
}

/* ---- refused choices ---- */

/* The fewest members of the list that are refused, at least 'low'; 'high' are
 * refused. 0: not known. */
static size_t first_refused(struct which *w, size_t low, size_t high)
{
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int rc = some_fit(w, mid);

		if (rc < 0)
			return 0;
		if (rc)
			low = mid + 1;
		else
			high = mid;
	}
	return high;
}

/* Move the last of the refused members to the front until the front alone is
 * refused: these do not fit together. Returns the end of the front; 0: not
 * known. */
static size_t narrow_down(struct which *w)
{
	size_t front = w->n_first, high = w->need;

	/* Without the groups the choice may fit. */
	if (w->a->gangs[0]->tally.spec.parallel[0] && some_fit(w, high))
		return 0;
	for (;;) {
		size_t last;

		high = first_refused(w, front, high);
		if (high <= front)
			return high;
		last = w->list[high - 1];
		memmove(&w->list[front + 1], &w->list[front],
			(high - 1 - front) * sizeof(*w->list));
		w->list[front++] = last;
	}
}

/* Note that no later choice may have all of these, or if that is not known, be
 * the same as this one. False: no time or room is left. */
static bool note_clash(struct which *w, bool refused)
{
	uint32_t *clash = w->clash + w->n_clashes * w->n_asked;
	size_t n;

	if (w->n_clashes == CLASHES_MAX)
		return false;
	n = refused ? narrow_down(w) : 0;
	if (is_late(w))
		return false;
	memset(clash, 0, w->n_asked * sizeof(*clash));
	for (size_t i = w->n_first; i < (n ? n : w->need); i++)
		clash[kind_of(w, w->list[i])]++;
	w->n_clashes++;
	return true;
}

/* ---- the next choice ---- */

static bool has_all(const struct which *w, const uint32_t *clash)
{
	for (size_t k = 0; k < w->n_asked; k++) {
		if (w->count[k] < clash[k])
			return false;
	}
	return true;
}

/* True if the last member taken, of that kind, has completed a refused choice.
 */
static bool clashes(const struct which *w, size_t kind)
{
	for (size_t c = 0; c < w->n_clashes; c++) {
		const uint32_t *clash = w->clash + c * w->n_asked;

		if (clash[kind] == w->count[kind] && has_all(w, clash))
			return true;
	}
	return false;
}

static void close_kind(struct which *w, size_t part)
{
	size_t kind = kind_of(w, part);

	for (size_t k = 0; k < w->n_asked; k++) {
		if (w->closed[k] != SIZE_MAX && w->closed[k] > part)
			w->closed[k] = SIZE_MAX;
	}
	w->closed[kind] = part;
}

/* Take that part if it fits with those taken. False: no more of its kind are
 * taken. */
static bool take_next(struct which *w, size_t part, size_t *n)
{
	size_t kind = kind_of(w, part);

	if (w->closed[kind] < part)
		return true;
	w->count[kind]++;
	if (!clashes(w, kind)) {
		w->list[(*n)++] = part;
		return true;
	}
	w->count[kind]--;
	w->closed[kind] = part;
	return false;
}

/* Give up the last member taken. False: there is none. */
static bool take_back(struct which *w, size_t *part, size_t *n)
{
	if (*n == w->n_first)
		return false;
	*part = w->list[--*n];
	w->count[kind_of(w, *part)]--;
	close_kind(w, *part);
	return true;
}

/* True if too many are left out for the minimum. */
static bool too_few(const struct which *w)
{
	size_t out = 0;

	for (size_t k = 0; k < w->n_asked; k++)
		out += (w->closed[k] != SIZE_MAX) ? w->most[k] - w->count[k] :
						    0;
	return out > w->n - w->need;
}

/* Find the best choice that was not refused. 1: found; 0: none; -1: not known.
 */
static int next_choice(struct which *w)
{
	size_t n = w->n_first, part = n;

	for (size_t i = 0; i < n; i++)
		w->list[i] = i;
	for (size_t k = 0; k < w->n_asked; k++) {
		w->count[k] = 0;
		w->closed[k] = SIZE_MAX;
	}
	/* the members that cannot be left out do not fit together */
	for (size_t c = 0; c < w->n_clashes; c++) {
		if (has_all(w, w->clash + c * w->n_asked))
			return 0;
	}
	for (int step = 0; n < w->need; step++, part++) {
		bool closed = !take_next(w, part, &n);

		if (step == STEPS_MAX)
			return -1;
		while (closed && too_few(w)) {
			if (!take_back(w, &part, &n))
				return 0;
		}
	}
	return 1;
}

/* ---- the search ---- */

/* Look for a choice that fits at w->when, and leave it in w->list. */
static int search(struct which *w)
{
	int rc;

	while ((rc = next_choice(w)) == 1) {
		int fit = fits(w, w->need);

		if (fit == 1)
			return 1;
		if (!note_clash(w, fit == 0))
			return -1;
	}
	return w->unsure ? -1 : rc;
}

/* Does a choice fit then? w->found gets it. A choice refused at one time is
 * refused at earlier ones. */
static bool fits_then(struct attempt *a, int64_t when, void *arg)
{
	struct which *w = arg;
	size_t clashes = w->n_clashes;

	(void)a;
	w->when = when;
	if (search(w) == 1) {
		memcpy(w->found, w->list, w->need * sizeof(*w->found));
		return true;
	}
	w->n_clashes = clashes;
	return false;
}

/* The parts and texts of the attempt. */
struct before {
	struct part *parts;
	size_t n_parts;
	bool trying, uneven;
	struct sgang_told told;
};

static bool keep(struct before *b, const struct attempt *a)
{
	b->n_parts = a->n_parts;
	b->trying = a->trying;
	b->uneven = a->uneven;
	sgang_told_keep(a, &b->told);
	b->parts = malloc((a->n_parts + 1) * sizeof(*b->parts));
	if (b->parts)
		memcpy(b->parts, a->parts, a->n_parts * sizeof(*b->parts));
	return b->parts;
}

/* If no choice was found all is restored. */
static void give_back(struct before *b, struct which *w, bool found)
{
	struct attempt *a = w->a;

	a->trying = b->trying;
	sgang_told_again(a, &b->told);
	if (!found) {
		drop_made(w);
		memcpy(a->parts, b->parts, b->n_parts * sizeof(*b->parts));
		a->n_parts = b->n_parts;
		a->uneven = b->uneven;
	}
	free(b->parts);
}

int sgang_which_fit(struct attempt *a, int64_t when)
{
	struct before before;
	struct which w;
	int rc;

	if (!keep(&before, a))
		return -1;
	a->trying = true;
	rc = begin(&w, a);
	if (rc == 1) {
		w.when = when;
		rc = search(&w);
	}
	give_back(&before, &w, rc == 1);
	/* the plan that is reported */
	if (rc == 1 && !when) {
		take(&w, w.list, w.need);
		rc = sgang_fit_shaped(a, 0);
		if (rc == 1 && !a->uneven)
			sgang_uneven_doubt(a);
	}
	if (rc != 1 && !when) {
		sgang_placement_destroy(a->plan);
		a->plan = NULL;
	}
	end(&w);
	return rc;
}

/* Set g->joint.nodes to the nodes of the parts at that time. */
static void note_planned(struct attempt *a, int64_t when)
{
	if (sgang_fit_at(a, when) || sgang_fewer_fit(a, when))
		sgang_fit_note_planned(a, when);
	else
		(void)sgang_uneven_when(a, &when, 1);
}

int64_t sgang_which_when(struct attempt *a, const int64_t *times, size_t n,
			 int64_t first)
{
	struct before before;
	struct which w;
	size_t upto = sgang_fit_before(times, n, first), at;
	bool found = false;

	if (!upto || !keep(&before, a))
		return first;
	a->trying = true;
	if (begin(&w, a) == 1) {
		at = sgang_fit_bisect(a, times, upto, fits_then, &w);
		found = at < upto;
	}
	if (found) {
		take(&w, w.found, w.need);
		note_planned(a, times[at]);
		first = times[at];
		a->other = true;
	}
	give_back(&before, &w, found);
	end(&w);
	return first;
}

static uint32_t least_nodes(const struct part *part)
{
	const struct sgang_shape *shape = &part->probed->shape;

	return shape->least_nodes ? shape->least_nodes : shape->min_nodes;
}

static int by_nodes(const void *a, const void *b)
{
	uint32_t x = least_nodes(a), y = least_nodes(b);

	return (x > y) - (x < y);
}

uint32_t sgang_which_whole_nodes(struct attempt *a)
{
	struct before before;
	struct which w;
	uint32_t nodes = 0;
	bool whole = keep(&before, a) && begin(&w, a) >= 0;

	if (!before.parts)
		return 0;
	for (size_t i = 0; i < a->n_parts && whole; i++)
		whole = a->parts[i].probed->shape.whole;
	if (whole && w.need <= a->n_parts) {
		qsort(a->parts + w.n_first, a->n_parts - w.n_first,
		      sizeof(*a->parts), by_nodes);
		for (size_t i = 0; i < w.need; i++)
			nodes += least_nodes(&a->parts[i]);
	}
	give_back(&before, &w, false);
	end(&w);
	return nodes;
}
