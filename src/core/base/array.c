/* SPDX-License-Identifier: GPL-2.0-or-later */
/* array.c - job array expressions, "0-15:4,20%3" */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "array.h"

#define BITS 64
#define WORDS (SGANG_ARRAY_TASK_MAX / BITS + 1)

/* Read a task's number and step over it. */
static bool take_number(const char **text, uint32_t *number)
{
	const char *p = *text;
	uint32_t value = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (uint32_t)(*p - '0');
		if (value > SGANG_ARRAY_TASK_MAX)
			return false;
	}
	if (p == *text)
		return false;
	*number = value;
	*text = p;
	return true;
}

/* Mark the tasks of one part, "7", "0-15" or "0-15:4". */
static bool take_part(const char **text, uint64_t *marks)
{
	uint32_t first, last, step = 1, task;

	if (!take_number(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!take_number(text, &last) || last < first)
			return false;
		if (**text == ':') {
			(*text)++;
			if (!take_number(text, &step) || !step)
				return false;
		}
	}
	for (task = first; task <= last; task += step)
		marks[task / BITS] |= UINT64_C(1) << (task % BITS);
	return true;
}

static bool take_throttle(const char **text, uint32_t *limit)
{
	*limit = 0;
	if (**text != '%')
		return true;
	(*text)++;
	return take_number(text, limit);
}

int sgang_array_parse(const char *expr, uint32_t *tasks, uint32_t *throttle)
{
	uint64_t *marks = calloc(WORDS, sizeof(*marks));
	uint32_t limit, count = 0;
	bool good;
	size_t i;

	if (!marks) {
		errno = ENOMEM;
		return -1;
	}
	good = take_part(&expr, marks);
	while (good && *expr == ',') {
		expr++;
		good = take_part(&expr, marks);
	}
	good = good && take_throttle(&expr, &limit) && !*expr;
	for (i = 0; i < WORDS; i++)
		count += (uint32_t)__builtin_popcountll(marks[i]);
	free(marks);
	if (!good) {
		errno = EINVAL;
		return -1;
	}
	if (tasks)
		*tasks = count;
	if (throttle)
		*throttle = limit;
	return 0;
}
