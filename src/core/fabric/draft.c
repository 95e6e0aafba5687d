/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draft.c - a fabric while its source is being read */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "draft.h"

#define NONE UINT32_MAX

/* Names stay below this many bytes, so that offsets fit 32 bits. */
#define NAMES_MAX (UINT32_C(1) << 31)

const struct sgang_draft_words sgang_switch_words = {
	.thing = "switch",
	.has = "on",
	.once = "on one leaf switch",
	.define = "a line SwitchName=",
};

struct draft_switch {
	uint32_t name; /* offsets in the names */
	uint32_t file;
	uint32_t line;
	uint32_t parent;
	uint32_t level;
	uint32_t pending; /* children whose level is not known */
	/* Filled when the fabric is built. Children are a list in the order of
	 * the lowest node that each holds; one without nodes is in no list. */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next;
	bool used;
	uint32_t domain;
};

/* The children of one switch, which may be defined further on. */
struct draft_children {
	uint32_t list; /* offsets in the names */
	uint32_t file;
	uint32_t line;
	uint32_t parent;
};

struct names {
	char *text;
	uint32_t used;
	uint32_t room;
};

/* Entry + 1 by name; 0 is an empty slot. */
struct hash {
	uint32_t *slot;
	uint32_t mask;
};

struct sgang_draft {
	struct names names;
	struct hash by_switch;
	struct hash by_node;
	struct draft_switch *sw;
	uint32_t n_switches, switch_room;
	/* Switches from here on are joined by NVLink; NONE: none is. */
	uint32_t first_nvlink;
	struct draft_children *children;
	uint32_t n_children, children_room;
	uint32_t *node_name;
	uint32_t *node_leaf;
	uint32_t n_nodes, node_room;
	uint32_t last_file; /* offset of the file named last */
	const struct sgang_draft_words *words;
	const char *const *only; /* by node; see sgang_draft_only() */
	struct sgang_block_sizes sizes;
	bool fixed; /* the caller said which nodes exist */
	bool flat;  /* there is nothing but one leaf */
};

static int no_memory(struct sgang_error *err)
{
	return sgang_errf(err, ENOMEM, "fabric: out of memory");
}

static const char *name_at(const struct sgang_draft *draft, uint32_t offset)
{
	return draft->names.text + offset;
}

static int names_add(struct names *names, const char *name, uint32_t *offset)
{
	size_t size = strlen(name) + 1;

	if (size > names->room - names->used) {
		size_t room = 2 * (size_t)names->room + size + 4096;
		char *bigger = room < NAMES_MAX ? realloc(names->text, room) :
						  NULL;

		if (!bigger)
			return -1;
		names->text = bigger;
		names->room = (uint32_t)room;
	}
	memcpy(names->text + names->used, name, size);
	*offset = names->used;
	names->used += (uint32_t)size;
	return 0;
}

/* Make 'hash' fit for 'n' entries, 'name' being the offsets of those it holds:
 * every 'stride' bytes one. */
static int hash_reserve(struct sgang_draft *draft, struct hash *hash,
			uint32_t n, const void *name, size_t stride)
{
	uint32_t size = 64, i, at;
	uint32_t *slot;

	if (hash->slot && n <= hash->mask / 4 * 3)
		return 0;
	while (n > size / 2)
		size *= 2;
	slot = calloc(size, sizeof(*slot));
	if (!slot)
		return -1;
	for (i = 0; hash->slot && i <= hash->mask; i++) {
		uint32_t entry = hash->slot[i], offset;

		if (!entry)
			continue;
		memcpy(&offset, (const char *)name + (entry - 1) * stride,
		       sizeof(offset));
		at = sgang_fabric_hash(name_at(draft, offset)) & (size - 1);
		while (slot[at])
			at = (at + 1) & (size - 1);
		slot[at] = entry;
	}
	free(hash->slot);
	hash->slot = slot;
	hash->mask = size - 1;
	return 0;
}

/* The slot of switch 'name', or the empty one where it belongs. */
static uint32_t *switch_slot(struct sgang_draft *draft, const char *name)
{
	struct hash *hash = &draft->by_switch;
	uint32_t at = sgang_fabric_hash(name) & hash->mask;

	while (hash->slot[at] &&
	       strcmp(name_at(draft, draft->sw[hash->slot[at] - 1].name), name))
		at = (at + 1) & hash->mask;
	return &hash->slot[at];
}

