/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suggest.h - which sizes of communication groups suit a cluster (4.32)
 *
 * sgang place --parallel=tp=?,dp=?,pp=2 leaves sizes open: every way to fill
 * them in is planned. The cheapest would be the one with nothing but light
 * groups, which is no help. Sizes are therefore sorted so: first by a heaviest
 * group as large as an island allows, then by a second group as large as a leaf
 * allows, and only then by cost (4.30).
 */

#ifndef SGANG_SUGGEST_H
#define SGANG_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/offline.h"
#include "core/fabric/open_sizes.h"
#include "core/plan/plan.h"

struct sgang_suggestion {
	struct sgang_parallel parallel;
	bool fits; /* else the rest is 0 */
	struct sgang_parallel_cost cost;
	uint64_t cross_links; /* of the rings of all groups */
};

/* Plan all ways; 'plan' has all but the groups, which are replaced. Returns 0,
 * and in '*list', to be freed, '*n' suggestions, the best first, those that do
 * not fit last; or -1 with 'err'. */
int sgang_suggest(const struct sgang_offline *offline,
		  const struct sgang_plan_request *plan,
		  const struct sgang_open_sizes *sizes,
		  struct sgang_suggestion **list, size_t *n,
		  struct sgang_error *err);

/* Print all; as text only those that fit, a line each. */
void sgang_suggest_print(const struct sgang_costs *costs,
			 const struct sgang_suggestion *list, size_t n);

#endif
