/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps.h - several sruns at once, as if they were one
 *
 *   stdin ---> to each of them          signals ---> to each of them
 *   stdout, stderr <--- from each, its labels made those of the whole
 *   exit code <--- the highest of theirs
 */

#ifndef SGANG_STEPS_H
#define SGANG_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

struct sgang_step {
	uint32_t job_id;
	char *const *argv, *const *env;
	const uint32_t *rank; /* of its task i; NULL: first + i */
	uint64_t first, tasks;
	int code; /* filled in: its exit code, 128 + N for signal N */
};

struct sgang_steps {
	struct sgang_step *step;
	size_t n;
	uint64_t tasks;        /* of all */
	bool label;            /* the sruns were told to label lines */
	bool json;             /* lines are written as JSON; with 'label' */
	bool kill_on_bad_exit; /* of one srun: end the others */
	/* Is the job gone in which a step has ended badly? Then the others are
	 * ended. */
	bool (*is_gone)(uint32_t job_id);
};

/* Run them until all have ended. SIGINT once tells what still runs, and a second
 * one within a second ends all; other signals are passed on. Returns the exit
 * code, or -1 with 'err' when none was started. */
int sgang_steps_run(struct sgang_steps *steps, struct sgang_error *err);

#endif