static uint32_t *node_slot(struct sgang_draft *draft, const char *name)
{
	struct hash *hash = &draft->by_node;
	uint32_t at = sgang_fabric_hash(name) & hash->mask;

	while (hash->slot[at] &&
	       strcmp(name_at(draft, draft->node_name[hash->slot[at] - 1]),
		      name))
		at = (at + 1) & hash->mask;
	return &hash->slot[at];
}

static int reserve_nodes(struct sgang_draft *draft, uint32_t n)
{
	uint32_t room = draft->node_room + draft->node_room / 2 + 64;
	uint32_t *bigger;

	if (hash_reserve(draft, &draft->by_node, n, draft->node_name,
			 sizeof(*draft->node_name)))
		return -1;
	if (n <= draft->node_room)
		return 0;
	if (room < n)
		room = n;
	bigger = realloc(draft->node_name, room * sizeof(*bigger));
	if (!bigger)
		return -1;
	draft->node_name = bigger;
	bigger = realloc(draft->node_leaf, room * sizeof(*bigger));
	if (!bigger)
		return -1;
	draft->node_leaf = bigger;
	draft->node_room = room;
	return 0;
}

static int reserve_switches(struct sgang_draft *draft, uint32_t n)
{
	uint32_t room = draft->switch_room + draft->switch_room / 2 + 16;
	struct draft_switch *bigger;

	if (hash_reserve(draft, &draft->by_switch, n, draft->sw,
			 sizeof(*draft->sw)))
		return -1;
	if (n <= draft->switch_room)
		return 0;
	bigger = realloc(draft->sw, room * sizeof(*bigger));
	if (!bigger)
		return -1;
	draft->sw = bigger;
	draft->switch_room = room;
	return 0;
}

/* Add node 'name', which hangs nowhere yet, in 'slot'. Room is reserved. */
static int add_node(struct sgang_draft *draft, const char *name, uint32_t *slot)
{
	uint32_t node = draft->n_nodes;

	if (names_add(&draft->names, name, &draft->node_name[node]))
		return -1;
	draft->node_leaf[node] = NONE;
	*slot = ++draft->n_nodes;
	return 0;
}

static int add_callers_nodes(struct sgang_draft *draft,
			     const char *const *nodes, uint32_t n_nodes,
			     struct sgang_error *err)
{
	uint32_t i;

	if (reserve_nodes(draft, n_nodes))
		return no_memory(err);
	for (i = 0; i < n_nodes; i++) {
		uint32_t *slot = node_slot(draft, nodes[i]);
		char shown[SGANG_TEXT_SHOWN];

		if (*slot)
			return sgang_errf(err, EINVAL,
					  "fabric: node %s is "
					  "named twice",
					  sgang_text_show(shown, nodes[i]));
		if (add_node(draft, nodes[i], slot))
			return no_memory(err);
	}
	draft->fixed = true;
	return 0;
}

struct sgang_draft *sgang_draft_create(const char *const *nodes,
				       uint32_t n_nodes,
				       struct sgang_error *err)
{
	struct sgang_draft *draft = calloc(1, sizeof(*draft));

	if (!draft || names_add(&draft->names, "", &draft->last_file) ||
	    reserve_nodes(draft, 1) || reserve_switches(draft, 1)) {
		no_memory(err);
		goto error;
	}
	draft->words = &sgang_switch_words;
	draft->first_nvlink = NONE;
	if (nodes && add_callers_nodes(draft, nodes, n_nodes, err))
		goto error;
	return draft;

error:
	sgang_draft_destroy(draft);
	return NULL;
}

void sgang_draft_destroy(struct sgang_draft *draft)
{
	int saved = errno;

	if (draft) {
		free(draft->names.text);
		free(draft->by_switch.slot);
		free(draft->by_node.slot);
		free(draft->sw);
		free(draft->children);
		free(draft->node_name);
		free(draft->node_leaf);
		free(draft);
	}
	errno = saved;
}

bool sgang_draft_has_nodes(const struct sgang_draft *draft)
{
	return draft->fixed || draft->n_nodes;
}

