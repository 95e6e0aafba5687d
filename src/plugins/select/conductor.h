/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conductor.h - starts gangs: probe, plan, commit or roll back, release
 *
 * One conductor lives in slurmctld. job_test() reports turns to it, a thread
 * runs its passes. A pass takes slurmctld's locks once, looks at every member,
 * makes at most one attempt per gang that has its turn, and leaves every member
 * either untouched, parked, or held together with its whole gang. The commit of
 * a large gang takes several passes (slices.c), and no gang comes in between.
 *
 * The registry of gangs is rebuilt from the job records in every pass; between
 * passes it only remembers state that no record has: turns, holds, failed
 * attempts.
 */

#ifndef SGANG_CONDUCTOR_H
#define SGANG_CONDUCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/topologies.h"
#include "core/gang/conf.h"
#include "core/gang/record.h"
#include "core/gang/spec.h"
#include "host.h"

struct sgang_conductor;

/* 'host' is borrowed for ever. Returns NULL with ENOMEM. */
struct sgang_conductor *sgang_conductor_create(const struct sgang_host *host);

/* NULL is fine. No thread may use the conductor any more. */
void sgang_conductor_destroy(struct sgang_conductor *c);

/* Use these topologies and these settings from now on. Takes 'all' (may be
 * NULL: no gang starts until there are some), which may be the ones in use;
 * copies 'conf'. Called with slurmctld's locks held or before the first pass.
 */
void sgang_conductor_configure(struct sgang_conductor *c,
			       struct sgang_topologies *all,
			       const struct sgang_conf *conf);

/* The scheduler or backfill has reached this member: if it was updated after
 * the last pass, the last failed attempt no longer counts. Call before
 * sgang_conductor_turn() and sgang_conductor_joint_start(), with slurmctld's
 * locks held. */
void sgang_conductor_look(struct sgang_conductor *c, struct sgang_job *job);

/* Equal members of a gang, or one member. */
struct sgang_never_member {
	struct sgang_job *job;
	uint32_t members; /* 1 or more */
	bool first;       /* --gang-order puts them into the minimum */
	bool draft;       /* the job is not submitted yet: not all of it is
			   * known */
};

/* True if these members can never start together, whichever 'spare' of them
 * (none of the first) are left out, with 'others' unknown members and the level
 * requests of 'spec', even if no other job ran and all nodes were in service.
 * Then 'why' says what they lack. False also if that is not known. Takes at
 * most the time of a small plan. Uses only nodes and these jobs of the host; a
 * read lock on both is enough. */
bool sgang_conductor_never(struct sgang_conductor *c,
			   const struct sgang_never_member *members, size_t n,
			   uint32_t spare, uint32_t others,
			   const struct sgang_spec *spec, char *why,
			   size_t size);

enum sgang_turn {
	SGANG_TURN_ORDINARY, /* its gang has started: an ordinary job */
	SGANG_TURN_TAKEN     /* answer busy: the conductor will see to it */
};

/* The position of a job in Slurm's queue. Slurm decides which of two live jobs
 * comes first; the numbers are for jobs that are gone, and to sort a list. */
struct sgang_standing {
	struct sgang_job *job; /* NULL: look for `record` */
	uint32_t record;       /* the job's id; 0: none */
	uint16_t tier;         /* PriorityTier of its partition */
	uint32_t priority;
	uint32_t job_id; /* of an array: the array's */
};

/* Call when the scheduler reached a member at position 's' of a gang (spec with
 * its namespace resolved). 'nodes' are those the scheduler would let it use.
 * 'reserving': nodes for jobs before it were taken out (backfill), and the gang
 * must use no others. Called with slurmctld's locks held. */
enum sgang_turn sgang_conductor_turn(struct sgang_conductor *c,
				     const struct sgang_spec *spec,
				     const struct sgang_standing *s,
				     const struct sgang_nodeset *nodes,
				     bool reserving);

/* True from a start of slurmctld on until the first pass, which finds what holds
 * nodes. To be asked by the thread that makes the passes. */
bool sgang_conductor_is_fresh(const struct sgang_conductor *c);

/* True if the turn of any gang has come, so that sgang_conductor_fence() is
 * needed. */
bool sgang_conductor_has_turns(const struct sgang_conductor *c);

/* Call before the scheduler starts a job at position 's' on some of 'nodes'.
 * Takes out nodes that a gang before it whose turn has come could use, or if
 * 'backfill' starts it those that such a gang is planned on, until the conductor
 * has run. True if any were taken. Called with slurmctld's locks held. */
bool sgang_conductor_fence(struct sgang_conductor *c,
			   const struct sgang_standing *s, bool backfill,
			   struct sgang_nodeset *nodes);

