/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_parallel.c - communication groups (behaviours 4.29 to 4.32, 4.36) */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/parallel.h"

/* What is read, and what it is in full. */
static void test_parse(void **state)
{
	static const struct {
		const char *text, *full;
		uint64_t ranks;
	} cases[] = {
		{ "tp=8,dp=4,pp=2", "tp=8,dp=4,pp=2:tp=100,dp=10,pp=1", 64 },
		{ "tp=4,dp=4", "tp=4,dp=4:tp=100,dp=10", 16 },
		{ "a=1,b=1,c=1,d=1", "a=1,b=1,c=1,d=1:a=100,b=10,c=1,d=1", 1 },
		/* any name, any order */
		{ "ep=2,cp=3:cp=7,ep=0", "ep=2,cp=3:ep=0,cp=7", 6 },
		{ "pp=2,tp=8:tp=100,pp=1", "pp=2,tp=8:pp=1,tp=100", 16 },
		{ "a_b-c0123456789=1000000:a_b-c0123456789=1000000",
		  "a_b-c0123456789=1000000:a_b-c0123456789=1000000", 1000000 },
		{ "x=002", "x=2:x=100", 2 },
	};
	char shown[SGANG_PARALLEL_SHOWN];
	struct sgang_parallel parallel;
	struct sgang_error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (sgang_parallel_parse(cases[i].text, &parallel, &err))
			fail_msg("%s: %s", cases[i].text, err.text);
		sgang_parallel_format(shown, &parallel);
		assert_string_equal(shown, cases[i].full);
		assert_int_equal(sgang_parallel_ranks(&parallel),
				 cases[i].ranks);
		/* what is written can be read again */
		assert_int_equal(sgang_parallel_parse(shown, &parallel, NULL),
				 0);
		assert_string_equal(sgang_parallel_format(shown, &parallel),
				    cases[i].full);
	}
}

static void test_refuse(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "tp", "\"tp\": expected GROUP=NUMBER like tp=8" },
		{ "tp=8,", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "tp=8,,dp=2", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "=8", "\"\": the name of a group has 1 to 15 of the "
			"characters a-z, 0-9, '_' and '-'" },
		{ "TP=8", "\"TP\": the name of a group has 1 to 15 of the "
			  "characters a-z, 0-9, '_' and '-'" },
		{ "a123456789012345=8", "\"a123456789012345\": the name of a "
		  "group has 1 to 15 of the characters a-z, 0-9, '_' and '-'" },
		{ "tp=0", "tp=0: expected a number from 1 to 1000000" },
		{ "tp=-1", "tp=-1: expected a number from 1 to 1000000" },
		{ "tp=1.5", "tp=1.5: expected a number from 1 to 1000000" },
		{ "tp=1000001", "tp=1000001: expected a number from 1 to "
				"1000000" },
		{ "tp=2,tp=3", "the group tp is named twice" },
		{ "tp=1000000,dp=1000000", "the groups make more than "
					   "2147483647 ranks" },
		{ "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1",
		  "there are at most 8 groups" },
		{ "tp=2:", "\"\": expected GROUP=NUMBER like tp=8" },
		{ "tp=2:dp=1", "there is a weight for dp, but no group of that "
			       "name" },
		{ "tp=2:tp=1,tp=2", "the weight of tp is given twice" },
		{ "tp=2,dp=2:tp=1", "the weight of dp is missing; give all "
				    "weights or none" },
		{ "tp=2:tp=1000001", "tp=1000001: expected a number from 0 to "
				     "1000000" },
		{ "tp=2:tp=1:tp=1", "tp=1:tp=1: expected a number from 0 to "
				    "1000000" },
	};
	struct sgang_parallel parallel, before;
	struct sgang_error err;
	char text[4096];
	size_t i;

	(void)state;
	memset(&parallel, 0x5a, sizeof(parallel));
	before = parallel;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		errno = 0;
		assert_int_equal(sgang_parallel_parse(cases[i].text, &parallel,
						      &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(err.text, cases[i].says);
	}
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(sgang_parallel_parse(text, &parallel, &err), -1);
	assert_string_equal(err.text, "this is too long, expected at most 8 "
			    "groups like tp=8,dp=4,pp=2");
	assert_memory_equal(&parallel, &before, sizeof(before));
}

static void test_check(void **state)
{
	struct sgang_parallel parallel;
	struct sgang_error err;

	(void)state;
	assert_int_equal(sgang_parallel_parse("tp=8,dp=4", &parallel, NULL), 0);
	assert_int_equal(sgang_parallel_check(&parallel, 32, &err), 0);
	assert_int_equal(sgang_parallel_check(&parallel, 16, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "the groups tp=8,dp=4 make 32 ranks, but "
			    "the gang has 16");
	assert_int_equal(sgang_parallel_find(&parallel, "dp"), 1);
	assert_int_equal(sgang_parallel_find(&parallel, "pp"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
