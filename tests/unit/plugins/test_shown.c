/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_shown.c - what jobs, nodes and the log tell of gangs */

#include <pthread.h>

#include "../unit.h"
#include "plugins/select/conductor_private.h"
#include "toy_cluster.h"

/* Four members that hold what they get, with room for two of them. */
static uint32_t hold_two(uint32_t ids[4])
{
	struct fake_request rq = nonstrict_of("train", 4);
	uint32_t other = busy(14);

	rq.more = "gang_mode=nonstrict|gang_waiting_time=1:00:00";
	submit_and_pass(rq, 4, ids);
	schedule_and_pass();
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
	uint32_t ids[2], late;

	ids[0] = submit(member_of("train", 2));
	late = submit(member_of("late", 2));
	pass();
	assert_true(was_logged("alice/train: gathering 1/2 members"));
	says(late, "Gang alice/late gathering 1/2 members");
	fail_and_pass(late, true);
	says(late, "");
	assert_int_equal(record_of(late).phase, SGANG_PHASE_FINISHED);
	assert_true(was_logged("alice/late: cancelled"));
	assert_int_equal(record_of(late).verdict, SGANG_VERDICT_CANCELLED);

	ids[1] = submit(member_of("train", 2));
	schedule_to(ids, 2, FAKE_RUNNING);
	pass();
	assert_int_equal(record_of(ids[0]).phase, SGANG_PHASE_RUNNING);
	says(ids[0], "");
	assert_true(was_logged("alice/train: running 2/2 members"));
	fake_end(ids[0]);
	fake_end(ids[1]);
	pass();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(record_of(ids[i]).phase, SGANG_PHASE_FINISHED);
		assert_true(record_of(ids[i]).placed);
	}
	assert_true(was_logged("alice/train: finished"));
}

/* ---- what became of a gang ---- */

/* As a letter says: it completes, fails, is out of time or is cancelled; else
 * it stays. */
static void end_as(uint32_t id, char how)
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
static void assert_verdict(const uint32_t *ids, size_t n,
			   enum sgang_verdict wanted, bool ran)
{
	const char *word = sgang_verdict_word(wanted);
	char line[64], brief[64];
	size_t told = 0, accounted = 0;

	snprintf(line, sizeof(line), "alice/train: %s", word);
	snprintf(brief, sizeof(brief), " verdict=%s", word);
	for (size_t i = 0; i < n; i++) {
		enum sgang_verdict verdict = record_of(ids[i]).verdict;

		if (verdict && verdict != wanted)
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
		const char *first, *then;
		enum sgang_verdict is;
	} cases[] = {
		{ NULL, 3, "ccc", "", SGANG_VERDICT_FINISHED },
		{ NULL, 3, "c", "-cc", SGANG_VERDICT_FINISHED },
		{ NULL, 3, "f", "-cc", SGANG_VERDICT_FAILED },
		{ NULL, 3, "fff", "", SGANG_VERDICT_FAILED },
		{ NULL, 3, "ttt", "", SGANG_VERDICT_TIME_LIMIT },
		{ NULL, 3, "c", "-tt", SGANG_VERDICT_TIME_LIMIT },
		{ NULL, 3, "xxx", "", SGANG_VERDICT_CANCELLED },
		{ NULL, 3, "x", "-cc", SGANG_VERDICT_CANCELLED },
		{ "gang_total_number=3", 2, "x", "-cc",
		  SGANG_VERDICT_FINISHED },
		/* ended with the one that was lost */
		{ "gang_on_failure=kill", 3, "f", "", SGANG_VERDICT_FAILED },
		{ "gang_on_failure=kill", 3, "cf", "", SGANG_VERDICT_FAILED },
		{ "gang_on_failure=kill", 3, "t", "",
		  SGANG_VERDICT_TIME_LIMIT },
		{ "gang_on_failure=kill", 3, "x", "", SGANG_VERDICT_CANCELLED },
		{ "gang_on_failure=kill", 3, "xxx", "",
		  SGANG_VERDICT_CANCELLED },
		{ "gang_on_failure=requeue", 3, "xxx", "",
		  SGANG_VERDICT_CANCELLED },
		/* too few are left */
		{ "gang_on_stale=kill|gang_stale_grace=2", 3, "x", "+",
		  SGANG_VERDICT_FAILED },
		{ "gang_on_failure=kill", 3, "ccc", "",
		  SGANG_VERDICT_FINISHED },
		/* not needed any more */
		{ "gang_on_success=leader", 3, "c", "",
		  SGANG_VERDICT_FINISHED },
		{ "gang_on_success=leader", 3, "-f", "c",
		  SGANG_VERDICT_FINISHED },
		{ "gang_on_success=leader", 3, "f", "-cc",
		  SGANG_VERDICT_FAILED },
		{ "gang_on_success=2", 3, "cc", "", SGANG_VERDICT_FINISHED },
		{ "gang_on_success=2", 3, "f", "-cc", SGANG_VERDICT_FINISHED },
		{ "gang_on_success=2", 3, "ff", "--c", SGANG_VERDICT_FAILED },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake_request rq = member_of("train", cases[i].min);
		uint32_t ids[3], ranked[3];

		afresh(setup, "case %zu", i);
		rq.more = cases[i].more;
		submit_and_pass(rq, 3, ids);
		schedule_to(ids, 3, FAKE_RUNNING);
		pass();
		for (int k = 0; k < 3; k++)
			ranked[record_of(ids[k]).member_rank] = ids[k];
		for (int k = 0; cases[i].first[k]; k++)
			end_as(ranked[k], cases[i].first[k]);
		pass();
		if (cases[i].then[0] == '+')
			fake_clock(121);
		for (int k = 0; cases[i].then[k]; k++)
			end_as(ranked[k], cases[i].then[k]);
		pass();
		pass();
		all_in_state(ids, 3, FAKE_GONE);
		assert_verdict(ids, 3, cases[i].is, true);
	}
}

