/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_jobs.h - the conductor's calls to slurmctld about jobs
 *
 * These calls find and read jobs, compare their requests, and set the reason
 * they show and whether they may start. host_holds.h has the calls that put
 * jobs on nodes.
 */

#ifndef SGANG_HOST_JOBS_H
#define SGANG_HOST_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/nodeset.h"
#include "core/gang/verdict.h"

/* A start this far away counts as never, and a job of this length as endless: a
 * year, which backfill takes for a job without a time limit. */
#define SGANG_NEVER_SECONDS (365 * 24 * 3600)

struct sgang_job; /* the host's own record of a job */

enum sgang_job_state {
	SGANG_JOB_PENDING,
	SGANG_JOB_CONFIGURING, /* has nodes, was not launched */
	SGANG_JOB_RUNNING,
	SGANG_JOB_ENDED
};

/* Whether slurmctld launched it before it died. */
enum sgang_launch {
	SGANG_LAUNCH_NO,
	SGANG_LAUNCH_YES,    /* its node runs it, or its script has ended */
	SGANG_LAUNCH_UNKNOWN /* its node has not answered yet */
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
	bool cancelled;           /* ... by a user */
	enum sgang_job_end end;   /* of an ended job */
	enum sgang_launch launch; /* of a hold that was adopted, and of
				   * one that ended */
	uint32_t restarts;
	uint16_t tier; /* PriorityTier of its partition, the
			* lowest of several */
	uint32_t priority;
	int64_t submit_time;
	int64_t eligible_time;  /* earliest start, as far as known */
	const char *partitions; /* its partitions or candidates, "a,b" */
	uint32_t hold_max;      /* MaxTime of its partition in seconds; 0: no
				 * limit */
	uint32_t time_limit;    /* seconds; UINT32_MAX: none */
	int64_t expected;       /* of a pending job, when Slurm expects
				 * it to start; 0: not known */
	int64_t began;          /* of a job with nodes, when it got them; else 0
				 */
	int64_t ends;           /* of a job with nodes, the end of its time
				 * limit; INT64_MAX: never */
	uint32_t uid;
	const char *user;
	const char *comment; /* system_comment or NULL */
	char *const *env;    /* spank_job_env */
	size_t n_env;
};

/* Needs of a member on its nodes, found by probe() of host_nodes.h. */
struct sgang_shape {
	uint32_t min_nodes; /* of a range the number aimed at */
	uint32_t max_nodes;
	uint32_t least_nodes; /* fewer than min_nodes, down to these,
			       * will do (-N1-4); 0: no range */
	bool whole;           /* takes whole nodes */
	uint32_t segment;     /* nodes of each of its segments (--segment),
			       * which is within a block; 0: not said */
	bool spread_segments; /* the options of this name */
	bool consolidate_segments;
	uint32_t node_cpus;   /* CPUs on each node, when the number of
			       * nodes is fixed */
	uint32_t node_gpus;   /* GPUs on each node; 0: none */
	uint64_t node_memory; /* MB on each node; 0: not counted, or all */
	uint32_t total_cpus;  /* CPUs altogether */
	uint32_t tasks;       /* tasks altogether, 1 or more */
	uint32_t node_gres;   /* share of the GRES of the whole job on each
			       * node; 0: even shares */
	uint32_t task_cpus;   /* CPUs of a task, if Slurm lets a node
			       * have more tasks than another, and each
			       * one at least; 0: it does not */
	bool shares;          /* shares its CPUs with such jobs. Refused beside
			       * jobs that do not share, and these beside jobs
			       * of other partitions */
	uint64_t job_gres;    /* GRES of the whole job, if Slurm lets a
			       * node have more of them than another,
			       * and each one at least; 0: it does
			       * not */
};

/* True if a piece is all it has on a node. Else its number of nodes is open,
 * and a piece is a task. */
static inline bool sgang_shape_fixed(const struct sgang_shape *shape)
{
	return shape->whole || shape->min_nodes == shape->max_nodes ||
	       shape->total_cpus <= 1;
}

