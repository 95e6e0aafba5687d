/* SPDX-License-Identifier: GPL-2.0-or-later */
/* share.c - members of one kind, on distinct nodes that they share
 *
 * Such a member is a path over as many nodes as it has units, and can be no
 * cheaper than the cheapest path. The next one can go back the same way,
 * beginning where the one before it ended: A B C | C B A | A B C ... Members
 * thus cost little where many of them fit on nodes that one of them would
 * choose.
 *
 * On many nodes it takes too long to choose for one member after the other. On
 * many nodes the members roll over leaves that were chosen for all of them.
 */

#include <stdlib.h>
#include <string.h>

#include "mixed.h"

/* Layouts are tried for so many numbers of members that a node has room for at
 * the least, doubling from 1. */
#define DEPTHS_MAX 4
/* On more nodes than this it takes longer: so often they are all looked at for
 * members one by one, then members roll. A look at a node on the way counts as
 * several because nodes are sorted there. */
#define NODES_MANY (SGANG_STEPS_SHARE_FEW / DEPTHS_MAX)
#define CHOICES_MANY 3
#define LOOKS_A_NODE 3
/* The bound is found for so many sizes of members; others are free. */
#define SIZES_MAX 4

/* -- the bound -- */

struct paths {
	const struct sgang_job *job;
	const uint64_t *broken;
	uint32_t *cap;                /* by position: units, then 1 or 0 */
	uint32_t units;               /* of a member */
	uint32_t members;             /* of that size */
	uint64_t least[SGANG_LEVELS]; /* by the level that a path spans: what
				       * it costs, or UINT64_MAX */
};

/* How many members have room in a domain, each on nodes of its own. With m of
 * them a node serves for min(its room, m) units. */
static uint32_t members_in(const struct paths *paths,
			   const struct sgang_domain *domain)
{
	const uint32_t *cap = paths->cap + domain->first_pos;
	uint32_t low = 0, high = paths->members, i;

	while (low < high) {
		uint32_t m = low + (high - low + 1) / 2;
		uint64_t serves = 0;

		for (i = 0; i < domain->n_nodes; i++)
			serves += cap[i] < m ? cap[i] : m;
		if (serves >= (uint64_t)m * paths->units)
			low = m;
		else
			high = m - 1;
	}
	return low;
}

/* How many members can be inside domains of this level or below. */
static uint64_t members_within(const struct paths *paths, uint32_t level)
{
	const struct sgang_fabric *fabric = paths->job->request->fabric;
	uint32_t n = sgang_fabric_domains(fabric), d;
	uint64_t sum = 0;

	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);

		if (domain->level > level ||
		    (domain->parent != SGANG_DOMAIN_NONE &&
		     sgang_fabric_domain(fabric, domain->parent)->level <=
			     level))
			continue;
		sum += members_in(paths, domain);
	}
	return sum;
}

/* Find what the cheapest path that spans a level costs, hops counted by what
 * they cost above one in an island. A ring is one hop more; if it spans a
 * level, it has two hops of that level at least. 0, or -1 with EOVERFLOW. */
static int find_path(struct paths *paths, const struct sgang_tree *asked,
		     uint32_t level)
{
	struct sgang_plan_request request = *paths->job->request;
	struct sgang_tree tree = *asked;
	const uint32_t *hop = request.costs->hop;
	uint64_t island = hop[SGANG_LEVEL_ISLAND], top = hop[level] - island;
	uint64_t near = hop[sgang_plan_lowest(&request)] - island, path;
	uint64_t other = top + (paths->units - 2) * near;
	int rc;

	request.max_level = level;
	tree.request = &request;
	rc = sgang_tree_solve(&tree, paths->job->pool, true);
	if (rc <= 0)
		return rc;
	path = tree.bound - paths->units * island;
	path = path > top ? path - top : 0;
	paths->least[level] = path > other ? path : other;
	return 0;
}

