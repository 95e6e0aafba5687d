/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_rules.c - modes, groups, order, waiting time, failures on a toy cluster */

#include "../unit.h"
#include "../core/fuzz.h"
#include "toy_cluster.h"

/* ---- nonstrict ---- */

/* 0.7, 0.8: members keep what they got until all have something. */
TOY_TEST(test_nonstrict_accumulates)
{
	uint32_t first, second;

	first = busy(14);
	gather(nonstrict_of("train", 4), 4, train);
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	assert_int_equal(in_state("train", FAKE_RUNNING), 0);
	recorded(train[0], "phase=holding");
	assert_int_equal(record_of(train[0]).mode, SGANG_MODE_NONSTRICT);
	recorded(train[0], "!rank");
	mentions(train[3], "Gang alice/train holding 2/4 members since ");

	/* the rest fits: all start in one step */
	fake_end(first);
	second = busy(13);
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_HELD), 3);
	fake_end(second);
	schedule_to(train, 4, FAKE_RUNNING);
	assert_int_equal(fake_counts.undone, 0);
	for (uint32_t i = 0; i < 4; i++) {
		recorded(train[i], "rank=%d/*", i);
		is_told(train[i], "SLURM_GANG_MEMBERS", "4");
	}
}

/* 0.2: a strict gang in the same place holds nothing. */
TOY_TEST(test_strict_holds_nothing)
{
	busy(14);
	gather_to(member_of("train", 4), 4, train, FAKE_PENDING);
	/* 0.3, 0.4: two would fit, the third was tried, one was not */
	recorded(train[0], "tried=3 skipped=1");
	assert_int_equal(record_of(train[2]).round,
			 record_of(train[0]).attempts);
	recorded(train[3], "!round");
}

/* 0.39 to 0.41, 0.45: each attempt is a cycle, in which a member is tried once,
 * and there is no other before something has changed; 0.42: nonstrict gangs
 * have cycles too, but nobody is skipped in them. */
TOY_TEST(test_cycles)
{
	uint32_t strict[4], loose[4], last, first = busy(2);

	busy(12);
	submit_many(member_of("strict", 4), 4, strict);
	submit_and_pass(nonstrict_of("loose", 4), 4, loose);
	reach(strict[0]);
	recorded(strict[0], "attempts=1 round=1");
	recorded(strict[3], "!round");
	for (int i = 0; i < 3; i++)
		reach(strict[0]);
	recorded(strict[0], "attempts=1");

	reach(loose[0]);
	recorded(loose[3], "tried=4 !skipped");
	/* what it took is nothing for the other, what is freed may be */
	last = record_of(strict[0]).attempts;
	reach(strict[1]);
	assert_int_equal(record_of(strict[0]).attempts, last);
	fake_end(first);
	reach(strict[1]);
	assert_true(record_of(strict[0]).attempts > last);
}

/* 0.6, 0.46, 0.55: the mode is each gang's own. */
TOY_TEST(test_modes_side_by_side)
{
	uint32_t strict[4], loose[4];

	busy(14);
	submit_many(member_of("strict", 4), 4, strict);
	submit_and_pass(nonstrict_of("loose", 4), 4, loose);
	cycles(3);
	assert_int_equal(in_state("strict", FAKE_HELD), 0);
	assert_int_equal(in_state("loose", FAKE_HELD), 2);
}

/* 0.49: when one member has its turn, all of them are tried at once. */
TOY_TEST(test_siblings_follow)
{
	busy(13);
	submit_and_pass(nonstrict_of("train", 4), 4, train);
	reach(train[2]);
	assert_int_equal(in_state("train", FAKE_HELD), 3);
}

/* 0.7: one that does not fit affects none of those after it. */
TOY_TEST(test_nonstrict_skips)
{
	struct fake_request big = nonstrict_of("train", 3), small = big;

	big.nodes = 13;
	busy(4);
	train[0] = submit(big);
	train[1] = submit(small);
	train[2] = arrive(small);
	schedule_to(&train[0], 1, FAKE_PENDING);
	assert_int_equal(fake_state(train[1]), FAKE_HELD);
	assert_int_equal(fake_state(train[2]), FAKE_HELD);
}

/* A gang that could not start even alone on the cluster holds nothing. */
TOY_TEST(test_never_fits)
{
	gather_to(nonstrict_of("train", 17), 17, train, FAKE_PENDING);
	says(train[0], "Gang alice/train waits: "
		       "17 nodes are needed, and 16 have what its members "
		       "ask for");
}

/* A limit of its association: it holds nothing, since what it holds counts. */
TOY_TEST(test_nonstrict_limit)
{
	submit_many(nonstrict_of("train", 4), 4, train);
	fake_job(train[2])->limited = true;
	settle_to(train, 4, FAKE_PENDING);
	assert_true(fake_idle_nodes() == ALL_FREE);
	mentions(train[0], "AssocGrpCpuLimit");
	/* it is out of the way of others, and asks again */
	assert_true(fake_job(train[0])->parked);
	fake_job(train[2])->limited = false;
	wait_and_pass(10);
	schedule_to(train, 4, FAKE_RUNNING);
}

/* A member that is cancelled leaves too few: the others hold in vain. */
TOY_TEST(test_nonstrict_too_few_left)
{
	busy(14);
	gather(nonstrict_of("train", 4), 4, train);
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	end_and_pass(train[3]);
	assert_int_equal(in_state("train", FAKE_HELD), 0);
	pass();
	recorded(train[0], "phase=gathering");
}

/* 6.8: another job starts at the place of a member that holds. */
static void yield_one(uint32_t id, uint32_t to)
{
	struct sgang_spec spec = spec_of(id);

	fake_scheduler(true);
	assert_true(
		sgang_conductor_may_yield(c, &spec, fake_host.jobs.find(id)));
	sgang_conductor_yield(c, &spec, fake_host.jobs.find(id), to);
	assert_false(
		sgang_conductor_may_yield(c, &spec, fake_host.jobs.find(id)));
	assert_true(fake_start(to, ALL_FREE));
	fake_scheduler(false);
}

TOY_TEST(test_nonstrict_yields)
{
	uint32_t first, other;

	first = busy(14);
	gather(nonstrict_of("train", 4), 4, train);
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	other = submit(plain(1, 1000));
	yield_one(train[0], other);
	assert_int_equal(fake_state(train[0]), FAKE_PENDING);
	pass();
	assert_int_equal(in_state("train", FAKE_HELD), 1);
	recorded(train[0], "holdend=preempted");

	/* it is a member as before */
	end_and_schedule(other);
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	fake_end(first);
	schedule_to(train, 4, FAKE_RUNNING);
	assert_false(sgang_conductor_may_yield(
		c, &(struct sgang_spec){ .ns = "nobody" },
		fake_host.jobs.find(train[0])));
}

/* 0.36, 0.54: slurmctld is restarted, or killed, while members hold. */
TOY_TEST(test_nonstrict_restart)
{
	for (int died = 0; died < 2; died++) {
		uint32_t other;

		afresh(setup, "died %d", died);
		other = busy(14);
		gather(nonstrict_of("train", 4), 4, train);
		assert_int_equal(in_state("train", FAKE_HELD), 2);
		come_back_and_pass(died);
		assert_int_equal(in_state("train", FAKE_HELD), 2);
		assert_int_equal(fake_counts.adopted, 2);
		fake_end(other);
		schedule_to(train, 4, FAKE_RUNNING);
		is_told(train[3], "SLURM_GANG_MEMBER_RANK", "3");
	}
}

/* After a restart nodes are asked twice where they say no. */
static void nodes_tell(void)
{
	pass();
	wait_and_pass(5);
	pass();
}

/* 5.2: the state of slurmctld is damaged where it tells that a member is held.
 * Nobody takes it for started, and the others go on to wait for it. */
TOY_TEST(test_spoilt_record)
{
	for (size_t spoilt = 1; spoilt <= 2; spoilt++) {
		uint32_t other;

		afresh(setup, "spoilt %zu", spoilt);
		other = busy(14);
		gather(nonstrict_of("train", 4), 4, train);
		assert_int_equal(in_state("train", FAKE_HELD), 2);
		for (size_t i = 0; i < spoilt; i++)
			fake_spoil(train[i]);
		come_back_and_pass(false);
		assert_int_equal(in_state("train", FAKE_HELD), 2);
		nodes_tell();
		assert_int_equal(in_state("train", FAKE_RUNNING), 0);
		end_and_schedule(other);
		nodes_tell();
		all_in_state(train, 4, FAKE_RUNNING);
	}
}

/* A member that comes after the start, and whose record was never written. */
TOY_TEST(test_late_without_record)
{
	uint32_t late;

	start_many(member_of("train", 2), 2, train);
	late = submit(member_of("train", 2));
	schedule_and_pass();
	fake_spoil(late);
	come_back_and_pass(false);
	nodes_tell();
	assert_int_equal(fake_job(late)->state, FAKE_RUNNING);
}

/* ---- no deadlock ---- */

/* Run until nothing is pending: what runs ends after a while. Returns the
 * rounds it took; fails when nothing moves any more. */
