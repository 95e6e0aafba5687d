/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spec.c - what one member says about its gang */

#include "../unit.h"
#include "../texts.h"
#include "core/gang/spec.h"
#include "fuzz.h"

#define X63 "x23456789-123456789-123456789-123456789-123456789-123456789-123"
#define X255 X63 "_" X63 "_" X63 "_" X63
#define L31 "level-of-thirty-one-characters_"
/* the longest list of groups: 7 * 66 + 49 = 511 characters */
#define G66(ns) ns "/" X63 ","
#define G511     \
	G66("a") \
	G66("b") \
	G66("c") \
	G66("d") \
	G66("e") \
	G66("f") G66("g") "h/x23456789-123456789-123456789-123456789-1234567"

static void assert_says(const struct sgang_error *err, const char *why)
{
	if (!strstr(err->text, why))
		fail_msg("\"%s\" lacks \"%s\"", err->text, why);
	assert_null(strchr(err->text, '\n'));
}

/* Options as on a command line: "gang=t gang-mode=strict". */
static void take(struct sgang_spec *spec, const char *words)
{
	char copy[2048], *rest = copy, *option, *value;
	struct sgang_error err;

	assert_in_range(strlen(words), 1, sizeof(copy) - 1);
	strcpy(copy, words);
	while ((value = strsep(&rest, " "))) {
		option = strsep(&value, "=");
		if (sgang_spec_set(spec, option, value, &err))
			fail_msg("%s", err.text);
	}
}

static struct sgang_spec spec_of(const char *words)
{
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	take(&spec, words);
	return spec;
}

/* The options together are right. */
static void assert_right(const struct sgang_spec *spec)
{
	struct sgang_error err = { "" };

	if (sgang_spec_check(spec, &err))
		fail_msg("%s", err.text);
}

/* The options together are wrong, and that is why. */
static void assert_wrong(const struct sgang_spec *spec, const char *why)
{
	struct sgang_error err = { "" };

	assert_int_equal(sgang_spec_check(spec, &err), -1);
	assert_says(&err, why);
}

static void assert_value(const struct sgang_spec *spec, const char *option,
			 const char *value)
{
	char text[SGANG_GROUPS_SIZE];

	assert_string_equal(sgang_spec_value(spec, option, text), value);
}

