/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_mixed.c - members of different kinds: bound, construction, search
 *
 * The members' order in the ring is given and each of them has its own wishes,
 * so the cheapest nodes for all of them are a hard problem. Several
 * constructions are tried, each is improved by moving, swapping and reversing
 * pieces as long as that helps, and the best is kept:
 *
 *  - kind by kind, each by the exact solver, given what is used already;
 *  - on the nodes that would be best for so many slots, and on some more of
 *    them as long as the members do not fit in;
 *  - first fit in depth-first order within one domain, the small domains first,
 *    members in their order or the large ones first;
 *  - the large members first on the nodes with the least or the most room, when
 *    first fit fails (with the most room it never fails in vain when all units
 *    are alike);
 *  - a matching of kinds and nodes, which finds a placement if there is one
 *    where no two members can share a node;
 *  - trying everything, for a while, when nothing else fits.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* Improving one construction ends after so many trials, improving all of them
 * after so many, some 3 ms. */
#define TRIALS_MAX 8000
#define TRIALS_SUM_MAX 30000
/* Domains of one level in which constructions work, and in which they fail,
 * before the level is left; the highest are all tried until one works. */
#define DOMAINS_MAX 4
#define FAILURES_MAX 64
/* Trying everything ends after so many steps in one domain, and in all; gangs
 * with more units are not tried. */
#define PACK_STEPS 4000
#define PACK_STEPS_SUM 60000
#define PACK_UNITS 256
/* What a piece may be compared with in the search. */
#define NEIGHBOURS_MAX 64

/* 'units' units of a member on one node. */
struct piece {
	uint32_t member;
	uint32_t pos;
	uint32_t units;
};

/* Pieces in ring order, those of a member together. */
struct layout {
	struct piece *piece;
	size_t n;
	uint64_t cost;
};

struct matching;

struct mixed {
	const struct sgang_job *job;
	const struct sgang_plan_request *request;
	const uint64_t *broken;
	const uint32_t *order;
	uint32_t n_nodes;
	uint32_t *left;			/* by position: slots not taken */
	uint32_t *cursor;		/* by kind: it fits nowhere before */
	uint32_t *rank;			/* members, the large ones first */
	struct piece *spot;		/* room for one a node */
	bool *pool;			/* by position: may be used */
	uint32_t from, to;		/* outside of these left[] is 0 */
	struct matching *matching;
	uint32_t trials;		/* of all improving */
	uint32_t pack_steps;		/* of all trying everything */
	size_t room;			/* pieces that a layout can hold */
	struct layout now, best;
	bool found;
	uint64_t bound;
};

static const struct sgang_kind *kind_of(const struct mixed *mixed,
					uint32_t member)
{
	return &mixed->job->kind[mixed->job->kind_of[member]];
}

static const struct sgang_plan_member *ask_of(const struct mixed *mixed,
					      uint32_t member)
{
	return &mixed->request->members[member];
}

/* Units of this member that still fit at a position. */
static uint32_t fits(const struct mixed *mixed, uint32_t member, uint32_t pos)
{
	uint32_t units = sgang_kind_fits(mixed->job, kind_of(mixed, member),
					 mixed->order[pos], mixed->left[pos]);

	if (units > 1 && sgang_member_distinct(ask_of(mixed, member)))
		return 1;
	return units;
}

static uint32_t slots_of(const struct mixed *mixed, const struct piece *piece)
{
	const struct sgang_kind *kind = kind_of(mixed, piece->member);

	if (kind->whole)
		return mixed->request->total[mixed->order[piece->pos]];
	return piece->units * kind->slots;
}

static void take(struct mixed *mixed, const struct piece *piece)
{
	mixed->left[piece->pos] -= slots_of(mixed, piece);
}

static void give_back(struct mixed *mixed, const struct piece *piece)
{
	mixed->left[piece->pos] += slots_of(mixed, piece);
}

static void put(struct mixed *mixed, uint32_t member, uint32_t pos,
		uint32_t units)
{
	struct piece *piece = &mixed->now.piece[mixed->now.n++];

	piece->member = member;
	piece->pos = pos;
	piece->units = units;
	take(mixed, piece);
}

/* Make all slots of positions from..to-1 free as far as the pool goes, those
 * outside taken. */
static void clear_layout(struct mixed *mixed, uint32_t from, uint32_t to)
{
	uint32_t pos;

	memset(mixed->left + mixed->from, 0,
	       (mixed->to - mixed->from) * sizeof(*mixed->left));
	mixed->from = from;
	mixed->to = to;
	for (pos = from; pos < to; pos++) {
		if (!mixed->pool || mixed->pool[pos])
			mixed->left[pos] =
				mixed->request->free[mixed->order[pos]];
	}
	for (pos = 0; pos < mixed->job->n_kinds; pos++)
		mixed->cursor[pos] = from;
	mixed->now.n = 0;
}

