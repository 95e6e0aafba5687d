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

/* The same for a server, from which the page fetches new data again and again.
 * Its script has that nonce, because the server's Content-Security-Policy lets
 * no other one run. Where a notice belongs there is this byte, once, which no
 * name can put there. */
#define SGANG_SCENE_HTML_NOTICE "\f"
int sgang_scene_html_served(const struct sgang_scene *scene,
			    const struct sgang_scene_layout *layout,
			    const char *nonce, FILE *out,
			    struct sgang_error *err);

/* Write the data of the page that is served: the scene as JSON, and all parts
 * of the page that depend on it as HTML. */
int sgang_scene_html_data(const struct sgang_scene *scene,
			  const struct sgang_scene_layout *layout, FILE *out,
			  struct sgang_error *err);

#endif
