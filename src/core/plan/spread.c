/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread.c - each member of a gang in another domain
 *
 * First comes the cost of each shape of members in each compartment (spread.h).
 * Then, bottom-up, the least cost of one, two, three ... members below a
 * domain: its own compartments are used in the order of what they cost, and its
 * children are merged pair by pair, every number of members on the one side
 * with every number on the other. The domain where all together cost the least
 * is the common one.
 *
 * With members that are alike this is the answer. With several shapes it is a
 * bound, as if each compartment had the member that costs the least there, plus
 * what each member costs more than that at the least. The bound also guides the
 * search of spread_mixed.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spread.h"

/* Domains in which they try. */
#define TRIES_MAX 16

static const struct sgang_domain *domain_at(const struct sgang_spread *spread,
					    uint32_t d)
{
	return sgang_fabric_domain(spread->job->request->fabric, d);
}

/* Does this domain hold several compartments? */
static bool is_above(const struct sgang_spread *spread, uint32_t d)
{
	return domain_at(spread, d)->level > spread->job->request->spread_level;
}

/* -- worth -- */

static struct sgang_worth sum_of(const struct sgang_worth *a,
				 const struct sgang_worth *b)
{
	return (struct sgang_worth){ .cost = a->cost + b->cost,
				     .broken = a->broken + b->broken,
				     .free = a->free + b->free };
}

/* The price of its weight, where a domain is a node. */
static uint64_t weight_of(const struct sgang_spread *spread, uint32_t d)
{
	const struct sgang_coin *coin = spread->coin;

	return coin && coin->in ? coin->in[d] * coin->weight : 0;
}

/* The amount that using a domain adds for its parent. */
static struct sgang_worth step_of(const struct sgang_spread *spread, uint32_t d)
{
	uint64_t step = sgang_plan_step(spread->job->request, d);

	return (struct sgang_worth){
		.cost = step * (spread->coin ? spread->coin->cost : 1) +
			weight_of(spread, d),
		.broken = spread->broken[d],
		.free = spread->free[d]
	};
}

/* -- compartments -- */

static void add_compartment(struct sgang_spread *spread, uint32_t domain,
			    uint32_t parent, uint32_t pos, uint64_t free)
{
	if (parent != SGANG_DOMAIN_NONE &&
	    !sgang_tree_allowed(spread->job->request, parent))
		parent = SGANG_DOMAIN_NONE;
	spread->at[spread->n++] = (struct sgang_compartment){ .domain = domain,
							      .parent = parent,
							      .first_pos = pos,
							      .free = free };
}

static void add_nodes(struct sgang_spread *spread, uint32_t leaf)
{
	const struct sgang_plan_request *request = spread->job->request;
	const struct sgang_domain *domain = domain_at(spread, leaf);
	uint32_t i;

	for (i = 0; i < domain->n_nodes; i++) {
		uint32_t pos = domain->first_pos + i;
		uint32_t node = sgang_fabric_order(request->fabric)[pos];

		add_compartment(spread, SGANG_DOMAIN_NONE, leaf, pos,
				*sgang_job_free(spread->job, node));
	}
}

static int by_position(const void *one, const void *two)
{
	const struct sgang_compartment *a = one, *b = two;

	return a->first_pos < b->first_pos ? -1 : a->first_pos > b->first_pos;
}

/* Sum up free slots, and broken space from the top. */
static void sum_up(struct sgang_spread *spread)
{
	const struct sgang_plan_request *request = spread->job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_domains(request->fabric), d, i;
	uint64_t *free = sgang_pool_zalloc(spread->job->pool, n, sizeof(*free));
	uint64_t *above = sgang_pool_zalloc(spread->job->pool, n,
					    sizeof(*above));

	for (d = n; d-- > 0;) {
		const struct sgang_domain *domain = domain_at(spread, d);

		for (i = 0; !domain->n_children && i < domain->n_nodes; i++)
			free[d] += *sgang_job_free(
				spread->job, order[domain->first_pos + i]);
		if (domain->parent != SGANG_DOMAIN_NONE)
			free[domain->parent] += free[d];
	}
	for (d = 0; d < n; d++) {
		uint32_t parent = domain_at(spread, d)->parent;

		above[d] = spread->broken[d];
		if (parent != SGANG_DOMAIN_NONE)
			above[d] += above[parent];
	}
	spread->free = free;
	spread->above = above;
}

