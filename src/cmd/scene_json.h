/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_json.h - a scene as JSON, for programs and for the page's script */

#ifndef SGANG_SCENE_JSON_H
#define SGANG_SCENE_JSON_H

#include <json-c/json.h>

#include "cmd/scene.h"

/* Levels with their hop costs, domains (parents first), nodes by position,
 * gangs with their stops. The caller's. */
struct json_object *sgang_scene_json(const struct sgang_scene *scene);

#endif
