/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.c - a place for a gang, down to the islands inside the nodes */

#include <stdlib.h>
#include <string.h>

#include "place.h"

/* ---- by islands ---- */

/* Could each unit be in an island of its own? */
static bool are_pieces(const struct sgang_place_request *request)
{
	const struct sgang_plan_request *rq = request->nodes;

	if (!request->islands || !request->islands->free ||
	    sgang_plan_dims(rq) > 1)
		return false;
	for (size_t i = 0; i < rq->n_members; i++) {
		const struct sgang_plan_member *m = &rq->members[i];

		if (!m->slots || m->required || (m->distinct && m->units > 1))
			return false;
	}
	return true;
}

/* A request of islands, and what it owns. */
struct by_islands {
	struct sgang_plan_request request;
	struct sgang_plan_member *members;
	struct sgang_nodeset **allowed;
	size_t n_allowed;
	uint32_t *weight;
};

static void by_islands_free(struct by_islands *by)
{
	for (size_t i = 0; i < by->n_allowed; i++)
		sgang_nodeset_destroy(by->allowed[i]);
	free(by->allowed);
	free(by->members);
	free(by->weight);
}

/* Members that follow each other share their sets. */
static int allow_islands(const struct sgang_devices *devices,
			 struct by_islands *by)
{
	const struct sgang_nodeset *last = NULL;

	for (size_t i = 0; i < by->request.n_members; i++) {
		struct sgang_plan_member *m = &by->members[i];
		struct sgang_nodeset *set;

		m->distinct = false;
		if (!m->allowed)
			continue;
		if (m->allowed != last) {
			set = sgang_devices_expand(devices, m->allowed);
			if (!set)
				return -1;
			by->allowed[by->n_allowed++] = set;
			last = m->allowed;
		}
		m->allowed = by->allowed[by->n_allowed - 1];
	}
	return 0;
}

/* The weight of its node, by island. */
static int weigh_islands(const struct sgang_devices *devices,
			 struct by_islands *by)
{
	uint32_t n = devices->first[devices->n_nodes];

	if (!by->request.weight)
		return 0;
	by->weight = calloc(n + 1, sizeof(*by->weight));
	if (!by->weight)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		by->weight[i] = by->request.weight[devices->node[i]];
	by->request.weight = by->weight;
	return 0;
}

static int by_islands_fill(const struct sgang_place_request *request,
			   struct by_islands *by)
{
	const struct sgang_place_islands *islands = request->islands;
	size_t n = request->nodes->n_members;

	*by = (struct by_islands){
		.request = *request->nodes,
		.members = malloc(n * sizeof(*by->members)),
		.allowed = malloc(n * sizeof(*by->allowed)),
	};
	if (!by->members || !by->allowed)
		return -1;
	memcpy(by->members, request->nodes->members, n * sizeof(*by->members));
	by->request.fabric = islands->devices->fabric;
	by->request.members = by->members;
	by->request.free = islands->free;
	by->request.total = islands->total;
	return allow_islands(islands->devices, by) < 0 ?
		       -1 :
		       weigh_islands(islands->devices, by);
}

static int find_others(const struct sgang_place_request *request,
		       const struct sgang_plan_request *rq,
		       const struct sgang_placement *placement,
		       struct sgang_place_report *report,
		       struct sgang_error *err)
{
	if (!report || !request->others)
		return 0;
	return sgang_explain_others(rq, placement, request->others,
				    &report->others, err);
}

static int place_in_islands(const struct sgang_place_request *request,
			    struct sgang_placement **placement,
			    struct sgang_place_report *report,
			    struct sgang_nofit *nofit, struct sgang_error *err)
{
	struct by_islands by;
	int rc = -1;

	if (by_islands_fill(request, &by) < 0)
		sgang_err_memory(err);
	else
		rc = sgang_plan(&by.request, placement, nofit, err);
	if (rc == 1 &&
	    find_others(request, &by.request, *placement, report, err) < 0)
		rc = -1;
	if (report)
		report->fabric = by.request.fabric;
	by_islands_free(&by);
	return rc;
}

/* The least that a unit over several islands of its node adds: a hop out of an
 * island, unless it is one rank. */
