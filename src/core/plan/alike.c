/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alike.c - members as units that are all alike, for the tree
 *
 * Members of one kind are such units. Members of several kinds are as well, if
 * each is taken for the smallest of them: a relaxation, whose cost is a bound.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* Units that fit on a node as far as one dimension goes, each needing no less
 * than the least that any kind does which fits there. */
static uint32_t fits_in_dim(const struct sgang_job *job,
			    const struct sgang_demand *demand, uint32_t node,
			    uint32_t dim)
{
	const uint32_t *free = sgang_job_free(job, node);
	uint32_t i, least = UINT32_MAX;

	for (i = 0; i < demand->n_kinds; i++) {
		const struct sgang_kind *kind = &demand->kind[i];
		uint32_t need = sgang_kind_need(job, kind, node, dim);

		if (need < least && sgang_kind_fits(job, kind, node, free))
			least = need;
	}
	return least ? free[dim] / least : UINT32_MAX;
}

/* Units that fit on a node, whichever kind they are of. */
static uint32_t demand_fits(const struct sgang_job *job,
			    const struct sgang_demand *demand, uint32_t node)
{
	const uint32_t *free = sgang_job_free(job, node);
	uint32_t most = UINT32_MAX, i;
	uint64_t sum = 0;

	if (demand->n_kinds == 1)
		return sgang_kind_fits(job, demand->kind, node, free);
	for (i = 0; i < demand->n_kinds; i++)
		sum += sgang_kind_fits(job, &demand->kind[i], node, free);
	for (i = 0; i < job->request->n_dims && sum; i++) {
		uint32_t fits = fits_in_dim(job, demand, node, i);

		most = fits < most ? fits : most;
	}
	return sum < most ? (uint32_t)sum : most;
}

/* Ranks of a unit on a node, at the least. */
static uint32_t demand_ranks(const struct sgang_job *job,
			     const struct sgang_demand *demand, uint32_t node)
{
	uint32_t i, least = UINT32_MAX;

	for (i = 0; i < demand->n_kinds; i++) {
		uint32_t ranks = sgang_kind_ranks(job, &demand->kind[i], node);

		if (ranks < least)
			least = ranks;
	}
	return least;
}

/* Whole nodes have as many ranks as slots: find the least number, and what
 * each node has more when they are not all the same. */
static void find_ranks(const struct sgang_job *job, struct sgang_demand *demand,
		       struct sgang_tree *tree, const uint32_t *order)
{
	uint32_t n = sgang_fabric_nodes(job->request->fabric), pos;
	uint32_t least = UINT32_MAX, most = 0, *more;

	if (demand->n_kinds == 1 && demand->kind->ranks) {
		demand->ranks = demand->units * demand->kind->ranks;
		return;
	}
	for (pos = 0; pos < n; pos++) {
		uint32_t ranks;

		if (!tree->cap[pos])
			continue;
		ranks = demand_ranks(job, demand, order[pos]);
		least = ranks < least ? ranks : least;
		most = ranks > most ? ranks : most;
	}
	if (most)
		demand->ranks = demand->units * least;
	if (least >= most || !tree->unit || demand->n_kinds > 1)
		return;
	more = sgang_pool_alloc(job->pool, n, sizeof(*more));
	for (pos = 0; pos < n; pos++)
		more[pos] = tree->cap[pos] ?
				    demand_ranks(job, demand, order[pos]) -
					    least :
				    0;
	tree->more = more;
}

