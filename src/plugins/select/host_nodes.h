/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_nodes.h - what the conductor asks of slurmctld about nodes
 *
 * Which nodes a job could use, when they are free, what is on them and why that
 * is not enough.
 */

#ifndef SGANG_HOST_NODES_H
#define SGANG_HOST_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/nodeset.h"
#include "core/fabric/devices.h"
#include "core/fabric/partition_words.h"
#include "core/plan/plan.h"
#include "host_jobs.h"

/* A request that is counted together with others. */
struct sgang_asked {
	struct sgang_job *job;
	const struct sgang_shape *shape;
};

/* The resources in which requests are counted together, as the dimensions of a
 * plan: CPUs, memory where it is counted, each kind of GRES, each type of them
 * that is asked for. Where there are more, the last are not counted. */
#define SGANG_NODE_TYPES 16
struct sgang_resources {
	uint32_t n_dims;
	struct {
		char name[48];           /* "CPUs", "MB of memory", "GPUs" */
		uint32_t kind, id, type; /* the host's own */
		const void *of;
		bool apart; /* nothing: keeps requests that may be
			     * refused beside each other on
			     * different nodes */
	} dim[SGANG_PLAN_DIMS];
	/* Kinds of nodes on which the same request takes different amounts. */
	uint32_t n_types;
	uint32_t type[SGANG_NODE_TYPES]; /* the host's own */
};

/* Why no piece of a job fits on a node. To add one: a row in nofit_report.c
 * too, and in sgang.1. A node has one cause: the first that holds, from the end
 * of the list on, since to repair, to wait or to end other jobs is of no use
 * for a node that is not what the job asks for. */
enum sgang_cause {
	/* other jobs have it, or so much of it that too little is left */
	SGANG_CAUSE_BUSY, /* CPUs, or some of a whole node */
	SGANG_CAUSE_BUSY_MEMORY,
	SGANG_CAUSE_BUSY_GPUS,
	SGANG_CAUSE_BUSY_GRES,
	SGANG_CAUSE_KEPT,  /* for others, by us; told by no host */
	SGANG_CAUSE_OTHER, /* Slurm has a reason of its own; as
			    * above */
	/* it is out of service for the job */
	SGANG_CAUSE_RESERVED, /* before the job would end */
	SGANG_CAUSE_DOWN,
	SGANG_CAUSE_DRAINED,
	/* too little, even when it is empty */
	SGANG_CAUSE_GPUS,
	SGANG_CAUSE_GRES,
	SGANG_CAUSE_MEMORY,
	SGANG_CAUSE_CPUS,
	/* not what is asked for */
	SGANG_CAUSE_FEATURE,
	SGANG_CAUSE_RESERVATION, /* not in the job's */
	SGANG_CAUSE_REQUESTED,   /* not among the nodes requested */
	SGANG_CAUSE_EXCLUDED,
	SGANG_CAUSE_PARTITION,
	SGANG_CAUSES,
	SGANG_CAUSE_NONE = SGANG_CAUSES /* a piece fits */
};

/* Free resources. */
struct sgang_room {
	uint64_t cpus;
	uint64_t memory; /* MB */
	uint64_t nodes;  /* nobody has any part of them */
};

struct sgang_host_nodes {
	uint32_t (*count)(void);
	/* Let the numbers of what is free be up to date. */
	void (*refresh)(void);
	/* Add all nodes that take no new job: down, drained and the like. */
	void (*unavailable)(struct sgang_nodeset *nodes);
	/* Add all nodes that have not registered with this slurmctld yet. These
	 * nodes take no new job either. */
	void (*unregistered)(struct sgang_nodeset *nodes);
	/* Add all nodes that somebody takes out of service, whatever runs on
	 * them: drained, draining, failing. */
	void (*draining)(struct sgang_nodeset *nodes);
	/* By node, what counts as its Weight: one that is powered down comes
	 * after all others, as in Slurm. False: all nodes weigh the same, and
	 * 'weight' is untouched. */
	bool (*weights)(uint32_t *weight);
	/* A node's field for anybody's text (NULL or "": empty), which the host
	 * keeps until it is set; set it. */
	const char *(*extra)(uint32_t node);
	void (*set_extra)(uint32_t node, const char *text);

