/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate.h - the answer when Slurm asks for the nodes of a job
 *
 * The scheduler asks whether a job starts now, and backfill when it would. A
 * member whose gang has not started gets no nodes here, but from the conductor.
 * Any other job is kept off the nodes that gangs before it need, and Slurm's
 * own plugin chooses from the rest, first from the nodes of our choice. Its
 * answer is final. The gate decides over sets of nodes, and knows Slurm only by
 * the calls below. All functions are called with slurmctld's locks.
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

/* The gate's calls to Slurm. */
struct sgang_gate_slurm {
	/* Ask Slurm's plugin to start the job on some of 'nodes' (NULL: all
	 * offered), with those victims, no later than 'latest'. 0: it does, at
	 * '*start', and Slurm has the nodes; another may be asked for then only
	 * about the future. Else the plugin's code, and nothing has changed but
	 * whom an answer before would have preempted; also when there are no
	 * victims APART, or no others. */
	int (*try_on)(const struct sgang_question *q,
		      const struct sgang_nodeset *nodes,
		      enum sgang_victims victims, int64_t latest,
		      int64_t *start);
	/* Take out of 'nodes' those on which no task of the job could start now
	 * by our count. */
	void (*with_room)(const struct sgang_question *q,
			  struct sgang_nodeset *nodes);
	/* Fill 'chosen', an empty set, with the nodes within the bound on which
	 * the ring of the job is cheapest. False: Slurm chooses. */
	bool (*place)(const struct sgang_question *q,
		      const struct sgang_nodeset *nodes,
		      const struct sgang_bound *bound,
		      struct sgang_nodeset *chosen);
};

/* A call of Slurm for one job. All is borrowed. Moments are seconds since the
 * epoch. */
struct sgang_question {
	const struct sgang_gate_slurm *slurm;
	const void *call; /* only for slurm's functions */
	struct sgang_conductor *conductor;
	struct sgang_job *job;
	uint32_t job_id;
	const struct sgang_spec *spec; /* of its gang; NULL: none */
	struct sgang_standing standing;
	uint32_t min_nodes, max_nodes;
	int64_t now;
	int64_t end; /* by its time limit if it starts now; 0: not known */
	/* The nodes that backfill last offered to this member, without those
	 * reserved for others. NULL: the nodes are not from backfill. */
	const struct sgang_nodeset *reserved;
	/* NULL: nodes near to its gang are not preferred. */
	const struct sgang_fabric *fabric;
	bool later;    /* sgang_gate_later() is asked */
	bool placed;   /* call place() */
	bool backfill; /* it is backfill that starts the job */
};

/* True if jobs without a gang must be checked, too. */
bool sgang_gate_stands(const struct sgang_conductor *c);

/* Slurm's own answer. Jobs whose gang would lose its work with them are victims
 * only if no others are enough. */
int sgang_gate_pass(const struct sgang_question *q, int64_t *start);

/* Keep the job off those of 'nodes' on which a gang before it starts while it
 * would run. Returns 0, or when that gang starts. */
int64_t sgang_gate_keep_off(const struct sgang_question *q,
			    struct sgang_nodeset *nodes);

/* Start the job now on some of 'nodes', all that Slurm offers; changes 'nodes'.
 * NULL: the same for a job without a gang while sgang_gate_stands() is false,
 * or without memory. Returns as try_on(). */
int sgang_gate_now(const struct sgang_question *q, struct sgang_nodeset *nodes);

/* Find when it starts. '*start': Slurm's start for it before the call, and the
 * new one after. */
int sgang_gate_later(const struct sgang_question *q,
		     struct sgang_nodeset *nodes, int64_t *start);

#endif