/* -- what a layout costs -- */

static uint32_t hop_at(const struct mixed *mixed, uint32_t pos_a,
		       uint32_t pos_b)
{
	uint32_t level;

	if (pos_a == pos_b)
		return mixed->request->costs->hop[SGANG_LEVEL_ISLAND];
	level = sgang_fabric_meet(mixed->request->fabric, mixed->order[pos_a],
				  mixed->order[pos_b]);
	return mixed->request->costs->hop[level];
}

static uint64_t piece_ranks(const struct mixed *mixed,
			    const struct piece *piece)
{
	return (uint64_t)piece->units *
	       sgang_kind_ranks(mixed->job, kind_of(mixed, piece->member),
				mixed->order[piece->pos]);
}

static uint64_t cost_of(const struct mixed *mixed, const struct layout *layout)
{
	uint64_t island = mixed->request->costs->hop[SGANG_LEVEL_ISLAND];
	uint64_t cost = 0;
	size_t i;

	for (i = 0; i < layout->n; i++) {
		const struct piece *piece = &layout->piece[i];
		const struct piece *next =
			&layout->piece[(i + 1) % layout->n];

		cost += (piece_ranks(mixed, piece) - 1) * island;
		cost += hop_at(mixed, piece->pos, next->pos);
	}
	return cost;
}

/* -- the search -- */

struct improver {
	struct mixed *mixed;
	struct piece *piece;
	size_t n;
	uint32_t trials;
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
	int64_t island = improver->mixed->request->costs->hop[
		SGANG_LEVEL_ISLAND];

	return edge(improver, before(improver, i), i) +
	       edge(improver, i, after(improver, i)) + island *
	       (int64_t)piece_ranks(improver->mixed, &improver->piece[i]);
}

