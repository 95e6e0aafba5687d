/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prove.c - small gangs: every placement, as far as it can be the best
 *
 * The units are placed one after the other in the order of the ring, and a branch
 * ends when what is placed and the least for the rest is not better than the best
 * placement known. The least for the rest is that of a ring in which a node has
 * all its room again whenever it is come to: it is a table by unit and place,
 * filled from the last unit on, for each place where the ring may begin. The
 * least over all beginnings is a bound of the whole ring.
 *
 * First a cheaper placement is looked for, then one of the same cost that breaks
 * less. Near places are tried first. Of nodes that are alike and not used yet
 * only the first is tried.
 */

#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* The search is for gangs of so many units on so many nodes. */
#define UNITS_MAX 64
#define NODES_MAX 240

/* Pieces of the ring that are placed anew before, and when the search has not
 * ended. */
#define WINDOW 5
#define WINDOW_WIDE 8

/* A proof is tried for so many units. */
#define PROVE_UNITS_MAX 24

#define NEVER (UINT64_MAX / 4)

/* A node on which a unit may be. */
struct place {
	uint32_t node;
	uint32_t leaf;
	uint32_t *left; /* n_dims numbers */
	uint32_t used;  /* units on it */
	uint32_t alike; /* the next one before it that is, or
			 * itself */
};

struct unit {
	uint32_t member;
	const struct sgang_kind *kind;
	bool apart; /* not where its member is already */
	const struct sgang_nodeset *required; /* by its member; NULL: none */
	uint32_t end; /* the first unit after its member */
};

struct prover {
	const struct sgang_job *job;
	const struct sgang_plan_request *request;
	const uint64_t *broken;
	const struct sgang_placement *known;
	bool complete; /* no other node may be used */
	struct place place[NODES_MAX];
	uint32_t n_places;
	uint32_t left[NODES_MAX * SGANG_PLAN_DIMS];
	uint8_t near[NODES_MAX][NODES_MAX]; /* places, the near ones
					     * first */
	uint32_t hop[NODES_MAX][NODES_MAX]; /* UINT32_MAX: the gang may not
					     * span it */
	struct unit unit[UNITS_MAX];
	uint32_t n_units;
	uint8_t run[UNITS_MAX][NODES_MAX];    /* units from this one on that
					       * a place has room for */
	uint64_t rest[UNITS_MAX][NODES_MAX];  /* the least from a unit on, if
					       * it is there: ranks, and
					       * hops back to the first */
	uint64_t leave[UNITS_MAX][NODES_MAX]; /* the same and the hop to
					       * it, from another place */
	uint64_t root[NODES_MAX];             /* rest[0], by the first place */
	uint64_t *least;                      /* by domain */
	uint32_t at[UNITS_MAX];               /* by unit: its place */
	uint32_t best[UNITS_MAX];
	uint64_t cost;   /* of the best placement known, */
	uint64_t breaks; /* and what it breaks, or its tie */
	bool ties;       /* look for what breaks less */
	bool better;     /* it was found here */
	uint32_t *using; /* by domain: how often it is used */
	uint32_t end;    /* units from this one on stay */
	uint64_t tries;
	uint64_t tries_max;
};

/* -- set-up -- */

static uint32_t pos_of(const struct prover *prover, uint32_t node)
{
	return sgang_fabric_pos(prover->request->fabric)[node];
}

static bool allowed_on(const struct sgang_kind *kind, uint32_t node)
{
	return !kind->allowed || sgang_nodeset_has(kind->allowed, node);
}

/* Is it all the same which of these two of one domain, both not used, a unit
 * takes? */
static bool alike(const struct prover *prover, const struct place *a,
		  const struct place *b)
{
	const struct sgang_plan_request *request = prover->request;
	size_t n_dims = request->n_dims, size = n_dims * sizeof(uint32_t);
	uint32_t k;

	if (memcmp(a->left, b->left, size) ||
	    memcmp(request->total + a->node * n_dims,
		   request->total + b->node * n_dims, size) ||
	    (request->type &&
	     request->type[a->node] != request->type[b->node]) ||
	    sgang_coin_at(prover->job->coin, pos_of(prover, a->node)) !=
		    sgang_coin_at(prover->job->coin, pos_of(prover, b->node)))
		return false;
	for (k = 0; k < prover->job->n_kinds; k++) {
		const struct sgang_kind *kind = &prover->job->kind[k];

		if (allowed_on(kind, a->node) != allowed_on(kind, b->node))
			return false;
	}
	for (k = 0; k < request->n_members; k++) {
		const struct sgang_nodeset *required =
			request->members[k].required;

		if (required && sgang_nodeset_has(required, a->node) !=
					sgang_nodeset_has(required, b->node))
			return false;
	}
	return true;
}

