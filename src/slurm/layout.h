/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.h - are slurmctld's records those of the headers we were built with?
 *
 * Job records change even in micro releases of Slurm, and a distribution may
 * change them by itself. Each kind of record is therefore compared with what
 * slurmctld knows: how much memory it took for a record, which record its
 * functions find for a name or a number, what they wrote into a bitmap.
 *
 * Each is compared once; afterwards a call costs the test of a flag. Every
 * plugin that reads records of jobs has this file and asks first. All answers
 * are NULL if no difference is known, else the name of what differs, such as
 * "node records".
 */

#ifndef SGANG_LAYOUT_H
#define SGANG_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct gres_node_state;
struct job_record;

/* Nodes, partitions, bitmaps, and slurmctld's own variables. Needs a lock on
 * nodes and partitions. */
const char *sgang_layout_tables(void);

/* The first job that this is asked about, which slurmctld must be able to find;
 * NULL: there is none yet. Needs a lock on jobs. */
const char *sgang_layout_jobs(struct job_record *job_ptr);

/* The GRES record of a job or a node, as its gres_data points to it. NULL if it
 * is of another size, which is logged once: then nothing is known of GRES, and
 * only the stock plugin decides about it. */
const void *sgang_layout_gres(const void *record, size_t size);

/* The node's record of this kind of GRES. NULL if it has none, and as above. */
struct gres_node_state *sgang_layout_node_gres(uint32_t node, uint32_t kind);

#endif
