/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn.c - run a command without a shell, and wait for it */

#define _GNU_SOURCE /* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Read to the end, also without room: otherwise the command could not write. */
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

/* Start it; its output can be read from '*fd', for the caller to close. */
static int start_reading(char *const *argv, int *fd, pid_t *pid,
			 struct sgang_error *err)
{
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC))
		return sgang_errf(err, errno, "no pipe to %s: %s", argv[0],
				  strerror(errno));
	rc = start(argv, ends[1], pid);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		return sgang_errf(err, rc, "cannot run %s: %s", argv[0],
				  strerror(rc));
	}
	*fd = ends[0];
	return 0;
}

static int wait_for_end(char *const *argv, pid_t pid, struct sgang_error *err)
{
	int rc = exit_status(pid);

	if (rc < 0)
		return sgang_errf(err, errno, "lost sight of %s: %s", argv[0],
				  strerror(errno));
	return rc;
}

int sgang_spawn(char *const *argv, char *out, size_t size,
		struct sgang_error *err)
{
	pid_t pid;
	int fd;

	if (start_reading(argv, &fd, &pid, err))
		return -1;
	read_all(fd, out, size);
	close(fd);
	return wait_for_end(argv, pid, err);
}

int sgang_spawn_lines(char *const *argv, void (*take)(void *ctx, char *line),
		      void *ctx, struct sgang_error *err)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	FILE *in;
	pid_t pid;
	int fd;

	if (start_reading(argv, &fd, &pid, err))
		return -1;
	in = fdopen(fd, "r");
	if (!in) {
		close(fd);
		exit_status(pid);
		return sgang_err_memory(err);
	}
	while ((length = getline(&line, &room, in)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		take(ctx, line);
	}
	free(line);
	fclose(in);
	return wait_for_end(argv, pid, err);
}
