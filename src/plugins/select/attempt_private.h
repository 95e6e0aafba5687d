/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt_private.h - what the parts of an attempt share */

#ifndef SGANG_ATTEMPT_PRIVATE_H
#define SGANG_ATTEMPT_PRIVATE_H

#include "conductor_private.h"
#include "core/explain.h"
#include "core/parallel.h"

/* One member that the attempt wants to start; the tasks of a job array are one
 * part each and share what was found out about their common record. */
struct part {
	struct gang *g;
	size_t g_index;			/* of it in the attempt */
	struct entry *entry;
	struct probed *probed;
	uint32_t copy;			/* which of the record's tasks */
	struct sgang_job *job;		/* who got the nodes, once committed */
};

/* What is known of a request; members that ask for the same share it. */
struct probed {
	struct gang *g;
	struct sgang_job *job;		/* the one that was asked for */
	struct sgang_nodeset *usable;	/* NULL: it cannot start now */
	struct sgang_nodeset *kept;	/* Slurm would allow these now, we keep
					 * them for others. May be NULL */
	struct sgang_nodeset *ever;	/* when jobs that run have ended */
	int64_t *clear_at;		/* of these each from then on, by node;
					 * NULL: all always */
	struct sgang_nodeset *then;	/* at a->at; NULL: as `ever` */
	struct sgang_shape shape;
	bool fixed;			/* the number of nodes is */
	struct sgang_nodeset *allowed;	/* for the plan: nodes or islands */
};

/* How many members of each gang. */
enum extent {
	SGANG_EXTENT_TOTAL,		/* up to --gang-total-number */
	SGANG_EXTENT_MINIMUM,
	SGANG_EXTENT_ANY		/* up to the total, fewer will do */
};

struct attempt {
	struct sgang_conductor *c;
	struct gang **gangs;		/* to be started together */
	size_t n_gangs;
	const struct sgang_topology *topology;	/* by which they are placed */
	struct probed *probed;		/* the different requests */
	size_t n_probed;
	struct part *parts;		/* chosen; room for all */
	size_t n_parts;
	struct sgang_placement *plan;
	int64_t *free_at;		/* for sgang_fit_when() alone */
	int64_t at;
	char why[256];			/* it failed */
	char lacks[SGANG_LACKS_SIZE];	/* record.h */
	struct account *account;	/* to be filled by the plan, or NULL */
	bool unfit;			/* no plan has room for the minimum */
	bool refused;			/* Slurm refused what was planned */
	bool trying;			/* why it does not fit is not asked */
	struct gang *culprit;		/* whose members did not get along */
	bool limited;			/* a limit of Slurm's refused one */
};

/* What is told of a placement besides itself. */
struct account {
	char others[SGANG_OTHERS_SIZE];	/* record.h */
	uint64_t stock_cost;		/* 0: not known */
};

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
/* Do limits of associations and QOS stop these gangs? Then they hold nothing any
 * more, and know why. */
bool sgang_probe_stopped(struct sgang_conductor *c, struct gang *const *gangs,
			 size_t n);

/* --- why.c --- */

/* Say in nofit->text and a->lacks what the plan lacks; 'alike': slots are pieces
 * of the members' size, else CPUs. */
void sgang_why_nofit(struct attempt *a, const struct sgang_plan_request *rq,
		     bool alike, struct sgang_nofit *nofit);

/* --- levels.c --- */

/* The nodes of the domain of the highest level allowed now that the plan of 'a'
 * is in. NULL without memory. */
struct sgang_nodeset *sgang_levels_place(const struct attempt *a);

/* The highest level that the parts may span at that time (4.24, 4.25), or -1 and
 * in 'nofit' which level gang.conf does not have. */
int sgang_levels_limit(const struct attempt *a, int64_t when,
		       struct sgang_nofit *nofit);
/* The level of which each member must have a domain to itself; -1: none. */
int sgang_levels_spread(const struct attempt *a);
/* When a limit that is only preferred ends; 0: there is none. */
int64_t sgang_levels_relax(const struct attempt *a);
/* What the gang's group asks for as a whole; nothing if nobody in it says. */
void sgang_levels_of_group(const struct gang *g, struct sgang_policy *policy);
/* Add the nodes that members of the gang have now. False: 'nodes' is empty. */
bool sgang_levels_nodes_of(struct sgang_conductor *c, const struct gang *g,
			   struct sgang_nodeset *nodes);
/* The level of that name; -1: "", or there is none. */
int sgang_levels_find(const struct sgang_conductor *c, const char *name);
/* Take out the nodes that a member that starts after its gang must keep off.
 * What is only preferred, or asked of gangs that start together, is not asked of
 * it. */