static uint32_t run_all(uint64_t *fuzz, const char *what)
{
	uint32_t rounds = 0, still = 0, pending, before = UINT32_MAX;

	for (;;) {
		pending = 0;
		schedule_and_pass();
		pass();
		for (const struct fake_job *j = fake_next(NULL); j;
		     j = fake_next(j)) {
			pending += j->state == FAKE_PENDING ||
				   j->state == FAKE_HELD;
			if (j->state == FAKE_RUNNING && fuzz_below(fuzz, 2))
				fake_end(j->id);
		}
		if (!pending)
			return rounds;
		still = (pending == before) ? still + 1 : 0;
		before = pending;
		/* less than the waiting time, which would help by force */
		if (still > 40)
			fail_msg("%s: %s: %u members wait for ever", context,
				 what, pending);
		fake_clock(3);
		rounds++;
	}
}

/* Submit the members of all gangs in a random order, the scheduler looking in
 * between, so that each gang gets some of the nodes. */
static void submit_shuffled(uint64_t *fuzz, struct fake_request *all,
			    uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)fuzz_below(fuzz, i);
		struct fake_request rq = all[j];

		all[j] = all[i - 1];
		all[i - 1] = rq;
	}
	for (uint32_t i = 0; i < n; i++) {
		submit(all[i]);
		if (!fuzz_below(fuzz, 3))
			schedule_and_pass();
	}
}

/* With the thread sanitizer test_sixty_gangs alone took 26 minutes for all. */
#ifdef __SANITIZE_THREAD__
#define SEEDS 10
#else
#define SEEDS 100
#endif

/* 0.9: three gangs of 5 on room for 10. */
TOY_TEST(test_three_of_five)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		static const char *const names[] = { "a", "b", "c" };
		uint64_t fuzz = seed;
		struct fake_request all[15];

		afresh(setup, "three gangs of 5, seed %u", seed);
		busy(6);
		for (uint32_t i = 0; i < 15; i++)
			all[i] = nonstrict_of(names[i / 5], 5);
		submit_shuffled(&fuzz, all, 15);
		run_all(&fuzz, "three gangs");
	}
}

/* 0.9 as it is told: they hold 3, 3 and 4, and one of them gets on. */
TOY_TEST(test_three_three_four)
{
	uint32_t a[5], b[5], d[5], room;

	room = busy(16);
	submit_many(nonstrict_of("a", 5), 5, a);
	submit_many(nonstrict_of("b", 5), 5, b);
	submit_and_pass(nonstrict_of("c", 5), 5, d);
	/* the first takes three nodes, then the second, then four are left */
	fake_end(room);
	room = busy(13);
	reach(a[0]);
	fake_end(room);
	room = busy(10);
	reach(b[0]);
	fake_end(room);
	room = busy(6);
	reach(d[0]);
	schedule_and_pass();
	schedule_to(a, 5, FAKE_RUNNING);
	end_all(a, 5);
	cycles(4);
	all_in_state(b, 5, FAKE_RUNNING);
}

/* Slurm reaches nobody while the holders have all there is: they get on all the
 * same, and so does a gang that holds nothing, when backfill plans for it. */
TOY_TEST(test_out_of_reach)
{
	uint32_t a[10], b[10], strict[16], room;

	room = busy(16);
	submit_many(nonstrict_of("a", 10), 10, a);
	submit_and_pass(nonstrict_of("b", 10), 10, b);
	fake_end(room);
	room = busy(8);
	reach(b[0]);
	fake_end(room);
	submit_many(MEMBER("strict", 16, .priority = 200), 16, strict);
	reach(a[0]);
	pass_to(a, 10, FAKE_RUNNING);
	end_all(a, 10);
	(void)turn(b[0]);
	pass_to(b, 10, FAKE_RUNNING);
	end_all(b, 10);
	schedule_to(strict, 16, FAKE_RUNNING);
}

/* A strict gang that comes before holders and holds nothing. */
TOY_TEST(test_holders_give_way_to_strict)
{
	uint32_t a[10], strict[16], room;
	struct sgang_spec spec;

	room = busy(8);
	submit_and_pass(nonstrict_of("a", 10), 10, a);
	reach(a[0]);
	assert_int_equal(in_state("a", FAKE_HELD), 8);
	submit_many(MEMBER("strict", 16, .priority = 200), 16, strict);
	hold_and_pass(a[9], false);
	end_and_pass(room);
	/* backfill plans for it, nobody reaches it */
	spec = named("alice", "strict");
	fake_scheduler(true);
	(void)sgang_conductor_joint_start(c, &spec);
	fake_scheduler(false);
	passes(2);
	assert_int_equal(in_state("strict", FAKE_PENDING), 16);
	/* the free nodes are not the holders': it has to be reached */
	(void)turn(strict[0]);
	pass_to(strict, 16, FAKE_RUNNING);
}

/* Groups {A,B} and {C,D}, tried in the order A, C, B, D. */
TOY_TEST(test_two_groups)
{
	static const struct {
		const char *name, *more;
	} gangs[] = {
		{ "a", "mode=nonstrict|groups=alice/a,alice/b" },
		{ "c", "mode=nonstrict|groups=alice/c,alice/d" },
		{ "b", "mode=nonstrict|groups=alice/a,alice/b" },
		{ "d", "mode=nonstrict|groups=alice/c,alice/d" },
	};

	for (uint32_t seed = 0; seed <= SEEDS; seed++) {
		uint64_t fuzz = seed + 1;
		struct fake_request all[16];

		afresh(setup, "groups A B and C D, seed %u", seed);
		busy(6);
		for (uint32_t i = 0; i < 16; i++) {
			all[i] = member_of(gangs[i / 4].name, 4);
			all[i].more = gangs[i / 4].more;
		}
		if (seed) {
			submit_shuffled(&fuzz, all, 16);
		} else {
			for (uint32_t i = 0; i < 16; i++)
				submit(all[i]);
		}
		run_all(&fuzz, "groups");
	}
}

/* Two gangs of 100 slots on 100: here 60 on 60 of 64, in arrays and jobs. */
TOY_TEST(test_two_of_all)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t fuzz = seed;
		struct fake_request all[120];

		afresh(setup, "two gangs of everything, seed %u", seed);
		busy(1);
		for (uint32_t i = 0; i < 120; i++) {
			all[i] = nonstrict_of(i < 60 ? "a" : "b", 60);
			all[i].cpus = 1;
		}
		submit_shuffled(&fuzz, all, 120);
		run_all(&fuzz, "two gangs");
	}
}

/* 60 gangs of 1 to 8 slots on two nodes of 8: members of different size, so a
 * gang can be in its own way. */
TOY_TEST(test_sixty_gangs)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		static char names[60][8];
		struct fake_request all[480];
		uint64_t fuzz = seed;
		uint32_t n = 0;

		sgang_conductor_destroy(c);
		toy_nodes = 2;
		fake_cluster(toy_nodes, 8, MEMORY, LICENCES);
		start_conductor();
		snprintf(context, sizeof(context), "60 gangs, seed %u", seed);
		for (uint32_t g = 0; g < 60; g++) {
			uint32_t slots = 1 + (uint32_t)fuzz_below(&fuzz, 8);
			uint32_t first = n;

			snprintf(names[g], sizeof(names[g]), "g%u", g);
			while (slots) {
				uint32_t size = 1 + (uint32_t)fuzz_below(&fuzz,
									 slots);

				all[n] = nonstrict_of(names[g], 0);
				all[n++].cpus = size;
				slots -= size;
			}
			for (uint32_t i = first; i < n; i++)
				all[i].min = n - first;
		}
		submit_shuffled(&fuzz, all, n);
		run_all(&fuzz, "60 gangs");
	}
}

/* With scripts to wait for, those after the first give up for good. */
TOY_TEST(test_give_up)
{
	uint32_t a[5], b[5], room;

	fake_world.recommits = false;
	room = busy(16);
	submit_many(nonstrict_of("a", 5), 5, a);
	submit_and_pass(nonstrict_of("b", 5), 5, b);
	fake_end(room);
	room = busy(13);
	reach(b[0]);
	assert_int_equal(in_state("b", FAKE_HELD), 3);
	fake_end(room);
	room = busy(10);
	schedule_and_pass();
	schedule_to(a, 5, FAKE_RUNNING);
}

/* ---- groups ---- */

#define WITH(others) "groups=" others

/* 0.10, 0.22, 0.30, 0.47: two roles of different users, shapes and partitions
 * start in one step, and nothing starts while one of them is incomplete. */
TOY_TEST(test_group)
{
	struct fake_request b = MEMBER("worker", 3,
				       .more = WITH("alice/driver,bob/worker"),
				       .user = "bob", .partition = LEAF(2));
	uint32_t driver, workers[3];

	driver = submit(MEMBER("driver", 1, .more = WITH("bob/worker"),
			       .partition = LEAF(0), .cpus = 2));
	submit_and_pass(b, 2, workers);
	schedule_to(&driver, 1, FAKE_PENDING);
	mentions(driver, "Gang bob/worker gathering 2/3 members");
	workers[2] = arrive(b);
	schedule_to(&driver, 1, FAKE_RUNNING);
	all_in_state(workers, 3, FAKE_RUNNING);
	is_told(driver, "SLURM_GANG_MEMBERS", "1");
	is_told(workers[0], "SLURM_GANG_MEMBERS", "3");
}

