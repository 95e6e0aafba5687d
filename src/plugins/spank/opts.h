/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opts.h - the --gang... options as a command sees them
 *
 * Knows nothing of SPANK. Every name that a user can type, aliases too, is a
 * slot, and so is every hidden one; Slurm hands the slot's number back with the
 * value. Here each value is checked by itself; whether they hold together, and
 * with the rest of the gang, is for slurmctld to say (job_submit), which gets
 * all of them in any case.
 */

#ifndef SGANG_OPTS_H
#define SGANG_OPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* The option a slot stands for; slots count from 0. False when there is no such
 * slot. The strings are constants. */
struct sgang_opts_slot {
	const char *name; /* "gang-min-available" */
	const char *arg;  /* "N" */
	const char *help;
	bool hidden; /* not for users: not registered */
};
bool sgang_opts_slot(size_t slot, struct sgang_opts_slot *found);

/* Is it a value for this slot? Returns 0, or -1 with errno EINVAL or E2BIG and
 * 'err' filled. */
int sgang_opts_check(size_t slot, const char *value, struct sgang_error *err);

/* The variable in which Slurm leaves a slot's value in the job's environment,
 * from where a command started by the job would take it as its own default.
 * Writes at most 'size' bytes; false when there is no such slot. */
bool sgang_opts_variable(size_t slot, char *buf, size_t size);

/* Is "NAME=value" such a variable, of any slot? Is it one of the SLURM_GANG_*
 * with which a gang's job is told about its gang? */
bool sgang_opts_is_option(const char *entry);
bool sgang_opts_is_told(const char *entry);

#endif
