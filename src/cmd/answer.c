/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answer.c - the answer of a verb, printed as text, JSON or YAML */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/answer.h"
#include "cmd/json.h"
#include "cmd/yaml.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"

static bool is_json, is_yaml;

/* What was asked for; NULL: not known. */
static const char *command;

/* Part of the answer could not be printed. */
static bool is_cut;

void sgang_answer_use_json(bool json)
{
	is_json = json;
}

void sgang_answer_use_yaml(void)
{
	is_yaml = true;
}

void sgang_answer_of(const char *name)
{
	command = name;
}

bool sgang_answer_is_text(void)
{
	return !is_json;
}

bool sgang_answer_is_cut(void)
{
	return is_cut;
}

static void cut(void)
{
	fputs("sgang: out of memory\n", stderr);
	is_cut = true;
}

/* ---- values as text ---- */

const char *sgang_answer_time(int64_t when, char text[SGANG_ANSWER_TIME])
{
	time_t time = (time_t)when;
	struct tm broken;

	if (!when || !localtime_r(&time, &broken) ||
	    !strftime(text, SGANG_ANSWER_TIME, "%Y-%m-%dT%H:%M:%S", &broken))
		strcpy(text, "(null)");
	return text;
}

static bool is_known(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		return false;
	case json_type_string:
		return json_object_get_string_len(value);
	case json_type_array:
		return json_object_array_length(value);
	case json_type_object:
		return json_object_object_length(value);
	default:
		return true;
	}
}

static void put_bytes(const char *text, size_t n, FILE *out)
{
	for (; n; n--, text++)
		fputc((unsigned char)*text < ' ' || *text == '\177' ? '?' :
								      *text,
		      out);
}

static void put_plain(struct json_object *value, FILE *out)
{
	const char *text = json_object_get_string(value);

	if (json_object_is_type(value, json_type_boolean))
		text = json_object_get_boolean(value) ? "yes" : "no";
	if (text)
		put_bytes(text, strlen(text), out);
}

/* Columns that words may fill. */
#define WIDTH 78

/* The first line has 'indent' columns already. */
static void put_words(const char *text, size_t indent, FILE *out)
{
	size_t column = indent, length;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		length = strcspn(text, " ");
		if (column > indent && column + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		put_bytes(text, length, out);
		column += length;
		text += length;
	}
}

/* 'member': the values of this member of objects; "": the list has no objects.
 */
static void put_list(struct json_object *list, const char *member, FILE *out)
{
	size_t n = json_object_array_length(list), i;

	for (i = 0; i < n; i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		fputs(i ? "," : "", out);
		put_plain(member[0] ? json_object_object_get(item, member) :
				      item,
			  out);
	}
}

static void put_pairs(struct json_object *object, char mark, FILE *out)
{
	const char *comma = "";

	json_object_object_foreach(object, key, value)
	{
		fprintf(out, "%s%s%c", comma, key, mark);
		put_plain(value, out);
		comma = ",";
	}
}

static int64_t number_at(struct json_object *list, size_t i)
{
	return json_object_get_int64(json_object_array_get_idx(list, i));
}

static void put_ranges(struct json_object *list, FILE *out)
{
	size_t n = json_object_array_length(list), i, end;

	for (i = 0; i < n; i = end) {
		for (end = i + 1;
		     end < n &&
		     number_at(list, end) == number_at(list, end - 1) + 1;)
			end++;
		fprintf(out, "%s%" PRId64, i ? "," : "", number_at(list, i));
		if (end - i > 1)
			fprintf(out, "-%" PRId64, number_at(list, end - 1));
	}
}

static void put_nodes(struct json_object *list, FILE *out)
{
	size_t n = json_object_array_length(list), i;
	const char **names = calloc(n + 1, sizeof(*names));
	char *text = NULL;

	for (i = 0; names && i < n; i++)
		names[i] = json_object_get_string(
			json_object_array_get_idx(list, i));
	if (names)
		text = sgang_hostlist_fold(names, n);
	if (!text)
		cut();
	fputs(text ? text : "?", out);
	free(names);
	free(text);
}

/* ---- forms ---- */

/* A key in a form, and how its value is printed. */
struct place {
	char key[32], member[32];
	char how;         /* a letter of answer.h; 0: as it is */
	bool said;        /* the form has a word for what is not known */
	const char *word; /* if it is not known, so many bytes */
	size_t length;
	size_t indent; /* of the form's line before it, so many bytes */
};

