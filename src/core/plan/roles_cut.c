/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_cut.c - trees of groups: what a number of units cuts at the least
 *
 * A place with x of the units of a group, but not all, cuts the group; and its
 * x units are so many of each group in it. The least price of x units is
 * therefore that of the group itself, and the least sum over the groups in it.
 *
 * By itself each node would have units of the class that is cut most cheaply,
 * though there are only so many of them. Units of cheap classes therefore pay a
 * toll on the node that they have, by which all classes cost about the same per
 * unit there. As each unit has one node, all tolls together are known, and any
 * tolls give a bound.
 */

#include <string.h>

#include "roles_private.h"

/* By number of units, from 0 to n - 1. */
struct table {
	uint64_t *price;
	uint32_t n;
};

struct tables {
	const struct sgang_roles *roles;
	const struct sgang_pair *pair;
	uint64_t most;      /* units in any such place */
	struct table *of;   /* by group */
	uint64_t *next;     /* scratch */
	uint64_t steps;     /* of adding tables, */
	uint64_t steps_max; /* which ends without an answer */
};

/* The most units in any place of each pair. */
static void find_most(const struct sgang_roles *roles, uint64_t *most)
{
	const struct sgang_fabric *fabric = roles->job->request->fabric;
	uint32_t p, i;

	for (p = 0; p < roles->n_places; p++) {
		uint64_t sum = 0;

		if (roles->pair[p] == SGANG_PAIR_NONE)
			continue;
		if (p < roles->n_nodes) {
			sum = roles->tree.cap[p];
		} else {
			const struct sgang_domain *domain =
				sgang_fabric_domain(fabric, p - roles->n_nodes);

			for (i = 0; i < domain->n_nodes; i++)
				sum += roles->tree.cap[domain->first_pos + i];
		}
		if (sum > most[roles->pair[p]])
			most[roles->pair[p]] = sum;
	}
}

/* -- tolls -- */

/* The price of the cuts of so many units of a class on a node by themselves. */
static uint64_t alone(const struct sgang_roles *roles,
		      const struct sgang_pair *pair, uint32_t class, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t g;

	for (g = roles->class[class].leaf; g != SGANG_PLAN_NO_GROUP;
	     g = roles->group[g].parent) {
		if (n >= roles->units[g])
			continue;
		if (pair->price[g] >= roles->never)
			return SGANG_CUT_NEVER;
		sum += pair->price[g];
	}
	return sum;
}

/* The least of it for each unit, among so many as a node holds. */
static uint64_t least_alone(const struct sgang_roles *roles,
			    const struct sgang_pair *pair, uint32_t class,
			    uint64_t most)
{
	const struct sgang_class *c = &roles->class[class];
	uint64_t least = SGANG_CUT_NEVER, sum;
	uint32_t n;

	for (n = 1; n <= most && n <= c->units && n <= c->per_node; n++) {
		sum = alone(roles, pair, class, n);
		if (sum != SGANG_CUT_NEVER && sum / n < least)
			least = sum / n;
	}
	return least;
}

/* Find the tolls by the pair of most nodes. If the gang has one node, no unit
 * pays. */
static void find_tolls(struct sgang_roles *roles, const uint64_t *most)
{
	uint32_t last = sgang_fabric_domains(roles->job->request->fabric) - 1;
	const struct sgang_domain *leaf =
		sgang_fabric_domain(roles->job->request->fabric, last);
	uint32_t pair = roles->pair[leaf->first_pos], c;
	uint64_t high = 0;

	if (!sgang_tree_allowed(roles->job->request, last))
		return;
	for (c = 0; c < roles->n_classes; c++) {
		uint64_t least = least_alone(roles, &roles->pairs[pair], c,
					     most[pair]);

		roles->class[c].toll = least == SGANG_CUT_NEVER ? 0 : least;
		if (roles->class[c].toll > high)
			high = roles->class[c].toll;
	}
	for (c = 0; c < roles->n_classes; c++)
		roles->class[c].toll = high - roles->class[c].toll;
}

uint64_t sgang_roles_tolls(const struct sgang_roles *roles)
{
	uint64_t sum = 0;
	uint32_t c;

	for (c = 0; c < roles->n_classes; c++)
		sum += roles->class[c].toll * roles->class[c].units;
	return sum;
}

/* The least toll of so many units of a leaf: those of the cheapest classes. */
static void add_tolls(const struct sgang_roles *roles, uint32_t leaf,
		      struct table *table)
{
	uint32_t x, c, first = roles->class_of[roles->group[leaf].first];
	uint64_t last = 0, toll, sum = 0;
	uint32_t units = 0;

	for (x = 1; x < table->n;) {
		/* the next lowest toll, and units that have it */
		for (toll = UINT64_MAX, c = first;
		     c < roles->n_classes && roles->class[c].leaf == leaf;
		     c++) {
			uint64_t own = roles->class[c].toll;

			if ((units && own <= last) || own > toll)
				continue;
			toll = own;
		}
		for (c = first;
		     c < roles->n_classes && roles->class[c].leaf == leaf; c++)
			units += roles->class[c].toll == toll ?
					 roles->class[c].units :
					 0;
		last = toll;
		for (; x < table->n && x <= units; x++) {
			sum += toll;
			table->price[x] = sum;
		}
	}
}

