/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conductor_private.h - shared by the parts of the conductor */

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
#include "core/gang/role_tree.h"
#include "core/plan/plan.h"
#include "hold_state.h"
#include "metrics.h"
#include "metrics_file.h"

struct gang;
struct probed;
struct done;
struct seat;
struct shown_node;
struct slices;

/* A live job with a gang's name. Entries are kept from pass to pass, because a
 * job's options never change and its record seldom does. Fields that every pass
 * reads come first, together: there are thousands of entries. */
struct entry {
	struct entry *chain; /* in its bucket */
	struct gang *gang;
	uint32_t job_id; /* of its job record */
	uint64_t seen;   /* by this look at all jobs; 0: by none */
	bool hold;       /* its job is one of the gang's holds */
	bool parked;
	bool barred;
	bool follows; /* the placeholders of its gang start before it */
	bool has_record;
	char *const *env; /* source of the spec */
	size_t n_env;
	uint64_t look;         /* a hash of the fields that the gang's tally
				* depends on */
	uint64_t label;        /* shown by the job: host_jobs.h */
	struct sgang_job *job; /* valid while the locks are held */
	struct sgang_member m; /* points to spec and record */
	uint64_t version;      /* of spec and record: changes when one is read
				* again */
	char *comment;         /* copy of system_comment */
	uint32_t round;        /* attempt that tried it last (0.39) */
	uint32_t restarts;
	uint64_t request;      /* a hash of its request */
	int64_t expected;      /* start time that Slurm shows */
	int64_t first_planned; /* backfill's start of its first task since it
				* was last shown; 0: none */
	uint16_t tier;         /* PriorityTier */
	struct probed *probed; /* during an attempt */
	/* Slurm could start it now on these nodes, as a cold spare. */
	struct {
		struct sgang_nodeset *nodes; /* NULL: it could not */
		uint32_t ranks;
	} offer;
	/* No placeholder is for this request, until then. */
	struct {
		uint64_t request;
		int64_t until;
		char why[64];   /* in which respect it is larger; "": Slurm
				 * refused it there */
		uint64_t label; /* of the text that says so */
	} misfit;
	uint32_t leaf;              /* its group in the gang's tree */
	char role[SGANG_ROLE_SIZE]; /* ... with all that is known of what the
				     * groups need; "": the gang is no tree */
	struct sgang_spec spec;
	struct sgang_record record;
};

/* A member that has its nodes and waits for the others. */
struct hold {
	uint32_t job_id;
	int64_t since;
	bool lost_launch; /* its nodes must be allocated again */
	bool again;       /* it may have been released before
			   * slurmctld died */
	struct sgang_record record;
};

/* A job to preempt. */
struct victim {
	uint32_t job_id;
	int64_t started; /* start of the chosen run */
};

/* The share of one gang of a group in a claim; the pointer is only compared. */
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
	size_t n_victims, n_left;    /* n_left: still have nodes of it */
	int64_t since, until;        /* until: latest end of the last of them;
				      * 0: not known yet */
	bool struck;                 /* the victims have been signalled */
	bool ripe;                   /* the victims are gone: the gang has its
				      * turn */
	char text[SGANG_CLAIM_SIZE]; /* record.h */
	char told[SGANG_VICTIMS_SIZE];
};

/* The states of a cold spare, drawn in cold_spare.c. */
enum sgang_cold {
	COLD_RESERVED,
	COLD_PROMOTED,
	COLD_DOUBTFUL,
	COLD_AGAIN,
	COLD_LAUNCHED
};

struct cold {
	uint32_t job_id;
	enum sgang_cold state;
	bool saved;       /* in the job state on disk, as PROMOTED */
	bool again;       /* it may have been released before slurmctld died */
	bool asked_again; /* the node was asked again */
	bool preempted;   /* ... so it is lost */
	int64_t since;    /* LAUNCHED, found again, or its launch lost */
	struct sgang_record *told; /* AGAIN: its record before */
};

/* A member that keeps its nodes for another one (placeholder.c). */
struct placeholder {
	uint32_t job_id;
	bool preempted; /* so it is lost */
};

/* Members that have ended (ends.c). */
struct end {
	uint32_t job_id;
	uint32_t rank; /* member rank, if it had one */
	bool ranked;
	bool accounted; /* accounting knows it */
	uint64_t nth;   /* the order in which they were noted */
	struct sgang_verdict_member member;
};

struct ends {
	struct end *list;
	size_t n, cap;
	uint64_t noted;                /* ever */
	struct sgang_verdict_sum gone; /* those that Slurm has forgotten */
	int64_t created;               /* of the gang that came to be then */
};

/* What a plan uses of its nodes (beside.c). */
struct share {
	uint32_t *units; /* pieces of its equal members, by node; NULL: it takes
			  * them whole, or this is not known */
	uint32_t job_id; /* of one of the members */
	struct sgang_shape shape;
};

struct gang {
	struct gang *next;     /* in the list of all */
	struct gang *reserves; /* in that of reservation.c */
	struct gang *chain;    /* in its bucket */
	char ns[SGANG_NAMESPACE_MAX + 1];
	char name[SGANG_NAME_MAX + 1];

	/* The members; rebuilt by every pass. */
	struct entry **entries; /* its members */
	size_t n_entries, cap_entries;
	struct entry *object; /* its definition, or NULL */
	struct {
		size_t waiting;    /* entries that wait, ... */
		size_t parked;     /* parked ones of these, ... */
		size_t eligible;   /* eligible ones, ... */
		size_t barred;     /* eligible ones that Slurm does not try */
		size_t following;  /* those after placeholders */
		size_t restarting; /* of those that wait: restart.c */
		size_t left;       /* of those that wait: move.c */
		size_t keeping;    /* of those that wait: keep.c */
		size_t spares;     /* that run */
		size_t failed;     /* that run and know such nodes:
				    * failed_nodes.c */
		size_t again;      /* that were requeued and wait */
		size_t returning;  /* of these: may begin soon */
	} count;
	uint64_t label; /* shown by all that wait, see host_jobs.h; 0: not all
			 * show the same */

	/* Derived from the members; derived again when `tally_of` changes. */
	struct sgang_tally tally;
	struct sgang_role_tree tree; /* of groups; empty: it is no tree */
	const struct sgang_topology *topology; /* of its members' partition; if
						* they differ, the cluster's.
						* NULL: not known yet */
	char asks[SGANG_ASKS_SIZE]; /* its members' requests, for their records
				     */
	bool cares;                 /* a loss concerns some of its members */
	bool moves;                 /* a draining node concerns some */
	uint64_t requests;          /* a hash of the requests of those that
				     * wait; never 0 */
	uint64_t tally_of;          /* a hash of the input of all this; 0:
				     * derive it in the next pass */
	uint64_t recorded_of;       /* tally with which all records were right;
				     * 0: not known */
	bool stale;                 /* no memory to add the members up */

	/* The gang and those it starts with; rebuilt by every pass. */
	struct {
		struct gang **gangs; /* in order of turns */
		size_t n;
		char why[192]; /* why there is no group, or "" */
	} group;

	/* A member that has failed; found by every pass. */
	struct {
		uint32_t member;              /* its job, one of those ... */
		int64_t started;              /* ... that were released then */
		bool cancelled;               /* one was cancelled */
		enum sgang_on_failure policy; /* the strongest in the records of
					       * these */
	} lost;

	/* All fields below are kept between passes. */

	enum sgang_phase phase;
	bool limited; /* a limit stops it: parked */

	/* Running with fewer members than the minimum (stale.c). */
	struct {
		int64_t of;      /* at this start */
		int64_t since;   /* 0: enough run */
		uint32_t done;   /* members that have completed */
		uint32_t told;   /* ... before a restart, and are still known */
		bool known;      /* ... those before a restart, too */
		uint32_t leader; /* member rank 0, if it has completed */
		bool over;       /* those who waited for as many have ended */
		bool cares;      /* some job has such a policy */
		struct done *roles; /* by group (branches_done.c) */
		uint32_t n_roles;
	} below;

