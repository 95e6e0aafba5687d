/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_build.c - whole groups into the domains that are cheapest for them
 *
 * A group goes into the domain inside of which it may cost the least, and there
 * part by part in the same way; its own units go to the cheapest nodes, the
 * large ones first. Several domains are tried for the groups on top. The nodes
 * that are cheapest for units one by one may cost more than a node which has room
 * for the whole group, so in each leaf both are tried.
 */

#include <stdlib.h>
#include <string.h>

#include "cuts_private.h"

/* The domains that turn out to be too small, before others are looked for: of
 * a group that must be in one, while few domains are looked at; of others. */
#define FAILURES_MUST 1000
#define FAILURES_FEW 40
#define FAILURES 6

/* Unused domains that are looked at, about, while only few are. */
#define FEW_DOMAINS 10

/* Domains out of which one is not seen while 'blink' is set. */
#define BLINK 50

/* -- units -- */

static int by_turn(const void *one, const void *two)
{
	const struct sgang_turn *a = one, *b = two;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return (a->what > b->what) - (a->what < b->what);
}

/* A key that is this one, more or less, or none of it. */
static uint64_t vary(struct sgang_cuts *cuts, uint64_t key,
		     enum sgang_cuts_order order)
{
	switch (order) {
	case SGANG_CUTS_ABOUT:
		return key + key * sgang_cuts_any(cuts, 600) / 1000;
	case SGANG_CUTS_CLASS:
	case SGANG_CUTS_CHANCE:
		return sgang_cuts_any(cuts, UINT32_MAX);
	default:
		return key;
	}
}

/* The key of a class is spread by the golden ratio (Fibonacci hashing). */
#define GOLDEN UINT32_C(2654435769)

uint32_t sgang_cuts_insert(struct sgang_cuts *cuts, uint32_t *unit, uint32_t n,
			   uint32_t domain, enum sgang_cuts_order order)
{
	struct sgang_turn *turn = cuts->turn;
	uint32_t i, pos, missing = 0, by = sgang_cuts_any(cuts, UINT32_MAX);

	cuts->coming = 0;
	for (i = 0; i < n; i++) {
		uint32_t class = cuts->class_of[unit[i]];
		uint64_t share = cuts->share[class];

		turn[i].key = order == SGANG_CUTS_CLASS ?
				      (class + by) * GOLDEN :
				      vary(cuts, share << 10, order);
		turn[i].what = unit[i];
		cuts->coming += share;
	}
	qsort(turn, n, sizeof(*turn), by_turn);
	for (i = 0; i < n; i++) {
		unit[i] = turn[i].what;
		cuts->coming -= cuts->share[cuts->class_of[unit[i]]];
		pos = cuts->seat ? sgang_cuts_seat(cuts, unit[i], domain) :
				   sgang_cuts_spot(cuts, unit[i], domain);
		if (pos == SGANG_CUTS_NOWHERE)
			missing++;
		else
			sgang_cuts_put(cuts, unit[i], pos);
	}
	return missing;
}

/* -- a group -- */

/* A group at hand. Groups that are in each other have different depths. */
static struct sgang_portion *open_part(struct sgang_cuts *cuts, uint32_t group)
{
	const struct sgang_roles *model = cuts->model;
	struct sgang_portion *part = &cuts->part[model->depth[group]];

	if (!part->unit) {
		part->unit = sgang_pool_zalloc(cuts->pool, model->n_units,
					       sizeof(*part->unit));
		part->at = sgang_pool_zalloc(cuts->pool, model->n_units,
					     sizeof(*part->at));
		part->list = sgang_pool_zalloc(cuts->pool, model->n_groups,
					       sizeof(*part->list));
		part->kid = sgang_pool_zalloc(cuts->pool, model->n_groups,
					      sizeof(*part->kid));
		part->choice = sgang_pool_zalloc(cuts->pool, model->n_places,
						 sizeof(*part->choice));
	}
	part->group = group;
	part->n = part->n_list = part->n_choices = 0;
	return part;
}

