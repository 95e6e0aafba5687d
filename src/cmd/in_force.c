/* SPDX-License-Identifier: GPL-2.0-or-later */
/* in_force.c - the settings and the fabric by which slurmctld places jobs */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/in_force.h"
#include "core/fabric/fabric_lines.h"
#include "core/gang/question.h"

/* Why nothing is in force: the comment of that name (SGANG_CONF_IN_FORCE);
 * false: something is. */
static bool is_off(const char *text, struct sgang_error *why)
{
	static const char word[] = "\n# off=";
	const char *off = strstr(text, word);

	if (!off)
		return false;
	off += sizeof(word) - 1;
	sgang_errf(why, EPROTO, "gangs and placement are off: %.*s",
		   (int)strcspn(off, "\n"), off);
	return true;
}

/* Returns 1; 0 and why slurmctld does not say, in 'err'; or -1 with 'err'. */
static int ask_settings(struct sgang_conf *conf, struct sgang_error *err)
{
	char *text = sgang_control_ask(SGANG_QUESTION_SETTINGS, err);
	int rc;

	if (!text)
		return errno == EPROTO ? 0 : -1;
	rc = !is_off(text, err) &&
	     !sgang_conf_parse(text, "slurmctld's answer", conf, err);
	free(text);
	return rc;
}

/* The gang.conf of this host, which may be missing or unreadable. */
static int read_here(struct sgang_conf *conf, char dir[SGANG_PATH],
		     const char *why, struct sgang_error *err)
{
	char path[SGANG_PATH];

	sgang_conf_default(conf);
	if (sgang_cmd_conf_path(path, err) || sgang_path_folder(dir, path, err))
		return -1;
	if (!access(path, R_OK)) {
		(void)sgang_cmd_no("slurmctld does not say what is in force "
				   "(%s): level names and costs are those of "
				   "%s",
				   why, path);
		return sgang_conf_load(path, conf, err);
	}
	(void)sgang_cmd_no("slurmctld does not say what is in force (%s): "
			   "level names and costs are the defaults, because "
			   "%s cannot be read: %s",
			   why, path, strerror(errno));
	return 0;
}

int sgang_in_force_conf(const char *path, struct sgang_conf *conf,
			char dir[SGANG_PATH], struct sgang_error *err)
{
	sgang_conf_default(conf);
	dir[0] = '\0';
	if (path)
		return sgang_path_folder(dir, path, err) ?
			       -1 :
			       sgang_conf_load(path, conf, err);
	switch (ask_settings(conf, err)) {
	case 1:
		return 0;
	case 0:
		return read_here(conf, dir, err->text, err);
	default:
		return -1;
	}
}

struct sgang_fabric *sgang_in_force_fabric(const char *topology,
					   const char *const *nodes,
					   uint32_t n_nodes,
					   struct sgang_error *err)
{
	char *text = sgang_control_ask(SGANG_QUESTION_FABRIC, err);
	struct sgang_fabric *fabric = NULL;
	int saved;

	if (text)
		fabric = sgang_fabric_lines_read(text, topology, nodes, n_nodes,
						 err);
	saved = text ? errno : EPROTO;
	free(text);
	if (!fabric && saved != ENOTSUP)
		(void)sgang_cmd_no("slurmctld does not say by which fabric it "
				   "places jobs (%s): this one is from the "
				   "files of this host",
				   err->text);
	errno = saved;
	return fabric;
}
