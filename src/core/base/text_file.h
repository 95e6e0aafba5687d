/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_file.h - a whole file as a string, read and written */

#ifndef SGANG_TEXT_FILE_H
#define SGANG_TEXT_FILE_H

#include <stddef.h>

#include "err.h"

/* Read the file 'path' of at most 'max' bytes, which 'kind' ("an hwloc
 * topology") names in messages. Returns a string the caller frees, or NULL with
 * errno and 'err', which begins with the path: why it cannot be opened or read,
 * EINVAL (longer than 'max', has a zero byte), ENOMEM. */
char *sgang_text_file_read(const char *path, size_t max, const char *kind,
			   struct sgang_error *err);

/* The same of the standard input, which messages call so. */
char *sgang_text_stdin_read(size_t max, const char *kind,
			    struct sgang_error *err);

/* Write 'text' to the file 'path', which whoever reads it finds as it was
 * before or whole, and which all may read. Returns 0, or -1 with errno and
 * 'err', which begins with the path. */
int sgang_text_file_write(const char *path, const char *text,
			  struct sgang_error *err);

#endif
