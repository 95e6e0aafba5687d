/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fewer.c - members with a range of nodes (-N1-4), if the upper end does not
 * fit
 *
 * A plan gives each member the number of nodes that Slurm aims at, the upper
 * end. If that does not fit, members give up nodes: one each, from the last
 * member to the first, then again. Fewer nodes fit if more do, so bisection
 * finds the number to give up. This is not so for a member whose CPUs or memory
 * on each node grow when the nodes become fewer (-N1-4 -n8): for small gangs
 * with such members every combination is tried, for others one number after the
 * other.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* The most combinations or numbers, fewer if a plan takes longer, because all is
 * done under slurmctld's locks. */
#define COMBINATIONS 128
#define COMBINED_NODES 200000

/* The CPU time after which no more times are looked at (microseconds). */
#define LATER_TIME 20000

/* The most plans to find members that gave up more nodes than necessary. */
#define MORE_TRIES 16

/* A part, and its number of nodes in a trial. */
struct size {
	struct probed *asked; /* the original request */
	uint32_t most, least; /* equal: no range */
	uint32_t nodes;
};

struct sizes {
	struct attempt *a;
	int64_t when;       /* 0: now */
	size_t n_asked;     /* number of original requests */
	struct size *size;  /* by part */
	struct part *parts; /* original order: a plan may sort them */
	uint64_t spare;     /* nodes that all together may give up */
	bool ranges, elastic;
};

/* True if fewer nodes need more on each. */
static bool is_elastic(const struct attempt *a, const struct probed *p)
{
	struct sgang_shape least = p->shape;

	a->c->host->jobs.fewer(p->job, least.least_nodes, &least);
	return least.node_cpus > p->shape.node_cpus ||
	       least.node_memory > p->shape.node_memory ||
	       least.node_gpus > p->shape.node_gpus;
}

/* The most nodes that it could have. */
static uint32_t most_of(const struct probed *p, int64_t when)
{
	uint32_t could = sgang_nodeset_count(when ? p->ever : p->usable);

	if (could > p->shape.min_nodes)
		return p->shape.min_nodes;
	return (could > p->shape.least_nodes) ? could : p->shape.least_nodes;
}

static void measure(struct sizes *s, size_t i)
{
	struct probed *p = s->a->parts[i].probed;
	struct size *size = &s->size[i];

	size->asked = p;
	size->most = size->least = p->shape.min_nodes;
	if (!sgang_probed_range(p))
		return;
	s->ranges = true;
	size->least = p->shape.least_nodes;
	if (i && s->size[i - 1].asked == p) {
		size->most = s->size[i - 1].most;
	} else {
		size->most = most_of(p, s->when);
		s->elastic |= is_elastic(s->a, p);
	}
	s->spare += size->most - size->least;
}

/* -1: there are no ranges, or no memory. */
static int begin(struct sizes *s, struct attempt *a, int64_t when)
{
	*s = (struct sizes){
		.a = a,
		.when = when,
		.n_asked = a->n_probed,
		.size = calloc(a->n_parts + 1, sizeof(*s->size)),
		.parts = calloc(a->n_parts + 1, sizeof(*s->parts)),
	};
	if (!s->size || !s->parts)
		return -1;
	memcpy(s->parts, a->parts, a->n_parts * sizeof(*s->parts));
	for (size_t i = 0; i < a->n_parts; i++)
		measure(s, i);
	return s->ranges ? 0 : -1;
}

static void end(struct sizes *s)
{
	free(s->size);
	free(s->parts);
}

/* ---- a trial ---- */

static void drop_sized(struct sizes *s)
{
	sgang_parts_restore(s->a, s->parts, s->n_asked);
}

/* The request with so many nodes; NULL without room or memory. */
static struct probed *sized(struct sizes *s, struct probed *asked,
			    uint32_t nodes)
{
	struct attempt *a = s->a;
	struct probed *p;

	for (size_t i = 0; i < a->n_probed; i++) {
		p = &a->probed[i];
		if (p->g == asked->g && p->job == asked->job &&
		    p->shape.min_nodes == nodes)
			return p;
	}
	return sgang_probed_fewer(a, asked, nodes);
}

