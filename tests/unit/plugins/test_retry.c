/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_retry.c - what a gang that waits costs other jobs, and when it is tried
 * again */

#include "../unit.h"
#include "../core/fuzz.h"
#include "toy_cluster.h"

/* Jobs have all of so many nodes until then. */
static uint32_t busy_for(uint32_t nodes, int64_t ends)
{
	return run_until(plain(nodes, 500), FAKE_ALL_NODES, ends);
}

/* The nodes that are kept off a job that is tried now. */
static uint64_t fence(void)
{
	return ALL_FREE & ~fenced(1, ALL_FREE);
}

/* The main scheduler tries nobody behind a job that waits, and comes again; of
 * what backfill tries only the nodes of a plan are kept. */
TOY_TEST(test_fence_of_backfill)
{
	submit_and_pass(MEMBER("train", 2, .partition = LEAF(0) | LEAF(1)), 2,
			train);
	toy_backfill = true;
	assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
	assert_true(sgang_conductor_has_turns(c));
	assert_int_equal(__builtin_popcountll(fence()), 2);
	assert_true((fence() & ~(LEAF(0) | LEAF(1))) == 0);
	toy_backfill = false;
	assert_true(fence() == (LEAF(0) | LEAF(1)));
	pass_to(train, 2, FAKE_RUNNING);
}

/* A gang that is complete is planned before any scheduler has asked: it is known
 * when it starts, and backfill sets nothing aside for single members. A gang that
 * starts has made one attempt, and one that cannot is not tried again. */
TOY_TEST(test_plan_of_the_untried)
{
	uint32_t first = busy_for(15, 1000500), more[1];

	submit_and_pass(MEMBER("train", 2), 1, train);
	recorded(train[0], "!attempts");
	submit_and_pass(MEMBER("train", 2), 1, train + 1);
	assert_int_equal(joint_start("train"), 1000500);
	recorded(train[0], "attempts=1");
	assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
	assert_false(sgang_conductor_has_turns(c));

	submit_and_pass(MEMBER("small", 1), 1, more);
	recorded(more[0], "!attempts");
	schedule_to(more, 1, FAKE_RUNNING);
	recorded(more[0], "attempts=1");
	fake_end(first);
	schedule_to(train, 2, FAKE_RUNNING);
	recorded(train[0], "attempts=2");
}

/* Communication groups need all members; how many fit is counted without them. */
TOY_TEST(test_lack_with_groups)
{
	struct fake_request rq = MEMBER("train", 4, .cpus = 3,
					.more = "parallel=dp=4");
	uint32_t one, ids[4];

	assert_true(fake_start(submit(plain(12, 1)), FAKE_ALL_NODES));
	one = submit(plain(1, 1));
	assert_true(fake_start(one, FAKE_ALL_NODES));
	submit_and_schedule(rq, 4, ids);
	assert_int_equal(record_of(ids[0]).tried, 4);
	fake_end(one);
	schedule_to(ids, 4, FAKE_RUNNING);
}

/* A member that may have other shares can fit where no equal pieces of it do. */
TOY_TEST(test_lack_of_shares)
{
	struct fake_request rq = MEMBER("train", 3, .nodes = 2, .cpus = 2,
					.task_cpus = 1, .ranks = 3);
	uint32_t one, ids[3], probes;

	assert_true(fake_start(submit(plain(14, 1)), FAKE_ALL_NODES));
	one = submit(plain(1, 1));
	assert_true(fake_start(one, FAKE_ALL_NODES));
	submit_and_schedule(rq, 3, ids);
	probes = fake_counts.probes;
	fake_end(one);
	schedule_and_pass();
	assert_true(fake_counts.probes > probes);
}

/* Where a turn tries more than free nodes a plan does not tell that the gang
 * cannot start. */
TOY_TEST(test_plan_where_turns_try_more)
{
	uint32_t first = busy_for(15, 1000500);

	fake_world.prefers = true;
	submit_and_pass(MEMBER("train", 2), 2, train);
	recorded(train[0], "!attempts");
	assert_int_equal(joint_start("train"), 0);
	schedule_to(train, 2, FAKE_PENDING);
	assert_true(joint_start("train") == 1000500);
	end_and_pass(first);
	toy_backfill = true;
	assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
	assert_true(fence() == 0);
	pass_to(train, 2, FAKE_RUNNING);
}

