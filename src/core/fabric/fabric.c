/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.c - the tree of places, as it is asked */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"

void sgang_fabric_destroy(struct sgang_fabric *fabric)
{
	int saved = errno;

	if (fabric) {
		free(fabric->names);
		free(fabric->warning);
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

const char *sgang_fabric_warning(const struct sgang_fabric *fabric)
{
	return fabric->warning;
}

uint32_t sgang_fabric_nodes(const struct sgang_fabric *fabric)
{
	return fabric->n_nodes;
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

const struct sgang_domain *
sgang_fabric_domain(const struct sgang_fabric *fabric, uint32_t domain)
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

uint32_t sgang_fabric_block_base(const struct sgang_fabric *fabric)
{
	return fabric->sizes.base;
}

/* A node in no block is a domain of its own that has its name. */
bool sgang_fabric_in_block(const struct sgang_fabric *fabric, uint32_t node)
{
	uint32_t d = fabric->sizes.base ?
			     sgang_fabric_within(fabric, node,
						 fabric->block_level) :
			     SGANG_DOMAIN_NONE;

	return d != SGANG_DOMAIN_NONE &&
	       (fabric->domain[d].n_nodes > 1 ||
		strcmp(fabric->domain[d].name,
		       sgang_fabric_node_name(fabric, node)));
}

/* The level of blocks that join 2^power, which is one of the sizes. */
static uint32_t block_level(const struct sgang_fabric *fabric, uint32_t power)
{
	uint32_t below = fabric->sizes.joined & ((UINT32_C(1) << power) - 1) &
			 ~UINT32_C(1);

	return fabric->block_level + (power > 0) +
	       (uint32_t)__builtin_popcount(below);
}

/* The smallest size that joins 2^power blocks or more;
 * SGANG_BLOCK_POWER_MAX + 1: none. */
static uint32_t size_from(uint32_t joined, uint32_t power)
{
	while (power <= SGANG_BLOCK_POWER_MAX && !(joined >> power & 1))
		power++;
	return power;
}

/* The largest that joins so many at most; 0: a block by itself. */
static uint32_t size_upto(uint32_t joined, uint32_t power)
{
	while (power && !(joined >> power & 1))
		power--;
	return power;
}

bool sgang_fabric_block_span(const struct sgang_fabric *fabric, uint32_t nodes,
			     struct sgang_block_span *span)
{
	uint32_t base = fabric->sizes.base, joined = fabric->sizes.joined;
	uint32_t power = 0, size, below;

	*span = (struct sgang_block_span){ .level = SGANG_LEVEL_UNCONNECTED };
	if (!base)
		return false;
	while (power <= SGANG_BLOCK_POWER_MAX &&
	       (uint64_t)base << power < nodes)
		power++;
	size = size_from(joined, power);
	if (size <= SGANG_BLOCK_POWER_MAX)
		span->level = block_level(fabric, size);
	if (!power)
		return true;
	below = size_upto(joined, power - 1);
	span->part = base << below;
	span->part_level = block_level(fabric, below);
	span->n_parts = (nodes - 1) / span->part + 1;
	if (size <= SGANG_BLOCK_POWER_MAX &&
	    span->n_parts << below == UINT32_C(1) << size)
		span->n_parts = 0;
	return true;
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

static void add_within(const struct sgang_fabric *fabric, uint32_t node,
		       uint32_t level, struct sgang_nodeset *out)
{
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t d = sgang_fabric_within(fabric, node, level);
	const struct sgang_domain *domain;

	if (d == SGANG_DOMAIN_NONE) {
		sgang_nodeset_add(out, node);
		return;
	}
	domain = sgang_fabric_domain(fabric, d);
	for (uint32_t i = 0; i < domain->n_nodes; i++)
		sgang_nodeset_add(out, order[domain->first_pos + i]);
}

void sgang_fabric_widen(const struct sgang_fabric *fabric,
			const struct sgang_nodeset *nodes, uint32_t level,
			struct sgang_nodeset *out)
{
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (!sgang_nodeset_has(out, n))
			add_within(fabric, n, level, out);
	}
}

bool sgang_fabric_split(const struct sgang_fabric *fabric,
			struct sgang_nodeset *nodes, uint32_t level,
			struct sgang_nodeset *part)
{
	uint32_t first = sgang_nodeset_next(nodes, 0);

	sgang_nodeset_clear(part);
	if (first == SGANG_NODE_NONE)
		return false;
	add_within(fabric, first, level, part);
	sgang_nodeset_and(part, nodes);
	sgang_nodeset_subtract(nodes, part);
	return true;
}
