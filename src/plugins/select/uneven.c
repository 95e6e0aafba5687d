/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uneven.c - members whose tasks do not fit on their nodes in even shares
 *
 * A plan gives each of the nodes of -N4 -n7 room for two tasks. Slurm asks for
 * one on each and for seven together. If even shares do not fit, the gang is
 * planned with the least of each node, which gives nodes to try and a lower
 * bound of the cost: any shares become such a plan if nodes and tasks are left
 * out, and a ring costs no more without one of its ranks. Then nodes and shares
 * are searched (core/plan/shares.h): on the nodes of that plan, in domain after
 * domain from the smallest on, so that the nodes found are close together, and
 * everywhere. A last plan, restricted to the nodes found, decides levels, groups
 * and the order of the ring. The commit keeps each member to its share of each
 * node.
 *
 * GRES of a whole job (--gpus) are divided in the same manner, also over an
 * open number of nodes: beside the tasks, where Slurm deals out both; else tasks
 * follow their GRES.
 *
 * The search is bounded by steps, because it is done under slurmctld's locks.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/plan/shares.h"

/* Steps of a search now, and of one for a later time, of which there may be 18.
 * A step takes 20 to 180 ns, more with many nodes. */
#define STEPS_NOW 200000
#define STEPS_LATER 20000

/* The most tasks or GRES of a member, and the most last plans. */
#define TASKS_MAX 512
#define PLANS_MAX 4

/* The needs of the parts of one request. */
struct want {
	struct probed *least; /* with the least of each node */
	struct sgang_shares_member member;
	struct sgang_nodeset *allowed; /* owned for the search */
	uint32_t *need, *more;
};

struct uneven {
	struct attempt *a;
	int64_t when; /* 0: now */
	enum sgang_moment moment;
	size_t n_asked;     /* number of original requests */
	struct part *parts; /* the original parts */
	struct want *want;  /* by request */
	struct sgang_resources resources;
	struct sgang_shares_request rq;
	struct sgang_shares_member *members; /* by part */
	uint8_t *type;
	uint32_t *total, *free;
	uint32_t *nodes, *domain, *share, *beside;
	struct sgang_nodeset *found; /* the nodes of the first plan */
	uint64_t steps;
	uint64_t bound;
	int plans;
	uint32_t limit; /* the highest level that they may span */
	bool fits;      /* the least of each node fits */
	bool ready;     /* the request of the search is filled */
	bool unsure;
};

static bool in_shares(const struct probed *p)
{
	return p->shape.job_gres || (p->fixed && p->shape.task_cpus);
}

static uint32_t least_nodes(const struct probed *p)
{
	return sgang_probed_range(p) ? p->shape.least_nodes :
				       p->shape.min_nodes;
}

/* The most nodes that it may have; with GRES of the whole job the number may be
 * open. */
static uint32_t most_nodes(const struct probed *p)
{
	const struct sgang_shape *shape = &p->shape;

	if (!shape->job_gres || shape->max_nodes <= shape->min_nodes)
		return shape->min_nodes;
	return (shape->job_gres < shape->max_nodes) ?
		       (uint32_t)shape->job_gres :
		       shape->max_nodes;
}

/* GRES of the whole job in any shares, whatever tasks there are. */
static bool deals_gres(const struct probed *p)
{
	return p->shape.job_gres && !p->shape.task_cpus;
}

/* Tasks in any shares, and GRES of the whole job beside them. */
static bool deals_both(const struct probed *p)
{
	return p->shape.job_gres && p->shape.task_cpus;
}

static uint32_t gres_of(const struct probed *p)
{
	return p->shape.job_gres < UINT32_MAX ? (uint32_t)p->shape.job_gres :
						UINT32_MAX;
}

/* The pieces of its shares: tasks, or GRES of the whole job. */
static uint32_t pieces_of(const struct probed *p)
{
	if (deals_gres(p))
		return gres_of(p);
	return p->shape.total_cpus / (in_shares(p) ?
					      p->shape.task_cpus :
					      sgang_shape_task_cpus(&p->shape));
}