	/* Send this text to the steps of gangs on these nodes, soon and without
	 * the locks. Nodes that cannot be reached within some seconds miss it.
	 */
	void (*tell)(const struct sgang_nodeset *nodes, const char *text);

	/* Which nodes could the job use right now, by all of Slurm's rules but
	 * the free cores and GRES, which when the jobs that run have ended, and
	 * what does it need of them? Both sets come in empty. Returns 0, or -1
	 * with 'why' filled. Changes nothing. */
	int (*probe)(struct sgang_job *job, struct sgang_nodeset *usable,
		     struct sgang_nodeset *ever, struct sgang_shape *shape,
		     char *why, size_t why_size);
	/* The name of the topology that the job's partition has for itself; "":
	 * none. Called only when there are several. */
	void (*topology)(struct sgang_job *job, char name[SGANG_TOPOLOGY_NAME]);
	/* Add the nodes that must be among those of the job. */
	void (*required)(struct sgang_job *job, struct sgang_nodeset *nodes);
	/* The nodes the job's partition has at all. */
	void (*partition)(struct sgang_job *job, struct sgang_nodeset *nodes);

	/* For each node, when the last of its jobs reaches its time limit, in
	 * seconds since the epoch; 0: no job, INT64_MAX: never. */
	void (*releases)(int64_t *free_at);
	/* The jobs that have any of these nodes and never reach a time limit:
	 * how many they are, and the first 'max' of them. */
	size_t (*endless)(const struct sgang_nodeset *nodes, uint32_t *job_ids,
			  size_t max);

	/* How many of the nodes are idle: nobody has any part of them. */
	uint32_t (*idle)(const struct sgang_nodeset *nodes);
	/* The sum of what is free on them. */
	void (*room)(const struct sgang_nodeset *nodes,
		     struct sgang_room *room);
	/* How many pieces of the job's size for one node fit on each node of
	 * 'nodes' (the other entries become 0): right now, or if the cluster
	 * were empty. */
	void (*units)(struct sgang_job *job, const struct sgang_shape *shape,
		      const struct sgang_nodeset *nodes, bool empty,
		      uint32_t *units);
	/* The same as units(), but by island, as the conductor's devices number
	 * them: pieces that fit into one island each, together not more than
	 * units() says of the node. Called only when there are devices. */
	void (*island_units)(struct sgang_job *job,
			     const struct sgang_shape *shape,
			     const struct sgang_nodeset *nodes, bool empty,
			     uint32_t *units);
	/* How much of each island of the node the job has: GPUs, or cores where
	 * it has none. False when nobody knows. Only when there are devices. */
	bool (*islands)(struct sgang_job *job, uint32_t node,
			uint32_t part[SGANG_ISLANDS_MAX]);
	/* Why does no piece of it fit on each node now? An enum sgang_cause by
	 * node. And ('scarce' may be NULL) what would be used up first by more
	 * pieces: one of the kinds of busy; of a node on which none fits it
	 * means nothing. */
	void (*causes)(struct sgang_job *job, const struct sgang_shape *shape,
		       uint8_t *cause, uint8_t *scarce);

	/* The resources that decide about all of these requests, and in 'type'
	 * the kind of each node. */
	void (*resources)(const struct sgang_asked *asked, size_t n,
			  struct sgang_resources *resources, uint8_t *type);
	/* The need of a piece of the request: n_dims numbers for each type of
	 * nodes, as in core/plan.h. */
	void (*need)(const struct sgang_asked *asked,
		     const struct sgang_resources *resources, uint32_t *need);
	/* The least that the whole job takes, n_dims numbers; 0 for a resource
	 * that is not counted here. */
	void (*takes)(struct sgang_job *job,
		      const struct sgang_resources *resources, uint64_t *takes);
	/* The resources of each node: n_dims numbers by node, right now, or on
	 * the empty cluster. */
	void (*amounts)(const struct sgang_resources *resources, bool empty,
			uint32_t *amounts);
};

#endif
