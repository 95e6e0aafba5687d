/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts.c - beginnings, then the search: the best placement of all
 *
 * A bound tells when to stop. Then come first placements, built of whole groups;
 * where there are few ways to have so many units of each class in a place, the
 * best of all placements (roles_exact.c); and else the search.
 */

#include "cuts_private.h"

/* Domains that are tried for each group of the first placements. */
#define WIDTH 4

/* More pieces of a ring take too much memory. */
#define PIECES_MAX 512

/* -- the solver -- */

/* Begin anew and keep what comes out. The second time ties come first, and the
 * groups of a tree go to the smallest places that have room, so that less of the
 * large ones is broken up. */
static void begin(struct sgang_cuts *cuts, struct sgang_cuts_best *best,
		  bool again)
{
	sgang_cuts_clear(cuts);
	cuts->light = again;
	cuts->snug = again && cuts->model->n_groups > 1;
	sgang_cuts_build(cuts, 0, cuts->model->n_nodes,
			 cuts->snug || cuts->steps >= cuts->steps_max ? 1 :
									WIDTH,
			 SGANG_CUTS_LARGE);
	sgang_cuts_keep(cuts, best);
	cuts->light = cuts->snug = false;
}

/* The same on the nodes that a bound takes; what does not fit goes elsewhere. */
static void begin_on(struct sgang_cuts *cuts, const struct sgang_tree *guide,
		     struct sgang_cuts_best *best)
{
	uint32_t all = cuts->model->n_nodes;
	size_t i;

	if (!guide || !guide->n_picks)
		return;
	sgang_cuts_clear(cuts);
	sgang_cuts_ban(cuts, all, true);
	for (i = 0; i < guide->n_picks; i++)
		sgang_cuts_ban(cuts, guide->pick[i].pos, false);
	sgang_cuts_build(cuts, 0, all, 1, SGANG_CUTS_LARGE);
	for (i = 0; i < guide->n_picks; i++)
		sgang_cuts_ban(cuts, guide->pick[i].pos, true);
	sgang_cuts_ban(cuts, all, false);
	if (cuts->missing)
		sgang_cuts_build(cuts, 0, all, 1, SGANG_CUTS_LARGE);
	sgang_cuts_keep(cuts, best);
}

/* True if all units have nodes, and all groups the levels they require. */
static bool is_found(const struct sgang_cuts *cuts,
		     const struct sgang_cuts_best *best)
{
	return !best->missing && best->price < (int64_t)cuts->model->never;
}

/* Look for the best of all placements. True if that came to an end. */
static bool look_through(struct sgang_cuts *cuts, struct sgang_cuts_best *best)
{
	struct sgang_worth worth = { UINT64_MAX, UINT64_MAX };
	int rc;

	if (is_found(cuts, best))
		worth = (struct sgang_worth){ (uint64_t)best->price,
					      best->tie };
	rc = sgang_roles_exact(cuts->model, &worth, best->at);
	if (rc == 2)
		return false;
	if (rc == 1) {
		best->missing = 0;
		best->price = (int64_t)worth.price;
		best->tie = worth.tie;
	}
	best->none = !is_found(cuts, best);
	best->bound = best->price;
	best->bound_tie = best->tie;
	return true;
}

/* Search until so many eighths of all steps are taken. */
static void search_until(struct sgang_cuts *cuts, struct sgang_cuts_best *best,
			 uint64_t eighths, bool light)
{
	uint64_t end = cuts->steps_max / 8 * eighths;

	if (cuts->steps < end && !sgang_cuts_proved(best))
		sgang_cuts_search(cuts, best, end, light);
}

/* The domains that the gang may have and that may hold it; no unit has a node. */
static uint32_t count_homes(struct sgang_cuts *cuts)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t p, n = 0;

	for (p = model->n_nodes; p < model->n_places; p++)
		n += sgang_cuts_holds(cuts, p);
	return n;
}

/* True if it must be on one node. */
static bool is_on_node(const struct sgang_roles *model)
{
	return model->require[0] < sgang_plan_lowest(model->job->request);
}