/* The shape with so many pieces on each of so many nodes, or with one piece. */
static void shape_on(const struct attempt *a, const struct probed *p,
		     uint32_t nodes, uint32_t pieces, struct sgang_shape *shape)
{
	*shape = p->shape;
	if (in_shares(p))
		a->c->host->jobs.share(p->job, nodes, pieces, shape);
	else if (sgang_probed_range(p))
		a->c->host->jobs.fewer(p->job, nodes, shape);
}

/* ---- needs ---- */

static void fill_member(const struct probed *p, struct sgang_shares_member *m)
{
	uint32_t least = least_nodes(p);

	if (in_shares(p))
		*m = (struct sgang_shares_member){
			.least_nodes = least,
			.most_nodes = most_nodes(p),
			.pieces = pieces_of(p),
			.most = pieces_of(p) - least + 1,
		};
	else if (p->fixed)
		*m = (struct sgang_shares_member){
			.least_nodes = least,
			.most_nodes = least,
			.pieces = least,
			.most = 1,
		};
	else
		*m = (struct sgang_shares_member){
			.least_nodes = 1,
			.most_nodes = pieces_of(p),
			.pieces = pieces_of(p),
			.most = pieces_of(p),
		};
	m->required = p->required;
	/* So Slurm does by itself, without another question at the commit: it
	 * fills nodes with GRES, and where their number is open takes as few as
	 * it can. */
	m->most_first = p->shape.job_gres || !p->fixed;
	m->beside = deals_both(p) ? gres_of(p) : 0;
}

/* The need of so many tasks of a member with any number of nodes. */
static void multiply(uint32_t *need, size_t n, uint32_t tasks)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t all = (uint64_t)need[i] * tasks;

		if (need[i] != SGANG_PLAN_ALL)
			need[i] = (all < SGANG_PLAN_ALL) ? (uint32_t)all :
							   SGANG_PLAN_ALL - 1;
	}
}

/* What each number of GRES takes beyond the first one. */
static int fill_more(struct uneven *u, const struct probed *p, struct want *w)
{
	size_t row = (size_t)u->resources.n_types * u->resources.n_dims;
	struct sgang_shape shape;
	struct sgang_asked asked = { .job = p->job, .shape = &shape };

	w->more = calloc(w->member.beside * row + 1, sizeof(*w->more));
	if (!w->more)
		return -1;
	shape_on(u->a, p, least_nodes(p), 1, &shape);
	for (uint32_t n = 1; n <= w->member.beside; n++) {
		uint32_t *more = w->more + (n - 1) * row;

		shape.node_gres = n;
		u->a->c->host->nodes.need(&asked, &u->resources, more);
		sgang_parts_share(&u->resources, more);
		for (size_t i = 0; i < row; i++)
			more[i] = more[i] > w->need[i] ? more[i] - w->need[i] :
							 0;
	}
	w->member.more = w->more;
	return 0;
}

static int fill_need(struct uneven *u, struct probed *p, struct want *w)
{
	const struct sgang_host *h = u->a->c->host;
	size_t row = (size_t)u->resources.n_types * u->resources.n_dims;

	w->need = calloc(w->member.most * row + 1, sizeof(*w->need));
	if (!w->need)
		return -1;
	for (uint32_t tasks = 1; tasks <= w->member.most; tasks++) {
		uint32_t *need = w->need + (tasks - 1) * row;
		struct sgang_shape shape;
		struct sgang_asked asked = { .job = p->job, .shape = &shape };

		shape_on(u->a, p, least_nodes(p), tasks, &shape);
		h->nodes.need(&asked, &u->resources, need);
		sgang_parts_share(&u->resources, need);
		if (!p->fixed && !in_shares(p))
			multiply(need, row, tasks);
	}
	w->member.need = w->need;
	return w->member.beside ? fill_more(u, p, w) : 0;
}

/* ---- resources ---- */

