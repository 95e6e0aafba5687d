/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gang.c - the rules of gangs */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gang.h"

int sgang_gang_submit_order(const struct sgang_member *a,
			    const struct sgang_member *b)
{
	if (a->submit_time != b->submit_time)
		return (a->submit_time < b->submit_time) ? -1 : 1;
	if (a->job_id != b->job_id)
		return (a->job_id < b->job_id) ? -1 : 1;
	if (a->task_id != b->task_id)
		return (a->task_id < b->task_id) ? -1 : 1;
	return 0;
}

static int submit_order_qsort(const void *a, const void *b)
{
	return sgang_gang_submit_order(*(const struct sgang_member *const *)a,
				       *(const struct sgang_member *const *)b);
}

static int eligible_order_qsort(const void *a, const void *b)
{
	const struct sgang_member *x = *(const struct sgang_member *const *)a;
	const struct sgang_member *y = *(const struct sgang_member *const *)b;

	return (x->eligible_time > y->eligible_time) -
	       (x->eligible_time < y->eligible_time);
}

static int take_order_qsort(const void *a, const void *b)
{
	return sgang_gang_take_order(*(const struct sgang_member *const *)a,
				     *(const struct sgang_member *const *)b);
}

/* ---- adding up ---- */

static uint32_t larger(uint32_t a, uint32_t b)
{
	return (a > b) ? a : b;
}

static void count_member(const struct sgang_member *m,
			 struct sgang_tally *tally)
{
	if (m->spec->placeholder && m->state == SGANG_MEMBER_RUNNING)
		tally->placeholders += m->tasks;
	switch (m->state) {
	case SGANG_MEMBER_PENDING:
		tally->pending += m->tasks;
		if (m->eligible)
			tally->eligible += m->tasks;
		if (m->priority > tally->priority)
			tally->priority = m->priority;
		break;
	case SGANG_MEMBER_HELD:
		tally->held += m->tasks;
		if (m->priority > tally->priority)
			tally->priority = m->priority;
		break;
	case SGANG_MEMBER_RUNNING:
		tally->running += m->tasks;
		tally->satisfied = true; /* (0.38) */
		break;
	}
}

/* SGANG_FOREVER is the longest of all. */
static void count_wait(const struct sgang_member *m, struct sgang_tally *tally)
{
	if (m->state == SGANG_MEMBER_RUNNING)
		return;
	if (!m->waiting_time)
		tally->waiting_unsaid = true;
	if (m->waiting_time > tally->waiting_time)
		tally->waiting_time = m->waiting_time;
	tally->held_for = larger(tally->held_for, m->held_for);
	if (m->wait_max && (!tally->wait_max || m->wait_max < tally->wait_max))
		tally->wait_max = m->wait_max;
	if (m->state == SGANG_MEMBER_HELD && m->hold_max &&
	    (!tally->hold_max || m->hold_max < tally->hold_max))
		tally->hold_max = m->hold_max;
}

static void earliest(int64_t *into, int64_t time)
{
	if (time && (!*into || time < *into))
		*into = time;
}

/* Data that only the records have. */
static void count_record(const struct sgang_member *m,
			 struct sgang_tally *tally)
{
	const struct sgang_record *r = m->record;

	if (!r)
		return;
	earliest(&tally->created, r->created);
	if (m->state == SGANG_MEMBER_HELD)
		earliest(&tally->since, r->since);
	if (r->satisfied)
		tally->satisfied = true; /* (0.11) */
	if (r->started > tally->started)
		tally->started = r->started;
	if (r->phase != SGANG_PHASE_TIMEOUT || m->state != SGANG_MEMBER_PENDING)
		return;
	tally->timed_out = true;
	if (!m->stopped)
		tally->rearmed = true;
}

/* Whatever is read of records here, count_record(), keep_match() and
 * remember(), must be in it. */
