/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gang.c - the rules of gangs */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/gang.h"
#include "fuzz.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define P SGANG_MEMBER_PENDING
#define H SGANG_MEMBER_HELD
#define R SGANG_MEMBER_RUNNING
#define MEMBERS 8

/* A member in few words; tasks 0 ends a list. */
struct says {
	enum sgang_member_state state;
	uint32_t tasks;
	bool eligible;
	bool satisfied;
	uint32_t min, total;
	uint32_t priority;
	int64_t submit;
};

static void make_member(struct sgang_member *m, const struct says *s,
			uint32_t job_id)
{
	memset(m, 0, sizeof(*m));
	strcpy(m->spec.ns, "alice");
	strcpy(m->spec.name, "train");
	m->spec.min_member = s->min;
	m->spec.total = s->total;
	m->state = s->state;
	m->tasks = s->tasks;
	m->eligible = s->eligible;
	m->satisfied = s->satisfied;
	m->job_id = job_id;
	m->priority = s->priority;
	m->submit_time = s->submit;
}

static void tally_of(const struct says *says, struct sgang_tally *tally)
{
	struct sgang_member members[MEMBERS];
	const struct sgang_member *list[MEMBERS];
	size_t n = 0;

	for (; n < MEMBERS && says[n].tasks; n++) {
		make_member(&members[n], &says[n], (uint32_t) n + 1);
		list[n] = &members[n];
	}
	assert_int_equal(sgang_gang_tally(list, n, tally), 0);
}

/* ---- what the members add up to, and what follows from it ---- */

/* 0.1, 0.11, 0.19, 0.32, 0.33, 0.38, 0.43, 1.58 (array tasks count), 2.2 */
static void test_tally(void **state)
{
	static const struct {
		const char *what;
		struct says m[MEMBERS];
		uint32_t pending, eligible, held, running, min, total;
		uint32_t priority;
		int64_t first;
		bool satisfied, may_start;
		enum sgang_phase phase;
	} cases[] = {
		{ "nobody", { { 0 } },
		  0, 0, 0, 0, 1, 1, 0, 0, false, false,
		  SGANG_PHASE_FINISHED },
		{ "a gang of one",
		  { { P, 1, true, false, 0, 0, 5, 100 } },
		  1, 1, 0, 0, 1, 1, 5, 100, false, true,
		  SGANG_PHASE_WAITING },
		{ "0.43: one of two",
		  { { P, 1, true, false, 2, 0, 5, 100 } },
		  1, 1, 0, 0, 2, 2, 5, 100, false, false,
		  SGANG_PHASE_GATHERING },
		{ "two of two, the second says nothing",
		  { { P, 1, true, false, 2, 0, 5, 100 },
		    { P, 1, true, false, 0, 0, 9, 200 } },
		  2, 2, 0, 0, 2, 2, 9, 100, false, true,
		  SGANG_PHASE_WAITING },
		{ "there but not eligible",
		  { { P, 1, true, false, 2, 0, 5, 100 },
		    { P, 1, false, false, 2, 0, 5, 100 } },
		  2, 1, 0, 0, 2, 2, 5, 100, false, false,
		  SGANG_PHASE_WAITING },
		{ "array tasks count",
		  { { P, 3, true, false, 4, 6, 5, 100 },
		    { P, 1, true, false, 4, 6, 5, 100 } },
		  4, 4, 0, 0, 4, 6, 5, 100, false, true,
		  SGANG_PHASE_WAITING },
		{ "an array that is not eligible counts whole",
		  { { P, 3, false, false, 2, 0, 5, 100 } },
		  3, 0, 0, 0, 2, 2, 5, 100, false, false,
		  SGANG_PHASE_WAITING },
		{ "one held, one pending",
		  { { H, 1, false, false, 2, 0, 7, 100 },
		    { P, 1, true, false, 2, 0, 5, 100 } },
		  1, 1, 1, 0, 2, 2, 5, 100, false, false,
		  SGANG_PHASE_STARTING },
		{ "0.11: held with enough pending beside it",
		  { { H, 1, false, false, 1, 0, 7, 100 },
		    { P, 4, true, false, 1, 0, 5, 100 } },
		  4, 4, 1, 0, 1, 1, 5, 100, false, false,
		  SGANG_PHASE_STARTING },
		{ "0.38: a member that runs means it has started",
		  { { R, 1, false, false, 2, 0, 7, 100 },
		    { P, 2, true, false, 2, 0, 5, 100 } },
		  2, 2, 0, 1, 2, 2, 5, 100, true, false,
		  SGANG_PHASE_RUNNING },
		{ "0.11: a requeued member remembers",
		  { { P, 1, true, true, 2, 0, 5, 100 } },
		  1, 1, 0, 0, 2, 2, 5, 100, true, false,
		  SGANG_PHASE_RUNNING },
		{ "0.33: the oldest member dates the gang",
		  { { P, 1, true, false, 2, 0, 5, 300 },
		    { P, 1, true, false, 2, 0, 5, 100 },
		    { P, 1, true, false, 2, 0, 5, 200 } },
		  3, 3, 0, 0, 2, 2, 5, 100, false, true,
		  SGANG_PHASE_WAITING },
		{ "the oldest that says it says it for all",
		  { { P, 1, true, false, 4, 5, 5, 300 },
		    { P, 1, true, false, 0, 3, 5, 100 },
		    { P, 1, true, false, 2, 0, 5, 200 } },
		  3, 3, 0, 0, 2, 3, 5, 100, false, true,
		  SGANG_PHASE_WAITING },
		{ "0.32: those that have their nodes have no priority",
		  { { R, 1, false, true, 1, 0, 90, 100 },
		    { H, 1, false, true, 1, 0, 80, 100 },
		    { P, 1, true, true, 1, 0, 10, 100 } },
		  1, 1, 1, 1, 1, 1, 10, 100, true, false,
		  SGANG_PHASE_RUNNING },
	};

	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_tally t;

		tally_of(cases[i].m, &t);
		if (t.pending != cases[i].pending ||
		    t.eligible != cases[i].eligible ||
		    t.held != cases[i].held ||
		    t.running != cases[i].running ||
		    t.min_member != cases[i].min ||
		    t.total != cases[i].total ||
		    t.priority != cases[i].priority ||
		    t.first_submit != cases[i].first ||
		    t.satisfied != cases[i].satisfied)
			fail_msg("%s: the tally is wrong", cases[i].what);
		if (sgang_gang_may_start(&t) != cases[i].may_start)
			fail_msg("%s: may start", cases[i].what);
		if (sgang_gang_phase(&t) != cases[i].phase)
			fail_msg("%s: phase %s", cases[i].what,
				 sgang_phase_name(sgang_gang_phase(&t)));
	}
}

