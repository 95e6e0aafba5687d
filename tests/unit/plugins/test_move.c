/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_move.c - 6.6: members leave nodes that drain (--gang-on-drain=replace) */

#include "../unit.h"
#include "core/base/nodeset.h"
#include "core/gang/gang.h"
#include "toy_cluster.h"

/* A gang of whole nodes on n0, n1, ...: in the order of their ranks. */
static void start(const char *more, uint32_t n, uint32_t *ids)
{
	uint32_t any[8];

	submit_and_schedule(MEMBER("train", n, .more = more), n, any);
	pass_to(any, n, FAKE_RUNNING);
	for (uint32_t i = 0; i < n; i++)
		ids[record_of(any[i]).member_rank] = any[i];
	for (uint32_t i = 0; i < n; i++)
		assert_true(fake_job(ids[i])->nodes == (uint64_t)1 << i);
}

/* The nodes 'first' to 'last' are somebody else's. */
static void take(uint32_t first, uint32_t last)
{
	struct fake_request rq = plain(1, 1000);

	for (uint32_t n = first; n <= last; n++) {
		rq.requested = (uint64_t)1 << n;
		assert_true(fake_start(submit(rq), rq.requested));
	}
}

/* As slurmctld starts a member whose gang has started. */
static struct sgang_record start_later(uint32_t id, uint64_t nodes)
{
	wait_to(3, &id, 1, FAKE_PENDING);
	assert_int_equal(turn(id), SGANG_TURN_ORDINARY);
	assert_true(fake_start(id, nodes));
	assert_true(fake_host.lock());
	sgang_conductor_begins(c, fake_host.jobs.find(id));
	fake_host.unlock();
	pass();
	return record_of(id);
}

static uint32_t requeued(void)
{
	return fake_counts.requeued;
}

/* A while, in which nothing happens. */
static void wait_passes(void)
{
	for (int i = 0; i < 4; i++)
		wait_and_pass(3);
}

static const char replace[] = "gang_on_drain=replace|gang_on_failure=kill|"
			      "gang_on_stale=kill|gang_stale_grace=10";

/* Nothing else than the option moves anybody. */
TOY_TEST(test_ignore)
{
	static const char *const more[] = { NULL, "gang_on_drain=ignore",
					    "gang_on_failure=replace" };
	uint32_t ids[3];

	for (size_t i = 0; i < COUNT(more); i++) {
		afresh(setup, "case %zu", i);
		start(more[i], 3, ids);
		fake_drain(1, true);
		wait_passes();
		all_in_state(ids, 3, FAKE_RUNNING);
		assert_int_equal(requeued(), 0);
	}
}

/* It goes alone, is no loss to anybody, and comes back with its rank on the
 * node that was kept for it. */
TOY_TEST(test_moves)
{
	struct sgang_record r;
	uint32_t ids[3];

	start(replace, 3, ids);
	fake_drain(1, true);
	pass_to(&ids[1], 1, FAKE_PENDING);
	assert_int_equal(requeued(), 1);
	r = record_of(ids[1]);
	assert_string_equal(r.lost, "n1");
	assert_string_equal(r.kept, "n3");
	assert_true(r.kept_until > 0);
	assert_int_equal(r.leaves, 0);
	wait_passes();
	assert_int_equal(fake_state(ids[0]), FAKE_RUNNING);
	assert_int_equal(fake_state(ids[2]), FAKE_RUNNING);
	assert_true(fake_log_count(SGANG_LOG_INFO, "drains: it is requeued"));
	r = start_later(ids[1], (uint64_t)1 << 3);
	assert_int_equal(r.member_rank, 1);
	assert_int_equal(r.members, 3);
	wait_passes();
	assert_int_equal(requeued(), 1);
	all_in_state(ids, 3, FAKE_RUNNING);
}

/* Two members of so many nodes, on the first of two leaves. */
static void start_spread(uint32_t nodes, uint32_t *ids)
{
	struct fake_request rq = MEMBER("train", 2, .more = replace);
	uint64_t first = ((uint64_t)1 << nodes) - 1;

	rq.nodes = nodes;
	rq.topology = "spread:leaf";
	submit_and_schedule(rq, 2, ids);
	pass_to(ids, 2, FAKE_RUNNING);
	assert_true(fake_job(ids[0])->nodes == first);
	assert_true(fake_job(ids[1])->nodes == first << 4);
}

/* Each has a leaf of its own, with spread:leaf: the one it is in may be it. */
TOY_TEST(test_spread)
{
	uint32_t ids[2];

	start_spread(1, ids);
	take(8, 15);
	fake_drain(0, true);
	wait_passes();
	assert_int_equal(fake_state(ids[0]), FAKE_PENDING);
	assert_string_equal(record_of(ids[0]).kept, "n1");
}