static int count_resources(struct uneven *u)
{
	struct attempt *a = u->a;
	struct sgang_asked *asked = calloc(u->n_asked + 1, sizeof(*asked));
	size_t n = 0, size;

	if (!asked)
		return -1;
	for (size_t i = 0; i < u->n_asked; i++) {
		if (u->want[i].member.pieces)
			asked[n++] = (struct sgang_asked){
				.job = a->probed[i].job,
				.shape = &a->probed[i].shape,
			};
	}
	a->c->host->nodes.resources(asked, n, &u->resources, u->type);
	free(asked);
	size = (size_t)a->c->host->nodes.count() * u->resources.n_dims;
	u->total = calloc(size + 1, sizeof(*u->total));
	u->free = calloc(size + 1, sizeof(*u->free));
	if (!u->total || !u->free)
		return -1;
	sgang_parts_amounts(a, &u->resources, u->moment, u->total, u->free);
	return 0;
}

/* ---- the least of each node ---- */

/* The least tasks of a node if each other node has as many as any node has room
 * for. */
static uint32_t least_tasks(const struct uneven *u, const struct probed *p)
{
	const struct sgang_nodeset *nodes = u->when ? p->ever : p->usable;
	uint32_t most = 0, tasks = pieces_of(p);
	uint64_t others;

	if (deals_gres(p))
		return 1;
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		uint32_t cpus = u->free[(size_t)n * u->resources.n_dims];

		most = (cpus > most) ? cpus : most;
	}
	others = (uint64_t)(most / p->shape.task_cpus) * (most_nodes(p) - 1);
	return (tasks > others) ? (uint32_t)(tasks - others) : 1;
}

/* The request with the least of each node; itself, if equal. */
static struct probed *least_of(struct uneven *u, struct probed *p)
{
	struct attempt *a = u->a;
	struct probed *least = &a->probed[a->n_probed];

	if (!in_shares(p) && !sgang_probed_range(p))
		return p;
	if (a->n_probed == a->cap_probed ||
	    sgang_probed_copy(least, p, a->c->host->nodes.count()) < 0)
		return NULL;
	a->n_probed++;
	least->asked = p;
	shape_on(a, p, least_nodes(p), in_shares(p) ? least_tasks(u, p) : 1,
		 &least->shape);
	least->fixed = sgang_shape_fixed(&least->shape);
	return least;
}

static int want_least(struct uneven *u)
{
	struct attempt *a = u->a;

	for (size_t i = 0; i < a->n_parts; i++)
		fill_member(u->parts[i].probed,
			    &u->want[u->parts[i].probed - a->probed].member);
	if (u->when)
		a->at = u->when;
	if (count_resources(u) < 0)
		return -1;
	for (size_t i = 0; i < a->n_parts; i++) {
		struct probed *p = u->parts[i].probed;
		struct want *w = &u->want[p - a->probed];

		if (!w->least)
			w->least = least_of(u, p);
		if (!w->least)
			return -1;
		a->parts[i].probed = w->least;
	}
	return 0;
}

/* ---- input of the search ---- */

static int fill_wants(struct uneven *u)
{
	struct attempt *a = u->a;

	for (size_t i = 0; i < u->n_asked; i++) {
		struct want *w = &u->want[i];

		if (!w->least)
			continue;
		if (w->member.pieces > TASKS_MAX ||
		    w->member.beside > TASKS_MAX)
			return -1;
		if (sgang_parts_allow(a, w->least, u->moment) < 0 ||
		    fill_need(u, &a->probed[i], w) < 0)
			return -1;
		w->member.allowed = w->allowed = w->least->allowed;
		w->least->allowed = NULL;
	}
	for (size_t i = 0; i < a->n_parts; i++)
		u->members[i] = u->want[u->parts[i].probed - a->probed].member;
	return 0;
}

