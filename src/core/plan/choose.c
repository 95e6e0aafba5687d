/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choose.c - which children of one domain to use, and how far
 *
 * A multiple-choice knapsack: of every child nothing or one point of its front,
 * at least 'need' units together, at least cost. For a price lambda = p/q of
 * one unit every item has a loss, how much worse it is than the best item of
 * its child at that price. At the price where the linear relaxation breaks,
 *
 *   q * cost = bound + p * (units too many) + sum of the losses
 *
 * with nothing negative on the right. A solution that beats a known one
 * therefore has a sum of losses below the gap between the known one and the
 * bound. The gap is a fraction of one item, therefore few items, and few sums
 * of them, remain to be looked at.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* A proof that is not worth much has this part of the steps of others, which
 * are some 20 ms. */
#define ROUGH 100

/* Keys times units do not fit 64 bits. */
__extension__ typedef __int128 wide;

/* A child and its items; item 0 is not to use it. */
struct group {
	const struct sgang_point *point;
	uint32_t n;
	uint32_t child;
	uint32_t base; /* the item of least loss */
	uint32_t item; /* the item now chosen */
	wide second;   /* least loss of all other items */
};

/* A step along the lower hull of a child's items. */
struct segment {
	double slope;
	uint32_t group;
	uint32_t from;
	uint32_t to;
};

/* Part of the groups is decided, the others have their base items. */
struct state {
	sgang_plan_key key;
	uint64_t cap;
	uint32_t trail; /* the last deviation from the base */
};

struct trail {
	uint32_t before;
	uint32_t group;
	uint32_t item;
};

struct list {
	struct state *state;
	size_t n;
	size_t room;
};

struct search {
	struct sgang_choice *choice;
	const struct sgang_grain *grain;
	struct sgang_pool *pool;
	struct group *group;
	uint32_t n_groups;
	struct segment *segment;
	size_t n_segments;
	uint64_t steps, steps_max; /* partial choices */
	/* the price, and the bound times q */
	wide p, q;
	wide bound;
	wide base_loss; /* q * key - p * cap of the base */
	/* the best that is known */
	sgang_plan_key best;
	uint32_t best_trail;
	wide gap; /* what a better one may lose */
	/* the search for a better one */
	struct list now, next, sum;
	uint64_t more, less; /* units that undecided groups may
			      * still add or take away */
	struct trail *trail;
	uint32_t n_trail, trail_room;
};

static bool ended(const struct search *search)
{
	return search->steps >= search->steps_max ||
	       !sgang_budget_left(search->choice->budget);
}

static struct sgang_point item_of(const struct group *group, uint32_t item)
{
	static const struct sgang_point nothing;

	return item ? group->point[item - 1] : nothing;
}

/* -- what is reachable -- */

static sgang_plan_key mask(const struct sgang_grain *grain)
{
	return ((sgang_plan_key)1 << grain->shift) - 1;
}

/* The lowest key that can be, not below 'key'. */
static sgang_plan_key round_up(const struct sgang_grain *grain,
			       sgang_plan_key key)
{
	uint64_t cost = (uint64_t)(key >> grain->shift);
	uint64_t broken = (uint64_t)(key & mask(grain));
	uint64_t over = grain->cost ? cost % grain->cost : 0;

	if (broken && !grain->broken) {
		broken = 0;
		cost++;
		over = grain->cost ? cost % grain->cost : 0;
	}
	if (over)
		return (sgang_plan_key)((cost - over + grain->cost)
					<< grain->shift);
	if (grain->broken && broken % grain->broken)
		broken += grain->broken - broken % grain->broken;
	return (sgang_plan_key)((cost << grain->shift) + broken);
}

sgang_plan_key sgang_grain_below(const struct sgang_grain *grain,
				 sgang_plan_key key)
{
	uint64_t broken = (uint64_t)(key & mask(grain));
	uint64_t cost = (uint64_t)(key >> grain->shift);

	if (grain->broken && broken >= grain->broken)
		return key - (sgang_plan_key)grain->broken;
	if (!grain->cost || cost < grain->cost)
		return -1;
	return (sgang_plan_key)((cost - grain->cost) << grain->shift) +
	       mask(grain);
}

/* -- the linear relaxation -- */

/* Does the way from a over b to c bend upwards at b? */
static bool convex(struct sgang_point a, struct sgang_point b,
		   struct sgang_point c)
{
	return (wide)(b.key - a.key) * (wide)(c.cap - b.cap) <
	       (wide)(c.key - b.key) * (wide)(b.cap - a.cap);
}

