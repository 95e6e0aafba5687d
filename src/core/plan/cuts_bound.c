/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_bound.c - what no placement of a gang in one ring is cheaper than
 *
 * Give units of each kind a size, any size: no node holds more of it than the
 * best mixture of units that fits there, so all of it takes so many places at
 * the least (sgang_job_by_value()). Each such *measure* is a bound. bound.c has
 * those of each resource; here are others, which tell what sums do not: how many
 * units are too large for two, three or four to share a node, how many want a
 * set of nodes, and what is taken of all resources together.
 */

#include <string.h>

#include "cuts_private.h"

/* Units that are larger than this part of a node are counted, up to. */
#define PARTS 4

/* What a node is, as a measure of the sum of all resources. */
#define NODE 16

struct measures {
	const struct sgang_job *job;
	const uint64_t *broken;
	struct sgang_bound *bound;
	uint32_t *size; /* by kind */
	uint32_t *best; /* of the measure that has raised the bound last, */
	uint64_t least; /* to this */
};

/* Raise the bound by the measure at hand. Returns 1, 0 when not all of it fits,
 * -1 with EOVERFLOW. */
static int raise(struct measures *m)
{
	struct sgang_tree tree;
	uint32_t k, some = 0;
	int rc;

	for (k = 0; k < m->job->n_kinds; k++)
		some |= m->size[k];
	if (!some || !sgang_budget_left(m->job->request->budget))
		return 1;
	sgang_job_by_value(m->job, m->size, m->broken, &tree);
	if (sgang_cost_first(m->job))
		tree.coin = m->job->coin;
	rc = sgang_tree_solve(&tree, m->job->pool, true);
	if (rc <= 0)
		return rc;
	sgang_bound_raise(m->bound, m->bound->ranks + tree.bound,
			  tree.bound_broken);
	if (tree.bound > m->least) {
		m->least = tree.bound;
		memcpy(m->best, m->size, m->job->n_kinds * sizeof(*m->best));
	}
	return 1;
}

/* What is taken of one resource. */
static int sum_resource(struct measures *m, uint32_t dim)
{
	uint32_t k;

	for (k = 0; k < m->job->n_kinds; k++)
		m->size[k] = sgang_kind_least(m->job, &m->job->kind[k], dim);
	return raise(m);
}

/* The most of a resource that is free on any node. */
static uint32_t most_free(const struct sgang_job *job, uint32_t dim)
{
	uint32_t n = sgang_fabric_nodes(job->request->fabric), i, most = 0;

	for (i = 0; i < n; i++) {
		uint32_t free = sgang_job_free(job, i)[dim];

		most = free > most ? free : most;
	}
	return most;
}

/* How many units there are. */
static int count_units(struct measures *m)
{
	uint32_t k;

	for (k = 0; k < m->job->n_kinds; k++)
		m->size[k] = 1;
	return raise(m);
}

/* The units of which no two (three, four) are on one node. Returns as raise().
 */
static int count_large(struct measures *m, uint32_t dim)
{
	uint32_t most = most_free(m->job, dim), part, k, n, before = 0;
	int rc = 1;

	for (part = 2; part <= PARTS && rc > 0; part++) {
		for (n = k = 0; k < m->job->n_kinds; k++) {
			const struct sgang_kind *kind = &m->job->kind[k];
			uint64_t need = sgang_kind_least(m->job, kind, dim);

			m->size[k] = need * part > most;
			n += m->size[k];
		}
		if (n && n != before && n < m->job->n_kinds)
			rc = raise(m);
		before = n;
	}
	return rc;
}

/* The units of each set of nodes. */
static int count_sets(struct measures *m)
{
	const struct sgang_kind *kind = m->job->kind;
	uint32_t n = m->job->n_kinds, first, k, same;
	int rc = 1;

	for (first = 0; first < n && rc > 0; first++) {
		for (same = k = 0; k < n; k++) {
			m->size[k] = kind[k].allowed == kind[first].allowed;
			same += m->size[k] && k < first;
		}
		if (!same && kind[first].allowed)
			rc = raise(m);
	}
	return rc;
}

/* Parts of a node that a unit of each kind takes, of all resources together. */
static int sum_resources(struct measures *m)
{
	uint32_t k, d, n = m->job->request->n_dims;

	for (k = 0; k < m->job->n_kinds; k++) {
		uint64_t sum = 0;

		for (d = 0; d < n; d++) {
			uint32_t most = most_free(m->job, d);

			if (most)
				sum += (uint64_t)NODE *
				       sgang_kind_least(m->job,
							&m->job->kind[k], d) /
				       most;
		}
		m->size[k] = sum < UINT32_MAX / NODE ? (uint32_t)sum : 0;
	}
	return n > 1 ? raise(m) : 1;
}

/* The nodes that the best measure takes. Returns as raise(). */
static int pick_nodes(struct measures *m, struct sgang_tree *guide)
{
	if (!m->least) {
		memset(guide, 0, sizeof(*guide));
		return 1;
	}
	sgang_job_by_value(m->job, m->best, m->broken, guide);
	if (sgang_cost_first(m->job))
		guide->coin = m->job->coin;
	guide->rough = true;
	return sgang_tree_solve(guide, m->job->pool, false);
}

int sgang_cuts_bound(const struct sgang_job *job, const uint64_t *broken,
		     struct sgang_bound *bound, struct sgang_tree *guide)
{
	struct measures m = { .job = job, .broken = broken, .bound = bound };
	int rc = sgang_bound_find(job, broken, NULL, bound);
	uint32_t d;

	if (rc <= 0)
		return rc;
	m.size = sgang_pool_alloc(job->pool, job->n_kinds, sizeof(*m.size));
	m.best = sgang_pool_alloc(job->pool, job->n_kinds, sizeof(*m.best));
	rc = count_units(&m);
	for (d = 0; d < job->request->n_dims && rc > 0; d++) {
		rc = sum_resource(&m, d);
		if (rc > 0)
			rc = count_large(&m, d);
	}
	if (rc > 0)
		rc = count_sets(&m);
	if (rc > 0)
		rc = sum_resources(&m);
	return rc > 0 ? pick_nodes(&m, guide) : rc;
}
