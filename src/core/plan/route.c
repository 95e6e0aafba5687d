/* SPDX-License-Identifier: GPL-2.0-or-later */
/* route.c - the leaves that the ring is laid over, and their order
 *
 *  - those that would be best for units of such a value, in depth-first order;
 *  - where each kind of members is one piece of the ring, those that are best
 *    for two arcs of it together (split.c), or for each kind, in such an
 *    order that one kind goes on where the one before it ends.
 */

#include <stdlib.h>
#include <string.h>

#include "mixed.h"

/* The cost of one more slot, compared with the average: leaves are entered
 * anyway. Found by trying. */
#define MARGIN 1.25
/* With more kinds blocks are not tried. */
#define BLOCKS_MAX 4
/* Above the bound by less than this part of it, a ring is good enough. */
#define ENOUGH 64
/* Domains in which one arc is tried to go over into the other. */
#define HIGHS_MAX 8
/* A member of so many units is within a leaf, in most cases. */
#define SHORT_MAX 8
/* With more units one sort of walk has to do. */
#define UNITS_MAX 256

/* A list of stops, and the positions of their nodes. */
struct route {
	struct sgang_stop *stop;
	uint32_t n_stops;
	uint32_t *pos;
	uint32_t n_pos;
};

static void open_route(const struct mixed *mixed, struct route *route)
{
	struct sgang_pool *pool = mixed->job->pool;

	memset(route, 0, sizeof(*route));
	route->stop = sgang_pool_alloc(pool, mixed->n_nodes,
				       sizeof(*route->stop));
	route->pos = sgang_pool_alloc(pool, mixed->n_nodes,
				      sizeof(*route->pos));
}

static const struct sgang_domain *leaf_at(const struct mixed *mixed,
					  uint32_t pos)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;

	return sgang_fabric_domain(
		fabric, sgang_fabric_leaf(fabric, mixed->order[pos]));
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
		if (*sgang_job_free(mixed->job, mixed->order[pos]))
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

/* -- by value -- */

/* The leaves for all units by value, and for so many 256ths more if the ring
 * does not fit there. When something was found already, only the last of these.
 */
static int walk_worth(struct mixed *mixed)
{
	static const uint32_t more[] = { 0, 1, 2, 4, 8, 16, 32, 64 };
	const size_t n = sizeof(more) / sizeof(more[0]);
	const struct sgang_tree *worth = mixed->worth;
	struct sgang_tree tree;
	struct route route;
	size_t i;
	int rc = 0;

	open_route(mixed, &route);
	for (i = mixed->found ? n - 1 : 0; i < n && !rc && !ended(mixed); i++) {
		tree = *worth;
		tree.rough = mixed->found;
		tree.need += worth->need * more[i] / 256;
		rc = sgang_tree_solve(&tree, mixed->job->pool, false);
		if (rc <= 0)
			return rc;
		route_over(mixed, &tree, &route);
		rc = sgang_mixed_walk(
			mixed, route.stop, route.n_stops, route.pos,
			(double)tree.bound * MARGIN / (double)tree.need, 0);
	}
	return rc;
}

/* -- block by block -- */

/* A piece of the ring whose members are of one kind, and where it is. */
struct block {
	uint32_t kind;
	uint8_t mark;   /* its nodes are marked so, not 0 */
	uint32_t first; /* its first member */
	uint32_t *leaf; /* domains, in the order of the ring */
	uint32_t n;
};

