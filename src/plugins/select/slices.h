/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h - a commit that goes on in the next pass */

#ifndef SGANG_SELECT_SLICES_H
#define SGANG_SELECT_SLICES_H

#include "attempt_private.h"

struct slices {
	struct attempt a;
	struct gang *g; /* a.gangs */
	struct account account;
	struct sgang_nodeset *planned;
	bool learns;    /* in one hold, from what is refused */
	bool void_plan; /* nodes have other numbers now */
};

/* The next pass goes on. */
void sgang_slices_pause(struct slices *s);
/* The entries of the gang may be gone. */
void sgang_slices_destroy(struct slices *s);

#endif
