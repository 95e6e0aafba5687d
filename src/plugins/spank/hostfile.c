/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostfile.c - where a hostfile is put for srun, and for a job to use */

#define _GNU_SOURCE /* memfd_create(), asprintf() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/text.h"
#include "plugins/spank/hostfile.h"

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

static void close_quietly(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

int sgang_hostfile_keep(const char *text, char path[SGANG_HOSTFILE_PATH],
			struct sgang_error *err)
{
	int fd = memfd_create("gang_hostfile", MFD_CLOEXEC);

	if (fd >= 0 && !write_all(fd, text)) {
		snprintf(path, SGANG_HOSTFILE_PATH, "/proc/self/fd/%d", fd);
		return fd;
	}
	sgang_errf(err, errno, "no room for a hostfile: %s", strerror(errno));
	if (fd >= 0)
		close_quietly(fd);
	return -1;
}

/* A file that was not written whole is not left behind. */
static int create(const char *path, const char *text, uid_t uid, gid_t gid)
{
	int fd, rc;

	if (unlink(path) && errno != ENOENT)
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -1;
	rc = write_all(fd, text);
	/* a slurmd that is not root runs jobs of its own user alone */
	if (!rc && !geteuid())
		rc = fchown(fd, uid, gid);
	if (rc) {
		close_quietly(fd);
		rc = errno;
		unlink(path);
		errno = rc;
		return -1;
	}
	return close(fd);
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
	if (!create(path, text, uid, gid))
		return path;
	sgang_errf(err, errno, "cannot write the hostfile %s: %s",
		   sgang_text_show(shown, path), strerror(errno));
	free(path);
	return NULL;
}
