/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spectext.c - messages of core/spec.h in the words of sgang */

#include <stdbool.h>
#include <string.h>

#include "cmd/spectext.h"

/* Put 'new' where a word begins with 'old'. Values of users can hold it too,
 * but stand behind an equals sign. */
static void replace(struct sgang_error *err, const char *old, const char *new)
{
	size_t old_length = strlen(old), new_length = strlen(new);
	bool begins = true;
	char *p;

	for (p = err->text; *p; p++) {
		if (begins && !strncmp(p, old, old_length)) {
			memcpy(p, new, new_length);
			memmove(p + new_length, p + old_length,
				strlen(p + old_length) + 1);
		}
		begins = *p == ' ';
	}
}

void sgang_spectext_option(struct sgang_error *err)
{
	replace(err, "--gang-", "--");
}

void sgang_spectext_key(struct sgang_error *err)
{
	replace(err, "--gang-", "");
	replace(err, "--gang", "gang");
}
