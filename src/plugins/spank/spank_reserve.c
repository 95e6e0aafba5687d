/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spank_reserve.c - --gang-reserve, in the process of sbatch */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/gang/spec.h"
#include "plugins/log.h"
#include "plugins/spank/cmdline.h"
#include "plugins/spank/reserve.h"
#include "plugins/spank/spank_reserve.h"

/* Where sbatch's standard input began; -1: it cannot go back. */
static long input = -1;

/* What this sbatch is run for by another one; array "": by the user. */
static struct sgang_reserve_run run;

/* The number of a job goes to another sbatch as soon as it is known. */
void sgang_spank_reserve_begin(void)
{
	input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (sgang_reserve_take(&run))
		setvbuf(stdout, NULL, _IOLBF, 0);
	else
		run.array[0] = '\0';
}

bool sgang_spank_reserve_runs(void)
{
	return run.array[0] != '\0';
}

/* Slurm has the value in the environment of this process too, for slurmstepd. */
static int set_option(spank_t spank, const char *name, const char *value)
{
	char variable[64];

	snprintf(variable, sizeof(variable), SGANG_SPEC_ENV "%s", name);
	return setenv(variable, value, 1) ||
			       spank_job_control_setenv(spank, variable, value,
							1) != ESPANK_SUCCESS ?
		       -1 :
		       0;
}

static bool get_option(spank_t spank, const char *name, char *value, int size)
{
	char variable[64];

	snprintf(variable, sizeof(variable), SGANG_SPEC_ENV "%s", name);
	return spank_job_control_getenv(spank, variable, value, size) ==
	       ESPANK_SUCCESS;
}

/* Unless the user did. */
static int set_default(spank_t spank, const char *name, const char *value)
{
	char said[256];

	return get_option(spank, name, said, sizeof(said)) ?
		       0 :
		       set_option(spank, name, value);
}

/* The gang needs all groups: none is placed before the others are submitted. */
static int set_minimum(spank_t spank, const char *list)
{
	uint32_t groups = 0, members = 0;
	struct sgang_reserve reserve;
	char number[16], total[16];

	while (sgang_reserve_next(&list, &reserve)) {
		groups++;
		members += reserve.members;
	}
	snprintf(number, sizeof(number), "%" PRIu32, groups);
	snprintf(total, sizeof(total), "%" PRIu32, members);
	return set_default(spank, "gang_min_member", number) ||
	       set_default(spank, "gang_total_number", total);
}

/* One of the jobs that --gang-reserve makes. */
static int take_part(spank_t spank, const char *list)
{
	bool placeholder = strcmp(run.array, "no") != 0;

	unsetenv(SGANG_SPEC_ENV "gang_reserve");
	if (spank_job_control_unsetenv(spank, SGANG_SPEC_ENV "gang_reserve") !=
		    ESPANK_SUCCESS ||
	    set_option(spank, "gang_role", run.role) ||
	    set_option(spank, "gang_reserved", run.array) ||
	    set_default(spank, "gang_placeholders", "soft") ||
	    set_minimum(spank, list) ||
	    (placeholder && set_option(spank, "gang_placeholder", "1"))) {
		sgang_log(SGANG_LOG_ERROR,
			  "no memory to submit for --gang-reserve");
		return -1;
	}
	return 0;
}

/* Other commands wait for one job and show what it prints. */
static bool is_sbatch(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *name;

	path[n > 0 ? n : 0] = '\0';
	name = strrchr(path, '/');
	return name && !strncmp(name + 1, "sbatch", 6);
}

static bool is_pipe(void)
{
	struct stat file;

	return !fstat(STDIN_FILENO, &file) && S_ISFIFO(file.st_mode);
}

/* Run sbatch for each group in place of this process; see reserve.h. */
static int submit_groups(spank_t spank, const char *list)
{
	char role[SGANG_ROLE_SIZE] = "", **argv;
	struct sgang_reserve_request request = { .list = list,
						 .role = role,
						 .input = input };
	struct sgang_error err;
	int status;

	if (!is_sbatch()) {
		sgang_log(SGANG_LOG_ERROR,
			  "--gang-reserve: only sbatch makes placeholders");
		return -1;
	}
	get_option(spank, "gang_role", role, sizeof(role));
	argv = sgang_cmdline();
	request.argv = argv;
	status = argv ? sgang_reserve_submit(&request, &err) :
			sgang_err_memory(&err);
	free(argv);
	if (status < 0) {
		sgang_log(SGANG_LOG_ERROR, "%s", err.text);
		return -1;
	}
	if (status && input < 0 && is_pipe())
		sgang_log(SGANG_LOG_ERROR,
			  "--gang-reserve: a script from a pipe can be read "
			  "once, and is needed for each group: give its file");
	fflush(NULL);
	/* nothing is left to do for this process, SPANK's end included */
	_exit(status);
}

int sgang_spank_reserve(spank_t spank)
{
	char list[SGANG_ROLE_LIST_SIZE];

	if (!get_option(spank, "gang_reserve", list, sizeof(list)))
		return 0;
	return sgang_spank_reserve_runs() ? take_part(spank, list) :
					    submit_groups(spank, list);
}
