/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - units that are all alike: exact, bottom-up over the fabric
 *
 * Fronts are built from the leaves up to just below the highest domains that a
 * gang may span. Every domain that holds enough is a candidate for the common
 * one; its cost is read off its front. A highest domain needs no front, only
 * the one choice among its children. From the best candidate down the same
 * choice is made again with what each child has to hold.
 *
 * In large fabrics fronts become long. Then the corners of their hulls alone
 * are used at first: they are quickly found, and give a good placement, a lower
 * bound for every candidate and a price of one unit. After that fronts are
 * built with those points only that may be part of something better: at that
 * price, a point must not be further above the best use of its domain than
 * the placement is above the bound.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

#define ATTEMPTS_MAX 4

/* Exchanging nodes of one leaf ends after so many comparisons. */
#define EXCHANGE_MAX 200000

/* A place for the whole gang: a domain, or a node alone. */
struct candidate {
	sgang_plan_key key;
	sgang_plan_key bound; /* in this place nothing is below it */
	uint32_t level;       /* SGANG_LEVEL_ISLAND: a node */
	uint64_t room;        /* units that fit; slots of a node */
	uint32_t where;       /* domain, or position */
};

struct solver {
	struct sgang_tree *tree;
	struct sgang_pool *pool;
	struct sgang_front *front; /* by domain */
	uint64_t *full;            /* by domain: units that fit */
	uint64_t *above;           /* by domain: wholly free space of it
				    * and all above it */
	struct sgang_grain grain;
	uint32_t coarse; /* broken space is counted in units of
			  * two to this power */
	struct sgang_front_work work;
	uint64_t node_cost;  /* of using one more node */
	sgang_plan_key base; /* what any two nodes cost at least */
	struct candidate best;
	sgang_plan_key bound; /* least of all candidates */
	uint32_t *scratch;    /* capacities of one leaf */
	uint64_t coin;        /* the price of a cost of 1 */
	bool quick;           /* it ends when fronts become too long */
	/* by domain, once they have: */
	struct sgang_front *hull;
	struct sgang_price *price; /* of all units in it */
	bool proved;
};

static const struct sgang_domain *domain_at(const struct solver *solver,
					    uint32_t d)
{
	return sgang_fabric_domain(solver->tree->request->fabric, d);
}

static bool highest(const struct solver *solver, uint32_t d)
{
	return sgang_plan_highest(solver->tree->request, d);
}

/* What using this domain costs below its parent, without what it breaks. */
static uint64_t step_cost(const struct solver *solver, uint32_t d)
{
	return sgang_plan_step(solver->tree->request, d);
}

static sgang_plan_key key_of(const struct solver *solver, uint64_t cost,
			     uint64_t broken)
{
	return ((sgang_plan_key)(cost * solver->coin) << solver->grain.shift) +
	       (sgang_plan_key)(broken >> solver->coarse);
}

/* -- weights -- */

/* What the weight of a node at a position adds to the price. */
static uint64_t weight_at(const struct solver *solver, uint32_t pos)
{
	const struct sgang_coin *coin = solver->tree->coin;

	return coin && coin->at ? coin->at[pos] * coin->weight : 0;
}

/* The same of a node that is a domain, as its islands are the places. */
static uint64_t weight_in(const struct solver *solver, uint32_t d)
{
	const struct sgang_coin *coin = solver->tree->coin;

	return coin && coin->in ? coin->in[d] * coin->weight : 0;
}

static sgang_plan_key key_of_weight(const struct solver *solver, uint64_t price)
{
	return (sgang_plan_key)price << solver->grain.shift;
}

/* What using a domain adds to all that is used inside: its step, what it
 * breaks, and what it weighs. */
static sgang_plan_key own_key(const struct solver *solver, uint32_t d,
			      uint64_t step)
{
	return key_of(solver, step, solver->tree->broken[d]) +
	       key_of_weight(solver, weight_in(solver, d));
}

/* What the unit or, of several, any number of them on the node at a position
 * adds to its leaf. */
static sgang_plan_key node_key(const struct solver *solver, uint32_t pos)
{
	const struct sgang_tree *tree = solver->tree;
	uint64_t cost = solver->node_cost;

	if (tree->more)
		cost += tree->more[pos] *
			(uint64_t)tree->request->costs->hop[SGANG_LEVEL_ISLAND];
	return key_of(solver, cost, 0) +
	       key_of_weight(solver, weight_at(solver, pos));
}

/* -- set-up -- */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint32_t bits(uint64_t number)
{
	return number ? 64 - (uint32_t)__builtin_clzll(number) : 0;
}

/* Everything that a key can be made of, put together. */
struct sums {
	uint64_t cost;
	uint64_t broken;
};

/* Costs and weights are prices from here on. */
static void add_up_weights(struct solver *solver, struct sums *sums)
{
	const struct sgang_tree *tree = solver->tree;
	uint32_t n = sgang_fabric_domains(tree->request->fabric), d, pos;
	uint32_t n_nodes = sgang_fabric_nodes(tree->request->fabric);

	sums->cost *= solver->coin;
	solver->grain.cost *= solver->coin;
	for (d = 0; tree->coin->in && d < n; d++) {
		sums->cost += weight_in(solver, d);
		solver->grain.cost = gcd(weight_in(solver, d),
					 solver->grain.cost);
	}
	for (pos = 0; tree->coin->at && pos < n_nodes; pos++) {
		sums->cost += weight_at(solver, pos);
		solver->grain.cost = gcd(weight_at(solver, pos),
					 solver->grain.cost);
	}
}

