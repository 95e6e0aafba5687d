/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_hull.c - lower convex hulls of fronts
 *
 * The hull of a domain is quickly found from those of its children: their
 * segments sorted by slope, then the domain's own cost in front, which merges
 * the first of them. Its corners are true points of the front. At a price of
 * one unit, the least that (cost - price * units) can be in a domain is at a
 * corner; with that every candidate has a lower bound, and everything that is
 * too far above it need not be looked at.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* One segment: so many units more for so much. */
struct segment {
	double slope;
	sgang_plan_key key;
	uint64_t cap;
};

static int by_slope(const void *one, const void *two)
{
	const struct segment *a = one, *b = two;

	return a->slope < b->slope ? -1 : a->slope > b->slope;
}

static double slope(const struct sgang_point *from,
		    const struct sgang_point *to)
{
	return (double)(to->key - from->key) / (double)(to->cap - from->cap);
}

/* Append a point to a hull that begins in (0, 0), dropping corners that it
 * makes superfluous. */
static void append(struct sgang_front *hull, struct sgang_point point)
{
	const struct sgang_point origin = { 0 };

	while (hull->n) {
		const struct sgang_point *last = &hull->point[hull->n - 1];
		const struct sgang_point *before = hull->n > 1 ? last - 1 :
								 &origin;

		if (slope(before, last) < slope(last, &point))
			break;
		hull->n--;
	}
	hull->point[hull->n++] = point;
}

int sgang_hull_of_front(const struct sgang_front *front,
			struct sgang_pool *pool, struct sgang_front *hull)
{
	uint32_t i;

	hull->n = 0;
	hull->point = sgang_pool_alloc(pool, front->n, sizeof(*hull->point));
	if (!hull->point)
		return -1;
	for (i = 0; i < front->n; i++)
		append(hull, front->point[i]);
	return 0;
}

/* All segments of the children, sorted. NULL without memory. */
static struct segment *sort_segments(const struct sgang_front *child,
				     uint32_t n_children,
				     struct sgang_pool *pool, size_t *n)
{
	struct segment *segment;
	uint32_t i, k;
	size_t total = 0;

	for (i = 0; i < n_children; i++)
		total += child[i].n;
	segment = sgang_pool_alloc(pool, total, sizeof(*segment));
	if (!segment)
		return NULL;
	*n = 0;
	for (i = 0; i < n_children; i++) {
		struct sgang_point from = { 0 };

		for (k = 0; k < child[i].n; k++) {
			const struct sgang_point *to = &child[i].point[k];
			struct segment *s = &segment[(*n)++];

			s->slope = slope(&from, to);
			s->key = to->key - from.key;
			s->cap = to->cap - from.cap;
			from = *to;
		}
	}
	qsort(segment, total, sizeof(*segment), by_slope);
	return segment;
}

int sgang_hull_of_children(const struct sgang_front *child,
			   uint32_t n_children, sgang_plan_key key,
			   uint64_t need, struct sgang_pool *pool,
			   struct sgang_front *hull, struct sgang_price *price)
{
	struct sgang_point sum = { 0 };
	size_t i, n;
	struct segment *segment = sort_segments(child, n_children, pool, &n);

	hull->n = 0;
	hull->point = segment ? sgang_pool_alloc(pool, n,
						 sizeof(*hull->point)) : NULL;
	if (!hull->point)
		return -1;
	price->value = 0;
	price->bound = -1;
	for (i = 0; i < n; i++) {
		const struct segment *s = &segment[i];
		double over;

		if (sum.cap < need && sum.cap + s->cap >= need) {
			over = s->slope * (double)(need - sum.cap);
			price->value = s->slope;
			price->bound = (double)sum.key + over;
		}
		sum.key += s->key;
		sum.cap += s->cap;
		append(hull, (struct sgang_point){ .key = sum.key + key,
						   .cap = sum.cap });
	}
	return 0;
}

double sgang_hull_support(const struct sgang_front *hull, double price)
{
	const struct sgang_point origin = { 0 };
	uint32_t low = 0, high = hull->n;

	/* corners are worth going on to as long as it is not too steep */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct sgang_point *to = &hull->point[middle];

		if (slope(middle ? to - 1 : &origin, to) < price)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	return (double)hull->point[low - 1].key -
	       price * (double)hull->point[low - 1].cap;
}
