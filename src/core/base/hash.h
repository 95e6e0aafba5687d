/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash.h - a quick hash, to tell whether something is as it was
 *
 * For comparisons within one process only: it depends on the byte order.
 */

#ifndef SGANG_HASH_H
#define SGANG_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SGANG_HASH_SEED 14695981039346656037ull

/* 'hash' with 'value' behind what is in it already. */
static inline uint64_t sgang_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* A word at a time: a pass looks at every job of every gang that waits. */
static inline uint64_t sgang_hash_bytes(uint64_t hash, const void *data,
					size_t size)
{
	const char *byte = (const char *)data;
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, byte, sizeof(word));
		hash = sgang_hash(hash, word);
		byte += sizeof(word);
	}
	word = size;
	memcpy(&word, byte, size);
	return sgang_hash(hash, word + ((uint64_t)size << 56));
}

/* NULL is a text of its own. */
static inline uint64_t sgang_hash_text(uint64_t hash, const char *text)
{
	return text ? sgang_hash_bytes(hash, text, strlen(text)) :
		      sgang_hash(hash, 1);
}

#endif
