/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt_private.h - shared by the parts of an attempt */

#ifndef SGANG_ATTEMPT_PRIVATE_H
#define SGANG_ATTEMPT_PRIVATE_H

#include "conductor_private.h"
#include "core/fabric/parallel.h"
#include "core/plan/explain.h"

/* A member that the attempt wants to start. Each task of a job array is a part;
 * they share the results for their common record. */
struct part {
	struct gang *g;
	size_t g_index; /* of it in the attempt */
	struct entry *entry;
	struct probed *probed;
	uint32_t copy;         /* index of the record's task */
	struct sgang_job *job; /* the job with the nodes, once committed */
	uint32_t job_id;       /* between slices: of the entry, ... */
	uint64_t request;      /* ... and its request */
};

/* Results for a request, shared by members with the same request. */
struct probed {
	struct gang *g;
	struct sgang_job *job;          /* the job Slurm was asked about */
	struct sgang_nodeset *usable;   /* NULL: it cannot start now */
	struct sgang_nodeset *kept;     /* allowed by Slurm now, but kept for
					 * others. May be NULL */
	struct sgang_nodeset *required; /* must be among its nodes; NULL: none
					 */
	struct sgang_nodeset *ever;     /* after the running jobs have ended */
	struct sgang_nodeset *alone;    /* if no other job ran; set for
					 * SGANG_EMPTY */
	int64_t *clear_at;              /* time from which each is free, by
					 * node; NULL: all always */
	struct sgang_nodeset *then;     /* at a->at; NULL: as `ever` */
	struct sgang_shape shape;
	bool fixed;                    /* the number of nodes is fixed */
	struct sgang_nodeset *allowed; /* for the plan: nodes or islands */
	uint32_t *need;                /* for a plan of different members,
					* borrowed from it */
	uint32_t *split;               /* CPUs to allocate, by node (uneven.c);
					* NULL: as planned */
	uint32_t *gres;                /* ... and GRES of the whole job */
	uint32_t leaf;                 /* the group of that job in a tree */
	struct probed *asked;          /* ... of which this is a copy */
};

/* True if fewer nodes will do. */
static inline bool sgang_probed_range(const struct probed *p)
{
	return p->fixed && p->shape.least_nodes &&
	       p->shape.least_nodes < p->shape.min_nodes;
}

/* The number of members of each gang. */
enum extent {
	SGANG_EXTENT_TOTAL, /* up to --gang-total-number */
	SGANG_EXTENT_MINIMUM,
	SGANG_EXTENT_ANY /* up to the total, fewer will do */
};

/* A member was refused on a node that others had parts of: so many units of
 * these requests (one job for each). None: the node refuses it by itself. */
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
	struct sgang_job *first[LESSON_FIRST]; /* requests to commit before
						* others, the last of these
						* first */
	size_t n_first;
	struct sgang_nodeset *avoid; /* places tried without effect; NULL: none
				      */
	int places;                  /* rounds so far for other places */
	size_t commits, rounds;      /* so far */
	bool apart;                  /* parts that share CPUs avoid nodes of
				      * parts that do not, */
	bool together;               /* ... which there is no room for */
	bool last;                   /* last round: nothing is learned, and a
				      * member may go anywhere */
};

/* State of a group while its gangs are attempted. */
struct search {
	struct sgang_nodeset *place; /* for all of them; NULL: anywhere */
	struct sgang_nodeset *tried; /* tried without effect, so avoided; NULL:
				      * none */
	bool decided;                /* no gang of it waits for a better place
				      */
};

