/* SPDX-License-Identifier: GPL-2.0-or-later */
/* route.c - the leaves that the ring is laid over: those that would be best for
 * units of such a value, in depth-first order
 */

#include <stdlib.h>
#include <string.h>

#include "mixed.h"

/* The cost of one more slot, compared with the average: leaves are entered
 * anyway. Found by trying. */
#define MARGIN 1.25

/* A list of stops, and the positions of their nodes. */
struct route {
	struct sgang_stop *stop;
	uint32_t n_stops;
	uint32_t *pos;
	uint32_t n_pos;
};

static void open_route(const struct mixed *mixed, struct route *route)
{
	struct sgang_pool *pool = mixed->job->pool;

	memset(route, 0, sizeof(*route));
	route->stop = sgang_pool_alloc(pool, mixed->n_nodes,
				       sizeof(*route->stop));
	route->pos = sgang_pool_alloc(pool, mixed->n_nodes,
				      sizeof(*route->pos));
}

static const struct sgang_domain *leaf_at(const struct mixed *mixed,
					  uint32_t pos)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;

	return sgang_fabric_domain(
		fabric, sgang_fabric_leaf(fabric, mixed->order[pos]));
}

/* Add a leaf with all its nodes that have room. */
static void add_leaf(const struct mixed *mixed, struct route *route,
		     const struct sgang_domain *leaf)
{
	struct sgang_stop *stop = &route->stop[route->n_stops];
	uint32_t pos;

	stop->first = route->n_pos;
	for (pos = leaf->first_pos; pos < leaf->first_pos + leaf->n_nodes;
	     pos++) {
		if (*sgang_job_free(mixed->job, mixed->order[pos]))
			route->pos[route->n_pos++] = pos;
	}
	stop->n = route->n_pos - stop->first;
	route->n_stops += stop->n > 0;
}

/* The leaves of what is picked, in order. */
static void route_over(const struct mixed *mixed, const struct sgang_tree *tree,
		       struct route *route)
{
	const struct sgang_domain *leaf = NULL;
	size_t i;

	route->n_stops = 0;
	route->n_pos = 0;
	for (i = 0; i < tree->n_picks; i++) {
		uint32_t pos = tree->pick[i].pos;

		if (leaf && pos - leaf->first_pos < leaf->n_nodes)
			continue;
		leaf = leaf_at(mixed, pos);
		add_leaf(mixed, route, leaf);
	}
}

/* The leaves for all units by value, and for so many 256ths more if the ring
 * does not fit there. When something was found already, only the last of these.
 */
static int walk_worth(struct mixed *mixed)
{
	static const uint32_t more[] = { 0, 1, 2, 4, 8, 16, 32, 64 };
	const size_t n = sizeof(more) / sizeof(more[0]);
	const struct sgang_tree *worth = mixed->worth;
	struct sgang_tree tree;
	struct route route;
	size_t i;
	int rc = 0;

	open_route(mixed, &route);
	for (i = mixed->found ? n - 1 : 0; i < n && !rc && !ended(mixed); i++) {
		tree = *worth;
		tree.rough = mixed->found;
		tree.need += worth->need * more[i] / 256;
		rc = sgang_tree_solve(&tree, mixed->job->pool, false);
		if (rc <= 0)
			return rc;
		route_over(mixed, &tree, &route);
		rc = sgang_mixed_walk(
			mixed, route.stop, route.n_stops, route.pos,
			(double)tree.bound * MARGIN / (double)tree.need);
	}
	return rc;
}

int sgang_mixed_try_walks(struct mixed *mixed)
{
	/* all on one node: there is nothing to lay out */
	if (mixed->request->max_level < sgang_plan_lowest(mixed->request))
		return 0;
	return walk_worth(mixed) < 0 ? -1 : 0;
}