uint32_t sgang_draft_switches(const struct sgang_draft *draft)
{
	return draft->n_switches;
}

static int add_switch(struct sgang_draft *draft, uint32_t name, uint32_t file,
		      uint32_t line)
{
	struct draft_switch *sw;

	if (reserve_switches(draft, draft->n_switches + 1))
		return -1;
	sw = &draft->sw[draft->n_switches++];
	memset(sw, 0, sizeof(*sw));
	sw->name = name;
	sw->file = file;
	sw->line = line;
	sw->parent = NONE;
	sw->level = SGANG_LEVEL_LEAF;
	sw->first_child = NONE;
	sw->next = NONE;
	return 0;
}

/* The offset of a file's name. Most come many times in a row. */
static int file_offset(struct sgang_draft *draft, const char *file,
		       uint32_t *offset)
{
	if (strcmp(name_at(draft, draft->last_file), file) &&
	    names_add(&draft->names, file, &draft->last_file))
		return -1;
	*offset = draft->last_file;
	return 0;
}

void sgang_draft_call(struct sgang_draft *draft,
		      const struct sgang_draft_words *words)
{
	draft->words = words;
}

void sgang_draft_only(struct sgang_draft *draft, const char *const *leaf)
{
	draft->only = leaf;
}

int sgang_draft_switch(struct sgang_draft *draft, const char *name,
		       struct sgang_place place, uint32_t *number,
		       struct sgang_error *err)
{
	uint32_t *slot = switch_slot(draft, name);
	char shown[SGANG_TEXT_SHOWN];
	uint32_t offset, file;

	if (!*name || strpbrk(name, "[],"))
		return sgang_errf(err, EINVAL,
				  "%s:%u: expected the name of "
				  "one %s, found \"%s\"",
				  place.file, place.line, draft->words->thing,
				  sgang_text_show(shown, name));
	if (*slot) {
		const struct draft_switch *sw = &draft->sw[*slot - 1];

		return sgang_errf(err, EINVAL,
				  "%s:%u: %s %s is already "
				  "defined at %s:%u",
				  place.file, place.line, draft->words->thing,
				  sgang_text_show(shown, name),
				  name_at(draft, sw->file), sw->line);
	}
	if (file_offset(draft, place.file, &file) ||
	    names_add(&draft->names, name, &offset) ||
	    add_switch(draft, offset, file, place.line))
		return no_memory(err);
	*number = draft->n_switches - 1;
	/* the table may have grown */
	*switch_slot(draft, name) = draft->n_switches;
	return 0;
}

int sgang_draft_domain(struct sgang_draft *draft, const char *name,
		       uint32_t level, struct sgang_place place,
		       struct sgang_error *err)
{
	uint32_t offset, file;

	if (file_offset(draft, place.file, &file) ||
	    names_add(&draft->names, name, &offset) ||
	    add_switch(draft, offset, file, place.line))
		return no_memory(err);
	draft->sw[draft->n_switches - 1].level = level;
	return 0;
}

int sgang_draft_group(struct sgang_draft *draft, uint32_t first, uint32_t count,
		      struct sgang_error *err)
{
	const char **names = malloc(count * sizeof(*names));
	char *name = NULL;
	uint32_t offset, i;
	int rc = -1;

	for (i = 0; names && i < count; i++)
		names[i] = name_at(draft, draft->sw[first + i].name);
	if (names)
		name = sgang_hostlist_fold(names, count);
	if (!name || names_add(&draft->names, name, &offset) ||
	    add_switch(draft, offset, draft->sw[first].file,
		       draft->sw[first].line))
		no_memory(err);
	else
		rc = 0;
	free(name);
	free(names);
	return rc;
}

void sgang_draft_move(struct sgang_draft *draft, uint32_t child,
		      uint32_t parent)
{
	draft->sw[child].parent = parent;
	draft->sw[parent].pending++;
}

/* Expand a list, naming the place when it is bad. */
static int expand(struct sgang_place place, const char *list, char ***names,
		  struct sgang_error *err)
{
	struct sgang_error why;

	if (!sgang_hostlist_expand(list, names, NULL, &why))
		return 0;
	return sgang_errf(err, errno, "%s:%u: %s", place.file, place.line,
			  why.text);
}

