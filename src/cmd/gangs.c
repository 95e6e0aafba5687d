/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gangs.c - the gangs that a list of job records amounts to */

#define _GNU_SOURCE /* strverscmp() */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/gangs.h"
#include "cmd/json.h"
#include "core/base/hostlist.h"
#include "core/gang/asks.h"

static int compare_keys(const struct sgang_record *a,
			const struct sgang_record *b)
{
	int order = strcmp(a->ns, b->ns);

	return order ? order : strcmp(a->name, b->name);
}

static int compare_submission(const struct sgang_jobrow *a,
			      const struct sgang_jobrow *b)
{
	if (a->submit_time != b->submit_time)
		return a->submit_time < b->submit_time ? -1 : 1;
	return (a->job_id > b->job_id) - (a->job_id < b->job_id);
}

/* qsort: the jobs of a name side by side, in the order of submission. */
static int by_name(const void *a, const void *b)
{
	const struct sgang_jobrow *x = *(const struct sgang_jobrow *const *)a;
	const struct sgang_jobrow *y = *(const struct sgang_jobrow *const *)b;
	int order = compare_keys(&x->record, &y->record);

	return order ? order : compare_submission(x, y);
}

/* qsort: members that have a rank by it, then the others. */
static int by_rank(const void *a, const void *b)
{
	const struct sgang_jobrow *x = *(const struct sgang_jobrow *const *)a;
	const struct sgang_jobrow *y = *(const struct sgang_jobrow *const *)b;

	if (x->record.placed != y->record.placed)
		return x->record.placed ? -1 : 1;
	if (x->record.placed && x->record.member_rank != y->record.member_rank)
		return x->record.member_rank < y->record.member_rank ? -1 : 1;
	return compare_submission(x, y);
}

static int by_time(const void *a, const void *b)
{
	const struct sgang_gang *x = a, *y = b;

	if (x->submit_time != y->submit_time)
		return x->submit_time < y->submit_time ? -1 : 1;
	return compare_keys(x->record, y->record);
}

static int by_node(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void count_jobs(struct sgang_gang *gang)
{
	uint32_t *const counter[] = {
		[SGANG_ROW_PENDING] = &gang->pending,
		[SGANG_ROW_HELD] = &gang->held,
		[SGANG_ROW_RUNNING] = &gang->running,
		[SGANG_ROW_ENDED] = &gang->ended,
	};
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->record.placeholder &&
		    (job->class == SGANG_ROW_HELD ||
		     job->class == SGANG_ROW_RUNNING))
			gang->placeholders += job->tasks;
		else
			*counter[job->class] += job->tasks;
	}
}

static bool has_live(const struct sgang_gang *gang)
{
	return gang->pending || gang->held || gang->running ||
	       gang->placeholders;
}

/* True if a job came or started after this one had ended: the gang of which that
 * one was the last went on. */
static bool went_on(const struct sgang_gang *gang,
		    const struct sgang_jobrow *last)
{
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		if (gang->jobs[i]->submit_time > last->end_time ||
		    gang->jobs[i]->record.started > last->end_time)
			return true;
	return false;
}

/* What slurmctld has said when the last member ended; NONE: nothing. */
static enum sgang_verdict told_verdict(const struct sgang_gang *gang)
{
	const struct sgang_jobrow *last = NULL;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->record.verdict &&
		    (!last || job->end_time >= last->end_time))
			last = job;
	}
	return last && !went_on(gang, last) ? last->record.verdict :
					      SGANG_VERDICT_NONE;
}

/* An older slurmctld says nothing, and any needs a moment. */
static void judge(struct sgang_gang *gang)
{
	struct sgang_verdict_sum sum = { .leader = false };
	struct sgang_verdict_member member;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		sgang_verdict_read(&gang->jobs[i]->record, gang->jobs[i]->end,
				   &member);
		sgang_verdict_add(&sum, &member, gang->jobs[i]->tasks);
	}
	gang->verdict = told_verdict(gang);
	gang->told = gang->verdict != SGANG_VERDICT_NONE;
	if (!gang->told)
		gang->verdict = sgang_verdict(&sum);
	gang->phase = sgang_phase_of_verdict(gang->verdict);
	gang->incomplete = sgang_verdict_incomplete(&sum);
}

