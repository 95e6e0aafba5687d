/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits.c - may a gang wait, does it say why, and when it will start */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client.h"
#include "run.h"

#define EXPECT_MS 30000.0 /* when it expects to start is told by then */

/* Slurm's own words: "ReqNodeNotAvail, UnavailableNodes:n1,n3", or that nodes
 * are drained, or reserved, where that is so. */
static bool says_drained(const struct lr_run *r, const struct lr_job *job)
{
	const char *nodes = strstr(job->reason, "UnavailableNodes:");
	struct lr_place place;
	bool away = false, reserved = false;

	for (uint32_t i = 0; i < r->c.n_nodes; i++) {
		away |= r->c.node[i].away;
		reserved |= r->c.node[i].reserved;
	}
	if ((away && strstr(job->reason, "DOWN, DRAINED")) ||
	    (reserved && strstr(job->reason, "May be reserved for other job")))
		return true;
	if (!nodes || lr_parse_nodes(&r->c, nodes, &place))
		return false;
	for (uint32_t i = 0; i < place.n; i++) {
		if (!r->c.node[place.node[i]].away)
			return false;
	}
	return true;
}

bool lr_says_why(const struct lr_run *r)
{
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		const char *waits = strstr(r->jobs[i].reason, " waits: ");

		if (!waits && says_drained(r, &r->jobs[i]))
			continue;
		if (!waits)
			return false;
	}
	return true;
}

/* The gang's own words, of a member that has them. */
static const char *own_words(const struct lr_run *r)
{
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		if (strstr(r->jobs[i].reason, " waits: "))
			return r->jobs[i].reason;
	}
	return NULL;
}

/* What sgang says now is compared with what the jobs say now: a gang is tried
 * again from time to time, and tells of it between the two. */
#define SHOW_MS 20000.0

static void check_shown(struct lr_run *r)
{
	double deadline = lr_now_ms() + SHOW_MS;
	const char *wrong;

	do {
		const char *reason;

		lr_nap();
		if (lr_look_members(&r->c, &r->g, r->ids, r->jobs))
			return;
		reason = own_words(r);
		wrong = reason ? lr_wrong_wait(&r->g, reason) : NULL;
	} while (wrong && lr_now_ms() < deadline);
	if (wrong)
		lr_violation(r, "%s", wrong);
	r->shown++;
}

static void check_reason(struct lr_run *r)
{
	const char *reason = own_words(r);
	const char *wrong = r->c.kinds & LR_REASON && reason && !r->g.split ?
				    lr_wrong_reason(r, reason) :
				    NULL;

	if (wrong)
		lr_violation(r, "%s, but: %s", wrong, reason);
	else if (getenv("VERBOSE"))
		printf("# reason: %s\n", reason ? reason : "Slurm's own");
	if (r->g.split)
		return; /* each gang has its own */
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		if (reason && strcmp(r->jobs[i].reason, reason) &&
		    !says_drained(r, &r->jobs[i]))
			lr_violation(r, "members differ: '%s', '%s'", reason,
				     r->jobs[i].reason);
	}
	if (r->c.kinds & LR_SHOW && r->g.number % 5 == 0)
		check_shown(r);
}

static int set_fits(struct lr_run *r, const struct lr_cluster *c, uint32_t set)
{
	struct lr_gang part = r->g;

	part.n_members = 0;
	for (uint32_t m = 0; m < r->g.n_members; m++) {
		if (set >> m & 1)
			part.member[part.n_members++] = r->g.member[m];
	}
	return lr_fits(c, &part, r->found);
}

/* Its minimum, whichever members that may be. */
static int minimum_fits(struct lr_run *r, const struct lr_cluster *c)
{
	int fits = 0;

	if (r->g.min == r->g.n_members)
		return lr_fits(c, &r->g, r->found);
	for (uint32_t set = 0; set < 1u << r->g.n_members; set++) {
		int found;

		if ((uint32_t)__builtin_popcount(set) != r->g.min ||
		    !lr_in_turn(&r->g, set))
			continue;
		found = set_fits(r, c, set);
		if (found == 1)
			return 1;
		fits = found < 0 ? found : fits;
	}
	return fits;
}

/* -- when a gang that waits expects to start -- */

/* The first end of a job after which it fits, if none is early; 0: none helps.
 * Without 'gpus' those that a job had stay taken. */
static time_t first_start(struct lr_run *r, const struct lr_job *blockers,
			  bool gpus, bool *decided)
{
	struct lr_cluster later = r->c;
	bool gone[LR_NODES * 2] = { false };

	*decided = true;
	for (;;) {
		time_t next = 0;
		int fits;

		for (uint32_t i = 0; i < r->n_blockers; i++) {
			time_t end = blockers[i].end;

			if (!gone[i] && end && (!next || end < next))
				next = end;
		}
		if (!next)
			return 0;
		for (uint32_t i = 0; i < r->n_blockers; i++) {
			if (gone[i] || blockers[i].end != next)
				continue;
			gone[i] = true;
			for (uint32_t d = 0; d < LR_DIMS; d++)
				later.node[r->blocks[i]].used[d] -=
					d == LR_GPU && !gpus ?
						0 :
						r->block_use[i][d];
		}
		fits = minimum_fits(r, &later);
		*decided &= fits >= 0;
		if (fits == 1)
			return next;
	}
}

