/* SPDX-License-Identifier: GPL-2.0-or-later */
/* in_use.c - does slurmctld use slurm-gang? */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/spank/cmdline.h"
#include "plugins/spank/in_use.h"
#include "slurm/public.h"

/* libslurm's, which has read slurm.conf. */
extern slurm_conf_t slurm_conf;
#pragma weak slurm_conf

/* Is gang one of JobSubmitPlugins=? */
static bool has_gang(const char *plugins)
{
	static const char type[] = "job_submit/";

	while (plugins && *plugins) {
		size_t length = strcspn(plugins, ",");

		if (!strncmp(plugins, type, sizeof(type) - 1)) {
			plugins += sizeof(type) - 1;
			length -= sizeof(type) - 1;
		}
		if (length == 4 && !strncmp(plugins, "gang", 4))
			return true;
		plugins += length + (plugins[length] == ',');
	}
	return false;
}

/* The job may go to another cluster, whose slurmctld is not known yet. */
static bool names_clusters(void)
{
	static const char *const variables[] = { "SBATCH_CLUSTERS",
						 "SALLOC_CLUSTERS",
						 "SLURM_CLUSTERS" };
	char **argv = sgang_cmdline();
	bool found = false;
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		found |= getenv(variables[i]) != NULL;
	for (i = 1; argv && argv[0] && argv[i]; i++)
		found |= !strncmp(argv[i], "-M", 2) ||
			 !strncmp(argv[i], "--cl", 4);
	free(argv);
	return found;
}

int sgang_in_use(struct sgang_error *err)
{
	slurm_conf_t *conf;
	bool used;

	if (names_clusters())
		return 0;
	/* the file at hand may not be what slurmctld has read */
	if (!slurm_load_ctl_conf(0, &conf)) {
		used = has_gang(conf->job_submit_plugins);
		public_free_conf(conf);
		if (used)
			return 0;
		return sgang_errf(
			err, ENOTSUP,
			"--gang: slurmctld does not use slurm-gang, its "
			"JobSubmitPlugins= has no gang, so the job would start "
			"alone; tell its administrator, or submit the job "
			"without --gang");
	}
	if (!&slurm_conf || has_gang(slurm_conf.job_submit_plugins))
		return 0;
	return sgang_errf(err, ENOTSUP,
			  "--gang: slurmctld does not answer, and "
			  "JobSubmitPlugins= in this host's slurm.conf has no "
			  "gang: without it the job would start alone");
}
