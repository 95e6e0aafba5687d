/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_tree.c - a gang whose members form a tree of groups */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "role_tree.h"

/* ---- making it ---- */

/* A tree that is being made: nodes in the order of their coming. */
struct making {
	struct sgang_role_tree *tree;
	size_t cap;
	uint32_t *bucket; /* by a hash of parent and name: a node */
	uint32_t mask;
	struct sgang_error *err;
	bool wrong; /* some text was */
};

static uint32_t *find_bucket(struct making *m, uint32_t parent,
			     const char *name)
{
	uint64_t hash = sgang_hash_text(sgang_hash(SGANG_HASH_SEED, parent),
					name);
	uint32_t at = (uint32_t)hash & m->mask;

	for (;; at = (at + 1) & m->mask) {
		const struct sgang_role_node *node;

		if (m->bucket[at] == SGANG_ROLE_NONE)
			return &m->bucket[at];
		node = &m->tree->node[m->bucket[at]];
		if (node->parent == parent && !strcmp(node->group.name, name))
			return &m->bucket[at];
	}
}

/* Room for every group of 'n' texts. */
static int begin(struct making *m, size_t n)
{
	uint32_t buckets = 16;

	m->cap = n * SGANG_ROLE_DEPTH + 1;
	if (m->cap > SGANG_ROLE_GROUPS_MAX)
		m->cap = SGANG_ROLE_GROUPS_MAX;
	while (buckets < m->cap * 2)
		buckets *= 2;
	m->mask = buckets - 1;
	m->tree->n = 0;
	m->tree->node = calloc(m->cap, sizeof(*m->tree->node));
	m->bucket = malloc(buckets * sizeof(*m->bucket));
	if (!m->tree->node || !m->bucket)
		return -1;
	memset(m->bucket, 0xff, buckets * sizeof(*m->bucket));
	return 0;
}

/* Fill what 'into' leaves out. Returns the word in which they differ, or NULL.
 */
static const char *merge(struct sgang_role_group *into,
			 const struct sgang_role_group *from)
{
	const char *word = NULL;

	if (from->min && into->min && from->min != into->min)
		word = "min";
	if (from->weight_set && into->weight_set &&
	    from->weight != into->weight)
		word = "weight";
	if (from->require[0] && into->require[0] &&
	    strcmp(from->require, into->require))
		word = "require";
	if (from->prefer[0] && into->prefer[0] &&
	    strcmp(from->prefer, into->prefer))
		word = "prefer";
	if (!into->min)
		into->min = from->min;
	if (!into->weight_set) {
		into->weight_set = from->weight_set;
		into->weight = from->weight;
	}
	if (!into->require[0])
		strcpy(into->require, from->require);
	if (!into->prefer[0])
		strcpy(into->prefer, from->prefer);
	return word;
}

static void value_of(const struct sgang_role_group *group, const char *word,
		     char value[SGANG_LEVEL_NAME_SIZE])
{
	if (!strcmp(word, "min"))
		snprintf(value, SGANG_LEVEL_NAME_SIZE, "%" PRIu32, group->min);
	else if (!strcmp(word, "weight"))
		snprintf(value, SGANG_LEVEL_NAME_SIZE, "%" PRIu32,
			 group->weight);
	else
		strcpy(value, word[0] == 'r' ? group->require : group->prefer);
}

/* The first error is told. */
static bool is_wrong(struct making *m)
{
	bool first = !m->wrong;

	m->wrong = true;
	return first;
}

static void tell_differ(struct making *m, uint32_t g,
			const struct sgang_role_group *said, const char *word)
{
	char names[SGANG_ROLE_SIZE], shown[SGANG_TEXT_SHOWN];
	char one[SGANG_LEVEL_NAME_SIZE], other[SGANG_LEVEL_NAME_SIZE];

	if (!is_wrong(m))
		return;
	value_of(said, word, one);
	value_of(&m->tree->node[g].group, word, other);
	sgang_role_names(m->tree, g, names);
	sgang_errf(m->err, EINVAL,
		   "group %s: %s=%s and %s=%s are said of it: all members must "
		   "say the same, or nothing",
		   sgang_text_show(shown, names), word, one, word, other);
}

static void tell_both(struct making *m, uint32_t g)
{
	char names[SGANG_ROLE_SIZE], shown[SGANG_TEXT_SHOWN];

	if (!is_wrong(m))
		return;
	sgang_role_names(m->tree, g, names);
	if (!g)
		sgang_errf(m->err, EINVAL,
			   "some members of this gang have a role and some "
			   "have none: give each --gang-role");
	else
		sgang_errf(m->err, EINVAL,
			   "group %s has members and groups in it: put these "
			   "members into a group of their own",
			   sgang_text_show(shown, names));
}

