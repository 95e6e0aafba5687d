/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_nodes.h - the conductor's calls to slurmctld about nodes
 *
 * The nodes a job could use, when they are free, their resources, and why these
 * are not enough.
 */

#ifndef SGANG_HOST_NODES_H
#define SGANG_HOST_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
		bool apart; /* no resource: keeps requests that may be refused
			     * together on different nodes */
	} dim[SGANG_PLAN_DIMS];
	/* Kinds of nodes on which the same request takes different amounts. */
	uint32_t n_types;
	uint32_t type[SGANG_NODE_TYPES]; /* the host's own */
};

/* The length of what one of a resource is called: "CPU" of "CPUs", "MB" of "MB
 * of memory". A GRES has the name that its site gave it. */
static inline int sgang_resource_one(const char *name)
{
	size_t length = strcspn(name, " ");
	bool many = length > 3 && !strncmp(name + length - 3, "PUs", 3);

	return (int)(length - many);
}

/* Why no piece of a job fits on a node. To add one: a row in nofit_report.c
 * too, and in sgang.1. A node has one cause: the first that holds, from the end
 * of the list, because a repair or the end of other jobs does not help for a
 * node that the job does not ask for. */
enum sgang_cause {
	/* used by other jobs, at least in part */
	SGANG_CAUSE_BUSY, /* CPUs, or some of a whole node */
	SGANG_CAUSE_BUSY_MEMORY,
	SGANG_CAUSE_BUSY_GPUS,
	SGANG_CAUSE_BUSY_GRES,
	SGANG_CAUSE_KEPT,  /* for others, by us; never set by the host */
	SGANG_CAUSE_OTHER, /* Slurm has a reason of its own; as
			    * above */
	/* out of service for the job */
	SGANG_CAUSE_RESERVED, /* before the job would end */
	SGANG_CAUSE_DOWN,
	SGANG_CAUSE_DRAINED,
	/* too small, even when empty */
	SGANG_CAUSE_GPUS,
	SGANG_CAUSE_GRES,
	SGANG_CAUSE_MEMORY,
	SGANG_CAUSE_CPUS,
	/* not requested */
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
	uint64_t nodes;  /* without any job */
};

/* Nodes that the scheduler has set aside for a job that waits. Seconds since the
 * epoch. */
struct sgang_set_aside {
	struct sgang_job *job;
	uint32_t job_id;
	int64_t from, until; /* its planned start, and the end of its time limit
			      * then */
	const struct sgang_nodeset *nodes;
};

/* The most that an attempt is told of: each is a list of names to read. */
#define SGANG_SET_ASIDE_MAX 256

struct sgang_host_nodes {
	uint32_t (*count)(void);
	/* Update the free amounts. */
	void (*refresh)(void);
	/* Add all nodes that take no new job: down, drained and the like. */
	void (*unavailable)(struct sgang_nodeset *nodes);
	/* Add all nodes that have not registered with this slurmctld yet. These
	 * nodes take no new job either. */
	void (*unregistered)(struct sgang_nodeset *nodes);
	/* Add all nodes that an administrator drains, whatever runs on them:
	 * drained, draining, failing. */
	void (*draining)(struct sgang_nodeset *nodes);
	/* The effective Weight by node for such a job: a powered-down node comes
	 * after all others, as in Slurm, and in a partition with LLN=YES, of
	 * nodes of one Weight, a loaded one after one that is less so. False:
	 * all nodes weigh the same, and 'weight' is untouched. */
	bool (*weights)(struct sgang_job *job, uint32_t *weight);
	/* From now on probes and commits are about what Slurm tries first:
	 * MAGNETIC reservations, and when it is called again, the features of
	 * --prefer. 'n' 0: about all that it tries, as at first. False, and the
	 * same: no more such thing is there for any of the jobs. May be NULL. */
	bool (*prefer)(struct sgang_job *const *jobs, size_t n);
	/* Where others reach the node, its NodeAddr: the host's, until the node
	 * has another one. */
	const char *(*address)(uint32_t node);
	/* Read and set a node's Extra field (NULL or "": empty); the text is
	 * the host's until set again. */
	const char *(*extra)(uint32_t node);
	void (*set_extra)(uint32_t node, const char *text);

