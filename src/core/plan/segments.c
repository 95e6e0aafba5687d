/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segments.c - members whose nodes come in segments, each within a block
 *
 * A plan that knows nothing of segments costs the least, so it is the answer if
 * its nodes can be divided into them. Else nodes that would be left over in each
 * block are taken away first: where members are alike and so are the nodes of a
 * block, the plan for the others is the best there is. Otherwise a tree of
 * groups (segments_tree.c) may have a better one. If there is no plan that keeps
 * to the segments, the first one stays, and Slurm may refuse it.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segments_private.h"

/* -- can these nodes be divided -- */

static int ascending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return (*a > *b) - (*a < *b);
}

/* The nodes from pos[0] on that are in one domain of this level with it. */
static uint32_t count_in_one(const struct sgang_fabric *fabric,
			     const uint32_t *pos, uint32_t n, uint32_t level)
{
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t i, d = sgang_fabric_within(fabric, order[pos[0]], level);

	if (d == SGANG_DOMAIN_NONE)
		return 1;
	for (i = 1; i < n; i++) {
		if (sgang_fabric_within(fabric, order[pos[i]], level) != d)
			break;
	}
	return i;
}

/* Each segment has as many whole parts, blocks of the size below, as it fills,
 * and a rest in one more. Do the nodes in one block make such segments? */
static bool parts_keep(const struct sgang_fabric *fabric,
		       const struct sgang_segments *rule, const uint32_t *pos,
		       uint32_t n)
{
	uint32_t part = rule->span.part, rest = rule->nodes % part;
	uint32_t need = n / rule->nodes * (rule->nodes / part);
	uint32_t whole = 0, n_parts = 0, i, in;
	bool even = true;

	for (i = 0; i < n; i += in, n_parts++) {
		in = count_in_one(fabric, pos + i, n - i,
				  rule->span.part_level);
		whole += in / part;
		even &= rest ? in % part % rest == 0 : in % part == 0;
	}
	return n_parts <= rule->span.n_parts ||
	       (even &&
		(whole == need || (whole > need && rest && part % rest == 0)));
}

static bool block_keeps(const struct sgang_fabric *fabric,
			const struct sgang_segments *rule, const uint32_t *pos,
			uint32_t n)
{
	if (n % rule->nodes)
		return false;
	if (rule->spread && n != rule->nodes)
		return false;
	return !rule->span.n_parts || parts_keep(fabric, rule, pos, n);
}

static bool nodes_keep(const struct sgang_fabric *fabric,
		       const struct sgang_segments *rule, const uint32_t *pos,
		       uint32_t n)
{
	uint32_t i, in;

	for (i = 1; i < n; i++) {
		if (pos[i] == pos[i - 1])
			return false;
	}
	if (count_in_one(fabric, pos, n, rule->together) != n)
		return false;
	for (i = 0; i < n; i += in) {
		in = count_in_one(fabric, pos + i, n - i, rule->span.level);
		if (!block_keeps(fabric, rule, pos + i, in))
			return false;
	}
	return true;
}

/* Can the nodes of all members be divided into their segments? */
static bool keeps(const struct sgang_plan_request *request,
		  struct sgang_pool *pool,
		  const struct sgang_placement *placement)
{
	const uint32_t *at = sgang_fabric_pos(request->fabric);
	uint32_t *pos = sgang_pool_alloc(pool, placement->n_runs, sizeof(*pos));
	bool all = true;
	size_t r, i = 0;

	while (all && i < placement->n_runs) {
		uint32_t member = placement->runs[i].member, n = 0;
		struct sgang_segments rule;

		for (r = i; r < placement->n_runs &&
			    placement->runs[r].member == member;
		     r++)
			pos[n++] = at[placement->runs[r].node];
		i = r;
		if (!sgang_segments_of(request, &request->members[member],
				       &rule))
			continue;
		qsort(pos, n, sizeof(*pos), ascending);
		all = nodes_keep(request->fabric, &rule, pos, n);
	}
	return all;
}

/* -- without what would be left over -- */

/* The request without these nodes. */
static struct sgang_plan_request thin(const struct sgang_plan_request *asked,
				      struct sgang_pool *pool)
{
	size_t n = asked->n_members, i;
	struct sgang_plan_member *member = sgang_pool_alloc(pool, n,
							    sizeof(*member));
	struct sgang_plan_request request = *asked;

	request.members = member;
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *from = &asked->members[i];
		struct sgang_segments rule;

		member[i] = *from;
		if (!sgang_segments_of(asked, from, &rule) || from->required)
			continue;
		if (i && sgang_members_same(asked, from, from - 1)) {
			member[i].allowed = member[i - 1].allowed;
			continue;
		}
		member[i].allowed = sgang_segments_thin(
			asked, pool, from, &rule, rule.spread, (uint32_t)i);
	}
	return request;
}

/* Have all nodes that a member may have the same number of ranks? */
static bool ranks_alike(const struct sgang_plan_request *asked,
			const struct sgang_plan_member *member)
{
	uint32_t n_dims = sgang_plan_dims(asked), node, ranks = 0;

	if (member->ranks || member->slots)
		return true;
	for (node = 0; node < sgang_fabric_nodes(asked->fabric); node++) {
		uint32_t all = asked->total[(size_t)node * n_dims];

		if (!sgang_segments_room(asked, member, node))
			continue;
		if (ranks && ranks != all)
			return false;
		ranks = all;
	}
	return true;
}

