/* SPDX-License-Identifier: GPL-2.0-or-later */
/* devices.c - the fabric down to the islands inside nodes */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "draft.h"

/* ---- names: "n1:0" ---- */

static size_t name_size(const struct sgang_fabric *nodes, uint32_t node)
{
	return strlen(sgang_fabric_node_name(nodes, node)) + sizeof(":63");
}

static int fill_names(struct sgang_fabric *fabric,
		      const struct sgang_fabric *nodes,
		      const struct sgang_devices *devices)
{
	size_t size = 1, used = 0;
	uint32_t i;

	for (i = 0; i < fabric->n_nodes; i++)
		size += name_size(nodes, devices->node[i]);
	for (i = 0; i < fabric->n_domains; i++)
		size += strlen(fabric->domain[i].name) + 1;
	fabric->names = malloc(size);
	if (!fabric->names || size > UINT32_MAX)
		return -1;
	for (i = 0; i < fabric->n_nodes; i++) {
		uint32_t node = devices->node[i];

		fabric->node_name[i] = (uint32_t)used;
		used += (size_t)sprintf(fabric->names + used, "%s:%u",
					sgang_fabric_node_name(nodes, node),
					i - devices->first[node]) +
			1;
	}
	/* so far they are those of 'nodes' */
	for (i = 0; i < fabric->n_domains; i++) {
		fabric->domain[i].name = strcpy(fabric->names + used,
						fabric->domain[i].name);
		used += strlen(fabric->domain[i].name) + 1;
	}
	return 0;
}

static void fill_hash(struct sgang_fabric *fabric)
{
	uint32_t i, slot;

	for (i = 0; i < fabric->n_nodes; i++) {
		slot = sgang_fabric_hash(sgang_fabric_node_name(fabric, i)) &
		       fabric->hash_mask;
		while (fabric->hash[slot])
			slot = (slot + 1) & fabric->hash_mask;
		fabric->hash[slot] = i + 1;
	}
}

/* ---- the tree ---- */

/* A node of 'nodes' becomes a domain; those of one leaf stand in a row, in the
 * order of positions, behind all domains that there were. */
static void fill_domains(struct sgang_fabric *fabric,
			 const struct sgang_fabric *nodes,
			 const struct sgang_devices *devices)
{
	uint32_t pos, at = 0, d, n;

	memcpy(fabric->domain, nodes->domain,
	       nodes->n_domains * sizeof(*nodes->domain));
	for (pos = 0; pos < nodes->n_nodes; pos++) {
		uint32_t node = nodes->order[pos], i;
		struct sgang_domain *domain =
			&fabric->domain[nodes->n_domains + pos];

		n = sgang_devices_islands(devices, node);
		domain->level = SGANG_LEVEL_NODE;
		domain->name = sgang_fabric_node_name(nodes, node);
		domain->parent = nodes->leaf[node];
		domain->first_child = 0;
		domain->n_children = 0;
		domain->first_pos = at;
		domain->n_nodes = n;
		domain->line = 0;
		for (i = 0; i < n; i++, at++) {
			fabric->order[at] = devices->first[node] + i;
			fabric->pos[fabric->order[at]] = at;
			fabric->leaf[fabric->order[at]] = nodes->n_domains +
							  pos;
		}
	}
	for (d = 0; d < nodes->n_domains; d++) {
		const struct sgang_domain *old = &nodes->domain[d];
		const struct sgang_domain *first, *last;

		if (!old->n_children) {
			fabric->domain[d].first_child = nodes->n_domains +
							old->first_pos;
			fabric->domain[d].n_children = old->n_nodes;
		}
		if (!old->n_nodes)
			continue;
		first = &fabric->domain[nodes->n_domains + old->first_pos];
		last = first + old->n_nodes - 1;
		fabric->domain[d].first_pos = first->first_pos;
		fabric->domain[d].n_nodes = last->first_pos + last->n_nodes -
					    first->first_pos;
	}
}

static struct sgang_fabric *build(const struct sgang_fabric *nodes,
				  const struct sgang_devices *devices)
{
	struct sgang_fabric *fabric = calloc(1, sizeof(*fabric));
	uint32_t n = devices->first[devices->n_nodes], slots = 2;

	if (!fabric)
		return NULL;
	while (slots < n * UINT64_C(2))
		slots *= 2;
	fabric->n_nodes = n;
	fabric->n_domains = nodes->n_domains + nodes->n_nodes;
	fabric->top_level = nodes->top_level;
	fabric->hash_mask = slots - 1;
	fabric->node_name = calloc(n + 1, sizeof(*fabric->node_name));
	fabric->order = calloc(n + 1, sizeof(*fabric->order));
	fabric->pos = calloc(n + 1, sizeof(*fabric->pos));
	fabric->leaf = calloc(n + 1, sizeof(*fabric->leaf));
	fabric->hash = calloc(slots, sizeof(*fabric->hash));
	fabric->domain = calloc(fabric->n_domains, sizeof(*fabric->domain));
	if (!fabric->node_name || !fabric->order || !fabric->pos ||
	    !fabric->leaf || !fabric->hash || !fabric->domain)
		goto fail;
	fill_domains(fabric, nodes, devices);
	if (fill_names(fabric, nodes, devices))
		goto fail;
	fill_hash(fabric);
	return fabric;
fail:
	sgang_fabric_destroy(fabric);
	return NULL;
}