/* With spread: the domains of that level; a node by itself is one, too. */
static void fill_domains(struct uneven *u, uint32_t level)
{
	const struct sgang_fabric *fabric = u->a->topology->fabric;
	uint32_t n = sgang_fabric_nodes(fabric);

	for (uint32_t i = 0; i < n; i++) {
		u->domain[i] = sgang_fabric_within(fabric, i, level);
		if (u->domain[i] == SGANG_DOMAIN_NONE)
			u->domain[i] = sgang_fabric_domains(fabric) + i;
	}
}

static int fill_request(struct uneven *u)
{
	struct attempt *a = u->a;
	int spread = sgang_levels_spread(a);

	if (fill_wants(u) < 0)
		return -1;
	if (spread >= 0)
		fill_domains(u, (uint32_t)spread);
	u->rq = (struct sgang_shares_request){
		.n_dims = u->resources.n_dims,
		.n_types = u->resources.n_types,
		.free = u->free,
		.total = u->total,
		.type = u->type,
		.nodes = u->nodes,
		.domain = (spread >= 0) ? u->domain : NULL,
		.members = u->members,
		.n_members = a->n_parts,
		.beside = u->beside,
	};
	return 0;
}

/* ---- the last plan ---- */

static void drop_made(struct uneven *u)
{
	struct attempt *a = u->a;

	memcpy(a->parts, u->parts, a->n_parts * sizeof(*a->parts));
	while (a->n_probed > u->n_asked)
		sgang_probed_free(&a->probed[--a->n_probed]);
}

static uint32_t cpus_of(const struct uneven *u, const struct probed *asked,
			uint32_t pieces)
{
	struct sgang_shape shape;

	shape_on(u->a, asked, least_nodes(asked), pieces, &shape);
	return asked->fixed || in_shares(asked) ? shape.node_cpus :
						  shape.node_cpus * pieces;
}

/* The CPUs and GRES of the part on each of its nodes, and the nodes. -1 without
 * memory. */
static int confine(struct uneven *u, size_t i, struct probed *p,
		   uint32_t *n_nodes)
{
	const struct probed *asked = u->parts[i].probed;
	const uint32_t *share = u->share + i * u->rq.n_nodes;
	const uint32_t *gres = (deals_both(asked) ? u->beside : u->share) +
			       i * u->rq.n_nodes;
	uint32_t n_all = u->a->c->host->nodes.count();

	*n_nodes = 0;
	sgang_nodeset_clear(p->usable);
	if (!p->shape.whole) {
		p->split = calloc(n_all + 1, sizeof(*p->split));
		if (!p->split)
			return -1;
	}
	if (p->shape.job_gres) {
		p->gres = calloc(n_all + 1, sizeof(*p->gres));
		if (!p->gres)
			return -1;
	}
	for (uint32_t at = 0; at < u->rq.n_nodes; at++) {
		uint32_t node = u->nodes[at];

		if (!share[at])
			continue;
		++*n_nodes;
		sgang_nodeset_add(p->usable, node);
		if (p->split)
			p->split[node] = cpus_of(u, asked, share[at]);
		if (p->gres)
			p->gres[node] = gres[at];
	}
	return 0;
}

static bool make_part(struct uneven *u, size_t i)
{
	struct attempt *a = u->a;
	struct probed *asked = u->parts[i].probed;
	struct probed *p = &a->probed[a->n_probed];
	uint32_t nodes;

	if (a->n_probed == a->cap_probed ||
	    sgang_probed_copy(p, asked, a->c->host->nodes.count()) < 0)
		return false;
	a->n_probed++;
	p->asked = asked;
	if (confine(u, i, p, &nodes) < 0)
		return false;
	if (p->fixed || in_shares(asked))
		shape_on(a, asked, nodes, 1, &p->shape);
	p->fixed = sgang_shape_fixed(&p->shape);
	a->parts[i].probed = p;
	return true;
}