/* The node of that group, new or not; SGANG_ROLE_NONE when there is no room. */
static uint32_t find_node(struct making *m, uint32_t parent,
			  const struct sgang_role_group *group)
{
	uint32_t *bucket = find_bucket(m, parent, group->name), g = *bucket;
	struct sgang_role_node *node;

	if (g != SGANG_ROLE_NONE)
		return g;
	if (m->tree->n == m->cap) {
		if (is_wrong(m))
			sgang_errf(m->err, E2BIG,
				   "the gang has more than %d groups",
				   SGANG_ROLE_GROUPS_MAX - 1);
		return SGANG_ROLE_NONE;
	}
	g = *bucket = m->tree->n++;
	node = &m->tree->node[g];
	strcpy(node->group.name, group->name);
	node->parent = parent;
	node->depth = m->tree->node[parent].depth + 1;
	m->tree->node[parent].children++;
	return g;
}

/* Add what one text says. */
static void add(struct making *m, struct sgang_role_said *said)
{
	struct sgang_role_path path = { .n = 0 };
	uint32_t g = 0, next;
	struct sgang_error why;

	said->node = SGANG_ROLE_NONE;
	if (said->text[0] && sgang_role_path_parse(said->text, &path, &why)) {
		if (!said->remote && is_wrong(m))
			sgang_errf(m->err, EINVAL, "%s", why.text);
		return;
	}
	for (uint32_t i = 0; i < path.n; i++) {
		const char *word;

		if (m->tree->node[g].members) {
			if (!said->remote)
				tell_both(m, g);
			return;
		}
		next = find_node(m, g, &path.group[i]);
		if (next == SGANG_ROLE_NONE)
			return;
		g = next;
		word = merge(&m->tree->node[g].group, &path.group[i]);
		if (word && !said->remote)
			tell_differ(m, g, &path.group[i], word);
	}
	if (said->member && m->tree->node[g].children) {
		tell_both(m, g);
		return;
	}
	m->tree->node[g].members |= said->member;
	said->node = g;
}

/* ---- its order ---- */

struct key {
	const struct sgang_role_node *node;
	uint32_t old;
};

static int by_parent(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int rc;

	if (x->node->parent != y->node->parent)
		return (x->node->parent < y->node->parent) ? -1 : 1;
	rc = sgang_text_compare(x->node->group.name, y->node->group.name);
	return rc ? rc : strcmp(x->node->group.name, y->node->group.name);
}

/* Number the groups in 'g' in depth-first order. 'first' is the place of its
 * groups in 'key', by old number. */
static void number(const struct sgang_role_tree *tree, const struct key *key,
		   const uint32_t *first, uint32_t g, uint32_t *order,
		   uint32_t *n)
{
	order[(*n)++] = g;
	for (uint32_t i = 0; i < tree->node[g].children; i++)
		number(tree, key, first, key[first[g] + i].old, order, n);
}

static void place(const struct sgang_role_tree *tree, const uint32_t *order,
		  uint32_t *new_of, struct sgang_role_node *node)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		new_of[order[i]] = i;
		node[i] = tree->node[order[i]];
		node[i].end = i + 1;
		if (i)
			node[i].parent = new_of[node[i].parent];
	}
	for (uint32_t i = tree->n; --i > 0;) {
		if (node[node[i].parent].end < node[i].end)
			node[node[i].parent].end = node[i].end;
	}
}

static int sort(struct sgang_role_tree *tree, struct sgang_role_said *said,
		size_t n_said)
{
	uint32_t n = tree->n, count = 0;
	struct sgang_role_node *node = calloc(n, sizeof(*node));
	struct key *key = calloc(n, sizeof(*key));
	uint32_t *first = calloc(n * 3UL, sizeof(*first));
	uint32_t *order = first + n, *new_of = first + 2UL * n;
	int rc = -1;

	if (!node || !key || !first)
		goto out;
	for (uint32_t i = 0; i < n; i++)
		key[i] = (struct key){ &tree->node[i], i };
	qsort(key + 1, n - 1, sizeof(*key), by_parent);
	for (uint32_t i = n; --i > 0;)
		first[key[i].node->parent] = i;
	number(tree, key, first, 0, order, &count);
	place(tree, order, new_of, node);
	for (size_t i = 0; i < n_said; i++) {
		if (said[i].node != SGANG_ROLE_NONE)
			said[i].node = new_of[said[i].node];
	}
	free(tree->node);
	tree->node = node;
	node = NULL;
	rc = 0;
out:
	free(node);
	free(key);
	free(first);
	return rc;
}

int sgang_role_tree_make(struct sgang_role_tree *tree, uint32_t min,
			 struct sgang_role_said *said, size_t n,
			 struct sgang_error *err)
{
	struct making m = { .tree = tree, .err = err };
	int rc = begin(&m, n);

	if (rc == 0) {
		tree->n = 1;
		tree->node[0].parent = SGANG_ROLE_NONE;
		tree->node[0].group.min = min;
		for (size_t i = 0; i < n; i++) {
			if (!said[i].remote)
				add(&m, &said[i]);
		}
		for (size_t i = 0; i < n; i++) {
			if (said[i].remote)
				add(&m, &said[i]);
		}
		rc = sort(tree, said, n);
	}
	free(m.bucket);
	if (rc == 0)
		return m.wrong;
	sgang_role_tree_clear(tree);
	sgang_err_memory(err);
	return -1;
}

