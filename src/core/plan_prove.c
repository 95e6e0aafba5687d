/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_prove.c - small gangs: every placement, as far as it can be the best
 *
 * What is left between the bound and what was found is mostly this: members on
 * distinct nodes that share nodes with each other. A ring comes to such a node
 * again and again, and how often it has to is no question of how much fits
 * where. So the units are placed one after the other in the order of the ring,
 * and a branch ends when what is placed and the least for the rest is not
 * better than the best placement known:
 *
 *  - hops inside a member on distinct nodes leave the node;
 *  - of all hops from here to the first node one meets it as high as they do,
 *    since levels are nested.
 *
 * Of nodes that are alike and not used yet only the first is tried.
 */

#include <stdlib.h>

#include "plan_private.h"

/* The search is for gangs of so many units on so many nodes, and ends after so
 * many tries, about 2 ms. */
#define UNITS_MAX 16
#define NODES_MAX 128
#ifndef PROVE_TRIES_MAX			/* a test lowers it */
#define PROVE_TRIES_MAX 100000
#endif

/* A node on which a unit may be. */
struct place {
	uint32_t node;
	uint32_t leaf;
	uint32_t left;			/* slots */
	uint32_t used;			/* units on it */
	uint32_t alike;			/* the next one before it that is, or
					 * itself */
};

struct unit {
	uint32_t member;
	const struct sgang_kind *kind;
	bool apart;			/* not where its member is already */
	uint64_t ranks;			/* what its ranks cost at the least */
	uint64_t rest;			/* what all after it cost at the least,
					 * with the hops to and from them */
	uint32_t longest;		/* hop among these, at the least */
};

struct prover {
	const struct sgang_job *job;
	const struct sgang_plan_request *request;
	const uint64_t *broken;
	struct place place[NODES_MAX];
	uint32_t n_places;
	struct unit unit[UNITS_MAX];
	uint32_t n_units;
	uint32_t at[UNITS_MAX];		/* by unit: its place */
	uint32_t best[UNITS_MAX];
	uint64_t cost;			/* of the best placement known, */
	uint64_t breaks;		/* and what it breaks */
	bool better;			/* it was found here */
	uint32_t *using;		/* by domain: how often it is used */
	uint32_t tries;
};

/* -- set-up -- */

static bool allowed_on(const struct sgang_kind *kind, uint32_t node)
{
	return !kind->allowed || sgang_nodeset_has(kind->allowed, node);
}

/* Is it all the same which of these two of one domain, both not used, a unit
 * takes? */
static bool alike(const struct prover *prover, const struct place *a,
		  const struct place *b)
{
	const uint32_t *total = prover->request->total;
	uint32_t k;

	if (a->left != b->left || total[a->node] != total[b->node])
		return false;
	for (k = 0; k < prover->job->n_kinds; k++) {
		const struct sgang_kind *kind = &prover->job->kind[k];

		if (allowed_on(kind, a->node) != allowed_on(kind, b->node))
			return false;
	}
	return true;
}

/* List the nodes that any unit fits on, those of a domain together. False when
 * there are too many. */
static bool list_places(struct prover *prover)
{
	const struct sgang_fabric *fabric = prover->request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t n = sgang_fabric_nodes(fabric), pos, k, i;

	for (pos = 0; pos < n; pos++) {
		uint32_t node = order[pos], free = prover->request->free[node];
		struct place *place = &prover->place[prover->n_places];
		uint32_t fits = 0;

		for (k = 0; k < prover->job->n_kinds && !fits; k++)
			fits = sgang_kind_fits(prover->job,
					       &prover->job->kind[k], node,
					       free);
		if (!fits)
			continue;
		if (prover->n_places == NODES_MAX)
			return false;
		place->node = node;
		place->leaf = sgang_fabric_leaf(fabric, node);
		place->left = free;
		place->used = 0;
		place->alike = prover->n_places;
		for (i = prover->n_places; i-- > 0 &&
		     prover->place[i].leaf == place->leaf; ) {
			if (alike(prover, place, &prover->place[i])) {
				place->alike = i;
				break;
			}
		}
		prover->n_places++;
	}
	return true;
}

