/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_search.c - trees of groups: units and groups moved and exchanged
 *
 * Units go to other nodes or change places, whole groups go to other places or
 * change them, as long as that lowers the price, which includes required
 * levels. Then some group is moved at random, and all begins again from there;
 * the best is kept.
 */

#include <stdlib.h>
#include <string.h>

#include "roles_private.h"

/* The largest table. For a larger one the placement stays as it is. */
#define CELLS_MAX 8000000

/* The number of restarts. */
#define SHAKES_MAX 12

struct search {
	const struct sgang_roles *roles;
	uint32_t *at;       /* by unit */
	uint32_t *class_of; /* by unit */
	struct sgang_roles_tables *tables;
	uint32_t *free; /* by node: what is left, n_dims numbers */
	uint32_t *node; /* positions that units may go to */
	uint32_t n_nodes;
	uint32_t *undo; /* scratch: where the units of a group were */
	struct {
		uint32_t pos;
		uint32_t room;
	} * order; /* scratch: nodes of a place */
	uint64_t price;
	uint64_t enough;
	uint64_t steps, steps_max;
	uint64_t random;
};

static bool is_done(const struct search *search)
{
	return search->price <= search->enough ||
	       search->steps >= search->steps_max;
}

/* -- one unit -- */

static uint32_t *left_at(const struct search *search, uint32_t pos)
{
	const struct sgang_plan_request *request = search->roles->job->request;

	return search->free + (size_t)sgang_fabric_order(request->fabric)[pos] *
				      request->n_dims;
}

static uint32_t *count_on(const struct search *search, uint32_t class,
			  uint32_t pos)
{
	return &search->tables
			->on[(size_t)pos * search->roles->n_classes + class];
}

static uint64_t cut(uint32_t units, uint32_t all, uint64_t price)
{
	return units && units < all ? price : 0;
}

/* Count a unit of a class more or less at a node, with its effect on the price.
 */
static void count(struct search *search, uint32_t class, uint32_t pos,
		  int32_t change)
{
	const struct sgang_roles *roles = search->roles;
	uint32_t p, g;

	for (p = pos; roles->pair[p] != SGANG_PAIR_NONE; p = roles->up[p]) {
		const uint64_t *price = roles->pairs[roles->pair[p]].price;
		uint32_t *cell =
			&search->tables->count[(size_t)p * roles->n_groups];

		for (g = roles->class[class].leaf; g != SGANG_PLAN_NO_GROUP;
		     g = roles->group[g].parent) {
			uint32_t all = roles->units[g];

			search->price -= cut(cell[g], all, price[g]);
			cell[g] += (uint32_t)change;
			search->price += cut(cell[g], all, price[g]);
			search->steps++;
		}
	}
}

static bool has_room(const struct search *search, uint32_t class, uint32_t pos)
{
	const struct sgang_job *job = search->roles->job;
	const struct sgang_class *c = &search->roles->class[class];
	uint32_t node = sgang_fabric_order(job->request->fabric)[pos];

	return *count_on(search, class, pos) < c->per_node &&
	       sgang_kind_fits(job, &job->kind[c->kind], node,
			       left_at(search, pos));
}

static void take_out(struct search *search, uint32_t unit)
{
	const struct sgang_job *job = search->roles->job;
	uint32_t class = search->class_of[unit], pos = search->at[unit];
	const struct sgang_kind *kind =
		&job->kind[search->roles->class[class].kind];

	count(search, class, pos, -1);
	--*count_on(search, class, pos);
	sgang_kind_give_back(job, kind,
			     sgang_fabric_order(job->request->fabric)[pos], 1,
			     left_at(search, pos));
	if (!kind->ranks)
		search->price -= sgang_roles_own(search->roles, class, pos);
}

static void put(struct search *search, uint32_t unit, uint32_t pos)
{
	const struct sgang_job *job = search->roles->job;
	uint32_t class = search->class_of[unit];
	const struct sgang_kind *kind =
		&job->kind[search->roles->class[class].kind];

	search->at[unit] = pos;
	count(search, class, pos, 1);
	++*count_on(search, class, pos);
	sgang_kind_take(job, kind,
			sgang_fabric_order(job->request->fabric)[pos], 1,
			left_at(search, pos));
	if (!kind->ranks)
		search->price += sgang_roles_own(search->roles, class, pos);
}

/* -- units -- */

/* True if this node is unused and as good as the one before it, which is
 * enough. */
