/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles.c - trees of groups: the weighted sum of all their rings
 *
 * The first step counts the places in which groups have room that require a
 * level, the second finds how many units go where at the least (grid_blocks.c,
 * which knows only the cuts of groups). If what is laid out so is not as good as
 * that bound, it goes to the planner of cuts, and is improved; small trees are
 * searched completely there.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuts_private.h"

/* The room of the places that a group may be in, and how many such groups that
 * is for. */
struct room {
	uint64_t groups;
	uint64_t most;
	uint32_t where;
};

/* Groups that must be within places of a level, and too few of these have room
 * for one. */
struct lack {
	uint32_t group; /* the smallest of them */
	uint32_t n;
	struct room room;
};

struct solver {
	struct sgang_roles roles;
	struct sgang_blocks blocks;
	uint64_t bound;           /* of the price */
	uint64_t bound_tie;       /* ... of what costs as little */
	bool lacks;               /* no placement can be, because of 'lack' */
	struct lack lack;         /* else the last that was looked for */
	bool found;               /* 'best' keeps to all levels */
	struct sgang_worth worth; /* of 'best' */
	uint32_t *best;
	uint32_t *next;
};

/* -- the request -- */

static int check_group(const struct sgang_plan_request *request, uint32_t g,
		       struct sgang_error *err)
{
	const struct sgang_plan_group *group = &request->group[g], *above;
	uint32_t depth = 1, h;

	if (!group->n_members)
		return sgang_errf(err, EINVAL, "plan: group %s has no members",
				  group->name);
	if (group->weight > SGANG_PLAN_WEIGHT_MAX)
		return sgang_errf(err, EINVAL,
				  "plan: group %s: weight %u, at most %u "
				  "can be counted",
				  group->name, group->weight,
				  SGANG_PLAN_WEIGHT_MAX);
	for (h = g; h && h < g + 1; h = request->group[h].parent, depth++) {
		above = &request->group[request->group[h].parent];
		if (request->group[h].parent >= h ||
		    request->group[h].first < above->first ||
		    request->group[h].first + request->group[h].n_members >
			    above->first + above->n_members)
			return sgang_errf(err, EINVAL,
					  "plan: group %s is in no group "
					  "before it",
					  group->name);
	}
	if (depth > SGANG_PLAN_GROUP_DEPTH)
		return sgang_errf(err, EINVAL,
				  "plan: group %s is in too many groups",
				  group->name);
	return 0;
}

/* True if all groups end here that end before the next one begins. 'next' is
 * its parent. */
static bool do_end(const struct sgang_plan_group *group, uint32_t g,
		   uint32_t next, size_t end)
{
	for (; g != next && g != SGANG_PLAN_NO_GROUP; g = group[g].parent) {
		if (group[g].first + group[g].n_members != end)
			return false;
	}
	return g == next;
}

/* True if each group begins where the one before it does, if it is in it, or
 * else where that ends. */
static bool are_in_order(const struct sgang_plan_request *request)
{
	const struct sgang_plan_group *group = request->group;
	uint32_t n = request->n_groups, g;
	size_t end;

	if (group[0].first || group[0].n_members != request->n_members)
		return false;
	for (g = 1; g < n; g++) {
		end = group[g - 1].first + group[g - 1].n_members;
		if (group[g].parent == g - 1 ?
			    group[g].first != group[g - 1].first :
			    group[g].first != end ||
				    !do_end(group, g - 1, group[g].parent, end))
			return false;
	}
	return do_end(group, n - 1, SGANG_PLAN_NO_GROUP, request->n_members);
}

int sgang_roles_check_request(const struct sgang_plan_request *request,
			      struct sgang_error *err)
{
	uint32_t g;