/* This plan decides the nodes, not the shares. */
static bool plan_found(struct uneven *u)
{
	struct attempt *a = u->a;

	drop_made(u);
	for (size_t i = 0; i < a->n_parts; i++) {
		if (!make_part(u, i))
			return false;
	}
	if (sgang_fit_parts(a) < 0)
		return false;
	a->plan->bound = u->bound;
	a->plan->exact = !a->c->conf.weight_first &&
			 sgang_fit_cost(a->plan) <= u->bound;
	a->uneven = true;
	return true;
}

/* ---- the search ---- */

/* The list of nodes is set. */
static bool found_here(struct uneven *u)
{
	uint64_t most = u->steps / 2, steps = most;
	int rc;

	if (u->plans == PLANS_MAX)
		return false;
	u->rq.steps = &steps;
	rc = sgang_shares_find(&u->rq, u->share);
	u->steps -= most - steps;
	(void)sgang_budget_take(u->a->budget, most - steps);
	u->unsure |= rc < 0 || (rc == 0 && !steps);
	if (rc != 1)
		return false;
	if (u->when)
		return true;
	u->plans++;
	u->unsure = true;
	return plan_found(u);
}

static bool found_among(struct uneven *u, const struct sgang_nodeset *nodes)
{
	u->rq.n_nodes = 0;
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		u->nodes[u->rq.n_nodes++] = n;
	return found_here(u);
}

static bool found_in_domain(struct uneven *u, uint32_t domain)
{
	const struct sgang_fabric *fabric = u->a->topology->fabric;
	const struct sgang_domain *d = sgang_fabric_domain(fabric, domain);

	memcpy(u->nodes, sgang_fabric_order(fabric) + d->first_pos,
	       d->n_nodes * sizeof(*u->nodes));
	u->rq.n_nodes = d->n_nodes;
	return found_here(u);
}

/* Search the domains of the allowed levels, the smallest first. */
static bool found_anywhere(struct uneven *u, uint32_t limit)
{
	const struct sgang_fabric *fabric = u->a->topology->fabric;
	uint32_t n = sgang_fabric_domains(fabric);

	for (uint32_t level = SGANG_LEVEL_LEAF; level <= limit; level++) {
		for (uint32_t d = 0; d < n; d++) {
			if (sgang_fabric_domain(fabric, d)->level == level &&
			    found_in_domain(u, d))
				return true;
		}
	}
	return false;
}

/* ---- the first plan ---- */

/* A bound of the cost is no bound of plans with more weight. */
static void note_plan(struct uneven *u)
{
	const struct sgang_placement *plan = u->a->plan;

	u->bound = u->a->c->conf.weight_first ? 0 : plan->bound;
	for (size_t i = 0; i < plan->n_runs; i++)
		sgang_nodeset_add(u->found,
				  sgang_parts_node(u->a->c, &plan->runs[i]));
}

static bool least_fits(struct uneven *u)
{
	struct attempt *a = u->a;

	if (u->when)
		return sgang_fit_nodes_at(a, u->when, u->found);
	if (sgang_fit_parts(a) < 0)
		return false;
	note_plan(u);
	return true;
}

/* ---- */

static bool concerns(const struct attempt *a)
{
	for (size_t i = 0; i < a->n_parts; i++) {
		if (in_shares(a->parts[i].probed))
			return true;
	}
	return false;
}

/* No more than is left of a budget that there is. */
static uint64_t steps_of(const struct attempt *a, int64_t when)
{
	uint64_t steps = when ? STEPS_LATER : STEPS_NOW;

	return a->budget && a->budget->left < steps ? a->budget->left : steps;
}

