/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where.c - where could the parts of an attempt be, by ring cost?
 *
 * Without devices the planner's places are nodes. With them they are islands:
 * members of one node each that fit into an island are planned there. All
 * others are planned by nodes and then shared out over the islands of their
 * nodes, so that every plan is one of islands, and costs can be compared.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/plan/stock.h"

/* On fewer nodes one may need more on each of them. */
static bool same_piece(const struct probed *x, const struct probed *y)
{
	return x->shape.node_cpus == y->shape.node_cpus &&
	       x->shape.node_memory == y->shape.node_memory &&
	       x->shape.node_gpus == y->shape.node_gpus;
}

/* Members that need the same on each of a fixed number of nodes are counted in
 * pieces of that size, others resource by resource. What that overlooks, commit
 * finds out. */
static bool uniform(const struct attempt *a)
{
	const struct sgang_host *h = a->c->host;

	for (size_t i = 0; i < a->n_probed; i++) {
		if (!a->probed[i].usable)
			continue;
		if (!a->probed[i].fixed ||
		    !same_piece(a->parts[0].probed, &a->probed[i]) ||
		    !h->same_units(a->parts[0].probed->job, a->probed[i].job))
			return false;
	}
	return true;
}

static uint32_t ranks_per_unit(const struct sgang_shape *shape)
{
	uint32_t ranks = shape->tasks / shape->min_nodes;

	return ranks ? ranks : 1;
}

/* By place: node, or island. */
struct slots {
	uint32_t *free, *total, *amount, *scratch;
	uint32_t *weight; /* by node; NULL: all alike */
	struct sgang_plan_member *members;
	struct sgang_nodeset *everywhere; /* nodes any member could have */
	/* where members differ, */
	struct sgang_resources resources;
	uint32_t *vector_free, *vector_total; /* by node and dimension */
	uint8_t *type;                        /* by node */
	uint32_t *need; /* by request, type and dimension */
};

static void slots_free(struct slots *s)
{
	free(s->free);
	free(s->total);
	free(s->amount);
	free(s->scratch);
	free(s->weight);
	free(s->members);
	sgang_nodeset_destroy(s->everywhere);
	free(s->vector_free);
	free(s->vector_total);
	free(s->type);
	free(s->need);
}

static int slots_alloc(struct slots *s, const struct attempt *a)
{
	const struct sgang_devices *devices = a->c->devices;
	uint32_t n_nodes = a->c->host->node_count();
	uint32_t n = devices ? devices->first[n_nodes] : n_nodes;
	size_t n_parts = a->n_parts;

	memset(s, 0, sizeof(*s));
	s->free = calloc(n + 1, sizeof(*s->free));
	s->total = calloc(n + 1, sizeof(*s->total));
	s->amount = calloc(n + 1, sizeof(*s->amount));
	s->scratch = calloc(n + 1, sizeof(*s->scratch));
	s->members = calloc(n_parts, sizeof(*s->members));
	s->everywhere = sgang_nodeset_create(n_nodes);
	return (s->free && s->total && s->amount && s->scratch && s->members &&
		s->everywhere) ?
		       0 :
		       -1;
}

/* What nodes weigh, by node: plans of nodes and of islands need it. */
static int fill_weights(const struct attempt *a, struct slots *s)
{
	uint32_t n = a->c->host->node_count();

	s->weight = calloc(n + 1, sizeof(*s->weight));
	if (!s->weight)
		return -1;
	if (!a->c->host->weights(s->weight)) {
		free(s->weight);
		s->weight = NULL;
	}
	return 0;
}

/* The same by island; NULL without memory. */
static uint32_t *weigh_islands(const struct sgang_devices *devices,
			       const uint32_t *weight)
{
	uint32_t n = devices->first[devices->n_nodes];
	uint32_t *by_island = calloc(n + 1, sizeof(*by_island));

	for (uint32_t i = 0; by_island && i < n; i++)
		by_island[i] = weight[devices->node[i]];
	return by_island;
}

