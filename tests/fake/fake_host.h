/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_host.h - a toy cluster behind struct sgang_host
 *
 * Nodes with CPUs and memory, partitions as sets of nodes, licences, a queue of
 * jobs and job arrays. It behaves as slurmctld does where the conductor relies
 * on it (an array head that is committed becomes its lowest task, the rest is
 * found under the array's id; after a restart nobody holds a held job), and it
 * judges each call itself: the first thing that must not happen is kept in
 * fake_fault(). It allocates no memory.
 */

#ifndef TESTS_FAKE_HOST_H
#define TESTS_FAKE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugins/select/host.h"

#define FAKE_NODES 64 /* a set of nodes is a uint64_t */
#define FAKE_ALL_NODES UINT64_MAX
#define FAKE_ISLANDS 4 /* a node has at most */
#define FAKE_JOBS 512
#define FAKE_COMMENT 1600

extern const struct sgang_host fake_host;

/* A new cluster of n_nodes equal nodes n0, n1, ... and no job. */
void fake_cluster(uint32_t n_nodes, uint32_t cpus, uint32_t memory,
		  uint32_t licences);
const char *const *fake_node_names(void);

/* How the cluster is, and what slurmctld does; as here when it is new. */
extern struct fake_world {
	uint32_t islands; /* 1: in every node, all equal; a job takes CPUs
				      * from the first ones that have any, unless it
				      * is kept to some */
	uint32_t gpus;    /* 0: in every node */
	uint32_t weight[FAKE_NODES]; /* 0: Slurm's, of each node */
	bool hides_islands;   /* nobody is told how much of each island a job
			       * has; nobody is kept to one */
	bool orders_nodes;    /* blocks of ranks are dealt along the nodes of a
			       * job in the order that was told */
	bool drops_env;       /* for more members than there is room for */
	bool prefers;         /* all jobs have --prefer, for nodes that are like
			       * all others */
	bool prepares;        /* nodes run a Prolog before the launch of held
			       * jobs */
	bool requeue_is_new;  /* who is requeued is the last in the queue */
	bool recommits;       /* true: a job that was undone may be committed
			       * again at once */
	uint32_t shutdown_at; /* the lock call fails from the n-th on (1 is the
			       * next); 0: never */
	uint32_t commits_allowed; /* good ones, before all fail; UINT32_MAX */
	uint64_t commit_us;       /* of both clocks, that a commit takes */
	int save_error;           /* of every save; 0: they work */
	void (*on_save)(void);    /* called once at the end of the next save */
} fake_world;

/* A node's field for text, which outlives slurmctld; an admin sets it. */
const char *fake_extra(uint32_t node);
void fake_set_extra(uint32_t node, const char *text);

/* What must not have happened and did; NULL when all is well. */
const char *fake_fault(void);

/* ---- jobs ---- */

struct fake_request {
	const char *gang;     /* NULL: an ordinary job */
	const char *user;     /* NULL: alice */
	uint32_t min, total;  /* 0: not said */
	const char *topology; /* "require:leaf" or NULL */
	const char *rank;     /* "3" or NULL */
	const char *more;     /* "mode=nonstrict|order=0":
			       * other options; NULL: none */
	uint32_t nodes;       /* 0: any number of nodes, */
	uint32_t total_cpus;  /* ... this many CPUs together */
	uint32_t cpus;        /* on each node; 0: whole nodes */
	bool own_user;        /* ... which only jobs of its user share */
	uint32_t memory;      /* on each node */
	uint32_t gpus;        /* on each node */
	uint64_t not_on;      /* nodes on which commit() refuses it,
			       * which nobody is told */
	uint32_t licences;
	uint32_t ranks;     /* 0: one a node, or one a CPU */
	uint32_t task_cpus; /* of each task, and a node may have more tasks
			     * than another; it can wait, not start */
	uint32_t array;     /* tasks; 0: no array */
	uint64_t partition; /* its nodes; 0: all */
	uint64_t requested; /* it wants these alone; 0: any */
	uint64_t required;  /* it wants these and more; 0: any */
	uint64_t excluded;
	const char *partition_topology; /* NULL: none of its own */
	uint32_t priority;              /* 0: held by the user */
	bool preempts;                  /* it comes before all that do not,
					 * whatever their priorities are */
	uint16_t tier;                  /* it preempts those of lower ones,
					 * and comes before them */
	uint32_t grace;                 /* seconds, once it is preempted */
	uint32_t exempt;                /* nobody may do so for so long */
	bool killed;                    /* ... else it is requeued */
	bool hangs;                     /* it does not go */
	uint32_t most_nodes;            /* a limit on nodes; 0: none */
	uint32_t prolog;                /* locks taken until it is ready */
	uint32_t time_limit;            /* seconds; 0: none */
};

/* The job's (or array's) id; 0 when the queue is full. */
uint32_t fake_submit(const struct fake_request *rq);

enum fake_state {
	FAKE_GONE, /* has ended */
	FAKE_PENDING,
	FAKE_HELD, /* has nodes, was not launched */
	FAKE_RUNNING
};

/* One job as tests see it. They write what has a comment that says so. */
struct fake_job {
	bool live;
	enum fake_state state;
	uint32_t id, array_id, task_id, tasks;
	struct fake_request rq;
	char gang[64], user[32];
	char spank[14][640];
	char *env[14];
	size_t n_env;
	bool refused; /* the launch, by its node */
	bool parked, user_hold;
	bool refuses;    /* to be written: commit() says no, */
	bool limited;    /* ... because of a limit of its association; */
	bool unprobable; /* ... probe() does */
	bool nonstrict;
	bool failed, cancelled, out_of_time; /* how it ended */
	uint32_t restarts;
	int64_t begins;  /* as the conductor asked; 0: it has not */
	int64_t delayed; /* not eligible before that */
	bool no_requeue; /* to be written: requeue() says no */
	bool saved;      /* while it was held */
	uint32_t holds;  /* who keeps it from being launched */
	uint32_t prolog; /* what is left of it */
	enum sgang_prepared prepared; /* to be written: its Prolog ended */
	uint32_t launches;
	enum sgang_launch launch; /* before slurmctld died; to be written:
				   * what its node says of it after that */
	uint64_t serial;          /* of the commit */
	int64_t submit_time;
	int64_t began;    /* it got its nodes; 0: it has none */
	int64_t struck;   /* it is being preempted since then; 0: it is not */
	int64_t ends;     /* its time limit, to be written; 0: none */
	int64_t expected; /* to start then, as backfill writes; 0: not known */
	char text[320];
	char comment[FAKE_COMMENT];
	bool has_comment;
	char brief[512]; /* what accounting has of it */
	struct {
		char name[40], value[400];
	} vars[32];
	size_t n_vars;
	uint32_t order[FAKE_NODES]; /* of its nodes, as Slurm was told */
	size_t n_order;
	uint64_t nodes; /* allocated */
	uint32_t cpus_on[FAKE_NODES];
	uint8_t cpus_in[FAKE_NODES][FAKE_ISLANDS]; /* ... by island */
};

/* NULL when there is no such job. */
struct fake_job *fake_job(uint32_t id);
enum fake_state fake_state(uint32_t id);
/* The i-th job record, in order of creation; NULL after the last. A record that
 * is free is not live. */
const struct fake_job *fake_record(size_t i);
/* The job behind this one, in that order (NULL: the first), or NULL. */
struct fake_job *fake_next(const struct fake_job *j);
/* A variable of the job's environment, or NULL. */
const char *fake_getenv(uint32_t id, const char *name);

/* Start an ordinary job on free nodes of 'among'. False: it does not fit. */
bool fake_start(uint32_t id, uint64_t among);
/* Does it require nodes that are down, so that Slurm does not try it? */
bool fake_barred(uint32_t id);
/* The nodes the job could have right now. */
uint64_t fake_fits(uint32_t id);
/* The job ends, by itself or by scancel. */
void fake_end(uint32_t id);
/* It ends with an error, or because somebody cancels it. */
void fake_fail(uint32_t id, bool cancelled);
/* ... or because its time limit is over. */
void fake_time_out(uint32_t id);
/* Its node fails, or it is preempted: it waits for another start. */
void fake_lose(uint32_t id);
/* Its begin time is so many seconds away. */
void fake_delay(uint32_t id, int64_t seconds);
/* Its node failed while it was held: pending again, the hold half left. */
void fake_requeue(uint32_t id);
/* scontrol update of a pending job: nodes, cpus, memory and partition as here.
 */
void fake_update(uint32_t id, const struct fake_request *rq);
/* scontrol hold, scontrol release. */
void fake_user_hold(uint32_t id, bool hold);
/* The scheduler has reached a job that waits, and says why it does so. */
void fake_reason(uint32_t id, const char *text);
/* Its node refuses to launch it: it is pending again, and stopped. */
void fake_refuse_launch(uint32_t id);
/* Jobs that have ended are forgotten. */
void fake_purge(void);

/* ---- nodes ---- */

void fake_node_down(uint32_t node, bool down);
/* Its jobs run on, and it takes no other. */
void fake_drain(uint32_t node, bool drain);
/* It is down until somebody calls fake_node_down(), and has not registered. */
void fake_unregistered(uint32_t node);
/* The text that nodes were told last, and how many nodes. Returns how often any
 * were told. */
uint32_t fake_told(const char **text, uint32_t *nodes);
/* Backfill has set these aside for a job that waits, from then until then; no
 * others. */
void fake_set_aside(uint32_t id, uint64_t nodes, int64_t from, int64_t until);
/* The nodes on which nothing is allocated. */
uint64_t fake_idle_nodes(void);
/* All that is free, in one line, to compare. */
const char *fake_free_map(void);
uint32_t fake_licences_used(void);

/* ---- what happens around the conductor ---- */

/* The scheduler takes slurmctld's locks, or gives them back. False: slurmctld
 * ends, and nothing may be asked. */
bool fake_scheduler(bool locks);
/* Jobs preempt those of lower tiers. 'on_ended' is called with the locks when a
 * victim has given its nodes back. */
void fake_preempts(void (*on_ended)(struct sgang_job *job));
/* Slurm looks at time limits: victims whose grace is over go. */
void fake_time_limits(void);
/* slurmctld dies at the n-th save from now (1 is the next), before or after the
 * state is 'written': nothing but lock() may be called then, and it fails. */
void fake_die_at_save(uint32_t n, bool written);
/* slurmctld is killed and comes back with the state of its last save(). */
void fake_crash(void);
/* slurmctld ends and comes back: it has all its jobs, but nobody holds the
 * held ones. */
void fake_restart(void);
/* What is written about the job cannot be read any more: its phase is none. */
void fake_spoil(uint32_t id);
/* Take the state as if it had been saved. */
void fake_snapshot(void);
void fake_clock(int64_t seconds); /* time goes on */

/* How often a call was made since the cluster began. */
struct fake_counts {
	uint32_t locks, probes, commits, refused, undone, released, saves;
	uint32_t accounted, adopted, asked, dropped, parked, unparked, woken;
	uint32_t yielded; /* of those dropped */
	uint32_t stopped, resumed, ended, requeued;
	uint32_t nodes; /* questions where a job is */
	uint32_t drain_looks;
	uint32_t units; /* nodes that units() has judged */
};
extern struct fake_counts fake_counts;

/* "commit 5, save, release 5, ...": the calls that change something, since the
 * cluster began or fake_trace_reset(). */
const char *fake_trace(void);
void fake_trace_reset(void);

#endif
