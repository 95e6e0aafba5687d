/* SPDX-License-Identifier: GPL-2.0-or-later */
/* in_use.h - does slurmctld use slurm-gang? */

#ifndef SGANG_SPANK_IN_USE_H
#define SGANG_SPANK_IN_USE_H

#include "core/base/err.h"

/* A slurmctld without job_submit/gang starts the members of a gang one by one.
 * Asks it. Returns 0, or -1 and 'err' if it would. */
int sgang_in_use(struct sgang_error *err);

#endif
