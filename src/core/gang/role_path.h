/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_path.h - the place of a member in its gang's tree of groups
 *
 *   replica1:min=2:require=leaf/decode:min=4:weight=10
 *
 * A path of at most four names, outermost group first: --gang-role. Behind each
 * name stands what the group needs, as far as the member says it:
 *
 *   min=N          members of a group that has members, else groups in it that
 *                  have what they need (2.16)
 *   require=LEVEL  never above that level of the fabric
 *   prefer=LEVEL   not above that level, if there is room
 *   weight=N       of the ring over all members in the group
 */

#ifndef SGANG_ROLE_PATH_H
#define SGANG_ROLE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "policy.h"

#define SGANG_ROLE_DEPTH 4
#define SGANG_ROLE_NAME_SIZE 64  /* RFC 1123 label */
#define SGANG_ROLE_SIZE 384      /* bytes of such a text */
#define SGANG_ROLE_LIST_SIZE 512 /* bytes of a list of such texts */
#define SGANG_ROLE_MIN_MAX 100000
#define SGANG_ROLE_WEIGHT_MAX 1000000

struct sgang_role_group {
	char name[SGANG_ROLE_NAME_SIZE];
	uint32_t min; /* 0: not said */
	bool weight_set;
	uint32_t weight;
	char require[SGANG_LEVEL_NAME_SIZE]; /* "": not said */
	char prefer[SGANG_LEVEL_NAME_SIZE];
};

struct sgang_role_path {
	uint32_t n;
	struct sgang_role_group group[SGANG_ROLE_DEPTH];
};

/* Read 'text'. Returns 0, or -1 with errno EINVAL or E2BIG (too long, too many
 * names) and 'err', which does not repeat 'text'; '*path' is then undefined. */
int sgang_role_path_parse(const char *text, struct sgang_role_path *path,
			  struct sgang_error *err);

/* The names alone of a valid text: "replica1/decode". Returns 'names'. */
const char *sgang_role_path_names(const char *text,
				  char names[SGANG_ROLE_SIZE]);

/* Order of two valid texts by their names; numbers in them count as numbers. A
 * group comes before those in it. */
int sgang_role_path_order(const char *a, const char *b);

/* Write names and needs. Returns 'text', or NULL when it does not fit. */
const char *sgang_role_path_write(const struct sgang_role_path *path,
				  char text[SGANG_ROLE_SIZE]);

/* Take the next role off a list "PATH,PATH" at '*at'. Returns false at its end.
 * One that is too long is cut, and so is no valid one. */
bool sgang_role_path_next(const char **at, char text[SGANG_ROLE_SIZE]);

/* Read such a list, of what defines a gang. 0, or -1 as
 * sgang_role_path_parse(). */
int sgang_role_path_check_list(const char *list, struct sgang_error *err);

#endif
