/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_fit.c - trees of groups: does each group fit into its level
 *
 * Groups that require a lower level than the one around them are *confined*,
 * and few kinds of them differ in that. A place matters by how many groups of
 * each kind are wholly in it, and how many units have room with them at the
 * most. Bottom-up over the fabric, children are put together. Where a place is
 * the highest that a kind may span, groups of that kind are made of the units
 * and confined groups in them. The result is exact: a placement, or the proof
 * that there is none.
 */

#include <string.h>

#include "roles_private.h"

#define KINDS_MAX 16
#define NUMBERS_MAX 1000000 /* of vectors */
#define KEPT_MAX 400000     /* states of all places together */

/* Confined groups of one kind. */
struct kind {
	uint32_t require;
	uint32_t loose;          /* units that are in no confined group */
	uint32_t has[KINDS_MAX]; /* confined groups right in it, by kind */
	uint32_t n;              /* such groups */
	uint32_t wanted; /* by groups that may span this level at the most */
	uint64_t vector; /* 'has' */
};

/* A number of groups of each kind in a place. */
struct state {
	uint64_t groups;
	uint32_t number;
	uint32_t child; /* number of the state of the child added last */
	uint32_t room;  /* units that fit beside them */
};

struct states {
	struct state *state;
	uint32_t n;
};

/* A place, its children put together and then with groups made in it. */
struct place {
	struct states inside;
	struct states made;
	struct states sum; /* it and its elder sisters */
};

struct solver {
	const struct sgang_roles *roles;
	struct sgang_pool *pool;
	struct kind gang; /* the first group: not one of the kinds */
	struct kind kind[KINDS_MAX];
	uint32_t n_kinds;
	uint32_t *kind_of; /* by group; KINDS_MAX: it is not confined */
	struct sgang_fields fields;
	struct place *place;
	uint32_t *slot; /* scratch, as in roles_exact.c */
	struct state *made;
	uint32_t n_made, made_max;
	uint64_t kept;
	uint64_t steps, steps_max;
	uint32_t *at; /* the answer */
};

/* -- kinds -- */

static uint32_t find_kind(struct solver *solver, const struct kind *like)
{
	uint32_t k;

	for (k = 0; k < solver->n_kinds; k++) {
		const struct kind *kind = &solver->kind[k];

		if (kind->require == like->require &&
		    kind->loose == like->loose &&
		    !memcmp(kind->has, like->has, sizeof(kind->has)))
			return k;
	}
	if (k < KINDS_MAX)
		solver->kind[solver->n_kinds++] = *like;
	return k;
}

/* Add the parts of a group to the one around it. Returns false when there are
 * too many kinds. */
static bool add_group(struct solver *solver, uint32_t g, struct kind *of)
{
	const struct sgang_roles *roles = solver->roles;
	uint32_t parent = roles->group[g].parent, k;

	if (roles->require[g] < roles->require[parent]) {
		k = find_kind(solver, &of[g]);
		if (k == KINDS_MAX)
			return false;
		solver->kind_of[g] = k;
		solver->kind[k].n++;
		of[parent].has[k]++;
		return true;
	}
	of[parent].loose += of[g].loose;
	for (k = 0; k < KINDS_MAX; k++)
		of[parent].has[k] += of[g].has[k];
	return true;
}

/* The confined group, or the gang, that a group is right in. */
static uint32_t above(const struct solver *solver, uint32_t g)
{
	do {
		g = solver->roles->group[g].parent;
	} while (g && solver->kind_of[g] == KINDS_MAX);
	return g;
}

static uint64_t vector_of(const struct solver *solver, const uint32_t *has)
{
	uint64_t vector = 0;
	uint32_t k;

	for (k = 0; k < solver->n_kinds; k++)
		vector |= (uint64_t)has[k] << solver->fields.shift[k];
	return vector;
}

/* False when there are too many kinds. */
static bool find_kinds(struct solver *solver)
{
	const struct sgang_roles *roles = solver->roles;
	struct kind *of = sgang_pool_zalloc(solver->pool, roles->n_groups,
					    sizeof(*of));
	uint32_t g, k;

	for (g = roles->n_groups; g-- > 0;) {
		of[g].require = roles->require[g];
		if (sgang_roles_leaf(roles, g))
			of[g].loose = roles->units[g];
		solver->kind_of[g] = KINDS_MAX;
		if (g && !add_group(solver, g, of))
			return false;
	}
	solver->gang = of[0];
	for (k = 0; k < solver->n_kinds; k++) {
		if (!sgang_fields_add(&solver->fields, solver->kind[k].n,
				      NUMBERS_MAX))
			return false;
	}
	if (!solver->n_kinds)
		solver->fields.numbers = 1;
	for (k = 0; k < solver->n_kinds; k++)
		solver->kind[k].vector = vector_of(solver, solver->kind[k].has);
	solver->gang.vector = vector_of(solver, solver->gang.has);
	for (g = 1; g < roles->n_groups; g++) {
		uint32_t level = roles->require[above(solver, g)];

		k = solver->kind_of[g];
		if (k < KINDS_MAX && level > solver->kind[k].wanted)
			solver->kind[k].wanted = level;
	}
	return true;
}

