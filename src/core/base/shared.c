/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shared.c - a list that grows while it is read, then is shared */

#include <stdlib.h>
#include <string.h>

#include "shared.h"

void *sgang_shared_grow(void *list, size_t head, size_t item)
{
	struct sgang_shared *old = list, *all;
	size_t room;

	if (old && old->count < old->room)
		return old;
	room = old ? 2 * old->room : 16;
	all = realloc(old, head + room * item);
	if (!all)
		return NULL;
	if (!old) {
		memset(all, 0, head);
		atomic_init(&all->users, 1);
	}
	all->room = room;
	return all;
}

void sgang_shared_take(void *list)
{
	struct sgang_shared *all = list;

	if (all)
		atomic_fetch_add(&all->users, 1);
}

bool sgang_shared_leave(void *list)
{
	struct sgang_shared *all = list;

	return all && atomic_fetch_sub(&all->users, 1) == 1;
}
