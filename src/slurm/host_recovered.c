/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_recovered.c - members that had nodes before a restart of slurmctld
 *
 * slurmctld that starts again sets the count of what a job waits for to zero, and
 * runs PrologSlurmctld once more. The end of that starts the job, also one that
 * holds its nodes, as only the first pass knows. So one more is counted for each
 * member that waits, until this pass has been made.
 */

#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "host_private.h"

static struct {
	uint32_t *ids;
	atomic_size_t n;
} waiting;

static bool may_hold(const job_record_t *job_ptr)
{
	return IS_JOB_RUNNING(job_ptr) && IS_JOB_CONFIGURING(job_ptr) &&
	       job_ptr->details && sgang_host_concerns(job_ptr);
}

/* Without memory the others are as Slurm has them. */
static bool add(job_record_t *job_ptr)
{
	uint32_t *ids = realloc(waiting.ids, (waiting.n + 1) * sizeof(*ids));

	if (!ids)
		return false;
	ids[waiting.n] = job_ptr->job_id;
	waiting.ids = ids;
	waiting.n++;
	job_ptr->details->prolog_running++;
	return true;
}

void sgang_host_recovered_begin(void)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;
	bool more = true;

	waiting.n = 0; /* older counts are gone with the records */
	while (more && (job_ptr = list_next(iter))) {
		if (may_hold(job_ptr))
			more = add(job_ptr);
	}
	list_iterator_destroy(iter);
}

bool sgang_host_recovered_take(const job_record_t *job_ptr)
{
	for (size_t i = 0; i < waiting.n; i++) {
		if (waiting.ids[i] != job_ptr->job_id)
			continue;
		waiting.ids[i] = waiting.ids[--waiting.n];
		return true;
	}
	return false;
}

bool sgang_host_recovered_any(void)
{
	return waiting.n > 0;
}

void sgang_host_recovered_end(void)
{
	for (size_t i = 0; i < waiting.n; i++) {
		job_record_t *job_ptr = find_job_record(waiting.ids[i]);

		if (!job_ptr || !job_ptr->details ||
		    !job_ptr->details->prolog_running)
			continue;
		if (IS_JOB_RUNNING(job_ptr) && IS_JOB_CONFIGURING(job_ptr))
			prolog_running_decr(job_ptr);
		else
			job_ptr->details->prolog_running--;
	}
	free(waiting.ids);
	waiting.ids = NULL;
	waiting.n = 0;
}
