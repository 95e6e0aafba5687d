/* SPDX-License-Identifier: GPL-2.0-or-later */
/* yaml.h - the same answer as JSON, written as YAML */

#ifndef SGANG_YAML_H
#define SGANG_YAML_H

#include <json-c/json.h>
#include <stdio.h>

/* Print 'object' (NULL: null) as one YAML document that begins with "---".
 * Text that YAML 1.1 or 1.2 would take for something else is quoted. Returns 0,
 * or -1 when memory is out or 'out' cannot be written. */
int sgang_yaml_print(struct json_object *object, FILE *out);

#endif
