/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_need.c - what members need, and nodes have, of each resource */

#include "plan_private.h"

/* What a node has. */
static const uint32_t *total_of(const struct sgang_plan_request *request,
				uint32_t node)
{
	return request->total + (size_t)node * sgang_plan_dims(request);
}

/* The needs that count on a node, of those type by type. */
static const uint32_t *needs_at(const struct sgang_plan_request *request,
				const uint32_t *need, uint32_t node)
{
	return request->type ? need + (size_t)request->type[node] *
			       sgang_plan_dims(request) : need;
}

/* Units that fit, no more than 'most'. */
static uint32_t count_units(const struct sgang_plan_request *request,
			    const uint32_t *need, const uint32_t *total,
			    const uint32_t *free, uint32_t most)
{
	uint32_t n_dims = sgang_plan_dims(request), d;

	/* every unit needs some of dimension 0 */
	for (d = *free ? 0 : n_dims, most = *free ? most : 0;
	     d < n_dims && most; d++) {
		uint32_t fits = UINT32_MAX;

		if (need[d] == SGANG_PLAN_ALL && total[d])
			fits = free[d] >= total[d];
		else if (need[d] && need[d] != SGANG_PLAN_ALL)
			fits = free[d] / need[d];
		most = fits < most ? fits : most;
	}
	return most;
}

/* -- members, for everybody -- */

/* The needs of a member on a node, in 'own' if it has none. */
static const uint32_t *needs_of(const struct sgang_plan_request *request,
				const struct sgang_plan_member *member,
				uint32_t node, uint32_t own[SGANG_PLAN_DIMS])
{
	if (member->need)
		return needs_at(request, member->need, node);
	sgang_plan_own_need(member, sgang_plan_dims(request), own);
	return own;
}

void sgang_plan_own_need(const struct sgang_plan_member *member,
			 uint32_t n_dims, uint32_t *need)
{
	uint32_t d;

	for (d = 0; d < n_dims; d++)
		need[d] = !member->slots ? SGANG_PLAN_ALL :
			  d ? 0 : member->slots;
}

uint32_t sgang_plan_need(const struct sgang_plan_request *request,
			 const struct sgang_plan_member *member, uint32_t node,
			 uint32_t dim)
{
	uint32_t own[SGANG_PLAN_DIMS];
	uint32_t need = needs_of(request, member, node, own)[dim];

	return need == SGANG_PLAN_ALL ? total_of(request, node)[dim] : need;
}

uint32_t sgang_plan_fits(const struct sgang_plan_request *request,
			 const struct sgang_plan_member *member, uint32_t node,
			 const uint32_t *free)
{
	uint32_t own[SGANG_PLAN_DIMS];

	if (member->allowed && !sgang_nodeset_has(member->allowed, node))
		return 0;
	return count_units(request, needs_of(request, member, node, own),
			   total_of(request, node), free,
			   sgang_member_distinct(member) ? 1 : member->units);
}

void sgang_plan_take(const struct sgang_plan_request *request,
		     const struct sgang_plan_member *member, uint32_t node,
		     uint32_t units, uint32_t *free)
{
	uint32_t d;

	for (d = 0; d < sgang_plan_dims(request); d++)
		free[d] -= units * sgang_plan_need(request, member, node, d);
}

/* -- kinds, for the planner -- */

const uint32_t *sgang_job_free(const struct sgang_job *job, uint32_t node)
{
	return job->request->free + (size_t)node * job->request->n_dims;
}

uint32_t sgang_kind_need(const struct sgang_job *job,
			 const struct sgang_kind *kind, uint32_t node,
			 uint32_t dim)
{
	uint32_t need = needs_at(job->request, kind->need, node)[dim];

	return need == SGANG_PLAN_ALL ? total_of(job->request, node)[dim] :
					need;
}

uint32_t sgang_kind_fits(const struct sgang_job *job,
			 const struct sgang_kind *kind, uint32_t node,
			 const uint32_t *free)
{
	if (kind->allowed && !sgang_nodeset_has(kind->allowed, node))
		return 0;
	return count_units(job->request,
			   needs_at(job->request, kind->need, node),
			   total_of(job->request, node), free,
			   kind->per_node < UINT32_MAX ?
			   (uint32_t)kind->per_node : UINT32_MAX);
}

bool sgang_job_any_fits(const struct sgang_job *job, uint32_t node)
{
	uint32_t k;

	for (k = 0; k < job->n_kinds; k++) {
		if (sgang_kind_fits(job, &job->kind[k], node,
				    sgang_job_free(job, node)))
			return true;
	}
	return false;
}

void sgang_kind_take(const struct sgang_job *job,
		     const struct sgang_kind *kind, uint32_t node,
		     uint32_t units, uint32_t *free)
{
	uint32_t d;

	for (d = 0; d < job->request->n_dims; d++)
		free[d] -= units * sgang_kind_need(job, kind, node, d);
}

void sgang_kind_give_back(const struct sgang_job *job,
			  const struct sgang_kind *kind, uint32_t node,
			  uint32_t units, uint32_t *free)
{
	uint32_t d;

	for (d = 0; d < job->request->n_dims; d++)
		free[d] += units * sgang_kind_need(job, kind, node, d);
}

uint32_t sgang_kind_least(const struct sgang_job *job,
			  const struct sgang_kind *kind, uint32_t dim)
{
	uint32_t node, n = sgang_fabric_nodes(job->request->fabric);
	uint32_t least = UINT32_MAX;

	if (!job->request->type && kind->need[dim] != SGANG_PLAN_ALL)
		return kind->need[dim];
	for (node = 0; node < n; node++) {
		uint32_t need = sgang_kind_need(job, kind, node, dim);

		if (need < least && sgang_kind_fits(job, kind, node,
						    sgang_job_free(job, node)))
			least = need;
	}
	return least;
}
