/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.h - the node records of slurmctld, and what jobs have on them
 *
 * Slots of a cluster are GPUs if any node has them, else CPUs. nodes_slurm.c
 * reads the records through libslurm; a build without Slurm has nodes_none.c in
 * its place.
 */

#ifndef SGANG_NODES_H
#define SGANG_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct sgang_noderow {
	char *name;
	uint32_t slots; /* GPUs or CPUs */
	uint32_t used;  /* of these, by jobs of any kind */
	bool down;      /* takes no new job: down, drained */
	bool draining;  /* it is being taken out of service */
};

/* The resources of a job on a node. */
struct sgang_share {
	uint32_t job_id;
	char *node;
	uint32_t slots;
};

/* A partition, and the topology that slurm.conf gives it, or NULL. */
struct sgang_partition {
	char *name, *topology;
};

/* Room for ClusterName, which Slurm limits to 40 letters. */
#define SGANG_CLUSTER_NAME 64

struct sgang_nodes {
	char cluster[SGANG_CLUSTER_NAME];
	struct sgang_noderow *row; /* in Slurm's order */
	size_t count;
	struct sgang_share *share; /* of gangs' jobs, in the order of
				    * sgang_nodes_sort() */
	size_t n_shares;
	struct sgang_partition *partition;
	size_t n_partitions;
	bool gpus;          /* slots are GPUs */
	bool topology_conf; /* TopologyPlugin reads a topology.conf */
	bool topology_yaml; /* Slurm reads a topology.yaml, if there
			     * is one, instead */
};

/* Returns 0 and '*nodes', to be emptied with sgang_nodes_clear(), or -1 with
 * 'err' filled. */
int sgang_nodes_load(struct sgang_nodes *nodes, struct sgang_error *err);
void sgang_nodes_clear(struct sgang_nodes *nodes);

/* The cores of a node in Slurm, and its Gres=, a string to be freed. Returns 0,
 * or -1 when no slurmctld can be asked, or there is no such node. */
int sgang_nodes_look(const char *node, uint32_t *cores, char **gres);

/* sgang_node_topo_gres(), of a picture at most UINT16_MAX. */
uint32_t sgang_nodes_gpus(const char *gres);

/* The partition of that name, or NULL. */
const struct sgang_partition *
sgang_nodes_partition(const struct sgang_nodes *nodes, const char *name);

/* Put the shares in the order in which sgang_nodes_share() looks for them. */
void sgang_nodes_sort(struct sgang_nodes *nodes);

/* The job's resources on the node; 0: none. */
uint32_t sgang_nodes_share(const struct sgang_nodes *nodes, uint32_t job_id,
			   const char *node);

#endif
