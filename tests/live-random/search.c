/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search.c - can a gang start, and what does its cheapest ring cost
 *
 * Both searches take one member after the other and try every set of nodes for
 * it. Nodes that nothing tells apart are taken in one order only. All else that
 * is left out are states that failed before, and sums that cannot end below the
 * best one.
 */

#include <stdlib.h>
#include <string.h>

#include "model.h"

#define FIT_STEPS 20000000u
#define COST_STEPS 1000000u
#define MEMO_SIZE (1u << 18)
#define MEMO_TRIES 8
#define GROUP_STEPS 300000u
#define SHAPES 4096
/* In LR_SHARERS, one of the gang that does not share: beside jobs that do, but
 * not beside members of its gang that do. Slurm may allow that too. */
#define LONER (1u << 16)

/* Least cost from each node of the first member to each of the last one, as
 * cost above that of a hop within a node. */
struct paths {
	struct lr_place first, last;
	uint32_t cost[LR_NODES][LR_NODES];
};

struct search {
	const struct lr_cluster *c;
	const struct lr_gang *g;
	uint32_t order[LR_MEMBERS]; /* in which members are taken */
	uint32_t used[LR_NODES][LR_DIMS];
	bool allowed[LR_MEMBERS][LR_NODES];
	uint32_t domains; /* spread: bit mask of those taken */
	uint64_t *failed; /* states, by hash; NULL: of a cost */
	uint32_t steps, most_steps;
	bool gave_up;
	uint32_t rest[LR_MEMBERS + 1]; /* cost alone: what members from here
					* on add at the least */
	bool weighted;                 /* cost alone: of groups */
	uint64_t best;                 /* cost alone: a price */
	uint32_t above[LR_NODES];      /* ... what nodes weigh */
	uint64_t shape[SHAPES];        /* weighted: that were looked at */
	uint32_t n_shapes;
	uint32_t ranks;           /* ... as the price has one hop for each */
	uint32_t now[LR_MEMBERS]; /* bit masks: the nodes of each member */
	uint32_t *found;          /* ... of the best, or of what fits */
};

/* The set that is being chosen for a member. */
struct choice {
	uint32_t depth; /* which of order[] */
	uint32_t member;
	struct lr_place place; /* in no order */
	uint32_t n;            /* those to choose from */
	uint8_t from[LR_NODES];
	uint8_t room[LR_NODES];    /* by their place in from[] */
	bool like_last[LR_NODES];  /* nothing tells it from the last one */
	const struct paths *paths; /* cost alone: of the members before */
};

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

bool lr_allowed(const struct lr_cluster *c, const struct lr_member *m,
		uint32_t node)
{
	const struct lr_node *n = &c->node[node];

	return !n->away && !n->reserved && n->parts >> m->part & 1 &&
	       (m->feature == LR_NONE || n->features >> m->feature & 1) &&
	       !(m->excluded >> node & 1) &&
	       (!m->gpu_type || m->gpu_type == n->gpu_type);
}

uint32_t lr_cpus_left(const struct lr_cluster *c, const struct lr_member *m,
		      uint32_t node, const uint32_t used[LR_DIMS])
{
	uint32_t has = c->node[node].has[LR_CPU];
	uint32_t before = c->node[node].used[LR_SHARERS];

	if (!m->shares)
		return used[LR_SHARERS] % LONER > before || used[LR_CPU] > has ?
			       0 :
			       has - used[LR_CPU];
	if (used[LR_CPU] && (!used[LR_SHARERS] || used[LR_SHARERS] >= LONER))
		return 0;
	return min(has * c->rows - used[LR_CPU], has);
}

uint32_t lr_room(const struct lr_cluster *c, const struct lr_member *m,
		 uint32_t node, const uint32_t used[LR_DIMS])
{
	const struct lr_node *n = &c->node[node];
	uint32_t cpus = lr_cpus_left(c, m, node, used);
	uint32_t mem = n->has[LR_MEM] - used[LR_MEM];
	uint32_t gpus = n->has[LR_GPU] - used[LR_GPU];

	if (m->gpus > gpus)
		return 0;
	if (!m->nodes)
		return min(cpus / m->cpus, mem / (m->cpus * m->mem));
	if (m->whole)
		return !used[LR_CPU] && mem >= m->mem;
	return cpus >= m->tasks * m->cpus && mem >= m->mem;
}