static uint64_t ranks_cost(const struct prover *prover,
			   const struct unit *unit, uint32_t node)
{
	uint64_t ranks = sgang_kind_ranks(prover->job, unit->kind, node);

	return (ranks - 1) *
	       prover->request->costs->hop[SGANG_LEVEL_ISLAND];
}

static void add_unit(struct prover *prover, uint32_t member)
{
	struct unit *unit = &prover->unit[prover->n_units++];
	uint32_t i;

	unit->member = member;
	unit->kind = &prover->job->kind[prover->job->kind_of[member]];
	unit->apart = sgang_member_distinct(
		&prover->request->members[member]);
	unit->ranks = UINT64_MAX;
	for (i = 0; i < prover->n_places; i++) {
		uint32_t node = prover->place[i].node;
		uint64_t cost;

		if (!sgang_kind_fits(prover->job, unit->kind, node,
				     prover->place[i].left))
			continue;
		cost = ranks_cost(prover, unit, node);
		unit->ranks = cost < unit->ranks ? cost : unit->ranks;
	}
}

/* What is to come after each unit: its hop to the next one, and so on to the
 * first. */
static void add_rests(struct prover *prover)
{
	const uint32_t *hop = prover->request->costs->hop;
	uint64_t rest = 0;
	uint32_t i, longest = 0;

	for (i = prover->n_units; i-- > 0; ) {
		struct unit *unit = &prover->unit[i];
		const struct unit *next = unit + 1;
		bool leaves = i + 1 < prover->n_units && unit->apart &&
			      next->member == unit->member;
		uint32_t least = hop[leaves ?
				     sgang_plan_lowest(prover->request) :
				     SGANG_LEVEL_ISLAND];

		rest += least;
		if (i + 1 < prover->n_units)
			rest += next->ranks;
		longest = least > longest ? least : longest;
		unit->rest = rest;
		unit->longest = longest;
	}
}

/* Returns 1, 0 when the gang is not a small one, -1 with ENOMEM. */
static int set_up(struct prover *prover)
{
	const struct sgang_plan_request *request = prover->request;
	uint32_t i, k;

	if (prover->job->units > UNITS_MAX || prover->job->units < 2 ||
	    !list_places(prover))
		return 0;
	for (i = 0; i < request->n_members; i++) {
		for (k = 0; k < request->members[i].units; k++)
			add_unit(prover, i);
	}
	add_rests(prover);
	prover->using = sgang_pool_zalloc(prover->job->pool,
		sgang_fabric_domains(request->fabric),
		sizeof(*prover->using));
	return prover->using ? 1 : -1;
}

/* -- the search -- */

/* The hop between two places; false when the gang may not span them. */
static bool find_hop(const struct prover *prover, uint32_t a, uint32_t b,
		     uint32_t *hop)
{
	const struct sgang_costs *costs = prover->request->costs;
	uint32_t level = SGANG_LEVEL_ISLAND;

	if (a != b) {
		level = sgang_fabric_meet(prover->request->fabric,
					  prover->place[a].node,
					  prover->place[b].node);
		if (level > prover->request->max_level ||
		    (level == SGANG_LEVEL_UNCONNECTED &&
		     !costs->allow_unconnected))
			return false;
	}
	*hop = costs->hop[level];
	return true;
}

static bool may_be_at(const struct prover *prover, uint32_t i, uint32_t p)
{
	const struct unit *unit = &prover->unit[i];
	const struct place *place = &prover->place[p];

	if (!place->used && place->alike != p &&
	    !prover->place[place->alike].used)
		return false;
	if (!sgang_kind_fits(prover->job, unit->kind, place->node,
			     place->left))
		return false;
	while (unit->apart && i-- > 0 &&
	       prover->unit[i].member == unit->member) {
		if (prover->at[i] == p)
			return false;
	}
	return true;
}

/* Take or give back a unit's slots. Returns the wholly free space that is
 * broken, or whole again, by that. */
static uint64_t take(struct prover *prover, uint32_t i, uint32_t p)
{
	const struct sgang_kind *kind = prover->unit[i].kind;
	struct place *place = &prover->place[p];
	uint64_t breaks = 0;
	uint32_t d;

	place->used++;
	place->left -= kind->whole ? prover->request->total[place->node] :
				     kind->slots;
	for (d = place->leaf; d != SGANG_DOMAIN_NONE;
	     d = sgang_fabric_domain(prover->request->fabric, d)->parent) {
		if (!prover->using[d]++)
			breaks += prover->broken[d];
	}
	return breaks;
}

