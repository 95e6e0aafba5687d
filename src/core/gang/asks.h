/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asks.h - what a gang and a member asked for, as a word of the record
 *
 * "topology=require:leaf;min-tres=cpu=5;order=0": options without "--gang-",
 * with their values as they are typed, and ';' between them. Options that have
 * a word of their own in the record (record.h) are left out. The word is for
 * people; slurmctld reads the options of the jobs.
 */

#ifndef SGANG_ASKS_H
#define SGANG_ASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "spec.h"

/* A longer list ends before the option that has no room. */
#define SGANG_ASKS_SIZE 384

/* Options that all members share; "" if not set. */
void sgang_asks_write(const struct sgang_spec *spec,
		      char text[SGANG_ASKS_SIZE]);

/* Add what is a member's own: order and rank. */
void sgang_asks_add_own(const struct sgang_spec *spec,
			char text[SGANG_ASKS_SIZE]);

/* The value of an option, "topology", into 'value'. Returns it, or NULL when it
 * was not said or has no room. */
const char *sgang_asks_find(const char *text, const char *option, char *value,
			    size_t size);

#endif
