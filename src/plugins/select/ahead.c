/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.c - gangs that wait are planned before a scheduler asks
 *
 * When a gang is complete, or what it lacked may have become free, the pass plans
 * it without a commit. Then there is either a result that stands, and the gang
 * takes no turn, or a plan, and only what that uses is kept from jobs that
 * backfill comes to between the turn and its attempt.
 */

#include <stdlib.h>

#include "conductor_private.h"

/* A pass plans no more gangs than this, and begins no plan but the first after
 * this time (microseconds); the first in the order of turns come first. */
#define LOOKS_MAX 16
#define LOOKS_BUDGET 5000

/* A gang that does not fit still is told once in so many seconds when it will: as
 * long as a cycle of backfill. Whether it fits is asked at once. */
#define AGAIN_SECONDS 30

/* Plans that are repeated because jobs begin take at most so many microseconds of
 * a second. */
#define AGAIN_SHARE 20000

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

/* True if it may start sooner than the nodes are kept for it: a job before it has
 * begun, or backfill has planned it for another time. */
static bool is_sooner(const struct sgang_conductor *c, const struct gang *g)
{
	return g->joint.reserved && g->joint.behind &&
	       (g->failed_at.stamp != c->host->stamp() ||
		g->failed_at.cycle != c->cycle) &&
	       c->host->now() >= g->failed_at.again;
}

/* True if it is not known whether the gang would start now: it was never tried,
 * or the result does not stand, or it lacked what backfill sets aside in each
 * cycle anew. A plan is made again when a job may have taken its nodes, once a
 * second. */
static bool is_open(struct sgang_conductor *c, struct gang *g)
{
	if (g->plan.nodes)
		return g->plan.stamp != c->host->stamp() &&
		       g->plan.time != c->host->now();
	return !g->attempt.failed || !sgang_retry_stands(c, g) ||
	       is_sooner(c, g) ||
	       (g->failed_at.limited && g->failed_at.cycle != c->cycle);
}

/* Is it time to find anew when the gang may start? The sooner that is, the fewer
 * jobs may come before the gang for which nodes are kept. */
static bool is_due(struct sgang_conductor *c, struct gang *g)
{
	int64_t now = c->host->now();

	return is_sooner(c, g) || sgang_wait_policy_any(g) ||
	       (!sgang_retry_stands(c, g) &&
		(g->joint.reserved ||
		 now - g->failed_at.time >= AGAIN_SECONDS ||
		 (g->joint.start && g->joint.start <= now)));
}

/* What is kept for the gang until its joint start is kept until its turn. Before
 * that, backfill may come to jobs behind the gang, and it may offer less to the
 * gang than the plan takes. */
static void plan(struct sgang_conductor *c, struct gang *g)
{
	uint64_t begun = c->host->clock_us();
	struct joint before = g->joint;
	int64_t turn = g->failed_at.turn;

	if (g->attempt.failed && !is_due(c, g) && !sgang_attempt_fits(c, g)) {
		g->failed_at.asked = c->host->freed();
		g->failed_at.cycle = c->cycle;
		return;
	}
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
	sgang_retry_note(c, g);
	g->failed_at.again =
		c->host->now() + 1 +
		(int64_t)((c->host->clock_us() - begun) / AGAIN_SHARE);
	/* A turn may know what a plan does not, so each gang has one at times;
	 * and it tells what the gang would preempt. */
	if (turn || c->host->preempt.enabled())
		g->failed_at.turn = turn;
	if (g->attempt.failed)
		sgang_never_after(c, g);
	else
		c->wake_scheduler = true;
}

/* A scheduler looks at the first jobs of its queue. Behind so many gangs one that
 * it has not come to yet is left alone. */
static bool is_far(const struct gang *g, size_t place)
{
	return place >= LOOKS_MAX && !g->attempt.failed && !g->plan.nodes;
}

/* Leave those that are to be planned. */
static size_t choose(struct sgang_conductor *c, struct gang **list, size_t n)
{
	size_t chosen = 0;

	for (size_t i = 0; i < n && chosen < LOOKS_MAX; i++) {
		if (!is_far(list[i], i) && is_open(c, list[i]) &&
		    !sgang_turns_try_more(c, list[i]))
			list[chosen++] = list[i];
	}
	return chosen;
}

/* Those that wait, in the order of turns; NULL if none is to be planned. */
static struct gang **list_waiting(struct sgang_conductor *c, size_t *n)
{
	struct gang **list = NULL;
	bool open = false;

	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		bool may = may_plan(c, g);

		*n += may;
		open |= may && is_open(c, g);
	}
	if (open)
		list = calloc(*n, sizeof(*list));
	*n = 0;
	for (struct gang *g = c->gangs; list && g; g = g->next) {
		if (may_plan(c, g))
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
	list = list_waiting(c, &n);
	n = list ? choose(c, list, n) : 0;
	for (size_t i = 0; i < n; i++) {
		if (i && c->host->clock_us() - begun > LOOKS_BUDGET)
			break;
		plan(c, list[i]);
	}
	free(list);
}