	/* Members that leave draining nodes (move.c). */
	struct {
		bool any;           /* some want to, at the last look, ... */
		uint64_t of;        /* ... with these members, ... */
		uint64_t drains_of; /* ... and these draining nodes */
		int64_t after;      /* the next look, if nothing changes */
		uint32_t leaver;    /* to be requeued when that is saved */
		uint32_t ended;     /* was leaving when slurmctld died, and has
				     * ended; found by every pass */
	} move;

	int64_t restart; /* when the last of the requeued members may begin; 0:
			  * none was requeued */

	/* The nodes that the gang had before it was requeued (keep.c). */
	struct {
		struct sgang_nodeset *nodes; /* NULL: nothing is kept */
		size_t members;              /* for so many that wait, ... */
		int64_t until;               /* ... until then */
		struct sgang_nodeset *lost;  /* others, where members that now
					      * wait were lost; NULL: none */
		bool unseen; /* a member has ended there since the last pass:
			      * they are kept from all jobs */
	} kept;

	/* Nodes that have failed it (failed_nodes.c). */
	struct {
		struct sgang_nodeset *nodes; /* NULL: none */
		int64_t of;                  /* since this start */
		char text[SGANG_CLAIM_SIZE]; /* for the records */
	} failed;

	struct ends ends;

	/* The turn of the gang, and its nodes. */
	struct {
		bool due;                    /* the scheduler has reached it */
		bool own;                    /* ... or a turn was offered to it
					      */
		bool wishes;                 /* backfill has planned it */
		struct sgang_standing first; /* the member reached */
		bool yielded_to; /* others have just yielded to it */
		struct sgang_nodeset *limit; /* use only these nodes; NULL: no
					      * limit */
		struct sgang_nodeset *offer; /* offered to its members by
					      * backfill ... */
		uint64_t offer_cycle;        /* ... in this cycle of backfill */
	} turn;

	/* The nodes of its members' partitions, as they were ... */
	struct {
		struct sgang_nodeset *nodes;
		uint64_t of;    /* ... for these requests ... */
		uint64_t stamp; /* ... in this state of the cluster */
	} partitions;
	/* The number of idle nodes of these. */
	struct {
		bool known;
		uint64_t stamp; /* in this state of the cluster */
		uint32_t nodes;
	} idle;

	/* The last attempt, its result, and settings of the next one. */
	struct {
		uint32_t nth;            /* number of the attempt */
		uint32_t tried, skipped; /* members */
		bool failed;
		bool refused;    /* Slurm did not commit what was planned */
		bool wants_more; /* a member lacks something other than nodes */
		bool only_min;   /* more than the minimum did not fit */
		bool one_hold;   /* slices failed: commit in one hold of the
				  * locks */
		char why[256];
		char lacks[SGANG_LACKS_SIZE]; /* record.h */
		char unit[SGANG_UNIT_SIZE];
		char helps[SGANG_HELPS_SIZE];
		char choice[SGANG_CHOICE_SIZE]; /* record.h */
	} attempt;
	/* When it failed, so that it is not repeated before a change. */
	struct {
		uint64_t stamp; /* in this state of the cluster ... */
		uint64_t freed; /* ... after so much had become free ... */
		uint64_t asked; /* ... and when that was more, it did not fit
				 * still */
		uint64_t of;    /* ... with these requests */
		uint64_t cycle; /* ... and in this cycle of backfill */
		int64_t time;
		int64_t again; /* when a plan may be repeated */
		int64_t turn;  /* when it had a turn, not just a plan */
		bool limited;  /* to the nodes that backfill offered */
		uint32_t idle; /* nodes, if `joint.whole_nodes` */
	} failed_at;
	/* What it lacked: room for so many more of its equal members. */
	struct {
		uint32_t members; /* 0: something else, or more than that */
		uint32_t job_id;  /* of one of them */
		struct sgang_shape shape;
		bool room;       /* there may be room for them, ... */
		uint64_t judged; /* ... after so much had become free */
	} lack;
	/* The nodes on which it would start (ahead.c). */
	struct {
		struct sgang_nodeset *nodes; /* NULL: no such plan */
		struct share share;          /* of these */
		uint64_t stamp;              /* in this state of the cluster */
		int64_t time;
	} plan;

	/* The common start that the last failed attempt has found. */
	struct joint {
		int64_t start;                  /* 0: not known */
		struct sgang_nodeset *nodes;    /* NULL: not known */
		struct share share;             /* of these */
		bool behind;                    /* what is set aside for jobs
						 * before it counts, ... */
		bool outdated;                  /* ... and one of these jobs has
						 * begun: it may be sooner */
		bool reserved;                  /* these nodes are kept for it
						 */
		struct sgang_standing standing; /* of its first member; set with
						 * `reserved` */
		uint32_t whole_nodes; /* whole nodes needed; 0: not known */
	} joint;

	/* Whether the gang can start at all. */
	struct {
		bool starts;  /* it cannot, even if no other job ran: parked */
		bool by_plan; /* ... found by a plan */
		uint64_t planned_of;     /* a plan was made for these requests
					  * ... */
		uint64_t planned_supply; /* ... and these nodes */
		uint64_t judged_of;      /* decided for these requests; 0: not
					  * yet ... */
		uint64_t judged_supply;  /* ... and these nodes, ... */
		int64_t judged_time;     /* ... at that time */
	} never;

	/* Whether Slurm tries any member. */
	struct {
		bool all;        /* it tries none; the reason is for ... */
		uint64_t of;     /* ... these requests ... */
		uint64_t supply; /* ... and these nodes */
	} barred;

	/* The last search for a way out of a deadlock (turns.c). */
	struct {
		bool in_vain;   /* it found none, at ... */
		uint64_t stamp; /* ... this state of the cluster */
		uint64_t of;    /* ... with these requests */
		int64_t time;
	} loan;

	/* The better placement the gang waits for, as last logged. */
	struct {
		uint64_t cost[2]; /* now and then */
		int64_t until;    /* 0: none */
	} waits;

	/* The nodes that show the gang (nodes.c). */
	struct {
		struct sgang_nodeset *on;
		uint64_t of; /* with these members */
	} shown;

	/* Preemption by the gang, and of the gang. */
	struct {
		struct claim *claim;  /* NULL: nothing is freed for it */
		struct claim *former; /* the claim lost in this turn, if it is
				       * planned again */
		uint32_t lost;        /* claims lost in a row */
		int64_t after;        /* no preemption before that */
		int64_t wake; /* next attempt, even without a change; 0: not
			       * known */
		bool evicted; /* the whole gang is being preempted */
		char none[SGANG_PREEMPTS_SIZE]; /* why it preempts no job, as in
						 * record.h */
		/* While preemption is off: the jobs it would preempt, as in
		 * record.h. */
		struct {
			char victims[SGANG_VICTIMS_SIZE];
			char nodes[SGANG_CLAIM_SIZE];
			int64_t after; /* no search before that */
		} would;
	} preempt;

	/* The member ranks of a gang that has started (heir.c). */
	struct {
		struct seat *seat; /* by member rank */
		uint32_t n;
		uint64_t ranks;         /* of all seats */
		uint32_t changes;       /* members that took a seat later */
		struct sgang_ring ring; /* since the last of these */
	} seats;

	/* Spares that have nodes and are not launched (cold_spare.c). */
	struct {
		struct cold *spares;
		size_t n, cap;
	} cold;

	/* Members that keep nodes for others (placeholder.c). */
	struct {
		bool any; /* some member is one, with nodes or without */
		struct placeholder *list; /* those of a gang that has started */
		size_t n, cap;
		int64_t since; /* the first got its nodes; 0: not known */
		int64_t idle;  /* no member has been there since; 0: some is */
		bool came;     /* a member has run */
		bool partial;  /* the gang starts with those that are ready */
	} placeholders;
	uint64_t spares_of; /* tally with which spares were last checked, and
			     * the spares of its pool */

	/* The epoch that the members were told (epoch.c). */
	struct {
		uint32_t number;    /* 0: it has not started */
		uint32_t who;       /* a hash of its state: the sum of ... */
		uint32_t members;   /* ... the members ... */
		uint32_t drains;    /* ... and their draining nodes ... */
		uint64_t drains_of; /* ... at this version of the drains */
		uint64_t of;        /* checked with these members */
		bool due;           /* the members must be told */
	} epoch;

