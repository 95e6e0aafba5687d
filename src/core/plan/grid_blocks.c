/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid_blocks.c - communication groups: how many units go where
 *
 * Every ring that is in a domain but not wholly so has a hop that leaves it.
 * Summed up over all domains below the common one, with what one hop more costs
 * above a domain than in it, that is the weighted cost of the placement,
 * besides what all hops cost in an island. The least that x ranks in a domain
 * can contribute is known (grid_cut.c). The least sum over all ways to spread
 * the units over the tree is therefore a bound for the cost. It is found
 * exactly, bottom-up, from the least cost of x units in each domain. The spread
 * with that sum also is where the ranks should go: it has whole rings of the
 * heavy groups in small places.
 */

#include <string.h>

#include "plan_private.h"

#define NEVER UINT64_MAX

/* A number of units in a domain: their cost, the wholly free space they break,
 * and the free slots of the nodes and domains they use: the less, the better
 * they fit. */
struct cell {
	uint64_t cost; /* NEVER: that cannot be */
	uint64_t broken;
	uint64_t room;
};

/* By number of units, from 0 on. */
struct table {
	struct cell *cell;
	uint32_t n;
};

struct solver {
	struct sgang_blocks *blocks;
	struct sgang_pool *pool;
	struct sgang_cut *cut[SGANG_LEVELS]; /* below a domain of a level */
	struct table *table;                 /* by domain, with its own cost */
	uint32_t **take_child;   /* by domain: of x units in it and in
				  * its elder sisters, those in it */
	uint32_t **take_node;    /* by position: the same */
	struct cell *sum, *next; /* the domain that is worked on */
	uint32_t n_sum;
	struct cell *one;   /* a node */
	uint64_t steps;     /* of merging, */
	uint64_t steps_max; /* which ends without an answer */
	uint32_t *units;    /* the answer, by position */
};

static const struct sgang_domain *domain_at(const struct solver *solver,
					    uint32_t d)
{
	return sgang_fabric_domain(solver->blocks->tree->request->fabric, d);
}

static bool less(const struct cell *a, const struct cell *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->broken != b->broken)
		return a->broken < b->broken;
	return a->room < b->room;
}

/* -- costs -- */

/* The groups whose rings must be whole in every part of a domain of this
 * level. */
static uint32_t whole_groups(const struct sgang_plan_request *request,
			     uint32_t level)
{
	uint32_t g, mask = 0;

	for (g = 0; g < request->parallel->n; g++) {
		if (request->require[g] < level)
			mask |= 1u << g;
	}
	return mask;
}

/* Levels with the same groups share a table. */
static void set_up_cuts(struct solver *solver)
{
	const struct sgang_plan_request *request =
		solver->blocks->tree->request;
	uint32_t level;

	for (level = 0; level < SGANG_LEVELS; level++) {
		uint32_t whole = whole_groups(request, level);
		struct sgang_cut *cut;

		if (level && solver->cut[level - 1]->whole == whole) {
			solver->cut[level] = solver->cut[level - 1];
			continue;
		}
		cut = sgang_pool_zalloc(solver->pool, 1, sizeof(*cut));
		cut->parallel = request->parallel;
		cut->whole = whole;
		cut->budget = request->budget;
		sgang_cut_find(cut, solver->pool);
		solver->cut[level] = cut;
	}
}

/* The cost of so many units that are in a place of level 'low' right under one
 * of level 'high', and not all in it. */
static uint64_t part_cost(const struct solver *solver, uint32_t low,
			  uint32_t high, uint64_t units)
{
	const struct sgang_blocks *blocks = solver->blocks;
	const uint32_t *hop = blocks->tree->request->costs->hop;
	uint64_t least;

	if (blocks->part)
		return blocks->part(blocks->arg, low, high, units);
	least = sgang_cut_least(solver->cut[high], units * blocks->ranks);
	return least == SGANG_CUT_NEVER ? NEVER :
					  least * (hop[high] - hop[low]);
}

/* -- merging -- */

/* Put 'y' units of a child beside those of the sum. */
static void merge_units(struct solver *solver, uint32_t y,
			const struct cell *child, uint32_t n, uint32_t *take)
{
	uint32_t most = n - y < solver->n_sum ? n - y : solver->n_sum, x;

	solver->steps += most;
	for (x = 0; x < most; x++) {
		struct cell cell = solver->sum[x];

		if (cell.cost == NEVER)
			continue;
		cell.cost += child->cost;
		if (cell.cost > solver->next[x + y].cost)
			continue;
		cell.broken += child->broken;
		cell.room += child->room;
		if (less(&cell, &solver->next[x + y])) {
			solver->next[x + y] = cell;
			take[x + y] = y;
		}
	}
}