void sgang_demand_tree(const struct sgang_job *job, struct sgang_demand *demand,
		       const uint64_t *broken, struct sgang_tree *tree)
{
	const struct sgang_plan_request *request = job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_nodes(request->fabric), pos;
	uint32_t *cap = sgang_pool_alloc(job->pool, n, sizeof(*cap));
	uint32_t *left = sgang_pool_alloc(job->pool, n, sizeof(*left));

	memset(tree, 0, sizeof(*tree));
	tree->request = request;
	tree->need = demand->units;
	tree->cap = cap;
	tree->left = left;
	tree->broken = broken;
	tree->unit = true;
	for (pos = 0; pos < n; pos++) {
		uint32_t fits = demand_fits(job, demand, order[pos]);

		if (fits > demand->units)
			fits = (uint32_t)demand->units;
		if (fits > 1)
			tree->unit = false;
		cap[pos] = fits;
		left[pos] = *sgang_job_free(job, order[pos]);
	}
	find_ranks(job, demand, tree, order);
	tree->ranks = demand->ranks;
}

void sgang_job_alike(const struct sgang_job *job, const uint64_t *broken,
		     struct sgang_tree *tree)
{
	struct sgang_demand demand = { .units = job->units,
				       .kind = job->kind,
				       .n_kinds = 1 };

	sgang_demand_tree(job, &demand, broken, tree);
}

void sgang_job_in_dim(const struct sgang_job *job, uint32_t dim,
		      const uint64_t *broken, struct sgang_tree *tree)
{
	const struct sgang_plan_request *request = job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_nodes(request->fabric), pos, k;
	uint32_t *cap = sgang_pool_zalloc(job->pool, n, sizeof(*cap));

	memset(tree, 0, sizeof(*tree));
	tree->request = request;
	tree->cap = cap;
	tree->left = cap;
	tree->broken = broken;
	for (k = 0; k < job->n_kinds; k++)
		tree->need += job->kind[k].units *
			      sgang_kind_least(job, &job->kind[k], dim);
	for (pos = 0; pos < n; pos++) {
		const uint32_t *free = sgang_job_free(job, order[pos]);

		for (k = 0; k < job->n_kinds && !cap[pos]; k++) {
			if (sgang_kind_fits(job, &job->kind[k], order[pos],
					    free))
				cap[pos] = free[dim];
		}
	}
}

/* Lay the members, in their order, over the picked nodes, in theirs. */
static void lay_members(const struct sgang_job *job,
			const struct sgang_tree *tree, struct sgang_run *runs,
			size_t *n_runs)
{
	const struct sgang_plan_member *members = job->request->members;
	const uint32_t *order = sgang_fabric_order(job->request->fabric);
	const struct sgang_kind *kind = &job->kind[0];
	uint32_t member = 0, left = members[0].units;
	size_t i, n = 0;

	for (i = 0; i < tree->n_picks; i++) {
		uint32_t node = order[tree->pick[i].pos];
		uint32_t units = tree->pick[i].units;

		while (units) {
			uint32_t take;

			if (!left)
				left = members[++member].units;
			take = units < left ? units : left;
			runs[n].member = member;
			runs[n].node = node;
			runs[n].ranks = take *
					sgang_kind_ranks(job, kind, node);
			runs[n].slots = take *
					sgang_kind_need(job, kind, node, 0);
			n++;
			units -= take;
			left -= take;
		}
	}
	*n_runs = n;
}

/* Does a member that wants distinct nodes have two units on one? */
static bool shares_itself(const struct sgang_job *job,
			  const struct sgang_run *runs, size_t n_runs)
{
	const struct sgang_kind *kind = &job->kind[0];
	size_t i;

	for (i = 0; i < n_runs; i++) {
		if (runs[i].slots >
			    sgang_kind_need(job, kind, runs[i].node, 0) &&
		    sgang_member_distinct(
			    &job->request->members[runs[i].member]))
			return true;
	}
	return false;
}

struct sgang_placement *sgang_job_lay(const struct sgang_job *job,
				      const struct sgang_tree *tree)
{
	struct sgang_run *runs;
	size_t n_runs;

	runs = sgang_pool_alloc(job->pool,
				tree->n_picks + job->request->n_members,
				sizeof(*runs));
	lay_members(job, tree, runs, &n_runs);
	if (shares_itself(job, runs, n_runs))
		return NULL;
	return sgang_job_place(job, runs, n_runs);
}