/* Find what all keys are multiples of, and their sums. */
static void add_up(struct solver *solver, struct sums *sums)
{
	const struct sgang_tree *tree = solver->tree;
	uint32_t n = sgang_fabric_domains(tree->request->fabric), d, pos;
	uint32_t n_nodes = sgang_fabric_nodes(tree->request->fabric);
	uint64_t island = tree->request->costs->hop[SGANG_LEVEL_ISLAND], cost;

	solver->grain.cost = solver->node_cost;
	sums->cost += n_nodes * solver->node_cost;
	for (d = 0; d < n; d++) {
		sums->broken += tree->broken[d];
		solver->grain.broken = gcd(tree->broken[d],
					   solver->grain.broken);
		if (highest(solver, d))
			continue;
		cost = step_cost(solver, d);
		sums->cost += cost;
		solver->grain.cost = gcd(cost, solver->grain.cost);
	}
	for (pos = 0; tree->more && pos < n_nodes; pos++) {
		cost = tree->more[pos] * island;
		sums->cost += cost;
		solver->grain.cost = gcd(cost, solver->grain.cost);
	}
	if (tree->coin)
		add_up_weights(solver, sums);
}

/* Split the bits of keys between cost and broken space. With absurdly high hop
 * costs the latter is counted coarsely and nothing about it is proved. */
static int split_key(struct solver *solver, const struct sums *sums)
{
	const uint32_t most = bits(SGANG_PLAN_KEY_MAX) - 2;
	uint32_t cost = bits(sums->cost), broken = bits(sums->broken);

	if (cost > most) {
		errno = EOVERFLOW;
		return -1;
	}
	if (cost + broken > most) {
		solver->coarse = broken - (most - cost);
		broken = most - cost;
		if (solver->grain.broken % (UINT64_C(1) << solver->coarse))
			solver->proved = false;
		solver->grain.broken >>= solver->coarse;
		if (!solver->grain.broken)
			solver->grain.broken = 1;
	}
	solver->grain.shift = broken;
	return 0;
}

static void find_room(struct solver *solver)
{
	const struct sgang_tree *tree = solver->tree;
	uint32_t d, pos, n = sgang_fabric_domains(tree->request->fabric);

	for (d = n; d-- > 0;) {
		const struct sgang_domain *domain = domain_at(solver, d);

		if (!domain->n_children) {
			uint64_t sum = 0;

			for (pos = 0; pos < domain->n_nodes; pos++)
				sum += tree->cap[domain->first_pos + pos];
			solver->full[d] = sum;
		}
		if (domain->parent != SGANG_DOMAIN_NONE)
			solver->full[domain->parent] += solver->full[d];
	}
	for (d = 0; d < n; d++) {
		uint32_t parent = domain_at(solver, d)->parent;

		solver->above[d] = tree->broken[d];
		if (parent != SGANG_DOMAIN_NONE)
			solver->above[d] += solver->above[parent];
	}
}

static int set_up(struct solver *solver)
{
	const struct sgang_tree *tree = solver->tree;
	const uint32_t *hop = tree->request->costs->hop;
	uint32_t n = sgang_fabric_domains(tree->request->fabric);
	uint32_t n_nodes = sgang_fabric_nodes(tree->request->fabric);
	uint64_t cost, a_node = hop[sgang_plan_lowest(tree->request)] -
				hop[SGANG_LEVEL_ISLAND];
	struct sums sums = { 0 };

	solver->coin = tree->coin ? tree->coin->cost : 1;
	solver->front = sgang_pool_zalloc(solver->pool, n,
					  sizeof(*solver->front));
	solver->full = sgang_pool_zalloc(solver->pool, n,
					 sizeof(*solver->full));
	solver->above = sgang_pool_zalloc(solver->pool, n,
					  sizeof(*solver->above));
	if (!tree->unit)
		solver->scratch = sgang_pool_alloc(solver->pool, n_nodes,
						   sizeof(*solver->scratch));
	cost = tree->ranks * hop[SGANG_LEVEL_ISLAND];
	if (tree->unit)
		cost += tree->need * a_node; /* so many nodes, no choice */
	else if (!tree->free_nodes)
		solver->node_cost = a_node;
	solver->proved = true;
	find_room(solver);
	sums.cost = cost + hop[SGANG_LEVEL_UNCONNECTED];
	add_up(solver, &sums);
	if (split_key(solver, &sums))
		return -1;
	solver->base = key_of(solver, cost, 0);
	solver->best.key = SGANG_PLAN_KEY_MAX;
	solver->bound = SGANG_PLAN_KEY_MAX;
	solver->work.need = tree->need;
	solver->work.budget = tree->request->budget;
	solver->work.pool = sgang_pool_inside(solver->pool);
	solver->work.steps_max =
		sgang_budget_limits(solver->work.budget)->tree_steps_first;
	sgang_budget_take(solver->work.budget,
			  sgang_fabric_nodes(tree->request->fabric) +
				  sgang_fabric_domains(tree->request->fabric));
	return 0;
}

/* -- candidates -- */

static bool better(const struct candidate *a, const struct candidate *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->level != b->level)
		return a->level < b->level;
	if (a->room != b->room)
		return a->room < b->room;
	return a->where < b->where;
}

/* What it takes to reach up from a domain to the one that the ring spans. */
static uint64_t reach_of(const struct solver *solver, uint32_t d)
{
	const struct sgang_tree *tree = solver->tree;
	const uint32_t *hop = tree->request->costs->hop;
	uint32_t level = domain_at(solver, d)->level;

	return tree->reach > level ? hop[tree->reach] - hop[level] : 0;
}

static void offer(struct solver *solver, const struct candidate *candidate)
{
	if (candidate->bound < solver->bound)
		solver->bound = candidate->bound;
	if (better(candidate, &solver->best))
		solver->best = *candidate;
}

/* All units on one node. */
static void try_nodes(struct solver *solver)
{
	const struct sgang_tree *tree = solver->tree;
	const uint32_t *order = sgang_fabric_order(tree->request->fabric);
	const uint32_t *hop = tree->request->costs->hop;
	uint32_t pos, n = sgang_fabric_nodes(tree->request->fabric);

	for (pos = 0; pos < n; pos++) {
		struct candidate node = { .level = SGANG_LEVEL_ISLAND,
					  .where = pos };
		uint64_t ranks, cost;
		uint32_t leaf;

		if (tree->cap[pos] < tree->need)
			continue;
		ranks = tree->ranks;
		if (tree->more)
			ranks += tree->need * tree->more[pos];
		leaf = sgang_fabric_leaf(tree->request->fabric, order[pos]);
		cost = ranks * hop[SGANG_LEVEL_ISLAND];
		if (tree->reach)
			cost += hop[tree->reach] - hop[SGANG_LEVEL_ISLAND];
		else if (ranks == 1)
			cost = 0;
		node.key = key_of(solver, cost, solver->above[leaf]) +
			   key_of_weight(solver,
					 weight_at(solver, pos) +
						 weight_in(solver, leaf));
		node.bound = node.key;
		node.room = tree->left[pos];
		offer(solver, &node);
	}
}