/* Add a child to the sum. '*take' gets, for each number of units in the sum,
 * those in this child. False when it takes too long. */
static bool merge(struct solver *solver, const struct table *child,
		  uint32_t **take)
{
	uint64_t need = solver->blocks->tree->need;
	uint64_t most = (uint64_t)solver->n_sum - 1 + child->n - 1;
	uint32_t n = (uint32_t)(most < need ? most : need) + 1, x, y;
	struct cell *swap;

	if (solver->steps + (uint64_t)solver->n_sum * child->n / 2 >
	    solver->steps_max)
		return false;
	*take = sgang_pool_zalloc(solver->pool, n, sizeof(**take));
	for (x = 0; x < n; x++)
		solver->next[x] = (struct cell){ .cost = NEVER };
	for (y = 0; y < child->n && y < n; y++) {
		if (child->cell[y].cost != NEVER)
			merge_units(solver, y, &child->cell[y], n, *take);
	}
	swap = solver->sum;
	solver->sum = solver->next;
	solver->next = swap;
	solver->n_sum = n;
	return true;
}

static bool merge_nodes(struct solver *solver, const struct sgang_domain *leaf)
{
	const struct sgang_tree *tree = solver->blocks->tree;
	struct table node = { .cell = solver->one };
	uint32_t i, x;
	bool done = true;

	for (i = 0; i < leaf->n_nodes && done; i++) {
		uint32_t pos = leaf->first_pos + i;

		if (!tree->cap[pos])
			continue;
		for (x = 0; x <= tree->cap[pos]; x++)
			node.cell[x] = (struct cell){
				.cost = part_cost(solver, SGANG_LEVEL_ISLAND,
						  leaf->level, x),
				.room = x ? tree->left[pos] : 0
			};
		node.n = tree->cap[pos] + 1;
		done = merge(solver, &node, &solver->take_node[pos]);
	}
	return done;
}

static bool merge_children(struct solver *solver,
			   const struct sgang_domain *domain)
{
	bool done = true;
	uint32_t i;

	for (i = 0; i < domain->n_children && done; i++) {
		uint32_t child = domain->first_child + i;

		if (solver->table[child].n > 1)
			done = merge(solver, &solver->table[child],
				     &solver->take_child[child]);
	}
	return done;
}

/* Free slots in a domain. */
static uint64_t room_in(const struct solver *solver, uint32_t d)
{
	const struct sgang_domain *domain = domain_at(solver, d);
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < domain->n_nodes; i++)
		sum += solver->blocks->tree->left[domain->first_pos + i];
	return sum;
}

/* Keep the sum as the table of a domain that is only a part of the place. */
static void keep_table(struct solver *solver, uint32_t d)
{
	const struct sgang_domain *domain = domain_at(solver, d);
	uint32_t high = domain_at(solver, domain->parent)->level, x;
	struct table *table = &solver->table[d];
	uint64_t room = room_in(solver, d);

	table->n = solver->n_sum;
	table->cell = sgang_pool_alloc(solver->pool, table->n,
				       sizeof(*table->cell));
	memcpy(table->cell, solver->sum, table->n * sizeof(*table->cell));
	for (x = 1; x < table->n; x++) {
		struct cell *cell = &table->cell[x];
		uint64_t cost = part_cost(solver, domain->level, high, x);

		if (cost == NEVER || cell->cost == NEVER) {
			cell->cost = NEVER;
			continue;
		}
		cell->cost += cost;
		cell->broken += solver->blocks->tree->broken[d];
		cell->room += room;
	}
}

/* -- places for the whole gang -- */

/* The best so far: a domain, or one node. */
struct place {
	struct cell cell;
	uint32_t domain; /* NONE: the node at this position */
	uint32_t pos;
};

/* The wholly free space of a domain and all above it. */
static uint64_t broken_above(const struct solver *solver, uint32_t d)
{
	uint64_t sum = 0;

	for (; d != SGANG_DOMAIN_NONE; d = domain_at(solver, d)->parent)
		sum += solver->blocks->tree->broken[d];
	return sum;
}

