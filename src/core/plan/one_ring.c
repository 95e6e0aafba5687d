/* SPDX-License-Identifier: GPL-2.0-or-later */
/* one_ring.c - all members in one ring, where they may be beside each other
 *
 * Alike members: exactly, by the tree. Others: a bound, the constructions of
 * mixed.c, and for small gangs a proof (prove.c).
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* The members are alike: exact. Returns as sgang_plan(), 2 when members would
 * have to share nodes in a way that needs the other solver, which is then to
 * know what was found for 'tree'. */
static int plan_alike(const struct sgang_job *job, const uint64_t *broken,
		      struct sgang_tree *tree,
		      struct sgang_placement **placement)
{
	int rc;

	sgang_job_alike(job, broken, tree);
	tree->coin = job->coin;
	rc = sgang_tree_solve(tree, job->pool, false);
	if (rc <= 0)
		return rc;
	*placement = sgang_job_lay(job, tree);
	if (!*placement)
		return 2;
	(*placement)->bound = tree->bound;
	(*placement)->exact = tree->exact &&
			      tree->bound == (*placement)->ring.cost;
	return 1;
}

/* A search of its own for something better than this placement, which has this
 * tie. Returns 1 when there is nothing, 2 when it found something but cannot
 * say that it is the best, else 0. */
static int prove_once(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t tie, struct sgang_placement **placement)
{
	struct sgang_placement *better;
	struct sgang_run *runs = NULL;
	uint64_t bound = (*placement)->bound;
	size_t n_runs;
	bool proved = sgang_prove(job, broken, *placement, tie, &bound, &runs,
				  &n_runs);

	(*placement)->bound = bound;
	if (!runs)
		return proved;
	better = sgang_job_place(job, runs, n_runs);
	better->bound = bound;
	*placement = better;
	return proved ? 1 : 2;
}

/* The search is begun anew so often, from what it found. */
#define PROVE_ROUNDS 3

/* The same again, as long as that finds something. */
static void prove(const struct sgang_job *job, const uint64_t *broken,
		  uint64_t tie, struct sgang_placement **placement)
{
	uint32_t round;
	int rc = 2;

	for (round = 0; round < PROVE_ROUNDS && rc == 2; round++) {
		if (round)
			tie = sgang_coin_tie(job, broken, (*placement)->runs,
					     (*placement)->n_runs);
		rc = prove_once(job, broken, tie, placement);
	}
	if (rc == 1) {
		(*placement)->bound = (*placement)->ring.cost;
		(*placement)->exact = true;
	}
}

/* sgang_mixed_solve() for halves of members, which raise the bound. The runs
 * are those of members. */
static int solve_halves(const struct sgang_halves *halves,
			const uint64_t *broken, struct sgang_bound *bound,
			struct sgang_run **runs, size_t *n_runs)
{
	struct sgang_bound own, any;
	int rc = sgang_bound_find(&halves->job, broken, NULL, &own);

	if (rc <= 0)
		return rc;
	sgang_bound_raise(bound, own.cost, own.broken);
	any = *bound;
	rc = sgang_mixed_solve(&halves->job, broken, bound->ranks, &any.cost,
			       &any.broken, runs, n_runs);
	if (rc > 0)
		sgang_halves_join(halves, *runs, n_runs);
	return rc;
}

/* The same with the required half of members first, and with it last. */
static int solve_required(const struct sgang_job *job, const uint64_t *broken,
			  struct sgang_bound *bound, struct sgang_run **runs,
			  size_t *n_runs)
{
	struct sgang_budget *budget = job->request->budget;
	uint64_t least = UINT64_MAX, aside;
	struct sgang_run *made = NULL;
	struct sgang_ring ring;
	size_t n = 0;
	int rc = 1, found = 0, last;

	for (last = 0; last < 2 && rc >= 0 && least > bound->cost; last++) {
		struct sgang_halves halves;

		aside = last ? 0 : sgang_budget_left(budget) / 2;
		if (budget)
			budget->left -= aside;
		rc = sgang_halves_make(job, last, &halves);
		if (rc)
			rc = solve_halves(&halves, broken, bound, &made, &n);
		sgang_budget_widen(budget, aside);
		if (rc <= 0)
			continue;
		sgang_ring_measure(job->request->fabric, job->request->costs,
				   made, n, &ring);
		found = 1;
		if (ring.cost >= least)
			continue;
		least = ring.cost;
		*runs = made;
		*n_runs = n;
	}
	return rc < 0 ? -1 : found;
}

/* Members of different kinds, or that require nodes. Returns as
 * sgang_mixed_solve(); what is in the bound afterwards holds for the order that
 * members have. */
static int solve(const struct sgang_job *job, const uint64_t *broken,
		 struct sgang_bound *bound, struct sgang_run **runs,
		 size_t *n_runs)
{
	if (sgang_request_requires(job->request))
		return solve_required(job, broken, bound, runs, n_runs);
	return sgang_mixed_solve(job, broken, bound->ranks, &bound->cost,
				 &bound->broken, runs, n_runs);
}