/* Keep to the domains, one by one, of which the gang may only have one. */
static void search_inside(struct sgang_cuts *cuts, struct sgang_cuts_best *best)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t p, n;
	uint64_t share;

	sgang_cuts_clear(cuts);
	n = count_homes(cuts);
	if (!n || cuts->steps >= cuts->steps_max)
		return;
	share = (cuts->steps_max - cuts->steps) / (2 * n);
	for (p = model->n_nodes; p < model->n_places; p++) {
		struct sgang_cuts_best one = *best;

		sgang_cuts_clear(cuts);
		if (!sgang_cuts_holds(cuts, p) || is_found(cuts, best))
			continue;
		one.at = sgang_pool_zalloc(cuts->pool, model->n_units,
					   sizeof(*one.at));
		one.missing = model->n_units + 1;
		sgang_cuts_ban(cuts, model->n_nodes, true);
		sgang_cuts_ban(cuts, p, false);
		sgang_cuts_build(cuts, 0, model->n_nodes, 1, SGANG_CUTS_LARGE);
		sgang_cuts_keep(cuts, &one);
		sgang_cuts_search(cuts, &one, cuts->steps + share, false);
		sgang_cuts_ban(cuts, p, true);
		sgang_cuts_ban(cuts, model->n_nodes, false);
		if (is_found(cuts, &one))
			*best = one;
	}
}

/* A tree that has a placement is searched for less long. */
static void limit_steps(struct sgang_cuts *cuts,
			const struct sgang_cuts_best *best)
{
	struct sgang_budget *budget = cuts->model->job->request->budget;
	uint64_t most = sgang_budget_share(
		budget, sgang_budget_limits(budget)->cuts_tree_steps);

	if (cuts->model->n_groups > 1 && !cuts->model->pieces &&
	    is_found(cuts, best) && most < cuts->steps_max)
		cuts->steps_max = most;
}

static void solve(struct sgang_cuts *cuts, const struct sgang_tree *guide,
		  struct sgang_cuts_best *best)
{
	enum sgang_effort effort = cuts->model->job->request->effort;

	sgang_cuts_open(cuts);
	if (!is_on_node(cuts->model) && !count_homes(cuts)) {
		best->none = true;
		best->missing = cuts->model->n_units;
		return;
	}
	if (!best->at) {
		best->at = sgang_pool_zalloc(cuts->pool, cuts->model->n_units,
					     sizeof(*best->at));
		best->missing = cuts->model->n_units + 1;
	}
	begin_on(cuts, guide, best);
	if (!sgang_cuts_proved(best))
		begin(cuts, best, false);
	if (effort == SGANG_EFFORT_ANY && is_found(cuts, best))
		return;
	if (!sgang_cuts_proved(best))
		begin(cuts, best, true);
	if (sgang_cuts_proved(best))
		return;
	limit_steps(cuts, best);
	/* the better what is known, the less is to be looked through */
	search_until(cuts, best, 1, false);
	if (!cuts->model->pieces &&
	    (effort == SGANG_EFFORT_PROOF || !is_found(cuts, best)) &&
	    look_through(cuts, best))
		return;
	if (!is_found(cuts, best))
		search_inside(cuts, best);
	search_until(cuts, best, 4, false);
	search_until(cuts, best, 8, true);
}

void sgang_cuts_solve(const struct sgang_roles *model,
		      const struct sgang_tree *guide, uint64_t steps,
		      struct sgang_cuts_best *best)
{
	struct sgang_budget *budget = model->job->request->budget;
	struct sgang_cuts *cuts = sgang_pool_zalloc(model->job->pool, 1,
						    sizeof(*cuts));

	cuts->model = model;
	cuts->pool = model->job->pool;
	cuts->steps_max = sgang_budget_share(budget, steps);
	solve(cuts, guide, best);
	sgang_budget_take(budget, cuts->steps);
}

/* -- a gang in one ring -- */

bool sgang_cuts_can(const struct sgang_plan_request *request)
{
	bool pieces = false;
	size_t i;

	if (!request->any_order || request->n_groups || request->parallel ||
	    request->spread || sgang_plan_by_weight(request) ||
	    sgang_request_requires(request))
		return false;
	for (i = 0; i < request->n_members && !pieces; i++)
		pieces = request->members[i].units > 1;
	return !pieces || (request->n_members <= PIECES_MAX &&
			   !sgang_segments_any(request));
}

/* Write the best placement as the answer. An order was found for it already, so
 * the steps for that are there. */
static struct sgang_placement *make_answer(const struct sgang_roles *model,
					   const struct sgang_cuts_best *best)
{
	struct sgang_placement *made = sgang_roles_place(model, best->at);
	struct sgang_plan_request request = *model->job->request;
	uint64_t bound = (uint64_t)best->bound;
	struct sgang_budget own;

	sgang_budget_init(&own, SGANG_PLAN_STEPS);
	request.budget = &own;
	sgang_arrange(&request, model->job->pool, made);
	sgang_budget_take(model->job->request->budget, own.taken);
	made->bound = bound < made->ring.cost ? bound : made->ring.cost;
	made->exact = sgang_cuts_proved(best);
	return made;
}

