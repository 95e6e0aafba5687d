/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_rota.c - a lower bound for kinds that take turns
 *
 * Let the kinds of the ring's units repeat after a few of them, as in 1, 2, 3,
 * 1, 2, 3, ... slots. What a visit to a node holds is then known by where in
 * the period it begins, its phase: four slots hold 1 + 2 or 3 + 1, but only
 * three of 2 + 3. The phase in which it ends is the next visit's first one. So
 * the most that a leaf holds of one stretch of the ring, in v visits to its
 * nodes, is found by trying all: the most for each set of nodes that are used
 * up and each phase. Nodes with the same room are one class. Every visit takes
 * all that fits: a unit moved from the next visit to this one leaves the rest
 * as it was.
 *
 * A leaf may also be used in other ways. With F(v) the room of its v largest
 * nodes and S(v) the most of a stretch whose nodes are all different, v visits
 * hold at most
 *
 *	S(v)		in one stretch, no node being visited again
 *	F(v - 1)	in one stretch, if one is
 *	F(v)		in more stretches, the leaf being entered once more
 *
 * Where the ring's end does not go on into its beginning by the period, one
 * leaf may hold two stretches in a row, and so no more than F(v).
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

#define PHASES_MAX 16
#define CLASSES_MAX 16
/* Sets of nodes of one leaf, and steps for all leaves, some 5 ms. Leaves beyond
 * that count with all their room. */
#define SETS_MAX 4096
#define STEPS_MAX 2000000

/* Nodes of a leaf with the same room. */
struct class {
	uint32_t room;
	uint32_t n;
	uint32_t stride;		/* in the number of a set */
	uint32_t holds[PHASES_MAX];	/* slots, by the phase before */
	uint32_t phase[PHASES_MAX];	/* after it */
};

struct rota {
	const struct sgang_job *job;
	const struct sgang_tree *slots;
	uint32_t size[PHASES_MAX];	/* slots of a unit, by phase */
	uint32_t n_phases;
	uint32_t cycle;			/* slots of a period */
	bool broken_off;		/* the ring ends within a period */
	struct class class[CLASSES_MAX];
	uint32_t n_classes;
	uint32_t n_sets;
	int64_t *most;			/* by set and phase; -1: never */
	uint64_t *room;			/* F, by visits */
	uint64_t *stretch;		/* the larger of S and F(v - 1) */
	uint64_t lost;			/* most that F is above it anywhere */
	uint64_t steps;
};

/* -- the period -- */

static bool repeats(const struct sgang_job *job, uint32_t period)
{
	const struct sgang_plan_member *members = job->request->members;
	uint32_t i;

	for (i = period; i < job->request->n_members; i++) {
		if (job->kind_of[i] != job->kind_of[i - period] ||
		    members[i].units != members[i - period].units)
			return false;
	}
	return true;
}

/* The phases of the members in a period. False when there are too many. */
static bool fill_phases(struct rota *rota, uint32_t period)
{
	const struct sgang_job *job = rota->job;
	uint32_t i, unit;

	for (i = 0; i < period; i++) {
		uint32_t units = job->request->members[i].units;

		if (units > PHASES_MAX - rota->n_phases)
			return false;
		for (unit = 0; unit < units; unit++) {
			uint32_t slots = job->kind[job->kind_of[i]].slots;

			rota->size[rota->n_phases++] = slots;
			rota->cycle += slots;
		}
	}
	return true;
}

/* False when the kinds do not take turns. */
static bool find_period(struct rota *rota)
{
	const struct sgang_job *job = rota->job;
	uint32_t n = (uint32_t)job->request->n_members, period, k;

	for (k = 0; k < job->n_kinds; k++) {
		if (job->kind[k].whole)
			return false;
	}
	for (period = 1; period < n && period <= PHASES_MAX; period++) {
		if (!repeats(job, period))
			continue;
		rota->broken_off = n % period != 0;
		return fill_phases(rota, period);
	}
	return false;
}

/* -- one leaf -- */

