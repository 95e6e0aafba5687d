/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_columns.c - the table of gangs: fields, widths, order, colours */

#include "../unit.h"
#include "../texts.h"
#include "cmd/columns.h"

/* A job, and its record. */
#define ROW(kind, id, n_tasks, who, of, where, is, has, why, when, ...)    \
	{                                                                  \
		.class = SGANG_ROW_##kind, .job_id = id, .tasks = n_tasks, \
		.user = (char *)who, .account = (char *)of,                \
		.partition = (char *)where, .state = (char *)is,           \
		.nodes = (char *)has, .reason = (char *)why,               \
		.submit_time = when, .record = { __VA_ARGS__ },            \
	}

/* Two gangs: one of two users runs, one with an odd reason waits. */
static struct sgang_jobrow rows[] = {
	ROW(RUNNING, 3, 1, "alice", "chem", "gpu,cpu", "RUNNING", "n[9-10]", "",
	    100, .ns = "alice", .name = "train", .phase = SGANG_PHASE_RUNNING,
	    .min_member = 2, .total = 4, .satisfied = true, .attempts = 1,
	    .placed = true, .members = 2, .ring_cost = 38, .ring_best = 14,
	    .cross_links = 2, .ranks = 16, .tier = "spine"),
	ROW(RUNNING, 4, 1, "bob", "chem", "gpu,cpu", "RUNNING", "n11", "", 101,
	    .ns = "alice", .name = "train", .phase = SGANG_PHASE_RUNNING,
	    .min_member = 2, .total = 4, .placed = true, .member_rank = 1,
	    .members = 2),
	ROW(HELD, 5, 3, "carol", "", "cpu", "CONFIGURING", "n2", "", 99,
	    .ns = "carol", .name = "a-rather-long-name",
	    .phase = SGANG_PHASE_HOLDING, .min_member = 4, .total = 4,
	    .mode = SGANG_MODE_NONSTRICT, .waiting_time = 600, .since = 1000,
	    .groups = "a/b,c/d"),
	ROW(PENDING, 6, 1, "carol", "", "cpu", "PENDING", "",
	    "odd\n\033[31mone", 99, .ns = "carol", .name = "a-rather-long-name",
	    .phase = SGANG_PHASE_HOLDING, .min_member = 4, .total = 4),
	ROW(PENDING, 7, 1, "gr\xc3\xbc\xc3\x9f", "", "cpu", "PENDING", "", "",
	    100, .ns = "z", .name = "u", .phase = SGANG_PHASE_UNDEFINED),
};

static struct sgang_gangs gangs;
static const struct sgang_gang *all[COUNT(rows)];

static int build(void **state)
{
	struct sgang_jobs jobs = { .row = rows, .count = COUNT(rows) };
	struct sgang_error err;

	(void)state;
	if (sgang_gangs_build(&jobs, &gangs, &err))
		return -1;
	for (size_t i = 0; i < gangs.count; i++)
		all[i] = &gangs.gang[i];
	return 0;
}

static int clear(void **state)
{
	(void)state;
	sgang_gangs_clear(&gangs);
	return 0;
}

static void check_table(const char *format, const struct sgang_look *look,
			const char *wanted)
{
	struct sgang_error err = { "" };

	assert_int_equal(sgang_columns_check(format, "--format", &err), 0);
	assert_int_equal(sgang_columns_print(format, look, all, gangs.count,
					     printing(), &err),
			 0);
	assert_printed(wanted);
}

TEST(columns_are_as_wide_as_they_must)
{
	const struct sgang_look look = { .header = true, .now = 1100 };
	const struct sgang_look bare = { .now = 1100 };

	check_table(
		SGANG_COLUMNS_DEFAULT, &look,
		"GANG                     PHASE     MEMBERS MODE       WAITING NODES RING CROSS TIER  REASON\n"
		"carol/a-rather-long-name Holding   4/4/4   nonstrict 00:08:20     1    -     - -     odd??[31mone\n"
		"alice/train              Running   2/2/4   strict           -     3   38     2 spine -\n"
		"z/u                      Undefined 1/-/-   strict           -     0    -     - -     -\n");
	check_table("%T %m", &bare,
		    "Holding   4/4/4\nRunning   2/2/4\nUndefined 1/-/-\n");
}

TEST(long_names_do_not_hide_the_rest)
{
	const struct sgang_look look = { .header = true,
					 .now = 1100,
					 .width = 40 };

	check_table("%j %m %D %T", &look,
		    "GANG             MEMBERS NODES PHASE\n"
		    "carol/a-rather-+ 4/4/4       1 Holding\n"
		    "alice/train      2/2/4       3 Running\n"
		    "z/u              1/-/-       0 Undefined\n");
	/* a width that was asked for stays */
	check_table("%24j %m %D %T", &look,
		    "GANG                     MEMBERS NODES P\n"
		    "carol/a-rather-long-name 4/4/4       1 H\n"
		    "alice/train              2/2/4       3 R\n"
		    "z/u                      1/-/-       0 U\n");
}

