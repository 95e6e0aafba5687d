/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_share.c - members of one kind, on distinct nodes that they share
 *
 * Such a member is a path over as many nodes as it has units, and can be no
 * cheaper than the cheapest path. The next one can go back the same way,
 * beginning where the one before it ended: A B C | C B A | A B C ... So members
 * cost little where many of them fit on nodes that one of them would choose.
 */

#include <stdlib.h>

#include "plan_mixed.h"

/* Layouts are tried for so many numbers of members that a node has room for at
 * the least, doubling from 1. */
#define DEPTHS_MAX 4
/* Looking for nodes ends after so many were looked at, some 2 ms. */
#define LOOKS_MAX 100000
/* The bound is found for so many sizes of members; others are free. */
#define SIZES_MAX 4

/* -- the bound -- */

/* What the cheapest path over 'units' distinct nodes costs, hops counted by
 * what they cost above one in an island. A ring is one hop more; if it spans a
 * level, it has two hops of that level at least. 0, or -1 with ENOMEM or
 * EOVERFLOW. */
static int least_path(const struct sgang_job *job, const uint64_t *broken,
		      uint32_t units, uint64_t *least)
{
	struct sgang_plan_request request = *job->request;
	uint32_t n = sgang_fabric_nodes(request.fabric), pos, d;
	uint32_t *cap = sgang_pool_alloc(job->pool, n, sizeof(*cap));
	const uint32_t *hop = request.costs->hop;
	uint32_t level = sgang_plan_lowest(&request);
	uint64_t near = hop[level] - hop[SGANG_LEVEL_ISLAND];
	bool there[SGANG_LEVELS] = { false };
	struct sgang_tree tree;

	if (!cap || sgang_job_alike(job, broken, &tree))
		return -1;
	for (pos = 0; pos < n; pos++)
		cap[pos] = tree.cap[pos] > 0;
	for (d = 0; d < sgang_fabric_domains(request.fabric); d++)
		there[sgang_fabric_domain(request.fabric, d)->level] = true;
	tree.request = &request;
	tree.cap = cap;
	tree.unit = true;
	tree.more = NULL;
	tree.need = tree.ranks = units;
	*least = UINT64_MAX;
	for (; level < SGANG_LEVELS && level <= job->request->max_level;
	     level++) {
		uint64_t top = hop[level] - hop[SGANG_LEVEL_ISLAND], path;
		uint64_t other = top + (units - 2) * near;
		int rc;

		request.max_level = level;
		if (!there[level])
			continue;
		rc = sgang_tree_solve(&tree, job->pool, true);
		if (rc < 0)
			return -1;
		if (!rc)
			continue;
		path = tree.bound - (uint64_t)units * hop[SGANG_LEVEL_ISLAND];
		path = path > top ? path - top : 0;
		path = path > other ? path : other;
		*least = path < *least ? path : *least;
	}
	if (*least == UINT64_MAX)
		*least = 0;
	return 0;
}

int sgang_share_bound(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t *bound)
{
	uint32_t size[SIZES_MAX], n = 0, i, k;
	uint64_t path[SIZES_MAX];

	*bound = 0;
	for (i = 0; i < job->request->n_members; i++) {
		const struct sgang_plan_member *ask = &job->request->members[i];

		if (!sgang_member_distinct(ask))
			continue;
		for (k = 0; k < n && size[k] != ask->units; k++)
			;
		if (k == SIZES_MAX)
			continue;
		if (k == n) {
			size[n++] = ask->units;
			if (least_path(job, broken, ask->units, &path[k]))
				return -1;
		}
		*bound += path[k];
	}
	return 0;
}