static void raise_to(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (from[i] > into[i])
			into[i] = from[i];
	}
}

/* Where a request can be at that moment. */
static const struct sgang_nodeset *places(const struct probed *p,
					  enum sgang_moment moment)
{
	switch (moment) {
	case SGANG_NOW:
		return p->usable;
	case SGANG_LATER:
		return p->then ? p->then : p->ever;
	case SGANG_EMPTY:
		break;
	}
	return p->alone;
}

/* host->units() at that moment, by way of s->scratch. */
static void amount(struct attempt *a, const struct probed *p, struct slots *s,
		   const struct sgang_nodeset *nodes, enum sgang_moment moment,
		   uint32_t *out)
{
	const struct sgang_host *h = a->c->host;
	uint32_t n_nodes = h->node_count();

	h->units(p->job, &p->shape, nodes, moment == SGANG_EMPTY, out);
	if (moment != SGANG_LATER)
		return;
	h->units(p->job, &p->shape, nodes, true, s->scratch);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (a->free_at[n] <= a->at)
			out[n] = s->scratch[n];
	}
}

/* Slots are pieces of the members' common size. */
static int fill_units(struct attempt *a, struct slots *s,
		      enum sgang_moment moment)
{
	const struct sgang_host *h = a->c->host;
	const struct probed *first = a->parts[0].probed;

	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		s->members[i] = (struct sgang_plan_member){
			.units = p->shape.min_nodes,
			.slots = 1,
			.ranks = ranks_per_unit(&p->shape),
			.distinct = true,
			.allowed = places(p, moment),
			.required = p->required,
		};
	}
	h->units(first->job, &first->shape, s->everywhere, true, s->total);
	amount(a, first, s, s->everywhere, moment, s->free);
	for (uint32_t n = 0; moment == SGANG_NOW && n < h->node_count(); n++) {
		uint32_t most = sgang_learn_most(a, n);

		if (s->free[n] > most)
			s->free[n] = most;
	}
	return 0;
}

/* A node counts for a request only if one piece of it fits there, whatever is
 * counted of it. */
static int fill_allowed(struct attempt *a, struct probed *p, struct slots *s,
			enum sgang_moment moment)
{
	const struct sgang_nodeset *from = places(p, moment);
	uint32_t n_nodes = a->c->host->node_count();

	sgang_nodeset_destroy(p->allowed);
	p->allowed = sgang_nodeset_copy(from);
	if (!p->allowed)
		return -1;
	amount(a, p, s, from, moment, s->amount);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (!s->amount[n])
			sgang_nodeset_remove(p->allowed, n);
	}
	return 0;
}

int sgang_where_allow(struct attempt *a, struct probed *p,
		      enum sgang_moment moment)
{
	struct slots s;
	int rc = -1;

	if (slots_alloc(&s, a) == 0)
		rc = fill_allowed(a, p, &s, moment);
	slots_free(&s);
	return rc;
}

static struct sgang_asked asked_of(const struct probed *p)
{
	return (struct sgang_asked){ .job = p->job, .shape = &p->shape };
}

void sgang_where_beside(const struct sgang_resources *resources, uint32_t *need)
{
	for (uint32_t i = 0; i < resources->n_types * resources->n_dims; i++) {
		if (resources->dim[i % resources->n_dims].apart)
			need[i] = 0;
	}
}

static bool keeps_apart(const struct attempt *a, enum sgang_moment moment)
{
	return (moment == SGANG_NOW) ? a->lessons && a->lessons->apart :
				       moment == SGANG_LATER && a->apart;
}

/* What is counted, and how much of it each request needs. */
static int fill_needs(struct attempt *a, struct slots *s,
		      enum sgang_moment moment)
{
	const struct sgang_host *h = a->c->host;
	struct sgang_asked *asked = calloc(a->n_probed + 1, sizeof(*asked));
	size_t n = 0;