struct attempt {
	struct sgang_conductor *c;
	const struct search *search; /* of its group, borrowed; NULL: no group
				      */
	struct lessons *lessons;     /* borrowed; NULL: none */
	size_t *order;               /* of commitment; NULL: order of the parts
				      */
	struct gang **gangs;         /* to start together */
	size_t n_gangs;
	const struct sgang_topology *topology; /* used for the placement */
	struct probed *probed;                 /* the different requests */
	size_t n_probed, cap_probed;
	struct part *parts; /* chosen parts; room for all */
	size_t n_parts;
	size_t n_done;  /* committed parts, ... */
	size_t n_held;  /* ... those that earlier slices committed, now holds */
	bool slices;    /* may be committed in slices */
	bool dry;       /* nothing is committed */
	uint64_t began; /* start of this slice, in CPU time */
	struct sgang_placement *plan;
	int64_t *free_at; /* only for sgang_fit_when() */
	int64_t *aside;   /* ... until when each node is set aside for jobs
			   * before the gangs; NULL: none is */
	int64_t at;
	char why[256];                /* why it failed */
	char elsewhere[256];          /* why a member got other nodes than those
				       * that were planned: others lack them */
	char lacks[SGANG_LACKS_SIZE]; /* record.h */
	char unit[SGANG_UNIT_SIZE];
	char helps[SGANG_HELPS_SIZE];
	struct account *account;     /* by-products of the plan, or NULL */
	struct sgang_budget *budget; /* borrowed; NULL: each plan has its own */
	struct sgang_units *units;   /* known of nodes (units.c), or NULL */
	bool uneven;                 /* the plan is from uneven.c */
	bool other;                  /* the parts are not the first of the
				      * gang's minimum (which.c) */
	bool unfit;                  /* no plan has room for the minimum */
	bool refused;                /* Slurm refused the plan */
	bool learned;                /* ... and the next round knows why */
	bool may_repeat;             /* a next round may follow */
	bool apart;                  /* later: as in struct lessons */
	bool trying;                 /* the reason why it does not fit is not
				      * needed */
	enum sgang_effort effort;    /* of the plan */
	struct gang *culprit;        /* the gang whose members did not fit
				      * together */
	bool limited;                /* a Slurm limit refused a member */
};

/* The texts of an attempt's result. */
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
	bool told; /* all but the best costs are of the attempt's plan */
};

/* --- attempt.c --- */

/* Commit the rest of an attempt that was kept between slices, or as much as
 * there is time for. During the call its gang has no `hold.slices`. */
enum sgang_progress sgang_attempt_go_on(struct attempt *a,
					const struct account *account);
/* Find when it will fit, after it did not: sets the gangs' `joint`. */
void sgang_attempt_look_ahead(struct attempt *a);
/* True if one of these gangs has a request for levels of its fabric. */
bool sgang_attempt_any_level(struct gang *const *gangs, size_t n);

/* --- sharing.c --- */

/* True if some parts share CPUs and others do not. */
bool sgang_sharing_differ(const struct attempt *a);
/* True if the plan has parts of both sorts on a node of this part. */
bool sgang_sharing_others(const struct attempt *a, size_t i);
/* Commit parts that share CPUs first, else keep the order. 0, or -1 without
 * memory. */
int sgang_sharing_order(struct attempt *a);
/* The CPUs, by node, that the part must leave on its nodes for parts that do
 * not share. NULL: none, or without memory. The caller frees it. */
uint32_t *sgang_sharing_spare(const struct attempt *a, size_t i);

/* --- slices.c --- */

/* True if the locks should be released before that part is committed. */
bool sgang_slices_due(const struct attempt *a, size_t part);

/* --- probe.c --- */

/* Begin an attempt to start these gangs, which are borrowed. 0, or -1 without
 * memory. Close it in either case. */
int sgang_probe_open(struct attempt *a, struct sgang_conductor *c,
		     struct gang **gangs, size_t n);
void sgang_probe_close(struct attempt *a);
/* Ask Slurm for the nodes of each pending and eligible member; a->why says what
 * the last that could not start lacks. */
void sgang_probe_all(struct attempt *a);
/* Check that as much is free as --gang-min-tres asks for (0.15). 0, or -1 with
 * a->why and a->culprit. */
int sgang_probe_room(struct attempt *a);

/* --- units.c --- */

/* Until sgang_units_forget() with the result, nothing is committed, and what
 * Slurm says of nodes is kept. False, and without effect, if that is so already,
 * or without memory. */
bool sgang_units_keep(struct attempt *a);
void sgang_units_forget(struct attempt *a, bool kept);
/* host->nodes.units(), or what is kept of it. */
void sgang_units_on(struct attempt *a, struct sgang_job *job,
		    const struct sgang_shape *shape,
		    const struct sgang_nodeset *nodes, bool empty,
		    uint32_t *units);

