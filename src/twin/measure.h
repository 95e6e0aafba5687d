/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.h - what a replayed queue tells of its jobs, gangs and nodes
 *
 * A number that is not known, such as the mean of nothing, is a NAN. Times are
 * seconds unless a name says hours.
 *
 * The wait of a job is from its submission to the start of the run in which it
 * ended: what was preempted has waited in between. The wait of a gang is from
 * the submission that made it complete (so many members as it needs) to the
 * moment at which so many of them have nodes. Those that never started are
 * counted, and are in no mean; where several replays are compared, neither are
 * those that started here and not in all of them.
 *
 * The bounded slowdown of a job is max(1, (wait + run) / max(run, 10 s)), where
 * run is the time that it worked; that of a gang has the longest such time of
 * its members. Source: Feitelson, Metrics for Parallel Job Scheduling and Their
 * Convergence, JSSPP 2001, with its bound of 10 s.
 *
 * The p-th percentile of n values is the smallest one of them that at least p %
 * of them do not exceed (nearest rank). The median is the 50th.
 */

#ifndef SGANG_MEASURE_H
#define SGANG_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "outcome.h"
#include "site.h"
#include "trace.h"

/* The shortest run that counts in a slowdown. */
#define SGANG_MEASURE_BOUND 10

/* The classes of size: all, 1, 2-3, 4-7, 8-15, 16 and more. The size of a job
 * is its nodes, that of a gang its members. */
#define SGANG_MEASURE_CLASSES 6
extern const char *const sgang_measure_class_name[SGANG_MEASURE_CLASSES];

struct sgang_measure_spread {
	double mean, median, p90, p99, max;
};

/* Jobs of no gang, or gangs, of one class. */
struct sgang_measure_class {
	double n;       /* of the queue */
	double started; /* of them */
	double never;   /* those that could have: not refused, and a gang was
			 * complete */
	double apart;   /* that started, and are in no mean */
	struct sgang_measure_spread wait, slowdown;

	/* Of gangs that started, with members on two nodes or more; of jobs
	 * where their rings were measured. */
	double rings;     /* how many */
	double proved;    /* of them: the cheapest ring on the empty cluster
			    * is known, and proved to be it */
	double over_best; /* sum of ring costs over the sum of the cheapest,
			    * where that one is known and above 0 */
	double over_best_mean; /* the mean of each such ring over its own */
	double over_stock;     /* the same over what Slurm would have chosen */
	double over_stock_mean;
	double cross_links; /* the mean of a ring */
	double leaves;      /* the same */
};

struct sgang_measure {
	struct sgang_measure_class jobs[SGANG_MEASURE_CLASSES];
	struct sgang_measure_class gangs[SGANG_MEASURE_CLASSES];

	double makespan;     /* from the first submission to the last end */
	double utilisation;  /* CPU-seconds of work over those that all CPUs
			     * had in that time, 0 to 1 */
	double idle_hours;   /* node-hours that jobs had nodes before their work
			     * began: members that waited for others */
	double idle_share;   /* over the node-hours of all nodes, 0 to 1 */
	double unused_hours; /* node-hours that were free while jobs of no gang
			      * waited that could have run there */
	double lost_hours;   /* node-hours of work that preemption cost */
	double victims;      /* jobs that were preempted, each time counted */
	double timeouts;     /* jobs that their time limit ended */
	double cancelled;    /* jobs that a rule of their gang ended */
	double refused;      /* jobs that can never run here */
	double waiting;      /* jobs that had no nodes at the end */
	double incomplete;   /* gangs of which too few members were submitted */

	/* Fragmentation, over the samples. */
	double leaf_mean, leaf_min; /* idle nodes of the leaf with the most */
	double idle_nodes;          /* the mean of all */

	/* The waits, the shortest first. */
	int64_t *job_wait, *gang_wait;
	size_t n_job_waits, n_gang_waits;
};

/* Which jobs and gangs started in all replays that are compared. NULL: there is
 * one. */
struct sgang_measure_common {
	const bool *job, *gang;
};

/* Measure the outcome of a replay of that trace on that site. Returns 0 and
 * '*measure', which sgang_measure_clear() frees, or -1 with ENOMEM, or EINVAL
 * for an outcome of another trace, and 'err'. */
int sgang_measure(const struct sgang_trace *trace,
		  const struct sgang_site *site,
		  const struct sgang_outcome *outcome,
		  const struct sgang_measure_common *common,
		  struct sgang_measure *measure, struct sgang_error *err);

void sgang_measure_clear(struct sgang_measure *measure);

#endif
