/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_lists.c - unit tests of lists.c */

#include "../unit.h"
#include "core/gang/lists.h"
#include "fuzz.h"

#define SEED 14
#define ROUNDS 3000

/* A word of 'alphabet', of any length below 'size'; often a short one. */
static void random_word(uint64_t *seed, const char *alphabet, char *word,
			size_t size)
{
	size_t most = fuzz_below(seed, 8) ? (size < 12 ? size : 12) : size;
	size_t length = fuzz_below(seed, most), i;

	for (i = 0; i < length; i++)
		word[i] = alphabet[fuzz_below(seed, strlen(alphabet))];
	word[length] = '\0';
}

/* Small, of any size, or as large as there is. */
static uint64_t random_number(uint64_t *seed)
{
	uint64_t any = fuzz_next(seed);

	switch (fuzz_below(seed, 4)) {
	case 0:
		return any >> fuzz_below(seed, 64);
	case 1:
		return UINT64_MAX;
	default:
		return any % 100;
	}
}

/* -- hops -- */

TEST(test_hops)
{
	static const char *const bad[] = {
		"leaf",    "leaf:",   "leaf:x",  "nowhere:1",
		"leaf:1,", ",leaf:1", "leaf:-1", "leaf:1,,node:2",
	};
	struct sgang_ring ring = { .hops = { 6, 0, 2, 1 } }, again;
	char text[SGANG_HOPS_SIZE], long_text[SGANG_HOPS_SIZE + 1];
	const size_t fit = SGANG_HOPS_SIZE / 34;
	struct sgang_costs costs;

	sgang_costs_default(&costs);
	sgang_lists_write_hops(&ring, &costs, text);
	assert_string_equal(text, "island:6,leaf:2,spine:1");
	assert_int_equal(sgang_lists_read_hops(text, &costs, &again), 0);
	assert_memory_equal(again.hops, ring.hops, sizeof(ring.hops));
	assert_int_equal(sgang_lists_read_hops("", &costs, &again), 0);
	assert_int_equal(again.hops[0], 0);
	for (size_t i = 0; i < COUNT(bad); i++) {
		again.hops[0] = 1;
		assert_int_equal(sgang_lists_read_hops(bad[i], &costs, &again),
				 -1);
		assert_int_equal(again.hops[0], 0);
	}
	memset(long_text, '1', SGANG_HOPS_SIZE);
	long_text[SGANG_HOPS_SIZE] = '\0';
	assert_int_equal(sgang_lists_read_hops(long_text, &costs, &again), -1);
	/* all levels, with long names, each 34 bytes with its comma */
	for (size_t i = 0; i < SGANG_LEVELS; i++) {
		memset(costs.name[i], 'a' + (int)i, 30);
		ring.hops[i] = 10;
	}
	sgang_lists_write_hops(&ring, &costs, text);
	assert_int_equal(strlen(text), fit * 34 - 1);
	assert_int_equal(sgang_lists_read_hops(text, &costs, &again), 0);
	assert_int_equal(again.hops[fit - 1], 10);
	assert_int_equal(again.hops[fit], 0);
}

/* -- what other texts mean, and which are refused -- */

TEST(test_others)
{
	const char *text = "s2:48,a:b:3/8,:40w,s4:7w/8,s5:1";
	static const char *const bad[] = {
		"",      "s2",    "s2:",   "s2:w",    "s2:x",     ",s2:1",
		"s2:-1", "s2:/8", "s2:7/", "s2:7/8w", "s2:1/2/3",
	};
	struct sgang_list_other row;

	assert_true(sgang_lists_next_other(&text, &row));
	assert_string_equal(row.place, "s2");
	assert_true(row.fits && !row.heavier && row.cost == 48);
	assert_true(sgang_lists_next_other(&text, &row));
	assert_string_equal(row.place, "a:b");
	assert_true(!row.fits && row.free == 3 && row.needed == 8);
	assert_true(sgang_lists_next_other(&text, &row));
	assert_string_equal(row.place, "");
	assert_true(row.fits && row.heavier && row.cost == 40);
	assert_false(sgang_lists_next_other(&text, &row));
	for (size_t i = 0; i < COUNT(bad); i++) {
		text = bad[i];
		if (sgang_lists_next_other(&text, &row))
			fail_msg("%s", bad[i]);
	}
}

