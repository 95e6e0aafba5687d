/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_since_25_11.h - what 25.11 and later releases have in common
 *
 * Slurm's own headers come first; what the names mean: release.h.
 */

#ifndef SGANG_RELEASE_SINCE_25_11_H
#define SGANG_RELEASE_SINCE_25_11_H

#include "slurm/release_since_25_05.h"

/* ---- start and end ---- */

static inline void release_epilog_done(job_record_t *job_ptr, char *node)
{
	(void)job_epilog_complete(job_ptr, node, 0);
}

static inline int release_requeue(job_record_t *job_ptr)
{
	return job_requeue_internal(0, job_ptr, false, 0);
}

#define RELEASE_EXPEDITED EXPEDITED_REQUEUE

/* ---- nodes ---- */

#define RELEASE_UNNAMED_STAYS 0
#define RELEASE_SPREAD_SEGMENTS SPREAD_SEGMENTS
#define RELEASE_CONSOLIDATE_SEGMENTS CONSOLIDATE_SEGMENTS

static inline uint64_t release_segments(const job_record_t *job_ptr)
{
	uint64_t flags = job_ptr->bit_flags & (RELEASE_SPREAD_SEGMENTS |
					       RELEASE_CONSOLIDATE_SEGMENTS);

	return job_ptr->details->segment_size ?
		       job_ptr->details->segment_size | flags :
		       0;
}

static inline const char *release_place_before(const node_record_t *node_ptr)
{
	return node_ptr->topology_orig_str;
}

#define RELEASE_BY_MEMORY SELECT_MEMORY
#define RELEASE_BY_CORE SELECT_CORE
#define RELEASE_BY_SOCKET SELECT_SOCKET
#define RELEASE_LEAST_LOADED SELECT_LLN
#define RELEASE_ONE_TASK_PER_CORE SELECT_ONE_TASK_PER_CORE

#endif
