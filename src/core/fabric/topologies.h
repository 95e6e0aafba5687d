/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topologies.h - the topologies of one cluster
 *
 * Most clusters have one. Partitions may have one of their own; the nodes are
 * the same in all of them and have the same numbers, and so have the islands
 * inside them. Only the switches or blocks that join the nodes differ.
 */

#ifndef SGANG_TOPOLOGIES_H
#define SGANG_TOPOLOGIES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "devices.h"
#include "fabric.h"

struct sgang_topology {
	char *name; /* "": the cluster's */
	struct sgang_fabric *fabric;
	struct sgang_devices *devices; /* NULL: every node is one island */
};

/* One on which gangs cannot be placed. */
struct sgang_topology_barred {
	char *name;
	char *why; /* a sentence */
};

struct sgang_topologies {
	struct sgang_topology *topology; /* the first is the cluster's */
	size_t n;                        /* 1 or more */
	struct sgang_topology_barred *barred;
	size_t n_barred;
};

/* The cluster's is 'fabric', which is taken. NULL with ENOMEM and 'err'; the
 * fabric is then destroyed. */
struct sgang_topologies *sgang_topologies_create(struct sgang_fabric *fabric,
						 struct sgang_error *err);

/* Add one of the same nodes, which is taken; no other has that name. Returns 0,
 * or -1 with ENOMEM and 'err'; the fabric is then destroyed. */
int sgang_topologies_add(struct sgang_topologies *all, const char *name,
			 struct sgang_fabric *fabric, struct sgang_error *err);

/* Add one on which gangs cannot be placed; no other has that name. Returns 0,
 * or -1 with ENOMEM and 'err'. */
int sgang_topologies_bar(struct sgang_topologies *all, const char *name,
			 const char *why, struct sgang_error *err);

/* Why gangs cannot be placed on the one of that name; NULL: they can. */
const char *sgang_topologies_barred(const struct sgang_topologies *all,
				    const char *name);

/* The one of that name; without it ("", or unknown) the cluster's. */
const struct sgang_topology *
sgang_topologies_find(const struct sgang_topologies *all, const char *name);

/* Look inside the nodes anew: node i has islands[i] islands (devices.h), or one
 * each with NULL. Returns 0, or -1 with ENOMEM or EINVAL and 'err'; then all
 * nodes count as one island. */
int sgang_topologies_look_inside(struct sgang_topologies *all,
				 const uint32_t *islands,
				 struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_topologies_destroy(struct sgang_topologies *all);

#endif