/* What a node of this room holds, and in which phase it leaves. */
static void fill_class(const struct rota *rota, struct class *class)
{
	uint32_t from;

	for (from = 0; from < rota->n_phases; from++) {
		uint32_t rest = class->room % rota->cycle, phase = from;

		while (rota->size[phase] <= rest) {
			rest -= rota->size[phase];
			phase = (phase + 1) % rota->n_phases;
		}
		class->holds[from] = class->room - rest;
		class->phase[from] = phase;
	}
}

static bool add_node(struct rota *rota, uint32_t room)
{
	uint32_t i;

	for (i = 0; i < rota->n_classes; i++) {
		if (rota->class[i].room == room)
			break;
	}
	if (i == CLASSES_MAX)
		return false;
	if (i == rota->n_classes) {
		rota->class[i].room = room;
		rota->class[i].n = 0;
		rota->n_classes++;
		fill_class(rota, &rota->class[i]);
	}
	rota->class[i].n++;
	return true;
}

/* Sort the nodes of a leaf into classes and number their sets. False when
 * there are too many. */
static bool find_classes(struct rota *rota, const struct sgang_domain *leaf)
{
	const uint32_t *cap = rota->slots->cap + leaf->first_pos;
	uint32_t i;

	rota->n_classes = 0;
	for (i = 0; i < leaf->n_nodes; i++) {
		if (cap[i] && !add_node(rota, cap[i]))
			return false;
	}
	rota->n_sets = 1;
	for (i = 0; i < rota->n_classes; i++) {
		rota->class[i].stride = rota->n_sets;
		if (rota->class[i].n >= SETS_MAX)
			return false;
		rota->n_sets *= rota->class[i].n + 1;
		if (rota->n_sets > SETS_MAX)
			return false;
	}
	rota->steps += (uint64_t)rota->n_sets * rota->n_classes *
			rota->n_phases;
	return rota->steps <= STEPS_MAX;
}

/* One more node of this class after a set. */
static void visit(struct rota *rota, uint32_t set, const struct class *class)
{
	const int64_t *from = rota->most + (size_t)set * rota->n_phases;
	int64_t *to = rota->most + ((size_t)set + class->stride) *
		      rota->n_phases;
	uint32_t phase;

	for (phase = 0; phase < rota->n_phases; phase++) {
		int64_t with = from[phase] + class->holds[phase];

		if (from[phase] < 0 || !class->holds[phase])
			continue;
		if (with > to[class->phase[phase]])
			to[class->phase[phase]] = with;
	}
}

/* Raise stretch[] to what one stretch of the ring can be. */
static void try_sets(struct rota *rota)
{
	uint32_t set, phase, i;

	for (i = 0; i < rota->n_sets * rota->n_phases; i++)
		rota->most[i] = i < rota->n_phases ? 0 : -1;
	for (set = 0; set < rota->n_sets; set++) {
		const int64_t *most = rota->most +
				      (size_t)set * rota->n_phases;
		uint32_t visits = 0;

		for (i = 0; i < rota->n_classes; i++) {
			const struct class *class = &rota->class[i];
			uint32_t used = set / class->stride % (class->n + 1);

			visits += used;
			if (used < class->n)
				visit(rota, set, class);
		}
		for (phase = 0; phase < rota->n_phases; phase++) {
			if (most[phase] > (int64_t)rota->stretch[visits])
				rota->stretch[visits] = (uint64_t)most[phase];
		}
	}
}

static int descending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return *a > *b ? -1 : *a < *b;
}

/* Fill room[] and stretch[], both up to the visits that are returned: one more
 * than there are nodes, since then nothing can be left. */
