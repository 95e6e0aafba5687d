/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit_ways.c - whether the parts fit: as planned, on fewer nodes, in other
 * shares, each on one node, or with other members */

#include <stdint.h>

#include "attempt_private.h"

bool sgang_fit_any(struct attempt *a)
{
	if (sgang_fit_shaped(a, 0) != 1)
		return false;
	if (!a->uneven)
		sgang_uneven_better(a);
	if (!a->uneven) {
		sgang_uneven_doubt(a);
		sgang_one_node_fit(a);
	}
	return true;
}

/* Other members than the first, or in a tree other groups. */
static bool other_members_fit(struct attempt *a)
{
	if (!sgang_branches_any(a))
		return sgang_which_fit(a, 0) == 1;
	return a->n_gangs == 1 && sgang_branches_fit(a, 0) == 1;
}

static int fit_in_some_way(struct attempt *a)
{
	size_t all = a->n_parts;

	sgang_fit_ring_order(a);
	if (sgang_fit_any(a))
		return 0;
	if (sgang_fit_choose(a, SGANG_EXTENT_MINIMUM) < 0)
		return -1;
	sgang_fit_ring_order(a);
	/* The same members do not fit a second time. */
	if (a->n_parts < all && !sgang_branches_any(a) && sgang_fit_any(a))
		return 0;
	if (other_members_fit(a)) {
		sgang_one_node_fit(a);
		return 0;
	}
	a->unfit = true;
	return -1;
}

int sgang_fit(struct attempt *a)
{
	bool kept = sgang_units_keep(a);
	int rc = fit_in_some_way(a);

	sgang_units_forget(a, kept);
	return rc;
}

static int64_t first_time(struct attempt *a, const int64_t *times, size_t n)
{
	int64_t when = sgang_fit_first(a, times, n);

	when = sgang_fewer_when(a, times, n, when);
	if (when == INT64_MAX)
		when = sgang_uneven_when(a, times, n);
	when = sgang_which_when(a, times, n, when);
	return sgang_branches_when(a, times, n, when);
}

int64_t sgang_fit_when(struct attempt *a)
{
	int64_t *times, when;
	bool kept;
	size_t n;

	times = sgang_fit_begin(a, &n);
	if (!times)
		return 0;
	kept = sgang_units_keep(a);
	when = first_time(a, times, n);
	if (!a->trying)
		sgang_helps_find(a, when);
	sgang_units_forget(a, kept);
	sgang_fit_end(a, times);
	return when;
}