/* All members carry the same record, but a later one may not have the placement
 * yet, and that of an ended one may be old. */
static const struct sgang_record *best_record(const struct sgang_gang *gang)
{
	const struct sgang_record *best = NULL;
	int best_score = -1;
	size_t i;

	if (!gang->n_jobs)
		return &gang->object->record;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];
		int score = 2 * (job->class != SGANG_ROW_ENDED) +
			    job->record.placed;

		if (score > best_score) {
			best_score = score;
			best = &job->record;
		}
	}
	return best;
}

static const char *reason_of(const struct sgang_gang *gang,
			     enum sgang_row_class class)
{
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		if (gang->jobs[i]->class == class && gang->jobs[i]->reason[0])
			return gang->jobs[i]->reason;
	return "";
}

/* Held members may have to wait for something as well. */
static const char *first_reason(const struct sgang_gang *gang)
{
	const char *reason = reason_of(gang, SGANG_ROW_PENDING);

	if (!gang->n_jobs)
		return gang->object->reason;
	return reason[0] ? reason : reason_of(gang, SGANG_ROW_HELD);
}

int64_t sgang_gangs_start(const struct sgang_gang *gang, int64_t now)
{
	int64_t first = 0;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->class == SGANG_ROW_PENDING && job->start_time > now &&
		    (!first || job->start_time < first))
			first = job->start_time;
	}
	return first;
}

/* The nodes of live members; of a finished gang those it had. */
static int collect_nodes(struct sgang_gang *gang, struct sgang_error *err)
{
	bool live = has_live(gang);
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->class == SGANG_ROW_PENDING || !job->nodes[0] ||
		    (live && job->class == SGANG_ROW_ENDED))
			continue;
		if (sgang_hostlist_append(job->nodes, &gang->nodes,
					  &gang->n_nodes, err))
			return -1;
	}
	/* several members can share a node */
	sgang_hostlist_unique(gang->nodes, &gang->n_nodes, by_node);
	return 0;
}

static void clear_gang(struct sgang_gang *gang)
{
	size_t i;

	for (i = 0; i < gang->n_nodes; i++)
		free(gang->nodes[i]);
	free(gang->nodes);
	free(gang->jobs);
}

/* The jobs, in the order of submission, and the definition are one gang. */
static int fill_gang(struct sgang_gang *gang,
		     const struct sgang_jobrow *const *jobs, size_t n,
		     const struct sgang_jobrow *object, struct sgang_error *err)
{
	memset(gang, 0, sizeof(*gang));
	gang->jobs = calloc(n + 1, sizeof(*gang->jobs));
	if (!gang->jobs)
		return sgang_err_memory(err);
	memcpy(gang->jobs, jobs, n * sizeof(*jobs));
	gang->n_jobs = n;
	gang->object = object;
	gang->submit_time = (n ? jobs[0] : object)->submit_time;
	qsort(gang->jobs, n, sizeof(*gang->jobs), by_rank);
	count_jobs(gang);
	gang->record = best_record(gang);
	gang->phase = gang->record->phase;
	if (n && !has_live(gang))
		judge(gang);
	gang->reason = first_reason(gang);
	if (collect_nodes(gang, err)) {
		clear_gang(gang);
		return -1;
	}
	return 0;
}

/* The number of jobs that share the name of the first. */
static size_t same_name(const struct sgang_jobrow *const *jobs, size_t n)
{
	size_t i = 1;

	while (i < n && !compare_keys(&jobs[0]->record, &jobs[i]->record))
		i++;
	return i;
}

/* True if both remember the same beginning of their gang. This distinguishes
 * gangs of which one ends in the second in which the next job comes. */
static bool same_beginning(const struct sgang_jobrow *a,
			   const struct sgang_jobrow *b)
{
	return a->record.created && a->record.created == b->record.created;
}

/* The same told from short records, which do not remember it: in the second in
 * which all others have ended, who has a rank that none of them had is one of
 * theirs. */
