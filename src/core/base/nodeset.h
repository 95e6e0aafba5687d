/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodeset.h - a set of node indices 0..size-1 */

#ifndef SGANG_NODESET_H
#define SGANG_NODESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SGANG_NODE_NONE UINT32_MAX

struct sgang_nodeset;

/* An empty set over 0..size-1. Returns NULL with errno ENOMEM; the caller
 * frees it with sgang_nodeset_destroy(). */
struct sgang_nodeset *sgang_nodeset_create(uint32_t size);
struct sgang_nodeset *sgang_nodeset_copy(const struct sgang_nodeset *set);

/* NULL is fine. Keeps errno. */
void sgang_nodeset_destroy(struct sgang_nodeset *set);

uint32_t sgang_nodeset_size(const struct sgang_nodeset *set);
uint32_t sgang_nodeset_count(const struct sgang_nodeset *set);

/* A node outside 0..size-1 is not in the set and is not added to it. */
bool sgang_nodeset_has(const struct sgang_nodeset *set, uint32_t node);
void sgang_nodeset_add(struct sgang_nodeset *set, uint32_t node);
void sgang_nodeset_remove(struct sgang_nodeset *set, uint32_t node);
/* Add 64 nodes a word, the lowest bit of the first word being node 0. Bits
 * beyond the set's size are ignored. */
void sgang_nodeset_add_words(struct sgang_nodeset *set, const uint64_t *words,
			     size_t n_words);
void sgang_nodeset_fill(struct sgang_nodeset *set);
void sgang_nodeset_clear(struct sgang_nodeset *set);

/* The lowest member that is 'from' or higher; SGANG_NODE_NONE when there is
 * none. Walk: for (n = next(s, 0); n != SGANG_NODE_NONE; n = next(s, n + 1)) */
uint32_t sgang_nodeset_next(const struct sgang_nodeset *set, uint32_t from);

/* dst &= src, dst |= src, dst &= ~src. Where src is smaller, it has no node
 * beyond its size; where it is larger, what dst has no room for is ignored. */
void sgang_nodeset_and(struct sgang_nodeset *dst,
		       const struct sgang_nodeset *src);
void sgang_nodeset_or(struct sgang_nodeset *dst,
		      const struct sgang_nodeset *src);
void sgang_nodeset_subtract(struct sgang_nodeset *dst,
			    const struct sgang_nodeset *src);
bool sgang_nodeset_intersects(const struct sgang_nodeset *a,
			      const struct sgang_nodeset *b);
/* Is every member of 'sub' one of 'set'? */
bool sgang_nodeset_contains(const struct sgang_nodeset *set,
			    const struct sgang_nodeset *sub);
bool sgang_nodeset_equal(const struct sgang_nodeset *a,
			 const struct sgang_nodeset *b);

#endif
