/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_conf.c - gang.conf, the settings of slurm-gang */

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/conf.h"
#include "fail_alloc.h"
#include "fuzz.h"

/* Each test writes its files under this name. */
static char path[] = "test_conf.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(const char *bytes, size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static int load(const char *text, struct sgang_conf *conf,
		struct sgang_error *err)
{
	write_bytes(text, strlen(text));
	return sgang_conf_load(path, conf, err);
}

/* What sgang_conf_print() says, which the caller frees. */
static char *printed(const struct sgang_conf *conf)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	sgang_conf_print(conf, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

#define LEVELS "LevelNames=island,node,leaf,spine,core\n"
#define COSTS "HopCosts=1,2,4,16,64\n"
#define SWITCHES "AllowUnconnected=no\nGangs=yes\nPlacement=yes\nPlaceAll=no\n"
#define FILE_KEY "TopologyFile=\"\"\n"

static void test_accepted(void **state)
{
	static const struct {
		const char *text;
		const char *printed;
	} cases[] = {
		{ "", LEVELS COSTS SWITCHES FILE_KEY },
		{ "# nothing\n\n   \t\r\n#", LEVELS COSTS SWITCHES FILE_KEY },
		{ "gangs=NO placement=No PLACEALL=yes # all on one line\n",
		  LEVELS COSTS "AllowUnconnected=no\nGangs=no\nPlacement=no\n"
		  "PlaceAll=yes\n" FILE_KEY },
		{ "AllowUnconnected = yes\r\nGangs=no#comment",
		  LEVELS COSTS "AllowUnconnected=yes\nGangs=no\nPlacement=yes\n"
		  "PlaceAll=no\n" FILE_KEY },
		{ "TopologyFile=/etc/slurm/topology.conf Gangs=yes",
		  LEVELS COSTS SWITCHES
		  "TopologyFile=\"/etc/slurm/topology.conf\"\n" },
		{ "TopologyFile=\"/a b#c\"#d", LEVELS COSTS SWITCHES
		  "TopologyFile=\"/a b#c\"\n" },
		{ "LevelNames=island,node,rack,Pod-1,hall_2",
		  "LevelNames=island,node,rack,Pod-1,hall_2\n" COSTS SWITCHES
		  FILE_KEY },
		/* names of levels that are left out give way */
		{ "LevelNames=chip,node,rack,core",
		  "LevelNames=chip,node,rack,core,level4\n" COSTS SWITCHES
		  FILE_KEY },
		{ "LevelNames=a,b,c,d,e,f,level6,g",
		  "LevelNames=a,b,c,d,e,f,level6,g\n" COSTS SWITCHES FILE_KEY },
		/* 4.14: the costs are settings */
		{ "HopCosts=1", LEVELS "HopCosts=1,4,16,64,256\n" SWITCHES
		  FILE_KEY },
		{ "HopCosts=1,1,1,1,1,1,9", LEVELS "HopCosts=1,1,1,1,1,1,9\n"
		  SWITCHES FILE_KEY },
		{ "HopCosts=1,1,1,1,1,1,1,1,1,1,1,1,1000000", LEVELS
		  "HopCosts=1,1,1,1,1,1,1,1,1,1,1,1,1000000\n" SWITCHES
		  FILE_KEY },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_conf conf;
		struct sgang_error err;
		char *text;

		if (load(cases[i].text, &conf, &err))
			fail_msg("%s", err.text);
		text = printed(&conf);
		assert_string_equal(text, cases[i].printed);
		free(text);
	}
}

/* 4.14: levels above those given cost four times the one below, without end. */
static void test_costs_go_on(void **state)
{
	struct sgang_conf conf;
	uint32_t level;

	(void)state;
	assert_int_equal(load("HopCosts=1,3", &conf, NULL), 0);
	assert_int_equal(conf.costs.hop[SGANG_LEVEL_NODE], 3);
	assert_int_equal(conf.costs.hop[SGANG_LEVEL_LEAF], 12);
	for (level = 2; level < SGANG_LEVELS; level++)
		assert_int_equal(conf.costs.hop[level],
				 4 * conf.costs.hop[level - 1]);

	assert_int_equal(load("HopCosts=1000000", &conf, NULL), 0);
	for (level = 1; level < SGANG_LEVELS; level++)
		assert_true(conf.costs.hop[level] >= conf.costs.hop[level - 1]);
	assert_true(conf.costs.hop[SGANG_LEVEL_UNCONNECTED] == UINT32_MAX);
}

static void test_levels_are_found(void **state)
{
	struct sgang_conf conf;

	(void)state;
	assert_int_equal(load("LevelNames=island,node,rack,core", &conf, NULL),
			 0);
	assert_int_equal(sgang_costs_level(&conf.costs, "RACK"), 2);
	assert_int_equal(sgang_costs_level(&conf.costs, "core"), 3);
	assert_int_equal(sgang_costs_level(&conf.costs, "leaf"), -1);
}

#define X32 "x2345678901234567890123456789012"

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		const char *where;
		const char *why;
	} cases[] = {
		{ "Gang=yes", ":1: ", "unknown key \"Gang\"" },
		{ "\n#\nGangs2=yes", ":3: ", "unknown key \"Gangs2\"" },
		{ "Gangs", ":1: ", "expected Key=Value at \"Gangs\"" },
		{ "Gangs yes", ":1: ", "expected Key=Value" },
		{ "=yes", ":1: ", "expected Key=Value" },
		{ "Gangs=yes junk", ":1: ", "expected Key=Value at \"junk\"" },
		{ "\033[2J=1", ":1: ", "unknown key \"?[2J\"" },
		{ "Gangs=", ":1: ", "expected yes or no" },
		{ "Gangs=yess", ":1: ", "\"yess\" is not understood" },
		{ "Gangs=1", ":1: ", "expected yes or no" },
		{ "Gangs=yes\n\nGANGS=yes", ":3: ", "given twice, first in "
		  "line 1" },
		{ "Gangs=\"yes", ":1: ", "quote is not closed" },
		{ "Gangs=\"yes\"no", ":1: ", "after the closing quote" },
		{ "TopologyFile=/a\"b", ":1: ", "quote in the middle" },
		{ "TopologyFile=topology.conf", ":1: ", "does not begin with" },
		{ "HopCosts=", ":1: ", "is not a number from 1 to 1000000" },
		{ "HopCosts=0", ":1: ", "is not a number from 1 to 1000000" },
		{ "HopCosts=1,,4", ":1: ", "is not a number" },
		{ "HopCosts=1,2,", ":1: ", "is not a number" },
		{ "HopCosts=1,-2", ":1: ", "\"-2\" is not a number" },
		{ "HopCosts=1,1000001", ":1: ", "is not a number" },
		{ "HopCosts=1,2x", ":1: ", "is not a number" },
		{ "Gangs=no\nHopCosts=1,4,2", ":2: ", "2 comes after 4" },
		{ "HopCosts=1,1,1,1,1,1,1,1,1,1,1,1,1,1", ":1: ",
		  "at most 13 levels" },
		{ "LevelNames=a,b,c,d,e,f,g,h,i,j,k,l,m,n", ":1: ",
		  "at most 13 levels" },
		{ "LevelNames=", ":1: ", "not made of letters" },
		{ "LevelNames=a,,b", ":1: ", "not made of letters" },
		{ "LevelNames=a,b:c", ":1: ", "not made of letters" },
		{ "LevelNames=" X32, ":1: ", "more than 31 characters" },
		{ "LevelNames=a,b,A", ":1: ", "\"A\" is there twice" },
		{ "LevelNames=a,Unconnected", ":1: ", "is taken" },
		{ "LevelNames=a,b,level7", ":1: ", "would mislead" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_conf conf, before;
		struct sgang_error err = { "" };

		memset(&conf, 0x5a, sizeof(conf));
		before = conf;
		errno = 0;
		if (load(cases[i].text, &conf, &err) != -1)
			fail_msg("%s was taken", cases[i].text);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
		assert_int_equal(strncmp(err.text + strlen(path),
					 cases[i].where,
					 strlen(cases[i].where)), 0);
		if (!strstr(err.text, cases[i].why))
			fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].why);
		assert_null(strpbrk(err.text, "\n\033"));
		assert_memory_equal(&conf, &before, sizeof(conf));
	}
}