/* The units of a group that have no node, in 'unit'. Returns how many. */
static uint32_t list_units(const struct sgang_cuts *cuts, uint32_t group,
			   uint32_t *unit)
{
	uint32_t first = cuts->first[group], i, n = 0;

	for (i = first; i < first + cuts->model->units[group]; i++) {
		if (cuts->at[i] == SGANG_CUTS_NOWHERE)
			unit[n++] = i;
	}
	return n;
}

/* The groups in which units of the part are, and how many of each. */
static void list_groups(struct sgang_cuts *cuts, struct sgang_portion *part)
{
	uint32_t i;
	const uint32_t *g;

	part->n_list = 0;
	for (i = 0; i < part->n; i++) {
		for (g = cuts->chain[cuts->class_of[part->unit[i]]];
		     *g != SGANG_PLAN_NO_GROUP; g++) {
			if (!cuts->come[*g]++)
				part->list[part->n_list++] = *g;
		}
	}
}

static void forget_groups(struct sgang_cuts *cuts,
			  const struct sgang_portion *part)
{
	uint32_t i;

	for (i = 0; i < part->n_list; i++)
		cuts->come[part->list[i]] = 0;
}

/* What all units of the part together add to the price of a place. */
static int64_t add_all(struct sgang_cuts *cuts,
		       const struct sgang_portion *part, uint32_t place)
{
	const struct sgang_roles *model = cuts->model;
	const uint32_t *row = cuts->row[place];
	const uint64_t *price;
	uint32_t split = cuts->split[place], i;
	int64_t sum = 0;

	if (model->pair[place] == SGANG_PAIR_NONE)
		return 0;
	price = model->pairs[model->pair[place]].price;
	for (i = 0; i < part->n_list; i++) {
		uint32_t g = part->list[i], all = model->units[g];
		uint32_t then = row[g] + cuts->come[g];
		int32_t cut = (then && then < all) - (row[g] && row[g] < all);

		if (!g)
			continue;
		split += (uint32_t)cut;
		sum += cut * (int64_t)price[g];
	}
	sum += ((int64_t)sgang_cuts_leaves(cuts, row[0] + cuts->come[0],
					   split) -
		(int64_t)sgang_cuts_leaves(cuts, row[0], cuts->split[place])) *
	       (int64_t)price[0];
	cuts->steps += part->n_list / 8;
	return sum;
}

/* What the units of a part need together. */
struct demand {
	uint64_t need[SGANG_PLAN_DIMS];
	uint32_t *units; /* by kind */
};

static void find_demand(struct sgang_cuts *cuts,
			const struct sgang_portion *part, struct demand *demand)
{
	uint32_t n_kinds = cuts->model->job->n_kinds, i, d;

	memset(demand->need, 0, sizeof(demand->need));
	demand->units = cuts->units;
	memset(demand->units, 0, n_kinds * sizeof(*demand->units));
	for (i = 0; i < part->n; i++) {
		uint32_t class = cuts->class_of[part->unit[i]];
		uint32_t k = cuts->model->class[class].kind;

		demand->units[k]++;
		for (d = 0; d < cuts->n_dims; d++)
			demand->need[d] +=
				cuts->least[(size_t)k * cuts->n_dims + d];
	}
}

static uint64_t free_in(const struct sgang_cuts *cuts, uint32_t place,
			uint32_t dim)
{
	uint32_t n = cuts->model->n_nodes;

	if (place < n)
		return cuts->free[(size_t)place * cuts->n_dims + dim];
	return cuts->sum[(size_t)(place - n) * cuts->n_dims + dim];
}

/* True if there may be room in a place; and for how many units of the kind of
 * which there is the least. */
static bool has_room(const struct sgang_cuts *cuts, const struct demand *demand,
		     uint32_t place, uint64_t *slack)
{
	uint32_t d, k;

	for (d = 0; d < cuts->n_dims; d++) {
		if (free_in(cuts, place, d) < demand->need[d])
			return false;
	}
	*slack = UINT64_MAX;
	for (k = 0; k < cuts->model->job->n_kinds; k++) {
		if (cuts->room[k][place] < demand->units[k])
			return false;
		if (demand->units[k] && cuts->room[k][place] < *slack)
			*slack = cuts->room[k][place];
	}
	return true;
}

