/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_text_file.c - whole files, read and written */

#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "core/base/text_file.h"

static char dir[] = "test_text_file.XXXXXX";
static char file[sizeof(dir) + 16], new[sizeof(file) + 8];

static int enter(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/settings", dir);
	snprintf(new, sizeof(new), "%s.new", file);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

TEST(what_is_written_is_read)
{
	struct sgang_error err;
	struct stat status;
	char *text;

	assert_int_equal(sgang_text_file_write(file, "first\n", &err), 0);
	assert_int_equal(sgang_text_file_write(file, "a\nb", &err), 0);
	text = sgang_text_file_read(file, 100, "settings", &err);
	assert_non_null(text);
	assert_string_equal(text, "a\nb");
	free(text);
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0644);
	assert_int_equal(access(new, F_OK), -1);
}

/* And nothing is left of the attempt. */
TEST(a_file_that_cannot_be_written_stays)
{
	struct sgang_error err;
	char long_path[5000];
	char *text;

	assert_int_equal(sgang_text_file_write(file, "kept", &err), 0);
	assert_int_equal(symlink("/dev/full", new), 0);
	assert_int_equal(sgang_text_file_write(file, "lost", &err), -1);
	assert_int_equal(errno, ENOSPC);
	assert_ptr_equal(strstr(err.text, file), err.text);
	assert_int_equal(access(new, F_OK), -1);
	text = sgang_text_file_read(file, 100, "settings", &err);
	assert_string_equal(text, "kept");
	free(text);

	assert_int_equal(
		sgang_text_file_write("/no/such/folder/file", "a", &err), -1);
	assert_int_equal(errno, ENOENT);
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(sgang_text_file_write(long_path, "a", &err), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

TEST_MAIN(enter, leave)
