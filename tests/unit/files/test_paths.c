/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_paths.c - unit tests of paths.c */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "files/paths.h"

static void test_in(void **state)
{
	char path[SGANG_PATH], longest[SGANG_PATH];
	struct sgang_error err;

	(void)state;
	assert_int_equal(sgang_path_in(path, "/etc/slurm", "a.xml", &err), 0);
	assert_string_equal(path, "/etc/slurm/a.xml");
	assert_int_equal(sgang_path_in(path, "/etc/slurm", "/a.xml", &err), 0);
	assert_string_equal(path, "/a.xml");

	/* what just fits, and one byte more */
	memset(longest, 'x', sizeof(longest));
	longest[SGANG_PATH - 3] = '\0';
	assert_int_equal(sgang_path_in(path, ".", longest, &err), 0);
	assert_int_equal(strlen(path), SGANG_PATH - 1);
	assert_int_equal(sgang_path_in(path, "..", longest, &err), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_non_null(strstr(err.text, "xxx"));
}

static void test_folder(void **state)
{
	static const struct {
		const char *path, *folder;
	} cases[] = {
		{ "/etc/slurm/gang.conf", "/etc/slurm" },
		{ "/gang.conf", "/" },
		{ "gang.conf", "." },
		{ "./gang.conf", "." },
		{ "a/b/gang.conf", "a/b" },
		{ "a/", "a" },
	};
	char folder[SGANG_PATH], path[SGANG_PATH + 9];
	struct sgang_error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(sgang_path_folder(folder, cases[i].path, &err),
				 0);
		assert_string_equal(folder, cases[i].folder);
	}

	/* what just fits, and one byte more */
	memset(path, 'x', sizeof(path));
	strcpy(path + SGANG_PATH - 1, "/a");
	assert_int_equal(sgang_path_folder(folder, path, &err), 0);
	assert_int_equal(strlen(folder), SGANG_PATH - 1);
	strcpy(path + SGANG_PATH - 1, "x/a");
	assert_int_equal(sgang_path_folder(folder, path, &err), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in),
		cmocka_unit_test(test_folder),
	};

	return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
