/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceiling.h - the most that an association and a QOS let run at a time
 *
 * acct_policy.c judges one job, and what others use at the moment. Here jobs are
 * added up that are to run together, and nothing else is thought to run: what is
 * refused then can never start.
 */

#ifndef SGANG_CEILING_H
#define SGANG_CEILING_H

#include <stdbool.h>
#include <stddef.h>

#include "plugins/job_submit/job_submit.h"
#include "release.h"

/* Is the sum of these jobs above a limit that all of them have? Then 'why' says
 * "GrpTRES=node=4 of account lab, they need node=8". 'job_desc' is the one that
 * is submitted, and charged to 'account' (NULL: none). Jobs with another
 * association or QOS are left out. Needs read locks on the configuration, jobs
 * and partitions. */
bool sgang_ceiling_exceeded(job_desc_msg_t *job_desc, const char *account,
			    const struct sgang_submit_asked *asked, size_t n,
			    char *why, size_t size);

#endif