static int number(struct sgang_devices *devices, const uint32_t *islands,
		  struct sgang_error *err)
{
	uint32_t i, k, n = devices->n_nodes;
	uint64_t sum = 0;

	devices->first = malloc((n + UINT64_C(1)) * sizeof(*devices->first));
	if (!devices->first)
		return -1;
	for (i = 0; i < n; i++) {
		if (!islands[i] || islands[i] > SGANG_ISLANDS_MAX)
			return sgang_errf(err, EINVAL,
					  "a node of %u islands, "
					  "expected 1 to %d",
					  islands[i], SGANG_ISLANDS_MAX);
		devices->first[i] = (uint32_t)sum;
		sum += islands[i];
	}
	if (sum >= UINT32_MAX)
		return sgang_errf(err, EINVAL, "too many islands");
	devices->first[n] = (uint32_t)sum;
	devices->node = malloc((sum + 1) * sizeof(*devices->node));
	if (!devices->node)
		return -1;
	for (i = 0; i < n; i++)
		for (k = devices->first[i]; k < devices->first[i + 1]; k++)
			devices->node[k] = i;
	return 0;
}

struct sgang_devices *sgang_devices_create(const struct sgang_fabric *fabric,
					   const uint32_t *islands,
					   struct sgang_error *err)
{
	struct sgang_devices *devices = calloc(1, sizeof(*devices));

	errno = ENOMEM;
	if (!devices)
		goto fail;
	devices->n_nodes = sgang_fabric_nodes(fabric);
	if (number(devices, islands, err))
		goto fail;
	devices->fabric = build(fabric, devices);
	if (devices->fabric)
		return devices;
	errno = ENOMEM;
fail:
	if (errno == ENOMEM)
		sgang_err_memory(err);
	sgang_devices_destroy(devices);
	return NULL;
}

void sgang_devices_destroy(struct sgang_devices *devices)
{
	int saved = errno;

	if (devices) {
		sgang_fabric_destroy(devices->fabric);
		free(devices->first);
		free(devices->node);
		free(devices);
	}
	errno = saved;
}

uint32_t sgang_devices_islands(const struct sgang_devices *devices,
			       uint32_t node)
{
	return devices->first[node + 1] - devices->first[node];
}

bool sgang_devices_alike(const struct sgang_devices *devices)
{
	uint32_t n;

	for (n = 1; n < devices->n_nodes; n++)
		if (sgang_devices_islands(devices, n) !=
		    sgang_devices_islands(devices, 0))
			return false;
	return true;
}

struct sgang_nodeset *sgang_devices_expand(const struct sgang_devices *devices,
					   const struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *islands =
		sgang_nodeset_create(devices->first[devices->n_nodes]);
	uint32_t n, i;

	for (n = sgang_nodeset_next(nodes, 0); islands && n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		for (i = devices->first[n]; i < devices->first[n + 1]; i++)
			sgang_nodeset_add(islands, i);
	return islands;
}

int sgang_devices_share_out(const struct sgang_devices *devices,
			    const struct sgang_run *runs, size_t n_runs,
			    struct sgang_run **out, size_t *n_out)
{
	size_t room = 1, n = 0, i;
	uint32_t k;

	for (i = 0; i < n_runs; i++)
		room += sgang_devices_islands(devices, runs[i].node);
	*out = malloc(room * sizeof(**out));
	if (!*out)
		return -1;
	for (i = 0; i < n_runs; i++) {
		uint32_t islands = sgang_devices_islands(devices, runs[i].node);
		uint32_t ranks = runs[i].ranks, slots = runs[i].slots;

		for (k = 0; k < islands; k++) {
			struct sgang_run *run = &(*out)[n];

			*run = runs[i];
			run->node = devices->first[runs[i].node] + k;
			run->ranks = ranks / islands + (k < ranks % islands);
			run->slots = slots / islands + (k < slots % islands);
			n += run->ranks > 0;
		}
	}
	*n_out = n;
	return 0;
}

/* The island with just enough room for 'most' pieces, else the one with the
 * most room, of those that are not given out yet. 'n': none. */
static uint32_t best_island(const uint32_t *room, const bool *given, uint32_t n,
			    uint32_t most)
{
	uint32_t best = n, i;

	for (i = 0; i < n; i++) {
		if (given[i] || !room[i])
			continue;
		if (best == n ||
		    (room[best] < most ?
			     room[i] > room[best] :
			     room[i] >= most && room[i] < room[best]))
			best = i;
	}
	return best;
}

void sgang_devices_hand_out(const uint32_t *room, uint32_t n, uint32_t most,
			    uint32_t *units)
{
	bool given[SGANG_ISLANDS_MAX] = { false };
	uint32_t i;

	memmove(units, room, n * sizeof(*units));
	while ((i = best_island(units, given, n, most)) < n) {
		given[i] = true;
		if (units[i] > most)
			units[i] = most;
		most -= units[i];
	}
}
