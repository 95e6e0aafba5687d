/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.c - whole lines of what arrives piece by piece */

#include <stdlib.h>

#include "cmd/lines.h"

static void take_line(struct sgang_lines *lines, sgang_lines_take_f take,
		      void *arg)
{
	size_t n = lines->n;

	lines->text[n] = '\0';
	lines->n = 0;
	take(arg, lines->text, n);
}

int sgang_lines_add(struct sgang_lines *lines, const char *data, size_t n,
		    sgang_lines_take_f take, void *arg)
{
	if (!lines->text)
		lines->text = malloc(SGANG_LINES_MAX + 1);
	if (!lines->text)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\n' || lines->n == SGANG_LINES_MAX)
			take_line(lines, take, arg);
		if (data[i] != '\n')
			lines->text[lines->n++] = data[i];
	}
	return 0;
}

void sgang_lines_end(struct sgang_lines *lines, sgang_lines_take_f take,
		     void *arg)
{
	if (lines->n)
		take_line(lines, take, arg);
	free(lines->text);
	lines->text = NULL;
}