	/* Members that have their nodes, and their state. */
	struct {
		enum sgang_hold_state state; /* hold_state.h, which says why the
					      * other fields are no states */
		uint64_t refused; /* transitions that were refused, as bits */
		struct slices *slices; /* left to commit while COMMITTING; else
					* NULL */
		const struct sgang_nodeset *planned; /* its nodes, which no
						      * other job gets; NULL:
						      * none */
		struct hold *members;
		size_t n;
		bool marked;             /* some entry has `hold` set */
		int64_t since;           /* when the first was placed */
		enum sgang_hold_end end; /* the end of the last holds */
		bool saved;              /* in the job state on disk */
		bool told_unsaved;       /* ... and its members show that saving
					  * fails */
		bool described;          /* the members know their ring, and are
					  * in ring order here */
		uint64_t prepared;       /* while PREPARING: clock_us() at which
					  * all nodes had run the Prolog; 0: not
					  * yet */
		uint32_t prepare_failures; /* members lost while PREPARING */
		int64_t adopted;           /* when the holds were found again */
		bool asked_again;          /* the nodes were asked again after
					    * that */
		int64_t begun;             /* a member of the placement of this
					    * `since` was launched */
		int64_t started;           /* found again: its earlier release;
					    * 0: perhaps none */
		bool ended;                /* found again: a launched member has
					    * ended meanwhile, and its record
					    * does not tell the start yet */
		int64_t unconfirmed;       /* time of the release; 0: all launch
					    * messages have been sent */
	} hold;
};

#define SGANG_BUCKETS 1024
#define SGANG_ENTRY_BUCKETS 16384

struct sgang_conductor {
	const struct sgang_host *host;
	struct sgang_topologies *topologies; /* NULL: not known yet */
	/* The cluster's, for what is equal in all topologies: nodes, islands
	 * and their numbers. The links between nodes are read from the gang's
	 * own topology. */
	struct sgang_fabric *fabric;   /* NULL: as above */
	struct sgang_devices *devices; /* NULL: every node is one island */
	struct sgang_conf conf;
	struct gang *gangs;
	struct {
		struct gang *first; /* of those that may have one */
		bool known, stand;
	} reservations;
	struct gang *bucket[SGANG_BUCKETS];
	struct entry *entry_bucket[SGANG_ENTRY_BUCKETS];
	size_t n_entries, n_seen; /* of all gangs, and of definitions */
	uint64_t looks;           /* at all jobs, and 1 */
	uint64_t versions;        /* number of specs and records read */
	uint64_t configured;      /* number of reconfigurations */
	/* The conductor's thread uses atomic fields also without slurmctld's
	 * locks, between passes. */
	atomic_size_t n_members; /* live ones, at the last pass */
	bool turns;              /* some gang has a turn, or ... */
	atomic_bool slicing;     /* ... is being committed in slices */
	bool holders;            /* some gang holds and waits for others */
	bool waiting;            /* the attempt of some gang has failed */
	bool reserving;          /* nodes are kept for a gang */
	bool claims;             /* ... or freed for a gang */
	int64_t told;            /* when members were last told of epochs */
	bool told_long;          /* a list of nodes was too long (keep.c) */
	bool offers;             /* a member could be a cold spare ... */
	bool committing_cold;    /* ... and is being made one */
	bool fresh_cold;  /* cold spares of before a restart are not found yet
			   */
	bool lost_claims; /* nodes have other numbers: read the claims from the
			   * records */
	struct sgang_standing last; /* the last job that backfill looked at */
	uint64_t cycle;             /* number of times backfill has begun again
				     */
	/* The gangs that the nodes show (nodes.c). */
	struct {
		struct shown_node *nodes; /* NULL: not read since a change */
		uint32_t n;
		uint64_t stamp; /* of the last comparison */
	} shown;
	/* Nodes that drain (drains.c). */
	struct {
		struct sgang_nodeset *nodes; /* NULL: not read since a change of
					      * node numbers */
		struct sgang_nodeset *some;  /* scratch within a function */
		bool any;
		uint64_t stamp;   /* of the cluster's nodes at that time */
		uint64_t version; /* number of changes of the set */
	} drains;
	bool wake_scheduler; /* after the pass, unless slices go on: a job was
			      * kept off, or may start now */
	uint64_t stamp;      /* of the cluster when the pass began */
	uint64_t job_stamp;  /* ... and of the job records */
	bool missed;         /* the last pass got no locks */
	bool preparing;      /* the last pass saw a running Prolog */
	bool fresh;          /* jobs not read since a restart ... */
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

	/* A request for the next pass. */
	struct {
		pthread_mutex_t mutex; /* guards `any` and `submitted` alone */
		pthread_cond_t cond;
		bool any;
		bool gathered; /* ... by what may share a pass with more */
	} poke;
};

/* --- lookup.c --- */

struct gang *sgang_registry_find(struct sgang_conductor *c, const char *ns,
				 const char *name);
/* Find or create a gang. NULL with ENOMEM. */
struct gang *sgang_registry_get(struct sgang_conductor *c, const char *ns,
				const char *name);
/* True if some member has not ended. All may have ended since the last pass,
 * and the name may now be that of another gang. */
bool sgang_registry_any_left(const struct sgang_conductor *c,
			     const struct gang *g);
/* The topology common to these gangs, else the cluster's. */
const struct sgang_topology *
sgang_registry_topology(const struct sgang_conductor *c,
			struct gang *const *gangs, size_t n);
/* True if this pass has seen its job. */
static inline bool sgang_registry_seen(const struct sgang_conductor *c,
				       const struct entry *e)
{
	return e->seen == c->looks;
}

/* The job's entry, as this pass has seen it; NULL: none. */
struct entry *sgang_registry_entry(const struct sgang_conductor *c,
				   uint32_t job_id);
/* The same, as last read, seen in this pass or not. */
struct entry *sgang_lookup_entry(const struct sgang_conductor *c,
				 uint32_t job_id);
/* Take a gang out of the list by name. */
void sgang_lookup_drop(struct sgang_conductor *c, struct gang *g);

/* --- registry.c --- */

/* Rebuild the members of the gangs from the job records. */
void sgang_registry_collect(struct sgang_conductor *c);
/* A job that may be new (a task split off its array) has changed. */
void sgang_registry_note(struct sgang_conductor *c, struct sgang_job *job);
/* Read all jobs of the gang again and add them up. */
void sgang_registry_refresh(struct sgang_conductor *c, struct gang *g);

/* Make room for another member. Returns 0, or -1 without memory. */
int sgang_registry_room(struct gang *g);
/* Let a job whose options now name this gang be its member. Needs
 * sgang_registry_room() before. Both gangs are to be refreshed. */
void sgang_registry_move(struct sgang_conductor *c, struct entry *e,
			 struct gang *g);

/* Call when members were ended or requeued: the gang is counted again, the
 * result of its last attempt is void, and the next pass comes at once. */
void sgang_registry_renew(struct sgang_conductor *c, struct gang *g);
/* A gang that is only asked about: with the definition of the gang of that name,
 * without members, in no list. NULL without memory. */
struct gang *sgang_registry_draft(struct sgang_conductor *c,
				  const struct sgang_spec *spec);
/* Add a member. NULL without memory. */
struct entry *sgang_registry_draft_add(struct sgang_conductor *c,
				       struct gang *draft,
				       struct sgang_job *job,
				       const struct sgang_spec *spec);
/* Add the members up, as often as they change. False without memory. */
bool sgang_registry_draft_tally(struct sgang_conductor *c, struct gang *draft);
void sgang_registry_draft_end(struct sgang_conductor *c, struct gang *draft);

/* Forget the gangs that have no member left, and all pointers to jobs. */
void sgang_registry_sweep(struct sgang_conductor *c);
/* Forget everything. */
void sgang_registry_clear(struct sgang_conductor *c);

/* --- group.c --- */

/* Find the group of each gang. */
void sgang_group_collect(struct sgang_conductor *c);
/* Its group in the order of turns, or, with '*alone' as the list, the gang. */
struct gang **sgang_group_of(struct gang *g, struct gang **alone, size_t *n);
/* True if the whole group could start, given nodes (0.10). If not, 'why' (may
 * be NULL) says what is missing, seen from 'g'. */
