/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open_sizes.c - sizes of communication groups that are left open */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "open_sizes.h"

bool sgang_open_sizes_any(const char *text)
{
	return strstr(text, "=?") != NULL;
}

/* Put a 1 for each "?" that is a size, and note the place of its group. A word
 * that is no group is left to sgang_parallel_parse(), which refuses it. */
static void close_sizes(char *text, bool open[SGANG_PARALLEL_MAX])
{
	size_t group = 0;

	for (char *at = text; *at && *at != ':'; at++) {
		if (*at == ',')
			group++;
		if (at[0] != '=' || at[1] != '?' || group >= SGANG_PARALLEL_MAX)
			continue;
		at[1] = '1';
		open[group] = true;
	}
}

int sgang_open_sizes_parse(const char *text, struct sgang_open_sizes *sizes,
			   struct sgang_error *err)
{
	struct sgang_open_sizes found = { .open = { false } };
	char *closed = strdup(text);
	int rc;

	if (!closed)
		return sgang_err_memory(err);
	close_sizes(closed, found.open);
	rc = sgang_parallel_parse(closed, &found.parallel, err);
	free(closed);
	if (!rc)
		*sizes = found;
	return rc;
}

struct search {
	const struct sgang_open_sizes *sizes;
	struct sgang_parallel way;   /* sizes so far */
	struct sgang_parallel *ways; /* NULL: only count */
	size_t n;
};

/* Fill in the open sizes from this group on; their product is to be 'left'. */
static void fill_in(struct search *s, uint32_t group, uint64_t left)
{
	const struct sgang_open_sizes *sizes = s->sizes;
	uint32_t last = 0;

	if (s->n > SGANG_OPEN_SIZES_WAYS)
		return;
	while (group < sizes->parallel.n && !sizes->open[group])
		group++;
	if (group == sizes->parallel.n) {
		if (left != 1)
			return;
		if (s->ways)
			s->ways[s->n] = s->way;
		s->n++;
		return;
	}
	/* the divisors from the largest down, by those below the root */
	for (uint64_t d = 1; d * d <= left; d++) {
		if (left % d || left / d > SGANG_PARALLEL_SIZE_MAX)
			continue;
		s->way.group[group].size = (uint32_t)(left / d);
		fill_in(s, group + 1, d);
		last = (uint32_t)d;
	}
	for (uint64_t d = last; d >= 1; d--) {
		if (left % d || d * d == left)
			continue;
		s->way.group[group].size = (uint32_t)d;
		fill_in(s, group + 1, left / d);
	}
}

static size_t search(const struct sgang_open_sizes *sizes, uint64_t left,
		     struct sgang_parallel *ways)
{
	struct search s = { .sizes = sizes,
			    .way = sizes->parallel,
			    .ways = ways };

	fill_in(&s, 0, left);
	return s.n;
}

int sgang_open_sizes_ways(const struct sgang_open_sizes *sizes, uint64_t ranks,
			  struct sgang_parallel **ways, size_t *n,
			  struct sgang_error *err)
{
	uint64_t fixed = sgang_parallel_ranks(&sizes->parallel);
	struct sgang_parallel *found;
	size_t count = 0;

	if (fixed && ranks && ranks % fixed == 0)
		count = search(sizes, ranks / fixed, NULL);
	if (!count)
		return sgang_errf(err, EINVAL,
				  "the sizes that are given make "
				  "%" PRIu64 ", by which the gang's %" PRIu64
				  " ranks cannot be divided",
				  fixed, ranks);
	if (count > SGANG_OPEN_SIZES_WAYS)
		return sgang_errf(err, EINVAL,
				  "there are more than %d ways to "
				  "divide %" PRIu64
				  " ranks, give one more size",
				  SGANG_OPEN_SIZES_WAYS, ranks);
	found = calloc(count, sizeof(*found));
	if (!found)
		return sgang_err_memory(err);
	*n = search(sizes, ranks / fixed, found);
	*ways = found;
	return 0;
}
