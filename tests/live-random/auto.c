/* SPDX-License-Identifier: GPL-2.0-or-later */
/* auto.c - --gang-topology=auto: is it right to wait for a better place, or not to
 *
 * A run of R seconds, the share s of which communicates, takes R * s * (c / b -
 * 1) longer at cost c than at cost b, the least one of the empty cluster. Costs
 * are those of an exhaustive search, now and at each end of a job. Of gangs with
 * members that differ the planner need not find the least: of those only what is
 * told is counted again.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"

#define MOMENTS 8 /* so many at which jobs end are looked at for sure */

struct moment {
	time_t when;
	uint32_t cost; /* of the best place from then on */
};

struct choice {
	double run, share;
	uint32_t best;
	time_t now;
	struct moment moment[LR_NODES * 2]; /* by time */
	uint32_t n;
	uint32_t cost; /* now */
	bool done;     /* all searches were finished */
};

static double extra(const struct choice *k, uint32_t cost)
{
	return cost > k->best ?
		       k->run * k->share * ((double)cost / k->best - 1) :
		       0;
}

static uint32_t least_cost(struct lr_run *r, const struct lr_cluster *c,
			   struct choice *k)
{
	bool done;
	uint64_t price = lr_least(c, &r->g, lr_price(c, LR_NONE / 2, 0),
				  r->found, &done);

	k->done &= done;
	return lr_price_cost(c, price);
}

/* The next end of a job after 'when', or 0. */
static time_t next_end(const struct lr_run *r, const struct lr_job *blockers,
		       time_t when)
{
	time_t next = 0;

	for (uint32_t i = 0; i < r->n_blockers; i++) {
		time_t end = blockers[i].end;

		if (end > when && (!next || end < next))
			next = end;
	}
	return next;
}

static void give_back(const struct lr_run *r, struct lr_cluster *c, uint32_t i)
{
	for (uint32_t d = 0; d < LR_DIMS; d++)
		c->node[r->blocks[i]].used[d] -= r->block_use[i][d];
}

static void look_ahead(struct lr_run *r, const struct lr_job *blockers,
		       struct choice *k)
{
	struct lr_cluster later = r->c;

	for (time_t when = k->now; (when = next_end(r, blockers, when));) {
		struct moment *m = &k->moment[k->n];

		for (uint32_t i = 0; i < r->n_blockers; i++) {
			if (blockers[i].end == when)
				give_back(r, &later, i);
		}
		m->when = when;
		if ((double)(when - k->now) > extra(k, k->cost) + 120)
			return;
		m->cost = least_cost(r, &later, k);
		k->n++;
	}
}

/* -1: Slurm does not answer. */
static int fill_choice(struct lr_run *r, struct choice *k)
{
	struct lr_job blockers[LR_NODES * 2];
	struct lr_cluster empty = r->c;

	memset(k, 0, sizeof(*k));
	if (lr_look(&r->c, r->blocker, r->n_blockers, blockers))
		return -1;
	for (uint32_t i = 0; i < r->n_blockers; i++)
		give_back(r, &empty, i);
	k->run = 60.0 * (r->g.run ? r->g.run : LR_LIMIT);
	k->share = (r->g.share ? r->g.share : 300) / 1000.0;
	k->now = time(NULL);
	k->done = true;
	k->best = least_cost(r, &empty, k);
	k->cost = least_cost(r, &r->c, k);
	if (k->best)
		look_ahead(r, blockers, k);
	return 0;
}

/* Seconds until the end of what communication adds, at the best moment. */
static double least_end(const struct choice *k)
{
	double least = 1e18;

	for (uint32_t i = 0; i < k->n; i++) {
		const struct moment *m = &k->moment[i];
		double end = (double)(m->when - k->now) + extra(k, m->cost);

		least = end < least ? end : least;
	}
	return least;
}

/* What may differ: the clock, and a few per cent. */
static double margin(double seconds)
{
	return 30 + seconds / 50;
}

static bool about(double a, double b)
{
	return a <= b + margin(b) && b <= a + margin(a);
}

