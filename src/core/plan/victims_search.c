/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims_search.c - sets that make room in a place, as far as counting tells
 *
 * First sets come from a few orders: victims are taken until there is room, and
 * then those are given back that are not needed. A longer search exchanges some
 * of a set for others, and where there are few victims goes through all sets.
 */

#include <stdlib.h>
#include <string.h>

#include "victims_private.h"

/* All sets are gone through for so many victims in a place. */
#define EXACT_MAX 24

/* A whole node, as a size. */
#define NODE_SHARE 1024

struct sgang_search_key {
	size_t victim;
	uint32_t kind;
	uint32_t jobs;
	uint32_t later;
	uint64_t size;
	uint64_t lost;
};

/* -- orders -- */

#define ASCENDING(a, b)                            \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int by_rest(const struct sgang_search_key *a,
		   const struct sgang_search_key *b)
{
	ASCENDING(a->jobs, b->jobs);
	ASCENDING(a->later, b->later);
	ASCENDING(a->lost, b->lost);
	ASCENDING(a->victim, b->victim);
	return 0;
}

static int by_harm(const void *one, const void *two)
{
	const struct sgang_search_key *a = one, *b = two;

	ASCENDING(a->kind, b->kind);
	return by_rest(a, b);
}

static int by_size(const void *one, const void *two)
{
	const struct sgang_search_key *a = one, *b = two;

	ASCENDING(a->kind, b->kind);
	ASCENDING(b->size, a->size);
	return by_rest(a, b);
}

/* -- taking and giving back -- */

static void take_one(struct sgang_search *s, size_t victim)
{
	sgang_room_take(&s->room, victim);
	s->trail[s->n_trail++] = victim;
}

/* Take it, and of a gang the extras, too. */
static void take(struct sgang_search *s, size_t victim)
{
	size_t extra;

	if (s->room.gone[victim])
		return;
	take_one(s, victim);
	for (extra = s->first_extra[victim]; extra != SGANG_VICTIM_NONE;
	     extra = s->next_extra[extra]) {
		if (!s->room.gone[extra])
			take_one(s, extra);
	}
}

/* Let it stay if there is room without it. */
static bool spare(struct sgang_search *s, size_t victim)
{
	if (!s->room.gone[victim] ||
	    sgang_harm_bound(&s->room.harms, victim, s->room.gone) ||
	    !sgang_room_spare(&s->room, victim))
		return false;
	s->trail[s->n_trail++] = victim;
	return true;
}

/* Those that are not needed stay, the worst of the order first. */
static void spare_all(struct sgang_search *s,
		      const struct sgang_search_key *order)
{
	for (size_t i = s->n; i-- > 0;)
		(void)spare(s, order[i].victim);
}

static void take_nobody(struct sgang_search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->room.gone[s->by_harm[i].victim])
			sgang_room_give(&s->room, s->by_harm[i].victim);
	}
	s->n_trail = 0;
}

/* The set as another one is. */
static void take_set(struct sgang_search *s, const bool *set)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t victim = s->by_harm[i].victim;

		if (s->room.gone[victim] && !set[victim])
			sgang_room_give(&s->room, victim);
		else if (!s->room.gone[victim] && set[victim])
			sgang_room_take(&s->room, victim);
	}
	s->n_trail = 0;
}

/* Back to where the trail begins. */
static void go_back(struct sgang_search *s)
{
	while (s->n_trail) {
		size_t victim = s->trail[--s->n_trail];

		if (s->room.gone[victim])
			sgang_room_give(&s->room, victim);
		else
			sgang_room_take(&s->room, victim);
	}
}

/* -- the victims of a place -- */

static void add_key(struct sgang_search *s, size_t victim)
{
	const struct sgang_victim *v = &s->rq->victims[victim];

	s->by_harm[s->n++] = (struct sgang_search_key){
		.victim = victim,
		.kind = s->room.harms.kind[victim],
		.jobs = v->jobs,
		.later = v->harm == SGANG_HARM_EXTRA ? v->later : 0,
		.lost = v->lost,
	};
	s->seen[victim] = true;
}

