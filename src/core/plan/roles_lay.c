/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_lay.c - trees of groups: which units go to places that are chosen
 *
 * Down the fabric, the place that is to have the most units chooses first. From
 * the remaining units it takes those that cut the least there. That is a
 * knapsack over the tree of groups.
 */

#include <stdlib.h>
#include <string.h>

#include "roles_private.h"

/* The least price of so many units of a group, of those that are left. */
struct table {
	uint64_t *price;
	uint32_t *take; /* of so many units of it and its younger sisters,
			 * those of it */
	uint32_t n;
};

struct layer {
	const struct sgang_roles *roles;
	uint32_t *want; /* by place */
	uint32_t *used; /* by class: units that have a node */
	uint32_t *at;
	uint64_t steps, steps_max;
};

/* -- the knapsack -- */

struct knapsack {
	const struct sgang_roles *roles;
	struct sgang_pool *pool;
	const uint32_t *have; /* by class */
	uint32_t *left;       /* the same by group */
	uint32_t units;       /* to be chosen */
	uint32_t pair;        /* where the place is */
	struct table *of;     /* by group */
	uint64_t *next;       /* scratch */
	uint32_t *chosen;     /* the answer, by group */
};

static void set_up(struct knapsack *sack)
{
	const struct sgang_roles *roles = sack->roles;
	uint32_t n = roles->n_groups, c, g;

	sack->left = sgang_pool_zalloc(sack->pool, n, sizeof(*sack->left));
	sack->chosen = sgang_pool_zalloc(sack->pool, n, sizeof(*sack->chosen));
	sack->of = sgang_pool_zalloc(sack->pool, n, sizeof(*sack->of));
	sack->next = sgang_pool_alloc(sack->pool, sack->units + 1,
				      sizeof(*sack->next));
	for (c = 0; c < roles->n_classes; c++) {
		for (g = roles->class[c].leaf; g != SGANG_PLAN_NO_GROUP;
		     g = roles->group[g].parent)
			sack->left[g] += sack->have[c];
	}
	for (g = 0; g < n; g++) {
		struct table *table = &sack->of[g];
		uint32_t most = sack->left[g];

		if (most > sack->units)
			most = sack->units;
		table->price = sgang_pool_zalloc(sack->pool, most + 1,
						 sizeof(*table->price));
		table->n = sgang_roles_leaf(roles, g) ? most + 1 : 1;
	}
}

static void add_own(const struct knapsack *sack, uint32_t g)
{
	const struct sgang_roles *roles = sack->roles;
	struct table *table = &sack->of[g];
	uint32_t x;

	for (x = 1; x < table->n; x++) {
		if (x < roles->units[g])
			table->price[x] += roles->pairs[sack->pair].price[g];
	}
}

/* Add the units of a group to the one that it is in. */
static void add(struct knapsack *sack, uint32_t g, uint64_t *steps)
{
	struct table *table = &sack->of[g];
	struct table *sum = &sack->of[sack->roles->group[g].parent];
	uint32_t n = sum->n + table->n - 1, x, y;

	if (n > sack->units + 1)
		n = sack->units + 1;
	*steps += (uint64_t)sum->n * table->n;
	table->take = sgang_pool_alloc(sack->pool, n, sizeof(*table->take));
	for (x = 0; x < n; x++)
		sack->next[x] = UINT64_MAX;
	for (x = 0; x < sum->n; x++) {
		for (y = 0; y < table->n && x + y < n; y++) {
			uint64_t price = sum->price[x] + table->price[y];

			if (price >= sack->next[x + y])
				continue;
			sack->next[x + y] = price;
			table->take[x + y] = y;
		}
	}
	memcpy(sum->price, sack->next, n * sizeof(*sum->price));
	sum->n = n;
}

/* False when it takes too long. */
static bool fill(struct knapsack *sack, struct layer *layer)
{
	const struct sgang_roles *roles = sack->roles;
	uint32_t g, up;

	for (g = roles->n_groups; g-- > 0;) {
		if (!sack->left[g])
			continue;
		add_own(sack, g);
		if (g)
			add(sack, g, &layer->steps);
		if (layer->steps > layer->steps_max)
			return false;
	}
	sack->chosen[0] = sack->units;
	for (g = 1; g < roles->n_groups; g++) {
		up = roles->group[g].parent;
		if (!sack->left[g])
			continue;
		/* the rest of its parent's units is for younger sisters */
		sack->chosen[g] = sack->of[g].take[sack->chosen[up]];
		sack->chosen[up] -= sack->chosen[g];
	}
	return true;
}

/* Choose units for a place: 'take' by class, of 'have'. False when that takes too
 * long. */
