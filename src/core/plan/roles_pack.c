/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_pack.c - trees of groups: the hardest groups first
 *
 * Each group goes into the place that fits it best, of those that it may be in,
 * and the groups in it into places of that. After a failure the next place is
 * tried.
 */

#include <stdlib.h>
#include <string.h>

#include "roles_private.h"

struct packer {
	const struct sgang_roles *roles;
	uint32_t *free; /* by node: what is left, n_dims numbers */
	uint32_t *at;
	uint32_t *packed; /* units that have a node, in this order */
	uint32_t n_packed;
	uint32_t *mark; /* by position: the last class that has units there */
	uint32_t turn;  /* ... the class that is packed now */
	uint64_t steps, steps_max;
};

/* A place that a group may go to, and the units that have room there. */
struct choice {
	uint32_t place;
	uint64_t room;
};

static uint32_t node_at(const struct packer *packer, uint32_t pos)
{
	return sgang_fabric_order(packer->roles->job->request->fabric)[pos];
}

static uint32_t *left_at(const struct packer *packer, uint32_t node)
{
	return packer->free +
	       (size_t)node * packer->roles->job->request->n_dims;
}

static uint32_t fits(struct packer *packer, uint32_t class, uint32_t pos)
{
	const struct sgang_job *job = packer->roles->job;
	const struct sgang_class *c = &packer->roles->class[class];
	uint32_t node = node_at(packer, pos);
	uint32_t n = sgang_kind_fits(job, &job->kind[c->kind], node,
				     left_at(packer, node));

	packer->steps++;
	return n < c->per_node ? n : c->per_node;
}

static void put(struct packer *packer, uint32_t class, uint32_t unit,
		uint32_t pos)
{
	const struct sgang_job *job = packer->roles->job;
	uint32_t node = node_at(packer, pos);

	packer->at[unit] = pos;
	packer->packed[packer->n_packed++] = unit;
	sgang_kind_take(job, &job->kind[packer->roles->class[class].kind], node,
			1, left_at(packer, node));
}

/* Take back all units that were put after this one. */
static void go_back(struct packer *packer, uint32_t n_packed)
{
	const struct sgang_roles *roles = packer->roles;
	uint32_t unit, node, c = 0;

	while (packer->n_packed > n_packed) {
		unit = packer->packed[--packer->n_packed];
		node = node_at(packer, packer->at[unit]);
		for (c = 0;
		     roles->class[c].first + roles->class[c].units <= unit; c++)
			;
		sgang_kind_give_back(roles->job,
				     &roles->job->kind[roles->class[c].kind],
				     node, 1, left_at(packer, node));
	}
}

/* The nodes of a place: '*first' and so many positions. */
static uint32_t nodes_of(const struct sgang_roles *roles, uint32_t place,
			 uint32_t *first)
{
	const struct sgang_domain *domain;

	*first = place;
	if (place < roles->n_nodes)
		return 1;
	domain = sgang_fabric_domain(roles->job->request->fabric,
				     place - roles->n_nodes);
	*first = domain->first_pos;
	return domain->n_nodes;
}

/* Units of a class onto nodes of a place: all onto one where they just fit, or
 * onto those with the most room. */
static bool pack_class(struct packer *packer, uint32_t class, uint32_t place)
{
	const struct sgang_class *c = &packer->roles->class[class];
	uint32_t first, n = nodes_of(packer->roles, place, &first), i;
	uint32_t done = 0;

	packer->turn++;
	while (done < c->units && packer->steps < packer->steps_max) {
		uint32_t need = c->units - done, best = 0, most = 0;

		for (i = 0; i < n; i++) {
			uint32_t here = fits(packer, class, first + i);

			if (packer->mark[first + i] == packer->turn)
				continue;
			if (most < need ? here > most :
					  here >= need && here < most) {
				most = here;
				best = first + i;
			}
		}
		if (!most)
			return false;
		packer->mark[best] = packer->turn;
		for (i = 0; i < most && done < c->units; i++)
			put(packer, class, c->first + done++, best);
	}
	return done == c->units;
}

