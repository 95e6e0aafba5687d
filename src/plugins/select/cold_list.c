/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold_list.c - the members held as cold spares (cold_spare.c) */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"

struct cold *sgang_cold_find(const struct gang *g, uint32_t job_id)
{
	for (size_t i = 0; i < g->cold.n; i++) {
		if (g->cold.spares[i].job_id == job_id)
			return &g->cold.spares[i];
	}
	return NULL;
}

bool sgang_cold_has(const struct gang *g, uint32_t job_id)
{
	return sgang_cold_find(g, job_id) != NULL;
}

int sgang_cold_room(struct gang *g)
{
	struct cold *more;

	if (g->cold.n < g->cold.cap)
		return 0;
	more = realloc(g->cold.spares, (g->cold.cap + 4) * sizeof(*more));
	if (!more)
		return -1;
	g->cold.spares = more;
	g->cold.cap += 4;
	return 0;
}

struct cold *sgang_cold_add(struct gang *g, uint32_t job_id,
			    enum sgang_cold state)
{
	struct cold *cold = &g->cold.spares[g->cold.n++];

	*cold = (struct cold){ .job_id = job_id, .state = state };
	return cold;
}

void sgang_cold_take_out(struct gang *g, const struct cold *cold)
{
	size_t at = (size_t)(cold - g->cold.spares);

	free(cold->told);
	memmove(&g->cold.spares[at], &g->cold.spares[at + 1],
		(--g->cold.n - at) * sizeof(*cold));
}

bool sgang_cold_any_again(const struct gang *g)
{
	for (size_t i = 0; i < g->cold.n; i++) {
		if (g->cold.spares[i].state == COLD_AGAIN)
			return true;
	}
	return false;
}

void sgang_cold_forget_offer(struct entry *e)
{
	sgang_nodeset_destroy(e->offer.nodes);
	e->offer.nodes = NULL;
}

void sgang_cold_note_end(const struct gang *g, uint32_t job_id,
			 enum sgang_hold_end why)
{
	struct cold *cold = sgang_cold_find(g, job_id);

	if (!cold)
		return;
	cold->preempted = why == SGANG_HOLD_END_PREEMPTED;
}
