/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_search.c - units and groups taken out and put in again
 *
 * Ruin and recreate (Schrimpf and others, 2000): some units, those of a place or
 * whole groups lose their nodes and are put where they are cheapest then. What
 * comes out is kept when it is better, or worse by no more than chance allows,
 * less and less (as in simulated annealing); else it is undone.
 */

#include <string.h>

#include "cuts_private.h"

/* No more units of a group are taken out, and no more groups, the smaller ones,
 * of units that are. */
#define GROUP_MAX 200
#define SMALL_GROUP 40

/* Of few pieces an order is always looked for; of more, where the price is above
 * the lowest by no more than one part of so many, for one of so many placements.
 */
#define PIECES_FEW 8
#define NEAR 20
#define ORDERS 8

struct search {
	struct sgang_cuts *cuts;
	struct sgang_cuts_best *best;
	uint32_t *out; /* units that are taken out, */
	uint32_t *old; /* and where they were */
	uint32_t n_out;
	bool *is_out;         /* by unit */
	uint32_t *again;      /* scratch */
	uint32_t banned;      /* a place; SGANG_CUTS_NOWHERE: none */
	int64_t least;        /* what the cheapest cut costs */
	int64_t value;        /* of the placement at hand */
	uint64_t start, span; /* steps of this search */
};

/* -- the best -- */

/* Has the placement at hand an order of its pieces? */
static bool has_order(const struct sgang_cuts *cuts)
{
	return cuts->model->pieces && !cuts->seat && !cuts->missing &&
	       cuts->price < (int64_t)cuts->model->never;
}

/* What the placement at hand is worth in the search: of few pieces the cost in
 * an order, else the price. */
static int64_t value_of(struct sgang_cuts *cuts)
{
	if (has_order(cuts) && cuts->model->n_groups <= PIECES_FEW)
		return sgang_cuts_order(cuts);
	return cuts->price;
}

/* Is it worth to look for an order of the pieces? Of more than SGANG_CUTS_FEW none
 * costs less than the price. */
static bool is_promising(struct sgang_cuts *cuts,
			 const struct sgang_cuts_best *best)
{
	if (best->missing || cuts->price < best->low)
		return true;
	return cuts->price < best->price &&
	       (cuts->model->n_groups <= PIECES_FEW ||
		(cuts->price <= best->low + best->low / NEAR &&
		 !sgang_cuts_any(cuts, ORDERS)));
}

void sgang_cuts_keep(struct sgang_cuts *cuts, struct sgang_cuts_best *best)
{
	int64_t price = cuts->price;

	if (has_order(cuts)) {
		if (!is_promising(cuts, best))
			return;
		if (best->missing || price < best->low)
			best->low = price;
		price = sgang_cuts_order(cuts);
	}
	if (cuts->missing != best->missing ? cuts->missing > best->missing :
	    price != best->price           ? price > best->price :
					     cuts->tie >= best->tie)
		return;
	best->missing = cuts->missing;
	best->price = price;
	best->tie = cuts->tie;
	memcpy(best->at, cuts->at, cuts->model->n_units * sizeof(*best->at));
}

bool sgang_cuts_proved(const struct sgang_cuts_best *best)
{
	return !best->missing && best->price <= best->bound &&
	       best->tie <= best->bound_tie;
}

/* -- ruin -- */

static void pull(struct search *search, uint32_t unit)
{
	struct sgang_cuts *cuts = search->cuts;

	if (search->is_out[unit])
		return;
	search->is_out[unit] = true;
	search->old[search->n_out] = cuts->at[unit];
	search->out[search->n_out++] = unit;
	if (cuts->at[unit] != SGANG_CUTS_NOWHERE)
		sgang_cuts_take(cuts, unit);
}

static void pull_group(struct search *search, uint32_t group, uint32_t most)
{
	uint32_t first = search->cuts->first[group], i;

	for (i = 0; i < search->cuts->model->units[group]; i++) {
		if (search->n_out < most)
			pull(search, first + i);
	}
}

