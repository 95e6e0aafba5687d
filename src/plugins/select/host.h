/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - what the conductor asks of slurmctld, in our own types
 *
 * src/slurm/ implements these calls once per Slurm release; the unit tests
 * implement them over a toy cluster. A job is known by an opaque handle that is
 * valid until the locks are given back.
 */

#ifndef SGANG_HOST_H
#define SGANG_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/nodeset.h"
#include "core/fabric/devices.h"
#include "core/gang/conf.h"
#include "core/plan/plan.h"

/* What is so many seconds away never comes, and what takes so long never ends:
 * a year, which is what backfill makes of a job without a time limit. */
#define SGANG_NEVER_SECONDS (365 * 24 * 3600)

struct sgang_job; /* the host's own record of a job */

enum sgang_job_state {
	SGANG_JOB_PENDING,
	SGANG_JOB_CONFIGURING, /* has nodes, was not launched */
	SGANG_JOB_RUNNING,
	SGANG_JOB_ENDED
};

/* The Prolog on the nodes of a held job. One that fails is done, too; a moment
 * later Slurm takes the nodes from the job. */
enum sgang_prepared {
	SGANG_PREPARED_NOT,  /* not begun */
	SGANG_PREPARED_RUNS, /* on some node at least */
	SGANG_PREPARED_DONE,
	SGANG_PREPARED_NEEDLESS /* it runs at the launch, or later */
};

/* Did slurmctld launch it before it died? */
enum sgang_launch {
	SGANG_LAUNCH_NO,
	SGANG_LAUNCH_YES,    /* its node runs it, or it completed */
	SGANG_LAUNCH_UNKNOWN /* its node has not told yet */
};

/* Data of a job, copied or borrowed until the locks are given back. */
struct sgang_job_info {
	struct sgang_job *job;
	uint32_t job_id;
	uint32_t array_id; /* 0: no array */
	uint32_t task_id;  /* lowest pending task of an array */
	uint32_t tasks;    /* pending tasks of an array head, or 1 */
	uint32_t ranks;    /* tasks the job runs, 1 or more */
	enum sgang_job_state state;
	bool eligible;            /* pending and could start now */
	bool barred;              /* ... but requires nodes that are out of
				   * service: Slurm does not try it */
	bool parked;              /* by us */
	bool labelled;            /* its reason is a text of ours */
	uint64_t label;           /* of a pending job the hash (hash.h) of
				   * that text; 0: it is none of ours */
	bool stopped;             /* pending without priority: held */
	bool withdrawn;           /* configuring, and must not be launched:
				   * held by a user, or its deadline would
				   * be over before its end */
	bool failed;              /* ended, and not by completing */
	bool cancelled;           /* ... but by somebody's wish */
	enum sgang_launch launch; /* of a hold that was adopted, and of
				   * one that ended */
	uint32_t restarts;
	uint16_t tier; /* PriorityTier of its partition, the
			* lowest of several */
	uint32_t priority;
	int64_t submit_time;
	int64_t eligible_time;  /* not before that, as far as is known */
	const char *partitions; /* that it is in, or may be, "a,b" */
	uint32_t hold_max;      /* seconds its partition lets a job run;
				 * 0: no limit */
	uint32_t time_limit;    /* seconds; UINT32_MAX: none */
	int64_t expected;       /* of a pending job, when Slurm expects
				 * it to start; 0: not known */
	int64_t ends;           /* of a job that has nodes, when it
				 * reaches its time limit; INT64_MAX:
				 * never */
	uint32_t uid;
	const char *user;
	const char *comment; /* system_comment or NULL */
	char *const *env;    /* spank_job_env */
	size_t n_env;
};

/* Needs of a member on its nodes, found by probe(). */
struct sgang_shape {
	uint32_t min_nodes; /* of a range the number aimed at */
	uint32_t max_nodes;
	uint32_t least_nodes; /* fewer than min_nodes, down to these,
			       * will do (-N1-4); 0: no range */
	bool whole;           /* takes whole nodes */
	uint32_t node_cpus;   /* CPUs on each node, when the number of
			       * nodes is fixed */
	uint32_t node_gpus;   /* GPUs on each node; 0: none */
	uint64_t node_memory; /* MB on each node; 0: does not count, or
			       * all there is */
	uint32_t total_cpus;  /* CPUs altogether */
	uint32_t tasks;       /* tasks altogether, 1 or more */
	uint32_t node_gres;   /* so much of the GRES of the whole job
			       * on each node; 0: even shares */
	uint32_t task_cpus;   /* CPUs of a task, if Slurm lets a node
			       * have more tasks than another, and each
			       * one at least; 0: it does not */
	bool shares;          /* its CPUs, with others that do. It is
			       * refused beside those that do not,
			       * and these beside others than their
			       * own partition's */
	uint64_t job_gres;    /* GRES of the whole job, if Slurm lets a
			       * node have more of them than another,
			       * and each one at least; 0: it does
			       * not */
};

