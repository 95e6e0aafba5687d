/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue_guard.c - members of gangs wait while slurm-gang is not at work */

#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "release.h"

#include "at_work.h"
#include "core/base/err.h"
#include "core/gang/record.h"
#include "core/gang/spec.h"
#include "layout.h"
#include "plugins/job_submit/job_submit.h"
#include "plugins/log.h"
#include "plugins/thread.h"
#include "queue_guard.h"

/* When this slurmctld took control; 0 on standby. No header declares it. */
extern time_t control_time;

#pragma weak control_time
#pragma weak job_list
#pragma weak last_job_update
#pragma weak slurmctld_config

/* slurmctld schedules for the first time some tenths of a second after it has
 * taken control, or when a node registers. */
#define BEFORE_CONTROL_US 20000
#define IN_CONTROL_US 500000

/* The guard is the thread of the last start. The file stays in memory when
 * Slurm has closed the plugin, because the thread may be anywhere. */
static atomic_uint current;

/* Members whose holds are kept here: prolog_running is one more. Used by the
 * thread, under slurmctld's locks. */
static struct {
	uint32_t *job_id;
	size_t n;
} kept;

/* ---- one job ---- */

static bool is_member(job_record_t *job_ptr, struct sgang_spec *spec)
{
	char *user;
	bool member;

	if (!sgang_spec_concerns(job_ptr->spank_job_env,
				 job_ptr->spank_job_env_size))
		return false;
	user = uid_to_string_or_null((uid_t)job_ptr->user_id);
	member = sgang_spec_of_job(spec, job_ptr->spank_job_env,
				   job_ptr->spank_job_env_size, user,
				   NULL) == 1 &&
		 !spec->object;
	xfree(user);
	return member;
}

/* The select plugin recognises its own text by its beginning. */
static void park(job_record_t *job_ptr, const struct sgang_spec *spec,
		 const char *off)
{
	char *text = xstrdup_printf(
		"Gang %s/%s waits, as slurm-gang is not at work: %s", spec->ns,
		spec->name, off);

	if (job_ptr->state_reason == WAIT_MAX_REQUEUE &&
	    !xstrcmp(job_ptr->state_desc, text)) {
		xfree(text);
		return;
	}
	job_ptr->state_reason = WAIT_MAX_REQUEUE;
	xfree(job_ptr->state_desc);
	job_ptr->state_desc = text;
	/* the conductor reads it without locks */
	__atomic_store_n(&last_job_update, time(NULL), __ATOMIC_RELAXED);
}

/* slurmctld has set the count of a recovered hold to zero. */
static bool is_hold(const job_record_t *job_ptr)
{
	struct sgang_record record;

	return IS_JOB_RUNNING(job_ptr) && IS_JOB_CONFIGURING(job_ptr) &&
	       job_ptr->details && !job_ptr->details->prolog_running &&
	       (sgang_spec_is_placeholder(job_ptr->spank_job_env,
					  job_ptr->spank_job_env_size) ||
		sgang_record_parse(job_ptr->system_comment, &record) != 1 ||
		record.phase == SGANG_PHASE_STARTING ||
		record.phase == SGANG_PHASE_HOLDING);
}

static void keep(job_record_t *job_ptr)
{
	uint32_t *more = realloc(kept.job_id, (kept.n + 1) * sizeof(*more));

	if (!more) {
		sgang_log(SGANG_LOG_ERROR, "no memory to hold job %u",
			  job_ptr->job_id);
		return;
	}
	kept.job_id = more;
	kept.job_id[kept.n++] = job_ptr->job_id;
	job_ptr->details->prolog_running++;
}

static int guard_job(void *job, void *off)
{
	job_record_t *job_ptr = job;
	struct sgang_spec spec;
	bool waits = IS_JOB_PENDING(job_ptr) && job_ptr->priority;

	if ((waits || is_hold(job_ptr)) && is_member(job_ptr, &spec)) {
		if (waits)
			park(job_ptr, &spec, off);
		else
			keep(job_ptr);
	}
	return 0;
}

/* The select plugin is at work: its first pass takes over what is held. */
static void give_up_holds(void)
{
	for (size_t i = 0; i < kept.n; i++) {
		job_record_t *job_ptr = find_job_record(kept.job_id[i]);

		if (job_ptr && job_ptr->details &&
		    job_ptr->details->prolog_running)
			job_ptr->details->prolog_running--;
	}
	free(kept.job_id);
	kept.job_id = NULL;
	kept.n = 0;
}

/* ---- the thread ---- */

static const slurmctld_lock_t locks = { .conf = READ_LOCK,
					.job = WRITE_LOCK,
					.node = READ_LOCK,
					.part = READ_LOCK,
					.fed = READ_LOCK };

static bool is_mine(unsigned int number)
{
	return atomic_load(&current) == number;
}

/* A controller on standby has job records too, which it must not touch. */
static bool in_control(void)
{
	return control_time && !slurmctld_config.shutdown_time;
}

/* Log each cause once, unless it has been logged. */
static void tell(const char *off)
{
	static char last[sizeof(struct sgang_error)];

	if (strcmp(last, off))
		sgang_log(SGANG_LOG_ERROR,
			  "gangs are off, and members of gangs wait: %s", off);
	snprintf(last, sizeof(last), "%s", off);
}

static void guard(unsigned int number)
{
	const char *off;
	bool told;

	lock_slurmctld(locks);
	if (is_mine(number) && in_control() && job_list &&
	    !sgang_layout_tables() && !sgang_layout_jobs(list_peek(job_list))) {
		off = sgang_at_work_off(&told);
		if (off && !told)
			tell(off);
		if (off)
			list_for_each(job_list, guard_job, (void *)off);
		else
			give_up_holds();
	}
	unlock_slurmctld(locks);
}

/* A reconfigure frees what slurm_conf says. */
static bool is_off(void)
{
	static const slurmctld_lock_t conf = { .conf = READ_LOCK };
	bool off, told;

	lock_slurmctld(conf);
	off = sgang_at_work_off(&told);
	unlock_slurmctld(conf);
	return off;
}

/* The answer may be a moment old; guard() asks again. */
static void *watch(void *arg)
{
	unsigned int number = (unsigned int)(uintptr_t)arg;

	while (is_mine(number)) {
		if (in_control() && (is_off() || kept.n))
			guard(number);
		usleep(in_control() ? IN_CONTROL_US : BEFORE_CONTROL_US);
	}
	return NULL;
}

/* Records of another micro release are compared, as all are, before the first
 * use; those of another release are not even looked at. */
static bool same_release(unsigned int version)
{
	return version >> 8 == SLURM_VERSION_NUMBER >> 8;
}

void sgang_queue_guard_start(unsigned int version)
{
	unsigned int number = atomic_fetch_add(&current, 1) + 1;
	pthread_t thread;

	if (!running_in_slurmctld() || !same_release(version))
		return;
	if (sgang_thread_start(&thread, watch, (void *)(uintptr_t)number))
		sgang_log(
			SGANG_LOG_ERROR,
			"the thread cannot be started that keeps gangs waiting while slurm-gang is not at work");
	else
		pthread_detach(thread);
}

void sgang_queue_guard_stop(void)
{
	atomic_fetch_add(&current, 1);
}
