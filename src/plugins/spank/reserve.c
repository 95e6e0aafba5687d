/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reserve.c - the placeholders of sbatch --gang-reserve */

#define _GNU_SOURCE /* environ, pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/spank/reserve.h"

#define ROLE "SGANG_RESERVE_ROLE"
#define ARRAY "SGANG_RESERVE_ARRAY"

/* This very program, whatever was typed to find it. */
#define SBATCH "/proc/self/exe"

bool sgang_reserve_take(struct sgang_reserve_run *run)
{
	const char *role = getenv(ROLE), *array = getenv(ARRAY);
	bool fits = role && array && strlen(role) < sizeof(run->role) &&
		    strlen(array) < sizeof(run->array);

	if (fits) {
		strcpy(run->role, role);
		strcpy(run->array, array);
	}
	unsetenv(ROLE);
	unsetenv(ARRAY);
	return fits;
}

/* ---- the environment of a run ---- */

/* What the user's environment says of it; NULL: nothing. */
struct said {
	char *array, *name;
};

static int keep_said(struct said *said)
{
	const char *array = getenv("SBATCH_ARRAY_INX");
	const char *name = getenv("SBATCH_JOB_NAME");

	said->array = array ? strdup(array) : NULL;
	said->name = name ? strdup(name) : NULL;
	return (array && !said->array) || (name && !said->name) ? -1 : 0;
}

static int put(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : unsetenv(name);
}

/* For the placeholders of a group, or for the job itself, which then hears of an
 * array that the user wants. A script that was read from standard input is read
 * again. */
static int prepare(const struct sgang_reserve_request *request,
		   const struct said *said, const struct sgang_reserve *reserve,
		   bool placeholders)
{
	char role[sizeof(((struct sgang_reserve_run *)NULL)->role)];
	char array[SGANG_RESERVED_SIZE] = "no", name[sizeof(role)];

	snprintf(role, sizeof(role), "%s:min=%" PRIu32, reserve->group,
		 reserve->members);
	snprintf(name, sizeof(name), "%s.placeholder", reserve->group);
	if (placeholders)
		snprintf(array, sizeof(array), "1-%" PRIu32, reserve->members);
	if (request->input >= 0)
		lseek(STDIN_FILENO, request->input, SEEK_SET);
	return put(ROLE, role) || put(ARRAY, array) ||
	       put("SBATCH_ARRAY_INX", placeholders ? array : said->array) ||
	       put("SBATCH_JOB_NAME", placeholders ? name : said->name);
}

/* Words that would keep sbatch from telling the number. Behind the script's name
 * they are its arguments, which a placeholder does not need. */
