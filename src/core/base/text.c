/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - words that a user wrote: strict numbers, and quoting for messages */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Decimals are kept to this many parts of one. */
#define DECIMAL_PARTS 1000000

int sgang_text_decimal(const char *text, uint32_t max, double *value)
{
	uint64_t whole = 0, part = 0, unit = DECIMAL_PARTS;
	const char *p = text;

	if (!p || *p < '0' || *p > '9') {
		errno = EINVAL;
		return -1;
	}
	for (; *p >= '0' && *p <= '9'; p++)
		if (whole <= max)
			whole = whole * 10 + (uint64_t)(*p - '0');
	if (*p == '.' && p[1]) {
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++) {
			unit /= 10;
			part += unit * (uint64_t)(*p - '0');
		}
	}
	if (*p) {
		errno = EINVAL;
		return -1;
	}
	if (whole > max || (whole == max && part) || (!whole && !part)) {
		errno = ERANGE;
		return -1;
	}
	*value = (double)whole + (double)part / DECIMAL_PARTS;
	return 0;
}

const char *sgang_text_show_decimal(char shown[SGANG_DECIMAL_SHOWN],
				    double value)
{
	uint64_t parts = (uint64_t)(value * DECIMAL_PARTS + 0.5);
	size_t end = (size_t)snprintf(shown, SGANG_DECIMAL_SHOWN,
				      "%" PRIu64 ".%06" PRIu64,
				      parts / DECIMAL_PARTS,
				      parts % DECIMAL_PARTS);

	while (shown[end - 1] == '0')
		shown[--end] = '\0';
	if (shown[end - 1] == '.')
		shown[end - 1] = '\0';
	return shown;
}

/* Take the digits at '*at', up to more than a duration can be. */
static bool take_number(const char **at, uint64_t *number)
{
	const char *p = *at;

	for (*number = 0; *p >= '0' && *p <= '9'; p++)
		if (*number <= UINT32_MAX)
			*number = *number * 10 + (uint64_t)(*p - '0');
	if (p == *at)
		return false;
	*at = p;
	return true;
}

/* "hours[:minutes[:seconds]]" behind "days-", else "minutes", "minutes:seconds"
 * or "hours:minutes:seconds". */
static bool read_time(const char *text, uint64_t *seconds)
{
	static const uint64_t units[] = { 3600, 60, 1 };
	uint64_t number[3] = { 0 }, days;
	size_t i, n = 0, first = 0;
	const char *p = text;

	*seconds = 0;
	if (take_number(&p, &days) && *p == '-') {
		*seconds = days * 86400;
		text = p + 1;
	} else {
		p = strchr(text, ':');
		if (!p || !strchr(p + 1, ':'))
			first = 1; /* no hours */
	}
	do {
		if (first + n == 3 || !take_number(&text, &number[n++]))
			return false;
	} while (*text++ == ':');
	for (i = 0; i < n; i++)
		*seconds += number[i] * units[first + i];
	return !text[-1];
}

int sgang_text_time(const char *text, uint32_t *seconds)
{
	uint64_t sum;

	if (text &&
	    (!strcasecmp(text, "INFINITE") || !strcasecmp(text, "UNLIMITED"))) {
		*seconds = UINT32_MAX;
		return 0;
	}
	if (!text || !read_time(text, &sum)) {
		errno = EINVAL;
		return -1;
	}
	if (!sum || sum >= UINT32_MAX) {
		errno = ERANGE;
		return -1;
	}
	*seconds = (uint32_t)sum;
	return 0;
}

const char *sgang_text_show_time(char shown[SGANG_TIME_SHOWN], uint32_t seconds)
{
	uint32_t days = seconds / 86400;
	int used = 0;

	if (seconds == UINT32_MAX)
		return strcpy(shown, "UNLIMITED");
	if (days)
		used = snprintf(shown, SGANG_TIME_SHOWN, "%" PRIu32 "-", days);
	snprintf(shown + used, SGANG_TIME_SHOWN - (size_t)used,
		 "%02" PRIu32 ":%02" PRIu32 ":%02" PRIu32, seconds / 3600 % 24,
		 seconds / 60 % 60, seconds % 60);
	return shown;
}

/* Numbers of so many digits each. */
static int compare_digits(const char *one, size_t n_one, const char *two,
			  size_t n_two)
{
	bool by_digit = *one == '0' || *two == '0';
	int longer = (n_one > n_two) - (n_one < n_two);
	int differs = strncmp(one, two, n_one < n_two ? n_one : n_two);

	if (by_digit)
		return differs ? differs : longer;
	return longer ? longer : differs;
}

int sgang_text_compare(const char *one, const char *two)
{
	static const char digits[] = "0123456789";

	for (;; one++, two++) {
		size_t n_one = strspn(one, digits), n_two = strspn(two, digits);
		int differs;

		if (n_one && n_two) {
			differs = compare_digits(one, n_one, two, n_two);
			if (differs)
				return differs;
			one += n_one;
			two += n_two;
		}
		if (*one != *two)
			return (unsigned char)*one < (unsigned char)*two ? -1 :
									   1;
		if (!*one)
			return 0;
	}
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

char *sgang_text_close(FILE *out, char **text)
{
	bool good = out && !ferror(out);

	if (out && fclose(out))
		good = false;
	if (good)
		return *text;
	free(*text);
	errno = ENOMEM;
	return NULL;
}

/* Length of the UTF-8 character that 'text' begins with, 1 to 4; 0: it is none,
 * or the text is over. No overlong forms, no surrogates, nothing above U+10FFFF.
 */
static size_t utf8_length(const char *text)
{
	const unsigned char *t = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t length, i;

	if (t[0] < 0x80)
		return t[0] != 0;
	if (t[0] < 0xc2 || t[0] > 0xf4)
		return 0;
	length = t[0] < 0xe0 ? 2 : t[0] < 0xf0 ? 3 : 4;
	if (t[0] == 0xe0)
		low = 0xa0;
	if (t[0] == 0xed)
		high = 0x9f;
	if (t[0] == 0xf0)
		low = 0x90;
	if (t[0] == 0xf4)
		high = 0x8f;
	if (t[1] < low || t[1] > high)
		return 0;
	for (i = 2; i < length; i++)
		if (t[i] < 0x80 || t[i] > 0xbf)
			return 0;
	return length;
}

char *sgang_text_repair(const char *text)
{
	static const char unknown[] = "\xef\xbf\xbd";
	size_t wrong = 0, length, i;
	char *copy, *to;

	for (i = 0; text[i]; i += length ? length : 1) {
		length = utf8_length(text + i);
		wrong += !length;
	}
	errno = 0;
	if (!wrong)
		return NULL;
	copy = to = malloc(i + wrong * (sizeof(unknown) - 2) + 1);
	if (!copy)
		return NULL;
	for (i = 0; text[i]; i += length ? length : 1) {
		const char *from = text + i;
		size_t size;

		length = utf8_length(from);
		size = length ? length : sizeof(unknown) - 1;
		memcpy(to, length ? from : unknown, size);
		to += size;
	}
	*to = '\0';
	return copy;
}