/* Is a piece all that it has on a node? Else its number of nodes is open, and a
 * piece is a task. */
static inline bool sgang_shape_fixed(const struct sgang_shape *shape)
{
	return shape->whole || shape->min_nodes == shape->max_nodes ||
	       shape->total_cpus <= 1;
}

/* A member whose number of nodes is open is counted in tasks on any nodes; in
 * single CPUs where these cannot be shared out evenly. */
static inline uint32_t sgang_shape_task_cpus(const struct sgang_shape *shape)
{
	return (shape->total_cpus % shape->tasks) ?
		       1 :
		       shape->total_cpus / shape->tasks;
}

/* One of several requests that are counted together. */
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

/* Why no piece of a job fits on a node. To add one: a row in nofit_report.c too, and in
 * sgang.1. A node has one cause: the first that holds, from the end of the list
 * on, since to repair, to wait or to end other jobs is of no use for a node
 * that is not what the job asks for. */
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

/* To what commit() keeps. */
struct sgang_bounds {
	const struct sgang_nodeset *nodes;
	const struct sgang_nodeset *islands; /* of them; NULL: all */
	const uint32_t *cpus;  /* by node, at most; NULL: any number.
				* Not kept where nodes are shared */
	const uint32_t *spare; /* by node, free CPUs that are left for
				* others; NULL: none */
};

/* Why commit() could not. */
struct sgang_refusal {
	char why[256];
	bool nodes; /* of these nodes: others may do */
	bool limit; /* of an association or a QOS: others
		     * that end do not help, holding does
		     * harm */
};

/* Free resources. */
struct sgang_room {
	uint64_t cpus;
	uint64_t memory; /* MB */
	uint64_t nodes;  /* nobody has any part of them */
};

struct sgang_host {
	/* Take slurmctld's locks. False when slurmctld is ending or not yet
	 * set up: then no lock is held and nothing else may be called. */
	bool (*lock)(void);
	void (*unlock)(void);

	/* Call 'each' for every job that carries an option of any SPANK plugin,
	 * those that have ended and are still known too. */
	void (*jobs)(void (*each)(const struct sgang_job_info *info, void *arg),
		     void *arg);
	/* NULL when it is gone. */
	struct sgang_job *(*find)(uint32_t job_id);
	/* All but `eligible`, `barred`, `parked` and `label`, which look() adds
	 * at some cost. */
	void (*info)(struct sgang_job *job, struct sgang_job_info *info);
	void (*look)(struct sgang_job *job, struct sgang_job_info *info);
	/* May that user act on everybody's jobs: an operator, SlurmUser? */
	bool (*operator)(uint32_t uid);
	/* A hash of all that an update of a pending job can change and that
	 * decides when and where it may start. Cheap. */
	uint64_t (*request)(struct sgang_job *job);

	uint32_t (*node_count)(void);
	/* Let the numbers that free() reads be up to date. */
	void (*refresh)(void);