void sgang_gang_told(const struct sgang_record *r, struct sgang_record *told)
{
	memset(told, 0, sizeof(*told));
	told->phase = r->phase;
	told->min_member = r->min_member;
	told->total = r->total;
	told->pool = r->pool;
	told->satisfied = r->satisfied;
	told->mode = r->mode;
	told->match = r->match;
	memcpy(told->groups, r->groups, sizeof(told->groups));
	told->created = r->created;
	told->since = r->since;
	told->started = r->started;
	told->root_min = r->root_min;
	memcpy(told->role, r->role, sizeof(told->role));
}

/* A gang that has started has settled its requests to later members. */
static void keep_match(const struct sgang_member *const *members, size_t n,
		       struct sgang_spec *spec)
{
	for (size_t i = 0; i < n; i++) {
		const struct sgang_record *r = members[i]->record;

		if (r && r->started &&
		    members[i]->state == SGANG_MEMBER_RUNNING) {
			spec->match = r->match;
			return;
		}
	}
}

/* Records also hold the defaults of the time when nobody had said anything, so
 * the largest numbers count, and only where they say more. */
static void remember(const struct sgang_member *const *members, size_t n,
		     struct sgang_spec *spec)
{
	uint32_t min = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sgang_record *r = members[i]->record;

		if (!r)
			continue;
		/* of a tree: the groups that it needs */
		min = larger(min, r->root_min ? r->root_min : r->min_member);
		total = larger(total, r->total);
		spec->pool |= r->pool;
		if (!spec->mode)
			spec->mode = r->mode;
		if (!spec->match)
			spec->match = r->match;
		if (!spec->groups_set && r->groups[0]) {
			spec->groups_set = true;
			strcpy(spec->groups, r->groups);
		}
	}
	if (!spec->min_member && (!spec->total || min <= spec->total))
		spec->min_member = min;
	if (!spec->total && total > sgang_spec_min(spec))
		spec->total = total;
}

/* A member that says 8 of a gang that an object gave a total of 4 means a gang
 * of 8: the number that came from farther away gives way. */
static void fill_in(struct sgang_spec *spec, const struct sgang_spec *from)
{
	struct sgang_spec more = *from;

	more.pool = false;
	if (spec->min_member && more.total && more.total < spec->min_member)
		more.total = 0;
	if (spec->total && more.min_member > spec->total)
		more.min_member = 0;
	sgang_spec_merge(spec, &more);
}

static uint32_t order_of(const struct sgang_member *m)
{
	return m->spec->order_set ? m->spec->order : UINT32_MAX;
}

/* The minimum consists of the first members in the order of --gang-order, so
 * nobody may take the place of one that comes before the last of them (3.8).
 * Held and running ones have theirs. */
static void find_last_order(const struct sgang_member **sorted, size_t n,
			    struct sgang_tally *tally)
{
	uint32_t seen = 0;

	qsort(sorted, n, sizeof(*sorted), take_order_qsort);
	for (size_t i = 0; i < n && seen < tally->min_member; i++) {
		tally->last_order = order_of(sorted[i]);
		seen += sorted[i]->tasks;
	}
	for (size_t i = 0; i < n; i++) {
		const struct sgang_member *m = sorted[i];

		if (order_of(m) >= tally->last_order)
			break;
		if (m->state != SGANG_MEMBER_PENDING)
			continue;
		tally->first_pending += m->tasks;
		if (!tally->first_job)
			tally->first_job = m->job_id;
		if (!m->eligible && !tally->waits_for)
			tally->waits_for = m->job_id;
	}
}

/* The moment at which the last one became eligible of the minimum that did so
 * first. */
static void find_complete(const struct sgang_member **sorted, size_t n,
			  struct sgang_tally *tally)
{
	uint64_t seen = 0;

	qsort(sorted, n, sizeof(*sorted), eligible_order_qsort);
	for (size_t i = 0; i < n; i++) {
		if (!sorted[i]->eligible &&
		    sorted[i]->state == SGANG_MEMBER_PENDING)
			continue;
		seen += sorted[i]->tasks;
		if (seen >= tally->min_member) {
			tally->complete = sorted[i]->eligible_time;
			return;
		}
	}
}

