/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_file.c - files of slurmstepd that a job's user may read */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "plugins/spank/user_file.h"

int sgang_user_file_fill(int fd, const char *text)
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

int sgang_user_file_create(const char *path, const char *text, mode_t mode,
			   uid_t uid, gid_t gid)
{
	int fd, rc, saved;

	if (unlink(path) && errno != ENOENT)
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  mode);
	if (fd < 0)
		return -1;
	rc = sgang_user_file_fill(fd, text);
	/* a slurmd that is not root runs jobs of its own user alone */
	if (!rc && !geteuid())
		rc = fchown(fd, uid, gid);
	if (!rc)
		return close(fd);
	saved = errno;
	close(fd);
	unlink(path);
	errno = saved;
	return -1;
}
