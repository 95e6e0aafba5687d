/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_model.c - trees of groups: the tree, what places cost, a placement */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "roles_private.h"

/* No sum of prices is above this. */
#define PRICE_MAX (UINT64_C(1) << 61)

/* -- groups and classes -- */

/* The leaf of each member: the last group that has it. */
static void find_leaves(const struct sgang_roles *roles, uint32_t *leaf)
{
	uint32_t g;
	size_t i;

	for (g = 0; g < roles->n_groups; g++) {
		for (i = 0; i < roles->group[g].n_members; i++)
			leaf[roles->group[g].first + i] = g;
	}
}

static bool is_of_class(const struct sgang_roles *roles, uint32_t member,
			uint32_t leaf, const struct sgang_class *class)
{
	const struct sgang_plan_member *m =
		&roles->job->request->members[member];
	uint32_t each = sgang_member_distinct(m) ? m->units : 0;

	return class->leaf == leaf && class->each == each &&
	       class->kind == roles->job->kind_of[member];
}

/* The classes of a leaf are the last ones so far. */
static void add_member(struct sgang_roles *roles, uint32_t member,
		       uint32_t leaf)
{
	const struct sgang_plan_member *m =
		&roles->job->request->members[member];
	uint32_t c = roles->n_classes, g;
	struct sgang_class *class;

	while (c > 0 && roles->class[c - 1].leaf == leaf &&
	       !is_of_class(roles, member, leaf, &roles->class[c - 1]))
		c--;
	if (c > 0 && roles->class[c - 1].leaf == leaf)
		c--;
	else
		c = roles->n_classes++;
	class = &roles->class[c];
	class->leaf = leaf;
	class->kind = roles->job->kind_of[member];
	class->each = sgang_member_distinct(m) ? m->units : 0;
	class->units += m->units;
	class->per_node += class->each ? 1 : m->units;
	roles->class_of[member] = c;
	for (g = leaf; g != SGANG_PLAN_NO_GROUP; g = roles->group[g].parent)
		roles->units[g] += m->units;
}

static void find_classes(struct sgang_roles *roles)
{
	struct sgang_pool *pool = roles->job->pool;
	size_t n = roles->job->request->n_members, i;
	uint32_t *leaf = sgang_pool_zalloc(pool, n, sizeof(*leaf)), c;

	roles->class = sgang_pool_zalloc(pool, n, sizeof(*roles->class));
	roles->class_of = sgang_pool_alloc(pool, n, sizeof(*roles->class_of));
	find_leaves(roles, leaf);
	for (i = 0; i < n; i++)
		add_member(roles, (uint32_t)i, leaf[i]);
	for (c = 0; c < roles->n_classes; c++) {
		roles->class[c].first = roles->n_units;
		roles->n_units += roles->class[c].units;
	}
}

/* The classes of a leaf, in '*first' and so many. */
static uint32_t classes_of(const struct sgang_roles *roles, uint32_t leaf,
			   uint32_t *first)
{
	uint32_t n = 0;

	*first = roles->class_of[roles->group[leaf].first];
	while (*first + n < roles->n_classes &&
	       roles->class[*first + n].leaf == leaf)
		n++;
	return n;
}

static bool same_classes(const struct sgang_roles *roles, uint32_t a,
			 uint32_t b)
{
	uint32_t first_a, first_b, n = classes_of(roles, a, &first_a), i;

	if (classes_of(roles, b, &first_b) != n)
		return false;
	for (i = 0; i < n; i++) {
		const struct sgang_class *one = &roles->class[first_a + i];
		const struct sgang_class *two = &roles->class[first_b + i];

		if (one->kind != two->kind || one->units != two->units ||
		    one->per_node != two->per_node || one->each != two->each)
			return false;
	}
	return true;
}

/* Groups follow the one around them, so groups that are alike have the same
 * groups behind them. */
static bool are_alike(const struct sgang_roles *roles, uint32_t a, uint32_t b)
{
	const struct sgang_plan_group *one = &roles->group[a];
	const struct sgang_plan_group *two = &roles->group[b];
	uint32_t i, j;

	if (one->weight != two->weight || one->prefer != two->prefer ||
	    roles->require[a] != roles->require[b] ||
	    one->n_members != two->n_members)
		return false;
	for (i = a + 1, j = b + 1;; i++, j++) {
		bool in_a = i < roles->n_groups &&
			    roles->depth[i] > roles->depth[a];
		bool in_b = j < roles->n_groups &&
			    roles->depth[j] > roles->depth[b];

		if (in_a != in_b)
			return false;
		if (!in_a)
			break;
		if (roles->depth[i] - roles->depth[a] !=
			    roles->depth[j] - roles->depth[b] ||
		    roles->kind[i] != roles->kind[j])
			return false;
	}
	return i > a + 1 || same_classes(roles, a, b);
}

