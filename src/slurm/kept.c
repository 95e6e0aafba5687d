/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.c - copies of the files that were good last, for the next process */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "release.h"

#include "core/base/text_file.h"
#include "kept.h"
#include "plugins/log.h"

#pragma weak slurm_conf

/* The largest file that the readers accept. */
#define FILE_MAX (64 * 1024 * 1024)

char *sgang_kept_path(const char *name)
{
	return xstrdup_printf("%s/%s", slurm_conf.state_save_location, name);
}

void sgang_kept_copy(const char *from, const char *name)
{
	char *path = sgang_kept_path(name);
	struct sgang_error err;
	char *text = sgang_text_file_read(from, FILE_MAX, "a file of settings",
					  &err);

	if ((!text && errno != ENOENT) ||
	    sgang_text_file_write(path, text ? text : "", &err)) {
		sgang_log(SGANG_LOG_ERROR,
			  "%s; at the next start there is no copy of %s",
			  err.text, from);
		unlink(path);
	}
	free(text);
	xfree(path);
}
