/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_lines.h - the lines of slurm.conf, topology.conf and what they include
 *
 * The text is taken apart as slurmctld does it, 22.05 as well as 26.05: '#'
 * comments unless escaped as "\#", a backslash at the end of a line joins it
 * with the next, values may be quoted, "Include FILE" reads a file beside this
 * one.
 */

#ifndef SGANG_CONF_LINES_H
#define SGANG_CONF_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* Where something is defined. */
struct sgang_place {
	const char *file;
	uint32_t line; /* 0: nowhere */
};

struct sgang_conf_lines {
	size_t max;       /* bytes of a file that is included ... */
	const char *kind; /* ... and what it is, "a topology file" */
	/* Takes a line, which it may change; 'place.file' ends with the call.
	 * 0, or -1 to end the reading. */
	int (*take)(void *arg, struct sgang_place place, char *line);
	void *arg;
};

/* Hand over all lines of 'text', which messages call 'label'. Returns 0, or -1
 * with errno (EINVAL, ENOMEM) and 'err'. */
int sgang_conf_lines_read(const struct sgang_conf_lines *lines,
			  const char *text, const char *label,
			  struct sgang_error *err);

/* Cut the next Key=Value off '*text'; a value in quotes may be empty. Returns 1, 0 at its end, or -1 with
 * EINVAL and 'err'. */
int sgang_conf_next_pair(char **text, struct sgang_place place, char **key,
			 char **value, struct sgang_error *err);

/* FILE:LINE: WHAT "WORD". Returns -1 with EINVAL. */
int sgang_conf_complain(struct sgang_place place, const char *what,
			const char *word, struct sgang_error *err);

#endif
