/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gang.c - the rules of gangs */

#include <time.h>

#include "../unit.h"
#include "core/gang/gang.h"
#include "fuzz.h"

#define MEMBERS 8

/* A member with what it points to. */
struct whole {
	struct sgang_member m;
	struct sgang_spec spec;
	struct sgang_record record;
};

/* "P2 3/4 5 @100": pending with two array tasks, a minimum of 3 and a total of
 * 4, of priority 5, submitted at 100. H is held and R runs; in small letters it
 * is not eligible. A star behind it: its gang has started once. */
static void make_member(struct whole *w, const char *says, uint32_t job_id)
{
	struct sgang_member *m = &w->m;
	char state;

	memset(w, 0, sizeof(*w));
	m->spec = &w->spec;
	strcpy(w->spec.ns, "alice");
	strcpy(w->spec.name, "train");
	assert_int_equal(sscanf(says, "%c%u %u/%u %u @%" SCNd64, &state,
				&m->tasks, &w->spec.min_member, &w->spec.total,
				&m->priority, &m->submit_time),
			 6);
	m->state = strchr("Hh", state) ? SGANG_MEMBER_HELD :
		   strchr("Rr", state) ? SGANG_MEMBER_RUNNING :
					 SGANG_MEMBER_PENDING;
	m->eligible = strchr("PHR", state);
	m->stopped = !m->eligible;
	w->record.satisfied = strcspn(says, "*") < strcspn(says, ";");
	if (w->record.satisfied)
		m->record = &w->record;
	m->job_id = job_id;
}

/* Of "...; ..."; returns how many. */
static size_t make_members(struct whole *members,
			   const struct sgang_member **list, const char *says)
{
	size_t n = 0;

	for (; *says; n++) {
		make_member(&members[n], says, (uint32_t)n + 1);
		list[n] = &members[n].m;
		says += strcspn(says, ";");
		says += strspn(says, "; ");
	}
	return n;
}

static void tally_of(const char *says, struct sgang_tally *tally)
{
	struct whole members[MEMBERS];
	const struct sgang_member *list[MEMBERS];
	size_t n = make_members(members, list, says);

	assert_int_equal(sgang_gang_tally(list, n, NULL, 0, tally), 0);
}

/* ---- pools ---- */

/* Behaviour 6.5: the first definition says whether it is a pool; its members
 * remember that, and are never tried as a gang. */
