/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_record.c - the gang's record in a job's system_comment */

#include <glob.h>

#include "../unit.h"
#include "../texts.h"
#include "core/gang/record.h"
#include "fuzz.h"

#define TRAIN .ns = "alice", .name = "train"

static const struct sgang_record waiting = {
	TRAIN,           .phase = SGANG_PHASE_WAITING,
	.min_member = 3, .total = 4,
	.attempts = 2,
};
#define WAITING                                                     \
	"gang=alice/train phase=waiting min=3 total=4 satisfied=0 " \
	"attempts=2"

static const struct sgang_record running = {
	TRAIN,
	.phase = SGANG_PHASE_RUNNING,
	.min_member = 4,
	.total = 4,
	.satisfied = true,
	.attempts = 1,
	.placed = true,
	.exact = true,
	.member_rank = 2,
	.members = 4,
	.rank_offset = 8,
	.ranks = 16,
	.ring_cost = 38,
	.ring_best = 14,
	.cross_links = 2,
	.tier = "spine",
};
#define RUNNING                                                    \
	"gang=alice/train phase=running rank=2/4 ring=38 cross=2 " \
	"tier=spine min=4 total=4 satisfied=1 attempts=1 best=14 " \
	"off=8 ranks=16 exact=1"

/* Everything that can be said. */
static const struct sgang_record full = {
	TRAIN,
	.phase = SGANG_PHASE_HOLDING,
	.min_member = 4,
	.total = 5,
	.attempts = 7,
	.tried = 6,
	.skipped = 4,
	.round = 3,
	.mode = SGANG_MODE_NONSTRICT,
	.match = SGANG_MATCH_WAITING_AND_RUNNING,
	.on_failure = SGANG_ON_FAILURE_KILL,
	.max_restarts = 3,
	.on_stale = SGANG_ON_FAILURE_REQUEUE,
	.stale_grace = 60,
	.on_success = SGANG_ON_SUCCESS_LEADER,
	.on_drain = SGANG_ON_FAILURE_REPLACE,
	.waiting_time = 600,
	.groups = "alice/eval,bob/load",
	.asks = "topology=require:leaf;order=0",
	.created = 1700000000,
	.since = 1700000100,
	.until = 1700000700,
	.started = 1700000200,
	.hold_end = SGANG_HOLD_END_NODE,
	.object = true,
	.was = { 1, 4 },
	.placed = true,
	.member_rank = 0,
	.members = 4,
	.ranks = 8,
	.ring_cost = 14,
	.ring_best = 14,
	.tier = "leaf",
};
#define FULL                                                                                  \
	"gang=alice/train phase=holding rank=0/4 ring=14 cross=0 "                            \
	"tier=leaf min=4 total=5 "                                                            \
	"satisfied=0 attempts=7 tried=6 skipped=4 round=3 "                                   \
	"mode=nonstrict match=waiting-and-running onfailure=kill "                            \
	"maxrestarts=3 onstale=requeue "                                                      \
	"stalegrace=60 onsuccess=leader ondrain=replace wait=600 groups=alice/eval,bob/load " \
	"asks=topology=require:leaf;order=0 created=1700000000 "                              \
	"since=1700000100 until=1700000700 started=1700000200 "                               \
	"holdend=node object=1 was=1/4 best=14 off=0 ranks=8 exact=0"

/* Time without end. */
static const struct sgang_record patient = {
	TRAIN,
	.phase = SGANG_PHASE_UNDEFINED,
	.mode = SGANG_MODE_STRICT,
	.match = SGANG_MATCH_ONLY_WAITING,
	.on_failure = SGANG_ON_FAILURE_REQUEUE,
	.waiting_time = SGANG_FOREVER,
};
#define PATIENT                                                       \
	"gang=alice/train phase=undefined min=0 total=0 satisfied=0 " \
	"attempts=0 mode=strict match=only-waiting "                  \
	"onfailure=requeue wait=UNLIMITED"

