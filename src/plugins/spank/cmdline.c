/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline.c - the command line of this process, as the user typed it */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "plugins/spank/cmdline.h"

/* A file of /proc, whose size is not known before. Returns a block the caller
 * frees, or NULL. */
static char *read_proc(const char *path, size_t *size)
{
	char *text = NULL, part[4096];
	FILE *in = fopen(path, "re");
	FILE *out = in ? open_memstream(&text, size) : NULL;
	size_t n;

	while (out && (n = fread(part, 1, sizeof(part), in)))
		fwrite(part, 1, n, out);
	if (in)
		fclose(in);
	return sgang_text_close(out, &text);
}

/* The strings that follow each other in 'text'. */
static char **split(const char *text, size_t size)
{
	size_t n = 0, i;
	char **words, *copy;

	for (i = 0; i < size; i++)
		n += !text[i];
	words = malloc((n + 1) * sizeof(*words) + size);
	if (!words)
		return NULL;
	copy = memcpy(words + n + 1, text, size);
	for (i = 0; i < n; i++) {
		words[i] = copy;
		copy += strlen(copy) + 1;
	}
	words[n] = NULL;
	return words;
}

char **sgang_cmdline(void)
{
	size_t size = 0;
	char *text = read_proc("/proc/self/cmdline", &size);
	char **words = text ? split(text, size) : NULL;

	free(text);
	return words;
}
