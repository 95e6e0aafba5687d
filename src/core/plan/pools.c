/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pools.c - kind by kind, and on the best nodes by value */

#include <stdlib.h>
#include <string.h>

#include "mixed.h"

/* -- kind by kind -- */

/* Mark what the pieces so far use, and find the domain that holds it all. */
static void mark_used(const struct mixed *mixed, bool *used, uint32_t *home)
{
	const struct sgang_fabric *fabric = mixed->request->fabric;
	const struct sgang_domain *domain;
	uint32_t low = UINT32_MAX, high = 0, d;
	size_t i;

	for (i = 0; i < mixed->now.n; i++) {
		uint32_t pos = mixed->now.piece[i].pos;

		low = pos < low ? pos : low;
		high = pos > high ? pos : high;
		for (d = sgang_fabric_leaf(fabric, mixed->order[pos]);
		     d != SGANG_DOMAIN_NONE && !used[d];
		     d = sgang_fabric_domain(fabric, d)->parent)
			used[d] = true;
	}
	d = sgang_fabric_leaf(fabric, mixed->order[low]);
	domain = sgang_fabric_domain(fabric, d);
	while (high - domain->first_pos >= domain->n_nodes) {
		d = domain->parent;
		domain = sgang_fabric_domain(fabric, d);
	}
	*home = d;
}

/* Give the picked units to the members of a kind, in order. */
static void deal_picks(struct mixed *mixed, uint32_t kind,
		       const struct sgang_tree *tree)
{
	size_t i = 0;
	uint32_t member, there = tree->pick[0].units;

	for (member = 0; member < mixed->request->n_members; member++) {
		uint32_t units = ask_of(mixed, member)->units;

		if (mixed->job->kind_of[member] != kind)
			continue;
		while (units) {
			uint32_t n;

			if (!there)
				there = tree->pick[++i].units;
			n = units < there ? units : there;
			put(mixed, member, tree->pick[i].pos, n);
			units -= n;
			there -= n;
		}
	}
}

bool sgang_mixed_distinct(const struct mixed *mixed, uint32_t kind)
{
	uint32_t i;

	for (i = 0; i < mixed->request->n_members; i++) {
		if (mixed->job->kind_of[i] == kind &&
		    sgang_member_distinct(ask_of(mixed, i)))
			return true;
	}
	return false;
}

/* Place all members of one kind, given what is placed already. */
static int place_kind(struct mixed *mixed, uint32_t number, uint32_t *cap)
{
	const struct sgang_kind *kind = &mixed->job->kind[number];
	struct sgang_pool *pool = mixed->job->pool;
	uint32_t most = sgang_mixed_distinct(mixed, number) ? 1 : UINT32_MAX;
	uint32_t pos;
	struct sgang_tree tree = { .request = mixed->request,
				   .need = kind->units,
				   .cap = cap,
				   .left = cap,
				   .unit = true,
				   .broken = mixed->broken };
	bool *used;
	int rc;

	for (pos = 0; pos < mixed->n_nodes; pos++) {
		uint32_t room = sgang_kind_fits(mixed->job, kind,
						mixed->order[pos],
						left_at(mixed, pos));

		cap[pos] = room < most ? room : most;
		if (cap[pos] > 1)
			tree.unit = false;
	}
	tree.ranks = kind->units * (kind->ranks ? kind->ranks : 1);
	if (mixed->now.n) {
		used = sgang_pool_zalloc(
			pool, sgang_fabric_domains(mixed->request->fabric),
			sizeof(*used));
		mark_used(mixed, used, &tree.home);
		tree.used = used;
	}
	rc = sgang_tree_solve(&tree, pool, false);
	if (rc > 0)
		deal_picks(mixed, number, &tree);
	return rc;
}

