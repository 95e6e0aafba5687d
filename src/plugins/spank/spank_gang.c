/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spank_gang.c - the SPANK plugin: --gang... in sbatch, salloc and srun
 *
 * SPANK loads it into every command and daemon; which of them it is decides
 * what a hook does:
 *
 *   sbatch, salloc       allocator   options; forget the parent job's gang
 *   srun                 local       the same; as a step it keeps what the job
 *                                    was told about its gang
 *   slurmstepd           remote      options, so that Slurm finds them; hide
 *                                    them from what the job starts
 *   slurmd, job scripts              nothing
 *
 * The values reach slurmctld in the job's spank_job_env without our doing.
 */

#define _GNU_SOURCE	/* environ */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "plugins/log.h"
#include "plugins/spank/opts.h"

SPANK_PLUGIN(gang, 1)

void sgang_log(enum sgang_log_level level, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	switch (level) {
	case SGANG_LOG_ERROR:
		slurm_error("gang: %s", text);
		break;
	case SGANG_LOG_INFO:
		slurm_info("gang: %s", text);
		break;
	case SGANG_LOG_DEBUG:
		slurm_debug("gang: %s", text);
		break;
	}
}

/* An srun inside an allocation starts a step of it. */
static bool is_step(void)
{
	return spank_context() == S_CTX_LOCAL && getenv("SLURM_JOB_ID");
}

/* In a job's batch script or steps, or in the shell of salloc. */
static bool is_inside_job(void)
{
	return getenv("SLURM_JOB_ID") || getenv("SLURM_JOBID") ||
	       getenv("SLURM_GANG_NAME");
}

static void unset_all(bool (*matches)(const char *entry))
{
	char name[256];
	size_t i = 0;

	while (environ && environ[i]) {
		size_t length = strcspn(environ[i], "=");

		if (length >= sizeof(name) || !matches(environ[i])) {
			i++;
			continue;
		}
		memcpy(name, environ[i], length);
		name[length] = '\0';
		/* the entries behind it move up */
		if (unsetenv(name))
			i++;
	}
}

/* Slurm exports a job's options to the job, and takes exported options as
 * defaults: without this a job submitted from inside a gang would join it, and
 * hear of the gang in SLURM_GANG_*. Outside of jobs such a variable was set on
 * purpose and stays. Called before Slurm reads the environment. */
static void forget_parent(void)
{
	if (!is_inside_job())
		return;
	unset_all(sgang_opts_is_option);
	if (!is_step())
		unset_all(sgang_opts_is_told);
}

static int take_option(int slot, const char *value, int remote)
{
	struct sgang_opts_slot option;
	struct sgang_error err;

	/* slurmctld has accepted it long ago */
	if (remote)
		return 0;
	if (sgang_opts_check((size_t)slot, value, &err)) {
		sgang_log(SGANG_LOG_ERROR, "%s", err.text);
		return -1;
	}
	if (is_step() && sgang_opts_slot((size_t)slot, &option))
		sgang_log(SGANG_LOG_ERROR, "--%s is ignored: a step cannot "
			  "join a gang, its job can", option.name);
	return 0;
}

static int register_options(spank_t spank)
{
	struct sgang_opts_slot slot;
	int i;

	for (i = 0; sgang_opts_slot((size_t)i, &slot); i++) {
		struct spank_option option = {
			.name = (char *)slot.name,
			.arginfo = (char *)slot.arg,
			.usage = (char *)slot.help,
			.has_arg = 1,
			.val = i,
			.cb = take_option,
		};

		if (slot.hidden)
			continue;
		/* Slurm copies all of it */
		if (spank_option_register(spank, &option) != ESPANK_SUCCESS) {
			sgang_log(SGANG_LOG_ERROR, "cannot register --%s",
				  slot.name);
			return -1;
		}
	}
	return 0;
}

int slurm_spank_init(spank_t spank, int ac, char **av)
{
	(void)ac;
	(void)av;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		forget_parent();
		return register_options(spank);
	case S_CTX_REMOTE:
		return register_options(spank);
	default:
		return 0;
	}
}

/* What a task starts must not find the options in its environment. */
static void hide_options(spank_t spank)
{
	char name[256];
	size_t slot;

	for (slot = 0; sgang_opts_variable(slot, name, sizeof(name)); slot++)
		spank_unsetenv(spank, name);
}

int slurm_spank_init_post_opt(spank_t spank, int ac, char **av)
{
	(void)ac;
	(void)av;
	if (spank_context() == S_CTX_REMOTE)
		hide_options(spank);
	return 0;
}
