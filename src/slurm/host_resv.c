/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_resv.c - struct sgang_host: the reservations that a job may run in
 *
 * Slurm's queue has a job once for each reservation of a list that it names, and
 * one that names none for each MAGNETIC reservation that lets it in, before the
 * record without a reservation. Its schedulers write the reservation of a record
 * into the job for as long as they try it.
 */

#include "config.h"

#include "host_private.h"

static void try_in(job_record_t *job_ptr, slurmctld_resv_t *resv_ptr)
{
	job_queue_rec_t rec = { .job_ptr = job_ptr, .resv_ptr = resv_ptr };

	job_queue_rec_magnetic_resv(&rec);
}

static bool each_named(job_record_t *job_ptr,
		       bool (*try)(job_record_t *, void *), void *arg)
{
	list_itr_t *iter = list_iterator_create(job_ptr->resv_list);
	slurmctld_resv_t *before = job_ptr->resv_ptr, *resv_ptr;
	uint32_t id = job_ptr->resv_id;
	bool done = false;

	while (!done && (resv_ptr = list_next(iter))) {
		job_queue_rec_t rec = { .job_ptr = job_ptr,
					.resv_ptr = resv_ptr };

		job_queue_rec_resv_list(&rec);
		done = try(job_ptr, arg);
	}
	list_iterator_destroy(iter);
	if (!done) {
		job_ptr->resv_ptr = before;
		job_ptr->resv_id = id;
	}
	return done;
}

/* The task that starts leaves a copy of its flags to the rest of its array. */
static void clear_rest(const job_record_t *job_ptr)
{
	job_record_t *rest = job_ptr->array_job_id ?
				     find_job_record(job_ptr->array_job_id) :
				     NULL;

	if (rest && rest != job_ptr && IS_JOB_PENDING(rest))
		job_resv_clear_magnetic_flag(rest);
}

/* Slurm tries a job in magnetic reservations first, and one with --prefer first
 * with these features. A gang is tried as a whole in one, then in the other. */
enum sgang_first sgang_host_first;

/* Records of Slurm's queue, one for each magnetic reservation that lets it in. */
static list_t *magnetic_records(job_record_t *job_ptr, part_record_t *part_ptr)
{
	list_t *queue = list_create(xfree_ptr);
	job_queue_req_t request = { .job_ptr = job_ptr,
				    .job_queue = queue,
				    .part_ptr = part_ptr,
				    .prio = job_ptr->priority };

	job_resv_append_magnetic(&request);
	if (list_count(queue) > 1)
		sort_job_queue(queue);
	return queue;
}

/* One that has begun, and not ended: Slurm would hold the job of one that has. */
static bool each_magnetic(job_record_t *job_ptr,
			  bool (*try)(job_record_t *, void *), void *arg)
{
	list_t *queue = magnetic_records(job_ptr, job_ptr->part_ptr);
	job_queue_rec_t *rec;
	bool done = false;

	while (!done && (rec = list_pop(queue))) {
		try_in(job_ptr, rec->resv_ptr);
		done = job_test_resv_now(job_ptr) == SLURM_SUCCESS &&
		       try(job_ptr, arg);
		if (done)
			clear_rest(job_ptr);
		else
			job_resv_clear_magnetic_flag(job_ptr);
		xfree(rec);
	}
	FREE_NULL_LIST(queue);
	return done;
}

static bool has_nodes_for(job_record_t *job_ptr, void *any)
{
	const slurmctld_resv_t *resv_ptr = job_ptr->resv_ptr;

	if (resv_ptr->node_bitmap && job_ptr->part_ptr->node_bitmap &&
	    bit_overlap_any(resv_ptr->node_bitmap,
			    job_ptr->part_ptr->node_bitmap))
		*(bool *)any = true;
	return false;
}

/* True if there is a magnetic reservation that it may start in now, with nodes of
 * its partition. */
static bool is_attracted(job_record_t *job_ptr)
{
	bool any = false;

	if (job_ptr->part_ptr)
		(void)each_magnetic(job_ptr, has_nodes_for, &any);
	return any;
}

bool sgang_host_each_reservation(job_record_t *job_ptr,
				 bool (*try)(job_record_t *, void *), void *arg)
{
	slurmctld_resv_t *before = NULL;
	bool done;

	if (!IS_JOB_PENDING(job_ptr) || job_ptr->het_job_id ||
	    (sgang_host_asked_reservation(job_ptr) && !job_ptr->resv_list))
		return try(job_ptr, arg);
	if (job_ptr->resv_list)
		return each_named(job_ptr, try, arg);
	/* backfill gives its locks away while it tries a job in one */
	if (job_ptr->bit_flags & JOB_MAGNETIC)
		before = job_ptr->resv_ptr;
	job_resv_clear_magnetic_flag(job_ptr);
	done = each_magnetic(job_ptr, try, arg) ||
	       ((sgang_host_first != SGANG_FIRST_MAGNETIC ||
		 !is_attracted(job_ptr)) &&
		try(job_ptr, arg));
	if (!done && before)
		try_in(job_ptr, before);
	return done;
}

static bool has_first(job_record_t *job_ptr, enum sgang_first first)
{
	if (first == SGANG_FIRST_PREFER)
		return job_ptr->details && job_ptr->details->prefer;
	return !job_ptr->het_job_id && !job_ptr->resv_name &&
	       is_attracted(job_ptr);
}

bool sgang_host_prefer(struct sgang_job *const *jobs, size_t n)
{
	enum sgang_first first = sgang_host_first;

	sgang_host_first = SGANG_FIRST_NOTHING;
	while (n && first < SGANG_FIRST_PREFER) {
		first++;
		for (size_t i = 0; i < n; i++) {
			if (has_first(record(jobs[i]), first)) {
				sgang_host_first = first;
				return true;
			}
		}
	}
	return false;
}

slurmctld_resv_t *sgang_host_same_magnet(job_record_t *job_ptr,
					 part_record_t *part_ptr,
					 const job_record_t *asking)
{
	job_queue_rec_t *rec;
	list_t *queue;
	bool same = false;

	if (!(asking->bit_flags & JOB_MAGNETIC) || !part_ptr ||
	    job_ptr->resv_name)
		return NULL;
	queue = magnetic_records(job_ptr, part_ptr);
	while ((rec = list_pop(queue))) {
		same = same || rec->resv_ptr == asking->resv_ptr;
		xfree(rec);
	}
	FREE_NULL_LIST(queue);
	return same ? asking->resv_ptr : NULL;
}

const char *sgang_host_asked_reservation(const job_record_t *job_ptr)
{
	return (job_ptr->bit_flags & JOB_MAGNETIC) ? NULL : job_ptr->resv_name;
}
