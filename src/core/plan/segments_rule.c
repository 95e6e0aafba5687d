/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segments_rule.c - what segments must keep to, and which nodes they may have */

#include "segments_private.h"

bool sgang_segments_of(const struct sgang_plan_request *request,
		       const struct sgang_plan_member *member,
		       struct sgang_segments *rule)
{
	const struct sgang_fabric *fabric = request->fabric;
	uint32_t nodes = member->segment, all = member->units;
	struct sgang_block_span span;

	if (!nodes || nodes > all || all % nodes ||
	    !sgang_member_distinct(member))
		return false;
	*rule = (struct sgang_segments){ .nodes = nodes,
					 .n = all / nodes,
					 .together = SGANG_LEVEL_UNCONNECTED,
					 .base = sgang_fabric_block_base(
						 fabric),
					 .spread = member->spread_segments };
	if (!sgang_fabric_block_span(fabric, nodes, &rule->span))
		return false;
	if (!member->consolidate_segments)
		return true;
	if (rule->spread)
		all = ((nodes - 1) / rule->base + 1) * rule->base * rule->n;
	(void)sgang_fabric_block_span(fabric, all, &span);
	rule->together = span.level;
	return true;
}

/* A bound is of placements that weigh as little, and that are no further above
 * what groups prefer. */
uint64_t sgang_segments_least(const struct sgang_plan_request *request,
			      const struct sgang_placement *first,
			      const struct sgang_placement *made)
{
	return sgang_plan_by_weight(request) || made->above != first->above ?
		       0 :
		       first->bound;
}

/* Keep so many of the nodes of a block. */
static void keep_some(struct sgang_nodeset *set, const uint32_t *node,
		      uint32_t n, uint32_t keep, uint32_t turn)
{
	uint32_t start = n > keep ? (uint32_t)((uint64_t)turn * keep % n) : 0;
	uint32_t i;

	for (i = n < keep ? 0 : keep; i < n; i++)
		sgang_nodeset_remove(set, node[(start + i) % n]);
}

bool sgang_segments_room(const struct sgang_plan_request *request,
			 const struct sgang_plan_member *member, uint32_t node)
{
	const uint32_t *free = request->free +
			       (size_t)node * sgang_plan_dims(request);

	return (!member->allowed || sgang_nodeset_has(member->allowed, node)) &&
	       sgang_plan_fits(request, member, node, free);
}

bool sgang_segments_share(const struct sgang_plan_request *request,
			  const struct sgang_plan_member *member)
{
	uint32_t n_dims = sgang_plan_dims(request), node;
	struct sgang_plan_member any = *member;

	any.distinct = false;
	for (node = 0;
	     member->slots && node < sgang_fabric_nodes(request->fabric);
	     node++) {
		if (sgang_segments_room(request, member, node) &&
		    sgang_plan_fits(request, &any, node,
				    request->free + (size_t)node * n_dims) > 1)
			return true;
	}
	return false;
}

struct sgang_nodeset *
sgang_segments_thin(const struct sgang_plan_request *request,
		    struct sgang_pool *pool,
		    const struct sgang_plan_member *member,
		    const struct sgang_segments *rule, bool one, uint32_t turn)
{
	const struct sgang_fabric *fabric = request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t n_nodes = sgang_fabric_nodes(fabric), pos, n = 0;
	uint32_t *node = sgang_pool_alloc(pool, n_nodes, sizeof(*node));
	struct sgang_nodeset *set =
		sgang_plan_set(pool, sgang_nodeset_create(n_nodes));

	for (pos = 0; pos < n_nodes; pos++) {
		uint32_t at = order[pos], k = rule->nodes;
		uint32_t block = sgang_fabric_within(fabric, at,
						     rule->span.level);

		if (sgang_segments_room(request, member, at)) {
			sgang_nodeset_add(set, at);
			node[n++] = at;
		}
		if (pos + 1 < n_nodes && block != SGANG_DOMAIN_NONE &&
		    sgang_fabric_within(fabric, order[pos + 1],
					rule->span.level) == block)
			continue;
		keep_some(set, node, n, one ? k : n - n % k, turn);
		n = 0;
	}
	return set;
}

bool sgang_segments_any(const struct sgang_plan_request *request)
{
	struct sgang_segments rule;
	size_t i;

	for (i = 0; i < request->n_members; i++) {
		if (sgang_segments_of(request, &request->members[i], &rule))
			return true;
	}
	return false;
}
