/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel.c - communication groups over the ranks of a gang */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/gang/policy.h"
#include "parallel.h"

/* Two lists of SGANG_PARALLEL_MAX words, each as long as it can be, are not
 * longer unless numbers begin with zeros. */
#define TEXT_MAX 512

/* -- reading -- */

static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return length && length <= SGANG_PARALLEL_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

/* Cut "tp=8" at its '=' and read the number. */
static int read_word(char *word, uint64_t min, uint64_t max, uint32_t *number,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	char *value = strchr(word, '=');
	uint64_t read;

	if (!value)
		return sgang_errf(err, EINVAL,
				  "\"%s\": expected GROUP=NUMBER "
				  "like tp=8",
				  sgang_text_show(shown, word));
	*value++ = '\0';
	if (!is_name(word))
		return sgang_errf(err, EINVAL,
				  "\"%s\": the name of a group "
				  "has 1 to %d of the characters a-z, 0-9, '_' "
				  "and '-'",
				  sgang_text_show(shown, word),
				  SGANG_PARALLEL_NAME_MAX);
	if (sgang_text_number(value, min, max, &read))
		return sgang_errf(err, EINVAL,
				  "%s=%s: expected a number from "
				  "%" PRIu64 " to %" PRIu64,
				  word, sgang_text_show(shown, value), min,
				  max);
	*number = (uint32_t)read;
	return 0;
}

/* Weights as in the textbook's 100, 10, 1. */
static uint32_t default_weight(uint32_t number)
{
	static const uint32_t weights[] = { 100, 10, 1 };

	return weights[number < 2 ? number : 2];
}

static int add_size(char *word, struct sgang_parallel *parallel,
		    struct sgang_error *err)
{
	struct sgang_parallel_group *group = &parallel->group[parallel->n];
	uint32_t size;

	if (read_word(word, 1, SGANG_PARALLEL_SIZE_MAX, &size, err))
		return -1;
	if (sgang_parallel_find(parallel, word) >= 0)
		return sgang_errf(err, EINVAL, "the group %s is named twice",
				  word);
	if (parallel->n == SGANG_PARALLEL_MAX)
		return sgang_errf(err, EINVAL, "there are at most %d groups",
				  SGANG_PARALLEL_MAX);
	strcpy(group->name, word);
	group->size = size;
	group->weight = default_weight(parallel->n);
	parallel->n++;
	if (sgang_parallel_ranks(parallel) > INT32_MAX)
		return sgang_errf(err, EINVAL,
				  "the groups make more than %d "
				  "ranks",
				  INT32_MAX);
	return 0;
}

/* Weights that were given are marked in 'given', a bit for each group. */
static int add_weight(char *word, struct sgang_parallel *parallel,
		      uint32_t *given, struct sgang_error *err)
{
	uint32_t weight;
	int group;

	if (read_word(word, 0, SGANG_PARALLEL_WEIGHT_MAX, &weight, err))
		return -1;
	group = sgang_parallel_find(parallel, word);
	if (group < 0)
		return sgang_errf(err, EINVAL,
				  "there is a weight for %s, but "
				  "no group of that name",
				  word);
	if (*given & 1u << group)
		return sgang_errf(err, EINVAL,
				  "the weight of %s is given "
				  "twice",
				  word);
	*given |= 1u << group;
	parallel->group[group].weight = weight;
	return 0;
}

static int read_weights(char *list, struct sgang_parallel *parallel,
			struct sgang_error *err)
{
	uint32_t given = 0, i;
	char *word;

	while ((word = strsep(&list, ",")))
		if (add_weight(word, parallel, &given, err))
			return -1;
	for (i = 0; i < parallel->n; i++)
		if (!(given & 1u << i))
			return sgang_errf(err, EINVAL,
					  "the weight of %s is "
					  "missing; give all weights or none",
					  parallel->group[i].name);
	return 0;
}

