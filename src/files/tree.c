/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - a YAML file as a tree of texts, lists and maps */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "core/base/text.h"
#include "files/tree.h"

struct reader {
	yaml_parser_t parser;
	const char *path;
	struct sgang_error *err;
};

static void wrong(const struct reader *r, size_t line, const char *why)
{
	sgang_errf(r->err, EINVAL, "%s:%zu: %s", r->path, line, why);
}

static void no_memory(const struct reader *r)
{
	sgang_err_memory(r->err);
}

static size_t line_of(const yaml_mark_t *mark)
{
	return mark->line + 1;
}

/* The error of libyaml. Where bytes are no text it has no line. */
static void complain(const struct reader *r)
{
	const yaml_parser_t *parser = &r->parser;

	if (parser->error == YAML_MEMORY_ERROR)
		no_memory(r);
	else if (parser->error == YAML_READER_ERROR)
		sgang_errf(r->err, EINVAL, "%s: %s", r->path, parser->problem);
	else
		wrong(r, line_of(&parser->problem_mark), parser->problem);
}

/* The next event, to be deleted. Returns 0 or -1. */
static int next_event(struct reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return 0;
	complain(r);
	return -1;
}

static struct sgang_tree *new_tree(const struct reader *r,
				   enum sgang_tree_kind kind, size_t line)
{
	struct sgang_tree *tree = calloc(1, sizeof(*tree));

	if (!tree) {
		no_memory(r);
		return NULL;
	}
	tree->kind = kind;
	tree->line = line;
	return tree;
}

/* Returns a copy of the text, or NULL. */
static char *copy_text(const struct reader *r, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	char *copy;

	if (strlen(value) != event->data.scalar.length) {
		wrong(r, line_of(&event->start_mark), "there is a zero byte");
		return NULL;
	}
	copy = strdup(value);
	if (!copy)
		no_memory(r);
	return copy;
}

static struct sgang_tree *read_text(struct reader *r, const yaml_event_t *event)
{
	struct sgang_tree *tree = new_tree(r, SGANG_TREE_TEXT,
					   line_of(&event->start_mark));

	if (!tree)
		return NULL;
	tree->text = copy_text(r, event);
	if (!tree->text) {
		sgang_tree_destroy(tree);
		return NULL;
	}
	return tree;
}

/* Read the key that is 'event'. Returns a copy, or NULL. */
static char *read_key(struct reader *r, const yaml_event_t *event)
{
	if (event->type != YAML_SCALAR_EVENT) {
		wrong(r, line_of(&event->start_mark),
		      "expected a key in front of a colon");
		return NULL;
	}
	return copy_text(r, event);
}

