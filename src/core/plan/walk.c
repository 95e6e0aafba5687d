/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk.c - members laid out in their order, nodes chosen on the way
 *
 * Leaves are given in an order. The walk goes from leaf to leaf and in each
 * from node to node; on every node it puts as much of the ring as fits. Which
 * node is next decides what is wasted: three slots are used up by members of
 * one and two slots, but not by two of two. So several ways are followed at
 * once (a beam), those ahead that have placed most for what they cost. Nodes
 * with the same room are one class, so that a leaf has few choices, and a node
 * that has been left with room may be visited again.
 */

#include <string.h>

#include "mixed.h"

#define BEAM 16
#define CLASSES_MAX 64 /* in a leaf; others are left out */

/* Nodes of one stop that are alike. */
struct class
{
	const uint32_t *left; /* n_dims numbers, as the next one */
	const uint32_t *total;
	uint8_t type;
	uint64_t kinds; /* that are allowed there, a bit each */
	uint32_t node;  /* one of them */
	uint32_t n;
};

/* A visit to a node, and the one before it. */
struct step {
	uint32_t before; /* step + 1; 0: none */
	uint32_t stop;
	uint32_t class;
	uint32_t rest; /* its class afterwards; CLASSES_MAX:
			* no room left */
};

/* How far a way has come. */
struct way {
	uint32_t turn;           /* members done since the first */
	uint32_t units;          /* of the next one that are left */
	uint64_t cost;           /* of the hops so far */
	uint64_t value;          /* of the units placed */
	uint32_t step;           /* + 1 */
	uint32_t from;           /* the first stop, */
	uint32_t at;             /* and the last one */
	uint64_t own;            /* classes of nodes that the next member
				  * has units on */
	uint32_t n[CLASSES_MAX]; /* nodes left in each class of the
				  * stop */
};

/* The best ways of some sort. */
struct beam {
	struct way *way[BEAM];
	struct way room[BEAM];
	uint32_t n;
};

struct walk {
	struct mixed *mixed;
	const struct sgang_stop *stop;
	uint32_t n_stops;
	const uint32_t *pos;
	double price;
	struct class *class; /* CLASSES_MAX for each stop */
	uint32_t *left;      /* of these classes, n_dims numbers */
	uint32_t *n_classes; /* by stop */
	struct step *step;
	uint32_t n_steps;
	uint64_t visits; /* trials of a node */
	uint64_t visits_max;
	struct beam beam[3];
	struct way end; /* the best that is complete */
	bool ended;
	bool again; /* nodes left with room are visited */
};

static uint32_t member_at(const struct walk *walk, uint32_t turn)
{
	return turn % (uint32_t)walk->mixed->request->n_members;
}

/* -- classes -- */

/* Kinds that may use a node, were it free. */
static uint64_t kinds_at(const struct walk *walk, uint32_t pos)
{
	const struct sgang_job *job = walk->mixed->job;
	uint64_t kinds = 0;
	uint32_t k;

	for (k = 0; k < job->n_kinds; k++) {
		const struct sgang_kind *kind = &job->kind[k];

		if (!kind->allowed ||
		    sgang_nodeset_has(kind->allowed, walk->mixed->order[pos]))
			kinds |= UINT64_C(1) << k;
	}
	return kinds;
}

static bool same(const struct walk *walk, const uint32_t *a, const uint32_t *b)
{
	uint32_t d;

	for (d = 0; d < walk->mixed->n_dims; d++) {
		if (a[d] != b[d])
			return false;
	}
	return true;
}

/* The class of nodes like this one, a new one if need be; CLASSES_MAX when
 * there is no room for it. What is left is copied. */
static uint32_t find_class(struct walk *walk, uint32_t stop,
			   const struct class *like)
{
	struct class *class = walk->class + (size_t)stop * CLASSES_MAX;
	uint32_t i, n = walk->n_classes[stop], n_dims = walk->mixed->n_dims;
	uint32_t *left;

	for (i = 0; i < n; i++) {
		if (class[i].kinds == like->kinds &&
		    class[i].type == like->type &&
		    same(walk, class[i].left, like->left) &&
		    same(walk, class[i].total, like->total))
			return i;
	}
	if (n == CLASSES_MAX)
		return n;
	left = walk->left + ((size_t)stop * CLASSES_MAX + n) * n_dims;
	memcpy(left, like->left, n_dims * sizeof(*left));
	class[n] = *like;
	class[n].left = left;
	class[n].n = 0;
	walk->n_classes[stop]++;
	return n;
}