	free(s->type);
	free(s->need);
	s->type = calloc(h->node_count() + 1, sizeof(*s->type));
	s->need = calloc(a->n_probed * SGANG_NODE_TYPES * SGANG_PLAN_DIMS + 1,
			 sizeof(*s->need));
	if (!asked || !s->type || !s->need) {
		free(asked);
		return -1;
	}
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].usable)
			asked[n++] = asked_of(&a->probed[i]);
	}
	h->resources(asked, n, &s->resources, s->type);
	free(asked);
	for (size_t i = 0; i < a->n_probed; i++) {
		struct sgang_asked one = asked_of(&a->probed[i]);

		a->probed[i].need = s->need + i * s->resources.n_types *
						      s->resources.n_dims;
		if (!a->probed[i].usable)
			continue;
		h->need(&one, &s->resources, a->probed[i].need);
		if (!keeps_apart(a, moment))
			sgang_where_beside(&s->resources, a->probed[i].need);
	}
	return 0;
}

void sgang_where_amounts(const struct attempt *a,
			 const struct sgang_resources *resources,
			 enum sgang_moment moment, uint32_t *total,
			 uint32_t *free)
{
	const struct sgang_host *h = a->c->host;
	uint32_t n_dims = resources->n_dims;
	size_t n = (size_t)h->node_count() * n_dims;

	h->amounts(resources, true, total);
	h->amounts(resources, moment == SGANG_EMPTY, free);
	for (size_t i = 0; moment == SGANG_LATER && i < n; i++) {
		if (a->free_at[i / n_dims] <= a->at)
			free[i] = total[i];
	}
}

/* What nodes have at that moment. */
static int fill_amounts(struct attempt *a, struct slots *s,
			enum sgang_moment moment)
{
	size_t n = (size_t)a->c->host->node_count() * s->resources.n_dims;

	free(s->vector_free);
	free(s->vector_total);
	s->vector_free = calloc(n + 1, sizeof(*s->vector_free));
	s->vector_total = calloc(n + 1, sizeof(*s->vector_total));
	if (!s->vector_free || !s->vector_total)
		return -1;
	sgang_where_amounts(a, &s->resources, moment, s->vector_total,
			    s->vector_free);
	return 0;
}

/* Members that differ, resource by resource. */
static int fill_vectors(struct attempt *a, struct slots *s,
			enum sgang_moment moment)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].usable &&
		    fill_allowed(a, &a->probed[i], s, moment) < 0)
			return -1;
	}
	if (fill_needs(a, s, moment) < 0 || fill_amounts(a, s, moment) < 0)
		return -1;
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;
		const struct sgang_shape *shape = &p->shape;
		uint32_t cpus = sgang_shape_task_cpus(shape);

		s->members[i] = (struct sgang_plan_member){
			.units = p->fixed ? shape->min_nodes :
					    shape->total_cpus / cpus,
			.slots = shape->whole ? 0 : p->need[0],
			.ranks = p->fixed ? ranks_per_unit(shape) : 1,
			.distinct = p->fixed,
			.allowed = p->allowed,
			.need = p->need,
			.required = p->required,
		};
	}
	return 0;
}

/* All nodes that any request could have at that moment. */
static void fill_everywhere(struct attempt *a, struct slots *s,
			    enum sgang_moment moment)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		const struct probed *p = &a->probed[i];

		if (p->usable)
			sgang_nodeset_or(s->everywhere, places(p, moment));
	}
}

/* ---- islands ---- */

/* Lower them to what Slurm accepted on their node. */
static void cap_islands(struct attempt *a, uint32_t *units)
{
	const struct sgang_devices *devices = a->c->devices;

	for (uint32_t n = 0; n < devices->n_nodes; n++) {
		uint32_t left = sgang_learn_most(a, n);

		for (uint32_t i = devices->first[n]; i < devices->first[n + 1];
		     i++) {
			if (units[i] > left)
				units[i] = left;
			left -= units[i];
		}
	}
}