static bool apply(struct sizes *s)
{
	struct attempt *a = s->a;

	drop_sized(s);
	for (size_t i = 0; i < a->n_parts; i++) {
		struct probed *p = sized(s, s->size[i].asked, s->size[i].nodes);

		if (!p)
			return false;
		a->parts[i].probed = p;
	}
	return true;
}

static bool fits(struct sizes *s)
{
	struct attempt *a = s->a;

	if (!apply(s))
		return false;
	return s->when ? sgang_fit_at(a, s->when) : sgang_fit_parts(a) == 0;
}

/* ---- one after the other ---- */

/* True for parts of this request; NULL: all. */
static bool is_of(const struct size *size, const struct probed *asked)
{
	return !asked || size->asked == asked;
}

static uint32_t given_up(const struct size *size, uint32_t each)
{
	uint32_t spare = size->most - size->least;

	return (spare < each) ? spare : each;
}

static uint64_t given_up_by_all(const struct sizes *s,
				const struct probed *asked, uint32_t each)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < s->a->n_parts; i++) {
		if (is_of(&s->size[i], asked))
			nodes += given_up(&s->size[i], each);
	}
	return nodes;
}

/* Let parts of this request (NULL: all) give up so many nodes: in whole rounds,
 * and a partial round of the last members. */
static void give_up(struct sizes *s, const struct probed *asked, uint64_t nodes)
{
	uint32_t low = 0, high = s->a->c->host->nodes.count();
	uint64_t rest;

	while (low < high) {
		uint32_t mid = low + (high - low + 1) / 2;

		if (given_up_by_all(s, asked, mid) <= nodes)
			low = mid;
		else
			high = mid - 1;
	}
	rest = nodes - given_up_by_all(s, asked, low);
	for (size_t i = s->a->n_parts; i-- > 0;) {
		struct size *size = &s->size[i];
		uint32_t give = given_up(size, low);

		if (!is_of(size, asked))
			continue;
		if (rest && give < size->most - size->least) {
			give++;
			rest--;
		}
		size->nodes = size->most - give;
	}
}

static bool fits_without(struct sizes *s, const struct probed *asked,
			 uint64_t nodes)
{
	give_up(s, asked, nodes);
	return fits(s);
}

/* ---- no more than necessary ---- */

/* The nodes that parts of this request have given up. */
static uint64_t gave(const struct sizes *s, const struct probed *asked)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < s->a->n_parts; i++) {
		if (is_of(&s->size[i], asked))
			nodes += s->size[i].most - s->size[i].nodes;
	}
	return nodes;
}

/* Let them give up no more than necessary while the others stay as they are.
 * The first try returns all. */
static void give_less(struct sizes *s, const struct probed *asked,
		      size_t *tries)
{
	uint64_t low = 0, high = gave(s, asked), mid = 0;

	while (low < high && *tries) {
		--*tries;
		if (fits_without(s, asked, mid))
			high = mid;
		else
			low = mid + 1;
		mid = low + (high - low) / 2;
	}
	give_up(s, asked, high);
}

/* Different members need not all give up nodes for one that lacks them. If only
 * one kind has given any, it was necessary. */
static bool with_more(struct sizes *s)
{
	uint64_t all = gave(s, NULL);
	size_t tries = MORE_TRIES;

	for (size_t i = 0; i < s->n_asked && tries; i++) {
		struct probed *asked = &s->a->probed[i];

		if (gave(s, asked) < all)
			give_less(s, asked, &tries);
	}
	return fits(s);
}

/* ---- the number to give up ---- */

static bool by_halving(struct sizes *s)
{
	uint64_t low = 0, high = s->spare;

	if (!fits_without(s, NULL, high))
		return false;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (fits_without(s, NULL, mid))
			high = mid;
		else
			low = mid + 1;
	}
	give_up(s, NULL, high);
	return with_more(s);
}

/* ---- every combination ---- */

/* The next combination, with as many nodes as possible first. False: that was
 * the last. */
static bool next_combination(struct sizes *s)
{
	for (size_t i = s->a->n_parts; i-- > 0;) {
		struct size *size = &s->size[i];

		if (size->nodes > size->least) {
			size->nodes--;
			return true;
		}
		size->nodes = size->most;
	}
	return false;
}

/* True unless a permutation: of members with the same request the first has
 * most. */
