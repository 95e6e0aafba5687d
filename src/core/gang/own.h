/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.h - whose word counts for whose jobs
 *
 * In the namespace of an account several users meet in one gang. A policy that
 * ends, requeues or holds jobs (--gang-on-failure, --gang-waiting-time) counts
 * for a user's jobs only if one of that user's own members says it, else a
 * definition of that user's, an operator's or in gang.conf. Once a member has
 * started, what becomes of it is settled.
 */

#ifndef SGANG_OWN_H
#define SGANG_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gang.h"

/* Each policy that is settled when a member starts: a field of that name in what
 * is said, in the member and in its record. */
#define SGANG_OWN_POLICIES(EACH) \
	EACH(on_failure)         \
	EACH(max_restarts)       \
	EACH(on_stale)           \
	EACH(stale_grace)        \
	EACH(on_success)         \
	EACH(on_drain)

struct sgang_own_definition {
	const struct sgang_spec *spec; /* NULL: there is none */
	bool for_all;                  /* an operator's, or in gang.conf */
	uint32_t uid;                  /* else: whose it is */
};

/* Fill `waiting_time` and the own options of each member. If a user's members
 * say different things the oldest member counts, and of definitions the first.
 * O(n log n). Returns 0, or -1 with ENOMEM. */
int sgang_own_settle(struct sgang_member *const *members, size_t n,
		     const struct sgang_own_definition *definitions,
		     size_t n_definitions);

#endif
