/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twin_private.h - what the parts of the twin share
 *
 * cluster.c: jobs, their nodes, the queue. host.c: the conductor's calls.
 * choose.c: stock Slurm's choice of nodes. fits.c: on which nodes something fits
 * first. ask.c: the gate, and the answer when a scheduler asks for a job.
 * main_sched.c, backfill.c: the schedulers. preempt.c: victims. priority.c: the
 * order of the queue. twin.c: the clock. rings.c: what the placement of each gang
 * costs. unused.c: what is free while jobs wait that could use it.
 *
 * The conductor's calls have no argument for the cluster, so there is one: `the`.
 */

#ifndef SGANG_TWIN_PRIVATE_H
#define SGANG_TWIN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/gang/spec.h"
#include "plugins/select/conductor.h"
#include "twin.h"

enum twin_state {
	TWIN_FUTURE, /* not submitted yet */
	TWIN_PENDING,
	TWIN_HELD, /* has nodes, its work has not begun */
	TWIN_RUNNING,
	TWIN_ENDED,
	TWIN_FORGOTTEN /* MinJobAge after its end */
};

/* Room for the options of gangs of one job. */
#define TWIN_OPTIONS 48

/* The host's record of a job, job i of the trace at i. Its id is i + 1. */
struct sgang_job {
	const struct sgang_trace_job *asks;
	const struct sgang_site_partition *partition;
	enum twin_state state;
	uint32_t limit; /* seconds; UINT32_MAX: none */
	uint32_t priority;
	bool whole;
	bool stock_gang; /* of a gang that nobody starts together */
	bool parked, held_by_us, timed_out, cancelled;
	uint32_t restarts, starts;
	uint32_t gang; /* of outcome.gangs */
	uint32_t plan; /* of `plans`, if that one is its own */
	int64_t begin; /* it may start then */
	int64_t start, work, ends, done;
	int64_t struck;   /* it is being preempted since then; 0: it is not */
	int64_t expected; /* when backfill expects it; 0: not known */
	uint64_t serial;  /* of its event */
	uint64_t label;   /* hash of the text of ours that it shows */
	uint64_t lost;
	uint32_t *nodes; /* in the order of their numbers */
	uint32_t n_nodes;
	uint32_t *order; /* the same in the order of the ring; NULL: as they are
			  */
	/* members only, until they are forgotten: */
	struct sgang_spec *spec;
	char **env;
	size_t n_env;
	char *comment;
};

/* What is in use of a node. */
struct twin_use {
	uint32_t cpus, gpus, jobs;
	uint64_t memory;
};

/* Jobs by number; 'at' has room for all. */
struct twin_list {
	struct sgang_job **at;
	size_t n;
};

/* Something that happens to a job at a time. */
struct twin_event {
	int64_t time;
	uint64_t serial; /* that of the job, or it does not happen any more */
	struct sgang_job *job;
};

/* A start for which backfill has reserved nodes. */
struct twin_plan {
	struct sgang_job *job;
	int64_t start;
	struct sgang_nodeset *nodes;
};

/* From when on a share of a node fits on which nodes. */
struct twin_fits {
	const struct sgang_job *like; /* that asks for it; NULL: nothing yet */
	uint64_t of;                  /* with these `uses` */
	uint32_t *order;              /* those on which it fits first */
	uint32_t n;                   /* that are known */
	int64_t *from;                /* by node; 0: now */
	size_t run_out;       /* so many of `running` are over by then */
	struct twin_use *use; /* what is left, if any is */
};

struct twin {
	const struct sgang_twin_terms *terms;
	const struct sgang_site *site;
	const struct sgang_site_scheduling *rules;
	const struct sgang_fabric *fabric;
	struct sgang_conf conf;
	struct sgang_conductor *conductor;   /* NULL: stock */
	struct sgang_topologies *topologies; /* the conductor's */
	struct sgang_outcome *outcome;
	bool no_memory;

	int64_t now;
	uint64_t stamp, submissions, serial;
	uint64_t uses;         /* changes of `use` and `running` */
	uint64_t releases;     /* of nodes by jobs, and 1 */
	uint64_t *released_at; /* the count then, by node */
	uint32_t n_nodes;
	struct twin_use *use;
	struct twin_use *freed; /* the same without jobs that are left out */
	struct twin_use *none;  /* nothing is in use */
	bool left_out;
	struct sgang_job *jobs;
	struct twin_list queue;   /* pending, in Slurm's order */
	struct twin_list running; /* with nodes, in the order of `ends` */
	struct twin_list members; /* of gangs that are known to the conductor */
	struct twin_event *events; /* a heap */
	size_t n_events, max_events;
	size_t next_submit;     /* of the trace */
	size_t n_left;          /* jobs that have not ended */
	bool woken;             /* somebody wants the main scheduler */
	struct twin_list begun; /* members that a pass has launched */
	uint32_t *submitted;    /* members of each gang */
	uint32_t waiting_gangs; /* complete ones */
	uint64_t started, changed;
	size_t max_nodes; /* room in outcome.nodes */