/* "136:225" or "136:225,WHEN:16:0" */
static void check_told_choice(struct lr_run *r, const struct choice *k,
			      uint32_t cost)
{
	uint32_t best = lr_number(r->jobs[0].record, "best");
	const char *text = lr_word(r->jobs[0].record, "choice");
	struct choice told = *k;
	unsigned here, there;
	long long adds, when, then;
	int n;

	if (!text) {
		if (cost > best)
			lr_violation(r, "cost %u, best=%u, no choice=", cost,
				     best);
		return;
	}
	told.best = best;
	n = sscanf(text, "%u:%lld,%lld:%u:%lld", &here, &adds, &when, &there,
		   &then);
	if ((n != 2 && n != 5) || !best || here != cost ||
	    !about((double)adds, extra(&told, cost)) ||
	    (n == 5 && (!about((double)then, extra(&told, there)) ||
			(double)(when - k->now + then) + margin((double)adds) <
				(double)adds)))
		lr_violation(r, "choice=%s with cost %u, best %u", text, cost,
			     best);
}

void lr_check_chosen(struct lr_run *r, uint32_t cost)
{
	struct choice k;
	double here, later;

	if (fill_choice(r, &k))
		return;
	check_told_choice(r, &k, cost);
	if (!k.done || !lr_alike(&r->g) || !k.best) {
		r->unproved++;
		return;
	}
	here = extra(&k, k.cost);
	later = least_end(&k);
	r->chosen++;
	r->chances += later < here;
	if (k.n <= MOMENTS && later + margin(here) < here)
		lr_violation(r,
			     "it starts at cost %u, which adds %.0f s; with a "
			     "better place it is %.0f s",
			     cost, here, later);
}

/* The moment of that time of day, or NULL. */
static const struct moment *moment_at(const struct choice *k, const char *day)
{
	for (uint32_t i = 0; i < k->n; i++) {
		char text[16];
		struct tm tm;

		if (localtime_r(&k->moment[i].when, &tm) &&
		    strftime(text, sizeof(text), "%H:%M:%S", &tm) &&
		    !strcmp(text, day))
			return &k->moment[i];
	}
	return NULL;
}

bool lr_says_better(const struct lr_run *r)
{
	return r->g.policy == LR_AUTO &&
	       strstr(r->jobs[0].reason, " waits: a place of ring cost ");
}

/* When they expect to start is told a moment after the reason. */
static int check_told_start(struct lr_run *r, time_t when)
{
	double deadline = lr_now_ms() + 20000;
	long off;

	do {
		if (lr_look_members(&r->c, &r->g, r->ids, r->jobs))
			return -1;
		off = 0;
		for (uint32_t i = 0; i < r->g.n_members; i++) {
			long one = labs((long)(r->jobs[i].start - when));

			off = one > off ? one : off;
		}
		if (off <= 90)
			return 0;
		lr_nap();
	} while (lr_now_ms() < deadline);
	lr_violation(r, "expected to start %ld s from when it waits for", off);
	return 0;
}

int lr_check_better(struct lr_run *r)
{
	char day[16] = "", reason[sizeof(r->jobs[0].reason)];
	unsigned there, here;
	long long adds;
	const struct moment *m;
	struct choice k;
	bool alike = lr_alike(&r->g);
	double later;

	snprintf(reason, sizeof(reason), "%s", r->jobs[0].reason);
	if (fill_choice(r, &k))
		return -1;
	if (!k.done) {
		r->undecided++;
		return 0;
	}
	r->patient++;
	if (sscanf(strstr(reason, " waits: "),
		   " waits: a place of ring cost %u is expected at %15[0-9:]; "
		   "here it costs %u, which adds %lld s",
		   &there, day, &here, &adds) != 4 ||
	    !k.best) {
		lr_violation(r, "unknown: %s", reason);
		return 0;
	}
	m = moment_at(&k, day);
	later = m ? (double)(m->when - k.now) + extra(&k, there) : 1e18;
	if (!m)
		lr_violation(r, "no job ends then: %s", reason);
	else if (here < k.cost || there < m->cost ||
		 (alike && (here != k.cost || there != m->cost)))
		lr_violation(r, "now %u, then %u: %s", k.cost, m->cost, reason);
	else if ((double)adds > extra(&k, here) + margin((double)adds) ||
		 (alike && !about((double)adds, extra(&k, here))))
		lr_violation(r, "it adds %.0f s: %s", extra(&k, here), reason);
	else if (alike && later > (double)adds + margin((double)adds))
		lr_violation(r, "waiting takes %.0f s: %s", later, reason);
	else if (alike && k.n <= MOMENTS &&
		 later > least_end(&k) + margin(later))
		lr_violation(r, "%.0f s, there is a moment of %.0f s: %s",
			     later, least_end(&k), reason);
	else
		return check_told_start(r, m->when);
	return 0;
}
