/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_shape.h - what is inside a node, without a file that describes it */

#ifndef TESTS_UNIT_NODE_SHAPE_H
#define TESTS_UNIT_NODE_SHAPE_H

#include <inttypes.h>
#include <stdio.h>

#include "core/fabric/node_topo.h"

/* A node of 'islands' equal islands, each with 'gpus' GPUs and 'cores' cores,
 * numbered one island after the other; without network cards. Its addresses
 * are made up. NULL with errno as sgang_node_topo_alloc(). */
static inline struct sgang_node_topo *
node_shape(const char *name, uint32_t islands, uint32_t gpus, uint32_t cores)
{
	struct sgang_node_topo *topo;
	uint32_t i;

	topo = sgang_node_topo_alloc(islands, islands * gpus, islands * cores,
				     0, NULL);
	if (!topo)
		return NULL;
	snprintf(topo->name, sizeof(topo->name), "%s", name);
	for (i = 0; i < islands; i++) {
		topo->island[i].n_gpus = gpus;
		topo->island[i].n_cores = cores;
	}
	for (i = 0; i < topo->n_gpus; i++) {
		struct sgang_gpu *gpu = &topo->gpu[i];

		snprintf(gpu->name, sizeof(gpu->name), "gpu%" PRIu32, i);
		snprintf(gpu->bus, sizeof(gpu->bus), "%04x:%02x:00.0",
			 i >> 8 & 0xffff, i & 0xff);
		gpu->island = i / gpus;
	}
	for (i = 0; i < topo->n_cores; i++)
		topo->core_island[i] = i / cores;
	return topo;
}

#endif
