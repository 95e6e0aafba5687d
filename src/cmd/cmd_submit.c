/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_submit.c - sgang submit: all jobs of a gang from one file
 *
 * sbatch is run for each job, so its options, plugins and messages are the
 * user's own. Either all jobs are submitted or none.
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/gangfile.h"
#include "cmd/jobs.h"
#include "cmd/json.h"
#include "cmd/spawn.h"
#include "cmd/targets.h"
#include "cmd/words.h"
#include "core/base/text.h"

enum { OPT_DRY_RUN };

static const struct sgang_cmd_option options[] = {
	[OPT_DRY_RUN] = { "dry-run", NULL, "print the commands, run none", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	bool dry_run;
	struct sgang_gangfile file;
};

/* A job that has been submitted. */
struct job {
	const struct sgang_role *role;
	bool placeholder; /* the array of its placeholders */
	uint32_t id;
};

struct jobs {
	struct job *job;
	size_t n;
	uint32_t *pool; /* definitions of pools that were not there */
	size_t n_pools;
};

/* ---- what is printed ---- */

static uint32_t members_of(const struct job *job)
{
	if (job->placeholder)
		return job->role->placeholders;
	return job->role->array ? job->role->count : 1;
}

static const char form[] =
	"<jobs|JobId={job_id} GangName={gang} Role={role} Members={members}"
	"[ Placeholders={placeholders}]\n>"
	"<gangs|submitted {gang}: {members} member{members%s}\n>";

static void print(const struct request *request, const struct jobs *jobs)
{
	const struct sgang_filegang *gang = request->file.gang;
	struct json_object *object = json_object_new_object();
	struct json_object *list = sgang_json_list(object, "gangs"), *row;
	size_t i;

	for (i = 0; i < request->file.n_gangs; i++) {
		row = sgang_cmd_json_gang(&gang[i].spec);
		sgang_json_number(row, "members", gang[i].members);
		json_object_array_add(list, row);
	}
	list = sgang_json_list(object, "jobs");
	for (i = 0; i < jobs->n; i++) {
		const struct sgang_role *role = jobs->job[i].role;

		row = sgang_cmd_json_gang(&gang[role->gang].spec);
		sgang_json_string(row, "role", role->name);
		sgang_json_number(row, "job_id", jobs->job[i].id);
		sgang_json_number(row, "members", members_of(&jobs->job[i]));
		if (jobs->job[i].placeholder)
			sgang_json_string(row, "placeholders", "yes");
		json_object_array_add(list, row);
	}
	sgang_answer_print(object, form);
}

/* ---- dry run ---- */

static void print_command(const struct sgang_words *command,
			  struct json_object *list)
{
	struct json_object *words;
	size_t i;

	if (!list) {
		sgang_words_print(command, stdout);
		return;
	}
	words = json_object_new_array();
	for (i = 0; i < command->n; i++)
		json_object_array_add(words,
				      json_object_new_string(command->word[i]));
	json_object_array_add(list, words);
}

/* The commands that define the pools. */
static int print_pools(const struct sgang_gangfile *file,
		       struct json_object *list, struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < file->n_gangs; i++) {
		const struct sgang_spec *spec = &file->gang[i].spec;
		struct sgang_words command = { NULL, 0 };

		if (!spec->pool)
			continue;
		if (sgang_words_add(&command, err, "sgang") ||
		    sgang_words_add(&command, err, "create") ||
		    sgang_words_add(&command, err, "%s/%s", spec->ns,
				    spec->name) ||
		    sgang_words_add(&command, err, "--pool")) {
			sgang_words_clear(&command);
			return -1;
		}
		print_command(&command, list);
		sgang_words_clear(&command);
	}
	return 0;
}

/* The same command so often. */
static uint32_t times(const struct sgang_role *role, bool placeholder)
{
	if (placeholder)
		return role->placeholders > 0;
	return sgang_gangfile_jobs(role);
}

static int print_commands(const struct request *request, bool placeholders,
			  struct json_object *list, struct sgang_error *err)
{
	size_t i;
	uint32_t n;

	for (i = 0; i < request->file.n_roles; i++) {
		const struct sgang_role *role = &request->file.role[i];
		struct sgang_words command;

		if (sgang_gangfile_command(&request->file, role, placeholders,
					   &command, err))
			return -1;
		for (n = 0; n < times(role, placeholders); n++)
			print_command(&command, list);
		sgang_words_clear(&command);
	}
	return 0;
}

