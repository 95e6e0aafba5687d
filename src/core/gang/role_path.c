/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_path.c - the place of a member in its gang's tree of groups */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "role_path.h"

/* ---- names ---- */

static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return length && length < SGANG_ROLE_NAME_SIZE && name[0] != '-' &&
	       name[length - 1] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* Copy up to one of 'ends'. Returns what follows, or NULL when it is too long.
 */
static const char *take_word(const char *at, const char *ends, char *word,
			     size_t size)
{
	size_t length = strcspn(at, ends);

	if (length >= size)
		return NULL;
	memcpy(word, at, length);
	word[length] = '\0';
	return at + length;
}

/* ---- needs ---- */

static int set_level(char level[SGANG_LEVEL_NAME_SIZE], const char *key,
		     const char *value, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (strlen(value) >= SGANG_LEVEL_NAME_SIZE ||
	    !sgang_policy_is_level(value))
		return sgang_errf(err, EINVAL,
				  "%s=%s: expected the name of a level of the "
				  "fabric, such as leaf",
				  key, sgang_text_show(shown, value));
	strcpy(level, value);
	return 0;
}

static int set_number(uint32_t *number, const char *key, const char *value,
		      uint32_t min, uint32_t max, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t read;

	if (sgang_text_number(value, min, max, &read))
		return sgang_errf(err, EINVAL,
				  "%s=%s: expected a number from %" PRIu32
				  " to %" PRIu32,
				  key, sgang_text_show(shown, value), min, max);
	*number = (uint32_t)read;
	return 0;
}

static int set_min(struct sgang_role_group *g, const char *value,
		   struct sgang_error *err)
{
	return set_number(&g->min, "min", value, 1, SGANG_ROLE_MIN_MAX, err);
}

static int set_weight(struct sgang_role_group *g, const char *value,
		      struct sgang_error *err)
{
	g->weight_set = true;
	return set_number(&g->weight, "weight", value, 0, SGANG_ROLE_WEIGHT_MAX,
			  err);
}

static int set_require(struct sgang_role_group *g, const char *value,
		       struct sgang_error *err)
{
	return set_level(g->require, "require", value, err);
}

static int set_prefer(struct sgang_role_group *g, const char *value,
		      struct sgang_error *err)
{
	return set_level(g->prefer, "prefer", value, err);
}

/* To add one: a row here, a line in role_path.h, a paragraph in spank_gang.8,
 * a field that role_tree.c merges. */
static const struct {
	const char *key;
	int (*set)(struct sgang_role_group *g, const char *value,
		   struct sgang_error *err);
} needs[] = {
	{ "min", set_min },
	{ "prefer", set_prefer },
	{ "require", set_require },
	{ "weight", set_weight },
};
#define N_NEEDS (sizeof(needs) / sizeof(needs[0]))

/* Read "min=2" behind a colon. 'seen' has a bit for each need that was said of
 * the group. */
static int read_need(struct sgang_role_group *g, char *word, uint32_t *seen,
		     struct sgang_error *err)
{
	char *value = strchr(word, '='), shown[SGANG_TEXT_SHOWN];
	size_t i;

	if (value)
		*value++ = '\0';
	for (i = 0; value && i < N_NEEDS; i++) {
		if (strcmp(needs[i].key, word))
			continue;
		if (*seen >> i & 1)
			return sgang_errf(err, EINVAL,
					  "%s is said twice of the group %s",
					  word, g->name);
		*seen |= 1u << i;
		return needs[i].set(g, value, err);
	}
	return sgang_errf(err, EINVAL,
			  "\"%s\": expected min=N, require=LEVEL, "
			  "prefer=LEVEL or weight=N behind the colon",
			  sgang_text_show(shown, word));
}

/* ---- paths ---- */

static const char *read_group(const char *at, struct sgang_role_group *g,
			      struct sgang_error *err)
{
	char word[SGANG_ROLE_NAME_SIZE], shown[SGANG_TEXT_SHOWN];
	uint32_t seen = 0;

	memset(g, 0, sizeof(*g));
	at = take_word(at, ":/", g->name, sizeof(g->name));
	if (!at || !is_name(g->name)) {
		sgang_errf(err, EINVAL,
			   "expected names of groups such as replica1/decode: "
			   "small letters, digits and '-' inside, each of 1 to "
			   "63 characters");
		return NULL;
	}
	while (*at == ':') {
		const char *next = take_word(at + 1, ":/", word, sizeof(word));

		if (!next) {
			sgang_errf(err, EINVAL, "\"%s\" is too long",
				   sgang_text_show(shown, at + 1));
			return NULL;
		}
		if (read_need(g, word, &seen, err))
			return NULL;
		at = next;
	}
	return at;
}