/* Find the cheapest paths of all levels. As find_path(). */
static int find_paths(struct paths *paths)
{
	const struct sgang_plan_request *request = paths->job->request;
	uint32_t n = sgang_fabric_nodes(request->fabric), pos, d, level;
	bool there[SGANG_LEVELS] = { false };
	struct sgang_tree tree;
	uint32_t *one = sgang_pool_alloc(paths->job->pool, n, sizeof(*one));

	sgang_job_alike(paths->job, paths->broken, &tree);
	for (pos = 0; pos < n; pos++) {
		paths->cap[pos] = tree.cap[pos];
		one[pos] = tree.cap[pos] > 0;
	}
	for (d = 0; d < sgang_fabric_domains(request->fabric); d++)
		there[sgang_fabric_domain(request->fabric, d)->level] = true;
	tree.cap = one;
	tree.unit = true;
	tree.more = NULL;
	tree.need = tree.ranks = paths->units;
	for (level = 0; level < SGANG_LEVELS; level++) {
		paths->least[level] = UINT64_MAX;
		if (there[level] && level <= request->max_level &&
		    find_path(paths, &tree, level))
			return -1;
	}
	return 0;
}

/* The cost of all members of this size. Members that cannot be inside the
 * domains of a level have a path that spans a higher one. */
static uint64_t add_paths(const struct paths *paths)
{
	uint64_t above[SGANG_LEVELS + 1], sum = 0, before = 0;
	uint32_t level;

	above[SGANG_LEVELS] = UINT64_MAX;
	for (level = SGANG_LEVELS; level-- > 0;)
		above[level] = paths->least[level] < above[level + 1] ?
				       paths->least[level] :
				       above[level + 1];
	for (level = 0; level < SGANG_LEVELS; level++) {
		uint64_t within;

		if (above[level] == UINT64_MAX)
			break;
		if (above[level] == before)
			continue;
		within = level ? members_within(paths, level - 1) : 0;
		if (within < paths->members)
			sum += (paths->members - within) *
			       (above[level] - before);
		before = above[level];
	}
	return sum;
}

/* The least that so many units break, whatever they cost. Returns as
 * sgang_tree_solve(). */
static int least_broken(const struct sgang_job *job, const uint64_t *broken,
			uint64_t *least)
{
	struct sgang_plan_request request = *job->request;
	struct sgang_costs costs = *request.costs;
	struct sgang_tree tree;
	uint32_t level;
	int rc;

	sgang_job_alike(job, broken, &tree);
	for (level = 0; level < SGANG_LEVELS; level++)
		costs.hop[level] = 1;
	request.costs = &costs;
	tree.request = &request;
	tree.more = NULL;
	rc = sgang_tree_solve(&tree, job->pool, true);
	*least = rc > 0 ? tree.bound_broken : 0;
	return rc;
}

int sgang_share_bound(const struct sgang_job *job, const uint64_t *broken,
		      uint64_t *bound, uint64_t *bound_broken)
{
	const struct sgang_plan_request *request = job->request;
	uint32_t n = sgang_fabric_nodes(request->fabric), sizes, i;
	struct paths paths[SIZES_MAX], *at;

	*bound = 0;
	for (i = 0, sizes = 0; i < request->n_members; i++) {
		const struct sgang_plan_member *ask = &request->members[i];

		if (!sgang_member_distinct(ask))
			continue;
		for (at = paths; at < paths + sizes && at->units != ask->units;
		     at++)
			;
		if (at == paths + SIZES_MAX)
			continue;
		if (at == paths + sizes) {
			memset(at, 0, sizeof(*at));
			at->job = job;
			at->broken = broken;
			at->units = ask->units;
			sizes++;
		}
		at->members++;
	}
	for (at = paths; at < paths + sizes; at++) {
		at->cap = sgang_pool_alloc(job->pool, n, sizeof(*at->cap));
		if (find_paths(at))
			return -1;
		*bound += add_paths(at);
	}
	return least_broken(job, broken, bound_broken) < 0 ? -1 : 0;
}

/* -- layouts -- */

struct sharer {
	struct mixed *mixed;
	struct sgang_tree tree;
	uint32_t *cap;      /* by position: 1 if it may be chosen */
	struct piece *spot; /* nodes that a member can have */
	uint32_t n_spots;
	uint32_t last; /* position where the ring is */
	uint64_t looks, looks_max;
};

/* Choose nodes for one member of 'units' among those that have room for
 * 'depth' units: those of the cheapest ring. Returns as sgang_tree_solve(). */
