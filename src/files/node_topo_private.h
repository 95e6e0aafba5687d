/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo_private.h - what the files that read hwloc's description share */

#ifndef SGANG_NODE_TOPO_PRIVATE_H
#define SGANG_NODE_TOPO_PRIVATE_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/node_topo.h"

#define SGANG_ISLAND_NONE UINT32_MAX

/* A GPU or a network card. */
struct sgang_device {
	hwloc_obj_t obj;   /* the PCI device; of a card that is on
			    * none, the card itself */
	hwloc_obj_t place; /* the lowest thing with CPUs above */
	char name[32];
	uint32_t number; /* what NVML or RSMI calls it;
			  * UINT32_MAX: nothing */
	bool fabric;     /* a card of InfiniBand and its like */
	uint32_t island;
};

/* The contents of a description. The arrays belong to this struct, the objects
 * to 'hw'. */
struct sgang_machine {
	hwloc_topology_t hw;
	struct sgang_device *gpu;
	uint32_t n_gpus;
	struct sgang_device *nic;
	uint32_t n_nics;
	hwloc_obj_t *core; /* or threads, where no core is known */
	uint32_t n_cores;
	uint32_t *core_island;
	uint32_t n_islands;
};

/* May hwloc read this text? Returns 0, or -1 with EINVAL and 'err', which
 * begins with 'label', where possible with the line, too. */
int sgang_hwloc_text_check(const char *xml, const char *label,
			   struct sgang_error *err);

/* Fill in gpu, nic and core, in their final order, islands unknown. Return 0,
 * or -1 with errno and 'err': EINVAL too many, ENOMEM. */
int sgang_machine_find_gpus(struct sgang_machine *machine,
			    struct sgang_error *err);
int sgang_machine_find_nics(struct sgang_machine *machine,
			    struct sgang_error *err);
int sgang_machine_find_cores(struct sgang_machine *machine,
			     struct sgang_error *err);

/* Say of GPUs, cores and cards, once they are found, which island they are in.
 * Returns 0, or -1 with ENOMEM. */
int sgang_machine_find_islands(struct sgang_machine *machine,
			       struct sgang_error *err);

/* How many objects lie between the top of the description and the lowest one
 * that holds both. */
uint32_t sgang_device_nearness(const struct sgang_device *a,
			       const struct sgang_device *b);

/* For each GPU the index of its nearest card, UINT32_MAX: there is none; once
 * the islands are known. The caller frees it. NULL without memory. */
uint32_t *sgang_machine_nearest_nics(const struct sgang_machine *machine);

#endif
