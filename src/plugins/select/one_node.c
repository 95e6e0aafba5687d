/* SPDX-License-Identifier: GPL-2.0-or-later */
/* one_node.c - members with an open number of nodes (-n8), each on one node
 *
 * The tasks of such a member may be anywhere, so they are counted one by one,
 * and nobody knows in which islands of a node they are. Where each of these
 * members has a node with room for all of it, as with -N1 -n8, the gang is
 * planned so, too, and the better plan is taken.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

struct one_node {
	struct attempt *a;
	struct part *parts;             /* the original parts */
	struct sgang_placement *before; /* their plan */
	size_t n_asked;                 /* number of their requests */
};

static bool is_open(const struct probed *p)
{
	return !p->fixed && !p->shape.whole && p->shape.min_nodes == 1;
}

static bool concerns(const struct attempt *a)
{
	if (!a->c->devices)
		return false;
	for (size_t i = 0; i < a->n_parts; i++) {
		if (is_open(a->parts[i].probed))
			return true;
	}
	return false;
}

static void give_back(struct one_node *o)
{
	sgang_parts_restore(o->a, o->parts, o->n_asked);
}

/* The request on one node; NULL without room or memory. */
static struct probed *on_one_node(struct one_node *o, struct probed *asked)
{
	struct attempt *a = o->a;
	struct probed *p;

	for (size_t i = o->n_asked; i < a->n_probed; i++) {
		if (a->probed[i].asked == asked)
			return &a->probed[i];
	}
	p = sgang_probed_fewer(a, asked, 1);
	if (!p)
		return NULL;
	p->fixed = sgang_shape_fixed(&p->shape);
	p->asked = asked;
	return p;
}

static bool take(struct one_node *o)
{
	struct attempt *a = o->a;

	for (size_t i = 0; i < a->n_parts; i++) {
		struct probed *p = a->parts[i].probed;

		if (is_open(p))
			p = on_one_node(o, p);
		if (!p)
			return false;
		a->parts[i].probed = p;
	}
	return true;
}

static bool open_parts(struct one_node *o, struct attempt *a)
{
	*o = (struct one_node){
		.a = a,
		.n_asked = a->n_probed,
		.parts = malloc(a->n_parts * sizeof(*o->parts)),
	};
	if (!o->parts)
		return false;
	memcpy(o->parts, a->parts, a->n_parts * sizeof(*o->parts));
	return true;
}

/* A bound of one of the two plans holds for its own places alone. */
static void bound(struct sgang_placement *plan,
		  const struct sgang_placement *other)
{
	if (other->bound < plan->bound)
		plan->bound = other->bound;
	plan->exact = plan->exact && sgang_fit_cost(plan) <= plan->bound;
}

/* Weight comes first: nodes that the other plan does not use may weigh more. */
static bool is_as_light(const struct attempt *a,
			const struct sgang_placement *before)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(a->c->host->nodes.count());
	bool within = nodes;

	for (size_t i = 0; nodes && i < before->n_runs; i++)
		sgang_nodeset_add(nodes,
				  sgang_parts_node(a->c, &before->runs[i]));
	for (size_t i = 0; within && i < a->plan->n_runs; i++)
		within = sgang_nodeset_has(
			nodes, sgang_parts_node(a->c, &a->plan->runs[i]));
	sgang_nodeset_destroy(nodes);
	return within;
}

/* Let the better one of the two be the plan. */
static void choose(struct one_node *o)
{
	struct attempt *a = o->a;
	struct sgang_placement *other = o->before;

	if (sgang_fit_cost(a->plan) > sgang_fit_cost(o->before) ||
	    (a->c->conf.weight_first && !is_as_light(a, o->before))) {
		other = a->plan;
		a->plan = o->before;
		give_back(o);
	}
	bound(a->plan, other);
	sgang_placement_destroy(other);
}

void sgang_one_node_fit(struct attempt *a)
{
	struct account *account = a->account; /* tells what they ask for */
	bool trying = a->trying;
	struct sgang_told told;
	struct one_node o;

	if (a->uneven || !concerns(a) || !open_parts(&o, a))
		return;
	sgang_told_keep(a, &told);
	o.before = a->plan;
	a->plan = NULL;
	a->trying = true;
	a->account = NULL;
	if (take(&o) && sgang_fit_parts(a) == 0) {
		choose(&o);
	} else {
		give_back(&o);
		a->plan = o.before;
	}
	a->trying = trying;
	a->account = account;
	sgang_told_again(a, &told);
	free(o.parts);
}

void sgang_one_node_account(struct attempt *a, struct account *account)
{
	uint64_t weighted = 0, best = 0;
	struct one_node o;

	if (a->uneven || a->n_gangs > 1 || !concerns(a) || !open_parts(&o, a))
		return;
	if (take(&o))
		best = sgang_fit_best_cost(a, &weighted);
	give_back(&o);
	free(o.parts);
	if (best && best < account->best) {
		account->best = best;
		account->weighted_best = weighted;
	}
}
