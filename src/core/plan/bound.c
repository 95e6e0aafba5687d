/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bound.c - relaxations: members that differ as units that are alike
 *
 * Give a unit of each kind of members a value. Then all members together have a
 * value, and no node holds more than the best mixture of units that fits there.
 * That is a request for pieces of value 1, which the tree solves exactly. Its
 * bound is one for the members, whatever the values are; those in use are what a
 * unit needs of one resource.
 *
 * Where the nodes of some kinds are in other domains than those of others, each
 * pays for the domains that it uses below the level where they meet: these bounds
 * add up.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* Mixtures that are looked at for one node; then a coarser bound does. */
#define MIXTURES_MAX 256

/* -- how much value a node holds -- */

struct filling {
	const struct sgang_job *job;
	const uint32_t *value; /* by kind */
	uint32_t node;
	uint32_t left[SGANG_PLAN_DIMS];
	uint32_t best;
	uint32_t steps;
};

/* Add units of kind k and those after it to what the node holds. */
static void fill(struct filling *filling, uint32_t k, uint32_t holds)
{
	const struct sgang_job *job = filling->job;
	const struct sgang_kind *kind = &job->kind[k];
	uint32_t most, units;

	if (holds > filling->best)
		filling->best = holds;
	if (k == job->n_kinds || ++filling->steps > MIXTURES_MAX)
		return;
	most = !filling->value[k] ?
		       0 :
		       sgang_kind_fits(job, kind, filling->node, filling->left);
	if (most > kind->units)
		most = (uint32_t)kind->units;
	sgang_kind_take(job, kind, filling->node, most, filling->left);
	for (units = most;; units--) {
		fill(filling, k + 1, holds + units * filling->value[k]);
		if (!units || filling->steps > MIXTURES_MAX)
			break;
		sgang_kind_give_back(job, kind, filling->node, 1,
				     filling->left);
	}
}

/* No more than this fits: the units of each kind alone, or those that are worth
 * most for what they need of one dimension. */
static uint32_t at_most(const struct filling *filling)
{
	const struct sgang_job *job = filling->job;
	const uint32_t *free = sgang_job_free(job, filling->node);
	double sum = 0, least = -1, dense, with;
	uint32_t k, d;

	for (d = 0; d < job->request->n_dims; d++) {
		for (k = 0, dense = with = sum = 0; k < job->n_kinds; k++) {
			const struct sgang_kind *kind = &job->kind[k];
			uint32_t fits = sgang_kind_fits(job, kind,
							filling->node, free);
			uint32_t need = sgang_kind_need(job, kind,
							filling->node, d);
			double value = filling->value[k];

			if (!fits)
				continue;
			if (fits > kind->units)
				fits = (uint32_t)kind->units;
			sum += fits * value;
			/* what needs none of it fits whatever is left */
			if (!need)
				with += fits * value;
			else if (value / need > dense)
				dense = value / need;
		}
		with += dense * free[d];
		with = with < sum ? with : sum;
		least = least < 0 || with < least ? with : least;
	}
	return least + 1 < UINT32_MAX ? (uint32_t)(least + 1e-6) : UINT32_MAX;
}

static uint32_t value_of_node(const struct sgang_job *job,
			      const uint32_t *value, uint32_t node)
{
	struct filling filling = { .job = job, .value = value, .node = node };
	const uint32_t *free = sgang_job_free(job, node);

	if (!*free)
		return 0;
	memcpy(filling.left, free, job->request->n_dims * sizeof(*free));
	if (!sgang_budget_left(job->request->budget))
		return at_most(&filling);
	fill(&filling, 0, 0);
	sgang_budget_take(job->request->budget, filling.steps);
	return filling.steps > MIXTURES_MAX ? at_most(&filling) : filling.best;
}