/* Hang node 'name' on switch 'leaf'. */
static int hang_node(struct sgang_draft *draft, uint32_t leaf, const char *name,
		     struct sgang_place place, struct sgang_error *err)
{
	const struct draft_switch *there;
	char shown[SGANG_TEXT_SHOWN];
	uint32_t *slot = node_slot(draft, name);
	uint32_t *hangs_on;

	if (!*slot) {
		if (draft->fixed)
			return 0;
		if (reserve_nodes(draft, draft->n_nodes + 1))
			return no_memory(err);
		slot = node_slot(draft, name);
		if (add_node(draft, name, slot))
			return no_memory(err);
	} else if (draft->fixed && draft->only && draft->only[*slot - 1] &&
		   strcmp(draft->only[*slot - 1],
			  name_at(draft, draft->sw[leaf].name))) {
		return 0;
	}
	hangs_on = &draft->node_leaf[*slot - 1];
	if (*hangs_on == NONE || *hangs_on == leaf) {
		*hangs_on = leaf;
		return 0;
	}
	there = &draft->sw[*hangs_on];
	return sgang_errf(err, EINVAL,
			  "%s:%u: node %s is already %s %s %s at "
			  "%s:%u, expected each node %s",
			  place.file, place.line, sgang_text_show(shown, name),
			  draft->words->has, draft->words->thing,
			  name_at(draft, there->name),
			  name_at(draft, there->file), there->line,
			  draft->words->once);
}

int sgang_draft_nodes(struct sgang_draft *draft, uint32_t leaf,
		      const char *list, struct sgang_place place,
		      struct sgang_error *err)
{
	char **names;
	int rc = 0;
	size_t i;

	if (expand(place, list, &names, err))
		return -1;
	for (i = 0; names[i] && !rc; i++)
		rc = hang_node(draft, leaf, names[i], place, err);
	sgang_hostlist_free(names);
	return rc;
}

int sgang_draft_know(struct sgang_draft *draft, const char *list,
		     struct sgang_place place, struct sgang_error *err)
{
	char **names;
	int rc = 0;
	size_t i;

	if (expand(place, list, &names, err))
		return -1;
	for (i = 0; names[i] && !rc; i++) {
		if (reserve_nodes(draft, draft->n_nodes + 1))
			rc = no_memory(err);
		else if (!*node_slot(draft, names[i]) &&
			 add_node(draft, names[i], node_slot(draft, names[i])))
			rc = no_memory(err);
	}
	sgang_hostlist_free(names);
	return rc;
}

int sgang_draft_flat(struct sgang_draft *draft, struct sgang_error *err)
{
	const struct sgang_place nowhere = { .file = "" };
	uint32_t leaf, i;

	if (sgang_draft_switch(draft, "flat", nowhere, &leaf, err))
		return -1;
	for (i = 0; i < draft->n_nodes; i++)
		draft->node_leaf[i] = leaf;
	draft->flat = true;
	return 0;
}

int sgang_draft_children(struct sgang_draft *draft, uint32_t parent,
			 const char *list, struct sgang_place place,
			 struct sgang_error *err)
{
	struct draft_children *children;

	if (draft->n_children == draft->children_room) {
		uint32_t room = 2 * draft->children_room + 16;

		children = realloc(draft->children, room * sizeof(*children));
		if (!children)
			return no_memory(err);
		draft->children = children;
		draft->children_room = room;
	}
	children = &draft->children[draft->n_children];
	if (file_offset(draft, place.file, &children->file) ||
	    names_add(&draft->names, list, &children->list))
		return no_memory(err);
	children->line = place.line;
	children->parent = parent;
	draft->n_children++;
	return 0;
}

/* Hang switch 'name' under switch 'parent', as 'place' says. */
static int hang_child(struct sgang_draft *draft, uint32_t parent,
		      const char *name, struct sgang_place place,
		      struct sgang_error *err)
{
	const struct draft_switch *up = &draft->sw[parent], *sw;
	uint32_t number = *switch_slot(draft, name);
	char shown[SGANG_TEXT_SHOWN];

