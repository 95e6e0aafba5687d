/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segments_tree.c - segments as groups of a tree
 *
 * Each segment is a group that requires the level of its block and has no ring
 * of its own; roles.c plans the tree. That is about rings in the order of the
 * fabric. No order of the members costs less, so its bound holds here too. But
 * a segment larger than a block by itself is tried in whole blocks and a rest
 * only, and segments that share no block on some nodes of each block: then the
 * first plan's bound is all that is known. The parts of such a segment may be
 * even instead, for racks in which nodes are down.
 */

#include <stdlib.h>

#include "segments_private.h"

/* The request as a tree of groups. */
struct cut {
	const struct sgang_plan_request *asked;
	struct sgang_plan_request request;
	struct sgang_pool *pool;
	struct sgang_plan_member *member;
	uint32_t *of; /* by member of the tree: which member it is of */
	struct sgang_plan_group *group;
	struct sgang_nodeset **set; /* by member; NULL: none of its own */
	bool even;                  /* parts of a segment are all alike */
	bool some;                  /* other divisions are right, too */
};

/* Of a member: its pieces, and groups for them. */
static uint64_t count_pieces(const struct sgang_segments *rule)
{
	uint64_t parts = rule->span.n_parts ? rule->span.n_parts : 1;

	return rule->n * parts;
}

/* False: there are too many groups. */
static bool count(const struct sgang_plan_request *asked, uint64_t *members,
		  uint64_t *groups)
{
	struct sgang_segments rule;
	size_t i;

	*members = 0;
	*groups = asked->n_groups ? asked->n_groups : 1;
	for (i = 0; i < asked->n_members; i++) {
		bool has = sgang_segments_of(asked, &asked->members[i], &rule);
		uint64_t pieces = has ? count_pieces(&rule) : 1;

		*members += pieces;
		*groups += has ? pieces + rule.n + 1 : 1;
	}
	return *groups <= SGANG_PLAN_GROUPS_MAX;
}

/* Open a group; the number of its members is filled when it ends. */
static uint32_t open_group(struct cut *cut, uint32_t parent, uint32_t require)
{
	cut->group[cut->request.n_groups] = (struct sgang_plan_group){
		.name = "segment",
		.parent = parent,
		.require = require,
		.prefer = SGANG_LEVEL_UNCONNECTED,
		.first = cut->request.n_members,
	};
	return cut->request.n_groups++;
}

static void close_group(struct cut *cut, uint32_t group)
{
	cut->group[group].n_members = cut->request.n_members -
				      cut->group[group].first;
}

/* Add so many units of a member. */
static void add_piece(struct cut *cut, uint32_t i, uint32_t units)
{
	struct sgang_plan_member *piece = &cut->member[cut->request.n_members];

	*piece = cut->asked->members[i];
	piece->units = units;
	piece->segment = 0;
	if (cut->set[i]) {
		piece->allowed = cut->set[i];
		piece->required = NULL;
	}
	cut->of[cut->request.n_members++] = i;
}

static void add_segment(struct cut *cut, uint32_t i, uint32_t parent,
			const struct sgang_segments *rule)
{
	const struct sgang_block_span *span = &rule->span;
	uint32_t group = open_group(cut, parent, span->level), left;
	uint32_t parts = span->n_parts;

	if (!span->n_parts)
		add_piece(cut, i, rule->nodes);
	cut->some |= span->n_parts > 0;
	for (left = span->n_parts ? rule->nodes : 0; left; parts--) {
		uint32_t most = cut->even ? (left - 1) / parts + 1 : span->part;
		uint32_t units = left < most ? left : most;
		uint32_t part = open_group(cut, group, span->part_level);

		add_piece(cut, i, units);
		close_group(cut, part);
		left -= units;
	}
	close_group(cut, group);
}

static void add_segments(struct cut *cut, uint32_t i, uint32_t parent,
			 const struct sgang_segments *rule)
{
	bool together = rule->together < SGANG_LEVEL_UNCONNECTED;
	uint32_t all = together ? open_group(cut, parent, rule->together) :
				  parent,
		 s;

	for (s = 0; s < rule->n; s++)
		add_segment(cut, i, all, rule);
	if (together)
		close_group(cut, all);
}