bool sgang_group_complete(const struct gang *g, char *why, size_t size);
/* True if every gang of the group has what it needs (0.47). */
bool sgang_group_placed(const struct gang *g);
/* True if the two start together, or did: they list each other, directly or through
 * others of their group. */
bool sgang_group_together(struct sgang_conductor *c, const struct gang *g,
			  const struct gang *other);
/* Order of two groups' turns, by their first gangs. */
int sgang_group_turn_order(const struct gang *a, const struct gang *b);
void sgang_group_sort_turns(struct gang **list, size_t n);

/* --- attempt.c --- */

/* Start all these gangs in one transaction. True: each holds its minimum.
 * False: nothing has changed, and the gangs' `attempt.why` and `joint.start`
 * are set. With 'slices' the transaction of a single gang may end in a later
 * pass; until then it has `hold.slices`. */
bool sgang_attempt(struct sgang_conductor *c, struct gang **gangs, size_t n,
		   bool slices);
/* Hold as many members of a nonstrict gang as there is room for (0.7, 0.8).
 * Returns the number of new holds. */
size_t sgang_attempt_some(struct sgang_conductor *c, struct gang *g);
/* True if sgang_attempt() would plan its minimum or more now: g->plan.nodes is
 * set. False: the result is that of a failed attempt. Commits nothing. */
bool sgang_attempt_plan(struct sgang_conductor *c, struct gang *g);
/* The same, but a gang that does not fit keeps the result of its last attempt. */
bool sgang_attempt_fits(struct sgang_conductor *c, struct gang *g);

/* --- branches.c --- */

/* Make the tree of a gang whose tally is known. 0, or -1 without memory. */
int sgang_branches_derive(struct gang *g);
void sgang_branches_forget(struct gang *g);
/* True if a member that says this is an ordinary job now (0.11). In a tree of
 * groups that has started it is not while its group, or one around it, has no
 * member that runs. */
bool sgang_branches_ordinary(const struct gang *g,
			     const struct sgang_spec *spec);
/* True if groups follow in a gang that runs, and hold or may hold nodes. */
bool sgang_branches_grow(const struct gang *g);
/* ... or if members that start together join those that run, and have seats of
 * the same ring. */
bool sgang_branches_join(const struct gang *g);
/* Take out the nodes on which a member that says this, and comes after others of
 * its groups, would break what these require; 'job' is as for
 * sgang_levels_cut_late(). Returns the lowest level that they do; -1: none. */
int sgang_branches_cut(struct sgang_conductor *c, const struct gang *g,
		       const struct sgang_spec *spec,
		       const struct sgang_job *job,
		       struct sgang_nodeset *nodes);
/* That of these groups, from 'leaf' outwards, that leaves the fewest nodes: the
 * one of the lowest level not above 'most', whose nodes are added to 'own'.
 * SGANG_ROLE_NONE: there is none. */
uint32_t sgang_branches_binds(struct sgang_conductor *c, const struct gang *g,
			      uint32_t leaf, int most,
			      struct sgang_nodeset *own);

/* --- branches_done.c --- */

/* Count a member that has completed in its group. */
void sgang_branches_note_end(struct gang *g, const struct sgang_record *r);
void sgang_branches_forget_ends(struct gang *g);
/* True if some member of this group without groups has completed, as far as is
 * known. */
bool sgang_branches_done_in(const struct gang *g, uint32_t leaf);
/* True if the members that run or hold nodes, with those that have completed,
 * are not its minimum. Without memory it is false. */
bool sgang_branches_below(const struct gang *g);

/* --- slices.c --- */

/* Result of a commit in one hold of the locks. */
enum sgang_progress {
	SGANG_REFUSED, /* all is given back */
	SGANG_PAUSED,  /* the members so far are committed */
	SGANG_DONE
};

/* The gang that is being committed in slices; NULL: none is. */
struct gang *sgang_slices_gang(const struct sgang_conductor *c);
/* True if such a gang still holds what it was given, and its other members
 * still wait as planned. If not, all must be given back. Call in each hold of
 * the locks. */
bool sgang_slices_as_planned(const struct sgang_conductor *c,
			     const struct gang *g);
/* Drop the plan, because nodes have other numbers. */
void sgang_slices_forget_nodes(struct gang *g);
/* End the slices of the gang. Its holds are left to the caller. */
void sgang_slices_end(struct gang *g);
/* The same for gangs that are gone, or for all before they are freed. */
void sgang_slices_sweep(struct sgang_conductor *c, bool all);

/* --- limits.c --- */

/* True if limits of associations or QOS keep the minimum of all these gangs
 * from running; 'why' says which. */
bool sgang_limits_over(struct sgang_conductor *c, struct gang *const *gangs,
		       size_t n_gangs, char *why, size_t size);
/* Check from time to time whether a limit still stops the gang's group. */
void sgang_limits_check(struct sgang_conductor *c, struct gang *g);

/* --- barred.c --- */

/* Find the gangs of which Slurm tries no member, and why. */
void sgang_barred_check_all(struct sgang_conductor *c);

/* --- probe.c --- */

/* True if these gangs might all be placed if every node of 'lent' were empty,
 * or if that is not known. */
bool sgang_probe_could(struct sgang_conductor *c, struct gang **gangs, size_t n,
		       const struct sgang_nodeset *lent);
/* Take out nodes that this turn of its group does not use. */
void sgang_probe_limit(const struct gang *g, struct sgang_nodeset *usable);
/* Cost on an empty cluster of the members that hold; 0: not known. */
uint64_t sgang_probe_best_cost(struct sgang_conductor *c, struct gang *g);

/* --- exclusive.c --- */

/* Take out the nodes of domains from which --gang-exclusive, of this gang or of
 * gangs there, bars the gang now. */
void sgang_exclusive_cut(struct sgang_conductor *c, const struct gang *g,
			 struct sgang_nodeset *nodes);
/* The nodes that a gang on 'nodes' takes from another: these, or all nodes of
 * their domains if one of the two is exclusive. To be destroyed; NULL without
 * memory. */
struct sgang_nodeset *sgang_exclusive_around(struct sgang_conductor *c,
					     const struct gang *g,
					     const struct sgang_spec *other,
					     const struct sgang_nodeset *nodes);

/* --- turns.c --- */

/* One attempt for each group that has its turn, in order of turns. */
void sgang_turns_take(struct sgang_conductor *c);

/* True if a turn of the gang tries more than free nodes: what Slurm tries first
 * (--prefer, MAGNETIC reservations), or nodes of jobs that Slurm suspends. */
bool sgang_turns_try_more(struct sgang_conductor *c, struct gang *g);

/* --- wait_policy.c --- */

/* True if the gang may wait for a cheaper place: a plan with less effort than that
 * of a start would mislead it. */
bool sgang_wait_policy_any(const struct gang *g);

/* --- never.c --- */

/* Find the complete gangs that cannot start even if no other job ran. If this
 * takes long, the next pass judges the rest. */
void sgang_never_check_all(struct sgang_conductor *c);
/* Call when an attempt has failed. Asks a plan too, if no end of jobs would
 * help. */
void sgang_never_after(struct sgang_conductor *c, struct gang *g);
/* Plan on the empty cluster. True: the gang cannot start, and g->attempt.why
 * says so. */
bool sgang_never_by_plan(struct sgang_conductor *c, struct gang *g);
/* True if the gang, or one of its group, can never start. */
bool sgang_never_any(const struct gang *g);

/* --- reservation.c --- */

/* Call between two passes when nodes are kept that were not before. */
static inline void sgang_reservation_changed(struct sgang_conductor *c)
{
	c->reservations.known = false;
}
/* Between two passes the rows stand; a pass changes them at any time. */
static inline void sgang_reservation_stand(struct sgang_conductor *c,
					   bool stand)
{
	c->reservations.stand = stand;
	c->reservations.known = false;
}
/* Take out the nodes that are freed, or kept for a new start, of gangs before
 * this one in the queue. */
void sgang_reservation_cut_before(struct sgang_conductor *c,
				  const struct gang *g,
				  struct sgang_nodeset *nodes);
/* Take out the nodes that other gangs have been promised. */
void sgang_reservation_cut_others(struct sgang_conductor *c,
				  const struct gang *g,
				  struct sgang_nodeset *nodes);

