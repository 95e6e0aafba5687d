/* SPDX-License-Identifier: GPL-2.0-or-later */
/* extra.h - what a node's `extra` field tells of the gangs on it
 *
 *   rack 7 gang=alice/train ranks=8;gang=bob/serve ranks=4
 *
 * Behind what an admin wrote, if anything, stand the gangs with the number of
 * their ranks there. Nothing else is stored: after a restart of slurmctld old
 * words are found by their form and taken out. See doc/formats.
 */

#ifndef SGANG_EXTRA_H
#define SGANG_EXTRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A gang that has ranks on the node; 'ns' and 'name' are borrowed. */
struct sgang_extra {
	const char *ns, *name;
	uint64_t ranks;
};

/* The field for these gangs: 'before' (what is in it now, NULL is fine) without
 * the gangs it names and without blanks at its end, then these. "" when nothing
 * is left. Returns a string the caller frees, or NULL with ENOMEM. */
char *sgang_extra_format(const char *before, const struct sgang_extra *gangs,
			 size_t n);

/* True if 'text' (NULL is fine) has such a word. */
bool sgang_extra_found(const char *text);

#endif
