/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - one joint placement for all members of a gang
 *
 * In their order, and in a better one where any will do; then in segments.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* How much a hop counts that a member has inside of a unit. */
static uint64_t weight_inside(const struct sgang_plan_request *request,
			      size_t member)
{
	uint64_t weight = request->n_groups ? 0 : 1;

	for (uint32_t g = 0; g < request->n_groups; g++) {
		const struct sgang_plan_group *group = &request->group[g];

		if (member >= group->first &&
		    member - group->first < group->n_members)
			weight += group->weight;
	}
	return weight;
}

/* Ranks that do not divide evenly add the same to every placement. */
static void count_more(const struct sgang_plan_request *request,
		       struct sgang_pool *pool, struct sgang_placement *made)
{
	uint32_t inside = request->costs->hop[SGANG_LEVEL_ISLAND];
	uint64_t cost = 0;

	for (size_t i = 0; i < request->n_members; i++)
		cost += (uint64_t)request->members[i].more * inside *
			weight_inside(request, i);
	sgang_plan_deal_more(request, pool, made);
	made->bound += cost;
	if (request->n_groups)
		made->weighted_cost += cost;
}

/* In their order or in a better one, and in segments. Returns as
 * sgang_plan_in(). */
static int plan(const struct sgang_plan_request *asked, struct sgang_pool *pool,
		struct sgang_placement **made, struct sgang_nofit *nofit,
		struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	bool segments = sgang_segments_any(asked);
	uint32_t odd = sgang_any_odd(asked);
	uint64_t aside = 0;
	int rc;

	request.any_order = sgang_any_matters(asked) || odd < UINT32_MAX;
	if ((request.any_order && !sgang_cuts_can(&request)) || segments)
		aside = request.budget->left / 2;
	request.budget->left -= aside;
	rc = sgang_plan_ordered(&request, pool, made, nofit, err);
	request.budget->left += aside;
	if (rc <= 0)
		return rc;
	if (request.any_order && sgang_any_order(&request, pool, made))
		return -1;
	if (segments)
		rc = sgang_segments_keep(&request, pool, made, nofit);
	if (rc > 0 && odd < UINT32_MAX)
		sgang_any_number(*made, pool, odd, (uint32_t)asked->n_members);
	if (rc > 0 && !request.parallel)
		count_more(&request, pool, *made);
	return rc;
}

int sgang_plan_in(struct sgang_pool *pool,
		  const struct sgang_plan_request *asked,
		  struct sgang_placement **placement, struct sgang_nofit *nofit,
		  struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	struct sgang_budget own;
	bool before;
	int rc;

	sgang_budget_init(&own, SGANG_PLAN_STEPS);
	if (!request.budget)
		request.budget = &own;
	before = request.budget->unproved;
	request.budget->unproved = false;
	rc = plan(&request, pool, placement, nofit, err);
	if (!rc && nofit)
		nofit->unproved = request.budget->unproved;
	request.budget->unproved |= before;
	return rc;
}

/* -- for others -- */

int sgang_plan_run(struct sgang_budget *budget,
		   int (*run)(struct sgang_pool *pool, void *arg), void *arg)
{
	struct sgang_budget before = { 0 };
	uint64_t taken;
	int rc;

	if (budget)
		before = *budget;
	rc = sgang_pool_run(run, arg);
	if (rc < 0 && budget) {
		/* what was set aside when it left is not any more */
		taken = budget->taken - before.taken;
		budget->left = before.left > taken ? before.left - taken : 0;
		budget->unproved |= before.unproved;
	}
	return rc;
}

/* A placement in memory of its own; NULL with ENOMEM. */
static struct sgang_placement *hand_out(const struct sgang_placement *made)
{
	struct sgang_placement *placement = malloc(sizeof(*placement));
	size_t runs = made->n_runs * sizeof(*made->runs);
	size_t layout = made->ring.ranks * sizeof(*made->layout);

	if (!placement)
		return NULL;
	*placement = *made;
	placement->runs = malloc(runs);
	placement->layout = made->layout ? malloc(layout) : NULL;
	if (!placement->runs || (made->layout && !placement->layout)) {
		sgang_placement_destroy(placement);
		return NULL;
	}
	memcpy(placement->runs, made->runs, runs);
	if (made->layout)
		memcpy(placement->layout, made->layout, layout);
	return placement;
}

/* What sgang_plan() was asked. */
struct question {
	const struct sgang_plan_request *asked;
	struct sgang_placement *placement;
	struct sgang_nofit *nofit;
	struct sgang_error *err;
};

static int run(struct sgang_pool *pool, void *arg)
{
	struct question *q = arg;
	struct sgang_placement *made;
	int rc = sgang_plan_in(pool, q->asked, &made, q->nofit, q->err);

	if (rc <= 0)
		return rc;
	q->placement = hand_out(made);
	return q->placement ? 1 : -1;
}

int sgang_plan(const struct sgang_plan_request *asked,
	       struct sgang_placement **placement, struct sgang_nofit *nofit,
	       struct sgang_error *err)
{
	struct question q = { .asked = asked, .nofit = nofit, .err = err };
	int rc = sgang_plan_run(asked->budget, run, &q);

	if (rc > 0)
		*placement = q.placement;
	return rc < 0 && errno == ENOMEM ?
		       sgang_errf(err, ENOMEM, "plan: out of memory") :
		       rc;
}
