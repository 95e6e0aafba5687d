/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rings.c - what the placement of each gang costs, measured the same way
 * whoever placed it
 */

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/fabric/ring.h"
#include "core/gang/record.h"
#include "core/plan/plan.h"
#include "twin_private.h"

/* Steps of the plan for an empty cluster: of a gang, and of a job alone, of
 * which there are more kinds. */
#define BEST_STEPS 400000
#define JOB_STEPS 20000

/* A member, with its place in the ring. */
struct placed {
	const struct sgang_job *job;
	uint32_t rank;
};

/* The best cost of gangs that ask for the same. */
struct best {
	uint64_t asks; /* hash */
	uint64_t cost;
	bool proved;
};

static struct {
	struct best *best;
	size_t n, max;
} known;

static int by_rank(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

/* Of the record that the conductor wrote; else the order of submission. */
static uint32_t place_in_ring(const struct sgang_job *j, uint64_t *stock_cost)
{
	struct sgang_record r;

	if (!j->comment || sgang_record_parse(j->comment, &r) != 1 || !r.placed)
		return 0;
	if (r.stock_cost)
		*stock_cost = r.stock_cost;
	return r.member_rank;
}

static size_t find_members(uint32_t gang, struct placed *members,
			   uint64_t *stock_cost)
{
	size_t n = 0;

	for (size_t i = 0; i < the.running.n; i++) {
		const struct sgang_job *j = the.running.at[i];

		if (j->gang != gang || !j->work)
			continue;
		members[n].job = j;
		members[n++].rank = place_in_ring(j, stock_cost);
	}
	qsort(members, n, sizeof(*members), by_rank);
	return n;
}

/* Ranks are dealt as srun does: evenly, the first nodes have one more. */
static uint32_t ranks_on(const struct sgang_job *j, uint32_t i)
{
	uint32_t ranks = j->asks->ranks > j->n_nodes ? j->asks->ranks :
						       j->n_nodes;

	return ranks / j->n_nodes + (i < ranks % j->n_nodes);
}

static void count_leaves(struct sgang_outcome_gang *gang,
			 const struct sgang_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t leaf = sgang_fabric_leaf(the.fabric, runs[i].node);
		size_t before = 0;

		while (before < i &&
		       sgang_fabric_leaf(the.fabric, runs[before].node) != leaf)
			before++;
		gang->leaves += before == i;
	}
}

static int measure(struct sgang_outcome_gang *gang,
		   const struct placed *members, size_t n)
{
	struct sgang_ring ring;
	struct sgang_run *runs;
	size_t n_runs = 0;

	for (size_t m = 0; m < n; m++)
		n_runs += members[m].job->n_nodes;
	runs = calloc(n_runs, sizeof(*runs));
	if (!runs)
		return -1;
	n_runs = 0;
	for (size_t m = 0; m < n; m++) {
		const struct sgang_job *j = members[m].job;
		const uint32_t *nodes = j->order ? j->order : j->nodes;

		for (uint32_t i = 0; i < j->n_nodes; i++)
			runs[n_runs++] = (struct sgang_run){
				.member = (uint32_t)m,
				.node = nodes[i],
				.ranks = ranks_on(j, i),
			};
	}
	sgang_ring_measure(the.fabric, &the.conf.costs, runs, n_runs, &ring);
	gang->ring_cost = ring.cost;
	gang->cross_links = (uint32_t)ring.cross_links;
	snprintf(gang->tier, sizeof(gang->tier), "%s",
		 the.conf.costs.name[ring.tier]);
	count_leaves(gang, runs, n_runs);
	free(runs);
	return 0;
}

/* ---- the cheapest on an empty cluster ---- */

static uint64_t hash_of(const struct placed *members, size_t n)
{
	uint64_t hash = SGANG_HASH_SEED;

	for (size_t i = 0; i < n; i++) {
		const struct sgang_trace_job *t = members[i].job->asks;

		hash = sgang_hash(hash, t->nodes);
		hash = sgang_hash(hash, t->ranks);
		hash = sgang_hash(hash, members[i].job->whole);
		hash = sgang_hash(hash, t->cpus);
		hash = sgang_hash(hash, t->gpus);
		hash = sgang_hash(hash, (uint64_t)(members[i].job->partition -
						   the.site->partitions));
	}
	return hash;
}

