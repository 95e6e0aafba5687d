/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draft.c - a fabric while its source is being read */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "draft.h"
#include "node_sets.h"

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
	uint32_t all;  /* the name of all that it stands for */
	uint32_t file;
	uint32_t line;
	uint32_t parent;
	uint32_t more; /* its further parents in that list */
	uint32_t same; /* the leaf that stands for it; itself if none does */
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

/* A parent beyond the first. */
struct draft_parent {
	uint32_t parent;
	uint32_t next;
};

/* A node that was on another leaf before. */
struct draft_again {
	uint32_t node;
	uint32_t leaf;
	uint32_t file; /* offset in the names */
	uint32_t line;
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
	struct draft_parent *more;
	uint32_t n_more, more_room;
	struct draft_again *again;
	uint32_t n_again, again_room;
	uint32_t *node_name;
	uint32_t *node_leaf;
	uint32_t n_nodes, node_room;
	bool *left_out;     /* by node; NULL: none is */
	char *warning;      /* NULL: none */
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
		free(draft->more);
		free(draft->again);
		free(draft->left_out);
		free(draft->warning);
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
	sw->name = sw->all = name;
	sw->file = file;
	sw->line = line;
	sw->parent = NONE;
	sw->more = NONE;
	sw->same = draft->n_switches - 1;
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

/* The list with room for one entry more of 'size' bytes, or NULL without memory:
 * then it stays as it is. */
static void *with_room(void *list, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t wanted = 2 * *room + 16;
	void *bigger;

	if (n < *room)
		return list;
	bigger = realloc(list, wanted * size);
	if (bigger)
		*room = wanted;
	return bigger;
}

/* Node 'node' hangs on another leaf already. */
static int hang_again(struct sgang_draft *draft, uint32_t leaf, uint32_t node,
		      struct sgang_place place, struct sgang_error *err)
{
	struct draft_again *again = with_room(draft->again, draft->n_again,
					      &draft->again_room,
					      sizeof(*again));
	uint32_t file;

	if (!again)
		return no_memory(err);
	draft->again = again;
	if (file_offset(draft, place.file, &file))
		return no_memory(err);
	again[draft->n_again++] = (struct draft_again){ node, leaf, file,
							place.line };
	return 0;
}

/* Hang node 'name' on switch 'leaf'. */
static int hang_node(struct sgang_draft *draft, uint32_t leaf, const char *name,
		     struct sgang_place place, struct sgang_error *err)
{
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
	return hang_again(draft, leaf, *slot - 1, place, err);
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

uint32_t sgang_draft_again(const struct sgang_draft *draft)
{
	return draft->n_again ? draft->again->line : 0;
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

	children = with_room(draft->children, draft->n_children,
			     &draft->children_room, sizeof(*children));
	if (!children)
		return no_memory(err);
	draft->children = children;
	children = &draft->children[draft->n_children];
	if (file_offset(draft, place.file, &children->file) ||
	    names_add(&draft->names, list, &children->list))
		return no_memory(err);
	children->line = place.line;
	children->parent = parent;
	draft->n_children++;
	return 0;
}

static bool has_parent(const struct sgang_draft *draft, uint32_t child,
		       uint32_t parent)
{
	uint32_t at = draft->sw[child].more;

	while (at != NONE && draft->more[at].parent != parent)
		at = draft->more[at].next;
	return at != NONE || draft->sw[child].parent == parent;
}

/* Hang switch 'child', which has a parent already, under 'parent' as well. */
static int add_parent(struct sgang_draft *draft, uint32_t child,
		      uint32_t parent)
{
	struct draft_parent *more = with_room(draft->more, draft->n_more,
					      &draft->more_room, sizeof(*more));

	if (!more)
		return -1;
	draft->more = more;
	draft->more[draft->n_more] =
		(struct draft_parent){ parent, draft->sw[child].more };
	draft->sw[child].more = draft->n_more++;
	draft->sw[parent].pending++;
	return 0;
}

/* Hang switch 'name' under switch 'parent', as 'place' says. */
static int hang_child(struct sgang_draft *draft, uint32_t parent,
		      const char *name, struct sgang_place place,
		      struct sgang_error *err)
{
	uint32_t number = *switch_slot(draft, name), child;
	char shown[SGANG_TEXT_SHOWN];

