/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_route.c - the leaves that the ring is laid over, and their order
 *
 *  - those that would be best for so many slots, in depth-first order;
 *  - where each kind of members is one piece of the ring, those that are best
 *    for each kind, in such an order that one kind goes on where the one before
 *    it ends.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_mixed.h"

/* What one more slot costs, compared with the average: leaves are entered
 * anyway. Found by trying. */
#define MARGIN 1.25
/* With more kinds blocks are not tried. */
#define BLOCKS_MAX 4
/* With more units one sort of walk has to do. */
#define UNITS_MAX 256

/* A list of stops, and the positions of their nodes. */
struct route {
	struct sgang_stop *stop;
	uint32_t n_stops;
	uint32_t *pos;
	uint32_t n_pos;
};

static int open_route(const struct mixed *mixed, struct route *route)
{
	struct sgang_pool *pool = mixed->job->pool;

	memset(route, 0, sizeof(*route));
	route->stop = sgang_pool_alloc(pool, mixed->n_nodes,
				       sizeof(*route->stop));
	route->pos = sgang_pool_alloc(pool, mixed->n_nodes,
				      sizeof(*route->pos));
	return route->stop && route->pos ? 0 : -1;
}

static const struct sgang_domain *leaf_at(const struct mixed *mixed,
					  uint32_t pos)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;

	return sgang_fabric_domain(fabric,
				   sgang_fabric_leaf(fabric,
						     mixed->order[pos]));
}

/* Add a leaf with all its nodes that have room. */
static void add_leaf(const struct mixed *mixed, struct route *route,
		     const struct sgang_domain *leaf)
{
	struct sgang_stop *stop = &route->stop[route->n_stops];
	uint32_t pos;

	stop->first = route->n_pos;
	for (pos = leaf->first_pos; pos < leaf->first_pos + leaf->n_nodes;
	     pos++) {
		if (mixed->request->free[mixed->order[pos]])
			route->pos[route->n_pos++] = pos;
	}
	stop->n = route->n_pos - stop->first;
	route->n_stops += stop->n > 0;
}

/* The leaves of what is picked, in order. */
static void route_over(const struct mixed *mixed, const struct sgang_tree *tree,
		       struct route *route)
{
	const struct sgang_domain *leaf = NULL;
	size_t i;

	route->n_stops = 0;
	route->n_pos = 0;
	for (i = 0; i < tree->n_picks; i++) {
		uint32_t pos = tree->pick[i].pos;

		if (leaf && pos - leaf->first_pos < leaf->n_nodes)
			continue;
		leaf = leaf_at(mixed, pos);
		add_leaf(mixed, route, leaf);
	}
}

/* -- so many slots -- */

/* The leaves for so many slots, and for so many 256ths more if the ring does
 * not fit there. */
static int walk_slots(struct mixed *mixed, const struct sgang_tree *slots)
{
	static const uint32_t more[] = { 0, 1, 2, 4, 8, 16, 32, 64 };
	struct sgang_tree tree;
	struct route route;
	size_t i;
	int rc = 0;

	if (open_route(mixed, &route))
		return -1;
	for (i = 0; i < sizeof(more) / sizeof(more[0]) && !rc; i++) {
		tree = *slots;
		tree.need += slots->need * more[i] / 256;
		rc = sgang_tree_solve(&tree, mixed->job->pool, false);
		if (rc <= 0)
			return rc;
		route_over(mixed, &tree, &route);
		rc = sgang_mixed_walk(mixed, route.stop, route.n_stops,
				      route.pos, (double)tree.bound * MARGIN /
				      (double)tree.need, 0);
	}
	return rc;
}

/* -- block by block -- */

/* A piece of the ring whose members are of one kind, or of all kinds but one,
 * and where it is. */
struct block {
	uint32_t kind;
	bool others;			/* of all kinds but this */
	uint32_t mark;			/* its nodes are marked so, not 0 */
	uint32_t first;			/* its first member */
	uint64_t cost;			/* hops of ranks apart */
	uint32_t *leaf;			/* domains, in the order of the ring */
	uint32_t n;
};

struct blocks {
	struct mixed *mixed;
	struct block *block;
	uint32_t n;
	uint32_t *owner;		/* by position: whose mark; 0: nobody */
	uint32_t *cap;
	bool *used;			/* by domain, those above leaves */
	uint32_t home;			/* holds all that is used */
	uint64_t cost;			/* of all blocks, hops of ranks apart */
	uint64_t slots[2];		/* of two arcs */
};

