/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_lines.c - takes the lines of slurm.conf and topology.conf apart */

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf_lines.h"
#include "text.h"
#include "text_file.h"

/* Files may include each other; no sane nesting is deeper. */
#define INCLUDE_DEPTH_MAX 16

struct reader {
	const struct sgang_conf_lines *lines;
	struct sgang_error *err;
};

/* A file being read: 'line' is the logical line at hand. */
struct source {
	const char *label;
	const char *rest; /* what is not read yet */
	char *line;
	uint32_t line_no; /* where 'line' starts */
	uint32_t next_no;
	uint32_t depth;
};

static int no_memory(const struct reader *reader, const struct source *source)
{
	return sgang_errf(reader->err, ENOMEM, "%s: out of memory",
			  source->label);
}

int sgang_conf_complain(struct sgang_place place, const char *what,
			const char *word, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(err, EINVAL, "%s:%u: %s \"%s\"", place.file,
			  place.line, what, sgang_text_show(shown, word));
}

static int complain(const struct reader *reader, const struct source *source,
		    const char *what, const char *word)
{
	const struct sgang_place place = { source->label, source->line_no };

	return sgang_conf_complain(place, what, word, reader->err);
}

static bool blank(char c)
{
	return isspace((unsigned char)c);
}

static char *skip_blanks(char *p)
{
	while (blank(*p))
		p++;
	return p;
}

/* The length of a physical line without its comment. */
static size_t length_before_comment(const char *line, size_t length)
{
	size_t i;
	bool escaped = false;

	for (i = 0; i < length; i++) {
		if (line[i] == '#' && !escaped)
			return i;
		escaped = line[i] == '\\' && !escaped;
	}
	return length;
}

/* Does a physical line end in an unescaped backslash? Blanks may follow it.
 * '*length' is then what stands before the backslash. */
static bool continues(const char *line, size_t *length)
{
	size_t end = *length, backslashes = 0;

	while (end && blank(line[end - 1]))
		end--;
	while (backslashes < end && line[end - 1 - backslashes] == '\\')
		backslashes++;
	if (backslashes % 2 == 0)
		return false;
	*length = end - 1;
	return true;
}

static void strip_escapes(char *line)
{
	char *to = line;

	for (; *line; line++) {
		if (*line == '\\' && line[1])
			line++;
		*to++ = *line;
	}
	*to = '\0';
}

/* Put the next logical line together. False at the end of the file. */
static bool next_line(struct source *source)
{
	bool more = true;
	char *to = source->line;

	if (!*source->rest)
		return false;
	source->line_no = source->next_no;
	while (more && *source->rest) {
		const char *line = source->rest;
		size_t all = strcspn(line, "\n");
		size_t length = length_before_comment(line, all);

		/* a comment hides a backslash at its end */
		more = continues(line, &length);
		memcpy(to, line, length);
		to += length;
		source->rest = line + all + (line[all] == '\n');
		source->next_no++;
	}
	*to = '\0';
	strip_escapes(source->line);
	return true;
}

/* Cut the value at 'p' out and leave '*end' behind it. NULL when there is
 * none or its quotes do not match. */
static char *take_value(char *p, char **end)
{
	char *value = p;

	if (*p == '"') {
		value = ++p;
		p = strchr(p, '"');
		if (!p || (p[1] && !blank(p[1])))
			return NULL;
	} else {
		while (*p && !blank(*p))
			p++;
		if (p == value)
			return NULL;
	}
	*end = *p ? p + 1 : p;
	*p = '\0';
	return value;
}

int sgang_conf_next_pair(char **text, struct sgang_place place, char **key,
			 char **value, struct sgang_error *err)
{
	char *p = skip_blanks(*text), *start = p, *key_end;

	if (!*p)
		return 0;
	while (isalnum((unsigned char)*p) || *p == '_' || *p == '.')
		p++;
	key_end = p;
	p = skip_blanks(p);
	if (key_end == start || *p != '=')
		return sgang_conf_complain(place, "expected Key=Value, found",
					   start, err);
	*key_end = '\0';
	*key = start;
	*value = take_value(skip_blanks(p + 1), text);
	if (!*value)
		return sgang_conf_complain(place,
					   "expected a value, in \"\" if it "
					   "holds blanks, for the key",
					   start, err);
	return 1;
}

static int read_source(struct reader *reader, struct source *source);

/* The path of an included file: beside the one that includes it. */
static char *path_beside(const char *label, const char *name)
{
	const char *slash = strrchr(label, '/');
	size_t folder = slash && *name != '/' ? (size_t)(slash - label) + 1 : 0;
	char *path = malloc(folder + strlen(name) + 1);

	if (path) {
		memcpy(path, label, folder);
		strcpy(path + folder, name);
	}
	return path;
}

static int include(struct reader *reader, const struct source *source,
		   const char *name)
{
	struct source included = { .depth = source->depth + 1 };
	struct sgang_error why;
	char *path, *text;
	int rc = -1, saved;

	if (included.depth > INCLUDE_DEPTH_MAX)
		return complain(reader, source,
				"files include each other too "
				"deeply, at Include",
				name);
	path = path_beside(source->label, name);
	if (!path)
		return no_memory(reader, source);
	text = sgang_text_file_read(path, reader->lines->max,
				    reader->lines->kind, &why);
	if (!text) {
		sgang_errf(reader->err, errno == ENOMEM ? ENOMEM : EINVAL,
			   "%s:%u: Include: %s", source->label, source->line_no,
			   why.text);
		goto out;
	}
	included.label = path;
	included.rest = text;
	rc = read_source(reader, &included);
out:
	saved = errno;
	free(text);
	free(path);
	errno = saved;
	return rc;
}

/* Is the line an Include? '*name' is then the file, the rest of the line. */
static bool is_include(char *line, char **name)
{
	const size_t length = strlen("include");
	char *end;

	line = skip_blanks(line);
	if (strncasecmp(line, "include", length) || !blank(line[length]))
		return false;
	*name = skip_blanks(line + length);
	/* "Include = x" is a pair with an unknown key */
	if (!**name || **name == '=')
		return false;
	for (end = *name + strlen(*name); blank(end[-1]); end--)
		end[-1] = '\0';
	return true;
}

static int read_line(struct reader *reader, struct source *source)
{
	const struct sgang_place place = { source->label, source->line_no };
	char *name;

	if (!is_include(source->line, &name))
		return reader->lines->take(reader->lines->arg, place,
					   source->line);
	if (strpbrk(name, " \t"))
		return complain(reader, source,
				"expected one file after Include, found", name);
	return include(reader, source, name);
}

static int read_source(struct reader *reader, struct source *source)
{
	int rc = 0, saved;

	/* no logical line is longer than the file */
	source->line = malloc(strlen(source->rest) + 1);
	if (!source->line)
		return no_memory(reader, source);
	source->next_no = 1;
	while (!rc && next_line(source))
		rc = read_line(reader, source);
	saved = errno;
	free(source->line);
	errno = saved;
	return rc;
}

int sgang_conf_lines_read(const struct sgang_conf_lines *lines,
			  const char *text, const char *label,
			  struct sgang_error *err)
{
	struct reader reader = { .lines = lines, .err = err };
	struct source source = { .label = label, .rest = text };

	return read_source(&reader, &source);
}