	if (request->parallel || request->spread ||
	    sgang_request_requires_some(request))
		return sgang_errf(err, EINVAL,
				  "plan: a tree of groups has no "
				  "communication groups, no members in "
				  "different domains and no members that "
				  "require some of their nodes, and not all");
	if (request->n_groups > SGANG_PLAN_GROUPS_MAX)
		return sgang_errf(err, EINVAL,
				  "plan: %u groups, at most %d can be counted",
				  request->n_groups, SGANG_PLAN_GROUPS_MAX);
	if (request->group[0].parent != SGANG_PLAN_NO_GROUP)
		return sgang_errf(err, EINVAL,
				  "plan: the first group is in another one");
	for (g = 0; g < request->n_groups; g++) {
		if (check_group(request, g, err))
			return -1;
	}
	if (!are_in_order(request))
		return sgang_errf(err, EINVAL,
				  "plan: the members of groups do not "
				  "follow each other");
	return 0;
}

/* -- the bound -- */

/* The least cost of a placement, and where units go then. Raises the bound.
 * Returns as sgang_blocks_solve(). */
static bool solve_blocks(struct solver *solver, bool tolls)
{
	struct sgang_roles *roles = &solver->roles;
	struct sgang_budget *budget = roles->job->request->budget;
	uint64_t paid, bound = sgang_roles_base(roles), aside;
	bool fits;

	solver->blocks = (struct sgang_blocks){ .tree = &roles->tree,
						.ranks = 1,
						.part = sgang_roles_part,
						.arg = roles };
	sgang_roles_cut(roles, tolls);
	aside = sgang_budget_narrow(
		budget, sgang_budget_limits(budget)->roles_blocks_steps);
	fits = sgang_blocks_solve(&solver->blocks, roles->job->pool);
	sgang_budget_widen(budget, aside);
	paid = sgang_roles_tolls(roles);
	if (solver->blocks.cost > paid)
		bound += solver->blocks.cost - paid;
	if (bound > solver->bound) {
		solver->bound = bound;
		solver->bound_tie = 0;
	}
	/* a bound below all that can be says nothing of what is broken */
	if (bound == solver->bound && fits && solver->blocks.cost >= paid &&
	    solver->blocks.broken > solver->bound_tie)
		solver->bound_tie = solver->blocks.broken;
	return fits;
}

/* -- answers -- */

static bool is_best(const struct solver *solver)
{
	return solver->found && solver->worth.price <= solver->bound &&
	       solver->worth.tie <= solver->bound_tie;
}

/* Compare a placement with the best one. */
static void compare(struct solver *solver)
{
	struct sgang_worth worth;
	uint32_t *swap;

	worth = sgang_roles_measure(&solver->roles, solver->next);
	if (worth.price >= solver->roles.never ||
	    (solver->found && !sgang_worth_less(&worth, &solver->worth)))
		return;
	swap = solver->best;
	solver->best = solver->next;
	solver->next = swap;
	solver->worth = worth;
	solver->found = true;
}

/* The placement of this bound, as far as there is one. */
static void lay(struct solver *solver)
{
	if (sgang_roles_lay(&solver->roles, solver->blocks.pick,
			    solver->blocks.n_picks, solver->next))
		compare(solver);
}

/* Try the placement of least cost by the bound, with tolls and without them.
 * False when it cannot fit. */
static bool approach(struct solver *solver)
{
	int tolls;

	for (tolls = 1; tolls >= 0 && !is_best(solver); tolls--) {
		if (!solve_blocks(solver, tolls))
			return solver->blocks.tired;
		if (!is_best(solver))
			lay(solver);
	}
	return true;
}

/* Search for something better. Returns 1, 0 when there is none for certain, 2
 * when none was found. */
static int search(struct solver *solver)
{
	struct sgang_budget *budget = solver->roles.job->request->budget;
	struct sgang_cuts_best best = { .bound = (int64_t)solver->bound,
					.bound_tie = solver->bound_tie };

	if (solver->found) {
		best.at = solver->best;
		best.price = (int64_t)solver->worth.price;
		best.tie = solver->worth.tie;
	}
	sgang_cuts_solve(&solver->roles, NULL,
			 sgang_budget_limits(budget)->cuts_steps, &best);
	if (best.missing || (uint64_t)best.price >= solver->roles.never)
		return best.none ? 0 : 2;
	solver->found = true;
	solver->best = best.at;
	solver->worth = (struct sgang_worth){ (uint64_t)best.price, best.tie };
	solver->bound = (uint64_t)best.bound;
	solver->bound_tie = best.bound_tie;
	return 1;
}