	if (!number)
		return sgang_errf(err, EINVAL,
				  "%s:%u: switch %s has the child "
				  "%s, which is not defined, expected %s%s",
				  place.file, place.line,
				  name_at(draft, draft->sw[parent].name),
				  sgang_text_show(shown, name),
				  draft->words->define, shown);
	child = draft->sw[number - 1].same;
	if (has_parent(draft, child, parent))
		return 0;
	if (draft->sw[child].parent == NONE)
		sgang_draft_move(draft, child, parent);
	else if (add_parent(draft, child, parent))
		return no_memory(err);
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

/* ---- nodes on several leaves ---- */

/* Name the switches that stand for several after all of these. */
static int name_together(struct sgang_draft *draft, const uint32_t *same,
			 uint32_t n)
{
	uint32_t *count = calloc(n + 1, sizeof(*count)), i, k, offset;
	const char **names = malloc((n + 1) * sizeof(*names));
	int rc = count && names ? 0 : -1;

	for (i = 0; !rc && i < n; i++)
		count[same[i]]++;
	for (i = 0; !rc && i < n; i++) {
		uint32_t found = 0;
		char *name;

		if (count[i] < 2)
			continue;
		for (k = i; found < count[i]; k++) {
			if (same[k] == i)
				names[found++] = name_at(draft,
							 draft->sw[k].name);
		}
		name = sgang_hostlist_fold(names, found);
		if (!name || names_add(&draft->names, name, &offset))
			rc = -1;
		else
			draft->sw[i].all = offset;
		free(name);
	}
	free(names);
	free(count);
	return rc;
}

/* Of leaves that have the same nodes the first stands for all. Blocks are counted,
 * so each stays. */
static int join_leaves(struct sgang_draft *draft)
{
	size_t n = (size_t)draft->n_nodes + draft->n_again, used = 0;
	struct sgang_on_leaf *on = malloc((n + 1) * sizeof(*on));
	uint32_t *same = malloc((draft->n_switches + 1) * sizeof(*same)), i;
	int rc = on && same ? 0 : -1;

	for (i = 0; !rc && i < draft->n_switches; i++)
		same[i] = i;
	for (i = 0; !rc && i < draft->n_nodes; i++) {
		if (draft->node_leaf[i] != NONE)
			on[used++] = (struct sgang_on_leaf){
				draft->node_leaf[i], i
			};
	}
	for (i = 0; !rc && i < draft->n_again; i++)
		on[used++] = (struct sgang_on_leaf){ draft->again[i].leaf,
						     draft->again[i].node };
	if (!rc)
		rc = sgang_same_leaves(on, used, same);
	if (!rc)
		rc = name_together(draft, same, draft->n_switches);
	for (i = 0; !rc && i < draft->n_switches; i++)
		draft->sw[i].same = same[i];
	free(same);
	free(on);
	return rc;
}

/* What is said about 'n' nodes that are left out, of which this one is the
 * first. */
static int warn_again(struct sgang_draft *draft,
		      const struct draft_again *again, uint32_t n)
{
	const struct draft_switch
		*one = &draft->sw[again->leaf],
		*other = &draft->sw[draft->node_leaf[again->node]];
	const struct sgang_draft_words *words = draft->words;
	char node[SGANG_TEXT_SHOWN], here[SGANG_TEXT_SHOWN],
		there[SGANG_TEXT_SHOWN], others[48] = "";
	struct sgang_error text;

	if (n > 1)
		snprintf(others, sizeof(others), " with %u other node%s", n - 1,
			 n > 2 ? "s" : "");
	(void)sgang_errf(
		&text, EINVAL,
		"%s:%u: node %s is %s %s %s, and %s %s %s at %s:%u: it is left out of the fabric%s, expected each node %s",
		name_at(draft, again->file), again->line,
		sgang_text_show(node,
				name_at(draft, draft->node_name[again->node])),
		words->has, words->thing,
		sgang_text_show(here, name_at(draft, one->name)), words->has,
		words->thing,
		sgang_text_show(there, name_at(draft, other->name)),
		name_at(draft, other->file), other->line, others, words->once);
	draft->warning = strdup(text.text);
	return draft->warning ? 0 : -1;
}

/* Nodes that are on two leaves by mistake are on none; Slurm warns and goes on,
 * too. */
static int leave_out(struct sgang_draft *draft)
{
	const struct draft_again *first = NULL;
	uint32_t i, n = 0;

	draft->left_out = calloc(draft->n_nodes + 1, sizeof(bool));
	if (!draft->left_out)
		return -1;
	for (i = 0; i < draft->n_again; i++) {
		const struct draft_again *again = &draft->again[i];
		uint32_t before = draft->node_leaf[again->node];

		if (draft->left_out[again->node] ||
		    draft->sw[before].same == draft->sw[again->leaf].same)
			continue;
		draft->left_out[again->node] = true;
		if (!n++)
			first = again;
	}
	if (n && warn_again(draft, first, n))
		return -1;
	for (i = 0; i < draft->n_nodes; i++) {
		if (draft->left_out[i])
			draft->node_leaf[i] = NONE;
		else if (draft->node_leaf[i] != NONE)
			draft->node_leaf[i] =
				draft->sw[draft->node_leaf[i]].same;
	}
	return 0;
}

/* After all nodes were read; a second time does nothing. */
static int settle_nodes(struct sgang_draft *draft, struct sgang_error *err)
{
	if (!draft->n_again)
		return 0;
	if ((!draft->words->blocks && join_leaves(draft)) || leave_out(draft))
		return no_memory(err);
	draft->n_again = 0;
	return 0;
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
	const bool *out;
	char **names;
	int rc = 0;
	size_t i;

	if (settle_nodes(draft, err) || expand(place, list, &names, err))
		return -1;
	rc = sgang_draft_domain(draft, name, SGANG_LEVEL_LEAF, place, err);
	if (rc)
		goto out;
	if (draft->first_nvlink == NONE)
		draft->first_nvlink = domain;
	out = draft->left_out;
	for (i = 0; names[i] && !rc; i++) {
		uint32_t node = *node_slot(draft, names[i]);

		if (!node || (out && out[node - 1]))
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

/* A child of a switch that never got a level which has none either. */
static uint32_t lost_child(const struct sgang_draft *draft, uint32_t parent)
{
	uint32_t i = 0;

	while (!draft->sw[i].pending || !has_parent(draft, i, parent))
		i++;
	return i;
}

/* From a switch that never got a level the way down ends on a cycle. */
static int report_cycle(const struct sgang_draft *draft, uint32_t at,
			struct sgang_error *err)
{
	const struct draft_switch *sw, *down;
	uint32_t lowest, i;

	for (i = 0; i < draft->n_switches; i++)
		at = lost_child(draft, at);
	lowest = at;
	for (i = lost_child(draft, at); i != at; i = lost_child(draft, i))
		lowest = i < lowest ? i : lowest;
	sw = &draft->sw[lowest];
	down = &draft->sw[lost_child(draft, lowest)];
	return sgang_errf(err, EINVAL,
			  "%s:%u: switch %s is above switch %s at "
			  "%s:%u and below it, expected a tree",
			  name_at(draft, sw->file), sw->line,
			  name_at(draft, sw->name), name_at(draft, down->name),
			  name_at(draft, down->file), down->line);
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

static int check_level(const struct sgang_draft *draft, uint32_t number,
		       uint32_t level, struct sgang_error *err)
{
	const struct draft_switch *sw = &draft->sw[number];

	if (level <= SGANG_LEVEL_MAX)
		return 0;
	return sgang_errf(err, EINVAL,
			  "%s:%u: %s %s is level %u of domains, "
			  "expected at most %u levels",
			  name_at(draft, sw->file), sw->line,
			  draft->words->thing, name_at(draft, sw->name),
			  level - 1, SGANG_LEVEL_MAX - 1);
}

/* The switches from the leaves up, each after all of its children. */
struct draft_order {
	uint32_t *at;
	uint32_t n;
};

/* One child more of 'parent' has its level. */
static void raise_parent(struct sgang_draft *draft, uint32_t parent,
			 uint32_t level, struct draft_order *order)
{
	struct draft_switch *up = &draft->sw[parent];

	if (up->level <= level)
		up->level = level + 1;
	if (!--up->pending)
		order->at[order->n++] = parent;
}

/* Levels are heights: each switch has one once all its children have theirs. */
static int find_levels(struct sgang_draft *draft, struct draft_order *order,
		       struct sgang_error *err)
{
	uint32_t i, k;

	for (i = 0; i < draft->n_switches; i++) {
		/* an inner switch comes after the last of its children */
		if (draft->sw[i].level == SGANG_LEVEL_LEAF &&
		    !draft->sw[i].pending)
			order->at[order->n++] = i;
	}
	for (i = 0; i < order->n; i++) {
		const struct draft_switch *sw = &draft->sw[order->at[i]];

		if (check_level(draft, order->at[i], sw->level, err))
			return -1;
		if (sw->parent != NONE)
			raise_parent(draft, sw->parent, sw->level, order);
		for (k = sw->more; k != NONE; k = draft->more[k].next)
			raise_parent(draft, draft->more[k].parent, sw->level,
				     order);
	}
	for (i = 0; i < draft->n_switches; i++) {
		if (draft->sw[i].pending)
			return report_cycle(draft, i, err);
	}
	return 0;
}

/* ---- switches with several parents ---- */

struct draft_nest {
	struct sgang_nest nest;
	bool *has_nodes;
	struct sgang_nest_link *link;
	uint32_t *number; /* of all arrays by switch */
};

static void free_nest(struct draft_nest *of)
{
	free(of->has_nodes);
	free(of->link);
	free(of->number);
}

static int make_nest(const struct sgang_draft *draft,
		     const struct draft_order *order, struct draft_nest *of)
{
	size_t n = draft->n_switches, links = 0;
	uint32_t i, k;

	*of = (struct draft_nest){
		.has_nodes = calloc(n, sizeof(*of->has_nodes)),
		.link = malloc((n + draft->n_more) * sizeof(*of->link)),
		.number = malloc(3 * n * sizeof(*of->number)),
	};
	if (!of->has_nodes || !of->link || !of->number) {
		free_nest(of);
		return -1;
	}
	for (i = 0; i < draft->n_nodes; i++) {
		if (draft->node_leaf[i] != NONE)
			of->has_nodes[draft->node_leaf[i]] = true;
	}
	for (i = 0; i < order->n; i++) {
		uint32_t child = order->at[i];
		const struct draft_switch *sw = &draft->sw[child];

		if (sw->parent != NONE)
			of->link[links++] =
				(struct sgang_nest_link){ child, sw->parent };
		for (k = sw->more; k != NONE; k = draft->more[k].next)
			of->link[links++] = (struct sgang_nest_link){
				child, draft->more[k].parent
			};
	}
	of->nest = (struct sgang_nest){ .n = draft->n_switches,
					.has_nodes = of->has_nodes,
					.link = of->link,
					.n_links = links,
					.level = of->number,
					.same = of->number + n,
					.parent = of->number + 2 * n };
	for (i = 0; i < n; i++) {
		of->nest.level[i] = draft->sw[i].level;
		of->nest.parent[i] = draft->sw[i].parent;
	}
	return 0;
}

static int no_nest(const struct sgang_draft *draft, uint32_t one,
		   uint32_t other, struct sgang_error *err)
{
	const struct draft_switch *last = &draft->sw[one > other ? one : other],
				  *first =
					  &draft->sw[one > other ? other : one];
	char a[SGANG_TEXT_SHOWN], b[SGANG_TEXT_SHOWN];

	return sgang_errf(
		err, EINVAL,
		"%s:%u: switches %s and %s at %s:%u have some nodes in common, and each has others, expected a tree: write one into a file of its own and name it by TopologyFile= in gang.conf",
		name_at(draft, last->file), last->line,
		sgang_text_show(a, name_at(draft, last->name)),
		sgang_text_show(b, name_at(draft, first->name)),
		name_at(draft, first->file), first->line);
}

/* Switches with the same nodes become one, so that each has one parent. */
static int settle_parents(struct sgang_draft *draft,
			  const struct draft_order *order,
			  struct sgang_error *err)
{
	struct draft_nest of;
	uint32_t i;
	int rc;

	if (!draft->n_more)
		return 0;
	if (make_nest(draft, order, &of))
		return no_memory(err);
	rc = sgang_nest(&of.nest);
	if (rc)
		rc = errno == EINVAL ?
			     no_nest(draft, of.nest.one, of.nest.other, err) :
			     no_memory(err);
	for (i = 0; !rc && i < draft->n_switches; i++) {
		draft->sw[i].level = of.nest.level[i];
		draft->sw[i].parent = of.nest.parent[i];
		rc = check_level(draft, i, draft->sw[i].level, err);
	}
	if (!rc && name_together(draft, of.nest.same, draft->n_switches))
		rc = no_memory(err);
	free_nest(&of);
	return rc;
}

static int find_places(struct sgang_draft *draft, struct sgang_error *err)
{
	struct draft_order order = {
		calloc(draft->n_switches + 1, sizeof(*order.at)), 0
	};
	int rc;

	if (!order.at)
		return no_memory(err);
	rc = find_levels(draft, &order, err);
	if (!rc)
		rc = settle_parents(draft, &order, err);
	free(order.at);
	return rc;
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
					 draft->sw[switch_of[d]].all;
}

struct sgang_fabric *sgang_draft_build(struct sgang_draft *draft,
				       struct sgang_error *err)
{
	struct sgang_fabric *fabric = NULL;
	uint32_t *switch_of = NULL;
	uint32_t top, linked;

	if (settle_nodes(draft, err) || find_parents(draft, err))
		return NULL;
	if ((!draft->fixed && sort_nodes(draft)) || add_single_domains(draft)) {
		no_memory(err);
		return NULL;
	}
	if (find_places(draft, err))
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
	fabric->warning = draft->warning;
	draft->warning = NULL;
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
