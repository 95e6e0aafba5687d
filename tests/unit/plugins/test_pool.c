/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pool.c - 6.5: a pool has cold spares for several gangs of its namespace */

#include "../unit.h"
#include "core/base/nodeset.h"
#include "core/gang/gang.h"
#include "toy_cluster.h"

#include "no_memory.h"

/* ---- pools and gangs ---- */

static uint32_t define_as(const char *gang, const char *more)
{
	return submit(MEMBER(gang, 0, .more = more, .priority = 0));
}

static uint32_t define(const char *pool)
{
	return define_as(pool, "object=1|pool=yes");
}

static struct fake_request spare_of(const char *pool)
{
	return MEMBER(pool, 0, .time_limit = 600);
}

/* As slurmctld asks where a member could start now. True: it does not start. */
static bool offer(uint32_t id, uint64_t nodes)
{
	return turn(id) != SGANG_TURN_ORDINARY || offer_cold(id, nodes);
}

static uint32_t hold(struct fake_request rq, uint64_t nodes)
{
	uint32_t id = submit(rq);

	pass();
	assert_true(offer(id, nodes));
	pass_to(&id, 1, FAKE_HELD);
	return id;
}

/* Two members of a node each, in the order of their ranks. */
static void start(const char *gang, const char *more, uint32_t ids[2])
{
	uint32_t any[2];

	submit_and_settle(MEMBER(gang, 2, .more = more), 2, any);
	all_in_state(any, 2, FAKE_RUNNING);
	wait_and_pass(2);
	for (int i = 0; i < 2; i++)
		ids[record_of(any[i]).member_rank] = any[i];
}

#define POOL "spare_pool=reserve"

static bool is_pooled(uint32_t id)
{
	struct sgang_record r = record_of(id);

	return fake_state(id) == FAKE_HELD && r.pool && r.spare && r.cold &&
	       !r.placed && !strcmp(r.name, "reserve") &&
	       !strcmp(fake_job(id)->gang, "reserve") &&
	       !fake_job(id)->launches;
}

static bool has_seat(uint32_t id, const char *gang, uint32_t rank)
{
	struct sgang_record r = record_of(id);

	return fake_state(id) == FAKE_RUNNING && r.placed && !r.pool &&
	       !r.spare && r.member_rank == rank && !strcmp(r.name, gang) &&
	       !strcmp(fake_job(id)->gang, gang) &&
	       !strcmp(fake_getenv(id, "SLURM_GANG_NAME"), gang);
}

/* ---- the tests ---- */

/* Its members are held one by one, wait for no minimum and never start. */
TOY_TEST(test_holds)
{
	uint32_t pool = define("reserve"), spare = submit(spare_of("reserve"));

	pass_to(&spare, 1, FAKE_PENDING);
	assert_true(offer(spare, ALL_FREE));
	pass();
	assert_true(is_pooled(spare));
	says(spare, "Gang alice/reserve: cold spare, starts when a "
		    "gang's member is lost");
	says(pool, "Gang alice/reserve pool, 1/1 spares have nodes");
	recorded(pool, "pool");
	for (int i = 0; i < 50; i++)
		wait_and_pass(10);
	assert_true(is_pooled(spare));
	/* without its definition it is one still */
	end_and_pass(pool);
	assert_true(is_pooled(spare));
	fake_user_hold(spare, true);
	pass_to(&spare, 1, FAKE_PENDING);
	hold_and_pass(spare, false);
	recorded(spare, "pool !spare");
	assert_true(offer(spare, ALL_FREE));
	pass();
	assert_true(is_pooled(spare));
}

/* Two gangs lose members in one pass, and each has one spare. */
TOY_TEST(test_two_gangs)
{
	uint32_t a[2], b[2], spare[3];
	bool first;

	define("reserve");
	start("one", POOL, a);
	start("two", POOL "|on_failure=ignore", b);
	for (int i = 0; i < 3; i++)
		spare[i] = hold(spare_of("reserve"), ALL_FREE);
	fake_fail(a[1], false);
	fail_and_pass(b[0], false);
	first = has_seat(spare[0], "one", 1);
	assert_true(has_seat(spare[!first], "one", 1));
	assert_true(has_seat(spare[first], "two", 0));
	assert_true(is_pooled(spare[2]));
	recorded(spare[first], "rank=*/2");
	is_told(spare[first], "SLURM_GANG_MEMBER_RANK", "0");
	is_told(spare[first], "SLURM_GANG_SPARE_JOB_IDS", "");
	assert_int_equal(record_of(spare[first]).epoch, record_of(b[1]).epoch);
	wait_and_pass(2);
	recorded(spare[first], "!cold");
	assert_int_equal(fake_job(spare[first])->launches, 1);
	/* as a member that is lost it is replaced, too */
	fail_and_pass(spare[first], false);
	assert_true(has_seat(spare[2], "two", 0));
	/* the gangs end, and nobody else does */
	fake_end(spare[2]);
	end_and_pass(b[1]);
	assert_true(has_seat(spare[!first], "one", 1));
}

