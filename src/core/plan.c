/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - one joint placement for all members of a gang
 *
 * Looks through the request and hands it to the solver that is right for it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* -- the request -- */

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

bool sgang_member_distinct(const struct sgang_plan_member *member)
{
	return (member->distinct || !member->slots) && member->units > 1;
}

/* Needs are for so many types of nodes. */
static uint32_t count_types(const struct sgang_plan_request *request)
{
	uint32_t node, n = sgang_fabric_nodes(request->fabric), most = 0;

	for (node = 0; request->type && node < n; node++)
		most = request->type[node] > most ? request->type[node] : most;
	return most + 1;
}

/* Does each unit of a member need some of dimension 0? */
static bool needs_slots(const struct sgang_plan_request *request,
			const struct sgang_plan_member *member)
{
	uint32_t n_dims = sgang_plan_dims(request), type, n_types;

	n_types = member->need ? count_types(request) : 0;
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
		return sgang_errf(err, EINVAL, "plan: %u resources, at most "
				  "%d can be counted", request->n_dims,
				  SGANG_PLAN_DIMS);
	if (!request->n_members)
		return sgang_errf(err, EINVAL, "plan: there is no member");
	if (request->n_members >= UINT32_MAX)
		return sgang_errf(err, EINVAL, "plan: too many members");
	for (i = 0; i < request->n_members; i++) {
		if (!request->members[i].units)
			return sgang_errf(err, EINVAL, "plan: member %zu asks "
					  "for nothing, expected 1 unit or "
					  "more", i);
		if (!needs_slots(request, &request->members[i]))
			return sgang_errf(err, EINVAL, "plan: member %zu needs "
					  "no slots", i);
	}
	if (request->parallel)
		return sgang_parallel_check_request(request, err);
	return 0;
}

/* What a unit of this kind needs, by type of node. 0, or -1 with ENOMEM. */
static int find_need(const struct sgang_job *job,
		     const struct sgang_plan_member *ask,
		     struct sgang_kind *kind)
{
	uint32_t n_dims = job->request->n_dims, type;
	uint32_t *need;

	kind->need = ask->need;
	if (ask->need)
		return 0;
	need = sgang_pool_alloc(job->pool, (size_t)job->n_types * n_dims,
				sizeof(*need));
	if (!need)
		return -1;
	for (type = 0; type < job->n_types; type++)
		sgang_plan_own_need(ask, n_dims, need + (size_t)type * n_dims);
	kind->need = need;
	return 0;
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

int sgang_job_find_kinds(struct sgang_job *job)
{
	size_t n = job->request->n_members;
	uint32_t i;

	job->n_types = count_types(job->request);
	job->kind = sgang_pool_alloc(job->pool, n, sizeof(*job->kind));
	job->kind_of = sgang_pool_alloc(job->pool, n, sizeof(*job->kind_of));
	if (!job->kind || !job->kind_of)
		return -1;
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *ask = &job->request->members[i];
		uint32_t number = find_kind(job, i);
		struct sgang_kind *kind = &job->kind[number];

		if (number == job->n_kinds) {
			job->n_kinds++;
			if (find_need(job, ask, kind))
				return -1;
		}
		job->kind_of[i] = number;
		job->units += ask->units;
		kind->units += ask->units;
		kind->per_node += sgang_member_distinct(ask) ? 1 : ask->units;
	}
	return 0;
}

uint32_t sgang_kind_ranks(const struct sgang_job *job,
			  const struct sgang_kind *kind, uint32_t node)
{
	return kind->ranks ? kind->ranks :
	       job->request->total[(size_t)node * job->request->n_dims];
}

/* -- what the fabric offers -- */

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

int sgang_find_broken(const struct sgang_plan_request *request,
		      struct sgang_pool *pool, uint64_t *broken)
{
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_domains(request->fabric), d, i;
	bool *busy = sgang_pool_zalloc(pool, n, sizeof(*busy));

