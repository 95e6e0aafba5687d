/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.h - the gang's record in a job's system_comment
 *
 *   gang=alice/train phase=running rank=2/4 ring=38 cross=2 tier=spine min=4
 *   total=4 satisfied=1 attempts=1 best=14 off=8 ranks=16 exact=1
 *
 * A line of blank-separated key=value words. The words for users come first, up
 * to tier. The words of a placement (rank to tier, best to exact) are either
 * all there or none of them, and hops=, bound=, stock=, stockest=, sorted=,
 * ordercost=, wcost=, wbest=, others=, at= only with them. What the gang said,
 * what was tried and when stand in between: mode=nonstrict match=..
 * onfailure=kill wait=600 groups=a/b,c/d created=.. since=.. started=.. tried=6
 * skipped=4 round=3 holdend=timeout heldfor=600 object=1, each left out when
 * there is nothing to say. The select plugin writes the record into every
 * member, Slurm saves and shows it, sgang reads it. Text that somebody else put
 * into the field stays in front of the record.
 */

#ifndef SGANG_RECORD_H
#define SGANG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asks.h"
#include "spec.h"
#include "verdict.h"

/* design section 5; strings in record.c. The last four are those of a gang that
 * has ended (verdict.h); a member that has ended says FAILED or FINISHED. */
enum sgang_phase {
	SGANG_PHASE_UNDEFINED,
	SGANG_PHASE_GATHERING,
	SGANG_PHASE_WAITING,
	SGANG_PHASE_HOLDING,
	SGANG_PHASE_STARTING,
	SGANG_PHASE_RUNNING,
	SGANG_PHASE_TIMEOUT,
	SGANG_PHASE_FAILED,
	SGANG_PHASE_FINISHED,
	SGANG_PHASE_CANCELLED,
	SGANG_PHASE_TIME_LIMIT,
	SGANG_PHASES
};

/* "Gathering"; sgang list and the log use the same words, the record lower
 * case. */
const char *sgang_phase_name(enum sgang_phase phase);
/* -1 when there is none of that name. Case is ignored. */
int sgang_phase_find(const char *name);
/* The phase of a gang of which that became. */
enum sgang_phase sgang_phase_of_verdict(enum sgang_verdict verdict);

/* Why members do not hold their nodes any more without having been started. */
enum sgang_hold_end {
	SGANG_HOLD_END_NONE,       /* it was not so */
	SGANG_HOLD_END_USER,       /* somebody cancelled, requeued or
				    * held one, or its deadline came */
	SGANG_HOLD_END_TIMEOUT,    /* the gang's waiting time was over */
	SGANG_HOLD_END_PREEMPTED,  /* Slurm preempted one */
	SGANG_HOLD_END_REPLACED,   /* another gang could start instead */
	SGANG_HOLD_END_NODE,       /* a node was lost */
	SGANG_HOLD_END_LIMIT,      /* a limit stops the gang */
	SGANG_HOLD_END_FAILED,     /* one ended by itself (its
				    * PrologSlurmctld, its deadline), or a
				    * member that ran was lost */
	SGANG_HOLD_END_INCOMPLETE, /* too few members are left, or its
				    * group is not there any more */
	SGANG_HOLD_ENDS
};

/* "timeout", as in the record and the log. */
const char *sgang_hold_end_word(enum sgang_hold_end end);

/* Records are copied and compared for every member in every pass, so these are
 * no larger than is useful. */
#define SGANG_HOPS_SIZE 128
#define SGANG_OTHERS_SIZE 160
#define SGANG_AT_SIZE 512
#define SGANG_LACKS_SIZE 256
#define SGANG_UNIT_SIZE 24
#define SGANG_HELPS_SIZE 96
#define SGANG_LAYOUT_SIZE 160
#define SGANG_CHOICE_SIZE 112
#define SGANG_CLAIM_SIZE 160
#define SGANG_VICTIMS_SIZE 96
#define SGANG_PREEMPTS_SIZE 32

/* A word of `ended`. */
#define SGANG_ENDED_SIZE 12

/* A word of `stays`. */
#define SGANG_STAYS_SIZE 12

/* The member rank of a member at the last start of its gang, of so many; 0/0:
 * it had none. */
struct sgang_was {
	uint32_t rank, members;
};

