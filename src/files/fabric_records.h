/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_records.h - what scontrol show topology prints, as a topology.yaml
 *
 *   SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-16]
 *   SwitchName=leaf2 Level=0 LinkSpeed=1
 *   SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-16] Switches=leaf[1-2]
 *
 *   BlockName=b1 BlockIndex=0 Nodes=n[1-16] BlockSize=16
 *   BlockName=b2 BlockIndex=1 Nodes=n[17-32] BlockSize=16
 *   AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-32] BlockSize=32
 *
 * Source: Slurm 26.05.
 */

#ifndef SGANG_FABRIC_RECORDS_H
#define SGANG_FABRIC_RECORDS_H

/* The text of a topology.yaml with this one topology, called "default", for
 * free(); NULL with ENOMEM, or EINVAL if there is neither a switch nor a block,
 * or a line was cut by SLURM_TOPO_LEN. */
char *sgang_fabric_records_yaml(const char *records);

#endif
