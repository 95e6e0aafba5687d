/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draft.c - a job record of a job that is only about to be submitted */

#include "config.h"

#include <string.h>

#include "draft.h"

#pragma weak default_part_loc
#pragma weak slurm_conf

/* "a,b", all of which have to be there. */
static bool set_partitions(job_record_t *job_ptr, const char *names)
{
	char *copy, *name, *rest = NULL;
	bool all = true;

	if (!names || !names[0]) {
		job_ptr->part_ptr = default_part_loc;
		return job_ptr->part_ptr;
	}
	job_ptr->part_ptr_list = list_create(NULL);
	copy = xstrdup(names);
	for (name = strtok_r(copy, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		part_record_t *part_ptr = find_part_record(name);

		all = all && part_ptr;
		if (part_ptr)
			list_append(job_ptr->part_ptr_list, part_ptr);
	}
	xfree(copy);
	job_ptr->part_ptr = list_peek(job_ptr->part_ptr_list);
	if (list_count(job_ptr->part_ptr_list) == 1)
		FREE_NULL_LIST(job_ptr->part_ptr_list);
	return all && job_ptr->part_ptr;
}

static int note_forced(void *part, void *forced)
{
	const part_record_t *part_ptr = part;

	if (part_ptr->max_share & SHARED_FORCE)
		*(bool *)forced = true;
	return 0;
}

/* --exclusive, which OverSubscribe=FORCE overrides. */
static bool is_exclusive(const job_record_t *job_ptr,
			 const job_desc_msg_t *job_desc)
{
	bool forced = false;

	if (job_ptr->part_ptr_list)
		list_for_each(job_ptr->part_ptr_list, note_forced, &forced);
	else
		(void)note_forced(job_ptr->part_ptr, &forced);
	return job_desc->shared == JOB_SHARED_NONE && !forced;
}

static uint32_t said(uint32_t value, uint32_t otherwise)
{
	return (value == NO_VAL || value == INFINITE) ? otherwise : value;
}

static uint16_t said16(uint16_t value, uint16_t otherwise)
{
	return (value == NO_VAL16 || value == INFINITE16) ? otherwise : value;
}

static void set_cpus(job_details_t *d, const job_desc_msg_t *job_desc)
{
	uint64_t cpus;

	d->min_nodes = MAX(said(job_desc->min_nodes, 1), 1);
	d->max_nodes = said(job_desc->max_nodes, 0);
	d->num_tasks = said(job_desc->num_tasks, 0);
	d->cpus_per_task = d->orig_cpus_per_task =
		said16(job_desc->cpus_per_task, 0);
	d->ntasks_per_node = said16(job_desc->ntasks_per_node, 0);
	d->pn_min_cpus = said16(job_desc->pn_min_cpus, 1);
	cpus = MAX(said(job_desc->min_cpus, 1), d->min_nodes);
	if (job_desc->overcommit == NO_VAL8)
		cpus = MAX(cpus,
			   (uint64_t)d->num_tasks * MAX(d->cpus_per_task, 1));
	else
		d->overcommit = job_desc->overcommit;
	d->min_cpus = (uint32_t)MIN(cpus, NO_VAL - 1);
}

/* 1 MB where Slurm's default depends on the partition that the job will be in.
 */
static void set_memory(job_record_t *job_ptr, const job_desc_msg_t *job_desc)
{
	const part_record_t *part_ptr = job_ptr->part_ptr;
	job_details_t *d = job_ptr->details;

	if (job_desc->pn_min_memory != NO_VAL64) {
		d->pn_min_memory = job_desc->pn_min_memory;
		job_ptr->bit_flags |= JOB_MEM_SET;
	} else if (job_ptr->part_ptr_list) {
		d->pn_min_memory = 1;
	} else if (part_ptr->def_mem_per_cpu) {
		d->pn_min_memory = part_ptr->def_mem_per_cpu;
	} else {
		d->pn_min_memory = slurm_conf.def_mem_per_cpu;
	}
}

/* As in slurmctld. With fewer threads of a core, memory per CPU is less. */
static void set_layout(struct sgang_draft *draft,
		       const job_desc_msg_t *job_desc)
{
	bool one_task = slurm_conf.select_type_param &
			RELEASE_ONE_TASK_PER_CORE;

	if (job_desc->sockets_per_node == NO_VAL16 &&
	    job_desc->cores_per_socket == NO_VAL16 &&
	    job_desc->threads_per_core == NO_VAL16 &&
	    job_desc->ntasks_per_socket == NO_VAL16 &&
	    job_desc->ntasks_per_core == NO_VAL16 &&
	    job_desc->plane_size == NO_VAL16)
		return;
	draft->mc = (multi_core_data_t){
		.sockets_per_node = job_desc->sockets_per_node,
		.cores_per_socket = job_desc->cores_per_socket,
		.threads_per_core = job_desc->threads_per_core,
		.ntasks_per_socket = said16(job_desc->ntasks_per_socket,
					    INFINITE16),
		.ntasks_per_core = said16(job_desc->ntasks_per_core,
					  one_task ? 1 : INFINITE16),
		.plane_size = said16(job_desc->plane_size, 0),
	};
	draft->details.mc_ptr = &draft->mc;
}

static void set_gres(struct sgang_draft *draft, job_desc_msg_t *job_desc)
{
	job_record_t *job_ptr = &draft->job;
	uint32_t max_nodes = draft->details.max_nodes;

	job_ptr->cpus_per_tres = job_desc->cpus_per_tres;
	job_ptr->mem_per_tres = job_desc->mem_per_tres;
	job_ptr->tres_freq = job_desc->tres_freq;
	job_ptr->tres_per_job = job_desc->tres_per_job;
	job_ptr->tres_per_node = job_desc->tres_per_node;
	job_ptr->tres_per_socket = job_desc->tres_per_socket;
	job_ptr->tres_per_task = job_desc->tres_per_task;
	if (!job_ptr->tres_per_job && !job_ptr->tres_per_node &&
	    !job_ptr->tres_per_socket && !release_gres_per_task(job_ptr))
		return;
	draft->details.ntasks_per_tres = job_desc->ntasks_per_tres;
	draft->mc.ntasks_per_socket = job_desc->ntasks_per_socket;
	draft->mc.sockets_per_node = job_desc->sockets_per_node;
	if (!max_nodes)
		draft->details.max_nodes = NO_VAL;
	draft->details.mc_ptr = &draft->mc;
	release_validate_gres(job_ptr);
	draft->details.mc_ptr = NULL;
	draft->details.ntasks_per_tres = said16(draft->details.ntasks_per_tres,
						0);
	draft->details.max_nodes = max_nodes;
}

bool sgang_draft_make(struct sgang_draft *draft, job_desc_msg_t *job_desc)
{
	job_record_t *job_ptr = &draft->job;

	memset(draft, 0, sizeof(*draft));
	if (job_desc->reservation)
		return false;
	job_ptr->details = &draft->details;
	job_ptr->user_id = job_desc->user_id;
	job_ptr->partition = job_desc->partition;
	if (!set_partitions(job_ptr, job_desc->partition)) {
		sgang_draft_free(draft);
		return false;
	}
	if (is_exclusive(job_ptr, job_desc))
		draft->details.whole_node = WHOLE_NODE_REQUIRED;
	draft->details.share_res = (job_desc->shared == JOB_SHARED_OK) ?
					   1 :
					   NO_VAL8;
	draft->details.core_spec = job_desc->core_spec;
	if ((slurm_conf.conf_flags & RELEASE_OWN_CORE_SPEC) &&
	    job_desc->core_spec != NO_VAL16)
		draft->details.whole_node = WHOLE_NODE_REQUIRED;
	set_cpus(&draft->details, job_desc);
	set_memory(job_ptr, job_desc);
	set_gres(draft, job_desc);
	set_layout(draft, job_desc);
	return true;
}

void sgang_draft_free(struct sgang_draft *draft)
{
	FREE_NULL_LIST(draft->job.part_ptr_list);
	FREE_NULL_LIST(draft->job.gres_list_req);
}