/* Is a node like the one at the last position? Then it holds as much. */
static bool same_node(const struct sgang_job *job, uint32_t a, uint32_t b)
{
	const struct sgang_plan_request *request = job->request;
	size_t n_dims = request->n_dims, size = n_dims * sizeof(uint32_t);
	uint32_t k;

	if (memcmp(request->free + a * n_dims, request->free + b * n_dims,
		   size) ||
	    memcmp(request->total + a * n_dims, request->total + b * n_dims,
		   size) ||
	    (request->type && request->type[a] != request->type[b]))
		return false;
	for (k = 0; k < job->n_kinds; k++) {
		const struct sgang_nodeset *allowed = job->kind[k].allowed;

		if (allowed && sgang_nodeset_has(allowed, a) !=
				       sgang_nodeset_has(allowed, b))
			return false;
	}
	return true;
}

void sgang_job_by_value(const struct sgang_job *job, const uint32_t *value,
			const uint64_t *broken, struct sgang_tree *tree)
{
	const struct sgang_fabric *fabric = job->request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t n = sgang_fabric_nodes(fabric), pos, k, back;
	uint32_t *cap = sgang_pool_zalloc(job->pool, n, sizeof(*cap));

	memset(tree, 0, sizeof(*tree));
	tree->request = job->request;
	tree->cap = cap;
	tree->left = cap;
	tree->broken = broken;
	for (k = 0; k < job->n_kinds; k++)
		tree->need += job->kind[k].units * value[k];
	for (pos = 0; pos < n; pos++) {
		/* one like it is near in most cases */
		for (back = 1; back <= 8 && back <= pos; back++) {
			if (same_node(job, order[pos - back], order[pos]))
				break;
		}
		cap[pos] = back <= 8 && back <= pos ?
				   cap[pos - back] :
				   value_of_node(job, value, order[pos]);
	}
}

/* -- kinds in different domains -- */

#define KINDS_MAX 8

/* Which kinds have room in the domains of one level, as bits: those of one
 * group may share a domain below 'level'. Fills 'group' by kind; returns how
 * many. */
static uint32_t find_groups(const struct sgang_job *job, uint32_t level,
			    uint32_t *group)
{
	const struct sgang_fabric *fabric = job->request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t n = sgang_fabric_domains(fabric), d, i, k, mine, groups = 0;

	for (k = 0; k < job->n_kinds; k++)
		group[k] = 1u << k;
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);
		uint32_t there = 0, joined = 0;

		if (domain->level >= level ||
		    (domain->parent != SGANG_DOMAIN_NONE &&
		     sgang_fabric_domain(fabric, domain->parent)->level <
			     level))
			continue;
		for (i = 0; i < domain->n_nodes; i++) {
			uint32_t node = order[domain->first_pos + i];

			for (k = 0; k < job->n_kinds; k++) {
				if (!(there >> k & 1) &&
				    sgang_kind_fits(job, &job->kind[k], node,
						    sgang_job_free(job, node)))
					there |= 1u << k;
			}
		}
		for (k = 0; k < job->n_kinds; k++)
			joined |= group[k] & there ? group[k] : 0;
		for (k = 0; k < job->n_kinds; k++)
			group[k] = group[k] & joined ? joined : group[k];
	}
	for (k = 0; k < job->n_kinds; k++) {
		/* its first kind counts for a group */
		mine = group[k] & ((1u << k) - 1);
		groups += !mine;
	}
	return groups;
}

/* The cost of a kind, ranks apart, as a part of a ring that spans 'level', and
 * what it breaks below. Returns as sgang_tree_solve(). */
static int cost_of_kind(const struct sgang_job *job, uint32_t k, uint32_t level,
			const uint64_t *broken, uint64_t *cost,
			uint64_t *breaks)
{
	struct sgang_job alone = *job;
	struct sgang_tree tree;
	uint64_t fixed;
	int rc;

	alone.kind = &job->kind[k];
	alone.n_kinds = 1;
	alone.units = job->kind[k].units;
	sgang_job_alike(&alone, broken, &tree);
	tree.reach = level;
	rc = sgang_tree_solve(&tree, job->pool, true);
	if (rc <= 0)
		return rc;
	fixed = tree.ranks * job->request->costs->hop[SGANG_LEVEL_ISLAND];
	*cost = tree.bound > fixed ? tree.bound - fixed : 0;
	*breaks = tree.bound_broken;
	return 1;
}

