/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conductor_private.h - what the parts of the conductor share */

#ifndef SGANG_CONDUCTOR_PRIVATE_H
#define SGANG_CONDUCTOR_PRIVATE_H

#include <pthread.h>

#include "conductor.h"
#include "core/gang.h"
#include "core/plan.h"
#include "core/record.h"

/* A member as one pass sees it. */
struct entry {
	struct sgang_member m;
	uint32_t job_id;		/* of its job record */
	struct sgang_job *job;		/* valid while the locks are held */
	bool parked;
	bool has_record;
	struct sgang_record record;
	char *comment;			/* what is in system_comment */
};

/* A member that has its nodes and waits for the others. */
struct hold {
	uint32_t job_id;
	struct sgang_record record;
};

struct gang {
	struct gang *next;		/* in the list of all */
	struct gang *chain;		/* in its bucket */
	char ns[SGANG_NAMESPACE_MAX + 1];
	char name[SGANG_NAME_MAX + 1];

	/* rebuilt by every pass */
	struct entry *entries;
	size_t n_entries, cap_entries;
	struct sgang_tally tally;
	bool stale;			/* the tally is not what it is now */
	struct sgang_nodeset *parts;	/* nodes of its members' partitions */

	/* kept between passes */
	enum sgang_phase phase;
	uint32_t attempts;
	bool turn;			/* the scheduler has reached it */
	uint32_t turn_priority;
	struct sgang_nodeset *limit;	/* keep to these nodes; NULL: no limit */
	bool only_min;			/* more than the minimum did not work */
	bool failed;			/* the last attempt did, at ... */
	uint64_t failed_stamp;		/* ... this state of the cluster */
	int64_t failed_time;
	int64_t joint_start;		/* when it would fit; 0: not known */
	uint32_t whole_nodes;		/* it needs that many; 0: no such number */
	bool idle_known;
	uint64_t idle_stamp;
	uint32_t idle;			/* of `parts`, at idle_stamp */
	char why[256];
	struct hold *holds;		/* in ring order */
	size_t n_holds;
	bool holds_saved;		/* in the job state on disk */
};

#define SGANG_BUCKETS 1024

struct sgang_conductor {
	const struct sgang_host *host;
	struct sgang_fabric *fabric;
	struct sgang_conf conf;
	struct gang *gangs;
	struct gang *bucket[SGANG_BUCKETS];
	size_t n_members;		/* live ones, at the last pass */
	bool turns;			/* somebody has a turn */
	bool fenced;			/* somebody was kept off for a turn */
	bool missed;			/* the last pass got no locks */
	bool changed;			/* this pass changed job records */
	uint64_t longest_lock;

	pthread_mutex_t mutex;		/* guards poked alone */
	pthread_cond_t cond;
	bool poked;
};

/* --- registry.c --- */

struct gang *sgang_registry_find(struct sgang_conductor *c, const char *ns,
				 const char *name);
/* NULL with ENOMEM. */
struct gang *sgang_registry_get(struct sgang_conductor *c, const char *ns,
				const char *name);
/* Rebuild what the gangs consist of from the job records. */
void sgang_registry_collect(struct sgang_conductor *c);
/* Forget the gangs that have no member left, and all pointers to jobs. */
void sgang_registry_sweep(struct sgang_conductor *c);
/* Add the members up again after their states changed. */
void sgang_registry_tally(struct gang *g);
void sgang_registry_free(struct gang *g);

/* --- attempt.c --- */

/* One transaction: all of the gang that is asked for is held afterwards, or
 * nothing has changed. */
void sgang_attempt(struct sgang_conductor *c, struct gang *g);
/* Give back every hold of the gang. */
void sgang_attempt_rollback(struct sgang_conductor *c, struct gang *g);
/* --- describe.c --- */

/* Write environment and record of every hold. 'plan' (may be NULL) tells the
 * order of nodes inside a member where it matches what the member got. Returns
 * 0, or -1 without memory. */
int sgang_describe_holds(struct sgang_conductor *c, struct gang *g,
			   const struct sgang_placement *plan);

#endif