/* -- nodes of a leaf -- */

/* A node of a leaf. */
struct spot {
	sgang_plan_key key; /* what it adds; low ones first, */
	uint64_t order;     /* then low ones here */
	uint32_t cap;
	uint32_t left;
	uint32_t pos;
};

static int by_order(const void *one, const void *two)
{
	const struct spot *a = one, *b = two;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static int by_pos(const void *one, const void *two)
{
	const struct spot *a = one, *b = two;

	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* Orders this close together are counted instead of compared. */
#define ORDERS_COUNTED 128

/* Sort by key and order, equal ones staying as they are. */
static void sort_spots(const struct solver *solver, struct spot *spot,
		       uint32_t n)
{
	uint64_t low = UINT64_MAX, high = 0;
	uint32_t first[ORDERS_COUNTED + 1] = { 0 }, i;
	struct spot *copy;
	bool alike = true;

	for (i = 0; i < n; i++) {
		alike = alike && spot[i].key == spot[0].key;
		low = spot[i].order < low ? spot[i].order : low;
		high = spot[i].order > high ? spot[i].order : high;
	}
	if (!alike || n < ORDERS_COUNTED || high - low >= ORDERS_COUNTED) {
		qsort(spot, n, sizeof(*spot), by_order);
		return;
	}
	copy = sgang_pool_alloc(solver->pool, n, sizeof(*copy));
	memcpy(copy, spot, n * sizeof(*copy));
	for (i = 0; i < n; i++)
		first[copy[i].order - low + 1]++;
	for (i = 0; i < ORDERS_COUNTED; i++)
		first[i + 1] += first[i];
	for (i = 0; i < n; i++)
		spot[first[copy[i].order - low]++] = copy[i];
}

/* List the nodes of a leaf in the order in which to use them: the cheapest
 * first, of these, where a node holds one unit, those with the fewest free
 * slots, else the roomiest. Returns how many there are. */
static uint32_t list_spots(const struct solver *solver,
			   const struct sgang_domain *leaf, struct spot *spot)
{
	const struct sgang_tree *tree = solver->tree;
	uint32_t pos, n = 0;
	bool sorted = true;

	for (pos = leaf->first_pos; pos - leaf->first_pos < leaf->n_nodes;
	     pos++) {
		if (!tree->cap[pos])
			continue;
		spot[n].cap = tree->cap[pos];
		spot[n].left = tree->left[pos];
		spot[n].pos = pos;
		spot[n].key = node_key(solver, pos);
		spot[n].order = tree->unit ? tree->left[pos] :
					     UINT32_MAX - tree->cap[pos];
		if (n && by_order(&spot[n - 1], &spot[n]) > 0)
			sorted = false;
		n++;
	}
	if (!sorted)
		sort_spots(solver, spot, n);
	return n;
}

/* -- fronts of leaves -- */

static int descending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return *a > *b ? -1 : *a < *b;
}

static int by_key(const void *one, const void *two)
{
	const sgang_plan_key *a = one, *b = two;

	return *a < *b ? -1 : *a > *b;
}

/* Write the front of a leaf on which each node holds one unit and adds
 * something of its own: the cheapest first, all that add nothing in one
 * point. */
static void front_by_key(struct solver *solver, const struct sgang_domain *leaf,
			 struct sgang_front *front)
{
	const struct sgang_tree *tree = solver->tree;
	sgang_plan_key *key = sgang_pool_alloc(solver->pool, leaf->n_nodes,
					       sizeof(*key)),
		       sum = 0;
	uint32_t i, n = 0;

	front->point = sgang_pool_alloc(solver->pool, leaf->n_nodes,
					sizeof(*front->point));
	for (i = 0; i < leaf->n_nodes; i++) {
		if (tree->cap[leaf->first_pos + i])
			key[n++] = node_key(solver, leaf->first_pos + i);
	}
	qsort(key, n, sizeof(*key), by_key);
	for (i = 0; i < n && i < tree->need; i++) {
		if (!front->n || key[i])
			front->n++;
		sum += key[i];
		front->point[front->n - 1].cap = i + 1;
		front->point[front->n - 1].key = sum;
	}
}

/* Capacities below this are sorted by counting them: most are, being a node's
 * GPUs or cores. */
#define CAP_COUNTED 128

static void sort_by_counting(uint32_t *cap, uint32_t n, uint32_t most)
{
	uint32_t count[CAP_COUNTED], at = most + 1, i;

	memset(count, 0, at * sizeof(*count));
	for (i = 0; i < n; i++)
		count[cap[i]]++;
	for (i = 0; i < n; i++) {
		while (!count[at - 1])
			at--;
		cap[i] = at - 1;
		count[at - 1]--;
	}
}

/* Sort the capacities of a leaf's nodes, largest first. Returns how many there
 * are. */
static uint32_t sort_caps(struct solver *solver,
			  const struct sgang_domain *leaf)
{
	const uint32_t *cap = solver->tree->cap + leaf->first_pos;
	uint32_t *sorted = solver->scratch;
	uint32_t i, n = 0, most = 0;
	bool done = true;

	for (i = 0; i < leaf->n_nodes; i++) {
		if (!cap[i])
			continue;
		if (n && cap[i] > sorted[n - 1])
			done = false;
		if (cap[i] > most)
			most = cap[i];
		sorted[n++] = cap[i];
	}
	if (!done && most < CAP_COUNTED)
		sort_by_counting(sorted, n, most);
	else if (!done)
		qsort(sorted, n, sizeof(*sorted), descending);
	return n;
}

/* Write the front of nodes that add 'key' each, in the order in which they are
 * used; 'point' has room for all. */
static void front_of_caps(const uint32_t *cap, uint32_t n, sgang_plan_key key,
			  struct sgang_front *front)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < n; i++) {
		sum += cap[i];
		/* more nodes for nothing: only the last point counts */
		if (!front->n || key)
			front->n++;
		front->point[front->n - 1].cap = sum;
		front->point[front->n - 1].key = (i + 1) * key;
	}
}