static int begin(struct uneven *u, struct attempt *a, int64_t when)
{
	uint32_t n_nodes = a->c->host->nodes.count();

	*u = (struct uneven){
		.a = a,
		.when = when,
		.n_asked = a->n_probed,
		.moment = when ? SGANG_LATER : SGANG_NOW,
		.steps = steps_of(a, when),
		.parts = calloc(a->n_parts, sizeof(*u->parts)),
		.want = calloc(a->n_probed, sizeof(*u->want)),
		.members = calloc(a->n_parts, sizeof(*u->members)),
		.type = calloc(n_nodes + 1, sizeof(*u->type)),
		.nodes = calloc(n_nodes + 1, sizeof(*u->nodes)),
		.domain = calloc(n_nodes + 1, sizeof(*u->domain)),
		.share = calloc(a->n_parts * n_nodes + 1, sizeof(*u->share)),
		.beside = calloc(a->n_parts * n_nodes + 1, sizeof(*u->beside)),
		.found = sgang_nodeset_create(n_nodes),
	};
	if (!u->parts || !u->want || !u->members || !u->type || !u->nodes ||
	    !u->domain || !u->share || !u->beside || !u->found)
		return -1;
	memcpy(u->parts, a->parts, a->n_parts * sizeof(*a->parts));
	for (size_t i = 0; i < a->n_probed; i++)
		u->unsure |= a->probed[i].shape.job_gres != 0;
	return 0;
}

static void end(struct uneven *u)
{
	for (size_t i = 0; u->want && i < u->n_asked; i++) {
		sgang_nodeset_destroy(u->want[i].allowed);
		free(u->want[i].need);
		free(u->want[i].more);
	}
	free(u->parts);
	free(u->want);
	free(u->members);
	free(u->type);
	free(u->total);
	free(u->free);
	free(u->nodes);
	free(u->domain);
	free(u->share);
	free(u->beside);
	sgang_nodeset_destroy(u->found);
}

static bool says_why(const struct uneven *u)
{
	return !u->when && !u->a->trying;
}

/* 1, 0 or -1, as sgang_uneven_fit(). */
static int look(struct uneven *u)
{
	struct sgang_nofit nofit;
	int limit;

	if (want_least(u) < 0)
		return -1;
	u->fits = least_fits(u);
	if (!u->fits && !says_why(u))
		return 0;
	limit = sgang_levels_limit(
		u->a, u->when ? u->when : u->a->c->host->now(), &nofit);
	if (limit < 0 || fill_request(u) < 0)
		return u->fits ? -1 : 0;
	u->limit = (uint32_t)limit;
	u->ready = true;
	if (!u->fits)
		return 0;
	if (found_among(u, u->found) || found_anywhere(u, u->limit))
		return 1;
	return u->unsure ? -1 : 0;
}

/* ---- the reason if there are none ---- */

/* The nodes on which any part may have a piece. NULL without memory. */
static struct sgang_nodeset *places_of(const struct uneven *u)
{
	struct sgang_nodeset *room =
		sgang_nodeset_create(u->a->c->host->nodes.count());

	for (size_t i = 0; room && i < u->n_asked; i++) {
		if (u->want[i].allowed)
			sgang_nodeset_or(room, u->want[i].allowed);
	}
	return room;
}

static uint64_t free_in(const struct uneven *u, const struct sgang_domain *d,
			const struct sgang_nodeset *room, uint32_t dim)
{
	const uint32_t *order = sgang_fabric_order(u->a->topology->fabric);
	uint64_t free = 0;

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		uint32_t node = order[d->first_pos + i];

		if (sgang_nodeset_has(room, node))
			free += u->free[(size_t)node * u->rq.n_dims + dim];
	}
	return free;
}

/* The need of a resource, and its free amount in the highest domains allowed.
 */
static void count_free(const struct uneven *u, const struct sgang_nodeset *room,
		       uint32_t dim, struct sgang_nofit *nofit)
{
	const struct sgang_fabric *fabric = u->a->topology->fabric;

	*nofit = (struct sgang_nofit){
		.member = SGANG_NOFIT_ALL,
		.needed = sgang_shares_least(&u->rq, dim),
	};
	for (uint32_t i = 0; i < sgang_fabric_domains(fabric); i++) {
		const struct sgang_domain *d = sgang_fabric_domain(fabric, i);
		uint32_t above = d->parent;

		if (above == SGANG_DOMAIN_NONE)
			nofit->free += free_in(u, d, room, dim);
		if (d->level <= u->limit &&
		    (above == SGANG_DOMAIN_NONE ||
		     sgang_fabric_domain(fabric, above)->level > u->limit))
			sgang_nofit_row(nofit, i, free_in(u, d, room, dim),
					nofit->needed);
	}
	if (!nofit->n_rows)
		return;
	nofit->best_free = nofit->row[0].free;
	snprintf(nofit->best, sizeof(nofit->best), "%s",
		 sgang_fabric_domain(fabric, nofit->row[0].domain)->name);
}

