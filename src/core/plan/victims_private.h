/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims_private.h - the parts of victims.h
 *
 *   victims.c         which sets are asked about
 *   victims_search.c  sets that make room in a place, as far as counting tells
 *   victims_room.c    what there is room for in a place when some are gone
 *   victims_harm.c    which of two sets is less harm
 */

#ifndef SGANG_VICTIMS_PRIVATE_H
#define SGANG_VICTIMS_PRIVATE_H

#include "core/base/pool.h"
#include "plan_private.h"
#include "victims.h"

/* Where the gang may be: a domain, or a node, as a run of positions. */
struct sgang_site {
	uint32_t first_pos;
	uint32_t n_nodes;
};

/* -- victims_harm.c -- */

/* Victims of the same harm and priority are of one kind. */
struct sgang_harms {
	const struct sgang_victim *victims;
	uint32_t *kind; /* by victim: 1 is the least harm; 0: it is going */
	uint32_t n_kinds;
};

/* The harm of a set. */
struct sgang_toll {
	uint32_t *victims; /* by kind */
	uint64_t jobs, later, lost;
};

/* All from the pool. */
void sgang_harm_init(struct sgang_harms *harms, struct sgang_pool *pool,
		     const struct sgang_victim *victims, size_t n);
void sgang_toll_init(const struct sgang_harms *harms, struct sgang_pool *pool,
		     struct sgang_toll *toll);
/* True for an extra that cannot stay, because the rest of its gang is in the
 * set. */
bool sgang_harm_bound(const struct sgang_harms *harms, size_t victim,
		      const bool *set);
void sgang_toll_clear(const struct sgang_harms *harms, struct sgang_toll *toll);
void sgang_toll_sum(const struct sgang_harms *harms, struct sgang_toll *toll,
		    const bool *set, size_t n);
void sgang_toll_copy(const struct sgang_harms *harms, struct sgang_toll *to,
		     const struct sgang_toll *from);
/* A victim is added to the set, or taken out of it. */
void sgang_toll_add(const struct sgang_harms *harms, struct sgang_toll *toll,
		    size_t victim, bool less);
/* Less harm, as much or more, by the first three criteria of victims.h; and by
 * all of them. */
int sgang_toll_harm(const struct sgang_harms *harms, const struct sgang_toll *a,
		    const struct sgang_toll *b);
int sgang_toll_compare(const struct sgang_harms *harms,
		       const struct sgang_toll *a, uint64_t cost_a,
		       const struct sgang_toll *b, uint64_t cost_b);

/* -- victims_room.c -- */

/* If there are more kinds of members, only the sum of their needs is counted.
 */
#define SGANG_ROOM_KINDS 8

struct sgang_room {
	const struct sgang_victims_request *rq;
	struct sgang_plan_request plan; /* 'free' with what those have who are
					 * going; n_dims 1 or more */
	struct sgang_job job;           /* the members as kinds; its pool has
					 * all of this */
	struct sgang_site site;
	struct sgang_harms harms;
	bool *gone;             /* by victim: those that are taken */
	struct sgang_toll toll; /* what they come to */
	uint32_t *free;         /* by node of the site, with what these hold */
	uint32_t *cap;          /* by node of the site and kind: pieces */
	/* Pieces of each kind, and, if there are several, the amount of each
	 * dimension: on all nodes of the site, that are asked for, and for the
	 * whole gang. */
	uint32_t n_kinds;
	size_t n_counts;
	uint64_t *has, *needed, *whole;
	/* With `spread`: the domain of each node (else NULL), the pieces in each
	 * domain by kind, and of each kind the members and the pieces that each
	 * of them has at the least. */
	const uint32_t *group;
	size_t n_groups;
	uint64_t *in_group;
	uint32_t members[SGANG_ROOM_KINDS], each[SGANG_ROOM_KINDS];
	uint64_t steps; /* holdings that were taken or given back */
};

/* -1 with EINVAL: nothing is asked for. */
int sgang_room_init(struct sgang_room *room, struct sgang_pool *pool,
		    const struct sgang_victims_request *rq);
/* Count in this place. Only those that are going are gone. */
void sgang_room_enter(struct sgang_room *room, const struct sgang_site *site);
/* Take a victim into the set, or out of it. */
void sgang_room_take(struct sgang_room *room, size_t victim);
void sgang_room_give(struct sgang_room *room, size_t victim);
/* Take it out if there is room without it. */
bool sgang_room_spare(struct sgang_room *room, size_t victim);
/* Ask for room for so many pieces, of those that the gang has. */
void sgang_room_ask(struct sgang_room *room, uint64_t pieces);
/* For how many is there room? */
uint64_t sgang_room_most(const struct sgang_room *room);
/* True if there is room for the gang. */
bool sgang_room_enough(const struct sgang_room *room);
/* True if there is room for the gang and not for one piece more. */
bool sgang_room_is_tight(const struct sgang_room *room);

/* -- victims_search.c -- */

struct sgang_search_key;
struct sgang_search_node;

struct sgang_search {
	struct sgang_room room;
	const struct sgang_victims_request *rq;
	/* the extras of a gang, by victim; SGANG_VICTIM_NONE ends */
	size_t *first_extra, *next_extra;
	/* By node: its holdings from first[node] on, whose, and how much of the
	 * node they are. */
	size_t *first;
	size_t *whose;
	uint32_t *share;
	/* of the place that is searched: */
	struct sgang_site site;
	size_t n;                         /* victims with something there, */
	struct sgang_search_key *by_harm; /* least harm first, and within the
					   * same kind of victim */
	struct sgang_search_key *by_size; /* largest first */
	uint64_t *size;                   /* by victim: what it holds there */
	bool *seen;
	bool *best; /* the set of least harm so far, and what it comes to */
	struct sgang_toll least;
	bool found;      /* ... if there is any */
	size_t *in_best; /* ... its victims, the worst first, while it is
			  * searched longer */
	size_t n_best;
	/* scratch */
	struct sgang_search_node *judged;
	size_t *more;
	size_t *trail;
	size_t n_trail;
	uint64_t max_steps;
	/* A set that makes room: called for all that are not more harm than
	 * what was found before in this place. */
	void (*offer)(void *arg, const bool *gone,
		      const struct sgang_toll *toll);
	void *arg;
};

/* Returns as sgang_room_init(). */
int sgang_search_init(struct sgang_search *search, struct sgang_pool *pool,
		      const struct sgang_victims_request *rq);
/* True if a place has room when all victims are gone. */
bool sgang_search_possible(struct sgang_search *search,
			   const struct sgang_site *site);
/* Find a set for a place where it is possible, by a few orders. */
void sgang_search_quick(struct sgang_search *search,
			const struct sgang_site *site);
/* The same once more in the place that was searched last. */
void sgang_search_again(struct sgang_search *search);
/* The victims of that place, least harm first. */
size_t sgang_search_victim(const struct sgang_search *search, size_t at);
/* Search longer, from 'start' on, which makes room there or in a part of it. */
void sgang_search_long(struct sgang_search *search,
		       const struct sgang_site *site, const bool *start,
		       uint64_t max_steps);

#endif