/* Of a range the lower end: what fits with more fits with less. */
static uint32_t wanted(const struct lr_member *m)
{
	return m->least ? m->least : m->nodes;
}

/* 'sign' 1: take; -1: give back */
static void use(struct search *s, const struct lr_member *m, uint32_t node,
		uint32_t tasks, int sign)
{
	uint32_t *used = s->used[node];
	uint32_t cpus = !m->nodes ? tasks * m->cpus :
			m->whole  ? s->c->node[node].has[LR_CPU] :
				    m->tasks * m->cpus;
	uint32_t mem = m->nodes ? m->mem : cpus * m->mem;

	used[LR_CPU] += sign > 0 ? cpus : -cpus;
	used[LR_MEM] += sign > 0 ? mem : -mem;
	used[LR_GPU] += sign > 0 ? m->gpus : -m->gpus;
	if (s->c->rows > 1)
		used[LR_SHARERS] += sign * (m->shares ? 1 : (int)LONER);
}

static uint32_t left_of(const struct search *s, uint32_t node, uint32_t d)
{
	return s->c->node[node].has[d] - s->used[node][d];
}

/* Can no member from 'depth' on tell one of these nodes from the other? */
static bool same_node(const struct search *s, uint32_t depth, uint32_t a,
		      uint32_t b)
{
	const struct lr_node *x = &s->c->node[a], *y = &s->c->node[b];

	if (x->gpu_type != y->gpu_type ||
	    (s->c->rows > 1 && x->has[LR_CPU] != y->has[LR_CPU]) ||
	    !s->used[a][LR_CPU] != !s->used[b][LR_CPU])
		return false;
	for (uint32_t d = 0; d < LR_DIMS; d++) {
		if (left_of(s, a, d) != left_of(s, b, d))
			return false;
	}
	for (uint32_t i = depth; i < s->g->n_members; i++) {
		uint32_t required = s->g->member[s->order[i]].required;

		if (s->allowed[s->order[i]][a] != s->allowed[s->order[i]][b] ||
		    (required >> a & 1) != (required >> b & 1))
			return false;
	}
	return true;
}

/* -- domains of spread; without it there is one, of all nodes -- */

static uint32_t n_domains(const struct search *s)
{
	if (s->g->policy != LR_SPREAD)
		return 1;
	return s->g->level == LR_NODE_LEVEL ? s->c->n_nodes :
					      s->c->n_domains[s->g->level];
}

static uint32_t domain_of(const struct search *s, uint32_t node)
{
	if (s->g->policy != LR_SPREAD)
		return 0;
	return s->g->level == LR_NODE_LEVEL ? node :
					      s->c->node[node].up[s->g->level];
}

/* -- states that failed -- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) +
		(hash >> 2);
	hash *= UINT64_C(0xff51afd7ed558ccd);
	return hash ^ (hash >> 33);
}

/* A hash of all that decides whether the members from 'depth' on fit. It sums
 * up nodes and domains: their order does not count. Never 0. */
static uint64_t state_of(const struct search *s, uint32_t depth)
{
	uint64_t domain[LR_NODES] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < s->c->n_nodes; i++) {
		uint64_t hash = mix(depth, s->c->node[i].gpu_type);

		if (s->c->rows > 1)
			hash = mix(hash, s->c->node[i].has[LR_CPU]);
		for (uint32_t d = 0; d < LR_DIMS; d++)
			hash = mix(hash, left_of(s, i, d));
		hash = mix(hash, !s->used[i][LR_CPU]);
		for (uint32_t m = depth; m < s->g->n_members; m++)
			hash = mix(hash,
				   s->allowed[s->order[m]][i] +
					   2 * (s->g->member[s->order[m]]
								.required >>
							i &
						1));
		domain[domain_of(s, i)] += hash;
	}
	for (uint32_t i = 0; i < n_domains(s); i++)
		sum += mix(domain[i], s->domains >> i & 1);
	return mix(sum, depth) | 1;
}

