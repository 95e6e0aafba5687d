/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ranks.c - how many ranks a job has on each of its nodes, and their order */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "ranks.h"

/* Long enough for a number of 32 bits. */
#define NUMBER_SIZE 11

/* Copy the digits at '*at' and go behind them. False: there are none, or too
 * many. */
static bool take_number(const char **at, uint32_t max, uint32_t *number)
{
	size_t length = strspn(*at, "0123456789");
	char digits[NUMBER_SIZE];
	uint64_t value;

	if (!length || length >= sizeof(digits))
		return false;
	memcpy(digits, *at, length);
	digits[length] = '\0';
	if (sgang_text_number(digits, 1, max, &value))
		return false;
	*number = (uint32_t)value;
	*at += length;
	return true;
}

/* "(x3)", or nothing, which is 1. */
static bool take_times(const char **at, uint32_t *times)
{
	*times = 1;
	if (strncmp(*at, "(x", 2))
		return true;
	*at += 2;
	if (!take_number(at, UINT32_MAX, times) || **at != ')')
		return false;
	(*at)++;
	return true;
}

int sgang_ranks_read(const char *text, size_t n, uint32_t *ranks,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	const char *at = text;
	uint32_t number, times;
	size_t done = 0;

	while (take_number(&at, UINT32_MAX, &number) &&
	       take_times(&at, &times) && times <= n - done) {
		while (times--)
			ranks[done++] = number;
		if (!*at && done == n)
			return 0;
		if (*at++ != ',')
			break;
	}
	return sgang_errf(err, EINVAL,
			  "\"%s\" does not say how many ranks "
			  "each of %zu nodes has",
			  sgang_text_show(shown, text), n);
}

static uint32_t room(uint32_t cpus, uint32_t cpus_per_rank)
{
	uint32_t ranks = cpus / (cpus_per_rank ? cpus_per_rank : 1);

	return ranks ? ranks : 1;
}

void sgang_ranks_spread(const uint32_t *cpus, size_t n, uint32_t cpus_per_rank,
			uint64_t total, uint32_t *ranks)
{
	bool full = false, some_room;
	uint32_t round;
	size_t i;

	if (!n)
		return;
	memset(ranks, 0, n * sizeof(*ranks));
	for (round = 0; total; round++) {
		some_room = false;
		for (i = 0; i < n && total; i++) {
			uint32_t limit = room(cpus[i], cpus_per_rank);

			if (round >= limit && !full)
				continue;
			ranks[i]++;
			total--;
			if (round + 1 < limit)
				some_room = true;
		}
		full = !some_room;
	}
}

/* qsort, bsearch: pointers to names. */
static int by_name(const void *a, const void *b)
{
	return strcmp(**(char *const *const *)a, **(char *const *const *)b);
}

int sgang_ranks_order(char *const *listed, char *const *ring, size_t n,
		      size_t *where, struct sgang_error *err)
{
	char *const **sorted = calloc(n + 1, sizeof(*sorted));
	bool *used = calloc(n + 1, sizeof(*used));
	int rc = -1;
	size_t i;

	if (!sorted || !used) {
		sgang_err_memory(err);
		goto out;
	}
	for (i = 0; i < n; i++)
		sorted[i] = &listed[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (i = 0; i < n; i++) {
		char *const *name = &ring[i];
		char *const **found = bsearch(&name, sorted, n, sizeof(*sorted),
					      by_name);

		if (!found || used[*found - listed]) {
			sgang_errf(err, EINVAL,
				   "node %s is not, or twice, "
				   "among the nodes of the job",
				   ring[i]);
			goto out;
		}
		where[i] = (size_t)(*found - listed);
		used[where[i]] = true;
	}
	rc = 0;
out:
	free(sorted);
	free(used);
	return rc;
}
