/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.h - copies of the files that were good last, for the next process
 *
 * A file that is broken must not replace the last good settings, because
 * waiting gangs would be split: not at a start of slurmctld, and not at
 * `scontrol reconfigure`, which in later releases is a new process. The select
 * plugin therefore copies each file that it found good to StateSaveLocation.
 * Both plugins of slurmctld begin with these copies; then they read the files
 * themselves.
 */

#ifndef SGANG_KEPT_H
#define SGANG_KEPT_H

#define SGANG_KEPT_CONF "gang_conf"
#define SGANG_KEPT_TOPOLOGY "gang_topology"

/* The path of the copy of that name, whether it exists or not; xfree() it. */
char *sgang_kept_path(const char *name);

/* Make 'name' a copy of the file 'from'; an empty file if there is none. A
 * failure is logged, and leaves no copy. */
void sgang_kept_copy(const char *from, const char *name);

#endif