/* The gang and, if members have several units, each as a piece of its ring. */
static void find_groups(const struct sgang_job *asked,
			struct sgang_plan_request *request)
{
	uint32_t n = (uint32_t)request->n_members, i, pieces = 0;
	struct sgang_plan_group *group;

	for (i = 0; i < n && !pieces; i++)
		pieces = request->members[i].units > 1 ? n : 0;
	group = sgang_pool_alloc(asked->pool, (size_t)pieces + 1,
				 sizeof(*group));
	for (i = 0; i < pieces + 1; i++)
		group[i] = (struct sgang_plan_group){
			.name = "gang",
			.parent = i ? 0 : SGANG_PLAN_NO_GROUP,
			.weight = !i,
			.require = SGANG_LEVEL_UNCONNECTED,
			.prefer = SGANG_LEVEL_UNCONNECTED,
			.first = i ? i - 1 : 0,
			.n_members = i ? 1 : n,
		};
	request->group = group;
	request->n_groups = pieces + 1;
}

/* The units in the order of members. */
static void find_seats(struct sgang_cuts *cuts)
{
	const struct sgang_roles *model = cuts->model;
	const struct sgang_plan_request *request = model->job->request;
	uint32_t n = model->n_units, c, i, k, at = 0;
	uint32_t *seat = sgang_pool_alloc(cuts->pool, n, sizeof(*seat));
	uint32_t *unit = sgang_pool_alloc(cuts->pool, n, sizeof(*unit));
	uint32_t *next = sgang_pool_alloc(cuts->pool, model->n_classes,
					  sizeof(*next));

	for (c = 0; c < model->n_classes; c++)
		next[c] = model->class[c].first;
	for (i = 0; i < request->n_members; i++) {
		for (k = 0; k < request->members[i].units; k++, at++) {
			unit[at] = next[model->class_of[i]]++;
			seat[unit[at]] = at;
		}
	}
	cuts->seat = seat;
	cuts->unit = unit;
}

/* The model of members in one ring. */
static int open_ring(const struct sgang_job *asked, const uint64_t *broken,
		     struct sgang_plan_request *request, struct sgang_job *job,
		     struct sgang_roles *model)
{
	find_groups(asked, request);
	*job = *asked;
	job->request = request;
	if (sgang_roles_open(model, job, broken))
		return -1;
	model->pieces = request->n_groups > 1;
	return 0;
}

int sgang_cuts_improve(const struct sgang_job *asked, const uint64_t *broken,
		       uint64_t steps, uint64_t bound, uint32_t *at)
{
	struct sgang_plan_request request = *asked->request;
	struct sgang_budget *budget = request.budget;
	struct sgang_cuts_best best = { .bound = (int64_t)bound };
	struct sgang_cuts cuts = { .pool = asked->pool };
	struct sgang_job job;
	struct sgang_roles model;
	uint32_t i;

	if (request.n_members > PIECES_MAX)
		return 0;
	if (open_ring(asked, broken, &request, &job, &model))
		return -1;
	cuts.model = &model;
	cuts.steps_max = sgang_budget_share(budget, steps);
	sgang_cuts_open(&cuts);
	find_seats(&cuts);
	best.at = sgang_pool_alloc(cuts.pool, model.n_units, sizeof(*best.at));
	for (i = 0; i < model.n_units; i++)
		best.at[cuts.unit[i]] = at[i];
	best.price = INT64_MAX;
	sgang_cuts_search(&cuts, &best, cuts.steps_max, false);
	for (i = 0; i < model.n_units; i++)
		at[i] = best.at[cuts.unit[i]];
	sgang_budget_take(budget, cuts.steps);
	return 0;
}

int sgang_cuts_plan(const struct sgang_job *asked, const uint64_t *broken,
		    struct sgang_placement **placement)
{
	struct sgang_plan_request request = *asked->request;
	const struct sgang_plan_limits *limits =
		sgang_budget_limits(request.budget);
	struct sgang_job job;
	struct sgang_cuts_best best = { .missing = 0 };
	struct sgang_roles model;
	struct sgang_bound bound;
	struct sgang_tree guide;
	int rc = sgang_cuts_bound(asked, broken, &bound, &guide);

	if (rc <= 0)
		return rc;
	best.bound = (int64_t)bound.cost;
	best.bound_tie = bound.broken;
	if (open_ring(asked, broken, &request, &job, &model))
		return -1;
	sgang_cuts_solve(&model, &guide,
			 model.pieces ? limits->cuts_piece_steps :
					limits->cuts_steps,
			 &best);
	if (!best.missing && best.price < (int64_t)model.never) {
		*placement = make_answer(&model, &best);
		return 1;
	}
	if (!best.none)
		request.budget->unproved = true;
	return 0;
}
