/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_svg.c - a scene as SVG
 *
 * All slots of a kind are one path, all boxes of nodes another: a fabric of
 * thousands of nodes is a few hundred elements. The style is in scene.css.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/markup.h"
#include "cmd/scene_svg.h"

/* Below the fabric: the legend, and what is picked. */
#define FOOT_FONT 13
#define FOOT_LINE 24
#define EDGE 14

/* The most hops on which costs are written. */
#define LABELS_MAX 16

struct canvas {
	const struct sgang_scene *scene;
	const struct sgang_scene_layout *layout;
	FILE *out;
	uint32_t *taken; /* by node: marks that were drawn */
	bool alone;      /* a file of its own */
};

static void text_at(struct canvas *canvas, const char *class, int x, int y,
		    int font, const char *text, int width)
{
	int letters = width * 5 / (3 * font);

	if (letters < 1)
		return;
	fprintf(canvas->out,
		"<text class=\"%s\" x=\"%d\" y=\"%d\" "
		"font-size=\"%d\">",
		class, x, y, font);
	sgang_markup_text(canvas->out, text, (size_t)letters);
	fputs("</text>\n", canvas->out);
}

static void rect_path(struct canvas *canvas, int x, int y, int w, int h)
{
	fprintf(canvas->out, "M%d %dh%dv%dh-%dz", x, y, w, h, w);
}

/* ---- boxes ---- */

/* The longest title that has room: "leaf1  12 of 16 free", "leaf1". */
static void put_title(struct canvas *canvas, uint32_t domain)
{
	const struct sgang_box *box = &canvas->layout->domain[domain];
	int font = canvas->layout->detail->title, room = box->w - 2 * 8;
	const char *name =
		sgang_fabric_domain(canvas->scene->fabric, domain)->name;
	struct sgang_scene_sum sum;
	char free_slots[64];
	int used, count;

	if (!name[0])
		name = "(all)";
	sgang_scene_sum(canvas->scene, domain, &sum);
	text_at(canvas, "name", box->x + 8, box->y + font + 5, font, name,
		room);
	snprintf(free_slots, sizeof(free_slots), "%" PRIu64 "/%" PRIu64 " free",
		 sum.kind[SGANG_SCENE_FREE], sum.slots);
	used = sgang_scene_letters(strlen(name) + 1, font);
	count = sgang_scene_letters(strlen(free_slots), font - 1);
	if (used + count <= room)
		text_at(canvas, "count", box->x + box->w - 8, box->y + font + 5,
			font - 1, free_slots, count + font);
}

static void put_domains(struct canvas *canvas)
{
	const struct sgang_fabric *fabric = canvas->scene->fabric;
	uint32_t n = sgang_fabric_domains(fabric), i;

	fputs("<g class=\"domains\">\n", canvas->out);
	for (i = 0; i < n; i++) {
		const struct sgang_box *box = &canvas->layout->domain[i];
		bool leaf = !sgang_fabric_domain(fabric, i)->n_children;

		if (sgang_scene_alone(canvas->scene, i))
			continue;
		fprintf(canvas->out,
			"<rect class=\"%s\" x=\"%d\" y=\"%d\" "
			"width=\"%d\" height=\"%d\" rx=\"%d\"/>\n",
			leaf ? "leaf" : "above", box->x, box->y, box->w, box->h,
			leaf ? 5 : 8);
	}
	for (i = 0; i < n; i++)
		if (!sgang_scene_alone(canvas->scene, i))
			put_title(canvas, i);
	fputs("</g>\n", canvas->out);
}

static void put_nodes(struct canvas *canvas)
{
	const struct sgang_fabric *fabric = canvas->scene->fabric;
	uint32_t n = sgang_fabric_nodes(fabric), i;

	fputs("<path class=\"node\" d=\"", canvas->out);
	for (i = 0; i < n; i++) {
		const struct sgang_box *box = &canvas->layout->node[i];

		rect_path(canvas, box->x, box->y, box->w, box->h);
	}
	fputs("\"/>\n", canvas->out);
}

static void put_labels(struct canvas *canvas)
{
	const struct sgang_fabric *fabric = canvas->scene->fabric;
	uint32_t n = sgang_fabric_nodes(fabric), i;
	int font = canvas->layout->detail->font;
	int pad = canvas->layout->detail->pad;

	for (i = 0; font && i < n; i++) {
		const struct sgang_box *box = &canvas->layout->node[i];

		text_at(canvas, "label", box->x + pad, box->y + pad + font - 2,
			font, sgang_fabric_node_name(fabric, i), box->w - pad);
	}
}

