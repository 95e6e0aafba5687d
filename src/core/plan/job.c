/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job.c - a request, looked through
 *
 * What members need and nodes have of each resource, members as kinds, and a
 * placement of runs.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* The resources of a node. */
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
					       sgang_plan_dims(request) :
			       need;
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

		if (need[d] == SGANG_PLAN_UNTOUCHED)
			fits = free[d] >= total[d] ? UINT32_MAX : 0;
		else if (need[d] == SGANG_PLAN_ALL && total[d])
			fits = free[d] >= total[d];
		else if (need[d] && need[d] != SGANG_PLAN_ALL)
			fits = free[d] / need[d];
		most = fits < most ? fits : most;
	}
	return most;
}

/* The amount that a need takes of a resource of which a node has so much. */
static uint32_t taken_by(uint32_t need, uint32_t total)
{
	return need == SGANG_PLAN_ALL       ? total :
	       need == SGANG_PLAN_UNTOUCHED ? 0 :
					      need;
}

/* -- members, for everybody -- */

/* The need of a member that names none: n_dims numbers. */
static void own_need(const struct sgang_plan_member *member, uint32_t n_dims,
		     uint32_t *need)
{
	uint32_t d;

	for (d = 0; d < n_dims; d++)
		need[d] = !member->slots ? SGANG_PLAN_ALL :
			  d              ? 0 :
					   member->slots;
}

/* The needs of a member on a node, in 'own' if it has none. */
static const uint32_t *needs_of(const struct sgang_plan_request *request,
				const struct sgang_plan_member *member,
				uint32_t node, uint32_t own[SGANG_PLAN_DIMS])
{
	if (member->need)
		return needs_at(request, member->need, node);
	own_need(member, sgang_plan_dims(request), own);
	return own;
}

uint32_t sgang_plan_need(const struct sgang_plan_request *request,
			 const struct sgang_plan_member *member, uint32_t node,
			 uint32_t dim)
{
	uint32_t own[SGANG_PLAN_DIMS];
	uint32_t need = needs_of(request, member, node, own)[dim];

	return taken_by(need, total_of(request, node)[dim]);
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

	return taken_by(need, total_of(job->request, node)[dim]);
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
				   (uint32_t)kind->per_node :
				   UINT32_MAX);
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

void sgang_kind_take(const struct sgang_job *job, const struct sgang_kind *kind,
		     uint32_t node, uint32_t units, uint32_t *free)
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
		return taken_by(kind->need[dim], 0);
	for (node = 0; node < n; node++) {
		uint32_t need = sgang_kind_need(job, kind, node, dim);

		if (need < least &&
		    sgang_kind_fits(job, kind, node, sgang_job_free(job, node)))
			least = need;
	}
	return least;
}

static bool same_nodes(const struct sgang_nodeset *a,
		       const struct sgang_nodeset *b, uint32_t n_nodes)
{
	if (a == b)
		return true;
	if (a && b)
		return sgang_nodeset_equal(a, b);
	/* one of them is "every node" */
	return sgang_nodeset_count(a ? a : b) == n_nodes;
}

uint32_t sgang_request_types(const struct sgang_plan_request *request)
{
	uint32_t node, n = sgang_fabric_nodes(request->fabric), most = 0;

	for (node = 0; request->type && node < n; node++)
		most = request->type[node] > most ? request->type[node] : most;
	return most + 1;
}

/* The need of a unit of this kind, by type of node. */
static void find_need(const struct sgang_job *job,
		      const struct sgang_plan_member *ask,
		      struct sgang_kind *kind)
{
	uint32_t n_dims = job->request->n_dims, type;
	uint32_t *need;

	kind->need = ask->need;
	if (ask->need)
		return;
	need = sgang_pool_alloc(job->pool, (size_t)job->n_types * n_dims,
				sizeof(*need));
	for (type = 0; type < job->n_types; type++)
		own_need(ask, n_dims, need + (size_t)type * n_dims);
	kind->need = need;
}

