/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition_words.c - "gpu:nvl72,cpu:tree": which partition has which topology */

#include <errno.h>
#include <string.h>

#include "core/base/text.h"
#include "partition_words.h"

/* Read one word. Returns what is behind it and its comma, or NULL where it is
 * none. */
static const char *read_word(const char *text,
			     char partition[SGANG_TOPOLOGY_NAME],
			     char topology[SGANG_TOPOLOGY_NAME])
{
	size_t before = strcspn(text, ":,"), after;

	if (text[before] != ':')
		return NULL;
	after = strcspn(text + before + 1, ":,");
	if (!before || before >= SGANG_TOPOLOGY_NAME || !after ||
	    after >= SGANG_TOPOLOGY_NAME)
		return NULL;
	memcpy(partition, text, before);
	partition[before] = '\0';
	memcpy(topology, text + before + 1, after);
	topology[after] = '\0';
	text += before + 1 + after;
	if (*text == ',' && text[1])
		return text + 1;
	return *text ? NULL : text;
}

bool sgang_partition_words_get(const char *text, size_t i,
			       char partition[SGANG_TOPOLOGY_NAME],
			       char topology[SGANG_TOPOLOGY_NAME])
{
	do {
		if (!text || !*text)
			return false;
		text = read_word(text, partition, topology);
	} while (i--);
	return text;
}

/* Is the partition named by one of the first 'n' words? */
static bool is_named(const char *text, const char *partition, size_t n)
{
	char other[SGANG_TOPOLOGY_NAME], topology[SGANG_TOPOLOGY_NAME];
	size_t i;

	for (i = 0; i < n; i++) {
		sgang_partition_words_get(text, i, other, topology);
		if (!strcmp(other, partition))
			return true;
	}
	return false;
}

int sgang_partition_words_check(const char *text, struct sgang_error *err)
{
	char partition[SGANG_TOPOLOGY_NAME], topology[SGANG_TOPOLOGY_NAME];
	char shown[SGANG_TEXT_SHOWN];
	const char *at = text;
	size_t n;

	for (n = 0; *at; n++) {
		const char *next = read_word(at, partition, topology);

		if (!next)
			return sgang_errf(err, EINVAL, "\"%s\" is not such a "
					  "word", sgang_text_show(shown, at));
		if (is_named(text, partition, n))
			return sgang_errf(err, EINVAL, "partition %s has two "
					  "topologies",
					  sgang_text_show(shown, partition));
		at = next;
	}
	return 0;
}
