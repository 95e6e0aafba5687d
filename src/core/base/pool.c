/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pool.c - memory that is given back all at once
 *
 * Small arrays are cut from a few large chunks.
 */

#include <errno.h>
#include <setjmp.h>
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

struct sgang_pool_block {
	struct sgang_pool_block *next;
	__attribute__((aligned(ALIGN))) char data[];
};

struct sgang_pool_kept {
	struct sgang_pool_kept *next;
	void *thing;
	void (*end)(void *thing);
};

struct sgang_pool_exit {
	jmp_buf to;
};

/* There is no memory. */
static void *leave(struct sgang_pool *pool)
{
	errno = ENOMEM;
	if (pool->exit)
		longjmp(pool->exit->to, 1);
	return NULL;
}

/* False: no memory has so many. */
static bool count_bytes(size_t n, size_t size, size_t *bytes)
{
	return !__builtin_mul_overflow(n, size, bytes) &&
	       *bytes <= SIZE_MAX / 2;
}

/* A chunk for arrays of so many bytes together; NULL: there is no memory. */
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

	if (!count_bytes(n, size, &bytes))
		return leave(pool);
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (!chunk || bytes > chunk->size - chunk->used) {
		bool large = zero && bytes > CHUNK_SIZE;

		chunk = add_chunk(pool, bytes, large);
		if (!chunk)
			return leave(pool);
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

void *sgang_pool_resize(struct sgang_pool *pool, void *data, size_t n,
			size_t size)
{
	struct sgang_pool_block **at = &pool->block, *block;
	size_t bytes;

	while (data && (*at)->data != data)
		at = &(*at)->next;
	if (!count_bytes(n, size, &bytes))
		return leave(pool);
	block = realloc(data ? *at : NULL, sizeof(*block) + bytes);
	if (!block)
		return leave(pool);
	if (!data)
		block->next = pool->block;
	*at = block;
	return block->data;
}

void *sgang_pool_keep(struct sgang_pool *pool, void *thing,
		      void (*end)(void *thing))
{
	struct sgang_pool_kept *kept;

	if (!thing)
		return leave(pool);
	kept = malloc(sizeof(*kept));
	if (!kept) {
		end(thing);
		return leave(pool);
	}
	*kept = (struct sgang_pool_kept){ pool->kept, thing, end };
	pool->kept = kept;
	return thing;
}

static void clear_all(struct sgang_pool *pool)
{
	while (pool->inside)
		sgang_pool_end(pool->inside);
	while (pool->kept) {
		struct sgang_pool_kept *kept = pool->kept;

		pool->kept = kept->next;
		kept->end(kept->thing);
		free(kept);
	}
	while (pool->block) {
		struct sgang_pool_block *block = pool->block;

		pool->block = block->next;
		free(block);
	}
	while (pool->chunk) {
		struct sgang_pool_chunk *chunk = pool->chunk;

		pool->chunk = chunk->next;
		free(chunk);
	}
}

void sgang_pool_clear(struct sgang_pool *pool)
{
	int saved = errno;

	clear_all(pool);
	errno = saved;
}

/* By itself: what longjmp() comes back to has no variables that change. */
static int run_in(struct sgang_pool *pool,
		  int (*run)(struct sgang_pool *pool, void *arg), void *arg)
{
	struct sgang_pool_exit here;

	pool->exit = &here;
	if (setjmp(here.to))
		return -1;
	return run(pool, arg);
}

int sgang_pool_run(int (*run)(struct sgang_pool *pool, void *arg), void *arg)
{
	struct sgang_pool pool = { NULL };
	int rc = run_in(&pool, run, arg);

	sgang_pool_clear(&pool);
	return rc;
}

struct sgang_pool *sgang_pool_inside(struct sgang_pool *outer)
{
	struct sgang_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return leave(outer);
	pool->exit = outer->exit;
	pool->outer = outer;
	pool->beside = outer->inside;
	outer->inside = pool;
	return pool;
}

void sgang_pool_end(struct sgang_pool *pool)
{
	struct sgang_pool **at = &pool->outer->inside;

	while (*at != pool)
		at = &(*at)->beside;
	*at = pool->beside;
	sgang_pool_clear(pool);
	free(pool);
}
