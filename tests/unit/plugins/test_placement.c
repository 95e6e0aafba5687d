/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_placement.c - islands and policies of levels on a toy cluster */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/core/fuzz.h"
#include "unit/plugins/toy_cluster.h"

/* ---- islands: each node has two of two CPUs ---- */

static int setup_islands(void **state)
{
	setup(state);
	sgang_conductor_destroy(c);
	toy_islands = 2;
	start_conductor();
	return 0;
}

static struct fake_request piece_of(const char *gang, uint32_t min,
				    uint32_t cpus)
{
	struct fake_request rq = member_of(gang, min);

	rq.cpus = cpus;
	rq.ranks = cpus;
	return rq;
}

/* The islands of its first node that a job has something of, as bits. */
static unsigned int islands_of(uint32_t id)
{
	const struct fake_job *j = fake_job(id);
	unsigned int found = 0, n = 0;

	while (!(j->nodes >> n & 1))
		n++;
	for (unsigned int i = 0; i < FAKE_ISLANDS; i++)
		found |= (j->cpus_in[n][i] != 0) << i;
	return found;
}

/* A job on one CPU of every node: the first island of each is half used. */
static void break_first_islands(uint32_t nodes)
{
	for (uint32_t n = 0; n < nodes; n++) {
		struct fake_request rq = plain(1, 1000);

		rq.cpus = 1;
		assert_true(fake_start(submit(rq), (uint64_t) 1 << n));
	}
}

