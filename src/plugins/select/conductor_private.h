/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conductor_private.h - what the parts of the conductor share */

#ifndef SGANG_CONDUCTOR_PRIVATE_H
#define SGANG_CONDUCTOR_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "conductor.h"
#include "core/fabric/devices.h"
#include "core/gang/gang.h"
#include "core/gang/own.h"
#include "core/gang/record.h"
#include "core/plan/plan.h"
#include "hold_state.h"
#include "metrics.h"
#include "metrics_file.h"

struct gang;
struct probed;
struct seat;
struct shown_node;
struct slices;

/* A live job that carries a gang's name. It is kept from pass to pass, since a
 * job's options never change and its record seldom does. What every pass reads
 * stands in front, together: there are thousands. */
struct entry {
	struct entry *chain; /* in its bucket */
	struct gang *gang;
	uint32_t job_id; /* of its job record */
	bool seen;       /* by this pass */
	bool hold;       /* its job is one of the gang's holds */
	bool parked;
	bool barred;
	bool has_record;
	char *const *env; /* what the spec was read from */
	size_t n_env;
	uint64_t look;         /* a hash of what was seen, as far as
				* the gang's numbers follow from it */
	uint64_t label;        /* what it shows: host_jobs.h */
	struct sgang_job *job; /* valid while the locks are held */
	struct sgang_member m; /* points to spec and record */
	uint64_t version;      /* of spec and record: never the same
				* when one was read anew */
	char *comment;         /* what is in system_comment */
	uint32_t round;        /* attempt that tried it last (0.39) */
	uint32_t restarts;
	uint64_t request;      /* what it asks for, as a hash */
	int64_t expected;      /* to start then, as Slurm shows it */
	int64_t first_planned; /* backfill's start of its first task,
				* since it was shown last; 0: none */
	uint16_t tier;         /* PriorityTier */
	struct probed *probed; /* during an attempt */
	/* Slurm could start it now on these nodes, as a cold spare. */
	struct {
		struct sgang_nodeset *nodes; /* NULL: no such thing */
		uint32_t ranks;
	} offer;
	struct sgang_spec spec;
	struct sgang_record record;
};

/* A member that has its nodes and waits for the others. */
struct hold {
	uint32_t job_id;
	int64_t since;
	bool lost_launch; /* it must get its nodes once more */
	bool again;       /* it may have been released before
			   * slurmctld died */
	struct sgang_record record;
};

/* A job that has to go. */
struct victim {
	uint32_t job_id;
	int64_t started; /* the run that was chosen */
};

/* What of a claim is for one gang of a group; who that is, is only compared. */
struct claim_share {
	const struct gang *g;
	struct sgang_nodeset *nodes;
};

/* Nodes that are freed for a gang (claim.c). */
struct claim {
	struct sgang_nodeset *nodes;
	struct claim_share *shares; /* NULL: its group goes anywhere on them */
	size_t n_shares;
	struct victim *victims;
	size_t n_victims, n_left;    /* n_left: have some of the nodes yet */
	int64_t since, until;        /* until: the last of them is gone, at the
				   * latest; 0: not known yet */
	bool struck;                 /* they have been signalled */
	bool ripe;                   /* they are gone: the gang has its turn */
	char text[SGANG_CLAIM_SIZE]; /* record.h */
	char told[SGANG_VICTIMS_SIZE];
};

/* How far a cold spare is: cold_spare.c has the drawing. */
enum sgang_cold { COLD_RESERVED, COLD_PROMOTED, COLD_DOUBTFUL, COLD_LAUNCHED };

struct cold {
	uint32_t job_id;
	enum sgang_cold state;
	bool saved;       /* in the job state on disk, as PROMOTED */
	bool again;       /* it may have been released before slurmctld died */
	bool asked_again; /* its node */
	bool preempted;   /* ... so it is lost */
	int64_t since;    /* LAUNCHED, or found again */
};

struct gang {
	struct gang *next;  /* in the list of all */
	struct gang *chain; /* in its bucket */
	char ns[SGANG_NAMESPACE_MAX + 1];
	char name[SGANG_NAME_MAX + 1];

	/* Of what it consists; rebuilt by every pass. */
	struct entry **entries; /* its members */
	size_t n_entries, cap_entries;
	struct entry *object; /* its definition, or NULL */
	struct {
		size_t waiting;    /* entries that wait, ... */
		size_t parked;     /* those of them that are parked, ... */
		size_t eligible;   /* those that are eligible, ... */
		size_t barred;     /* those of these that Slurm does not try */
		size_t restarting; /* of those that wait: restart.c */
		size_t keeping;    /* of those that wait: keep.c */
		size_t spares;     /* that run */
	} count;
	uint64_t label; /* what all that wait show, see host_jobs.h; 0: not all
			 * show the same */

	/* What follows from that; worked out anew when `tally_of` is not the
	 * same any more. */
	struct sgang_tally tally;
	const struct sgang_topology *topology; /* of its members' partition; of
						* several that differ, the
						* cluster's. NULL: not
						* known yet */
	char asks[SGANG_ASKS_SIZE]; /* what its members ask for, for their
				     * records */
	bool cares;                 /* a loss concerns some of its members */
	bool moves;                 /* so does a node that drains */
	uint64_t requests;          /* what those that wait ask for, as a
				     * hash; never 0 */
	uint64_t tally_of;          /* a hash of all that this follows from;
				     * 0: work it out in the next pass */
	uint64_t recorded_of;       /* with these numbers all records said
				     * what they should; 0: not known */
	bool stale;                 /* no memory to know what it is now */

	/* It and those it starts with; rebuilt by every pass. */
	struct {
		struct gang **gangs; /* in the order of their turns */
		size_t n;
		char why[192]; /* why the group is none, or "" */
	} group;