struct blocks {
	struct mixed *mixed;
	struct block *block;
	uint32_t n;
	uint8_t *owner; /* by position: whose mark; 0: nobody */
	uint32_t *cap;
	bool *used;    /* by domain, those above leaves */
	uint32_t home; /* holds all that is used */
	uint64_t cost; /* of all blocks, hops of ranks apart */
	bool strict;   /* no other nodes than those */
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
		blocks->block[blocks->n].mark = (uint8_t)(blocks->n + 1);
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
static void keep_picks(struct blocks *blocks, struct block *block,
		       const struct sgang_tree *tree)
{
	const struct mixed *mixed = blocks->mixed;
	const struct sgang_fabric *fabric = mixed->request->fabric;
	uint32_t leaf;
	size_t i;

	block->leaf = sgang_pool_alloc(mixed->job->pool, tree->n_picks,
				       sizeof(*block->leaf));
	block->n = 0;
	for (i = 0; i < tree->n_picks; i++) {
		uint32_t pos = tree->pick[i].pos;

		blocks->owner[pos] = block->mark;
		leaf = sgang_fabric_leaf(fabric, mixed->order[pos]);
		if (!block->n || block->leaf[block->n - 1] != leaf)
			block->leaf[block->n++] = leaf;
	}
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
					       leaf :
					       common(fabric, blocks->home,
						      leaf);
		}
	}
}

/* Pick the best nodes for a block among those that no other one has. Leaves
 * that it has already are free to use. Those of others are not, since the ring
 * comes back there, but what is above is. Returns as sgang_tree_solve(). */
static int pick_block(struct blocks *blocks, struct block *block)
{
	const struct mixed *mixed = blocks->mixed;
	const struct sgang_kind *kind = &mixed->job->kind[block->kind];
	bool distinct = sgang_mixed_distinct(mixed, block->kind);
	struct sgang_tree tree = { .request = mixed->request,
				   .need = kind->units,
				   .cap = blocks->cap,
				   .left = blocks->cap,
				   .unit = true,
				   .broken = mixed->broken };
	uint32_t pos;
	int rc;

	drop_picks(blocks, block);
	mark_used(blocks, block);
	for (pos = 0; pos < mixed->n_nodes; pos++) {
		uint32_t node = mixed->order[pos];

		blocks->cap[pos] =
			blocks->owner[pos] ?
				0 :
				sgang_kind_fits(mixed->job, kind, node,
						sgang_job_free(mixed->job,
							       node));
		if (distinct && blocks->cap[pos] > 1)
			blocks->cap[pos] = 1;
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
	keep_picks(blocks, block, &tree);
	return 1;
}

/* -- how the blocks follow each other -- */

static uint32_t meet(const struct blocks *blocks, uint32_t leaf_a,
		     uint32_t leaf_b)
{
	const struct sgang_fabric *fabric = blocks->mixed->request->fabric;

	return sgang_fabric_domain(fabric, common(fabric, leaf_a, leaf_b))
		->level;
}

/* Where a block begins and ends: numbers of leaves in its list. */
struct ends {
	uint32_t first;
	uint32_t last;
};

/* Leaves that are compared when ends are looked for. */
#define ENDS_MAX 128

/* Is a leaf in a domain? Everything is in SGANG_DOMAIN_NONE. */
static bool is_inside(const struct blocks *blocks, uint32_t leaf, uint32_t high)
{
	const struct sgang_fabric *fabric = blocks->mixed->request->fabric;
	const struct sgang_domain *domain;

	if (high == SGANG_DOMAIN_NONE)
		return true;
	domain = sgang_fabric_domain(fabric, high);
	return sgang_fabric_domain(fabric, leaf)->first_pos -
		       domain->first_pos <
	       domain->n_nodes;
}

/* The domain if a block has a leaf in it, else SGANG_DOMAIN_NONE. */
static uint32_t if_there(const struct blocks *blocks, const struct block *block,
			 uint32_t high)
{
	uint32_t i;

	for (i = 0; i < block->n; i++) {
		if (is_inside(blocks, block->leaf[i], high))
			return high;
	}
	return SGANG_DOMAIN_NONE;
}

/* The values that are known when two blocks are joined. */
struct joint {
	bool first;    /* where a begins: it is to end as far
			* from there as it reaches */
	bool last;     /* where b ends: it is to begin as far
			* from there as can be */
	uint32_t high; /* the domain in which a ends and b
			* begins, if it is there at all;
			* SGANG_DOMAIN_NONE: anywhere */
};

/* How far block a reaches from its beginning. */
static uint32_t reach_of(const struct blocks *blocks, const struct block *block,
			 uint32_t first)
{
	uint32_t i, far = 0;

	for (i = 0; i < block->n; i++) {
		uint32_t level = meet(blocks, block->leaf[i],
				      block->leaf[first]);

		far = level > far ? level : far;
	}
	return far;
}

/* Let block b begin near where block a ends. */
static void join(const struct blocks *blocks, uint32_t a, uint32_t b,
		 struct ends *ends, const struct joint *joint)
{
	const struct block *one = &blocks->block[a], *two = &blocks->block[b];
	uint32_t high_one = if_there(blocks, one, joint->high);
	uint32_t high_two = if_there(blocks, two, joint->high);
	uint32_t best = UINT32_MAX, i, k, far = 0;

	if (joint->first && joint->high == SGANG_DOMAIN_NONE)
		far = reach_of(blocks, one, ends[a].first);
	for (i = 0; i < one->n && i < ENDS_MAX; i++) {
		if ((far && meet(blocks, one->leaf[i],
				 one->leaf[ends[a].first]) < far) ||
		    !is_inside(blocks, one->leaf[i], high_one))
			continue;
		for (k = 0; k < two->n && k < ENDS_MAX; k++) {
			uint32_t level = meet(blocks, one->leaf[i],
					      two->leaf[k]);

			level += level ? one->leaf[i] != two->leaf[k] : 0;
			level *= 2 * SGANG_LEVELS;
			if (joint->last)
				level += SGANG_LEVELS -
					 meet(blocks, two->leaf[k],
					      two->leaf[ends[b].last]);
			if (level >= best ||
			    !is_inside(blocks, two->leaf[k], high_two))
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
	bool near_a = a == first ||
		      (b != first && meet(blocks, a, first) < level);
	bool near_b = b == first ||
		      (a != first && meet(blocks, b, first) < level);

	if (near_a != near_b)
		return near_a;
	near_a = a == last || (b != last && meet(blocks, a, last) < level);
	near_b = b == last || (a != last && meet(blocks, b, last) < level);
	if (near_a != near_b)
		return near_b;
	return sgang_fabric_domain(blocks->mixed->request->fabric, a)
		       ->first_pos <
	       sgang_fabric_domain(blocks->mixed->request->fabric, b)
		       ->first_pos;
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
					      first, last);
		     k--)
			block->leaf[k] = block->leaf[k - 1];
		block->leaf[k] = leaf;
	}
}

