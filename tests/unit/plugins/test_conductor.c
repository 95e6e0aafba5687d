/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_conductor.c - gangs on a toy cluster: together or not at all */

#include <time.h>

#include "../unit.h"
#include "../core/fuzz.h"
#include "toy_cluster.h"
#include "no_memory.h"

/* ---- gathering ---- */

/* 0.43, 2.2, 3.22, 4.2: an incomplete gang is parked, holds nothing and keeps
 * nobody waiting; with the last member it starts. */
TOY_TEST(test_gathering)
{
	uint32_t other;

	submit_and_pass(member_of("train", 4), 3, train);
	for (int i = 0; i < 3; i++) {
		const struct fake_job *j = fake_job(train[i]);

		assert_true(j->parked);
		assert_string_equal(j->text,
				    "Gang alice/train gathering 3/4 members");
		assert_int_equal(j->rq.priority, 100);
		assert_string_equal(j->comment,
				    "gang=alice/train phase=gathering min=4 "
				    "total=4 satisfied=0 attempts=0 "
				    "created=1000000");
	}
	other = submit_one_to(plain(16, 1), FAKE_RUNNING);
	fake_end(other);
	assert_true(fake_idle_nodes() == ALL_FREE);

	train[3] = arrive(member_of("train", 4));
	for (int i = 0; i < 4; i++) {
		assert_false(fake_job(train[i])->parked);
		says(train[i], "Gang alice/train waits for its turn");
		recorded(train[i], "phase=waiting");
	}
	assert_true(fake_counts.woken > 0);
	assert_int_equal(fake_counts.commits, 0);
	schedule_to(train, 4, FAKE_RUNNING);
}

/* A member that goes makes the gang gather again. */
TOY_TEST(test_gathering_again)
{
	submit_and_pass(member_of("train", 3), 3, train);
	assert_false(fake_job(train[0])->parked);
	end_and_schedule(train[1]);
	assert_true(fake_job(train[0])->parked);
	says(train[2], "Gang alice/train gathering 2/3 members");
	assert_int_equal(fake_counts.commits, 0);
}

/* All are there but one is held by its user: the others are parked, too. */
TOY_TEST(test_not_eligible)
{
	submit_many(member_of("train", 3), 3, train);
	hold_and_pass(train[2], true);
	assert_true(fake_job(train[0])->parked);
	assert_false(fake_job(train[2])->parked);
	says(train[0], "Gang alice/train waits for "
		       "1 of 3 members to be eligible");
	hold_and_pass(train[2], false);
	schedule_to(train, 3, FAKE_RUNNING);
}

/* Nothing of a gang anywhere costs not even the locks. */
TOY_TEST(test_costs_nothing)
{
	uint32_t locks;

	arrive(plain(1, 1));
	locks = fake_counts.locks;
	for (int i = 0; i < 10; i++)
		sgang_conductor_pass(c);
	assert_int_equal(fake_counts.locks, locks);
	sgang_conductor_poke(c);
	sgang_conductor_ignore(c);
	sgang_conductor_pass(c);
	assert_int_equal(fake_counts.locks, locks);
	assert_int_equal(fake_counts.saves, 0);
	arrive(member_of("train", 2));
	sgang_conductor_pass(c);
	assert_int_equal(fake_counts.locks, locks + 2);
	no_fault();
}

/* ---- starting ---- */

static void all_held_and_starting(void)
{
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		struct sgang_record r;

		if (!j->gang[0])
			continue;
		assert_int_equal(j->state, FAKE_HELD);
		r = record_of(j->id);
		assert_int_equal(r.phase, SGANG_PHASE_STARTING);
		assert_false(r.satisfied);
		assert_true(r.placed);
	}
}

/* 0.1: nodes run a Prolog before anybody is launched: the release waits for all
 * of them, and a while longer, since one may have failed. */
TOY_TEST(test_prologs)
{
	fake_world.prepares = true;
	submit_and_pass(member_of("train", 3), 3, train);
	fake_trace_reset();
	schedule_and_pass();
	assert_non_null(strstr(fake_trace(),
			       "save, prepare 1, prepare 2, prepare 3, save"));
	fake_job(train[0])->prepared = SGANG_PREPARED_DONE;
	fake_job(train[2])->prepared = SGANG_PREPARED_DONE;
	wait_to(60, train, 3, FAKE_HELD);
	fake_job(train[1])->prepared = SGANG_PREPARED_DONE;
	pass_to(train, 3, FAKE_HELD);
	wait_to(2, train, 3, FAKE_RUNNING);
}

/* One has failed: the others give back their nodes, and nobody has started. */
TOY_TEST(test_prolog_fails)
{
	fake_world.prepares = true;
	gather(member_of("train", 3), 3, train);
	fake_job(train[0])->prepared = SGANG_PREPARED_DONE;
	end_and_pass(train[1]);
	assert_int_equal(in_state("train", FAKE_HELD), 0);
	assert_int_equal(in_state("train", FAKE_PENDING), 2);
}

/* All have failed at once: the next start waits for Prologs as the first did.
 */
TOY_TEST(test_prologs_all_fail)
{
	fake_world.prepares = true;
	gather_to(member_of("train", 3), 3, train, FAKE_HELD);
	for (int i = 0; i < 3; i++)
		fake_requeue(train[i]);
	pass();
	assert_int_equal(in_state("train", FAKE_HELD), 0);
	fake_trace_reset();
	for (int i = 0; i < 300 && !in_state("train", FAKE_HELD); i++)
		wait_and_schedule(1);
	all_in_state(train, 3, FAKE_HELD);
	assert_non_null(strstr(fake_trace(), "prepare 3"));
	wait_to(60, train, 3, FAKE_HELD);
}

/* 0.4: nodes that backfill keeps for others are out of bounds; when the main
 * scheduler offers all, right after that, the gang starts. */
TOY_TEST(test_limit_is_no_refusal)
{
	submit_and_pass(member_of("train", 2), 2, train);
	turn_on(train[1], 0x1, true);
	pass_to(train, 2, FAKE_PENDING);
	turn_on(train[0], 0xf, false);
	pass();
	pass_to(train, 2, FAKE_RUNNING);
}

/* 0.1: what cannot be saved is not released, nobody else is begun or kept off
 * for it, and it goes on when saving works again. */
TOY_TEST(test_unsaved)
{
	uint32_t more[2], other;

	submit_and_pass(member_of("train", 3), 3, train);
	fake_world.save_error = ENOSPC;
	schedule_to(train, 3, FAKE_HELD);
	submit_many(member_of("more", 2), 2, more);
	for (int i = 0; i < 20; i++)
		wait_and_schedule(1);
	all_in_state(train, 3, FAKE_HELD);
	all_in_state(more, 2, FAKE_PENDING);
	assert_int_equal(fake_log_count(SGANG_LOG_ERROR,
					"cannot save its "
					"state (No space left on device)"),
			 1);
	says(train[0], "Gang alice/train starting 3/3 members: slurmctld "
		       "cannot save its state (No space left on device)");
	says(more[0], "Gang alice/more waits: slurmctld cannot save its "
		      "state (No space left on device)");
	other = submit(plain(1, 1));
	schedule();
	assert_int_equal(fake_state(other), FAKE_RUNNING);

	fake_world.save_error = 0;
	wait_to(5, train, 3, FAKE_RUNNING);
	settle_to(more, 2, FAKE_RUNNING);
	logged("saves its state again", 1);
}

/* 0.1, 0.37, 0.50, 2.11, 3.20, 3.25, 4.3: commit all, save, release all, save.
 */
TOY_TEST(test_start)
{
	submit_many(member_of("train", 3), 3, train);
	schedule();
	assert_true(sgang_conductor_has_turns(c));
	fake_trace_reset();
	fake_world.on_save = all_held_and_starting;
	pass();
	assert_string_equal(fake_trace(),
			    "commit 1, commit 2, commit 3, save, "
			    "release 1, release 2, release 3, save");
	assert_false(sgang_conductor_has_turns(c));
	assert_int_equal(fake_counts.probes, 1); /* they are alike */
	for (int i = 0; i < 3; i++) {
		struct sgang_record r = record_of(train[i]);

		assert_int_equal(r.phase, SGANG_PHASE_RUNNING);
		assert_true(r.satisfied);
		assert_true(r.placed && r.exact);
		assert_int_equal(r.member_rank, i);
		assert_int_equal(r.members, 3);
		assert_int_equal(r.attempts, 1);
	}
	pass();
	assert_int_equal(fake_counts.released, 3);
}

/* The member that is first in the ring has the first two nodes of the list, and
 * so on. */
static void check_nodelist(const uint32_t *ids, uint32_t n)
{
	unsigned node[6];
	char head[16], own[32];

	assert_int_equal(sscanf(fake_getenv(ids[0], "SLURM_GANG_NODELIST"),
				"n%u,n%u,n%u,n%u,n%u,n%u", &node[0], &node[1],
				&node[2], &node[3], &node[4], &node[5]),
			 6);
	snprintf(head, sizeof(head), "n%u", node[0]);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t rank = record_of(ids[i]).member_rank;

		is_told(ids[i], "SLURM_GANG_NODELIST",
			fake_getenv(ids[0], "SLURM_GANG_NODELIST"));
		is_told(ids[i], "SLURM_GANG_HEAD_NODE", head);
		assert_true(fake_job(ids[i])->nodes ==
			    ((uint64_t)1 << node[2 * rank] |
			     (uint64_t)1 << node[2 * rank + 1]));
		snprintf(own, sizeof(own), "n%u,n%u", node[2 * rank],
			 node[2 * rank + 1]);
		is_told(ids[i], "SLURM_GANG_MEMBER_NODELIST", own);
		/* 4.21: and so Slurm was told */
		assert_int_equal(fake_job(ids[i])->n_order, 2);
		assert_int_equal(fake_job(ids[i])->order[0], node[2 * rank]);
		assert_int_equal(fake_job(ids[i])->order[1],
				 node[2 * rank + 1]);
	}
}

/* 2.11, 4.28, 4.34, design section 5: what the members are told. */
TOY_TEST(test_environment)
{
	static const struct {
		const char *name, *value[3];
	} expected[] = {
		{ "SLURM_GANG_NAME", { "train", "train", "train" } },
		{ "SLURM_GANG_NAMESPACE", { "alice", "alice", "alice" } },
		{ "SLURM_GANG_JOB_IDS", { "3,1,2", "3,1,2", "3,1,2" } },
		{ "SLURM_GANG_MEMBERS", { "3", "3", "3" } },
		{ "SLURM_GANG_MEMBER_RANK", { "1", "2", "0" } },
		{ "SLURM_GANG_RANK_OFFSET", { "4", "8", "0" } },
		{ "SLURM_GANG_RANKS", { "12", "12", "12" } },
		/* 6 hops inside nodes, 4 inside leaves, 2 between these */
		{ "SLURM_GANG_RING_COST", { "54", "54", "54" } },
		{ "SLURM_GANG_RING_COST_BEST", { "54", "54", "54" } },
		{ "SLURM_GANG_CROSS_LINKS", { "2", "2", "2" } },
		{ "SLURM_GANG_TIER", { "spine", "spine", "spine" } },
	};
	struct fake_request rq = MEMBER("train", 3, .nodes = 2, .ranks = 4);

	train[0] = submit(rq);
	train[1] = submit(rq);
	rq.rank = "0";
	train[2] = submit(rq);
	schedule_to(train, 3, FAKE_RUNNING);
	check_nodelist(train, 3);
	assert_null(fake_getenv(train[0], "SLURM_GANG_NATIVE_ORDER"));
	for (size_t i = 0; i < COUNT(expected); i++) {
		for (int j = 0; j < 3; j++) {
			const char *value = fake_getenv(train[j],
							expected[i].name);

			if (!value)
				fail_msg("no %s", expected[i].name);
			if (strcmp(value, expected[i].value[j]))
				fail_msg("job %u: %s=%s, not %s", train[j],
					 expected[i].name, value,
					 expected[i].value[j]);
		}
	}
}

/* 4.21: where Slurm deals ranks along the order that it was told, srun is told
 * so. */
TOY_TEST(test_native_order)
{
	uint32_t id;

	fake_world.orders_nodes = true;
	id = submit_one_to(MEMBER("train", 1, .nodes = 2), FAKE_RUNNING);
	assert_int_equal(fake_job(id)->n_order, 2);
	is_told(id, "SLURM_GANG_NATIVE_ORDER", "ring");
}

/* 1.2, 2.10: a gang of one is saved once only, after it has started. */
TOY_TEST(test_gang_of_one)
{
	submit(MEMBER("solo", 1, .nodes = 4));
	schedule();
	fake_trace_reset();
	pass();
	assert_string_equal(fake_trace(), "commit 1, release 1, save");
	assert_true(fake_job(1)->nodes == LEAF(0));
	is_told(1, "SLURM_GANG_TIER", "leaf");
	assert_int_equal(record_of(1).phase, SGANG_PHASE_RUNNING);
}

/* 4.3: a member whose prolog runs keeps all waiting, held. */
TOY_TEST(test_waits_for_prologs)
{
	struct fake_request rq = member_of("train", 3);

	submit_many(rq, 2, train);
	rq.prolog = 3;
	train[2] = submit(rq);
	schedule_to(train, 3, FAKE_HELD);
	pass_to(train, 3, FAKE_HELD);
	passes(5);
	all_in_state(train, 3, FAKE_RUNNING);
	assert_int_equal(fake_counts.undone, 0);
}

