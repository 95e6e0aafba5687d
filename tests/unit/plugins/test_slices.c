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
	fake_commit_takes(25000);
	return 0;
}

/* The first slice is done; 'more' as in struct fake_request. */
static void begin_with(uint32_t *ids, const char *more)
{
	submit_and_pass(MEMBER("train", MEMBERS, .more = more), MEMBERS, ids);
	schedule_and_pass();
	assert_int_equal(in_state("train", FAKE_HELD), SLICE);
	assert_int_equal(in_state("train", FAKE_PENDING), MEMBERS - SLICE);
}

static void begin(uint32_t *ids)
{
	begin_with(ids, NULL);
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
		assert_int_equal(record_of(ids[i]).members, MEMBERS);
		assert_int_equal(fake_job(ids[i])->launches, 1);
	}
}

/* 0.1: each pass commits a slice; the job state is saved when all are held, and
 * then all are launched by one pass. */
SLICES_TEST(test_slices)
{
	uint32_t ids[MEMBERS], saves;

	begin(ids);
	saves = fake_counts.saves;
	pass();
	assert_int_equal(in_state("train", FAKE_HELD), 2 * SLICE);
	assert_int_equal(fake_counts.released, 0);
	assert_int_equal(fake_counts.saves, saves);
	pass_to(ids, MEMBERS, FAKE_RUNNING);
	assert_int_equal(fake_counts.saves, saves + 2);
	assert_int_equal(fake_counts.commits, MEMBERS);
	assert_int_equal(fake_counts.undone, 0);
}

