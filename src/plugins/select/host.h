/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - what the conductor asks of slurmctld, in our own types
 *
 * src/slurm/ implements these calls once per Slurm release; the unit tests
 * implement them over a toy cluster. A job is known by an opaque handle that is
 * valid until the locks are given back. The calls are grouped by subject, each
 * in a file host_*.h; what is of none, as locks, stamps and clocks, is here.
 */

#ifndef SGANG_HOST_H
#define SGANG_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "host_holds.h"
#include "host_jobs.h"
#include "host_nodes.h"
#include "host_preempt.h"

struct sgang_host {
	struct sgang_host_jobs jobs;
	struct sgang_host_nodes nodes;
	struct sgang_host_holds holds;
	struct sgang_host_preempt preempt;

	/* Take slurmctld's locks. False when slurmctld is ending or not yet
	 * set up: then no lock is held and nothing else may be called. */
	bool (*lock)(void);
	void (*unlock)(void);

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
