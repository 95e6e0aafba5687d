/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placement.c - the placement of the parts of an attempt, by ring cost
 *
 * The resources of nodes and islands, now or later, are counted here for the
 * planner (core/plan/place.h).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/plan/place.h"

/* A request on fewer nodes may need more on each of them. */
static bool same_piece(const struct probed *x, const struct probed *y)
{
	return x->shape.node_cpus == y->shape.node_cpus &&
	       x->shape.node_memory == y->shape.node_memory &&
	       x->shape.node_gpus == y->shape.node_gpus;
}

/* Members that need the same on each of a fixed number of nodes are counted in
 * pieces of that size, others resource by resource. The commit finds errors of
 * this. */
static bool uniform(const struct attempt *a)
{
	const struct sgang_host *h = a->c->host;
	const struct probed *first = a->parts[0].probed, *last = NULL;

	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		if (p == last)
			continue;
		/* shares of uneven.c are no pieces */
		if (!p->fixed || p->split || !same_piece(first, p) ||
		    !h->jobs.same_units(first->job, p->job))
			return false;
		last = p;
	}
	return true;
}

/* Some units have one rank more than the others. */
static void count_ranks(const struct sgang_shape *shape,
			struct sgang_plan_member *member)
{
	member->ranks = shape->tasks / shape->min_nodes;
	member->more = shape->tasks % shape->min_nodes;
	if (!member->ranks) {
		member->ranks = 1;
		member->more = 0;
	}
}

/* By node, or island; scratch by either. */
struct slots {
	uint32_t *free, *total, *amount, *scratch;
	uint32_t *island_free, *island_total;
	uint32_t *weight; /* by node; NULL: all equal */
	struct sgang_plan_member *members;
	struct sgang_nodeset *everywhere; /* nodes that any member could have */
	/* if members differ, */
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
	free(s->island_free);
	free(s->island_total);
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
	uint32_t n_nodes = a->c->host->nodes.count();
	uint32_t n = devices ? devices->first[n_nodes] : n_nodes;
	size_t n_parts = a->n_parts;

	memset(s, 0, sizeof(*s));
	s->free = calloc(n_nodes + 1, sizeof(*s->free));
	s->total = calloc(n_nodes + 1, sizeof(*s->total));
	s->amount = calloc(n_nodes + 1, sizeof(*s->amount));
	s->scratch = calloc(n + 1, sizeof(*s->scratch));
	s->island_free = calloc(n + 1, sizeof(*s->island_free));
	s->island_total = calloc(n + 1, sizeof(*s->island_total));
	s->members = calloc(n_parts, sizeof(*s->members));
	s->everywhere = sgang_nodeset_create(n_nodes);
	return (s->free && s->total && s->amount && s->scratch &&
		s->island_free && s->island_total && s->members &&
		s->everywhere) ?
		       0 :
		       -1;
}

/* Fill in the weights of nodes, for plans of nodes and of islands. */
static int fill_weights(const struct attempt *a, struct slots *s)
{
	uint32_t n = a->c->host->nodes.count();

	s->weight = calloc(n + 1, sizeof(*s->weight));
	if (!s->weight)
		return -1;
	if (!a->c->host->nodes.weights(a->probed[0].job, s->weight)) {
		free(s->weight);
		s->weight = NULL;
	}
	return 0;
}

static void raise_to(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (from[i] > into[i])
			into[i] = from[i];
	}
}

/* The nodes that a request can use at that time. */
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

/* sgang_units_on() at that time, through s->scratch. */
static void amount(struct attempt *a, const struct probed *p, struct slots *s,
		   const struct sgang_nodeset *nodes, enum sgang_moment moment,
		   uint32_t *out)
{
	uint32_t n_nodes = a->c->host->nodes.count();

	sgang_units_on(a, p->job, &p->shape, nodes, moment == SGANG_EMPTY, out);
	if (moment != SGANG_LATER)
		return;
	sgang_units_on(a, p->job, &p->shape, nodes, true, s->scratch);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (a->free_at[n] <= a->at)
			out[n] = s->scratch[n];
	}
}

static void segments(const struct sgang_shape *shape,
		     struct sgang_plan_member *member)
{
	member->segment = shape->segment;
	member->spread_segments = shape->spread_segments;
	member->consolidate_segments = shape->consolidate_segments;
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
			.distinct = true,
			.allowed = places(p, moment),
			.required = p->required,
		};
		count_ranks(&p->shape, &s->members[i]);
		segments(&p->shape, &s->members[i]);
	}
	sgang_units_on(a, first->job, &first->shape, s->everywhere, true,
		       s->total);
	amount(a, first, s, s->everywhere, moment, s->free);
	for (uint32_t n = 0; moment == SGANG_NOW && n < h->nodes.count(); n++) {
		uint32_t most = sgang_learn_most(a, n);

		if (s->free[n] > most)
			s->free[n] = most;
	}
	return 0;
}

