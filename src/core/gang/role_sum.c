/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_sum.c - what the members of a tree of groups amount to */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "role_sum.h"

/* ---- the tree ---- */

/* Texts that members say, remember, and that define the gang. */
struct texts {
	struct sgang_role_said *said;
	size_t n;
	size_t *of; /* by member: its own */
	char (*list)[SGANG_ROLE_SIZE];
};

static bool is_last(const struct texts *t, const char *text, bool remote)
{
	return t->n && t->said[t->n - 1].remote == remote &&
	       !strcmp(t->said[t->n - 1].text, text);
}

static void say(struct texts *t, const char *text, bool remote)
{
	t->said[t->n++] = (struct sgang_role_said){
		.text = text,
		.member = !remote,
		.remote = remote,
	};
}

/* Most members say the same as the one before them. */
static void collect(struct texts *t, const struct sgang_role_member *members,
		    size_t n, const char *tree)
{
	const char *said = NULL;
	size_t lists = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_last(t, members[i].role, false))
			say(t, members[i].role, false);
		t->of[i] = t->n - 1;
	}
	while (sgang_role_path_next(&tree, t->list[lists]))
		say(t, t->list[lists++], true);
	for (size_t i = 0; i < n; i++) {
		const char *text = members[i].remembered;

		if (!text || !*text || (said && !strcmp(said, text)))
			continue;
		said = text;
		say(t, text, true);
	}
}

int sgang_role_gang_tree(const struct sgang_role_gang *gang,
			 const struct sgang_role_member *members, size_t n,
			 struct sgang_role_tree *tree, uint32_t *leaf,
			 struct sgang_error *err)
{
	size_t lists = strlen(gang->tree) / 2 + 1;
	struct texts t = {
		.said = calloc(2 * n + lists + 1, sizeof(*t.said)),
		.of = calloc(n + 1, sizeof(*t.of)),
		.list = calloc(lists + 1, sizeof(*t.list)),
	};
	int rc = -1;

	*tree = (struct sgang_role_tree){ .n = 0 };
	if (t.said && t.of && t.list) {
		collect(&t, members, n, gang->tree);
		rc = sgang_role_tree_make(tree, gang->min, t.said, t.n, err);
	} else {
		sgang_err_memory(err);
	}
	for (size_t i = 0; rc >= 0 && i < n; i++)
		leaf[i] = t.said[t.of[i]].node;
	free(t.said);
	free(t.of);
	free(t.list);
	return rc;
}

void sgang_role_gang_stock(const struct sgang_role_gang *gang,
			   const struct sgang_role_member *members, size_t n,
			   const struct sgang_role_tree *tree,
			   const uint32_t *leaf, bool eligible,
			   struct sgang_role_stock *stock)
{
	for (uint32_t g = 0; g < tree->n; g++)
		stock[g] = (struct sgang_role_stock){ .order = UINT32_MAX };
	for (size_t i = 0; i < n; i++) {
		const struct sgang_role_member *m = &members[i];
		struct sgang_role_stock *s;

		if (leaf[i] == SGANG_ROLE_NONE)
			continue;
		s = &stock[leaf[i]];
		if (m->order < s->order)
			s->order = m->order;
		if (m->running)
			s->running += m->tasks;
		if (m->held || (m->running && (gang->counts || gang->started)))
			s->have += m->tasks;
		else if (!m->running && (m->eligible || !eligible))
			s->more += m->tasks;
		s->alike += m->alike * m->tasks; /* in any order */
	}
}

/* ---- sums ---- */

/* What a sum works with. */
struct sum {
	const struct sgang_role_gang *gang;
	const struct sgang_role_member *members;
	size_t n;
	const struct sgang_role_tree *tree;
	uint32_t *leaf;
	struct sgang_role_stock *stock;
	uint32_t *have;  /* by group */
	bool *satisfied; /* by group */
	struct sgang_role_sums *sums;
};

static void take_stock(struct sum *s, bool eligible)
{
	sgang_role_gang_stock(s->gang, s->members, s->n, s->tree, s->leaf,
			      eligible, s->stock);
}

/* Say what 'g' lacks with all of the stock. */
static void say_lacks(struct sum *s, uint32_t g)
{
	for (uint32_t i = 0; i < s->tree->n; i++)
		s->have[i] = s->stock[i].have + s->stock[i].more;
	sgang_role_satisfied(s->tree, s->have, s->satisfied);
	sgang_role_lacks(s->tree, g, s->have, s->satisfied, s->sums->lacks);
}

/* What the gang needs of the stock; SGANG_ROLE_NEVER: it is not enough. -1
 * without memory. */
static int need_of(struct sum *s, uint32_t *need)
{
	struct sgang_role_choice c;
	int rc = sgang_role_choice_open(&c, s->tree, s->stock);

	if (rc == 0)
		*need = c.need[0];
	sgang_role_choice_close(&c);
	return rc;
}

/* Members of the minimum, those that have nodes too; as if there were any number
 * where there are not enough. */