/* Find the blocks of the ring. False when a kind has more than one. */
static bool find_blocks(struct blocks *blocks)
{
	const struct sgang_job *job = blocks->mixed->job;
	uint32_t n = (uint32_t)job->request->n_members, i;

	blocks->n = 0;
	for (i = 0; i < n; i++) {
		if (job->kind_of[i] == job->kind_of[i ? i - 1 : n - 1])
			continue;
		if (blocks->n == job->n_kinds)
			return false;
		blocks->block[blocks->n].kind = job->kind_of[i];
		blocks->block[blocks->n].mark = blocks->n + 1;
		blocks->block[blocks->n++].first = i;
	}
	return blocks->n == job->n_kinds;
}

/* The lowest domain that holds both. */
static uint32_t common(const struct sgang_fabric *fabric, uint32_t a,
		       uint32_t b)
{
	while (a != b) {
		/* parents have lower numbers than children */
		if (a > b)
			a = sgang_fabric_domain(fabric, a)->parent;
		else
			b = sgang_fabric_domain(fabric, b)->parent;
	}
	return a;
}

/* Remember what is picked for a block. */
static int keep_picks(struct blocks *blocks, struct block *block,
		      const struct sgang_tree *tree)
{
	const struct mixed *mixed = blocks->mixed;
	const struct sgang_fabric *fabric = mixed->request->fabric;
	uint32_t leaf;
	size_t i;

	block->leaf = sgang_pool_alloc(mixed->job->pool, tree->n_picks,
				       sizeof(*block->leaf));
	if (!block->leaf)
		return -1;
	block->n = 0;
	for (i = 0; i < tree->n_picks; i++) {
		uint32_t pos = tree->pick[i].pos;

		blocks->owner[pos] = block->mark;
		leaf = sgang_fabric_leaf(fabric, mixed->order[pos]);
		if (!block->n || block->leaf[block->n - 1] != leaf)
			block->leaf[block->n++] = leaf;
	}
	return 0;
}

/* Forget what is picked for a block. */
static void drop_picks(struct blocks *blocks, struct block *block)
{
	uint32_t pos;

	for (pos = 0; pos < blocks->mixed->n_nodes; pos++) {
		if (blocks->owner[pos] == block->mark)
			blocks->owner[pos] = 0;
	}
}

/* Mark what is above the leaves of all blocks, and find what holds them. The
 * leaves of 'own' are marked, too. */
static void mark_used(struct blocks *blocks, const struct block *own)
{
	const struct sgang_fabric *fabric = blocks->mixed->request->fabric;
	uint32_t i, k, d;

	memset(blocks->used, 0,
	       sgang_fabric_domains(fabric) * sizeof(*blocks->used));
	blocks->home = SGANG_DOMAIN_NONE;
	for (i = 0; i < blocks->n; i++) {
		for (k = 0; k < blocks->block[i].n; k++) {
			uint32_t leaf = blocks->block[i].leaf[k];

			if (&blocks->block[i] == own)
				blocks->used[leaf] = true;
			for (d = sgang_fabric_domain(fabric, leaf)->parent;
			     d != SGANG_DOMAIN_NONE && !blocks->used[d];
			     d = sgang_fabric_domain(fabric, d)->parent)
				blocks->used[d] = true;
			blocks->home = blocks->home == SGANG_DOMAIN_NONE ?
				leaf : common(fabric, blocks->home, leaf);
		}
	}
}

/* What fits on a node: units of one kind, or slots. */
static uint32_t room_for(const struct mixed *mixed, const struct block *block,
			 uint32_t node, bool distinct)
{
	uint32_t free = mixed->request->free[node], k, room;

	if (!block->others) {
		room = sgang_kind_fits(mixed->job,
				       &mixed->job->kind[block->kind], node,
				       free);
		return distinct && room > 1 ? 1 : room;
	}
	for (k = 0; k < mixed->job->n_kinds; k++) {
		if (k != block->kind &&
		    sgang_kind_fits(mixed->job, &mixed->job->kind[k], node,
				    free))
			return free;
	}
	return 0;
}

/* What a block needs, in units of its kind or in slots. */
static uint64_t need_of(const struct mixed *mixed, const struct block *block)
{
	const struct sgang_job *job = mixed->job;
	uint64_t need = 0;
	uint32_t k;

	if (!block->others)
		return job->kind[block->kind].units;
	for (k = 0; k < job->n_kinds; k++) {
		if (k != block->kind)
			need += job->kind[k].units *
				sgang_kind_least_slots(job, &job->kind[k]);
	}
	return need;
}