	/* for choose.c */
	uint32_t *free_units, *all_units, *weight;
	bool weights_differ;
	int64_t *free_at; /* of each node, by time limits; 0: now */
	uint32_t *by_free;
	uint64_t free_times_of; /* the stamp at which that held, and 1 */
	struct sgang_nodeset *scratch;
	/* for fits.c */
	struct twin_fits *fits;
	/* for unused.c */
	struct twin_plan *plans; /* of the last cycle of backfill */
	uint32_t n_plans, max_plans;
	struct sgang_job **looked_at;
	struct twin_use *filled;
	int64_t *first_start;
	struct sgang_nodeset *room;
	/* for priority.c */
	struct twin_user *users;
	size_t n_users;
	double usage;
	int64_t decayed;
};

extern struct twin the;
extern const struct sgang_host sgang_twin_host;

/* ---- cluster.c ---- */

static inline uint32_t sgang_twin_id(const struct sgang_job *j)
{
	return (uint32_t)(j - the.jobs) + 1;
}

static inline bool sgang_twin_has_nodes(const struct sgang_job *j)
{
	return j->state == TWIN_HELD || j->state == TWIN_RUNNING;
}

static inline bool sgang_twin_ended(const struct sgang_job *j)
{
	return j->state == TWIN_ENDED || j->state == TWIN_FORGOTTEN;
}

/* Its CPUs on a node that it has. */
static inline uint32_t sgang_twin_cpus_on(const struct sgang_job *j,
					  uint32_t node)
{
	return j->whole ? the.site->nodes[node].cpus : j->asks->cpus;
}

/* What is in use, as the conductor is told. */
static inline const struct twin_use *sgang_twin_use(void)
{
	return the.left_out ? the.freed : the.use;
}

/* Is memory of the node a resource? */
static inline bool sgang_twin_counts_memory(const struct sgang_site_node *node)
{
	return the.rules->counts_memory && node->memory;
}

/* Does its share of the node fit there when nothing else is? */
static inline bool sgang_twin_has_room(const struct sgang_job *j, uint32_t node)
{
	const struct sgang_site_node *n = &the.site->nodes[node];

	return j->asks->cpus <= n->cpus && j->asks->gpus <= n->gpus &&
	       (!sgang_twin_counts_memory(n) || j->asks->memory <= n->memory);
}

/* Does it with this in use? */
static inline bool sgang_twin_fits(const struct sgang_job *j, uint32_t node,
				   const struct twin_use *use)
{
	const struct sgang_site_node *n = &the.site->nodes[node];
	const struct twin_use *u = &use[node];

	if (j->whole)
		return !u->jobs && sgang_twin_has_room(j, node);
	return j->asks->cpus + u->cpus <= n->cpus &&
	       j->asks->gpus + u->gpus <= n->gpus &&
	       (!sgang_twin_counts_memory(n) ||
		j->asks->memory + u->memory <= n->memory);
}

/* How often the job's share of a node fits there; at most once if whole. */
uint32_t sgang_twin_pieces(const struct sgang_job *j, uint32_t node,
			   const struct twin_use *use);
/* Do two jobs ask for the same of a node, and for the same altogether? */
bool sgang_twin_same_units(const struct sgang_job *a,
			   const struct sgang_job *b);
bool sgang_twin_same(const struct sgang_job *a, const struct sgang_job *b);
/* Does it have any of these nodes? */
bool sgang_twin_has_any(const struct sgang_job *j,
			const struct sgang_nodeset *nodes);

/* Its share of that node, or of all that it has. */
void sgang_twin_add_use_on(const struct sgang_job *j, uint32_t node,
			   struct twin_use *use);
void sgang_twin_add_use(const struct sgang_job *j, struct twin_use *use);
void sgang_twin_subtract_use(const struct sgang_job *j, struct twin_use *use);

/* Give a pending job these nodes; it is held. False: no memory. */
bool sgang_twin_take(struct sgang_job *j, const struct sgang_nodeset *nodes);
/* Its work begins, or that of its gang where there is no conductor. */
void sgang_twin_launch(struct sgang_job *j);
/* It is held on: its time limit begins anew. */
void sgang_twin_restart_limit(struct sgang_job *j);
/* It gives its nodes back, and is pending, perhaps again. */
void sgang_twin_put_back(struct sgang_job *j);
void sgang_twin_end(struct sgang_job *j, enum sgang_outcome_end how);
/* The same, and begins no sooner than 'begin'. Its work is lost. */
void sgang_twin_requeue(struct sgang_job *j, int64_t begin);

