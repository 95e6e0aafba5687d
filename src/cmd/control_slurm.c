/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_slurm.c - what sgang asks slurmctld to do, through libslurm */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/control.h"
#include "cmd/libslurm.h"
#include "cmd/words.h"
#include "core/gang/question.h"
#include "core/gang/record.h"
#include "slurm/client.h"
#include "slurm/public.h"

/* The message if a definition is started after all. */
static const char script[] =
	"#!/bin/sh\n"
	"echo 'This job is the definition of a gang and runs nothing.' >&2\n"
	"exit 1\n";

static int refused(struct sgang_error *err)
{
	return sgang_errf(err, EACCES, "%s", sgang_libslurm_why());
}

/* "_SLURM_SPANK_OPTION_gang_gang_min_member=4", as Slurm writes it for the
 * option of sbatch. */
static int add_option(struct sgang_words *env, const char *option,
		      const char *value, struct sgang_error *err)
{
	char name[64];
	char *p;

	snprintf(name, sizeof(name), "%s", option);
	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return sgang_words_add(env, err, "_SLURM_SPANK_OPTION_gang_%s=%s", name,
			       value);
}

static int fill_env(const struct sgang_spec *spec, struct sgang_words *env,
		    struct sgang_error *err)
{
	const struct sgang_option *option;
	char value[SGANG_GROUPS_SIZE];
	char gang[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];

	snprintf(gang, sizeof(gang), "%s%s%s", spec->ns, spec->ns[0] ? "/" : "",
		 spec->name);
	if (add_option(env, "gang", gang, err))
		return -1;
	for (option = sgang_spec_options(); option->name; option++)
		if (sgang_spec_value(spec, option->name, value) &&
		    add_option(env, option->name, value, err))
			return -1;
	return 0;
}

/* The record as the select plugin will write it a moment later, which the job
 * carries as its comment until then. Returns a string the caller frees, or NULL
 * with ENOMEM. */
static char *comment_text(const struct sgang_spec *spec)
{
	struct sgang_record record = { .object = true };

	strcpy(record.ns, spec->ns);
	strcpy(record.name, spec->name);
	record.phase = SGANG_PHASE_GATHERING;
	record.pool = spec->pool;
	record.min_member = spec->pool ? 0 : sgang_spec_min(spec);
	record.total = spec->pool ? 0 : sgang_spec_total(spec);
	record.mode = spec->mode;
	record.match = spec->match;
	record.on_failure = spec->on_failure;
	record.max_restarts = spec->max_restarts;
	record.on_stale = spec->on_stale;
	record.stale_grace = spec->stale_grace;
	record.on_success = spec->on_success;
	record.on_drain = spec->on_drain;
	record.waiting_time = spec->waiting_time;
	strcpy(record.groups, spec->groups);
	return sgang_record_format(&record, NULL);
}

/* Returns 0 or -1, with the job's id. */
static int submit(job_desc_msg_t *desc, uint32_t *job_id,
		  struct sgang_error *err)
{
	submit_response_msg_t *answer = NULL;
	int rc;

	if (sgang_libslurm_enter(err))
		return -1;
	rc = slurm_submit_batch_job(desc, &answer);
	sgang_libslurm_leave();
	if (rc || !answer)
		return refused(err);
	*job_id = public_job_id(answer);
	slurm_free_submit_response_response_msg(answer);
	return 0;
}

/* Slurm does not report a held job to the select plugin, which would not know
 * of it before something happens to a member. The question when the job could
 * start is passed on to the plugin. The job never can, so there is no answer to
 * be freed. */
static void make_known(job_desc_msg_t *desc, uint32_t job_id)
{
	will_run_response_msg_t *answer = NULL;
	struct sgang_error err;

	if (sgang_libslurm_enter(&err))
		return;
	public_job_id(desc) = job_id;
	(void)slurm_job_will_run2(desc, &answer);
	sgang_libslurm_leave();
}

