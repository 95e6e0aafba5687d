/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_layout.c - where the boxes of a picture are */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/scene_layout.h"

/* The most children in a row that are tried. */
#define COLUMNS_MAX 128

static const struct sgang_scene_detail details[] = {
	{ 40, 14, 4, 8, 16, 13, 13, 8, 12, 2.4 },
	{ 320, 8, 2, 8, 8, 10, 12, 5, 8, 2.0 },
	{ UINT32_MAX, 3, 0, 4, 8, 0, 12, 2, 4, 1.6 },
};

int sgang_scene_letters(size_t letters, int font)
{
	/* a letter of a monospaced font is 0.6 of its height */
	return (int)(letters * (size_t)font * 3 / 5);
}

struct work {
	const struct sgang_scene *scene;
	struct sgang_scene_layout *layout;
	int node_w, node_h;
};

/* ---- sizes, from below ---- */

static uint32_t marks(const struct work *work)
{
	uint32_t most = work->scene->most_slots;

	return most < work->layout->detail->marks ? most :
						    work->layout->detail->marks;
}

/* All nodes have the size of the largest with the longest name. */
static void size_node(struct work *work)
{
	const struct sgang_scene_detail *detail = work->layout->detail;
	uint32_t n = sgang_fabric_nodes(work->scene->fabric), i;
	int seats = (int)marks(work), rows, columns, step, w;
	size_t letters = 0, length;

	for (i = 0; i < n; i++) {
		length = strlen(sgang_fabric_node_name(work->scene->fabric, i));
		letters = length > letters ? length : letters;
	}
	if (letters > 24)
		letters = 24;
	step = detail->seat + detail->gap;
	columns = seats < 1               ? 1 :
		  seats < detail->columns ? seats :
					    detail->columns;
	rows = seats < 1 ? 1 : (seats + columns - 1) / columns;
	w = columns * step - detail->gap;
	if (detail->font && sgang_scene_letters(letters, detail->font) > w)
		w = sgang_scene_letters(letters, detail->font);
	work->layout->seats_y = detail->pad +
				(detail->font ? detail->font + 4 : 0);
	work->node_w = w + 2 * detail->pad;
	work->node_h = work->layout->seats_y + rows * step - detail->gap +
		       detail->lane + detail->pad / 2;
	work->layout->lane_y = work->node_h - detail->lane / 2 -
			       detail->pad / 2;
}

/* The space around the children of a domain: a title above, and a margin. */
static int margin(const struct work *work, uint32_t domain)
{
	if (sgang_scene_alone(work->scene, domain))
		return 0;
	return work->layout->detail->pad + 4;
}

static int title(const struct work *work, uint32_t domain)
{
	if (sgang_scene_alone(work->scene, domain))
		return 0;
	return work->layout->detail->title + work->layout->detail->pad + 6;
}

static uint32_t count_parts(const struct work *work, uint32_t domain)
{
	const struct sgang_domain *place =
		sgang_fabric_domain(work->scene->fabric, domain);

	return place->n_children ? place->n_children : place->n_nodes;
}

/* The i-th part of a domain: a child, or a node of a leaf. */
static struct sgang_box *part(const struct work *work, uint32_t domain,
			      uint32_t i)
{
	const struct sgang_domain *place =
		sgang_fabric_domain(work->scene->fabric, domain);

	if (place->n_children)
		return &work->layout->domain[place->first_child + i];
	return &work->layout->node[sgang_fabric_order(
		work->scene->fabric)[place->first_pos + i]];
}

static int between(const struct work *work, uint32_t domain)
{
	return sgang_fabric_domain(work->scene->fabric, domain)->n_children ?
		       work->layout->detail->pad + 4 :
		       work->layout->detail->pad;
}

/* Put the parts into rows of so many, from the corner of the domain's box, and
 * set its size. */
static void put_rows(const struct work *work, uint32_t domain, uint32_t columns,
		     int *width, int *height)
{
	uint32_t n = count_parts(work, domain), i;
	int gap = between(work, domain), x = 0, y = 0, row = 0;

	*width = 0;
	for (i = 0; i < n; i++) {
		struct sgang_box *box = part(work, domain, i);

		if (i && i % columns == 0) {
			y += row + gap;
			x = row = 0;
		}
		box->x = x;
		box->y = y;
		x += box->w + gap;
		row = box->h > row ? box->h : row;
		*width = x - gap > *width ? x - gap : *width;
	}
	*height = y + row;
}

/* The distance from the wanted shape; rows with holes are worse. */
static double badness(const struct work *work, int width, int height,
		      uint32_t n, uint32_t columns)
{
	double aspect = (double)width /
			((double)height * work->layout->detail->aspect);
	uint32_t rows = (n + columns - 1) / columns;
	double holes = (double)rows * columns / n;

	return (aspect < 1 ? 1 / aspect : aspect) * holes * holes;
}

static void size_domain(struct work *work, uint32_t domain)
{
	struct sgang_box *box = &work->layout->domain[domain];
	uint32_t n = count_parts(work, domain), columns, best = 1;
	double bad, least = 0;
	int w, h;

	for (columns = 1; columns <= n && columns <= COLUMNS_MAX; columns++) {
		put_rows(work, domain, columns, &w, &h);
		bad = badness(work, w, h, n, columns);
		if (columns == 1 || bad < least) {
			least = bad;
			best = columns;
		}
	}
	put_rows(work, domain, best, &w, &h);
	box->w = w + 2 * margin(work, domain);
	box->h = h + title(work, domain) + margin(work, domain);
}

/* ---- places, from above ---- */

static void place_parts(struct work *work, uint32_t domain)
{
	const struct sgang_box *box = &work->layout->domain[domain];
	uint32_t n = count_parts(work, domain), i;

	for (i = 0; i < n; i++) {
		struct sgang_box *inner = part(work, domain, i);

		inner->x += box->x + margin(work, domain);
		inner->y += box->y + title(work, domain);
	}
}

static void lay_out(struct work *work)
{
	const struct sgang_fabric *fabric = work->scene->fabric;
	uint32_t domains = sgang_fabric_domains(fabric), i;

	size_node(work);
	for (i = 0; i < sgang_fabric_nodes(fabric); i++) {
		work->layout->node[i].w = work->node_w;
		work->layout->node[i].h = work->node_h;
	}
	/* children come behind their parents */
	for (i = domains; i-- > 0;)
		size_domain(work, i);
	for (i = 0; i < domains; i++)
		place_parts(work, i);
	work->layout->width = work->layout->domain[0].w;
	work->layout->height = work->layout->domain[0].h;
}

struct sgang_scene_layout *
sgang_scene_layout_create(const struct sgang_scene *scene,
			  struct sgang_error *err)
{
	struct sgang_scene_layout *layout = calloc(1, sizeof(*layout));
	uint32_t n = sgang_fabric_nodes(scene->fabric);
	struct work work = { .scene = scene, .layout = layout };

	if (layout) {
		layout->domain = calloc(sgang_fabric_domains(scene->fabric),
					sizeof(*layout->domain));
		layout->node = calloc(n, sizeof(*layout->node));
	}
	if (!layout || !layout->domain || !layout->node) {
		sgang_scene_layout_destroy(layout);
		sgang_err_memory(err);
		return NULL;
	}
	layout->detail = details;
	while (n > layout->detail->nodes)
		layout->detail++;
	lay_out(&work);
	return layout;
}

void sgang_scene_layout_destroy(struct sgang_scene_layout *layout)
{
	int saved = errno;

	if (!layout)
		return;
	free(layout->domain);
	free(layout->node);
	free(layout);
	errno = saved;
}
