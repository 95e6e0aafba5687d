/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_role_tree.c - trees of groups: words, the rule, choices
 * (2.15, 2.16, 2.17, 2.18, 2.19) */

#include "../unit.h"
#include "core/gang/role_choice.h"

/* ---- words ---- */

TEST(words_are_read)
{
	struct sgang_role_path path;
	char text[SGANG_ROLE_SIZE];
	const char *said =
		"replica1:min=2:require=leaf/decode:min=4:prefer=node:weight=10";

	assert_int_equal(sgang_role_path_parse(said, &path, NULL), 0);
	assert_int_equal(path.n, 2);
	assert_string_equal(path.group[0].name, "replica1");
	assert_int_equal(path.group[0].min, 2);
	assert_string_equal(path.group[0].require, "leaf");
	assert_false(path.group[0].weight_set);
	assert_int_equal(path.group[1].min, 4);
	assert_int_equal(path.group[1].weight, 10);
	assert_string_equal(sgang_role_path_write(&path, text), said);
	assert_string_equal(sgang_role_path_names(said, text),
			    "replica1/decode");
}

static const struct {
	const char *text;
	int error;
	const char *why;
} bad_words[] = {
	{ "", EINVAL, "expected names" },
	{ "/", EINVAL, "expected names" },
	{ "a/", EINVAL, "expected names" },
	{ "a//b", EINVAL, "expected names" },
	{ "A", EINVAL, "small letters" },
	{ "-a", EINVAL, "small letters" },
	{ "a b", EINVAL, "small letters" },
	{ "a:", EINVAL, "behind the colon" },
	{ "a:min", EINVAL, "behind the colon" },
	{ "a:most=2", EINVAL, "behind the colon" },
	{ "a:min=0", EINVAL, "from 1 to 100000" },
	{ "a:min=100001", EINVAL, "from 1 to 100000" },
	{ "a:weight=-1", EINVAL, "from 0 to" },
	{ "a:require=", EINVAL, "name of a level" },
	{ "a:require=a=b", EINVAL, "name of a level" },
	{ "a/b/c/d/e", E2BIG, "at most 4 groups" },
	{ "a:min=1:min=2", EINVAL, "min is said twice of the group a" },
	{ "a:min=2:min=2", EINVAL, "min is said twice of the group a" },
	{ "a/b:weight=0:min=1:weight=0", EINVAL, "weight is said twice of" },
	{ "a:require=leaf:require=spine/b", EINVAL, "require is said twice" },
	{ "a:prefer=leaf:min=1:prefer=leaf", EINVAL, "prefer is said twice" },
};

TEST(bad_words_are_refused)
{
	char text[4096];
	struct sgang_role_path path;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(bad_words); i++) {
		errno = 0;
		assert_int_equal(sgang_role_path_parse(bad_words[i].text, &path,
						       &err),
				 -1);
		assert_int_equal(errno, bad_words[i].error);
		assert_non_null(strstr(err.text, bad_words[i].why));
	}
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(sgang_role_path_parse(text, &path, &err), -1);
	assert_int_equal(errno, E2BIG);
	text[64] = '\0';
	assert_int_equal(sgang_role_path_parse(text, &path, &err), -1);
	text[63] = '\0';
	assert_int_equal(sgang_role_path_parse(text, &path, &err), 0);
}

TEST(names_have_an_order)
{
	assert_true(sgang_role_path_order("replica2", "replica10") < 0);
	assert_true(sgang_role_path_order("a/b", "a") > 0);
	assert_true(sgang_role_path_order("a:min=2/b", "a/c") < 0);
	assert_int_equal(sgang_role_path_order("a:min=2/b", "a/b:min=3"), 0);
	assert_true(sgang_role_path_order("a-b", "a/b") != 0);
	assert_true(sgang_role_path_order("", "a") < 0);
}

TEST(lists_are_checked)
{
	struct sgang_error err;
	char text[SGANG_ROLE_LIST_SIZE + 2];

	assert_int_equal(sgang_role_path_check_list("a:min=2,a/b", &err), 0);
	assert_int_equal(sgang_role_path_check_list("", &err), -1);
	assert_int_equal(sgang_role_path_check_list("a,", &err), -1);
	assert_int_equal(sgang_role_path_check_list("a,,b", &err), -1);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(sgang_role_path_check_list(text, &err), -1);
	assert_int_equal(errno, E2BIG);
	text[500] = '\0';
	assert_int_equal(sgang_role_path_check_list(text, &err), -1);
}