	/* A job of its that has failed; found by every pass. */
	struct {
		uint32_t member;              /* of those ... */
		int64_t started;              /* ... that were released then */
		bool cancelled;               /* somebody wanted one to end */
		enum sgang_on_failure policy; /* the strongest that a record of
					       * these says */
	} lost;

	/* All that follows is kept between passes. */

	enum sgang_phase phase;
	bool limited; /* a limit stops it: parked */

	/* Does it run with fewer members than its minimum (stale.c)? */
	struct {
		int64_t of;      /* with this start */
		int64_t since;   /* 0: it does not */
		uint32_t done;   /* members that have completed */
		uint32_t told;   /* ... before a restart, and are known yet */
		bool known;      /* ... those before a restart, too */
		uint32_t leader; /* the one with member rank 0, if that has */
		bool over;       /* those ended who waited for as many */
		bool cares;      /* somebody's jobs are concerned */
	} below;

	/* Its members leave nodes that drain (move.c). */
	struct {
		bool any;           /* some want to, by the last look, ... */
		uint64_t of;        /* ... with these members, ... */
		uint64_t drains_of; /* ... when these nodes drained */
		int64_t after;      /* the next look, if nothing changes */
		uint32_t leaver;    /* who goes when that is on disk */
		uint32_t ended;     /* who was on the way when slurmctld died,
				     * and has ended; found by every pass */
	} move;

	int64_t restart; /* the last of those that were requeued may begin
			  * then; 0: no such one */

	/* The nodes that it had before it was requeued (keep.c). */
	struct {
		struct sgang_nodeset *nodes; /* NULL: nothing is kept */
		size_t members;              /* for so many that wait, ... */
		int64_t until;               /* ... until then */
		struct sgang_nodeset *lost;  /* others, on which it lost members
					      * that wait; NULL: none */
		bool unseen; /* a member has ended there since the last pass:
			      * they are kept from everybody */
	} kept;

	/* Its members that have ended. */
	struct {
		uint32_t members;
		uint32_t failed; /* of these */
		bool killed;     /* ended, as a member was lost */
	} ended;

	/* The turn that it has, and about which nodes it is. */
	struct {
		bool due;                    /* the scheduler has reached it */
		bool own;                    /* ... or it has one by itself */
		bool wishes;                 /* backfill has planned for it */
		struct sgang_standing first; /* member that was reached */
		bool yielded_to; /* others have just given up for it */
		struct sgang_nodeset *limit; /* keep to these nodes; NULL: no
					      * limit */
		struct sgang_nodeset *offer; /* what backfill offered its
					      * members ... */
		uint64_t offer_cycle; /* ... when it went through its queue
				       * so */
	} turn;

	/* The nodes of its members' partitions, as they were ... */
	struct {
		struct sgang_nodeset *nodes;
		uint64_t of;    /* ... for these requests ... */
		uint64_t stamp; /* ... in this state of the cluster */
	} partitions;
	/* How many of these are idle. */
	struct {
		bool known;
		uint64_t stamp; /* in this state of the cluster */
		uint32_t nodes;
	} idle;

	/* The last attempt, what it came to, and how the next one is made. */
	struct {
		uint32_t nth;            /* of all there were */
		uint32_t tried, skipped; /* members */
		bool failed;
		bool wants_more; /* a member waits for more than nodes */
		bool only_min;   /* more than the minimum did not work */
		bool one_hold;   /* slices did not: commit in one hold of the
				  * locks */
		char why[256];
		char lacks[SGANG_LACKS_SIZE]; /* record.h */
		char unit[SGANG_UNIT_SIZE];
		char helps[SGANG_HELPS_SIZE];
		char choice[SGANG_CHOICE_SIZE]; /* record.h */
	} attempt;
	/* If it failed: when, so that it is not repeated for nothing. */
	struct {
		uint64_t stamp; /* in this state of the cluster ... */
		uint64_t of;    /* ... with these requests */
		int64_t time;
		bool limited;  /* on what backfill offered */
		uint32_t idle; /* nodes, if `joint.whole_nodes` */
	} failed_at;

	/* Where all of it would fit at the same time, as the last attempt that
	 * failed has found. */
	struct {
		int64_t start;                  /* 0: not known */
		struct sgang_nodeset *nodes;    /* NULL: not known */
		bool reserved;                  /* these are kept for it */
		struct sgang_standing standing; /* of its first member; set
						 * with it */
		uint32_t whole_nodes; /* it needs that many; 0: no such
				       * number */
	} joint;

	/* Can it start at all? */
	struct {
		bool starts;  /* never, even if no other job ran: parked */
		bool by_plan; /* ... as a plan has found */
		uint64_t planned_of;     /* a plan was asked for these
					  * requests ... */
		uint64_t planned_supply; /* ... and these nodes */
		uint64_t judged_of;      /* that was found out for these
					  * requests; 0: not yet ... */
		uint64_t judged_supply;  /* ... and these nodes, ... */
		int64_t judged_time;     /* ... at that time */
	} never;

	/* Does Slurm try any of its members? */
	struct {
		bool all;        /* none; found out why for ... */
		uint64_t of;     /* ... these requests ... */
		uint64_t supply; /* ... and these nodes */
	} barred;

	/* The last look for a way out of a deadlock (turns.c). */
	struct {
		bool in_vain;   /* it was without effect, at ... */
		uint64_t stamp; /* ... this state of the cluster */
		uint64_t of;    /* ... with these requests */
		int64_t time;
	} loan;

	/* The better place that it waits for, as was last told in the log. */
	struct {
		uint64_t cost[2]; /* now and then */
		int64_t until;    /* 0: it waits for none */
	} waits;

