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

/* How many rows the job may be put into; 1: it does not share. */
uint32_t sgang_rows_of(const struct job_record *job_ptr);

/* How many a partition has for those who share. */
uint32_t sgang_rows_of_part(const part_record_t *part_ptr);

/* Write the free CPUs of each row of the partition on that node ('rows'
 * numbers): now, or if no job ran. All 0 where jobs that do not share keep off
 * those that do. Which row a job is in is known to the stock plugin alone: here
 * they are put into the first that has room, in the order of their numbers. */
void sgang_rows_free(const part_record_t *part_ptr, uint32_t rows,
		     uint32_t node, bool empty, uint32_t *cpus);

/* Does a job of another partition that shares keep off the node one that does
 * not? */
bool sgang_rows_taken(const part_record_t *part_ptr, uint32_t node);

/* Is a job there that does not share? */
bool sgang_rows_alone(uint32_t node);

/* From now on all numbers are those of this moment, without the jobs that are
 * left out (seats.h). Costs nothing; the first question takes the time to look
 * at every job that runs, if a partition shares. */
void sgang_rows_refresh(void);

#endif