static inline bool sgang_shape_same(const struct sgang_shape *a,
				    const struct sgang_shape *b)
{
	return a->min_nodes == b->min_nodes && a->max_nodes == b->max_nodes &&
	       a->least_nodes == b->least_nodes && a->whole == b->whole &&
	       a->segment == b->segment &&
	       a->spread_segments == b->spread_segments &&
	       a->consolidate_segments == b->consolidate_segments &&
	       a->node_cpus == b->node_cpus && a->node_gpus == b->node_gpus &&
	       a->node_memory == b->node_memory &&
	       a->total_cpus == b->total_cpus && a->tasks == b->tasks &&
	       a->node_gres == b->node_gres && a->task_cpus == b->task_cpus &&
	       a->shares == b->shares && a->job_gres == b->job_gres;
}

/* A member whose number of nodes is open is counted in tasks on any nodes; in
 * single CPUs if these cannot be divided evenly. */
static inline uint32_t sgang_shape_task_cpus(const struct sgang_shape *shape)
{
	return (shape->total_cpus % shape->tasks) ?
		       1 :
		       shape->total_cpus / shape->tasks;
}

struct sgang_host_jobs {
	/* Call 'each' for every job with an option of any SPANK plugin, also
	 * ended jobs that are still known. */
	void (*each)(void (*each)(const struct sgang_job_info *info, void *arg),
		     void *arg);
	/* The job with this id; NULL: purged. */
	struct sgang_job *(*find)(uint32_t job_id);
	/* Read all but `eligible`, `barred`, `parked` and `label`, which look()
	 * adds at some cost. */
	void (*info)(struct sgang_job *job, struct sgang_job_info *info);
	void (*look)(struct sgang_job *job, struct sgang_job_info *info);
	/* True if a pending job comes before the other one in Slurm's queue.
	 * This relation does not sort a list: a job comes before those that it
	 * may preempt, else the priority counts. A job in several partitions
	 * comes as late as in any of them. */
	bool (*before)(struct sgang_job *waiting, struct sgang_job *asking);
	/* True if the user may act on all jobs: an operator, SlurmUser. */
	bool (*operator)(uint32_t uid);
	/* A hash of all fields that an update of a pending job can change and
	 * that decide when and where it may start. Cheap. */
	uint64_t (*request)(struct sgang_job *job);

	/* The request of the job, whether or not it has its nodes already. */
	void (*shape)(struct sgang_job *job, struct sgang_shape *shape);
	/* The least that each of its nodes must have, however Slurm splits the
	 * job over them, and the fewest nodes. False: not known. */
	bool (*least)(struct sgang_job *job, struct sgang_shape *shape);
	/* The shape of the job on so many nodes, from shape->least_nodes to
	 * shape->min_nodes. */
	void (*fewer)(struct sgang_job *job, uint32_t nodes,
		      struct sgang_shape *shape);
	/* The shape on so many nodes with so many of its tasks on each, or of
	 * its GRES if only shape->job_gres is set. With both: one of its GRES
	 * on each. */
	void (*share)(struct sgang_job *job, uint32_t nodes, uint32_t pieces,
		      struct sgang_shape *shape);
	/* True if two jobs need the same of a node. */
	bool (*same_units)(struct sgang_job *a, struct sgang_job *b);
	/* True if one probe() answers for both jobs: same shape, submitter,
	 * partitions, features, reservations, required nodes. */
	bool (*same_request)(struct sgang_job *a, struct sgang_job *b);
	/* True if 'spare', which has nodes, can replace 'lost', which had or has
	 * some: same user, partition, features and reservation, and the same
	 * of each node. */
	bool (*replaces)(struct sgang_job *spare, struct sgang_job *lost);
	/* True if the two can never share a node, because one of them shares its
	 * nodes with jobs of its own user or MCS label alone. */
	bool (*excludes)(struct sgang_job *a, struct sgang_job *b);
	/* Check that the limits of associations and QOS let all these jobs run
	 * beside the running ones. A job is listed once for each of its array
	 * tasks. No usage stays counted. Returns 0, or -1 with Slurm's word for
	 * the limit in 'why'. */
	int (*limits)(struct sgang_job *const *jobs, size_t n, char *why,
		      size_t why_size);

