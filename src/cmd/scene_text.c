/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_text.c - a scene as lines of a terminal */

#define _GNU_SOURCE /* open_memstream() */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/scene_text.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"

/* The most nodes that are drawn one by one; above, a leaf is a line. */
#define NODES_DRAWN 256

/* The number of marks of a node with more slots, and of a leaf. */
#define NODE_MARKS 8
#define LEAF_MARKS 16

/* The fewest columns in which a list of nodes is begun. */
#define NODES_ROOM 16

/* Levels of the tree, and room for the text in front of a line. */
#define DEPTH_MAX (SGANG_LEVELS + 1)

/* Symbols: with UTF-8, without, and in colour (what follows ESC [). */
struct glyph {
	const char *utf8;
	const char *ascii;
	const char *colour;
};
static const struct glyph kinds[SGANG_SCENE_KINDS] = {
	[SGANG_SCENE_THIS] = { "█", "#", "1;34" },
	[SGANG_SCENE_GANG] = { "▚", "o", "35" },
	[SGANG_SCENE_BUSY] = { "▒", "x", "33" },
	[SGANG_SCENE_FREE] = { "·", ".", "32" },
	[SGANG_SCENE_DOWN] = { "×", "!", "31" }
};
static const struct glyph branch = { "├─ ", "|- ", "2" };
static const struct glyph last_branch = { "└─ ", "`- ", "2" };
static const struct glyph stem = { "│  ", "|  ", "2" };
static const struct glyph no_stem = { "   ", "   ", NULL };
static const struct glyph leaves = { "→", ">", "1;31" };
static const struct glyph arrow = { "══", "==", "1;31" };
static const struct glyph arrow_head = { "══▶", "==>", "1;31" };

struct drawing {
	const struct sgang_scene *scene;
	const struct sgang_scene_look *look;
	FILE *out;
	int column;                           /* of the line that is written */
	const struct glyph *front[DEPTH_MAX]; /* of a line: the stems */
	int depth;
	bool summed;    /* a leaf is a line */
	bool *leaves;   /* by node: the ring leaves its leaf
			 * there; NULL: no gang is picked */
	int leaf_width; /* longest name of a leaf */
};

/* ---- lines ---- */

static void put(struct drawing *draw, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ASCII alone, so that bytes are columns. */
static void put(struct drawing *draw, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vfprintf(draw->out, fmt, args);
	va_end(args);
	if (n > 0)
		draw->column += n;
}

static void put_glyphs(struct drawing *draw, const struct glyph *glyph,
		       uint32_t count)
{
	bool colour = draw->look->colour && glyph->colour;
	const char *p, *text = draw->look->utf8 ? glyph->utf8 : glyph->ascii;

	if (!count)
		return;
	if (colour)
		fprintf(draw->out, "\033[%sm", glyph->colour);
	while (count--) {
		fputs(text, draw->out);
		/* the bytes that begin a letter */
		for (p = text; *p; p++)
			draw->column += (*p & 0xc0) != 0x80;
	}
	if (colour)
		fputs("\033[0m", draw->out);
}

static void end_line(struct drawing *draw)
{
	fputc('\n', draw->out);
	draw->column = 0;
}

/* The stems in front of a line that is not the first of its domain. */
static void put_stems(struct drawing *draw)
{
	int i;

	for (i = 0; i < draw->depth; i++)
		put_glyphs(draw, draw->front[i], 1);
}

/* The stems and the branch in front of a child's first line. */
static void put_branch(struct drawing *draw, bool last)
{
	put_stems(draw);
	put_glyphs(draw, last ? &last_branch : &branch, 1);
}

/* Go on in the next line, under the same stems, if so many columns do not fit
 * on this one. */
static void make_room(struct drawing *draw, int columns, int indent)
{
	if (draw->column + columns <= draw->look->width)
		return;
	end_line(draw);
	put_stems(draw);
	put(draw, "%*s", indent, "");
}

static void put_padding(struct drawing *draw, int to)
{
	if (draw->column < to)
		put(draw, "%*s", to - draw->column, "");
}

/* ---- what is in a domain ---- */

static const char *name_of(const struct drawing *draw, uint32_t domain,
			   char shown[SGANG_TEXT_SHOWN])
{
	const char *name =
		sgang_fabric_domain(draw->scene->fabric, domain)->name;

	return name[0] ? sgang_text_show(shown, name) : "(all)";
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The name of a kind in this picture. */
static const char *kind_name(const struct sgang_scene *scene, int kind,
			     char shown[SGANG_TEXT_SHOWN])
{
	if (kind == SGANG_SCENE_THIS && scene->picked != SGANG_SCENE_NONE)
		return sgang_text_show(shown, scene->gang[scene->picked].name);
	if (kind == SGANG_SCENE_GANG && scene->picked == SGANG_SCENE_NONE)
		return "gangs";
	return sgang_scene_kind(kind);
}

/* "24 free, 8 busy": free first, because users look for it. */
static void put_kinds(struct drawing *draw, const struct sgang_scene_sum *sum,
		      int indent)
{
	static const enum sgang_scene_kind order[] = {
		SGANG_SCENE_FREE, SGANG_SCENE_BUSY, SGANG_SCENE_THIS,
		SGANG_SCENE_GANG, SGANG_SCENE_DOWN
	};
	char shown[SGANG_TEXT_SHOWN], text[SGANG_TEXT_SHOWN + 24];
	bool first = true;
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!sum->kind[order[i]])
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " %s",
			 sum->kind[order[i]],
			 kind_name(draw->scene, order[i], shown));
		if (!first)
			put(draw, ",");
		make_room(draw, (int)strlen(text) + 2, indent - 1);
		put(draw, "%s%s", first ? "" : " ", text);
		first = false;
	}
}