TEST(test_lacks)
{
	/* 'size' is a cause of earlier versions */
	const char *text = "r1:2/4:busy=2:size=1,:3/4,r3";
	static const char *const bad[] = {
		"",
		"r1",
		"r1:",
		"r1:2",
		"r1:2/",
		"r1:/4",
		"r1:2/4:",
		"r1:2/4:busy",
		"r1:2/x",
		"r1:2/4:busy=",
		"r1:2/4:=2",
		"r1:2/4:busy=2:",
		"r1:2/4:a_cause_of_24_characters=1",
	};
	struct sgang_list_lack row;

	assert_true(sgang_lists_next_lack(&text, &row));
	assert_string_equal(row.place, "r1");
	assert_true(row.free == 2 && row.needed == 4 && row.n_causes == 2);
	assert_string_equal(row.cause[0].word, "busy");
	assert_string_equal(row.cause[1].word, "size");
	assert_true(row.cause[0].nodes == 2 && row.cause[1].nodes == 1);
	assert_true(sgang_lists_next_lack(&text, &row));
	assert_string_equal(row.place, "");
	assert_true(row.free == 3 && row.needed == 4 && !row.n_causes);
	assert_false(sgang_lists_next_lack(&text, &row));
	for (size_t i = 0; i < COUNT(bad); i++) {
		text = bad[i];
		if (sgang_lists_next_lack(&text, &row))
			fail_msg("%s", bad[i]);
	}
}

/* Why a gang preempts nobody, and whom it does. */
TEST(test_preempts)
{
	static const struct {
		enum sgang_spared why;
		uint64_t number;
		const char *text;
	} cases[] = {
		{ SGANG_SPARED_OPTION, 0, "option" },
		{ SGANG_SPARED_SITE, 0, "site" },
		{ SGANG_SPARED_NONE, 0, "none" },
		{ SGANG_SPARED_FEW, 5, "few:5" },
		{ SGANG_SPARED_AFTER, 1795261000, "after:1795261000" },
		{ SGANG_SPARED_LIMIT, 0, "limit" },
		{ SGANG_SPARED_LEVELS, 0, "levels" },
	};
	static const char *const bad[] = { "",      "fe",     "few",   "few:",
					   "few:x", "none:1", "after", "x" };
	const char *victims = "812:bob,4000000000:al,...";
	char text[SGANG_PREEMPTS_SIZE], user[SGANG_VICTIMS_SIZE];
	enum sgang_spared why;
	uint64_t number;
	uint32_t job_id;

	for (size_t i = 0; i < COUNT(cases); i++) {
		sgang_lists_write_spared(cases[i].why, cases[i].number, text);
		assert_string_equal(text, cases[i].text);
		assert_true(sgang_lists_read_spared(text, &why, &number));
		assert_int_equal(why, cases[i].why);
		assert_int_equal(number, cases[i].number);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(sgang_lists_read_spared(bad[i], &why, &number));
	assert_true(sgang_lists_next_victim(&victims, &job_id, user));
	assert_int_equal(job_id, 812);
	assert_string_equal(user, "bob");
	assert_true(sgang_lists_next_victim(&victims, &job_id, user));
	assert_int_equal(job_id, 4000000000);
	assert_string_equal(user, "al");
	assert_false(sgang_lists_next_victim(&victims, &job_id, user));
}

TEST(test_helps)
{
	static const struct {
		const char *text;
		enum sgang_help what;
		uint64_t count;
		const char *list; /* NULL: it is refused */
	} cases[] = {
		{ "jobs:2:17,19", SGANG_HELP_JOBS, 2, "17,19" },
		{ "nodes:2:n[3-4]", SGANG_HELP_NODES, 2, "n[3-4]" },
		{ "reserved:200", SGANG_HELP_RESERVED, 200, "" },
		{ "blocked:1:a:b", SGANG_HELP_BLOCKED, 1, "a:b" },
		{ "never", SGANG_HELP_NEVER, 0, "" },
		{ "before", SGANG_HELP_BEFORE, 0, "" },
		{ "prefer", SGANG_HELP_PREFER, 0, "" },
		{ "place", SGANG_HELP_PLACE, 0, "" },
		{ "", 0, 0, NULL },
		{ "never:1", 0, 0, NULL },
		{ "nev", 0, 0, NULL },
		{ "nevers", 0, 0, NULL },
		{ "jobs", 0, 0, NULL },
		{ "jobs:", 0, 0, NULL },
		{ "jobs:x", 0, 0, NULL },
		{ "jobs::17", 0, 0, NULL },
		{ "jobs:111111111111111111111111:1", 0, 0, NULL },
		/* a word of a newer version */
		{ "eclipse:1", 0, 0, NULL },
	};
	char long_list[SGANG_HELPS_SIZE + 1], text[SGANG_HELPS_SIZE];
	struct sgang_list_help help;

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (sgang_lists_read_help(cases[i].text, &help) !=
		    !!cases[i].list)
			fail_msg("%s", cases[i].text);
		if (!cases[i].list)
			continue;
		assert_int_equal(help.what, cases[i].what);
		assert_true(help.count == cases[i].count);
		assert_string_equal(help.list, cases[i].list);
	}
	/* the list alone is left out, when it is one byte too long */
	memset(long_list, 'n', sizeof(long_list));
	long_list[SGANG_HELPS_SIZE - strlen("nodes:7:") - 1] = '\0';
	sgang_lists_write_help(SGANG_HELP_NODES, 7, long_list, text);
	assert_int_equal(strlen(text), SGANG_HELPS_SIZE - 1);
	assert_true(sgang_lists_read_help(text, &help));
	assert_string_equal(help.list, long_list);
	long_list[strlen(long_list)] = 'n';
	long_list[SGANG_HELPS_SIZE - strlen("nodes:7:")] = '\0';
	sgang_lists_write_help(SGANG_HELP_NODES, 7, long_list, text);
	assert_string_equal(text, "nodes:7");
	sgang_lists_write_help(SGANG_HELP_JOBS, 0, NULL, text);
	assert_string_equal(text, "jobs:0");
}

