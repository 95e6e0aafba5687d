/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drains.c - nodes that drain, perhaps while a gang runs on them
 *
 * The nodes are read when one has changed. Gangs are checked when the set of
 * draining nodes has changed.
 */

#include <stdlib.h>

#include "conductor_private.h"
#include "core/base/hash.h"

void sgang_drains_forget(struct sgang_conductor *c)
{
	sgang_nodeset_destroy(c->drains.nodes);
	sgang_nodeset_destroy(c->drains.some);
	c->drains.nodes = c->drains.some = NULL;
}

void sgang_drains_look(struct sgang_conductor *c)
{
	uint64_t stamp = c->host->node_stamp();
	uint32_t n = c->host->nodes.count();
	struct sgang_nodeset *nodes, *some;

	if (c->drains.nodes && c->drains.stamp == stamp &&
	    sgang_nodeset_size(c->drains.nodes) == n)
		return;
	nodes = sgang_nodeset_create(n);
	some = sgang_nodeset_create(n);
	if (!nodes || !some) { /* the next pass tries again */
		sgang_nodeset_destroy(nodes);
		sgang_nodeset_destroy(some);
		return;
	}
	c->host->nodes.draining(nodes);
	if (!c->drains.nodes || !sgang_nodeset_equal(nodes, c->drains.nodes))
		c->drains.version++;
	sgang_drains_forget(c);
	c->drains.nodes = nodes;
	c->drains.some = some;
	c->drains.any = sgang_nodeset_next(nodes, 0) != SGANG_NODE_NONE;
	c->drains.stamp = stamp;
}

bool sgang_drains_has(const struct sgang_conductor *c, uint32_t node)
{
	return c->drains.nodes && sgang_nodeset_has(c->drains.nodes, node);
}

bool sgang_drains_under(struct sgang_conductor *c, struct sgang_job *job)
{
	if (!c->drains.nodes || !c->drains.any)
		return false;
	sgang_nodeset_clear(c->drains.some);
	c->host->jobs.nodes(job, c->drains.some);
	return sgang_nodeset_intersects(c->drains.some, c->drains.nodes);
}

/* By name, because a restart may give nodes other numbers. */
uint32_t sgang_drains_hash(struct sgang_conductor *c, struct sgang_job *job,
			   uint32_t rank)
{
	struct sgang_nodeset *on = c->drains.some;
	uint32_t sum = 0;

	if (!c->drains.nodes || !c->drains.any || !job)
		return 0;
	sgang_nodeset_clear(on);
	c->host->jobs.nodes(job, on);
	sgang_nodeset_and(on, c->drains.nodes);
	for (uint32_t n = sgang_nodeset_next(on, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(on, n + 1)) {
		uint64_t hash =
			sgang_hash_text(sgang_hash(SGANG_HASH_SEED, rank),
					sgang_fabric_node_name(c->fabric, n));

		sum += (uint32_t)(hash ^ hash >> 32);
	}
	return sum;
}
