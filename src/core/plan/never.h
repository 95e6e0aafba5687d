/* SPDX-License-Identifier: GPL-2.0-or-later */
/* never.h - can a gang ever start? Conditions that are necessary, without a plan
 *
 * What is counted here a plan would find as well, at some cost. A gang that
 * passes may still be impossible.
 */

#ifndef SGANG_NEVER_H
#define SGANG_NEVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/fabric.h"

/* Members that are alike. */
struct sgang_never_kind {
	uint32_t members;
	uint32_t units;      /* nodes of each member, which differ */
	bool whole;          /* it shares them with nobody */
	const uint32_t *fit; /* by node: how many units fit there if no
			      * job runs. Borrowed */
};

/* Is there no room for all of them, on an empty cluster, within one domain of
 * the level 'require' (-1: anywhere), or with a domain of the level 'spread'
 * for each member (-1: not asked for)? Then 'why' says so with numbers, as in
 * "5 nodes in one leaf are needed, the largest (l1) has 4". False when they may
 * fit and without memory. O(kinds * nodes). */
bool sgang_never(const struct sgang_fabric *fabric,
		 const struct sgang_costs *costs,
		 const struct sgang_never_kind *kinds, size_t n_kinds,
		 int require, int spread, char *why, size_t size);

#endif