/* Add a place for a node. */
static void add_place(struct prover *prover, uint32_t node)
{
	uint32_t n_dims = prover->request->n_dims, i = prover->n_places++;
	struct place *place = &prover->place[i];

	place->node = node;
	place->leaf = sgang_fabric_leaf(prover->request->fabric, node);
	place->left = prover->left + (size_t)i * n_dims;
	memcpy(place->left, sgang_job_free(prover->job, node),
	       n_dims * sizeof(*place->left));
	place->used = 0;
	place->alike = i;
	while (i-- > 0 && prover->place[i].leaf == place->leaf) {
		if (alike(prover, place, &prover->place[i])) {
			place->alike = i;
			break;
		}
	}
}

/* Mark the domains above the nodes that are used, up to this level. */
static void mark_used(const struct prover *prover, uint32_t level, bool *used)
{
	const struct sgang_fabric *fabric = prover->request->fabric;
	const struct sgang_placement *known = prover->known;
	uint32_t d;
	size_t i;

	for (i = 0; i < known->n_runs; i++) {
		for (d = sgang_fabric_leaf(fabric, known->runs[i].node);
		     d != SGANG_DOMAIN_NONE &&
		     sgang_fabric_domain(fabric, d)->level <= level;
		     d = sgang_fabric_domain(fabric, d)->parent)
			used[d] = true;
	}
}

static bool is_below(const struct prover *prover, uint32_t node,
		     const bool *used)
{
	const struct sgang_fabric *fabric = prover->request->fabric;
	uint32_t d = sgang_fabric_leaf(fabric, node);

	while (d != SGANG_DOMAIN_NONE && !used[d])
		d = sgang_fabric_domain(fabric, d)->parent;
	return d != SGANG_DOMAIN_NONE;
}

/* Choose the nodes that any unit fits on: all or, where there are too many,
 * those that are used and as many as there is room for of those that are near.
 */
static void choose_places(struct prover *prover, bool *chosen)
{
	const struct sgang_fabric *fabric = prover->request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	bool *used = sgang_pool_zalloc(
		prover->job->pool, sgang_fabric_domains(fabric), sizeof(*used));
	uint32_t n = sgang_fabric_nodes(fabric), pos, level, room = NODES_MAX;
	size_t i;

	for (i = 0; i < prover->known->n_runs; i++) {
		bool *at = &chosen[sgang_fabric_pos(
			fabric)[prover->known->runs[i].node]];

		room -= !*at;
		*at = true;
	}
	prover->complete = true;
	for (level = 0; level <= SGANG_LEVEL_UNCONNECTED; level++) {
		mark_used(prover, level, used);
		for (pos = 0; pos < n && prover->complete; pos++) {
			if (chosen[pos] ||
			    !is_below(prover, order[pos], used) ||
			    !sgang_job_any_fits(prover->job, order[pos]))
				continue;
			if (room)
				chosen[pos] = true;
			else
				prover->complete = false;
			room -= room > 0;
		}
	}
}

/* List them, those of a domain together. */
static void list_places(struct prover *prover)
{
	const struct sgang_fabric *fabric = prover->request->fabric;
	uint32_t n = sgang_fabric_nodes(fabric), pos;
	bool *chosen = sgang_pool_zalloc(prover->job->pool, n, sizeof(*chosen));

	choose_places(prover, chosen);
	for (pos = 0; pos < n; pos++) {
		if (chosen[pos])
			add_place(prover, sgang_fabric_order(fabric)[pos]);
	}
}

/* The level of a hop; false when the gang may not span it. */
static bool find_level(const struct prover *prover, uint32_t a, uint32_t b,
		       uint32_t *level)
{
	*level = SGANG_LEVEL_ISLAND;
	if (a == b)
		return true;
	*level = sgang_fabric_meet(prover->request->fabric,
				   prover->place[a].node,
				   prover->place[b].node);
	return *level <= prover->request->max_level &&
	       (*level != SGANG_LEVEL_UNCONNECTED ||
		prover->request->costs->allow_unconnected);
}

