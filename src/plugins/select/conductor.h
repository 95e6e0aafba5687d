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
 * passes it only remembers what no record says: turns, holds, failed attempts.
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
 * the last pass, the last failed attempt does not count any more. Call before
 * sgang_conductor_turn() and sgang_conductor_joint_start(), with slurmctld's
 * locks held. */
void sgang_conductor_look(struct sgang_conductor *c, struct sgang_job *job);

/* Members of one gang that are alike, or one of them. */
struct sgang_never_member {
	struct sgang_job *job;
	uint32_t members; /* 1 or more */
	bool first;       /* --gang-order puts them into the minimum */
	bool draft;       /* the job is only about to be submitted:
			   * not all of it is known */
};

/* Can these members never start together, whichever 'spare' of them are left
 * out (none of the first), beside so many others of which nothing is known,
 * with what 'spec' asks of the levels? Not even if no other job ran, and all
 * nodes were in service. Then 'why' says what they lack. False also when nobody
 * can tell. Takes the time of a small plan at the most. Asks the host for
 * nothing but its nodes and these jobs; a read lock on both is enough. */
bool sgang_conductor_never(struct sgang_conductor *c,
			   const struct sgang_never_member *members, size_t n,
			   uint32_t spare, uint32_t others,
			   const struct sgang_spec *spec, char *why,
			   size_t size);

enum sgang_turn {
	SGANG_TURN_ORDINARY, /* its gang has started: an ordinary job */
	SGANG_TURN_TAKEN     /* answer busy: the conductor will see to it */
};

/* Where a job stands in Slurm's queue. Slurm decides which of two live jobs
 * comes first; the numbers are for jobs that are gone, and to sort a list. */
struct sgang_standing {
	struct sgang_job *job; /* NULL: look for `record` */
	uint32_t record;       /* the job's id; 0: none */
	uint16_t tier;         /* PriorityTier of its partition */
	uint32_t priority;
	uint32_t job_id; /* of an array: the array's */
};

/* The scheduler reached a member that stands there of a gang (spec with its
 * namespace resolved). 'nodes' are those the scheduler would let it use; 'reserving' says
 * that they were thinned out for jobs that come before it (backfill), and the
 * gang must then keep to them. Called with slurmctld's locks held. */
enum sgang_turn sgang_conductor_turn(struct sgang_conductor *c,
				     const struct sgang_spec *spec,
				     const struct sgang_standing *s,
				     const struct sgang_nodeset *nodes,
				     bool reserving);

/* Is there any gang whose turn has come? Then sgang_conductor_fence() matters.
 */
bool sgang_conductor_has_turns(const struct sgang_conductor *c);

/* The scheduler is about to start a job that stands there on some of 'nodes':
 * take away those that a gang before it whose turn has come could use, until
 * the conductor has run. Returns whether any were taken. Called with slurmctld's
 * locks held. */
bool sgang_conductor_fence(struct sgang_conductor *c,
			   const struct sgang_standing *s,
			   struct sgang_nodeset *nodes);

/* Backfill plans for a member: when could the whole gang start, as far as is
 * known since its last attempt failed? Seconds since the epoch, INT64_MAX when
 * the end of all jobs would not make room; 0: there is no such attempt, or the
 * gang has started. */
int64_t sgang_conductor_joint_start(struct sgang_conductor *c,
				    const struct sgang_spec *spec);

/* Backfill plans for a member, whose record has this start; 0: none. Backfill
 * plans the tasks of an array one after the other: at the end the record has
 * the start of the last task, and at each call that of the task before. */
void sgang_conductor_planned(struct sgang_conductor *c, uint32_t job_id,
			     int64_t start);

/* Backfill looks for a start of the job that stands there, in the order of its
 * queue, on 'nodes': those that are not kept for jobs before it. 'spec' is what
 * it says of its gang; NULL: it is no member. Called with slurmctld's locks
 * held. */
void sgang_conductor_offered(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec,
			     const struct sgang_nodeset *nodes);

/* Does sgang_conductor_keep() matter? */
bool sgang_conductor_reserves(const struct sgang_conductor *c);

/* A job that would run until 'until' may start on some of 'nodes': take away
 * those that are kept for a gang before it in the queue that will start earlier
 * than that. 'spec' (NULL: none) is what it says of its own gang. Returns 0 if
 * none were taken, or when the last of these gangs starts. Called with
 * slurmctld's locks held. */
int64_t sgang_conductor_keep(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec, int64_t until,
			     struct sgang_nodeset *nodes);

/* Call when a member releases its nodes (end or requeue). Updates its record,
 * which must no longer say that the member runs. 'why' is used if it was held.
 * The next pass does what follows from it. Called with slurmctld's locks
 * held. */
void sgang_conductor_ended(struct sgang_conductor *c, struct sgang_job *job,
			   enum sgang_hold_end why);

/* Slurm has given a member its nodes, and launches it next. If the gang has
 * started, the environment and the record of the member get its place in the
 * gang. Called with slurmctld's locks held. */
void sgang_conductor_begins(struct sgang_conductor *c, struct sgang_job *job);