/* Does this member need the same as those of a kind? */
static bool same_need(const struct sgang_job *job,
		      const struct sgang_plan_member *ask,
		      const struct sgang_kind *kind)
{
	const struct sgang_plan_member *first =
		&job->request->members[kind->first];
	size_t n = (size_t)job->n_types * job->request->n_dims;

	if (!ask->slots != kind->whole || !ask->need != !first->need)
		return false;
	if (!ask->need)
		return ask->slots == kind->slots;
	return ask->need == first->need ||
	       !memcmp(ask->need, first->need, n * sizeof(*ask->need));
}

/* The kind of a member: one that is there already, or a new one at the end. */
static uint32_t find_kind(const struct sgang_job *job, uint32_t member)
{
	const struct sgang_plan_member *ask = &job->request->members[member];
	uint32_t n_nodes = sgang_fabric_nodes(job->request->fabric);
	struct sgang_kind *kind;
	uint32_t i, ranks = ask->ranks ? ask->ranks : ask->slots;

	for (i = 0; i < job->n_kinds; i++) {
		kind = &job->kind[i];
		if (same_need(job, ask, kind) && kind->ranks == ranks &&
		    same_nodes(kind->allowed, ask->allowed, n_nodes))
			return i;
	}
	kind = &job->kind[i];
	memset(kind, 0, sizeof(*kind));
	kind->slots = ask->slots;
	kind->ranks = ranks;
	kind->whole = !ask->slots;
	kind->allowed = ask->allowed;
	kind->first = member;
	return i;
}

void sgang_job_find_kinds(struct sgang_job *job)
{
	size_t n = job->request->n_members;
	uint32_t i;

	job->n_types = sgang_request_types(job->request);
	job->kind = sgang_pool_alloc(job->pool, n, sizeof(*job->kind));
	job->kind_of = sgang_pool_alloc(job->pool, n, sizeof(*job->kind_of));
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *ask = &job->request->members[i];
		uint32_t number = find_kind(job, i);
		struct sgang_kind *kind = &job->kind[number];

		if (number == job->n_kinds) {
			job->n_kinds++;
			find_need(job, ask, kind);
		}
		job->kind_of[i] = number;
		job->units += ask->units;
		kind->units += ask->units;
		kind->per_node += sgang_member_distinct(ask) ? 1 : ask->units;
	}
}

uint32_t sgang_kind_ranks(const struct sgang_job *job,
			  const struct sgang_kind *kind, uint32_t node)
{
	return kind->ranks ?
		       kind->ranks :
		       job->request->total[(size_t)node * job->request->n_dims];
}

uint32_t sgang_plan_lowest(const struct sgang_plan_request *request)
{
	uint32_t n = sgang_fabric_domains(request->fabric);

	/* parents are before children: the last one has none */
	if (!n)
		return SGANG_LEVEL_LEAF;
	return sgang_fabric_domain(request->fabric, n - 1)->level;
}

bool sgang_tree_allowed(const struct sgang_plan_request *request,
			uint32_t domain)
{
	uint32_t level = sgang_fabric_domain(request->fabric, domain)->level;

	if (level == SGANG_LEVEL_UNCONNECTED &&
	    !request->costs->allow_unconnected)
		return false;
	return level <= request->max_level;
}

bool sgang_plan_highest(const struct sgang_plan_request *request,
			uint32_t domain)
{
	uint32_t parent = sgang_fabric_domain(request->fabric, domain)->parent;

	return parent == SGANG_DOMAIN_NONE ||
	       !sgang_tree_allowed(request, parent);
}

/* Is all that a node has free? */
static bool is_free(const struct sgang_plan_request *request, uint32_t node)
{
	uint32_t n_dims = sgang_plan_dims(request), d;
	size_t first = (size_t)node * n_dims;

	for (d = 0; d < n_dims; d++) {
		if (request->free[first + d] < request->total[first + d])
			return false;
	}
	return true;
}

uint64_t *sgang_find_broken(const struct sgang_plan_request *request,
			    struct sgang_pool *pool)
{
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_domains(request->fabric), d, i;
	uint64_t *broken = sgang_pool_zalloc(pool, n, sizeof(*broken));
	bool *busy = sgang_pool_zalloc(pool, n, sizeof(*busy));

	for (d = n; d-- > 0;) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(request->fabric, d);