/* The cost of hops, and the places that are near to each. */
static void find_hops(struct prover *prover)
{
	uint32_t n = prover->n_places, a, b, level, at, i;
	uint32_t levels[NODES_MAX];

	for (a = 0; a < n; a++) {
		for (b = 0; b < n; b++)
			prover->hop[a][b] =
				find_level(prover, a, b, &levels[b]) ?
					prover->request->costs->hop[levels[b]] :
					UINT32_MAX;
		for (level = 0, at = 0; level < SGANG_LEVELS; level++) {
			for (i = 0; i < n; i++) {
				if (levels[i] == level)
					prover->near[a][at++] = (uint8_t)i;
			}
		}
	}
}

static uint64_t ranks_cost(const struct prover *prover, const struct unit *unit,
			   uint32_t node)
{
	uint64_t ranks = sgang_kind_ranks(prover->job, unit->kind, node);

	return (ranks - 1) * prover->request->costs->hop[SGANG_LEVEL_ISLAND];
}

/* Units from the i-th on that a place has room for, were it not used. */
static uint32_t count_run(const struct prover *prover, uint32_t i, uint32_t p)
{
	const struct place *place = &prover->place[p];
	uint32_t left[SGANG_PLAN_DIMS], first = i;

	memcpy(left, place->left, prover->request->n_dims * sizeof(*left));
	for (; i < prover->n_units; i++) {
		const struct unit *unit = &prover->unit[i];

		if ((i > first && unit->apart &&
		     unit->member == prover->unit[i - 1].member) ||
		    !sgang_kind_fits(prover->job, unit->kind, place->node,
				     left))
			break;
		sgang_kind_take(prover->job, unit->kind, place->node, 1, left);
	}
	return i - first;
}

static void add_units(struct prover *prover)
{
	const struct sgang_plan_request *request = prover->request;
	uint32_t i, k, p;

	for (i = 0; i < request->n_members; i++) {
		const struct sgang_plan_member *ask = &request->members[i];
		uint32_t end = prover->n_units + ask->units;

		for (k = 0; k < ask->units; k++)
			prover->unit[prover->n_units++] = (struct unit){
				.member = i,
				.kind = &prover->job->kind
						 [prover->job->kind_of[i]],
				.apart = sgang_member_distinct(ask),
				.required = ask->required,
				.end = end
			};
	}
	for (i = 0; i < prover->n_units; i++) {
		for (p = 0; p < prover->n_places; p++)
			prover->run[i][p] = (uint8_t)count_run(prover, i, p);
	}
}

/* False when the gang is not a small one. */
static bool set_up(struct prover *prover)
{
	const struct sgang_plan_request *request = prover->request;
	uint32_t n = sgang_fabric_domains(request->fabric);

	if (prover->job->units > UNITS_MAX || prover->job->units < 2 ||
	    prover->known->n_runs > NODES_MAX)
		return false;
	list_places(prover);
	find_hops(prover);
	add_units(prover);
	prover->end = prover->n_units;
	prover->using = sgang_pool_zalloc(prover->job->pool, n,
					  sizeof(*prover->using));
	prover->least = sgang_pool_alloc(prover->job->pool, n,
					 sizeof(*prover->least));
	return true;
}

/* -- the least for the rest -- */

/* Fill 'leave': what units from the i-th on cost, with the hop to the first of
 * them, when the one before is at a place and this one is not. What is far is
 * known only by the best of its domain, which may be the place itself. */