static bool is_new(const struct sizes *s)
{
	for (size_t i = 1; i < s->a->n_parts; i++) {
		if (s->size[i].asked == s->size[i - 1].asked &&
		    s->size[i].nodes > s->size[i - 1].nodes)
			return false;
	}
	return true;
}

static bool by_combination(struct sizes *s, uint32_t tries)
{
	bool fit = false;

	give_up(s, NULL, 0);
	while (!fit && tries && next_combination(s)) {
		if (!is_new(s))
			continue;
		tries--;
		fit = fits(s);
	}
	return fit;
}

/* ---- every number ---- */

/* The fewest nodes given up first; not all numbers if they are too many. */
static bool by_number(struct sizes *s, uint32_t tries)
{
	uint64_t step = s->spare / tries + 1;

	for (uint64_t nodes = step; nodes < s->spare; nodes += step) {
		if (fits_without(s, NULL, nodes))
			return true;
	}
	return false;
}

/* A plan takes longer with more nodes, and with more parts. */
static bool one_by_one(struct sizes *s)
{
	size_t n_parts = s->a->n_parts;
	bool few = n_parts <= SGANG_FEWER_PARTS;
	uint64_t tries = COMBINED_NODES / (s->a->c->host->nodes.count() + 1);

	if (!few)
		tries = tries * SGANG_FEWER_PARTS / n_parts;
	if (tries > COMBINATIONS)
		tries = COMBINATIONS;
	if (!s->elastic || !tries)
		return false;
	return few ? by_combination(s, (uint32_t)tries) :
		     by_number(s, (uint32_t)tries);
}

/* ---- */

bool sgang_fewer_fit(struct attempt *a, int64_t when)
{
	char why[sizeof(a->why)];
	bool trying = a->trying, fit = false;
	struct sizes s;

	if (begin(&s, a, when) == 0) {
		fit = by_halving(&s);
		memcpy(why, a->why, sizeof(why));
		a->trying = true;
		fit = fit || one_by_one(&s);
		a->trying = trying;
		memcpy(a->why, why, sizeof(why));
		if (!fit)
			drop_sized(&s);
	}
	end(&s);
	return fit;
}

/* ---- later ---- */

struct later {
	struct part *parts; /* original order */
	uint64_t begun;
	bool late; /* not all times were looked at */
};

/* The parts are as they were afterwards. */
static bool fits_on_fewer(struct attempt *a, const struct part *parts,
			  int64_t when, bool note)
{
	size_t n_probed = a->n_probed;
	bool fits = sgang_fewer_fit(a, when);

	if (fits && note)
		sgang_fit_note_planned(a, when);
	sgang_parts_restore(a, parts, n_probed);
	return fits;
}

static bool fits_then(struct attempt *a, int64_t when, void *arg)
{
	struct later *l = arg;

	l->late |= a->c->host->cpu_us() - l->begun >= LATER_TIME;
	return !l->late && fits_on_fewer(a, l->parts, when, false);
}

static bool is_mixed(struct attempt *a)
{
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		if (i && a->parts[i - 1].probed == p)
			continue;
		if (sgang_probed_range(p) && is_elastic(a, p))
			return true;
	}
	return false;
}

int64_t sgang_fewer_when(struct attempt *a, const int64_t *times, size_t n,
			 int64_t first)
{
	size_t upto = sgang_fit_before(times, n, first), at;
	struct later l = { .begun = a->c->host->cpu_us() };

	if (!upto || !is_mixed(a))
		return first;
	l.parts = malloc(a->n_parts * sizeof(*l.parts));
	if (!l.parts)
		return first;
	memcpy(l.parts, a->parts, a->n_parts * sizeof(*l.parts));
	at = sgang_fit_bisect(a, times, upto, fits_then, &l);
	if (!l.late && at < upto && fits_on_fewer(a, l.parts, times[at], true))
		first = times[at];
	free(l.parts);
	return first;
}

void sgang_fewer_least(struct attempt *a, int64_t when)
{
	struct sizes s;

	if (begin(&s, a, when) == 0 && !s.elastic) {
		give_up(&s, NULL, s.spare);
		if (!apply(&s))
			drop_sized(&s);
	}
	end(&s);
}
