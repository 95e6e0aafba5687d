/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_text.c - strict numbers, durations, and quoting for messages */

#include "../unit.h"
#include "core/base/text.h"
#include "fuzz.h"

#define REFUSED(call, errnum, text)                                        \
	do {                                                               \
		errno = 0;                                                 \
		if ((call) != -1 || errno != (errnum))                     \
			fail_msg("\"%s\" gave %s", text, strerror(errno)); \
	} while (0)

TEST(test_number)
{
	static const struct {
		const char *text;
		uint64_t min, max, value;
	} good[] = {
		{ "0", 0, 10, 0 },
		{ "10", 0, 10, 10 },
		{ "007", 0, 10, 7 },
		{ "18446744073709551615", 0, UINT64_MAX, UINT64_MAX },
	}, range[] = {
		{ "18446744073709551616", 0, UINT64_MAX, 0 },
		{ "99999999999999999999999999", 0, UINT64_MAX, 0 },
		{ "11", 0, 10, 0 },
		{ "0", 1, 10, 0 },
	};
	static const char *const bad[] = {
		"",   NULL, "-1",  "+1",  " 1",
		"1 ", "1x", "0x1", "1.0", "99999999999999999999999999x"
	};
	uint64_t value;

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(sgang_text_number(good[i].text, good[i].min,
						   good[i].max, &value),
				 0);
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < COUNT(range); i++) {
		value = 4711;
		REFUSED(sgang_text_number(range[i].text, range[i].min,
					  range[i].max, &value),
			ERANGE, range[i].text);
		assert_int_equal(value, 4711);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		REFUSED(sgang_text_number(bad[i], 0, 10, &value), EINVAL,
			bad[i]);
		assert_int_equal(value, 4711);
	}
}

/* 4.12: bandwidths and latencies, the same again when they are shown. */
TEST(test_decimal)
{
	static const struct {
		const char *text, *shown;
	} good[] = {
		{ "1", "1" },
		{ "37.5", "37.5" },
		{ "007.250", "7.25" },
		{ "0.000001", "0.000001" },
		{ "0.3", "0.3" },
		{ "999999.999999", "999999.999999" },
		{ "1000000.000000", "1000000" },
	};
	static const char *const range[] = { "1000000.000001", "1000001",
					     "99999999999999999999999999", "0",
					     "0.0" };
	static const char *const bad[] = {
		"0.0000001", "99999999999999999999999999x",
		"",          NULL,
		"1.",        ".5",
		"1,5",       "1.5.5",
		"-1",        "+1",
		" 1",        "1 ",
		"1e3",       "0x1",
		"inf",       "nan"
	};
	char shown[SGANG_DECIMAL_SHOWN];
	double value;

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(
			sgang_text_decimal(good[i].text, 1000000, &value), 0);
		assert_string_equal(sgang_text_show_decimal(shown, value),
				    good[i].shown);
	}
	value = 4711;
	for (size_t i = 0; i < COUNT(range); i++)
		REFUSED(sgang_text_decimal(range[i], 1000000, &value), ERANGE,
			range[i]);
	for (size_t i = 0; i < COUNT(bad); i++)
		REFUSED(sgang_text_decimal(bad[i], 1000000, &value), EINVAL,
			bad[i]);
	assert_true(value == 4711);
}

/* 0.28: durations are written as everywhere in Slurm. */
TEST(test_time)
{
	static const struct {
		const char *text;
		uint32_t seconds;
	} good[] = {
		{ "1", 60 },
		{ "10", 600 },
		{ "0:01", 1 },
		{ "10:00", 600 },
		{ "1:90", 150 },
		{ "1:00:00", 3600 },
		{ "00:00:07", 7 },
		{ "1-0", 86400 },
		{ "1-12", 129600 },
		{ "0-1:30", 5400 },
		{ "2-03:04:05", 183845 },
		{ "49710-06:28:14", UINT32_MAX - 1 },
		{ "71582788:14", UINT32_MAX - 1 },
		{ "UNLIMITED", UINT32_MAX },
		{ "Infinite", UINT32_MAX },
	};
	static const char *const range[] = { "0",
					     "0:00",
					     "0-0:0:0",
					     "71582788:15",
					     "49710-06:28:15",
					     "99999999999999999999999999",
					     "18446744073709551616:00",
					     "99999999999999999999-0" };
	static const char *const bad[] = {
		NULL,    "",        "-1",         "+1", " 1",
		"1 ",    "1s",      "1.5",        "1:", ":1",
		"1::1",  "1:2:3:4", "1-2:3:4:5",  "1-", "1-2-3",
		"1:2-3", "1-:2",    "unlimited!", "ten"
	};
	uint32_t seconds;

	for (size_t i = 0; i < COUNT(good); i++) {
		if (sgang_text_time(good[i].text, &seconds))
			fail_msg("\"%s\" was refused", good[i].text);
		assert_int_equal(seconds, good[i].seconds);
	}
	seconds = 4711;
	for (size_t i = 0; i < COUNT(range); i++)
		REFUSED(sgang_text_time(range[i], &seconds), ERANGE, range[i]);
	for (size_t i = 0; i < COUNT(bad); i++)
		REFUSED(sgang_text_time(bad[i], &seconds), EINVAL, bad[i]);
	assert_int_equal(seconds, 4711);
}