	/* Send this text to the steps of gangs on these nodes, soon and without
	 * the locks. Nodes that cannot be reached within some seconds miss it.
	 */
	void (*tell)(const struct sgang_nodeset *nodes, const char *text);

	/* Find the nodes that the job could use now, by all of Slurm's rules
	 * except free cores and GRES, those after running jobs have ended, and
	 * its needs. Both sets must be empty. Returns 0, or -1 with 'why'
	 * filled. Changes nothing. */
	int (*probe)(struct sgang_job *job, struct sgang_nodeset *usable,
		     struct sgang_nodeset *ever, struct sgang_shape *shape,
		     char *why, size_t why_size);
	/* The name of the topology of the job's partition; "": none. Called
	 * only when there are several. */
	void (*topology)(struct sgang_job *job, char name[SGANG_TOPOLOGY_NAME]);
	/* Add the nodes that the job requires. */
	void (*required)(struct sgang_job *job, struct sgang_nodeset *nodes);
	/* All nodes of the job's partition. */
	void (*partition)(struct sgang_job *job, struct sgang_nodeset *nodes);

	/* For each node, when the last of its jobs reaches its time limit, in
	 * seconds since the epoch; 0: no job, INT64_MAX: never. */
	void (*releases)(int64_t *free_at);
	/* Call 'f' for jobs that wait, have nodes set aside from a later moment
	 * on, and are wanted; not for more than SGANG_SET_ASIDE_MAX. */
	void (*set_aside)(bool (*wants)(struct sgang_job *job, uint32_t job_id,
					void *arg),
			  void (*f)(const struct sgang_set_aside *s, void *arg),
			  void *arg);
	/* The number of jobs on these nodes without a time limit, and the first
	 * 'max' of them. */
	size_t (*endless)(const struct sgang_nodeset *nodes, uint32_t *job_ids,
			  size_t max);

	/* The number of idle nodes: nodes without any job. */
	uint32_t (*idle)(const struct sgang_nodeset *nodes);
	/* Add the nodes where that happened after freed() (host.h) was 'since'.
	 */
	void (*freed_since)(uint64_t since, struct sgang_nodeset *nodes);
	/* The sum of their free resources. */
	void (*room)(const struct sgang_nodeset *nodes,
		     struct sgang_room *room);
	/* The number of pieces of the job's size for one node that fit on each
	 * node of 'nodes' (the other entries become 0): now, or on an empty
	 * cluster. */
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
	/* The job's share of each island of the node: GPUs, or cores if it has
	 * none. False: not known. Only when there are devices. */
	bool (*islands)(struct sgang_job *job, uint32_t node,
			uint32_t part[SGANG_ISLANDS_MAX]);
	/* Why no piece of it fits on each node now: an enum sgang_cause by
	 * node. 'scarce' (may be NULL): the resource that more pieces would use
	 * up first, one of the kinds of busy; undefined for a node on which
	 * none fits. */
	void (*causes)(struct sgang_job *job, const struct sgang_shape *shape,
		       uint8_t *cause, uint8_t *scarce);

	/* The resources that limit these requests, and in 'type' the kind of
	 * each node. */
	void (*resources)(const struct sgang_asked *asked, size_t n,
			  struct sgang_resources *resources, uint8_t *type);
	/* The need of a piece of the request: n_dims numbers for each type of
	 * nodes, as in core/plan/plan.h. */
	void (*need)(const struct sgang_asked *asked,
		     const struct sgang_resources *resources, uint32_t *need);
	/* The least that the whole job takes, n_dims numbers; 0 for a resource
	 * that is not counted here. */
	void (*takes)(struct sgang_job *job,
		      const struct sgang_resources *resources, uint64_t *takes);
	/* The resources of each node: n_dims numbers by node, now or on the
	 * empty cluster. */
	void (*amounts)(const struct sgang_resources *resources, bool empty,
			uint32_t *amounts);
};

#endif