/* Pick the best nodes for a block among those that no other one has. Leaves
 * that it has already are free to use. Those of others are not, since the ring
 * comes back there, but what is above is. Returns as sgang_tree_solve(). */
static int pick_block(struct blocks *blocks, struct block *block)
{
	const struct mixed *mixed = blocks->mixed;
	bool distinct = !block->others &&
			sgang_mixed_distinct(mixed, block->kind);
	struct sgang_tree tree = { .request = mixed->request,
				   .need = need_of(mixed, block),
				   .cap = blocks->cap,
				   .left = mixed->request->free, .unit = true,
				   .broken = mixed->broken };
	uint32_t pos;
	int rc;

	drop_picks(blocks, block);
	mark_used(blocks, block);
	for (pos = 0; pos < mixed->n_nodes; pos++) {
		blocks->cap[pos] = blocks->owner[pos] ? 0 :
				   room_for(mixed, block, mixed->order[pos],
					    distinct);
		if (blocks->cap[pos] > 1)
			tree.unit = false;
	}
	if (blocks->home != SGANG_DOMAIN_NONE) {
		tree.used = blocks->used;
		tree.home = blocks->home;
	}
	rc = sgang_tree_solve(&tree, mixed->job->pool, false);
	if (rc <= 0)
		return rc;
	blocks->cost += tree.bound;
	block->cost = tree.bound;
	return keep_picks(blocks, block, &tree) ? -1 : 1;
}

/* -- how the blocks follow each other -- */

static uint32_t meet(const struct blocks *blocks, uint32_t leaf_a,
		     uint32_t leaf_b)
{
	const struct sgang_fabric *fabric = blocks->mixed->request->fabric;

	return sgang_fabric_domain(fabric, common(fabric, leaf_a,
						  leaf_b))->level;
}

/* Where a block begins and ends: numbers of leaves in its list. */
struct ends {
	uint32_t first;
	uint32_t last;
};

/* Leaves that are compared when ends are looked for. */
#define ENDS_MAX 128

/* Let block b begin near where block a ends. If a's beginning is fixed, it is
 * to be as far from its end as the block reaches. */
static void join(const struct blocks *blocks, uint32_t a, uint32_t b,
		 struct ends *ends, bool fixed)
{
	const struct block *one = &blocks->block[a], *two = &blocks->block[b];
	uint32_t best = UINT32_MAX, i, k, far = 0;

	for (i = 0; fixed && i < one->n; i++) {
		uint32_t level = meet(blocks, one->leaf[i],
				      one->leaf[ends[a].first]);

		far = level > far ? level : far;
	}
	for (i = 0; i < one->n && i < ENDS_MAX; i++) {
		if (fixed && meet(blocks, one->leaf[i],
				  one->leaf[ends[a].first]) < far)
			continue;
		for (k = 0; k < two->n && k < ENDS_MAX; k++) {
			uint32_t level = meet(blocks, one->leaf[i],
					      two->leaf[k]);

			level += level ? one->leaf[i] != two->leaf[k] : 0;
			if (level >= best)
				continue;
			best = level;
			ends[a].last = i;
			ends[b].first = k;
		}
	}
}

/* Depth-first order that begins at one leaf and ends at another: of two leaves
 * the one comes first that is nearer to the first one or, if neither is, less
 * near to the last. */
static bool comes_before(const struct blocks *blocks, uint32_t a, uint32_t b,
			 uint32_t first, uint32_t last)
{
	uint32_t level = meet(blocks, a, b);
	bool near_a = a == first || (b != first &&
				     meet(blocks, a, first) < level);
	bool near_b = b == first || (a != first &&
				     meet(blocks, b, first) < level);

	if (near_a != near_b)
		return near_a;
	near_a = a == last || (b != last && meet(blocks, a, last) < level);
	near_b = b == last || (a != last && meet(blocks, b, last) < level);
	if (near_a != near_b)
		return near_b;
	return sgang_fabric_domain(blocks->mixed->request->fabric,
				   a)->first_pos <
	       sgang_fabric_domain(blocks->mixed->request->fabric,
				   b)->first_pos;
}