/* --- reserve.c --- */

/* The job; NULL: it is not known which, or it is gone. */
struct sgang_job *sgang_reserve_job(struct sgang_conductor *c,
				    const struct sgang_standing *s);
/* True if 'first' comes before 'asking' in the queue. */
bool sgang_reserve_before(struct sgang_conductor *c,
			  const struct sgang_standing *first,
			  const struct sgang_standing *asking);
/* End reservations of gangs that cannot start then, or are gone; jobs that
 * these may have kept off are tried again. */
void sgang_reserve_review(struct sgang_conductor *c);
/* Choose the gangs for which nodes are kept until the next pass. */
void sgang_reserve_all(struct sgang_conductor *c);

/* --- victims.c --- */

/* True if the gang must be preempted as a whole. */
bool sgang_victims_whole(const struct gang *g);

/* --- preempt.c --- */

/* Call when the turn of these gangs, which start together, has failed. If only
 * jobs that all of their members may preempt are in the way, claims their
 * nodes. True if it does. */
bool sgang_preempt(struct sgang_conductor *c, struct gang **gangs, size_t n);
/* True if Slurm, gang.conf and the gang's options allow it to preempt jobs. */
static inline bool sgang_preempt_may(const struct sgang_conductor *c,
				     const struct gang *g)
{
	return c->conf.preemption && c->host->preempt.enabled() &&
	       g->tally.spec.preempt != SGANG_PREEMPT_NO;
}

/* --- node_list.c --- */

/* Write nodes as a host list; "" if it does not fit. */
void sgang_node_list_fold(const struct sgang_conductor *c,
			  const struct sgang_nodeset *nodes,
			  char text[SGANG_CLAIM_SIZE]);
/* The known nodes of such a list, to be destroyed by the caller; NULL if it
 * cannot be read, or without memory. */
struct sgang_nodeset *sgang_node_list_read(const struct sgang_conductor *c,
					   const char *text);

/* Write nodes as a host list; if it is too long, of as many nodes as fit. The
 * rest is then neither kept nor avoided. */
void sgang_node_list_fit(struct sgang_conductor *c,
			 const struct sgang_nodeset *nodes,
			 char text[SGANG_CLAIM_SIZE]);
/* The nodes of a job with this record, also if it has just released them; to be
 * destroyed by the caller. NULL without memory. */
struct sgang_nodeset *sgang_node_list_of(const struct sgang_conductor *c,
					 struct sgang_job *job,
					 const struct sgang_record *r);

/* --- registering.c --- */

/* Add the nodes that take no job because slurmctld was started a moment ago. */
void sgang_registering(const struct sgang_conductor *c,
		       struct sgang_nodeset *nodes);
/* Add to the empty set all other nodes that take no job. */
void sgang_out_of_service(const struct sgang_conductor *c,
			  struct sgang_nodeset *nodes);
/* True if any of 'nodes' will still register. */
bool sgang_registering_any(const struct sgang_conductor *c,
			   const struct sgang_nodeset *nodes);

/* --- claim.c --- */

/* Begin a claim. The gang takes it over. */
void sgang_claim_begin(struct sgang_conductor *c, struct gang *g,
		       struct claim *claim);
/* Call when the claims are saved: signals the victims of new claims. */
void sgang_claim_strike_all(struct sgang_conductor *c);
/* Find the claims of before a restart. */
void sgang_claim_recover_all(struct sgang_conductor *c);
/* End claims that are no longer needed, and give a turn to gangs whose victims
 * are gone. */
void sgang_claim_review_all(struct sgang_conductor *c);
/* Show the pending claims, and spare the victims that plans of this pass do not
 * need. */
void sgang_claim_tell_all(struct sgang_conductor *c);
/* Call when the gang did not start on the nodes freed for it. The gang plans
 * again, or pauses preemption for a while. */
void sgang_claim_lost(struct sgang_conductor *c, struct gang *g,
		      const char *why);
/* NULL is fine. */
void sgang_claim_destroy(struct claim *claim);
/* Remove the gang's claim. Its victims are left to the caller. */
void sgang_claim_forget(struct gang *g);
/* The latest time at which its nodes are free. */
int64_t sgang_claim_until(const struct sgang_conductor *c,
			  const struct gang *g);

/* --- keep.c --- */

/* Write into the record of a requeued member, which has its begin time, the
 * nodes kept for it and the nodes it has lost. These are the nodes it had, and
 * 'also' (may be NULL). */
void sgang_keep_write(struct sgang_conductor *c, struct sgang_job *job,
		      const struct sgang_nodeset *also, struct sgang_record *r);
/* Copy these fields. */
void sgang_keep_copy(const struct sgang_record *from, struct sgang_record *to);
/* Call when a job with this record has released its nodes. */
void sgang_keep_ended(struct sgang_conductor *c, struct sgang_job *job,
		      const struct sgang_job_info *info,
		      const struct sgang_record *r);
/* Keep these nodes from all jobs until the next pass, which reads the records.
 */
void sgang_keep_at_once(struct sgang_conductor *c, struct gang *g,
			const struct sgang_nodeset *nodes);
/* Find the nodes that are kept now. */
void sgang_keep_look_all(struct sgang_conductor *c);
/* Leave only the nodes on which its turn should be tried first. False: these
 * are all. */
bool sgang_keep_limit(const struct gang *g, struct sgang_nodeset *nodes);
/* True if its turn should be tried on its kept nodes alone for now. */
bool sgang_keep_waits(const struct sgang_conductor *c, const struct gang *g);
void sgang_keep_forget(struct gang *g);

/* --- failed_nodes.c --- */

/* Read from the records which nodes have failed gangs since their start. */
void sgang_failed_look_all(struct sgang_conductor *c);
/* Call when a job with this record has released its nodes. */
void sgang_failed_note(struct sgang_conductor *c, struct sgang_job *job,
		       const struct sgang_job_info *info,
		       const struct sgang_record *r);
void sgang_failed_forget(struct gang *g);

/* --- evict.c --- */

/* Preempt the whole gang. */
void sgang_evict(struct sgang_conductor *c, struct gang *g);
/* Preempted gangs of which no member runs wait as if they had never started. */
void sgang_evict_check_all(struct sgang_conductor *c);

/* --- hold.c --- */

/* Add holds; 'jobs' have their nodes. -1 without memory: nothing changed. */
int sgang_hold_add(struct sgang_conductor *c, struct gang *g,
		   struct sgang_job *const *jobs, size_t n);
/* Give back every hold of the gang. The members are pending again, and their
 * records say why. NONE: the holds are of this attempt alone. */
void sgang_hold_give_back(struct sgang_conductor *c, struct gang *g,
			  enum sgang_hold_end why);
/* Find holds of before a restart, forget lost holds, end holds that have waited
 * long enough or cannot complete. */
void sgang_hold_check_all(struct sgang_conductor *c);
/* The same, for losses since then. */
void sgang_hold_recheck_all(struct sgang_conductor *c);
/* Describe and release complete gangs. */
void sgang_hold_release_all(struct sgang_conductor *c);
/* How long a gang may hold, by gang.conf. */
static inline struct sgang_gang_wait
sgang_hold_wait(const struct sgang_conductor *c)
{
	return (struct sgang_gang_wait){
		.otherwise = c->conf.waiting_time,
		.most = c->conf.max_waiting_time,
	};
}
/* True if it is not known yet whether slurmctld died before or after the
 * release. */
static inline bool sgang_hold_doubtful(const struct gang *g)
{
	return g->hold.state == SGANG_HOLD_DOUBTFUL ||
	       g->hold.state == SGANG_HOLD_TWO_ROUNDS;
}
/* True if slurmctld died between hold and release, or right after the release.
 */
static inline bool sgang_hold_recovered(const struct gang *g)
{
	return sgang_hold_doubtful(g) || g->hold.state == SGANG_HOLD_RELEASED;
}
/* True while the gang is being committed in slices. */
static inline bool sgang_hold_committing(const struct gang *g)
{
	return g->hold.state == SGANG_HOLD_COMMITTING;
}
/* True if it was released before slurmctld died; then no hold may be given
 * back. */
static inline bool sgang_hold_begun(const struct gang *g)
{
	return g->hold.begun && g->hold.begun == g->hold.since;
}