	/* The nodes that name it (nodes.c). */
	struct {
		struct sgang_nodeset *on;
		uint64_t of; /* with these members */
	} shown;

	/* Whom it preempts, and who preempts it. */
	struct {
		struct claim *claim;  /* NULL: nothing is freed for it */
		struct claim *former; /* the one that was lost in this turn, if
				       * it is planned anew */
		uint32_t lost;        /* claims, in a row */
		int64_t after;        /* it preempts nobody before that */
		int64_t wake; /* it is to be tried again then, though nothing
			       * has happened; 0: nothing is known */
		bool evicted; /* it is being preempted as a whole */
		char none[SGANG_PREEMPTS_SIZE]; /* why it preempts nobody, as in
						 * record.h */
		/* While that is off: whom it would, as in record.h. */
		struct {
			char victims[SGANG_VICTIMS_SIZE];
			char nodes[SGANG_CLAIM_SIZE];
			int64_t after; /* it is not looked for before that */
		} would;
	} preempt;

	/* Who has which member rank once it has started (heir.c). */
	struct {
		struct seat *seat; /* by member rank */
		uint32_t n;
		uint64_t ranks;         /* of all seats */
		uint32_t changes;       /* members that took a seat later */
		struct sgang_ring ring; /* since the last of them */
	} seats;

	/* Spares that have nodes and are not launched (cold_spare.c). */
	struct {
		struct cold *spares;
		size_t n, cap;
	} cold;
	uint64_t spares_of; /* those of the spares were looked at with these
			     * members */

	/* Who is in it, as its members were told (epoch.c). */
	struct {
		uint32_t number;    /* 0: it has not started */
		uint32_t who;       /* those for whom it was counted, as a hash:
				  * the sum of ... */
		uint32_t members;   /* ... those who are in ... */
		uint32_t drains;    /* ... and their nodes that drain ... */
		uint64_t drains_of; /* ... when these did */
		uint64_t of;        /* looked at with these members */
		bool due;           /* they are to be told */
	} epoch;

	/* Its members that have their nodes, and how far they are. */
	struct {
		enum sgang_hold_state state; /* hold_state.h, which says what of
					      * the rest is no state and why */
		uint64_t refused; /* ways that have been refused, as bits */
		struct slices *slices; /* what is left to be committed while
					* COMMITTING; else NULL */
		struct hold *members;
		size_t n;
		bool marked;             /* `hold` is set in some entry */
		int64_t since;           /* when the first of them was placed */
		enum sgang_hold_end end; /* what ended the last ones */
		bool saved;              /* in the job state on disk */
		bool told_unsaved;       /* ... and its members show that they
					  * cannot be */
		bool described;          /* the members know of their ring; then
					  * they are in ring order here */
		uint64_t prepared;       /* while PREPARING: clock_us() when all
					  * nodes had run the Prolog; 0: not
					  * yet */
		uint32_t prepare_failures; /* members lost meanwhile, so far */
		int64_t adopted;           /* when they were found again */
		bool asked_again;          /* the nodes, a while after that */
		int64_t begun;             /* somebody of the placement of this
					    * `since` was launched */
		int64_t started;           /* found again: when it was released
					    * before; 0: it may not have been */
		int64_t unconfirmed;       /* when it was released; 0: all
					    * launch messages have been sent */
	} hold;
};

#define SGANG_BUCKETS 1024
#define SGANG_ENTRY_BUCKETS 16384

struct sgang_conductor {
	const struct sgang_host *host;
	struct sgang_topologies *topologies; /* NULL: not known yet */
	/* Of the cluster's, for what is the same in all: nodes, islands and
	 * their numbers. What depends on how nodes are joined is a matter of
	 * the gang's own. */
	struct sgang_fabric *fabric;   /* NULL: as above */
	struct sgang_devices *devices; /* NULL: every node is one island */
	struct sgang_conf conf;
	struct gang *gangs;
	struct gang *bucket[SGANG_BUCKETS];
	struct entry *entry_bucket[SGANG_ENTRY_BUCKETS];
	size_t n_entries, n_seen; /* of all gangs, and of definitions */
	uint64_t versions;        /* so many specs, records were read */
	uint64_t configured;      /* so often */
	/* What is atomic the conductor's thread uses without slurmctld's locks
	 * too, between two passes. */
	atomic_size_t n_members; /* live ones, at the last pass */
	bool turns;              /* somebody has a turn, or ... */
	atomic_bool slicing;     /* ... is being committed in slices */
	bool holders;            /* somebody holds until others follow */
	bool reserving;          /* nodes are kept for somebody */
	bool claims;             /* ... or freed for somebody */
	int64_t told;            /* members of gangs heard of epochs then,
				     * last */
	bool told_long;          /* a list of nodes was too long (keep.c) */
	bool offers;             /* some member could be a cold spare ... */
	bool committing_cold;    /* ... and is being made one */
	bool fresh_cold;  /* those of before a restart are not found yet */
	bool lost_claims; /* nodes have other numbers: these are to
				     * be read from the records */
	struct sgang_standing last; /* the last job that backfill looked at */
	uint64_t cycle;             /* so often it has begun anew */
	/* What the nodes show (nodes.c). */
	struct {
		struct shown_node *nodes; /* NULL: not looked at since a
					   * change */
		uint32_t n;
		uint64_t stamp; /* when that was compared last */
	} shown;
	/* Nodes that are taken out of service (drains.c). */
	struct {
		struct sgang_nodeset *nodes; /* NULL: not looked at since a
					      * change of their numbers */
		struct sgang_nodeset *some;  /* within a function */
		bool any;
		uint64_t stamp;   /* of the cluster's nodes then */
		uint64_t version; /* so often others did */
	} drains;
	bool wake_scheduler; /* after the pass, unless slices go on: somebody
			      * was kept off, or may start now */
	uint64_t stamp;      /* of the cluster when the pass began */
	uint64_t job_stamp;  /* ... and of the job records */
	bool missed;         /* the last pass got no locks */
	bool preparing;      /* the last pass saw a Prolog that runs */
	bool fresh;          /* jobs not looked at since a restart ... */
	int64_t fresh_since; /* ... at that time */
	bool changed;        /* this pass changed job records */
	/* The last save of the job state. */
	struct {
		atomic_int error; /* why it failed; 0: it did not */
		int64_t time;
	} save;
	uint64_t last_lock;
	uint64_t locked_at; /* when this pass took the locks, in CPU
			     * time */

