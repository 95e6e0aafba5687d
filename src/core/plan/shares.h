/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shares.h - nodes for members whose pieces their nodes have in any shares
 *
 * A member of the planner (plan.h) has as much on one of its nodes as on the
 * others. Slurm asks less of a job with -N3 -n7: each of three nodes has one
 * task at least, and all three together have seven. The search here tells
 * whether there are such nodes, for all members at the same time, and how many
 * pieces of which member each node has. Cost is not considered.
 *
 * A member may need something else besides, GPUs of a whole job: these lie on
 * its nodes in any shares, too, whatever pieces are there.
 */

#ifndef SGANG_SHARES_H
#define SGANG_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/nodeset.h"

/* Nodes of all members together, at most. */
#define SGANG_SHARES_NODES 1024

struct sgang_shares_member {
	uint32_t least_nodes; /* so many different nodes, and */
	uint32_t most_nodes;  /* no more than these */
	uint32_t pieces;      /* altogether, at least one on each */
	uint32_t most;        /* pieces on one node, at most; 1 or
			       * more */
	bool most_first;      /* try to give the first node the most */
	const struct sgang_nodeset *allowed;  /* borrowed; NULL: any */
	const struct sgang_nodeset *required; /* borrowed; among its nodes;
					       * NULL: none */
	/* The amount that 1, 2, ... 'most' pieces take of a node, never
	 * falling: for each number of them n_dims numbers for each type.
	 * SGANG_PLAN_ALL: all that the node has, none of which may be in use.
	 * Borrowed. */
	const uint32_t *need;
	uint32_t beside; /* what it needs besides, altogether, at least one on
			  * each node; 0: nothing */
	/* The amount that 1, 2, ... 'beside' of these take beyond the first,
	 * which 'need' has. As many numbers as there. Borrowed. */
	const uint32_t *more;
};

struct sgang_shares_request {
	uint32_t n_dims, n_types;
	const uint32_t *free, *total; /* by node: n_dims numbers */
	const uint8_t *type;          /* by node */
	const uint32_t *nodes;        /* that may be used, */
	uint32_t n_nodes;             /* so many */
	const uint32_t *domain;       /* by node; each member inside one of
				       * these, no two in the same. NULL: it
				       * does not matter */
	const struct sgang_shares_member *members;
	size_t n_members;
	uint32_t *beside; /* filled as share[] is, with what a member needs
			   * besides; NULL: none does */
	uint64_t *steps;  /* left for the search; less afterwards.
			  * None left: nothing is proved */
};

/* Returns 1 and in share[i * n_nodes + j] the pieces of member i on nodes[j];
 * 0 when there is no way, or no steps are left, or none was found for members
 * that need something besides, of which each node gives what it can; -1 with
 * errno EINVAL (more nodes than SGANG_SHARES_NODES) or ENOMEM. */
int sgang_shares_find(const struct sgang_shares_request *request,
		      uint32_t *share);

/* The least that all members together take of a resource (a number below
 * n_dims), whatever their shares. Only n_dims, n_types and the members of the
 * request are read. */
uint64_t sgang_shares_least(const struct sgang_shares_request *request,
			    uint32_t dim);

#endif