/* A gang that did not fit, and fits now, is planned by the pass. Its nodes are
 * those on which it then starts. */
TOY_TEST(test_plan_before_the_turn)
{
	uint32_t first = busy_for(15, 1000500);
	uint64_t kept;

	gather_to(member_of("train", 2), 2, train, FAKE_PENDING);
	fake_end(first);
	fake_counts.woken = 0;
	pass_to(train, 2, FAKE_PENDING);
	assert_int_equal(fake_counts.woken, 1);
	toy_backfill = true;
	assert_true(fenced(1, ALL_FREE) == ALL_FREE); /* it has no turn */
	assert_int_equal(turn(train[1]), SGANG_TURN_TAKEN);
	kept = fence();
	assert_int_equal(__builtin_popcountll(kept), 2);
	assert_true(fenced(101, ALL_FREE) == ALL_FREE);
	pass_to(train, 2, FAKE_RUNNING);
	assert_true((ALL_FREE & ~fake_idle_nodes()) == kept);
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
}

/* ... but not if backfill has no such nodes for it. */
TOY_TEST(test_plan_that_is_not_offered)
{
	uint32_t first = busy_for(15, 1000500);

	gather_to(member_of("train", 2), 2, train, FAKE_PENDING);
	end_and_pass(first);
	toy_backfill = true;
	turn_on(train[0], 0x0001, true);
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
	pass_to(train, 2, FAKE_PENDING);
}

/* A plan whose nodes others have taken since is made again. */
TOY_TEST(test_plan_is_outdated)
{
	uint32_t first = busy_for(15, 1000500), other;

	gather_to(member_of("train", 2), 2, train, FAKE_PENDING);
	end_and_pass(first);
	other = busy_for(15, 1000900);
	wait_and_pass(1);
	toy_backfill = true;
	assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
	assert_false(sgang_conductor_has_turns(c));
	toy_backfill = false;
	end_and_pass(other);
	schedule_to(train, 2, FAKE_RUNNING);
}

/* An attempt that cannot succeed is none of a waiting gang's turns: neither when
 * jobs begin, nor when too little is freed; and never of those that may preempt,
 * or that wait for a lease of others' nodes, is a plan made. */
TOY_TEST(test_no_turn_in_vain)
{
	uint32_t ends[2] = { busy_for(7, 1000500), busy_for(8, 1000500) };

	gather_to(MEMBER("train", 12, .cpus = 4), 12, train, FAKE_PENDING);
	fake_end(ends[0]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
		assert_false(sgang_conductor_has_turns(c));
		pass_to(train, 12, FAKE_PENDING);
	}
	fake_end(ends[1]);
	schedule_to(train, 12, FAKE_RUNNING);
}

/* Nodes that were kept for another gang are free for this one when that is
 * cancelled, though no job has ended. */
TOY_TEST(test_kept_nodes_are_given_up)
{
	uint32_t ids[4], more[2];

	busy_for(14, 1000500);
	gather_to(MEMBER("large", 4, .priority = 200), 4, ids, FAKE_PENDING);
	submit_many(member_of("small", 2), 2, more);
	end_all(ids, 4);
	settle_to(more, 2, FAKE_RUNNING);
}

/* ---- what is kept of a node ---- */

/* The nodes of 'nodes' on which the job may run beyond the joint start. */
static uint64_t not_kept(uint32_t id, uint64_t nodes)
{
	struct sgang_nodeset *set = toy_set(nodes);
	struct sgang_standing s = { .priority = fake_job(id)->rq.priority,
				    .job_id = id };

	fake_scheduler(true);
	s.job = fake_host.jobs.find(id);
	(void)sgang_conductor_keep(c, &s, NULL, 1000900, set);
	fake_scheduler(false);
	return bits_left(set);
}