/* Units of a place, from some node of it on, until so many are out. */
static void pull_place(struct search *search, uint32_t place, uint32_t most)
{
	struct sgang_cuts *cuts = search->cuts;
	uint32_t first = sgang_cuts_first(cuts, place), i, unit;
	uint32_t n = sgang_cuts_size(cuts, place);
	uint32_t from = sgang_cuts_any(cuts, n);

	for (i = 0; i < n && search->n_out < most; i++) {
		unit = cuts->head[first + (from + i) % n];
		while (unit != SGANG_CUTS_NOWHERE && search->n_out < most) {
			uint32_t next = cuts->next[unit];

			pull(search, unit);
			unit = next;
		}
	}
	cuts->steps += n / 4;
}

/* The places of some units: their nodes, or domains above, now and then all that
 * is there. Perhaps one of them is not to be used again at once. */
static void pull_places(struct search *search, uint32_t height, uint32_t most)
{
	struct sgang_cuts *cuts = search->cuts;
	uint32_t n = 1 + sgang_cuts_any(cuts, 3), unit, place, up;

	for (; n; n--) {
		unit = sgang_cuts_any(cuts, cuts->model->n_units);
		place = cuts->at[unit];
		if (place == SGANG_CUTS_NOWHERE) {
			pull(search, unit);
			continue;
		}
		if (height)
			place = cuts->model->up[place];
		up = cuts->model->up[place];
		if (height > 1 && !sgang_cuts_any(cuts, 4) &&
		    up != SGANG_DOMAIN_NONE &&
		    cuts->model->up[up] != SGANG_DOMAIN_NONE)
			place = up;
		if (height && !sgang_cuts_any(cuts, 4))
			most = GROUP_MAX;
		pull_place(search, place,
			   search->n_out + (height ? 2 * most : most));
		if (!sgang_cuts_any(cuts, 3))
			search->banned = place;
	}
}

static void pull_groups(struct search *search, uint32_t most)
{
	struct sgang_cuts *cuts = search->cuts;
	uint32_t n = cuts->model->n_groups - 1, unit, place;

	pull_group(search, 1 + sgang_cuts_any(cuts, n), GROUP_MAX);
	if (sgang_cuts_any(cuts, 2))
		pull_group(search, 1 + sgang_cuts_any(cuts, n), GROUP_MAX);
	if (sgang_cuts_any(cuts, 3))
		return;
	unit = sgang_cuts_any(cuts, cuts->model->n_units);
	place = cuts->at[unit];
	if (place == SGANG_CUTS_NOWHERE)
		return;
	if (sgang_cuts_any(cuts, 2))
		place = cuts->model->up[place];
	pull_place(search, place, search->n_out + most);
}

/* Units that follow each other in the ring. */
static void pull_seats(struct search *search, uint32_t most)
{
	struct sgang_cuts *cuts = search->cuts;
	uint32_t n = cuts->model->n_units, from = sgang_cuts_any(cuts, n), i;

	for (i = 0; i < n && i < most; i++)
		pull(search, cuts->unit[(from + i) % n]);
}

static void pull_class(struct search *search)
{
	const struct sgang_roles *model = search->cuts->model;
	const struct sgang_class *class =
		&model->class[sgang_cuts_any(search->cuts, model->n_classes)];
	uint32_t i;

	for (i = 0; i < class->units && search->n_out < GROUP_MAX; i++)
		pull(search, class->first + i);
}

/* Of some of the units that are out the whole groups. */
static void complete_groups(struct search *search, uint32_t most)
{
	struct sgang_cuts *cuts = search->cuts;
	const struct sgang_roles *model = cuts->model;
	uint32_t n = search->n_out, i, g, parent;

	for (i = 0; i < n && search->n_out < most; i++) {
		if (sgang_cuts_any(cuts, 3))
			continue;
		g = cuts->chain[cuts->class_of[search->out[i]]][0];
		parent = model->group[g].parent;
		if (!sgang_cuts_any(cuts, 4) && g && parent)
			g = parent;
		if (model->units[g] < SMALL_GROUP)
			pull_group(search, g, UINT32_MAX);
	}
}