static void put_marks(struct drawing *draw,
		      const uint64_t kind[SGANG_SCENE_KINDS], uint32_t n)
{
	uint32_t marks[SGANG_SCENE_KINDS];
	int i;

	sgang_scene_marks(kind, n, marks);
	for (i = 0; i < SGANG_SCENE_KINDS; i++)
		put_glyphs(draw, &kinds[i], marks[i]);
}

/* ---- a leaf, node by node ---- */

static int name_width(const struct drawing *draw, uint32_t node)
{
	char shown[SGANG_TEXT_SHOWN];

	return (int)strlen(sgang_text_show(
		shown, sgang_fabric_node_name(draw->scene->fabric, node)));
}

/* Marks of the largest node. */
static int node_marks(const struct drawing *draw)
{
	uint32_t most = draw->scene->most_slots;

	return most < NODE_MARKS ? (int)most : NODE_MARKS;
}

/* "n1 ..xx": its name, its marks, and whether the ring leaves the leaf. */
static void put_node(struct drawing *draw, uint32_t node, int width)
{
	const struct sgang_scene_node *has = &draw->scene->node[node];
	uint64_t kind[SGANG_SCENE_KINDS];
	char shown[SGANG_TEXT_SHOWN];
	int i, start = draw->column;

	for (i = 0; i < SGANG_SCENE_KINDS; i++)
		kind[i] = has->kind[i];
	put(draw, "%-*s ", width,
	    sgang_text_show(shown,
			    sgang_fabric_node_name(draw->scene->fabric, node)));
	put_marks(draw, kind, NODE_MARKS);
	if (!draw->leaves)
		return;
	put_padding(draw, start + width + 1 + node_marks(draw));
	if (draw->leaves[node])
		put_glyphs(draw, &leaves, 1);
}

