/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topos.h - what is inside each node of a cluster
 *
 * Two places say it, the first goes first:
 *
 *   gang.conf                NodeTopology=n[1-64] Hwloc=dgx-h100.xml
 *   node-topology/nodes.conf NodeTopology=m[1-9] Hwloc=shape-1.xml
 *
 * The second is a folder that `sgang topology collect` fills: nodes.conf has
 * lines as gang.conf has them, and beside it are the files they name. A path in
 * either that does not begin with '/' begins in the folder of the file it is
 * in. A node that neither names has no description.
 */

#ifndef SGANG_NODE_TOPOS_H
#define SGANG_NODE_TOPOS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/node_topo.h"
#include "core/gang/conf.h"
#include "files/paths.h"

/* The names of the files of `sgang topology collect`. */
#define SGANG_NODE_TOPOLOGY_DIR "node-topology"
#define SGANG_NODE_TOPOLOGY_MAP "nodes.conf"

struct sgang_node_topos;

/* The folder for collected files: NodeTopologyDir=, by default
 * SGANG_NODE_TOPOLOGY_DIR, in 'dir', the folder of gang.conf, which need not
 * exist. Returns 0, or -1 with ENAMETOOLONG and 'err'. */
int sgang_node_topos_dir(const struct sgang_conf *conf, const char *dir,
			 char path[SGANG_PATH], struct sgang_error *err);

/* Read the descriptions of the nodes 'names', each file once. 'dir' as above. A
 * node in 'conf' that is not among the names is ignored, for the hosts of a
 * site share files; so is a folder without SGANG_NODE_TOPOLOGY_MAP. Costs a
 * pointer a node, and each file once.
 *
 * Returns them, to free with sgang_node_topos_destroy(), or NULL with errno and
 * 'err', which names the file: what sgang_conf_load() and
 * sgang_node_topo_load() say, ENOMEM. */
struct sgang_node_topos *sgang_node_topos_load(const struct sgang_conf *conf,
					       const char *dir,
					       const char *const *names,
					       uint32_t n_names,
					       struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_node_topos_destroy(struct sgang_node_topos *topos);

/* A description for each name, or NULL. Borrowed until they are destroyed;
 * nodes with the same file share one. */
const struct sgang_node_topo *const *
sgang_node_topos_array(const struct sgang_node_topos *topos);

/* How many nodes are described. */
uint32_t sgang_node_topos_described(const struct sgang_node_topos *topos);

#endif
