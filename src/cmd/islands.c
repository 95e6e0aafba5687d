/* SPDX-License-Identifier: GPL-2.0-or-later */
/* islands.c - the islands inside the nodes of a cluster that need not run */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/islands.h"
#include "files/node_topos.h"
#include "files/paths.h"

/* -- what gang.conf says -- */

static uint32_t slots_of(const struct sgang_node_topo *topo)
{
	return topo->n_gpus ? topo->n_gpus : topo->n_cores;
}

static int take_slots(struct sgang_islands *inside,
		      const struct sgang_node_topo *topo, const char *node,
		      struct sgang_error *err)
{
	uint32_t slots = slots_of(topo);

	if (inside->slots && inside->slots != slots)
		return sgang_errf(err, EINVAL,
				  "node %s has %" PRIu32 " %s by "
				  "its NodeTopology, others have %" PRIu32
				  "; nodes of different size need a running "
				  "Slurm",
				  node, slots, topo->n_gpus ? "GPUs" : "cores",
				  inside->slots);
	inside->slots = slots;
	return 0;
}

/* Nodes of one shape share the list. */
static int list_islands(struct sgang_islands *inside,
			const struct sgang_node_topo *const *topo,
			uint32_t node, struct sgang_error *err)
{
	uint32_t *island, i;

	if (node && topo[node] == topo[node - 1]) {
		inside->island[node] = inside->island[node - 1];
		return 0;
	}
	island = malloc((size_t)slots_of(topo[node]) * sizeof(*island));
	if (!island)
		return sgang_err_memory(err);
	for (i = 0; i < slots_of(topo[node]); i++)
		island[i] = topo[node]->n_gpus ? topo[node]->gpu[i].island :
						 topo[node]->core_island[i];
	inside->island[node] = island;
	return 0;
}

static int look_inside(struct sgang_islands *inside,
		       const struct sgang_fabric *fabric,
		       struct sgang_error *err)
{
	const struct sgang_node_topo *const *topo =
		sgang_node_topos_array(inside->topos);
	uint32_t n = sgang_fabric_nodes(fabric), i;
	uint32_t *islands = calloc(n + 1, sizeof(*islands));
	int rc = 0;

	inside->n_nodes = n;
	inside->island = calloc(n + 1, sizeof(*inside->island));
	if (!islands || !inside->island)
		rc = sgang_err_memory(err);
	for (i = 0; i < n && !rc; i++) {
		islands[i] = topo[i] ? topo[i]->n_islands : 1;
		if (topo[i] &&
		    (take_slots(inside, topo[i],
				sgang_fabric_node_name(fabric, i), err) ||
		     list_islands(inside, topo, i, err)))
			rc = -1;
	}
	if (!rc) {
		inside->devices = sgang_devices_create(fabric, islands, err);
		rc = inside->devices ? 0 : -1;
	}
	free(islands);
	return rc;
}

static int load_topos(struct sgang_islands *inside,
		      const struct sgang_conf *conf, const char *path,
		      const struct sgang_fabric *fabric,
		      struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(fabric), i;
	const char **names = calloc(n + 1, sizeof(*names));
	char dir[SGANG_PATH];

	if (!names)
		return sgang_err_memory(err);
	for (i = 0; i < n; i++)
		names[i] = sgang_fabric_node_name(fabric, i);
	if (!sgang_path_folder(dir, path, err))
		inside->topos = sgang_node_topos_load(conf, dir, names, n, err);
	free(names);
	return inside->topos ? 0 : -1;
}

int sgang_islands_load(const struct sgang_conf *conf, const char *path,
		       const struct sgang_fabric *fabric,
		       struct sgang_islands **inside, struct sgang_error *err)
{
	struct sgang_islands *found = calloc(1, sizeof(*found));
	int rc = found ? load_topos(found, conf, path, fabric, err) :
			 sgang_err_memory(err);

