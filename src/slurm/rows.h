/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.h - CPUs of nodes that jobs share (OverSubscribe=FORCE:n, YES:n with -s)
 *
 * A partition that shares has n rows. A job is in one of them, and no two jobs of
 * a row have a core in common; jobs of different rows may have. Memory and GRES
 * are never shared.
 */

#ifndef SGANG_ROWS_H
#define SGANG_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "release.h"

struct job_record;

/* More rows are not counted. */
#define SGANG_ROWS_MAX 64

/* The number of rows the job may be put into; 1: it does not share. */
uint32_t sgang_rows_of(const struct job_record *job_ptr);

/* The number of rows that a partition has for jobs that share. */
uint32_t sgang_rows_of_part(const part_record_t *part_ptr);

/* Write the free CPUs of each row of the partition on that node ('rows'
 * numbers): now, or if no job ran. All 0 where jobs that do not share keep off
 * those that do. Only the stock plugin knows the row of a job: here jobs are
 * put into the first that has room, in the order of their numbers. */
void sgang_rows_free(const part_record_t *part_ptr, uint32_t rows,
		     uint32_t node, bool empty, uint32_t *cpus);

/* True if a job of another partition that shares keeps a job that does not
 * share off the node. */
bool sgang_rows_taken(const part_record_t *part_ptr, uint32_t node);

/* True if a job that does not share is on the node. */
bool sgang_rows_alone(uint32_t node);

/* From now on all numbers are those of this moment, without the jobs that are
 * left out (seats.h). Costs nothing; the first question takes the time to look
 * at every running job, if a partition shares. */
void sgang_rows_refresh(void);

#endif