#define SEED 28

/* What is shown is what was read. */
TEST(test_show_time)
{
	static const struct {
		uint32_t seconds;
		const char *shown;
	} cases[] = {
		{ 1, "00:00:01" },
		{ 600, "00:10:00" },
		{ 86399, "23:59:59" },
		{ 86400, "1-00:00:00" },
		{ 93784, "1-02:03:04" },
		{ UINT32_MAX - 1, "49710-06:28:14" },
		{ UINT32_MAX, "UNLIMITED" },
	};
	char shown[SGANG_TIME_SHOWN];
	uint64_t seed = SEED;
	uint32_t again, seconds;

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(sgang_text_show_time(shown,
							 cases[i].seconds),
				    cases[i].shown);
	for (size_t i = 0; i < 20000; i++) {
		seconds = (uint32_t)(fuzz_next(&seed) >>
				     (32 + fuzz_below(&seed, 31))) |
			  1;
		if (sgang_text_time(sgang_text_show_time(shown, seconds),
				    &again) ||
		    again != seconds)
			fail_msg("seed %d round %zu: %s", SEED, i, shown);
	}
}

/* Random words: a duration above 0, or refused and nothing is touched. */
TEST(test_random_times)
{
	uint64_t seed = SEED;
	int round, taken = 0;

	for (round = 0; round < 50000; round++) {
		uint32_t seconds = 0;
		char text[10];
		bool clean;
		int rc;

		fuzz_text(&seed, "0123456789:--", text, sizeof(text));
		clean = strspn(text, "0123456789:-") == strlen(text);
		rc = sgang_text_time(text, &seconds);
		if (rc ? seconds != 0 : !seconds || !clean)
			fail_msg("seed %d round %d: %s", SEED, round, text);
		taken += !rc;
	}
	assert_in_range(taken, 100, round - 100);
}

/* Names in the order that slurmctld 22.05 gave to nodes of these names. */
TEST(test_compare)
{
	static const char *const name[] = {
		"a",      "a-1", "a0",    "a00", "a001", "a01", "a010",
		"a02",    "a1",  "a1-ib", "a2",  "a9",   "a10", "a10b9",
		"a10b10", "aa",  "b1",    "n1",  "n1x",  "n10",
	};
	int n = COUNT(name), i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			int rc = sgang_text_compare(name[i], name[j]);

			if ((rc > 0) - (rc < 0) != (i > j) - (i < j))
				fail_msg("%s and %s: %d", name[i], name[j], rc);
		}
	}
}

TEST(test_show)
{
	char shown[SGANG_TEXT_SHOWN];
	char text[SGANG_TEXT_SHOWN + 10];

	assert_string_equal(sgang_text_show(shown, "n[1-4]=8"), "n[1-4]=8");
	assert_string_equal(sgang_text_show(shown, ""), "");
	assert_string_equal(sgang_text_show(shown, NULL), "(nothing)");
	assert_string_equal(sgang_text_show(shown, "a\nb\033[2Jc\377"),
			    "a?b?[2Jc?");

	/* what just fits is whole, one more byte and it is cut */
	memset(text, 'x', sizeof(text));
	text[SGANG_TEXT_SHOWN - 1] = '\0';
	assert_string_equal(sgang_text_show(shown, text), text);
	text[SGANG_TEXT_SHOWN - 1] = 'x';
	text[SGANG_TEXT_SHOWN] = '\0';
	sgang_text_show(shown, text);
	assert_int_equal(strlen(shown), SGANG_TEXT_SHOWN - 1);
	assert_string_equal(shown + SGANG_TEXT_SHOWN - 4, "...");
}

TEST(test_repair)
{
	static const struct {
		const char *text;
		const char *repaired; /* NULL: it is UTF-8 */
	} cases[] = {
		{ "", NULL },
		{ "plain", NULL },
		{ "caf\303\251 \342\202\254 \360\237\231\202", NULL },
		{ "\363\277\277\277 \364\217\277\277", NULL },
		{ "caf\351", "caf\357\277\275" },
		{ "\303", "\357\277\275" },
		{ "\342\202", "\357\277\275\357\277\275" },
		{ "\200a", "\357\277\275a" },
		/* overlong, a surrogate, above U+10FFFF */
		{ "\300\257", "\357\277\275\357\277\275" },
		{ "\340\200\257", "\357\277\275\357\277\275\357\277\275" },
		{ "\355\240\200", "\357\277\275\357\277\275\357\277\275" },
		{ "\364\220\200\200", "\357\277\275\357\277\275"
				      "\357\277\275\357\277\275" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = sgang_text_repair(cases[i].text);

		if (cases[i].repaired) {
			assert_non_null(text);
			assert_string_equal(text, cases[i].repaired);
			assert_null(sgang_text_repair(text));
		} else {
			assert_null(text);
			assert_int_equal(errno, 0);
		}
		free(text);
	}
}

TEST_MAIN(NULL, NULL)