	/* The nodes the job has. */
	void (*nodes)(struct sgang_job *job, struct sgang_nodeset *nodes);
	/* Its CPUs on each of them, in order of node numbers. Returns the CPUs
	 * of a rank, 1 or more. 'cpus' has room for all nodes, and is all 0 for
	 * a job without nodes. */
	uint32_t (*allotted)(struct sgang_job *job, uint32_t *cpus);
	/* Make Slurm distribute blocks of ranks of the job's steps along
	 * 'nodes', which are all it has. False if Slurm only knows the order of
	 * its table. */
	bool (*order)(struct sgang_job *job, const uint32_t *nodes, size_t n);

	/* Take a pending job out of the queue without touching its priority,
	 * showing 'text'; put it back. */
	void (*park)(struct sgang_job *job, const char *text);
	void (*unpark)(struct sgang_job *job);
	/* Hold the job (no priority) until its user releases it, with 'text' as
	 * the reason; a held job stays as it is. Restore the priority if 'text'
	 * is the reason. */
	void (*stop)(struct sgang_job *job, const char *text);
	void (*resume)(struct sgang_job *job, const char *text);
	/* End a job as scancel does: SIGTERM, and SIGKILL after KillWait. */
	void (*end)(struct sgang_job *job);
	/* End it the same way and requeue it; also a job that has ended. False
	 * when Slurm does not requeue it. */
	bool (*requeue)(struct sgang_job *job);
	/* True if Slurm would requeue it. */
	bool (*requeues)(struct sgang_job *job);
	/* True if after a requeue another job that waits only for nodes would
	 * be before it in the queue. */
	bool (*overtaken)(struct sgang_job *job);
	/* Let a job that ends and is requeued keep its place in the queue until
	 * begin(), if a requeue would lose it. Returns the argument for
	 * begin(); 0: none. */
	uint64_t (*keep_place)(struct sgang_job *job);
	/* Let a requeued job begin at 'when', or as soon after its end as
	 * slurmd accepts a new run, if Slurm would delay it longer. Returns the
	 * time at which it may begin; 0 while it has not ended on all of its
	 * nodes. 'place': from keep_place(), or 0. */
	int64_t (*begin)(struct sgang_job *job, int64_t when, uint64_t place);
	/* Seconds between SIGTERM and SIGKILL (KillWait). */
	uint32_t (*kill_wait)(void);

	/* Show 'text' where Slurm would say Resources, and if 'behind_own',
	 * also where it would say Priority, because the job in front is a
	 * member of the same gang. */
	void (*tell)(struct sgang_job *job, const char *text, bool behind_own);
	/* Show the expected start of a pending job; 0: not known. */
	void (*expect)(struct sgang_job *job, int64_t when);
	/* Show 'text' as the reason of a stopped job. */
	void (*label)(struct sgang_job *job, const char *text);
	/* Remove our text from the reason of a job that has ended, is held or
	 * was requeued, but is not parked. */
	void (*unlabel)(struct sgang_job *job);
	/* Show 'text' as the reason of an ending or ended job. */
	void (*tell_end)(struct sgang_job *job, const char *text);
	/* Replace system_comment; set a variable of the job's environment. */
	void (*comment)(struct sgang_job *job, const char *text);
	void (*setenv)(struct sgang_job *job, const char *name,
		       const char *value);
	/* Replace the options of SPANK plugins (spank_job_env). Copies 'env',
	 * which may hold the present entries. */
	void (*options)(struct sgang_job *job, char *const *env, size_t n);
	/* Let accounting keep the short record 'brief' with the job. Does not
	 * wait; dropped if it cannot be kept. */
	void (*account)(struct sgang_job *job, const char *brief);
};

#endif