TEST(test_choice)
{
	static const char *const bad[] = {
		"",
		"56",
		"56:",
		"56:480,",
		"56:480,1",
		"56:480,1:2",
		"56:480,1:2:",
		"56:480:1",
		":480",
		"56:480,1:2:3,",
		"56:480,1:2:3:4",
		"-1:2",
	};
	struct sgang_list_choice choice;

	assert_true(sgang_lists_read_choice("56:480", &choice));
	assert_true(choice.cost == 56 && choice.seconds == 480);
	assert_false(choice.later);
	assert_true(sgang_lists_read_choice("56:480,1795261938:40:0", &choice));
	assert_true(choice.later && choice.when == 1795261938);
	assert_true(choice.later_cost == 40 && choice.later_seconds == 0);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (sgang_lists_read_choice(bad[i], &choice))
			fail_msg("%s", bad[i]);
}

TEST(test_layout)
{
	static const char *const bad[] = {
		"",      "?",     "0-2",     "0-4",     "0-3,8",
		"0-1,2", "3-0",   "0-3,",    ",0-3",    "0-1,,2-3",
		"0--3",  "0-1-3", "0,1,2,x", "0-3,0-3", "4294967296,0-2",
	};
	uint32_t rank[4];

	assert_int_equal(sgang_lists_read_layout("2-3,1,0", rank, 4), 0);
	assert_true(rank[0] == 2 && rank[1] == 3 && rank[2] == 1 && !rank[3]);
	assert_int_equal(sgang_lists_read_layout("", rank, 0), 0);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!sgang_lists_read_layout(bad[i], rank, 4))
			fail_msg("%s", bad[i]);
}

/* -- 4.34: what is written is read as the same -- */

#define ROWS 12
#define RANKS 200
#define TEXT_SIZE SGANG_LACKS_SIZE /* the longest of them */

/* Random values as text; whether all of them had room. */

static bool random_others(uint64_t *seed, char *text)
{
	size_t n = fuzz_below(seed, ROWS), i;

	for (i = 0; i < n; i++) {
		struct sgang_list_other row = {
			.fits = fuzz_below(seed, 2),
			.heavier = fuzz_below(seed, 2),
			.cost = random_number(seed),
			.free = random_number(seed),
			.needed = random_number(seed),
		};

		random_word(seed, "rs1-:/w", row.place, sizeof(row.place));
		if (!sgang_lists_add_other(text, &row))
			return false;
	}
	return true;
}