/* Is another piece of the same member there? Members' pieces are together. */
static bool member_is_at(const struct improver *improver, size_t i,
			 uint32_t pos)
{
	const struct piece *piece = improver->piece;
	size_t k;

	for (k = i; k-- > 0 && piece[k].member == piece[i].member; ) {
		if (piece[k].pos == pos)
			return true;
	}
	for (k = i + 1; k < improver->n &&
	     piece[k].member == piece[i].member; k++) {
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

	if (pos == old || improver->mixed->left[pos] == 0)
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

/* Swap the nodes of two pieces if that is cheaper. Those of one member swap
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
	const struct sgang_domain *leaf = sgang_fabric_domain(fabric,
		sgang_fabric_leaf(fabric, mixed->order[pos]));
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

static void improve(struct mixed *mixed)
{
	struct improver improver = { .mixed = mixed, .n = mixed->now.n,
				     .piece = mixed->now.piece };
	bool changed = improver.n > 1 && mixed->trials < TRIALS_SUM_MAX;
	size_t i;

	while (changed && improver.trials < TRIALS_MAX) {
		changed = false;
		for (i = 0; i < improver.n; )
			i = turn_member(&improver, i, &changed);
		for (i = 0; i < improver.n && improver.trials < TRIALS_MAX;
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
	mixed->trials += improver.trials;
}

/* Improve the layout at hand and keep it if it is the best so far. */
static void finish(struct mixed *mixed)
{
	struct layout swap;

	mixed->now.cost = cost_of(mixed, &mixed->now);
	if (mixed->now.cost > mixed->bound) {
		improve(mixed);
		mixed->now.cost = cost_of(mixed, &mixed->now);
	}
	if (mixed->found && mixed->now.cost >= mixed->best.cost)
		return;
	swap = mixed->best;
	mixed->best = mixed->now;
	mixed->now = swap;
	mixed->found = true;
}

static bool done(const struct mixed *mixed)
{
	return mixed->found && mixed->best.cost <= mixed->bound;
}

/* -- first fit -- */

static int by_member(const void *one, const void *two)
{
	const struct piece *a = one, *b = two;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* Put a member on the first nodes before 'to' that have room. */
static bool place_member(struct mixed *mixed, uint32_t member, uint32_t to)
{
	uint32_t number = mixed->job->kind_of[member];
	uint32_t pos = mixed->cursor[number], units = ask_of(mixed,
							      member)->units;
	bool passed = false;

	for (; pos < to && units; pos++) {
		uint32_t room = mixed->left[pos] ? fits(mixed, member, pos) : 0;

		if (!room) {
			/* never again for this kind */
			if (!passed)
				mixed->cursor[number] = pos + 1;
			continue;
		}
		passed = true;
		if (room > units)
			room = units;
		put(mixed, member, pos, room);
		units -= room;
	}
	return !units;
}

/* Put a member on the nodes that follow where the last one ended, without
 * looking back. */
static bool place_next(struct mixed *mixed, uint32_t member, uint32_t *pos,
		       uint32_t to)
{
	uint32_t units = ask_of(mixed, member)->units;

	for (; *pos < to; (*pos)++) {
		uint32_t room = mixed->left[*pos] ? fits(mixed, member, *pos) :
						    0;

		if (room > units)
			room = units;
		if (room)
			put(mixed, member, *pos, room);
		units -= room;
		/* the next member may share this node */
		if (!units)
			return true;
	}
	return false;
}

/* In which order nodes and members are taken. */
enum fit {
	NEXT_IN_ORDER,			/* both as they are, never back */
	FIRST_IN_ORDER,			/* both as they are */
	FIRST_LARGE,			/* large members first */
	LEAST_ROOM,			/* ... on the nodes with least room */
	MOST_ROOM,			/* ... on those with most room */
	FITS
};

/* Put a member on the nodes of the domain with the least or the most room.
 * Whole nodes are always the smallest, since others may need the large. */
static bool place_by_room(struct mixed *mixed, uint32_t member,
			  const struct sgang_domain *domain, bool most)
{
	uint32_t pos, end = domain->first_pos + domain->n_nodes;
	uint32_t i, n = 0, units = ask_of(mixed, member)->units;
	struct piece *spot = mixed->spot;

	if (kind_of(mixed, member)->whole)
		most = false;
	for (pos = domain->first_pos; pos < end; pos++) {
		uint32_t room = mixed->left[pos] ? fits(mixed, member, pos) : 0;

		if (!room)
			continue;
		/* sorted as if by member, then position */
		spot[n].member = most ? UINT32_MAX - mixed->left[pos] :
					mixed->left[pos];
		spot[n].pos = pos;
		spot[n++].units = room;
	}
	qsort(spot, n, sizeof(*spot), by_member);
	for (i = 0; i < n && units; i++) {
		uint32_t take_units = spot[i].units < units ? spot[i].units :
							      units;

		put(mixed, member, spot[i].pos, take_units);
		units -= take_units;
	}
	return !units;
}

/* Put one member into a domain. */
static bool fit_member(struct mixed *mixed, const struct sgang_domain *domain,
		       enum fit fit, uint32_t member, uint32_t *next)
{
	uint32_t to = domain->first_pos + domain->n_nodes;

	switch (fit) {
	case NEXT_IN_ORDER:
		return place_next(mixed, member, next, to);
	case LEAST_ROOM:
	case MOST_ROOM:
		return place_by_room(mixed, member, domain, fit == MOST_ROOM);
	default:
		return place_member(mixed, member, to);
	}
}

/* Put all members into a domain. False when that does not work out. */
static bool fit_members(struct mixed *mixed, const struct sgang_domain *domain,
			enum fit fit)
{
	uint32_t i, next = domain->first_pos;
	bool in_order = fit == NEXT_IN_ORDER || fit == FIRST_IN_ORDER;

	clear_layout(mixed, next, next + domain->n_nodes);
	for (i = 0; i < mixed->request->n_members; i++) {
		uint32_t member = in_order ? i : mixed->rank[i];

		if (!fit_member(mixed, domain, fit, member, &next))
			return false;
	}
	qsort(mixed->now.piece, mixed->now.n, sizeof(*mixed->now.piece),
	      by_member);
	return true;
}

/* -- matching -- */

/* Where each kind is, one unit a node, and the search for more room. */
struct matching {
	struct mixed *mixed;
	uint32_t from, to;
	uint32_t *owner;		/* by position: kind + 1; 0: nobody */
	/* by kind: which of its nodes is wanted, and by which kind */
	uint32_t *wanted;
	uint32_t *by;
	bool *seen;
	uint32_t *queue;		/* kinds */
};

/* The kind gets the node; each kind on the way back to the one that looks for
 * room gets the node it wanted of the one before. */
static void hand_on(struct matching *matching, uint32_t kind, uint32_t pos,
		    uint32_t looking)
{
	while (kind != looking) {
		matching->owner[pos] = kind + 1;
		pos = matching->wanted[kind];
		kind = matching->by[kind];
	}
	matching->owner[pos] = kind + 1;
}

/* Find room for one unit of a kind: a free node, or one whose owner finds
 * room elsewhere. */
static bool augment(struct matching *matching, uint32_t looking)
{
	const struct mixed *mixed = matching->mixed;
	const struct sgang_job *job = mixed->job;
	uint32_t head = 0, tail = 0, pos;

	memset(matching->seen, 0, job->n_kinds * sizeof(*matching->seen));
	matching->seen[looking] = true;
	matching->queue[tail++] = looking;
	while (head < tail) {
		uint32_t kind = matching->queue[head++];

		for (pos = matching->from; pos < matching->to; pos++) {
			uint32_t node = mixed->order[pos];
			uint32_t owner = matching->owner[pos];

			if ((owner && matching->seen[owner - 1]) ||
			    !sgang_kind_fits(job, &job->kind[kind], node,
					     mixed->request->free[node]))
				continue;
			if (!owner) {
				hand_on(matching, kind, pos, looking);
				return true;
			}
			matching->seen[owner - 1] = true;
			matching->wanted[owner - 1] = pos;
			matching->by[owner - 1] = kind;
			matching->queue[tail++] = owner - 1;
		}
	}
	return false;
}

/* Give the matched nodes of each kind to its members, in order. */
static void deal_matching(struct matching *matching)
{
	struct mixed *mixed = matching->mixed;
	uint32_t i, pos;

	clear_layout(mixed, matching->from, matching->to);
	for (i = 0; i < mixed->request->n_members; i++) {
		uint32_t kind = mixed->job->kind_of[i];
		uint32_t units = ask_of(mixed, i)->units;

		for (pos = mixed->cursor[kind]; units; pos++) {
			if (matching->owner[pos] != kind + 1)
				continue;
			put(mixed, i, pos, 1);
			units--;
		}
		mixed->cursor[kind] = pos;
	}
}

/* The arrays of all matchings of this call. NULL without memory. */
static struct matching *open_matching(struct mixed *mixed)
{
	struct sgang_pool *pool = mixed->job->pool;
	uint32_t n_kinds = mixed->job->n_kinds;
	struct matching *matching = sgang_pool_zalloc(pool, 1,
						      sizeof(*matching));

	if (!matching)
		return NULL;
	matching->mixed = mixed;
	matching->owner = sgang_pool_alloc(pool, mixed->n_nodes,
					   sizeof(*matching->owner));
	matching->wanted = sgang_pool_alloc(pool, n_kinds,
					    sizeof(*matching->wanted));
	matching->by = sgang_pool_alloc(pool, n_kinds, sizeof(*matching->by));
	matching->seen = sgang_pool_alloc(pool, n_kinds,
					  sizeof(*matching->seen));
	matching->queue = sgang_pool_alloc(pool, n_kinds,
					   sizeof(*matching->queue));
	if (!matching->owner || !matching->wanted || !matching->by ||
	    !matching->seen || !matching->queue)
		return NULL;
	return matching;
}

/* Returns 1, 0 when there is none, -1 without memory. */
static int match(struct mixed *mixed, const struct sgang_domain *domain)
{
	struct matching *matching = mixed->matching;
	uint32_t k;
	uint64_t u;

	if (!matching)
		matching = open_matching(mixed);
	if (!matching)
		return -1;
	mixed->matching = matching;
	matching->from = domain->first_pos;
	matching->to = domain->first_pos + domain->n_nodes;
	memset(matching->owner + matching->from, 0,
	       domain->n_nodes * sizeof(*matching->owner));
	for (k = 0; k < mixed->job->n_kinds; k++) {
		for (u = 0; u < mixed->job->kind[k].units; u++) {
			if (!augment(matching, k))
				return 0;
		}
	}
	deal_matching(matching);
	return 1;
}

/* -- everything -- */

struct packing {
	struct mixed *mixed;
	uint32_t from, to;
	uint32_t steps;			/* that are left */
};

static void push_unit(struct mixed *mixed, uint32_t member, uint32_t pos)
{
	struct layout *now = &mixed->now;
	struct piece *last = now->n ? &now->piece[now->n - 1] : NULL;

	if (!last || last->member != member || last->pos != pos) {
		put(mixed, member, pos, 1);
		return;
	}
	give_back(mixed, last);
	last->units++;
	take(mixed, last);
}

static void pop_unit(struct mixed *mixed)
{
	struct piece *last = &mixed->now.piece[mixed->now.n - 1];

	give_back(mixed, last);
	if (--last->units)
		take(mixed, last);
	else
		mixed->now.n--;
}

/* Find nodes from 'pos' on for the units of the i-th largest member that are
 * left, and for all members after it. */
static bool pack(struct packing *packing, uint32_t i, uint32_t units,
		 uint32_t pos)
{
	struct mixed *mixed = packing->mixed;
	uint32_t member;
	bool distinct;

	if (!units) {
		if (++i == mixed->request->n_members)
			return true;
		units = ask_of(mixed, mixed->rank[i])->units;
		pos = packing->from;
	}
	member = mixed->rank[i];
	distinct = sgang_member_distinct(ask_of(mixed, member));
	for (; pos < packing->to && packing->steps; pos++) {
		packing->steps--;
		if (!mixed->left[pos] || !fits(mixed, member, pos))
			continue;
		push_unit(mixed, member, pos);
		if (pack(packing, i, units - 1, distinct ? pos + 1 : pos))
			return true;
		pop_unit(mixed);
	}
	return false;
}

/* Try everything within a domain. False when there is nothing, or it takes too
 * long to find. */
static bool pack_members(struct mixed *mixed,
			 const struct sgang_domain *domain)
{
	struct packing packing = {
		.mixed = mixed,
		.from = domain->first_pos,
		.to = domain->first_pos + domain->n_nodes,
		.steps = PACK_STEPS
	};
	bool packed;

	if (mixed->job->units > PACK_UNITS ||
	    mixed->pack_steps > PACK_STEPS_SUM)
		return false;
	clear_layout(mixed, packing.from, packing.to);
	packed = pack(&packing, 0, ask_of(mixed, mixed->rank[0])->units,
		      packing.from);
	mixed->pack_steps += PACK_STEPS - packing.steps;
	if (packed)
		qsort(mixed->now.piece, mixed->now.n,
		      sizeof(*mixed->now.piece), by_member);
	return packed;
}

/* -- kind by kind -- */

/* Mark what the pieces so far use, and find the domain that holds it all. */
static void mark_used(const struct mixed *mixed, bool *used, uint32_t *home)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;
	const struct sgang_domain *domain;
	uint32_t low = UINT32_MAX, high = 0, d;
	size_t i;

	for (i = 0; i < mixed->now.n; i++) {
		uint32_t pos = mixed->now.piece[i].pos;

		low = pos < low ? pos : low;
		high = pos > high ? pos : high;
		for (d = sgang_fabric_leaf(fabric, mixed->order[pos]);
		     d != SGANG_DOMAIN_NONE && !used[d];
		     d = sgang_fabric_domain(fabric, d)->parent)
			used[d] = true;
	}
	d = sgang_fabric_leaf(fabric, mixed->order[low]);
	domain = sgang_fabric_domain(fabric, d);
	while (high - domain->first_pos >= domain->n_nodes) {
		d = domain->parent;
		domain = sgang_fabric_domain(fabric, d);
	}
	*home = d;
}

/* Give the picked units to the members of a kind, in order. */
static void deal_picks(struct mixed *mixed, uint32_t kind,
		       const struct sgang_tree *tree)
{
	size_t i = 0;
	uint32_t member, there = tree->pick[0].units;

	for (member = 0; member < mixed->request->n_members; member++) {
		uint32_t units = ask_of(mixed, member)->units;

		if (mixed->job->kind_of[member] != kind)
			continue;
		while (units) {
			uint32_t n;

			if (!there)
				there = tree->pick[++i].units;
			n = units < there ? units : there;
			put(mixed, member, tree->pick[i].pos, n);
			units -= n;
			there -= n;
		}
	}
}

/* Does a member of this kind want several distinct nodes? Then no node is
 * used twice by the kind. */
static bool wants_distinct(const struct mixed *mixed, uint32_t kind)
{
	uint32_t i;

	for (i = 0; i < mixed->request->n_members; i++) {
		if (mixed->job->kind_of[i] == kind &&
		    sgang_member_distinct(ask_of(mixed, i)))
			return true;
	}
	return false;
}

/* Place all members of one kind, given what is placed already. */
static int place_kind(struct mixed *mixed, uint32_t number, uint32_t *cap)
{
	const struct sgang_kind *kind = &mixed->job->kind[number];
	struct sgang_pool *pool = mixed->job->pool;
	uint32_t most = wants_distinct(mixed, number) ? 1 : UINT32_MAX, pos;
	struct sgang_tree tree = { .request = mixed->request,
				   .need = kind->units, .cap = cap,
				   .left = mixed->left, .unit = true,
				   .broken = mixed->broken };
	bool *used;
	int rc;

	for (pos = 0; pos < mixed->n_nodes; pos++) {
		uint32_t room = mixed->left[pos] ?
				sgang_kind_fits(mixed->job, kind,
						mixed->order[pos],
						mixed->left[pos]) : 0;

		cap[pos] = room < most ? room : most;
		if (cap[pos] > 1)
			tree.unit = false;
	}
	tree.ranks = kind->units * (kind->ranks ? kind->ranks : 1);
	if (mixed->now.n) {
		used = sgang_pool_zalloc(pool,
			sgang_fabric_domains(mixed->request->fabric),
			sizeof(*used));
		if (!used)
			return -1;
		mark_used(mixed, used, &tree.home);
		tree.used = used;
	}
	rc = sgang_tree_solve(&tree, pool, false);
	if (rc > 0)
		deal_picks(mixed, number, &tree);
	return rc;
}

/* How constructions kind by kind go through the kinds. */
static uint32_t kind_in_turn(const struct mixed *mixed, uint32_t turn,
			     uint32_t i)
{
	uint32_t n = mixed->job->n_kinds;

	return turn ? n - 1 - i : i;
}

/* Returns 1, 0 when it does not work out, -1 without memory. */
static int kind_by_kind(struct mixed *mixed, uint32_t turn, uint32_t *cap)
{
	uint32_t i;
	int rc = 1;

	clear_layout(mixed, 0, mixed->n_nodes);
	for (i = 0; i < mixed->job->n_kinds && rc > 0; i++)
		rc = place_kind(mixed, kind_in_turn(mixed, turn, i), cap);
	if (rc > 0)
		qsort(mixed->now.piece, mixed->now.n,
		      sizeof(*mixed->now.piece), by_member);
	return rc;
}

/* Beyond so many kinds solving each exactly is not worth its time. */
#define KINDS_MAX 8

static int try_kinds(struct mixed *mixed)
{
	uint32_t turn, *cap = sgang_pool_alloc(mixed->job->pool,
					       mixed->n_nodes, sizeof(*cap));
	int rc;

	if (!cap)
		return -1;
	for (turn = 0; turn < 2 && mixed->job->n_kinds <= KINDS_MAX &&
	     !done(mixed); turn++) {
		rc = kind_by_kind(mixed, turn, cap);
		if (rc < 0)
			return -1;
		if (rc)
			finish(mixed);
	}
	return 0;
}

/* -- a pool of nodes -- */

/* Solve for so many slots and make the picked nodes the pool. Returns as
 * sgang_tree_solve(); '*domain' holds them. */
static int fill_pool(struct mixed *mixed, struct sgang_tree *tree,
		     struct sgang_domain *domain)
{
	size_t i;
	int rc = sgang_tree_solve(tree, mixed->job->pool, false);

	if (rc <= 0)
		return rc;
	memset(mixed->pool, 0, mixed->n_nodes * sizeof(*mixed->pool));
	for (i = 0; i < tree->n_picks; i++)
		mixed->pool[tree->pick[i].pos] = true;
	*domain = *sgang_fabric_domain(mixed->request->fabric, tree->domain);
	return 1;
}

/* Try every way to fit in that has not worked with a smaller pool. Returns
 * whether all of them have. */
static bool try_pool(struct mixed *mixed, const struct sgang_domain *domain,
		     bool *worked)
{
	enum fit fit;
	bool all = true;

	for (fit = NEXT_IN_ORDER; fit <= FIRST_LARGE && !done(mixed); fit++) {
		if (worked[fit])
			continue;
		worked[fit] = fit_members(mixed, domain, fit);
		if (worked[fit])
			finish(mixed);
		else
			all = false;
	}
	return all;
}

/* Pools grow by these parts of 32 of what is needed. */
static int try_pools(struct mixed *mixed, struct sgang_tree *tree)
{
	static const uint32_t grow[] = { 0, 1, 2, 4, 8, 16, 32 };
	uint64_t need = tree->need;
	bool worked[FITS] = { false }, all = false;
	struct sgang_domain domain;
	size_t i;
	int rc = 1;

	mixed->pool = sgang_pool_alloc(mixed->job->pool, mixed->n_nodes,
				       sizeof(*mixed->pool));
	if (!mixed->pool)
		return -1;
	for (i = 0; i < sizeof(grow) / sizeof(grow[0]) && rc > 0; i++) {
		if (all || done(mixed))
			break;
		tree->need = need + need * grow[i] / 32;
		rc = fill_pool(mixed, tree, &domain);
		if (rc > 0)
			all = try_pool(mixed, &domain, worked);
	}
	mixed->pool = NULL;
	return rc < 0 ? -1 : 0;
}

/* -- domain by domain -- */

/* A domain, or a node (level SGANG_LEVEL_ISLAND, n_nodes 1), worth a try. */
struct candidate {
	struct sgang_domain domain;
	uint64_t free;
};

static int by_level(const void *one, const void *two)
{
	const struct candidate *a = one, *b = two;

	if (a->domain.level != b->domain.level)
		return a->domain.level < b->domain.level ? -1 : 1;
	if (a->free != b->free)
		return a->free < b->free ? -1 : 1;
	return a->domain.first_pos < b->domain.first_pos ? -1 :
	       a->domain.first_pos > b->domain.first_pos;
}

/* The fewest slots that all members can do with. */
static uint64_t least_slots(const struct mixed *mixed)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < mixed->job->n_kinds; i++) {
		const struct sgang_kind *kind = &mixed->job->kind[i];

		sum += kind->units * (kind->whole ? 1 : kind->slots);
	}
	return sum;
}