/* Write the front of a leaf on which nodes hold several units and all add
 * 'key': the roomiest first. */
static void front_by_room(struct solver *solver,
			  const struct sgang_domain *leaf, sgang_plan_key key,
			  struct sgang_front *front)
{
	uint32_t i, n = sort_caps(solver, leaf);
	uint64_t need = solver->tree->need, cap = 0;

	for (i = 0; i < n && cap < need; i++)
		cap += solver->scratch[i];
	n = i;
	front->point = sgang_pool_alloc(solver->pool, n, sizeof(*front->point));
	front_of_caps(solver->scratch, n, key, front);
}

/* Do the nodes of a leaf that hold units add different keys? '*key' is that of
 * the last. */
static bool keys_differ(const struct solver *solver,
			const struct sgang_domain *leaf, sgang_plan_key *key)
{
	bool found = false;
	uint32_t i;

	*key = key_of(solver, solver->node_cost, 0);
	for (i = 0; solver->tree->coin && i < leaf->n_nodes; i++) {
		sgang_plan_key own = node_key(solver, leaf->first_pos + i);

		if (!solver->tree->cap[leaf->first_pos + i])
			continue;
		if (found && own != *key)
			return true;
		found = true;
		*key = own;
	}
	return false;
}

/* The nodes of a leaf class by class: those of one class add the same. */
struct classes {
	struct spot *spot;         /* the roomiest of a class first */
	uint32_t *first;           /* by class, and the end: its spots */
	struct sgang_front *front; /* by class */
	uint64_t *full;            /* by class: units that fit */
	uint32_t n;
};

static void write_class(struct solver *solver, struct classes *classes,
			uint32_t number)
{
	const struct spot *spot = classes->spot + classes->first[number];
	uint32_t n = classes->first[number + 1] - classes->first[number], i;
	struct sgang_front *front = &classes->front[number];

	front->point = sgang_pool_alloc(solver->pool, n, sizeof(*front->point));
	for (i = 0; i < n; i++) {
		solver->scratch[i] = spot[i].cap;
		classes->full[number] += spot[i].cap;
	}
	front_of_caps(solver->scratch, n, spot->key, front);
}

static void find_classes(struct solver *solver, const struct sgang_domain *leaf,
			 struct classes *classes)
{
	uint32_t most = leaf->n_nodes, n, i;
	struct sgang_pool *pool = solver->pool;

	memset(classes, 0, sizeof(*classes));
	classes->spot = sgang_pool_alloc(pool, most, sizeof(*classes->spot));
	classes->first = sgang_pool_alloc(pool, most + (size_t)1,
					  sizeof(*classes->first));
	classes->front = sgang_pool_zalloc(pool, most, sizeof(*classes->front));
	classes->full = sgang_pool_zalloc(pool, most, sizeof(*classes->full));
	n = list_spots(solver, leaf, classes->spot);
	for (i = 0; i < n; i++) {
		if (!i || classes->spot[i].key != classes->spot[i - 1].key)
			classes->first[classes->n++] = i;
	}
	classes->first[classes->n] = n;
	for (i = 0; i < classes->n; i++)
		write_class(solver, classes, i);
}

/* Write the front of a leaf whose nodes hold several units and do not all add
 * the same: that of its classes. */
static void front_by_class(struct solver *solver,
			   const struct sgang_domain *leaf,
			   struct sgang_front *front)
{
	struct sgang_front_work work = { .need = solver->tree->need,
					 .limit = SGANG_PLAN_KEY_MAX,
					 .pool = sgang_pool_inside(
						 solver->pool),
					 .steps_max = UINT64_MAX,
					 .budget = solver->work.budget };
	struct classes classes;
	uint32_t i;

	find_classes(solver, leaf, &classes);
	sgang_front_begin(&work);
	for (i = 0; i < classes.n; i++)
		sgang_front_add(&work, &classes.front[i]);
	sgang_front_take(&work, solver->pool, 0, front);
	if (work.thinned)
		solver->proved = false;
	sgang_pool_end(work.pool);
}

static void leaf_front(struct solver *solver, uint32_t d, sgang_plan_key key)
{
	const struct sgang_domain *leaf = domain_at(solver, d);
	struct sgang_front *front = &solver->front[d];
	sgang_plan_key each;
	bool differ = keys_differ(solver, leaf, &each);
	uint32_t i;

	if (front->n)
		return; /* from the first attempt */
	if (differ && !solver->tree->unit) {
		front_by_class(solver, leaf, front);
	} else if (!solver->tree->unit) {
		front_by_room(solver, leaf, each, front);
	} else if (solver->tree->more || differ || each) {
		front_by_key(solver, leaf, front);
	} else {
		/* it does not matter how many are used */
		front->point = sgang_pool_zalloc(solver->pool, 1,
						 sizeof(*front->point));
		front->point[0].cap = solver->full[d];
		front->n = 1;
	}
	for (i = 0; i < front->n; i++)
		front->point[i].key += key;
}

/* -- fronts of inner domains, and candidates -- */

static sgang_plan_key limit_below(const struct solver *solver,
				  sgang_plan_key fixed)
{
	return solver->best.key == SGANG_PLAN_KEY_MAX ?
		       SGANG_PLAN_KEY_MAX :
		       solver->best.key - fixed;
}

/* What rounding may have done to keys in a double. */
static double margin(const struct solver *solver)
{
	return 1 + (double)solver->best.key / (1 << 26) / (1 << 20);
}

/* What a candidate may cost above its bound when it costs no more than 'key';
 * below 0: it costs more. */