	if (!busy)
		return -1;
	for (d = n; d-- > 0; ) {
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
	return 0;
}

/* What one kind asks of a node, or all of them together at least. */
struct demand {
	uint64_t units;
	uint64_t ranks;			/* of all units, at the least */
	const struct sgang_kind *kind;
	uint32_t n_kinds;
};

/* Units that fit on a node as far as one dimension goes, each needing no less
 * than the least that any kind does which fits there. */
static uint32_t fits_in_dim(const struct sgang_job *job,
			    const struct demand *demand, uint32_t node,
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
			    const struct demand *demand, uint32_t node)
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
			     const struct demand *demand, uint32_t node)
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
static int find_ranks(const struct sgang_job *job, struct demand *demand,
		      struct sgang_tree *tree, const uint32_t *order)
{
	uint32_t n = sgang_fabric_nodes(job->request->fabric), pos;
	uint32_t least = UINT32_MAX, most = 0, *more;

	if (demand->n_kinds == 1 && demand->kind->ranks) {
		demand->ranks = demand->units * demand->kind->ranks;
		return 0;
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
		return 0;
	more = sgang_pool_alloc(job->pool, n, sizeof(*more));
	if (!more)
		return -1;
	for (pos = 0; pos < n; pos++)
		more[pos] = tree->cap[pos] ?
			    demand_ranks(job, demand, order[pos]) - least : 0;
	tree->more = more;
	return 0;
}

/* Describe the demand as units that are all alike. */
static int set_up_tree(const struct sgang_job *job, struct demand *demand,
		       const uint64_t *broken, struct sgang_tree *tree)
{
	const struct sgang_plan_request *request = job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_nodes(request->fabric), pos;
	uint32_t *cap = sgang_pool_alloc(job->pool, n, sizeof(*cap));
	uint32_t *left = sgang_pool_alloc(job->pool, n, sizeof(*left));

	memset(tree, 0, sizeof(*tree));
	if (!cap || !left)
		return -1;
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
	if (find_ranks(job, demand, tree, order))
		return -1;
	tree->ranks = demand->ranks;
	return 0;
}

int sgang_job_alike(const struct sgang_job *job, const uint64_t *broken,
		    struct sgang_tree *tree)
{
	struct demand demand = { .units = job->units, .kind = job->kind,
				 .n_kinds = 1 };

	return set_up_tree(job, &demand, broken, tree);
}

int sgang_job_in_dim(const struct sgang_job *job, uint32_t dim,
		     const uint64_t *broken, struct sgang_tree *tree)
{
	const struct sgang_plan_request *request = job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_nodes(request->fabric), pos, k;
	uint32_t *cap = sgang_pool_zalloc(job->pool, n, sizeof(*cap));

	memset(tree, 0, sizeof(*tree));
	if (!cap)
		return -1;
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
	return 0;
}

/* -- runs -- */

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
			runs[n].ranks = take * sgang_kind_ranks(job, kind,
								node);
			runs[n].slots = take * sgang_kind_need(job, kind, node,
							       0);
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
		if (runs[i].slots > sgang_kind_need(job, kind, runs[i].node,
						    0) &&
		    sgang_member_distinct(&job->request->members[
						  runs[i].member]))
			return true;
	}
	return false;
}