/* A spare has the options of the member whose place it takes. */
TOY_TEST(test_options)
{
	uint32_t a[2], spare;
	struct sgang_spec spec;

	define("reserve");
	start("one", POOL "|on_failure=replace|order=3", a);
	spare = hold(spare_of("reserve"), ALL_FREE);
	fail_and_pass(a[1], false);
	pass();
	assert_true(has_seat(spare, "one", 1));
	spec = spec_of(spare);
	assert_int_equal(spec.min_member, 2);
	assert_int_equal(spec.on_failure, SGANG_ON_FAILURE_REPLACE);
	assert_string_equal(spec.spare_pool, "reserve");
	assert_false(spec.order_set);
	assert_int_equal(record_of(spare).on_failure, SGANG_ON_FAILURE_REPLACE);
	/* the lost one comes back, and is a cold spare of its gang */
	wait_to(200, &a[1], 1, FAKE_PENDING);
	assert_true(offer(a[1], ALL_FREE));
	pass_to(&a[1], 1, FAKE_HELD);
	assert_true(record_of(a[1]).spare && record_of(a[1]).cold);
	recorded(a[1], "!pool");
	assert_true(sgang_conductor_spec(c, spare, fake_job(spare)->env,
					 fake_job(spare)->n_env, &spec));
	assert_string_equal(spec.name, "one");
}

/* A spare that differs does not take the place, nor one of another user. */
TOY_TEST(test_who_fits)
{
	enum { USER, CPUS_ON, NODES_OF, RANKS, PARTITION, CASES };

	for (int how = 0; how < CASES; how++) {
		struct fake_request rq = spare_of("reserve");
		uint32_t a[2], other, spare;

		afresh(setup, "case %d", how);
		define("proj/reserve");
		start("proj/one", POOL, a);
		rq.gang = "proj/reserve";
		rq.user = how == USER ? "bob" : NULL;
		rq.cpus = how == CPUS_ON ? 1 : 0;
		rq.nodes = how == NODES_OF ? 2 : 1;
		rq.ranks = how == RANKS ? 3 : 0;
		rq.partition = how == PARTITION ? LEAF(1) : 0;
		other = hold(rq, LEAF(1));
		fake_fail(a[1], false);
		for (int i = 0; i < 3; i++)
			wait_and_pass(2);
		assert_int_equal(fake_state(other), FAKE_HELD);
		recorded(other, "pool");
		rq = spare_of("proj/reserve");
		spare = arrive(rq);
		assert_true(offer(spare, LEAF(2)));
		pass();
		pass_to(&spare, 1, FAKE_RUNNING);
		recorded(spare, "rank=1/*");
		assert_int_equal(fake_state(other), FAKE_HELD);
		assert_int_equal(fake_job(other)->launches, 0);
	}
}