/* Slurm's backfill makes a year of "not in sight". */
static bool in_sight(time_t start, time_t now)
{
	return start && start < now + 300 * 86400;
}

static bool same_starts(const struct lr_run *r)
{
	for (uint32_t i = 1; i < r->g.n_members; i++) {
		if (labs((long)(r->jobs[i].start - r->jobs[0].start)) > 1)
			return false;
	}
	return true;
}

/* Backfill counts in steps of a minute. GPUs that have no file each do not come
 * back in its plans, so it may expect even a plain job at 'late' only, or never
 * where that is 0. */
static bool right_start(const struct lr_run *r, time_t expected, time_t late)
{
	time_t now = time(NULL);

	for (uint32_t i = 0; i < r->g.n_members; i++) {
		time_t start = r->jobs[i].start;

		if (!in_sight(start, now) && (!expected || !late))
			continue;
		if (!in_sight(start, now) || !expected ||
		    start < expected - 90 ||
		    (late && start > (late > expected ? late : expected) + 90))
			return false;
	}
	return same_starts(r);
}

static int check_expected(struct lr_run *r)
{
	double deadline = lr_now_ms() + EXPECT_MS;
	struct lr_job blockers[LR_NODES * 2];
	time_t expected, late;
	bool decided, also;

	if (lr_look(&r->c, r->blocker, r->n_blockers, blockers))
		return -1;
	expected = first_start(r, blockers, true, &decided);
	late = first_start(r, blockers, false, &also);
	if (!decided || !also)
		return 0;
	do {
		lr_nap();
		if (lr_look_members(&r->c, &r->g, r->ids, r->jobs))
			return -1;
		if (right_start(r, expected, late)) {
			r->starts++;
			return 0;
		}
	} while (lr_now_ms() < deadline);
	lr_violation(r, "expected to start in %ld s",
		     expected ? (long)(expected - time(NULL)) : 0);
	for (uint32_t i = 0; i < r->g.n_members; i++)
		printf("# seed %llu gang %u: job %u says %ld s\n",
		       (unsigned long long)r->c.seed, r->g.number, r->ids[i],
		       r->jobs[i].start ?
			       (long)(r->jobs[i].start - time(NULL)) :
			       0);
	return 0;
}

/* Does Slurm refuse a member by itself? */
static bool never_alone(struct lr_run *r, const struct lr_cluster *c)
{
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		if (set_fits(r, c, 1u << i) != 1)
			return true;
	}
	return false;
}

/* It waits: may it? */
int lr_check_wait(struct lr_run *r, double since)
{
	int fits = minimum_fits(r, &r->c);

	if (fits < 0) {
		r->undecided++;
		return 0;
	}
	r->waited++;
	r->checked++;
	if (!fits) {
		check_reason(r);
		/* those of a nonstrict gang start one by one */
		return r->c.kinds & LR_START && r->g.number % 8 == 0 &&
				       !r->g.nonstrict && !r->g.patient &&
				       !r->g.split ?
			       check_expected(r) :
			       0;
	}
	while (lr_now_ms() < since + START_MS) {
		if (lr_says_better(r))
			return lr_check_better(r);
		lr_nap();
		if (lr_look_members(&r->c, &r->g, r->ids, r->jobs))
			return -1;
		if (lr_with_nodes(r) >= r->g.min)
			break;
	}
	if (lr_with_nodes(r) >= r->g.min && lr_now_ms() < since + LATE_MS)
		return 0;
	if (lr_with_nodes(r) >= r->g.min)
		lr_violation(r, "it fits and started after %.1f s only",
			     (lr_now_ms() - since) / 1e3);
	else
		lr_violation(r, "it fits and waits: %s", r->jobs[0].reason);
	lr_tell_found(r, "found");
	return 0;
}

/* Not all of its members have told why they wait. */
void lr_check_silent(struct lr_run *r)
{
	r->checked++;
	if (minimum_fits(r, &r->c)) {
		lr_violation(r, "it fits and waits:");
		lr_tell_found(r, "found");
	} else {
		lr_violation(r, "no reason:");
	}
	for (uint32_t i = 0; i < r->g.n_members; i++)
		printf("# seed %llu gang %u: job %u says '%s'\n",
		       (unsigned long long)r->c.seed, r->g.number, r->ids[i],
		       r->jobs[i].reason);
}

/* May it, were nothing else there? */
void lr_check_refused(struct lr_run *r)
{
	struct lr_cluster empty = r->c;

	for (uint32_t i = 0; i < empty.n_nodes; i++)
		memset(empty.node[i].used, 0, sizeof(empty.node[i].used));
	r->checked++;
	if (r->g.patient)
		r->g.policy = LR_ANYWHERE;
	if ((r->g.late && never_alone(r, &empty)) ||
	    minimum_fits(r, &empty) != 1)
		return;
	lr_violation(r, "it is refused and would fit: %s", lr_refusal());
}
