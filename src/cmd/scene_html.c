/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_html.c - a scene as one page that needs nothing else
 *
 * The page is page.html. A line of it that is a marker, "@GANGS@", is replaced
 * by what the table of markers says. Some of them are parts that a page which
 * is served replaces as time goes by.
 */

#define _GNU_SOURCE /* open_memstream() */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/json.h"
#include "cmd/markup.h"
#include "cmd/scene_html.h"
#include "cmd/scene_json.h"
#include "cmd/scene_svg.h"
#include "core/base/text.h"

/* The longest name that is shown in a table. */
#define NAME_MAX_SHOWN 128

struct page {
	const struct sgang_scene *scene;
	const struct sgang_scene_layout *layout;
	const char *nonce; /* of the page's script; NULL: it is a file */
	FILE *out;
};

static void put_cell(struct page *page, uint64_t number)
{
	fprintf(page->out, "<td class=\"number\">%" PRIu64 "</td>", number);
}

static int put_title(struct page *page, struct sgang_error *err)
{
	const char *name = sgang_fabric_domain(page->scene->fabric, 0)->name;

	(void)err;
	if (page->scene->cluster[0]) {
		fputs("Cluster ", page->out);
		sgang_markup_text(page->out, page->scene->cluster,
				  NAME_MAX_SHOWN);
		fputs(": fabric", page->out);
	} else {
		fputs("Fabric", page->out);
	}
	if (name[0])
		fputc(' ', page->out);
	sgang_markup_text(page->out, name, NAME_MAX_SHOWN);
	fputc('\n', page->out);
	return 0;
}

static int put_summary(struct page *page, struct sgang_error *err)
{
	(void)err;
	sgang_scene_svg_words(page->scene, page->out);
	fputc('\n', page->out);
	return 0;
}

static int put_svg(struct page *page, struct sgang_error *err)
{
	return sgang_scene_svg_inline(page->scene, page->layout, page->out,
				      err);
}

/* The level and the cost of a hop there, the highest first. */
static int put_levels(struct page *page, struct sgang_error *err)
{
	const struct sgang_costs *costs = page->scene->costs;
	uint32_t level = sgang_fabric_top_level(page->scene->fabric) + 1;

	(void)err;
	while (level--) {
		fprintf(page->out, "<tr%s><th scope=\"row\">",
			level > costs->leaf ? " data-crosses" : "");
		sgang_markup_text(page->out, costs->name[level],
				  NAME_MAX_SHOWN);
		fputs("</th>", page->out);
		put_cell(page, costs->hop[level]);
		fputs("<td class=\"number\"></td><td class=\"number\"></td>"
		      "</tr>\n",
		      page->out);
	}
	return 0;
}

/* "leaf 6 x 4, spine 2 x 16" */
static void put_hops(struct page *page, const struct sgang_ring *ring)
{
	const struct sgang_costs *costs = page->scene->costs;
	const char *comma = "";
	int i;

	for (i = 0; i < SGANG_LEVELS; i++) {
		if (!ring->hops[i])
			continue;
		fputs(comma, page->out);
		sgang_markup_text(page->out, costs->name[i], NAME_MAX_SHOWN);
		fprintf(page->out,
			"&nbsp;%" PRIu64 "&nbsp;&times;&nbsp;%" PRIu32,
			ring->hops[i], costs->hop[i]);
		comma = ", ";
	}
}

static void put_gang(struct page *page, size_t which)
{
	const struct sgang_scene_gang *gang = &page->scene->gang[which];

	fprintf(page->out,
		"<tr data-gang=\"%zu\"><th scope=\"row\"><button "
		"type=\"button\" class=\"pick\" data-gang=\"%zu\" "
		"aria-pressed=\"%s\" tabindex=\"%d\">",
		which, which, which == page->scene->picked ? "true" : "false",
		which ? -1 : 0);
	sgang_markup_text(page->out, gang->name, NAME_MAX_SHOWN);
	fprintf(page->out, "</button></th><td>%s</td>", gang->phase);
	if (gang->members)
		put_cell(page, gang->members);
	else
		fputs("<td class=\"number\">-</td>", page->out);
	put_cell(page, gang->slots);
	if (gang->n_ring) {
		put_cell(page, gang->ring.cost);
		put_cell(page, gang->ring.cross_links);
		fputs("<td>", page->out);
		sgang_markup_text(page->out, gang->tier, NAME_MAX_SHOWN);
		fputs("</td><td class=\"words\">", page->out);
		put_hops(page, &gang->ring);
		fputs("</td></tr>\n", page->out);
	} else {
		fputs("<td class=\"number\">-</td><td class=\"number\">-</td>"
		      "<td>-</td><td>-</td></tr>\n",
		      page->out);
	}
}

