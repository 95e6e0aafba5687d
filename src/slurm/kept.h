/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.h - copies of the files that were good last, for the next process
 *
 * A file that is broken at `scontrol reconfigure`, which in later releases is a
 * new process, or at a start of slurmctld must not replace the settings that
 * were good until then: gangs that wait would be torn. The select plugin
 * therefore copies each file that it found good to StateSaveLocation. Both
 * plugins of slurmctld begin with these copies; then they read the files
 * themselves.
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
