/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel_words.c - communication groups over the ranks of a gang, as words */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "parallel_words.h"
#include "text.h"

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

int sgang_parallel_of(const char *text, uint64_t ranks,
		      struct sgang_parallel *parallel, struct sgang_error *err)
{
	const char *open = strstr(text, "=?");
	struct sgang_parallel read;
	char copy[TEXT_MAX];
	uint64_t others;
	uint32_t group = 0;

	if (!open || strlen(text) >= sizeof(copy))
		return sgang_parallel_parse(text, parallel, err);
	strcpy(copy, text);
	copy[open - text + 1] = '1';
	for (const char *at = text; at < open; at++)
		group += *at == ',';
	if (sgang_parallel_parse(copy, &read, err))
		return -1;
	others = sgang_parallel_ranks(&read);
	if (ranks && ranks % others)
		return sgang_errf(err, EINVAL,
				  "the groups %.*s make a multiple of %" PRIu64
				  " ranks, but the gang has %" PRIu64,
				  (int)strcspn(text, ":"), text, others, ranks);
	if (ranks / others > SGANG_PARALLEL_SIZE_MAX)
		return sgang_errf(err, EINVAL,
				  "%" PRIu64 " ranks are too many for %s",
				  ranks, read.group[group].name);
	if (ranks)
		read.group[group].size = (uint32_t)(ranks / others);
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