/* ---- all or nothing ---- */

/* 0.2, 0.4, 2.6, 2.7, 2.14, 2.20, 2.27, 3.26: wherever a commit fails, those before
 * it are undone in reverse order, those behind it are not tried, and all is as
 * before; later all of them run once. */
TOY_TEST(test_rollback_anywhere)
{
	for (uint32_t at = 0; at < 5; at++) {
		uint32_t ids[5];
		char expected[200] = "", map[2000], word[40];

		afresh(setup, "failure at %u", at);
		run_on(plain(2, 1), LEAF(1));
		submit_many(member_of("train", 5), 5, ids);
		schedule();
		strcpy(map, fake_free_map());
		fake_trace_reset();
		fake_world.commits_allowed = at;
		pass();
		for (uint32_t i = 0; i < 2 * at; i++) {
			bool undo = i >= at;
			uint32_t id = ids[undo ? 2 * at - 1 - i : i];

			snprintf(word, sizeof(word), "%s%s %u", i ? ", " : "",
				 undo ? "undo" : "commit", id);
			strcat(expected, word);
		}
		/* nothing has changed, so nothing is saved */
		assert_string_equal(fake_trace(), expected);
		assert_string_equal(fake_free_map(), map);
		all_in_state(ids, 5, FAKE_PENDING);
		snprintf(word, sizeof(word), "%u rolled back, %u not tried", at,
			 4 - at);
		logged(word, 1);
		assert_string_equal(record_of(ids[0]).name, "train");
		recorded(ids[0], "attempts=1 !rank");
		mentions(ids[0], "refused");

		fake_world.commits_allowed = UINT32_MAX;
		fake_clock(5);
		schedule_to(ids, 5, FAKE_RUNNING);
		assert_int_equal(fake_job(ids[0])->launches, 1);
	}
}

/* 0.4, 2.26, 2.28: ten members and room for five: nobody starts, nothing is
 * tried that cannot be. */
TOY_TEST(test_room_for_five)
{
	uint32_t other;
	char map[2000];

	other = run_on(plain(11, 200), FAKE_ALL_NODES);
	submit_many(member_of("train", 10), 10, train);
	strcpy(map, fake_free_map());
	schedule_and_pass();
	assert_string_equal(fake_free_map(), map);
	all_in_state(train, 10, FAKE_PENDING);
	assert_int_equal(fake_counts.commits, 0);
	fake_end(other);
	schedule_to(train, 10, FAKE_RUNNING);
}

/* The same for array tasks: those that were split off stay members of their
 * own, and nobody is counted twice. */
TOY_TEST(test_rollback_of_array)
{
	for (uint32_t at = 0; at < 6; at++) {
		struct fake_request rq = MEMBER("train", 6, .array = 4);
		char map[2000];

		afresh(setup, "failure at %u", at);
		submit(rq);
		rq.array = 0;
		submit(rq);
		submit(rq);
		strcpy(map, fake_free_map());
		schedule();
		fake_world.commits_allowed = at;
		pass();
		assert_string_equal(fake_free_map(), map);
		assert_int_equal(fake_counts.undone, at);
		assert_int_equal(in_state("train", FAKE_PENDING), 6);
		fake_world.commits_allowed = UINT32_MAX;
		wait_and_schedule(5);
		assert_int_equal(in_state("train", FAKE_RUNNING), 6);
	}
}

/* 1.58: tasks of an array are members, in the order of their numbers. */
TOY_TEST(test_array)
{
	submit(MEMBER("train", 4, .array = 4));
	schedule();
	fake_trace_reset();
	pass();
	assert_string_equal(fake_trace(),
			    "commit 2, commit 3, commit 4, commit 1, save, "
			    "release 2, release 3, release 4, release 1, save");
	for (uint32_t id = 1; id <= 4; id++) {
		assert_int_equal(fake_job(id)->tasks, 1);
		assert_int_equal(fake_job(id)->array_id, 1);
		assert_int_equal(record_of(id).member_rank,
				 fake_job(id)->task_id);
		is_told(id, "SLURM_GANG_JOB_IDS", "2,3,4,1");
	}
}

/* An array with more tasks than the gang takes: the rest runs on its own. */
TOY_TEST(test_array_of_which_some)
{
	submit(MEMBER("train", 2, .array = 5, .total = 3));
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_RUNNING), 3);
	assert_int_equal(in_state("train", FAKE_PENDING), 2);
	cycles(2);
	assert_int_equal(in_state("train", FAKE_RUNNING), 5);
	assert_int_equal(fake_counts.commits, 3);
}

/* A planned node that Slurm refuses: another one is as good. */
TOY_TEST(test_other_nodes)
{
	struct fake_request rq = MEMBER("train", 2, .cpus = 1);

	/* memory that the CPUs of a mixture do not show */
	train[0] = submit(rq);
	rq.cpus = 2;
	rq.memory = 900;
	train[1] = submit(rq);
	rq = plain(1, 1);
	rq.cpus = 1;
	rq.memory = 200;
	run_on(rq, LEAF(0));
	schedule_to(train, 2, FAKE_RUNNING);
}

/* 3.3, 4.6: two gangs that each need the whole cluster, member by member in
 * turns: one runs whole, then the other. */
TOY_TEST(test_two_whole_clusters)
{
	uint32_t a[16], b[16];

	for (int i = 0; i < 16; i++) {
		a[i] = submit(member_of("a", 16));
		b[i] = submit(member_of("b", 16));
		schedule_and_pass();
	}
	cycles(3);
	all_in_state(a, 16, FAKE_RUNNING);
	all_in_state(b, 16, FAKE_PENDING);
	for (int i = 0; i < 16; i++) {
		end_and_schedule(a[i]);
		assert_int_equal(in_state("b", FAKE_RUNNING), i < 15 ? 0 : 16);
	}
}

/* 2.21: a gang that does not fit holds nothing; a smaller one goes ahead. */
TOY_TEST(test_next_gang_is_considered)
{
	uint32_t large[9], small[4];

	run_on(plain(8, 1), FAKE_ALL_NODES);
	submit_many(member_of("large", 9), 9, large);
	submit_many(member_of("small", 4), 4, small);
	schedule_to(large, 9, FAKE_PENDING);
	all_in_state(small, 4, FAKE_RUNNING);
}

/* 0.32, 0.33, 0.34: who has its attempt first. */
TOY_TEST(test_turns_in_order)
{
	static const char *const names[] = { "b", "a", "old", "high" };
	uint32_t ids[4];

	for (int i = 0; i < 4; i++) {
		if (i == 2)
			fake_clock(-10);
		ids[i] = submit(MEMBER(names[i], 1, .nodes = 1,
				       .priority = (i == 3) ? 101 : 100));
		if (i == 2)
			fake_clock(10);
	}
	schedule();
	fake_trace_reset();
	pass();
	assert_non_null(
		strstr(fake_trace(), "commit 4, commit 3, commit 2, commit 1"));
	all_in_state(ids, 4, FAKE_RUNNING);
}

/* 4.4: members in two partitions, each on its own nodes. */
TOY_TEST(test_two_partitions)
{
	struct fake_request rq = MEMBER("train", 6,
					.partition = LEAF(0) | LEAF(1));

	submit_many(rq, 3, train);
	rq.partition = LEAF(2) | LEAF(3);
	submit_many(rq, 3, train + 3);
	schedule_to(train, 6, FAKE_RUNNING);
	for (int i = 0; i < 6; i++)
		assert_true(
			!(fake_job(train[i])->nodes &
			  ~(i < 3 ? LEAF(0) | LEAF(1) : LEAF(2) | LEAF(3))));
}

/* 3.7: whole nodes, parts of nodes and CPUs anywhere in one gang. */
TOY_TEST(test_mixture)
{
	struct fake_request whole = member_of("train", 4), part = whole,
			    any = whole;

	whole.nodes = 2;
	part.cpus = 3;
	any.nodes = 0;
	any.total_cpus = 9;
	train[0] = submit(any);
	train[1] = submit(part);
	train[2] = submit(whole);
	train[3] = submit(part);
	schedule_to(train, 4, FAKE_RUNNING);
}

/* 4.34: tasks of several CPUs each are a rank each, in the ring that is got and
 * in the one an empty cluster would give. */
TOY_TEST(test_ranks_of_many_cpus)
{
	start_many(MEMBER("train", 2, .nodes = 0, .total_cpus = 8, .ranks = 4),
		   2, train);
	is_told(train[0], "SLURM_GANG_RANKS", "8");
	/* four hops inside nodes, four between nodes of a leaf */
	is_told(train[0], "SLURM_GANG_RING_COST", "20");
	is_told(train[0], "SLURM_GANG_RING_COST_BEST", "20");
}

/* ---- minimum and total ---- */

/* 0.19, 3.5: three of a total of three are there, two are enough and there is
 * room for two. */
TOY_TEST(test_total_shrinks)
{
	struct fake_request rq = MEMBER("train", 2, .total = 3);

	submit_many(rq, 2, train);
	rq.priority = 150;
	train[2] = submit(rq);
	run_on(plain(14, 1), FAKE_ALL_NODES);
	schedule_and_pass();
	/* the one of higher priority and the older of the others */
	assert_int_equal(fake_state(train[2]), FAKE_RUNNING);
	assert_int_equal(fake_state(train[0]), FAKE_RUNNING);
	assert_int_equal(fake_state(train[1]), FAKE_PENDING);
	is_told(train[0], "SLURM_GANG_MEMBERS", "2");
}

/* The plan fits three but Slurm starts two (a licence is missing): two are
 * enough. */
TOY_TEST(test_total_shrinks_at_commit)
{
	submit_many(MEMBER("train", 2, .total = 3, .licences = 3), 3, train);
	for (int i = 0; i < 3; i++) {
		schedule_and_pass();
		fake_clock(5);
	}
	assert_int_equal(in_state("train", FAKE_RUNNING), 2);
	assert_int_equal(fake_licences_used(), 6);
}

/* With more members than the total, the total starts together. */
TOY_TEST(test_more_than_total)
{
	submit_many(MEMBER("train", 2, .total = 3), 5, train);
	schedule_to(train, 3, FAKE_RUNNING);
	all_in_state(train + 3, 2, FAKE_PENDING);
}

/* A member that Slurm would not start at all does not keep the minimum from
 * starting; below the minimum the gang says why. */
TOY_TEST(test_failed_probes)
{
	submit_many(MEMBER("train", 3, .total = 4), 4, train);
	fake_job(train[1])->unprobable = true;
	fake_job(train[2])->unprobable = true;
	schedule_to(train, 4, FAKE_PENDING);
	assert_int_equal(fake_counts.commits, 0);
	mentions(train[0], "probe says no");
	fake_job(train[2])->unprobable = false;
	fake_clock(5);
	schedule_to(&train[1], 1, FAKE_PENDING);
	assert_int_equal(in_state("train", FAKE_RUNNING), 3);
}

/* 4.24, 4.25: require:leaf never spans two leaves. */
TOY_TEST(test_require_level)
{
	uint32_t other[4];

	for (uint32_t l = 0; l < 4; l++)
		other[l] = run_on(plain(2, 1), LEAF(l));
	submit_to(MEMBER("train", 3, .topology = "require:leaf"), 3, train,
		  FAKE_PENDING);
	assert_int_equal(fake_counts.commits, 0);
	mentions(train[0], "Gang alice/train waits: ");
	fake_end(other[2]);
	schedule_to(train, 3, FAKE_RUNNING);
	for (int i = 0; i < 3; i++)
		assert_true(!(fake_job(train[i])->nodes & ~LEAF(2)));
}

/* A level that no one knows is the gang's text, not its start. */
TOY_TEST(test_unknown_level)
{
	submit_to(MEMBER("train", 2, .topology = "require:nowhere"), 2, train,
		  FAKE_PENDING);
	mentions(train[0], "nowhere");
}

/* ---- turns ---- */

/* No attempt without a change, but one after five seconds: members that differ
 * may lack anything. */
TOY_TEST(test_back_off_of_unlike)
{
	uint32_t one = submit(MEMBER("train", 2, .cpus = 3)), two, probes;

	run_on(plain(15, 1), FAKE_ALL_NODES);
	two = submit(MEMBER("train", 2, .cpus = 2));
	settle();
	probes = fake_counts.probes;
	wait_and_schedule(4);
	assert_int_equal(fake_counts.probes, probes);
	wait_and_schedule(1);
	assert_true(fake_counts.probes > probes);
	assert_int_equal(fake_state(one), FAKE_PENDING);
	assert_int_equal(fake_state(two), FAKE_PENDING);
}

/* Equal members that share nodes: where something is freed, a count shows
 * whether the rest of them may fit. That a job begins is no change. */
TOY_TEST(test_back_off_of_cpus)
{
	uint32_t ends[4], probes;

	for (int i = 0; i < 3; i++)
		ends[i] = run_until(plain(1, 1), FAKE_ALL_NODES, 1000500);
	run_on(plain(12, 1), FAKE_ALL_NODES);
	submit_and_schedule(MEMBER("train", 4, .cpus = 3), 4, train);
	recorded(train[0], "tried=2");
	probes = fake_counts.probes;
	wait_and_schedule(29);
	assert_int_equal(fake_counts.probes, probes);
	/* three are lacking; one node is freed, and used again */
	end_and_schedule(ends[0]);
	assert_int_equal(fake_counts.probes, probes);
	ends[3] = run_on(plain(1, 1), FAKE_ALL_NODES);
	schedule_and_pass();
	assert_int_equal(fake_counts.probes, probes);
	wait_and_schedule(1);
	assert_true(fake_counts.probes > probes);
	for (int i = 1; i < 4; i++)
		fake_end(ends[i]);
	schedule_to(train, 4, FAKE_RUNNING);
}