static uint32_t class_of(struct walk *walk, uint32_t stop, uint32_t pos)
{
	const struct mixed *mixed = walk->mixed;
	const struct sgang_plan_request *request = mixed->request;
	uint32_t node = mixed->order[pos];
	struct class like = { .left = left_at(mixed, pos),
			      .total = request->total +
				       (size_t)node * mixed->n_dims,
			      .type = request->type ? request->type[node] : 0,
			      .kinds = kinds_at(walk, pos),
			      .node = node };

	return find_class(walk, stop, &like);
}

/* Sort the nodes of all stops into classes. */
static void find_classes(struct walk *walk)
{
	uint32_t stop, i;

	for (stop = 0; stop < walk->n_stops; stop++) {
		const struct sgang_stop *at = &walk->stop[stop];

		for (i = at->first; i < at->first + at->n; i++) {
			uint32_t class;

			if (!*left_at(walk->mixed, walk->pos[i]))
				continue;
			class = class_of(walk, stop, walk->pos[i]);
			if (class < CLASSES_MAX)
				walk->class[(size_t)stop * CLASSES_MAX + class]
					.n++;
		}
	}
}

/* -- a visit -- */

/* Units of the next member of the way that fit on a node of a class. */
static uint32_t room_for(const struct walk *walk, uint32_t member,
			 const struct class *class, const uint32_t *left)
{
	const struct mixed *mixed = walk->mixed;
	uint32_t units;

	if (!(class->kinds >> mixed->job->kind_of[member] & 1))
		return 0;
	units = sgang_kind_fits(mixed->job, kind_of(mixed, member), class->node,
				left);
	return units > 1 && sgang_member_distinct(ask_of(mixed, member)) ?
		       1 :
		       units;
}

/* Put as much of the ring as fits on a node of a class. With 'pos' the pieces
 * are written, too. 'left' is what is left of the node then. */
static void visit(struct walk *walk, struct way *way, const struct class *class,
		  const uint32_t *pos, uint32_t *left)
{
	struct mixed *mixed = walk->mixed;
	uint32_t n = (uint32_t)mixed->request->n_members;

	memcpy(left, class->left, mixed->n_dims * sizeof(*left));
	while (way->turn < n) {
		uint32_t member = member_at(walk, way->turn);
		uint32_t units = room_for(walk, member, class, left);

		if (!units)
			break;
		if (units > way->units)
			units = way->units;
		if (pos)
			put(mixed, member, *pos, units);
		sgang_kind_take(mixed->job, kind_of(mixed, member), class->node,
				units, left);
		way->value += (uint64_t)units *
			      value_at(mixed, member, class->node);
		way->units -= units;
		if (way->units)
			break;
		way->turn++;
		if (way->turn < n)
			way->units = ask_of(mixed, member_at(walk, way->turn))
					     ->units;
	}
}

static uint32_t node_of(const struct walk *walk, uint32_t stop)
{
	return walk->mixed->order[walk->pos[walk->stop[stop].first]];
}

/* The hop from one stop to another, or between nodes of one. */
static uint32_t hop_between(const struct walk *walk, uint32_t a, uint32_t b)
{
	const struct sgang_plan_request *request = walk->mixed->request;
	uint32_t level = sgang_plan_lowest(request);

	if (a != b && sgang_fabric_meet(request->fabric, node_of(walk, a),
					node_of(walk, b)) > level)
		level = sgang_fabric_meet(request->fabric, node_of(walk, a),
					  node_of(walk, b));
	return request->costs->hop[level] -
	       request->costs->hop[SGANG_LEVEL_ISLAND];
}

/* -- beams -- */

static double worth(const struct walk *walk, const struct way *way)
{
	return walk->price * (double)way->value - (double)way->cost;
}

static void clear_beam(struct beam *beam)
{
	uint32_t i;

	beam->n = 0;
	for (i = 0; i < BEAM; i++)
		beam->way[i] = &beam->room[i];
}