static void find_leaves(struct prover *prover, uint32_t i, uint64_t *leave)
{
	const struct sgang_plan_request *request = prover->request;
	const struct sgang_fabric *fabric = request->fabric;
	const uint32_t *hop = request->costs->hop;
	uint64_t *least = prover->least, *rest = prover->rest[i];
	uint32_t p, q, d, n = prover->n_places;

	for (p = 0; p < n; p++) {
		for (d = prover->place[p].leaf; d != SGANG_DOMAIN_NONE;
		     d = sgang_fabric_domain(fabric, d)->parent)
			least[d] = NEVER;
	}
	for (p = 0; p < n; p++) {
		for (d = prover->place[p].leaf;
		     d != SGANG_DOMAIN_NONE && rest[p] < least[d];
		     d = sgang_fabric_domain(fabric, d)->parent)
			least[d] = rest[p];
	}
	for (p = 0; p < n; p++) {
		leave[p] = NEVER;
		for (q = p; q-- > 0 &&
			    prover->place[q].leaf == prover->place[p].leaf;) {
			if (prover->hop[p][q] < UINT32_MAX &&
			    rest[q] + prover->hop[p][q] < leave[p])
				leave[p] = rest[q] + prover->hop[p][q];
		}
		for (q = p + 1;
		     q < n && prover->place[q].leaf == prover->place[p].leaf;
		     q++) {
			if (prover->hop[p][q] < UINT32_MAX &&
			    rest[q] + prover->hop[p][q] < leave[p])
				leave[p] = rest[q] + prover->hop[p][q];
		}
		d = sgang_fabric_domain(fabric, prover->place[p].leaf)->parent;
		for (; d != SGANG_DOMAIN_NONE && sgang_tree_allowed(request, d);
		     d = sgang_fabric_domain(fabric, d)->parent) {
			uint64_t far =
				least[d] +
				hop[sgang_fabric_domain(fabric, d)->level];

			leave[p] = far < leave[p] ? far : leave[p];
		}
	}
}

/* Fill rest[] for units i..end-1 when a place is next after the last of them.
 */
static void find_rest(struct prover *prover, uint32_t from, uint32_t next)
{
	const uint32_t island = prover->request->costs->hop[SGANG_LEVEL_ISLAND];
	uint64_t(*leave)[NODES_MAX] = prover->leave;
	uint32_t n = prover->end, i, p, k;

	for (i = n; i-- > from;) {
		for (p = 0; p < prover->n_places; p++) {
			uint64_t cost = 0, least = NEVER, with;

			for (k = 1; k <= prover->run[i][p] && i + k <= n &&
				    prover->hop[p][next] < UINT32_MAX;
			     k++) {
				cost += ranks_cost(prover,
						   &prover->unit[i + k - 1],
						   prover->place[p].node) +
					(k > 1 ? island : 0);
				with = cost + (i + k < n ?
						       leave[i + k][p] :
						       prover->hop[p][next]);
				least = with < least ? with : least;
			}
			prover->rest[i][p] = least;
		}
		find_leaves(prover, i, leave[i]);
	}
	prover->tries += (n - from) * prover->n_places / 4;
}

/* -- the search -- */

/* Begin to count tries anew; there may be so many. */
static void allow_tries(struct prover *prover, uint64_t tries)
{
	struct sgang_budget *budget = prover->request->budget;

	sgang_budget_take(budget, prover->tries);
	prover->tries = 0;
	prover->tries_max = sgang_budget_share(budget, tries);
}

/* Can its member still have all that it requires, if the i-th unit is there?
 * Those before it are where 'at' says, those from 'end' on where prover->at
 * does. */
static bool may_have_all(const struct prover *prover, uint32_t i, uint32_t p,
			 const uint32_t *at)
{
	const struct unit *unit = &prover->unit[i];
	uint32_t end = unit->end < prover->end ? unit->end : prover->end;
	uint32_t missing = 0, n, k;

	for (n = unit->required ? sgang_nodeset_next(unit->required, 0) :
				  SGANG_NODE_NONE;
	     n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(unit->required, n + 1)) {
		bool has = prover->place[p].node == n;

		for (k = i;
		     !has && k-- > 0 && prover->unit[k].member == unit->member;)
			has = prover->place[at[k]].node == n;
		for (k = end; !has && k < unit->end; k++)
			has = prover->place[prover->at[k]].node == n;
		missing += !has;
	}
	return missing < end - i;
}

static bool may_be_at(const struct prover *prover, uint32_t i, uint32_t p)
{
	const struct unit *unit = &prover->unit[i];
	const struct place *place = &prover->place[p];
	uint32_t k;

	if (!place->used && place->alike != p &&
	    !prover->place[place->alike].used)
		return false;
	if (!sgang_kind_fits(prover->job, unit->kind, place->node,
			     place->left) ||
	    (unit->required && !may_have_all(prover, i, p, prover->at)))
		return false;
	for (k = prover->end; unit->apart && k < prover->n_units &&
			      prover->unit[k].member == unit->member;
	     k++) {
		if (prover->at[k] == p)
			return false;
	}
	while (unit->apart && i-- > 0 &&
	       prover->unit[i].member == unit->member) {
		if (prover->at[i] == p)
			return false;
	}
	return true;
}

