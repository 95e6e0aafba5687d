/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pool.h - memory that is given back all at once
 *
 * A pool that ends when somebody clears it: who asks it for memory looks whether
 * there is some.
 *
 * A pool of sgang_pool_run() ends with what runs in it, and so do the pools
 * inside of it. Where there is no memory, all that runs ends at once, by
 * longjmp(): who asks such a pool always gets what he asked for. So nothing that
 * runs in it may hold anything that the pool does not give back: no memory of
 * its own, no file, no lock.
 */

#ifndef SGANG_POOL_H
#define SGANG_POOL_H

#include <stddef.h>

/* Many small arrays that all end together, such as those of one plan. */
struct sgang_pool {
	struct sgang_pool_chunk *chunk;
	struct sgang_pool_block *block; /* those that can become larger */
	struct sgang_pool_kept *kept;
	struct sgang_pool_exit *exit; /* NULL: who asks is told */
	/* pools inside: the latest one; beside this one; that it is inside of */
	struct sgang_pool *inside, *beside, *outer;
};

/* 'n' pieces of 'size' bytes, not cleared; NULL when there is no memory. */
void *sgang_pool_alloc(struct sgang_pool *pool, size_t n, size_t size);
/* The same, all zero. */
void *sgang_pool_zalloc(struct sgang_pool *pool, size_t n, size_t size);
/* The same, for an array that can become larger: 'data' is NULL or what was
 * returned before, and stays when there is no memory. */
void *sgang_pool_resize(struct sgang_pool *pool, void *data, size_t n,
			size_t size);
/* 'thing' ends with the pool, or at once when there is no memory. A NULL is
 * none. Returns 'thing', or NULL. */
void *sgang_pool_keep(struct sgang_pool *pool, void *thing,
		      void (*end)(void *thing));
/* Keeps errno. */
void sgang_pool_clear(struct sgang_pool *pool);

/* Run something in a pool of its own, and return what it does; -1 with ENOMEM
 * when there is no memory. */
int sgang_pool_run(int (*run)(struct sgang_pool *pool, void *arg), void *arg);

/* A pool inside of a pool that runs: it ends with that, or before. */
struct sgang_pool *sgang_pool_inside(struct sgang_pool *outer);
/* Keeps errno. */
void sgang_pool_end(struct sgang_pool *pool);

#endif
