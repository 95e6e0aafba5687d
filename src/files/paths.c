/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.c - where the files are that another file names */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "files/paths.h"

int sgang_path_in(char path[SGANG_PATH], const char *folder, const char *file,
		  struct sgang_error *err)
{
	bool absolute = file[0] == '/';
	int length = snprintf(path, SGANG_PATH, "%s%s%s",
			      absolute ? "" : folder, absolute ? "" : "/",
			      file);

	if (length >= 0 && length < SGANG_PATH)
		return 0;
	return sgang_errf(err, ENAMETOOLONG, "%s/%s: the path is too long",
			  folder, file);
}

int sgang_path_folder(char folder[SGANG_PATH], const char *path,
		      struct sgang_error *err)
{
	const char *slash = strrchr(path, '/'), *from = slash ? path : ".";
	size_t length = slash > path ? (size_t)(slash - path) : 1;

	if (length >= SGANG_PATH)
		return sgang_errf(err, ENAMETOOLONG, "%s: the path is too long",
				  path);
	memcpy(folder, from, length);
	folder[length] = '\0';
	return 0;
}
