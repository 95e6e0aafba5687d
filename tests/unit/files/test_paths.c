/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_paths.c - unit tests of paths.c */

#include "../unit.h"
#include "files/paths.h"

TEST(test_in)
{
	char path[SGANG_PATH], longest[SGANG_PATH];
	struct sgang_error err;

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

TEST(test_folder)
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

	for (size_t i = 0; i < COUNT(cases); i++) {
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

TEST_MAIN(NULL, NULL)
