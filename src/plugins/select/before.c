/* SPDX-License-Identifier: GPL-2.0-or-later */
/* before.c - what is set aside for jobs before a gang
 *
 * Backfill sets nodes aside for the first jobs of the queue, and offers them to
 * no later one. The joint start of a gang comes after these jobs, as that of an
 * ordinary job in its place would. A job that is planned for a part of a node
 * has all of it set aside, as in backfill.
 */

#include <stdlib.h>

#include "attempt_private.h"

struct look {
	struct attempt *a;
	struct sgang_job *member;
};

/* True if the job is a member of the gangs of the attempt, or of their group. */
static bool is_own(const struct attempt *a, uint32_t job_id)
{
	const struct entry *e = sgang_registry_entry(a->c, job_id);
	bool own = false;

	for (size_t i = 0; e && i < a->n_gangs && !own; i++)
		own = !sgang_group_turn_order(e->gang, a->gangs[i]);
	return own;
}

/* True if the job comes before the gangs. */
static bool is_before(struct sgang_job *job, uint32_t job_id, void *arg)
{
	const struct look *look = arg;

	return !is_own(look->a, job_id) &&
	       look->a->c->host->jobs.before(job, look->member);
}

static void note(const struct sgang_set_aside *s, void *arg)
{
	const struct look *look = arg;
	struct attempt *a = look->a;

	for (uint32_t n = sgang_nodeset_next(s->nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(s->nodes, n + 1)) {
		if (a->aside[n] < s->until)
			a->aside[n] = s->until;
	}
}

int sgang_before_look(struct attempt *a)
{
	const struct sgang_host *h = a->c->host;
	struct look look = { .a = a };

	if (!h->nodes.set_aside || !a->n_parts)
		return 0;
	look.member = h->jobs.find(a->parts[0].entry->job_id);
	if (!look.member)
		return 0;
	a->aside = calloc(h->nodes.count() + 1UL, sizeof(*a->aside));
	if (!a->aside)
		return -1;
	h->nodes.set_aside(is_before, note, &look);
	return 0;
}
