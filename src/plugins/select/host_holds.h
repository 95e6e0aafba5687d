/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_holds.h - the conductor's calls to slurmctld about holds
 *
 * In a hold the job has the nodes that the transaction gave it, and is not
 * launched before the gang is complete. These calls make, keep and end holds.
 */

#ifndef SGANG_HOST_HOLDS_H
#define SGANG_HOST_HOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/nodeset.h"
#include "host_jobs.h"

/* The Prolog on the nodes of a held job. A Prolog that failed counts as done; a
 * moment later Slurm takes the nodes from the job. */
enum sgang_prepared {
	SGANG_PREPARED_NOT,  /* not begun */
	SGANG_PREPARED_RUNS, /* on some node at least */
	SGANG_PREPARED_DONE,
	SGANG_PREPARED_NEEDLESS /* it runs at the launch, or later */
};

/* Limits of commit(). */
struct sgang_bounds {
	const struct sgang_nodeset *nodes;
	const struct sgang_nodeset *islands; /* of them; NULL: all */
	const uint32_t *cpus;  /* by node, at most, if it starts so, else any
				* number; NULL: any. Ignored on shared nodes */
	const uint32_t *gres;  /* by node, the same of GRES of the whole job
				* (shape.job_gres); 0 or NULL: any number */
	const uint32_t *spare; /* by node, free CPUs to leave for others; NULL:
				* none */
};

/* Why commit() failed. */
struct sgang_refusal {
	char why[256];
	bool nodes; /* of these nodes: others may do */
	bool limit; /* of an association or a QOS: the end of jobs does not
		     * help, and holding does harm */
};

struct sgang_host_holds {
	/* Allocate nodes to the job within these bounds and hold it before
	 * launch. If the job is the head of an array, its lowest task is split
	 * off. Returns the job that got the nodes, or NULL with 'refusal'
	 * filled and nothing changed. */
	struct sgang_job *(*commit)(struct sgang_job *job,
				    const struct sgang_bounds *bounds,
				    struct sgang_refusal *refusal);
	/* Undo commit(); the job is pending again. */
	void (*undo)(struct sgang_job *job);
	/* True if a job can be committed again right after undo(). False if a
	 * script started for it has to end first. */
	bool (*recommits)(void);

	/* True if only we hold the job (prologs done, nodes up). */
	bool (*ready)(struct sgang_job *job);
	/* False while another job ends on a node of the job: until then Slurm
	 * gives the node to no job, not even to this one after undo(). */
	bool (*undisturbed)(struct sgang_job *job);
	/* Let nodes run the Prolog before the launch (PrologFlags=Alloc); the
	 * job stays held. Called once, when it is ready. */
	void (*prepare)(struct sgang_job *job);
	/* The state of the Prolog. */
	enum sgang_prepared (*prepared)(struct sgang_job *job);
	/* True if the job still has our hold. */
	bool (*held)(struct sgang_job *job);
	/* The job goes on holding: set its end to a whole time limit from now
	 * on, because backfill plans with it. */
	void (*still_held)(struct sgang_job *job);
	/* Launch it, unless its node runs it already. 'again': perhaps this was
	 * done before slurmctld died, and waiting clients know. */
	void (*release)(struct sgang_job *job, bool again);

	/* Hold a job that slurmctld recovered from a hold of ours or from its
	 * release, and ask its node whether it was launched. */
	void (*adopt)(struct sgang_job *job);
	/* Ask its node again: UNKNOWN until it answers, unless the launch is
	 * known already. */
	void (*ask)(struct sgang_job *job);

	/* True if its node refused to launch it, so that Slurm took its nodes
	 * away and held it. */
	bool (*refused)(struct sgang_job *job);
	/* Release such a job, to wait for its next start as if there had been
	 * none. With 'at_once' it need not wait until its nodes have forgotten
	 * it; then call again until it is eligible. */
	void (*clear_launch_failure)(struct sgang_job *job, bool at_once);
	/* The job left its hold without us: forget our part of it. A job that
	 * was requeued is eligible soon, because it never ran; with 'yield'
	 * only when Slurm makes it eligible: it was preempted, and another job
	 * is to have its nodes. */
	void (*drop)(struct sgang_job *job, bool yield);
};

#endif