static void find_compartments(struct sgang_spread *spread)
{
	const struct sgang_fabric *fabric = spread->job->request->fabric;
	uint32_t n = sgang_fabric_domains(fabric), d;

	spread->at = sgang_pool_alloc(spread->job->pool,
				      (size_t)n + sgang_fabric_nodes(fabric),
				      sizeof(*spread->at));
	sum_up(spread);
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = domain_at(spread, d);
		uint32_t parent = domain->parent;

		if (is_above(spread, d)) {
			if (!domain->n_children)
				add_nodes(spread, d);
		} else if (parent == SGANG_DOMAIN_NONE ||
			   is_above(spread, parent)) {
			add_compartment(spread, d, parent, domain->first_pos,
					spread->free[d]);
		}
	}
	qsort(spread->at, spread->n, sizeof(*spread->at), by_position);
}

/* -- shapes -- */

static void find_shapes(struct sgang_spread *spread)
{
	const struct sgang_job *job = spread->job;
	const struct sgang_plan_member *members = job->request->members;
	uint32_t i, s;

	spread->shape = sgang_pool_zalloc(job->pool, spread->n_members,
					  sizeof(*spread->shape));
	spread->shape_of = sgang_pool_alloc(job->pool, spread->n_members,
					    sizeof(*spread->shape_of));
	for (i = 0; i < spread->n_members; i++) {
		for (s = 0; s < spread->n_shapes; s++) {
			uint32_t k = spread->shape[s].first;

			if (job->kind_of[i] == job->kind_of[k] &&
			    members[i].units == members[k].units &&
			    sgang_member_distinct(&members[i]) ==
				    sgang_member_distinct(&members[k]))
				break;
		}
		if (s == spread->n_shapes)
			spread->shape[spread->n_shapes++].first = i;
		spread->shape_of[i] = s;
	}
}

/* Members of this shape alone, as units of a tree. */
static int ask_shape(const struct sgang_spread *spread,
		     struct sgang_shape *shape)
{
	const struct sgang_job *job = spread->job;
	const struct sgang_plan_member *member =
		&job->request->members[shape->first];
	struct sgang_job alone = { .request = &shape->request,
				   .pool = job->pool,
				   .kind = &shape->kind,
				   .n_kinds = 1,
				   .units = member->units };

	shape->request = *job->request;
	shape->request.members = member;
	shape->request.n_members = 1;
	shape->kind = job->kind[job->kind_of[shape->first]];
	shape->kind.units = member->units;
	shape->kind.per_node = sgang_member_distinct(member) ? 1 :
							       member->units;
	shape->kind.first = 0;
	sgang_job_alike(&alone, spread->broken, &shape->tree);
	shape->tree.coin = spread->coin;
	shape->inside = sgang_inside_open(
		&shape->tree, job->request->spread_level, job->pool);
	return shape->inside ? 0 : -1;
}

/* Fill the parts of a shape. -1 with EOVERFLOW when the sum of all members may be
 * too large. */
static int find_parts(const struct sgang_spread *spread,
		      struct sgang_shape *shape)
{
	const uint64_t most = SGANG_PLAN_KEY_MAX / spread->n_members;
	uint32_t c;

	if (ask_shape(spread, shape))
		return -1;
	shape->part = sgang_pool_alloc(spread->job->pool, spread->n,
				       sizeof(*shape->part));
	for (c = 0; c < spread->n; c++) {
		const struct sgang_compartment *at = &spread->at[c];
		struct sgang_worth *part = &shape->part[c];
		bool fits = at->parent != SGANG_DOMAIN_NONE;

		if (fits && at->domain == SGANG_DOMAIN_NONE)
			fits = sgang_inside_node(shape->inside, at->first_pos,
						 &part->cost, &part->broken);
		else if (fits)
			fits = sgang_inside_domain(shape->inside, at->domain,
						   &part->cost, &part->broken);
		part->free = at->free;
		if (!fits)
			part->cost = UINT64_MAX;
		else if (part->cost > most) {
			errno = EOVERFLOW;
			return -1;
		}
	}
	return 0;
}

/* -- how many members below which domain -- */

/* The least that 0, 1 ... n members cost in some place. */
struct part {
	struct sgang_worth *least;
	uint32_t n;
	/* of two, where both are, else of one and a step, else of these: */
	const struct part *left;
	const struct part *right;
	uint32_t *order; /* compartments, the cheapest first */
};