static void ruin(struct search *search)
{
	struct sgang_cuts *cuts = search->cuts;
	uint32_t how = sgang_cuts_any(cuts, 6), n;
	uint32_t most = 2 +
			sgang_cuts_any(cuts, sgang_cuts_any(cuts, 3) ? 8 : 40);

	search->n_out = 0;
	search->banned = SGANG_CUTS_NOWHERE;
	if (cuts->seat && sgang_cuts_any(cuts, 2)) {
		pull_seats(search, most);
	} else if (how == 0) {
		for (n = 1 + sgang_cuts_any(cuts, 6); n; n--)
			pull(search,
			     sgang_cuts_any(cuts, cuts->model->n_units));
	} else if (how == 1 && cuts->model->n_groups > 1) {
		pull_groups(search, most);
	} else if (how == 1 && !sgang_cuts_any(cuts, 3)) {
		pull_class(search);
	} else {
		pull_places(search, how == 5 ? 2 : how == 4, most);
	}
	if (cuts->model->n_groups > 1 && sgang_cuts_any(cuts, 2))
		complete_groups(search, most + SMALL_GROUP / 2);
	for (n = 0; n < cuts->model->n_units && cuts->missing > search->n_out;
	     n++) {
		if (cuts->at[n] == SGANG_CUTS_NOWHERE)
			pull(search, n);
	}
}

/* -- recreate -- */

/* Units that are out and have no node, one by one. */
static void insert(struct search *search, enum sgang_cuts_order order)
{
	struct sgang_cuts *cuts = search->cuts;
	uint32_t n = 0, i;

	for (i = 0; i < search->n_out; i++) {
		if (cuts->at[search->out[i]] == SGANG_CUTS_NOWHERE)
			search->again[n++] = search->out[i];
	}
	if (n)
		sgang_cuts_insert(cuts, search->again, n, cuts->model->n_nodes,
				  order);
}

static enum sgang_cuts_order any_order(struct sgang_cuts *cuts)
{
	static const enum sgang_cuts_order order[] = {
		SGANG_CUTS_LARGE, SGANG_CUTS_LARGE, SGANG_CUTS_LARGE,
		SGANG_CUTS_ABOUT, SGANG_CUTS_ABOUT, SGANG_CUTS_ABOUT,
		SGANG_CUTS_CLASS, SGANG_CUTS_CHANCE
	};

	return order[sgang_cuts_any(cuts, sizeof(order) / sizeof(*order))];
}

static void recreate(struct search *search)
{
	struct sgang_cuts *cuts = search->cuts;
	enum sgang_cuts_order order = any_order(cuts);

	cuts->blink = sgang_cuts_any(cuts, 2);
	if (search->banned != SGANG_CUTS_NOWHERE)
		sgang_cuts_ban(cuts, search->banned, true);
	if (cuts->model->n_groups > 1 && !cuts->seat && sgang_cuts_any(cuts, 3))
		sgang_cuts_build(cuts, 0, cuts->model->n_nodes,
				 1 + sgang_cuts_any(cuts, 2), order);
	insert(search, order);
	if (search->banned != SGANG_CUTS_NOWHERE) {
		sgang_cuts_ban(cuts, search->banned, false);
		if (cuts->missing)
			insert(search, order);
	}
	cuts->blink = false;
}

/* -- annealing -- */

/* The cheapest of all cuts. */
static int64_t find_least(const struct sgang_roles *model)
{
	int64_t least = INT64_MAX >> 10;
	uint32_t i, g;

	for (i = 0; i < model->n_pairs; i++) {
		for (g = 0; g < model->n_groups; g++) {
			int64_t price = (int64_t)model->pairs[i].price[g];

			if (price && price < least && model->units[g] > 1)
				least = price;
		}
	}
	return least;
}