/* Sum up free slots by position, so that any run of positions is a
 * difference. */
static uint64_t *sum_free(const struct mixed *mixed)
{
	uint64_t *sum = sgang_pool_alloc(mixed->job->pool,
					 (size_t)mixed->n_nodes + 1,
					 sizeof(*sum));
	uint32_t pos;

	if (!sum)
		return NULL;
	sum[0] = 0;
	for (pos = 0; pos < mixed->n_nodes; pos++)
		sum[pos + 1] = sum[pos] +
			       mixed->request->free[mixed->order[pos]];
	return sum;
}

static void add_candidate(struct candidate *candidate, size_t *n,
			  const struct sgang_domain *domain,
			  const uint64_t *sum, uint64_t needed)
{
	uint64_t free = sum[domain->first_pos + domain->n_nodes] -
			sum[domain->first_pos];

	if (free < needed)
		return;
	candidate[*n].domain = *domain;
	candidate[(*n)++].free = free;
}

/* All places with slots enough, low levels first, then the tightest. */
static struct candidate *list_candidates(const struct mixed *mixed, size_t *n)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;
	uint32_t d, pos, n_domains = sgang_fabric_domains(fabric);
	uint64_t needed = least_slots(mixed), *sum = sum_free(mixed);
	struct sgang_domain node = { .level = SGANG_LEVEL_ISLAND,
				     .n_nodes = 1 };
	struct candidate *candidate;

	candidate = sgang_pool_alloc(mixed->job->pool,
				     (size_t)n_domains + mixed->n_nodes,
				     sizeof(*candidate));
	if (!sum || !candidate)
		return NULL;
	*n = 0;
	for (pos = 0; pos < mixed->n_nodes; pos++) {
		node.first_pos = pos;
		add_candidate(candidate, n, &node, sum, needed);
	}
	for (d = 0; d < n_domains; d++) {
		if (sgang_tree_allowed(mixed->request, d))
			add_candidate(candidate, n,
				      sgang_fabric_domain(fabric, d), sum,
				      needed);
	}
	qsort(candidate, *n, sizeof(*candidate), by_level);
	return candidate;
}