/* A member of two nodes stays in one leaf. */
TOY_TEST(test_spread_of_several_nodes)
{
	uint32_t ids[2];

	start_spread(2, ids);
	/* with the node that it keeps: not in the two leaves that are free */
	take(2, 3);
	fake_drain(0, true);
	wait_passes();
	all_in_state(ids, 2, FAKE_RUNNING);
	assert_string_equal(record_of(ids[0]).stays, "nodes");
	/* nor on one node of each of them, if it leaves both */
	take(8, 10);
	take(12, 14);
	fake_drain(1, true);
	wait_passes();
	all_in_state(ids, 2, FAKE_RUNNING);
	fake_end(ids[1] + 8); /* that on n14 */
	wait_passes();
	assert_int_equal(fake_state(ids[0]), FAKE_PENDING);
	assert_string_equal(record_of(ids[0]).kept, "n[14-15]");
}

/* Where no node can take it, it stays, and says so; it goes when one can. */
TOY_TEST(test_no_room)
{
	uint32_t ids[3];

	start(replace, 3, ids);
	take(3, 15);
	fake_drain(2, true);
	wait_passes();
	all_in_state(ids, 3, FAKE_RUNNING);
	assert_string_equal(record_of(ids[2]).stays, "nodes");
	assert_string_equal(record_of(ids[1]).stays, "");
	assert_int_equal(
		fake_log_count(SGANG_LOG_INFO, "no other node can take it"), 1);
	fake_end(ids[2] + 5); /* of those that have the other nodes */
	wait_passes();
	assert_int_equal(fake_state(ids[2]), FAKE_PENDING);
	assert_int_equal(requeued(), 1);
	(void)start_later(ids[2], ALL_FREE);
}

/* The node is used again before there is room: nobody goes. */
TOY_TEST(test_undrained)
{
	uint32_t ids[3];

	start(replace, 3, ids);
	take(3, 15);
	fake_drain(2, true);
	wait_passes();
	assert_string_equal(record_of(ids[2]).stays, "nodes");
	fake_drain(2, false);
	pass();
	assert_string_equal(record_of(ids[2]).stays, "");
	fake_end(ids[2] + 5);
	fake_drain(2, true);
	fake_drain(2, false); /* between two looks */
	wait_passes();
	all_in_state(ids, 3, FAKE_RUNNING);
	assert_int_equal(requeued(), 0);
}

/* One that Slurm does not requeue, or that was restarted so often, stays. */
TOY_TEST(test_stays)
{
	uint32_t ids[3];

	start("gang_on_drain=replace|gang_max_restarts=1", 3, ids);
	fake_no_requeue(ids[0]);
	fake_drain(0, true);
	fake_drain(1, true);
	wait_passes();
	assert_int_equal(fake_state(ids[0]), FAKE_RUNNING);
	assert_string_equal(record_of(ids[0]).stays, "requeue");
	assert_int_equal(fake_state(ids[1]), FAKE_PENDING);
	(void)start_later(ids[1], (uint64_t)1 << 3);
	fake_drain(3, true);
	wait_passes();
	assert_string_equal(record_of(ids[1]).stays, "restarts");
	all_in_state(ids, 3, FAKE_RUNNING);
	assert_int_equal(requeued(), 1);
}

/* A job that waits and comes before it would have the node. */
TOY_TEST(test_queue)
{
	struct fake_request rq = plain(16, 1000);
	uint32_t ids[3], first;

	start(replace, 3, ids);
	first = submit(rq);
	fake_drain(0, true);
	wait_passes();
	all_in_state(ids, 3, FAKE_RUNNING);
	assert_string_equal(record_of(ids[0]).stays, "queue");
	fake_end(first);
	wait_passes();
	assert_int_equal(fake_state(ids[0]), FAKE_PENDING);
}