static int put_gangs(struct page *page, struct sgang_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < page->scene->n_gangs; i++)
		put_gang(page, i);
	if (!page->scene->n_gangs)
		fputs("<tr><td colspan=\"8\">No gang has nodes.</td></tr>\n",
		      page->out);
	return 0;
}

/* A row for each role of each gang that is a tree of groups. */
static int put_roles(struct page *page, struct sgang_error *err)
{
	const struct sgang_scene *scene = page->scene;

	for (size_t i = 0; i < scene->n_gangs; i++) {
		const struct sgang_scene_gang *gang = &scene->gang[i];

		for (uint32_t r = 0; r < gang->n_roles; r++) {
			char *nodes = sgang_scene_role_nodes(scene, gang, r);

			if (!nodes)
				return sgang_err_memory(err);
			fputs("<tr><th scope=\"row\">", page->out);
			sgang_markup_text(page->out, gang->name,
					  NAME_MAX_SHOWN);
			fputs("</th><td>", page->out);
			sgang_markup_text(page->out, gang->role[r],
					  NAME_MAX_SHOWN);
			fputs("</td><td class=\"words\">", page->out);
			sgang_markup_text(page->out, nodes, NAME_MAX_SHOWN);
			fputs("</td></tr>\n", page->out);
			free(nodes);
		}
	}
	return 0;
}

/* The picture in words: a row for each domain. */
static int put_domains(struct page *page, struct sgang_error *err)
{
	const struct sgang_scene *scene = page->scene;
	uint32_t n = sgang_fabric_domains(scene->fabric), i;
	struct sgang_scene_sum sum;

	(void)err;
	for (i = 0; i < n; i++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(scene->fabric, i);

		sgang_scene_sum(scene, i, &sum);
		fputs("<tr><th scope=\"row\">", page->out);
		sgang_markup_text(page->out,
				  domain->name[0] ? domain->name : "(all)",
				  NAME_MAX_SHOWN);
		fputs("</th><td>", page->out);
		sgang_markup_text(page->out, scene->costs->name[domain->level],
				  NAME_MAX_SHOWN);
		fputs("</td>", page->out);
		put_cell(page, sum.nodes);
		put_cell(page, sum.slots);
		put_cell(page, sum.kind[SGANG_SCENE_FREE]);
		put_cell(page, sum.kind[SGANG_SCENE_BUSY]);
		put_cell(page, sum.kind[SGANG_SCENE_THIS] +
				       sum.kind[SGANG_SCENE_GANG]);
		put_cell(page, sum.kind[SGANG_SCENE_DOWN]);
		fputs("</tr>\n", page->out);
	}
	return 0;
}

/* The corner of each node's box, in the order of the nodes of the scene. */
static struct json_object *json_places(const struct page *page)
{
	struct json_object *list = json_object_new_array();
	const uint32_t *order = sgang_fabric_order(page->scene->fabric);
	uint32_t n = sgang_fabric_nodes(page->scene->fabric), i;

	for (i = 0; i < n; i++) {
		const struct sgang_box *box = &page->layout->node[order[i]];

		json_object_array_add(list, json_object_new_int(box->x));
		json_object_array_add(list, json_object_new_int(box->y));
	}
	return list;
}

/* The corners and the size of each domain's box. */
static struct json_object *json_boxes(const struct page *page)
{
	struct json_object *list = json_object_new_array();
	uint32_t n = sgang_fabric_domains(page->scene->fabric), i;

	for (i = 0; i < n; i++) {
		const struct sgang_box *box = &page->layout->domain[i];

		json_object_array_add(list, json_object_new_int(box->x));
		json_object_array_add(list, json_object_new_int(box->y));
		json_object_array_add(list, json_object_new_int(box->w));
		json_object_array_add(list, json_object_new_int(box->h));
	}
	return list;
}

/* To be dropped by the caller. */
static struct json_object *json_data(const struct page *page)
{
	struct json_object *object = sgang_scene_json(page->scene);

	if (page->nonce) /* the server says when */
		json_object_object_del(object, "when");
	sgang_json_string(object, "version", PACKAGE_VERSION);
	sgang_json_bool(object, "live", page->nonce);
	json_object_object_add(object, "places", json_places(page));
	json_object_object_add(object, "boxes", json_boxes(page));
	json_object_object_add(object, "width",
			       json_object_new_int(page->layout->node[0].w));
	json_object_object_add(object, "height",
			       json_object_new_int(page->layout->node[0].h));
	json_object_object_add(object, "queue",
			       json_object_get(page->scene->queue));
	return object;
}

