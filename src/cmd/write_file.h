/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_file.h - a file that the user asked for, as a whole or not at all */

#ifndef SGANG_WRITE_FILE_H
#define SGANG_WRITE_FILE_H

#include <stddef.h>

#include "core/base/err.h"

/* Write the text to 'path'. Returns 0, or -1 with errno and 'err', which says
 * that the path cannot be written and why; half a file is then removed. */
int sgang_write_file(const char *path, const char *text, size_t size,
		     struct sgang_error *err);

#endif