/* Of several that want away one goes after the other. */
TOY_TEST(test_all_drain)
{
	uint32_t ids[3];

	start(replace, 3, ids);
	fake_drain(0, true);
	fake_drain(1, true);
	fake_drain(2, true);
	wait_passes();
	assert_int_equal(in_state("train", FAKE_RUNNING), 2);
	(void)start_later(ids[0], (uint64_t)1 << 3);
	wait_passes();
	assert_int_equal(in_state("train", FAKE_RUNNING), 2);
	(void)start_later(ids[1], (uint64_t)1 << 4);
	wait_passes();
	(void)start_later(ids[2], (uint64_t)1 << 5);
	wait_passes();
	all_in_state(ids, 3, FAKE_RUNNING);
	assert_int_equal(requeued(), 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(record_of(ids[i]).member_rank, i);
}

/* A spare has the seat, also where no other node is free; one on a node that
 * drains is no help, and leaves too. */
TOY_TEST(test_spare)
{
	struct fake_request rq = member_of("train", 3);
	uint32_t ids[3], spare[2];

	start("gang_on_drain=replace|gang_spares=2", 3, ids);
	rq.more = "gang_on_drain=replace|gang_spares=2";
	submit_and_pass(rq, 2, spare);
	assert_true(start_later(spare[0], (uint64_t)1 << 3).spare);
	assert_true(start_later(spare[1], (uint64_t)1 << 4).spare);
	take(5, 15);
	fake_drain(3, true);
	wait_passes();
	assert_int_equal(requeued(), 0);
	assert_string_equal(record_of(spare[0]).stays, "nodes");
	fake_drain(1, true);
	wait_passes();
	assert_int_equal(fake_state(ids[1]), FAKE_PENDING);
	assert_int_equal(requeued(), 1);
	assert_int_equal(record_of(spare[1]).member_rank, 1);
	assert_true(record_of(spare[1]).placed);
	assert_true(record_of(spare[0]).spare);
	assert_int_equal(record_of(ids[0]).epoch, record_of(spare[1]).epoch);
	fake_drain(1, false);
	assert_true(start_later(ids[1], (uint64_t)1 << 1).spare);
}

/* In the namespace of an account each user's word counts for his own jobs. */
TOY_TEST(test_users)
{
	struct fake_request rq = member_of("acct/train", 2);
	uint32_t ids[2];

	rq.more = "gang_on_drain=replace";
	ids[0] = submit(rq);
	rq.user = "bob";
	rq.more = NULL;
	ids[1] = submit(rq);
	schedule_and_pass();
	pass_to(ids, 2, FAKE_RUNNING);
	fake_drain(0, true);
	fake_drain(1, true);
	wait_passes();
	assert_int_equal(fake_state(ids[0]), FAKE_PENDING);
	assert_int_equal(fake_state(ids[1]), FAKE_RUNNING);
	assert_int_equal(requeued(), 1);
}

/* Two gangs want the one node that is left: it is kept for the first. */
TOY_TEST(test_two_gangs)
{
	struct fake_request rq = member_of("other", 1);
	uint32_t ids[3], other;

	start(replace, 3, ids);
	rq.more = replace;
	other = submit(rq);
	schedule_and_pass();
	pass_to(&other, 1, FAKE_RUNNING);
	assert_true(fake_job(other)->nodes == (uint64_t)1 << 3);
	take(5, 15);
	fake_drain(0, true);
	fake_drain(3, true);
	wait_passes();
	assert_int_equal(requeued(), 1);
	assert_int_equal(in_state("train", FAKE_RUNNING) +
				 in_state("other", FAKE_RUNNING),
			 3);
}

/* slurmctld dies before or after each save: whatever the node does with the job
 * then, it comes back once, and nobody has lost it. */
TOY_TEST(test_dies)
{
	enum fate { RUNS, FAILS, REQUEUED };
	static const struct {
		uint32_t save;
		bool written;
		enum fate fate;
	} cases[] = {
		{ 1, false, RUNS },     { 1, true, RUNS },  { 1, true, FAILS },
		{ 1, true, REQUEUED },  { 2, false, RUNS }, { 2, false, FAILS },
		{ 2, false, REQUEUED }, { 2, true, RUNS },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t ids[3];

		afresh(setup, "case %zu", i);
		start(replace, 3, ids);
		fake_clock(60); /* they are known to be launched */
		pass();
		fake_snapshot();
		fake_drain(1, true);
		fake_die_at_save(cases[i].save, cases[i].written);
		pass();
		come_back(true);
		if (cases[i].fate == FAILS)
			fake_fail(ids[1], false);
		else if (cases[i].fate == REQUEUED)
			fake_lose(ids[1]);
		fake_drain(1, true);
		wait_passes();
		all_in_state(ids + 2, 1, FAKE_RUNNING);
		all_in_state(ids, 1, FAKE_RUNNING);
		all_in_state(ids + 1, 1, FAKE_PENDING);
		assert_int_equal(fake_job(ids[1])->restarts, 1);
		assert_int_equal(
			start_later(ids[1], (uint64_t)1 << 3).member_rank, 1);
		wait_passes();
		all_in_state(ids, 3, FAKE_RUNNING);
		assert_int_equal(fake_job(ids[1])->restarts, 1);
	}
}

TEST_MAIN(NULL, NULL)