/* Take a unit's share. Returns the wholly free space that is broken by that;
 * with weights, what it adds to the tie. */
static uint64_t take(struct prover *prover, uint32_t i, uint32_t p)
{
	const struct sgang_coin *coin = prover->job->coin;
	struct place *place = &prover->place[p];
	uint64_t breaks = 0;
	uint32_t d;

	if (!place->used++)
		breaks += sgang_coin_at(coin, pos_of(prover, place->node));
	sgang_kind_take(prover->job, prover->unit[i].kind, place->node, 1,
			place->left);
	for (d = place->leaf; d != SGANG_DOMAIN_NONE;
	     d = sgang_fabric_domain(prover->request->fabric, d)->parent) {
		if (!prover->using[d]++)
			breaks += prover->broken[d] + sgang_coin_in(coin, d);
	}
	return breaks;
}

static void give_back(struct prover *prover, uint32_t i, uint32_t p)
{
	struct place *place = &prover->place[p];
	uint32_t d;

	place->used--;
	sgang_kind_give_back(prover->job, prover->unit[i].kind, place->node, 1,
			     place->left);
	for (d = place->leaf; d != SGANG_DOMAIN_NONE;
	     d = sgang_fabric_domain(prover->request->fabric, d)->parent)
		prover->using[d]--;
}

static bool is_better(const struct prover *prover, uint64_t cost,
		      uint64_t breaks)
{
	if (!prover->ties)
		return cost < prover->cost;
	return sgang_coin_better(prover->job->coin, cost, breaks, prover->cost,
				 prover->breaks);
}

static void keep(struct prover *prover, uint64_t cost, uint64_t breaks)
{
	prover->cost = cost;
	prover->breaks = breaks;
	prover->better = true;
	memcpy(prover->best, prover->at, sizeof(prover->best));
}

/* The hop from a unit to the next one, of places that are known. */
static uint64_t hop_from(const struct prover *prover, uint32_t i)
{
	return prover->hop[prover->at[i]]
			  [prover->at[i + 1 < prover->n_units ? i + 1 : 0]];
}

static bool place_from(struct prover *prover, uint32_t i, uint64_t cost,
		       uint64_t breaks);

/* Place unit i there, and those after it. 'cost' with the hop to it. As the
 * next one. */
static bool place_at(struct prover *prover, uint32_t i, uint32_t p,
		     uint64_t cost, uint64_t breaks)
{
	uint64_t least = cost + prover->rest[i][p], broken;
	bool ended = true;

	if (++prover->tries > prover->tries_max)
		return false;
	if (!is_better(prover, least, breaks) || !may_be_at(prover, i, p))
		return true;
	broken = breaks + take(prover, i, p);
	prover->at[i] = p;
	if (!is_better(prover, least, broken))
		;
	else if (i + 1 == prover->end)
		keep(prover, least, broken);
	else
		ended = place_from(prover, i + 1,
				   cost + ranks_cost(prover, &prover->unit[i],
						     prover->place[p].node),
				   broken);
	give_back(prover, i, p);
	return ended;
}

/* Place unit i and those after it. Those before it cost 'cost', their hop to
 * it apart, and break so much. False when it took too long. */
static bool place_from(struct prover *prover, uint32_t i, uint64_t cost,
		       uint64_t breaks)
{
	uint32_t from = prover->at[i ? i - 1 : prover->n_units - 1], k;

	for (k = 0; k < prover->n_places; k++) {
		uint32_t p = prover->near[from][k];

		if (prover->hop[from][p] < UINT32_MAX &&
		    !place_at(prover, i, p, cost + prover->hop[from][p],
			      breaks))
			return false;
	}
	return true;
}

/* Every placement that begins at one of the places, the most promising first.
 * False when it took too long. */
