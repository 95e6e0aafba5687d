/* SPDX-License-Identifier: GPL-2.0-or-later */
/* question.c - what sgang asks slurmctld, and how the answer comes back */

#define _GNU_SOURCE /* open_memstream() */
#include "core/gang/question.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define MARK "gang|"

const char *sgang_question(char *const *env, size_t n_env)
{
	static const char name[] = SGANG_QUESTION_ENV;
	size_t i;

	for (i = 0; i < n_env; i++)
		if (env[i] && !strncmp(env[i], name, sizeof(name) - 1))
			return env[i] + sizeof(name) - 1;
	return NULL;
}

char *sgang_question_mark(const char *text)
{
	char *marked = NULL;
	size_t size;
	FILE *out = open_memstream(&marked, &size);

	while (out && *text) {
		size_t length = strcspn(text, "\n");

		/* Slurm drops empty lines */
		if (length)
			fprintf(out, MARK "%.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
	if (out)
		fputs(MARK "\n", out);
	return sgang_text_close(out, &marked);
}

/* The line without what the log puts in front: "[time] error: ". */
static const char *after_prefix(const char *line, size_t length)
{
	static const char word[] = "error: ";
	const char *at = memmem(line, length, word, sizeof(word) - 1);

	return at ? at + sizeof(word) - 1 : line;
}

static int no_answer(const char *log, struct sgang_error *err)
{
	size_t length = strcspn(log, "\n");
	const char *said = after_prefix(log, length);

	return sgang_errf(err, EPROTO, "%.*s",
			  (int)(length - (size_t)(said - log)), said);
}

/* Copy the marked lines. True if the last one was there. */
static bool copy_marked(const char *log, FILE *out)
{
	static const char mark[] = MARK;
	bool whole = false;

	while (*log) {
		size_t length = strcspn(log, "\n");
		const char *at = memmem(log, length, mark, sizeof(mark) - 1);
		size_t left;

		if (at) {
			at += sizeof(mark) - 1;
			left = length - (size_t)(at - log);
			whole = !left;
			if (left)
				fprintf(out, "%.*s\n", (int)left, at);
		}
		log += length + (log[length] == '\n');
	}
	return whole;
}

char *sgang_question_answer(const char *log, struct sgang_error *err)
{
	char *answer = NULL;
	size_t size;
	FILE *out = open_memstream(&answer, &size);
	bool whole = out && copy_marked(log, out);

	if (!sgang_text_close(out, &answer)) {
		sgang_err_memory(err);
		return NULL;
	}
	if (whole)
		return answer;
	free(answer);
	no_answer(log, err);
	return NULL;
}