/* --- learn.c --- */

void sgang_learn_forget(struct lessons *l);
/* ... and the places tried without effect. */
void sgang_learn_end(struct lessons *l);
/* True if another round may follow this one, whose plan is made; false after
 * too many. */
bool sgang_learn_may_repeat(struct attempt *a);
/* Call when Slurm refused the nth member to be committed its planned nodes.
 * False: nothing was learned. */
bool sgang_learn(struct attempt *a, size_t nth);
/* True if Slurm may choose other nodes for the nth member, refused those that
 * were planned. */
bool sgang_learn_slurm_chooses(const struct attempt *a, size_t nth);
/* Set the order of commitment. 0, or -1 without memory. */
int sgang_learn_order(struct attempt *a);
/* The i-th part in the order of commitment, from 0. */
size_t sgang_learn_nth(const struct attempt *a, size_t i);
/* Take out the nodes on which Slurm refused a request like this. */
void sgang_learn_forbid(const struct attempt *a, struct sgang_job *job,
			struct sgang_nodeset *usable);
/* Lower what is free, by node and dimension, to what Slurm accepted. */
void sgang_learn_cap(const struct attempt *a,
		     const struct sgang_resources *resources,
		     const uint8_t *type, uint32_t *free);
/* The same for one node, in pieces. */
uint32_t sgang_learn_most(const struct attempt *a, uint32_t node);
/* Drop the proofs of a plan with lessons, because lessons keep more off a node
 * than Slurm has refused there. */
void sgang_learn_unproved(const struct attempt *a,
			  struct sgang_placement *plan);

/* --- nofit_report.c --- */

/* Write into nofit->text and a->lacks what the plan lacks. 'resources' are
 * counted; NULL: slots are pieces of the members' size. */
void sgang_nofit_report(struct attempt *a, const struct sgang_plan_request *rq,
			const struct sgang_resources *resources,
			struct sgang_nofit *nofit);

/* Write into a->why and a->lacks that the parts fit in no shares on nodes of a
 * domain of that level (uneven.c). 'nofit' has the amounts of 'what' ("CPUs" or
 * the name of a resource) of all nodes and by domain; its text is used if the
 * amount is enough. 'room': the nodes that any part may use. */
void sgang_nofit_report_shares(struct attempt *a, uint32_t level,
			       const struct sgang_nodeset *room,
			       const char *what, struct sgang_nofit *nofit);

/* --- helps.c --- */

/* Write into a->helps what would let the parts start. 'when' (seconds since the
 * epoch) is the time at which they fit; INT64_MAX: no end of jobs is enough.
 * Call between sgang_fit_begin() and sgang_fit_end(). Changes the results for
 * the requests. */
void sgang_helps_find(struct attempt *a, int64_t when);
/* The same when Slurm would not even try this request, because nodes it asks
 * for are out of service. In a->why if it requires these nodes. */
void sgang_helps_refused(struct attempt *a, const struct probed *p);

/* --- levels.c --- */

/* The nodes of the domain that contains the plan of 'a', at the highest level
 * allowed now. NULL without memory. */
struct sgang_nodeset *sgang_levels_place(const struct attempt *a);

/* The highest level that the parts may span at that time (4.24, 4.25), or -1
 * with the level that gang.conf does not have in 'nofit'. */
int sgang_levels_limit(const struct attempt *a, int64_t when,
		       struct sgang_nofit *nofit);
/* The level of which each member must have a domain of its own; -1: none. */
int sgang_levels_spread(const struct attempt *a);
/* The time at which a preferred limit ends; 0: none. */
int64_t sgang_levels_relax(const struct attempt *a);
/* Request of the gang's group as a whole; empty if no gang of it has one. */
void sgang_levels_of_group(const struct gang *g, struct sgang_policy *policy);
/* Add the present nodes of the gang's members. False: 'nodes' is empty. */
bool sgang_levels_nodes_of(struct sgang_conductor *c, const struct gang *g,
			   struct sgang_nodeset *nodes);
