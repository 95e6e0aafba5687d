/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_explain.c - sgang explain: why a gang is where it is, or waits */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/gangs.h"
#include "cmd/in_force.h"
#include "cmd/json.h"
#include "cmd/past.h"
#include "cmd/queue.h"
#include "cmd/ringtext.h"
#include "cmd/rolelist.h"
#include "core/base/text.h"
#include "core/gang/conf.h"
#include "core/gang/lists.h"
#include "core/gang/stays.h"

enum { OPT_CONF, OPT_BYTES };

static const struct sgang_cmd_option options[] = {
	[OPT_CONF] = { "conf", "FILE", "gang.conf with names and bandwidths",
		       0 },
	[OPT_BYTES] = { "bytes", "N", "of an all-reduce (1G)", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	const char *operand;
	uint32_t job;           /* 0: the operand is a gang's name */
	const char *task;       /* of that array, NULL: any */
	struct sgang_spec spec; /* the gang's name */
	const char *conf_path;  /* --conf, NULL: next to slurm.conf */
	struct sgang_conf conf;
	uint64_t bytes;
};

/* The subject of the explanation. */
struct subject {
	const struct sgang_record *record;
	const struct sgang_gang *gang;  /* NULL: it is not known any more */
	const struct sgang_jobrow *job; /* that was asked for, or NULL */
};

/* -- the request -- */

/* Digits, or digits_digits for a task of an array, are a job. */
static void read_operand(struct request *request, const char *text)
{
	size_t digits = strspn(text, "0123456789");
	char number[16] = "";
	uint64_t job = 0;

	request->operand = text;
	if (!digits || digits >= sizeof(number))
		return;
	if (text[digits] &&
	    (text[digits] != '_' || strspn(text + digits + 1, "0123456789") !=
					    strlen(text + digits + 1)))
		return;
	memcpy(number, text, digits);
	if (sgang_text_number(number, 1, UINT32_MAX, &job))
		return;
	request->job = (uint32_t)job;
	if (text[digits])
		request->task = text + digits + 1;
}

/* -- the job or gang that was asked for -- */

static bool is_job(const struct request *request,
		   const struct sgang_jobrow *row)
{
	if (request->task)
		return row->array_id == request->job && row->array_tasks &&
		       !strcmp(row->array_tasks, request->task);
	return row->job_id == request->job || row->array_id == request->job;
}

/* The job, or of several runs or tasks the last with a placement. */
static const struct sgang_jobrow *find_job(const struct request *request,
					   const struct sgang_jobs *jobs)
{
	const struct sgang_jobrow *found = NULL;
	size_t i;

	for (i = 0; i < jobs->count; i++) {
		const struct sgang_jobrow *row = &jobs->row[i];

		if (is_job(request, row) &&
		    (!found || row->record.placed >= found->record.placed))
			found = row;
	}
	return found;
}

/* The gang of a job, unless its name has been used again. */
static const struct sgang_gang *gang_of(const struct sgang_gangs *gangs,
					const struct sgang_jobrow *job)
{
	size_t i, j;

	for (i = 0; i < gangs->count; i++)
		for (j = 0; j < gangs->gang[i].n_jobs; j++)
			if (gangs->gang[i].jobs[j] == job)
				return &gangs->gang[i];
	return NULL;
}

static int find_gang(const struct request *request,
		     const struct sgang_gangs *gangs, struct sgang_past *past,
		     struct subject *subject, struct sgang_error *err)
{
	int rc = sgang_gangs_find(gangs, &request->spec, sgang_cmd_user(),
				  &subject->gang, err);

	if (!rc)
		rc = sgang_past_find(past, &request->spec, sgang_cmd_user(),
				     &subject->gang, err);
	if (rc == 1)
		subject->record = subject->gang->record;
	return rc;
}

static int load_past(const struct request *request, struct sgang_jobs *jobs,
		     struct sgang_error *err)
{
	const struct sgang_jobs_past wanted = { .job_id = request->job };
	struct sgang_error why;

	if (!sgang_jobs_load_past(&wanted, jobs, &why))
		return 0;
	return sgang_errf(err, EIO,
			  "slurmctld does not know job %" PRIu32 ", and %s",
			  request->job, why.text);
}

/* Same as sgang_gangs_find(); for what slurmctld has forgotten 'past' is
 * filled. */
static int find_subject(const struct request *request,
			const struct sgang_jobs *jobs,
			const struct sgang_gangs *gangs,
			struct sgang_past *past, struct subject *subject,
			struct sgang_error *err)
{

	if (!request->job)
		return find_gang(request, gangs, past, subject, err);
	subject->job = find_job(request, jobs);
	if (subject->job) {
		subject->gang = gang_of(gangs, subject->job);
	} else {
		if (load_past(request, &past->jobs, err))
			return -1;
		subject->job = find_job(request, &past->jobs);
	}
	if (!subject->job)
		return 0;
	subject->record = &subject->job->record;
	return 1;
}

static enum sgang_phase phase_of(const struct subject *subject)
{
	const struct sgang_record *record = subject->record;

	if (subject->gang)
		return subject->gang->phase;
	return record->verdict ? sgang_phase_of_verdict(record->verdict) :
				 record->phase;
}

static bool waits(const struct subject *subject)
{
	enum sgang_phase phase = phase_of(subject);

	return subject->gang &&
	       (phase < SGANG_PHASE_STARTING || phase == SGANG_PHASE_TIMEOUT);
}

/* -- where it is -- */

/* The ring in the record; the level names may be others by now. */
static void read_ring(const struct request *request,
		      const struct sgang_record *record,
		      struct sgang_ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->ranks = record->ranks;
	(void)sgang_lists_read_hops(record->hops, &request->conf.costs, ring);
}

/* Room for the reason why another place was not chosen. */
#define WHY_SIZE 64

static const char *why_not(const struct sgang_record *record,
			   const struct sgang_list_other *other,
			   char why[WHY_SIZE])
{
	uint64_t ours = record->weighted_cost ? record->weighted_cost :
						record->ring_cost;
	const char *heavier = other->heavier ? ", but heavier nodes" : "";

	if (!other->fits)
		snprintf(why, WHY_SIZE, "%" PRIu64 " of %" PRIu64 " fit",
			 other->free, other->needed);
	else if (other->cost == ours)
		snprintf(why, WHY_SIZE, "same cost%s", heavier);
	else
		snprintf(why, WHY_SIZE, "%" PRIu64 " %c %" PRIu64 "%s",
			 other->cost, other->cost > ours ? '>' : '<', ours,
			 heavier);
	return why;
}

static void put_others(const struct sgang_record *record,
		       struct json_object *list)
{
	const char *text = record->others;
	struct sgang_list_other other;
	struct json_object *object;
	char why[WHY_SIZE];

	while (sgang_lists_next_other(&text, &other)) {
		object = sgang_json_row(list);
		sgang_json_text(object, "domain", other.place);
		sgang_json_bool(object, "fits", other.fits);
		if (other.fits) {
			sgang_json_number(object, "cost", other.cost);
		} else {
			sgang_json_number(object, "free", other.free);
			sgang_json_number(object, "needed", other.needed);
		}
		sgang_json_text(object, "why", why_not(record, &other, why));
	}
}

static void put_choice(const struct sgang_record *record,
		       struct json_object *object)
{
	struct sgang_list_choice choice;

	if (!sgang_lists_read_choice(record->choice, &choice))
		return;
	sgang_json_number(object, "auto_cost", choice.cost);
	sgang_json_number(object, "auto_adds_seconds", choice.seconds);
	if (!choice.later)
		return;
	sgang_json_number(object, "auto_later", choice.when);
	sgang_json_number(object, "auto_later_cost", choice.later_cost);
	sgang_json_number(object, "auto_later_adds_seconds",
			  choice.later_seconds);
}

/* Text shows the levels by their names of that time. */
static void put_hops(const struct sgang_record *record,
		     const struct sgang_ring *ring,
		     const struct sgang_costs *costs,
		     struct json_object *object)
{
	if (sgang_answer_is_text())
		sgang_json_text(object, "hops", record->hops);
	else
		sgang_ringtext_json_hops(ring, costs, object);
}

static void put_short(const struct sgang_record *record,
		      struct json_object *object)
{
	sgang_json_number(object, "ring_cost", record->ring_cost);
	sgang_json_number(object, "cross_links", record->cross_links);
	sgang_json_text(object, "tier", record->tier);
	sgang_gangs_json_role(object, record);
	sgang_json_number(object, "member_rank", record->member_rank);
	sgang_json_number(object, "members", record->members);
}

static void put_placement(const struct request *request,
			  const struct sgang_record *record,
			  struct json_object *object)
{
	const struct sgang_costs *costs = &request->conf.costs;
	struct sgang_ring ring;

	read_ring(request, record, &ring);
	sgang_json_number(object, "ring_cost", record->ring_cost);
	sgang_json_number(object, "cross_links", record->cross_links);
	sgang_json_text(object, "tier", record->tier);
	sgang_json_number(object, "ranks", record->ranks);
	put_hops(record, &ring, costs, object);
	sgang_json_text(object, "device", record->any_device ? "any" : "");
	sgang_json_number(object, "bytes", request->bytes);
	sgang_ringtext_json_time(&ring, costs, request->bytes, object);
	sgang_json_number(object, "ring_best", record->ring_best);
	sgang_json_known(object, "stock_cost", record->stock_cost);
	json_object_object_add(
		object, "stock_estimate",
		record->stock_cost ?
			json_object_new_boolean(record->stock_estimate) :
			NULL);
	sgang_json_bool(object, "exact", record->exact);
	sgang_json_known(object, "bound",
			 record->exact ? record->ring_cost : record->bound);
	sgang_json_text(object, "rank_order", record->sorted ? "ring" : "");
	sgang_json_known(object, "order_cost", record->order_cost);
	sgang_json_known(object, "weighted_cost", record->weighted_cost);
	sgang_json_known(object, "weighted_best", record->weighted_best);
	put_choice(record, object);
	put_others(record, sgang_json_list(object, "others"));
}

/* -- the wait -- */

/* When it is expected to start. 0: unknown, or never. */
static int64_t start_of(const struct sgang_gang *gang)
{
	struct sgang_list_help help;

	if (sgang_lists_read_help(gang->record->helps, &help) &&
	    help.what == SGANG_HELP_NEVER)
		return 0;
	return sgang_gangs_start(gang, (int64_t)time(NULL));
}

/* What comes by itself at the time that Slurm expects, if no attempt has found
 * more; NULL: other things than the end of jobs, which Slurm's reason names. */
static const char *what_comes(const struct sgang_gang *gang)
{
	/* of the gang, and those that Slurm writes over it */
	static const char *const room[] = { "Resources", "Priority", "None",
					    "" };

	if (!strcmp(gang->reason, "BeginTime"))
		return "the begin time of its members";
	if (gang->phase != SGANG_PHASE_WAITING)
		return NULL;
	for (size_t i = 0; i < sizeof(room) / sizeof(room[0]); i++) {
		if (!strcmp(gang->reason, room[i]))
			return "the end of running jobs";
	}
	return strncmp(gang->reason, "Gang ", 5) ? NULL :
						   "the end of running jobs";
}

#define PREEMPTS_SIZE 512
#define HELPS_SIZE (SGANG_GANGS_NAME + SGANG_HELPS_SIZE + 128)

/* "job 17", "jobs 17,19 and 4 more" */
static void name_jobs(const struct sgang_list_help *help, char *text,
		      size_t size)
{
	uint64_t named = help->list[0] != '\0';
	const char *comma;

	for (comma = help->list; (comma = strchr(comma, ',')); comma++)
		named++;
	if (!named)
		snprintf(text, size, "jobs");
	else if (help->count > named)
		snprintf(text, size, "jobs %s and %" PRIu64 " more", help->list,
			 help->count - named);
	else
		snprintf(text, size, "job%s %s", named == 1 ? "" : "s",
			 help->list);
}

/* "node n3", "nodes n[3-4]", "200 nodes" */
static void name_nodes(const struct sgang_list_help *help, char *text,
		       size_t size)
{
	if (help->list[0])
		snprintf(text, size, "node%s %s", help->count == 1 ? "" : "s",
			 help->list);
	else
		snprintf(text, size, "%" PRIu64 " nodes", help->count);
}

/* The words for each kind. To add one: a row here and in src/core/gang/lists.c,
 * a line in doc/formats. */
static const struct {
	void (*name)(const struct sgang_list_help *help, char *text,
		     size_t size);
	const char *before, *behind;
} helps_words[SGANG_HELPS] = {
	[SGANG_HELP_JOBS] = { name_jobs, "the end of ",
			      ", which no time limit ends" },
	[SGANG_HELP_NODES] = { name_nodes, "",
			       " in service again, now down or drained" },
	[SGANG_HELP_RESERVED] = { name_nodes, "the end of reservations of ",
				  "" },
	[SGANG_HELP_BLOCKED] = { name_nodes, "",
				 " in service and not reserved" },
	[SGANG_HELP_NEVER] = { NULL,
			       "nothing: it cannot start even if all its nodes are "
			       "idle and in service",
			       "" },
	/* events that come by themselves, at a known time */
	[SGANG_HELP_BEFORE] = { NULL, "the room that jobs before it leave",
				NULL },
	[SGANG_HELP_PREFER] = { NULL,
				"the end of the time for the level it prefers",
				NULL },
	[SGANG_HELP_PLACE] = { NULL, "the place it waits for", NULL },
};

/* 'start': when it is expected to start, or 0. */
static void say_helps(const struct sgang_gang *gang, int64_t start,
		      char text[HELPS_SIZE])
{
	char names[SGANG_HELPS_SIZE + 32] = "", when[SGANG_ANSWER_TIME];
	const char *comes = what_comes(gang);
	struct sgang_list_help help;

	if (sgang_lists_read_help(gang->record->helps, &help)) {
		comes = helps_words[help.what].before;
		if (helps_words[help.what].name)
			helps_words[help.what].name(&help, names,
						    sizeof(names));
		if (helps_words[help.what].behind) {
			snprintf(text, HELPS_SIZE, "%s%s%s", comes, names,
				 helps_words[help.what].behind);
			return;
		}
	}
	if (start && comes)
		snprintf(text, HELPS_SIZE, "%s, expected by %s", comes,
			 sgang_answer_time(start, when));
}

/* The number of held members, if too few others are left. */
static uint32_t held_back(const struct sgang_gang *gang)
{
	uint32_t members = sgang_gangs_members(gang), stopped = 0;

	for (size_t i = 0; i < gang->n_jobs; i++)
		if (gang->jobs[i]->stopped)
			stopped += gang->jobs[i]->tasks;
	return members - stopped < gang->record->min_member ? stopped : 0;
}

/* The events that would let it start; "" when nothing is known. */
static const char *what_helps(const struct sgang_gang *gang,
			      char text[HELPS_SIZE])
{
	uint32_t members = sgang_gangs_members(gang);
	uint32_t min = gang->record->min_member, held = held_back(gang);
	char name[SGANG_GANGS_NAME];

	text[0] = '\0';
	sgang_gangs_name(gang->record, name);
	if (gang->phase == SGANG_PHASE_UNDEFINED)
		snprintf(text, HELPS_SIZE,
			 "a member with --gang-min-member, "
			 "or sgang create %s --min-member=N",
			 name);
	else if (gang->phase == SGANG_PHASE_TIMEOUT)
		snprintf(text, HELPS_SIZE, "sgang retry %s", name);
	else if (gang->phase == SGANG_PHASE_GATHERING && members < min)
		snprintf(text, HELPS_SIZE, "%" PRIu32 " more member%s",
			 min - members, min - members == 1 ? "" : "s");
	else if (held)
		snprintf(text, HELPS_SIZE,
			 "sgang release %s: %" PRIu32 " member%s held", name,
			 held, held == 1 ? " is" : "s are");
	else
		say_helps(gang, start_of(gang), text);
	return text;
}

/* "2 jobs: 812 (bob), 813 (bob), for n[3-4] since 2026-11-22T12:03:01" */
static void say_victims(const struct sgang_record *record,
			char text[PREEMPTS_SIZE])
{
	const char *rest = record->victims;
	char user[SGANG_VICTIMS_SIZE], when[SGANG_ANSWER_TIME];
	size_t used = 0;
	uint32_t job_id;

	while (sgang_lists_next_victim(&rest, &job_id, user))
		used += (size_t)snprintf(text + used, PREEMPTS_SIZE - used,
					 "%s%" PRIu32 " (%s)",
					 used ? ", " : "jobs ", job_id, user);
	snprintf(text + used, PREEMPTS_SIZE - used, "%s for %s since %s",
		 *rest ? " and others" : "", record->claim,
		 sgang_answer_time(record->claimed, when));
}

static size_t count_victims(const char *text)
{
	char user[SGANG_VICTIMS_SIZE];
	uint32_t job_id;
	size_t n = 0;

	while (sgang_lists_next_victim(&text, &job_id, user))
		n++;
	return n;
}

/* "; it would preempt 2 jobs, bob 812 and 813, on n[3-4]" */
static void say_would(const struct sgang_record *record,
		      char text[PREEMPTS_SIZE])
{
	size_t used = strlen(text), n = count_victims(record->victims), i = 0;
	char user[SGANG_VICTIMS_SIZE], last[SGANG_VICTIMS_SIZE] = "";
	const char *rest = record->victims;
	uint32_t job_id;

	if (!record->would[0] || !n)
		return;
	used += (size_t)snprintf(text + used, PREEMPTS_SIZE - used,
				 "; it would preempt %s%zu job%s, ",
				 strstr(rest, "...") ? "more than " : "", n,
				 n == 1 ? "" : "s");
	while (sgang_lists_next_victim(&rest, &job_id, user)) {
		const char *comma = !i ? "" : i + 1 < n ? ", " : " and ";
		bool same = !strcmp(user, last);

		used += (size_t)snprintf(text + used, PREEMPTS_SIZE - used,
					 "%s%s%s%" PRIu32, comma,
					 same ? "" : user, same ? "" : " ",
					 job_id);
		strcpy(last, user);
		i++;
	}
	snprintf(text + used, PREEMPTS_SIZE - used, ", on %s", record->would);
}

/* The jobs it preempts, or why none; "" where Slurm does not preempt. */
static const char *whom_it_preempts(const struct sgang_record *record,
				    char text[PREEMPTS_SIZE])
{
	char when[SGANG_ANSWER_TIME];
	enum sgang_spared why;
	uint64_t number;

	text[0] = '\0';
	if (record->claim[0]) {
		say_victims(record, text);
		return text;
	}
	if (!sgang_lists_read_spared(record->preempts, &why, &number))
		return text;
	switch (why) {
	case SGANG_SPARED_OPTION:
		strcpy(text, "nobody: --gang-preempt=no");
		say_would(record, text);
		break;
	case SGANG_SPARED_SITE:
		strcpy(text, "nobody: GangPreemption=no in gang.conf");
		say_would(record, text);
		break;
	case SGANG_SPARED_NONE:
		strcpy(text, "nobody: Slurm lets it preempt no job that is on "
			     "its nodes");
		break;
	case SGANG_SPARED_FEW:
		snprintf(text, PREEMPTS_SIZE,
			 "nobody: it would not fit without the %" PRIu64
			 " job%s that it may preempt",
			 number, number == 1 ? "" : "s");
		break;
	case SGANG_SPARED_AFTER:
		snprintf(text, PREEMPTS_SIZE,
			 "nobody before %s: it did not start on what was freed",
			 sgang_answer_time((int64_t)number, when));
		break;
	case SGANG_SPARED_LIMIT:
		strcpy(text, "nobody: a limit on nodes or missing licenses "
			     "would still stop it");
		break;
	case SGANG_SPARED_LEVELS:
		strcpy(text, "nobody: so many gangs of a group with "
			     "--gang-topology do not preempt");
		break;
	case SGANG_SPARED:
		break;
	}
	return text;
}

/* The invisible root above several real ones has no name of its own. */
static const char *place_name(const struct sgang_list_lack *lack)
{
	return lack->place[0] ? lack->place : "(all)";
}

static void put_lacks(const struct sgang_record *record,
		      struct json_object *list)
{
	const char *text = record->lacks;
	struct sgang_list_lack lack;
	struct json_object *object, *causes;
	size_t i;

	while (sgang_lists_next_lack(&text, &lack)) {
		object = sgang_json_row(list);
		sgang_json_text(object, "place", place_name(&lack));
		sgang_json_number(object, "free", lack.free);
		sgang_json_number(object, "needed", lack.needed);
		sgang_json_text(object, "unit", record->unit);
		causes = sgang_json_inner(object, "causes");
		for (i = 0; i < lack.n_causes; i++)
			sgang_json_number(causes, lack.cause[i].word,
					  lack.cause[i].nodes);
	}
}

static void put_wait(const struct sgang_gang *gang, struct json_object *object)
{
	int64_t start = start_of(gang);
	char helps[HELPS_SIZE], preempts[PREEMPTS_SIZE];

	sgang_json_number(object, "members", sgang_gangs_members(gang));
	sgang_json_known(object, "min_member", gang->record->min_member);
	sgang_json_known(object, "total", gang->record->total);
	sgang_json_number(object, "attempts", gang->record->attempts);
	sgang_json_known(object, "position", gang->position);
	sgang_json_known(object, "start_time", (uint64_t)start);
	sgang_json_text(object, "reason", gang->reason);
	sgang_json_text(object, "helps", what_helps(gang, helps));
	sgang_json_text(object, "preempts",
			whom_it_preempts(gang->record, preempts));
	put_lacks(gang->record, sgang_json_list(object, "places"));
}

/* -- why it has failed -- */

/* The most members that are shown. */
#define LOSSES_MAX 8

static bool has_failed(const struct subject *subject)
{
	return subject->gang &&
	       (subject->gang->verdict == SGANG_VERDICT_FAILED ||
		subject->gang->verdict == SGANG_VERDICT_TIME_LIMIT);
}

/* qsort: the first to end first. */
static int by_end(const void *a, const void *b)
{
	const struct sgang_jobrow *x = *(const struct sgang_jobrow *const *)a;
	const struct sgang_jobrow *y = *(const struct sgang_jobrow *const *)b;

	if (x->end_time != y->end_time)
		return x->end_time < y->end_time ? -1 : 1;
	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

static int exit_of(const struct sgang_jobrow *job)
{
	return WIFEXITED(job->exit_code) ? WEXITSTATUS(job->exit_code) : 0;
}

static int signal_of(const struct sgang_jobrow *job)
{
	return WIFSIGNALED(job->exit_code) ? WTERMSIG(job->exit_code) : 0;
}

static bool has_failed_itself(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_ENDED &&
	       (job->end == SGANG_JOB_END_FAILED ||
		job->end == SGANG_JOB_END_TIME_LIMIT);
}

/* The members that failed by themselves, and were not ended with the gang.
 * Returns how many are in 'losses'. */
static size_t find_losses(const struct sgang_gang *gang,
			  const struct sgang_jobrow *losses[LOSSES_MAX])
{
	const struct sgang_jobrow **all;
	size_t i, n = 0;

	all = calloc(gang->n_jobs + 1, sizeof(*all));
	if (!all)
		return 0;
	for (i = 0; i < gang->n_jobs; i++)
		if (has_failed_itself(gang->jobs[i]))
			all[n++] = gang->jobs[i];
	qsort(all, n, sizeof(*all), by_end);
	if (n > LOSSES_MAX)
		n = LOSSES_MAX;
	memcpy(losses, all, n * sizeof(*all));
	free(all);
	return n;
}

/* The largest number of requeues of one of its jobs. */
static uint32_t restarts_of(const struct sgang_gang *gang)
{
	uint32_t most = 0;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		if (gang->jobs[i]->restarts > most)
			most = gang->jobs[i]->restarts;
	return most;
}

static void put_losses(const struct sgang_gang *gang,
		       struct json_object *object)
{
	const struct sgang_jobrow *losses[LOSSES_MAX];
	size_t i, n = find_losses(gang, losses);
	struct json_object *list, *member;

	sgang_json_text(object, "on_failure",
			sgang_gangs_on_failure(gang->record));
	sgang_json_number(object, "restarts", restarts_of(gang));
	sgang_json_known(object, "max_restarts", gang->record->max_restarts);
	list = sgang_json_list(object, "members");
	for (i = 0; i < n; i++) {
		const struct sgang_jobrow *job = losses[i];

		member = sgang_json_row(list);
		sgang_json_number(member, "job_id", job->job_id);
		sgang_gangs_json_role(member, &job->record);
		sgang_json_maybe(member, "member_rank", job->record.placed,
				 job->record.member_rank);
		sgang_json_text(member, "state", job->state);
		sgang_json_number(member, "exit_code", (uint64_t)exit_of(job));
		sgang_json_number(member, "signal", (uint64_t)signal_of(job));
		sgang_json_text(member, "nodes", job->nodes);
		sgang_json_number(member, "restarts", job->restarts);
		sgang_json_known(member, "end_time", (uint64_t)job->end_time);
	}
}

/* -- members that stay on a node that drains -- */

static void put_stays(const struct sgang_gang *gang, struct json_object *list)
{
	struct json_object *member;
	size_t i;

	for (i = 0; gang && i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (!job->record.stays[0] || job->class != SGANG_ROW_RUNNING)
			continue;
		member = sgang_json_row(list);
		sgang_json_number(member, "job_id", job->job_id);
		sgang_gangs_json_role(member, &job->record);
		sgang_json_maybe(member, "member_rank", job->record.placed,
				 job->record.member_rank);
		sgang_json_text(member, "nodes", job->nodes);
		sgang_json_text(member, "why",
				sgang_stays_text(job->record.stays));
	}
}

/* -- fewer run than its minimum -- */

/* Without --gang-stale-grace. */
#define GRACE_SECONDS 60

/* A member whose record shows that; of several users the one that takes
 * precedence. NULL: it is not so, or no user asked for it. */
static const struct sgang_record *find_stale(const struct sgang_gang *gang)
{
	const struct sgang_record *found = NULL;
	size_t i;

	for (i = 0; gang && i < gang->n_jobs; i++) {
		const struct sgang_record *record = &gang->jobs[i]->record;

		if (gang->jobs[i]->class != SGANG_ROW_RUNNING || !record->stale)
			continue;
		if (!found || (record->on_stale > SGANG_ON_FAILURE_IGNORE &&
			       found->on_stale <= SGANG_ON_FAILURE_IGNORE))
			found = record;
	}
	return found;
}

static void put_stale(const struct sgang_gang *gang,
		      const struct sgang_record *record,
		      struct json_object *object)
{
	uint32_t grace = record->stale_grace ? record->stale_grace :
					       GRACE_SECONDS;
	bool ends = record->on_stale > SGANG_ON_FAILURE_IGNORE &&
		    grace != SGANG_FOREVER;

	sgang_json_number(object, "running", gang->running);
	sgang_json_number(object, "min_member", record->min_member);
	sgang_json_number(object, "completed", record->done);
	sgang_json_number(object, "since", (uint64_t)record->stale);
	sgang_json_text(object, "on_stale",
			sgang_on_failure_word(record->on_stale ?
						      record->on_stale :
						      SGANG_ON_FAILURE_IGNORE));
	sgang_json_known(object, "ends",
			 ends ? (uint64_t)(record->stale + grace) : 0);
}

/* -- replacements of lost members -- */

static void put_spares(const struct sgang_gang *gang,
		       struct json_object *object)
{
	struct json_object *list = sgang_json_list(object, "spares");

	for (size_t i = 0; gang && i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];
		struct json_object *row;

		if (job->class != SGANG_ROW_RUNNING || !job->record.spare)
			continue;
		row = sgang_json_row(list);
		sgang_json_text(row, "spare",
				job->record.cold ? "cold" : "hot");
		sgang_json_number(row, "job_id", job->job_id);
		sgang_json_text(row, "nodes", job->nodes);
	}
}

/* -- all of it -- */

#define FORM_GANG                                                                \
	"GangName={name} Namespace={namespace}[ JobId={job_id}] Phase={phase}"   \
	"<waits|\n   Members={members} MinMember={min_member} Total={total}"     \
	" Attempts={attempts} StartTime={start_time%t}"                          \
	"\n   Reason={reason%w|None}"                                            \
	"\n   Helps={helps%w}"                                                   \
	"[\n   Preempts={preempts%w}]"                                           \
	"<places|\n   Place={place} Free={free} Needed={needed}"                 \
	"[ Unit={unit}] Causes={causes%=}>>"                                     \
	"<failed|\n   OnFailure={on_failure} Restarts={restarts}"                \
	" MaxRestarts={max_restarts}"                                            \
	"<members|\n   Failed={job_id}[ Role={role}][ MemberRank={member_rank}]" \
	" State={state} ExitCode={exit_code} Signal={signal}"                    \
	" NodeList={nodes} Restarts={restarts} EndTime={end_time%t}>>"           \
	"<stale|\n   Stale={running}/{min_member} Completed={completed}"         \
	" Since={since%t} OnStale={on_stale}[ Ends={ends%t}]>"                   \
	"<stays|\n   Stays={job_id}[ Role={role}][ MemberRank={member_rank}]"    \
	" NodeList={nodes} Why={why}>"                                           \
	"<spares|\n   Spare={spare} JobId={job_id} NodeList={nodes}>"            \
	"<groups|\n   Group={role} Min={min} There={there}"                      \
	" Running={running} Of={of} Require={require} Prefer={prefer}"           \
	" Weight={weight}>"                                                      \
	"<placement|\n   RingCost={ring_cost} CrossLinks={cross_links}"          \
	" Tier={tier|}"

static const char form[] = FORM_GANG
	" Ranks={ranks} Hops={hops}"
	"[\n   Device={device}]"
	"[\n   Slowest={slowest} Seconds={seconds%g} Bytes={bytes}]"
	"\n   RingBest={ring_best} StockCost={stock_cost}"
	"[ StockEstimate={stock_estimate}] Exact={exact} Bound={bound}"
	"[\n   RankOrder={rank_order}]"
	"[\n   OrderCost={order_cost}]"
	"[\n   WeightedCost={weighted_cost} WeightedBest={weighted_best%?|0}]"
	"[\n   Auto=start Cost={auto_cost} AddsSeconds={auto_adds_seconds}]"
	"[ LaterCost={auto_later_cost}"
	" LaterAddsSeconds={auto_later_adds_seconds} Later={auto_later%t}]"
	"<others|\n   Other={domain|}[ Cost={cost}]"
	"[ Free={free} Needed={needed}] Why={why}>>\n";

static const char short_form[] = FORM_GANG
	"[ Role={role}] MemberRank={member_rank} StartedMembers={members}>\n";

/* Text has both parts of the name. */
static void put_name(const struct sgang_record *record,
		     struct json_object *object)
{
	char name[SGANG_GANGS_NAME];

	if (sgang_answer_is_text()) {
		sgang_json_text(object, "name", record->name);
		sgang_json_text(object, "namespace", record->ns);
		return;
	}
	sgang_gangs_name(record, name);
	sgang_json_text(object, "gang", name);
}

/* An object in 'object', or null unless it is there. */
static struct json_object *part(struct json_object *object, const char *key,
				bool is_there)
{
	if (is_there)
		return sgang_json_inner(object, key);
	json_object_object_add(object, key, NULL);
	return NULL;
}

static void print(const struct request *request, const struct subject *subject)
{
	struct json_object *object = json_object_new_object(), *inner;
	const struct sgang_record *record = subject->record;

	put_name(record, object);
	sgang_json_known(object, "job_id",
			 subject->job ? subject->job->job_id : 0);
	sgang_json_text(object, "phase", sgang_phase_name(phase_of(subject)));
	inner = part(object, "waits", waits(subject));
	if (inner)
		put_wait(subject->gang, inner);
	inner = part(object, "failed", has_failed(subject));
	if (inner)
		put_losses(subject->gang, inner);
	inner = part(object, "stale", find_stale(subject->gang) != NULL);
	if (inner)
		put_stale(subject->gang, find_stale(subject->gang), inner);
	put_stays(subject->gang, sgang_json_list(object, "stays"));
	put_spares(subject->gang, object);
	if (subject->gang && subject->gang->record->root_min)
		sgang_rolelist_put(subject->gang,
				   sgang_json_list(object, "groups"));
	inner = part(object, "placement", record->placed);
	if (inner && sgang_gangs_is_short(record))
		put_short(record, inner);
	else if (inner)
		put_placement(request, record, inner);
	sgang_answer_print(object,
			   sgang_gangs_is_short(record) ? short_form : form);
}

/* -- the verb -- */

static int refuse(const struct request *request, const struct sgang_jobs *jobs)
{
	char hint[SGANG_JOBS_HINT] = "";
	const char *what = request->job ? "no job of a gang has the number" :
					  "there is no gang";

	if (!sgang_answer_is_text()) {
		struct json_object *object = json_object_new_object();

		sgang_json_text(object, request->job ? "job" : "gang",
				request->operand);
		sgang_json_text(object, "reason", what);
		sgang_answer_print(object, NULL);
		return SGANG_EXIT_NO;
	}
	if (!request->job)
		sgang_jobs_hint(jobs, &request->spec, hint);
	return sgang_cmd_no("%s %s%s", what, request->operand, hint);
}

/* A file that is named is read first, what is in force only for a gang that was
 * found. Returns an exit code, or -1 with 'err' filled. */
static int answer(struct request *request, struct sgang_error *err)
{
	struct sgang_past past = { .jobs = { .count = 0 } };
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	struct subject subject = { .record = NULL };
	const char *path = request->conf_path;
	char dir[SGANG_PATH];
	int code = -1;

	sgang_conf_default(&request->conf);
	if ((path && sgang_in_force_conf(path, &request->conf, dir, err)) ||
	    sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	sgang_queue_count(&jobs, &gangs);
	switch (find_subject(request, &jobs, &gangs, &past, &subject, err)) {
	case 0:
		code = refuse(request, &jobs);
		break;
	case 1:
		if (!path &&
		    sgang_in_force_conf(NULL, &request->conf, dir, err))
			break;
		code = SGANG_EXIT_YES;
		print(request, &subject);
		break;
	}
out:
	sgang_conf_free(&request->conf);
	sgang_gangs_clear(&gangs);
	sgang_past_clear(&past);
	sgang_jobs_clear(&jobs);
	return code;
}

static int read_options(const struct sgang_verb *verb, int argc, char **argv,
			struct request *request)
{
	struct sgang_error err;
	const char *value;
	int next;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		if (next == OPT_CONF)
			request->conf_path = value;
		else if (sgang_ringtext_bytes(value, &request->bytes, &err)) {
			sgang_cmd_bad("%s", err.text);
			return SGANG_CMD_WRONG;
		}
	}
	return next;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .bytes = SGANG_RINGTEXT_BYTES };
	int next = read_options(verb, argc, argv, &request), code;
	struct sgang_error err;
	const char *operand;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	operand = sgang_cmd_operand(verb, argc, argv,
				    "the name of one gang or a job");
	if (!operand)
		return SGANG_EXIT_BAD;
	read_operand(&request, operand);
	sgang_spec_init(&request.spec);
	if (!request.job &&
	    sgang_spec_set(&request.spec, "gang", operand, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_explain = {
	.name = "explain",
	.operands = "[NAMESPACE/]NAME|JOBID",
	.summary = "why a gang is where it is, or what it waits for",
	.options = options,
	.run = run
};
