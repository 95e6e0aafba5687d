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
		run_on(rq, rq.requested);
	}
}

/* As slurmctld starts a member whose gang has started. */
static struct sgang_record start_later(uint32_t id, uint64_t nodes)
{
	wait_to(3, &id, 1, FAKE_PENDING);
	start_later_on(id, nodes);
	pass();
	return record_of(id);
}

/* A while, in which nothing happens. */
static void wait_passes(void)
{
	for (int i = 0; i < 4; i++)
		wait_and_pass(3);
}

/* The node drains, and nothing else happens for a while. */
static void drain(uint32_t node)
{
	fake_drain(node, true);
	wait_passes();
}

static const char replace[] = "on_drain=replace|on_failure=kill|"
			      "on_stale=kill|stale_grace=10";

/* Nothing else than the option moves anybody. */
TOY_TEST(test_ignore)
{
	static const char *const more[] = { NULL, "on_drain=ignore",
					    "on_failure=replace" };

	for (size_t i = 0; i < COUNT(more); i++) {
		afresh(setup, "case %zu", i);
		start(more[i], 3, train);
		drain(1);
		all_in_state(train, 3, FAKE_RUNNING);
		assert_int_equal(fake_counts.requeued, 0);
	}
}

/* It goes alone, is no loss to anybody, and comes back with its rank on the
 * node that was kept for it. */
TOY_TEST(test_moves)
{
	struct sgang_record r;

	start(replace, 3, train);
	fake_drain(1, true);
	pass_to(&train[1], 1, FAKE_PENDING);
	assert_int_equal(fake_counts.requeued, 1);
	r = record_of(train[1]);
	assert_string_equal(r.lost, "n1");
	assert_string_equal(r.kept, "n3");
	assert_true(r.kept_until > 0);
	assert_int_equal(r.leaves, 0);
	wait_passes();
	assert_int_equal(fake_state(train[0]), FAKE_RUNNING);
	assert_int_equal(fake_state(train[2]), FAKE_RUNNING);
	assert_true(fake_log_count(SGANG_LOG_INFO, "drains: it is requeued"));
	r = start_later(train[1], (uint64_t)1 << 3);
	assert_int_equal(r.member_rank, 1);
	assert_int_equal(r.members, 3);
	wait_passes();
	assert_int_equal(fake_counts.requeued, 1);
	all_in_state(train, 3, FAKE_RUNNING);
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
	start_spread(1, train);
	take(8, 15);
	drain(0);
	assert_int_equal(fake_state(train[0]), FAKE_PENDING);
	recorded(train[0], "kept=n1");
}

/* A member of two nodes stays in one leaf. */
TOY_TEST(test_spread_of_several_nodes)
{
	start_spread(2, train);
	/* with the node that it keeps: not in the two leaves that are free */
	take(2, 3);
	drain(0);
	all_in_state(train, 2, FAKE_RUNNING);
	recorded(train[0], "stays=nodes");
	/* nor on one node of each of them, if it leaves both */
	take(8, 10);
	take(12, 14);
	drain(1);
	all_in_state(train, 2, FAKE_RUNNING);
	fake_end(train[1] + 8); /* that on n14 */
	wait_passes();
	assert_int_equal(fake_state(train[0]), FAKE_PENDING);
	recorded(train[0], "kept=n[14-15]");
}

/* Where no node can take it, it stays, and says so; it goes when one can. */
TOY_TEST(test_no_room)
{
	start(replace, 3, train);
	take(3, 15);
	drain(2);
	all_in_state(train, 3, FAKE_RUNNING);
	recorded(train[2], "stays=nodes");
	recorded(train[1], "!stays");
	logged("no other node can take it", 1);
	fake_end(train[2] + 5); /* of those that have the other nodes */
	wait_passes();
	assert_int_equal(fake_state(train[2]), FAKE_PENDING);
	assert_int_equal(fake_counts.requeued, 1);
	(void)start_later(train[2], ALL_FREE);
}

/* The node is used again before there is room: nobody goes. */
TOY_TEST(test_undrained)
{
	start(replace, 3, train);
	take(3, 15);
	drain(2);
	recorded(train[2], "stays=nodes");
	fake_drain(2, false);
	pass();
	recorded(train[2], "!stays");
	fake_end(train[2] + 5);
	fake_drain(2, true);
	fake_drain(2, false); /* between two looks */
	wait_passes();
	all_in_state(train, 3, FAKE_RUNNING);
	assert_int_equal(fake_counts.requeued, 0);
}

/* One that Slurm does not requeue, or that was restarted so often, stays. */
TOY_TEST(test_stays)
{
	start("on_drain=replace|max_restarts=1", 3, train);
	fake_job(train[0])->no_requeue = true;
	fake_drain(0, true);
	drain(1);
	assert_int_equal(fake_state(train[0]), FAKE_RUNNING);
	recorded(train[0], "stays=requeue");
	assert_int_equal(fake_state(train[1]), FAKE_PENDING);
	(void)start_later(train[1], (uint64_t)1 << 3);
	drain(3);
	recorded(train[1], "stays=restarts");
	all_in_state(train, 3, FAKE_RUNNING);
	assert_int_equal(fake_counts.requeued, 1);
}

