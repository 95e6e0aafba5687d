/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shares.c - nodes for members whose pieces their nodes have in any shares
 *
 * Depth first: member by member, node by node, share by share, with what is
 * left of the nodes. The members that need the most on a node come first, and
 * look at the nodes with the most room first. If that is not found with half of
 * the steps, the search begins anew for a cluster that is nearly full: members
 * that need the most of what is scarce come first, and look at the nodes with
 * the least room first, so that one takes what another has left. Either way the
 * list of a member, sorted by room, is a bound on what it can still have. Nodes
 * that are the same to everybody are tried in one order only. What all nodes
 * together have left is never less than the least that is still to be placed. Of
 * what a member needs besides, a node that it has gives as much as it can: Slurm
 * does so, too, and other ways are not tried.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "shares.h"

/* A node on which a member has room. */
struct seat {
	uint32_t at;    /* in the request's nodes */
	uint32_t cap;   /* pieces */
	uint64_t above; /* caps of those before it in the list; while that
			 * is sorted, what decides between equal caps */
	bool twin;      /* of the one before it */
};

struct search {
	const struct sgang_shares_request *rq;
	bool tight;        /* the least room first */
	uint64_t steps;    /* left */
	uint32_t *share;   /* the answer, so far */
	uint32_t *left;    /* by node of the request, n_dims */
	uint32_t *kind;    /* by node of the request: the same for nodes that
			    * the same members may have, and require */
	struct spot *spot; /* the nodes, domain by domain */
	uint32_t *first;   /* of each domain among them, and the end */
	bool *taken;       /* by domain: a member has it */
	uint32_t n_domains;
	struct seat *seat; /* n_nodes + 1 for each member */
	size_t *order;     /* of the members, the largest weight first */
	uint64_t *weight;  /* by member */
	uint64_t *sum;     /* what is left, of all nodes: n_dims */
	uint64_t *rest;    /* the least that the nth member in that order and
			    * those after it take: n_dims for each */
	uint64_t *own;     /* the least that the nth member takes for its
			    * pieces: n_dims for each */
};

/* A node of the request, and its domain. */
struct spot {
	uint32_t domain, at;
};

/* Where one member is in its list. */
struct place {
	size_t nth; /* member, in the order of the search */
	const struct sgang_shares_member *m;
	const struct seat *seat;
	uint32_t n_seats;
	uint32_t required; /* nodes */
};

static bool step(struct search *s)
{
	if (!s->steps)
		return false;
	s->steps--;
	return true;
}

static uint32_t *left_on(struct search *s, uint32_t at)
{
	return s->left + (size_t)at * s->rq->n_dims;
}

/* The row of a table of a member, 'need' or 'more', for so many on that node. */
static const uint32_t *row_of(const struct sgang_shares_request *rq,
			      const uint32_t *table, uint32_t n, uint32_t at)
{
	size_t row = (size_t)(n - 1) * rq->n_types + rq->type[rq->nodes[at]];

	return table + row * rq->n_dims;
}

static uint32_t amount_of(const struct sgang_shares_request *rq,
			  const uint32_t *need, uint32_t at, uint32_t d)
{
	return need[d] == SGANG_PLAN_ALL ?
		       rq->total[(size_t)rq->nodes[at] * rq->n_dims + d] :
		       need[d];
}

/* Has the node room for so many, by that table? */
static bool fits(struct search *s, const uint32_t *table, uint32_t n,
		 uint32_t at)
{
	const uint32_t *row = row_of(s->rq, table, n, at);
	const uint32_t *left = left_on(s, at);
	uint32_t d;

	for (d = 0; d < s->rq->n_dims; d++) {
		if (amount_of(s->rq, row, at, d) > left[d])
			return false;
	}
	return true;
}

