/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_exact.c - small trees of groups: the best of all placements
 *
 * The cost of a place depends only on how many units of each class it has. Such
 * a vector is a state. Bottom-up over the fabric, the best way to each state of
 * a place is found from the states of its children, and so in the end the best
 * way to have all units. States that are worse than a placement already known
 * are left out on the way.
 */

#include <string.h>

#include "roles_private.h"

/* The most vectors that are counted. */
#define STATES_MAX 20000

/* The most states that are kept, of all places together. */
#define KEPT_MAX 400000

/* A state of a place or of some of its children. */
struct state {
	uint64_t units;  /* of each class, in a field with a free bit above */
	uint32_t number; /* the same: unit of each class times its stride */
	uint32_t child;  /* number of the state of the child added last */
	struct sgang_worth worth;
};

struct states {
	struct state *state;
	uint32_t n;
};

struct solver {
	const struct sgang_roles *roles;
	struct sgang_pool *pool;
	struct sgang_fields fields; /* by class */
	struct states *place;       /* by place: it and all in it */
	struct states *sum;         /* by place: it and its elder sisters */
	uint64_t **price;           /* by pair, by state's number: what it cuts;
			       * UNKNOWN: nobody has asked */
	uint32_t *slot;     /* scratch, by number: where the state is, 0: not
			       * yet there, else + 1 */
	struct state *made; /* scratch */
	uint32_t *free;     /* scratch: what a node has left */
	struct sgang_worth most; /* states that are not better are left out */
	uint64_t kept;
	uint64_t steps, steps_max;
	uint32_t *next; /* by class: units that have a node */
	uint32_t *at;   /* the answer */
};

#define UNKNOWN (UINT64_MAX - 1)

/* -- states -- */

/* False when there are too many. */
static bool count_states(struct solver *solver)
{
	const struct sgang_roles *roles = solver->roles;
	uint32_t c;

	for (c = 0; c < roles->n_classes; c++) {
		if (!sgang_fields_add(&solver->fields, roles->class[c].units,
				      STATES_MAX))
			return false;
	}
	return true;
}

/* Keep a copy of the states made. False when there are too many. */
static bool keep(struct solver *solver, uint32_t n, struct states *states)
{
	states->n = n;
	states->state = sgang_pool_alloc(solver->pool, n ? n : 1,
					 sizeof(*states->state));
	memcpy(states->state, solver->made, n * sizeof(*states->state));
	solver->kept += n;
	return solver->kept <= KEPT_MAX;
}

static bool is_worse(const struct solver *solver,
		     const struct sgang_worth *worth)
{
	return !sgang_worth_less(worth, &solver->most);
}

/* Put a state among those made, unless a better one is there. */
static void offer(struct solver *solver, const struct state *state, uint32_t *n)
{
	uint32_t *slot = &solver->slot[state->number];

	if (!*slot) {
		solver->made[(*n)++] = *state;
		*slot = *n;
	} else if (sgang_worth_less(&state->worth,
				    &solver->made[*slot - 1].worth)) {
		solver->made[*slot - 1] = *state;
	}
}

/* All states of two sets of places together. False when it takes too long. */
static bool add(struct solver *solver, const struct states *a,
		const struct states *b, struct states *sum)
{
	uint32_t i, j, n = 0;

	solver->steps += (uint64_t)a->n * b->n;
	if (solver->steps > solver->steps_max)
		return false;
	for (i = 0; i < a->n; i++) {
		for (j = 0; j < b->n; j++) {
			struct state state = a->state[i];

			state.units += b->state[j].units;
			if (!sgang_fields_within(&solver->fields, state.units,
						 solver->fields.full))
				continue;
			state.number += b->state[j].number;
			state.child = b->state[j].number;
			state.worth.price += b->state[j].worth.price;
			state.worth.tie += b->state[j].worth.tie;
			if (!is_worse(solver, &state.worth))
				offer(solver, &state, &n);
		}
	}
	for (i = 0; i < n; i++)
		solver->slot[solver->made[i].number] = 0;
	return keep(solver, n, sum);
}

/* -- the cost of a state in a place -- */

/* The price of the groups that it cuts. */
static uint64_t cut_price(const struct solver *solver, uint32_t pair,
			  uint64_t units)
{
	const struct sgang_roles *roles = solver->roles;
	const uint64_t *price = roles->pairs[pair].price;
	uint32_t c = 0, g, h, end;
	uint64_t sum = 0;

	for (g = 0; g < roles->n_groups; g++) {
		uint32_t here = 0;

		c = roles->class_of[roles->group[g].first];
		for (end = 0, h = c;
		     h < roles->n_classes && end < roles->units[g]; h++) {
			here += sgang_fields_get(&solver->fields, units, h);
			end += roles->class[h].units;
		}
		if (!here || here == roles->units[g])
			continue;
		if (price[g] >= roles->never)
			return SGANG_CUT_NEVER;
		sum += price[g];
	}
	return sum;
}

