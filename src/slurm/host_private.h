/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_private.h - what the parts of struct sgang_host share
 *
 * host.c looks at jobs and nodes, shows and tells; host_fit.c knows what a job
 * needs of a node and what a node has; host_start.c starts, holds, undoes and
 * releases. The functions that are in the struct have their meaning there, in
 * plugins/select/host.h. All are called with the locks of sgang_host_slurm.lock.
 */

#ifndef SGANG_HOST_PRIVATE_H
#define SGANG_HOST_PRIVATE_H

#include "release.h"

#include "glue.h"

/* When this slurmctld took control; 0 on standby. No header declares it. */
extern time_t control_time;

/* The plugin is also loaded by commands, which have none of this data. */
#pragma weak accounting_enforce
#pragma weak avail_node_bitmap
#pragma weak control_time
#pragma weak idle_node_bitmap
#pragma weak job_list
#pragma weak last_job_update
#pragma weak last_node_update
#pragma weak last_part_update
#pragma weak last_resv_update
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak ping_nodes_now
#pragma weak slurm_conf
#pragma weak slurmctld_config
#pragma weak slurmctld_tres_cnt

static inline job_record_t *record(struct sgang_job *job)
{
	return (job_record_t *) job;
}

static inline struct sgang_job *handle(job_record_t *job_ptr)
{
	return (struct sgang_job *) job_ptr;
}

/* ---- host.c ---- */

/* How many tasks the job has, each a rank; at least 1. */
uint32_t sgang_host_task_count(const job_record_t *job_ptr);

/* Add the nodes of one of Slurm's bitmaps; NULL has none. */
void sgang_host_add_bitmap(struct sgang_nodeset *nodes, const bitstr_t *bitmap);

/* A node that registers tells which jobs it runs, and slurmctld notes the time
 * with each batch job on its first node. So a time of ours, none, tells whether
 * a held member was launched before slurmctld died. For salloc and srun the
 * field has another use; to release one of them twice does no harm. */
void sgang_host_not_seen_yet(job_record_t *job_ptr);
bool sgang_host_was_seen(const job_record_t *job_ptr);

/* ---- host_fit.c ---- */

uint32_t sgang_host_idle(const struct sgang_nodeset *nodes);
void sgang_host_room(const struct sgang_nodeset *nodes,
		     struct sgang_room *room);
void sgang_host_units(struct sgang_job *job, const struct sgang_shape *shape,
		      const struct sgang_nodeset *nodes, bool empty,
		      uint32_t *units);
void sgang_host_cpus(struct sgang_job *job, const struct sgang_shape *shape,
		     const struct sgang_nodeset *nodes, bool empty,
		     uint32_t *cpus);
void sgang_host_island_units(struct sgang_job *job,
			     const struct sgang_shape *shape,
			     const struct sgang_nodeset *nodes, bool empty,
			     uint32_t *units);
enum sgang_cause sgang_host_cause(struct sgang_job *job,
				  const struct sgang_shape *shape,
				  uint32_t node);
bool sgang_host_islands(struct sgang_job *job, uint32_t node,
			uint32_t part[SGANG_ISLANDS_MAX]);
bool sgang_host_same_units(struct sgang_job *a, struct sgang_job *b);
bool sgang_host_same_request(struct sgang_job *x, struct sgang_job *y);
void sgang_host_shape_of(struct sgang_job *job, struct sgang_shape *shape);

/* ---- host_start.c ---- */

int sgang_host_probe(struct sgang_job *job, struct sgang_nodeset *usable,
		     struct sgang_nodeset *ever, struct sgang_shape *shape,
		     char *why, size_t why_size);
int sgang_host_limits(struct sgang_job *const *jobs, size_t n, char *why,
		      size_t why_size);
struct sgang_job *sgang_host_commit(struct sgang_job *job,
				    const struct sgang_nodeset *confine,
				    const struct sgang_nodeset *islands,
				    struct sgang_refusal *refusal);
void sgang_host_undo(struct sgang_job *job);
bool sgang_host_recommits(void);
bool sgang_host_held(struct sgang_job *job);
bool sgang_host_ready(struct sgang_job *job);
void sgang_host_ask(struct sgang_job *job);
void sgang_host_adopt(struct sgang_job *job);
void sgang_host_drop(struct sgang_job *job, bool yield);
bool sgang_host_refused(struct sgang_job *job);
void sgang_host_forgive(struct sgang_job *job);
void sgang_host_release(struct sgang_job *job);

#endif
