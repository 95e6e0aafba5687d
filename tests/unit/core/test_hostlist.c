/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_hostlist.c - Slurm's node list expressions */

#include "../unit.h"
#include "core/base/hostlist.h"
#include "fail_alloc.h"
#include "fuzz.h"

#define ROOM 512

/* Returns how many names there are. */
static size_t expand(const char *expr, char ***names)
{
	struct sgang_error err;
	size_t count;

	if (sgang_hostlist_expand(expr, names, &count, &err))
		fail_msg("%s: %s", expr, err.text);
	return count;
}

/* The names joined by blanks. */
static void join(char **names, char text[ROOM])
{
	size_t i, used = 0;

	text[0] = '\0';
	for (i = 0; names[i]; i++)
		used += (size_t)snprintf(text + used, ROOM - used, "%s%s",
					 i ? " " : "", names[i]);
	assert_true(used < ROOM);
}

/* An expression, what it names, and how those names are folded again. */
static const struct {
	const char *expr, *names;
	const char *folded; /* NULL: the expression itself */
} good[] = {
	{ "n1", "n1", NULL },
	{ "login", "login", NULL },
	{ "n[1-3,7],login0", "n1 n2 n3 n7 login0", NULL },
	{ "n1,n2,n3", "n1 n2 n3", "n[1-3]" },
	{ "n[3,1-2]", "n3 n1 n2", NULL },
	{ "n1,n1", "n1 n1", "n[1,1]" },
	{ "n[1-1]", "n1", "n1" },
	{ "n[8-11]", "n8 n9 n10 n11", NULL },
	{ "n[08-11]", "n08 n09 n10 n11", NULL },
	{ "n[098-101]", "n098 n099 n100 n101", NULL },
	{ "n[98-101]", "n98 n99 n100 n101", NULL },
	{ "n[1-010]", "n1 n2 n3 n4 n5 n6 n7 n8 n9 n10", "n[1-10]" },
	{ "n1,n01", "n1 n01", NULL },
	{ "n[001,2]", "n001 n2", "n001,n2" },
	{ "r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2", "r1n[1-2],r2n[1-2]" },
	{ "r[1-2]n[1,4]x", "r1n1x r1n4x r2n1x r2n4x", "r1n[1,4]x,r2n[1,4]x" },
	{ "n[1-2]-ib", "n1-ib n2-ib", NULL },
	{ "n[1-2]-ib0", "n1-ib0 n2-ib0", NULL },
	{ "[1-2]", "1 2", NULL },
	{ "n[000000000000000001-2]", "n000000000000000001 n000000000000000002",
	  "n[000000000000000001-000000000000000002]" },
	{ "n1234567890123456789,n1234567890123456790",
	  "n1234567890123456789 n1234567890123456790", NULL },
	{ "a1,a1b,a2,a2b", "a1 a1b a2 a2b", NULL },
	{ "n1,n,n2", "n1 n n2", NULL },
};

TEST(test_expand)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		char text[ROOM], **names;
		size_t count = expand(good[i].expr, &names), n;

		for (n = 0; names[n]; n++)
			;
		assert_int_equal(n, count);
		join(names, text);
		assert_string_equal(text, good[i].names);
		sgang_hostlist_free(names);
	}
}

TEST(test_fold)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		char **names, *folded;
		size_t count = expand(good[i].expr, &names);

		folded = sgang_hostlist_fold((const char *const *)names, count);
		assert_non_null(folded);
		assert_string_equal(folded, good[i].folded ? good[i].folded :
							     good[i].expr);
		free(folded);
		sgang_hostlist_free(names);
	}
}

TEST(test_fold_nothing)
{
	char *folded = sgang_hostlist_fold(NULL, 0);

	assert_non_null(folded);
	assert_string_equal(folded, "");
	free(folded);
}

static void refuse(const char *expr, const char *why)
{
	char *guard, **names = &guard;
	struct sgang_error err = { "" };
	size_t count = 4711;

	errno = 0;
	if (sgang_hostlist_expand(expr, &names, &count, &err) != -1)
		fail_msg("\"%s\" was taken", expr);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(names, &guard);
	assert_int_equal(count, 4711);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" lacks \"%s\"", err.text, why);
	assert_null(strchr(err.text, '\n'));
}

TEST(test_refused)
{
	static const struct {
		const char *why;
		const char *exprs[9];
	} bad[] = {
		{ "there is none", LIST(NULL) },
		{ "a name is empty", LIST("", ",", "n1,", ",n1", "n1,,n2") },
		{ "not closed", LIST("n[1-3", "n[1-3,", "n[1-3,4") },
		{ "was not opened", LIST("n1]") },
		{ "expected a number",
		  LIST("n[]", "n[,1]", "n[1,]", "n[1,,2]", "n[-1]", "n[1-]",
		       "n[a-b]", "n[[1-2]]") },
		{ "expected numbers and ranges",
		  LIST("n[1-2-3]", "n[1:3]", "n[1 -3]") },
		{ "runs backwards", LIST("n[3-1]") },
		{ "too long", LIST("n[0000000000000000001]",
				   "n[99999999999999999999999-1]") },
		{ "too many", LIST("n[0-1000000]", "n[1-99999999]",
				   "n[1-1000][1-1000],m") },
		{ "without blanks", LIST("n 1", "n1, n2", "n\n") },
		{ "printable", LIST("n\303\274") },
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		for (size_t k = 0; !k || bad[i].exprs[k]; k++)
			refuse(bad[i].exprs[k], bad[i].why);
	}
}

