/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices_keep.c - a commit that has taken long enough pauses */

#include <stdio.h>
#include <stdlib.h>

#include "slices.h"

enum sgang_progress sgang_slices_keep(struct attempt *a,
				      const struct account *account)
{
	struct slices *s = calloc(1, sizeof(*s));
	struct gang *g = a->gangs[0];

	if (s)
		s->planned = sgang_fit_planned(a);
	if (!s || !s->planned) {
		free(s);
		sgang_hold_give_back(a->c, g, SGANG_HOLD_END_NONE);
		snprintf(a->why, sizeof(a->why), "no memory");
		return SGANG_REFUSED;
	}
	s->a = *a;
	s->g = g;
	s->a.gangs = &s->g;
	s->a.lessons = NULL;
	s->a.search = NULL;
	s->account = *account;
	s->learns = a->lessons && !a->lessons->last;
	*a = (struct attempt){ .c = s->a.c, .gangs = a->gangs, .n_gangs = 1 };
	sgang_slices_pause(s);
	return SGANG_PAUSED;
}
