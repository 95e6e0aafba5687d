/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims_room.c - what there is room for in a place when some are gone
 *
 * Counts that are necessary for a plan: the pieces of each kind that fit on the
 * nodes of the place, each kind by itself, and, if there are several kinds, the
 * amount of each resource on nodes that any piece fits on. With `spread` it is
 * domains that have room for a member, instead of pieces.
 */

#include <errno.h>
#include <string.h>

#include "victims_private.h"

static uint32_t *free_of(const struct sgang_room *room, uint32_t node)
{
	return room->free + (size_t)node * room->plan.n_dims;
}

static bool is_inside(const struct sgang_room *room, uint32_t node)
{
	const uint32_t *pos = sgang_fabric_pos(room->plan.fabric);

	return pos[node] - room->site.first_pos < room->site.n_nodes;
}

/* So many pieces of a kind more or less on a node. */
static void count(struct sgang_room *room, uint32_t node, uint32_t kind,
		  uint64_t pieces)
{
	uint64_t *sum;

	if (!room->group) {
		room->has[kind] += pieces;
		return;
	}
	sum = &room->in_group[(size_t)room->group[node] * SGANG_ROOM_KINDS +
			      kind];
	room->has[kind] -= *sum >= room->each[kind];
	*sum += pieces;
	room->has[kind] += *sum >= room->each[kind];
}

/* Leave out what the node is counted with, or count it anew. */
static void count_out(struct sgang_room *room, uint32_t node)
{
	uint32_t n_kinds = room->n_kinds, i, any = !n_kinds;
	const uint32_t *cap = room->cap + (size_t)node * n_kinds;
	const uint32_t *free = free_of(room, node);

	for (i = 0; i < n_kinds; i++) {
		count(room, node, i, -(uint64_t)cap[i]);
		any |= cap[i];
	}
	for (i = n_kinds; any && i < room->n_counts; i++)
		room->has[i] -= free[i - n_kinds];
}

static void count_in(struct sgang_room *room, uint32_t node)
{
	uint32_t n_kinds = room->n_kinds, i, any = !n_kinds;
	uint32_t *cap = room->cap + (size_t)node * n_kinds;
	const uint32_t *free = free_of(room, node);

	for (i = 0; i < n_kinds; i++) {
		cap[i] = sgang_kind_fits(&room->job, &room->job.kind[i], node,
					 free);
		count(room, node, i, cap[i]);
		any |= cap[i];
	}
	for (i = n_kinds; any && i < room->n_counts; i++)
		room->has[i] += free[i - n_kinds];
}

static void add(uint32_t *free, const uint32_t *amounts, uint32_t n_dims,
		bool back)
{
	for (uint32_t d = 0; d < n_dims; d++)
		free[d] += back ? -amounts[d] : amounts[d];
}

/* Count a node anew with a holding on it that is taken, or given back. */
static void move(struct sgang_room *room, size_t holding, bool back)
{
	uint32_t node = room->rq->node[holding];
	uint32_t n_dims = room->plan.n_dims;

	if (!is_inside(room, node))
		return;
	count_out(room, node);
	add(free_of(room, node), room->rq->amounts + holding * n_dims, n_dims,
	    back);
	count_in(room, node);
	room->steps++;
}

static void mark(struct sgang_room *room, size_t victim, bool gone)
{
	room->gone[victim] = gone;
	sgang_toll_add(&room->harms, &room->toll, victim, !gone);
	room->steps++;
}

void sgang_room_take(struct sgang_room *room, size_t victim)
{
	const struct sgang_victim *v = &room->rq->victims[victim];

	for (size_t h = v->first; h < v->first + v->n; h++)
		move(room, h, false);
	mark(room, victim, true);
}

void sgang_room_give(struct sgang_room *room, size_t victim)
{
	const struct sgang_victim *v = &room->rq->victims[victim];

	for (size_t h = v->first; h < v->first + v->n; h++)
		move(room, h, true);
	mark(room, victim, false);
}