/* A compartment and the least that any member costs there. */
struct offer {
	struct sgang_worth part;
	uint32_t where;
};

struct counter {
	const struct sgang_spread *spread;
	struct sgang_pool *pool;
	struct sgang_worth *cheapest; /* by compartment: not more than the
				       * part of any shape */
	const struct part **below;    /* by domain; NULL: room for nobody */
};

static int by_offer(const void *one, const void *two)
{
	const struct offer *a = one, *b = two;

	if (sgang_worth_less(&a->part, &b->part))
		return -1;
	if (sgang_worth_less(&b->part, &a->part))
		return 1;
	return a->where < b->where ? -1 : a->where > b->where;
}

static struct part *new_part(struct counter *counter, uint64_t n)
{
	struct part *part = sgang_pool_zalloc(counter->pool, 1, sizeof(*part));
	uint32_t most = counter->spread->n_members;

	part->n = n < most ? (uint32_t)n : most;
	part->least = sgang_pool_zalloc(counter->pool, part->n + (size_t)1,
					sizeof(*part->least));
	return part;
}

/* Compartments first .. end - 1, those of 'parent' alone. */
static struct part *count_own(struct counter *counter, uint32_t parent,
			      uint32_t first, uint32_t end)
{
	const struct sgang_spread *spread = counter->spread;
	struct offer *offer = sgang_pool_alloc(counter->pool, end - first,
					       sizeof(*offer));
	struct part *part;
	uint32_t c, n = 0, i;

	for (c = first; c < end; c++) {
		if (spread->at[c].parent == parent &&
		    counter->cheapest[c].cost != UINT64_MAX)
			offer[n++] = (struct offer){
				.part = counter->cheapest[c], .where = c
			};
	}
	qsort(offer, n, sizeof(*offer), by_offer);
	part = new_part(counter, n);
	part->order = sgang_pool_alloc(counter->pool, part->n,
				       sizeof(*part->order));
	for (i = 0; i < part->n; i++) {
		part->order[i] = offer[i].where;
		part->least[i + 1] = sum_of(&part->least[i], &offer[i].part);
	}
	return part;
}

/* A child as its parent sees it: whoever is there also takes the step. */
static struct part *count_child(struct counter *counter, uint32_t d)
{
	const struct part *inside = counter->below[d];
	struct sgang_worth step = step_of(counter->spread, d);
	struct part *part = new_part(counter, inside->n);
	uint32_t i;

	part->left = inside;
	for (i = 1; i <= part->n; i++)
		part->least[i] = sum_of(&inside->least[i], &step);
	return part;
}

/* How many of 'k' members go to the left of two parts; as many as possible of
 * equal ways. */
static uint32_t best_left(const struct part *left, const struct part *right,
			  uint32_t k, struct sgang_worth *least)
{
	uint32_t i = k < left->n ? k : left->n, best = i;
	uint32_t stop = k > right->n ? k - right->n : 0;

	*least = sum_of(&left->least[i], &right->least[k - i]);
	while (i-- > stop) {
		struct sgang_worth worth = sum_of(&left->least[i],
						  &right->least[k - i]);

		if (sgang_worth_less(&worth, least)) {
			*least = worth;
			best = i;
		}
	}
	return best;
}

/* Merge a list of parts, halves first, so that all merging together takes no
 * more than (compartments * members) steps. */
static const struct part *merge(struct counter *counter,
				const struct part **list, uint32_t n)
{
	const struct part *left, *right;
	struct part *both;
	uint32_t k;

	if (n == 1)
		return list[0];
	left = merge(counter, list, n / 2);
	right = merge(counter, list + n / 2, n - n / 2);
	both = new_part(counter, (uint64_t)left->n + right->n);
	both->left = left;
	both->right = right;
	for (k = 1; k <= both->n; k++)
		best_left(left, right, k, &both->least[k]);
	return both;
}

/* Fill below[d]. */
static void count_domain(struct counter *counter, uint32_t d)
{
	const struct sgang_domain *domain = domain_at(counter->spread, d);
	const struct part **list = sgang_pool_alloc(
		counter->pool, domain->n_children + (size_t)1, sizeof(*list));
	uint32_t first, end, i, n = 0;
	const struct part *part;

	sgang_spread_below(counter->spread, d, &first, &end);
	part = count_own(counter, d, first, end);
	if (part->n)
		list[n++] = part;
	for (i = 0; i < domain->n_children; i++) {
		if (counter->below[domain->first_child + i])
			list[n++] = count_child(counter,
						domain->first_child + i);
	}
	if (n)
		counter->below[d] = merge(counter, list, n);
}

