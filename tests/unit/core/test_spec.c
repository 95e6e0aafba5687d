/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spec.c - what one member says about its gang */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/spec.h"
#include "fuzz.h"

#define X63 "x23456789-123456789-123456789-123456789-123456789-123456789-123"
#define X255 X63 "_" X63 "_" X63 "_" X63
#define L31 "level-of-thirty-one-characters_"

static void assert_says(const struct sgang_error *err, const char *why)
{
	if (!strstr(err->text, why))
		fail_msg("\"%s\" lacks \"%s\"", err->text, why);
	assert_null(strchr(err->text, '\n'));
}

static void test_name(void **state)
{
	static const struct {
		const char *value;
		const char *ns;
		const char *name;
	} cases[] = {
		{ "train", "", "train" },
		{ "a", "", "a" },
		{ "7", "", "7" },
		{ "0-a--b-9", "", "0-a--b-9" },
		{ X63, "", X63 },
		{ "alice/train", "alice", "train" },
		{ "DOM\\al.ice@x=y/t", "DOM\\al.ice@x=y", "t" },
		{ X255 "/" X63, X255, X63 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_spec spec;
		struct sgang_error err;

		sgang_spec_init(&spec);
		if (sgang_spec_set(&spec, "gang", cases[i].value, &err))
			fail_msg("%s", err.text);
		assert_string_equal(spec.ns, cases[i].ns);
		assert_string_equal(spec.name, cases[i].name);
		assert_int_equal(sgang_spec_check(&spec, NULL), 0);
	}
}

/* 0.18: a gang's name is an RFC 1123 label; 0.20 by analogy: a value that is
 * not understood is refused, not replaced. */
static void test_refused(void **state)
{
	static const struct {
		const char *option;
		const char *value;
		int errnum;
		const char *why;
	} cases[] = {
		{ "gang", "", EINVAL, "name is missing" },
		{ "gang", NULL, EINVAL, "name is missing" },
		{ "gang", "alice/", EINVAL, "name is missing" },
		{ "gang", "/train", EINVAL, "namespace before the slash" },
		{ "gang", "a/b/c", EINVAL, "more than one slash" },
		{ "gang", "a//c", EINVAL, "more than one slash" },
		{ "gang", "Train", EINVAL, "upper-case" },
		{ "gang", "-train", EINVAL, "begins and ends" },
		{ "gang", "train-", EINVAL, "begins and ends" },
		{ "gang", "-", EINVAL, "begins and ends" },
		{ "gang", "tr_ain", EINVAL, "only the letters" },
		{ "gang", "tr.ain", EINVAL, "only the letters" },
		{ "gang", "tr ain", EINVAL, "only the letters" },
		{ "gang", "tr\nain", EINVAL, "tr?ain" },
		{ "gang", "tr\303\244in", EINVAL, "only the letters" },
		{ "gang", "(null)", EINVAL, "only the letters" },
		{ "gang", X63 "x", E2BIG, "63 characters" },
		{ "gang", X255 "x/train", E2BIG, "255 characters" },
		{ "gang", "al ice/train", EINVAL, "without blanks" },
		{ "gang", "al,ice/train", EINVAL, "commas" },
		{ "gang", "al'ice/train", EINVAL, "quotes" },
		{ "gang", "al\"ice/train", EINVAL, "quotes" },
		{ "gang", "al\033ice/train", EINVAL, "unprintable" },
		{ "gang-min-member", "0", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", "", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", "-1", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", "+1", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", "4x", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", " 4", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", "4.0", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", "100001", EINVAL, "from 1 to 100000" },
		{ "gang-min-member", "4294967297", EINVAL, "from 1 to" },
		{ "gang-min-member", "18446744073709551617", EINVAL,
		  "--gang-min-member=18446744073709551617" },
		{ "gang-min-available", "0", EINVAL, "from 1 to 100000" },
		{ "gang-total-number", "0", EINVAL, "from 1 to 100000" },
		{ "gang-rank", "-1", EINVAL, "from 0 to 100000" },
		{ "gang-rank", "100001", EINVAL, "from 0 to 100000" },
		{ "gang-topology", "", EINVAL, "require:LEVEL" },
		{ "gang-topology", "leaf", EINVAL, "require:LEVEL" },
		{ "gang-topology", "require", EINVAL, "require:LEVEL" },
		{ "gang-topology", "require:", EINVAL, "require:LEVEL" },
		{ "gang-topology", ":leaf", EINVAL, "require:LEVEL" },
		{ "gang-topology", "requires:leaf", EINVAL, "require:LEVEL" },
		{ "gang-topology", "req:leaf", EINVAL, "require:LEVEL" },
		{ "gang-topology", "require:le af", EINVAL, "prefer:LEVEL" },
		{ "gang-topology", "prefer:leaf@10", EINVAL, "prefer:LEVEL" },
		{ "gang-topology", "prefer:leaf:", EINVAL, "prefer:LEVEL" },
		{ "gang-topology", "require:" L31 "x", E2BIG, "31 characters" },
		{ "gang-tree", "oak", EINVAL, "--gang-tree: there is no" },
		{ "", "x", EINVAL, "no such option" },
		{ "--gang", "train", EINVAL, "no such option" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_spec spec, before;
		struct sgang_error err = { "" };

		memset(&spec, 0x5a, sizeof(spec));
		before = spec;
		errno = 0;
		if (sgang_spec_set(&spec, cases[i].option, cases[i].value,
				   &err) != -1)
			fail_msg("--%s=%s was taken", cases[i].option,
				 cases[i].value);
		assert_int_equal(errno, cases[i].errnum);
		assert_says(&err, cases[i].why);
		assert_memory_equal(&spec, &before, sizeof(spec));
	}
}

/* 0.27: the alias means the same. */
static void test_values(void **state)
{
	struct sgang_spec spec;

	(void)state;
	sgang_spec_init(&spec);
	assert_int_equal(spec.rank_set, false);
	assert_int_equal(sgang_spec_set(&spec, "gang-min-available", "4", NULL),
			 0);
	assert_int_equal(spec.min_member, 4);
	assert_int_equal(sgang_spec_set(&spec, "gang-min-member", "100000",
					NULL), 0);
	assert_int_equal(spec.min_member, SGANG_MEMBERS_MAX);
	assert_int_equal(sgang_spec_set(&spec, "gang-total-number", "1", NULL),
			 0);
	assert_int_equal(spec.total, 1);
	assert_int_equal(sgang_spec_set(&spec, "gang-rank", "0", NULL), 0);
	assert_int_equal(spec.rank, 0);
	assert_int_equal(spec.rank_set, true);
	assert_int_equal(sgang_spec_set(&spec, "gang-topology",
					"require:" L31, NULL), 0);
	assert_int_equal(spec.topo, SGANG_TOPO_REQUIRE);
	assert_string_equal(spec.level, L31);
	assert_int_equal(sgang_spec_set(&spec, "gang-topology", "Prefer:Leaf",
					NULL), 0);
	assert_int_equal(spec.topo, SGANG_TOPO_PREFER);
	assert_string_equal(spec.level, "Leaf");
}

/* 0.19: total-number defaults to min-member, which defaults to 1. */
static void test_defaults(void **state)
{
	struct sgang_spec spec;

	(void)state;
	sgang_spec_init(&spec);
	assert_int_equal(sgang_spec_min(&spec), 1);
	assert_int_equal(sgang_spec_total(&spec), 1);
	spec.min_member = 3;
	assert_int_equal(sgang_spec_min(&spec), 3);
	assert_int_equal(sgang_spec_total(&spec), 3);
	spec.total = 5;
	assert_int_equal(sgang_spec_total(&spec), 5);
}

/* Every option can be registered and is described. */
static void test_options(void **state)
{
	const struct sgang_option *o;
	size_t count = 0;

	(void)state;
	for (o = sgang_spec_options(); o->name; o++, count++) {
		assert_int_equal(strncmp(o->name, "gang", 4), 0);
		assert_non_null(o->arg);
		assert_non_null(o->help);
		assert_null(strchr(o->help, '\n'));
	}
	assert_int_equal(count, 5);
}

#define E "_SLURM_SPANK_OPTION_gang_"

/* 0.26: the name and the minimum are enough; 0.27: either spelling. */
static void test_env(void **state)
{
	static const struct {
		const char *env[5];
		int rc;
		const char *name;	/* or, for -1, what is said */
		uint32_t min;
		uint32_t total;
	} cases[] = {
		{ { NULL }, 0, "", 0, 0 },
		{ { "PATH=/bin", "SLURM_GANG_NAME=x" }, 0, "", 0, 0 },
		{ { "_SLURM_SPANK_OPTION_other_gang=x" }, 0, "", 0, 0 },
		{ { E "gang=train" }, 1, "train", 0, 0 },
		{ { E "gang=bob/train", E "gang_min_member=4" }, 1, "train", 4,
		  0 },
		{ { E "gang_min_available=4", E "gang=train", "HOME=/",
		    E "gang_total_number=6" }, 1, "train", 4, 6 },
		{ { E "gang=t", E "gang_min_available=4",
		    E "gang_min_member=4" }, 1, "t", 4, 0 },
		{ { E "gang=t", E "gang_min_available=4",
		    E "gang_min_member=5" }, -1, "give one of them", 0, 0 },
		{ { E "gang=t", E "gang=u" }, -1, "give one of them", 0, 0 },
		{ { E "gang=Train" }, -1, "upper-case", 0, 0 },
		{ { E "gang" }, -1, "name is missing", 0, 0 },
		{ { E "gang=t", E "gang_min_member" }, -1, "from 1 to", 0, 0 },
		{ { E "gang=t", E "gang_min_member=(null)" }, -1, "from 1 to",
		  0, 0 },
		{ { E "gang_min_member=3" }, -1, "add --gang=NAME", 0, 0 },
		{ { E "gang=t", E "gang_tree=oak" }, -1, "no such gang option",
		  0, 0 },
		{ { E "=t" }, -1, "no such gang option", 0, 0 },
		{ { E "gang=t", E "gang_min_member=3",
		    E "gang_total_number=2" }, -1, "is above", 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_spec spec;
		struct sgang_error err = { "" };
		int rc = sgang_spec_from_env(&spec, (char **)cases[i].env, 5,
					     &err);

		if (rc != cases[i].rc)
			fail_msg("case %zu: %s", i, err.text);
		if (rc < 0) {
			assert_int_equal(errno, EINVAL);
			assert_says(&err, cases[i].name);
			assert_string_equal(spec.name, "");
			continue;
		}
		assert_string_equal(spec.name, cases[i].name);
		assert_int_equal(spec.min_member, cases[i].min);
		assert_int_equal(spec.total, cases[i].total);
	}
}

static void test_check(void **state)
{
	static const char *const orphans[][2] = {
		{ "gang-min-member", "2" },
		{ "gang-total-number", "2" },
		{ "gang-topology", "require:leaf" },
		{ "gang-rank", "0" },
	};
	struct sgang_spec spec;
	struct sgang_error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(orphans) / sizeof(orphans[0]); i++) {
		sgang_spec_init(&spec);
		sgang_spec_set(&spec, orphans[i][0], orphans[i][1], NULL);
		assert_int_equal(sgang_spec_check(&spec, &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_says(&err, orphans[i][0]);
	}
	sgang_spec_init(&spec);
	assert_int_equal(sgang_spec_check(&spec, &err), 0);
	sgang_spec_set(&spec, "gang", "t", NULL);
	spec.min_member = 4;
	assert_int_equal(sgang_spec_check(&spec, &err), 0);
	spec.total = 4;
	assert_int_equal(sgang_spec_check(&spec, &err), 0);
	spec.total = 3;
	assert_int_equal(sgang_spec_check(&spec, &err), -1);
	assert_says(&err, "--gang-min-member=4 is above --gang-total-number=3");
}

/* A member's options in the short form "min total topology", "-" for left out.
 */
static struct sgang_spec spec_of(const char *min, const char *total,
				 const char *topology)
{
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	assert_int_equal(sgang_spec_set(&spec, "gang", "alice/t", NULL), 0);
	if (*min != '-')
		assert_int_equal(sgang_spec_set(&spec, "gang-min-member", min,
						NULL), 0);
	if (*total != '-')
		assert_int_equal(sgang_spec_set(&spec, "gang-total-number",
						total, NULL), 0);
	if (*topology != '-')
		assert_int_equal(sgang_spec_set(&spec, "gang-topology",
						topology, NULL), 0);
	return spec;
}

static void test_agree(void **state)
{
	static const struct {
		const char *first[3];
		const char *later[3];
		const char *why;	/* NULL: they agree */
	} cases[] = {
		{ { "4", "-", "-" }, { "4", "-", "-" }, NULL },
		{ { "4", "-", "-" }, { "-", "-", "-" }, NULL },
		{ { "-", "-", "-" }, { "4", "8", "require:leaf" }, NULL },
		{ { "4", "8", "-" }, { "-", "8", "-" }, NULL },
		{ { "4", "-", "-" }, { "-", "8", "-" }, NULL },
		{ { "-", "-", "require:leaf" }, { "-", "-", "Require:LEAF" },
		  NULL },
		{ { "4", "-", "-" }, { "3", "-", "-" },
		  "--gang-min-member=3: the gang's earlier members said 4" },
		{ { "-", "4", "-" }, { "-", "3", "-" },
		  "--gang-total-number=3: the gang's earlier members said 4" },
		{ { "-", "-", "require:leaf" }, { "-", "-", "prefer:leaf" },
		  "--gang-topology=prefer:leaf: the gang's earlier members "
		  "said require:leaf" },
		{ { "-", "-", "require:leaf" }, { "-", "-", "require:spine" },
		  "said require:leaf" },
		{ { "4", "-", "-" }, { "-", "3", "-" },
		  "--gang-min-member=4 is above --gang-total-number=3" },
		{ { "-", "3", "-" }, { "4", "-", "-" },
		  "--gang-min-member=4 is above --gang-total-number=3" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_spec first = spec_of(cases[i].first[0],
						  cases[i].first[1],
						  cases[i].first[2]);
		struct sgang_spec later = spec_of(cases[i].later[0],
						  cases[i].later[1],
						  cases[i].later[2]);
		struct sgang_error err = { "" };

		/* rank is each member's own */
		sgang_spec_set(&first, "gang-rank", "1", NULL);
		sgang_spec_set(&later, "gang-rank", "2", NULL);
		errno = 0;
		if (sgang_spec_agree(&first, &later, &err)) {
			assert_non_null(cases[i].why);
			assert_int_equal(errno, EINVAL);
			assert_says(&err, cases[i].why);
		} else {
			assert_null(cases[i].why);
		}
	}
}

/* 0.29 among members: what a member says itself is not overwritten. */
static void test_merge(void **state)
{
	struct sgang_spec into, from = spec_of("4", "8", "require:leaf");

	(void)state;
	sgang_spec_set(&from, "gang-rank", "3", NULL);
	sgang_spec_init(&into);
	sgang_spec_merge(&into, &from);
	assert_string_equal(into.ns, "alice");
	assert_string_equal(into.name, "t");
	assert_int_equal(into.min_member, 4);
	assert_int_equal(into.total, 8);
	assert_int_equal(into.topo, SGANG_TOPO_REQUIRE);
	assert_string_equal(into.level, "leaf");
	assert_false(into.rank_set);

	into = spec_of("2", "3", "prefer:spine");
	sgang_spec_merge(&into, &from);
	assert_int_equal(into.min_member, 2);
	assert_int_equal(into.total, 3);
	assert_int_equal(into.topo, SGANG_TOPO_PREFER);
	assert_string_equal(into.level, "spine");
}

#define SEED 1123

/* Random values: refused with a sentence, or taken and within all rules. */
static void test_random_bytes(void **state)
{
	const struct sgang_option *options = sgang_spec_options();
	uint64_t seed = SEED;
	int round, taken = 0;

	(void)state;
	for (round = 0; round < 50000; round++) {
		struct sgang_spec spec;
		struct sgang_error err = { "" };
		const char *option = options[fuzz_below(&seed, 5)].name;
		char value[12];

		sgang_spec_init(&spec);
		fuzz_text(&seed, "ab09-/:", value, sizeof(value));
		if (sgang_spec_set(&spec, option, value, &err)) {
			if (errno != EINVAL || !err.text[0])
				fail_msg("seed %d round %d: --%s=%s", SEED,
					 round, option, value);
			continue;
		}
		taken++;
		assert_true(spec.min_member <= SGANG_MEMBERS_MAX);
		assert_true(spec.total <= SGANG_MEMBERS_MAX);
		assert_true(spec.rank <= SGANG_MEMBERS_MAX);
		assert_int_equal(strspn(spec.name, "abcdefghijklmnopqrstuvwxyz"
				 "0123456789-"), strlen(spec.name));
		assert_null(strchr(spec.ns, '/'));
	}
	assert_in_range(taken, 100, round - 100);
}

/* Random environments, in the form in which job records carry them. */
static void test_random_env(void **state)
{
	uint64_t seed = SEED;
	int round, seen[3] = { 0 };

	(void)state;
	for (round = 0; round < 20000; round++) {
		char text[3][64], *env[3];
		struct sgang_spec spec;
		struct sgang_error err = { "" };
		int i, rc;

		for (i = 0; i < 3; i++) {
			strcpy(text[i], i ? E "gang_min_member=12" :
			       E "gang=alice/train");
			if (fuzz_below(&seed, 2))
				fuzz_spoil(&seed, text[i]);
			env[i] = text[i];
		}
		rc = sgang_spec_from_env(&spec, env, 3, &err);
		assert_in_range(rc + 1, 0, 2);
		seen[rc + 1]++;
		assert_int_equal(rc < 0, err.text[0] != '\0');
		assert_int_equal(rc > 0, spec.name[0] != '\0');
	}
	assert_true(seen[0] && seen[1] && seen[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_env),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_agree),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_random_env),
	};

	return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
