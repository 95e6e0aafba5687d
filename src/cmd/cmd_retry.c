/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_retry.c - sgang retry: let a gang that timed out try again */

#include <stdbool.h>

#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/jobs.h"
#include "cmd/targets.h"

enum {
	OPT_JSON
};

static const struct sgang_cmd_option options[] = {
	[OPT_JSON] = { "json", NULL, "print JSON", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	struct sgang_spec gang;
	bool json;
};

static bool has_timed_out(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_PENDING && !job->record.object &&
	       job->record.phase == SGANG_PHASE_TIMEOUT;
}

static int release(const char *job, int signal, struct sgang_error *err)
{
	(void)signal;
	return sgang_control_release(job, err);
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const struct request *request, struct sgang_error *err)
{
	struct sgang_jobs jobs = { NULL, 0 };
	struct sgang_targets targets = { NULL, 0 };
	struct sgang_outcome outcome;
	int code = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_targets_find(&jobs, &request->gang, has_timed_out, &targets,
			       err))
		goto out;
	if (!targets.n) {
		code = sgang_cmd_refuse(&request->gang, request->json,
					sgang_targets_known(&jobs,
							    &request->gang) ?
					"no member has timed out" :
					"there is no such gang");
		goto out;
	}
	/* an array can have tasks that run, which are not to be touched */
	if (sgang_targets_ask(&targets, false, request->json, release, 0,
			      &outcome, err))
		goto out;
	code = sgang_targets_report(&request->gang, request->json, "released",
				    &outcome);
out:
	sgang_targets_clear(&targets);
	sgang_jobs_clear(&jobs);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .json = false };
	const char *value, *name;
	struct sgang_error err;
	int next, code;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) == OPT_JSON)
		request.json = true;
	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	if (sgang_cmd_gang(name, &request.gang, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_retry = {
	.name = "retry",
	.operands = "[NAMESPACE/]NAME",
	.summary = "let a gang whose waiting time was over try again",
	.options = options,
	.run = run
};