static void give_back(struct prover *prover, uint32_t i, uint32_t p)
{
	const struct sgang_kind *kind = prover->unit[i].kind;
	struct place *place = &prover->place[p];
	uint32_t d;

	place->used--;
	place->left += kind->whole ? prover->request->total[place->node] :
				     kind->slots;
	for (d = place->leaf; d != SGANG_DOMAIN_NONE;
	     d = sgang_fabric_domain(prover->request->fabric, d)->parent)
		prover->using[d]--;
}

static bool is_better(const struct prover *prover, uint64_t cost,
		      uint64_t breaks)
{
	return cost < prover->cost ||
	       (cost == prover->cost && breaks < prover->breaks);
}

static void keep(struct prover *prover, uint64_t cost, uint64_t breaks)
{
	uint32_t i;

	prover->cost = cost;
	prover->breaks = breaks;
	prover->better = true;
	for (i = 0; i < prover->n_units; i++)
		prover->best[i] = prover->at[i];
}

/* Place unit i and those after it. Those before it cost 'cost', their hop to
 * it apart, and break so much. False when it took too long. */
static bool place_from(struct prover *prover, uint32_t i, uint64_t cost,
		       uint64_t breaks)
{
	const struct unit *unit = &prover->unit[i];
	bool last = i + 1 == prover->n_units;
	uint32_t p;

	for (p = 0; p < prover->n_places; p++) {
		uint64_t now = cost, least, broken;
		uint32_t hop = 0, back;

		if (++prover->tries > PROVE_TRIES_MAX)
			return false;
		if (!may_be_at(prover, i, p) ||
		    (i && !find_hop(prover, prover->at[i - 1], p, &hop)) ||
		    !find_hop(prover, p, i ? prover->at[0] : p, &back))
			continue;
		now += hop + ranks_cost(prover, unit, prover->place[p].node);
		least = now + unit->rest;
		if (back > unit->longest)
			least += back - unit->longest;
		if (!is_better(prover, least, breaks))
			continue;
		broken = breaks + take(prover, i, p);
		prover->at[i] = p;
		if (is_better(prover, least, broken)) {
			if (last)
				keep(prover, least, broken);
			else if (!place_from(prover, i + 1, now, broken))
				return false;
		}
		give_back(prover, i, p);
	}
	return true;
}

/* -- the answer -- */

static int write_runs(const struct prover *prover, struct sgang_run **runs,
		      size_t *n_runs)
{
	struct sgang_run *run = sgang_pool_alloc(prover->job->pool,
						 prover->n_units,
						 sizeof(*run));
	size_t n = 0;
	uint32_t i;

	if (!run)
		return -1;
	for (i = 0; i < prover->n_units; i++) {
		const struct unit *unit = &prover->unit[i];
		uint32_t node = prover->place[prover->best[i]].node;

		if (!n || run[n - 1].member != unit->member ||
		    run[n - 1].node != node) {
			run[n].member = unit->member;
			run[n].node = node;
			run[n].ranks = 0;
			run[n].slots = 0;
			n++;
		}
		run[n - 1].ranks += sgang_kind_ranks(prover->job, unit->kind,
						     node);
		run[n - 1].slots += unit->kind->whole ?
				    prover->request->total[node] :
				    unit->kind->slots;
	}
	*runs = run;
	*n_runs = n;
	return 0;
}

int sgang_prove(const struct sgang_job *job, const uint64_t *broken,
		uint64_t cost, uint64_t breaks, struct sgang_run **runs,
		size_t *n_runs)
{
	struct prover prover = {
		.job = job,
		.request = job->request,
		.broken = broken,
		.cost = cost,
		.breaks = breaks
	};
	int rc = set_up(&prover);

	if (rc <= 0)
		return rc;
	rc = place_from(&prover, 0, 0, 0);
	if (prover.better && write_runs(&prover, runs, n_runs))
		return -1;
	return rc;
}
