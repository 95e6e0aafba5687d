/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_sum.h - what the members of a tree of groups amount to */

#ifndef SGANG_ROLE_SUM_H
#define SGANG_ROLE_SUM_H

#include "role_choice.h"

/* A member, or the equal ones of a job array. */
struct sgang_role_member {
	const char *role;             /* what it says; "": nothing */
	const char *remembered;       /* what its record says; NULL: nothing */
	uint32_t tasks;               /* members that it stands for */
	uint32_t order;               /* UINT32_MAX: none */
	bool held, running, eligible; /* none of them: it waits */
	uint64_t alike;               /* a hash of what it asks for */
};

/* What holds for the gang. */
struct sgang_role_gang {
	uint32_t min;     /* of the gang itself; 0: not said */
	const char *tree; /* said of its groups, as a list; "": nothing */
	bool counts;      /* members that run count towards the minimum */
	bool started;     /* it has had its minimum: other groups follow */
};

struct sgang_role_sums {
	bool any;         /* the gang is a tree; else nothing else counts */
	uint32_t min;     /* of the gang itself */
	uint32_t needed;  /* members of its minimum */
	uint32_t missing; /* members to be placed before a release */
	bool gathered;    /* with all members that wait it has its minimum */
	bool eligible;    /* ... with those alone that could start */
	bool placed;      /* with those that hold nodes, it may be released */
	bool whole;       /* with those that run it has its minimum */
	bool grows;       /* it has started, and some group that has no member
			   * running could follow */
	char lacks[SGANG_ROLE_WHY]; /* "" or the first group that lacks members
				     * (2.18), or what is wrong with the tree */
};

/* The tree of these members; 'leaf' gets the group of each, SGANG_ROLE_NONE
 * where its role is wrong. Returns as sgang_role_tree_make(). */
int sgang_role_gang_tree(const struct sgang_role_gang *gang,
			 const struct sgang_role_member *members, size_t n,
			 struct sgang_role_tree *tree, uint32_t *leaf,
			 struct sgang_error *err);

/* By group what there is: members that wait, and of these only eligible ones if
 * 'eligible'. 'stock' has tree->n rows. */
void sgang_role_gang_stock(const struct sgang_role_gang *gang,
			   const struct sgang_role_member *members, size_t n,
			   const struct sgang_role_tree *tree,
			   const uint32_t *leaf, bool eligible,
			   struct sgang_role_stock *stock);

/* Add up; no role at all: sums->any is false. 0, or -1 with ENOMEM. */
int sgang_role_sum(const struct sgang_role_gang *gang,
		   const struct sgang_role_member *members, size_t n,
		   struct sgang_role_sums *sums);

#endif
