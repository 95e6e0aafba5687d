/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site.h - the cluster on which a queue is replayed: nodes, partitions, and
 * what slurm.conf says of scheduling
 *
 * It is read from slurm.conf (NodeName=, PartitionName=, SchedulerParameters=,
 * Priority* and Preempt*), or from what `scontrol show node -o` prints, to which
 * what `scontrol show partition -o` prints may be appended.
 */

#ifndef SGANG_SITE_H
#define SGANG_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/nodeset.h"

struct sgang_site_node {
	const char *name;
	uint32_t cpus;
	uint32_t gpus;
	uint64_t memory; /* MB; 0: not known, and not counted */
	uint32_t weight;
};

struct sgang_site_partition {
	const char *name;
	struct sgang_nodeset *nodes;
	uint16_t tier;         /* PriorityTier */
	uint16_t job_factor;   /* PriorityJobFactor */
	uint32_t max_time;     /* seconds; UINT32_MAX: none */
	uint32_t default_time; /* the same */
	bool whole;            /* OverSubscribe=EXCLUSIVE */
	bool requeues;         /* what is preempted here waits again; else it
				 * is killed (PreemptMode) */
	bool preempted;        /* it may be (PreemptMode is not off) */
	bool by_default;
};

/* Times are seconds. The defaults are Slurm's. */
struct sgang_site_scheduling {
	bool backfill;        /* SchedulerType=sched/backfill */
	uint32_t interval;    /* sched_interval */
	uint32_t queue_depth; /* default_queue_depth */
	uint32_t bf_interval;
	uint32_t bf_window; /* of slurm.conf in minutes */
	uint32_t bf_resolution;
	uint32_t bf_max_job_test;
	uint32_t bf_max_job_user;     /* 0: no limit */
	uint32_t bf_min_prio_reserve; /* 0: every job may reserve */
	/* The same: seconds since its submission, reservations a partition. */
	uint32_t bf_min_age_reserve, bf_job_part_count_reserve;
	uint32_t bf_max_job_part, bf_max_job_start; /* 0: no limit */
	uint32_t part_depth; /* partition_job_depth; 0: no limit */
	uint32_t max_start;  /* sched_max_job_start; 0: no limit */
	bool bf_continue;
	bool multifactor; /* PriorityType */
	uint32_t weight_age, weight_fairshare, weight_job_size,
		weight_partition;
	uint32_t max_age;   /* PriorityMaxAge */
	uint32_t half_life; /* PriorityDecayHalfLife; 0: no decay */
	bool favor_small;
	bool preempts;          /* PreemptType=preempt/partition_prio */
	bool whole_nodes;       /* SelectType=select/linear, or
				      * CR_* of cons_tres count no CPUs */
	bool counts_memory;     /* SelectTypeParameters=..._Memory */
	uint32_t kill_wait;     /* KillWait */
	uint32_t min_job_age;   /* MinJobAge */
	uint32_t requeue_delay; /* until what was requeued may begin: 120 */
};

struct sgang_site {
	struct sgang_site_node *nodes; /* in slurmctld's order (names, as
					* sgang_text_compare()) */
	uint32_t n_nodes;
	const char *const *names;                /* of nodes, in that order */
	struct sgang_site_partition *partitions; /* 1 or more: without any, one
						  * of all nodes, "all" */
	size_t n_partitions;
	struct sgang_site_scheduling scheduling;
	/* Words of SchedulerParameters that may matter and are not obeyed,
	 * "defer,bf_busy_nodes"; NULL: none. */
	const char *passed_over;
	void *memory;
};

/* What Slurm does where slurm.conf says nothing. */
void sgang_site_default(struct sgang_site_scheduling *scheduling);

/* Read 'path'. Returns a site to free with sgang_site_destroy(), or NULL with
 * errno (EINVAL, ENOMEM or that of open()) and 'err' saying file:line, what is
 * wrong and what to do. */
struct sgang_site *sgang_site_load(const char *path, struct sgang_error *err);

/* Where no file lists the nodes: 'n' nodes that are all alike. 'names' are
 * copied. */
struct sgang_site *sgang_site_alike(const char *const *names, uint32_t n,
				    const struct sgang_site_node *like,
				    struct sgang_error *err);

/* NULL is fine. */
void sgang_site_destroy(struct sgang_site *site);

#endif
