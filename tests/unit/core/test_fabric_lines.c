/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fabric_lines.c - unit tests of fabric_lines.c */

#define _GNU_SOURCE /* open_memstream() */

#include "../unit.h"
#include "core/base/text.h"
#include "core/fabric/draft.h"
#include "core/fabric/fabric_lines.h"
#include "fabric_text.h"
#include "fail_alloc.h"

/* Nodes as slurmctld has them, with a gap that dynamic nodes may fill. */
static const char *const nodes[] = { "n1", "n2", "n3", "n4",
				     "n5", "n6", "#6", "n7" };
#define N_NODES 8

#define TREE                                                           \
	"SwitchName=odd Nodes=n1,n3,n5\nSwitchName=even Nodes=n2,n4\n" \
	"SwitchName=gone Nodes=x1\nSwitchName=over Switches=gone\n"    \
	"SwitchName=high Switches=over,even\n"                         \
	"SwitchName=top Switches=odd,high\nSwitchName=n6 Nodes=n6\n"
#define BLOCKS                                                   \
	"BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\n" \
	"BlockName=b3 Nodes=n[5-6]\nBlockSizes=2,4\n"

static struct sgang_fabric *fabric_of(const char *text)
{
	return sgang_fabric_parse(text, "test", nodes, N_NODES, NULL);
}

static struct sgang_fabric *with_nvlink(void)
{
	static const struct sgang_place place = { "gang.conf", 1 };
	struct sgang_draft *draft = sgang_draft_create(nodes, N_NODES, NULL);
	struct sgang_fabric *fabric;

	assert_int_equal(sgang_fabric_read_conf(draft, TREE, "test", NULL), 0);
	assert_int_equal(
		sgang_draft_nvlink(draft, "nvl 1", "n[1,3]", place, NULL), 0);
	fabric = sgang_draft_build(draft, NULL);
	sgang_draft_destroy(draft);
	return fabric;
}

static char *lines_of(const struct sgang_topologies *all)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(sgang_fabric_lines_print(all, out), 0);
	return sgang_text_close(out, &text);
}

static void check_same(const struct sgang_fabric *one,
		       const struct sgang_fabric *two)
{
	char text[2][4096];

	assert_non_null(two);
	check_invariants(two);
	assert_string_equal(describe(one, text[0]), describe(two, text[1]));
	assert_int_equal(sgang_fabric_top_level(one),
			 sgang_fabric_top_level(two));
	assert_int_equal(sgang_fabric_of_switches(one),
			 sgang_fabric_of_switches(two));
}

/* 4.27: the fabric that is read is the one that was told, level by level, and so
 * is that of each partition. */
TEST(test_round_trip)
{
	struct sgang_topologies *all;
	struct sgang_fabric *back;
	char *text;

	all = sgang_topologies_create(fabric_of(TREE), NULL);
	sgang_topologies_add(all, "blocks", fabric_of(BLOCKS), NULL);
	sgang_topologies_add(all, "nvlink", with_nvlink(), NULL);
	sgang_topologies_add(all, "flat",
			     sgang_fabric_flat(nodes, N_NODES, NULL), NULL);
	sgang_topologies_add(all, "lone", fabric_of("SwitchName=s Nodes=n1"),
			     NULL);
	text = lines_of(all);
	for (size_t i = 0; i < all->n; i++) {
		back = sgang_fabric_lines_read(text, all->topology[i].name,
					       nodes, N_NODES, NULL);
		/* a gap is on no switch, whatever flat says of it */
		if (strcmp(all->topology[i].name, "flat") != 0)
			check_same(all->topology[i].fabric, back);
		else
			assert_int_equal(sgang_fabric_meet(back, 0,
							   N_NODES - 1),
					 SGANG_LEVEL_LEAF);
		sgang_fabric_destroy(back);
	}
	back = sgang_fabric_lines_read(text, "unknown", nodes, N_NODES, NULL);
	check_same(all->topology[0].fabric, back);
	sgang_fabric_destroy(back);
	free(text);
	sgang_topologies_destroy(all);
}

/* 7.3: of one on which no gang is placed the answer has the reason, and the
 * others are read as before. */
TEST(test_barred)
{
	struct sgang_topologies *all;
	struct sgang_fabric *back;
	struct sgang_error err;
	char *text;

	all = sgang_topologies_create(fabric_of(TREE), NULL);
	sgang_topologies_add(all, "blocks", fabric_of(BLOCKS), NULL);
	sgang_topologies_bar(all, "rings", "a ring:\nno gang", NULL);
	text = lines_of(all);
	errno = 0;
	assert_null(
		sgang_fabric_lines_read(text, "rings", nodes, N_NODES, &err));
	assert_int_equal(errno, ENOTSUP);
	assert_string_equal(err.text, "a ring:?no gang");
	back = sgang_fabric_lines_read(text, "blocks", nodes, N_NODES, NULL);
	check_same(all->topology[1].fabric, back);
	sgang_fabric_destroy(back);
	free(text);
	sgang_topologies_destroy(all);
}

/* An answer that is no fabric is refused with its line. */
TEST(test_bad)
{
	static const char *const text[] = {
		"topology \nsurprise\n",
		"topology \ndomain 2 0 a\n",
		"topology \ndomain 99 - a\n",
		"topology \ndomain 2\n",
		"topology \ndomain 2 - a\ndomain 2 0 b\nnodes n1\n",
		"topology \nnodes n1\n",
		"topology \ndomain 3 - a\nnodes n1\n",
		"topology \ndomain 4 - a\ndomain 3 0 b\n",
		"topology \ndomain 2 - a\nnodes n[\n",
		"topology \ndomain 2 - a\nnodes n1\ndomain 2 - b\nnodes n1\n",
	};
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(text); i++) {
		errno = 0;
		assert_null(sgang_fabric_lines_read(text[i], "", nodes, N_NODES,
						    &err));
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "slurmctld's answer:"));
	}
}

TEST(test_no_memory)
{
	struct sgang_topologies *all = sgang_topologies_create(with_nvlink(),
							       NULL);
	char *text = lines_of(all);
	struct sgang_fabric *back;
	unsigned long n = 0;
	long live = fail_live;

	do {
		fail_at(++n);
		back = sgang_fabric_lines_read(text, "", nodes, N_NODES, NULL);
		fail_at(0);
		if (back)
			break;
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(fail_live, live);
	} while (n < 1000);
	assert_true(n > 10);
	check_same(all->topology[0].fabric, back);
	sgang_fabric_destroy(back);
	free(text);
	sgang_topologies_destroy(all);
}

TEST_MAIN(NULL, NULL)