int sgang_control_define(const struct sgang_definition *definition,
			 uint32_t *job_id, struct sgang_error *err)
{
	const struct sgang_spec *spec = definition->spec;
	char *environment[] = { (char *)"PATH=/usr/bin:/bin", NULL };
	char name[sizeof("gang/") + SGANG_NAME_MAX];
	struct sgang_words env = { NULL, 0 };
	char *comment = comment_text(spec);
	job_desc_msg_t desc;
	int rc = -1;

	if (!comment) {
		sgang_err_memory(err);
		goto out;
	}
	if (fill_env(spec, &env, err) ||
	    add_option(&env, "gang-object", "1", err))
		goto out;
	snprintf(name, sizeof(name), "gang/%s", spec->name);
	slurm_init_job_desc_msg(&desc);
	desc.name = name;
	desc.comment = comment;
	desc.account = (char *)definition->account;
	desc.partition = (char *)definition->partition;
	desc.user_id = getuid();
	desc.group_id = getgid();
	desc.script = (char *)script;
	desc.environment = environment;
	desc.env_size = 1;
	desc.spank_job_env = env.word;
	desc.spank_job_env_size = (uint32_t)env.n;
	desc.work_dir = (char *)"/";
	desc.std_out = (char *)"/dev/null";
	desc.min_nodes = desc.max_nodes = 1;
	desc.num_tasks = 1;
	desc.time_limit = 1;
	desc.priority = 0; /* held, for ever */
	desc.requeue = 0;
	rc = submit(&desc, job_id, err);
	if (!rc)
		make_known(&desc, *job_id);
out:
	sgang_words_clear(&env);
	free(comment);
	return rc;
}

static void describe(const struct sgang_start_ask *what, job_desc_msg_t *desc)
{
	desc->partition = (char *)what->partition;
	if (what->time_limit)
		desc->time_limit = what->time_limit;
	if (what->nodes)
		desc->min_nodes = desc->max_nodes = what->nodes;
	if (!what->tasks)
		desc->shared = JOB_SHARED_NONE; /* --exclusive */
	else if (what->nodes)
		desc->ntasks_per_node = (uint16_t)what->tasks;
	desc->num_tasks = what->tasks ? what->tasks : 1;
	if (what->nodes)
		desc->num_tasks *= what->nodes;
	desc->min_cpus = desc->num_tasks;
}

static int will_run(job_desc_msg_t *desc, struct sgang_will_run *answer,
		    struct sgang_error *err)
{
	will_run_response_msg_t *response = NULL;
	int rc;

	if (sgang_libslurm_enter(err))
		return -1;
	rc = slurm_job_will_run2(desc, &response);
	sgang_libslurm_leave();
	if (rc || !response)
		return refused(err);
	answer->start = response->start_time;
	answer->nodes = strdup(response->node_list ? response->node_list : "");
	answer->partition = strdup(response->part_name ? response->part_name :
							 "");
	sgang_client_free_will_run(response);
	if (answer->nodes && answer->partition)
		return 0;
	sgang_control_forget(answer);
	return sgang_err_memory(err);
}

int sgang_control_what_if(const struct sgang_start_ask *what,
			  struct sgang_will_run *answer,
			  struct sgang_error *err)
{
	char *environment[] = { (char *)"PATH=/usr/bin:/bin", NULL };
	struct sgang_words env = { NULL, 0 };
	job_desc_msg_t desc;
	int rc;

	*answer = (struct sgang_will_run){ .start = 0 };
	slurm_init_job_desc_msg(&desc);
	desc.user_id = getuid();
	desc.group_id = getgid();
	desc.script = (char *)script;
	desc.environment = environment;
	desc.env_size = 1;
	desc.work_dir = (char *)"/";
	describe(what, &desc);
	if (what->job_id)
		public_job_id(&desc) = what->job_id;
	rc = what->job_id ? 0 : fill_env(what->spec, &env, err);
	desc.spank_job_env = env.word;
	desc.spank_job_env_size = (uint32_t)env.n;
	if (!rc)
		rc = will_run(&desc, answer, err);
	sgang_words_clear(&env);
	return rc;
}

void sgang_control_forget(struct sgang_will_run *answer)
{
	free(answer->nodes);
	free(answer->partition);
	*answer = (struct sgang_will_run){ .start = 0 };
}

/* A small job that nobody submits, so that plugins that look at jobs before
 * ours find nothing missing. */
static void fill_question(job_desc_msg_t *desc, char **env)
{
	slurm_init_job_desc_msg(desc);
	desc->name = (char *)"sgang";
	desc->user_id = getuid();
	desc->group_id = getgid();
	desc->work_dir = (char *)"/";
	desc->min_nodes = desc->max_nodes = 1;
	desc->num_tasks = 1;
	desc->time_limit = 1;
	desc->spank_job_env = env;
	desc->spank_job_env_size = 1;
}

/* Ask, and return what libslurm logged meanwhile, which the caller frees; NULL
 * with 'err'. */
