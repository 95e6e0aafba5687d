/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - a YAML file as a tree of texts, lists and maps
 *
 * The part of YAML that people write by hand: one document, no aliases, no
 * tags. A text is what stands in the file, without a type: 10:00 and yes are
 * texts, as is nothing at all. No key stands twice in a map.
 */

#ifndef SGANG_TREE_H
#define SGANG_TREE_H

#include <stddef.h>

#include "core/base/err.h"

/* Maps and lists inside of each other, more than any file of ours has. */
#define SGANG_TREE_DEPTH 12

enum sgang_tree_kind { SGANG_TREE_TEXT, SGANG_TREE_LIST, SGANG_TREE_MAP };

struct sgang_tree {
	enum sgang_tree_kind kind;
	size_t line;              /* counted from 1; of an entry of a map
				   * the line of its key */
	char *key;                /* of an entry of a map, else NULL */
	char *text;               /* of a text, else NULL */
	struct sgang_tree *child; /* first entry of a list or a map */
	struct sgang_tree *next;  /* entry behind this one */
};

/* Read a file. Returns a tree to free with sgang_tree_destroy(), or NULL with
 * errno (why the file cannot be read, EINVAL for what is in it, ENOMEM) and
 * 'err' filled, which names the file and, where there is one, the line. */
struct sgang_tree *sgang_tree_load(const char *path, struct sgang_error *err);

/* The same from memory; 'label' stands for the path in messages. */
struct sgang_tree *sgang_tree_parse(const char *text, const char *label,
				    struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_tree_destroy(struct sgang_tree *tree);

/* The entry of that name of a map, borrowed from it; NULL: there is none. */
const struct sgang_tree *sgang_tree_find(const struct sgang_tree *map,
					 const char *key);

/* The item before 'map' in this list whose "name" is that text; NULL: none. */
const struct sgang_tree *sgang_tree_before(const struct sgang_tree *list,
					   const struct sgang_tree *map,
					   const char *name);

#endif