/* 4.20, 4.22, 4.30: two CPUs in one island whenever one is free. */
static void test_one_island(void **state)
{
	uint32_t ids[4];

	(void) state;
	break_first_islands(NODES);
	submit_many(piece_of("train", 4, 2), 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(islands_of(ids[i]), 2);
	/* 4 ranks pairs in 4 islands of 4 nodes of a leaf: 4 hops inside, 4 out
	 */
	assert_int_equal(record_of(ids[0]).ring_cost, 4 * 1 + 4 * 4);
	assert_string_equal(record_of(ids[0]).hops, "island:4,leaf:4");
	assert_string_equal(record_of(ids[0]).tier, "leaf");
	assert_true(record_of(ids[0]).exact);
	assert_false(record_of(ids[0]).any_device);
	/* on an empty cluster two nodes would do */
	assert_int_equal(record_of(ids[0]).ring_best, 4 * 1 + 2 * 2 + 2 * 4);
}

/* Two members of half a node fill it as two islands. */
static void test_two_fill_a_node(void **state)
{
	uint32_t ids[2];

	(void) state;
	submit_many(piece_of("train", 2, 2), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_true(fake_job(ids[0])->nodes == fake_job(ids[1])->nodes);
	assert_int_equal(islands_of(ids[0]) | islands_of(ids[1]), 3);
	assert_int_equal(islands_of(ids[0]) & islands_of(ids[1]), 0);
	assert_string_equal(record_of(ids[0]).tier, "node");
	assert_int_equal(record_of(ids[0]).ring_cost, 2 * 1 + 2 * 2);
	assert_string_equal(fake_getenv(ids[1], "SLURM_GANG_NODELIST"),
			    "n0,n0");
}

/* Where no island has room, the pieces of several will do. */
static void test_across_islands(void **state)
{
	uint32_t ids[2];

	(void) state;
	submit_many(piece_of("train", 2, 3), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_int_equal(islands_of(ids[0]), 3);
	/* 2 + 1 on each of two nodes */
	assert_string_equal(record_of(ids[0]).hops, "island:2,node:2,leaf:2");
	assert_int_equal(record_of(ids[0]).ring_cost, 2 * 1 + 2 * 2 + 2 * 4);
}

/* Whole nodes have both: what is inside counts, and is the same everywhere. */
static void test_whole_nodes(void **state)
{
	struct fake_request rq = member_of("train", 2);
	uint32_t ids[2];

	(void) state;
	rq.ranks = 4;
	submit_many(rq, 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_int_equal(record_of(ids[0]).ring_cost, 4 * 1 + 2 * 2 + 2 * 4);
	assert_int_equal(record_of(ids[0]).ring_best,
			 record_of(ids[0]).ring_cost);
	assert_true(record_of(ids[0]).exact);
	/* 4.34: the same in another place, in the same coin */
	if (strncmp(record_of(ids[0]).others, "l1:16,", 6))
		fail_msg("%s", record_of(ids[0]).others);
}

/* A member of two nodes: one island of each. */
static void test_two_nodes_each(void **state)
{
	struct fake_request rq = piece_of("train", 2, 2);
	uint32_t ids[2];

	(void) state;
	rq.nodes = 2;
	rq.ranks = 4;
	submit_many(rq, 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	for (uint32_t i = 0; i < 2; i++) {
		unsigned int both = islands_of(ids[i]);

		assert_true(both == 1 || both == 2);
	}
	assert_string_equal(record_of(ids[0]).tier, "leaf");
}

/* Where Slurm cannot be kept to islands, the placement says so. */
static void test_any_device(void **state)
{
	uint32_t ids[2];

	(void) state;
	fake_hide_islands(true);
	submit_many(piece_of("train", 2, 2), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_true(record_of(ids[0]).any_device);
	assert_non_null(strstr(fake_job(ids[0])->comment, " device=any"));
}

/* One rank that has CPUs of both islands is not kept to the one it is in. */
static void test_one_rank(void **state)
{
	struct fake_request rq = piece_of("train", 1, 3);
	uint32_t id;

	(void) state;
	rq.ranks = 1;
	id = submit(rq);
	schedule_and_pass();
	assert_int_equal(fake_state(id), FAKE_RUNNING);
	assert_int_equal(islands_of(id), 3);
	assert_int_equal(fake_counts.refused, 0);
}

/* Random pieces and ends: nothing is ever overbooked (the toy cluster watches),
 * and what fits into an island is in one if the plan could have it so. */
static void test_random_islands(void **state)
{
	uint64_t seed = 4;

	(void) state;
	for (int round = 0; round < 300; round++) {
		struct fake_request rq = piece_of("g", 1, 1);
		uint32_t n = 1 + (uint32_t) fuzz_below(&seed, 4), ids[4];
		char name[16];

		snprintf(name, sizeof(name), "g%d", round);
		rq.gang = name;
		rq.min = n;
		rq.cpus = 1 + (uint32_t) fuzz_below(&seed, 4);
		rq.ranks = rq.cpus;
		rq.nodes = 1 + (uint32_t) fuzz_below(&seed, 2);
		rq.ranks *= rq.nodes;
		submit_many(rq, n, ids);
		schedule_and_pass();
		for (size_t i = 0; i < FAKE_JOBS; i++) {
			const struct fake_job *j = fake_record(i);

			if (j && j->live && j->state == FAKE_RUNNING &&
			    !fuzz_below(&seed, 3))
				fake_end(j->id);
		}
		if (fake_state(ids[0]) == FAKE_PENDING) {
			for (uint32_t i = 0; i < n; i++)
				fake_end(ids[i]);
		}
		pass();
		fake_purge();
	}
}

/* ---- policies of levels ---- */

static struct fake_request with(const char *gang, uint32_t min,
				const char *topology, const char *more)
{
	struct fake_request rq = member_of(gang, min);

	rq.topology = topology;
	rq.more = more;
	return rq;
}

/* An ordinary job on exactly these nodes that ends then; 0: never. */
static uint32_t occupy(uint64_t nodes, int64_t ends)
{
	uint32_t id = submit(plain((uint32_t) __builtin_popcountll(nodes),
				   1000));

	assert_true(fake_start(id, nodes));
	if (ends)
		fake_ends_at(id, ends);
	return id;
}

static int64_t joint_start(const char *name)
{
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	strcpy(spec.ns, "alice");
	strcpy(spec.name, name);
	return sgang_conductor_joint_start(c, &spec);
}

static uint64_t nodes_of(const uint32_t *ids, uint32_t n)
{
	uint64_t nodes = 0;

	for (uint32_t i = 0; i < n; i++)
		nodes |= fake_job(ids[i])->nodes;
	return nodes;
}

static uint32_t leaves_of(uint64_t nodes)
{
	uint32_t leaves = 0;

	for (uint32_t leaf = 0; leaf < NODES / 4; leaf++)
		leaves += (nodes & LEAF(leaf)) != 0;
	return leaves;
}

/* 4.24, 4.25: refused while no leaf has room, with what each lacks and why. */
static void test_require_says_why(void **state)
{
	uint32_t ids[4];

	(void) state;
	occupy(LEAF(0), 0);
	occupy((uint64_t) 3 << 4, 0);
	occupy((uint64_t) 1 << 8, 0);
	occupy((uint64_t) 3 << 12, 0);
	fake_node_down(9, true);
	submit_many(with("train", 4, "require:leaf", NULL), 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_PENDING);
	if (!strstr(text_of(ids[0]), "6 nodes are free, but no leaf has 4: l1 "
		    "has 2 (2 busy)"))
		fail_msg("%s", text_of(ids[0]));
	if (!strstr(record_of(ids[0]).lacks, "l1:2/4:busy=2") ||
	    !strstr(record_of(ids[0]).lacks, "l2:2/4:busy=1:down=1"))
		fail_msg("%s", record_of(ids[0]).lacks);
}

/* 4.24: where Slurm refuses a planned node no other domain will do. */
static void test_require_when_refused(void **state)
{
	struct fake_request rq = with("train", 2, "require:leaf", NULL);
	uint32_t ids[2];

	(void) state;
	/* in leaf 0 one node is left, whose CPUs would do for both members: that
	 * it lacks memory is not seen where members differ */
	occupy((uint64_t) 7, 0);
	rq.cpus = 1;
	rq.memory = 100;
	ids[0] = submit(rq);
	rq.cpus = 2;
	rq.memory = 900;
	ids[1] = submit(rq);
	rq = plain(1, 1);
	rq.cpus = 1;
	rq.memory = 50;
	assert_true(fake_start(submit(rq), (uint64_t) 8));
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_int_equal(leaves_of(nodes_of(ids, 2)), 1);
	assert_false(nodes_of(ids, 2) & LEAF(0));
}

/* 4.24: prefer:LEVEL@TIME waits so long for a leaf, then takes anything. */
static void test_prefer_waits(void **state)
{
	uint32_t ids[4];

	(void) state;
	occupy(LEAF(0), 0);
	occupy((uint64_t) 1 << 4 | 1 << 8 | 1 << 12, 0);
	submit_many(with("train", 4, "prefer:leaf@5", NULL), 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_PENDING);
	/* it is known when it will be content with less */
	assert_int_equal(joint_start("train"), fake_host.now() + 300);
	fake_clock(290);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_PENDING);
	fake_clock(20);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	assert_string_equal(record_of(ids[0]).tier, "spine");
}

/* ... and takes a leaf as soon as there is one. */
static void test_prefer_is_content(void **state)
{
	uint32_t ids[4], other;

	(void) state;
	occupy((uint64_t) 1 | 1 << 8 | 1 << 12, 0);
	other = occupy((uint64_t) 1 << 5, 0);
	submit_many(with("train", 4, "prefer:leaf@5", NULL), 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_PENDING);
	fake_clock(60);
	fake_end(other);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	assert_true(nodes_of(ids, 4) == LEAF(1));
}

/* Each member in another leaf; without that they would share one. */
static void test_spread(void **state)
{
	uint32_t ids[4], more[5];

	(void) state;
	submit_many(with("train", 4, "spread:leaf", NULL), 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	assert_int_equal(leaves_of(nodes_of(ids, 4)), 4);
	/* there are no five leaves */
	submit_many(with("five", 5, "spread:leaf", NULL), 5, more);
	schedule_and_pass();
	all_in_state(more, 5, FAKE_PENDING);
	if (!strstr(text_of(more[0]), "5 members are to be in different leaf "
		    "domains, but only 4 have room for one"))
		fail_msg("%s", text_of(more[0]));
}

/* --gang-exclusive keeps other gangs out of its leaves, also those that come
 * first, but not ordinary jobs. */
static void test_exclusive(void **state)
{
	uint32_t ids[2], others[2], own[2], job;

	(void) state;
	submit_many(with("alone", 2, NULL, "gang_exclusive=leaf"), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_int_equal(leaves_of(nodes_of(ids, 2)), 1);
	submit_many(with("other", 2, NULL, NULL), 2, others);
	schedule_and_pass();
	all_in_state(others, 2, FAKE_RUNNING);
	for (uint32_t leaf = 0; leaf < 4; leaf++)
		assert_true(!(nodes_of(ids, 2) & LEAF(leaf)) ||
			    !(nodes_of(others, 2) & LEAF(leaf)));
	/* the other way round: it wants a leaf without gangs, in vain */
	for (uint32_t leaf = 0; leaf < 4; leaf++) {
		uint64_t left = LEAF(leaf) & ~nodes_of(ids, 2) &
				~nodes_of(others, 2);

		if (left == LEAF(leaf))
			occupy(left, 0);
	}
	submit_many(with("late", 2, NULL, "gang_exclusive=leaf"), 2, own);
	schedule_and_pass();
	all_in_state(own, 2, FAKE_PENDING);
	job = submit(plain(1, 50));
	assert_true(fake_start(job, ALL_FREE));
	/* idle nodes are not called busy */
	if (!strstr(record_of(own[0]).lacks, ":kept="))
		fail_msg("%s", record_of(own[0]).lacks);
	fake_end(others[0]);
	fake_end(others[1]);
	schedule_and_pass();
	all_in_state(own, 2, FAKE_RUNNING);
}

/* --gang-group-topology: two gangs in one spine, or each in another one. */
static void test_group_topology(void **state)
{
	static const struct {
		const char *more_a, *more_b;
		bool one;
	} cases[] = {
		{ "gang_groups=alice/b|gang_group_topology=require:spine",
		  "gang_groups=alice/a", true },
		{ "gang_groups=alice/b|gang_group_topology=spread:spine",
		  "gang_groups=alice/a", false },
	};

	for (size_t i = 0; i < 2; i++) {
		uint32_t a[3], b[3];
		uint64_t spine = LEAF(0) | LEAF(1), nodes;

		if (i) {
			teardown(state);
			setup(state);
		}
		/* five free in the first spine, eight in the other */
		occupy((uint64_t) 7, 0);
		submit_many(with("a", 3, NULL, cases[i].more_a), 3, a);
		submit_many(with("b", 3, NULL, cases[i].more_b), 3, b);
		schedule_and_pass();
		all_in_state(a, 3, FAKE_RUNNING);
		all_in_state(b, 3, FAKE_RUNNING);
		nodes = nodes_of(a, 3) | nodes_of(b, 3);
		if (cases[i].one) {
			assert_true(!(nodes & spine));
			continue;
		}
		assert_true((nodes_of(a, 3) & spine) == nodes_of(a, 3) ||
			    (nodes_of(a, 3) & spine) == 0);
		assert_true(!(nodes_of(a, 3) & spine) !=
			    !(nodes_of(b, 3) & spine));
	}
}

/* A gang of a group keeps to what it asked itself, in the place of the group,
 * whichever of them is planned first. */
static void test_group_and_own(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		const char *own = i ? "b" : "a", *other = i ? "a" : "b";
		uint32_t ids[3], others[3];
		char more_own[64], more_other[64];

		teardown(state);
		setup(state);
		snprintf(context, sizeof(context), "gang %s", own);
		snprintf(more_own, sizeof(more_own), "gang_groups=alice/%s",
			 other);
		snprintf(more_other, sizeof(more_other), "gang_groups=alice/%s"
			 "|gang_group_topology=require:spine", own);
		occupy(LEAF(0) | LEAF(1) | (uint64_t) 3 << 8, 0);
		submit_many(with(own, 3, "require:leaf", more_own), 3, ids);
		submit_many(with(other, 3, NULL, more_other), 3, others);
		schedule_and_pass();
		all_in_state(ids, 3, FAKE_RUNNING);
		all_in_state(others, 3, FAKE_RUNNING);
		assert_int_equal(leaves_of(nodes_of(ids, 3)), 1);
	}
}

/* A nonstrict gang keeps to the leaf in which its first members hold. */
static void test_nonstrict_requires(void **state)
{
	uint32_t ids[4], other;

	(void) state;
	occupy(LEAF(0) | LEAF(2) | LEAF(3), 0);
	other = occupy((uint64_t) 3 << 4, 0);
	submit_many(with("train", 4, "require:leaf", "gang_mode=nonstrict"), 4,
		    ids);
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	fake_end(other);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	assert_true(nodes_of(ids, 4) == LEAF(1));
}

/* ---- members that start after their gang ---- */

/* 4.24: a requeued member and a new one stay in the leaf of the others, wait for
 * it, and say so. */
static void test_late_requires(void **state)
{
	uint32_t ids[3], late, other;

	(void) state;
	occupy(LEAF(0), 0);
	submit_many(with("train", 3, "require:leaf", NULL), 3, ids);
	schedule_and_pass();
	all_in_state(ids, 3, FAKE_RUNNING);
	assert_true((nodes_of(ids, 3) & LEAF(1)) == nodes_of(ids, 3));
	other = occupy(LEAF(1) & ~nodes_of(ids, 3), 0);
	late = submit(with("train", 3, "require:leaf", NULL));
	pass();
	assert_int_equal(turn(late), SGANG_TURN_ORDINARY);
	assert_true(late_on(late, ALL_FREE, 0) == LEAF(1));
	schedule_and_pass();
	assert_int_equal(fake_state(late), FAKE_PENDING);
	assert_string_equal(text_of(late), "Gang alice/train runs in leaf l1, "
			    "where this member waits for room");
	fake_lose(ids[1]);
	schedule_and_pass();
	all_in_state(ids, 3, FAKE_RUNNING);
	assert_int_equal(fake_state(late), FAKE_PENDING);
	assert_int_equal(leaves_of(nodes_of(ids, 3)), 1);
	fake_end(other);
	schedule_and_pass();
	assert_int_equal(fake_state(late), FAKE_RUNNING);
	assert_true(fake_job(late)->nodes & LEAF(1));
}

/* Where nobody runs any more there is nothing to keep to. */
static void test_late_alone(void **state)
{
	uint32_t ids[2];

	(void) state;
	submit_many(with("train", 2, "require:leaf", NULL), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	fake_lose(ids[0]);
	fake_lose(ids[1]);
	/* the conductor has not looked since */
	assert_true(late_on(ids[0], ALL_FREE, 0) == ALL_FREE);
	assert_true(late_on(ids[0], ALL_FREE, SGANG_LEVEL_LEAF) == ALL_FREE);
}

/* 4.24: one of its own leaf for each, later too. */
static void test_late_spreads(void **state)
{
	uint32_t ids[3], late;

	(void) state;
	occupy(LEAF(0), 0);
	submit_many(with("train", 3, "spread:leaf", NULL), 3, ids);
	schedule_and_pass();
	all_in_state(ids, 3, FAKE_RUNNING);
	late = submit(with("train", 3, "spread:leaf", NULL));
	pass();
	assert_true(late_on(late, ALL_FREE, 0) == LEAF(0));
	schedule_and_pass();
	assert_int_equal(fake_state(late), FAKE_PENDING);
	assert_string_equal(text_of(late), "Gang alice/train is spread: this "
			    "member waits for room in a leaf without another");
	fake_lose(ids[1]);
	schedule_and_pass();
	assert_int_equal(leaves_of(nodes_of(ids, 3)), 3);
}

/* Domains of others are none for a late member, and it says why it waits. */
static void test_late_exclusive(void **state)
{
	uint32_t ids[1], others[1], late;

	(void) state;
	occupy(LEAF(2) | LEAF(3), 0);
	submit_many(with("alone", 1, NULL, "gang_exclusive=leaf"), 1, ids);
	schedule_and_pass();
	submit_many(with("other", 1, NULL, NULL), 1, others);
	schedule_and_pass();
	all_in_state(ids, 1, FAKE_RUNNING);
	all_in_state(others, 1, FAKE_RUNNING);
	occupy(LEAF(1) & ~nodes_of(others, 1) & ~nodes_of(ids, 1), 0);
	occupy(LEAF(0) & ~nodes_of(others, 1) & ~nodes_of(ids, 1), 0);
	late = submit(with("other", 1, NULL, NULL));
	pass();
	assert_true(late_on(late, ALL_FREE, 0) ==
		    (ALL_FREE & ~(nodes_of(ids, 1) & LEAF(0) ? LEAF(0) :
							      LEAF(1))));
	schedule_and_pass();
	assert_int_equal(fake_state(late), FAKE_PENDING);
	if (!strstr(text_of(late), "apart from other gangs"))
		fail_msg("%s", text_of(late));
}

/* 4.20: without a policy, and with a preference, it is only the order: the leaf
 * first, then the spine, then all. */
static void test_late_order(void **state)
{
	static const char *const policies[] = { NULL, "prefer:leaf@60" };

	for (size_t i = 0; i < 2; i++) {
		uint32_t ids[2], late;

		teardown(state);
		setup(state);
		occupy(LEAF(0) | LEAF(1), 0);
		submit_many(with("train", 2, policies[i], NULL), 2, ids);
		schedule_and_pass();
		all_in_state(ids, 2, FAKE_RUNNING);
		assert_int_equal(leaves_of(nodes_of(ids, 2)), 1);
		late = submit(with("train", 2, policies[i], NULL));
		pass();
		assert_true(late_on(late, ALL_FREE, 0) == ALL_FREE);
		assert_true(late_on(late, ALL_FREE, SGANG_LEVEL_NODE) ==
			    nodes_of(ids, 2));
		assert_int_equal(leaves_of(late_on(late, ALL_FREE,
						   SGANG_LEVEL_LEAF)), 1);
		assert_true(late_on(late, ALL_FREE, SGANG_LEVEL_LEAF + 1) ==
			    (LEAF(2) | LEAF(3)));
		assert_string_equal(text_of(late), "");
	}
}

/* 4.37: auto waits for a better place while that saves more than it costs. */
static void test_auto(void **state)
{
	static const struct {
		const char *more;
		int64_t ends;		/* of what is in the way */
		bool waits;
		const char *choice;
	} cases[] = {
		/* now: 3 + 1 nodes over two spines, 2 * 4 + 2 * 64 = 136,
		 * best 16: 7.5 times. Half of a step communicates, so an hour
		 * becomes 4.75 hours */
		{ "gang_run_time=60|gang_comm_share=0.5", 3600, true, NULL },
		{ "gang_run_time=60|gang_comm_share=0.5", 14000, false,
		  "136:13500" },
		{ "gang_run_time=1|gang_comm_share=0.5", 3600, false,
		  "136:225" },
		{ "gang_run_time=60|gang_comm_share=0.5", 13450, true, NULL },
		{ "gang_run_time=60|gang_comm_share=0.001", 3600, false,
		  "136:27" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t ids[4];

		teardown(state);
		setup(state);
		snprintf(context, sizeof(context), "case %zu", i);
		occupy(LEAF(0) | LEAF(2), 0);
		occupy((uint64_t) 7 << 12, 0);
		occupy((uint64_t) 1 << 5, fake_host.now() + cases[i].ends);
		submit_many(with("train", 4, "auto", cases[i].more), 4, ids);
		schedule_and_pass();
		all_in_state(ids, 4, cases[i].waits ? FAKE_PENDING :
						      FAKE_RUNNING);
		if (!cases[i].waits) {
			/* and says why */
			assert_string_equal(record_of(ids[0]).choice,
					    cases[i].choice);
			continue;
		}
		assert_int_equal(joint_start("train"),
				 fake_host.now() + cases[i].ends);
		if (!strstr(text_of(ids[0]), "a place of ring cost 16 is "
			    "expected"))
			fail_msg("%s", text_of(ids[0]));
		/* it never waits longer than the run that it saves */
		fake_clock(15000);
		schedule_and_pass();
		all_in_state(ids, 4, FAKE_RUNNING);
	}
}

/* 4.29, 4.34: communication groups are measured, and told. */
static void test_parallel(void **state)
{
	struct fake_request rq = with("train", 4, NULL,
				      "gang_parallel=tp=4,dp=4");
	uint32_t ids[4];

	(void) state;
	rq.ranks = 4;
	submit_many(rq, 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	/* four tp rings inside a node each, four dp rings over the leaf */
	assert_int_equal(record_of(ids[0]).weighted_cost,
			 100 * 4 * 4 + 10 * 4 * 16);
	assert_int_equal(record_of(ids[0]).weighted_best,
			 record_of(ids[0]).weighted_cost);
	assert_string_equal(record_of(ids[0]).layout, "");
	assert_null(fake_getenv(ids[0], "SLURM_GANG_LAYOUT"));
	assert_true(record_of(ids[0]).exact);
}

/* 4.30: the heavier group varies slower, so ranks do not follow the ring. */
static void test_layout(void **state)
{
	struct fake_request rq = with("train", 2, NULL,
				      "gang_parallel=dp=2,tp=4:dp=1,tp=100");
	uint32_t ids[2];

	(void) state;
	rq.ranks = 4;
	submit_many(rq, 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_string_equal(record_of(ids[0]).layout, "0,2,4,6");
	assert_string_equal(record_of(ids[1]).layout, "1,3,5,7");
	assert_string_equal(fake_getenv(ids[0], "SLURM_GANG_LAYOUT"),
			    "0,2,4,6");
	assert_int_equal(record_of(ids[0]).weighted_cost,
			 100 * 2 * 4 + 1 * 4 * 8);
}

/* 4.29: of four and two CPUs four and two ranks, as Slurm starts them. Three on
 * each would tear a pair apart. */
static void test_ranks_of_nodes(void **state)
{
	struct fake_request rq = with("train", 1, NULL,
				      "gang_parallel=tp=2,dp=3");
	uint32_t id;

	(void) state;
	rq.nodes = 0;
	rq.total_cpus = rq.ranks = 6;
	rq.partition = 3;
	id = submit((struct fake_request) { .nodes = 1, .cpus = 2,
					    .priority = 1000 });
	assert_true(fake_start(id, 2));
	id = submit(rq);
	schedule_and_pass();
	assert_int_equal(fake_state(id), FAKE_RUNNING);
	assert_int_equal(fake_job(id)->cpus_on[0], 4);
	/* three tp rings of 2 hops inside of a node; two dp rings over all */
	assert_int_equal(record_of(id).weighted_cost,
			 100 * 3 * 2 * 1 + 10 * 2 * (1 + 4 + 4));
}

/* Groups that its ranks do not make up are a reason, not a start. */
static void test_parallel_mismatch(void **state)
{
	uint32_t ids[2];

	(void) state;
	submit_many(with("train", 2, NULL, "gang_parallel=tp=4,dp=4"), 2, ids);
	schedule_and_pass();
	all_in_state(ids, 2, FAKE_PENDING);
	if (!strstr(text_of(ids[0]), "16"))
		fail_msg("%s", text_of(ids[0]));
}

/* 4.34: what was not chosen, and what Slurm would have chosen, is in the record.
 */
static void test_account(void **state)
{
	uint32_t ids[4];

	(void) state;
	occupy((uint64_t) 1, 0);
	submit_many(with("train", 4, NULL, NULL), 4, ids);
	schedule_and_pass();
	all_in_state(ids, 4, FAKE_RUNNING);
	assert_int_equal(record_of(ids[0]).ring_cost, 16);
	assert_true(record_of(ids[0]).stock_cost >= 16);
	if (!strstr(record_of(ids[0]).others, "l0:3/4"))
		fail_msg("%s", record_of(ids[0]).others);
	assert_string_equal(record_of(ids[0]).hops, "leaf:4");
	assert_int_equal(record_of(ids[2]).at[0], 'n');
}

int main(void)
{
#define INSIDE(test) cmocka_unit_test_setup_teardown(test, setup_islands, \
						     teardown)
#define OUTSIDE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		INSIDE(test_one_island),
		INSIDE(test_two_fill_a_node),
		INSIDE(test_across_islands),
		INSIDE(test_whole_nodes),
		INSIDE(test_two_nodes_each),
		INSIDE(test_any_device),
		INSIDE(test_one_rank),
		INSIDE(test_random_islands),
		OUTSIDE(test_require_says_why),
		OUTSIDE(test_prefer_waits),
		OUTSIDE(test_prefer_is_content),
		OUTSIDE(test_spread),
		OUTSIDE(test_exclusive),
		OUTSIDE(test_require_when_refused),
		OUTSIDE(test_group_topology),
		OUTSIDE(test_group_and_own),
		OUTSIDE(test_nonstrict_requires),
		OUTSIDE(test_late_requires),
		OUTSIDE(test_late_alone),
		OUTSIDE(test_late_spreads),
		OUTSIDE(test_late_exclusive),
		OUTSIDE(test_late_order),
		OUTSIDE(test_auto),
		OUTSIDE(test_parallel),
		OUTSIDE(test_ranks_of_nodes),
		OUTSIDE(test_layout),
		OUTSIDE(test_parallel_mismatch),
		OUTSIDE(test_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
