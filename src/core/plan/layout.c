/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.c - the layout at hand and the best one, and what they cost */

#include <stdlib.h>
#include <string.h>

#include "mixed.h"

void sgang_mixed_clear(struct mixed *mixed, uint32_t from, uint32_t to)
{
	uint32_t pos;

	memset(left_at(mixed, mixed->from), 0,
	       (size_t)(mixed->to - mixed->from) * mixed->n_dims *
		       sizeof(*mixed->left));
	mixed->from = from;
	mixed->to = to;
	for (pos = from; pos < to; pos++)
		memcpy(left_at(mixed, pos),
		       sgang_job_free(mixed->job, mixed->order[pos]),
		       mixed->n_dims * sizeof(*mixed->left));
	for (pos = 0; pos < mixed->job->n_kinds; pos++)
		mixed->cursor[pos] = from;
	mixed->now.n = 0;
}

void sgang_mixed_add(struct mixed *mixed, uint32_t member, uint32_t pos)
{
	struct layout *now = &mixed->now;
	size_t i;

	for (i = now->n; i > 0 && now->piece[i - 1].member == member; i--) {
		struct piece *piece = &now->piece[i - 1];

		if (piece->pos != pos)
			continue;
		give_back(mixed, piece);
		piece->units++;
		take(mixed, piece);
		return;
	}
	put(mixed, member, pos, 1);
}

static uint64_t cost_of(const struct mixed *mixed, const struct layout *layout)
{
	uint64_t island = mixed->request->costs->hop[SGANG_LEVEL_ISLAND];
	uint64_t cost = 0;
	size_t i;

	for (i = 0; i < layout->n; i++) {
		const struct piece *piece = &layout->piece[i];
		const struct piece *next = &layout->piece[(i + 1) % layout->n];

		cost += (piece_ranks(mixed, piece) - 1) * island;
		cost += hop_at(mixed, piece->pos, next->pos);
	}
	return cost;
}

/* The wholly free space that a layout breaks; with weights, its tie. */
static uint64_t broken_by(const struct mixed *mixed,
			  const struct layout *layout)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;
	const struct sgang_coin *coin = mixed->job->coin;
	uint64_t sum = 0;
	uint32_t pass, d;
	size_t i;

	/* mark and add up, then clear the marks */
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < layout->n; i++) {
			uint32_t pos = layout->piece[i].pos;

			if (coin && coin->at &&
			    mixed->used[pos] == (pass == 1)) {
				mixed->used[pos] = !pass;
				sum += pass ? 0 : sgang_coin_at(coin, pos);
			}
			for (d = sgang_fabric_leaf(fabric, mixed->order[pos]);
			     d != SGANG_DOMAIN_NONE &&
			     mixed->seen[d] == (pass == 1);
			     d = sgang_fabric_domain(fabric, d)->parent) {
				mixed->seen[d] = !pass;
				sum += pass ? 0 :
					      mixed->broken[d] +
						       sgang_coin_in(coin, d);
			}
		}
	}
	return sum;
}

static bool better(const struct layout *a, const struct layout *b)
{
	return a->cost < b->cost ||
	       (a->cost == b->cost && a->broken < b->broken);
}

void sgang_mixed_finish(struct mixed *mixed)
{
	struct layout swap;

	sgang_budget_take(mixed->request->budget, mixed->now.n);
	mixed->now.cost = cost_of(mixed, &mixed->now);
	if (mixed->now.cost > mixed->bound) {
		sgang_mixed_improve(mixed);
		mixed->now.cost = cost_of(mixed, &mixed->now);
	}
	mixed->now.broken = broken_by(mixed, &mixed->now);
	if (mixed->found && !better(&mixed->now, &mixed->best))
		return;
	swap = mixed->best;
	mixed->best = mixed->now;
	mixed->now = swap;
	mixed->found = true;
}

int sgang_mixed_by_member(const void *one, const void *two)
{
	const struct piece *a = one, *b = two;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}
