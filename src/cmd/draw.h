/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw.h - sgang topology without an action: what is drawn, and how
 *
 * With --topology, options describe the fabric and all that is on it; else
 * slurmctld is asked.
 */

#ifndef SGANG_DRAW_H
#define SGANG_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/cmd.h"
#include "core/base/err.h"
#include "core/gang/conf.h"

/* Values are borrowed from the command line; NULL, 0: not given. */
struct sgang_draw {
	const char *topology;
	const char *conf_path;
	uint32_t slots;
	const char *free_list;
	const char *down_list;
	const char **with; /* "GANG=LIST"; the array is owned */
	size_t n_with;
	const char *gang;
	const char *partition;
	const char *svg;
	const char *html;
	uint32_t width;
};

/* Read the values of --slots, --width and --with (to be repeated). Returns 0,
 * or -1 with 'err' filled. */
int sgang_draw_slots(struct sgang_draw *draw, const char *value,
		     struct sgang_error *err);
int sgang_draw_width(struct sgang_draw *draw, const char *value,
		     struct sgang_error *err);
int sgang_draw_with(struct sgang_draw *draw, const char *value,
		    struct sgang_error *err);
void sgang_draw_clear(struct sgang_draw *draw);

/* True if any option was given that applies to a drawing alone. */
bool sgang_draw_asked(const struct sgang_draw *draw);

/* Returns 0, or -1 with 'err' if the options contradict each other. */
int sgang_draw_check(const struct sgang_draw *draw, struct sgang_error *err);

/* Draw. 'conf' and 'dir' are those of sgang_in_force_conf(); offline they
 * are not used. Returns an exit code, or -1 with 'err' filled. */
int sgang_draw_run(const struct sgang_draw *draw, const struct sgang_conf *conf,
		   const char *dir, struct sgang_error *err);

#endif