static void order_block(const struct blocks *blocks, struct block *block,
			const struct ends *ends)
{
	uint32_t first = block->leaf[ends->first];
	uint32_t last = block->leaf[ends->last], i, k;

	/* few, and nearly sorted already */
	for (i = 1; i < block->n; i++) {
		uint32_t leaf = block->leaf[i];

		for (k = i; k && comes_before(blocks, leaf, block->leaf[k - 1],
					      first, last); k--)
			block->leaf[k] = block->leaf[k - 1];
		block->leaf[k] = leaf;
	}
}

static int order_blocks(const struct blocks *blocks)
{
	struct ends *ends = sgang_pool_zalloc(blocks->mixed->job->pool,
					      blocks->n, sizeof(*ends));
	uint32_t i;

	if (!ends)
		return -1;
	for (i = 0; i < blocks->n; i++)
		join(blocks, i, (i + 1) % blocks->n, ends, i > 0);
	for (i = 0; i < blocks->n; i++)
		order_block(blocks, &blocks->block[i], &ends[i]);
	return 0;
}

/* Is a node of this leaf picked for another block? */
static bool is_shared(const struct blocks *blocks,
		      const struct sgang_domain *leaf, uint32_t mark)
{
	uint32_t pos;

	for (pos = leaf->first_pos; pos < leaf->first_pos + leaf->n_nodes;
	     pos++) {
		if (blocks->owner[pos] && blocks->owner[pos] != mark)
			return true;
	}
	return false;
}

/* The leaves of all blocks: where several use one, each has its own nodes. */
static void route_blocks(const struct blocks *blocks, struct route *route)
{
	const struct mixed *mixed = blocks->mixed;
	uint32_t i, k, pos;

	for (i = 0; i < blocks->n; i++) {
		const struct block *block = &blocks->block[i];

		for (k = 0; k < block->n; k++) {
			const struct sgang_domain *leaf = sgang_fabric_domain(
				mixed->request->fabric, block->leaf[k]);
			struct sgang_stop *stop;

			if (!is_shared(blocks, leaf, block->mark)) {
				add_leaf(mixed, route, leaf);
				continue;
			}
			stop = &route->stop[route->n_stops++];
			stop->first = route->n_pos;
			for (pos = leaf->first_pos; pos < leaf->first_pos +
			     leaf->n_nodes; pos++) {
				if (blocks->owner[pos] == block->mark)
					route->pos[route->n_pos++] = pos;
			}
			stop->n = route->n_pos - stop->first;
			route->n_stops -= !stop->n;
		}
	}
}

/* Walk over the nodes of the blocks. Returns as sgang_mixed_walk(). */
static int lay_blocks(const struct blocks *blocks, double price)
{
	struct mixed *mixed = blocks->mixed;
	struct route route;

	if (open_route(mixed, &route) || order_blocks(blocks))
		return -1;
	route_blocks(blocks, &route);
	return sgang_mixed_walk(mixed, route.stop, route.n_stops, route.pos,
				price * MARGIN, blocks->block[0].first);
}

/* Pick for the blocks one after the other, and walk. */
static int walk_blocks(struct blocks *blocks, uint32_t turn, double slots)
{
	struct mixed *mixed = blocks->mixed;
	uint32_t i;
	int rc = 1;

	memset(blocks->owner, 0, mixed->n_nodes * sizeof(*blocks->owner));
	for (i = 0; i < blocks->n; i++)
		blocks->block[i].n = 0;
	blocks->cost = 0;
	for (i = 0; i < blocks->n && rc > 0; i++)
		rc = pick_block(blocks, &blocks->block[(turn + i) %
						       blocks->n]);
	if (rc <= 0)
		return rc;
	return lay_blocks(blocks, (double)blocks->cost / slots);
}

/* -- two arcs -- */

/* The leaves with nodes for one arc. */
static int find_leaves(struct blocks *blocks, struct block *block,
		       const uint8_t *owner)
{
	const struct mixed *mixed = blocks->mixed;
	uint32_t pos, leaf;

	block->leaf = sgang_pool_alloc(mixed->job->pool, mixed->n_nodes,
				       sizeof(*block->leaf));
	if (!block->leaf)
		return -1;
	block->n = 0;
	for (pos = 0; pos < mixed->n_nodes; pos++) {
		if (!(owner[pos] & block->mark))
			continue;
		/* of two arcs on a node, the last one has it */
		blocks->owner[pos] = block->mark;
		leaf = sgang_fabric_leaf(mixed->request->fabric,
					 mixed->order[pos]);
		if (!block->n || block->leaf[block->n - 1] != leaf)
			block->leaf[block->n++] = leaf;
	}
	return 0;
}

/* Walk over the nodes that the relaxation uses, and more where these are too
 * few. */
