/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_order.c - the order of a list of nodes as text, without their names */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "node_order.h"

/* qsort: pointers into an array of names, by name. */
static int by_name(const void *a, const void *b)
{
	return strcmp(**(const char *const *const *)a,
		      **(const char *const *const *)b);
}

/* qsort: names. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* By position the number of its name. NULL without memory. */
static size_t *number_names(const char *const *names, size_t n)
{
	const char *const **sorted = calloc(n + 1, sizeof(*sorted));
	size_t *number = calloc(n + 1, sizeof(*number)), i;

	if (!sorted || !number) {
		free(sorted);
		free(number);
		return NULL;
	}
	for (i = 0; i < n; i++)
		sorted[i] = &names[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (i = 0; i < n; i++)
		number[sorted[i] - names] = i;
	free(sorted);
	return number;
}

/* Where the range that begins at 'i' ends, which goes up or down. */
static size_t range_end(const size_t *number, size_t n, size_t i)
{
	bool down = i + 1 < n && number[i + 1] + 1 == number[i];
	size_t last = i;

	while (last + 1 < n && (down ? number[last + 1] + 1 == number[last] :
				       number[last + 1] == number[last] + 1))
		last++;
	return last;
}

char *sgang_node_order_write(const char *const *names, size_t n)
{
	size_t *number = number_names(names, n), size = 0, i, last;
	char *text = NULL;
	FILE *out = number ? open_memstream(&text, &size) : NULL;

	for (i = 0; out && i < n; i = last + 1) {
		last = range_end(number, n, i);
		fprintf(out, "%s%zu", i ? "," : "", number[i]);
		if (last > i)
			fprintf(out, "-%zu", number[last]);
	}
	free(number);
	return sgang_text_close(out, &text);
}

/* Take a number below 'n' off the front of '*text'. */
static bool take_number(const char **text, size_t n, size_t *number)
{
	size_t digits = strspn(*text, "0123456789");
	char word[16];
	uint64_t value;

	if (!digits || digits >= sizeof(word))
		return false;
	memcpy(word, *text, digits);
	word[digits] = '\0';
	if (sgang_text_number(word, 0, n - 1, &value))
		return false;
	*number = (size_t)value;
	*text += digits;
	return true;
}

/* Take "3" or "3-1" and a comma. */
static bool take_range(const char **text, size_t n, size_t *first, size_t *last)
{
	if (!take_number(text, n, first))
		return false;
	*last = *first;
	if (**text == '-' && (++*text, !take_number(text, n, last)))
		return false;
	if (!**text)
		return true;
	return *(*text)++ == ',' && **text;
}

/* Move sorted names to where 'text' has them; a name that is moved is NULL
 * then. False: it is no order of them. */
static bool deal(const char *text, char **sorted, char **names, size_t n)
{
	size_t done = 0, first, last;

	while (*text && take_range(&text, n, &first, &last)) {
		for (;; first += first < last ? 1 : (size_t)-1) {
			if (!sorted[first])
				return false;
			names[done++] = sorted[first];
			sorted[first] = NULL;
			if (first == last)
				break;
		}
	}
	return done == n && !*text;
}

int sgang_node_order_apply(const char *text, char **names, size_t n,
			   struct sgang_error *err)
{
	char **sorted = calloc(n + 1, sizeof(*sorted));
	char **dealt = calloc(n + 1, sizeof(*dealt));
	int rc = -1;

	if (!sorted || !dealt) {
		sgang_err_memory(err);
		goto out;
	}
	memcpy(sorted, names, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_text);
	if (!n || !deal(text, sorted, dealt, n)) {
		sgang_errf(err, EINVAL, "\"%.32s\" is no order of %zu nodes",
			   text, n);
		goto out;
	}
	memcpy(names, dealt, n * sizeof(*names));
	rc = 0;
out:
	free(sorted);
	free(dealt);
	return rc;
}
