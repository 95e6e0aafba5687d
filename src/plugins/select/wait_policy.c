/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_policy.c - --gang-topology=auto: a better place that is worth the wait
 * (4.37) */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/gang/lists.h"
#include "core/gang/wait.h"
#include "plugins/log.h"

/* Each time that is considered takes a plan. */
#define MOMENTS_MAX 8

/* --gang-comm-share, if not given. */
#define SHARE (SGANG_SHARE_ONE * 3 / 10)

/* The longest time limit of the parts, if not given otherwise. */
static uint32_t run_time(const struct attempt *a)
{
	uint32_t run = a->gangs[0]->tally.spec.run_time;

	for (size_t i = 0; !a->gangs[0]->tally.spec.run_time && i < a->n_parts;
	     i++) {
		struct sgang_job_info info;

		a->c->host->jobs.info(a->parts[i].probed->job, &info);
		if (info.time_limit > run)
			run = info.time_limit;
	}
	return (run < SGANG_NEVER_SECONDS) ? run : SGANG_NEVER_SECONDS;
}

static void ask(const struct attempt *a, uint64_t best,
		struct sgang_wait_question *q)
{
	const struct sgang_tally *tally = &a->gangs[0]->tally;

	q->best = best;
	q->run = run_time(a);
	q->share = tally->spec.comm_share ? tally->spec.comm_share : SHARE;
	q->now = a->c->host->now();
	q->since = tally->complete;
}

/* The places at some of the times at which nodes become free, no later than a
 * wait could pay. Returns their number; the first is the place now. */
static size_t list_places(struct attempt *a,
			  const struct sgang_wait_question *q,
			  const int64_t *times, size_t n,
			  struct sgang_wait_place place[MOMENTS_MAX + 1])
{
	int64_t last = q->now + sgang_wait_extra(q, place[0].cost);
	size_t from = 0, upto, found = 1, step;

	while (from < n && times[from] <= q->now)
		from++;
	for (upto = from; upto < n && times[upto] < last;)
		upto++;
	step = (upto - from + MOMENTS_MAX - 1) / MOMENTS_MAX;
	for (size_t i = from; i < upto; i += step) {
		uint64_t cost = sgang_fit_cost_at(a, times[i]);

		if (!cost)
			continue;
		place[found].when = times[i];
		place[found++].cost = cost;
	}
	return found;
}

/* A gang that waits is asked repeatedly; the place it waits for is logged once.
 */
static void log_once(const struct attempt *a,
		     const struct sgang_wait_place *now,
		     const struct sgang_wait_place *then)
{
	struct gang *g = a->gangs[0];

	if (g->waits.until == then->when && g->waits.cost[0] == now->cost &&
	    g->waits.cost[1] == then->cost)
		return;
	g->waits.until = then->when;
	g->waits.cost[0] = now->cost;
	g->waits.cost[1] = then->cost;
	sgang_log(SGANG_LOG_INFO, "%s/%s waits: %s", g->ns, g->name, a->why);
}

static void tell(struct attempt *a, const struct sgang_wait_question *q,
		 const struct sgang_wait_place *now,
		 const struct sgang_wait_place *then)
{
	char at[24] = "";
	time_t when = (time_t)then->when;
	struct tm tm;

	if (localtime_r(&when, &tm))
		strftime(at, sizeof(at), "%H:%M:%S", &tm);
	snprintf(
		a->why, sizeof(a->why),
		"a place of ring cost %llu is expected at %s; here it costs %llu, which adds %lld s to the run",
		(unsigned long long)then->cost, at,
		(unsigned long long)now->cost,
		(long long)sgang_wait_extra(q, now->cost));
	log_once(a, now, then);
}

/* Write into the record why it starts now. */
static void note_choice(const struct attempt *a,
			const struct sgang_wait_question *q,
			const struct sgang_wait_place *place, size_t n)
{
	struct sgang_list_choice choice = {
		.cost = place[0].cost,
		.seconds = (uint64_t)sgang_wait_extra(q, place[0].cost),
	};
	int64_t least = INT64_MAX;

	for (size_t i = 1; i < n; i++) {
		int64_t extra = sgang_wait_extra(q, place[i].cost);

		if (place[i].when + extra >= least)
			continue;
		least = place[i].when + extra;
		choice.later = true;
		choice.when = (uint64_t)place[i].when;
		choice.later_cost = place[i].cost;
		choice.later_seconds = (uint64_t)extra;
	}
	sgang_lists_write_choice(&choice, a->gangs[0]->attempt.choice);
}

/* List the choices, and choose. */
static bool weigh(struct attempt *a, uint64_t best)
{
	struct sgang_wait_place place[MOMENTS_MAX + 1];
	struct gang *g = a->gangs[0];
	struct sgang_wait_question q;
	int64_t *times;
	size_t n, chosen;

	times = sgang_fit_begin(a, &n);
	if (!times)
		return false;
	ask(a, best, &q);
	place[0] = (struct sgang_wait_place){
		.when = q.now,
		.cost = sgang_fit_cost(a->plan),
	};
	n = list_places(a, &q, times, n, place);
	chosen = sgang_wait_choose(&q, place, n);
	if (chosen) {
		tell(a, &q, &place[0], &place[chosen]);
		sgang_lists_write_help(SGANG_HELP_PLACE, 0, NULL, a->helps);
		g->joint.start = place[chosen].when;
		sgang_fit_note_planned(a, g->joint.start);
	} else {
		note_choice(a, &q, place, n);
	}
	sgang_fit_end(a, times);
	return chosen > 0;
}

bool sgang_wait_policy_any(const struct gang *g)
{
	struct sgang_policy policy;

	sgang_spec_policy(&g->tally.spec, &policy);
	return policy.automatic;
}

bool sgang_wait_policy_waits(struct attempt *a)
{
	struct gang *g = a->gangs[0];
	uint64_t best = 0, weighted;
	bool waits;

	g->attempt.choice[0] = '\0';
	if (sgang_wait_policy_any(g) && !a->uneven) {
		best = sgang_fit_best_cost(a, &weighted);
		best = weighted ? weighted : best;
	}
	waits = best && sgang_fit_cost(a->plan) > best && weigh(a, best);
	if (!waits)
		g->waits.until = 0;
	return waits;
}