TEST(test_pool)
{
	static const struct {
		bool object, object_pool, line, line_pool, remembered, pool;
	} cases[] = {
		{ true, true, false, false, false, true },
		{ true, true, true, false, false, true },
		{ true, false, true, true, false, false },
		{ false, false, true, true, false, true },
		{ false, false, false, false, true, true },
		{ true, false, false, false, true, true },
		{ false, false, false, false, false, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_spec object = { .pool = cases[i].object_pool };
		struct sgang_spec line = { .pool = cases[i].line_pool };
		const struct sgang_spec *definitions[] = {
			cases[i].object ? &object : NULL,
			cases[i].line ? &line : NULL,
		};
		struct whole w;
		const struct sgang_member *list[] = { &w.m };
		struct sgang_record told;
		struct sgang_tally t;

		make_member(&w, "P2 0/0 5 @100", 1);
		if (!object.pool)
			object.min_member = 2;
		if (!line.pool)
			line.min_member = 2;
		w.record.pool = cases[i].remembered;
		sgang_gang_told(&w.record, &told);
		w.m.record = &told;
		assert_int_equal(sgang_gang_tally(list, 1, definitions, 2, &t),
				 0);
		assert_int_equal(t.spec.pool, cases[i].pool);
		assert_int_equal(sgang_gang_ordinary(&t), cases[i].pool);
		if (cases[i].pool)
			assert_false(sgang_gang_may_try(&t));
	}
}

TEST(test_pool_words)
{
	struct sgang_tally t;
	char text[128];

	tally_of("r1 0/0 5 @100; P2 0/0 5 @100", &t);
	t.spec.pool = true;
	sgang_gang_words(&t, "", 200, text, sizeof(text));
	assert_string_equal(text, "pool, 1/3 spares have nodes");
	sgang_gang_object_text(&t, text, sizeof(text));
	assert_string_equal(text,
			    "Gang alice/train pool, 1/3 spares have nodes");
}

/* ---- what the members add up to, and what follows from it ---- */

/* 0.1, 0.11, 0.19, 0.32, 0.33, 0.38, 0.43, 1.58 (array tasks count), 2.2 */
TEST(test_tally)
{
	static const struct {
		const char *what, *says;
		/* "PENDING ELIGIBLE HELD RUNNING, MINIMUM of TOTAL, ...,
		 * CREATED: PHASE" */
		const char *is;
	} cases[] = {
		{ "nobody", "", "0 0 0 0, 1 of 1, priority 0, 0: Finished" },
		{ "a gang of one", "P1 1/0 5 @100",
		  "1 1 0 0, 1 of 1, priority 5, 100: Waiting, may start" },
		{ "0.25, 0.26: nobody says how many", "P1 0/0 5 @100",
		  "1 1 0 0, 1 of 1, priority 5, 100: Undefined" },
		{ "0.43: one of two", "P1 2/0 5 @100",
		  "1 1 0 0, 2 of 2, priority 5, 100: Gathering" },
		{ "two of two, the second says nothing",
		  "P1 2/0 5 @100; P1 0/0 9 @200",
		  "2 2 0 0, 2 of 2, priority 9, 100: Waiting, may start" },
		{ "there but not eligible", "P1 2/0 5 @100; p1 2/0 5 @100",
		  "2 1 0 0, 2 of 2, priority 5, 100: Waiting" },
		{ "array tasks count", "P3 4/6 5 @100; P1 4/6 5 @100",
		  "4 4 0 0, 4 of 6, priority 5, 100: Waiting, may start" },
		{ "an array that is not eligible counts whole", "p3 2/0 5 @100",
		  "3 0 0 0, 2 of 2, priority 5, 100: Waiting" },
		{ "one of two held", "h1 2/0 7 @100; P1 2/0 5 @100",
		  "1 1 1 0, 2 of 2, priority 7, 100: Holding" },
		{ "0.11: held with enough pending beside it",
		  "h1 1/0 7 @100; P4 1/0 5 @100",
		  "4 4 1 0, 1 of 1, priority 7, 100: Starting" },
		{ "0.38: a member that runs means it has started",
		  "r1 2/0 7 @100; P2 2/0 5 @100",
		  "2 2 0 1, 2 of 2, priority 5, 100, satisfied: Running" },
		{ "0.11: a requeued member remembers", "P1 2/0 5 @100 *",
		  "1 1 0 0, 2 of 2, priority 5, 100, satisfied: Running" },
		{ "0.33: the oldest member dates the gang",
		  "P1 2/0 5 @300; P1 2/0 5 @100; P1 2/0 5 @200",
		  "3 3 0 0, 2 of 2, priority 5, 100: Waiting, may start" },
		{ "the oldest that says it says it for all",
		  "P1 4/5 5 @300; P1 0/3 5 @100; P1 2/0 5 @200",
		  "3 3 0 0, 2 of 3, priority 5, 100: Waiting, may start" },
		{ "0.32: those that run have no priority",
		  "r1 1/0 90 @100 *; h1 1/0 80 @100 *; P1 1/0 10 @100 *",
		  "1 1 1 1, 1 of 1, priority 80, 100, satisfied: Starting" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_tally t;
		char is[128];

		tally_of(cases[i].says, &t);
		snprintf(is, sizeof(is),
			 "%u %u %u %u, %u of %u, priority %u, %" PRId64
			 "%s: %s%s",
			 t.pending, t.eligible, t.held, t.running, t.min_member,
			 t.total, t.priority, t.created,
			 t.satisfied ? ", satisfied" : "",
			 sgang_phase_name(sgang_gang_phase(&t)),
			 sgang_gang_may_try(&t) ? ", may start" : "");
		if (strcmp(is, cases[i].is))
			fail_msg("%s: %s", cases[i].what, is);
	}
}

/* 0.1: what a member that is gone has said still holds for the others; what a
 * living one says comes first, and a default says nothing. */
TEST(test_remembered)
{
	static const struct {
		uint32_t said_min, said_total, known_min, known_total;
		uint32_t min, total;
	} cases[] = {
		{ 0, 0, 0, 0, 1, 1 }, { 0, 0, 1, 1, 1, 1 },
		{ 0, 0, 4, 4, 4, 4 }, { 0, 0, 4, 6, 4, 6 },
		{ 2, 0, 4, 4, 2, 4 }, { 2, 0, 4, 6, 2, 6 },
		{ 4, 0, 1, 1, 4, 4 }, { 0, 8, 4, 4, 4, 8 },
		{ 0, 3, 4, 4, 1, 3 }, { 2, 3, 4, 6, 2, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct whole m[2];
		const struct sgang_member *list[2];
		struct sgang_tally tally;

		make_members(m, list, "P1 0/0 5 @100; P1 0/0 5 @200");
		m[0].spec.min_member = cases[i].said_min;
		m[0].spec.total = cases[i].said_total;
		m[1].record.min_member = cases[i].known_min;
		m[1].record.total = cases[i].known_total;
		m[1].m.record = &m[1].record;
		assert_int_equal(sgang_gang_tally(list, 2, NULL, 0, &tally), 0);
		if (tally.min_member != cases[i].min ||
		    tally.total != cases[i].total)
			fail_msg("case %zu: min %u total %u", i,
				 tally.min_member, tally.total);
	}
}

/* What the members add up to does not depend on the order they are seen in,
 * and the topology of the oldest that names one holds. */
TEST(test_tally_order)
{
	uint64_t seed = 20261;

	for (int round = 0; round < 300; round++) {
		uint64_t before = seed;
		struct whole m[MEMBERS];
		const struct sgang_member *list[MEMBERS];
		struct sgang_tally first, later;

		for (size_t i = 0; i < MEMBERS; i++) {
			make_member(&m[i], "P1 0/0 0 @0", (uint32_t)i + 1);
			m[i].spec.min_member = (uint32_t)fuzz_below(&seed, 3);
			m[i].spec.total = (uint32_t)fuzz_below(&seed, 2) * 4;
			m[i].m.submit_time = (int64_t)fuzz_below(&seed, 4);
			if (fuzz_below(&seed, 3) == 0)
				snprintf(m[i].spec.exclusive,
					 sizeof(m[i].spec.exclusive), "level%u",
					 (unsigned)i);
			list[i] = &m[i].m;
		}
		assert_int_equal(
			sgang_gang_tally(list, MEMBERS, NULL, 0, &first), 0);
		for (size_t i = MEMBERS - 1; i > 0; i--) {
			size_t j = fuzz_below(&seed, i + 1);
			const struct sgang_member *swap = list[i];

			list[i] = list[j];
			list[j] = swap;
		}
		assert_int_equal(
			sgang_gang_tally(list, MEMBERS, NULL, 0, &later), 0);
		if (first.min_member != later.min_member ||
		    first.total != later.total ||
		    first.created != later.created ||
		    strcmp(first.spec.exclusive, later.spec.exclusive))
			fail_msg("seed %llu", (unsigned long long)before);
	}
}

/* ---- order ---- */

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

/* 0.32 priority, 0.33 creation time, 0.34 name */
TEST(test_turn_order)
{
	static const struct {
		uint32_t priority;
		int64_t first;
		const char *ns, *name;
	} sorted[] = {
		{ UINT32_MAX, 900, "z", "z" }, { 10, 500, "z", "z" },
		{ 9, 100, "a", "b" },          { 9, 100, "a", "c" },
		{ 9, 100, "b", "a" },          { 9, 101, "a", "a" },
		{ 9, 4000000000, "a", "a" },   { 0, 1, "a", "a" },
	};
	struct sgang_tally t[COUNT(sorted)];

	memset(t, 0, sizeof(t));
	for (size_t i = 0; i < COUNT(sorted); i++) {
		t[i].priority = sorted[i].priority;
		t[i].created = sorted[i].first;
		strcpy(t[i].spec.ns, sorted[i].ns);
		strcpy(t[i].spec.name, sorted[i].name);
	}
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++)
			assert_int_equal(
				sign(sgang_gang_turn_order(&t[i], &t[j])),
				(i > j) - (i < j));
	}
}

/* 1.36: a gang in which only placeholders have run, and nobody does any more,
 * does not run as long as a group lacks members. */
TEST(test_phase_of_nobody)
{
	struct sgang_tally t = {
		.pending = 1,
		.satisfied = true,
		.defined = true,
		.min_member = 4,
		.roles = { .any = true, .lacks = "SubGroup w lacks members" },
	};

	assert_int_equal(sgang_gang_phase(&t), SGANG_PHASE_GATHERING);
	t.roles.gathered = true;
	assert_int_equal(sgang_gang_phase(&t), SGANG_PHASE_WAITING);
	t.roles.lacks[0] = '\0';
	assert_int_equal(sgang_gang_phase(&t), SGANG_PHASE_RUNNING);
	strcpy(t.roles.lacks, "SubGroup w lacks members");
	t.running = 1;
	assert_int_equal(sgang_gang_phase(&t), SGANG_PHASE_RUNNING);
}

/* 3.9: --gang-rank first and by rank, the others as they were submitted. */
TEST(test_ring_order)
{
	static const struct {
		bool rank_set;
		uint32_t rank;
		int64_t submit;
		uint32_t job_id, task_id;
	} sorted[] = {
		{ true, 0, 900, 9, 0 },  { true, 1, 100, 1, 0 },
		{ true, 1, 100, 2, 0 },  { true, 4000000000, 0, 3, 0 },
		{ false, 7, 50, 8, 0 },  { false, 0, 100, 4, 1 },
		{ false, 0, 100, 4, 2 }, { false, 0, 100, 4, 10 },
		{ false, 0, 100, 5, 0 }, { false, 0, 4000000000, 1, 0 },
	};
	struct sgang_member m[COUNT(sorted)];
	struct sgang_spec spec[COUNT(sorted)];

	memset(m, 0, sizeof(m));
	memset(spec, 0, sizeof(spec));
	for (size_t i = 0; i < COUNT(sorted); i++) {
		spec[i].rank_set = sorted[i].rank_set;
		spec[i].rank = sorted[i].rank;
		m[i].spec = &spec[i];
		m[i].submit_time = sorted[i].submit;
		m[i].job_id = sorted[i].job_id;
		m[i].task_id = sorted[i].task_id;
	}
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++)
			assert_int_equal(
				sign(sgang_gang_ring_order(&m[i], &m[j])),
				(i > j) - (i < j));
	}
}