static uint64_t price_at(struct solver *solver, uint32_t pair,
			 const struct state *state)
{
	uint64_t *price = &solver->price[pair][state->number];

	if (*price == UNKNOWN) {
		*price = cut_price(solver, pair, state->units);
		solver->steps += solver->roles->n_groups;
	}
	return *price;
}

/* The weight of a place that is used, and what that breaks. */
static uint64_t tie_at(const struct sgang_roles *roles, uint32_t place)
{
	const struct sgang_coin *coin = roles->job->coin;
	uint32_t d = place - roles->n_nodes;

	if (place < roles->n_nodes)
		return sgang_coin_at(coin, place);
	if (sgang_fabric_domain(roles->job->request->fabric, d)->n_children)
		return roles->broken[d];
	return roles->broken[d] + sgang_coin_in(coin, d);
}

/* The states of a place from those inside it. Returns as add(). */
static bool finish(struct solver *solver, uint32_t place,
		   const struct states *inside, bool highest)
{
	uint64_t tie = tie_at(solver->roles, place);
	uint32_t i, n = 0;

	for (i = 0; i < inside->n; i++) {
		struct state state = inside->state[i];
		uint64_t price = 0;

		if (state.units) {
			if (!highest)
				price = price_at(solver,
						 solver->roles->pair[place],
						 &state);
			if (price == SGANG_CUT_NEVER)
				continue;
			state.worth.price += price;
			state.worth.tie += tie;
		}
		if (!is_worse(solver, &state.worth))
			solver->made[n++] = state;
	}
	solver->steps += inside->n;
	return keep(solver, n, &solver->place[place]);
}

/* -- nodes -- */

/* All units that fit with those of earlier classes. */
static void fill_node(struct solver *solver, uint32_t pos, uint32_t class,
		      struct state state, uint32_t *n)
{
	const struct sgang_roles *roles = solver->roles;
	const struct sgang_job *job = roles->job;
	uint32_t node = sgang_fabric_order(job->request->fabric)[pos];
	const struct sgang_class *c = &roles->class[class];
	const struct sgang_kind *kind;
	uint32_t most, x;
	uint64_t own;

	if (class == roles->n_classes) {
		solver->made[(*n)++] = state;
		solver->steps++;
		return;
	}
	kind = &job->kind[c->kind];
	own = sgang_roles_own(roles, class, pos);
	most = sgang_kind_fits(job, kind, node, solver->free);
	most = most < c->per_node ? most : c->per_node;
	most = most < c->units ? most : c->units;
	for (x = 0; x <= most && solver->steps <= solver->steps_max; x++) {
		fill_node(solver, pos, class + 1, state, n);
		state.units += UINT64_C(1) << solver->fields.shift[class];
		state.number += solver->fields.stride[class];
		state.worth.price += own;
		if (x < most)
			sgang_kind_take(job, kind, node, 1, solver->free);
	}
	sgang_kind_give_back(job, kind, node, x < most ? x : most,
			     solver->free);
}

/* Returns as add(). */
static bool do_node(struct solver *solver, uint32_t pos, bool highest)
{
	const struct sgang_job *job = solver->roles->job;
	uint32_t node = sgang_fabric_order(job->request->fabric)[pos];
	struct states inside;
	uint32_t n = 0;

	memcpy(solver->free, sgang_job_free(job, node),
	       job->request->n_dims * sizeof(*solver->free));
	fill_node(solver, pos, 0, (struct state){ .units = 0 }, &n);
	return solver->steps <= solver->steps_max && keep(solver, n, &inside) &&
	       finish(solver, pos, &inside, highest);
}

/* -- domains -- */

/* Remember the place if it has all units, in a better way than others. */
static void offer_place(struct solver *solver, uint32_t place, uint32_t *best)
{
	const struct sgang_roles *roles = solver->roles;
	const struct states *states = &solver->place[place];
	uint32_t i, p;

	for (i = 0; i < states->n; i++) {
		struct sgang_worth worth = states->state[i].worth;

		if (states->state[i].units != solver->fields.full)
			continue;
		for (p = roles->up[place]; p != SGANG_DOMAIN_NONE;
		     p = roles->up[p])
			worth.tie += tie_at(roles, p);
		if (is_worse(solver, &worth))
			continue;
		solver->most = worth;
		*best = place;
	}
}

static bool do_nodes(struct solver *solver, const struct sgang_domain *leaf,
		     uint32_t *best)
{
	bool done = true;
	uint32_t i;

	for (i = 0; i < leaf->n_nodes && done; i++) {
		uint32_t pos = leaf->first_pos + i;
		bool highest = sgang_roles_above(solver->roles, pos) ==
			       SGANG_LEVELS;

		done = do_node(solver, pos, highest);
		if (done && highest)
			offer_place(solver, pos, best);
	}
	return done;
}

