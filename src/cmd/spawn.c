/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn.c - run a command without a shell, and wait for it */

#define _GNU_SOURCE			/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/spawn.h"

extern char **environ;

/* Start it with 'fd' as its standard output. Returns 0 or an errno. */
static int start(char *const *argv, int fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return rc;
	rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
					      "/dev/null", O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, fd,
						      STDOUT_FILENO);
	if (!rc)
		rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

/* Read to the end, also what there is no room for: else the command would be
 * told that nobody listens. */
static void read_all(int fd, char *out, size_t size)
{
	size_t length = 0, taken;
	char buf[512];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 ||
	       (n < 0 && errno == EINTR)) {
		taken = n > 0 ? (size_t)n : 0;
		if (taken > size - 1 - length)
			taken = size - 1 - length;
		memcpy(out + length, buf, taken);
		length += taken;
	}
	out[length] = '\0';
}

static int exit_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	       WEXITSTATUS(status);
}

int sgang_spawn(char *const *argv, char *out, size_t size,
		struct sgang_error *err)
{
	int fd[2], rc;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return sgang_errf(err, errno, "no pipe to %s: %s", argv[0],
				  strerror(errno));
	rc = start(argv, fd[1], &pid);
	close(fd[1]);
	if (rc) {
		close(fd[0]);
		return sgang_errf(err, rc, "cannot run %s: %s", argv[0],
				  strerror(rc));
	}
	read_all(fd[0], out, size);
	close(fd[0]);
	rc = exit_status(pid);
	if (rc < 0)
		return sgang_errf(err, errno, "lost sight of %s: %s", argv[0],
				  strerror(errno));
	return rc;
}