/* Whether it is a pool is said by the first definition alone. */
static void take_definitions(struct sgang_spec *spec,
			     const struct sgang_spec *const *definitions,
			     size_t n)
{
	const struct sgang_spec *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!definitions[i])
			continue;
		if (!first)
			first = definitions[i];
		fill_in(spec, definitions[i]);
	}
	spec->pool = first && first->pool;
}

/* ---- trees of groups ---- */

static bool counts_running(const struct sgang_tally *tally)
{
	return sgang_spec_match(&tally->spec) ==
	       SGANG_MATCH_WAITING_AND_RUNNING;
}

void sgang_gang_roles(const struct sgang_tally *tally,
		      struct sgang_role_gang *gang)
{
	enum sgang_match match = sgang_spec_match(&tally->spec);

	*gang = (struct sgang_role_gang){
		.min = tally->spec.min_member,
		.tree = tally->spec.tree,
		.counts = counts_running(tally),
		.started = match == SGANG_MATCH_ONCE_SATISFIED &&
			   tally->satisfied,
	};
}

void sgang_gang_role_member(const struct sgang_member *m,
			    struct sgang_role_member *member)
{
	*member = (struct sgang_role_member){
		.role = m->spec->role,
		.remembered = m->record ? m->record->role : NULL,
		.tasks = m->tasks,
		.order = order_of(m),
		.held = m->state == SGANG_MEMBER_HELD,
		.running = m->state == SGANG_MEMBER_RUNNING,
		.eligible = m->eligible,
	};
}

static bool any_role(const struct sgang_member *const *members, size_t n,
		     const struct sgang_tally *tally)
{
	for (size_t i = 0; i < n; i++) {
		if (members[i]->spec->role[0])
			return true;
	}
	return tally->spec.tree[0];
}

/* A tree has its minimum in members; --gang-order works within its groups. A
 * gang without roles is not looked at again. */
static int sum_roles(const struct sgang_member **members, size_t n,
		     struct sgang_tally *tally)
{
	struct sgang_role_member *list;
	struct sgang_role_gang gang;
	int rc;

	if (!any_role(members, n, tally))
		return 0;
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		return -1;
	for (size_t i = 0; i < n; i++)
		sgang_gang_role_member(members[i], &list[i]);
	sgang_gang_roles(tally, &gang);
	rc = sgang_role_sum(&gang, list, n, &tally->roles);
	free(list);
	tally->defined = true;
	tally->min_member = tally->roles.needed;
	tally->total = larger(tally->spec.total, tally->min_member);
	return rc;
}

int sgang_gang_tally(const struct sgang_member *const *members, size_t n,
		     const struct sgang_spec *const *definitions,
		     size_t n_definitions, struct sgang_tally *tally)
{
	const struct sgang_member **sorted;
	int rc;

	memset(tally, 0, sizeof(*tally));
	sorted = calloc(n ? n : 1, sizeof(*sorted));
	if (!sorted)
		return -1;
	if (n)
		memcpy(sorted, members, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), submit_order_qsort);

	for (size_t i = 0; i < n; i++) {
		count_member(sorted[i], tally);
		count_wait(sorted[i], tally);
		count_record(sorted[i], tally);
		/* often shared; what was merged already adds nothing */
		if (!i || sorted[i]->spec != sorted[i - 1]->spec)
			sgang_spec_merge(&tally->spec, sorted[i]->spec);
		if (!tally->min_job && sgang_spec_defines(sorted[i]->spec))
			tally->min_job = sorted[i]->job_id;
	}
	if (n)
		earliest(&tally->created, sorted[0]->submit_time);
	take_definitions(&tally->spec, definitions, n_definitions);
	remember(sorted, n, &tally->spec);
	keep_match(sorted, n, &tally->spec);
	tally->defined = sgang_spec_defines(&tally->spec);
	tally->min_member = sgang_spec_min(&tally->spec);
	tally->total = sgang_spec_total(&tally->spec);
	rc = sum_roles(sorted, n, tally);
	find_complete(sorted, n, tally);
	if (!tally->roles.any)
		find_last_order(sorted, n, tally);
	free(sorted);
	return rc;
}