static uint32_t measure_leaf(struct rota *rota,
			     const struct sgang_domain *leaf, uint32_t *sorted)
{
	uint32_t n = 0, i;

	for (i = 0; i < leaf->n_nodes; i++) {
		if (rota->slots->cap[leaf->first_pos + i])
			sorted[n++] = rota->slots->cap[leaf->first_pos + i];
	}
	qsort(sorted, n, sizeof(*sorted), descending);
	rota->room[0] = rota->stretch[0] = 0;
	for (i = 0; i < n; i++) {
		rota->room[i + 1] = rota->room[i] + sorted[i];
		rota->stretch[i + 1] = rota->room[i];
	}
	rota->room[n + 1] = rota->stretch[n + 1] = rota->room[n];
	if (find_classes(rota, leaf))
		try_sets(rota);
	else
		memcpy(rota->stretch, rota->room,
		       (n + 1) * sizeof(*rota->room));
	for (i = 1; i <= n; i++) {
		if (rota->room[i] - rota->stretch[i] > rota->lost)
			rota->lost = rota->room[i] - rota->stretch[i];
	}
	return n + 1;
}

/* -- fronts -- */

static void add_point(struct sgang_front *front, uint64_t cost, uint64_t cap)
{
	struct sgang_point *last = front->n ? &front->point[front->n - 1] :
				   NULL;

	if (last ? cap <= last->cap : !cap)
		return;
	if (!last || last->key < (sgang_plan_key)cost)
		front->n++;
	front->point[front->n - 1].key = (sgang_plan_key)cost;
	front->point[front->n - 1].cap = cap;
}

/* The front of a leaf for up to so many visits, without what it costs to enter
 * it the first time; 'again' is for the second time. */
static int write_front(const struct rota *rota, uint32_t n, uint64_t node,
		       uint64_t again, struct sgang_front *front)
{
	uint32_t once = 1, twice = 1;

	front->point = sgang_pool_alloc(rota->job->pool, 2 * (size_t)n,
					sizeof(*front->point));
	if (!front->point)
		return -1;
	while (once <= n || twice <= n) {
		if (once <= n && (twice > n ||
				  once * node <= again + twice * node)) {
			add_point(front, once * node, rota->stretch[once]);
			once++;
		} else {
			add_point(front, again + twice * node,
				  rota->room[twice]);
			twice++;
		}
	}
	return 0;
}

static int write_fronts(struct rota *rota, struct sgang_front *front)
{
	const struct sgang_plan_request *request = rota->job->request;
	const uint32_t *hop = request->costs->hop;
	uint64_t node = hop[sgang_plan_lowest(request)] -
			hop[SGANG_LEVEL_ISLAND];
	uint32_t n = sgang_fabric_domains(request->fabric), d;
	uint32_t *sorted = sgang_pool_alloc(rota->job->pool,
		sgang_fabric_nodes(request->fabric), sizeof(*sorted));

	if (!sorted)
		return -1;
	for (d = 0; d < n; d++) {
		const struct sgang_domain *leaf =
			sgang_fabric_domain(request->fabric, d);
		uint64_t again = 0;

		if (leaf->n_children)
			continue;
		if (leaf->parent != SGANG_DOMAIN_NONE)
			again = hop[sgang_fabric_domain(request->fabric,
							leaf->parent)->level] -
				hop[leaf->level];
		if (write_front(rota, measure_leaf(rota, leaf, sorted), node,
				again, &front[d]))
			return -1;
	}
	return 0;
}

int sgang_rota_relax(const struct sgang_job *job, struct sgang_tree *slots)
{
	struct rota rota = { .job = job, .slots = slots };
	uint32_t n = sgang_fabric_nodes(job->request->fabric);
	struct sgang_front *front;

	if (!find_period(&rota))
		return 0;
	front = sgang_pool_zalloc(job->pool,
				  sgang_fabric_domains(job->request->fabric),
				  sizeof(*front));
	rota.most = sgang_pool_alloc(job->pool, (size_t)SETS_MAX * PHASES_MAX,
				      sizeof(*rota.most));
	rota.room = sgang_pool_alloc(job->pool, (size_t)n + 2,
				      sizeof(*rota.room));
	rota.stretch = sgang_pool_alloc(job->pool, (size_t)n + 2,
					 sizeof(*rota.stretch));
	if (!front || !rota.most || !rota.room || !rota.stretch ||
	    write_fronts(&rota, front))
		return -1;
	if (rota.broken_off)
		slots->need -= rota.lost < slots->need ? rota.lost :
							  slots->need - 1;
	slots->leaf = front;
	return 1;
}