static int dry_run(const struct request *request, struct sgang_error *err)
{
	struct json_object *list = sgang_answer_is_text() ?
					   NULL :
					   json_object_new_array();
	struct json_object *object;

	if (print_pools(&request->file, list, err) ||
	    print_commands(request, true, list, err) ||
	    print_commands(request, false, list, err)) {
		json_object_put(list);
		return -1;
	}
	if (list) {
		object = json_object_new_object();
		json_object_object_add(object, "commands", list);
		sgang_answer_print(object, NULL);
	}
	return SGANG_EXIT_YES;
}

/* ---- submission ---- */

/* Ctrl-C was pressed: sbatch has got the signal as well, and jobs that were
 * submitted before are cancelled. */
static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = interrupt };
	struct sigaction before;
	size_t i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!sigaction(numbers[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

/* "12" or, where there are several clusters, "12;cluster", and a line feed. */
static int read_id(char *text, uint32_t *id)
{
	uint64_t number;

	text[strcspn(text, ";\n")] = '\0';
	if (sgang_text_number(text, 1, UINT32_MAX, &number))
		return -1;
	*id = (uint32_t)number;
	return 0;
}

/* Returns 0, or -1 with 'err' saying why there is no such job. sbatch itself
 * has reported to the user, on the standard error. */
static int submit_one(const struct sgang_words *command, struct job *job,
		      struct sgang_error *err)
{
	char out[256];
	int rc = sgang_spawn(command->word, out, sizeof(out), err);

	if (rc < 0)
		return -1;
	if (interrupted)
		sgang_errf(err, EINTR, "interrupted");
	else if (rc)
		sgang_errf(err, EPERM, "role \"%s\" was refused",
			   job->role->name);
	/* with an id it has been submitted, and is to be cancelled too */
	if (read_id(out, &job->id))
		job->id = 0;
	if (!rc && !job->id)
		sgang_errf(err, EPROTO,
			   "sbatch printed no job id for role "
			   "\"%s\"",
			   job->role->name);
	return rc || interrupted || !job->id ? -1 : 0;
}

static int submit_role(const struct sgang_gangfile *file,
		       const struct sgang_role *role, bool placeholder,
		       struct jobs *jobs, struct sgang_error *err)
{
	struct sgang_words command;
	int rc = 0;
	uint32_t i;

	if (sgang_gangfile_command(file, role, placeholder, &command, err))
		return -1;
	for (i = 0; i < times(role, placeholder) && !rc; i++) {
		struct job *job = &jobs->job[jobs->n];

		job->role = role;
		job->placeholder = placeholder;
		job->id = 0;
		rc = submit_one(&command, job, err);
		jobs->n += job->id != 0;
	}
	sgang_words_clear(&command);
	return rc;
}

static bool is_pool(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_PENDING && job->record.object &&
	       job->record.pool;
}

/* Define the pool unless it is defined. */
static int define_pool(const struct sgang_spec *spec,
		       const struct sgang_jobs *all, struct jobs *jobs,
		       struct sgang_error *err)
{
	const struct sgang_definition definition = { .spec = spec };
	struct sgang_targets there = { NULL, 0 };
	int rc = sgang_targets_find(all, spec, is_pool, &there, err);

	if (!rc && !there.n) {
		rc = sgang_control_define(&definition,
					  &jobs->pool[jobs->n_pools], err);
		jobs->n_pools += !rc;
	}
	sgang_targets_clear(&there);
	return rc;
}

/* Gangs of the file may name them, so they come first. */
static int define_pools(const struct sgang_gangfile *file, struct jobs *jobs,
			struct sgang_error *err)
{
	struct sgang_jobs all = { .count = 0 };
	size_t i, pools = 0;
	int rc;

	for (i = 0; i < file->n_gangs; i++)
		pools += file->gang[i].spec.pool;
	if (!pools)
		return 0;
	jobs->pool = calloc(pools, sizeof(*jobs->pool));
	if (!jobs->pool)
		return sgang_err_memory(err);
	rc = sgang_jobs_load(&all, err);
	for (i = 0; i < file->n_gangs && !rc; i++)
		if (file->gang[i].spec.pool)
			rc = define_pool(&file->gang[i].spec, &all, jobs, err);
	sgang_jobs_clear(&all);
	return rc;
}

/* Returns 0, or -1 with 'err' filled; 'jobs' has the submitted ones. The
 * placeholders come first: no member may start without them (1.20). */
static int submit_all(const struct sgang_gangfile *file, struct jobs *jobs,
		      struct sgang_error *err)
{
	size_t i, n = 0;

	if (define_pools(file, jobs, err))
		return -1;
	for (i = 0; i < file->n_roles; i++)
		n += sgang_gangfile_jobs(&file->role[i]) + 1;
	jobs->job = calloc(n, sizeof(*jobs->job));
	if (!jobs->job)
		return sgang_err_memory(err);
	for (i = 0; i < 2 * file->n_roles; i++)
		if (submit_role(file, &file->role[i % file->n_roles],
				i < file->n_roles, jobs, err))
			return -1;
	return 0;
}

/* ---- taking back ---- */

/* Returns 0, or -1 with 'err' filled. */
static int cancel(const struct jobs *jobs, struct sgang_error *err)
{
	struct sgang_words command = { NULL, 0 };
	char out[256];
	size_t i;
	int rc;

	rc = sgang_words_add(&command, err, "scancel");
	for (i = 0; i < jobs->n && !rc; i++)
		rc = sgang_words_add(&command, err, "%" PRIu32,
				     jobs->job[i].id);
	for (i = 0; i < jobs->n_pools && !rc; i++)
		rc = sgang_words_add(&command, err, "%" PRIu32, jobs->pool[i]);
	if (!rc)
		rc = sgang_spawn(command.word, out, sizeof(out), err);
	if (rc > 0)
		rc = sgang_errf(err, EIO, "scancel ended with status %d", rc);
	sgang_words_clear(&command);
	return rc;
}

static struct json_object *json_ids(const struct jobs *jobs)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < jobs->n; i++)
		json_object_array_add(list,
				      json_object_new_uint64(jobs->job[i].id));
	return list;
}

