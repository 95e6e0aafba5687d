/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_25_05.h - Slurm 25.05's private headers; what the names mean: release.h */

#ifndef SGANG_RELEASE_H
#define SGANG_RELEASE_H

#include "slurm/release_since_25_05.h"
#include "slurm/release_until_25_05.h"
#include "slurm/release_25.h"

/* Later releases call them so. */
#define topology_g_topoinfo_free topology_g_topology_free
#define topology_g_topoinfo_print topology_g_topology_print

/* ---- start and end ---- */

static inline void release_forget(job_record_t *job_ptr)
{
	release_forget_ports(job_ptr);
	(void)release_forget_licenses(job_ptr);
}

/* ---- nodes ---- */

#define RELEASE_UNNAMED_STAYS 1
#define RELEASE_SPREAD_SEGMENTS 0
#define RELEASE_CONSOLIDATE_SEGMENTS 0

static inline uint64_t release_segments(const job_record_t *job_ptr)
{
	return job_ptr->details->segment_size;
}

static inline const char *release_place_before(const node_record_t *node_ptr)
{
	(void)node_ptr;
	return NULL;
}

#endif
