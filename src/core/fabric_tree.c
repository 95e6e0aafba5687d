/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_tree.c - reads topology.conf of the tree kind
 *
 *   SwitchName=leaf1 Nodes=n[1-16]
 *   SwitchName=leaf2 Nodes=n[17-32]
 *   SwitchName=spine Switches=leaf[1-2]
 *
 * The text is taken apart as slurmctld 22.05 does it: keys without regard to
 * case, '#' comments unless escaped as "\#", a backslash at the end of a line
 * joins it with the next, values may be quoted, "Include FILE" reads a file
 * beside this one. What slurmctld silently accepts or dies of, such as a key
 * given twice, is an error that names the line.
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fabric_private.h"
#include "hostlist.h"
#include "text.h"

/* Files may include each other; no sane nesting is deeper. */
#define INCLUDE_DEPTH_MAX 16

/* The children of one switch; they may be defined further on. */
struct children {
	char *list;
	struct sgang_place place;	/* 'file' is not used */
	uint32_t parent;
};

struct reader {
	struct sgang_draft *draft;
	struct sgang_error *err;
	struct children *children;
	size_t n_children, children_room;
};

/* One file being read: 'line' is the logical line at hand. */
struct source {
	const char *label;
	const char *rest;		/* what is not read yet */
	char *line;
	uint32_t line_no;		/* where 'line' starts */
	uint32_t next_no;
	uint32_t depth;
};

enum key { KEY_SWITCH, KEY_SWITCHES, KEY_NODES, KEY_SPEED, KEYS };

static const char *const key_names[KEYS] = {
	"SwitchName", "Switches", "Nodes", "LinkSpeed"
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
		return complain(reader, source, "expected a value, in \"\" if "
				"it holds blanks, for the key", start);
	return 1;
}

static int find_key(const char *name)
{
	int key;

	for (key = 0; key < KEYS; key++) {
		if (!strcasecmp(key_names[key], name))
			return key;
	}
	return -1;
}

/* Fill 'value' by key from a line. */
static int take_keys(const struct reader *reader, const struct source *source,
		     char *value[KEYS])
{
	char *text = source->line, *name = NULL, *word = NULL;
	bool first = true;
	int key, rc;

	while ((rc = next_pair(reader, source, &text, &name, &word)) > 0) {
		key = find_key(name);
		if (key < 0)
			return complain(reader, source, "expected SwitchName, "
					"Switches, Nodes or LinkSpeed, found "
					"the key", name);
		if (first && key != KEY_SWITCH)
			return complain(reader, source, "expected SwitchName= "
					"at the start of the line, found",
					name);
		if (value[key])
			return complain(reader, source, "the line has two "
					"values for the key", name);
		value[key] = word;
		first = false;
	}
	return rc;
}

/* LinkSpeed says nothing about where places are; it only has to be a
 * number. */
static int check_speed(const struct reader *reader,
		       const struct source *source, const char *speed)
{
	uint64_t number;

	if (!strcasecmp(speed, "UNLIMITED") || !strcasecmp(speed, "INFINITE") ||
	    !sgang_text_number(speed, 0, UINT32_MAX, &number))
		return 0;
	return complain(reader, source, "expected a number for LinkSpeed, "
			"found", speed);
}

/* Expand a list, naming the line when it is bad. */
static int expand(const struct reader *reader, const char *label,
		  uint32_t line, const char *list, char ***names)
{
	struct sgang_error why;

	if (!sgang_hostlist_expand(list, names, NULL, &why))
		return 0;
	return sgang_errf(reader->err, errno, "%s:%u: %s", label, line,
			  why.text);
}

static int add_nodes(const struct reader *reader, const struct source *source,
		     uint32_t leaf, const char *list)
{
	char **names;
	int rc = 0;
	size_t i;

	if (expand(reader, source->label, source->line_no, list, &names))
		return -1;
	for (i = 0; names[i] && !rc; i++)
		rc = sgang_draft_node(reader->draft, leaf, names[i],
				      reader->err);
	sgang_hostlist_free(names);
	return rc;
}

/* Keep the children for later. */
static int note_children(struct reader *reader, uint32_t parent,
			 struct sgang_place place, const char *list)
{
	struct children *children;

