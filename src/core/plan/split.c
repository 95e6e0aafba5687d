/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.c - which nodes for which of two arcs of the ring
 *
 * The ring is cut in two arcs, as in arcs.c, which tells what entries of a
 * domain cost. Their needs are kept apart here: units of the kind of arc A,
 * slots of all others, and slots for that one of the others that has the fewest
 * nodes.
 *
 * Prices of these are found first (Lagrange multipliers): at the right ones
 * each domain, used so that what it costs less what it holds is worth is least,
 * holds about enough together. Then leaf after leaf is gone through in
 * depth-first order with many choices side by side. The least cost of a choice
 * is known from the prices of what it lacks, and from what is left of the tree;
 * the choices are kept that cost the least then. Choices that hold about the
 * same count as one, or those kept would all be alike.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* Extensions of choices that are looked at in a search of effort 1, some 6 ms,
 * and how many choices are kept. */
#define LOOKS_MAX 340000
#define KEPT_MIN 12
#define KEPT_MAX (ROOM / 2)
/* Extensions that are remembered before the worse ones are dropped, and the
 * places where one can be found again. */
#define ROOM 1024
#define TABLE (4 * ROOM)
/* Changes of the prices; fewer where nodes are many. */
#define ROUNDS_MAX 60
#define ROUND_LOOKS_MAX 1000000
/* Nodes of one leaf that are told apart, those that are worth most, and ways to
 * use them. */
#define HOLDS_MAX 64
#define WAYS_MAX 16
/* Leaves that are looked at beside twice those used at the prices. */
#define LEAVES_MORE 128
/* Holding about the same: within these parts of what is needed. */
#define GRAINS 14
#define GRAINS_NARROW 4

enum { UNITS, SLOTS, NARROW, NEEDS };

/* The tree after a leaf is evaluated at several prices: those that were found,
 * and more or less of one or the other. */
static const struct {
	double units, slots; /* times what was found */
	double narrow;       /* more, in parts of a slot's */
} near_prices[] = {
	{ 1, 1, 0 },       { 1.12, 1, 0 },    { 0.88, 1, 0 }, { 1, 1.12, 0 },
	{ 1.12, 1.12, 0 }, { 0.88, 1.12, 0 }, { 1, 0.88, 0 }, { 1.12, 0.88, 0 },
	{ 0.88, 0.88, 0 }, { 1, 1, 0.15 },
};
#define PRICES (sizeof(near_prices) / sizeof(near_prices[0]))

/* The state of a choice has a digit for each open domain, by its depth: which
 * arcs use it, and whether the arcs join there. */
enum { USE_A = 1, USE_B = 2, BOTH = 3, JOINED = 4, WIDE = 8, DIGIT_BITS = 4 };
/* The two places where they do, by the end of arc B: that of the kind with the
 * fewest nodes, or the other one. What B holds for that kind in the highest
 * domain with the other end (WIDE) is no use to it: the ring comes there when
 * it is through with these. */
enum { NARROW_END = 1, WIDE_END = 2, JOINS = 4 };

/* The units that a node holds for arc A, or for B. */
struct hold {
	uint32_t units;
	uint32_t slots;
	bool narrow; /* the kind with the fewest nodes may be
		      * there */
};

/* A node of the leaf at hand. */
struct spot {
	double worth[2]; /* to arc A, to B */
	uint32_t pos;
};

/* A way to use a leaf: so many of its best nodes, so many of them for A. */
struct way {
	double loss;   /* cost less worth */
	uint64_t cost; /* of visits to nodes */
	uint64_t held[NEEDS];
	uint32_t nodes, first;
	uint32_t use;
};

/* How a choice came about. */
struct step {
	uint32_t before; /* step + 1; 0: none */
	uint32_t leaf;
	uint32_t nodes, first; /* as in the way */
};

/* A choice for all leaves so far. */
struct choice {
	double least; /* what it will cost, at the least */
	uint64_t state;
	uint64_t lacks; /* about what, as one number */
	uint64_t cost;
	uint64_t held[NEEDS];
	uint64_t inside; /* slots for the kind with the fewest
			  * nodes, in the highest open domain
			  * below the top */
	uint32_t joins;
	struct step step; /* the last; SGANG_DOMAIN_NONE: it is
			   * in 'path' already */
};

/* 'loss': by how much the use at these prices costs more than its value. */
struct gain {
	double loss;
	double held[NEEDS];
};

