/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_file.h - files of slurmstepd that a job's user may read */

#ifndef SGANG_USER_FILE_H
#define SGANG_USER_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

/* Write all of 'text'. Returns 0, or -1 with errno. */
int sgang_user_file_fill(int fd, const char *text);

/* Make the file 'path' with this text and mode, which is the user's if we are
 * root. An older file is replaced; a symbolic link is not followed, and a file
 * that was not written whole is removed. Returns 0, or -1 with errno. */
int sgang_user_file_create(const char *path, const char *text, mode_t mode,
			   uid_t uid, gid_t gid);

#endif
