/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.c - the weighted cost of communication groups, over all orders of ranks
 *
 * Ranks are numbers of as many digits as there are groups, the first varying
 * fastest. Those that differ in one digit only are a ring of its group.
 */

#include "model.h"

struct layout {
	const struct lr_cluster *c;
	const struct lr_gang *g;
	uint32_t ranks;
	uint8_t left[LR_NODES];    /* places */
	uint8_t node[LR_LAID_OUT]; /* by rank, of the first ones */
	uint64_t best;
};

/* The next rank in the ring of that group. */
static uint32_t next_in(const struct lr_gang *g, uint32_t group, uint32_t rank)
{
	uint32_t stride = 1, size = g->size[group], digit;

	for (uint32_t i = 0; i < group; i++)
		stride *= g->size[i];
	digit = rank / stride % size;
	return rank - digit * stride + (digit + 1) % size * stride;
}

/* All hops of rings that are known once rank 'last' has its node. */
static uint64_t hops_of(const struct lr_cluster *c, const struct lr_gang *g,
			const uint8_t *node, uint32_t last)
{
	uint64_t sum = 0;

	for (uint32_t group = 0; group < g->n_groups; group++) {
		for (uint32_t rank = 0; rank <= last; rank++) {
			uint32_t next = next_in(g, group, rank);

			if (next != rank && next <= last &&
			    (next == last || rank == last))
				sum += (uint64_t)g->heavy[group] *
				       c->hop[node[rank]][node[next]];
		}
	}
	return sum;
}

uint64_t lr_weighted(const struct lr_cluster *c, const struct lr_gang *g,
		     const uint8_t *node)
{
	uint32_t ranks = lr_ranks(g);
	uint64_t sum = 0;

	for (uint32_t rank = 0; rank < ranks; rank++)
		sum += hops_of(c, g, node, rank);
	return sum;
}

static void lay_out(struct layout *l, uint32_t rank, uint64_t cost)
{
	if (cost >= l->best)
		return;
	if (rank == l->ranks) {
		l->best = cost;
		return;
	}
	for (uint32_t i = 0; i < l->c->n_nodes; i++) {
		if (!l->left[i])
			continue;
		l->left[i]--;
		l->node[rank] = (uint8_t)i;
		lay_out(l, rank + 1, cost + hops_of(l->c, l->g, l->node, rank));
		l->left[i]++;
	}
}

uint64_t lr_best_layout(const struct lr_cluster *c, const struct lr_gang *g,
			const uint8_t places[LR_NODES], uint64_t below)
{
	struct layout l = {
		.c = c, .g = g, .ranks = lr_ranks(g), .best = below
	};

	for (uint32_t i = 0; i < c->n_nodes; i++)
		l.left[i] = places[i];
	lay_out(&l, 0, 0);
	return l.best;
}
