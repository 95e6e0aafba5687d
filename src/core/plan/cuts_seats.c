/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_seats.c - units in the order of a ring that is given
 *
 * What a unit costs is not what it cuts then, but the hops to those before and
 * after it. It had best be on the node of one of these, or in the lowest domain
 * around one that has room; among nodes there the cuts decide.
 */

#include "cuts_private.h"

/* The node at a position for a unit, or the cheapest one of the lowest domain
 * around it that has room. */
static uint32_t near(struct sgang_cuts *cuts, uint32_t unit, uint32_t pos,
		     bool there)
{
	const struct sgang_roles *model = cuts->model;
	const struct sgang_class *class = &model->class[cuts->class_of[unit]];
	uint32_t d, at, column = model->n_groups + cuts->class_of[unit];

	if (there)
		return cuts->room[class->kind][pos] && !cuts->ban[pos] &&
				       cuts->row[pos][column] <
					       class->per_node ?
			       pos :
			       SGANG_CUTS_NOWHERE;
	for (d = model->up[pos];
	     d != SGANG_DOMAIN_NONE &&
	     sgang_tree_allowed(model->job->request, d - model->n_nodes);
	     d = model->up[d]) {
		at = sgang_cuts_spot(cuts, unit, d);
		if (at != SGANG_CUTS_NOWHERE)
			return at;
	}
	return SGANG_CUTS_NOWHERE;
}

uint32_t sgang_cuts_seat(struct sgang_cuts *cuts, uint32_t unit,
			 uint32_t domain)
{
	uint32_t pos[2] = { sgang_cuts_neighbour(cuts, unit, -1),
			    sgang_cuts_neighbour(cuts, unit, 1) };
	uint32_t best = SGANG_CUTS_NOWHERE, i, at;
	int64_t least = INT64_MAX, cost;

	if (pos[0] == SGANG_CUTS_NOWHERE)
		return sgang_cuts_spot(cuts, unit, domain);
	for (i = 0; i < 4; i++) {
		at = near(cuts, unit, pos[i & 1], i < 2);
		if (at == SGANG_CUTS_NOWHERE)
			continue;
		cost = sgang_cuts_hops_between(cuts, pos[0], at, pos[1]) +
		       sgang_cuts_own(cuts, cuts->class_of[unit], at);
		if (cost < least) {
			least = cost;
			best = at;
		}
	}
	cuts->steps += 8;
	return best;
}
