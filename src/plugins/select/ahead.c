/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.c - gangs that wait are planned before a scheduler asks
 *
 * When what a gang lacked may have become free, the pass plans it without a
 * commit. Then there is either a result that stands, and the gang takes no turn,
 * or a plan, and only what that uses is kept from jobs that backfill comes to
 * between the turn and its attempt.
 */

#include <stdlib.h>

#include "conductor_private.h"

/* A pass plans no more gangs than this, and begins no plan but the first after
 * this time (microseconds); the first in the order of turns come first. */
#define LOOKS_MAX 16
#define LOOKS_BUDGET 5000

/* True if a plan tells all there is to tell of the gang: it is one that could
 * start, by itself, on free nodes. */
static bool may_plan(struct sgang_conductor *c, const struct gang *g)
{
	return !g->turn.due && !g->stale && !g->attempt.refused &&
	       !g->limited && !g->hold.n && !g->never.starts &&
	       !g->preempt.evicted && !g->preempt.claim && !g->kept.nodes &&
	       !g->kept.lost && !g->count.returning && g->tally.priority &&
	       !g->tally.roles.any && g->group.n <= 1 &&
	       sgang_gang_strict(&g->tally) &&
	       !sgang_gang_ordinary(&g->tally) &&
	       sgang_gang_may_try(&g->tally) &&
	       sgang_group_complete(g, NULL, 0) && !sgang_group_placed(g) &&
	       !sgang_preempt_may(c, g);
}

/* True if it is not known whether the gang would start now. A plan is made
 * again when a job may have taken its nodes, once a second. */
static bool is_open(struct sgang_conductor *c, struct gang *g)
{
	if (g->plan.nodes)
		return g->plan.stamp != c->host->stamp() &&
		       g->plan.time != c->host->now();
	return g->attempt.failed && !sgang_retry_stands(c, g);
}

/* What is kept for the gang until its joint start is kept until its turn. Before
 * that, backfill may come to jobs behind the gang, and it may offer less to the
 * gang than the plan takes. */
static void plan(struct sgang_conductor *c, struct gang *g)
{
	struct joint before = g->joint;
	int64_t turn = g->failed_at.turn;

	g->joint.nodes = NULL;
	g->joint.share.units = NULL;
	sgang_retry_drop_plan(g);
	g->attempt.failed = !sgang_attempt_plan(c, g);
	if (g->attempt.failed) {
		sgang_beside_drop(&before.nodes, &before.share);
	} else {
		sgang_beside_drop(&g->joint.nodes, &g->joint.share);
		g->joint = before;
	}
	g->plan.stamp = c->host->stamp();
	g->plan.time = c->host->now();
	g->failed_at.limited = false;
	sgang_retry_note(c, g);
	/* it may start where a plan fails: with --prefer, or by a suspension */
	g->failed_at.turn = turn;
	if (g->attempt.failed)
		sgang_never_after(c, g);
	else
		c->wake_scheduler = true;
}

static struct gang **list_open(struct sgang_conductor *c, size_t *n)
{
	struct gang **list = NULL;
	size_t all = 0;

	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next)
		all += g->attempt.failed || g->plan.nodes;
	if (all)
		list = calloc(all, sizeof(*list));
	for (struct gang *g = c->gangs; list && g; g = g->next) {
		if (!g->attempt.failed && !g->plan.nodes)
			continue;
		if (may_plan(c, g) && is_open(c, g))
			list[(*n)++] = g;
	}
	if (list)
		sgang_group_sort_turns(list, *n);
	return list;
}

void sgang_ahead_plan_all(struct sgang_conductor *c)
{
	uint64_t begun = c->host->clock_us();
	struct gang **list;
	size_t n;

	if (!c->fabric || c->save.error || c->holders || sgang_slices_gang(c))
		return;
	list = list_open(c, &n);
	for (size_t i = 0; i < n && i < LOOKS_MAX; i++) {
		if (i && c->host->clock_us() - begun > LOOKS_BUDGET)
			break;
		plan(c, list[i]);
	}
	free(list);
}