struct sgang_split {
	const struct sgang_job *job;
	const struct sgang_kind *kind;   /* of arc A */
	const struct sgang_kind *narrow; /* of B; NULL: all are alike */
	uint64_t node;                   /* cost of a visit to a node */
	uint64_t slots;                  /* that all of B ask for */
	uint64_t need[NEEDS];
	uint64_t about[NEEDS]; /* what counts as one when they lack */
	double price[NEEDS];
	double near[NEEDS][PRICES]; /* by price: what it is for a need */
	uint32_t top;               /* the domain that holds it all */
	struct hold *hold;          /* by position */
	double (*gain)[BOTH + 1];   /* by domain: the least loss, by the
				     * arcs that may use it */
	double *raw;                /* by leaf: of any way to use it */
	double most_raw;            /* of leaves that are looked at */
	/* by leaf and by the arcs that use its parent: the loss behind it, at
	 * each of the prices */
	double (*behind)[BOTH + 1][PRICES];
	double (*after)[PRICES]; /* by domain: the same, when it is left */
	/* the search */
	uint64_t step[SGANG_LEVELS]; /* by depth, of open domains */
	struct spot spot[HOLDS_MAX]; /* of the leaf at hand, best first */
	uint32_t n_spots;
	struct way way[WAYS_MAX];
	uint32_t n_ways;
	struct choice *now, *next;
	uint32_t n_now, n_next, kept;
	double limit[JOINS];     /* what is not below is dropped */
	uint32_t *table;         /* of 'next': index + 1 */
	struct sgang_pool *pool; /* of 'path' */
	struct step *path;
	uint32_t n_path, path_room;
};

static const struct sgang_domain *domain_at(const struct sgang_split *split,
					    uint32_t d)
{
	return sgang_fabric_domain(split->job->request->fabric, d);
}

/* The cost of entering a domain, as a child of its parent. */
static uint64_t step_cost(const struct sgang_split *split, uint32_t d)
{
	return d == split->top ? 0 : sgang_plan_step(split->job->request, d);
}

/* -- what nodes hold -- */

/* Slots for arc B on a node of which so many are free. */
static uint32_t slots_for(const struct sgang_split *split, uint32_t node,
			  const uint32_t *free)
{
	const struct sgang_job *job = split->job;
	uint32_t k, smallest = 0;

	for (k = 0; k < job->n_kinds; k++) {
		const struct sgang_kind *kind = &job->kind[k];
		uint32_t slots = sgang_kind_need(job, kind, node, 0);

		if (kind != split->kind && (!smallest || slots < smallest) &&
		    sgang_kind_fits(job, kind, node, free))
			smallest = slots;
	}
	return smallest ? *free - *free % smallest : 0;
}

static void fill_hold(const struct sgang_split *split, uint32_t node,
		      bool apart, struct hold *hold)
{
	const struct sgang_job *job = split->job;
	const uint32_t *free = sgang_job_free(job, node);

	memset(hold, 0, sizeof(*hold));
	if (!*free)
		return;
	hold->units = sgang_kind_fits(job, split->kind, node, free);
	if (apart && hold->units > 1)
		hold->units = 1;
	hold->slots = slots_for(split, node, free);
	hold->narrow = split->narrow &&
		       sgang_kind_fits(job, split->narrow, node, free);
}

static void fill_holds(struct sgang_split *split)
{
	const struct sgang_plan_request *request = split->job->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	uint32_t n = sgang_fabric_nodes(request->fabric), i;
	bool apart = false;

	for (i = 0; i < request->n_members && !apart; i++)
		apart = &split->job->kind[split->job->kind_of[i]] ==
				split->kind &&
			sgang_member_distinct(&request->members[i]);
	for (i = 0; i < n; i++)
		fill_hold(split, order[i], apart, &split->hold[i]);
}

/* Which kind of arc B has the fewest nodes? With none, all are alike. */
static void find_narrow(struct sgang_split *split)
{
	const struct sgang_job *job = split->job;
	size_t fewest = SIZE_MAX;
	uint32_t k;

	for (k = 0; k < job->n_kinds; k++) {
		const struct sgang_kind *kind = &job->kind[k];
		size_t nodes = kind->allowed ?
				       sgang_nodeset_count(kind->allowed) :
				       SIZE_MAX;

		if (kind == split->kind)
			continue;
		split->slots += kind->units * sgang_kind_least(job, kind, 0);
		if (nodes >= fewest)
			continue;
		fewest = nodes;
		split->narrow = kind;
		split->need[NARROW] = kind->units *
				      sgang_kind_least(job, kind, 0);
	}
	if (split->need[NARROW] == split->slots) {
		split->narrow = NULL;
		split->need[NARROW] = 0;
	}
}

/* -- prices -- */

static double slot_price(const struct sgang_split *split,
			 const struct hold *hold)
{
	return split->price[SLOTS] + (hold->narrow ? split->price[NARROW] : 0);
}

static void add_gain(struct gain *sum, const struct gain *gain)
{
	uint32_t i;

	sum->loss += gain->loss;
	for (i = 0; i < NEEDS; i++)
		sum->held[i] += gain->held[i];
}

/* The best use of a node by arc A, by B, and by one of them. */
static void gain_node(const struct sgang_split *split, const struct hold *hold,
		      struct gain gain[BOTH + 1])
{
	double node = (double)split->node;
	double a = split->price[UNITS] * hold->units - node;
	double b = slot_price(split, hold) * hold->slots - node;

