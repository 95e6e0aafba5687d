/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_request.c - struct sgang_host: a hash of what a pending job asks for
 *
 * slurmctld keeps no time of change for each job. So each pass hashes what a
 * user or an admin can update. Values are taken as requested, because Slurm
 * adjusts some of them to the partition that is tried. A priority counts only if
 * an admin has set it, because it grows with age.
 */

#include "config.h"

#include "host_private.h"

#include "core/base/hash.h"

static uint64_t mix_texts(uint64_t hash, const job_record_t *job_ptr)
{
	const job_details_t *d = job_ptr->details;

	hash = sgang_hash_text(hash, job_ptr->partition);
	hash = sgang_hash_text(hash, job_ptr->account);
	hash = sgang_hash_text(hash, sgang_host_asked_reservation(job_ptr));
	hash = sgang_hash_text(hash, job_ptr->licenses);
	hash = sgang_hash_text(hash, job_ptr->burst_buffer);
	hash = sgang_hash_text(hash, job_ptr->mcs_label);
	hash = sgang_hash_text(hash, job_ptr->tres_per_node);
	hash = sgang_hash_text(hash, job_ptr->tres_per_job);
	hash = sgang_hash_text(hash, job_ptr->tres_per_task);
	hash = sgang_hash_text(hash, job_ptr->tres_per_socket);
	hash = sgang_hash_text(hash, job_ptr->mem_per_tres);
	hash = sgang_hash_text(hash, job_ptr->cpus_per_tres);
	hash = sgang_hash_text(hash, d->features);
	hash = sgang_hash_text(hash, d->cluster_features);
	hash = sgang_hash_text(hash, d->prefer);
	hash = sgang_hash_text(hash, d->req_nodes);
	hash = sgang_hash_text(hash, d->exc_nodes);
	return sgang_hash_text(hash, d->dependency);
}

static uint64_t mix_size(uint64_t hash, const job_details_t *d)
{
	hash = sgang_hash(hash, (uint64_t)d->min_nodes << 32 | d->max_nodes);
	hash = sgang_hash(hash,
			  (uint64_t)d->orig_min_cpus << 32 | d->orig_max_cpus);
	hash = sgang_hash(hash, (uint64_t)d->orig_pn_min_cpus << 32 |
					d->pn_min_tmp_disk);
	hash = sgang_hash(hash, d->orig_pn_min_memory);
	hash = sgang_hash(hash, (uint64_t)d->num_tasks << 32 |
					(uint32_t)d->ntasks_per_node << 16 |
					d->orig_cpus_per_task);
	hash = sgang_hash(hash, (uint64_t)d->core_spec << 32 |
					(uint64_t)d->ntasks_per_tres << 48 |
					(uint32_t)d->contiguous << 16 |
					d->overcommit);
	return d->mc_ptr ?
		       sgang_hash_bytes(hash, d->mc_ptr, sizeof(*d->mc_ptr)) :
		       hash;
}

uint64_t sgang_host_request(struct sgang_job *job)
{
	const job_record_t *job_ptr = record(job);
	const job_details_t *d = job_ptr->details;
	uint64_t hash = SGANG_HASH_SEED;

	if (!d)
		return hash;
	hash = mix_texts(hash, job_ptr);
	hash = mix_size(hash, d);
	hash = sgang_hash(hash, (uint64_t)job_ptr->time_limit << 32 |
					job_ptr->time_min);
	hash = sgang_hash(hash, (uint64_t)job_ptr->deadline);
	hash = sgang_hash(hash, (uint64_t)d->begin_time);
	hash = sgang_hash(hash, (uint64_t)d->nice << 32 | job_ptr->req_switch);
	hash = sgang_hash(hash, release_segments(job_ptr));
	hash = sgang_hash(hash, (uintptr_t)job_ptr->qos_ptr);
	hash = sgang_hash(hash,
			  (uint64_t)job_ptr->reboot << 32 |
				  (job_ptr->array_recs ?
					   job_ptr->array_recs->max_run_tasks :
					   0));
	return sgang_hash(hash, job_ptr->direct_set_prio || !job_ptr->priority ?
					job_ptr->priority :
					UINT64_MAX);
}