/* solve() on no nodes that weigh more than 'most'. */
static int solve_below(const struct sgang_job *job, const uint64_t *broken,
		       uint32_t most, struct sgang_run **runs, size_t *n_runs)
{
	struct sgang_plan_request request = *job->request;
	uint32_t n = sgang_fabric_nodes(request.fabric), node;
	size_t size = request.n_dims * sizeof(uint32_t);
	uint32_t *free = sgang_pool_zalloc(job->pool, n, size);
	struct sgang_job light = *job;
	struct sgang_bound bound;
	int rc;

	for (node = 0; node < n; node++) {
		if (sgang_coin_above(job, node) <= most)
			memcpy(free + (size_t)node * request.n_dims,
			       sgang_job_free(job, node), size);
	}
	request.free = free;
	light.request = &request;
	rc = sgang_bound_find(&light, broken, NULL, &bound);
	if (rc > 0)
		rc = solve(&light, broken, &bound, runs, n_runs);
	return rc;
}

static int ascending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return (*a > *b) - (*a < *b);
}

/* With weights first: the solver knows costs, so it has the lightest nodes only
 * on which it finds a placement. As Slurm does it, these are found class by
 * class; here by halving. Returns as solve(). */
static int solve_lightest(const struct sgang_job *job, const uint64_t *broken,
			  struct sgang_run **runs, size_t *n_runs)
{
	uint32_t n = sgang_fabric_nodes(job->request->fabric), node;
	uint32_t *class = sgang_pool_alloc(job->pool, n, sizeof(*class));
	uint32_t low = 0, high, i;
	int rc = 0, found = 0;

	for (node = 0; node < n; node++)
		class[node] = sgang_coin_above(job, node);
	qsort(class, n, sizeof(*class), ascending);
	for (i = 1, high = 1; i < n; i++) {
		if (class[i] != class[high - 1])
			class[high++] = class[i];
	}
	while (low < high && rc >= 0) {
		/* the lightest alone do in most cases */
		uint32_t middle = found || low ? low + (high - low) / 2 : 0;

		if (!sgang_budget_left(job->request->budget)) {
			if (found)
				break;
			middle = high - 1;
		}
		rc = solve_below(job, broken, class[middle], runs, n_runs);
		found |= rc > 0;
		if (rc > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return rc < 0 ? -1 : found;
}

/* Members that are not alike, share or require nodes; 'solved' as in
 * relax(). */
static int plan_differing(const struct sgang_job *job, const uint64_t *broken,
			  const struct sgang_tree *solved,
			  struct sgang_placement **placement)
{
	struct sgang_run *runs = NULL;
	struct sgang_bound bound, any;
	uint64_t breaks;
	size_t n_runs;
	int rc;

	rc = sgang_bound_find(job, broken, solved, &bound);
	any = bound;
	if (rc > 0 &&
	    (sgang_cost_first(job) || job->request->effort == SGANG_EFFORT_ANY))
		rc = solve(job, broken, &bound, &runs, &n_runs);
	else if (rc > 0)
		rc = solve_lightest(job, broken, &runs, &n_runs);
	if (rc <= 0)
		return rc;
	if (sgang_request_requires(job->request))
		any = bound; /* solve_required() has raised it for all */
	breaks = sgang_coin_tie(job, broken, runs, n_runs);
	*placement = sgang_job_place(job, runs, n_runs);
	(*placement)->bound = bound.cost;
	(*placement)->exact = (*placement)->ring.cost == bound.cost &&
			      breaks <= bound.broken;
	if (job->request->effort == SGANG_EFFORT_ANY)
		return 1;
	if (job->request->effort == SGANG_EFFORT_PROOF &&
	    !(*placement)->exact &&
	    sgang_part(job->request->budget, SGANG_PART_PROVE))
		prove(job, broken, breaks, placement);
	if (!job->request->any_order)
		return 1;
	/* what is proved of this order is nothing to others */
	sgang_arrange(job->request, job->pool, *placement);
	breaks = sgang_coin_tie(job, broken, (*placement)->runs,
				(*placement)->n_runs);
	(*placement)->bound = any.cost;
	(*placement)->exact = (*placement)->ring.cost == any.cost &&
			      breaks <= any.broken;
	return 1;
}

int sgang_job_plan(const struct sgang_job *job, const uint64_t *broken,
		   struct sgang_placement **placement)
{
	struct sgang_tree tree;
	int rc;

	if (job->n_kinds > 1 || sgang_request_requires(job->request))
		return plan_differing(job, broken, NULL, placement);
	rc = plan_alike(job, broken, &tree, placement);
	if (rc == 2)
		rc = plan_differing(job, broken,
				    sgang_cost_first(job) ? &tree : NULL,
				    placement);
	return rc;
}