/* Has it failed before? Then, or if 'add', it is among those afterwards; the
 * oldest in its place may be forgotten. */
static bool failed(struct search *s, uint64_t state, bool add)
{
	uint64_t *slot = NULL;

	for (uint32_t i = 0; i < MEMO_TRIES; i++) {
		slot = &s->failed[(state + i) % MEMO_SIZE];
		if (*slot == state)
			return true;
		if (!*slot)
			break;
	}
	if (add)
		*slot = state;
	return false;
}

/* -- the sets of nodes of one member -- */

static bool member_done(struct search *s, struct choice *k);
static uint32_t sum_of(const uint32_t above[LR_NODES], uint32_t nodes);

/* Nodes of the members before; of a cost these are taken in order. */
static uint32_t mine(const struct search *s, uint32_t members)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < members; i++)
		nodes |= s->now[i];
	return nodes;
}

/* What it is counts where nodes weigh something. */
static bool is_mine(const struct search *s, const struct choice *k,
		    uint32_t node)
{
	return (s->c->weighed || s->weighted) && mine(s, k->depth) >> node & 1;
}

/* Of a cost the leaf counts too, and whether members beside it are there. */
static bool alike(const struct search *s, const struct choice *k, uint32_t a,
		  uint32_t b)
{
	if (!s->failed) {
		const struct paths *p = k->paths;

		if (s->c->node[a].up[0] != s->c->node[b].up[0] ||
		    s->c->node[a].weight != s->c->node[b].weight ||
		    is_mine(s, k, a) || is_mine(s, k, b))
			return false;
		for (uint32_t i = 0; p && i < p->first.n; i++) {
			if (p->first.node[i] == a || p->first.node[i] == b)
				return false;
		}
		for (uint32_t i = 0; p && i < p->last.n; i++) {
			if (p->last.node[i] == a || p->last.node[i] == b)
				return false;
		}
	}
	return same_node(s, k->depth, a, b);
}

/* Those of the domain that have room, with those that are alike side by side.
 */
static void candidates(const struct search *s, struct choice *k,
		       uint32_t domain)
{
	const struct lr_member *m = &s->g->member[k->member];
	uint32_t room[LR_NODES];
	bool taken[LR_NODES] = { false };

	for (uint32_t i = 0; i < s->c->n_nodes; i++)
		room[i] = s->allowed[k->member][i] &&
					  domain_of(s, i) == domain ?
				  lr_room(s->c, m, i, s->used[i]) :
				  0;
	for (uint32_t i = 0; i < s->c->n_nodes; i++) {
		bool like = false;

		if (!room[i] || taken[i])
			continue;
		for (uint32_t j = i; j < s->c->n_nodes; j++) {
			if (!room[j] || taken[j] ||
			    (j != i && !alike(s, k, i, j)))
				continue;
			taken[j] = true;
			k->from[k->n] = (uint8_t)j;
			k->room[k->n] = (uint8_t)min(room[j], 255);
			k->like_last[k->n++] = like;
			like = true;
		}
	}
}

static bool has_required(const struct lr_member *m, const struct choice *k)
{
	uint32_t missing = m->required;

	for (uint32_t i = 0; i < k->place.n; i++)
		missing &= ~(1u << k->place.node[i]);
	return !missing;
}

/* Of a node a member has one island. */
static bool second_island(const struct search *s, const struct choice *k,
			  uint32_t node)
{
	for (uint32_t i = 0; s->c->divided && i < k->place.n; i++) {
		if (s->c->node[k->place.node[i]].up[0] ==
		    s->c->node[node].up[0])
			return true;
	}
	return false;
}