/* ---- words ---- */

/* Every phase in the words of squeue; the time of a hold in local time, and
 * with its day when that is not clear. */
TEST(test_words)
{
	static const struct {
		struct sgang_tally t;
		const char *why, *words;
		int64_t now;
	} cases[] = {
		{ LIST(.defined = false, .pending = 1), NULL,
		  "undefined: say "
		  "--gang-min-member or use sgang create",
		  0 },
		{ LIST(.defined = true, .pending = 1, .min_member = 2),
		  "no fit", "gathering 1/2 members", 0 },
		{ LIST(.defined = true, .pending = 2, .eligible = 2,
		       .min_member = 2),
		  "no fit", "waits: no fit", 0 },
		{ LIST(.defined = true, .pending = 2, .eligible = 2, .held = 2,
		       .min_member = 4, .since = 1700000100),
		  "no fit", "holding 2/4 members since 22:15: no fit",
		  1700000200 },
		{ LIST(.defined = true, .pending = 2, .eligible = 2, .held = 2,
		       .min_member = 4, .since = 1700000100),
		  NULL, "holding 2/4 members since 11-14T22:15", 1700100000 },
		{ LIST(.defined = true, .held = 4, .min_member = 4), NULL,
		  "starting 4/4 members", 0 },
		{ LIST(.defined = true, .running = 4, .pending = 1,
		       .min_member = 4),
		  NULL, "running 4/5 members", 0 },
		/* 1.36 */
		{ LIST(.defined = true, .running = 4, .placeholders = 3,
		       .pending = 1, .min_member = 4),
		  NULL, "running 1/2 members, 3 placeholders", 0 },
		{ LIST(.defined = true, .pending = 3, .timed_out = true,
		       .min_member = 4),
		  NULL, "timeout, 3 members stopped", 0 },
		/* 0.44: somebody let it go on */
		{ LIST(.defined = true, .pending = 4, .eligible = 4,
		       .timed_out = true, .rearmed = true, .min_member = 4),
		  "no fit", "waits: no fit", 0 },
		{ LIST(.defined = true, .min_member = 4), NULL, "finished", 0 },
	};

	assert_int_equal(setenv("TZ", "UTC0", 1), 0);
	tzset();
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[128];

		sgang_gang_words(&cases[i].t, cases[i].why, cases[i].now, text,
				 sizeof(text));
		assert_string_equal(text, cases[i].words);
	}
}