/* ---- trees ---- */

static int make(struct sgang_role_tree *tree, uint32_t min,
		const char *const *texts, size_t n, uint32_t *leaf,
		struct sgang_error *err)
{
	struct sgang_role_said said[64];
	int rc;

	assert_true(n <= COUNT(said));
	for (size_t i = 0; i < n; i++)
		said[i] = (struct sgang_role_said){
			.text = texts[i][0] == '?' ? texts[i] + 1 : texts[i],
			.member = texts[i][0] != '?',
			.remote = texts[i][0] == '?',
		};
	rc = sgang_role_tree_make(tree, min, said, n, err);
	for (size_t i = 0; i < n && leaf; i++)
		leaf[i] = said[i].node;
	return rc;
}

/* The seed of 2.15: decode{workers,leaders}, prefill{workers,leaders}. */
TEST(a_tree_is_made)
{
	static const char *const texts[] = {
		"prefill/leaders", "decode:min=2/workers:min=4",
		"prefill/workers", "decode/leaders",
		"decode/workers",
	};
	struct sgang_role_tree tree;
	char names[SGANG_ROLE_SIZE];
	uint32_t leaf[5];

	assert_int_equal(make(&tree, 2, texts, 5, leaf, NULL), 0);
	assert_int_equal(tree.n, 7);
	assert_string_equal(sgang_role_names(&tree, 1, names), "decode");
	assert_string_equal(sgang_role_names(&tree, 2, names),
			    "decode/leaders");
	assert_string_equal(sgang_role_names(&tree, leaf[0], names),
			    "prefill/leaders");
	assert_int_equal(leaf[1], leaf[4]);
	assert_int_equal(tree.node[1].end, 4);
	assert_int_equal(tree.node[0].end, 7);
	assert_string_equal(sgang_role_text(&tree, 3, names),
			    "decode:min=2/workers:min=4");
	sgang_role_tree_clear(&tree);
}

static const struct {
	const char *texts[3];
	const char *why;
} bad_trees[] = {
	{ { "a:min=2/b", "a:min=3/c" }, "group a: min=3 and min=2" },
	{ { "a/b:weight=2", "a/b:weight=3" }, "group a/b: weight=3" },
	{ { "a/b:require=leaf", "a/b:require=spine" }, "require=spine" },
	{ { "a", "a/b" }, "has members and groups in it" },
	{ { "a/b/c", "a/b" }, "has members and groups in it" },
	{ { "", "a" }, "give each --gang-role" },
	{ { "a", "" }, "give each --gang-role" },
	{ { "a", "B" }, "small letters" },
};

TEST(contradictions_are_named)
{
	struct sgang_role_tree tree;
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(bad_trees); i++) {
		assert_int_equal(
			make(&tree, 1, bad_trees[i].texts, 2, NULL, &err), 1);
		assert_non_null(strstr(err.text, bad_trees[i].why));
		sgang_role_tree_clear(&tree);
	}
}

TEST(the_farther_word_gives_way)
{
	static const char *const texts[] = { "?a:min=3:weight=7/b", "a:min=2/b",
					     "?a:weight=8", "?b:min=9" };
	struct sgang_role_tree tree;
	uint32_t leaf[4];

	assert_int_equal(make(&tree, 0, texts, 4, leaf, NULL), 0);
	assert_int_equal(tree.n, 4);
	assert_int_equal(tree.node[1].group.min, 2);
	assert_int_equal(tree.node[1].group.weight, 7);
	assert_int_equal(tree.node[leaf[3]].group.min, 9);
	assert_false(tree.node[leaf[3]].members);
	sgang_role_tree_clear(&tree);
}

TEST(too_many_groups_are_refused)
{
	size_t n = SGANG_ROLE_GROUPS_MAX;
	struct sgang_role_said *said = calloc(n, sizeof(*said));
	char(*text)[16] = calloc(n, sizeof(*text));
	struct sgang_role_tree tree;
	struct sgang_error err;

	for (size_t i = 0; i < n; i++) {
		snprintf(text[i], sizeof(text[i]), "g%zu", i);
		said[i] = (struct sgang_role_said){ .text = text[i],
						    .member = true };
	}
	assert_int_equal(sgang_role_tree_make(&tree, 1, said, n - 1, &err), 0);
	assert_int_equal(tree.n, n);
	assert_string_equal(tree.node[10].group.name, "g9");
	sgang_role_tree_clear(&tree);
	assert_int_equal(sgang_role_tree_make(&tree, 1, said, n, &err), 1);
	assert_non_null(strstr(err.text, "more than 4095 groups"));
	sgang_role_tree_clear(&tree);
	free(said);
	free(text);
}

