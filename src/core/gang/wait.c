/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait.c - start now, or wait for a better place? */

#include "wait.h"

int64_t sgang_wait_extra(const struct sgang_wait_question *q, uint64_t cost)
{
	double slower;

	if (cost <= q->best)
		return 0;
	slower = (double)(cost - q->best) / (double)q->best;
	slower *= (double)q->run * q->share / 1000.0;
	/* so long that nobody asks how long exactly */
	return slower < 1e15 ? (int64_t)slower : (int64_t)1e15;
}

size_t sgang_wait_choose(const struct sgang_wait_question *q,
			 const struct sgang_wait_place *place, size_t n)
{
	int64_t now = sgang_wait_extra(q, place[0].cost), least = now;
	size_t chosen = 0, i;

	for (i = 1; i < n; i++) {
		int64_t extra = sgang_wait_extra(q, place[i].cost);
		int64_t later = place[i].when > q->now ?
					place[i].when - q->now :
					0;
		int64_t waited = q->now > q->since ? q->now - q->since : 0;

		if (later >= now || later + extra >= least)
			continue;
		if (waited + later >= now - extra)
			continue;
		least = later + extra;
		chosen = i;
	}
	return chosen;
}
