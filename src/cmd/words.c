/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c - the words of a command line */

#define _GNU_SOURCE /* vasprintf() */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/words.h"

/* Append the word, which was allocated. */
static int push(struct sgang_words *words, char *word)
{
	char **bigger = realloc(words->word, (words->n + 2) * sizeof(*bigger));

	if (!bigger)
		return -1;
	words->word = bigger;
	words->word[words->n++] = word;
	words->word[words->n] = NULL;
	return 0;
}

int sgang_words_add(struct sgang_words *words, struct sgang_error *err,
		    const char *fmt, ...)
{
	char *word = NULL;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vasprintf(&word, fmt, args);
	va_end(args);
	if (length < 0)
		return sgang_err_memory(err);
	if (push(words, word)) {
		free(word);
		return sgang_err_memory(err);
	}
	return 0;
}

int sgang_words_append(struct sgang_words *words,
		       const struct sgang_words *more, struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < more->n; i++)
		if (sgang_words_add(words, err, "%s", more->word[i]))
			return -1;
	return 0;
}

void sgang_words_clear(struct sgang_words *words)
{
	int saved = errno;
	size_t i;

	for (i = 0; i < words->n; i++)
		free(words->word[i]);
	free(words->word);
	words->word = NULL;
	words->n = 0;
	errno = saved;
}

/* Between single quotes a shell understands nothing but their end. */
static void print_quoted(const char *word, FILE *out)
{
	const char *p;

	fputc('\'', out);
	for (p = word; *p; p++) {
		if (*p == '\'')
			fputs("'\\''", out);
		else
			fputc(*p, out);
	}
	fputc('\'', out);
}

void sgang_words_print(const struct sgang_words *words, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";
	size_t i;

	for (i = 0; i < words->n; i++) {
		const char *word = words->word[i];

		if (i)
			fputc(' ', out);
		if (word[0] && !word[strspn(word, plain)])
			fputs(word, out);
		else
			print_quoted(word, out);
	}
	fputc('\n', out);
}
