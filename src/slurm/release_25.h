/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_25.h - what 25.05 and 25.11, and no others, have in common
 *
 * Included by their headers after Slurm's own; what the names mean: release.h.
 */

#ifndef SGANG_RELEASE_25_H
#define SGANG_RELEASE_25_H

/* ---- start and end ---- */

/* If any one of several licences is enough, the next start may take another:
 * the job asks for all of them again. False if they are no longer known. */
static inline bool release_forget_licenses(job_record_t *job_ptr)
{
	list_t *licenses;
	bool valid = true;

	xfree(job_ptr->licenses_allocated);
	licenses = license_validate(job_ptr->licenses, false, false, false,
				    job_ptr->tres_req_cnt, &valid);
	if (!valid) {
		FREE_NULL_LIST(licenses);
		return false;
	}
	FREE_NULL_LIST(job_ptr->license_list);
	job_ptr->license_list = licenses;
	return true;
}

/* ---- nodes ---- */

static inline void release_node_used(const node_record_t *node_ptr,
				     uint16_t *cpus, uint64_t *memory)
{
	*cpus = node_ptr->alloc_cpus;
	*memory = node_ptr->alloc_memory;
}

/* ---- the select plugin ---- */

#define RELEASE_PASSED(CALL)                                             \
	CALL(int, job_ready, (job_record_t * job_ptr), (job_ptr))        \
	CALL(int, job_resume, (job_record_t * job_ptr, bool indefinite), \
	     (job_ptr, indefinite))                                      \
	CALL(int, select_nodeinfo_set_all, (void), ())                   \
	CALL(int, select_nodeinfo_set, (job_record_t * job_ptr), (job_ptr))

#endif