static bool search(struct prover *prover)
{
	bool seen[NODES_MAX] = { false };
	uint32_t k, p;

	for (k = 0; k < prover->n_places; k++) {
		uint32_t first = NODES_MAX;

		for (p = 0; p < prover->n_places; p++) {
			if (!seen[p] && (first == NODES_MAX ||
					 prover->root[p] < prover->root[first]))
				first = p;
		}
		seen[first] = true;
		if (!is_better(prover, prover->root[first], 0))
			break;
		find_rest(prover, 0, first);
		if (!place_at(prover, 0, first, 0, 0))
			return false;
	}
	return true;
}

/* Place units i..end-1 anew, all others staying where they are, if that is
 * cheaper. False when it took too long; what is better is kept all the same. */
static bool place_window(struct prover *prover, uint32_t i)
{
	uint32_t n = prover->n_units, k;
	uint64_t all = prover->cost, cost = 0;
	bool ended;

	memcpy(prover->at, prover->best, sizeof(prover->at));
	for (k = i; k < prover->end; k++) {
		cost += hop_from(prover, k) +
			ranks_cost(prover, &prover->unit[k],
				   prover->place[prover->at[k]].node);
		give_back(prover, k, prover->at[k]);
	}
	/* the hop to it, too */
	k = i ? i - 1 : n - 1;
	cost += hop_from(prover, k);
	find_rest(prover, i, prover->at[prover->end % n]);
	prover->cost = cost;
	ended = place_from(prover, i, 0, 0);
	prover->cost = all - (cost - prover->cost);
	for (k = i; k < prover->end; k++)
		take(prover, k, prover->best[k]);
	return ended;
}

/* Make the best placement better by pieces of the ring of so many units. */
static void slide_window(struct prover *prover, uint32_t size, uint64_t tries)
{
	uint32_t n = prover->n_units, i, k;
	uint64_t before, broken;

	if (size >= n)
		return;
	for (k = 0; k < n; k++)
		take(prover, k, prover->best[k]);
	allow_tries(prover, tries);
	do {
		before = prover->cost;
		for (i = 0; i + size <= n && prover->tries < prover->tries_max;
		     i++) {
			prover->end = i + size;
			place_window(prover, i);
		}
	} while (prover->cost < before && prover->tries < prover->tries_max);
	prover->end = n;
	for (k = 0; k < n; k++)
		give_back(prover, k, prover->best[k]);
	for (k = 0, broken = 0; k < n; k++)
		broken += take(prover, k, prover->best[k]);
	for (k = 0; k < n; k++)
		give_back(prover, k, prover->best[k]);
	prover->breaks = broken;
}

/* The least cost of any ring, by where it begins, and of all. */
static uint64_t find_roots(struct prover *prover)
{
	uint64_t least = NEVER;
	uint32_t p;

	for (p = 0; p < prover->n_places; p++) {
		prover->root[p] = NEVER;
		if (!prover->run[0][p])
			continue;
		find_rest(prover, 0, p);
		prover->root[p] = prover->rest[0][p];
		least = prover->root[p] < least ? prover->root[p] : least;
	}
	return least;
}

/* -- the answer -- */

/* Begin with a placement that is known. */
static void begin_with(struct prover *prover, const struct sgang_run *run)
{
	uint32_t place_of, i, units = 0;

	for (i = 0; i < prover->n_units; i++) {
		const struct unit *unit = &prover->unit[i];

		if (!units) {
			units = run->ranks / sgang_kind_ranks(prover->job,
							      unit->kind,
							      run->node);
			for (place_of = 0;
			     prover->place[place_of].node != run->node;)
				place_of++;
			run++;
		}
		prover->best[i] = place_of;
		units--;
	}
}

static void write_runs(const struct prover *prover, struct sgang_run **runs,
		       size_t *n_runs)
{
	struct sgang_run *run = sgang_pool_alloc(prover->job->pool,
						 prover->n_units, sizeof(*run));
	size_t n = 0;
	uint32_t i;

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
		run[n - 1].slots += sgang_kind_need(prover->job, unit->kind,
						    node, 0);
	}
	*runs = run;
	*n_runs = n;
}

/* -- side by side -- */

#define BEAM 32

/* Places of the ring that is known from which this is done. */
#define BEGINNINGS 8

/* A placement of the first units. */
struct stem {
	uint32_t at[UNITS_MAX];
	uint64_t cost;  /* with the hop to the last of them */
	uint64_t least; /* of any ring that goes on from it */
	uint32_t *left; /* of all places */
};

