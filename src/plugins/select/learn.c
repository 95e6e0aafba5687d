/* SPDX-License-Identifier: GPL-2.0-or-later */
/* learn.c - lessons of refused commits for the next plan
 *
 * The plan counts; only Slurm knows which cores and GRES go together. A refused
 * member is committed before the others in the next round. If it is refused
 * again, its node is excluded for its request, or if other members had parts of
 * the node, the node has room only for those.
 *
 * Where no plan keeps to the blocks of a member (topology/block), Slurm may know
 * better. Such a member comes first once it was refused, on nodes that Slurm
 * chooses, and a member whose planned nodes it got is planned on others.
 */

#include <stdlib.h>

#include "attempt_private.h"

/* The most members committed in rounds that may be repeated. Each takes a call
 * of select_nodes() and its undo, under slurmctld's locks. */
#define COMMITS 256

/* The most rounds. */
#define ROUNDS 24

void sgang_learn_forget(struct lessons *l)
{
	free(l->list);
	l->list = NULL;
	l->n = 0;
}

void sgang_learn_end(struct lessons *l)
{
	sgang_learn_forget(l);
	sgang_nodeset_destroy(l->avoid);
}

static bool same(const struct attempt *a, struct sgang_job *x,
		 struct sgang_job *y)
{
	return x == y || a->c->host->jobs.same_request(x, y);
}

/* ---- the order of commitment ---- */

/* The time of its move to the front, as a rank; 0: never. */
static size_t rank_of(const struct attempt *a, const struct part *part)
{
	for (size_t i = a->lessons->n_first; i-- > 0;) {
		if (same(a, a->lessons->first[i], part->probed->job))
			return i + 1;
	}
	return 0;
}

/* An order excludes slices, so it is set only if needed. */
static int keep_sorts(struct attempt *a)
{
	for (size_t i = 0; i < a->n_parts; i++) {
		if (sgang_sharing_others(a, i))
			return sgang_sharing_order(a);
	}
	return 0;
}

/* The last part moved to the front comes first, the others in ring order. But
 * parts that share CPUs come before parts that do not. */
int sgang_learn_order(struct attempt *a)
{
	size_t n = 0, ranks = a->lessons ? a->lessons->n_first : 0;

	free(a->order);
	a->order = NULL;
	if (!ranks)
		return keep_sorts(a);
	a->order = malloc(a->n_parts * sizeof(*a->order));
	if (!a->order)
		return -1;
	for (size_t rank = ranks + 1; rank-- > 0;) {
		for (size_t i = 0; i < a->n_parts; i++) {
			if (rank_of(a, &a->parts[i]) == rank)
				a->order[n++] = i;
		}
	}
	return keep_sorts(a);
}

size_t sgang_learn_nth(const struct attempt *a, size_t i)
{
	return a->order ? a->order[i] : i;
}

/* ---- learning ---- */

static bool is_before(const struct attempt *a, size_t i, size_t nth)
{
	for (size_t k = 0; k < nth; k++) {
		if (sgang_learn_nth(a, k) == i)
			return true;
	}
	return false;
}

/* List the members with parts of the node in this round. If there are too many,
 * the last are ignored. */
static void note_tenants(const struct attempt *a, size_t nth,
			 struct lesson *lesson)
{
	for (size_t r = 0; r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];
		uint32_t units = sgang_part_units(a, r);

		if (lesson->n_with == LESSON_WITH)
			return;
		if (!units || sgang_parts_node(a->c, run) != lesson->node ||
		    !is_before(a, run->member, nth))
			continue;
		lesson->with[lesson->n_with].job =
			a->parts[run->member].probed->job;
		lesson->with[lesson->n_with++].units = units;
	}
}

static bool has_others(const struct attempt *a, const struct lesson *lesson)
{
	for (size_t i = 0; i < lesson->n_with; i++) {
		if (!same(a, lesson->with[i].job, lesson->job))
			return true;
	}
	return false;
}

/* Choose the member's node with most other members. */
static void find_lesson(const struct attempt *a, size_t nth,
			struct lesson *lesson)
{
	size_t i = sgang_learn_nth(a, nth);

	lesson->node = SGANG_NODE_NONE;
	for (size_t r = 0; r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];
		struct lesson one = { .job = a->parts[i].probed->job };

		if (run->member != i)
			continue;
		one.node = sgang_parts_node(a->c, run);
		note_tenants(a, nth, &one);
		if (lesson->node == SGANG_NODE_NONE ||
		    one.n_with > lesson->n_with)
			*lesson = one;
	}
}