/* One that was cancelled before it ever ran. */
TOY_TEST(test_never_ran)
{
	uint32_t ids[2];

	submit_and_pass(member_of("train", 3), 2, ids);
	fail_and_pass(ids[0], true);
	assert_int_equal(record_of(ids[0]).verdict, SGANG_VERDICT_NONE);
	fail_and_pass(ids[1], true);
	assert_verdict(ids, 2, SGANG_VERDICT_CANCELLED, false);
}

/* After a restart those that Slurm still knows are not forgotten; those that it
 * forgets are not, without one. */
TOY_TEST(test_remembered)
{
	for (int restart = 0; restart < 2; restart++) {
		uint32_t ids[2];

		afresh(setup, "restart %d", restart);
		submit_many(member_of("train", 2), 2, ids);
		schedule_to(ids, 2, FAKE_RUNNING);
		pass();
		fail_and_pass(ids[0], false);
		if (restart)
			come_back(false);
		else
			fake_purge();
		pass();
		fake_end(ids[1]);
		pass();
		assert_verdict(ids + 1, 1, SGANG_VERDICT_FAILED, true);
	}
}

/* It is said once, also of a gang whose policies let a pass look at it after a
 * restart. */
TOY_TEST(test_said_once)
{
	struct fake_request rq = member_of("train", 2);
	uint32_t ids[2];

	rq.more = "gang_on_success=2";
	submit_many(rq, 2, ids);
	schedule_to(ids, 2, FAKE_RUNNING);
	pass();
	fake_end(ids[0]);
	fake_end(ids[1]);
	pass();
	come_back_and_pass(false);
	pass();
	assert_verdict(ids, 2, SGANG_VERDICT_FINISHED, true);
}

/* A gang that is requeued as a whole counts by its last run, and a later gang of
 * that name is another one. */
TOY_TEST(test_second_run)
{
	struct fake_request rq = member_of("train", 2);
	uint32_t ids[2];

	rq.more = "gang_on_failure=requeue";
	submit_many(rq, 2, ids);
	schedule_to(ids, 2, FAKE_RUNNING);
	pass();
	fake_fail(ids[0], false);
	for (int i = 0; i < 3; i++)
		pass();
	all_in_state(ids, 2, FAKE_PENDING);
	fake_clock(600);
	pass();
	schedule_and_pass();
	pass();
	all_in_state(ids, 2, FAKE_RUNNING);
	fake_end(ids[0]);
	fake_end(ids[1]);
	pass();
	assert_verdict(ids, 2, SGANG_VERDICT_FINISHED, true);

	fake_log_reset();
	fake_clock(10);
	submit_and_pass(member_of("train", 2), 2, ids);
	fake_fail(ids[0], true);
	fail_and_pass(ids[1], true);
	assert_verdict(ids, 2, SGANG_VERDICT_CANCELLED, false);
}

/* As slurmctld starts a member whose gang has started. */
static void start_later(uint32_t id)
{
	assert_int_equal(turn(id), SGANG_TURN_ORDINARY);
	assert_true(fake_start(id, FAKE_ALL_NODES));
	assert_true(fake_host.lock());
	sgang_conductor_begins(c, fake_host.jobs.find(id));
	fake_host.unlock();
	pass();
	fake_clock(2);
	pass();
}

