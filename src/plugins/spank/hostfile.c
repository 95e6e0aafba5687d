/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostfile.c - where a hostfile is put for srun, and for a job to use */

#define _GNU_SOURCE /* memfd_create(), asprintf() */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "plugins/spank/hostfile.h"
#include "plugins/spank/user_file.h"

int sgang_hostfile_keep(const char *text, char path[SGANG_HOSTFILE_PATH],
			struct sgang_error *err)
{
	int fd = memfd_create("gang_hostfile", MFD_CLOEXEC), saved;

	if (fd >= 0 && !sgang_user_file_fill(fd, text)) {
		snprintf(path, SGANG_HOSTFILE_PATH, "/proc/self/fd/%d", fd);
		return fd;
	}
	sgang_errf(err, errno, "no room for a hostfile: %s", strerror(errno));
	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return -1;
}

char *sgang_hostfile_write(const char *script, const char *text, uid_t uid,
			   gid_t gid, struct sgang_error *err)
{
	const char *slash = script[0] == '/' ? strrchr(script, '/') : NULL;
	char shown[SGANG_TEXT_SHOWN];
	char *path;

	if (!slash) {
		sgang_errf(err, EINVAL, "the batch script %s has no folder",
			   sgang_text_show(shown, script));
		return NULL;
	}
	if (asprintf(&path, "%.*s/gang_hostfile", (int)(slash - script),
		     script) < 0) {
		sgang_err_memory(err);
		return NULL;
	}
	if (!sgang_user_file_create(path, text, S_IRUSR | S_IWUSR, uid, gid))
		return path;
	sgang_errf(err, errno, "cannot write the hostfile %s: %s",
		   sgang_text_show(shown, path), strerror(errno));
	free(path);
	return NULL;
}