/* Choose from from[at] on; of the one before, 'last' was taken. True: stop. */
static bool choose(struct search *s, struct choice *k, uint32_t at,
		   uint32_t left, uint32_t last)
{
	const struct lr_member *m = &s->g->member[k->member];
	uint32_t room = 0, most;

	if (!left)
		return has_required(m, k) && member_done(s, k);
	if (++s->steps > s->most_steps) {
		s->gave_up = true;
		return true;
	}
	for (uint32_t i = at; i < k->n; i++)
		room += k->room[i];
	if (room < left)
		return false;
	most = second_island(s, k, k->from[at]) ? 0 : min(k->room[at], left);
	if (k->like_last[at] && most > last)
		most = last;
	for (uint32_t tasks = most; tasks > 0; tasks--) {
		bool stop;

		use(s, m, k->from[at], tasks, 1);
		k->place.node[k->place.n++] = k->from[at];
		stop = choose(s, k, at + 1, left - tasks, tasks);
		k->place.n--;
		use(s, m, k->from[at], tasks, -1);
		if (stop)
			return true;
	}
	do {
		if (m->required >> k->from[at] & 1)
			return false;
		at++;
	} while (at < k->n && k->like_last[at]);
	at--;
	return choose(s, k, at + 1, left, 0);
}

static bool next_member(struct search *s, uint32_t depth,
			const struct paths *paths)
{
	uint32_t member = s->order[depth];
	const struct lr_member *m = &s->g->member[member];

	for (uint32_t d = 0; d < n_domains(s); d++) {
		struct choice k = { .depth = depth,
				    .member = member,
				    .paths = paths };
		bool stop;

		if (s->domains >> d & 1)
			continue;
		candidates(s, &k, d);
		if (s->g->policy == LR_SPREAD)
			s->domains |= 1u << d;
		stop = choose(s, &k, 0, m->nodes ? wanted(m) : m->tasks, 0);
		s->domains &= ~(1u << d);
		if (stop)
			return true;
	}
	return false;
}

/* -- what a ring costs -- */

/* The longest hop within the set, and the sum of hops of its shortest tree,
 * above that of a hop within a node. */
static uint32_t spanned(const struct lr_cluster *c, const struct lr_place *p,
			uint32_t *longest)
{
	uint32_t near[LR_NODES], sum = 0;
	bool in[LR_NODES] = { true };

	*longest = 0;
	for (uint32_t i = 0; i < p->n; i++)
		near[i] = c->hop[p->node[0]][p->node[i]] - 1;
	for (uint32_t n = 1; n < p->n; n++) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < p->n; i++) {
			if (!in[i] && (!best || near[i] < near[best]))
				best = i;
		}
		in[best] = true;
		sum += near[best];
		if (near[best] > *longest)
			*longest = near[best];
		for (uint32_t i = 1; i < p->n; i++)
			near[i] = min(near[i],
				      c->hop[p->node[best]][p->node[i]] - 1);
	}
	return sum;
}

/*
 * The paths that go on through all of set 'p' and end in each of its nodes.
 *
 * Hops obey the strong triangle inequality (a fabric is a tree), so the
 * shortest round through a set costs its shortest tree and its longest hop once
 * more, and any hop can be part of such a round. So the shortest path from e to
 * x, which with that hop is a round, costs tree + longest - hop(e, x).
 */
static void go_on(const struct search *s, const struct paths *from,
		  const struct lr_place *p, struct paths *to)
{
	const struct lr_cluster *c = s->c;
	uint32_t longest, tree = spanned(c, p, &longest);

	to->first = from ? from->first : *p;
	to->last = *p;
	for (uint32_t i = 0; i < to->first.n; i++) {
		uint32_t a = to->first.node[i];

		for (uint32_t x = 0; x < p->n; x++)
			to->cost[a][p->node[x]] = LR_NONE / 2;
		for (uint32_t e = 0; e < p->n; e++) {
			uint32_t in = p->node[e], before = LR_NONE / 2;

			for (uint32_t b = 0; from && b < from->last.n; b++) {
				uint32_t out = from->last.node[b];

				before = min(before, from->cost[a][out] +
							     c->hop[out][in] -
							     1);
			}
			if (!from)
				before = in == a ? 0 : LR_NONE / 2;
			for (uint32_t x = 0; x < p->n; x++) {
				uint32_t *cost = &to->cost[a][p->node[x]];

				if (p->n > 1 && x == e)
					continue;
				*cost = min(
					*cost,
					before + tree + longest -
						(p->n >
						 1) * (c->hop[in][p->node[x]] -
						       1));
			}
		}
	}
}