static void offer(struct place *best, const struct place *place)
{
	if (less(&place->cell, &best->cell))
		*best = *place;
}

/* The sum is that of a highest domain. */
static void offer_domain(const struct solver *solver, uint32_t d,
			 struct place *best)
{
	const struct sgang_tree *tree = solver->blocks->tree;
	struct place place = { .domain = d };

	if (solver->n_sum <= tree->need ||
	    solver->sum[tree->need].cost == NEVER)
		return;
	place.cell = solver->sum[tree->need];
	place.cell.broken += broken_above(solver, d);
	place.cell.room += room_in(solver, d);
	offer(best, &place);
}

/* The gang may not even span this leaf. */
static void offer_nodes(const struct solver *solver, uint32_t leaf,
			struct place *best)
{
	const struct sgang_domain *domain = domain_at(solver, leaf);
	const struct sgang_tree *tree = solver->blocks->tree;
	uint32_t i;

	for (i = 0; i < domain->n_nodes; i++) {
		struct place place = { .domain = SGANG_DOMAIN_NONE,
				       .pos = domain->first_pos + i };

		if (tree->cap[place.pos] < tree->need)
			continue;
		place.cell.broken = broken_above(solver, leaf);
		place.cell.room = tree->left[place.pos];
		offer(best, &place);
	}
}

/* A domain whose children are done. Returns as merge(). */
static bool do_domain(struct solver *solver, uint32_t d, struct place *best)
{
	const struct sgang_plan_request *request =
		solver->blocks->tree->request;
	const struct sgang_domain *domain = domain_at(solver, d);

	if (!sgang_tree_allowed(request, d)) {
		if (!domain->n_children)
			offer_nodes(solver, d, best);
		return true;
	}
	solver->sum[0] = (struct cell){ .cost = 0 };
	solver->n_sum = 1;
	if (domain->n_children ? !merge_children(solver, domain) :
				 !merge_nodes(solver, domain))
		return false;
	if (domain->parent != SGANG_DOMAIN_NONE &&
	    sgang_tree_allowed(request, domain->parent))
		keep_table(solver, d);
	else
		offer_domain(solver, d, best);
	return true;
}

/* -- the answer -- */

static void pick_nodes(struct solver *solver, const struct sgang_domain *leaf,
		       uint32_t units)
{
	uint32_t i;

	for (i = leaf->n_nodes; i-- > 0 && units;) {
		uint32_t pos = leaf->first_pos + i;

		if (!solver->take_node[pos])
			continue;
		solver->units[pos] = solver->take_node[pos][units];
		units -= solver->units[pos];
	}
}

/* Not deeper than the fabric has levels. */
static void pick_domain(struct solver *solver, uint32_t d, uint32_t units)
{
	const struct sgang_domain *domain = domain_at(solver, d);
	uint32_t i;

	if (!domain->n_children)
		pick_nodes(solver, domain, units);
	for (i = domain->n_children; i-- > 0 && units;) {
		uint32_t child = domain->first_child + i, here;

		if (!solver->take_child[child])
			continue;
		here = solver->take_child[child][units];
		pick_domain(solver, child, here);
		units -= here;
	}
}

static void make_picks(struct solver *solver, const struct place *best)
{
	struct sgang_blocks *blocks = solver->blocks;
	uint32_t n = sgang_fabric_nodes(blocks->tree->request->fabric), pos;

	solver->units = sgang_pool_zalloc(solver->pool, n,
					  sizeof(*solver->units));
	blocks->pick = sgang_pool_alloc(solver->pool, n, sizeof(*blocks->pick));
	if (best->domain != SGANG_DOMAIN_NONE)
		pick_domain(solver, best->domain, (uint32_t)blocks->tree->need);
	else
		solver->units[best->pos] = (uint32_t)blocks->tree->need;
	for (pos = 0; pos < n; pos++) {
		if (solver->units[pos])
			blocks->pick[blocks->n_picks++] = (struct sgang_pick){
				.pos = pos, .units = solver->units[pos]
			};
	}
	blocks->cost = best->cell.cost;
	blocks->broken = best->cell.broken;
}

/* -- without an answer: a bound -- */

/* The most units in any part of the fabric below each level: a domain of that
 * level or less, or a node. */
