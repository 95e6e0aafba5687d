/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition_words.h - "gpu:nvl72,cpu:tree": what holds for some partitions, or for
 * some accounts
 *
 * The first colon of a word ends the name, so a value may have others, as
 * "debug:00:10:00" does.
 */

#ifndef SGANG_PARTITION_WORDS_H
#define SGANG_PARTITION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Room for the name of a topology, or of a partition that has one: for both
 * sides of a word. */
#define SGANG_TOPOLOGY_NAME 64

/* Are these such words, each name once? Nothing is fine. Returns 0, or -1 with
 * EINVAL and 'err' saying which word is none; the caller adds what was
 * expected, and looks at the values. */
int sgang_partition_words_check(const char *text, struct sgang_error *err);

/* Word 'i', from 0 on, of text that has passed the check. False when there are
 * not so many. */
bool sgang_partition_words_get(const char *text, size_t i,
			       char name[SGANG_TOPOLOGY_NAME],
			       char value[SGANG_TOPOLOGY_NAME]);

/* The value behind that name in text that has passed the check. False: there is
 * none. */
bool sgang_partition_words_find(const char *text, const char *name,
				char value[SGANG_TOPOLOGY_NAME]);

#endif