/* What the members add up to does not depend on the order they are seen in,
 * and the topology of the oldest that names one holds. */
/* 0.1: what a member that is gone has said still holds for the others; what a
 * living one says comes first, and a default says nothing. */
static void test_remembered(void **state)
{
	static const struct {
		uint32_t said_min, said_total, known_min, known_total;
		uint32_t min, total;
	} cases[] = {
		{ 0, 0, 0, 0, 1, 1 },
		{ 0, 0, 1, 1, 1, 1 },
		{ 0, 0, 4, 4, 4, 4 },
		{ 0, 0, 4, 6, 4, 6 },
		{ 2, 0, 4, 4, 2, 4 },
		{ 2, 0, 4, 6, 2, 6 },
		{ 4, 0, 1, 1, 4, 4 },
		{ 0, 8, 4, 4, 4, 8 },
		{ 0, 3, 4, 4, 1, 3 },
		{ 2, 3, 4, 6, 2, 3 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct says s = { P, 1, true, false, cases[i].said_min,
				  cases[i].said_total, 5, 100 };
		struct says quiet = { P, 1, true, false, 0, 0, 5, 200 };
		struct sgang_member m[2];
		const struct sgang_member *list[2] = { &m[0], &m[1] };
		struct sgang_tally tally;

		make_member(&m[0], &s, 1);
		make_member(&m[1], &quiet, 2);
		m[1].known_min = cases[i].known_min;
		m[1].known_total = cases[i].known_total;
		assert_int_equal(sgang_gang_tally(list, 2, &tally), 0);
		if (tally.min_member != cases[i].min ||
		    tally.total != cases[i].total)
			fail_msg("case %zu: min %u total %u", i,
				 tally.min_member, tally.total);
	}
}

static void test_tally_order(void **state)
{
	uint64_t seed = 20261;

	(void) state;
	for (int round = 0; round < 300; round++) {
		uint64_t before = seed;
		struct sgang_member m[MEMBERS];
		const struct sgang_member *list[MEMBERS];
		struct sgang_tally first, later;

		for (size_t i = 0; i < MEMBERS; i++) {
			struct says s = {
				.state = P, .tasks = 1, .eligible = true,
				.min = (uint32_t) fuzz_below(&seed, 3),
				.total = (uint32_t) fuzz_below(&seed, 2) * 4,
				.submit = (int64_t) fuzz_below(&seed, 4),
			};

			make_member(&m[i], &s, (uint32_t) i + 1);
			if (fuzz_below(&seed, 3) == 0)
				snprintf(m[i].spec.level,
					 sizeof(m[i].spec.level), "level%u",
					 (unsigned) i);
			list[i] = &m[i];
		}
		assert_int_equal(sgang_gang_tally(list, MEMBERS, &first), 0);
		for (size_t i = MEMBERS - 1; i > 0; i--) {
			size_t j = fuzz_below(&seed, i + 1);
			const struct sgang_member *swap = list[i];

			list[i] = list[j];
			list[j] = swap;
		}
		assert_int_equal(sgang_gang_tally(list, MEMBERS, &later), 0);
		if (first.min_member != later.min_member ||
		    first.total != later.total ||
		    first.first_submit != later.first_submit ||
		    strcmp(first.spec.level, later.spec.level))
			fail_msg("seed %llu", (unsigned long long) before);
	}
}

/* ---- order ---- */

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

/* 0.32 priority, 0.33 creation time, 0.34 name */
static void test_turn_order(void **state)
{
	static const struct {
		uint32_t priority;
		int64_t first;
		const char *ns, *name;
	} sorted[] = {
		{ UINT32_MAX, 900, "z", "z" },
		{ 10, 500, "z", "z" },
		{ 9, 100, "a", "b" },
		{ 9, 100, "a", "c" },
		{ 9, 100, "b", "a" },
		{ 9, 101, "a", "a" },
		{ 9, 4000000000, "a", "a" },
		{ 0, 1, "a", "a" },
	};
	struct sgang_tally t[COUNT(sorted)];

	(void) state;
	memset(t, 0, sizeof(t));
	for (size_t i = 0; i < COUNT(sorted); i++) {
		t[i].priority = sorted[i].priority;
		t[i].first_submit = sorted[i].first;
		strcpy(t[i].spec.ns, sorted[i].ns);
		strcpy(t[i].spec.name, sorted[i].name);
	}
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++)
			assert_int_equal(sign(sgang_gang_turn_order(&t[i],
								    &t[j])),
					 (i > j) - (i < j));
	}
}

