/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_since_25_05.h - what 25.05 and later releases have in common
 *
 * Slurm's own headers come first; what the names mean: release.h.
 */

#ifndef SGANG_RELEASE_SINCE_25_05_H
#define SGANG_RELEASE_SINCE_25_05_H

#include "slurm/release_since_24_11.h"

/* ---- start and end ---- */

static inline void release_set_certificate(slurm_msg_t *msg,
					   const job_record_t *job_ptr)
{
	msg->tls_cert = xstrdup(job_ptr->alloc_tls_cert);
}

static inline void release_free_certificate(slurm_msg_t *msg)
{
	xfree(msg->tls_cert);
}

static inline void release_completed(job_record_t *job_ptr)
{
	cleanup_completing(job_ptr, false);
}

/* ---- nodes ---- */

static inline uint32_t release_power(const node_record_t *node_ptr)
{
	if (IS_NODE_POWERED_DOWN(node_ptr))
		return 2;
	return IS_NODE_POWERING_UP(node_ptr) ? 1 : 0;
}

#define RELEASE_TOPOLOGY_YAML 1

static inline const char *release_partition_topology(const part_record_t *part)
{
	return part->topology_name;
}

#endif
