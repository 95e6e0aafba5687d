/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_question.c - unit tests of question.c */

#include "../unit.h"
#include "core/gang/question.h"

TEST(test_question)
{
	char other[] = "HOME=/", gang[] = SGANG_SPEC_ENV "gang=train",
	     asks[] = SGANG_QUESTION_ENV SGANG_QUESTION_FABRIC;
	char *without[] = { other, gang, NULL }, *with[] = { gang, NULL, asks };

	assert_null(sgang_question(NULL, 0));
	assert_null(sgang_question(without, 3));
	assert_string_equal(sgang_question(with, 3), "fabric");
}

/* As libslurm writes each line into a log file. */
static char *logged(const char *marked)
{
	char *log = calloc(1, 4096), *copy = strdup(marked), *rest = copy;
	char *line;

	while ((line = strtok_r(rest, "\n", &rest))) {
		strcat(log, "[2026-11-25T21:00:00.123] error: ");
		strcat(log, line);
		strcat(log, "\n");
	}
	free(copy);
	return log;
}

/* 4.14: what was told comes back as it was, but for empty lines. */
TEST(test_round_trip)
{
	static const char *const text[] = {
		"",
		"# since=7\nHopCosts=1,2\t# error: gang| default\n",
		"one",
		"\n\none\n\ntwo\n",
	};
	static const char *const back[] = {
		"",
		"# since=7\nHopCosts=1,2\t# error: gang| default\n",
		"one\n",
		"one\ntwo\n",
	};

	for (size_t i = 0; i < COUNT(text); i++) {
		char *marked = sgang_question_mark(text[i]);
		char *log = logged(marked);
		char *answer = sgang_question_answer(log, NULL);

		assert_string_equal(answer, back[i]);
		free(answer);
		free(log);
		free(marked);
	}
}

/* 4.14: what is no answer, or half of one, is the reason why there is none. */
TEST(test_no_answer)
{
	static const char *const log[] = {
		"",
		"[now] error: gangs are off on this cluster: x\nmore\n",
		"[now] error: gang|half an answer\n",
		"[now] error: lua: say a time limit",
	};
	static const char *const why[] = {
		"",
		"gangs are off on this cluster: x",
		"gang|half an answer",
		"lua: say a time limit",
	};
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(log); i++) {
		assert_null(sgang_question_answer(log[i], &err));
		assert_int_equal(errno, EPROTO);
		assert_string_equal(err.text, why[i]);
	}
}

TEST_MAIN(NULL, NULL)
