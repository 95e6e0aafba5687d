/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pack.c - does it fit at all? Trying everything, wherever that is
 *
 * Members are placed one after the other, the hardest first, unit by unit on
 * nodes that follow each other. A branch ends when some kind of members has no
 * room for its units that are left, were they alone. Of nodes on which the same is
 * left, and where the same members may be, only the first is tried: costs do not
 * count here. The nodes with the least room that is enough come first.
 */

#include <stdlib.h>
#include <string.h>

#include "mixed.h"

/* Gangs with more units are not tried. */
#define UNITS_MAX 256

struct packing {
	struct mixed *mixed;
	uint32_t from, to;
	uint64_t *units; /* by kind: those that are left */
	uint64_t looks;  /* that are left */
	uint32_t *spot;  /* scratch, as many for each unit as there are nodes */
};

static void pop_unit(struct mixed *mixed)
{
	struct piece *last = &mixed->now.piece[mixed->now.n - 1];

	give_back(mixed, last);
	if (--last->units)
		take(mixed, last);
	else
		mixed->now.n--;
}

/* Has each kind room for its units that are left? */
static bool have_room(struct packing *packing)
{
	const struct mixed *mixed = packing->mixed;
	uint32_t k, pos;

	for (k = 0; k < mixed->job->n_kinds; k++) {
		uint64_t need = packing->units[k];

		for (pos = packing->from; pos < packing->to && need; pos++) {
			uint32_t room = sgang_kind_fits(mixed->job,
							&mixed->job->kind[k],
							mixed->order[pos],
							left_at(mixed, pos));

			packing->looks -= packing->looks > 0;
			need -= room < need ? room : need;
		}
		if (need)
			return false;
	}
	return true;
}

/* Are these two positions the same to all members? */
static bool alike(const struct packing *packing, uint32_t a, uint32_t b)
{
	const struct mixed *mixed = packing->mixed;
	const struct sgang_plan_request *request = mixed->request;
	uint32_t node_a = mixed->order[a], node_b = mixed->order[b], k;
	size_t n_dims = mixed->n_dims, size = n_dims * sizeof(uint32_t);

	if (memcmp(left_at(mixed, a), left_at(mixed, b), size) ||
	    memcmp(request->total + node_a * n_dims,
		   request->total + node_b * n_dims, size) ||
	    (request->type && request->type[node_a] != request->type[node_b]))
		return false;
	for (k = 0; k < mixed->job->n_kinds; k++) {
		const struct sgang_nodeset *allowed =
			mixed->job->kind[k].allowed;

		if (allowed && sgang_nodeset_has(allowed, node_a) !=
				       sgang_nodeset_has(allowed, node_b))
			return false;
	}
	return true;
}

/* How much of a node is free, all resources being worth the same. */
static double room_at(const struct mixed *mixed, uint32_t pos)
{
	const uint32_t *left = left_at(mixed, pos);
	double sum = 0;
	uint32_t d;

	for (d = 0; d < mixed->n_dims; d++)
		sum += left[d] / mixed->average[d];
	return sum;
}

/* List the positions from 'pos' on where a unit of the member fits, one of each
 * sort, those with the least room first. Returns how many. */
static uint32_t list_spots(struct packing *packing, uint32_t member,
			   uint32_t pos, uint32_t *spot)
{
	struct mixed *mixed = packing->mixed;
	uint32_t n = 0, i;

	for (; pos < packing->to; pos++) {
		packing->looks -= packing->looks > 0;
		if (!fits(mixed, member, pos))
			continue;
		for (i = 0; i < n && !alike(packing, spot[i], pos); i++)
			;
		if (i < n)
			continue;
		for (i = n++;
		     i && room_at(mixed, spot[i - 1]) > room_at(mixed, pos);
		     i--)
			spot[i] = spot[i - 1];
		spot[i] = pos;
	}
	return n;
}

/* Find nodes from 'pos' on for the units of the i-th largest member that are
 * left, and for all members after it. */
static bool pack(struct packing *packing, uint32_t i, uint32_t units,
		 uint32_t pos)
{
	uint32_t width = packing->to - packing->from, member, n, k, kind;
	struct mixed *mixed = packing->mixed;
	uint32_t *spot = packing->spot;
	bool distinct, packed = false;

	if (!units) {
		if (++i == mixed->request->n_members)
			return true;
		units = ask_of(mixed, mixed->rank[i])->units;
		pos = packing->from;
	}
	member = mixed->rank[i];
	kind = mixed->job->kind_of[member];
	distinct = sgang_member_distinct(ask_of(mixed, member));
	packing->spot += width;
	n = list_spots(packing, member, pos, spot);
	for (k = 0; k < n && packing->looks; k++) {
		sgang_mixed_add(mixed, member, spot[k]);
		packing->units[kind]--;
		if (have_room(packing))
			packed = pack(packing, i, units - 1,
				      spot[k] + distinct);
		if (packed)
			break;
		packing->units[kind]++;
		pop_unit(mixed);
	}
	packing->spot = spot;
	return packed;
}

bool sgang_mixed_pack(struct mixed *mixed, const struct sgang_domain *domain)
{
	struct packing packing = { .mixed = mixed,
				   .from = domain->first_pos,
				   .to = domain->first_pos + domain->n_nodes };
	struct sgang_budget *budget = mixed->request->budget;
	struct sgang_pool *pool;
	bool packed = false;
	uint64_t looks;
	uint32_t k;

	looks = sgang_budget_left(budget);
	looks = packing.looks = mixed->packing < looks ? mixed->packing : looks;
	if (mixed->job->units > UNITS_MAX || !looks) {
		budget->unproved = true;
		return false;
	}
	pool = sgang_pool_inside(mixed->job->pool);
	packing.units = sgang_pool_alloc(pool, mixed->job->n_kinds,
					 sizeof(*packing.units));
	packing.spot = sgang_pool_alloc(pool,
					mixed->job->units * domain->n_nodes,
					sizeof(*packing.spot));
	for (k = 0; k < mixed->job->n_kinds; k++)
		packing.units[k] = mixed->job->kind[k].units;
	sgang_mixed_clear(mixed, packing.from, packing.to);
	if (have_room(&packing))
		packed = pack(&packing, 0, ask_of(mixed, mixed->rank[0])->units,
			      packing.from);
	sgang_pool_end(pool);
	budget->unproved |= !packed && !packing.looks;
	mixed->packing -= looks - packing.looks;
	sgang_budget_take(budget, looks - packing.looks);
	if (packed)
		qsort(mixed->now.piece, mixed->now.n, sizeof(*mixed->now.piece),
		      sgang_mixed_by_member);
	return packed;
}
