/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - what hwloc sees on this machine, and how it travels
 *
 * `sgang topology collect` runs `sgang topology probe` on all nodes at once and
 * gets their lines mixed. Each line therefore names its node, and is so short
 * that slurmd does not cut it:
 *
 *	sgang-probe n7 +<topology version="2.0">\n <object type="Mach
 *	sgang-probe n7 +ine" os_index="0" ...
 *	sgang-probe n7 .
 *
 * "\n" is a line feed, "\\" a backslash. The line with the dot is the last.
 */

#ifndef SGANG_PROBE_H
#define SGANG_PROBE_H

#include <stdio.h>

#include "core/base/err.h"

/* The beginning of each line of a probe. */
#define SGANG_PROBE_WORD "sgang-probe "

/* The machine as hwloc sees it, with devices that this process may not use, as
 * XML without the names, addresses and serial numbers that identify a machine.
 * HWLOC_XMLFILE in the environment stands in for the machine. Returns a string
 * the caller frees, or NULL with errno and 'err'. */
char *sgang_probe_xml(struct sgang_error *err);

/* Print 'xml' as lines of the node. */
void sgang_probe_print(const char *node, const char *xml, FILE *out);

/* Undo the escapes of one line's text, in place. */
void sgang_probe_unescape(char *text);

#endif