static int choose(struct sharer *sharer, uint32_t units, uint32_t depth)
{
	struct mixed *mixed = sharer->mixed;
	uint32_t pos;

	sharer->looks += mixed->n_nodes;
	if (sharer->looks > sharer->looks_max)
		return 0;
	for (pos = 0; pos < mixed->n_nodes; pos++)
		sharer->cap[pos] =
			sgang_kind_fits(mixed->job, &mixed->job->kind[0],
					mixed->order[pos],
					left_at(mixed, pos)) >= depth;
	sharer->tree.need = sharer->tree.ranks = units;
	return sgang_tree_solve(&sharer->tree, mixed->job->pool, false);
}

/* List the nodes with room in the lowest domains of those that were chosen. */
static void list_spots(struct sharer *sharer, uint32_t member)
{
	const struct mixed *mixed = sharer->mixed;
	const struct sgang_fabric *fabric = mixed->request->fabric;
	uint32_t leaf = SGANG_DOMAIN_NONE, pos, i;
	size_t k;

	sharer->n_spots = 0;
	for (k = 0; k < sharer->tree.n_picks; k++) {
		uint32_t d = sgang_fabric_leaf(
			fabric, mixed->order[sharer->tree.pick[k].pos]);
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);

		if (d == leaf)
			continue;
		leaf = d;
		for (i = 0; i < domain->n_nodes; i++) {
			pos = domain->first_pos + i;
			if (fits(mixed, member, pos))
				sharer->spot[sharer->n_spots++].pos = pos;
		}
	}
}

/* For qsort(): pieces by the slots that are left there (in 'units'), most of
 * them first. */
