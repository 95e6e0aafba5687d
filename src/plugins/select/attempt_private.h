/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt_private.h - what the parts of an attempt share */

#ifndef SGANG_ATTEMPT_PRIVATE_H
#define SGANG_ATTEMPT_PRIVATE_H

#include "conductor_private.h"
#include "core/fabric/parallel.h"
#include "core/plan/explain.h"

/* One member that the attempt wants to start; the tasks of a job array are one
 * part each and share what was found out about their common record. */
struct part {
	struct gang *g;
	size_t g_index; /* of it in the attempt */
	struct entry *entry;
	struct probed *probed;
	uint32_t copy;         /* which of the record's tasks */
	struct sgang_job *job; /* who got the nodes, once committed */
	uint32_t job_id;       /* between slices: of the entry, ... */
	uint64_t request;      /* ... and what it asked for */
};

/* Results for a request; members with the same request share it. */
struct probed {
	struct gang *g;
	struct sgang_job *job;          /* the one that was asked for */
	struct sgang_nodeset *usable;   /* NULL: it cannot start now */
	struct sgang_nodeset *kept;     /* Slurm would allow these now, we keep
					 * them for others. May be NULL */
	struct sgang_nodeset *required; /* must be among its nodes; NULL: none
					 */
	struct sgang_nodeset *ever;     /* when jobs that run have ended */
	struct sgang_nodeset *alone;    /* if no other job were there; asked
					 * for SGANG_EMPTY */
	int64_t *clear_at;              /* of these each from then on, by node;
					 * NULL: all always */
	struct sgang_nodeset *then;     /* at a->at; NULL: as `ever` */
	struct sgang_shape shape;
	bool fixed;                    /* the number of nodes is */
	struct sgang_nodeset *allowed; /* for the plan: nodes or islands */
	uint32_t *need;                /* for the plan of members that differ,
					* borrowed from it */
	uint32_t *split;               /* by node, the CPUs it is to have there
					* (uneven.c); NULL: as planned */
	struct probed *asked;          /* ... of which this is a copy */
};

/* How many members of each gang. */
enum extent {
	SGANG_EXTENT_TOTAL, /* up to --gang-total-number */
	SGANG_EXTENT_MINIMUM,
	SGANG_EXTENT_ANY /* up to the total, fewer will do */
};

/* A member was refused on a node of which others had parts: they were so many
 * units of these requests (one job for each). Nobody had: it is refused there.
 */
#define LESSON_WITH 16
struct lesson {
	struct sgang_job *job; /* one that asks for the same */
	uint32_t node;
	size_t n_with;
	struct {
		struct sgang_job *job;
		uint32_t units;
	} with[LESSON_WITH];
};

/* Results of the rounds of an attempt, in one hold of the locks. */
#define LESSON_FIRST 16
struct lessons {
	struct lesson *list;
	size_t n;
	struct sgang_job *first[LESSON_FIRST]; /* requests to be committed
						* before others: the last of
						* these is the first */
	size_t n_first;
	struct sgang_nodeset *avoid; /* places without effect; NULL:
				      * none */
	int places;                  /* rounds for other places, so far */
	size_t commits, rounds;      /* so far */
	bool apart;                  /* those that share CPUs keep off nodes
				      * of those that do not, */
	bool together;               /* ... for which there is no room */
	bool last;                   /* round: nothing is learned, and a
				      * member may be put anywhere */
};

/* A group that is being placed, in attempts for its gangs. */
struct search {
	struct sgang_nodeset *place; /* all in there; NULL: anywhere */
	struct sgang_nodeset *tried; /* without effect, so not in there; NULL:
				      * nowhere */
	bool decided;                /* none of its gangs waits for a better
				      * place */
};

