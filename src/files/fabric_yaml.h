/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_yaml.h - reads topology.yaml into the draft of a fabric
 *
 *   - topology: main
 *     cluster_default: true
 *     tree:
 *       switches:
 *         - switch: spine
 *           children: leaf[1-2]
 *         - switch: leaf1
 *           nodes: n[1-16]
 *         - switch: leaf2
 *           nodes: n[17-32]
 *   - topology: racks
 *     block:
 *       block_sizes: [ 16, 32 ]
 *       blocks:
 *         - block: b1
 *           nodes: n[1-16]
 *         - block: b2
 *           nodes: n[17-32]
 *   - topology: plain
 *     flat: true
 *
 * Source: topology.yaml(5) of Slurm 25.05 to 26.05.
 */

#ifndef SGANG_FABRIC_YAML_H
#define SGANG_FABRIC_YAML_H

#include <stdbool.h>

#include "core/base/err.h"

struct sgang_draft;

/* A topology of the file. */
struct sgang_topology_choice {
	const char *name; /* "": the default one */
	const char *by;   /* who says so, for messages:
			   * "TopologyName in gang.conf" */
};

/* True if 'text' is YAML rather than a topology.conf. */
bool sgang_fabric_is_yaml(const char *text);

/* True if no topology of 'text' says of what kind it is: scontrol show topoconf
 * prints so where there is a topology.conf. */
bool sgang_fabric_yaml_is_bare(const char *text);

/* Read the chosen topology of 'text' into 'draft'; the default one is the first
 * whose cluster_default is true, else the first of all. 'label' names the text
 * in messages. Topologies that are not chosen need a name and no more: they may
 * be of a kind that is not understood here. Of several kinds in one topology
 * those that are {} count as not there, as scontrol show topoconf prints them. A
 * flat topology, and one without switches or blocks, names no nodes: where the
 * draft does not know any they are those that all topologies of the file name. A
 * list of nodes or children may be a text, or several. 0, or -1 with errno (EINVAL what
 * is in it, ENOTSUP a kind on which gangs cannot be placed, ENOMEM) and 'err'. */
int sgang_fabric_read_yaml(struct sgang_draft *draft, const char *text,
			   const char *label,
			   const struct sgang_topology_choice *choice,
			   struct sgang_error *err);

#endif