	if (reader->n_children == reader->children_room) {
		size_t room = 2 * reader->children_room + 16;

		children = realloc(reader->children, room * sizeof(*children));
		if (!children)
			return no_memory(reader);
		reader->children = children;
		reader->children_room = room;
	}
	children = &reader->children[reader->n_children];
	children->parent = parent;
	children->place = place;
	children->list = malloc(strlen(place.file) + strlen(list) + 2);
	if (!children->list)
		return no_memory(reader);
	/* the list first, then the name of the file */
	strcpy(children->list, list);
	strcpy(children->list + strlen(list) + 1, place.file);
	reader->n_children++;
	return 0;
}

static int take_switch(struct reader *reader, const struct source *source,
		       char *value[KEYS])
{
	const struct sgang_place place = { source->label, source->line_no };
	uint32_t number;

	if (strpbrk(value[KEY_SWITCH], "[],"))
		return complain(reader, source, "expected the name of one "
				"switch, found", value[KEY_SWITCH]);
	if (value[KEY_NODES] && value[KEY_SWITCHES])
		return complain(reader, source, "expected Nodes= or Switches=, "
				"found both for switch", value[KEY_SWITCH]);
	if (!value[KEY_NODES] && !value[KEY_SWITCHES])
		return complain(reader, source, "expected Nodes= or Switches=, "
				"found neither for switch", value[KEY_SWITCH]);
	if (value[KEY_SPEED] &&
	    check_speed(reader, source, value[KEY_SPEED]))
		return -1;
	if (sgang_draft_switch(reader->draft, value[KEY_SWITCH], place, &number,
			       reader->err))
		return -1;
	if (value[KEY_NODES])
		return add_nodes(reader, source, number, value[KEY_NODES]);
	return note_children(reader, number, place, value[KEY_SWITCHES]);
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
		return complain(reader, source, "files include each other too "
				"deeply, at Include", name);
	path = path_beside(source->label, name);
	if (!path)
		return no_memory(reader);
	text = sgang_fabric_slurp(path, &why);
	if (!text) {
		sgang_errf(reader->err, errno == ENOMEM ? ENOMEM : EINVAL,
			   "%s:%u: Include: %s", source->label,
			   source->line_no, why.text);
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
	char *value[KEYS] = { NULL };
	char *name;

	if (is_include(source->line, &name)) {
		if (strpbrk(name, " \t"))
			return complain(reader, source, "expected one file "
					"after Include, found", name);
		return include(reader, source, name);
	}
	if (take_keys(reader, source, value))
		return -1;
	if (!value[KEY_SWITCH])
		return 0;
	return take_switch(reader, source, value);
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

/* Now that all switches are known: who is whose child? */
static int link_children(const struct reader *reader)
{
	size_t i, k;
	int rc = 0;

	for (i = 0; i < reader->n_children && !rc; i++) {
		const struct children *children = &reader->children[i];
		const char *list = children->list;
		char **names;

		if (expand(reader, list + strlen(list) + 1,
			   children->place.line, list, &names))
			return -1;
		for (k = 0; names[k] && !rc; k++)
			rc = sgang_draft_child(reader->draft, children->parent,
					       names[k], reader->err);
		sgang_hostlist_free(names);
	}
	return rc;
}

static int read_tree(struct sgang_draft *draft, const char *text,
		     const char *label, struct sgang_error *err)
{
	struct reader reader = { .draft = draft, .err = err };
	struct source source = { .label = label, .rest = text };
	int rc, saved;
	size_t i;

	rc = read_source(&reader, &source);
	if (!rc && !sgang_draft_switches(draft))
		rc = sgang_errf(err, EINVAL, "%s: it defines no switch, "
				"expected lines SwitchName=... Nodes=... or "
				"Switches=...", label);
	if (!rc)
		rc = link_children(&reader);
	saved = errno;
	for (i = 0; i < reader.n_children; i++)
		free(reader.children[i].list);
	free(reader.children);
	errno = saved;
	return rc;
}

const struct sgang_fabric_ops sgang_fabric_tree = {
	.name = "tree",
	.read = read_tree,
};