static int by_room(const void *one, const void *two)
{
	const struct piece *a = one, *b = two;

	if (a->units != b->units)
		return a->units > b->units ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static int by_pos(const void *one, const void *two)
{
	const struct piece *a = one, *b = two;

	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* Bring the spot where the ring is to the front, if it is among the first. */
static void begin_here(struct sharer *sharer, uint32_t units)
{
	uint32_t i, k;

	for (i = 0; i < units; i++) {
		struct piece here = sharer->spot[i];

		if (here.pos != sharer->last)
			continue;
		for (k = i; k > 0; k--)
			sharer->spot[k] = sharer->spot[k - 1];
		sharer->spot[0] = here;
		return;
	}
}

/* Give a member so many units on those of the listed nodes that have most room,
 * in their order, backwards from where the ring is at their end. False when
 * they are too few. */
static bool deal(struct sharer *sharer, uint32_t member, uint32_t units)
{
	struct mixed *mixed = sharer->mixed;
	const struct sgang_fabric *fabric = mixed->request->fabric;
	uint32_t n = 0, i;
	struct piece *spot = sharer->spot;
	bool back;

	for (i = 0; i < sharer->n_spots; i++) {
		uint32_t pos = spot[i].pos;

		/* where the ring is comes first, it saves a hop */
		spot[i].units = pos == sharer->last ? UINT32_MAX :
						      *left_at(mixed, pos);
		if (fits(mixed, member, pos))
			n++;
		else
			spot[i].units = 0;
	}
	if (n < units)
		return false;
	qsort(spot, sharer->n_spots, sizeof(*spot), by_room);
	qsort(spot, units, sizeof(*spot), by_pos);
	back = sharer->last != UINT32_MAX &&
	       sgang_fabric_meet(fabric, mixed->order[spot[0].pos],
				 mixed->order[sharer->last]) >
		       sgang_fabric_meet(fabric,
					 mixed->order[spot[units - 1].pos],
					 mixed->order[sharer->last]);
	if (back) {
		for (i = 0; i < units / 2; i++) {
			struct piece swap = spot[i];

			spot[i] = spot[units - 1 - i];
			spot[units - 1 - i] = swap;
		}
	}
	begin_here(sharer, units);
	for (i = 0; i < units; i++)
		put(mixed, member, spot[i].pos, 1);
	sharer->last = spot[units - 1].pos;
	return true;
}

/* Lay out all members, on nodes that have room for 'depth' units as long as
 * there are such. Returns 1, 0 when that does not work out, -1 with EOVERFLOW. */
static int lay_out(struct sharer *sharer, uint32_t depth)
{
	struct mixed *mixed = sharer->mixed;
	uint32_t member = 0, n = (uint32_t)mixed->request->n_members;

	sgang_mixed_clear(mixed, 0, mixed->n_nodes);
	sharer->last = UINT32_MAX;
	while (member < n) {
		int rc = choose(sharer, ask_of(mixed, member)->units, depth);

		if (rc < 0 || (!rc && depth == 1))
			return rc;
		if (!rc) {
			depth /= 2;
			continue;
		}
		list_spots(sharer, member);
		while (member < n &&
		       deal(sharer, member, ask_of(mixed, member)->units))
			member++;
	}
	return 1;
}

/* Forget the listed nodes that have no room left for a member. */
static void drop_full(struct sharer *sharer, uint32_t member)
{
	uint32_t i, n = 0;

	for (i = 0; i < sharer->n_spots; i++) {
		if (fits(sharer->mixed, member, sharer->spot[i].pos))
			sharer->spot[n++] = sharer->spot[i];
	}
	sharer->n_spots = n;
}

/* List the nodes of the next leaf of those that are picked, from pick '*at' on.
 * False when there is none. */
static bool list_leaf(struct sharer *sharer, uint32_t member, size_t *at)
{
	const struct mixed *mixed = sharer->mixed;
	const struct sgang_fabric *fabric = mixed->request->fabric;
	const struct sgang_domain *leaf;
	uint32_t i;

	if (*at == sharer->tree.n_picks)
		return false;
	leaf = sgang_fabric_domain(
		fabric,
		sgang_fabric_leaf(fabric,
				  mixed->order[sharer->tree.pick[*at].pos]));
	while (*at < sharer->tree.n_picks &&
	       sharer->tree.pick[*at].pos - leaf->first_pos < leaf->n_nodes)
		++*at;
	for (i = 0; i < leaf->n_nodes; i++) {
		if (fits(mixed, member, leaf->first_pos + i))
			sharer->spot[sharer->n_spots++].pos = leaf->first_pos +
							      i;
	}
	return true;
}

/* The use of nodes that are left when the next member does not fit. */
enum rest {
	MIX_REST,   /* they count as those of more leaves */
	USE_REST,   /* it begins there, and goes on to other
		     * leaves for good */
	LEAVE_REST, /* they are left for good: no member is
		     * on old leaves and new ones */
	RESTS
};

/* List leaves until there are so many nodes. False when there are too few. */
static bool list_leaves(struct sharer *sharer, uint32_t member, uint32_t units,
			size_t *at)
{
	while (sharer->n_spots < units) {
		sharer->looks++;
		if (!list_leaf(sharer, member, at))
			return false;
	}
	return true;
}

/* Lay a member that does not fit on the listed nodes, and list others. As
 * list_leaves(). */
static bool go_on(struct sharer *sharer, uint32_t member, enum rest rest,
		  size_t *at)
{
	uint32_t units = ask_of(sharer->mixed, member)->units, n = 0;

	drop_full(sharer, member);
	if (rest == USE_REST) {
		n = sharer->n_spots < units ? sharer->n_spots : units - 1;
		if (n)
			deal(sharer, member, n);
	}
	if (rest != MIX_REST)
		sharer->n_spots = 0;
	return list_leaves(sharer, member, units - n, at) &&
	       deal(sharer, member, units - n);
}

/* Lay the members over the leaves that are picked, as many leaves at a time as
 * one of them needs. False when they do not fit. */
static bool roll_over(struct sharer *sharer, enum rest rest)
{
	struct mixed *mixed = sharer->mixed;
	uint32_t member, n = (uint32_t)mixed->request->n_members;
	size_t at = 0;

	sgang_mixed_clear(mixed, 0, mixed->n_nodes);
	sharer->last = UINT32_MAX;
	sharer->n_spots = 0;
	for (member = 0; member < n; member++) {
		uint32_t units = ask_of(mixed, member)->units;

		sharer->looks += LOOKS_A_NODE * (sharer->n_spots + 1);
		if (sharer->looks > sharer->looks_max)
			return false;
		if (!deal(sharer, member, units) &&
		    !go_on(sharer, member, rest, &at))
			return false;
	}
	return true;
}

/* Roll over the leaves that would be best for so many units, and for more,
 * since members do not find enough nodes there, or better ones. 0, or -1 with
 * EOVERFLOW. */
static int try_rolls(struct sharer *sharer)
{
	/* 8ths, those that help most often first */
	static const uint32_t more[] = { 0, 16, 4, 24, 2, 8, 1 };
	const struct sgang_tree alike = sharer->tree;
	struct mixed *mixed = sharer->mixed;
	uint32_t rest, first = MIX_REST;
	size_t i;

	sharer->looks_max = sgang_budget_share(mixed->request->budget,
					       SGANG_STEPS_SHARE);
	for (i = 0; i < sizeof(more) / sizeof(more[0]) && !done(mixed) &&
		    sharer->looks + mixed->n_nodes <= sharer->looks_max;
	     i++) {
		sharer->tree = alike;
		sharer->tree.need += alike.need * more[i] / 8;
		sharer->looks += mixed->n_nodes +
				 LOOKS_A_NODE * (uint32_t)mixed->job->units;
		if (sgang_tree_solve(&sharer->tree, mixed->job->pool, false) <
		    0)
			return -1;
		for (rest = first; rest < RESTS; rest++) {
			if (!roll_over(sharer, (enum rest)rest))
				continue;
			sgang_mixed_finish(mixed);
			/* once is enough for that */
			first = USE_REST;
		}
	}
	return 0;
}

/* Are all members on distinct nodes, of which there are enough for a path? */
static bool all_share(const struct mixed *mixed)
{
	size_t i;

	for (i = 0; i < mixed->request->n_members; i++) {
		if (!sgang_member_distinct(&mixed->request->members[i]))
			return false;
	}
	return mixed->job->n_kinds == 1 && !mixed->job->kind[0].whole;
}

/* Lay out for each number of members that a node is to have room for, where
 * that does not take too many choices. 0, or -1 with EOVERFLOW. */
static int try_depths(struct sharer *sharer)
{
	const struct sgang_tree alike = sharer->tree;
	struct mixed *mixed = sharer->mixed;
	uint32_t n = (uint32_t)mixed->request->n_members, i;
	int rc = 0;

	sharer->tree.cap = sharer->cap;
	sharer->tree.unit = true;
	sharer->tree.more = NULL;
	for (i = DEPTHS_MAX; i-- > 0 && !done(mixed) && rc >= 0;) {
		uint32_t depth = UINT32_C(1) << i;
		uint64_t looks = (uint64_t)(n + depth - 1) / depth *
				 mixed->n_nodes;

		if (mixed->n_nodes > NODES_MANY &&
		    sharer->looks + looks > sharer->looks_max)
			continue;
		rc = lay_out(sharer, depth);
		if (rc > 0)
			sgang_mixed_finish(mixed);
	}
	sharer->tree = alike;
	return rc < 0 ? -1 : 0;
}

int sgang_mixed_try_shares(struct mixed *mixed)
{
	struct sharer sharer = { .mixed = mixed };
	struct sgang_pool *pool = mixed->job->pool;
	uint64_t improving = mixed->improving;
	int rc;

	sharer.looks_max = sgang_budget_share(mixed->request->budget,
					      SGANG_STEPS_SHARE_FEW);
	if (!all_share(mixed) || !sharer.looks_max)
		return 0;
	sharer.cap = sgang_pool_alloc(pool, mixed->n_nodes,
				      sizeof(*sharer.cap));
	sharer.spot = sgang_pool_alloc(pool, mixed->n_nodes,
				       sizeof(*sharer.spot));
	sgang_job_alike(mixed->job, mixed->broken, &sharer.tree);
	if (mixed->n_nodes > NODES_MANY) {
		sharer.tree.rough = true;
		sharer.looks_max = (uint64_t)CHOICES_MANY * mixed->n_nodes;
	}
	rc = try_depths(&sharer);
	if (!rc && mixed->n_nodes > NODES_MANY)
		rc = try_rolls(&sharer);
	/* the others improve as much as without these */
	mixed->improving = improving;
	sgang_budget_take(mixed->request->budget, sharer.looks);
	return rc;
}