/* 0.1: the only member that said the minimum is cancelled. */
TOY_TEST(test_minimum_is_remembered)
{
	struct fake_request quiet = MEMBER("train", 3, .min = 0);
	uint32_t first = submit(member_of("train", 3));

	submit_and_schedule(quiet, 1, train);
	fake_end(first);
	schedule_to(&train[0], 1, FAKE_PENDING);
	submit_many(quiet, 2, train + 1);
	schedule_to(train, 3, FAKE_RUNNING);
}

/* 4.7, 4.8: a gang that does not fit knows when it would: when enough of the
 * running jobs have ended, whichever they are. */
TOY_TEST(test_joint_start)
{
	uint32_t more[7], early, late, endless;

	early = submit(plain(2, 1));
	late = submit(plain(3, 1));
	endless = submit(plain(10, 1));
	assert_true(fake_start(early, FAKE_ALL_NODES));
	assert_true(fake_start(late, FAKE_ALL_NODES));
	assert_true(fake_start(endless, FAKE_ALL_NODES));
	fake_job(early)->ends = 1000500;
	fake_job(late)->ends = 1000900;
	assert_int_equal(joint_start("train"), 0);
	/* one node is free and the gang wants 2, 4 and 7 */
	submit_and_schedule(member_of("two", 2), 2, train);
	assert_int_equal(joint_start("two"), 1000500);
	submit_and_schedule(member_of("four", 4), 4, more);
	assert_int_equal(joint_start("four"), 1000900);
	submit_and_schedule(member_of("seven", 7), 7, more);
	assert_int_equal(joint_start("seven"), INT64_MAX);
	/* it starts as soon as it can, and is then no matter of waiting */
	fake_end(early);
	schedule_to(train, 2, FAKE_RUNNING);
	assert_int_equal(joint_start("two"), 0);
}

TOY_TEST(test_back_off)
{
	uint32_t other, probes;

	run_on(plain(14, 1), FAKE_ALL_NODES);
	other = run_on(plain(1, 1), FAKE_ALL_NODES);
	submit_and_schedule(member_of("train", 2), 2, train);
	probes = fake_counts.probes;
	assert_int_equal(probes, 2); /* one for the empty cluster */
	for (int i = 0; i < 4; i++) {
		fake_clock(1);
		schedule();
		assert_false(sgang_conductor_has_turns(c));
		pass();
	}
	assert_int_equal(fake_counts.probes, probes);
	/* too few whole nodes: no other change helps, for half a minute */
	wait_and_schedule(25);
	assert_int_equal(fake_counts.probes, probes);
	wait_and_schedule(1);
	assert_int_equal(fake_counts.probes, probes + 1);
	schedule_and_pass();
	assert_int_equal(fake_counts.probes, probes + 1);
	end_and_schedule(other);
	assert_int_equal(fake_counts.probes, probes + 2);
	all_in_state(train, 2, FAKE_RUNNING);
}

/* 5.4: a gang that cannot start even on the empty cluster is parked before its
 * first turn, keeps nobody off, and comes back when nodes do. */
TOY_TEST(test_impossible)
{
	struct fake_request rq = MEMBER("five", 5, .topology = "require:leaf",
					.priority = 500);
	uint32_t ids[5], other, few[2];

	submit_and_pass(rq, 5, ids);
	says(ids[0], "Gang alice/five waits: "
		     "5 nodes in one leaf are needed, the largest (l0) "
		     "has 4 that fit");
	for (int i = 0; i < 5; i++)
		assert_true(fake_job(ids[i])->parked);
	turn(ids[0]);
	assert_false(sgang_conductor_has_turns(c));
	other = submit_one_to(plain(16, 1), FAKE_RUNNING);
	assert_int_equal(fake_counts.probes, 0);
	fake_end(other);
	/* with one member less, or its node back */
	rq = member_of("two", 2);
	rq.nodes = 8;
	fake_node_down(3, true);
	submit_and_schedule(rq, 2, few);
	assert_true(fake_job(few[0])->parked);
	fake_node_down(3, false);
	fake_counts.woken = 0;
	pass();
	assert_int_equal(fake_counts.woken, 1);
	schedule_to(few, 2, FAKE_RUNNING);
}

/* Between turn and attempt no job of lower or equal priority gets the gang's
 * nodes, and it gets all others. */
TOY_TEST(test_fence)
{
	submit_and_pass(MEMBER("train", 2, .partition = LEAF(0) | LEAF(1)), 2,
			train);
	assert_false(sgang_conductor_has_turns(c));
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
	assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
	assert_true(sgang_conductor_has_turns(c));
	assert_true(fenced(99, ALL_FREE) == (LEAF(2) | LEAF(3)));
	assert_true(fenced(100, ALL_FREE) == (LEAF(2) | LEAF(3)));
	assert_true(fenced(101, ALL_FREE) == ALL_FREE);
	assert_true(fenced(1, LEAF(3)) == LEAF(3));
	fake_counts.woken = 0;
	pass();
	assert_int_equal(fake_counts.woken, 1);
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
	assert_false(sgang_conductor_has_turns(c));
}

/* 4.9: of jobs that are there Slurm says who comes first: one that preempts
 * others does, however low its priority is. */
TOY_TEST(test_fence_by_slurms_order)
{
	struct sgang_standing s = { .priority = 1 };
	uint32_t job;

	submit_many(member_of("train", 2), 2, train);
	job = arrive(JOB(1, 1, .preempts = true));
	assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
	assert_true(fenced(1, ALL_FREE) == 0);
	fake_scheduler(true);
	s.job = fake_host.jobs.find(job);
	assert_true(fenced_from(&s, ALL_FREE) == ALL_FREE);
	s.job = fake_host.jobs.find(train[1]);
	assert_true(fenced_from(&s, ALL_FREE) == 0);
	fake_scheduler(false);
}

/* ---- whom an ordinary job may preempt ---- */

/* How members 'first' and 'last' of so many may go, if all but 'left_out' of
 * them are candidates. */
static void judge(const uint32_t *ids, uint32_t n, uint32_t left_out,
		  enum sgang_victim_kind first, enum sgang_victim_kind last)
{
	const struct sgang_spec spec = spec_of(ids[0]);
	struct sgang_listed v[8] = { 0 };

	fake_scheduler(true);
	for (uint32_t i = 0; i < n - left_out; i++) {
		v[i].job_id = ids[i];
		v[i].ends = true;
		v[i].gang = sgang_conductor_victim(c, &spec);
	}
	assert_int_equal(sgang_conductor_judge(c, v, n - left_out), 0);
	fake_scheduler(false);
	assert_int_equal(v[0].kind, first);
	assert_int_equal(v[n - left_out - 1].kind, last);
}

/* 4.11, 1.17: a strict gang goes whole or not at all; those beyond its minimum
 * go first, the last that came before others. */
TOY_TEST(test_victims)
{
	uint32_t whole[3], extra[4], loose[2], one;

	submit_and_schedule(member_of("whole", 3), 3, whole);
	submit_and_schedule(member_of("extra", 2), 4, extra);
	submit_many(nonstrict_of("loose", 2), 2, loose);
	one = submit(member_of("one", 1));
	cycles(3);
	all_in_state(whole, 3, FAKE_RUNNING);
	all_in_state(extra, 4, FAKE_RUNNING);
	all_in_state(loose, 2, FAKE_RUNNING);
	judge(whole, 3, 0, SGANG_VICTIM_WHOLE, SGANG_VICTIM_WHOLE);
	judge(whole, 3, 1, SGANG_VICTIM_NEVER, SGANG_VICTIM_NEVER);
	judge(extra, 4, 0, SGANG_VICTIM_WHOLE, SGANG_VICTIM_EXTRA);
	judge(extra, 4, 1, SGANG_VICTIM_NEVER, SGANG_VICTIM_EXTRA);
	judge(loose, 2, 0, SGANG_VICTIM_LAST, SGANG_VICTIM_LAST);
	judge(&one, 1, 0, SGANG_VICTIM_ANY, SGANG_VICTIM_ANY);
	/* too few are left to start again as a gang */
	end_and_pass(whole[0]);
	judge(whole + 1, 2, 0, SGANG_VICTIM_LAST, SGANG_VICTIM_LAST);
	end_and_pass(whole[1]);
	judge(whole + 2, 1, 0, SGANG_VICTIM_ANY, SGANG_VICTIM_ANY);
}

/* scontrol hold of a member that has its nodes: none is launched, and all wait
 * until it is released. */
TOY_TEST(test_hold_while_held)
{
	gather_to(MEMBER("train", 2, .prolog = 20), 2, train, FAKE_HELD);
	fake_user_hold(train[1], true);
	pass_to(train, 2, FAKE_PENDING);
	assert_true(fake_idle_nodes() == ALL_FREE);
	says(train[0], "Gang alice/train waits for "
		       "1 of 2 members to be eligible");
	assert_int_equal(fake_counts.released, 0);
	hold_and_pass(train[1], false);
	schedule_to(train, 2, FAKE_HELD);
}

/* 5.5: what is updated of a member counts when the scheduler reaches it next,
 * whether or not there was a pass, and jobs behind do not overtake. */
TOY_TEST(test_update)
{
	struct fake_request rq = MEMBER("train", 2, .nodes = 8);
	uint32_t behind;

	submit_one_to(plain(1, 500), FAKE_RUNNING);
	gather_to(rq, 2, train, FAKE_PENDING);
	turn(train[0]);
	assert_false(sgang_conductor_has_turns(c)); /* backs off */
	rq.nodes = 7;
	fake_update(train[1], &rq);
	behind = submit(plain(15, 1));
	schedule();
	assert_int_equal(fake_state(behind), FAKE_PENDING);
	pass_to(train, 2, FAKE_RUNNING);
}

/* ... and in the pass that sees it, with the nodes of its new partition. */
TOY_TEST(test_update_partition)
{
	struct fake_request rq = MEMBER("train", 2, .partition = LEAF(0),
					.nodes = 3);

	gather_to(rq, 2, train, FAKE_PENDING);
	rq.partition = LEAF(1);
	fake_update(train[1], &rq);
	fake_counts.woken = 0;
	pass();
	assert_int_equal(fake_counts.woken, 1);
	turn(train[0]);
	assert_true(fenced(1, ALL_FREE) == (LEAF(2) | LEAF(3)));
	pass_to(train, 2, FAKE_RUNNING);
}

/* A gang whose members come to the scheduler at different priorities. */
TOY_TEST(test_fence_at_the_highest)
{
	struct fake_request rq = member_of("train", 2);

	train[0] = submit(rq);
	rq.priority = 200;
	train[1] = arrive(rq);
	turn(train[1]);
	turn(train[0]);
	assert_true(fenced(200, ALL_FREE) == 0);
	assert_true(fenced(201, ALL_FREE) == ALL_FREE);
}

/* While a gang waits for the prolog of a member, its other members keep nobody
 * off. */
TOY_TEST(test_no_fence_while_held)
{
	struct fake_request rq = MEMBER("train", 2, .prolog = 20);
	uint32_t extra;

	submit_to(rq, 2, train, FAKE_HELD);
	rq.prolog = 0;
	extra = arrive(rq);
	assert_int_equal(turn(extra), SGANG_TURN_TAKEN);
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
	pass_to(&extra, 1, FAKE_PENDING);
}

/* Backfill has set nodes aside for others: the gang keeps to what its members
 * were offered. */
TOY_TEST(test_limit)
{
	submit_and_pass(member_of("train", 3), 3, train);
	turn_on(train[0], 0x0300, true);
	turn_on(train[1], 0x3000, true);
	pass_to(train, 3, FAKE_RUNNING);
	assert_true((ALL_FREE & ~fake_idle_nodes() & ~0x3300) == 0);
}

/* ... and does not start when that is too little; the limit ends with the
 * turn. */
TOY_TEST(test_limit_too_small)
{
	submit_and_pass(member_of("train", 3), 3, train);
	turn_on(train[0], 0x0300, true);
	pass_to(train, 3, FAKE_PENDING);
	fake_clock(5);
	turn(train[0]);
	pass_to(train, 3, FAKE_RUNNING);
}

/* Backfill goes on to that job of its queue; 0: to one that is no member. */
static void offer(uint32_t id, uint32_t priority, uint64_t nodes)
{
	struct sgang_standing standing = { .priority = priority,
					   .job_id = id ? id : 1 };
	struct sgang_nodeset *set = toy_set(nodes);
	struct sgang_spec spec;

	if (id)
		spec = spec_of(id);
	sgang_conductor_offered(c, &standing, id ? &spec : NULL, set);
	sgang_nodeset_destroy(set);
}

/* 4.20: nodes that backfill keeps for a member which cannot start yet are not
 * kept from the others of its gang. */
