/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place_live.h - sgang place --live: when a gang would start on this cluster */

#ifndef SGANG_PLACE_LIVE_H
#define SGANG_PLACE_LIVE_H

#include "cmd/member.h"
#include "core/gang/spec.h"

struct sgang_place_live {
	struct sgang_spec *spec; /* --gang or no name, --gang-topology */
	const struct sgang_members *members; /* none: those of the gang */
	uint32_t n_resources;
	const char *partition; /* NULL: the default one */
	uint32_t time_limit;   /* minutes; 0: not said */
};

/* Ask and print. Returns an exit code, or -1 with 'err' filled. */
int sgang_place_live(const struct sgang_place_live *live,
		     struct sgang_error *err);

#endif