/* The level of that name; -1: "", or there is none. */
int sgang_levels_find(const struct sgang_conductor *c, const char *name);
/* The lower of two levels; -1: none. */
int sgang_levels_lower(int a, int b);
/* Take out the nodes that a late member must not use for what its gang asks for.
 * 'job' is the member if it has nodes that it would leave, or NULL. Preferred
 * limits, and limits of gangs that start together, do not apply to it. Returns
 * the level of which all its nodes must be in one domain; -1: none. */
int sgang_levels_cut_late(struct sgang_conductor *c, struct gang *g,
			  const struct sgang_job *job,
			  struct sgang_nodeset *nodes);
/* Take out the nodes that the gang must not use, because of the nodes that it
 * and its group have, and of the place of the attempt. */
void sgang_levels_cut(const struct attempt *a, struct gang *g,
		      struct sgang_nodeset *nodes);
/* The same, because other members have just been placed on 'theirs'. */
void sgang_levels_cut_beside(struct sgang_conductor *c, struct gang *g,
			     const struct sgang_nodeset *theirs,
			     struct sgang_nodeset *nodes);

/* --- before.c --- */

/* Set a->aside, for the parts of the attempt. -1 without memory. */
int sgang_before_look(struct attempt *a);
/* Take out of what members may use now the nodes that are set aside from a
 * moment within their time limits on. True if there were any; all stay without
 * memory. */
bool sgang_before_take(struct attempt *a);

/* --- exclusive.c --- */

/* The number of the gang's jobs, and the i-th; NULL if it has no nodes. A hold
 * just added may come twice. */
size_t sgang_exclusive_jobs(const struct gang *g);
struct sgang_job *sgang_exclusive_job(const struct sgang_conductor *c,
				      const struct gang *g, size_t i);
/* Set clear_at of all requests, when a->free_at is known; set `then` of them,
 * when a->at is. -1 without memory. */
int sgang_exclusive_prepare(struct attempt *a);
int sgang_exclusive_then(struct attempt *a);

/* --- preempt_group.c --- */

/* A search for room for the gangs of an attempt one by one, at a->at, with all
 * parts in ring order. */
struct several {
	struct attempt *a;
	struct sgang_nodeset **nodes; /* by gang, if all fit */
	size_t *order;                /* order of planning */
	struct sgang_nodeset *taken;  /* by earlier gangs */
	struct sgang_nodeset *place;  /* of the group; NULL: anywhere */
	int spread;                   /* level of which each has domains of
				       * its own; -1: none */
	bool may_reorder;
};

/* True if a joint plan is not enough. */
bool sgang_several_needed(const struct attempt *a);
/* The number of sets of victims that may be planned for; 0: too few. */
uint32_t sgang_several_sets(const struct attempt *a);
/* 0, or -1 without memory. Close it in either case. */
int sgang_several_open(struct several *s, struct attempt *a);
void sgang_several_close(struct several *s);
/* True if all of them fit; '*cost' is the sum of their ring costs. */
bool sgang_several_fit(struct several *s, uint64_t *cost);

/* --- wait_policy.c --- */

/* Call when the parts of a single gang fit now, by a->plan. True if a better
 * place later is worth the wait: a->why and the gang's joint.start are set.
 * False: its attempt.choice is set. */
bool sgang_wait_policy_waits(struct attempt *a);

/* --- placement.c --- */

/* The time of a plan. */
enum sgang_moment {
	SGANG_NOW,
	SGANG_LATER, /* a->at, by a->free_at */
	SGANG_EMPTY  /* as if no job ran */
};

/* Plan for the parts as they stand. The places of the plan are islands if the
 * conductor has devices, else nodes. 'account' (may be NULL), for a plan of
 * SGANG_NOW, gets the alternatives. Returns as sgang_plan(). */
int sgang_parts_place(struct attempt *a, enum sgang_moment moment,
		      struct account *account, struct sgang_placement **plan,
		      struct sgang_nofit *nofit);

/* Call 'use' with a request for the parts at a->at, by resource, and these
 * resources. The jobs 'gone' still use what they have, but the allowed nodes
 * are as if they were gone. Returns the result of 'use', or -1. */