static uint32_t closed(const struct search *s, const struct paths *p)
{
	uint32_t best = LR_NONE / 2, longest;

	/* one member alone: its round */
	if (s->g->n_members == 1)
		return spanned(s->c, &p->last, &longest) +
		       (p->last.n > 1) * longest;
	for (uint32_t i = 0; i < p->first.n; i++) {
		for (uint32_t j = 0; j < p->last.n; j++) {
			uint32_t a = p->first.node[i], b = p->last.node[j];

			best = min(best, p->cost[a][b] + s->c->hop[b][a] - 1);
		}
	}
	return best;
}

static uint32_t cheapest(const struct paths *p)
{
	uint32_t best = LR_NONE / 2;

	for (uint32_t i = 0; i < p->first.n; i++) {
		for (uint32_t j = 0; j < p->last.n; j++)
			best = min(best,
				   p->cost[p->first.node[i]][p->last.node[j]]);
	}
	return best;
}

/* A hash of places that is the same wherever they are alike. */
static uint64_t shape_of(const struct lr_cluster *c,
			 const uint8_t places[LR_NODES])
{
	uint64_t sum[LR_NODES] = { 0 }, above[LR_NODES], last = 0;

	for (uint32_t i = 0; i < c->n_nodes; i++)
		sum[c->node[i].up[0]] += places[i] ? mix(1, places[i]) : 0;
	for (uint32_t l = 0; l < c->n_levels; l++) {
		bool seen[LR_NODES] = { false };

		memset(above, 0, sizeof(above));
		last = 0;
		for (uint32_t i = 0; i < c->n_nodes; i++) {
			uint32_t d = c->node[i].up[l];

			if (seen[d] || !sum[d])
				continue;
			seen[d] = true;
			last += mix(l + 2, sum[d]);
			if (l + 1 < c->n_levels)
				above[c->node[i].up[l + 1]] += mix(l + 2,
								   sum[d]);
		}
		memcpy(sum, above, sizeof(sum));
	}
	return last | 1;
}

/* All members have nodes: what is the best order of the ranks on them? */
static void note_layout(struct search *s)
{
	uint8_t places[LR_NODES] = { 0 };
	uint64_t shape, cost;

	for (uint32_t m = 0; m < s->g->n_members; m++) {
		for (uint32_t i = 0; i < s->c->n_nodes; i++) {
			if (s->now[m] >> i & 1)
				places[i] += (uint8_t)s->g->member[m].tasks;
		}
	}
	shape = shape_of(s->c, places);
	for (uint32_t i = 0; i < s->n_shapes; i++) {
		if (s->shape[i] == shape)
			return;
	}
	if (s->n_shapes < SHAPES)
		s->shape[s->n_shapes++] = shape;
	cost = lr_best_layout(s->c, s->g, places, s->best);
	if (cost < s->best)
		memcpy(s->found, s->now, sizeof(s->now));
	s->best = cost;
}