bool sgang_room_spare(struct sgang_room *room, size_t victim)
{
	const struct sgang_victim *v = &room->rq->victims[victim];
	size_t h = v->first;

	while (h < v->first + v->n && sgang_room_enough(room))
		move(room, h++, true);
	if (sgang_room_enough(room)) {
		mark(room, victim, false);
		return true;
	}
	while (h > v->first)
		move(room, --h, false);
	return false;
}

bool sgang_room_enough(const struct sgang_room *room)
{
	for (size_t i = 0; i < room->n_counts; i++) {
		if (room->has[i] < room->needed[i])
			return false;
	}
	return true;
}

uint64_t sgang_room_most(const struct sgang_room *room)
{
	uint64_t most = UINT64_MAX;

	for (size_t i = 0; i < room->n_counts; i++) {
		uint64_t times = room->whole[i] ?
					 room->has[i] * room->job.units /
						 room->whole[i] :
					 UINT64_MAX;

		most = times < most ? times : most;
	}
	return most;
}

bool sgang_room_is_tight(const struct sgang_room *room)
{
	return room->n_counts == 1 && !room->group &&
	       *room->has == *room->needed;
}

void sgang_room_enter(struct sgang_room *room, const struct sgang_site *site)
{
	const uint32_t *order = sgang_fabric_order(room->plan.fabric);
	uint32_t n_dims = room->plan.n_dims;

	room->site = *site;
	memset(room->has, 0, room->n_counts * sizeof(*room->has));
	for (size_t i = 0; i < room->rq->n_victims; i++)
		room->gone[i] = !room->harms.kind[i];
	sgang_toll_clear(&room->harms, &room->toll);
	if (room->group)
		memset(room->in_group, 0,
		       room->n_groups * SGANG_ROOM_KINDS *
			       sizeof(*room->in_group));
	for (uint32_t i = 0; i < site->n_nodes; i++) {
		uint32_t node = order[site->first_pos + i];

		memcpy(free_of(room, node),
		       room->plan.free + (size_t)node * n_dims,
		       n_dims * sizeof(*room->free));
		count_in(room, node);
	}
}

/* The least that a piece takes of a dimension, on any node that has so much. */
static uint32_t least_need(const struct sgang_room *room,
			   const struct sgang_kind *kind, uint32_t dim)
{
	uint32_t n = sgang_fabric_nodes(room->plan.fabric), least = UINT32_MAX;
	uint32_t n_dims = room->plan.n_dims;

	if (!room->plan.type && kind->need[dim] < SGANG_PLAN_UNTOUCHED)
		return kind->need[dim];
	for (uint32_t node = 0; room->n_kinds && node < n; node++) {
		uint32_t need = sgang_kind_need(&room->job, kind, node, dim);

		if (need < least &&
		    sgang_kind_fits(&room->job, kind, node,
				    room->plan.total + (size_t)node * n_dims))
			least = need;
	}
	return least < UINT32_MAX ? least : 0;
}

/* What is needed for the gang as it is. */
static void count_needs(struct sgang_room *room)
{
	const struct sgang_job *job = &room->job;

	memset(room->whole, 0, room->n_counts * sizeof(*room->whole));
	for (uint32_t k = 0; k < room->n_kinds; k++)
		room->whole[k] = room->group ? room->members[k] :
					       job->kind[k].units;
	for (size_t i = room->n_kinds; i < room->n_counts; i++) {
		for (uint32_t k = 0; k < job->n_kinds; k++)
			room->whole[i] +=
				job->kind[k].units *
				least_need(room, &job->kind[k],
					   (uint32_t)(i - room->n_kinds));
	}
}

void sgang_room_ask(struct sgang_room *room, uint64_t pieces)
{
	uint64_t of = room->job.units;

	for (size_t i = 0; i < room->n_counts; i++)
		room->needed[i] = (room->whole[i] * pieces + of - 1) / of;
}

