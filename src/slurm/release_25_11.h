/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_25_11.h - Slurm 25.11's private headers; what the names mean: release.h */

#ifndef SGANG_RELEASE_H
#define SGANG_RELEASE_H

#include "slurm/release_since_25_11.h"
#include "slurm/release_until_25_11.h"
#include "slurm/release_25.h"

/* ---- start and end ---- */

static inline void release_forget(job_record_t *job_ptr)
{
	release_forget_ports(job_ptr);
	if (release_forget_licenses(job_ptr))
		hres_create_select(job_ptr);
}

#endif