/* ---- the rule ---- */

static const char *const serve[] = {
	"replica1:min=2/encode:min=1",
	"replica1/decode:min=4",
	"replica2:min=2/encode:min=1",
	"replica2/decode:min=4",
};

static const struct {
	uint32_t min, have[4];
	const char *lacks;
} rules[] = {
	{ 2, { 1, 4, 1, 4 }, "" },
	{ 2,
	  { 1, 4, 1, 3 },
	  "SubGroup replica2/decode does not have enough children (3 < 4)" },
	{ 2,
	  { 0, 4, 1, 3 },
	  "SubGroup replica1/encode does not have enough children (0 < 1)" },
	{ 1, { 0, 4, 1, 4 }, "" },
	{ 1,
	  { 9, 3, 9, 3 },
	  "SubGroup replica1/decode does not have enough children (3 < 4)" },
	{ 3,
	  { 1, 4, 1, 4 },
	  "SubGroup (gang) does not have enough children (2 < 3)" },
};

TEST(what_lacks_is_named)
{
	static const char *const half[] = { "replica1:min=2/encode",
					    "replica1/decode",
					    "replica2:min=2/encode" };
	char why[SGANG_ROLE_WHY];
	struct sgang_role_tree tree;
	uint32_t leaf[4], have[7];
	bool satisfied[7];

	for (size_t i = 0; i < COUNT(rules); i++) {
		make(&tree, rules[i].min, serve, 4, leaf, NULL);
		memset(have, 0, sizeof(have));
		for (size_t k = 0; k < 4; k++)
			have[leaf[k]] = rules[i].have[k];
		sgang_role_satisfied(&tree, have, satisfied);
		sgang_role_lacks(&tree, 0, have, satisfied, why);
		assert_string_equal(why, rules[i].lacks);
		sgang_role_tree_clear(&tree);
	}
	/* KAI's own words (2.18) */
	make(&tree, 2, half, 3, leaf, NULL);
	memset(have, 0, sizeof(have));
	have[leaf[0]] = have[leaf[1]] = have[leaf[2]] = 1;
	sgang_role_satisfied(&tree, have, satisfied);
	sgang_role_lacks(&tree, 0, have, satisfied, why);
	assert_string_equal(
		why, "SubGroup replica2 does not have enough children (1 < 2)");
	sgang_role_tree_clear(&tree);
}

/* ---- against brute force ---- */

#define LEAVES 6

static uint32_t rnd_state;

static uint32_t rnd(uint32_t n)
{
	rnd_state = rnd_state * 1664525 + 1013904223;
	return (rnd_state >> 16) % n;
}

/* A random tree of up to LEAVES leaves, two levels above them. */
struct random {
	char text[LEAVES][64];
	struct sgang_role_said said[LEAVES];
	size_t n;
	struct sgang_role_tree tree;
	uint32_t leaf[LEAVES];
	struct sgang_role_stock stock[32];
};

static void make_random(struct random *r, bool some_there)
{
	struct sgang_error err;
	uint32_t min[3];

	memset(r, 0, sizeof(*r));
	r->n = 2 + rnd(LEAVES - 1);
	for (size_t i = 0; i < 3; i++)
		min[i] = 1 + rnd(2);
	for (size_t i = 0; i < r->n; i++) {
		uint32_t top = rnd(3);

		if (rnd(3))
			snprintf(r->text[i], sizeof(r->text[i]),
				 "g%u:min=%u/m%zu:min=%u", top, min[top], i,
				 1 + rnd(2));
		else
			snprintf(r->text[i], sizeof(r->text[i]), "s%zu:min=%u",
				 i, 1 + rnd(2));
		r->said[i] = (struct sgang_role_said){ .text = r->text[i],
						       .member = true };
	}
	assert_int_equal(sgang_role_tree_make(&r->tree, 1 + rnd(3), r->said,
					      r->n, &err),
			 0);
	for (size_t i = 0; i < r->n; i++) {
		struct sgang_role_stock *s = &r->stock[r->said[i].node];

		r->leaf[i] = r->said[i].node;
		s->more = rnd(4);
		s->have = some_there ? rnd(3) : 0;
		s->order = UINT32_MAX;
		s->alike = i; /* all differ */
	}
}