static bool is_same(const struct search *search, uint32_t i)
{
	const struct sgang_roles *roles = search->roles;
	const struct sgang_plan_request *request = roles->job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t pos = search->node[i], last;
	size_t root = (size_t)roles->n_groups, size;

	if (!i || search->tables->count[pos * root])
		return false;
	last = search->node[i - 1];
	size = request->n_dims * sizeof(*search->free);
	return roles->up[last] == roles->up[pos] &&
	       !search->tables->count[last * root] &&
	       (!request->type ||
		request->type[order[last]] == request->type[order[pos]]) &&
	       !memcmp(left_at(search, last), left_at(search, pos), size) &&
	       !memcmp(request->total + (size_t)order[last] * request->n_dims,
		       request->total + (size_t)order[pos] * request->n_dims,
		       size) &&
	       roles->tree.cap[last] == roles->tree.cap[pos];
}

/* Move a unit to the cheapest place. True when it was moved. */
static bool move_unit(struct search *search, uint32_t unit)
{
	uint32_t class = search->class_of[unit], from = search->at[unit], i;
	uint32_t best = from;
	uint64_t least = search->price;

	take_out(search, unit);
	for (i = 0; i < search->n_nodes; i++) {
		uint32_t pos = search->node[i];

		search->steps++;
		if (pos == from || is_same(search, i) ||
		    !has_room(search, class, pos))
			continue;
		put(search, unit, pos);
		if (search->price < least) {
			least = search->price;
			best = pos;
		}
		take_out(search, unit);
	}
	put(search, unit, best);
	return best != from;
}

/* Exchange two units. True when that is cheaper, else nothing is changed. */
static bool swap_units(struct search *search, uint32_t a, uint32_t b)
{
	uint32_t at_a = search->at[a], at_b = search->at[b];
	uint64_t before = search->price;
	bool cheaper = false;

	take_out(search, a);
	take_out(search, b);
	if (has_room(search, search->class_of[b], at_a)) {
		put(search, b, at_a);
		if (has_room(search, search->class_of[a], at_b)) {
			put(search, a, at_b);
			if (search->price < before)
				return true;
			take_out(search, a);
		}
		take_out(search, b);
	}
	put(search, a, at_a);
	put(search, b, at_b);
	return cheaper;
}

/* Units next to each other in a class and on a node are the same. */
static bool is_first(const struct search *search, uint32_t unit)
{
	return !unit || search->class_of[unit] != search->class_of[unit - 1] ||
	       search->at[unit] != search->at[unit - 1];
}

static void improve_units(struct search *search)
{
	uint32_t n = search->roles->n_units, a, b;
	bool again = true;

	while (again && !is_done(search)) {
		again = false;
		for (a = 0; a < n && !is_done(search); a++)
			again |= is_first(search, a) && move_unit(search, a);
		for (a = 0; a < n && !is_done(search); a++) {
			if (!is_first(search, a))
				continue;
			for (b = a + 1; b < n && !is_done(search); b++) {
				search->steps++;
				if (search->class_of[a] !=
					    search->class_of[b] &&
				    search->at[a] != search->at[b] &&
				    is_first(search, b))
					again |= swap_units(search, a, b);
			}
		}
	}
}

/* -- groups -- */

/* The units of a group: '*first' and so many. */
static uint32_t units_of(const struct sgang_roles *roles, uint32_t g,
			 uint32_t *first)
{
	*first = roles->class[roles->class_of[roles->group[g].first]].first;
	return roles->units[g];
}

static int most_first(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	if (a[1] != b[1])
		return a[1] > b[1] ? -1 : 1;
	return (a[0] > b[0]) - (a[0] < b[0]);
}

/* The nodes of a place, those with the most room first. */
static uint32_t sort_nodes(struct search *search, uint32_t place,
			   uint32_t class)
{
	const struct sgang_roles *roles = search->roles;
	const struct sgang_job *job = roles->job;
	uint32_t first = place, n = 1, i, out = 0;

	if (place >= roles->n_nodes) {
		const struct sgang_domain *domain = sgang_fabric_domain(
			job->request->fabric, place - roles->n_nodes);

		first = domain->first_pos;
		n = domain->n_nodes;
	}
	for (i = first; i < first + n; i++) {
		uint32_t node = sgang_fabric_order(job->request->fabric)[i];
		uint32_t room = sgang_kind_fits(
			job, &job->kind[roles->class[class].kind], node,
			left_at(search, i));

		if (!room)
			continue;
		search->order[out].pos = i;
		search->order[out++].room = room;
	}
	search->steps += n + 4 * out;
	qsort(search->order, out, sizeof(*search->order), most_first);
	return out;
}

/* Put the units of a group, which have no nodes, into a place. Units that have
 * no room there stay without: returns how many were put. */