typedef int sgang_parts_use(const struct sgang_plan_request *request,
			    const struct sgang_resources *resources, void *arg);
int sgang_parts_count(struct attempt *a, struct sgang_job *const *gone,
		      size_t n_gone, sgang_parts_use *use, void *arg);

/* Set p->allowed to the nodes on which a piece of it fits at that time. -1
 * without memory. */
int sgang_parts_allow(struct attempt *a, struct probed *p,
		      enum sgang_moment moment);
/* The free and the total amounts of the counted resources at that time, n_dims
 * numbers by node. */
void sgang_parts_amounts(const struct attempt *a,
			 const struct sgang_resources *resources,
			 enum sgang_moment moment, uint32_t *total,
			 uint32_t *free);

/* Remove the need that keeps a request apart from others. */
void sgang_parts_share(const struct sgang_resources *resources, uint32_t *need);

/* Fill in the by-products not known yet: the cost on an empty cluster, the
 * alternatives, and the choice of Slurm by itself. Call before the commit,
 * which changes the request of an exclusive job. Takes the time of one or two
 * plans. */
void sgang_parts_account(struct attempt *a, struct account *account);

/* The cost of the same members on an empty cluster; 0 if they do not fit even
 * there. '*weighted' (may be NULL): the same for communication groups. */
uint64_t sgang_fit_best_cost(struct attempt *a, uint64_t *weighted);

/* --- fit.c --- */

/* Plan for the parts; a->plan is set, and they are in the order of its ring.
 * Returns 0, or -1 with a->why filled. */
int sgang_fit_parts(struct attempt *a);

/* The number of parts, from the first in take order, that fit; at most 'most'.
 */
size_t sgang_fit_how_many(struct attempt *a, size_t most);

/* Communication groups need all members. With '\0' plans are made without them,
 * until this is called again with what it returned. */
char sgang_fit_groups(struct attempt *a, char first);

/* True if the parts as they are fit at that time, with a->free_at. */
bool sgang_fit_at(struct attempt *a, int64_t when);

/* The first of these ascending times that passes a test, which all times after
 * one that passes it do; 'n' if none does. 18 tests at most for 100,000 times. */
typedef bool sgang_fit_test(struct attempt *a, int64_t when, void *arg);
size_t sgang_fit_bisect(struct attempt *a, const int64_t *times, size_t n,
			sgang_fit_test *fits, void *arg);
/* The number of these ascending times before 'first'. */
size_t sgang_fit_before(const int64_t *times, size_t n, int64_t first);

/* The times at which nodes become free, ascending, the first being now; to be
 * ended with sgang_fit_end(). NULL without memory. */
int64_t *sgang_fit_begin(struct attempt *a, size_t *n);
void sgang_fit_end(struct attempt *a, int64_t *times);
/* In between: the first of these times at which the parts fit, INT64_MAX if
 * none. Sets g->joint.nodes of their gangs. */
int64_t sgang_fit_first(struct attempt *a, const int64_t *times, size_t n);
/* In between: true if the parts as they are fit at that time; '*nodes' gets
 * their nodes. */
bool sgang_fit_nodes_at(struct attempt *a, int64_t when,
			struct sgang_nodeset *nodes);
/* In between: the cost of the parts at that time; 0: they do not fit. */
uint64_t sgang_fit_cost_at(struct attempt *a, int64_t when);
/* In between: set g->joint.nodes to the nodes of the parts at that time. */
void sgang_fit_note_planned(struct attempt *a, int64_t when);
/* The nodes of its plan; NULL without memory. */
struct sgang_nodeset *sgang_fit_planned(const struct attempt *a);

/* --- which.c --- */

/* Call when the first members of the minimum do not fit: would other members
 * ('when' as for sgang_fewer_fit())? 1: they are the parts now. 0: no, -1: not
 * known; the parts are as before. */
int sgang_which_fit(struct attempt *a, int64_t when);

/* The same for the times before 'first', at which the first members fit.
 * Returns the first such time, with the parts and g->joint.nodes set; else
 * 'first'. */
int64_t sgang_which_when(struct attempt *a, const int64_t *times, size_t n,
			 int64_t first);

/* The number of these, in take order, that --gang-order puts into a minimum of
 * 'need'. They cannot be left out. */
