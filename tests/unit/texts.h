/* SPDX-License-Identifier: GPL-2.0-or-later */
/* texts.h - files that tests read and write, and what is printed
 *
 * Included after unit.h.
 */

#ifndef TESTS_UNIT_TEXTS_H
#define TESTS_UNIT_TEXTS_H

#include <unistd.h>

/* ---- files of the source tree ---- */

/* The path of one; valid until the next call. */
static inline const char *source_path(const char *name)
{
	static char path[4096];
	const char *top = getenv("top_srcdir");

	snprintf(path, sizeof(path), "%s/%s", top ? top : ".", name);
	return path;
}

/* A whole text, of less than 'size' bytes. */
static inline void read_source(const char *name, char *text, size_t size)
{
	FILE *in = fopen(source_path(name), "r");
	size_t n;

	assert_non_null(in);
	n = fread(text, 1, size, in);
	assert_in_range(n, 1, size - 1);
	text[n] = '\0';
	fclose(in);
}

/* ---- a file that tests write ---- */

static char scratch_path[] = "/tmp/sgang_test.XXXXXX";

static inline int make_scratch(void **state)
{
	int fd = mkstemp(scratch_path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static inline int remove_scratch(void **state)
{
	(void)state;
	return unlink(scratch_path);
}

static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static inline void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

/* ---- what is printed ---- */

static struct {
	FILE *out;
	char *text;
	size_t size;
} print_stream;

/* To be printed to, until printed() or assert_printed(). */
static inline FILE *printing(void)
{
	print_stream.out = open_memstream(&print_stream.text,
					  &print_stream.size);
	assert_non_null(print_stream.out);
	return print_stream.out;
}

/* Returns what was printed, which the caller frees. */
static inline char *printed(void)
{
	assert_int_equal(fclose(print_stream.out), 0);
	return print_stream.text;
}

static inline void assert_printed(const char *wanted)
{
	char *text = printed();

	assert_string_equal(text, wanted);
	free(text);
}

#endif