static double gap_to(const struct solver *solver, uint32_t d,
		     sgang_plan_key key)
{
	sgang_plan_key fixed;

	if (solver->price[d].bound < 0)
		return -1;
	fixed = solver->base +
		key_of(solver, reach_of(solver, d), solver->above[d]);
	return (double)(key - fixed) - solver->price[d].bound + margin(solver);
}

/* What it may cost above its bound and still be better than the best. */
static double gap_of(const struct solver *solver, uint32_t d)
{
	return gap_to(solver, d,
		      sgang_grain_below(&solver->grain, solver->best.key));
}

/* The least that the children of a domain can be worth together. */
static double support_below(const struct solver *solver, uint32_t d,
			    double price)
{
	const struct sgang_domain *domain = domain_at(solver, d);
	double sum = 0;
	uint32_t i;

	for (i = 0; i < domain->n_children; i++)
		sum += sgang_hull_support(
			&solver->hull[domain->first_child + i], price);
	return sum;
}

/* Before the first child of a domain is added: a band for every common domain
 * that may profit from it, itself included. 'key' is what it costs itself.
 * False when there is none. */
static bool open_bands(struct solver *solver, uint32_t d, sgang_plan_key key)
{
	struct sgang_front_work *work = &solver->work;
	uint32_t at;

	work->n_bands = 0;
	for (at = d; at != SGANG_DOMAIN_NONE &&
		     sgang_tree_allowed(solver->tree->request, at);
	     at = domain_at(solver, at)->parent) {
		struct sgang_band *band = &work->band[work->n_bands];

		band->price = solver->price[at].value;
		band->spare = gap_of(solver, at);
		if (band->spare < 0)
			continue;
		if (at != d)
			band->spare += sgang_hull_support(&solver->hull[d],
							  band->price) -
				       (double)key -
				       support_below(solver, d, band->price);
		band->most = band->spare;
		work->n_bands++;
	}
	return work->n_bands > 0;
}

/* A child is added: points are now compared with its best use, too. */
static void narrow_bands(struct solver *solver, uint32_t child)
{
	struct sgang_front_work *work = &solver->work;
	uint32_t i;

	for (i = 0; i < work->n_bands; i++) {
		struct sgang_band *band = &work->band[i];
		double support = sgang_hull_support(&solver->hull[child],
						    band->price);

		band->alone = band->spare + support;
		band->most += support;
	}
}

/* Is it time to look at hulls first? */
static bool too_long(const struct solver *solver)
{
	return solver->quick && (solver->work.thinned ||
				 solver->work.steps > solver->work.steps_max);
}

static void inner_front(struct solver *solver, uint32_t d, sgang_plan_key key)
{
	const struct sgang_domain *domain = domain_at(solver, d);
	uint32_t i;

	/* as the common domain it does not pay for the step to its parent */
	solver->work.limit = limit_below(solver, solver->base);
	if (solver->work.limit < 0)
		return;
	if (solver->hull && !open_bands(solver, d, key))
		return;
	sgang_front_begin(&solver->work);
	for (i = 0; i < domain->n_children; i++) {
		uint32_t child = domain->first_child + i;

		if (solver->hull)
			narrow_bands(solver, child);
		if (too_long(solver))
			return;
		sgang_front_add(&solver->work, &solver->front[child]);
	}
	sgang_front_take(&solver->work, solver->pool, key, &solver->front[d]);
}

static void find_front(struct solver *solver, uint32_t d, sgang_plan_key key)
{
	if (domain_at(solver, d)->n_children)
		inner_front(solver, d, key);
	else
		leaf_front(solver, d, key);
}

/* Build the front of a domain as its parent sees it, and offer the domain. */
static void try_inside(struct solver *solver, uint32_t d)
{
	const struct sgang_domain *domain = domain_at(solver, d);
	struct candidate candidate = { .level = domain->level,
				       .where = d,
				       .room = solver->full[d] };
	const struct sgang_point *point;
	uint64_t above = solver->above[d] - solver->tree->broken[d];
	uint64_t step = highest(solver, d) ? 0 : step_cost(solver, d);
	sgang_plan_key key = own_key(solver, d, step);

	find_front(solver, d, key);
	point = sgang_front_find(&solver->front[d], solver->tree->need);
	if (point) {
		candidate.key = solver->base + point->key +
				key_of(solver, reach_of(solver, d), above) -
				key_of(solver, step, 0);
		candidate.bound = candidate.key;
		offer(solver, &candidate);
	}
}

/* Choose among the children of a domain. As sgang_choose(). */
static bool choose(struct solver *solver, uint32_t d, uint64_t need,
		   sgang_plan_key limit, struct sgang_choice *choice)
{
	const struct sgang_domain *domain = domain_at(solver, d);

	memset(choice, 0, sizeof(*choice));
	choice->front = &solver->front[domain->first_child];
	choice->full = &solver->full[domain->first_child];
	choice->n = domain->n_children;
	choice->need = need;
	choice->rough = solver->tree->rough;
	choice->budget = solver->work.budget;
	choice->pool = solver->pool;
	choice->item = sgang_pool_alloc(solver->pool, choice->n,
					sizeof(*choice->item));
	return sgang_choose(choice, &solver->grain, limit);
}

/* Offer one of the highest domains. */
static void try_highest(struct solver *solver, uint32_t d)
{
	struct candidate candidate = { .level = domain_at(solver, d)->level,
				       .where = d,
				       .room = solver->full[d] };
	sgang_plan_key fixed, limit;
	struct sgang_choice choice;

	fixed = solver->base +
		key_of(solver, reach_of(solver, d), solver->above[d]);
	limit = limit_below(solver, fixed);
	if (limit < 0 || !choose(solver, d, solver->tree->need, limit, &choice))
		return;
	candidate.key = fixed + choice.key;
	candidate.bound = fixed + choice.bound;
	offer(solver, &candidate);
}

