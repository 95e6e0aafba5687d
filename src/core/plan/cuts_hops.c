/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_hops.c - the hops of a ring whose order is given */

#include "cuts_private.h"

uint32_t sgang_cuts_neighbour(const struct sgang_cuts *cuts, uint32_t unit,
			      int32_t step)
{
	uint32_t n = cuts->model->n_units, seat = cuts->seat[unit], i, at;

	for (i = 1; i < n; i++) {
		seat = seat + (uint32_t)step < n ? seat + (uint32_t)step :
		       step > 0                  ? 0 :
						   n - 1;
		at = cuts->at[cuts->unit[seat]];
		if (at != SGANG_CUTS_NOWHERE)
			return at;
	}
	return SGANG_CUTS_NOWHERE;
}

static int64_t hop(const struct sgang_cuts *cuts, uint32_t a, uint32_t b)
{
	const struct sgang_plan_request *request = cuts->model->job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);

	return sgang_plan_hop(request->fabric, request->costs, order[a],
			      order[b]);
}

int64_t sgang_cuts_hops_between(const struct sgang_cuts *cuts, uint32_t last,
				uint32_t pos, uint32_t next)
{
	if (last == SGANG_CUTS_NOWHERE)
		return 0;
	return hop(cuts, last, pos) + hop(cuts, pos, next) -
	       hop(cuts, last, next);
}

int64_t sgang_cuts_hops(const struct sgang_cuts *cuts, uint32_t unit,
			uint32_t pos)
{
	return sgang_cuts_hops_between(cuts,
				       sgang_cuts_neighbour(cuts, unit, -1),
				       pos,
				       sgang_cuts_neighbour(cuts, unit, 1));
}