/* Victims with a holding there, and the extras of gangs among them. */
static void find_victims(struct sgang_search *s, const struct sgang_site *site)
{
	const uint32_t *order = sgang_fabric_order(s->room.plan.fabric);
	size_t i;

	s->n = 0;
	for (i = 0; i < site->n_nodes; i++) {
		uint32_t node = order[site->first_pos + i];

		for (size_t h = s->first[node]; h < s->first[node + 1]; h++) {
			if (!s->seen[s->whose[h]])
				add_key(s, s->whose[h]);
			s->size[s->whose[h]] += s->share[h];
		}
	}
	for (i = 0; i < s->n; i++) {
		size_t extra = s->first_extra[s->by_harm[i].victim];

		for (; extra != SGANG_VICTIM_NONE; extra = s->next_extra[extra])
			if (!s->seen[extra])
				add_key(s, extra);
	}
	for (i = 0; i < s->n; i++) {
		struct sgang_search_key *key = &s->by_harm[i];

		key->size = s->size[key->victim];
		s->size[key->victim] = 0;
		s->seen[key->victim] = false;
	}
}

static void enter(struct sgang_search *s, const struct sgang_site *site)
{
	sgang_room_enter(&s->room, site);
	find_victims(s, site);
	s->n_trail = 0;
	s->found = false;
}

static void sort_victims(struct sgang_search *s)
{
	memcpy(s->by_size, s->by_harm, s->n * sizeof(*s->by_size));
	qsort(s->by_harm, s->n, sizeof(*s->by_harm), by_harm);
	qsort(s->by_size, s->n, sizeof(*s->by_size), by_size);
}

bool sgang_search_possible(struct sgang_search *s,
			   const struct sgang_site *site)
{
	enter(s, site);
	for (size_t i = 0; i < s->n; i++)
		sgang_room_take(&s->room, s->by_harm[i].victim);
	return sgang_room_enough(&s->room);
}

/* -- sets -- */

/* The set makes room: keep it if it is less harm than the best. */
static bool keep(struct sgang_search *s)
{
	const struct sgang_room *room = &s->room;

	if (s->found &&
	    sgang_toll_harm(&room->harms, &room->toll, &s->least) > 0)
		return false;
	s->offer(s->arg, room->gone, &room->toll);
	if (s->found &&
	    sgang_toll_compare(&room->harms, &room->toll, 0, &s->least, 0) >= 0)
		return false;
	memcpy(s->best, room->gone, s->rq->n_victims * sizeof(*s->best));
	sgang_toll_copy(&room->harms, &s->least, &room->toll);
	s->found = true;
	return true;
}

/* Take in this order until there is room. */
static void take_until_enough(struct sgang_search *s,
			      const struct sgang_search_key *order)
{
	take_nobody(s);
	for (size_t i = 0; i < s->n && !sgang_room_enough(&s->room); i++)
		take(s, order[i].victim);
}

/* -- by nodes -- */

/* What it takes to empty a node. */
struct sgang_search_node {
	uint32_t node;
	uint32_t kind;   /* of the worst there */
	uint64_t worst;  /* parts of such victims that are there */
	uint64_t others; /* parts of others */
};

static int by_cheapness(const void *one, const void *two)
{
	const struct sgang_search_node *a = one, *b = two;

	ASCENDING(a->kind, b->kind);
	ASCENDING(a->worst, b->worst);
	ASCENDING(a->others, b->others);
	ASCENDING(a->node, b->node);
	return 0;
}

