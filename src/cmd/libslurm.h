/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libslurm.h - getting into libslurm, and out of it alive */

#ifndef SGANG_LIBSLURM_H
#define SGANG_LIBSLURM_H

#include "core/base/err.h"

/* To be called before a call of libslurm, and after it. It ends the program
 * with status 1, a plain "no", when there is no slurm.conf; between the two
 * that becomes SGANG_EXIT_BAD. Returns 0, or -1 with 'err' filled. */
int sgang_libslurm_enter(struct sgang_error *err);
void sgang_libslurm_leave(void);

/* What the last call that failed has failed for, and where it helps to know,
 * what to do. Valid until the next one. */
const char *sgang_libslurm_why(void);

#endif
