/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_private.h - what the parts of struct sgang_host share
 *
 * host_base.c: used by all of them. host.c: jobs and nodes, and the reasons
 * that users see. host_fit.c: what a job needs of a node and what a node has.
 * host_request.c: what was updated. host_resv.c: the reservations that a job may
 * run in. host_save.c: the job state is written. host_set_aside.c: the nodes that
 * backfill sets aside.
 * host_recovered.c: members that had nodes before a restart.
 * host_start.c: starts, holds, undoes and releases. host_tasks.c: keeps what a
 * job asked for before it held.
 *
 * The functions that are in the struct have their meaning there, in
 * plugins/select/host_*.h. All are called with the locks of
 * sgang_host_slurm.lock.
 */

#ifndef SGANG_HOST_PRIVATE_H
#define SGANG_HOST_PRIVATE_H

#include "release.h"

#include "glue.h"
#include "plugins/select/host_preempt.h"

/* When this slurmctld took control; 0 on standby. No header declares it. */
extern time_t control_time;

/* The plugin is also loaded by commands, which have none of this data. */
#pragma weak accounting_enforce
#pragma weak avail_node_bitmap
#pragma weak cg_node_bitmap
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

/* In minutes, as Slurm counts limits. */
#define NO_LIMIT (SGANG_NEVER_SECONDS / 60)

static inline job_record_t *record(struct sgang_job *job)
{
	return (job_record_t *)job;
}

static inline struct sgang_job *handle(job_record_t *job_ptr)
{
	return (struct sgang_job *)job_ptr;
}

/* ---- host_base.c ---- */

/* The conductor reads this time without locks, to find out whether a pass would
 * see anything. slurmctld's own stores are plain ones of one word, which no
 * processor splits; a change that is missed is seen at the next look. */
static inline void sgang_host_jobs_changed(void)
{
	__atomic_store_n(&last_job_update, time(NULL), __ATOMIC_RELAXED);
}

/* The number of tasks, each a rank; at least 1. */
uint32_t sgang_host_task_count(const job_record_t *job_ptr);

/* The position of a job in several partitions depends on the one that the
 * scheduler looks at: the partition of the lowest PriorityTier (NULL: none),
 * and that tier. */
part_record_t *sgang_host_lowest_partition(const job_record_t *job_ptr);
uint16_t sgang_host_lowest_tier(const job_record_t *job_ptr);

/* Add the nodes of one of Slurm's bitmaps; NULL has none. */
void sgang_host_add_bitmap(struct sgang_nodeset *nodes, const bitstr_t *bitmap);

/* A node that registers reports the jobs it runs, and slurmctld notes the time
 * with each batch job on its first node. A commit sets that time to 0. The
 * value after a restart therefore tells whether a held member was launched
 * before slurmctld died. salloc and srun use the field otherwise; releasing one
 * of them twice does no harm. */
void sgang_host_not_seen_yet(job_record_t *job_ptr);
bool sgang_host_was_seen(const job_record_t *job_ptr);

/* ---- host_fit.c ---- */

/* The need of a piece of a request on its node: all that the job has there, or
 * one task if the number of nodes is open. */
struct sgang_need {
	const part_record_t *part;
	uint32_t rows; /* of CPUs it can be in; 1: not shared */
	bool whole;    /* the node */
	bool open;     /* the number of nodes */
	uint64_t cpus;
	uint16_t core_spec;      /* --core-spec; NO_VAL16: as nodes have it */
	uint32_t per_core;       /* uses so many CPUs of a core at most */
	uint32_t threads;        /* ... and so many count for memory */
	uint64_t memory;         /* MB; 0: does not matter. Where 'open',
				  * once on each node */
	uint64_t memory_per_cpu; /* instead */
	bool all_memory;         /* takes all there is */
	list_t *gres;            /* of gres_state_t; NULL: none */
	uint32_t tasks;          /* of a piece */
	uint32_t nodes;          /* or pieces */
	uint32_t node_gres;      /* as in struct sgang_shape */
};

void sgang_host_need(const struct job_record *job_ptr,
		     const struct sgang_shape *shape, struct sgang_need *need);
/* The need of a piece on a node with so many threads in a core: CPUs, in whole
 * cores where cores are counted, and MB. */
uint64_t sgang_host_cpus_taken(const struct sgang_need *need, uint32_t threads);
uint64_t sgang_host_memory_taken(const struct sgang_need *need,
				 uint32_t threads);
/* The need of a piece in a GRES. */
uint64_t sgang_host_gres_share(const struct gres_job_state *js,
			       const struct sgang_need *need);