int sgang_parallel_parse(const char *text, struct sgang_parallel *parallel,
			 struct sgang_error *err)
{
	struct sgang_parallel read = { .n = 0 };
	char copy[TEXT_MAX], *sizes = copy, *weights, *word;

	if (strlen(text) >= sizeof(copy))
		return sgang_errf(err, EINVAL,
				  "this is too long, expected at "
				  "most %d groups like tp=8,dp=4,pp=2",
				  SGANG_PARALLEL_MAX);
	strcpy(copy, text);
	weights = strchr(copy, ':');
	if (weights)
		*weights++ = '\0';
	while ((word = strsep(&sizes, ",")))
		if (add_size(word, &read, err))
			return -1;
	if (weights && read_weights(weights, &read, err))
		return -1;
	*parallel = read;
	return 0;
}

/* -- the rest -- */

const char *sgang_parallel_format(char shown[SGANG_PARALLEL_SHOWN],
				  const struct sgang_parallel *parallel)
{
	size_t used = 0;
	uint32_t i;

	shown[0] = '\0';
	for (i = 0; i < parallel->n; i++)
		used += (size_t)snprintf(shown + used,
					 SGANG_PARALLEL_SHOWN - used,
					 "%s%s=%" PRIu32, i ? "," : "",
					 parallel->group[i].name,
					 parallel->group[i].size);
	for (i = 0; i < parallel->n; i++)
		used += (size_t)snprintf(shown + used,
					 SGANG_PARALLEL_SHOWN - used,
					 "%s%s=%" PRIu32, i ? "," : ":",
					 parallel->group[i].name,
					 parallel->group[i].weight);
	return shown;
}

uint64_t sgang_parallel_ranks(const struct sgang_parallel *parallel)
{
	uint64_t ranks = 1;
	uint32_t i;

	for (i = 0; i < parallel->n; i++)
		ranks *= parallel->group[i].size;
	return ranks;
}

int sgang_parallel_check(const struct sgang_parallel *parallel, uint64_t ranks,
			 struct sgang_error *err)
{
	uint64_t laid = sgang_parallel_ranks(parallel);
	char shown[SGANG_PARALLEL_SHOWN];

	if (laid == ranks)
		return 0;
	sgang_parallel_format(shown, parallel);
	shown[strcspn(shown, ":")] = '\0';
	return sgang_errf(err, EINVAL,
			  "the groups %s make %" PRIu64 " rank%s, "
			  "but the gang has %" PRIu64,
			  shown, laid, laid == 1 ? "" : "s", ranks);
}

int sgang_parallel_find(const struct sgang_parallel *parallel, const char *name)
{
	uint32_t i;

	for (i = 0; i < parallel->n; i++)
		if (!strcmp(parallel->group[i].name, name))
			return (int)i;
	return -1;
}

int sgang_parallel_require(const struct sgang_parallel *parallel,
			   const struct sgang_policy *policy,
			   const struct sgang_costs *costs,
			   uint32_t require[SGANG_PARALLEL_MAX],
			   struct sgang_error *err)
{
	uint32_t found[SGANG_PARALLEL_MAX], i;

	for (i = 0; i < SGANG_PARALLEL_MAX; i++)
		found[i] = SGANG_LEVEL_UNCONNECTED;
	for (i = 0; i < policy->n_groups; i++) {
		const char *name = policy->group[i].group;
		const char *wanted = policy->group[i].level;
		int group = sgang_parallel_find(parallel, name);
		int level = sgang_costs_level(costs, wanted);

		if (group < 0)
			return sgang_errf(err, EINVAL,
					  "require:%s:%s: there "
					  "is no communication group \"%s\"",
					  name, wanted, name);
		if (level < 0)
			return sgang_errf(err, EINVAL,
					  "require:%s:%s: there "
					  "is no level \"%s\"; LevelNames of "
					  "gang.conf names them",
					  name, wanted, wanted);
		found[group] = (uint32_t)level;
	}
	memcpy(require, found, sizeof(found));
	return 0;
}

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
		return sgang_errf(err, ENOMEM, "out of memory");
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