/* The options of a job whose environment is 'env', if a pass has read them:
 * true and 'spec'. They never change, so nobody reads them twice. Called with
 * slurmctld's locks held. */
bool sgang_conductor_spec(const struct sgang_conductor *c, uint32_t job_id,
			  char *const *env, size_t n_env,
			  struct sgang_spec *spec);

/* Is 'job', a late member that Slurm would start now, to be held as a cold spare?
 * Then it preempts nobody. Called with slurmctld's locks held. */
bool sgang_conductor_wants_cold(struct sgang_conductor *c,
				const struct sgang_spec *spec,
				struct sgang_job *job, uint32_t min_nodes);
/* It could start on these nodes: the next pass holds it there. Until then it has
 * to be told that they are busy. */
void sgang_conductor_cold(struct sgang_conductor *c, struct sgang_job *job,
			  uint32_t min_nodes,
			  const struct sgang_nodeset *nodes);

/* Would 'job', a member that another job would preempt, have nothing to end,
 * since it only holds its nodes? Called with slurmctld's locks held. */
bool sgang_conductor_may_yield(struct sgang_conductor *c,
			       const struct sgang_spec *spec,
			       struct sgang_job *job);

/* The member gives its nodes back and is pending as before. 'to' starts on them
 * in the same hold of the locks. */
void sgang_conductor_yield(struct sgang_conductor *c,
			   const struct sgang_spec *spec, struct sgang_job *job,
			   uint32_t to);

/* Backfill asks where a member that cannot start now will: leave of 'nodes'
 * those that are kept for its gang. False, and nothing changed: none are.
 * Called with slurmctld's locks held. */
bool sgang_conductor_kept(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes);

/* A member that Slurm would start on some of 'nodes': if its gang has started,
 * take away those that --gang-topology=require: and spread: and
 * --gang-exclusive keep it off. False: it has not started, and nothing was
 * taken. Called with slurmctld's locks held. */
bool sgang_conductor_late(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes);

/* Take away those of 'nodes' on which members of the gang were lost that wait.
 * False: there are none. */
bool sgang_conductor_lost(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes);

/* Leave only those of 'nodes' that are kept for this member. False: there are none,
 * and nothing was taken. */
bool sgang_conductor_had(struct sgang_conductor *c, uint32_t job_id,
			 struct sgang_nodeset *nodes);

/* How an ordinary job may preempt one that has nodes. */
enum sgang_victim_kind {
	SGANG_VICTIM_EXTRA, /* its gang has more members than it needs: before
			     * others of the same standing */
	SGANG_VICTIM_ANY,   /* nobody else loses anything */
	SGANG_VICTIM_LAST,  /* only if no others will do */
	SGANG_VICTIM_WHOLE, /* the same, and with it all of its gang that is
			     * among them */
	SGANG_VICTIM_NEVER  /* not all of its gang is */
};

struct gang;

struct sgang_listed {
	uint32_t job_id;
	bool ends;         /* it is requeued or killed, not suspended */
	struct gang *gang; /* NULL: none */
	enum sgang_victim_kind kind;
};

/* The gang of a job that says this of its gang, to be named in the next calls
 * while the locks are held; NULL: the last pass saw none. */
struct gang *sgang_conductor_victim(struct sgang_conductor *c,
				    const struct sgang_spec *spec);

/* Fill `kind` of all jobs that may be preempted by one. 0, or -1 without
 * memory. */
int sgang_conductor_judge(struct sgang_conductor *c, struct sgang_listed *v,
			  size_t n);

/* All of the gang is preempted: it waits for another start together. */
void sgang_conductor_struck(struct sgang_conductor *c, struct gang *g);

/* 'job', a member of a gang that has started, takes so many nodes or more:
 * leave only those that share a domain of this level with one of the two nodes
 * beside which it would be in the ring. False: there are none, or no memory, and
 * nothing was taken. */
bool sgang_conductor_near(struct sgang_conductor *c,
			  const struct sgang_spec *spec, struct sgang_job *job,
			  uint32_t min_nodes, uint32_t level,
			  struct sgang_nodeset *nodes);

/* Something changed: run a pass soon. Any thread. */
void sgang_conductor_poke(struct sgang_conductor *c);

/* A member was submitted, perhaps the last one. A pass is due soon, but not for
 * each of many that are submitted in a row. */
void sgang_conductor_submitted(struct sgang_conductor *c);
/* Forget the poke, because there will be no pass. */
void sgang_conductor_ignore(struct sgang_conductor *c);

/* Node indices are about to change their meaning: forget what was kept in
 * terms of them. Called with slurmctld's locks held. */
void sgang_conductor_forget_nodes(struct sgang_conductor *c);

/* slurmctld has read its job records anew: forget what was remembered of them.
 * Called with slurmctld's locks held. */
void sgang_conductor_forget_jobs(struct sgang_conductor *c);

/* A pass, made by the thread once a second and when poked. */
void sgang_conductor_pass(struct sgang_conductor *c);

/* Sleep until poked, or until submissions have gathered for a while, at most a
 * second. Returns at once if poked before. */
void sgang_conductor_wait(struct sgang_conductor *c);

#endif
