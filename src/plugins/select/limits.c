/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.c - gangs stopped by limits of associations and QOS */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"

/* Limits change without an event, so a gang stopped by one is counted again
 * after this many seconds even without a change. */
#define LIMIT_SECONDS 5

static void add_missing(const struct gang *g, struct sgang_job **jobs,
			size_t *n)
{
	size_t need = sgang_gang_missing(&g->tally), end = *n + need;

	if (sgang_gang_ordinary(&g->tally))
		return;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_PENDING || !e->m.eligible)
			continue;
		for (uint32_t t = 0; t < e->m.tasks && *n < end; t++)
			jobs[(*n)++] = e->job;
	}
}

/* A commit would find this too, member by member. Held members count already.
 */
bool sgang_limits_over(struct sgang_conductor *c, struct gang *const *gangs,
		       size_t n_gangs, char *why, size_t size)
{
	struct sgang_job **jobs;
	size_t n = 0, need = 0;
	bool over;

	for (size_t i = 0; i < n_gangs; i++)
		need += sgang_gang_missing(&gangs[i]->tally);
	jobs = calloc(need ? need : 1, sizeof(*jobs));
	if (!jobs)
		return false;
	for (size_t i = 0; i < n_gangs; i++)
		add_missing(gangs[i], jobs, &n);
	over = n && c->host->jobs.limits(jobs, n, why, size) < 0;
	free(jobs);
	return over;
}

void sgang_limits_check(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_host *h = c->host;
	struct gang *alone, **group;
	size_t n;

	if (!g->limited)
		return;
	if (!sgang_gang_may_try(&g->tally)) {
		g->limited = false;
		return;
	}
	if (g->failed_at.stamp == h->stamp() &&
	    g->failed_at.of == g->requests &&
	    h->now() - g->failed_at.time < LIMIT_SECONDS)
		return;
	group = sgang_group_of(g, &alone, &n);
	g->limited = sgang_limits_over(c, group, n, g->attempt.why,
				       sizeof(g->attempt.why));
	g->attempt.failed = g->limited;
	g->failed_at.stamp = h->stamp();
	g->failed_at.of = g->requests;
	g->failed_at.time = h->now();
}
