/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shared.h - a list that grows while it is read, then is shared and not changed
 *
 * Its struct begins with struct sgang_shared and ends with the items.
 */

#ifndef SGANG_SHARED_H
#define SGANG_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct sgang_shared {
	atomic_uint users;
	size_t count;
	size_t room;
};

/* The list with room for one item more, of 'item' bytes, behind 'head' bytes;
 * it may have moved. 'list' is NULL at first: the head is then 0, and there is
 * one user. NULL without memory; the list is then as it was. */
void *sgang_shared_grow(void *list, size_t head, size_t item);

/* Add a user, or take one away. NULL is fine. */
void sgang_shared_take(void *list);

/* Returns whether it was the last one, who frees the list. Keeps errno. */
bool sgang_shared_leave(void *list);

#endif