static void judge_node(const struct sgang_search *s, uint32_t node,
		       struct sgang_search_node *judged)
{
	*judged = (struct sgang_search_node){ .node = node };
	for (size_t h = s->first[node]; h < s->first[node + 1]; h++) {
		size_t victim = s->whose[h];
		uint32_t kind = s->room.harms.kind[victim];
		uint64_t part = (uint64_t)s->share[h] * NODE_SHARE /
				s->size[victim];

		if (kind > judged->kind) {
			judged->others += judged->worst;
			judged->worst = 0;
			judged->kind = kind;
		}
		if (kind == judged->kind)
			judged->worst += part;
		else
			judged->others += part;
	}
}

/* Empty node by node until there is room. */
static void take_nodes(struct sgang_search *s, const struct sgang_site *site)
{
	const uint32_t *order = sgang_fabric_order(s->room.plan.fabric);
	struct sgang_search_node *judged = s->judged;
	size_t i;

	for (i = 0; i < s->n; i++)
		s->size[s->by_harm[i].victim] = s->by_harm[i].size + 1;
	for (i = 0; i < site->n_nodes; i++)
		judge_node(s, order[site->first_pos + i], &judged[i]);
	for (i = 0; i < s->n; i++)
		s->size[s->by_harm[i].victim] = 0;
	qsort(judged, site->n_nodes, sizeof(*judged), by_cheapness);
	take_nobody(s);
	for (i = 0; i < site->n_nodes && !sgang_room_enough(&s->room); i++) {
		uint32_t node = judged[i].node;

		for (size_t h = s->first[node]; h < s->first[node + 1]; h++)
			take(s, s->whose[h]);
	}
}

void sgang_search_again(struct sgang_search *s)
{
	s->found = false;
	take_until_enough(s, s->by_harm);
	spare_all(s, s->by_harm);
	keep(s);
	take_until_enough(s, s->by_harm);
	spare_all(s, s->by_size);
	keep(s);
	take_until_enough(s, s->by_size);
	spare_all(s, s->by_size);
	keep(s);
	take_nodes(s, &s->room.site);
	spare_all(s, s->by_size);
	keep(s);
}

void sgang_search_quick(struct sgang_search *s, const struct sgang_site *site)
{
	enter(s, site);
	sort_victims(s);
	if (sgang_room_enough(&s->room))
		keep(s);
	else
		sgang_search_again(s);
}

size_t sgang_search_victim(const struct sgang_search *s, size_t at)
{
	return s->by_harm[at].victim;
}

/* -- a longer search -- */

static bool is_tired(const struct sgang_search *s)
{
	return s->room.steps >= s->max_steps;
}

/* Who is in the best set, the worst first. */
static void list_best(struct sgang_search *s)
{
	s->n_best = 0;
	for (size_t i = s->n; i-- > 0;) {
		if (s->best[s->by_size[i].victim])
			s->in_best[s->n_best++] = s->by_size[i].victim;
	}
}

/* Let those of the best set stay that are not needed, the worst first. */
static bool spare_best(struct sgang_search *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_best; i++)
		any |= spare(s, s->in_best[i]);
	return any;
}

/* ... that are on a node of those that were taken. */
static bool spare_neighbours(struct sgang_search *s)
{
	size_t n = s->n_trail;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct sgang_victim *v = &s->rq->victims[s->trail[i]];

		for (size_t h = v->first; h < v->first + v->n; h++) {
			uint32_t node = s->rq->node[h];

			for (size_t k = s->first[node]; k < s->first[node + 1];
			     k++) {
				if (s->best[s->whose[k]])
					any |= spare(s, s->whose[k]);
			}
		}
	}
	return any;
}

/* Of those that are in the set anew, let stay who is not needed either. */
static void spare_new(struct sgang_search *s)
{
	size_t n = s->n_trail;

	for (size_t i = 0; i < n; i++) {
		if (!s->best[s->trail[i]])
			(void)spare(s, s->trail[i]);
	}
}