	if (!number)
		return sgang_errf(err, EINVAL,
				  "%s:%u: switch %s has the child "
				  "%s, which is not defined, expected %s%s",
				  place.file, place.line,
				  name_at(draft, up->name),
				  sgang_text_show(shown, name),
				  draft->words->define, shown);
	sw = &draft->sw[number - 1];
	if (sw->parent == parent)
		return 0;
	if (sw->parent != NONE)
		return sgang_errf(err, EINVAL,
				  "%s:%u: switch %s is already a "
				  "child of %s at %s:%u, expected one parent",
				  place.file, place.line,
				  name_at(draft, sw->name),
				  name_at(draft, draft->sw[sw->parent].name),
				  name_at(draft, draft->sw[sw->parent].file),
				  draft->sw[sw->parent].line);
	sgang_draft_move(draft, number - 1, parent);
	return 0;
}

/* Now that all switches are known: who is whose child? */
static int find_parents(struct sgang_draft *draft, struct sgang_error *err)
{
	uint32_t i;
	size_t k;
	int rc = 0;

	for (i = 0; i < draft->n_children && !rc; i++) {
		const struct draft_children *children = &draft->children[i];
		const struct sgang_place place = {
			name_at(draft, children->file), children->line
		};
		char **names;

		if (expand(place, name_at(draft, children->list), &names, err))
			return -1;
		for (k = 0; names[k] && !rc; k++)
			rc = hang_child(draft, children->parent, names[k],
					place, err);
		sgang_hostlist_free(names);
	}
	return rc;
}

/* ---- nodes that NVLink joins ---- */

/* Room for where a node hangs in a message, with the path of a file. */
#define LEAF_SHOWN 200

/* Where a node hangs, for a message: "on switch r1 at topology.conf:2". */
static const char *show_leaf(const struct sgang_draft *draft, uint32_t leaf,
			     char shown[LEAF_SHOWN])
{
	const struct draft_switch *sw;

	if (leaf == NONE) {
		snprintf(shown, LEAF_SHOWN, "%s no %s", draft->words->has,
			 draft->words->thing);
		return shown;
	}
	sw = &draft->sw[leaf];
	snprintf(shown, LEAF_SHOWN, "%s %s %.40s at %.130s:%u",
		 draft->words->has, draft->words->thing,
		 name_at(draft, sw->name), name_at(draft, sw->file), sw->line);
	return shown;
}

/* Take 'node' from its leaf into NVLink domain 'domain', whose first node is
 * 'first'; NONE: this one is. */
static int join_nvlink(struct sgang_draft *draft, uint32_t domain,
		       uint32_t node, uint32_t first, struct sgang_error *err)
{
	struct draft_switch *sw = &draft->sw[domain];
	uint32_t leaf = draft->node_leaf[node];
	char one[LEAF_SHOWN], other[LEAF_SHOWN];

	if (leaf == domain)
		return 0;
	if (leaf != NONE && leaf >= draft->first_nvlink)
		return sgang_errf(err, EINVAL,
				  "%s:%u: node %s is already in "
				  "NVLink domain %s at %s:%u, expected each "
				  "node in one",
				  name_at(draft, sw->file), sw->line,
				  name_at(draft, draft->node_name[node]),
				  name_at(draft, draft->sw[leaf].name),
				  name_at(draft, draft->sw[leaf].file),
				  draft->sw[leaf].line);
	if (first != NONE && leaf != sw->parent)
		return sgang_errf(err, EINVAL,
				  "%s:%u: NVLink domain %s has "
				  "node %s %s and node %s %s, expected all of "
				  "its nodes %s",
				  name_at(draft, sw->file), sw->line,
				  name_at(draft, sw->name),
				  name_at(draft, draft->node_name[first]),
				  show_leaf(draft, sw->parent, one),
				  name_at(draft, draft->node_name[node]),
				  show_leaf(draft, leaf, other),
				  draft->words->once);
	if (first == NONE && leaf != NONE)
		sgang_draft_move(draft, domain, leaf);
	draft->node_leaf[node] = domain;
	return 0;
}

int sgang_draft_nvlink(struct sgang_draft *draft, const char *name,
		       const char *list, struct sgang_place place,
		       struct sgang_error *err)
{
	uint32_t domain = draft->n_switches, first = NONE;
	char **names;
	int rc = 0;
	size_t i;

