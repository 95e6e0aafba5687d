/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reserve.h - the groups that --gang-reserve keeps nodes for
 *
 *   driver:1,executor:8
 *
 * Outermost groups (role_path.h) with the members that each of them needs.
 */

#ifndef SGANG_RESERVE_H
#define SGANG_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "role_path.h"

#define SGANG_RESERVED_SIZE 16 /* bytes of "1-100000" */

struct sgang_reserve {
	char group[SGANG_ROLE_NAME_SIZE]; /* "executor" */
	uint32_t members;
};

/* Check such a list. Returns 0, or -1 with errno EINVAL or E2BIG and 'err',
 * which does not repeat the list. */
int sgang_reserve_check(const char *list, struct sgang_error *err);

/* Take the next group off a list that was checked, at '*at'. False at its end.
 */
bool sgang_reserve_next(const char **at, struct sgang_reserve *reserve);

/* The group of that name in a list that was checked. False: it has none. */
bool sgang_reserve_find(const char *list, const char *group,
			struct sgang_reserve *reserve);

#endif
