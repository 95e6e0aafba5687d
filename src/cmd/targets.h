/* SPDX-License-Identifier: GPL-2.0-or-later */
/* targets.h - a request for jobs of one gang, job by job */

#ifndef SGANG_TARGETS_H
#define SGANG_TARGETS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/cmd.h"
#include "cmd/jobs.h"
#include "core/base/err.h"
#include "core/gang/spec.h"

struct sgang_targets {
	const struct sgang_jobrow **row; /* the tasks of an array side by
					  * side */
	size_t n;
};

/* The jobs of the gang, its definitions included, for which 'wanted' returns
 * true. Borrows 'jobs'. Returns 0 and '*targets', to be emptied with
 * sgang_targets_clear(), or -1 with ENOMEM and 'err' filled. */
int sgang_targets_find(const struct sgang_jobs *jobs,
		       const struct sgang_spec *gang,
		       bool (*wanted)(const struct sgang_jobrow *job),
		       struct sgang_targets *targets, struct sgang_error *err);
void sgang_targets_clear(struct sgang_targets *targets);

/* Report that nothing can be done: 'why', if the gang has any job that was not
 * forgotten or a definition, else that there is no such gang. Returns
 * SGANG_EXIT_NO. */
int sgang_targets_none(const struct sgang_jobs *jobs,
		       const struct sgang_spec *gang, const char *why);

/* The request for a job, named as Slurm's commands do: 0, or -1 with 'err'. */
typedef int (*sgang_target_f)(const char *job, int signal,
			      struct sgang_error *err);

/* The outcome of a request for all targets. */
struct sgang_outcome {
	uint64_t members;            /* of the jobs that were not refused */
	uint64_t definitions;        /* among these jobs */
	struct json_object *refused; /* [{"job":"12","reason":"..."}] */
	size_t n_refused;
};

/* Send the request for each target; with 'whole' once for an array. Refusals
 * are printed on the standard error, one line each, unless 'quiet'. Returns 0
 * and '*outcome', whose 'refused' is the caller's, or -1 with ENOMEM and 'err'
 * filled. */
int sgang_targets_ask(const struct sgang_targets *targets, bool whole,
		      bool quiet, sgang_target_f ask, int signal,
		      struct sgang_outcome *outcome, struct sgang_error *err);

/* Print the outcome, "cancelled alice/train: 4 members", or nothing if all was
 * refused; drop 'refused' and return the exit code. */
int sgang_targets_report(const struct sgang_spec *gang, const char *what,
			 struct sgang_outcome *outcome);

/* A verb that makes one request for some jobs of one gang, with --json as its
 * only option. */
struct sgang_action {
	bool (*wanted)(const struct sgang_jobrow *job);
	const char *none; /* "no member has timed out" */
	sgang_target_f ask;
	int signal;
	const char *done; /* "released" */
};

/* Read the command line and run the action. Returns the exit code. */
int sgang_action_run(const struct sgang_action *action,
		     const struct sgang_verb *verb, int argc, char **argv);

#endif