/* -- states -- */

static uint32_t number_of(const struct solver *solver, uint64_t groups)
{
	uint32_t k, number = 0;

	for (k = 0; k < solver->n_kinds; k++)
		number += sgang_fields_get(&solver->fields, groups, k) *
			  solver->fields.stride[k];
	return number;
}

/* Put a state among those made, unless one with as much room is there. False
 * when there are too many. */
static bool offer(struct solver *solver, const struct state *state)
{
	uint32_t *slot = &solver->slot[state->number];

	if (!*slot) {
		if (solver->n_made == solver->made_max)
			return false;
		solver->made[solver->n_made++] = *state;
		*slot = solver->n_made;
	} else if (state->room > solver->made[*slot - 1].room) {
		solver->made[*slot - 1] = *state;
	}
	return true;
}

/* Keep the states that were made and are of use right below 'level'. False when
 * there are too many. */
static bool keep(struct solver *solver, uint32_t level, struct states *states)
{
	uint64_t useless = 0;
	uint32_t i, k, n = 0;

	for (k = 0; k < solver->n_kinds; k++) {
		if (solver->kind[k].wanted < level)
			useless |= solver->fields.mask[k]
				   << solver->fields.shift[k];
	}
	states->state = sgang_pool_alloc(solver->pool, solver->n_made + 1,
					 sizeof(*states->state));
	for (i = 0; i < solver->n_made; i++) {
		solver->slot[solver->made[i].number] = 0;
		if (!(solver->made[i].groups & useless))
			states->state[n++] = solver->made[i];
	}
	states->n = n;
	solver->n_made = 0;
	solver->kept += n;
	return solver->kept <= KEPT_MAX;
}

/* Returns as keep(). */
static bool add(struct solver *solver, const struct states *a,
		const struct states *b, struct states *sum)
{
	uint32_t i, j;

	solver->steps += (uint64_t)a->n * b->n;
	if (solver->steps > solver->steps_max)
		return false;
	for (i = 0; i < a->n; i++) {
		for (j = 0; j < b->n; j++) {
			struct state state = a->state[i];

			state.groups += b->state[j].groups;
			if (!sgang_fields_within(&solver->fields, state.groups,
						 solver->fields.full))
				continue;
			state.number += b->state[j].number;
			state.child = b->state[j].number;
			state.room += b->state[j].room;
			if (!offer(solver, &state))
				return false;
		}
	}
	return keep(solver, 0, sum);
}

/* -- places -- */

/* True if this place is the highest that such groups may span. */
static bool is_made_in(const struct solver *solver, uint32_t k, uint32_t place)
{
	uint32_t require = solver->kind[k].require;

	return sgang_roles_level(solver->roles, place) <= require &&
	       sgang_roles_above(solver->roles, place) > require;
}

/* Make one more group of a kind of each state from the 'from'-th on. */
static bool make_one(struct solver *solver, uint32_t k, uint32_t from,
		     uint32_t end)
{
	const struct kind *kind = &solver->kind[k];
	uint32_t i;

	for (i = from; i < end; i++) {
		struct state state = solver->made[i];

		solver->steps++;
		if (state.room < kind->loose ||
		    !sgang_fields_within(&solver->fields, kind->vector,
					 state.groups))
			continue;
		state.groups -= kind->vector;
		state.groups += UINT64_C(1) << solver->fields.shift[k];
		state.room -= kind->loose;
		state.number = number_of(solver, state.groups);
		if (!offer(solver, &state))
			return false;
	}
	return true;
}

/* No group of the kind is in this place yet: make one after the other. */
static bool make_kind(struct solver *solver, uint32_t k)
{
	uint32_t from = 0, end = solver->n_made, i;

	for (i = 0; i < solver->kind[k].n && from < end; i++) {
		if (!make_one(solver, k, from, end) ||
		    solver->steps > solver->steps_max)
			return false;
		from = end;
		end = solver->n_made;
	}
	return true;
}