/* Read what follows the '{'. Returns where its '}' is. */
static const char *read_place(const char *at, struct place *place)
{
	size_t n = strcspn(at, ".%|}");

	*place = (struct place){ .word = "(null)", .length = 6 };
	memcpy(place->key, at, n);
	at += n;
	if (*at == '.') {
		n = strcspn(++at, "%|}");
		memcpy(place->member, at, n);
		at += n;
	}
	if (*at == '%') {
		place->how = at[1];
		at += 2;
	}
	if (*at == '|') {
		place->said = true;
		place->word = at + 1;
		place->length = strcspn(place->word, "}");
		at += 1 + place->length;
	}
	return at;
}

static void put_value(struct json_object *value, const struct place *place,
		      FILE *out)
{
	bool is_list = json_object_is_type(value, json_type_array);
	char text[SGANG_ANSWER_TIME + SGANG_TIME_SHOWN];

	if (place->how == 'n')
		fprintf(out, "%zu", json_object_array_length(value));
	else if (!is_known(value))
		fprintf(out, "%.*s", (int)place->length, place->word);
	else if (place->how == '-')
		return;
	else if (place->how == 't')
		fputs(sgang_answer_time(json_object_get_int64(value), text),
		      out);
	else if (place->how == 'd' && json_object_is_type(value, json_type_int))
		fputs(sgang_text_show_time(
			      text, (uint32_t)json_object_get_int64(value)),
		      out);
	else if (place->how == 'g')
		fprintf(out, "%.4g", json_object_get_double(value));
	else if (place->how == 's')
		fputs(json_object_get_int64(value) == 1 ? "" : "s", out);
	else if (place->how == ':' || place->how == '=')
		put_pairs(value, place->how, out);
	else if (place->how == 'f')
		put_nodes(value, out);
	else if (place->how == 'w')
		put_words(json_object_get_string(value), place->indent, out);
	else if (place->how == 'r')
		put_ranges(value, out);
	else if (is_list)
		put_list(value, place->member, out);
	else
		put_plain(value, out);
}

/* True if all keys between the '[' and its ']' are known. */
static bool knows_all(struct json_object *object, const char *form)
{
	struct json_object *value;
	struct place place;

	for (; *form != ']'; form++) {
		if (*form != '{')
			continue;
		form = read_place(form + 1, &place);
		value = json_object_object_get(object, place.key);
		if (place.how != '?' &&
		    (!is_known(value) ||
		     (place.how == '+' && !json_object_get_int64(value))))
			return false;
	}
	return true;
}

/* A text that is being written. */
struct text {
	FILE *out;
	size_t blanks; /* not written yet */
	bool any;      /* the line has more than blanks */
	bool less;     /* a word of it was left out */
};

static void put_blanks(struct text *text)
{
	for (; text->blanks; text->blanks--)
		fputc(' ', text->out);
}

/* A line of which nothing is left is no line. */
static void put_char(struct text *text, char c)
{
	if (c == ' ') {
		text->blanks++;
		return;
	}
	if (c == '\n' && text->less && !text->any) {
		text->blanks = 0;
		text->less = false;
		return;
	}
	put_blanks(text);
	text->any = c != '\n';
	text->less = text->less && c != '\n';
	fputc(c, text->out);
}

/* The end of the word "Key={key}" that begins here if nothing is known of it, so
 * that it is left out; else NULL. */
static const char *unknown_word(struct json_object *object, const char *form)
{
	const char *at = form + strcspn(form, " \n{}[]<>");
	struct json_object *value;
	struct place place;

	if (at == form || *at != '{' || at[-1] != '=')
		return NULL;
	at = read_place(at + 1, &place) + 1;
	if (place.key[0] == '#' || place.how == 'n' || place.said ||
	    (*at && !strchr(" \n[<>", *at)))
		return NULL;
	value = json_object_object_get(object, place.key);
	return is_known(value) && (place.how != 't' ||
				   json_object_get_int64(value)) ?
		       NULL :
		       at;
}

static void fill(struct json_object *object, size_t number, const char *form,
		 const char *end, struct text *text);