/* How constructions kind by kind go through the kinds. */
static uint32_t kind_in_turn(const struct mixed *mixed, uint32_t turn,
			     uint32_t i)
{
	uint32_t n = mixed->job->n_kinds;

	return turn ? n - 1 - i : i;
}

/* Returns as sgang_tree_solve(). */
static int kind_by_kind(struct mixed *mixed, uint32_t turn, uint32_t *cap)
{
	uint32_t i;
	int rc = 1;

	sgang_mixed_clear(mixed, 0, mixed->n_nodes);
	for (i = 0; i < mixed->job->n_kinds && rc > 0; i++)
		rc = place_kind(mixed, kind_in_turn(mixed, turn, i), cap);
	if (rc > 0)
		qsort(mixed->now.piece, mixed->now.n, sizeof(*mixed->now.piece),
		      sgang_mixed_by_member);
	return rc;
}

/* Beyond so many kinds solving each exactly is not worth its time. */
#define KINDS_MAX 8

int sgang_mixed_try_kinds(struct mixed *mixed)
{
	uint32_t turn, turns = mixed->job->n_kinds > 1 ? 2 : 1;
	uint32_t *cap = sgang_pool_alloc(mixed->job->pool, mixed->n_nodes,
					 sizeof(*cap));
	int rc;

	for (turn = 0; turn < turns && mixed->job->n_kinds <= KINDS_MAX &&
		       !done(mixed) && !ended(mixed);
	     turn++) {
		rc = kind_by_kind(mixed, turn, cap);
		if (rc < 0)
			return -1;
		if (rc)
			sgang_mixed_finish(mixed);
	}
	return 0;
}

/* -- a pool of nodes -- */

/* Solve for such a value and make the picked nodes the pool. Returns as
 * sgang_tree_solve(); '*domain' holds them. */
static int fill_pool(struct mixed *mixed, struct sgang_tree *tree,
		     struct sgang_domain *domain)
{
	size_t i;
	int rc = sgang_tree_solve(tree, mixed->job->pool, false);

	if (rc <= 0)
		return rc;
	memset(mixed->pool, 0, mixed->n_nodes * sizeof(*mixed->pool));
	for (i = 0; i < tree->n_picks; i++)
		mixed->pool[tree->pick[i].pos] = true;
	*domain = *sgang_fabric_domain(mixed->request->fabric, tree->domain);
	return 1;
}

/* Try every way to fit in that has not worked with a smaller pool. Returns
 * whether all of them have. */
static bool try_pool(struct mixed *mixed, const struct sgang_domain *domain,
		     bool *worked)
{
	enum fit fit;
	bool all = true;

	for (fit = NEXT_IN_ORDER; fit <= FIRST_LARGE && !done(mixed); fit++) {
		if (worked[fit])
			continue;
		worked[fit] = sgang_mixed_fit(mixed, domain, fit);
		if (worked[fit])
			sgang_mixed_finish(mixed);
		else
			all = false;
	}
	return all;
}

/* Pools grow by these parts of 32 of what is needed. */
int sgang_mixed_try_pools(struct mixed *mixed)
{
	static const uint32_t grow[] = { 0, 1, 2, 4, 8, 16, 32 };
	struct sgang_tree tree = *mixed->worth;
	bool worked[FITS] = { false }, all = false;
	struct sgang_domain domain;
	size_t i;
	int rc = 1;

	mixed->pool = sgang_pool_alloc(mixed->job->pool, mixed->n_nodes,
				       sizeof(*mixed->pool));
	for (i = 0; i < sizeof(grow) / sizeof(grow[0]) && rc > 0; i++) {
		if (all || done(mixed) || ended(mixed))
			break;
		tree.need += mixed->worth->need * grow[i] / 32;
		rc = fill_pool(mixed, &tree, &domain);
		tree.need = mixed->worth->need;
		if (rc > 0)
			all = try_pool(mixed, &domain, worked);
	}
	mixed->pool = NULL;
	return rc < 0 ? -1 : 0;
}
