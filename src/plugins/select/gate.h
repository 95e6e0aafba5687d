/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate.h - what Slurm is answered when it asks for the nodes of a job
 *
 * The scheduler asks whether a job starts now, and backfill when it would. A
 * member whose gang has not started gets no nodes: the conductor will see to
 * it. Any other job is kept off the nodes that gangs before it need, and Slurm's
 * own plugin chooses from the rest, first of all from the nodes that we would
 * take. What it says is what counts. The gate decides over sets of nodes, and
 * knows nothing of Slurm but what it asks. All is called with slurmctld's locks.
 */

#ifndef SGANG_GATE_H
#define SGANG_GATE_H

#include "conductor.h"
#include "core/fabric/fabric.h"
#include "core/gang/spec.h"

/* The answer when Slurm's own plugin was not asked: SLURM_ERROR. */
#define SGANG_GATE_CLOSED (-1)

/* The jobs that may be preempted. */
enum sgang_victims {
	SGANG_VICTIMS_NONE,
	SGANG_VICTIMS_APART, /* all but those whose gang loses its work */
	SGANG_VICTIMS_ALL
};

struct sgang_question;

/* What the gate asks of Slurm. */
struct sgang_gate_slurm {
	/* Does its own plugin start the job on some of 'nodes' (NULL: all that
	 * it offered), with those victims, and no later than 'latest'? 0: it
	 * does, at '*start', and Slurm has the nodes. Else its code, and
	 * nothing has changed; so too when there are no victims APART, or no
	 * others. */
	int (*try_on)(const struct sgang_question *q,
		      const struct sgang_nodeset *nodes,
		      enum sgang_victims victims, int64_t latest,
		      int64_t *start);
	/* Fill 'chosen', an empty set, with those of 'nodes' on which the ring
	 * of the job is cheapest. False: the choice is Slurm's own. */
	bool (*place)(const struct sgang_question *q,
		      const struct sgang_nodeset *nodes,
		      struct sgang_nodeset *chosen);
};

/* A call of Slurm for one job. All is borrowed. Moments are seconds since the
 * epoch. */
struct sgang_question {
	const struct sgang_gate_slurm *slurm;
	const void *call; /* for slurm's functions alone */
	struct sgang_conductor *conductor;
	struct sgang_job *job;
	uint32_t job_id;
	const struct sgang_spec *spec; /* of its gang; NULL: it has none */
	struct sgang_standing standing;
	uint32_t min_nodes;
	int64_t now;
	int64_t end; /* by its time limit if it starts now; 0: not known */
	/* What backfill last offered to this member, without what it has
	 * reserved for others. NULL: the nodes are not from backfill. */
	const struct sgang_nodeset *reserved;
	/* NULL: nodes near to its gang are not preferred. */
	const struct sgang_fabric *fabric;
	bool placed; /* place() is to be asked */
};

/* Does it matter to jobs of no gang that there are gangs? */
bool sgang_gate_stands(const struct sgang_conductor *c);

/* Slurm's own answer. Jobs whose gang would lose its work with them are victims
 * only where no others do. */
int sgang_gate_pass(const struct sgang_question *q, int64_t *start);

/* Keep the job off those of 'nodes' on which a gang before it starts while it
 * would run. Returns 0, or when that gang starts. */
int64_t sgang_gate_keep_off(const struct sgang_question *q,
			    struct sgang_nodeset *nodes);

/* Does the job start now on some of 'nodes', which are all that Slurm offers?
 * They are changed. NULL: the same, of a job that is none of ours while the gate
 * does not stand, or there is no memory. Returns as try_on(). */
int sgang_gate_now(const struct sgang_question *q, struct sgang_nodeset *nodes);

/* When would it? '*start' is the start that Slurm has for it before, and
 * after. */
int sgang_gate_later(const struct sgang_question *q,
		     struct sgang_nodeset *nodes, int64_t *start);

#endif
