/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread_mixed.c - members of different shapes in different domains
 *
 * The members keep their order in the ring, so which of them is next to which
 * decides what the hops between them cost. First a matching gives each member a
 * compartment, where needed by augmenting paths, which find one whenever there
 * is one. Then members move to free compartments, or exchange theirs, as long
 * as the ring becomes cheaper by it.
 */

#include <stdlib.h>

#include "spread.h"

#define NOBODY UINT32_MAX

/* A compartment that a member may have. */
struct option {
	struct sgang_worth part;
	bool other; /* is not wanted */
	uint32_t where;
};

/* By shape: no member needs to look at more options than there are members. */
struct options {
	struct option *option;
	uint32_t n;
};

struct solver {
	const struct sgang_spread *spread;
	struct sgang_pool *pool; /* of this call */
	uint32_t first;          /* the compartments: first .. end - 1 */
	uint32_t end;
	struct options *options; /* by shape */
	uint32_t *owner;         /* by compartment: its member */
	uint32_t *place;         /* by member: its compartment */
	uint32_t *seen;          /* by compartment: latest round in which
				  * it was seen */
	uint32_t round;
	uint64_t steps;
};

static const struct sgang_shape *shape_of(const struct solver *solver,
					  uint32_t member)
{
	const struct sgang_spread *spread = solver->spread;

	return &spread->shape[spread->shape_of[member]];
}

/* -- options -- */

static int by_worth(const void *one, const void *two)
{
	const struct option *a = one, *b = two;

	if (a->other != b->other)
		return a->other ? 1 : -1;
	/* wanted ones in the order of positions, as the ring goes */
	if (a->other && sgang_worth_less(&a->part, &b->part))
		return -1;
	if (a->other && sgang_worth_less(&b->part, &a->part))
		return 1;
	return a->where < b->where ? -1 : a->where > b->where;
}

static void list_options(struct solver *solver, const struct sgang_shape *shape,
			 const bool *wanted, struct options *options)
{
	uint32_t c, most = solver->spread->n_members;

	options->option = sgang_pool_alloc(solver->pool,
					   solver->end - solver->first,
					   sizeof(*options->option));
	options->n = 0;
	for (c = solver->first; c < solver->end; c++) {
		struct option *option = &options->option[options->n];

		if (shape->part[c].cost == UINT64_MAX)
			continue;
		option->part = shape->part[c];
		option->other = !wanted[c];
		option->where = c;
		options->n++;
	}
	qsort(options->option, options->n, sizeof(*options->option), by_worth);
	if (options->n > most)
		options->n = most;
}

static void set_up(struct solver *solver, uint32_t domain, const bool *wanted)
{
	const struct sgang_spread *spread = solver->spread;
	struct sgang_pool *pool = solver->pool;
	uint32_t i;

	sgang_spread_below(spread, domain, &solver->first, &solver->end);
	solver->options = sgang_pool_alloc(pool, spread->n_shapes,
					   sizeof(*solver->options));
	solver->owner = sgang_pool_alloc(pool, spread->n,
					 sizeof(*solver->owner));
	solver->seen = sgang_pool_zalloc(pool, spread->n,
					 sizeof(*solver->seen));
	for (i = 0; i < spread->n; i++)
		solver->owner[i] = NOBODY;
	for (i = 0; i < spread->n_shapes; i++)
		list_options(solver, &spread->shape[i], wanted,
			     &solver->options[i]);
}

/* -- the matching -- */

static void put(struct solver *solver, uint32_t member, uint32_t where)
{
	solver->place[member] = where;
	solver->owner[where] = member;
}

/* A step of a path: this member tries its options from 'next' on. */
struct step {
	uint32_t member;
	uint32_t next;
};

/* Give the members of the path what they found, the last one first. */
static void shift(struct solver *solver, const struct step *path,
		  uint32_t length)
{
	while (length-- > 0) {
		const struct step *step = &path[length];
		const struct options *options =
			&solver->options[solver->spread
						 ->shape_of[step->member]];

		put(solver, step->member,
		    options->option[step->next - 1].where);
	}
}

/* The first of a member's options that nobody has. */
static bool take_free(struct solver *solver, uint32_t member)
{
	const struct options *options =
		&solver->options[solver->spread->shape_of[member]];
	uint32_t i;

	for (i = 0; i < options->n; i++) {
		if (solver->owner[options->option[i].where] == NOBODY) {
			put(solver, member, options->option[i].where);
			return true;
		}
	}
	return false;
}

/* Find a compartment for one more member, others making room. A compartment
 * that was tried without success is not tried again. 'path' has room for all
 * members. */