/* Kinds follow those that they are made of. Returns as keep(). */
static bool finish(struct solver *solver, uint32_t place)
{
	const struct states *inside = &solver->place[place].inside;
	uint32_t level = sgang_roles_above(solver->roles, place), i, k;

	for (i = 0; i < inside->n; i++) {
		if (!offer(solver, &inside->state[i]))
			return false;
	}
	for (k = 0; k < solver->n_kinds; k++) {
		if (is_made_in(solver, k, place) && !make_kind(solver, k))
			return false;
	}
	return keep(solver, level < SGANG_LEVELS ? level : 0,
		    &solver->place[place].made);
}

static bool do_node(struct solver *solver, uint32_t pos)
{
	struct state all = { .room = solver->roles->tree.cap[pos] };

	offer(solver, &all);
	(void)keep(solver, 0, &solver->place[pos].inside);
	return finish(solver, pos);
}

/* Call when its children are done, unless they are nodes. */
static bool do_domain(struct solver *solver, uint32_t d)
{
	const struct sgang_roles *roles = solver->roles;
	const struct sgang_domain *domain =
		sgang_fabric_domain(roles->job->request->fabric, d);
	struct state none = { .groups = 0 };
	struct states sum = { .state = &none, .n = 1 };
	uint32_t place = roles->n_nodes + d, i;
	bool inside = domain->level <= roles->require[0];

	for (i = 0; i < sgang_roles_children(domain); i++) {
		uint32_t child = sgang_roles_child(roles, domain, i);

		if (!domain->n_children && !do_node(solver, child))
			return false;
		if (inside && !add(solver, &sum, &solver->place[child].made,
				   &solver->place[child].sum))
			return false;
		if (inside)
			sum = solver->place[child].sum;
	}
	solver->place[place].inside = sum;
	return !inside || finish(solver, place);
}

/* The state of a place in which the gang is; NULL: none. */
static const struct state *find_gang(const struct solver *solver,
				     uint32_t place)
{
	const struct states *states = &solver->place[place].made;
	uint32_t i;

	if (sgang_roles_above(solver->roles, place) < SGANG_LEVELS)
		return NULL;
	for (i = 0; i < states->n; i++) {
		if (states->state[i].groups == solver->gang.vector &&
		    states->state[i].room >= solver->gang.loose)
			return &states->state[i];
	}
	return NULL;
}

/* -- the answer -- */

/* Confined groups and loose units that are to be in a place. */
struct load {
	uint32_t *group;
	uint32_t n_groups;
	uint32_t *unit;
	uint32_t n_units;
};

static void open_load(const struct solver *solver, struct sgang_pool *pool,
		      struct load *load)
{
	const struct sgang_roles *roles = solver->roles;

	memset(load, 0, sizeof(*load));
	load->group = sgang_pool_alloc(pool, roles->n_groups,
				       sizeof(*load->group));
	load->unit = sgang_pool_alloc(pool, roles->n_units,
				      sizeof(*load->unit));
}

/* Replace a group by its parts. */
static void unpack(const struct solver *solver, uint32_t g, struct load *load)
{
	const struct sgang_roles *roles = solver->roles;
	uint32_t h, c, i;

	if (sgang_roles_leaf(roles, g)) {
		c = roles->class_of[roles->group[g].first];
		for (i = 0; i < roles->units[g]; i++)
			load->unit[load->n_units++] = roles->class[c].first + i;
		return;
	}
	for (h = g + 1;
	     h < roles->n_groups && roles->depth[h] > roles->depth[g]; h++) {
		if (roles->group[h].parent != g)
			continue;
		if (solver->kind_of[h] < KINDS_MAX)
			load->group[load->n_groups++] = h;
		else
			unpack(solver, h, load);
	}
}

/* Take all groups of a kind apart. Returns their number. */
static uint32_t unmake(const struct solver *solver, uint32_t k,
		       struct load *load)
{
	uint32_t n = load->n_groups, i, out = 0, made = 0;

	for (i = 0; i < n; i++) {
		uint32_t g = load->group[i];

		if (solver->kind_of[g] == k) {
			/* no kind is in itself, so the parts are behind */
			made++;
			load->group[i] = SGANG_PLAN_NO_GROUP;
			unpack(solver, g, load);
		}
	}
	for (i = 0; i < load->n_groups; i++) {
		if (load->group[i] != SGANG_PLAN_NO_GROUP)
			load->group[out++] = load->group[i];
	}
	load->n_groups = out;
	return made;
}

static const struct state *find_state(const struct states *states,
				      uint64_t groups)
{
	uint32_t i = 0;

	while (states->state[i].groups != groups)
		i++;
	return &states->state[i];
}

