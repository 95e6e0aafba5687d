/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - whole lines of what arrives piece by piece */

#ifndef SGANG_LINES_H
#define SGANG_LINES_H

#include <stddef.h>

/* A longer line is taken in parts of this length. */
#define SGANG_LINES_MAX 65536

/* Takes a line of 'n' bytes without its line feed; a zero byte follows, and zero
 * bytes may be in it. */
typedef void (*sgang_lines_take_f)(void *arg, char *line, size_t n);

/* Begins as { 0 }. */
struct sgang_lines {
	char *text;
	size_t n;
};

/* Add what has come, and call 'take' with each line that is whole. -1: no
 * memory. */
int sgang_lines_add(struct sgang_lines *lines, const char *data, size_t n,
		    sgang_lines_take_f take, void *arg);

/* The last line may have no line feed. */
void sgang_lines_end(struct sgang_lines *lines, sgang_lines_take_f take,
		     void *arg);

#endif
