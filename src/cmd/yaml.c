/* SPDX-License-Identifier: GPL-2.0-or-later */
/* yaml.c - the same answer as JSON, written as YAML */

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <yaml.h>

#include "cmd/yaml.h"

/* Words that are not text in one of the versions of YAML. */
static const char *const taken[] = { "n",     "no",   "null", "off", "on",
				     "false", "true", "y",    "yes" };

/* True if the text is not read as a number, a time, or one of the words above.
 * Then it needs no quotes, unless libyaml finds a reason in its characters. */
static bool is_plain(const char *text)
{
	size_t i;

	if (!((text[0] >= 'a' && text[0] <= 'z') ||
	      (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '/'))
		return false;
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcasecmp(text, taken[i]))
			return false;
	return true;
}

static bool emit_scalar(yaml_emitter_t *emitter, const char *text, bool plain)
{
	yaml_event_t event;

	return yaml_scalar_event_initialize(&event, NULL, NULL,
					    (const yaml_char_t *)text,
					    (int)strlen(text), plain, 1,
					    YAML_ANY_SCALAR_STYLE) &&
	       yaml_emitter_emit(emitter, &event);
}

static bool emit(yaml_emitter_t *emitter, struct json_object *object);

static bool emit_list(yaml_emitter_t *emitter, struct json_object *list)
{
	size_t i, n = json_object_array_length(list);
	yaml_event_t event;

	if (!yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
						  YAML_BLOCK_SEQUENCE_STYLE) ||
	    !yaml_emitter_emit(emitter, &event))
		return false;
	for (i = 0; i < n; i++)
		if (!emit(emitter, json_object_array_get_idx(list, i)))
			return false;
	return yaml_sequence_end_event_initialize(&event) &&
	       yaml_emitter_emit(emitter, &event);
}

static bool emit_map(yaml_emitter_t *emitter, struct json_object *map)
{
	yaml_event_t event;

	if (!yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
						 YAML_BLOCK_MAPPING_STYLE) ||
	    !yaml_emitter_emit(emitter, &event))
		return false;
	json_object_object_foreach(
		map, key,
		value) if (!emit_scalar(emitter, key, is_plain(key)) ||
			   !emit(emitter, value)) return false;
	return yaml_mapping_end_event_initialize(&event) &&
	       yaml_emitter_emit(emitter, &event);
}

/* The depth is that of our own answers. */
static bool emit(yaml_emitter_t *emitter, struct json_object *object)
{
	const char *text;

	switch (json_object_get_type(object)) {
	case json_type_object:
		return emit_map(emitter, object);
	case json_type_array:
		return emit_list(emitter, object);
	case json_type_string:
		text = json_object_get_string(object);
		return emit_scalar(emitter, text, is_plain(text));
	default:
		text = object ? json_object_to_json_string(object) : "null";
		return emit_scalar(emitter, text, true);
	}
}

/* Begin, 'object', end. */
static bool emit_document(yaml_emitter_t *emitter, struct json_object *object)
{
	yaml_event_t event;

	return yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) &&
	       yaml_emitter_emit(emitter, &event) &&
	       yaml_document_start_event_initialize(&event, NULL, NULL, NULL,
						    0) &&
	       yaml_emitter_emit(emitter, &event) && emit(emitter, object) &&
	       yaml_document_end_event_initialize(&event, 1) &&
	       yaml_emitter_emit(emitter, &event) &&
	       yaml_stream_end_event_initialize(&event) &&
	       yaml_emitter_emit(emitter, &event);
}

int sgang_yaml_print(struct json_object *object, FILE *out)
{
	yaml_emitter_t emitter;
	bool done;

	if (!yaml_emitter_initialize(&emitter))
		return -1;
	yaml_emitter_set_output_file(&emitter, out);
	yaml_emitter_set_width(&emitter, -1);
	yaml_emitter_set_unicode(&emitter, 1);
	done = emit_document(&emitter, object);
	yaml_emitter_delete(&emitter);
	return done ? 0 : -1;
}