static bool has_own_rank(const struct sgang_jobrow *const *jobs, size_t n,
			 const struct sgang_jobrow *job)
{
	if (job->record.created || !job->record.placed)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!jobs[i]->record.placed ||
		    jobs[i]->record.member_rank == job->record.member_rank)
			return false;
	}
	return true;
}

/* The index at which the newest gang of one name begins among its jobs. */
static size_t newest(const struct sgang_jobrow *const *jobs, size_t n)
{
	int64_t all_ended = INT64_MIN;
	size_t first = 0, i;

	for (i = 0; i < n; i++) {
		int64_t end = jobs[i]->class == SGANG_ROW_ENDED ?
				      jobs[i]->end_time :
				      INT64_MAX;

		if (i > first && jobs[i]->submit_time >= all_ended &&
		    !same_beginning(jobs[i - 1], jobs[i]) &&
		    (jobs[i]->submit_time > all_ended ||
		     !has_own_rank(jobs + first, i - first, jobs[i]))) {
			first = i;
			all_ended = end;
		} else if (end > all_ended) {
			all_ended = end;
		}
	}
	return first;
}

/* Take the definitions out of the jobs of one name, which are in the order of
 * submission; the newest that still exists counts. Returns the number of jobs
 * that are left. */
static size_t take_object(const struct sgang_jobrow **jobs, size_t n,
			  const struct sgang_jobrow **object)
{
	size_t kept = 0, i;

	*object = NULL;
	for (i = 0; i < n; i++) {
		if (!jobs[i]->record.object)
			jobs[kept++] = jobs[i];
		else if (jobs[i]->class == SGANG_ROW_PENDING)
			*object = jobs[i];
	}
	return kept;
}

/* True if the job had ended when the definition was submitted. Slurm's times
 * are whole seconds, in which a gang can start and end. The numbers tell who was
 * submitted first; a task of an array gets its own when it starts. */
static bool ended_before(const struct sgang_jobrow *job,
			 const struct sgang_jobrow *object)
{
	uint32_t number = job->array_id ? job->array_id : job->job_id;

	if (job->class != SGANG_ROW_ENDED)
		return false;
	if (job->end_time != object->submit_time)
		return job->end_time < object->submit_time;
	return number < object->job_id;
}

static bool all_ended_before(const struct sgang_jobrow *const *jobs, size_t n,
			     const struct sgang_jobrow *object)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!ended_before(jobs[i], object))
			return false;
	return true;
}

/* Add the newest gang of one name, if anything of it still exists. */
static int add_gang(struct sgang_gangs *gangs, const struct sgang_jobrow **jobs,
		    size_t n, struct sgang_error *err)
{
	const struct sgang_jobrow *object;
	size_t first;

	n = take_object(jobs, n, &object);
	first = newest(jobs, n);
	/* a definition that came after all of them is of the next gang */
	if (object && all_ended_before(jobs + first, n - first, object))
		first = n;
	if (first == n && !object)
		return 0;
	if (fill_gang(&gangs->gang[gangs->count], jobs + first, n - first,
		      object, err))
		return -1;
	gangs->count++;
	return 0;
}

int sgang_gangs_build(const struct sgang_jobs *jobs, struct sgang_gangs *gangs,
		      struct sgang_error *err)
{
	struct sgang_gangs found = { NULL, 0 };
	const struct sgang_jobrow **sorted = NULL;
	size_t i, n;
	int rc = -1;

	if (jobs->count) {
		sorted = calloc(jobs->count, sizeof(*sorted));
		found.gang = calloc(jobs->count, sizeof(*found.gang));
		if (!sorted || !found.gang) {
			sgang_err_memory(err);
			goto out;
		}
		for (i = 0; i < jobs->count; i++)
			sorted[i] = &jobs->row[i];
		qsort(sorted, jobs->count, sizeof(*sorted), by_name);
	}
	for (i = 0; i < jobs->count; i += n) {
		n = same_name(sorted + i, jobs->count - i);
		if (add_gang(&found, sorted + i, n, err))
			goto out;
	}
	if (found.count)
		qsort(found.gang, found.count, sizeof(*found.gang), by_time);
	*gangs = found;
	found = (struct sgang_gangs){ NULL, 0 };
	rc = 0;
out:
	sgang_gangs_clear(&found);
	free(sorted);
	return rc;
}

