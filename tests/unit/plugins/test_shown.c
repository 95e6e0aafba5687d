/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_shown.c - what jobs, nodes and the log tell of gangs */

#include <pthread.h>

#include "../unit.h"
#include "plugins/select/conductor_private.h"
#include "toy_cluster.h"

/* Four members that hold what they get, with room for two of them. */
static uint32_t hold_two(uint32_t ids[4])
{
	uint32_t other = busy(14);

	gather(MEMBER("train", 4,
		      .more = "mode=nonstrict|waiting_time=1:00:00"),
	       4, ids);
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	return other;
}

static bool was_logged(const char *line)
{
	return fake_log_count(SGANG_LOG_INFO, line) > 0;
}

/* Whoever has ended says so, and nothing else; the words that led there are
 * those of the log. */
TOY_TEST(test_ended)
{
	uint32_t late;

	train[0] = submit(member_of("train", 2));
	late = arrive(member_of("late", 2));
	assert_true(was_logged("alice/train: gathering 1/2 members"));
	says(late, "Gang alice/late gathering 1/2 members");
	fail_and_pass(late, true);
	says(late, "");
	recorded(late, "phase=finished");
	assert_true(was_logged("alice/late: cancelled"));
	assert_int_equal(record_of(late).verdict, SGANG_VERDICT_CANCELLED);

	train[1] = submit(member_of("train", 2));
	schedule_to(train, 2, FAKE_RUNNING);
	pass();
	recorded(train[0], "phase=running");
	says(train[0], "");
	assert_true(was_logged("alice/train: running 2/2 members"));
	fake_end(train[0]);
	end_and_pass(train[1]);
	all_recorded(train, 2, "phase=finished rank");
	assert_true(was_logged("alice/train: finished"));
}

/* ---- what became of a gang ---- */

/* As a letter says: it completes, fails, is out of time or is cancelled; else
 * it stays. */
static void end_by(uint32_t id, char how)
{
	switch (how) {
	case 'c':
		fake_end(id);
		break;
	case 'f':
	case 'x':
		fake_fail(id, how == 'x');
		break;
	case 't':
		fake_time_out(id);
		break;
	default:
		break;
	}
}

/* The verdict is in the records of those that ended last, in what accounting has
 * of them if the gang ran, and in the log. */
static void assert_verdict(const uint32_t *ids, size_t n, const char *word,
			   bool ran)
{
	char line[64], brief[64];
	size_t told = 0, accounted = 0;

	snprintf(line, sizeof(line), "alice/train: %s", word);
	snprintf(brief, sizeof(brief), " verdict=%s", word);
	for (size_t i = 0; i < n; i++) {
		enum sgang_verdict verdict = record_of(ids[i]).verdict;

		if (verdict && strcmp(sgang_verdict_word(verdict), word) != 0)
			fail_msg("%s: %s, not %s", context,
				 sgang_verdict_word(verdict), word);
		told += verdict != SGANG_VERDICT_NONE;
		accounted += strstr(fake_job(ids[i])->brief, brief) != NULL;
	}
	if (!told || (accounted > 0) != ran ||
	    fake_log_count(SGANG_LOG_INFO, line) != 1)
		fail_msg("%s: not %s: %zu records, %zu in accounting", context,
			 word, told, accounted);
}