static uint32_t hop_out(const struct sgang_plan_request *rq)
{
	const uint32_t *hop = rq->costs->hop;

	for (size_t i = 0; i < rq->n_members; i++) {
		const struct sgang_plan_member *m = &rq->members[i];

		if ((m->ranks ? m->ranks : m->slots) == 1)
			return 0;
	}
	return hop[SGANG_LEVEL_NODE] - hop[SGANG_LEVEL_ISLAND];
}

static bool may_lie_over(const struct sgang_place_request *request)
{
	bool may = request->islands->opaque;

	for (size_t i = 0; i < request->nodes->n_members && !may; i++)
		may = request->nodes->members[i].slots > 1;
	return may;
}

/* The value by which places for the request are compared. */
static uint64_t cost_of(const struct sgang_plan_request *rq,
			const struct sgang_placement *placement)
{
	return rq->parallel ? placement->weighted_cost : placement->ring.cost;
}

/* Units over several islands of a node may be nearer to each other than those
 * that have one each. The plan of nodes bounds such places: one has a hop out
 * of an island that it does not count, two where that is all. For groups such
 * hops are unknown, and with weights first such a place may be lighter. */
static void bound_by_nodes(const struct sgang_place_request *request,
			   struct sgang_placement *placement)
{
	const struct sgang_plan_request *rq = request->nodes;
	uint32_t inside = rq->costs->hop[SGANG_LEVEL_ISLAND];
	uint64_t out = rq->parallel ? 0 : hop_out(rq), least = 0;
	struct sgang_placement *nodes = NULL;

	if (!request->prove || !may_lie_over(request))
		return;
	if (!rq->parallel)
		least = placement->ring.ranks * inside + 2 * out;
	if (!rq->weight_first && placement->bound <= least)
		return;
	if (!rq->weight_first && sgang_plan(rq, &nodes, NULL, NULL) == 1 &&
	    nodes->bound + out > least)
		least = nodes->bound + out;
	sgang_placement_destroy(nodes);
	if (least < placement->bound)
		placement->bound = least;
	placement->exact &= !rq->weight_first &&
			    cost_of(rq, placement) <= placement->bound;
}

/* ---- by nodes ---- */

/* The island of the node with just enough room, else with the most. */
static uint32_t best_island(const struct sgang_devices *devices, uint32_t node,
			    const uint32_t *room, uint32_t need)
{
	uint32_t best = devices->first[node];

	for (uint32_t i = best + 1; i < devices->first[node + 1]; i++) {
		if (room[best] < need ? room[i] > room[best] :
					room[i] >= need && room[i] < room[best])
			best = i;
	}
	return best;
}

/* Put slots of a run into islands that have room, as far as there are some.
 * Returns how many runs that is; the rest stays in '*left'. */
static size_t lay_run(const struct sgang_devices *devices, uint32_t *room,
		      struct sgang_run *left, struct sgang_run *out)
{
	size_t n = 0;

	while (left->slots) {
		uint32_t at = best_island(devices, left->node, room,
					  left->slots);
		uint32_t slots = left->slots < room[at] ? left->slots :
							  room[at];
		uint32_t ranks =
			(uint32_t)((uint64_t)left->ranks * slots / left->slots);

		if (!slots)
			break;
		out[n] = *left;
		out[n].node = at;
		out[n].slots = slots;
		out[n++].ranks = ranks;
		room[at] -= slots;
		left->slots -= slots;
		left->ranks -= ranks;
	}
	return n;
}

