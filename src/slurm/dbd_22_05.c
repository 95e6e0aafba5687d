/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbd_22_05.c - slurmdbd and a start that may be undone: 22.05
 *
 * slurmctld asks slurmdbd for the index of a job's row, and reports a start at
 * once if the job has one. A held job that slurmdbd does not know yet has an
 * index that no row has, because the accounting plugin's own thread reports
 * jobs that have none.
 */

#include "config.h"

#include "release.h"

#include "dbd.h"

#pragma weak acct_db_conn

/* NO_VAL64, the accounting plugin's own mark, would keep scontrol from updating
 * the job. */
#define UNTOLD (NO_VAL64 - 1)

/* NO_VAL64: the thread is asking; it puts the answer in any index but 0. */
static void keep_untold(job_record_t *job_ptr)
{
	if (!job_ptr->db_index || job_ptr->db_index == NO_VAL64)
		job_ptr->db_index = UNTOLD;
}

static void end_untold(job_record_t *job_ptr)
{
	if (job_ptr->db_index == UNTOLD)
		job_ptr->db_index = 0;
}

/* select_nodes() reports a job to slurmdbd at once only if it has an index. */
uint64_t sgang_dbd_hush(struct job_record *job_ptr)
{
	uint64_t index = job_ptr->db_index;

	job_ptr->db_index = 0;
	return index;
}

/* In a split the rest of the array keeps the job id, hence the index; its row
 * is to show fewer tasks. */
void sgang_dbd_unhush(struct job_record *job_ptr, uint32_t job_id,
		      uint64_t index)
{
	job_record_t *owner = (job_ptr->job_id == job_id) ?
				      job_ptr :
				      find_job_record(job_id);

	if (!owner)
		return;
	owner->db_index = index;
	if (index && owner != job_ptr)
		owner->job_state |= JOB_UPDATE_DB;
}

void sgang_dbd_held(struct job_record *job_ptr)
{
	keep_untold(job_ptr);
}

void sgang_dbd_undone(struct job_record *job_ptr)
{
	end_untold(job_ptr);
	/* The row of an array's last task still shows the tasks before it. */
	if (job_ptr->array_recs && job_ptr->db_index)
		job_ptr->job_state |= JOB_UPDATE_DB;
}

/* A job without an index would be a question to slurmdbd under all locks; the
 * accounting plugin's own thread asks it later. */
void sgang_dbd_start(struct job_record *job_ptr)
{
	end_untold(job_ptr);
	(void)jobacct_storage_job_start_direct(acct_db_conn, job_ptr);
}

/* slurmdbd has found no row to end. The job never ran, so it has no start. */
void sgang_dbd_drop(struct job_record *job_ptr)
{
	time_t start = job_ptr->start_time;

	if (job_ptr->db_index != UNTOLD)
		return;
	job_ptr->db_index = 0;
	if (!IS_JOB_FINISHED(job_ptr))
		return;
	job_ptr->start_time = 0;
	(void)jobacct_storage_g_job_start(acct_db_conn, job_ptr);
	(void)jobacct_storage_g_job_complete(acct_db_conn, job_ptr);
	job_ptr->start_time = start;
}
