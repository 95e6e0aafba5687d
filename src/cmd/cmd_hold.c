/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_hold.c - sgang hold: keep a gang from starting, or from starting again */

#include <stdbool.h>

#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/targets.h"

/* Members with nodes that were not launched yet release them. */
static bool has_not_started(const struct sgang_jobrow *job)
{
	return (job->class == SGANG_ROW_PENDING ||
		job->class == SGANG_ROW_HELD) &&
	       !job->record.object;
}

static int hold(const char *job, int signal, struct sgang_error *err)
{
	(void)signal;
	return sgang_control_hold(job, err);
}

static const struct sgang_action action = {
	.wanted = has_not_started,
	.none = "no member waits",
	.ask = hold,
	.done = "held",
};

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	return sgang_action_run(&action, verb, argc, argv);
}

const struct sgang_verb sgang_verb_hold = {
	.name = "hold",
	.operands = "[NAMESPACE/]NAME",
	.summary = "keep the members of a gang that wait from starting",
	.options = sgang_cmd_no_options,
	.run = run
};
