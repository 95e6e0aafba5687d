/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup.h - text of users and clusters inside of SVG, HTML and scripts */

#ifndef SGANG_MARKUP_H
#define SGANG_MARKUP_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdio.h>

/* Write at most 'most' bytes of 'text' so that it is plain text between tags
 * and in a quoted attribute, of HTML as of XML. Bytes that are not printable
 * ASCII become '?'; a text that is too long ends in "...". */
void sgang_markup_text(FILE *out, const char *text, size_t most);

/* Write the object so that a <script> can hold it: nothing in it can end the
 * script or begin a comment. Returns 0, or -1 with ENOMEM. */
int sgang_markup_json(FILE *out, struct json_object *object);

#endif
