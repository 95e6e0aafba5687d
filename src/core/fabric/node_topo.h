/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo.h - what is inside a node: islands, GPUs, cores, network cards
 *
 *                        node
 *               /                    \
 *          island 0                island 1
 *     GPU 0 1 2 3  core 0-23   GPU 4 5 6 7  core 24-47     ib0 ib1 ...
 *
 * An island (behaviours 4.14, 4.17) is a part of a node whose GPUs reach each
 * other by NVLink or xGMI; where there is no such link, the GPUs and cores that
 * share a NUMA node or a PCIe host bridge. files/node_topo_hwloc.h makes
 * islands of a machine's description. A node without a description is one
 * island and has no struct sgang_node_topo at all: a NULL.
 *
 * Every island has at least one slot: a GPU on a node with GPUs, else a core.
 * Islands are numbered by the first slot they hold.
 */

#ifndef SGANG_NODE_TOPO_H
#define SGANG_NODE_TOPO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

/* More than any machine has; what is larger is refused, so that the sizes that
 * are made of them do not overflow. */
#define SGANG_NODE_GPUS_MAX 1024
#define SGANG_NODE_CORES_MAX 65533 /* CPUs that Slurm counts on a node */
#define SGANG_NODE_NICS_MAX 1024

#define SGANG_NODE_NAME_SIZE 64

struct sgang_island {
	uint32_t n_gpus;
	uint32_t n_cores;
};

struct sgang_gpu {
	char name[16]; /* "cuda0", "nvml3", ...; "gpu5" when
			* nothing names it */
	char bus[20];  /* PCI address, "0000:1b:00.0" */
	uint32_t island;
	char nic[32]; /* nearest card, "mlx5_0"; "": none */
};

struct sgang_nic {
	char name[32]; /* "mlx5_0", "eth0" */
	char bus[20];  /* PCI address; "": not on PCI */
	uint32_t island;
};

struct sgang_node_topo {
	char name[SGANG_NODE_NAME_SIZE]; /* of the shape, "dgx-h100" */
	uint32_t n_islands;              /* 1 or more */
	struct sgang_island *island;
	uint32_t n_gpus;
	struct sgang_gpu *gpu; /* gpu[i] is index i of the node's
				* gres/gpu */
	uint32_t n_cores;
	uint32_t *core_island; /* by Slurm's abstract core number on
				* the node: socket by socket */
	uint32_t n_nics;
	struct sgang_nic *nic; /* in the order of their PCI address */
};

/* Room for that many of each, all bytes zero but the counts, to be filled in.
 * Returns one to destroy, or NULL with errno and 'err': EINVAL no island,
 * islands without any slot, or more than the limits. */
struct sgang_node_topo *sgang_node_topo_alloc(uint32_t islands, uint32_t gpus,
					      uint32_t cores, uint32_t nics,
					      struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_node_topo_destroy(struct sgang_node_topo *topo);

/* How many GPUs a text of Slurm's about gres names: the Gres= of a node,
 * "gpu:a100:4(S:0),gpu:4,nic:2", or what is used, "gpu:(null):2(IDX:0-1)". NULL
 * is none. A number that is too large counts as UINT32_MAX. */
uint64_t sgang_node_topo_gres(const char *gres);

/* Check a description against the cores and GPUs that Slurm gives for the node.
 * A node without gres/gpu may have any: Slurm gives out none of them. Threads
 * do not count, because they have no place of their own. A description with
 * more islands than SGANG_ISLANDS_MAX does not fit. Returns 0, or -1 with
 * EINVAL and 'err': what does not fit, and how to fix it. The node then counts
 * as one island. */
int sgang_node_topo_fits(const struct sgang_node_topo *topo, uint32_t cores,
			 uint64_t gpus, struct sgang_error *err);

/* True if both have the same inside. The name of the shape does not count. */
bool sgang_node_topo_equal(const struct sgang_node_topo *a,
			   const struct sgang_node_topo *b);

#endif