/* Units of a kind that fit on the nodes of a place. */
static uint64_t room_of_kind(struct packer *packer, uint32_t kind,
			     uint32_t place)
{
	const struct sgang_job *job = packer->roles->job;
	uint32_t first, n = nodes_of(packer->roles, place, &first), i;
	uint64_t sum = 0;

	for (i = first; i < first + n; i++) {
		uint32_t node = node_at(packer, i);

		sum += sgang_kind_fits(job, &job->kind[kind], node,
				       left_at(packer, node));
	}
	packer->steps += n;
	return sum;
}

/* Room for a group in a place, kind by kind alone; 0: some kind has too
 * little. */
static uint64_t room_for(struct packer *packer, uint32_t g, uint32_t place)
{
	const struct sgang_roles *roles = packer->roles;
	uint32_t first = roles->class_of[roles->group[g].first], c, k, units;
	uint64_t least = UINT64_MAX;

	for (k = 0; k < roles->job->n_kinds; k++) {
		uint32_t of_kind = 0;
		uint64_t room;

		for (c = first, units = 0; units < roles->units[g];
		     units += roles->class[c++].units)
			of_kind += roles->class[c].kind == k ?
					   roles->class[c].units :
					   0;
		if (!of_kind)
			continue;
		room = room_of_kind(packer, k, place);
		if (room < of_kind)
			return 0;
		least = room < least ? room : least;
	}
	return least;
}

