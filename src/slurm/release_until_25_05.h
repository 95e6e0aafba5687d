/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_until_25_05.h - what releases up to 25.05 have in common
 *
 * Included by their headers after Slurm's own; what the names mean: release.h.
 */

#ifndef SGANG_RELEASE_UNTIL_25_05_H
#define SGANG_RELEASE_UNTIL_25_05_H

#include "slurm/release_until_25_11.h"

/* ---- start and end ---- */

static inline void release_epilog_done(job_record_t *job_ptr, char *node)
{
	(void)job_epilog_complete(job_ptr->job_id, node, 0);
}

static inline int release_requeue(job_record_t *job_ptr)
{
	return job_requeue(0, job_ptr->job_id, NULL, false, 0);
}

#define RELEASE_EXPEDITED 0

/* ---- nodes ---- */

#define RELEASE_BY_MEMORY CR_MEMORY
#define RELEASE_BY_CORE CR_CORE
#define RELEASE_BY_SOCKET CR_SOCKET
#define RELEASE_LEAST_LOADED CR_LLN
#define RELEASE_ONE_TASK_PER_CORE CR_ONE_TASK_PER_CORE

#endif