/* Take a member out of the holds. */
void sgang_hold_remove(struct sgang_conductor *c, struct gang *g,
		       uint32_t job_id);

/* --- failure.c --- */

/* Apply --gang-on-failure where a member was lost. */
void sgang_failure_check_all(struct sgang_conductor *c);

/* --- ends.c --- */

/* Call when a member of the last pass has ended. */
void sgang_ends_note(struct sgang_conductor *c, struct gang *g,
		     const struct sgang_job_info *info);
/* Note those that ended before a restart. */
void sgang_ends_recover_all(struct sgang_conductor *c);
/* A spare has this member rank of a member that was lost. If that has ended, it
 * counts no more. job_id: 0 if the owner is not known any more. */
void sgang_ends_replaced(struct sgang_conductor *c, struct gang *g,
			 uint32_t rank, uint32_t job_id);
/* What became of the gang, whose last member has ended. */
enum sgang_verdict sgang_ends_judge(struct sgang_conductor *c, struct gang *g);
void sgang_ends_forget(struct gang *g);

/* --- below.c --- */

/* Call when a job with this record is first seen to have ended; told: the
 * slurmctld before this one had seen it. */
void sgang_below_note_end(struct sgang_conductor *c,
			  const struct sgang_job_info *info,
			  const struct sgang_record *r, bool told);
/* Call when no member of the last start is left. The next start may be in the
 * same second. */
void sgang_below_forget(struct gang *g);
/* Find whether a policy of its members counts those that complete. */
void sgang_below_look(struct gang *g);
/* Restore the counts from the records after a restart. */
void sgang_below_recover(struct gang *g);
/* After the first look: count those that others care for. */
void sgang_below_recover_all(struct sgang_conductor *c);

/* --- replace.c --- */

/* True if --gang-on-failure=replace requeues the job. */
bool sgang_replace_is_lost(const struct sgang_job_info *info);
/* The number of requeues before it was lost. */
uint32_t sgang_replace_restarts(const struct sgang_job_info *info);
/* Requeue it. False: it has been requeued that often, or Slurm refuses. */
bool sgang_replace(struct sgang_conductor *c, const struct gang *g,
		   const struct sgang_job_info *info, uint32_t max_restarts);
/* Let gangs that have lost all members start together again. */
void sgang_replace_check_all(struct sgang_conductor *c);

/* --- restart.c --- */

/* Let a requeued member, with so many requeues before, begin soon, but not
 * before 'least' seconds. */
void sgang_restart(struct sgang_conductor *c, struct sgang_job *job,
		   uint32_t restarts, int64_t least);
/* The same; the member will begin on these nodes (may be NULL). */
void sgang_restart_on(struct sgang_conductor *c, struct sgang_job *job,
		      uint32_t restarts, int64_t least,
		      const struct sgang_nodeset *nodes);
/* These seconds, for a job that may be requeued already. */
int64_t sgang_restart_least(const struct sgang_conductor *c,
			    const struct sgang_job_info *info);
/* Set the begin time of members that have ended. */
void sgang_restart_check_all(struct sgang_conductor *c);

/* --- move.c --- */

/* Apply --gang-on-drain: find the members that leave their nodes. */
void sgang_move_check_all(struct sgang_conductor *c);
/* Call when that is saved: requeues them. */
void sgang_move_go_all(struct sgang_conductor *c);

/* --- success.c --- */

/* Apply --gang-on-success where enough members have completed. */
void sgang_success_check_all(struct sgang_conductor *c);

/* --- stale.c --- */

/* Apply --gang-on-stale where too few members run for too long. */
void sgang_stale_check_all(struct sgang_conductor *c);

/* --- nodes.c --- */

/* Let every node show the gangs on it. */
void sgang_nodes_show(struct sgang_conductor *c);
/* Call when node numbers, settings or jobs have changed: the next
 * sgang_nodes_show() begins again. */
void sgang_nodes_forget(struct sgang_conductor *c);

/* --- publish.c --- */

/* Let every member show the state of its gang. */
void sgang_publish_all(struct sgang_conductor *c);
/* Log the end of a member that was held when slurmctld died, and had run. */
void sgang_publish_tell_ended(const struct gang *g,
			      const struct sgang_job_info *info);
/* True of a member that was held when slurmctld died, and had been launched, and
 * has ended: its record does not tell its start. */
bool sgang_publish_unstarted(const struct sgang_job_info *info,
			     struct sgang_record *r);
/* Let the record of such a member say that it has started then. What follows from
 * its end is for the next pass. */
void sgang_publish_started(struct sgang_conductor *c, struct gang *g,
			   struct sgang_job *job, struct sgang_record *r,
			   int64_t started);
/* Let the record of an ended job say so, if it does not yet. */
void sgang_publish_ended(struct sgang_conductor *c,
			 const struct sgang_job_info *info);

/* --- publish_record.c --- */

/* Replace the record in the job's system_comment. 0, or -1 without memory. */
int sgang_publish_write(struct sgang_conductor *c, struct sgang_job *job,
			const struct sgang_record *r);
/* The same with the order of its nodes, where the record says `ordered`. */
int sgang_publish_place(struct sgang_conductor *c, struct sgang_job *job,
			const struct sgang_record *r, const char *order);
/* The loss of a member that has ended ends nobody: let its record say so. */
void sgang_publish_passed(struct sgang_conductor *c, const struct gang *g,
			  struct sgang_job *job);
/* Write at once the record of a member that is not placed, with this phase. The
 * member is then as if never started, unless the phase is Failed. */
void sgang_publish_phase(struct sgang_conductor *c, const struct gang *g,
			 struct sgang_job *job, enum sgang_phase phase);
/* End a job and give the reason, in its record and where Slurm shows the cause
 * of an end. */
void sgang_publish_end(struct sgang_conductor *c, const struct gang *g,
		       struct sgang_job *job, enum sgang_phase phase,
		       const char *why);
/* Fill in the fields that are equal in all records of the gang. */
void sgang_publish_fill(const struct gang *g, struct sgang_record *r);
/* Fill in the policies of its user, in the record of a member. */
void sgang_publish_own(const struct gang *g, const struct entry *e,
		       struct sgang_record *r);

/* --- account.c --- */

/* Tell accounting that the member runs, with this record. */
void sgang_account_started(struct sgang_conductor *c, struct sgang_job *job,
			   const struct sgang_record *r);
/* The same for its end, if it was ever started. */
void sgang_account_ended(struct sgang_conductor *c, struct sgang_job *job,
			 const struct sgang_record *r);

/* --- beside.c --- */

struct attempt;

/* Set 'share' to what the plan of 'a' (NULL: none) uses of each node. */
void sgang_beside_note(const struct attempt *a,
		       const struct sgang_placement *plan, struct share *share);
void sgang_beside_forget(struct share *share);
/* ... and the nodes of the plan, which become NULL. */
void sgang_beside_drop(struct sgang_nodeset **nodes, struct share *share);
/* Take out the nodes that are kept for a gang and on which the job (NULL: not
 * known) does not fit beside that share of it (NULL: all). True if any was. */
bool sgang_beside_cut(struct sgang_conductor *c,
		      const struct sgang_nodeset *kept,
		      const struct share *share, struct sgang_job *job,
		      struct sgang_nodeset *nodes);

/* --- retry.c --- */

/* Call after a failed attempt that places so many of its parts: notes what the
 * gang lacks, if a count can tell when it is there. */
void sgang_retry_lack(const struct attempt *a, size_t fit);
/* Call when `attempt.failed` is known. */
void sgang_retry_note(struct sgang_conductor *c, struct gang *g);
/* Call when something may have changed that no stamp tells of. */
void sgang_retry_forget_all(struct sgang_conductor *c);
/* True if the last attempt failed, and nothing has become free that it lacked.
 */
bool sgang_retry_stands(struct sgang_conductor *c, struct gang *g);
/* True if another attempt would have the same result. Not if the last one had
 * the nodes of backfill ('reserving') and this one has all. */
bool sgang_retry_in_vain(struct sgang_conductor *c, struct gang *g,
			 bool reserving);
void sgang_retry_drop_plan(struct gang *g);

/* --- ahead.c --- */

