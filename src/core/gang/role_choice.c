/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_choice.c - which groups of a tree make up its minimum */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/hash.h"
#include "role_choice.h"

/* ---- what each group needs ---- */

/* A group among those it is beside. */
struct beside {
	uint32_t g, need, running, order;
};

static int prefer(const void *a, const void *b)
{
	const struct beside *x = a, *y = b;

	if (!x->need != !y->need)
		return !x->need ? -1 : 1;
	if (x->order != y->order)
		return (x->order < y->order) ? -1 : 1;
	if (!x->running != !y->running)
		return x->running ? -1 : 1;
	if (x->need != y->need)
		return (x->need < y->need) ? -1 : 1;
	return (x->g < y->g) ? -1 : 1;
}

static void look_at_leaf(struct sgang_role_choice *c, uint32_t g)
{
	const struct sgang_role_stock *s = &c->stock[g];
	uint32_t min = sgang_role_min(c->tree, g);
	uint32_t need = s->have < min ? min - s->have : 0;

	c->need[g] = need <= s->more ? need : SGANG_ROLE_NEVER;
	c->running[g] = s->running;
	c->order[g] = s->order;
}

/* List the groups in 'g' that are possible, in order of preference. */
static void list_children(struct sgang_role_choice *c, uint32_t g,
			  struct beside *list)
{
	const struct sgang_role_tree *tree = c->tree;
	uint32_t n = 0;

	c->order[g] = UINT32_MAX;
	for (uint32_t i = g + 1; i < tree->node[g].end; i = tree->node[i].end) {
		c->running[g] += c->running[i];
		if (c->order[i] < c->order[g])
			c->order[g] = c->order[i];
		if (c->need[i] != SGANG_ROLE_NEVER)
			list[n++] = (struct beside){ i, c->need[i],
						     c->running[i],
						     c->order[i] };
	}
	qsort(list, n, sizeof(*list), prefer);
	for (uint32_t i = 0; i < n; i++)
		c->child[c->first[g] + i] = list[i].g;
	c->possible[g] = n;
}

static void look_at_group(struct sgang_role_choice *c, uint32_t g,
			  struct beside *list)
{
	uint32_t min = sgang_role_min(c->tree, g);

	list_children(c, g, list);
	if (c->possible[g] < min) {
		c->need[g] = SGANG_ROLE_NEVER;
		return;
	}
	c->need[g] = 0;
	for (uint32_t i = 0; i < min; i++)
		c->need[g] += c->need[c->child[c->first[g] + i]];
}

/* ---- which are alike ---- */

struct likeness {
	uint64_t hash;
	uint32_t g;
};

