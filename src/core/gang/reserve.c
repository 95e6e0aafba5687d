/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reserve.c - the groups that --gang-reserve keeps nodes for */

#include <errno.h>
#include <string.h>

#include "core/base/text.h"
#include "reserve.h"

static int wrong_form(struct sgang_error *err)
{
	return sgang_errf(err, EINVAL,
			  "expected groups and their members such as "
			  "driver:1,executor:8");
}

/* Split "GROUP:N", which is changed. */
static int split(char *text, struct sgang_reserve *reserve,
		 struct sgang_error *err)
{
	char *colon = strrchr(text, ':');
	struct sgang_role_path path;
	uint64_t members;

	if (!colon || strchr(text, ':') != colon ||
	    sgang_text_number(colon + 1, 1, SGANG_ROLE_MIN_MAX, &members))
		return wrong_form(err);
	*colon = '\0';
	if (sgang_role_path_parse(text, &path, err))
		return -1;
	if (path.n > 1)
		return sgang_errf(err, EINVAL,
				  "groups in groups have their place in the "
				  "file of sgang submit");
	strcpy(reserve->group, path.group[0].name);
	reserve->members = (uint32_t)members;
	return 0;
}

bool sgang_reserve_next(const char **at, struct sgang_reserve *reserve)
{
	char text[SGANG_ROLE_SIZE];

	return sgang_role_path_next(at, text) && !split(text, reserve, NULL);
}

bool sgang_reserve_find(const char *list, const char *group,
			struct sgang_reserve *reserve)
{
	while (sgang_reserve_next(&list, reserve)) {
		if (!strcmp(reserve->group, group))
			return true;
	}
	return false;
}

int sgang_reserve_check(const char *list, struct sgang_error *err)
{
	struct sgang_reserve reserve, other;
	char text[SGANG_ROLE_SIZE];

	if (strlen(list) >= SGANG_ROLE_LIST_SIZE)
		return sgang_errf(err, E2BIG, "it has more than %d characters",
				  SGANG_ROLE_LIST_SIZE - 1);
	if (!*list || list[strlen(list) - 1] == ',')
		return wrong_form(err);
	while (sgang_role_path_next(&list, text)) {
		if (split(text, &reserve, err))
			return -1;
		if (sgang_reserve_find(list, reserve.group, &other))
			return sgang_errf(err, EINVAL,
					  "group %s is there twice",
					  reserve.group);
	}
	return 0;
}