/* The scarcest of all resources. */
static uint32_t find_scarcest(const struct uneven *u,
			      const struct sgang_nodeset *room)
{
	struct sgang_nofit nofit;
	uint32_t scarcest = 0;
	double worst = -1;

	for (uint32_t d = 0; d < u->rq.n_dims; d++) {
		double part;

		if (u->resources.dim[d].apart)
			continue;
		count_free(u, room, d, &nofit);
		part = (double)nofit.needed / ((double)nofit.best_free + 0.5);
		if (part >= worst) {
			worst = part;
			scarcest = d;
		}
	}
	return scarcest;
}

/* Report a resource of which too little is free, or the reason for the least of
 * each node, or that enough is free in a domain but cannot be divided. */
static void say_why(struct uneven *u)
{
	struct attempt *a = u->a;
	struct sgang_nodeset *room = places_of(u);
	struct sgang_nofit nofit;
	uint32_t dim;

	if (!room)
		return;
	memcpy(a->parts, u->parts, a->n_parts * sizeof(*a->parts));
	dim = find_scarcest(u, room);
	count_free(u, room, dim, &nofit);
	if (nofit.best_free < nofit.needed || u->fits) {
		snprintf(
			nofit.text, sizeof(nofit.text),
			u->unsure ?
				"%llu %s are free where it may be, but no shares of its tasks were found that fit on its nodes" :
				"%llu %s are free where it may be, but its tasks do not fit on its nodes, however many each has",
			(unsigned long long)nofit.free,
			u->resources.dim[dim].name);
		sgang_nofit_report_shares(a, u->limit, room,
					  u->resources.dim[dim].name, &nofit);
	}
	sgang_nodeset_destroy(room);
}

/* Set g->joint.nodes of each gang from the result. */
static void note_planned(struct uneven *u)
{
	struct attempt *a = u->a;

	for (size_t i = 0; i < a->n_gangs; i++) {
		sgang_beside_forget(&a->gangs[i]->joint.share);
		if (a->gangs[i]->joint.nodes)
			sgang_nodeset_clear(a->gangs[i]->joint.nodes);
	}
	for (size_t i = 0; i < a->n_parts; i++) {
		const uint32_t *share = u->share + i * u->rq.n_nodes;

		for (uint32_t at = 0; at < u->rq.n_nodes; at++) {
			if (share[at] && u->parts[i].g->joint.nodes)
				sgang_nodeset_add(u->parts[i].g->joint.nodes,
						  u->nodes[at]);
		}
	}
}

static void add_nodes(const struct uneven *u, struct sgang_nodeset *nodes)
{
	size_t n = u->a->n_parts * u->rq.n_nodes;

	for (size_t i = 0; i < n; i++) {
		if (u->share[i])
			sgang_nodeset_add(nodes, u->nodes[i % u->rq.n_nodes]);
	}
}

/* 'note': of its gangs; 'nodes': the nodes of the shares, or NULL. */
static int fit(struct attempt *a, int64_t when, bool note,
	       struct sgang_nodeset *nodes)
{
	struct sgang_told told; /* of even shares */
	struct uneven u;
	int rc = -1;

	if (!concerns(a))
		return 0;
	if (a->n_parts > SGANG_UNEVEN_PARTS)
		return -1;
	sgang_told_keep(a, &told);
	if (begin(&u, a, when) == 0) {
		rc = look(&u);
		if (rc != 1 && says_why(&u) && u.ready) {
			say_why(&u);
			sgang_told_keep(a, &told);
		}
		if (rc == 1 && note)
			note_planned(&u);
		if (rc == 1 && nodes)
			add_nodes(&u, nodes);
		if (rc != 1 || when)
			drop_made(&u);
	}
	if (rc != 1 && !when) {
		sgang_placement_destroy(a->plan);
		a->plan = NULL;
	}
	sgang_told_again(a, &told);
	end(&u);
	return rc;
}

