/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_choice.h - which groups of a tree make up its minimum, and what follows
 *
 * Where more groups have what they need than are needed, those come first that
 * have it already, then by --gang-order, then those with members that run, then
 * those that need fewer members, then by name. A choice is a number of members
 * to take for each leaf. Other choices follow in the order of preference: those
 * that differ in the last group that is taken first.
 */

#ifndef SGANG_ROLE_CHOICE_H
#define SGANG_ROLE_CHOICE_H

#include "role_tree.h"

/* What there is of a leaf. */
struct sgang_role_stock {
	uint32_t have;    /* members that count already */
	uint32_t more;    /* members that could be taken */
	uint32_t running; /* of any: its group has started */
	uint32_t order;   /* the lowest --gang-order; UINT32_MAX: none */
	uint64_t alike;   /* a hash of what its members ask for */
};

#define SGANG_ROLE_NEVER UINT32_MAX

struct sgang_role_choice {
	const struct sgang_role_tree *tree;   /* borrowed */
	const struct sgang_role_stock *stock; /* borrowed, by group */
	uint32_t *need;                       /* by group: members to take for
						* its minimum; SGANG_ROLE_NEVER:
						* there are too few */
	uint32_t *running;                    /* ... that run in it */
	bool *taken;                          /* ... it is in the choice */
	/* private */
	uint32_t *order, *kind, *child, *first, *possible;
	bool *closed;
};

/* Work out what each group needs, and choose the first minimum of 'g' if that
 * is possible (need[g]). 'stock' is by group. 0, or -1 with ENOMEM; close it in
 * either case. O(n log n). */
int sgang_role_choice_open(struct sgang_role_choice *c,
			   const struct sgang_role_tree *tree,
			   const struct sgang_role_stock *stock);
void sgang_role_choice_close(struct sgang_role_choice *c);

/* Choose the first minimum of 'g', whose need is known to be possible. */
void sgang_role_choice_first(struct sgang_role_choice *c, uint32_t g);

/* The next choice for 'g'. False: there is none, and nothing is chosen. Groups
 * that are alike stand for each other. */
bool sgang_role_choice_next(struct sgang_role_choice *c, uint32_t g);

/* Set 'take' by group: members to take for each leaf in 'g', nothing elsewhere.
 * Returns their number. */
uint32_t sgang_role_choice_take(const struct sgang_role_choice *c, uint32_t g,
				uint32_t *take);

/* True if some group above it, or itself, has no member that runs: it starts
 * with all that this group needs. '*top' is the outermost such group, never the
 * gang itself. */
bool sgang_role_choice_begins(const struct sgang_role_choice *c, uint32_t leaf,
			      uint32_t *top);

/* What may follow a choice: a whole group, or one more member of a leaf. */
struct sgang_role_more {
	uint32_t g;
	bool group;
	uint32_t members;
};

/* The first of these behind '*cursor' (0 at the start; any group is passed
 * once), given what is taken so far. A group that follows is not chosen before
 * sgang_role_choice_first() and an addition to 'take'. False at the end. A leaf
 * comes as often as it has members that are not taken, until it is left out by
 * '*cursor' = g + 1. */
bool sgang_role_choice_more(const struct sgang_role_choice *c,
			    const uint32_t *take, uint32_t *cursor,
			    struct sgang_role_more *more);

#endif
