/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - words that a user wrote: strict numbers, and quoting for messages */

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "text.h"

int sgang_text_number(const char *text, uint64_t min, uint64_t max,
		      uint64_t *value)
{
	uint64_t number = 0;
	bool overflow = false;
	const char *p;

	if (!text || !*text) {
		errno = EINVAL;
		return -1;
	}
	for (p = text; *p; p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (*p < '0' || *p > '9') {
			errno = EINVAL;
			return -1;
		}
		/* junk further on is still junk, so read to the end */
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			overflow = true;
	}
	if (overflow || number < min || number > max) {
		errno = ERANGE;
		return -1;
	}
	*value = number;
	return 0;
}

const char *sgang_text_show(char shown[SGANG_TEXT_SHOWN], const char *text)
{
	static const char more[] = "...";
	size_t i;

	if (!text)
		text = "(nothing)";
	for (i = 0; text[i] && i < SGANG_TEXT_SHOWN - 1; i++) {
		if (text[i] >= ' ' && text[i] <= '~')
			shown[i] = text[i];
		else
			shown[i] = '?';
	}
	shown[i] = '\0';
	if (text[i])
		memcpy(shown + SGANG_TEXT_SHOWN - sizeof(more), more,
		       sizeof(more));
	return shown;
}
