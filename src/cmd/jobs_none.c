/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_none.c - the job records in a build without Slurm: there are none */

#include <errno.h>

#include "cmd/jobs.h"
#include "cmd/queue.h"

static int no_slurm(struct sgang_jobs *jobs, struct sgang_error *err)
{
	*jobs = (struct sgang_jobs){ .count = 0 };
	return sgang_errf(err, ENOTSUP,
			  "this sgang was built without Slurm; "
			  "only ring, place, submit and topology work");
}

int sgang_jobs_load(struct sgang_jobs *jobs, struct sgang_error *err)
{
	return no_slurm(jobs, err);
}

int sgang_jobs_load_past(const struct sgang_jobs_past *past,
			 struct sgang_jobs *jobs, struct sgang_error *err)
{
	(void)past;
	return no_slurm(jobs, err);
}

bool sgang_jobs_gone(uint32_t job_id)
{
	(void)job_id;
	return false;
}

void sgang_tiers_load(struct sgang_tiers *tiers)
{
	*tiers = (struct sgang_tiers){ .n = 0 };
}
