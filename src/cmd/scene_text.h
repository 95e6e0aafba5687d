/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_text.h - a scene as lines of a terminal
 *
 *   core  16 nodes, 64 slots: 40 free, 8 busy, 16 root/train
 *   +- spine1  8 nodes, 32 slots: 24 free, 8 busy
 *   |  +- leaf1  n1 xxxx   n2 xxxx   n3 ....   n4 ....
 *   |  ...
 *
 * In large fabrics a leaf is one line, and neighbours of one kind are one line
 * together.
 */

#ifndef SGANG_SCENE_TEXT_H
#define SGANG_SCENE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/scene.h"
#include "core/base/err.h"

/* The fewest columns for a picture. */
#define SGANG_SCENE_TEXT_MIN 40

struct sgang_scene_look {
	int width; /* columns, SGANG_SCENE_TEXT_MIN or
		    * more */
	bool utf8; /* else ASCII */
	bool colour;
};

/* Returns 0, or -1 with ENOMEM and 'err'. */
int sgang_scene_text(const struct sgang_scene *scene,
		     const struct sgang_scene_look *look, FILE *out,
		     struct sgang_error *err);

#endif