/* 3.19, 6.11: how its members end, in two steps; a plus sign is two minutes. */
TOY_TEST(test_verdict)
{
	static const struct {
		const char *more;
		uint32_t min;
		const char *first, *then, *is;
	} cases[] = {
		{ NULL, 3, "ccc", "", "finished" },
		{ NULL, 3, "c", "-cc", "finished" },
		{ NULL, 3, "f", "-cc", "failed" },
		{ NULL, 3, "fff", "", "failed" },
		{ NULL, 3, "ttt", "", "timelimit" },
		{ NULL, 3, "c", "-tt", "timelimit" },
		{ NULL, 3, "xxx", "", "cancelled" },
		{ NULL, 3, "x", "-cc", "cancelled" },
		{ "total_number=3", 2, "x", "-cc", "finished" },
		/* ended with the one that was lost */
		{ "on_failure=kill", 3, "f", "", "failed" },
		{ "on_failure=kill", 3, "cf", "", "failed" },
		{ "on_failure=kill", 3, "t", "", "timelimit" },
		{ "on_failure=kill", 3, "x", "", "cancelled" },
		{ "on_failure=kill", 3, "xxx", "", "cancelled" },
		{ "on_failure=requeue", 3, "xxx", "", "cancelled" },
		/* too few are left */
		{ "on_stale=kill|stale_grace=2", 3, "x", "+", "failed" },
		{ "on_failure=kill", 3, "ccc", "", "finished" },
		/* not needed any more */
		{ "on_success=leader", 3, "c", "", "finished" },
		{ "on_success=leader", 3, "-f", "c", "finished" },
		{ "on_success=leader", 3, "f", "-cc", "failed" },
		{ "on_success=2", 3, "cc", "", "finished" },
		{ "on_success=2", 3, "f", "-cc", "finished" },
		{ "on_success=2", 3, "ff", "--c", "failed" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t ranked[3];

		afresh(setup, "case %zu", i);
		submit_and_pass(MEMBER("train", cases[i].min,
				       .more = cases[i].more),
				3, train);
		schedule_to(train, 3, FAKE_RUNNING);
		pass();
		for (int k = 0; k < 3; k++)
			ranked[record_of(train[k]).member_rank] = train[k];
		for (int k = 0; cases[i].first[k]; k++)
			end_by(ranked[k], cases[i].first[k]);
		pass();
		if (cases[i].then[0] == '+')
			fake_clock(121);
		for (int k = 0; cases[i].then[k]; k++)
			end_by(ranked[k], cases[i].then[k]);
		passes(2);
		all_in_state(train, 3, FAKE_GONE);
		assert_verdict(train, 3, cases[i].is, true);
	}
}

/* One that was cancelled before it ever ran. */
TOY_TEST(test_never_ran)
{
	submit_and_pass(member_of("train", 3), 2, train);
	fail_and_pass(train[0], true);
	assert_int_equal(record_of(train[0]).verdict, SGANG_VERDICT_NONE);
	fail_and_pass(train[1], true);
	assert_verdict(train, 2, "cancelled", false);
}

/* After a restart those that Slurm still knows are not forgotten; those that it
 * forgets are not, without one. */
TOY_TEST(test_remembered)
{
	for (int restart = 0; restart < 2; restart++) {
		afresh(setup, "restart %d", restart);
		start_many(member_of("train", 2), 2, train);
		pass();
		fail_and_pass(train[0], false);
		if (restart)
			come_back(false);
		else
			fake_purge();
		pass();
		end_and_pass(train[1]);
		assert_verdict(train + 1, 1, "failed", true);
	}
}

/* It is said once, also of a gang whose policies let a pass look at it after a
 * restart. */
TOY_TEST(test_said_once)
{
	start_many(MEMBER("train", 2, .more = "on_success=2"), 2, train);
	pass();
	fake_end(train[0]);
	end_and_pass(train[1]);
	come_back_and_pass(false);
	pass();
	assert_verdict(train, 2, "finished", true);
}

/* A gang that is requeued as a whole counts by its last run, and a later gang of
 * that name is another one. */
TOY_TEST(test_second_run)
{
	start_many(MEMBER("train", 2, .more = "on_failure=requeue"), 2, train);
	pass();
	fake_fail(train[0], false);
	passes(3);
	all_in_state(train, 2, FAKE_PENDING);
	wait_and_pass(600);
	schedule_and_pass();
	pass_to(train, 2, FAKE_RUNNING);
	fake_end(train[0]);
	end_and_pass(train[1]);
	assert_verdict(train, 2, "finished", true);

	fake_log_reset();
	fake_clock(10);
	submit_and_pass(member_of("train", 2), 2, train);
	fake_fail(train[0], true);
	fail_and_pass(train[1], true);
	assert_verdict(train, 2, "cancelled", false);
}

/* As slurmctld starts a member whose gang has started. */
static void start_later(uint32_t id)
{
	start_later_on(id, FAKE_ALL_NODES);
	pass();
	wait_and_pass(2);
}

/* 6.5: a spare that nobody needs is no failure, and one that has the place of a
 * lost member makes up for it. */
TOY_TEST(test_spare_verdict)
{
	static const struct {
		const char *more, *first, *then, *is;
	} cases[] = {
		{ "spares=1|on_failure=replace", "cc", "", "finished" },
		{ "spares=1", "cc", "", "finished" },
		{ "spares=1|on_failure=replace", "cc-", "", "finished" },
		{ "spares=1", "f", "-cc", "finished" },
		{ "spares=1", "f", "-cf", "failed" },
		{ "spares=1", "--f", "cc-", "finished" },
		/* one that starts after the loss takes the place at once */
		{ "spares=1", "+f", "-cc", "finished" },
		{ NULL, "+f", "-cc", "failed" },
		/* who was cancelled is not requeued */
		{ "spares=1|on_failure=replace", "x", "-cc", "finished" },
		{ "spares=1|on_failure=replace", "f", "-cc", "finished" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		bool after = cases[i].first[0] == '+';
		const char *first = cases[i].first + after;

		afresh(setup, "spares %zu", i);
		gather(MEMBER("train", 2, .more = cases[i].more), 3, train);
		pass_to(train, 2, FAKE_RUNNING);
		if (!after) {
			start_later(train[2]);
			recorded(train[2], "spare");
		}
		for (int k = 0; first[k]; k++)
			end_by(train[k], first[k]);
		passes(2);
		if (after) {
			start_later(train[2]);
			recorded(train[2], "!spare");
		}
		for (int k = 0; cases[i].then[k]; k++)
			end_by(train[k], cases[i].then[k]);
		passes(4);
		all_in_state(train, 3, FAKE_GONE);
		assert_verdict(train, 3, cases[i].is, true);
	}
}

/* Late members come and go while a gang lives. What it remembers of them does
 * not grow with their number, and one that failed counts at the end. */
TOY_TEST(test_many_ends)
{
	start_many(member_of("train", 2), 2, train);
	pass();
	for (int i = 0; i < 200; i++) {
		uint32_t late = submit(member_of("train", 2));

		pass();
		start_later(late);
		end_by(late, i == 7 ? 'f' : 'c');
		pass();
		if (i % 10 == 9)
			fake_purge();
	}
	assert_in_range(sgang_registry_find(c, "alice", "train")->ends.cap, 1,
			32);
	end_by(train[0], 'c');
	end_by(train[1], 'c');
	pass();
	assert_verdict(train, 2, "failed", true);
}

/* One that was lost long ago, of which Slurm knows nothing any more, may still
 * be replaced. */
TOY_TEST(test_forgotten_replaced)
{
	struct fake_request rq = MEMBER("train", 10, .more = "spares=1");

	start_many(rq, 10, train);
	pass();
	for (int i = 0; i < 8; i++)
		end_by(train[i], i ? 'c' : 'f');
	pass();
	fake_purge();
	end_by(train[8], 'c');
	pass();
	fake_purge();
	train[10] = arrive(rq);
	start_later(train[10]);
	recorded(train[10], "!spare");
	end_by(train[9], 'c');
	end_by(train[10], 'c');
	pass();
	assert_verdict(train + 9, 2, "finished", true);
}

/* 5.6: the log says of a gang that failed that it did, when it has ended. */
TOY_TEST(test_failed)
{
	struct fake_request kill = MEMBER("kill", 2, .more = "on_failure=kill");
	uint32_t ids[2];

	ids[0] = submit(member_of("all", 2));
	ids[1] = submit(member_of("all", 2));
	schedule_to(ids, 2, FAKE_RUNNING);
	fail_and_pass(ids[0], false);
	assert_false(was_logged("alice/all: failed"));
	fail_and_pass(ids[1], false);
	assert_true(was_logged("alice/all: failed"));
	assert_false(was_logged("alice/all: finished"));

	ids[0] = submit(kill);
	ids[1] = submit(kill);
	schedule_to(ids, 2, FAKE_RUNNING);
	fake_fail(ids[0], false);
	passes(4);
	assert_true(was_logged("alice/kill: failed"));
	assert_false(was_logged("alice/kill: finished"));
}

/* slurmctld tells of the end of a job when it gives back its nodes: its record
 * says so at once, before any pass. */
TOY_TEST(test_told_at_once)
{
	struct sgang_job_info info;
	uint32_t ids[4], other;

	other = hold_two(ids);
	assert_true(fake_host.lock());
	sgang_conductor_ended(c, fake_host.jobs.find(ids[0]),
			      SGANG_HOLD_END_NODE);
	fake_host.jobs.info(fake_host.jobs.find(ids[0]), &info);
	assert_non_null(strstr(info.comment, " phase=finished "));
	assert_non_null(strstr(info.comment, " holdend=node"));
	/* not of one that waits */
	sgang_conductor_ended(c, fake_host.jobs.find(ids[3]),
			      SGANG_HOLD_END_NODE);
	recorded(ids[3], "phase=holding");
	fake_host.unlock();

	fail_and_pass(ids[0], false);
	assert_true(was_logged("held member 2 is lost: node"));
	recorded(ids[1], "holdend=node");
	assert_int_equal(fake_state(ids[1]), FAKE_PENDING);
	assert_true(was_logged("hold of 1 members ended: node"));
	fake_end(other);
}

/* 1.61: one that is requeued waits already when that is told; only what no user
 * has done must be noted then. */
TOY_TEST(test_requeued)
{
	static const enum sgang_hold_end ends[] = {
		SGANG_HOLD_END_PREEMPTED,
		SGANG_HOLD_END_FAILED,
		SGANG_HOLD_END_USER,
	};
	uint32_t ids[4], other;
	char line[64];

	other = hold_two(ids);
	for (size_t i = 0; i < COUNT(ends); i++) {
		assert_int_equal(fake_state(ids[0]), FAKE_HELD);
		fake_requeue(ids[0]);
		tell_end(ids[0], ends[i]);
		pass();
		snprintf(line, sizeof(line), "held member %u is lost: %s",
			 ids[0], sgang_hold_end_word(ends[i]));
		assert_true(was_logged(line));
		assert_int_equal(record_of(ids[0]).hold_end, ends[i]);
		/* who is preempted does not compete for its nodes */
		assert_int_equal(fake_counts.yielded, 1);
		schedule_and_pass();
	}
	/* what ended an earlier hold does not end this one */
	recorded(ids[0], "!holdend");
	fail_and_pass(ids[3], true);
	assert_true(was_logged("hold of 2 members ended: incomplete"));
	recorded(ids[0], "holdend=incomplete");
	fake_end(other);
}

/* 0.52, 1.47, 1.61: each end of a hold has its cause, in the records, after a
 * restart too, and in the log; a new hold knows of none. */
TOY_TEST(test_hold_ends)
{
	uint32_t other, more;

	other = hold_two(train);
	recorded(train[0], "!holdend");
	wait_and_pass(3600);
	all_recorded(train, 4, "holdend=timeout");
	assert_true(was_logged("hold of 2 members ended: timeout"));
	assert_true(was_logged("alice/train: timeout, 4 members stopped"));
	crash_and_pass();
	recorded(train[0], "holdend=timeout");
	hold_and_pass(train[0], false);
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	recorded(train[0], "!holdend");

	fail_and_pass(train[0], true);
	recorded(train[1], "holdend=user");
	more = submit(nonstrict_of("train", 4));
	fake_end(other);
	schedule_to(&more, 1, FAKE_RUNNING);
	recorded(train[1], "!holdend");
}

/* ---- nodes ---- */

/* How many nodes have this text in their field? */
static uint32_t extras(const char *text)
{
	uint32_t n = 0;

	for (uint32_t node = 0; node < NODES; node++)
		n += !strcmp(fake_extra(node), text);
	return n;
}

/* The same with each rank of the gang counted. */
TOY_TEST(test_extra)
{
	struct fake_request rq = member_of("train", 2);

	fake_set_extra(0, "rack 7");
	rq.nodes = NODES / 2;
	rq.ranks = 12;
	submit_and_pass(rq, 2, train);
	assert_int_equal(extras(""), NODES - 1);
	schedule_and_pass();
	pass();
	/* 12 ranks on 8 nodes: 4 have 2, 4 have 1 */
	assert_int_equal(extras("gang=alice/train ranks=1") +
				 extras("rack 7 gang=alice/train ranks=1"),
			 8);
	assert_int_equal(extras("gang=alice/train ranks=2") +
				 extras("rack 7 gang=alice/train ranks=2"),
			 8);
	assert_memory_equal(fake_extra(0), "rack 7 gang=", 12);

	/* an admin writes it meanwhile, and takes our words away */
	fake_set_extra(0, "rack 8");
	fake_set_extra(1, "");
	pass();
	assert_memory_equal(fake_extra(0), "rack 8 gang=alice/train ", 24);
	assert_memory_equal(fake_extra(1), "gang=alice/train ", 17);

	/* half of it, then all of it leaves */
	end_and_pass(train[0]);
	assert_int_equal(extras("") + extras("rack 8"), NODES / 2);
	end_and_pass(train[1]);
	assert_int_equal(extras(""), NODES - 1);
	assert_string_equal(fake_extra(0), "rack 8");
}

/* Several gangs on a node, in the order of their names; holds count. A restart
 * changes nothing, and what is left of one that ended meanwhile is taken away.
 */
TOY_TEST(test_extra_restart)
{
	struct fake_request rq =
		MEMBER("b", 3, .more = "mode=nonstrict|waiting_time=1:00:00",
		       .nodes = 1, .cpus = 1, .memory = 1);
	uint32_t other, held, ids[2];

	other = busy(NODES - 1);
	held = submit(rq);
	rq.nodes = 16;
	submit_and_pass(rq, 2, ids);
	schedule_to(&held, 1, FAKE_HELD);
	assert_int_equal(extras("gang=alice/b ranks=1"), 1);
	rq = member_of("a", 1);
	rq.cpus = 2;
	rq.memory = 1;
	rq.ranks = 2;
	assert_int_not_equal(submit(rq), 0);
	settle();
	assert_int_equal(extras("gang=alice/a ranks=2;gang=alice/b ranks=1"),
			 1);

	crash_and_pass();
	assert_int_equal(extras("gang=alice/a ranks=2;gang=alice/b ranks=1"),
			 1);
	assert_int_equal(extras(""), NODES - 1);
	fake_set_extra(3, "old gang=alice/gone ranks=4");
	crash_and_pass();
	assert_string_equal(fake_extra(3), "old");
	fake_end(other);
}

/* NodeExtra=no: the field is nobody's business, and is left clean. */
TOY_TEST(test_extra_off)
{
	struct sgang_conf conf = default_conf();

	submit_and_schedule(member_of("train", 2), 2, train);
	pass();
	assert_int_equal(extras(""), NODES - 2);
	conf.node_extra = false;
	sgang_conductor_configure(c, toy_tree(), &conf);
	pass();
	assert_int_equal(extras(""), NODES);
}

TEST_MAIN(NULL, NULL)
