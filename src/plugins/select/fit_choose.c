/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit_choose.c - the members that an attempt begins with */

#include <stdlib.h>

#include "attempt_private.h"

static size_t most_of(const struct gang *g, enum extent extent)
{
	uint32_t missing = sgang_gang_missing(&g->tally);
	uint32_t held = g->tally.held;

	if (extent == SGANG_EXTENT_MINIMUM || g->tally.total < held + missing)
		return missing;
	return g->tally.total - held;
}

/* Members beyond the minimum start with the others if they are no spares. */
static size_t without_spares(const struct gang *g, size_t n, size_t most)
{
	size_t missing = sgang_gang_missing(&g->tally);
	size_t spares = g->tally.spec.spares;
	size_t rest = n > spares ? n - spares : 0;

	if (!spares || rest >= most)
		return most;
	return rest > missing ? rest : missing;
}

/* All members with an order below this are in the minimum; members with the
 * last order, too, if all of them are needed. */
static uint32_t order_end(const struct gang *g)
{
	uint32_t last = g->tally.last_order;
	uint64_t n = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING && e->spec.order_set &&
		    e->spec.order <= last)
			n += e->m.tasks;
	}
	return last +
	       (last != UINT32_MAX && n <= sgang_gang_missing(&g->tally));
}

/* A member that --gang-order puts into the minimum cannot be left out. */
static bool left_out(const struct gang *g, const struct entry *e, uint32_t end)
{
	uint32_t below = e->m.eligible ? end : g->tally.last_order;

	return e->m.state == SGANG_MEMBER_PENDING && e->spec.order_set &&
	       e->spec.order < below && (!e->probed || !e->probed->usable);
}

/* Communication groups may need more members than the minimum, or fewer than all
 * of these 'n'. */
static size_t for_groups(const struct attempt *a, const struct gang *g,
			 enum extent extent, size_t first, size_t n,
			 size_t most)
{
	size_t missing = sgang_gang_missing(&g->tally), all;

	if (n < most)
		most = n;
	if (extent == SGANG_EXTENT_TOTAL)
		return sgang_grouped_members(a, g, first, missing, most, false);
	if (extent == SGANG_EXTENT_ANY)
		return most;
	all = without_spares(g, n, most_of(g, SGANG_EXTENT_TOTAL));
	return sgang_grouped_members(a, g, first, most, all < n ? all : n,
				     true);
}

static int choose_of(struct attempt *a, size_t index, enum extent extent)
{
	struct gang *g = a->gangs[index];
	size_t first = a->n_parts, n, most = most_of(g, extent);
	uint32_t end = order_end(g);

	a->culprit = g;
	if (g->tally.roles.any)
		return sgang_branches_choose(a, index, extent);
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (extent != SGANG_EXTENT_ANY && left_out(g, e, end))
			return -1;
		if (e->m.state != SGANG_MEMBER_PENDING || !e->m.eligible ||
		    !e->probed || !e->probed->usable)
			continue;
		sgang_fit_add(a, index, e);
	}
	n = a->n_parts - first;
	most = without_spares(g, n, most);
	if (extent != SGANG_EXTENT_ANY && n < sgang_gang_missing(&g->tally))
		return -1;
	qsort(a->parts + first, n, sizeof(*a->parts), sgang_fit_take_order);
	a->n_parts = first + for_groups(a, g, extent, first, n, most);
	return 0;
}

int sgang_fit_choose(struct attempt *a, enum extent extent)
{
	a->n_parts = 0;
	for (size_t i = 0; i < a->n_gangs; i++) {
		/* the probe has set why */
		if (choose_of(a, i, extent) < 0)
			return -1;
	}
	return 0;
}
