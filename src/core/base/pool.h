/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pool.h - memory that is given back all at once */

#ifndef SGANG_POOL_H
#define SGANG_POOL_H

#include <stddef.h>

/* Many small arrays that all end together, such as those of one plan. */
struct sgang_pool {
	struct sgang_pool_chunk *chunk;
};

/* 'n' pieces of 'size' bytes, not cleared; NULL when there is no memory. */
void *sgang_pool_alloc(struct sgang_pool *pool, size_t n, size_t size);
/* The same, all zero. */
void *sgang_pool_zalloc(struct sgang_pool *pool, size_t n, size_t size);
/* Keeps errno. */
void sgang_pool_clear(struct sgang_pool *pool);

#endif