/* Levels that the gang asks for, and the ring: the nearest is taken. */
TOY_TEST(test_levels)
{
	static const struct {
		const char *more;
		uint64_t far, near; /* of the gang, which is in leaf 0 */
		bool both;          /* the far one would do */
	} cases[] = {
		{ POOL, LEAF(1), LEAF(0), true },
		{ POOL "|topology=require:leaf", LEAF(1), LEAF(0), false },
		{ POOL "|topology=spread:leaf", LEAF(0), LEAF(2), false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t a[2], far, near;

		afresh(setup, "case %zu", i);
		define("reserve");
		start("one", cases[i].more, a);
		far = hold(spare_of("reserve"), cases[i].far);
		if (cases[i].both) {
			near = hold(spare_of("reserve"), cases[i].near);
			fail_and_pass(a[1], false);
			assert_true(has_seat(near, "one", 1));
			fail_and_pass(near, false);
			assert_true(has_seat(far, "one", 1));
			continue;
		}
		fail_and_pass(a[1], false);
		assert_true(is_pooled(far));
	}
}

/* Its own spare comes first; a gang of which no member runs takes none. */
TOY_TEST(test_when)
{
	uint32_t a[2], own, spare;

	define("reserve");
	define_as("one", "object=1|min_member=2|" POOL);
	start("one", POOL "|spares=1:cold", a);
	spare = hold(spare_of("reserve"), ALL_FREE);
	own = hold(MEMBER("one", 2, .more = POOL "|spares=1:cold"), ALL_FREE);
	recorded(own, "!pool");
	fail_and_pass(a[0], false);
	assert_true(has_seat(own, "one", 0));
	assert_true(is_pooled(spare));
	fake_fail(a[1], false);
	fail_and_pass(own, false);
	pass();
	assert_true(is_pooled(spare));
}

/* One that is gone, draining or held cannot be taken; no pool, no spare. */
TOY_TEST(test_ends)
{
	enum { DRAIN, HOLD, LIMIT, YIELD, CANCEL, NODE, CASES };
	static const enum fake_state after[CASES] = {
		[DRAIN] = FAKE_PENDING, [HOLD] = FAKE_PENDING,
		[LIMIT] = FAKE_GONE,    [YIELD] = FAKE_PENDING,
		[CANCEL] = FAKE_GONE,   [NODE] = FAKE_PENDING,
	};

	for (int how = 0; how < CASES; how++) {
		uint32_t a[2], spare;

		afresh(setup, "case %d", how);
		define("reserve");
		start("one", POOL, a);
		spare = hold(spare_of("reserve"), ALL_FREE);
		switch (how) {
		case DRAIN:
			fake_drain((uint32_t)__builtin_ctzll(
					   fake_job(spare)->nodes),
				   true);
			break;
		case HOLD:
			fake_user_hold(spare, true);
			break;
		case LIMIT:
			fake_clock(600);
			break;
		case YIELD:
			yield_to(spare, 99);
			break;
		case CANCEL:
			fake_end(spare);
			break;
		case NODE:
			fake_requeue(spare);
			break;
		}
		fail_and_pass(a[1], false);
		pass();
		assert_int_equal(fake_state(spare), after[how]);
		assert_int_equal(fake_job(spare)->launches, 0);
		if (after[how] != FAKE_PENDING)
			continue;
		recorded(spare, "pool");
		assert_false(record_of(spare).spare || record_of(spare).cold);
	}
}

/* slurmctld dies at each of its saves, from the hold of the spare to some passes
 * after its launch. It is launched once, in the place of the lost member. */
TOY_TEST(test_dies)
{
	for (int at = 0; at < 12; at++) {
		uint32_t a[2], spare;
		bool lost = false;

		afresh(setup, "save %d", at);
		define("reserve");
		start("one", POOL, a);
		spare = arrive(spare_of("reserve"));
		fake_snapshot();
		if (at < 8)
			fake_die_at_save((uint32_t)at / 2 + 1, at % 2);
		for (int i = 0; i < 14; i++) {
			if (is_dead())
				come_back(true);
			if (at == 8 + i)
				come_back(true);
			pass();
			if (is_dead())
				continue;
			if (fake_state(spare) == FAKE_PENDING)
				(void)offer(spare, ALL_FREE);
			if (i == 4 && !lost) {
				fake_fail(a[1], false);
				fake_snapshot();
				lost = true;
			}
			if (i == 3 && !is_dead())
				fake_snapshot();
			fake_clock(2);
		}
		wait_and_pass(5);
		pass_to(&spare, 1, FAKE_RUNNING);
		assert_true(has_seat(spare, "one", 1));
		assert_int_equal(fake_state(a[0]), FAKE_RUNNING);
	}
}

/* A lack of memory loses nobody: the spare is in the pool or in the gang. */
TOY_TEST(test_no_memory)
{
	uint64_t at = 0;
	bool failed;

	do {
		uint32_t a[2], spare;

		afresh(setup, "allocation %d", (int)++at);
		define("reserve");
		start("one", POOL, a);
		spare = hold(spare_of("reserve"), ALL_FREE);
		fake_fail(a[1], false);
		failed = pass_without_memory(at, false);
		for (int i = 0; i < 3; i++)
			wait_and_pass(6);
		assert_true(has_seat(spare, "one", 1));
	} while (failed);
}

/* slurmctld ends and comes back at any time. */
TOY_TEST(test_restart)
{
	uint32_t a[2], spare;

	define("reserve");
	start("one", POOL, a);
	spare = hold(spare_of("reserve"), ALL_FREE);
	come_back_and_pass(false);
	pass();
	assert_true(is_pooled(spare));
	fail_and_pass(a[0], false);
	assert_true(has_seat(spare, "one", 0));
	come_back(false);
	wait_and_pass(5);
	wait_and_pass(6);
	assert_true(has_seat(spare, "one", 0));
	assert_int_equal(fake_job(spare)->launches, 1);
}

TEST_MAIN(NULL, NULL)