/* How many pieces of the members' common size fit into each island then. */
static void island_units(struct attempt *a, struct slots *s,
			 enum sgang_moment moment, uint32_t *units)
{
	const struct sgang_devices *devices = a->c->devices;
	const struct sgang_host *h = a->c->host;
	const struct probed *p = a->parts[0].probed;

	h->island_units(p->job, &p->shape, s->everywhere, moment == SGANG_EMPTY,
			units);
	if (moment == SGANG_NOW)
		cap_islands(a, units);
	if (moment != SGANG_LATER)
		return;
	h->island_units(p->job, &p->shape, s->everywhere, true, s->scratch);
	for (uint32_t n = 0; n < devices->n_nodes; n++) {
		if (a->free_at[n] > a->at)
			continue;
		for (uint32_t i = devices->first[n]; i < devices->first[n + 1];
		     i++)
			units[i] = s->scratch[i];
	}
}

/* Members that share nodes with themselves alone are no more than their pieces,
 * and each piece has one place. */
static bool fits_islands(const struct attempt *a)
{
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		if (p->shape.whole || p->shape.min_nodes > 1 || p->required)
			return false;
	}
	return true;
}

static int allow_islands(struct attempt *a, enum sgang_moment moment)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		struct probed *p = &a->probed[i];

		if (!p->usable)
			continue;
		sgang_nodeset_destroy(p->allowed);
		p->allowed = sgang_devices_expand(a->c->devices,
						  places(p, moment));
		if (!p->allowed)
			return -1;
	}
	return 0;
}

/* Other domains that are looked at. */
#define OTHERS 3

static bool find_others(struct attempt *a, const struct sgang_plan_request *rq,
			const struct sgang_placement *plan,
			struct sgang_others *others)
{
	return a->account &&
	       !sgang_explain_others(rq, plan, OTHERS, others, NULL);
}

/* Every piece in one island. Returns as sgang_plan(). */
static int plan_islands(struct attempt *a, struct slots *s,
			enum sgang_moment moment, struct sgang_plan_request *rq,
			struct sgang_placement **plan,
			struct sgang_nofit *nofit, struct sgang_error *err)
{
	struct sgang_plan_request inside = *rq;
	uint32_t *weight = NULL;
	struct sgang_others others;
	int rc;

	if (s->weight)
		weight = weigh_islands(a->c->devices, s->weight);
	if ((s->weight && !weight) || allow_islands(a, moment) < 0) {
		free(weight);
		return -1;
	}
	inside.weight = weight;
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		s->members[i] = (struct sgang_plan_member){
			.units = 1,
			.slots = 1,
			.ranks = ranks_per_unit(&p->shape),
			.allowed = p->allowed,
		};
	}
	a->c->host->island_units(a->parts[0].probed->job,
				 &a->parts[0].probed->shape, s->everywhere,
				 true, s->total);
	island_units(a, s, moment, s->free);
	/* Where a node is not for all of its islands, which of them are counted
	 * may differ from one moment to the other. */
	raise_to(s->total, s->free,
		 a->c->devices->first[a->c->devices->n_nodes]);
	inside.fabric = a->topology->devices->fabric;
	rc = sgang_plan(&inside, plan, nofit, err);
	if (rc == 1 && find_others(a, &inside, *plan, &others))
		sgang_explain_write(inside.fabric, &others, a->account->others);
	free(weight);
	return rc;
}

/* The fullest island of the node that still has room for a piece, or none. */
static uint32_t tightest(const struct sgang_devices *devices, uint32_t node,
			 const uint32_t *units)
{
	uint32_t best = SGANG_NODE_NONE;

	for (uint32_t i = devices->first[node]; i < devices->first[node + 1];
	     i++) {
		if (units[i] &&
		    (best == SGANG_NODE_NONE || units[i] < units[best]))
			best = i;
	}
	return best;
}