/* ---- slots ---- */

/* Draw 'count' marks of a node, behind those drawn before. Without a gap
 * between them those of a row are one rectangle. */
static void put_marks(struct canvas *canvas, uint32_t node, uint32_t count)
{
	const struct sgang_scene_detail *detail = canvas->layout->detail;
	const struct sgang_box *box = &canvas->layout->node[node];
	int step = detail->seat + detail->gap;
	uint32_t columns = (uint32_t)detail->columns, run;

	while (count) {
		uint32_t at = canvas->taken[node];
		int x = box->x + detail->pad + (int)(at % columns) * step;
		int y = box->y + canvas->layout->seats_y +
			(int)(at / columns) * step;

		run = detail->gap ? 1 : columns - at % columns;
		run = run > count ? count : run;
		rect_path(canvas, x, y, (int)run * detail->seat, detail->seat);
		canvas->taken[node] += run;
		count -= run;
	}
}

static void node_marks(const struct canvas *canvas, uint32_t node,
		       uint32_t marks[SGANG_SCENE_KINDS])
{
	uint64_t kind[SGANG_SCENE_KINDS];
	int i;

	for (i = 0; i < SGANG_SCENE_KINDS; i++)
		kind[i] = canvas->scene->node[node].kind[i];
	sgang_scene_marks(kind, canvas->layout->detail->marks, marks);
}

/* The stop's part of its node's marks for gangs: all, unless gangs share the
 * node; then its share, and at least one if one is left. */
static uint32_t stop_marks(const struct canvas *canvas,
			   const struct sgang_scene_stop *stop)
{
	const struct sgang_scene_node *node = &canvas->scene->node[stop->node];
	uint32_t marks[SGANG_SCENE_KINDS], all, slots, left, share;

	node_marks(canvas, stop->node, marks);
	all = marks[SGANG_SCENE_THIS] + marks[SGANG_SCENE_GANG];
	slots = node->kind[SGANG_SCENE_THIS] + node->kind[SGANG_SCENE_GANG];
	left = all - canvas->taken[stop->node];
	if (!stop->slots || !slots || !left)
		return 0;
	share = (uint32_t)(((uint64_t)all * stop->slots + slots / 2) / slots);
	if (!share)
		share = 1;
	return share > left ? left : share;
}

static void put_gangs(struct canvas *canvas)
{
	const struct sgang_scene *scene = canvas->scene;
	size_t g, i;

	for (g = 0; g < scene->n_gangs; g++) {
		const struct sgang_scene_gang *gang = &scene->gang[g];

		fprintf(canvas->out,
			"<path class=\"gang%s\" data-gang=\"%zu\" "
			"d=\"",
			g == scene->picked ? " picked" : "", g);
		for (i = 0; i < gang->n_stops; i++)
			put_marks(canvas, gang->stop[i].node,
				  stop_marks(canvas, &gang->stop[i]));
		fputs("\"/>\n", canvas->out);
	}
}

static void put_kind(struct canvas *canvas, enum sgang_scene_kind kind,
		     const char *class)
{
	uint32_t n = sgang_fabric_nodes(canvas->scene->fabric), i;
	uint32_t marks[SGANG_SCENE_KINDS];

	fprintf(canvas->out, "<path class=\"%s\" d=\"", class);
	for (i = 0; i < n; i++) {
		node_marks(canvas, i, marks);
		put_marks(canvas, i, marks[kind]);
	}
	fputs("\"/>\n", canvas->out);
}

static void put_slots(struct canvas *canvas)
{
	put_gangs(canvas);
	put_kind(canvas, SGANG_SCENE_BUSY, "busy");
	put_kind(canvas, SGANG_SCENE_FREE, "free");
	put_kind(canvas, SGANG_SCENE_DOWN, "down");
}

/* ---- rings ---- */

struct point {
	double x, y;
};

/* The line on which rings pass a node: below its slots, so that they hide none.
 */
static struct point lane(const struct canvas *canvas, uint32_t node)
{
	const struct sgang_box *box = &canvas->layout->node[node];

	return (struct point){ box->x + box->w / 2.0,
			       box->y + canvas->layout->lane_y };
}

/* The bend of a costly hop, to its left: there and back are two lines. */
static struct point bend(struct point a, struct point b)
{
	double dx = b.x - a.x, dy = b.y - a.y, part = 0.22;

	return (struct point){ (a.x + b.x) / 2 + part * dy,
			       (a.y + b.y) / 2 - part * dx };
}

