/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices_go_on.c - the next slice of a commit */

#include "faults.h"
#include "slices.h"

/* Repeat in one hold of the locks, if that can learn from the refusal. */
static void after_refusal(const struct slices *s)
{
	if (!s->learns || s->a.limited || s->g->attempt.only_min)
		return;
	s->g->attempt.one_hold = true;
	s->a.c->wake_scheduler = true;
}

enum sgang_progress sgang_slices_go_on(struct sgang_conductor *c,
				       struct gang *g)
{
	struct slices *s = g->hold.slices;
	enum sgang_progress progress;

	if (sgang_fault("pause", s->a.n_held))
		return SGANG_PAUSED;
	c->host->nodes.refresh();
	g->hold.slices = NULL;
	g->hold.planned = NULL;
	progress = sgang_attempt_go_on(&s->a, &s->account);
	if (progress == SGANG_PAUSED) {
		sgang_slices_pause(s);
		return progress;
	}
	if (progress == SGANG_REFUSED)
		after_refusal(s);
	else
		(void)sgang_hold_move(g, SGANG_HOLD_HOLDING);
	sgang_slices_destroy(s);
	return progress;
}