/* Runs over nodes that lie over all islands of them: nobody knows in which
 * their slots are. */
static int lay_over(const struct sgang_devices *devices,
		    const struct sgang_run *runs, size_t n_runs,
		    struct sgang_run **out, size_t *n_out)
{
	if (sgang_devices_share_out(devices, runs, n_runs, out, n_out) < 0)
		return -1;
	for (size_t i = 0; i < *n_out; i++)
		(*out)[i].slots = 0;
	return 0;
}

/* Put each piece into an island of its node; one for which no island has room
 * lies over all of them. s->amount: pieces that fit into each. */
static int lay_pieces(struct attempt *a, struct slots *s,
		      const struct sgang_run *runs, size_t n_runs,
		      struct sgang_run **out, size_t *n_out)
{
	const struct sgang_devices *devices = a->c->devices;
	size_t room = 1, n = 0;

	for (size_t i = 0; i < n_runs; i++)
		room += sgang_devices_islands(devices, runs[i].node);
	*out = malloc(room * sizeof(**out));
	if (!*out)
		return -1;
	for (size_t i = 0; i < n_runs; i++) {
		const struct sgang_run *run = &runs[i];
		uint32_t island = tightest(devices, run->node, s->amount);
		struct sgang_run *spread;
		size_t more;

		if (run->slots == 1 && island != SGANG_NODE_NONE) {
			(*out)[n] = *run;
			(*out)[n++].node = island;
			s->amount[island]--;
			continue;
		}
		if (lay_over(devices, run, 1, &spread, &more) < 0) {
			free(*out);
			return -1;
		}
		memcpy(*out + n, spread, more * sizeof(**out));
		n += more;
		free(spread);
	}
	*n_out = n;
	return 0;
}

/* Make runs over nodes runs over islands. */
static int lay_inside(struct attempt *a, struct slots *s,
		      enum sgang_moment moment, bool pieces,
		      const struct sgang_run *runs, size_t n_runs,
		      struct sgang_run **out, size_t *n_out)
{
	if (!pieces)
		return lay_over(a->c->devices, runs, n_runs, out, n_out);
	island_units(a, s, moment, s->amount);
	return lay_pieces(a, s, runs, n_runs, out, n_out);
}

/* Does what is inside the nodes add the same to every plan of whole nodes? */
static bool same_inside(const struct attempt *a,
			const struct sgang_plan_request *rq)
{
	return !rq->parallel && a->parts[0].probed->shape.whole &&
	       sgang_devices_alike(a->c->devices);
}

/* Make a plan of nodes one of islands. Returns as sgang_plan_inside(). */
static int go_inside(struct attempt *a, struct slots *s,
		     enum sgang_moment moment, bool pieces,
		     const struct sgang_plan_request *rq,
		     struct sgang_placement *plan, struct sgang_nofit *nofit,
		     struct sgang_error *err)
{
	struct sgang_run *runs;
	size_t n;

	if (lay_inside(a, s, moment, pieces, plan->runs, plan->n_runs, &runs,
		       &n) < 0)
		return -1;
	return sgang_plan_inside(rq, a->topology->devices, runs, n,
				 same_inside(a, rq), plan, nofit, err);
}

/* ---- what else could have been ---- */

/* Beyond that the plans take too long for something that is only told: they are
 * made under slurmctld's locks. Slurm's own rule looks at all leaves for every
 * member. */
#define ACCOUNT_NODES 20000
#define STOCK_WORK 500000

/* What Slurm would have chosen, in the same coin. The request is one of nodes;
 * the weights that Slurm sees are always those of nodes. */
