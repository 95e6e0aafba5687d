/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_tree.h - a gang whose members form a tree of groups
 *
 *                   gang                 node 0: as many groups as its minimum
 *                 /      \
 *            replica1   replica2         groups of groups
 *            /     \     /     \
 *         encode decode encode decode    groups of members: leaves
 *
 * Nodes are in depth-first order, those of one group by name. A leaf has what
 * it needs with `min` members, any other group with `min` of its groups that
 * have what they need (2.16, 2.17).
 */

#ifndef SGANG_ROLE_TREE_H
#define SGANG_ROLE_TREE_H

#include <stddef.h>

#include "role_path.h"

#define SGANG_ROLE_GROUPS_MAX 4096 /* nodes of a tree */
#define SGANG_ROLE_NONE UINT32_MAX
#define SGANG_ROLE_WHY 192

/* How the gang itself is called in messages. */
#define SGANG_ROLE_GANG "(gang)"

struct sgang_role_node {
	struct sgang_role_group group; /* its name, and what is said of it */
	uint32_t parent;               /* of the gang: SGANG_ROLE_NONE */
	uint32_t depth;                /* of the gang: 0 */
	uint32_t end;                  /* the groups in it: from the next one
					* up to here */
	uint32_t children;             /* right in it */
	bool members;                  /* some member is right in it */
};

struct sgang_role_tree {
	struct sgang_role_node *node;
	uint32_t n;
};

/* A text that says something about groups. */
struct sgang_role_said {
	const char *text;
	bool member;   /* some member has this role */
	bool remote;   /* of a definition, or remembered: it gives way */
	uint32_t node; /* set by sgang_role_tree_make(): the last of its groups,
			* SGANG_ROLE_NONE where it is not in the tree */
};

/* Make the tree of a gang with this minimum (0: not said) from what is said.
 * Texts that come first count first among remote ones. Returns 0, and a tree to
 * be emptied with sgang_role_tree_clear(); -1 with ENOMEM; 1 with 'err' when
 * texts that are not remote contradict each other or are no roles, when a group
 * has both members and groups, or when there are too many groups: the tree is
 * then one of those that do not contradict an earlier one. O(n log n). */
int sgang_role_tree_make(struct sgang_role_tree *tree, uint32_t min,
			 struct sgang_role_said *said, size_t n,
			 struct sgang_error *err);
void sgang_role_tree_clear(struct sgang_role_tree *tree);

/* Read a list of what defines a gang, and see that it does not contradict
 * itself. 0, or -1 as sgang_role_path_check_list(), or with ENOMEM. */
int sgang_role_tree_check_list(const char *list, struct sgang_error *err);

static inline bool sgang_role_leaf(const struct sgang_role_tree *tree,
				   uint32_t g)
{
	return !tree->node[g].children;
}

/* What a group needs of what is right in it; by default 1. */
static inline uint32_t sgang_role_min(const struct sgang_role_tree *tree,
				      uint32_t g)
{
	return tree->node[g].group.min ? tree->node[g].group.min : 1;
}

/* True if 'in' is 'g' or in it. */
static inline bool sgang_role_within(const struct sgang_role_tree *tree,
				     uint32_t g, uint32_t in)
{
	return in >= g && in < tree->node[g].end;
}

/* Its names from the outermost on, "replica1/decode"; of the gang
 * SGANG_ROLE_GANG. Returns 'names'. */
const char *sgang_role_names(const struct sgang_role_tree *tree, uint32_t g,
			     char names[SGANG_ROLE_SIZE]);

/* Its names with all that is said of them, as --gang-role has it. Returns
 * 'text'; names alone where there is no room for more. */
const char *sgang_role_text(const struct sgang_role_tree *tree, uint32_t g,
			    char text[SGANG_ROLE_SIZE]);

/* The group of these names; SGANG_ROLE_NONE: there is none. O(groups). */
uint32_t sgang_role_find(const struct sgang_role_tree *tree, const char *text);

/* By group, which have what they need, with so many members right in each of
 * them ('have' by group). */
void sgang_role_satisfied(const struct sgang_role_tree *tree,
			  const uint32_t *have, bool *satisfied);

/* Top-down the first group for which 'g' lacks something, with so many members:
 * "SubGroup replica2 does not have enough children (1 < 2)" (2.18,
 * 2.19); "" when it lacks nothing. 'satisfied' as above. */
void sgang_role_lacks(const struct sgang_role_tree *tree, uint32_t g,
		      const uint32_t *have, const bool *satisfied,
		      char text[SGANG_ROLE_WHY]);

#endif
