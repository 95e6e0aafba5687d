/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostfile.h - where a hostfile is put for srun, and for a job to use
 *
 * Knows nothing of SPANK.
 */

#ifndef SGANG_HOSTFILE_H
#define SGANG_HOSTFILE_H

#include <stddef.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Keep 'text' in a file without a name, which this process alone can open, for
 * as long as the descriptor is open; 'path' is where. Commands that it starts
 * do not inherit it. Returns the descriptor, or -1 with errno and 'err'. */
#define SGANG_HOSTFILE_PATH 32
int sgang_hostfile_keep(const char *text, char path[SGANG_HOSTFILE_PATH],
			struct sgang_error *err);

/* Write 'text' into the file "gang_hostfile" of the folder of 'script', which
 * only root can write to; it can be read by its owner 'uid' alone. A file of
 * that name is replaced; a symbolic link is not followed. Returns the path, to
 * be freed, or NULL with errno and 'err'. */
char *sgang_hostfile_write(const char *script, const char *text, uid_t uid,
			   gid_t gid, struct sgang_error *err);

#endif