int sgang_role_path_parse(const char *text, struct sgang_role_path *path,
			  struct sgang_error *err)
{
	const char *at = text;

	path->n = 0;
	if (strlen(text) >= SGANG_ROLE_SIZE)
		return sgang_errf(err, E2BIG, "it has more than %d characters",
				  SGANG_ROLE_SIZE - 1);
	for (;;) {
		if (path->n == SGANG_ROLE_DEPTH)
			return sgang_errf(err, E2BIG,
					  "at most %d groups may be in each "
					  "other",
					  SGANG_ROLE_DEPTH);
		at = read_group(at, &path->group[path->n], err);
		if (!at)
			return -1;
		path->n++;
		if (!*at)
			return 0;
		at++; /* a slash */
	}
}

const char *sgang_role_path_names(const char *text, char names[SGANG_ROLE_SIZE])
{
	size_t used = 0;

	while (*text && used < SGANG_ROLE_SIZE - 1) {
		if (*text == ':')
			text += strcspn(text, "/");
		else
			names[used++] = *text++;
	}
	names[used] = '\0';
	return names;
}

/* The name at 'at'; returns what follows the slash, or "". */
static const char *next_name(const char *at, char name[SGANG_ROLE_SIZE])
{
	size_t length = strcspn(at, ":/");

	if (length >= SGANG_ROLE_SIZE)
		length = SGANG_ROLE_SIZE - 1;
	memcpy(name, at, length);
	name[length] = '\0';
	at += length;
	at += strcspn(at, "/");
	return at + (*at == '/');
}

int sgang_role_path_order(const char *a, const char *b)
{
	char one[SGANG_ROLE_SIZE], two[SGANG_ROLE_SIZE];
	int rc;

	if (!strcmp(a, b))
		return 0;
	while (*a && *b) {
		a = next_name(a, one);
		b = next_name(b, two);
		rc = sgang_text_compare(one, two);
		if (!rc)
			rc = strcmp(one, two);
		if (rc)
			return rc;
	}
	return (*a != '\0') - (*b != '\0');
}

/* ---- the other way ---- */

static void put_group(FILE *out, const struct sgang_role_group *g)
{
	fputs(g->name, out);
	if (g->min)
		fprintf(out, ":min=%" PRIu32, g->min);
	if (g->require[0])
		fprintf(out, ":require=%s", g->require);
	if (g->prefer[0])
		fprintf(out, ":prefer=%s", g->prefer);
	if (g->weight_set)
		fprintf(out, ":weight=%" PRIu32, g->weight);
}

const char *sgang_role_path_write(const struct sgang_role_path *path,
				  char text[SGANG_ROLE_SIZE])
{
	char whole[SGANG_ROLE_DEPTH * 256] = "";
	FILE *out = fmemopen(whole, sizeof(whole), "w");
	uint32_t i;

	if (!out)
		return NULL;
	for (i = 0; i < path->n; i++) {
		if (i)
			fputc('/', out);
		put_group(out, &path->group[i]);
	}
	if (fclose(out) || strlen(whole) >= SGANG_ROLE_SIZE)
		return NULL;
	strcpy(text, whole);
	return text;
}

/* ---- lists ---- */

bool sgang_role_path_next(const char **at, char text[SGANG_ROLE_SIZE])
{
	size_t length = strcspn(*at, ",");

	if (!**at)
		return false;
	snprintf(text, SGANG_ROLE_SIZE, "%.*s", (int)length, *at);
	if (length >= SGANG_ROLE_SIZE)
		text[SGANG_ROLE_SIZE - 2] = '/';
	*at += length + ((*at)[length] == ',');
	return true;
}

int sgang_role_path_check_list(const char *list, struct sgang_error *err)
{
	char text[SGANG_ROLE_SIZE];
	struct sgang_role_path path;
	const char *at = list;

	if (strlen(list) >= SGANG_ROLE_LIST_SIZE)
		return sgang_errf(err, E2BIG,
				  "it has more than %d characters: let members "
				  "say what their groups need, by --gang-role",
				  SGANG_ROLE_LIST_SIZE - 1);
	if (!*list || list[strlen(list) - 1] == ',')
		return sgang_errf(err, EINVAL,
				  "expected groups such as "
				  "replica1:min=2,replica1/decode:min=4");
	while (sgang_role_path_next(&at, text)) {
		if (sgang_role_path_parse(text, &path, err))
			return -1;
	}
	return 0;
}
