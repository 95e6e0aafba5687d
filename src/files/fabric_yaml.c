/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_yaml.c - reads topology.yaml into the draft of a fabric
 *
 * To add a kind of topology: its reader and its row in `kinds`.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/fabric/draft.h"
#include "files/fabric_yaml.h"
#include "files/tree.h"

static const struct sgang_draft_words switch_words = {
	.thing = "switch",
	.has = "on",
	.once = "on one leaf switch",
	.define = "an entry switch: ",
};

static const struct sgang_draft_words block_words = {
	.thing = "block",
	.has = "in",
	.once = "in one block",
	.define = "an entry block: ",
	.blocks = true,
};

struct reader {
	struct sgang_draft *draft;
	const char *label;
	const char *topology; /* the name of the chosen one */
	const struct sgang_tree *all;
	struct sgang_error *err;
};

/* An entry of a map that is to be a text, or as in Slurm a list of texts too. */
struct field {
	const char *key;
	/* one of them; it stays NULL when there is no such entry */
	const char **text;
	const struct sgang_tree **texts;
};

static int wrong(const struct reader *r, const struct sgang_tree *at,
		 const char *expected, const char *found)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(r->err, EINVAL, "%s:%zu: expected %s, found \"%s\"",
			  r->label, at->line, expected,
			  sgang_text_show(shown, found));
}

static struct sgang_place place_of(const struct reader *r,
				   const struct sgang_tree *at)
{
	return (struct sgang_place){ r->label, (uint32_t)at->line };
}

/* The word for it in messages. */
static const char *show(const struct sgang_tree *tree)
{
	static const char *const kinds[] = { [SGANG_TREE_LIST] = "a list",
					     [SGANG_TREE_MAP] =
						     "keys and values" };

	return tree->kind == SGANG_TREE_TEXT ? tree->text : kinds[tree->kind];
}

/* Where Slurm has a list it takes a single entry without the list, too. */
static const struct sgang_tree *first_of(const struct sgang_tree *list)
{
	return list->kind == SGANG_TREE_LIST ? list->child : list;
}

static const struct sgang_tree *next_of(const struct sgang_tree *list,
					const struct sgang_tree *item)
{
	return list->kind == SGANG_TREE_LIST ? item->next : NULL;
}

static int check_texts(const struct reader *r, const struct sgang_tree *list)
{
	const struct sgang_tree *item;

	for (item = first_of(list); item; item = next_of(list, item)) {
		if (item->kind != SGANG_TREE_TEXT)
			return wrong(r, item, "a text", show(item));
	}
	return 0;
}

static bool is_empty(const struct sgang_tree *entry)
{
	return entry->kind == SGANG_TREE_TEXT ? !*entry->text : !entry->child;
}

/* Take the entries of a map apart: texts, none of them unknown. */
static int take_fields(const struct reader *r, const struct sgang_tree *map,
		       const struct field *fields, size_t n,
		       const char *expected)
{
	const struct sgang_tree *entry;
	size_t i;

	if (map->kind != SGANG_TREE_MAP)
		return wrong(r, map, expected, show(map));
	for (entry = map->child; entry; entry = entry->next) {
		for (i = 0; i < n && strcmp(fields[i].key, entry->key); i++)
			;
		if (i == n)
			return wrong(r, entry, expected, entry->key);
		if (fields[i].texts) {
			if (check_texts(r, entry))
				return -1;
			if (!is_empty(entry))
				*fields[i].texts = entry;
			continue;
		}
		if (entry->kind != SGANG_TREE_TEXT)
			return wrong(r, entry, "a text", show(entry));
		if (*entry->text)
			*fields[i].text = entry->text;
	}
	return 0;
}

/* Check that a map has no other keys than these. */
static int check_keys(const struct reader *r, const struct sgang_tree *map,
		      const char *const *keys, size_t n, const char *expected)
{
	const struct sgang_tree *entry;
	size_t i;

	if (map->kind != SGANG_TREE_MAP)
		return wrong(r, map, expected, show(map));
	for (entry = map->child; entry; entry = entry->next) {
		for (i = 0; i < n && strcmp(keys[i], entry->key); i++)
			;
		if (i == n)
			return wrong(r, entry, expected, entry->key);
	}
	return 0;
}