/* A node is allowed for a request only if a piece of it fits there, whatever
 * resources are counted. */
static int fill_allowed(struct attempt *a, struct probed *p, struct slots *s,
			enum sgang_moment moment)
{
	const struct sgang_nodeset *from = places(p, moment);
	uint32_t n_nodes = a->c->host->nodes.count();

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

int sgang_parts_allow(struct attempt *a, struct probed *p,
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

void sgang_parts_share(const struct sgang_resources *resources, uint32_t *need)
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

/* Fill in the counted resources and the needs of each request. */
static int fill_needs(struct attempt *a, struct slots *s,
		      enum sgang_moment moment)
{
	const struct sgang_host *h = a->c->host;
	struct sgang_asked *asked = calloc(a->n_probed + 1, sizeof(*asked));
	size_t n = 0;

	free(s->type);
	free(s->need);
	s->type = calloc(h->nodes.count() + 1, sizeof(*s->type));
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
	h->nodes.resources(asked, n, &s->resources, s->type);
	free(asked);
	for (size_t i = 0; i < a->n_probed; i++) {
		struct sgang_asked one = asked_of(&a->probed[i]);

		a->probed[i].need = s->need + i * s->resources.n_types *
						      s->resources.n_dims;
		if (!a->probed[i].usable)
			continue;
		h->nodes.need(&one, &s->resources, a->probed[i].need);
		if (!keeps_apart(a, moment))
			sgang_parts_share(&s->resources, a->probed[i].need);
	}
	return 0;
}

void sgang_parts_amounts(const struct attempt *a,
			 const struct sgang_resources *resources,
			 enum sgang_moment moment, uint32_t *total,
			 uint32_t *free)
{
	const struct sgang_host *h = a->c->host;
	uint32_t n_dims = resources->n_dims;
	size_t n = (size_t)h->nodes.count() * n_dims;

	h->nodes.amounts(resources, true, total);
	h->nodes.amounts(resources, moment == SGANG_EMPTY, free);
	for (size_t i = 0; moment == SGANG_LATER && i < n; i++) {
		if (a->free_at[i / n_dims] <= a->at)
			free[i] = total[i];
	}
}

/* Fill in the amounts of the nodes at that time. */
static int fill_amounts(struct attempt *a, struct slots *s,
			enum sgang_moment moment)
{
	size_t n = (size_t)a->c->host->nodes.count() * s->resources.n_dims;

	free(s->vector_free);
	free(s->vector_total);
	s->vector_free = calloc(n + 1, sizeof(*s->vector_free));
	s->vector_total = calloc(n + 1, sizeof(*s->vector_total));
	if (!s->vector_free || !s->vector_total)
		return -1;
	sgang_parts_amounts(a, &s->resources, moment, s->vector_total,
			    s->vector_free);
	return 0;
}

static int fill_all_allowed(struct attempt *a, struct slots *s,
			    enum sgang_moment moment)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].usable &&
		    fill_allowed(a, &a->probed[i], s, moment) < 0)
			return -1;
	}
	return 0;
}

/* For different members, resource by resource; the allowed nodes are filled in
 * before. */
static int fill_vectors(struct attempt *a, struct slots *s,
			enum sgang_moment moment)
{
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
			.ranks = 1,
			.distinct = p->fixed,
			.allowed = p->allowed,
			.need = p->need,
			.required = p->required,
		};
		if (!p->fixed)
			continue;
		count_ranks(shape, &s->members[i]);
		segments(shape, &s->members[i]);
	}
	return 0;
}

/* All nodes that any request could use at that time. */
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

/* Lower the units to the number that Slurm accepted on their node. */
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

/* The number of pieces of the members' common size that fit into each island at
 * that time. */
static void island_units(struct attempt *a, struct slots *s,
			 enum sgang_moment moment, uint32_t *units)
{
	const struct sgang_devices *devices = a->c->devices;
	const struct sgang_host *h = a->c->host;
	const struct probed *p = a->parts[0].probed;

	h->nodes.island_units(p->job, &p->shape, s->everywhere,
			      moment == SGANG_EMPTY, units);
	if (moment == SGANG_NOW)
		cap_islands(a, units);
	if (moment != SGANG_LATER)
		return;
	h->nodes.island_units(p->job, &p->shape, s->everywhere, true,
			      s->scratch);
	for (uint32_t n = 0; n < devices->n_nodes; n++) {
		if (a->free_at[n] > a->at)
			continue;
		for (uint32_t i = devices->first[n]; i < devices->first[n + 1];
		     i++)
			units[i] = s->scratch[i];
	}
}

/* True for members with equal needs that share nodes with others. */
static bool counted_in_pieces(const struct attempt *a, bool alike)
{
	return alike && !a->parts[0].probed->shape.whole;
}