	if (expand(place, list, &names, err))
		return -1;
	rc = sgang_draft_domain(draft, name, SGANG_LEVEL_LEAF, place, err);
	if (rc)
		goto out;
	if (draft->first_nvlink == NONE)
		draft->first_nvlink = domain;
	for (i = 0; names[i] && !rc; i++) {
		uint32_t node = *node_slot(draft, names[i]);

		if (!node)
			continue;
		rc = join_nvlink(draft, domain, node - 1, first, err);
		if (first == NONE)
			first = node - 1;
	}
out:
	sgang_hostlist_free(names);
	return rc;
}

/* Where some nodes are joined by NVLink, each of the others is alone below its
 * leaf, so that all nodes hang at the same height. */
static int add_single_domains(struct sgang_draft *draft)
{
	uint32_t i, leaf;

	for (i = 0; i < draft->n_nodes && draft->first_nvlink != NONE; i++) {
		leaf = draft->node_leaf[i];
		if (leaf == NONE || leaf >= draft->first_nvlink)
			continue;
		if (add_switch(draft, draft->node_name[i], 0, 0))
			return -1;
		draft->node_leaf[i] = draft->n_switches - 1;
		sgang_draft_move(draft, draft->n_switches - 1, leaf);
	}
	return 0;
}

struct named {
	const char *name;
	uint32_t offset; /* of the name */
	uint32_t leaf;
};

/* qsort: as slurmctld sorts its nodes. */
static int by_name(const void *one, const void *two)
{
	const struct named *a = one, *b = two;

	return sgang_text_compare(a->name, b->name);
}

/* The nodes of the file, found in any order, become numbered by name. */
static int sort_nodes(struct sgang_draft *draft)
{
	struct named *node = calloc(draft->n_nodes + 1, sizeof(*node));
	struct hash *hash = &draft->by_node;
	uint32_t i;

	if (!node)
		return -1;
	for (i = 0; i < draft->n_nodes; i++) {
		node[i].offset = draft->node_name[i];
		node[i].name = name_at(draft, node[i].offset);
		node[i].leaf = draft->node_leaf[i];
	}
	qsort(node, draft->n_nodes, sizeof(*node), by_name);
	memset(hash->slot, 0, ((size_t)hash->mask + 1) * sizeof(*hash->slot));
	for (i = 0; i < draft->n_nodes; i++) {
		draft->node_name[i] = node[i].offset;
		draft->node_leaf[i] = node[i].leaf;
		*node_slot(draft, node[i].name) = i + 1;
	}
	free(node);
	return 0;
}

/* A switch that never got a level: as nobody has two parents, it is on a cycle,
 * and so is its parent. */
static int report_cycle(const struct sgang_draft *draft, uint32_t number,
			struct sgang_error *err)
{
	const struct draft_switch *sw = &draft->sw[number];
	const struct draft_switch *up = &draft->sw[sw->parent];

	return sgang_errf(err, EINVAL,
			  "%s:%u: switch %s is above switch %s at "
			  "%s:%u and below it, expected a tree",
			  name_at(draft, sw->file), sw->line,
			  name_at(draft, sw->name), name_at(draft, up->name),
			  name_at(draft, up->file), up->line);
}

void sgang_draft_size(struct sgang_draft *draft,
		      const struct sgang_block_sizes *sizes)
{
	uint32_t first = NONE, i;

	draft->sizes = *sizes;
	if (sizes->base)
		return;
	for (i = 0; i < draft->n_nodes; i++) {
		if (draft->node_leaf[i] < first)
			first = draft->node_leaf[i];
	}
	for (i = 0; i < draft->n_nodes; i++)
		draft->sizes.base += first != NONE &&
				     draft->node_leaf[i] == first;
}

/* Levels are heights: from the leaves up, each switch once all its children
 * have theirs. */
