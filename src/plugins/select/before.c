/* SPDX-License-Identifier: GPL-2.0-or-later */
/* before.c - what is set aside for jobs before a gang
 *
 * Backfill sets nodes aside for the first jobs of the queue, and offers them to
 * no later one, unless that ends before. The joint start of a gang comes after
 * these jobs, as that of an ordinary job in its place would. A job that is
 * planned for a part of a node has all of it set aside, as in backfill.
 */

#include <stdlib.h>

#include "attempt_private.h"

struct look {
	struct attempt *a;
	struct sgang_job *member;
	int64_t *ends; /* of each request, if it started now */
	bool taken;
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
	for (size_t i = 0; i < a->n_gangs; i++)
		a->gangs[i]->joint.behind = true;
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

static void take(const struct sgang_set_aside *s, void *arg)
{
	struct look *look = arg;

	for (size_t i = 0; i < look->a->n_probed; i++) {
		struct sgang_nodeset *usable = look->a->probed[i].usable;

		if (!usable || s->from >= look->ends[i] ||
		    !sgang_nodeset_intersects(usable, s->nodes))
			continue;
		sgang_nodeset_subtract(usable, s->nodes);
		look->taken = true;
	}
}

/* The end of its time limit, if it started now. */
static int64_t end_of(const struct attempt *a, struct sgang_job *job)
{
	struct sgang_job_info info;

	a->c->host->jobs.info(job, &info);
	return info.time_limit == UINT32_MAX ?
		       INT64_MAX :
		       a->c->host->now() + info.time_limit;
}

bool sgang_before_take(struct attempt *a)
{
	const struct sgang_host *h = a->c->host;
	struct look look = { .a = a };

	if (!h->nodes.set_aside || !a->n_probed)
		return false;
	look.member = a->probed[0].job;
	look.ends = calloc(a->n_probed, sizeof(*look.ends));
	if (!look.ends)
		return false;
	for (size_t i = 0; i < a->n_probed; i++)
		look.ends[i] = end_of(a, a->probed[i].job);
	h->nodes.set_aside(is_before, take, &look);
	free(look.ends);
	return look.taken;
}