static int put_data(struct page *page, struct sgang_error *err)
{
	struct json_object *object = json_data(page);
	int rc = sgang_markup_json(page->out, object);

	fputc('\n', page->out);
	json_object_put(object);
	return rc ? sgang_err_memory(err) : 0;
}

/* What a page may do is said by the server, or by the file itself. */
static int put_policy(struct page *page, struct sgang_error *err)
{
	(void)err;
	if (!page->nonce)
		fputs("<meta http-equiv=\"Content-Security-Policy\" "
		      "content=\"default-src 'none'; img-src data:; "
		      "style-src 'unsafe-inline'; "
		      "script-src 'unsafe-inline'\">\n",
		      page->out);
	return 0;
}

static int put_script(struct page *page, struct sgang_error *err)
{
	(void)err;
	if (page->nonce)
		fprintf(page->out, "<script nonce=\"%s\">\n", page->nonce);
	else
		fputs("<script>\n", page->out);
	return 0;
}

static int put_js(struct page *page, struct sgang_error *err)
{
	const char *const *line;

	(void)err;
	for (line = sgang_page_js; *line; line++)
		fputs(*line, page->out);
	return 0;
}

static int put_notice(struct page *page, struct sgang_error *err)
{
	(void)err;
	fputs(page->nonce ? SGANG_SCENE_HTML_NOTICE :
			    "<p id=\"notice\" role=\"status\" hidden></p>\n",
	      page->out);
	return 0;
}

/* The replacement of a line of page.html. */
static const struct marker {
	const char *line;
	int (*put)(struct page *page, struct sgang_error *err);
	const char *part; /* its name in the data; NULL: it stays */
} markers[] = {
	{ "@DATA@\n", put_data, NULL },
	{ "@DOMAINS@\n", put_domains, "domains" },
	{ "@GANGS@\n", put_gangs, "gangs" },
	{ "@JS@\n", put_js, NULL },
	{ "@LEVELS@\n", put_levels, "levels" },
	{ "@NOTICE@\n", put_notice, NULL },
	{ "@POLICY@\n", put_policy, NULL },
	{ "@ROLES@\n", put_roles, "roles" },
	{ "@SCRIPT@\n", put_script, NULL },
	{ "@SUMMARY@\n", put_summary, "summary" },
	{ "@SVG@\n", put_svg, "picture" },
	{ "@TITLE@\n", put_title, NULL },
};
#define N_MARKERS (sizeof(markers) / sizeof(markers[0]))

static int put_line(struct page *page, const char *line,
		    struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < N_MARKERS; i++)
		if (!strcmp(line, markers[i].line))
			return markers[i].put(page, err);
	fputs(line, page->out);
	return 0;
}

static int put_page(struct page *page, struct sgang_error *err)
{
	const char *const *line;

	for (line = sgang_page_html; *line; line++)
		if (put_line(page, *line, err))
			return -1;
	return 0;
}

int sgang_scene_html(const struct sgang_scene *scene,
		     const struct sgang_scene_layout *layout, FILE *out,
		     struct sgang_error *err)
{
	struct page page = { .scene = scene, .layout = layout, .out = out };

	return put_page(&page, err);
}

int sgang_scene_html_served(const struct sgang_scene *scene,
			    const struct sgang_scene_layout *layout,
			    const char *nonce, FILE *out,
			    struct sgang_error *err)
{
	struct page page = { scene, layout, nonce, out };

	return put_page(&page, err);
}

/* The text of a marker, to be freed; NULL with 'err'. */
static char *part_text(const struct page *page, const struct marker *marker,
		       struct sgang_error *err)
{
	struct page part = *page;
	char *text = NULL;
	size_t size;
	int rc;

	part.out = open_memstream(&text, &size);
	rc = part.out ? marker->put(&part, err) : sgang_err_memory(err);
	if (!sgang_text_close(part.out, &text)) {
		if (!rc)
			sgang_err_memory(err);
		return NULL;
	}
	if (!rc)
		return text;
	free(text);
	return NULL;
}

int sgang_scene_html_data(const struct sgang_scene *scene,
			  const struct sgang_scene_layout *layout, FILE *out,
			  struct sgang_error *err)
{
	const struct page page = { scene, layout, "", out };
	struct json_object *object = json_data(&page);
	struct json_object *parts = sgang_json_inner(object, "parts");
	int rc = 0;
	size_t i;

	for (i = 0; i < N_MARKERS && !rc; i++) {
		char *text;

		if (!markers[i].part)
			continue;
		text = part_text(&page, &markers[i], err);
		if (text)
			sgang_json_string(parts, markers[i].part, text);
		else
			rc = -1;
		free(text);
	}
	if (!rc && sgang_markup_json(out, object))
		rc = sgang_err_memory(err);
	json_object_put(object);
	return rc;
}