static int find_levels(struct sgang_draft *draft, struct sgang_error *err)
{
	uint32_t i, at;

	for (i = 0; i < draft->n_switches; i++) {
		/* an inner switch is reached from the last of its children */
		if (draft->sw[i].level != SGANG_LEVEL_LEAF ||
		    draft->sw[i].pending)
			continue;
		for (at = i;; at = draft->sw[at].parent) {
			struct draft_switch *sw = &draft->sw[at], *up;

			if (sw->level > SGANG_LEVEL_MAX)
				return sgang_errf(err, EINVAL,
						  "%s:%u: %s %s "
						  "is level %u of domains, "
						  "expected at most %u levels",
						  name_at(draft, sw->file),
						  sw->line, draft->words->thing,
						  name_at(draft, sw->name),
						  sw->level - 1,
						  SGANG_LEVEL_MAX - 1);
			if (sw->parent == NONE)
				break;
			up = &draft->sw[sw->parent];
			if (up->level <= sw->level)
				up->level = sw->level + 1;
			if (--up->pending)
				break;
		}
	}
	for (i = 0; i < draft->n_switches; i++) {
		if (draft->sw[i].pending)
			return report_cycle(draft, i, err);
	}
	return 0;
}

/* A node in no switch gets a leaf of its own, named like it. */
static int add_lone_leaves(struct sgang_draft *draft)
{
	uint32_t i;

	for (i = 0; i < draft->n_nodes; i++) {
		if (draft->node_leaf[i] != NONE)
			continue;
		if (add_switch(draft, draft->node_name[i], 0, 0))
			return -1;
		draft->node_leaf[i] = draft->n_switches - 1;
	}
	return 0;
}

static void append_child(struct sgang_draft *draft, uint32_t parent,
			 uint32_t child)
{
	struct draft_switch *up = &draft->sw[parent];

	if (up->first_child == NONE)
		up->first_child = child;
	else
		draft->sw[up->last_child].next = child;
	up->last_child = child;
}

/* Link every switch that holds a node to its parent, the roots to 'top', the
 * switch added last. Going through the nodes by index puts the children in the
 * order of their lowest node. Returns the number of domains below 'top'. */
static uint32_t link_children(struct sgang_draft *draft, uint32_t top)
{
	uint32_t i, at, parent, linked = 0;

	for (i = 0; i < draft->n_nodes; i++) {
		for (at = draft->node_leaf[i]; at != top && !draft->sw[at].used;
		     at = parent) {
			parent = draft->sw[at].parent;
			if (parent == NONE)
				parent = top;
			draft->sw[at].used = true;
			append_child(draft, parent, at);
			linked++;
		}
	}
	return linked;
}

/* Number the domains from 'top' breadth first, so that children are in a
 * row. */
static void number_domains(struct sgang_draft *draft, uint32_t top,
			   struct sgang_fabric *fabric, uint32_t *switch_of)
{
	uint32_t d, child, n = 1;

	switch_of[0] = top;
	fabric->domain[0].parent = SGANG_DOMAIN_NONE;
	for (d = 0; d < n; d++) {
		struct draft_switch *sw = &draft->sw[switch_of[d]];
		struct sgang_domain *domain = &fabric->domain[d];

		sw->domain = d;
		domain->level = sw->level;
		domain->line = sw->line;
		domain->first_child = n;
		for (child = sw->first_child; child != NONE;
		     child = draft->sw[child].next) {
			fabric->domain[n].parent = d;
			domain->n_children++;
			switch_of[n++] = child;
		}
		if (sw->level != SGANG_LEVEL_UNCONNECTED &&
		    sw->level > fabric->top_level)
			fabric->top_level = sw->level;
	}
}

/* Give every domain its run of positions and every node its position. */
static void number_nodes(const struct sgang_draft *draft,
			 struct sgang_fabric *fabric)
{
	uint32_t i, d;

	for (i = 0; i < fabric->n_nodes; i++) {
		fabric->leaf[i] = draft->sw[draft->node_leaf[i]].domain;
		fabric->domain[fabric->leaf[i]].n_nodes++;
	}
	for (d = fabric->n_domains; --d > 0;)
		fabric->domain[fabric->domain[d].parent].n_nodes +=
			fabric->domain[d].n_nodes;
	for (d = 0; d < fabric->n_domains; d++) {
		const struct sgang_domain *domain = &fabric->domain[d];
		uint32_t c, pos = domain->first_pos;

		for (c = 0; c < domain->n_children; c++) {
			struct sgang_domain *child =
				&fabric->domain[domain->first_child + c];

			child->first_pos = pos;
			pos += child->n_nodes;
		}
	}
	/* at first pos[] counts the nodes of each leaf that are placed */
	for (i = 0; i < fabric->n_nodes; i++) {
		uint32_t pos = fabric->domain[fabric->leaf[i]].first_pos;
		uint32_t *fill = &fabric->pos[pos];

		fabric->order[pos + (*fill)++] = i;
	}
	for (i = 0; i < fabric->n_nodes; i++)
		fabric->pos[fabric->order[i]] = i;
}