/* Add the members of a group that has no other groups in it. */
static void add_members(struct cut *cut, uint32_t parent, size_t first,
			size_t n)
{
	const struct sgang_plan_request *asked = cut->asked;
	uint32_t others = SGANG_PLAN_NO_GROUP;
	struct sgang_segments rule;
	size_t i;

	for (i = first; i < first + n; i++) {
		if (!sgang_segments_of(asked, &asked->members[i], &rule)) {
			if (others == SGANG_PLAN_NO_GROUP)
				others = open_group(cut, parent,
						    SGANG_LEVEL_UNCONNECTED);
			add_piece(cut, (uint32_t)i, asked->members[i].units);
			close_group(cut, others);
			continue;
		}
		others = SGANG_PLAN_NO_GROUP;
		add_segments(cut, (uint32_t)i, parent, &rule);
	}
}

/* Add the group 'g' of 'group', and its members if it has no other groups. */
static void add_group(struct cut *cut, const struct sgang_plan_group *group,
		      uint32_t n, uint32_t g, uint32_t *new)
{
	const struct sgang_plan_group *from = &group[g];

	new[g] = cut->request.n_groups;
	cut->group[cut->request.n_groups] = *from;
	if (from->parent != SGANG_PLAN_NO_GROUP)
		cut->group[new[g]].parent = new[from->parent];
	cut->group[new[g]].first = cut->request.n_members;
	cut->request.n_groups++;
	if (g + 1 == n || group[g + 1].parent != g)
		add_members(cut, new[g], from->first, from->n_members);
}

static void add_groups(struct cut *cut)
{
	const struct sgang_plan_request *asked = cut->asked;
	const struct sgang_plan_group gang = {
		.name = "gang",
		.parent = SGANG_PLAN_NO_GROUP,
		.weight = 1,
		.require = asked->max_level,
		.prefer = SGANG_LEVEL_UNCONNECTED,
		.n_members = asked->n_members,
	};
	const struct sgang_plan_group *group = asked->n_groups ? asked->group :
								 &gang;
	uint32_t n = asked->n_groups ? asked->n_groups : 1, g;
	uint32_t *new = sgang_pool_alloc(cut->pool, n, sizeof(*new));

	for (g = 0; g < n; g++) {
		uint32_t up;

		add_group(cut, group, n, g, new);
		for (up = g; up != SGANG_PLAN_NO_GROUP; up = group[up].parent)
			close_group(cut, new[up]);
	}
}

/* -- nodes of their own -- */

/* One segment in each block is all that it may have. */
static void spread_set(struct cut *cut, uint32_t i,
		       const struct sgang_segments *rule)
{
	cut->some = true;
	cut->set[i] = sgang_segments_thin(
		cut->asked, cut->pool, &cut->asked->members[i], rule, true, i);
}

/* A member whose nodes are all given: its segments have them alone. */
static void given_set(struct cut *cut, uint32_t i)
{
	const struct sgang_plan_member *member = &cut->asked->members[i];

	cut->set[i] = sgang_plan_set(cut->pool,
				     sgang_nodeset_copy(member->required));
	if (member->allowed)
		sgang_nodeset_and(cut->set[i], member->allowed);
}

static void find_sets(struct cut *cut)
{
	struct sgang_segments rule;
	uint32_t i;

	for (i = 0; i < cut->asked->n_members; i++) {
		const struct sgang_plan_member *member =
			&cut->asked->members[i];

		if (!sgang_segments_of(cut->asked, member, &rule))
			continue;
		if (member->required &&
		    sgang_nodeset_count(member->required) == member->units)
			given_set(cut, i);
		else if (rule.spread && rule.nodes <= rule.base)
			spread_set(cut, i, &rule);
	}
}

/* -- the answer -- */

/* False when there are too many groups. */
static bool cut_make(struct cut *cut, const struct sgang_plan_request *asked,
		     struct sgang_pool *pool, bool even)
{
	uint64_t members, groups;

	*cut = (struct cut){
		.asked = asked, .request = *asked, .pool = pool, .even = even
	};
	if (!count(asked, &members, &groups))
		return false;
	cut->member = sgang_pool_alloc(pool, members, sizeof(*cut->member));
	cut->of = sgang_pool_alloc(pool, members, sizeof(*cut->of));
	cut->group = sgang_pool_alloc(pool, groups, sizeof(*cut->group));
	cut->set = sgang_pool_zalloc(pool, asked->n_members,
				     sizeof(struct sgang_nodeset *));
	cut->request.n_members = 0;
	cut->request.n_groups = 0;
	cut->request.members = cut->member;
	cut->request.group = cut->group;
	cut->request.any_order = false;
	find_sets(cut);
	add_groups(cut);
	return true;
}