static bool member_done(struct search *s, struct choice *k)
{
	uint32_t depth = k->depth + 1, weight;
	struct paths paths;
	uint64_t price;

	s->now[k->member] = 0;
	for (uint32_t i = 0; i < k->place.n; i++)
		s->now[k->member] |= 1u << k->place.node[i];
	if (s->failed) {
		uint64_t state;

		if (depth == s->g->n_members) {
			memcpy(s->found, s->now, sizeof(s->now));
			return true;
		}
		state = state_of(s, depth);
		if (failed(s, state, false))
			return false;
		if (next_member(s, depth, NULL))
			return true;
		failed(s, state, true);
		return false;
	}
	if (s->weighted) {
		if (depth < s->g->n_members)
			return next_member(s, depth, NULL);
		note_layout(s);
		return false;
	}
	go_on(s, k->paths, &k->place, &paths);
	weight = sum_of(s->above, mine(s, depth));
	if (depth == s->g->n_members) {
		price = lr_price(s->c, s->ranks + closed(s, &paths), weight);
		if (price < s->best) {
			memcpy(s->found, s->now, sizeof(s->now));
			s->best = price;
		}
		return s->best <= lr_price(s->c, s->ranks + s->rest[0], 0);
	}
	if (lr_price(s->c, s->ranks + cheapest(&paths) + s->rest[depth],
		     weight) >= s->best)
		return false;
	return next_member(s, depth, &paths);
}

/* -- from outside -- */

/* Of a flexible member so many nodes at the least. */
static uint32_t fewest(const struct search *s, uint32_t member)
{
	const struct lr_member *m = &s->g->member[member];
	uint32_t most = 0;

	if (m->nodes)
		return wanted(m);
	for (uint32_t i = 0; i < s->c->n_nodes; i++) {
		uint32_t room = s->allowed[member][i] ?
					lr_room(s->c, m, i,
						s->c->node[i].used) :
					0;

		if (room > most)
			most = room;
	}
	return most ? (m->tasks + most - 1) / most : 1;
}

/* Within one domain of require's level, or LR_NONE. */
static void begin(struct search *s, const struct lr_cluster *c,
		  const struct lr_gang *g, uint32_t domain)
{
	memset(s, 0, sizeof(*s));
	s->c = c;
	s->g = g;
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		memcpy(s->used[i], c->node[i].used, sizeof(s->used[i]));
		for (uint32_t m = 0; m < g->n_members; m++)
			s->allowed[m][i] = (domain == LR_NONE ||
					    c->node[i].up[g->level] ==
						    domain) &&
					   lr_allowed(c, &g->member[m], i);
	}
	for (uint32_t m = 0; m < g->n_members; m++)
		s->order[m] = m;
	for (uint32_t m = g->n_members; m > 0; m--)
		s->rest[m - 1] = s->rest[m] + 3 * (fewest(s, m - 1) - 1);
}

/* How many nodes a member has to choose from: the fewer the harder. */
static uint32_t ease(const struct search *s, uint32_t member)
{
	const struct lr_member *m = &s->g->member[member];
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->c->n_nodes; i++)
		n += s->allowed[member][i] && lr_room(s->c, m, i, s->used[i]);
	return n * 16 / (fewest(s, member) + 1);
}

static void hardest_first(struct search *s)
{
	for (uint32_t i = 1; i < s->g->n_members; i++) {
		uint32_t member = s->order[i], at = i;

		while (at > 0 && ease(s, s->order[at - 1]) > ease(s, member)) {
			s->order[at] = s->order[at - 1];
			at--;
		}
		s->order[at] = member;
	}
}

static uint32_t first_domain(const struct lr_gang *g)
{
	return g->policy == LR_REQUIRE ? 0 : LR_NONE;
}

static uint32_t end_domain(const struct lr_cluster *c, const struct lr_gang *g)
{
	return g->policy == LR_REQUIRE ? c->n_domains[g->level] : 0;
}

int lr_fits(const struct lr_cluster *c, const struct lr_gang *g,
	    uint32_t found[LR_MEMBERS])
{
	uint64_t *memo = calloc(MEMO_SIZE, sizeof(*memo));
	uint32_t domain = first_domain(g);
	int fits = 0;

	if (!memo)
		abort();
	do {
		struct search s;

		begin(&s, c, g, domain);
		s.found = found;
		s.failed = memo;
		s.most_steps = FIT_STEPS;
		hardest_first(&s);
		if (next_member(&s, 0, NULL) && !s.gave_up)
			fits = 1;
		else if (s.gave_up)
			fits = -1;
		memset(memo, 0, MEMO_SIZE * sizeof(*memo));
	} while (fits != 1 && ++domain < end_domain(c, g));
	free(memo);
	return fits;
}

