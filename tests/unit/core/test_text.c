/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_text.c - strict numbers, and quoting for messages */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/text.h"

static void test_number(void **state)
{
	static const struct {
		const char *text;
		uint64_t min;
		uint64_t max;
		int errnum;		/* 0: it is a number */
		uint64_t value;
	} cases[] = {
		{ "0", 0, 10, 0, 0 },
		{ "10", 0, 10, 0, 10 },
		{ "007", 0, 10, 0, 7 },
		{ "18446744073709551615", 0, UINT64_MAX, 0, UINT64_MAX },
		{ "18446744073709551616", 0, UINT64_MAX, ERANGE, 0 },
		{ "99999999999999999999999999", 0, UINT64_MAX, ERANGE, 0 },
		{ "11", 0, 10, ERANGE, 0 },
		{ "0", 1, 10, ERANGE, 0 },
		{ "", 0, 10, EINVAL, 0 },
		{ NULL, 0, 10, EINVAL, 0 },
		{ "-1", 0, 10, EINVAL, 0 },
		{ "+1", 0, 10, EINVAL, 0 },
		{ " 1", 0, 10, EINVAL, 0 },
		{ "1 ", 0, 10, EINVAL, 0 },
		{ "1x", 0, 10, EINVAL, 0 },
		{ "0x1", 0, 10, EINVAL, 0 },
		{ "1.0", 0, 10, EINVAL, 0 },
		{ "99999999999999999999999999x", 0, 10, EINVAL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 4711;
		int rc = sgang_text_number(cases[i].text, cases[i].min,
					   cases[i].max, &value);

		if (cases[i].errnum) {
			assert_int_equal(rc, -1);
			assert_int_equal(errno, cases[i].errnum);
			assert_int_equal(value, 4711);
		} else {
			assert_int_equal(rc, 0);
			assert_true(value == cases[i].value);
		}
	}
}

static void test_show(void **state)
{
	char shown[SGANG_TEXT_SHOWN];
	char text[SGANG_TEXT_SHOWN + 10];

	(void)state;
	assert_string_equal(sgang_text_show(shown, "n[1-4]=8"), "n[1-4]=8");
	assert_string_equal(sgang_text_show(shown, ""), "");
	assert_string_equal(sgang_text_show(shown, NULL), "(nothing)");
	assert_string_equal(sgang_text_show(shown, "a\nb\033[2Jc\377"),
			    "a?b?[2Jc?");

	/* what just fits is whole, one more byte and it is cut */
	memset(text, 'x', sizeof(text));
	text[SGANG_TEXT_SHOWN - 1] = '\0';
	assert_string_equal(sgang_text_show(shown, text), text);
	text[SGANG_TEXT_SHOWN - 1] = 'x';
	text[SGANG_TEXT_SHOWN] = '\0';
	sgang_text_show(shown, text);
	assert_int_equal(strlen(shown), SGANG_TEXT_SHOWN - 1);
	assert_string_equal(shown + SGANG_TEXT_SHOWN - 4, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_show),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