/* The same of a node. */
static bool has_node_room(const struct sgang_cuts *cuts,
			  const struct demand *demand, uint32_t pos,
			  uint64_t *slack)
{
	return !cuts->ban[pos] && has_room(cuts, demand, pos, slack);
}

/* True if no node has room for it. */
static bool is_large(const struct sgang_cuts *cuts, const struct demand *demand)
{
	uint32_t k;

	for (k = 0; k < cuts->model->job->n_kinds; k++) {
		if (demand->units[k] > cuts->most[k])
			return true;
	}
	return false;
}

static int by_price(const void *one, const void *two)
{
	const struct sgang_option *a = one, *b = two;

	if (a->price != b->price)
		return a->price < b->price ? -1 : 1;
	if (a->slack != b->slack)
		return a->slack < b->slack ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Is this domain left out? */
static bool is_unseen(struct sgang_cuts *cuts, uint32_t place)
{
	if (cuts->few && !cuts->row[place][0] &&
	    sgang_cuts_any(cuts, cuts->n_bins + 1) >= FEW_DOMAINS)
		return true;
	return cuts->blink && !sgang_cuts_any(cuts, BLINK);
}

/* The nodes of a domain that may hold the part. */
static void list_nodes(struct sgang_cuts *cuts, struct sgang_portion *part,
		       const struct demand *demand, uint32_t domain)
{
	uint32_t pos = sgang_cuts_first(cuts, domain);
	uint32_t n = sgang_cuts_size(cuts, domain);
	uint64_t slack;

	if (is_large(cuts, demand))
		return;
	cuts->steps += n / 4;
	for (; n; n--, pos++) {
		if (has_node_room(cuts, demand, pos, &slack))
			part->choice[part->n_choices++] = (struct sgang_option){
				.place = pos, .slack = slack
			};
	}
}

/* The domains inside of 'domain' that may hold the part, the best ones first.
 * If that is to be snug: nodes, too, and the lowest first.
 */
static void list_choices(struct sgang_cuts *cuts, struct sgang_portion *part,
			 uint32_t domain)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t require = model->require[part->group], p, level;
	uint32_t prefer = model->group[part->group].prefer;
	struct demand demand;
	uint64_t slack;

	list_groups(cuts, part);
	find_demand(cuts, part, &demand);
	cuts->above[domain] = 0;
	for (p = domain; p != SGANG_DOMAIN_NONE; p = model->up[p])
		cuts->above[domain] += add_all(cuts, part, p);
	if (cuts->snug)
		list_nodes(cuts, part, &demand, domain);
	for (p = domain + 1; p < model->n_places; p++) {
		if (!sgang_cuts_in(cuts, sgang_cuts_first(cuts, p), domain))
			continue;
		cuts->above[p] = cuts->above[model->up[p]] +
				 add_all(cuts, part, p);
		level = sgang_roles_level(model, p);
		if (level > require || !has_room(cuts, &demand, p, &slack) ||
		    is_unseen(cuts, p))
			continue;
		part->choice[part->n_choices++] = (struct sgang_option){
			.place = p,
			.slack = slack,
			.price = cuts->snug     ? level :
				 level > prefer ? cuts->above[p] +
							  (int64_t)model->wish :
						  cuts->above[p]
		};
	}
	forget_groups(cuts, part);
	qsort(part->choice, part->n_choices, sizeof(*part->choice), by_price);
}

/* The groups right in a group, the hardest first. Returns how many. */
static uint32_t list_kids(struct sgang_cuts *cuts, struct sgang_portion *part,
			  enum sgang_cuts_order order)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t g = part->group, h, n = 0;

	for (h = g + 1;
	     h < model->n_groups && model->depth[h] > model->depth[g]; h++) {
		uint64_t key;

		if (model->group[h].parent != g)
			continue;
		key = (cuts->hard[h] << 12) + model->units[h];
		if (cuts->lowest[h] < model->require[g])
			key <<= 10;
		part->kid[n].key = vary(cuts, key, order);
		part->kid[n++].what = h;
	}
	qsort(part->kid, n, sizeof(*part->kid), by_turn);
	return n;
}