/* By the definition, told anew. */
static bool holds(const struct random *r, uint32_t g, const uint32_t *take)
{
	uint32_t min = r->tree.node[g].group.min, count = 0;

	for (uint32_t i = 1; i < r->tree.n; i++) {
		if (r->tree.node[i].parent == g)
			count += holds(r, i, take);
	}
	for (size_t i = 0; i < r->n; i++) {
		if (r->leaf[i] == g)
			count += r->stock[g].have + take[g];
	}
	return count >= (min ? min : 1);
}

/* Is it enough, and would one member less of any leaf not be? */
static bool minimal(const struct random *r, uint32_t *take)
{
	if (!holds(r, 0, take))
		return false;
	for (size_t i = 0; i < r->n; i++) {
		bool less;

		if (!take[r->leaf[i]])
			continue;
		take[r->leaf[i]]--;
		less = holds(r, 0, take);
		take[r->leaf[i]]++;
		if (less)
			return false;
	}
	return true;
}

static size_t key_of(const struct random *r, const uint32_t *take)
{
	size_t key = 0;

	for (size_t i = 0; i < r->n; i++)
		key = key * 4 + take[r->leaf[i]];
	return key;
}

/* The set of all minimal choices, and the least number of members. */
static size_t all_minimal(const struct random *r, bool *set, uint32_t *least)
{
	size_t count = 0, all = (size_t)1 << 2 * r->n;

	*least = UINT32_MAX;
	for (size_t key = 0; key < all; key++) {
		uint32_t take[32] = { 0 }, sum = 0;
		bool there = true;

		for (size_t i = 0; i < r->n; i++) {
			uint32_t t = key >> 2 * (r->n - 1 - i) & 3;

			take[r->leaf[i]] = t;
			sum += t;
			there &= t <= r->stock[r->leaf[i]].more;
		}
		set[key] = there && minimal(r, take);
		count += set[key];
		if (set[key] && sum < *least)
			*least = sum;
	}
	return count;
}

static bool set[(size_t)1 << 2 * LEAVES];

/* Every choice is enough and none is more than that, each comes once, none is
 * left out, and the first takes the fewest. */
TEST(choices_are_all_there_are)
{
	rnd_state = 7;
	for (int round = 0; round < 2000; round++) {
		struct sgang_role_choice c;
		struct random r;
		uint32_t take[32], least, sum;
		size_t n, seen = 0;
		bool any;

		make_random(&r, round % 2);
		n = all_minimal(&r, set, &least);
		assert_int_equal(sgang_role_choice_open(&c, &r.tree, r.stock),
				 0);
		assert_int_equal(c.need[0] != SGANG_ROLE_NEVER, n > 0);
		any = n > 0;
		if (any)
			sgang_role_choice_first(&c, 0);
		for (; any; any = sgang_role_choice_next(&c, 0)) {
			sum = sgang_role_choice_take(&c, 0, take);
			if (!seen++) {
				assert_int_equal(sum, least);
				assert_int_equal(sum, c.need[0]);
			}
			assert_true(set[key_of(&r, take)]);
			set[key_of(&r, take)] = false;
		}
		assert_int_equal(seen, n);
		sgang_role_choice_close(&c);
		sgang_role_tree_clear(&r.tree);
	}
}

/* Groups that are alike stand for each other: as many choices as there are ways
 * to take kinds. */
TEST(alike_groups_are_tried_once)
{
	static const char *const texts[] = { "a:min=2", "b:min=2", "c:min=2",
					     "d:min=2", "e:min=2" };
	struct sgang_role_choice c;
	struct sgang_role_tree tree;
	struct sgang_role_stock stock[6];
	uint32_t leaf[5], take[6];

	make(&tree, 2, texts, 5, leaf, NULL);
	for (size_t i = 0; i < 6; i++)
		stock[i] = (struct sgang_role_stock){ .more = 2,
						      .order = UINT32_MAX };
	stock[leaf[3]].alike = stock[leaf[4]].alike = 1;
	assert_int_equal(sgang_role_choice_open(&c, &tree, stock), 0);
	sgang_role_choice_first(&c, 0);
	sgang_role_choice_take(&c, 0, take);
	assert_true(take[leaf[0]] && take[leaf[1]]);
	assert_true(sgang_role_choice_next(&c, 0)); /* a d */
	sgang_role_choice_take(&c, 0, take);
	assert_true(take[leaf[0]] && take[leaf[3]]);
	assert_true(sgang_role_choice_next(&c, 0)); /* d e */
	sgang_role_choice_take(&c, 0, take);
	assert_true(take[leaf[3]] && take[leaf[4]]);
	assert_false(sgang_role_choice_next(&c, 0));
	sgang_role_choice_close(&c);
	sgang_role_tree_clear(&tree);
}

