/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_asks.c - what a gang asked for, as a word of the record */

#include "../unit.h"
#include "core/gang/asks.h"

static void say(struct sgang_spec *spec, const char *option, const char *value)
{
	struct sgang_error err = { "" };

	assert_int_equal(sgang_spec_set(spec, option, value, &err), 0);
}

TEST(nothing_is_empty)
{
	char text[SGANG_ASKS_SIZE] = "x";
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	sgang_asks_write(&spec, text);
	assert_string_equal(text, "");
	sgang_asks_add_own(&spec, text);
	assert_string_equal(text, "");
}

/* What has a word of its own is not there. */
TEST(all_is_said_and_found)
{
	char text[SGANG_ASKS_SIZE], value[SGANG_ASKS_SIZE];
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	say(&spec, "gang", "alice/train");
	say(&spec, "gang-min-member", "4");
	say(&spec, "gang-mode", "nonstrict");
	say(&spec, "gang-groups", "a/b");
	say(&spec, "gang-topology", "require:leaf,prefer:node@00:30:00");
	say(&spec, "gang-group-topology", "require:spine");
	say(&spec, "gang-exclusive", "leaf");
	say(&spec, "gang-parallel", "tp=2,dp=2:tp=100,dp=10");
	say(&spec, "gang-min-tres", "cpu=5,node=2");
	say(&spec, "gang-rank-order", "ring");
	say(&spec, "gang-order", "0");
	say(&spec, "gang-rank", "3");
	sgang_asks_write(&spec, text);
	assert_string_equal(text,
			    "min-tres=cpu=5,node=2;"
			    "topology=require:leaf,prefer:node@00:30:00;"
			    "group-topology=require:spine;exclusive=leaf;"
			    "parallel=tp=2,dp=2:tp=100,dp=10;rank-order=ring");
	sgang_asks_add_own(&spec, text);
	assert_string_equal(strstr(text, "dp=10"),
			    "dp=10;rank-order=ring;order=0;rank=3");
	assert_string_equal(sgang_asks_find(text, "topology", value,
					    sizeof(value)),
			    "require:leaf,prefer:node@00:30:00");
	assert_string_equal(sgang_asks_find(text, "group-topology", value,
					    sizeof(value)),
			    "require:spine");
	assert_string_equal(sgang_asks_find(text, "min-tres", value,
					    sizeof(value)),
			    "cpu=5,node=2");
	assert_string_equal(sgang_asks_find(text, "rank", value, 2), "3");
	assert_null(sgang_asks_find(text, "rank", value, 1));
	assert_null(sgang_asks_find(text, "run-time", value, sizeof(value)));
	assert_null(sgang_asks_find(text, "topo", value, sizeof(value)));
	assert_null(sgang_asks_find(text, "dp", value, sizeof(value)));
	assert_null(sgang_asks_find("order", "order", value, sizeof(value)));
	assert_null(sgang_asks_find(";;;", "order", value, sizeof(value)));
}

/* Nothing is cut in the middle, and nothing is written past the end. */
TEST(what_has_no_room_is_left_out)
{
	char text[SGANG_ASKS_SIZE], value[SGANG_ASKS_SIZE];
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	memset(spec.topology, 't', sizeof(spec.topology) - 1);
	memset(spec.parallel, 'p', sizeof(spec.parallel) - 1);
	memset(spec.group_topology, 'g', sizeof(spec.group_topology) - 1);
	spec.order_set = true;
	spec.order = 7;
	sgang_asks_write(&spec, text);
	sgang_asks_add_own(&spec, text);
	assert_true(strlen(text) < sizeof(text));
	assert_non_null(
		sgang_asks_find(text, "topology", value, sizeof(value)));
	assert_null(sgang_asks_find(text, "parallel", value, sizeof(value)));
	assert_string_equal(
		sgang_asks_find(text, "order", value, sizeof(value)), "7");
	for (size_t i = 0; i < 200; i++)
		sgang_asks_add_own(&spec, text);
	assert_true(strlen(text) < sizeof(text));
}

TEST_MAIN(NULL, NULL)