struct sgang_record {
	char ns[SGANG_NAMESPACE_MAX + 1];
	char name[SGANG_NAME_MAX + 1];
	enum sgang_phase phase;
	uint32_t min_member;
	uint32_t total;
	bool satisfied;    /* the gang has started once */
	uint32_t attempts; /* transactions tried for it so far: the
			    * cycle of behaviours 0.39 to 0.41 */
	uint32_t tried;    /* members the last one tried ... */
	uint32_t skipped;  /* ... and those it did not (0.3) */
	uint32_t round;    /* attempt in which this member was
			    * tried last (0.39) */
	/* what the gang said; UNSET, 0 and "" are not written */
	enum sgang_mode mode;
	enum sgang_match match;
	enum sgang_on_failure on_failure;
	uint32_t max_restarts;
	enum sgang_on_failure on_stale;
	uint32_t stale_grace; /* seconds, SGANG_FOREVER */
	uint32_t on_success;  /* members, SGANG_ON_SUCCESS_LEADER */
	enum sgang_on_failure on_drain;
	uint32_t waiting_time; /* seconds, SGANG_FOREVER */
	char groups[SGANG_GROUPS_SIZE];
	char role[SGANG_ROLE_SIZE]; /* this member's groups, and all that is
					 * known of what they need */
	uint32_t root_min;          /* of a tree: the groups that the gang
					 * needs; 0: it is none */
	char asks[SGANG_ASKS_SIZE]; /* the rest of it, see asks.h; order
				     * and rank are this member's own */
	/* seconds since the epoch; 0: not known, not written */
	int64_t created;              /* the gang came to be (0.33) */
	int64_t since;                /* its first member was placed (0.12) */
	int64_t until;                /* its waiting time ends then, the
				       * site's if it asked for none; also 0:
				       * it does not run, or has no end */
	int64_t started;              /* it was released; this member with it
				       * or after it */
	enum sgang_hold_end hold_end; /* of its last hold, until it holds
				       * again */
	uint32_t held_for;            /* seconds that this member of a
				       * nonstrict gang has held nodes in all,
				       * its present hold not counted */
	bool object;                  /* of a definition, not of a member */
	char lacks[SGANG_LACKS_SIZE]; /* of a gang that waits, by place: units
				       * that fit, those needed, and why the
				       * others do not: "r1:2/4:busy=2" */
	char unit[SGANG_UNIT_SIZE];   /* ... what a unit is: "node", "4xGPU";
				       * causes count nodes */
	char helps[SGANG_HELPS_SIZE]; /* ... what lets it start, if not the
				       * end of a job within its time limit:
				       * "jobs:17", see doc/formats */
	char claim[SGANG_CLAIM_SIZE]; /* ... the nodes that are freed for
				       * it, as a host list; "": it preempts
				       * nobody ... */
	int64_t claimed;              /* ... since then, seconds since the
				       * epoch; 0: "" */
	char victims[SGANG_VICTIMS_SIZE];   /* ... the jobs that it preempts:
					   * "812:bob,813:bob", the last with
					   * "..." where there are more */
	char preempts[SGANG_PREEMPTS_SIZE]; /* ... why it preempts nobody, where
					     * Slurm preempts: "few:5" */
	char would[SGANG_CLAIM_SIZE]; /* ... the nodes of `victims` that it
				       * would preempt if it were let, as a
				       * host list */
	bool evicted;   /* the gang is being preempted as a whole: it
		       * waits again once none of it runs */
	int64_t stale;  /* fewer of the gang run than its minimum, since
			     * then */
	uint32_t done;  /* members of this start that have completed */
	bool success;   /* it was ended, as its gang was done without it */
	bool by_itself; /* its phase is FAILED, but no policy ended it */
	bool replaced;  /* it was lost, and a spare has its place */
	enum sgang_verdict verdict; /* of its gang, which ended with it */
	int64_t recall; /* somebody who may wants this member that runs
			 * requeued with all others, since then */
	int64_t leaves; /* since then it is to be requeued, as a node of its
			  * drains, which is no loss */
	char stays[SGANG_STAYS_SIZE]; /* ... why it is not: "requeue",
				       * "restarts", "nodes", "queue" */
	bool user_hold; /* its user held it while PrologSlurmctld ran, and may
			 * release it */
	bool spare;     /* it runs, and has no member rank until another one is
		     * lost */
	bool cold;      /* it has its nodes and is not launched, or may not be
			  * yet: a spare or, with a place, one that was */
	bool pool;      /* its gang is a pool: it is a spare for other gangs */
	bool placeholder; /* it keeps its nodes for a member to come ... */
	bool came;        /* ... of a gang in which such members have run */
	char ended[SGANG_ENDED_SIZE]; /* ... and why it does no more:
				       * "replaced", "timeout", "stopped",
				       * "preempted" */
	int64_t restart;      /* it was requeued with its gang or in place of a
			     * lost one, and may begin then */
	uint64_t place;       /* ... with this place in Slurm's queue, which the
			     * requeue took from it; 0: it did not */
	struct sgang_was was; /* it waits again, and had a member rank */
	char kept[SGANG_CLAIM_SIZE]; /* ... the nodes that it had, as a host
				      * list, if nobody behind it gets them ... */
	int64_t kept_until;          /* ... until then */
	char lost[SGANG_CLAIM_SIZE]; /* ... and those of them that were out of
				      * service, as a host list: others come
				      * first. While it runs: those where its
				      * gang has lost members since its start */
	uint32_t epoch;     /* changes of who is in it, once it has started */
	uint32_t epoch_who; /* ... a hash of those who were in it then */
	/* known once the gang has a placement (placed == true) */
	bool placed;
	bool exact;
	uint32_t member_rank; /* position of this member */
	uint32_t members;     /* members that started together */
	uint64_t rank_offset; /* ranks before this member */
	uint64_t ranks;       /* of the whole gang */
	uint64_t ring_cost;
	uint64_t ring_best; /* what an empty cluster would give */
	uint64_t cross_links;
	char tier[32];
	/* of a placement too, but not written when there is nothing to say */
	char hops[SGANG_HOPS_SIZE]; /* "island:6,leaf:2": hops per level */
	uint64_t bound;             /* no placement was cheaper; 0: it is
				     * exact, or nothing is known */
	uint64_t stock_cost;        /* of what Slurm by itself would have
				     * chosen; 0: not known */
	bool stock_estimate;        /* ... about: where core/stock.h is no
				     * more than an estimate */
	bool sorted;                /* the order of members was chosen for
				     * the ring */
	uint64_t order_cost;        /* of the ring in another order of
				     * members; 0: none is known that costs
				     * less */
	bool any_device;            /* what it has inside its nodes is not
				     * known */
	uint64_t weighted_cost;     /* with --gang-parallel */
	uint64_t weighted_best;
	char others[SGANG_OTHERS_SIZE]; /* places that were not chosen: "s2:48"
					 * cost, "s3:7/8" units of those needed
					 * that fit there */
	char choice[SGANG_CHOICE_SIZE]; /* of --gang-topology=auto: ring cost
					 * here and the seconds that it adds to
					 * the run, "56:480"; of the best place
					 * later its time, cost and seconds,
					 * "56:480,1795261938:40:0" */
	char layout[SGANG_LAYOUT_SIZE]; /* this member's ranks in the order of
					 * the ring, "0-3,8-11", when they are
					 * not rank_offset and so on */
	char at[SGANG_AT_SIZE];         /* this member's nodes in ring order, as
					 * a host list; "" when it is longer:
					 * then ... */
	bool ordered;                   /* ... the text has their order, see
					 * sgang_record_order() */
};