static uint32_t fill(struct search *search, uint32_t first, uint32_t units,
		     uint32_t place, bool least)
{
	uint32_t n = sort_nodes(search, place, search->class_of[first]);
	uint32_t done = 0, i, from = 0, class = UINT32_MAX;

	while (done < units) {
		uint32_t unit = first + done;

		if (search->class_of[unit] != class) {
			class = search->class_of[unit];
			from = 0;
		}
		for (i = from; i < n; i++) {
			uint32_t pos = search->order[least ? n - 1 - i : i].pos;

			search->steps++;
			if (has_room(search, class, pos)) {
				put(search, unit, pos);
				done++;
				break;
			}
		}
		if (i == n)
			break;
		from = i;
	}
	return done;
}

/* Move the units of a group from where they are. True when it is cheaper, or
 * 'always' and there is room. */
static bool move_group(struct search *search, uint32_t g, uint32_t place,
		       bool least, bool always)
{
	uint32_t first, n = units_of(search->roles, g, &first), i, done;
	uint64_t before = search->price;

	for (i = 0; i < n; i++) {
		search->undo[i] = search->at[first + i];
		take_out(search, first + i);
	}
	done = fill(search, first, n, place, least);
	if (done == n && (search->price < before || always))
		return true;
	for (i = 0; i < done; i++)
		take_out(search, first + i);
	for (i = 0; i < n; i++)
		put(search, first + i, search->undo[i]);
	return false;
}

/* True if there may be room for the group. */
static bool may_hold(const struct search *search, uint32_t place, uint32_t g)
{
	const struct sgang_roles *roles = search->roles;

	return roles->pair[place] != SGANG_PAIR_NONE &&
	       (place >= roles->n_nodes ||
		roles->tree.cap[place] >= roles->units[g]);
}

static bool move_groups(struct search *search)
{
	const struct sgang_roles *roles = search->roles;
	uint32_t g, p;
	bool moved = false;

	for (g = roles->n_groups; g-- > 1;) {
		for (p = 0; p < roles->n_places && !is_done(search); p++) {
			search->steps++;
			if (may_hold(search, p, g))
				moved |= move_group(search, g, p, false,
						    false) ||
					 move_group(search, g, p, true, false);
		}
	}
	return moved;
}

/* True if all units of both are of one kind, and as many. */
static bool may_swap(const struct sgang_roles *roles, uint32_t a, uint32_t b)
{
	if (roles->units[a] != roles->units[b] ||
	    (roles->group[a].parent == roles->group[b].parent &&
	     roles->kind[a] == roles->kind[b]))
		return false;
	if (roles->kind[a] != roles->kind[b] && roles->job->n_kinds > 1)
		return false;
	/* none is in the other */
	return roles->group[b].first >=
	       roles->group[a].first + roles->group[a].n_members;
}

/* Unit by unit. */
static bool swap_groups(struct search *search, uint32_t a, uint32_t b)
{
	uint32_t at_a, n = units_of(search->roles, a, &at_a), at_b, i;
	uint64_t before = search->price;
	bool room = true;

	units_of(search->roles, b, &at_b);
	for (i = 0; i < n; i++) {
		search->undo[i] = search->at[at_a + i];
		search->undo[n + i] = search->at[at_b + i];
		take_out(search, at_a + i);
		take_out(search, at_b + i);
	}
	for (i = 0; i < n; i++) {
		room &= has_room(search, search->class_of[at_a + i],
				 search->undo[n + i]);
		put(search, at_a + i, search->undo[n + i]);
		room &= has_room(search, search->class_of[at_b + i],
				 search->undo[i]);
		put(search, at_b + i, search->undo[i]);
	}
	if (room && search->price < before)
		return true;
	for (i = 0; i < n; i++) {
		take_out(search, at_a + i);
		take_out(search, at_b + i);
	}
	for (i = 0; i < n; i++) {
		put(search, at_a + i, search->undo[i]);
		put(search, at_b + i, search->undo[n + i]);
	}
	return false;
}

static bool change_groups(struct search *search)
{
	const struct sgang_roles *roles = search->roles;
	uint32_t a, b;
	bool changed = false;

	for (a = 1; a < roles->n_groups; a++) {
		for (b = a + 1; b < roles->n_groups && !is_done(search); b++) {
			search->steps++;
			if (may_swap(roles, a, b))
				changed |= swap_groups(search, a, b);
		}
	}
	return changed;
}

static void improve(struct search *search)
{
	do {
		improve_units(search);
	} while (!is_done(search) &&
		 (move_groups(search) || change_groups(search)));
}

/* -- beginning again -- */

