/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_create.c - sgang create: define a gang independent of its members */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/jobs.h"
#include "cmd/json.h"
#include "cmd/spectext.h"
#include "cmd/targets.h"

enum {
	OPT_MIN_MEMBER,
	OPT_TOTAL_NUMBER,
	OPT_MIN_TRES,
	OPT_MODE,
	OPT_GROUPS,
	OPT_WAITING_TIME,
	OPT_MATCH,
	OPT_ON_FAILURE,
	OPT_MAX_RESTARTS,
	OPT_ON_STALE,
	OPT_STALE_GRACE,
	OPT_SPARES,
	OPT_ON_SUCCESS,
	OPT_ON_DRAIN,
	OPT_TOPOLOGY,
	OPT_GROUP_TOPOLOGY,
	OPT_EXCLUSIVE,
	OPT_PARALLEL,
	OPT_TREE,
	OPT_RUN_TIME,
	OPT_COMM_SHARE,
	OPT_RANK_ORDER,
	OPT_SPARE_POOL,
	OPT_OF_SBATCH, /* those above are --gang-... there */
	OPT_POOL = OPT_OF_SBATCH,
	OPT_REPLACE,
	OPT_ACCOUNT,
	OPT_PARTITION
};

static const struct sgang_cmd_option options[] = {
	[OPT_MIN_MEMBER] = { "min-member", "N",
			     "members that are needed to start", 0 },
	[OPT_TOTAL_NUMBER] = { "total-number", "N", "members that are expected",
			       0 },
	[OPT_MIN_TRES] = { "min-tres", "TRES",
			   "cpu=N,mem=SIZE,node=N that must be free", 0 },
	[OPT_MODE] = { "mode", "MODE", "strict or nonstrict", 0 },
	[OPT_GROUPS] = { "groups", "LIST",
			 "gangs that start only together with this one", 0 },
	[OPT_WAITING_TIME] = { "waiting-time", "TIME",
			       "longest wait since a member was placed", 0 },
	[OPT_MATCH] = { "match", "WORD",
			"what counts once the gang has started", 0 },
	[OPT_ON_FAILURE] = { "on-failure", "WORD",
			     "ignore, kill, requeue or replace", 0 },
	[OPT_MAX_RESTARTS] = { "max-restarts", "N",
			       "how often it is requeued by that", 0 },
	[OPT_ON_STALE] = { "on-stale", "WORD", "ignore, kill or requeue", 0 },
	[OPT_STALE_GRACE] = { "stale-grace", "TIME",
			      "how long it may run below its minimum", 0 },
	[OPT_ON_SUCCESS] = { "on-success", "WORD", "leader, all or a number",
			     0 },
	[OPT_ON_DRAIN] = { "on-drain", "WORD", "ignore or replace", 0 },
	[OPT_SPARES] = { "spares", "N[:cold]",
			 "members that wait for another to be lost", 0 },
	[OPT_TOPOLOGY] = { "topology", "POLICY",
			   "what the gang asks of levels: require:LEVEL", 0 },
	[OPT_GROUP_TOPOLOGY] = { "group-topology", "POLICY",
				 "the same for the whole gang group", 0 },
	[OPT_EXCLUSIVE] = { "exclusive", "LEVEL",
			    "no other gang in the domains it uses", 0 },
	[OPT_PARALLEL] = { "parallel", "GROUPS",
			   "groups of ranks that communicate", 0 },
	[OPT_TREE] = { "tree", "GROUPS",
		       "what the groups of its tree need: GROUP:min=N,...", 0 },
	[OPT_RUN_TIME] = { "run-time", "TIME",
			   "how long it will run, for topology auto", 0 },
	[OPT_COMM_SHARE] = { "comm-share", "FRACTION",
			     "of a step, for topology auto", 0 },
	[OPT_RANK_ORDER] = { "rank-order", "WORD",
			     "order of members in the ring: submit or ring",
			     0 },
	[OPT_SPARE_POOL] = { "spare-pool", "POOL",
			     "the pool whose spares replace lost members", 0 },
	[OPT_POOL] = { "pool", NULL, "the members are spares for other gangs",
		       0 },
	[OPT_REPLACE] = { "replace", NULL,
			  "take the place of the definition there is", 0 },
	[OPT_ACCOUNT] = { "account", "NAME", "(-A) account to charge", 'A' },
	[OPT_PARTITION] = { "partition", "NAME",
			    "(-p) partition that keeps the definition", 'p' },
	{ NULL, NULL, NULL, 0 }
};
_Static_assert(sizeof(options) / sizeof(options[0]) <=
		       SGANG_CMD_OPTIONS_MAX + 1,
	       "too many for cmd.c");

