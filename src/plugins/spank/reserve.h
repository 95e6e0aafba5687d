/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reserve.h - the placeholders of sbatch --gang-reserve
 *
 * sbatch submits one job, so it is run once for each group, with the very
 * command line that the user typed, and at last once for the job itself. What
 * such a run is for stands in its environment; sgang_reserve_take() reads it.
 * Knows nothing of SPANK.
 */

#ifndef SGANG_SPANK_RESERVE_H
#define SGANG_SPANK_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/gang/reserve.h"

/* What a run of sbatch is for. */
struct sgang_reserve_run {
	char role[SGANG_ROLE_SIZE + 16]; /* "executor:min=8" */
	char array[SGANG_RESERVED_SIZE]; /* "1-8", or "no": the job itself */
};

/* Take it out of the environment, before the job inherits it. False: sbatch was
 * run by the user. */
bool sgang_reserve_take(struct sgang_reserve_run *run);

struct sgang_reserve_request {
	char *const *argv; /* of sbatch */
	const char *list;  /* --gang-reserve, which was checked */
	const char *role;  /* --gang-role: the group of the job itself */
	long input;        /* where standard input began; -1: it cannot go back
			    */
};

/* Submit all. Returns the exit status for sbatch, or -1 and 'err' when nothing
 * was submitted or everything was cancelled. */
int sgang_reserve_submit(const struct sgang_reserve_request *request,
			 struct sgang_error *err);

#endif