/* Every construction within one domain. Returns 1 when one worked, 0, or -1
 * without memory. */
static int try_domain(struct mixed *mixed, const struct sgang_domain *domain)
{
	enum fit fit;
	int rc, worked = 0;

	for (fit = NEXT_IN_ORDER; fit < FITS && !done(mixed); fit++) {
		if (fit > FIRST_LARGE && worked)
			break;
		if (fit_members(mixed, domain, fit)) {
			finish(mixed);
			worked = 1;
		}
	}
	if (worked || domain->level == SGANG_LEVEL_ISLAND)
		return worked;
	rc = match(mixed, domain);
	if (!rc)
		rc = pack_members(mixed, domain);
	if (rc > 0)
		finish(mixed);
	return rc;
}

/* Is there no larger place to try? */
static bool highest(const struct mixed *mixed,
		    const struct sgang_domain *domain)
{
	if (domain->level == SGANG_LEVEL_ISLAND)
		return mixed->request->max_level <
		       sgang_plan_lowest(mixed->request);
	return domain->parent == SGANG_DOMAIN_NONE ||
	       !sgang_tree_allowed(mixed->request, domain->parent);
}

static int try_domains(struct mixed *mixed)
{
	uint32_t level = 0, worked = 0, failed = 0;
	struct candidate *candidate;
	size_t i, n;
	int rc;

	candidate = list_candidates(mixed, &n);
	if (!candidate)
		return -1;
	for (i = 0; i < n && !done(mixed); i++) {
		const struct sgang_domain *domain = &candidate[i].domain;

		if (domain->level != level) {
			level = domain->level;
			worked = 0;
			failed = 0;
		}
		if (worked == DOMAINS_MAX)
			continue;
		if (failed >= FAILURES_MAX &&
		    (mixed->found || !highest(mixed, domain)))
			continue;
		rc = try_domain(mixed, domain);
		if (rc < 0)
			return -1;
		worked += rc > 0;
		failed += !rc;
	}
	return 0;
}

