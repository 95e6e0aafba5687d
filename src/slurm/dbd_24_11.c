/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbd_24_11.c - slurmdbd and a start that may be undone: 24.11 and later
 *
 * slurmctld gives a job its index by itself and queues a message for slurmdbd
 * at every start. A switch suppresses messages about jobs. Every thread that
 * sends such messages holds a lock on jobs that excludes ours.
 */

#include "config.h"

#include "release.h"

#include "dbd.h"

#pragma weak acct_db_conn
#pragma weak slurm_conf

/* The switch as it was, while it is ours. */
static uint16_t before;

static void silence(void)
{
	before = slurm_conf.accounting_storage_enforce &
		 ACCOUNTING_ENFORCE_NO_JOBS;
	slurm_conf.accounting_storage_enforce |= ACCOUNTING_ENFORCE_NO_JOBS;
}

static void end_silence(void)
{
	if (!before)
		slurm_conf.accounting_storage_enforce &=
			~ACCOUNTING_ENFORCE_NO_JOBS;
}

uint64_t sgang_dbd_hush(struct job_record *job_ptr)
{
	silence();
	return job_ptr->db_index;
}

/* The row of the rest of an array is to show fewer tasks. */
void sgang_dbd_unhush(struct job_record *job_ptr, uint32_t job_id,
		      uint64_t index)
{
	job_record_t *rest = (job_ptr->job_id == job_id) ?
				     NULL :
				     find_job_record(job_id);

	(void)index;
	end_silence();
	if (rest && IS_JOB_PENDING(rest))
		(void)jobacct_storage_g_job_start(acct_db_conn, rest);
}

void sgang_dbd_held(struct job_record *job_ptr)
{
	(void)job_ptr;
}

/* A task that left the rest of its array for the hold has no row yet. */
void sgang_dbd_undone(struct job_record *job_ptr)
{
	if (job_ptr->array_task_id != NO_VAL)
		(void)jobacct_storage_g_job_start(acct_db_conn, job_ptr);
}

void sgang_dbd_start(struct job_record *job_ptr)
{
	(void)jobacct_storage_g_job_start(acct_db_conn, job_ptr);
}

/* The row was made when the job was submitted, and its end has been reported.
 * But a task that left its array for the hold may have no row. The job never
 * ran, so it has no start. */
void sgang_dbd_drop(struct job_record *job_ptr)
{
	time_t start = job_ptr->start_time;

	if (!job_ptr->array_job_id ||
	    job_ptr->array_job_id == job_ptr->job_id ||
	    !IS_JOB_FINISHED(job_ptr))
		return;
	job_ptr->start_time = 0;
	(void)jobacct_storage_g_job_start(acct_db_conn, job_ptr);
	(void)jobacct_storage_g_job_complete(acct_db_conn, job_ptr);
	job_ptr->start_time = start;
}