static void test_no_text(void **state)
{
	struct sgang_conf conf;
	struct sgang_error err;
	char *large = malloc(2 * 1024 * 1024);

	(void)state;
	assert_int_equal(sgang_conf_load("no/such/gang.conf", &conf, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, "gang.conf: cannot be opened"));

	assert_int_equal(sgang_conf_load("/", &conf, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "cannot be read"));

	write_bytes("Gangs=no\n\0\n", 11);
	assert_int_equal(sgang_conf_load(path, &conf, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "not a text file"));

	assert_non_null(large);
	memset(large, '\n', 2 * 1024 * 1024);
	write_bytes(large, 2 * 1024 * 1024);
	free(large);
	assert_int_equal(sgang_conf_load(path, &conf, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "too large"));
}

static void test_no_memory(void **state)
{
	struct sgang_conf conf;
	struct sgang_error err;

	(void)state;
	write_bytes("Gangs=no\n", 9);
	fail_at(1);
	assert_int_equal(sgang_conf_load(path, &conf, &err), -1);
	assert_int_equal(errno, ENOMEM);
	assert_true(fail_happened);
	assert_non_null(strstr(err.text, "out of memory"));
}

/* etc/gang.conf shows every key, as a comment, with its default. */
static void test_sample(void **state)
{
	const char *top = getenv("top_srcdir");
	char name[4096], line[512], *keys = NULL, *defaults;
	struct sgang_conf conf;
	size_t size;
	FILE *in, *out = open_memstream(&keys, &size);

	(void)state;
	snprintf(name, sizeof(name), "%s/etc/gang.conf", top ? top : ".");
	in = fopen(name, "r");
	assert_non_null(in);
	assert_non_null(out);
	while (fgets(line, sizeof(line), in))
		if (line[0] == '#' && line[1] >= 'A' && line[1] <= 'Z' &&
		    strchr(line, '='))
			fputs(line + 1, out);
	fclose(in);
	assert_int_equal(fclose(out), 0);
	sgang_conf_default(&conf);
	defaults = printed(&conf);
	assert_string_equal(keys, defaults);
	free(defaults);
	free(keys);
}