struct request {
	struct sgang_spec gang;
	struct sgang_definition definition;
	bool replace;
};

/* Take an option that sbatch has too. Returns 0, or -1 and the line was
 * printed. */
static int set_option(struct request *request, int option, const char *value)
{
	struct sgang_error err;
	char name[32];

	snprintf(name, sizeof(name), "gang-%s", options[option].name);
	if (!sgang_spec_set(&request->gang, name, value, &err))
		return 0;
	sgang_spectext_option(&err);
	sgang_cmd_bad("%s", err.text);
	return -1;
}

static int read_options(const struct sgang_verb *verb, int argc, char **argv,
			struct request *request)
{
	const char *value;
	int next;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		switch (next) {
		case OPT_POOL:
			request->gang.pool = true;
			break;
		case OPT_REPLACE:
			request->replace = true;
			break;
		case OPT_ACCOUNT:
			request->definition.account = value;
			break;
		case OPT_PARTITION:
			request->definition.partition = value;
			break;
		default:
			if (set_option(request, next, value))
				return SGANG_CMD_WRONG;
		}
	}
	return next;
}

/* Add the name to the options, and check whether they are consistent. */
static int check(struct request *request, const char *name,
		 struct sgang_error *err)
{
	struct sgang_spec gang;

	if (sgang_cmd_gang(name, &gang, err))
		return -1;
	sgang_spec_merge(&gang, &request->gang);
	request->gang = gang;
	if (!gang.min_member && !gang.pool)
		return sgang_errf(err, EINVAL,
				  "--min-member=N is missing: how "
				  "many members does the gang need to start?");
	if (!sgang_spec_check(&gang, err))
		return 0;
	sgang_spectext_option(err);
	return -1;
}

/* Definitions of other users do not count. */
static bool is_own_definition(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_PENDING && job->record.object &&
	       job->own;
}

static void print(const struct request *request, uint32_t job_id)
{
	struct json_object *object = sgang_cmd_json_gang(&request->gang);

	sgang_json_number(object, "job_id", job_id);
	sgang_answer_print(object, "created {gang} (JobId={job_id})\n");
}

static int refuse_second(const struct request *request,
			 const struct sgang_targets *old)
{
	char why[64];

	snprintf(why, sizeof(why),
		 "it has a definition (JobId=%" PRIu32 "), use --replace",
		 old->row[old->n - 1]->job_id);
	return sgang_cmd_refuse(&request->gang, why);
}

/* Submit the new definition, then cancel the old ones: the gang always has one.
 */
static int define(const struct request *request,
		  const struct sgang_targets *old, struct sgang_error *err)
{
	struct sgang_outcome outcome;
	uint32_t job_id;
	int code;

	if (sgang_control_define(&request->definition, &job_id, err))
		return sgang_cmd_refuse(&request->gang, err->text);
	if (sgang_targets_ask(old, false, false, sgang_control_signal, SIGKILL,
			      &outcome, err))
		return -1;
	code = outcome.n_refused ? SGANG_EXIT_NO : SGANG_EXIT_YES;
	json_object_put(outcome.refused);
	print(request, job_id);
	return code;
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const struct request *request, struct sgang_error *err)
{
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_targets old = { NULL, 0 };
	int code = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_targets_find(&jobs, &request->gang, is_own_definition, &old,
			       err))
		goto out;
	if (old.n && !request->replace)
		code = refuse_second(request, &old);
	else
		code = define(request, &old, err);
out:
	sgang_targets_clear(&old);
	sgang_jobs_clear(&jobs);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .replace = false };
	struct sgang_error err;
	const char *name;
	int next, code;

	sgang_spec_init(&request.gang);
	request.definition.spec = &request.gang;
	next = read_options(verb, argc, argv, &request);
	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	if (check(&request, name, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_create = {
	.name = "create",
	.operands = "[NAMESPACE/]NAME",
	.summary = "define a gang, before or after its members come",
	.options = options,
	.run = run
};