static bool augment(struct solver *solver, uint32_t member, struct step *path)
{
	uint32_t length = 1;

	path[0] = (struct step){ .member = member };
	while (length) {
		struct step *step = &path[length - 1];
		const struct options *options =
			&solver->options[solver->spread
						 ->shape_of[step->member]];
		uint32_t where;

		if (step->next == options->n) {
			length--;
			continue;
		}
		where = options->option[step->next++].where;
		if (solver->seen[where] == solver->round)
			continue;
		solver->seen[where] = solver->round;
		if (solver->owner[where] == NOBODY) {
			shift(solver, path, length);
			solver->round++;
			return true;
		}
		path[length++] =
			(struct step){ .member = solver->owner[where] };
	}
	return false;
}

/* -- the ring -- */

static uint64_t hop_between(const struct solver *solver, uint32_t a, uint32_t b)
{
	const struct sgang_spread *spread = solver->spread;
	const struct sgang_plan_request *request = spread->job->request;

	/* parents have lower numbers than their children */
	a = spread->at[a].parent;
	b = spread->at[b].parent;
	while (a != b) {
		uint32_t *lower = a > b ? &a : &b;

		*lower = sgang_fabric_domain(request->fabric, *lower)->parent;
	}
	return request->costs
		->hop[sgang_fabric_domain(request->fabric, a)->level];
}

/* The hops inside a member: its part without the hop that leaves it. */
static uint64_t inner_cost(const struct solver *solver, uint32_t member)
{
	const struct sgang_spread *spread = solver->spread;
	const struct sgang_plan_request *request = spread->job->request;
	uint32_t where = solver->place[member];
	uint32_t parent = spread->at[where].parent;

	return shape_of(solver, member)->part[where].cost -
	       request->costs->hop[sgang_fabric_domain(request->fabric, parent)
					   ->level];
}

static uint64_t hop_after(const struct solver *solver, uint32_t member)
{
	uint32_t next = (member + 1) % solver->spread->n_members;

	return hop_between(solver, solver->place[member], solver->place[next]);
}

/* The costs that change with a member's compartment: its part, the hops to it
 * and from it. */
static uint64_t cost_around(const struct solver *solver, uint32_t member)
{
	uint32_t n = solver->spread->n_members;

	return inner_cost(solver, member) + hop_after(solver, member) +
	       hop_after(solver, (member + n - 1) % n);
}

static uint64_t ring_cost(const struct solver *solver)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < solver->spread->n_members; i++)
		sum += inner_cost(solver, i) + hop_after(solver, i);
	return sum;
}

/* -- exchanging -- */

/* Move a member to a compartment; who has that takes the old one. False, and
 * nothing has changed, when that is not cheaper. */
static bool exchange(struct solver *solver, uint32_t member, uint32_t where)
{
	uint32_t old = solver->place[member], other = solver->owner[where];
	uint64_t before, after;

	if (old == where ||
	    shape_of(solver, member)->part[where].cost == UINT64_MAX ||
	    (other != NOBODY &&
	     shape_of(solver, other)->part[old].cost == UINT64_MAX))
		return false;
	before = cost_around(solver, member) +
		 (other == NOBODY ? 0 : cost_around(solver, other));
	solver->owner[old] = NOBODY;
	put(solver, member, where);
	if (other != NOBODY)
		put(solver, other, old);
	after = cost_around(solver, member) +
		(other == NOBODY ? 0 : cost_around(solver, other));
	if (after < before)
		return true;
	solver->owner[where] = NOBODY;
	put(solver, member, old);
	if (other != NOBODY)
		put(solver, other, where);
	return false;
}

static void improve(struct solver *solver, uint64_t enough)
{
	bool better = true;
	uint32_t i, c;

	while (better && ring_cost(solver) > enough) {
		better = false;
		for (i = 0; i < solver->spread->n_members; i++) {
			for (c = solver->first; c < solver->end; c++) {
				if (!solver->steps)
					return;
				solver->steps--;
				better |= exchange(solver, i, c);
			}
		}
	}
}

/* A compartment for each member, or for as many as possible. Returns for how
 * many. */
static uint32_t match(struct solver *solver)
{
	uint32_t n = solver->spread->n_members, i, placed = 0;
	struct step *path = sgang_pool_alloc(solver->pool, n, sizeof(*path));

	solver->round = 1;
	for (i = 0; i < n; i++)
		placed += take_free(solver, i) || augment(solver, i, path);
	return placed;
}

bool sgang_apart_solve(const struct sgang_spread *spread, uint32_t domain,
		       const bool *wanted, uint64_t enough, uint64_t *steps,
		       uint32_t *place, uint64_t *cost, uint32_t *placed)
{
	struct solver solver = { .spread = spread,
				 .pool = sgang_pool_inside(spread->job->pool),
				 .place = place,
				 .steps = *steps };

	set_up(&solver, domain, wanted);
	*placed = match(&solver);
	if (*placed == spread->n_members) {
		improve(&solver, enough);
		*steps = solver.steps;
		*cost = ring_cost(&solver);
	}
	sgang_pool_end(solver.pool);
	return *placed == spread->n_members;
}
