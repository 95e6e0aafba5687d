/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h - a commit that continues in the next pass */

#ifndef SGANG_SELECT_SLICES_H
#define SGANG_SELECT_SLICES_H

#include "attempt_private.h"

struct slices {
	struct attempt a;
	struct gang *g; /* a.gangs */
	struct account account;
	struct sgang_nodeset *planned;
	bool learns;    /* learns from refusals, in one hold */
	bool void_plan; /* nodes have other numbers now */
};

/* Continue in the next pass. */
void sgang_slices_pause(struct slices *s);
/* Call also when the entries of the gang may be gone. */
void sgang_slices_destroy(struct slices *s);

#endif
