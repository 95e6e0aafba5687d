/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_sets.h - switches by the nodes below them
 *
 * A fat tree has several switches above the same leaves, and a node with several
 * adapters is on several leaves. For a placement switches with the same nodes are
 * one; and where of all others each two have either no node in common, or one has
 * all of the other's, they make a tree.
 */

#ifndef SGANG_NODE_SETS_H
#define SGANG_NODE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sgang_on_leaf {
	uint32_t leaf, node;
};

/* 'same' is by switch, 'on' has all nodes of all leaves, in any order and also
 * twice; it is sorted. Of leaves with the same nodes same[] becomes the lowest
 * number; the rest of it stays. 0, or -1 without memory. */
int sgang_same_leaves(struct sgang_on_leaf *on, size_t n, uint32_t *same);

struct sgang_nest_link {
	uint32_t child, parent;
};

/* All arrays are by switch, with 'n' entries. */
struct sgang_nest {
	uint32_t n;
	const bool *has_nodes; /* they are directly on it */
	/* From the bottom up: those to a switch come before those from it. */
	const struct sgang_nest_link *link;
	size_t n_links;
	uint32_t *level; /* in: heights by the links; out: by the tree */
	uint32_t *same;  /* out: the lowest of those that are one with it */
	/* out, for these: UINT32_MAX at the top; a switch without nodes keeps
	 * what was there */
	uint32_t *parent;
	uint32_t one,
		other; /* out, with EINVAL: they have some nodes in common,
			      * and each has others */
};

/* Make a tree of it. One switch above another stays above it also with the same
 * nodes. 0, or -1 with EINVAL (it is none) or ENOMEM. */
int sgang_nest(struct sgang_nest *nest);

#endif
