/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_file.c - a whole file of bounded size as a string */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

#define FIRST_ROOM (64 * 1024)

/* Read on to the end of the file or to the limit. Returns what was read, as a
 * string whose length goes to '*length', or NULL without memory. */
static char *read_all(FILE *in, size_t max, size_t *length)
{
	size_t room = FIRST_ROOM;
	char *text = malloc(room + 1), *bigger;

	*length = 0;
	while (text) {
		*length += fread(text + *length, 1, room - *length, in);
		if (*length < room || room > max)
			break;
		room *= 2;
		bigger = realloc(text, room + 1);
		if (!bigger)
			free(text);
		text = bigger;
	}
	if (text)
		text[*length] = '\0';
	return text;
}

char *sgang_text_file_read(const char *path, size_t max, const char *kind,
			   struct sgang_error *err)
{
	FILE *in = fopen(path, "re");
	size_t length;
	char *text;
	int rc = 0, saved;

	if (!in) {
		sgang_errf(err, errno, "%s: cannot be opened: %s", path,
			   strerror(errno));
		return NULL;
	}
	errno = EIO;
	text = read_all(in, max, &length);
	saved = errno;
	if (!text)
		rc = sgang_errf(err, ENOMEM, "%s: out of memory", path);
	else if (ferror(in))
		rc = sgang_errf(err, saved, "%s: cannot be read: %s; expected "
				"%s", path, strerror(saved), kind);
	else if (length > max)
		rc = sgang_errf(err, EINVAL, "%s: is too large to be %s", path,
				kind);
	else if (memchr(text, '\0', length))
		rc = sgang_errf(err, EINVAL, "%s: is not a text file; expected "
				"%s", path, kind);
	saved = errno;
	fclose(in);
	if (rc) {
		free(text);
		text = NULL;
	}
	errno = saved;
	return text;
}