static uint32_t other(uint32_t cpus, uint32_t nodes)
{
	struct fake_request rq = plain(nodes, 1);

	rq.cpus = cpus;
	return submit(rq);
}

/* 12.2: until the joint start a gang that will use three CPUs of a node leaves
 * the fourth to others, whose number of nodes is fixed or not; and nothing of a
 * node that it takes whole, or on which its own are not free yet. */
TOY_TEST(test_kept_is_what_is_used)
{
	uint32_t busy = occupy(0xc000, 1000500), one, two, whole, tasks;

	gather_to(MEMBER("train", 4, .cpus = 3, .partition = LEAF(3)), 4, train,
		  FAKE_PENDING);
	one = other(1, 1);
	two = other(2, 1);
	whole = submit(plain(1, 1));
	tasks = submit((struct fake_request){ .total_cpus = 2, .priority = 1 });
	assert_true(not_kept(one, ALL_FREE) == (ALL_FREE & ~0xc000));
	assert_true(not_kept(two, ALL_FREE) == (ALL_FREE & ~LEAF(3)));
	assert_true(not_kept(whole, ALL_FREE) == (ALL_FREE & ~LEAF(3)));
	assert_true(not_kept(tasks, ALL_FREE) == (ALL_FREE & ~LEAF(3)));
	/* it has been placed there: the next finds too little */
	assert_true(fake_start(one, 0x1000));
	assert_true(not_kept(other(1, 1), LEAF(3)) == 0x2000);
	fake_end(busy);
	schedule_to(train, 4, FAKE_RUNNING);
}

/* Nor is one left to another user's job, where one of the two shares its nodes
 * with jobs of its own user alone. */
TOY_TEST(test_kept_of_one_user)
{
	struct fake_request job = plain(1, 1);

	for (int own = 0; own < 2; own++) {
		afresh(setup, "own %d", own);
		occupy(0xc000, 1000500);
		gather_to(MEMBER("train", 4, .cpus = 3, .own_user = own,
				 .partition = LEAF(3)),
			  4, train, FAKE_PENDING);
		job.cpus = 1;
		job.user = "bob";
		job.own_user = false;
		assert_true(not_kept(submit(job), ALL_FREE) ==
			    (ALL_FREE & ~(own ? LEAF(3) : UINT64_C(0xc000))));
		job.own_user = true;
		assert_true(not_kept(submit(job), ALL_FREE) ==
			    (ALL_FREE & ~LEAF(3)));
		job.user = "alice";
		assert_true(not_kept(submit(job), ALL_FREE) ==
			    (ALL_FREE & ~UINT64_C(0xc000)));
	}
}

/* Nor is a node left to a job that Slurm may give more there than an even share:
 * its tasks are divided as there is room, or it may do with fewer nodes. */
TOY_TEST(test_kept_of_uneven)
{
	struct fake_request job = plain(2, 1);

	occupy(0x1000, 1000500);
	/* they leave two CPUs on one of three nodes */
	gather_to(MEMBER("train", 5, .cpus = 2, .partition = 0x7000), 5, train,
		  FAKE_PENDING);
	job.cpus = 2;
	assert_true(not_kept(submit(job), 0x7800) == 0x4800);
	job.ranks = 4;
	job.task_cpus = 1;
	assert_true(not_kept(submit(job), 0x7800) == 0x0800);
	job.ranks = 2;
	job.task_cpus = 0;
	assert_true(not_kept(submit(job), 0x7800) == 0x4800);
}

/* Members that differ keep their nodes whole. */
TOY_TEST(test_kept_of_unlike)
{
	uint32_t more[2];

	occupy(0xc000, 1000500);
	submit_many(MEMBER("train", 4, .cpus = 3, .partition = LEAF(3)), 2,
		    train);
	submit_and_settle(MEMBER("train", 4, .cpus = 4, .partition = LEAF(3)),
			  2, more);
	assert_true(not_kept(other(1, 1), ALL_FREE) == (ALL_FREE & ~LEAF(3)));
}

/* What it has reserved stays reserved until its turn: backfill may be in the
 * middle of the queue, or keep the nodes of the plan for a job before the gang. */