/* With some more than the best set: is that less harm once others stay? */
static bool exchange(struct sgang_search *s, const size_t *more, size_t n_more)
{
	bool any;

	s->n_trail = 0;
	s->room.steps++;
	for (size_t i = 0; i < n_more; i++)
		take(s, more[i]);
	/* without room to spare nobody else becomes dispensable */
	any = sgang_room_is_tight(&s->room) ? spare_neighbours(s) :
					      spare_best(s);
	if (any) {
		spare_new(s);
		if (keep(s)) {
			list_best(s);
			return true;
		}
	}
	go_back(s);
	return false;
}

/* Those on a node that stay so far, for those that they are less harm than. */
static bool exchange_node(struct sgang_search *s, uint32_t node)
{
	size_t *more = s->more, n = 0;

	s->room.steps++;
	for (size_t h = s->first[node]; h < s->first[node + 1]; h++) {
		if (!s->room.gone[s->whose[h]])
			more[n++] = s->whose[h];
	}
	return n > 1 && exchange(s, more, n);
}

static bool exchange_any(struct sgang_search *s, const struct sgang_site *site)
{
	const uint32_t *order = sgang_fabric_order(s->room.plan.fabric);
	bool any = false;

	list_best(s);
	for (size_t i = 0; i < s->n && !is_tired(s); i++)
		any |= exchange(s, &s->by_harm[i].victim, 1);
	for (uint32_t i = 0; i < site->n_nodes && !is_tired(s); i++)
		any |= exchange_node(s, order[site->first_pos + i]);
	return any;
}

/* Can those that are kept, worst first, be part of a set that is no more harm
 * than the best? */
static bool may_be_best(const struct sgang_search *s, const uint32_t *kept,
			size_t n_kept)
{
	size_t at = 0;

	for (size_t i = s->n; i-- > 0 && at < n_kept;) {
		const struct sgang_search_key *key = &s->by_size[i];

		if (!s->best[key->victim])
			continue;
		if (kept[at] != key->kind)
			return kept[at] < key->kind;
		at++;
	}
	return at == n_kept;
}

/* All sets of which the first 'left' of the order are not decided: they are
 * gone. Those that are decided and gone are 'kept'. */
static void try_all(struct sgang_search *s, size_t left, uint32_t *kept,
		    size_t n_kept)
{
	const struct sgang_search_key *key;

	if (is_tired(s))
		return;
	if (!left) {
		(void)keep(s);
		return;
	}
	key = &s->by_size[left - 1];
	s->n_trail = 0;
	if (spare(s, key->victim)) {
		try_all(s, left - 1, kept, n_kept);
		sgang_room_take(&s->room, key->victim);
	}
	kept[n_kept] = key->kind;
	if (may_be_best(s, kept, n_kept + 1))
		try_all(s, left - 1, kept, n_kept + 1);
}

void sgang_search_long(struct sgang_search *s, const struct sgang_site *site,
		       const bool *start, uint64_t max_steps)
{
	uint32_t kept[EXACT_MAX];

	s->max_steps = s->room.steps + max_steps;
	enter(s, site);
	sort_victims(s);
	take_set(s, start);
	spare_all(s, s->by_size);
	(void)keep(s);
	while (exchange_any(s, site) && !is_tired(s))
		;
	if (s->n > EXACT_MAX)
		return;
	for (size_t i = 0; i < s->n; i++)
		take(s, s->by_harm[i].victim);
	try_all(s, s->n, kept, 0);
}

/* -- the whole request -- */

static void link_extras(struct sgang_search *s)
{
	size_t n = s->rq->n_victims;

	for (size_t i = 0; i < n; i++)
		s->first_extra[i] = SGANG_VICTIM_NONE;
	for (size_t i = n; i-- > 0;) {
		const struct sgang_victim *v = &s->rq->victims[i];

		s->next_extra[i] = SGANG_VICTIM_NONE;
		if (v->harm != SGANG_HARM_EXTRA || v->gang == SGANG_VICTIM_NONE)
			continue;
		s->next_extra[i] = s->first_extra[v->gang];
		s->first_extra[v->gang] = i;
	}
}

