/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_record.c - the gang's record in a job's system_comment */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/record.h"
#include "fuzz.h"

static const struct sgang_record waiting = {
	.ns = "alice", .name = "train", .phase = SGANG_PHASE_WAITING,
	.min_member = 3, .total = 4, .attempts = 2,
};
#define WAITING "gang=alice/train phase=waiting min=3 total=4 satisfied=0 " \
		"attempts=2"

static const struct sgang_record running = {
	.ns = "alice", .name = "train", .phase = SGANG_PHASE_RUNNING,
	.min_member = 4, .total = 4, .satisfied = true, .attempts = 1,
	.placed = true, .exact = true, .member_rank = 2, .members = 4,
	.rank_offset = 8, .ranks = 16, .ring_cost = 38, .ring_best = 14,
	.cross_links = 2, .tier = "spine",
};
#define RUNNING "gang=alice/train phase=running rank=2/4 min=4 total=4 " \
		"satisfied=1 attempts=1 ring=38 best=14 cross=2 tier=spine " \
		"off=8 ranks=16 exact=1"

static void assert_same(const struct sgang_record *a,
			const struct sgang_record *b)
{
	assert_string_equal(a->ns, b->ns);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->phase, b->phase);
	assert_int_equal(a->min_member, b->min_member);
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->satisfied, b->satisfied);
	assert_int_equal(a->attempts, b->attempts);
	assert_int_equal(a->placed, b->placed);
	if (!a->placed)
		return;
	assert_int_equal(a->exact, b->exact);
	assert_int_equal(a->member_rank, b->member_rank);
	assert_int_equal(a->members, b->members);
	assert_true(a->rank_offset == b->rank_offset);
	assert_true(a->ranks == b->ranks);
	assert_true(a->ring_cost == b->ring_cost);
	assert_true(a->ring_best == b->ring_best);
	assert_true(a->cross_links == b->cross_links);
	assert_string_equal(a->tier, b->tier);
}