/* Nobody knows in which islands these slots are. */
static int lay_over(const struct sgang_devices *devices,
		    const struct sgang_run *run, struct sgang_run *out)
{
	struct sgang_run *runs;
	size_t n;

	if (sgang_devices_share_out(devices, run, 1, &runs, &n) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		runs[i].slots = 0;
	memcpy(out, runs, n * sizeof(*out));
	free(runs);
	return (int)n;
}

static int lay(const struct sgang_devices *devices, uint32_t *room,
	       const struct sgang_run *runs, size_t n_runs,
	       struct sgang_run *out, size_t *n_out)
{
	*n_out = 0;
	for (size_t i = 0; i < n_runs; i++) {
		struct sgang_run left = runs[i];
		int n = 0;

		if (room)
			*n_out += lay_run(devices, room, &left, out + *n_out);
		if (!room || left.slots)
			n = lay_over(devices, &left, out + *n_out);
		if (n < 0)
			return -1;
		*n_out += (size_t)n;
	}
	return 0;
}

/* Runs over nodes as runs over islands, each in as few islands as have room. 0
 * and '*out' to free, or -1 with ENOMEM and 'err'. */
static int lay_runs(const struct sgang_place_islands *islands,
		    const struct sgang_run *runs, size_t n_runs,
		    struct sgang_run **out, size_t *n_out,
		    struct sgang_error *err)
{
	const struct sgang_devices *devices = islands->devices;
	size_t n = devices->first[devices->n_nodes], most = 1;
	uint32_t *room = NULL;
	int rc = -1;

	for (size_t i = 0; i < n_runs; i++)
		most += 2 * sgang_devices_islands(devices, runs[i].node);
	*out = calloc(most, sizeof(**out));
	if (islands->free) {
		room = malloc((n + 1) * sizeof(*room));
		if (room)
			memcpy(room, islands->free, n * sizeof(*room));
	}
	if (*out && (room || !islands->free))
		rc = lay(devices, room, runs, n_runs, *out, n_out);
	free(room);
	if (rc == 0)
		return 0;
	free(*out);
	*out = NULL;
	return sgang_err_memory(err);
}

/* Do the islands add the same to every plan of nodes? */
static bool same_inside(const struct sgang_place_request *request)
{
	return request->islands->whole && !request->nodes->parallel &&
	       sgang_devices_alike(request->islands->devices);
}

/* Make a plan of nodes one of islands. */
static int go_inside(const struct sgang_place_request *request,
		     struct sgang_placement *placement,
		     struct sgang_place_report *report,
		     struct sgang_nofit *nofit, struct sgang_error *err)
{
	bool same = same_inside(request);
	uint64_t outside = placement->ring.cost;
	struct sgang_run *runs;
	size_t n;
	int rc;

	if (lay_runs(request->islands, placement->runs, placement->n_runs,
		     &runs, &n, err) < 0)
		return -1;
	rc = sgang_plan_inside(request->nodes, request->islands->devices, runs,
			       n, same, placement, nofit, err);
	if (report && same)
		sgang_explain_raise(&report->others,
				    placement->ring.cost - outside);
	else if (report)
		memset(&report->others, 0, sizeof(report->others));
	return rc;
}

static int place_on_nodes(const struct sgang_place_request *request,
			  struct sgang_placement **placement,
			  struct sgang_place_report *report,
			  struct sgang_nofit *nofit, struct sgang_error *err)
{
	int rc = sgang_plan(request->nodes, placement, nofit, err);

	if (report)
		report->fabric = request->nodes->fabric;
	if (rc != 1)
		return rc;
	if (find_others(request, request->nodes, *placement, report, err) < 0)
		return -1;
	return request->islands ?
		       go_inside(request, *placement, report, nofit, err) :
		       1;
}

int sgang_place(const struct sgang_place_request *request,
		struct sgang_placement **placement,
		struct sgang_place_report *report, struct sgang_nofit *nofit,
		struct sgang_error *err)
{
	bool pieces = are_pieces(request);
	int rc = 0;

	*placement = NULL;
	if (report)
		memset(report, 0, sizeof(*report));
	if (pieces)
		rc = place_in_islands(request, placement, report, nofit, err);
	if (rc == 1)
		bound_by_nodes(request, *placement);
	/* A gang that must be within an island cannot be on more of its node.
	 */
	if (!rc && !(pieces && request->nodes->max_level == SGANG_LEVEL_ISLAND))
		rc = place_on_nodes(request, placement, report, nofit, err);
	if (rc != 1) {
		sgang_placement_destroy(*placement);
		*placement = NULL;
	}
	return rc;
}

int sgang_place_stock(const struct sgang_place_request *request,
		      enum sgang_stock_rule rule, struct sgang_stock **stock,
		      struct sgang_error *err)
{
	const struct sgang_plan_request *rq = request->nodes;
	struct sgang_run *runs;
	size_t n;
	int rc = sgang_stock_place(rq, rule, stock, err);

	if (rc != 1 || !request->islands)
		return rc;
	if (lay_runs(request->islands, (*stock)->runs, (*stock)->n_runs, &runs,
		     &n, err) < 0) {
		sgang_stock_destroy(*stock);
		*stock = NULL;
		return -1;
	}
	sgang_ring_measure(request->islands->devices->fabric, rq->costs, runs,
			   n, &(*stock)->ring);
	free(runs);
	return 1;
}
