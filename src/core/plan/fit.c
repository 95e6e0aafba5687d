/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit.c - first fit, domain by domain */

#include <stdlib.h>

#include "mixed.h"

/* Domains of one level in which constructions work, and in which they fail,
 * before the level is left; the highest are all tried until one works. */
#define DOMAINS_MAX 4
#define FAILURES_MAX 64

/* -- first fit -- */

/* Put a member on the first nodes before 'to' that have room. */
static bool place_member(struct mixed *mixed, uint32_t member, uint32_t to)
{
	uint32_t number = mixed->job->kind_of[member];
	uint32_t from = mixed->cursor[number], pos = from;
	uint32_t units = ask_of(mixed, member)->units;
	bool passed = false;

	for (; pos < to && units; pos++) {
		uint32_t room = fits(mixed, member, pos);

		if (!room) {
			/* never again for this kind */
			if (!passed)
				mixed->cursor[number] = pos + 1;
			continue;
		}
		passed = true;
		if (room > units)
			room = units;
		put(mixed, member, pos, room);
		units -= room;
	}
	sgang_budget_take(mixed->request->budget, pos - from + 1);
	return !units;
}

/* Put a member on the nodes that follow where the last one ended, without
 * looking back. */
static bool place_next(struct mixed *mixed, uint32_t member, uint32_t *pos,
		       uint32_t to)
{
	uint32_t units = ask_of(mixed, member)->units;

	for (; *pos < to; (*pos)++) {
		uint32_t room = fits(mixed, member, *pos);

		sgang_budget_take(mixed->request->budget, 1);
		if (room > units)
			room = units;
		if (room)
			put(mixed, member, *pos, room);
		units -= room;
		/* the next member may share this node */
		if (!units)
			return true;
	}
	return false;
}

/* Put a member on the nodes of the domain with the least or the most room.
 * Whole nodes are always the smallest, since others may need the large. */
static bool place_by_room(struct mixed *mixed, uint32_t member,
			  const struct sgang_domain *domain, bool most)
{
	uint32_t pos, end = domain->first_pos + domain->n_nodes;
	uint32_t i, n = 0, units = ask_of(mixed, member)->units;
	struct piece *spot = mixed->spot;

	if (kind_of(mixed, member)->whole)
		most = false;
	for (pos = domain->first_pos; pos < end; pos++) {
		uint32_t room = fits(mixed, member, pos);

		if (!room)
			continue;
		/* sorted as if by member, then position */
		spot[n].member = most ? UINT32_MAX - *left_at(mixed, pos) :
					*left_at(mixed, pos);
		spot[n].pos = pos;
		spot[n++].units = room;
	}
	sgang_budget_take(mixed->request->budget, domain->n_nodes);
	qsort(spot, n, sizeof(*spot), sgang_mixed_by_member);
	for (i = 0; i < n && units; i++) {
		uint32_t take_units = spot[i].units < units ? spot[i].units :
							      units;

		put(mixed, member, spot[i].pos, take_units);
		units -= take_units;
	}
	return !units;
}

/* Put one member into a domain. */
static bool fit_member(struct mixed *mixed, const struct sgang_domain *domain,
		       enum fit fit, uint32_t member, uint32_t *next)
{
	uint32_t to = domain->first_pos + domain->n_nodes;

	switch (fit) {
	case NEXT_IN_ORDER:
		return place_next(mixed, member, next, to);
	case LEAST_ROOM:
	case MOST_ROOM:
		return place_by_room(mixed, member, domain, fit == MOST_ROOM);
	default:
		return place_member(mixed, member, to);
	}
}

bool sgang_mixed_fit(struct mixed *mixed, const struct sgang_domain *domain,
		     enum fit fit)
{
	uint32_t i, next = domain->first_pos;
	bool in_order = fit == NEXT_IN_ORDER || fit == FIRST_IN_ORDER;

	sgang_mixed_clear(mixed, next, next + domain->n_nodes);
	for (i = 0; i < mixed->request->n_members; i++) {
		uint32_t member = in_order ? i : mixed->rank[i];

		if (!fit_member(mixed, domain, fit, member, &next))
			return false;
	}
	qsort(mixed->now.piece, mixed->now.n, sizeof(*mixed->now.piece),
	      sgang_mixed_by_member);
	return true;
}
/* -- domain by domain -- */

/* A domain, or a node (level SGANG_LEVEL_ISLAND, n_nodes 1), worth a try. */
struct candidate {
	struct sgang_domain domain;
	uint64_t free;
};

