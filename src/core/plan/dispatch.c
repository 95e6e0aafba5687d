/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dispatch.c - members in the order given: which solver is right
 *
 * Looks through the request and hands it to the solver that is right for it.
 */

#include <errno.h>

#include "plan_private.h"

/* Does each unit of a member need some of dimension 0? */
static bool needs_slots(const struct sgang_plan_request *request,
			const struct sgang_plan_member *member)
{
	uint32_t n_dims = sgang_plan_dims(request), type, n_types;

	n_types = member->need ? sgang_request_types(request) : 0;
	for (type = 0; type < n_types; type++) {
		if (!member->need[type * n_dims])
			return false;
	}
	return true;
}

static int check_request(const struct sgang_plan_request *request,
			 struct sgang_error *err)
{
	size_t i;

	if (request->n_dims > SGANG_PLAN_DIMS)
		return sgang_errf(err, EINVAL,
				  "plan: %u resources, at most "
				  "%d can be counted",
				  request->n_dims, SGANG_PLAN_DIMS);
	if (!request->n_members)
		return sgang_errf(err, EINVAL, "plan: there is no member");
	if (request->n_members >= UINT32_MAX)
		return sgang_errf(err, EINVAL, "plan: too many members");
	for (i = 0; i < request->n_members; i++) {
		if (!request->members[i].units)
			return sgang_errf(err, EINVAL,
					  "plan: member %zu asks "
					  "for nothing, expected 1 unit or "
					  "more",
					  i);
		if (!needs_slots(request, &request->members[i]))
			return sgang_errf(err, EINVAL,
					  "plan: member %zu needs "
					  "no slots",
					  i);
	}
	if (request->n_groups && sgang_roles_check_request(request, err))
		return -1;
	if (request->parallel)
		return sgang_parallel_check_request(request, err);
	return 0;
}

/* Members of several nodes for which the best placement may not be found: the
 * planner of cuts knows what an order of them costs for some placements only. */
static bool is_doubtful(const struct sgang_job *job,
			const struct sgang_placement *made)
{
	return job->units > job->request->n_members && !made->exact &&
	       job->request->effort == SGANG_EFFORT_PROOF;
}

/* All members in one ring. Where the planner of cuts finds no place for members
 * in any order, and there may be one, the other solvers look for it. */
static int plan_ring(const struct sgang_job *job, const uint64_t *broken,
		     struct sgang_placement **placement)
{
	struct sgang_budget *budget = job->request->budget;
	struct sgang_placement *other;
	bool before = budget->unproved;
	int rc;

	if (!sgang_cuts_can(job->request))
		return sgang_job_plan(job, broken, placement);
	budget->unproved = false;
	rc = sgang_cuts_plan(job, broken, placement);
	if (!rc && budget->unproved) {
		budget->unproved = false;
		rc = sgang_job_plan(job, broken, placement);
	} else if (rc > 0 && is_doubtful(job, *placement) &&
		   sgang_job_plan(job, broken, &other) > 0 &&
		   other->ring.cost < (*placement)->ring.cost) {
		if (other->bound < (*placement)->bound)
			other->bound = (*placement)->bound;
		*placement = other;
	}
	budget->unproved |= before;
	return rc;
}

/* The ring first: what does not fit as one does not fit at all. */
static int plan_request(struct sgang_job *job,
			struct sgang_placement **placement,
			struct sgang_nofit *nofit, struct sgang_error *err)
{
	uint64_t *broken = sgang_find_broken(job->request, job->pool);
	int rc;

	sgang_job_find_kinds(job);
	job->coin = sgang_coin_find(job, broken);
	if (job->request->n_groups)
		return sgang_roles_plan(job, broken, placement, nofit);
	if (job->request->spread)
		rc = sgang_spread_plan(job, broken, placement, nofit);
	else
		rc = plan_ring(job, broken, placement);
	if (!rc && nofit && !job->request->spread)
		sgang_nofit_explain(job, nofit);
	if (rc > 0 && job->request->spread)
		sgang_have_required(job, *placement);
	if (rc > 0 && job->request->parallel) {
		rc = sgang_parallel_plan(job, broken, placement, nofit, err);
		if (rc > 0 && sgang_request_requires(job->request))
			(*placement)->exact = false;
	}
	return rc;
}

int sgang_plan_ordered(const struct sgang_plan_request *asked,
		       struct sgang_pool *pool,
		       struct sgang_placement **placement,
		       struct sgang_nofit *nofit, struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	struct sgang_job job = { .request = &request };
	struct sgang_placement *made = NULL;
	struct sgang_nofit why;
	int rc;

	if (check_request(asked, err))
		return -1;
	job.pool = sgang_pool_inside(pool);
	request.n_dims = sgang_plan_dims(&request);
	if (request.n_groups && request.group->require < request.max_level)
		request.max_level = request.group->require;
	if (request.spread && request.n_members == 1) {
		/* it has no others to be apart from */
		request.spread = false;
		if (request.spread_level < request.max_level)
			request.max_level = request.spread_level;
	}
	if (sgang_request_requires(asked))
		sgang_confine(&request, job.pool);
	rc = plan_request(&job, &made, nofit ? &why : NULL, err);
	if (!rc && nofit) {
		sgang_required_nofit(asked, &why);
		*nofit = why;
	}
	if (rc > 0)
		*placement = sgang_placement_copy(made, pool);
	sgang_pool_end(job.pool);
	if (rc < 0 && errno == EOVERFLOW)
		return sgang_errf(err, EINVAL,
				  "plan: hop costs or numbers of "
				  "ranks are too large to be added up");
	return rc;
}