/* A hop within a leaf runs along the lanes of a row, or between the rows and
 * beside the column of its end, as on a circuit board. */
static void put_trace(struct canvas *canvas, const struct sgang_scene_hop *hop)
{
	const struct sgang_box *from = &canvas->layout->node[hop->from];
	const struct sgang_box *to = &canvas->layout->node[hop->to];
	double gap = canvas->layout->detail->pad / 2.0;
	struct point a = lane(canvas, hop->from), b = lane(canvas, hop->to);

	fprintf(canvas->out, "M%g %g", a.x, a.y);
	if (from->y != to->y)
		fprintf(canvas->out, "V%gH%gV%g", from->y + from->h + gap,
			to->x - gap, b.y);
	fprintf(canvas->out, "H%g", b.x);
}

static void put_curve(struct canvas *canvas, const struct sgang_scene_hop *hop)
{
	struct point a = lane(canvas, hop->from), b = lane(canvas, hop->to);
	struct point c = bend(a, b);

	fprintf(canvas->out, "M%.0f %.0fQ%.0f %.0f %.0f %.0f", a.x, a.y, c.x,
		c.y, b.x, b.y);
}

/* An arrow head where a hop comes into the node it goes to. */
static void put_head(struct canvas *canvas, const struct sgang_scene_hop *hop)
{
	struct point a = lane(canvas, hop->from), b = lane(canvas, hop->to);
	const struct sgang_box *to = &canvas->layout->node[hop->to];
	double size = canvas->layout->detail->lane / 2.0;
	bool right = canvas->layout->node[hop->from].y != to->y || a.x < b.x;
	double x = right ? to->x + size : to->x + to->w - size;

	if (right)
		fprintf(canvas->out, "M%g %gl%g %gv%gz", x + size, b.y, -size,
			-size / 2, size);
	else
		fprintf(canvas->out, "M%g %gl%g %gv%gz", x - size, b.y, size,
			-size / 2, size);
}

/* All hops of a ring that are of one sort, as one path. */
static void put_hops(struct canvas *canvas, const struct sgang_scene_gang *gang,
		     const char *class, bool costly,
		     void (*put)(struct canvas *canvas,
				 const struct sgang_scene_hop *hop))
{
	struct sgang_scene_hop hop;
	size_t i;

	fprintf(canvas->out, "<path class=\"%s\" d=\"", class);
	for (i = 0; i < gang->n_ring; i++)
		if (sgang_scene_hop(canvas->scene, gang, i, &hop) &&
		    hop.costly == costly)
			put(canvas, &hop);
	fputs("\"/>\n", canvas->out);
}

/* The cost of each costly hop, on a plate in its middle. */
static void put_costs(struct canvas *canvas,
		      const struct sgang_scene_gang *gang)
{
	struct sgang_scene_hop hop;
	struct point a, b, c;
	char cost[16];
	int n = 0, w;
	size_t i;

	for (i = 0; i < gang->n_ring && n < LABELS_MAX; i++) {
		if (!sgang_scene_hop(canvas->scene, gang, i, &hop) ||
		    !hop.costly)
			continue;
		n++;
		a = lane(canvas, hop.from);
		b = lane(canvas, hop.to);
		c = bend(a, b);
		c.x = c.x / 2 + (a.x + b.x) / 4;
		c.y = c.y / 2 + (a.y + b.y) / 4;
		snprintf(cost, sizeof(cost), "%" PRIu32,
			 canvas->scene->costs->hop[hop.level]);
		w = sgang_scene_letters(strlen(cost), 12) + 12;
		fprintf(canvas->out,
			"<rect class=\"plate\" x=\"%.0f\" "
			"y=\"%.0f\" width=\"%d\" height=\"18\" rx=\"9\"/>"
			"<text class=\"cost\" x=\"%.0f\" y=\"%.0f\" "
			"font-size=\"12\">%s</text>\n",
			c.x - w / 2.0, c.y - 9, w, c.x, c.y + 4.5, cost);
	}
}

static void put_lines(struct canvas *canvas,
		      const struct sgang_scene_gang *gang)
{
	struct point start = lane(canvas, gang->stop[0].node);

	put_hops(canvas, gang, "hop", false, put_trace);
	put_hops(canvas, gang, "head", false, put_head);
	put_hops(canvas, gang, "halo", true, put_curve);
	put_hops(canvas, gang, "costly", true, put_curve);
	fprintf(canvas->out,
		"<circle class=\"start\" cx=\"%.0f\" "
		"cy=\"%.0f\" r=\"%d\"/>\n",
		start.x, start.y, canvas->layout->detail->font ? 4 : 3);
}

