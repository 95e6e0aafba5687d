/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_preempt.h - the conductor's calls to slurmctld about preemption
 *
 * Slurm decides which jobs a job may preempt, and how: PreemptType, PreemptMode
 * of cluster, partition and QOS, PreemptExemptTime, GraceTime. Called with
 * slurmctld's locks, as all of host.h. The leader of a heterogeneous job stands
 * for all its components.
 */

#ifndef SGANG_HOST_PREEMPT_H
#define SGANG_HOST_PREEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sgang_job;
struct sgang_nodeset;
struct sgang_resources;

/* A job that another may preempt, and that then releases its nodes. */
struct sgang_candidate {
	struct sgang_job *job;
	uint32_t job_id;
	bool going;        /* already being preempted */
	bool requeues;     /* requeued by Slurm; else killed */
	uint32_t priority; /* of its QOS or partition, as PreemptType
			    * orders: lower ones go first */
	int64_t started;   /* seconds since the epoch */
	uint64_t lost;     /* node-seconds of work since its start, or since the
			    * checkpoint given by ckpt=TIME in its Comment or
			    * AdminComment */
};

struct sgang_host_preempt {
	/* True if PreemptType is set. */
	bool (*enabled)(void);
	/* Call 'each' for every job that has nodes and that the job may
	 * preempt, and for every job completing on nodes of its partition. Jobs
	 * that would be suspended are left out, and so are jobs that should
	 * have completed by now. Reads all jobs. */
	void (*candidates)(struct sgang_job *job,
			   void (*each)(const struct sgang_candidate *candidate,
					void *arg),
			   void *arg);
	/* The next time at which a running job ceases to be exempt from
	 * preemption (PreemptExemptTime), in seconds since the epoch;
	 * INT64_MAX: none. Reads all jobs. */
	int64_t (*next_candidate)(void);
	/* True if there are free licences for so many jobs like this one. */
	bool (*licensed)(struct sgang_job *job, size_t n);
	/* True if limits on nodes let the job have all of these: GrpTRES=node=
	 * of its association, those above it and its QOS, MaxTRESPerUser=node=
	 * and MaxTRESPerAccount=node= of its QOS. Does not count the nodes that
	 * victims release under the same limit. */
	bool (*may_have)(struct sgang_job *job,
			 const struct sgang_nodeset *nodes);
	/* Count the resources of these jobs as free in all answers of host.h
	 * about what is free now, until this is called again or the locks are
	 * released; n = 0: of no job. A node that no other job has is then
	 * idle. Jobs that are completing may be among them. */
	void (*leave_out)(struct sgang_job *const *jobs, size_t n);
	/* If Slurm suspends jobs of lower partitions for all of these
	 * (PreemptMode=SUSPEND,GANG), count their CPUs as free until
	 * leave_out() is called or the locks are released, but not their memory
	 * and GRES. False: there are none. */
	bool (*suspend)(struct sgang_job *const *jobs, size_t n);
	/* Call 'each' for every node of the job, with its share of the
	 * dimensions of 'resources': n_dims numbers by which amounts() would
	 * grow without it, except resources shared with other jobs. All are 0
	 * on nodes where it is completing. */
	void (*holdings)(struct sgang_job *job,
			 const struct sgang_resources *resources,
			 void (*each)(uint32_t node, const uint32_t *amounts,
				      void *arg),
			 void *arg);
	/* Let 'by' preempt it: signal it, and requeue or kill it after its
	 * grace time. Call again until then. */
	void (*preempt)(struct sgang_job *victim, struct sgang_job *by);
	/* Cancel the preemption, as far as Slurm can: a victim within its grace
	 * time runs on. */
	void (*spare)(struct sgang_job *victim);
	/* True if it has nodes, or has not released all yet. */
	bool (*occupies)(struct sgang_job *victim);
	/* The time at which a job that is being preempted or completing has
	 * released its nodes, if they answer: the end of its grace time, and
	 * KillWait. In seconds since the epoch; 0: it is neither. */
	int64_t (*gone_by)(struct sgang_job *victim);
};

#endif
