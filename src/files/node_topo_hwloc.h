/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo_hwloc.h - hwloc's description of a machine becomes islands
 *
 * The file is XML as `lstopo FILE.xml` or `sgang topology collect` writes it.
 *
 * GPUs (behaviours 4.27). A PCI device is a GPU when NVML, RSMI, Level Zero or
 * CUDA gave it a name in the description. If no device has such a name, the PCI
 * class of devices of NVIDIA, AMD and Intel decides (0300, 0302, 0380 and AMD's
 * 1200; but not Intel's 0300, the graphics of the screen).
 *
 * Their order is that of gres.conf: by the number of NVML (nvml0, nvml1, ...)
 * or RSMI where all have one, else by PCI address. Slurm's AutoDetect=nvml
 * sorts by PCI address, which is how NVML numbers them; /dev/nvidiaN has the
 * same numbers unless the driver was told otherwise.
 *
 * Islands of GPUs. Two GPUs are in one island when a chain of good links joins
 * them. Links are those of the matrices NVLinkBandwidth, XGMIBandwidth and
 * XeLinkBandwidth. Behind NVSwitches two GPUs have the bandwidth with which the
 * weaker of them reaches the switches; all switches of a node are one, for each
 * GPU is cabled to each. A link is good that has at least a quarter of the best
 * one's bandwidth. The quarter takes in all links of one kind: without a
 * switch, pairs of GPUs in one machine differ by one to four of the same links.
 * The quarter leaves out links of another kind: PCIe has about a seventh of
 * NVLink in each generation. Finer steps are of no use, because a ring of GPUs
 * is as slow as its slowest hop.
 *
 * GPUs without a good link are put together when they hang on the same NUMA
 * node; where the description does not know the NUMA node, when they hang on
 * the same PCIe host bridge.
 *
 * Cores. A core is in the island whose GPUs are near its NUMA node. If these
 * GPUs belong to several islands, the cores are dealt out in equal runs. If no
 * GPU is near, the GPUs of the package count, else those of the node. On a node
 * without GPUs the islands are the NUMA nodes; if there is but one, the
 * packages. Cores are numbered as Slurm numbers them: in hwloc's logical order,
 * package by package.
 *
 * Network cards. A GPU's card is the one with which it has the deepest object
 * of the description in common: the same PCIe switch, host bridge, NUMA node.
 * InfiniBand and its like go before Ethernet; of several that are as near,
 * those of its island, and of these the one that fewer GPUs have got before.
 */

#ifndef SGANG_NODE_TOPO_HWLOC_H
#define SGANG_NODE_TOPO_HWLOC_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/fabric/node_topo.h"

/* A description with all network cards, disks and 1,000 cores has 1 MB. */
#define SGANG_HWLOC_FILE_MAX (16 * 1024 * 1024)

/* Read the file 'path'. The shape gets the file's name, without folder and
 * ".xml". Returns one to free with sgang_node_topo_destroy(), or NULL with
 * errno and 'err', which names the file and says what to do: ENOENT and the
 * like (cannot be opened), EINVAL (too large, not a description, nothing in it,
 * more than the limits of node_topo.h), ENOMEM. */
struct sgang_node_topo *sgang_node_topo_load(const char *path,
					     struct sgang_error *err);

/* The same from memory; 'label' stands for the path in messages and in the name
 * of the shape. */
struct sgang_node_topo *sgang_node_topo_parse(const char *xml,
					      const char *label,
					      struct sgang_error *err);

#endif
