/* SPDX-License-Identifier: GPL-2.0-or-later */
/* barred.c - gangs that Slurm does not try, for nodes that they require
 *
 * select_nodes() refuses a job that requires a node which is out of service
 * before it asks the select plugin. A gang of such members alone has no turn, and
 * no attempt would find out why it waits. In Slurm's own words such a node may
 * be reserved for another job.
 */

#include <string.h>

#include "attempt_private.h"

/* No gang but the first is looked into in a pass that has done so for this long
 * (microseconds). */
#define BUDGET 5000

static bool is_barred(const struct sgang_conductor *c, const struct gang *g)
{
	return g->n_barred && g->n_barred == g->n_eligible && c->fabric &&
	       !g->stale && !g->n_holds && !g->limited && !g->never &&
	       !sgang_gang_ordinary(&g->tally) &&
	       sgang_gang_may_try(&g->tally) &&
	       sgang_group_complete(g, NULL, 0);
}

static void forget(struct gang *g)
{
	g->failed = false;
	g->joint_start = 0;
	g->whole_nodes = 0;
	g->why[0] = g->lacks[0] = g->unit[0] = g->helps[0] = '\0';
	sgang_nodeset_destroy(g->planned);
	g->planned = NULL;
}

/* As an attempt that fails would, except that the next turn is not put off. */
static void find_why(struct sgang_conductor *c, struct gang *g)
{
	struct attempt a;

	forget(g);
	if (sgang_probe_open(&a, c, &g, 1) == 0)
		sgang_probe_all(&a);
	g->failed = a.why[0] != '\0';
	g->failed_stamp = 0;
	g->failed_of = g->requests;
	g->failed_time = c->host->now();
	g->failed_limited = false;
	if (g->failed)
		g->joint_start = INT64_MAX;
	memcpy(g->why, a.why, sizeof(g->why));
	memcpy(g->helps, a.helps, sizeof(g->helps));
	sgang_probe_close(&a);
}

/* Has something changed for it? */
static bool is_due(const struct sgang_conductor *c, const struct gang *g)
{
	return !g->barred || g->barred_of != g->requests ||
	       g->barred_supply != c->host->supply();
}

void sgang_barred_check_all(struct sgang_conductor *c)
{
	uint64_t begun = c->host->clock_us();

	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!is_barred(c, g)) {
			if (g->barred && !g->limited && !g->never)
				forget(g);
			g->barred = false;
			continue;
		}
		if (!is_due(c, g))
			continue;
		if (c->host->clock_us() - begun > BUDGET) {
			sgang_conductor_poke(c);
			return;
		}
		find_why(c, g);
		g->barred = true;
		g->barred_of = g->requests;
		g->barred_supply = c->host->supply();
	}
}