/* One of two strict gangs has no room: the other holds nothing. */
TOY_TEST(test_group_all_or_none)
{
	struct fake_request a = member_of("a", 2), b = member_of("b", 2);
	uint32_t ids[4], other;

	a.more = b.more = WITH("alice/a,alice/b");
	b.partition = LEAF(3);
	other = run_on(plain(3, 1000), LEAF(3));
	submit_many(a, 2, ids);
	submit_and_pass(b, 2, ids + 2);
	schedule_to(ids, 4, FAKE_PENDING);
	fake_end(other);
	schedule_to(ids, 4, FAKE_RUNNING);
}

/* The first takes, by its ring cost, the only nodes that the second can use:
 * then the second goes first. */
TOY_TEST(test_group_in_the_way)
{
	struct fake_request a = member_of("a", 2), b = member_of("b", 2);
	uint32_t ids[4];

	a.more = b.more = WITH("alice/a,alice/b");
	b.partition = 0x3; /* n0, n1 */
	run_on(plain(12, 1000), ALL_FREE & ~(uint64_t)0x33);
	submit_many(a, 2, ids);
	submit_and_pass(b, 2, ids + 2);
	schedule_to(ids, 4, FAKE_RUNNING);
	assert_int_equal(fake_job(ids[2])->nodes | fake_job(ids[3])->nodes,
			 0x3);
}

/* 0.22: consent. Bob lists alice's gang, which does not list his: hers is not
 * concerned, his waits and says why. */
TOY_TEST(test_no_consent)
{
	uint32_t other;

	other = submit(MEMBER("hanger-on", 1, .user = "bob",
			      .more = WITH("alice/train")));
	gather_to(member_of("train", 2), 2, train, FAKE_RUNNING);
	assert_int_equal(fake_state(other), FAKE_PENDING);
	assert_true(fake_job(other)->parked);
	mentions(other, "gang alice/train is not there or does not list it");
}

/* A gang of the group is not there at all. */
TOY_TEST(test_group_missing)
{
	uint32_t id;

	id = arrive(MEMBER("a", 1, .more = WITH("alice/b")));
	schedule_to(&id, 1, FAKE_PENDING);
	mentions(id, "gang alice/b is not there");
}

/* 0.31: empty lists, each for itself. */
TOY_TEST(test_no_group)
{
	struct fake_request a = member_of("a", 1), b = member_of("b", 2);
	uint32_t one, two;

	a.more = b.more = WITH("");
	one = submit(a);
	two = arrive(b);
	schedule_to(&one, 1, FAKE_RUNNING);
	assert_int_equal(fake_state(two), FAKE_PENDING);
}

/* A nonstrict and a strict gang: the strict one takes its nodes when the other
 * has all it needs, and not before. */
TOY_TEST(test_group_mixed_modes)
{
	struct fake_request a = member_of("a", 3), b = member_of("b", 2);
	uint32_t strict[2], loose[3], other;

	a.more = WITH("alice/b") "|mode=nonstrict";
	b.more = WITH("alice/a");
	a.partition = LEAF(0);
	other = run_on(plain(2, 1000), LEAF(0));
	submit_many(a, 3, loose);
	gather(b, 2, strict);
	assert_int_equal(in_state("a", FAKE_HELD), 2);
	all_in_state(strict, 2, FAKE_PENDING);
	fake_end(other);
	schedule_to(loose, 3, FAKE_RUNNING);
	all_in_state(strict, 2, FAKE_RUNNING);
}

/* ---- order ---- */

/* 3.6, 3.8: a driver and one executor, never two executors. */
TOY_TEST(test_order)
{
	for (uint32_t place = 0; place < 4; place++) {
		uint32_t driver = 0;

		afresh(setup, "driver's place %u", place);
		busy(14);
		for (uint32_t i = 0; i < 4; i++) {
			struct fake_request rq = MEMBER("spark", 2, .total = 4);

			rq.more = (i == place) ? "order=0" : "order=1";
			if (i == place)
				driver = submit(rq);
			else
				submit(rq);
		}
		settle_to(&driver, 1, FAKE_RUNNING);
		assert_int_equal(in_state("spark", FAKE_RUNNING), 2);
	}
}

/* While the driver cannot start, two executors are no minimum. */
TOY_TEST(test_order_waits)
{
	struct fake_request rq = MEMBER("spark", 2, .total = 4,
					.more = "order=0");
	uint32_t driver, executors[3];

	driver = submit(rq);
	rq.more = NULL;
	submit_many(rq, 3, executors);
	hold_and_pass(driver, true);
	schedule_and_pass();
	assert_int_equal(in_state("spark", FAKE_RUNNING), 0);
	mentions(executors[0], "--gang-order");
	hold_and_pass(driver, false);
	schedule_to(&driver, 1, FAKE_RUNNING);
}

/* 0.5, 0.19: the total first, then the minimum; the third is ordinary. */
TOY_TEST(test_total)
{
	uint32_t other;

	other = busy(14);
	gather(MEMBER("train", 2, .total = 3), 3, train);
	assert_int_equal(in_state("train", FAKE_RUNNING), 2);
	pass();
	fake_end(other);
	schedule_to(train, 3, FAKE_RUNNING);
}

/* ---- waiting time ---- */

/* 0.12 to 0.14, 0.44, 0.48, 0.51: from the first placed member, over without a
 * cap, nothing is held afterwards and nobody starts until one is released. */
TOY_TEST(test_waiting_time)
{
	struct fake_request rq = MEMBER(
		"train", 4, .more = "mode=nonstrict|waiting_time=1:00:00");
	uint32_t late, other;

	other = busy(14);
	submit_and_pass(rq, 4, train);
	fake_clock(5000); /* in the queue does not count */
	pass();
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	wait_and_pass(3599);
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	wait_to(1, train, 4, FAKE_PENDING);
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(fake_job(train[i])->user_hold);
		says(train[i], "GangTimeout");
		recorded(train[i], "phase=timeout");
	}
	/* 0.44: never again by itself, nor one that comes later */
	fake_end(other);
	late = arrive(rq);
	schedule_to(train, 4, FAKE_PENDING);
	says(late, "GangTimeout");

	crash_and_pass();
	recorded(train[1], "phase=timeout");
	hold_and_pass(train[2], false);
	schedule_to(train, 4, FAKE_RUNNING);
}

/* 0.28: the site's default, ten minutes. */
TOY_TEST(test_default_waiting_time)
{
	busy(15);
	gather(nonstrict_of("train", 2), 2, train);
	wait_and_pass(599);
	assert_int_equal(in_state("train", FAKE_HELD), 1);
	wait_and_pass(1);
	assert_int_equal(in_state("train", FAKE_HELD), 0);
	says(train[0], "GangTimeout");
}

/* A gang of one group times out alone; the other gives back and waits. */
TOY_TEST(test_group_time_out)
{
	struct fake_request a = member_of("a", 2), b = member_of("b", 2);
	uint32_t one[2], two[2];

	a.more = WITH("alice/b") "|mode=nonstrict|waiting_time=1";
	b.more = WITH("alice/a") "|mode=nonstrict|waiting_time=9";
	busy(13);
	submit_many(a, 2, one);
	gather(b, 2, two);
	assert_int_equal(in_state("a", FAKE_HELD) + in_state("b", FAKE_HELD),
			 3);
	wait_and_pass(60);
	pass();
	says(one[0], "GangTimeout");
	assert_int_equal(in_state("b", FAKE_HELD), 0);
	mentions(two[0], "alice/a has timed out");
}

/* 0.1, 0.13: one of its members runs, so slurmctld was killed after the release
 * of both gangs. Nothing is given back for the waiting time, though the other
 * gang is gone and this one's last answer comes late. */
TOY_TEST(test_released_outlasts_waiting)
{
	struct fake_request a = member_of("a", 2), b = member_of("b", 2);
	uint32_t one[2], two[2];

	a.more = WITH("alice/b") "|mode=nonstrict|waiting_time=1";
	b.more = WITH("alice/a") "|mode=nonstrict|waiting_time=9";
	a.prolog = b.prolog = 3;
	submit_many(a, 2, one);
	submit_and_pass(b, 2, two);
	schedule_to(one, 2, FAKE_HELD);
	all_in_state(two, 2, FAKE_HELD);
	come_back_and_pass(true);
	fake_job(one[0])->launch = SGANG_LAUNCH_YES;
	fake_job(one[1])->launch = SGANG_LAUNCH_YES;
	fake_end(two[0]);
	fake_end(two[1]);
	fake_clock(120);
	passes(3);
	all_in_state(one, 2, FAKE_RUNNING);
}

/* ---- after the gang ---- */

