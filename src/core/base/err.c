/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.c - one sentence for a human about what went wrong */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "err.h"

/* Text from a file must not move the cursor of a terminal, nor begin a line in
 * a log. */
static void hide_controls(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

int sgang_errf(struct sgang_error *err, int errnum, const char *fmt, ...)
{
	/* not straight into err->text: an argument may point there */
	char text[sizeof(err->text)];
	va_list args;
	int n;

	if (err) {
		va_start(args, fmt);
		n = vsnprintf(text, sizeof(text), fmt, args);
		va_end(args);
		if (n < 0)
			snprintf(text, sizeof(text), "%s", fmt);
		else if ((size_t)n >= sizeof(text))
			text[sizeof(text) - 2] = '+';
		hide_controls(text);
		memcpy(err->text, text, sizeof(text));
	}
	errno = errnum;
	return -1;
}

int sgang_err_memory(struct sgang_error *err)
{
	return sgang_errf(err, ENOMEM, "out of memory");
}
