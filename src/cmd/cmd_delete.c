/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_delete.c - sgang delete: delete the definition of a gang */

#include <signal.h>
#include <stdbool.h>

#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/targets.h"

static bool is_definition(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_PENDING && job->record.object;
}

/* The spares of a pool end with it. */
static bool is_of_definition(const struct sgang_jobrow *job)
{
	return is_definition(job) ||
	       (job->class != SGANG_ROW_ENDED && job->record.pool);
}

static const struct sgang_action action = {
	.wanted = is_of_definition,
	.none = "it has no definition",
	.ask = sgang_control_signal,
	.signal = SIGKILL,
	.done = "deleted",
};

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	return sgang_action_run(&action, verb, argc, argv);
}

const struct sgang_verb sgang_verb_delete = {
	.name = "delete",
	.operands = "[NAMESPACE/]NAME",
	.summary = "take back the definition of a gang",
	.options = sgang_cmd_no_options,
	.run = run
};
