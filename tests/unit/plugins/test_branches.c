/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_branches.c - gangs whose members form a tree of groups */

#include <time.h>

#include "../unit.h"
#include "toy_cluster.h"
#include "no_memory.h"

/* A member with this role, and other options. */
static uint32_t with_role(const char *gang, uint32_t min, const char *role,
			  const char *more)
{
	struct fake_request rq = member_of(gang, min);
	char text[SGANG_ROLE_SIZE + 128];

	snprintf(text, sizeof(text), "role=%s%s%s", role, more[0] ? "|" : "",
		 more);
	rq.more = text;
	return submit(rq);
}

/* ---- stale trees ---- */

#define STALE "on_stale=kill|stale_grace=2"

/* A replica that needs an encoder and two decoders. */
static void add_replica(const char *name, uint32_t min, uint32_t ids[3])
{
	static const char *const roles[] = { "encode:min=1", "decode:min=2",
					     "decode:min=2" };
	char role[64];

	for (uint32_t i = 0; i < 3; i++) {
		snprintf(role, sizeof(role), "%s:min=2/%s", name, roles[i]);
		ids[i] = with_role("serve", min, role, STALE);
	}
}

static void begin_serve(uint32_t min, uint32_t ids[6])
{
	add_replica("r1", min, ids);
	add_replica("r2", min, ids + 3);
	settle();
	all_in_state(ids, min == 2 ? 6 : 3, FAKE_RUNNING);
}

/* 2.22 2.23 2.24 2.25: those who have completed count in their own group alone. Who is
 * which: the encoder and the decoders of two replicas. */