static bool is_left_out(const char *word)
{
	static const char *const words[] = { "-W", "--wait", "-Q", "--quiet" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static char **placeholder_words(char *const *argv)
{
	size_t n = 0, i;
	char **words;

	while (argv[n])
		n++;
	words = calloc(n + 1, sizeof(*words));
	for (n = i = 0; words && argv[i]; i++)
		if (!is_left_out(argv[i]))
			words[n++] = argv[i];
	return words;
}

/* ---- a run of a command ---- */

static int exit_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* Start it; '*out' is what it prints. */
static int start(const char *path, char *const *argv, FILE **out, pid_t *pid,
		 struct sgang_error *err)
{
	posix_spawn_file_actions_t actions;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC))
		return sgang_errf(err, errno, "no pipe to %s: %s", argv[0],
				  strerror(errno));
	*out = fdopen(ends[0], "r");
	rc = *out ? posix_spawn_file_actions_init(&actions) : ENOMEM;
	if (!rc) {
		rc = posix_spawn_file_actions_adddup2(&actions, ends[1],
						      STDOUT_FILENO);
		if (!rc)
			rc = posix_spawnp(pid, path, &actions, NULL, argv,
					  environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (!rc)
		return 0;
	if (*out)
		fclose(*out);
	else
		close(ends[0]);
	return sgang_errf(err, rc, "cannot run %s: %s", argv[0], strerror(rc));
}

/* The number of the job, in a line of sbatch: "Submitted batch job 12", or with
 * --parsable "12;cluster". 0: none. */
static uint32_t job_number(const char *line)
{
	static const char told[] = "Submitted batch job ";
	const char *number = strncmp(line, told, sizeof(told) - 1) ?
				     line :
				     line + sizeof(told) - 1;

	return (uint32_t)strtoul(number, NULL, 10);
}

/* Returns the exit status, or -1 and 'err'; '*number' is that of the job, 0 if
 * sbatch told none. Of placeholders nothing is shown, and not waited for more
 * than the number: with --wait in the script sbatch goes on. */
static int run_sbatch(char *const *argv, bool placeholders, uint32_t *number,
		      struct sgang_error *err)
{
	char line[256];
	pid_t pid;
	FILE *out;

	*number = 0;
	if (start(SBATCH, argv, &out, &pid, err))
		return -1;
	while (!(placeholders && *number) && fgets(line, sizeof(line), out)) {
		if (!*number)
			*number = job_number(line);
		if (placeholders)
			continue;
		fputs(line, stdout);
		fflush(stdout);
	}
	fclose(out);
	if (placeholders && *number)
		kill(pid, SIGTERM);
	return exit_status(pid);
}

/* ---- all of them ---- */

/* scancel, and the numbers of the arrays of placeholders. */
struct submitted {
	char *argv[SGANG_ROLE_LIST_SIZE / 4 + 2]; /* "a:1," is the shortest */
	size_t n;
};

static int note(struct submitted *done, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, number);
	done->argv[done->n] = strdup(text);
	return done->argv[done->n++] ? 0 : -1;
}

static void cancel(struct submitted *done)
{
	struct sgang_error err;
	pid_t pid;
	FILE *out;

	if (done->n < 2)
		return;
	if (start("scancel", done->argv, &out, &pid, &err)) {
		fprintf(stderr, "%s; placeholders are left\n", err.text);
		return;
	}
	exit_status(pid);
	fclose(out);
}

/* Returns the exit status of sbatch, or -1 and 'err'. */
static int submit_placeholders(const struct sgang_reserve_request *request,
			       const struct said *said,
			       const struct sgang_reserve *reserve,
			       struct submitted *done, struct sgang_error *err)
{
	char **argv = placeholder_words(request->argv);
	uint32_t number = 0;
	int status;

	if (!argv || prepare(request, said, reserve, true))
		status = sgang_err_memory(err);
	else
		status = run_sbatch(argv, true, &number, err);
	free(argv);
	if (!number || status < 0)
		return status;
	return note(done, number) ? sgang_err_memory(err) : 0;
}

static int submit_job(const struct sgang_reserve_request *request,
		      const struct said *said, const struct sgang_reserve *own,
		      struct submitted *done, struct sgang_error *err)
{
	uint32_t number;
	int status;

	if (prepare(request, said, own, false))
		return sgang_err_memory(err);
	status = run_sbatch(request->argv, false, &number, err);
	/* it has placeholders from now on, however it ends */
	if (number)
		done->n = 1;
	return status;
}

static int submit_all(const struct sgang_reserve_request *request,
		      const struct said *said, const struct sgang_reserve *own,
		      struct submitted *done, struct sgang_error *err)
{
	const char *at = request->list;
	struct sgang_reserve reserve;
	int status = 0;

	while (!status && sgang_reserve_next(&at, &reserve))
		status = submit_placeholders(request, said, &reserve, done,
					     err);
	return status ? status : submit_job(request, said, own, done, err);
}

int sgang_reserve_submit(const struct sgang_reserve_request *request,
			 struct sgang_error *err)
{
	struct submitted done = { .argv = { (char *)"scancel" }, .n = 1 };
	struct said said = { NULL, NULL };
	struct sgang_reserve own;
	int status;

	if (!sgang_reserve_find(request->list, request->role, &own))
		return sgang_errf(err, EINVAL,
				  "--gang-reserve=%s: --gang-role=GROUP says "
				  "which of these groups the job itself is in",
				  request->list);
	if (keep_said(&said))
		status = sgang_err_memory(err);
	else
		status = submit_all(request, &said, &own, &done, err);
	if (status)
		cancel(&done);
	for (size_t i = 1; i < sizeof(done.argv) / sizeof(done.argv[0]); i++)
		free(done.argv[i]);
	free(said.array);
	free(said.name);
	return status;
}
