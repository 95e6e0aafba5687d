/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_lines.c - whole lines of what arrives piece by piece */

#include "../unit.h"
#include "cmd/lines.h"

struct taken {
	char text[4 * SGANG_LINES_MAX];
	size_t n, lines;
};

/* Each line in "<>". */
static void take(void *arg, char *line, size_t n)
{
	struct taken *taken = arg;

	assert_int_equal(line[n], 0);
	taken->text[taken->n++] = '<';
	memcpy(taken->text + taken->n, line, n);
	taken->n += n;
	taken->text[taken->n++] = '>';
	taken->lines++;
}

/* In pieces of any length it is the same. */
TEST(test_pieces)
{
	static const char text[] = "one\n\ntwo\0x\nlast";
	static const char wanted[] = "<one><><two\0x><last>";
	static struct taken taken;

	for (size_t size = 1; size <= sizeof(text); size++) {
		struct sgang_lines lines = { .n = 0 };

		taken.n = 0;
		for (size_t at = 0; at < sizeof(text) - 1; at += size) {
			size_t n = sizeof(text) - 1 - at;

			assert_int_equal(sgang_lines_add(&lines, text + at,
							 n < size ? n : size,
							 take, &taken),
					 0);
		}
		sgang_lines_end(&lines, take, &taken);
		assert_int_equal(taken.n, sizeof(wanted) - 1);
		assert_memory_equal(taken.text, wanted, taken.n);
	}
}

TEST(test_long)
{
	static char text[2 * SGANG_LINES_MAX + 10];
	static struct taken taken;
	struct sgang_lines lines = { .n = 0 };

	memset(text, 'x', sizeof(text));
	assert_int_equal(
		sgang_lines_add(&lines, text, sizeof(text), take, &taken), 0);
	assert_int_equal(taken.lines, 2);
	sgang_lines_end(&lines, take, &taken);
	assert_int_equal(taken.lines, 3);
	assert_int_equal(taken.n, sizeof(text) + 6);
	sgang_lines_end(&lines, take, &taken);
	assert_int_equal(taken.lines, 3);
}

TEST_MAIN(NULL, NULL)