/* Keep a way if it is among the best; of those that are as far, one. */
static void offer(const struct walk *walk, struct beam *beam,
		  const struct way *way)
{
	double value = worth(walk, way);
	struct way *slot;
	uint32_t i, at;

	for (i = 0; i < beam->n; i++) {
		if (beam->way[i]->turn == way->turn &&
		    beam->way[i]->units == way->units &&
		    beam->way[i]->at == way->at &&
		    (beam == &walk->beam[0] ||
		     !memcmp(beam->way[i]->n, way->n, sizeof(way->n))))
			break;
	}
	if (i < beam->n) {
		if (worth(walk, beam->way[i]) >= value)
			return;
	} else if (beam->n < BEAM) {
		i = beam->n++;
	} else {
		i = BEAM - 1;
		if (worth(walk, beam->way[i]) >= value)
			return;
	}
	slot = beam->way[i];
	for (at = i; at && worth(walk, beam->way[at - 1]) < value; at--)
		beam->way[at] = beam->way[at - 1];
	beam->way[at] = slot;
	*slot = *way;
}

/* A way that has placed everything goes back to where it began. */
static void finish_way(struct walk *walk, struct way *way)
{
	way->cost += hop_between(walk, way->at, way->from);
	if (walk->ended && walk->end.cost <= way->cost)
		return;
	walk->end = *way;
	walk->ended = true;
}

/* -- the walk -- */

/* Follow a way to one more node of a class of this stop. */
static void go_on(struct walk *walk, const struct way *from, uint32_t stop,
		  uint32_t number, struct beam *next, struct beam *out)
{
	const struct class *class =
		&walk->class[(size_t)stop * CLASSES_MAX + number];
	uint32_t n = (uint32_t)walk->mixed->request->n_members, rest;
	uint32_t left[SGANG_PLAN_DIMS];
	struct class after = *class;
	struct step *step = &walk->step[walk->n_steps];
	struct way way = *from;

	walk->visits++;
	visit(walk, &way, class, NULL, left);
	if (way.turn == from->turn && way.units == from->units)
		return;
	after.left = left;
	rest = *left && walk->again ? find_class(walk, stop, &after) :
				      CLASSES_MAX;
	if (way.turn != from->turn)
		way.own = 0;
	if (rest < CLASSES_MAX) {
		way.n[rest]++;
		if (way.turn < n &&
		    way.units < ask_of(walk->mixed, member_at(walk, way.turn))
					->units)
			way.own |= UINT64_C(1) << rest;
	}
	way.n[number]--;
	if (from->step)
		way.cost += hop_between(walk, from->at, stop);
	else
		way.from = stop;
	way.at = stop;
	step->before = from->step;
	step->stop = stop;
	step->class = number;
	step->rest = rest;
	way.step = ++walk->n_steps;
	if (way.turn == n) {
		finish_way(walk, &way);
		return;
	}
	offer(walk, next, &way);
	offer(walk, out, &way);
}

/* Every node that the ways of 'now' may go to. */
static void go_on_all(struct walk *walk, uint32_t stop, const struct beam *now,
		      struct beam *next, struct beam *out)
{
	uint32_t i, class, n = walk->n_classes[stop];

	for (i = 0; i < now->n; i++) {
		const struct way *way = now->way[i];

		for (class = 0; class < n; class ++) {
			if (!way->n[class] || way->own >> class & 1 ||
			    walk->visits >= walk->visits_max)
				continue;
			go_on(walk, way, stop, class, next, out);
		}
	}
}

/* Visit one stop with all ways in beam[0]; those that leave it are there in
 * the end. */
static void visit_stop(struct walk *walk, uint32_t stop)
{
	struct beam *now = &walk->beam[1], *next = &walk->beam[2], *swap;
	struct beam *out = &walk->beam[0];
	uint32_t i, k;
	bool passed;

	clear_beam(now);
	for (i = 0; i < out->n; i++) {
		struct way *way = out->way[i];

		way->own = 0;
		for (k = 0; k < CLASSES_MAX; k++)
			way->n[k] =
				k < walk->n_classes[stop] ?
					walk->class[(size_t)stop * CLASSES_MAX +
						    k]
						.n :
					0;
		offer(walk, now, way);
	}
	clear_beam(out);
	while (now->n && walk->visits < walk->visits_max) {
		clear_beam(next);
		go_on_all(walk, stop, now, next, out);
		swap = now;
		now = next;
		next = swap;
	}
	/* nobody found room here: all pass by */
	passed = !out->n;
	for (i = 0; passed && i < next->n; i++)
		offer(walk, out, next->way[i]);
}

