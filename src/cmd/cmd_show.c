/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_show.c - sgang show: everything about one gang and its members */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/gangs.h"
#include "cmd/json.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/gang/asks.h"
#include "core/gang/spec.h"

enum { OPT_JSON };

static const struct sgang_cmd_option options[] = {
	[OPT_JSON] = { "json", NULL, "print JSON", 0 }, { NULL, NULL, NULL, 0 }
};

struct request {
	struct sgang_spec spec; /* the gang's name */
	bool json;
};

static const char *yes_no(bool value)
{
	return value ? "yes" : "no";
}

/* Slurm's own way of writing an empty value. */
static const char *or_null(const char *text)
{
	return text && text[0] ? text : "(null)";
}

/* What was asked for in the options that have no field of their own. */
static void print_asks(const struct sgang_record *record)
{
	static const struct {
		const char *key;
		const char *option;
	} rows[] = {
		{ "Topology", "topology" },
		{ "GroupTopology", "group-topology" },
		{ "Exclusive", "exclusive" },
		{ "Parallel", "parallel" },
		{ "MinTRES", "min-tres" },
		{ "RunTime", "run-time" },
		{ "CommShare", "comm-share" },
		{ "RankOrder", "rank-order" },
	};
	char value[SGANG_ASKS_SIZE];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("%s%s=%s", i ? " " : "   ", rows[i].key,
		       or_null(sgang_asks_find(record->asks, rows[i].option,
					       value, sizeof(value))));
	putchar('\n');
}

/* A gang that is Undefined has neither number. */
static void print_numbers(const struct sgang_gang *gang)
{
	const struct sgang_record *record = gang->record;
	char min[16] = "(null)", total[16] = "(null)";

	if (record->min_member) {
		snprintf(min, sizeof(min), "%" PRIu32, record->min_member);
		snprintf(total, sizeof(total), "%" PRIu32, record->total);
	}
	printf("   Members=%" PRIu32 " MinMember=%s Total=%s Pending=%" PRIu32
	       " Held=%" PRIu32 " Running=%" PRIu32 " Ended=%" PRIu32 "\n",
	       sgang_gangs_members(gang), min, total, gang->pending, gang->held,
	       gang->running, gang->ended);
}

/* What the gang said, and when what came to be of it. */
static void print_rules(const struct sgang_gang *gang)
{
	const struct sgang_record *record = gang->record;
	char wait[SGANG_TIME_SHOWN] = "(null)", object[16] = "(null)";
	char submitted[SGANG_CMD_TIME];
	char created[SGANG_CMD_TIME], since[SGANG_CMD_TIME];
	char ends[SGANG_CMD_TIME], started[SGANG_CMD_TIME];

	if (record->waiting_time)
		sgang_text_show_time(wait, record->waiting_time);
	if (gang->object)
		snprintf(object, sizeof(object), "%" PRIu32,
			 gang->object->job_id);
	printf("   Mode=%s Match=%s OnFailure=%s Groups=%s WaitingTime=%s "
	       "Definition=%s\n",
	       sgang_gangs_mode(record), sgang_gangs_match(record),
	       sgang_gangs_on_failure(record), or_null(record->groups), wait,
	       object);
	print_asks(record);
	printf("   SubmitTime=%s Created=%s Since=%s WaitEnds=%s Started=%s\n",
	       sgang_cmd_time(gang->submit_time, submitted),
	       sgang_cmd_time(record->created, created),
	       sgang_cmd_time(record->since, since),
	       sgang_cmd_time(sgang_gangs_wait_ends(gang), ends),
	       sgang_cmd_time(record->started, started));
}

static void print_placement(const struct sgang_record *record)
{
	if (!record->placed) {
		printf("   RingCost=(null) RingBest=(null) CrossLinks=(null) "
		       "Tier=(null) Ranks=(null) Exact=(null) "
		       "StartedMembers=(null)\n");
		return;
	}
	printf("   RingCost=%" PRIu64 " RingBest=%" PRIu64
	       " CrossLinks=%" PRIu64 " Tier=%s Ranks=%" PRIu64
	       " Exact=%s StartedMembers=%" PRIu32 "\n",
	       record->ring_cost, record->ring_best, record->cross_links,
	       record->tier, record->ranks, yes_no(record->exact),
	       record->members);
}

/* A user has chosen it: it is part of a line and tells the terminal nothing. */
static void print_name(const char *name)
{
	fputs(" JobName=", stdout);
	for (; *name; name++)
		putchar(((unsigned char)*name < ' ' || *name == '\177') ?
				'?' :
				*name);
}

static void print_job(const struct sgang_jobrow *job)
{
	char order[SGANG_ASKS_SIZE], held[SGANG_TIME_SHOWN];

	printf("   JobId=%" PRIu32, job->job_id);
	if (job->array_id)
		printf(" ArrayJobId=%" PRIu32 " ArrayTaskId=%s", job->array_id,
		       job->array_tasks);
	print_name(or_null(job->name));
	printf(" UserId=%s Account=%s Partition=%s State=%s", job->user,
	       or_null(job->account), job->partition, job->state);
	if (job->record.placed)
		printf(" MemberRank=%" PRIu32 " RankOffset=%" PRIu64,
		       job->record.member_rank, job->record.rank_offset);
	else
		printf(" MemberRank=(null) RankOffset=(null)");
	if (job->record.hold_end)
		printf(" HoldEnded=%s",
		       sgang_hold_end_word(job->record.hold_end));
	if (job->record.held_for)
		printf(" HeldTime=%s",
		       sgang_text_show_time(held, job->record.held_for));
	printf(" Order=%s Round=%" PRIu32 " NodeList=%s Reason=%s\n",
	       or_null(sgang_asks_find(job->record.asks, "order", order,
				       sizeof(order))),
	       job->record.round, or_null(job->nodes),
	       job->reason[0] ? job->reason : "None");
}