/* How much of its node a holding is: of the resource it has the most of. */
static uint32_t share_of(const struct sgang_search *s, size_t holding)
{
	uint32_t n_dims = s->room.plan.n_dims;
	const uint32_t *total = s->room.plan.total +
				(size_t)s->rq->node[holding] * n_dims;
	const uint32_t *amounts = s->rq->amounts + holding * n_dims;
	uint64_t most = 1;

	for (uint32_t d = 0; d < n_dims; d++) {
		uint64_t share = total[d] ? (uint64_t)amounts[d] * NODE_SHARE /
						    total[d] :
					    0;

		most = share > most ? share : most;
	}
	return (uint32_t)(most < NODE_SHARE ? most : NODE_SHARE);
}

/* Sort the holdings by node. */
static void sort_holdings(struct sgang_search *s)
{
	const struct sgang_victims_request *rq = s->rq;
	uint32_t n_nodes = sgang_fabric_nodes(rq->plan->fabric);

	for (size_t i = 0; i < rq->n_victims; i++) {
		const struct sgang_victim *v = &rq->victims[i];

		for (size_t h = v->first;
		     s->room.harms.kind[i] && h < v->first + v->n; h++)
			s->first[rq->node[h] + 1]++;
	}
	for (uint32_t node = 0; node < n_nodes; node++)
		s->first[node + 1] += s->first[node];
	for (size_t i = 0; i < rq->n_victims; i++) {
		const struct sgang_victim *v = &rq->victims[i];

		for (size_t h = v->first;
		     s->room.harms.kind[i] && h < v->first + v->n; h++) {
			size_t at = s->first[rq->node[h]]++;

			s->whose[at] = i;
			s->share[at] = share_of(s, h);
		}
	}
	memmove(s->first + 1, s->first, n_nodes * sizeof(*s->first));
	s->first[0] = 0;
}

int sgang_search_init(struct sgang_search *s, struct sgang_pool *pool,
		      const struct sgang_victims_request *rq)
{
	size_t n = rq->n_victims, holdings = 0;
	size_t n_nodes = sgang_fabric_nodes(rq->plan->fabric);

	memset(s, 0, sizeof(*s));
	s->rq = rq;
	if (sgang_room_init(&s->room, pool, rq))
		return -1;
	sgang_toll_init(&s->room.harms, pool, &s->least);
	for (size_t i = 0; i < n; i++)
		holdings += rq->victims[i].n;
	s->first_extra = sgang_pool_alloc(pool, n, sizeof(*s->first_extra));
	s->next_extra = sgang_pool_alloc(pool, n, sizeof(*s->next_extra));
	s->first = sgang_pool_zalloc(pool, n_nodes + 2, sizeof(*s->first));
	s->whose = sgang_pool_alloc(pool, holdings, sizeof(*s->whose));
	s->share = sgang_pool_alloc(pool, holdings, sizeof(*s->share));
	s->by_harm = sgang_pool_alloc(pool, n, sizeof(*s->by_harm));
	s->by_size = sgang_pool_alloc(pool, n, sizeof(*s->by_size));
	s->size = sgang_pool_zalloc(pool, n, sizeof(*s->size));
	s->seen = sgang_pool_zalloc(pool, n, sizeof(*s->seen));
	s->best = sgang_pool_alloc(pool, n, sizeof(*s->best));
	s->judged = sgang_pool_alloc(pool, n_nodes, sizeof(*s->judged));
	s->in_best = sgang_pool_alloc(pool, n, sizeof(*s->in_best));
	s->more = sgang_pool_alloc(pool, n, sizeof(*s->more));
	s->trail = sgang_pool_alloc(pool, 4 * n, sizeof(*s->trail));
	link_extras(s);
	sort_holdings(s);
	return 0;
}
