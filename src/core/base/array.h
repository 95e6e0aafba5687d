/* SPDX-License-Identifier: GPL-2.0-or-later */
/* array.h - job array expressions, "0-15:4,20%3" */

#ifndef SGANG_ARRAY_H
#define SGANG_ARRAY_H

#include <stdint.h>

/* Slurm's own upper limit of MaxArraySize. */
#define SGANG_ARRAY_TASK_MAX 4000000

/* How many tasks 'expr' names (each counted once, however often it is named)
 * and how many of them may run at a time ('*throttle', 0: no limit). Either
 * output may be NULL. Returns 0, or -1 with errno EINVAL (not an expression,
 * a task above SGANG_ARRAY_TASK_MAX) or ENOMEM; outputs are then untouched. */
int sgang_array_parse(const char *expr, uint32_t *tasks, uint32_t *throttle);

#endif