static void find_groups(struct sgang_roles *roles)
{
	struct sgang_pool *pool = roles->job->pool;
	uint32_t n = roles->n_groups, top, g, h;

	roles->require = sgang_pool_alloc(pool, n, sizeof(*roles->require));
	roles->units = sgang_pool_zalloc(pool, n, sizeof(*roles->units));
	roles->depth = sgang_pool_zalloc(pool, n, sizeof(*roles->depth));
	roles->kind = sgang_pool_zalloc(pool, n, sizeof(*roles->kind));
	top = roles->job->request->max_level;
	if (top == SGANG_LEVEL_UNCONNECTED &&
	    !roles->job->request->costs->allow_unconnected)
		top = SGANG_LEVEL_MAX;
	for (g = 0; g < n; g++) {
		uint32_t above = g ? roles->require[roles->group[g].parent] :
				     top;

		roles->require[g] = roles->group[g].require < above ?
					    roles->group[g].require :
					    above;
		roles->depth[g] = g ? roles->depth[roles->group[g].parent] + 1 :
				      0;
	}
	find_classes(roles);
	/* groups behind it have their kinds already */
	for (g = n; g-- > 0;) {
		roles->kind[g] = g;
		for (h = n - 1; h > g && roles->kind[g] == g; h--) {
			if (roles->kind[h] == h && are_alike(roles, g, h))
				roles->kind[g] = h;
		}
	}
}

/* -- prices -- */

/* Ranks of a unit, at the least or at the most: a whole node has as many as it
 * has slots. */
static uint64_t ranks_of_unit(const struct sgang_roles *roles, uint32_t kind,
			      bool most)
{
	const struct sgang_kind *k = &roles->job->kind[kind];
	uint32_t n = sgang_fabric_nodes(roles->job->request->fabric), node;
	uint64_t found = most ? 0 : UINT64_MAX, ranks;

	if (k->ranks)
		return k->ranks;
	for (node = 0; node < n; node++) {
		ranks = sgang_kind_ranks(roles->job, k, node);
		if (most ? ranks > found : ranks < found)
			found = ranks;
	}
	return found;
}

/* By kind. */
static uint64_t *ranks_of_units(const struct sgang_roles *roles, bool most)
{
	const struct sgang_job *job = roles->job;
	uint64_t *ranks = sgang_pool_alloc(job->pool, job->n_kinds,
					   sizeof(*ranks));
	uint32_t k;

	for (k = 0; ranks && k < job->n_kinds; k++)
		ranks[k] = ranks_of_unit(roles, k, most);
	return ranks;
}

/* The most that all rings can cost: all hops are as long as the fabric allows.
 * Returns false when that is too large. */
static bool find_most(const struct sgang_roles *roles, const uint64_t *ranks,
		      uint64_t *most)
{
	const struct sgang_plan_request *request = roles->job->request;
	uint32_t top = sgang_fabric_domain(request->fabric, 0)->level, c, g;
	uint64_t weights, cost;

	*most = 0;
	for (c = 0; c < roles->n_classes; c++) {
		const struct sgang_class *class = &roles->class[c];

		for (weights = 0, g = class->leaf; g != SGANG_PLAN_NO_GROUP;
		     g = roles->group[g].parent)
			weights += roles->group[g].weight;
		if (__builtin_mul_overflow(ranks[class->kind], class->units,
					   &cost) ||
		    __builtin_mul_overflow(cost, weights, &cost) ||
		    __builtin_mul_overflow(cost, request->costs->hop[top],
					   &cost) ||
		    __builtin_add_overflow(*most, cost, most))
			return false;
	}
	return true;
}

/* The prices of a hop above the preferred and above the required level, so that
 * no sum of lesser prices is as much. Returns false when these are too large.
 */
