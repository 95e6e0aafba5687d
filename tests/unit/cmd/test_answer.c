/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_answer.c - what forms make of an answer */

#include "../unit.h"
#include "../texts.h"
#include "cmd/answer.h"

static const char answer[] =
	"{\"name\":\"train\",\"empty\":\"\",\"null\":null,\"one\":1,\"two\":2,"
	"\"big\":18446744073709551615,\"yes\":true,\"no\":false,"
	"\"seconds\":0.0058333333333,\"when\":1795261000,\"never\":0,"
	"\"limit\":90061,\"word\":\"UNLIMITED\",\"nothing\":[],"
	"\"nodes\":[\"n1\",\"n2\",\"n3\"],\"hops\":{\"leaf\":4,\"spine\":2},"
	"\"words\":\" twenty letters in aa  twenty letters in bb twenty letters"
	" in cc twenty letters in dd \","
	"\"ranks\":[0,1,2,8,5,6,6],\"inner\":{\"a\":3,\"rows\":[{\"a\":4}]},"
	"\"rows\":[{\"a\":\"x\",\"b\":1},{\"a\":\"y\",\"b\":null}]}";

static void check(const char *form, const char *expected)
{
	struct json_object *object = json_tokener_parse(answer);

	assert_non_null(object);
	sgang_answer_text(object, form, printing());
	assert_printed(expected);
	json_object_put(object);
}

/* Text says what JSON says. */
TEST(values_are_printed)
{
	static const struct {
		const char *form, *text;
	} cases[] = {
		{ "no key", "no key" },
		{ "Name={name}, {one}", "Name=train, 1" },
		{ "{big}", "18446744073709551615" },
		{ "{yes} {no}", "yes no" },
		{ "{null} {empty} {nothing} {missing}",
		  "(null) (null) (null) (null)" },
		{ "{null|None} {empty|-} {missing|}.", "None - ." },
		/* words that are left out, and lines */
		{ "A={null} Name={name} B={empty} C={one} D={null}\n"
		  "   E={null} F={never%t}\n  G={missing} H={yes}\n\nI={nothing}\n",
		  "Name=train C=1\n  H=yes\n\n" },
		{ "A={null|-} B={nothing%n} C={null}/{one}  D={one}.",
		  "A=- B=0 C=(null)/1  D=1." },
		{ "<rows|A={a} B={b} C={c}\n>", "A=x B=1\nA=y\n" },
		{ "{name|None}", "train" },
		{ "{when%t} {never%t}", "2026-11-21T11:36:40 (null)" },
		{ "{limit%d} {word%d} {null%d|-}", "1-01:01:01 UNLIMITED -" },
		{ "{seconds%g}", "0.005833" },
		{ "node{one%s}, node{two%s}, node{never%s}",
		  "node, nodes, nodes" },
		{ "{nodes} {nodes%n} {nothing%n}", "n1,n2,n3 3 0" },
		{ "{nodes%f} {nothing%f|-}", "n[1-3] -" },
		{ "{hops%:} {hops%=}", "leaf:4,spine:2 leaf=4,spine=2" },
		{ "{rows.a}", "x,y" },
		{ "{ranks%r} {nothing%r|-}", "0-2,8,5-6,6 -" },
		{ "{null%-|no}{one%-|no}.", "no." },
		{ "a\n  Words={words%w}\nNone={null%w|-}",
		  "a\n  Words=twenty letters in aa twenty letters in bb twenty "
		  "letters in cc twenty\n        letters in dd\nNone=-" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check(cases[i].form, cases[i].text);
}

TEST(parts_are_left_out)
{
	check("a[ Name={name}]", "a Name=train");
	check("a[ Null={null}] b", "a b");
	check("a[ Name={name} Null={null}]", "a");
	check("a[ {missing|word}][ no key]", "a no key");
	check("a[ {one} {null%?|0}][ {null} {null%?|0}]", "a 1 0");
	check("a[ {never}][ {never%+}][ {one%+}][ {null%+}]", "a 0 1");
}

TEST(rows_are_repeated)
{
	check("<rows|{#}: {a}[ b={b}]\n>end", "0: x b=1\n1: y\nend");
	check("<nothing|{a}><missing|{a}>end", "end");
	check("<inner|{a}: <rows|{a} of <none|x>> all>end", "3: 4 of  allend");
	check("<null|{a}>end", "end");
}

/* A job may be called anything. */
TEST(control_characters_are_not_printed)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "name",
			       json_object_new_string("a\033[31m\n\177\xff"));
	sgang_answer_text(object, "{name}\n", printing());
	assert_printed("a?[31m??\xff\n");
	json_object_put(object);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	return run_all_tests(NULL, NULL);
}
