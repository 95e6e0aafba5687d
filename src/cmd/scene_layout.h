/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_layout.h - where the boxes of a picture are
 *
 *   +-core------------------------------------+
 *   | +-spine1------------+ +-spine2--------+ |   a domain is a box around its
 *   | | +-leaf1-+ +-leaf2-+| |    ...       | |   children, in rows that make
 *   | | | n1 n2 | | n5 n6 || |              | |   it about as wide as a screen
 *   | | | n3 n4 | | n7 n8 || |              | |
 *   | | +-------+ +-------+| |              | |
 *   | +--------------------+ +--------------+ |
 *   +-----------------------------------------+
 *
 * The more nodes there are, the less each of them shows. All in pixels.
 */

#ifndef SGANG_SCENE_LAYOUT_H
#define SGANG_SCENE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/scene.h"
#include "core/base/err.h"

struct sgang_box {
	int x, y, w, h;
};

/* The detail of a node. */
struct sgang_scene_detail {
	uint32_t nodes; /* up to that many nodes */
	int seat;       /* a slot's width and height */
	int gap;        /* between slots */
	int columns;    /* slots in a row */
	uint32_t marks; /* slots at most; with more they are
			 * shares */
	int font;       /* of the node's name; 0: no name */
	int title;      /* font of the names of domains */
	int pad;        /* inside of a node, and between */
	int lane;       /* below the slots, for rings */
	double aspect;  /* how much wider than high a box
			 * should be */
};

struct sgang_scene_layout {
	const struct sgang_scene_detail *detail; /* static */
	struct sgang_box *domain;
	struct sgang_box *node; /* by node index */
	int seats_y;            /* of a node's slots, from its top */
	int lane_y;             /* where rings run, from its top */
	int width, height;
};

/* The width of so many letters. */
int sgang_scene_letters(size_t letters, int font);

/* NULL with ENOMEM and 'err'. */
struct sgang_scene_layout *
sgang_scene_layout_create(const struct sgang_scene *scene,
			  struct sgang_error *err);
/* NULL is fine. Keeps errno. */
void sgang_scene_layout_destroy(struct sgang_scene_layout *layout);

#endif