	struct sgang_metrics metrics;
	struct sgang_metrics_file *metrics_file;
	char metrics_path[sizeof(((struct sgang_conf *)NULL)->metrics_file)];

	struct timespec passed; /* when the last pass ended */

	/* Somebody has something for the next pass. */
	struct {
		pthread_mutex_t mutex; /* guards `any` and `submitted` alone */
		pthread_cond_t cond;
		bool any;
		bool submitted; /* ... by a submission alone */
	} poke;
};

/* --- lookup.c --- */

struct gang *sgang_registry_find(struct sgang_conductor *c, const char *ns,
				 const char *name);
/* NULL with ENOMEM. */
struct gang *sgang_registry_get(struct sgang_conductor *c, const char *ns,
				const char *name);
/* Since the last pass all members may have ended, and the name may be that of
 * another gang now: has any not? */
bool sgang_registry_any_left(const struct sgang_conductor *c,
			     const struct gang *g);
/* The one that these gangs have in common, else the cluster's. */
const struct sgang_topology *
sgang_registry_topology(const struct sgang_conductor *c,
			struct gang *const *gangs, size_t n);
/* The job's entry, as this pass has seen it; NULL: it has none. */
struct entry *sgang_registry_entry(const struct sgang_conductor *c,
				   uint32_t job_id);
/* The same as the last look left it, seen in this pass or not. */
struct entry *sgang_lookup_entry(const struct sgang_conductor *c,
				 uint32_t job_id);
/* Take a gang out of the list by name. */
void sgang_lookup_drop(struct sgang_conductor *c, struct gang *g);

/* --- registry.c --- */

/* Rebuild what the gangs consist of from the job records. */
void sgang_registry_collect(struct sgang_conductor *c);
/* A job that may be new (a task split off its array) has changed. */
void sgang_registry_note(struct sgang_conductor *c, struct sgang_job *job);
/* Look at all jobs of the gang again and add them up. */
void sgang_registry_refresh(struct sgang_conductor *c, struct gang *g);

/* Members were ended or requeued: the gang is counted anew, what its last attempt
 * said does not hold any more, and the next pass comes at once. */
void sgang_registry_renew(struct sgang_conductor *c, struct gang *g);
/* Forget the gangs that have no member left, and all pointers to jobs. */
void sgang_registry_sweep(struct sgang_conductor *c);
/* Forget everything. */
void sgang_registry_clear(struct sgang_conductor *c);

/* --- group.c --- */

/* Find out which gangs each gang starts with. */
void sgang_group_collect(struct sgang_conductor *c);
/* Its group in the order of turns, or, with '*alone' as the list, the gang. */
struct gang **sgang_group_of(struct gang *g, struct gang **alone, size_t *n);
/* Could the whole group start if nodes were there (0.10)? If not and 'why' is
 * not NULL, it says what is missing, seen from 'g'. */
bool sgang_group_complete(const struct gang *g, char *why, size_t size);
/* Has every gang of the group what it needs (0.47)? */
bool sgang_group_placed(const struct gang *g);
/* Order of two groups' turns, by the gang of theirs that comes first. */
int sgang_group_turn_order(const struct gang *a, const struct gang *b);

/* --- attempt.c --- */

/* One transaction for all these gangs: each has its minimum held afterwards, or
 * nothing has changed and false is returned, with the gangs' `attempt.why` and
 * `joint.start` set. With 'slices' the transaction of a single gang may end in
 * later passes: it has `hold.slices` then. */
bool sgang_attempt(struct sgang_conductor *c, struct gang **gangs, size_t n,
		   bool slices);
/* Hold as many members of a nonstrict gang as there is room for (0.7, 0.8).
 * Returns how many came to hold. */
size_t sgang_attempt_some(struct sgang_conductor *c, struct gang *g);

/* --- slices.c --- */

/* How far a commit has come in one hold of the locks. */
enum sgang_progress {
	SGANG_REFUSED, /* all is given back */
	SGANG_PAUSED,  /* the members so far are committed */
	SGANG_DONE
};

/* The gang that is being committed in slices; NULL: none is. */
struct gang *sgang_slices_gang(const struct sgang_conductor *c);
/* Such a gang's nodes, which nobody else gets; NULL: none. */
const struct sgang_nodeset *sgang_slices_nodes(const struct gang *g);
/* Does such a gang hold what it was given, and wait with the rest for what was
 * planned? Else all must be given back. Asked in each hold of the locks. */
bool sgang_slices_as_planned(const struct sgang_conductor *c,
			     const struct gang *g);
/* Its plan is void, since nodes have other numbers. */
void sgang_slices_forget_nodes(struct gang *g);
/* There will be no other slice; what it holds is the caller's affair. */
void sgang_slices_end(struct gang *g);
/* The same of gangs that have gone, or of all, which are about to be
 * forgotten. */
void sgang_slices_sweep(struct sgang_conductor *c, bool all);