TOY_TEST(test_plan_is_reserved)
{
	uint32_t first = busy_for(15, 1000500), behind;
	uint64_t left;

	gather_to(member_of("train", 2), 2, train, FAKE_PENDING);
	behind = other(CPUS, 1);
	left = not_kept(behind, ALL_FREE);
	assert_int_equal(__builtin_popcountll(left), NODES - 2);
	end_and_pass(first);
	assert_true(not_kept(behind, ALL_FREE) == left);
	toy_backfill = true;
	turn_on(train[0], 0x0001, true);
	assert_true(not_kept(behind, ALL_FREE) == left);
	pass_to(train, 2, FAKE_PENDING);
	toy_backfill = false;
	schedule_to(train, 2, FAKE_RUNNING);
	assert_true(not_kept(behind, ALL_FREE) == ALL_FREE);
}

/* Where Slurm refuses what is planned a plan tells nothing, and the reason stays:
 * only its turn may help. */
TOY_TEST(test_refused_is_not_planned)
{
	uint32_t first = busy_for(4, 1000500);
	char text[320];

	gather_to(MEMBER("train", 2, .not_on = ALL_FREE), 2, train,
		  FAKE_PENDING);
	strcpy(text, fake_job(train[0])->text);
	end_and_pass(first);
	assert_string_equal(fake_job(train[0])->text, text);
}

/* A plan is one for what the members asked then. */
TOY_TEST(test_plan_of_other_requests)
{
	struct fake_request rq = MEMBER("train", 2, .partition = LEAF(0));
	uint32_t first = busy_for(15, 1000500);

	gather_to(rq, 2, train, FAKE_PENDING);
	end_and_pass(first);
	rq.partition = LEAF(3);
	fake_update(train[0], &rq);
	fake_update(train[1], &rq);
	pass();
	toy_backfill = true;
	assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
	assert_true(sgang_conductor_has_turns(c));
	assert_int_equal(__builtin_popcountll(fence()), 2);
	assert_true((fence() & ~LEAF(3)) == 0);
	assert_true(not_kept(other(CPUS, 1), ALL_FREE) == ALL_FREE);
	pass_to(train, 2, FAKE_RUNNING);
}

/* A plan does not try all that a turn does, --prefer and reservations that
 * attract jobs among others: plans that fail put off no turn. */
TOY_TEST(test_plans_put_off_no_turn)
{
	uint32_t more[4], turns = 0;

	busy_for(14, 1000500);
	submit_many(MEMBER("train", 8, .cpus = 3), 4, train);
	submit_and_settle(MEMBER("train", 8, .cpus = 4), 4, more);
	for (int i = 0; i < 12; i++) {
		uint32_t brief = other(1, 1);

		assert_true(fake_start(brief, FAKE_ALL_NODES));
		fake_end(brief);
		wait_and_pass(1);
		assert_int_equal(turn(train[0]), SGANG_TURN_TAKEN);
		turns += sgang_conductor_has_turns(c);
		pass();
	}
	assert_int_equal(turns, 2);
}

/* ---- what is set aside before it ---- */

/* 12.3: nodes that are set aside for a job before the gang are busy until that
 * has ended; those for a job behind it, or for its own members, are not. When the
 * moment has come the gang is tried, though nothing was freed. */
TOY_TEST(test_joint_start_after_others)
{
	uint32_t busy = submit(plain(12, 500)), before, behind;

	assert_true(fake_start(busy, LEAF(0) | LEAF(1) | LEAF(2)));
	fake_job(busy)->ends = 1000500;
	before = submit(plain(16, 300));
	behind = submit(plain(16, 1));
	submit_and_pass(member_of("train", 3), 3, train);
	fake_set_aside(before, 0x7fff, 1000500, 1000900);
	/* backfill offers what it has not set aside */
	turn_on(train[0], LEAF(3) & ~0x7fffULL, true);
	pass_to(train, 3, FAKE_PENDING);
	assert_int_equal(joint_start("train"), 1000900);
	fake_set_aside(behind, 0x7fff, 1000500, 1000900);
	fake_clock(5);
	turn_on(train[0], 0x8000, true);
	pass();
	recorded(train[0], "attempts=2");
	assert_int_equal(joint_start("train"),
			 0); /* now, but for what is kept */
	fake_set_aside(train[1], 0x7fff, 1000500, 1000900);
	fake_clock(5);
	turn_on(train[0], 0x8000, true);
	pass();
	assert_int_equal(joint_start("train"), 0);
	fake_end(before);
	schedule_to(train, 3, FAKE_RUNNING);
}