/* Move so many groups of each kind, and units, to another load: those that
 * came last. */
static void move(const struct solver *solver, struct load *from,
		 uint64_t groups, uint32_t units, struct load *to)
{
	uint32_t left[KINDS_MAX], i, k, out = 0;

	for (k = 0; k < solver->n_kinds; k++)
		left[k] = sgang_fields_get(&solver->fields, groups, k);
	to->n_groups = 0;
	for (i = from->n_groups; i-- > 0;) {
		k = solver->kind_of[from->group[i]];
		if (!left[k])
			continue;
		left[k]--;
		to->group[to->n_groups++] = from->group[i];
		from->group[i] = SGANG_PLAN_NO_GROUP;
	}
	for (i = 0; i < from->n_groups; i++) {
		if (from->group[i] != SGANG_PLAN_NO_GROUP)
			from->group[out++] = from->group[i];
	}
	from->n_groups = out;
	from->n_units -= units;
	memcpy(to->unit, from->unit + from->n_units, units * sizeof(*to->unit));
	to->n_units = units;
}

/* Put a load into a place, which has room for it. Not deeper than the fabric. */
static void take(struct solver *solver, uint32_t place, struct load *load)
{
	const struct sgang_roles *roles = solver->roles;
	const struct sgang_domain *domain;
	struct sgang_pool *pool;
	struct load part;
	uint64_t groups = 0;
	uint32_t i, k;

	for (k = solver->n_kinds; k-- > 0;) {
		if (is_made_in(solver, k, place))
			unmake(solver, k, load);
	}
	for (i = 0; i < load->n_groups; i++)
		groups += UINT64_C(1)
			  << solver->fields
				     .shift[solver->kind_of[load->group[i]]];
	if (place < roles->n_nodes) {
		for (i = 0; i < load->n_units; i++)
			solver->at[load->unit[i]] = place;
		return;
	}
	domain = sgang_fabric_domain(roles->job->request->fabric,
				     place - roles->n_nodes);
	pool = sgang_pool_inside(solver->pool);
	open_load(solver, pool, &part);
	for (i = sgang_roles_children(domain); i-- > 0;) {
		uint32_t child = sgang_roles_child(roles, domain, i);
		const struct place *p = &solver->place[child];
		const struct state *sum = find_state(&p->sum, groups), *here;

		for (here = p->made.state; here->number != sum->child; here++)
			;
		move(solver, load, here->groups,
		     here->room < load->n_units ? here->room : load->n_units,
		     &part);
		groups -= here->groups;
		if (part.n_groups || part.n_units)
			take(solver, child, &part);
	}
	sgang_pool_end(pool);
}

/* -- the solver -- */

/* Returns as sgang_roles_fit(). */
static int solve(struct solver *solver)
{
	const struct sgang_roles *roles = solver->roles;
	uint32_t d = sgang_fabric_domains(roles->job->request->fabric), p;
	struct load load;

	while (d-- > 0) {
		if (!do_domain(solver, d))
			return 2;
	}
	for (p = 0; p < roles->n_places; p++) {
		if (find_gang(solver, p))
			break;
	}
	if (p == roles->n_places)
		return 0;
	open_load(solver, solver->pool, &load);
	unpack(solver, 0, &load);
	take(solver, p, &load);
	return sgang_roles_valid(roles, solver->at) ? 1 : 2;
}

int sgang_roles_fit(const struct sgang_roles *roles, uint32_t *at)
{
	struct sgang_budget *budget = roles->job->request->budget;
	struct solver solver = {
		.roles = roles,
		.pool = sgang_pool_inside(roles->job->pool),
		.at = at,
		.steps_max = sgang_budget_share(
			budget, sgang_budget_limits(budget)->roles_fit_steps)
	};
	uint32_t n;
	int rc = 2;

	solver.kind_of = sgang_pool_alloc(solver.pool, roles->n_groups,
					  sizeof(*solver.kind_of));
	if (find_kinds(&solver)) {
		n = solver.fields.numbers;
		solver.made_max = n < KEPT_MAX ? n : KEPT_MAX;
		solver.slot = sgang_pool_zalloc(solver.pool, n,
						sizeof(*solver.slot));
		solver.made = sgang_pool_alloc(solver.pool, solver.made_max,
					       sizeof(*solver.made));
		solver.place = sgang_pool_zalloc(solver.pool, roles->n_places,
						 sizeof(*solver.place));
		rc = solve(&solver);
	}
	sgang_budget_take(budget, solver.steps);
	sgang_pool_end(solver.pool);
	return rc;
}