/* A run, and where it is in the fabric. */
struct stop {
	uint32_t pos;
	struct sgang_run run;
};

static int by_member(const void *one, const void *two)
{
	const struct stop *a = one, *b = two;

	if (a->run.member != b->run.member)
		return a->run.member < b->run.member ? -1 : 1;
	return (a->pos > b->pos) - (a->pos < b->pos);
}

/* Of members alike that follow each other, those further on in the fabric come
 * later: one that begins later has the number of a later one. stop[] is by
 * member. */
static void number_alike(const struct sgang_plan_request *request,
			 struct stop *stop, size_t n, uint32_t *first)
{
	size_t n_members = request->n_members, from, i;
	uint32_t to;

	for (i = n; i-- > 0;)
		first[stop[i].run.member] = stop[i].pos;
	for (from = 0; from < n_members; from = to) {
		for (to = (uint32_t)from + 1;
		     to < n_members &&
		     sgang_members_same(request, &request->members[from],
					&request->members[to]);)
			to++;
		for (i = 0; i < n; i++) {
			uint32_t m = stop[i].run.member, before = 0, k;

			if (m < from || m >= to)
				continue;
			for (k = (uint32_t)from; k < to; k++)
				before += first[k] < first[m] ||
					  (first[k] == first[m] && k < m);
			stop[i].run.member = (uint32_t)from + before;
		}
	}
}

/* Make the pieces members again, their nodes in the order of the fabric. */
static void join(const struct cut *cut, struct sgang_placement *made)
{
	const struct sgang_plan_request *asked = cut->asked;
	const uint32_t *pos = sgang_fabric_pos(asked->fabric);
	size_t n = made->n_runs, i;
	struct stop *stop = sgang_pool_alloc(cut->pool, n, sizeof(*stop));
	uint32_t *first = sgang_pool_zalloc(cut->pool, asked->n_members,
					    sizeof(*first));

	for (i = 0; i < n; i++) {
		stop[i].run = made->runs[i];
		stop[i].run.member = cut->of[made->runs[i].member];
		stop[i].pos = pos[made->runs[i].node];
	}
	qsort(stop, n, sizeof(*stop), by_member);
	if (!asked->n_groups)
		number_alike(asked, stop, n, first);
	qsort(stop, n, sizeof(*stop), by_member);
	for (i = 0; i < n; i++)
		made->runs[i] = stop[i].run;
}

/* The ring of a gang without groups. */
static void close_ring(const struct sgang_plan_request *asked,
		       struct sgang_pool *pool, struct sgang_placement *made)
{
	sgang_plan_arrange_nodes(asked, made);
	if (asked->any_order)
		sgang_arrange(asked, pool, made);
	sgang_ring_measure(asked->fabric, asked->costs, made->runs,
			   made->n_runs, &made->ring);
	made->weighted_cost = 0;
}

static void set_bound(const struct cut *cut,
		      const struct sgang_placement *first,
		      struct sgang_placement *made)
{
	const struct sgang_plan_request *asked = cut->asked;
	uint64_t least = sgang_segments_least(asked, first, made);

	if (cut->some || least > made->bound)
		made->bound = least;
	made->exact = false;
}

/* Returns as sgang_segments_tree(). What is no request for a tree has none. */
static struct sgang_placement *plan(const struct cut *cut, bool *never)
{
	struct sgang_placement *made;
	struct sgang_budget *budget = cut->asked->budget;
	bool unproved = budget->unproved;
	int rc;

	budget->unproved = false;
	rc = sgang_plan_ordered(&cut->request, cut->pool, &made, NULL, NULL);
	*never = !rc && !cut->some && !budget->unproved;
	budget->unproved |= unproved;
	return rc > 0 ? made : NULL;
}

struct sgang_placement *
sgang_segments_tree(const struct sgang_plan_request *asked,
		    struct sgang_pool *pool, bool even,
		    const struct sgang_placement *first, bool *never)
{
	struct sgang_placement *made;
	struct cut cut;

	if (!cut_make(&cut, asked, pool, even))
		return NULL;
	made = plan(&cut, never);
	if (!made)
		return NULL;
	join(&cut, made);
	if (!asked->n_groups)
		close_ring(asked, pool, made);
	set_bound(&cut, first, made);
	return made;
}
