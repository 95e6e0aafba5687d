/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_file.c - a whole file as a string, read and written */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Closes 'in'. */
static char *read_and_close(FILE *in, const char *path, size_t max,
			    const char *kind, struct sgang_error *err)
{
	size_t length;
	char *text;
	int rc = 0, saved;

	errno = EIO;
	text = read_all(in, max, &length);
	saved = errno;
	if (!text)
		rc = sgang_errf(err, ENOMEM, "%s: out of memory", path);
	else if (ferror(in))
		rc = sgang_errf(err, saved,
				"%s: cannot be read: %s; expected "
				"%s",
				path, strerror(saved), kind);
	else if (length > max)
		rc = sgang_errf(err, EINVAL, "%s: is too large to be %s", path,
				kind);
	else if (memchr(text, '\0', length))
		rc = sgang_errf(err, EINVAL,
				"%s: is not a text file; expected "
				"%s",
				path, kind);
	saved = errno;
	fclose(in);
	if (rc) {
		free(text);
		text = NULL;
	}
	errno = saved;
	return text;
}

static char *cannot_open(const char *path, struct sgang_error *err)
{
	sgang_errf(err, errno, "%s: cannot be opened: %s", path,
		   strerror(errno));
	return NULL;
}

char *sgang_text_file_read(const char *path, size_t max, const char *kind,
			   struct sgang_error *err)
{
	FILE *in = fopen(path, "re");

	return in ? read_and_close(in, path, max, kind, err) :
		    cannot_open(path, err);
}

/* /dev/stdin is not in every container. */
char *sgang_text_stdin_read(size_t max, const char *kind,
			    struct sgang_error *err)
{
	static const char path[] = "standard input";
	int fd = dup(STDIN_FILENO);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (in)
		return read_and_close(in, path, max, kind, err);
	cannot_open(path, err);
	if (fd >= 0)
		close(fd);
	return NULL;
}

int sgang_text_file_write(const char *path, const char *text,
			  struct sgang_error *err)
{
	char new[4096];
	FILE *out;
	int saved;

	if (snprintf(new, sizeof(new), "%s.new", path) >= (int)sizeof(new))
		return sgang_errf(err, ENAMETOOLONG, "%s: the path is too long",
				  path);
	out = fopen(new, "we");
	if (!out)
		return sgang_errf(err, errno, "%s: cannot be written: %s", new,
				  strerror(errno));
	errno = EIO;
	saved = fputs(text, out) < 0 || fflush(out) ||
				fchmod(fileno(out), 0644) ?
			errno :
			0;
	if (fclose(out) && !saved)
		saved = errno;
	if (!saved && rename(new, path))
		saved = errno;
	if (!saved)
		return 0;
	unlink(new);
	return sgang_errf(err, saved, "%s: cannot be written: %s", path,
			  strerror(saved));
}
