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

/* -- descriptions in gang.conf -- */

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

/* True if every member has all of each of its nodes. */
static bool takes_whole(const struct sgang_islands *inside,
			const struct sgang_plan_request *request)
{
	size_t i;

	for (i = 0; i < request->n_members; i++)
		if (!request->members[i].distinct ||
		    request->members[i].slots != inside->slots)
			return false;
	return true;
}

int sgang_islands_fill(const struct sgang_islands *inside,
		       const struct sgang_plan_request *request,
		       struct sgang_place_islands *islands,
		       struct sgang_error *err)
{
	*islands = (struct sgang_place_islands){
		.devices = inside->devices,
		.free = slots_by_island(inside, request->total, request->free),
		.total = slots_by_island(inside, request->total,
					 request->total),
		.whole = takes_whole(inside, request),
	};
	if (islands->free && islands->total)
		return 0;
	sgang_islands_clear(islands);
	return sgang_err_memory(err);
}

void sgang_islands_clear(struct sgang_place_islands *islands)
{
	free(islands->free);
	free(islands->total);
	islands->free = islands->total = NULL;
}
