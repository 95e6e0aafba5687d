/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spank_opts.c - the --gang... options as a command sees them */

#include "../unit.h"
#include "plugins/spank/opts.h"

static size_t slot_of(const char *name)
{
	struct sgang_opts_slot found;
	size_t slot;

	for (slot = 0; sgang_opts_slot(slot, &found); slot++)
		if (!strcmp(found.name, name))
			return slot;
	fail_msg("no option %s", name);
	return slot;
}

/* 0.16, 0.17, 0.27: every name can be typed, the alias too. */
TEST(test_slots)
{
	static const char *const names[] = {
		"gang",
		"gang-min-member",
		"gang-min-available",
		"gang-total-number",
		"gang-topology",
		"gang-rank",
		"gang-mode",
		"gang-groups",
		"gang-waiting-time",
		"gang-match",
		"gang-order",
		"gang-on-failure",
		"gang-min-tres",
		"gang-group-topology",
		"gang-exclusive",
		"gang-parallel",
		"gang-run-time",
		"gang-comm-share",
		"gang-rank-order",
		"gang-preempt",
		"gang-max-restarts",
		"gang-on-stale",
		"gang-stale-grace",
		"gang-spares",
		"gang-on-success",
		"gang-on-drain",
		"gang-spare-pool",
		"gang-role",
		"gang-tree",
		"gang-placeholders",
		"gang-placeholder-timeout",
		"gang-placeholder-unused",
		"gang-placeholder",
		"gang-reserve",
	};
	size_t i, n = COUNT(names), visible = 0;
	struct sgang_opts_slot found;

	for (i = 0; i < n; i++) {
		assert_true(sgang_opts_slot(slot_of(names[i]), &found));
		assert_false(found.hidden);
		assert_non_null(found.arg);
		assert_non_null(found.help);
	}
	for (i = 0; sgang_opts_slot(i, &found); i++)
		visible += !found.hidden;
	assert_int_equal(visible, n);
	assert_false(sgang_opts_slot(i + 1, &found));
}

/* What nobody types is hidden, and known for what it is all the same. */
TEST(test_hidden)
{
	struct sgang_opts_slot found;
	char name[128];

	assert_true(sgang_opts_slot(slot_of("gang-object"), &found));
	assert_true(found.hidden);
	assert_true(sgang_opts_variable(slot_of("gang-object"), name,
					sizeof(name)));
	assert_true(sgang_opts_is_option(name));
}

TEST(test_values)
{
	static const struct {
		const char *name;
		const char *value;
		int errnum; /* 0: it is fine */
		const char *why;
	} cases[] = {
		{ "gang", "train", 0, NULL },
		{ "gang", "alice/train", 0, NULL },
		{ "gang-min-member", "4", 0, NULL },
		{ "gang-min-available", "4", 0, NULL },
		{ "gang-total-number", "8", 0, NULL },
		{ "gang-topology", "require:leaf", 0, NULL },
		{ "gang-rank", "0", 0, NULL },
		{ "gang-reserve", "driver:1,executor:8", 0, NULL },
		{ "gang-reserve", "driver", EINVAL, "such as driver:1" },
		{ "gang-mode", "nonstrict", 0, NULL },
		{ "gang-groups", "alice/a,bob/b", 0, NULL },
		{ "gang-groups", "", 0, NULL },
		{ "gang-waiting-time", "1-02:03:04", 0, NULL },
		{ "gang-match", "only-waiting", 0, NULL },
		{ "gang-order", "0", 0, NULL },
		{ "gang-on-failure", "requeue", 0, NULL },
		{ "gang-min-tres", "cpu=4,mem=2G,node=2", 0, NULL },
		{ "gang-object", "1", 0, NULL },
		{ "gang", "Train", EINVAL, "--gang=Train: " },
		{ "gang", "", EINVAL, "name is missing" },
		{ "gang-min-member", "0", EINVAL, "--gang-min-member=0: " },
		{ "gang-min-available", "x", EINVAL, "from 1 to 100000" },
		{ "gang-total-number", "-1", EINVAL, "--gang-total-number=-1" },
		{ "gang-topology", "leaf", EINVAL, "require:LEVEL" },
		{ "gang-rank", "1st", EINVAL, "--gang-rank=1st: " },
		{ "gang-mode", "lax", EINVAL, "--gang-mode=lax: " },
		{ "gang-groups", "a", EINVAL, "--gang-groups=a: " },
		{ "gang-waiting-time", "soon", EINVAL,
		  "--gang-waiting-time=soon: " },
		{ "gang-match", "never", EINVAL, "--gang-match=never: " },
		{ "gang-order", "-1", EINVAL, "--gang-order=-1: " },
		{ "gang-on-failure", "cry", EINVAL, "--gang-on-failure=cry: " },
		{ "gang-min-tres", "cpu", EINVAL, "--gang-min-tres=cpu: " },
		{ "gang-topology", "prefer:a123456789-123456789-123456789-12",
		  E2BIG, "31 characters" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_error err = { "" };
		int rc = sgang_opts_check(slot_of(cases[i].name),
					  cases[i].value, &err);

		if (rc != (cases[i].errnum ? -1 : 0))
			fail_msg("--%s=%s: %d", cases[i].name, cases[i].value,
				 rc);
		if (!rc)
			continue;
		assert_int_equal(errno, cases[i].errnum);
		if (!strstr(err.text, cases[i].why))
			fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].why);
	}
	assert_int_equal(sgang_opts_check(99, "x", NULL), -1);
	assert_int_equal(errno, EINVAL);
}

TEST(test_variables)
{
	char name[128];
	struct sgang_opts_slot found;

	assert_true(sgang_opts_variable(slot_of("gang"), name, sizeof(name)));
	assert_string_equal(name, "SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang");
	assert_true(sgang_opts_variable(slot_of("gang-min-available"), name,
					sizeof(name)));
	assert_string_equal(name, "SLURM_SPANK__SLURM_SPANK_OPTION_gang_"
				  "gang_min_available");
	assert_false(sgang_opts_variable(99, name, sizeof(name)));
	for (size_t slot = 0; sgang_opts_slot(slot, &found); slot++) {
		assert_true(sgang_opts_variable(slot, name, sizeof(name)));
		assert_true(sgang_opts_is_option(name));
	}
}

TEST(test_whose_variable)
{
	static const struct {
		const char *entry;
		bool option;
		bool told;
	} cases[] = {
		{ "SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang=t", true, false },
		{ "_SLURM_SPANK_OPTION_gang_gang_rank=1", true, false },
		{ "SLURM_SPANK__SLURM_SPANK_OPTION_other_x=t", false, false },
		{ "SLURM_SPANK_HOOK=t", false, false },
		{ "SLURM_GANG_NAME=t", false, true },
		{ "SLURM_GANG_RING_COST=14", false, true },
		{ "SLURM_GANG=t", false, false },
		{ "MY_SLURM_GANG_NAME=t", false, false },
		{ "SLURM_JOB_ID=7", false, false },
		{ "", false, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(sgang_opts_is_option(cases[i].entry),
				 cases[i].option);
		assert_int_equal(sgang_opts_is_told(cases[i].entry),
				 cases[i].told);
	}
}

TEST_MAIN(NULL, NULL)
