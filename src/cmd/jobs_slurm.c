/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_slurm.c - the job records of slurmctld, read through libslurm */

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/jobs.h"
#include "cmd/libslurm.h"
#include "cmd/queue.h"
#include "slurm/client.h"
#include "slurm/public.h"

/* Slurm's words for the states that it numbers. */
static const char *const states[JOB_END] = {
	[JOB_PENDING] = "PENDING",     [JOB_RUNNING] = "RUNNING",
	[JOB_SUSPENDED] = "SUSPENDED", [JOB_COMPLETE] = "COMPLETED",
	[JOB_CANCELLED] = "CANCELLED", [JOB_FAILED] = "FAILED",
	[JOB_TIMEOUT] = "TIMEOUT",     [JOB_NODE_FAIL] = "NODE_FAIL",
	[JOB_PREEMPTED] = "PREEMPTED", [JOB_BOOT_FAIL] = "BOOT_FAIL",
	[JOB_DEADLINE] = "DEADLINE",   [JOB_OOM] = "OUT_OF_MEMORY",
};

static const char *state_word(uint32_t state)
{
	uint32_t base = state & JOB_STATE_BASE;

	if (state & JOB_COMPLETING)
		return "COMPLETING";
	if (state & JOB_CONFIGURING)
		return "CONFIGURING";
	return base < JOB_END ? states[base] : "UNKNOWN";
}

static enum sgang_job_end end_of(uint32_t base)
{
	switch (base) {
	case JOB_COMPLETE:
		return SGANG_JOB_END_COMPLETED;
	case JOB_CANCELLED:
	case JOB_PREEMPTED:
		return SGANG_JOB_END_CANCELLED;
	case JOB_TIMEOUT:
		return SGANG_JOB_END_TIME_LIMIT;
	default:
		return SGANG_JOB_END_FAILED;
	}
}

/* The record has been set already. */
static void set_class(struct sgang_jobrow *row, uint32_t state)
{
	uint32_t base = state & JOB_STATE_BASE;

	if (base == JOB_PENDING)
		row->class = SGANG_ROW_PENDING;
	else if (base != JOB_RUNNING && base != JOB_SUSPENDED)
		row->class = SGANG_ROW_ENDED;
	else
		row->class = sgang_jobs_running(&row->record,
						state & JOB_CONFIGURING);
	row->end = end_of(base);
}

/* A sentence of Slurm's own is shown instead of the word. Returns a string the
 * caller frees, or NULL with ENOMEM. */
static char *reason_text(const job_info_t *info)
{
	if (info->state_desc && info->state_desc[0])
		return strdup(info->state_desc);
	if (info->state_reason == WAIT_NO_REASON)
		return strdup("");
	return strdup(sgang_client_reason(info->state_reason));
}