/* 0.11, 0.37: once satisfied, a member that comes back starts alone. */
TOY_TEST(test_match_once)
{
	gather_to(member_of("train", 3), 3, train, FAKE_RUNNING);
	pass();
	fake_lose(train[1]);
	pass();
	schedule();
	assert_int_equal(fake_state(train[1]), FAKE_RUNNING);
}

/* only-waiting: those that come later are a gang again. */
TOY_TEST(test_match_only_waiting)
{
	struct fake_request rq = MEMBER("train", 2,
					.more = "match=only-waiting");
	uint32_t more[2];

	gather_to(rq, 2, train, FAKE_RUNNING);
	more[0] = arrive(rq);
	schedule_to(&more[0], 1, FAKE_PENDING);
	mentions(more[0], "gathering 1/2 members");
	more[1] = arrive(rq);
	schedule_to(more, 2, FAKE_RUNNING);
}

/* slurmctld is killed when one round has just been released and the next one
 * holds, and comes back. */
static void die_between_rounds(struct fake_request rq, uint32_t *first,
			       uint32_t *next, uint32_t n_held)
{
	gather_to(rq, 2, first, FAKE_RUNNING);
	rq.prolog = 3;
	submit_and_pass(rq, 2, next);
	schedule_to(next, n_held, FAKE_HELD);
	crash_and_pass();
}

/* The nodes have told, twice. */
static void rounds_are_parted(const uint32_t *first)
{
	wait_and_pass(5);
	pass_to(first, 2, FAKE_RUNNING);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fake_job(first[i])->launches, 1);
		recorded(first[i], "rank=*/2 phase=running");
	}
}

/* 0.1, 0.38: each of the two rounds has a ring of its own, also when slurmctld
 * is killed a second time. Without one of its members the next round does not
 * start: those of the other do not count. */
TOY_TEST(test_rounds_after_kill)
{
	for (int how = 0; how < 3; how++) {
		uint32_t first[2], next[2];

		afresh(setup, "case %d", how);
		die_between_rounds(MEMBER("train", 2,
					  .more = "match=only-waiting"),
				   first, next, 2);
		all_in_state(next, 2, FAKE_HELD);
		if (how == 1) {
			fake_snapshot();
			come_back(true);
			fake_job(first[0])->launch = SGANG_LAUNCH_YES;
			fake_job(first[1])->launch = SGANG_LAUNCH_YES;
			pass();
		}
		if (how == 2)
			fake_fail(next[0], true);
		rounds_are_parted(first);
		schedule_and_pass();
		if (how == 2) {
			assert_int_equal(fake_state(next[1]), FAKE_PENDING);
			continue;
		}
		all_in_state(next, 2, FAKE_RUNNING);
		assert_int_equal(fake_job(next[0])->launches, 1);
		recorded(next[1], "rank=*/2");
		is_told(next[1], "SLURM_GANG_JOB_IDS", "3,4");
	}
}

/* 0.1, 0.7: a nonstrict gang holds one of two. */
TOY_TEST(test_nonstrict_rounds_after_kill)
{
	uint32_t first[2], next[2], wide;

	wide = busy(13);
	die_between_rounds(MEMBER("train", 2,
				  .more = "mode=nonstrict|match=only-waiting"),
			   first, next, 1);
	rounds_are_parted(first);
	assert_int_equal(fake_state(next[0]), FAKE_HELD);
	assert_int_equal(fake_state(next[1]), FAKE_PENDING);
	end_and_pass(wide);
	schedule_and_pass();
	passes(3);
	all_in_state(next, 2, FAKE_RUNNING);
	recorded(next[0], "rank=*/2");
}

/* 3.23: waiting-and-running counts those that run. */
TOY_TEST(test_match_running)
{
	gather_to(MEMBER("train", 3, .more = "match=waiting-and-running"), 3,
		  train, FAKE_RUNNING);
	pass();
	fake_lose(train[0]);
	fake_lose(train[1]);
	hold_and_pass(train[1], true);
	schedule_and_pass();
	/* 1 runs, 1 could: 2 of 3 */
	assert_int_equal(fake_state(train[0]), FAKE_PENDING);
	hold_and_pass(train[1], false);
	schedule_to(train, 3, FAKE_RUNNING);
}

/* 3.23: members that join have seats beside those that run, each its own, and a
 * new epoch says so. */
TOY_TEST(test_match_running_seats)
{
	struct fake_request rq = MEMBER(
		"train", 3, .more = "match=waiting-and-running|parallel=tp=3");
	uint32_t epoch, seats = 0;

	gather_to(rq, 3, train, FAKE_RUNNING);
	pass();
	epoch = (uint32_t)record_of(train[0]).epoch;
	fake_lose(train[1]);
	settle_to(train, 3, FAKE_RUNNING);
	for (int i = 0; i < 3; i++) {
		wait_and_pass(2);
		seats |= 1u << record_of(train[i]).member_rank;
		recorded(train[i], "rank=*/3");
	}
	assert_int_equal(seats, 7);
	recorded(train[1], "rank=1/*");
	is_told(train[1], "SLURM_GANG_JOB_IDS", "1,2,3");
	is_told(train[1], "SLURM_GANG_MEMBER_RANK", "1");
	assert_true(record_of(train[0]).epoch > epoch);
	assert_int_equal(record_of(train[0]).epoch, record_of(train[1]).epoch);
}

/* ---- when a member is lost ---- */

/* 3.19: what becomes of the others, by policy and by how it was lost. */
TOY_TEST(test_on_failure)
{
	static const struct {
		const char *more;
		bool back_in_queue; /* Slurm requeues the lost one */
		bool cancelled;
		enum fake_state lost, others;
	} cases[] = {
		{ "on_failure=ignore", false, false, FAKE_GONE, FAKE_RUNNING },
		{ "on_failure=ignore", true, false, FAKE_PENDING,
		  FAKE_RUNNING },
		{ NULL, false, false, FAKE_GONE, FAKE_RUNNING },
		{ "on_failure=kill", false, false, FAKE_GONE, FAKE_GONE },
		{ "on_failure=kill", true, false, FAKE_GONE, FAKE_GONE },
		{ "on_failure=requeue", false, false, FAKE_PENDING,
		  FAKE_PENDING },
		{ "on_failure=requeue", true, false, FAKE_PENDING,
		  FAKE_PENDING },
		{ "on_failure=requeue", false, true, FAKE_GONE, FAKE_GONE },
		{ "on_failure=replace", false, false, FAKE_PENDING,
		  FAKE_RUNNING },
		{ "on_failure=replace", true, false, FAKE_PENDING,
		  FAKE_RUNNING },
		{ "on_failure=replace", false, true, FAKE_GONE, FAKE_RUNNING },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		afresh(setup, "case %zu", i);
		gather_to(MEMBER("train", 3, .more = cases[i].more), 3, train,
			  FAKE_RUNNING);
		pass();
		if (cases[i].back_in_queue)
			fake_lose(train[1]);
		else
			fake_fail(train[1], cases[i].cancelled);
		pass();
		assert_int_equal(fake_state(train[1]), cases[i].lost);
		assert_int_equal(fake_state(train[0]), cases[i].others);
		assert_int_equal(fake_state(train[2]), cases[i].others);
		/* 3.2: requeued, they start together again */
		pass();
		schedule_and_pass();
		if (cases[i].others == FAKE_PENDING) {
			all_in_state(train, 3, FAKE_RUNNING);
			recorded(train[0], "rank=*/3");
		}
	}
}

/* Three members run, and say so of a loss. */
static void run_three(const char *more, uint32_t ids[3])
{
	afresh(setup, "%s", more);
	submit_and_settle(MEMBER("train", 3, .more = more), 3, ids);
	all_in_state(ids, 3, FAKE_RUNNING);
}

/* When the conductor lets it begin; as seconds from the loss. */
static int64_t begins_after(uint32_t id, int64_t lost)
{
	pass();
	return fake_job(id)->begins - lost;
}

/* 6.7, 6.13: at once, then after 15 seconds, then after twice as many; after a
 * node has failed not before the old run must have ended. */
TOY_TEST(test_restart_begins)
{
	static const char *const policies[] = { "on_failure=replace",
						"on_failure=requeue" };
	static const int64_t waits[] = { 0, 15, 30, 60, 120 };
	uint32_t ids[3];

	for (size_t p = 0; p < COUNT(policies); p++) {
		run_three(policies[p], ids);
		for (size_t i = 0; i < COUNT(waits); i++) {
			int64_t now = fake_host.now();

			fail_and_pass(ids[1], false);
			assert_int_equal(begins_after(ids[1], now), waits[i]);
			recorded(ids[1], "!restart");
			schedule_and_pass();
			pass_to(ids, 3, FAKE_RUNNING);
		}
		run_three(policies[p], ids);
		fake_lose(ids[1]);
		pass();
		assert_int_equal(begins_after(ids[1], fake_host.now()), 35);
	}
}

/* 6.6: who has lost all members starts together again, unless others have
 * completed. */
