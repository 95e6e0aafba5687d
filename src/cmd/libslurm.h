/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libslurm.h - entering and leaving libslurm, which may end the program */

#ifndef SGANG_LIBSLURM_H
#define SGANG_LIBSLURM_H

#include <stdbool.h>

#include "core/base/err.h"

/* To be called before a call of libslurm, and after it. Without a slurm.conf
 * libslurm ends the program with status 1, a plain "no"; between these two
 * calls the status becomes SGANG_EXIT_BAD. Returns 0, or -1 with 'err' filled.
 */
int sgang_libslurm_enter(struct sgang_error *err);
void sgang_libslurm_leave(void);

/* True if the last call failed before slurmctld answered. */
bool sgang_libslurm_unheard(void);

/* The cause of the last call that failed, and a remedy where there is one.
 * Valid until the next call. */
const char *sgang_libslurm_why(void);

#endif