/* Mark the compartments that 'k' members of a part have. */
static void mark(const struct part *part, uint32_t k, bool *chosen)
{
	struct sgang_worth least;
	uint32_t i;

	while (k && !part->order) {
		if (part->right) {
			i = best_left(part->left, part->right, k, &least);
			mark(part->right, k - i, chosen);
			k = i;
		}
		part = part->left;
	}
	for (i = 0; i < k; i++)
		chosen[part->order[i]] = true;
}

/* Lower each of cost and broken space to what it is in another part. */
static void lower(struct sgang_worth *least, const struct sgang_worth *part)
{
	if (part->cost == UINT64_MAX)
		return;
	if (least->cost == UINT64_MAX)
		*least = *part;
	if (part->cost < least->cost)
		least->cost = part->cost;
	if (part->broken < least->broken)
		least->broken = part->broken;
}

static void count_all(struct counter *counter)
{
	const struct sgang_spread *spread = counter->spread;
	uint32_t d = sgang_fabric_domains(spread->job->request->fabric), c, s;

	counter->cheapest = sgang_pool_alloc(counter->pool, spread->n,
					     sizeof(*counter->cheapest));
	counter->below = sgang_pool_zalloc(counter->pool, d,
					   sizeof(*counter->below));
	for (c = 0; c < spread->n; c++) {
		counter->cheapest[c] = spread->shape[0].part[c];
		for (s = 1; s < spread->n_shapes; s++)
			lower(&counter->cheapest[c], &spread->shape[s].part[c]);
	}
	while (d-- > 0) {
		if (is_above(spread, d) &&
		    sgang_tree_allowed(spread->job->request, d))
			count_domain(counter, d);
	}
}

/* -- the common domain -- */

/* A domain that has compartments enough, and what it costs there at least. */
struct candidate {
	struct sgang_worth least;
	uint32_t level;
	uint32_t domain;
};

static int by_least(const void *one, const void *two)
{
	const struct candidate *a = one, *b = two;

	if (sgang_worth_less(&a->least, &b->least))
		return -1;
	if (sgang_worth_less(&b->least, &a->least))
		return 1;
	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	return a->domain < b->domain ? -1 : a->domain > b->domain;
}

/* Returns an array from the pool, the best first. */
static struct candidate *find_candidates(const struct counter *counter,
					 uint32_t *n)
{
	const struct sgang_spread *spread = counter->spread;
	uint32_t n_domains = sgang_fabric_domains(spread->job->request->fabric),
		 d;
	struct candidate *list = sgang_pool_alloc(counter->pool, n_domains,
						  sizeof(*list));

	*n = 0;
	for (d = 0; d < n_domains; d++) {
		const struct part *part = counter->below[d];
		struct candidate *candidate = &list[*n];

		if (!part || part->n < spread->n_members)
			continue;
		candidate->least = part->least[spread->n_members];
		candidate->least.broken += spread->above[d];
		candidate->least.cost += weight_of(spread, d);
		candidate->level = domain_at(spread, d)->level;
		candidate->domain = d;
		(*n)++;
	}
	qsort(list, *n, sizeof(*list), by_least);
	return list;
}

/* -- the answer -- */

/* Write the runs of a member in its compartment behind those that are there. */
static void lay_member(const struct sgang_spread *spread, uint32_t member,
		       uint32_t where, struct sgang_run *runs, size_t *n_runs)
{
	struct sgang_shape *shape = &spread->shape[spread->shape_of[member]];
	const struct sgang_plan_request *request = spread->job->request;
	const struct sgang_compartment *at = &spread->at[where];
	struct sgang_pick alone = { at->first_pos, (uint32_t)shape->tree.need };
	const struct sgang_pick *pick = &alone;
	size_t n = 1, i;

	if (at->domain != SGANG_DOMAIN_NONE) {
		sgang_inside_pick(shape->inside, at->domain);
		pick = shape->tree.pick;
		n = shape->tree.n_picks;
	}
	for (i = 0; i < n; i++) {
		uint32_t node =
			sgang_fabric_order(request->fabric)[pick[i].pos];

		runs[(*n_runs)++] = (struct sgang_run){
			.member = member,
			.node = node,
			.ranks = pick[i].units * sgang_kind_ranks(spread->job,
								  &shape->kind,
								  node),
			.slots = pick[i].units * sgang_kind_need(spread->job,
								 &shape->kind,
								 node, 0)
		};
	}
}