/* Fill in the islands of the request's nodes. */
static void fill_islands(struct attempt *a, struct slots *s,
			 enum sgang_moment moment, bool alike,
			 struct sgang_place_islands *islands)
{
	const struct sgang_devices *devices = a->topology->devices;
	const struct probed *p = a->parts[0].probed;

	*islands = (struct sgang_place_islands){
		.devices = devices,
		.opaque = p->shape.node_cpus > 1 || p->shape.node_gpus > 1,
		.whole = p->shape.whole,
	};
	if (!counted_in_pieces(a, alike))
		return;
	a->c->host->nodes.island_units(p->job, &p->shape, s->everywhere, true,
				       s->island_total);
	island_units(a, s, moment, s->island_free);
	/* If a node is usable only in part, the islands counted may differ
	 * between times. */
	raise_to(s->island_total, s->island_free,
		 devices->first[devices->n_nodes]);
	islands->free = s->island_free;
	islands->total = s->island_total;
}

/* ---- alternatives ---- */

/* Beyond these sizes the plans take too long for a report, because they are
 * made under slurmctld's locks. Slurm's own rule visits all leaves for every
 * member. */
#define ACCOUNT_NODES 20000
#define STOCK_WORK 500000

/* Other domains that are reported. */
#define OTHERS 3

/* True if alternatives to the next plan may be reported. */
static bool tells(const struct attempt *a, const struct account *account)
{
	return account && a->n_gangs == 1 &&
	       sgang_fabric_nodes(a->c->fabric) <= ACCOUNT_NODES &&
	       sgang_fabric_domains(a->topology->fabric) > 1;
}

/* Report alternatives and the choice of Slurm by itself, at the same costs. */
static void tell(struct attempt *a, const struct sgang_place_request *place,
		 const struct sgang_place_report *report,
		 struct account *account)
{
	struct sgang_stock *stock = NULL;

	account->told = true;
	sgang_explain_write(report->fabric, &report->others, account->others);
	account->stock_cost = 0;
	if (a->n_parts * sgang_fabric_nodes(a->c->fabric) <= STOCK_WORK &&
	    sgang_place_stock(place, SGANG_STOCK_RULE, &stock, NULL) == 1) {
		account->stock_cost = stock->ring.cost;
		account->stock_estimate = stock->ring.cost && !stock->exact;
	}
	sgang_stock_destroy(stock);
}

/* ---- the plan ---- */

static void use_vectors(const struct slots *s, struct sgang_plan_request *rq)
{
	rq->n_dims = s->resources.n_dims;
	rq->free = s->vector_free;
	rq->total = s->vector_total;
	rq->type = s->type;
}

/* Fill the request in terms of nodes. */
static int fill_nodes(struct attempt *a, struct slots *s,
		      enum sgang_moment moment, bool alike,
		      struct sgang_plan_request *rq)
{
	if (alike)
		return fill_units(a, s, moment);
	if (fill_all_allowed(a, s, moment) < 0 ||
	    fill_vectors(a, s, moment) < 0)
		return -1;
	if (moment == SGANG_NOW)
		sgang_learn_cap(a, &s->resources, s->type, s->vector_free);
	use_vectors(s, rq);
	return 0;
}

static int plan_request(struct attempt *a, struct slots *s,
			enum sgang_moment moment, struct account *account,
			struct sgang_plan_request *rq,
			struct sgang_placement **plan,
			struct sgang_nofit *nofit, struct sgang_error *err)
{
	struct sgang_place_request place = {
		.nodes = rq,
		.prove = moment == SGANG_NOW,
		.others = tells(a, account) ? OTHERS : 0,
	};
	struct sgang_place_islands islands;
	struct sgang_place_report report;
	bool alike = uniform(a);
	int rc;

	if (fill_weights(a, s) < 0)
		return -1;
	rq->weight = s->weight;
	fill_everywhere(a, s, moment);
	rq->free = s->free;
	rq->total = s->total;
	rq->members = s->members;
	if (fill_nodes(a, s, moment, alike, rq) < 0)
		return -1;
	if (a->topology->devices) {
		fill_islands(a, s, moment, alike, &islands);
		place.islands = &islands;
	}
	rc = sgang_place(&place, plan, &report, nofit, err);
	if (rc == 0 && moment == SGANG_NOW && !a->trying &&
	    report.fabric == rq->fabric)
		sgang_nofit_report(a, rq, alike ? NULL : &s->resources, nofit);
	if (rc == 1 && tells(a, account))
		tell(a, &place, &report, account);
	return rc;
}

/* The rings of communication groups. -1 with the missing setting of gang.conf or
 * the gang in 'nofit'. */