static void order_blocks(const struct blocks *blocks)
{
	struct ends *ends = sgang_pool_zalloc(blocks->mixed->job->pool,
					      blocks->n, sizeof(*ends));
	uint32_t i;

	for (i = 0; i < blocks->n; i++) {
		struct joint joint = { .first = i > 0,
				       .last = i + 1 == blocks->n,
				       .high = SGANG_DOMAIN_NONE };

		join(blocks, i, (i + 1) % blocks->n, ends, &joint);
	}
	for (i = 0; i < blocks->n; i++)
		order_block(blocks, &blocks->block[i], &ends[i]);
}

/* Is a node of this leaf picked for another block? */
static bool is_shared(const struct blocks *blocks,
		      const struct sgang_domain *leaf, uint8_t mark)
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

			if (!blocks->strict &&
			    !is_shared(blocks, leaf, block->mark)) {
				add_leaf(mixed, route, leaf);
				continue;
			}
			stop = &route->stop[route->n_stops++];
			stop->first = route->n_pos;
			for (pos = leaf->first_pos;
			     pos < leaf->first_pos + leaf->n_nodes; pos++) {
				if (blocks->owner[pos] == block->mark)
					route->pos[route->n_pos++] = pos;
			}
			stop->n = route->n_pos - stop->first;
			route->n_stops -= !stop->n;
		}
	}
}

/* Walk over the nodes of the blocks. Returns as sgang_mixed_walk(). */
static bool lay_blocks(const struct blocks *blocks, double price)
{
	struct mixed *mixed = blocks->mixed;
	struct route route;

	open_route(mixed, &route);
	route_blocks(blocks, &route);
	return sgang_mixed_walk(mixed, route.stop, route.n_stops, route.pos,
				price * MARGIN, blocks->block[0].first);
}

