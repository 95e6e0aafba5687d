/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn.h - run a command without a shell, and wait for it */

#ifndef SGANG_SPAWN_H
#define SGANG_SPAWN_H

#include <stddef.h>

#include "core/base/err.h"

/* Run the command argv[0], looked for in PATH, with nothing on its standard
 * input. Its output goes into 'out', at most 'size' - 1 bytes and a zero byte;
 * the rest is dropped. Its standard error is ours. Returns its exit status, 128
 * + N when signal N ended it; or -1 with errno and 'err' filled when it could
 * not be run. */
int sgang_spawn(char *const *argv, char *out, size_t size,
		struct sgang_error *err);

/* The same, but 'take' gets each line that it prints, without the line feed, as
 * soon as it is there. */
int sgang_spawn_lines(char *const *argv, void (*take)(void *ctx, char *line),
		      void *ctx, struct sgang_error *err);

#endif
