/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder.c - a ring whose members may be in any order
 *
 * The members are planned twice, in the order in which they came and by kind,
 * and each time sorted anew on the nodes that they have then (arrange.c).
 * The bounds of such a plan are those that hold for every order.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

struct any {
	const struct sgang_plan_request *asked;
	struct sgang_pool *pool;
	struct sgang_plan_member *member; /* in the order at hand */
	uint32_t *number; /* by place in that order: the member */
	double average[SGANG_PLAN_DIMS]; /* what a node has */
	struct sgang_placement *best;
};

/* A member, and what it is sorted by. */
struct rank {
	uint64_t key;
	uint32_t member;
};

static int by_key(const void *one, const void *two)
{
	const struct rank *a = one, *b = two;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

static uint64_t cost_of(const struct sgang_plan_request *asked,
			const struct sgang_placement *made)
{
	return asked->n_groups || asked->parallel ? made->weighted_cost :
						    made->ring.cost;
}

/* Is 'made' better than the best one? */
static bool is_better(const struct sgang_plan_request *asked,
		      struct sgang_pool *pool,
		      const struct sgang_placement *made,
		      const struct sgang_placement *best)
{
	uint64_t weight = 0, best_weight = 0;
	uint64_t cost = cost_of(asked, made), best_cost = cost_of(asked, best);

	if (asked->weight_first) {
		weight = sgang_plan_weight(asked, pool, made);
		best_weight = sgang_plan_weight(asked, pool, best);
	}
	if (weight != best_weight)
		return weight < best_weight;
	if (made->above != best->above)
		return made->above < best->above;
	if (cost != best_cost)
		return cost < best_cost;
	return made->exact && !best->exact;
}

void sgang_plan_keep(const struct sgang_plan_request *asked,
		     struct sgang_pool *pool, struct sgang_placement *made,
		     struct sgang_placement **best)
{
	struct sgang_placement *worse = made;

	if (!*best || is_better(asked, pool, made, *best)) {
		worse = *best;
		*best = made;
	}
	if (worse && !sgang_plan_by_weight(asked) &&
	    worse->above == (*best)->above && worse->bound > (*best)->bound)
		(*best)->bound = worse->bound;
}

/* Plan in the order of these ranks. Returns 0, or -1 with errno set. */
static int plan_in_order(struct any *any, struct rank *rank)
{
	struct sgang_plan_request request = *any->asked;
	struct sgang_placement *made = NULL;
	size_t i, n = request.n_members;
	int rc;

	qsort(rank, n, sizeof(*rank), by_key);
	for (i = 0; i < n; i++) {
		any->number[i] = rank[i].member;
		any->member[i] = any->asked->members[rank[i].member];
	}
	request.members = any->member;
	rc = sgang_plan_ordered(&request, any->pool, &made, NULL, NULL);
	if (rc <= 0)
		return rc;
	for (i = 0; i < made->n_runs; i++)
		made->runs[i].member = any->number[made->runs[i].member];
	sgang_plan_keep(any->asked, any->pool, made, &any->best);
	return 0;
}

/* The largest share of any resource that a unit of a member takes, of what
 * nodes of the first type have on average, in 65536ths; whole nodes take all.
 */
static uint32_t share_of(const struct any *any,
			 const struct sgang_plan_member *member)
{
	uint32_t n_dims = sgang_plan_dims(any->asked), d;
	double most = 0, one;

	if (!member->slots)
		return UINT32_MAX;
	for (d = 0; d < n_dims; d++) {
		uint32_t need = member->need ? member->need[d] :
				d            ? 0 :
					       member->slots;

		one = need == SGANG_PLAN_ALL       ? 1 :
		      need == SGANG_PLAN_UNTOUCHED ? 0 :
						     need / any->average[d];
		most = one > most ? one : most;
	}
	return most < 65535 ? (uint32_t)(most * 65536) : UINT32_MAX - 1;
}

/* The amount of each resource on a node. */
static void find_average(struct any *any)
{
	const struct sgang_plan_request *asked = any->asked;
	uint32_t n_dims = sgang_plan_dims(asked), d;
	size_t n = sgang_fabric_nodes(asked->fabric), i;

	for (i = 0; i < n * n_dims; i++)
		any->average[i % n_dims] += asked->total[i];
	for (d = 0; d < n_dims; d++)
		any->average[d] = any->average[d] < 1 ?
					  1.0 / (double)n :
					  any->average[d] / (double)n;
}

/* By the first of the nodes where a member may be, and the share of a node that
 * it asks for. */
static void rank_by_kind(const struct any *any, struct rank *rank)
{
	const struct sgang_plan_request *asked = any->asked;
	uint32_t n = sgang_fabric_nodes(asked->fabric), i, pos;

	for (i = 0; i < asked->n_members; i++) {
		const struct sgang_plan_member *member = &asked->members[i];

		for (pos = 0;
		     pos < n && member->allowed &&
		     !sgang_nodeset_has(member->allowed,
					sgang_fabric_order(asked->fabric)[pos]);
		     pos++)
			;
		rank[i].key = (uint64_t)pos << 32 | share_of(any, member);
		rank[i].member = i;
	}
}

/* Is the order nothing to the ring? */
static bool is_settled(const struct any *any)
{
	return any->best->exact || any->best->ring.cost <= any->best->bound;
}

/* The first of the members stays the first. */
static void begin(struct any *any)
{
	struct sgang_placement *best = any->best;

	sgang_arrange_begin(best->runs, best->n_runs, 0,
			    sgang_pool_alloc(any->pool, best->n_runs,
					     sizeof(*best->runs)));
}

static int try_orders(struct any *any, struct rank *rank)
{
	int rc = 0;

	if (any->asked->spread) {
		sgang_arrange(any->asked, any->pool, any->best);
	} else if (!sgang_cuts_can(any->asked) && !is_settled(any) &&
		   sgang_budget_left(any->asked->budget)) {
		find_average(any);
		rank_by_kind(any, rank);
		rc = plan_in_order(any, rank);
	}
	if (!rc)
		begin(any);
	return rc;
}

static bool same_allowed(const struct sgang_plan_member *a,
			 const struct sgang_plan_member *b)
{
	return a->allowed == b->allowed ||
	       (a->allowed && b->allowed &&
		sgang_nodeset_equal(a->allowed, b->allowed));
}

/* Where there are types of nodes, how many is not known here. */
static bool same_need(const struct sgang_plan_request *request,
		      const uint32_t *a, const uint32_t *b)
{
	return a == b || (a && b && !request->type &&
			  !memcmp(a, b, sgang_plan_dims(request) * sizeof(*a)));
}

static bool same_required(const struct sgang_plan_member *a,
			  const struct sgang_plan_member *b)
{
	bool a_any = a->required && sgang_nodeset_count(a->required);
	bool b_any = b->required && sgang_nodeset_count(b->required);

	return (a_any && b_any) ?
		       sgang_nodeset_equal(a->required, b->required) :
		       a_any == b_any;
}

bool sgang_members_same(const struct sgang_plan_request *request,
			const struct sgang_plan_member *a,
			const struct sgang_plan_member *b)
{
	return a->units == b->units && a->slots == b->slots &&
	       a->ranks == b->ranks && a->distinct == b->distinct &&
	       a->segment == b->segment &&
	       a->spread_segments == b->spread_segments &&
	       a->consolidate_segments == b->consolidate_segments &&
	       same_need(request, a->need, b->need) && same_allowed(a, b) &&
	       same_required(a, b);
}

/* Rings of three are the same in every order. */
bool sgang_any_matters(const struct sgang_plan_request *request)
{
	size_t i;

	if (!request->any_order || request->n_members < 4 ||
	    request->parallel || request->n_groups)
		return false;
	for (i = 1; i < request->n_members; i++) {
		if (!sgang_members_same(request, &request->members[0],
					&request->members[i]))
			return true;
	}
	return false;
}

/* Are all members the same as the k-th, apart from the i-th? */
static bool are_same_but(const struct sgang_plan_request *request, size_t i,
			 size_t k)
{
	const struct sgang_plan_member *member = request->members;
	size_t m;

	for (m = 0; m < request->n_members; m++) {
		if (m != i &&
		    !sgang_members_same(request, &member[m], &member[k]))
			return false;
	}
	return !sgang_members_same(request, &member[i], &member[k]);
}

uint32_t sgang_any_odd(const struct sgang_plan_request *asked)
{
	struct sgang_plan_request request = *asked;
	size_t n = asked->n_members, i = 1;

	request.any_order = true;
	if (asked->any_order || n < 4 || !sgang_cuts_can(&request))
		return UINT32_MAX;
	if (are_same_but(asked, 0, 1))
		return 0;
	while (i < n && sgang_members_same(asked, &asked->members[0],
					   &asked->members[i]))
		i++;
	return i < n && are_same_but(asked, i, 0) ? (uint32_t)i : UINT32_MAX;
}

void sgang_any_number(struct sgang_placement *made, struct sgang_pool *pool,
		      uint32_t odd, uint32_t n_members)
{
	struct sgang_run *scratch = sgang_pool_alloc(pool, made->n_runs,
						     sizeof(*scratch));
	uint32_t number = odd, last = odd;
	size_t i;

	sgang_arrange_begin(made->runs, made->n_runs, odd, scratch);
	for (i = 0; i < made->n_runs; i++) {
		if (made->runs[i].member != last) {
			last = made->runs[i].member;
			number = (number + 1) % n_members;
		}
		made->runs[i].member = number;
	}
	sgang_arrange_begin(made->runs, made->n_runs, 0, scratch);
}

int sgang_any_order(const struct sgang_plan_request *asked,
		    struct sgang_pool *pool, struct sgang_placement **placement)
{
	size_t n = asked->n_members;
	struct any any = {
		.asked = asked,
		.pool = pool,
		.member = sgang_pool_alloc(pool, n, sizeof(*any.member)),
		.number = sgang_pool_alloc(pool, n, sizeof(*any.number)),
		.best = *placement,
	};
	int rc = try_orders(&any,
			    sgang_pool_alloc(pool, n, sizeof(struct rank)));

	*placement = any.best;
	return rc;
}
