/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - the words of a command line */

#ifndef SGANG_WORDS_H
#define SGANG_WORDS_H

#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"

/* { NULL, 0 } is a list without words. */
struct sgang_words {
	char **word; /* ends with NULL; NULL: no words */
	size_t n;
};

/* Add a word, as printf() writes it. Returns 0, or -1 with ENOMEM and 'err'
 * filled; the list is then as before. */
int sgang_words_add(struct sgang_words *words, struct sgang_error *err,
		    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Add copies of all words of another list. Returns 0 or -1, as above. */
int sgang_words_append(struct sgang_words *words,
		       const struct sgang_words *more, struct sgang_error *err);

/* Leaves a list without words. Keeps errno. */
void sgang_words_clear(struct sgang_words *words);

/* Print them as a line that a shell takes apart into the same words. */
void sgang_words_print(const struct sgang_words *words, FILE *out);

#endif
