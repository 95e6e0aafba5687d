/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbd.h - keep a start that may be undone from slurmdbd
 *
 * slurmdbd's row of a job would stay RUNNING if a start that is undone had been
 * reported. Therefore nothing of a hold reaches slurmdbd; how that is done
 * differs between releases. Call with slurmctld's locks; nothing here waits for
 * slurmdbd.
 */

#ifndef SGANG_DBD_H
#define SGANG_DBD_H

#include <stdint.h>

struct job_record;

/* Around a select_nodes() that commits: dbd_hush() before it, and with its
 * answer and the job's id of that time dbd_unhush() after it. */
uint64_t sgang_dbd_hush(struct job_record *job_ptr);
void sgang_dbd_unhush(struct job_record *job_ptr, uint32_t job_id,
		      uint64_t token);

/* The job is held now. */
void sgang_dbd_held(struct job_record *job_ptr);

/* The start is undone, and the job is pending as before. */
void sgang_dbd_undone(struct job_record *job_ptr);

/* The held job starts: report it to slurmdbd. */
void sgang_dbd_start(struct job_record *job_ptr);

/* The held job left its hold without us; it may have been cancelled. */
void sgang_dbd_drop(struct job_record *job_ptr);

#endif