	if (!rc && sgang_node_topos_described(found->topos))
		rc = look_inside(found, fabric, err);
	if (rc || !found->devices) {
		sgang_islands_destroy(found);
		found = NULL;
	}
	*inside = found;
	return rc;
}

void sgang_islands_destroy(struct sgang_islands *inside)
{
	uint32_t i;
	int saved = errno;

	if (!inside)
		return;
	for (i = 0; inside->island && i < inside->n_nodes; i++)
		if (!i || inside->island[i] != inside->island[i - 1])
			free(inside->island[i]);
	free(inside->island);
	sgang_devices_destroy(inside->devices);
	sgang_node_topos_destroy(inside->topos);
	free(inside);
	errno = saved;
}

uint32_t sgang_islands_place(const struct sgang_islands *inside, uint32_t node,
			     uint32_t slot)
{
	return inside->devices->first[node] +
	       (inside->island[node] ? inside->island[node][slot] : 0);
}

/* -- by islands -- */

/* Slots by island, of which the last free[node] of each node count. */
static uint32_t *slots_by_island(const struct sgang_islands *inside,
				 const uint32_t *total, const uint32_t *free)
{
	const struct sgang_devices *devices = inside->devices;
	uint32_t *slots = calloc(devices->first[devices->n_nodes] + 1,
				 sizeof(*slots));
	uint32_t node, i;

	for (node = 0; slots && node < devices->n_nodes; node++)
		for (i = total[node] - free[node]; i < total[node]; i++)
			slots[sgang_islands_place(inside, node, i)]++;
	return slots;
}

struct by_islands {
	struct sgang_plan_request request;
	struct sgang_plan_member *members;
	uint32_t *free, *total, *weight;
};

static void clear_by_islands(struct by_islands *by)
{
	free(by->members);
	free(by->free);
	free(by->total);
	free(by->weight);
}

/* The weight of its node, by island. -1 without memory. */
static int weigh_islands(const struct sgang_devices *devices,
			 struct by_islands *by)
{
	const uint32_t *weight = by->request.weight;
	uint32_t n = devices->first[devices->n_nodes], i;

	if (!weight)
		return 0;
	by->weight = calloc(n + 1, sizeof(*by->weight));
	for (i = 0; by->weight && i < n; i++)
		by->weight[i] = weight[devices->node[i]];
	by->request.weight = by->weight;
	return by->weight ? 0 : -1;
}

static int make_by_islands(const struct sgang_islands *inside,
			   const struct sgang_plan_request *request,
			   struct by_islands *by, struct sgang_error *err)
{
	size_t size = request->n_members * sizeof(*by->members), i;

	by->request = *request;
	by->members = malloc(size);
	by->free = slots_by_island(inside, request->total, request->free);
	by->total = slots_by_island(inside, request->total, request->total);
	if (!by->members || !by->free || !by->total ||
	    weigh_islands(inside->devices, by))
		return sgang_err_memory(err);
	memcpy(by->members, request->members, size);
	for (i = 0; i < request->n_members; i++)
		by->members[i].distinct = false;
	by->request.fabric = inside->devices->fabric;
	by->request.members = by->members;
	by->request.free = by->free;
	by->request.total = by->total;
	return 0;
}

/* Could each member's pieces lie in islands as they please? */
static bool are_pieces(const struct sgang_plan_request *request)
{
	size_t i;

	for (i = 0; i < request->n_members; i++)
		if (request->members[i].distinct &&
		    request->members[i].units > 1)
			return false;
	return true;
}

static int plan_islands(const struct sgang_islands *inside,
			const struct sgang_plan_request *request,
			struct sgang_placement **placement,
			struct sgang_others *others, struct sgang_nofit *nofit,
			struct sgang_error *err)
{
	struct by_islands by = { .members = NULL };
	int rc = make_by_islands(inside, request, &by, err);

