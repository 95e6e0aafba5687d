/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_tasks.c - how many tasks a member had before it held nodes
 *
 * Slurm 22.05 gives a job with --ntasks-per-node as many tasks as its nodes
 * have (build_node_details()), and keeps that number when the job is pending
 * again. A job with a range of nodes (-N1-4) would then never start on fewer
 * nodes than it once held. Changes by an earlier slurmctld are not known.
 */

#include "config.h"

#include "host_private.h"

struct before {
	uint32_t job_id;
	uint32_t tasks;
};

static struct {
	struct before *job;
	uint32_t n;
} changed;

void sgang_host_tasks_forget(const job_record_t *job_ptr)
{
	for (uint32_t i = changed.n; i-- > 0;) {
		if (changed.job[i].job_id == job_ptr->job_id)
			changed.job[i] = changed.job[--changed.n];
	}
	if (!changed.n)
		xfree(changed.job);
}

void sgang_host_tasks_keep(const job_record_t *job_ptr, uint32_t tasks)
{
	sgang_host_tasks_forget(job_ptr);
	if (job_ptr->details->num_tasks == tasks)
		return;
	xrecalloc(changed.job, changed.n + 1, sizeof(*changed.job));
	changed.job[changed.n++] = (struct before){
		.job_id = job_ptr->job_id,
		.tasks = tasks,
	};
}

void sgang_host_tasks_restore(job_record_t *job_ptr)
{
	for (uint32_t i = 0; i < changed.n; i++) {
		if (changed.job[i].job_id == job_ptr->job_id)
			job_ptr->details->num_tasks = changed.job[i].tasks;
	}
	sgang_host_tasks_forget(job_ptr);
}
