/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lists.h - the lists of a record (record.h), as values and as text
 *
 *   hops=island:6,leaf:2               choice=56:480,1795261938:40:0
 *   others=s2:48,s3:7/8,s4:40w         layout=0-3,8-11
 *   lacks=r1:2/4:busy=2,r2:3/4         helps=nodes:2:n[3-4]
 *
 * A record has them as texts of limited size. A text never ends within a row:
 * the first row without room and all rows after it are left out. A text that
 * was written here is read back as the same list. Any other text is refused, or
 * read up to its last valid row.
 */

#ifndef SGANG_LISTS_H
#define SGANG_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/costs.h"
#include "core/fabric/ring.h"
#include "record.h"

/* -- hops: of the ring, by level, the lowest first -- */

void sgang_lists_write_hops(const struct sgang_ring *ring,
			    const struct sgang_costs *costs,
			    char text[SGANG_HOPS_SIZE]);

/* Fill ring->hops. Returns 0, or -1 and no hops when 'text' is no such list or
 * names a level that 'costs' does not have. */
int sgang_lists_read_hops(const char *text, const struct sgang_costs *costs,
			  struct sgang_ring *ring);

/* -- others: places that were not chosen -- */

struct sgang_list_other {
	char place[SGANG_OTHERS_SIZE];
	bool fits;
	uint64_t cost;   /* fits: what it would have cost ... */
	bool heavier;    /* ... on heavier nodes */
	uint64_t free;   /* else: units that fit there ... */
	uint64_t needed; /* ... of so many */
};

/* Put a row behind the others of 'text', which begins as "". False: it has no
 * room, and the list ends here. */
bool sgang_lists_add_other(char text[SGANG_OTHERS_SIZE],
			   const struct sgang_list_other *row);

/* Take the first row off '*text'. False: there is none that can be read. */
bool sgang_lists_next_other(const char **text, struct sgang_list_other *row);

/* -- lacks: what places have room for, and why for no more -- */

#define SGANG_LIST_CAUSES 32

struct sgang_list_lack {
	char place[SGANG_LACKS_SIZE]; /* "": the root above several real ones */
	uint64_t free, needed;        /* units */
	size_t n_causes;
	struct {
		char word[24];
		uint64_t nodes;
	} cause[SGANG_LIST_CAUSES];
};

/* As those of others. */
bool sgang_lists_add_lack(char text[SGANG_LACKS_SIZE],
			  const struct sgang_list_lack *row);
bool sgang_lists_next_lack(const char **text, struct sgang_list_lack *row);

/* -- helps: what lets a gang start, if not the end of a job in time -- */

/* Words in lists.c. */
enum sgang_help {
	SGANG_HELP_JOBS,     /* these end, which have no time limit */
	SGANG_HELP_NODES,    /* these are in service again */
	SGANG_HELP_RESERVED, /* reservations of these end */
	SGANG_HELP_BLOCKED,  /* some of both */
	SGANG_HELP_NEVER,
	SGANG_HELP_BEFORE, /* with a start time: jobs before it leave room */
	SGANG_HELP_PREFER, /* ... the time for the level it prefers ends */
	SGANG_HELP_PLACE,  /* ... --gang-topology=auto waits for a place */
	SGANG_HELPS
};

struct sgang_list_help {
	enum sgang_help what;
	uint64_t count;              /* of the first four: how many ... */
	char list[SGANG_HELPS_SIZE]; /* ... and which: numbers of some jobs, or
				      * a host list; "": no room for it */
};

/* 'list' may be NULL or "", and of any length. */
void sgang_lists_write_help(enum sgang_help what, uint64_t count,
			    const char *list, char text[SGANG_HELPS_SIZE]);

/* False: it says nothing, or nothing that is known here. */
bool sgang_lists_read_help(const char *text, struct sgang_list_help *help);

/* -- preempts: why a gang preempts nobody -- */

/* Words in lists.c. */
enum sgang_spared {
	SGANG_SPARED_OPTION, /* --gang-preempt=no */
	SGANG_SPARED_SITE,   /* GangPreemption=no */
	SGANG_SPARED_NONE,   /* Slurm lets it preempt no job that is there */
	SGANG_SPARED_FEW,    /* it would not fit without so many jobs */
	SGANG_SPARED_AFTER,  /* not before then: its plans have failed */
	SGANG_SPARED_LIMIT,  /* a limit on nodes or missing licences stop it */
	SGANG_SPARED_LEVELS, /* too many gangs of a group ask for levels */
	SGANG_SPARED
};

/* 'number': jobs, or seconds since the epoch; 0 where there is none. */
void sgang_lists_write_spared(enum sgang_spared why, uint64_t number,
			      char text[SGANG_PREEMPTS_SIZE]);
/* False: it says nothing, or nothing that is known here. */
bool sgang_lists_read_spared(const char *text, enum sgang_spared *why,
			     uint64_t *number);

/* Take the first row off the text of jobs that are preempted, "812:bob". False:
 * there is none that can be read; "..." is none. 'user' has room for all of the
 * text. */
bool sgang_lists_next_victim(const char **text, uint32_t *job_id,
			     char user[SGANG_VICTIMS_SIZE]);

/* -- choice: of --gang-topology=auto -- */

struct sgang_list_choice {
	uint64_t cost, seconds; /* of the ring here, and what that adds */
	bool later;             /* there was a better place, ... */
	uint64_t when;          /* ... from then on (seconds since the epoch) */
	uint64_t later_cost, later_seconds;
};

void sgang_lists_write_choice(const struct sgang_list_choice *choice,
			      char text[SGANG_CHOICE_SIZE]);
bool sgang_lists_read_choice(const char *text,
			     struct sgang_list_choice *choice);

/* -- layout: the ranks of a member in the order of the ring -- */

/* "?" when there is no room for all. */
void sgang_lists_write_layout(const uint32_t *rank, uint64_t n,
			      char text[SGANG_LAYOUT_SIZE]);

/* Returns 0, or -1 when these are not 'n' ranks; 'rank' is then undefined. */
int sgang_lists_read_layout(const char *text, uint32_t *rank, uint64_t n);

#endif