/* The sum over groups of kinds of what the dearest of each costs. Returns as
 * sgang_tree_solve(). */
static int add_groups(const struct sgang_job *job, uint32_t level,
		      const uint32_t *group, const uint64_t *broken,
		      uint64_t *cost, uint64_t *breaks)
{
	uint64_t most[KINDS_MAX] = { 0 }, least[KINDS_MAX] = { 0 }, one, two;
	uint32_t k, first;
	int rc;

	*cost = *breaks = 0;
	for (k = 0; k < job->n_kinds; k++) {
		rc = cost_of_kind(job, k, level, broken, &one, &two);
		if (rc <= 0)
			return rc;
		first = (uint32_t)__builtin_ctz(group[k]);
		if (one > most[first] ||
		    (one == most[first] && two > least[first])) {
			most[first] = one;
			least[first] = two;
		}
	}
	for (k = 0; k < job->n_kinds; k++) {
		*cost += most[k];
		*breaks += least[k];
	}
	return 1;
}

/* The least cost of kinds whose nodes are in different domains, (ranks *
 * hop[island]) apart, and the least that a placement of that cost breaks; 0
 * where all may share. Returns as sgang_tree_solve(). */
static int bound_apart(const struct sgang_job *job, const uint64_t *broken,
		       uint64_t *bound, uint64_t *bound_broken)
{
	const struct sgang_fabric *fabric = job->request->fabric;
	uint32_t n = sgang_fabric_domains(fabric), level, d;
	uint64_t *below, cost, breaks;
	uint32_t group[KINDS_MAX];
	int rc;

	*bound = *bound_broken = 0;
	below = sgang_pool_alloc(job->pool, n, sizeof(*below));
	for (level = sgang_plan_lowest(job->request) + 1;
	     job->n_kinds <= KINDS_MAX && level < SGANG_LEVELS; level++) {
		if (find_groups(job, level, group) < 2)
			break;
		for (d = 0; d < n; d++)
			below[d] = sgang_fabric_domain(fabric, d)->level <
						   level ?
					   broken[d] :
					   0;
		rc = add_groups(job, level, group, below, &cost, &breaks);
		if (rc <= 0)
			return rc;
		if (cost > *bound ||
		    (cost == *bound && breaks > *bound_broken)) {
			*bound = cost;
			*bound_broken = breaks;
		}
	}
	return 1;
}

/* -- what all together cost at the least -- */

void sgang_bound_raise(struct sgang_bound *bound, uint64_t extra,
		       uint64_t broken)
{
	if (extra < bound->cost ||
	    (extra == bound->cost && broken <= bound->broken))
		return;
	bound->cost = extra;
	bound->broken = broken;
}

/* Hops from node to node that there are at least: members on distinct nodes
 * have one less than nodes. */
static uint64_t least_hops(const struct sgang_job *job)
{
	const struct sgang_plan_member *members = job->request->members;
	uint64_t hops = 0;
	uint32_t i;

	for (i = 0; i < job->request->n_members; i++) {
		if (sgang_member_distinct(&members[i]))
			hops += members[i].units - 1;
	}
	return hops;
}

bool sgang_cost_first(const struct sgang_job *job)
{
	return !job->coin || !job->request->weight_first;
}

/* Solve for these kinds as if they were alike, and raise the bound by what
 * that costs. 'solved' says it already, if they are the only one; NULL: it is
 * not known. Returns as sgang_tree_solve(). */
static int relax(const struct sgang_job *job, struct sgang_demand *demand,
		 const uint64_t *broken, const struct sgang_tree *solved,
		 struct sgang_bound *bound)
{
	const uint32_t *hop = job->request->costs->hop;
	struct sgang_tree tree;
	uint64_t fixed, hops;
	int rc = 1;