TOY_TEST(test_replace_all)
{
	uint32_t ids[3];

	for (int completed = 0; completed < 2; completed++) {
		run_three("on_failure=replace", ids);
		end_as(ids[0], !completed);
		pass();
		fake_user_hold(ids[0], !completed);
		fake_fail(ids[1], false);
		fail_and_pass(ids[2], false);
		pass();
		assert_int_equal(record_of(ids[1]).satisfied, completed);
		schedule_and_pass();
		schedule_to(ids + 1, 2,
			    completed ? FAKE_RUNNING : FAKE_PENDING);
		if (completed)
			continue;
		hold_and_pass(ids[0], false);
		schedule_to(ids, 3, FAKE_RUNNING);
	}
}

/* 6.15: members that were all requeued, by themselves and one after the other,
 * start together again when Slurm lets the last of them, each with its rank, also
 * where fewer would do. Where one has completed, they are late members. */
TOY_TEST(test_requeue_themselves)
{
	static const struct {
		uint32_t min;
		bool completed, restart;
	} cases[] = { { 3, false, false },
		      { 3, false, true },
		      { 1, false, false },
		      { 1, true, false } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t n = cases[i].completed ? 2 : 3;

		afresh(setup, "case %zu", i);
		gather_to(MEMBER("train", cases[i].min,
				 .more = "total_number=3"),
			  3, train, FAKE_RUNNING);
		pass();
		if (cases[i].completed)
			end_and_pass(train[2]);
		for (uint32_t j = n; j-- > 0;) {
			wait_and_pass(1);
			fake_lose(train[j]);
			fake_delay(train[j], 121);
		}
		if (cases[i].restart)
			come_back(false);
		pass();
		assert_int_equal(record_of(train[0]).satisfied,
				 cases[i].completed);
		assert_int_equal(record_of(train[1]).was.rank, 1);
		assert_int_equal(record_of(train[1]).was.members, 3);
		if (cases[i].completed)
			continue;
		wait_and_schedule(120);
		all_in_state(train, 3, FAKE_PENDING);
		wait_and_schedule(1);
		pass();
		schedule_and_pass();
		pass();
		for (uint32_t j = 0; j < 3; j++) {
			pass_to(&train[j], 1, FAKE_RUNNING);
			recorded(train[j], "rank=%d/* rank=*/3", j);
			assert_int_equal(record_of(train[j]).was.members, 0);
			is_told(train[j], "SLURM_GANG_JOB_IDS", "1,2,3");
		}
	}
}

/* 6.6: a member that cannot be replaced is the end of its user's, and of nobody
 * else's. */
TOY_TEST(test_replace_ends)
{
	uint32_t ids[3];

	run_three("on_failure=replace|max_restarts=1", ids);
	for (int i = 0; i < 2; i++) {
		all_in_state(ids, 3, FAKE_RUNNING);
		fail_and_pass(ids[2], false);
		settle();
	}
	all_in_state(ids, 3, FAKE_GONE);
	says(ids[0], "Gang alice/train ended: job 3 was lost, restarts 1 of 1");
}

/* One that completed is no loss. */
TOY_TEST(test_completion_is_no_failure)
{
	submit_and_settle(MEMBER("train", 2, .more = "on_failure=kill"), 2,
			  train);
	end_and_pass(train[0]);
	pass_to(&train[1], 1, FAKE_RUNNING);
}

/* The failed one of an old gang does not end a new gang of that name. */
TOY_TEST(test_failure_of_before)
{
	struct fake_request rq = MEMBER("train", 2, .more = "on_failure=kill");
	uint32_t more[2];

	submit_and_settle(rq, 2, train);
	fake_fail(train[0], false);
	pass_to(&train[1], 1, FAKE_GONE);
	fake_clock(1);
	submit_and_settle(rq, 2, more);
	pass_to(more, 2, FAKE_RUNNING);
}

/* Nor do those that failed under another policy, or whose failure nobody has
 * looked at yet. */
