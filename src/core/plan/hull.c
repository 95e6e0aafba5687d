/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hull.c - lower convex hulls of fronts
 *
 * The hull of a domain is quickly found from those of its children: their
 * segments sorted by slope, then the domain's own cost in front, which merges
 * the first of them. Its corners are true points of the front. At a price of
 * one unit, the least that (cost - price * units) can be in a domain is at a
 * corner; with that every candidate has a lower bound, and everything that is
 * too far above it need not be looked at.
 */

#include "plan_private.h"

/* A segment: so many units more for so much. */
struct segment {
	double slope;
	sgang_plan_key key;
	uint64_t cap;
};

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

void sgang_hull_of_front(const struct sgang_front *front,
			 struct sgang_pool *pool, struct sgang_front *hull)
{
	uint32_t i;

	hull->n = 0;
	hull->point = sgang_pool_alloc(pool, front->n, sizeof(*hull->point));
	for (i = 0; i < front->n; i++)
		append(hull, front->point[i]);
}

/* Merge two sorted runs, from..middle-1 and middle..to-1, into another list. */
static void merge_runs(const struct segment *run, size_t from, size_t middle,
		       size_t to, struct segment *out)
{
	size_t a = from, b = middle, i;

	for (i = from; i < to; i++) {
		if (b == to || (a < middle && run[a].slope <= run[b].slope))
			out[i] = run[a++];
		else
			out[i] = run[b++];
	}
}

/* Sort segments that are 'runs' sorted runs, the first ending before end[0] and
 * so on: neighbours are merged until one is left. 'spare' is as long. Returns
 * which of the two lists it is in. */
static struct segment *merge_all(struct segment *segment, struct segment *spare,
				 size_t *end, uint32_t runs)
{
	while (runs > 1) {
		struct segment *swap = segment;
		size_t from = 0;
		uint32_t i;

		for (i = 0; i < runs; i += 2) {
			size_t to = i + 1 < runs ? end[i + 1] : end[i];

			merge_runs(segment, from, end[i], to, spare);
			end[i / 2] = from = to;
		}
		runs = (runs + 1) / 2;
		segment = spare;
		spare = swap;
	}
	return segment;
}

/* All segments of the children. */
struct segments {
	struct segment *segment;
	size_t n;
	size_t *end;   /* those of a child are before it, */
	uint32_t runs; /* for so many children, and sorted */
};

static void list_segments(const struct sgang_front *child, uint32_t n_children,
			  struct sgang_pool *pool, struct segments *list)
{
	size_t total = 0;
	uint32_t i, k;

	for (i = 0; i < n_children; i++)
		total += child[i].n;
	list->segment = sgang_pool_alloc(pool, total, sizeof(*list->segment));
	list->end = sgang_pool_alloc(pool, n_children, sizeof(*list->end));
	list->n = 0;
	list->runs = 0;
	for (i = 0; i < n_children; i++) {
		struct sgang_point from = { 0 };

		for (k = 0; k < child[i].n; k++) {
			const struct sgang_point *to = &child[i].point[k];
			struct segment *s = &list->segment[list->n++];

			s->slope = slope(&from, to);
			s->key = to->key - from.key;
			s->cap = to->cap - from.cap;
			from = *to;
		}
		if (child[i].n)
			list->end[list->runs++] = list->n;
	}
}

/* At this slope the need is reached, 'sum' being all that comes before. */
static void set_price(struct sgang_price *price, double slope, uint64_t need,
		      struct sgang_point sum)
{
	price->value = slope;
	price->bound = (double)sum.key + slope * (double)(need - sum.cap);
}

static double middle_of(double a, double b, double c)
{
	if ((a < b) == (b < c))
		return b;
	return (a < b) == (c < a) ? a : c;
}

/* Move the segments of at[0..n-1] that come before a slope to the front, or
 * with 'equal' those that have it. Returns how many they are; they are added to
 * '*sum'. */
static size_t part_segments(struct segment *at, size_t n, double slope,
			    bool equal, struct sgang_point *sum)
{
	size_t i, part = 0;

	for (i = 0; i < n; i++) {
		struct segment swap = at[i];

		if (equal ? swap.slope > slope : swap.slope >= slope)
			continue;
		sum->key += swap.key;
		sum->cap += swap.cap;
		at[i] = at[part];
		at[part++] = swap;
	}
	return part;
}

void sgang_hull_price(const struct sgang_front *child, uint32_t n_children,
		      uint64_t need, struct sgang_pool *pool,
		      struct sgang_price *price)
{
	struct sgang_point before = { 0 };
	struct segments list;
	struct segment *at;
	size_t n;

	list_segments(child, n_children, pool, &list);
	price->value = 0;
	price->bound = -1;
	/* the part in which the need is reached, smaller and smaller */
	for (at = list.segment, n = list.n; n;) {
		double pivot = middle_of(at[0].slope, at[n / 2].slope,
					 at[n - 1].slope);
		struct sgang_point sum = before;
		size_t part = part_segments(at, n, pivot, false, &sum);

		if (sum.cap >= need) {
			n = part;
			continue;
		}
		before = sum;
		at += part;
		n -= part;
		part = part_segments(at, n, pivot, true, &sum);
		if (sum.cap >= need) {
			set_price(price, pivot, need, before);
			break;
		}
		before = sum;
		at += part;
		n -= part;
	}
}

void sgang_hull_of_children(const struct sgang_front *child,
			    uint32_t n_children, sgang_plan_key key,
			    uint64_t need, struct sgang_pool *pool,
			    struct sgang_front *hull, struct sgang_price *price)
{
	struct sgang_point sum = { 0 };
	struct segment *segment, *spare;
	struct segments list;
	size_t i;

	list_segments(child, n_children, pool, &list);
	spare = sgang_pool_alloc(pool, list.n, sizeof(*spare));
	hull->n = 0;
	hull->point = sgang_pool_alloc(pool, list.n, sizeof(*hull->point));
	segment = merge_all(list.segment, spare, list.end, list.runs);
	price->value = 0;
	price->bound = -1;
	for (i = 0; i < list.n; i++) {
		const struct segment *s = &segment[i];

		if (sum.cap < need && sum.cap + s->cap >= need)
			set_price(price, s->slope, need, sum);
		sum.key += s->key;
		sum.cap += s->cap;
		append(hull, (struct sgang_point){ .key = sum.key + key,
						   .cap = sum.cap });
	}
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