#define SEED 414

/* Random settings: printing and reading gives the same. */
static void test_round_trip(void **state)
{
	uint64_t seed = SEED;
	int round;

	(void)state;
	for (round = 0; round < 300; round++) {
		struct sgang_conf conf, again;
		struct sgang_error err;
		char text[512], *first, *second;
		uint64_t cost = 1;
		size_t used, i, n;

		used = (size_t)snprintf(text, sizeof(text), "Gangs=%s "
					"PlaceAll=%s HopCosts=",
					fuzz_below(&seed, 2) ? "yes" : "no",
					fuzz_below(&seed, 2) ? "yes" : "no");
		n = 1 + fuzz_below(&seed, 13);
		for (i = 0; i < n; i++) {
			cost += fuzz_below(&seed, 3) * fuzz_below(&seed, 90);
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used,
						 "%s%" PRIu64, i ? "," : "",
						 cost);
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "\nLevelNames=");
		n = 1 + fuzz_below(&seed, 13);
		for (i = 0; i < n; i++)
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used,
						 "%s%c%zu", i ? "," : "",
						 'a' + (char)(round % 26), i);
		if (load(text, &conf, &err))
			fail_msg("seed %d round %d: %s", SEED, round, err.text);
		first = printed(&conf);
		if (load(first, &again, &err))
			fail_msg("seed %d round %d: %s", SEED, round, err.text);
		second = printed(&again);
		assert_string_equal(first, second);
		assert_memory_equal(conf.costs.hop, again.costs.hop,
				    sizeof(conf.costs.hop));
		for (i = 0; i < SGANG_LEVELS; i++)
			assert_string_equal(conf.costs.name[i],
					    again.costs.name[i]);
		free(first);
		free(second);
	}
}

/* Spoilt files: settings or a sentence, never a crash. */
static void test_spoilt(void **state)
{
	static const char whole[] =
		"# settings\nLevelNames=island,node,rack,pod HopCosts=1,2,4\n"
		"Gangs=yes\nPlacement=\"no\"\nTopologyFile=\"/a b\"\n";
	uint64_t seed = SEED;
	int round, taken = 0;

	(void)state;
	for (round = 0; round < 3000; round++) {
		struct sgang_conf conf;
		struct sgang_error err = { "" };
		char text[sizeof(whole)];

		strcpy(text, whole);
		fuzz_spoil(&seed, text);
		if (!load(text, &conf, &err))
			taken++;
		else if (errno != EINVAL || !err.text[0])
			fail_msg("seed %d round %d: %s", SEED, round, text);
	}
	assert_in_range(taken, 1, round - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_costs_go_on),
		cmocka_unit_test(test_levels_are_found),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_text),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_spoilt),
	};

	return cmocka_run_group_tests_name("conf", tests, make_file,
					   remove_file);
}
