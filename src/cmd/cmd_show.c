/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_show.c - sgang show: everything about one gang and its members */

#include <stdbool.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/gangs.h"
#include "cmd/json.h"
#include "cmd/past.h"
#include "cmd/queue.h"
#include "core/base/text.h"
#include "core/gang/asks.h"
#include "core/gang/spec.h"

/* Sub-lines are of members. */
static const char form[] =
	"GangName={name} Namespace={namespace}\n"
	"   Phase={phase} Satisfied={satisfied} Attempts={attempts}"
	" Tried={tried} Skipped={skipped}\n"
	"   Members={members} MinMember={min_member}[ MinGroups={min_groups}]"
	" Total={total}"
	" Pending={pending} Held={held} Running={running} Ended={ended}"
	"[ Placeholders={placeholders}]\n"
	"   Mode={mode} Match={match} Groups={groups} WaitingTime={waiting_time%d} Definition={definition}\n"
	"   OnFailure={on_failure} MaxRestarts={max_restarts}"
	" OnStale={on_stale} StaleGrace={stale_grace%d} OnSuccess={on_success}"
	" OnDrain={on_drain}\n"
	"   Topology={topology} GroupTopology={group_topology}"
	" Exclusive={exclusive} Parallel={parallel} MinTRES={min_tres}"
	" RunTime={run_time} CommShare={comm_share} RankOrder={rank_order}"
	" Preempt={preempt} Spares={spares} SparePool={spare_pool} Pool={pool|no}\n"
	"   SubmitTime={submitted%t} Created={created%t} Since={since%t}"
	" WaitEnds={wait_ends%t} Started={started%t}\n"
	"   RingCost={ring_cost} RingBest={ring_best}"
	" CrossLinks={cross_links} Tier={tier} Ranks={ranks} Exact={exact}"
	" StartedMembers={started_members}\n"
	"   NumNodes={nodes%n} NodeList={nodes%f}\n"
	"   Reason={reason|None}\n"
	"<jobs|   JobId={job_id}"
	"[ ArrayJobId={array_job_id} ArrayTaskId={array_task_id}]"
	" JobName={job_name} UserId={user} Account={account}"
	" Partition={partition} State={state}[ Role={role}]"
	" MemberRank={member_rank}"
	" RankOffset={rank_offset}[ HoldEnded={hold_ended}]"
	"[ Spare={spare}][ Placeholder={placeholder}][ HeldTime={held_seconds%d}]"
	"[ KeptNodes={kept_nodes} KeptUntil={kept_until%t}] Order={order} Round={round}"
	" NodeList={nodes} Reason={reason|None}\n>";

static void put_order(struct json_object *object, const char *asks)
{
	char order[SGANG_ASKS_SIZE];
	const char *text = sgang_asks_find(asks, "order", order, sizeof(order));
	uint64_t number = 0;
	bool known = text && !sgang_text_number(text, 0, UINT32_MAX, &number);

	sgang_json_maybe(object, "order", known, number);
}

static void put_job(struct json_object *object, const struct sgang_jobrow *job)
{
	const struct sgang_record *record = &job->record;

	sgang_json_number(object, "job_id", job->job_id);
	sgang_json_known(object, "array_job_id", job->array_id);
	sgang_json_text(object, "array_task_id", job->array_tasks);
	sgang_json_number(object, "members", job->tasks);
	sgang_json_text(object, "job_name", job->name);
	sgang_json_text(object, "user", job->user);
	sgang_json_text(object, "account", job->account);
	sgang_json_text(object, "partition", job->partition);
	sgang_json_text(object, "state", job->state);
	sgang_gangs_json_role(object, record);
	sgang_json_maybe(object, "member_rank", record->placed,
			 record->member_rank);
	sgang_json_text(object, "spare",
			!record->spare ? "" :
			record->cold   ? "cold" :
					 "yes");
	sgang_json_text(object, "placeholder",
			record->ended[0]    ? record->ended :
			record->placeholder ? "yes" :
					      "");
	sgang_json_maybe(object, "rank_offset",
			 record->placed && !sgang_gangs_is_short(record),
			 record->rank_offset);
	put_order(object, record->asks);
	sgang_json_number(object, "round", record->round);
	sgang_json_text(object, "hold_ended",
			record->hold_end ?
				sgang_hold_end_word(record->hold_end) :
				NULL);
	sgang_json_known(object, "held_seconds", record->held_for);
	sgang_json_text(object, "kept_nodes", record->kept);
	sgang_json_known(object, "kept_until", (uint64_t)record->kept_until);
	sgang_json_text(object, "nodes", job->nodes);
	sgang_json_text(object, "reason", job->reason);
}

static void print_gang(const struct sgang_gang *gang)
{
	struct json_object *object = sgang_gangs_json(gang);
	struct json_object *jobs = sgang_json_list(object, "jobs");
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		put_job(sgang_json_row(jobs), gang->jobs[i]);
	sgang_answer_print(object, form);
}

static int refuse(const struct sgang_spec *spec, const struct sgang_jobs *jobs)
{
	char hint[SGANG_JOBS_HINT];

	if (!sgang_answer_is_text()) {
		struct json_object *object = json_object_new_object();

		sgang_json_text(object, "namespace", spec->ns);
		sgang_json_text(object, "name", spec->name);
		sgang_json_string(object, "reason", "no such gang");
		sgang_answer_print(object, NULL);
		return SGANG_EXIT_NO;
	}
	return sgang_cmd_no("there is no gang %s%s%s%s", spec->ns,
			    spec->ns[0] ? "/" : "", spec->name,
			    sgang_jobs_hint(jobs, spec, hint));
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const struct sgang_spec *spec, struct sgang_error *err)
{
	const struct sgang_gang *gang = NULL;
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	struct sgang_past past = { .jobs = { .count = 0 } };
	int code = -1, found;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	sgang_queue_count(&jobs, &gangs);
	found = sgang_gangs_find(&gangs, spec, sgang_cmd_user(), &gang, err);
	if (!found)
		found = sgang_past_find(&past, spec, sgang_cmd_user(), &gang,
					err);
	switch (found) {
	case 0:
		code = refuse(spec, &jobs);
		break;
	case 1:
		code = SGANG_EXIT_YES;
		print_gang(gang);
		break;
	}
out:
	sgang_past_clear(&past);
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct sgang_spec spec;
	const char *value, *name;
	struct sgang_error err;
	int next = sgang_cmd_next(verb, argc, argv, &value), code;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	sgang_spec_init(&spec);
	if (sgang_spec_set(&spec, "gang", name, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&spec, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_show = {
	.name = "show",
	.operands = "[NAMESPACE/]NAME",
	.summary = "everything about one gang and its members",
	.options = sgang_cmd_no_options,
	.run = run
};