TEST(all_fields_say_something)
{
	static const struct {
		const char *format;
		const char *lines;
	} cases[] = {
		{ "%a", "-\nchem\n-\n" },
		{ "%A", "0\n1\n0\n" },
		{ "%b", " -\n14\n -\n" },
		{ "%g", "carol\nalice\nz\n" },
		{ "%G", "a/b,c/d\n-\n-\n" },
		{ "%K", " -\n16\n -\n" },
		{ "%l", "00:10:00\n       -\n       -\n" },
		{ "%n", "a-rather-long-name\ntrain\nu\n" },
		{ "%N", "n2\nn[9-11]\n-\n" },
		{ "%P", "cpu\ngpu,cpu\ncpu\n" },
		{ "%R", "n2\nn[9-11]\n-\n" },
		{ "%S", "-\n-\n-\n" },
		{ "%u|", "carol    |\nalice,bob|\ngr\xc3\xbc\xc3\x9f     |\n" },
		{ "<%n>", "<a-rather-long-name>\n<train             >\n"
			  "<u                 >\n" },
	};
	const struct sgang_look look = { .now = 1100 };

	for (size_t i = 0; i < COUNT(cases); i++)
		check_table(cases[i].format, &look, cases[i].lines);
}

/* As squeue has them; what is cut says so. */
TEST(widths_can_be_given)
{
	const struct sgang_look look = { .header = true };

	check_table("%8j|%.6D|%6C|%.3T|%1u|", &look,
		    "GANG    | NODES|RING  |PH+|+|\n"
		    "carol/a+|     1|-     |Ho+|+|\n"
		    "alice/t+|     3|38    |Ru+|+|\n"
		    "z/u     |     0|-     |Un+|+|\n");
	check_table("%3u|", &look, "US+|\nca+|\nal+|\ngr+|\n");
	check_table("%4u|", &look,
		    "USER|\ncar+|\nali+|\ngr\xc3\xbc\xc3\x9f|\n");
}

TEST(lines_are_cut_at_the_edge)
{
	const struct sgang_look look = { .header = true, .width = 14 };
	const struct sgang_look colour = { .colour = true, .width = 4 };

	check_table("%T  %m %j", &look,
		    "PHASE      MEM\nHolding    4/4\nRunning    2/2\n"
		    "Undefined  1/-\n");
	check_table("%T %m", &colour,
		    "\033[35mHold\033[0m\n\033[32mRunn\033[0m\nUnde\n");
}

TEST(colours_take_no_room)
{
	const struct sgang_look look = { .colour = true };

	check_table("%m %.9T %D", &look,
		    "4/4/4   \033[35mHolding\033[0m 1\n"
		    "2/2/4   \033[32mRunning\033[0m 3\n"
		    "1/-/- Undefined 0\n");
}

TEST(bad_formats_are_named)
{
	static const char *const cases[] = {
		"",   "abc",  "%",    "%j %", "%z",  "%99999j",
		"%.", "%..j", "%-3j", "%%",   "%j%", "%18446744073709551617j"
	};
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		err.text[0] = '\0';
		assert_int_equal(
			sgang_columns_check(cases[i], "--format", &err), -1);
		assert_ptr_equal(strstr(err.text, "--format"), err.text);
	}
}

static void order_is(const char *order, const char *names)
{
	struct sgang_error err = { "" };
	char text[256] = "";

	for (size_t i = 0; i < gangs.count; i++)
		all[i] = &gangs.gang[i];
	assert_int_equal(sgang_columns_check_order(order, "--sort", &err), 0);
	assert_int_equal(
		sgang_columns_sort(order, 1100, all, gangs.count, &err), 0);
	for (size_t i = 0; i < gangs.count; i++) {
		strcat(text, all[i]->record->name);
		strcat(text, " ");
	}
	assert_string_equal(text, names);
	for (size_t i = 0; i < gangs.count; i++)
		all[i] = &gangs.gang[i];
}

TEST(gangs_are_sorted)
{
	order_is("j", "train a-rather-long-name u ");
	order_is("-j", "u a-rather-long-name train ");
	order_is("C", "a-rather-long-name u train "); /* none goes first */
	order_is("-C,j", "train a-rather-long-name u ");
	order_is("C,-j", "u a-rather-long-name train ");
	order_is("+D", "u a-rather-long-name train ");
	order_is("T", "u a-rather-long-name train "); /* not by letters */
	order_is("-M", "train u a-rather-long-name ");
	order_is("V", "a-rather-long-name train u ");
	order_is("L,T,m,j", "u train a-rather-long-name ");
}

TEST(bad_orders_are_named)
{
	static const char *const cases[] = { "",   "z",    "j k", "jT", "--j",
					     ",j", "j,,T", "-",   "%j" };
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		err.text[0] = '\0';
		assert_int_equal(sgang_columns_check_order(cases[i], "--sort",
							   &err),
				 -1);
		assert_ptr_equal(strstr(err.text, "--sort="), err.text);
	}
}

TEST_MAIN(build, clear)
