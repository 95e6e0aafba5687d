/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_retry.c - sgang retry: let a gang that timed out try again */

#include <stdbool.h>

#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/targets.h"

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

static const struct sgang_action action = {
	.wanted = has_timed_out,
	.none = "no member has timed out",
	.ask = release,
	.done = "released",
};

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	return sgang_action_run(&action, verb, argc, argv);
}

const struct sgang_verb sgang_verb_retry = {
	.name = "retry",
	.operands = "[NAMESPACE/]NAME",
	.summary = "let a gang whose waiting time was over try again",
	.options = sgang_cmd_no_options,
	.run = run
};