static int set_parallel(const struct attempt *a,
			struct sgang_parallel *parallel,
			struct sgang_plan_request *rq,
			struct sgang_nofit *nofit)
{
	const struct sgang_spec *spec = &a->gangs[0]->tally.spec;
	struct sgang_policy policy;
	struct sgang_error why;

	if (a->n_gangs > 1 || !sgang_grouped(a->gangs[0]))
		return 0;
	sgang_spec_policy(spec, &policy);
	if (sgang_parallel_of(spec->parallel, sgang_grouped_ranks(a), parallel,
			      &why) ||
	    sgang_policy_require(parallel, &policy, &a->c->conf.costs,
				 rq->require, &why)) {
		snprintf(nofit->text, sizeof(nofit->text), "%.*s",
			 (int)sizeof(nofit->text) - 1, why.text);
		return -1;
	}
	rq->parallel = parallel;
	return 0;
}

/* On an empty cluster the best place is wanted, not one to wait for. */
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

/* The order chosen by this plan is used by all later ones. A plan for several
 * gangs is not of their rings. */
static bool chooses_order(const struct attempt *a, enum sgang_moment moment)
{
	return moment == SGANG_NOW && a->n_gangs == 1 && !a->trying &&
	       sgang_parts_any_order(a->c, a->gangs[0]);
}

int sgang_parts_count(struct attempt *a, struct sgang_job *const *gone,
		      size_t n_gone, sgang_parts_use *use, void *arg)
{
	struct sgang_conductor *c = a->c;
	struct sgang_plan_request rq = {
		.fabric = a->topology->fabric,
		.costs = &c->conf.costs,
		.n_members = a->n_parts,
	};
	struct sgang_units *kept = a->units;
	struct sgang_nofit nofit;
	struct slots s;
	int rc = -1, level = sgang_levels_limit(a, a->at, &nofit);

	if (level < 0)
		return -1;
	rq.max_level = (uint32_t)level;
	if (slots_alloc(&s, a) < 0)
		goto out;
	rq.members = s.members;
	a->units = NULL; /* as if these were not there */
	c->host->preempt.leave_out(gone, n_gone);
	rc = fill_all_allowed(a, &s, SGANG_LATER);
	c->host->preempt.leave_out(NULL, 0);
	a->units = kept;
	if (rc == 0)
		rc = fill_vectors(a, &s, SGANG_LATER);
	if (rc == 0) {
		use_vectors(&s, &rq);
		rc = use(&rq, &s.resources, arg);
	}
out:
	slots_free(&s);
	return rc;
}

int sgang_parts_place(struct attempt *a, enum sgang_moment moment,
		      struct account *account, struct sgang_placement **plan,
		      struct sgang_nofit *nofit)
{
	struct sgang_conductor *c = a->c;
	struct sgang_plan_request rq = {
		.fabric = a->topology->fabric,
		.costs = &c->conf.costs,
		.n_members = a->n_parts,
		.any_order = chooses_order(a, moment),
		.effort = a->effort,
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
	if (sgang_branches_groups(a, &rq, nofit) < 0) {
		free((void *)rq.group);
		return 0;
	}
	if (slots_alloc(&s, a) == 0)
		rc = plan_request(a, &s, moment, account, &rq, plan, nofit,
				  &err);
	slots_free(&s);
	free((void *)rq.group);
	if (rc == 1)
		sgang_learn_unproved(a, *plan);
	if (rc < 0)
		snprintf(nofit->text, sizeof(nofit->text), "%.*s",
			 (int)sizeof(nofit->text) - 1,
			 err.text[0] ? err.text : "no memory");
	return rc;
}

/* The requests changed by uneven.c are only for the nodes it found, so the
 * original ones are used. */
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

void sgang_parts_account(struct attempt *a, struct account *account)
{
	struct sgang_placement *plan = NULL;
	struct sgang_nofit nofit;

	if (a->n_gangs > 1)
		return; /* described before the release */
	if (a->uneven) {
		account->best = best_of_asked(a, &account->weighted_best);
		return;
	}
	account->best = sgang_fit_best_cost(a, &account->weighted_best);
	if (!account->told && tells(a, account)) {
		(void)sgang_parts_place(a, SGANG_NOW, account, &plan, &nofit);
		sgang_placement_destroy(plan);
	}
}

uint64_t sgang_fit_best_cost(struct attempt *a, uint64_t *weighted)
{
	struct sgang_placement *best = NULL;
	struct sgang_nofit nofit;
	uint64_t cost = 0;

	if (weighted)
		*weighted = 0;
	if (sgang_parts_place(a, SGANG_EMPTY, NULL, &best, &nofit) == 1) {
		cost = best->ring.cost;
		if (weighted)
			*weighted = best->weighted_cost;
	}
	sgang_placement_destroy(best);
	return cost;
}

bool sgang_parts_any_order(const struct sgang_conductor *c,
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
