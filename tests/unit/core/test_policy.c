/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_policy.c - unit tests of policy.c */

#include "../unit.h"
#include "core/gang/policy.h"

/* 4.24 to 4.26: every clause, in any order, with and without the others. */
TEST(test_clauses)
{
	struct sgang_policy p;

	assert_int_equal(sgang_policy_parse("", &p, NULL), 0);
	assert_string_equal(p.require, "");
	assert_false(p.automatic);

	assert_int_equal(
		sgang_policy_parse(
			"spread:rack,Require:core,prefer:spine@1:30,AUTO,"
			"require:tp:island,require:dp:leaf",
			&p, NULL),
		0);
	assert_string_equal(p.spread, "rack");
	assert_string_equal(p.require, "core");
	assert_string_equal(p.prefer, "spine");
	assert_int_equal(p.prefer_time, 90);
	assert_true(p.automatic);
	assert_int_equal(p.n_groups, 2);
	assert_string_equal(p.group[0].group, "tp");
	assert_string_equal(p.group[0].level, "island");
	assert_string_equal(p.group[1].group, "dp");
	assert_string_equal(p.group[1].level, "leaf");
}

TEST(test_errors)
{
	static const struct {
		const char *text;
		int errnum;
		const char *why;
	} cases[] = {
		{ ",", EINVAL, "expected require:LEVEL" },
		{ "require", EINVAL, "expected require:LEVEL" },
		{ "require:", EINVAL, "expected require:LEVEL" },
		{ "require::leaf", EINVAL, "require:GROUP:LEVEL" },
		{ "require:tp:", EINVAL, "require:GROUP:LEVEL" },
		{ "require:tp:a:b", EINVAL, "require:GROUP:LEVEL" },
		{ "require:a-group-of-16-ch:b", EINVAL, "require:GROUP:LEVEL" },
		{ "require:tp:a,require:tp:b", EINVAL,
		  "require:tp is said twice" },
		{ "require:a:l,require:b:l,require:c:l,require:d:l,require:e:l,"
		  "require:f:l,require:g:l,require:h:l,require:i:l",
		  EINVAL, "more than 8" },
		{ "require:a,require:a", EINVAL, "require is said twice" },
		{ "prefer:a@", EINVAL, "prefer:LEVEL@TIME" },
		{ "prefer:a@1@2", EINVAL, "prefer:LEVEL@TIME" },
		{ "prefer:@5", EINVAL, "prefer:LEVEL" },
		{ "auto,auto", EINVAL, "auto is said twice" },
		{ "auto:leaf", EINVAL, "or auto" },
		{ "spread", EINVAL, "spread:LEVEL" },
		{ "spread:a b", EINVAL, "spread:LEVEL" },
		{ "spread:0123456789012345678901234567890x", E2BIG, "31" },
	};
	struct sgang_policy p, before;
	struct sgang_error err;
	char longest[SGANG_POLICY_SIZE + 1];

	memset(&p, 0x5a, sizeof(p));
	before = p;
	for (size_t i = 0; i < COUNT(cases); i++) {
		errno = 0;
		assert_int_equal(sgang_policy_parse(cases[i].text, &p, &err),
				 -1);
		assert_int_equal(errno, cases[i].errnum);
		if (!strstr(err.text, cases[i].why))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_memory_equal(&p, &before, sizeof(p));
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(sgang_policy_parse(longest, &p, &err), -1);
	assert_int_equal(errno, E2BIG);
}

/* A level that the site does not have is found, wherever it stands. */
TEST(test_unknown)
{
	static const struct {
		const char *text;
		const char *unknown;
	} cases[] = {
		{ "require:leaf,prefer:SPINE,spread:node", NULL },
		{ "require:moon", "moon" },
		{ "require:leaf,prefer:moon@5", "moon" },
		{ "spread:moon", "moon" },
		{ "require:tp:island,require:dp:moon", "moon" },
		{ "auto", NULL },
	};
	struct sgang_costs costs;
	struct sgang_policy p;

	sgang_costs_default(&costs);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *unknown;

		assert_int_equal(sgang_policy_parse(cases[i].text, &p, NULL),
				 0);
		unknown = sgang_policy_unknown(&p, &costs);
		if (cases[i].unknown)
			assert_string_equal(unknown, cases[i].unknown);
		else
			assert_null(unknown);
	}
}

TEST_MAIN(NULL, NULL)