	if (!rc)
		rc = sgang_explain_plan(&by.request, placement, others, nofit,
					err);
	clear_by_islands(&by);
	return rc;
}

/* -- by nodes -- */

/* The island of the node with just enough room, else with the most. */
static uint32_t best_island(const struct sgang_devices *devices, uint32_t node,
			    const uint32_t *room, uint32_t need)
{
	uint32_t best = devices->first[node], i;

	for (i = best + 1; i < devices->first[node + 1]; i++)
		if (room[best] < need ? room[i] > room[best] :
					room[i] >= need && room[i] < room[best])
			best = i;
	return best;
}

int sgang_islands_lay(const struct sgang_islands *inside,
		      const struct sgang_plan_request *request,
		      const struct sgang_run *runs, size_t n_runs,
		      struct sgang_run **out, size_t *n_out,
		      struct sgang_error *err)
{
	const struct sgang_devices *devices = inside->devices;
	uint32_t *room = slots_by_island(inside, request->total, request->free);
	size_t most = 1, i, n = 0;

	for (i = 0; i < n_runs; i++)
		most += sgang_devices_islands(devices, runs[i].node);
	*out = calloc(most, sizeof(**out));
	if (!room || !*out) {
		free(room);
		free(*out);
		return sgang_err_memory(err);
	}
	for (i = 0; i < n_runs; i++) {
		uint32_t left = runs[i].slots;

		while (left) {
			uint32_t at = best_island(devices, runs[i].node, room,
						  left);
			uint32_t slots = left < room[at] ? left : room[at];

			(*out)[n++] = (struct sgang_run){
				.member = runs[i].member,
				.node = at,
				.slots = slots,
				.ranks = slots,
			};
			room[at] -= slots;
			left -= slots;
		}
	}
	free(room);
	*n_out = n;
	return 0;
}

/* Does what is inside add the same to every plan? */
static bool same_inside(const struct sgang_islands *inside,
			const struct sgang_plan_request *request)
{
	size_t i;

	for (i = 0; i < request->n_members; i++)
		if (!request->members[i].distinct ||
		    request->members[i].slots != inside->slots)
			return false;
	return !request->parallel && sgang_devices_alike(inside->devices);
}

static int plan_nodes(const struct sgang_islands *inside,
		      const struct sgang_plan_request *request,
		      struct sgang_placement **placement,
		      struct sgang_others *others, struct sgang_nofit *nofit,
		      struct sgang_error *err)
{
	bool same = same_inside(inside, request);
	struct sgang_run *runs;
	uint64_t outside;
	size_t n;
	int rc = sgang_explain_plan(request, placement, same ? others : NULL,
				    nofit, err);

	if (rc <= 0)
		return rc;
	if (others && !same)
		memset(others, 0, sizeof(*others));
	outside = (*placement)->ring.cost;
	rc = sgang_islands_lay(inside, request, (*placement)->runs,
			       (*placement)->n_runs, &runs, &n, err);
	if (!rc)
		rc = sgang_plan_inside(request, inside->devices, runs, n, same,
				       *placement, nofit, err);
	if (rc > 0 && others)
		sgang_explain_raise(others, (*placement)->ring.cost - outside);
	if (rc > 0)
		return rc;
	sgang_placement_destroy(*placement);
	*placement = NULL;
	return rc;
}

int sgang_islands_plan(const struct sgang_islands *inside,
		       const struct sgang_plan_request *request,
		       struct sgang_placement **placement,
		       struct sgang_others *others, struct sgang_nofit *nofit,
		       struct sgang_error *err)
{
	bool pieces = are_pieces(request);
	int rc = 0;

	if (pieces)
		rc = plan_islands(inside, request, placement, others, nofit,
				  err);
	if (!rc && !(pieces && request->max_level == SGANG_LEVEL_ISLAND))
		rc = plan_nodes(inside, request, placement, others, nofit, err);
	return rc;
}