static int print_gang(const struct sgang_gang *gang, struct sgang_error *err)
{
	const struct sgang_record *record = gang->record;
	char *nodes = sgang_hostlist_fold((const char *const *)gang->nodes,
					  gang->n_nodes);
	size_t i;

	if (!nodes)
		return sgang_err_memory(err);
	printf("GangName=%s Namespace=%s\n", record->name, or_null(record->ns));
	printf("   Phase=%s Satisfied=%s Attempts=%" PRIu32 " Tried=%" PRIu32
	       " Skipped=%" PRIu32 "\n",
	       sgang_phase_name(gang->phase), yes_no(record->satisfied),
	       record->attempts, record->tried, record->skipped);
	print_numbers(gang);
	print_rules(gang);
	print_placement(record);
	printf("   NumNodes=%zu NodeList=%s\n", gang->n_nodes, or_null(nodes));
	printf("   Reason=%s\n", gang->reason[0] ? gang->reason : "None");
	for (i = 0; i < gang->n_jobs; i++)
		print_job(gang->jobs[i]);
	free(nodes);
	return 0;
}

/* Null where it is not known. */
static void put_number(struct json_object *object, const char *key, bool known,
		       uint64_t value)
{
	json_object_object_add(object, key,
			       known ? json_object_new_uint64(value) : NULL);
}

static void put_order(struct json_object *object, const char *asks)
{
	char order[SGANG_ASKS_SIZE];
	const char *text = sgang_asks_find(asks, "order", order, sizeof(order));
	uint64_t number = 0;
	bool known = text && !sgang_text_number(text, 0, UINT32_MAX, &number);

	put_number(object, "order", known, number);
}

static struct json_object *json_job(const struct sgang_jobrow *job)
{
	const struct sgang_record *record = &job->record;
	struct json_object *object = json_object_new_object();

	sgang_json_number(object, "job_id", job->job_id);
	sgang_json_known(object, "array_job_id", job->array_id);
	sgang_json_text(object, "array_task_id", job->array_tasks);
	sgang_json_number(object, "members", job->tasks);
	sgang_json_text(object, "job_name", job->name);
	sgang_json_text(object, "user", job->user);
	sgang_json_text(object, "account", job->account);
	sgang_json_text(object, "partition", job->partition);
	sgang_json_text(object, "state", job->state);
	put_number(object, "member_rank", record->placed, record->member_rank);
	put_number(object, "rank_offset", record->placed, record->rank_offset);
	put_order(object, record->asks);
	sgang_json_number(object, "round", record->round);
	sgang_json_text(object, "hold_ended",
			record->hold_end ?
				sgang_hold_end_word(record->hold_end) :
				NULL);
	sgang_json_known(object, "held_seconds", record->held_for);
	sgang_json_text(object, "nodes", job->nodes);
	sgang_json_text(object, "reason", job->reason);
	return object;
}

static void json_gang(const struct sgang_gang *gang)
{
	struct json_object *object = sgang_gangs_json(gang);
	struct json_object *jobs = json_object_new_array();
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		json_object_array_add(jobs, json_job(gang->jobs[i]));
	json_object_object_add(object, "jobs", jobs);
	sgang_cmd_print_json(object);
}

static int refuse(const struct request *request, const struct sgang_jobs *jobs)
{
	const struct sgang_spec *spec = &request->spec;
	char hint[SGANG_JOBS_HINT];

	if (request->json) {
		struct json_object *object = json_object_new_object();

		sgang_json_text(object, "namespace", spec->ns);
		sgang_json_text(object, "name", spec->name);
		sgang_json_string(object, "reason", "no such gang");
		sgang_cmd_print_json(object);
		return SGANG_EXIT_NO;
	}
	return sgang_cmd_no("there is no gang %s%s%s%s", spec->ns,
			    spec->ns[0] ? "/" : "", spec->name,
			    sgang_jobs_hint(jobs, spec, hint));
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const struct request *request, struct sgang_error *err)
{
	const struct sgang_gang *gang = NULL;
	struct sgang_jobs jobs = { NULL, 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	int code = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	switch (sgang_gangs_find(&gangs, &request->spec, sgang_cmd_user(),
				 &gang, err)) {
	case 0:
		code = refuse(request, &jobs);
		break;
	case 1:
		code = SGANG_EXIT_YES;
		if (request->json)
			json_gang(gang);
		else if (print_gang(gang, err))
			code = -1;
		break;
	}
out:
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .json = false };
	const char *value, *name;
	struct sgang_error err;
	int next, code;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) == OPT_JSON)
		request.json = true;
	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	sgang_spec_init(&request.spec);
	if (sgang_spec_set(&request.spec, "gang", name, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_show = {
	.name = "show",
	.operands = "[NAMESPACE/]NAME",
	.summary = "everything about one gang and its members",
	.options = options,
	.run = run
};