static void try_domains(struct solver *solver)
{
	const struct sgang_tree *tree = solver->tree;
	uint32_t d = sgang_fabric_domains(tree->request->fabric);

	while (d-- > 0) {
		const struct sgang_domain *domain = domain_at(solver, d);

		if (!solver->full[d] || !sgang_tree_allowed(tree->request, d))
			continue;
		if (too_long(solver))
			break;
		if (highest(solver, d) && solver->full[d] < tree->need)
			continue;
		if (highest(solver, d) && domain->n_children)
			try_highest(solver, d);
		else
			try_inside(solver, d);
	}
}

/* -- from the best candidate down to nodes -- */

static void pick(struct solver *solver, uint32_t pos, uint32_t units)
{
	struct sgang_tree *tree = solver->tree;

	tree->pick[tree->n_picks].pos = pos;
	tree->pick[tree->n_picks++].units = units;
}

/* spot[0..used-1] hold 'spare' units too many. Exchange some for others that
 * have fewer free slots and still room enough. */
static void fit_spots(struct spot *spot, uint32_t used, uint32_t n,
		      uint64_t *spare)
{
	uint32_t i, k, steps = 0;

	for (i = used; i-- > 0 && steps < EXCHANGE_MAX; steps += n - used) {
		uint64_t enough = spot[i].cap > *spare ? spot[i].cap - *spare :
							 1;
		uint32_t best = i;

		for (k = used; k < n; k++) {
			if (spot[k].cap >= enough &&
			    spot[k].left < spot[best].left)
				best = k;
		}
		if (best != i) {
			struct spot old = spot[i];

			*spare = *spare + spot[best].cap - old.cap;
			spot[i] = spot[best];
			spot[best] = old;
		}
	}
}

/* Take so many units of these spots, in the order in which they are used.
 * Returns how many spots have some, which come first then. */
static uint32_t take_spots(const struct solver *solver, struct spot *spot,
			   uint32_t n, uint64_t need)
{
	uint32_t i, used;
	uint64_t cap = 0, spare;

	for (used = 0; cap < need; used++)
		cap += spot[used].cap;
	spare = cap - need;
	if (!solver->tree->unit)
		fit_spots(spot, used, n, &spare);
	for (i = used; i-- > 0 && spare;) {
		uint64_t less = spare < spot[i].cap ? spare : spot[i].cap;

		spot[i].cap -= (uint32_t)less;
		spare -= less;
	}
	return used;
}

static void pick_spots(struct solver *solver, struct spot *spot, uint32_t n)
{
	uint32_t i;

	qsort(spot, n, sizeof(*spot), by_pos);
	for (i = 0; i < n; i++) {
		if (spot[i].cap)
			pick(solver, spot[i].pos, spot[i].cap);
	}
}

/* What is chosen too much goes back to the child that has the most room left
 * over anyway, so that the others are used up. Gives the units by child. */
static void share_out(const struct sgang_choice *choice, uint64_t *units)
{
	uint64_t sum = 0, spare;
	uint32_t i;

	for (i = 0; i < choice->n; i++) {
		units[i] = 0;
		if (choice->item[i])
			units[i] =
				choice->front[i].point[choice->item[i] - 1].cap;
		sum += units[i];
	}
	spare = sum - choice->need;
	while (spare) {
		uint32_t roomiest = 0;
		uint64_t less;

		for (i = 1; i < choice->n; i++) {
			if (units[i] &&
			    (!units[roomiest] ||
			     choice->full[i] - units[i] >=
				     choice->full[roomiest] - units[roomiest]))
				roomiest = i;
		}
		less = spare < units[roomiest] ? spare : units[roomiest];
		units[roomiest] -= less;
		spare -= less;
	}
}

/* The units of a leaf whose nodes do not all add the same. */
static void pick_classes(struct solver *solver, const struct sgang_domain *leaf,
			 uint64_t need)
{
	struct sgang_choice choice = { .need = need,
				       .rough = solver->tree->rough,
				       .pool = solver->pool };
	struct classes classes;
	uint32_t i, n = 0;
	uint64_t *units;

	find_classes(solver, leaf, &classes);
	choice.front = classes.front;
	choice.full = classes.full;
	choice.n = classes.n;
	choice.item = sgang_pool_alloc(solver->pool, choice.n,
				       sizeof(*choice.item));
	units = sgang_pool_alloc(solver->pool, choice.n, sizeof(*units));
	(void)sgang_choose(&choice, &solver->grain, SGANG_PLAN_KEY_MAX);
	sgang_choose_tidy(&choice);
	if (!choice.exact)
		solver->proved = false;
	share_out(&choice, units);
	for (i = 0; i < classes.n; i++) {
		struct spot *spot = classes.spot + classes.first[i];
		uint32_t used = take_spots(
			solver, spot, classes.first[i + 1] - classes.first[i],
			units[i]);

		memmove(classes.spot + n, spot, used * sizeof(*spot));
		n += used;
	}
	pick_spots(solver, classes.spot, n);
}

static void pick_leaf(struct solver *solver, uint32_t d, uint64_t need)
{
	const struct sgang_domain *leaf = domain_at(solver, d);
	struct spot *spot;
	sgang_plan_key key;
	uint32_t n;

	if (!solver->tree->unit && keys_differ(solver, leaf, &key)) {
		pick_classes(solver, leaf, need);
		return;
	}
	spot = sgang_pool_alloc(solver->pool, leaf->n_nodes, sizeof(*spot));
	n = list_spots(solver, leaf, spot);
	pick_spots(solver, spot, take_spots(solver, spot, n, need));
}

static void pick_domain(struct solver *solver, uint32_t d, uint64_t need,
			sgang_plan_key limit)
{
	const struct sgang_domain *domain = domain_at(solver, d);
	struct sgang_choice choice;
	uint64_t *units;
	uint32_t i;

	if (!domain->n_children) {
		pick_leaf(solver, d, need);
		return;
	}
	units = sgang_pool_alloc(solver->pool, domain->n_children,
				 sizeof(*units));
	(void)choose(solver, d, need, SGANG_PLAN_KEY_MAX, &choice);
	sgang_choose_tidy(&choice);
	if (choice.key > limit)
		solver->proved = false;
	share_out(&choice, units);
	for (i = 0; i < domain->n_children; i++) {
		uint32_t child = domain->first_child + i;

		if (!units[i])
			continue;
		limit = choice.front[i].point[choice.item[i] - 1].key -
			own_key(solver, child, step_cost(solver, child));
		pick_domain(solver, child, units[i], limit);
	}
}