/* All of it: what is not said is 0 in both. */
static void assert_same(const struct sgang_record *a,
			const struct sgang_record *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

/* 0.36: what is kept of a gang, as text: name, waiting time, mode, groups,
 * minimum, total, satisfied, cycle (attempts), round. */
TEST(test_format)
{
	static const struct {
		const struct sgang_record *record;
		const char *foreign, *text;
	} cases[] = {
		{ &waiting, NULL, WAITING },
		{ &waiting, "", WAITING },
		{ &waiting, " ", WAITING },
		{ &running, NULL, RUNNING },
		{ &full, NULL, FULL },
		{ &patient, NULL, PATIENT },
		{ &running, WAITING, RUNNING },
		{ &running, FULL, RUNNING },
		{ &full, "late " PATIENT " x", "late x " FULL },
		{ &running, "burst buffer is late",
		  "burst buffer is late " RUNNING },
		{ &running, "late " WAITING, "late " RUNNING },
		{ &running, "late\n" WAITING, "late " RUNNING },
		{ &running, WAITING " bb/lua: setup: no",
		  "bb/lua: setup: no " RUNNING },
		{ &running, "a " WAITING " b", "a b " RUNNING },
		/* what only looks like a record is somebody's text */
		{ &waiting, "gang=of four", "gang=of four " WAITING },
		{ &waiting, "gang=a/b phase=asleep min=1 total=1",
		  "gang=a/b phase=asleep min=1 total=1 " WAITING },
		{ &waiting, "my" RUNNING, "my" RUNNING " " WAITING },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = sgang_record_format(cases[i].record,
						 cases[i].foreign);

		assert_non_null(text);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

#define OTHER "gang=alice/train phase=waiting min=3 total=4"

TEST(test_parse)
{
	static const struct {
		const char *text;
		const struct sgang_record *record;
	} cases[] = {
		{ WAITING, &waiting },
		{ RUNNING, &running },
		{ "late " RUNNING, &running },
		{ WAITING " " RUNNING, &running },
		{ RUNNING " bb: stage-in failed", &running },
		{ FULL, &full },
		{ PATIENT, &patient },
		/* a newer writer's words */
		{ "gang=alice/train phase=waiting shape=torus min=3 total=4 "
		  "attempts=2 wait_until=77",
		  &waiting },
		/* what is not said may still be written */
		{ "gang=alice/train phase=waiting min=3 total=4 attempts=2 "
		  "tried=0 skipped=0 round=0 wait=0 groups= created=0 since=0 "
		  "started=0 object=0",
		  &waiting },
		/* an older one's */
		{ "gang=alice/train phase=Waiting min=3 total=4 attempts=2",
		  &waiting },
		/* 4.34: and with it what is known of it besides */
		{ "gang=alice/train phase=waiting min=3 total=4 attempts=2 "
		  "hops=leaf:1 bound=7 stock=9 stockest=1 wcost=1 wbest=1 others=a:1 "
		  "at=n1",
		  &waiting },
	};
	static const char *const none[] = {
		NULL,
		"",
		"nothing of ours",
		"gang=",
		"gang=alice/train",
		"gang=/train phase=waiting min=3 total=4",
		"gang=alice/ phase=waiting min=3 total=4",
		"gang=alice/train phase=asleep min=3 total=4",
		"gang=alice/train phase=waiting min=x total=4",
		"gang=alice/train phase=waiting min=-3 total=4",
		"gang=alice/train phase=waiting min=4294967296 total=4",
		"gang=alice/train phase=waiting min=3 min=3 total=4",
		"gang=alice/train phase=waiting min=3",
		OTHER " satisfied=yes",
		OTHER " mode=loose",
		OTHER " match=",
		OTHER " onfailure=0",
		OTHER " wait=10:00",
		OTHER " groups=eval",
		OTHER " groups=a/b,",
		OTHER " since=-1",
		OTHER " created=9223372036854775808",
		OTHER " object=2",
		OTHER " round=1 round=1",
		/* a placement is told whole or not at all */
		"gang=alice/train phase=running rank=2/4 min=3 total=4",
		"gang=alice/train phase=running min=3 total=4 ring=7",
		"gang=alice/train phase=running rank=2 min=4 total=4 ring=38 "
		"best=14 cross=2 tier=spine off=8 ranks=16 exact=1",
		OTHER " bound=-1",
		"xgang=alice/train phase=waiting min=3 total=4",
	};
	struct sgang_record record;

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (sgang_record_parse(cases[i].text, &record) != 1)
			fail_msg("%s", cases[i].text);
		assert_same(&record, cases[i].record);
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		strcpy(record.name, "untouched");
		if (sgang_record_parse(none[i], &record))
			fail_msg("%s", none[i]);
		assert_string_equal(record.name, "untouched");
	}
}

/* The short record, and the same read back. */
#define BRIEF                                                      \
	"gang=alice/train phase=running rank=2/4 ring=38 cross=2 " \
	"tier=spine"
#define BRIEF_WAITING "gang=alice/train phase=waiting"

TEST(test_brief)
{
	static const struct {
		const struct sgang_record *record;
		const char *foreign, *text;
	} cases[] = {
		{ &running, NULL, BRIEF },
		{ &running, "", BRIEF },
		{ &waiting, NULL, BRIEF_WAITING },
		{ &running, "ask Bob", "ask Bob " BRIEF },
		{ &running, "ask " BRIEF_WAITING " Bob", "ask Bob " BRIEF },
		{ &running, "ask Bob " FULL, "ask Bob " BRIEF },
		{ &running, "gang=of four", "gang=of four " BRIEF },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = sgang_record_brief(cases[i].record,
						cases[i].foreign);
		char *whole = sgang_record_format(&patient, text);
		struct sgang_record r = { .total = 9 };

		assert_non_null(text);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(sgang_record_parse(text, &r), 0);
		assert_int_equal(r.total, 9);
		assert_int_equal(sgang_record_parse_brief(text, &r), 1);
		assert_int_equal(r.phase, cases[i].record->phase);
		assert_int_equal(r.placed, cases[i].record->placed);
		assert_int_equal(r.member_rank, cases[i].record->member_rank);
		assert_int_equal(r.members, cases[i].record->members);
		assert_true(r.ring_cost == cases[i].record->ring_cost);
		assert_true(r.cross_links == cases[i].record->cross_links);
		assert_string_equal(r.tier, cases[i].record->tier);
		assert_int_equal(r.total, 0);
		/* what is whole replaces it */
		assert_non_null(whole);
		assert_int_equal(sgang_record_parse(whole, &r), 1);
		assert_null(strstr(whole, "phase=running"));
		assert_null(strstr(whole, "phase=waiting"));
		free(whole);
		free(text);
	}
}

TEST(test_parse_brief)
{
	static const char *const bad[] = {
		NULL,
		"",
		"gang=alice/train",
		"gang=alice/train phase=asleep",
		"phase=running",
		"gang=alice/train phase=running rank=1/2",
		"gang=alice/train phase=running ring=3 cross=0 tier=leaf",
		BRIEF " ring=38",
		BRIEF " best=x",
	};
	struct sgang_record r = { .total = 9 };

	for (size_t i = 0; i < COUNT(bad); i++) {
		if (sgang_record_parse_brief(bad[i], &r))
			fail_msg("%s", bad[i]);
		assert_int_equal(r.total, 9);
	}
	assert_int_equal(sgang_record_parse_brief("x " FULL, &r), 1);
	assert_same(&r, &full);
}

TEST(test_phases)
{
	for (int phase = 0; phase < SGANG_PHASES; phase++)
		assert_int_equal(sgang_phase_find(sgang_phase_name(
					 (enum sgang_phase)phase)),
				 phase);
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
	for (size_t i = 0; i < length; i++)
		word[i] = alphabet[fuzz_below(seed, strlen(alphabet))];
	word[length] = '\0';
}

static void random_groups(uint64_t *seed, char groups[SGANG_GROUPS_SIZE])
{
	size_t used = 0, n = fuzz_below(seed, 8), i;

	groups[0] = '\0';
	for (i = 0; i < n; i++) {
		used += (size_t)sprintf(groups + used, "%s%zu", i ? "," : "",
					i);
		random_word(seed, "abz0_.@=\\-", groups + used,
			    fuzz_below(seed, 20));
		used += strlen(groups + used);
		groups[used++] = '/';
		random_word(seed, "abz0", groups + used,
			    1 + fuzz_below(seed, 30));
		used += strlen(groups + used);
	}
}

/* What the gang said and when things happened, each in half of the records. */
static void random_words(uint64_t *seed, struct sgang_record *r)
{
	int64_t *times[] = { &r->created, &r->since, &r->started };
	uint32_t *numbers[] = { &r->tried, &r->skipped, &r->round,
				&r->waiting_time, &r->max_restarts };

	for (size_t i = 0; i < COUNT(times); i++)
		if (fuzz_below(seed, 2))
			*times[i] = (int64_t)(fuzz_next(seed) >> 1);
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (fuzz_below(seed, 2))
			*numbers[i] = (uint32_t)fuzz_next(seed);
	if (!fuzz_below(seed, 8))
		r->waiting_time = SGANG_FOREVER;
	r->mode = (enum sgang_mode)fuzz_below(seed, 3);
	r->match = (enum sgang_match)fuzz_below(seed, 4);
	r->on_failure = (enum sgang_on_failure)fuzz_below(seed, 4);
	r->hold_end = (enum sgang_hold_end)fuzz_below(seed, SGANG_HOLD_ENDS);
	r->object = fuzz_below(seed, 2);
	random_groups(seed, r->groups);
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
	random_words(seed, r);
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
	if (fuzz_below(seed, 2)) {
		r->bound = fuzz_next(seed);
		r->stock_cost = fuzz_next(seed);
		r->stock_estimate = fuzz_below(seed, 2);
		r->weighted_cost = fuzz_next(seed);
		r->weighted_best = fuzz_next(seed);
	}
	random_word(seed, "abz0:,", r->hops, fuzz_below(seed, 60));
	random_word(seed, "abz0:,/", r->others, fuzz_below(seed, 60));
	random_word(seed, "0-9,", r->layout, fuzz_below(seed, 60));
	random_word(seed, "0:9,", r->choice, fuzz_below(seed, 60));
	random_word(seed, "n[0-9],", r->at, fuzz_below(seed, 300));
}

/* 5.6: the order of more nodes than at= has room for stands in the text alone,
 * and stays there whatever is rewritten, as long as the place does. */
TEST(test_order)
{
	struct sgang_record r = running, again;
	char *text, *next, *order, *large;

	r.ordered = true;
	large = malloc(30001);
	memset(large, '7', 30000);
	large[30000] = '\0';
	text = sgang_record_format_ordered(&r, large, "x");
	assert_int_equal(sgang_record_parse(text, &again), 1);
	assert_true(again.ordered);
	again.phase = SGANG_PHASE_FINISHED;
	next = sgang_record_format(&again, text);
	order = sgang_record_order(next);
	assert_string_equal(order, large);
	assert_memory_equal(next, "x gang=", 7);
	free(order);
	order = sgang_record_brief(&again, next);
	assert_null(strstr(order, "77"));
	free(order);
	free(text);
	again.placed = false;
	text = sgang_record_format(&again, next);
	assert_null(sgang_record_order(text));
	assert_int_equal(errno, ENOENT);
	free(text);
	free(next);
	free(large);
	assert_null(sgang_record_order(NULL));
	assert_null(sgang_record_order(WAITING " order=1-0"));
	assert_int_equal(sgang_record_parse(RUNNING " order=", &again), 0);
	/* it is nowhere: the record says so */
	text = sgang_record_format(&r, NULL);
	assert_string_equal(text, RUNNING);
	free(text);
}

/* Causes have words; one of a newer version is none of ours, and no harm. */
TEST(test_hold_ends)
{
	struct sgang_record r;

	assert_string_equal(sgang_hold_end_word(SGANG_HOLD_END_REPLACED),
			    "replaced");
	assert_string_equal(sgang_hold_end_word(SGANG_HOLD_ENDS), "unknown");
	assert_int_equal(sgang_record_parse(WAITING " holdend=limit", &r), 1);
	assert_int_equal(r.hold_end, SGANG_HOLD_END_LIMIT);
	assert_int_equal(sgang_record_parse(WAITING " holdend=eclipse", &r), 1);
	assert_int_equal(r.hold_end, SGANG_HOLD_END_NONE);
	assert_int_equal(r.attempts, 2);
}

TEST(test_has_ended)
{
	assert_false(sgang_record_has_ended(""));
	assert_false(sgang_record_has_ended(RUNNING));
	assert_true(sgang_record_has_ended("x gang=a/b phase=finished min=1"));
	assert_true(sgang_record_has_ended("gang=a/b phase=failed min=1"));
}

/* Any record behind any text is read back, however often it is rewritten. */
TEST(test_round_trip)
{
	uint64_t seed = SEED;
	char *text = NULL;

	for (int round = 0; round < 5000; round++) {
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
		assert_true(strlen(text) < 4096);
	}
	free(text);
}

/* Spoilt records are read or not, but never beyond their end. */
TEST(test_spoilt)
{
	uint64_t seed = SEED;
	int round, read = 0;

	for (round = 0; round < 20000; round++) {
		struct sgang_record record = { .name = "" };
		char *text = strdup(round % 2 ? RUNNING : FULL);

		assert_non_null(text);
		fuzz_spoil(&seed, text);
		if (sgang_record_parse(text, &record)) {
			assert_in_range(strlen(record.name), 1, SGANG_NAME_MAX);
			assert_in_range(record.phase, 0, SGANG_PHASES - 1);
			read++;
		}
		free(text);
	}
	/* both answers must have come up, else this shows nothing */
	assert_in_range(read, 1, round - 1);
}

/* Is it one of the blank-separated words of 'text'? */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word))) {
		if ((at == text || at[-1] == ' ') &&
		    (at[length] == ' ' || !at[length]))
			return true;
		at += length;
	}
	return false;
}

