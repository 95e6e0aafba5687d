/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition_words.h - "gpu:nvl72,cpu:tree": which partition has which topology */

#ifndef SGANG_PARTITION_WORDS_H
#define SGANG_PARTITION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Room for the name of a topology, or of a partition that has one. */
#define SGANG_TOPOLOGY_NAME 64

/* Are these such words, each partition once? Nothing is fine. Returns 0, or -1
 * with EINVAL and 'err' saying which word is none; the caller adds what was
 * expected. */
int sgang_partition_words_check(const char *text, struct sgang_error *err);

/* Word 'i', from 0 on, of text that has passed the check. False when there are
 * not so many. */
bool sgang_partition_words_get(const char *text, size_t i,
			       char partition[SGANG_TOPOLOGY_NAME],
			       char topology[SGANG_TOPOLOGY_NAME]);

#endif