TEST(test_name)
{
	static const struct {
		const char *value, *ns, *name;
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

	for (size_t i = 0; i < COUNT(cases); i++) {
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

/* A value is refused, and the spec stays what it was. Only what is too long is
 * told how many characters it may have. */
static void refuse(const char *option, const char *value, const char *why)
{
	struct sgang_spec spec, before;
	struct sgang_error err = { "" };

	memset(&spec, 0x5a, sizeof(spec));
	before = spec;
	errno = 0;
	if (sgang_spec_set(&spec, option, value, &err) != -1)
		fail_msg("--%s=%s was taken", option, value);
	assert_int_equal(errno, strstr(why, "characters") ? E2BIG : EINVAL);
	assert_says(&err, why);
	assert_memory_equal(&spec, &before, sizeof(spec));
}

/* 0.18: a gang's name is an RFC 1123 label, 0.23: in a list of groups too;
 * 0.20: a value that is not understood is refused, not replaced. */
TEST(test_refused)
{
	static const struct {
		const char *option, *why;
		const char *values[16]; /* the first may be NULL */
	} cases[] = {
		{ "gang", "name is missing", LIST(NULL) },
		{ "gang", "name is missing", LIST("", "alice/") },
		{ "gang", "namespace before the slash", LIST("/train") },
		{ "gang", "more than one slash", LIST("a/b/c", "a//c") },
		{ "gang", "upper-case", LIST("Train") },
		{ "gang", "begins and ends", LIST("-train", "train-", "-") },
		{ "gang", "only the letters",
		  LIST("tr_ain", "tr.ain", "tr ain", "tr\303\244in",
		       "(null)") },
		{ "gang", "tr?ain", LIST("tr\nain") },
		{ "gang", "63 characters", LIST(X63 "x") },
		{ "gang", "255 characters", LIST(X255 "x/train") },
		{ "gang", "without blanks", LIST("al ice/train") },
		{ "gang", "commas", LIST("al,ice/train") },
		{ "gang", "quotes", LIST("al'ice/train", "al\"ice/train") },
		{ "gang", "unprintable", LIST("al\033ice/train") },
		{ "gang-min-member", "from 1 to 100000",
		  LIST("0", "", "-1", "+1", "4x", " 4", "4.0", "100001",
		       "4294967297") },
		{ "gang-min-member", "--gang-min-member=18446744073709551617",
		  LIST("18446744073709551617") },
		{ "gang-min-available", "from 1 to 100000", LIST("0") },
		{ "gang-total-number", "from 1 to 100000", LIST("0") },
		{ "gang-rank", "from 0 to 100000", LIST("-1", "100001") },
		{ "gang-topology", "require:LEVEL",
		  LIST("", "leaf", "require", "require:", ":leaf",
		       "requires:leaf", "req:leaf", "require:le af") },
		{ "gang-topology", "prefer:LEVEL@TIME", LIST("prefer:leaf@") },
		{ "gang-topology", "above 0", LIST("prefer:leaf@0") },
		{ "gang-topology", "or auto", LIST("auto:leaf") },
		{ "gang-topology", "twice",
		  LIST("auto,auto", "require:a,require:b") },
		{ "gang-topology", "spread:LEVEL", LIST("spread:leaf,") },
		{ "gang-topology", "prefer:LEVEL", LIST("prefer:leaf:") },
		{ "gang-topology", "31 characters", LIST("require:" L31 "x") },
		{ "gang-topology", "require:tp is said twice",
		  LIST("require:tp:a,require:tp:a") },
		{ "gang-group-topology", "gang group knows",
		  LIST("auto", "require:tp:leaf") },
		{ "gang-group-topology", "spread is said twice",
		  LIST("spread:a,spread:b") },
		{ "gang-parallel", "tp", LIST("tp") },
		{ "gang-parallel", "tp=0", LIST("tp=0") },
		{ "gang-parallel", "tp is named twice", LIST("tp=2,tp=2") },
		{ "gang-parallel", "the weight of tp is given twice",
		  LIST("tp=2,dp=2:tp=1,tp=1") },
		{ "gang-exclusive", "name of a level", LIST("", "le af") },
		{ "gang-run-time", "above 0", LIST("UNLIMITED") },
		{ "gang-comm-share", "above 0", LIST("0") },
		{ "gang-comm-share", "at most 1", LIST("1.1") },
		{ "gang-comm-share", "three decimals", LIST("0.0001") },
		{ "gang-comm-share", "fraction", LIST("x", "") },
		{ "gang-rank-order", "submit|ring", LIST("", "rank") },
		{ "gang-mode", "strict|nonstrict", LIST("", "non-strict") },
		{ "gang-mode",
		  "--gang-mode=strictly: expected one of strict|nonstrict",
		  LIST("strictly") },
		{ "gang-match",
		  "once-satisfied|only-waiting|waiting-and-running",
		  LIST("", "waiting") },
		{ "gang-on-failure", "ignore|kill|requeue|replace",
		  LIST(NULL) },
		{ "gang-on-failure", "ignore|kill|requeue|replace",
		  LIST("again", "requeue,kill") },
		{ "gang-on-stale", "ignore|kill|requeue", LIST("replace") },
		{ "gang-on-drain", "ignore|replace", LIST("requeue") },
		{ "gang-spare-pool", "the name of a pool", LIST("") },
		{ "gang-spare-pool", "own namespace", LIST("bob/p") },
		{ "gang-spare-pool", "upper-case", LIST("Pool") },
		{ "gang-spare-pool", "begins and ends", LIST("-p") },
		{ "gang-pool", "yes or no", LIST("", "1") },
		{ "gang-max-restarts", "from 1 to", LIST("0") },
		{ "gang-waiting-time",
		  "a time above 0 such as 30 (minutes), 10:00 or 1-12, or "
		  "UNLIMITED",
		  LIST("", "0", "0:00", "-5", "10m", "99999999-0") },
		{ "gang-order", "from 0 to 100000", LIST("-1", "first") },
		{ "gang-order", "--gang-order=100001", LIST("100001") },
		{ "gang-groups", "--gang-groups=train: write NAMESPACE/NAME",
		  LIST("train") },
		{ "gang-groups", "write NAMESPACE/NAME", LIST("a/b,train") },
		{ "gang-groups", "an empty entry",
		  LIST(",", "a/b,", ",a/b", "a/b,,c/d") },
		{ "gang-groups", "without blanks", LIST("a/b, c/d") },
		{ "gang-groups", "name is missing", LIST("a/b,c/") },
		{ "gang-groups", "the slash is empty", LIST("a/b,/d") },
		{ "gang-groups",
		  "--gang-groups=c/D: a gang's name has no upper-case",
		  LIST("a/b,c/D") },
		{ "gang-groups", "more than one slash", LIST("a/b/c") },
		{ "gang-groups", "begins and ends", LIST("a/-b") },
		{ "gang-groups", "63 characters", LIST("a/" X63 "x") },
		{ "gang-groups", "255 characters", LIST(X255 "x/b") },
		{ "gang-groups", "more than 511 characters", LIST(G511 "8") },
		{ "gang-min-tres", "cpu=N, mem=SIZE and node=N",
		  LIST("", "5", "cpu", "cpu=", "cpu=0", "cpu=-5", "cpu=5K",
		       "cpu=1000000000001", "cpu=5,", "cpu=5 mem=5",
		       "gres/gpu=5",
		       "cpu=1,mem=1,node=1,,,,,,,,,,,,,,,,,,,,,,,,"
		       ""
		       ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
		       ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,") },
		{ "gang-min-tres", "cpu is said twice",
		  LIST("cpu=5,cpu=5", "cpu=1,cpu=x") },
		{ "gang-min-tres", "like 2048M or 64G",
		  LIST("mem=", "mem=M", "mem=0", "mem=1.5G", "mem=5 ", "mem=5P",
		       "mem=5MM", "mem=5GBB", "mem=1000000000001",
		       "mem=953675T", "mem=18446744073709551617",
		       "mem=000000000000000000000000000001") },
		{ "gang-min-tres", "mem is said twice",
		  LIST("cpu=1,mem=1,node=1,Mem=1") },
		{ "gang-role", "--gang-role=a:min=1:min=2: min is said twice",
		  LIST("a:min=1:min=2") },
		{ "gang-tree", "weight is said twice of the group b",
		  LIST("a:min=1,b:weight=1:weight=1") },
		{ "gang-reserve", "a is there twice", LIST("a:1,b:1,a:1") },
		{ "gang-object", "--gang-object=: expected 1", LIST("") },
		{ "gang-object", "expected 1", LIST("0", "Yes") },
		{ "gang-wood", "--gang-wood: there is no", LIST("oak") },
		{ "", "no such option", LIST("x") },
		{ "--gang", "no such option", LIST("train") },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const *value = cases[i].values;

		do
			refuse(cases[i].option, *value, cases[i].why);
		while (*++value);
	}
}

#define TAKE(words, field, expected)                    \
	do {                                            \
		take(&spec, words);                     \
		assert_int_equal(spec.field, expected); \
	} while (0)

/* 0.27: the alias means the same. */
TEST(test_values)
{
	struct sgang_policy policy;
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	assert_int_equal(spec.rank_set, false);
	TAKE("gang-min-available=4", min_member, 4);
	TAKE("gang-min-member=100000", min_member, SGANG_MEMBERS_MAX);
	TAKE("gang-total-number=1", total, 1);
	TAKE("gang-rank=0", rank, 0);
	assert_int_equal(spec.rank_set, true);
	TAKE("gang-comm-share=.25", comm_share, 250);
	TAKE("gang-comm-share=1.0", comm_share, SGANG_SHARE_ONE);
	take(&spec, "gang-topology=require:" L31);
	assert_string_equal(spec.topology, "require:" L31);
	take(&spec, "gang-topology=Prefer:Leaf");
	sgang_spec_policy(&spec, &policy);
	assert_string_equal(policy.prefer, "Leaf");
	assert_string_equal(policy.require, "");
	assert_int_equal(policy.prefer_time, 0);
}

/* 0.20: strict or nonstrict; 0.28: the time to wait, in Slurm's words. */
TEST(test_words)
{
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	TAKE("gang-mode=strict", mode, SGANG_MODE_STRICT);
	TAKE("gang-mode=NonStrict", mode, SGANG_MODE_NONSTRICT);
	TAKE("gang-match=once-satisfied", match, SGANG_MATCH_ONCE_SATISFIED);
	TAKE("gang-match=only-waiting", match, SGANG_MATCH_ONLY_WAITING);
	TAKE("gang-match=Waiting-and-Running", match,
	     SGANG_MATCH_WAITING_AND_RUNNING);
	TAKE("gang-on-failure=ignore", on_failure, SGANG_ON_FAILURE_IGNORE);
	TAKE("gang-on-failure=KILL", on_failure, SGANG_ON_FAILURE_KILL);
	TAKE("gang-on-failure=requeue", on_failure, SGANG_ON_FAILURE_REQUEUE);
	TAKE("gang-waiting-time=30", waiting_time, 1800);
	TAKE("gang-waiting-time=1:00:00", waiting_time, 3600);
	TAKE("gang-waiting-time=unlimited", waiting_time, SGANG_FOREVER);
	assert_false(spec.order_set);
	TAKE("gang-order=0", order, 0);
	assert_true(spec.order_set);
	TAKE("gang-order=100000", order, 100000);
	assert_false(spec.object);
	TAKE("gang-object=1", object, true);
	spec.object = false;
	TAKE("gang-object=yes", object, true);

	/* what the words mean is also how they are written */
	assert_string_equal(sgang_mode_word(spec.mode), "nonstrict");
	assert_string_equal(sgang_match_word(spec.match),
			    "waiting-and-running");
	assert_string_equal(sgang_on_failure_word(spec.on_failure), "requeue");
	assert_string_equal(sgang_mode_word(SGANG_MODE_UNSET), "");
	assert_string_equal(sgang_match_word((enum sgang_match)99), "");
	assert_string_equal(sgang_on_failure_word((enum sgang_on_failure) - 1),
			    "");
}

/* 0.15: the example of the community's object: cpu 5, memory 2048Mi. */
TEST(test_min_tres)
{
	static const struct {
		const char *value;
		uint64_t cpus, memory, nodes;
		const char *shown;
	} cases[] = {
		{ "cpu=5,mem=2048M", 5, 2048, 0, "cpu=5,mem=2048M" },
		{ "node=8", 0, 0, 8, "node=8" },
		{ "node=2,cpu=1000000000000", UINT64_C(1000000000000), 0, 2,
		  "cpu=1000000000000,node=2" },
		{ "CPU=007,Mem=64", 7, 64, 0, "cpu=7,mem=64M" },
		{ "mem=1", 0, 1, 0, "mem=1M" },
		{ "mem=1K", 0, 1, 0, "mem=1M" },
		{ "mem=1025k", 0, 2, 0, "mem=2M" },
		{ "mem=2gb", 0, 2048, 0, "mem=2048M" },
		{ "mem=1T", 0, 1048576, 0, "mem=1048576M" },
		{ "mem=953674TB", 0, UINT64_C(953674) << 20, 0,
		  "mem=999999668224M" },
		{ "mem=1024000000000000K", 0, UINT64_C(1000000000000), 0,
		  "mem=1000000000000M" },
	};
	char text[SGANG_GROUPS_SIZE];
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	assert_null(sgang_spec_value(&spec, "gang-min-tres", text));
	for (size_t i = 0; i < COUNT(cases); i++) {
		/* what was said before is replaced as a whole */
		assert_int_equal(sgang_spec_set(&spec, "gang-min-tres",
						cases[i].value, NULL),
				 0);
		assert_true(spec.min_cpus == cases[i].cpus);
		assert_true(spec.min_memory == cases[i].memory);
		assert_true(spec.min_nodes == cases[i].nodes);
		assert_value(&spec, "gang-min-tres", cases[i].shown);
	}
}

static void assert_next_group(const char **at, const char *ns, const char *name)
{
	char is_ns[SGANG_NAMESPACE_MAX + 1], is_name[SGANG_NAME_MAX + 1];

	assert_true(sgang_spec_next_group(at, is_ns, is_name));
	assert_string_equal(is_ns, ns);
	assert_string_equal(is_name, name);
}

/* 0.21: an empty list is none; 0.22: gangs of others; 0.23: NAMESPACE/NAME;
 * 0.30, 0.31: who lists whom. */
TEST(test_groups)
{
	static const struct {
		const char *value, *groups;
	} cases[] = {
		{ "", "" },
		{ "alice/a", "alice/a" },
		{ "alice/b,alice/a", "alice/b,alice/a" },
		{ "bob/a,alice/a,bob/a,bob/ab,b/a,bob/a",
		  "bob/a,alice/a,bob/ab,b/a" },
		{ X255 "/" X63, X255 "/" X63 },
		{ G66("b") "b/c," G66("b") "b/c", G66("b") "b/c" },
		{ G511, G511 },
	};
	char ns[SGANG_NAMESPACE_MAX + 1], name[SGANG_NAME_MAX + 1];
	char text[SGANG_GROUPS_SIZE];
	struct sgang_spec spec;
	const char *at;

	for (size_t i = 0; i < COUNT(cases); i++) {
		sgang_spec_init(&spec);
		assert_false(spec.groups_set);
		assert_int_equal(sgang_spec_set(&spec, "gang-groups",
						cases[i].value, NULL),
				 0);
		assert_true(spec.groups_set);
		assert_string_equal(spec.groups, cases[i].groups);
	}
	assert_int_equal(strlen(spec.groups), SGANG_GROUPS_SIZE - 1);

	take(&spec, "gang-groups=bob/a,alice/a," X255 "/" X63);
	at = spec.groups;
	assert_next_group(&at, "bob", "a");
	assert_next_group(&at, "alice", "a");
	assert_next_group(&at, X255, X63);
	assert_false(sgang_spec_next_group(&at, ns, name));
	assert_false(sgang_spec_next_group(&at, ns, name));
	assert_true(sgang_spec_lists(&spec, "alice", "a"));
	assert_true(sgang_spec_lists(&spec, X255, X63));
	assert_false(sgang_spec_lists(&spec, "alice", "b"));
	assert_false(sgang_spec_lists(&spec, "carol", "a"));
	assert_false(sgang_spec_lists(&spec, "", "bob"));
	assert_value(&spec, "gang-groups", spec.groups);
	take(&spec, "gang-groups=");
	assert_value(&spec, "gang-groups", "");
	assert_null(sgang_spec_value(&spec, "gang", text));
	assert_null(sgang_spec_value(&spec, "gang-wood", text));
	assert_false(sgang_spec_lists(&spec, "alice", "a"));
	at = "junk," X255 "x/a,a/" X63 "x,a/b"; /* never from an option */
	assert_next_group(&at, "a", "b");
	assert_false(sgang_spec_next_group(&at, ns, name));
}

/* 0.19: total-number defaults to min-member, which defaults to 1. */
TEST(test_defaults)
{
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	assert_int_equal(sgang_spec_min(&spec), 1);
	assert_int_equal(sgang_spec_total(&spec), 1);
	spec.min_member = 3;
	assert_int_equal(sgang_spec_min(&spec), 3);
	assert_int_equal(sgang_spec_total(&spec), 3);
	spec.total = 5;
	assert_int_equal(sgang_spec_total(&spec), 5);
}

/* 0.20: strict when nothing is said; 0.25, 0.26: who defines a gang. */
TEST(test_unsaid)
{
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	assert_int_equal(sgang_spec_mode(&spec), SGANG_MODE_STRICT);
	assert_int_equal(sgang_spec_match(&spec), SGANG_MATCH_ONCE_SATISFIED);
	spec.mode = SGANG_MODE_NONSTRICT;
	spec.match = SGANG_MATCH_ONLY_WAITING;
	assert_int_equal(sgang_spec_mode(&spec), SGANG_MODE_NONSTRICT);
	assert_int_equal(sgang_spec_match(&spec), SGANG_MATCH_ONLY_WAITING);

	assert_false(sgang_spec_defines(&spec));
	spec.total = 1;
	assert_true(sgang_spec_defines(&spec));
	spec.total = 0;
	spec.min_member = 1;
	assert_true(sgang_spec_defines(&spec));
}

#define N_OPTIONS 36

/* Every option can be registered and is described. */
TEST(test_options)
{
	const struct sgang_option *o;
	size_t count = 0, hidden = 0;

	for (o = sgang_spec_options(); o->name; o++, count++) {
		hidden += o->hidden;
		assert_int_equal(strncmp(o->name, "gang", 4), 0);
		assert_non_null(o->arg);
		assert_non_null(o->help);
		assert_null(strchr(o->help, '\n'));
	}
	assert_int_equal(count, N_OPTIONS);
	assert_int_equal(hidden, 3); /* gang-object, -pool, -reserved */
}

/* Is there an item of the option's list in spank_gang.8? */
static bool has_item(const char *page, const char *option)
{
	char item[80];

	snprintf(item, sizeof(item), "\n.It Fl -%s Ns = Ns ", option);
	return strstr(page, item);
}

/* The manual page has every option that users have, and no other. */
TEST(test_manual)
{
	static char page[64 * 1024];
	const struct sgang_option *o;
	const char *item = page;
	char word[80];

	read_source("man/spank_gang.8", page, sizeof(page));
	for (o = sgang_spec_options(); o->name; o++) {
		if (has_item(page, o->name) == o->hidden ||
		    (o->alias && !has_item(page, o->alias)))
			fail_msg("--%s", o->name);
	}
	while ((item = strstr(item, "\n.It Fl -gang"))) {
		item += strlen("\n.It Fl -");
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(item, " \n"),
			 item);
		for (o = sgang_spec_options(); o->name; o++)
			if (!strcmp(o->name, word) ||
			    (o->alias && !strcmp(o->alias, word)))
				break;
		if (!o->name)
			fail_msg("--%s", word);
	}
}

#define E "_SLURM_SPANK_OPTION_gang_"

/* 0.26: the name and the minimum are enough; 0.27: either spelling. */
TEST(test_env)
{
	static const struct {
		const char *env[5];
		int rc;
		const char *said; /* "NAME MINIMUM TOTAL"; -1: why not */
	} cases[] = {
		{ LIST(NULL), 0, " 0 0" },
		{ LIST("PATH=/bin", "SLURM_GANG_NAME=x"), 0, " 0 0" },
		{ LIST("_SLURM_SPANK_OPTION_other_gang=x"), 0, " 0 0" },
		{ LIST(E "gang=train"), 1, "train 0 0" },
		{ LIST(E "gang=bob/train", E "gang_min_member=4"), 1,
		  "train 4 0" },
		{ LIST(E "gang_min_available=4", E "gang=train", "HOME=/",
		       E "gang_total_number=6"),
		  1, "train 4 6" },
		{ LIST(E "gang=t", E "gang_min_available=4",
		       E "gang_min_member=4"),
		  1, "t 4 0" },
		{ LIST(E "gang=t", E "gang_min_available=4",
		       E "gang_min_member=5"),
		  -1, "give one of them" },
		{ LIST(E "gang=t", E "gang=u"), -1, "give one of them" },
		{ LIST(E "gang=Train"), -1, "upper-case" },
		{ LIST(E "gang"), -1, "name is missing" },
		{ LIST(E "gang=t", E "gang_min_member"), -1, "from 1 to" },
		{ LIST(E "gang=t", E "gang_min_member=(null)"), -1,
		  "from 1 to" },
		{ LIST(E "gang_min_member=3"), -1, "add --gang=NAME" },
		{ LIST(E "gang_object=1", E "gang=t", E "gang_min_member=4",
		       E "gang_on_failure=kill", E "gang_min_tres=cpu=5"),
		  1, "t 4 0" },
		{ LIST(E "gang=t", E "gang_object=1"), -1, "add one of them" },
		{ LIST(E "gang=t", E "gang_groups="), 1, "t 0 0" },
		{ LIST(E "gang=t", E "gang_groups"), 1, "t 0 0" },
		{ LIST(E "gang=t", E "gang_groups=t"), -1, "NAMESPACE/NAME" },
		{ LIST(E "gang=t", E "gang_mode=loose"), -1,
		  "strict|nonstrict" },
		{ LIST(E "gang=t", E "gang_waiting_time=10:00",
		       E "gang_waiting_time=10"),
		  -1, "give one of them" },
		{ LIST(E "gang=t", E "gang_wood=oak"), -1,
		  "no such gang option" },
		{ LIST(E "=t"), -1, "no such gang option" },
		{ LIST(E "gang=t", E "gang_min_member=3",
		       E "gang_total_number=2"),
		  -1, "is above" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_spec spec;
		struct sgang_error err = { "" };
		char text[128];
		int rc = sgang_spec_from_env(&spec, (char **)cases[i].env, 5,
					     &err);

		if (rc != cases[i].rc)
			fail_msg("case %zu: %s", i, err.text);
		if (rc < 0) {
			assert_int_equal(errno, EINVAL);
			assert_says(&err, cases[i].said);
			assert_string_equal(spec.name, "");
			continue;
		}
		snprintf(text, sizeof(text), "%s %u %u", spec.name,
			 spec.min_member, spec.total);
		assert_string_equal(text, cases[i].said);
	}
}

/* The option of "gang-rank=0" is named. */
static void assert_names(const struct sgang_error *err, const char *word)
{
	char option[64];

	snprintf(option, sizeof(option), "%.*s", (int)strcspn(word, "="), word);
	assert_says(err, option);
}

/* With this word the options are wrong because of its option. */
static void assert_wrong_with(struct sgang_spec spec, const char *word)
{
	struct sgang_error err = { "" };

	take(&spec, word);
	assert_int_equal(sgang_spec_check(&spec, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_names(&err, word);
}

/* Behaviour 7.9: where ranks are is said once. */
TEST(test_rank_order)
{
	static const struct {
		const char *word, *order;
		int rc;
	} cases[] = {
		{ "gang-rank=0", "gang-rank-order=ring", -1 },
		{ "gang-rank=0", "gang-rank-order=submit", 0 },
		{ "gang-parallel=tp=2", "gang-rank-order=RING", -1 },
		{ "gang-parallel=tp=2", "gang-rank-order=Submit", 0 },
		{ "gang-topology=spread:leaf", "gang-rank-order=ring", 0 },
		{ "gang-order=1", "gang-rank-order=ring", 0 },
	};
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_spec first = spec_of("gang=alice/t"), spec = first;

		take(&spec, cases[i].word);
		take(&first, cases[i].order);
		assert_int_equal(sgang_spec_agree(&first, &spec, &err),
				 cases[i].rc);
		take(&spec, cases[i].order);
		assert_int_equal(sgang_spec_check(&spec, &err), cases[i].rc);
		if (cases[i].rc)
			assert_names(&err, cases[i].word);
	}
}

/* A member that comes alone waits for a whole gang, so none replaces another. */
TEST(test_only_waiting)
{
	static const char *const words[] = { "gang-spares=1",
					     "gang-spare-pool=p",
					     "gang-on-failure=replace",
					     "gang-on-drain=replace" };
	struct sgang_spec spec;

	for (size_t i = 0; i < COUNT(words); i++) {
		spec = spec_of("gang=alice/t gang-match=waiting-and-running");
		take(&spec, words[i]);
		assert_right(&spec);
		take(&spec, "gang-match=only-waiting");
		assert_wrong_with(spec, words[i]);
	}
}

/* Behaviour 6.5: a pool is defined without a minimum, and has no option but its
 * name. */
TEST(test_pool)
{
	static const char *const others[] = {
		"gang-min-member=2",    "gang-total-number=2",
		"gang-parallel=tp=2",   "gang-groups=a/b",
		"gang-spares=1:cold",   "gang-spare-pool=p",
		"gang-on-failure=kill", "gang-exclusive=leaf",
		"gang-waiting-time=1",  "gang-min-tres=cpu=1",
		"gang-rank=1",          "gang-order=1",
	};
	struct sgang_spec pool = spec_of("gang=alice/reserve"), spec;
	char text[SGANG_GROUPS_SIZE];
	struct sgang_error err;

	assert_int_equal(sgang_spec_check_pool(&pool, &err), 0);
	take(&pool, "gang-pool=yes gang-object=1");
	assert_right(&pool);
	assert_value(&pool, "gang-pool", "yes");
	for (size_t i = 0; i < COUNT(others); i++) {
		assert_wrong_with(pool, others[i]);
		spec = pool;
		take(&spec, others[i]);
		assert_int_equal(sgang_spec_check_pool(&spec, &err), -1);
		assert_says(&err, "leave it out");
	}
	spec = pool;
	take(&spec, "gang-pool=no");
	assert_null(sgang_spec_value(&spec, "gang-pool", text));
	assert_int_equal(sgang_spec_check(&spec, &err), -1);
	spec = spec_of("gang=train gang-spare-pool=train");
	assert_wrong(&spec, "its own pool");
	spec = spec_of(
		"gang=train gang-exclusive=leaf gang-spare-pool=reserve");
	assert_wrong(&spec, "give one of them");
	spec = spec_of("gang=train gang-spare-pool=reserve");
	assert_right(&spec);
	assert_value(&spec, "gang-spare-pool", "reserve");
}

/* Behaviour 6.5: a spare gets the options of the member that it replaces, but
 * not what is that member's own; options of other plugins are its own. */
TEST(test_env_of)
{
	char *own[] = { E "gang=reserve", NULL, "_SLURM_SPANK_OPTION_x_y=1" };
	char *fellow[] = { "_SLURM_SPANK_OPTION_x_y=2",
			   E "gang=train",
			   E "gang_rank=3",
			   E "gang_order=1",
			   NULL,
			   E "gang_min_available=4" };
	struct sgang_spec spec;
	size_t n;
	char **env = sgang_spec_env_of(own, 3, fellow, 6, &n);

	assert_non_null(env);
	assert_int_equal(n, 3);
	assert_string_equal(env[0], "_SLURM_SPANK_OPTION_x_y=1");
	assert_int_equal(sgang_spec_from_env(&spec, env, n, NULL), 1);
	free(env);
	assert_string_equal(spec.name, "train");
	assert_int_equal(spec.min_member, 4);
	assert_false(spec.rank_set || spec.order_set);
	env = sgang_spec_env_of(NULL, 0, NULL, 0, &n);
	assert_non_null(env);
	assert_int_equal(n, 0);
	free(env);
}

/* An option that needs another one: without effect unless that is said, by
 * whomever. */
TEST(test_idle)
{
	static const struct {
		const char *said;
		const char *idle, *effect; /* beside other options */
		const char *note;
	} cases[] = {
		{ "gang-waiting-time=5", "gang-mode=strict",
		  "gang-mode=nonstrict", "--gang-mode=nonstrict" },
		{ "gang-max-restarts=5", "gang-on-failure=kill",
		  "gang-on-failure=requeue",
		  "--gang-on-failure=requeue or another option" },
		{ "gang-max-restarts=5", "gang-on-failure=ignore",
		  "gang-on-failure=replace", "that restarts jobs" },
		{ "gang-max-restarts=5", "gang-on-stale=kill",
		  "gang-on-stale=requeue", "that restarts jobs" },
		{ "gang-max-restarts=5", "gang-on-drain=ignore",
		  "gang-on-drain=replace", "that restarts jobs" },
		{ "gang-stale-grace=5", "gang-on-stale=ignore",
		  "gang-on-stale=kill", "--gang-on-stale=kill or =requeue" },
		{ "gang-stale-grace=5", "gang-on-stale=ignore",
		  "gang-on-stale=requeue", "--gang-on-stale=kill or =requeue" },
		{ "gang-run-time=5", "gang-topology=require:leaf",
		  "gang-topology=auto", "--gang-topology=auto" },
		{ "gang-comm-share=0.5", "gang-topology=prefer:leaf@9",
		  "gang-topology=prefer:leaf,auto", "--gang-topology=auto" },
		{ "gang-placeholder-timeout=5", "gang-mode=strict",
		  "gang-placeholders=soft", "--gang-placeholders" },
		{ "gang-placeholder-unused=5", "gang-mode=strict",
		  "gang-placeholders=soft", "--gang-placeholders" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_spec said = spec_of(cases[i].said), all = said;
		struct sgang_error note = { "" };
		char wanted[128];

		assert_true(sgang_spec_idle(&said, &all, &note));
		snprintf(wanted, sizeof(wanted),
			 "--%.*s has no effect without --",
			 (int)strcspn(cases[i].said, "="), cases[i].said);
		assert_memory_equal(note.text, wanted, strlen(wanted));
		assert_says(&note, cases[i].note);
		take(&all, cases[i].idle);
		assert_true(sgang_spec_idle(&said, &all, &note));
		take(&all, cases[i].effect);
		assert_false(sgang_spec_idle(&said, &all, &note));
	}
}

/* All are named; what others have said is their business. */
TEST(test_idle_options)
{
	static const char *const idle[] = {
		"gang-waiting-time=1", "gang-max-restarts=1",
		"gang-stale-grace=1",  "gang-run-time=1",
		"gang-comm-share=1",   "gang-placeholder-timeout=1",
	};
	struct sgang_error note = { "" };
	struct sgang_spec said, all;

	sgang_spec_init(&said);
	sgang_spec_init(&all);
	assert_false(sgang_spec_idle(&said, &all, &note));
	for (size_t i = 0; i < COUNT(idle); i++)
		take(&all, idle[i]);
	assert_false(sgang_spec_idle(&said, &all, &note));
	assert_true(sgang_spec_idle(&all, &all, &note));
	for (size_t i = 0; i < COUNT(idle); i++)
		assert_names(&note, idle[i]);
	assert_says(&note, "=nonstrict; --gang-max-restarts has no effect");
	take(&all, "gang-placeholder-unused=1");
	assert_true(sgang_spec_idle(&all, &all, &note));
}

TEST(test_check)
{
	static const char *const orphans[] = {
		"gang-min-member=2",
		"gang-total-number=2",
		"gang-topology=require:leaf",
		"gang-rank=0",
		"gang-mode=strict",
		"gang-groups=",
		"gang-waiting-time=1",
		"gang-match=only-waiting",
		"gang-order=0",
		"gang-on-failure=ignore",
		"gang-max-restarts=1",
		"gang-on-stale=ignore",
		"gang-stale-grace=1",
		"gang-spares=1",
		"gang-on-success=leader",
		"gang-on-drain=replace",
		"gang-min-tres=cpu=1",
		"gang-group-topology=require:leaf",
		"gang-exclusive=leaf",
		"gang-parallel=tp=2",
		"gang-run-time=1",
		"gang-comm-share=1",
		"gang-rank-order=submit",
		"gang-min-tres=mem=1",
		"gang-min-tres=node=1",
		"gang-spare-pool=p",
		"gang-pool=yes",
		"gang-placeholders=soft",
		"gang-placeholder-timeout=1",
		"gang-placeholder-unused=1",
		"gang-placeholder=1",
		"gang-reserve=a:1",
		"gang-reserved=1-8",
		"gang-object=1",
	};
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	for (size_t i = 0; i < COUNT(orphans); i++)
		assert_wrong_with(spec, orphans[i]);
	assert_right(&spec);
	take(&spec, "gang=t");
	spec.min_member = 4;
	assert_right(&spec);
	spec.total = 4;
	assert_right(&spec);
	spec.total = 3;
	assert_wrong(&spec,
		     "--gang-min-member=4 is above --gang-total-number=3");
}

/* 1.57: placeholders, and what does not go with them. */
TEST(test_placeholders)
{
	static const char *const others[] = {
		"gang-spares=1",           "gang-spare-pool=p",
		"gang-mode=nonstrict",     "gang-match=only-waiting",
		"gang-on-failure=requeue", "gang-on-stale=requeue",
	};
	static const char *const bad[][2] = {
		{ "gang-placeholders", "no" },
		{ "gang-placeholder", "2" },
		{ "gang-placeholder-unused", "0" },
	};
	char *env[] = { SGANG_SPEC_ENV "gang=a",
			SGANG_SPEC_ENV "gang_placeholders=hard",
			SGANG_SPEC_ENV "gang_placeholder=1" };
	struct sgang_spec spec;
	struct sgang_error err;

	assert_int_equal(sgang_spec_from_env(&spec, env, 3, &err), 1);
	assert_true(spec.placeholder);
	assert_int_equal(spec.placeholders, SGANG_PLACEHOLDERS_HARD);
	assert_true(sgang_spec_is_placeholder(env, 3));
	assert_false(sgang_spec_is_placeholder(env, 2));
	spec = spec_of("gang=a gang-placeholders=soft");
	assert_right(&spec);
	for (size_t i = 0; i < COUNT(others); i++)
		assert_wrong_with(spec, others[i]);
	spec = spec_of("gang=a gang-placeholder=1");
	assert_int_equal(sgang_spec_check(&spec, &err), -1);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(
			sgang_spec_set(&spec, bad[i][0], bad[i][1], &err), -1);
}

/* 1.57: groups with the number of their members. */
TEST(test_reserve)
{
	static const struct {
		const char *list, *why;
	} bad[] = {
		{ "", "expected groups and their members" },
		{ "a", "expected groups and their members" },
		{ "a:", "expected groups and their members" },
		{ "a:0", "expected groups and their members" },
		{ "a:100001", "expected groups and their members" },
		{ "a:1,", "expected groups and their members" },
		{ "a:1,,b:1", "expected groups and their members" },
		{ "a:min=2:1", "expected groups and their members" },
		{ "A:1", "expected names of groups" },
		{ "a/b:1", "the file of sgang submit" },
		{ "a:1,b:2,a:3", "group a is there twice" },
	};
	const char *list = "driver:1,executor:100000";
	struct sgang_reserve reserve;
	struct sgang_error err;
	struct sgang_spec spec;
	char many[1024] = "";

	assert_int_equal(sgang_reserve_check(list, &err), 0);
	assert_true(sgang_reserve_next(&list, &reserve));
	assert_string_equal(reserve.group, "driver");
	assert_int_equal(reserve.members, 1);
	assert_true(sgang_reserve_next(&list, &reserve));
	assert_string_equal(reserve.group, "executor");
	assert_int_equal(reserve.members, 100000);
	assert_false(sgang_reserve_next(&list, &reserve));
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(sgang_reserve_check(bad[i].list, &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_says(&err, bad[i].why);
	}
	for (size_t n = 0; n < 128; n++)
		snprintf(many + 7 * n, sizeof(many) - 7 * n, "g%03zu:1,", n);
	many[strlen(many) - 1] = '\0';
	assert_int_equal(sgang_reserve_check(many, &err), -1);
	assert_int_equal(errno, E2BIG);
	/* what sbatch has not made placeholders of is refused */
	spec = spec_of("gang=a gang-reserve=a:1");
	assert_wrong(&spec, "only sbatch makes placeholders");
}

/* 0.17: a gang that is defined apart from its members. */
TEST(test_object)
{
	struct sgang_spec object = spec_of("gang=alice/t gang-object=1");
	struct sgang_spec spec = object;

	assert_wrong(&object, "--gang-min-member or --gang-total-number");
	assert_int_equal(errno, EINVAL);
	take(&spec, "gang-total-number=4");
	assert_right(&spec);
	take(&object,
	     "gang-min-member=4 gang-mode=nonstrict gang-groups=bob/u");
	assert_right(&object);
	spec = object;
	take(&spec, "gang-rank=0");
	assert_wrong(&spec, "--gang-rank is said by members");
	spec = object;
	take(&spec, "gang-order=7");
	assert_wrong(&spec, "--gang-order is said by members");
}

/* NULL: they agree. */
static void assert_agree(const struct sgang_spec *first,
			 const struct sgang_spec *later, const char *why)
{
	struct sgang_error err = { "" };
	int rc;

	errno = 0;
	rc = sgang_spec_agree(first, later, &err);
	if (rc != (why ? -1 : 0))
		fail_msg("%s, not %s", err.text, why ? why : "that they agree");
	if (why) {
		assert_int_equal(errno, EINVAL);
		assert_says(&err, why);
	}
}

TEST(test_agree)
{
	static const struct {
		const char *first, *later;
		const char *why; /* NULL: they agree */
	} cases[] = {
		{ "gang-min-member=4", "gang-min-member=4", NULL },
		{ "gang-min-member=4", "gang=alice/t", NULL },
		{ "gang=alice/t",
		  "gang-min-member=4 gang-total-number=8 "
		  "gang-topology=require:leaf",
		  NULL },
		{ "gang-min-member=4 gang-total-number=8",
		  "gang-total-number=8", NULL },
		{ "gang-min-member=4", "gang-total-number=8", NULL },
		{ "gang-topology=require:leaf", "gang-topology=Require:LEAF",
		  NULL },
		{ "gang-min-member=4", "gang-min-member=3",
		  "--gang-min-member=3: the gang's earlier members said 4" },
		{ "gang-total-number=4", "gang-total-number=3",
		  "--gang-total-number=3: the gang's earlier members said 4" },
		{ "gang-topology=require:leaf", "gang-topology=prefer:leaf",
		  "--gang-topology=prefer:leaf: the gang's earlier members "
		  "said require:leaf" },
		{ "gang-topology=require:leaf", "gang-topology=require:spine",
		  "said require:leaf" },
		{ "gang-min-member=4", "gang-total-number=3",
		  "--gang-min-member=4 is above --gang-total-number=3" },
		{ "gang-total-number=3", "gang-min-member=4",
		  "--gang-min-member=4 is above --gang-total-number=3" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		/* rank is each member's own */
		struct sgang_spec first = spec_of("gang=alice/t gang-rank=1");
		struct sgang_spec later = spec_of("gang=alice/t gang-rank=2");

		take(&first, cases[i].first);
		take(&later, cases[i].later);
		assert_agree(&first, &later, cases[i].why);
	}
}

/* Members agree about everything but their place in the gang; a list of groups
 * is a set, and naming the gang itself says nothing (0.22). */
TEST(test_agree_words)
{
	static const struct {
		const char *first, *later;
		const char *why; /* NULL: they agree */
	} cases[] = {
		{ "gang-mode=strict", "gang-mode=STRICT", NULL },
		{ "gang-mode=strict", "gang-mode=nonstrict",
		  "--gang-mode=nonstrict: "
		  "the gang's earlier members said strict" },
		{ "gang-match=only-waiting", "gang-match=only-waiting", NULL },
		{ "gang-match=only-waiting", "gang-match=once-satisfied",
		  "said only-waiting" },
		{ "gang-on-failure=kill", "gang-on-failure=kill", NULL },
		{ "gang-on-failure=ignore", "gang-on-failure=kill",
		  "said ignore" },
		{ "gang-max-restarts=3", "gang-max-restarts=4", "said 3" },
		{ "gang-waiting-time=60", "gang-waiting-time=1:00:00", NULL },
		{ "gang-waiting-time=60", "gang-waiting-time=1:00:01",
		  "--gang-waiting-time=01:00:01: the gang's earlier members "
		  "said 01:00:00" },
		{ "gang-waiting-time=UNLIMITED", "gang-waiting-time=1",
		  "said UNLIMITED" },
		{ "gang-groups=", "gang-groups=", NULL },
		{ "gang-groups=a/b,c/d", "gang-groups=c/d,a/b,c/d", NULL },
		{ "gang-groups=alice/t,a/b", "gang-groups=a/b", NULL },
		{ "gang-groups=", "gang-groups=alice/t", NULL },
		{ "gang-groups=a/b", "gang-groups=",
		  "--gang-groups=: the gang's "
		  "earlier members said a/b" },
		{ "gang-groups=", "gang-groups=a/b",
		  "said that there are none" },
		{ "gang-groups=a/b", "gang-groups=A/b", "said a/b" },
		{ "gang-groups=a/b,c/d", "gang-groups=a/b", "said a/b,c/d" },
		{ "gang-groups=a/b", "gang-groups=a/b,c/d", "said a/b" },
		{ "gang-groups=alice/u", "gang-groups=alice/t",
		  "said alice/u" },
		{ "gang-min-tres=cpu=5,mem=2G", "gang-min-tres=mem=2048,cpu=5",
		  NULL },
		{ "gang-min-tres=cpu=5", "gang-min-tres=mem=2G", NULL },
		{ "gang-min-tres=cpu=5,mem=2G", "gang-min-tres=node=2,mem=1G",
		  "--gang-min-tres=mem=1024M: the gang's earlier members said "
		  "mem=2048M" },
		{ "gang-min-tres=cpu=5", "gang-min-tres=cpu=6", "said cpu=5" },
		{ "gang-min-tres=node=5", "gang-min-tres=node=6",
		  "said node=5" },
		{ "gang-order=1", "gang-order=2", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_spec first =
			spec_of("gang=alice/t gang-min-member=4");
		struct sgang_spec later = first;

		take(&first, cases[i].first);
		assert_agree(&first, &later, NULL);
		assert_agree(&later, &first, NULL);
		take(&later, cases[i].later);
		assert_agree(&first, &later, cases[i].why);
	}
}

/* 0.29 among members: what a member says itself is not overwritten. */
TEST(test_merge)
{
	struct sgang_spec into,
		from = spec_of(
			"gang=alice/t gang-min-member=4 gang-total-number=8 "
			"gang-topology=require:leaf gang-rank=3");

	sgang_spec_init(&into);
	sgang_spec_merge(&into, &from);
	assert_string_equal(into.ns, "alice");
	assert_string_equal(into.name, "t");
	assert_int_equal(into.min_member, 4);
	assert_int_equal(into.total, 8);
	assert_string_equal(into.topology, "require:leaf");
	assert_false(into.rank_set);

	into = spec_of("gang=alice/t gang-min-member=2 gang-total-number=3 "
		       "gang-topology=prefer:spine");
	sgang_spec_merge(&into, &from);
	assert_int_equal(into.min_member, 2);
	assert_int_equal(into.total, 3);
	assert_string_equal(into.topology, "prefer:spine");
}

/* What a member says, and what an object or a line of gang.conf says: 0.29,
 * the member's own word holds, what it leaves out is filled in. */
TEST(test_merge_words)
{
	static const struct {
		const char *option, *own, *object;
		const char *both; /* NULL: own */
	} cases[] = {
		{ "gang-min-member", "4", "5", NULL },
		{ "gang-total-number", "4", "5", NULL },
		{ "gang-topology", "prefer:leaf", "require:spine", NULL },
		{ "gang-mode", "strict", "nonstrict", NULL },
		{ "gang-match", "only-waiting", "once-satisfied", NULL },
		{ "gang-on-failure", "kill", "requeue", NULL },
		{ "gang-max-restarts", "4", "5", NULL },
		{ "gang-on-stale", "kill", "requeue", NULL },
		{ "gang-stale-grace", "00:10:00", "UNLIMITED", NULL },
		{ "gang-spares", "1", "2", NULL },
		{ "gang-spares", "2", "2:cold", NULL },
		{ "gang-on-success", "leader", "3", NULL },
		{ "gang-on-drain", "ignore", "replace", NULL },
		{ "gang-spare-pool", "p", "q", NULL },
		{ "gang-waiting-time", "00:10:00", "UNLIMITED", NULL },
		{ "gang-groups", "", "alice/a,bob/b", NULL },
		{ "gang-min-tres", "cpu=5", "cpu=6,node=2", "cpu=5,node=2" },
		{ "gang-group-topology", "require:a", "spread:b", NULL },
		{ "gang-exclusive", "leaf", "spine", NULL },
		{ "gang-parallel", "tp=2,dp=1", "tp=4", NULL },
		{ "gang-run-time", "00:10:00", "01:00:00", NULL },
		{ "gang-comm-share", "0.500", "0.250", NULL },
		{ "gang-rank-order", "submit", "ring", NULL },
		{ "gang-placeholders", "soft", "hard", NULL },
		{ "gang-placeholder-timeout", "00:10:00", "UNLIMITED", NULL },
		{ "gang-placeholder-unused", "00:10:00", "01:00:00", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_spec into = spec_of("gang=alice/t"), own = into;
		struct sgang_spec object = spec_of(
			"gang=alice/t gang-object=1 gang-rank=5 gang-order=5");

		sgang_spec_set(&own, cases[i].option, cases[i].own, NULL);
		sgang_spec_set(&object, cases[i].option, cases[i].object, NULL);
		sgang_spec_merge(&into, &object);
		assert_value(&into, cases[i].option, cases[i].object);
		assert_false(into.object || into.rank_set || into.order_set);
		sgang_spec_merge(&own, &object);
		assert_value(&own, cases[i].option,
			     cases[i].both ? cases[i].both : cases[i].own);
	}
}

#define SEED 1123

/* Random values: refused with a sentence, or taken and within all rules. */
TEST(test_random_bytes)
{
	static const char *const spices[] = {
		"ab09-/:",
		"cpumemnode=,123KMGT",
		"0123456789:-",
		"ab/,",
	};
	const struct sgang_option *options = sgang_spec_options();
	uint64_t seed = SEED;
	int round, taken = 0;

	for (round = 0; round < 100000; round++) {
		struct sgang_spec spec;
		struct sgang_error err = { "" };
		const char *option = options[fuzz_below(&seed, N_OPTIONS)].name;
		char value[12];

		sgang_spec_init(&spec);
		fuzz_text(&seed, spices[round % 4], value, sizeof(value));
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
		assert_true(spec.order <= SGANG_MEMBERS_MAX);
		assert_int_equal(strspn(spec.name, "abcdefghijklmnopqrstuvwxyz"
						   "0123456789-"),
				 strlen(spec.name));
		assert_null(strchr(spec.ns, '/'));
		assert_null(strpbrk(spec.groups, " \n\"'"));
	}
	assert_in_range(taken, 100, round - 100);
}

/* Random lists of groups: read item by item they are what was written, each
 * once, and taking them again changes nothing. */
TEST(test_random_groups)
{
	uint64_t seed = SEED;

	for (int round = 0; round < 5000; round++) {
		char ns[SGANG_NAMESPACE_MAX + 1], name[SGANG_NAME_MAX + 1];
		bool listed[3][3] = { { false } };
		struct sgang_spec spec, again;
		char value[80] = "";
		const char *at;
		size_t i, n = fuzz_below(&seed, 12), found = 0, expected = 0;

		for (i = 0; i < n; i++) {
			uint64_t a = fuzz_below(&seed, 3);
			uint64_t b = fuzz_below(&seed, 3);

			expected += !listed[a][b];
			listed[a][b] = true;
			snprintf(value + strlen(value),
				 sizeof(value) - strlen(value), "%sn%d/g%d",
				 i ? "," : "", (int)a, (int)b);
		}
		sgang_spec_init(&spec);
		sgang_spec_set(&spec, "gang-groups", value, NULL);
		at = spec.groups;
		while (sgang_spec_next_group(&at, ns, name)) {
			if (!listed[ns[1] - '0'][name[1] - '0'])
				fail_msg("seed %d round %d: %s", SEED, round,
					 value);
			found++;
		}
		assert_int_equal(found, expected);
		sgang_spec_init(&again);
		sgang_spec_set(&again, "gang-groups", spec.groups, NULL);
		assert_string_equal(again.groups, spec.groups);
		assert_int_equal(sgang_spec_lists(&spec, "n0", "g2"),
				 listed[0][2]);
	}
}

/* Random environments, in the form in which job records carry them. */
TEST(test_random_env)
{
	uint64_t seed = SEED;
	int round, seen[3] = { 0 };

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

/* Variables of a script that commands would take as --gang. */
TEST(test_exported)
{
	static char *const none[] = { NULL,
				      "PATH=/bin",
				      "SLURM_GANG_NAME=a",
				      "_SLURM_SPANK_OPTION_gang_gang_order=1",
				      "X_SLURM_SPANK_OPTION_gang_gang=a",
				      "SPANK__SLURM_SPANK_OPTION_gang_gang=a" };
	static char *const bare[] = { NULL, "_SLURM_SPANK_OPTION_gang_gang=a" };
	static char *const prefixed[] = {
		"A=b", "SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang=a"
	};

	assert_false(sgang_spec_exported(NULL, 0));
	assert_false(sgang_spec_exported(none, 6));
	assert_true(sgang_spec_exported(bare, 2));
	assert_true(sgang_spec_exported(prefixed, 2));
	assert_false(sgang_spec_exported(prefixed, 1));
}

TEST_MAIN(NULL, NULL)
