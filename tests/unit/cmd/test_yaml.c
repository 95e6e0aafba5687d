/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_yaml.c - what is printed as YAML is read back as what it was */

#include <yaml.h>

#include "../unit.h"
#include "../texts.h"
#include "cmd/yaml.h"

/* Returns a string the caller frees; takes 'object'. */
static char *yaml_of(struct json_object *object)
{
	assert_int_equal(sgang_yaml_print(object, printing()), 0);
	json_object_put(object);
	return printed();
}

/* Only what is plain has another type than text. */
TEST(text_stays_text)
{
	static const struct {
		const char *text;
		bool plain;
	} cases[] = {
		{ "leaf", true },
		{ "n[3-4]", true },
		{ "alice/train", true },
		{ "/etc/gang.conf", true },
		{ "Gang a waits: 2 free", false },
		{ "", false },
		{ " ", false },
		{ "yes", false },
		{ "No", false },
		{ "ON", false },
		{ "null", false },
		{ "~", false },
		{ "True", false },
		{ "y", false },
		{ "1", false },
		{ "-1", false },
		{ "1e3", false },
		{ ".5", false },
		{ ".inf", false },
		{ ".NaN", false },
		{ "0x1f", false },
		{ "0-3", false },
		{ "2026-11-21", false },
		{ "12:30:45", false },
		{ "- a", false },
		{ "? a", false },
		{ "a: b", false },
		{ "a #b", false },
		{ "#b", false },
		{ "{a}", false },
		{ "[a]", false },
		{ "*a", false },
		{ "&a", false },
		{ "!a", false },
		{ "%a", false },
		{ "@a", false },
		{ "`a", false },
		{ "'a'", false },
		{ "\"a\"", false },
		{ "a\nb", false },
		{ "a\tb", true },
		{ "a:", false },
		{ "---", false },
		{ "...", false },
		{ "<<", false },
		{ "=", false },
		{ "gr\xc3\xbc\xc3\x9f", true },
		{ "\x1b[31m", false },
		{ "\\", false },
		{ "a ", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = yaml_of(json_object_new_string(cases[i].text));
		yaml_document_t document;
		yaml_parser_t parser;
		yaml_node_t *root;

		assert_true(yaml_parser_initialize(&parser));
		yaml_parser_set_input_string(&parser, (unsigned char *)text,
					     strlen(text));
		assert_true(yaml_parser_load(&parser, &document));
		root = yaml_document_get_root_node(&document);
		assert_non_null(root);
		assert_int_equal(root->type, YAML_SCALAR_NODE);
		assert_string_equal((char *)root->data.scalar.value,
				    cases[i].text);
		if (root->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
			assert_true(cases[i].plain);
		yaml_document_delete(&document);
		yaml_parser_delete(&parser);
		free(text);
	}
}

TEST(other_types_are_bare)
{
	static const struct {
		const char *json;
		const char *yaml;
	} cases[] = {
		{ "null", "--- null\n" },
		{ "true", "--- true\n" },
		{ "18446744073709551615", "--- 18446744073709551615\n" },
		{ "-3", "--- -3\n" },
		{ "0.25", "--- 0.25\n" },
		{ "[]", "--- []\n" },
		{ "{}", "--- {}\n" },
		{ "{\"a\":[1,\"1\",null],\"b\":{\"yes\":[]}}",
		  "---\na:\n- 1\n- '1'\n- null\nb:\n  'yes': []\n" },
		{ "[[1,2],[]]", "---\n- - 1\n  - 2\n- []\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = yaml_of(json_tokener_parse(cases[i].json));

		assert_string_equal(text, cases[i].yaml);
		free(text);
	}
}

/* A long reason stays on its line. */
TEST(lines_are_not_folded)
{
	char reason[2001];
	char *text;

	memset(reason, 'a', sizeof(reason) - 1);
	for (size_t i = 3; i < sizeof(reason) - 1; i += 4)
		reason[i] = ' ';
	reason[sizeof(reason) - 2] = 'a';
	reason[sizeof(reason) - 1] = '\0';
	text = yaml_of(json_object_new_string(reason));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
}

TEST(a_full_disk_is_told)
{
	struct json_object *object = json_object_new_string("a");
	FILE *out = fopen("/dev/full", "w");

	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	assert_int_equal(sgang_yaml_print(object, out), -1);
	fclose(out);
	json_object_put(object);
}

TEST_MAIN(NULL, NULL)