/* 0.36: what is kept of a gang, as text. */
static void test_format(void **state)
{
	static const struct {
		const struct sgang_record *record;
		const char *foreign;
		const char *text;
	} cases[] = {
		{ &waiting, NULL, WAITING },
		{ &waiting, "", WAITING },
		{ &waiting, " ", WAITING },
		{ &running, NULL, RUNNING },
		{ &running, WAITING, RUNNING },
		{ &running, "burst buffer is late", "burst buffer is late "
		  RUNNING },
		{ &running, "late " WAITING, "late " RUNNING },
		{ &running, "late\n" WAITING, "late " RUNNING },
		{ &running, WAITING " bb/lua: setup: no", "bb/lua: setup: no "
		  RUNNING },
		{ &running, "a " WAITING " b", "a b " RUNNING },
		/* what only looks like a record is somebody's text */
		{ &waiting, "gang=of four", "gang=of four " WAITING },
		{ &waiting, "gang=a/b phase=asleep min=1 total=1",
		  "gang=a/b phase=asleep min=1 total=1 " WAITING },
		{ &waiting, "my" RUNNING, "my" RUNNING " " WAITING },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = sgang_record_format(cases[i].record,
						 cases[i].foreign);

		assert_non_null(text);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		const struct sgang_record *record;	/* NULL: none */
	} cases[] = {
		{ WAITING, &waiting },
		{ RUNNING, &running },
		{ "late " RUNNING, &running },
		{ WAITING " " RUNNING, &running },
		{ RUNNING " bb: stage-in failed", &running },
		/* a newer writer's words */
		{ "gang=alice/train phase=waiting mode=strict min=3 total=4 "
		  "attempts=2 wait_until=77", &waiting },
		/* an older one's */
		{ "gang=alice/train phase=Waiting min=3 total=4 attempts=2",
		  &waiting },
		{ NULL, NULL },
		{ "", NULL },
		{ "nothing of ours", NULL },
		{ "gang=", NULL },
		{ "gang=alice/train", NULL },
		{ "gang=/train phase=waiting min=3 total=4", NULL },
		{ "gang=alice/ phase=waiting min=3 total=4", NULL },
		{ "gang=alice/train phase=asleep min=3 total=4", NULL },
		{ "gang=alice/train phase=waiting min=x total=4", NULL },
		{ "gang=alice/train phase=waiting min=-3 total=4", NULL },
		{ "gang=alice/train phase=waiting min=4294967296 total=4",
		  NULL },
		{ "gang=alice/train phase=waiting min=3 min=3 total=4", NULL },
		{ "gang=alice/train phase=waiting min=3", NULL },
		{ "gang=alice/train phase=waiting min=3 total=4 satisfied=yes",
		  NULL },
		/* a placement is told whole or not at all */
		{ "gang=alice/train phase=running rank=2/4 min=3 total=4",
		  NULL },
		{ "gang=alice/train phase=running min=3 total=4 ring=7", NULL },
		{ "gang=alice/train phase=running rank=2 min=4 total=4 ring=38 "
		  "best=14 cross=2 tier=spine off=8 ranks=16 exact=1", NULL },
		{ "xgang=alice/train phase=waiting min=3 total=4", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_record record = { .name = "untouched" };
		int found = sgang_record_parse(cases[i].text, &record);

		if (found != !!cases[i].record)
			fail_msg("%s", cases[i].text);
		if (found)
			assert_same(&record, cases[i].record);
		else
			assert_string_equal(record.name, "untouched");
	}
}

static void test_phases(void **state)
{
	int phase;

	(void)state;
	for (phase = 0; phase < SGANG_PHASES; phase++)
		assert_int_equal(sgang_phase_find(
			sgang_phase_name((enum sgang_phase)phase)), phase);
	assert_int_equal(sgang_phase_find("RUNNING"), SGANG_PHASE_RUNNING);
	assert_int_equal(sgang_phase_find("run"), -1);
	assert_int_equal(sgang_phase_find(""), -1);
	assert_int_equal(sgang_phase_find(NULL), -1);
	assert_string_equal(sgang_phase_name(SGANG_PHASES), "Unknown");
}

#define SEED 36

static void random_word(uint64_t *seed, const char *alphabet, char *word,
			size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		word[i] = alphabet[fuzz_below(seed, strlen(alphabet))];
	word[length] = '\0';
}

static void random_record(uint64_t *seed, struct sgang_record *r)
{
	memset(r, 0, sizeof(*r));
	random_word(seed, "abz0_.@=\\-", r->ns,
		    fuzz_below(seed, sizeof(r->ns)));
	random_word(seed, "abz0-", r->name,
		    1 + fuzz_below(seed, sizeof(r->name) - 1));
	r->phase = (enum sgang_phase)fuzz_below(seed, SGANG_PHASES);
	r->min_member = (uint32_t)fuzz_next(seed);
	r->total = (uint32_t)fuzz_next(seed);
	r->satisfied = fuzz_below(seed, 2);
	r->attempts = (uint32_t)fuzz_next(seed);
	r->placed = fuzz_below(seed, 2);
	if (!r->placed)
		return;
	r->exact = fuzz_below(seed, 2);
	r->member_rank = (uint32_t)fuzz_next(seed);
	r->members = (uint32_t)fuzz_next(seed);
	r->rank_offset = fuzz_next(seed);
	r->ranks = fuzz_next(seed);
	r->ring_cost = fuzz_next(seed);
	r->ring_best = fuzz_next(seed);
	r->cross_links = fuzz_next(seed);
	random_word(seed, "abz0-", r->tier, fuzz_below(seed, sizeof(r->tier)));
}

/* Any record behind any text is read back, however often it is rewritten. */
static void test_round_trip(void **state)
{
	uint64_t seed = SEED;
	char *text = NULL;
	int round;

	(void)state;
	for (round = 0; round < 5000; round++) {
		struct sgang_record record, again;
		char foreign[64];
		char *next;

		if (round % 8 == 0) {
			fuzz_text(&seed, "gang= /=\n", foreign,
				  sizeof(foreign));
			free(text);
			text = strdup(foreign);
			assert_non_null(text);
		}
		random_record(&seed, &record);
		next = sgang_record_format(&record, text);
		assert_non_null(next);
		free(text);
		text = next;
		if (!sgang_record_parse(text, &again))
			fail_msg("seed %d round %d: %s", SEED, round, text);
		assert_same(&record, &again);
		assert_true(strlen(text) < 1024);
	}
	free(text);
}

/* Spoilt records are read or not, but never beyond their end. */
static void test_spoilt(void **state)
{
	uint64_t seed = SEED;
	int round, read = 0;

	(void)state;
	for (round = 0; round < 20000; round++) {
		struct sgang_record record = { .name = "" };
		char *text = strdup(RUNNING);

		assert_non_null(text);
		fuzz_spoil(&seed, text);
		if (sgang_record_parse(text, &record)) {
			assert_in_range(strlen(record.name), 1,
					SGANG_NAME_MAX);
			assert_in_range(record.phase, 0, SGANG_PHASES - 1);
			read++;
		}
		free(text);
	}
	/* both answers must have come up, else this shows nothing */
	assert_in_range(read, 1, round - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_spoilt),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
