/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - values of a JSON object, a line each */

#ifndef SGANG_JSON_H
#define SGANG_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

static inline void sgang_json_number(struct json_object *object,
				     const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

/* Null unless it is known. */
static inline void sgang_json_maybe(struct json_object *object, const char *key,
				    bool known, uint64_t value)
{
	json_object_object_add(object, key,
			       known ? json_object_new_uint64(value) : NULL);
}

/* A number that is 0 because it is unknown is null. */
static inline void sgang_json_known(struct json_object *object, const char *key,
				    uint64_t value)
{
	sgang_json_maybe(object, key, value, value);
}

/* NULL is null. */
static inline void sgang_json_string(struct json_object *object,
				     const char *key, const char *text)
{
	json_object_object_add(object, key,
			       text ? json_object_new_string(text) : NULL);
}

/* "" is null, too. */
static inline void sgang_json_text(struct json_object *object, const char *key,
				   const char *text)
{
	sgang_json_string(object, key, text && text[0] ? text : NULL);
}

static inline void sgang_json_bool(struct json_object *object, const char *key,
				   bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

/* An object or a list without anything in it, as this value: both are borrowed
 * from the object. */
static inline struct json_object *sgang_json_inner(struct json_object *object,
						   const char *key)
{
	struct json_object *inner = json_object_new_object();

	json_object_object_add(object, key, inner);
	return inner;
}

static inline struct json_object *sgang_json_list(struct json_object *object,
						  const char *key)
{
	struct json_object *list = json_object_new_array();

	json_object_object_add(object, key, list);
	return list;
}

/* An object at the end of a list, borrowed from it; and a text. */
static inline struct json_object *sgang_json_row(struct json_object *list)
{
	struct json_object *row = json_object_new_object();

	json_object_array_add(list, row);
	return row;
}

static inline void sgang_json_item(struct json_object *list, const char *text)
{
	json_object_array_add(list, json_object_new_string(text));
}

#endif
