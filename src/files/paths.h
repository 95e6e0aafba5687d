/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.h - where the files are that another file names */

#ifndef SGANG_PATHS_H
#define SGANG_PATHS_H

#include "core/base/err.h"

#define SGANG_PATH 4096

/* 'file' in that folder, unless it begins with '/'. Returns 0 and 'path', or -1
 * with ENAMETOOLONG and 'err'. */
int sgang_path_in(char path[SGANG_PATH], const char *folder, const char *file,
		  struct sgang_error *err);

/* The folder that 'path' is in; "." when it names none. Returns 0 and 'folder',
 * or -1 with ENAMETOOLONG and 'err'. */
int sgang_path_folder(char folder[SGANG_PATH], const char *path,
		      struct sgang_error *err);

#endif