struct attempt {
	struct sgang_conductor *c;
	const struct search *search; /* of its group, borrowed; NULL: it is of
				      * no group */
	struct lessons *lessons;     /* borrowed; NULL: none */
	size_t *order;               /* of commitment; NULL: as the parts */
	struct gang **gangs;         /* to be started together */
	size_t n_gangs;
	const struct sgang_topology *topology; /* by which they are placed */
	struct probed *probed;                 /* the different requests */
	size_t n_probed, cap_probed;
	struct part *parts; /* chosen; room for all */
	size_t n_parts;
	size_t n_done;  /* are committed, ... */
	size_t n_held;  /* ... by slices before this one, and
			 * are holds since then */
	bool slices;    /* it may be committed in slices */
	uint64_t began; /* when this slice did, in CPU time */
	struct sgang_placement *plan;
	int64_t *free_at; /* for sgang_fit_when() alone */
	int64_t at;
	char why[256];                /* it failed */
	char lacks[SGANG_LACKS_SIZE]; /* record.h */
	char unit[SGANG_UNIT_SIZE];
	char helps[SGANG_HELPS_SIZE];
	struct account *account;     /* what is told of the plan, or NULL */
	struct sgang_budget *budget; /* borrowed; NULL: of each plan its
				      * own */
	bool uneven;                 /* the plan is one of uneven.c */
	bool other;                  /* the parts are others than the first of
				      * the gang's minimum (which.c) */
	bool unfit;                  /* no plan has room for the minimum */
	bool refused;                /* Slurm refused what was planned */
	bool learned;                /* ... and the next round knows why */
	bool may_repeat;             /* a next round may follow */
	bool apart;                  /* later: as in struct lessons */
	bool trying;                 /* why it does not fit is not asked */
	struct gang *culprit;        /* whose members did not get along */
	bool limited;                /* a limit of Slurm's refused one */
};

/* What an attempt says of itself. */
struct sgang_told {
	char why[sizeof(((struct attempt *)0)->why)];
	char lacks[SGANG_LACKS_SIZE];
	char unit[SGANG_UNIT_SIZE];
	char helps[SGANG_HELPS_SIZE];
};

/* By-products of a placement. */
struct account {
	char others[SGANG_OTHERS_SIZE]; /* record.h */
	uint64_t stock_cost;            /* 0: not known */
	uint64_t best, weighted_best;   /* on an empty cluster; 0: not known */
	bool stock_estimate;
	bool told; /* all but the best is of the attempt's plan */
};

/* --- attempt.c --- */

/* Commit what is left of an attempt that was kept between slices, or as much as
 * there is time for. Its gang has no `hold.slices` meanwhile. */
enum sgang_progress sgang_attempt_go_on(struct attempt *a,
					const struct account *account);
/* Does one of these gangs ask for something of the levels of its fabric? */
bool sgang_attempt_any_level(struct gang *const *gangs, size_t n);

/* --- sharing.c --- */

/* Do some parts share CPUs, and others do not? */
bool sgang_sharing_differ(const struct attempt *a);
/* Does the plan have parts of both sorts on a node of this one? */
bool sgang_sharing_others(const struct attempt *a, size_t i);
/* Let those that share be committed first, else in the order that there is. 0,
 * or -1 without memory. */
int sgang_sharing_order(struct attempt *a);
/* What the part must leave on its nodes for those that do not share, in CPUs by
 * node. NULL: nothing, or without memory. Free it. */
uint32_t *sgang_sharing_spare(const struct attempt *a, size_t i);

/* --- slices.c --- */

/* Is it time to leave the locks to others before that part is committed? */
bool sgang_slices_due(const struct attempt *a, size_t part);

/* --- probe.c --- */

/* Begin an attempt to start these gangs, which are borrowed. 0, or -1 without
 * memory. Close it in either case. */
int sgang_probe_open(struct attempt *a, struct sgang_conductor *c,
		     struct gang **gangs, size_t n);
void sgang_probe_close(struct attempt *a);
/* Ask what each member that is pending and eligible could have; a->why is what
 * the last that could not start lacks. */
void sgang_probe_all(struct attempt *a);
/* Is as much free as --gang-min-tres asks for (0.15)? 0, or -1 with a->why and
 * a->culprit. */
int sgang_probe_room(struct attempt *a);

/* --- learn.c --- */

void sgang_learn_forget(struct lessons *l);
/* ... and the places tried without effect. */
void sgang_learn_end(struct lessons *l);
/* May another round follow this one, whose plan is made? Not after too many. */
bool sgang_learn_may_repeat(struct attempt *a);
/* Slurm refused the nth member to be committed the nodes that the plan gives
 * it. False: nothing follows from that. */
bool sgang_learn(struct attempt *a, size_t nth);
/* The order of commitment is set. 0, or -1 without memory. */
int sgang_learn_order(struct attempt *a);
/* The part that comes so many others after the first. */
size_t sgang_learn_nth(const struct attempt *a, size_t i);
/* Take out the nodes on which Slurm refused a request like this. */
void sgang_learn_forbid(const struct attempt *a, struct sgang_job *job,
			struct sgang_nodeset *usable);
/* Lower what is free, by node and dimension, to what Slurm accepted. */
void sgang_learn_cap(const struct attempt *a,
		     const struct sgang_resources *resources,
		     const uint8_t *type, uint32_t *free);
/* The same in pieces on one node. */
uint32_t sgang_learn_most(const struct attempt *a, uint32_t node);
/* A plan that keeps to what was learned proves nothing: more is kept off a node
 * than Slurm has refused there. */