static int walk_arcs(void *with, const struct sgang_arcs *arcs)
{
	struct blocks *blocks = with;
	struct mixed *mixed = blocks->mixed;
	double price = (double)arcs->cost / (double)(blocks->slots[0] +
						     blocks->slots[1]);
	uint32_t i;
	int rc;

	memset(blocks->owner, 0, mixed->n_nodes * sizeof(*blocks->owner));
	for (i = 0; i < 2; i++) {
		if (find_leaves(blocks, &blocks->block[i], arcs->owner))
			return -1;
		if (!blocks->block[i].n)
			return 0;
	}
	rc = lay_blocks(blocks, price);
	if (rc)
		return rc;
	for (i = 0; i < 2; i++) {
		if (!arcs->lacks[i])
			continue;
		rc = pick_block(blocks, &blocks->block[i]);
		if (rc <= 0)
			return rc;
	}
	return lay_blocks(blocks, price);
}

/* What a slot of a block costs. */
static double price_of(const struct mixed *mixed, const struct block *block)
{
	const struct sgang_kind *kind = &mixed->job->kind[block->kind];

	return (double)block->cost / (double)(kind->units *
		sgang_kind_least_slots(mixed->job, kind));
}

/* Cut the ring where the kind of the member begins and ends that is hardest to
 * place, and learn from what the two arcs would cost. */
static int try_arcs(struct blocks *blocks)
{
	struct mixed *mixed = blocks->mixed;
	uint32_t hard = mixed->job->kind_of[mixed->rank[0]], i, k;
	struct block *block = blocks->block;
	struct sgang_arcs arcs = { .first = hard, .try = walk_arcs,
				   .with = blocks };

	for (i = 0; block[i].kind != hard; i++)
		;
	arcs.factor = price_of(mixed, &block[i]) /
		      price_of(mixed, &block[(i + 1) % blocks->n]);
	block[0] = block[i];
	block[1] = block[0];
	block[1].others = true;
	blocks->n = 2;
	for (i = 0; i < 2; i++) {
		block[i].mark = i + 1;
		blocks->slots[i] = 0;
	}
	for (k = 0; k < mixed->job->n_kinds; k++)
		blocks->slots[k != hard] += mixed->job->kind[k].units *
			sgang_kind_least_slots(mixed->job,
					       &mixed->job->kind[k]);
	arcs.most = mixed->best.cost - mixed->fixed;
	if (sgang_arcs_solve(&arcs, mixed->job))
		return -1;
	if (arcs.bound + mixed->fixed > mixed->bound) {
		mixed->bound = arcs.bound + mixed->fixed;
		/* nothing is known about it at that cost */
		mixed->bound_broken = 0;
	}
	return 0;
}

/* Each block may be the first to pick. */
static int try_blocks(struct mixed *mixed, double slots)
{
	struct sgang_pool *pool = mixed->job->pool;
	struct blocks blocks = { .mixed = mixed };
	uint32_t turn;

	blocks.block = sgang_pool_zalloc(pool, mixed->job->n_kinds,
					 sizeof(*blocks.block));
	blocks.owner = sgang_pool_alloc(pool, mixed->n_nodes,
					sizeof(*blocks.owner));
	blocks.cap = sgang_pool_alloc(pool, mixed->n_nodes,
				      sizeof(*blocks.cap));
	blocks.used = sgang_pool_alloc(pool,
		sgang_fabric_domains(mixed->request->fabric),
		sizeof(*blocks.used));
	if (!blocks.block || !blocks.owner || !blocks.cap || !blocks.used)
		return -1;
	if (mixed->job->n_kinds < 2 || mixed->job->n_kinds > BLOCKS_MAX ||
	    !find_blocks(&blocks))
		return 0;
	for (turn = 0; turn < blocks.n && !mixed->found; turn++) {
		if (walk_blocks(&blocks, turn, slots) < 0)
			return -1;
	}
	if (mixed->found && !done(mixed))
		return try_arcs(&blocks);
	return 0;
}

int sgang_mixed_try_walks(struct mixed *mixed, const struct sgang_tree *slots)
{
	/* all on one node: there is nothing to lay out */
	if (mixed->request->max_level < sgang_plan_lowest(mixed->request))
		return 0;
	if (try_blocks(mixed, (double)slots->need))
		return -1;
	if (mixed->found && mixed->job->units > UNITS_MAX)
		return 0;
	return walk_slots(mixed, slots) < 0 ? -1 : 0;
}