/* 6.5: a spare that nobody needs is no failure, and one that has the place of a
 * lost member makes up for it. */
TOY_TEST(test_spare_verdict)
{
	static const struct {
		const char *more, *first, *then;
		enum sgang_verdict is;
	} cases[] = {
		{ "gang_spares=1|gang_on_failure=replace", "cc", "",
		  SGANG_VERDICT_FINISHED },
		{ "gang_spares=1", "cc", "", SGANG_VERDICT_FINISHED },
		{ "gang_spares=1|gang_on_failure=replace", "cc-", "",
		  SGANG_VERDICT_FINISHED },
		{ "gang_spares=1", "f", "-cc", SGANG_VERDICT_FINISHED },
		{ "gang_spares=1", "f", "-cf", SGANG_VERDICT_FAILED },
		{ "gang_spares=1", "--f", "cc-", SGANG_VERDICT_FINISHED },
		/* one that starts after the loss takes the place at once */
		{ "gang_spares=1", "+f", "-cc", SGANG_VERDICT_FINISHED },
		{ NULL, "+f", "-cc", SGANG_VERDICT_FAILED },
		/* who was cancelled is not requeued */
		{ "gang_spares=1|gang_on_failure=replace", "x", "-cc",
		  SGANG_VERDICT_FINISHED },
		{ "gang_spares=1|gang_on_failure=replace", "f", "-cc",
		  SGANG_VERDICT_FINISHED },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake_request rq = member_of("train", 2);
		bool after = cases[i].first[0] == '+';
		const char *first = cases[i].first + after;
		uint32_t ids[3];

		afresh(setup, "spares %zu", i);
		rq.more = cases[i].more;
		submit_and_pass(rq, 3, ids);
		schedule_and_pass();
		pass();
		all_in_state(ids, 2, FAKE_RUNNING);
		if (!after) {
			start_later(ids[2]);
			assert_true(record_of(ids[2]).spare);
		}
		for (int k = 0; first[k]; k++)
			end_as(ids[k], first[k]);
		pass();
		pass();
		if (after) {
			start_later(ids[2]);
			assert_false(record_of(ids[2]).spare);
		}
		for (int k = 0; cases[i].then[k]; k++)
			end_as(ids[k], cases[i].then[k]);
		for (int k = 0; k < 4; k++)
			pass();
		all_in_state(ids, 3, FAKE_GONE);
		assert_verdict(ids, 3, cases[i].is, true);
	}
}

/* Late members come and go while a gang lives. What it remembers of them does
 * not grow with their number, and one that failed counts at the end. */
TOY_TEST(test_many_ends)
{
	uint32_t ids[2];

	submit_many(member_of("train", 2), 2, ids);
	schedule_to(ids, 2, FAKE_RUNNING);
	pass();
	for (int i = 0; i < 200; i++) {
		uint32_t late = submit(member_of("train", 2));

		pass();
		start_later(late);
		end_as(late, i == 7 ? 'f' : 'c');
		pass();
		if (i % 10 == 9)
			fake_purge();
	}
	assert_in_range(sgang_registry_find(c, "alice", "train")->ends.cap, 1,
			32);
	end_as(ids[0], 'c');
	end_as(ids[1], 'c');
	pass();
	assert_verdict(ids, 2, SGANG_VERDICT_FAILED, true);
}

/* One that was lost long ago, of which Slurm knows nothing any more, may still
 * be replaced. */
TOY_TEST(test_forgotten_replaced)
{
	struct fake_request rq = member_of("train", 10);
	uint32_t ids[11];

	rq.more = "gang_spares=1";
	submit_many(rq, 10, ids);
	schedule_to(ids, 10, FAKE_RUNNING);
	pass();
	for (int i = 0; i < 8; i++)
		end_as(ids[i], i ? 'c' : 'f');
	pass();
	fake_purge();
	end_as(ids[8], 'c');
	pass();
	fake_purge();
	ids[10] = submit(rq);
	pass();
	start_later(ids[10]);
	assert_false(record_of(ids[10]).spare);
	end_as(ids[9], 'c');
	end_as(ids[10], 'c');
	pass();
	assert_verdict(ids + 9, 2, SGANG_VERDICT_FINISHED, true);
}

