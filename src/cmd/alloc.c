/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloc.c - what a running job has on each of its nodes, as Slurm words it */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/alloc.h"

/* The highest number of anything on a node; Slurm's limit of CPUs is below. */
#define INDEX_MAX 65535

void sgang_alloc_clear(struct sgang_alloc *alloc)
{
	size_t i;

	for (i = 0; i < alloc->n; i++) {
		free(alloc->node[i].name);
		free(alloc->node[i].address);
		free(alloc->node[i].gpus.index);
		free(alloc->node[i].cores.index);
	}
	free(alloc->node);
	alloc->node = NULL;
	alloc->n = 0;
}

static int add_range(struct sgang_indices *list, uint32_t low, uint32_t high)
{
	size_t n = list->n + (high - low + 1);
	uint32_t *bigger = realloc(list->index, n * sizeof(*bigger));

	if (!bigger)
		return -1;
	list->index = bigger;
	while (list->n < n)
		list->index[list->n++] = low++;
	return 0;
}

/* The number at '*at', which moves behind it; -1: none. */
static long take_index(const char **at, const char *end)
{
	long number = 0;

	if (*at == end || !isdigit((unsigned char)**at))
		return -1;
	for (; *at < end && isdigit((unsigned char)**at); (*at)++) {
		number = number * 10 + (**at - '0');
		if (number > INDEX_MAX)
			return -1;
	}
	return number;
}

int sgang_indices_read(const char *text, const char *end,
		       struct sgang_indices *list)
{
	struct sgang_indices found = { NULL, 0 };
	long low, high;

	errno = EINVAL;
	for (;;) {
		high = low = take_index(&text, end);
		if (low >= 0 && text < end && *text == '-') {
			text++;
			high = take_index(&text, end);
		}
		/* ascending, so that the list cannot grow without end */
		if (low < 0 || high < low ||
		    (found.n && (uint32_t)low <= found.index[found.n - 1]))
			break;
		if (add_range(&found, (uint32_t)low, (uint32_t)high))
			break;
		if (text == end) {
			*list = found;
			return 0;
		}
		if (*text++ != ',')
			break;
	}
	free(found.index);
	return -1;
}

int sgang_indices_read_gpus(const char *gres, struct sgang_indices *list)
{
	const char *at = gres, *open, *close;

	*list = (struct sgang_indices){ NULL, 0 };
	while (at && *at) {
		open = strchr(at, '(');
		close = open ? strchr(open, ')') : NULL;
		if (!close)
			break;
		if (!strncmp(at, "gpu", 3) && (at[3] == ':' || at[3] == '(') &&
		    !strncmp(open, "(IDX:", 5) &&
		    isdigit((unsigned char)open[5]))
			return sgang_indices_read(open + 5, close, list);
		at = close + 1 + (close[1] == ',');
	}
	return 0;
}