TEST(test_limits)
{
	char text[SGANG_HOSTLIST_NAME_MAX + 16], **names;
	size_t count = expand("n[1-1000][000-999]", &names);

	assert_int_equal(count, SGANG_HOSTLIST_MAX);
	assert_string_equal(names[count - 1], "n1000999");
	assert_null(names[count]);
	sgang_hostlist_free(names);

	memset(text, 'x', sizeof(text));
	text[SGANG_HOSTLIST_NAME_MAX] = '\0';
	assert_int_equal(expand(text, &names), 1);
	assert_string_equal(names[0], text);
	sgang_hostlist_free(names);

	text[SGANG_HOSTLIST_NAME_MAX] = 'x';
	text[SGANG_HOSTLIST_NAME_MAX + 1] = '\0';
	assert_int_equal(sgang_hostlist_expand(text, &names, NULL, NULL), -1);
	strcpy(text + SGANG_HOSTLIST_NAME_MAX - 1, "[9-10]");
	assert_int_equal(sgang_hostlist_expand(text, &names, NULL, NULL), -1);
	assert_int_equal(errno, EINVAL);
}

/* Whichever allocation fails: it is said, nothing is changed, nothing leaks. */
TEST(test_no_memory)
{
	unsigned long n;

	for (n = 1;; n++) {
		char *guard, **names = &guard;
		struct sgang_error err = { "" };
		long live = fail_live;
		int rc;

		fail_at(n);
		rc = sgang_hostlist_expand("n[1-40],login", &names, NULL, &err);
		if (!fail_happened) {
			fail_at(0);
			assert_int_equal(rc, 0);
			sgang_hostlist_free(names);
			break;
		}
		assert_int_equal(rc, -1);
		assert_int_equal(errno, ENOMEM);
		assert_non_null(strstr(err.text, "out of memory"));
		assert_ptr_equal(names, &guard);
		assert_int_equal(fail_live, live);
	}
	assert_in_range(n, 42, 100);
}

TEST(test_free_keeps_errno)
{
	char **names;

	expand("n[1-3]", &names);
	errno = EDOM;
	sgang_hostlist_free(names);
	sgang_hostlist_free(NULL);
	assert_int_equal(errno, EDOM);
}

#define SEED 20220508

/* Random lists of names: folding and expanding gives the same list. */
TEST(test_round_trip)
{
	static const char *const prefixes[] = { "n", "r1n", "", "gpu-", "n0" };
	static const char *const suffixes[] = { "", "", "", "-ib", "x1" };
	uint64_t seed = SEED;

	for (int round = 0; round < 2000; round++) {
		size_t count = 1 + fuzz_below(&seed, 40), back, i;
		char *names[40], *folded, **again;

		for (i = 0; i < count; i++) {
			int width = (int)fuzz_below(&seed, 4);
			char name[64];

			snprintf(name, sizeof(name), "%s%0*" PRIu64 "%s",
				 prefixes[fuzz_below(&seed, 2 + i % 4)], width,
				 fuzz_below(&seed, 12) + 90 * (i % 2),
				 suffixes[fuzz_below(&seed, 5)]);
			names[i] = strdup(name);
			assert_non_null(names[i]);
		}
		folded = sgang_hostlist_fold((const char *const *)names, count);
		assert_non_null(folded);
		if (sgang_hostlist_expand(folded, &again, &back, NULL))
			fail_msg("seed %d round %d: %s", SEED, round, folded);
		assert_int_equal(back, count);
		for (i = 0; i < count; i++) {
			if (strcmp(names[i], again[i]))
				fail_msg("seed %d round %d: %s", SEED, round,
					 folded);
			free(names[i]);
		}
		sgang_hostlist_free(again);
		free(folded);
	}
}

/* Random bytes: an answer or a sentence, and what was answered can be folded.
 */
TEST(test_random_bytes)
{
	uint64_t seed = SEED;

	for (int round = 0; round < 20000; round++) {
		struct sgang_error err = { "" };
		char text[24], **names;
		size_t count;

		fuzz_text(&seed, "n01239[]--,", text, sizeof(text));
		if (sgang_hostlist_expand(text, &names, &count, &err)) {
			if (errno != EINVAL || !err.text[0])
				fail_msg("seed %d round %d: %s", SEED, round,
					 text);
			continue;
		}
		assert_in_range(count, 1, SGANG_HOSTLIST_MAX);
		sgang_hostlist_free(names);
	}
}

TEST_MAIN(NULL, NULL)
