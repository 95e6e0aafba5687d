/* SPDX-License-Identifier: GPL-2.0-or-later */
/* improve.c - a layout made better by small changes */

#include "mixed.h"

/* The pieces with which one piece is compared in the search. */
#define NEIGHBOURS_MAX 64

struct improver {
	struct mixed *mixed;
	struct piece *piece;
	size_t n;
	uint64_t trials;
	uint64_t trials_max;
};

static size_t before(const struct improver *improver, size_t i)
{
	return i ? i - 1 : improver->n - 1;
}

static size_t after(const struct improver *improver, size_t i)
{
	return i + 1 < improver->n ? i + 1 : 0;
}

static int64_t edge(const struct improver *improver, size_t i, size_t k)
{
	return hop_at(improver->mixed, improver->piece[i].pos,
		      improver->piece[k].pos);
}

/* Both hops of a piece, and its ranks: what a change of its node changes. */
static int64_t hops_of(const struct improver *improver, size_t i)
{
	int64_t island =
		improver->mixed->request->costs->hop[SGANG_LEVEL_ISLAND];

	return edge(improver, before(improver, i), i) +
	       edge(improver, i, after(improver, i)) +
	       island * (int64_t)piece_ranks(improver->mixed,
					     &improver->piece[i]);
}

/* Is another piece of the same member there? Members' pieces are together. */
static bool member_is_at(const struct improver *improver, size_t i,
			 uint32_t pos)
{
	const struct piece *piece = improver->piece;
	size_t k;

	for (k = i; k-- > 0 && piece[k].member == piece[i].member;) {
		if (piece[k].pos == pos)
			return true;
	}
	for (k = i + 1; k < improver->n && piece[k].member == piece[i].member;
	     k++) {
		if (piece[k].pos == pos)
			return true;
	}
	return false;
}

/* May the piece, which is taken off its node, be at 'pos'? */
static bool may_be_at(const struct improver *improver, size_t i, uint32_t pos)
{
	const struct piece *piece = &improver->piece[i];

	return fits(improver->mixed, piece->member, pos) >= piece->units &&
	       !member_is_at(improver, i, pos);
}

/* Move piece i to another node if that is cheaper. */
static bool try_move(struct improver *improver, size_t i, uint32_t pos)
{
	struct piece *piece = &improver->piece[i];
	uint32_t old = piece->pos;
	int64_t cost;

	if (pos == old || !*left_at(improver->mixed, pos))
		return false;
	improver->trials++;
	cost = hops_of(improver, i);
	give_back(improver->mixed, piece);
	if (may_be_at(improver, i, pos)) {
		piece->pos = pos;
		if (hops_of(improver, i) < cost) {
			take(improver->mixed, piece);
			return true;
		}
		piece->pos = old;
	}
	take(improver->mixed, piece);
	return false;
}

/* The cost of both pieces' surroundings; neighbours share one hop. */
static int64_t hops_of_two(const struct improver *improver, size_t i, size_t k)
{
	int64_t cost = hops_of(improver, i) + hops_of(improver, k);

	if (after(improver, i) == k)
		cost -= edge(improver, i, k);
	if (after(improver, k) == i)
		cost -= edge(improver, k, i);
	return cost;
}

static void exchange(struct improver *improver, size_t i, size_t k)
{
	uint32_t pos = improver->piece[i].pos;

	improver->piece[i].pos = improver->piece[k].pos;
	improver->piece[k].pos = pos;
}

/* With both taken off their nodes, may they be on each other's? */
static bool may_exchange(const struct improver *improver, size_t i, size_t k)
{
	const struct piece *a = &improver->piece[i], *b = &improver->piece[k];

	return may_be_at(improver, i, b->pos) && may_be_at(improver, k, a->pos);
}

/* Swap the nodes of two pieces if that is cheaper. Pieces of one member swap
 * with their units, which always works. */