static void say_in_vain(const struct jobs *jobs, bool left,
			const struct sgang_error *why)
{
	if (!jobs->n)
		sgang_cmd_no("%s; nothing was submitted", why->text);
	else
		sgang_cmd_no("%s; %zu job%s submitted before %s", why->text,
			     jobs->n, jobs->n == 1 ? "" : "s",
			     left         ? "could not be cancelled" :
			     jobs->n == 1 ? "was cancelled" :
					    "were cancelled");
}

/* Report what happened to the gang that could not be submitted because of
 * 'why'. */
static int give_up(const struct request *request, const struct jobs *jobs,
		   const struct sgang_error *why)
{
	struct json_object *object;
	struct sgang_error err;
	bool left = (jobs->n || jobs->n_pools) && cancel(jobs, &err);

	if (left)
		sgang_cmd_no("%s", err.text);
	if (sgang_answer_is_text()) {
		say_in_vain(jobs, left, why);
		return SGANG_EXIT_NO;
	}
	object = sgang_cmd_json_gang(&request->file.gang[0].spec);
	sgang_json_string(object, "reason", why->text);
	json_object_object_add(object, left ? "left" : "cancelled",
			       json_ids(jobs));
	sgang_answer_print(object, NULL);
	return SGANG_EXIT_NO;
}

static int submit(const struct request *request)
{
	struct jobs jobs = { .n = 0 };
	struct sgang_error err;
	int code = SGANG_EXIT_YES;

	catch_signals();
	if (submit_all(&request->file, &jobs, &err))
		code = give_up(request, &jobs, &err);
	else
		print(request, &jobs);
	free(jobs.job);
	free(jobs.pool);
	return code;
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(struct request *request, const char *path,
		  struct sgang_error *err)
{
	const char *user = sgang_cmd_user();
	int code;

	if (!user)
		return sgang_errf(err, EINVAL,
				  "you have no name to be the "
				  "namespace of gangs");
	if (sgang_gangfile_load(path, user, &request->file, err))
		return -1;
	code = request->dry_run ? dry_run(request, err) : submit(request);
	sgang_gangfile_clear(&request->file);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .dry_run = false };
	const char *value, *path;
	struct sgang_error err;
	int next, code;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0)
		request.dry_run = true;
	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	path = sgang_cmd_operand(verb, argc, argv, "one file");
	if (!path)
		return SGANG_EXIT_BAD;
	code = answer(&request, path, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_submit = {
	.name = "submit",
	.operands = "FILE",
	.summary = "submit all jobs of the gang that a file describes",
	.options = options,
	.run = run
};