/* Put the part into a domain: groups first, then what is left of units. Returns
 * how many have no room. */
static uint32_t put_parts(struct sgang_cuts *cuts, struct sgang_portion *part,
			  uint32_t domain, uint32_t width,
			  enum sgang_cuts_order order)
{
	uint32_t n = list_kids(cuts, part, order), i;

	for (i = 0; i < n; i++)
		sgang_cuts_build(cuts, part->kid[i].what, domain, width, order);
	n = list_units(cuts, part->group, cuts->list);
	return n ? sgang_cuts_insert(cuts, cuts->list, n, domain, order) : 0;
}

/* Remember where the units of the part are, and take them from there. */
static void take_back(struct sgang_cuts *cuts, struct sgang_portion *part,
		      bool remember)
{
	uint32_t i;

	for (i = 0; i < part->n; i++) {
		if (remember)
			part->at[i] = cuts->at[part->unit[i]];
		if (cuts->at[part->unit[i]] != SGANG_CUTS_NOWHERE)
			sgang_cuts_take(cuts, part->unit[i]);
	}
}

/* The node of a leaf on which the whole part costs the least;
 * SGANG_CUTS_NOWHERE: there may be room on none. */
static uint32_t find_node(struct sgang_cuts *cuts, struct sgang_portion *part,
			  uint32_t leaf)
{
	uint32_t first = sgang_cuts_first(cuts, leaf), pos;
	uint32_t end = first + sgang_cuts_size(cuts, leaf);
	uint32_t best = SGANG_CUTS_NOWHERE;
	uint64_t slack, least_slack = 0;
	int64_t price, least = 0;
	struct demand demand;

	find_demand(cuts, part, &demand);
	if (is_large(cuts, &demand))
		return best;
	list_groups(cuts, part);
	cuts->steps += (end - first) / 4;
	for (pos = first; pos < end; pos++) {
		if (!has_node_room(cuts, &demand, pos, &slack))
			continue;
		price = add_all(cuts, part, pos);
		if (best != SGANG_CUTS_NOWHERE &&
		    (price != least ? price > least : slack >= least_slack))
			continue;
		best = pos;
		least = price;
		least_slack = slack;
	}
	forget_groups(cuts, part);
	return best;
}

/* Put the part onto a node. False when not all of it has room there. */
static bool put_on_node(struct sgang_cuts *cuts,
			const struct sgang_portion *part, uint32_t pos)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t i, c;

	for (i = 0; i < part->n; i++) {
		c = cuts->class_of[part->unit[i]];
		if (!cuts->room[model->class[c].kind][pos] ||
		    cuts->row[pos][model->n_groups + c] >=
			    model->class[c].per_node)
			return false;
		sgang_cuts_put(cuts, part->unit[i], pos);
	}
	return true;
}

/* Put the part into a place: in a leaf onto one node or not, whichever costs
 * less. Returns how many units have no room. */
static uint32_t put_inside(struct sgang_cuts *cuts, struct sgang_portion *part,
			   uint32_t place, uint32_t width,
			   enum sgang_cuts_order order)
{
	uint32_t pos = SGANG_CUTS_NOWHERE, missing;
	int64_t before = cuts->price, price;

	if (place < cuts->model->n_nodes)
		return !put_on_node(cuts, part, place);
	if (!cuts->height[place])
		pos = find_node(cuts, part, place);
	if (pos != SGANG_CUTS_NOWHERE && !put_on_node(cuts, part, pos)) {
		take_back(cuts, part, false);
		pos = SGANG_CUTS_NOWHERE;
	}
	if (pos == SGANG_CUTS_NOWHERE)
		return put_parts(cuts, part, place, width, order);
	price = cuts->price - before;
	take_back(cuts, part, false);
	missing = put_parts(cuts, part, place, width, order);
	if (!missing && cuts->price - before <= price)
		return 0;
	take_back(cuts, part, false);
	return !put_on_node(cuts, part, pos);
}