/* 0.43: the text of a gang that gathers, of one that waits, and of one whose
 * waiting time is over, until somebody releases it. */
TEST(test_text)
{
	static const struct {
		uint32_t pending, eligible, min;
		const char *why, *text;
		bool timed_out, rearmed;
	} cases[] = {
		{ 4, 0, 4, "no fit", SGANG_TIMEOUT_TEXT, true, false },
		{ 4, 4, 4, "no fit", "Gang alice/train waits: no fit", true,
		  true },
		{ 3, 3, 4, NULL, "Gang alice/train gathering 3/4 members",
		  false, false },
		{ 3, 0, 4, "no fit", "Gang alice/train gathering 3/4 members",
		  false, false },
		{ 4, 1, 4, NULL,
		  "Gang alice/train waits for 3 of 4 members "
		  "to be eligible",
		  false, false },
		{ 4, 4, 4, NULL, "Gang alice/train waits for its turn", false,
		  false },
		{ 4, 4, 4, "", "Gang alice/train waits for its turn", false,
		  false },
		{ 5, 4, 4, "licenses", "Gang alice/train waits: licenses",
		  false, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_tally t = {
			.pending = cases[i].pending,
			.eligible = cases[i].eligible,
			.min_member = cases[i].min,
			.timed_out = cases[i].timed_out,
			.rearmed = cases[i].rearmed,
			.defined = true,
		};
		char text[128], tight[12];

		strcpy(t.spec.ns, "alice");
		strcpy(t.spec.name, "train");
		sgang_gang_text(&t, cases[i].why, 0, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
		memset(tight, '#', sizeof(tight));
		sgang_gang_text(&t, cases[i].why, 0, tight, sizeof(tight) - 1);
		assert_int_equal(strlen(tight), sizeof(tight) - 2);
		assert_int_equal(tight[sizeof(tight) - 1], '#');
		assert_memory_equal(tight, text, sizeof(tight) - 2);
	}
}

/* 0.12, 0.13, 0.28, 0.51: the clock of the gang, from the first member placed,
 * without a cap; faked. */
TEST(test_wait)
{
	static const struct {
		const char *what;
		uint32_t held;
		int64_t since;
		uint32_t own, site;
		int64_t now;
		bool over;
	} cases[] = {
		{ "nothing is placed", 0, 0, 60, 600, 1000000, false },
		{ "nothing is placed any more", 0, 1000, 60, 600, 9999, false },
		{ "a moment before", 2, 1000, 3600, 600, 4599, false },
		{ "3600 s, more than 15 minutes", 2, 1000, 3600, 600, 4600,
		  true },
		{ "the site's", 1, 1000, 0, 600, 1599, false },
		{ "the site's is over", 1, 1000, 0, 600, 1600, true },
		{ "a month", 1, 1000, 2592000, 600, 2592999, false },
		{ "for ever", 1, 1000, SGANG_FOREVER, 600, INT64_MAX / 2,
		  false },
		{ "for ever by the site", 1, 1000, 0, SGANG_FOREVER,
		  INT64_MAX / 2, false },
		{ "the clock was set back", 1, 1000, 60, 600, 10, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_tally t = {
			.held = cases[i].held,
			.since = cases[i].since,
			.waiting_time = cases[i].own,
			.min_member = 4,
			.defined = true,
		};
		const struct sgang_gang_wait site = { cases[i].site,
						      SGANG_FOREVER };

		if (sgang_gang_wait_over(&t, &site, cases[i].now) !=
		    cases[i].over)
			fail_msg("%s", cases[i].what);
	}
}

/* 0.28: the strictest of the partitions of members that do not run, in place of
 * what holds for the cluster. */
TEST(test_wait_of_partitions)
{
	static const char says[] =
		"P1 4/0 5 @100; H1 4/0 5 @101; R1 4/0 5 @102";
	static const struct sgang_gang_wait site = { SGANG_FOREVER, 3600 };
	static const struct {
		uint32_t wait_max[3], held_for, waiting_time;
	} cases[] = {
		{ { 0, 0, 0 }, 0, 3600 },
		{ { 7200, 0, 0 }, 0, 7200 },
		{ { 7200, 60, 10 }, 0, 60 },
		{ { 30, SGANG_FOREVER, 10 }, 0, 30 },
		{ { 0, SGANG_FOREVER, 10 }, 9999, SGANG_FOREVER },
		{ { 60, 60, 60 }, 20, 40 },
	};
	struct whole members[3];
	const struct sgang_member *list[3];
	struct sgang_tally tally;

	for (size_t i = 0; i < COUNT(cases); i++) {
		make_members(members, list, says);
		for (size_t m = 0; m < 3; m++) {
			members[m].m.wait_max = cases[i].wait_max[m];
			members[m].m.held_for = cases[i].held_for;
		}
		assert_int_equal(sgang_gang_tally(list, 3, NULL, 0, &tally), 0);
		assert_int_equal(sgang_gang_waiting_time(&tally, &site),
				 cases[i].waiting_time);
	}
}

/* 0.7, 0.11, 0.43 to 0.47: what is missing, and what may be done, in every mode
 * and by every match policy. */
TEST(test_may_try)
{
	static const struct {
		const char *what;
		enum sgang_mode mode;
		enum sgang_match match;
		const char *has; /* "PENDING ELIGIBLE HELD RUNNING" */
		const char *is;
	} cases[] = {
		{ "strict, all there", SGANG_MODE_STRICT, 0, "4 4 0 0",
		  "4 missing, may try, complete" },
		{ "0.44: timed out", SGANG_MODE_STRICT, 0, "4 4 0 0, timed out",
		  "4 missing" },
		{ "strict holds some", SGANG_MODE_STRICT, 0, "2 2 2 0",
		  "2 missing, complete" },
		{ "nonstrict holds some", SGANG_MODE_NONSTRICT, 0, "2 2 2 0",
		  "2 missing, may try, complete" },
		{ "nonstrict, too few", SGANG_MODE_NONSTRICT, 0, "1 1 2 0",
		  "2 missing" },
		{ "nonstrict, one not eligible", SGANG_MODE_NONSTRICT, 0,
		  "2 1 2 0", "2 missing" },
		{ "all placed", SGANG_MODE_NONSTRICT, 0, "0 0 4 0",
		  "0 missing, complete, placed" },
		{ "0.11: once satisfied", 0, 0, "1 1 0 2, satisfied",
		  "4 missing, ordinary, complete" },
		{ "only waiting", 0, SGANG_MATCH_ONLY_WAITING,
		  "4 4 0 2, satisfied", "4 missing, may try, complete" },
		{ "only waiting, too few", 0, SGANG_MATCH_ONLY_WAITING,
		  "2 2 0 2, satisfied", "4 missing" },
		{ "those that run count", 0, SGANG_MATCH_WAITING_AND_RUNNING,
		  "2 2 0 2, satisfied", "2 missing, may try, complete" },
		{ "enough run", 0, SGANG_MATCH_WAITING_AND_RUNNING,
		  "1 1 0 4, satisfied", "0 missing, ordinary, complete" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_tally t = {
			.defined = true,
			.min_member = 4,
			.total = 4,
			.satisfied = strstr(cases[i].has, "satisfied"),
			.timed_out = strstr(cases[i].has, "timed out"),
			.spec.mode = cases[i].mode,
			.spec.match = cases[i].match,
		};
		char is[64];

		assert_int_equal(sscanf(cases[i].has, "%u %u %u %u", &t.pending,
					&t.eligible, &t.held, &t.running),
				 4);
		snprintf(is, sizeof(is), "%u missing%s%s%s%s",
			 sgang_gang_missing(&t),
			 sgang_gang_ordinary(&t) ? ", ordinary" : "",
			 sgang_gang_may_try(&t) ? ", may try" : "",
			 sgang_gang_complete(&t) ? ", complete" : "",
			 sgang_gang_placed(&t) ? ", placed" : "");
		if (strcmp(is, cases[i].is))
			fail_msg("%s: %s", cases[i].what, is);
	}
}

/* 0.29: a member's own word, then the object's, then gang.conf's, then what is
 * remembered; a number from farther away gives way to what it contradicts. */
TEST(test_definitions)
{
	static const struct {
		uint32_t member_min, member_total, object_min, object_total;
		uint32_t conf_min, known_min;
		uint32_t min, total;
	} cases[] = {
		{ 0, 0, 3, 0, 0, 0, 3, 3 }, { 2, 0, 3, 5, 7, 9, 2, 5 },
		{ 0, 0, 3, 5, 7, 9, 3, 5 }, { 0, 0, 0, 0, 7, 9, 7, 9 },
		{ 8, 0, 2, 4, 0, 0, 8, 8 }, { 0, 2, 4, 4, 0, 0, 1, 2 },
		{ 0, 0, 0, 0, 0, 9, 9, 9 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_spec object, conf;
		const struct sgang_spec *definitions[] = { &object, &conf };
		struct sgang_tally t;
		struct whole w;
		const struct sgang_member *list[] = { &w.m };

		make_member(&w, "P1 0/0 5 @100", 1);
		w.spec.min_member = cases[i].member_min;
		w.spec.total = cases[i].member_total;
		w.record.min_member = w.record.total = cases[i].known_min;
		w.m.record = cases[i].known_min ? &w.record : NULL;
		sgang_spec_init(&object);
		sgang_spec_init(&conf);
		object.min_member = cases[i].object_min;
		object.total = cases[i].object_total;
		conf.min_member = cases[i].conf_min;
		assert_int_equal(sgang_gang_tally(list, 1, definitions, 2, &t),
				 0);
		if (t.min_member != cases[i].min || t.total != cases[i].total)
			fail_msg("case %zu: min %u total %u", i, t.min_member,
				 t.total);
		assert_true(t.defined);
	}
}

/* 3.8: members with a lower --gang-order than the last of the minimum belong to
 * it, and one that cannot start keeps the others waiting. */
TEST(test_take_order)
{
	struct whole w[4];
	const struct sgang_member *list[4];
	struct sgang_tally t;

	make_members(w, list,
		     "P1 2/4 5 @100; P1 2/4 5 @100; P1 2/4 9 @100; "
		     "P1 2/4 5 @300");
	/* by priority, then submission */
	assert_true(sgang_gang_take_order(list[2], list[0]) < 0);
	assert_true(sgang_gang_take_order(list[0], list[1]) < 0);
	assert_true(sgang_gang_take_order(list[1], list[3]) < 0);
	/* --gang-order before all that */
	w[3].spec.order_set = true;
	assert_true(sgang_gang_take_order(list[3], list[2]) < 0);
	assert_int_equal(sgang_gang_tally(list, 4, NULL, 0, &t), 0);
	assert_int_equal(t.first_pending, 1);
	assert_int_equal(t.waits_for, 0);
	assert_true(sgang_gang_may_try(&t));
	w[3].m.eligible = false;
	assert_int_equal(sgang_gang_tally(list, 4, NULL, 0, &t), 0);
	assert_int_equal(t.waits_for, 4);
	assert_false(sgang_gang_may_try(&t));
	/* two others hold what is the minimum in number, but not it */
	w[0].m.state = w[1].m.state = SGANG_MEMBER_HELD;
	w[3].m.eligible = true;
	assert_int_equal(sgang_gang_tally(list, 4, NULL, 0, &t), 0);
	assert_int_equal(sgang_gang_missing(&t), 1);
	assert_false(sgang_gang_placed(&t));
}

/* Nothing else of a record counts. */
TEST(test_told)
{
	srand(1);
	for (int i = 0; i < 20000; i++) {
		struct sgang_record record[3], told[3];
		struct sgang_member full[3], short_[3];
		const struct sgang_member *members[2][3];
		struct sgang_tally tally[2];
		struct sgang_spec spec;

		sgang_spec_init(&spec);
		for (size_t k = 0; k < 3; k++) {
			struct sgang_record *r = &record[k];

			for (size_t at = 0; at < sizeof(*r); at++)
				((unsigned char *)r)[at] =
					(unsigned char)(rand() % 3 == 0);
			r->phase = (enum sgang_phase)(rand() % SGANG_PHASES);
			r->mode = (enum sgang_mode)(rand() % 3);
			r->match = (enum sgang_match)(rand() % 4);
			r->satisfied = rand() % 4 == 0;
			r->min_member %= 5;
			r->total %= 9;
			snprintf(r->groups, sizeof(r->groups), "%s",
				 rand() % 2 ? "a/b" : "");
			r->started = rand() % 2 ? rand() % 9 : 0;
			sgang_gang_told(r, &told[k]);
			full[k] = (struct sgang_member){
				.spec = &spec,
				.record = r,
				.state = (enum sgang_member_state)(rand() % 3),
				.tasks = 1,
				.eligible = true,
				.stopped = rand() % 2,
				.job_id = (uint32_t)k + 1,
				.submit_time = 50,
			};
			short_[k] = full[k];
			short_[k].record = &told[k];
			members[0][k] = &full[k];
			members[1][k] = &short_[k];
		}
		sgang_gang_tally(members[0], 3, NULL, 0, &tally[0]);
		sgang_gang_tally(members[1], 3, NULL, 0, &tally[1]);
		assert_memory_equal(&tally[0], &tally[1], sizeof(tally[0]));
	}
}

TEST_MAIN(NULL, NULL)