static void pick_best(struct solver *solver)
{
	struct sgang_tree *tree = solver->tree;
	const struct candidate *best = &solver->best;
	uint32_t n = sgang_fabric_nodes(tree->request->fabric);

	tree->n_picks = 0;
	tree->pick = sgang_pool_alloc(solver->pool,
				      tree->need < n ? tree->need : n,
				      sizeof(*tree->pick));
	if (best->level == SGANG_LEVEL_ISLAND) {
		tree->domain = sgang_fabric_leaf(
			tree->request->fabric,
			sgang_fabric_order(tree->request->fabric)[best->where]);
		pick(solver, best->where, (uint32_t)tree->need);
		return;
	}
	tree->domain = best->where;
	pick_domain(solver, best->where, tree->need,
		    best->key - solver->base -
			    key_of(solver, 0, solver->above[best->where]));
}

/* -- when fronts become too long -- */

/* Find the hull of every domain that has one above it, and the price of all
 * units in every one. */
static void find_hulls(struct solver *solver)
{
	const struct sgang_tree *tree = solver->tree;
	uint32_t d = sgang_fabric_domains(tree->request->fabric);
	struct sgang_front *hull;

	hull = sgang_pool_zalloc(solver->pool, d, sizeof(*hull));
	solver->price = sgang_pool_zalloc(solver->pool, d,
					  sizeof(*solver->price));
	while (d-- > 0) {
		const struct sgang_domain *domain = domain_at(solver, d);
		uint64_t step = highest(solver, d) ? 0 : step_cost(solver, d);

		solver->price[d].bound = -1;
		if (!solver->full[d] || !sgang_tree_allowed(tree->request, d))
			continue;
		if (domain->n_children && highest(solver, d)) {
			sgang_hull_price(&hull[domain->first_child],
					 domain->n_children, tree->need,
					 solver->pool, &solver->price[d]);
		} else if (domain->n_children) {
			sgang_hull_of_children(&hull[domain->first_child],
					       domain->n_children,
					       own_key(solver, d, step),
					       tree->need, solver->pool,
					       &hull[d], &solver->price[d]);
		} else {
			leaf_front(solver, d, own_key(solver, d, step));
			sgang_hull_of_front(&solver->front[d], solver->pool,
					    &hull[d]);
		}
	}
	solver->hull = hull;
}

/* Without proof, the bound is the least of all candidates' relaxations. */
static void relax_bound(struct solver *solver)
{
	uint32_t d = sgang_fabric_domains(solver->tree->request->fabric);

	solver->proved = false;
	solver->bound = solver->best.key;
	while (d-- > 0) {
		double gap = gap_to(solver, d, solver->best.key);
		sgang_plan_key bound;

		if (gap <= 0)
			continue;
		bound = solver->best.key - (sgang_plan_key)gap;
		if (bound < solver->bound)
			solver->bound = bound;
	}
}

/* What was best before has been picked; pick what is better now. Nothing else
 * can be picked later, when fronts are others. */
static void pick_better(struct solver *solver, sgang_plan_key before,
			bool picking)
{
	if (picking && solver->best.key < before)
		pick_best(solver);
}

/* Offer every domain with the corners of hulls for fronts. */
static void try_hulls(struct solver *solver, bool picking)
{
	struct sgang_front *front = solver->front;
	uint32_t d = sgang_fabric_domains(solver->tree->request->fabric);
	sgang_plan_key before = solver->best.key;

	solver->front = solver->hull;
	while (d-- > 0) {
		if (solver->price[d].bound >= 0 && gap_of(solver, d) >= 0)
			try_highest(solver, d);
	}
	pick_better(solver, before, picking);
	solver->front = front;
}

/* Build fronts with those points only that can be part of something as good as
 * the best. */
static void try_bands(struct solver *solver, bool picking)
{
	uint32_t d = sgang_fabric_domains(solver->tree->request->fabric);
	sgang_plan_key before = solver->best.key;

	while (d-- > 0) {
		if (domain_at(solver, d)->n_children)
			solver->front[d].n = 0;
	}
	solver->bound = solver->best.key;
	solver->work.steps = 0;
	solver->work.thinned = false;
	try_domains(solver);
	pick_better(solver, before, picking);
}

/* Hulls first, then fronts within bands, again as long as they are too long
 * and become shorter. */
static void try_again(struct solver *solver, bool picking)
{
	uint32_t attempt, attempts = solver->tree->rough ? 0 : ATTEMPTS_MAX;
	sgang_plan_key before;

	solver->quick = false;
	solver->work.steps_max =
		sgang_budget_limits(solver->work.budget)->tree_steps_again;
	pick_better(solver, SGANG_PLAN_KEY_MAX, picking);
	find_hulls(solver);
	try_hulls(solver, picking);
	for (attempt = 0; attempt < attempts; attempt++) {
		before = solver->best.key;
		if (!sgang_budget_left(solver->work.budget))
			break;
		try_bands(solver, picking);
		if (!solver->work.thinned || solver->best.key == before)
			break;
	}
	if (solver->work.thinned || !attempts)
		relax_bound(solver);
}

/* Take a key apart. */
static void tell(const struct solver *solver, sgang_plan_key key,
		 uint64_t *price, uint64_t *broken)
{
	*price = (uint64_t)(key >> solver->grain.shift);
	*broken = (uint64_t)(key & ((INT64_C(1) << solver->grain.shift) - 1))
		  << solver->coarse;
}

/* The cost of something lighter is no bound for the cost of what is best by
 * weight. */