/* 5.6: the log says of a gang that failed that it did, when it has ended. */
TOY_TEST(test_failed)
{
	struct fake_request kill = member_of("kill", 2);
	uint32_t ids[2];

	ids[0] = submit(member_of("all", 2));
	ids[1] = submit(member_of("all", 2));
	schedule_to(ids, 2, FAKE_RUNNING);
	fail_and_pass(ids[0], false);
	assert_false(was_logged("alice/all: failed"));
	fail_and_pass(ids[1], false);
	assert_true(was_logged("alice/all: failed"));
	assert_false(was_logged("alice/all: finished"));

	kill.more = "gang_on_failure=kill";
	ids[0] = submit(kill);
	ids[1] = submit(kill);
	schedule_to(ids, 2, FAKE_RUNNING);
	fake_fail(ids[0], false);
	for (int i = 0; i < 4; i++)
		pass();
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
	assert_int_equal(record_of(ids[3]).phase, SGANG_PHASE_HOLDING);
	fake_host.unlock();

	fail_and_pass(ids[0], false);
	assert_true(was_logged("held member 2 is lost: node"));
	assert_int_equal(record_of(ids[1]).hold_end, SGANG_HOLD_END_NODE);
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
		assert_true(fake_host.lock());
		sgang_conductor_ended(c, fake_host.jobs.find(ids[0]), ends[i]);
		fake_host.unlock();
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
	assert_int_equal(record_of(ids[0]).hold_end, SGANG_HOLD_END_NONE);
	fail_and_pass(ids[3], true);
	assert_true(was_logged("hold of 2 members ended: incomplete"));
	assert_int_equal(record_of(ids[0]).hold_end, SGANG_HOLD_END_INCOMPLETE);
	fake_end(other);
}

/* 0.52, 1.47, 1.61: each end of a hold has its cause, in the records, after a
 * restart too, and in the log; a new hold knows of none. */
TOY_TEST(test_hold_ends)
{
	uint32_t ids[4], other, more;

	other = hold_two(ids);
	assert_int_equal(record_of(ids[0]).hold_end, SGANG_HOLD_END_NONE);
	wait_and_pass(3600);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(record_of(ids[i]).hold_end,
				 SGANG_HOLD_END_TIMEOUT);
	assert_true(was_logged("hold of 2 members ended: timeout"));
	assert_true(was_logged("alice/train: timeout, 4 members stopped"));
	fake_snapshot();
	come_back_and_pass(true);
	assert_int_equal(record_of(ids[0]).hold_end, SGANG_HOLD_END_TIMEOUT);
	fake_user_hold(ids[0], false);
	pass();
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	assert_int_equal(record_of(ids[0]).hold_end, SGANG_HOLD_END_NONE);

	fail_and_pass(ids[0], true);
	assert_int_equal(record_of(ids[1]).hold_end, SGANG_HOLD_END_USER);
	more = submit(nonstrict_of("train", 4));
	fake_end(other);
	schedule_to(&more, 1, FAKE_RUNNING);
	assert_int_equal(record_of(ids[1]).hold_end, SGANG_HOLD_END_NONE);
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
	uint32_t ids[2];

	fake_set_extra(0, "rack 7");
	rq.nodes = NODES / 2;
	rq.ranks = 12;
	submit_and_pass(rq, 2, ids);
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
	end_and_pass(ids[0]);
	assert_int_equal(extras("") + extras("rack 8"), NODES / 2);
	end_and_pass(ids[1]);
	assert_int_equal(extras(""), NODES - 1);
	assert_string_equal(fake_extra(0), "rack 8");
}

/* Several gangs on a node, in the order of their names; holds count. A restart
 * changes nothing, and what is left of one that ended meanwhile is taken away.
 */
TOY_TEST(test_extra_restart)
{
	struct fake_request rq = nonstrict_of("b", 3);
	uint32_t other, held, ids[2];

	rq.more = "gang_mode=nonstrict|gang_waiting_time=1:00:00";
	rq.nodes = 1;
	rq.cpus = 1;
	rq.memory = 1;
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

	fake_snapshot();
	come_back_and_pass(true);
	assert_int_equal(extras("gang=alice/a ranks=2;gang=alice/b ranks=1"),
			 1);
	assert_int_equal(extras(""), NODES - 1);
	fake_set_extra(3, "old gang=alice/gone ranks=4");
	fake_snapshot();
	come_back_and_pass(true);
	assert_string_equal(fake_extra(3), "old");
	fake_end(other);
}

/* NodeExtra=no: the field is nobody's business, and is left clean. */
TOY_TEST(test_extra_off)
{
	struct sgang_conf conf;
	uint32_t ids[2];

	submit_and_schedule(member_of("train", 2), 2, ids);
	pass();
	assert_int_equal(extras(""), NODES - 2);
	sgang_conf_default(&conf);
	conf.node_extra = false;
	sgang_conductor_configure(c, toy_tree(), &conf);
	pass();
	assert_int_equal(extras(""), NODES);
}

TEST_MAIN(NULL, NULL)
