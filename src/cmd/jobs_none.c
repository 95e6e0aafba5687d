/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_none.c - the job records in a build without Slurm: there are none */

#include <errno.h>

#include "cmd/jobs.h"

int sgang_jobs_load(struct sgang_jobs *jobs, struct sgang_error *err)
{
	jobs->row = NULL;
	jobs->count = 0;
	return sgang_errf(err, ENOTSUP, "this sgang was built without Slurm; "
			  "only ring, place and submit work");
}
