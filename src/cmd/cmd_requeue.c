/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_requeue.c - sgang requeue: requeue a running gang as a whole
 *
 * Jobs that are requeued one by one would each be a loss to the others. So each
 * member that runs is marked, which slurmctld allows to users who may requeue
 * it, and the select plugin requeues all in one step when all have the mark. If
 * one is refused, none is requeued: the marks are void after a minute.
 */

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/jobs.h"
#include "cmd/json.h"
#include "cmd/targets.h"

/* The plugin looks once a second unless it is busy. */
#define LOOKS 100
#define LOOK_NANOSECONDS 200000000

static bool is_running(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_RUNNING && !job->record.object;
}

static int recall(const char *job, int signal, struct sgang_error *err)
{
	(void)signal;
	return sgang_control_recall(job, err);
}

/* The first job that Slurm would not requeue, or NULL. */
static const struct sgang_jobrow *
find_stubborn(const struct sgang_targets *targets)
{
	for (size_t i = 0; i < targets->n; i++)
		if (!targets->row[i]->requeues)
			return targets->row[i];
	return NULL;
}

static bool is_target(const struct sgang_targets *targets, uint32_t job_id)
{
	for (size_t i = 0; i < targets->n; i++)
		if (targets->row[i]->job_id == job_id)
			return true;
	return false;
}

/* The number of jobs that run still, marked; -1 with 'err'. */
static int count_left(const struct sgang_targets *targets,
		      struct sgang_error *err)
{
	struct sgang_jobs now = { .count = 0 };
	int left = 0;

	if (sgang_jobs_load(&now, err))
		return -1;
	for (size_t i = 0; i < now.count; i++)
		left += is_running(&now.row[i]) && now.row[i].record.recall &&
			is_target(targets, now.row[i].job_id);
	sgang_jobs_clear(&now);
	return left;
}

/* 0: all are requeued, or have ended meanwhile. */
static int wait_for_it(const struct sgang_targets *targets,
		       struct sgang_error *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_NANOSECONDS };
	int left = 1;

	for (int i = 0; i < LOOKS && left > 0; i++) {
		nanosleep(&pause, NULL);
		left = count_left(targets, err);
	}
	return left;
}

/* Returns an exit code, or -1 with 'err' filled. */
static int ask(const struct sgang_spec *gang,
	       const struct sgang_targets *targets, struct sgang_error *err)
{
	struct sgang_outcome outcome;
	int left;

	if (sgang_targets_ask(targets, false, !sgang_answer_is_text(), recall,
			      0, &outcome, err))
		return -1;
	if (outcome.n_refused) {
		outcome.members = 0; /* all or none */
		return sgang_targets_report(gang, "requeued", &outcome);
	}
	left = wait_for_it(targets, err);
	if (left) {
		json_object_put(outcome.refused);
		return left < 0 ? -1 :
				  sgang_cmd_refuse(
					  gang,
					  "its members were not requeued: see "
					  "the log of slurmctld, or try again");
	}
	return sgang_targets_report(gang, "requeued", &outcome);
}

/* Same as ask(). */
static int answer(const struct sgang_spec *gang, struct sgang_error *err)
{
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_targets targets = { NULL, 0 };
	const struct sgang_jobrow *stubborn;
	char why[96];
	int code = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_targets_find(&jobs, gang, is_running, &targets, err))
		goto out;
	stubborn = find_stubborn(&targets);
	if (!targets.n) {
		code = sgang_targets_none(&jobs, gang, "no member runs");
	} else if (stubborn) {
		snprintf(why, sizeof(why),
			 "job %u is none that Slurm requeues, so nobody is",
			 stubborn->job_id);
		code = sgang_cmd_refuse(gang, why);
	} else {
		code = ask(gang, &targets, err);
	}
out:
	sgang_targets_clear(&targets);
	sgang_jobs_clear(&jobs);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	const char *value, *name;
	struct sgang_spec gang;
	struct sgang_error err;
	int next = sgang_cmd_next(verb, argc, argv, &value), code;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	if (sgang_cmd_gang(name, &gang, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&gang, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_requeue = {
	.name = "requeue",
	.operands = "[NAMESPACE/]NAME",
	.summary = "requeue all members of a gang that run, in one step",
	.options = sgang_cmd_no_options,
	.run = run
};