static bool random_lacks(uint64_t *seed, char *text)
{
	size_t n = fuzz_below(seed, ROWS), i, k;

	for (i = 0; i < n; i++) {
		struct sgang_list_lack row = {
			.free = random_number(seed),
			.needed = random_number(seed),
			.n_causes = fuzz_below(seed, SGANG_LIST_CAUSES + 1),
		};

		random_word(seed, "rs1-/=", row.place, sizeof(row.place));
		if (fuzz_below(seed, 2))
			row.n_causes %= 3;
		for (k = 0; k < row.n_causes; k++) {
			strcpy(row.cause[k].word, "a");
			random_word(seed, "abz_", row.cause[k].word + 1,
				    sizeof(row.cause[k].word) - 1);
			row.cause[k].nodes = random_number(seed);
		}
		if (!sgang_lists_add_lack(text, &row))
			return false;
	}
	return true;
}

static bool random_help(uint64_t *seed, char *text)
{
	uint64_t count = random_number(seed);
	char list[SGANG_HELPS_SIZE];

	random_word(seed, "n1,-[]:", list, sizeof(list));
	sgang_lists_write_help((enum sgang_help)fuzz_below(seed, SGANG_HELPS),
			       count, list, text);
	return true;
}

static bool random_choice(uint64_t *seed, char *text)
{
	struct sgang_list_choice choice = {
		.cost = random_number(seed),
		.seconds = random_number(seed),
		.later = fuzz_below(seed, 2),
		.when = random_number(seed),
		.later_cost = random_number(seed),
		.later_seconds = random_number(seed),
	};

	sgang_lists_write_choice(&choice, text);
	return true;
}

static bool random_layout(uint64_t *seed, char *text)
{
	uint64_t n = 1 + fuzz_below(seed, RANKS), i;
	uint64_t most = 2 + fuzz_below(seed, 100);
	uint32_t rank[RANKS];

	rank[0] = (uint32_t)(fuzz_next(seed) >> 33);
	for (i = 1; i < n; i++)
		rank[i] = fuzz_below(seed, most) ?
				  rank[i - 1] + 1 :
				  (uint32_t)(fuzz_next(seed) >> 33);
	sgang_lists_write_layout(rank, n, text);
	return strcmp(text, "?");
}

/* What can be read of a text, written again. */

static void others_again(const char *text, char *again)
{
	struct sgang_list_other row;

	while (sgang_lists_next_other(&text, &row))
		assert_true(sgang_lists_add_other(again, &row));
}

static void lacks_again(const char *text, char *again)
{
	struct sgang_list_lack row;

	while (sgang_lists_next_lack(&text, &row))
		assert_true(sgang_lists_add_lack(again, &row));
}

static void help_again(const char *text, char *again)
{
	struct sgang_list_help help;

	if (sgang_lists_read_help(text, &help))
		sgang_lists_write_help(help.what, help.count, help.list, again);
}

static void choice_again(const char *text, char *again)
{
	struct sgang_list_choice choice;

	if (sgang_lists_read_choice(text, &choice))
		sgang_lists_write_choice(&choice, again);
}

static void layout_again(const char *text, char *again)
{
	uint32_t rank[RANKS];

	for (uint64_t n = 1; n <= RANKS; n++)
		if (!sgang_lists_read_layout(text, rank, n))
			sgang_lists_write_layout(rank, n, again);
}

static const struct {
	const char *name;
	bool (*random)(uint64_t *seed, char *text);
	void (*again)(const char *text, char *again);
	const char *today[4]; /* as it has always been written */
} lists[] = {
	{ "others", random_others, others_again,
	  LIST("s2:48", "s2:48,s3:7/8,s4:40w", ":8") },
	{ "lacks", random_lacks, lacks_again,
	  LIST("r1:2/4:busy=2", "r1:2/4:busy=2:drained=1,r2:3/4", ":0/4") },
	{ "helps", random_help, help_again,
	  LIST("jobs:6:17,19,23,24", "nodes:200", "never", "blocked:1:n3") },
	{ "choice", random_choice, choice_again,
	  LIST("56:480", "56:480,1795261938:40:0") },
	{ "layout", random_layout, layout_again, LIST("0-3,8-11", "7", "1,0") },
};
#define LISTS (COUNT(lists))

