/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_match.c - one unit a node: a matching; else trying everything */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_mixed.h"

/* Trying everything ends after so many steps in one domain, and in all; gangs
 * with more units are not tried. */
#define PACK_STEPS 4000
#define PACK_STEPS_SUM 60000
#define PACK_UNITS 256

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

	sgang_mixed_clear(mixed, matching->from, matching->to);
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

int sgang_mixed_match(struct mixed *mixed, const struct sgang_domain *domain)
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

bool sgang_mixed_pack(struct mixed *mixed, const struct sgang_domain *domain)
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
	sgang_mixed_clear(mixed, packing.from, packing.to);
	packed = pack(&packing, 0, ask_of(mixed, mixed->rank[0])->units,
		      packing.from);
	mixed->pack_steps += PACK_STEPS - packing.steps;
	if (packed)
		qsort(mixed->now.piece, mixed->now.n,
		      sizeof(*mixed->now.piece), sgang_mixed_by_member);
	return packed;
}
