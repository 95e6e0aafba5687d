/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel.c - what communication groups cost in a fabric */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "parallel.h"

/* -- what the groups cost -- */

/* The rings of one group: rank, the next rank 'stride' further on. */
static bool add_group(const struct sgang_fabric *fabric,
		      const struct sgang_costs *costs, const uint32_t *node,
		      const struct sgang_parallel *parallel, uint32_t number,
		      uint32_t stride, struct sgang_parallel_cost *cost)
{
	uint32_t size = parallel->group[number].size, level;
	uint64_t ranks = sgang_parallel_ranks(parallel), rank, product, sum = 0;
	uint64_t hops[SGANG_LEVELS] = { 0 };

	for (rank = 0; size > 1 && rank < ranks; rank++) {
		uint64_t next = rank + stride;

		if (rank / stride % size == size - 1)
			next -= (uint64_t)size * stride;
		hops[sgang_fabric_meet(fabric, node[rank], node[next])]++;
	}
	for (level = 0; level < SGANG_LEVELS; level++) {
		if (__builtin_mul_overflow(hops[level], costs->hop[level],
					   &product) ||
		    __builtin_add_overflow(sum, product, &sum))
			return false;
		if (hops[level])
			cost->group[number].tier = level;
		if (level > costs->leaf)
			cost->group[number].cross_links += hops[level];
	}
	cost->group[number].cost = sum;
	return !__builtin_mul_overflow(sum, parallel->group[number].weight,
				       &product) &&
	       !__builtin_add_overflow(cost->weighted, product,
				       &cost->weighted);
}

/* node[r] becomes the node of rank r. */
static void find_nodes(const struct sgang_run *runs, size_t n_runs,
		       const uint32_t *layout, uint32_t *node)
{
	uint32_t position = 0, k;
	size_t i;

	for (i = 0; i < n_runs; i++)
		for (k = 0; k < runs[i].ranks; k++, position++)
			node[layout ? layout[position] : position] =
				runs[i].node;
}

int sgang_parallel_measure(const struct sgang_fabric *fabric,
			   const struct sgang_costs *costs,
			   const struct sgang_run *runs, size_t n_runs,
			   const struct sgang_parallel *parallel,
			   const uint32_t *layout,
			   struct sgang_parallel_cost *cost,
			   struct sgang_error *err)
{
	struct sgang_parallel_cost sum = { 0 };
	uint32_t *node, g, stride = 1;
	uint64_t ranks = 0;
	bool fine = true;
	size_t i;

	for (i = 0; i < n_runs; i++)
		ranks += runs[i].ranks;
	if (sgang_parallel_check(parallel, ranks, err))
		return -1;
	node = malloc(ranks * sizeof(*node));
	if (!node)
		return sgang_err_memory(err);
	find_nodes(runs, n_runs, layout, node);
	for (g = 0; g < parallel->n && fine; g++) {
		fine = add_group(fabric, costs, node, parallel, g, stride,
				 &sum);
		stride *= parallel->group[g].size;
	}
	free(node);
	if (!fine)
		return sgang_errf(err, EINVAL,
				  "hop costs or weights are too "
				  "large to be added up");
	*cost = sum;
	return 0;
}

/* -- the order of ranks -- */

bool sgang_parallel_layout(const struct sgang_parallel *parallel,
			   const struct sgang_parallel_digit *digits,
			   uint32_t n_digits, uint32_t *layout)
{
	uint32_t stride[SGANG_PARALLEL_MAX], step, filled = 1, i, k, at;
	bool same = true;

	for (i = 0, step = 1; i < parallel->n; i++) {
		stride[i] = step;
		step *= parallel->group[i].size;
	}
	/* each digit repeats what is there, shifted */
	layout[0] = 0;
	for (i = 0; i < n_digits; i++) {
		for (k = 1; k < digits[i].size; k++) {
			for (at = 0; at < filled; at++)
				layout[k * filled + at] =
					layout[at] +
					k * stride[digits[i].group];
		}
		filled *= digits[i].size;
		stride[digits[i].group] *= digits[i].size;
	}
	for (i = 0; i < filled && same; i++)
		same = layout[i] == i;
	return same;
}

uint32_t sgang_parallel_heaviest_first(
	const struct sgang_parallel *parallel,
	struct sgang_parallel_digit digits[SGANG_PARALLEL_MAX])
{
	uint32_t i, at;

	for (i = 0; i < parallel->n; i++) {
		uint32_t weight = parallel->group[i].weight;

		for (at = i;
		     at &&
		     parallel->group[digits[at - 1].group].weight < weight;
		     at--)
			digits[at] = digits[at - 1];
		digits[at].group = i;
		digits[at].size = parallel->group[i].size;
	}
	return parallel->n;
}