TOY_TEST(test_failures_of_before)
{
	static const struct {
		const char *before, *now;
	} cases[] = {
		{ "on_failure=ignore", "on_failure=kill" },
		{ "on_failure=ignore", "on_failure=requeue" },
		{ "on_failure=kill", "on_failure=kill" },
		{ "on_failure=requeue", "on_failure=kill" },
		{ "on_failure=kill", "on_failure=requeue" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake_request rq = MEMBER("train", 2,
						.more = cases[i].before);
		uint32_t more[2];

		afresh(setup, "policies %zu", i);
		submit_and_settle(rq, 2, train);
		all_in_state(train, 2, FAKE_RUNNING);
		fake_fail(train[0], false);
		fake_end(train[1]);
		fake_clock(1);
		rq.more = cases[i].now;
		submit_many(rq, 2, more);
		pass_to(more, 2, FAKE_PENDING);
		settle();
		all_in_state(more, 2, FAKE_RUNNING);
	}
}

/* A gang that fails every time is given up. */
TOY_TEST(test_requeue_ends)
{
	uint32_t runs = 0;

	submit_many(MEMBER("train", 2, .more = "on_failure=requeue"), 2, train);
	while (fake_state(train[1]) != FAKE_GONE && runs < 20) {
		settle();
		if (fake_state(train[0]) == FAKE_RUNNING)
			fake_fail(train[0], false);
		wait_and_pass(1);
		runs++;
	}
	assert_in_range(runs, 5, 7);
}

/* 6.13: so often as the gang says, and the reason tells. */
TOY_TEST(test_max_restarts)
{
	uint32_t runs = 0;

	submit_many(MEMBER("train", 2,
			   .more = "on_failure=requeue|max_restarts=2"),
		    2, train);
	while (fake_state(train[1]) != FAKE_GONE && runs < 20) {
		settle();
		if (fake_state(train[0]) == FAKE_RUNNING)
			fake_fail(train[0], false);
		wait_and_pass(1);
		runs++;
	}
	assert_int_equal(runs, 3);
	recorded(train[1], "phase=failed");
	mentions(train[1], "Gang alice/train ended: job");
	mentions(train[1], "restarts 2 of 2");
}

/* 6.10, 2.23: a gang that has run below its minimum for so long goes whole; who
 * has completed counts as there. */
TOY_TEST(test_stale)
{
	static const struct {
		const char *more;
		bool completes;
		enum fake_state others;
	} cases[] = {
		{ "on_stale=kill|stale_grace=2", false, FAKE_GONE },
		{ "on_stale=requeue|stale_grace=2", false, FAKE_PENDING },
		{ "on_stale=ignore|stale_grace=2", false, FAKE_RUNNING },
		{ "stale_grace=2", false, FAKE_RUNNING },
		{ "on_stale=kill|stale_grace=UNLIMITED", false, FAKE_RUNNING },
		{ "on_stale=kill|stale_grace=2", true, FAKE_RUNNING },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		afresh(setup, "stale %zu", i);
		gather_to(MEMBER("train", 3, .more = cases[i].more), 3, train,
			  FAKE_RUNNING);
		pass();
		end_as(train[1], !cases[i].completes);
		pass();
		wait_to(119, &train[0], 1, FAKE_RUNNING);
		wait_and_pass(2);
		pass();
		assert_int_equal(fake_state(train[0]), cases[i].others);
		assert_int_equal(fake_state(train[2]), cases[i].others);
		if (cases[i].others == FAKE_GONE)
			mentions(train[0], "is stale: running 2 of 3 for");
		wait_and_pass(600);
		assert_int_equal(fake_state(train[2]), cases[i].others);
	}
}

/* 2.29: what is left of a gang does not keep its nodes from another one. */
TOY_TEST(test_stale_gives_way)
{
	uint32_t ids[3], others[16];

	submit_and_settle(MEMBER("stale", 3,
				 .more = "on_stale=kill|stale_grace=2"),
			  3, ids);
	all_in_state(ids, 3, FAKE_RUNNING);
	gather_to(member_of("whole", 16), 16, others, FAKE_PENDING);
	fail_and_pass(ids[1], false);
	schedule_to(others, 16, FAKE_PENDING);
	wait_and_pass(121);
	settle();
	schedule_to(others, 16, FAKE_RUNNING);
}

/* A replacement in time ends it, and the next loss begins anew. */
TOY_TEST(test_stale_replaced)
{
	struct fake_request rq = MEMBER("train", 3,
					.more = "on_stale=kill|stale_grace=2");
	uint32_t more;

	submit_and_settle(rq, 3, train);
	fail_and_pass(train[1], false);
	recorded(train[0], "stale");
	fake_clock(100);
	submit_and_settle(rq, 1, &more);
	assert_int_equal(fake_state(more), FAKE_RUNNING);
	recorded(train[0], "!stale");
	wait_to(600, &train[0], 1, FAKE_RUNNING);
	fail_and_pass(more, false);
	wait_to(100, &train[0], 1, FAKE_RUNNING);
	wait_to(30, &train[0], 1, FAKE_GONE);
}

/* 2.22, 2.24: a minimum of one is never stale, nor is a gang of which none runs. */
TOY_TEST(test_never_stale)
{
	struct fake_request rq = MEMBER("train", 1,
					.more = "on_stale=kill|stale_grace=2");

	submit_and_pass(rq, 2, train);
	cycles(2);
	pass_to(train, 2, FAKE_RUNNING);
	fail_and_pass(train[1], false);
	wait_to(600, &train[0], 1, FAKE_RUNNING);
	recorded(train[0], "!stale");

	afresh(setup, "too few");
	rq = member_of("wide", 3);
	rq.more = "on_stale=kill|stale_grace=2";
	submit_and_pass(rq, 2, train);
	wait_to(600, train, 2, FAKE_PENDING);
}

static struct fake_request member_with(const char *gang, uint32_t min,
				       const char *more)
{
	return MEMBER(gang, min, .more = more);
}

/* 6.11: the gang is done when its leader, or so many members, have completed;
 * that ends the others, which is no loss. */
TOY_TEST(test_success)
{
	static const struct {
		const char *more;
		uint32_t completes, fails, then; /* member ranks; 9: none */
		enum fake_state between, others;
	} cases[] = {
		{ "on_success=leader", 1, 9, 0, FAKE_RUNNING, FAKE_GONE },
		{ "on_success=leader", 9, 9, 0, FAKE_RUNNING, FAKE_GONE },
		{ "on_success=leader", 9, 0, 1, FAKE_RUNNING, FAKE_RUNNING },
		{ "on_success=2", 1, 9, 0, FAKE_RUNNING, FAKE_GONE },
		{ "on_success=2", 9, 1, 0, FAKE_RUNNING, FAKE_RUNNING },
		{ "on_success=all", 1, 9, 0, FAKE_RUNNING, FAKE_RUNNING },
		{ "on_success=leader|on_failure=requeue", 9, 9, 0, FAKE_RUNNING,
		  FAKE_GONE },
		{ "on_success=leader|on_failure=replace", 9, 9, 0, FAKE_RUNNING,
		  FAKE_GONE },
		{ NULL, 1, 9, 0, FAKE_RUNNING, FAKE_RUNNING },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		afresh(setup, "success %zu", i);
		gather_to(member_with("train", 4, cases[i].more), 4, train,
			  FAKE_RUNNING);
		pass();
		if (cases[i].completes < 4)
			fake_end(train[cases[i].completes]);
		if (cases[i].fails < 4)
			fake_fail(train[cases[i].fails], false);
		pass_to(train + 2, 2, cases[i].between);
		end_and_pass(train[cases[i].then]);
		pass_to(train + 2, 2, cases[i].others);
		if (cases[i].others == FAKE_GONE) {
			mentions(train[3], "is done: ");
			recorded(train[3], "phase=finished");
		}
	}
}

/* 6.7: members that were requeued have the place in the queue that they had,
 * whoever requeued them, but for those that somebody holds meanwhile. */
TOY_TEST(test_place)
{
	static const char *const policies[] = { "on_failure=requeue",
						"on_failure=replace" };

	for (size_t i = 0; i < 4; i++) {
		struct fake_request rq = member_with("train", 3,
						     policies[i / 2]);

		afresh(setup, "place %zu", i);
		fake_world.requeue_is_new = true;
		gather_to(rq, 3, train, FAKE_RUNNING);
		wait_and_pass(60);
		if (i % 2)
			fake_lose(train[0]);
		else
			fake_fail(train[0], false);
		pass();
		pass_to(train, 1, FAKE_PENDING);
		for (uint32_t j = 0; j < 3; j++)
			assert_int_equal(fake_job(train[j])->rq.priority, 100);
		recorded(train[0], "!place");
	}
}

/* 6.7: of nodes whose names do not fold, as many are kept as there is room for, and
 * that is said once. */
TOY_TEST(test_kept_long)
{
	static char name[FAKE_NODES][64];
	const char *names[FAKE_NODES];
	struct sgang_topologies *all;
	struct sgang_conf conf = default_conf();

	for (uint32_t n = 0; n < FAKE_NODES; n++) {
		snprintf(name[n], sizeof(name[n]),
			 "a-node-with-such-a-name-%c%c", (char)('a' + n / 8),
			 (char)('a' + n % 8));
		names[n] = name[n];
	}
	fake_cluster(FAKE_NODES, CPUS, MEMORY, LICENCES);
	sgang_conductor_destroy(c);
	c = sgang_conductor_create(&fake_host);
	all = sgang_topologies_create(
		sgang_fabric_flat(names, FAKE_NODES, NULL), NULL);
	sgang_conductor_configure(c, all, &conf);
	toy_nodes = FAKE_NODES;
	submit_and_pass(MEMBER("train", 1, .more = "on_failure=requeue",
			       .nodes = 7),
			1, train);
	for (uint32_t i = 0; i < 1; i++)
		(void)turn_on(train[i], FAKE_ALL_NODES, false);
	pass_to(train, 1, FAKE_RUNNING);
	wait_and_pass(60);
	fake_fail(train[0], false);
	pass_to(train, 1, FAKE_PENDING);
	for (uint32_t i = 0; i < 1; i++) {
		assert_in_range(strlen(record_of(train[i]).kept),
				SGANG_CLAIM_SIZE - 40, SGANG_CLAIM_SIZE - 1);
		recorded(train[i], "keptuntil");
	}
	logged("is too long for", 1);
}

/* 6.7: gangs of a group begin again where they were, as one that is alone does,
 * whether one of them was requeued or both. */
TOY_TEST(test_group_on_kept)
{
	for (uint32_t both = 0; both < 2; both++) {
		struct fake_request rq = member_with(
			"a", 2, "on_failure=requeue|groups=alice/b");
		uint32_t ids[4], first;
		uint64_t had[4];

		afresh(setup, "group on kept nodes %u", both);
		first = busy(8);
		submit_many(rq, 2, ids);
		rq = member_with("b", 2, "on_failure=requeue|groups=alice/a");
		submit_and_pass(rq, 2, ids + 2);
		schedule_to(ids, 4, FAKE_RUNNING);
		wait_and_pass(60);
		for (uint32_t i = 0; i < 4; i++)
			had[i] = fake_job(ids[i])->nodes;
		end_and_pass(first);
		fake_fail(ids[0], false);
		if (both)
			fake_fail(ids[2], false);
		for (int i = 0; i < 3; i++) {
			pass();
			fake_clock(3);
		}
		all_in_state(ids, 2, FAKE_PENDING);
		schedule_and_pass();
		pass_to(ids, 4, FAKE_RUNNING);
		assert_true((fake_job(ids[0])->nodes |
			     fake_job(ids[1])->nodes) == (had[0] | had[1]));
		assert_true((fake_job(ids[2])->nodes |
			     fake_job(ids[3])->nodes) == (had[2] | had[3]));
	}
}

/* One that waits ends with the others; who comes later is of another gang. */
TOY_TEST(test_success_waits)
{
	struct fake_request rq = member_with("train", 2, "on_success=leader");
	uint32_t waits, later[2];

	gather_to(rq, 2, train, FAKE_RUNNING);
	submit_and_pass(rq, 1, &waits);
	fake_end(train[0]);
	pass_to(&train[1], 1, FAKE_GONE);
	assert_int_equal(fake_state(waits), FAKE_GONE);
	submit_and_settle(rq, 2, later);
	all_in_state(later, 2, FAKE_RUNNING);
	fake_fail(later[1], false);
	fail_and_pass(later[0], false);
	fake_clock(1);
	gather(rq, 2, later);
	come_back_and_pass(false);
	pass_to(later, 2, FAKE_RUNNING);
}

/* The leader is the last that runs: who waits ends all the same, and who comes
 * then does not, also if slurmctld did not see the end. */
TOY_TEST(test_success_last)
{
	for (uint32_t i = 0; i < 4; i++) {
		struct fake_request rq = member_with("train", 2,
						     "on_success=leader");
		uint32_t waits, later;

		afresh(setup, "success last %u", i);
		gather_to(rq, 2, train, FAKE_RUNNING);
		submit_many(rq, 1, &waits);
		wait_and_pass(60);
		fake_end(train[1]);
		if (i / 2)
			pass();
		fake_end(train[0]);
		submit_many(rq, 1, &later);
		if (i % 2)
			come_back(false);
		pass();
		pass_to(&waits, 1, FAKE_GONE);
		mentions(waits, "is done: its leader");
		recorded(waits, "phase=finished");
		assert_int_equal(fake_state(later), FAKE_PENDING);
		wait_to(5, &later, 1, FAKE_PENDING);
	}
}

/* slurmctld dies between the end of the leader and a pass that sees it. */
TOY_TEST(test_success_restart)
{
	gather_to(member_with("train", 3, "on_success=1"), 3, train,
		  FAKE_RUNNING);
	pass();
	fake_end(train[2]);
	come_back_and_pass(false);
	pass_to(train, 2, FAKE_GONE);
}

/* The leader's user asks for nothing, and the leader ends before a pass has seen
 * its gang run, or slurmctld has come back. */
TOY_TEST(test_success_of_another)
{
	for (int restart = 0; restart < 2; restart++) {
		struct fake_request rq = MEMBER("proj/joint", 3);
		uint32_t ids[3];

		afresh(setup, "another %d", restart);
		ids[0] = submit(rq);
		rq.user = "bob";
		rq.more = "on_success=leader";
		ids[1] = submit(rq);
		rq.user = "alice";
		rq.more = NULL;
		ids[2] = arrive(rq);
		schedule_to(ids, 3, FAKE_RUNNING);
		recorded(ids[0], "rank=0/*");
		fake_end(ids[0]);
		if (restart)
			come_back(false);
		pass();
		pass_to(&ids[1], 1, FAKE_GONE);
		mentions(ids[1], "is done: its leader");
		pass_to(&ids[2], 1, FAKE_RUNNING);
	}
}

/* It dies right after the start, and the leader completes while the nodes are
 * asked who runs: they had started before. */
TOY_TEST(test_success_asked)
{
	int64_t started;

	gather_to(member_with("train", 3, "on_success=leader"), 3, train,
		  FAKE_RUNNING);
	started = record_of(train[1]).started;
	assert_true(started && record_of(train[1]).since);
	fake_clock(5);
	come_back_and_pass(false);
	end_and_pass(train[0]);
	wait_and_pass(5);
	pass();
	assert_int_equal(record_of(train[1]).started, started);
	all_in_state(train + 1, 2, FAKE_GONE);
}

/* The same: what the records tell of those who have ended is not forgotten. */
TOY_TEST(test_counts_asked)
{
	struct fake_request rq = member_with(
		"train", 4, "on_success=2|on_stale=kill|stale_grace=1000");
	struct sgang_record before, now;

	for (int fails = 0; fails < 2; fails++) {
		afresh(setup, "counts %d", fails);
		gather_to(rq, 4, train, FAKE_RUNNING);
		end_as(train[3], fails);
		pass();
		before = record_of(train[1]);
		assert_true(before.since && before.started);
		assert_true(fails ? before.stale != 0 : before.done == 1);
		fake_clock(5);
		come_back(false);
		for (int i = 0; i < 4; i++) {
			pass();
			now = record_of(train[1]);
			assert_int_equal(now.done, before.done);
			assert_int_equal(now.stale, before.stale);
			fake_clock(1);
		}
		all_in_state(train, 3, FAKE_RUNNING);
		end_and_pass(train[2]);
		pass_to(train, 2, fails ? FAKE_RUNNING : FAKE_GONE);
	}
}

/* Three were started, but slurmctld died before that was saved: the nodes have to
 * be asked. One ran while it was away, and its end is told before the first
 * pass, or after it: its policy acts as if slurmctld had been there. The others
 * run, or their launch was lost and they follow. */
TOY_TEST(test_ended_away)
{
	static const struct {
		const char *more;
		bool fails;
		enum fake_state one, others;
	} cases[] = {
		{ "on_failure=kill", true, FAKE_GONE, FAKE_GONE },
		{ "on_failure=requeue", true, FAKE_PENDING, FAKE_PENDING },
		{ "on_failure=ignore", true, FAKE_GONE, FAKE_RUNNING },
		{ NULL, true, FAKE_GONE, FAKE_RUNNING },
		{ "on_failure=kill", false, FAKE_GONE, FAKE_RUNNING },
		{ "on_success=leader", false, FAKE_GONE, FAKE_GONE },
		{ "on_success=1", false, FAKE_GONE, FAKE_GONE },
	};

	for (size_t i = 0; i < 4 * COUNT(cases); i++) {
		bool late = i & 1, run = i & 2, fails = cases[i / 4].fails;

		afresh(setup, "ended away %zu", i);
		submit_and_schedule(MEMBER("train", 3,
					   .more = cases[i / 4].more,
					   .prolog = 3),
				    3, train);
		come_back(true);
		all_launched(train, 3, SGANG_LAUNCH_UNKNOWN);
		if (late)
			pass();
		fake_job(train[0])->launch = SGANG_LAUNCH_YES;
		end_as(train[0], fails);
		fake_log_reset();
		pass_to(train + 1, 2, FAKE_HELD);
		pass();
		logged("is lost", 0);
		logged(fails ? "member 1 was started and has failed" :
			       "member 1 was started and has completed",
		       late);
		all_launched(train + 1, 2,
			     run ? SGANG_LAUNCH_YES : SGANG_LAUNCH_NO);
		wait_and_pass(5);
		passes(2);
		all_in_state(train, 1, cases[i / 4].one);
		all_in_state(train + 1, 2, cases[i / 4].others);
		assert_int_equal(fake_counts.undone, 0);
		if (cases[i / 4].one == FAKE_PENDING)
			continue;
		/* for accounting it ran with the others */
		recorded(train[0], "started");
		assert_true(record_of(train[0]).started ==
			    record_of(train[1]).started);
		assert_non_null(strstr(fake_job(train[0])->brief, "gang="));
	}
}

/* Its start is on the disk, and while the nodes are asked it ends. That is no end
 * of a hold, whatever ended it. */
TOY_TEST(test_ended_asked)
{
	static const char *const words[] = { "has completed", "has failed",
					     "was cancelled" };

	for (uint32_t i = 0; i < COUNT(words); i++) {
		char text[64];

		afresh(setup, "ended while asked %u", i);
		gather_to(member_with("train", 3, "on_failure=kill"), 3, train,
			  FAKE_RUNNING);
		recorded(train[0], "since");
		fake_clock(5);
		come_back_and_pass(false);
		fake_log_reset();
		if (i)
			fake_fail(train[0], i == 2);
		else
			fake_end(train[0]);
		pass();
		snprintf(text, sizeof(text), "member 1 was started and %s",
			 words[i]);
		logged(text, 1);
		logged("is lost: ", 0);
		wait_and_pass(5);
		pass();
		pass_to(train + 1, 2, i ? FAKE_GONE : FAKE_RUNNING);
	}
}

/* All end while slurmctld is away, and nobody is left to be released. */
TOY_TEST(test_all_ended_away)
{
	for (uint32_t i = 0; i < 4; i++) {
		bool late = i & 1, requeue = i & 2;
		struct fake_request rq =
			MEMBER("train", 3,
			       .more = requeue ? "on_failure=requeue" : NULL,
			       .prolog = 3);

		afresh(setup, "all ended away %u", i);
		submit_and_schedule(rq, 3, train);
		come_back(true);
		if (late)
			pass();
		for (int m = 0; m < 3; m++) {
			fake_job(train[m])->launch = SGANG_LAUNCH_YES;
			fake_fail(train[m], false);
		}
		for (int n = 0; n < 4; n++)
			sgang_conductor_pass(c); /* nobody pokes */
		no_fault();
		all_in_state(train, 3, requeue ? FAKE_PENDING : FAKE_GONE);
		if (requeue)
			continue;
		for (int m = 0; m < 3; m++) {
			recorded(train[m], "started phase=finished");
			assert_non_null(
				strstr(fake_job(train[m])->brief, "gang="));
		}
	}
}

/* 3.2: several are lost before anybody looks, or one has completed: all of the
 * gang is requeued, or it would have too few for another start. */
TOY_TEST(test_requeue_all)
{
	static const char what[][3] = {
		{ 'f', 'f', 'r' }, { 'f', 'r', 'c' }, { 'f', 'f', 'f' },
		{ 'l', 'f', 'r' }, { 'l', 'l', 'r' }, { 'c', 'c', 'f' },
	};

	for (size_t i = 0; i < COUNT(what); i++) {
		afresh(setup, "losses %zu", i);
		submit_and_settle(member_with("train", 3, "on_failure=requeue"),
				  3, train);
		for (int m = 0; m < 3; m++) {
			if (what[i][m] == 'f')
				fake_fail(train[m], false);
			else if (what[i][m] == 'l')
				fake_lose(train[m]);
			else if (what[i][m] == 'c')
				fake_end(train[m]);
		}
		pass_to(train, 3, FAKE_PENDING);
		settle_to(train, 3, FAKE_RUNNING);
	}
}

/* One that cannot be requeued, or a group that is gone: the gang could not
 * start again, so it ends. */
TOY_TEST(test_requeue_in_vain)
{
	uint32_t a, b;

	submit_many(member_with("train", 3, "on_failure=requeue"), 3, train);
	fake_job(train[2])->no_requeue = true;
	settle();
	fake_fail(train[0], false);
	pass_to(train, 3, FAKE_GONE);

	afresh(setup, "no partner");
	a = submit(member_with("a", 1,
			       "groups=alice/b|"
			       "on_failure=requeue"));
	submit_many(member_with("a", 1, "groups=alice/b|on_failure=requeue"), 1,
		    train);
	b = arrive(member_with("b", 1, "groups=alice/a"));
	cycles(2);
	end_and_pass(b);
	fake_fail(a, false);
	pass_to(&a, 1, FAKE_GONE);
	assert_int_equal(fake_state(train[0]), FAKE_GONE);
}

/* Members of a second start hold, one of them is cancelled and one that runs
 * fails, all between two passes: what is no hold any more is not undone. */
TOY_TEST(test_lost_and_cancelled)
{
	struct fake_request rq = member_with("train", 2,
					     "on_failure=kill|mode=nonstrict|"
					     "match=only-waiting");
	uint32_t run[2], more[2], held;

	gather_to(rq, 2, run, FAKE_RUNNING);
	busy(13);
	gather(rq, 2, more);
	assert_int_equal(in_state("train", FAKE_HELD), 1);
	held = (fake_state(more[0]) == FAKE_HELD) ? more[0] : more[1];
	fake_fail(held, true);
	fake_fail(run[0], false);
	pass_to(&held, 1, FAKE_GONE);
	assert_int_equal(fake_state(run[1]), FAKE_GONE);
}

/* Between the requeue and the next pass nobody starts as an ordinary job. */
TOY_TEST(test_requeue_window)
{
	struct fake_request rq =
		member_with("train", 2, "on_failure=requeue|total_number=3");
	uint32_t third, room;

	room = busy(14);
	submit_many(rq, 2, train);
	third = submit(rq);
	settle();
	all_in_state(train, 2, FAKE_RUNNING);
	fail_and_pass(train[0], false);
	fake_end(room);
	assert_int_equal(turn(third), SGANG_TURN_TAKEN);
}

/* 0.14: a second start that times out while the first runs. */
TOY_TEST(test_time_out_beside_running)
{
	struct fake_request rq =
		member_with("train", 2,
			    "mode=nonstrict|match=only-waiting|"
			    "waiting_time=1");
	uint32_t run[2], more[2];

	gather(rq, 2, run);
	busy(13);
	gather(rq, 2, more);
	assert_int_equal(in_state("train", FAKE_HELD), 1);
	wait_and_pass(61);
	pass();
	says(more[1], "GangTimeout");
	all_in_state(run, 2, FAKE_RUNNING);
	fake_user_hold(more[0], false);
	passes(2);
	assert_false(fake_job(more[1])->user_hold);
}

/* 2.1: a limit that stops one gang of a group stops all of it. */
TOY_TEST(test_group_limit)
{
	uint32_t a, b[2];

	a = submit(member_with("a", 1, "mode=nonstrict|groups=alice/b"));
	submit_many(member_with("b", 2, "groups=alice/a"), 2, b);
	fake_job(b[1])->limited = true;
	pass();
	for (int i = 0; i < 4; i++) {
		schedule_and_pass();
		fake_clock(10);
	}
	assert_int_equal(fake_state(a), FAKE_PENDING);
	assert_true(fake_job(a)->parked);
	fake_job(b[1])->limited = false;
	wait_and_pass(10);
	schedule_to(&a, 1, FAKE_RUNNING);
	all_in_state(b, 2, FAKE_RUNNING);
}

/* 0.9: what two gangs hold of each other's is licences. */
TOY_TEST(test_licences)
{
	struct fake_request a = member_with("a", 4, "mode=nonstrict");
	struct fake_request b = member_with("b", 4, "mode=nonstrict");
	uint32_t room = 0;

	a.licences = b.licences = 1;
	a.partition = 0xff;
	b.partition = 0xff00;
	for (int i = 0; i < 5; i++)
		room = run_on(JOB(1, 1000, .partition = 0xff), 0xff);
	for (int i = 0; i < 4; i++)
		submit(a);
	pass();
	schedule_and_pass();
	for (int i = 0; i < 4; i++)
		submit(b);
	pass();
	schedule_and_pass();
	assert_int_equal(in_state("a", FAKE_HELD), 3);
	assert_int_equal(in_state("b", FAKE_HELD), 3);
	fake_end(room);
	for (int i = 0; i < 10; i++)
		wait_and_schedule(10);
	assert_int_equal(in_state("a", FAKE_RUNNING), 4);
}

/* 0.9: of what a stricter need leaves, the holder whose turn comes first takes
 * its holds again, and not the one that came last. */
TOY_TEST(test_return_order)
{
	struct fake_request low = nonstrict_of("low", 4);
	struct fake_request high = nonstrict_of("high", 4);
	struct fake_request first = member_of("first", 4);

	low.licences = high.licences = first.licences = 1;
	low.partition = 0xf;
	high.partition = 0xf0;
	high.priority = 200;
	first.partition = 0xff00;
	first.priority = 300;
	run_on(plain(1, 1000), 0x8);
	run_on(plain(1, 1000), 0x80);
	for (int i = 0; i < 4; i++)
		submit(high);
	pass();
	for (int i = 0; i < 4; i++)
		submit(low);
	pass();
	schedule_and_pass();
	assert_int_equal(in_state("low", FAKE_HELD), 3);
	assert_int_equal(in_state("high", FAKE_HELD), 3);
	for (int i = 0; i < 4; i++)
		submit(first);
	pass();
	schedule_and_pass();
	assert_int_equal(in_state("first", FAKE_RUNNING), 4);
	assert_int_equal(in_state("high", FAKE_HELD), 2);
	assert_int_equal(in_state("low", FAKE_HELD), 0);
}

/* Turns that have taken long leave the rest to the next pass, so that others
 * have slurmctld's locks in between. */
TOY_TEST(test_pass_budget)
{
	uint32_t a[2], b[2];

	submit_many(member_of("a", 2), 2, a);
	submit_and_pass(member_of("b", 2), 2, b);
	(void)turn(a[0]);
	(void)turn(b[0]);
	fake_world.commit_us = 10000;
	pass_to(a, 2, FAKE_RUNNING);
	all_in_state(b, 2, FAKE_PENDING);
	pass_to(b, 2, FAKE_RUNNING);
}

/* 64 gangs that all list all others: the group is found once, not by each. */
TOY_TEST(test_clique)
{
	static char names[64][8];
	char all[600] = "groups=";
	uint32_t ids[64];

	for (uint32_t i = 0; i < 64; i++) {
		snprintf(names[i], sizeof(names[i]), "%c%c", 'a' + i % 26,
			 'a' + i / 26);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%su/%s",
			 i ? "," : "", names[i]);
	}
	for (uint32_t i = 0; i < 64; i++) {
		ids[i] = submit(MEMBER(names[i], 1, .more = all, .user = "u",
				       .cpus = 1));
	}
	settle_to(ids, 64, FAKE_RUNNING);
}

