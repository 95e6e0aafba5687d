/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodeset.c - a set of node indices 0..size-1
 *
 * One bit per node. Bits above size-1 in the last word are always 0, so that
 * counting and comparing need no special case.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodeset.h"

#define WORD_BITS 64

struct sgang_nodeset {
	uint32_t size;
	uint32_t n_words;
	uint64_t word[];
};

struct sgang_nodeset *sgang_nodeset_create(uint32_t size)
{
	size_t n_words = ((size_t)size + WORD_BITS - 1) / WORD_BITS;
	struct sgang_nodeset *set;

	set = calloc(1, sizeof(*set) + n_words * sizeof(set->word[0]));
	if (!set)
		return NULL;
	set->size = size;
	set->n_words = (uint32_t)n_words;
	return set;
}

struct sgang_nodeset *sgang_nodeset_copy(const struct sgang_nodeset *set)
{
	struct sgang_nodeset *copy = sgang_nodeset_create(set->size);

	if (copy)
		memcpy(copy->word, set->word,
		       set->n_words * sizeof(set->word[0]));
	return copy;
}

void sgang_nodeset_destroy(struct sgang_nodeset *set)
{
	int saved = errno;

	free(set);
	errno = saved;
}

uint32_t sgang_nodeset_size(const struct sgang_nodeset *set)
{
	return set->size;
}

uint32_t sgang_nodeset_count(const struct sgang_nodeset *set)
{
	uint32_t i, count = 0;

	for (i = 0; i < set->n_words; i++)
		count += (uint32_t)__builtin_popcountll(set->word[i]);
	return count;
}

static uint64_t bit(uint32_t node)
{
	return UINT64_C(1) << (node % WORD_BITS);
}

bool sgang_nodeset_has(const struct sgang_nodeset *set, uint32_t node)
{
	return node < set->size && (set->word[node / WORD_BITS] & bit(node));
}

void sgang_nodeset_add(struct sgang_nodeset *set, uint32_t node)
{
	if (node < set->size)
		set->word[node / WORD_BITS] |= bit(node);
}

void sgang_nodeset_remove(struct sgang_nodeset *set, uint32_t node)
{
	if (node < set->size)
		set->word[node / WORD_BITS] &= ~bit(node);
}

void sgang_nodeset_add_words(struct sgang_nodeset *set, const uint64_t *words,
			     size_t n_words)
{
	uint32_t rest = set->size % WORD_BITS;

	if (n_words > set->n_words)
		n_words = set->n_words;
	for (size_t i = 0; i < n_words; i++)
		set->word[i] |= words[i];
	if (rest && n_words == set->n_words)
		set->word[set->n_words - 1] &= ((uint64_t)1 << rest) - 1;
}

void sgang_nodeset_fill(struct sgang_nodeset *set)
{
	uint32_t spare = set->n_words * WORD_BITS - set->size;

	memset(set->word, 0xff, set->n_words * sizeof(set->word[0]));
	if (spare)
		set->word[set->n_words - 1] >>= spare;
}

void sgang_nodeset_clear(struct sgang_nodeset *set)
{
	memset(set->word, 0, set->n_words * sizeof(set->word[0]));
}

uint32_t sgang_nodeset_next(const struct sgang_nodeset *set, uint32_t from)
{
	uint32_t i = from / WORD_BITS;
	uint64_t word;

	if (from >= set->size)
		return SGANG_NODE_NONE;
	word = set->word[i] & (UINT64_MAX << (from % WORD_BITS));
	while (!word) {
		if (++i == set->n_words)
			return SGANG_NODE_NONE;
		word = set->word[i];
	}
	return i * WORD_BITS + (uint32_t)__builtin_ctzll(word);
}

void sgang_nodeset_and(struct sgang_nodeset *dst,
		       const struct sgang_nodeset *src)
{
	uint32_t i;

	for (i = 0; i < dst->n_words; i++)
		dst->word[i] &= (i < src->n_words) ? src->word[i] : 0;
}

void sgang_nodeset_or(struct sgang_nodeset *dst,
		      const struct sgang_nodeset *src)
{
	sgang_nodeset_add_words(dst, src->word, src->n_words);
}

void sgang_nodeset_subtract(struct sgang_nodeset *dst,
			    const struct sgang_nodeset *src)
{
	uint32_t i;

	for (i = 0; i < dst->n_words && i < src->n_words; i++)
		dst->word[i] &= ~src->word[i];
}

bool sgang_nodeset_intersects(const struct sgang_nodeset *a,
			      const struct sgang_nodeset *b)
{
	uint32_t i;

	for (i = 0; i < a->n_words && i < b->n_words; i++) {
		if (a->word[i] & b->word[i])
			return true;
	}
	return false;
}

bool sgang_nodeset_contains(const struct sgang_nodeset *set,
			    const struct sgang_nodeset *sub)
{
	for (uint32_t i = 0; i < sub->n_words; i++) {
		if (sub->word[i] & ~(i < set->n_words ? set->word[i] : 0))
			return false;
	}
	return true;
}

bool sgang_nodeset_equal(const struct sgang_nodeset *a,
			 const struct sgang_nodeset *b)
{
	return a->size == b->size &&
	       !memcmp(a->word, b->word, a->n_words * sizeof(a->word[0]));
}
