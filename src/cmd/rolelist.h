/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rolelist.h - the groups of a gang that is a tree, as JSON */

#ifndef SGANG_ROLELIST_H
#define SGANG_ROLELIST_H

#include <json-c/json.h>

#include "cmd/gangs.h"

/* Add a row for each group, in depth-first order: its names, what it needs, and
 * how many of its members or groups there are; none for a gang that is no tree,
 * or without memory. */
void sgang_rolelist_put(const struct sgang_gang *gang,
			struct json_object *list);

#endif