void sgang_twin_submit(struct sgang_job *j);
void sgang_twin_forget(struct sgang_job *j);
/* Read the options of gangs anew. */
void sgang_twin_read_spec(struct sgang_job *j);
bool sgang_twin_set_env(struct sgang_job *j, char *const *env, size_t n);

/* An event of the job at that time, instead of the one it had. */
void sgang_twin_at(struct sgang_job *j, int64_t time);
/* The next event that happens, not taken out; NULL: there is none. */
const struct twin_event *sgang_twin_next(void);
void sgang_twin_pop(void);

void sgang_twin_insert(struct twin_list *list, struct sgang_job *j,
		       bool (*before)(const struct sgang_job *a,
				      const struct sgang_job *b));
void sgang_twin_remove(struct twin_list *list, const struct sgang_job *j);

/* ---- choose.c ---- */

bool sgang_twin_choose_init(void);
void sgang_twin_choose_end(void);
/* The nodes that stock Slurm gives the job of those, with that in use; fills
 * 'chosen', an empty set. False: it does not fit. */
bool sgang_twin_choose(const struct sgang_job *j,
		       const struct sgang_nodeset *nodes,
		       const struct twin_use *use,
		       struct sgang_nodeset *chosen);
/* The same at the time when the first jobs that run have reached their limits,
 * within backfill's window; a start after 'latest' is not looked for. 'chosen' may
 * be NULL: it makes no difference. */
bool sgang_twin_will_run(const struct sgang_job *j,
			 const struct sgang_nodeset *nodes, int64_t latest,
			 struct sgang_nodeset *chosen, int64_t *start);

/* ---- fits.c ---- */

bool sgang_twin_fits_init(void);
void sgang_twin_fits_end(void);
/* For the job's share of a node, by time limits of those that run. Valid until
 * the next call, or the next change of `uses`. */
struct twin_fits *sgang_twin_fits_of(const struct sgang_job *j);
/* The node k of the order; SGANG_NODE_NONE: it fits there on no other by then.
 */
uint32_t sgang_twin_fits_node(struct twin_fits *fits, uint32_t k, int64_t last);

/* ---- ask.c ---- */

/* Start the job now on some of 'nodes', which backfill offers or ('reserved'
 * NULL) the main scheduler. True: it has them. */
bool sgang_twin_start(struct sgang_job *j, const struct sgang_nodeset *nodes,
		      const struct sgang_nodeset *reserved);
/* When would it start, and on which of 'nodes' (then 'chosen')? False: never.
 */
bool sgang_twin_plan(struct sgang_job *j, const struct sgang_nodeset *nodes,
		     struct sgang_nodeset *chosen, int64_t *start);

/* ---- schedulers ---- */

bool sgang_twin_before(const struct sgang_job *a, const struct sgang_job *b);
bool sgang_twin_eligible(const struct sgang_job *j);
/* The first of the queue that are eligible, at most so many: jobs that start
 * leave it, and victims come back into it. To be freed; NULL: no memory. */
struct sgang_job **sgang_twin_eligible_jobs(size_t most, size_t *n);
/* The main scheduler; 'all' looks at the whole queue. */
void sgang_twin_schedule(bool all);
void sgang_twin_backfill(void);

/* ---- priority.c ---- */

bool sgang_twin_priority_init(void);
void sgang_twin_priority_end(void);
void sgang_twin_prioritise(struct sgang_job *j);
void sgang_twin_prioritise_all(void);
void sgang_twin_charge(const struct sgang_job *j);

/* ---- preempt.c ---- */

/* Jobs that it may preempt, as Slurm orders them: into 'list', which has room
 * for all that run. */
void sgang_twin_candidates(const struct sgang_job *j, struct twin_list *list);
/* 'by' takes its nodes: it is requeued or killed. */
void sgang_twin_preempt(struct sgang_job *victim);

/* ---- unused.c ---- */

bool sgang_twin_unused_init(void);
void sgang_twin_unused_end(void);
/* A cycle of backfill begins to plan anew, and has reserved these nodes for the
 * job at that time. */
void sgang_twin_plans_clear(void);
void sgang_twin_plans_add(struct sgang_job *j, int64_t start,
			  const struct sgang_nodeset *nodes);
/* How much is free now, counted in nodes, on which jobs that wait could run. */
double sgang_twin_unused(void);

/* ---- rings.c ---- */

/* All members that the gang of the job needs have nodes. */
void sgang_twin_gang_started(struct sgang_job *j);
/* The same of a job of no gang, if that is asked for. */
void sgang_twin_job_started(struct sgang_job *j);
void sgang_twin_rings_end(void);

#endif
