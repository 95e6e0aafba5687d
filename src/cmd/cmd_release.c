/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_release.c - sgang release: release the held members of a gang */

#include <stdbool.h>

#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/targets.h"

static bool is_held(const struct sgang_jobrow *job)
{
	return job->stopped && !job->record.object;
}

static int release(const char *job, int signal, struct sgang_error *err)
{
	(void)signal;
	return sgang_control_release(job, err);
}

static const struct sgang_action action = {
	.wanted = is_held,
	.none = "no member is held",
	.ask = release,
	.done = "released",
};

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	return sgang_action_run(&action, verb, argc, argv);
}

const struct sgang_verb sgang_verb_release = {
	.name = "release",
	.operands = "[NAMESPACE/]NAME",
	.summary = "let the members of a gang that are held start",
	.options = sgang_cmd_no_options,
	.run = run
};
