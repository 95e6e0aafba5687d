/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_slices.c - a gang is committed in several holds of the locks
 *
 * A commit takes 25 ms here, so a pass pauses after four of them: a gang of ten
 * has its nodes in the third pass. Whatever happens between two passes, nobody
 * is launched before all are held, and all is given back if one cannot be.
 */

#include "../unit.h"
#include "toy_cluster.h"

#define SLICES_TEST(name) TEST_WITH(name, setup_slices, teardown)

#define MEMBERS 10
#define SLICE 4

static int setup_slices(void **state)
{
	setup(state);
	fake_world.commit_us = 25000;
	return 0;
}

/* The first slice is done; 'more' as in struct fake_request. */
static void begin_with(const char *more)
{
	gather(MEMBER("train", MEMBERS, .more = more), MEMBERS, train);
	assert_int_equal(in_state("train", FAKE_HELD), SLICE);
	assert_int_equal(in_state("train", FAKE_PENDING), MEMBERS - SLICE);
}

static void begin(void)
{
	begin_with(NULL);
}

/* Nobody has anything any more, and nobody was launched. */
static void given_back(void)
{
	assert_int_equal(in_state("train", FAKE_HELD), 0);
	assert_int_equal(in_state("train", FAKE_RUNNING), 0);
	assert_int_equal(fake_counts.released, 0);
	assert_true(fake_idle_nodes() == ALL_FREE);
}

static void all_start(const uint32_t *ids)
{
	for (int i = 0; i < 12; i++)
		wait_and_schedule(6);
	all_in_state(ids, MEMBERS, FAKE_RUNNING);
	for (int i = 0; i < MEMBERS; i++) {
		recorded(ids[i], "rank=*/%d", MEMBERS);
		assert_int_equal(fake_job(ids[i])->launches, 1);
	}
}

/* 0.1: each pass commits a slice; the job state is saved when all are held, and
 * then all are launched by one pass. */
SLICES_TEST(test_slices)
{
	uint32_t saves;

	begin();
	saves = fake_counts.saves;
	pass();
	assert_int_equal(in_state("train", FAKE_HELD), 2 * SLICE);
	assert_int_equal(fake_counts.released, 0);
	assert_int_equal(fake_counts.saves, saves);
	pass_to(train, MEMBERS, FAKE_RUNNING);
	assert_int_equal(fake_counts.saves, saves + 2);
	assert_int_equal(fake_counts.commits, MEMBERS);
	assert_int_equal(fake_counts.undone, 0);
}

/* In slices or in one hold, the place and what is told of it are the same. */
SLICES_TEST(test_same_place)
{
	uint64_t nodes[MEMBERS];
	char *comment[MEMBERS];

	for (int slices = 0; slices < 2; slices++) {
		afresh(setup, "slices %d", slices);
		fake_world.commit_us = slices ? 25000 : 0;
		gather(member_of("train", MEMBERS), MEMBERS, train);
		assert_int_equal(in_state("train", FAKE_RUNNING),
				 slices ? 0 : MEMBERS);
		passes(2);
		for (int i = 0; i < MEMBERS; i++) {
			const struct fake_job *j = fake_job(train[i]);

			assert_int_equal(j->state, FAKE_RUNNING);
			if (!slices) {
				nodes[i] = j->nodes;
				comment[i] = strdup(j->comment);
				continue;
			}
			assert_true(j->nodes == nodes[i]);
			assert_string_equal(j->comment, comment[i]);
			free(comment[i]);
		}
	}
}

/* The tasks of an array are split off slice by slice. */
SLICES_TEST(test_array)
{
	arrive(MEMBER("train", MEMBERS, .array = MEMBERS));
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_HELD), SLICE);
	pass();
	assert_int_equal(fake_counts.released, 0);
	pass();
	assert_int_equal(in_state("train", FAKE_RUNNING), MEMBERS);
}

/* Between two slices members say that the gang holds, and how many. Schedulers
 * pass over those that wait. */
SLICES_TEST(test_words)
{
	begin();
	for (int i = 0; i < MEMBERS; i++) {
		const struct fake_job *j = fake_job(train[i]);

		recorded(train[i], "phase=holding");
		assert_int_equal(j->parked, j->state == FAKE_PENDING);
		if (j->state == FAKE_PENDING)
			assert_non_null(strstr(j->text, "holding 4/10"));
	}
}

/* ---- the planned nodes are kept from everybody ---- */