TOY_TEST(test_stale)
{
	static const struct {
		const char *what;
		uint32_t min, completes, fails; /* sets of members */
		bool restart, purge, stale;
	} cases[] = {
		{ "a decoder is lost", 2, 0, 0x02, false, false, true },
		{ "a decoder completes", 2, 0x02, 0, false, false, false },
		{ "all of a replica complete", 2, 0x07, 0, false, false,
		  false },
		{ "another decoder completes", 2, 0x10, 0x01, false, false,
		  true },
		{ "four complete", 2, 0x3a, 0x01, false, false, true },
		{ "one replica of two is enough", 1, 0, 0x01, false, false,
		  false },
		{ "... of which one completes", 1, 0x10, 0x01, false, false,
		  false },
		{ "parts of both are not", 1, 0x20, 0x11, false, false, true },
		{ "after a restart", 2, 0x10, 0x01, true, false, true },
		{ "all complete, after a restart", 2, 0x07, 0, true, false,
		  false },
		{ "purged, after a restart", 2, 0x02, 0, true, true, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t ids[6], left = 0;

		afresh(setup, "%s", cases[i].what);
		begin_serve(cases[i].min, ids);
		schedule_and_pass();
		pass_to(ids, 6, FAKE_RUNNING);
		for (uint32_t k = 0; k < 6; k++) {
			if (cases[i].completes >> k & 1)
				fake_end(ids[k]);
			else if (cases[i].fails >> k & 1)
				fake_fail(ids[k], false);
			else
				left = ids[k];
		}
		pass();
		if (cases[i].purge)
			fake_purge();
		if (cases[i].restart) {
			crash_and_pass();
		}
		wait_to(119, &left, 1, FAKE_RUNNING);
		wait_and_pass(5);
		pass();
		if ((fake_state(left) == FAKE_GONE) != cases[i].stale)
			fail_msg("%s: %s", context,
				 cases[i].stale ? "runs on" : "was ended");
	}
}

/* A member that comes when the others of its group have completed is a late one
 * as any other, and does not wait for them. */
TOY_TEST(test_late_after_all)
{
	static const char *const roles[] = { "a:min=1", "b:min=2", "b" };
	uint32_t ids[3], late;

	for (uint32_t i = 0; i < 3; i++)
		ids[i] = with_role("t", 2, roles[i], "");
	settle();
	all_in_state(ids, 3, FAKE_RUNNING);
	fake_end(ids[1]);
	end_and_pass(ids[2]);
	fake_purge();
	pass();
	late = with_role("t", 2, "b", "");
	pass();
	assert_int_equal(turn(late), SGANG_TURN_ORDINARY);
}

/* 4.24: one that comes late stays in the domains of its groups, and says of the
 * lowest of them that it waits for it. */
TOY_TEST(test_late_requires)
{
	static const struct {
		const char *first, *late, *more, *says;
	} cases[] = {
		{ "r:min=1:require=leaf/a:min=1", "r/a", "",
		  "Gang alice/t: group r runs in leaf l1, "
		  "where this member waits for room" },
		{ "r:min=1:require=spine/a:min=1:require=leaf", "r/a", "",
		  "Gang alice/t: group r/a runs in leaf l1, "
		  "where this member waits for room" },
		{ "r:min=1:require=leaf/a:min=1:require=spine", "r/a",
		  "topology=require:spine",
		  "Gang alice/t: group r runs in leaf l1, "
		  "where this member waits for room" },
		{ "r:min=1:require=spine/a:min=1", "r/a",
		  "topology=require:leaf",
		  "Gang alice/t runs in leaf l1, "
		  "where this member waits for room" },
		{ "r:min=1/a:min=1", "r/a", "topology=require:leaf",
		  "Gang alice/t runs in leaf l1, "
		  "where this member waits for room" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t first, late[2], other;

		afresh(setup, "%s %s", cases[i].first, cases[i].more);
		occupy(ALL_FREE & ~LEAF(1), 0);
		first = with_role("t", 1, cases[i].first, cases[i].more);
		settle();
		all_in_state(&first, 1, FAKE_RUNNING);
		other = occupy(LEAF(1) & ~nodes_of(&first, 1), 0);
		late[0] = with_role("t", 1, cases[i].late, cases[i].more);
		late[1] = with_role("t", 1, cases[i].late, cases[i].more);
		settle_to(late, 2, FAKE_PENDING);
		says(late[0], cases[i].says);
		says(late[1], cases[i].says);
		fake_end(other);
		schedule_to(late, 2, FAKE_RUNNING);
	}
}

/* A group that follows says why it waits, beside a member that is late. */
TOY_TEST(test_late_beside_group)
{
	uint32_t first, late, rest;

	occupy(ALL_FREE & ~LEAF(1), 0);
	first = with_role("t", 1, "r:min=1:require=leaf", "");
	settle();
	all_in_state(&first, 1, FAKE_RUNNING);
	occupy(LEAF(1) & ~nodes_of(&first, 1), 0);
	late = with_role("t", 1, "r", "");
	rest = with_role("t", 1, "s:min=2", "");
	settle_to(&late, 1, FAKE_PENDING);
	pass_to(&rest, 1, FAKE_PENDING);
	says(late, "Gang alice/t: group r runs in leaf l1, "
		   "where this member waits for room");
	mentions(rest, "SubGroup s does not have enough children");
}

/* ---- spares ---- */

/* 6.5: those beyond the minimum start with it, but for the spares, which have a
 * role and no rank. One takes the place of a member of its own group alone. */
TOY_TEST(test_spares)
{
	static const char *const roles[] = { "a:min=1", "b:min=2", "b", "b",
					     "b" };
	struct sgang_record r;
	uint32_t ids[5], rank;

	for (uint32_t i = 0; i < 5; i++) {
		char more[64];

		snprintf(more, sizeof(more), "spares=1|role=%s", roles[i]);
		ids[i] = submit(MEMBER("t", 2, .more = more, .total = 5));
	}
	settle_to(ids, 4, FAKE_RUNNING);
	pass_to(&ids[4], 1, FAKE_PENDING);
	start_later_on(ids[4], FAKE_ALL_NODES);
	r = record_of(ids[4]);
	assert_int_equal(fake_state(ids[4]), FAKE_RUNNING);
	assert_true(r.spare && !r.placed);
	is_told(ids[4], "SLURM_GANG_ROLE", "b");
	pass();
	wait_and_pass(2);
	fail_and_pass(ids[0], false);
	pass();
	recorded(ids[4], "spare");
	rank = record_of(ids[2]).member_rank;
	fail_and_pass(ids[2], false);
	pass();
	r = record_of(ids[4]);
	assert_true(r.placed && !r.spare);
	assert_int_equal(r.member_rank, rank);
	is_told(ids[4], "SLURM_GANG_ROLE", "b");
}

/* ---- many members ---- */

#define MANY 480

/* Seconds of the pass in which so many members of one CPU start. */
static double time_start(const char *role, const uint32_t first)
{
	static uint32_t ids[MANY];
	clock_t begun;
	double took;

	for (uint32_t i = 0; i < MANY; i++) {
		struct fake_request rq = MEMBER("many", first ? 1 : MANY,
						.cpus = 1);

		rq.more = role;
		ids[i] = submit(rq);
	}
	pass();
	begun = clock();
	schedule_and_pass();
	took = (double)(clock() - begun) / CLOCKS_PER_SEC;
	all_in_state(ids, MANY, FAKE_RUNNING);
	return took;
}

static void wide_cluster(void)
{
	sgang_conductor_destroy(c);
	toy_nodes = FAKE_NODES;
	fake_cluster(FAKE_NODES, 8, MEMORY, LICENCES);
	fake_world.drops_env = true;
	start_conductor();
}

/* A group that follows is told of all others, and takes not much longer than a
 * gang of as many. */
TOY_TEST(test_many)
{
	double gang, group;
	uint32_t first;

	wide_cluster();
	gang = time_start("mode=strict", 0);
	wide_cluster();
	first = with_role("many", 1, "a:min=1", "");
	settle();
	assert_int_equal(fake_state(first), FAKE_RUNNING);
	group = time_start("role=b:min=480", first);
	print_message("# %d members: gang %.1f ms, group %.1f ms\n", MANY,
		      gang * 1e3, group * 1e3);
	assert_true(group < 4 * gang);
}

/* Tasks of an array have records only when they are split off: each has a rank
 * of its own. */
TOY_TEST(test_array_follows)
{
	struct fake_request rq = MEMBER("serve", 1, .array = 5,
					.more = "role=r2:min=2/decode:min=4");
	uint32_t ids[3], had = 0, n = 0;

	add_replica("r1", 1, ids);
	settle();
	all_in_state(ids, 3, FAKE_RUNNING);
	(void)submit(rq);
	rq.array = 0;
	rq.more = "role=r2/encode:min=1";
	(void)submit(rq);
	settle();
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		uint32_t rank;

		if (j->state != FAKE_RUNNING)
			continue;
		rank = record_of(j->id).member_rank;
		if (rank > 31 || (had >> rank & 1))
			fail_msg("member rank %u twice", rank);
		had |= 1u << rank;
		n++;
	}
	assert_int_equal(n, 8);
	assert_int_equal(had, 0xff);
}

/* ---- memory runs out ---- */

/* The first choice has no room, and another one has. */
static void prepare_search(uint32_t ids[3])
{
	struct fake_request rq = MEMBER("serve", 1, .more = "role=r1:min=1",
					.nodes = 6);

	(void)busy(11);
	ids[0] = submit(rq);
	rq.more = "role=r2:min=2:require=leaf|order=2";
	rq.nodes = 2;
	ids[1] = submit(rq);
	ids[2] = submit(rq);
	fake_job(ids[0])->rq.priority = 200;
	pass();
	(void)turn(ids[0]);
}

/* A group is about to follow. */
static void prepare_follow(uint32_t ids[3])
{
	uint32_t first[3];

	add_replica("r1", 1, first);
	settle();
	all_in_state(first, 3, FAKE_RUNNING);
	add_replica("r2", 1, ids);
	pass();
	(void)turn(ids[0]);
}

/* What is left of it is about to go. */
static void prepare_stale(uint32_t ids[3])
{
	add_replica("r1", 1, ids);
	settle();
	fake_end(ids[1]);
	fail_and_pass(ids[0], false);
	fake_clock(121);
}

static bool searched(const uint32_t ids[3])
{
	return fake_state(ids[0]) == FAKE_PENDING &&
	       fake_state(ids[1]) == FAKE_RUNNING &&
	       fake_state(ids[2]) == FAKE_RUNNING;
}

static bool followed(const uint32_t ids[3])
{
	return in_state("serve", FAKE_RUNNING) == 6 &&
	       fake_state(ids[0]) == FAKE_RUNNING;
}

static bool went(const uint32_t ids[3])
{
	return fake_state(ids[2]) == FAKE_GONE;
}

/* 2.15, 2.23: one allocation, or all from one on, fail in a pass: no group starts
 * in part, and afterwards all is as it would have been. */
TOY_TEST(test_no_memory)
{
#ifdef __SANITIZE_THREAD__
	skip(); /* it takes too long, and has one thread */
#endif
	static const struct {
		void (*prepare)(uint32_t ids[3]);
		bool (*done)(const uint32_t ids[3]);
		uint32_t parts; /* members that start together */
	} cases[] = {
		{ prepare_search, searched, 2 },
		{ prepare_follow, followed, 3 },
		{ prepare_stale, went, 1 },
	};

	for (size_t p = 0; p < 2 * COUNT(cases); p++) {
		bool reached = true;

		for (uint64_t at = 1; reached; at++) {
			uint32_t ids[3], passes = 0;

			afresh(setup, "case %zu, allocation %u", p / 2,
			       (unsigned int)at);
			cases[p / 2].prepare(ids);
			reached = pass_without_memory(at, p % 2);
			for (; !cases[p / 2].done(ids) && passes < 20;
			     passes++) {
				wait_and_schedule(10);
				if (in_state("serve", FAKE_RUNNING) %
				    cases[p / 2].parts)
					fail_msg("%s: in part", context);
			}
			if (passes == 20)
				fail_msg("%s: %s", context, text_of(ids[1]));
		}
	}
}

/* 5.7: who asks about a member of a tree is answered for the members that were
 * submitted just before, which no pass has seen. */
TOY_TEST(test_asked_at_once)
{
	const char *roles[] = { "role=a:min=2", "role=a:min=2",
				"role=b:min=1" };
	struct sgang_what_if what;
	struct sgang_spec spec;
	uint32_t ids[3];
	bool known;

	for (int seen = 1; seen >= 0; seen--) {
		afresh(setup, "seen %d", seen);
		for (int i = 0; i < 3; i++)
			ids[i] = submit(MEMBER("tree", 2, .more = roles[i]));
		if (seen)
			pass();
		spec = spec_of(ids[2]);
		assert_true(fake_host.lock());
		known = sgang_conductor_what_if(
			c, &spec, fake_host.jobs.find(ids[2]), &what);
		fake_host.unlock();
		assert_true(known);
		assert_int_equal(what.start, fake_host.now());
		assert_int_equal(what.members, 3);
		sgang_nodeset_destroy(what.nodes);
		settle_to(ids, 3, FAKE_RUNNING);
	}
}

TEST_MAIN(NULL, NULL)