/* Plan gangs that have failed and may fit now. */
void sgang_ahead_plan_all(struct sgang_conductor *c);

/* --- late_member.c --- */

/* sgang_levels_cut_late() and sgang_branches_cut() for one that says this. */
int sgang_late_member_cut(struct sgang_conductor *c, struct gang *g,
			  const struct sgang_spec *spec,
			  const struct sgang_job *job,
			  struct sgang_nodeset *nodes);
/* Why a late member of this group (SGANG_ROLE_NONE: of a gang without groups)
 * waits, because of a request for levels. False: there is no such request. */
bool sgang_late_member_text(struct sgang_conductor *c, const struct gang *g,
			    uint32_t leaf, char *text, size_t size);

/* --- describe.c --- */

/* The islands that a job has of 'nodes', all of them its own; NULL if there are
 * no devices, if this is not known, or without memory. */
struct sgang_nodeset *sgang_describe_islands(struct sgang_conductor *c,
					     struct sgang_job *job,
					     const struct sgang_nodeset *nodes);

/* Write environment and record of every hold. 'plan' (may be NULL) gives the
 * order of nodes inside a member, if it matches the member's nodes. Returns 0,
 * or -1 without memory. */
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
	const char *layout; /* its ranks, as in record.h; "": not known */
	const char *role;   /* of its owners in a tree; NULL: not known */
};

/* Write environment and record of the members that take these seats now, and
 * measure the ring of all members. Returns 0, or -1 without memory. */
int sgang_describe_late(struct sgang_conductor *c, struct gang *g,
			const struct seated *seats, uint32_t n,
			const uint32_t *ranks, size_t n_ranks,
			struct sgang_ring *ring);

/* The same for a member that becomes a spare. */
int sgang_describe_spare(struct sgang_conductor *c, struct gang *g,
			 const struct seated *seats, uint32_t n,
			 struct sgang_job *job, uint32_t job_id);
/* The ring cost of these seats; UINT64_MAX without memory. */
uint64_t sgang_describe_cost(struct sgang_conductor *c, const struct gang *g,
			     const struct seated *seats, uint32_t n);

/* The members of the gang now, as text (core/gang/epoch.h). Adds their nodes to
 * 'nodes'. Returns a string the caller frees; NULL without memory. */
char *sgang_describe_epoch(struct sgang_conductor *c, struct gang *g,
			   struct sgang_nodeset *nodes);

/* --- epoch.c --- */

/* Read the epochs from the records in the first pass, before any is rewritten.
 */
void sgang_epoch_recover_all(struct sgang_conductor *c);
/* Call before the release: begins the epoch that all members start with. */
void sgang_epoch_begin(struct sgang_conductor *c, struct gang *g);
/* Call when a job takes this member rank of a gang that has started, or is a
 * spare. */
#define SGANG_RANK_SPARE UINT32_MAX
void sgang_epoch_heir(struct sgang_conductor *c, struct gang *g, uint32_t rank,
		      uint32_t job_id);
/* Find the gangs whose members or draining nodes have changed. */
void sgang_epoch_check_all(struct sgang_conductor *c);

/* --- drains.c --- */

/* Read which nodes drain now. */
void sgang_drains_look(struct sgang_conductor *c);
/* True if the node drains, at the last look. */
bool sgang_drains_has(const struct sgang_conductor *c, uint32_t node);
/* True if a node of the job drains. */
bool sgang_drains_under(struct sgang_conductor *c, struct sgang_job *job);
/* A hash of the job's draining nodes, for the member of this rank; 0: none. */
uint32_t sgang_drains_hash(struct sgang_conductor *c, struct sgang_job *job,
			   uint32_t rank);
/* Call when nodes have other numbers, and at the end. */
void sgang_drains_forget(struct sgang_conductor *c);

/* --- heir.c --- */

/* sgang_describe_holds(), where the holds of groups that follow (branches.c)
 * get seats in the gang that runs. */
int sgang_heir_describe(struct sgang_conductor *c, struct gang *g,
			const struct sgang_placement *plan);
/* Let a job that has its nodes take this seat, as sgang_ranks_look() saw them.
 * Returns 0, or -1 without memory. */
int sgang_heir_seat(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *job, uint32_t job_id, uint32_t rank,
		    uint32_t ranks);

/* True if a job with so many ranks would be a spare: it neither has a seat of
 * its own nor inherits one. */
bool sgang_heir_is_spare(struct sgang_conductor *c, struct gang *g,
			 uint32_t job_id, uint32_t ranks);

/* --- placeholder_list.c --- */

/* True if the job keeps its nodes for a member of a gang that has started. */
bool sgang_placeholder_has(const struct gang *g, uint32_t job_id);
/* True if the job is a placeholder, with nodes or without. */
bool sgang_placeholder_is(const struct sgang_conductor *c, uint32_t job_id);
/* True if all that hold are placeholders. */
bool sgang_placeholder_all(const struct sgang_conductor *c,
			   const struct gang *g);
/* Make room for so many. Returns 0, or -1 without memory. */
int sgang_placeholder_room(struct gang *g, size_t n);
/* Needs sgang_placeholder_room() before. */
void sgang_placeholder_add(struct gang *g, uint32_t job_id);
void sgang_placeholder_take_out(struct gang *g, uint32_t job_id);
/* Call when it has lost its nodes, for that reason. */
void sgang_placeholder_note_end(const struct gang *g, uint32_t job_id,
				enum sgang_hold_end why);
/* Call when the members are read: those that wait for placeholders of their
 * role to get their nodes are not eligible. */
void sgang_placeholder_bar(struct gang *g);
/* True if two roles of valid texts have the same names. */
bool sgang_placeholder_same_role(const char *a, const char *b);

/* --- placeholder_fit.c --- */

/* True if what asks for 'small' fits in place of what asks for 'large', as far
 * as is known before Slurm is asked. If not, 'why' has both sizes. */
bool sgang_placeholder_fits(const struct sgang_shape *small,
			    const struct sgang_shape *large, char *why,
			    size_t size);
/* True if the two ask for the same. */
bool sgang_placeholder_equal(const struct sgang_shape *a,
			     const struct sgang_shape *b);

/* --- placeholder_end.c --- */

/* Why a placeholder ends (1.61). */
enum placeholder_end { END_REPLACED, END_TIMEOUT, END_STOPPED, END_PREEMPTED };

/* Call when it has no nodes any more. It may have ended already. */
void sgang_placeholder_end(struct sgang_conductor *c, struct gang *g,
			   struct sgang_job *job, enum placeholder_end end);
/* End one that has its nodes. */
void sgang_placeholder_give_back(struct sgang_conductor *c, struct gang *g,
				 struct sgang_job *job, uint32_t job_id,
				 enum placeholder_end end);
/* Give its nodes to a job that starts on them now. */
void sgang_placeholder_yield(struct sgang_conductor *c, struct gang *g,
			     struct sgang_job *job);

/* --- placeholder_wait.c --- */

/* Start or fail gangs whose placeholders are not ready in time. */
void sgang_placeholder_wait_all(struct sgang_conductor *c);

/* --- placeholder_swap.c --- */

/* Give the nodes of placeholders to members that have come. */
void sgang_placeholder_swap_all(struct sgang_conductor *c);

/* --- placeholder_misfit.c --- */

/* True if this placeholder has the role and the user of a member. */
bool sgang_misfit_is_for(const struct entry *placeholder,
			 const struct sgang_spec *spec, uint32_t uid);
/* True if some placeholder of the gang has. */
bool sgang_misfit_any_for(const struct sgang_conductor *c, const struct gang *g,
			  const struct sgang_spec *spec, uint32_t uid);
/* No placeholder is for its request, for so many seconds; 'why': in which
 * respect it is larger, or "". */
void sgang_misfit_set(const struct sgang_conductor *c, struct entry *e,
		      int64_t seconds, const char *why);
bool sgang_misfit_is(const struct sgang_conductor *c, const struct entry *e,
		     uint64_t request);
/* It is larger than every placeholder of its role: let it say so, and log it
 * once. */
void sgang_misfit_note(struct sgang_conductor *c, const struct gang *g,
		       struct entry *e, const char *why);
/* Let such a member, which waits, say so again. False: it is none. */
bool sgang_misfit_tell(struct sgang_conductor *c, const struct gang *g,
		       struct entry *e);