/* Report which gangs of that name there are, the first of them at least. */
static int several(const struct sgang_gangs *gangs,
		   const struct sgang_spec *name, size_t n,
		   struct sgang_error *err)
{
	char names[256] = "";
	size_t i, used = 0, told = 0;

	for (i = 0; i < gangs->count && told < 3; i++) {
		const struct sgang_record *record = gangs->gang[i].record;

		if (strcmp(record->name, name->name))
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%s/%s", told ? " or " : "",
					 record->ns, record->name);
		if (used >= sizeof(names))
			break;
		told++;
	}
	return sgang_errf(err, EINVAL, "%zu namespaces have a gang %s, say %s",
			  n, name->name, names);
}

int sgang_gangs_find(const struct sgang_gangs *gangs,
		     const struct sgang_spec *name, const char *user,
		     const struct sgang_gang **found, struct sgang_error *err)
{
	const struct sgang_gang *other = NULL;
	size_t i, n = 0;

	for (i = 0; i < gangs->count; i++) {
		const struct sgang_gang *gang = &gangs->gang[i];

		if (strcmp(gang->record->name, name->name))
			continue;
		if (name->ns[0] ? !strcmp(gang->record->ns, name->ns) :
				  user && !strcmp(gang->record->ns, user)) {
			*found = gang;
			return 1;
		}
		if (!name->ns[0]) {
			other = gang;
			n++;
		}
	}
	if (n > 1)
		return several(gangs, name, n, err);
	if (n == 1)
		*found = other;
	return (int)n;
}

void sgang_gangs_clear(struct sgang_gangs *gangs)
{
	size_t i;

	for (i = 0; i < gangs->count; i++)
		clear_gang(&gangs->gang[i]);
	free(gangs->gang);
	gangs->gang = NULL;
	gangs->count = 0;
}

uint32_t sgang_gangs_members(const struct sgang_gang *gang)
{
	return has_live(gang) ? gang->pending + gang->held + gang->running +
					gang->placeholders :
				gang->ended;
}

void sgang_gangs_name(const struct sgang_record *record,
		      char name[SGANG_GANGS_NAME])
{
	snprintf(name, SGANG_GANGS_NAME, "%s%s%s", record->ns,
		 record->ns[0] ? "/" : "", record->name);
}

/* What follows 'begin' in 'text'; NULL: it begins in another way. */
static const char *after(const char *text, const char *begin)
{
	size_t n = strlen(begin);

	return strncmp(text, begin, n) ? NULL : text + n;
}

const char *sgang_gangs_reason(const struct sgang_gang *gang,
			       const char *reason)
{
	char own[sizeof("Gang ") + SGANG_GANGS_NAME];
	char name[SGANG_GANGS_NAME];
	const char *rest, *alone;

	sgang_gangs_name(gang->record, name);
	snprintf(own, sizeof(own), "Gang %s", name);
	rest = after(reason, own);
	if (!rest)
		return reason;
	alone = after(rest, " waits: ");
	if (!alone)
		alone = after(rest, ": ");
	if (!alone)
		alone = after(rest, " ");
	return alone ? alone : reason;
}

int64_t sgang_gangs_wait_ends(const struct sgang_gang *gang)
{
	const struct sgang_record *record = gang->record;

	if (gang->held && record->until)
		return record->until;
	if (!gang->held || !record->since || !record->waiting_time ||
	    record->waiting_time == SGANG_FOREVER)
		return 0;
	return record->since + record->waiting_time;
}

const char *sgang_gangs_mode(const struct sgang_record *record)
{
	return sgang_mode_word(record->mode ? record->mode : SGANG_MODE_STRICT);
}

static const char *match_word(const struct sgang_record *record)
{
	return sgang_match_word(record->match ? record->match :
						SGANG_MATCH_ONCE_SATISFIED);
}

const char *sgang_gangs_on_failure(const struct sgang_record *record)
{
	return sgang_on_failure_word(record->on_failure ?
					     record->on_failure :
					     SGANG_ON_FAILURE_IGNORE);
}

const char *sgang_gangs_user(const struct sgang_jobrow *job)
{
	return job->user;
}

