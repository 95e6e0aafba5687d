/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registering.c - nodes that this slurmctld has not heard of yet
 *
 * After a restart of slurmctld an idle node takes no job until it has
 * registered, a few seconds later. Such a node is not out of service, so what
 * was planned on it before the restart waits for it, but not for long.
 */

#include "conductor_private.h"

#define REGISTER_SECONDS 60

void sgang_registering(const struct sgang_conductor *c,
		       struct sgang_nodeset *nodes)
{
	if (c->host->now() < c->fresh_since + REGISTER_SECONDS)
		c->host->nodes.unregistered(nodes);
}

void sgang_out_of_service(const struct sgang_conductor *c,
			  struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *soon =
		sgang_nodeset_create(c->host->nodes.count());

	c->host->nodes.unavailable(nodes);
	if (soon) {
		sgang_registering(c, soon);
		sgang_nodeset_subtract(nodes, soon);
	}
	sgang_nodeset_destroy(soon);
}

bool sgang_registering_any(const struct sgang_conductor *c,
			   const struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *soon =
		sgang_nodeset_create(c->host->nodes.count());
	bool any = false;

	if (soon) {
		sgang_registering(c, soon);
		any = sgang_nodeset_intersects(soon, nodes);
	}
	sgang_nodeset_destroy(soon);
	return any;
}