TOY_TEST(test_limit_is_of_others)
{
	submit_and_pass(member_of("train", 3), 3, train);
	offer(train[0], 10, 0x3300);
	offer(train[0], 10, ALL_FREE); /* at a later moment */
	offer(0, 9, ALL_FREE);
	offer(train[1], 8, 0x0001);
	turn_on(train[1], 0x0001, true);
	pass_to(train, 3, FAKE_RUNNING);
	assert_true((ALL_FREE & ~fake_idle_nodes() & ~0x3301) == 0);
}

/* ... but those of the next time are for the jobs that come before it then. */
TOY_TEST(test_limit_of_the_cycle)
{
	submit_and_pass(member_of("train", 3), 3, train);
	offer(train[0], 10, 0x3300);
	offer(0, 20, ALL_FREE);
	offer(train[1], 8, 0x0001);
	turn_on(train[1], 0x0001, true);
	pass_to(train, 3, FAKE_PENDING);
}

/* The main scheduler's offer knows no limit. */
TOY_TEST(test_limit_is_lifted)
{
	submit_and_pass(member_of("train", 3), 3, train);
	turn_on(train[0], 0x0001, true);
	turn_on(train[1], ALL_FREE, false);
	pass_to(train, 3, FAKE_RUNNING);
}

/* Node numbers change: a turn and its limit are forgotten, nothing is fenced
 * by numbers of before. */
TOY_TEST(test_forget_nodes)
{
	submit_and_pass(member_of("train", 2), 2, train);
	turn_on(train[0], 0x0001, true);
	sgang_conductor_forget_nodes(c);
	assert_false(sgang_conductor_has_turns(c));
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
	pass_to(train, 2, FAKE_PENDING);
	schedule_to(train, 2, FAKE_RUNNING);
}

/* ---- once it has started ---- */

/* 0.11, 3.27: later members of a gang that has started are ordinary jobs. */
TOY_TEST(test_later_members)
{
	uint32_t later;

	submit_and_schedule(member_of("train", 2), 2, train);
	later = submit(member_of("train", 2));
	assert_int_equal(turn(later), SGANG_TURN_ORDINARY);
	pass();
	assert_false(fake_job(later)->parked);
	recorded(later, "satisfied");
	fake_end(train[0]);
	end_and_pass(train[1]);
	/* its record remembers, also after a restart */
	come_back_and_pass(false);
	assert_int_equal(turn(later), SGANG_TURN_ORDINARY);
	assert_true(fake_start(later, FAKE_ALL_NODES));
	assert_int_equal(fake_counts.commits, 2);
}

static struct sgang_record start_later(uint32_t id)
{
	start_later_on(id, FAKE_ALL_NODES);
	return record_of(id);
}

/* The member that has this rank. */
static uint32_t with_rank(const uint32_t *ids, size_t n, uint32_t rank)
{
	for (size_t i = 0; i < n; i++) {
		if (record_of(ids[i]).member_rank == rank)
			return ids[i];
	}
	fail_msg("no member has rank %u", rank);
	return 0;
}

/* 6.5: members beyond the minimum are spares. They take the rank of one that is
 * lost, and of none that has completed; in the end they end. */
TOY_TEST(test_spares)
{
	submit_and_settle(MEMBER("train", 3, .more = "spares=2"), 5, train);
	all_in_state(train, 3, FAKE_RUNNING);
	all_in_state(train + 3, 2, FAKE_PENDING);
	for (size_t i = 3; i < 5; i++) {
		struct sgang_record r = start_later(train[i]);

		assert_true(r.spare);
		assert_false(r.placed);
		is_told(train[i], "SLURM_GANG_MEMBER_RANK", "");
		is_told(train[i], "SLURM_GANG_MEMBERS", "3");
	}
	pass();
	wait_and_pass(2);
	fake_end(train[0]);
	fail_and_pass(train[1], false);
	recorded(train[3], "!spare rank=*/3");
	recorded(train[4], "spare");
	pass();
	recorded(train[3], "rank");
	fake_end(train[2]);
	fake_end(train[3]);
	pass_to(&train[4], 1, FAKE_GONE);
}

/* 6.5, 6.6: all ranks have completed. A lost member whose rank a spare has had
 * is not needed again, whether it waits or starts just then. */
TOY_TEST(test_spare_comes_too_late)
{
	for (int starts = 0; starts < 2; starts++) {
		uint32_t lost;

		afresh(setup, "starts %d", starts);
		submit_and_settle(MEMBER("train", 3,
					 .more = "spares=1|on_failure=replace"),
				  4, train);
		assert_true(start_later(train[3]).spare);
		pass();
		wait_and_pass(2);
		lost = with_rank(train, 3, 0);
		fail_and_pass(lost, false);
		pass();
		recorded(train[3], "rank=0/*");
		assert_int_equal(fake_state(lost), FAKE_PENDING);
		for (int i = 0; i < 4; i++) {
			if (train[i] != lost)
				fake_end(train[i]);
		}
		if (starts) {
			assert_true(start_later(lost).spare);
			recorded(lost, "!rank");
		}
		pass_to(&lost, 1, FAKE_GONE);
	}
}

/* Nodes that say that they know nothing of a job are asked once more, when the
 * job would have been seen. */
static void nodes_tell_again(void)
{
	wait_and_pass(5);
}

/* Three run, and one is held as a cold spare. */
static void begin_cold(uint32_t ids[4], const char *more)
{
	submit_and_settle(MEMBER("train", 3, .more = more, .time_limit = 600),
			  4, ids);
	all_in_state(ids, 3, FAKE_RUNNING);
	wait_and_pass(2);
	fake_snapshot();
	assert_int_equal(turn(ids[3]), SGANG_TURN_ORDINARY);
	assert_true(offer_cold(ids[3], ALL_FREE));
	pass();
}

/* 6.5: a cold spare has nodes, and is launched when it has a member rank. */
TOY_TEST(test_cold_spare)
{
	uint32_t lost, more;

	begin_cold(train, "spares=1:cold");
	assert_int_equal(fake_state(train[3]), FAKE_HELD);
	recorded(train[3], "spare cold");
	says(train[3], "Gang alice/train: cold spare, starts when a "
		       "member is lost");
	more = arrive(member_of("train", 3));
	assert_int_equal(turn(more), SGANG_TURN_ORDINARY);
	assert_false(offer_cold(more, ALL_FREE));
	wait_to(100, &train[3], 1, FAKE_HELD);
	lost = with_rank(train, 3, 1);
	fake_fail(lost, false);
	pass_to(&train[3], 1, FAKE_RUNNING);
	recorded(train[3], "rank=1/*");
	is_told(train[3], "SLURM_GANG_MEMBER_RANK", "1");
	recorded(train[3], "!spare");
	wait_and_pass(2);
	recorded(train[3], "!cold");
	assert_int_equal(fake_job(train[3])->launches, 1);
}

/* What is not saved is not launched (6.5, 0.1). */
TOY_TEST(test_cold_unsaved)
{
	begin_cold(train, "spares=1:cold");
	fake_fail(with_rank(train, 3, 2), false);
	fake_world.save_error = ENOSPC;
	for (int i = 0; i < 10; i++) {
		pass();
		fake_clock(1);
	}
	assert_int_equal(fake_state(train[3]), FAKE_HELD);
	recorded(train[3], "rank");
	fake_world.save_error = 0;
	wait_to(5, &train[3], 1, FAKE_RUNNING);
}

/* slurmctld dies at each of its saves, from the hold of the spare to some passes
 * after its launch. It is launched once, with the rank of the one that was lost,
 * and the others are never launched again. */
TOY_TEST(test_cold_dies)
{
	for (int at = 0; at < 12; at++) {
		bool lost = false;

		afresh(setup, "save %d", at);
		if (at < 2)
			fake_die_at_save(3, at % 2);
		begin_cold(train, "spares=1:cold");
		if (at >= 2 && at < 8)
			fake_die_at_save((uint32_t)at / 2, at % 2);
		for (int i = 0; i < 12; i++) {
			if (is_dead())
				come_back(true);
			if (at == 8 + i)
				come_back(true);
			if (i == 3 && !lost) {
				uint32_t id = with_rank(train, 3, 1);

				fake_fail(id, false);
				fake_snapshot();
				lost = true;
			}
			pass();
			if (is_dead())
				continue;
			if (fake_state(train[3]) == FAKE_PENDING &&
			    turn(train[3]) == SGANG_TURN_ORDINARY)
				(void)offer_cold(train[3], ALL_FREE);
			fake_clock(2);
		}
		nodes_tell_again();
		pass_to(&train[3], 1, FAKE_RUNNING);
		recorded(train[3], "rank=1/*");
	}
}

/* Two are held; one of them, the heir, is launched for a member that is lost. It is
 * not known of it whether its node had the message, as slurmctld died. */
static void launch_cold_and_die(uint32_t *heir, uint32_t *other)
{
	uint32_t more;

	begin_cold(train, "spares=2:cold");
	more = arrive(member_of("train", 3));
	assert_int_equal(turn(more), SGANG_TURN_ORDINARY);
	assert_true(offer_cold(more, ALL_FREE));
	pass();
	fail_and_pass(with_rank(train, 3, 1), false);
	*heir = fake_state(more) == FAKE_RUNNING ? more : train[3];
	*other = *heir == more ? train[3] : more;
	assert_int_equal(fake_state(*heir), FAKE_RUNNING);
	come_back(true);
	fake_job(*heir)->launch = SGANG_LAUNCH_UNKNOWN;
	pass_to(heir, 1, FAKE_HELD);
}

/* 6.5: slurmctld died before the node could answer to the launch of a cold
 * spare. It has its nodes and its rank again, and the other one remains cold; or
 * it cannot, and the other one takes the rank. */
TOY_TEST(test_cold_refused)
{
	for (int cancelled = 0; cancelled < 2; cancelled++) {
		uint32_t heir, other;
		uint64_t nodes;

		afresh(setup, "cancelled %d", cancelled);
		launch_cold_and_die(&heir, &other);
		nodes = fake_job(heir)->nodes;
		fake_refuse_launch(heir);
		if (cancelled)
			fake_fail(heir, true);
		else
			fake_job(heir)->launch = SGANG_LAUNCH_NO;
		passes(2);
		assert_int_equal(fake_state(other),
				 cancelled ? FAKE_RUNNING : FAKE_HELD);
		if (cancelled) {
			recorded(other, "rank=1/*");
			continue;
		}
		assert_int_equal(fake_state(heir), FAKE_HELD);
		nodes_tell_again();
		pass_to(&heir, 1, FAKE_RUNNING);
		assert_true(fake_job(heir)->nodes == nodes);
		recorded(heir, "rank=1/*");
		recorded(other, "spare");
		/* with the one that was lost */
		assert_int_equal(fake_job(heir)->launches, 2);
	}
}

/* 6.5: it ran while slurmctld was away, with the rank of the lost one. Once it
 * has completed nobody is needed for the rank; once it failed the other one is. */
TOY_TEST(test_cold_ended_away)
{
	for (int fails = 0; fails < 2; fails++) {
		uint32_t heir, other;

		afresh(setup, "fails %d", fails);
		launch_cold_and_die(&heir, &other);
		fake_log_reset();
		fake_job(heir)->launch = SGANG_LAUNCH_YES;
		end_as(heir, fails);
		pass();
		logged(fails ? "was started and has failed" :
			       "was started and has completed",
		       1);
		logged("cold spare", 0);
		nodes_tell_again();
		pass();
		pass_to(&other, 1, fails ? FAKE_RUNNING : FAKE_HELD);
	}
}

/* 6.5, 6.8: what ends its hold, and what becomes of it then. */
TOY_TEST(test_cold_ends)
{
	enum { DRAIN, HOLD, LIMIT, YIELD, CANCEL, NODE, GANG, CASES };
	static const enum fake_state after[CASES] = {
		[DRAIN] = FAKE_PENDING, [HOLD] = FAKE_PENDING,
		[LIMIT] = FAKE_GONE,    [YIELD] = FAKE_PENDING,
		[CANCEL] = FAKE_GONE,   [NODE] = FAKE_PENDING,
		[GANG] = FAKE_GONE,
	};

	for (int how = 0; how < CASES; how++) {
		afresh(setup, "case %d", how);
		begin_cold(train, "spares=1:cold");
		assert_int_equal(fake_state(train[3]), FAKE_HELD);
		switch (how) {
		case DRAIN:
			fake_drain((uint32_t)__builtin_ctzll(
					   fake_job(train[3])->nodes),
				   true);
			break;
		case HOLD:
			fake_user_hold(train[3], true);
			break;
		case LIMIT:
			wait_to(599, &train[3], 1, FAKE_HELD);
			fake_clock(1);
			break;
		case YIELD:
			yield_to(train[3], 99);
			break;
		case CANCEL:
			fake_end(train[3]);
			break;
		case NODE:
			fake_requeue(train[3]);
			break;
		case GANG:
			end_all(train, 3);
			break;
		}
		passes(2);
		assert_int_equal(fake_state(train[3]), after[how]);
		if (how != GANG)
			all_in_state(train, 3, FAKE_RUNNING);
		assert_int_equal(fake_job(train[3])->launches, 0);
		if (after[how] != FAKE_PENDING)
			continue;
		recorded(train[3], "!spare !cold");
		assert_int_equal(fake_job(train[3])->holds, 0);
	}
}