/* -- set-up and result -- */

/* What makes a member hard to place. */
struct hardness {
	uint32_t slots;			/* of a unit */
	uint32_t apart;			/* nodes that it needs at least */
	uint32_t member;
};

static int by_hardness(const void *one, const void *two)
{
	const struct hardness *a = one, *b = two;

	if (a->slots != b->slots)
		return a->slots > b->slots ? -1 : 1;
	if (a->apart != b->apart)
		return a->apart > b->apart ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

/* Members with large units first, whole nodes before all, then those that need
 * many nodes. */
static int rank_members(struct mixed *mixed)
{
	uint32_t i, n = (uint32_t)mixed->request->n_members;
	struct hardness *hard = sgang_pool_alloc(mixed->job->pool, n,
						 sizeof(*hard));

	if (!hard)
		return -1;
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *ask = ask_of(mixed, i);

		hard[i].slots = ask->slots ? ask->slots : UINT32_MAX;
		hard[i].apart = sgang_member_distinct(ask) ? ask->units : 1;
		hard[i].member = i;
	}
	qsort(hard, n, sizeof(*hard), by_hardness);
	for (i = 0; i < n; i++)
		mixed->rank[i] = hard[i].member;
	return 0;
}

static int set_up(struct mixed *mixed)
{
	struct sgang_pool *pool = mixed->job->pool;
	size_t i;

	for (i = 0; i < mixed->request->n_members; i++) {
		uint32_t units = mixed->request->members[i].units;

		mixed->room += units < mixed->n_nodes ? units : mixed->n_nodes;
	}
	mixed->left = sgang_pool_zalloc(pool, mixed->n_nodes,
					sizeof(*mixed->left));
	mixed->cursor = sgang_pool_alloc(pool, mixed->job->n_kinds,
					 sizeof(*mixed->cursor));
	mixed->rank = sgang_pool_alloc(pool, mixed->request->n_members,
				       sizeof(*mixed->rank));
	mixed->spot = sgang_pool_alloc(pool, mixed->n_nodes,
				       sizeof(*mixed->spot));
	mixed->now.piece = sgang_pool_alloc(pool, mixed->room,
					    sizeof(*mixed->now.piece));
	mixed->best.piece = sgang_pool_alloc(pool, mixed->room,
					     sizeof(*mixed->best.piece));
	if (!mixed->left || !mixed->cursor || !mixed->rank || !mixed->spot ||
	    !mixed->now.piece || !mixed->best.piece)
		return -1;
	return rank_members(mixed);
}