	memset(gain, 0, (BOTH + 1) * sizeof(*gain));
	if (a > 0) {
		gain[USE_A].loss = -a;
		gain[USE_A].held[UNITS] = hold->units;
	}
	if (b > 0) {
		gain[USE_B].loss = -b;
		gain[USE_B].held[SLOTS] = hold->slots;
		gain[USE_B].held[NARROW] = hold->narrow ? hold->slots : 0;
	}
	gain[BOTH] = gain[b > a ? USE_B : USE_A];
}

/* From what is used inside a domain to the use of the domain: it is entered
 * once for each arc, or not at all. Returns the least loss of using it. */
static double enter(struct gain gain[BOTH + 1], double step)
{
	static const struct gain nothing;
	double least;
	uint32_t use;

	for (use = USE_A; use <= BOTH; use++)
		gain[use].loss += use == BOTH ? 2 * step : step;
	if (gain[USE_A].loss < gain[BOTH].loss)
		gain[BOTH] = gain[USE_A];
	if (gain[USE_B].loss < gain[BOTH].loss)
		gain[BOTH] = gain[USE_B];
	least = gain[BOTH].loss;
	for (use = USE_A; use <= BOTH; use++) {
		if (gain[use].loss > 0)
			gain[use] = nothing;
	}
	return least;
}

/* The use inside a domain. */
static void gain_domain(struct sgang_split *split, uint32_t d,
			struct gain gain[BOTH + 1])
{
	const struct sgang_domain *domain = domain_at(split, d);
	struct gain part[BOTH + 1];
	uint32_t i, use;

	memset(gain, 0, (BOTH + 1) * sizeof(*gain));
	for (i = 0; i < domain->n_nodes && !domain->n_children; i++) {
		const struct hold *hold = &split->hold[domain->first_pos + i];

		if (!hold->units && !hold->slots)
			continue;
		gain_node(split, hold, part);
		for (use = USE_A; use <= BOTH; use++)
			add_gain(&gain[use], &part[use]);
	}
	for (i = 0; i < domain->n_children; i++) {
		uint32_t child = domain->first_child + i;

		gain_domain(split, child, part);
		split->raw[child] = enter(part,
					  (double)step_cost(split, child));
		for (use = USE_A; use <= BOTH; use++) {
			split->gain[child][use] = part[use].loss;
			add_gain(&gain[use], &part[use]);
		}
	}
}

/* Raise the prices of what is lacking, and lower the others. */
static void change_prices(struct sgang_split *split, const struct gain *gain,
			  uint32_t round)
{
	uint32_t i;

	/* what is narrow is looked at when the others are about right */
	for (i = 0; i < (round < ROUNDS_MAX / 2 ? NARROW : NEEDS); i++) {
		double need = (double)split->need[i], lack, scale;

		if (!need)
			continue;
		lack = (need - gain->held[i]) / need;
		lack = lack > 1 ? 1 : lack < -1 ? -1 : lack;
		scale = split->price[i == NARROW ? SLOTS : i];
		split->price[i] += 2 * scale * lack / (4 + round);
		if (split->price[i] < 0)
			split->price[i] = 0;
	}
}

/* Find the prices for a domain that is to hold it all. Returns what no choice
 * is below, if arcs go over into each other nowhere. */
static double find_prices(struct sgang_split *split)
{
	uint64_t looks =
		domain_at(split, split->top)->n_nodes +
		4 * (uint64_t)sgang_fabric_domains(split->job->request->fabric);
	uint32_t round, i;
	double best = 0, price[NEEDS];
	struct gain gain[BOTH + 1];

	memcpy(price, split->price, sizeof(price));
	for (round = 0; round < ROUNDS_MAX; round++) {
		double bound;

		if (looks * round > ROUND_LOOKS_MAX)
			break;
		if (round == ROUNDS_MAX / 2)
			memcpy(split->price, price, sizeof(price));
		if (!sgang_budget_take(split->job->request->budget, looks))
			break;
		gain_domain(split, split->top, gain);
		bound = gain[BOTH].loss;
		for (i = 0; i < NEEDS; i++)
			bound += split->price[i] * (double)split->need[i];
		if (bound > best) {
			best = bound;
			memcpy(price, split->price, sizeof(price));
		}
		change_prices(split, &gain[BOTH], round);
	}
	memcpy(split->price, price, sizeof(price));
	return best;
}

/* Is there room for all in a domain? */
static bool has_room(const struct sgang_split *split, uint32_t d)
{
	const struct sgang_domain *domain = domain_at(split, d);
	uint64_t held[NEEDS] = { 0 };
	uint32_t i;

	for (i = 0; i < domain->n_nodes; i++) {
		const struct hold *hold = &split->hold[domain->first_pos + i];

		held[UNITS] += hold->units;
		held[SLOTS] += hold->slots;
		held[NARROW] += hold->narrow ? hold->slots : 0;
	}
	return held[UNITS] >= split->need[UNITS] &&
	       held[SLOTS] >= split->need[SLOTS] &&
	       held[NARROW] >= split->need[NARROW];
}

/* Of the highest domains that the gang may span, find the cheapest, and the
 * prices there. False when none has room, or they are leaves. */