/* The bound of the same members without `spread:`, when ours is none; 0 when
 * there is none either. 0, or -1 with EOVERFLOW. */
static int bound_anywhere(const struct sgang_spread *spread, uint64_t *bound)
{
	struct sgang_placement *placement = NULL;
	int rc = sgang_job_plan(spread->job, spread->broken, &placement);

	*bound = rc > 0 ? placement->bound : 0;
	return rc < 0 ? -1 : 0;
}

/* Is what the shapes told exact, as 'ask' has it? */
static bool all_are(const struct sgang_spread *spread,
		    bool (*ask)(const struct sgang_inside *inside))
{
	uint32_t i;

	for (i = 0; i < spread->n_shapes; i++) {
		if (!ask(spread->shape[i].inside))
			return false;
	}
	return true;
}

/* The placement of members in these compartments. 1, or -1 with EOVERFLOW. */
static int lay_all(const struct sgang_spread *spread, const uint32_t *place,
		   struct sgang_worth bound, struct sgang_placement **placement)
{
	const struct sgang_job *job = spread->job;
	struct sgang_run *runs = sgang_pool_alloc(
		job->pool, sgang_fabric_nodes(job->request->fabric),
		sizeof(*runs));
	uint64_t broken;
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < spread->n_members; i++)
		lay_member(spread, i, place[i], runs, &n);
	broken = sgang_count_broken(job->request, job->pool, spread->broken,
				    runs, n);
	bound.cost = sgang_coin_cost(spread->coin, bound.cost);
	if (!all_are(spread, sgang_inside_least) &&
	    bound_anywhere(spread, &bound.cost))
		return -1;
	*placement = sgang_job_place(job, runs, n);
	(*placement)->bound = bound.cost;
	(*placement)->exact = (*placement)->ring.cost == bound.cost &&
			      broken <= bound.broken &&
			      (spread->coin || !job->coin) &&
			      all_are(spread, sgang_inside_exact);
	return 1;
}

/* The members are alike: the i-th has the i-th of the compartments. */
static int plan_alike(const struct counter *counter,
		      const struct candidate *best,
		      struct sgang_placement **placement)
{
	const struct sgang_spread *spread = counter->spread;
	bool *chosen = sgang_pool_zalloc(counter->pool, spread->n,
					 sizeof(*chosen));
	uint32_t *place = sgang_pool_alloc(counter->pool, spread->n_members,
					   sizeof(*place));
	uint32_t c, n = 0;

	mark(counter->below[best->domain], spread->n_members, chosen);
	for (c = 0; c < spread->n; c++) {
		if (chosen[c])
			place[n++] = c;
	}
	return lay_all(spread, place, best->least, placement);
}

/* -- members of several shapes -- */

/* The best of the candidates so far. */
struct search {
	const struct counter *counter;
	bool *wanted;    /* by compartment */
	uint32_t *place; /* by member, in the latest candidate */
	uint32_t *best;  /* ... in the best one */
	uint64_t cost;   /* of it; UINT64_MAX: none */
	uint64_t steps;
	struct sgang_worth bound; /* of candidates in which they fit, or
				   * may fit */
	bool bounded;
	uint32_t placed; /* members in the latest one */
};

/* Every member costs more than the cheapest one wherever it is: by so much at
 * the least. */
static void raise_bounds(const struct counter *counter, struct candidate *list,
			 uint32_t n)
{
	const struct sgang_spread *spread = counter->spread;
	uint64_t sum = 0;
	uint32_t i, c;

	for (i = 0; i < spread->n_shapes; i++) {
		struct sgang_shape *shape = &spread->shape[i];

		shape->extra = UINT64_MAX;
		for (c = 0; c < spread->n; c++) {
			uint64_t cost = shape->part[c].cost;

			if (cost == UINT64_MAX)
				continue;
			cost -= counter->cheapest[c].cost;
			if (cost < shape->extra)
				shape->extra = cost;
		}
		if (shape->extra == UINT64_MAX)
			return; /* it fits nowhere */
	}
	for (i = 0; i < spread->n_members; i++)
		sum += spread->shape[spread->shape_of[i]].extra;
	for (i = 0; i < n; i++)
		list[i].least.cost += sum;
}

