/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.h - copies of the files that were good last, for the next process
 *
 * What is broken at `scontrol reconfigure` must not change what was good until
 * then. In later releases a new process reads the files, so what was good is
 * found in StateSaveLocation: the select plugin keeps it there when it has read
 * it, and both plugins of slurmctld begin with it in a process that
 * release_is_reread() says is one of those. A start of slurmctld reads no copy.
 */

#ifndef SGANG_KEPT_H
#define SGANG_KEPT_H

#define SGANG_KEPT_CONF "gang_conf"
#define SGANG_KEPT_TOPOLOGY "gang_topology"

/* Where the copy of that name is, or would be; xfree() it. */
char *sgang_kept_path(const char *name);

/* Make 'name' a copy of the file 'from'; an empty file if there is none. A copy
 * that cannot be made is logged, and then there is none. */
void sgang_kept_copy(const char *from, const char *name);

#endif
