/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draft.h - a job record of a job that is only about to be submitted
 *
 * slurmctld makes its own later, under other locks. This one is for the
 * questions of host_fit.c alone, and asks for no more than the job will.
 */

#ifndef SGANG_DRAFT_H
#define SGANG_DRAFT_H

#include "release.h"

struct sgang_draft {
	job_record_t job;
	job_details_t details;
	multi_core_data_t mc;
};

/* All that the job points to is borrowed. False if there is no such partition,
 * or if the job is in a reservation, which may have other nodes; nothing to
 * free then. Needs read locks on the configuration and partitions. */
bool sgang_draft_make(struct sgang_draft *draft, job_desc_msg_t *job_desc);

void sgang_draft_free(struct sgang_draft *draft);

#endif