static void find_most(const struct solver *solver, uint64_t most[SGANG_LEVELS])
{
	const struct sgang_tree *tree = solver->blocks->tree;
	uint32_t n = sgang_fabric_domains(tree->request->fabric), d, i, level;

	memset(most, 0, SGANG_LEVELS * sizeof(*most));
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = domain_at(solver, d);
		uint32_t above = SGANG_LEVELS;
		uint64_t sum = 0, node = 0;

		for (i = 0; i < domain->n_nodes; i++) {
			uint32_t cap = tree->cap[domain->first_pos + i];

			sum += cap;
			node = cap > node ? cap : node;
		}
		if (domain->parent != SGANG_DOMAIN_NONE)
			above = domain_at(solver, domain->parent)->level;
		for (level = domain->level; level < above; level++)
			most[level] = sum > most[level] ? sum : most[level];
		for (level = 0; !domain->n_children && level < domain->level;
		     level++)
			most[level] = node > most[level] ? node : most[level];
	}
}

/* The least that all units cut in parts of so many units: each has its share of
 * what its part cuts. */
static uint64_t least_cut(const struct solver *solver, uint32_t level,
			  uint64_t most)
{
	const struct sgang_blocks *blocks = solver->blocks;
	uint64_t need = blocks->tree->need, x, sum;
	uint64_t part = 0, units = 0;

	for (x = 1; x <= most; x++) {
		uint64_t least = blocks->part ?
					 blocks->part(blocks->arg, level - 1,
						      level, x) :
					 sgang_cut_least(solver->cut[level],
							 x * blocks->ranks);

		if (least != SGANG_CUT_NEVER &&
		    (!units || least * units < part * x)) {
			part = least;
			units = x;
		}
	}
	if (!units || __builtin_mul_overflow(need, part, &sum))
		return 0;
	return (sum + units - 1) / units;
}

static uint64_t rough_bound(const struct solver *solver)
{
	const uint32_t *hop = solver->blocks->tree->request->costs->hop;
	uint64_t most[SGANG_LEVELS], sum = 0;
	uint32_t level;

	find_most(solver, most);
	for (level = 0; level + 1 < SGANG_LEVELS &&
			most[level] < solver->blocks->tree->need;
	     level++) {
		uint64_t least = least_cut(solver, level + 1, most[level]);

		sum += solver->blocks->part ?
			       least :
			       least * (hop[level + 1] - hop[level]);
	}
	return sum;
}

static void set_up(struct solver *solver)
{
	const struct sgang_tree *tree = solver->blocks->tree;
	const struct sgang_fabric *fabric = tree->request->fabric;
	uint32_t n_nodes = sgang_fabric_nodes(fabric);
	uint32_t n = sgang_fabric_domains(fabric);
	struct sgang_pool *pool = solver->pool;

	solver->table = sgang_pool_zalloc(pool, n, sizeof(*solver->table));
	solver->take_child = sgang_pool_zalloc(pool, n,
					       sizeof(*solver->take_child));
	solver->take_node = sgang_pool_zalloc(pool, n_nodes,
					      sizeof(*solver->take_node));
	solver->sum = sgang_pool_alloc(pool, tree->need + 1,
				       sizeof(*solver->sum));
	solver->next = sgang_pool_alloc(pool, tree->need + 1,
					sizeof(*solver->next));
	solver->one = sgang_pool_alloc(pool, tree->need + 1,
				       sizeof(*solver->one));
	if (!solver->blocks->part)
		set_up_cuts(solver);
}

bool sgang_blocks_solve(struct sgang_blocks *blocks, struct sgang_pool *pool)
{
	struct solver solver = { .blocks = blocks, .pool = pool };
	struct place best = { .cell = { .cost = NEVER } };
	struct sgang_budget *budget = blocks->tree->request->budget;
	uint32_t d = sgang_fabric_domains(blocks->tree->request->fabric);

	blocks->tired = false;
	blocks->n_picks = 0;
	set_up(&solver);
	solver.steps_max = sgang_budget_share(
		budget, sgang_budget_limits(budget)->blocks_steps);
	while (d-- > 0 && !blocks->tired)
		blocks->tired = !do_domain(&solver, d, &best);
	sgang_budget_take(budget, solver.steps);
	if (blocks->tired)
		blocks->cost = rough_bound(&solver);
	if (blocks->tired || best.cell.cost == NEVER)
		return false;
	make_picks(&solver, &best);
	return true;
}
