/* SPDX-License-Identifier: GPL-2.0-or-later */
/* weight.c - the weights of nodes, and cost and weight in one number
 *
 * A node weighs what it is above the lightest node that the gang could have, a
 * placement what its nodes weigh together. So the lightest nodes are free to
 * use, however many they are, and nodes that all have one weight change
 * nothing.
 */

#include "plan_private.h"

/* A price has so many bits less what is broken, see SGANG_PLAN_KEY_MAX. */
#define PRICE_BITS 59

/* Weights have so many of them at the least, if need be at the expense of what
 * is broken. */
#define WEIGHT_BITS_LEAST 8

static uint32_t bits(uint64_t number)
{
	return number ? 64 - (uint32_t)__builtin_clzll(number) : 0;
}

bool sgang_plan_weights_differ(const struct sgang_plan_request *request)
{
	uint32_t node, n = sgang_fabric_nodes(request->fabric);

	for (node = 1; request->weight && node < n; node++) {
		if (request->weight[node] != request->weight[0])
			return true;
	}
	return false;
}

/* Fill 'above' by node: what it weighs above the lightest that any member could
 * use. False when that is nothing anywhere. */
static bool find_above(const struct sgang_job *job, uint32_t *above)
{
	const uint32_t *weight = job->request->weight;
	uint32_t node, n = sgang_fabric_nodes(job->request->fabric);
	uint32_t lightest = UINT32_MAX, heaviest = 0;

	for (node = 0; node < n; node++) {
		above[node] = sgang_job_any_fits(job, node);
		if (above[node] && weight[node] < lightest)
			lightest = weight[node];
		if (above[node] && weight[node] > heaviest)
			heaviest = weight[node];
	}
	for (node = 0; node < n; node++)
		above[node] = above[node] ? weight[node] - lightest : 0;
	return heaviest > lightest;
}

/* No ring, and nothing that is added up on the way to it, costs more. */
static uint64_t most_cost(const struct sgang_job *job)
{
	const struct sgang_plan_request *request = job->request;
	uint32_t n = sgang_fabric_nodes(request->fabric), i, most = 0;
	uint64_t ranks = 0, hop = 0;

	for (i = 0; i < n; i++) {
		uint32_t total = request->total[(size_t)i * request->n_dims];

		most = total > most ? total : most;
	}
	for (i = 0; i < job->n_kinds; i++)
		ranks += job->kind[i].units *
			 (job->kind[i].ranks ? job->kind[i].ranks : most);
	for (i = 0; i < SGANG_LEVELS; i++)
		hop = request->costs->hop[i] > hop ? request->costs->hop[i] :
						     hop;
	return (ranks + n + sgang_fabric_domains(request->fabric) + 1) * hop;
}

/* The bits that what is broken cannot do without; '*sum' is all of it. */
static uint32_t broken_bits(const struct sgang_job *job, const uint64_t *broken,
			    uint64_t *sum)
{
	uint32_t d, n = sgang_fabric_domains(job->request->fabric);
	uint64_t any = 0;

	*sum = 0;
	for (d = 0; d < n; d++) {
		*sum += broken[d];
		any |= broken[d];
	}
	return any ? bits(*sum) - (uint32_t)__builtin_ctzll(any) : 0;
}

static uint64_t sum_of(const uint32_t *above, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		sum += above[i];
	return sum;
}

/* Make weights small: their sum is to have at most so many bits. What they all
 * are multiples of goes first, then what they differ in the least. */
static void shrink(uint32_t *above, uint32_t n, uint32_t most)
{
	uint32_t i, a, gcd = 0;

	for (i = 0; i < n && gcd != 1; i++) {
		for (a = above[i]; a;) {
			uint32_t rest = gcd % a;

			gcd = a;
			a = rest;
		}
	}
	for (i = 0; i < n; i++)
		above[i] /= gcd;
	while (bits(sum_of(above, n)) > most && bits(n) < most) {
		for (i = 0; i < n; i++)
			above[i] -= above[i] / 2;
	}
}

/* By position or, where the places are islands, by domain. */
static void index_weights(const struct sgang_job *job, const uint32_t *above,
			  struct sgang_coin *coin)
{
	const struct sgang_fabric *fabric = job->request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	bool inside = sgang_plan_lowest(job->request) < SGANG_LEVEL_LEAF;
	uint32_t n = sgang_fabric_nodes(fabric), pos;
	uint32_t *list = sgang_pool_zalloc(
		job->pool, inside ? sgang_fabric_domains(fabric) : n,
		sizeof(*list));

	for (pos = 0; pos < n; pos++) {
		uint32_t at = inside ? sgang_fabric_leaf(fabric, order[pos]) :
				       pos;

		if (above[order[pos]] > list[at])
			list[at] = above[order[pos]];
	}
	if (inside)
		coin->in = list;
	else
		coin->at = list;
}