static bool find_units_of_price(struct sgang_roles *roles,
				const uint64_t *ranks)
{
	uint64_t cost, wishes = 1, wrong = 1, most;
	uint32_t g;

	if (!find_most(roles, ranks, &cost))
		return false;
	for (g = 0; g < roles->n_groups; g++) {
		if (roles->group[g].prefer < roles->require[g])
			wishes += roles->units[g];
		wrong += (uint64_t)roles->units[g] * SGANG_LEVELS;
	}
	roles->wish = cost + 1;
	return !__builtin_mul_overflow(roles->wish, wishes, &roles->never) &&
	       !__builtin_mul_overflow(roles->never, wrong, &most) &&
	       most <= PRICE_MAX;
}

static uint64_t price_of(const struct sgang_roles *roles, uint32_t g,
			 uint32_t low, uint32_t high)
{
	const uint32_t *hop = roles->job->request->costs->hop;
	const struct sgang_plan_group *group = &roles->group[g];

	if (roles->require[g] < high)
		return roles->never;
	return (uint64_t)group->weight * (hop[high] - hop[low]) +
	       (group->prefer >= low && group->prefer < high ? roles->wish : 0);
}

static uint32_t find_pair(struct sgang_roles *roles, uint32_t low,
			  uint32_t high)
{
	struct sgang_pair *pair;
	uint32_t number, g;

	for (number = 0; number < roles->n_pairs; number++) {
		pair = &roles->pairs[number];
		if (pair->low == low && pair->high == high)
			return number;
	}
	pair = &roles->pairs[roles->n_pairs++];
	pair->low = low;
	pair->high = high;
	pair->price = sgang_pool_alloc(roles->job->pool, roles->n_groups,
				       sizeof(*pair->price));
	for (g = 0; g < roles->n_groups; g++)
		pair->price[g] = price_of(roles, g, low, high);
	return number;
}

static void find_places(struct sgang_roles *roles)
{
	const struct sgang_fabric *fabric = roles->job->request->fabric;
	struct sgang_pool *pool = roles->job->pool;
	uint32_t n = sgang_fabric_domains(fabric), d, i;

	roles->n_nodes = sgang_fabric_nodes(fabric);
	roles->n_places = roles->n_nodes + n;
	roles->up = sgang_pool_alloc(pool, roles->n_places, sizeof(*roles->up));
	roles->pair = sgang_pool_alloc(pool, roles->n_places,
				       sizeof(*roles->pair));
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);
		uint32_t here = roles->n_nodes + d, pair;

		roles->up[here] = SGANG_DOMAIN_NONE;
		roles->pair[here] = SGANG_PAIR_NONE;
		if (domain->parent != SGANG_DOMAIN_NONE) {
			roles->up[here] = roles->n_nodes + domain->parent;
			roles->pair[here] = find_pair(
				roles, domain->level,
				sgang_fabric_domain(fabric, domain->parent)
					->level);
		}
		if (domain->n_children)
			continue;
		pair = find_pair(roles, SGANG_LEVEL_ISLAND, domain->level);
		for (i = 0; i < domain->n_nodes; i++) {
			roles->up[domain->first_pos + i] = here;
			roles->pair[domain->first_pos + i] = pair;
		}
	}
}

int sgang_roles_open(struct sgang_roles *roles, const struct sgang_job *job,
		     const uint64_t *broken)
{
	struct sgang_demand demand = { .units = job->units,
				       .kind = job->kind,
				       .n_kinds = job->n_kinds };
	const uint64_t *ranks;

	memset(roles, 0, sizeof(*roles));
	roles->job = job;
	roles->broken = broken;
	roles->group = job->request->group;
	roles->n_groups = job->request->n_groups;
	if (job->units >= UINT32_MAX / 2) {
		errno = EOVERFLOW;
		return -1;
	}
	find_groups(roles);
	roles->least_ranks = ranks_of_units(roles, false);
	ranks = ranks_of_units(roles, true);
	if (!find_units_of_price(roles, ranks)) {
		errno = EOVERFLOW;
		return -1;
	}
	find_places(roles);
	sgang_demand_tree(job, &demand, broken, &roles->tree);
	return 0;
}

/* A ring of one rank has no hop. */
static uint64_t own(const struct sgang_roles *roles, uint32_t leaf,
		    uint64_t ranks)
{
	uint64_t sum = 0;
	uint32_t g;

	for (g = leaf; g != SGANG_PLAN_NO_GROUP; g = roles->group[g].parent) {
		if (roles->units[g] > 1 || ranks > 1)
			sum += roles->group[g].weight * ranks;
	}
	return sum * roles->job->request->costs->hop[SGANG_LEVEL_ISLAND];
}