void sgang_levels_cut_late(struct sgang_conductor *c, struct gang *g,
			   struct sgang_nodeset *nodes);
/* Take out the nodes that the gang must keep off because of what it and its
 * group have already, and of where an attempt looks. */
void sgang_levels_cut(struct sgang_conductor *c, struct gang *g,
		      struct sgang_nodeset *nodes);
/* Add the nodes of every domain of this level that has one of 'nodes'. */
void sgang_levels_add(const struct sgang_fabric *fabric,
		      const struct sgang_nodeset *nodes, uint32_t level,
		      struct sgang_nodeset *out);

/* --- apart.c --- */

/* The i-th of the gang's jobs, NULL if it has no nodes, and how many there are; a
 * hold that has just been added may come twice. */
size_t sgang_apart_jobs(const struct gang *g);
struct sgang_job *sgang_apart_job(const struct sgang_conductor *c,
				  const struct gang *g, size_t i);
/* Set clear_at of all requests, when a->free_at is known; set `then` of them,
 * when a->at is. -1 without memory. */
int sgang_apart_prepare(struct attempt *a);
int sgang_apart_then(struct attempt *a);

/* --- better.c --- */

/* The parts of a single gang fit now, as a->plan says. Is there a better place
 * later that is worth waiting for? Then a->why and the gang's joint_start are
 * set, else the gang's choice. */
bool sgang_better_waits(struct attempt *a);

/* --- where.c --- */

/* The moment that is planned for. */
enum sgang_moment {
	SGANG_NOW,
	SGANG_LATER,			/* a->at, by a->free_at */
	SGANG_EMPTY			/* as if no job ran */
};

/* Plan for the parts as they stand. The places of the plan are islands where
 * the conductor has devices, else nodes. Returns as sgang_plan(). */
int sgang_where(struct attempt *a, enum sgang_moment moment,
		struct sgang_placement **plan, struct sgang_nofit *nofit);

/* What else could have been chosen, and what Slurm by itself would have. Takes
 * the time of a few plans; leaves 'account' empty where that is too long. */
void sgang_where_account(struct attempt *a, struct account *account);

/* The node that a run of such a plan is on. */
uint32_t sgang_where_node(const struct sgang_conductor *c,
			  const struct sgang_run *run);

/* --- fit.c --- */

/* Order of two parts when not all can be taken, for qsort(). */
int sgang_fit_take_order(const void *a, const void *b);

/* Add the member's tasks to the parts; 'index' is its gang's in the attempt. */
void sgang_fit_add(struct attempt *a, size_t index, struct entry *e);

/* Choose the parts: of every gang the members that Slurm would start now, in the
 * order in which they are taken. Returns 0, or -1 with a->why and a->culprit
 * when one has too few of them. */
int sgang_fit_choose(struct attempt *a, enum extent extent);

/* Put the parts into ring order, gang after gang. */
void sgang_fit_ring_order(struct attempt *a);

/* Plan for the parts as they are; a->plan is set. Returns 0, or -1 with a->why
 * filled. */
int sgang_fit_parts(struct attempt *a);

/* Plan for as many as are expected, or if they do not fit, for as many as it
 * takes; the parts are in ring order then. Returns 0, or -1 with a->why, and
 * a->unfit unless it is for other reasons. */
int sgang_fit(struct attempt *a);

/* Of the first parts in the order in which they are taken, how many fit, if no
 * more than 'most' do? */
size_t sgang_fit_how_many(struct attempt *a, size_t most);

/* What the same members would cost on an empty cluster; 0 when even that does
 * not fit. '*weighted' (may be NULL): the same of communication groups. */
uint64_t sgang_fit_best_cost(struct attempt *a, uint64_t *weighted);

/* Would the parts as they are fit then, with a->free_at? */
bool sgang_fit_at(struct attempt *a, int64_t when);

/* Moments at which nodes become free, ascending, the first being now; to be ended
 * with sgang_fit_end(). NULL without memory. */
int64_t *sgang_fit_begin(struct attempt *a, size_t *n);
void sgang_fit_end(struct attempt *a, int64_t *times);
/* What a plan minimises: the weighted cost of communication groups, or the ring
 * cost. */
uint64_t sgang_fit_cost(const struct sgang_placement *plan);
/* In between: that of the parts then; 0: they do not fit. Keep in
 * g->planned where they would be then. */
uint64_t sgang_fit_cost_at(struct attempt *a, int64_t when);
void sgang_fit_note_planned(struct attempt *a, int64_t when);

/* The first moment (seconds since the epoch) at which all parts fit if every
 * job runs to its time limit and no other starts; INT64_MAX when there is none,
 * 0 without memory. */
int64_t sgang_fit_when(struct attempt *a);

#endif
