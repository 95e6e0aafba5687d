/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.h - what sgang asks slurmctld to do
 *
 * Slurm itself decides whether the caller may. A job is named as Slurm's
 * commands do, "12", "12_3" or "12_[4-6]". control_slurm.c asks through
 * libslurm; a build without Slurm has control_none.c in its place.
 */

#ifndef SGANG_CONTROL_H
#define SGANG_CONTROL_H

#include <stdint.h>

#include "core/base/err.h"
#include "core/gang/spec.h"

/* The definition of a gang, which slurmctld keeps as a held job. */
struct sgang_definition {
	const struct sgang_spec *spec; /* with its namespace */
	const char *account;           /* NULL: the user's default */
	const char *partition;         /* NULL: the default one */
};

/* Submit the definition. Returns 0 and the job's id, or -1 with 'err' saying
 * why not. */
int sgang_control_define(const struct sgang_definition *definition,
			 uint32_t *job_id, struct sgang_error *err);

/* A question when a gang would start. */
struct sgang_start_ask {
	uint32_t job_id; /* a member that waits; 0: the rest describes one */
	const struct sgang_spec
		*spec;         /* its options; the namespace may be "" */
	const char *partition; /* NULL: the default one */
	uint32_t time_limit;   /* minutes; 0: not said */
	uint32_t nodes;        /* 0: any number of them */
	uint32_t tasks;        /* on each node, or altogether if any;
					* 0: whole nodes */
};

/* The answer; clear it with sgang_control_forget(). */
struct sgang_will_run {
	int64_t start;
	char *nodes; /* of all members, a hostlist expression */
	char *partition;
};

/* Ask slurmctld, as sbatch --test-only does; nothing is submitted. Returns 0, or
 * -1 with 'err' saying why there is no start. */
int sgang_control_what_if(const struct sgang_start_ask *what,
			  struct sgang_will_run *answer,
			  struct sgang_error *err);
void sgang_control_forget(struct sgang_will_run *answer);

/* Ask slurm-gang in slurmctld a question (question.h), which every user may.
 * Returns the answer, a string the caller frees; or NULL with errno and 'err':
 * EPROTO and a clause that says why slurmctld gives none, or another errno and
 * why it cannot be asked. */
char *sgang_control_ask(const char *question, struct sgang_error *err);

/* The folder in which slurmctld keeps its state, StateSaveLocation. Returns a
 * string the caller frees, or NULL with 'err' filled. */
char *sgang_control_state_dir(struct sgang_error *err);

/* Cancel a job as scancel does, or send it another signal than SIGKILL. A job
 * that has ended meanwhile is no error. Returns 0, or -1 with 'err' filled. */
int sgang_control_signal(const char *job, int signal, struct sgang_error *err);

/* Hold a job that waits, as scontrol hold does: it does not start before it is
 * released. Returns 0, or -1 with 'err' filled. */
int sgang_control_hold(const char *job, struct sgang_error *err);

/* Release a held job, as scontrol release does. Returns 0, or -1 with 'err'
 * filled. */
int sgang_control_release(const char *job, struct sgang_error *err);

/* Ask that a running job is requeued together with all others of its gang, for
 * which the same must be asked within a minute. Returns 0, or -1 with 'err'
 * filled. */
int sgang_control_recall(const char *job, struct sgang_error *err);

#endif
