/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid_deal.c - alike units on given nodes: which member has which of them
 *
 * For communication groups only: they lay ranks out as they like, so that the
 * nodes of a member need not follow each other in the tree.
 */

#include <stdlib.h>

#include "plan_private.h"

/* Dealing units out: what is left on the picked nodes, and runs so far, whose
 * `node` is the number of the pick as long as this lasts. */
struct deal {
	const struct sgang_job *job;
	uint32_t *left; /* by pick */
	size_t n_picks;
	struct sgang_run *runs;
	size_t n_runs;
};

static void deal_run(struct deal *deal, uint32_t member, size_t pick,
		     uint32_t units)
{
	deal->left[pick] -= units;
	deal->runs[deal->n_runs++] = (struct sgang_run){ .member = member,
							 .node = (uint32_t)pick,
							 .ranks = units };
}

/* A unit on each of those nodes that have the most left: when all distinct
 * members do so, all get what they need if that can be. 'mark' tells by pick
 * which member was there last. */
static bool deal_distinct(struct deal *deal, uint32_t member, uint32_t *mark)
{
	uint32_t units = deal->job->request->members[member].units;
	size_t i, best;

	while (units--) {
		best = deal->n_picks;
		for (i = 0; i < deal->n_picks; i++) {
			if (deal->left[i] && mark[i] != member &&
			    (best == deal->n_picks ||
			     deal->left[i] > deal->left[best]))
				best = i;
		}
		if (best == deal->n_picks)
			return false;
		mark[best] = member;
		deal_run(deal, member, best, 1);
	}
	return true;
}

/* Units wherever some are left, from '*from' on. */
static void deal_any(struct deal *deal, uint32_t member, size_t *from)
{
	uint32_t units = deal->job->request->members[member].units, take;

	while (units) {
		take = deal->left[*from];
		if (take > units)
			take = units;
		if (take)
			deal_run(deal, member, *from, take);
		units -= take;
		if (units)
			++*from;
	}
}

static int compare_runs(const void *one, const void *two)
{
	const struct sgang_run *a = one, *b = two;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Deal out, sort by member. Returns false when it does not work out. */
static bool deal_members(struct deal *deal, uint32_t *mark)
{
	const struct sgang_plan_request *request = deal->job->request;
	size_t from = 0;
	uint32_t i;

	for (i = 0; i < request->n_members; i++) {
		if (sgang_member_distinct(&request->members[i]) &&
		    !deal_distinct(deal, i, mark))
			return false;
	}
	for (i = 0; i < request->n_members; i++) {
		if (!sgang_member_distinct(&request->members[i]))
			deal_any(deal, i, &from);
	}
	qsort(deal->runs, deal->n_runs, sizeof(*deal->runs), compare_runs);
	return true;
}

/* From picks and units to nodes, ranks and slots. */
static void finish_runs(struct deal *deal, const struct sgang_tree *tree)
{
	const uint32_t *order = sgang_fabric_order(deal->job->request->fabric);
	const struct sgang_kind *kind = &deal->job->kind[0];
	size_t i;

	for (i = 0; i < deal->n_runs; i++) {
		struct sgang_run *run = &deal->runs[i];
		uint32_t units = run->ranks;

		run->node = order[tree->pick[run->node].pos];
		run->ranks = units *
			     sgang_kind_ranks(deal->job, kind, run->node);
		run->slots = units *
			     sgang_kind_need(deal->job, kind, run->node, 0);
	}
}

struct sgang_placement *sgang_job_deal(const struct sgang_job *job,
				       const struct sgang_tree *tree)
{
	size_t n = tree->n_picks + job->request->n_members + job->units, i;
	struct deal deal = { .job = job, .n_picks = tree->n_picks };
	uint32_t *mark;

	deal.runs = sgang_pool_alloc(job->pool, n, sizeof(*deal.runs));
	deal.left = sgang_pool_alloc(job->pool, deal.n_picks,
				     sizeof(*deal.left));
	mark = sgang_pool_alloc(job->pool, deal.n_picks, sizeof(*mark));
	for (i = 0; i < deal.n_picks; i++) {
		deal.left[i] = tree->pick[i].units;
		mark[i] = UINT32_MAX;
	}
	if (!deal_members(&deal, mark))
		return NULL;
	finish_runs(&deal, tree);
	return sgang_job_place(job, deal.runs, deal.n_runs);
}