static bool find_top(struct sgang_split *split)
{
	const struct sgang_plan_request *request = split->job->request;
	uint32_t n = sgang_fabric_domains(request->fabric), d, top = n;
	double guess[NEEDS], price[NEEDS], bound, best = 0;

	memcpy(guess, split->price, sizeof(guess));
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = domain_at(split, d);

		if (!sgang_tree_allowed(request, d) || !domain->n_children ||
		    (domain->parent != SGANG_DOMAIN_NONE &&
		     sgang_tree_allowed(request, domain->parent)) ||
		    !has_room(split, d))
			continue;
		memcpy(split->price, guess, sizeof(guess));
		split->top = d;
		bound = find_prices(split);
		if (top < n && bound >= best)
			continue;
		best = bound;
		top = d;
		memcpy(price, split->price, sizeof(price));
	}
	if (top == n)
		return false;
	split->top = top;
	memcpy(split->price, price, sizeof(price));
	return true;
}

/* -- what is behind a leaf -- */

/* The least loss of all children from here on, whose sums are in 'sum', if some
 * arcs use their parent already. */
static double least_behind(const double sum[BOTH + 1], uint32_t used,
			   double step)
{
	double least = sum[used];
	uint32_t use;

	for (use = USE_A; use <= BOTH; use++) {
		uint32_t fresh = use & ~used;
		double cost = sum[use | used] +
			      step * ((fresh & USE_A ? 1 : 0) +
				      (fresh & USE_B ? 1 : 0));

		least = cost < least ? cost : least;
	}
	return least;
}

/* Fill it in at one of the prices, for which the gains are known. 'after' is
 * what comes behind the domain. */
static void fill_behind(struct sgang_split *split, uint32_t d, size_t at,
			double after)
{
	const struct sgang_domain *domain = domain_at(split, d);
	double step = (double)step_cost(split, d), sum[BOTH + 1] = { 0 };
	uint32_t i = domain->n_children, use;

	while (i-- > 0) {
		uint32_t child = domain->first_child + i;

		for (use = 0; use <= BOTH; use++)
			split->behind[child][use][at] =
				after + least_behind(sum, use, step);
		split->after[child][at] = split->behind[child][0][at];
		if (domain_at(split, child)->n_children)
			fill_behind(split, child, at,
				    split->behind[child][0][at]);
		for (use = USE_A; use <= BOTH; use++)
			sum[use] += split->gain[child][use];
	}
}

static void fill_all_behind(struct sgang_split *split)
{
	double price[NEEDS];
	struct gain gain[BOTH + 1];
	size_t i = PRICES, need;

	memcpy(price, split->price, sizeof(price));
	/* those that were found last: their gains stay */
	while (i-- > 0) {
		split->price[UNITS] = price[UNITS] * near_prices[i].units;
		split->price[SLOTS] = price[SLOTS] * near_prices[i].slots;
		split->price[NARROW] = price[NARROW] +
				       price[SLOTS] * near_prices[i].narrow;
		for (need = 0; need < NEEDS; need++)
			split->near[need][i] = split->price[need];
		gain_domain(split, split->top, gain);
		fill_behind(split, split->top, i, 0);
	}
}

static int ascending(const void *one, const void *two)
{
	const double *a = one, *b = two;

	return *a < *b ? -1 : *a > *b;
}

/* The leaves that are looked at: those that lose least. */
static void choose_leaves(struct sgang_split *split, uint32_t effort)
{
	uint32_t n = sgang_fabric_domains(split->job->request->fabric);
	uint32_t d, leaves = 0, used = 0;
	double *raw = sgang_pool_alloc(split->job->pool, n, sizeof(*raw));

	for (d = split->top; d < n; d++) {
		uint32_t at = domain_at(split, d)->first_pos -
			      domain_at(split, split->top)->first_pos;

		if (domain_at(split, d)->n_children ||
		    at >= domain_at(split, split->top)->n_nodes)
			continue;
		used += split->raw[d] < 0;
		raw[leaves++] = split->raw[d];
	}
	qsort(raw, leaves, sizeof(*raw), ascending);
	used = 2 * used + LEAVES_MORE;
	if (used > leaves)
		used = leaves;
	split->most_raw = raw[used - 1];
	split->kept = effort * LOOKS_MAX / (used * (WAYS_MAX + 1));
	if (split->kept < KEPT_MIN)
		split->kept = KEPT_MIN;
	if (split->kept > KEPT_MAX)
		split->kept = KEPT_MAX;
}

/* -- ways to use a leaf -- */

