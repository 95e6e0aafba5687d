/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_order.h - the order of a list of nodes as text, without their names
 *
 *   n3 n7 n5 n1  ->  "1,3-2,0"
 *
 * A node is the number it has among these nodes in the order of strcmp(), from
 * 0. A range goes up or down. Whoever knows the nodes, in any order, can put
 * them into this one.
 */

#ifndef SGANG_NODE_ORDER_H
#define SGANG_NODE_ORDER_H

#include <stddef.h>

#include "core/base/err.h"

/* Longer texts are not kept: about 10,000 nodes in no order at all. */
#define SGANG_NODE_ORDER_MAX 60000

/* The order of these names, each there once. Returns a string the caller frees,
 * or NULL with ENOMEM. */
char *sgang_node_order_write(const char *const *names, size_t n);

/* Put the names, which may come in any order, into that of 'text'. Returns 0,
 * or -1 with errno EINVAL (not an order of so many nodes) or ENOMEM and 'err'
 * filled; the names are then as they were. */
int sgang_node_order_apply(const char *text, char **names, size_t n,
			   struct sgang_error *err);

#endif