/* A lack of memory holds none that is not known (6.5). */
TOY_TEST(test_cold_no_memory)
{
	uint64_t at = 0;
	bool failed;

	do {
		afresh(setup, "allocation %d", (int)++at);
		begin_cold(train, "spares=1:cold");
		fake_fail(with_rank(train, 3, 1), false);
		failed = pass_without_memory(at, false);
		for (int i = 0; i < 3; i++)
			wait_and_pass(6);
		assert_int_equal(fake_state(train[3]), FAKE_RUNNING);
		recorded(train[3], "rank");
	} while (failed);
}

/* 6.2, 6.5: who takes a seat has its ranks, also where two are vacant. */
TOY_TEST(test_layout_of_seat)
{
	char had[2][SGANG_LAYOUT_SIZE], told[2][40];
	uint32_t lost[2];

	submit_and_settle(
		MEMBER("train", 4, .ranks = 2,
		       .more = "spares=2|parallel=dp=2,tp=4:dp=1,tp=9"),
		6, train);
	for (size_t i = 0; i < 2; i++) {
		lost[i] = with_rank(train, 4, (uint32_t)i + 1);
		strcpy(had[i], record_of(lost[i]).layout);
		snprintf(told[i], sizeof(told[i]), "%s",
			 fake_getenv(lost[i], "SLURM_GANG_LAYOUT"));
		assert_string_not_equal(told[i], "");
		(void)start_later(train[4 + i]);
	}
	pass();
	/* the seat of the second is filled first */
	fail_and_pass(lost[1], false);
	fail_and_pass(lost[0], false);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t now = with_rank(train + 4, 2, i + 1);

		assert_string_equal(record_of(now).layout, had[i]);
		is_told(now, "SLURM_GANG_LAYOUT", told[i]);
		is_told(now, "SLURM_GANG_LAYOUTS",
			fake_getenv(train[0], "SLURM_GANG_LAYOUTS"));
	}
}

/* 6.2: the same of heirs, the first of whom has the seat of lower rank. */
TOY_TEST(test_layout_of_heirs)
{
	struct fake_request rq = MEMBER("train", 4, .ranks = 2,
					.more = "parallel=dp=2,tp=4:dp=1,tp=9");
	char had[2][SGANG_LAYOUT_SIZE];

	submit_and_settle(rq, 4, train);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t lost = with_rank(train, 4, i + 1);

		strcpy(had[i], record_of(lost).layout);
		fake_end(lost);
	}
	pass();
	submit_and_pass(rq, 2, train + 4);
	for (uint32_t i = 0; i < 2; i++) {
		struct sgang_record r = start_later(train[4 + i]);

		assert_int_equal(r.member_rank, i + 1);
		assert_string_equal(r.layout, had[i]);
	}
}

/* 6.3, 6.5: one is lost while slurmctld is away. The epoch goes on. */
TOY_TEST(test_spare_after_restart)
{
	uint32_t lost;

	submit_and_settle(MEMBER("train", 4, .more = "spares=1"), 5, train);
	(void)start_later(train[4]);
	pass();
	wait_and_pass(2);
	recorded(train[4], "epoch=2");
	lost = with_rank(train, 4, 1);
	fake_fail(lost, false);
	come_back_and_pass(false);
	pass();
	recorded(train[4], "rank=1/*");
	assert_in_range(record_of(train[4]).epoch, 3, 5);
}

/* slurmctld died when a member of a gang on n4 to n6 had been lost, and n0 to n3
 * are free now. n5, where nothing runs, has not registered with the new one. */
static void lost_before_restart(uint32_t *ids)
{
	uint32_t other = busy(4);

	submit_and_schedule(MEMBER("train", 3, .more = "on_failure=requeue"), 3,
			    ids);
	pass_to(ids, 3, FAKE_RUNNING);
	assert_true(fake_idle_nodes() == (ALL_FREE & ~(uint64_t)0x7f));
	fake_end(other);
	for (size_t i = 0; i < 3; i++)
		if (fake_job(ids[i])->nodes == (uint64_t)1 << 5)
			fake_fail(ids[i], false);
	fake_snapshot();
	come_back(true);
	fake_unregistered(5);
	pass_to(ids, 3, FAKE_PENDING);
	wait_and_pass(3);
	schedule_and_pass();
}

/* 6.7: the gang waits for the node, which is not lost. */
TOY_TEST(test_requeued_after_restart)
{
	lost_before_restart(train);
	all_in_state(train, 3, FAKE_PENDING);
	all_recorded(train, 3, "!lost");
	fake_clock(20);
	schedule_to(train, 3, FAKE_PENDING);
	fake_node_down(5, false);
	schedule_and_pass();
	pass_to(train, 3, FAKE_RUNNING);
	assert_true(nodes_of(train, 3) == 0x70);
}

/* ... for a time; then it starts on others. */
TOY_TEST(test_requeued_never_registers)
{
	lost_before_restart(train);
	wait_and_schedule(60);
	pass_to(train, 3, FAKE_RUNNING);
	assert_false(nodes_of(train, 3) & 0x20);
}

/* 6.1, 6.2: an heir has the rank of the member that was lost. */
TOY_TEST(test_heir)
{
	uint32_t heir, more;
	struct sgang_record r;

	submit_and_schedule(member_of("train", 3), 3, train);
	end_and_pass(with_rank(train, 3, 1));
	heir = submit(member_of("train", 3));
	more = arrive(member_of("train", 3));
	r = start_later(heir);
	assert_true(r.placed);
	assert_int_equal(r.member_rank, 1);
	assert_int_equal(r.members, 3);
	assert_int_equal(r.rank_offset * 3, r.ranks);
	is_told(heir, "SLURM_GANG_MEMBER_RANK", "1");
	is_told(heir, "SLURM_GANG_MEMBERS", "3");
	/* 6.12: with no pass in between, the next is no second heir */
	r = start_later(more);
	assert_int_equal(r.member_rank, 3);
	assert_int_equal(r.members, 4);
	pass();
	recorded(train[0], "rank=*/4");
	recorded(heir, "rank=*/4");
	assert_int_equal(record_of(heir).ring_cost, r.ring_cost);
}

/* A member fails with its node, which is back a moment later. */
static void fail_with_node(uint32_t id)
{
	uint32_t node = (uint32_t)__builtin_ctzll(fake_job(id)->nodes);

	fake_node_down(node, true);
	fake_fail(id, false);
	tell_end(id, SGANG_HOLD_END_NODE);
	fake_node_down(node, false);
}

/* The nodes for a member that starts later, but those that come last. */
static uint64_t preferred(uint32_t id)
{
	struct sgang_nodeset *set = toy_set(ALL_FREE);
	struct sgang_spec spec = spec_of(id);

	fake_scheduler(true);
	(void)sgang_conductor_lost(c, &spec, set);
	fake_scheduler(false);
	return bits_left(set);
}

/* 6.4: a new member keeps away from a node that has failed the gang, also when
 * the lost job is forgotten and slurmctld was restarted; the next gang does not.
 */
TOY_TEST(test_failed_nodes)
{
	uint64_t failed;
	uint32_t heir;

	submit_and_schedule(member_of("train", 3), 3, train);
	pass_to(train, 3, FAKE_RUNNING);
	wait_and_pass(2);
	failed = fake_job(train[1])->nodes;
	fail_with_node(train[1]);
	heir = submit(member_of("train", 3));
	assert_true(preferred(heir) == (ALL_FREE & ~failed));
	passes(2);
	assert_string_equal(record_of(train[0]).lost, record_of(train[1]).at);
	assert_string_equal(record_of(train[2]).lost, record_of(train[1]).at);
	recorded(heir, "!lost");
	fake_purge();
	crash_and_pass();
	assert_true(preferred(heir) == (ALL_FREE & ~failed));
	(void)start_later(heir);
	passes(2);
	assert_true(preferred(heir) == (ALL_FREE & ~failed));
	assert_string_equal(record_of(heir).lost, record_of(train[0]).lost);

	fake_end(train[0]);
	fake_end(train[2]);
	end_and_pass(heir);
	submit_and_pass(member_of("train", 3), 3, train);
	assert_true(preferred(train[0]) == ALL_FREE);
	schedule_and_pass();
	pass_to(train, 3, FAKE_RUNNING);
	assert_true(preferred(train[0]) == ALL_FREE);
	recorded(train[0], "!lost");
}

/* ... but not from one where a member failed by itself. */
TOY_TEST(test_failed_elsewhere)
{
	submit_and_schedule(member_of("train", 2), 3, train);
	pass();
	fake_fail(train[1], false);
	tell_end(train[1], SGANG_HOLD_END_NONE);
	pass();
	assert_true(preferred(train[0]) == ALL_FREE);
	recorded(train[0], "!lost");
}

/* 6.3: each change of who is in the gang is an epoch, and members are told. */
TOY_TEST(test_epochs)
{
	uint32_t heir, nodes;
	const char *text;
	char list[64];

	submit_and_schedule(member_of("train", 3), 3, train);
	pass();
	is_told(train[0], "SLURM_GANG_EPOCH", "1");
	recorded(train[0], "epoch=1");
	assert_int_equal(fake_told(&text, &nodes), 0);
	end_and_pass(with_rank(train, 3, 1));
	assert_int_equal(fake_told(&text, &nodes), 1);
	snprintf(list, sizeof(list), "SLURM_GANG_JOB_IDS='%u,0,%u'",
		 with_rank(train, 3, 0), with_rank(train, 3, 2));
	assert_non_null(strstr(text, "SLURM_GANG_EPOCH='2'\n"));
	assert_non_null(strstr(text, list));
	assert_int_equal(nodes, 2);
	/* a restart neither forgets nor makes one up */
	fake_clock(60); /* all that was released is known to be launched */
	pass();
	come_back_and_pass(false);
	assert_int_equal(record_of(with_rank(train, 3, 0)).epoch, 2);
	/* it may have died before it told them, and tells them once more */
	wait_and_pass(2);
	assert_int_equal(fake_told(&text, &nodes), 2);
	assert_non_null(strstr(text, "SLURM_GANG_EPOCH='2'\n"));
	/* at most one a second */
	heir = arrive(member_of("train", 3));
	(void)start_later(heir);
	is_told(heir, "SLURM_GANG_EPOCH", "3");
	wait_and_pass(2);
	assert_int_equal(fake_told(&text, &nodes), 3);
	snprintf(list, sizeof(list), "SLURM_GANG_JOB_IDS='%u,%u,%u'",
		 with_rank(train, 3, 0), heir, with_rank(train, 3, 2));
	assert_non_null(strstr(text, "SLURM_GANG_EPOCH='3'\n"));
	assert_non_null(strstr(text, list));
	assert_int_equal(nodes, 3);
	pass();
	assert_int_equal(fake_told(&text, &nodes), 3);
}

/* The members of the gang 'ids' that were told last: their epoch, and the nodes
 * that drain; and so often anybody was told. */
static void told_of(const uint32_t *ids, size_t n, uint32_t epoch,
		    const char *draining, uint32_t times)
{
	char number[64], list[64];
	const char *text;
	uint32_t nodes;

	fake_clock(2); /* they are told at most once a second */
	pass();
	assert_int_equal(fake_told(&text, &nodes), times);
	snprintf(number, sizeof(number), "SLURM_GANG_EPOCH='%u'\n", epoch);
	snprintf(list, sizeof(list), "SLURM_GANG_DRAINING='%s'\n", draining);
	if (!strstr(text, number) || !strstr(text, list))
		fail_msg("not epoch %u, draining %s: %s", epoch, draining,
			 text);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(record_of(ids[i]).epoch, epoch);
}

/* Members of two whole nodes each, by rank: on n0 to n5. */
static void start_on_nodes(uint32_t ids[3])
{
	uint32_t any[3];

	submit_and_schedule(MEMBER("train", 3, .nodes = 2, .ranks = 4), 3, any);
	pass();
	for (uint32_t i = 0; i < 3; i++) {
		ids[i] = with_rank(any, 3, i);
		assert_true(fake_job(ids[i])->nodes == (uint64_t)3 << 2 * i);
		is_told(ids[i], "SLURM_GANG_DRAINING", "");
	}
}

/* 6.3: a node that drains, and one that does not any more, is an epoch of the
 * gang that has it, and of nobody else. */
TOY_TEST(test_drained_nodes)
{
	uint32_t nodes;
	const char *text;

	start_on_nodes(train);
	fake_drain(9, true);
	pass();
	assert_int_equal(fake_told(&text, &nodes), 0);
	recorded(train[0], "epoch=1");
	fake_drain(4, true);
	told_of(train, 3, 2, "n4", 1);
	assert_int_equal(fake_told(&text, &nodes), 1);
	assert_int_equal(nodes, 6);
	fake_drain(1, true);
	told_of(train, 3, 3, "n1,n4", 2);
	fake_drain(9, false);
	told_of(train, 3, 3, "n1,n4", 2);
	fake_drain(1, false);
	fake_drain(4, false);
	told_of(train, 3, 4, "", 3);
	/* what has passed between two looks was nothing */
	fake_drain(1, true);
	fake_drain(1, false);
	told_of(train, 3, 4, "", 3);
}