/* -- of a placement -- */

/* A run, and where it is in the order of the fabric. */
struct stop {
	uint32_t pos;
	struct sgang_run run;
};

static int by_position(const void *one, const void *two)
{
	const struct stop *a = one, *b = two;

	return (a->pos > b->pos) - (a->pos < b->pos);
}

int sgang_plan_group_ring(const struct sgang_plan_request *request,
			  const struct sgang_placement *placement,
			  uint32_t group, struct sgang_ring *ring)
{
	const struct sgang_plan_group *g = &request->group[group];
	struct stop *stop = calloc(placement->n_runs, sizeof(*stop));
	struct sgang_run *runs = calloc(placement->n_runs, sizeof(*runs));
	size_t i, n = 0;

	for (i = 0; stop && runs && i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];

		if (run->member < g->first ||
		    run->member >= g->first + g->n_members)
			continue;
		stop[n].pos = sgang_fabric_pos(request->fabric)[run->node];
		stop[n++].run = *run;
	}
	if (n)
		qsort(stop, n, sizeof(*stop), by_position);
	for (i = 0; i < n; i++)
		runs[i] = stop[i].run;
	if (runs)
		sgang_ring_measure(request->fabric, request->costs, runs, n,
				   ring);
	free(stop);
	free(runs);
	if (n)
		return 0;
	errno = ENOMEM;
	return -1;
}

/* -- why not -- */

/* Units that fit into each place. */
static uint64_t *sum_room(const struct sgang_roles *roles)
{
	uint64_t *sum = sgang_pool_zalloc(roles->job->pool, roles->n_places,
					  sizeof(*sum));
	uint32_t p, up;

	for (p = 0; p < roles->n_nodes; p++) {
		for (up = p; up != SGANG_DOMAIN_NONE; up = roles->up[up])
			sum[up] += roles->tree.cap[p];
	}
	return sum;
}

static void find_room(const struct sgang_roles *roles, const uint64_t *sum,
		      uint32_t g, struct room *room)
{
	uint32_t p;

	*room = (struct room){ .where = SGANG_DOMAIN_NONE };
	for (p = 0; p < roles->n_places; p++) {
		if (sgang_roles_level(roles, p) > roles->require[g] ||
		    sgang_roles_above(roles, p) <= roles->require[g])
			continue;
		room->groups += sum[p] / roles->units[g];
		if (room->where == SGANG_DOMAIN_NONE || sum[p] > room->most) {
			room->most = sum[p];
			room->where = p;
		}
	}
}

static const char *place_name(const struct sgang_roles *roles, uint32_t place)
{
	const struct sgang_fabric *fabric = roles->job->request->fabric;

	if (place < roles->n_nodes)
		return sgang_fabric_node_name(
			fabric, sgang_fabric_order(fabric)[place]);
	return sgang_fabric_domain(fabric, place - roles->n_nodes)->name;
}

/* Groups of so many units that have to be within such a level. */
static uint32_t count_like(const struct sgang_roles *roles, uint32_t g)
{
	uint32_t h, n = 0;

	for (h = 0; h < roles->n_groups; h++)
		n += roles->require[h] <= roles->require[g] &&
		     roles->units[h] >= roles->units[g] &&
		     (!h ||
		      roles->require[roles->group[h].parent] >
			      roles->require[g] ||
		      h == g);
	return n;
}

/* True if there is such a lack. It is one wherever units are, as each unit
 * takes the least there that any does. */
static bool find_lack(const struct sgang_roles *roles, struct lack *lack)
{
	bool *seen = sgang_pool_zalloc(roles->job->pool, roles->n_groups,
				       sizeof(*seen));
	uint64_t *sum = sum_room(roles);
	uint32_t g;

	for (g = 1; g < roles->n_groups; g++) {
		if (seen[roles->kind[g]] ||
		    roles->require[g] >= roles->require[roles->group[g].parent])
			continue;
		seen[roles->kind[g]] = true;
		lack->group = g;
		lack->n = count_like(roles, g);
		find_room(roles, sum, g, &lack->room);
		if (lack->room.groups < lack->n &&
		    lack->room.where != SGANG_DOMAIN_NONE)
			return true;
	}
	return false;
}