const char *sgang_gangs_account(const struct sgang_jobrow *job)
{
	return job->account;
}

const char *sgang_gangs_partition(const struct sgang_jobrow *job)
{
	return job->partition;
}

static void add_distinct(const char **values, size_t *n, const char *value)
{
	size_t i;

	if (!value[0])
		return;
	for (i = 0; i < *n; i++)
		if (!strcmp(values[i], value))
			return;
	values[(*n)++] = value;
}

int sgang_gangs_distinct(const struct sgang_gang *gang,
			 sgang_gangs_field_f field, const char ***values,
			 size_t *n)
{
	const char **found = calloc(gang->n_jobs + 1, sizeof(*found));
	size_t i, count = 0;

	if (!found) {
		errno = ENOMEM;
		return -1;
	}
	for (i = 0; i < gang->n_jobs; i++)
		add_distinct(found, &count, field(gang->jobs[i]));
	if (gang->object)
		add_distinct(found, &count, field(gang->object));
	*values = found;
	*n = count;
	return 0;
}

static void put_distinct(struct json_object *list,
			 const struct sgang_gang *gang,
			 sgang_gangs_field_f field)
{
	const char **values;
	size_t i, n;

	if (sgang_gangs_distinct(gang, field, &values, &n))
		return;
	for (i = 0; i < n; i++)
		sgang_json_item(list, values[i]);
	free(values);
}

static void put_groups(struct json_object *list,
		       const struct sgang_record *record)
{
	char ns[SGANG_NAMESPACE_MAX + 1], name[SGANG_NAME_MAX + 1];
	char gang[SGANG_GANGS_NAME];
	const char *at = record->groups;

	while (sgang_spec_next_group(&at, ns, name)) {
		snprintf(gang, sizeof(gang), "%s/%s", ns, name);
		sgang_json_item(list, gang);
	}
}

/* The requests in options that have no field of their own. To add one: its key
 * and its option here, a word in cmd_show.c. */