bool sgang_host_counts_memory(void);
/* The CPUs of a core that the job uses at most. */
uint32_t sgang_host_per_core(const struct job_record *job_ptr);
/* CPUs and memory that are free on the node, or that it has; nothing else. */
void sgang_host_node_room(uint32_t node, bool empty, struct sgang_room *room);
/* The same of a GRES by Slurm's numbers; type 0: of all types. */
uint64_t sgang_host_gres_on(uint32_t node, uint32_t id, uint32_t type,
			    bool empty);
/* The most of it that a single device has free; UINT64_MAX: devices are not
 * known. 'one_used': jobs use one device of a node at a time. */
uint64_t sgang_host_gres_of_one(uint32_t node, uint32_t id, bool one_used);
/* True if jobs use it up, according to the first node that has it. */
bool sgang_host_gres_consumed(uint32_t id);

bool sgang_host_weights(struct sgang_job *job, uint32_t *weight);
uint32_t sgang_host_idle(const struct sgang_nodeset *nodes);
void sgang_host_room(const struct sgang_nodeset *nodes,
		     struct sgang_room *room);
void sgang_host_units(struct sgang_job *job, const struct sgang_shape *shape,
		      const struct sgang_nodeset *nodes, bool empty,
		      uint32_t *units);
void sgang_host_island_units(struct sgang_job *job,
			     const struct sgang_shape *shape,
			     const struct sgang_nodeset *nodes, bool empty,
			     uint32_t *units);
void sgang_host_causes(struct sgang_job *job, const struct sgang_shape *shape,
		       uint8_t *cause, uint8_t *scarce);
bool sgang_host_islands(struct sgang_job *job, uint32_t node,
			uint32_t part[SGANG_ISLANDS_MAX]);
bool sgang_host_same_units(struct sgang_job *a, struct sgang_job *b);
/* The number of times that the field with the record was written, in any job;
 * needs any lock on jobs. */
extern uint64_t sgang_host_comments;
/* The number of times that a job's gang was replaced by another one. */
extern uint64_t sgang_host_moves;

bool sgang_host_replaces(struct sgang_job *spare, struct sgang_job *lost);
bool sgang_host_excludes(struct sgang_job *a, struct sgang_job *b);
bool sgang_host_same_request(struct sgang_job *x, struct sgang_job *y);
void sgang_host_shape_of(struct sgang_job *job, struct sgang_shape *shape);
bool sgang_host_least(struct sgang_job *job, struct sgang_shape *shape);
void sgang_host_share(struct sgang_job *job, uint32_t nodes, uint32_t tasks,
		      struct sgang_shape *shape);
void sgang_host_fewer(struct sgang_job *job, uint32_t nodes,
		      struct sgang_shape *shape);

/* ---- host_request.c ---- */

uint64_t sgang_host_request(struct sgang_job *job);

/* ---- host_resv.c ---- */

/* Call 'try' for the job in each reservation that it may start in now, as the
 * scheduler tries it, until it returns true; then the job has that reservation,
 * else what it had before. A job that is not pending has one already. */
bool sgang_host_each_reservation(job_record_t *job_ptr,
				 bool (*try)(job_record_t *, void *),
				 void *arg);
bool sgang_host_prefer(struct sgang_job *const *jobs, size_t n);
enum sgang_first {
	SGANG_FIRST_NOTHING, /* all that Slurm tries it in */
	SGANG_FIRST_MAGNETIC,
	SGANG_FIRST_PREFER
};
extern enum sgang_first sgang_host_first;
/* The magnetic reservation that 'asking' is tried in, if Slurm tries the job there,
 * too; else NULL. */
slurmctld_resv_t *sgang_host_same_magnet(job_record_t *job_ptr,
					 part_record_t *part_ptr,
					 const job_record_t *asking);
/* The reservations that it asks for; NULL: none, though it may be tried in a
 * magnetic one, or run there. */
const char *sgang_host_asked_reservation(const job_record_t *job_ptr);

/* ---- host_set_aside.c ---- */

/* As in the struct. What it has found holds until it is told to forget that. */
void sgang_host_set_aside(bool (*wants)(struct sgang_job *job, uint32_t job_id,
					void *arg),
			  void (*f)(const struct sgang_set_aside *s, void *arg),
			  void *arg);
void sgang_host_set_aside_forget(void);

/* ---- host_vector.c ---- */

void sgang_host_resources(const struct sgang_asked *asked, size_t n,
			  struct sgang_resources *res, uint8_t *type);
void sgang_host_needs(const struct sgang_asked *asked,
		      const struct sgang_resources *res, uint32_t *needs);
void sgang_host_takes(struct sgang_job *job, const struct sgang_resources *res,
		      uint64_t *takes);
void sgang_host_amounts(const struct sgang_resources *res, bool empty,
			uint32_t *amounts);
/* The amount of each dimension that a job has on one of its nodes. */
struct sgang_seat;
void sgang_host_held_on(const struct sgang_seat *seat,
			const struct sgang_resources *res, uint32_t *amounts);