/* Whatever slurmctld knew of them when it ended. */
TOY_TEST(test_drained_nodes_after_restart)
{
	start_on_nodes(train);
	fake_drain(4, true);
	told_of(train, 3, 2, "n4", 1);
	fake_clock(60); /* all that was released is known to be launched */
	pass();
	come_back(false);
	told_of(train, 3, 2, "n4", 2);
	come_back(false);
	fake_drain(4, false);
	told_of(train, 3, 3, "", 3);
	come_back(false);
	told_of(train, 3, 3, "", 4);
	fake_drain(5, true);
	come_back(false);
	told_of(train, 3, 4, "n5", 5);
}

/* 6.3: it is told when it starts; a member that goes takes its nodes with it. */
TOY_TEST(test_drained_nodes_and_heirs)
{
	struct fake_request rq = MEMBER("train", 3, .nodes = 2, .ranks = 4);
	uint32_t heir;

	start_on_nodes(train);
	fake_drain(0, true);
	fake_drain(3, true);
	told_of(train, 3, 2, "n0,n3", 1);
	fake_end(train[1]);
	told_of(train, 1, 3, "n0", 2);
	heir = arrive(rq);
	(void)start_later(heir);
	is_told(heir, "SLURM_GANG_EPOCH", "4");
	is_told(heir, "SLURM_GANG_DRAINING", "n0");
	train[1] = heir;
	told_of(train, 3, 4, "n0", 3);
	told_of(train, 3, 4, "n0", 3);
	/* also when nodes have just been given other numbers */
	fake_end(train[2]);
	told_of(train, 2, 5, "n0", 4);
	heir = arrive(rq);
	sgang_conductor_forget_nodes(c);
	(void)start_later(heir);
	is_told(heir, "SLURM_GANG_DRAINING", "n0");
	train[2] = heir;
	told_of(train, 3, 6, "n0", 5);
}

static void forget_nodes(void)
{
	sgang_conductor_forget_nodes(c);
}

/* 6.3: between the count of an epoch and its map: no map without its number. */
TOY_TEST(test_drained_nodes_forgotten)
{
	uint32_t nodes;
	const char *text;

	start_on_nodes(train);
	fake_drain(0, true);
	fake_world.on_save = forget_nodes;
	pass();
	fake_world.on_save = NULL;
	assert_int_equal(fake_told(&text, &nodes), 0);
	told_of(train, 3, 2, "n0", 1);
}

static void drain_first(void)
{
	fake_drain(0, true);
}

/* Between the hold and the release: it is told once it runs. */
TOY_TEST(test_drained_before_start)
{
	uint32_t nodes;
	const char *text;

	submit_many(MEMBER("train", 2, .nodes = 2), 2, train);
	schedule();
	fake_world.on_save = drain_first;
	pass();
	fake_world.on_save = NULL;
	all_in_state(train, 2, FAKE_RUNNING);
	told_of(train, 2, 2, "n0", 1);
	(void)fake_told(&text, &nodes);
	assert_int_equal(nodes, 4);
}

/* Nodes are looked at when one has changed. */
TOY_TEST(test_drained_nodes_cost)
{
	uint32_t looks;

	start_on_nodes(train);
	pass();
	looks = fake_counts.drain_looks;
	passes(10);
	assert_int_equal(fake_counts.drain_looks, looks);
}

/* 6.2: after a restart vacant seats are known by the records of the others. */
TOY_TEST(test_heirs_after_restart)
{
	uint32_t heir[2];
	bool had[2] = { false, false };

	submit_and_schedule(member_of("train", 4), 4, train);
	fake_end(with_rank(train, 4, 1));
	end_and_pass(with_rank(train, 4, 2));
	come_back(false);
	heir[0] = submit(member_of("train", 4));
	heir[1] = arrive(member_of("train", 4));
	for (size_t i = 0; i < 2; i++) {
		struct sgang_record r = start_later(heir[i]);

		assert_int_equal(r.members, 4);
		assert_in_range(r.member_rank, 1, 2);
		assert_false(had[r.member_rank - 1]);
		had[r.member_rank - 1] = true;
		assert_int_equal(r.rank_offset * 4, r.ranks * r.member_rank);
	}
}

/* A member that was parked is set free when its gang has started. */
TOY_TEST(test_parked_member_is_set_free)
{
	struct fake_request rq = member_of("train", 2);
	uint32_t extra;

	train[0] = submit(rq);
	extra = submit(rq);
	hold_and_pass(extra, true);
	assert_true(fake_job(train[0])->parked);
	train[1] = arrive(rq);
	schedule_to(train, 2, FAKE_RUNNING);
	hold_and_pass(extra, false);
	schedule();
	assert_int_equal(fake_state(extra), FAKE_RUNNING);
}

/* 1.52: when its members have ended, the name is free for another gang. */
TOY_TEST(test_name_again)
{
	uint32_t next[2];

	submit_and_schedule(member_of("train", 2), 2, train);
	fake_end(train[0]);
	end_and_pass(train[1]);
	next[0] = submit(member_of("train", 2));
	schedule_and_pass();
	assert_true(fake_job(next[0])->parked);
	says(next[0], "Gang alice/train gathering 1/2 members");
	next[1] = arrive(member_of("train", 2));
	schedule_to(next, 2, FAKE_RUNNING);
	recorded(next[0], "attempts=1");
}

/* The same with no pass in between: what the last pass knew is out of date. */
TOY_TEST(test_name_again_at_once)
{
	uint32_t next;

	submit_and_schedule(member_of("train", 2), 2, train);
	fake_end(train[0]);
	fake_end(train[1]);
	next = submit(member_of("train", 2));
	assert_int_equal(turn(next), SGANG_TURN_TAKEN);
	pass_to(&next, 1, FAKE_PENDING);
	assert_true(fake_job(next)->parked);
}

/* 0.22: gangs of the same name in two namespaces are two. */
TOY_TEST(test_namespaces)
{
	struct fake_request rq = member_of("train", 2);

	submit(rq);
	rq.user = "bob";
	submit(rq);
	schedule_and_pass();
	says(1, "Gang alice/train gathering 1/2 members");
	says(2, "Gang bob/train gathering 1/2 members");
	assert_string_equal(record_of(2).ns, "bob");
}

/* What somebody else wrote into the field stays. */
TOY_TEST(test_foreign_comment)
{
	struct sgang_job_info info;

	submit_many(member_of("train", 2), 2, train);
	assert_true(fake_host.lock());
	fake_host.jobs.info(fake_host.jobs.find(train[0]), &info);
	fake_host.jobs.comment(info.job, "burst buffer is late");
	fake_host.unlock();
	pass();
	assert_true(!strncmp(fake_job(train[0])->comment,
			     "burst buffer is late gang=", 26));
	schedule_and_pass();
	assert_true(!strncmp(fake_job(train[0])->comment,
			     "burst buffer is late gang=", 26));
	recorded(train[0], "phase=running");
}

/* A gang that does not change is not written again and again. */
TOY_TEST(test_quiet)
{
	uint32_t saves;

	submit_and_schedule(member_of("train", 2), 2, train);
	pass();
	saves = fake_counts.saves;
	fake_trace_reset();
	passes(5);
	assert_int_equal(fake_counts.saves, saves);
	assert_string_equal(fake_trace(), "");
}

/* ---- holds that are lost ---- */

enum loss { LOST_CANCELLED, LOST_PURGED, LOST_REQUEUED, LOSSES };

static void lose(uint32_t id, enum loss how)
{
	if (how == LOST_REQUEUED) {
		fake_requeue(id);
		return;
	}
	fake_end(id);
	if (how == LOST_PURGED)
		fake_purge();
}

/* 2.8, 3.35: with too few left the rest gives everything back, and the gang
 * starts when it is complete again. */
TOY_TEST(test_lost_below_minimum)
{
	for (enum loss how = 0; how < LOSSES; how++) {
		afresh(setup, "loss %d", how);
		submit_to(MEMBER("train", 3, .prolog = 3), 3, train, FAKE_HELD);
		lose(train[1], how);
		pass_to(&train[0], 1, FAKE_PENDING);
		assert_int_equal(fake_state(train[2]), FAKE_PENDING);
		assert_true(fake_idle_nodes() == ALL_FREE);
		assert_int_equal(fake_counts.undone, 2);
		assert_int_equal(fake_counts.released, 0);
		if (how == LOST_REQUEUED)
			assert_int_equal(fake_job(train[1])->holds, 0);
		else
			train[1] = submit(member_of("train", 3));
		cycles(6);
		all_in_state(train, 3, FAKE_RUNNING);
	}
}

/* 0.19: with enough left the rest goes on, and knows how many it is. */
TOY_TEST(test_lost_above_minimum)
{
	for (enum loss how = 0; how < LOSSES; how++) {
		afresh(setup, "loss %d", how);
		submit_to(MEMBER("train", 2, .total = 4, .prolog = 3), 4, train,
			  FAKE_HELD);
		lose(train[1], how);
		passes(10);
		assert_int_equal(fake_state(train[0]), FAKE_RUNNING);
		assert_int_equal(fake_state(train[2]), FAKE_RUNNING);
		assert_int_equal(fake_state(train[3]), FAKE_RUNNING);
		is_told(train[3], "SLURM_GANG_MEMBERS", "3");
		is_told(train[3], "SLURM_GANG_MEMBER_RANK", "2");
		is_told(train[0], "SLURM_GANG_JOB_IDS", "1,3,4");
		recorded(train[2], "rank=1/*");
		assert_int_equal(fake_counts.undone, 0);
	}
}

/* All of them go at once. */
TOY_TEST(test_lost_all)
{
	submit_and_schedule(MEMBER("train", 2, .prolog = 5), 2, train);
	lose(train[0], LOST_CANCELLED);
	lose(train[1], LOST_PURGED);
	passes(2);
	assert_true(fake_idle_nodes() == ALL_FREE);
	assert_int_equal(fake_counts.undone, 0);
	assert_int_equal(fake_counts.released, 0);
}

static void lose_first(void)
{
	fake_end(1);
}

static void lose_and_purge_first(void)
{
	fake_end(1);
	fake_purge();
}

/* A member goes while the state is being saved. */
TOY_TEST(test_lost_between_halves)
{
	for (int how = 0; how < 2; how++) {
		afresh(setup, "how %d", how);
		submit_many(member_of("train", 3), 3, train);
		schedule();
		fake_world.on_save = how ? lose_and_purge_first : lose_first;
		pass();
		assert_int_equal(fake_counts.released, 0);
		all_in_state(train + 1, 2, FAKE_PENDING);
		assert_true(fake_idle_nodes() == ALL_FREE);
		pass();
		says(train[1], "Gang alice/train gathering 2/3 members");
	}
}

/* ... and there are enough without it. */
TOY_TEST(test_lost_between_halves_above)
{
	submit_many(MEMBER("train", 2, .total = 3), 3, train);
	schedule();
	fake_world.on_save = lose_first;
	pass();
	pass_to(train + 1, 2, FAKE_RUNNING);
	is_told(train[1], "SLURM_GANG_MEMBERS", "2");
}

/* ---- accounting ---- */

static void assert_accounted(uint32_t id, const char *words, uint32_t times)
{
	if (strncmp(fake_job(id)->brief, words, strlen(words)))
		fail_msg("job %u: %s", id, fake_job(id)->brief);
	assert_int_equal(fake_counts.accounted, times);
}

/* Accounting hears of a member when it starts and when it has ended; after a
 * restart once more, as it may not have heard. */
TOY_TEST(test_accounting)
{
	uint32_t never;

	never = submit(member_of("alone", 2));
	submit_and_schedule(member_of("train", 2), 2, train);
	wait_to(1, train, 2, FAKE_RUNNING);
	assert_accounted(train[1],
			 "gang=alice/train phase=running rank=1/2 ring=", 2);
	fake_fail(never, true);
	end_and_pass(train[0]);
	pass();
	assert_accounted(train[0],
			 "gang=alice/train phase=finished rank=0/2 "
			 "ring=",
			 3);
	recorded(train[0], "phase=finished");
	assert_accounted(train[1], "gang=alice/train phase=running ", 3);
	assert_accounted(never, "", 3);
	come_back_and_pass(false);
	pass();
	assert_accounted(train[0], "gang=alice/train phase=finished ", 4);
}

/* ---- restarts ---- */

/* 0.38, 1.54, 1.55: held members are found again and started once, together. */
TOY_TEST(test_adopt)
{
	for (int died = 0; died < 2; died++) {
		afresh(setup, "died %d", died);
		submit_to(MEMBER("train", 3, .prolog = 3), 3, train, FAKE_HELD);
		come_back(died);
		assert_int_equal(fake_job(train[0])->holds, 0);
		pass();
		assert_int_equal(fake_counts.adopted, 3);
		assert_int_equal(fake_counts.commits, 3);
		nodes_tell_again();
		assert_int_equal(fake_counts.asked, 3);
		pass_to(train, 3, FAKE_RUNNING);
		recorded(train[2], "attempts=1");
		is_told(train[2], "SLURM_GANG_JOB_IDS", "1,2,3");
	}
}

/* Killed before or after the holds were written: none or all are found, and
 * either way all start once. */
TOY_TEST(test_die_at_save)
{
	for (int written = 0; written < 2; written++) {
		afresh(setup, "written %d", written);
		submit_many(member_of("train", 3), 3, train);
		schedule();
		fake_snapshot();
		fake_die_at_save(1, written);
		pass();
		assert_int_equal(fake_counts.released, 0);
		come_back(true);
		all_in_state(train, 3, written ? FAKE_HELD : FAKE_PENDING);
		schedule_and_pass();
		nodes_tell_again();
		schedule_to(train, 3, FAKE_RUNNING);
		assert_int_equal(fake_counts.adopted, written ? 3 : 0);
	}
}

