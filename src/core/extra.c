/* SPDX-License-Identifier: GPL-2.0-or-later */
/* extra.c - what a node's `extra` field tells of the gangs on it */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extra.h"

#define GANG "gang="
#define RANKS " ranks="
#define DIGITS "0123456789"

/* "gang=alice/train ranks=8" at the start of 'text': its length, or 0. */
static size_t scan_gang(const char *text)
{
	size_t name, digits, at = strlen(GANG);

	if (strncmp(text, GANG, at))
		return 0;
	name = strcspn(text + at, " \t\r\n;");
	if (!name || !memchr(text + at, '/', name))
		return 0;
	at += name;
	if (strncmp(text + at, RANKS, strlen(RANKS)))
		return 0;
	at += strlen(RANKS);
	digits = strspn(text + at, DIGITS);
	return digits ? at + digits : 0;
}

/* Several of them with ';' between: the length of all, or 0. */
static size_t scan_gangs(const char *text)
{
	size_t length = scan_gang(text), more;

	while (length && text[length] == ';') {
		more = scan_gang(text + length + 1);
		if (!more)
			break;
		length += 1 + more;
	}
	if (text[length] && !isspace((unsigned char)text[length]))
		return 0;		/* somebody's own word */
	return length;
}

/* The first place at or behind 'from' where gangs are named; '*length' 0: there
 * is none. */
static size_t find_gangs(const char *text, size_t from, size_t *length)
{
	*length = 0;
	for (; text[from]; from++) {
		if (from && !isspace((unsigned char)text[from - 1]))
			continue;
		*length = scan_gangs(text + from);
		if (*length)
			break;
	}
	return from;
}

bool sgang_extra_found(const char *text)
{
	size_t length = 0;

	if (text)
		(void)find_gangs(text, 0, &length);
	return length > 0;
}

/* A copy of 'text' without them. */
static char *own_text(const char *text)
{
	char *copy = strdup(text ? text : "");
	size_t at = 0, length;

	if (!copy)
		return NULL;
	for (;;) {
		at = find_gangs(copy, at, &length);
		if (!length)
			break;
		length += strspn(copy + at + length, " ");
		memmove(copy + at, copy + at + length,
			strlen(copy + at + length) + 1);
		at = 0;			/* what is left may make up another */
	}
	for (at = strlen(copy); at && isspace((unsigned char)copy[at - 1]); )
		copy[--at] = '\0';
	return copy;
}

char *sgang_extra_format(const char *before, const struct sgang_extra *gangs,
			 size_t n)
{
	char *own = own_text(before), *text = NULL;
	size_t size = 0;
	FILE *out;

	if (!own || !n)
		return own;
	out = open_memstream(&text, &size);
	if (!out)
		goto error;
	fprintf(out, "%s%s", own, *own ? " " : "");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s" GANG "%s/%s" RANKS "%" PRIu64, i ? ";" : "",
			gangs[i].ns, gangs[i].name, gangs[i].ranks);
	if (fflush(out) || ferror(out)) {
		fclose(out);
		goto error;
	}
	fclose(out);
	free(own);
	return text;

error:
	free(own);
	free(text);
	errno = ENOMEM;
	return NULL;
}