uint64_t sgang_roles_own(const struct sgang_roles *roles, uint32_t class,
			 uint32_t pos)
{
	const struct sgang_class *c = &roles->class[class];
	uint32_t node = sgang_fabric_order(roles->job->request->fabric)[pos];

	return own(roles, c->leaf,
		   sgang_kind_ranks(roles->job, &roles->job->kind[c->kind],
				    node));
}

uint64_t sgang_roles_least(const struct sgang_roles *roles, uint32_t class)
{
	const struct sgang_class *c = &roles->class[class];

	return own(roles, c->leaf, roles->least_ranks[c->kind]);
}

uint64_t sgang_roles_base(const struct sgang_roles *roles)
{
	uint64_t sum = 0;
	uint32_t c;

	for (c = 0; c < roles->n_classes; c++)
		sum += roles->class[c].units * sgang_roles_least(roles, c);
	return sum;
}

/* -- placements -- */

static int ascending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return (*a > *b) - (*a < *b);
}

/* True if each member may have the next units in the order of the fabric. */
static bool may_have_next(const struct sgang_class *class, const uint32_t *at)
{
	uint32_t i;

	for (i = 1; i < class->units && class->each; i++) {
		if (i % class->each && at[i] == at[i - 1])
			return false;
	}
	return true;
}

/* A class's units as its members have them. Where there are not more on a node
 * than members, each can have every n-th. */
static void deal(const struct sgang_class *class, const uint32_t *at,
		 uint32_t *dealt)
{
	uint32_t i, members = class->per_node;

	if (may_have_next(class, at)) {
		memcpy(dealt, at, class->units * sizeof(*at));
		return;
	}
	for (i = 0; i < class->units; i++)
		dealt[i % members * class->each + i / members] = at[i];
}

static size_t add_runs(const struct sgang_roles *roles, uint32_t member,
		       const uint32_t *at, struct sgang_run *runs)
{
	const struct sgang_job *job = roles->job;
	const struct sgang_kind *kind = &job->kind[job->kind_of[member]];
	uint32_t units = job->request->members[member].units, i, n = 0;
	const uint32_t *order = sgang_fabric_order(job->request->fabric);

	for (i = 0; i < units; i++) {
		uint32_t node = order[at[i]];

		if (!i || at[i] != at[i - 1])
			runs[n++] = (struct sgang_run){ .member = member,
							.node = node };
		runs[n - 1].ranks += sgang_kind_ranks(job, kind, node);
		runs[n - 1].slots += sgang_kind_need(job, kind, node, 0);
	}
	return n;
}

struct sgang_placement *sgang_roles_place(const struct sgang_roles *roles,
					  const uint32_t *at)
{
	const struct sgang_job *job = roles->job;
	struct sgang_pool *pool = job->pool;
	uint32_t n = roles->n_units, c;
	uint32_t *sorted = sgang_pool_alloc(pool, n, sizeof(*sorted));
	uint32_t *dealt = sgang_pool_alloc(pool, n, sizeof(*dealt));
	uint32_t *next = sgang_pool_alloc(pool, n, sizeof(*next));
	struct sgang_run *runs = sgang_pool_alloc(pool, n, sizeof(*runs));
	size_t n_runs = 0, i;

	memcpy(sorted, at, n * sizeof(*at));
	for (c = 0; c < roles->n_classes; c++) {
		const struct sgang_class *class = &roles->class[c];

		qsort(sorted + class->first, class->units, sizeof(*sorted),
		      ascending);
		deal(class, sorted + class->first, dealt + class->first);
		next[c] = class->first;
	}
	for (i = 0; i < job->request->n_members; i++) {
		c = roles->class_of[i];
		n_runs += add_runs(roles, (uint32_t)i, dealt + next[c],
				   runs + n_runs);
		next[c] += job->request->members[i].units;
	}
	return sgang_job_place(job, runs, n_runs);
}

/* A unit of a class, in the order of the fabric. */
struct stop {
	uint32_t pos;
	uint32_t class;
};

static int by_position(const void *one, const void *two)
{
	const struct stop *a = one, *b = two;

	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	return (a->class > b->class) - (a->class < b->class);
}

static uint64_t ring_price(const struct sgang_roles *roles, uint32_t g,
			   const struct sgang_run *runs, size_t n_runs)
{
	const struct sgang_plan_request *request = roles->job->request;
	struct sgang_ring ring;
	uint64_t price;
	uint32_t level;

	sgang_ring_measure(request->fabric, request->costs, runs, n_runs,
			   &ring);
	price = ring.cost * roles->group[g].weight;
	for (level = 0; level < SGANG_LEVELS; level++) {
		if (level > roles->require[g])
			price += ring.hops[level] * roles->never;
		else if (level > roles->group[g].prefer)
			price += ring.hops[level] * roles->wish;
	}
	return price;
}

