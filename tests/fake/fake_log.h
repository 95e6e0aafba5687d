/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_log.h - what a plugin would have written into the log */

#ifndef TESTS_FAKE_LOG_H
#define TESTS_FAKE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "plugins/log.h"

/* Forget all lines. Threads may log at any time, but not while lines are
 * forgotten or printed. */
void fake_log_reset(void);

/* How many lines of this level hold 'part'. The oldest are dropped when there
 * are very many. */
size_t fake_log_count(enum sgang_log_level level, const char *part);

/* Print all lines to stderr. */
void fake_log_print(void);

#endif
