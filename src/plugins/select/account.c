/* SPDX-License-Identifier: GPL-2.0-or-later */
/* account.c - starts and ends of members, for accounting */

#include <stdlib.h>

#include "conductor_private.h"

static void tell(struct sgang_conductor *c, struct sgang_job *job,
		 const struct sgang_record *r)
{
	char *brief = sgang_record_brief(r, NULL);

	if (brief)
		c->host->jobs.account(job, brief);
	free(brief);
}

void sgang_account_started(struct sgang_conductor *c, struct sgang_job *job,
			   const struct sgang_record *r)
{
	tell(c, job, r);
}

void sgang_account_ended(struct sgang_conductor *c, struct sgang_job *job,
			 const struct sgang_record *r)
{
	if (r->started)
		tell(c, job, r);
}