/* An ordinary job gets none of them, whatever its priority; others it does. */
SLICES_TEST(test_fence)
{
	uint64_t open;

	begin();
	assert_true(sgang_conductor_has_turns(c));
	open = fenced(100000, ALL_FREE);
	assert_int_equal(__builtin_popcountll(open), NODES - MEMBERS);
	submit_one_to(plain(NODES - MEMBERS + 1, 100000), FAKE_PENDING);
	pass_to(train, MEMBERS, FAKE_RUNNING);
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
	assert_true(fake_counts.woken > 0);
}

/* Another gang's turn comes after the last slice. */
SLICES_TEST(test_another_gang)
{
	uint32_t other[2];

	begin();
	submit_and_pass(MEMBER("other", 2, .priority = 100000), 2, other);
	assert_int_equal(fake_counts.commits, 2 * SLICE);
	schedule_to(train, MEMBERS, FAKE_RUNNING);
	schedule_and_pass();
	schedule_to(other, 2, FAKE_RUNNING);
}

/* A later member of another gang could want the same domain for itself. */
SLICES_TEST(test_late_member)
{
	uint32_t early[2], late;

	gather_to(member_of("old", 2), 2, early, FAKE_RUNNING);
	begin();
	late = arrive(member_of("old", 2));
	assert_int_equal(turn(late), SGANG_TURN_TAKEN);
	pass_to(train, MEMBERS, FAKE_RUNNING);
	assert_int_equal(turn(late), SGANG_TURN_ORDINARY);
}

/* One that joins between two slices is too late for them. */
SLICES_TEST(test_member_joins)
{
	uint32_t late;

	begin();
	late = arrive(member_of("train", MEMBERS));
	pass_to(train, MEMBERS, FAKE_RUNNING);
	assert_int_equal(fake_state(late), FAKE_PENDING);
	recorded(train[0], "rank=*/%d", MEMBERS);
	settle_to(&late, 1, FAKE_RUNNING);
}

/* Groups start together, so they are committed in one hold. */
SLICES_TEST(test_group)
{
	struct fake_request a = member_of("a", 5), b = member_of("b", 5);

	a.more = "groups=alice/b";
	b.more = "groups=alice/a";
	submit_many(a, 5, train);
	submit_and_pass(b, 5, train + 5);
	schedule_to(train, MEMBERS, FAKE_RUNNING);
}

/* ---- what happens between two slices ---- */

/* The last one that is held, the next one, the last one that waits. */
#define HELD train[SLICE - 1]
#define NEXT train[SLICE]
#define WAITS train[MEMBERS - 1]

static void cancel_held(void)
{
	fake_fail(HELD, true);
}
static void cancel_waiting(void)
{
	fake_fail(WAITS, true);
}
static void requeue_held(void)
{
	fake_requeue(HELD);
}
static void hold_held(void)
{
	fake_user_hold(HELD, true);
}
static void hold_waiting(void)
{
	fake_user_hold(WAITS, true);
}
static void refuse(void)
{
	fake_job(NEXT)->refuses = true;
}
static void limit(void)
{
	fake_job(NEXT)->limited = true;
}

static void update(void)
{
	struct fake_request rq = MEMBER("train", MEMBERS, .nodes = 2);

	fake_update(WAITS, &rq);
}

static void all_held_end(void)
{
	for (int i = 0; i < MEMBERS; i++) {
		if (fake_state(train[i]) == FAKE_HELD)
			fake_fail(train[i], true);
	}
}

static void reconfigure(void)
{
	struct sgang_conf conf = default_conf();

	sgang_conductor_configure(c, toy_tree(), &conf);
}

static void switch_off(void)
{
	struct sgang_conf conf = default_conf();

	conf.gangs = false;
	sgang_conductor_configure(c, toy_tree(), &conf);
}

static void nodes_change(void)
{
	sgang_conductor_forget_nodes(c);
}

static void restart(void)
{
	come_back(false);
}

static void die(void)
{
	come_back(true);
}

static void die_after_save(void)
{
	fake_snapshot();
	come_back(true);
}

static void jobs_are_read_again(void)
{
	sgang_conductor_forget_jobs(c);
}