/* A part of each ring: its lines, or its costs. */
static void put_rings(struct canvas *canvas,
		      void (*put)(struct canvas *canvas,
				  const struct sgang_scene_gang *gang))
{
	const struct sgang_scene *scene = canvas->scene;
	size_t i;

	for (i = 0; i < scene->n_gangs; i++) {
		if (!scene->gang[i].n_ring ||
		    (canvas->alone && i != scene->picked))
			continue;
		fprintf(canvas->out,
			"<g class=\"ring%s\" data-ring=\"%zu\" "
			"stroke-width=\"%g\">\n",
			i == scene->picked ? " picked" : "", i,
			canvas->layout->detail->lane / 6.0);
		put(canvas, &scene->gang[i]);
		fputs("</g>\n", canvas->out);
	}
}

/* ---- words ---- */

/* "1 node", "2 nodes" */
static void put_number(FILE *out, uint64_t n, const char *what)
{
	fprintf(out, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

void sgang_scene_svg_words(const struct sgang_scene *scene, FILE *out)
{
	char when[SGANG_ANSWER_TIME];
	struct sgang_scene_sum sum;

	sgang_scene_sum(scene, 0, &sum);
	put_number(out, sum.nodes, "node");
	fputs(" with ", out);
	put_number(out, sum.slots, scene->unit);
	fprintf(out,
		": %" PRIu64 " free, %" PRIu64 " busy, %" PRIu64
		" in gangs, %" PRIu64 " down. ",
		sum.kind[SGANG_SCENE_FREE], sum.kind[SGANG_SCENE_BUSY],
		sum.kind[SGANG_SCENE_THIS] + sum.kind[SGANG_SCENE_GANG],
		sum.kind[SGANG_SCENE_DOWN]);
	put_number(out, scene->n_gangs, "gang");
	fputs(".", out);
	if (scene->when)
		fprintf(out, " As of %s.",
			sgang_answer_time(scene->when, when));
}

/* "alice/train: ring cost 56, 2 cross links, tier spine" */
static void picked_words(const struct sgang_scene *scene, char *text,
			 size_t size)
{
	const struct sgang_scene_gang *gang = &scene->gang[scene->picked];

	if (!gang->n_ring)
		snprintf(text, size, "%s: no ring yet", gang->name);
	else
		snprintf(text, size,
			 "%s: ring cost %" PRIu64 ", %" PRIu64
			 " cross link%s, tier %s",
			 gang->name, gang->ring.cost, gang->ring.cross_links,
			 gang->ring.cross_links == 1 ? "" : "s", gang->tier);
}

static void put_words(struct canvas *canvas)
{
	const struct sgang_scene *scene = canvas->scene;
	const char *name = sgang_fabric_domain(scene->fabric, 0)->name;
	char text[512];

	fputs("<title id=\"fabric-title\">Fabric", canvas->out);
	if (name[0]) {
		fputc(' ', canvas->out);
		sgang_markup_text(canvas->out, name, 64);
	}
	fputs("</title>\n<desc id=\"fabric-desc\">", canvas->out);
	sgang_scene_svg_words(scene, canvas->out);
	if (scene->picked != SGANG_SCENE_NONE) {
		picked_words(scene, text, sizeof(text));
		fputc(' ', canvas->out);
		sgang_markup_text(canvas->out, text, sizeof(text));
		fputc('.', canvas->out);
	}
	fputs("</desc>\n", canvas->out);
}

/* A sample of each kind and its name. */
static void put_legend(struct canvas *canvas, int y)
{
	static const struct {
		const char *class;
		const char *name;
	} samples[] = {
		{ "gang picked", "this gang" },
		{ "gang", "gang" },
		{ "busy", "busy" },
		{ "free", "free" },
		{ "down", "down" },
	};
	size_t i;
	int x = EDGE;

	fputs("<g class=\"legend\">\n", canvas->out);
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		fprintf(canvas->out, "<path class=\"%s\" d=\"",
			samples[i].class);
		rect_path(canvas, x, y - 11, 13, 13);
		fprintf(canvas->out,
			"\"/><text class=\"name\" x=\"%d\" "
			"y=\"%d\" font-size=\"%d\">%s</text>\n",
			x + 20, y, FOOT_FONT, samples[i].name);
		x += 20 + sgang_scene_letters(strlen(samples[i].name) + 3,
					      FOOT_FONT);
	}
	fputs("</g>\n", canvas->out);
}

/* ---- all of it ---- */

static void put_css(FILE *out)
{
	const char *const *line;

	fputs("<style>\n", out);
	for (line = sgang_scene_css; *line; line++)
		fputs(*line, out);
	fputs("</style>\n", out);
}

/* Stripes, and a cross: kinds can be told apart without colours. */
static void put_patterns(FILE *out)
{
	fputs("<defs>\n"
	      "<pattern id=\"stripes\" width=\"4\" height=\"4\" "
	      "patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(45)\">"
	      "<rect class=\"stripe-ground\" width=\"4\" height=\"4\"/>"
	      "<rect class=\"stripe\" width=\"2.4\" height=\"4\"/>"
	      "</pattern>\n"
	      "<pattern id=\"crosses\" width=\"5\" height=\"5\" "
	      "patternUnits=\"userSpaceOnUse\">"
	      "<path class=\"cross\" d=\"M0 0L5 5M5 0L0 5\"/>"
	      "</pattern>\n"
	      "</defs>\n",
	      out);
}

/* The foot may be wider than a small fabric. */
static void measure(const struct canvas *canvas, int *width, int *height)
{
	char text[512] = "";
	int foot = sgang_scene_letters(48, FOOT_FONT) + 5 * 20;
	int words;

	if (canvas->scene->picked != SGANG_SCENE_NONE && canvas->alone)
		picked_words(canvas->scene, text, sizeof(text));
	words = sgang_scene_letters(strlen(text), FOOT_FONT) + 2 * EDGE;
	*width = canvas->layout->width + 2 * EDGE;
	*width = foot > *width ? foot : *width;
	*width = words > *width ? words : *width;
	*height = canvas->layout->height + 2 * EDGE + FOOT_LINE;
	if (text[0])
		*height += FOOT_LINE;
}

static void put_foot(struct canvas *canvas, int width)
{
	int y = canvas->layout->height + 2 * EDGE + FOOT_FONT;
	char text[512];

	put_legend(canvas, y);
	if (canvas->scene->picked == SGANG_SCENE_NONE || !canvas->alone)
		return;
	picked_words(canvas->scene, text, sizeof(text));
	text_at(canvas, "name", EDGE, y + FOOT_LINE, FOOT_FONT, text,
		width - EDGE);
}

/* Rings pass below names and slots, but where nodes are so small that they
 * would hide them. */
static void put_fabric(struct canvas *canvas)
{
	bool small = !canvas->layout->detail->font;

	put_domains(canvas);
	put_nodes(canvas);
	if (!small)
		put_rings(canvas, put_lines);
	put_slots(canvas);
	put_labels(canvas);
	if (small)
		put_rings(canvas, put_lines);
	put_rings(canvas, put_costs);
}

static int draw(struct canvas *canvas, struct sgang_error *err)
{
	int width, height;

	canvas->taken = calloc(sgang_fabric_nodes(canvas->scene->fabric) + 1UL,
			       sizeof(*canvas->taken));
	if (!canvas->taken)
		return sgang_err_memory(err);
	measure(canvas, &width, &height);
	fprintf(canvas->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"class=\"scene\" viewBox=\"0 0 %d %d\"",
		width, height);
	if (canvas->alone)
		fprintf(canvas->out, " width=\"%d\" height=\"%d\"", width,
			height);
	fputs(" role=\"img\" aria-labelledby=\"fabric-title fabric-desc\">\n",
	      canvas->out);
	put_words(canvas);
	put_css(canvas->out);
	put_patterns(canvas->out);
	fprintf(canvas->out,
		"<rect class=\"ground\" width=\"%d\" "
		"height=\"%d\" rx=\"10\"/>\n",
		width, height);
	fprintf(canvas->out,
		"<g id=\"fabric\" "
		"transform=\"translate(%d %d)\">\n",
		EDGE, EDGE);
	put_fabric(canvas);
	fputs("</g>\n", canvas->out);
	put_foot(canvas, width);
	fputs("</svg>\n", canvas->out);
	free(canvas->taken);
	return 0;
}

int sgang_scene_svg(const struct sgang_scene *scene,
		    const struct sgang_scene_layout *layout, FILE *out,
		    struct sgang_error *err)
{
	struct canvas canvas = {
		.scene = scene, .layout = layout, .out = out, .alone = true
	};

	return draw(&canvas, err);
}

int sgang_scene_svg_inline(const struct sgang_scene *scene,
			   const struct sgang_scene_layout *layout, FILE *out,
			   struct sgang_error *err)
{
	struct canvas canvas = { .scene = scene, .layout = layout, .out = out };

	return draw(&canvas, err);
}