/* --- placeholder.c --- */

/* Call instead of the release of a placeholder whose gang starts. */
void sgang_placeholder_keep(struct sgang_conductor *c, struct gang *g,
			    struct sgang_job *job);
/* Find placeholders of before a restart, end those whose time is over. */
void sgang_placeholder_check_all(struct sgang_conductor *c);

/* True if a job that is kept from its launch has had its nodes for its time
 * limit. */
static inline bool sgang_hold_is_over(const struct sgang_conductor *c,
				      const struct sgang_job_info *info)
{
	return info->time_limit != UINT32_MAX && info->began &&
	       c->host->now() - info->began >= (int64_t)info->time_limit;
}

/* --- cold_list.c --- */

/* NULL: the job is no cold spare. */
struct cold *sgang_cold_find(const struct gang *g, uint32_t job_id);
/* True if the job is held as a cold spare, or was and may not be launched yet.
 */
bool sgang_cold_has(const struct gang *g, uint32_t job_id);
/* Make room for another cold spare. Returns 0, or -1 without memory. */
int sgang_cold_room(struct gang *g);
/* Needs sgang_cold_room() before. */
struct cold *sgang_cold_add(struct gang *g, uint32_t job_id,
			    enum sgang_cold state);
void sgang_cold_take_out(struct gang *g, const struct cold *cold);
/* True if some member with a seat is to have its nodes again (cold_again.c). */
bool sgang_cold_any_again(const struct gang *g);
/* Call when the spare has lost its nodes, for that reason. */
void sgang_cold_note_end(const struct gang *g, uint32_t job_id,
			 enum sgang_hold_end why);
/* Call when the member is gone, or nodes have other numbers. */
void sgang_cold_forget_offer(struct entry *e);

/* --- cold_again.c --- */

/* Find members with a seat whose launch was lost with slurmctld. */
void sgang_cold_again_look_all(struct sgang_conductor *c);
/* Hold them on their nodes again. */
void sgang_cold_again_all(struct sgang_conductor *c);

/* --- cold_spare.c --- */

/* True if the spare only holds its nodes. */
bool sgang_cold_may_yield(struct sgang_conductor *c, const struct gang *g,
			  uint32_t job_id);
/* True if this spare may take a seat: not a cold spare that is ending. */
bool sgang_cold_usable(struct sgang_conductor *c, const struct entry *e);
/* Hold members that could start, as cold spares. */
void sgang_cold_take_all(struct sgang_conductor *c);
/* Give the spare's nodes to a job that starts on them now. */
void sgang_cold_yield(struct sgang_conductor *c, struct gang *g,
		      struct sgang_job *job, uint32_t job_id);
/* Find cold spares of before a restart, end those that have held long enough,
 * give back or forget others. */
void sgang_cold_check_all(struct sgang_conductor *c);
/* Call when the spare has a seat: launched after the next save. No effect if
 * not cold. */
void sgang_cold_promote(struct sgang_conductor *c, struct gang *g,
			struct sgang_job *job, uint32_t job_id);
/* Call when the current job state is on disk. */
void sgang_cold_saved(struct gang *g);
/* Launch cold spares that have a seat. */
void sgang_cold_release_all(struct sgang_conductor *c);

/* --- pool.c --- */

/* The pool whose spares replace lost members of the gang; NULL: there is none.
 */
struct gang *sgang_pool_of(struct sgang_conductor *c, const struct gang *g);
/* A hash of the spares of a pool. */
uint64_t sgang_pool_state(const struct gang *pool);
/* A job like the member that had this seat, at the last look; NULL: not known.
 */
struct sgang_job *sgang_pool_model(struct sgang_conductor *c,
				   const struct gang *g, uint32_t rank);
/* True if a member of a pool may replace such a job in the gang. */
bool sgang_pool_fits(struct sgang_conductor *c, struct gang *g,
		     const struct entry *e, struct sgang_job *model);
/* Make it a cold spare of the gang, with the options of that job. -1 without
 * memory: nothing changed. */
int sgang_pool_move(struct sgang_conductor *c, struct gang *g, struct entry *e,
		    struct sgang_job *model);

/* --- spare.c --- */

/* True if spares, its own or those of a pool, may replace lost members. */
static inline bool sgang_spares_any(const struct gang *g)
{
	return g->tally.spec.spares || g->tally.spec.spare_pool[0];
}

/* Give the seats of lost members to spares. */
void sgang_spare_check_all(struct sgang_conductor *c);

/* --- epoch_tell.c --- */

/* Call when the numbers are saved: tells the members. */
void sgang_epoch_tell_all(struct sgang_conductor *c);

/* --- member_ranks.c --- */

/* A member rank of a gang that has started. */
struct seat {
	uint32_t job_id;     /* its owner, present or last; 0: not known */
	uint32_t ranks;      /* 0: not known */
	uint64_t offset;     /* ranks before it */
	struct entry *owner; /* from sgang_ranks_look(); NULL: vacant */
	char *role; /* the group of its owners in a tree, as --gang-role
			      * has it; NULL: not known, or no tree */
	char layout
		[SGANG_LAYOUT_SIZE]; /* its ranks, if not those from the offset
				      * on; "": not known */
};

/* Read the present owners of the seats, without the job 'but'. Returns 0, or -1
 * without memory. */
int sgang_ranks_look(struct sgang_conductor *c, struct gang *g, uint32_t but);

/* What became of the owner of a seat, at the last look. */
enum seat_fate {
	SEAT_OWNED, /* it runs */
	SEAT_COMPLETED,
	SEAT_LOST,
	SEAT_FORGOTTEN, /* Slurm has no record of it */
};

enum seat_fate sgang_ranks_fate(const struct sgang_conductor *c,
				const struct seat *seat);
/* The member rank that a job with so many ranks would take, at the last look:
 * its own, the first vacant one of that size, or a new one at the end. In a gang
 * with spares a member that was requeued takes none of a member that has
 * completed. */
uint32_t sgang_ranks_find(const struct sgang_conductor *c, const struct gang *g,
			  uint32_t job_id, uint32_t ranks);
/* True if the member may have that seat: in a tree, one of its own group. */
bool sgang_ranks_suits(const struct gang *g, uint32_t seat,
		       const struct entry *e);
/* Let the job take it. Returns 0, or -1 without memory. */
int sgang_ranks_take(struct gang *g, uint32_t rank, uint32_t job_id,
		     uint32_t ranks);
/* Until the next look it is owned, so that nobody else finds it vacant. False:
 * its owner is not known. */
bool sgang_ranks_own(const struct sgang_conductor *c, struct gang *g,
		     uint32_t rank);
/* Add the nodes next to this member rank along the ring, at the last look.
 * False: there are none. */
bool sgang_ranks_beside(struct sgang_conductor *c, const struct gang *g,
			uint32_t rank, struct sgang_nodeset *nodes);

/* The ranks of a job that has its nodes. */
uint32_t sgang_ranks_of(struct sgang_conductor *c, struct sgang_job *job);

/* The job of a spare that has its nodes; NULL: the member is no spare. */
struct sgang_job *sgang_ranks_spare(const struct sgang_conductor *c,
				    const struct entry *e);

/* All seats at the last look, for describe.c. The caller frees the list; NULL
 * without memory. */
struct seated *sgang_ranks_list(const struct sgang_conductor *c,
				const struct gang *g);

/* Call when the members get other member ranks. */
void sgang_ranks_forget(struct gang *g);
/* Fill in the fields of the ring. */
void sgang_ranks_ring(const struct sgang_conductor *c,
		      const struct sgang_ring *ring, struct sgang_record *r);
/* Fill in the fields that change for other members when a job takes a rank. */
void sgang_ranks_tell(const struct sgang_conductor *c, const struct gang *g,
		      struct sgang_record *r);

/* --- slices_go_on.c --- */

/* Commit the next slice of a gang that has `hold.slices`. */
enum sgang_progress sgang_slices_go_on(struct sgang_conductor *c,
				       struct gang *g);

/* --- placement.c --- */

/* True if the planner chooses the order of its members in the ring (7.9). */
bool sgang_parts_any_order(const struct sgang_conductor *c,
			   const struct gang *g);

#endif