int sgang_uneven_fit(struct attempt *a, int64_t when,
		     struct sgang_nodeset *nodes)
{
	return fit(a, when, false, nodes);
}

static bool fits_then(struct attempt *a, int64_t when, void *arg)
{
	(void)arg;
	return fit(a, when, false, NULL) == 1;
}

int64_t sgang_uneven_when(struct attempt *a, const int64_t *times, size_t n)
{
	size_t at;

	if (!concerns(a))
		return INT64_MAX;
	at = sgang_fit_bisect(a, times, n, fits_then, NULL);
	if (at == n || fit(a, times[at], true, NULL) != 1)
		return INT64_MAX;
	return times[at];
}

/* ---- better than even shares ---- */

bool sgang_uneven_rounded_up(const struct probed *p)
{
	return !p->fixed && deals_both(p) && gres_of(p) % pieces_of(p);
}

static bool any_rounded_up(const struct attempt *a)
{
	for (size_t i = 0; i < a->n_parts; i++) {
		if (sgang_uneven_rounded_up(a->parts[i].probed))
			return true;
	}
	return false;
}

/* What even shares cost elsewhere is no comparison. */
static void forget_others(struct account *account)
{
	if (!account)
		return;
	account->others[0] = '\0';
	account->stock_cost = 0;
	account->stock_estimate = false;
}

void sgang_uneven_better(struct attempt *a)
{
	struct account *account = a->account;
	struct sgang_placement *even = a->plan;
	bool trying = a->trying, better;
	size_t n_probed = a->n_probed;
	struct part *parts;

	/* lighter nodes may cost more */
	if (a->c->conf.weight_first || !any_rounded_up(a))
		return;
	parts = malloc(a->n_parts * sizeof(*parts));
	if (!parts)
		return;
	memcpy(parts, a->parts, a->n_parts * sizeof(*parts));
	a->plan = NULL;
	a->trying = true;
	a->account = NULL;
	better = fit(a, 0, false, NULL) == 1 &&
		 sgang_fit_cost(a->plan) <= sgang_fit_cost(even);
	if (better) {
		sgang_placement_destroy(even);
		forget_others(account);
	} else {
		sgang_placement_destroy(a->plan);
		a->plan = even;
		a->uneven = false;
		sgang_parts_restore(a, parts, n_probed);
	}
	a->trying = trying;
	a->account = account;
	free(parts);
}

/* ---- what even shares prove ---- */

/* Not if weights come first: lighter shares may cost more. */
static void lower_bound(struct attempt *a, const struct sgang_placement *least)
{
	uint64_t bound = (least && !a->c->conf.weight_first) ? least->bound : 0;

	if (bound < a->plan->bound)
		a->plan->bound = bound;
	if (sgang_fit_cost(a->plan) > a->plan->bound)
		a->plan->exact = false;
}

void sgang_uneven_doubt(struct attempt *a)
{
	struct sgang_placement *least = NULL;
	struct sgang_budget budget, *before = a->budget;
	struct sgang_nofit nofit;
	struct sgang_told told;
	struct uneven u;

	if (!concerns(a))
		return;
	sgang_told_keep(a, &told);
	sgang_budget_init(&budget, STEPS_NOW);
	a->budget = &budget;
	if (begin(&u, a, 0) == 0) {
		if (want_least(&u) == 0)
			(void)sgang_parts_place(a, SGANG_NOW, NULL, &least,
						&nofit);
		drop_made(&u);
	}
	a->budget = before;
	sgang_told_again(a, &told);
	lower_bound(a, least);
	sgang_placement_destroy(least);
	end(&u);
}