/* The widest name of a node of the leaf. */
static int widest_node(const struct drawing *draw,
		       const struct sgang_domain *leaf)
{
	const uint32_t *order = sgang_fabric_order(draw->scene->fabric);
	int widest = 0, width;
	uint32_t i;

	for (i = 0; i < leaf->n_nodes; i++) {
		width = name_width(draw, order[leaf->first_pos + i]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* In columns, as many as there is room for. */
static void put_nodes(struct drawing *draw, uint32_t domain)
{
	const struct sgang_domain *leaf =
		sgang_fabric_domain(draw->scene->fabric, domain);
	const uint32_t *order = sgang_fabric_order(draw->scene->fabric);
	int width = widest_node(draw, leaf), first = draw->column;
	int cell = width + 1 + node_marks(draw) + (draw->leaves ? 1 : 0) + 2;
	int room = draw->look->width + 2 - first;
	uint32_t columns = room > cell ? (uint32_t)(room / cell) : 1, i;

	for (i = 0; i < leaf->n_nodes; i++) {
		if (i && i % columns == 0) {
			end_line(draw);
			put_stems(draw);
		}
		put_padding(draw, first + (int)(i % columns) * cell);
		put_node(draw, order[leaf->first_pos + i], width);
	}
	end_line(draw);
}

/* ---- leaves as lines ---- */

/* The name of a row of leaves, or of their nodes: "leaf[1-4]". NULL: ENOMEM. */
static char *fold_leaves(const struct drawing *draw, uint32_t first, uint32_t n)
{
	const char **names = calloc(n, sizeof(*names));
	char *text = NULL;
	uint32_t i;

	for (i = 0; names && i < n; i++)
		names[i] = sgang_fabric_domain(draw->scene->fabric, first + i)
				   ->name;
	if (names)
		text = sgang_hostlist_fold(names, n);
	free(names);
	return text;
}

static char *fold_nodes(const struct drawing *draw, uint32_t pos, uint32_t n)
{
	const uint32_t *order = sgang_fabric_order(draw->scene->fabric);
	const char **names = calloc(n, sizeof(*names));
	char *text = NULL;
	uint32_t i;

	for (i = 0; names && i < n; i++)
		names[i] = sgang_fabric_node_name(draw->scene->fabric,
						  order[pos + i]);
	if (names)
		text = sgang_hostlist_fold(names, n);
	free(names);
	return text;
}

/* At most so many columns of the text; what is cut off ends in "...". */
static void put_cut(struct drawing *draw, const char *text, int columns)
{
	int length = (int)strlen(text);
	int shown = length <= columns ? length : columns - 3;
	int i;

	for (i = 0; i < shown; i++)
		put(draw, "%c", text[i] < ' ' || text[i] > '~' ? '?' : text[i]);
	if (shown < length)
		put(draw, "...");
}

static void add_sum(struct sgang_scene_sum *to,
		    const struct sgang_scene_sum *more)
{
	int kind;

	to->nodes += more->nodes;
	to->slots += more->slots;
	for (kind = 0; kind < SGANG_SCENE_KINDS; kind++)
		to->kind[kind] += more->kind[kind];
}

/* True if two leaves show the same: as many slots of each kind. */
static bool same_sums(const struct sgang_scene_sum *a,
		      const struct sgang_scene_sum *b)
{
	if (a->all != SGANG_SCENE_KINDS)
		return a->all == b->all;
	return a->nodes == b->nodes &&
	       !memcmp(a->kind, b->kind, sizeof(a->kind));
}

/* The number of siblings, this one the first, that are one line: leaves that
 * show the same. 'sum' is that of all. */
static uint32_t alike(const struct drawing *draw, uint32_t first, uint32_t end,
		      struct sgang_scene_sum *sum)
{
	struct sgang_scene_sum one, next;
	uint32_t i;

	sgang_scene_sum(draw->scene, first, sum);
	one = *sum;
	if (sgang_fabric_domain(draw->scene->fabric, first)->n_children)
		return 1;
	for (i = first + 1; i < end; i++) {
		if (sgang_fabric_domain(draw->scene->fabric, i)->n_children)
			break;
		sgang_scene_sum(draw->scene, i, &next);
		if (!same_sums(&one, &next))
			break;
		add_sum(sum, &next);
	}
	return i - first;
}

/* "leaf[1-4]  ....xxxx  128 nodes: 512 free  n[1-128]" */
static int put_leaves(struct drawing *draw, uint32_t first, uint32_t n,
		      const struct sgang_scene_sum *sum)
{
	const struct sgang_domain *leaf =
		sgang_fabric_domain(draw->scene->fabric, first);
	char *names = fold_leaves(draw, first, n);
	char *nodes = fold_nodes(draw, leaf->first_pos, sum->nodes);
	int start = draw->column, indent = draw->leaf_width + 2;
	int rc = names && nodes ? 0 : -1;

	if (!rc) {
		put_cut(draw, names, draw->leaf_width);
		put_padding(draw, start + indent);
		put_marks(draw, sum->kind, LEAF_MARKS);
		put(draw, "  %" PRIu32 " node%s: ", sum->nodes,
		    plural(sum->nodes));
		put_kinds(draw, sum, indent + LEAF_MARKS + 2);
		/* a few letters of a list say nothing */
		if (!sgang_scene_alone(draw->scene, first) &&
		    draw->look->width - draw->column >= NODES_ROOM) {
			put(draw, "  ");
			put_cut(draw, nodes, draw->look->width - draw->column);
		}
		end_line(draw);
	}
	free(names);
	free(nodes);
	return rc;
}

/* ---- the tree ---- */

static int put_domain(struct drawing *draw, uint32_t domain);

/* "spine1  8 nodes, 32 slots: 24 free, 8 busy" */
static void put_title(struct drawing *draw, uint32_t domain)
{
	struct sgang_scene_sum sum;
	char shown[SGANG_TEXT_SHOWN];

	sgang_scene_sum(draw->scene, domain, &sum);
	if (draw->look->colour)
		fputs("\033[1m", draw->out);
	put(draw, "%s", name_of(draw, domain, shown));
	if (draw->look->colour)
		fputs("\033[0m", draw->out);
	put(draw, "  %" PRIu32 " node%s, %" PRIu64 " %s%s: ", sum.nodes,
	    plural(sum.nodes), sum.slots, draw->scene->unit, plural(sum.slots));
	put_kinds(draw, &sum, 6);
	end_line(draw);
}

static int put_children(struct drawing *draw, uint32_t domain)
{
	const struct sgang_domain *place =
		sgang_fabric_domain(draw->scene->fabric, domain);
	uint32_t end = place->first_child + place->n_children, i, n;
	struct sgang_scene_sum sum;
	int rc = 0;

	for (i = place->first_child; i < end && !rc; i += n) {
		n = draw->summed ? alike(draw, i, end, &sum) : 1;
		put_branch(draw, i + n == end);
		draw->front[draw->depth++] = i + n == end ? &no_stem : &stem;
		if (draw->summed &&
		    !sgang_fabric_domain(draw->scene->fabric, i)->n_children)
			rc = put_leaves(draw, i, n, &sum);
		else
			rc = put_domain(draw, i);
		draw->depth--;
	}
	return rc;
}

static void put_leaf(struct drawing *draw, uint32_t domain)
{
	char shown[SGANG_TEXT_SHOWN];
	int start = draw->column;

	if (!sgang_scene_alone(draw->scene, domain))
		put_cut(draw, name_of(draw, domain, shown), draw->leaf_width);
	put_padding(draw, start + draw->leaf_width + 2);
	put_nodes(draw, domain);
}

/* A domain all of whose slots are of one kind says so in its title. */
static int put_domain(struct drawing *draw, uint32_t domain)
{
	struct sgang_scene_sum sum;

	if (!sgang_fabric_domain(draw->scene->fabric, domain)->n_children) {
		put_leaf(draw, domain);
		return 0;
	}
	put_title(draw, domain);
	sgang_scene_sum(draw->scene, domain, &sum);
	if (draw->summed && draw->depth && sum.all != SGANG_SCENE_KINDS)
		return 0;
	return put_children(draw, domain);
}

/* A fabric of one leaf has its title, too. */
static int put_fabric(struct drawing *draw)
{
	struct sgang_scene_sum sum;

	if (sgang_fabric_domain(draw->scene->fabric, 0)->n_children)
		return put_domain(draw, 0);
	put_title(draw, 0);
	put_branch(draw, true);
	draw->front[draw->depth++] = &no_stem;
	sgang_scene_sum(draw->scene, 0, &sum);
	if (draw->summed && put_leaves(draw, 0, 1, &sum))
		return -1;
	if (!draw->summed)
		put_nodes(draw, 0);
	draw->depth--;
	return 0;
}

/* ---- below the tree ---- */

static void put_sample(struct drawing *draw, const struct glyph *glyph,
		       const char *name)
{
	if (draw->column) {
		make_room(draw, 5 + (int)strlen(name), 0);
		if (draw->column)
			put(draw, "   ");
	}
	put_glyphs(draw, glyph, 1);
	put(draw, " %s", name);
}

static void put_legend(struct drawing *draw)
{
	const struct sgang_scene *scene = draw->scene;
	char shown[SGANG_TEXT_SHOWN];
	int kind;

	for (kind = 0; kind < SGANG_SCENE_KINDS; kind++)
		if (kind != SGANG_SCENE_THIS || draw->leaves)
			put_sample(draw, &kinds[kind],
				   kind_name(scene, kind, shown));
	if (draw->leaves && !draw->summed)
		put_sample(draw, &leaves, "the ring leaves the leaf");
	end_line(draw);
	if (draw->summed)
		put(draw, "marks are shares of a leaf");
	else if (scene->most_slots > NODE_MARKS)
		put(draw, "marks are shares of a node");
	if (draw->column)
		end_line(draw);
}

/* A word of a list that may take several lines. */
static void put_word(struct drawing *draw, const char *word, bool last)
{
	make_room(draw, (int)strlen(word) + 2, 1);
	put(draw, " %s%s", word, last ? "" : ",");
}

/* "core 64, spine 16, leaf 4, node 2, island 1" */
static void put_costs(struct drawing *draw)
{
	const struct sgang_costs *costs = draw->scene->costs;
	uint32_t level = sgang_fabric_top_level(draw->scene->fabric) + 1;
	char word[64];

	put(draw, "a hop costs");
	while (level--) {
		snprintf(word, sizeof(word), "%s %" PRIu32, costs->name[level],
			 costs->hop[level]);
		put_word(draw, word, !level);
	}
	end_line(draw);
}

/* "leaf 6 x 4 = 24" for each level that has hops. */
static void put_hops(struct drawing *draw, const struct sgang_ring *ring)
{
	const struct sgang_costs *costs = draw->scene->costs;
	int level, last = -1;
	char word[128];

	for (level = 0; level < SGANG_LEVELS; level++)
		if (ring->hops[level])
			last = level;
	if (last < 0)
		return;
	put(draw, " ");
	for (level = 0; level <= last; level++) {
		if (!ring->hops[level])
			continue;
		snprintf(word, sizeof(word),
			 "%s %" PRIu64 " x %" PRIu32 " = %" PRIu64,
			 costs->name[level], ring->hops[level],
			 costs->hop[level],
			 ring->hops[level] * costs->hop[level]);
		put_word(draw, word, level == last);
	}
	end_line(draw);
}

/* The stops from 'first' on, up to the next costly hop or the end, as a host
 * list. Each node once. '*next' is where the rest begins. */
static char *fold_stops(const struct drawing *draw,
			const struct sgang_scene_gang *gang, size_t first,
			size_t *next)
{
	const char **names = calloc(gang->n_ring, sizeof(*names));
	struct sgang_scene_hop hop;
	char *text = NULL;
	size_t i, n = 0;

	for (i = first; names && i < gang->n_ring; i++) {
		bool moves = sgang_scene_hop(draw->scene, gang, i, &hop);

		if (moves || i + 1 == gang->n_ring)
			names[n++] = sgang_fabric_node_name(draw->scene->fabric,
							    hop.from);
		if (moves && hop.costly) {
			i++;
			break;
		}
	}
	*next = i;
	if (names)
		text = sgang_hostlist_fold(names, n);
	free(names);
	return text;
}

/* "==spine 16==> ", if the hop that leaves the stop is a costly one. */
static void put_arrow(struct drawing *draw, const struct sgang_scene_gang *gang,
		      size_t stop)
{
	const struct sgang_costs *costs = draw->scene->costs;
	struct sgang_scene_hop hop;

	if (!sgang_scene_hop(draw->scene, gang, stop, &hop) || !hop.costly)
		return;
	make_room(draw, (int)strlen(costs->name[hop.level]) + 16, 1);
	put(draw, " ");
	put_glyphs(draw, &arrow, 1);
	put(draw, "%s %" PRIu32, costs->name[hop.level], costs->hop[hop.level]);
	put_glyphs(draw, &arrow_head, 1);
}

/* "n[9-12] ==spine 16==> n[13-16] ==spine 16==> n9" */
static int put_ring(struct drawing *draw, const struct sgang_scene_gang *gang)
{
	char shown[SGANG_TEXT_SHOWN];
	size_t i, next;
	char *text;

	if (!gang->n_ring)
		return 0;
	put(draw, " ");
	for (i = 0; i < gang->n_ring; i = next) {
		text = fold_stops(draw, gang, i, &next);
		if (!text)
			return -1;
		make_room(draw, (int)strlen(text) + 18, 1);
		put(draw, " ");
		put_cut(draw, text, draw->look->width - draw->column);
		free(text);
		put_arrow(draw, gang, next - 1);
	}
	sgang_text_show(shown, sgang_fabric_node_name(draw->scene->fabric,
						      gang->stop[0].node));
	make_room(draw, (int)strlen(shown) + 9, 1);
	put(draw, " back to %s", shown);
	end_line(draw);
	return 0;
}

/* "replica1/decode  n[2-3]" for each role of a tree of groups. */
static int put_roles(struct drawing *draw, const struct sgang_scene_gang *gang)
{
	char shown[SGANG_TEXT_SHOWN];
	int width = 0, length;
	uint32_t r;

	for (r = 0; r < gang->n_roles; r++) {
		length = (int)strlen(sgang_text_show(shown, gang->role[r]));
		width = length > width ? length : width;
	}
	for (r = 0; r < gang->n_roles; r++) {
		char *nodes = sgang_scene_role_nodes(draw->scene, gang, r);

		if (!nodes)
			return -1;
		put(draw, "  %-*s ", width,
		    sgang_text_show(shown, gang->role[r]));
		make_room(draw, (int)strlen(nodes) + 1, 3);
		put(draw, " ");
		put_cut(draw, nodes, draw->look->width - draw->column);
		free(nodes);
		end_line(draw);
	}
	return 0;
}

static int put_picked(struct drawing *draw)
{
	const struct sgang_scene_gang *gang =
		&draw->scene->gang[draw->scene->picked];
	char shown[SGANG_TEXT_SHOWN], word[64];

	end_line(draw);
	put(draw, "%s  %s", sgang_text_show(shown, gang->name), gang->phase);
	if (gang->members)
		put(draw, ", %" PRIu32 " member%s", gang->members,
		    plural(gang->members));
	put(draw, ", %" PRIu64 " %s%s", gang->slots, draw->scene->unit,
	    plural(gang->slots));
	end_line(draw);
	if (put_roles(draw, gang))
		return -1;
	if (!gang->n_ring)
		return 0;
	put(draw, " ");
	snprintf(word, sizeof(word), "ring cost %" PRIu64, gang->ring.cost);
	put_word(draw, word, false);
	if (gang->best) {
		snprintf(word, sizeof(word), "in an empty cluster %" PRIu64,
			 gang->best);
		put_word(draw, word, false);
	}
	snprintf(word, sizeof(word), "%" PRIu64 " cross link%s",
		 gang->ring.cross_links, plural(gang->ring.cross_links));
	put_word(draw, word, false);
	snprintf(word, sizeof(word), "tier %s", gang->tier);
	put_word(draw, word, true);
	end_line(draw);
	put_hops(draw, &gang->ring);
	return put_ring(draw, gang);
}

/* A line for each gang, when none is picked. */
static void put_gangs(struct drawing *draw)
{
	const struct sgang_scene *scene = draw->scene;
	char shown[SGANG_TEXT_SHOWN], members[16];
	int width = 4, length;
	size_t i;

	if (!scene->n_gangs)
		return;
	for (i = 0; i < scene->n_gangs; i++) {
		length = (int)strlen(
			sgang_text_show(shown, scene->gang[i].name));
		width = length > width ? length : width;
	}
	end_line(draw);
	put(draw, "%-*s %-9s %7s %6s %6s %5s %s", width, "GANG", "PHASE",
	    "MEMBERS", "SLOTS", "RING", "CROSS", "TIER");
	end_line(draw);
	for (i = 0; i < scene->n_gangs; i++) {
		const struct sgang_scene_gang *gang = &scene->gang[i];

		snprintf(members, sizeof(members), "%" PRIu32, gang->members);
		put(draw,
		    "%-*s %-9s %7s %6" PRIu64 " %6" PRIu64 " %5" PRIu64 " %s",
		    width, sgang_text_show(shown, gang->name), gang->phase,
		    gang->members ? members : "-", gang->slots, gang->ring.cost,
		    gang->ring.cross_links, gang->tier[0] ? gang->tier : "-");
		end_line(draw);
	}
}

/* ---- all of it ---- */

/* The width of the name of a leaf, or of a row of leaves: "leaf[98-99]". */
static int leaf_width(const struct drawing *draw, const char *name)
{
	int length = (int)strlen(name), digits = 0;

	while (draw->summed && digits < length &&
	       name[length - 1 - digits] >= '0' &&
	       name[length - 1 - digits] <= '9')
		digits++;
	return digits ? length + digits + 3 : length;
}

/* The widest name, within reason. */
static int widest_leaf(const struct drawing *draw)
{
	const struct sgang_fabric *fabric = draw->scene->fabric;
	int widest = 4, most = draw->look->width / 3, width;
	uint32_t i;

	for (i = 0; i < sgang_fabric_domains(fabric); i++) {
		if (sgang_fabric_domain(fabric, i)->n_children)
			continue;
		width = leaf_width(draw, sgang_fabric_domain(fabric, i)->name);
		widest = width > widest ? width : widest;
	}
	return widest < most ? widest : most;
}

/* Mark where the ring of the picked gang leaves a leaf. */
static int mark_leaves(struct drawing *draw)
{
	const struct sgang_scene *scene = draw->scene;
	const struct sgang_scene_gang *gang;
	struct sgang_scene_hop hop;
	size_t i;

	if (scene->picked == SGANG_SCENE_NONE)
		return 0;
	draw->leaves = calloc(sgang_fabric_nodes(scene->fabric) + 1UL,
			      sizeof(*draw->leaves));
	if (!draw->leaves)
		return -1;
	gang = &scene->gang[scene->picked];
	for (i = 0; i < gang->n_ring; i++)
		if (sgang_scene_hop(scene, gang, i, &hop) && hop.costly)
			draw->leaves[hop.from] = true;
	return 0;
}

int sgang_scene_text(const struct sgang_scene *scene,
		     const struct sgang_scene_look *look, FILE *out,
		     struct sgang_error *err)
{
	struct drawing draw = { .scene = scene,
				.look = look,
				.out = out,
				.summed = sgang_fabric_nodes(scene->fabric) >
					  NODES_DRAWN };
	int rc = -1;

	draw.leaf_width = widest_leaf(&draw);
	if (mark_leaves(&draw) || put_fabric(&draw))
		goto out;
	end_line(&draw);
	put_legend(&draw);
	put_costs(&draw);
	if (scene->picked == SGANG_SCENE_NONE)
		put_gangs(&draw);
	else if (put_picked(&draw))
		goto out;
	rc = 0;
out:
	free(draw.leaves);
	return rc ? sgang_err_memory(err) : 0;
}
