/* SPDX-License-Identifier: GPL-2.0-or-later */
/* account.c - what slurmdbd keeps of a member
 *
 * The row must be read before it is written, or the text of an operator would
 * be lost. A thread that holds no lock of slurmctld reads it, because that is a
 * question over the network. The change goes through the queue of the
 * accounting plugin, like slurmctld's other messages.
 */

#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "release.h"
#include "src/common/slurmdb_defs.h"

#include "account.h"
#include "core/gang/record.h"
#include "plugins/log.h"
#include "plugins/thread.h"

/* When this slurmctld took control; 0 on standby. No header declares it. */
extern time_t control_time;

/* The plugin is also loaded by commands, which have none of this data. */
#pragma weak acct_db_conn
#pragma weak control_time
#pragma weak slurm_conf
#pragma weak slurmctld_config

/* Jobs in one question, seconds between two questions, and how often a row is
 * looked for. */
#define AT_ONCE 100
#define PAUSE 2
#define TRIES 60

struct note {
	struct note *next;
	uint32_t job_id;
	uint32_t array_id; /* 0: no array */
	uint32_t task_id;
	time_t submit; /* distinguishes the runs of a job */
	unsigned int tries;
	bool outdated; /* a newer one of the job exists */
	char *brief;
};

struct notes {
	struct note *first, *last;
	size_t n;
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	struct notes waiting;
	bool running;  /* the thread */
	bool dropping; /* the log says that notes are dropped */
	char cluster[256];
} own = {
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.cond = PTHREAD_COND_INITIALIZER,
};

/* ---- notes ---- */

static void append(struct notes *notes, struct note *note)
{
	note->next = NULL;
	if (notes->last)
		notes->last->next = note;
	else
		notes->first = note;
	notes->last = note;
	notes->n++;
}

static struct note *take_first(struct notes *notes)
{
	struct note *note = notes->first;

	if (!note)
		return NULL;
	notes->first = note->next;
	if (!notes->first)
		notes->last = NULL;
	notes->n--;
	return note;
}

static void free_note(struct note *note)
{
	free(note->brief);
	free(note);
}

static struct note *new_note(const job_record_t *job_ptr, const char *brief)
{
	struct note *note = calloc(1, sizeof(*note));

	if (!note)
		return NULL;
	note->brief = strdup(brief);
	if (!note->brief) {
		free(note);
		return NULL;
	}
	note->job_id = job_ptr->job_id;
	note->array_id = job_ptr->array_job_id;
	note->task_id = job_ptr->array_task_id;
	if (job_ptr->details)
		note->submit = job_ptr->details->submit_time;
	return note;
}

static bool says_more_of(const struct notes *notes, uint32_t job_id)
{
	for (const struct note *n = notes->first; n; n = n->next) {
		if (n->job_id == job_id)
			return true;
	}
	return false;
}

static struct notes take_some(void)
{
	struct notes some = { NULL, NULL, 0 };

	pthread_mutex_lock(&own.mutex);
	while (!own.waiting.n)
		pthread_cond_wait(&own.cond, &own.mutex);
	while (own.waiting.n && some.n < AT_ONCE)
		append(&some, take_first(&own.waiting));
	pthread_mutex_unlock(&own.mutex);
	return some;
}

/* Put notes back for which slurmdbd could not be asked. */
static void put_in_front(struct notes *some)
{
	if (!some->n)
		return;
	pthread_mutex_lock(&own.mutex);
	some->last->next = own.waiting.first;
	if (!own.waiting.n)
		own.waiting.last = some->last;
	own.waiting.first = some->first;
	own.waiting.n += some->n;
	pthread_mutex_unlock(&own.mutex);
}

static void keep_newest(struct notes *some)
{
	struct notes kept = { NULL, NULL, 0 };
	struct note *note;

	while ((note = take_first(some))) {
		if (says_more_of(some, note->job_id))
			free_note(note);
		else
			append(&kept, note);
	}
	*some = kept;
}