void sgang_role_tree_clear(struct sgang_role_tree *tree)
{
	int saved = errno;

	free(tree->node);
	*tree = (struct sgang_role_tree){ .n = 0 };
	errno = saved;
}

int sgang_role_tree_check_list(const char *list, struct sgang_error *err)
{
	size_t most = strlen(list) / 2 + 1, n = 0;
	struct sgang_role_tree tree = { .n = 0 };
	struct sgang_role_said *said;
	char(*text)[SGANG_ROLE_SIZE];
	int rc = -1;

	if (sgang_role_path_check_list(list, err))
		return -1;
	said = calloc(most, sizeof(*said));
	text = calloc(most, sizeof(*text));
	if (said && text) {
		for (; sgang_role_path_next(&list, text[n]); n++)
			said[n].text = text[n];
		rc = sgang_role_tree_make(&tree, 0, said, n, err);
		if (rc == 1)
			errno = EINVAL;
	} else {
		sgang_err_memory(err);
	}
	sgang_role_tree_clear(&tree);
	free(said);
	free(text);
	return rc ? -1 : 0;
}

/* ---- names ---- */

static void path_of(const struct sgang_role_tree *tree, uint32_t g,
		    struct sgang_role_path *path)
{
	path->n = tree->node[g].depth;
	for (uint32_t i = path->n; i--; g = tree->node[g].parent)
		path->group[i] = tree->node[g].group;
}

const char *sgang_role_names(const struct sgang_role_tree *tree, uint32_t g,
			     char names[SGANG_ROLE_SIZE])
{
	struct sgang_role_path path;
	size_t used = 0;

	if (!g)
		return strcpy(names, SGANG_ROLE_GANG);
	path_of(tree, g, &path);
	for (uint32_t i = 0; i < path.n; i++)
		used += (size_t)sprintf(names + used, "%s%s", i ? "/" : "",
					path.group[i].name);
	return names;
}

const char *sgang_role_text(const struct sgang_role_tree *tree, uint32_t g,
			    char text[SGANG_ROLE_SIZE])
{
	struct sgang_role_path path;

	path_of(tree, g, &path);
	if (!sgang_role_path_write(&path, text))
		sgang_role_names(tree, g, text);
	return text;
}

static uint32_t find_child(const struct sgang_role_tree *tree, uint32_t g,
			   const char *name)
{
	for (uint32_t i = g + 1; i < tree->node[g].end; i = tree->node[i].end) {
		if (!strcmp(tree->node[i].group.name, name))
			return i;
	}
	return SGANG_ROLE_NONE;
}

uint32_t sgang_role_find(const struct sgang_role_tree *tree, const char *text)
{
	struct sgang_role_path path;
	uint32_t g = 0;

	if (!tree->n || sgang_role_path_parse(text, &path, NULL))
		return SGANG_ROLE_NONE;
	for (uint32_t i = 0; i < path.n && g != SGANG_ROLE_NONE; i++)
		g = find_child(tree, g, path.group[i].name);
	return g;
}

/* ---- the rule ---- */

/* The number of groups right in 'g' that have what they need. */
static uint32_t satisfied_in(const struct sgang_role_tree *tree, uint32_t g,
			     const bool *satisfied)
{
	uint32_t count = 0;

	for (uint32_t i = g + 1; i < tree->node[g].end; i = tree->node[i].end)
		count += satisfied[i];
	return count;
}

void sgang_role_satisfied(const struct sgang_role_tree *tree,
			  const uint32_t *have, bool *satisfied)
{
	for (uint32_t g = tree->n; g--;) {
		uint32_t count = sgang_role_leaf(tree, g) ?
					 have[g] :
					 satisfied_in(tree, g, satisfied);

		satisfied[g] = count >= sgang_role_min(tree, g);
	}
}

/* The first group in 'g' that lacks something, if it has enough of them at all;
 * else 'g'. */
static uint32_t blame(const struct sgang_role_tree *tree, uint32_t g,
		      const bool *satisfied)
{
	if (sgang_role_leaf(tree, g) ||
	    tree->node[g].children < sgang_role_min(tree, g))
		return g;
	for (uint32_t i = g + 1; i < tree->node[g].end; i = tree->node[i].end) {
		if (!satisfied[i])
			return i;
	}
	return g;
}

void sgang_role_lacks(const struct sgang_role_tree *tree, uint32_t g,
		      const uint32_t *have, const bool *satisfied,
		      char text[SGANG_ROLE_WHY])
{
	char names[SGANG_ROLE_SIZE], shown[SGANG_TEXT_SHOWN];
	uint32_t next, count;

	text[0] = '\0';
	if (satisfied[g])
		return;
	while ((next = blame(tree, g, satisfied)) != g)
		g = next;
	count = sgang_role_leaf(tree, g) ? have[g] : tree->node[g].children;
	sgang_role_names(tree, g, names);
	snprintf(text, SGANG_ROLE_WHY,
		 "SubGroup %s does not have enough children (%" PRIu32
		 " < %" PRIu32 ")",
		 sgang_text_show(shown, names), count, sgang_role_min(tree, g));
}