void sgang_learn_unproved(const struct attempt *a,
			  struct sgang_placement *plan);

/* --- nofit_report.c --- */

/* Say in nofit->text and a->lacks what the plan lacks; 'resources': what is
 * counted, NULL: slots are pieces of the members' size. */
void sgang_nofit_report(struct attempt *a, const struct sgang_plan_request *rq,
			const struct sgang_resources *resources,
			struct sgang_nofit *nofit);

/* The parts fit in no shares on nodes of a domain of that level (uneven.c): say
 * so in a->why and a->lacks. 'nofit' has the amounts of 'what', which is "CPUs"
 * or as a resource is called, of all nodes and by domain, and in its text what
 * is to be said where there is enough. 'room': where any of them may be. */
void sgang_nofit_report_shares(struct attempt *a, uint32_t level,
			       const struct sgang_nodeset *room,
			       const char *what, struct sgang_nofit *nofit);

/* --- helps.c --- */

/* Say in a->helps what would let the parts start: no end of a job within its
 * time limit does ('when' is INT64_MAX), or at 'when' (seconds since the epoch)
 * they fit. Between sgang_fit_begin() and sgang_fit_end(). What the requests
 * could have is another afterwards. */
void sgang_helps_find(struct attempt *a, int64_t when);
/* ... when Slurm would not even try this request: nodes that it asks for are
 * out of service. In a->why if it requires just these. */
void sgang_helps_refused(struct attempt *a, const struct probed *p);

/* --- levels.c --- */

/* The nodes of the domain of the highest level allowed now that the plan of 'a'
 * is in. NULL without memory. */
struct sgang_nodeset *sgang_levels_place(const struct attempt *a);

/* The highest level that the parts may span at that time (4.24, 4.25), or -1
 * and in 'nofit' which level gang.conf does not have. */
int sgang_levels_limit(const struct attempt *a, int64_t when,
		       struct sgang_nofit *nofit);
/* The level of which each member must have a domain to itself; -1: none. */
int sgang_levels_spread(const struct attempt *a);
/* When a limit that is only preferred ends; 0: there is none. */
int64_t sgang_levels_relax(const struct attempt *a);
/* Request of the gang's group as a whole; empty if no gang of it has one. */
void sgang_levels_of_group(const struct gang *g, struct sgang_policy *policy);
/* Add the nodes that members of the gang have now. False: 'nodes' is empty. */
bool sgang_levels_nodes_of(struct sgang_conductor *c, const struct gang *g,
			   struct sgang_nodeset *nodes);
/* The level of that name; -1: "", or there is none. */
int sgang_levels_find(const struct sgang_conductor *c, const char *name);
/* Take out the nodes that a member that starts after its gang must keep off.
 * What is only preferred, or asked of gangs that start together, is not asked
 * of it. */
void sgang_levels_cut_late(struct sgang_conductor *c, struct gang *g,
			   struct sgang_nodeset *nodes);
/* Take out the nodes that the gang must keep off because of what it and its
 * group have already, and of where the attempt looks. */
void sgang_levels_cut(const struct attempt *a, struct gang *g,
		      struct sgang_nodeset *nodes);
/* ... because others of the gang have just been placed on 'theirs'. */
void sgang_levels_cut_beside(struct sgang_conductor *c, struct gang *g,
			     const struct sgang_nodeset *theirs,
			     struct sgang_nodeset *nodes);

/* --- exclusive.c --- */

/* The i-th of the gang's jobs, NULL if it has no nodes, and how many there are;
 * a hold that has just been added may come twice. */
size_t sgang_exclusive_jobs(const struct gang *g);
struct sgang_job *sgang_exclusive_job(const struct sgang_conductor *c,
				      const struct gang *g, size_t i);
/* Set clear_at of all requests, when a->free_at is known; set `then` of them,
 * when a->at is. -1 without memory. */
int sgang_exclusive_prepare(struct attempt *a);
int sgang_exclusive_then(struct attempt *a);

/* --- preempt_group.c --- */

/* Room for the gangs of an attempt one by one, at a->at and with all parts in
 * ring order. */
struct several {
	struct attempt *a;
	struct sgang_nodeset **nodes; /* by gang, if all fit */
	size_t *order;                /* in which they are planned */
	struct sgang_nodeset *taken;  /* by those before */
	struct sgang_nodeset *place;  /* of the group; NULL: anywhere */
	int spread;                   /* level of which each has domains of
				       * its own; -1: none */
	bool may_reorder;
};