static const struct {
	const char *name;
	void (*happens)(void);
	bool starts; /* all of them, later on */
} events[] = {
	{ "a held member is cancelled", cancel_held, false },
	{ "a waiting member is cancelled", cancel_waiting, false },
	{ "a held member loses its node", requeue_held, true },
	{ "all that are held end", all_held_end, false },
	{ "scontrol hold of a held member", hold_held, false },
	{ "scontrol hold of a waiting member", hold_waiting, false },
	{ "Slurm refuses a member", refuse, false },
	{ "a limit stops a member", limit, false },
	{ "a member is updated", update, true },
	{ "scontrol reconfigure", reconfigure, true },
	{ "Gangs=no", switch_off, false },
	{ "nodes have other numbers", nodes_change, true },
	{ "slurmctld restarts", restart, true },
	{ "slurmctld is killed", die, true },
	{ "slurmctld is killed after a save", die_after_save, true },
	{ "slurmctld reads its jobs again", jobs_are_read_again, true },
};

/* 0.2, 0.4: all is given back by the next pass, as after a refusal in one hold,
 * and started later if it can be. */
SLICES_TEST(test_events)
{
	for (size_t i = 0; i < COUNT(events); i++) {
		afresh(setup_slices, "%s", events[i].name);
		begin();
		fake_snapshot();
		events[i].happens();
		pass();
		if (in_state("train", FAKE_HELD))
			fail_msg("%s: %u are held still", context,
				 in_state("train", FAKE_HELD));
		given_back();
		assert_true(fenced(1, ALL_FREE) == ALL_FREE);
		if (events[i].starts)
			all_start(train);
	}
}

/* What is refused in a slice is not tried for ever. */
static void refused_for_good(void (*happens)(void))
{
	begin();
	happens();
	cycles(3 * MEMBERS);
	fake_trace_reset();
	cycles(2);
	assert_null(strstr(fake_trace(), "commit"));
	given_back();
}

SLICES_TEST(test_refused)
{
	refused_for_good(refuse);
}

SLICES_TEST(test_limited)
{
	refused_for_good(limit);
}

/* It waits for nobody, so its waiting time does not end. */
SLICES_TEST(test_waiting_time)
{
	begin_with("waiting_time=2:00");
	wait_and_pass(121);
	pass_to(train, MEMBERS, FAKE_RUNNING);
}

/* Nodes go down: one that is planned. Others do, or all is given back. */
SLICES_TEST(test_node_down)
{
	uint64_t open;

	begin();
	open = fenced(1, ALL_FREE & fake_idle_nodes());
	for (uint32_t n = 0; n < NODES; n++) {
		if ((fake_idle_nodes() & ~open) >> n & 1) {
			fake_node_down(n, true);
			break;
		}
	}
	all_start(train);
}

/* What is refused in slices is tried once in one hold, where it is learned
 * from: this member can be on one leaf only. */
SLICES_TEST(test_learns)
{
	struct fake_request rq = member_of("train", MEMBERS);

	submit_many(rq, MEMBERS - 1, train);
	rq.not_on = LEAF(0) | LEAF(1) | LEAF(2);
	WAITS = arrive(rq);
	schedule_and_pass();
	cycles(4);
	all_in_state(train, MEMBERS, FAKE_RUNNING);
}

/* 0.1, 0.38: slurmctld dies while the second round of a gang is committed in
 * slices, and right after the first one was released (or later). What holds of
 * the second is given back, whatever the first does, and starts whole. */
SLICES_TEST(test_second_round)
{
	for (int later = 0; later < 2; later++) {
		struct fake_request rq = MEMBER("train", MEMBERS, .cpus = 2,
						.more = "match=only-waiting");
		uint32_t first[MEMBERS], second[MEMBERS];

		afresh(setup_slices, "%s",
		       later ? "later" : "right after the release");
		submit_and_settle(rq, MEMBERS, first);
		pass_to(first, MEMBERS, FAKE_RUNNING);
		wait_and_pass(later ? 11 : 0);
		gather(rq, MEMBERS, second);
		assert_int_equal(in_state("train", FAKE_HELD), SLICE);
		crash_and_pass();
		wait_and_pass(5);
		pass_to(first, MEMBERS, FAKE_RUNNING);
		if (in_state("train", FAKE_PENDING) != MEMBERS)
			fail_msg("%s: %u of the second round have nodes",
				 context,
				 MEMBERS - in_state("train", FAKE_PENDING));
		for (int i = 0; i < MEMBERS; i++)
			assert_int_equal(fake_job(first[i])->launches, 1);
		all_start(second);
		recorded(first[0], "rank=*/%d", MEMBERS);
	}
}

/* slurmctld ends: nothing more is asked. */
SLICES_TEST(test_shutdown)
{
	begin();
	fake_world.shutdown_at = 1;
	pass();
	assert_int_equal(fake_counts.released, 0);
	come_back_and_pass(false);
	given_back();
	all_start(train);
}

TEST_MAIN(NULL, NULL)