/* The units in the order of the fabric. */
static struct stop *sort_units(const struct sgang_roles *roles,
			       const uint32_t *at)
{
	struct stop *stop = sgang_pool_alloc(roles->job->pool, roles->n_units,
					     sizeof(*stop));
	uint32_t c, i, end;

	for (c = 0; stop && c < roles->n_classes; c++) {
		end = roles->class[c].first + roles->class[c].units;
		for (i = roles->class[c].first; i < end; i++)
			stop[i] = (struct stop){ .pos = at[i], .class = c };
	}
	if (stop)
		qsort(stop, roles->n_units, sizeof(*stop), by_position);
	return stop;
}

/* Give each group its ring: 'first' is where it begins. The gang's is the first
 * one. */
static struct sgang_run *make_rings(const struct sgang_roles *roles,
				    const struct stop *stop, size_t *first)
{
	const struct sgang_job *job = roles->job;
	const uint32_t *order = sgang_fabric_order(job->request->fabric);
	struct sgang_run *runs;
	uint32_t g, i;
	size_t n = 0;

	for (g = 0; g < roles->n_groups; g++) {
		first[g] = n;
		n += roles->units[g];
	}
	runs = sgang_pool_zalloc(job->pool, n, sizeof(*runs));
	for (i = 0; runs && i < roles->n_units; i++) {
		const struct sgang_class *class = &roles->class[stop[i].class];
		uint32_t node = order[stop[i].pos];
		uint32_t ranks = sgang_kind_ranks(job, &job->kind[class->kind],
						  node);

		for (g = class->leaf; g != SGANG_PLAN_NO_GROUP;
		     g = roles->group[g].parent)
			runs[first[g]++] = (struct sgang_run){ .node = node,
							       .ranks = ranks };
	}
	for (g = 0; g < roles->n_groups; g++)
		first[g] -= roles->units[g];
	return runs;
}

struct sgang_worth sgang_roles_measure(const struct sgang_roles *roles,
				       const uint32_t *at)
{
	struct stop *stop = sort_units(roles, at);
	size_t *first = sgang_pool_alloc(roles->job->pool, roles->n_groups,
					 sizeof(*first));
	struct sgang_worth worth;
	struct sgang_run *runs;
	uint32_t g;

	runs = make_rings(roles, stop, first);
	worth.price = 0;
	for (g = 0; g < roles->n_groups; g++)
		worth.price += ring_price(roles, g, runs + first[g],
					  roles->units[g]);
	worth.tie = sgang_coin_tie(roles->job, roles->broken, runs,
				   roles->n_units);
	return worth;
}

/* True if no node has more units of a class than allowed. 'on' is all 0, and is
 * so afterwards. */
static bool is_class_valid(const struct sgang_class *class, const uint32_t *at,
			   uint32_t *on)
{
	bool valid = true;
	uint32_t i;

	for (i = 0; i < class->units; i++) {
		if (++on[at[class->first + i]] > class->per_node)
			valid = false;
	}
	for (i = 0; i < class->units; i++)
		on[at[class->first + i]] = 0;
	return valid;
}

bool sgang_roles_valid(const struct sgang_roles *roles, const uint32_t *at)
{
	const struct sgang_job *job = roles->job;
	const struct sgang_plan_request *request = job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	size_t n = (size_t)roles->n_nodes * request->n_dims;
	uint32_t *on = sgang_pool_zalloc(job->pool, roles->n_nodes,
					 sizeof(*on));
	uint32_t *free = sgang_pool_alloc(job->pool, n, sizeof(*free));
	uint32_t c, i;

	memcpy(free, request->free, n * sizeof(*free));
	for (c = 0; c < roles->n_classes; c++) {
		const struct sgang_class *class = &roles->class[c];
		const struct sgang_kind *kind = &job->kind[class->kind];

		if (!is_class_valid(class, at, on))
			return false;
		for (i = class->first; i < class->first + class->units; i++) {
			uint32_t node = order[at[i]];
			uint32_t *left = free + (size_t)node * request->n_dims;

			if (!sgang_kind_fits(job, kind, node, left))
				return false;
			sgang_kind_take(job, kind, node, 1, left);
		}
	}
	return true;
}
