/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - the conductor's calls to slurmctld, in our own types
 *
 * src/slurm/ implements these calls once per Slurm release; the unit tests
 * implement them over a toy cluster. A job is known by an opaque handle that is
 * valid until the locks are given back. The calls are grouped by subject in
 * files host_*.h; locks, stamps and clocks are here.
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

	/* True if no message to a node is in transit. */
	bool (*quiet)(void);
	/* Save the job state now. Called without locks. Returns 0, or the error
	 * of the save. */
	int (*save)(void);
	/* Let the scheduler look at its queue soon. */
	void (*wake_scheduler)(void);

	/* Changes whenever a job, node, partition or reservation changed. */
	uint64_t (*stamp)(void);
	/* Rises whenever something has become free, or allowed, that a waiting
	 * job may use: a job has ended, shrunk or been suspended, a node has
	 * come back, a partition or a reservation has changed. Not when a job
	 * begins. Never 0. */
	uint64_t (*freed)(void);
	/* Changes whenever a node changed. */
	uint64_t (*node_stamp)(void);
	/* Changes when nodes become usable or unusable, and when a partition or
	 * a reservation changes. Not with jobs. */
	uint64_t (*supply)(void);
	/* Changes whenever a job record changed. Called without locks. Needed
	 * for the submission of a held job, which no plugin is told of. */
	uint64_t (*job_stamp)(void);

	int64_t (*now)(void);
	uint64_t (*clock_us)(void);
	/* CPU time of this thread: the length of a hold of the locks on an idle
	 * machine. */
	uint64_t (*cpu_us)(void);
};

#endif
