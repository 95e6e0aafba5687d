/* SPDX-License-Identifier: GPL-2.0-or-later */
/* beside.c - what of a node is kept for a gang, and who fits beside it
 *
 * The nodes of a plan are kept for its gang, but not what is left of them: a
 * gang that will use two GPUs of a node leaves the others. What it will use is
 * known for a gang of equal members. It is compared with what is free now, as in
 * a plan of different members; jobs that end before the gang starts only add to
 * that.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

void sgang_beside_forget(struct share *share)
{
	free(share->units);
	memset(share, 0, sizeof(*share));
}

void sgang_beside_drop(struct sgang_nodeset **nodes, struct share *share)
{
	sgang_nodeset_destroy(*nodes);
	*nodes = NULL;
	sgang_beside_forget(share);
}

/* True if pieces of one size say what the plan uses. */
static bool is_of_one_kind(const struct attempt *a)
{
	const struct probed *p = a->n_parts ? a->parts[0].probed : NULL;

	if (!p || a->n_gangs > 1 || p->shape.whole || p->split || a->uneven)
		return false;
	for (size_t i = 1; i < a->n_parts; i++) {
		if (a->parts[i].probed != p)
			return false;
	}
	return true;
}

void sgang_beside_note(const struct attempt *a,
		       const struct sgang_placement *plan, struct share *share)
{
	const struct probed *p;

	sgang_beside_forget(share);
	if (!plan || !is_of_one_kind(a))
		return;
	p = a->parts[0].probed;
	share->units = calloc(a->c->host->nodes.count() + 1UL,
			      sizeof(*share->units));
	if (!share->units)
		return; /* whole nodes are kept */
	for (size_t i = 0; i < plan->n_runs; i++) {
		const struct sgang_run *run = &plan->runs[i];

		share->units[sgang_parts_node(a->c, run)] += p->fixed ?
								     1 :
								     run->ranks;
	}
	share->job_id = a->parts[0].entry->job_id;
	share->shape = p->shape;
}

/* What a question compares. */
struct beside {
	struct sgang_resources res;
	uint8_t *type;     /* by node */
	uint32_t *amounts; /* by node and dimension */
	uint32_t *theirs;  /* a piece of the gang's, by type and dimension */
	uint32_t *its;     /* a piece of the job's */
};

static void end(struct beside *b)
{
	free(b->type);
	free(b->amounts);
	free(b->theirs);
	free(b->its);
}

static bool begin(struct beside *b, struct sgang_conductor *c,
		  const struct sgang_asked asked[2])
{
	const struct sgang_host_nodes *h = &c->host->nodes;
	size_t n_nodes = h->count(), n_needs;

	memset(b, 0, sizeof(*b));
	b->type = calloc(n_nodes + 1, sizeof(*b->type));
	if (!b->type)
		return false;
	h->refresh();
	h->resources(asked, 2, &b->res, b->type);
	n_needs = (size_t)b->res.n_types * b->res.n_dims;
	b->amounts = calloc(n_nodes * b->res.n_dims + 1, sizeof(*b->amounts));
	b->theirs = calloc(n_needs + 1, sizeof(*b->theirs));
	b->its = calloc(n_needs + 1, sizeof(*b->its));
	if (!b->amounts || !b->theirs || !b->its)
		return false;
	h->need(&asked[0], &b->res, b->theirs);
	h->need(&asked[1], &b->res, b->its);
	h->amounts(&b->res, false, b->amounts);
	return true;
}

/* True if so many pieces of both fit on the node. */
static bool both_fit(const struct beside *b, uint32_t node, uint32_t theirs,
		     uint32_t its)
{
	size_t of = (size_t)b->type[node] * b->res.n_dims;

	for (uint32_t d = 0; d < b->res.n_dims; d++) {
		uint64_t free_now = b->amounts[node * b->res.n_dims + d];
		uint32_t one = b->theirs[of + d], other = b->its[of + d];

		if (b->res.dim[d].apart && one && other)
			return false;
		if (one == SGANG_PLAN_ALL || other == SGANG_PLAN_ALL ||
		    (uint64_t)one * theirs + (uint64_t)other * its > free_now)
			return false;
	}
	return true;
}

/* The pieces of the job that may come to one node: all, if its nodes are not
 * fixed, or Slurm may give it other than even shares of them. */
static uint32_t most_on_node(const struct sgang_shape *shape)
{
	if (!sgang_shape_fixed(shape))
		return shape->tasks;
	return shape->task_cpus || shape->job_gres || shape->least_nodes ?
		       shape->min_nodes :
		       1;
}

/* Take out the nodes where the job does not fit beside the gang. */
static void cut_beside(struct sgang_conductor *c,
		       const struct sgang_nodeset *kept,
		       const struct share *share, struct sgang_job *job,
		       struct sgang_nodeset *nodes)
{
	struct sgang_job *member = c->host->jobs.find(share->job_id);
	struct sgang_asked asked[2] = { { member, &share->shape } };
	struct sgang_shape shape;
	struct beside b = { .type = NULL };
	bool known = false;

	if (member && member != job && !c->host->jobs.excludes(member, job)) {
		c->host->jobs.shape(job, &shape);
		asked[1] = (struct sgang_asked){ job, &shape };
		known = !shape.whole && begin(&b, c, asked);
	}
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (sgang_nodeset_has(kept, n) &&
		    !(known &&
		      both_fit(&b, n, share->units[n], most_on_node(&shape))))
			sgang_nodeset_remove(nodes, n);
	}
	end(&b);
}

bool sgang_beside_cut(struct sgang_conductor *c,
		      const struct sgang_nodeset *kept,
		      const struct share *share, struct sgang_job *job,
		      struct sgang_nodeset *nodes)
{
	uint32_t before;

	if (!sgang_nodeset_intersects(nodes, kept))
		return false;
	before = sgang_nodeset_count(nodes);
	if (share && share->units && job)
		cut_beside(c, kept, share, job, nodes);
	else
		sgang_nodeset_subtract(nodes, kept);
	return sgang_nodeset_count(nodes) < before;
}