/* --- limits.c --- */

/* Do limits of associations and QOS keep the minimum of all these gangs from
 * running? Then 'why' says which. */
bool sgang_limits_over(struct sgang_conductor *c, struct gang *const *gangs,
		       size_t n_gangs, char *why, size_t size);
/* Ask anew, from time to time, whether a limit still stops the gang's group. */
void sgang_limits_check(struct sgang_conductor *c, struct gang *g);

/* --- barred.c --- */

/* Find out for which gangs Slurm tries no member, and why. */
void sgang_barred_check_all(struct sgang_conductor *c);

/* --- probe.c --- */

/* Could these gangs perhaps be placed, all anew, if every node of 'lent' were
 * empty? True when that cannot be told. */
bool sgang_probe_could(struct sgang_conductor *c, struct gang **gangs, size_t n,
		       const struct sgang_nodeset *lent);
/* Take out what this turn of its group is not about. */
void sgang_probe_limit(const struct gang *g, struct sgang_nodeset *usable);
/* Cost of the members that hold on an empty cluster; 0: not known. */
uint64_t sgang_probe_best_cost(struct sgang_conductor *c, struct gang *g);

/* --- exclusive.c --- */

/* Take out the nodes of domains that --gang-exclusive, of this gang or of those
 * that are there, keeps the gang off now. */
void sgang_exclusive_cut(struct sgang_conductor *c, const struct gang *g,
			 struct sgang_nodeset *nodes);
/* What a gang takes from another by being on these nodes: they, or all nodes of
 * their domains if one of the two wants to be alone. To be destroyed; NULL
 * without memory. */
struct sgang_nodeset *sgang_exclusive_around(struct sgang_conductor *c,
					     const struct gang *g,
					     const struct sgang_spec *other,
					     const struct sgang_nodeset *nodes);

/* --- turns.c --- */

/* One attempt for each group that has its turn, in the order of their turns. */
void sgang_turns_take(struct sgang_conductor *c);

/* --- never.c --- */

/* Find out which of the complete gangs cannot start even if no other job ran.
 * The others of this pass are judged in the next one where it takes long. */
void sgang_never_check_all(struct sgang_conductor *c);
/* An attempt has failed: if no end of jobs would help, ask a plan as well. */
void sgang_never_after(struct sgang_conductor *c, struct gang *g);
/* Ask a plan on the empty cluster. True: it cannot start, and g->attempt.why
 * says so. */
bool sgang_never_by_plan(struct sgang_conductor *c, struct gang *g);
/* Can it, or one that it starts with, never start? */
bool sgang_never_any(const struct gang *g);

/* --- reserve.c --- */

/* Does what stands at 'first' come before the job that is asked about? */
bool sgang_reserve_before(struct sgang_conductor *c,
			  const struct sgang_standing *first,
			  const struct sgang_standing *asking);
/* Keep nothing any more for gangs that cannot start then, or have gone; whom
 * that may have kept from a start is tried anew. */
void sgang_reserve_review(struct sgang_conductor *c);
/* Find out for which gangs nodes are kept until the next pass. */
void sgang_reserve_all(struct sgang_conductor *c);

/* --- preempt.c --- */

/* The turn of these gangs, which start together, has failed. If jobs that all
 * of their members may preempt are in the way, and nothing else is, claim their
 * nodes. Returns whether it does. */
bool sgang_preempt(struct sgang_conductor *c, struct gang **gangs, size_t n);
/* Do Slurm, gang.conf and the gang let it preempt jobs? */
bool sgang_preempt_may(const struct sgang_conductor *c, const struct gang *g);

/* --- node_list.c --- */

/* Write nodes as a host list; "" where it has no room. */
void sgang_node_list_fold(const struct sgang_conductor *c,
			  const struct sgang_nodeset *nodes,
			  char text[SGANG_CLAIM_SIZE]);
/* The nodes of such a list that are known, which the caller frees; NULL where it
 * cannot be read, or without memory. */
struct sgang_nodeset *sgang_node_list_read(const struct sgang_conductor *c,
					   const char *text);

/* --- claim.c --- */

/* The claim is the gang's from now on. */
void sgang_claim_begin(struct sgang_conductor *c, struct gang *g,
		       struct claim *claim);
/* The claims are on disk: signal the victims of those that are new. */
void sgang_claim_strike_all(struct sgang_conductor *c);
/* Find claims of before a restart again. */
void sgang_claim_recover_all(struct sgang_conductor *c);
/* End those that are not needed any more, and give gangs whose victims have
 * gone their turn. */
void sgang_claim_review_all(struct sgang_conductor *c);
/* Say what is being waited for, and let victims run on that plans of this pass
 * have no use for. */
void sgang_claim_tell_all(struct sgang_conductor *c);
/* The gang did not start on what was freed for it: it plans anew, or gives up
 * for a while. */
void sgang_claim_lost(struct sgang_conductor *c, struct gang *g,
		      const char *why);
/* NULL is fine. */
void sgang_claim_destroy(struct claim *claim);
/* The gang has none any more. Its victims are the caller's affair. */
void sgang_claim_forget(struct gang *g);
/* When its nodes will be free, at the latest. */
int64_t sgang_claim_until(const struct sgang_conductor *c,
			  const struct gang *g);
/* Take out the nodes that are freed for gangs before this one in the queue. */
void sgang_claim_cut(const struct sgang_conductor *c, const struct gang *g,
		     struct sgang_nodeset *nodes);

/* --- keep.c --- */

/* Say in the record of a member that was requeued, and which says when it may
 * begin, what is kept for it, and which nodes it has lost. That is what it had, and
 * 'also' these others (may be NULL). */