/* Does it take more than a joint plan? */
bool sgang_several_needed(const struct attempt *a);
/* How many sets of victims there are plans for; 0: too few. */
uint32_t sgang_several_sets(const struct attempt *a);
/* 0, or -1 without memory. Close it in either case. */
int sgang_several_open(struct several *s, struct attempt *a);
void sgang_several_close(struct several *s);
/* Do all of them fit? Then '*cost' is of their rings together. */
bool sgang_several_fit(struct several *s, uint64_t *cost);

/* --- wait_policy.c --- */

/* The parts of a single gang fit now, as a->plan says. Is there a better place
 * later that is worth waiting for? Then a->why and the gang's joint.start are
 * set, else its attempt.choice. */
bool sgang_wait_policy_waits(struct attempt *a);

/* --- placement.c --- */

/* The moment that is planned for. */
enum sgang_moment {
	SGANG_NOW,
	SGANG_LATER, /* a->at, by a->free_at */
	SGANG_EMPTY  /* as if no job ran */
};

/* Plan for the parts as they stand. The places of the plan are islands where
 * the conductor has devices, else nodes. 'account', for a plan of SGANG_NOW, is
 * told what else there is; NULL: nobody asks. Returns as sgang_plan(). */
int sgang_parts_place(struct attempt *a, enum sgang_moment moment,
		      struct account *account, struct sgang_placement **plan,
		      struct sgang_nofit *nofit);

/* Call 'use' with a request for the parts at a->at, resource by resource, and
 * what these are: what is free counts these jobs, but where the parts may be is
 * as if they were gone. Returns what 'use' does, or -1. */
typedef int sgang_parts_use(const struct sgang_plan_request *request,
			    const struct sgang_resources *resources, void *arg);
int sgang_parts_count(struct attempt *a, struct sgang_job *const *gone,
		      size_t n_gone, sgang_parts_use *use, void *arg);

/* Set p->allowed to the nodes on which a piece of it fits at that moment. -1
 * without memory. */
int sgang_parts_allow(struct attempt *a, struct probed *p,
		      enum sgang_moment moment);
/* What nodes have at that moment of what is counted, n_dims numbers by node,
 * and what there is. */
void sgang_parts_amounts(const struct attempt *a,
			 const struct sgang_resources *resources,
			 enum sgang_moment moment, uint32_t *total,
			 uint32_t *free);

/* Let the needs of a request not keep it apart from others. */
void sgang_parts_share(const struct sgang_resources *resources, uint32_t *need);

/* Fill in what the plan has not told: what an empty cluster would give, and what
 * else could have been chosen and Slurm by itself would have. Before the commit:
 * the request of an exclusive job is another one then. Takes the time of a plan
 * or two. */
void sgang_parts_account(struct attempt *a, struct account *account);

/* What the same members would cost on an empty cluster; 0 when even that does
 * not fit. '*weighted' (may be NULL): the same of communication groups. */
uint64_t sgang_fit_best_cost(struct attempt *a, uint64_t *weighted);

/* --- fit.c --- */

/* Plan for the parts; a->plan is set, and they are in the order of its ring.
 * Returns 0, or -1 with a->why filled. */
int sgang_fit_parts(struct attempt *a);

/* Of the first parts in the order in which they are taken, how many fit, if no
 * more than 'most' do? */
size_t sgang_fit_how_many(struct attempt *a, size_t most);

/* Would the parts as they are fit then, with a->free_at? */
bool sgang_fit_at(struct attempt *a, int64_t when);

/* Moments at which nodes become free, ascending, the first being now; to be
 * ended with sgang_fit_end(). NULL without memory. */
int64_t *sgang_fit_begin(struct attempt *a, size_t *n);
void sgang_fit_end(struct attempt *a, int64_t *times);
/* In between: the first of these moments at which the parts fit, INT64_MAX when
 * there is none. g->joint.nodes of their gangs is set. */
int64_t sgang_fit_first(struct attempt *a, const int64_t *times, size_t n);
/* In between: do the parts as they are fit then? '*nodes' is then filled with
 * where. */
bool sgang_fit_nodes_at(struct attempt *a, int64_t when,
			struct sgang_nodeset *nodes);
/* In between: the cost of the parts then; 0: they do not fit. */
uint64_t sgang_fit_cost_at(struct attempt *a, int64_t when);
/* In between: keep in g->joint.nodes where the parts would be then. */
void sgang_fit_note_planned(struct attempt *a, int64_t when);

/* --- which.c --- */

/* The first members of the minimum do not fit. Would others then ('when' as for
 * sgang_fewer_fit())? 1: they are the parts now; 0, or -1 when that was not
 * found out: the parts are as before. */
int sgang_which_fit(struct attempt *a, int64_t when);

