/* SPDX-License-Identifier: GPL-2.0-or-later */
/* front.c - Pareto fronts of cost against capacity
 *
 * The front of an inner domain is the sum of its children's fronts: for every
 * child either nothing or one of its points. Children are added one by one;
 * points that another one beats in both cost and capacity go at once.
 */

#include <string.h>

#include "plan_private.h"

/* A front may grow to this many points, or to the budget's tired_points when all
 * merging of one call has taken more steps than it should. */
#define POINTS_MAX 16384
/* ... and when the plan has taken all steps of its budget. */
#define POINTS_MAX_ENDED 2

enum { NOW, NEXT, SUM, CHILD, LISTS }; /* use of the four lists */

static void reserve(struct sgang_front_work *work, int which, size_t n)
{
	size_t room = n + n / 2 + 64;

	if (n <= work->room[which])
		return;
	work->list[which] = sgang_pool_resize(work->pool, work->list[which],
					      room, sizeof(*work->list[which]));
	work->room[which] = room;
}

static void swap_lists(struct sgang_front_work *work, int a, int b)
{
	struct sgang_point *list = work->list[a];
	size_t room = work->room[a];

	work->list[a] = work->list[b];
	work->room[a] = work->room[b];
	work->list[b] = list;
	work->room[b] = room;
}

void sgang_front_begin(struct sgang_front_work *work)
{
	reserve(work, NOW, 1);
	memset(&work->list[NOW][0], 0, sizeof(work->list[NOW][0]));
	work->n = 1;
}

static bool in_a_band(const struct sgang_front_work *work,
		      const struct sgang_point *point)
{
	uint32_t i;

	for (i = 0; i < work->n_bands; i++) {
		const struct sgang_band *band = &work->band[i];

		if ((double)point->key - band->price * (double)point->cap <=
		    band->most)
			return true;
	}
	return !work->n_bands;
}

/* list[NEXT] = what is not beaten of 'a' and of 'b' shifted by 'by'. Returns
 * its length. This is where large fabrics spend their time. */
static size_t merge(struct sgang_front_work *work, const struct sgang_point *a,
		    size_t n_a, const struct sgang_point *b, size_t n_b,
		    const struct sgang_point *by)
{
	const struct sgang_point *end_a = a + n_a, *end_b = b + n_b;
	const struct sgang_point shift = *by;
	const sgang_plan_key limit = work->limit;
	const uint64_t need = work->need;
	struct sgang_point *first = work->list[NEXT], *out = first;
	struct sgang_point point = { 0 };
	uint64_t cap = 0; /* of the last point written */

	/* (0, 0) is always in 'a' */
	*out++ = *a++;
	work->steps += n_a + n_b;
	sgang_budget_take(work->budget, n_a + n_b);
	while (cap < need) {
		/* the lower key first, of equal ones the larger capacity */
		if (b < end_b) {
			point.key = b->key + shift.key;
			point.cap = b->cap + shift.cap;
			if (a < end_a &&
			    (a->key < point.key ||
			     (a->key == point.key && a->cap >= point.cap)))
				point = *a++;
			else
				b++;
		} else if (a < end_a) {
			point = *a++;
		} else {
			break;
		}
		if (point.key > limit)
			break;
		if (point.cap > cap) {
			/* what it beats is in no band that it is not in */
			cap = point.cap;
			if (in_a_band(work, &point))
				*out++ = point;
		}
	}
	return (size_t)(out - first);
}

/* Keep the list short: of every few points the one that is worth most, and the
 * last. */
static void thin(struct sgang_front_work *work, size_t max)
{
	struct sgang_point *list = work->list[NOW];
	size_t stride = (work->n - 1 + max - 1) / max;
	const double price = work->n_bands ?
				     work->band[0].price :
				     (double)list[work->n - 1].key /
					     (double)list[work->n - 1].cap;
	size_t from, i, n = 1;

	for (from = 1; from < work->n - 1; from += stride) {
		size_t best = from;

		for (i = from; i < from + stride && i < work->n - 1; i++) {
			if ((double)(list[i].key - list[best].key) <
			    price * (double)(list[i].cap - list[best].cap))
				best = i;
		}
		list[n++] = list[best];
	}
	list[n++] = list[work->n - 1];
	work->n = n;
	work->thinned = true;
}

/* The new list: 'base', and 'base' shifted by each of the points. */
static void add_points(struct sgang_front_work *work,
		       const struct sgang_point *base, size_t n_base,
		       const struct sgang_point *point, size_t n)
{
	size_t i, n_sum = n_base;

	reserve(work, SUM, n_base);
	memcpy(work->list[SUM], base, n_base * sizeof(*base));
	for (i = 0; i < n && point[i].key <= work->limit; i++) {
		reserve(work, NEXT, n_sum + n_base);
		n_sum = merge(work, work->list[SUM], n_sum, base, n_base,
			      &point[i]);
		swap_lists(work, SUM, NEXT);
	}
	swap_lists(work, NOW, SUM);
	work->n = n_sum;
}

/* Could the sum of a child's point with any others be in a band? */
static bool may_be_in_a_band(const struct sgang_front_work *work,
			     const struct sgang_point *point)
{
	uint32_t i;

	for (i = 0; i < work->n_bands; i++) {
		const struct sgang_band *band = &work->band[i];

		if ((double)point->key - band->price * (double)point->cap <=
		    band->alone)
			return true;
	}
	return !work->n_bands;
}

/* The child's points that matter, with (0, 0) in front, in a list of their own.
 * Returns how many there are besides. */
static size_t copy_child(struct sgang_front_work *work,
			 const struct sgang_front *child)
{
	struct sgang_point *list;
	size_t n = 0;

	reserve(work, CHILD, (size_t)child->n + 1);
	list = work->list[CHILD];
	memset(&list[0], 0, sizeof(list[0]));
	for (uint32_t i = 0; i < child->n; i++) {
		if (may_be_in_a_band(work, &child->point[i]))
			list[++n] = child->point[i];
	}
	return n;
}

void sgang_front_add(struct sgang_front_work *work,
		     const struct sgang_front *child)
{
	size_t max = work->steps < work->steps_max ?
			     POINTS_MAX :
			     sgang_budget_limits(work->budget)->tired_points;
	size_t n = work->n, n_child;

	if (!child->n)
		return;
	if (!sgang_budget_left(work->budget))
		max = POINTS_MAX_ENDED;
	n_child = copy_child(work, child);
	/* a sum is the same either way; the shorter one is gone through */
	if (n_child < n)
		add_points(work, work->list[NOW], n, work->list[CHILD] + 1,
			   n_child);
	else
		add_points(work, work->list[CHILD], n_child + 1,
			   work->list[NOW] + 1, n - 1);
	if (work->n - 1 > max)
		thin(work, max);
}

void sgang_front_take(struct sgang_front_work *work, struct sgang_pool *pool,
		      sgang_plan_key key, struct sgang_front *front)
{
	size_t n = work->n - 1, i;

	front->point = sgang_pool_alloc(pool, n, sizeof(*front->point));
	for (i = 0; i < n; i++) {
		front->point[i] = work->list[NOW][i + 1];
		front->point[i].key += key;
	}
	front->n = (uint32_t)n;
}

const struct sgang_point *sgang_front_find(const struct sgang_front *front,
					   uint64_t need)
{
	uint32_t low = 0, high = front->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (front->point[middle].cap < need)
			low = middle + 1;
		else
			high = middle;
	}
	return low < front->n ? &front->point[low] : NULL;
}
