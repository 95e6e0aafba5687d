/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup.c - text of users and clusters inside of SVG, HTML and scripts */

#include <errno.h>
#include <string.h>

#include "cmd/markup.h"

static void put_letter(FILE *out, char letter)
{
	switch (letter) {
	case '&':
		fputs("&amp;", out);
		break;
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	case '\'':
		fputs("&#39;", out);
		break;
	default:
		fputc(letter < ' ' || letter > '~' ? '?' : letter, out);
	}
}

void sgang_markup_text(FILE *out, const char *text, size_t most)
{
	size_t length = strlen(text), i;
	size_t shown = length <= most ? length : most > 3 ? most - 3 : 0;

	for (i = 0; i < shown; i++)
		put_letter(out, text[i]);
	if (shown < length && most > 3)
		fputs("...", out);
}

int sgang_markup_json(FILE *out, struct json_object *object)
{
	const char *text =
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);

	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	/* in JSON these three can stand in strings alone */
	for (; *text; text++) {
		if (strchr("<>&", *text))
			fprintf(out, "\\u%04x", (unsigned char)*text);
		else
			fputc(*text, out);
	}
	return 0;
}