#define PRICE_BITS 32

uint64_t lr_price(const struct lr_cluster *c, uint32_t cost, uint32_t weight)
{
	return c->weight_first ? (uint64_t)weight << PRICE_BITS | cost :
				 (uint64_t)cost << PRICE_BITS | weight;
}

uint32_t lr_price_cost(const struct lr_cluster *c, uint64_t price)
{
	return (uint32_t)(c->weight_first ? price : price >> PRICE_BITS);
}

bool lr_cheaper(uint64_t a, uint64_t b)
{
	return a >> PRICE_BITS < b >> PRICE_BITS;
}

/* By node: what it weighs above the lightest one that has room for a member. */
static void weigh(const struct lr_cluster *c, const struct lr_gang *g,
		  uint32_t above[LR_NODES])
{
	uint32_t lightest = LR_NONE;

	for (uint32_t i = 0; i < c->n_nodes; i++) {
		for (uint32_t m = 0; m < g->n_members; m++) {
			if (lr_allowed(c, &g->member[m], i) &&
			    lr_room(c, &g->member[m], i, c->node[i].used))
				lightest = min(lightest, c->node[i].weight);
		}
	}
	for (uint32_t i = 0; i < c->n_nodes; i++)
		above[i] = c->node[i].weight - min(lightest, c->node[i].weight);
}

static uint32_t sum_of(const uint32_t above[LR_NODES], uint32_t nodes)
{
	uint32_t sum = 0;

	for (; nodes; nodes &= nodes - 1)
		sum += above[__builtin_ctz(nodes)];
	return sum;
}

uint32_t lr_weight(const struct lr_cluster *c, const struct lr_gang *g,
		   uint32_t nodes)
{
	uint32_t above[LR_NODES];

	weigh(c, g, above);
	return sum_of(above, nodes);
}

uint64_t lr_least(const struct lr_cluster *c, const struct lr_gang *g,
		  uint64_t below, uint32_t found[LR_MEMBERS], bool *done)
{
	uint32_t domain = first_domain(g), ranks = lr_ranks(g);

	*done = true;
	do {
		struct search s;

		begin(&s, c, g, domain);
		s.found = found;
		s.most_steps = c->weighed ? COST_STEPS / 5 : COST_STEPS;
		weigh(c, g, s.above);
		s.best = below;
		s.ranks = ranks < 2 ? 0 : ranks;
		(void)next_member(&s, 0, NULL);
		*done &= !s.gave_up;
		below = s.best;
	} while (++domain < end_domain(c, g));
	return below;
}

uint64_t lr_least_weighted(const struct lr_cluster *c, const struct lr_gang *g,
			   uint32_t found[LR_MEMBERS], bool *done)
{
	uint32_t domain = first_domain(g);
	uint64_t below = UINT64_MAX;

	*done = true;
	do {
		static struct search s;

		begin(&s, c, g, domain);
		s.found = found;
		s.most_steps = GROUP_STEPS;
		s.weighted = true;
		s.best = below;
		(void)next_member(&s, 0, NULL);
		*done &= !s.gave_up;
		below = s.best;
	} while (++domain < end_domain(c, g));
	return below;
}

uint32_t lr_cost(const struct lr_cluster *c, const struct lr_gang *g,
		 const struct lr_place *place, uint32_t *cross, uint32_t *tier)
{
	uint32_t first = place[0].node[0], last = first, cost = lr_ranks(g);

	*cross = *tier = 0;
	if (cost < 2)
		return 0;
	for (uint32_t m = 0; m <= g->n_members; m++) {
		uint32_t n = m < g->n_members ? place[m].n : 1;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t node = m < g->n_members ? place[m].node[i] :
							   first;
			uint32_t hop = c->hop[last][node];

			cost += hop - 1;
			*cross += hop > 4;
			if (hop > *tier)
				*tier = hop;
			last = node;
		}
	}
	return cost;
}