static void put_asks(struct json_object *object,
		     const struct sgang_record *record)
{
	static const char *const asks[][2] = {
		{ "topology", "topology" },
		{ "group_topology", "group-topology" },
		{ "exclusive", "exclusive" },
		{ "parallel", "parallel" },
		{ "min_tres", "min-tres" },
		{ "run_time", "run-time" },
		{ "comm_share", "comm-share" },
		{ "rank_order", "rank-order" },
		{ "preempt", "preempt" },
		{ "spares", "spares" },
		{ "spare_pool", "spare-pool" },
	};
	char value[SGANG_ASKS_SIZE];
	size_t i;

	for (i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		sgang_json_text(object, asks[i][0],
				sgang_asks_find(record->asks, asks[i][1], value,
						sizeof(value)));
}

static void put_time(struct json_object *object, const char *key,
		     uint32_t seconds)
{
	if (seconds == SGANG_FOREVER)
		sgang_json_text(object, key, "UNLIMITED");
	else
		sgang_json_known(object, key, seconds);
}

static void put_after_start(struct json_object *object,
			    const struct sgang_record *record)
{
	char text[SGANG_ON_SUCCESS_SHOWN];

	sgang_json_text(object, "on_failure", sgang_gangs_on_failure(record));
	sgang_json_known(object, "max_restarts", record->max_restarts);
	sgang_json_text(object, "on_stale",
			sgang_on_failure_word(record->on_stale ?
						      record->on_stale :
						      SGANG_ON_FAILURE_IGNORE));
	put_time(object, "stale_grace", record->stale_grace);
	sgang_on_success_show(text, sizeof(text),
			      record->on_success ? record->on_success :
						   SGANG_ON_SUCCESS_ALL);
	sgang_json_text(object, "on_success", text);
	sgang_json_text(object, "on_drain",
			sgang_on_failure_word(record->on_drain ?
						      record->on_drain :
						      SGANG_ON_FAILURE_IGNORE));
}

/* The options of the gang, and the times of what happened to it. */
static void put_rules(struct json_object *object, const struct sgang_gang *gang)
{
	const struct sgang_record *record = gang->record;

	sgang_json_text(object, "mode", sgang_gangs_mode(record));
	sgang_json_text(object, "match", match_word(record));
	put_after_start(object, record);
	put_groups(sgang_json_list(object, "groups"), record);
	put_time(object, "waiting_time", record->waiting_time);
	put_asks(object, record);
	sgang_json_text(object, "pool", record->pool ? "yes" : "");
	sgang_json_known(object, "definition",
			 gang->object ? gang->object->job_id : 0);
	sgang_json_known(object, "created", (uint64_t)record->created);
	sgang_json_known(object, "since", (uint64_t)record->since);
	sgang_json_known(object, "wait_ends",
			 (uint64_t)sgang_gangs_wait_ends(gang));
	sgang_json_known(object, "started", (uint64_t)record->started);
}

/* The numbers of a gang without a placement are null, not 0. */
static void put_placement(struct json_object *object,
			  const struct sgang_record *record)
{
	bool placed = record->placed;

	sgang_json_maybe(object, "ring_cost", placed, record->ring_cost);
	sgang_json_maybe(object, "ring_best", placed, record->ring_best);
	sgang_json_maybe(object, "cross_links", placed, record->cross_links);
	sgang_json_maybe(object, "ranks", placed, record->ranks);
	sgang_json_maybe(object, "started_members", placed, record->members);
	sgang_json_text(object, "tier", placed ? record->tier : "");
	json_object_object_add(object, "exact",
			       placed ? json_object_new_boolean(record->exact) :
					NULL);
}

void sgang_gangs_json_role(struct json_object *member,
			   const struct sgang_record *record)
{
	char names[SGANG_ROLE_SIZE];

	if (record->role[0])
		sgang_json_string(member, "role",
				  sgang_role_path_names(record->role, names));
}

bool sgang_gangs_is_short(const struct sgang_record *record)
{
	return record->placed && !record->ranks;
}

static void forget_rest(struct json_object *object)
{
	static const char *const keys[] = {
		"satisfied", "attempts",   "tried",    "skipped",  "mode",
		"match",     "on_failure", "on_stale", "on_drain", "on_success",
		"ring_best", "ranks",      "exact"
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_object_add(object, keys[i], NULL);
}

struct json_object *sgang_gangs_json(const struct sgang_gang *gang)
{
	const struct sgang_record *record = gang->record;
	struct json_object *object = json_object_new_object();
	struct json_object *nodes;
	char name[SGANG_GANGS_NAME];
	size_t i;

	sgang_gangs_name(record, name);
	sgang_json_text(object, "gang", name);
	sgang_json_text(object, "namespace", record->ns);
	sgang_json_text(object, "name", record->name);
	put_distinct(sgang_json_list(object, "users"), gang, sgang_gangs_user);
	put_distinct(sgang_json_list(object, "accounts"), gang,
		     sgang_gangs_account);
	put_distinct(sgang_json_list(object, "partitions"), gang,
		     sgang_gangs_partition);
	sgang_json_text(object, "phase", sgang_phase_name(gang->phase));
	sgang_json_number(object, "members", sgang_gangs_members(gang));
	sgang_json_known(object, "min_member", record->min_member);
	if (record->root_min)
		sgang_json_number(object, "min_groups", record->root_min);
	sgang_json_known(object, "total", record->total);
	sgang_json_number(object, "pending", gang->pending);
	sgang_json_number(object, "held", gang->held);
	sgang_json_number(object, "running", gang->running);
	sgang_json_number(object, "ended", gang->ended);
	sgang_json_known(object, "placeholders", gang->placeholders);
	sgang_json_bool(object, "satisfied", record->satisfied);
	sgang_json_known(object, "submitted", (uint64_t)gang->submit_time);
	sgang_json_known(object, "position", gang->position);
	sgang_json_number(object, "attempts", record->attempts);
	sgang_json_number(object, "tried", record->tried);
	sgang_json_number(object, "skipped", record->skipped);
	put_rules(object, gang);
	put_placement(object, record);
	if (sgang_gangs_is_short(record))
		forget_rest(object);
	nodes = sgang_json_list(object, "nodes");
	for (i = 0; i < gang->n_nodes; i++)
		sgang_json_item(nodes, gang->nodes[i]);
	sgang_json_text(object, "reason", gang->reason);
	return object;
}