/* Pick for the blocks one after the other, and walk. Returns as
 * sgang_tree_solve(). */
static int walk_blocks(struct blocks *blocks, uint32_t turn, double value)
{
	struct mixed *mixed = blocks->mixed;
	uint32_t i;
	int rc = 1;

	memset(blocks->owner, 0, mixed->n_nodes * sizeof(*blocks->owner));
	for (i = 0; i < blocks->n; i++)
		blocks->block[i].n = 0;
	blocks->cost = 0;
	for (i = 0; i < blocks->n && rc > 0; i++)
		rc = pick_block(blocks, &blocks->block[(turn + i) % blocks->n]);
	if (rc <= 0)
		return rc;
	order_blocks(blocks);
	return lay_blocks(blocks, (double)blocks->cost / value);
}

/* -- two arcs -- */

/* The blocks of two arcs: the hardest kind; kinds before the one with the
 * fewest nodes, that one, and those behind it. */
enum { HARD, BEFORE, NARROW, BEHIND, PARTS };

/* All slots of the nodes of a leaf that are for one arc; with a kind, none
 * unless it may be on all of them. */
static uint64_t owned_slots(const struct blocks *blocks, uint32_t leaf,
			    uint8_t mark, const struct sgang_kind *kind)
{
	const struct mixed *mixed = blocks->mixed;
	const struct sgang_domain *domain =
		sgang_fabric_domain(mixed->request->fabric, leaf);
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < domain->n_nodes; i++) {
		uint32_t pos = domain->first_pos + i;
		uint32_t node = mixed->order[pos];
		const uint32_t *free = sgang_job_free(mixed->job, node);

		if (blocks->owner[pos] != mark)
			continue;
		if (kind && !sgang_kind_fits(mixed->job, kind, node, free))
			return 0;
		sum += *free;
	}
	return sum;
}

/* The requests of the kinds that each part is for. */
static void find_needs(const struct blocks *blocks, uint32_t narrow,
		       uint64_t need[PARTS])
{
	const struct sgang_job *job = blocks->mixed->job;
	uint32_t i, part = narrow == UINT32_MAX ? BEHIND : BEFORE;

	memset(need, 0, PARTS * sizeof(*need));
	for (i = 1; i < blocks->n; i++) {
		const struct sgang_kind *kind =
			&job->kind[blocks->block[i].kind];

		if (blocks->block[i].kind == narrow)
			part = NARROW;
		need[part] += kind->units * sgang_kind_least(job, kind, 0);
		if (part == NARROW)
			part = BEHIND;
	}
}

/* Both arcs, and how they are laid. */
struct arcs {
	const struct blocks *blocks;
	uint32_t narrow;       /* the kind with the fewest nodes */
	uint32_t *leaf[2];     /* of each arc, */
	uint32_t n[2];         /* so many */
	bool *taken;           /* by leaf of the second one */
	uint32_t *room[PARTS]; /* for the leaves of the parts */
	struct blocks laid;
	struct block part[PARTS];
};

static void open_arcs(struct arcs *arcs, const struct blocks *blocks,
		      uint32_t narrow)
{
	const struct sgang_fabric *fabric = blocks->mixed->request->fabric;
	struct sgang_pool *pool = blocks->mixed->job->pool;
	uint32_t n = sgang_fabric_domains(fabric), leaf, i;

	memset(arcs, 0, sizeof(*arcs));
	arcs->blocks = blocks;
	arcs->narrow = narrow;
	arcs->laid = *blocks;
	arcs->laid.block = arcs->part;
	arcs->taken = sgang_pool_alloc(pool, n, sizeof(*arcs->taken));
	for (i = 0; i < PARTS; i++)
		arcs->room[i] = sgang_pool_alloc(pool, n, sizeof(uint32_t));
	for (i = 0; i < 2; i++) {
		arcs->leaf[i] = sgang_pool_alloc(pool, n, sizeof(uint32_t));
		for (leaf = 0; leaf < n; leaf++) {
			if (!sgang_fabric_domain(fabric, leaf)->n_children &&
			    owned_slots(blocks, leaf,
					i ? SGANG_SPLIT_OTHERS :
					    SGANG_SPLIT_FIRST,
					NULL))
				arcs->leaf[i][arcs->n[i]++] = leaf;
		}
	}
}