TEST(orders_and_running_members_go_first)
{
	static const char *const texts[] = { "a:min=1", "b:min=2", "c:min=3",
					     "d:min=2" };
	struct sgang_role_choice c;
	struct sgang_role_tree tree;
	struct sgang_role_stock stock[5];
	uint32_t leaf[4], take[5];

	make(&tree, 3, texts, 4, leaf, NULL);
	for (size_t i = 0; i < 5; i++)
		stock[i] = (struct sgang_role_stock){ .more = 5,
						      .order = UINT32_MAX };
	stock[leaf[2]].order = 0;
	stock[leaf[3]].running = 1;
	assert_int_equal(sgang_role_choice_open(&c, &tree, stock), 0);
	sgang_role_choice_first(&c, 0);
	assert_int_equal(sgang_role_choice_take(&c, 0, take), 3 + 2 + 1);
	assert_true(take[leaf[0]] && take[leaf[2]] && take[leaf[3]]);
	sgang_role_choice_close(&c);
	sgang_role_tree_clear(&tree);
}

/* What follows the minimum is a whole group or one member of a leaf. */
TEST(the_rest_follows_group_by_group)
{
	static const char *const texts[] = { "a:min=1", "b:min=2", "c:min=2" };
	static const struct sgang_role_more follow[] = { { 1, false, 1 },
							 { 1, false, 1 },
							 { 2, true, 2 } };
	struct sgang_role_choice c;
	struct sgang_role_tree tree;
	struct sgang_role_stock stock[4];
	struct sgang_role_more more;
	uint32_t leaf[3], take[4], cursor = 0, top = 0;

	make(&tree, 1, texts, 3, leaf, NULL);
	for (size_t i = 0; i < 4; i++)
		stock[i] = (struct sgang_role_stock){ .more = 3,
						      .order = UINT32_MAX };
	stock[leaf[2]].more = 1;
	assert_int_equal(sgang_role_choice_open(&c, &tree, stock), 0);
	sgang_role_choice_first(&c, 0);
	sgang_role_choice_take(&c, 0, take);
	for (size_t i = 0; i < COUNT(follow); i++) {
		assert_true(sgang_role_choice_more(&c, take, &cursor, &more));
		assert_int_equal(more.g, follow[i].g);
		assert_int_equal(more.group, follow[i].group);
		assert_int_equal(more.members, follow[i].members);
		if (more.group)
			cursor = tree.node[more.g].end;
		else
			take[more.g]++;
	}
	assert_false(sgang_role_choice_more(&c, take, &cursor, &more));
	assert_true(sgang_role_choice_begins(&c, leaf[1], &top));
	assert_int_equal(top, leaf[1]);
	sgang_role_choice_close(&c);
	sgang_role_tree_clear(&tree);
}

/* A thousand groups are no work. */
TEST(a_thousand_groups)
{
	enum { N = 1000 };
	struct sgang_role_said *said = calloc(N, sizeof(*said));
	struct sgang_role_stock *stock = calloc(N + 1, sizeof(*stock));
	char(*text)[32] = calloc(N, sizeof(*text));
	struct sgang_role_choice c;
	struct sgang_role_tree tree;
	size_t choices = 1;

	for (size_t i = 0; i < N; i++) {
		snprintf(text[i], sizeof(text[i]), "g%zu:min=3", i);
		said[i] = (struct sgang_role_said){ .text = text[i],
						    .member = true };
		stock[i + 1] = (struct sgang_role_stock){ .more = 3,
							  .order = UINT32_MAX,
							  .alike = i % 2 };
	}
	assert_int_equal(sgang_role_tree_make(&tree, N / 2, said, N, NULL), 0);
	assert_int_equal(sgang_role_choice_open(&c, &tree, stock), 0);
	assert_int_equal(c.need[0], 3 * N / 2);
	sgang_role_choice_first(&c, 0);
	while (choices < 64 && sgang_role_choice_next(&c, 0))
		choices++;
	assert_int_equal(choices, 64);
	sgang_role_choice_close(&c);
	sgang_role_tree_clear(&tree);
	free(said);
	free(stock);
	free(text);
}

TEST_MAIN(NULL, NULL)
