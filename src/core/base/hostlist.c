/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostlist.c - Slurm's node list expressions, "n[1-3,7],login0" */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostlist.h"
#include "text.h"

/* Longest number in a bracket; any such number fits 64 bits. */
#define DIGITS_MAX 18

struct names {
	char **name;
	size_t count;
	size_t room;
};

/* The state of an expansion. */
struct expansion {
	const char *expr; /* the whole text, for messages */
	struct names names;
	char word[SGANG_HOSTLIST_NAME_MAX + 1]; /* the name being built */
	struct sgang_error *err;
};

/* A part of a bracket, "7" or "001-020". */
struct range {
	uint64_t low;
	uint64_t high;
	int width; /* of the low end, as Slurm has it */
};

static int refuse(const struct expansion *x, const char *why)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(x->err, EINVAL, "node list \"%s\": %s",
			  sgang_text_show(shown, x->expr), why);
}

static int no_memory(struct sgang_error *err)
{
	return sgang_errf(err, ENOMEM, "node list: out of memory");
}

static void names_clear(struct names *names)
{
	int saved = errno;
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	errno = saved;
}

/* Add a copy of 'word'; there is always room left for the closing NULL. */
static int names_add(struct names *names, const char *word)
{
	char *copy;

	if (names->count + 1 >= names->room) {
		size_t room = names->room ? 2 * names->room : 16;
		char **bigger = realloc(names->name, room * sizeof(*bigger));

		if (!bigger)
			return -1;
		names->name = bigger;
		names->room = room;
	}
	copy = strdup(word);
	if (!copy)
		return -1;
	names->name[names->count++] = copy;
	names->name[names->count] = NULL;
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int parse_number(const struct expansion *x, const char **text,
			uint64_t *value, int *width)
{
	const char *p = *text;

	*value = 0;
	while (is_digit(*p) && p - *text < DIGITS_MAX)
		*value = *value * 10 + (uint64_t)(*p++ - '0');
	if (is_digit(*p))
		return refuse(x, "a number in a bracket is too long");
	if (p == *text)
		return refuse(x, "expected a number or a range like 1-4 in "
				 "the bracket");
	*width = (int)(p - *text);
	*text = p;
	return 0;
}

/* Read one part of a bracket and leave 'text' behind it, on a comma or the
 * closing bracket. */
static int parse_range(const struct expansion *x, const char **text,
		       struct range *range)
{
	int high_width;

	if (parse_number(x, text, &range->low, &range->width))
		return -1;
	range->high = range->low;
	if (**text == '-') {
		(*text)++;
		if (parse_number(x, text, &range->high, &high_width))
			return -1;
	}
	if (range->high < range->low)
		return refuse(x, "a range runs backwards");
	if (range->high - range->low >= SGANG_HOSTLIST_MAX)
		return refuse(x, "it names too many nodes");
	if (!strchr(*text, ']'))
		return refuse(x, "a bracket is not closed");
	if (**text != ',' && **text != ']')
		return refuse(x, "expected numbers and ranges like [1-4,7] in "
				 "the bracket");
	return 0;
}

/* Put a number behind the first 'used' bytes of the word. Returns the new
 * length, or 0. */
static size_t put_number(struct expansion *x, size_t used,
			 const struct range *range, uint64_t number)
{
	size_t room = sizeof(x->word) - used;
	int n = snprintf(x->word + used, room, "%0*" PRIu64, range->width,
			 number);

	if ((size_t)n >= room) {
		refuse(x, "a name is too long");
		return 0;
	}
	return used + (size_t)n;
}

/* Copy the plain text up to the next bracket or comma behind the first 'used'
 * bytes of the word. Returns its end, or NULL. */
static const char *take_plain(struct expansion *x, const char *text,
			      size_t *used)
{
	for (; *text && *text != ',' && *text != '['; text++) {
		if (*text == ']')
			refuse(x, "a bracket is closed that was not opened");
		else if (*text <= ' ' || *text > '~')
			refuse(x, "node names are printable and without "
				  "blanks");
		else if (*used >= SGANG_HOSTLIST_NAME_MAX)
			refuse(x, "a name is too long");
		else {
			x->word[(*used)++] = *text;
			continue;
		}
		return NULL;
	}
	x->word[*used] = '\0';
	return text;
}

/* The word is a whole name of 'length' bytes. */
static int add_word(struct expansion *x, size_t length)
{
	if (!length)
		return refuse(x, "a name is empty");
	if (x->names.count >= SGANG_HOSTLIST_MAX)
		return refuse(x, "it names too many nodes");
	if (names_add(&x->names, x->word))
		return no_memory(x->err);
	return 0;
}

/* Expand the rest of one name, 'text', behind the first 'used' bytes of the
 * word: plain text, then every number of the next bracket, each followed by
 * all that comes behind it. Recursion is as deep as a name has brackets.
 * Returns the end of the name, or NULL. */
static const char *expand_name(struct expansion *x, const char *text,
			       size_t used)
{
	const char *end = NULL, *rest;
	struct range range;
	uint64_t number;

	text = take_plain(x, text, &used);
	if (!text)
		return NULL;
	if (*text != '[')
		return add_word(x, used) ? NULL : text;

	rest = strchr(text, ']');
	do {
		text++;
		if (parse_range(x, &text, &range))
			return NULL;
		for (number = range.low; number <= range.high; number++) {
			size_t length = put_number(x, used, &range, number);

			if (!length)
				return NULL;
			end = expand_name(x, rest + 1, length);
			if (!end)
				return NULL;
		}
	} while (*text == ',');
	return end;
}

int sgang_hostlist_expand(const char *expr, char ***names, size_t *count,
			  struct sgang_error *err)
{
	struct expansion x = { .expr = expr, .err = err };
	const char *text = expr;

	if (!expr)
		return sgang_errf(err, EINVAL, "node list: there is none");
	for (;;) {
		text = expand_name(&x, text, 0);
		if (!text) {
			names_clear(&x.names);
			return -1;
		}
		if (!*text)
			break;
		text++;
	}
	*names = x.names.name;
	if (count)
		*count = x.names.count;
	return 0;
}

void sgang_hostlist_free(char **names)
{
	int saved = errno;
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
	errno = saved;
}

int sgang_hostlist_append(const char *expr, char ***names, size_t *count,
			  struct sgang_error *err)
{
	char **more, **bigger;
	size_t n;

	if (sgang_hostlist_expand(expr, &more, &n, err))
		return -1;
	bigger = realloc(*names, (*count + n + 1) * sizeof(*bigger));
	if (!bigger) {
		sgang_hostlist_free(more);
		return sgang_err_memory(err);
	}
	memcpy(bigger + *count, more, (n + 1) * sizeof(*bigger));
	*names = bigger;
	*count += n;
	free(more); /* the names themselves have moved */
	return 0;
}

void sgang_hostlist_unique(char **names, size_t *count,
			   int (*order)(const void *a, const void *b))
{
	size_t i, kept = 0;

	if (!*count)
		return;
	qsort(names, *count, sizeof(*names), order);
	for (i = 0; i < *count; i++) {
		if (kept && !strcmp(names[kept - 1], names[i]))
			free(names[i]);
		else
			names[kept++] = names[i];
	}
	names[kept] = NULL;
	*count = kept;
}

/* A name cut around one of its numbers: "rack1-n" "07" "-ib". */
struct split {
	const char *name;
	size_t prefix; /* bytes before the number */
	int width;     /* digits of the number */
	uint64_t number;
};

static bool split_at(const char *name, size_t prefix, struct split *split)
{
	size_t end = prefix;

	if (strnlen(name, prefix) < prefix)
		return false;
	split->name = name;
	split->prefix = prefix;
	split->number = 0;
	while (is_digit(name[end]) && end - prefix < DIGITS_MAX)
		split->number = split->number * 10 +
				(uint64_t)(name[end++] - '0');
	split->width = (int)(end - prefix);
	return end > prefix && !is_digit(name[end]);
}

static const char *suffix_of(const struct split *split)
{
	return split->name + split->prefix + split->width;
}

static bool zero_padded(const struct split *split)
{
	return split->width > 1 && split->name[split->prefix] == '0';
}

/* May two cut names stand in one bracket? */
static bool alike(const struct split *a, const struct split *b)
{
	return a->prefix == b->prefix && !memcmp(a->name, b->name, a->prefix) &&
	       !strcmp(suffix_of(a), suffix_of(b)) &&
	       (a->width == b->width || (!zero_padded(a) && !zero_padded(b)));
}

/* Cut 'name' at the number in which 'next' differs from it. */
static bool split_where_differs(const char *name, const char *next,
				struct split *a, struct split *b)
{
	size_t at = 0;

	while (name[at] && name[at] == next[at])
		at++;
	while (at && is_digit(name[at - 1]))
		at--;
	return split_at(name, at, a) && split_at(next, at, b) && alike(a, b);
}

/* Is 'next' what expanding a range that begins at 'low' says after 'prev'? */
static bool follows(const struct split *low, const struct split *prev,
		    const struct split *next)
{
	char want[DIGITS_MAX + 2];
	int n = snprintf(want, sizeof(want), "%0*" PRIu64, low->width,
			 prev->number + 1);

	return n == next->width &&
	       !memcmp(want, next->name + next->prefix, (size_t)n);
}

static void print_number(FILE *out, const struct split *split)
{
	fwrite(split->name + split->prefix, 1, (size_t)split->width, out);
}

static void print_range(FILE *out, const struct split *low,
			const struct split *high)
{
	print_number(out, low);
	if (low->name != high->name) {
		fputc('-', out);
		print_number(out, high);
	}
}

/* Write as many names as fit into one bracket; returns how many those are. */
static size_t fold_some(FILE *out, const char *const *names, size_t count)
{
	struct split low, prev, next;
	size_t done = 1;

	if (count < 2 ||
	    !split_where_differs(names[0], names[1], &low, &next)) {
		fputs(names[0], out);
		return 1;
	}
	fwrite(low.name, 1, low.prefix, out);
	fputc('[', out);
	prev = low;
	for (;;) {
		bool more = done < count &&
			    split_at(names[done], low.prefix, &next) &&
			    alike(&prev, &next);

		if (!more || !follows(&low, &prev, &next)) {
			print_range(out, &low, &prev);
			if (!more)
				break;
			fputc(',', out);
			low = next;
		}
		prev = next;
		done++;
	}
	fputc(']', out);
	fputs(suffix_of(&prev), out);
	return done;
}

char *sgang_hostlist_fold(const char *const *names, size_t count)
{
	char *text = NULL;
	size_t size = 0, i = 0;
	FILE *out = open_memstream(&text, &size);

	while (out && i < count) {
		if (i)
			fputc(',', out);
		i += fold_some(out, names + i, count - i);
	}
	return sgang_text_close(out, &text);
}