void sgang_keep_write(struct sgang_conductor *c, struct sgang_job *job,
		      const struct sgang_nodeset *also, struct sgang_record *r);
/* What that was. */
void sgang_keep_copy(const struct sgang_record *from, struct sgang_record *to);
/* A job that has this record has given its nodes back. */
void sgang_keep_ended(struct sgang_conductor *c, struct sgang_job *job,
		      const struct sgang_job_info *info,
		      const struct sgang_record *r);
/* Nobody gets these nodes before the next pass, which looks at the records. */
void sgang_keep_at_once(struct sgang_conductor *c, struct gang *g,
			const struct sgang_nodeset *nodes);
/* Work out what is kept now. */
void sgang_keep_look_all(struct sgang_conductor *c);
/* Leave of the nodes that its turn is about those on which it should be tried
 * first. False: that is all of them. */
bool sgang_keep_limit(const struct gang *g, struct sgang_nodeset *nodes);
void sgang_keep_forget(struct gang *g);

/* --- evict.c --- */

/* All of the gang is being preempted. */
void sgang_evict(struct sgang_conductor *c, struct gang *g);
/* Those of which no member runs any more wait as if they had never started. */
void sgang_evict_check_all(struct sgang_conductor *c);

/* --- hold.c --- */

/* Add holds; 'jobs' have their nodes. -1 without memory, and nothing changed.
 */
int sgang_hold_add(struct sgang_conductor *c, struct gang *g,
		   struct sgang_job *const *jobs, size_t n);
/* Give back every hold of the gang; its members are pending again, and their
 * records say why. NONE: they had them within this attempt alone. */
void sgang_hold_give_back(struct sgang_conductor *c, struct gang *g,
			  enum sgang_hold_end why);
/* Find holds of before a restart again, forget those that were lost, end those
 * that have waited long enough or cannot complete. */
void sgang_hold_check_all(struct sgang_conductor *c);
/* The same for what can have changed since a moment ago: losses. */
void sgang_hold_recheck_all(struct sgang_conductor *c);
/* Describe and release what is complete. */
void sgang_hold_release_all(struct sgang_conductor *c);
/* For how long a gang may hold, by gang.conf. */
static inline struct sgang_gang_wait
sgang_hold_wait(const struct sgang_conductor *c)
{
	return (struct sgang_gang_wait){
		.otherwise = c->conf.waiting_time,
		.most = c->conf.max_waiting_time,
	};
}
/* Is it not known yet whether slurmctld died before or after its release? */
static inline bool sgang_hold_doubtful(const struct gang *g)
{
	return g->hold.state == SGANG_HOLD_DOUBTFUL ||
	       g->hold.state == SGANG_HOLD_TWO_ROUNDS;
}
/* Did slurmctld die between its hold and its release, or right after that? */
static inline bool sgang_hold_recovered(const struct gang *g)
{
	return sgang_hold_doubtful(g) || g->hold.state == SGANG_HOLD_RELEASED;
}
/* Is it being committed in slices? */
static inline bool sgang_hold_committing(const struct gang *g)
{
	return g->hold.state == SGANG_HOLD_COMMITTING;
}
/* Was it released before slurmctld died, so that no hold may be given back? */
static inline bool sgang_hold_begun(const struct gang *g)
{
	return g->hold.begun && g->hold.begun == g->hold.since;
}

/* --- failure.c --- */

/* Apply --gang-on-failure where a member was lost. */
void sgang_failure_check_all(struct sgang_conductor *c);

/* --- below.c --- */

/* A job is seen for the first time that has ended, with this record; told: the
 * slurmctld before this one had seen it. */
void sgang_below_note_end(struct sgang_conductor *c,
			  const struct sgang_job_info *info,
			  const struct sgang_record *r, bool told);
/* Nobody is left of its last start. The next one may be in the same second. */
void sgang_below_forget(struct gang *g);
/* After a restart the records know what was before. */
void sgang_below_recover(struct gang *g);

/* --- replace.c --- */

/* Is the job one that --gang-on-failure=replace requeues? */
bool sgang_replace_is_lost(const struct sgang_job_info *info);
/* How often it was requeued before it was lost. */
uint32_t sgang_replace_restarts(const struct sgang_job_info *info);
/* Requeue it. False: so often it was requeued before, or Slurm does not. */
bool sgang_replace(struct sgang_conductor *c, const struct gang *g,
		   const struct sgang_job_info *info, uint32_t max_restarts);
/* Those that have lost all members start together again. */
void sgang_replace_check_all(struct sgang_conductor *c);

/* --- restart.c --- */

/* A member was requeued, which has been so often before: it begins soon, after
 * so many seconds at least. */
void sgang_restart(struct sgang_conductor *c, struct sgang_job *job,
		   uint32_t restarts, int64_t least);
/* The same; it will begin on these nodes (may be NULL). */
void sgang_restart_on(struct sgang_conductor *c, struct sgang_job *job,
		      uint32_t restarts, int64_t least,
		      const struct sgang_nodeset *nodes);
/* These seconds, of one that may be requeued already. */
int64_t sgang_restart_least(const struct sgang_conductor *c,
			    const struct sgang_job_info *info);
/* Those that have ended begin when they may. */
void sgang_restart_check_all(struct sgang_conductor *c);

/* --- move.c --- */

/* Apply --gang-on-drain: find out which members leave their nodes. */
void sgang_move_check_all(struct sgang_conductor *c);
/* That is on disk: requeue them. */
void sgang_move_go_all(struct sgang_conductor *c);

/* --- success.c --- */

/* Apply --gang-on-success where enough members have completed. */
void sgang_success_check_all(struct sgang_conductor *c);

/* --- stale.c --- */