/* ---- what follows from the counts ---- */

bool sgang_gang_strict(const struct sgang_tally *tally)
{
	return tally->spent ||
	       sgang_spec_mode(&tally->spec) == SGANG_MODE_STRICT;
}

/* Members that count towards the minimum without being placed (0.47). */
static uint32_t counted_running(const struct sgang_tally *tally)
{
	return counts_running(tally) ? tally->running : 0;
}

bool sgang_gang_ordinary(const struct sgang_tally *tally)
{
	if (tally->spec.pool)
		return true;
	/* Groups that follow start as a whole, unless placeholders have been
	 * there for them. */
	if (tally->roles.any && tally->roles.grows && !tally->spec.placeholders)
		return false;
	switch (sgang_spec_match(&tally->spec)) {
	case SGANG_MATCH_ONLY_WAITING:
		return false;
	case SGANG_MATCH_WAITING_AND_RUNNING:
		return tally->roles.any ? tally->roles.whole :
					  tally->running >= tally->min_member;
	default:
		return tally->satisfied;
	}
}

uint32_t sgang_gang_missing(const struct sgang_tally *tally)
{
	uint32_t have = tally->held + counted_running(tally);
	uint32_t missing;

	if (tally->roles.any)
		return tally->roles.missing;
	missing = (have < tally->min_member) ? tally->min_member - have : 0;

	return larger(missing, tally->first_pending);
}

static bool gathered(const struct sgang_tally *tally)
{
	if (tally->roles.any)
		return tally->roles.gathered;
	return tally->pending + tally->held + counted_running(tally) >=
	       tally->min_member;
}

static bool enough_eligible(const struct sgang_tally *tally)
{
	if (tally->roles.any)
		return tally->roles.eligible;
	return tally->eligible >= sgang_gang_missing(tally) &&
	       !tally->waits_for;
}

static bool may_go_on(const struct sgang_tally *tally)
{
	return tally->defined && !tally->timed_out && gathered(tally) &&
	       enough_eligible(tally);
}

bool sgang_gang_may_try(const struct sgang_tally *tally)
{
	return !sgang_gang_ordinary(tally) && tally->eligible &&
	       may_go_on(tally) && (!sgang_gang_strict(tally) || !tally->held);
}

bool sgang_gang_complete(const struct sgang_tally *tally)
{
	return sgang_gang_ordinary(tally) ||
	       (may_go_on(tally) && tally->eligible + tally->held);
}

bool sgang_gang_placed(const struct sgang_tally *tally)
{
	if (tally->roles.any && !tally->roles.placed)
		return false;
	return tally->held && !sgang_gang_missing(tally) && !tally->timed_out &&
	       !tally->waits_for;
}

uint32_t sgang_gang_waiting_time(const struct sgang_tally *tally,
				 const struct sgang_gang_wait *wait)
{
	uint32_t limit = tally->waiting_time;
	uint32_t most = tally->wait_max ? tally->wait_max : wait->most;

	if (!limit || tally->waiting_unsaid)
		limit = larger(limit, wait->otherwise);
	if (most != SGANG_FOREVER)
		most = most > tally->held_for ? most - tally->held_for : 0;
	if (tally->hold_max && tally->hold_max < most)
		most = tally->hold_max;
	return limit < most ? limit : most;
}

bool sgang_gang_wait_over(const struct sgang_tally *tally,
			  const struct sgang_gang_wait *wait, int64_t now)
{
	uint32_t limit = sgang_gang_waiting_time(tally, wait);

	return tally->held && tally->since && limit != SGANG_FOREVER &&
	       now - tally->since >= (int64_t)limit;
}

