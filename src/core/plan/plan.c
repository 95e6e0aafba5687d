/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - one joint placement for all members of a gang
 *
 * In their order, and in a better one where any will do; then in segments.
 */

#include <errno.h>

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
static int count_more(const struct sgang_plan_request *request,
		      struct sgang_placement *made)
{
	uint32_t inside = request->costs->hop[SGANG_LEVEL_ISLAND];
	uint64_t cost = 0;

	for (size_t i = 0; i < request->n_members; i++)
		cost += (uint64_t)request->members[i].more * inside *
			weight_inside(request, i);
	if (sgang_plan_deal_more(request, made))
		return -1;
	made->bound += cost;
	if (request->n_groups)
		made->weighted_cost += cost;
	return 0;
}

/* In their order or in a better one, and in segments. Returns as sgang_plan().
 */
static int plan(const struct sgang_plan_request *asked,
		struct sgang_placement **made, struct sgang_nofit *nofit,
		struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	bool segments = sgang_segments_any(asked);
	uint64_t aside = 0;
	int rc;

	request.any_order = sgang_any_matters(asked);
	if ((request.any_order && !sgang_cuts_can(&request)) || segments)
		aside = request.budget->left / 2;
	request.budget->left -= aside;
	rc = sgang_plan_ordered(&request, made, nofit, err);
	request.budget->left += aside;
	if (rc <= 0)
		return rc;
	if (request.any_order && sgang_any_order(&request, made))
		rc = -1;
	else if (segments)
		rc = sgang_segments_keep(&request, made, nofit);
	if (rc > 0 && !request.parallel && count_more(&request, *made))
		rc = -1;
	return rc < 0 && errno == ENOMEM ?
		       sgang_errf(err, ENOMEM, "plan: out of memory") :
		       rc;
}

int sgang_plan(const struct sgang_plan_request *asked,
	       struct sgang_placement **placement, struct sgang_nofit *nofit,
	       struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	struct sgang_placement *made = NULL;
	struct sgang_budget own;
	bool before;
	int rc;

	sgang_budget_init(&own, SGANG_PLAN_STEPS);
	if (!request.budget)
		request.budget = &own;
	before = request.budget->unproved;
	request.budget->unproved = false;
	rc = plan(&request, &made, nofit, err);
	if (!rc && nofit)
		nofit->unproved = request.budget->unproved;
	request.budget->unproved |= before;
	if (rc > 0)
		*placement = made;
	else
		sgang_placement_destroy(made);
	return rc;
}