static void ask_stock(struct attempt *a, struct slots *s, bool pieces,
		      const struct sgang_plan_request *rq)
{
	const struct sgang_conductor *c = a->c;
	struct sgang_stock *stock = NULL;
	struct sgang_run *runs = NULL;
	struct sgang_ring ring;
	uint64_t cost = 0;
	size_t n;

	if (a->n_parts * sgang_fabric_nodes(c->fabric) > STOCK_WORK ||
	    sgang_stock_place(rq, SGANG_STOCK_RULE, &stock, NULL) != 1)
		return;
	if (!c->devices) {
		cost = stock->ring.cost;
	} else if (lay_inside(a, s, SGANG_NOW, pieces, stock->runs,
			      stock->n_runs, &runs, &n) == 0) {
		sgang_ring_measure(a->topology->devices->fabric, &c->conf.costs,
				   runs, n, &ring);
		cost = ring.cost;
	}
	a->account->stock_cost = cost;
	a->account->stock_estimate = cost && !stock->exact;
	free(runs);
	sgang_stock_destroy(stock);
}

/* ---- the plan ---- */

/* Fill the request in terms of nodes. */
static int fill_nodes(struct attempt *a, struct slots *s,
		      enum sgang_moment moment, bool alike,
		      struct sgang_plan_request *rq)
{
	if (alike)
		return fill_units(a, s, moment);
	if (fill_vectors(a, s, moment) < 0)
		return -1;
	if (moment == SGANG_NOW)
		sgang_learn_cap(a, &s->resources, s->type, s->vector_free);
	rq->n_dims = s->resources.n_dims;
	rq->free = s->vector_free;
	rq->total = s->vector_total;
	rq->type = s->type;
	return 0;
}

/* Costs of other domains by nodes, to each of which the islands add so much. */
static void note_others(struct attempt *a, const struct sgang_plan_request *rq,
			struct sgang_others *others, uint64_t inside)
{
	if (!a->account)
		return;
	sgang_explain_raise(others, inside);
	sgang_explain_write(rq->fabric, others, a->account->others);
}

/* By nodes. Returns as sgang_plan(). */
static int plan_nodes(struct attempt *a, struct slots *s,
		      enum sgang_moment moment, bool alike,
		      struct sgang_plan_request *rq,
		      struct sgang_placement **plan, struct sgang_nofit *nofit,
		      struct sgang_error *err)
{
	bool pieces = alike && !a->parts[0].probed->shape.whole;
	struct sgang_others others;
	uint64_t outside;
	int rc;

	if (fill_nodes(a, s, moment, alike, rq) < 0)
		return -1;
	rc = sgang_plan(rq, plan, nofit, err);
	if (rc != 1 || !find_others(a, rq, *plan, &others))
		others.n = 0;
	outside = (rc == 1) ? (*plan)->ring.cost : 0;
	if (rc == 0 && moment == SGANG_NOW && !a->trying)
		sgang_why_nofit(a, rq, alike ? NULL : &s->resources, nofit);
	if (rc == 1 && !a->c->devices)
		note_others(a, rq, &others, 0);
	if (rc != 1 || !a->c->devices)
		return rc;
	rc = go_inside(a, s, moment, pieces, rq, *plan, nofit, err);
	if (rc == 1 && same_inside(a, rq))
		note_others(a, rq, &others, (*plan)->ring.cost - outside);
	if (rc == 1)
		return 1;
	sgang_placement_destroy(*plan);
	*plan = NULL;
	return rc;
}

/* What the request has its places compared by. */
static uint64_t cost_of(const struct sgang_plan_request *rq,
			const struct sgang_placement *plan)
{
	return rq->parallel ? plan->weighted_cost : plan->ring.cost;
}

/* Pieces of several islands of a node may be nearer to each other than those
 * that have one each. Such a place has a hop out of an island that the plan of
 * nodes does not count, unless its pieces are one rank each; two, where that is
 * all. Of groups nothing is known of such hops, and with weights first such a
 * place may be lighter. */
