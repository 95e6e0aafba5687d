/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_preempt.h - what the conductor asks of slurmctld about preemption
 *
 * Whom a job may preempt, and how, is Slurm's to say: PreemptType, PreemptMode
 * of cluster, partition and QOS, PreemptExemptTime, GraceTime. Called with
 * slurmctld's locks, as all of host.h. A heterogeneous job is known by its
 * leader, and what is said of it is said of all its components.
 */

#ifndef SGANG_HOST_PREEMPT_H
#define SGANG_HOST_PREEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sgang_job;
struct sgang_nodeset;
struct sgang_resources;

/* A job that another may preempt, and that gives its nodes back by it. */
struct sgang_candidate {
	struct sgang_job *job;
	uint32_t job_id;
	bool going;        /* it is being preempted already */
	bool requeues;     /* Slurm requeues it; else it is killed */
	uint32_t priority; /* of its QOS or partition, as PreemptType
			    * orders: lower ones go first */
	int64_t started;   /* seconds since the epoch */
	uint64_t lost;     /* node-seconds of work since its start, or
			    * since the checkpoint that it tells of
			    * (ckpt=TIME in its Comment or AdminComment) */
};

struct sgang_host_preempt {
	/* Is PreemptType set? */
	bool (*enabled)(void);
	/* Call 'each' for every job that has nodes and that the job may
	 * preempt, and for every one that is completing on nodes of its
	 * partition, which gives them back anyway. Jobs that would be suspended
	 * are left out, and so are jobs that should have completed by now.
	 * Looks at all jobs. */
	void (*candidates)(struct sgang_job *job,
			   void (*each)(const struct sgang_candidate *candidate,
					void *arg),
			   void *arg);
	/* The next moment at which a job that runs may be preempted that is
	 * exempt now (PreemptExemptTime), in seconds since the epoch; INT64_MAX:
	 * there is none. Looks at all jobs. */
	int64_t (*next_candidate)(void);
	/* Are there free licences for so many jobs like this one? */
	bool (*licensed)(struct sgang_job *job, size_t n);
	/* Do limits on nodes let the job have all of these? GrpTRES=node= of
	 * its association, those above it and its QOS, MaxTRESPerUser=node= and
	 * MaxTRESPerAccount=node= of its QOS. Without what victims give back to
	 * the same limit. */
	bool (*may_have)(struct sgang_job *job,
			 const struct sgang_nodeset *nodes);
	/* Count the resources of these jobs as free in all answers of host.h
	 * about what is free now, until this is called again or the locks are
	 * released; n = 0: of no job. A node that no other job has is then
	 * idle. Jobs that are completing may be among them. */
	void (*leave_out)(struct sgang_job *const *jobs, size_t n);
	/* Where Slurm suspends the jobs of lower partitions for all of these
	 * (PreemptMode=SUSPEND,GANG), their CPUs count as free from now on,
	 * until leave_out() is called or the locks are given back; their memory
	 * and GRES do not. False: there are none. */
	bool (*suspend)(struct sgang_job *const *jobs, size_t n);
	/* Call 'each' for every node that the job has, with what it has there
	 * of the dimensions of 'resources': n_dims numbers, by which amounts()
	 * would be more without it, as far as no other job shares these. On
	 * nodes where it is completing all are 0. */
	void (*holdings)(struct sgang_job *job,
			 const struct sgang_resources *resources,
			 void (*each)(uint32_t node, const uint32_t *amounts,
				      void *arg),
			 void *arg);
	/* Let 'by' preempt it: signal it, and requeue or kill it once its grace
	 * is over. While that lasts, to be called again. */
	void (*preempt)(struct sgang_job *victim, struct sgang_job *by);
	/* Take the signal back, as far as Slurm can: a victim whose grace is
	 * not over runs on. */
	void (*spare)(struct sgang_job *victim);
	/* Has it nodes, or has it not given them all back yet? */
	bool (*occupies)(struct sgang_job *victim);
	/* When a job that is being preempted or is completing has given back
	 * its nodes, if they answer: the end of its grace, and KillWait. In
	 * seconds since the epoch; 0: it is neither. */
	int64_t (*gone_by)(struct sgang_job *victim);
};

#endif
