/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_bits.h - sets of up to 64 nodes as bits, node 0 the lowest
 *
 * Included by tests, after unit.h.
 */

#ifndef TESTS_NODE_BITS_H
#define TESTS_NODE_BITS_H

#include <stdint.h>

#include "core/base/nodeset.h"

/* Returns a set for 'n_nodes' nodes, to be destroyed by the caller. */
static inline struct sgang_nodeset *set_of(uint64_t bits, uint32_t n_nodes)
{
	struct sgang_nodeset *set = sgang_nodeset_create(n_nodes);

	assert_non_null(set);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (bits >> n & 1)
			sgang_nodeset_add(set, n);
	}
	return set;
}

static inline uint64_t bits_of(const struct sgang_nodeset *set,
			       uint32_t n_nodes)
{
	uint64_t bits = 0;

	for (uint32_t n = 0; n < n_nodes; n++)
		bits |= (uint64_t)sgang_nodeset_has(set, n) << n;
	return bits;
}

#endif