/* For backfill: when the whole gang could start, as known from its last failed
 * attempt. Seconds since the epoch; INT64_MAX: the end of all jobs would not
 * make room; 0: no such attempt, or the gang has started. */
int64_t sgang_conductor_joint_start(struct sgang_conductor *c,
				    const struct sgang_spec *spec);

/* The start of a gang that somebody asks about. */
struct sgang_what_if {
	int64_t start;    /* seconds since the epoch; INT64_MAX: the end of all
			  * jobs would not make room */
	uint32_t members; /* that start then */
	uint64_t cpus;    /* of those that do not take whole nodes */
	bool whole;       /* all take whole nodes */
	struct sgang_nodeset *nodes; /* the caller destroys them; NULL: not
				      * known */
};

/* When the gang with 'job', which may be no member yet, would start, from what
 * is free now and when the jobs that run reach their time limits; members that
 * the minimum still needs are as this one. Nothing changes. False: its gang has
 * started, or no memory. Takes at most the time of an attempt. Called with
 * slurmctld's locks held. */
bool sgang_conductor_what_if(struct sgang_conductor *c,
			     const struct sgang_spec *spec,
			     struct sgang_job *job, struct sgang_what_if *what);

/* Call when backfill plans a member whose record has this start; 0: none.
 * Backfill plans the tasks of an array one by one: at each call the record has
 * the start of the task before, at the end that of the last task. */
void sgang_conductor_planned(struct sgang_conductor *c, uint32_t job_id,
			     int64_t start);

/* Call when backfill looks for a start of the job at position 's', in the order
 * of its queue, on 'nodes': those not reserved for jobs before it. 'spec': its
 * gang options; NULL: no member. Called with slurmctld's locks held. */
void sgang_conductor_offered(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec,
			     const struct sgang_nodeset *nodes);

/* Call when any job begins. A gang whose joint start counted it, as one that comes
 * before, may start sooner now: until that is known, jobs behind the gang get none
 * of its nodes. */
void sgang_conductor_began(struct sgang_conductor *c, struct sgang_job *job);

/* True if sgang_conductor_keep() is needed. */
bool sgang_conductor_reserves(const struct sgang_conductor *c);

/* Call when a job that would run until 'until' may start on some of 'nodes'.
 * Takes out nodes kept for a gang before it in the queue that will start
 * earlier than that. 'spec': its own gang options; NULL: none. Returns 0 if
 * none were taken, else when the last of these gangs starts. Called with
 * slurmctld's locks held. */
int64_t sgang_conductor_keep(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec, int64_t until,
			     struct sgang_nodeset *nodes);

/* Call when a member releases its nodes (end or requeue). Updates its record,
 * which must no longer say that the member runs. 'why' is used if it was held.
 * The next pass acts on it. Called with slurmctld's locks held. */
void sgang_conductor_ended(struct sgang_conductor *c, struct sgang_job *job,
			   enum sgang_hold_end why);

/* Call when Slurm has allocated a member's nodes, before the launch. If the
 * gang has started, the environment and the record of the member get its place
 * in the gang. Called with slurmctld's locks held. */
void sgang_conductor_begins(struct sgang_conductor *c, struct sgang_job *job);

/* Read the options of a job with the environment 'env' into 'spec', if a pass
 * has read them: options never change, so they are read once. False: not read.
 * Called with slurmctld's locks held. */
bool sgang_conductor_spec(const struct sgang_conductor *c, uint32_t job_id,
			  char *const *env, size_t n_env,
			  struct sgang_spec *spec);

/* True if the job must not start by itself: it is a placeholder of a gang that
 * has started, or the next pass gives it the nodes of a placeholder. Called with
 * slurmctld's locks held. */
bool sgang_conductor_keeps_place(struct sgang_conductor *c,
				 const struct sgang_spec *spec,
				 struct sgang_job *job);

/* True if 'job', a late member that Slurm would start now, is to be held as a
 * cold spare. Then it preempts no job. Called with slurmctld's locks held. */
bool sgang_conductor_wants_cold(struct sgang_conductor *c,
				const struct sgang_spec *spec,
				struct sgang_job *job, uint32_t min_nodes);
/* Call when it could start on these nodes: the next pass holds it there. Until
 * then Slurm must be told that they are busy. */
void sgang_conductor_cold(struct sgang_conductor *c, struct sgang_job *job,
			  uint32_t min_nodes,
			  const struct sgang_nodeset *nodes);

/* True if 'job', a member that another job would preempt, only holds its nodes
 * and need not be ended. Called with slurmctld's locks held. */
bool sgang_conductor_may_yield(struct sgang_conductor *c,
			       const struct sgang_spec *spec,
			       struct sgang_job *job);