/* False when they do not fit there. */
static bool try_candidate(struct search *search,
			  const struct candidate *candidate)
{
	const struct sgang_spread *spread = search->counter->spread;
	uint64_t cost;
	bool fit;

	memset(search->wanted, 0, spread->n * sizeof(*search->wanted));
	mark(search->counter->below[candidate->domain], spread->n_members,
	     search->wanted);
	fit = sgang_apart_solve(spread, candidate->domain, search->wanted,
				candidate->least.cost, &search->steps,
				search->place, &cost, &search->placed);
	if (fit && cost < search->cost) {
		memcpy(search->best, search->place,
		       spread->n_members * sizeof(*search->best));
		search->cost = cost;
	}
	return fit;
}

/* The candidates with the lowest bounds; when that are many and nobody fits
 * there, those that are not below others. */
static void try_candidates(struct search *search, const struct candidate *list,
			   uint32_t n)
{
	const struct sgang_spread *spread = search->counter->spread;
	uint32_t i, tries = 0;

	for (i = 0; i < n && list[i].least.cost < search->cost; i++) {
		uint32_t parent = domain_at(spread, list[i].domain)->parent;

		bool may = true;

		if (tries++ < TRIES_MAX ||
		    (search->cost == UINT64_MAX &&
		     (parent == SGANG_DOMAIN_NONE ||
		      !sgang_tree_allowed(spread->job->request, parent))))
			may = try_candidate(search, &list[i]);
		if (may && !search->bounded) {
			search->bound = list[i].least;
			search->bounded = true;
		}
	}
}

static int plan_apart(const struct counter *counter, struct candidate *list,
		      uint32_t n, struct sgang_placement **placement,
		      uint32_t *placed)
{
	const struct sgang_spread *spread = counter->spread;
	struct search search = { .counter = counter,
				 .cost = UINT64_MAX,
				 .steps = sgang_budget_share(
					 spread->job->request->budget,
					 SGANG_STEPS_SPREAD) };
	uint64_t steps = search.steps;

	search.wanted = sgang_pool_alloc(counter->pool, spread->n,
					 sizeof(*search.wanted));
	search.place = sgang_pool_alloc(counter->pool, spread->n_members,
					sizeof(*search.place));
	search.best = sgang_pool_alloc(counter->pool, spread->n_members,
				       sizeof(*search.best));
	raise_bounds(counter, list, n);
	try_candidates(&search, list, n);
	sgang_budget_take(spread->job->request->budget, steps - search.steps);
	*placed = search.placed;
	if (search.cost == UINT64_MAX)
		return 0;
	return lay_all(spread, search.best, search.bound, placement);
}

/* -- the request -- */

/* The domain with the most compartments that have room. */
static uint32_t find_best(const struct counter *counter)
{
	uint32_t n = sgang_fabric_domains(
			 counter->spread->job->request->fabric),
		 d;
	uint32_t best = SGANG_DOMAIN_NONE;

	for (d = 0; d < n; d++) {
		if (counter->below[d] &&
		    (best == SGANG_DOMAIN_NONE ||
		     counter->below[d]->n > counter->below[best]->n))
			best = d;
	}
	return best;
}

int sgang_spread_plan(const struct sgang_job *job, const uint64_t *broken,
		      struct sgang_placement **placement,
		      struct sgang_nofit *nofit)
{
	struct sgang_spread spread = {
		.job = job,
		.broken = broken,
		.n_members = (uint32_t)job->request->n_members
	};
	struct counter counter = { .spread = &spread, .pool = job->pool };
	struct candidate *list;
	uint32_t n, i, best, placed;
	int rc;

	find_compartments(&spread);
	find_shapes(&spread);
	if (spread.n_shapes == 1)
		spread.coin = job->coin;
	for (i = 0; i < spread.n_shapes; i++) {
		if (find_parts(&spread, &spread.shape[i]))
			return -1;
	}
	count_all(&counter);
	list = find_candidates(&counter, &n);
	best = find_best(&counter);
	placed = best == SGANG_DOMAIN_NONE ? 0 : counter.below[best]->n;
	if (!n)
		rc = 0;
	else if (spread.n_shapes == 1)
		rc = plan_alike(&counter, list, placement);
	else
		rc = plan_apart(&counter, list, n, placement, &placed);
	if (!rc && nofit)
		sgang_near_explain(&spread, best, placed, nofit);
	return rc;
}
