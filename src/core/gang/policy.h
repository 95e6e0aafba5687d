/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy.h - what a gang asks of the levels of the fabric: --gang-topology
 *
 *   require:LEVEL         never above that level (4.24, 4.25)
 *   require:GROUP:LEVEL   the same for each ring of a group of --gang-parallel
 *   prefer:LEVEL[@TIME]   not above that level; after TIME anywhere
 *   spread:LEVEL          each member in another domain of that level
 *   auto                  wait for a better place as long as that pays (4.37)
 *
 * Clauses are joined by commas. A policy names levels, never nodes (4.26).
 */

#ifndef SGANG_POLICY_H
#define SGANG_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/parallel.h"

#define SGANG_POLICY_SIZE 160 /* bytes of the text of a policy */
#define SGANG_POLICY_GROUPS 8
#define SGANG_LEVEL_NAME_SIZE 32

/* Levels are named here; "" is: not said. */
struct sgang_policy {
	char require[SGANG_LEVEL_NAME_SIZE];
	char prefer[SGANG_LEVEL_NAME_SIZE];
	uint32_t prefer_time; /* seconds; 0: a wish without waiting */
	char spread[SGANG_LEVEL_NAME_SIZE];
	bool automatic;
	uint32_t n_groups;
	struct {
		char group[16];
		char level[SGANG_LEVEL_NAME_SIZE];
	} group[SGANG_POLICY_GROUPS];
};

/* Read 'text'; "" says nothing. Returns 0, or -1 with errno EINVAL (what is
 * wrong, what was expected) or E2BIG (longer than allowed) and 'err', which
 * does not repeat 'text'; '*policy' is then untouched. */
int sgang_policy_parse(const char *text, struct sgang_policy *policy,
		       struct sgang_error *err);

/* The name of the first level in it that 'costs' does not have, or NULL. */
const char *sgang_policy_unknown(const struct sgang_policy *policy,
				 const struct sgang_costs *costs);

/* The level that each group must stay within, by `require:GROUP:LEVEL`;
 * SGANG_LEVEL_UNCONNECTED where nothing is required. Returns 0, or -1 with errno
 * EINVAL and 'err' when there is no such group or no such level; 'require' is
 * then untouched. */
int sgang_policy_require(const struct sgang_parallel *parallel,
			 const struct sgang_policy *policy,
			 const struct sgang_costs *costs,
			 uint32_t require[SGANG_PARALLEL_MAX],
			 struct sgang_error *err);

/* Is it the name of a level, as far as one can tell without a fabric? */
bool sgang_policy_is_level(const char *name);

#endif