/* List the nodes of a leaf, those first that are worth most. */
static void list_spots(struct sgang_split *split, uint32_t d)
{
	const struct sgang_domain *leaf = domain_at(split, d);
	uint32_t i, at;

	split->n_spots = 0;
	for (i = 0; i < leaf->n_nodes; i++) {
		const struct hold *hold = &split->hold[leaf->first_pos + i];
		double a = split->price[UNITS] * hold->units;
		double b = slot_price(split, hold) * hold->slots;
		double worth = a > b ? a : b;

		if (worth <= 0)
			continue;
		for (at = split->n_spots; at; at--) {
			const struct spot *other = &split->spot[at - 1];

			if (other->worth[0] >= worth ||
			    other->worth[1] >= worth)
				break;
			if (at < HOLDS_MAX)
				split->spot[at] = *other;
		}
		if (at == HOLDS_MAX)
			continue;
		split->spot[at].worth[0] = a;
		split->spot[at].worth[1] = b;
		split->spot[at].pos = leaf->first_pos + i;
		split->n_spots += split->n_spots < HOLDS_MAX;
	}
}

/* spot[0..n-1] are sorted by how much more they are worth to arc A than to B,
 * most first. Bring spot[n] to its place. */
static void sort_in(struct spot *spot, uint32_t n)
{
	struct spot moved = spot[n];
	double more = moved.worth[0] - moved.worth[1];

	for (; n && spot[n - 1].worth[0] - spot[n - 1].worth[1] < more; n--)
		spot[n] = spot[n - 1];
	spot[n] = moved;
}

static void add_slots(struct way *way, const struct hold *hold, int64_t slots)
{
	way->held[SLOTS] += (uint64_t)slots;
	way->held[NARROW] += (uint64_t)(hold->narrow ? slots : 0);
}

/* Keep a way if it is among the best. */
static void offer_way(struct sgang_split *split, struct way *way, double step)
{
	uint32_t at, i;

	way->use = (way->held[UNITS] ? USE_A : 0) |
		   (way->held[SLOTS] ? USE_B : 0);
	way->loss = (double)way->cost + (way->use == BOTH ? 2 : 1) * step;
	for (i = 0; i < NEEDS; i++)
		way->loss -= split->price[i] * (double)way->held[i];
	for (at = split->n_ways; at && split->way[at - 1].loss > way->loss;
	     at--) {
		if (at < WAYS_MAX)
			split->way[at] = split->way[at - 1];
	}
	if (at == WAYS_MAX)
		return;
	split->way[at] = *way;
	split->n_ways += split->n_ways < WAYS_MAX;
}

/* All ways to use so many of the listed nodes: more and more for arc A, from
 * none on. */
static void offer_ways(struct sgang_split *split, uint32_t nodes, double step)
{
	const struct spot *spot = split->spot;
	struct way way = { .nodes = nodes, .cost = nodes * split->node };
	const struct hold *hold;
	uint32_t i;

	for (i = 0; i < nodes; i++) {
		hold = &split->hold[spot[i].pos];
		add_slots(&way, hold, hold->slots);
	}
	offer_way(split, &way, step);
	for (i = 0; i < nodes; i++) {
		hold = &split->hold[spot[i].pos];
		way.held[UNITS] += hold->units;
		way.first = i + 1;
		add_slots(&way, hold, -(int64_t)hold->slots);
		offer_way(split, &way, step);
	}
}

static void find_ways(struct sgang_split *split, uint32_t d)
{
	double step = (double)step_cost(split, d);
	uint32_t nodes;

	split->n_ways = 0;
	list_spots(split, d);
	for (nodes = 1; nodes <= split->n_spots; nodes++) {
		sort_in(split->spot, nodes - 1);
		offer_ways(split, nodes, step);
	}
}

/* -- choices -- */

static uint32_t digit_at(uint64_t state, uint32_t depth)
{
	return state >> (DIGIT_BITS * depth) & ((1 << DIGIT_BITS) - 1);
}

static uint64_t without_digit(uint64_t state, uint32_t depth)
{
	return state &
	       ~(((UINT64_C(1) << DIGIT_BITS) - 1) << (DIGIT_BITS * depth));
}

/* Arcs use the open domains down to this depth. */
static void use_domains(const struct sgang_split *split, struct choice *choice,
			uint32_t depth, uint32_t use)
{
	uint32_t k;

	for (k = 1; k <= depth; k++) {
		uint32_t fresh = use & ~digit_at(choice->state, k);

		choice->cost += split->step[k] * ((fresh & USE_A ? 1 : 0) +
						  (fresh & USE_B ? 1 : 0));
		choice->state |= (uint64_t)fresh << (DIGIT_BITS * k);
	}
}

/* The arcs join here, and so in all domains above. */
static void join(const struct sgang_split *split, struct choice *choice,
		 uint32_t depth, uint32_t end)
{
	uint64_t saved = 0;
	uint32_t k;

	for (k = 1; k <= depth; k++) {
		if (digit_at(choice->state, k) & JOINED)
			continue;
		saved += split->step[k];
		choice->state |= (uint64_t)JOINED << (DIGIT_BITS * k);
	}
	choice->joins |= end;
	choice->cost -= saved;
	choice->least -= (double)saved;
}

/* The unmet part of a need. */
static uint64_t lacks(const struct sgang_split *split,
		      const struct choice *choice, uint32_t need)
{
	return choice->held[need] < split->need[need] ?
		       split->need[need] - choice->held[need] :
		       0;
}