static bool try_swap(struct improver *improver, size_t i, size_t k)
{
	struct piece *a = &improver->piece[i], *b = &improver->piece[k], swap;
	int64_t cost;
	bool better;

	if (i == k || a->pos == b->pos)
		return false;
	improver->trials++;
	cost = hops_of_two(improver, i, k);
	if (a->member == b->member) {
		swap = *a;
		*a = *b;
		*b = swap;
		better = hops_of_two(improver, i, k) < cost;
		if (!better) {
			*b = *a;
			*a = swap;
		}
		return better;
	}
	give_back(improver->mixed, a);
	give_back(improver->mixed, b);
	better = may_exchange(improver, i, k);
	if (better) {
		exchange(improver, i, k);
		better = hops_of_two(improver, i, k) < cost;
		if (!better)
			exchange(improver, i, k);
	}
	take(improver->mixed, a);
	take(improver->mixed, b);
	return better;
}

/* Turn the order of pieces i..k, all of one member, round if that is
 * cheaper. */
static bool try_reverse(struct improver *improver, size_t i, size_t k)
{
	struct piece *piece = improver->piece;
	size_t from = before(improver, i), to = after(improver, k);

	if (i >= k || from == k)
		return false;
	improver->trials++;
	if (edge(improver, from, k) + edge(improver, i, to) >=
	    edge(improver, from, i) + edge(improver, k, to))
		return false;
	for (; i < k; i++, k--) {
		struct piece swap = piece[i];

		piece[i] = piece[k];
		piece[k] = swap;
	}
	return true;
}

/* Try to bring piece i to the leaf of 'pos', where a neighbour is. */
static bool try_leaf(struct improver *improver, size_t i, uint32_t pos)
{
	const struct mixed *mixed = improver->mixed;
	const struct sgang_fabric *fabric = mixed->request->fabric;
	const struct sgang_domain *leaf = sgang_fabric_domain(
		fabric, sgang_fabric_leaf(fabric, mixed->order[pos]));
	uint32_t at, n = leaf->n_nodes;

	if (try_move(improver, i, pos))
		return true;
	if (n > NEIGHBOURS_MAX)
		n = NEIGHBOURS_MAX;
	for (at = leaf->first_pos; at < leaf->first_pos + n; at++) {
		if (try_move(improver, i, at))
			return true;
	}
	return false;
}

/* Swap or turn what is near in the ring. */
static bool try_near(struct improver *improver, size_t i)
{
	const struct piece *piece = improver->piece;
	size_t k, far = i + NEIGHBOURS_MAX;
	bool changed = false;

	for (k = i + 1; k < improver->n && k < far; k++) {
		if (try_swap(improver, i, k))
			changed = true;
		if (piece[k].member == piece[i].member &&
		    try_reverse(improver, i, k))
			changed = true;
	}
	return changed;
}

/* Turn all pieces of the member that begins at i round. Returns its end. */
static size_t turn_member(struct improver *improver, size_t i, bool *changed)
{
	size_t k = i;

	while (k + 1 < improver->n &&
	       improver->piece[k + 1].member == improver->piece[i].member)
		k++;
	if (try_reverse(improver, i, k))
		*changed = true;
	return k + 1;
}

void sgang_mixed_improve(struct mixed *mixed)
{
	struct improver improver = { .mixed = mixed,
				     .n = mixed->now.n,
				     .piece = mixed->now.piece };
	bool changed = improver.n > 1 &&
		       mixed->request->effort != SGANG_EFFORT_ANY &&
		       sgang_part(mixed->request->budget, SGANG_PART_IMPROVE);
	size_t i;

	improver.trials_max = sgang_budget_share(mixed->request->budget,
						 SGANG_STEPS_IMPROVE_ONE);
	if (improver.trials_max > mixed->improving)
		improver.trials_max = mixed->improving;
	while (changed && improver.trials < improver.trials_max) {
		changed = false;
		for (i = 0; i < improver.n;)
			i = turn_member(&improver, i, &changed);
		for (i = 0;
		     i < improver.n && improver.trials < improver.trials_max;
		     i++) {
			const struct piece *piece = improver.piece;

			if (try_leaf(&improver, i,
				     piece[before(&improver, i)].pos) ||
			    try_leaf(&improver, i,
				     piece[after(&improver, i)].pos))
				changed = true;
			if (try_near(&improver, i))
				changed = true;
		}
	}
	mixed->improving -= improver.trials < mixed->improving ?
				    improver.trials :
				    mixed->improving;
	sgang_budget_take(mixed->request->budget, improver.trials);
}
