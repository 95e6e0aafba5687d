/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_words.c - times, durations and sizes of a recorded queue */

#define _GNU_SOURCE /* strptime(), timegm() */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "trace_private.h"

/* The largest size: MB. */
#define SIZE_MB_MAX (UINT64_C(1) << 40)

/* No job was submitted later than in the year 9999. */
#define MOMENT_MAX UINT64_C(253402300799)

static int fail(int errnum)
{
	errno = errnum;
	return -1;
}

static bool all_digits(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

static int read_date(const char *text, int64_t *when)
{
	struct tm date = { .tm_isdst = -1 };
	const char *zone = strptime(text, "%Y-%m-%dT%H:%M:%S", &date), *end;
	time_t local;
	long offset;

	if (!zone)
		zone = strptime(text, "%Y-%m-%d %H:%M:%S", &date);
	if (!zone)
		return fail(EINVAL);
	if (*zone) {
		end = strptime(zone, "%z", &date);
		if (!end || *end)
			return fail(EINVAL);
		offset = date.tm_gmtoff;
		local = timegm(&date) - offset;
	} else {
		local = mktime(&date);
	}
	if (local < 0)
		return fail(ERANGE);
	*when = local;
	return 0;
}

int sgang_trace_moment(const char *text, int64_t *when)
{
	uint64_t number;

	if (!all_digits(text))
		return read_date(text, when);
	if (sgang_text_number(text, 0, MOMENT_MAX, &number))
		return -1;
	*when = (int64_t)number;
	return 0;
}

int sgang_trace_span(const char *text, uint32_t *seconds)
{
	uint64_t number;

	if (all_digits(text)) {
		if (sgang_text_number(text, 0, UINT32_MAX - 1, &number))
			return -1;
		*seconds = (uint32_t)number;
		return 0;
	}
	if (!text[strspn(text, "0:-")] && strchr(text, ':')) {
		*seconds = 0;
		return 0;
	}
	return sgang_text_time(text, seconds);
}

/* A factor to MB of a suffix of Slurm's sizes; 0: it is none. */
static double megabytes_of(const char *suffix)
{
	static const char letters[] = "KMGT";
	const double factor[] = { 1.0 / 1024, 1, 1024, 1024 * 1024 };
	const char *letter;

	if (!*suffix)
		return 1;
	letter = strchr(letters, *suffix & ~('a' - 'A'));
	if (!letter || !*letter)
		return 0;
	suffix++;
	if (*suffix == 'B' || *suffix == 'b')
		suffix++;
	return *suffix ? 0 : factor[letter - letters];
}

int sgang_trace_size(const char *text, uint64_t *megabytes)
{
	size_t length = strspn(text, "0123456789.");
	double factor = megabytes_of(text + length), number = 0;
	char digits[32];

	if (!length || length >= sizeof(digits) || factor == 0)
		return fail(EINVAL);
	memcpy(digits, text, length);
	digits[length] = '\0';
	if (strspn(digits, "0.") < length &&
	    sgang_text_decimal(digits, UINT32_MAX, &number))
		return -1;
	if (number * factor > (double)SIZE_MB_MAX)
		return fail(ERANGE);
	*megabytes = (uint64_t)(number * factor);
	if ((double)*megabytes < number * factor)
		++*megabytes;
	return 0;
}