/* Fill in about what a choice lacks. Only what lacks nothing has 0. */
static void sum_up_lacks(const struct sgang_split *split, struct choice *choice)
{
	uint32_t i;

	choice->lacks = 0;
	for (i = 0; i < NEEDS; i++)
		choice->lacks = choice->lacks << 8 |
				(lacks(split, choice, i) + split->about[i] -
				 1) / split->about[i];
}

/* Fill in what a choice will cost at the least, and about what it lacks.
 * 'behind' is what comes after it. False when it costs 'limit' or more. */
static bool rate(const struct sgang_split *split, struct choice *choice,
		 const double behind[PRICES], double limit)
{
	const double units = (double)lacks(split, choice, UNITS);
	const double slots = (double)lacks(split, choice, SLOTS);
	const double narrow = (double)lacks(split, choice, NARROW);
	double least[PRICES], most = 0;
	size_t i;

	for (i = 0; i < PRICES; i++)
		least[i] = behind[i] + split->near[UNITS][i] * units +
			   split->near[SLOTS][i] * slots +
			   split->near[NARROW][i] * narrow;
	for (i = 0; i < PRICES / 2; i++) {
		double more = least[i] > least[i + PRICES / 2] ?
				      least[i] :
				      least[i + PRICES / 2];

		most = more > most ? more : most;
	}
	choice->least = (double)choice->cost + most;
	if (choice->least >= limit)
		return false;
	sum_up_lacks(split, choice);
	return true;
}

/* Where in the table a choice like this one is, or would be. */
static uint32_t find_alike(const struct sgang_split *split,
			   const struct choice *choice)
{
	uint64_t hash = choice->state * UINT64_C(0x9e3779b97f4a7c15) ^
			choice->lacks;
	uint32_t at;

	hash = (hash ^ hash >> 32 ^ choice->joins) *
	       UINT64_C(0xd6e8feb86659fd93);
	for (at = (uint32_t)(hash >> 40) % TABLE; split->table[at];
	     at = (at + 1) % TABLE) {
		const struct choice *other = &split->next[split->table[at] - 1];

		if (other->state == choice->state &&
		    other->lacks == choice->lacks &&
		    other->joins == choice->joins)
			break;
	}
	return at;
}

/* Bring those 'n' of the choices to the front that cost the least. */
static void select_least(struct choice *choice, uint32_t n_all, uint32_t n)
{
	uint32_t low = 0, high = n_all;

	while (high - low > 1 && low < n) {
		double middle = choice[low + (high - low) / 2].least;
		uint32_t less = low, at = low, more = high;

		while (at < more) {
			struct choice swap = choice[at];

			if (swap.least < middle) {
				choice[at++] = choice[less];
				choice[less++] = swap;
			} else if (swap.least > middle) {
				choice[at] = choice[--more];
				choice[more] = swap;
			} else {
				at++;
			}
		}
		if (n <= less)
			high = less;
		else if (n <= more)
			return;
		else
			low = more;
	}
}

/* Bring the choices with so many joins to the front. Returns how many there
 * are. */
static uint32_t gather(struct choice *choice, uint32_t n, uint32_t joins)
{
	uint32_t i, there = 0;

	for (i = 0; i < n; i++) {
		struct choice swap = choice[i];

		if (swap.joins != joins)
			continue;
		choice[i] = choice[there];
		choice[there++] = swap;
	}
	return there;
}

/* The most that one of these costs at the least. */
static double most_of(const struct choice *choice, uint32_t n)
{
	double most = choice[0].least;

	while (n-- > 0)
		most = choice[n].least > most ? choice[n].least : most;
	return most;
}

/* Drop what is worse of what was added. A join made early looks better than one
 * that is still to come, so each number of them has its share. */
static void drop_worse(struct sgang_split *split)
{
	const uint32_t share = split->kept / JOINS + 1;
	struct choice *next = split->next;
	uint32_t joins, n = split->n_next, kept = 0, i;

	if (n <= split->kept)
		return;
	for (joins = 0; joins < JOINS; joins++) {
		uint32_t there = gather(next + kept, n - kept, joins);

		if (there > share) {
			select_least(next + kept, there, share);
			memmove(next + kept + share, next + kept + there,
				(n - kept - there) * sizeof(*next));
			n -= there - share;
			there = share;
			split->limit[joins] = most_of(next + kept, share);
		}
		kept += there;
	}
	split->n_next = kept;
	memset(split->table, 0, TABLE * sizeof(*split->table));
	for (i = 0; i < kept; i++)
		split->table[find_alike(split, &next[i])] = i + 1;
}

static void offer(struct sgang_split *split, const struct choice *choice)
{
	uint32_t at;

	if (choice->least >= split->limit[choice->joins])
		return;
	at = find_alike(split, choice);
	if (split->table[at]) {
		struct choice *other = &split->next[split->table[at] - 1];

		if (choice->least < other->least)
			*other = *choice;
		return;
	}
	if (split->n_next == ROOM) {
		drop_worse(split);
		at = find_alike(split, choice);
	}
	split->next[split->n_next++] = *choice;
	split->table[at] = split->n_next;
}

