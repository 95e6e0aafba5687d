/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition_words.c - "gpu:nvl72,cpu:tree": what holds for some partitions, or for
 * some accounts */

#include <errno.h>
#include <string.h>

#include "core/base/text.h"
#include "partition_words.h"

/* Read one word. Returns what is behind it and its comma, or NULL where it is
 * none. */
static const char *read_word(const char *text, char name[SGANG_TOPOLOGY_NAME],
			     char value[SGANG_TOPOLOGY_NAME])
{
	size_t before = strcspn(text, ":,"), after;

	if (text[before] != ':')
		return NULL;
	after = strcspn(text + before + 1, ",");
	if (!before || before >= SGANG_TOPOLOGY_NAME || !after ||
	    after >= SGANG_TOPOLOGY_NAME)
		return NULL;
	memcpy(name, text, before);
	name[before] = '\0';
	memcpy(value, text + before + 1, after);
	value[after] = '\0';
	text += before + 1 + after;
	if (*text == ',' && text[1])
		return text + 1;
	return *text ? NULL : text;
}

bool sgang_partition_words_get(const char *text, size_t i,
			       char name[SGANG_TOPOLOGY_NAME],
			       char value[SGANG_TOPOLOGY_NAME])
{
	do {
		if (!text || !*text)
			return false;
		text = read_word(text, name, value);
	} while (i--);
	return text;
}

bool sgang_partition_words_find(const char *text, const char *name,
				char value[SGANG_TOPOLOGY_NAME])
{
	char other[SGANG_TOPOLOGY_NAME];

	while (*text) {
		text = read_word(text, other, value);
		if (!strcmp(other, name))
			return true;
	}
	return false;
}

/* Is it the name of one of the first 'n' words? */
static bool is_named(const char *text, const char *name, size_t n)
{
	char other[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	size_t i;

	for (i = 0; i < n; i++) {
		sgang_partition_words_get(text, i, other, value);
		if (!strcmp(other, name))
			return true;
	}
	return false;
}

int sgang_partition_words_check(const char *text, struct sgang_error *err)
{
	char name[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	char shown[SGANG_TEXT_SHOWN];
	const char *at = text;
	size_t n;

	for (n = 0; *at; n++) {
		const char *next = read_word(at, name, value);

		if (!next)
			return sgang_errf(err, EINVAL,
					  "\"%s\" is not such a "
					  "word",
					  sgang_text_show(shown, at));
		if (is_named(text, name, n))
			return sgang_errf(err, EINVAL, "%s is named twice",
					  sgang_text_show(shown, name));
		at = next;
	}
	return 0;
}