struct sgang_placement *sgang_job_place(const struct sgang_job *job,
					const struct sgang_run *runs,
					size_t n_runs)
{
	struct sgang_placement *placement = calloc(1, sizeof(*placement));

	if (!placement)
		return NULL;
	placement->runs = malloc(n_runs * sizeof(*runs));
	if (!placement->runs) {
		free(placement);
		return NULL;
	}
	memcpy(placement->runs, runs, n_runs * sizeof(*runs));
	placement->n_runs = n_runs;
	sgang_ring_measure(job->request->fabric, job->request->costs, runs,
			   n_runs, &placement->ring);
	return placement;
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

/* -- the solvers -- */

int sgang_job_lay(const struct sgang_job *job, const struct sgang_tree *tree,
		  struct sgang_placement **placement)
{
	struct sgang_run *runs;
	size_t n_runs;

	runs = sgang_pool_alloc(job->pool,
				tree->n_picks + job->request->n_members,
				sizeof(*runs));
	if (!runs)
		return -1;
	lay_members(job, tree, runs, &n_runs);
	if (shares_itself(job, runs, n_runs))
		return 2;
	*placement = sgang_job_place(job, runs, n_runs);
	return *placement ? 1 : -1;
}

/* The members are alike: exact. Returns as sgang_plan(), 2 when members would
 * have to share nodes in a way that needs the other solver, which is then to
 * know what was found for 'tree'. */
static int plan_alike(const struct sgang_job *job, const uint64_t *broken,
		      struct sgang_tree *tree,
		      struct sgang_placement **placement)
{
	int rc;

	if (sgang_job_alike(job, broken, tree))
		return -1;
	tree->coin = job->coin;
	rc = sgang_tree_solve(tree, job->pool, false);
	if (rc > 0)
		rc = sgang_job_lay(job, tree, placement);
	if (rc != 1)
		return rc;
	(*placement)->bound = tree->bound;
	(*placement)->exact = tree->exact &&
			      tree->bound == (*placement)->ring.cost;
	return 1;
}

/* What no placement of several kinds can be below: cost first, then what is
 * broken at that cost. */
struct bound {
	uint64_t cost;
	uint64_t broken;
	uint64_t ranks;			/* what hops inside of nodes cost, if
					 * every rank had one, at the least */
};

/* A relaxation says that ranks apart it costs 'extra' at least. */
static void raise_bound(struct bound *bound, uint64_t extra, uint64_t broken)
{
	if (extra < bound->cost || (extra == bound->cost &&
				    broken <= bound->broken))
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

/* Do costs that a tree tells hold for placements of any weight? */
static bool cost_first(const struct sgang_job *job)
{
	return !job->coin || !job->request->weight_first;
}

/* Solve for these kinds as if they were alike, and raise the bound by what
 * that costs. 'solved' says it already, if they are the only one; NULL: it is
 * not known. Returns as sgang_tree_solve(). */
static int relax(const struct sgang_job *job, struct demand *demand,
		 const uint64_t *broken, const struct sgang_tree *solved,
		 struct bound *bound)
{
	const uint32_t *hop = job->request->costs->hop;
	struct sgang_tree tree;
	uint64_t fixed, hops;
	int rc = 1;

	if (set_up_tree(job, demand, broken, &tree))
		return -1;
	if (cost_first(job))
		tree.coin = job->coin;
	if (solved) {
		tree.bound = solved->bound;
		tree.bound_broken = solved->bound_broken;
	} else {
		rc = sgang_tree_solve(&tree, job->pool, true);
	}
	fixed = tree.ranks * hop[SGANG_LEVEL_ISLAND];
	if (rc > 0 && tree.bound > fixed)
		raise_bound(bound, tree.bound - fixed, tree.bound_broken);
	if (rc <= 0 || tree.unit || demand->units < job->units)
		return rc;
	/* members that share nodes go there again and again */
	hops = least_hops(job) * (hop[sgang_plan_lowest(job->request)] -
				  hop[SGANG_LEVEL_ISLAND]);
	tree.free_nodes = true;
	rc = sgang_tree_solve(&tree, job->pool, true);
	if (rc > 0 && tree.bound + hops > fixed)
		raise_bound(bound, tree.bound + hops - fixed,
			    tree.bound_broken);
	return rc;
}

/* Raise the bound by what so much of each dimension costs. Returns as
 * sgang_tree_solve(). */
static int relax_to_dims(const struct sgang_job *job, const uint64_t *broken,
			 struct bound *bound)
{
	uint32_t *value = sgang_pool_alloc(job->pool, job->n_kinds,
					   sizeof(*value));
	struct sgang_tree tree;
	uint32_t d, k;
	int rc = 1;

	if (!value)
		return -1;
	for (d = 0; d < job->request->n_dims && rc > 0 &&
	     sgang_budget_left(job->request->budget); d++) {
		for (k = 0; k < job->n_kinds; k++) {
			value[k] = sgang_kind_least(job, &job->kind[k], d);
			if (value[k] == UINT32_MAX)
				return 0;
		}
		if (sgang_job_by_value(job, value, broken, &tree))
			return -1;
		if (!tree.need)
			continue;
		rc = sgang_tree_solve(&tree, job->pool, true);
		if (rc > 0)
			raise_bound(bound, tree.bound, tree.bound_broken);
	}
	return rc;
}

/* Beyond so many kinds a bound for each is not worth its time. */
#define KINDS_MAX 8

/* Bounds of each kind alone, and of all as if they were of the smallest one.
 * Other kinds only add to what one alone has to pay. 'solved' as in relax().
 * Returns 1, 0 when one of them already does not fit, -1 without memory. */
static int find_bound(const struct sgang_job *job, const uint64_t *broken,
		      const struct sgang_tree *solved, struct bound *bound)
{
	uint64_t ranks = 0, paths, breaks;
	uint32_t i;
	int rc = 1;

	memset(bound, 0, sizeof(*bound));
	for (i = 0; i < job->n_kinds && rc > 0; i++) {
		struct demand demand = { .kind = &job->kind[i], .n_kinds = 1,
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
		struct demand demand = { .kind = job->kind,
					 .n_kinds = job->n_kinds,
					 .units = job->units };

		rc = relax(job, &demand, broken, NULL, bound);
	}
	if (rc > 0 && job->n_kinds > 1)
		rc = relax_to_dims(job, broken, bound);
	if (rc > 0 && job->n_kinds > 1 &&
	    sgang_budget_left(job->request->budget)) {
		rc = sgang_bound_apart(job, broken, &paths, &breaks);
		if (rc > 0)
			raise_bound(bound, paths, breaks);
	}
	if (rc > 0 && job->n_kinds == 1 &&
	    sgang_budget_left(job->request->budget)) {
		if (sgang_share_bound(job, broken, &paths, &breaks))
			return -1;
		raise_bound(bound, paths, breaks);
	}
	bound->ranks = ranks * job->request->costs->hop[SGANG_LEVEL_ISLAND];
	bound->cost += bound->ranks;
	return rc;
}

int sgang_count_broken(const struct sgang_plan_request *request,
		       struct sgang_pool *pool, const uint64_t *broken,
		       const struct sgang_run *runs, size_t n_runs,
		       uint64_t *sum)
{
	const struct sgang_fabric *fabric = request->fabric;
	bool *used = sgang_pool_zalloc(pool, sgang_fabric_domains(fabric),
				       sizeof(*used));
	uint32_t d;
	size_t i;

	if (!used)
		return -1;
	*sum = 0;
	for (i = 0; i < n_runs; i++) {
		for (d = sgang_fabric_leaf(fabric, runs[i].node);
		     d != SGANG_DOMAIN_NONE && !used[d];
		     d = sgang_fabric_domain(fabric, d)->parent) {
			used[d] = true;
			*sum += broken[d];
		}
	}
	return 0;
}

/* A search of its own for something better than this placement, which has this
 * tie. Returns 1 when there is nothing, 2 when it found something but cannot say
 * that it is the best, 0, or -1 with ENOMEM. */
static int prove_once(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t tie, struct sgang_placement **placement)
{
	struct sgang_placement *better;
	struct sgang_run *runs = NULL;
	uint64_t bound = (*placement)->bound;
	size_t n_runs;
	int rc;

	rc = sgang_prove(job, broken, *placement, tie, &bound, &runs, &n_runs);
	if (rc < 0)
		return -1;
	(*placement)->bound = bound;
	if (!runs)
		return rc;
	better = sgang_job_place(job, runs, n_runs);
	if (!better)
		return -1;
	better->bound = bound;
	sgang_placement_destroy(*placement);
	*placement = better;
	return rc ? 1 : 2;
}

/* The search is begun anew so often, from what it found. */
#define PROVE_ROUNDS 3

/* The same again, as long as that finds something. 0, or -1 with ENOMEM. */
static int prove(const struct sgang_job *job, const uint64_t *broken,
		 uint64_t tie, struct sgang_placement **placement)
{
	uint32_t round;
	int rc = 2;

	for (round = 0; round < PROVE_ROUNDS && rc == 2; round++) {
		if (round && sgang_coin_tie(job, broken, (*placement)->runs,
					    (*placement)->n_runs, &tie))
			return -1;
		rc = prove_once(job, broken, tie, placement);
	}
	if (rc == 1) {
		(*placement)->bound = (*placement)->ring.cost;
		(*placement)->exact = true;
	}
	return rc < 0 ? -1 : 0;
}

/* sgang_mixed_solve() for halves of members, which raise the bound. The runs are
 * those of members. */
static int solve_halves(const struct sgang_halves *halves,
			const uint64_t *broken, struct bound *bound,
			struct sgang_run **runs, size_t *n_runs)
{
	struct bound own, any;
	int rc = find_bound(&halves->job, broken, NULL, &own);

	if (rc <= 0)
		return rc;
	raise_bound(bound, own.cost, own.broken);
	any = *bound;
	rc = sgang_mixed_solve(&halves->job, broken, bound->ranks, &any.cost,
			       &any.broken, runs, n_runs);
	if (rc > 0 && sgang_halves_join(halves, *runs, n_runs))
		return -1;
	return rc;
}

/* The same with the required half of members first, and with it last. */
static int solve_required(const struct sgang_job *job, const uint64_t *broken,
			  struct bound *bound, struct sgang_run **runs,
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
		if (rc > 0)
			rc = solve_halves(&halves, broken, bound, &made, &n);
		sgang_halves_destroy(&halves);
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
		 struct bound *bound, struct sgang_run **runs, size_t *n_runs)
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
	struct bound bound;
	int rc;

	if (!free)
		return -1;
	for (node = 0; node < n; node++) {
		if (sgang_coin_above(job, node) <= most)
			memcpy(free + (size_t)node * request.n_dims,
			       sgang_job_free(job, node), size);
	}
	request.free = free;
	light.request = &request;
	rc = find_bound(&light, broken, NULL, &bound);
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

	if (!class)
		return -1;
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
static int plan_mixed(const struct sgang_job *job, const uint64_t *broken,
		      const struct sgang_tree *solved,
		      struct sgang_placement **placement)
{
	struct sgang_run *runs = NULL;
	struct bound bound, any;
	uint64_t breaks;
	size_t n_runs;
	int rc;

	rc = find_bound(job, broken, solved, &bound);
	any = bound;
	if (rc > 0 && cost_first(job))
		rc = solve(job, broken, &bound, &runs, &n_runs);
	else if (rc > 0)
		rc = solve_lightest(job, broken, &runs, &n_runs);
	if (rc <= 0)
		return rc;
	if (sgang_request_requires(job->request))
		any = bound;	/* solve_required() has raised it for all */
	if (sgang_coin_tie(job, broken, runs, n_runs, &breaks))
		return -1;
	*placement = sgang_job_place(job, runs, n_runs);
	if (!*placement)
		return -1;
	(*placement)->bound = bound.cost;
	(*placement)->exact = (*placement)->ring.cost == bound.cost &&
			      breaks <= bound.broken;
	if (!(*placement)->exact && prove(job, broken, breaks, placement))
		return -1;
	if (!job->request->any_order)
		return 1;
	/* what is proved of this order is nothing to others */
	if (sgang_plan_arrange(job->request, *placement) ||
	    sgang_coin_tie(job, broken, (*placement)->runs,
			   (*placement)->n_runs, &breaks))
		return -1;
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
		return plan_mixed(job, broken, NULL, placement);
	rc = plan_alike(job, broken, &tree, placement);
	if (rc == 2)
		rc = plan_mixed(job, broken, cost_first(job) ? &tree : NULL,
				placement);
	return rc;
}

int sgang_plan_weigh(const struct sgang_plan_request *asked,
		     const struct sgang_placement *placement, uint64_t *weight)
{
	struct sgang_plan_request request = *asked;
	struct sgang_pool pool = { NULL };
	struct sgang_job job = { .request = &request, .pool = &pool };
	uint64_t *broken = sgang_pool_zalloc(&pool,
		sgang_fabric_domains(request.fabric), sizeof(*broken));
	struct sgang_coin *coin = NULL;
	int rc = -1;

	request.n_dims = sgang_plan_dims(&request);
	if (broken && !sgang_job_find_kinds(&job) &&
	    !sgang_coin_find(&job, broken, &coin)) {
		job.coin = coin;
		/* nothing being broken, a tie is a weight */
		rc = sgang_coin_tie(&job, broken, placement->runs,
				    placement->n_runs, weight);
	}
	sgang_pool_clear(&pool);
	return rc;
}

/* The ring first: what does not fit as one does not fit at all. */
static int plan_request(struct sgang_job *job,
			struct sgang_placement **placement,
			struct sgang_nofit *nofit, struct sgang_error *err)
{
	uint32_t n = sgang_fabric_domains(job->request->fabric);
	uint64_t *broken = sgang_pool_zalloc(job->pool, n, sizeof(*broken));
	struct sgang_coin *coin;
	int rc;

	if (!broken || sgang_job_find_kinds(job) ||
	    sgang_find_broken(job->request, job->pool, broken) ||
	    sgang_coin_find(job, broken, &coin))
		return -1;
	job->coin = coin;
	if (job->request->spread)
		rc = sgang_spread_plan(job, broken, placement, nofit);
	else
		rc = sgang_job_plan(job, broken, placement);
	if (!rc && nofit && !job->request->spread)
		return sgang_nofit_explain(job, nofit);
	if (rc > 0 && job->request->spread &&
	    sgang_have_required(job, *placement))
		return -1;
	if (rc > 0 && job->request->parallel) {
		rc = sgang_parallel_plan(job, broken, placement, nofit, err);
		if (rc > 0 && sgang_request_requires(job->request))
			(*placement)->exact = false;
	}
	return rc;
}

int sgang_plan(const struct sgang_plan_request *asked,
	       struct sgang_placement **placement, struct sgang_nofit *nofit,
	       struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	struct sgang_placement *made = NULL;
	struct sgang_budget own;
	uint64_t aside = 0;
	int rc;

	sgang_budget_init(&own, SGANG_PLAN_STEPS);
	if (!request.budget)
		request.budget = &own;
	request.any_order = sgang_any_matters(asked);
	if (request.any_order)
		aside = request.budget->left / 2;
	request.budget->left -= aside;
	rc = sgang_plan_ordered(&request, &made, nofit, err);
	request.budget->left += aside;
	if (rc > 0 && request.any_order && sgang_any_order(&request, &made)) {
		sgang_placement_destroy(made);
		return errno == ENOMEM ? sgang_errf(err, ENOMEM,
						    "plan: out of memory") : -1;
	}
	if (rc > 0)
		*placement = made;
	return rc;
}

int sgang_plan_ordered(const struct sgang_plan_request *asked,
		       struct sgang_placement **placement,
		       struct sgang_nofit *nofit, struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	struct sgang_pool pool = { NULL };
	struct sgang_job job = { .request = &request, .pool = &pool };
	struct sgang_placement *made = NULL;
	struct sgang_halves own = { .n_sets = 0 };
	struct sgang_nofit why;
	int rc = 0;

	if (check_request(asked, err))
		return -1;
	request.n_dims = sgang_plan_dims(&request);
	if (request.spread && request.n_members == 1) {
		/* it has no others to be apart from */
		request.spread = false;
		if (request.spread_level < request.max_level)
			request.max_level = request.spread_level;
	}
	if (sgang_request_requires(asked))
		rc = sgang_confine(&request, &pool, &own);
	if (!rc)
		rc = plan_request(&job, &made, nofit ? &why : NULL, err);
	if (!rc && nofit)
		sgang_required_nofit(asked, &why);
	sgang_halves_destroy(&own);
	sgang_pool_clear(&pool);
	if (rc <= 0)
		sgang_placement_destroy(made);
	if (rc < 0 && errno == EINVAL)
		return -1;
	if (rc < 0 && errno == EOVERFLOW)
		return sgang_errf(err, EINVAL, "plan: hop costs or numbers of "
				  "ranks are too large to be added up");
	if (rc < 0)
		return sgang_errf(err, ENOMEM, "plan: out of memory");
	if (rc)
		*placement = made;
	else if (nofit)
		*nofit = why;
	return rc;
}