static void bound_by_nodes(struct attempt *a, struct slots *s,
			   enum sgang_moment moment,
			   struct sgang_plan_request *rq,
			   struct sgang_placement *plan)
{
	const uint32_t *hop = rq->costs->hop;
	bool splits = ranks_per_unit(&a->parts[0].probed->shape) > 1;
	uint32_t out = splits && !rq->parallel ? hop[1] - hop[0] : 0;
	uint64_t least = rq->parallel ? 0 : plan->ring.ranks * hop[0] + 2 * out;
	struct sgang_placement *nodes = NULL;
	struct sgang_nofit nofit;
	struct sgang_error err;

	if (moment != SGANG_NOW || a->account ||
	    (!rq->weight_first && plan->bound <= least))
		return;
	if (!rq->weight_first && fill_nodes(a, s, moment, true, rq) == 0 &&
	    sgang_plan(rq, &nodes, &nofit, &err) == 1 &&
	    nodes->bound + out > least)
		least = nodes->bound + out;
	sgang_placement_destroy(nodes);
	if (least < plan->bound)
		plan->bound = least;
	plan->exact &= !rq->weight_first && cost_of(rq, plan) <= plan->bound;
}

static int plan_request(struct attempt *a, struct slots *s,
			enum sgang_moment moment, struct sgang_plan_request *rq,
			struct sgang_placement **plan,
			struct sgang_nofit *nofit, struct sgang_error *err)
{
	bool alike;
	int rc = 0;

	if (fill_weights(a, s) < 0)
		return -1;
	rq->weight = s->weight;
	fill_everywhere(a, s, moment);
	alike = uniform(a);
	rq->free = s->free;
	rq->total = s->total;
	rq->members = s->members;
	if (a->c->devices && alike && fits_islands(a))
		rc = plan_islands(a, s, moment, rq, plan, nofit, err);
	if (rc == 1)
		bound_by_nodes(a, s, moment, rq, *plan);
	if (!rc)
		rc = plan_nodes(a, s, moment, alike, rq, plan, nofit, err);
	if (rc == 1 && a->account && fill_nodes(a, s, moment, alike, rq) == 0)
		ask_stock(a, s, alike && !a->parts[0].probed->shape.whole, rq);
	return rc;
}

/* The rings of communication groups; of one gang only. -1 and 'nofit' says what
 * gang.conf or the gang does not have. */
static int set_parallel(const struct attempt *a,
			struct sgang_parallel *parallel,
			struct sgang_plan_request *rq,
			struct sgang_nofit *nofit)
{
	const struct sgang_spec *spec = &a->gangs[0]->tally.spec;
	struct sgang_policy policy;
	struct sgang_error why;

	/* Members that are placed one by one are not all of the ranks. */
	if (a->n_gangs > 1 || !spec->parallel[0] ||
	    !sgang_gang_strict(&a->gangs[0]->tally))
		return 0;
	sgang_spec_policy(spec, &policy);
	if (sgang_parallel_parse(spec->parallel, parallel, &why) ||
	    sgang_parallel_require(parallel, &policy, &a->c->conf.costs,
				   rq->require, &why)) {
		snprintf(nofit->text, sizeof(nofit->text), "%.*s",
			 (int)sizeof(nofit->text) - 1, why.text);
		return -1;
	}
	rq->parallel = parallel;
	return 0;
}

/* Of an empty cluster the best place is asked for, not one to wait for. */
static int64_t time_of(const struct attempt *a, enum sgang_moment moment)
{
	switch (moment) {
	case SGANG_NOW:
		return a->c->host->now();
	case SGANG_LATER:
		return a->at;
	case SGANG_EMPTY:
		break;
	}
	return INT64_MAX;
}

/* The order that this plan chooses holds for all that follow. A plan for
 * several gangs is none of their rings. */
static bool chooses_order(const struct attempt *a, enum sgang_moment moment)
{
	return moment == SGANG_NOW && a->n_gangs == 1 && !a->account &&
	       !a->trying && sgang_where_any_order(a->c, a->gangs[0]);
}

