/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_fabric.h - the fabric of a cluster that runs */

#ifndef SGANG_LIVE_FABRIC_H
#define SGANG_LIVE_FABRIC_H

#include <stddef.h>

#include "cmd/nodes.h"
#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/gang/conf.h"

/* Read the fabric by which jobs of these partitions are placed, as the select
 * plugin does: the cluster's where there are none, where they differ, and for
 * partitions that slurmctld does not have. 'conf' and 'dir' are those of
 * sgang_in_force_conf(). Returns the fabric, over the nodes in the order of
 * 'nodes', or NULL with 'err'. */
struct sgang_fabric *sgang_live_fabric(const struct sgang_nodes *nodes,
				       const struct sgang_conf *conf,
				       const char *dir,
				       const char *const *partitions, size_t n,
				       struct sgang_error *err);

#endif