/* In slices or in one hold, the place and what is told of it are the same. */
SLICES_TEST(test_same_place)
{
	uint32_t ids[MEMBERS];
	uint64_t nodes[MEMBERS];
	char *comment[MEMBERS];

	for (int slices = 0; slices < 2; slices++) {
		afresh(setup, "slices %d", slices);
		fake_commit_takes(slices ? 25000 : 0);
		submit_and_pass(member_of("train", MEMBERS), MEMBERS, ids);
		schedule_and_pass();
		assert_int_equal(in_state("train", FAKE_RUNNING),
				 slices ? 0 : MEMBERS);
		pass();
		pass();
		for (int i = 0; i < MEMBERS; i++) {
			const struct fake_job *j = fake_job(ids[i]);

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
	submit(MEMBER("train", MEMBERS, .array = MEMBERS));
	pass();
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
	uint32_t ids[MEMBERS];

	begin(ids);
	for (int i = 0; i < MEMBERS; i++) {
		const struct fake_job *j = fake_job(ids[i]);

		assert_int_equal(record_of(ids[i]).phase, SGANG_PHASE_HOLDING);
		assert_int_equal(j->parked, j->state == FAKE_PENDING);
		if (j->state == FAKE_PENDING)
			assert_non_null(strstr(j->text, "holding 4/10"));
	}
}

/* ---- the planned nodes are kept from everybody ---- */

/* An ordinary job gets none of them, whatever its priority; others it does. */
SLICES_TEST(test_fence)
{
	uint32_t ids[MEMBERS], high;
	uint64_t open;

	begin(ids);
	assert_true(sgang_conductor_has_turns(c));
	open = fenced(100000, ALL_FREE);
	assert_int_equal(__builtin_popcountll(open), NODES - MEMBERS);
	high = submit(plain(NODES - MEMBERS + 1, 100000));
	schedule_to(&high, 1, FAKE_PENDING);
	pass_to(ids, MEMBERS, FAKE_RUNNING);
	assert_true(fenced(1, ALL_FREE) == ALL_FREE);
	assert_true(fake_counts.woken > 0);
}

/* Another gang's turn comes after the last slice. */
SLICES_TEST(test_another_gang)
{
	uint32_t ids[MEMBERS], other[2];
	struct fake_request rq = member_of("other", 2);

	begin(ids);
	rq.priority = 100000;
	submit_and_pass(rq, 2, other);
	assert_int_equal(fake_counts.commits, 2 * SLICE);
	schedule_to(ids, MEMBERS, FAKE_RUNNING);
	schedule_and_pass();
	schedule_to(other, 2, FAKE_RUNNING);
}

/* A later member of another gang could want the same domain for itself. */
SLICES_TEST(test_late_member)
{
	uint32_t ids[MEMBERS], early[2], late;

	gather_to(member_of("old", 2), 2, early, FAKE_RUNNING);
	begin(ids);
	late = submit(member_of("old", 2));
	pass();
	assert_int_equal(turn(late), SGANG_TURN_TAKEN);
	pass_to(ids, MEMBERS, FAKE_RUNNING);
	assert_int_equal(turn(late), SGANG_TURN_ORDINARY);
}

/* One that joins between two slices is too late for them. */
SLICES_TEST(test_member_joins)
{
	uint32_t ids[MEMBERS], late;

	begin(ids);
	late = submit(member_of("train", MEMBERS));
	pass();
	pass_to(ids, MEMBERS, FAKE_RUNNING);
	assert_int_equal(fake_state(late), FAKE_PENDING);
	assert_int_equal(record_of(ids[0]).members, MEMBERS);
	pass();
	schedule_to(&late, 1, FAKE_RUNNING);
}

/* Groups start together, so they are committed in one hold. */
SLICES_TEST(test_group)
{
	struct fake_request a = member_of("a", 5), b = member_of("b", 5);
	uint32_t ids[MEMBERS];

	a.more = "gang_groups=alice/b";
	b.more = "gang_groups=alice/a";
	submit_many(a, 5, ids);
	submit_and_pass(b, 5, ids + 5);
	schedule_to(ids, MEMBERS, FAKE_RUNNING);
}

/* ---- what happens between two slices ---- */

/* The last one that is held, the next one, the last one that waits. */
#define HELD ids[SLICE - 1]
#define NEXT ids[SLICE]
#define WAITS ids[MEMBERS - 1]

static void cancel_held(const uint32_t *ids)
{
	fake_fail(HELD, true);
}
static void cancel_waiting(const uint32_t *ids)
{
	fake_fail(WAITS, true);
}
static void requeue_held(const uint32_t *ids)
{
	fake_requeue(HELD);
}
static void hold_held(const uint32_t *ids)
{
	fake_user_hold(HELD, true);
}
static void hold_waiting(const uint32_t *ids)
{
	fake_user_hold(WAITS, true);
}
static void refuse(const uint32_t *ids)
{
	fake_refuse(NEXT, true);
}
static void limit(const uint32_t *ids)
{
	fake_limit(NEXT, true);
}

static void update(const uint32_t *ids)
{
	struct fake_request rq = MEMBER("train", MEMBERS, .nodes = 2);

	fake_update(WAITS, &rq);
}

static void all_held_end(const uint32_t *ids)
{
	for (int i = 0; i < MEMBERS; i++) {
		if (fake_state(ids[i]) == FAKE_HELD)
			fake_fail(ids[i], true);
	}
}

static void reconfigure(const uint32_t *ids)
{
	struct sgang_conf conf;

	(void)ids;
	sgang_conf_default(&conf);
	sgang_conductor_configure(c, toy_tree(), &conf);
}

static void switch_off(const uint32_t *ids)
{
	struct sgang_conf conf;

	(void)ids;
	sgang_conf_default(&conf);
	conf.gangs = false;
	sgang_conductor_configure(c, toy_tree(), &conf);
}

static void nodes_change(const uint32_t *ids)
{
	(void)ids;
	sgang_conductor_forget_nodes(c);
}

static void restart(const uint32_t *ids)
{
	(void)ids;
	come_back(false);
}

static void die(const uint32_t *ids)
{
	(void)ids;
	come_back(true);
}

static void die_after_save(const uint32_t *ids)
{
	(void)ids;
	fake_snapshot();
	come_back(true);
}

static void jobs_are_read_again(const uint32_t *ids)
{
	(void)ids;
	sgang_conductor_forget_jobs(c);
}

static const struct {
	const char *name;
	void (*happens)(const uint32_t *ids);
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
		uint32_t ids[MEMBERS];

		afresh(setup_slices, "%s", events[i].name);
		begin(ids);
		fake_snapshot();
		events[i].happens(ids);
		pass();
		if (in_state("train", FAKE_HELD))
			fail_msg("%s: %u are held still", context,
				 in_state("train", FAKE_HELD));
		given_back();
		assert_true(fenced(1, ALL_FREE) == ALL_FREE);
		if (events[i].starts)
			all_start(ids);
	}
}

/* What is refused in a slice is not tried for ever. */
static void refused_for_good(void (*happens)(const uint32_t *ids))
{
	uint32_t ids[MEMBERS];

	begin(ids);
	happens(ids);
	for (int i = 0; i < 3 * MEMBERS; i++)
		schedule_and_pass();
	fake_trace_reset();
	schedule_and_pass();
	schedule_and_pass();
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
	uint32_t ids[MEMBERS];

	begin_with(ids, "gang_waiting_time=2:00");
	wait_and_pass(121);
	pass_to(ids, MEMBERS, FAKE_RUNNING);
}

/* Nodes go down: one that is planned. Others do, or all is given back. */
SLICES_TEST(test_node_down)
{
	uint32_t ids[MEMBERS];
	uint64_t open;

	begin(ids);
	open = fenced(1, ALL_FREE & fake_idle_nodes());
	for (uint32_t n = 0; n < NODES; n++) {
		if ((fake_idle_nodes() & ~open) >> n & 1) {
			fake_node_down(n, true);
			break;
		}
	}
	all_start(ids);
}

/* What is refused in slices is tried once in one hold, where it is learned
 * from: this member can be on one leaf only. */
SLICES_TEST(test_learns)
{
	struct fake_request rq = member_of("train", MEMBERS);
	uint32_t ids[MEMBERS];

	submit_many(rq, MEMBERS - 1, ids);
	rq.not_on = LEAF(0) | LEAF(1) | LEAF(2);
	WAITS = submit(rq);
	pass();
	schedule_and_pass();
	for (int i = 0; i < 4; i++)
		schedule_and_pass();
	all_in_state(ids, MEMBERS, FAKE_RUNNING);
}

/* 0.1, 0.38: slurmctld dies while the second round of a gang is committed in
 * slices, and right after the first one was released (or later). What holds of
 * the second is given back, whatever the first does, and starts whole. */
SLICES_TEST(test_second_round)
{
	for (int later = 0; later < 2; later++) {
		struct fake_request rq = member_of("train", MEMBERS);
		uint32_t first[MEMBERS], second[MEMBERS];

		afresh(setup_slices, "%s",
		       later ? "later" : "right after the release");
		rq.cpus = 2;
		rq.more = "gang_match=only-waiting";
		submit_many(rq, MEMBERS, first);
		settle();
		pass_to(first, MEMBERS, FAKE_RUNNING);
		wait_and_pass(later ? 11 : 0);
		submit_and_pass(rq, MEMBERS, second);
		schedule_and_pass();
		assert_int_equal(in_state("train", FAKE_HELD), SLICE);
		fake_snapshot();
		come_back_and_pass(true);
		wait_and_pass(5);
		pass_to(first, MEMBERS, FAKE_RUNNING);
		if (in_state("train", FAKE_PENDING) != MEMBERS)
			fail_msg("%s: %u of the second round have nodes",
				 context,
				 MEMBERS - in_state("train", FAKE_PENDING));
		for (int i = 0; i < MEMBERS; i++)
			assert_int_equal(fake_job(first[i])->launches, 1);
		all_start(second);
		assert_int_equal(record_of(first[0]).members, MEMBERS);
	}
}

/* slurmctld ends: nothing more is asked. */
SLICES_TEST(test_shutdown)
{
	uint32_t ids[MEMBERS];

	begin(ids);
	fake_shutdown_at(1);
	pass();
	assert_int_equal(fake_counts.released, 0);
	come_back_and_pass(false);
	given_back();
	all_start(ids);
}

TEST_MAIN(NULL, NULL)