/* -- what came out -- */

/* Nodes of the classes of one stop: lists by class. */
struct lists {
	uint32_t head[CLASSES_MAX]; /* index + 1 */
	uint32_t *next;
};

static void fill_lists(struct walk *walk, uint32_t stop, struct lists *lists)
{
	const struct sgang_stop *at = &walk->stop[stop];
	uint32_t i;

	memset(lists->head, 0, sizeof(lists->head));
	for (i = at->first + at->n; i-- > at->first;) {
		uint32_t class;

		if (!*left_at(walk->mixed, walk->pos[i]))
			continue;
		class = class_of(walk, stop, walk->pos[i]);
		if (class == CLASSES_MAX)
			continue;
		lists->next[i] = lists->head[class];
		lists->head[class] = i + 1;
	}
}

/* Write the steps of the best way as a layout. */
static void write_layout(struct walk *walk, uint32_t n_pos)
{
	struct sgang_pool *pool = walk->mixed->job->pool;
	struct way way = { .units = ask_of(walk->mixed, 0)->units };
	uint32_t *path, n = 0, i, at, stop = UINT32_MAX;
	uint32_t left[SGANG_PLAN_DIMS];
	struct lists lists;

	for (i = walk->end.step; i; i = walk->step[i - 1].before)
		n++;
	path = sgang_pool_alloc(pool, n, sizeof(*path));
	lists.next = sgang_pool_alloc(pool, n_pos, sizeof(*lists.next));
	for (i = walk->end.step, at = n; i; i = walk->step[i - 1].before)
		path[--at] = i - 1;
	for (i = 0; i < n; i++) {
		const struct step *step = &walk->step[path[i]];

		if (step->stop != stop)
			fill_lists(walk, stop = step->stop, &lists);
		at = lists.head[step->class] - 1;
		lists.head[step->class] = lists.next[at];
		visit(walk, &way,
		      &walk->class[(size_t)stop * CLASSES_MAX + step->class],
		      &walk -> pos[at], left);
		if (step->rest == CLASSES_MAX)
			continue;
		lists.next[at] = lists.head[step->rest];
		lists.head[step->rest] = at + 1;
	}
}

bool sgang_mixed_walk(struct mixed *mixed, const struct sgang_stop *stop,
		      uint32_t n_stops, const uint32_t *pos, double price)
{
	struct sgang_pool *pool = mixed->job->pool;
	struct walk *walk = sgang_pool_zalloc(pool, 1, sizeof(*walk));
	uint32_t i;
	struct way *way;

	walk->visits_max = sgang_budget_share(mixed->request->budget,
					      SGANG_STEPS_ONE_WALK);
	if (mixed->job->n_kinds > 64 || !walk->visits_max)
		return false;
	walk->mixed = mixed;
	walk->stop = stop;
	walk->n_stops = n_stops;
	walk->pos = pos;
	walk->price = price;
	for (i = 0; i < mixed->request->n_members; i++)
		walk->again |= sgang_member_distinct(ask_of(mixed, i));
	walk->class = sgang_pool_alloc(pool, (size_t)n_stops * CLASSES_MAX,
				       sizeof(*walk->class));
	walk->left = sgang_pool_alloc(
		pool, (size_t)n_stops * CLASSES_MAX * mixed->n_dims,
		sizeof(*walk->left));
	walk->n_classes = sgang_pool_zalloc(pool, n_stops,
					    sizeof(*walk->n_classes));
	walk->step = sgang_pool_alloc(pool, walk->visits_max,
				      sizeof(*walk->step));
	sgang_mixed_clear(mixed, 0, mixed->n_nodes);
	find_classes(walk);
	clear_beam(&walk->beam[0]);
	way = walk->beam[0].way[0];
	memset(way, 0, sizeof(*way));
	way->units = ask_of(mixed, 0)->units;
	walk->beam[0].n = 1;
	for (i = 0; i < n_stops; i++)
		visit_stop(walk, i);
	sgang_budget_take(mixed->request->budget,
			  walk->visits + mixed->n_nodes);
	if (!walk->ended)
		return false;
	write_layout(walk, stop[n_stops - 1].first + stop[n_stops - 1].n);
	sgang_mixed_finish(mixed);
	return true;
}
