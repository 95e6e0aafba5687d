/* SPDX-License-Identifier: GPL-2.0-or-later */
/* islands.h - the islands inside the nodes of a cluster that need not run
 *
 * NodeTopology lines of gang.conf describe nodes; a node without a description
 * is one island. Slot i of a described node is its GPU i or, where it has none,
 * its core i. The free slots of a node are its last ones, because Slurm gives
 * out the first ones first.
 */

#ifndef SGANG_ISLANDS_H
#define SGANG_ISLANDS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/devices.h"
#include "core/gang/conf.h"
#include "core/plan/place.h"

struct sgang_islands {
	struct sgang_devices *devices;
	uint32_t n_nodes;
	uint32_t slots;    /* of every node that is described */
	uint32_t **island; /* by node: islands of its slots; NULL:
			    * it is not described */
	struct sgang_node_topos *topos;
};

/* The descriptions of the nodes of 'fabric' in the gang.conf 'conf', which is
 * at 'path'. Returns 0 and '*inside' to destroy, which is NULL when no node is
 * described; or -1 with 'err': a description that cannot be read, nodes with
 * different numbers of slots, ENOMEM. */
int sgang_islands_load(const struct sgang_conf *conf, const char *path,
		       const struct sgang_fabric *fabric,
		       struct sgang_islands **inside, struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_islands_destroy(struct sgang_islands *inside);

/* The place of devices->fabric that contains the slot of the node. */
uint32_t sgang_islands_place(const struct sgang_islands *inside, uint32_t node,
			     uint32_t slot);

/* The inside of the nodes of that request. Returns 0, to be cleared; or -1 with
 * ENOMEM and 'err'. */
int sgang_islands_fill(const struct sgang_islands *inside,
		       const struct sgang_plan_request *request,
		       struct sgang_place_islands *islands,
		       struct sgang_error *err);
void sgang_islands_clear(struct sgang_place_islands *islands);

#endif
