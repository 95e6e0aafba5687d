/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placer.h - nodes for one ordinary job, by ring cost */

#ifndef SGANG_PLACER_H
#define SGANG_PLACER_H

#include "core/fabric/fabric.h"
#include "core/gang/conf.h"
#include "host.h"

/* True if there is a choice: more than one node, and a fabric of more than one
 * domain. */
bool sgang_placer_concerns(const struct sgang_fabric *fabric,
			   const struct sgang_shape *shape);

/* Take out of 'nodes', of a cluster of so many, those on which no task of the
 * job could start now. Without memory none is. The caller has called refresh()
 * as below. */
void sgang_placer_with_room(const struct sgang_host *host, uint32_t n_nodes,
			    struct sgang_job *job,
			    const struct sgang_shape *shape,
			    struct sgang_nodeset *nodes);

/* Choose the nodes of 'usable', in one domain of this level, on which the ring
 * of the job's ranks is cheapest. Returns 1 and fills 'chosen' (an empty set
 * over all nodes), or 0 when it does not fit by our count or memory is short:
 * then Slurm decides. The caller has called refresh() of the host if the job
 * shares nodes. */
int sgang_placer_choose(const struct sgang_host *host,
			const struct sgang_fabric *fabric,
			const struct sgang_conf *conf, struct sgang_job *job,
			const struct sgang_shape *shape,
			const struct sgang_nodeset *usable, uint32_t level,
			struct sgang_nodeset *chosen);

#endif