static struct sgang_plan_member member_of(const struct sgang_job *j,
					  uint32_t need[2])
{
	const struct sgang_plan_member member = {
		.units = j->asks->nodes,
		.slots = j->whole ? 0 : j->asks->cpus,
		.ranks = ranks_on(j, j->n_nodes - 1),
		.distinct = true,
		.allowed = j->partition->nodes,
		.need = need,
	};

	need[0] = j->whole ? SGANG_PLAN_ALL : j->asks->cpus;
	need[1] = j->whole ? SGANG_PLAN_ALL : j->asks->gpus;
	return member;
}

static int plan_best(const struct placed *members, size_t n, uint64_t steps,
		     struct best *best)
{
	struct sgang_plan_member *asked = calloc(n, sizeof(*asked));
	uint32_t(*need)[2] = calloc(n, sizeof(*need));
	uint32_t *there = calloc(2 * the.n_nodes, sizeof(*there));
	struct sgang_placement *placement = NULL;
	struct sgang_budget budget;
	struct sgang_plan_request rq = {
		.fabric = the.fabric,
		.costs = &the.conf.costs,
		.n_dims = 2,
		.free = there,
		.total = there,
		.members = asked,
		.n_members = n,
		.max_level = SGANG_LEVEL_UNCONNECTED,
		.budget = &budget,
	};
	int rc = -1;

	if (!asked || !need || !there)
		goto out;
	for (uint32_t i = 0; i < the.n_nodes; i++) {
		there[2 * i] = the.site->nodes[i].cpus;
		there[2 * i + 1] = the.site->nodes[i].gpus;
	}
	for (size_t i = 0; i < n; i++)
		asked[i] = member_of(members[i].job, need[i]);
	sgang_budget_init(&budget, steps);
	rc = sgang_plan(&rq, &placement, NULL, NULL);
	if (rc == 1) {
		best->cost = placement->ring.cost;
		best->proved = placement->exact;
	}
	sgang_placement_destroy(placement);
out:
	free(asked);
	free(need);
	free(there);
	return rc < 0 ? -1 : 0;
}

static const struct best *best_of(const struct placed *members, size_t n,
				  uint64_t steps)
{
	struct best best = { .asks = hash_of(members, n) };

	for (size_t i = 0; i < known.n; i++) {
		if (known.best[i].asks == best.asks)
			return &known.best[i];
	}
	if (known.n == known.max) {
		size_t max = known.max ? 2 * known.max : 64;
		struct best *more = realloc(known.best, max * sizeof(*more));

		if (!more)
			return NULL;
		known.best = more;
		known.max = max;
	}
	if (plan_best(members, n, steps, &best) < 0)
		return NULL;
	known.best[known.n] = best;
	return &known.best[known.n++];
}

void sgang_twin_gang_started(struct sgang_job *j)
{
	struct sgang_outcome_gang *gang = &the.outcome->gangs[j->gang];
	struct placed *members;
	const struct best *best;
	size_t n;

	if (gang->start)
		return;
	gang->start = the.now;
	the.waiting_gangs--;
	members = calloc(the.running.n, sizeof(*members));
	n = members ? find_members(j->gang, members, &gang->stock_cost) : 0;
	best = n ? best_of(members, n, BEST_STEPS) : NULL;
	if (!best || measure(gang, members, n) < 0)
		the.no_memory = true;
	if (best) {
		gang->best_cost = best->cost;
		gang->proved = best->proved;
	}
	if (!the.conductor)
		gang->stock_cost = gang->ring_cost;
	free(members);
}

void sgang_twin_job_started(struct sgang_job *j)
{
	struct sgang_outcome_gang *ring;
	const struct placed member = { .job = j };
	const struct best *best;

	if (!the.outcome->n_rings || j->n_nodes < 2)
		return;
	ring = &the.outcome->rings[j - the.jobs];
	*ring = (struct sgang_outcome_gang){ .n_members = 1, .start = the.now };
	best = best_of(&member, 1, JOB_STEPS);
	if (!best || measure(ring, &member, 1) < 0) {
		the.no_memory = true;
		return;
	}
	ring->best_cost = best->cost;
	ring->proved = best->proved;
	if (!the.conductor)
		ring->stock_cost = ring->ring_cost;
}

void sgang_twin_rings_end(void)
{
	free(known.best);
	memset(&known, 0, sizeof(known));
}