struct sgang_coin *sgang_coin_find(const struct sgang_job *job,
				   const uint64_t *broken)
{
	const struct sgang_plan_request *request = job->request;
	uint32_t n = sgang_fabric_nodes(request->fabric);
	uint32_t cost_bits, other_bits, weight_bits, *above;
	struct sgang_coin *coin;
	uint64_t sum;

	if (!sgang_plan_weights_differ(request))
		return NULL;
	coin = sgang_pool_zalloc(job->pool, 1, sizeof(*coin));
	above = sgang_pool_alloc(job->pool, n, sizeof(*above));
	cost_bits = bits(most_cost(job));
	if (!find_above(job, above) ||
	    cost_bits + WEIGHT_BITS_LEAST > PRICE_BITS)
		return NULL;
	other_bits = cost_bits + broken_bits(job, broken, &sum);
	weight_bits = other_bits + WEIGHT_BITS_LEAST < PRICE_BITS ?
			      PRICE_BITS - other_bits :
			      WEIGHT_BITS_LEAST;
	shrink(above, n, weight_bits);
	weight_bits = bits(sum_of(above, n));
	if (cost_bits + weight_bits > PRICE_BITS)
		return NULL;
	index_weights(job, above, coin);
	coin->cost = request->weight_first ? 1 : UINT64_C(1) << weight_bits;
	coin->weight = request->weight_first ? UINT64_C(1) << cost_bits : 1;
	coin->tie = sum + 1;
	return coin;
}

uint64_t sgang_coin_cost(const struct sgang_coin *coin, uint64_t price)
{
	if (!coin)
		return price;
	return coin->weight > 1 ? price % coin->weight : price / coin->cost;
}

uint64_t sgang_coin_weight(const struct sgang_coin *coin, uint64_t price)
{
	if (!coin)
		return 0;
	return coin->weight > 1 ? price / coin->weight : price % coin->cost;
}

uint32_t sgang_coin_above(const struct sgang_job *job, uint32_t node)
{
	const struct sgang_fabric *fabric = job->request->fabric;

	if (job->coin->at)
		return job->coin->at[sgang_fabric_pos(fabric)[node]];
	return job->coin->in[sgang_fabric_leaf(fabric, node)];
}

bool sgang_coin_better(const struct sgang_coin *coin, uint64_t cost_a,
		       uint64_t tie_a, uint64_t cost_b, uint64_t tie_b)
{
	if (coin && coin->weight > coin->cost &&
	    tie_a / coin->tie != tie_b / coin->tie)
		return tie_a < tie_b;
	return cost_a < cost_b || (cost_a == cost_b && tie_a < tie_b);
}

uint64_t sgang_coin_tie(const struct sgang_job *job, const uint64_t *broken,
			const struct sgang_run *runs, size_t n_runs)
{
	const struct sgang_fabric *fabric = job->request->fabric;
	const struct sgang_coin *coin = job->coin;
	uint64_t tie;
	bool *seen;
	size_t i;

	tie = sgang_count_broken(job->request, job->pool, broken, runs, n_runs);
	if (!coin)
		return tie;
	seen = sgang_pool_zalloc(job->pool,
				 coin->at ? sgang_fabric_nodes(fabric) :
					    sgang_fabric_domains(fabric),
				 sizeof(*seen));
	for (i = 0; i < n_runs; i++) {
		uint32_t at = coin->at ?
				      sgang_fabric_pos(fabric)[runs[i].node] :
				      sgang_fabric_leaf(fabric, runs[i].node);

		if (!seen[at])
			tie += sgang_coin_at(coin, at) +
			       sgang_coin_in(coin, at);
		seen[at] = true;
	}
	return tie;
}

uint64_t sgang_plan_weight(const struct sgang_plan_request *asked,
			   struct sgang_pool *pool,
			   const struct sgang_placement *placement)
{
	struct sgang_plan_request request = *asked;
	struct sgang_job job = { .request = &request,
				 .pool = sgang_pool_inside(pool) };
	uint64_t *broken = sgang_pool_zalloc(
		job.pool, sgang_fabric_domains(request.fabric),
		sizeof(*broken));
	uint64_t weight;

	request.n_dims = sgang_plan_dims(&request);
	sgang_job_find_kinds(&job);
	job.coin = sgang_coin_find(&job, broken);
	/* nothing being broken, a tie is a weight */
	weight = sgang_coin_tie(&job, broken, placement->runs,
				placement->n_runs);
	sgang_pool_end(job.pool);
	return weight;
}

/* What sgang_plan_weigh() was asked. */
struct question {
	const struct sgang_plan_request *asked;
	const struct sgang_placement *placement;
	uint64_t *weight;
};

static int weigh(struct sgang_pool *pool, void *arg)
{
	struct question *q = arg;

	*q->weight = sgang_plan_weight(q->asked, pool, q->placement);
	return 0;
}

int sgang_plan_weigh(const struct sgang_plan_request *asked,
		     const struct sgang_placement *placement, uint64_t *weight)
{
	struct question q = { asked, placement, weight };

	return sgang_pool_run(weigh, &q);
}

bool sgang_plan_by_weight(const struct sgang_plan_request *request)
{
	return request->weight_first && sgang_plan_weights_differ(request);
}
