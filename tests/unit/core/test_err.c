/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_err.c - one sentence for a human */

#include "../unit.h"
#include "core/base/err.h"

TEST(test_writes)
{
	struct sgang_error err;

	errno = 0;
	assert_int_equal(sgang_errf(&err, EINVAL, "%s:%d: bad", "file", 7), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "file:7: bad");
}

TEST(test_without_text)
{
	errno = 0;
	assert_int_equal(sgang_errf(NULL, ENOMEM, "%s", "lost"), -1);
	assert_int_equal(errno, ENOMEM);
}

TEST(test_own_text)
{
	struct sgang_error err;

	sgang_errf(&err, EINVAL, "inner");
	sgang_errf(&err, ENOENT, "outer: %s", err.text);
	assert_string_equal(err.text, "outer: inner");
	assert_int_equal(errno, ENOENT);
}

/* The boundary: a text that just fits is not marked as cut. */
TEST(test_long)
{
	struct sgang_error err;
	char text[sizeof(err.text) + 8];

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

TEST(test_controls)
{
	struct sgang_error err;

	sgang_errf(&err, EINVAL, "%s", "a\tb\033[2J\177\n\303\251");
	assert_string_equal(err.text, "a?b?[2J??\303\251");
}

TEST_MAIN(NULL, NULL)