static char *ask(job_desc_msg_t *desc, struct sgang_error *err)
{
	will_run_response_msg_t *plan = NULL;
	int rc, code;
	FILE *log;
	char *text;

	if (sgang_libslurm_enter(err))
		return NULL;
	log = sgang_client_log_catch();
	rc = log ? slurm_job_will_run2(desc, &plan) : -1;
	code = errno;
	text = log ? sgang_client_log_end(log) : NULL;
	sgang_libslurm_leave();
	if (plan)
		sgang_client_free_will_run(plan);
	errno = code;
	if (!text)
		sgang_errf(err, code, "%s", strerror(code));
	else if (!rc)
		sgang_errf(err, EPROTO,
			   "it has no job_submit/gang that can be asked");
	else if (sgang_libslurm_unheard())
		sgang_errf(err, EIO, "cannot ask slurmctld: %s",
			   sgang_libslurm_why());
	else
		sgang_errf(err, EPROTO, "%s", sgang_libslurm_why());
	return text;
}

char *sgang_control_ask(const char *question, struct sgang_error *err)
{
	char word[sizeof(SGANG_QUESTION_ENV) + 32], *env[] = { word, NULL };
	struct sgang_error said;
	job_desc_msg_t desc;
	char *log, *answer;
	int code;

	snprintf(word, sizeof(word), SGANG_QUESTION_ENV "%s", question);
	fill_question(&desc, env);
	log = ask(&desc, err);
	if (!log)
		return NULL;
	code = errno;
	answer = sgang_question_answer(log, &said);
	free(log);
	if (answer || code == EIO) {
		errno = code;
		return answer;
	}
	if (said.text[0])
		*err = said;
	return NULL;
}

char *sgang_control_state_dir(struct sgang_error *err)
{
	slurm_conf_t *conf = NULL;
	char *dir;
	int rc;

	if (sgang_libslurm_enter(err))
		return NULL;
	rc = slurm_load_ctl_conf(0, &conf);
	sgang_libslurm_leave();
	if (rc) {
		sgang_errf(err, EIO,
			   "cannot read the settings of slurmctld: "
			   "%s",
			   sgang_libslurm_why());
		return NULL;
	}
	dir = strdup(conf->state_save_location ? conf->state_save_location :
						 "");
	public_free_conf(conf);
	if (!dir)
		sgang_err_memory(err);
	return dir;
}

int sgang_control_signal(const char *job, int signal, struct sgang_error *err)
{
	int rc;

	if (sgang_libslurm_enter(err))
		return -1;
	rc = slurm_kill_job2(job, (uint16_t)signal, 0, NULL);
	sgang_libslurm_leave();
	if (!rc || errno == ESLURM_ALREADY_DONE)
		return 0;
	return refused(err);
}

/* Each task of an array has an answer of its own; the first refusal is
 * returned. */
static int check_tasks(const job_array_resp_msg_t *answer,
		       struct sgang_error *err)
{
	uint32_t i;

	for (i = 0; answer && i < answer->job_array_count; i++)
		if (answer->error_code[i])
			return sgang_errf(
				err, EACCES, "%s",
				slurm_strerror((int)answer->error_code[i]));
	return 0;
}

static int update(const char *job, job_desc_msg_t *desc,
		  struct sgang_error *err)
{
	job_array_resp_msg_t *answer = NULL;
	int rc;

	if (sgang_libslurm_enter(err))
		return -1;
	desc->job_id_str = (char *)job;
	rc = slurm_update_job2(desc, &answer);
	sgang_libslurm_leave();
	if (rc)
		return refused(err);
	rc = check_tasks(answer, err);
	slurm_free_job_array_resp(answer);
	return rc;
}

static int set_priority(const char *job, uint32_t priority,
			struct sgang_error *err)
{
	job_desc_msg_t desc;

	slurm_init_job_desc_msg(&desc);
	desc.priority = priority;
	return update(job, &desc, err);
}

int sgang_control_hold(const char *job, struct sgang_error *err)
{
	return set_priority(job, 0, err);
}

int sgang_control_release(const char *job, struct sgang_error *err)
{
	return set_priority(job, INFINITE, err);
}

int sgang_control_recall(const char *job, struct sgang_error *err)
{
	char *env[] = { (char *)SGANG_RECORD_RECALL, NULL };
	job_desc_msg_t desc;

	slurm_init_job_desc_msg(&desc);
	desc.spank_job_env = env;
	desc.spank_job_env_size = 1;
	return update(job, &desc, err);
}
