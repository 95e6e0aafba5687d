/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_spank.c - the few functions of Slurm that a SPANK plugin calls */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_spank.h"
#include "slurm/public.h"

/* Who stands in for another has its parameters, and uses few of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

slurm_conf_t slurm_conf;

struct fake_spank fake_spank;

void fake_spank_reset(enum spank_context context)
{
	memset(&fake_spank, 0, sizeof(fake_spank));
	fake_spank.context = context;
	fake_spank.register_rc = ESPANK_SUCCESS;
	fake_spank.plugins = "gang";
	slurm_conf.job_submit_plugins = NULL;
}

int fake_spank_type(const char *name, const char *value, int remote)
{
	size_t i;

	for (i = 0; i < fake_spank.n_options; i++)
		if (!strcmp(fake_spank.option[i].name, name))
			return fake_spank.option[i].cb(fake_spank.option[i].val,
						       value, remote);
	return -1;
}

spank_context_t spank_context(void)
{
	return fake_spank.context;
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *opt)
{
	size_t i = fake_spank.n_options;

	if (fake_spank.register_rc != ESPANK_SUCCESS)
		return fake_spank.register_rc;
	if (i == FAKE_SPANK_OPTIONS || !opt->usage || !opt->has_arg)
		return ESPANK_BAD_ARG;
	snprintf(fake_spank.option[i].name, sizeof(fake_spank.option[i].name),
		 "%s", opt->name);
	fake_spank.option[i].cb = opt->cb;
	fake_spank.option[i].val = opt->val;
	fake_spank.n_options++;
	return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t spank, const char *var)
{
	if (fake_spank.context != S_CTX_REMOTE)
		return ESPANK_NOT_REMOTE;
	if (fake_spank.n_unset == FAKE_SPANK_OPTIONS)
		return ESPANK_NOSPACE;
	snprintf(fake_spank.unset[fake_spank.n_unset++],
		 sizeof(fake_spank.unset[0]), "%s", var);
	return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t spank, const char *var, const char *val,
			 int overwrite)
{
	if (fake_spank.context != S_CTX_REMOTE)
		return ESPANK_NOT_REMOTE;
	snprintf(fake_spank.set, sizeof(fake_spank.set), "%s=%s", var, val);
	return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t spank, const char *var, char *buf, int len)
{
	size_t length = strlen(var), i;

	if (fake_spank.context != S_CTX_REMOTE)
		return ESPANK_NOT_REMOTE;
	for (i = 0; fake_spank.env[i]; i++) {
		if (strncmp(fake_spank.env[i], var, length) ||
		    fake_spank.env[i][length] != '=')
			continue;
		snprintf(buf, (size_t)len, "%s",
			 fake_spank.env[i] + length + 1);
		return ESPANK_SUCCESS;
	}
	return ESPANK_ENV_NOEXIST;
}

/* A command that was given no option. */
spank_err_t spank_job_control_getenv(spank_t spank, const char *var, char *buf,
				     int len)
{
	return ESPANK_ENV_NOEXIST;
}

spank_err_t spank_job_control_setenv(spank_t spank, const char *var,
				     const char *val, int overwrite)
{
	return ESPANK_NOT_AVAIL;
}

spank_err_t spank_job_control_unsetenv(spank_t spank, const char *var)
{
	return ESPANK_NOT_AVAIL;
}

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
	spank_err_t rc = ESPANK_SUCCESS;
	va_list args;

	if (fake_spank.context != S_CTX_REMOTE)
		return ESPANK_NOT_REMOTE;
	va_start(args, item);
	switch (item) {
	case S_JOB_UID:
		*va_arg(args, uid_t *) = getuid();
		break;
	case S_JOB_GID:
		*va_arg(args, gid_t *) = getgid();
		break;
	case S_JOB_STEPID:
		*va_arg(args, uint32_t *) = fake_spank.step;
		break;
	case S_JOB_ARGV:
		*va_arg(args, int *) = fake_spank.argv[0] ? 1 : 0;
		*va_arg(args, char ***) = fake_spank.argv;
		break;
	case S_JOB_ENV:
		*va_arg(args, char ***) = fake_spank.env;
		break;
	default:
		rc = ESPANK_BAD_ARG;
	}
	va_end(args);
	return rc;
}

int slurm_load_ctl_conf(time_t update_time, slurm_conf_t **conf)
{
	static slurm_conf_t answer;

	fake_spank.n_asked++;
	answer.job_submit_plugins = (char *)fake_spank.plugins;
	*conf = &answer;
	return fake_spank.is_down ? SLURM_ERROR : SLURM_SUCCESS;
}

void public_free_conf(slurm_conf_t *conf)
{
}

void slurm_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(fake_spank.error, sizeof(fake_spank.error), fmt, args);
	va_end(args);
	fake_spank.n_errors++;
}

void slurm_info(const char *fmt, ...)
{
}

void slurm_debug(const char *fmt, ...)
{
}
