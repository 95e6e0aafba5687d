/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_words.h - the environment of a member about its group in a tree */

#ifndef SGANG_ROLE_WORDS_H
#define SGANG_ROLE_WORDS_H

#include <stdint.h>

#include "host.h"

/* A member of a gang, by member rank. */
struct sgang_worded {
	const char *role; /* what it says of its group; NULL or "": nothing */
	char *nodes;      /* "n2,n3" in the order of the ring; NULL: none */
	char *address;    /* where others reach the first of them; NULL: none */
};

struct sgang_role_word {
	char *name;  /* of the group */
	char *nodes; /* of its members */
};

struct sgang_role_words {
	struct sgang_role_word *word; /* by group */
	uint32_t n;                   /* groups; 0: the gang is no tree */
	uint32_t *of;                 /* by member: which; UINT32_MAX: none */
	uint32_t *rank;               /* by member: its position there */
	char *heads;                  /* "replica1/decode=n2,.." */
	char *addresses;              /* the same with addresses */
};

/* 0, or -1 with ENOMEM; clear it in either case. O(n log n). */
int sgang_role_words_make(struct sgang_role_words *w,
			  const struct sgang_worded *members, uint32_t n);
void sgang_role_words_clear(struct sgang_role_words *w);

/* Set the variables of one member. */
void sgang_role_words_tell(const struct sgang_host *h,
			   const struct sgang_role_words *w, uint32_t member,
			   struct sgang_job *job);
/* ... of one without a member rank, as --gang-role has its role. */
void sgang_role_words_tell_spare(const struct sgang_host *h,
				 const struct sgang_role_words *w,
				 const char *role, struct sgang_job *job);

#endif