/* ---- definitions ---- */

static struct fake_request object_of(const char *gang, const char *more)
{
	struct fake_request rq = { .gang = gang, .nodes = 1 };

	rq.more = more;
	return rq;
}

/* 0.25, 0.26: members before any definition are parked, not refused, and go on
 * when it comes; 3.15: it is no member and never starts. */
TOY_TEST(test_object)
{
	uint32_t object;

	gather_to(member_of("train", 0), 2, train, FAKE_PENDING);
	recorded(train[0], "phase=undefined");
	mentions(train[0], "Gang alice/train undefined");
	object = arrive(object_of("train", "object=1|min_member=3"));
	says(train[0], "Gang alice/train gathering 2/3 members");
	says(object, "Gang alice/train gathering 2/3 members");
	recorded(object, "object");
	arrive(member_of("train", 0));
	schedule_to(train, 2, FAKE_RUNNING);
	assert_int_equal(fake_state(object), FAKE_PENDING);
	pass();
	says(object, "Gang alice/train running 3/3 members");
}

/* 0.24: a newer definition replaces an older one; 0.29: a member's own word
 * wins over both. */
TOY_TEST(test_precedence)
{
	submit(object_of("train", "object=1|min_member=5"));
	submit_and_pass(member_of("train", 0), 2, train);
	mentions(train[0], "gathering 2/5 members");
	fake_clock(1);
	arrive(object_of("train", "object=1|min_member=4"));
	mentions(train[0], "gathering 2/4 members");
	arrive(member_of("train", 3));
	schedule_to(train, 2, FAKE_RUNNING);
}