static uint32_t any(struct search *search, uint32_t n)
{
	search->random = search->random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
	return (uint32_t)((search->random >> 33) % n);
}

/* Move a few groups to anywhere. */
static void shake(struct search *search)
{
	const struct sgang_roles *roles = search->roles;
	uint32_t moves = 1 + any(search, 3), tries = 0;

	while (moves && tries++ < 20 && roles->n_groups > 1) {
		uint32_t g = 1 + any(search, roles->n_groups - 1);
		uint32_t p = any(search, roles->n_places);

		if (may_hold(search, p, g) &&
		    move_group(search, g, p, any(search, 2), true))
			moves--;
	}
}

static void go_to(struct search *search, const uint32_t *at)
{
	uint32_t i, n = search->roles->n_units;

	for (i = 0; i < n; i++)
		take_out(search, i);
	for (i = 0; i < n; i++)
		put(search, i, at[i]);
}

static void solve(struct search *search, uint32_t *best)
{
	size_t bytes = search->roles->n_units * sizeof(*best);
	uint64_t least = search->price;
	uint32_t i;

	for (i = 0; i <= SHAKES_MAX; i++) {
		improve(search);
		if (search->price < least) {
			least = search->price;
			memcpy(best, search->at, bytes);
		}
		if (is_done(search))
			return;
		go_to(search, best);
		shake(search);
	}
}

/* -- set up -- */

static int set_up_tables(const struct sgang_roles *roles,
			 struct sgang_roles_tables *tables)
{
	struct sgang_pool *pool = roles->job->pool;

	if (tables->on)
		return 0;
	tables->count = sgang_pool_zalloc(
		pool, (size_t)roles->n_places * roles->n_groups,
		sizeof(*tables->count));
	tables->on = sgang_pool_zalloc(
		pool, (size_t)roles->n_nodes * roles->n_classes,
		sizeof(*tables->on));
	return tables->count && tables->on ? 0 : -1;
}

static int set_up(struct search *search, const uint32_t *at)
{
	const struct sgang_roles *roles = search->roles;
	const struct sgang_plan_request *request = roles->job->request;
	struct sgang_pool *pool = roles->job->pool;
	size_t n_free = (size_t)roles->n_nodes * request->n_dims;
	uint32_t n = roles->n_units, c, i;

	search->at = sgang_pool_alloc(pool, n, sizeof(*search->at));
	search->class_of = sgang_pool_alloc(pool, n, sizeof(*search->class_of));
	search->undo = sgang_pool_alloc(pool, 2 * (size_t)n,
					sizeof(*search->undo));
	search->free = sgang_pool_alloc(pool, n_free, sizeof(*search->free));
	search->node = sgang_pool_alloc(pool, roles->n_nodes,
					sizeof(*search->node));
	search->order = sgang_pool_alloc(pool, roles->n_nodes,
					 sizeof(*search->order));
	if (!search->at || !search->class_of || !search->undo ||
	    !search->free || !search->node || !search->order ||
	    set_up_tables(roles, search->tables))
		return -1;
	memcpy(search->free, request->free, n_free * sizeof(*search->free));
	for (c = 0; c < roles->n_classes; c++) {
		for (i = 0; i < roles->class[c].units; i++)
			search->class_of[roles->class[c].first + i] = c;
	}
	for (i = 0; i < roles->n_nodes; i++) {
		if (roles->tree.cap[i])
			search->node[search->n_nodes++] = i;
	}
	for (i = 0; i < n; i++)
		put(search, i, at[i]);
	return 0;
}

int sgang_roles_search(const struct sgang_roles *roles,
		       struct sgang_roles_tables *tables, uint64_t enough,
		       uint64_t *steps, uint32_t *at)
{
	struct search search = { .roles = roles,
				 .tables = tables,
				 .enough = enough,
				 .steps_max = *steps,
				 .random = 1 };
	uint64_t cells = (uint64_t)roles->n_places *
			 (roles->n_groups + roles->n_classes);
	uint32_t c;

	if (cells > CELLS_MAX)
		return 0;
	if (set_up(&search, at))
		return -1;
	/* what units add wherever they are was not counted */
	for (c = 0; c < roles->n_classes; c++) {
		const struct sgang_class *class = &roles->class[c];

		if (roles->job->kind[class->kind].ranks)
			search.price += class->units *
					sgang_roles_own(roles, c, 0);
	}
	solve(&search, at);
	for (c = 0; c < roles->n_units; c++)
		take_out(&search, c);
	*steps -= search.steps < *steps ? search.steps : *steps;
	sgang_budget_take(roles->job->request->budget, search.steps);
	return 0;
}