static void tell_bound(const struct solver *solver)
{
	struct sgang_tree *tree = solver->tree;
	const struct sgang_coin *coin = tree->coin;
	uint64_t price, best, ignored;

	tell(solver, solver->bound, &price, &tree->bound_broken);
	tell(solver, solver->best.key, &best, &ignored);
	tree->bound = sgang_coin_cost(coin, price);
	if (coin)
		tree->bound_broken += sgang_coin_weight(coin, price) *
				      coin->tie;
	if (coin && coin->weight > coin->cost &&
	    sgang_coin_weight(coin, price) < sgang_coin_weight(coin, best))
		tree->bound = 0;
}

static int solve(struct sgang_tree *tree, struct sgang_pool *pool,
		 bool bound_only)
{
	struct solver solver = { .tree = tree, .pool = pool, .quick = true };

	if (set_up(&solver))
		return -1;
	/* a single unit is on one node */
	try_nodes(&solver);
	if (tree->need > 1)
		try_domains(&solver);
	if (too_long(&solver))
		try_again(&solver, !bound_only);
	else
		pick_better(&solver, SGANG_PLAN_KEY_MAX, !bound_only);
	sgang_pool_end(solver.work.pool);
	if (solver.best.key == SGANG_PLAN_KEY_MAX)
		return 0;
	tell_bound(&solver);
	tree->exact = solver.proved && solver.bound == solver.best.key;
	return 1;
}

/* -- one domain at a time -- */

struct sgang_inside {
	struct solver solver;
};

struct sgang_inside *sgang_inside_open(struct sgang_tree *tree, uint32_t level,
				       struct sgang_pool *pool)
{
	struct sgang_inside *inside = sgang_pool_zalloc(pool, 1,
							sizeof(*inside));
	uint32_t d = sgang_fabric_domains(tree->request->fabric);
	struct solver *solver = &inside->solver;

	solver->tree = tree;
	solver->pool = pool;
	if (set_up(solver))
		return NULL;
	solver->work.steps_max =
		sgang_budget_limits(solver->work.budget)->tree_steps_again;
	while (d-- > 0) {
		if (domain_at(solver, d)->level > level || !solver->full[d] ||
		    highest(solver, d))
			continue;
		find_front(solver, d, own_key(solver, d, step_cost(solver, d)));
	}
	sgang_pool_end(solver->work.pool);
	return inside;
}

bool sgang_inside_least(const struct sgang_inside *inside)
{
	return !inside->solver.work.thinned;
}

bool sgang_inside_exact(const struct sgang_inside *inside)
{
	return inside->solver.proved && !inside->solver.work.thinned;
}

bool sgang_inside_domain(const struct sgang_inside *inside, uint32_t domain,
			 uint64_t *price, uint64_t *broken)
{
	const struct solver *solver = &inside->solver;
	const struct sgang_point *point =
		sgang_front_find(&solver->front[domain], solver->tree->need);

	if (point)
		tell(solver, solver->base + point->key, price, broken);
	return point != NULL;
}

bool sgang_inside_node(const struct sgang_inside *inside, uint32_t pos,
		       uint64_t *price, uint64_t *broken)
{
	const struct solver *solver = &inside->solver;

	if (solver->tree->cap[pos] < solver->tree->need)
		return false;
	tell(solver, solver->base + node_key(solver, pos), price, broken);
	return true;
}

uint64_t sgang_inside_room(const struct sgang_inside *inside, uint32_t domain)
{
	return inside->solver.full[domain];
}

void sgang_inside_pick(struct sgang_inside *inside, uint32_t domain)
{
	struct solver *solver = &inside->solver;
	struct sgang_tree *tree = solver->tree;
	uint32_t n = domain_at(solver, domain)->n_nodes;
	sgang_plan_key own = own_key(solver, domain, step_cost(solver, domain));

	tree->n_picks = 0;
	tree->pick = sgang_pool_alloc(solver->pool,
				      tree->need < n ? tree->need : n,
				      sizeof(*tree->pick));
	pick_domain(solver, domain, tree->need,
		    sgang_front_find(&solver->front[domain], tree->need)->key -
			    own);
}

/* -- bundles -- */

/* Where every node holds a multiple of so many units, they can be placed in
 * bundles of that size: what a place costs does not depend on how much of it is
 * used, so the last bundle may as well be a full one. Single GPUs on nodes of
 * which all eight are free are whole nodes then, and fronts are short. 1: no.
 */
static uint32_t bundle_size(const struct sgang_tree *tree)
{
	uint32_t pos, n = sgang_fabric_nodes(tree->request->fabric);
	uint64_t size = 0;

	if (tree->unit || tree->more)
		return 1;
	for (pos = 0; pos < n && size != 1; pos++)
		size = gcd(tree->cap[pos], size);
	return size ? (uint32_t)size : 1;
}

/* Take the bundles apart again, and what is too much from the last. */
static void unbundle(struct sgang_tree *tree, uint32_t size, uint64_t need)
{
	uint64_t units = 0;
	size_t i;

	for (i = 0; i < tree->n_picks; i++) {
		tree->pick[i].units *= size;
		units += tree->pick[i].units;
	}
	if (units > need)
		tree->pick[i - 1].units -= (uint32_t)(units - need);
}

int sgang_tree_solve(struct sgang_tree *tree, struct sgang_pool *pool,
		     bool bound_only)
{
	uint32_t pos, n = sgang_fabric_nodes(tree->request->fabric);
	uint32_t size = bundle_size(tree), most = 0, *cap;
	struct sgang_tree bundled = *tree;
	int rc;

	if (size == 1)
		return solve(tree, pool, bound_only);
	cap = sgang_pool_alloc(pool, n, sizeof(*cap));
	for (pos = 0; pos < n; pos++) {
		cap[pos] = tree->cap[pos] / size;
		most = cap[pos] > most ? cap[pos] : most;
	}
	bundled.cap = cap;
	bundled.need = (tree->need + size - 1) / size;
	bundled.unit = most == 1 && !tree->free_nodes;
	rc = solve(&bundled, pool, bound_only);
	if (rc != 1)
		return rc;
	if (!bound_only)
		unbundle(&bundled, size, tree->need);
	bundled.cap = tree->cap;
	bundled.need = tree->need;
	bundled.unit = tree->unit;
	*tree = bundled;
	return 1;
}