/* The domain of a leaf just below the highest that the gang may span. */
static uint32_t high_of(const struct blocks *blocks, uint32_t leaf)
{
	const struct sgang_plan_request *request = blocks->mixed->request;
	uint32_t parent = sgang_fabric_domain(request->fabric, leaf)->parent;
	uint32_t high = leaf;

	while (parent != SGANG_DOMAIN_NONE &&
	       sgang_tree_allowed(request, parent)) {
		uint32_t above =
			sgang_fabric_domain(request->fabric, parent)->parent;

		if (above == SGANG_DOMAIN_NONE ||
		    !sgang_tree_allowed(request, above))
			break;
		high = parent;
		parent = above;
	}
	return high;
}

static void add_to_part(struct arcs *arcs, uint32_t part, uint32_t leaf,
			uint64_t slots, uint64_t need[PARTS])
{
	arcs->part[part].leaf[arcs->part[part].n++] = leaf;
	need[part] -= slots < need[part] ? slots : need[part];
}

/* Leaves for the kind with the fewest nodes: those of the domain 'last' only
 * when the others are too few. */
static void part_narrow(struct arcs *arcs, uint32_t last, uint64_t need[PARTS])
{
	const struct sgang_kind *kind =
		&arcs->blocks->mixed->job->kind[arcs->narrow];
	uint32_t i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < arcs->n[1] && need[NARROW]; i++) {
			uint32_t leaf = arcs->leaf[1][i];
			uint64_t slots = owned_slots(arcs->blocks, leaf,
						     SGANG_SPLIT_OTHERS, kind);

			if (!slots || arcs->taken[i] ||
			    (!round && high_of(arcs->blocks, leaf) == last))
				continue;
			arcs->taken[i] = true;
			add_to_part(arcs, NARROW, leaf, slots, need);
		}
	}
}

/* Give the leaves of the arcs to their parts. */
static void part_leaves(struct arcs *arcs, uint32_t last)
{
	uint64_t need[PARTS];
	uint32_t i, part;

	find_needs(arcs->blocks, arcs->narrow, need);
	memset(arcs->taken, 0, arcs->n[1] * sizeof(*arcs->taken));
	for (part = 0; part < PARTS; part++) {
		arcs->part[part].leaf = arcs->room[part];
		arcs->part[part].mark = part == HARD ? SGANG_SPLIT_FIRST :
						       SGANG_SPLIT_OTHERS;
		arcs->part[part].first = arcs->blocks->block[0].first;
		arcs->part[part].n = 0;
	}
	for (i = 0; i < arcs->n[0]; i++)
		add_to_part(arcs, HARD, arcs->leaf[0][i], 0, need);
	if (arcs->narrow != UINT32_MAX)
		part_narrow(arcs, last, need);
	for (i = 0; i < arcs->n[1]; i++) {
		if (!arcs->taken[i])
			add_to_part(arcs, need[BEFORE] ? BEFORE : BEHIND,
				    arcs->leaf[1][i],
				    owned_slots(arcs->blocks, arcs->leaf[1][i],
						SGANG_SPLIT_OTHERS, NULL),
				    need);
	}
	arcs->laid.n = 0;
	for (part = 0; part < PARTS; part++) {
		if (arcs->part[part].n)
			arcs->part[arcs->laid.n++] = arcs->part[part];
	}
}

/* The cost of the hops from leaf to leaf. */
static uint64_t hops_of(const struct blocks *blocks)
{
	const uint32_t *hop = blocks->mixed->request->costs->hop;
	uint32_t i, k, at = SGANG_DOMAIN_NONE, first = at;
	uint64_t sum = 0;

	for (i = 0; i < blocks->n; i++) {
		for (k = 0; k < blocks->block[i].n; k++) {
			uint32_t leaf = blocks->block[i].leaf[k];

			if (at == SGANG_DOMAIN_NONE)
				first = leaf;
			else
				sum += hop[meet(blocks, at, leaf)];
			at = leaf;
		}
	}
	return at == SGANG_DOMAIN_NONE ? 0 : sum + hop[meet(blocks, at, first)];
}