/* A stem and the place of the next unit. */
struct shoot {
	uint64_t least;
	uint8_t stem;
	uint8_t place;
};

static int by_least(const void *one, const void *two)
{
	const struct shoot *a = one, *b = two;

	if (a->least != b->least)
		return a->least < b->least ? -1 : 1;
	if (a->stem != b->stem)
		return a->stem < b->stem ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Has a stem nothing at a place? */
static bool is_empty(const struct prover *prover, const struct stem *stem,
		     uint32_t p)
{
	size_t n_dims = prover->request->n_dims;

	return !memcmp(stem->left + p * n_dims, prover->left + p * n_dims,
		       n_dims * sizeof(*stem->left));
}

/* Is the i-th unit of a ring possible there, and not just as well before? */
static bool may_grow(const struct prover *prover, const struct stem *stem,
		     uint32_t i, uint32_t p)
{
	const struct unit *unit = &prover->unit[i];
	uint32_t k, twin = prover->place[p].alike;

	if (twin != p && is_empty(prover, stem, p) &&
	    is_empty(prover, stem, twin))
		return false;
	if (!sgang_kind_fits(prover->job, unit->kind, prover->place[p].node,
			     stem->left +
				     (size_t)p * prover->request->n_dims) ||
	    (unit->required && !may_have_all(prover, i, p, stem->at)))
		return false;
	for (k = i; unit->apart && k-- > 0 &&
		    prover->unit[k].member == unit->member;) {
		if (stem->at[k] == p)
			return false;
	}
	return true;
}

/* Let the shoot at 'at' sink until none below it comes first. */
static void sink(struct shoot *heap, size_t n, size_t at)
{
	struct shoot shoot = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n &&
		    by_least(&heap[child + 1], &heap[child]) < 0)
			child++;
		if (by_least(&shoot, &heap[child]) <= 0)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = shoot;
}

/* Take the first one out of a heap of n, which has one less then. */
static struct shoot take_first(struct shoot *heap, size_t n)
{
	struct shoot first = heap[0];

	heap[0] = heap[n - 1];
	sink(heap, n - 1, 0);
	return first;
}

/* List what can come next, as a heap: few are taken. Returns how many. */
static size_t list_shoots(struct prover *prover, const struct stem *stem,
			  uint32_t n, uint32_t i, struct shoot *shoot)
{
	size_t count = 0;
	uint32_t s, p;

	for (s = 0; s < n; s++) {
		for (p = 0; p < prover->n_places; p++) {
			uint32_t hop = i ? prover->hop[stem[s].at[i - 1]][p] :
					   0;
			uint64_t least = stem[s].cost + hop +
					 prover->rest[i][p];

			if (hop == UINT32_MAX || least >= prover->cost)
				continue;
			shoot[count].least = least;
			shoot[count].stem = (uint8_t)s;
			shoot[count++].place = (uint8_t)p;
		}
	}
	prover->tries += n * prover->n_places / 2;
	for (s = (uint32_t)count / 2; s-- > 0;)
		sink(shoot, count, s);
	return count;
}

static void grow(struct prover *prover, const struct stem *stem,
		 const struct shoot *shoot, uint32_t i, struct stem *next)
{
	const struct unit *unit = &prover->unit[i];
	uint32_t n_dims = prover->request->n_dims, p = shoot->place;
	uint32_t *left = next->left;

	*next = *stem;
	next->left = left;
	memcpy(left, stem->left,
	       (size_t)prover->n_places * n_dims * sizeof(*left));
	sgang_kind_take(prover->job, unit->kind, prover->place[p].node, 1,
			left + (size_t)p * n_dims);
	next->cost += (i ? prover->hop[stem->at[i - 1]][p] : 0) +
		      ranks_cost(prover, unit, prover->place[p].node);
	next->at[i] = p;
	next->least = shoot->least;
}

/* Follow the most promising beginnings of a ring side by side, unit by unit; it
 * ends near a place, or there. 'stem' has room for twice BEAM. */
static void follow(struct prover *prover, uint32_t end, struct stem *stem,
		   struct shoot *shoot)
{
	struct stem *now = stem, *next = stem + BEAM, *swap;
	uint32_t n = 1, i, k, m;
	struct shoot one;
	uint64_t cost;
	size_t count;