static int find_needed(struct sum *s)
{
	struct sgang_role_sums *sums = s->sums;

	for (uint32_t g = 0; g < s->tree->n; g++) {
		s->stock[g].more += s->stock[g].have;
		s->stock[g].have = 0;
		if (!sums->gathered)
			s->stock[g].more = SGANG_ROLE_MIN_MAX;
	}
	if (need_of(s, &sums->needed) < 0)
		return -1;
	/* groups that nobody has named yet */
	if (sums->needed == SGANG_ROLE_NEVER)
		sums->needed = sums->min;
	return 0;
}

static void find_whole(struct sum *s)
{
	memset(s->have, 0, s->tree->n * sizeof(*s->have));
	for (size_t i = 0; i < s->n; i++) {
		if (s->members[i].running && s->leaf[i] != SGANG_ROLE_NONE)
			s->have[s->leaf[i]] += s->members[i].tasks;
	}
	sgang_role_satisfied(s->tree, s->have, s->satisfied);
	s->sums->whole = s->satisfied[0];
}

static int sum_minimum(struct sum *s)
{
	struct sgang_role_sums *sums = s->sums;
	uint32_t all = 0, eligible = 0;

	take_stock(s, true);
	if (need_of(s, &eligible) < 0)
		return -1;
	say_lacks(s, 0);
	take_stock(s, false);
	if (need_of(s, &all) < 0)
		return -1;
	sums->gathered = all != SGANG_ROLE_NEVER;
	sums->eligible = eligible != SGANG_ROLE_NEVER;
	if (!sums->gathered)
		say_lacks(s, 0);
	if (find_needed(s) < 0)
		return -1;
	sums->missing = sums->eligible ? eligible :
			sums->gathered ? all :
					 sums->needed;
	sums->placed = sums->eligible && !eligible;
	return 0;
}

/* Groups without a member that runs follow, each as a whole: those that hold
 * nodes now, else the first that could. */
static int sum_growth(struct sum *s)
{
	struct sgang_role_sums *sums = s->sums;
	uint32_t held = 0, left = 0, next = SGANG_ROLE_NEVER, top, before = 0;
	uint32_t never = 0;
	struct sgang_role_choice c;
	int rc;

	take_stock(s, true);
	rc = sgang_role_choice_open(&c, s->tree, s->stock);
	for (uint32_t g = 1; rc == 0 && g < s->tree->n; g++) {
		const struct sgang_role_stock *stock = &s->stock[g];

		if (!sgang_role_leaf(s->tree, g) ||
		    !(stock->more + stock->have - stock->running) ||
		    !sgang_role_choice_begins(&c, g, &top))
			continue;
		held += stock->have;
		if (stock->have && top != before) {
			left += c.need[top] == SGANG_ROLE_NEVER ? 1 :
								  c.need[top];
			before = top;
		}
		if (c.need[top] && c.need[top] < next)
			next = c.need[top];
		if (c.need[top] == SGANG_ROLE_NEVER && !never)
			never = top;
	}
	sgang_role_choice_close(&c);
	sums->grows = held || next != SGANG_ROLE_NEVER;
	if (never && !sums->grows)
		say_lacks(s, never);
	sums->gathered = sums->eligible = sums->grows;
	sums->missing = held ? left : sums->grows ? next : 0;
	sums->placed = held && !left;
	return rc;
}

static int add_up(struct sum *s)
{
	uint32_t n = s->tree->n;
	int rc = -1;

	s->stock = calloc(n, sizeof(*s->stock));
	s->have = calloc(n, sizeof(*s->have));
	s->satisfied = calloc(n, sizeof(*s->satisfied));
	if (s->stock && s->have && s->satisfied) {
		find_whole(s);
		rc = sum_minimum(s);
		if (rc == 0 && s->gang->started)
			rc = sum_growth(s);
	}
	free(s->stock);
	free(s->have);
	free(s->satisfied);
	return rc;
}

int sgang_role_sum(const struct sgang_role_gang *gang,
		   const struct sgang_role_member *members, size_t n,
		   struct sgang_role_sums *sums)
{
	struct sgang_role_tree tree = { .n = 0 };
	struct sgang_error err = { "" };
	struct sum s = {
		.gang = gang,
		.members = members,
		.n = n,
		.tree = &tree,
		.sums = sums,
	};
	int rc;

	memset(sums, 0, sizeof(*sums));
	sums->any = gang->tree[0];
	for (size_t i = 0; i < n && !sums->any; i++)
		sums->any = members[i].role[0];
	if (!sums->any)
		return 0;
	s.leaf = calloc(n + 1, sizeof(*s.leaf));
	if (!s.leaf)
		return sgang_err_memory(NULL);
	rc = sgang_role_gang_tree(gang, members, n, &tree, s.leaf, &err);
	sums->min = gang->min ? gang->min : 1;
	if (rc >= 0 && add_up(&s) < 0)
		rc = sgang_err_memory(NULL);
	if (rc == 1) {
		sums->gathered = sums->eligible = false;
		snprintf(sums->lacks, sizeof(sums->lacks), "%.*s",
			 SGANG_ROLE_WHY - 1, err.text);
	}
	sgang_role_tree_clear(&tree);
	free(s.leaf);
	return rc < 0 ? -1 : 0;
}