int sgang_where(struct attempt *a, enum sgang_moment moment,
		struct sgang_placement **plan, struct sgang_nofit *nofit)
{
	struct sgang_conductor *c = a->c;
	struct sgang_plan_request rq = {
		.fabric = a->topology->fabric,
		.costs = &c->conf.costs,
		.n_members = a->n_parts,
		.any_order = chooses_order(a, moment),
		.weight_first = c->conf.weight_first,
		.budget = a->budget,
	};
	struct sgang_error err = { "" };
	struct sgang_parallel parallel;
	struct slots s;
	int rc = -1, level = sgang_levels_limit(a, time_of(a, moment), nofit);
	int spread = sgang_levels_spread(a);

	if (level < 0)
		return 0;
	rq.spread = spread >= 0;
	rq.spread_level = rq.spread ? (uint32_t)spread : 0;
	rq.max_level = (uint32_t)level;
	if (set_parallel(a, &parallel, &rq, nofit) < 0)
		return 0;
	if (slots_alloc(&s, a) == 0)
		rc = plan_request(a, &s, moment, &rq, plan, nofit, &err);
	slots_free(&s);
	if (rc == 1)
		sgang_learn_unproved(a, *plan);
	if (rc < 0)
		snprintf(nofit->text, sizeof(nofit->text), "%.*s",
			 (int)sizeof(nofit->text) - 1,
			 err.text[0] ? err.text : "no memory");
	return rc;
}

/* What uneven.c has made of the requests is only for the nodes it found. */
static uint64_t best_of_asked(struct attempt *a, uint64_t *weighted)
{
	struct probed **made = malloc(a->n_parts * sizeof(*made));
	uint64_t best;

	if (!made)
		return 0;
	for (size_t i = 0; i < a->n_parts; i++) {
		made[i] = a->parts[i].probed;
		a->parts[i].probed = made[i]->asked;
	}
	best = sgang_fit_best_cost(a, weighted);
	for (size_t i = 0; i < a->n_parts; i++)
		a->parts[i].probed = made[i];
	free(made);
	return best;
}

void sgang_where_account(struct attempt *a, struct account *account)
{
	struct sgang_placement *plan = NULL;
	struct sgang_nofit nofit;

	memset(account, 0, sizeof(*account));
	if (a->n_gangs > 1)
		return; /* they are described before the release */
	if (a->uneven) {
		account->best = best_of_asked(a, &account->weighted_best);
		return;
	}
	account->best = sgang_fit_best_cost(a, &account->weighted_best);
	if (sgang_fabric_nodes(a->c->fabric) > ACCOUNT_NODES ||
	    sgang_fabric_domains(a->topology->fabric) < 2)
		return;
	a->account = account;
	(void)sgang_where(a, SGANG_NOW, &plan, &nofit);
	a->account = NULL;
	sgang_placement_destroy(plan);
}

uint64_t sgang_fit_best_cost(struct attempt *a, uint64_t *weighted)
{
	struct sgang_placement *best = NULL;
	struct sgang_nofit nofit;
	uint64_t cost = 0;

	if (weighted)
		*weighted = 0;
	if (sgang_where(a, SGANG_EMPTY, &best, &nofit) == 1) {
		cost = best->ring.cost;
		if (weighted)
			*weighted = best->weighted_cost;
	}
	sgang_placement_destroy(best);
	return cost;
}

bool sgang_where_any_order(const struct sgang_conductor *c,
			   const struct gang *g)
{
	const struct sgang_spec *spec = &g->tally.spec;
	enum sgang_rank_order order = spec->rank_order ? spec->rank_order :
							 c->conf.rank_order;

	if (order != SGANG_RANK_ORDER_RING || spec->parallel[0])
		return false;
	for (size_t i = 0; i < g->n_entries; i++) {
		if (g->entries[i]->spec.rank_set)
			return false;
	}
	return true;
}
