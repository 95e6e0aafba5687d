/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_until_25_11.h - what releases up to 25.11 have in common
 *
 * Included by their headers after Slurm's own; what the names mean: release.h.
 */

#ifndef SGANG_RELEASE_UNTIL_25_11_H
#define SGANG_RELEASE_UNTIL_25_11_H

/* ---- start and end ---- */

static inline bool release_nodes_ready(job_record_t *job_ptr)
{
	return test_job_nodes_ready(job_ptr);
}

/* ---- nodes ---- */

#define RELEASE_IMPLICIT_MAX_NODES 0

#define RELEASE_MORE_LOCKS

#define RELEASE_ORDERS_NODES 0

static inline void release_order_nodes(job_resources_t *res, uint32_t *place)
{
	(void)res;
	xfree(place);
}

#endif