/* Hang the nodes of a text, or of each text of a list, on a switch or block. */
static int hang_nodes(const struct reader *r, uint32_t number,
		      const struct sgang_tree *nodes, struct sgang_place place)
{
	const struct sgang_tree *text;

	for (text = first_of(nodes); text; text = next_of(nodes, text)) {
		if (sgang_draft_nodes(r->draft, number, text->text, place,
				      r->err))
			return -1;
	}
	return 0;
}

/* ---- flat ---- */

/* The nodes that an entry of another topology names; what else is in it does not
 * matter. */
static int know_nodes(const struct reader *r, const struct sgang_tree *entry)
{
	const struct sgang_tree *list = NULL, *item;

	if (entry->kind == SGANG_TREE_MAP)
		list = sgang_tree_find(entry, "nodes");
	for (item = list ? first_of(list) : NULL; item;
	     item = next_of(list, item)) {
		if (item->kind == SGANG_TREE_TEXT && *item->text &&
		    sgang_draft_know(r->draft, item->text, place_of(r, item),
				     r->err))
			return -1;
	}
	return 0;
}

static int know_others(const struct reader *r)
{
	static const char *const kinds[][2] = { { "tree", "switches" },
						{ "block", "blocks" } };
	const struct sgang_tree *topology, *kind, *list, *item;
	size_t i;

	for (topology = first_of(r->all); topology;
	     topology = next_of(r->all, topology)) {
		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			kind = sgang_tree_find(topology, kinds[i][0]);
			list = kind && kind->kind == SGANG_TREE_MAP ?
				       sgang_tree_find(kind, kinds[i][1]) :
				       NULL;
			for (item = list ? first_of(list) : NULL; item;
			     item = next_of(list, item)) {
				if (know_nodes(r, item))
					return -1;
			}
		}
	}
	return 0;
}

/* slurmctld knows the nodes. Without it they are those of all topologies of the
 * file. */
static int read_flat(const struct reader *r, const struct sgang_tree *flat)
{
	if (!sgang_draft_has_nodes(r->draft) && know_others(r))
		return -1;
	if (!sgang_draft_has_nodes(r->draft))
		return wrong(r, flat,
			     "a tree or blocks: no topology of the file names "
			     "nodes, nor does the flat one",
			     r->topology);
	return sgang_draft_flat(r->draft, r->err);
}

/* ---- tree ---- */

static int read_switch(const struct reader *r, const struct sgang_tree *item)
{
	const struct sgang_tree *children = NULL, *nodes = NULL, *text;
	const char *name = NULL;
	const struct field fields[] = {
		{ "switch", .text = &name },
		{ "children", .texts = &children },
		{ "nodes", .texts = &nodes },
	};
	struct sgang_place place = place_of(r, item);
	uint32_t number;

	if (take_fields(r, item, fields, 3, "switch, children or nodes"))
		return -1;
	if (!name)
		return wrong(r, item, "switch: and its name", "nothing");
	if (children && nodes)
		return wrong(r, item,
			     "children or nodes, not both, of the "
			     "switch",
			     name);
	if (sgang_draft_switch(r->draft, name, place, &number, r->err))
		return -1;
	if (nodes)
		return hang_nodes(r, number, nodes, place);
	/* with neither it waits for nodes that register themselves */
	for (text = children ? first_of(children) : NULL; text;
	     text = next_of(children, text)) {
		if (sgang_draft_children(r->draft, number, text->text, place,
					 r->err))
			return -1;
	}
	return 0;
}

static int read_tree(const struct reader *r, const struct sgang_tree *tree)
{
	static const char *const keys[] = { "switches" };
	const struct sgang_tree *list, *item;

	if (check_keys(r, tree, keys, 1, "switches"))
		return -1;
	sgang_draft_call(r->draft, &switch_words);
	list = sgang_tree_find(tree, "switches");
	for (item = list ? first_of(list) : NULL; item;
	     item = next_of(list, item)) {
		if (read_switch(r, item))
			return -1;
	}
	/* without switches all nodes are on one leaf, as for slurmctld */
	return sgang_draft_switches(r->draft) ? 0 : read_flat(r, tree);
}

/* ---- block ---- */

