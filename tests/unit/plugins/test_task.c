/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_task.c - the place in the gang that a task is told */

#include "../unit.h"
#include "plugins/spank/task.h"

#define VARIABLES_MAX 10
#define NONE UINT64_MAX

/* Three members of 2, 1 and 2 nodes; this one is the last. */
#define MEMBER                                                  \
	"SLURM_GANG_MEMBER_RANK=2", "SLURM_GANG_RANK_OFFSET=6", \
		"SLURM_GANG_NODES_PER_MEMBER=2,1,2",            \
		"SLURM_GANG_RANKS_PER_MEMBER=4,2,4",            \
		"SLURM_GANG_MEMBER_NODELIST=n11,n1"
#define RUN "SLURM_GANG_RUN_OFFSET=3", "SLURM_GANG_RUN_RANKS=5"

/* 4.28: the node and the rank. */
TEST(test_places)
{
	static const struct {
		char *env[VARIABLES_MAX];
		const char *node;
		uint32_t id, tasks;
		uint64_t node_rank, rank;
	} cases[] = {
		{ LIST(MEMBER), "n11", 0, 4, 3, 6 },
		{ LIST(MEMBER), "n1", 3, 4, 4, 9 },
		/* a step of some of its ranks, a batch script */
		{ LIST(MEMBER), "n1", 1, 2, 4, NONE },
		{ LIST(MEMBER), "n1", 0, 0, 4, NONE },
		/* no node of it */
		{ LIST(MEMBER), "n", 0, 4, NONE, 6 },
		{ LIST(MEMBER), "n111", 0, 4, NONE, 6 },
		/* communication groups */
		{ LIST(MEMBER, "SLURM_GANG_LAYOUT="), "n1", 2, 4, 4, 8 },
		{ LIST(MEMBER, "SLURM_GANG_LAYOUT=1,5,7,9"), "n1", 2, 4, 4, 7 },
		{ LIST(MEMBER, "SLURM_GANG_LAYOUT=1,5"), "n1", 2, 4, 4, NONE },
		{ LIST(MEMBER, "SLURM_GANG_LAYOUT=1,5,7,9"), "n1", 1, 2, 4,
		  NONE },
		/* sgang run: all ranks, and one for each node */
		{ LIST(MEMBER, "SLURM_GANG_RUN_OFFSET=6",
		       "SLURM_GANG_RUN_RANKS=10"),
		  "n1", 2, 4, 4, 8 },
		{ LIST(MEMBER, RUN), "n1", 1, 2, 4, 4 },
		{ LIST(MEMBER, "SLURM_GANG_RUN_OFFSET=0",
		       "SLURM_GANG_RUN_RANKS=0"),
		  "n1", 0, 4, 4, NONE },
		/* a spare, and what is no number */
		{ LIST("SLURM_GANG_MEMBER_RANK=", "SLURM_GANG_RANK_OFFSET=",
		       "SLURM_GANG_NODES_PER_MEMBER=2,1",
		       "SLURM_GANG_RANKS_PER_MEMBER=4,2",
		       "SLURM_GANG_MEMBER_NODELIST="),
		  "n1", 0, 4, NONE, NONE },
		{ LIST("SLURM_GANG_MEMBER_RANK=3",
		       "SLURM_GANG_NODES_PER_MEMBER=2,1,2",
		       "SLURM_GANG_RANKS_PER_MEMBER=4,2,4",
		       "SLURM_GANG_MEMBER_NODELIST=n1"),
		  "n1", 0, 4, NONE, NONE },
		{ LIST("SLURM_GANG_MEMBER_RANK=x", "SLURM_GANG_RANK_OFFSET=-1"),
		  "n1", 0, 4, NONE, NONE },
		{ LIST(NULL), "n1", 0, 1, NONE, NONE },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct sgang_task task = { .env = cases[i].env,
						 .node = cases[i].node,
						 .id = cases[i].id,
						 .tasks = cases[i].tasks };
		uint64_t node = NONE, rank = NONE;

		if (!sgang_task_node(&task, &node))
			node = NONE;
		if (!sgang_task_rank(&task, &rank))
			rank = NONE;
		if (node != cases[i].node_rank || rank != cases[i].rank)
			fail_msg("case %zu: node %lld, rank %lld", i,
				 (long long)node, (long long)rank);
	}
}

TEST(test_run)
{
	char *env[] = { MEMBER, RUN, NULL };
	struct sgang_task task = { .env = env, .node = "n1", .tasks = 2 };
	uint64_t ranks = 0, offset = 0;

	assert_true(sgang_task_run(&task, &ranks, &offset));
	assert_int_equal(ranks, 5);
	assert_int_equal(offset, 3);
	task.tasks = 0;
	assert_false(sgang_task_run(&task, &ranks, &offset));
}

TEST_MAIN(NULL, NULL)