static void explain_lack(const struct sgang_roles *roles,
			 const struct lack *lack, struct sgang_nofit *nofit)
{
	const struct sgang_costs *costs = roles->job->request->costs;
	const struct room *room = &lack->room;
	uint32_t g = lack->group;
	bool many = lack->n > 1;

	memset(nofit, 0, sizeof(*nofit));
	snprintf(nofit->text, sizeof(nofit->text),
		 "group %.60s: %u group%s of %u units or more must be "
		 "within one %s%s, %" PRIu64
		 " fit%s; the largest (%.20s) has room for %" PRIu64 " unit%s",
		 roles->group[g].name, lack->n, many ? "s" : "",
		 roles->units[g], costs->name[roles->require[g]],
		 many ? " each" : "", room->groups,
		 room->groups == 1 ? "s" : "", place_name(roles, room->where),
		 room->most, room->most == 1 ? "" : "s");
}

/* Report which group lacks its level. */
static void explain(const struct solver *solver, struct sgang_nofit *nofit)
{
	const struct sgang_roles *roles = &solver->roles;
	const struct sgang_costs *costs = roles->job->request->costs;
	uint32_t last = solver->lack.group;

	if (solver->lacks) {
		explain_lack(roles, &solver->lack, nofit);
		return;
	}
	sgang_nofit_explain(roles->job, nofit);
	if (nofit->n_rows || !last)
		return;
	memset(nofit, 0, sizeof(*nofit));
	snprintf(nofit->text, sizeof(nofit->text),
		 "group %.100s must be within one %s; there is room, but no "
		 "placement was found in which all groups have what they "
		 "require",
		 roles->group[last].name, costs->name[roles->require[last]]);
}

/* -- the layer -- */

/* Describe the best placement. */
static struct sgang_placement *make_answer(const struct solver *solver)
{
	const struct sgang_roles *roles = &solver->roles;
	struct sgang_placement *made = sgang_roles_place(roles, solver->best);
	uint64_t bound = solver->bound;

	if (bound > solver->worth.price)
		bound = solver->worth.price;
	made->above = solver->worth.price / roles->wish;
	made->weighted_cost = solver->worth.price % roles->wish;
	if (bound / roles->wish == made->above)
		made->bound = bound % roles->wish;
	else
		made->bound = sgang_roles_base(roles);
	made->exact = is_best(solver) && sgang_cost_first(roles->job);
	return made;
}

static void set_up(struct solver *solver)
{
	struct sgang_pool *pool = solver->roles.job->pool;
	uint32_t n = solver->roles.n_units;

	solver->best = sgang_pool_zalloc(pool, n, sizeof(*solver->best));
	solver->next = sgang_pool_zalloc(pool, n, sizeof(*solver->next));
}

/* Find bounds, and a placement that keeps to all levels. False when there is
 * none for certain. */
static bool begin(struct solver *solver)
{
	solver->lacks = find_lack(&solver->roles, &solver->lack);
	return !solver->lacks && approach(solver);
}

/* Returns 1, 0 when there is none for certain, 2 when none was found. */
static int solve(struct solver *solver)
{
	struct sgang_budget *budget = solver->roles.job->request->budget;
	uint64_t kept = sgang_budget_share(
		budget, sgang_budget_limits(budget)->cuts_steps);
	bool fits;

	if (budget)
		budget->left -= kept;
	fits = begin(solver);
	sgang_budget_widen(budget, kept);
	return !fits || is_best(solver) ? fits : search(solver);
}

int sgang_roles_plan(const struct sgang_job *job, const uint64_t *broken,
		     struct sgang_placement **placement,
		     struct sgang_nofit *nofit)
{
	struct solver solver = { .found = false };
	int rc;

	if (sgang_roles_open(&solver.roles, job, broken))
		return -1;
	set_up(&solver);
	rc = solve(&solver);
	if (rc == 1) {
		*placement = make_answer(&solver);
		return 1;
	}
	if (rc == 2 && job->request->budget)
		job->request->budget->unproved = true;
	if (nofit)
		explain(&solver, nofit);
	return 0;
}