/* A job that waits and comes before it would have the node. */
TOY_TEST(test_queue)
{
	uint32_t first;

	start(replace, 3, train);
	first = submit(plain(16, 1000));
	drain(0);
	all_in_state(train, 3, FAKE_RUNNING);
	recorded(train[0], "stays=queue");
	fake_end(first);
	wait_passes();
	assert_int_equal(fake_state(train[0]), FAKE_PENDING);
}

/* Of several that want away one goes after the other. */
TOY_TEST(test_all_drain)
{
	start(replace, 3, train);
	fake_drain(0, true);
	fake_drain(1, true);
	drain(2);
	assert_int_equal(in_state("train", FAKE_RUNNING), 2);
	(void)start_later(train[0], (uint64_t)1 << 3);
	wait_passes();
	assert_int_equal(in_state("train", FAKE_RUNNING), 2);
	(void)start_later(train[1], (uint64_t)1 << 4);
	wait_passes();
	(void)start_later(train[2], (uint64_t)1 << 5);
	wait_passes();
	all_in_state(train, 3, FAKE_RUNNING);
	assert_int_equal(fake_counts.requeued, 3);
	for (uint32_t i = 0; i < 3; i++)
		recorded(train[i], "rank=%d/*", i);
}

/* A spare has the seat, also where no other node is free; one on a node that
 * drains is no help, and leaves too. */
TOY_TEST(test_spare)
{
	uint32_t spare[2];

	start("on_drain=replace|spares=2", 3, train);
	submit_and_pass(MEMBER("train", 3, .more = "on_drain=replace|spares=2"),
			2, spare);
	assert_true(start_later(spare[0], (uint64_t)1 << 3).spare);
	assert_true(start_later(spare[1], (uint64_t)1 << 4).spare);
	take(5, 15);
	drain(3);
	assert_int_equal(fake_counts.requeued, 0);
	recorded(spare[0], "stays=nodes");
	drain(1);
	assert_int_equal(fake_state(train[1]), FAKE_PENDING);
	assert_int_equal(fake_counts.requeued, 1);
	recorded(spare[1], "rank=1/*");
	recorded(spare[0], "spare");
	assert_int_equal(record_of(train[0]).epoch, record_of(spare[1]).epoch);
	fake_drain(1, false);
	assert_true(start_later(train[1], (uint64_t)1 << 1).spare);
}

/* In the namespace of an account each user's word counts for his own jobs. */
TOY_TEST(test_users)
{
	struct fake_request rq = MEMBER("acct/train", 2,
					.more = "on_drain=replace");

	train[0] = submit(rq);
	rq.user = "bob";
	rq.more = NULL;
	train[1] = submit(rq);
	schedule_and_pass();
	pass_to(train, 2, FAKE_RUNNING);
	fake_drain(0, true);
	drain(1);
	assert_int_equal(fake_state(train[0]), FAKE_PENDING);
	assert_int_equal(fake_state(train[1]), FAKE_RUNNING);
	assert_int_equal(fake_counts.requeued, 1);
}

/* Two gangs want the one node that is left: it is kept for the first. */
TOY_TEST(test_two_gangs)
{
	uint32_t other;

	start(replace, 3, train);
	other = submit(MEMBER("other", 1, .more = replace));
	schedule_and_pass();
	pass_to(&other, 1, FAKE_RUNNING);
	assert_true(fake_job(other)->nodes == (uint64_t)1 << 3);
	take(5, 15);
	fake_drain(0, true);
	drain(3);
	assert_int_equal(fake_counts.requeued, 1);
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
		afresh(setup, "case %zu", i);
		start(replace, 3, train);
		fake_clock(60); /* they are known to be launched */
		pass();
		fake_snapshot();
		fake_drain(1, true);
		fake_die_at_save(cases[i].save, cases[i].written);
		pass();
		come_back(true);
		if (cases[i].fate == FAILS)
			fake_fail(train[1], false);
		else if (cases[i].fate == REQUEUED)
			fake_lose(train[1]);
		drain(1);
		all_in_state(train + 2, 1, FAKE_RUNNING);
		all_in_state(train, 1, FAKE_RUNNING);
		all_in_state(train + 1, 1, FAKE_PENDING);
		assert_int_equal(fake_job(train[1])->restarts, 1);
		assert_int_equal(
			start_later(train[1], (uint64_t)1 << 3).member_rank, 1);
		wait_passes();
		all_in_state(train, 3, FAKE_RUNNING);
		assert_int_equal(fake_job(train[1])->restarts, 1);
	}
}

TEST_MAIN(NULL, NULL)