/* What is free once those are gone that go in any case. */
static void start_with_going(struct sgang_room *room)
{
	const struct sgang_victims_request *rq = room->rq;
	uint32_t n_dims = room->plan.n_dims;
	size_t n = (size_t)sgang_fabric_nodes(room->plan.fabric) * n_dims;
	uint32_t *free = sgang_pool_alloc(room->job.pool, n, sizeof(*free));

	memcpy(free, rq->plan->free, n * sizeof(*free));
	for (size_t i = 0; i < rq->n_victims; i++) {
		const struct sgang_victim *v = &rq->victims[i];

		if (v->harm != SGANG_HARM_GOING)
			continue;
		for (size_t h = v->first; h < v->first + v->n; h++)
			add(free + (size_t)rq->node[h] * n_dims,
			    rq->amounts + h * n_dims, n_dims, false);
	}
	room->plan.free = free;
}

/* With `spread`: the domain of each node, and what members want in one. */
static void find_groups(struct sgang_room *room)
{
	const struct sgang_plan_request *plan = &room->plan;
	uint32_t nodes = sgang_fabric_nodes(plan->fabric);
	uint32_t domains = sgang_fabric_domains(plan->fabric);
	uint32_t *group;

	if (!plan->spread || !room->n_kinds)
		return;
	room->n_groups = (size_t)domains + nodes;
	group = sgang_pool_alloc(room->job.pool, nodes, sizeof(*group));
	room->in_group = sgang_pool_alloc(room->job.pool,
					  room->n_groups * SGANG_ROOM_KINDS,
					  sizeof(*room->in_group));
	for (uint32_t node = 0; node < nodes; node++) {
		group[node] = sgang_fabric_within(plan->fabric, node,
						  plan->spread_level);
		if (group[node] == SGANG_DOMAIN_NONE)
			group[node] = domains + node;
	}
	for (size_t i = 0; i < plan->n_members; i++) {
		uint32_t units = plan->members[i].units;
		uint32_t k = room->job.kind_of[i];

		if (!room->members[k]++ || units < room->each[k])
			room->each[k] = units;
	}
	room->group = group;
}

int sgang_room_init(struct sgang_room *room, struct sgang_pool *pool,
		    const struct sgang_victims_request *rq)
{
	size_t n_nodes = sgang_fabric_nodes(rq->plan->fabric);
	uint32_t n_dims = sgang_plan_dims(rq->plan);

	memset(room, 0, sizeof(*room));
	room->rq = rq;
	room->plan = *rq->plan;
	room->plan.n_dims = n_dims;
	room->job.request = &room->plan;
	room->job.pool = pool;
	start_with_going(room);
	sgang_job_find_kinds(&room->job);
	sgang_harm_init(&room->harms, pool, rq->victims, rq->n_victims);
	sgang_toll_init(&room->harms, pool, &room->toll);
	if (!room->job.units) {
		errno = EINVAL;
		return -1;
	}
	room->n_kinds = room->job.n_kinds;
	if (room->n_kinds > SGANG_ROOM_KINDS)
		room->n_kinds = 0;
	room->n_counts = room->n_kinds == 1 ? 1 : room->n_kinds + n_dims;
	room->gone = sgang_pool_alloc(pool, rq->n_victims + 1,
				      sizeof(*room->gone));
	room->free = sgang_pool_alloc(pool, n_nodes * n_dims,
				      sizeof(*room->free));
	room->cap = sgang_pool_alloc(pool, n_nodes * SGANG_ROOM_KINDS,
				     sizeof(*room->cap));
	room->has = sgang_pool_alloc(pool, room->n_counts, sizeof(*room->has));
	room->needed = sgang_pool_alloc(pool, room->n_counts,
					sizeof(*room->needed));
	room->whole = sgang_pool_alloc(pool, room->n_counts,
				       sizeof(*room->whole));
	find_groups(room);
	count_needs(room);
	sgang_room_ask(room, room->job.units);
	return 0;
}