static struct sgang_fabric *create_fabric(uint32_t n_nodes, uint32_t n_domains)
{
	struct sgang_fabric *fabric = calloc(1, sizeof(*fabric));
	size_t n = n_nodes ? n_nodes : 1;

	if (!fabric)
		return NULL;
	fabric->n_nodes = n_nodes;
	fabric->n_domains = n_domains;
	fabric->order = calloc(n, sizeof(*fabric->order));
	fabric->pos = calloc(n, sizeof(*fabric->pos));
	fabric->leaf = calloc(n, sizeof(*fabric->leaf));
	fabric->domain = calloc(n_domains, sizeof(*fabric->domain));
	if (!fabric->order || !fabric->pos || !fabric->leaf ||
	    !fabric->domain) {
		sgang_fabric_destroy(fabric);
		return NULL;
	}
	return fabric;
}

/* The arrays that the draft already has go over to the fabric; what they have
 * too much is given back. */
static void move_names(struct sgang_draft *draft, struct sgang_fabric *fabric,
		       const uint32_t *switch_of)
{
	size_t n = draft->n_nodes ? draft->n_nodes : 1;
	void *smaller;
	uint32_t d;

	smaller = realloc(draft->names.text, draft->names.used);
	fabric->names = smaller ? smaller : draft->names.text;
	draft->names.text = NULL;
	smaller = realloc(draft->node_name, n * sizeof(*draft->node_name));
	fabric->node_name = smaller ? smaller : draft->node_name;
	draft->node_name = NULL;
	fabric->hash = draft->by_node.slot;
	fabric->hash_mask = draft->by_node.mask;
	draft->by_node.slot = NULL;
	fabric->of_switches = !draft->words->blocks && !draft->flat;
	for (d = 0; d < fabric->n_domains; d++)
		fabric->domain[d].name = fabric->names +
					 draft->sw[switch_of[d]].name;
}

struct sgang_fabric *sgang_draft_build(struct sgang_draft *draft,
				       struct sgang_error *err)
{
	struct sgang_fabric *fabric = NULL;
	uint32_t *switch_of = NULL;
	uint32_t top, linked;

	if (find_parents(draft, err))
		return NULL;
	if ((!draft->fixed && sort_nodes(draft)) || add_single_domains(draft)) {
		no_memory(err);
		return NULL;
	}
	if (find_levels(draft, err))
		return NULL;
	/* offset 0 of the names is "" */
	if (add_lone_leaves(draft) || add_switch(draft, 0, 0, 0)) {
		no_memory(err);
		return NULL;
	}
	top = draft->n_switches - 1;
	draft->sw[top].level = SGANG_LEVEL_UNCONNECTED;
	linked = link_children(draft, top);
	if (linked && draft->sw[draft->sw[top].first_child].next == NONE) {
		/* one root: it is the top */
		top = draft->sw[top].first_child;
		linked--;
	}
	fabric = create_fabric(draft->n_nodes, linked + 1);
	switch_of = calloc(linked + 1, sizeof(*switch_of));
	if (!fabric || !switch_of) {
		sgang_fabric_destroy(fabric);
		fabric = NULL;
		no_memory(err);
		goto out;
	}
	number_domains(draft, top, fabric, switch_of);
	number_nodes(draft, fabric);
	move_names(draft, fabric, switch_of);
	fabric->sizes = draft->sizes;
	fabric->block_level = draft->sw[0].level;
out:
	free(switch_of);
	return fabric;
}

struct sgang_fabric *sgang_fabric_flat(const char *const *nodes,
				       uint32_t n_nodes,
				       struct sgang_error *err)
{
	struct sgang_fabric *fabric = NULL;
	struct sgang_draft *draft = sgang_draft_create(nodes, n_nodes, err);

	if (draft && !sgang_draft_flat(draft, err))
		fabric = sgang_draft_build(draft, err);
	sgang_draft_destroy(draft);
	return fabric;
}