enum sgang_phase sgang_gang_phase(const struct sgang_tally *tally)
{
	if (!tally->pending && !tally->held && !tally->running)
		return SGANG_PHASE_FINISHED;
	if (tally->held && sgang_gang_missing(tally))
		return SGANG_PHASE_HOLDING;
	if (tally->held)
		return SGANG_PHASE_STARTING;
	if (tally->running ||
	    (sgang_gang_ordinary(tally) && !tally->roles.lacks[0]))
		return SGANG_PHASE_RUNNING;
	if (tally->timed_out && !tally->rearmed)
		return SGANG_PHASE_TIMEOUT;
	if (!tally->defined)
		return SGANG_PHASE_UNDEFINED;
	if (!gathered(tally))
		return SGANG_PHASE_GATHERING;
	return SGANG_PHASE_WAITING;
}

/* ---- orders ---- */

int sgang_gang_turn_order(const struct sgang_tally *a,
			  const struct sgang_tally *b)
{
	int rc;

	if (a->priority != b->priority)
		return (a->priority > b->priority) ? -1 : 1;
	if (a->created != b->created)
		return (a->created < b->created) ? -1 : 1;
	rc = strcmp(a->spec.ns, b->spec.ns);
	return rc ? rc : strcmp(a->spec.name, b->spec.name);
}

int sgang_gang_take_order(const struct sgang_member *a,
			  const struct sgang_member *b)
{
	if (order_of(a) != order_of(b))
		return (order_of(a) < order_of(b)) ? -1 : 1;
	if (a->priority != b->priority)
		return (a->priority > b->priority) ? -1 : 1;
	return sgang_gang_submit_order(a, b);
}

/* Requeued members have the order that they had: Slurm gives them another
 * submit time. */
static int former_order(const struct sgang_member *a,
			const struct sgang_member *b)
{
	struct sgang_was x = { 0, 0 }, y = { 0, 0 };

	if (a->record)
		x = sgang_record_was(a->record);
	if (b->record)
		y = sgang_record_was(b->record);
	if (!x.members != !y.members)
		return x.members ? -1 : 1;
	return (x.rank > y.rank) - (x.rank < y.rank);
}

int sgang_gang_ring_order(const struct sgang_member *a,
			  const struct sgang_member *b)
{
	int rc = sgang_role_path_order(a->spec->role, b->spec->role);

	if (rc)
		return rc;
	if (a->spec->rank_set != b->spec->rank_set)
		return a->spec->rank_set ? -1 : 1;
	if (a->spec->rank_set && a->spec->rank != b->spec->rank)
		return (a->spec->rank < b->spec->rank) ? -1 : 1;
	rc = former_order(a, b);
	return rc ? rc : sgang_gang_submit_order(a, b);
}

/* ---- words ---- */

#define HALF_A_DAY 43200

/* " since 12:03", with the day in front where it is not clear which one. */
static void since_words(int64_t since, int64_t now, char *buf, size_t size)
{
	time_t when = (time_t)since;
	struct tm tm;

	buf[0] = '\0';
	if (since && localtime_r(&when, &tm))
		(void)strftime(buf, size,
			       (now - since < HALF_A_DAY) ?
				       " since %H:%M" :
				       " since %m-%dT%H:%M",
			       &tm);
}

static void waiting_words(const struct sgang_tally *tally, const char *why,
			  int64_t now, char *buf, size_t size)
{
	bool reason = why && *why;
	char since[32];

	if (tally->held) {
		since_words(tally->since, now, since, sizeof(since));
		snprintf(buf, size, "holding %u/%u members%s%s%s", tally->held,
			 tally->min_member, since, reason ? ": " : "",
			 reason ? why : "");
	} else if (reason) {
		snprintf(buf, size, "waits: %s", why);
	} else {
		snprintf(buf, size, "waits for its turn");
	}
}

/* The cause for which a member without nodes waits. */
/* The user whose option makes the others wait. */
static void put_whose(const struct sgang_tally *tally, char *buf, size_t size)
{
	size_t used = strlen(buf);

	if (!gathered(tally) && tally->min_user[0])
		snprintf(buf + used, size - used,
			 " (job %u of %s says how many)", tally->min_job,
			 tally->min_user);
	else if (gathered(tally) && tally->first_user[0])
		snprintf(buf + used, size - used,
			 " (job %u of %s goes first by --gang-order)",
			 tally->first_job, tally->first_user);
}