/* Backfill begins with the first job of its queue again. */
static void next_cycle(void)
{
	const struct sgang_standing last = { .job_id = 9001 };
	const struct sgang_standing first = { .priority = 900, .job_id = 9000 };
	struct sgang_nodeset *nodes = toy_set(ALL_FREE);

	sgang_conductor_offered(c, &last, NULL, nodes);
	sgang_conductor_offered(c, &first, NULL, nodes);
	sgang_nodeset_destroy(nodes);
}

/* 12.3: nodes that are set aside for a job before the gang from a moment within
 * its time limit on are none that it could start on: it takes no turn, and the
 * nodes that backfill would offer to single members are free for others. What is
 * set aside may be others in the next cycle. */
TOY_TEST(test_plan_beside_others)
{
	static const struct {
		uint32_t limit;
		bool fits;
	} of[] = { { 0, false }, { 1000, false }, { 300, true } };

	for (size_t i = 0; i < COUNT(of); i++) {
		uint32_t before;

		afresh(setup, "i %zu", i);
		run_until(plain(8, 500), LEAF(0) | LEAF(1), 1000500);
		before = submit(plain(12, 300));
		fake_set_aside(before, 0x0fff, 1000500, 1000900);
		submit_and_pass(MEMBER("train", 6, .time_limit = of[i].limit),
				6, train);
		assert_int_equal(joint_start("train"),
				 of[i].fits ? 0 : 1000900);
		toy_backfill = true;
		turn_on(train[0], 0xf000, true);
		assert_true(sgang_conductor_has_turns(c) == of[i].fits);
		if (of[i].fits)
			continue;
		pass_to(train, 6, FAKE_PENDING);

		fake_set_aside(before, 0x03ff, 1000500, 1000900);
		pass();
		turn_on(train[0], 0xfc00, true);
		assert_false(sgang_conductor_has_turns(c));
		next_cycle();
		pass();
		turn_on(train[0], 0xfc00, true);
		pass_to(train, 6, FAKE_RUNNING);
	}
}

/* 12.3, 3.33: when a job before the gang has begun, or is planned for another
 * time, the gang may start sooner, though nothing was freed. Until that is known
 * jobs that end before its outdated start come before it. */
TOY_TEST(test_start_comes_nearer)
{
	uint32_t before;

	busy_for(16, 1000500);
	before = submit(plain(16, 300));
	fake_set_aside(before, ALL_FREE, 1000500, 1000900);
	submit_and_pass(member_of("train", 3), 3, train);
	assert_int_equal(joint_start("train"), 1000900);
	wait_and_pass(1);
	assert_int_equal(joint_start("train"), 1000900);

	fake_set_aside(before, 0, 1000500, 1000900);
	next_cycle();
	wait_and_pass(1);
	assert_int_equal(joint_start("train"), 1000500);
}

static void has_begun(uint32_t id)
{
	fake_scheduler(true);
	sgang_conductor_began(c, fake_host.jobs.find(id));
	fake_scheduler(false);
}

/* 12.3, 3.33: when a job before the gang begins, jobs behind it that are tried in
 * the same cycle of backfill get none of its nodes, though they end before its
 * outdated start. */
TOY_TEST(test_job_before_begins)
{
	uint32_t before, small;

	busy_for(16, 1000500);
	before = submit(plain(16, 300));
	fake_set_aside(before, ALL_FREE, 1000500, 1000900);
	submit_and_pass(member_of("train", 3), 3, train);
	assert_int_equal(joint_start("train"), 1000900);
	small = submit(plain(1, 1));
	assert_int_equal(not_kept(small, ALL_FREE), ALL_FREE);
	has_begun(small);
	assert_int_equal(not_kept(small, ALL_FREE), ALL_FREE);
	has_begun(before);
	assert_int_not_equal(not_kept(small, ALL_FREE), ALL_FREE);

	fake_set_aside(before, 0, 1000500, 1000900);
	next_cycle();
	wait_and_pass(1);
	assert_int_equal(joint_start("train"), 1000500);
}

