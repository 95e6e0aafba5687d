/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pool.c - memory that is given back all at once
 *
 * Small arrays are cut from a few large chunks.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

#define CHUNK_SIZE (64u << 10)
#define ALIGN 16 /* enough for every type */

struct sgang_pool_chunk {
	struct sgang_pool_chunk *next;
	size_t used;
	size_t size;
	__attribute__((aligned(ALIGN))) char data[];
};

/* A chunk for arrays of so many bytes together. */
static struct sgang_pool_chunk *add_chunk(struct sgang_pool *pool, size_t bytes,
					  bool zero)
{
	struct sgang_pool_chunk *chunk;
	size_t room = bytes > CHUNK_SIZE ? bytes : CHUNK_SIZE;

	chunk = zero ? calloc(1, sizeof(*chunk) + room) :
		       malloc(sizeof(*chunk) + room);
	if (!chunk)
		return NULL;
	chunk->next = pool->chunk;
	chunk->used = 0;
	chunk->size = room;
	pool->chunk = chunk;
	return chunk;
}

/* Pages of a large array that is zero come from the kernel when they are
 * touched, so a table that stays mostly empty costs next to nothing. */
static void *cut(struct sgang_pool *pool, size_t n, size_t size, bool zero)
{
	struct sgang_pool_chunk *chunk = pool->chunk;
	size_t bytes;
	void *data;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
		errno = ENOMEM;
		return NULL;
	}
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (!chunk || bytes > chunk->size - chunk->used) {
		bool large = zero && bytes > CHUNK_SIZE;

		chunk = add_chunk(pool, bytes, large);
		if (!chunk)
			return NULL;
		zero &= !large;
	}
	data = chunk->data + chunk->used;
	chunk->used += bytes;
	return zero ? memset(data, 0, bytes) : data;
}

void *sgang_pool_alloc(struct sgang_pool *pool, size_t n, size_t size)
{
	return cut(pool, n, size, false);
}

void *sgang_pool_zalloc(struct sgang_pool *pool, size_t n, size_t size)
{
	return cut(pool, n, size, true);
}

void sgang_pool_clear(struct sgang_pool *pool)
{
	int saved = errno;

	while (pool->chunk) {
		struct sgang_pool_chunk *chunk = pool->chunk;

		pool->chunk = chunk->next;
		free(chunk);
	}
	errno = saved;
}
