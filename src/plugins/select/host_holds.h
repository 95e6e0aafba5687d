/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_holds.h - what the conductor asks of slurmctld about holds
 *
 * In a hold the job has its nodes, as the transaction gave them to it, and is
 * not launched before the gang is complete. These calls make, keep and end
 * holds.
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

/* To what commit() keeps. */
struct sgang_bounds {
	const struct sgang_nodeset *nodes;
	const struct sgang_nodeset *islands; /* of them; NULL: all */
	const uint32_t *cpus;  /* by node, at most; NULL: any number.
				* Not kept where nodes are shared */
	const uint32_t *spare; /* by node, free CPUs that are left for
				* others; NULL: none */
};

/* Why commit() could not. */
struct sgang_refusal {
	char why[256];
	bool nodes; /* of these nodes: others may do */
	bool limit; /* of an association or a QOS: others
		     * that end do not help, holding does
		     * harm */
};

struct sgang_host_holds {
	/* Allocate nodes to the job within these bounds and hold it before
	 * launch. If the job is the head of an array, its lowest task is split
	 * off. Returns the job that got the nodes, or NULL with 'refusal'
	 * filled and nothing changed. */
	struct sgang_job *(*commit)(struct sgang_job *job,
				    const struct sgang_bounds *bounds,
				    struct sgang_refusal *refusal);
	/* Give back what commit() took; the job is pending as before. */
	void (*undo)(struct sgang_job *job);
	/* Can a job that was undone be committed again at once? Not where a
	 * script that was started for it has to end first. */
	bool (*recommits)(void);

	/* Is the job held by us and by nobody else (prologs done, nodes up)? */
	bool (*ready)(struct sgang_job *job);
	/* Where nodes run the Prolog before the launch (PrologFlags=Alloc), let
	 * them; the job stays held. Called once, when it is ready. */
	void (*prepare)(struct sgang_job *job);
	/* How far are they? */
	enum sgang_prepared (*prepared)(struct sgang_job *job);
	/* Is it still the hold that we put on it? */
	bool (*held)(struct sgang_job *job);
	/* The job goes on holding: set its end to a whole time limit from now
	 * on, because backfill plans with it. */
	void (*still_held)(struct sgang_job *job);
	/* Launch it, unless its node runs it already. 'again': perhaps that was
	 * done before slurmctld died, and who waited for it knows. */
	void (*release)(struct sgang_job *job, bool again);

	/* Hold a job that slurmctld recovered from a hold of ours or from its
	 * release, and ask its node whether it was launched. */
	void (*adopt)(struct sgang_job *job);
	/* Ask its node anew: UNKNOWN until it tells what it knows from now on,
	 * unless it is known already that it was launched. */
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