/* Apply --gang-on-stale where too few members run for too long. */
void sgang_stale_check_all(struct sgang_conductor *c);

/* --- nodes.c --- */

/* Let every node show which gangs are on it. */
void sgang_nodes_show(struct sgang_conductor *c);
/* The numbers of nodes or the settings are others, or the jobs are: begin anew
 * with the next call of sgang_nodes_show(). */
void sgang_nodes_forget(struct sgang_conductor *c);

/* --- publish.c --- */

/* Let every member show how its gang is. */
void sgang_publish_all(struct sgang_conductor *c);
/* Replace the record in the job's system_comment. 0, or -1 without memory. */
int sgang_publish_write(struct sgang_conductor *c, struct sgang_job *job,
			const struct sgang_record *r);
/* The same with the order of its nodes, where the record says `ordered`. */
int sgang_publish_place(struct sgang_conductor *c, struct sgang_job *job,
			const struct sgang_record *r, const char *order);
/* Write the record of a member that is not placed, with this phase, at once.
 * It is then as if it had never started, unless the phase is Failed. */
void sgang_publish_phase(struct sgang_conductor *c, const struct gang *g,
			 struct sgang_job *job, enum sgang_phase phase);
/* End a job and tell why, in its record and where Slurm shows what ended it. */
void sgang_publish_end(struct sgang_conductor *c, const struct gang *g,
		       struct sgang_job *job, enum sgang_phase phase,
		       const char *why);
/* Let a job that has ended say so, if it does not yet. */
void sgang_publish_ended(struct sgang_conductor *c,
			 const struct sgang_job_info *info);
/* Fields that are equal in all records of the gang. */
void sgang_publish_fill(const struct gang *g, struct sgang_record *r);
/* What its user's word amounts to, in the record of a member. */
void sgang_publish_own(const struct gang *g, const struct entry *e,
		       struct sgang_record *r);

/* --- account.c --- */

/* Let accounting know that the member runs, with this record. */
void sgang_account_started(struct sgang_conductor *c, struct sgang_job *job,
			   const struct sgang_record *r);
/* It has ended, with this record, if it had ever been started. */
void sgang_account_ended(struct sgang_conductor *c, struct sgang_job *job,
			 const struct sgang_record *r);

/* --- late_member.c --- */

/* Why a member waits whose gang has started, where that is for what the gang
 * asks of the levels. False: it asks for nothing. */
bool sgang_late_member_text(struct sgang_conductor *c, const struct gang *g,
			    char *text, size_t size);

/* --- describe.c --- */

/* The islands that a job has of these nodes, all of which are its own; NULL
 * when there are no devices, nobody knows, or without memory. */
struct sgang_nodeset *sgang_describe_islands(struct sgang_conductor *c,
					     struct sgang_job *job,
					     const struct sgang_nodeset *nodes);

/* Write environment and record of every hold. 'plan' (may be NULL) tells the
 * order of nodes inside a member where it matches what the member got. Returns
 * 0, or -1 without memory. */
int sgang_describe_holds(struct sgang_conductor *c, struct gang *g,
			 const struct sgang_placement *plan);

/* A member rank of a gang that has started. */
struct seated {
	struct sgang_job *job; /* NULL: vacant */
	uint32_t job_id;       /* 0: vacant */
	const struct sgang_record
		*record;    /* of its owner; NULL: not told yet */
	uint64_t offset;    /* ranks before it ... */
	uint32_t ranks;     /* ... and its own */
	const char *layout; /* which these are, as in record.h; "": not known */
};

/* Write environment and record of the member that takes seat 'rank' now, and
 * measure the ring of all that are there. Returns 0, or -1 without memory. */
int sgang_describe_late(struct sgang_conductor *c, struct gang *g,
			const struct seated *seats, uint32_t n, uint32_t rank,
			struct sgang_ring *ring);

/* The same for one that becomes a spare. */
int sgang_describe_spare(struct sgang_conductor *c, struct gang *g,
			 const struct seated *seats, uint32_t n,
			 struct sgang_job *job, uint32_t job_id);
/* What the ring of these would cost; UINT64_MAX without memory. */
uint64_t sgang_describe_cost(struct sgang_conductor *c, const struct gang *g,
			     const struct seated *seats, uint32_t n);

/* Who is in the gang now, as text (core/gang/epoch.h), and the nodes of all of
 * them, added to 'nodes'. Returns a string the caller frees; NULL without memory.
 */
char *sgang_describe_epoch(struct sgang_conductor *c, struct gang *g,
			   struct sgang_nodeset *nodes);

/* --- epoch.c --- */

/* In the first pass: the numbers that the records tell, before any is written
 * anew. */
void sgang_epoch_recover_all(struct sgang_conductor *c);
/* What it holds is about to be released: an epoch that all are started with. */
void sgang_epoch_begin(struct sgang_conductor *c, struct gang *g);
/* A job takes this member rank of a gang that has started, or is a spare. */
#define SGANG_RANK_SPARE UINT32_MAX
void sgang_epoch_heir(struct sgang_conductor *c, struct gang *g, uint32_t rank,
		      uint32_t job_id);
/* Find out which gangs have lost or won members, or have other nodes that drain
 * than before. */
void sgang_epoch_check_all(struct sgang_conductor *c);

/* --- drains.c --- */

/* See which nodes drain now. */
void sgang_drains_look(struct sgang_conductor *c);
/* Does the node, by the last look? */
bool sgang_drains_has(const struct sgang_conductor *c, uint32_t node);
/* Does one that the job has? */
bool sgang_drains_under(struct sgang_conductor *c, struct sgang_job *job);
/* Those that the job has, as the hash of a set, for the member of this rank; 0:
 * none. */
