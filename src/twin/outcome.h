/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcome.h - what became of a replayed queue
 *
 * Jobs are those of the trace, in its order. Times are seconds since the epoch.
 */

#ifndef SGANG_OUTCOME_H
#define SGANG_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define SGANG_OUTCOME_NONE UINT32_MAX

enum sgang_outcome_end {
	SGANG_OUTCOME_WAITS,     /* it had no nodes when the replay ended */
	SGANG_OUTCOME_COMPLETED, /* all its work is done */
	SGANG_OUTCOME_TIMEOUT,   /* its time limit came first */
	SGANG_OUTCOME_REFUSED,   /* it can never run here: too large, no such
				  * partition */
	SGANG_OUTCOME_PREEMPTED, /* killed to make room */
	SGANG_OUTCOME_CANCELLED  /* by a rule of its gang */
};

struct sgang_outcome_job {
	int64_t start; /* it got the nodes it had at the end; 0: never */
	int64_t work;  /* its work began: all members that its gang needs had
			 * started; 0: never. Without gangs as `start` */
	int64_t end;   /* it gave them back; 0: never */
	uint8_t how;   /* enum sgang_outcome_end */
	uint32_t gang; /* of `gangs`; SGANG_OUTCOME_NONE: none */
	size_t first;  /* its nodes in `nodes` */
	uint32_t n_nodes;
	uint32_t starts; /* how often it got nodes */
	uint64_t lost;   /* node-seconds of work that preemption cost */
};

struct sgang_outcome_gang {
	uint32_t n_members; /* of the trace */
	uint32_t min_member;
	uint32_t first_job;   /* the first one submitted, of `jobs` */
	int64_t complete;     /* so many were submitted; 0: never */
	int64_t start;        /* so many had nodes at once; 0: never */
	uint64_t ring_cost;   /* of the ring of the members that started
			       * together, as they were placed */
	uint64_t best_cost;   /* of the cheapest on the empty cluster; 0: not
			       * known */
	bool proved;          /* that one is */
	uint64_t stock_cost;  /* of what Slurm would have chosen at that moment,
			       * as core/plan/stock.h has it; 0: not known */
	uint32_t cross_links; /* hops of the ring that leave their leaf */
	uint32_t leaves;      /* on how many it is */
	char tier[32];        /* the level the ring spans */
};

/* The cluster at one moment. */
struct sgang_outcome_sample {
	int64_t time;
	uint32_t idle_nodes; /* without a job */
	uint32_t held_nodes; /* of jobs whose work has not begun */
	uint64_t busy_cpus;  /* of jobs whose work has begun */
	uint32_t waiting_jobs;
	uint32_t waiting_gangs; /* complete ones */
	uint32_t largest_leaf;  /* idle nodes of the leaf with the most */
};

struct sgang_outcome {
	struct sgang_outcome_job *jobs;
	size_t n_jobs;
	struct sgang_outcome_gang *gangs;
	size_t n_gangs;
	/* By job, if terms.all_rings asked for it, else none: of a job of no
	 * gang on two nodes or more as of a gang with that one member; with
	 * `start` 0 there is none. */
	struct sgang_outcome_gang *rings;
	size_t n_rings;
	uint32_t *nodes;
	size_t n_nodes;
	struct sgang_outcome_sample *samples; /* one an hour of the replay, or
					       * so many that there are 2,000 */
	size_t n_samples;
	int64_t from, until; /* first submission, last end */
	uint64_t cpus;       /* of the cluster */
	uint64_t idle_work;  /* node-seconds that jobs had nodes before their
				* work began: members that wait for others */
	double unused;       /* node-seconds that were free while jobs waited
			      * that could have run there */
	uint64_t busy;       /* CPU-seconds of work */
	uint64_t lost;       /* node-seconds, as in jobs */
	uint32_t victims;    /* jobs that were preempted, each time counted */
	uint64_t passes, attempts, cycles, backfills;
	double seconds;  /* the replay took */
	uint64_t memory; /* most bytes that it had */
};

/* A replay may run in a process of its own. Write to and read from a file
 * descriptor at its position. 0, or -1 with 'err' filled. */
int sgang_outcome_write(const struct sgang_outcome *outcome, int fd,
			struct sgang_error *err);
int sgang_outcome_read(struct sgang_outcome *outcome, int fd,
		       struct sgang_error *err);

/* Frees what it has, and clears it. */
void sgang_outcome_clear(struct sgang_outcome *outcome);

#endif