TEST(test_today)
{
	for (size_t i = 0; i < LISTS; i++) {
		for (size_t k = 0; k < 4 && lists[i].today[k]; k++) {
			char again[TEXT_SIZE] = "";

			lists[i].again(lists[i].today[k], again);
			assert_string_equal(again, lists[i].today[k]);
		}
	}
}

/* Of a text that was cut anywhere all is refused, or read as it stands. */
static void check_cuts(size_t list, char *text)
{
	for (size_t length = strlen(text); length--;) {
		char again[TEXT_SIZE] = "";

		text[length] = '\0';
		lists[list].again(text, again);
		if (strncmp(again, text, strlen(again)))
			fail_msg("%s of %s: %s", lists[list].name, text, again);
	}
}

TEST(test_round_trip)
{
	uint64_t seed = SEED;

	for (size_t i = 0; i < LISTS; i++) {
		for (int round = 0; round < ROUNDS; round++) {
			char text[TEXT_SIZE] = "", again[TEXT_SIZE] = "";

			(void)lists[i].random(&seed, text);
			if (!strcmp(text, "?"))
				continue;
			lists[i].again(text, again);
			if (strcmp(text, again))
				fail_msg("seed %d round %d: %s=%s is %s", SEED,
					 round, lists[i].name, text, again);
			check_cuts(i, text);
		}
	}
}

/* Whatever it is, what is read of it is written and read as the same. */
TEST(test_spoilt)
{
	uint64_t seed = SEED;

	for (size_t i = 0; i < LISTS; i++) {
		for (int round = 0; round < ROUNDS; round++) {
			char text[TEXT_SIZE] = "", again[TEXT_SIZE] = "";
			char twice[TEXT_SIZE] = "";

			(void)lists[i].random(&seed, text);
			fuzz_spoil(&seed, text);
			lists[i].again(text, again);
			lists[i].again(again, twice);
			if (strcmp(again, twice))
				fail_msg("seed %d round %d: %s=%s: %s", SEED,
					 round, lists[i].name, again, twice);
		}
	}
}

/* A row takes the last byte, or stays out; what is behind it does, too. */
TEST(test_limits)
{
	struct sgang_list_other other = { .fits = true, .cost = 7 };
	struct sgang_list_lack lack = { .free = 1, .needed = 2 };
	char text[TEXT_SIZE] = "s1:7";
	uint32_t rank[RANKS];
	uint64_t seed = SEED;
	size_t i, full = 0;

	memset(other.place, 'x', sizeof(other.place) - strlen("s1:7,:7"));
	assert_false(sgang_lists_add_other(text, &other));
	assert_string_equal(text, "s1:7");
	other.place[strlen(other.place) - 1] = '\0';
	assert_true(sgang_lists_add_other(text, &other));
	assert_int_equal(strlen(text), SGANG_OTHERS_SIZE - 1);
	other.place[0] = '\0';
	assert_false(sgang_lists_add_other(text, &other));
	assert_int_equal(strlen(text), SGANG_OTHERS_SIZE - 1);

	strcpy(text, "s1:1/2");
	memset(lack.place, 'x', sizeof(lack.place) - strlen("s1:1/2,:1/2"));
	assert_false(sgang_lists_add_lack(text, &lack));
	assert_string_equal(text, "s1:1/2");
	lack.place[strlen(lack.place) - 1] = '\0';
	assert_true(sgang_lists_add_lack(text, &lack));
	assert_int_equal(strlen(text), SGANG_LACKS_SIZE - 1);

	/* "1,3,5,...": the last comma has room, a number behind it has not */
	for (i = 0; i < RANKS; i++)
		rank[i] = (uint32_t)(i < 80 ? 9 - i % 2 * 2 : 10);
	sgang_lists_write_layout(rank, 80, text);
	assert_int_equal(strlen(text), SGANG_LAYOUT_SIZE - 1);
	sgang_lists_write_layout(rank, 81, text);
	assert_string_equal(text, "?");
	for (i = 0; i < ROUNDS; i++) {
		text[0] = '\0';
		full += !lists[i % LISTS].random(&seed, text);
	}
	assert_in_range(full, ROUNDS / 20, ROUNDS / 2);
}

TEST_MAIN(NULL, NULL)
