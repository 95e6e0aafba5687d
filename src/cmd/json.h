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

/* What is 0 because nobody knows it is null. */
static inline void sgang_json_known(struct json_object *object, const char *key,
				    uint64_t value)
{
	json_object_object_add(object, key,
			       value ? json_object_new_uint64(value) : NULL);
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
	json_object_object_add(object, key,
			       text && text[0] ? json_object_new_string(text) :
						 NULL);
}

static inline void sgang_json_bool(struct json_object *object, const char *key,
				   bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

#endif
