/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_24_11.h - Slurm 24.11's private headers; what the names mean: release.h */

#ifndef SGANG_RELEASE_H
#define SGANG_RELEASE_H

#include "slurm/release_since_24_11.h"
#include "slurm/release_until_24_11.h"

#define RELEASE_SPREAD_SEGMENTS 0
#define RELEASE_CONSOLIDATE_SEGMENTS 0

static inline uint64_t release_segments(const job_record_t *job_ptr)
{
	return job_ptr->details->segment_size;
}

/* ---- start and end ---- */

static inline void release_forget(job_record_t *job_ptr)
{
	release_forget_ports(job_ptr);
}

/* ---- the select plugin ---- */

#define RELEASE_PASSED(CALL) RELEASE_PASSED_UNTIL_24_11(CALL)

#endif
