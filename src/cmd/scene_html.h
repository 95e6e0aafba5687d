/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_html.h - a scene as one page that needs nothing else */

#ifndef SGANG_SCENE_HTML_H
#define SGANG_SCENE_HTML_H

#include <stdio.h>

#include "cmd/scene.h"
#include "cmd/scene_layout.h"
#include "core/base/err.h"

/* Write page.html with the picture, the tables and the data in their places.
 * Returns 0, or -1 with ENOMEM and 'err'. */
int sgang_scene_html(const struct sgang_scene *scene,
		     const struct sgang_scene_layout *layout, FILE *out,
		     struct sgang_error *err);

#endif
