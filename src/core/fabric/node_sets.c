/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_sets.c - switches by the nodes below them */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node_sets.h"

#define NONE UINT32_MAX

/* ---- leaves ---- */

struct leaf {
	const struct sgang_on_leaf *on;
	size_t n;
};

/* qsort */
static int by_leaf(const void *one, const void *two)
{
	const struct sgang_on_leaf *a = one, *b = two;

	if (a->leaf != b->leaf)
		return a->leaf < b->leaf ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static int compare_nodes(const struct leaf *a, const struct leaf *b)
{
	size_t i;

	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (i = 0; i < a->n; i++) {
		if (a->on[i].node != b->on[i].node)
			return a->on[i].node < b->on[i].node ? -1 : 1;
	}
	return 0;
}

/* qsort: those with the same nodes in a row, the lowest number first */
static int by_nodes(const void *one, const void *two)
{
	const struct leaf *a = one, *b = two;
	int order = compare_nodes(a, b);

	return order ? order :
		       (a->on->leaf > b->on->leaf) -
			       (a->on->leaf < b->on->leaf);
}

/* Sort, and leave out what comes twice. */
static size_t sort_nodes(struct sgang_on_leaf *on, size_t n)
{
	size_t i, kept = 0;

	qsort(on, n, sizeof(*on), by_leaf);
	for (i = 0; i < n; i++) {
		if (!i || by_leaf(&on[kept - 1], &on[i]))
			on[kept++] = on[i];
	}
	return kept;
}

int sgang_same_leaves(struct sgang_on_leaf *on, size_t n, uint32_t *same)
{
	struct leaf *leaf = calloc(n + 1, sizeof(*leaf));
	size_t i, first = 0, count = 0;

	if (!leaf) {
		errno = ENOMEM;
		return -1;
	}
	n = sort_nodes(on, n);
	for (i = 0; i < n; i++) {
		if (!i || on[i].leaf != on[i - 1].leaf)
			leaf[count++].on = &on[i];
		leaf[count - 1].n++;
	}
	qsort(leaf, count, sizeof(*leaf), by_nodes);
	for (i = 0; i < count; i++) {
		if (compare_nodes(&leaf[first], &leaf[i]))
			first = i;
		same[leaf[i].on->leaf] = leaf[first].on->leaf;
	}
	free(leaf);
	return 0;
}

/* ---- all switches ---- */

/* What is below a switch: a bit for each of those with nodes. */
struct set {
	uint64_t *bit;
	size_t words;
	uint32_t count;
	uint32_t number; /* of the switch */
	uint32_t rank;   /* how many with the same nodes are below it */
};

struct sets {
	struct set *by_switch;
	struct set *sorted; /* those that are not empty */
	uint64_t *bits;
	uint32_t *top; /* by bit: the highest switch so far */
	uint32_t n_bits;
	uint32_t n_sorted;
};

static void free_sets(struct sets *sets)
{
	free(sets->by_switch);
	free(sets->sorted);
	free(sets->bits);
	free(sets->top);
}

static int make_sets(const struct sgang_nest *nest, struct sets *sets)
{
	size_t words;
	uint32_t i;

	*sets = (struct sets){ .n_bits = 0 };
	for (i = 0; i < nest->n; i++)
		sets->n_bits += nest->has_nodes[i];
	words = sets->n_bits / 64 + 1;
	sets->by_switch = calloc(nest->n + 1, sizeof(*sets->by_switch));
	sets->sorted = calloc(nest->n + 1, sizeof(*sets->sorted));
	sets->bits = calloc(nest->n + 1, words * sizeof(*sets->bits));
	sets->top = malloc((sets->n_bits + 1) * sizeof(*sets->top));
	if (!sets->by_switch || !sets->sorted || !sets->bits || !sets->top) {
		free_sets(sets);
		errno = ENOMEM;
		return -1;
	}
	for (i = 0; i < nest->n; i++)
		sets->by_switch[i] = (struct set){
			.bit = sets->bits + i * words,
			.words = words,
			.number = i,
		};
	return 0;
}

static void fill_sets(const struct sgang_nest *nest, struct sets *sets)
{
	struct set *all = sets->by_switch;
	uint32_t i, bit = 0;
	size_t w, k;

	for (i = 0; i < nest->n; i++) {
		if (!nest->has_nodes[i])
			continue;
		all[i].bit[bit / 64] |= UINT64_C(1) << bit % 64;
		sets->top[bit++] = i;
	}
	for (k = 0; k < nest->n_links; k++) {
		for (w = 0; w < all->words; w++)
			all[nest->link[k].parent].bit[w] |=
				all[nest->link[k].child].bit[w];
	}
	for (i = 0; i < nest->n; i++) {
		for (w = 0; w < all->words; w++)
			all[i].count +=
				(uint32_t)__builtin_popcountll(all[i].bit[w]);
	}
	/* a parent has all that a child has, so as many are the same */
	for (k = 0; k < nest->n_links; k++) {
		const struct set *child = &all[nest->link[k].child];
		struct set *parent = &all[nest->link[k].parent];

		if (child->count == parent->count &&
		    parent->rank <= child->rank)
			parent->rank = child->rank + 1;
	}
}

static int compare_sets(const struct set *a, const struct set *b)
{
	int order;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	order = memcmp(a->bit, b->bit, a->words * sizeof(*a->bit));
	return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

/* qsort: small ones first, those that are one in a row */
static int by_set(const void *one, const void *two)
{
	const struct set *a = one, *b = two;
	int order = compare_sets(a, b);

	return order ? order :
		       (a->number > b->number) - (a->number < b->number);
}

static void sort_sets(const struct sgang_nest *nest, struct sets *sets)
{
	uint32_t i;

	for (i = 0; i < nest->n; i++) {
		if (sets->by_switch[i].count)
			sets->sorted[sets->n_sorted++] = sets->by_switch[i];
	}
	qsort(sets->sorted, sets->n_sorted, sizeof(*sets->sorted), by_set);
}

static bool is_within(const struct set *inner, const struct set *outer)
{
	size_t w;

	for (w = 0; w < inner->words; w++) {
		if (inner->bit[w] & ~outer->bit[w])
			return false;
	}
	return true;
}

/* Put the switch of 'set' above the highest of those that it has nodes of. */
static int put_above(struct sgang_nest *nest, struct sets *sets,
		     const struct set *set)
{
	uint32_t bit, up = set->number;

	for (bit = 0; bit < sets->n_bits; bit++) {
		uint32_t below = sets->top[bit];

		if (!(set->bit[bit / 64] >> bit % 64 & 1) || below == up)
			continue;
		sets->top[bit] = up;
		if (nest->parent[below] == up)
			continue;
		if (!is_within(&sets->by_switch[below], set)) {
			nest->one = below;
			nest->other = up;
			errno = EINVAL;
			return -1;
		}
		nest->parent[below] = up;
		if (nest->level[up] <= nest->level[below])
			nest->level[up] = nest->level[below] + 1;
	}
	return 0;
}

int sgang_nest(struct sgang_nest *nest)
{
	const struct set *kept = NULL, *set;
	struct sets sets;
	int rc = 0, saved;
	uint32_t i;

	if (make_sets(nest, &sets))
		return -1;
	fill_sets(nest, &sets);
	sort_sets(nest, &sets);
	for (i = 0; i < nest->n; i++) {
		nest->same[i] = i;
		if (sets.by_switch[i].count)
			nest->parent[i] = NONE;
	}
	for (i = 0; i < sets.n_sorted && !rc; i++) {
		set = &sets.sorted[i];
		if (!kept || compare_sets(kept, set)) {
			kept = set;
			rc = put_above(nest, &sets, set);
			continue;
		}
		nest->same[set->number] = kept->number;
		if (nest->level[kept->number] < nest->level[set->number])
			nest->level[kept->number] = nest->level[set->number];
	}
	saved = errno;
	free_sets(&sets);
	errno = saved;
	return rc;
}
