/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - how far a gang is, as a bar of characters
 *
 *   ####++++........
 *
 * '#' stands for members that have their nodes, '+' for members without nodes,
 * '.' for missing members, of as many as the gang needs to start or has,
 * whichever is more.
 */

#ifndef SGANG_PROGRESS_H
#define SGANG_PROGRESS_H

#include <stddef.h>

#include "cmd/gangs.h"

#define SGANG_PROGRESS_MAX 64

/* Write the bar of 'width' characters, up to SGANG_PROGRESS_MAX, into 'text';
 * "" for a gang that has ended, and while its need is unknown. Returns 'text'.
 */
const char *sgang_progress_bar(const struct sgang_gang *gang, size_t width,
			       char text[SGANG_PROGRESS_MAX + 1]);

/* The same in words: "2/4 members, 1 with nodes". */
#define SGANG_PROGRESS_WORDS 96
const char *sgang_progress_words(const struct sgang_gang *gang,
				 char text[SGANG_PROGRESS_WORDS]);

#endif
