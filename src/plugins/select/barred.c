/* SPDX-License-Identifier: GPL-2.0-or-later */
/* barred.c - gangs that Slurm does not try, because of nodes that they require
 *
 * select_nodes() refuses a job that requires a node which is out of service
 * before it asks the select plugin. A gang of only such members has no turn,
 * and no attempt would find why it waits. Slurm's own reason says that such a
 * node may be reserved for another job.
 */

#include <string.h>

#include "attempt_private.h"

/* A pass checks no gang but the first after this time (microseconds). */
#define BUDGET 5000

static bool is_barred(const struct sgang_conductor *c, const struct gang *g)
{
	return g->count.barred && g->count.barred == g->count.eligible &&
	       c->fabric && !g->stale && !g->hold.n && !g->limited &&
	       !g->never.starts && !sgang_gang_ordinary(&g->tally) &&
	       sgang_gang_may_try(&g->tally) &&
	       sgang_group_complete(g, NULL, 0);
}

static void forget(struct gang *g)
{
	g->attempt.failed = false;
	g->joint.start = 0;
	g->joint.whole_nodes = 0;
	g->attempt.why[0] = g->attempt.lacks[0] = g->attempt.unit[0] =
		g->attempt.helps[0] = '\0';
	sgang_beside_drop(&g->joint.nodes, &g->joint.share);
}

/* Like a failed attempt, except that the next turn is not delayed. */
static void find_why(struct sgang_conductor *c, struct gang *g)
{
	struct attempt a;

	forget(g);
	if (sgang_probe_open(&a, c, &g, 1) == 0)
		sgang_probe_all(&a);
	g->attempt.failed = a.why[0] != '\0';
	g->failed_at.stamp = 0;
	g->failed_at.freed = g->failed_at.asked = 0;
	g->failed_at.of = g->requests;
	g->failed_at.time = c->host->now();
	g->failed_at.limited = false;
	if (g->attempt.failed)
		g->joint.start = INT64_MAX;
	memcpy(g->attempt.why, a.why, sizeof(g->attempt.why));
	memcpy(g->attempt.helps, a.helps, sizeof(g->attempt.helps));
	sgang_probe_close(&a);
}

/* True if its requests or the nodes have changed. */
static bool is_due(const struct sgang_conductor *c, const struct gang *g)
{
	return !g->barred.all || g->barred.of != g->requests ||
	       g->barred.supply != c->host->supply();
}

void sgang_barred_check_all(struct sgang_conductor *c)
{
	uint64_t begun = c->host->clock_us();

	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!is_barred(c, g)) {
			if (g->barred.all && !g->limited && !g->never.starts)
				forget(g);
			g->barred.all = false;
			continue;
		}
		if (!is_due(c, g))
			continue;
		if (c->host->clock_us() - begun > BUDGET) {
			sgang_conductor_poke(c);
			return;
		}
		find_why(c, g);
		g->barred.all = true;
		g->barred.of = g->requests;
		g->barred.supply = c->host->supply();
	}
}