static int read_one_block(const struct reader *r, const struct sgang_tree *item)
{
	const struct sgang_tree *nodes = NULL;
	const char *name = NULL;
	const struct field fields[] = {
		{ "block", .text = &name },
		{ "nodes", .texts = &nodes },
	};
	struct sgang_place place = place_of(r, item);
	uint32_t number;

	if (take_fields(r, item, fields, 2, "block or nodes"))
		return -1;
	if (!name)
		return wrong(r, item, "block: and its name", "nothing");
	if (sgang_draft_switch(r->draft, name, place, &number, r->err))
		return -1;
	return nodes ? hang_nodes(r, number, nodes, place) : 0;
}

static int read_sizes(const struct reader *r, const struct sgang_tree *list,
		      struct sgang_block_sizes *sizes)
{
	const struct sgang_tree *item;

	for (item = first_of(list); item; item = next_of(list, item)) {
		if (item->kind != SGANG_TREE_TEXT)
			return wrong(r, item, "a number of nodes", show(item));
		if (sgang_block_size(sizes, item->text, place_of(r, item),
				     r->err))
			return -1;
	}
	return 0;
}

static int read_block(const struct reader *r, const struct sgang_tree *block)
{
	static const char *const keys[] = { "block_sizes", "blocks" };
	const struct sgang_tree *list, *item;
	struct sgang_block_sizes sizes = { 0 };

	if (check_keys(r, block, keys, 2, "block_sizes or blocks"))
		return -1;
	sgang_draft_call(r->draft, &block_words);
	list = sgang_tree_find(block, "block_sizes");
	if (list && read_sizes(r, list, &sizes))
		return -1;
	list = sgang_tree_find(block, "blocks");
	for (item = list ? first_of(list) : NULL; item;
	     item = next_of(list, item)) {
		if (read_one_block(r, item))
			return -1;
	}
	if (!sgang_draft_switches(r->draft))
		return read_flat(r, block);
	return sgang_draft_join(r->draft, &sizes, r->err);
}

/* ---- kinds on which nobody places here ---- */

static int refuse_kind(const struct reader *r, const struct sgang_tree *tree)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(r->err, ENOTSUP,
			  "%s:%zu: topology %s has topology/%s, on which "
			  "slurm-gang cannot place gangs: it knows tree, block "
			  "and flat",
			  r->label, tree->line,
			  sgang_text_show(shown, r->topology), tree->key);
}

/* ---- the list of topologies ---- */

static const struct kind {
	const char *key;
	int (*read)(const struct reader *r, const struct sgang_tree *tree);
} kinds[] = {
	{ "block", read_block }, { "flat", read_flat },
	{ "ring", refuse_kind }, { "torus3d", refuse_kind },
	{ "tree", read_tree },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* 1, 0, or -1 when it is neither yes nor no. */
static int truth(const struct reader *r, const struct sgang_tree *tree)
{
	static const char *const yes[] = { "true", "yes", "on", "1" };
	static const char *const no[] = { "false", "no", "off", "0" };
	size_t i;

	for (i = 0; tree->kind == SGANG_TREE_TEXT && i < 4; i++) {
		if (!strcasecmp(tree->text, yes[i]))
			return 1;
		if (!strcasecmp(tree->text, no[i]))
			return 0;
	}
	return wrong(r, tree, "true or false", show(tree));
}

/* Does an entry of a topology say what it is? "flat: false" does not. 1, 0 or
 * -1. */
static int says_kind(const struct reader *r, const struct sgang_tree *entry,
		     const struct kind **kind)
{
	static const char *const others[] = { "topology", "cluster_default" };
	size_t i;

	*kind = NULL;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(others[i], entry->key))
			return 0;
	}
	for (i = 0; i < N_KINDS; i++) {
		if (strcmp(kinds[i].key, entry->key))
			continue;
		*kind = &kinds[i];
		if (kinds[i].read != read_flat || entry->kind == SGANG_TREE_MAP)
			return 1;
		return truth(r, entry);
	}
	return wrong(r, entry, "cluster_default, tree, block or flat",
		     entry->key);
}

/* scontrol show topoconf prints all kinds, and {} for those that it is not; until
 * 26.05 false in place of flat's. */
static bool is_other_kind(const struct sgang_tree *topology,
			  const struct sgang_tree *entry)
{
	size_t n = 0, i;

	for (i = 0; i < N_KINDS; i++)
		n += sgang_tree_find(topology, kinds[i].key) != NULL;
	return n > 1 &&
	       (entry->kind == SGANG_TREE_MAP ? !entry->child :
						!strcmp(show(entry), "false"));
}

