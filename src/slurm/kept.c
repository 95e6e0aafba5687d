/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.c - copies of the files that were good last, for the next process */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kept.h"
#include "plugins/log.h"
#include "release.h"

#pragma weak slurm_conf

char *sgang_kept_path(const char *name)
{
	return xstrdup_printf("%s/%s", slurm_conf.state_save_location, name);
}

/* Returns 0 or an errno. */
static int copy_text(FILE *in, FILE *out)
{
	char text[BUFSIZ];
	size_t length;

	while ((length = fread(text, 1, sizeof(text), in)) > 0) {
		if (fwrite(text, 1, length, out) < length)
			return errno;
	}
	return ferror(in) ? EIO : 0;
}

static int copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "re"), *out;
	int rc = 0;

	if (!in && errno != ENOENT)
		return errno;
	out = fopen(to, "we");
	if (!out)
		rc = errno;
	else if (in)
		rc = copy_text(in, out);
	if (in)
		fclose(in);
	if (out && fclose(out) && !rc)
		rc = errno;
	return rc;
}

void sgang_kept_copy(const char *from, const char *name)
{
	char *path = sgang_kept_path(name);
	char *new = xstrdup_printf("%s.new", path);
	int rc = copy_file(from, new);

	if (!rc && rename(new, path))
		rc = errno;
	if (rc) {
		sgang_log(SGANG_LOG_ERROR,
			  "%s cannot be made a copy of %s: %s", path, from,
			  strerror(rc));
		unlink(new);
		unlink(path);
	}
	xfree(new);
	xfree(path);
}