/* By how much the price may grow this time: by the cheapest cut, about, and less
 * and less. The bits of a number by chance that are 0 before the first 1 make
 * that exponential, nearly. */
static int64_t allowed(struct search *search)
{
	uint64_t done = search->cuts->steps - search->start;
	uint32_t chance = sgang_cuts_any(search->cuts, 1u << 30);
	uint64_t left = done < search->span ? search->span - done : 0;

	return search->least * (chance ? __builtin_ctz(chance) : 30) *
	       (int64_t)(left * 16 / (search->span + 1)) / 16;
}

static void undo(struct search *search)
{
	struct sgang_cuts *cuts = search->cuts;
	uint32_t i, unit;

	for (i = 0; i < search->n_out; i++) {
		if (cuts->at[search->out[i]] != SGANG_CUTS_NOWHERE)
			sgang_cuts_take(cuts, search->out[i]);
	}
	for (i = 0; i < search->n_out; i++) {
		unit = search->out[i];
		if (search->old[i] != SGANG_CUTS_NOWHERE)
			sgang_cuts_put(cuts, unit, search->old[i]);
	}
}

/* Try once, from the placement at hand. */
static void step(struct search *search)
{
	struct sgang_cuts *cuts = search->cuts;
	int64_t value = search->value, grown;
	uint64_t tie = cuts->tie;
	uint32_t missing = cuts->missing, i;
	bool good;

	cuts->steps += cuts->model->n_units / 16 + 8;
	ruin(search);
	recreate(search);
	for (i = 0; i < search->n_out; i++)
		search->is_out[search->out[i]] = false;
	search->value = value_of(cuts);
	grown = search->value - value;
	if (cuts->missing != missing)
		good = cuts->missing < missing ||
		       (missing && cuts->missing == missing + 1 &&
			!sgang_cuts_any(cuts, 20));
	else if (!grown)
		good = cuts->tie <= tie || sgang_cuts_any(cuts, 2);
	else
		good = grown < 0 || grown <= allowed(search);
	if (good) {
		sgang_cuts_keep(cuts, search->best);
	} else {
		undo(search);
		search->value = value;
	}
}

/* Is there nothing to gain, or nothing left to search with? */
static bool is_over(const struct search *search, uint64_t gained)
{
	const struct sgang_cuts *cuts = search->cuts;
	const struct sgang_cuts_best *best = search->best;
	uint64_t done = cuts->steps - search->start;
	bool fits = !best->missing && best->price < (int64_t)cuts->model->never;

	if (done >= search->span || sgang_cuts_proved(best))
		return true;
	if (fits && best->price <= best->bound)
		return done > search->span / 8;
	return cuts->steps - gained > search->span / 2;
}

static void anneal(struct search *search)
{
	struct sgang_cuts *cuts = search->cuts;
	uint64_t gained = cuts->steps;

	search->start = cuts->steps;
	search->value = value_of(cuts);
	while (!is_over(search, gained)) {
		int64_t price = search->best->price;
		uint32_t missing = search->best->missing;

		step(search);
		if (search->best->price < price ||
		    search->best->missing < missing)
			gained = cuts->steps;
	}
}

void sgang_cuts_search(struct sgang_cuts *cuts, struct sgang_cuts_best *best,
		       uint64_t end, bool light)
{
	uint32_t n = cuts->model->n_units;
	struct search search = {
		.cuts = cuts,
		.best = best,
		.least = find_least(cuts->model),
		.out = sgang_pool_zalloc(cuts->pool, n, sizeof(*search.out)),
		.old = sgang_pool_zalloc(cuts->pool, n, sizeof(*search.old)),
		.is_out = sgang_pool_zalloc(cuts->pool, n,
					    sizeof(*search.is_out)),
		.again = sgang_pool_zalloc(cuts->pool, n, sizeof(*search.again))
	};

	cuts->few = true;
	cuts->light = light;
	sgang_cuts_load(cuts, best->at);
	search.span = cuts->steps < end ? end - cuts->steps : 0;
	anneal(&search);
	cuts->few = cuts->light = false;
}
