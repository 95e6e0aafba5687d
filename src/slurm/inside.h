/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inside.h - what is used and free inside nodes, as one release counts it
 *
 * Islands are numbered as in the device fabric. Everything is called with
 * slurmctld's locks held.
 */

#ifndef SGANG_INSIDE_H
#define SGANG_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/devices.h"
#include "core/node_topo.h"

struct job_record;
struct bitstr;

/* What a job needs of one node, as far as it has a place inside. */
struct sgang_inside_need {
	const struct job_record *job;
	uint64_t cores;			/* on the node */
	uint64_t gpus;			/* 0: none */
};

/* From now on nodes look like this inside: topo[i] of node i (NULL: one
 * island). Both borrowed until the next call; NULL devices: nothing is known. */
void sgang_inside_set(const struct sgang_devices *devices,
		      const struct sgang_node_topo *const *topo);

/* Find out anew which cores are used. */
void sgang_inside_refresh(void);

/* How many pieces of that size fit into each island of the node, together at
 * most 'most'; units[0] is of its first island. */
void sgang_inside_units(const struct sgang_inside_need *need, uint32_t node,
			bool empty, uint32_t most, uint32_t *units);

/* How much of each island of the node the job has: GPUs, or cores if it has
 * none. False when nobody knows. */
bool sgang_inside_of_job(const struct job_record *job, uint32_t node,
			 uint32_t part[SGANG_ISLANDS_MAX]);

/* The cores, as a bitmap over the cluster, of those nodes of 'nodes' that have an
 * island in 'islands', but which are in none of them. The caller frees it. */
int64_t *sgang_inside_others(const struct sgang_nodeset *nodes,
			     const struct sgang_nodeset *islands);

#endif
