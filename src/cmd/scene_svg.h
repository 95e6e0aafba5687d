/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_svg.h - a scene as SVG */

#ifndef SGANG_SCENE_SVG_H
#define SGANG_SCENE_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/scene.h"
#include "cmd/scene_layout.h"
#include "core/base/err.h"

/* A file of its own: with its legend, and the ring of the picked gang. Returns
 * 0, or -1 with ENOMEM and 'err'. */
int sgang_scene_svg(const struct sgang_scene *scene,
		    const struct sgang_scene_layout *layout, FILE *out,
		    struct sgang_error *err);

/* The same as part of a page, with the rings of all gangs, data-ring="0" and so
 * on, of which those of class "picked" are seen. */
int sgang_scene_svg_inline(const struct sgang_scene *scene,
			   const struct sgang_scene_layout *layout, FILE *out,
			   struct sgang_error *err);

/* A sentence that describes the picture. */
void sgang_scene_svg_words(const struct sgang_scene *scene, FILE *out);

/* Generated from scene.css, page.html and page.js. */
extern const char *const sgang_scene_css[];
extern const char *const sgang_page_html[];
extern const char *const sgang_page_js[];

#endif