/* Write the best layout as runs. */
static int write_runs(const struct mixed *mixed, struct sgang_run **runs,
		      size_t *n_runs)
{
	const struct layout *best = &mixed->best;
	struct sgang_run *run;
	size_t i;

	run = sgang_pool_alloc(mixed->job->pool, best->n, sizeof(*run));
	if (!run)
		return -1;
	for (i = 0; i < best->n; i++) {
		const struct piece *piece = &best->piece[i];

		run[i].member = piece->member;
		run[i].node = mixed->order[piece->pos];
		run[i].ranks = (uint32_t)piece_ranks(mixed, piece);
		run[i].slots = slots_of(mixed, piece);
	}
	*runs = run;
	*n_runs = best->n;
	return 0;
}

int sgang_mixed_solve(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t bound, struct sgang_run **runs, size_t *n_runs)
{
	struct mixed mixed = {
		.job = job,
		.request = job->request,
		.broken = broken,
		.order = sgang_fabric_order(job->request->fabric),
		.n_nodes = sgang_fabric_nodes(job->request->fabric),
		.bound = bound
	};

	struct sgang_tree slots;

	if (set_up(&mixed) || sgang_job_in_slots(job, broken, &slots) ||
	    try_kinds(&mixed) || try_pools(&mixed, &slots) ||
	    try_domains(&mixed))
		return -1;
	if (!mixed.found)
		return 0;
	return write_runs(&mixed, runs, n_runs) ? -1 : 1;
}