/* -- tables -- */

/* Add the table of a group to that of the one it is in. False when it takes too
 * long. */
static bool add(struct tables *tables, struct table *sum,
		const struct table *table)
{
	uint64_t most = (uint64_t)sum->n + table->n - 2;
	uint32_t n = (uint32_t)(most < tables->most ? most : tables->most) + 1;
	uint32_t x, y;

	tables->steps += (uint64_t)sum->n * table->n;
	if (tables->steps > tables->steps_max)
		return false;
	for (x = 0; x < n; x++)
		tables->next[x] = SGANG_CUT_NEVER;
	for (x = 0; x < sum->n; x++) {
		for (y = 0; y < table->n && x + y < n; y++) {
			uint64_t price = sum->price[x] + table->price[y];

			if (sum->price[x] != SGANG_CUT_NEVER &&
			    table->price[y] != SGANG_CUT_NEVER &&
			    price < tables->next[x + y])
				tables->next[x + y] = price;
		}
	}
	memcpy(sum->price, tables->next, n * sizeof(*sum->price));
	sum->n = n;
	return true;
}

/* The groups in it are in its table; add the group itself. */
static void add_own(const struct tables *tables, uint32_t g)
{
	const struct sgang_roles *roles = tables->roles;
	uint64_t price = tables->pair->price[g];
	struct table *table = &tables->of[g];
	uint32_t x;

	for (x = 1; x < table->n && x < roles->units[g]; x++) {
		if (price >= roles->never)
			table->price[x] = SGANG_CUT_NEVER;
		else if (table->price[x] != SGANG_CUT_NEVER)
			table->price[x] += price;
	}
}

static void set_up(struct tables *tables)
{
	const struct sgang_roles *roles = tables->roles;
	struct sgang_pool *pool = roles->job->pool;
	uint32_t g;

	tables->of = sgang_pool_alloc(pool, roles->n_groups,
				      sizeof(*tables->of));
	tables->next = sgang_pool_alloc(pool, roles->n_units + 1,
					sizeof(*tables->next));
	for (g = 0; g < roles->n_groups; g++) {
		struct table *table = &tables->of[g];
		uint32_t n = roles->units[g];
		bool leaf = sgang_roles_leaf(roles, g);

		if (n > tables->most)
			n = (uint32_t)tables->most;
		table->price = sgang_pool_zalloc(pool, n + 1,
						 sizeof(*table->price));
		table->n = leaf ? n + 1 : 1;
		if (leaf && tables->pair->low == SGANG_LEVEL_ISLAND)
			add_tolls(roles, g, table);
	}
}

/* Unless it takes too long. */
static void find_least(struct tables *tables, struct sgang_pair *pair)
{
	const struct sgang_roles *roles = tables->roles;
	uint32_t g;

	set_up(tables);
	for (g = roles->n_groups; g-- > 0;) {
		add_own(tables, g);
		if (g && !add(tables, &tables->of[roles->group[g].parent],
			      &tables->of[g]))
			return;
	}
	pair->least = tables->of[0].price;
	pair->n_least = tables->of[0].n;
}

void sgang_roles_cut(struct sgang_roles *roles, bool tolls)
{
	struct sgang_budget *budget = roles->job->request->budget;
	uint64_t most[SGANG_ROLES_PAIRS] = { 0 };
	uint64_t left = sgang_budget_share(
		budget, sgang_budget_limits(budget)->roles_cut_steps);
	uint32_t i;

	find_most(roles, most);
	for (i = 0; i < roles->n_classes; i++)
		roles->class[i].toll = 0;
	if (tolls)
		find_tolls(roles, most);
	for (i = 0; i < roles->n_pairs; i++) {
		struct tables tables = { .roles = roles,
					 .pair = &roles->pairs[i],
					 .most = most[i],
					 .steps_max = left };

		if (tables.most > roles->n_units)
			tables.most = roles->n_units;
		find_least(&tables, &roles->pairs[i]);
		left -= tables.steps < left ? tables.steps : left;
		sgang_budget_take(budget, tables.steps);
	}
}

uint64_t sgang_roles_part(const void *arg, uint32_t low, uint32_t high,
			  uint64_t units)
{
	const struct sgang_roles *roles = arg;
	uint32_t i;

	if (!units)
		return 0;
	if (units == roles->n_units)
		return low == SGANG_LEVEL_ISLAND ? sgang_roles_tolls(roles) : 0;
	for (i = 0; i < roles->n_pairs; i++) {
		const struct sgang_pair *pair = &roles->pairs[i];

		if (pair->low != low || pair->high != high)
			continue;
		if (units < pair->n_least)
			return pair->least[units];
		/* they cut the gang, whatever else */
		return pair->price[0] >= roles->never ? SGANG_CUT_NEVER :
							pair->price[0];
	}
	return 0;
}