/* True if a place is unused and as good as the one before it, which is enough.
 */
static bool is_same(const struct sgang_cuts *cuts,
		    const struct sgang_portion *part, uint32_t i)
{
	const struct sgang_option *a = &part->choice[i], *b = a - 1;

	return i && a->price == b->price && a->slack == b->slack &&
	       !cuts->row[a->place][0] && !cuts->row[b->place][0] &&
	       cuts->model->up[a->place] == cuts->model->up[b->place];
}

static uint32_t failures_max(const struct sgang_cuts *cuts, uint32_t group)
{
	const struct sgang_roles *model = cuts->model;

	if (!group ||
	    model->require[group] >= model->require[model->group[group].parent])
		return FAILURES;
	return cuts->few ? FAILURES_FEW : FAILURES_MUST;
}

/* What came of trying domains for a part. */
struct trial {
	bool found;
	bool placed;   /* the units are where they cost the least; else these
		       * positions are remembered */
	int64_t price; /* and this is what they add */
};

/* Try the choices. */
static void try_choices(struct sgang_cuts *cuts, struct sgang_portion *part,
			uint32_t width, enum sgang_cuts_order order,
			struct trial *best)
{
	uint32_t fails = failures_max(cuts, part->group), tries = width, i;
	int64_t before = cuts->price, price;

	for (i = 0; i < part->n_choices && tries && fails; i++) {
		bool better;

		if (best->found && part->choice[i].price >= best->price)
			break;
		if (is_same(cuts, part, i))
			continue;
		if (put_inside(cuts, part, part->choice[i].place,
			       width > 1 ? width / 2 : 1, order)) {
			take_back(cuts, part, false);
			fails--;
			continue;
		}
		tries--;
		price = cuts->price - before;
		better = !best->found || price < best->price;
		if (better) {
			best->found = true;
			best->price = price;
		}
		if (better && (!tries || i + 1 == part->n_choices ||
			       part->choice[i + 1].price >= price)) {
			best->placed = true;
			return;
		}
		take_back(cuts, part, better);
	}
}

/* It need not be together for its parts to have the levels that they prefer. */
static void try_apart(struct sgang_cuts *cuts, struct sgang_portion *part,
		      uint32_t domain, uint32_t width,
		      enum sgang_cuts_order order, struct trial *best)
{
	int64_t before = cuts->price;

	if (best->placed)
		take_back(cuts, part, true);
	best->placed = !put_inside(cuts, part, domain, width, order) &&
		       (!best->found || cuts->price - before < best->price);
	if (!best->placed && best->found)
		take_back(cuts, part, false);
}

void sgang_cuts_build(struct sgang_cuts *cuts, uint32_t group, uint32_t domain,
		      uint32_t width, enum sgang_cuts_order order)
{
	struct sgang_portion *part = open_part(cuts, group);
	struct trial best = { .found = false };
	uint32_t i;

	part->n = list_units(cuts, group, part->unit);
	if (part->n < 2) {
		if (part->n)
			sgang_cuts_insert(cuts, part->unit, 1, domain, order);
		return;
	}
	list_choices(cuts, part, domain);
	try_choices(cuts, part, width, order, &best);
	if (!best.found || best.price >= (int64_t)cuts->model->wish)
		try_apart(cuts, part, domain, width, order, &best);
	for (i = 0; i < part->n && best.found && !best.placed; i++)
		sgang_cuts_put(cuts, part->unit[i], part->at[i]);
}

bool sgang_cuts_holds(struct sgang_cuts *cuts, uint32_t domain)
{
	const struct sgang_roles *model = cuts->model;
	struct sgang_portion *part = open_part(cuts, 0);
	struct demand demand;
	uint64_t slack;

	if (sgang_roles_level(model, domain) > model->require[0] ||
	    sgang_roles_above(model, domain) < SGANG_LEVELS)
		return false;
	part->n = list_units(cuts, 0, part->unit);
	find_demand(cuts, part, &demand);
	return has_room(cuts, &demand, domain, &slack);
}
