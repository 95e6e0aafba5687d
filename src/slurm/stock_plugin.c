/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stock_plugin.c - Slurm's own select/cons_tres, to which calls are passed on */

#define _GNU_SOURCE /* dladdr() */

#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "select_private.h"

struct sgang_stock sgang_stock;

#define NAME(type, name, parameters, arguments) "select_p_" #name,
static const char *const stock_names[] = { SEEN(NAME) RELEASE_PASSED(NAME) };
#define STOCK_CALLS (sizeof(stock_names) / sizeof(stock_names[0]))
_Static_assert(sizeof(struct sgang_stock) == STOCK_CALLS * sizeof(void *),
	       "one name per call");

static int same_file(const char *path, const struct stat *mine)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == mine->st_dev &&
	       st.st_ino == mine->st_ino;
}

/* Slurm's own loader is not exported to programs that link libslurm, and these
 * load this plugin too. The checks are the same: the version must match, and
 * every call must be there. */
static int load_file(const char *path, const char *our_name)
{
	void *file = dlopen(path, RTLD_LAZY), **call = (void **)&sgang_stock;
	const uint32_t *version;
	const char *name;
	int (*start)(void);

	if (!file)
		return SLURM_ERROR;
	/* Another copy of us would load this one, and so on without end. */
	name = dlsym(file, "plugin_name");
	if (!name || !strcmp(name, our_name))
		goto fail;
	version = dlsym(file, "plugin_version");
	start = (int (*)(void))dlsym(file, "init");
	if (!version || *version != SLURM_VERSION_NUMBER || !start)
		goto fail;
	for (size_t i = 0; i < STOCK_CALLS; i++) {
		call[i] = dlsym(file, stock_names[i]);
		if (!call[i])
			goto fail;
	}
	if (start() == SLURM_SUCCESS)
		return SLURM_SUCCESS;
fail:
	dlclose(file);
	return SLURM_ERROR;
}

int sgang_stock_load(const char *our_name)
{
	char *dirs = xstrdup(slurm_conf.plugindir), *save = NULL, *dir;
	struct stat mine;
	Dl_info me;
	int rc = SLURM_ERROR;

	if (!dladdr(&sgang_stock, &me) || stat(me.dli_fname, &mine))
		goto out;
	for (dir = strtok_r(dirs, ":", &save); dir && rc != SLURM_SUCCESS;
	     dir = strtok_r(NULL, ":", &save)) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/select_cons_tres.so", dir);
		if (!access(path, R_OK) && !same_file(path, &mine))
			rc = load_file(path, our_name);
	}
out:
	xfree(dirs);
	return rc;
}