	/* Which nodes could the job use right now, by all of Slurm's rules but
	 * the free cores and GRES, which when the jobs that run have ended, and
	 * what does it need of them? Both sets come in empty. Returns 0, or -1
	 * with 'why' filled. Changes nothing. */
	int (*probe)(struct sgang_job *job, struct sgang_nodeset *usable,
		     struct sgang_nodeset *ever, struct sgang_shape *shape,
		     char *why, size_t why_size);
	/* What the job asks for, whether or not it has its nodes already. */
	void (*shape)(struct sgang_job *job, struct sgang_shape *shape);
	/* What each of its nodes has to have, however Slurm splits the job over
	 * them, and the fewest nodes. False: it cannot be told. */
	bool (*least)(struct sgang_job *job, struct sgang_shape *shape);
	/* The shape of the job on so many nodes, from shape->least_nodes to
	 * shape->min_nodes. */
	void (*fewer)(struct sgang_job *job, uint32_t nodes,
		      struct sgang_shape *shape);
	/* The shape on so many nodes with so many of its tasks on each, or of
	 * its GRES; only if shape->task_cpus or shape->job_gres. */
	void (*share)(struct sgang_job *job, uint32_t nodes, uint32_t pieces,
		      struct sgang_shape *shape);
	/* For each node, when the last of its jobs reaches its time limit, in
	 * seconds since the epoch; 0: no job, INT64_MAX: never. */
	void (*releases)(int64_t *free_at);
	/* The jobs that have any of these nodes and never reach a time limit:
	 * how many they are, and the first 'max' of them. */
	size_t (*endless)(const struct sgang_nodeset *nodes, uint32_t *job_ids,
			  size_t max);
	/* Add all nodes that take no new job: down, drained and the like. */
	void (*unavailable)(struct sgang_nodeset *nodes);
	/* The name of the topology that the job's partition has for itself; "":
	 * none. Called only when there are several. */
	void (*topology)(struct sgang_job *job, char name[SGANG_TOPOLOGY_NAME]);
	/* Add the nodes that must be among those of the job. */
	void (*required)(struct sgang_job *job, struct sgang_nodeset *nodes);
	/* The nodes the job's partition has at all. */
	void (*partition)(struct sgang_job *job, struct sgang_nodeset *nodes);
	/* By node, what counts as its Weight: one that is powered down comes
	 * after all others, as in Slurm. False: all nodes weigh the same, and
	 * 'weight' is untouched. */
	bool (*weights)(uint32_t *weight);
	/* How many of the nodes are idle: nobody has any part of them. */
	uint32_t (*idle)(const struct sgang_nodeset *nodes);
	/* What is free on them altogether. */
	void (*room)(const struct sgang_nodeset *nodes,
		     struct sgang_room *room);
	/* How many pieces of the job's size for one node fit on each node of
	 * 'nodes' (the other entries become 0): right now, or if the cluster
	 * were empty. */
	void (*units)(struct sgang_job *job, const struct sgang_shape *shape,
		      const struct sgang_nodeset *nodes, bool empty,
		      uint32_t *units);
	/* What decides about all of these requests, and in 'type' of which kind
	 * each node is. */
	void (*resources)(const struct sgang_asked *asked, size_t n,
			  struct sgang_resources *resources, uint8_t *type);
	/* What a piece of the request takes: n_dims numbers for each type of
	 * nodes, as in core/plan.h. */
	void (*need)(const struct sgang_asked *asked,
		     const struct sgang_resources *resources, uint32_t *need);
	/* What of that the job takes altogether at the least, n_dims numbers;
	 * 0 where it is not counted here. */
	void (*takes)(struct sgang_job *job,
		      const struct sgang_resources *resources, uint64_t *takes);
	/* What each node has: n_dims numbers by node, right now, or if the
	 * cluster were empty. */
	void (*amounts)(const struct sgang_resources *resources, bool empty,
			uint32_t *amounts);
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
	/* Do two jobs need the same of a node? */
	bool (*same_units)(struct sgang_job *a, struct sgang_job *b);
	/* Does all that decides about nodes agree: the shape, the submitter,
	 * the partitions, features, reservations, required nodes? Then one
	 * probe() answers for both. */
	bool (*same_request)(struct sgang_job *a, struct sgang_job *b);

	/* Would the limits of associations and QOS let all these jobs run at
	 * the same time as those that run? A job that stands for several tasks
	 * of an array is named as often. Nothing stays counted. Returns 0, or
	 * -1 and in 'why' Slurm's word for the limit. */
	int (*limits)(struct sgang_job *const *jobs, size_t n, char *why,
		      size_t why_size);

	/* Allocate nodes to the job within these bounds and hold it before
	 * launch. Of an array head the lowest task is split off. Returns the
	 * job that got the nodes, or NULL with 'refusal' filled and nothing
	 * changed. */
	struct sgang_job *(*commit)(struct sgang_job *job,
				    const struct sgang_bounds *bounds,
				    struct sgang_refusal *refusal);
	/* Give back what commit() took; the job is pending as before. */
	void (*undo)(struct sgang_job *job);
	/* Can a job that was undone be committed again at once? Not where a
	 * script that was started for it has to end first. */
	bool (*recommits)(void);
	/* The nodes the job has. */
	void (*nodes)(struct sgang_job *job, struct sgang_nodeset *nodes);
	/* How many CPUs it has on each of them, in the order of their numbers,
	 * and as the return value, 1 or more, how many each of its ranks wants.
	 * 'cpus' has room for all nodes, and is all 0 for a job that has none.
	 */
	uint32_t (*allotted)(struct sgang_job *job, uint32_t *cpus);
	/* Is the job held by us and by nobody else (prologs done, nodes up)? */
	bool (*ready)(struct sgang_job *job);
	/* Where nodes run the Prolog before the launch (PrologFlags=Alloc), let
	 * them; the job stays held. Called once, when it is ready. */
	void (*prepare)(struct sgang_job *job);
	/* How far are they? */
	enum sgang_prepared (*prepared)(struct sgang_job *job);
	/* Is it still the hold that we put on it? */
	bool (*held)(struct sgang_job *job);
	/* Hold a job that slurmctld recovered from a hold of ours or from its
	 * release, and ask its node whether it was launched. */
	void (*adopt)(struct sgang_job *job);
	/* Ask its node anew: UNKNOWN until it tells what it knows from now on,
	 * unless it is known already that it was launched. */
	void (*ask)(struct sgang_job *job);
	/* Has its node refused to launch it, so that Slurm took its nodes away
	 * and stopped it? */
	bool (*refused)(struct sgang_job *job);
	/* It goes on holding: let it end a whole time limit from now on, for
	 * those who plan with its end. */
	void (*still_held)(struct sgang_job *job);
	/* Let such a job wait for its next start as if there had been none.
	 * With 'at_once' it need not wait for its nodes to forget it; then to
	 * be called again until it is eligible. */
	void (*forgive)(struct sgang_job *job, bool at_once);
	/* Launch it, unless its node runs it already. 'again': perhaps that was
	 * done before slurmctld died, and who waited for it knows. */
	void (*release)(struct sgang_job *job, bool again);
	/* The job left its hold without us: forget our part of it. One that was
	 * requeued is eligible soon, since it never ran; with 'yield' not
	 * before Slurm says so: it was preempted, and another is to have its
	 * nodes. */
	void (*drop)(struct sgang_job *job, bool yield);

