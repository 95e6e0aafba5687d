/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.h - gang.conf, the settings of slurm-gang
 *
 * Key=Value lines, several on a line allowed, '#' comments, keys and the words
 * of values without regard to case, as in slurm.conf. One table in conf.c says
 * type, default, range and help of every key; to add one: a row there, a field
 * here, a line in etc/gang.conf and a paragraph in gang.conf.5.
 */

#ifndef SGANG_CONF_H
#define SGANG_CONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "fabric.h"

struct sgang_conf {
	struct sgang_costs costs;	/* LevelNames= HopCosts=
					 * AllowUnconnected= */
	bool gangs;			/* Gangs=yes|no: start together */
	bool placement;			/* Placement=yes|no: by ring cost */
	bool place_all;			/* PlaceAll=no|yes: jobs without --gang
					 * too */
	char topology_file[1024];	/* TopologyFile=, absolute; "":
					 * topology.conf beside slurm.conf */
};

void sgang_conf_default(struct sgang_conf *conf);

/* Read 'path' over the defaults. Returns 0, or -1 with errno (ENOENT no such
 * file, EINVAL what is in it, ENOMEM, or why it cannot be opened) and 'err'
 * saying file:line, what is wrong and what was expected; '*conf' is then
 * untouched. A repeated key is an error. */
int sgang_conf_load(const char *path, struct sgang_conf *conf,
		    struct sgang_error *err);

/* Print every key with its value in 'conf', one Key=Value line each, in the
 * order of the table; sgang_conf_load() reads it back to the same settings. */
void sgang_conf_print(const struct sgang_conf *conf, FILE *out);

#endif