static int by_hash(const void *a, const void *b)
{
	const struct likeness *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static uint64_t hash_of(const struct sgang_role_choice *c, uint32_t g,
			const struct likeness *all)
{
	const struct sgang_role_group *group = &c->tree->node[g].group;
	uint64_t hash = sgang_hash(SGANG_HASH_SEED, group->min), sum = 0;

	hash = sgang_hash(hash, group->weight_set ? group->weight : UINT64_MAX);
	hash = sgang_hash_text(hash, group->require);
	hash = sgang_hash_text(hash, group->prefer);
	hash = sgang_hash(hash, c->order[g]);
	hash = sgang_hash(hash, c->need[g]);
	/* Members that have nodes bind a group to a place of its own. */
	if (c->running[g])
		return sgang_hash(hash, g + UINT64_C(1));
	if (sgang_role_leaf(c->tree, g)) {
		hash = sgang_hash(hash, c->stock[g].have);
		hash = sgang_hash(hash, c->stock[g].more);
		return sgang_hash(hash, c->stock[g].alike);
	}
	for (uint32_t i = g + 1; i < c->tree->node[g].end;
	     i = c->tree->node[i].end)
		sum += sgang_hash(SGANG_HASH_SEED, all[i].hash);
	return sgang_hash(hash, sum);
}

/* Groups of the same kind are the same in all but name. */
static int find_kinds(struct sgang_role_choice *c)
{
	uint32_t n = c->tree->n, kind = 0;
	struct likeness *all = calloc(n, sizeof(*all));

	if (!all)
		return -1;
	for (uint32_t g = n; g--;)
		all[g] = (struct likeness){ hash_of(c, g, all), g };
	qsort(all, n, sizeof(*all), by_hash);
	for (uint32_t i = 0; i < n; i++) {
		kind += i && all[i].hash != all[i - 1].hash;
		c->kind[all[i].g] = kind;
	}
	free(all);
	return 0;
}

/* ---- begin and end ---- */

static int alloc(struct sgang_role_choice *c, uint32_t n)
{
	uint32_t *numbers = calloc(n * 7UL, sizeof(*numbers));

	c->need = numbers;
	c->taken = calloc(n * 2UL, sizeof(*c->taken));
	if (!numbers || !c->taken)
		return -1;
	c->closed = c->taken + n;
	c->running = numbers + n;
	c->order = numbers + 2UL * n;
	c->kind = numbers + 3UL * n;
	c->child = numbers + 4UL * n;
	c->first = numbers + 5UL * n;
	c->possible = numbers + 6UL * n;
	return 0;
}

int sgang_role_choice_open(struct sgang_role_choice *c,
			   const struct sgang_role_tree *tree,
			   const struct sgang_role_stock *stock)
{
	uint32_t n = tree->n, at = 0;
	struct beside *list = calloc(n, sizeof(*list));
	int rc = -1;

	*c = (struct sgang_role_choice){ .tree = tree, .stock = stock };
	if (!list || alloc(c, n) < 0)
		goto out;
	for (uint32_t g = 0; g < n; g++) {
		c->first[g] = at;
		at += tree->node[g].children;
	}
	for (uint32_t g = n; g--;) {
		if (sgang_role_leaf(tree, g))
			look_at_leaf(c, g);
		else
			look_at_group(c, g, list);
	}
	rc = find_kinds(c);
out:
	free(list);
	if (rc < 0)
		sgang_err_memory(NULL);
	return rc;
}

void sgang_role_choice_close(struct sgang_role_choice *c)
{
	free(c->need);
	free(c->taken);
	*c = (struct sgang_role_choice){ .tree = NULL };
}

/* ---- choices ---- */

static uint32_t child_of(const struct sgang_role_choice *c, uint32_t g,
			 uint32_t i)
{
	return c->child[c->first[g] + i];
}

static void drop(struct sgang_role_choice *c, uint32_t g)
{
	memset(c->taken + g, 0, c->tree->node[g].end - g);
}

void sgang_role_choice_first(struct sgang_role_choice *c, uint32_t g)
{
	drop(c, g);
	c->taken[g] = true;
	if (sgang_role_leaf(c->tree, g))
		return;
	for (uint32_t i = 0; i < sgang_role_min(c->tree, g); i++)
		sgang_role_choice_first(c, child_of(c, g, i));
}

/* Let the last of its groups that can be chosen otherwise be so, and those
 * behind it as at first. */
static bool next_inside(struct sgang_role_choice *c, uint32_t g)
{
	for (uint32_t i = c->possible[g]; i--;) {
		uint32_t child = child_of(c, g, i);

		if (!c->taken[child])
			continue;
		if (sgang_role_choice_next(c, child))
			return true;
		sgang_role_choice_first(c, child);
	}
	return false;
}

/* Take groups of 'g' from the i-th on until 'left' are taken. None is taken
 * whose like was left out before it. */
static bool fill(struct sgang_role_choice *c, uint32_t g, uint32_t i,
		 uint32_t left)
{
	for (; left && i < c->possible[g]; i++) {
		uint32_t child = child_of(c, g, i);

		if (c->closed[c->kind[child]])
			continue;
		sgang_role_choice_first(c, child);
		left--;
	}
	return !left;
}

/* Close the kinds of the groups before the i-th that are not taken. */
static void close_before(struct sgang_role_choice *c, uint32_t g, uint32_t i)
{
	for (uint32_t k = 0; k < c->possible[g]; k++)
		c->closed[c->kind[child_of(c, g, k)]] = false;
	for (uint32_t k = 0; k < i; k++) {
		if (!c->taken[child_of(c, g, k)])
			c->closed[c->kind[child_of(c, g, k)]] = true;
	}
}

/* Other groups in 'g': leave out the last one that can be left out. */
static bool next_groups(struct sgang_role_choice *c, uint32_t g)
{
	uint32_t left = 0;

	for (uint32_t i = c->possible[g]; i--;) {
		uint32_t child = child_of(c, g, i);

		if (!c->taken[child])
			continue;
		/* It has what it needs, and so have those before it. */
		if (!c->need[child])
			return false;
		drop(c, child);
		left++;
		close_before(c, g, i + 1);
		if (fill(c, g, i + 1, left))
			return true;
		for (uint32_t k = i; k < c->possible[g]; k++)
			drop(c, child_of(c, g, k));
	}
	return false;
}

bool sgang_role_choice_next(struct sgang_role_choice *c, uint32_t g)
{
	if (sgang_role_leaf(c->tree, g))
		return false;
	return next_inside(c, g) || next_groups(c, g);
}

uint32_t sgang_role_choice_take(const struct sgang_role_choice *c, uint32_t g,
				uint32_t *take)
{
	uint32_t sum = 0;

	memset(take, 0, c->tree->n * sizeof(*take));
	for (uint32_t i = g; i < c->tree->node[g].end; i++) {
		if (!c->taken[i] || !sgang_role_leaf(c->tree, i))
			continue;
		take[i] = c->need[i];
		sum += take[i];
	}
	return sum;
}

/* ---- what follows ---- */

bool sgang_role_choice_begins(const struct sgang_role_choice *c, uint32_t leaf,
			      uint32_t *top)
{
	bool begins = false;

	for (uint32_t g = leaf; g && g != SGANG_ROLE_NONE;
	     g = c->tree->node[g].parent) {
		if (!c->running[g]) {
			begins = true;
			*top = g;
		}
	}
	return begins;
}

/* It is there, or will be. */
static bool is_in(const struct sgang_role_choice *c, uint32_t g)
{
	return !g || c->taken[g] || c->running[g];
}

bool sgang_role_choice_more(const struct sgang_role_choice *c,
			    const uint32_t *take, uint32_t *cursor,
			    struct sgang_role_more *more)
{
	const struct sgang_role_tree *tree = c->tree;

	for (; *cursor < tree->n; ++*cursor) {
		uint32_t g = *cursor;

		if (!is_in(c, g)) {
			if (c->need[g] == SGANG_ROLE_NEVER || !c->need[g]) {
				*cursor = tree->node[g].end - 1;
				continue;
			}
			*more = (struct sgang_role_more){ g, true, c->need[g] };
			return true;
		}
		if (sgang_role_leaf(tree, g) && take[g] < c->stock[g].more) {
			*more = (struct sgang_role_more){ g, false, 1 };
			return true;
		}
	}
	return false;
}