static int by_level(const void *one, const void *two)
{
	const struct candidate *a = one, *b = two;

	if (a->domain.level != b->domain.level)
		return a->domain.level < b->domain.level ? -1 : 1;
	if (a->free != b->free)
		return a->free < b->free ? -1 : 1;
	return a->domain.first_pos < b->domain.first_pos ?
		       -1 :
		       a->domain.first_pos > b->domain.first_pos;
}

/* The fewest slots that all members can do with. */
static uint64_t least_slots(const struct mixed *mixed)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < mixed->job->n_kinds; i++) {
		const struct sgang_kind *kind = &mixed->job->kind[i];

		sum += kind->units * sgang_kind_least(mixed->job, kind, 0);
	}
	return sum;
}

/* Sum up free slots by position, so that any run of positions is a
 * difference. */
static uint64_t *sum_free(const struct mixed *mixed)
{
	uint64_t *sum = sgang_pool_alloc(
		mixed->job->pool, (size_t)mixed->n_nodes + 1, sizeof(*sum));
	uint32_t pos;

	sum[0] = 0;
	for (pos = 0; pos < mixed->n_nodes; pos++)
		sum[pos + 1] = sum[pos] +
			       *sgang_job_free(mixed->job, mixed->order[pos]);
	return sum;
}

static void add_candidate(struct candidate *candidate, size_t *n,
			  const struct sgang_domain *domain,
			  const uint64_t *sum, uint64_t needed)
{
	uint64_t free = sum[domain->first_pos + domain->n_nodes] -
			sum[domain->first_pos];

	if (free < needed)
		return;
	candidate[*n].domain = *domain;
	candidate[(*n)++].free = free;
}

/* All places with slots enough, low levels first, then the tightest. */
static struct candidate *list_candidates(const struct mixed *mixed, size_t *n)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;
	uint32_t d, pos, n_domains = sgang_fabric_domains(fabric);
	uint64_t needed = least_slots(mixed), *sum = sum_free(mixed);
	struct sgang_domain node = { .level = SGANG_LEVEL_ISLAND,
				     .n_nodes = 1 };
	struct candidate *candidate;

	candidate = sgang_pool_alloc(mixed->job->pool,
				     (size_t)n_domains + mixed->n_nodes,
				     sizeof(*candidate));
	*n = 0;
	for (pos = 0; pos < mixed->n_nodes; pos++) {
		node.first_pos = pos;
		add_candidate(candidate, n, &node, sum, needed);
	}
	for (d = 0; d < n_domains; d++) {
		if (sgang_tree_allowed(mixed->request, d))
			add_candidate(candidate, n,
				      sgang_fabric_domain(fabric, d), sum,
				      needed);
	}
	qsort(candidate, *n, sizeof(*candidate), by_level);
	return candidate;
}

/* Every construction within one domain. False when none worked. */
static bool try_domain(struct mixed *mixed, const struct sgang_domain *domain)
{
	bool worked = false;
	enum fit fit;

	for (fit = NEXT_IN_ORDER; fit < FITS && !done(mixed); fit++) {
		if (fit > FIRST_LARGE && worked)
			break;
		if (sgang_mixed_fit(mixed, domain, fit)) {
			sgang_mixed_finish(mixed);
			worked = true;
		}
	}
	if (worked || domain->level == SGANG_LEVEL_ISLAND)
		return worked;
	if (mixed->found || !sgang_mixed_pack(mixed, domain))
		return false;
	sgang_mixed_finish(mixed);
	return true;
}

/* Is there no larger place to try? */
static bool highest(const struct mixed *mixed,
		    const struct sgang_domain *domain)
{
	if (domain->level == SGANG_LEVEL_ISLAND)
		return mixed->request->max_level <
		       sgang_plan_lowest(mixed->request);
	return domain->parent == SGANG_DOMAIN_NONE ||
	       !sgang_tree_allowed(mixed->request, domain->parent);
}

int sgang_mixed_try_domains(struct mixed *mixed)
{
	uint32_t level = 0, worked = 0, failed = 0;
	struct candidate *candidate;
	size_t i, n;

	candidate = list_candidates(mixed, &n);
	for (i = 0; i < n && !done(mixed); i++) {
		const struct sgang_domain *domain = &candidate[i].domain;

		if (domain->level != level) {
			level = domain->level;
			worked = 0;
			failed = 0;
		}
		if (worked == DOMAINS_MAX || (ended(mixed) && mixed->found))
			continue;
		if ((failed >= FAILURES_MAX || ended(mixed)) &&
		    (mixed->found || !highest(mixed, domain)))
			continue;
		if (try_domain(mixed, domain))
			worked++;
		else
			failed++;
	}
	return 0;
}
