/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_tree.h - the topologies that slurmctld has
 *
 * Since 25.05 a node can say where it is, by Topology= of slurm.conf, scontrol
 * update or slurmd --conf. Then slurmctld has another tree than the file.
 * Before, the tree is that of the file.
 *
 * All calls need slurmctld's lock on nodes.
 */

#ifndef SGANG_SLURM_TREE_H
#define SGANG_SLURM_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* All topologies as slurmctld has them, in the format of topology.yaml; of a
 * topology.conf one that is called "default". xfree() it. NULL: slurmctld has
 * none but what is in the file, or joins no nodes. */
char *sgang_slurm_tree_text(void);

/* By node: the leaf that it is on in this topology ("": the default one),
 * wherever else the text has it too; "": on none. NULL: where the text has it.
 * Of nodes that were created after slurmctld had built its topologies the text
 * may have what the file says. xfree() each and all; NULL: no node is such. */
char **sgang_slurm_tree_only(const char *topology);

/* Another number when a node may be in another place. Asked again while no node
 * changes, it looks at none. */
uint64_t sgang_slurm_tree_stamp(void);

/* True if the stamp may be another one since the last call. Needs no lock. */
bool sgang_slurm_tree_touched(void);

/* The TopologyPlugin, if it is one on which gangs cannot be placed; NULL:
 * they can. */
const char *sgang_slurm_tree_unknown(void);

#endif
