/* SPDX-License-Identifier: GPL-2.0-or-later */
/* targets.c - a request for jobs of one gang, job by job */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/targets.h"

static bool is_of(const struct sgang_jobrow *job, const struct sgang_spec *gang)
{
	return !strcmp(job->record.name, gang->name) &&
	       !strcmp(job->record.ns, gang->ns);
}

static uint32_t id_of(const struct sgang_jobrow *job)
{
	return job->array_id ? job->array_id : job->job_id;
}

/* qsort: the tasks of an array side by side. */
static int by_id(const void *a, const void *b)
{
	const struct sgang_jobrow *x = *(const struct sgang_jobrow *const *)a;
	const struct sgang_jobrow *y = *(const struct sgang_jobrow *const *)b;

	if (id_of(x) != id_of(y))
		return id_of(x) < id_of(y) ? -1 : 1;
	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

int sgang_targets_find(const struct sgang_jobs *jobs,
		       const struct sgang_spec *gang,
		       bool (*wanted)(const struct sgang_jobrow *job),
		       struct sgang_targets *targets, struct sgang_error *err)
{
	struct sgang_targets found = { NULL, 0 };
	size_t i;

	found.row = calloc(jobs->count + 1, sizeof(*found.row));
	if (!found.row)
		return sgang_err_memory(err);
	for (i = 0; i < jobs->count; i++)
		if (is_of(&jobs->row[i], gang) && wanted(&jobs->row[i]))
			found.row[found.n++] = &jobs->row[i];
	qsort(found.row, found.n, sizeof(*found.row), by_id);
	*targets = found;
	return 0;
}

void sgang_targets_clear(struct sgang_targets *targets)
{
	free(targets->row);
	targets->row = NULL;
	targets->n = 0;
}

static bool is_known(const struct sgang_jobs *jobs,
		     const struct sgang_spec *gang)
{
	size_t i;

	for (i = 0; i < jobs->count; i++)
		if (is_of(&jobs->row[i], gang) &&
		    !(jobs->row[i].record.object &&
		      jobs->row[i].class == SGANG_ROW_ENDED))
			return true;
	return false;
}

int sgang_targets_none(const struct sgang_jobs *jobs,
		       const struct sgang_spec *gang, const char *why)
{
	char text[SGANG_JOBS_HINT + 32], hint[SGANG_JOBS_HINT];

	snprintf(text, sizeof(text), "there is no such gang%s",
		 sgang_answer_is_text() ? sgang_jobs_hint(jobs, gang, hint) :
					  "");
	return sgang_cmd_refuse(gang, is_known(jobs, gang) ? why : text);
}

/* The number of rows, from the first on, that one request is for. */
static size_t same_job(const struct sgang_jobrow *const *row, size_t n,
		       bool whole)
{
	size_t i = 1;

	while (whole && row[0]->array_id && i < n &&
	       row[i]->array_id == row[0]->array_id)
		i++;
	return i;
}

/* Add the owner of a job that the caller may not change. */
static void add_owner(const struct sgang_jobrow *row, struct sgang_error *why)
{
	size_t used = strlen(why->text);

	if (!row->own)
		snprintf(why->text + used, sizeof(why->text) - used,
			 " (a job of %s)", row->user);
}

static void refuse(const char *job, const char *why, bool quiet,
		   struct sgang_outcome *outcome)
{
	struct json_object *object = json_object_new_object();

	sgang_json_string(object, "job", job);
	sgang_json_string(object, "reason", why);
	json_object_array_add(outcome->refused, object);
	outcome->n_refused++;
	if (!quiet)
		sgang_cmd_no("job %s: %s", job, why);
}

static void count(const struct sgang_jobrow *const *row, size_t n,
		  struct sgang_outcome *outcome)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (row[i]->record.object)
			outcome->definitions++;
		else
			outcome->members += row[i]->tasks;
	}
}

int sgang_targets_ask(const struct sgang_targets *targets, bool whole,
		      bool quiet, sgang_target_f ask, int signal,
		      struct sgang_outcome *outcome, struct sgang_error *err)
{
	struct sgang_outcome came = { .refused = json_object_new_array() };
	struct sgang_error why;
	size_t i, n;
	char *job;

	for (i = 0; i < targets->n; i += n) {
		n = same_job(targets->row + i, targets->n - i, whole);
		job = sgang_jobs_id(targets->row[i], whole);
		if (!job) {
			json_object_put(came.refused);
			return sgang_err_memory(err);
		}
		if (ask(job, signal, &why)) {
			add_owner(targets->row[i], &why);
			refuse(job, why.text, quiet, &came);
		} else {
			count(targets->row + i, n, &came);
		}
		free(job);
	}
	*outcome = came;
	return 0;
}

static void print_text(const struct sgang_spec *gang, const char *what,
		       const struct sgang_outcome *outcome)
{
	printf("%s %s/%s: %" PRIu64 " member%s", what, gang->ns, gang->name,
	       outcome->members, outcome->members == 1 ? "" : "s");
	if (outcome->definitions)
		printf(", %" PRIu64 " definition%s", outcome->definitions,
		       outcome->definitions == 1 ? "" : "s");
	putchar('\n');
}

int sgang_targets_report(const struct sgang_spec *gang, const char *what,
			 struct sgang_outcome *outcome)
{
	struct json_object *object;

	if (!sgang_answer_is_text()) {
		object = sgang_cmd_json_gang(gang);
		sgang_json_number(object, what, outcome->members);
		sgang_json_number(object, "definitions", outcome->definitions);
		json_object_object_add(object, "refused", outcome->refused);
		sgang_answer_print(object, NULL);
	} else {
		/* nothing was done: the refusals have said all */
		if (outcome->members || outcome->definitions ||
		    !outcome->n_refused)
			print_text(gang, what, outcome);
		json_object_put(outcome->refused);
	}
	outcome->refused = NULL;
	return outcome->n_refused ? SGANG_EXIT_NO : SGANG_EXIT_YES;
}

/* ---- verbs ---- */

/* Returns an exit code, or -1 with 'err' filled. */
static int act(const struct sgang_action *action, const struct sgang_spec *gang,
	       struct sgang_error *err)
{
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_targets targets = { NULL, 0 };
	struct sgang_outcome outcome;
	int code = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_targets_find(&jobs, gang, action->wanted, &targets, err))
		goto out;
	if (!targets.n) {
		code = sgang_targets_none(&jobs, gang, action->none);
		goto out;
	}
	/* an array can have tasks that run, which are not to be touched */
	if (sgang_targets_ask(&targets, false, !sgang_answer_is_text(),
			      action->ask, action->signal, &outcome, err))
		goto out;
	code = sgang_targets_report(gang, action->done, &outcome);
out:
	sgang_targets_clear(&targets);
	sgang_jobs_clear(&jobs);
	return code;
}

int sgang_action_run(const struct sgang_action *action,
		     const struct sgang_verb *verb, int argc, char **argv)
{
	const char *value, *name;
	struct sgang_spec gang;
	struct sgang_error err;
	int next = sgang_cmd_next(verb, argc, argv, &value), code;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	if (sgang_cmd_gang(name, &gang, &err))
		return sgang_cmd_bad("%s", err.text);
	code = act(action, &gang, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}
