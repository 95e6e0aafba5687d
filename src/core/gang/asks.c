/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asks.c - what a gang and a member asked for, as a word of the record */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "asks.h"

/* The options, without "gang-", that have no word of their own. */
static const char *const shared[] = {
	"min-tres", "topology", "group-topology", "exclusive",
	"parallel", "run-time", "comm-share",     "rank-order",
	"preempt",  "spares",   "spare-pool",     "tree"
};

/* Add OPTION=VALUE, all of it or nothing. */
static void add(char text[SGANG_ASKS_SIZE], const char *option,
		const char *value)
{
	size_t used = strlen(text);
	int n = snprintf(text + used, SGANG_ASKS_SIZE - used, "%s%s=%s",
			 used ? ";" : "", option, value);

	if (n < 0 || (size_t)n >= SGANG_ASKS_SIZE - used)
		text[used] = '\0';
}

void sgang_asks_write(const struct sgang_spec *spec, char text[SGANG_ASKS_SIZE])
{
	char value[SGANG_GROUPS_SIZE], option[32];
	size_t i;

	text[0] = '\0';
	for (i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		snprintf(option, sizeof(option), "gang-%s", shared[i]);
		if (sgang_spec_value(spec, option, value))
			add(text, shared[i], value);
	}
}

void sgang_asks_add_own(const struct sgang_spec *spec,
			char text[SGANG_ASKS_SIZE])
{
	char value[16];

	if (spec->order_set) {
		snprintf(value, sizeof(value), "%" PRIu32, spec->order);
		add(text, "order", value);
	}
	if (spec->rank_set) {
		snprintf(value, sizeof(value), "%" PRIu32, spec->rank);
		add(text, "rank", value);
	}
}

const char *sgang_asks_find(const char *text, const char *option, char *value,
			    size_t size)
{
	size_t length = strlen(option);

	while (*text) {
		size_t n = strcspn(text, ";");

		if (n > length && text[length] == '=' &&
		    !memcmp(text, option, length)) {
			n -= length + 1;
			if (n >= size)
				return NULL;
			memcpy(value, text + length + 1, n);
			value[n] = '\0';
			return value;
		}
		text += n + (text[n] == ';');
	}
	return NULL;
}