/* 3.9: --gang-rank first and by rank, the others as they were submitted. */
static void test_ring_order(void **state)
{
	static const struct {
		bool rank_set;
		uint32_t rank;
		int64_t submit;
		uint32_t job_id, task_id;
	} sorted[] = {
		{ true, 0, 900, 9, 0 },
		{ true, 1, 100, 1, 0 },
		{ true, 1, 100, 2, 0 },
		{ true, 4000000000, 0, 3, 0 },
		{ false, 7, 50, 8, 0 },
		{ false, 0, 100, 4, 1 },
		{ false, 0, 100, 4, 2 },
		{ false, 0, 100, 4, 10 },
		{ false, 0, 100, 5, 0 },
		{ false, 0, 4000000000, 1, 0 },
	};
	struct sgang_member m[COUNT(sorted)];

	(void) state;
	memset(m, 0, sizeof(m));
	for (size_t i = 0; i < COUNT(sorted); i++) {
		m[i].spec.rank_set = sorted[i].rank_set;
		m[i].spec.rank = sorted[i].rank;
		m[i].submit_time = sorted[i].submit;
		m[i].job_id = sorted[i].job_id;
		m[i].task_id = sorted[i].task_id;
	}
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++)
			assert_int_equal(sign(sgang_gang_ring_order(&m[i],
								    &m[j])),
					 (i > j) - (i < j));
	}
}

/* ---- words ---- */

/* 0.43: the text of a gang that gathers, and of one that waits. */
static void test_text(void **state)
{
	static const struct {
		uint32_t pending, eligible, min;
		const char *why, *text;
	} cases[] = {
		{ 3, 3, 4, NULL, "Gang alice/train gathering 3/4 members" },
		{ 3, 0, 4, "no fit", "Gang alice/train gathering 3/4 members" },
		{ 4, 1, 4, NULL, "Gang alice/train waits for 3 of 4 members "
		  "to be eligible" },
		{ 4, 4, 4, NULL, "Gang alice/train waits for its turn" },
		{ 4, 4, 4, "", "Gang alice/train waits for its turn" },
		{ 5, 4, 4, "licenses", "Gang alice/train waits: licenses" },
	};

	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_tally t = {
			.pending = cases[i].pending,
			.eligible = cases[i].eligible,
			.min_member = cases[i].min,
		};
		char text[128], tight[12];

		strcpy(t.spec.ns, "alice");
		strcpy(t.spec.name, "train");
		sgang_gang_text(&t, cases[i].why, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
		memset(tight, '#', sizeof(tight));
		sgang_gang_text(&t, cases[i].why, tight, sizeof(tight) - 1);
		assert_int_equal(strlen(tight), sizeof(tight) - 2);
		assert_int_equal(tight[sizeof(tight) - 1], '#');
		assert_memory_equal(tight, text, sizeof(tight) - 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tally),
		cmocka_unit_test(test_remembered),
		cmocka_unit_test(test_tally_order),
		cmocka_unit_test(test_turn_order),
		cmocka_unit_test(test_ring_order),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