uint32_t sgang_drains_hash(struct sgang_conductor *c, struct sgang_job *job,
			   uint32_t rank);
/* Nodes have other numbers, or all ends. */
void sgang_drains_forget(struct sgang_conductor *c);

/* --- heir.c --- */

/* The job has its nodes, and takes this seat of the last look at them. Returns 0,
 * or -1 without memory. */
int sgang_heir_seat(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *job, uint32_t job_id, uint32_t rank,
		    uint32_t ranks);

/* Would a job with so many ranks be a spare, as it is neither an heir nor a member
 * that has its own seat? */
bool sgang_heir_is_spare(struct sgang_conductor *c, struct gang *g,
			 uint32_t job_id, uint32_t ranks);

/* --- cold_list.c --- */

/* NULL: it is none. */
struct cold *sgang_cold_find(const struct gang *g, uint32_t job_id);
/* Is it held as a cold spare, or was and may not be launched yet? */
bool sgang_cold_has(const struct gang *g, uint32_t job_id);
/* Room for one more. Returns 0, or -1 without memory. */
int sgang_cold_room(struct gang *g);
/* There is room. */
struct cold *sgang_cold_add(struct gang *g, uint32_t job_id,
			    enum sgang_cold state);
void sgang_cold_take_out(struct gang *g, const struct cold *cold);
/* It has lost its nodes, for that reason. */
void sgang_cold_note_end(const struct gang *g, uint32_t job_id,
			 enum sgang_hold_end why);
/* The member is gone, or its nodes have other numbers. */
void sgang_cold_forget_offer(struct entry *e);

/* --- cold_spare.c --- */

/* Does it hold, and nothing else? */
bool sgang_cold_may_yield(struct sgang_conductor *c, const struct gang *g,
			  uint32_t job_id);
/* May this spare take a seat? Not if it is a cold one that is ending. */
bool sgang_cold_usable(struct sgang_conductor *c, const struct entry *e);
/* Hold those that could start, as cold spares. */
void sgang_cold_take_all(struct sgang_conductor *c);
/* It gives its nodes to a job that starts on them now. */
void sgang_cold_yield(struct sgang_conductor *c, struct gang *g,
		      struct sgang_job *job, uint32_t job_id);
/* Find those of before a restart again, end those that have held long enough, give
 * back or forget others. */
void sgang_cold_check_all(struct sgang_conductor *c);
/* It has a seat: to be launched when that is saved. Another spare: nothing. */
void sgang_cold_promote(struct sgang_conductor *c, struct gang *g,
			struct sgang_job *job, uint32_t job_id);
/* The job state on disk is that of now. */
void sgang_cold_saved(struct gang *g);
/* Launch those that have a seat. */
void sgang_cold_release_all(struct sgang_conductor *c);

/* --- spare.c --- */

/* Spares take the seats of members that are lost. */
void sgang_spare_check_all(struct sgang_conductor *c);

/* --- epoch_tell.c --- */

/* The numbers are on disk: tell the members. */
void sgang_epoch_tell_all(struct sgang_conductor *c);

/* --- member_ranks.c --- */

/* A member rank of a gang that has started. */
struct seat {
	uint32_t job_id;     /* who has it, or had it last; 0: nobody knows */
	uint32_t ranks;      /* 0: nobody knows */
	uint64_t offset;     /* ranks before it */
	struct entry *owner; /* as sgang_ranks_look() saw it; NULL: vacant */
	char layout
		[SGANG_LAYOUT_SIZE]; /* which ranks, where that is not told by
					 * the offset; "": not known */
};

/* See who has which seat now. The job 'but' has none. Returns 0, or -1 without
 * memory. */
int sgang_ranks_look(struct sgang_conductor *c, struct gang *g, uint32_t but);
/* The member rank that a job with so many ranks would take, by the last look:
 * its own, the first vacant one of that size, or a new one at the end. */
uint32_t sgang_ranks_find(const struct gang *g, uint32_t job_id,
			  uint32_t ranks);
/* It takes it. Returns 0, or -1 without memory. */
int sgang_ranks_take(struct gang *g, uint32_t rank, uint32_t job_id,
		     uint32_t ranks);
/* Add the nodes that are next to this member rank along the ring, by the last
 * look. False: there are none. */
bool sgang_ranks_beside(struct sgang_conductor *c, const struct gang *g,
			uint32_t rank, struct sgang_nodeset *nodes);

/* Of a job that has its nodes. */
uint32_t sgang_ranks_of(struct sgang_conductor *c, struct sgang_job *job);

/* A member that has its nodes and no member rank, until one is lost; NULL: it is
 * none. */
struct sgang_job *sgang_ranks_spare(const struct sgang_conductor *c,
				    const struct entry *e);

/* All seats as the last look saw them, for describe.c. The caller frees it; NULL
 * without memory. */
struct seated *sgang_ranks_list(const struct sgang_conductor *c,
				const struct gang *g);

/* Its members have other member ranks from now on. */
void sgang_ranks_forget(struct gang *g);
/* What the record says of the ring. */
void sgang_ranks_ring(const struct sgang_conductor *c,
		      const struct sgang_ring *ring, struct sgang_record *r);
/* What changes for those that have a member rank when another takes one. */
void sgang_ranks_tell(const struct sgang_conductor *c, const struct gang *g,
		      struct sgang_record *r);

/* --- slices_go_on.c --- */

/* Commit the next slice of a gang that has `hold.slices`. */
enum sgang_progress sgang_slices_go_on(struct sgang_conductor *c,
				       struct gang *g);

/* --- placement.c --- */

/* Is the order of its members in the ring to be chosen (7.9)? */
bool sgang_parts_any_order(const struct sgang_conductor *c,
			   const struct gang *g);

#endif
