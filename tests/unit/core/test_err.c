/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_err.c - one sentence for a human */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/base/err.h"

static void test_writes(void **state)
{
	struct sgang_error err;

	(void)state;
	errno = 0;
	assert_int_equal(sgang_errf(&err, EINVAL, "%s:%d: bad", "file", 7), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "file:7: bad");
}

static void test_without_text(void **state)
{
	(void)state;
	errno = 0;
	assert_int_equal(sgang_errf(NULL, ENOMEM, "%s", "lost"), -1);
	assert_int_equal(errno, ENOMEM);
}

static void test_own_text(void **state)
{
	struct sgang_error err;

	(void)state;
	sgang_errf(&err, EINVAL, "inner");
	sgang_errf(&err, ENOENT, "outer: %s", err.text);
	assert_string_equal(err.text, "outer: inner");
	assert_int_equal(errno, ENOENT);
}

/* The boundary: a text that just fits is not marked as cut. */
static void test_long(void **state)
{
	struct sgang_error err;
	char text[sizeof(err.text) + 8];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(err.text) - 1] = '\0';
	sgang_errf(&err, EINVAL, "%s", text);
	assert_string_equal(err.text, text);

	text[sizeof(err.text) - 1] = 'x';
	text[sizeof(err.text)] = '\0';
	sgang_errf(&err, EINVAL, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(err.text[sizeof(err.text) - 2], '+');
	assert_int_equal(err.text[sizeof(err.text) - 3], 'x');
}

static void test_controls(void **state)
{
	struct sgang_error err;

	(void)state;
	sgang_errf(&err, EINVAL, "%s", "a\tb\033[2J\177\n\303\251");
	assert_string_equal(err.text, "a?b?[2J??\303\251");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_without_text),
		cmocka_unit_test(test_own_text),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_controls),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
