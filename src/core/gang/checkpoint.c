/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.c - the last checkpoint that a job tells of in its comment */

#include "core/gang/checkpoint.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"

#define KEY "ckpt="
#define SEPARATORS " \t\r\n,;"
#define WORD_MAX 32

/* The form of a moment: 0 stands for any digit. */
static const char date_form[] = "0000-00-00T00:00:00";

static int two_digits(const char *text)
{
	return (text[0] - '0') * 10 + text[1] - '0';
}

static bool has_form(const char *word)
{
	if (strlen(word) != strlen(date_form))
		return false;
	for (size_t i = 0; word[i]; i++) {
		bool digit = word[i] >= '0' && word[i] <= '9';

		if (date_form[i] == '0' ? !digit : word[i] != date_form[i])
			return false;
	}
	return true;
}

/* 0: there is no such moment. */
static int64_t read_date(const char *word)
{
	struct tm tm = { .tm_isdst = -1 };
	int month, day;
	time_t when;

	if (!has_form(word))
		return 0;
	tm.tm_year = two_digits(word) * 100 + two_digits(word + 2) - 1900;
	tm.tm_mon = month = two_digits(word + 5) - 1;
	tm.tm_mday = day = two_digits(word + 8);
	tm.tm_hour = two_digits(word + 11);
	tm.tm_min = two_digits(word + 14);
	tm.tm_sec = two_digits(word + 17);
	if (tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return 0;
	when = mktime(&tm);
	/* February 30 would be a day in March */
	if (when < 0 || tm.tm_mon != month || tm.tm_mday != day)
		return 0;
	return when;
}

static int64_t read_moment(const char *begin, size_t length)
{
	char word[WORD_MAX];
	uint64_t seconds;

	if (length >= sizeof(word))
		return 0;
	memcpy(word, begin, length);
	word[length] = '\0';
	if (!sgang_text_number(word, 0, INT64_MAX, &seconds))
		return (int64_t)seconds;
	return read_date(word);
}

int64_t sgang_checkpoint_told(const char *text, int64_t now)
{
	const char *word = text ? text + strspn(text, SEPARATORS) : "";
	int64_t last = 0;

	while (*word) {
		size_t length = strcspn(word, SEPARATORS);
		int64_t when = 0;

		if (!strncmp(word, KEY, strlen(KEY)))
			when = read_moment(word + strlen(KEY),
					   length - strlen(KEY));
		if (when > last && when <= now)
			last = when;
		word += length;
		word += strspn(word, SEPARATORS);
	}
	return last;
}
