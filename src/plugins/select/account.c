/* SPDX-License-Identifier: GPL-2.0-or-later */
/* account.c - what accounting hears of members: that they run, that they ended */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"

static void tell(struct sgang_conductor *c, struct sgang_job *job,
		 const struct sgang_record *r)
{
	char *brief = sgang_record_brief(r, NULL);

	if (brief)
		c->host->account(job, brief);
	free(brief);
}

void sgang_account_started(struct sgang_conductor *c, struct sgang_job *job,
			   const struct sgang_record *r)
{
	tell(c, job, r);
}

/* Its record says so from then on, and that nobody need be told again. After a
 * restart nobody knows whether accounting had heard. */
void sgang_account_ended(struct sgang_conductor *c,
			 const struct sgang_job_info *info)
{
	struct sgang_record r;

	if (!info->comment || !strstr(info->comment, " started=") ||
	    (!c->fresh && strstr(info->comment, " phase=finished ")) ||
	    sgang_record_parse(info->comment, &r) != 1 || !r.started)
		return;
	/* what was held when slurmctld died is not known to have started */
	if (r.phase == SGANG_PHASE_STARTING || r.phase == SGANG_PHASE_HOLDING)
		return;
	if (r.phase != SGANG_PHASE_FAILED &&
	    r.phase != SGANG_PHASE_FINISHED) {
		r.phase = SGANG_PHASE_FINISHED;
		if (sgang_show_write(c, info->job, &r) < 0)
			return;		/* the next pass tries again */
	} else if (!c->fresh) {
		return;
	}
	tell(c, info->job, &r);
}