/* Say what a job that Slurm refused lacks on these nodes. */
void sgang_host_explain(struct sgang_job *job, const struct sgang_shape *shape,
			const struct sgang_nodeset *nodes, char *why,
			size_t size);

/* ---- host_start.c ---- */

int sgang_host_probe(struct sgang_job *job, struct sgang_nodeset *usable,
		     struct sgang_nodeset *ever, struct sgang_shape *shape,
		     char *why, size_t why_size);
int sgang_host_limits(struct sgang_job *const *jobs, size_t n, char *why,
		      size_t why_size);
struct sgang_job *sgang_host_commit(struct sgang_job *job,
				    const struct sgang_bounds *bounds,
				    struct sgang_refusal *refusal);
void sgang_host_undo(struct sgang_job *job);
bool sgang_host_recommits(void);
bool sgang_host_held(struct sgang_job *job);
bool sgang_host_ready(struct sgang_job *job);
bool sgang_host_undisturbed(struct sgang_job *job);
void sgang_host_prepare(struct sgang_job *job);
enum sgang_prepared sgang_host_prepared(struct sgang_job *job);
/* Nodes of a held job that gives them back may run its Prolog, or have run it:
 * let Slurm end the job there as a running one. Call before Slurm looks. */
void sgang_host_unhold_prepared(job_record_t *job_ptr);
void sgang_host_ask(struct sgang_job *job);
void sgang_host_adopt(struct sgang_job *job);
void sgang_host_drop(struct sgang_job *job, bool yield);
bool sgang_host_refused(struct sgang_job *job);
void sgang_host_clear_launch_failure(struct sgang_job *job, bool at_once);
void sgang_host_release(struct sgang_job *job, bool again);
/* "[a*1&b*1]": select_nodes() asks for the nodes of such a job feature by
 * feature, so one yes is no start. */
bool sgang_host_counts_features(const job_record_t *job_ptr);
/* True if the limits of the association and QOS would let a job that has been
 * given nodes start now: the last test of select_nodes(). */
bool sgang_host_within_limits(job_record_t *job_ptr);

/* ---- host_recovered.c ---- */

/* Call when slurmctld has just read its jobs, and prepares them again. */
void sgang_host_recovered_begin(void);
/* Needs no locks. */
bool sgang_host_recovered_any(void);
/* True if a hold is counted for the job already; from now on it is adopted. */
bool sgang_host_recovered_take(const job_record_t *job_ptr);
/* The pass has been made: those that it has not adopted go on. */
void sgang_host_recovered_end(void);

/* ---- host_tasks.c ---- */

/* The job holds nodes from now on; it had so many tasks before. */
void sgang_host_tasks_keep(const job_record_t *job_ptr, uint32_t tasks);
/* The job is pending again, with the former number of tasks. */
void sgang_host_tasks_restore(job_record_t *job_ptr);
/* The job has left its hold otherwise. */
void sgang_host_tasks_forget(const job_record_t *job_ptr);

/* ---- host_save.c ---- */

/* Called without locks. */
int sgang_host_save(void);

/* ---- host_preempt.c; see plugins/select/host_preempt.h ---- */

bool sgang_host_may_preempt(void);
void sgang_host_candidates(struct sgang_job *job,
			   void (*each)(const struct sgang_candidate *candidate,
					void *arg),
			   void *arg);
/* True if Slurm requeues the job on request. */
bool sgang_host_would_requeue(const job_record_t *job_ptr);
/* True if that mode of preemption ends or requeues a job. */
bool sgang_host_ends_by(uint16_t mode);
/* The value of its QOS or partition, as PreemptType orders. */
uint32_t sgang_host_preempt_priority(const job_record_t *job_ptr);
bool sgang_host_suspend(struct sgang_job *const *jobs, size_t n);
void sgang_host_leave_out(struct sgang_job *const *jobs, size_t n);
void sgang_host_holdings(struct sgang_job *job,
			 const struct sgang_resources *resources,
			 void (*each)(uint32_t node, const uint32_t *amounts,
				      void *arg),
			 void *arg);
int64_t sgang_host_next_candidate(void);
bool sgang_host_licensed(struct sgang_job *job, size_t n);
bool sgang_host_may_have(struct sgang_job *job,
			 const struct sgang_nodeset *nodes);
void sgang_host_preempt(struct sgang_job *victim, struct sgang_job *by);
void sgang_host_spare(struct sgang_job *victim);
bool sgang_host_occupies(struct sgang_job *victim);
int64_t sgang_host_gone_by(struct sgang_job *victim);

/* ---- answer.c ---- */

/* Notify salloc or srun of its nodes. Doing so twice does no harm. */
void sgang_host_answer_again(job_record_t *job_ptr);

#endif