static int by_job(const void *a, const void *b)
{
	const struct note *x = *(struct note *const *)a;
	const struct note *y = *(struct note *const *)b;

	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

/* Put notes behind the others, which need not wait for them. An old note is
 * dropped if there is a newer one of the same job, which it could overwrite.
 * Holders of slurmctld's locks may wait for the mutex, so the queue is walked
 * once. */
static void put_behind(struct notes *some)
{
	struct note *sorted[AT_ONCE], *note, **old;
	size_t n = 0;

	keep_newest(some);
	for (note = some->first; note; note = note->next)
		sorted[n++] = note;
	if (!n)
		return;
	qsort(sorted, n, sizeof(sorted[0]), by_job);
	pthread_mutex_lock(&own.mutex);
	for (note = own.waiting.first; note; note = note->next) {
		old = bsearch(&note, sorted, n, sizeof(sorted[0]), by_job);
		if (old)
			(*old)->outdated = true;
	}
	while ((note = take_first(some))) {
		if (note->outdated)
			free_note(note);
		else
			append(&own.waiting, note);
	}
	pthread_mutex_unlock(&own.mutex);
}

static void drop_all(struct notes *some)
{
	struct note *note;

	pthread_mutex_lock(&own.mutex);
	while ((note = take_first(&own.waiting)))
		append(some, note);
	pthread_mutex_unlock(&own.mutex);
	while ((note = take_first(some)))
		free_note(note);
}

/* ---- slurmdbd ---- */

/* The jobs of a question or a change; lists borrow what they hold. */
struct query {
	slurmdb_job_cond_t cond;
	slurm_selected_step_t job[AT_ONCE];
};

/* The number of an array, which is that of its last task, would mean all of
 * its tasks. */
static void select_job(struct query *query, int i, const struct note *note)
{
	slurm_selected_step_t *job = &query->job[i];

	memset(job, 0, sizeof(*job));
	job->array_task_id = note->array_id ? note->task_id : NO_VAL;
	job->het_job_offset = NO_VAL;
	job->step_id.job_id = note->array_id ? note->array_id : note->job_id;
	job->step_id.step_id = NO_VAL;
	job->step_id.step_het_comp = NO_VAL;
	list_append(query->cond.step_list, job);
}

static void open_query(struct query *query, uint32_t flags)
{
	memset(&query->cond, 0, sizeof(query->cond));
	query->cond.db_flags = SLURMDB_JOB_FLAG_NOTSET;
	query->cond.flags = flags | JOBCOND_FLAG_NO_STEP |
			    JOBCOND_FLAG_NO_DEFAULT_USAGE;
	query->cond.step_list = list_create(NULL);
	query->cond.cluster_list = list_create(NULL);
	list_append(query->cond.cluster_list, own.cluster);
}

static void close_query(struct query *query)
{
	FREE_NULL_LIST(query->cond.step_list);
	FREE_NULL_LIST(query->cond.cluster_list);
}

/* The last row of each job, or NULL when slurmdbd does not answer. */
static list_t *load_rows(const struct notes *some)
{
	struct query query;
	list_t *rows;
	int i = 0;

	open_query(&query, 0);
	for (const struct note *note = some->first; note; note = note->next)
		select_job(&query, i++, note);
	rows = jobacct_storage_g_get_jobs_cond(
		acct_db_conn, slurm_conf.slurm_user_id, &query.cond);
	close_query(&query);
	return rows;
}

static void store(const struct note *note, char *comment)
{
	struct query query;
	slurmdb_job_rec_t change;
	list_t *changed;

	memset(&change, 0, sizeof(change));
	change.derived_ec = NO_VAL; /* stays as it is */
	change.system_comment = comment;
	open_query(&query, JOBCOND_FLAG_NO_WAIT);
	select_job(&query, 0, note);
	changed = acct_storage_g_modify_job(
		acct_db_conn, slurm_conf.slurm_user_id, &query.cond, &change);
	FREE_NULL_LIST(changed);
	close_query(&query);
}

/* slurmdbd puts the text between quotes into what it asks of the database. A
 * backslash can be doubled; a quote cannot be sent so that it survives. Returns
 * a string the caller frees, or NULL. */
static char *as_sent(const char *text)
{
	char *sent, *to;

	if (strpbrk(text, "'\""))
		return NULL;
	sent = malloc(2 * strlen(text) + 1);
	if (!sent)
		return NULL;
	for (to = sent; *text; text++) {
		if (*text == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	return sent;
}

static void write_row(const struct note *note, const slurmdb_job_rec_t *row)
{
	struct sgang_record record;
	char *comment, *sent;

	if (sgang_record_parse_brief(note->brief, &record) != 1)
		return;
	comment = sgang_record_brief(&record, row->system_comment);
	sent = comment ? as_sent(comment) : NULL;
	if (!sent)
		sgang_log(
			SGANG_LOG_DEBUG,
			"slurmdbd does not get the record of job %u: there is a quote in what somebody wrote there, or no memory",
			note->job_id);
	else if (xstrcmp(comment, row->system_comment))
		store(note, sent);
	free(sent);
	free(comment);
}

static slurmdb_job_rec_t *find_row(list_t *rows, const struct note *note)
{
	list_itr_t *iter = list_iterator_create(rows);
	slurmdb_job_rec_t *row;

	while ((row = list_next(iter))) {
		if (row->jobid == note->job_id && row->submit >= note->submit)
			break;
	}
	list_iterator_destroy(iter);
	return row;
}

/* ---- the thread ---- */

static bool may_ask(void)
{
	int active = 0;

	return !slurmctld_config.shutdown_time && acct_db_conn &&
	       !acct_storage_g_get_data(
		       acct_db_conn, ACCT_STORAGE_INFO_CONN_ACTIVE, &active) &&
	       active;
}

/* Jobs without a row stay in 'some', as do all others when slurmctld begins to
 * end, because it then closes the connection. */
static void write_rows(struct notes *some, list_t *rows)
{
	struct notes left = { NULL, NULL, 0 };
	struct note *note;

	while (!slurmctld_config.shutdown_time && (note = take_first(some))) {
		slurmdb_job_rec_t *row = find_row(rows, note);

		if (!row && ++note->tries < TRIES) {
			append(&left, note);
			continue;
		}
		if (row)
			write_row(note, row);
		else
			sgang_log(
				SGANG_LOG_INFO,
				"slurmdbd knows no job %u: its record is dropped",
				note->job_id);
		free_note(note);
	}
	while ((note = take_first(some)))
		append(&left, note);
	*some = left;
}

static void *write_notes(void *arg)
{
	const struct timespec pause = { .tv_sec = PAUSE };

	(void)arg;
	for (;;) {
		struct notes some = take_some();
		list_t *rows = NULL;

		/* The other controller finds the jobs that have ended. */
		if (!control_time)
			drop_all(&some);
		if (some.n && may_ask())
			rows = load_rows(&some);
		if (rows) {
			write_rows(&some, rows);
			put_behind(&some);
		} else {
			put_in_front(&some);
		}
		FREE_NULL_LIST(rows);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* The thread ends with the process: slurmctld may be on standby and take over
 * again. */
static int start_thread(void)
{
	pthread_t thread;
	int rc = sgang_thread_start(&thread, write_notes, NULL);

	if (!rc)
		pthread_detach(thread);
	return rc;
}

/* With the mutex. As many notes can wait as slurmctld can know jobs: after a
 * restart all members that have ended are reported again. */
static bool has_room(void)
{
	size_t most = slurm_conf.max_job_cnt;

	if (own.waiting.n < most / 2)
		own.dropping = false;
	if (own.waiting.n < most)
		return true;
	if (!own.dropping)
		sgang_log(
			SGANG_LOG_ERROR,
			"slurmdbd does not take the records of %zu jobs (MaxJobCount): more are dropped",
			most);
	own.dropping = true;
	return false;
}

void sgang_account_tell(const struct job_record *job_ptr, const char *brief)
{
	struct note *note;

	if (xstrcmp(slurm_conf.accounting_storage_type,
		    "accounting_storage/slurmdbd"))
		return;
	note = new_note(job_ptr, brief);
	if (!note) {
		sgang_log(SGANG_LOG_ERROR, "no memory for the record of job %u",
			  job_ptr->job_id);
		return;
	}
	pthread_mutex_lock(&own.mutex);
	if (!own.running) {
		snprintf(own.cluster, sizeof(own.cluster), "%s",
			 slurm_conf.cluster_name);
		own.running = !start_thread();
	}
	if (own.running && has_room()) {
		append(&own.waiting, note);
		pthread_cond_signal(&own.cond);
		note = NULL;
	}
	pthread_mutex_unlock(&own.mutex);
	if (note)
		free_note(note);
}