/* The most up to 'high' that fit, if 'low' do. */
static uint32_t most_that_fit(struct search *s, const uint32_t *table,
			      uint32_t low, uint32_t high, uint32_t at)
{
	while (low < high) {
		uint32_t mid = low + (high - low + 1) / 2;

		if (fits(s, table, mid, at))
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

static void take(struct search *s, const uint32_t *table, uint32_t n,
		 uint32_t at, bool back)
{
	const uint32_t *row = row_of(s->rq, table, n, at);
	uint32_t *left = left_on(s, at), d;

	for (d = 0; d < s->rq->n_dims; d++) {
		uint32_t amount = amount_of(s->rq, row, at, d);

		left[d] = back ? left[d] + amount : left[d] - amount;
		s->sum[d] = back ? s->sum[d] + amount : s->sum[d] - amount;
	}
}

/* -- the list of a member -- */

static bool has(const struct sgang_nodeset *set, uint32_t node, bool otherwise)
{
	return set ? sgang_nodeset_has(set, node) : otherwise;
}

/* Is one node of a domain as good as the other, for every member? */
static bool same_node(struct search *s, uint32_t x, uint32_t y)
{
	const struct sgang_shares_request *rq = s->rq;
	size_t size = rq->n_dims * sizeof(*rq->total);
	uint32_t a = rq->nodes[x], b = rq->nodes[y];

	return s->kind[x] == s->kind[y] && rq->type[a] == rq->type[b] &&
	       !memcmp(left_on(s, x), left_on(s, y), size) &&
	       !memcmp(rq->total + (size_t)a * rq->n_dims,
		       rq->total + (size_t)b * rq->n_dims, size);
}

/* Of equal ones the fuller node comes first: insertion into what is sorted would
 * be slow, so by qsort() with what it needs in the seat. */
static int by_fill(const struct seat *x, const struct seat *y)
{
	if (x->above != y->above)
		return x->above < y->above ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int most_room(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	return x->cap == y->cap ? by_fill(x, y) : x->cap > y->cap ? -1 : 1;
}

static int least_room(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	return x->cap == y->cap ? by_fill(x, y) : x->cap < y->cap ? -1 : 1;
}

/* How much is left of a node: of the first resource, or, with the least room
 * first, of each in parts of what all nodes have left, so that what is scarce
 * counts most. */
static uint64_t left_of(struct search *s, uint32_t at)
{
	const uint32_t *left = left_on(s, at);
	uint64_t parts = 0;
	uint32_t d;

	if (!s->tight)
		return left[0];
	for (d = 0; d < s->rq->n_dims; d++)
		parts += ((uint64_t)left[d] << 24) / (s->sum[d] + 1);
	return parts;
}

static void finish_list(struct search *s, struct seat *seat, uint32_t n)
{
	uint64_t above = 0;
	uint32_t i;

	qsort(seat, n, sizeof(*seat), s->tight ? least_room : most_room);
	for (i = 0; i < n; i++) {
		seat[i].above = above;
		seat[i].twin = i && same_node(s, seat[i - 1].at, seat[i].at);
		above += seat[i].cap;
	}
	seat[n] = (struct seat){ .above = above };
}

/* The nodes of a domain on which a member has room. False: too few steps. */
static bool list_seats(struct search *s, struct place *p, uint32_t domain)
{
	const struct sgang_shares_request *rq = s->rq;
	struct seat *seat = s->seat + p->nth * (rq->n_nodes + 1);
	uint32_t i;

	p->seat = seat;
	p->n_seats = p->required = 0;
	for (i = s->first[domain]; i < s->first[domain + 1]; i++) {
		uint32_t at = s->spot[i].at, cap;

		if (!has(p->m->allowed, rq->nodes[at], true))
			continue;
		if (!step(s))
			return false;
		cap = left_on(s, at)[0] ?
			      most_that_fit(s, p->m->need, 0, p->m->most, at) :
			      0;
		if (!cap)
			continue;
		p->required += has(p->m->required, rq->nodes[at], false);
		seat[p->n_seats++] = (struct seat){
			.at = at,
			.cap = cap,
			.above = left_of(s, at),
		};
	}
	finish_list(s, seat, p->n_seats);
	return !p->m->required ||
	       p->required == sgang_nodeset_count(p->m->required);
}

/* -- the search -- */

static bool place_member(struct search *s, size_t nth);

/* How a member stands in the middle of its list. */
struct stand {
	uint32_t from;     /* the next seat */
	uint32_t nodes;    /* it has, */
	uint32_t required; /* so many of them required */
	uint32_t pieces;   /* that have no node yet */
	uint32_t beside;   /* the same of what it needs besides */
	uint32_t last;     /* its share of the seat before */
};

/* Where the answer is of that member on that node. */
static size_t answer_of(const struct search *s, const struct place *p,
			uint32_t at)
{
	return s->order[p->nth] * s->rq->n_nodes + at;
}

static uint32_t min_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Have all nodes together the least that is still to be placed? */
static bool is_enough(const struct search *s, const struct place *p,
		      uint32_t pieces)
{
	const struct sgang_shares_request *rq = s->rq;
	const uint64_t *after = s->rest + (p->nth + 1) * rq->n_dims;
	const uint64_t *own = s->own + p->nth * rq->n_dims;
	uint32_t d;

	for (d = 0; d < rq->n_dims; d++) {
		if (s->sum[d] < own[d] * pieces / p->m->pieces + after[d])
			return false;
	}
	return true;
}

/* The nodes that it may still have. */
static uint32_t room_of(const struct place *p, const struct stand *st)
{
	uint32_t room = p->m->most_nodes - st->nodes;

	return p->m->beside ? min_of(room, st->beside) : room;
}

/* The most pieces on n of the seats from i on. */
static uint64_t reach(const struct search *s, const struct place *p, uint32_t i,
		      uint32_t n)
{
	uint32_t first, seats = p->n_seats - i;

	n = min_of(n, seats);
	first = s->tight ? p->n_seats - n : i;
	return p->seat[first + n].above - p->seat[first].above;
}

/* The shares that it may have of a seat. False: none, nor of those after it. */
static bool shares_of(const struct search *s, const struct place *p,
		      const struct stand *st, uint32_t i, uint32_t *least,
		      uint32_t *most)
{
	uint32_t room = room_of(p, st);
	uint32_t others = st->nodes + 1 < p->m->least_nodes ?
				  p->m->least_nodes - st->nodes - 1 :
				  0;
	uint64_t after;

	if (!room || p->n_seats - i <= others ||
	    reach(s, p, i, room) < st->pieces || st->pieces <= others)
		return false;
	after = reach(s, p, i + 1, room - 1);
	*least = st->pieces > after ? (uint32_t)(st->pieces - after) : 1;
	*most = min_of(p->seat[i].cap, st->pieces - others);
	if (i == st->from && i && p->seat[i].twin)
		*most = min_of(*most, st->last);
	return true;
}

static bool choose(struct search *s, const struct place *p,
		   const struct stand *st);

/* The fewest nodes for the pieces that are left, from seat i on. */
static uint32_t fewest_nodes(const struct search *s, const struct place *p,
			     const struct stand *st, uint32_t i)
{
	uint32_t n = st->nodes < p->m->least_nodes ?
			     p->m->least_nodes - st->nodes :
			     0;

	while (i + n < p->n_seats && reach(s, p, i, n) < st->pieces)
		n++;
	return n;
}

/* Go on from 'next', which has taken its pieces of that node, with as much as
 * it can give of what the member needs besides. */
static bool go_on(struct search *s, const struct place *p, struct stand *next,
		  uint32_t at)
{
	uint32_t others, n;
	bool found;

	if (!p->m->beside)
		return is_enough(s, p, next->pieces) && choose(s, p, next);
	others = fewest_nodes(s, p, next, next->from);
	if (next->beside <= others)
		return false;
	n = most_that_fit(s, p->m->more, 1, next->beside - others, at);
	next->beside -= n;
	take(s, p->m->more, n, at, false);
	found = is_enough(s, p, next->pieces) && choose(s, p, next);
	if (found)
		s->rq->beside[answer_of(s, p, at)] = n;
	else
		take(s, p->m->more, n, at, true);
	return found;
}

static bool try_share(struct search *s, const struct place *p,
		      const struct stand *st, uint32_t i, uint32_t pieces)
{
	uint32_t at = p->seat[i].at;
	struct stand next = {
		.from = i + 1,
		.nodes = st->nodes + 1,
		.required = st->required +
			    has(p->m->required, s->rq->nodes[at], false),
		.pieces = st->pieces - pieces,
		.beside = st->beside,
		.last = pieces,
	};

	if (!step(s))
		return false;
	take(s, p->m->need, pieces, at, false);
	s->share[answer_of(s, p, at)] = pieces;
	if (go_on(s, p, &next, at))
		return true;
	take(s, p->m->need, pieces, at, true);
	s->share[answer_of(s, p, at)] = 0;
	return false;
}

/* The even share first, or the most, then those next to it. */
static bool try_shares(struct search *s, const struct place *p,
		       const struct stand *st, uint32_t i, uint32_t least,
		       uint32_t most)
{
	uint32_t nodes = min_of(room_of(p, st), p->n_seats - i);
	uint32_t even = (st->pieces + nodes - 1) / nodes, off;

	if (least > most)
		return false;
	if (p->m->most_first || s->tight)
		even = most;
	even = even < least ? least : min_of(even, most);
	for (off = 0; off <= most - least; off++) {
		if (even + off <= most && try_share(s, p, st, i, even + off))
			return true;
		if (off && even >= least + off &&
		    try_share(s, p, st, i, even - off))
			return true;
	}
	return false;
}

static bool choose(struct search *s, const struct place *p,
		   const struct stand *st)
{
	uint32_t i = st->from, least, most;

	if (!st->pieces)
		return st->required == p->required && !st->beside &&
		       place_member(s, p->nth + 1);
	/* Twins of one that it does without it does without. */
	while (i < p->n_seats && shares_of(s, p, st, i, &least, &most)) {
		if (!step(s))
			return false;
		if (try_shares(s, p, st, i, least, most))
			return true;
		if (has(p->m->required, s->rq->nodes[p->seat[i].at], false))
			return false;
		for (i++; i < p->n_seats && p->seat[i].twin; i++)
			;
	}
	return false;
}

static bool place_in(struct search *s, size_t nth, uint32_t domain)
{
	struct place p = {
		.nth = nth,
		.m = &s->rq->members[s->order[nth]],
	};
	struct stand st = { .pieces = p.m->pieces, .beside = p.m->beside };

	return list_seats(s, &p, domain) && choose(s, &p, &st);
}

static bool place_member(struct search *s, size_t nth)
{
	uint32_t d;

	if (nth == s->rq->n_members)
		return true;
	for (d = 0; d < s->n_domains; d++) {
		if (s->taken[d])
			continue;
		if (!step(s))
			return false;
		s->taken[d] = s->rq->domain != NULL;
		if (place_in(s, nth, d))
			return true;
		s->taken[d] = false;
	}
	return false;
}

/* -- set-up -- */

static int by_domain(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* All nodes are one domain if it does not matter. */
static void fill_domains(struct search *s)
{
	const struct sgang_shares_request *rq = s->rq;
	uint32_t i;

	for (i = 0; i < rq->n_nodes; i++)
		s->spot[i] = (struct spot){
			.domain = rq->domain ? rq->domain[rq->nodes[i]] : 0,
			.at = i,
		};
	qsort(s->spot, rq->n_nodes, sizeof(*s->spot), by_domain);
	for (i = 0; i < rq->n_nodes; i++) {
		if (!i || s->spot[i - 1].domain != s->spot[i].domain)
			s->first[s->n_domains++] = i;
	}
	s->first[s->n_domains] = rq->n_nodes;
}

/* Divide each kind of nodes into those of the set and others. NULL divides none.
 * 'part' has room for two numbers by kind. */
static void divide_kinds(struct search *s, const struct sgang_nodeset *set,
			 uint32_t *part)
{
	const struct sgang_shares_request *rq = s->rq;
	uint32_t n = 0, at;

	if (!set)
		return;
	memset(part, 0, 2 * (size_t)rq->n_nodes * sizeof(*part));
	for (at = 0; at < rq->n_nodes; at++) {
		uint32_t *to = &part[2 * (size_t)s->kind[at] +
				     sgang_nodeset_has(set, rq->nodes[at])];

		if (!*to)
			*to = ++n;
		s->kind[at] = *to - 1;
	}
}

/* The sets of members of one request are the same. */
static bool fill_kinds(struct search *s)
{
	const struct sgang_shares_member *m = s->rq->members;
	uint32_t *part = calloc(2 * (size_t)s->rq->n_nodes + 1, sizeof(*part));
	size_t i;

	for (i = 0; part && i < s->rq->n_members; i++) {
		if (!i || m[i].allowed != m[i - 1].allowed)
			divide_kinds(s, m[i].allowed, part);
		if (!i || m[i].required != m[i - 1].required)
			divide_kinds(s, m[i].required, part);
	}
	free(part);
	return part;
}

static void fill_left(struct search *s)
{
	const struct sgang_shares_request *rq = s->rq;
	uint32_t at, d;

	for (at = 0; at < rq->n_nodes; at++) {
		memcpy(left_on(s, at),
		       rq->free + (size_t)rq->nodes[at] * rq->n_dims,
		       rq->n_dims * sizeof(*rq->free));
		for (d = 0; d < rq->n_dims; d++)
			s->sum[d] += left_on(s, at)[d];
	}
}

/* The least that a member takes altogether of a resource: by the share that
 * takes the least for a piece. */
static uint64_t least_taken(const struct sgang_shares_request *rq,
			    const struct sgang_shares_member *m, uint32_t d)
{
	uint64_t least = UINT64_MAX;
	uint32_t k, t;

	for (k = 1; k <= m->most; k++) {
		const uint32_t *need = m->need + (size_t)(k - 1) * rq->n_types *
							 rq->n_dims;

		for (t = 0; t < rq->n_types; t++) {
			uint64_t each = need[t * rq->n_dims + d];

			each = each == SGANG_PLAN_ALL ? 0 :
							each * m->pieces / k;
			least = each < least ? each : least;
		}
	}
	return least;
}

/* The same if it were for what it needs besides. */
static uint64_t least_beside(const struct sgang_shares_request *rq,
			     const struct sgang_shares_member *m, uint32_t d)
{
	uint64_t least = m->beside ? UINT64_MAX : 0;
	uint32_t k, t;

	for (k = 1; k <= m->beside; k++) {
		size_t row = (size_t)(k - 1) * rq->n_types * rq->n_dims;

		for (t = 0; t < rq->n_types; t++) {
			uint64_t each = m->need[t * rq->n_dims + d];

			if (each == SGANG_PLAN_ALL)
				return 0;
			each += m->more[row + t * rq->n_dims + d];
			each = each * m->beside / k;
			least = each < least ? each : least;
		}
	}
	return least;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Do both take the same? Members of one request share its table. */
static bool same_needs(const struct sgang_shares_member *a,
		       const struct sgang_shares_member *b)
{
	return a->need == b->need && a->pieces == b->pieces;
}

/* The same of 'm', if that of the member looked at before it was 'least'. */
static uint64_t next_least(const struct sgang_shares_request *rq,
			   const struct sgang_shares_member *m,
			   const struct sgang_shares_member *before, uint32_t d,
			   uint64_t least)
{
	return before && same_needs(m, before) ?
		       least :
		       most_of(least_taken(rq, m, d), least_beside(rq, m, d));
}

uint64_t sgang_shares_least(const struct sgang_shares_request *rq, uint32_t d)
{
	const struct sgang_shares_member *before = NULL;
	uint64_t taken = 0, least = 0;
	size_t i;

	for (i = 0; i < rq->n_members; i++) {
		least = next_least(rq, &rq->members[i], before, d, least);
		before = &rq->members[i];
		taken += least;
	}
	return taken;
}

/* The amount it takes of a node if all nodes have the same. */
static uint64_t even_weight(const struct sgang_shares_request *rq,
			    const struct sgang_shares_member *m)
{
	uint32_t nodes = m->least_nodes ? m->least_nodes : 1;
	uint32_t even = min_of((m->pieces + nodes - 1) / nodes, m->most);

	return m->need[(size_t)(even - 1) * rq->n_types * rq->n_dims];
}

/* What it takes at least of what is scarce, in parts of what is left. */
static uint64_t scarce_weight(const struct search *s,
			      const struct sgang_shares_member *m)
{
	uint64_t weight = 0;
	uint32_t d;

	for (d = 0; d < s->rq->n_dims; d++) {
		uint64_t least = next_least(s->rq, m, NULL, d, 0);

		weight = most_of(weight, (least << 24) / (s->sum[d] + 1));
	}
	return weight;
}

static void order_members(struct search *s)
{
	const struct sgang_shares_member *m = s->rq->members;
	size_t i, j;

	for (i = 0; i < s->rq->n_members; i++) {
		if (!s->tight)
			s->weight[i] = even_weight(s->rq, &m[i]);
		else if (i && same_needs(&m[i], &m[i - 1]))
			s->weight[i] = s->weight[i - 1];
		else
			s->weight[i] = scarce_weight(s, &m[i]);
		for (j = i; j && s->weight[s->order[j - 1]] < s->weight[i]; j--)
			s->order[j] = s->order[j - 1];
		s->order[j] = i;
	}
}

static void fill_rest(struct search *s)
{
	const struct sgang_shares_request *rq = s->rq;
	uint32_t d;
	size_t i;

	for (d = 0; d < rq->n_dims; d++) {
		const struct sgang_shares_member *before = NULL;
		uint64_t least = 0;

		for (i = rq->n_members; i-- > 0;) {
			const struct sgang_shares_member *m =
				&rq->members[s->order[i]];

			least = next_least(rq, m, before, d, least);
			before = m;
			s->rest[i * rq->n_dims + d] =
				s->rest[(i + 1) * rq->n_dims + d] + least;
			s->own[i * rq->n_dims + d] =
				m->beside ? least_taken(rq, m, d) : least;
		}
	}
}

/* Is there less of a resource than all take? Then nothing is to be searched. */
static bool is_short(const struct search *s)
{
	uint32_t d;

	for (d = 0; d < s->rq->n_dims; d++) {
		if (s->sum[d] < s->rest[d])
			return true;
	}
	return false;
}

static bool too_deep(const struct sgang_shares_request *rq)
{
	uint64_t nodes = 0;
	size_t i;

	for (i = 0; i < rq->n_members; i++)
		nodes += min_of(min_of(rq->members[i].most_nodes,
				       rq->members[i].pieces),
				rq->n_nodes);
	return nodes > SGANG_SHARES_NODES;
}

static bool any_beside(const struct sgang_shares_request *rq)
{
	size_t i;

	for (i = 0; i < rq->n_members; i++) {
		if (rq->members[i].beside)
			return true;
	}
	return false;
}

/* One search, from the beginning. */
static bool find(struct search *s, bool tight, uint64_t steps)
{
	const struct sgang_shares_request *rq = s->rq;
	size_t n = rq->n_members * rq->n_nodes;

	s->tight = tight;
	s->steps = steps;
	memset(s->share, 0, n * sizeof(*s->share));
	if (rq->beside)
		memset(rq->beside, 0, n * sizeof(*rq->beside));
	memset(s->sum, 0, rq->n_dims * sizeof(*s->sum));
	memset(s->taken, 0, s->n_domains * sizeof(*s->taken));
	fill_left(s);
	order_members(s);
	fill_rest(s);
	return !is_short(s) && place_member(s, 0);
}

static bool find_either(struct search *s)
{
	uint64_t half = *s->rq->steps / 2, rest = *s->rq->steps - half;
	bool found = find(s, false, half);

	/* What all nodes lack they lack in any order. */
	if (!found && !is_short(s) && (!s->steps || any_beside(s->rq)))
		found = find(s, true, rest + s->steps);
	else
		s->steps += rest;
	*s->rq->steps = s->steps;
	return found;
}

static bool set_up(struct search *s)
{
	const struct sgang_shares_request *rq = s->rq;
	size_t n = (size_t)rq->n_nodes + 1, m = rq->n_members + 1;
	size_t dims = (size_t)rq->n_dims + 1;

	s->left = calloc(n * dims, sizeof(*s->left));
	s->kind = calloc(n, sizeof(*s->kind));
	s->spot = calloc(n, sizeof(*s->spot));
	s->first = calloc(n + 1, sizeof(*s->first));
	s->taken = calloc(n, sizeof(*s->taken));
	s->seat = calloc(n * m, sizeof(*s->seat));
	s->order = calloc(m, sizeof(*s->order));
	s->weight = calloc(m, sizeof(*s->weight));
	s->sum = calloc(dims, sizeof(*s->sum));
	s->rest = calloc(m * dims, sizeof(*s->rest));
	s->own = calloc(m * dims, sizeof(*s->own));
	if (!s->left || !s->kind || !s->spot || !s->first || !s->taken ||
	    !s->seat || !s->order || !s->weight || !s->sum || !s->rest ||
	    !s->own || !fill_kinds(s))
		return false;
	fill_domains(s);
	return true;
}

static void clear(struct search *s)
{
	free(s->left);
	free(s->kind);
	free(s->spot);
	free(s->first);
	free(s->taken);
	free(s->seat);
	free(s->order);
	free(s->weight);
	free(s->sum);
	free(s->rest);
	free(s->own);
}

int sgang_shares_find(const struct sgang_shares_request *request,
		      uint32_t *share)
{
	struct search s = { .rq = request, .share = share };
	int rc = -1;

	if (too_deep(request)) {
		errno = EINVAL;
		return -1;
	}
	if (set_up(&s))
		rc = find_either(&s);
	else
		errno = ENOMEM;
	clear(&s);
	return rc;
}