/* Killed right after the release was written: whether the nodes had their
 * messages is asked again. A little later they had. */
TOY_TEST(test_die_after_release)
{
	for (int later = 0; later < 2; later++) {
		afresh(setup, "later %d", later);
		submit_many(member_of("train", 3), 3, train);
		schedule();
		if (later) {
			pass();
			wait_and_pass(1);
			fake_snapshot();
		} else {
			fake_die_at_save(2, true);
			pass();
		}
		come_back(true);
		pass_to(train, 3, later ? FAKE_RUNNING : FAKE_HELD);
		nodes_tell_again();
		pass_to(train, 3, FAKE_RUNNING);
		assert_int_equal(fake_counts.adopted, later ? 0 : 3);
		assert_int_equal(fake_job(train[0])->launches, 1);
	}
}

/* The ring keeps its order when it is found again, and with one less. */
TOY_TEST(test_adopt_in_order)
{
	static const char *const ranks[] = { "3", "2", "1", "0" };

	for (int i = 0; i < 4; i++) {
		train[i] = submit(MEMBER("train", 2, .total = 4,
					 .rank = ranks[i], .prolog = 3));
	}
	schedule_to(train, 4, FAKE_HELD);
	fake_end(train[2]);
	come_back_and_pass(false);
	nodes_tell_again();
	pass();
	is_told(train[0], "SLURM_GANG_JOB_IDS", "4,2,1");
	is_told(train[0], "SLURM_GANG_MEMBER_RANK", "2");
	assert_int_equal(fake_state(train[0]), FAKE_RUNNING);
}

/* A member is gone when slurmctld comes back. */
TOY_TEST(test_adopt_too_few)
{
	submit_and_schedule(MEMBER("train", 3, .prolog = 3), 3, train);
	fake_end(train[0]);
	come_back_and_pass(false);
	nodes_tell_again();
	assert_int_equal(fake_counts.undone, 0);
	pass(); /* it was not launched after all */
	assert_int_equal(fake_counts.undone, 2);
	assert_true(fake_idle_nodes() == ALL_FREE);
	assert_int_equal(fake_counts.released, 0);
}

/* Killed between a release and the save that follows: who runs is known when
 * the nodes have told. */
TOY_TEST(test_adopt_launched)
{
	submit_and_schedule(MEMBER("train", 3, .prolog = 3), 3, train);
	come_back(true);
	all_launched(train, 3, SGANG_LAUNCH_UNKNOWN);
	passes(3);
	fake_job(train[0])->launch = SGANG_LAUNCH_NO;
	fake_job(train[1])->launch = SGANG_LAUNCH_YES;
	pass_to(train, 3, FAKE_HELD);
	fake_job(train[2])->launch = SGANG_LAUNCH_NO;
	nodes_tell_again();
	pass_to(train, 3, FAKE_RUNNING);
	assert_int_equal(fake_job(train[0])->launches, 1);
	assert_int_equal(fake_job(train[1])->launches, 0);
	assert_int_equal(fake_counts.undone, 0);
	recorded(train[1], "phase=running");
}

/* A node had the launch message, and says no before the job can be seen there:
 * it is asked again, a while after the gang was found, and is not launched a
 * second time. */
TOY_TEST(test_adopt_seen_late)
{
	submit_and_schedule(MEMBER("train", 2, .prolog = 3), 2, train);
	come_back_and_pass(true);
	wait_to(4, train, 2, FAKE_HELD);
	assert_int_equal(fake_counts.asked, 0);
	wait_and_pass(1);
	assert_int_equal(fake_counts.asked, 2);
	all_launched(train, 2, SGANG_LAUNCH_UNKNOWN);
	wait_to(100, train, 2, FAKE_HELD);
	fake_job(train[0])->launch = SGANG_LAUNCH_YES;
	fake_job(train[1])->launch = SGANG_LAUNCH_NO;
	pass_to(train, 2, FAKE_RUNNING);
	assert_int_equal(fake_job(train[0])->launches, 0);
	assert_int_equal(fake_job(train[1])->launches, 1);
	assert_int_equal(fake_counts.asked, 2);
}

/* slurmctld died before a node could answer to a launch: the node gives it up
 * and has the member stopped. It gets the same nodes and the same place in the
 * ring, if others run; else all start anew. */
TOY_TEST(test_adopt_refused)
{
	for (int others = 0; others < 2; others++) {
		uint64_t nodes;

		afresh(setup, "others %d", others);
		submit_and_schedule(MEMBER("train", 3, .prolog = 3), 3, train);
		nodes = fake_job(train[1])->nodes;
		come_back_and_pass(true);
		if (others)
			fake_job(train[0])->launch = SGANG_LAUNCH_YES;
		fake_refuse_launch(train[1]);
		pass_to(train, 3, FAKE_HELD);
		assert_false(fake_job(train[1])->user_hold);
		assert_true(fake_job(train[1])->nodes == nodes);
		nodes_tell_again();
		pass_to(train, 3, FAKE_RUNNING);
		assert_int_equal(fake_job(train[0])->launches, !others);
		assert_int_equal(fake_job(train[1])->launches, 1);
		recorded(train[1], "rank=1/3");
		assert_int_equal(fake_counts.undone, 0);
		is_told(train[1], "SLURM_GANG_JOB_IDS", "1,2,3");
	}
}

/* What its node refuses at another time is for its user to know. */
TOY_TEST(test_refused_later)
{
	submit_and_schedule(member_of("train", 2), 2, train);
	pass_to(train, 2, FAKE_RUNNING);
	fake_refuse_launch(train[0]);
	pass();
	pass_to(&train[0], 1, FAKE_PENDING);
	assert_true(fake_job(train[0])->user_hold);
}

/* And one of them ends before that: with success, so it was launched and the
 * others follow without it; or not, then others tell. */
TOY_TEST(test_adopt_ended)
{
	for (int completed = 0; completed < 2; completed++) {
		afresh(setup, "completed %d", completed);
		submit_and_schedule(MEMBER("train", 3, .prolog = 3), 3, train);
		come_back(true);
		all_launched(train, 3, SGANG_LAUNCH_UNKNOWN);
		pass();
		fake_job(train[0])->launch = completed ? SGANG_LAUNCH_YES :
							 SGANG_LAUNCH_NO;
		fake_end(train[0]);
		fake_log_reset();
		pass_to(train + 1, 2, FAKE_HELD);
		/* only what never ran is a hold that ended */
		logged("is lost: user", !completed);
		logged("member 1 was started and has completed", completed);
		fake_job(train[1])->launch = SGANG_LAUNCH_NO;
		fake_job(train[2])->launch = completed ? SGANG_LAUNCH_NO :
							 SGANG_LAUNCH_YES;
		nodes_tell_again();
		pass();
		pass_to(train + 1, 2, FAKE_RUNNING);
		assert_int_equal(fake_counts.undone, 0);
		/* What those that run were told of their ring stays. */
		recorded(train[1], "rank=*/3");
		is_told(train[2], "SLURM_GANG_JOB_IDS", "1,2,3");
	}
}

/* The fabric cannot be read when slurmctld comes back: what was begun goes on,
 * nothing new begins. */
TOY_TEST(test_adopt_without_fabric)
{
	struct sgang_conf conf = default_conf();
	uint32_t next[2];

	submit_and_schedule(MEMBER("train", 2, .total = 3, .prolog = 3), 3,
			    train);
	fake_end(train[0]);
	come_back(false);
	sgang_conductor_configure(c, NULL, &conf);
	submit_and_schedule(member_of("next", 2), 2, next);
	nodes_tell_again();
	cycles(2);
	all_in_state(train + 1, 2, FAKE_RUNNING);
	all_in_state(next, 2, FAKE_PENDING);
}

/* A restart while the gang waits: as before. */
TOY_TEST(test_restart_waiting)
{
	submit_and_pass(member_of("train", 3), 2, train);
	come_back_and_pass(false);
	assert_true(fake_job(train[0])->parked);
	train[2] = arrive(member_of("train", 3));
	come_back_and_pass(false);
	schedule_to(train, 3, FAKE_RUNNING);
}

/* What was tried is counted across a restart (0.36). */
TOY_TEST(test_attempts_are_counted)
{
	submit_many(member_of("train", 2), 2, train);
	schedule();
	fake_world.commits_allowed = 1;
	pass();
	recorded(train[0], "attempts=1");
	come_back_and_pass(false);
	recorded(train[0], "attempts=1");
	fake_world.commits_allowed = UINT32_MAX;
	schedule_and_pass();
	recorded(train[0], "attempts=2");
}

/* A member that Slurm itself has started, and whose nodes are booting, is no
 * hold of ours. */
TOY_TEST(test_boots_by_itself)
{
	uint32_t id;

	id = arrive(member_of("train", 2));
	recorded(id, "phase=gathering");
	assert_true(fake_start(id, FAKE_ALL_NODES));
	fake_job(id)->state = FAKE_HELD;
	come_back_and_pass(false);
	pass_to(&id, 1, FAKE_HELD);
	assert_int_equal(fake_counts.adopted + fake_counts.undone, 0);
	recorded(id, "phase=running");
}

/* New settings and the same fabric while members are held. */
TOY_TEST(test_reconfigure_held)
{
	struct sgang_conf conf = default_conf();

	submit_and_schedule(MEMBER("train", 2, .prolog = 2), 2, train);
	strcpy(conf.costs.name[SGANG_LEVEL_LEAF], "rack");
	sgang_conductor_configure(c, toy_tree(), &conf);
	passes(4);
	all_in_state(train, 2, FAKE_RUNNING);
	assert_int_equal(fake_counts.adopted, 0);
}

/* Gangs=no: who waits is parked, also a gang that is complete and has had no turn
 * yet, until gangs are on again. */
TOY_TEST(test_switched_off)
{
	struct sgang_conf conf = default_conf();
	uint32_t id, whole[2];

	id = arrive(member_of("train", 2));
	assert_true(fake_job(id)->parked);
	submit_and_pass(member_of("whole", 2), 2, whole);
	assert_false(fake_job(whole[0])->parked);
	conf.gangs = false;
	sgang_conductor_configure(c, toy_tree(), &conf);
	pass();
	assert_true(fake_job(id)->parked);
	assert_true(fake_job(whole[0])->parked && fake_job(whole[1])->parked);
	assert_string_equal(
		fake_job(id)->text,
		"Gang alice/train waits, as gangs are off: Gangs=no in gang.conf");
	conf.gangs = true;
	sgang_conductor_configure(c, toy_tree(), &conf);
	pass();
	assert_true(fake_job(id)->parked);
	assert_false(fake_job(whole[0])->parked);
	schedule_to(whole, 2, FAKE_RUNNING);
}

/* ---- slurmctld ends ---- */

/* lock() says no at the n-th call: nothing else is called. */
TOY_TEST(test_shutdown)
{
	for (uint32_t at = 1; at <= 5; at++) {
		afresh(setup, "lock %u fails", at);
		submit_many(member_of("train", 3), 3, train);
		fake_world.shutdown_at = at;
		for (int i = 0; i < 3; i++) {
			schedule();
			pass();
		}
		come_back(false);
		schedule_and_pass();
		nodes_tell_again();
		cycles(2);
		all_in_state(train, 3, FAKE_RUNNING);
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Poked before: at once (of a few tries on a busy machine). Not poked: about a
 * second. */
TOY_TEST(test_wait)
{
	double start, best = 30;

	pass();
	for (int i = 0; i < 5 && best > 0.5; i++) {
		sgang_conductor_poke(c);
		start = seconds();
		sgang_conductor_wait(c);
		if (seconds() - start < best)
			best = seconds() - start;
	}
	assert_true(best <= 0.5);
	pass();
	start = seconds();
	sgang_conductor_wait(c);
	assert_true(seconds() - start > 0.9);
}

static bool poked_lock(void)
{
	sgang_conductor_poke(c);
	return fake_host.lock();
}

/* What is told while the pass waits for the locks is no reason for another. */
TOY_TEST(test_poked_before_locks)
{
	struct sgang_host other = fake_host;
	double start;

	other.lock = poked_lock;
	sgang_conductor_destroy(c);
	c = sgang_conductor_create(&other);
	assert_non_null(c);
	pass();
	start = seconds();
	sgang_conductor_wait(c);
	assert_true(seconds() - start > 0.9);
	sgang_conductor_destroy(c);
	start_conductor();
}

/* Events in a row have a pass together: not at once after the last pass, and
 * before the one that comes each second (of a few tries). */
static void gathered(void (*event)(struct sgang_conductor *c))
{
	double start, took, best = 30;

	for (int i = 0; i < 5 && best > 0.8; i++) {
		pass();
		start = seconds();
		event(c);
		event(c);
		sgang_conductor_wait(c);
		took = seconds() - start;
		assert_true(took > 0.008);
		if (took < best)
			best = took;
	}
	assert_true(best <= 0.8);
	/* The pass has seen both. */
	pass();
	start = seconds();
	sgang_conductor_wait(c);
	assert_true(seconds() - start > 0.9);
}

TOY_TEST(test_gathered)
{
	gathered(sgang_conductor_submitted);
}

/* What others free counts for a gang that was tried. */
TOY_TEST(test_freed_gathered)
{
	double start = seconds();

	busy(14);
	sgang_conductor_ignore(c);
	sgang_conductor_freed(c);
	sgang_conductor_wait(c);
	assert_true(seconds() - start > 0.9);
	submit_and_schedule(member_of("train", 3), 3, train);
	pass_to(train, 3, FAKE_PENDING);
	gathered(sgang_conductor_freed);
}

/* ---- without memory ---- */

/* Nothing is half started, now or when there is memory again. (Some may still
 * be held when others had to be given up: the next pass sees to it.) */
static void whole_or_nothing(const uint32_t *ids, uint32_t n)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < n; i++)
		running += fake_state(ids[i]) == FAKE_RUNNING;
	if (running && running != n)
		fail_msg("%s: %u of %u run", context, running, n);
}