/* The preferred level is given up after three seconds, in the pass of then. */
TOY_TEST(test_moment_has_come)
{
	gather_to(MEMBER("train", 5, .topology = "prefer:leaf@0:03"), 5, train,
		  FAKE_PENDING);
	for (int i = 0; i < 2; i++) {
		wait_and_schedule(1);
		all_in_state(train, 5, FAKE_PENDING);
	}
	wait_and_pass(1);
	schedule_to(train, 5, FAKE_RUNNING);
}

/* ---- jobs and gangs that come and go ---- */

static struct {
	uint64_t dice;
	uint32_t lost; /* jobs that backfill refused though they fit */
	uint32_t gangs, others, cycles;
	uint64_t turns, probes;
} play;

static uint32_t below(uint32_t n)
{
	return (uint32_t)fuzz_below(&play.dice, n);
}

static bool is_other(const struct fake_job *j, enum fake_state state)
{
	return j->live && !j->gang[0] && j->state == state;
}

/* A cycle of backfill and the pass behind it. A job of no gang that still waits,
 * though it fits on nodes that no gang has got, was refused. */
static void cycle(void)
{
	uint64_t fits[FAKE_JOBS];

	backfill();
	for (size_t i = 0; i < FAKE_JOBS; i++) {
		const struct fake_job *j = fake_record(i);

		fits[i] = is_other(j, FAKE_PENDING) ? fake_fits(j->id) : 0;
	}
	pass();
	for (size_t i = 0; i < FAKE_JOBS; i++) {
		const struct fake_job *j = fake_record(i);

		if (fits[i] && is_other(j, FAKE_PENDING) &&
		    __builtin_popcountll(fake_fits(j->id)) >= (int)j->rq.nodes)
			play.lost++;
	}
	play.cycles++;
}

static void end_some(void)
{
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state == FAKE_RUNNING && below(j->gang[0] ? 4 : 6) == 0)
			fake_end(j->id);
	}
	fake_purge();
}

static uint32_t count(bool gangs)
{
	uint32_t n = 0;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j))
		n += j->state == FAKE_PENDING && !j->gang[0] != gangs;
	return n;
}

static void submit_gang(bool whole)
{
	char name[16];
	uint32_t n = 4 + below(whole ? 8 : 24), ids[32];
	struct fake_request rq = MEMBER(name, n, .priority = 400);

	snprintf(name, sizeof(name), "g%u", play.gangs++);
	rq.cpus = whole ? CPUS : 2;
	submit_many(rq, n, ids);
}

static void go_on(bool whole, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++) {
		fake_clock(1 + below(3));
		end_some();
		/* what is left to the gang at times */
		while (i % 25 < 20 && count(false) < 4) {
			struct fake_request rq = plain(1 + below(3), 1);

			rq.cpus = 1 + below(2);
			(void)submit(rq);
			play.others++;
		}
		if (!count(true))
			submit_gang(whole);
		pass();
		cycle();
	}
}

/* 12.1: jobs begin and end all the time, and gangs wait before them, of whole
 * nodes or of parts. Behind an ordinary job in the gang's place backfill refuses
 * none that fits; behind a gang neither. */
TOY_TEST(test_no_lost_cycle)
{
	uint32_t others = 0, gangs = 0;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		afresh(setup, "seed %u", seed);
		memset(&play, 0, sizeof(play));
		play.dice = seed;
		go_on(seed % 2, 200);
		if (play.lost)
			fail_msg("%s: %u of %u jobs were refused in %u cycles",
				 context, play.lost, play.others, play.cycles);
		others += play.others;
		gangs += play.gangs;
	}
	/* the dice are worth something */
	assert_true(others > 5000 && gangs > 60);
}

TEST_MAIN(NULL, NULL)
