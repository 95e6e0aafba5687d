/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit.h - what all unit tests begin with
 *
 * A test is written
 *
 *	TEST(name)
 *	{
 *		...
 *	}
 *
 * and is thereby among those that TEST_MAIN() runs, in the order in which they
 * stand in the file: none can be forgotten. Included by each program once,
 * behind the headers of the system.
 */

#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Who stands in for another has its parameters, and uses few of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A list in a row of a table; with braces of its own, the layout would give
 * each word of the row a line. */
#define LIST(...)           \
	{                   \
		__VA_ARGS__ \
	}

static struct CMUnitTest unit_tests[200];
static int unit_lines[COUNT(unit_tests)];
static size_t unit_n;

/* Compilers are free to change the order of constructors. */
static inline void unit_add(struct CMUnitTest test, int line)
{
	size_t at = unit_n++;

	if (unit_n > COUNT(unit_tests))
		abort();
	for (; at && unit_lines[at - 1] > line; at--) {
		unit_tests[at] = unit_tests[at - 1];
		unit_lines[at] = unit_lines[at - 1];
	}
	unit_tests[at] = test;
	unit_lines[at] = line;
}

/* With 'setup' before it and 'teardown' behind it. */
#define TEST_WITH(name, setup, teardown)                                     \
	static void name(void **state);                                      \
	__attribute__((constructor)) static void name##_is_there(void)       \
	{                                                                    \
		unit_add((struct CMUnitTest)cmocka_unit_test_setup_teardown( \
				 name, setup, teardown),                     \
			 __LINE__);                                          \
	}                                                                    \
	static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* 'setup' is called before the first test, and 'teardown' behind the last. */
static inline int run_all_tests(CMFixtureFunction setup,
				CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests("tests", unit_tests, unit_n, setup,
				       teardown);
}

#define TEST_MAIN(setup, teardown)                     \
	int main(void)                                 \
	{                                              \
		return run_all_tests(setup, teardown); \
	}

#endif
