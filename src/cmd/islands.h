/* SPDX-License-Identifier: GPL-2.0-or-later */
/* islands.h - the islands inside the nodes of a cluster that need not run
 *
 * NodeTopology lines of gang.conf describe nodes; those that none describes
 * are one island. Slot i of a described node is its GPU i or, where it has
 * none, its core i. Of a node of which some slots are free these are the last
 * ones: Slurm gives out the first ones first.
 *
 * As in slurmctld, members of one node each that an island has room for are
 * planned by islands. Others are planned by nodes, and their slots then put
 * into as few islands as the nodes allow.
 */

#ifndef SGANG_ISLANDS_H
#define SGANG_ISLANDS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/devices.h"
#include "core/gang/conf.h"
#include "core/plan/explain.h"
#include "core/plan/plan.h"

struct sgang_islands {
	struct sgang_devices *devices;
	uint32_t n_nodes;
	uint32_t slots;    /* of every node that is described */
	uint32_t **island; /* by node: islands of its slots; NULL:
			    * it is not described */
	struct sgang_node_topos *topos;
};

/* What the gang.conf 'conf', which is at 'path', says of the nodes of 'fabric'.
 * Returns 0 and '*inside' to destroy, which is NULL when it describes none of
 * them; or -1 with 'err': a description that cannot be read, nodes with
 * different numbers of slots, ENOMEM. */
int sgang_islands_load(const struct sgang_conf *conf, const char *path,
		       const struct sgang_fabric *fabric,
		       struct sgang_islands **inside, struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_islands_destroy(struct sgang_islands *inside);

/* The place of devices->fabric that the slot of the node is in. */
uint32_t sgang_islands_place(const struct sgang_islands *inside, uint32_t node,
			     uint32_t slot);

/* sgang_explain_plan() for a request of nodes; the runs of '*placement' are
 * over islands, places of devices->fabric, and the rows of 'nofit' are domains
 * of it. 'others' (NULL: not asked for) are as sgang_explain_others() has them;
 * none, where the costs of other places are known by nodes only. */
int sgang_islands_plan(const struct sgang_islands *inside,
		       const struct sgang_plan_request *request,
		       struct sgang_placement **placement,
		       struct sgang_others *others, struct sgang_nofit *nofit,
		       struct sgang_error *err);

/* Runs over nodes, in 'request', as runs over islands. Returns 0 and '*out', to
 * be freed, or -1 with ENOMEM and 'err'. */
int sgang_islands_lay(const struct sgang_islands *inside,
		      const struct sgang_plan_request *request,
		      const struct sgang_run *runs, size_t n_runs,
		      struct sgang_run **out, size_t *n_out,
		      struct sgang_error *err);

#endif
