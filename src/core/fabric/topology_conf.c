/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_conf.c - reads topology.conf: lines, keys, included files
 *
 * The text is taken apart as slurmctld does it, 22.05 as well as 26.05: keys
 * without regard to case, '#' comments unless escaped as "\#", a backslash at
 * the end of a line joins it with the next, values may be quoted, "Include
 * FILE" reads a file beside this one. Input that slurmctld silently accepts or
 * dies of, such as a key given twice, is an error that names the line. switch.c
 * and block.c read the lines of each kind of fabric.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/base/text_file.h"
#include "draft.h"

/* Files may include each other; no sane nesting is deeper. */
#define INCLUDE_DEPTH_MAX 16

static const struct sgang_line_rule *const rules[] = {
	&sgang_switch_line,
	&sgang_block_line,
	&sgang_block_sizes_line,
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

struct reader {
	struct sgang_conf_reader to;
	const struct sgang_line_rule *first; /* of the first line */
	char first_place[256];               /* where that stands */
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

static int no_memory(const struct reader *reader)
{
	return sgang_errf(reader->err, ENOMEM, "fabric: out of memory");
}

static int complain(const struct reader *reader, const struct source *source,
		    const char *what, const char *word)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(reader->err, EINVAL, "%s:%u: %s \"%s\"",
			  source->label, source->line_no, what,
			  sgang_text_show(shown, word));
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
	}
	if (p == value)
		return NULL;
	*end = *p ? p + 1 : p;
	*p = '\0';
	return value;
}

/* Take the next Key=Value of a line apart. Returns 1, 0 at its end, or -1. */
static int next_pair(const struct reader *reader, const struct source *source,
		     char **text, char **key, char **value)
{
	char *p = skip_blanks(*text), *start = p, *key_end;

	if (!*p)
		return 0;
	while (isalnum((unsigned char)*p) || *p == '_' || *p == '.')
		p++;
	key_end = p;
	p = skip_blanks(p);
	if (key_end == start || *p != '=')
		return complain(reader, source, "expected Key=Value, found",
				start);
	*key_end = '\0';
	*key = start;
	*value = take_value(skip_blanks(p + 1), text);
	if (!*value)
		return complain(reader, source,
				"expected a value, in \"\" if "
				"it holds blanks, for the key",
				start);
	return 1;
}

/* The rule whose lines begin with key 'name', or NULL. */
static const struct sgang_line_rule *find_rule(const char *name)
{
	size_t i;

	for (i = 0; i < N_RULES; i++) {
		if (!strcasecmp(rules[i]->key[0], name))
			return rules[i];
	}
	return NULL;
}

static int find_key(const struct sgang_line_rule *rule, const char *name)
{
	int key;

	for (key = 0; key < SGANG_LINE_KEYS && rule->key[key]; key++) {
		if (!strcasecmp(rule->key[key], name))
			return key;
	}
	return -1;
}

static int unknown_key(const struct reader *reader, const struct source *source,
		       const struct sgang_line_rule *rule, const char *name)
{
	char known[SGANG_TEXT_SHOWN] = "", what[2 * SGANG_TEXT_SHOWN];
	size_t used = 0;
	int key;

	for (key = 0; key < SGANG_LINE_KEYS && rule->key[key]; key++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", key ? ", " : "",
					 rule->key[key]);
	snprintf(what, sizeof(what),
		 "expected only %s in the line, found the "
		 "key",
		 known);
	return complain(reader, source, what, name);
}

/* A file describes one kind of fabric. */
static int check_kind(struct reader *reader, const struct source *source,
		      const struct sgang_line_rule *rule)
{
	if (!reader->first) {
		reader->first = rule;
		snprintf(reader->first_place, sizeof(reader->first_place),
			 "%.240s:%u", source->label, source->line_no);
		sgang_draft_call(reader->to.draft, rule->words);
	}
	if (reader->first->words == rule->words)
		return 0;
	return sgang_errf(reader->err, EINVAL,
			  "%s:%u: found %s= after %s= at "
			  "%s, expected either a tree of switches or blocks in "
			  "one file",
			  source->label, source->line_no, rule->key[0],
			  reader->first->key[0], reader->first_place);
}

/* Find the rule of a line and fill 'value' by its keys. No rule: the line is
 * empty. */
static int take_keys(struct reader *reader, const struct source *source,
		     const struct sgang_line_rule **rule,
		     char *value[SGANG_LINE_KEYS])
{
	char *text = source->line, *name = NULL, *word = NULL;
	int key, rc;

	*rule = NULL;
	while ((rc = next_pair(reader, source, &text, &name, &word)) > 0) {
		if (!*rule) {
			*rule = find_rule(name);
			if (!*rule)
				return complain(reader, source,
						"expected "
						"SwitchName=, BlockName= or "
						"BlockSizes= at the start of "
						"the line, found",
						name);
			if (check_kind(reader, source, *rule))
				return -1;
		}
		key = find_key(*rule, name);
		if (key < 0)
			return unknown_key(reader, source, *rule, name);
		if (value[key])
			return complain(reader, source,
					"the line has two "
					"values for the key",
					name);
		value[key] = word;
	}
	return rc;
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
		return no_memory(reader);
	text = sgang_text_file_read(path, SGANG_FABRIC_FILE_MAX,
				    SGANG_FABRIC_FILE_KIND, &why);
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
	char *value[SGANG_LINE_KEYS] = { NULL };
	const struct sgang_line_rule *rule;
	char *name;

	if (is_include(source->line, &name)) {
		if (strpbrk(name, " \t"))
			return complain(reader, source,
					"expected one file "
					"after Include, found",
					name);
		return include(reader, source, name);
	}
	if (take_keys(reader, source, &rule, value))
		return -1;
	return rule ? rule->take(&reader->to, place, value) : 0;
}

static int read_source(struct reader *reader, struct source *source)
{
	int rc = 0, saved;

	/* no logical line is longer than the file */
	source->line = malloc(strlen(source->rest) + 1);
	if (!source->line)
		return no_memory(reader);
	source->next_no = 1;
	while (!rc && next_line(source))
		rc = read_line(reader, source);
	saved = errno;
	free(source->line);
	errno = saved;
	return rc;
}

int sgang_fabric_read_conf(struct sgang_draft *draft, const char *text,
			   const char *label, struct sgang_error *err)
{
	struct reader reader = { .to = { .draft = draft, .err = err },
				 .err = err };
	struct source source = { .label = label, .rest = text };

	if (read_source(&reader, &source))
		return -1;
	if (!sgang_draft_switches(draft))
		return sgang_errf(err, EINVAL,
				  "%s: it defines no switch and "
				  "no block, expected lines SwitchName=... or "
				  "BlockName=...",
				  label);
	if (reader.first->words == &sgang_block_words)
		return sgang_draft_join(draft, &reader.to.sizes, err);
	return 0;
}

struct sgang_fabric *sgang_fabric_parse(const char *text, const char *label,
					const char *const *nodes,
					uint32_t n_nodes,
					struct sgang_error *err)
{
	struct sgang_fabric *fabric = NULL;
	struct sgang_draft *draft = sgang_draft_create(nodes, n_nodes, err);

	if (draft && !sgang_fabric_read_conf(draft, text, label, err))
		fabric = sgang_draft_build(draft, err);
	sgang_draft_destroy(draft);
	return fabric;
}
