/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.c - the tree of places: reading it from memory and asking it */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fabric_private.h"

/* Levels above those that are priced cost this many times the one below. */
#define HOP_COST_STEP 4

void sgang_costs_numbered(char name[32], uint32_t level)
{
	snprintf(name, 32, "level%" PRIu32, level);
}

static void set_defaults(struct sgang_costs *costs, const char *const *names,
			 uint32_t n_names, const uint32_t *hops,
			 uint32_t n_hops)
{
	uint32_t level;

	memset(costs, 0, sizeof(*costs));
	for (level = 0; level < SGANG_LEVELS; level++) {
		char *name = costs->name[level];

		costs->hop[level] = level < n_hops ? hops[level] :
				    costs->hop[level - 1] * HOP_COST_STEP;
		if (level < n_names)
			strcpy(name, names[level]);
		else if (level == SGANG_LEVEL_UNCONNECTED)
			strcpy(name, "unconnected");
		else
			sgang_costs_numbered(name, level);
	}
}

void sgang_costs_default(struct sgang_costs *costs)
{
	static const char *const names[] = {
		"island", "node", "leaf", "spine", "core"
	};
	static const uint32_t hops[] = { 1, 2, 4 };

	set_defaults(costs, names, 5, hops, 3);
	costs->leaf = SGANG_LEVEL_LEAF;
}

void sgang_costs_default_nvlink(struct sgang_costs *costs)
{
	static const char *const names[] = {
		"island", "node", "nvlink", "leaf", "spine", "core"
	};
	static const uint32_t hops[] = { 1, 1, 1, 4 };

	set_defaults(costs, names, 6, hops, 4);
	costs->leaf = SGANG_LEVEL_LEAF + 1;
}

int sgang_costs_level(const struct sgang_costs *costs, const char *name)
{
	int level;

	for (level = 0; level < SGANG_LEVELS; level++) {
		if (!strcasecmp(costs->name[level], name))
			return level;
	}
	return -1;
}

const char *sgang_costs_names(const struct sgang_costs *costs,
			      char names[SGANG_LEVEL_NAMES_SIZE])
{
	uint32_t n = SGANG_LEVEL_UNCONNECTED, level;
	char number[32];
	size_t used = 0;

	for (; n; n--) {
		sgang_costs_numbered(number, n - 1);
		if (strcmp(costs->name[n - 1], number))
			break;
	}
	names[0] = '\0';
	for (level = 0; level < n; level++)
		used += (size_t)snprintf(names + used,
					 SGANG_LEVEL_NAMES_SIZE - used, "%s%s",
					 level ? ", " : "", costs->name[level]);
	return names;
}

struct sgang_fabric *sgang_fabric_parse(const char *text, const char *label,
					const char *const *nodes,
					uint32_t n_nodes,
					struct sgang_error *err)
{
	struct sgang_fabric *fabric = NULL;
	struct sgang_draft *draft = sgang_draft_create(nodes, n_nodes, err);

	if (draft && !sgang_fabric_read_conf(draft, text, label, err))
		fabric = sgang_draft_build(draft, err);
	sgang_draft_destroy(draft);
	return fabric;
}

struct sgang_fabric *sgang_fabric_flat(const char *const *nodes,
				       uint32_t n_nodes,
				       struct sgang_error *err)
{
	struct sgang_fabric *fabric = NULL;
	struct sgang_draft *draft = sgang_draft_create(nodes, n_nodes, err);

	if (draft && !sgang_draft_flat(draft, err))
		fabric = sgang_draft_build(draft, err);
	sgang_draft_destroy(draft);
	return fabric;
}

void sgang_fabric_destroy(struct sgang_fabric *fabric)
{
	int saved = errno;

	if (fabric) {
		free(fabric->names);
		free(fabric->node_name);
		free(fabric->order);
		free(fabric->pos);
		free(fabric->leaf);
		free(fabric->hash);
		free(fabric->domain);
		free(fabric);
	}
	errno = saved;
}

uint32_t sgang_fabric_nodes(const struct sgang_fabric *fabric)
{
	return fabric->n_nodes;
}

uint32_t sgang_fabric_unknown(const struct sgang_fabric *fabric)
{
	return fabric->n_unknown;
}

const char *sgang_fabric_node_name(const struct sgang_fabric *fabric,
				   uint32_t node)
{
	return fabric->names + fabric->node_name[node];
}

/* FNV-1a */
uint32_t sgang_fabric_hash(const char *name)
{
	uint32_t hash = UINT32_C(2166136261);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
	return hash ^ (hash >> 15);
}

uint32_t sgang_fabric_find_node(const struct sgang_fabric *fabric,
				const char *name)
{
	uint32_t slot = sgang_fabric_hash(name) & fabric->hash_mask;

	while (fabric->hash[slot]) {
		uint32_t node = fabric->hash[slot] - 1;

		if (!strcmp(sgang_fabric_node_name(fabric, node), name))
			return node;
		slot = (slot + 1) & fabric->hash_mask;
	}
	return SGANG_NODE_NONE;
}

const uint32_t *sgang_fabric_order(const struct sgang_fabric *fabric)
{
	return fabric->order;
}

const uint32_t *sgang_fabric_pos(const struct sgang_fabric *fabric)
{
	return fabric->pos;
}

uint32_t sgang_fabric_domains(const struct sgang_fabric *fabric)
{
	return fabric->n_domains;
}

const struct sgang_domain *sgang_fabric_domain(const struct sgang_fabric *fabric,
					       uint32_t domain)
{
	return &fabric->domain[domain];
}

uint32_t sgang_fabric_leaf(const struct sgang_fabric *fabric, uint32_t node)
{
	return fabric->leaf[node];
}

uint32_t sgang_fabric_within(const struct sgang_fabric *fabric, uint32_t node,
			     uint32_t level)
{
	uint32_t d = fabric->leaf[node], found = SGANG_DOMAIN_NONE;

	while (d != SGANG_DOMAIN_NONE && fabric->domain[d].level <= level) {
		found = d;
		d = fabric->domain[d].parent;
	}
	return found;
}

bool sgang_fabric_of_switches(const struct sgang_fabric *fabric)
{
	return fabric->of_switches;
}

uint32_t sgang_fabric_top_level(const struct sgang_fabric *fabric)
{
	return fabric->top_level;
}

uint32_t sgang_fabric_meet(const struct sgang_fabric *fabric, uint32_t a,
			   uint32_t b)
{
	const struct sgang_domain *domain;
	uint32_t other = fabric->pos[b];

	if (a == b)
		return SGANG_LEVEL_ISLAND;
	domain = &fabric->domain[fabric->leaf[a]];
	/* wraps round to a large number below first_pos */
	while (other - domain->first_pos >= domain->n_nodes)
		domain = &fabric->domain[domain->parent];
	return domain->level;
}