static void pending_words(const struct sgang_tally *tally, const char *why,
			  int64_t now, char *buf, size_t size)
{
	uint32_t missing = sgang_gang_missing(tally);

	if (!tally->defined)
		snprintf(
			buf, size,
			"undefined: say --gang-min-member or use sgang create");
	else if (tally->roles.any && !may_go_on(tally))
		snprintf(buf, size, "%s: %s",
			 gathered(tally) ? "waits for members to be eligible" :
					   "gathering",
			 tally->roles.lacks);
	else if (!gathered(tally))
		snprintf(buf, size, "gathering %u/%u members",
			 tally->pending + tally->held + counted_running(tally),
			 tally->min_member);
	else if (tally->eligible < missing)
		snprintf(buf, size, "waits for %u of %u members to be eligible",
			 missing - tally->eligible, tally->min_member);
	else if (tally->waits_for)
		snprintf(buf, size,
			 "waits for job %u, which --gang-order puts first",
			 tally->waits_for);
	else
		waiting_words(tally, why, now, buf, size);
	if (tally->defined)
		put_whose(tally, buf, size);
}

/* "Gang alice/train ": how much of 'buf' that takes. */
static size_t put_name(const struct sgang_tally *tally, char *buf, size_t size)
{
	int n = snprintf(buf, size, "Gang %s/%s ", tally->spec.ns,
			 tally->spec.name);

	return (n < 0 || (size_t)n >= size) ? size - 1 : (size_t)n;
}

void sgang_gang_text(const struct sgang_tally *tally, const char *why,
		     int64_t now, char *buf, size_t size)
{
	size_t used;

	if (tally->timed_out && !tally->rearmed) {
		snprintf(buf, size, "%s", SGANG_TIMEOUT_TEXT);
		return;
	}
	used = put_name(tally, buf, size);
	pending_words(tally, why, now, buf + used, size - used);
}

/* Who only keeps nodes does not run (1.36). */
static void running_words(const struct sgang_tally *tally, char *buf,
			  size_t size)
{
	uint32_t members = tally->pending + tally->held + tally->running;
	int n;

	if (tally->spec.pool) {
		snprintf(buf, size, "pool, %u/%u spares have nodes",
			 tally->running, members);
		return;
	}
	n = snprintf(buf, size, "running %u/%u members",
		     tally->running - tally->placeholders,
		     members - tally->placeholders);
	if (tally->placeholders && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ", %u placeholders",
			 tally->placeholders);
}

void sgang_gang_words(const struct sgang_tally *tally, const char *why,
		      int64_t now, char *buf, size_t size)
{
	uint32_t members = tally->pending + tally->held + tally->running;

	switch (sgang_gang_phase(tally)) {
	case SGANG_PHASE_STARTING:
		snprintf(buf, size, "starting %u/%u members", tally->held,
			 members);
		break;
	case SGANG_PHASE_RUNNING:
		running_words(tally, buf, size);
		break;
	case SGANG_PHASE_TIMEOUT:
		snprintf(buf, size, "timeout, %u members stopped",
			 tally->pending);
		break;
	case SGANG_PHASE_FINISHED:
		snprintf(buf, size, "finished");
		break;
	default:
		pending_words(tally, why, now, buf, size);
		break;
	}
}

void sgang_gang_object_text(const struct sgang_tally *tally, char *buf,
			    size_t size)
{
	enum sgang_phase phase = sgang_gang_phase(tally);
	size_t used = put_name(tally, buf, size);

	if (tally->spec.pool) {
		snprintf(buf + used, size - used,
			 "pool, %u/%u spares have nodes", tally->running,
			 tally->pending + tally->running);
		return;
	}
	/* A definition whose gang has no members waits for them. */
	if (phase == SGANG_PHASE_FINISHED)
		phase = SGANG_PHASE_GATHERING;
	snprintf(buf + used, size - used, "%s %u/%u members",
		 sgang_phase_name(phase),
		 tally->pending + tally->held + tally->running,
		 tally->min_member);
	buf[used] = (char)tolower((unsigned char)buf[used]);
}