		for (i = 0; !domain->n_children && i < domain->n_nodes; i++) {
			uint32_t node = order[domain->first_pos + i];

			broken[d] += request->total[(size_t)node *
						    sgang_plan_dims(request)];
			if (!is_free(request, node))
				busy[d] = true;
		}
		if (domain->parent != SGANG_DOMAIN_NONE) {
			broken[domain->parent] += broken[d];
			busy[domain->parent] |= busy[d];
		}
		if (busy[d])
			broken[d] = 0;
	}
	return broken;
}

uint64_t sgang_count_broken(const struct sgang_plan_request *request,
			    struct sgang_pool *pool, const uint64_t *broken,
			    const struct sgang_run *runs, size_t n_runs)
{
	const struct sgang_fabric *fabric = request->fabric;
	bool *used = sgang_pool_zalloc(pool, sgang_fabric_domains(fabric),
				       sizeof(*used));
	uint64_t sum = 0;
	uint32_t d;
	size_t i;

	for (i = 0; i < n_runs; i++) {
		for (d = sgang_fabric_leaf(fabric, runs[i].node);
		     d != SGANG_DOMAIN_NONE && !used[d];
		     d = sgang_fabric_domain(fabric, d)->parent) {
			used[d] = true;
			sum += broken[d];
		}
	}
	return sum;
}

struct sgang_placement *sgang_job_place(const struct sgang_job *job,
					const struct sgang_run *runs,
					size_t n_runs)
{
	struct sgang_placement *placement =
		sgang_pool_zalloc(job->pool, 1, sizeof(*placement));

	placement->runs = sgang_pool_alloc(job->pool, n_runs, sizeof(*runs));
	memcpy(placement->runs, runs, n_runs * sizeof(*runs));
	placement->n_runs = n_runs;
	sgang_ring_measure(job->request->fabric, job->request->costs, runs,
			   n_runs, &placement->ring);
	return placement;
}

struct sgang_placement *
sgang_placement_copy(const struct sgang_placement *placement,
		     struct sgang_pool *pool)
{
	struct sgang_placement *copy = sgang_pool_alloc(pool, 1, sizeof(*copy));
	size_t ranks = placement->layout ? placement->ring.ranks : 0;

	*copy = *placement;
	copy->runs = sgang_pool_alloc(pool, copy->n_runs, sizeof(*copy->runs));
	memcpy(copy->runs, placement->runs, copy->n_runs * sizeof(*copy->runs));
	if (!ranks)
		return copy;
	copy->layout = sgang_pool_alloc(pool, ranks, sizeof(*copy->layout));
	memcpy(copy->layout, placement->layout, ranks * sizeof(*copy->layout));
	return copy;
}

/* A run of a member whose ranks do not divide evenly. */
struct uneven {
	uint32_t member, node;
	size_t run;
};

static int by_member_and_node(const void *a, const void *b)
{
	const struct uneven *x = a, *y = b;

	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The runs of those members, by member and node. */
static struct uneven *find_uneven(const struct sgang_plan_request *request,
				  struct sgang_pool *pool,
				  const struct sgang_placement *placement,
				  size_t *n)
{
	struct uneven *list = sgang_pool_alloc(pool, placement->n_runs + 1,
					       sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];

		if (request->members[run->member].more)
			list[(*n)++] = (struct uneven){ run->member, run->node,
							i };
	}
	qsort(list, *n, sizeof(*list), by_member_and_node);
	return list;
}

void sgang_plan_deal_more(const struct sgang_plan_request *request,
			  struct sgang_pool *pool,
			  struct sgang_placement *placement)
{
	size_t n, first = 0, lower = 0;
	struct uneven *list = find_uneven(request, pool, placement, &n);

	for (size_t i = 0; i < n; i++) {
		if (list[i].member != list[first].member)
			first = lower = i;
		else if (list[i].node != list[lower].node)
			lower = i;
		if (lower - first < request->members[list[i].member].more)
			placement->runs[list[i].run].ranks++;
	}
	if (n)
		sgang_ring_measure(request->fabric, request->costs,
				   placement->runs, placement->n_runs,
				   &placement->ring);
}

void sgang_placement_destroy(struct sgang_placement *placement)
{
	int saved = errno;

	if (placement) {
		free(placement->runs);
		free(placement->layout);
		free(placement);
	}
	errno = saved;
}