	/* Take a pending job out of the queue without touching its priority,
	 * showing 'text'; put it back. */
	void (*park)(struct sgang_job *job, const char *text);
	void (*unpark)(struct sgang_job *job);
	/* Take its priority away until its user releases it, with 'text' as the
	 * reason; one that is stopped already stays as it is. Give the priority
	 * back where 'text' is the reason. */
	void (*stop)(struct sgang_job *job, const char *text);
	void (*resume)(struct sgang_job *job, const char *text);
	/* End a job as scancel does: SIGTERM, and SIGKILL after KillWait. */
	void (*end)(struct sgang_job *job);
	/* Let it end so and wait for another start; a job that has ended too.
	 * False when Slurm does not requeue it. */
	bool (*requeue)(struct sgang_job *job);
	/* Show 'text' where Slurm would say Resources, and if 'behind_own',
	 * also where it would say Priority: the job in front is a member of the
	 * same gang. */
	void (*tell)(struct sgang_job *job, const char *text, bool behind_own);
	/* Show that a pending job is expected to start then; 0: nobody
	 * knows. */
	void (*expect)(struct sgang_job *job, int64_t when);
	/* Show 'text' as the reason of a job that is stopped. */
	void (*label)(struct sgang_job *job, const char *text);
	/* Take our text away from the reason of a job that has ended, or is
	 * held. */
	void (*unlabel)(struct sgang_job *job);
	/* Replace system_comment; set a variable of the job's environment. */
	void (*comment)(struct sgang_job *job, const char *text);
	void (*setenv)(struct sgang_job *job, const char *name,
		       const char *value);
	/* Let accounting keep the short record 'brief' with the job. Waits for
	 * nobody; what cannot be kept is dropped. */
	void (*account)(struct sgang_job *job, const char *brief);

	/* Tell Slurm that blocks of ranks of the job's steps are to be dealt
	 * along 'nodes', which are all it has. False where Slurm knows no order
	 * but that of its table. */
	bool (*order)(struct sgang_job *job, const uint32_t *nodes, size_t n);

	/* A node's field for anybody's text (NULL or "": empty), which the host
	 * keeps until it is set; set it. */
	const char *(*extra)(uint32_t node);
	void (*set_extra)(uint32_t node, const char *text);
	/* Is no message to a node on its way? */
	bool (*quiet)(void);
	/* Save the job state now. Called without locks. Returns 0, or the error
	 * that kept it from the disk. */
	int (*save)(void);
	/* Let the scheduler look at its queue soon. */
	void (*wake_scheduler)(void);
	/* Changes whenever a job, node, partition or reservation changed. */
	uint64_t (*stamp)(void);
	/* The same when no node has. */
	uint64_t (*node_stamp)(void);
	/* Changes when nodes can be used, or cannot any more, and when a
	 * partition or a reservation has changed. Not with jobs. */
	uint64_t (*supply)(void);
	/* The same when no job record has changed in between. Called without
	 * locks. A held job is submitted without anybody being told. */
	uint64_t (*job_stamp)(void);
	int64_t (*now)(void);
	uint64_t (*clock_us)(void);
	/* CPU time of this thread: what a hold of the locks takes of an idle
	 * machine. */
	uint64_t (*cpu_us)(void);
};

#endif
