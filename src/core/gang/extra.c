/* SPDX-License-Identifier: GPL-2.0-or-later */
/* extra.c - what a node's `extra` field tells of the gangs on it */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
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
	name = strcspn(text + at, " \t\r\n");
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
		return 0; /* somebody's own word */
	return length;
}

static bool begins_word(const char *text, size_t at)
{
	return !at || isspace((unsigned char)text[at - 1]);
}

bool sgang_extra_found(const char *text)
{
	for (size_t at = 0; text && text[at]; at++)
		if (begins_word(text, at) && scan_gangs(text + at))
			return true;
	return false;
}

/* Take them out of 'text'. Returns whether there were any. */
static bool take_out(char *text)
{
	size_t from = 0, to = 0, length;
	bool any = false;

	while (text[from]) {
		/* what is taken out ends where a word begins */
		length = begins_word(text, to) ? scan_gangs(text + from) : 0;
		if (!length) {
			text[to++] = text[from++];
			continue;
		}
		any = true;
		from += length;
		from += strspn(text + from, " ");
	}
	text[to] = '\0';
	return any;
}

/* Words left by one round may make up new ones. Nobody writes more of them into
 * each other by accident, and the time for a text stays in proportion. */
#define ROUNDS 16

/* A copy of 'text' without them. */
static char *own_text(const char *text)
{
	char *copy = strdup(text ? text : "");
	size_t at;

	if (!copy)
		return NULL;
	for (int round = 0; round < ROUNDS && take_out(copy); round++)
		;
	for (at = strlen(copy); at && isspace((unsigned char)copy[at - 1]);)
		copy[--at] = '\0';
	return copy;
}

/* The name of an account can have any characters; those that our words end with
 * are written as in a URL. */
static void put_namespace(FILE *out, const char *ns)
{
	for (; *ns; ns++) {
		unsigned char c = (unsigned char)*ns;

		if (c <= ' ' || c == 0x7f || strchr(";/%", c))
			fprintf(out, "%%%02X", c);
		else
			fputc(c, out);
	}
}

static void put_gang(FILE *out, const struct sgang_extra *gang)
{
	fputs(GANG, out);
	put_namespace(out, gang->ns);
	fprintf(out, "/%s" RANKS "%" PRIu64, gang->name, gang->ranks);
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
	if (out)
		fprintf(out, "%s%s", own, *own ? " " : "");
	for (size_t i = 0; out && i < n; i++) {
		fputs(i ? ";" : "", out);
		put_gang(out, &gangs[i]);
	}
	free(own);
	return sgang_text_close(out, &text);
}