size_t sgang_which_first(const struct part *parts, size_t n, size_t need);

/* The number of nodes that the minimum needs with any members, if each takes
 * whole nodes; else 0. */
uint32_t sgang_which_whole_nodes(struct attempt *a);

/* --- fewer.c --- */

/* The most members of which all combinations of node numbers may be tried. */
#define SGANG_FEWER_PARTS 8

/* Call when the parts do not fit. True if they fit at 'when' (as for
 * sgang_fit_at(); 0: now, and a->plan is set as by sgang_fit_parts()) on fewer
 * nodes, for members with a range; their requests then ask for these numbers.
 * False: the requests are as before, and a->why is about the fewest nodes. */
bool sgang_fewer_fit(struct attempt *a, int64_t when);

/* The first of these times before 'first' at which they fit on fewer nodes where
 * these need more each, with g->joint.nodes, else 'first'. */
int64_t sgang_fewer_when(struct attempt *a, const int64_t *times, size_t n,
			 int64_t first);

/* Let members with a range ask for its lower end, unless this makes nothing
 * easier. */
void sgang_fewer_least(struct attempt *a, int64_t when);

/* --- uneven.c --- */

/* The most parts of a gang for which shares are searched. */
#define SGANG_UNEVEN_PARTS 128

/* Call when the parts do not fit with the same number of tasks on each of their
 * nodes: do they fit in other shares ('when' as for sgang_fewer_fit(); 0: sets
 * a->plan, and CPUs by node in `split` of their new requests)? 1: yes; the nodes
 * are added to 'nodes' unless that is NULL. 0: no, -1: not known; the requests
 * are as before. */
int sgang_uneven_fit(struct attempt *a, int64_t when,
		     struct sgang_nodeset *nodes);

/* The first of these times at which they fit in some shares, as
 * sgang_fit_when(); INT64_MAX: none, or not known. Sets g->joint.nodes. */
int64_t sgang_uneven_when(struct attempt *a, const int64_t *times, size_t n);

/* A task of an open number of nodes is planned with its share of the GRES, which
 * are not divided: six tasks with --gpus=4 as if they had six. True then. */
bool sgang_uneven_rounded_up(const struct probed *p);
/* Call when there is a plan of even shares: replace it by one in other shares
 * where it counts more GRES than are asked for, and that one costs no more. */
void sgang_uneven_better(struct attempt *a);
/* The plan gives each node of a part the same share. If other shares could be
 * cheaper, mark it as not exact, with a bound for all shares. */
void sgang_uneven_doubt(struct attempt *a);

/* --- parts.c --- */

void sgang_told_keep(const struct attempt *a, struct sgang_told *told);
void sgang_told_again(struct attempt *a, const struct sgang_told *told);

/* What a run of the plan adds to its node: pieces, or tasks where the number of
 * nodes is open; and their CPUs. */
uint32_t sgang_part_units(const struct attempt *a, size_t r);
uint32_t sgang_part_cpus(const struct attempt *a, size_t r);
/* Copy the results for a request, for fewer nodes. 0, or -1 without memory.
 * sgang_probed_free() frees the contents, not the struct. */
int sgang_probed_copy(struct probed *to, const struct probed *from,
		      uint32_t n_nodes);
void sgang_probed_free(struct probed *p);
/* True if Slurm would not try some member now, so that nothing is known of it. */
bool sgang_probed_unknown(const struct gang *g);
/* Add a copy of the request that asks for so many nodes. NULL without room or
 * memory. */
struct probed *sgang_probed_fewer(struct attempt *a, const struct probed *asked,
				  uint32_t nodes);
/* Let the parts be as they were, and drop the requests from 'n_probed' on, which
 * were added for others. */
void sgang_parts_restore(struct attempt *a, const struct part *parts,
			 size_t n_probed);

/* The node of a run of such a plan. */
uint32_t sgang_parts_node(const struct sgang_conductor *c,
			  const struct sgang_run *run);

/* Order of two parts when not all can be taken, for qsort(). */
int sgang_fit_take_order(const void *a, const void *b);