static void begin_next(struct sgang_split *split)
{
	uint32_t joins;

	split->n_next = 0;
	memset(split->table, 0, TABLE * sizeof(*split->table));
	for (joins = 0; joins < JOINS; joins++)
		split->limit[joins] = HUGE_VAL;
}

/* Remember how a choice came about. */
static void keep_step(struct sgang_split *split, struct choice *choice)
{
	if (choice->step.leaf == SGANG_DOMAIN_NONE)
		return;
	if (split->n_path == split->path_room) {
		split->path_room += split->path_room / 2 + ROOM;
		split->path = sgang_pool_resize(split->pool, split->path,
						split->path_room,
						sizeof(*split->path));
	}
	split->path[split->n_path++] = choice->step;
	choice->step.before = split->n_path;
	choice->step.leaf = SGANG_DOMAIN_NONE;
}

/* The new choices replace the old ones. */
static void take_over(struct sgang_split *split)
{
	struct choice *swap = split->now;
	uint32_t i;

	drop_worse(split);
	for (i = 0; i < split->n_next; i++)
		keep_step(split, &split->next[i]);
	split->now = split->next;
	split->n_now = split->n_next;
	split->next = swap;
	begin_next(split);
}

/* -- through the tree -- */

/* May arcs go over into each other at this end of arc B, in a domain that both
 * use? '*lost' are slots that are no use then. */
static bool may_join(const struct sgang_split *split,
		     const struct choice *choice, uint32_t end, uint64_t *lost)
{
	*lost = 0;
	if (choice->joins & end)
		return false;
	if (!split->narrow) /* the ends are alike */
		return end == NARROW_END || choice->joins;
	if (end == NARROW_END)
		return choice->inside > 0;
	*lost = choice->inside;
	return true;
}

/* A choice whose last domain is left, with and without a join there. 'behind'
 * is as for rate(). */
static void leave(struct sgang_split *split, const struct choice *choice,
		  uint32_t depth, const double behind[PRICES])
{
	bool both = (digit_at(choice->state, depth) & BOTH) == BOTH;
	struct choice left;
	uint32_t end;
	uint64_t lost;

	for (end = 0; end <= WIDE_END; end++) {
		if (end && (!both || !may_join(split, choice, end, &lost)))
			continue;
		left = *choice;
		if (end && lost) {
			left.held[NARROW] -= lost;
			left.inside = 0;
			rate(split, &left, behind, HUGE_VAL);
		}
		if (end == WIDE_END && split->narrow)
			left.state |= (uint64_t)WIDE << DIGIT_BITS;
		if (end)
			join(split, &left, depth, end);
		left.state = without_digit(left.state, depth);
		if (depth == 1)
			left.inside = 0;
		offer(split, &left);
	}
}

/* A choice with one way to use a leaf. */
static void use_leaf(struct sgang_split *split, const struct choice *from,
		     uint32_t d, uint32_t depth, const struct way *way)
{
	struct choice choice = *from;
	const double *behind;
	double limit;
	uint32_t i;

	for (i = 0; i < NEEDS; i++)
		choice.held[i] += way->held[i];
	if (digit_at(choice.state, 1) & WIDE)
		choice.held[NARROW] -= way->held[NARROW];
	else
		choice.inside += way->held[NARROW];
	choice.cost += way->cost;
	choice.step.leaf = d;
	choice.step.nodes = way->nodes;
	choice.step.first = way->first;
	use_domains(split, &choice, depth, way->use);
	behind = split->behind[d][digit_at(choice.state, depth - 1) & BOTH];
	limit = split->limit[choice.joins];
	if (way->use == BOTH) {
		/* a join may make it so much cheaper */
		for (i = 0; i < JOINS; i++)
			limit = split->limit[i] > limit ? split->limit[i] :
							  limit;
		for (i = 1; i <= depth; i++)
			limit += (double)split->step[i];
	}
	if (rate(split, &choice, behind, limit))
		leave(split, &choice, depth, behind);
}

static void add_leaf(struct sgang_split *split, uint32_t d, uint32_t depth)
{
	uint32_t i, k;

	if (split->raw[d] > split->most_raw ||
	    !sgang_budget_left(split->job->request->budget))
		return;
	find_ways(split, d);
	sgang_budget_take(split->job->request->budget,
			  (uint64_t)split->n_now * (split->n_ways + 1));
	for (i = 0; i < split->n_now; i++) {
		struct choice choice = split->now[i];

		rate(split, &choice,
		     split->behind[d][digit_at(choice.state, depth - 1) & BOTH],
		     HUGE_VAL);
		offer(split, &choice);
	}
	/* the best first, then the others can be dropped soon */
	for (k = 0; k < split->n_ways; k++) {
		for (i = 0; i < split->n_now; i++)
			use_leaf(split, &split->now[i], d, depth,
				 &split->way[k]);
	}
	take_over(split);
}