/* A first member that is held is not told of by anybody, and is seen. */
TOY_TEST(test_held_first_member)
{
	uint32_t id;

	pass();
	id = submit(MEMBER("train", 2, .priority = 0));
	sgang_conductor_pass(c);
	recorded(id, "phase=gathering");
}

/* A definition that somebody has released is stopped again, an older one too.
 */
TOY_TEST(test_object_released)
{
	uint32_t object, older;

	older = submit(object_of("train", "object=1|min_member=3"));
	object = arrive(object_of("train", "object=1|min_member=3"));
	fake_user_hold(object, false);
	fake_user_hold(older, false);
	passes(2);
	assert_true(fake_job(object)->user_hold);
	assert_true(fake_job(older)->user_hold);
}

/* 0.15: not tried while less than --gang-min-tres is free. */
TOY_TEST(test_min_tres)
{
	uint32_t id, other;

	other = busy(13);
	id = arrive(MEMBER("train", 1, .more = "min_tres=node=4"));
	schedule_to(&id, 1, FAKE_PENDING);
	mentions(id, "--gang-min-tres");
	assert_int_equal(fake_counts.commits, 0);
	recorded(id, "!tried !skipped");
	fake_end(other);
	schedule_to(&id, 1, FAKE_RUNNING);
}

TEST_MAIN(NULL, NULL)