/* Add the member's tasks to the parts; 'index' is its gang's in the attempt. */
void sgang_fit_add(struct attempt *a, size_t index, struct entry *e);

/* Put the parts into ring order, gang after gang. */
void sgang_fit_ring_order(struct attempt *a);
/* The cost that a plan minimises: that of communication groups, or of the ring.
 */
uint64_t sgang_fit_cost(const struct sgang_placement *plan);

/* --- grouped.c --- */

/* True if a plan for the gang has communication groups. */
bool sgang_grouped(const struct gang *g);
/* The ranks of all parts. */
uint64_t sgang_grouped_ranks(const struct attempt *a);
/* How many of the parts from 'first' on, in their order, are to start: of 'least'
 * to 'most' the fewest, or the most, that make the ranks of the groups. Without
 * groups, or if no number does, it is 'least' or 'most'. */
size_t sgang_grouped_members(const struct attempt *a, const struct gang *g,
			     size_t first, size_t least, size_t most,
			     bool fewest);

/* --- fit_choose.c --- */

/* Choose the parts: of every gang the members that Slurm would start now, in
 * the order in which they are taken. Returns 0, or -1 with a->why and
 * a->culprit when one has too few of them. */
int sgang_fit_choose(struct attempt *a, enum extent extent);

/* --- branches.c, branches_pick.c --- */

/* True if some gang of the attempt is a tree of groups. */
bool sgang_branches_any(const struct attempt *a);
/* As sgang_fit_choose(), for one gang that is such a tree; the parts are added
 * to those of the gangs before it. */
int sgang_branches_choose(struct attempt *a, size_t index, enum extent extent);
/* Call when not all members of such a gang fit: find groups and members that
 * do. 1: they are the parts, in ring order; now ('when' is 0) with what fits with
 * them, and a->plan is set. Otherwise a->why is as before and the parts are
 * the first choice: 0: none fit; -1: not known. */
int sgang_branches_fit(struct attempt *a, int64_t when);
/* If the parts of such a gang never fit ('when' is INT64_MAX) find others, and
 * the first of these times at which they do. INT64_MAX: none. */
int64_t sgang_branches_when(struct attempt *a, const int64_t *times, size_t n,
			    int64_t when);
/* Set the groups of a plan for the parts, which are in ring order; free them
 * afterwards. 0, or -1 with the cause in 'nofit'. */
int sgang_branches_groups(const struct attempt *a,
			  struct sgang_plan_request *rq,
			  struct sgang_nofit *nofit);

/* --- slices_keep.c --- */

/* Continue the attempt in the next pass, and empty 'a'. PAUSED, or without
 * memory REFUSED with all given back. */
enum sgang_progress sgang_slices_keep(struct attempt *a,
				      const struct account *account);

/* --- one_node.c --- */

/* Call when there is a plan: replace it by one with each member of an open
 * number of nodes on one node, if that is better. */
void sgang_one_node_fit(struct attempt *a);
/* Lower the best costs to those of such a plan on the empty cluster. */
void sgang_one_node_account(struct attempt *a, struct account *account);

/* --- fit_shaped.c --- */

/* Whether the parts fit at 'when' (as for sgang_fit_at(); 0: now, with a->plan),
 * on the nodes they ask for, on fewer (fewer.c) or in other shares (uneven.c): 1
 * or 0; -1: not known. */
int sgang_fit_shaped(struct attempt *a, int64_t when);

/* The same for a time; '*nodes' gets their nodes. */
int sgang_fit_shaped_at(struct attempt *a, int64_t when,
			struct sgang_nodeset *nodes);

/* --- fit_ways.c --- */

/* The same now, also on one node each (one_node.c) if that is allowed. */
bool sgang_fit_any(struct attempt *a);

/* Plan for the expected number of members, or if they do not fit, for the
 * minimum; the parts are in ring order then. Returns 0, or -1 with a->why, and
 * a->unfit unless the reason is another. */
int sgang_fit(struct attempt *a);

/* The first time (seconds since the epoch) at which all parts fit if every job
 * runs to its time limit and no other starts; INT64_MAX if none, 0 without
 * memory. */
int64_t sgang_fit_when(struct attempt *a);

#endif