/* Returns a string the caller frees, or NULL with ENOMEM. */
static char *user_text(const job_info_t *info)
{
	struct passwd *entry = NULL;
	char number[16];

	if (info->user_name && info->user_name[0])
		return strdup(info->user_name);
	entry = getpwuid(info->user_id);
	if (entry)
		return strdup(entry->pw_name);
	snprintf(number, sizeof(number), "%" PRIu32, info->user_id);
	return strdup(number);
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

/* The text of a task of an array is its number alone. */
static char *array_text(const job_info_t *info)
{
	char number[16];

	if (info->array_task_str && info->array_task_str[0])
		return strdup(info->array_task_str);
	snprintf(number, sizeof(number), "%" PRIu32, info->array_task_id);
	return strdup(number);
}

/* Fill 'row' but for its record. Returns 0, or -1 when memory is out. */
static int fill_row(struct sgang_jobrow *row, const job_info_t *info)
{
	set_class(row, info->job_state);
	row->priority = row->class == SGANG_ROW_PENDING ? info->priority : 0;
	row->stopped = row->class == SGANG_ROW_PENDING && !info->priority;
	row->requeues = info->batch_flag && info->requeue;
	row->job_id = public_job_id(info);
	row->array_id = info->array_job_id;
	row->tasks = sgang_jobs_count_tasks(info->array_task_str);
	row->name = copy(info->name);
	row->user = user_text(info);
	row->own = info->user_id == getuid();
	row->account = copy(info->account);
	row->partition = copy(info->partition);
	row->state = copy(state_word(info->job_state));
	row->nodes = copy(info->nodes);
	row->reason = reason_text(info);
	row->submit_time = info->submit_time;
	row->start_time = row->class == SGANG_ROW_PENDING ? info->start_time :
							    0;
	row->end_time = info->end_time;
	row->exit_code = row->class == SGANG_ROW_ENDED ? info->exit_code : 0;
	row->restarts = info->restart_cnt;
	if (row->array_id) {
		row->array_tasks = array_text(info);
		if (!row->array_tasks)
			return -1;
	}
	return row->name && row->user && row->account && row->partition &&
			       row->state && row->nodes && row->reason ?
		       0 :
		       -1;
}

/* The select plugin writes the record of a definition when it sees it, up to a
 * second late. Until then sgang relies on the comment that it wrote itself, but
 * only for the caller's own jobs. */
static bool read_new_definition(const job_info_t *info,
				struct sgang_record *record)
{
	struct sgang_record found;

	if (info->user_id != getuid() || info->priority || !info->name ||
	    strncmp(info->name, "gang/", 5) ||
	    sgang_record_parse(info->comment, &found) != 1 || !found.object ||
	    strcmp(info->name + 5, found.name))
		return false;
	*record = found;
	return true;
}

/* Neither held nor in wait for a time or for another job. */
static bool is_queued(const job_info_t *info, time_t now)
{
	return (info->job_state & JOB_STATE_BASE) == JOB_PENDING &&
	       info->priority && info->eligible_time &&
	       info->eligible_time <= now;
}

static int add_queued(struct sgang_jobs *jobs, const job_info_t *info,
		      time_t now)
{
	struct sgang_queued *queued = &jobs->queued[jobs->n_queued];

	if (!is_queued(info, now))
		return 0;
	queued->job_id = info->array_job_id ? info->array_job_id :
					      public_job_id(info);
	queued->priority = info->priority;
	queued->partitions = copy(info->partition);
	jobs->n_queued += queued->partitions != NULL;
	return queued->partitions ? 0 : -1;
}

static int convert(const job_info_msg_t *message, struct sgang_jobs *jobs,
		   struct sgang_error *err)
{
	struct sgang_jobs found = { .count = 0 };
	time_t now = time(NULL);
	uint32_t i;

	found.row = calloc(message->record_count + 1, sizeof(*found.row));
	found.queued = calloc(message->record_count + 1, sizeof(*found.queued));
	if (!found.row || !found.queued) {
		sgang_jobs_clear(&found);
		return sgang_err_memory(err);
	}
	for (i = 0; i < message->record_count; i++) {
		const job_info_t *info = &message->job_array[i];
		struct sgang_jobrow *row = &found.row[found.count];

		if (!sgang_record_parse(info->system_comment, &row->record) &&
		    !read_new_definition(info, &row->record)) {
			if (add_queued(&found, info, now)) {
				sgang_jobs_clear(&found);
				return sgang_err_memory(err);
			}
			continue;
		}
		found.count++;
		row->order = row->record.ordered ?
				     sgang_record_order(info->system_comment) :
				     NULL;
		if (fill_row(row, info) ||
		    (row->record.ordered && !row->order)) {
			sgang_jobs_clear(&found);
			return sgang_err_memory(err);
		}
	}
	*jobs = found;
	return 0;
}

int sgang_jobs_load(struct sgang_jobs *jobs, struct sgang_error *err)
{
	job_info_msg_t *message = NULL;
	int rc;

	/* otherwise long task lists are cut, and cannot be counted */
	if (setenv("SLURM_BITSTR_LEN", "0", 1))
		return sgang_err_memory(err);
	if (sgang_libslurm_enter(err))
		return -1;
	rc = slurm_load_jobs(0, &message, SHOW_ALL);
	sgang_libslurm_leave();
	if (rc)
		return sgang_errf(err, EIO,
				  "cannot read the jobs from "
				  "slurmctld: %s",
				  sgang_libslurm_why());
	rc = convert(message, jobs, err);
	slurm_free_job_info_msg(message);
	return rc;
}

static void copy_tiers(const partition_info_msg_t *message,
		       struct sgang_tiers *tiers)
{
	tiers->name = calloc(message->record_count + 1UL, sizeof(*tiers->name));
	tiers->tier = calloc(message->record_count + 1UL, sizeof(*tiers->tier));
	for (uint32_t i = 0;
	     tiers->name && tiers->tier && i < message->record_count; i++) {
		const partition_info_t *info = &message->partition_array[i];

		tiers->name[tiers->n] = copy(info->name);
		tiers->tier[tiers->n] = info->priority_tier;
		tiers->n += tiers->name[tiers->n] != NULL;
	}
}

void sgang_tiers_load(struct sgang_tiers *tiers)
{
	partition_info_msg_t *message = NULL;
	struct sgang_error err;
	int rc;

	*tiers = (struct sgang_tiers){ .n = 0 };
	if (sgang_libslurm_enter(&err))
		return;
	rc = slurm_load_partitions(0, &message, SHOW_ALL);
	sgang_libslurm_leave();
	if (rc)
		return;
	copy_tiers(message, tiers);
	slurm_free_partition_info_msg(message);
}

bool sgang_jobs_gone(uint32_t job_id)
{
	job_info_msg_t *message = NULL;
	struct sgang_error err;
	bool gone = false, known = false;
	uint32_t base;
	int rc;

	if (sgang_libslurm_enter(&err))
		return false;
	rc = slurm_load_job(&message, public_id_of_job(job_id), SHOW_ALL);
	gone = rc && errno == ESLURM_INVALID_JOB_ID;
	sgang_libslurm_leave();
	if (rc)
		return gone;
	for (uint32_t i = 0; i < message->record_count; i++) {
		const job_info_t *info = &message->job_array[i];

		if (public_job_id(info) != job_id)
			continue;
		known = true;
		base = info->job_state & JOB_STATE_BASE;
		gone = base != JOB_RUNNING && base != JOB_SUSPENDED;
	}
	slurm_free_job_info_msg(message);
	return gone || !known;
}

/* ---- jobs of the past ---- */

/* A question to slurmdbd; its lists borrow what they hold. */
struct question {
	slurm_selected_step_t job;
	char user[16];
	slurmdb_job_cond_t cond;
};

static void clear_question(struct question *question)
{
	if (question->cond.step_list)
		slurm_list_destroy(question->cond.step_list);
	if (question->cond.userid_list)
		slurm_list_destroy(question->cond.userid_list);
	if (question->cond.cluster_list)
		slurm_list_destroy(question->cond.cluster_list);
}

static int ask_for_job(struct question *question, uint32_t job_id)
{
	slurmdb_job_cond_t *cond = &question->cond;

	question->job.array_task_id = NO_VAL;
	question->job.het_job_offset = NO_VAL;
	question->job.step_id.job_id = job_id;
	question->job.step_id.step_id = NO_VAL;
	question->job.step_id.step_het_comp = NO_VAL;
	cond->step_list = slurm_list_create(NULL);
	if (!cond->step_list)
		return -1;
	slurm_list_append(cond->step_list, &question->job);
	return 0;
}

static int ask_for_jobs_of(struct question *question,
			   const struct sgang_jobs_past *past)
{
	slurmdb_job_cond_t *cond = &question->cond;

	cond->usage_start = past->since;
	cond->usage_end = time(NULL);
	if (!past->of_user)
		return 0;
	snprintf(question->user, sizeof(question->user), "%" PRIu32, past->uid);
	cond->userid_list = slurm_list_create(NULL);
	if (!cond->userid_list)
		return -1;
	slurm_list_append(cond->userid_list, question->user);
	return 0;
}

/* slurmdbd may have jobs of several clusters. */
static int ask_for(struct question *question,
		   const struct sgang_jobs_past *past, char *cluster)
{
	slurmdb_job_cond_t *cond = &question->cond;

	memset(question, 0, sizeof(*question));
	cond->db_flags = SLURMDB_JOB_FLAG_NOTSET;
	cond->flags = JOBCOND_FLAG_DUP | JOBCOND_FLAG_NO_STEP |
		      JOBCOND_FLAG_NO_DEFAULT_USAGE;
	cond->cluster_list = slurm_list_create(NULL);
	if (!cond->cluster_list)
		return -1;
	slurm_list_append(cond->cluster_list, cluster);
	return past->job_id ? ask_for_job(question, past->job_id) :
			      ask_for_jobs_of(question, past);
}

static int fill_past(struct sgang_jobrow *row, const slurmdb_job_rec_t *job)
{
	char task[16];

	set_class(row, job->state);
	row->job_id = job->jobid;
	row->array_id = job->array_job_id;
	row->tasks = 1;
	if (row->array_id) {
		snprintf(task, sizeof(task), "%" PRIu32, job->array_task_id);
		row->array_tasks = strdup(task);
		if (!row->array_tasks)
			return -1;
	}
	row->name = copy(job->jobname);
	row->user = copy(job->user);
	row->account = copy(job->account);
	row->partition = copy(job->partition);
	row->state = copy(state_word(job->state));
	row->nodes = copy(job->nodes);
	row->reason = copy("");
	row->submit_time = job->submit;
	row->end_time = job->end;
	return row->name && row->user && row->account && row->partition &&
			       row->state && row->nodes && row->reason ?
		       0 :
		       -1;
}

static int convert_past(struct xlist *list, struct sgang_jobs *jobs,
			struct sgang_error *err)
{
	struct sgang_jobs found = { .count = 0 };
	struct listIterator *walk = slurm_list_iterator_create(list);
	slurmdb_job_rec_t *job;
	int rc = 0;

	found.row = calloc((size_t)slurm_list_count(list) + 1,
			   sizeof(*found.row));
	while (!rc && found.row && (job = slurm_list_next(walk))) {
		struct sgang_jobrow *row = &found.row[found.count];

		if (!sgang_record_parse_brief(job->system_comment,
					      &row->record))
			continue;
		found.count++;
		rc = fill_past(row, job);
	}
	slurm_list_iterator_destroy(walk);
	if (rc || !found.row) {
		sgang_jobs_clear(&found);
		return sgang_err_memory(err);
	}
	*jobs = found;
	return 0;
}

/* The rows of slurmdbd as Slurm has them, or NULL. */
static struct xlist *load_past(const struct sgang_jobs_past *past,
			       char *cluster)
{
	uint16_t flags = 0;
	struct question question;
	void *connection;
	struct xlist *list = NULL;

	if (!ask_for(&question, past, cluster)) {
		connection = slurmdb_connection_get(&flags);
		list = slurmdb_jobs_get(connection, &question.cond);
		slurmdb_connection_close(&connection);
	}
	clear_question(&question);
	return list;
}

int sgang_jobs_load_past(const struct sgang_jobs_past *past,
			 struct sgang_jobs *jobs, struct sgang_error *err)
{
	slurm_conf_t *conf = NULL;
	bool has_slurmdbd = false;
	struct xlist *list = NULL;
	int rc = 0;

	jobs->row = NULL;
	jobs->count = 0;
	if (sgang_libslurm_enter(err))
		return -1;
	rc = slurm_load_ctl_conf(0, &conf);
	if (!rc && conf->accounting_storage_type)
		has_slurmdbd = strstr(conf->accounting_storage_type,
				      "slurmdbd");
	if (has_slurmdbd)
		list = load_past(past, conf->cluster_name);
	sgang_libslurm_leave();
	if (rc)
		return sgang_errf(err, EIO,
				  "cannot read the settings of "
				  "slurmctld: %s",
				  sgang_libslurm_why());
	public_free_conf(conf);
	if (!has_slurmdbd)
		return 0;
	if (!list)
		return sgang_errf(err, EIO, "slurmdbd does not answer");
	rc = convert_past(list, jobs, err);
	slurm_list_destroy(list);
	return rc;
}