/* The same at one of these moments before 'first', at which the first members
 * fit: the first of them, and they are the parts and g->joint.nodes is set;
 * else 'first'. */
int64_t sgang_which_when(struct attempt *a, const int64_t *times, size_t n,
			 int64_t first);

/* How many of these, in take order, does --gang-order put into a minimum of so
 * many? They cannot be left out. */
size_t sgang_which_first(const struct part *parts, size_t n, size_t need);

/* How many nodes the minimum needs, whichever members it is of, if each takes
 * whole ones, else 0. */
uint32_t sgang_which_whole_nodes(struct attempt *a);

/* --- fewer.c --- */

/* Of so many members every combination of numbers of nodes may be tried. */
#define SGANG_FEWER_PARTS 8

/* The parts do not fit. Would they then ('when' as for sgang_fit_at(); 0: now,
 * and a->plan is set as by sgang_fit_parts()) on fewer nodes, where members
 * said a range? Then their requests are for so many, else as before, and a->why
 * is of the fewest. */
bool sgang_fewer_fit(struct attempt *a, int64_t when);

/* Let members with a range ask for its lower end; where that makes nothing
 * easier they stay as they are. */
void sgang_fewer_least(struct attempt *a, int64_t when);

/* --- uneven.c --- */

/* Gangs of no more parts are looked at. */
#define SGANG_UNEVEN_PARTS 128

/* The parts do not fit if each has the same number of tasks on all of its
 * nodes. Do they in other shares ('when' as for sgang_fewer_fit(); 0: a->plan
 * is set, and CPUs by node are in `split` of what their requests have become)?
 * 1 or 0, or -1 when that was not found out; then the requests are as before.
 */
int sgang_uneven_fit(struct attempt *a, int64_t when);

/* The first of these moments at which they fit in some shares, as
 * sgang_fit_when(); INT64_MAX: none, or it was not found out. g->joint.nodes is
 * set. */
int64_t sgang_uneven_when(struct attempt *a, const int64_t *times, size_t n);

/* The plan gives each node of a part the same share. Where another share could
 * make it cheaper it is not called exact, and its bound is one for all shares.
 */
void sgang_uneven_doubt(struct attempt *a);

/* --- parts.c --- */

void sgang_told_keep(const struct attempt *a, struct sgang_told *told);
void sgang_told_again(struct attempt *a, const struct sgang_told *told);

/* The CPUs that a run of the plan has on its node. */
uint32_t sgang_part_cpus(const struct probed *p, const struct sgang_run *run);
/* Another one of what was found out about a request, for fewer nodes. 0, or -1
 * without memory. Free it; what it owns, not the struct. */
int sgang_probed_copy(struct probed *to, const struct probed *from,
		      uint32_t n_nodes);
void sgang_probed_free(struct probed *p);

/* The node that a run of such a plan is on. */
uint32_t sgang_parts_node(const struct sgang_conductor *c,
			  const struct sgang_run *run);

/* Order of two parts when not all can be taken, for qsort(). */
int sgang_fit_take_order(const void *a, const void *b);

/* Add the member's tasks to the parts; 'index' is its gang's in the attempt. */
void sgang_fit_add(struct attempt *a, size_t index, struct entry *e);

/* Choose the parts: of every gang the members that Slurm would start now, in
 * the order in which they are taken. Returns 0, or -1 with a->why and
 * a->culprit when one has too few of them. */
int sgang_fit_choose(struct attempt *a, enum extent extent);

/* Put the parts into ring order, gang after gang. */
void sgang_fit_ring_order(struct attempt *a);
/* What a plan minimises: the weighted cost of communication groups, or the ring
 * cost. */
uint64_t sgang_fit_cost(const struct sgang_placement *plan);

/* --- slices_keep.c --- */

/* Let the attempt go on in the next pass: 'a' has nothing any more. PAUSED, or
 * without memory REFUSED with all given back. */
enum sgang_progress sgang_slices_keep(struct attempt *a,
				      const struct account *account);

/* --- fit_ways.c --- */

/* The same, on fewer nodes (fewer.c) or in other shares (uneven.c) where that
 * is asked for or allowed. */
bool sgang_fit_any(struct attempt *a);

/* Plan for as many as are expected, or if they do not fit, for as many as it
 * takes; the parts are in ring order then. Returns 0, or -1 with a->why, and
 * a->unfit unless it is for other reasons. */
int sgang_fit(struct attempt *a);

/* The first moment (seconds since the epoch) at which all parts fit if every
 * job runs to its time limit and no other starts; INT64_MAX when there is none,
 * 0 without memory. */
int64_t sgang_fit_when(struct attempt *a);

#endif