/* Nothing that an earlier version has written is lost, nor taken for something
 * else: written again, each word is still there. */
static void check_old_record(char *line, const char *ns, const char *name)
{
	struct sgang_record record;
	char *again, *word, *save = NULL;

	if (sgang_record_parse(line, &record) != 1)
		fail_msg("not read: %s", line);
	assert_string_equal(record.ns, ns);
	if (name)
		assert_string_equal(record.name, name);
	again = sgang_record_format(&record, line);
	assert_non_null(again);
	for (word = strtok_r(line, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		if (!has_word(again, word))
			fail_msg("%s is missing in: %s", word, again);
	}
	free(again);
}

/* All lines of a file but its comments; returns how many. */
static int check_old_file(const char *path, const char *ns, const char *name)
{
	FILE *in = fopen(path, "r");
	char line[4096];
	int records = 0;

	if (!in)
		fail_msg("no %s", path);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		check_old_record(line, ns, name);
		records++;
	}
	fclose(in);
	return records;
}

TEST(test_old_records)
{
	assert_in_range(check_old_file(source_path("tests/data/records.txt"),
				       "alice", "train"),
			6, 1000);
}

/* Of whole clusters: the records of all jobs. */
TEST(test_recorded)
{
	glob_t found;

	assert_int_equal(glob(source_path("tests/data/upgrade/*/records.txt"),
			      0, NULL, &found),
			 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		assert_in_range(check_old_file(found.gl_pathv[i], "root", NULL),
				50, 1000);
	globfree(&found);
}

TEST_MAIN(NULL, NULL)
