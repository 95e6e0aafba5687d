/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_base.c - what the other files of struct sgang_host and the entry points
 * look at, and small questions about a job */

#include "config.h"

#include <time.h>

#include "host_private.h"

#include "core/gang/spec.h"

__thread struct sgang_job_test sgang_job_test;
atomic_uint_fast64_t sgang_events;
atomic_bool sgang_host_fresh;
int (*sgang_host_refresh)(void);
const struct sgang_devices *sgang_host_devices;

/* Options of other SPANK plugins are in the job as well, and may be many. */
bool sgang_host_concerns(const struct job_record *job_ptr)
{
	return sgang_spec_concerns(job_ptr->spank_job_env,
				   job_ptr->spank_job_env_size);
}

const char *sgang_host_user(struct job_record *job_ptr)
{
	if (!job_ptr->user_name)
		job_ptr->user_name =
			uid_to_string_or_null((uid_t)job_ptr->user_id);
	return job_ptr->user_name;
}

void sgang_host_not_seen_yet(job_record_t *job_ptr)
{
	if (job_ptr->batch_flag)
		job_ptr->time_last_active = 0;
}

bool sgang_host_was_seen(const job_record_t *job_ptr)
{
	return job_ptr->batch_flag && job_ptr->time_last_active;
}

uint32_t sgang_host_task_count(const job_record_t *job_ptr)
{
	const job_details_t *d = job_ptr->details;
	uint32_t nodes = 1;

	if (!d)
		return 1;
	if (job_ptr->node_cnt)
		nodes = job_ptr->node_cnt;
	else if (d->min_nodes)
		nodes = d->min_nodes;
	if (d->ntasks_per_node && d->ntasks_per_node * nodes > d->num_tasks)
		return d->ntasks_per_node * nodes;
	return (d->num_tasks > nodes) ? d->num_tasks : nodes;
}

part_record_t *sgang_host_lowest_partition(const job_record_t *job_ptr)
{
	part_record_t *lowest = job_ptr->part_ptr, *part_ptr;
	list_itr_t *iter;

	if (!job_ptr->part_ptr_list)
		return lowest;
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while ((part_ptr = list_next(iter))) {
		if (!lowest || part_ptr->priority_tier < lowest->priority_tier)
			lowest = part_ptr;
	}
	list_iterator_destroy(iter);
	return lowest;
}

uint16_t sgang_host_lowest_tier(const job_record_t *job_ptr)
{
	const part_record_t *part_ptr = sgang_host_lowest_partition(job_ptr);

	return part_ptr ? part_ptr->priority_tier : 0;
}

/* Slurm's bitmaps have our words behind their head. On big-endian machines the
 * bits of a word are the other way round. */
void sgang_host_add_bitmap(struct sgang_nodeset *nodes, const bitstr_t *bitmap)
{
	bitoff_t bits = bitmap ? bit_size((bitstr_t *)bitmap) : 0;

#ifdef SLURM_BIGENDIAN
	for (bitoff_t i = 0; i < bits; i++) {
		if (bit_test((bitstr_t *)bitmap, i))
			sgang_nodeset_add(nodes, (uint32_t)i);
	}
#else
	if (bits)
		sgang_nodeset_add_words(
			nodes, (const uint64_t *)&bitmap[RELEASE_BITMAP_HEAD],
			(size_t)(bits + 63) >> BITSTR_SHIFT);
#endif
}
