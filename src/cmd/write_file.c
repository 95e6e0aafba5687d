/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_file.c - a file that the user asked for, as a whole or not at all */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/write_file.h"

int sgang_write_file(const char *path, const char *text, size_t size,
		     struct sgang_error *err)
{
	FILE *out = fopen(path, "w");
	struct stat stat;
	bool written, is_file;

	if (!out)
		return sgang_errf(err, errno, "%s: cannot be written: %s", path,
				  strerror(errno));
	is_file = !fstat(fileno(out), &stat) && S_ISREG(stat.st_mode);
	written = fwrite(text, 1, size, out) == size;
	if (!fclose(out) && written)
		return 0;
	sgang_errf(err, errno, "%s: cannot be written: %s", path,
		   strerror(errno));
	/* a device is not ours to remove */
	if (is_file)
		unlink(path);
	return -1;
}