static int by_key(const void *a, const void *b)
{
	const struct sgang_tree *x = *(const struct sgang_tree *const *)a;
	const struct sgang_tree *y = *(const struct sgang_tree *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Returns the first entry whose key was there before, or NULL. */
static const struct sgang_tree *first_twice(const struct sgang_tree **entry,
					    size_t n)
{
	const struct sgang_tree *first = NULL;
	size_t i;

	qsort(entry, n, sizeof(*entry), by_key);
	for (i = 1; i < n; i++)
		if (!strcmp(entry[i - 1]->key, entry[i]->key) &&
		    (!first || entry[i]->line < first->line))
			first = entry[i];
	return first;
}

/* Each key of the map, which is complete, may stand once. Returns 0 or -1. */
static int check_keys(struct reader *r, const struct sgang_tree *map)
{
	const struct sgang_tree **entry, *child, *twice;
	char shown[SGANG_TEXT_SHOWN];
	size_t n = 0;

	for (child = map->child; child; child = child->next)
		n++;
	entry = calloc(n + 1, sizeof(*entry));
	if (!entry) {
		no_memory(r);
		return -1;
	}
	n = 0;
	for (child = map->child; child; child = child->next)
		entry[n++] = child;
	twice = first_twice(entry, n);
	free(entry);
	if (!twice)
		return 0;
	return sgang_errf(r->err, EINVAL, "%s:%zu: the key \"%s\" stands twice",
			  r->path, twice->line,
			  sgang_text_show(shown, twice->key));
}

static struct sgang_tree *read_node(struct reader *r, const yaml_event_t *event,
				    unsigned int depth);

/* Read the entry of 'tree' that begins with 'event'. NULL: it is wrong. */
static struct sgang_tree *read_entry(struct reader *r,
				     const struct sgang_tree *tree,
				     const yaml_event_t *event,
				     unsigned int depth)
{
	struct sgang_tree *entry = NULL;
	yaml_event_t value;
	char *key;

	if (tree->kind == SGANG_TREE_LIST)
		return read_node(r, event, depth);
	key = read_key(r, event);
	if (!key)
		return NULL;
	if (!next_event(r, &value)) {
		entry = read_node(r, &value, depth);
		yaml_event_delete(&value);
	}
	if (!entry) {
		free(key);
		return NULL;
	}
	entry->key = key;
	entry->line = line_of(&event->start_mark);
	return entry;
}

/* Read the entries of a list or a map up to its end. Returns 0 or -1. */
static int read_entries(struct reader *r, struct sgang_tree *tree,
			yaml_event_type_t end, unsigned int depth)
{
	struct sgang_tree **at = &tree->child;
	yaml_event_t event;

	while (!next_event(r, &event)) {
		bool over = event.type == end;

		if (!over)
			*at = read_entry(r, tree, &event, depth);
		yaml_event_delete(&event);
		if (over)
			return tree->kind == SGANG_TREE_MAP ?
				       check_keys(r, tree) :
				       0;
		if (!*at)
			return -1;
		at = &(*at)->next;
	}
	return -1;
}

static bool has_tag(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.tag;
	default:
		return false;
	}
}

/* Read what begins with 'event'. Returns NULL on failure. */
static struct sgang_tree *read_node(struct reader *r, const yaml_event_t *event,
				    unsigned int depth)
{
	bool map = event->type == YAML_MAPPING_START_EVENT;
	size_t line = line_of(&event->start_mark);
	struct sgang_tree *tree;

	if (event->type == YAML_ALIAS_EVENT || has_tag(event)) {
		wrong(r, line,
		      "aliases and tags of YAML are not understood "
		      "here");
		return NULL;
	}
	if (event->type == YAML_SCALAR_EVENT)
		return read_text(r, event);
	if (depth == SGANG_TREE_DEPTH) {
		wrong(r, line, "too many lists and maps inside of each other");
		return NULL;
	}
	tree = new_tree(r, map ? SGANG_TREE_MAP : SGANG_TREE_LIST, line);
	if (tree &&
	    read_entries(r, tree,
			 map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT,
			 depth + 1)) {
		sgang_tree_destroy(tree);
		return NULL;
	}
	return tree;
}

/* Read events up to the first of a document's contents, which is to be deleted.
 * Returns 1, 0 when there is no (more) document, -1 on failure. */
static int next_document(struct reader *r, yaml_event_t *event)
{
	yaml_event_type_t type;

	while (!next_event(r, event)) {
		type = event->type;
		if (type != YAML_STREAM_START_EVENT &&
		    type != YAML_DOCUMENT_START_EVENT &&
		    type != YAML_DOCUMENT_END_EVENT &&
		    type != YAML_STREAM_END_EVENT)
			return 1;
		yaml_event_delete(event);
		if (type == YAML_STREAM_END_EVENT)
			return 0;
	}
	return -1;
}

/* A second document is an error. Returns 0 or -1. */
static int read_end(struct reader *r)
{
	yaml_event_t event;
	int rc = next_document(r, &event);

	if (rc != 1)
		return rc;
	wrong(r, line_of(&event.start_mark), "a second document begins here");
	yaml_event_delete(&event);
	return -1;
}

static struct sgang_tree *read_stream(struct reader *r)
{
	struct sgang_tree *tree;
	yaml_event_t event;
	int rc = next_document(r, &event);

	if (rc == 0)
		sgang_errf(r->err, EINVAL, "%s: there is nothing in it",
			   r->path);
	if (rc != 1)
		return NULL;
	tree = read_node(r, &event, 0);
	yaml_event_delete(&event);
	if (tree && read_end(r)) {
		sgang_tree_destroy(tree);
		return NULL;
	}
	return tree;
}

struct sgang_tree *sgang_tree_load(const char *path, struct sgang_error *err)
{
	struct reader r = { .path = path, .err = err };
	struct sgang_tree *tree = NULL;
	FILE *file = fopen(path, "r");

	if (!file) {
		sgang_errf(err, errno, "%s: %s", path, strerror(errno));
		return NULL;
	}
	/* a folder can be opened, and libyaml would not say what is wrong */
	ungetc(getc(file), file);
	if (ferror(file)) {
		sgang_errf(err, errno, "%s: %s", path, strerror(errno));
	} else if (!yaml_parser_initialize(&r.parser)) {
		no_memory(&r);
	} else {
		yaml_parser_set_input_file(&r.parser, file);
		tree = read_stream(&r);
		yaml_parser_delete(&r.parser);
	}
	fclose(file);
	return tree;
}

struct sgang_tree *sgang_tree_parse(const char *text, const char *label,
				    struct sgang_error *err)
{
	struct reader r = { .path = label, .err = err };
	struct sgang_tree *tree;

	if (!yaml_parser_initialize(&r.parser)) {
		no_memory(&r);
		return NULL;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text,
				     strlen(text));
	tree = read_stream(&r);
	yaml_parser_delete(&r.parser);
	return tree;
}

void sgang_tree_destroy(struct sgang_tree *tree)
{
	struct sgang_tree *next;
	int saved = errno;

	for (; tree; tree = next) {
		next = tree->next;
		sgang_tree_destroy(tree->child);
		free(tree->key);
		free(tree->text);
		free(tree);
	}
	errno = saved;
}

const struct sgang_tree *sgang_tree_find(const struct sgang_tree *map,
					 const char *key)
{
	const struct sgang_tree *entry;

	for (entry = map->child; entry; entry = entry->next)
		if (!strcmp(entry->key, key))
			return entry;
	return NULL;
}

const struct sgang_tree *sgang_tree_before(const struct sgang_tree *list,
					   const struct sgang_tree *map,
					   const char *name)
{
	const struct sgang_tree *item, *entry;

	for (item = list->child; item && item != map; item = item->next) {
		entry = sgang_tree_find(item, "name");
		if (entry && entry->kind == SGANG_TREE_TEXT &&
		    !strcmp(entry->text, name))
			return item;
	}
	return NULL;
}