/* Append the segments of one group's lower hull. */
static void add_hull(struct search *search, uint32_t number)
{
	const struct group *group = &search->group[number];
	struct segment *hull = search->segment + search->n_segments;
	uint32_t item, n = 0;

	for (item = 1; item <= group->n; item++) {
		struct sgang_point to = item_of(group, item), from;

		while (n && !convex(item_of(group, hull[n - 1].from),
				    item_of(group, hull[n - 1].to), to))
			n--;
		hull[n].from = n ? hull[n - 1].to : 0;
		hull[n].to = item;
		hull[n].group = number;
		from = item_of(group, hull[n].from);
		hull[n].slope = (double)(to.key - from.key) /
				(double)(to.cap - from.cap);
		n++;
	}
	search->n_segments += n;
}

static int by_slope(const void *one, const void *two)
{
	const struct segment *a = one, *b = two;

	if (a->slope != b->slope)
		return a->slope < b->slope ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* Take the groups and their hulls in. False when all together hold too little.
 */
static bool set_up(struct search *search)
{
	const struct sgang_choice *choice = search->choice;
	uint64_t most = 0;
	size_t items = 0;
	uint32_t i;

	search->group = sgang_pool_alloc(search->pool, choice->n,
					 sizeof(*search->group));
	for (i = 0; i < choice->n; i++) {
		const struct sgang_front *front = &choice->front[i];
		struct group *group = &search->group[search->n_groups];
		const struct sgang_point *enough;

		if (!front->n)
			continue;
		/* what is above the first point that is enough is useless */
		enough = sgang_front_find(front, choice->need);
		group->n = enough ? (uint32_t)(enough - front->point) + 1 :
				    front->n;
		group->point = front->point;
		group->child = i;
		group->item = 0;
		most += front->point[group->n - 1].cap;
		items += group->n;
		search->n_groups++;
	}
	if (most < choice->need)
		return false;
	search->segment = sgang_pool_alloc(search->pool, items,
					   sizeof(*search->segment));
	for (i = 0; i < search->n_groups; i++)
		add_hull(search, i);
	qsort(search->segment, search->n_segments, sizeof(*search->segment),
	      by_slope);
	return true;
}

/* Take segments in the order of their slopes while they do not reach the need;
 * the next one, which would, sets the price. */
static void take_segments(struct search *search)
{
	uint64_t cap = 0;
	size_t i;

	for (i = 0;; i++) {
		const struct segment *segment = &search->segment[i];
		struct group *group = &search->group[segment->group];
		struct sgang_point from = item_of(group, group->item);
		struct sgang_point to = item_of(group, segment->to);

		/* slopes are rounded, so two may have changed places */
		if (segment->to <= group->item)
			continue;
		search->p = to.key - from.key;
		search->q = (wide)(to.cap - from.cap);
		if (cap + to.cap - from.cap >= search->choice->need)
			return;
		cap += to.cap - from.cap;
		group->item = segment->to;
	}
}

static wide priced(const struct search *search, struct sgang_point point)
{
	return search->q * point.key - search->p * (wide)point.cap;
}

/* Find every group's item of least loss, and the bound. */
static void find_bound(struct search *search)
{
	uint32_t i, item;

	search->base_loss = 0;
	for (i = 0; i < search->n_groups; i++) {
		struct group *group = &search->group[i];
		wide least = priced(search, item_of(group, group->item));

		group->base = group->item;
		for (item = 0; item <= group->n; item++) {
			wide price = priced(search, item_of(group, item));

			if (price < least) {
				least = price;
				group->base = item;
			}
		}
		search->base_loss += least;
	}
	search->bound = search->base_loss +
			search->p * (wide)search->choice->need;
}

/* -- a first solution -- */

static struct sgang_point total(const struct search *search)
{
	struct sgang_point sum = { 0 };
	uint32_t i;

	for (i = 0; i < search->n_groups; i++) {
		const struct group *group = &search->group[i];

		sum.key += item_of(group, group->item).key;
		sum.cap += item_of(group, group->item).cap;
	}
	return sum;
}

/* Change the one item that makes the choice cheapest and keeps (or makes) it
 * large enough. Returns whether there is one that helps. */
static bool change_one(struct search *search, struct sgang_point *sum)
{
	const uint64_t need = search->choice->need;
	bool enough = sum->cap >= need;
	struct sgang_point best = *sum;
	uint32_t i, item, at = 0, to = 0;
	bool found = false;

	for (i = 0; i < search->n_groups; i++) {
		const struct group *group = &search->group[i];
		struct sgang_point now = item_of(group, group->item);

		for (item = 0; item <= group->n; item++) {
			struct sgang_point other = item_of(group, item);
			struct sgang_point changed = {
				.key = sum->key - now.key + other.key,
				.cap = sum->cap - now.cap + other.cap
			};

			if (changed.cap < need)
				continue;
			if ((found || enough) && changed.key >= best.key)
				continue;
			best = changed;
			found = true;
			at = i;
			to = item;
		}
	}
	if (found) {
		search->group[at].item = to;
		*sum = best;
	}
	return found;
}

/* The segments taken, the one item more that makes it enough (that of the next
 * segment does, others may be cheaper), and then what improves it. */
static void first_solution(struct search *search)
{
	struct sgang_point sum = total(search);
	uint32_t rounds = 0;

	while (change_one(search, &sum) && rounds++ < 8)
		;
	search->best = sum.key;
}

/* -- the search for a better one -- */

static void find_gap(struct search *search)
{
	search->gap = search->q *
			      sgang_grain_below(search->grain, search->best) -
		      search->bound;
}

static wide loss_of(const struct search *search, const struct group *group,
		    uint32_t item)
{
	return priced(search, item_of(group, item)) -
	       priced(search, item_of(group, group->base));
}

static int by_second(const void *one, const void *two)
{
	const struct group *a = one, *b = two;

	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return a->child < b->child ? -1 : a->child > b->child;
}

/* The groups that could deviate from their base come first, the likely ones
 * before the others. Returns how many there are. */
static uint32_t order_groups(struct search *search)
{
	uint32_t i, item, n = 0;

	for (i = 0; i < search->n_groups; i++) {
		struct group *group = &search->group[i];

		group->second = search->gap + 1;
		for (item = 0; item <= group->n; item++) {
			wide loss = loss_of(search, group, item);

			if (item != group->base && loss < group->second)
				group->second = loss;
		}
		if (group->second <= search->gap)
			n++;
	}
	qsort(search->group, search->n_groups, sizeof(*search->group),
	      by_second);
	return n;
}

/* The most that a group can add to its base, or take away from it. */
static void find_reach(const struct search *search, const struct group *group,
		       uint64_t *more, uint64_t *less)
{
	uint64_t base = item_of(group, group->base).cap;
	uint32_t item;

	*more = 0;
	*less = 0;
	for (item = 0; item <= group->n; item++) {
		uint64_t cap = item_of(group, item).cap;

		if (loss_of(search, group, item) > search->gap)
			continue;
		if (cap > base && cap - base > *more)
			*more = cap - base;
		if (cap < base && base - cap > *less)
			*less = base - cap;
	}
}

static void reserve(const struct search *search, struct list *list, size_t n)
{
	size_t room = n + n / 2 + 64;

	if (n <= list->room)
		return;
	list->state = sgang_pool_resize(search->pool, list->state, room,
					sizeof(*list->state));
	list->room = room;
}

/* Can the state still become better than the best? */
static bool promising(const struct search *search, const struct state *state)
{
	wide loss = search->q * state->key - search->p * (wide)state->cap -
		    search->base_loss;
	uint64_t need = search->choice->need;

	if (state->cap + search->more < need)
		return false;
	if (state->cap > need + search->less)
		loss += search->p * (wide)(state->cap - need - search->less);
	return loss <= search->gap;
}

/* Remember that 'state' comes about by this item. */
static void mark_trail(struct search *search, struct state *state,
		       uint32_t group, uint32_t item)
{
	if (search->n_trail == search->trail_room) {
		search->trail_room = 2 * search->trail_room + 1024;
		search->trail = sgang_pool_resize(search->pool, search->trail,
						  search->trail_room,
						  sizeof(*search->trail));
	}
	search->trail[search->n_trail].before = state->trail;
	search->trail[search->n_trail].group = group;
	search->trail[search->n_trail].item = item;
	/* 0 is no trail at all */
	state->trail = ++search->n_trail;
	if (state->cap >= search->choice->need && state->key < search->best) {
		search->best = state->key;
		search->best_trail = state->trail;
		find_gap(search);
	}
}

/* sum = sum and 'now' with the group's base exchanged for this item. */
static void add_item(struct search *search, uint32_t number, uint32_t item)
{
	const struct group *group = &search->group[number];
	struct sgang_point base = item_of(group, group->base);
	struct sgang_point other = item_of(group, item);
	struct list *sum = &search->sum, *now = &search->now;
	struct list *next = &search->next, swap;
	size_t i = 0, k = 0;

	reserve(search, next, sum->n + now->n);
	next->n = 0;
	search->steps += sum->n + now->n;
	sgang_budget_take(search->choice->budget, sum->n + now->n);
	while (i < sum->n || k < now->n) {
		struct state state;
		bool fresh = i == sum->n;

		if (k < now->n) {
			state = now->state[k];
			state.key += other.key - base.key;
			state.cap += other.cap - base.cap;
			if (!fresh)
				fresh = state.key < sum->state[i].key ||
					(state.key == sum->state[i].key &&
					 state.cap > sum->state[i].cap);
		}
		if (fresh)
			k++;
		else
			state = sum->state[i++];
		if ((next->n && state.cap <= next->state[next->n - 1].cap) ||
		    !promising(search, &state))
			continue;
		if (fresh)
			mark_trail(search, &state, number, item);
		next->state[next->n++] = state;
	}
	swap = *sum;
	*sum = *next;
	*next = swap;
}

/* Decide one group more. */
static void add_group(struct search *search, uint32_t number)
{
	const struct group *group = &search->group[number];
	struct list swap;
	uint64_t more, less;
	uint32_t item;

	find_reach(search, group, &more, &less);
	search->more -= more < search->more ? more : search->more;
	search->less -= less < search->less ? less : search->less;
	reserve(search, &search->sum, search->now.n);
	memcpy(search->sum.state, search->now.state,
	       search->now.n * sizeof(*search->now.state));
	search->sum.n = search->now.n;
	for (item = 0; item <= group->n; item++) {
		if (ended(search))
			break;
		if (item == group->base ||
		    loss_of(search, group, item) > search->gap)
			continue;
		add_item(search, number, item);
	}
	swap = search->now;
	search->now = search->sum;
	search->sum = swap;
}

/* Go through the groups that may deviate. False when it was given up: that is no
 * proof. */
static bool improve(struct search *search)
{
	uint32_t i, n = order_groups(search);
	struct state *start;

	reserve(search, &search->now, 1);
	start = &search->now.state[0];
	memset(start, 0, sizeof(*start));
	for (i = 0; i < search->n_groups; i++) {
		struct group *group = &search->group[i];
		uint64_t more, less;

		start->key += item_of(group, group->base).key;
		start->cap += item_of(group, group->base).cap;
		if (i < n) {
			find_reach(search, group, &more, &less);
			search->more += more;
			search->less += less;
		}
	}
	search->now.n = 1;
	for (i = 0; i < n && search->now.n; i++) {
		if (search->group[i].second > search->gap)
			break;
		add_group(search, i);
		if (ended(search))
			return false;
	}
	return true;
}

/* Set every group to the item the best solution has. */
static void follow_trail(struct search *search)
{
	uint32_t at, i;

	if (!search->best_trail)
		return;
	for (i = 0; i < search->n_groups; i++)
		search->group[i].item = search->group[i].base;
	for (at = search->best_trail; at; at = search->trail[at - 1].before) {
		const struct trail *trail = &search->trail[at - 1];

		search->group[trail->group].item = trail->item;
	}
}

static void write_choice(const struct search *search, bool proved)
{
	struct sgang_choice *choice = search->choice;
	sgang_plan_key bound = (sgang_plan_key)(search->bound / search->q);
	uint32_t i;

	if (bound * search->q < search->bound)
		bound++;
	bound = round_up(search->grain, bound);
	if (proved || bound > search->best)
		bound = search->best;
	memset(choice->item, 0, choice->n * sizeof(*choice->item));
	for (i = 0; i < search->n_groups; i++)
		choice->item[search->group[i].child] = search->group[i].item;
	choice->key = search->best;
	choice->bound = bound;
	choice->exact = bound == search->best;
}

static bool choose(struct search *search, sgang_plan_key limit)
{
	bool proved;

	if (!set_up(search))
		return false;
	take_segments(search);
	find_bound(search);
	if (search->bound / search->q > limit)
		return false;
	first_solution(search);
	find_gap(search);
	proved = search->gap < 0 || improve(search);
	follow_trail(search);
	write_choice(search, proved);
	return true;
}

bool sgang_choose(struct sgang_choice *choice, const struct sgang_grain *grain,
		  sgang_plan_key limit)
{
	struct search search = {
		.choice = choice,
		.grain = grain,
		.pool = sgang_pool_inside(choice->pool),
		.steps_max = sgang_budget_limits(choice->budget)->choose_steps /
			     (choice->rough ? ROUGH : 1)
	};
	bool found = choose(&search, limit);

	sgang_pool_end(search.pool);
	return found;
}