	find_rest(prover, 0, end);
	now->cost = 0;
	memcpy(now->left, prover->left,
	       (size_t)prover->n_places * prover->request->n_dims *
		       sizeof(*now->left));
	for (i = 0; i < prover->n_units && n; i++) {
		if (prover->tries >= prover->tries_max)
			return;
		count = list_shoots(prover, now, n, i, shoot);
		for (m = 0; count && m < BEAM; count--) {
			one = take_first(shoot, count);
			if (may_grow(prover, &now[one.stem], i, one.place))
				grow(prover, &now[one.stem], &one, i,
				     &next[m++]);
		}
		swap = now;
		now = next;
		next = swap;
		n = m;
	}
	for (k = 0; k < n; k++) {
		cost = now[k].cost +
		       prover->hop[now[k].at[i - 1]][now[k].at[0]];
		if (prover->hop[now[k].at[i - 1]][now[k].at[0]] < UINT32_MAX &&
		    cost < prover->cost) {
			for (i = 0; i < prover->n_units; i++)
				prover->at[i] = now[k].at[i];
			keep(prover, cost, 0);
		}
	}
}

/* The same from some places of the ring that is known. */
static void try_beam(struct prover *prover)
{
	struct sgang_pool *pool = prover->job->pool;
	struct stem *stem = sgang_pool_alloc(pool, 2 * BEAM, sizeof(*stem));
	struct shoot *shoot = sgang_pool_alloc(
		pool, (size_t)BEAM * prover->n_places, sizeof(*shoot));
	uint32_t i;

	for (i = 0; i < 2 * BEAM; i++)
		stem[i].left = sgang_pool_alloc(pool,
						(size_t)prover->n_places *
							prover->request->n_dims,
						sizeof(*stem->left));
	for (i = 0; i < BEGINNINGS; i++) {
		allow_tries(prover, SGANG_STEPS_BEAM);
		follow(prover, prover->best[i * prover->n_units / BEGINNINGS],
		       stem, shoot);
	}
}

/* Look for anything better among all placements. Returns whether there is
 * nothing. */
static bool prove_it(struct prover *prover, uint64_t *bound)
{
	uint64_t least = find_roots(prover);
	uint64_t tries =
		sgang_budget_limits(prover->request->budget)->prove_tries;
	bool ended;

	prover->ties = prover->job->coin && prover->request->weight_first;
	if (least < prover->cost && !prover->ties)
		slide_window(prover, WINDOW, tries / 4);
	allow_tries(prover, tries);
	ended = search(prover);
	if (ended)
		least = prover->cost;
	else if (!prover->ties)
		slide_window(prover, WINDOW_WIDE, tries / 2);
	*bound = least > *bound ? least : *bound;
	if (prover->ties)
		return ended;
	prover->ties = true;
	allow_tries(prover, tries);
	return ended && search(prover);
}

bool sgang_prove(const struct sgang_job *job, const uint64_t *broken,
		 const struct sgang_placement *known, uint64_t breaks,
		 uint64_t *bound, struct sgang_run **runs, size_t *n_runs)
{
	struct prover *prover = sgang_pool_zalloc(job->pool, 1,
						  sizeof(*prover));
	uint64_t tries = sgang_budget_limits(job->request->budget)->prove_tries;
	bool proved;

	prover->job = job;
	prover->request = job->request;
	prover->broken = broken;
	prover->known = known;
	prover->cost = known->ring.cost;
	prover->breaks = breaks;
	if (!sgang_budget_left(job->request->budget) || !set_up(prover))
		return false;
	prover->tries = (uint64_t)prover->n_places * prover->n_places;
	begin_with(prover, known->runs);
	proved = prover->complete && job->units <= PROVE_UNITS_MAX &&
		 prove_it(prover, bound);
	if ((!prover->complete || job->units > PROVE_UNITS_MAX) &&
	    (!job->coin || !job->request->weight_first)) {
		try_beam(prover);
		slide_window(prover, WINDOW, tries / 2);
		slide_window(prover, WINDOW_WIDE, tries / 2);
	}
	allow_tries(prover, 0);
	if (prover->better)
		write_runs(prover, runs, n_runs);
	return proved;
}
