/* SPDX-License-Identifier: GPL-2.0-or-later */
/* devices.h - the fabric down to the islands inside nodes
 *
 *            leaf (2)                 leaf (2)
 *            /      \                 /      \
 *        n1          n2           n1 (1)     n2 (1)      nodes are domains
 *                                  /  \       /  \
 *                               n1:0 n1:1  n2:0 n2:1     islands, numbered
 *       a fabric                  its device fabric
 *
 * A device fabric is an ordinary fabric. Its places, where the planner puts
 * slots and between which the ring hops, are islands instead of nodes; its
 * lowest domains are the nodes, of level SGANG_LEVEL_NODE. All functions for
 * fabrics work on it. Two ranks in one island meet at the level ISLAND, two in
 * one node at NODE.
 */

#ifndef SGANG_DEVICES_H
#define SGANG_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/nodeset.h"
#include "fabric.h"
#include "ring.h"

/* No node has more. */
#define SGANG_ISLANDS_MAX 64

struct sgang_devices {
	struct sgang_fabric *fabric; /* of islands */
	uint32_t n_nodes;
	uint32_t *first; /* by node: its first island; those of
			  * node i are first[i] .. first[i + 1]
			  * - 1 */
	uint32_t *node;  /* by island */
};

/* Look inside the nodes of 'fabric': node i has islands[i] islands, 1 to
 * SGANG_ISLANDS_MAX. Returns NULL with errno EINVAL or ENOMEM and 'err'. */
struct sgang_devices *sgang_devices_create(const struct sgang_fabric *fabric,
					   const uint32_t *islands,
					   struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_devices_destroy(struct sgang_devices *devices);

/* How many islands the node has. */
uint32_t sgang_devices_islands(const struct sgang_devices *devices,
			       uint32_t node);

/* Do all nodes have as many? */
bool sgang_devices_alike(const struct sgang_devices *devices);

/* All islands of these nodes. NULL with ENOMEM. */
struct sgang_nodeset *sgang_devices_expand(const struct sgang_devices *devices,
					   const struct sgang_nodeset *nodes);

/* Runs over nodes as runs over islands: the ranks of each are shared out evenly
 * over all islands of its node, in their order. This is exact for members that
 * have whole nodes, and an estimate for others. Fills '*out' (free it) and
 * '*n_out'; -1 with ENOMEM. */
int sgang_devices_share_out(const struct sgang_devices *devices,
			    const struct sgang_run *runs, size_t n_runs,
			    struct sgang_run **out, size_t *n_out);

/* Into island i of a node 'room[i]' pieces fit, but into the node as a whole no
 * more than 'most' (memory is not the islands'). Say how many to count on in
 * each of the 'n' islands: as many as possible together, and what has to be
 * left of the room is left in islands that stay as they are. 'units' may be
 * 'room'. */
void sgang_devices_hand_out(const uint32_t *room, uint32_t n, uint32_t most,
			    uint32_t *units);

#endif