static bool put_first(const struct attempt *a, struct sgang_job *job)
{
	struct lessons *l = a->lessons;

	for (size_t i = 0; i < l->n_first; i++) {
		if (same(a, l->first[i], job))
			return false;
	}
	if (l->n_first == LESSON_FIRST)
		return false;
	l->first[l->n_first++] = job;
	return true;
}

static bool remember(struct lessons *l, const struct lesson *lesson)
{
	struct lesson *more = realloc(l->list, (l->n + 1) * sizeof(*more));

	if (!more)
		return false;
	l->list = more;
	l->list[l->n++] = *lesson;
	return true;
}

static bool has_segments(const struct attempt *a, size_t nth)
{
	return a->parts[sgang_learn_nth(a, nth)].probed->shape.segment;
}

bool sgang_learn_slurm_chooses(const struct attempt *a, size_t nth)
{
	return a->lessons && has_segments(a, nth) &&
	       (!nth || rank_of(a, &a->parts[sgang_learn_nth(a, nth)]));
}

bool sgang_learn(struct attempt *a, size_t nth)
{
	struct lessons *l = a->lessons;
	struct lesson lesson = { .job = NULL };

	if (!l || l->last)
		return false;
	if (!l->apart && !l->together &&
	    sgang_sharing_others(a, sgang_learn_nth(a, nth))) {
		l->apart = true;
		return true;
	}
	find_lesson(a, nth, &lesson);
	if (lesson.node == SGANG_NODE_NONE)
		return false;
	if ((has_others(a, &lesson) || has_segments(a, nth)) &&
	    put_first(a, lesson.job))
		return true;
	return remember(l, &lesson);
}

bool sgang_learn_may_repeat(struct attempt *a)
{
	struct lessons *l = a->lessons;

	if (!l)
		return false;
	l->commits += a->n_parts;
	l->last |= l->rounds++ >= ROUNDS || l->commits > COMMITS;
	return !l->last;
}

/* ---- use of lessons ---- */

void sgang_learn_forbid(const struct attempt *a, struct sgang_job *job,
			struct sgang_nodeset *usable)
{
	const struct lessons *l = a->lessons;

	for (size_t i = 0; l && i < l->n; i++) {
		if (!l->list[i].n_with && same(a, l->list[i].job, job))
			sgang_nodeset_remove(usable, l->list[i].node);
	}
}

static const struct probed *probed_as(const struct attempt *a,
				      struct sgang_job *job)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].usable && same(a, a->probed[i].job, job))
			return &a->probed[i];
	}
	return NULL;
}

/* The need, in this dimension, of the members that had parts of the node. */
static uint64_t room_for(const struct attempt *a, const struct lesson *lesson,
			 size_t offset)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < lesson->n_with; i++) {
		const struct probed *p = probed_as(a, lesson->with[i].job);

		if (!p || p->need[offset] >= SGANG_PLAN_UNTOUCHED)
			return UINT64_MAX;
		sum += (uint64_t)lesson->with[i].units * p->need[offset];
	}
	return sum;
}

void sgang_learn_cap(const struct attempt *a,
		     const struct sgang_resources *resources,
		     const uint8_t *type, uint32_t *free)
{
	const struct lessons *l = a->lessons;
	uint32_t n_dims = resources->n_dims;

	for (size_t i = 0; l && i < l->n; i++) {
		const struct lesson *lesson = &l->list[i];
		uint32_t *node = free + (size_t)lesson->node * n_dims;
		size_t offset = (size_t)type[lesson->node] * n_dims;

		for (uint32_t d = 0; lesson->n_with && d < n_dims; d++) {
			uint64_t room = room_for(a, lesson, offset + d);

			if (!resources->dim[d].apart && room < node[d])
				node[d] = (uint32_t)room;
		}
	}
}

uint32_t sgang_learn_most(const struct attempt *a, uint32_t node)
{
	const struct lessons *l = a->lessons;
	uint32_t most = UINT32_MAX;

	for (size_t i = 0; l && i < l->n; i++) {
		uint32_t sum = 0;

		if (l->list[i].node != node || !l->list[i].n_with)
			continue;
		for (size_t j = 0; j < l->list[i].n_with; j++)
			sum += l->list[i].with[j].units;
		if (sum < most)
			most = sum;
	}
	return most;
}

void sgang_learn_unproved(const struct attempt *a, struct sgang_placement *plan)
{
	const struct lessons *l = a->lessons;

	if (!l ||
	    (!l->n && !l->avoid && !(l->apart && sgang_sharing_differ(a))))
		return;
	plan->exact = false;
	plan->bound = 0;
}