/* Let the member release its nodes; it is pending again. 'to' starts on them in
 * the same hold of the locks. */
void sgang_conductor_yield(struct sgang_conductor *c,
			   const struct sgang_spec *spec, struct sgang_job *job,
			   uint32_t to);

/* For backfill, which asks where a member that cannot start now will start:
 * leave only those of 'nodes' that are kept for its gang. False, and nothing
 * changed: none are. Called with slurmctld's locks held. */
bool sgang_conductor_kept(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes);

/* The domain in which all nodes of a late member must be: one of this level of
 * the fabric. 'fabric' is borrowed until the end of the call of Slurm; NULL: it
 * may have nodes of several, and it is SGANG_UNBOUND. */
struct sgang_bound {
	const struct sgang_fabric *fabric;
	uint32_t level;
};
#define SGANG_UNBOUND ((struct sgang_bound){ NULL, SGANG_LEVEL_UNCONNECTED })

/* Call for a member that Slurm would start on some of 'nodes'. If its gang has
 * started, takes out nodes that --gang-topology=require: and spread: and
 * --gang-exclusive forbid, and tells the bound that the first two are. False: it
 * has not started, and nothing was taken. Called with slurmctld's locks held. */
bool sgang_conductor_late(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes,
			  struct sgang_bound *bound);

/* Take out those of 'nodes' on which waiting members of the gang were lost.
 * False: there are none. */
bool sgang_conductor_lost(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes);

/* Leave only those of 'nodes' that are kept for this member. False, and nothing
 * changed: none are. */
bool sgang_conductor_had(struct sgang_conductor *c, uint32_t job_id,
			 struct sgang_nodeset *nodes);

/* How an ordinary job may preempt one that has nodes. */
enum sgang_victim_kind {
	SGANG_VICTIM_EXTRA, /* its gang has more members than needed: before
			     * other victims of the same rank */
	SGANG_VICTIM_ANY,   /* no other job loses work */
	SGANG_VICTIM_LAST,  /* only if no others are enough */
	SGANG_VICTIM_WHOLE, /* the same, with all listed members of its gang */
	SGANG_VICTIM_NEVER  /* not all of its gang is listed */
};

struct gang;

struct sgang_listed {
	uint32_t job_id;
	bool ends;         /* requeued or killed, not suspended */
	struct gang *gang; /* NULL: none */
	enum sgang_victim_kind kind;
};

/* The gang of a job with these options, for the next calls while the locks are
 * held; NULL: the last pass saw none. */
struct gang *sgang_conductor_victim(struct sgang_conductor *c,
				    const struct sgang_spec *spec);

/* Fill `kind` of all jobs that may be preempted by one. 0, or -1 without
 * memory. */
int sgang_conductor_judge(struct sgang_conductor *c, struct sgang_listed *v,
			  size_t n);

/* Call when the whole gang is preempted: it waits for another start together.
 */
void sgang_conductor_struck(struct sgang_conductor *c, struct gang *g);

/* For 'job', a member of a gang that has started, with 'min_nodes' or more:
 * leave only nodes that share a domain of this level with one of its two
 * neighbour nodes in the ring. False: there are none, or no memory, and nothing
 * was taken. */
bool sgang_conductor_near(struct sgang_conductor *c,
			  const struct sgang_spec *spec, struct sgang_job *job,
			  uint32_t min_nodes, uint32_t level,
			  struct sgang_nodeset *nodes);

/* Run a pass soon, because of a change. Any thread. */
void sgang_conductor_poke(struct sgang_conductor *c);

/* Call when something has become free: runs a pass soon if a gang waits for it,
 * but not for each of many in a row. Called with slurmctld's locks held. */
void sgang_conductor_freed(struct sgang_conductor *c);

/* Call when a member was submitted, perhaps the last one. Runs a pass soon, but
 * not for each of many submitted in a row. */
void sgang_conductor_submitted(struct sgang_conductor *c);
/* Forget the poke, because there will be no pass. */
void sgang_conductor_ignore(struct sgang_conductor *c);

/* Call before node indices change their meaning: forgets all state in terms of
 * them. Called with slurmctld's locks held. */
void sgang_conductor_forget_nodes(struct sgang_conductor *c);

/* Call when slurmctld has read its job records again: forgets all state about
 * them. Called with slurmctld's locks held. */
void sgang_conductor_forget_jobs(struct sgang_conductor *c);

/* A pass, made by the thread once a second and when poked. */
void sgang_conductor_pass(struct sgang_conductor *c);

/* Sleep until poked, or until submissions have gathered for a while, at most a
 * second. Returns at once if poked before. */
void sgang_conductor_wait(struct sgang_conductor *c);

#endif