static bool choose(struct layer *layer, uint32_t place, const uint32_t *have,
		   uint32_t *take)
{
	const struct sgang_roles *roles = layer->roles;
	struct knapsack sack = { .roles = roles,
				 .pool = sgang_pool_inside(roles->job->pool),
				 .have = have,
				 .units = layer->want[place],
				 .pair = roles->pair[place] };
	uint32_t c;
	bool filled;

	set_up(&sack);
	layer->steps += roles->n_groups + roles->n_classes;
	filled = fill(&sack, layer);
	for (c = 0; filled && c < roles->n_classes; c++) {
		uint32_t *chosen = &sack.chosen[roles->class[c].leaf];

		take[c] = have[c] < *chosen ? have[c] : *chosen;
		*chosen -= take[c];
	}
	sgang_pool_end(sack.pool);
	return filled;
}

/* -- down the fabric -- */

/* The units that come first. */
static void take_first(const struct sgang_roles *roles, const uint32_t *have,
		       uint32_t units, uint32_t *take)
{
	uint32_t c;

	for (c = 0; c < roles->n_classes; c++) {
		take[c] = have[c] < units ? have[c] : units;
		units -= take[c];
	}
}

static void take_node(struct layer *layer, uint32_t pos, const uint32_t *have)
{
	uint32_t c, n;

	for (c = 0; c < layer->roles->n_classes; c++) {
		for (n = have[c]; n--;)
			layer->at[layer->roles->class[c].first +
				  layer->used[c]++] = pos;
	}
}

/* A child and the units that it wants. */
struct child {
	uint32_t place;
	uint32_t want;
};

static int most_first(const void *one, const void *two)
{
	const struct child *a = one, *b = two;

	if (a->want != b->want)
		return a->want > b->want ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* The children that want some, those that want the most first. Returns their
 * number. */
static uint32_t sort_children(const struct layer *layer,
			      const struct sgang_domain *domain,
			      struct child *child)
{
	uint32_t n = sgang_roles_children(domain), i, out = 0;

	for (i = 0; i < n; i++) {
		uint32_t place = sgang_roles_child(layer->roles, domain, i);

		if (layer->want[place])
			child[out++] = (struct child){
				.place = place, .want = layer->want[place]
			};
	}
	qsort(child, out, sizeof(*child), most_first);
	return out;
}

static void lay(struct layer *layer, uint32_t place, uint32_t *have);

/* Let the children of a place choose. 'take' is scratch. */
static void lay_children(struct layer *layer, uint32_t left, uint32_t *have,
			 const struct child *child, uint32_t n, uint32_t *take)
{
	const struct sgang_roles *roles = layer->roles;
	uint32_t i, c;

	for (i = 0; i < n; i++) {
		if (left <= child[i].want || layer->steps >= layer->steps_max ||
		    !choose(layer, child[i].place, have, take))
			take_first(roles, have, child[i].want, take);
		left -= child[i].want;
		for (c = 0; c < roles->n_classes; c++)
			have[c] -= take[c];
		lay(layer, child[i].place, take);
	}
}

/* Lay these units into a place. Not deeper than the fabric. */
static void lay(struct layer *layer, uint32_t place, uint32_t *have)
{
	const struct sgang_roles *roles = layer->roles;
	const struct sgang_domain *domain;
	struct sgang_pool *pool;
	struct child *child;
	uint32_t *take;

	if (place < roles->n_nodes) {
		take_node(layer, place, have);
		return;
	}
	domain = sgang_fabric_domain(roles->job->request->fabric,
				     place - roles->n_nodes);
	pool = sgang_pool_inside(roles->job->pool);
	take = sgang_pool_alloc(pool, roles->n_classes, sizeof(*take));
	child = sgang_pool_alloc(pool, sgang_roles_children(domain),
				 sizeof(*child));
	lay_children(layer, layer->want[place], have, child,
		     sort_children(layer, domain, child), take);
	sgang_pool_end(pool);
}

bool sgang_roles_lay(const struct sgang_roles *roles,
		     const struct sgang_pick *pick, size_t n_picks,
		     uint32_t *at)
{
	struct sgang_budget *budget = roles->job->request->budget;
	struct sgang_pool *pool = roles->job->pool;
	struct layer layer = {
		.roles = roles,
		.at = at,
		.steps_max = sgang_budget_share(
			budget, sgang_budget_limits(budget)->roles_lay_steps)
	};
	uint32_t *have = sgang_pool_alloc(pool, roles->n_classes,
					  sizeof(*have));
	uint32_t c, p;
	size_t i;

	layer.want = sgang_pool_zalloc(pool, roles->n_places,
				       sizeof(*layer.want));
	layer.used = sgang_pool_zalloc(pool, roles->n_classes,
				       sizeof(*layer.used));
	for (c = 0; c < roles->n_classes; c++)
		have[c] = roles->class[c].units;
	for (i = 0; i < n_picks; i++) {
		for (p = pick[i].pos; p != SGANG_DOMAIN_NONE; p = roles->up[p])
			layer.want[p] += pick[i].units;
	}
	lay(&layer, roles->n_nodes, have);
	sgang_budget_take(budget, layer.steps);
	return sgang_roles_valid(roles, at);
}