static void prepare_waiting(uint32_t *ids)
{
	submit_many(member_of("train", 4), 4, ids);
	schedule();
}

static void prepare_held(uint32_t *ids)
{
	submit_to(MEMBER("train", 4, .prolog = 2), 4, ids, FAKE_HELD);
}

static void prepare_found(uint32_t *ids)
{
	prepare_held(ids);
	come_back(false);
}

static void prepare_running(uint32_t *ids)
{
	submit_and_schedule(member_of("train", 4), 4, ids);
	submit(member_of("train", 4));
}

/* The first of its slices is done. */
static void prepare_slices(uint32_t *ids)
{
	fake_world.commit_us = 60000;
	prepare_waiting(ids);
	pass();
	fake_world.commit_us = 0;
}

static void prepare_mixture(uint32_t *ids)
{
	ids[0] = submit(MEMBER("train", 4, .nodes = 0, .total_cpus = 5));
	submit_many(member_of("train", 4), 3, ids + 1);
	schedule();
}

/* The first of five does not fit beside the others. */
static void prepare_choice(uint32_t *ids)
{
	(void)submit(MEMBER("train", 4, .nodes = 14));
	submit_many(member_of("train", 4), 4, ids);
	schedule();
}

/* One allocation, or all from one on, fail in a pass: nothing is half started,
 * nothing lost, nothing leaked, and afterwards all run once. */
TOY_TEST(test_no_memory)
{
#ifdef __SANITIZE_THREAD__
	skip(); /* half an hour is not enough, and it has one thread */
#endif
	static void (*const prepare[])(uint32_t *) = {
		prepare_waiting, prepare_held,    prepare_found,
		prepare_running, prepare_mixture, prepare_slices,
		prepare_choice,
	};

	for (size_t p = 0; p < 2 * COUNT(prepare); p++) {
		bool reached = true;

		for (uint64_t at = 1; reached; at++) {
			afresh(setup, "case %zu, allocation %u", p / 2,
			       (unsigned int)at);
			prepare[p / 2](train);
			reached = pass_without_memory(at, p % 2);
			whole_or_nothing(train, 4);
			for (int i = 0; i < 4; i++) {
				wait_and_schedule(5);
				whole_or_nothing(train, 4);
			}
			all_in_state(train, 4, FAKE_RUNNING);
			for (int i = 0; i < 4; i++) {
				recorded(train[i], "satisfied");
				if (!fake_getenv(train[i], "SLURM_GANG_RANKS"))
					fail_msg("%s: no environment", context);
			}
		}
	}
}

/* Without memory for what backfill offers there is no turn: the gang must not
 * take more than that. */
TOY_TEST(test_no_memory_for_turn)
{
	for (uint64_t at = 1; at <= 8; at++) {
		afresh(setup, "allocation %u", (unsigned int)at);
		submit_many(member_of("train", 3), 3, train);
		memory.calls = 0;
		memory.fail_at = at;
		memory.counting = true;
		assert_int_equal(turn_on(train[0], 0x0300, true),
				 SGANG_TURN_TAKEN);
		memory.counting = false;
		pass_to(train, 3, FAKE_PENDING);
	}
}

/* Nor does a member come late to nodes that are not its gang's. */
TOY_TEST(test_no_memory_for_late)
{
	struct fake_request rq = MEMBER("train", 2, .topology = "require:leaf");
	uint64_t leaf, nodes, at = 0;
	uint32_t late;

	start_many(rq, 2, train);
	late = arrive(rq);
	leaf = late_on(late, ALL_FREE, 0);
	assert_int_not_equal(leaf, ALL_FREE);
	memory.for_good = false;
	do {
		memory.calls = 0;
		memory.fail_at = ++at;
		memory.counting = true;
		nodes = late_on(late, ALL_FREE, 0);
		memory.counting = false;
		assert_true(nodes == 0 || nodes == leaf);
	} while (memory.calls >= at);
	assert_true(nodes == leaf);
}

/* ---- anything, in any order ---- */

#define GANGS 6

static struct {
	uint64_t state;
	char name[GANGS][16];
	uint32_t min[GANGS];
	bool leaf[GANGS];        /* require:leaf */
	uint32_t running[GANGS]; /* before the pass */
	bool slices;             /* commits take long, at times */
} dice;

static uint32_t below(uint32_t n)
{
	return (uint32_t)fuzz_below(&dice.state, n);
}

static int gang_index(const struct fake_job *j)
{
	return j->gang[0] ? j->gang[1] - '0' : -1;
}

static bool lives(const struct fake_job *j)
{
	return j->live && j->state != FAKE_GONE;
}

/* NULL when there is none in this state. */
static const struct fake_job *any_job(enum fake_state job_state)
{
	uint32_t first = below(FAKE_JOBS);

	for (uint32_t i = 0; i < FAKE_JOBS; i++) {
		const struct fake_job *j = fake_record((first + i) % FAKE_JOBS);

		if (j->live && j->state == job_state)
			return j;
	}
	return NULL;
}

static uint32_t live_jobs(int gang)
{
	uint32_t n = 0;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j))
		n += lives(j) && (gang < 0 || gang_index(j) == gang);
	return n;
}

/* Each member's share of an empty cluster is such that every gang fits. */
static void roll_member(struct fake_request *rq, int g)
{
	if (!live_jobs(g)) {
		dice.leaf[g] = below(4) == 0;
		dice.min[g] = 1 + below(dice.leaf[g] ? 3 : 5);
	}
	rq->gang = dice.name[g];
	rq->min = dice.min[g];
	rq->total = below(2) ? 0 : dice.min[g] + below(2);
	if (rq->total)
		rq->total = dice.min[g] + 1;
	rq->array = below(4) ? 0 : 1 + below(4);
	rq->prolog = below(2) ? 0 : below(12);
	if (dice.leaf[g])
		rq->topology = "require:leaf";
}

static void submit_something(void)
{
	struct fake_request rq = { .priority = 1 + below(5) };
	int g = (int)below(GANGS + 2);
	bool leaf;

	if (live_jobs(-1) > 60)
		return;
	if (g < GANGS)
		roll_member(&rq, g);
	leaf = g < GANGS && dice.leaf[g];
	rq.nodes = below(6) ? 1 + below(leaf ? 1 : 2) : 0;
	if (!rq.nodes) {
		rq.ranks = 1 + below(leaf ? 2 : 4);
		rq.total_cpus = rq.ranks * (1 + below(2));
	} else if (below(2)) {
		rq.cpus = 1 + below(CPUS);
		rq.memory = below(3) * 200;
	}
	if (below(5) == 0)
		rq.licences = 1;
	if (!leaf && below(5) == 0) {
		rq.partition = below(2) ? LEAF(0) | LEAF(1) :
					  LEAF(1) | LEAF(2) | LEAF(3);
		if (rq.nodes)
			rq.nodes = 1;
	}
	fake_submit(&rq);
}

/* Something happens outside of the conductor. */
static void happen(void)
{
	const struct fake_job *pending = any_job(FAKE_PENDING);
	const struct fake_job *held = any_job(FAKE_HELD);
	const struct fake_job *running = any_job(FAKE_RUNNING);

	switch (below(12)) {
	case 0:
	case 1:
	case 2:
	case 3:
		submit_something();
		break;
	case 4:
	case 5:
	case 6:
		if (running)
			fake_end(running->id);
		break;
	case 7:
		if (pending && below(3) == 0)
			fake_end(pending->id);
		break;
	case 8:
		if (held && below(2))
			fake_requeue(held->id);
		else if (held)
			fake_end(held->id);
		break;
	case 9:
		if (pending)
			fake_user_hold(pending->id, below(3) == 0);
		break;
	case 10:
		fake_node_down(below(NODES), below(3) == 0);
		break;
	case 11:
		if (below(4) == 0)
			fake_purge();
		break;
	}
}

/* The pass started nobody of a gang, or at least its minimum together; a member
 * that came later is started by the scheduler. Returns whether any started. */
static bool check_started(void)
{
	bool any = false;

	for (int g = 0; g < GANGS; g++) {
		uint32_t n = in_state(dice.name[g], FAKE_RUNNING) -
			     dice.running[g];

		if (n && n < dice.min[g])
			fail_msg("%s: %u members of %s were started, not %u",
				 context, n, dice.name[g], dice.min[g]);
		any = any || n;
	}
	return any;
}

/* Who is held, is so by us, with its record, in a gang that is large enough. */
static void check_records(void)
{
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		struct sgang_record r;

		if (!lives(j) || !j->gang[0])
			continue;
		memset(&r, 0, sizeof(r));
		sgang_record_parse(j->comment, &r);
		if (r.ring_best > r.ring_cost)
			fail_msg("%s: job %u: %s", context, j->id, j->comment);
		if (j->state == FAKE_HELD && dice.slices &&
		    r.phase == SGANG_PHASE_HOLDING)
			continue;
		if (j->state == FAKE_HELD &&
		    (!j->holds || !r.placed || r.members < r.min_member ||
		     r.phase != SGANG_PHASE_STARTING))
			fail_msg("%s: job %u is held but %s", context, j->id,
				 j->comment);
	}
}

static void one_pass(void)
{
	bool dies = below(20) == 0, started;

	for (int g = 0; g < GANGS; g++)
		dice.running[g] = in_state(dice.name[g], FAKE_RUNNING);
	fake_world.commits_allowed = below(3) ? UINT32_MAX : below(4);
	fake_snapshot();
	if (dice.slices)
		fake_world.commit_us = below(3) * 60000;
	if (dies && below(2))
		fake_die_at_save(1, below(2));
	else if (dies)
		fake_world.shutdown_at = 1 + below(2);
	pass();
	started = check_started();
	fake_world.commits_allowed = UINT32_MAX;
	if (dies || below(30) == 0) {
		/* A job that was launched after the last save would be launched
		 * again: no gang of several is in this danger. */
		come_back_and_pass(!started);
	}
	pass();
	check_records();
}

/* All that runs ends, and the next may run: in the end nothing is left but
 * gangs that lack members. */
static void drain(void)
{
	for (uint32_t n = 0; n < NODES; n++)
		fake_node_down(n, false);
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j))
		fake_user_hold(j->id, false);
	for (int round = 0; round < 80; round++) {
		for (const struct fake_job *j = fake_next(NULL); j;
		     j = fake_next(j)) {
			if (j->state == FAKE_RUNNING)
				fake_end(j->id);
		}
		wait_and_pass(5);
		schedule_and_pass();
	}
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		uint32_t there;

		if (!lives(j))
			continue;
		there = in_state(j->gang, FAKE_PENDING);
		if (!j->gang[0] || j->state != FAKE_PENDING || !j->parked ||
		    there >= dice.min[gang_index(j)])
			fail_msg("%s: in the end job %u is left, %u of %s: %s",
				 context, j->id, there, j->gang, j->text);
	}
	assert_true(fake_idle_nodes() == ALL_FREE);
	assert_int_equal(fake_licences_used(), 0);
}

static void play(uint64_t seed, uint32_t steps)
{
	dice.state = seed;
	for (int g = 0; g < GANGS; g++)
		snprintf(dice.name[g], sizeof(dice.name[g]), "g%d", g);
	for (uint32_t step = 0; step < steps; step++) {
		snprintf(context, sizeof(context), "seed %llu, step %u",
			 (unsigned long long)seed, step);
		for (uint32_t n = below(4); n > 0; n--)
			happen();
		schedule();
		one_pass();
		fake_clock(below(3));
	}
	drain();
	assert_true(fake_counts.released > 0);
}

/* 0.1, 0.2, 2.27, 3.3, 4.2, 4.6, 4.9: gangs, arrays, other jobs, cancellations,
 * node failures, refused commits, restarts and kills in a random order. With
 * the thread sanitizer all of them take a quarter of an hour. */
#ifdef __SANITIZE_THREAD__
#define SEEDS 6
#else
#define SEEDS 60
#endif
TOY_TEST(test_random)
{
	struct fake_counts sum = { 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		afresh(setup, "seed %u", (unsigned int)seed);
		dice.slices = seed % 2;
		play(seed, 120);
		sum.released += fake_counts.released;
		sum.undone += fake_counts.undone;
		sum.adopted += fake_counts.adopted;
		sum.dropped += fake_counts.dropped;
	}
	/* the dice are worth something */
	assert_true(sum.released > 500 * SEEDS / 60 &&
		    sum.undone > 100 * SEEDS / 60 &&
		    sum.adopted > 50 * SEEDS / 60 &&
		    sum.dropped > 50 * SEEDS / 60);
}

TEST_MAIN(NULL, NULL)
