/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_placeholder_fit.c - which requests fit in place of a placeholder */

#include "../unit.h"
#include "plugins/select/conductor_private.h"
#include "plugins/select/host_jobs.h"

static const struct sgang_shape one = {
	.min_nodes = 1,
	.max_nodes = 1,
	.node_cpus = 4,
	.total_cpus = 4,
	.node_gpus = 1,
	.node_memory = 8000,
};

static void refused(const struct sgang_shape *small, const char *wanted)
{
	char why[64] = "";

	assert_false(sgang_placeholder_fits(small, &one, why, sizeof(why)));
	assert_string_equal(why, wanted);
}

/* 1.26: both sizes are named. */
TEST(larger_ones_are_refused)
{
	struct sgang_shape s = one;

	s.min_nodes = 2;
	refused(&s, "nodes:2 > nodes:1");
	s = one;
	s.node_gpus = 2;
	refused(&s, "gpu:2 > gpu:1");
	s = one;
	s.node_cpus = 8;
	refused(&s, "cpus:8 > cpus:4");
	s = one;
	s.node_memory = 16000;
	refused(&s, "mem:16000M > mem:8000M");
	s = one;
	s.whole = true;
	refused(&s, "whole nodes > parts of nodes");
}

TEST(smaller_ones_fit)
{
	struct sgang_shape s = one, whole = { .min_nodes = 1, .whole = true };
	char why[64];

	assert_true(sgang_placeholder_equal(&one, &one));
	s.node_gpus = 0;
	assert_true(sgang_placeholder_fits(&s, &one, why, sizeof(why)));
	assert_false(sgang_placeholder_equal(&s, &one));
	/* a whole node has all that is on it */
	assert_true(sgang_placeholder_fits(&one, &whole, why, sizeof(why)));
	/* a range takes what there is */
	s = one;
	s.min_nodes = 4;
	s.least_nodes = 1;
	assert_true(sgang_placeholder_fits(&s, &one, why, sizeof(why)));
}

/* 1.24: task groups are told apart by their names alone. */
TEST(roles_are_names)
{
	assert_true(sgang_placeholder_same_role("", ""));
	assert_false(sgang_placeholder_same_role("", "a"));
	assert_true(sgang_placeholder_same_role("a:min=3/b", "a/b:min=1"));
	assert_false(sgang_placeholder_same_role("a/b", "a/c"));
}

TEST_MAIN(NULL, NULL)