/* Put the leaves in order so that the second arc begins and ends in these
 * domains, where the first one ends and begins. */
static void order_parts(struct arcs *arcs, uint32_t begin, uint32_t end)
{
	struct blocks *laid = &arcs->laid;
	struct ends ends[PARTS] = { { 0, 0 } };
	struct joint joint = { .high = begin };
	uint32_t n, i;

	part_leaves(arcs, end);
	n = laid->n;
	join(laid, 0, 1, ends, &joint);
	joint.last = true;
	joint.high = end;
	join(laid, n - 1, 0, ends, &joint);
	joint.high = SGANG_DOMAIN_NONE;
	for (i = 1; i + 1 < n; i++) {
		joint.first = i == 1;
		joint.last = i + 2 == n;
		join(laid, i, i + 1, ends, &joint);
	}
	for (i = 0; i < n; i++)
		order_block(laid, &laid->block[i], &ends[i]);
}

/* Find in which domains the second arc had best begin and end, and put the
 * leaves in order for that. */
static void order_arcs(struct arcs *arcs)
{
	uint32_t high[HIGHS_MAX], n = 0, i, k, begin = 0, end = 0;
	uint64_t best = UINT64_MAX;

	for (i = 0; i < arcs->n[1] && n < HIGHS_MAX; i++) {
		uint32_t at = high_of(arcs->blocks, arcs->leaf[1][i]);

		if (!n || high[n - 1] != at)
			high[n++] = at;
	}
	for (i = 0; i < n; i++) {
		for (k = 0; k < n; k++) {
			uint64_t cost;

			order_parts(arcs, high[i], high[k]);
			cost = hops_of(&arcs->laid);
			if (cost >= best)
				continue;
			best = cost;
			begin = high[i];
			end = high[k];
		}
	}
	order_parts(arcs, begin, end);
}

/* Walk over the nodes that both arcs have and, if the members do not fit so,
 * over all that is free on the leaves. Returns as sgang_mixed_walk(). */
static bool lay_arcs(const struct blocks *blocks, uint32_t narrow, double price)
{
	struct arcs arcs;

	open_arcs(&arcs, blocks, narrow);
	if (!arcs.n[0] || !arcs.n[1])
		return false;
	order_arcs(&arcs);
	arcs.laid.strict = true;
	if (lay_blocks(&arcs.laid, price))
		return true;
	arcs.laid.strict = false;
	return lay_blocks(&arcs.laid, price);
}

/* Raise the bound by what two arcs cost at least. */
static void bound_arcs(struct mixed *mixed, uint32_t first,
		       const struct sgang_split *split)
{
	const struct sgang_job *job = mixed->job;
	double *weight = sgang_pool_alloc(job->pool, job->n_kinds,
					  sizeof(*weight));
	uint64_t bound = mixed->bound - mixed->fixed;
	uint32_t k;

	for (k = 0; k < job->n_kinds; k++)
		weight[k] = sgang_split_weight(split, k);
	sgang_arcs_bound(job, first, weight, mixed->best.cost - mixed->fixed,
			 &bound);
	if (bound + mixed->fixed > mixed->bound) {
		mixed->bound = bound + mixed->fixed;
		/* nothing is known about it at that cost */
		mixed->bound_broken = 0;
	}
}

/* The slots that all members ask for. */
static uint64_t split_slots(const struct mixed *mixed)
{
	const struct sgang_job *job = mixed->job;
	uint64_t slots = 0;
	uint32_t k;

	for (k = 0; k < job->n_kinds; k++)
		slots += job->kind[k].units *
			 sgang_kind_least(job, &job->kind[k], 0);
	return slots;
}

/* Choose nodes for two arcs, and walk over them. Where units do not fill nodes
 * up, the others get more room. */
