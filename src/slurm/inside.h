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

#include "core/fabric/devices.h"
#include "core/fabric/node_topo.h"

struct gres_job_state;
struct job_record;

/* The needs of a job on one node that have a place inside it. */
struct sgang_inside_need {
	const struct job_record *job; /* asks for GPUs, or not */
	uint64_t cores;               /* on the node */
	uint32_t tasks;               /* on the node */
	uint32_t nodes;               /* that the job has; 1 or more */
};

/* The records of the GRES that the job asks for; NULL: none. Borrowed. An
 * exclusive job that has its nodes has all of their GRES in its request: if it
 * asked for some, these are returned. */
struct xlist *sgang_inside_gres(const struct job_record *job);

/* The amount of a GRES on each of so many nodes, with so many tasks each. */
uint64_t sgang_inside_gres_needed(const struct gres_job_state *gres,
				  uint32_t tasks, uint32_t nodes);

/* The same of all GPUs that the job asks for, of whatever types. */
uint64_t sgang_inside_gpus_needed(const struct job_record *job, uint32_t tasks,
				  uint32_t nodes);

/* The inside of nodes from now on: topo[i] of node i (NULL: one island). Both
 * borrowed until the next call; NULL devices: nothing is known. */
void sgang_inside_set(const struct sgang_devices *devices,
		      const struct sgang_node_topo *const *topo);

/* From now on all numbers are those of this moment. Costs nothing: cores are
 * counted at the next question about free ones, and only if a job has got or
 * given back its nodes since the last count. A count looks at every core that
 * jobs have. */
void sgang_inside_refresh(void);

/* The number of pieces of that size that fit into each island of the node, as
 * sgang_devices_hand_out() gives out 'most'; units[0] is of its first island.
 */
void sgang_inside_units(const struct sgang_inside_need *need, uint32_t node,
			bool empty, uint32_t most, uint32_t *units);

/* The amount of each island of the node that the job has: GPUs, or cores if it
 * has none. False if unknown. The first question about a job takes time for all
 * of its nodes. */
bool sgang_inside_of_job(const struct job_record *job, uint32_t node,
			 uint32_t part[SGANG_ISLANDS_MAX]);

/* The cores, as a bitmap over the cluster, of those nodes of 'nodes' that have
 * an island in 'islands', but which are in none of them. The caller frees it.
 */
int64_t *sgang_inside_others(const struct sgang_nodeset *nodes,
			     const struct sgang_nodeset *islands);

/* True if the GPUs of the answer in the job's record are near to its cores: on
 * each node with one of these islands, in this one. False too if that is not
 * known, as where it has several. */
bool sgang_inside_answer_near(const struct job_record *job,
			      const struct sgang_nodeset *islands);

/* The cores of the node that so many CPUs take, of each core so many at most. */
uint32_t sgang_inside_cores(uint32_t node, uint32_t cpus, uint32_t per_core);

/* Add to such a bitmap the free cores of 'nodes' beyond the first that give so
 * many CPUs on each ('cpus', by node), as above, of those that are not in it.
 * Nothing need be known of islands. Takes a look at all jobs. */
void sgang_inside_beyond(const struct sgang_nodeset *nodes,
			 const uint32_t *cpus, uint32_t per_core,
			 int64_t *cores);

/* Add the last free cores, for so many CPUs ('cpus', by node). As above. */
void sgang_inside_spare(const struct sgang_nodeset *nodes, const uint32_t *cpus,
			int64_t *cores);

#endif