/* Is the plan for the nodes that are left the best there is? Of segments that
 * share no block two members may have one each there, so it is not. */
static bool is_enough(const struct sgang_plan_request *asked)
{
	struct sgang_segments rule;
	size_t i;

	for (i = 0; i < asked->n_members; i++) {
		if (!sgang_segments_of(asked, &asked->members[i], &rule) ||
		    asked->members[i].required || rule.nodes > rule.base ||
		    rule.spread || rule.together != SGANG_LEVEL_UNCONNECTED ||
		    !sgang_members_same(asked, &asked->members[0],
					&asked->members[i]))
			return false;
	}
	return !asked->n_groups && !asked->parallel && !asked->spread &&
	       !sgang_plan_weights_differ(asked) &&
	       !sgang_segments_share(asked, &asked->members[0]) &&
	       ranks_alike(asked, &asked->members[0]);
}

/* Plan without these nodes. The placement keeps to all segments; NULL when that
 * failed, and '*never' says whether there is none. */
static struct sgang_placement *
plan_thinned(const struct sgang_plan_request *asked, struct sgang_pool *pool,
	     const struct sgang_placement *first, bool *never)
{
	struct sgang_plan_request thinned = thin(asked, pool);
	struct sgang_placement *made = NULL;
	bool enough = is_enough(asked);
	int rc = sgang_plan_ordered(&thinned, pool, &made, NULL, NULL);

	*never = !rc && enough;
	if (rc <= 0 ||
	    (asked->any_order && sgang_any_order(&thinned, pool, &made)) ||
	    !keeps(asked, pool, made))
		return NULL;
	if (!enough) {
		made->bound = sgang_segments_least(asked, first, made);
		made->exact = false;
	}
	return made;
}

/* -- the answer -- */

/* Take a placement that keeps to segments, if it is better. */
static void take(const struct sgang_plan_request *asked,
		 struct sgang_pool *pool, struct sgang_placement *made,
		 struct sgang_placement **best)
{
	bool groups = asked->n_groups || asked->parallel;
	uint64_t cost;

	sgang_plan_keep(asked, pool, made, best);
	cost = groups ? (*best)->weighted_cost : (*best)->ring.cost;
	if (!sgang_plan_by_weight(asked) && !(*best)->above &&
	    cost <= (*best)->bound)
		(*best)->exact = true;
}

static void explain(const struct sgang_plan_request *asked,
		    struct sgang_nofit *nofit)
{
	struct sgang_segments rule, most = { .nodes = 0 };
	size_t who = 0, i;

	for (i = 0; i < asked->n_members; i++) {
		if (!sgang_segments_of(asked, &asked->members[i], &rule) ||
		    rule.nodes <= most.nodes)
			continue;
		most = rule;
		who = i;
	}
	memset(nofit, 0, sizeof(*nofit));
	nofit->member = (uint32_t)who;
	snprintf(
		nofit->text, sizeof(nofit->text),
		most.n > 1 ?
			"member %zu: no blocks with room for its segments of %u nodes" :
			"member %zu: no blocks with room for its %u nodes",
		who, most.nodes);
}

static void try_tree(const struct sgang_plan_request *asked,
		     struct sgang_pool *pool, bool even,
		     const struct sgang_placement *first,
		     struct sgang_placement **best, bool *never)
{
	struct sgang_placement *made = sgang_segments_tree(asked, pool, even,
							   first, never);

	if (made && keeps(asked, pool, made))
		take(asked, pool, made, best);
}

/* Is a segment larger than a block, and may it be in few of these only? */
static bool has_parts(const struct sgang_plan_request *asked)
{
	struct sgang_segments rule;
	size_t i;

	for (i = 0; i < asked->n_members; i++) {
		if (sgang_segments_of(asked, &asked->members[i], &rule) &&
		    rule.span.n_parts)
			return true;
	}
	return false;
}

/* The best placement that keeps to segments; NULL when none was found. */
static struct sgang_placement *find_best(const struct sgang_plan_request *asked,
					 struct sgang_pool *pool,
					 const struct sgang_placement *first,
					 bool *never)
{
	struct sgang_placement *best = NULL;
	struct sgang_placement *made = plan_thinned(asked, pool, first, never);

	if (made)
		take(asked, pool, made, &best);
	if (*never || (best && best->exact))
		return best;
	try_tree(asked, pool, false, first, &best, never);
	if (!best && !*never && has_parts(asked))
		try_tree(asked, pool, true, first, &best, never);
	return best;
}

bool sgang_segments_keep(const struct sgang_plan_request *asked,
			 struct sgang_pool *pool,
			 struct sgang_placement **placement,
			 struct sgang_nofit *nofit)
{
	struct sgang_placement *best;
	bool never = false;

	if (keeps(asked, pool, *placement))
		return true;
	(*placement)->exact = false;
	best = find_best(asked, pool, *placement, &never);
	if (best)
		*placement = best;
	else if (never && nofit)
		explain(asked, nofit);
	return best || !never;
}
