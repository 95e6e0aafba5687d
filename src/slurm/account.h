/* SPDX-License-Identifier: GPL-2.0-or-later */
/* account.h - what slurmdbd keeps of a member, beyond what Slurm sends it
 *
 * slurmctld never sends system_comment by itself. A thread of its own
 * stores the short record (core/record.h) there, when slurmdbd has a row of the
 * job, behind the text that an operator has written into the field meanwhile.
 */

#ifndef SGANG_ACCOUNT_H
#define SGANG_ACCOUNT_H

struct job_record;

/* Store 'brief', a short record, with the job's last row in slurmdbd. Takes
 * copies and does not wait, so it may be called under slurmctld's locks. While
 * slurmdbd takes no records at most MaxJobCount of them are kept; newer ones
 * are dropped, which is logged once. Does nothing without slurmdbd. */
void sgang_account_tell(const struct job_record *job_ptr, const char *brief);

#endif