static void walk_arcs(struct blocks *blocks, struct sgang_split *split,
		      double value, uint32_t effort)
{
	static const uint32_t more[] = { 0, 1, 4 }; /* 64ths */
	struct mixed *mixed = blocks->mixed;
	double price = (double)(mixed->bound - mixed->fixed) / value;
	uint64_t slots = split_slots(mixed);
	size_t i;

	for (i = 0; i < sizeof(more) / sizeof(more[0]) && !ended(mixed); i++) {
		if (!sgang_split_solve(split, slots * more[i] / 64, effort,
				       blocks->owner) ||
		    lay_arcs(blocks, sgang_split_narrow(split), price))
			return;
	}
}

/* Cut the ring where the kind of the member begins and ends that is hardest to
 * place. */
static void try_arcs(struct blocks *blocks, double value)
{
	struct mixed *mixed = blocks->mixed;
	uint32_t hard = mixed->job->kind_of[mixed->rank[0]];
	struct sgang_split *split =
		sgang_split_open(mixed->job, hard, mixed->bound - mixed->fixed);

	while (blocks->block[0].kind != hard) {
		struct block swap = blocks->block[0];

		memmove(blocks->block, blocks->block + 1,
			(blocks->n - 1) * sizeof(swap));
		blocks->block[blocks->n - 1] = swap;
	}
	walk_arcs(blocks, split, value, 1);
	if (!mixed->found || done(mixed))
		return;
	bound_arcs(mixed, hard, split);
	if (mixed->best.cost - mixed->bound > mixed->bound / ENOUGH)
		walk_arcs(blocks, split, value, 2);
}

/* Is some kind confined to fewer nodes than others? Only then, and in large
 * gangs, two arcs are worth their time. */
static bool is_confined(const struct mixed *mixed)
{
	const struct sgang_job *job = mixed->job;
	uint32_t k, n, least = UINT32_MAX, most = 0;

	for (k = 0; k < job->n_kinds; k++) {
		n = job->kind[k].allowed ?
			    sgang_nodeset_count(job->kind[k].allowed) :
			    mixed->n_nodes;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	return least < most;
}

/* Each block may be the first to pick. */
static int try_blocks(struct mixed *mixed, double value)
{
	struct sgang_pool *pool = mixed->job->pool;
	struct blocks blocks = { .mixed = mixed };
	bool arcs = sgang_part(mixed->request->budget, SGANG_PART_ARCS) &&
		    (is_confined(mixed) || mixed->job->units > UNITS_MAX);
	uint32_t turn;

	blocks.block = sgang_pool_zalloc(pool, mixed->job->n_kinds,
					 sizeof(*blocks.block));
	blocks.owner = sgang_pool_alloc(pool, mixed->n_nodes,
					sizeof(*blocks.owner));
	blocks.cap = sgang_pool_alloc(pool, mixed->n_nodes,
				      sizeof(*blocks.cap));
	blocks.used = sgang_pool_alloc(
		pool, sgang_fabric_domains(mixed->request->fabric),
		sizeof(*blocks.used));
	if (mixed->job->n_kinds < 2 || mixed->job->n_kinds > BLOCKS_MAX ||
	    !find_blocks(&blocks))
		return 0;
	if (arcs)
		try_arcs(&blocks, value);
	for (turn = 0;
	     turn < blocks.n && !(mixed->found && arcs) && !ended(mixed);
	     turn++) {
		if (walk_blocks(&blocks, turn, value) < 0)
			return -1;
	}
	return 0;
}

/* Members of one kind, most of them within a leaf, had best be walked. */
static bool are_short(const struct mixed *mixed)
{
	return mixed->job->n_kinds == 1 &&
	       mixed->job->units / mixed->request->n_members <= SHORT_MAX;
}

int sgang_mixed_try_walks(struct mixed *mixed)
{
	/* all on one node: there is nothing to lay out */
	if (mixed->request->max_level < sgang_plan_lowest(mixed->request))
		return 0;
	if (try_blocks(mixed, (double)mixed->worth->need))
		return -1;
	if (mixed->found && mixed->job->units > UNITS_MAX && !are_short(mixed))
		return 0;
	return walk_worth(mixed) < 0 ? -1 : 0;
}