static int by_room(const void *one, const void *two)
{
	const struct choice *a = one, *b = two;

	if (a->room != b->room)
		return a->room < b->room ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static bool is_within(const struct sgang_roles *roles, uint32_t place,
		      uint32_t in)
{
	uint32_t first, first_in, n, n_in;

	if (place < roles->n_nodes && in < roles->n_nodes)
		return place == in;
	n = nodes_of(roles, place, &first);
	n_in = nodes_of(roles, in, &first_in);
	return first >= first_in && first + n <= first_in + n_in &&
	       (place < roles->n_nodes || place >= in);
}

/* Places in 'in' for a group: the highest that it may span, or the lowest
 * that have room. Returns how many, by how well it fits. */
static size_t find_choices(struct packer *packer, uint32_t g, uint32_t in,
			   enum sgang_pack how, struct choice *choice)
{
	const struct sgang_roles *roles = packer->roles;
	uint32_t require = roles->require[g], level, p;
	uint32_t top = sgang_roles_level(roles, in);
	size_t n = 0;

	if (top <= require && how == SGANG_PACK_FIT) {
		choice[0] = (struct choice){ .place = in, .room = 1 };
		return 1;
	}
	for (level = 0; level <= top && level <= require && !n; level++) {
		for (p = 0;
		     p < roles->n_places && packer->steps < packer->steps_max;
		     p++) {
			uint32_t here = sgang_roles_level(roles, p);
			bool fit = how == SGANG_PACK_LOW ?
					   here == level :
					   here <= require &&
						   sgang_roles_above(roles, p) >
							   require;

			packer->steps++;
			if (!fit || !is_within(roles, p, in))
				continue;
			choice[n].place = p;
			choice[n].room = room_for(packer, g, p);
			n += choice[n].room > 0;
		}
		if (how == SGANG_PACK_FIT)
			break;
	}
	qsort(choice, n, sizeof(*choice), by_room);
	return n;
}

static bool pack_group(struct packer *packer, uint32_t g, uint32_t in,
		       enum sgang_pack how);

static bool pack_leaf(struct packer *packer, uint32_t g, uint32_t place)
{
	const struct sgang_roles *roles = packer->roles;
	uint32_t c = roles->class_of[roles->group[g].first], units = 0;

	for (; units < roles->units[g]; units += roles->class[c++].units) {
		if (!pack_class(packer, c, place))
			return false;
	}
	return true;
}

/* The slots of its first unit. */
static uint32_t slots_of(const struct sgang_roles *roles, uint32_t g)
{
	uint32_t c = roles->class_of[roles->group[g].first];
	uint32_t slots = roles->job->kind[roles->class[c].kind].slots;

	return slots ? slots : UINT32_MAX; /* a whole node */
}

/* True if the first of two sisters is to be packed before the other. */
static bool is_harder(const struct sgang_roles *roles, uint32_t a, uint32_t b)
{
	if (roles->require[a] != roles->require[b])
		return roles->require[a] < roles->require[b];
	if (slots_of(roles, a) != slots_of(roles, b))
		return slots_of(roles, a) > slots_of(roles, b);
	if (roles->units[a] != roles->units[b])
		return roles->units[a] > roles->units[b];
	return a < b;
}

/* Pack all that is in a group into a place; the hardest first. */
static bool pack_inside(struct packer *packer, uint32_t g, uint32_t place,
			enum sgang_pack how)
{
	const struct sgang_roles *roles = packer->roles;
	uint32_t last = SGANG_PLAN_NO_GROUP, best, h;
	bool packed = true;

	if (sgang_roles_leaf(roles, g))
		return pack_leaf(packer, g, place);
	do {
		best = SGANG_PLAN_NO_GROUP;
		for (h = g + 1;
		     h < roles->n_groups && roles->depth[h] > roles->depth[g];
		     h++) {
			if (roles->group[h].parent != g ||
			    (last != SGANG_PLAN_NO_GROUP &&
			     !is_harder(roles, last, h)))
				continue;
			if (best == SGANG_PLAN_NO_GROUP ||
			    is_harder(roles, h, best))
				best = h;
		}
		if (best != SGANG_PLAN_NO_GROUP)
			packed = pack_group(packer, best, place, how);
		last = best;
	} while (best != SGANG_PLAN_NO_GROUP && packed);
	return packed;
}

static bool pack_group(struct packer *packer, uint32_t g, uint32_t in,
		       enum sgang_pack how)
{
	struct sgang_pool *pool = sgang_pool_inside(packer->roles->job->pool);
	struct choice *choice = sgang_pool_alloc(pool, packer->roles->n_places,
						 sizeof(*choice));
	uint32_t begun = packer->n_packed;
	bool packed = false;
	size_t n, i;

	n = find_choices(packer, g, in, how, choice);
	for (i = 0; i < n && !packed && packer->steps < packer->steps_max;
	     i++) {
		packed = pack_inside(packer, g, choice[i].place, how);
		if (!packed)
			go_back(packer, begun);
	}
	sgang_pool_end(pool);
	return packed;
}

/* Pack the gang into each highest place in turn. */
static bool pack_gang(struct packer *packer, enum sgang_pack how)
{
	const struct sgang_roles *roles = packer->roles;
	bool packed = false;
	uint32_t p;

	for (p = 0; p < roles->n_places && !packed; p++) {
		if (sgang_roles_above(roles, p) < SGANG_LEVELS ||
		    sgang_roles_level(roles, p) > roles->require[0])
			continue;
		packed = room_for(packer, 0, p) &&
			 pack_group(packer, 0, p, how);
	}
	return packed;
}

bool sgang_roles_pack(const struct sgang_roles *roles, enum sgang_pack how,
		      uint32_t *at)
{
	const struct sgang_plan_request *request = roles->job->request;
	size_t n = (size_t)roles->n_nodes * request->n_dims;
	struct sgang_pool *pool = roles->job->pool;
	struct packer packer = {
		.roles = roles,
		.at = at,
		.steps_max = sgang_budget_share(
			request->budget,
			sgang_budget_limits(request->budget)->roles_pack_steps)
	};
	bool packed;

	packer.free = sgang_pool_alloc(pool, n, sizeof(*packer.free));
	packer.packed = sgang_pool_alloc(pool, roles->n_units,
					 sizeof(*packer.packed));
	packer.mark = sgang_pool_zalloc(pool, roles->n_nodes,
					sizeof(*packer.mark));
	memcpy(packer.free, request->free, n * sizeof(*packer.free));
	packed = pack_gang(&packer, how);
	sgang_budget_take(request->budget, packer.steps);
	return packed && sgang_roles_valid(roles, at);
}