/* The record as text, after 'foreign' (what was in the field before, may be
 * NULL or hold an older record, which is replaced). The order of many nodes is
 * no part of struct sgang_record: where that says `ordered` the order= of the
 * older record is taken over. Returns a string the caller frees, or NULL with
 * ENOMEM. */
char *sgang_record_format(const struct sgang_record *record,
			  const char *foreign);

/* The same with this order (node_order.h), if the record says `ordered`. */
char *sgang_record_format_ordered(const struct sgang_record *record,
				  const char *order, const char *foreign);

/* The order= of the record in 'text' (NULL is fine). Returns a string the
 * caller frees, or NULL with errno ENOENT (it has none) or ENOMEM. */
char *sgang_record_order(const char *text);

/* Find and read the record in 'text' (NULL is fine). Returns 1 and fills
 * '*record'; 0 when there is none or it cannot be read ('*record' untouched).
 * Keys it does not know are skipped, so that a newer writer can be read. */
int sgang_record_parse(const char *text, struct sgang_record *record);

/* The member rank that it has, or had before it was requeued. */
struct sgang_was sgang_record_was(const struct sgang_record *record);

/* The short record that users and accounting read, with what became of the
 * member and nothing else:
 * "gang=NS/NAME phase=PHASE rank=R/N ring=C cross=X tier=LEVEL heldfor=S"; rank
 * to tier only with a placement, heldfor only when it has held nodes.
 * 'foreign', the result and the errors are those of sgang_record_format(), of
 * which each replaces what the other wrote. */
char *sgang_record_brief(const struct sgang_record *record,
			 const char *foreign);

/* As sgang_record_parse(), but a short record will do; what it does not say is
 * 0 or "" in '*record'. */
int sgang_record_parse_brief(const char *text, struct sgang_record *record);

/* The variable that sgang requeue writes into the SPANK environment of an
 * update. */
#define SGANG_RECORD_RECALL SGANG_SPEC_ENV "gang_recall=1"

/* Does a record in 'text' say that its job's part in the gang is over? */
bool sgang_record_has_ended(const char *text);

#endif