/* Call when its children are done. Returns as add(). */
static bool do_domain(struct solver *solver, uint32_t d, uint32_t *best)
{
	const struct sgang_roles *roles = solver->roles;
	const struct sgang_domain *domain =
		sgang_fabric_domain(roles->job->request->fabric, d);
	struct state none = { .units = 0 };
	struct states sum = { .state = &none, .n = 1 };
	uint32_t place = roles->n_nodes + d, i;
	bool highest = sgang_roles_above(roles, place) == SGANG_LEVELS;

	if (!domain->n_children && !do_nodes(solver, domain, best))
		return false;
	if (!sgang_tree_allowed(roles->job->request, d))
		return true;
	for (i = 0; i < sgang_roles_children(domain); i++) {
		uint32_t child = sgang_roles_child(roles, domain, i);

		if (!add(solver, &sum, &solver->place[child],
			 &solver->sum[child]))
			return false;
		sum = solver->sum[child];
	}
	if (!finish(solver, place, &sum, highest))
		return false;
	if (highest)
		offer_place(solver, place, best);
	return true;
}

/* -- the answer -- */

static void take_node(struct solver *solver, uint32_t pos, uint64_t units)
{
	uint32_t c, n;

	for (c = 0; c < solver->roles->n_classes; c++) {
		n = sgang_fields_get(&solver->fields, units, c);
		while (n--)
			solver->at[solver->roles->class[c].first +
				   solver->next[c]++] = pos;
	}
}

static const struct state *find_state(const struct states *states,
				      uint32_t number)
{
	uint32_t i = 0;

	while (states->state[i].number != number)
		i++;
	return &states->state[i];
}

/* The state of this number, of a place. Not deeper than the fabric. */
static void take_place(struct solver *solver, uint32_t place, uint32_t number)
{
	const struct sgang_roles *roles = solver->roles;
	const struct sgang_domain *domain;
	uint32_t i;

	if (place < roles->n_nodes) {
		take_node(solver, place,
			  find_state(&solver->place[place], number)->units);
		return;
	}
	domain = sgang_fabric_domain(roles->job->request->fabric,
				     place - roles->n_nodes);
	for (i = sgang_roles_children(domain); i-- > 0 && number;) {
		uint32_t child = sgang_roles_child(roles, domain, i);
		uint32_t here = find_state(&solver->sum[child], number)->child;

		take_place(solver, child, here);
		number -= here;
	}
}

/* -- the solver -- */

/* False when there are too many states. */
static bool set_up(struct solver *solver)
{
	const struct sgang_roles *roles = solver->roles;
	struct sgang_pool *pool = solver->pool;
	uint32_t n, i, k;

	if (!count_states(solver))
		return false;
	n = solver->fields.numbers;
	solver->next = sgang_pool_zalloc(pool, roles->n_classes,
					 sizeof(*solver->next));
	solver->slot = sgang_pool_zalloc(pool, n, sizeof(*solver->slot));
	solver->made = sgang_pool_alloc(pool, n, sizeof(*solver->made));
	solver->free = sgang_pool_alloc(pool, SGANG_PLAN_DIMS,
					sizeof(*solver->free));
	solver->price = sgang_pool_alloc(pool, roles->n_pairs + 1,
					 sizeof(*solver->price));
	solver->place = sgang_pool_zalloc(pool, roles->n_places,
					  sizeof(*solver->place));
	solver->sum = sgang_pool_zalloc(pool, roles->n_places,
					sizeof(*solver->sum));
	for (i = 0; i < roles->n_pairs; i++) {
		solver->price[i] = sgang_pool_alloc(pool, n,
						    sizeof(**solver->price));
		for (k = 0; k < n; k++)
			solver->price[i][k] = UNKNOWN;
	}
	return true;
}

static int solve(struct solver *solver, struct sgang_worth *worth, uint32_t *at)
{
	const struct sgang_roles *roles = solver->roles;
	uint32_t d = sgang_fabric_domains(roles->job->request->fabric);
	uint32_t best = SGANG_DOMAIN_NONE, number;

	while (d-- > 0) {
		if (!do_domain(solver, d, &best))
			return 2;
	}
	if (best == SGANG_DOMAIN_NONE)
		return 0;
	solver->at = at;
	number = solver->fields.numbers - 1;
	take_place(solver, best, number);
	*worth = solver->most;
	return 1;
}

int sgang_roles_exact(const struct sgang_roles *roles,
		      struct sgang_worth *worth, uint32_t *at)
{
	struct sgang_budget *budget = roles->job->request->budget;
	struct solver solver = {
		.roles = roles,
		.pool = sgang_pool_inside(roles->job->pool),
		.most = *worth,
		.steps_max = sgang_budget_share(
			budget, sgang_budget_limits(budget)->roles_exact_steps)
	};
	int rc = set_up(&solver) ? solve(&solver, worth, at) : 2;

	sgang_budget_take(budget, solver.steps);
	sgang_pool_end(solver.pool);
	return rc;
}