	sgang_demand_tree(job, demand, broken, &tree);
	if (sgang_cost_first(job))
		tree.coin = job->coin;
	if (solved) {
		tree.bound = solved->bound;
		tree.bound_broken = solved->bound_broken;
	} else {
		rc = sgang_tree_solve(&tree, job->pool, true);
	}
	fixed = tree.ranks * hop[SGANG_LEVEL_ISLAND];
	if (rc > 0 && tree.bound > fixed)
		sgang_bound_raise(bound, tree.bound - fixed, tree.bound_broken);
	if (rc <= 0 || tree.unit || demand->units < job->units)
		return rc;
	/* members that share nodes go there again and again */
	hops = least_hops(job) *
	       (hop[sgang_plan_lowest(job->request)] - hop[SGANG_LEVEL_ISLAND]);
	tree.free_nodes = true;
	rc = sgang_tree_solve(&tree, job->pool, true);
	if (rc > 0 && tree.bound + hops > fixed)
		sgang_bound_raise(bound, tree.bound + hops - fixed,
				  tree.bound_broken);
	return rc;
}

/* Raise the bound by what so much of each dimension costs. Returns as
 * sgang_tree_solve(). */
static int relax_to_dims(const struct sgang_job *job, const uint64_t *broken,
			 struct sgang_bound *bound)
{
	uint32_t *value = sgang_pool_alloc(job->pool, job->n_kinds,
					   sizeof(*value));
	struct sgang_tree tree;
	uint32_t d, k;
	int rc = 1;

	for (d = 0; d < job->request->n_dims && rc > 0 &&
		    sgang_budget_left(job->request->budget);
	     d++) {
		for (k = 0; k < job->n_kinds; k++) {
			value[k] = sgang_kind_least(job, &job->kind[k], d);
			if (value[k] == UINT32_MAX)
				return 0;
		}
		sgang_job_by_value(job, value, broken, &tree);
		if (!tree.need)
			continue;
		rc = sgang_tree_solve(&tree, job->pool, true);
		if (rc > 0)
			sgang_bound_raise(bound, tree.bound, tree.bound_broken);
	}
	return rc;
}

int sgang_bound_find(const struct sgang_job *job, const uint64_t *broken,
		     const struct sgang_tree *solved, struct sgang_bound *bound)
{
	uint64_t ranks = 0, paths, breaks;
	uint32_t i;
	int rc = 1;

	memset(bound, 0, sizeof(*bound));
	for (i = 0; i < job->n_kinds && rc > 0; i++) {
		struct sgang_demand demand = { .kind = &job->kind[i],
					       .n_kinds = 1,
					       .units = job->kind[i].units };

		demand.ranks = demand.units;
		if (job->n_kinds <= KINDS_MAX &&
		    sgang_budget_left(job->request->budget))
			rc = relax(job, &demand, broken, solved, bound);
		else if (job->kind[i].ranks)
			demand.ranks *= job->kind[i].ranks;
		ranks += demand.ranks;
	}
	if (rc > 0 && job->n_kinds > 1 &&
	    sgang_budget_left(job->request->budget)) {
		struct sgang_demand demand = { .kind = job->kind,
					       .n_kinds = job->n_kinds,
					       .units = job->units };

		rc = relax(job, &demand, broken, NULL, bound);
	}
	if (rc > 0 && job->n_kinds > 1)
		rc = relax_to_dims(job, broken, bound);
	if (rc > 0 && job->n_kinds > 1 &&
	    sgang_budget_left(job->request->budget)) {
		rc = bound_apart(job, broken, &paths, &breaks);
		if (rc > 0)
			sgang_bound_raise(bound, paths, breaks);
	}
	if (rc > 0 && job->n_kinds == 1 &&
	    sgang_budget_left(job->request->budget)) {
		if (sgang_share_bound(job, broken, &paths, &breaks))
			return -1;
		sgang_bound_raise(bound, paths, breaks);
	}
	bound->ranks = ranks * job->request->costs->hop[SGANG_LEVEL_ISLAND];
	bound->cost += bound->ranks;
	return rc;
}