/* The '>' that belongs to the '<' before 'form'. */
static const char *end_of_rows(const char *form)
{
	int inner = 0;

	for (; *form != '>' || inner; form++)
		inner += (*form == '<') - (*form == '>');
	return form;
}

/* Returns the position of the '>'. */
static const char *fill_rows(struct json_object *object, const char *form,
			     struct text *text)
{
	const char *row = strchr(form, '|') + 1, *end = end_of_rows(form);
	struct json_object *list;
	struct place place;
	size_t n, i;

	memset(&place, 0, sizeof(place));
	memcpy(place.key, form, strcspn(form, "|"));
	list = json_object_object_get(object, place.key);
	if (json_object_is_type(list, json_type_object))
		fill(list, 0, row, end, text);
	n = json_object_is_type(list, json_type_array) ?
		    json_object_array_length(list) :
		    0;
	for (i = 0; i < n; i++)
		fill(json_object_array_get_idx(list, i), i, row, end, text);
	return end;
}

/* Returns the position of the '}'. */
static const char *fill_place(struct json_object *object, size_t number,
			      const char *form, size_t indent,
			      struct text *text)
{
	struct place place;

	form = read_place(form, &place);
	place.indent = indent;
	put_blanks(text);
	text->any = true;
	if (place.key[0] == '#')
		fprintf(text->out, "%zu", number);
	else
		put_value(json_object_object_get(object, place.key), &place,
			  text->out);
	return form;
}

/* Write 'object', which is number 'number' in its list, up to the form's end. */
static void fill(struct json_object *object, size_t number, const char *form,
		 const char *end, struct text *text)
{
	const char *line = form, *after;
	bool begins = true; /* a word */

	for (; form < end; form++) {
		after = begins ? unknown_word(object, form) : NULL;
		begins = *form == ' ' || *form == '\n';
		if (after) {
			text->less = true;
			/* at the beginning of a line that after it */
			begins = !text->blanks && *after == ' ';
			text->blanks -= text->blanks > 0;
			form = begins ? after : after - 1;
		} else if (*form == '<') {
			form = fill_rows(object, form + 1, text);
		} else if (*form == '[') {
			if (!knows_all(object, form))
				form = strchr(form, ']');
		} else if (*form == '{') {
			form = fill_place(object, number, form + 1,
					  (size_t)(form - line), text);
		} else if (*form != ']') {
			put_char(text, *form);
			if (*form == '\n')
				line = form + 1;
		}
	}
}

void sgang_answer_text(struct json_object *object, const char *form, FILE *out)
{
	struct text text = { .out = out };

	fill(object, 0, form, form + strlen(form), &text);
	put_blanks(&text);
}

/* ---- answers ---- */

/* JSON and YAML are UTF-8; the name of a job need not be. */
static void repair(struct json_object *object)
{
	char *text;
	size_t i;

	switch (json_object_get_type(object)) {
	case json_type_object: {
		json_object_object_foreach(object, key, value)
		{
			(void)key;
			repair(value);
		}
		break;
	}
	case json_type_array:
		for (i = 0; i < json_object_array_length(object); i++)
			repair(json_object_array_get_idx(object, i));
		break;
	case json_type_string:
		text = sgang_text_repair(json_object_get_string(object));
		if (text)
			json_object_set_string(object, text);
		free(text);
		break;
	default:
		break;
	}
}

static void put_meta(struct json_object *object)
{
	struct json_object *meta;

	if (!command || !json_object_is_type(object, json_type_object))
		return;
	meta = sgang_json_inner(object, "meta");
	sgang_json_string(meta, "command", command);
	sgang_json_string(meta, "version", SGANG_ANSWER_VERSION);
	sgang_json_string(meta, "release", PACKAGE_VERSION);
}

void sgang_answer_line(struct json_object *object)
{
	repair(object);
	if (!is_yaml)
		puts(json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_PLAIN |
					JSON_C_TO_STRING_NOSLASHESCAPE));
	else if (sgang_yaml_print(object, stdout) && !ferror(stdout))
		cut(); /* main() reports write errors */
	json_object_put(object);
}

void sgang_answer_print(struct json_object *object, const char *form)
{
	if (sgang_answer_is_text()) {
		sgang_answer_text(object, form, stdout);
		json_object_put(object);
		return;
	}
	put_meta(object);
	sgang_answer_line(object);
}