static void add_domain(struct sgang_split *split, uint32_t d, uint32_t depth)
{
	const struct sgang_domain *domain = domain_at(split, d);
	uint32_t i;

	split->step[depth] = step_cost(split, d);
	if (!domain->n_children) {
		add_leaf(split, d, depth);
		return;
	}
	for (i = 0; i < domain->n_children; i++)
		add_domain(split, domain->first_child + i, depth + 1);
	if (!depth)
		return;
	for (i = 0; i < split->n_now; i++)
		leave(split, &split->now[i], depth, split->after[d]);
	take_over(split);
}

/* -- the answer -- */

/* The cheapest choice that holds what is needed, or NULL. */
static const struct choice *find_best(const struct sgang_split *split)
{
	const struct choice *best = NULL;
	uint32_t i;

	for (i = 0; i < split->n_now; i++) {
		const struct choice *choice = &split->now[i];

		if (!choice->lacks && (!best || choice->cost < best->cost))
			best = choice;
	}
	return best;
}

static void write_owner(struct sgang_split *split, const struct choice *best,
			uint8_t *owner)
{
	const struct spot *spot = split->spot;
	uint32_t at, i;

	for (at = best->step.before; at; at = split->path[at - 1].before) {
		const struct step *step = &split->path[at - 1];

		list_spots(split, step->leaf);
		for (i = 1; i < step->nodes; i++)
			sort_in(split->spot, i);
		for (i = 0; i < step->nodes; i++)
			owner[spot[i].pos] = i < step->first ?
						     SGANG_SPLIT_FIRST :
						     SGANG_SPLIT_OTHERS;
	}
}

struct sgang_split *sgang_split_open(const struct sgang_job *job,
				     uint32_t first, uint64_t guess)
{
	const struct sgang_plan_request *request = job->request;
	const uint32_t *hop = request->costs->hop;
	uint32_t n = sgang_fabric_nodes(request->fabric);
	uint32_t n_domains = sgang_fabric_domains(request->fabric);
	struct sgang_pool *pool = job->pool;
	struct sgang_split *split = sgang_pool_zalloc(pool, 1, sizeof(*split));

	split->job = job;
	split->kind = &job->kind[first];
	split->node = hop[sgang_plan_lowest(request)] - hop[SGANG_LEVEL_ISLAND];
	split->hold = sgang_pool_alloc(pool, n, sizeof(*split->hold));
	split->gain = sgang_pool_zalloc(pool, n_domains, sizeof(*split->gain));
	split->raw = sgang_pool_zalloc(pool, n_domains, sizeof(*split->raw));
	split->behind = sgang_pool_zalloc(pool, n_domains,
					  sizeof(*split->behind));
	split->after = sgang_pool_zalloc(pool, n_domains,
					 sizeof(*split->after));
	split->now = sgang_pool_alloc(pool, ROOM, sizeof(*split->now));
	split->next = sgang_pool_alloc(pool, ROOM, sizeof(*split->next));
	split->table = sgang_pool_alloc(pool, TABLE, sizeof(*split->table));
	find_narrow(split);
	split->need[UNITS] = split->kind->units;
	fill_holds(split);
	split->price[UNITS] = (double)(guess + 1) / 2 /
			      (double)split->need[UNITS];
	split->price[SLOTS] = (double)(guess + 1) / 2 / (double)split->slots;
	return split;
}

bool sgang_split_solve(struct sgang_split *split, uint64_t more,
		       uint32_t effort, uint8_t *owner)
{
	const struct choice *best;
	uint32_t i;

	split->need[SLOTS] = split->slots + more;
	if (!find_top(split))
		return false;
	split->pool = sgang_pool_inside(split->job->pool);
	fill_all_behind(split);
	for (i = 0; i < NEEDS; i++)
		split->about[i] = split->need[i] / (i == NARROW ?
							    GRAINS_NARROW :
							    GRAINS) +
				  1;
	choose_leaves(split, effort);
	memset(split->now, 0, sizeof(*split->now));
	split->now->step.leaf = SGANG_DOMAIN_NONE;
	split->n_now = 1;
	begin_next(split);
	add_domain(split, split->top, 0);
	best = find_best(split);
	memset(owner, 0, sgang_fabric_nodes(split->job->request->fabric));
	if (best)
		write_owner(split, best, owner);
	sgang_pool_end(split->pool);
	split->path = NULL;
	split->n_path = split->path_room = 0;
	return best != NULL;
}

double sgang_split_weight(const struct sgang_split *split, uint32_t number)
{
	const struct sgang_kind *kind = &split->job->kind[number];
	double slot = split->price[SLOTS];

	if (kind == split->kind)
		return split->price[UNITS];
	if (kind == split->narrow)
		slot += split->price[NARROW];
	return slot * sgang_kind_least(split->job, kind, 0);
}

uint32_t sgang_split_narrow(const struct sgang_split *split)
{
	if (!split->narrow)
		return UINT32_MAX;
	return (uint32_t)(split->narrow - split->job->kind);
}