static int read_topology(const struct reader *r,
			 const struct sgang_tree *topology)
{
	const struct sgang_tree *entry, *chosen = NULL;
	const struct kind *kind = NULL, *found;
	int rc;

	for (entry = topology->child; entry; entry = entry->next) {
		rc = says_kind(r, entry, &found);
		if (rc < 0)
			return -1;
		if (!rc || is_other_kind(topology, entry))
			continue;
		if (chosen)
			return wrong(r, entry, "one of tree, block and flat",
				     entry->key);
		chosen = entry;
		kind = found;
	}
	if (!chosen)
		return wrong(r, topology, "tree, block or flat in topology",
			     r->topology);
	return kind->read(r, chosen);
}

bool sgang_fabric_yaml_is_bare(const char *text)
{
	struct sgang_tree *all = sgang_tree_parse(text, "", NULL);
	const struct sgang_tree *item, *entry = NULL;
	size_t i;

	for (item = all ? first_of(all) : NULL; item && !entry;
	     item = next_of(all, item)) {
		for (i = 0; i < N_KINDS && !entry; i++) {
			entry = item->kind == SGANG_TREE_MAP ?
					sgang_tree_find(item, kinds[i].key) :
					NULL;
			if (entry && is_other_kind(item, entry))
				entry = NULL;
		}
	}
	sgang_tree_destroy(all);
	return !entry;
}

/* The name of a topology, or NULL. */
static const char *name_of(const struct reader *r,
			   const struct sgang_tree *topology)
{
	const struct sgang_tree *name = NULL;

	if (topology->kind == SGANG_TREE_MAP)
		name = sgang_tree_find(topology, "topology");
	if (name && name->kind == SGANG_TREE_TEXT && *name->text)
		return name->text;
	wrong(r, topology, "topology: and its name",
	      name                             ? show(name) :
	      topology->kind == SGANG_TREE_MAP ? "no such key" :
						 show(topology));
	return NULL;
}

/* NULL: it is not there, or something is wrong. */
static const struct sgang_tree *
choose(const struct reader *r, const struct sgang_tree *all,
       const struct sgang_topology_choice *choice)
{
	const struct sgang_tree *item, *marked = NULL, *found = NULL, *entry;
	const char *name, *wanted = choice->name;
	char expected[96];
	int rc;

	for (item = first_of(all); item; item = next_of(all, item)) {
		name = name_of(r, item);
		if (!name)
			return NULL;
		entry = sgang_tree_find(item, "cluster_default");
		rc = entry ? truth(r, entry) : 0;
		if (rc < 0)
			return NULL;
		if (rc && !marked)
			marked = item;
		if (strcmp(name, wanted))
			continue;
		if (found) {
			wrong(r, item, "each topology once", name);
			return NULL;
		}
		found = item;
	}
	if (!*wanted)
		found = marked ? marked : first_of(all);
	if (!first_of(all)) {
		wrong(r, all, "one topology or more", "an empty list");
	} else if (!found) {
		snprintf(expected, sizeof(expected),
			 "a topology that is called as %s says", choice->by);
		wrong(r, all, expected, wanted);
	}
	return found;
}

int sgang_fabric_read_yaml(struct sgang_draft *draft, const char *text,
			   const char *label,
			   const struct sgang_topology_choice *choice,
			   struct sgang_error *err)
{
	struct reader r = { .draft = draft, .label = label, .err = err };
	struct sgang_tree *all = sgang_tree_parse(text, label, err);
	const struct sgang_tree *topology;
	int rc = -1, saved;

	if (!all)
		return -1;
	r.all = all;
	topology = choose(&r, all, choice);
	if (topology) {
		r.topology = sgang_tree_find(topology, "topology")->text;
		rc = read_topology(&r, topology);
	}
	saved = errno;
	sgang_tree_destroy(all);
	errno = saved;
	return rc;
}

/* A topology.conf begins with Key=Value, or with an Include. */
bool sgang_fabric_is_yaml(const char *text)
{
	size_t key;

	for (;;) {
		text += strspn(text, " \t\r\n");
		if (*text != '#')
			break;
		text += strcspn(text, "\n");
	}
	if (*text && strchr("-[{%", *text))
		return true;
	key = strcspn(text, "=: \t\r\n");
	return text[key] == ':';
}
